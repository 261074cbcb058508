"""What Python did while JAX traced a call: sentences, a table, JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jaxscope.model.capture import CALL_FILE
from jaxscope.model.said import BOTH, LISTED, said, say, say_count, say_joined
from jaxscope.model.tracing import TracedLine, Tracing
from jaxscope.model.units import format_place
from jaxscope.report.document import Cell, Section, Table, Verbatim
from jaxscope.schema.contract import Json, environment_to_json

LINE_HEADERS = ("step", "line", "Python", "adds to the jaxpr", "what Python did")
_MOST_NAMED = 6
_NOTHING = "–"
_RAN = say("Runs now, while JAX traces.")
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
        return say("The start: nothing of the function has run, and the jaxpr is empty.")
    if number >= count:
        return describe_end(tracing)
    line = tracing.lines[number]
    added = len(line.equations)
    so_far = sum(len(each.equations) for each in tracing.lines[: number + 1])
    equations = say_count(added, "equation")
    grown = (
        say("+{equations}, {so_far:,} so far", equations=equations, so_far=so_far)
        if added
        else say("no equation")
    )
    head = say("step {number:,} of {count:,}", number=number + 1, count=count)
    if not line.line:
        return say("{head} · no line of Python: {grown}", head=head, grown=grown)
    where = say("{place} in {function}", place=_place(line), function=_function(line))
    if line.is_resumed:
        where = say("back in {where}", where=where)
    return say("{head} · {where}: {grown}", head=head, where=where, grown=grown)


def describe_end(tracing: Tracing) -> str:
    """How the trace ended."""
    if tracing.failure:
        return say_joined((say("Here the trace ended."), tracing.failure))
    equations = say_count(tracing.num_equations, "equation")
    done = say("The trace is done: {equations}.", equations=equations)
    return say_joined((done, describe_reruns(tracing)))


def describe_reruns(tracing: Tracing) -> str:
    """What further calls of the jitted function did of Python."""
    if tracing.no_reruns:
        return say(
            "How much of Python a second call runs is not known: {why}", why=tracing.no_reruns
        )
    if not any(tracing.reruns):
        ran = (  # seen is the thread that called
            say("no line of this Python in its own thread; it calls functions back")
            if tracing.calls_back
            else say("no line of this Python: only the compiled program")
        )
    else:
        counts = say_joined((f"{count:,}" for count in tracing.reruns), BOTH)
        ran = (
            say("{counts} line of this Python", counts=counts)
            if max(tracing.reruns) == 1
            else say("{counts} lines of this Python", counts=counts)
        )
        if tracing.calls_back:
            ran = say("{ran}: of functions that the program calls back", ran=ran)
    return say(
        "Called {times} with the same arguments, jit ran {ran}.",
        times=say_count(len(tracing.reruns), "time"),
        ran=ran,
    )


def describe_python(lines: Sequence[TracedLine], number: int) -> str:
    """What Python did in a line that the jaxpr does not tell."""
    line = lines[number]
    following = lines[number + 1] if number + 1 < len(lines) else None
    told: list[str] = []
    if not line.line:
        told.append(say("No line of Python runs: JAX adds this by itself."))
    if line.effects:
        told.append(
            say(
                "Now, in Python: {effects}; the compiled program does not do it.",
                effects=say_joined(line.effects, LISTED),
            )
        )
    told += _describe_statement(line, lines[:number])
    if following is not None and following.depth > line.depth and not following.is_resumed:
        told.append(_describe_call(line, following))
    if line.inside and line.is_traced:
        told.append(say("It goes into the jaxpr of {name}.", name=line.inside))
    told += [
        say(
            "{operation}: what is inside was traced before, so its Python does not run again.",
            operation=each.operation,
        )
        for each in line.equations
        if each.is_shared
    ][:1]
    if line.num_aside and not line.equations:
        count = say_count(line.num_aside, "operation")
        told.append(say("{count} recorded; the program has others made of that.", count=count))
    if not told and not line.equations and line.line:
        is_return = line.statement == "return"
        told.append(
            say("Returns.") if is_return else say("Nothing for the jaxpr: Python alone did this.")
        )
    if not line.is_traced and line.line:
        told.append(say("JAX does not trace here: it computes at once."))
    return say_joined(told)


def _describe_statement(line: TracedLine, before: Sequence[TracedLine]) -> list[str]:
    """What an `if`, a loop or a `def` did; nothing of other statements."""
    if line.statement == "if" and not line.is_resumed:
        return [said(_OF_IF[line.outcome])]
    if line.outcome == "round" and line.num_rounds:
        return [
            say(
                "Round {round:,} of {num:,} of a loop of Python's.",
                round=line.round,
                num=line.num_rounds,
            )
        ]
    if line.outcome == "round":
        return [say("Round {round:,} of a loop of Python's.", round=line.round)]
    if line.outcome == "over":
        return [_describe_loop(line, before)]
    if line.statement == "def":
        return [say("Makes a function; its lines run when it is called.")]
    return []


def _describe_call(line: TracedLine, following: TracedLine) -> str:
    name = _function(following)
    if following.inside != line.inside:
        return say("JAX calls {name}, to trace it by itself.", name=name)
    return say("{name} is called.", name=name)


def _describe_loop(line: TracedLine, lines: Sequence[TracedLine]) -> str:
    if not line.round:
        return say("The loop has no round.")
    rounds, added = say_count(line.round, "round"), 0
    for each in reversed(lines):  # up to the beginning of its first round
        added += len(each.equations)
        is_head = (each.file, each.line, each.depth) == (line.file, line.line, line.depth)
        if is_head and each.round == 1 and each.outcome == "round":
            break
    if not added:
        return say("The loop is over: {rounds} added no equation.", rounds=rounds)
    told = say(
        "The loop is over: {rounds} added {equations}.",
        rounds=rounds,
        equations=say_count(added, "equation"),
    )
    these = (
        say("These are in the jaxpr, the loop is not.")
        if added > 1
        else say("It is in the jaxpr, the loop is not.")
    )
    return say_joined((told, these))


def describe_doing(tracing: Tracing, number: int) -> str:
    """What a line added, and what Python did in it."""
    line = tracing.lines[number]
    count = say_count(len(line.equations), "equation")
    adds = say("Adds {count}: {names}.", count=count, names=name_equations(line))
    return say_joined((adds if line.equations else "", describe_python(tracing.lines, number)))


def name_equations(line: TracedLine) -> str:
    """What a line added, such as `mul (1), tanh (2)`: a number before them would be a count."""
    named = [
        f"{each.operation} ({each.id})" if each.id else each.operation
        for each in line.equations[:_MOST_NAMED]
    ]
    more = len(line.equations) - len(named)
    told = ", ".join(named)
    return say("{told}, {more:,} more", told=told, more=more) if more > 0 else told


def line_rows(tracing: Tracing) -> list[tuple[Cell, ...]]:
    """A row for each line, under `LINE_HEADERS`."""
    rows: list[tuple[Cell, ...]] = []
    for number, line in enumerate(tracing.lines):
        text = "  " * max(line.depth - 1, 0) + ("… " if line.is_resumed else "") + line.text
        rows.append(
            (
                f"{number + 1:,}",
                Verbatim(_place(line)) if line.line else "",
                Verbatim(text) if line.line else say("(JAX alone)"),
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
    told: list[str] = []
    kept = sum(1 for each in tracing.lines if each.line and not each.is_resumed)
    if tracing.num_lines > kept:
        told.append(
            say(
                "{num:,} lines ran; the first {kept:,} are shown, and what the others added is "
                "not.",
                num=tracing.num_lines,
                kept=kept,
            )
        )
    if tracing.num_unplaced:
        told.append(
            say(
                "Which line added {equations} is not known.",
                equations=say_count(tracing.num_unplaced, "equation"),
            )
        )
    return told


def _place(line: TracedLine) -> str:
    return say("the call") if line.file == CALL_FILE else format_place(line.file, line.line)


def _function(line: TracedLine) -> str:
    return say("a lambda") if line.function == "<lambda>" else line.function


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
