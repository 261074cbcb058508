"""Parse serialized HLO modules with plain protobuf.

The descriptors of `hlo.proto` and what it imports are package data, taken out of a jaxlib by
`bench/make_hlo_descriptors.py`. They live in a pool of their own, so that they cannot clash with
another copy of the same protos in the process. Fields that a newer XLA adds are skipped.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

from jaxscope.late_dataclass import dataclass
from jaxscope.model.op_name import (
    TAG_FILE,
    instruction_name,
    is_tags,
    name_without_tags,
    put_tags,
    untag_frames,
)
from jaxscope.model.protobuf import read_fields

MAX_MODULE_BYTES = 512 << 20
"""Larger modules are refused: protobuf itself stops at 2 GiB, memory much earlier."""

_LARGE = 2 << 20
"""Below so many bytes a module is parsed at once, which is sooner done."""

_NOTHING_IN_IT = "the HLO module has no instructions"

HloMessage = Any
"""A message of `hlo.proto` or `xla_data.proto`; its class is made at run time."""


_NAMED_BY_TAG = re.compile(rb"\x0a.jxs[bdp]\d", re.DOTALL)
"""A first field, which is the name, that begins with a tag: few modules have one."""


_PLACE = ("source_file", "source_line", "source_end_line", "source_column", "source_end_column")


@functools.cache
def module_class() -> Any:
    """The class of `xla.HloModuleProto`."""
    data = (importlib.resources.files(__package__) / "hlo_descriptors.binpb").read_bytes()
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("xla.HloModuleProto"))


class SlicedInstructions(Sequence[HloMessage]):
    """Instructions of one computation, each parsed whenever it is asked for: parsed all at once
    they take ten times as much memory as their bytes.
    """

    def __init__(self, data: bytes, spans: npt.NDArray[np.int64]) -> None:
        self._data, self._spans = data, spans
        computation = module_class().DESCRIPTOR.fields_by_name["computations"].message_type
        instruction = computation.fields_by_name["instructions"].message_type
        self._parse = message_factory.GetMessageClass(instruction).FromString

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, place: Any) -> Any:
        start, end = self._spans[place].tolist()
        return _parse(self._parse, self._data[start:end])

    def __iter__(self) -> Iterator[HloMessage]:
        data, parse = self._data, self._parse
        for start, end in zip(self._spans[:, 0].tolist(), self._spans[:, 1].tolist(), strict=True):
            yield _parse(parse, data[start:end])


@dataclass(frozen=True, eq=False, slots=True)
class SlicedComputation:
    """What is asked of a computation, as a message of it answers."""

    name: str
    id: int
    root_id: int
    instructions: SlicedInstructions


@dataclass(frozen=True, eq=False, slots=True)
class SlicedModule:
    """What is asked of a module, as a message of it answers."""

    computations: Sequence[SlicedComputation]
    entry_computation_id: int
    stack_frame_index: HloMessage


def read_module(data: bytes) -> HloMessage:
    """As `parse_module`; of a large module, which has no tags, instructions are parsed one by one.

    Whoever asks gets an instruction anew each time, and should go through them seldom.

    Raises:
        ValueError: The bytes are no HLO module, are too many, or hold no instruction.
    """
    if not _LARGE <= len(data) <= MAX_MODULE_BYTES or _has_tags(data):
        return parse_module(data)
    fields = module_class().DESCRIPTOR.fields_by_name
    try:
        rest, spans = _cut_out(data, fields["computations"].number, 0, len(data))
        number = fields["computations"].message_type.fields_by_name["instructions"].number
        cut = [(_cut_out(data, number, start, end)) for start, end in spans.tolist()]
    except ValueError:  # old kinds of fields, which protobuf reads
        return parse_module(data)
    module = _parse(module_class().FromString, rest)
    computation_class = message_factory.GetMessageClass(fields["computations"].message_type)
    computations = []
    for own, instructions in cut:
        own_message = _parse(computation_class.FromString, own)
        computations.append(
            SlicedComputation(
                own_message.name,
                own_message.id,
                own_message.root_id,
                SlicedInstructions(data, instructions),
            )
        )
    if not any(computation.instructions for computation in computations):
        raise ValueError(_NOTHING_IN_IT)
    return SlicedModule(computations, module.entry_computation_id, module.stack_frame_index)


def _cut_out(data: bytes, number: int, start: int, end: int) -> tuple[bytes, npt.NDArray[np.int64]]:
    """A message without the fields of a number, and where the values of these are."""
    rest, spans = [], array("q")
    for found, key, begin, stop, _ in read_fields(data, start, end):
        if found == number:
            spans.extend((begin, stop))
        else:
            rest.append(data[key:stop])
    return b"".join(rest), np.array(spans, np.int64).reshape(-1, 2)


def _parse(parse: Callable[[bytes], HloMessage], data: bytes) -> HloMessage:
    try:
        return parse(data)
    except (message.DecodeError, RecursionError) as error:
        raise ValueError(f"the bytes are no serialized HLO module: {error}") from None


def _has_tags(data: bytes) -> bool:
    return b"jxs" in data or TAG_FILE.encode() in data


def parse_module(data: bytes) -> HloMessage:
    """Parse a serialized `HloModuleProto`; instructions named by tags alone are `unnamed_…`.

    Raises:
        ValueError: The bytes are no HLO module, are too many, or hold no instruction.
    """
    if len(data) > MAX_MODULE_BYTES:
        raise ValueError(f"an HLO module of {len(data)} bytes is larger than what is read")
    module = _parse(module_class().FromString, data)
    if not any(computation.instructions for computation in module.computations):
        raise ValueError(_NOTHING_IN_IT)
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
