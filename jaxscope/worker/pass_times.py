"""How long each of XLA's passes takes, in the compilation whose result is shown.

XLA's own recorder notes every pass and every pipeline of passes by name; the recording stays in
memory. The compilation that writes a module after each pass would measure the writing, so it is
the other one that is timed, and what both did is matched here: by pipelines, in their order, and
within each by the passes' order. What does not match is unknown.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ParamSpec, TypeVar

from jaxscope.worker import compat

P = ParamSpec("P")
T = TypeVar("T")

MAX_SPANS = 400_000
NOT_RECORDED = "XLA's recorder noted no passes"
_START = "pipeline-start"
_END = "pipeline-end"
_CHECKERS = "RunInvariantCheckers"
_UNSAFE = re.compile(r"[/\\\[\] ]")
_OF_MODULE = re.compile(r" \([^()]*\)$")


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """Something that XLA did, by the name that it gives it."""

    line: str
    name: str
    start_ns: float
    duration_ns: float


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """A module that XLA wrote down: after which pass of which pipeline, before which."""

    pipeline: str
    name: str
    next: str = ""


@dataclasses.dataclass(eq=False, slots=True)
class _Opened:
    """A span with those directly inside of it."""

    span: Span
    inside: list[_Opened] = dataclasses.field(default_factory=list)


class PassWatch:
    """Records one compilation, if it is asked to.

    Attributes:
        is_wanted: Whether it is.
        reason: Why nothing was recorded; empty where something was.
    """

    def __init__(self, is_wanted: bool) -> None:
        self.is_wanted = is_wanted
        self._spans: list[Span] = []
        self.reason = ""

    def around(self, compilation: Callable[P, T]) -> Callable[P, T]:
        """A compilation that is recorded; that it cannot be never keeps it from running."""
        return functools.partial(self._run, compilation) if self.is_wanted else compilation

    def _run(self, compilation: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        recording = self._start()
        try:
            return compilation(*args, **kwargs)
        finally:
            if recording is not None:
                self._read(recording)

    def seconds_of(self, steps: Sequence[Step]) -> list[float]:
        """Seconds of the pass before each module that XLA wrote; NaN where unknown."""
        found = match_seconds(steps, self._spans)
        if not self.reason and all(math.isnan(seconds) for seconds in found):
            self.reason = f"{NOT_RECORDED}."
        return found

    def _start(self) -> Any:
        try:
            return compat.start_recording(level=1)
        except Exception as error:  # only one recorder at a time: the program may have its own
            self.reason = f"{NOT_RECORDED}: it could not start ({type(error).__name__})."
            return None

    def _read(self, recording: Any) -> None:
        try:
            for line, name, start_ns, duration_ns in compat.recorded_spans(recording.stop()):
                if len(self._spans) >= MAX_SPANS:
                    self._spans.clear()
                    self.reason = f"The passes' times are too many: more than {MAX_SPANS:,}."
                    return
                self._spans.append(Span(line, name, start_ns, duration_ns))
        except Exception as error:  # costs the times, never the capture
            self.reason = f"{NOT_RECORDED}: it failed ({type(error).__name__})."


def match_seconds(steps: Sequence[Step], spans: Iterable[Span]) -> list[float]:
    """Find the seconds of each pass among what a recorder noted.

    A pipeline that was recorded more or less often than it was written down is left unknown, and
    so is a pass that does not stand where its neighbours say.
    """
    runs = _pipelines(_nest(spans), {_safe(step.pipeline) for step in steps})
    written: dict[str, int] = {}
    for step in steps:
        if step.name == _START:
            name = _safe(step.pipeline)
            written[name] = written.get(name, 0) + 1
    known = {name for name, count in written.items() if len(runs.get(name, ())) == count}
    current: dict[str, int] = {}
    places: dict[str, int] = {}
    found: list[float] = []
    for step in steps:
        name = _safe(step.pipeline)
        if step.name == _START:
            current[name] = current.get(name, -1) + 1
            places[name] = 0
        if name not in known or step.name == _START or name not in current:
            found.append(math.nan)
            continue
        passes = runs[name][current[name]]
        place = _find(passes, places[name], step)
        found.append(math.nan if place < 0 else passes[place].duration_ns * 1e-9)
        places[name] = place + 1 if place >= 0 else places[name]
    return found


def _find(passes: Sequence[Span], first: int, step: Step) -> int:
    """Place of the pass in its pipeline, or -1."""
    for place in range(first, len(passes)):
        if _safe(passes[place].name) != _safe(step.name):
            continue
        follower = passes[place + 1].name if place + 1 < len(passes) else _END
        if not step.next or _safe(follower) == _safe(step.next):
            return place
    return -1


def _nest(spans: Iterable[Span]) -> list[_Opened]:
    """Every span with what is directly inside of it on its own line, outer ones first."""
    ordered = sorted(spans, key=lambda span: (span.line, span.start_ns, -span.duration_ns))
    around: list[_Opened] = []
    opened: list[_Opened] = []
    for span in ordered:
        while around and not _holds(around[-1].span, span):
            around.pop()
        node = _Opened(span)
        if around:
            around[-1].inside.append(node)
        around.append(node)
        opened.append(node)
    return opened


def _holds(outer: Span, inner: Span) -> bool:
    end = outer.start_ns + outer.duration_ns
    return outer.line == inner.line and inner.start_ns + inner.duration_ns <= end


def _pipelines(opened: Iterable[_Opened], wanted: set[str]) -> dict[str, list[list[Span]]]:
    """The passes of each run of each wanted pipeline.

    A pipeline that repeats its passes stands around its runs under the same name.
    """
    runs: dict[str, list[list[Span]]] = {}
    for node in opened:
        name = _base(node.span.name)
        if name in wanted and not any(_base(inner.span.name) == name for inner in node.inside):
            passes = [inner.span for inner in node.inside if inner.span.name != _CHECKERS]
            if passes:
                runs.setdefault(name, []).append(passes)
    return runs


def _base(name: str) -> str:
    return _safe(_OF_MODULE.sub("", name))


def _safe(name: str) -> str:
    """As XLA has it in the names of files."""
    return _UNSAFE.sub("_", name)
