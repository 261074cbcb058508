"""Answer a `compile_time` request: where the time of tracing, lowering and compiling a call went.

Tracing and lowering are Python: a thread looks at the stack every millisecond, and the time since
its last look counts for what it finds. XLA's own recorder says what the compiler did. Each part is
within one that was measured on the wall; what is left of that one is a part of its own.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import itertools
import math
import sys
import sysconfig
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

import jax
import numpy as np

from jaxscope.errors import PACKAGE_FOLDER
from jaxscope.late_dataclass import dataclass
from jaxscope.model.experiments import REST, CompileLine, CompileSpan
from jaxscope.model.said import TOGETHER, say, say_joined
from jaxscope.model.units import file_name, format_seconds
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.checks.subject import CheckedCall
from jaxscope.worker.checks.unrolled_loops import find_unrolled_loops
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.call import Call
from jaxscope.worker.provenance.traced_program import trace_call
from jaxscope.worker.stages.call_loader import load_call
from jaxscope.worker.stages.passes import MAX_SPANS, Opened, Span, nest_spans
from jaxscope.worker.targets.environment import describe_environment
from jaxscope.worker.targets.lowering import lower_for_target
from jaxscope.worker.timing.stages_and_transfers import start_jax
from jaxscope.worker.timing.stopwatch import Stopwatch

_PERIOD_S = 0.001
_SWITCH_S = 0.0005
_LEAST_SHARE = 0.002
"""Parts of less than this of the whole are joined."""
_MOST_PARTS = 40
_MOST_DEPTH = 12
_MAX_LINES = 200
_JAX_ITSELF = say("JAX itself")
_PACKAGES = tuple(f"{folder}/" for folder in (PACKAGE_FOLDER, *jax.__path__, *np.__path__))
_STANDARD = f"{sysconfig.get_paths()['stdlib']}/"
_IN_WORDS = {
    "TaskDispatcher::dispatch": say("LLVM: machine code of a part"),
    "FusionCompiler::Compile": say("MLIR and LLVM IR of a kernel"),
    "ThunkEmitter::EmitEntryComputation": say("emitting kernels"),
    "ThunkEmitter::ConsumeKernels": say("collecting kernels"),
    "JitCompiler::Compile": say("waiting for machine code"),
    "CpuCompiler::RunBackend": say("XLA's backend"),
    "CpuCompiler::CompileCpuExecutable": say("code of the program"),
    "PjRtCpuClient::Compile": say("XLA"),
    "CompileCpuExecutable": say("XLA"),
    "backend_compile_and_load": say("JAX and XLA"),
}
_FOLDING = frozenset({"constant_folding", "constant-folding"})
_MUCH_FOLDING = 0.1
_MANY_OF = 0.5

Place = tuple[str, int, str]
"""File, line and function."""
Stack = tuple[Place, ...]
"""The outermost first."""


@dataclass(slots=True, eq=False)
class TimePart:
    """A part of the time, with those that it is made of."""

    name: str
    kind: str
    seconds: float
    file: str = ""
    line: int = 0
    count: int = 1
    parts: list[TimePart] = dataclasses.field(default_factory=list)


class StackSampler:
    """Looks at what a thread is at every millisecond, while it is entered.

    Attributes:
        found: Seconds by stack, and those before the first look and after the last one.
        count: How often it looked.
    """

    def __init__(self, read: Callable[[FrameType], Stack]) -> None:
        self.found: dict[Stack, float] = {}
        self.seconds = 0.0
        self.count = 0
        self._read = read
        self._is_over = threading.Event()

    def __enter__(self) -> StackSampler:
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_S)  # else the thread waits its turn for five milliseconds
        self._watched = threading.get_ident()
        self._thread = threading.Thread(target=self._run, name="jaxscope sampler", daemon=True)
        self._began = self._last = time.perf_counter()
        self._end = math.inf
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._end = time.perf_counter()
        self._is_over.set()
        self._thread.join()
        # A look that was under way may be later: the whole is no less than what was found.
        self.seconds = max(self._end, self._last) - self._began
        sys.setswitchinterval(self._interval)

    def _run(self) -> None:
        while not self._is_over.wait(_PERIOD_S):
            frame = sys._current_frames().get(self._watched)
            now = time.perf_counter()
            if frame is None or now > self._end:
                return
            stack = self._read(frame)
            self.found[stack] = self.found.get(stack, 0.0) + now - self._last
            self._last = now
            self.count += 1


@functools.cache
def _is_of_user(file: str) -> bool:
    """Whether a file is none of JAX's, of Python's, or of what JAX itself calls."""
    is_of_python = file.startswith((_STANDARD, "<frozen")) and "site-packages" not in file
    return not (is_of_python or file.startswith(_PACKAGES))


def read_user_stack(frame: FrameType | None) -> Stack:
    """The frames that are no part of JAX or of this package."""
    found: list[Place] = []
    while frame is not None:
        code = frame.f_code
        if _is_of_user(code.co_filename):
            line = frame.f_lineno or code.co_firstlineno  # none between two lines
            found.append((code.co_filename, line, code.co_name))
        elif code.co_name == handle_compile_time.__name__:
            break
        frame = frame.f_back
    return tuple(reversed(found))


def read_lowered_line(frame: FrameType | None) -> Stack:
    """The line of the innermost equation that JAX is lowering."""
    while frame is not None:
        if frame.f_code.co_name == "jaxpr_subcomp":
            equation = frame.f_locals.get("eqn")
            place = None if equation is None else compat.user_place(equation)
            return () if place is None else ((*place, ""),)
        frame = frame.f_back
    return ()


def handle_compile_time(request: dict[str, Any], channel: Channel) -> None:
    """Trace, lower and compile a call once, and send where the time went.

    Raises:
        JaxscopeError: The file or the call is wrong.
    """
    snapshot, call = load_call(request, channel)
    with jax.disable_jit(False):
        _find(request, channel, snapshot.path, call)


def _find(request: dict[str, Any], channel: Channel, path: str, call: Call) -> None:
    files = {path}
    channel.send("timed", {"call": call.text, "environment": describe_environment()})
    start_jax(Stopwatch(jax.block_until_ready))
    composed = call.compose(call.base)
    jitted = composed if compat.is_jitted(composed) else jax.jit(composed)
    jax.clear_caches()  # type: ignore[no-untyped-call] # JAX does not annotate it
    channel.progress("trace", say("Tracing, with a look at the stack every millisecond"))
    with guard("trace", files, call=call.text), StackSampler(read_user_stack) as tracing:
        traced = compat.trace_jitted(jitted, call.args, call.kwargs)
    channel.progress("lower", "Lowering")
    with guard("lower", files, call=call.text), StackSampler(read_lowered_line) as lowering:
        lowered = lower_for_target(traced, str(request.get("target") or "cpu"), channel)
    channel.progress("compile", say("Compiling under XLA's recorder"))
    with guard("compile", files, call=call.text):
        compiling, spans, problem = _compile(lowered)
    if problem:
        channel.send("warning", {"text": problem})
    whole = tracing.seconds + lowering.seconds + compiling
    stages = [
        _part_of_stacks("trace", tracing),
        _part_of_stacks("lower", lowering),
        _part_of_spans(compiling, spans),
    ]
    counts = count_equations(traced.jaxpr)
    channel.progress("advice", say("Looking for what could be avoided"))
    fields = {
        "spans": [dataclasses.asdict(span) for span in flatten(stages, whole)],
        "lines": [dataclasses.asdict(line) for line in _lines(tracing, lowering, counts)],
        "num_equations": sum(counts.values()),
        "num_looks": tracing.count + lowering.count,
        "advice": [*_advise_loops(call), *advise_folding(stages[2], traced.jaxpr, compiling)],
    }
    channel.send("compile_time", fields)


def _compile(lowered: Any) -> tuple[float, list[Span], str]:
    """Seconds, what XLA's recorder noted, and why it noted nothing."""
    recording, problem = None, ""
    try:
        recording = compat.start_recording(level=1)
    except Exception as error:  # only one recorder at a time: the program may have its own
        kind = type(error).__name__
        problem = say("XLA's recorder could not start ({kind}).", kind=kind)
    with compat.without_persistent_cache():
        start = time.perf_counter()
        try:
            lowered.compile()
        finally:
            seconds = time.perf_counter() - start
            trace = recording.stop() if recording is not None else b""
    found = itertools.starmap(Span, compat.recorded_spans(trace)) if trace else ()
    spans = list(itertools.islice(found, MAX_SPANS + 1))
    if len(spans) > MAX_SPANS:
        return seconds, [], say("XLA's recorder noted more than {num:,} spans.", num=MAX_SPANS)
    return seconds, spans, problem


