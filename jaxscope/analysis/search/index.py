"""Answer searches over one graph: every string is looked at once, nodes only as arrays."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.search.feeding import Feeding
from jaxscope.analysis.search.query import Aspect, Query, Step, Term, parse_query
from jaxscope.analysis.search.types import matches_type
from jaxscope.model import Direction, Graph, NodeKind, Ragged

Int32s = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]

_COMPARE: dict[str, Callable[[npt.NDArray[np.float64], float], Bools]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


_NAMES = (
    ("mul", "multiply"), ("sub", "subtract"), ("div", "divide"), ("max", "maximum"),
    ("min", "minimum"), ("neg", "negate"), ("exp", "exponential"), ("sin", "sine"),
    ("cos", "cosine"), ("pow", "integer_pow", "power"), ("dot_general", "dot"),
    ("select_n", "select"), ("convert_element_type", "convert"),
    ("reduce_sum", "reduce_max", "reduce"), ("broadcast_in_dim", "broadcast"),
    ("conv_general_dilated", "convolution"), ("rem", "remainder"), ("while", "scan"),
    ("le", "lt", "ge", "gt", "eq", "ne", "compare"), ("custom_call", "custom-call"),
)  # fmt: skip
"""Names of one operation: JAX's first, XLA's and StableHLO's last."""


def _same_operations(name: str) -> frozenset[str]:
    """An operation by JAX's name is looked for under XLA's too, not under another of JAX's."""
    others = {names[-1] for names in _NAMES if name in names[:-1]}
    others |= {each for names in _NAMES if name == names[-1] and len(names) == 2 for each in names}
    spelt = {name, *others}
    return frozenset(spelt | {each.replace("_", "-") for each in spelt})


