"""Read the message `placement`: devices, and how arrays are spread over them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from jaxscope.analysis.hlo.attributes import render_sharding
from jaxscope.analysis.hlo.proto import parse_module
from jaxscope.analysis.hlo.shapes import render_type
from jaxscope.client.capture_messages import PlacementFields, read_message_fields
from jaxscope.model import Unavailable
from jaxscope.model.op_name import TagTable, read_op_name
from jaxscope.model.sharding import Device, Placement, Propagated
from jaxscope.wire.messages import Message

_MAX_TEXT = 10_000


def read_placement(message: Message, tags: TagTable) -> Placement | Unavailable:
    """What a `placement` says.

    Args:
        message: The message.
        tags: What the tags in the names of operations stand for.

    Raises:
        ValueError: The message is malformed.
    """
    fields = read_message_fields(message, PlacementFields)
    if fields.reason is not None:
        return Unavailable(fields.reason, "optimized")
    has_mesh = math.prod(size for _, size in fields.axes) == len(fields.devices)
    return Placement(
        devices=tuple(Device(*device) for device in fields.devices),
        axes=fields.axes if has_mesh else (),
        arguments=fields.arguments,
        results=fields.results,
        values=_read_values(message, tags),
    )


def _read_values(message: Message, tags: TagTable) -> dict[str, tuple[Propagated, ...]]:
    proto = message.arrays.get("proto")
    if proto is None or proto.dtype != np.uint8 or proto.ndim != 1:
        return {}
    found: dict[str, dict[Propagated, None]] = {}
    try:
        for id, value in _find_values(proto.tobytes(), tags):
            found.setdefault(id, {})[value] = None
    except ValueError:
        return {}  # what XLA decided in between is a bonus: the arguments and results are known
    return {id: tuple(values) for id, values in found.items()}


def _find_values(proto: bytes, tags: TagTable) -> Iterator[tuple[str, Propagated]]:
    """The equation that a value belongs to, and the value, of each value with a sharding."""
    for computation in parse_module(proto).computations:
        for instruction in computation.instructions:
            if not instruction.HasField("sharding"):
                continue
            ids = read_op_name(instruction.metadata.op_name, tags).derived
            if not ids:
                continue
            text = render_sharding(instruction.sharding)
            if len(text) <= _MAX_TEXT:
                value = Propagated(render_type(instruction.shape), text)
                yield from ((id, value) for id in ids)