def _part_of_stacks(name: str, sampler: StackSampler) -> TimePart:
    """A stage by the lines that were at work in it."""
    whole = TimePart(name, "stage", sampler.seconds)
    for stack, seconds in sampler.found.items():
        inside = whole
        for file, line, function in stack[-_MOST_DEPTH:]:
            inside = _child(inside, _name_line(function, line), file, line)
            inside.seconds += seconds
        if not stack:
            _child(whole, _JAX_ITSELF, "", 0).seconds += seconds
    return whole


def _name_line(function: str, line: int) -> str:
    if function:
        return say("{name} line {line}", name=function, line=line)
    return say("line {line}", line=line)


def _child(part: TimePart, name: str, file: str, line: int) -> TimePart:
    for each in part.parts:
        if (each.name, each.file, each.line) == (name, file, line):
            return each
    part.parts.append(TimePart(name, "line" if file else REST, 0.0, file, line))
    return part.parts[-1]


def _part_of_spans(seconds: float, spans: Sequence[Span]) -> TimePart:
    """The compilation by what XLA's recorder noted on the thread that compiled.

    What a span there does not hold, while other threads are at work, is theirs.
    """
    whole = TimePart("compile", "stage", seconds)
    opened = [node for node in nest_spans(spans) if node.is_outermost]
    if not opened:
        return whole
    # Python's own thread, or one that it waits for: that in which there are parts of something.
    root = max(opened, key=lambda node: (_inside_ns(node), node.span.duration_ns))
    others = _Activity(
        node
        for node in opened
        if node.span.line != root.span.line
        and not node.span.line.endswith("/python")
        and _meets(node, root)
    )
    whole.parts.append(_part_of(root, others, 0))
    # The recorder's clock and ours may differ by its own cost.
    whole.parts[0].seconds = min(whole.parts[0].seconds, seconds)
    return whole


