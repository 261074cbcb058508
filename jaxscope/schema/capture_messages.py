"""Shapes of the messages that make up a capture, checked when they arrive.

A worker runs other people's code and is treated as hostile: what does not fit these types never
gets further.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np

from jaxscope.model import Check, Cost, Environment, FunctionSource, Leaf, Severity, Unavailable
from jaxscope.model.capture import PLACE_KINDS, MemoryPlan, Place
from jaxscope.model.sharding import Job, Member
from jaxscope.wire.messages import Message

ShortText = Annotated[str, msgspec.Meta(max_length=10_000)]
LongText = Annotated[str, msgspec.Meta(max_length=1_000_000)]
Line = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]
Size = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]

T = TypeVar("T")


class SourceFields(msgspec.Struct, frozen=True):
    """`source` of a `head`."""

    file: ShortText = ""
    line: Line = 0
    text: LongText = ""

    def to_model(self) -> FunctionSource:
        return FunctionSource(self.file, self.line, self.text)


class EnvironmentFields(msgspec.Struct, frozen=True):
    """`environment` of a `head`."""

    jax: ShortText = ""
    jaxlib: ShortText = ""
    python: ShortText = ""
    platform: ShortText = ""
    device: ShortText = ""
    host: ShortText = ""
    recorded_at: ShortText = ""

    def to_model(self) -> Environment:
        return Environment(
            self.jax,
            self.jaxlib,
            self.python,
            self.platform,
            self.device,
            self.host,
            self.recorded_at,
        )


LeafFields = tuple[ShortText, ShortText, Size, bool]


class HeadFields(msgspec.Struct, frozen=True):
    """A `head`; `call_place` says where a comment offers the call: file, line or 0, column."""

    call: LongText
    base: LongText
    transforms: tuple[ShortText, ...]
    source: SourceFields
    environment: EnvironmentFields
    target: ShortText
    arguments: tuple[LeafFields, ...] = ()
    results: tuple[LeafFields, ...] = ()
    call_place: tuple[ShortText, Line, Line] = ("", 0, 0)

    def leaves(self, which: tuple[LeafFields, ...]) -> tuple[Leaf, ...]:
        return tuple(Leaf(*fields) for fields in which)


class FileFields(msgspec.Struct, frozen=True):
    """A `file`; both fields are empty where the code has no file (typed at a prompt)."""

    path: ShortText
    sha256: Annotated[str, msgspec.Meta(pattern="^(?:[0-9a-f]{64})?$")]


class StageFields(msgspec.Struct, frozen=True):
    """A `stage`."""

    name: ShortText
    title: ShortText
    form: Literal["graph", "hlo", "none"]
    seconds: float | None = None
    unavailable: LongText | None = None
    cost: tuple[float | None, float | None, float | None] | None = None

    def stage_cost(self) -> Cost:
        return Cost(*(_number(value) for value in self.cost or (None, None, None)))


class TextFields(msgspec.Struct, frozen=True):
    """A `text`."""

    name: ShortText


class MissingTextFields(msgspec.Struct, frozen=True):
    """A `text_missing`."""

    name: ShortText
    reason: LongText


class KernelsFields(msgspec.Struct, frozen=True):
    """A `kernels`."""

    name: ShortText
    left_out: Size = 0


Places = Annotated[tuple[Line, ...], msgspec.Meta(max_length=100_000)]


class MemoryFields(msgspec.Struct, frozen=True):
    """A `memory`."""

    argument_bytes: Size | None = None
    result_bytes: Size | None = None
    temporary_bytes: Size | None = None
    aliased_bytes: Size | None = None
    code_bytes: Size | None = None
    peak_bytes: Size | None = None
    reason: LongText | None = None
    donated: Places = ()
    kept: Places = ()

    def to_model(self) -> MemoryPlan | Unavailable:
        if self.reason is not None:
            return Unavailable(self.reason, "optimized")
        return MemoryPlan(
            _number(self.argument_bytes),
            _number(self.result_bytes),
            _number(self.temporary_bytes),
            _number(self.aliased_bytes),
            _number(self.code_bytes),
            _number(self.peak_bytes),
            self.donated,
            self.kept,
        )


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


DeviceFields = tuple[Line, ShortText, Line, Annotated[tuple[int, ...], msgspec.Meta(max_length=8)]]
_MaxDevices = msgspec.Meta(max_length=1 << 17)
_MaxLeaves = msgspec.Meta(max_length=100_000)


class PlacementFields(msgspec.Struct, frozen=True):
    """A `placement`."""

    reason: LongText | None = None
    devices: Annotated[tuple[DeviceFields, ...], _MaxDevices] = ()
    axes: Annotated[tuple[tuple[ShortText, Size], ...], msgspec.Meta(max_length=64)] = ()
    arguments: Annotated[tuple[LongText, ...], _MaxLeaves] = ()
    results: Annotated[tuple[LongText, ...], _MaxLeaves] = ()


class MemberFields(msgspec.Struct, frozen=True):
    """A process of a `job`."""

    host: ShortText = ""
    lowered: ShortText = ""
    compiled: ShortText = ""
    reason: ShortText = ""


class JobFields(msgspec.Struct, frozen=True):
    """A `job`."""

    process: Line
    members: Annotated[tuple[MemberFields, ...], msgspec.Meta(min_length=1, max_length=1 << 17)]

    def to_model(self) -> Job:
        if self.process >= len(self.members):
            raise ValueError(f"process {self.process} of {len(self.members)}")
        members = (Member(m.host, m.lowered, m.compiled, m.reason) for m in self.members)
        return Job(self.process, tuple(members))


class PassFields(msgspec.Struct, frozen=True):
    """A `pass`; both texts are empty for the module as XLA received it."""

    name: ShortText
    pipeline: ShortText = ""
    cost: tuple[float | None, float | None, float | None] | None = None
    number: Annotated[int, msgspec.Meta(ge=0, le=10**9)] | None = None

    def module_cost(self) -> Cost:
        return Cost(*(_number(value) for value in self.cost or (None, None, None)))


class PassesEndFields(msgspec.Struct, frozen=True):
    """A `passes_end`; `no_times` says why no pass has seconds."""

    seconds: float = 0.0
    reason: LongText | None = None
    no_times: LongText | None = None


class CheckFields(msgspec.Struct, frozen=True):
    """A `check`."""

    rule: ShortText
    severity: Literal["error", "warning", "info"]
    message: LongText
    remedy: LongText = ""
    file: ShortText | None = ""
    line: Line | None = 0

    def to_model(self) -> Check:
        return Check(
            self.rule,
            Severity(self.severity),
            self.message,
            self.remedy,
            self.file or "",
            self.line or 0,
        )


class MessageFields(msgspec.Struct, frozen=True):
    """A `message`."""

    text: LongText


class DoneFields(msgspec.Struct, frozen=True):
    """A `done`."""

    wall_seconds: float = 0.0


def read_message_fields(message: Message, wanted: type[T]) -> T:
    """Check a message's fields.

    Raises:
        ValueError: They do not fit; the worker is not to be trusted any further.
    """
    fields: dict[str, Any] = dict(message.fields)
    try:
        return msgspec.convert(fields, wanted)
    except msgspec.ValidationError as error:
        raise ValueError(f"a message {message.type} is malformed: {error}") from None


def _number(value: float | None) -> float:
    """NaN for what is unknown; infinite or negative work is unknown too."""
    if value is None or not math.isfinite(value) or value < 0.0:
        return math.nan
    return float(value)
