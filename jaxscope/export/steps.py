"""What a page and a hand-out tell of a call that was stepped through."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from jaxscope.model import Capture, Graph, is_available
from jaxscope.model.lessons import parse_lesson
from jaxscope.model.values import Step, Stepping, StepValue
from jaxscope.report.document import Table
from jaxscope.report.stepping import VALUE_HEADERS, describe_operation, value_rows

MOST_STEPS = 500
"""Of a page or a hand-out; a class does not go through more."""
_LAID_OUT = re.compile(r"^(\s*([-*+|]|\d+[.)]) | {4}|```|~~~)", re.MULTILINE)
"""How the lines of a block in Markdown begin that must not be joined."""
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2})(?=\S)([^*]+)(?<=\S)\1(?![\w*])", re.ASCII)


def describe_run(stepping: Stepping) -> str:
    """By what the numbers were computed."""
    environment = stepping.environment
    return (
        f"JAX {environment.jax}, {environment.platform}; each equation was run by itself, as JAX "
        "runs it without jit"
    )


def find_graph(capture: Capture, stage: str) -> Graph | None:
    """The graph of a stage; None where there is none."""
    found = capture.stage(stage)
    return found.graph if found is not None and is_available(found.graph) else None


def choose_source(capture: Capture) -> tuple[str, int]:
    """The text of the file, and the number of the line from which on it is shown.

    That is below a docstring that is a lesson: it has the answer.
    """
    source = next((file for file in capture.files if file.path == capture.source.file), None)
    text = source.text if source is not None else ""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return text, 1
    told = ast.get_docstring(ast.Module(body[:1], [])) or ""
    is_lesson = bool(parse_lesson(told, "").see)
    return text, min((node.lineno for node in body[1:2]), default=1) if is_lesson else 1


def split_blocks(markdown: str) -> Iterator[tuple[bool, str]]:
    """The blocks of a text in Markdown; of each whether its lines are laid out, as in a list or
    code, and must not be joined. What is emphasized in others is plain.
    """
    if markdown.strip():
        for block in re.split(r"\n\s*\n", markdown.strip()):
            is_laid_out = _LAID_OUT.search(block) is not None
            yield is_laid_out, block if is_laid_out else _make_plain(" ".join(block.split()))


def _make_plain(text: str) -> str:
    """Without the stars around emphasized words; those of code stay."""
    pieces = text.split("`")
    pieces[::2] = [_EMPHASIS.sub(r"\2", piece) for piece in pieces[::2]]
    return "`".join(pieces)


def step_title(stepping: Stepping, step: Step) -> str:
    """Which step it is, or what stands at its end of the run."""
    if not step.equation:
        return "The results" if step.is_end else "The arguments"
    return describe_operation(step, stepping.num_equations)


def split_values(step: Step) -> tuple[list[StepValue], list[StepValue]]:
    """What is there before, and what an equation makes; at both ends of the run all is there."""
    if not step.equation:
        return list(step.values), []
    made = [value for value in step.values if value.kind == "result"]
    return [value for value in step.values if value.kind != "result"], made


def list_blocks(step: Step, values: Sequence[StepValue]) -> Iterator[Table | str]:
    """A table of values of a step, or a sentence that says that there are none."""
    if values:
        yield Table(VALUE_HEADERS, list(value_rows(values)))
    else:
        yield "It reads nothing." if step.equation else "There are none."
    if step.num_left_out and values[-1:] == step.values[-1:]:
        yield f"and {step.num_left_out:,} more"


def describe_end(steps: Sequence[Step]) -> str:
    """That there are further equations; empty where the last step is the end or failed."""
    last = steps[-1]
    if last.is_end or last.failure:
        return ""
    return f"Only the first {len(steps) - 1:,} equations are here."
