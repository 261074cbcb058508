"""Lines of the user's file: why a line has no equation, where the line itself says that, and where
a line is in a later version of the text.
"""

from __future__ import annotations

import ast
import difflib
import functools
from collections.abc import Collection, Sequence

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import Graph
from jaxscope.model.operations import CUSTOM_DERIVATIVES
from jaxscope.model.said import join_first, say, say_count

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def explain_idle_line(text: str, line: int) -> str:
    """A sentence on a line from which no equation can come; empty where one could.

    Args:
        text: Of the whole file; empty where it is not known.
        line: 1-based.
    """
    lines = text.split("\n")
    if not text or line < 1:
        return ""
    if line > len(lines):
        return say(
            "The file has {num_splitlines}.",
            num_splitlines=say_count(len(text.splitlines()), "line"),
        )
    own = lines[line - 1].strip()
    found = _lines_of(text)
    if line in found.texts:
        return say("This line is part of a text, such as a docstring: it computes nothing.")
    if not own:
        return say("This line is empty.")
    if own.startswith("#"):
        return say("This line is a comment.")
    if line in found.imports:
        return say("This line imports a module: it computes nothing.")
    if line in found.definitions:
        return say(
            "This line begins {definitions}: what it computes is in the lines below.",
            definitions=found.definitions[line],
        )
    is_outside = found.functions is not None and line not in found.functions
    if is_outside and line in found.decorators:
        return say(
            "This line decorates {definitions}: what that computes is in the lines below. The line "
            "itself ran when the file was imported, before tracing.",
            definitions=found.decorators[line],
        )
    if is_outside:
        return say(
            "This line is in no function: it ran when the file was imported, before "
            "tracing, and is no part of the traced program."
        )
    return ""


def find_statement(text: str, line: int) -> range:
    """The lines of the innermost statement that a line stands in, from 1; empty for no Python.

    Of one with a body, such as `if`, those before the body.
    """
    found = range(0)
    for lines in _lines_of(text).simple:  # outer ones first
        if line in lines:
            found = lines
    return found


def find_named_lines(graph: Graph, file: str, lines: range) -> list[int]:
    """Which of some lines of a file nodes name among the places they come from."""
    if not lines or file not in graph.strings:
        return []
    places = graph.nodes.source.values.reshape(-1, 4)
    is_there = (places[:, 0] == graph.strings.index(file)) & np.isin(places[:, 1], lines)
    return sorted(set(places[is_there, 1].tolist()))


def explain_unnamed_line(
    operations: Collection[str], where: str = "", others: Sequence[int] = ()
) -> str:
    """Why no equation may name a line of a function.

    Args:
        operations: Of the program; others may be among them.
        where: Such as `line 12`; else it is this line.
        others: Lines of the same statement that equations name, which is all there is to know:
            JAX names where a call begins, not where its arguments stand.
    """
    where = where or say("this line")
    if others:
        return say(
            "No equation names {where}, but of the same statement equations name {lines}.",
            where=where,
            lines=say("line {line}", line=others[0])
            if len(others) == 1
            else say("lines {lines}", lines=join_first(map(str, others), 6)),
        )
    if CUSTOM_DERIVATIVES.isdisjoint(operations):
        return say(
            "No equation names {where}: it did not run, or ran before tracing, such as to make an "
            "argument, or Python or jax.numpy did all of it while tracing, such as a reshape to "
            "the shape that is there already, or the equation names another line of the same "
            "statement.",
            where=where,
        )
    return say(
        "No equation names {where}: what a rule of custom_vjp or custom_jvp computes, JAX may "
        "ascribe to the line that calls the function; or the line did not run, or ran before "
        "tracing.",
        where=where,
    )


def find_statements(text: str) -> tuple[range, ...]:
    """The lines of each statement of a module and of each function and class in it, with the
    decorators and comments right above; from 1, outer ones first. Empty for no Python.
    """
    return _lines_of(text).statements


class _Lines:
    """Lines of a file by what they are, 1-based; `functions` is None where Python cannot say."""

    def __init__(self) -> None:
        self.statements: tuple[range, ...] = ()
        self.simple: list[range] = []
        self.texts: set[int] = set()
        self.imports: set[int] = set()
        self.definitions: dict[int, str] = {}
        self.decorators: dict[int, str] = {}
        self.functions: set[int] | None = None