class SearchIndex:
    """Finds nodes of one graph; made once, it answers 50,000 nodes within a few milliseconds."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def find(self, query: Query | str) -> Int32s:
        """Indices of nodes that match, in program order; of a chain, the nodes of all its steps.

        Raises:
            QueryError: A text cannot be understood.
        """
        if isinstance(query, str):
            query = parse_query(query)
        if not query.steps:
            return np.zeros(0, np.int32)
        solid = [step for step in query.steps if not step.is_gap]
        masks = [self._match(step) for step in solid]
        gaps = _gaps_before(query.steps)
        for at in range(1, len(masks)):
            masks[at] &= self._feeding.find_fed(masks[at - 1], is_far=gaps[at])
        for at in range(len(masks) - 2, -1, -1):
            masks[at] &= self._feeding.find_feeding(masks[at + 1], is_far=gaps[at + 1])
        return np.flatnonzero(functools.reduce(operator.or_, masks)).astype(np.int32)

    @functools.cached_property
    def _feeding(self) -> Feeding:
        return Feeding(self._graph)

    # --- single nodes ---

    def _match(self, step: Step) -> Bools:
        mask = np.ones(len(self._graph.nodes), bool)
        for term in step.terms:
            hits = self._match_term(term)
            mask &= ~hits if term.is_negated else hits
        return mask

    def _match_term(self, term: Term) -> Bools:
        nodes = self._graph.nodes
        if term.aspect is Aspect.TEXT:
            wanted = term.text.casefold()
            return self._anywhere(self._hits(lambda string: wanted in string))
        if term.aspect is Aspect.REGEX:
            search = re.compile(term.text, re.IGNORECASE).search
            return self._anywhere(self._raw_hits(lambda string: search(string) is not None))
        if term.aspect is Aspect.TYPE:
            return self._of_types(term)
        if term.aspect is Aspect.LINE:
            return self._of_line(term)
        if term.aspect is Aspect.COST:
            column = {"flops": nodes.cost[:, 0], "bytes": nodes.cost[:, 1],
                      "seconds": nodes.seconds}[term.text]  # fmt: skip
            return _COMPARE[term.comparison](column, term.number)  # NaN compares as false
        if term.aspect in (Aspect.KIND, Aspect.DIRECTION):
            return self._of_code(term)
        return self._in_field(term)

    def _in_field(self, term: Term) -> Bools:
        nodes, wanted = self._graph.nodes, term.text.casefold()
        if term.aspect is Aspect.OPERATION:
            names = _same_operations(wanted)
            hits = np.zeros(len(self._folded), bool)
            for index in self._operations.tolist():
                hits[index] = self._folded[index].rpartition(".")[2] in names
            return hits[nodes.operation]
        if term.aspect is Aspect.ID:
            return self._hits(lambda string: string == wanted)[nodes.id]
        hits = self._hits(lambda string: wanted in string)
        if term.aspect is Aspect.NAME:
            return hits[nodes.name]
        return _any_of(nodes.scope if term.aspect is Aspect.SCOPE else nodes.types, hits)

    def _of_code(self, term: Term) -> Bools:
        nodes, wanted = self._graph.nodes, term.text.upper()
        codes: type[NodeKind] | type[Direction]
        codes, column = (
            (NodeKind, nodes.kind) if term.aspect is Aspect.KIND else (Direction, nodes.direction)
        )
        found: Bools = column == (codes[wanted] if wanted in codes.__members__ else -1)
        return found

    def _of_types(self, term: Term) -> Bools:
        types = self._graph.nodes.types
        hits = np.zeros(len(self._graph.strings), bool)
        numbers = [size for size in term.sizes if size.isdecimal()]
        for index in self._type_strings.tolist():
            string = self._graph.strings[index]
            # Taking a type apart is slow; most lack one of the numbers.
            if all(number in string for number in numbers):
                hits[index] = matches_type(string, term.text, term.sizes)
        return _any_of(types, hits)

    def _of_line(self, term: Term) -> Bools:
        source, found = self._graph.nodes.source, np.zeros(len(self._graph.nodes), bool)
        places = source.values.reshape(-1, 4)
        hits = places[:, 1] == int(term.number)
        if term.text:
            wanted = term.text.casefold()
            files = np.unique(places[hits, 0])
            named = [file for file in files.tolist() if self._folded[file].endswith(wanted)]
            hits &= np.isin(places[:, 0], named)
        rows = np.repeat(np.arange(len(source)), source.lengths() // 4)
        found[rows[hits]] = True
        return found

    def _anywhere(self, hits: Bools) -> Bools:
        nodes = self._graph.nodes
        found = hits[nodes.id] | hits[nodes.name] | hits[nodes.operation]
        return found | _any_of(nodes.types, hits) | _any_of(nodes.scope, hits)

    def _hits(self, is_hit: Callable[[str], bool]) -> Bools:
        """Which strings match, compared without regard to case."""
        return np.fromiter(map(is_hit, self._folded), bool, len(self._folded))

    def _raw_hits(self, is_hit: Callable[[str], bool]) -> Bools:
        strings = self._graph.strings
        return np.fromiter(map(is_hit, strings), bool, len(strings))

    @functools.cached_property
    def _folded(self) -> tuple[str, ...]:
        return tuple(map(str.casefold, self._graph.strings))

    @functools.cached_property
    def _operations(self) -> Int32s:
        found: Int32s = np.unique(self._graph.nodes.operation)
        return found

    @functools.cached_property
    def _type_strings(self) -> Int32s:
        found: Int32s = np.unique(self._graph.nodes.types.values)
        return found


def _any_of(column: Ragged, hits: Bools) -> Bools:
    """Rows of which any value is a hit."""
    found = np.zeros(len(column), bool)
    found[column.row_numbers()[hits[column.values]]] = True
    return found


def _gaps_before(steps: tuple[Step, ...]) -> list[bool]:
    """For each step that is no gap, whether a gap comes right before it."""
    gaps, is_after_gap = [], False
    for step in steps:
        if not step.is_gap:
            gaps.append(is_after_gap)
        is_after_gap = step.is_gap
    return gaps
