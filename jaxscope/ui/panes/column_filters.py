"""Which nodes one column of the table lets through: texts, regular expressions, numbers; no Qt."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from jaxscope.model import Direction, Graph, NodeKind, Ragged

Mask = npt.NDArray[np.bool_]

_NUMBER = re.compile(
    r"\s*(?P<compare><=|>=|<|>|=)?\s*(?P<value>\d+(?:\.\d*)?(?:e[+-]?\d+)?)\s*"
    r"(?P<scale>ns|us|µs|ms|[kmgt])?i?(?:b|s|flop|flops)?\s*",
    re.IGNORECASE,
)
_SCALES = {
    "": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12,
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3,
}  # fmt: skip
_COMPARE: dict[str, Callable[[npt.NDArray[np.float64], float], Mask]] = {
    "<": lambda values, limit: values < limit,
    "<=": lambda values, limit: values <= limit,
    ">": lambda values, limit: values > limit,
    ">=": lambda values, limit: values >= limit,
    "=": lambda values, limit: values == limit,
}

NUMBERS = ("FLOPs", "memory traffic", "time")
"""Columns of numbers: a filter such as `>1M` compares; without a sign it means at least."""


def find_passing(graph: Graph, column: str, text: str) -> Mask:
    """Which nodes a column's filter lets through.

    A text is looked for in the cell, in any case; `-text` lets through what lacks it; `/text/` is
    a regular expression. Unknown numbers pass no comparison.

    Args:
        column: One of the table's headers.
        text: What was typed.

    Raises:
        ValueError: It cannot be understood.
    """
    wanted = text.strip()
    if not wanted:
        return np.ones(len(graph.nodes), bool)
    if column in NUMBERS:
        return _compare(_numbers_of(graph, column), wanted)
    if len(wanted) > 1 and wanted.startswith("-"):
        return ~_find_text(graph, column, _matcher(wanted[1:]))
    return _find_text(graph, column, _matcher(wanted))


def _numbers_of(graph: Graph, column: str) -> npt.NDArray[np.float64]:
    nodes = graph.nodes
    found = {"FLOPs": nodes.cost[:, 0], "memory traffic": nodes.cost[:, 1], "time": nodes.seconds}
    return found[column].astype(np.float64)


def _compare(values: npt.NDArray[np.float64], text: str) -> Mask:
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError("Type a number such as 1000, >1M or <10us.")
    limit = float(match["value"]) * _SCALES[(match["scale"] or "").lower()]
    return _COMPARE[match["compare"] or ">="](values, limit)


def _matcher(text: str) -> Callable[[str], bool]:
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        try:
            search = re.compile(text[1:-1], re.IGNORECASE).search
        except re.error as error:
            raise ValueError(f"No regular expression: {error}.") from None
        return lambda cell: search(cell) is not None
    wanted = text.casefold()
    return lambda cell: wanted in cell.casefold()


def _find_text(graph: Graph, column: str, matches: Callable[[str], bool]) -> Mask:
    nodes = graph.nodes
    if column == "kind":
        table = np.asarray([matches(kind.name.lower()) for kind in NodeKind])
        return _by_value(table, [int(kind) for kind in NodeKind], nodes.kind)
    if column == "direction":
        names = {Direction.NONE: "", Direction.FORWARD: "forward", Direction.BACKWARD: "backward"}
        table = np.asarray([matches(names[each]) for each in names])
        return _by_value(table, [int(each) for each in names], nodes.direction)
    if column == "source":
        return _find_places(graph, matches)
    known = {"id": nodes.id, "operation": nodes.operation}
    if column in known:
        return _matching(graph, known[column], matches)[known[column]]
    ragged: Ragged = {"type": nodes.types, "comes from": nodes.origins, "scope": nodes.scope}[
        column
    ]
    found = np.zeros(len(nodes), bool)
    found[ragged.row_numbers()[_matching(graph, ragged.values, matches)[ragged.values]]] = True
    return found


def _by_value(table: Mask, values: list[int], column: npt.NDArray[np.integer]) -> Mask:
    wanted = [value for value, is_match in zip(values, table, strict=True) if is_match]
    found: Mask = np.isin(column, wanted)
    return found


def _matching(graph: Graph, used: npt.NDArray[np.integer], matches: Callable[[str], bool]) -> Mask:
    """Which strings match; only those that a column uses are looked at, each once."""
    found = np.zeros(len(graph.strings) + 1, bool)
    for number in np.unique(used).tolist():
        if number >= 0:
            found[number] = matches(graph.strings[number])
    return found


def _find_places(graph: Graph, matches: Callable[[str], bool]) -> Mask:
    source = graph.nodes.source
    found = np.zeros(len(graph.nodes), bool)
    filled = np.flatnonzero(source.lengths() > 0)
    if not len(filled):
        return found
    start = source.offsets[:-1][filled]
    places = np.stack([source.values[start], source.values[start + 1]], axis=1)
    each, back = np.unique(places, axis=0, return_inverse=True)
    hits = np.asarray(
        [
            matches(f"{graph.strings[file].rsplit('/', 1)[-1]}:{line}")
            for file, line in each.tolist()
        ]
    )
    found[filled] = hits[back.reshape(-1)]
    return found