def _inside_ns(node: Opened) -> float:
    return math.fsum(inner.span.duration_ns for inner in node.inside)


def _meets(node: Opened, root: Opened) -> bool:
    return node.span.start_ns < root.span.end_ns and node.span.end_ns > root.span.start_ns


def _part_of(node: Opened, others: _Activity, depth: int) -> TimePart:
    name = node.span.name.partition(" (jit_")[0]
    part = TimePart(_IN_WORDS.get(name, name), "pass", node.span.duration_ns * 1e-9)
    at = node.span.start_ns
    ends = [(inner.span.start_ns, inner.span.end_ns) for inner in node.inside]
    for begin, end in [*ends, (node.span.end_ns, node.span.end_ns)]:
        for told, seconds in others.between(at, begin):
            theirs = say("other threads: {name}", name=_IN_WORDS.get(told, told))
            known = _child(part, theirs, "", 0)
            known.kind, known.seconds = "threads", known.seconds + seconds
        at = max(at, end)
    if depth < _MOST_DEPTH:
        for inner in node.inside:
            _join(part, _part_of(inner, others, depth + 1))
    return part


def _join(part: TimePart, added: TimePart) -> None:
    """Add a part; one of the same name takes it in."""
    for each in part.parts:
        if (each.name, each.kind) == (added.name, added.kind):
            each.seconds += added.seconds
            each.count += added.count
            for inner in added.parts:
                _join(each, inner)
            return
    part.parts.append(added)


