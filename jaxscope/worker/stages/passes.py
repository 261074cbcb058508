"""Record XLA's passes: the module after each, from a second compilation, and the seconds of each,
from the first.

XLA writes one file per pass that changed something; each is sent and removed as soon as the next
one is there. The compilation whose result is shown runs under XLA's own recorder, which names
passes and pipelines; both are matched by pipelines in their order and by the passes' order within
each. What does not match is unknown. Whatever goes wrong costs the passes and nothing else.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.protobuf import BYTES, read_fields
from jaxscope.model.said import say
from jaxscope.wire.job_files import MODULE_ENDING
from jaxscope.wire.scratch import make_scratch, remove_stale_scratch
from jaxscope.worker.channel import Channel
from jaxscope.worker.stages.background import Background
from jaxscope.worker.stages.hlo_cost import UNKNOWN, Costs, array_of_module, module_cost
from jaxscope.worker.stages.machine_code import compile_with

P = ParamSpec("P")
T = TypeVar("T")

MAX_SPANS = 400_000
NOT_RECORDED = "XLA's recorder noted no passes"
_START = "pipeline-start"
_END = "pipeline-end"
_CHECKERS = "RunInvariantCheckers"
_UNSAFE = re.compile(r"[/\\\[\] ]")
_OF_MODULE = re.compile(r" \([^()]*\)$")


@dataclass(frozen=True, slots=True)
class Span:
    """Something that XLA did, by the name that it gives it."""

    line: str
    name: str
    start_ns: float
    duration_ns: float

    @property
    def end_ns(self) -> float:
        return self.start_ns + self.duration_ns


@dataclass(frozen=True, slots=True)
class DumpedModule:
    """A module that XLA wrote down: after which pass of which pipeline, before which."""

    pipeline: str
    name: str
    next: str = ""


@dataclass(eq=False, slots=True)
class Opened:
    """A span with those directly inside of it."""

    span: Span
    inside: list[Opened] = dataclasses.field(default_factory=list)
    is_outermost: bool = True


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

    def seconds_of(self, steps: Sequence[DumpedModule]) -> list[float]:
        """Seconds of the pass before each module that XLA wrote; NaN where unknown."""
        found = match_seconds(steps, self._spans)
        if not self.reason and all(math.isnan(seconds) for seconds in found):
            self.reason = f"{NOT_RECORDED}."
        return found

    def _start(self) -> Any:
        from jaxscope.worker import compat  # files are opened where JAX is missing, too

        try:
            return compat.start_recording(level=1)
        except Exception as error:  # only one recorder at a time: the program may have its own
            self.reason = say(
                "{not_recorded}: it could not start ({name}).",
                not_recorded=NOT_RECORDED,
                name=type(error).__name__,
            )
            return None

    def _read(self, recording: Any) -> None:
        from jaxscope.worker import compat  # as above

        try:
            for line, name, start_ns, duration_ns in compat.recorded_spans(recording.stop()):
                if len(self._spans) >= MAX_SPANS:
                    self._spans.clear()
                    self.reason = say(
                        "The passes' times are too many: more than {max_spans:,}.",
                        max_spans=MAX_SPANS,
                    )
                    return
                self._spans.append(Span(line, name, start_ns, duration_ns))
        except Exception as error:  # costs the times, never the capture
            self.reason = say(
                "{not_recorded}: it failed ({name}).",
                not_recorded=NOT_RECORDED,
                name=type(error).__name__,
            )


def match_seconds(steps: Sequence[DumpedModule], spans: Iterable[Span]) -> list[float]:
    """Find the seconds of each pass among what a recorder noted.

    A pipeline that was recorded more or less often than it was written down is left unknown, and
    so is a pass that does not stand where its neighbours say.
    """
    runs = _pipelines(nest_spans(spans), {_safe(step.pipeline) for step in steps})
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


def _find(passes: Sequence[Span], first: int, step: DumpedModule) -> int:
    """Place of the pass in its pipeline, or -1."""
    for place in range(first, len(passes)):
        if _safe(passes[place].name) != _safe(step.name):
            continue
        follower = passes[place + 1].name if place + 1 < len(passes) else _END
        if not step.next or _safe(follower) == _safe(step.next):
            return place
    return -1


def nest_spans(spans: Iterable[Span]) -> list[Opened]:
    """Every span with what is directly inside of it on its own line, outer ones first."""
    ordered = sorted(spans, key=lambda span: (span.line, span.start_ns, -span.duration_ns))
    around: list[Opened] = []
    opened: list[Opened] = []
    for span in ordered:
        while around and not _holds(around[-1].span, span):
            around.pop()
        node = Opened(span, is_outermost=not around)
        if around:
            around[-1].inside.append(node)
        around.append(node)
        opened.append(node)
    return opened


def _holds(outer: Span, inner: Span) -> bool:
    return outer.line == inner.line and inner.end_ns <= outer.end_ns


def _pipelines(opened: Iterable[Opened], wanted: set[str]) -> dict[str, list[list[Span]]]:
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


MAX_PASSES = 2000
MAX_TOTAL_BYTES = 1 << 30
"""Modules of one compilation together; what comes after is left out, and said to be."""

_MAX_MODULE_BYTES = 256 << 20
_COST_BUDGET_S = 5.0
_POLL_S = 0.02
_FILE = re.compile(
    r"module_(?P<module>\d+)\..*?\.(?P<number>\d{4,})\.(?P<pipeline>.+?)"
    r"\.after_(?P<name>.+?)(?:\.before_(?P<next>.+))?\.hlo\.pb"
)
_FIRST = re.compile(r"module_(?P<module>\d+)\..*\.before_optimizations\.hlo\.pb")
_LAST = re.compile(r"module_(?P<module>\d+)\..*after_optimizations\.hlo\.pb")
_HLO_MODULE = 1  # field of xla.HloProto
_BEFORE = -1
"""Stands for the number of the module as XLA received it."""
_AFTER = 1 << 40
"""Stands for the number of the module as XLA compiled it: the one whose order is fixed."""
AFTER_NAME = "after_optimizations"


@dataclass(frozen=True, slots=True)
class PassFile:
    """A file of XLA's, by what its name says."""

    number: int
    pipeline: str
    name: str
    path: str
    next: str = ""


