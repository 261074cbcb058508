"""Answer a `trace_lines` request: what Python did, line by line, while JAX traced a call.

The call is traced once more, as JAX does it alone and with JAX's caches empty, while each line of
the user's files is noted as it begins. An equation belongs to the line of the innermost function of
the user's that runs when JAX appends it to a jaxpr. Afterwards it is found in the program by its
variables; an equation that JAX copied into another jaxpr by the place where it was recorded.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import inspect
import itertools
import linecache
import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from types import CodeType, FrameType
from typing import Any

import jax

from jaxscope.errors import JaxscopeError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import CALL_FILE
from jaxscope.model.said import say
from jaxscope.model.units import shorten
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel, run_skippable
from jaxscope.worker.checks.effects import EffectWatch
from jaxscope.worker.checks.purity import PurityWatch
from jaxscope.worker.checks.subject import parse_file
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.faults.tracebacks import is_installed
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.values import aval_text
from jaxscope.worker.provenance.stand_in import InnerStages, jitted_body
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.provenance.traced_program import count_jits, jit_plainly, with_arguments
from jaxscope.worker.stages.call_loader import load_call
from jaxscope.worker.timing.conditions import describe_machine
from jaxscope.worker.timing.experiment import refuse_absent_target

_MAX_LINES = 20_000
_MAX_EQUATIONS = 100_000
_BUDGET_S = 60.0
_PER_MESSAGE = 1_000
_MAX_CHARACTERS = 120
_NUM_RERUNS = 2
_CAN_WAIT = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""Flags of code whose frame goes on after it has given something."""
_CALLING_BACK = re.compile("callback|debug_print")
_STOPPED = say("It was stopped.")
_TOO_LONG = say("It was ended: it ran for more than {budget_s:.0f} s.", budget_s=_BUDGET_S)


class _TooLong(BaseException):
    """Ends a trace that has no end; no Exception, which the user's code could catch."""


@dataclass(slots=True)
class _Equation:
    """What stays of an equation. It is not kept itself: JAX drops those that nobody holds."""

    line: int
    builder: int
    operation: str
    variables: tuple[Any, ...]
    source_info: Any


@dataclass(slots=True)
class _Line:
    """A line that began, or goes on; see `model.tracing.TracedLine`."""

    file: str
    line: int
    function: str
    depth: int
    frame: int
    is_resumed: bool
    builder: int
    effects: list[str] = dataclasses.field(default_factory=list)
    statement: str = ""
    outcome: str = ""
    round: int = 0
    num_rounds: int = 0


def _is_own(file: str) -> bool:
    return file == CALL_FILE or not (file.startswith("<") or is_installed(file))


