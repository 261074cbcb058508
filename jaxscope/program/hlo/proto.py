"""Parse serialized HLO modules with plain protobuf.

The descriptors of `hlo.proto` and what it imports are package data, taken out of a jaxlib by
`bench/make_hlo_descriptors.py`. They live in a pool of their own, so that they cannot clash with
another copy of the same protos in the process. Fields that a newer XLA adds are skipped.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory

from jaxscope.model.op_name import instruction_name

MAX_MODULE_BYTES = 512 << 20
"""Larger modules are refused: protobuf itself stops at 2 GiB, memory much earlier."""

HloMessage = Any
"""A message of `hlo.proto` or `xla_data.proto`; its class is made at run time."""


_NAMED_BY_TAG = re.compile(rb"\x0a.jxs[bdp]\d", re.DOTALL)
"""A first field, which is the name, that begins with a tag: few modules have one."""


@functools.cache
def module_class() -> Any:
    """The class of `xla.HloModuleProto`."""
    data = (importlib.resources.files(__package__) / "hlo_descriptors.binpb").read_bytes()
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("xla.HloModuleProto"))


def parse_module(data: bytes) -> HloMessage:
    """Parse a serialized `HloModuleProto`; instructions named by tags alone are `unnamed_…`.

    Raises:
        ValueError: The bytes are no HLO module, are too many, or hold no instruction.
    """
    if len(data) > MAX_MODULE_BYTES:
        raise ValueError(f"an HLO module of {len(data)} bytes is larger than what is read")
    try:
        module = module_class().FromString(data)
    except (message.DecodeError, RecursionError) as error:
        raise ValueError(f"the bytes are no serialized HLO module: {error}") from None
    if not any(computation.instructions for computation in module.computations):
        raise ValueError("the HLO module has no instructions")
    if _NAMED_BY_TAG.search(data):
        _rename(module)
    return module


def _rename(module: HloMessage) -> None:
    for computation in module.computations:
        computation.name = instruction_name(computation.name)
        for instruction in computation.instructions:
            instruction.name = instruction_name(instruction.name)