def send_passes(
    lowered: Any,
    channel: Channel,
    wanted: Mapping[str, str] | None = None,
    watch: PassWatch | None = None,
) -> None:
    """Compile a lowered program again and send every pass; ends with a message `passes_end`.

    Args:
        lowered: What to compile.
        channel: Where to.
        wanted: Options of XLA's that the person asked for.
        watch: What was recorded of the compilation of the same program before.
    """
    channel.progress("passes", say("Compiling once more, to record XLA's passes"))
    start = time.perf_counter()
    reason = None
    watch = watch or PassWatch(is_wanted=False)
    with _scratch() as folder:
        recorder = _PassSender(folder, channel)
        compilation = Background(lambda: compile_with(lowered, _options(folder), wanted))
        try:
            while not compilation.wait(_POLL_S):
                recorder.send_complete()
            compilation.result()
            recorder.send_complete(is_over=True)
            reason = recorder.reason
        except Exception as error:  # jaxlib's own error classes differ by release
            text = " ".join(str(error).split())[:300]
            reason = f"Compiling to record the passes failed: {type(error).__name__}: {text}"
    fields = {"seconds": time.perf_counter() - start, "reason": reason}
    times = watch.seconds_of(recorder.steps)
    fields["no_times"] = watch.reason or None
    channel.send("passes_end", fields, {"pass_seconds": np.array(times, np.float64)})


def name_passes(compile: Callable[[Mapping[str, Any]], Any]) -> list[str]:
    """Names of the passes that change a program, in order.

    Args:
        compile: Compiles it with options of XLA's.

    Raises:
        Exception: Whatever compiling raises.
    """
    with _scratch() as folder:
        compile(_options(folder))
        files = [match for name in os.listdir(folder) if (match := _FILE.fullmatch(name))]
    names = [file["name"] for file in sorted(files, key=lambda file: int(file["number"]))]
    return [name for name in names if name not in ("pipeline-start", "pipeline-end")]


def _options(folder: str) -> dict[str, Any]:
    return {
        "xla_dump_to": folder,
        "xla_dump_hlo_pass_re": ".*",
        "xla_dump_hlo_as_proto": True,
        "xla_dump_hlo_as_text": False,
    }


@contextlib.contextmanager
def _scratch() -> Iterator[str]:
    remove_stale_scratch()
    folder = make_scratch()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


WENT_ON = say(
    "XLA's compiler went on with a copy of the module, as that for TPUs may; "
    "what its passes did to the copy is not recorded."
)