class LineRecorder:
    """Notes the lines of the user's that run in this thread, and the equations that JAX records.

    Attributes:
        lines: In the order in which they ran.
        equations: In the order in which they were recorded.
        num_lines: That ran, those included that are not kept.
        builders: What builds each jaxpr, as long as this lives: they are known by their identity.
        is_replaced: Whether the user's code set a trace function of its own while it ran.
    """

    def __init__(self, most: int = _MAX_LINES, budget_s: float = _BUDGET_S) -> None:
        self._thread, self._most = threading.get_ident(), most
        self._deadline = time.monotonic() + budget_s
        self._frames: dict[int, int] = {}
        self._serials = itertools.count()
        self._builders: dict[int, int] = {}
        self._builder_of_frame: dict[int, int] = {}
        self.builders: list[Any] = []
        self.lines: list[_Line] = []
        self.equations: list[_Equation] = []
        self.num_lines = 0
        self.is_replaced = False

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Note what runs in the block."""
        watching = _monitoring if sys.version_info >= (3, 12) else _tracing
        with compat.watching_equations(self._on_equation), watching(self):
            yield

    def begin_function(self, frame: FrameType) -> None:
        """A function of the user's is called: its frame may lie where an earlier one lay."""
        if id(frame) not in self._frames or not frame.f_code.co_flags & _CAN_WAIT:
            self._frames[id(frame)] = next(self._serials)

    def begin_line(self, frame: FrameType) -> None:
        """A line of such a function begins."""
        if threading.get_ident() != self._thread:
            return
        if time.monotonic() > self._deadline:
            raise _TooLong
        self.num_lines += 1
        if not self.is_full:
            self._add(frame, is_resumed=False)

    def note_effect(self, name: str, frame: FrameType) -> None:
        """The line that a frame is at did something that is seen outside."""
        if threading.get_ident() == self._thread and not self.is_full:
            line = self._line_of(frame)
            if name not in line.effects:
                line.effects.append(name)

    @property
    def is_full(self) -> bool:
        """Whether no more is kept."""
        return len(self.lines) >= self._most or len(self.equations) >= _MAX_EQUATIONS

    def _on_equation(self, builder: Any, equation: Any) -> None:
        if threading.get_ident() != self._thread or self.is_full:
            return
        self._line_of(next(_own_frames(sys._getframe(2)), None))  # one that JAX called us for
        self.equations.append(
            _Equation(
                len(self.lines) - 1,
                self._number_of(builder),
                equation.primitive.name,
                tuple(equation.outvars),
                equation.source_info,
            )
        )

    def _line_of(self, frame: FrameType | None) -> _Line:
        """The line that a frame is at; another one if a different function was at work last."""
        serial = -1 if frame is None else self._frames.get(id(frame), -2)
        if not self.lines or self.lines[-1].frame != serial:
            self._add(frame, is_resumed=frame is not None)
        return self.lines[-1]

    def _add(self, frame: FrameType | None, *, is_resumed: bool) -> None:
        if frame is None:
            self.lines.append(_Line("", 0, "", 0, -1, False, -1))
            return
        code, depth = frame.f_code, sum(1 for _ in _own_frames(frame))
        serial = self._frames.setdefault(id(frame), -2)
        if is_resumed:  # JAX is at work inside of the line, with jaxprs of its own
            number = self._builder_of_frame.get(serial, -1)
        else:
            builder = compat.growing_jaxpr()
            number = -1 if builder is None else self._number_of(builder)
            self._builder_of_frame[serial] = number
        self.lines.append(
            _Line(code.co_filename, frame.f_lineno, code.co_name, depth, serial, is_resumed, number)
        )

    def _number_of(self, builder: Any) -> int:
        number = self._builders.setdefault(id(builder), len(self.builders))
        if number == len(self.builders):
            self.builders.append(builder)
        return number


def _own_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Functions of the user's from a frame outwards, up to what began to trace, which is here."""
    while frame is not None and frame.f_globals is not globals():
        if _is_own(frame.f_code.co_filename):
            yield frame
        frame = frame.f_back


