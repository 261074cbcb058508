"""Turn a worker's messages into events and into the result of a run, one collector per request."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Annotated, Protocol, TypeVar

import msgspec

from jaxscope.client.events import (
    DeviceReport,
    EnvironmentReport,
    Event,
    HeadArrived,
    MeasurementArrived,
    Progress,
    Proposal,
    Result,
    ResultGrew,
    StageArrived,
    TargetReport,
    TextArrived,
)
from jaxscope.client.requests import (
    CaptureRequest,
    EnvironmentRequest,
    OpenRequest,
    OutlineRequest,
    ProposeRequest,
    Request,
    TimeRequest,
)
from jaxscope.errors import (
    CallError,
    EnvironmentProblem,
    Explanation,
    InternalError,
    JaxscopeError,
    SourceError,
    TraceError,
)
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, is_available
from jaxscope.model.outline import OfferedCall, Outline, OutlinedFunction
from jaxscope.model.said import say
from jaxscope.schema.records import Codec, Rules
from jaxscope.wire.messages import Message

_ERRORS: dict[str, type[JaxscopeError]] = {
    "source": SourceError,
    "call": CallError,
    "trace": TraceError,
    "environment": EnvironmentProblem,
    "internal": InternalError,
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


class CaptureCollector:
    """Collects the messages that answer a `capture` request."""

    def __init__(self, _call: str) -> None:
        from jaxscope.client.capture_assembler import CaptureAssembler  # of most of `program`

        self._assembler = CaptureAssembler()

    def feed(self, message: Message) -> Iterator[Event]:
        stage = self._assembler.feed(message)
        if message.type == "head":
            yield HeadArrived(self._assembler.capture())
        elif stage is None:
            return
        elif message.type in ("stage", "cost"):
            yield StageArrived(stage)
        elif is_available(stage.text):
            yield TextArrived(stage.name, stage.text)

    def result(self) -> Capture:
        if not self._assembler.has_head:
            raise ValueError("the worker was done before it had begun")
        return self._assembler.capture()

    def partial(self) -> Capture | None:
        return self._assembler.capture() if self._assembler.has_head else None


class OpenCollector(CaptureCollector):
    """Answers to `open`: a capture of a module that jaxscope did not trace."""

    def __init__(self, call: str) -> None:
        super().__init__(call)
        self._assignment = ""
        self._aliased: tuple[int, ...] = ()

    def feed(self, message: Message) -> Iterator[Event]:
        if message.type == "buffer_assignment":
            from jaxscope.client.capture_assembler import read_text

            self._assignment = read_text(message)
            self._aliased = _read(message, _Aliased).aliased
            return iter(())
        return super().feed(message)

    def result(self) -> Capture:
        return self._complete(super().result())

    def partial(self) -> Capture | None:
        found = super().partial()
        return None if found is None else self._complete(found)

    def _complete(self, capture: Capture) -> Capture:
        from jaxscope.client.capture_assembler import complete_opened

        return complete_opened(capture, self._assignment, self._aliased)


class TimingCollector:
    """Collects the messages that answer a `time` request."""

    def __init__(self, call: str) -> None:
        from jaxscope.client.experiment_collectors import TimingAssembler

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
        note = say("The run ended early: these results are partial.")
        return dataclasses.replace(timing, warnings=(*timing.warnings, note))


class AnswerCollector:
    """Answers to `outline`, `propose` and `environment`: one message each."""

    def __init__(self, _call: str) -> None:
        self._result: Result | None = None

    def feed(self, message: Message) -> Iterator[Event]:
        kind = _ANSWERS.get(message.type)
        if kind is not None:
            self._result = _read(message, kind)
        return iter(())

    def result(self) -> Result:
        if self._result is None:
            raise ValueError("the worker was done without an answer")
        return self._result

    def partial(self) -> Capture | None:
        return None


@dataclass(frozen=True, slots=True)
class _Aliased:
    aliased: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Failure:
    fault: str
    explanation: Explanation
    stage: str | None = None


_ANSWERS: dict[str, type[Outline] | type[Proposal] | type[EnvironmentReport]] = {
    "outline": Outline,
    "proposal": Proposal,
    "environment": EnvironmentReport,
}
_FIRST_LINE = Annotated[int, msgspec.Meta(ge=1)]
_FORM = Codec(
    text=Annotated[str, msgspec.Meta(max_length=200_000)],
    rules={
        Outline: Rules(
            kinds={
                "functions": Annotated[tuple[OutlinedFunction, ...], msgspec.Meta(max_length=2000)],
                "calls": Annotated[tuple[OfferedCall, ...], msgspec.Meta(max_length=500)],
            }
        ),
        OutlinedFunction: Rules(kinds={"line": _FIRST_LINE}),
        OfferedCall: Rules(kinds={"line": _FIRST_LINE}),
        EnvironmentReport: Rules(
            kinds={
                "devices": Annotated[tuple[DeviceReport, ...], msgspec.Meta(max_length=10_000)],
                "targets": Annotated[tuple[TargetReport, ...], msgspec.Meta(max_length=100)],
            }
        ),
        Progress: Rules(
            kinds={
                "step": Annotated[str, msgspec.Meta(max_length=200)],
                "text": Annotated[str, msgspec.Meta(max_length=2000)],
            }
        ),
        Explanation: Rules(
            kinds={
                "full_traceback": Annotated[str, msgspec.Meta(max_length=1_000_000)],
                "calls": Annotated[tuple[str, ...], msgspec.Meta(max_length=100)],
            }
        ),
    },
)
"""How these answers look on the wire, and how much a worker may say."""


def read_progress(message: Message) -> Progress:
    """Raises: ValueError: The message is malformed."""
    progress = _read(message, Progress)
    return dataclasses.replace(progress, left_s=max(progress.left_s, 0.0))


def read_failure(message: Message) -> JaxscopeError:
    """The error that a `failed` message is about.

    Raises:
        ValueError: The message is malformed.
    """
    failure = _read(message, _Failure)
    if failure.fault not in _ERRORS:
        raise ValueError(f"a failure of the kind {failure.fault!r} was announced")
    error = _ERRORS[failure.fault](failure.explanation)
    error.stage = failure.stage or ""
    return error


def _read(message: Message, kind: type[T]) -> T:
    return _FORM.read(kind, dict(message.fields))


_COLLECTORS: dict[type[Request], Callable[[str], Collector]] = {
    CaptureRequest: CaptureCollector,
    OpenRequest: OpenCollector,
    TimeRequest: TimingCollector,
    OutlineRequest: AnswerCollector,
    ProposeRequest: AnswerCollector,
    EnvironmentRequest: AnswerCollector,
}
"""By the request whose answers they take; all other requests are for experiments."""


def collector_for(request: Request) -> Collector:
    """The collector that understands the answers to a request."""
    make = _COLLECTORS.get(type(request))
    if make is None:
        from jaxscope.client.experiment_collectors import EXPERIMENTS  # most runs are none

        make = EXPERIMENTS[type(request)]
    return make(getattr(request, "call", None) or "")
