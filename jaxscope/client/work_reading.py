"""Read what a program of the timing lab takes besides time; a worker wrote it, so it is checked."""

from __future__ import annotations

import dataclasses
import math
from typing import Annotated, Any

import msgspec
import numpy as np

from jaxscope.analysis.hlo.graph import convert_hlo
from jaxscope.analysis.program_work import ProgramWork, find_program_work
from jaxscope.model.agreement import ProgramCost
from jaxscope.model.op_name import TagTable
from jaxscope.wire.messages import Message

_Size = Annotated[float, msgspec.Meta(ge=0)]


class _CostFields(msgspec.Struct, frozen=True):
    flops: _Size | None = None
    bytes_accessed: _Size | None = None
    memory: _Size | None = None

    def to_model(self) -> ProgramCost:
        values = (self.flops, self.bytes_accessed, self.memory)
        flops, num_bytes, memory = (math.nan if value is None else value for value in values)
        return ProgramCost(flops, num_bytes, memory)


def read_cost(message: Message, fields: Any, prefix: str = "") -> ProgramCost:
    """Work, traffic and memory of a program.

    Where XLA did not count it as a whole, its kernels are counted one by one.

    Args:
        fields: The numbers.
        prefix: Of the names of the columns in the message.

    Raises:
        ValueError: The message is malformed.
    """
    cost = msgspec.convert(fields, _CostFields).to_model()
    if not (math.isnan(cost.flops) or math.isnan(cost.bytes_accessed)):
        return cost
    work = _read_work(message, prefix)
    return dataclasses.replace(
        cost, flops=work.flops, bytes_accessed=work.num_bytes, counting=work.counting
    )


def _read_work(message: Message, prefix: str) -> ProgramWork:
    data = message.arrays.get(f"{prefix}hlo")
    costs = message.arrays.get(f"{prefix}instruction_cost")
    if data is None:
        return ProgramWork(math.nan, math.nan)
    if data.dtype != np.uint8 or costs is None or costs.dtype != np.float64 or costs.ndim != 2:
        raise ValueError(f"{message.type} has a program without its costs")
    graph = convert_hlo(data.tobytes(), TagTable(), None, costs, "optimized")
    return find_program_work(graph)
