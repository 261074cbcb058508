"""Colours by origin: which lines or functions of the source, or which equations, boxes came from.

The finest of these that can be told apart is used: lines where there are few, else functions; a
graph without places in the source is told by the equations of the jaxpr that its nodes came from.
"""

from __future__ import annotations

import dataclasses
import ntpath
import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from jaxscope.model import Graph

Int32s = npt.NDArray[np.int32]

_NUMBERS = re.compile(r"([0-9]+)")

MAX_ORIGINS = 7
"""So many have a colour of their own; more could not be told apart."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Origins:
    """Where the nodes of a graph came from.

    Attributes:
        names: Of the most frequent origins, at most `MAX_ORIGINS`, in the order of their names.
        codes: int32, of each node the place in `names`; their number for one of the others, and
            -1 where the origin is not known.
        others: What the others are called.
    """

    names: tuple[str, ...]
    codes: Int32s
    others: str


def find_origins(graph: Graph) -> Origins | None:
    """The origins of a graph's nodes, or None where none is known."""
    source = graph.nodes.source
    nodes = np.flatnonzero(source.lengths() > 0)
    if len(nodes):
        starts = source.offsets[:-1][nodes]
        file, line, function = (source.values[starts + part].astype(np.int64) for part in (0, 1, 3))
        by_function = file * len(graph.strings) + function
        by_line = by_function * (int(line.max()) + 1) + line
        is_one_function = len(np.unique(by_function)) == 1
        if is_one_function or len(np.unique(by_line)) <= MAX_ORIGINS:
            return _rank(graph, nodes, by_line, _name_line, "lines")
        return _rank(graph, nodes, by_function, _name_function, "functions")
    origins = graph.nodes.origins
    nodes = np.flatnonzero(origins.lengths() > 0)
    if not len(nodes):
        return None
    # What XLA joined came from several: the first stands for them.
    equations = origins.values[origins.offsets[:-1][nodes]].astype(np.int64)
    return _rank(graph, nodes, equations, _name_equation, "equations")


def _name_line(graph: Graph, node: int) -> str:
    place = graph.source(node)[0]
    inside = f" in {_short(place.function)}" if place.function else ""
    return f"{ntpath.basename(place.file)}:{place.line}{inside}"


def _name_function(graph: Graph, node: int) -> str:
    place = graph.source(node)[0]
    return f"{_short(place.function) or 'no function'} of {ntpath.basename(place.file)}"


def _short(function: str) -> str:
    """Without the functions around it."""
    return function.rpartition("<locals>.")[2]


def _name_equation(graph: Graph, node: int) -> str:
    return f"equation {graph.row(graph.nodes.origins, node)[0]}"


def _rank(
    graph: Graph,
    nodes: npt.NDArray[np.int64],
    keys: npt.NDArray[np.int64],
    name_of: Callable[[Graph, int], str],
    kind: str,
) -> Origins:
    """Give the most frequent keys a place each; `keys` are those of the nodes whose is known."""
    _, first, number, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    ranked = np.lexsort((first, -counts))  # of those that are as frequent the earliest
    name_by_key = {key: name_of(graph, int(nodes[first[key]])) for key in ranked[:MAX_ORIGINS]}
    # In the order of the source, not of their frequency: a function has one colour in all stages.
    chosen = sorted(name_by_key, key=lambda key: _natural(name_by_key[key]))
    place = np.full(len(ranked), len(chosen), np.int32)
    place[chosen] = np.arange(len(chosen))
    codes = np.full(len(graph.nodes), -1, np.int32)
    codes[nodes] = place[number]
    return Origins(tuple(name_by_key[key] for key in chosen), codes, f"other {kind}")


def _natural(name: str) -> list[tuple[int, str]]:
    """Orders line 9 before line 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBERS.split(name)]
