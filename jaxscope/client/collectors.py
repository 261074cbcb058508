"""Turn a worker's messages into events and into the result of a run, one collector per request."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Annotated, Any, Protocol, TypeVar

import msgspec

from jaxscope.client.capture_assembler import CaptureAssembler
from jaxscope.client.events import (
    Event,
    HeadArrived,
    MeasurementArrived,
    Progress,
    ResultGrew,
    StageArrived,
    TextArrived,
)
from jaxscope.client.experiment_collectors import (
    AgreementCollector,
    CeilingsCollector,
    ComparisonCollector,
    LabCollector,
    ProfileCollector,
    RecompilationCollector,
    RematCollector,
    ScalingCollector,
    SideCollector,
)
from jaxscope.client.requests import (
    AgreementRequest,
    CalibrationRequest,
    CaptureRequest,
    ComparisonRequest,
    ProfileRequest,
    RecompilationRequest,
    RematRequest,
    Request,
    ScalingRequest,
    SideRequest,
    TimeRequest,
)
from jaxscope.client.results import (
    Device,
    EnvironmentReport,
    OfferedCall,
    Outline,
    OutlinedFunction,
    Proposal,
    Result,
    TargetReport,
)
from jaxscope.client.timing_assembler import TimingAssembler
from jaxscope.errors import (
    CallError,
    EnvironmentProblem,
    Explanation,
    InternalError,
    JaxscopeError,
    SourceError,
    TraceError,
)
from jaxscope.model import Capture, is_available
from jaxscope.wire.messages import Message

_ERRORS: dict[str, type[JaxscopeError]] = {
    "source": SourceError,
    "call": CallError,
    "trace": TraceError,
    "environment": EnvironmentProblem,
    "internal": InternalError,
}
_Text = Annotated[str, msgspec.Meta(max_length=200_000)]

_LAB_COLLECTORS: dict[type[Request], type[LabCollector]] = {
    ProfileRequest: ProfileCollector,
    ScalingRequest: ScalingCollector,
    RecompilationRequest: RecompilationCollector,
    ComparisonRequest: ComparisonCollector,
    SideRequest: SideCollector,
    AgreementRequest: AgreementCollector,
    CalibrationRequest: CeilingsCollector,
    RematRequest: RematCollector,
}

T = TypeVar("T")


class Collector(Protocol):
    """Takes the messages of one run."""

    def feed(self, message: Message) -> Iterator[Event]:
        """Take a message and yield what it means.

        Raises:
            ValueError: It is malformed; `msgspec.ValidationError` is one.
        """

    def result(self) -> Result:
        """The result, once the run is done.

        Raises:
            ValueError: The worker said that it is done, but sent no result.
        """

    def partial(self) -> Result | None:
        """What a capture or an experiment has so far."""


def collector_for(request: Request) -> Collector:
    """The collector that understands the answers to a request."""
    if isinstance(request, CaptureRequest):
        return CaptureCollector()
    if isinstance(request, TimeRequest):
        return TimingCollector(request.call or "")
    if type(request) in _LAB_COLLECTORS:
        return _LAB_COLLECTORS[type(request)](getattr(request, "call", None) or "")
    return AnswerCollector()


class CaptureCollector:
    """Answers to `capture`."""

    def __init__(self) -> None:
        self._assembler = CaptureAssembler()

    def feed(self, message: Message) -> Iterator[Event]:
        stage = self._assembler.feed(message)
        if message.type == "head":
            yield HeadArrived(self._assembler.capture())
        elif stage is None:
            return
        elif message.type == "stage":
            yield StageArrived(stage)
        elif is_available(stage.text):
            yield TextArrived(stage.name, stage.text)

    def result(self) -> Result:
        if not self._assembler.has_head:
            raise ValueError("the worker was done before it had begun")
        return self._assembler.capture()

    def partial(self) -> Capture | None:
        return self._assembler.capture() if self._assembler.has_head else None


class TimingCollector:
    """Answers to `time`."""

    def __init__(self, call: str) -> None:
        self._assembler = TimingAssembler(call)

    def feed(self, message: Message) -> Iterator[Event]:
        self._assembler.feed(message)
        if message.type in {"measurement", "device_time"}:
            measurement = self._assembler.timing().measurement(str(message.fields.get("name")))
            if measurement is not None:
                yield MeasurementArrived(measurement)
        elif message.type in {"ratio", "warning"}:
            yield ResultGrew(self._assembler.timing())

    def result(self) -> Result:
        return self._assembler.timing()

    def partial(self) -> Result | None:
        timing = self._assembler.timing()
        if not timing.measurements:
            return None
        note = "The run ended early: these results are partial."
        return dataclasses.replace(timing, warnings=(*timing.warnings, note))


class _OutlineFields(msgspec.Struct, frozen=True):
    functions: Annotated[tuple[OutlinedFunction, ...], msgspec.Meta(max_length=2000)]
    calls: Annotated[tuple[OfferedCall, ...], msgspec.Meta(max_length=500)]
    doc: _Text


class _EnvironmentFields(msgspec.Struct, frozen=True):
    jax: _Text
    jaxlib: _Text
    python: _Text
    platform: _Text
    device: _Text = ""
    numpy: _Text = ""
    executable: _Text = ""
    host: _Text = ""
    system: _Text = ""
    devices: Annotated[tuple[Device, ...], msgspec.Meta(max_length=10_000)] = ()
    targets: Annotated[tuple[TargetReport, ...], msgspec.Meta(max_length=100)] = ()


class AnswerCollector:
    """Answers to `outline`, `propose` and `environment`: one message each."""

    def __init__(self) -> None:
        self._result: Result | None = None

    def feed(self, message: Message) -> Iterator[Event]:
        if message.type == "outline":
            outline = _read(message, _OutlineFields)
            lines = [f.line for f in outline.functions] + [c.line for c in outline.calls]
            if lines and min(lines) < 1:
                raise ValueError("an outline names a line before the first")
            self._result = Outline(outline.functions, outline.calls, outline.doc)
        elif message.type == "proposal":
            self._result = Proposal(_read(message, _ProposalFields).call)
        elif message.type == "environment":
            fields = _read(message, _EnvironmentFields)
            self._result = EnvironmentReport(
                **{name: getattr(fields, name) for name in fields.__struct_fields__}
            )
        return iter(())

    def result(self) -> Result:
        if self._result is None:
            raise ValueError("the worker was done without an answer")
        return self._result

    def partial(self) -> Capture | None:
        return None


class _ProposalFields(msgspec.Struct, frozen=True):
    call: _Text


class _ProgressFields(msgspec.Struct, frozen=True):
    step: Annotated[str, msgspec.Meta(max_length=200)]
    text: Annotated[str, msgspec.Meta(max_length=2000)]
    left_s: float | None = None
    can_skip: bool = False


class _ExplanationFields(msgspec.Struct, frozen=True):
    what: _Text
    why: _Text = ""
    where: _Text = ""
    remedy: _Text = ""
    kind: _Text = ""
    traceback: _Text = ""
    full_traceback: Annotated[str, msgspec.Meta(max_length=1_000_000)] = ""
    output: _Text = ""
    calls: Annotated[tuple[_Text, ...], msgspec.Meta(max_length=100)] = ()


class _FailedFields(msgspec.Struct, frozen=True):
    fault: str
    explanation: _ExplanationFields
    stage: _Text | None = None


def read_progress(message: Message) -> Progress:
    """Raises: ValueError: The message is malformed."""
    fields = _read(message, _ProgressFields)
    left_s = math.nan if fields.left_s is None else max(fields.left_s, 0.0)
    return Progress(fields.step, fields.text, left_s, fields.can_skip)


def read_failure(message: Message) -> JaxscopeError:
    """The error that a `failed` message tells of.

    Raises:
        ValueError: The message is malformed.
    """
    fields = _read(message, _FailedFields)
    if fields.fault not in _ERRORS:
        raise ValueError(f"a failure of the kind {fields.fault!r} was announced")
    explanation = Explanation(
        **{field.name: getattr(fields.explanation, field.name) for field in _EXPLANATION_FIELDS}
    )
    return _ERRORS[fields.fault](explanation)


_EXPLANATION_FIELDS = dataclasses.fields(Explanation)


def _read(message: Message, type: type[T]) -> T:
    fields: dict[str, Any] = dict(message.fields)
    return msgspec.convert(fields, type)
