"""Parse serialized HLO modules with plain protobuf.

The descriptors of `hlo.proto` and what it imports are package data, taken out of a jaxlib by
`bench/make_hlo_descriptors.py`. They live in a pool of their own, so that they cannot clash with
another copy of the same protos in the process. Fields that a newer XLA adds are skipped.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections.abc import Callable
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

from jaxscope.model.op_name import (
    TAG_FILE,
    instruction_name,
    is_tags,
    name_without_tags,
    put_tags,
    untag_frames,
)

MAX_MODULE_BYTES = 512 << 20
"""Larger modules are refused: protobuf itself stops at 2 GiB, memory much earlier."""

NOTHING_IN_IT = "the HLO module has no instructions"

HloMessage = Any
"""A message of `hlo.proto` or `xla_data.proto`; its class is made at run time."""


_NAMED_BY_TAG = re.compile(rb"\x0a.jxs[bdp]\d", re.DOTALL)
"""A first field, which is the name, that begins with a tag: few modules have one."""


_TAG = re.compile(rb"jxs")
"""How all tags begin; `in` takes twice the time."""
_PLACE = ("source_file", "source_line", "source_end_line", "source_column", "source_end_column")


@functools.cache
def module_class() -> Any:
    """The class of `xla.HloModuleProto`."""
    data = (importlib.resources.files(__package__) / "hlo_descriptors.binpb").read_bytes()
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("xla.HloModuleProto"))


def parse_message(parse: Callable[[bytes], HloMessage], data: bytes) -> HloMessage:
    """Raises: ValueError: The bytes are no such message."""
    try:
        return parse(data)
    except (message.DecodeError, RecursionError) as error:
        raise ValueError(f"the bytes are no serialized HLO module: {error}") from None


def has_tags_to_move(data: bytes) -> bool:
    """Whether `parse_module` names instructions of a module otherwise than its bytes do."""
    if _TAG.search(data) is None:  # one look at most modules
        return False
    told = TAG_FILE.encode() in data or b";jxs" in data
    return told or _NAMED_BY_TAG.search(data) is not None


def parse_module(data: bytes) -> HloMessage:
    """Parse a serialized `HloModuleProto`; instructions named by tags alone are `unnamed_…`.

    Raises:
        ValueError: The bytes are no HLO module, are too many, or hold no instruction.
    """
    if len(data) > MAX_MODULE_BYTES:
        raise ValueError(f"an HLO module of {len(data)} bytes is larger than what is read")
    module = parse_message(module_class().FromString, data)
    if not any(computation.instructions for computation in module.computations):
        raise ValueError(NOTHING_IN_IT)
    if _NAMED_BY_TAG.search(data):
        _rename(module)
    if TAG_FILE.encode() in data:
        _move_tags(module)
    if b";jxs" in data:
        _rename_joined(module)
    return module


def _rename(module: HloMessage) -> None:
    for computation in module.computations:
        computation.name = instruction_name(computation.name)
        for instruction in computation.instructions:
            instruction.name = instruction_name(instruction.name)


def _rename_joined(module: HloMessage) -> None:
    for computation in module.computations:
        for instruction in computation.instructions:
            op_name = instruction.metadata.op_name
            if ";jxs" in op_name:
                instruction.name = name_without_tags(instruction.name, op_name)


def _move_tags(module: HloMessage) -> None:
    """Copy tags from stack frames into the names of instructions."""
    index = module.stack_frame_index
    files, functions = list(index.file_names), list(index.function_names)
    tags = {
        number: functions[place.function_name_id - 1]
        for number, place in enumerate(index.file_locations, start=1)
        if 0 < place.file_name_id <= len(files)
        and files[place.file_name_id - 1] == TAG_FILE
        and 0 < place.function_name_id <= len(functions)
        and is_tags(functions[place.function_name_id - 1])
    }
    frames = [(frame.file_location_id, frame.parent_frame_id) for frame in index.stack_frames]
    instructions = [
        each for computation in module.computations for each in computation.instructions
    ]
    used = {instruction.metadata.stack_frame_id for instruction in instructions}
    untagged = untag_frames(frames, tags, used)
    del index.stack_frames[:]
    for place, parent in untagged.frames:
        index.stack_frames.add(file_location_id=place, parent_frame_id=parent)
    for instruction in instructions:
        metadata = instruction.metadata
        number = metadata.stack_frame_id
        if not 0 < number <= len(frames):
            continue
        metadata.op_name = put_tags(untagged.tags[number - 1], metadata.op_name)
        metadata.stack_frame_id = untagged.numbers[number - 1]
        if metadata.source_file == TAG_FILE:
            for field in _PLACE:
                metadata.ClearField(field)
