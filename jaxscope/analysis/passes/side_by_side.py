"""Two texts of one pass line against line."""

from __future__ import annotations

import difflib
from itertools import zip_longest

from jaxscope.analysis.comparison.text_diff import ADDED, CHANGED, REMOVED, SAME, Row, TextDiff
from jaxscope.analysis.comparison.text_lines import Line

_MAX_LINES = 600
"""Beyond so many lines aligning takes longer than a reader waits."""


def diff_pass_texts(before: str, after: str) -> TextDiff:
    """The instructions of a pass as they were and as they are, equal ones beside each other.

    A line that defines the same name on both sides is one that changed.
    """
    first, second = before.split("\n")[:_MAX_LINES], after.split("\n")[:_MAX_LINES]
    if not before:
        first = []
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    rows: list[Row] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        left = [_line(number, first[number]) for number in range(a, b)]
        right = [_line(number, second[number]) for number in range(c, d)]
        if kind == "equal":
            rows += [Row(SAME, x, y) for x, y in zip(left, right, strict=True)]
        else:
            rows += _unequal(left, right)
    return TextDiff(tuple(rows))


def _unequal(left: list[Line], right: list[Line]) -> list[Row]:
    names = {_defined(line.text) for line in left} & {_defined(line.text) for line in right}
    if not names - {""}:
        return [
            *(Row(REMOVED, line, None) for line in left),
            *(Row(ADDED, None, line) for line in right),
        ]
    rows: list[Row] = []
    gone: list[Row] = []
    come: list[Row] = []
    for x, y in zip_longest(left, right):
        if x is not None and y is not None and _defined(x.text) == _defined(y.text):
            rows += [*gone, *come, Row(CHANGED, x, y)]
            gone, come = [], []
            continue
        if x is not None:
            gone.append(Row(REMOVED, x, None))
        if y is not None:
            come.append(Row(ADDED, None, y))
    return [*rows, *gone, *come]


def _defined(text: str) -> str:
    name, found, _ = text.partition(" = ")
    return name.replace("ROOT", "").strip() if found else ""


def _line(number: int, text: str) -> Line:
    return Line(number, text, text, (), 0, -1)
