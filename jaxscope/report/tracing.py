"""What Python did while JAX traced a call: sentences, a table, JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jaxscope.model.capture import CALL_FILE
from jaxscope.model.tracing import TracedLine, Tracing
from jaxscope.model.units import format_count, format_place
from jaxscope.report.document import Cell, Section, Table, Verbatim
from jaxscope.schema.contract import Json, environment_to_json

LINE_HEADERS = ("step", "line", "Python", "adds to the jaxpr", "what Python did")
_ONCE = "the compiled program does not do it"
_MOST_NAMED = 6
_NOTHING = "–"
_RAN = "Runs now, while JAX traces."
"""Of a line of which there is nothing to say besides what it adds."""
_OF_IF = {
    "body": "Python decides now: true. The choice is not in the jaxpr.",
    "else": "Python decides now: not true, so it goes to else. The choice is not in the jaxpr.",
    "past": "Python decides now: not true. What is skipped is not in the jaxpr.",
    "": "Python needs the answer now, while JAX traces.",
}


def describe_line(tracing: Tracing, number: int) -> str:
    """Where a trace stands, in a line.

    Args:
        number: Of the line, from 0; that of the lines is the end, -1 the start.
    """
    count = len(tracing.lines)
    if number < 0:
        return "The start: nothing of the function has run, and the jaxpr is empty."
    if number >= count:
        return describe_end(tracing)
    line = tracing.lines[number]
    added = len(line.equations)
    so_far = sum(len(each.equations) for each in tracing.lines[: number + 1])
    grown = f"+{format_count(added, 'equation')}, {so_far:,} so far" if added else "no equation"
    head = f"step {number + 1:,} of {count:,}"
    if not line.line:
        return f"{head} · no line of Python: {grown}"
    again = "back in " if line.is_resumed else ""
    return f"{head} · {again}{_place(line)} in {_function(line)}: {grown}"


def describe_end(tracing: Tracing) -> str:
    """How the trace ended."""
    if tracing.failure:
        return f"Here the trace ended. {tracing.failure}"
    num_equations = format_count(tracing.num_equations, "equation")
    return f"The trace is done: {num_equations}. {describe_reruns(tracing)}"


def describe_reruns(tracing: Tracing) -> str:
    """What further calls of the jitted function did of Python."""
    if tracing.no_reruns:
        return f"How much of Python a second call runs is not known: {tracing.no_reruns}"
    times = len(tracing.reruns)
    told = f"Called {format_count(times, 'time')} with the same arguments, jit ran "
    if not any(tracing.reruns):
        if tracing.calls_back:  # seen is the thread that called
            return f"{told}no line of this Python in its own thread; it calls functions back."
        return f"{told}no line of this Python: only the compiled program."
    counts = " and ".join(f"{count:,}" for count in tracing.reruns)
    why = ": of functions that the program calls back" if tracing.calls_back else ""
    lines = "line" if max(tracing.reruns) == 1 else "lines"
    return f"{told}{counts} {lines} of this Python{why}."


def describe_python(lines: Sequence[TracedLine], number: int) -> str:
    """What Python did in a line that the jaxpr does not tell."""
    line = lines[number]
    following = lines[number + 1] if number + 1 < len(lines) else None
    told: list[str] = [] if line.line else ["No line of Python runs: JAX adds this by itself."]
    if line.effects:
        told.append(f"Now, in Python: {', '.join(line.effects)}; {_ONCE}.")
    if line.statement == "if" and not line.is_resumed:
        told.append(_OF_IF[line.outcome])
    elif line.outcome == "round":
        of_all = f" of {line.num_rounds:,}" if line.num_rounds else ""
        told.append(f"Round {line.round:,}{of_all} of a loop of Python's.")
    elif line.outcome == "over":
        told.append(_describe_loop(line, lines[:number]))
    elif line.statement == "def":
        told.append("Makes a function; its lines run when it is called.")
    if following is not None and following.depth > line.depth and not following.is_resumed:
        told.append(_describe_call(line, following))
    if line.inside and line.is_traced:
        told.append(f"It goes into the jaxpr of {line.inside}.")
    told += [
        f"{each.operation}: what is inside was traced before, so its Python does not run again."
        for each in line.equations
        if each.is_shared
    ][:1]
    if line.num_aside and not line.equations:
        count = format_count(line.num_aside, "operation")
        told.append(f"{count} recorded; the program has others made of that.")
    if not told and not line.equations and line.line:
        is_return = line.statement == "return"
        told.append("Returns." if is_return else "Nothing for the jaxpr: Python alone did this.")
    if not line.is_traced and line.line:
        told.append("JAX does not trace here: it computes at once.")
    return " ".join(told)


def _describe_call(line: TracedLine, following: TracedLine) -> str:
    name = _function(following)
    if following.inside != line.inside:
        return f"JAX calls {name}, to trace it by itself."
    return f"{name} is called."


def _describe_loop(line: TracedLine, lines: Sequence[TracedLine]) -> str:
    if not line.round:
        return "The loop has no round."
    rounds, added = format_count(line.round, "round"), 0
    for each in reversed(lines):  # up to the beginning of its first round
        added += len(each.equations)
        is_head = (each.file, each.line, each.depth) == (line.file, line.line, line.depth)
        if is_head and each.round == 1 and each.outcome == "round":
            break
    if not added:
        return f"The loop is over: {rounds} added no equation."
    equations, these = format_count(added, "equation"), "These are" if added > 1 else "It is"
    return f"The loop is over: {rounds} added {equations}. {these} in the jaxpr, the loop is not."


def describe_doing(tracing: Tracing, number: int) -> str:
    """What a line added, and what Python did in it."""
    line = tracing.lines[number]
    count = format_count(len(line.equations), "equation")
    adds = f"Adds {count}: {name_equations(line)}." if line.equations else ""
    return " ".join(filter(None, (adds, describe_python(tracing.lines, number))))


def name_equations(line: TracedLine) -> str:
    """What a line added, such as `mul (1), tanh (2)`: a number before them would be a count."""
    named = [
        f"{each.operation} ({each.id})" if each.id else each.operation
        for each in line.equations[:_MOST_NAMED]
    ]
    more = len(line.equations) - len(named)
    return ", ".join(named) + (f", {more:,} more" if more > 0 else "")


def line_rows(tracing: Tracing) -> list[tuple[Cell, ...]]:
    """A row for each line, under `LINE_HEADERS`."""
    rows: list[tuple[Cell, ...]] = []
    for number, line in enumerate(tracing.lines):
        text = "  " * max(line.depth - 1, 0) + ("… " if line.is_resumed else "") + line.text
        rows.append(
            (
                f"{number + 1:,}",
                Verbatim(_place(line)) if line.line else "",
                Verbatim(text) if line.line else "(JAX alone)",
                Verbatim(name_equations(line) or _NOTHING),
                describe_python(tracing.lines, number) or _RAN,
            )
        )
    return rows


def tracing_to_document(tracing: Tracing) -> list[Section]:
    """All lines, and what a second call does."""
    blocks: list[str | Table] = [Table(LINE_HEADERS, line_rows(tracing))]
    minded = [*describe_left_out(tracing), *tracing.warnings]
    return [
        Section(blocks=[describe_end(tracing)]),
        Section(f"{tracing.call}: Python, line by line", blocks),
        *([Section("What to mind", minded)] if minded else []),
    ]


def describe_left_out(tracing: Tracing) -> list[str]:
    """Lines that are not kept, and equations that no line is known for."""
    told = []
    kept = sum(1 for each in tracing.lines if each.line and not each.is_resumed)
    if tracing.num_lines > kept:
        told.append(
            f"{tracing.num_lines:,} lines ran; the first {kept:,} are shown, and what the others "
            "added is not."
        )
    if tracing.num_unplaced:
        told.append(
            f"Which line added {format_count(tracing.num_unplaced, 'equation')} is not known."
        )
    return told


def _place(line: TracedLine) -> str:
    return "the call" if line.file == CALL_FILE else format_place(line.file, line.line)


def _function(line: TracedLine) -> str:
    return "a lambda" if line.function == "<lambda>" else line.function


def tracing_to_json(tracing: Tracing) -> Json:
    """A trace as JSON."""
    return {
        "call": tracing.call,
        "environment": environment_to_json(tracing.environment),
        "stage": tracing.stage or None,
        "num_equations": tracing.num_equations,
        "num_unplaced": tracing.num_unplaced,
        "num_lines": tracing.num_lines,
        "calls_back": tracing.calls_back,
        "reruns": list(tracing.reruns),
        "no_reruns": tracing.no_reruns or None,
        "failure": tracing.failure or None,
        "lines": [
            {
                **dataclasses.asdict(line),
                "file": line.file or None,
                "line": line.line or None,
                "told": describe_python(tracing.lines, number) or None,
            }
            for number, line in enumerate(tracing.lines)
        ],
        "warnings": list(tracing.warnings),
    }