class _Activity:
    """What other threads did at each time; where several are at work, each counts for its share."""

    def __init__(self, nodes: Iterable[Opened]) -> None:
        changes: list[tuple[float, int, str]] = []
        for node in nodes:
            changes += [(node.span.start_ns, 1, node.span.name)]
            changes += [(node.span.end_ns, -1, node.span.name)]
        changes.sort(key=lambda change: change[:2])
        self._times: list[float] = []
        self._active: list[dict[str, int]] = []
        now: Counter[str] = Counter()
        for at, change, name in changes:
            now[name] += change
            if self._times and self._times[-1] == at:
                self._active[-1] = dict(+now)
            else:
                self._times.append(at)
                self._active.append(dict(+now))

    def between(self, start: float, end: float) -> Iterator[tuple[str, float]]:
        """Names and seconds."""
        place = max(bisect.bisect_right(self._times, start) - 1, 0)
        while place < len(self._times) and self._times[place] < end:
            until = self._times[place + 1] if place + 1 < len(self._times) else end
            seconds = (min(until, end) - max(self._times[place], start)) * 1e-9
            active = self._active[place]
            total = sum(active.values())
            if seconds > 0:
                yield from ((name, seconds * n / total) for name, n in active.items())
            place += 1


def flatten(stages: Sequence[TimePart], whole: float) -> list[CompileSpan]:
    """Parts, each behind the one that it is in; what nothing in it explains is a part, too."""
    spans: list[CompileSpan] = []

    def add(part: TimePart, parent: int) -> None:
        name = part.name if len(part.name) <= 500 else part.name[:500]
        if part.count > 1:
            name = say(TOGETHER, first=name, then=f" ×{part.count:,}")
        spans.append(
            CompileSpan(name, part.kind, parent, part.seconds, part.file[:4000], part.line)
        )
        number = len(spans) - 1
        inner = sorted(part.parts, key=lambda each: -each.seconds)
        shown = [each for each in inner if each.seconds >= _LEAST_SHARE * whole][:_MOST_PARTS]
        for each in shown:
            add(each, number)
        small = inner[len(shown) :]
        if shown and len(small) == 1:
            add(small[0], number)
        elif shown and small:
            told = say("{num:,} smaller", num=len(small))
            spans.append(CompileSpan(told, REST, number, math.fsum(e.seconds for e in small)))
        rest = part.seconds - math.fsum(each.seconds for each in (inner if shown else ()))
        if shown and rest > 1e-9:
            spans.append(CompileSpan(say("not attributed"), REST, number, rest))

    for stage in stages:
        add(stage, -1)
    return spans


def count_equations(jaxpr: Any) -> Counter[tuple[str, int]]:
    """Equations, nested ones included, by the line that made them; `("", 0)` where none is known.

    What a function of JAX's own does, as `jnp.median`, is made by the line that calls it. A jaxpr
    that several equations hold is lowered once and counted once, for the first.
    """
    counts: Counter[tuple[str, int]] = Counter()
    seen: set[int] = set()
    waiting = [(compat.open_jaxpr(jaxpr), ("", 0))]
    for inner, around in waiting:  # grows while it is read
        if id(inner) in seen:
            continue
        seen.add(id(inner))
        for equation in inner.eqns:
            place = compat.user_place(equation) or around
            counts[place] += 1
            for value in equation.params.values():
                held = value if isinstance(value, tuple | list) else (value,)
                nested = map(compat.open_jaxpr, filter(compat.is_jaxpr, held))
                waiting += [(each, place) for each in nested]
    return counts