class _PassSender:
    """Sends what XLA has written so far, in the order of the passes.

    Attributes:
        reason: Why some passes are missing, or None.
        steps: What was sent, in order.
    """

    def __init__(self, folder: str, channel: Channel) -> None:
        self.steps: list[DumpedModule] = []
        self._folder = folder
        self._channel = channel
        self._module: str | None = None
        self._went_on = False
        self._sent = 0
        self._total_bytes = 0
        self._cost_deadline_s = _COST_BUDGET_S
        self.reason: str | None = None

    def send_complete(self, *, is_over: bool = False) -> None:
        """Send the files that are complete: all but the last, or all once XLA is done."""
        files = sorted(self._list(), key=lambda file: file.number)
        for file in files if is_over else files[:-1]:
            self._send(file)
        is_whole = any(step.name == AFTER_NAME for step in self.steps)
        if is_over and self._went_on and not is_whole:
            self.reason = self.reason or WENT_ON

    def _list(self) -> Iterator[PassFile]:
        """The passes' files; every other one is removed as it is met."""
        with os.scandir(self._folder) as entries:
            names = sorted(entry.name for entry in entries)
        for name in names:
            path = os.path.join(self._folder, name)
            first, later = _FIRST.fullmatch(name), _FILE.fullmatch(name)
            match = first or later or _LAST.fullmatch(name)
            if match is None:
                _remove(path)
                continue
            # A GPU compiles small modules beside the program, to choose among kernels.
            self._module = self._module or match["module"]
            if match["module"] != self._module:
                self._went_on |= _LAST.fullmatch(name) is not None
                _remove(path)
            elif later is not None:
                pipeline, after = later["pipeline"], later["name"]
                yield PassFile(int(later["number"]), pipeline, after, path, later["next"] or "")
            elif first is not None:
                yield PassFile(_BEFORE, "", "", path)
            else:
                yield PassFile(_AFTER, "", AFTER_NAME, path)

    def _send(self, file: PassFile) -> None:
        try:
            size = os.path.getsize(file.path)
            if self._is_too_much(size):
                return
            with open(file.path, "rb") as opened:
                data = opened.read()
        except OSError as error:
            self.reason = say(
                "A pass could not be read: {error}.", error=str(error.strerror or error)
            )
            return
        finally:
            _remove(file.path)
        try:
            proto = module_of(data)
        except ValueError:
            self.reason = say("XLA wrote a module that cannot be read.")
            return
        self._sent += 1
        self.steps.append(DumpedModule(file.pipeline, file.name, file.next))
        self._total_bytes += size
        fields = {
            "pipeline": file.pipeline,
            "name": file.name,
            "cost": list(self._cost(proto)),
            "number": file.number if 0 <= file.number < _AFTER else None,
        }
        self._channel.send("pass", fields, {"proto": array_of_module(proto)})

    def _is_too_much(self, size: int) -> bool:
        if self._sent >= MAX_PASSES:
            self.reason = say(
                "Only the first {max_passes} passes were recorded.", max_passes=MAX_PASSES
            )
        elif size > _MAX_MODULE_BYTES or self._total_bytes + size > MAX_TOTAL_BYTES:
            self.reason = say(
                "The modules are too large; {sent} passes were recorded.", sent=self._sent
            )
        else:
            return False
        return True

    def _cost(self, proto: bytes) -> Costs:
        if self._cost_deadline_s <= 0:
            return UNKNOWN
        from jaxscope.worker import compat  # as above

        start = time.thread_time()
        cost = module_cost(compat.cpu_client(), proto)
        self._cost_deadline_s -= time.thread_time() - start
        return cost


def dumped_pass(name: str) -> PassFile | None:
    """The pass that a file of a dump is of, proto or text, by its name; or None."""
    found = _FILE.fullmatch(MODULE_ENDING.sub(".hlo.pb", name.partition(".module_")[2] or name))
    if found is None:
        return None
    return PassFile(
        int(found["number"]), found["pipeline"], found["name"], name, found["next"] or ""
    )


def find_gaps(files: Sequence[PassFile]) -> set[int]:
    """Which files of a dump, by their place, may hold changes of passes before their own.

    XLA writes what each pass changed, and each pipeline as it starts. Asked for some passes, by
    `xla_dump_hlo_pass_re`, it writes what is right before and after them, and no other start.
    """
    begins_with_start: dict[str, bool] = {}
    for file in files:
        if file.next:  # copies are inserted in steps, which are written without
            begins_with_start.setdefault(file.pipeline, file.name == _START)
    if all(begins_with_start.values()):
        return set()
    before = [None, *files]
    return {
        number
        for number, file in enumerate(files)
        if file.name != _START and not _follows(before[number], file)
    }


def _follows(before: PassFile | None, file: PassFile) -> bool:
    """Whether no pass is between two files of a dump."""
    if before is None:
        return False
    if not before.next:
        return before.pipeline in (file.pipeline, file.name)
    return before.next == (file.name if file.next else file.pipeline)


def module_of(hlo_proto: bytes) -> bytes:
    """The `HloModuleProto` in a serialized `HloProto`.

    Raises:
        ValueError: There is none.
    """
    for number, key_start, value_start, end, _ in read_fields(hlo_proto):
        if number == _HLO_MODULE and hlo_proto[key_start] & 7 == BYTES:
            return hlo_proto[value_start:end]
    raise ValueError("no module")


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.remove(path)