@functools.lru_cache(maxsize=8)
def _lines_of(text: str) -> _Lines:
    found = _Lines()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    functions: set[int] = set()
    lines, whole = text.split("\n"), set(tree.body)
    found.statements = tuple(
        _with_comments(node, lines)
        for node in ast.walk(tree)  # breadth first
        if isinstance(node, ast.stmt) and (node in whole or isinstance(node, _Definition))
    )
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None) or getattr(node, "cases", None)
            last = max(body[0].lineno - 1, node.lineno) if body else node.end_lineno
            found.simple.append(_span(node.lineno, last))
        if isinstance(node, ast.Expr) and _is_text(node.value):
            found.texts.update(_span(node.lineno, node.end_lineno))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.imports.update(_span(node.lineno, node.end_lineno))
        elif isinstance(node, _Definition):
            kind = "a class" if isinstance(node, ast.ClassDef) else "a function"
            inside = node.body[0]
            above = inside.decorator_list if isinstance(inside, _Definition) else []
            begin = min([inside.lineno, *(each.lineno for each in above)])
            last = max(begin - 1, node.lineno)
            if begin > node.lineno:
                for number in _span(node.lineno, last):
                    found.definitions.setdefault(number, f"{kind}, {node.name}")
            for decorator in node.decorator_list:
                for number in _span(decorator.lineno, decorator.end_lineno):
                    found.decorators.setdefault(number, f"{kind}, {node.name}")
            if not isinstance(node, ast.ClassDef):
                functions.update(_span(node.lineno, node.end_lineno))
        elif isinstance(node, ast.Lambda):
            functions.update(_span(node.lineno, node.end_lineno))
    found.functions = functions
    return found


def _with_comments(node: ast.stmt, lines: Sequence[str]) -> range:
    """The lines of a statement, and of the decorators and comments right above it."""
    decorators = node.decorator_list if isinstance(node, _Definition) else []
    first = min([node.lineno, *(each.lineno for each in decorators)])
    comment = " " * node.col_offset + "#"
    while first > 1 and lines[first - 2].startswith(comment):
        first -= 1
    return _span(first, node.end_lineno)


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _span(first: int, last: int | None) -> range:
    return range(first, (last or first) + 1)


_MAX_COMPARED = 4_000_000
"""Lines of both texts multiplied, without what both begin and end with: about a second."""


@dataclass(frozen=True, slots=True)
class LineMoves:
    """Lines are counted from 1.

    Attributes:
        after: By lines of the earlier text, those of the later one; 0 where a line is gone or was
            changed. Empty where both texts are the same.
        before: By lines of the later text, those of the earlier one; 0 where a line is new.
        nearest: By lines of the earlier text, where each is or would be: a changed line is where
            it was changed.
    """

    after: tuple[int, ...] = ()
    before: tuple[int, ...] = ()
    nearest: tuple[int, ...] = ()

    @property
    def is_edited(self) -> bool:
        """Whether the texts differ."""
        return bool(self.after)

    @property
    def num_gone(self) -> int:
        """Lines of the earlier text that are changed or gone."""
        return sum(line == 0 for line in self.after)

    def to_later(self, line: int) -> int:
        """Where a line of the earlier text is in the later one; 0 where it is not."""
        return _look_up(self.after, line) if self.is_edited else line

    def to_earlier(self, line: int) -> int:
        """Where a line of the later text was in the earlier one; 0 where it was not."""
        return _look_up(self.before, line) if self.is_edited else line

    def to_nearest(self, line: int) -> int:
        """Where a line of the earlier text is or would be in the later one."""
        return (_look_up(self.nearest, line) or line) if self.is_edited else line


SAME = LineMoves()


@functools.lru_cache(maxsize=4)
def find_line_moves(earlier: str, later: str) -> LineMoves:
    """Find the lines of a text in a later version of it.

    Lines that stay in order and are the same letter by letter are the same lines; of texts that
    differ too much to be compared, only what both begin and end with.
    """
    if earlier == later:
        return SAME
    old, new = earlier.split("\n"), later.split("\n")
    head = _count_same(old, new)
    tail = _count_same(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    after, before = [0] * len(old), [0] * len(new)
    pairs = [(line, line) for line in range(head)]
    pairs += [(old_end + step, new_end + step) for step in range(tail)]
    nearest = [*range(1, head + 1), *[0] * (old_end - head), *range(new_end + 1, len(new) + 1)]
    for tag, old_from, old_to, new_from, new_to in _compare(old[head:old_end], new[head:new_end]):
        for step in range(old_to - old_from):
            place = min(new_from + step, max(new_to - 1, new_from))
            nearest[head + old_from + step] = min(head + place + 1, len(new))
            if tag == "equal":
                pairs.append((head + old_from + step, head + new_from + step))
    for was, now in pairs:
        after[was], before[now] = now + 1, was + 1
    return LineMoves(tuple(after), tuple(before), tuple(nearest))


def _compare(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[str, int, int, int, int]]:
    if len(old) * len(new) > _MAX_COMPARED:
        return [("replace", 0, len(old), 0, len(new))]
    return difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


def _count_same(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = zip(old, new, strict=False)  # as far as the shorter one goes
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))


def _look_up(lines: Sequence[int], line: int) -> int:
    return lines[line - 1] if 0 < line <= len(lines) else 0