def _lines(
    tracing: StackSampler, lowering: StackSampler, counts: Mapping[tuple[str, int], int]
) -> list[CompileLine]:
    """What each line took while it was the innermost one."""
    traced, lowered = (_by_innermost(sampler.found) for sampler in (tracing, lowering))
    places = {*traced, *lowered, *counts} - {("", 0)}
    lines = [
        CompileLine(*place, traced.get(place, 0.0), lowered.get(place, 0.0), counts.get(place, 0))
        for place in places
    ]
    lines.sort(key=lambda each: (-(each.trace + each.lower), -each.equations, each.file, each.line))
    return lines[:_MAX_LINES]


def _by_innermost(found: Mapping[Stack, float]) -> dict[tuple[str, int], float]:
    sums: dict[tuple[str, int], float] = {}
    for stack, seconds in found.items():
        if stack:
            sums[stack[-1][:2]] = sums.get(stack[-1][:2], 0.0) + seconds
    return sums


def _advise_loops(call: Call) -> list[str]:
    """Loops that were unrolled, as the check of that name tells them."""
    try:
        found = list(find_unrolled_loops(CheckedCall(call, trace_call(call))))
    except Exception:  # what this cannot trace costs the advice, never the times
        return []
    return [f"{each.message} {each.remedy}" for each in found]


def advise_folding(compiling: TimePart, jaxpr: Any, seconds: float) -> list[str]:
    """What XLA computed while it compiled, where that took a tenth of the time or more."""
    folding = math.fsum(_seconds_of(compiling, _FOLDING))
    if folding < _MUCH_FOLDING * seconds:
        return []
    sizes = find_constant_work(jaxpr)
    told = say(
        "XLA took {folding} of the {seconds} of compiling to compute constants (its pass "
        "constant_folding).",
        folding=format_seconds(folding),
        seconds=format_seconds(seconds),
    )
    if not sizes:
        none = say("No equation of this program has only constants as operands.")
        return [say_joined((told, none))]
    (file, line), largest = sizes.most_common(1)[0]
    share = largest / sum(sizes.values())
    advice = say(
        "Line {line} of {file} makes {most} what depends on no argument. Compute it once outside "
        "of the function with NumPy and pass it as an argument.",
        line=line,
        file=file_name(file),
        most=say("most of") if share >= _MANY_OF else say("more than any other line of"),
    )
    return [say_joined((told, advice))]


def _seconds_of(part: TimePart, names: frozenset[str]) -> Iterator[float]:
    if part.name in names:
        yield part.seconds
    else:
        for each in part.parts:
            yield from _seconds_of(each, names)


def find_constant_work(jaxpr: Any) -> Counter[tuple[str, int]]:
    """Elements that equations make whose operands depend on no argument, by line."""
    sizes: Counter[tuple[str, int]] = Counter()

    def visit(value: Any, is_known: Sequence[bool]) -> list[bool]:
        inner = compat.open_jaxpr(value)
        known = {id(v) for v, is_one in zip(inner.invars, is_known, strict=True) if is_one}
        known |= {id(variable) for variable in inner.constvars}
        for equation in inner.eqns:
            operands = [compat.is_literal(v) or id(v) in known for v in equation.invars]
            held = equation.params.get("jaxpr")
            if equation.primitive.name in ("jit", "pjit") and compat.is_jaxpr(held):
                outputs = visit(held, operands)
                known |= {id(v) for v, is_one in zip(equation.outvars, outputs, strict=True)
                          if is_one}  # fmt: skip
            elif all(operands) and not equation.effects:
                known |= {id(variable) for variable in equation.outvars}
                place = compat.user_place(equation)
                if place is not None:
                    sizes[place] += sum(math.prod(v.aval.shape) for v in equation.outvars)
        return [compat.is_literal(v) or id(v) in known for v in inner.outvars]

    visit(jaxpr, [False] * len(compat.open_jaxpr(jaxpr).invars))
    return sizes
