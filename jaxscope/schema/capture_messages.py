"""Shapes of the messages that make up a capture, checked when they arrive.

A worker runs other people's code and is treated as hostile: what does not fit these types never
gets further.
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Check, Cost, Environment, FunctionSource, Leaf, Unavailable
from jaxscope.model.capture import PLACE_KINDS, Device, Job, Member, MemoryPlan, Place
from jaxscope.schema.records import Codec, Rules
from jaxscope.wire.messages import Message

ShortText = Annotated[str, msgspec.Meta(max_length=10_000)]
LongText = Annotated[str, msgspec.Meta(max_length=1_000_000)]
Line = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Size = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
_NumBytes = Annotated[float, msgspec.Meta(ge=0, le=2**63 - 1, multiple_of=1)]
_Places = Annotated[tuple[Line, ...], msgspec.Meta(max_length=100_000)]
_Coordinates = Annotated[
    tuple[Annotated[int, msgspec.Meta(ge=-(2**63))], ...], msgspec.Meta(max_length=8)
]
_MaxDevices = msgspec.Meta(max_length=1 << 17)
_MaxLeaves = msgspec.Meta(max_length=100_000)
_LongTexts = Annotated[tuple[LongText, ...], _MaxLeaves]

T = TypeVar("T")

_PLANNED = ("argument", "result", "temporary", "aliased", "code", "peak")
WIRE = Codec(
    text=ShortText,
    whole=Size,
    takes_impossible=True,
    missing="reason",
    missing_kind=LongText,
    rules={
        FunctionSource: Rules(kinds={"line": Line, "text": LongText}),
        Environment: Rules(
            defaults=dict.fromkeys(("jax", "jaxlib", "python", "platform", "device"), ""),
            left_out=("load", "processors", "processor_share", "busy_processors"),  # `conditions`
        ),
        Leaf: Rules(as_list=True),
        Cost: Rules(as_list=True),
        Device: Rules(
            as_list=True, kinds={"id": Line, "process": Line, "coordinates": _Coordinates}
        ),
        Job: Rules(
            kinds={
                "process": Line,
                "members": Annotated[
                    tuple[Member, ...], msgspec.Meta(min_length=1, max_length=1 << 17)
                ],
            }
        ),
        Check: Rules(
            kinds={"message": LongText, "remedy": LongText, "line": Line}, nulls=("file", "line")
        ),
        MemoryPlan: Rules(
            kinds={
                **{f"{name}_bytes": _NumBytes for name in _PLANNED},
                "donated": _Places,
                "kept": _Places,
            },
            left_out=("places",),  # they are columns: see `read_memory`
        ),
    },
)
"""Reads the model's records from what a worker sent."""


@dataclass(frozen=True, slots=True)
class Head:
    """A `head`; `call_place` says where a comment offers the call: file, line or 0, column."""

    call: LongText
    base: LongText
    transforms: tuple[str, ...]
    source: FunctionSource
    environment: Environment
    target: str
    arguments: tuple[Leaf, ...] = ()
    results: tuple[Leaf, ...] = ()
    call_place: tuple[str, Line, Line] = ("", 0, 0)


class FileFields(msgspec.Struct, frozen=True):
    """A `file`; both fields are empty where the code has no file (typed at a prompt)."""

    path: ShortText
    sha256: Annotated[str, msgspec.Meta(pattern="^(?:[0-9a-f]{64})?$")]


@dataclass(frozen=True, slots=True)
class StageFields:
    """Fields of the message `stage`."""

    name: str
    title: str
    form: Literal["graph", "hlo", "none"]
    seconds: float | None = None
    unavailable: LongText | None = None
    is_on_request: bool = False
    cost: Cost | None = None
    has_no_kernels: bool = False
    is_fetched: bool = False


@dataclass(frozen=True, slots=True)
class CostFields:
    """Fields of the message `cost`."""

    name: ShortText
    cost: Cost


class TagsFields(msgspec.Struct, frozen=True):
    """What comes with the table of tags."""

    argument_paths: Annotated[dict[ShortText, ShortText], _MaxLeaves] = {}


class TextFields(msgspec.Struct, frozen=True):
    """Fields of the message `text`."""

    name: ShortText


class MissingTextFields(msgspec.Struct, frozen=True):
    """Fields of the message `text_missing`."""

    name: ShortText
    reason: LongText


class KernelsFields(msgspec.Struct, frozen=True):
    """Fields of the message `kernels`."""

    name: ShortText
    left_out: Size = 0


def read_memory(message: Message) -> MemoryPlan | Unavailable:
    """What a `memory` says: XLA's plan, or why there is none.

    Raises:
        ValueError: It is malformed.
    """
    plan: MemoryPlan | Unavailable = _read(message, MemoryPlan | Unavailable)
    if isinstance(plan, Unavailable):
        return plan
    return dataclasses.replace(plan, places=read_buffer_assignment(message))


def read_buffer_assignment(message: Message) -> tuple[Place, ...]:
    """Where XLA put each value, from the arrays of a `memory`.

    Raises:
        ValueError: They do not fit together.
    """
    names = ("node", "output", "allocation", "offset", "size", "kind")
    columns = [message.arrays[name] for name in names if name in message.arrays]
    if not columns:
        return ()
    shapes = {column.shape for column in columns}
    is_sound = len(columns) == len(names) and len(shapes) == 1 and len(columns[0].shape) == 1
    if not is_sound or any(column.dtype != np.int64 for column in columns):
        raise ValueError("the places of values are malformed")
    if any(bool((column < 0).any()) for column in columns):
        raise ValueError("a place is negative")
    if bool((columns[-1] >= len(PLACE_KINDS)).any()):
        raise ValueError("a place is of no known kind")
    *numbers, kinds = (column.tolist() for column in columns)
    words = [PLACE_KINDS[kind] for kind in kinds]
    return tuple(zip(*numbers, words, strict=True))


@dataclass(frozen=True, slots=True)
class PlacementFields:
    """Fields of the message `placement`."""

    reason: LongText | None = None
    devices: Annotated[tuple[Device, ...], _MaxDevices] = ()
    axes: Annotated[tuple[tuple[str, int], ...], msgspec.Meta(max_length=64)] = ()
    arguments: _LongTexts = ()
    results: _LongTexts = ()


@dataclass(frozen=True, slots=True)
class PassFields:
    """A `pass`; both texts are empty for the module as XLA received it."""

    name: str
    pipeline: str = ""
    cost: Cost | None = None
    number: Annotated[int, msgspec.Meta(ge=0, le=10**9)] | None = None


class PassesEndFields(msgspec.Struct, frozen=True):
    """A `passes_end`; `no_times` says why no pass has seconds."""

    seconds: float = 0.0
    reason: LongText | None = None
    no_times: LongText | None = None


class MessageFields(msgspec.Struct, frozen=True):
    """Fields of the message `message`."""

    text: LongText


class DoneFields(msgspec.Struct, frozen=True):
    """Fields of the message `done`."""

    wall_seconds: float = 0.0


def read_message_fields(message: Message, wanted: type[T]) -> T:
    """Check a message's fields.

    Raises:
        ValueError: They do not fit; the worker is not to be trusted any further.
    """
    found: T = _read(message, wanted)
    return found


def _read(message: Message, wanted: Any) -> Any:
    try:
        return WIRE.read_as(wanted, dict(message.fields))
    except ValueError as error:
        raise ValueError(f"a message {message.type} is malformed: {error}") from None
