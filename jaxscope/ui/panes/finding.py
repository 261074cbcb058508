"""What a pane's search finds, and where in it one is; no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.search import Query, QueryError, SearchIndex, parse_query
from jaxscope.analysis.search.query import Aspect
from jaxscope.model import Graph

Int32s = npt.NDArray[np.int32]

_NOTHING = np.zeros(0, np.int32)


class Finding:
    """The hits of one search: nodes where there is a graph, lines where there is a text.

    Attributes:
        text: What is looked for; empty while nothing is.
        nodes: Indices of nodes, in program order.
        lines: 0-based numbers of lines, rising; empty where no text was given.
        problem: Why the search cannot be understood, or empty.
    """

    def __init__(self) -> None:
        self.text = ""
        self.nodes: Int32s = _NOTHING
        self.lines: Int32s = _NOTHING
        self.problem = ""
        self._at = -1
        self._graph: Graph | None = None
        self._index: SearchIndex | None = None

    def find(
        self,
        text: str,
        graph: Graph | None,
        lines: Sequence[str] = (),
        line_nodes: Int32s | None = None,
    ) -> None:
        """Look for something.

        Args:
            graph: Where to look for nodes; None looks for text alone.
            lines: Where to look for text.
            line_nodes: Node that each line defines, or -1.
        """
        self.text, self.problem, self._at = text.strip(), "", -1
        self.nodes = self.lines = _NOTHING
        if not self.text:
            return
        try:
            query = parse_query(self.text)
        except QueryError as error:
            self.problem = str(error)
            return
        if graph is not None:
            self.nodes = self._index_of(graph).find(query)
        if lines:
            self.lines = find_lines(lines, query, self.text, is_plain=graph is None)
            if line_nodes is not None and len(self.nodes):
                by_node = np.flatnonzero(np.isin(line_nodes, self.nodes))
                self.lines = np.union1d(self.lines, by_node).astype(np.int32)

    def step(self, hits: Int32s, step: int) -> int | None:
        """The next hit, or the one before; after the last comes the first. None without any."""
        if not len(hits):
            return None
        self._at = (self._at + step) % len(hits) if self._at >= 0 or step > 0 else len(hits) - 1
        return int(hits[self._at])

    def describe(self, hits: Int32s) -> str:
        """How many hits there are and at which one is; empty while nothing is looked for."""
        if not self.text or self.problem:
            return ""
        if self._at >= 0:
            return f"{self._at + 1} of {len(hits):,}"
        return f"{len(hits):,} found" if len(hits) else "none"

    def _index_of(self, graph: Graph) -> SearchIndex:
        if self._index is None or self._graph is not graph:
            self._graph, self._index = graph, SearchIndex(graph)
        return self._index


def find_lines(lines: Sequence[str], query: Query, text: str, *, is_plain: bool) -> Int32s:
    """Numbers of the lines that contain a text or match a regular expression.

    Args:
        is_plain: The whole search is a text, whatever it would mean of nodes; where it is not,
            a search of a field, a type or a chain finds no line by its text.
    """
    terms = query.steps[0].terms if len(query.steps) == 1 else ()
    only = terms[0] if len(terms) == 1 and not terms[0].is_negated else None
    if only is not None and only.aspect is Aspect.REGEX:
        search = re.compile(only.text, re.IGNORECASE).search
        hits = (search(line) is not None for line in lines)
    elif is_plain or (only is not None and only.aspect in (Aspect.TEXT, Aspect.TYPE)):
        wanted = (only.text if only is not None and only.aspect is Aspect.TEXT else text).casefold()
        hits = (wanted in line.casefold() for line in lines)
    else:
        return _NOTHING
    found = np.flatnonzero(np.fromiter(hits, bool, len(lines)))
    return found.astype(np.int32)