@contextlib.contextmanager
def _tracing(recorder: LineRecorder) -> Iterator[None]:
    """Up to Python 3.11; a trace function of the user's goes on as if it were alone."""
    before: Any = sys.gettrace()

    def on_call(frame: FrameType, event: str, argument: Any) -> Any:
        inner = before(frame, event, argument) if before is not None else None
        if not _is_own(frame.f_code.co_filename):
            return inner
        recorder.begin_function(frame)

        def on_line(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal inner
            if event == "line":
                recorder.begin_line(frame)
            if inner is not None:
                inner = inner(frame, event, argument) or inner
            return on_line

        return on_line

    sys.settrace(on_call)
    try:
        yield
    finally:
        if sys.gettrace() is on_call:
            sys.settrace(before)
        else:
            recorder.is_replaced = True


@contextlib.contextmanager
def _monitoring(recorder: LineRecorder) -> Iterator[None]:
    """From Python 3.12 on; trace functions know nothing of it."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined] # of 3.12
    events, tool = monitoring.events, next(n for n in range(6) if monitoring.get_tool(n) is None)

    def on_start(code: CodeType, _offset: int) -> Any:
        if not _is_own(code.co_filename):
            return monitoring.DISABLE
        return recorder.begin_function(sys._getframe(1))

    def on_line(code: CodeType, _line: int) -> Any:
        if not _is_own(code.co_filename):
            return monitoring.DISABLE
        return recorder.begin_line(sys._getframe(1))

    def on_jump(code: CodeType, offset: int, destination: int) -> Any:
        if not _is_own(code.co_filename):
            return monitoring.DISABLE
        if destination < offset and _line_at(code, offset) == _line_at(code, destination):
            return recorder.begin_line(sys._getframe(1))  # another round within one line
        return None

    monitoring.use_tool_id(tool, "jaxscope")
    try:
        monitoring.register_callback(tool, events.PY_START, on_start)
        monitoring.register_callback(tool, events.LINE, on_line)
        monitoring.register_callback(tool, events.JUMP, on_jump)
        monitoring.restart_events()
        monitoring.set_events(tool, events.PY_START | events.LINE | events.JUMP)
        yield
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)


def _line_at(code: CodeType, offset: int) -> int | None:
    return next((line for begin, end, line in code.co_lines() if begin <= offset < end), None)


# What the lines are, when all of them have run.


def name_statements(lines: list[_Line], *, is_whole: bool) -> None:
    """Say which lines begin an `if` or a loop, which way Python went, and in which round it is.

    Args:
        is_whole: Whether the functions ended by themselves, so that what follows no more is over.
    """
    following: dict[int, int] = {}
    after = [-1] * len(lines)
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        if not line.is_resumed:
            after[number] = following.get(line.frame, -1)
            following[line.frame] = number
    rounds: dict[tuple[int, int], list[_Line]] = {}
    for number, line in enumerate(lines):
        node = None if line.is_resumed else _statements_of(line.file).get(line.line)
        if node is None:
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            line.statement = "def"
        elif isinstance(node, ast.Return):
            line.statement = "return"
        elif isinstance(node, ast.If):
            line.statement = "if"
            line.outcome = _way_taken(lines, after, number, node, is_whole=is_whole)
        elif isinstance(node, ast.For | ast.While):
            line.statement = "for" if isinstance(node, ast.For) else "while"
            way = _way_taken(lines, after, number, node, is_whole=is_whole)
            place = line.frame, line.line
            if way == "body":
                begun = rounds.setdefault(place, [])
                begun.append(line)
                line.outcome, line.round = "round", len(begun)
            elif way:
                begun = [*rounds.pop(place, ()), line]
                line.outcome, line.round = "over", len(begun) - 1
                for each in begun:
                    each.num_rounds = len(begun) - 1


def _way_taken(
    lines: list[_Line], after: list[int], number: int, node: Any, *, is_whole: bool
) -> str:
    """`body`, `else` or `past`; empty where that cannot be seen."""
    if node.body[0].lineno == node.lineno:
        return ""  # in one line
    head: Any = node.test if isinstance(node, ast.If | ast.While) else node.iter
    number = after[number]
    while number >= 0 and node.lineno < lines[number].line <= head.end_lineno:
        number = after[number]  # a condition of several lines
    if number < 0:
        return "past" if is_whole else ""
    line = lines[number].line
    if _first_line(node.body) <= line <= node.body[-1].end_lineno:
        return "body"
    if node.orelse and _first_line(node.orelse) <= line <= node.orelse[-1].end_lineno:
        return "else"
    return "past"


def _first_line(body: list[Any]) -> int:
    first = body[0]
    decorators = getattr(first, "decorator_list", None)
    return int(decorators[0].lineno if decorators else first.lineno)


def _statements_of(file: str) -> dict[int, ast.stmt]:
    """The statement that begins in each line of a file; the outermost, where there are several."""
    tree = parse_file(file)
    if tree is None:
        return {}
    found: dict[int, ast.stmt] = {}
    for node in ast.walk(tree):  # outermost first
        if isinstance(node, ast.stmt):
            found.setdefault(node.lineno, node)
        if isinstance(node, ast.If | ast.While):  # in parentheses it runs from its first condition
            found.setdefault(node.test.lineno, node)
    return found


# Where the recorded equations are in the program.


@dataclass(frozen=True, slots=True)
class _Placed:
    """An equation of the program, and what recorded it (-1: not known); see `RecordedEquation`."""

    id: str
    operation: str
    type: str
    recorded: int
    is_shared: bool = False


def place_equations(jaxpr: Any, recorded: list[_Equation]) -> list[_Placed]:
    """Find what recorded each equation of a program, those inside of equations included."""
    by_variable = {id(v): n for n, each in enumerate(recorded) for v in each.variables}
    by_info: dict[tuple[str, int], int] = {}
    by_place: dict[tuple[str, int], int] = {}
    for number, each in enumerate(recorded):
        if not each.variables:
            by_info.setdefault((each.operation, id(each.source_info)), number)
        by_place.setdefault((each.operation, id(each.source_info.traceback)), number)
    found: list[_Placed] = []
    seen: set[int] = set()

    def visit(inner: Any, prefix: str) -> None:
        for index, equation in enumerate(inner.eqns):
            name, info = equation.primitive.name, equation.source_info
            numbers = (by_variable.get(id(v), -1) for v in equation.outvars)
            number = max(numbers, default=by_info.get((name, id(info)), -1))
            if number < 0 or recorded[number].operation != name:
                number = by_place.get((name, id(info.traceback)), -1)
            bodies = [(p, compat.open_jaxpr(j)) for p, j in nested_jaxprs(equation.params)]
            is_shared = bool(bodies) and all(id(body) in seen for _, body in bodies)
            type_ = _list_types(equation.outvars)
            found.append(_Placed(f"{prefix}{index}", name, type_, number, is_shared))
            for path, body in bodies:
                if id(body) not in seen:
                    seen.add(id(body))
                    visit(body, f"{prefix}{index}/{path}/")

    visit(compat.open_jaxpr(jaxpr), "")
    return found


def take_recorded(lines: list[_Line], recorded: list[_Equation]) -> list[_Placed]:
    """What was recorded for a program that was not finished: in jaxprs in which lines began.

    Others are of JAX's own functions, which it takes apart.
    """
    wanted = {line.builder for line in lines if not line.is_resumed}
    return [
        _Placed("", each.operation, _list_types(each.variables), number)
        for number, each in enumerate(recorded)
        if each.builder in wanted
    ]


def _shown(jaxpr: Any, num_jits: int) -> Any:
    """The body inside of so many calls of jitted functions, which is what the stages show."""
    for _ in range(num_jits):
        parameter = jitted_body(jaxpr)
        if parameter is None:
            break
        jaxpr = compat.open_jaxpr(jaxpr).eqns[0].params[parameter]
    return jaxpr


def _describe(
    recorder: LineRecorder,
    placed: list[_Placed],
    changes: dict[int, list[str]],
    file: str,
    call: str,
    *,
    is_cut: bool,
) -> list[dict[str, Any]]:
    """The lines as messages carry them.

    Args:
        placed: Equations of the program; of one that was not finished (`is_cut`) those so far.
        changes: What was changed outside, by the line of the file.
    """
    recorded = recorder.equations
    of_line: list[list[dict[str, Any]]] = [[] for _ in recorder.lines]
    started = [line.builder for line in recorder.lines if line.builder >= 0][:1]
    builders_of_program = set(started if is_cut else ())
    kept: set[int] = set()
    for each in placed:
        if each.recorded >= 0:
            kept.add(each.recorded)
            equation = recorded[each.recorded]
            if "/" not in each.id and not is_cut:
                builders_of_program.add(equation.builder)
            of_line[equation.line].append(
                {
                    "id": each.id,
                    "operation": each.operation,
                    "type": each.type,
                    "is_shared": each.is_shared,
                }
            )
    aside = [0] * len(recorder.lines)
    for number, equation in enumerate(recorded):
        if number not in kept:
            aside[equation.line] += 1
    names = [compat.function_of_growing(builder) for builder in recorder.builders]
    told = []
    for number, line in enumerate(recorder.lines):
        is_inner = line.builder >= 0 and line.builder not in builders_of_program
        effects = list(line.effects)
        if line.file == file and not line.is_resumed:
            effects += changes.pop(line.line, [])
        told.append(
            {
                "file": line.file,
                "line": line.line,
                "text": shorten(_text_of(line, call), _MAX_CHARACTERS),
                "function": line.function,
                "depth": line.depth,
                "is_resumed": line.is_resumed,
                "inside": (names[line.builder] or "a function") if is_inner else "",
                "is_traced": line.builder >= 0,
                "equations": of_line[number],
                "num_aside": aside[number],
                "effects": effects,
                "statement": line.statement,
                "outcome": line.outcome,
                "round": line.round,
                "num_rounds": line.num_rounds,
            }
        )
    return told


def _text_of(line: _Line, call: str) -> str:
    return call if line.file == CALL_FILE else linecache.getline(line.file, line.line).strip()


def _list_types(variables: Sequence[Any]) -> str:
    types = ", ".join(aval_text(v.aval) for v in variables[:4])
    return f"{types}, …" if len(variables) > 4 else types


# The request.


def handle_trace_lines(request: dict[str, Any], channel: Channel) -> None:
    """Trace the call of a request, and send what Python did meanwhile.

    Raises:
        JaxscopeError: The file or the call is wrong.
    """
    refuse_absent_target(request)
    source, call = load_call(request, channel)
    channel.send("timed", {"call": call.text, "environment": describe_machine()})
    jax.clear_caches()  # type: ignore[no-untyped-call] # JAX's; or what ran before is not traced
    run = _Run(call, source.path, channel)
    with jax.disable_jit(False):
        failure = run.trace(PurityWatch(call.base, source))
    for line in range(0, len(run.told), _PER_MESSAGE):
        channel.send("traced_lines", {"lines": run.told[line : line + _PER_MESSAGE]})
    fields = {**run.fields, "failure": failure}
    channel.send("traced", {**fields, "no_reruns": say("It is being called.")})
    for text in run.warnings:
        channel.send("warning", {"text": text})
    if failure:
        channel.send("traced", {**fields, "no_reruns": say("There is nothing to call.")})
        return
    counts, why = run.call_again()
    channel.send("traced", {**fields, "reruns": counts, "no_reruns": why})


class _Run:
    """One trace of a call.

    Attributes:
        told: The lines.
        fields: Of the message `traced`.
        warnings: What to mind.
    """

    def __init__(self, call: Call, file: str, channel: Channel) -> None:
        self._call, self._file, self._channel = call, file, channel
        self._jitted: Any = None
        self.told: list[dict[str, Any]] = []
        self.fields: dict[str, Any] = {}
        self.warnings: list[str] = []

    def trace(self, watch: PurityWatch) -> str:
        """Trace it; gives why that ended early, or an empty text."""
        recorder, failure, traced = LineRecorder(), "", None

        def attempt(arguments: Any) -> Any:
            nonlocal recorder
            self._channel.progress("trace", say("Tracing line by line"), can_skip=True)
            recorder = LineRecorder()
            effects = EffectWatch(self._call.base, _is_own, recorder.note_effect)
            function, args, kwargs = self._jitted = jit_plainly(self._call, arguments)
            with effects.watching(), recorder.recording():
                return compat.trace_jitted(function, args, kwargs)

        try:
            with guard("trace", {self._file}, call=self._call.text):
                found, was_skipped = run_skippable(lambda: with_arguments(self._call, attempt))
            failure = _STOPPED if was_skipped else ""
        except JaxscopeError as error:
            is_too_long = isinstance(error.__cause__, _TooLong)
            found, failure = None, _TOO_LONG if is_too_long else error.explanation.what
        if found is not None:
            traced, message = found
            self.warnings += filter(None, (message,))
        if traced is None:
            placed = take_recorded(recorder.lines, recorder.equations)
        else:
            shown = _shown(compat.traced_jaxpr(traced), count_jits(self._call))
            placed = place_equations(shown, recorder.equations)
        name_statements(recorder.lines, is_whole=not failure and not recorder.is_full)
        changes: dict[int, list[str]] = {}
        for change in watch.find_changes():
            changes.setdefault(change.check.line, []).append(change.what)
        self.told = _describe(
            recorder, placed, changes, self._file, self._call.text, is_cut=traced is None
        )
        self.fields = {
            "stage": InnerStages(self._call).last_name,
            "num_equations": len(placed),
            "num_unplaced": sum(each.recorded < 0 for each in placed),
            "num_lines": recorder.num_lines,
            "calls_back": any(_CALLING_BACK.search(each.operation) for each in placed),
        }
        if recorder.is_replaced and failure not in (_STOPPED, _TOO_LONG):
            self.warnings.append(
                say("The traced code called sys.settrace itself: lines behind that are missing.")
            )
        return failure

    def call_again(self) -> tuple[list[int], str]:
        """How many lines run when the jitted function is really called; else why it was not."""
        counts: list[int] = []
        try:
            for _ in range(_NUM_RERUNS):
                count, was_skipped = run_skippable(self._call_once)
                if was_skipped or count is None:
                    return counts, _STOPPED
                counts.append(count)
        except Exception as error:  # of the program, or of what it calls back
            why = " ".join(str(error).split())
            return counts, f"It could not be called: {type(error).__name__}: {shorten(why, 200)}"
        return counts, ""

    def _call_once(self) -> int:
        function, args, kwargs = self._jitted
        recorder = LineRecorder(0)
        self._channel.progress("call", say("Calling it again"), can_skip=True)
        args, kwargs = jax.tree.map(_copied, (args, kwargs))  # it may take its arguments' memory
        with recorder.recording():
            result = function(*args, **kwargs)
            jax.block_until_ready(result)  # type: ignore[no-untyped-call] # JAX's
        return recorder.num_lines


def _copied(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, jax.Array) else leaf
