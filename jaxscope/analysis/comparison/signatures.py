"""What a node is, as numbers that mean the same on both sides of a comparison.

Two nodes with the same number have the same content, whatever they are called and wherever they
stand in the file: names, ids and line numbers are not part of it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.model import Graph, Ragged

Hashes = npt.NDArray[np.uint64]
Int64s = npt.NDArray[np.int64]

NAMING_ATTRIBUTES = frozenset(
    {"shared_by", "shares", "called_by", "calls", "op_name", "root", "cost_note"}
)
"""Attributes that name other nodes or say the same again; a new number in them is no change."""
PLACE_ATTRIBUTES = frozenset({"argument", "result", "parameter_number", "operand", "path"})
"""Attributes that say which argument or result a node is; an argument before it shifts them."""

_SYMBOL_ATTRIBUTES = frozenset({"callee"})
_NUMBER_AT_END = re.compile(r"_\d+$")


@dataclasses.dataclass(frozen=True, eq=False)
class Side:
    """One graph of a comparison.

    Attributes:
        graph: The graph.
        lines: Of each source file the lines; empty where no file was kept.
        origins: For each id in an origin column the name that both sides use for that equation;
            ids that are not in it stand for themselves. None in the stage that the ids are of:
            there they are only numbers.
    """

    graph: Graph
    lines: Mapping[str, Sequence[str]]
    origins: Mapping[str, str] | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Signatures:
    """Numbers of each node of one side, from the most to the least telling.

    Attributes:
        placed: Content, and where it comes from: equations, text of the source line, scope, path.
        exact: Kind, operation, types, attributes.
        loose_placed: Kind, operation, number of results, and where it comes from.
        loose: Kind, operation, number of results.
        typed: Kind and types, whatever the operation.
        types: The types alone.
        attributes: The attributes alone.
        scope: The named scopes alone.
    """

    placed: Hashes
    exact: Hashes
    loose_placed: Hashes
    loose: Hashes
    typed: Hashes
    types: Hashes
    attributes: Hashes
    scope: Hashes


class Codes:
    """Gives equal strings equal numbers, over both sides."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def code(self, text: str) -> int:
        """The number of a string."""
        return self._codes.setdefault(text, len(self._codes) + 1)

    def column(self, texts: Sequence[str]) -> Int64s:
        """The numbers of some strings."""
        return np.fromiter((self.code(text) for text in texts), np.int64, len(texts))


def mix(values: npt.NDArray[np.uint64]) -> Hashes:
    """Spread numbers over 64 bits (the end of splitmix64)."""
    values = values.astype(np.uint64, copy=True)
    values ^= values >> np.uint64(30)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values


def join(*columns: npt.NDArray[np.generic]) -> Hashes:
    """One number for each row of columns; the order of the columns counts."""
    total = np.full(len(columns[0]), 0x9E3779B97F4A7C15, np.uint64)
    for column in columns:
        total = mix(total * np.uint64(0xD6E8FEB86659FD93) + column.astype(np.uint64))
    return total


def sum_rows(offsets: npt.NDArray[np.generic], values: Hashes) -> Hashes:
    """Sum of each row of a ragged column, modulo 2**64: the order of its values does not count."""
    sums = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values, dtype=np.uint64, out=sums[1:])
    totals: Hashes = sums[offsets[1:]] - sums[offsets[:-1]]
    return totals


def sign(side: Side, codes: Codes) -> Signatures:
    """Number the nodes of one side; both sides must be given the same `codes`."""
    graph, nodes = side.graph, side.graph.nodes
    texts = codes.column(graph.strings)
    kind, operation = nodes.kind, texts[nodes.operation]
    num_results = nodes.types.lengths()
    types = hash_rows(nodes.types, texts)
    attributes, places = _attributes(graph, codes)
    scope = hash_rows(nodes.scope, texts)
    origins = _origins(side, codes)
    whence = join(origins, _source_lines(side, codes), places)
    exact = join(kind, operation, types, attributes)
    loose = join(kind, operation, num_results)
    return Signatures(
        placed=join(exact, whence, scope),
        exact=exact,
        loose_placed=join(loose, whence),
        loose=loose,
        typed=join(kind, types),
        types=types,
        attributes=attributes,
        scope=scope,
    )


def comparable_attributes(graph: Graph, node: int) -> dict[str, str]:
    """The attributes of a node that a change can show in, as they are compared."""
    return {
        key: _NUMBER_AT_END.sub("", value) if key in _SYMBOL_ATTRIBUTES else value
        for key, value in graph.attributes(node).items()
        if key not in NAMING_ATTRIBUTES | PLACE_ATTRIBUTES
    }


def hash_rows(column: Ragged, texts: Int64s) -> Hashes:
    """One number for each row of strings; their order counts."""
    rows = column.row_numbers()
    position = np.arange(len(column.values)) - column.offsets[rows]
    return sum_rows(column.offsets, join(texts[column.values], position))


def _attributes(graph: Graph, codes: Codes) -> tuple[Hashes, Hashes]:
    """Of each node one number for what is compared, and one for the path of an argument."""
    column, strings = graph.nodes.attributes, graph.strings
    keys, values = column.values[0::2], column.values[1::2]
    plain = codes.column(strings)
    ignored = [i for i, s in enumerate(strings) if s in NAMING_ATTRIBUTES | PLACE_ATTRIBUTES]
    value_codes = plain[values]
    symbols = [i for i, s in enumerate(strings) if s in _SYMBOL_ATTRIBUTES]
    for at in np.flatnonzero(np.isin(keys, symbols)).tolist():
        value_codes[at] = codes.code(_NUMBER_AT_END.sub("", strings[values[at]]))
    hashes = join(plain[keys], value_codes)
    offsets = column.offsets // 2
    paths = [i for i, s in enumerate(strings) if s == "path"]
    compared = np.where(np.isin(keys, ignored), np.uint64(0), hashes)
    placed = np.where(np.isin(keys, paths), hashes, np.uint64(0))
    return sum_rows(offsets, compared), sum_rows(offsets, placed)


def _origins(side: Side, codes: Codes) -> Hashes:
    """The equations that each node comes from, in names that both sides use."""
    column = side.graph.nodes.origins
    if side.origins is None:
        return np.zeros(len(column), np.uint64)
    names = codes.column([side.origins.get(text, text) for text in side.graph.strings])
    return sum_rows(column.offsets, join(names[column.values]))


def _source_lines(side: Side, codes: Codes) -> Int64s:
    """The text of the line that each node comes from; 0 where it is not known."""
    column, strings = side.graph.nodes.source, side.graph.strings
    found = np.zeros(len(column), np.int64)
    has_source = np.flatnonzero(column.lengths() >= 4)
    files = column.values[column.offsets[has_source]]
    numbers = column.values[column.offsets[has_source] + 1]
    known: dict[tuple[int, int], int] = {}
    for row, file, number in zip(
        has_source.tolist(), files.tolist(), numbers.tolist(), strict=True
    ):
        key = (file, number)
        if key not in known:
            lines = side.lines.get(strings[file], ())
            text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
            known[key] = codes.code(f"line {text}") if text else 0
        found[row] = known[key]
    return found
