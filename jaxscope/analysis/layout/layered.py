"""A layered layout: values flow in one direction, boxes never overlap, lines never cross boxes.

The steps are Sugiyama's: rank the nodes, thread long edges through the ranks with dummy nodes,
order every rank to avoid crossings, then place. Two things make it fit for programs. A value with
many users gets one shared chain of dummies, not one per use. An edge that spans very many ranks,
such as a value saved for the backward pass, gets no chain at all but a labelled stub at each end:
the number of dummies, not of nodes, is what makes layered layouts slow and pictures unreadable.

Positions are in pixels, along the flow (`y`) and across it (`x`); the caller turns the picture.
The result depends on nothing but the diagram.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from jaxscope.analysis.layout.chains import Threads, thread_edges
from jaxscope.analysis.layout.ordering import order_ranks
from jaxscope.analysis.layout.placement import place_across
from jaxscope.analysis.layout.ranking import rank_nodes
from jaxscope.analysis.layout.routing import Route, route_edges
from jaxscope.analysis.layout.wrapping import wrap_ranks

ShouldStop = Callable[[], bool]


class LayoutStopped(Exception):
    """The caller's `should_stop` said so."""


class Link(NamedTuple):
    """An edge of a diagram.

    Attributes:
        source: Node the edge leaves.
        target: Node the edge enters.
        net: Edges of one source with the same net carry the same value and share their way.
        source_shift: Where the edge leaves, in pixels across from the node's centre; NaN lets the
            layout choose.
        target_shift: Where it enters, likewise.
    """

    source: int
    target: int
    net: int = 0
    source_shift: float = float("nan")
    target_shift: float = float("nan")


class Loose(NamedTuple):
    """A stub that the caller asks for, for values that come from or go to another diagram.

    Attributes:
        node: The node it sits beside.
        is_source: Whether values leave the node there.
        across: Size across the flow.
        shift: Where its line meets the node, as in `Link`.
    """

    node: int
    is_source: bool
    across: float
    shift: float = float("nan")


@dataclasses.dataclass(frozen=True, slots=True)
class Diagram:
    """What is to be laid out: boxes of given sizes, and edges.

    Attributes:
        across: Size of each node across the flow, in pixels.
        along: Size of each node along the flow, in pixels.
        links: The edges. Cycles and self-loops are allowed.
        first: Nodes that must be on the first rank, such as ports by which values enter a group.
        last: Nodes that must be on the last rank.
        stub_across: Size across the flow of a stub that names each node; for edges that are
            not drawn in full. Empty stands for no names.
        merged_across: Size across the flow of a stub that stands for several nodes.
        stub_along: Size of stubs along the flow.
        loose: Stubs beside those of edges that are too long.
        wide: Nodes so wide that stubs must not stand beside them.
        most_across: Size across that the whole should not exceed: wider ranks are wrapped into
            several. Single nodes may be wider, and many lines side by side.
    """

    across: Sequence[float]
    along: Sequence[float]
    links: Sequence[Link]
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    stub_across: Sequence[float] = ()
    merged_across: float = 76.0
    stub_along: float = 18.0
    loose: Sequence[Loose] = ()
    wide: frozenset[int] = frozenset()
    most_across: float = math.inf


@dataclasses.dataclass(frozen=True, slots=True)
class Spacing:
    """Distances in pixels, and when an edge is too long to be drawn.

    Attributes:
        across: Least gap between neighbours on a rank.
        along: Least gap between ranks.
        chain: Room that a passing line takes on a rank.
        max_span: Edges over more ranks than this become stubs.
    """

    across: float = 22.0
    along: float = 30.0
    chain: float = 4.0
    max_span: int = 12


@dataclasses.dataclass(frozen=True, slots=True)
class Stub:
    """A label that stands for the far ends of edges that are not drawn.

    Attributes:
        node: The node it sits beside.
        links: The edges it stands for, as indices into the diagram's links; the loose stubs are
            numbered after them.
        is_source: Whether it sits where the edges leave, not where they enter.
        x: Centre, across.
        y: Centre, along.
        across: Size across.
        line: From the node to the stub or back, in the direction of flow.
    """

    node: int
    links: tuple[int, ...]
    is_source: bool
    x: float
    y: float
    across: float
    line: Route


@dataclasses.dataclass(frozen=True, slots=True)
class Drawing:
    """Where everything went.

    Attributes:
        x: Centre of each node across the flow; the leftmost thing of all touches 0.
        y: Centre of each node along the flow; the first thing touches 0.
        routes: Corners of each edge; empty for edges that stubs stand for.
        stubs: Sorted by node.
        across: Size of the whole.
        along: Size of the whole.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    routes: tuple[Route, ...]
    stubs: tuple[Stub, ...]
    across: float
    along: float


def _never() -> bool:
    return False


def layout_layered(
    diagram: Diagram, spacing: Spacing | None = None, should_stop: ShouldStop = _never
) -> Drawing:
    """Lay a diagram out.

    Raises:
        LayoutStopped: `should_stop` returned true; it is asked often.
        ValueError: A link or a pinned node points nowhere, or a link joins two nodes pinned to
            the same rank.
    """
    spacing = spacing or Spacing()
    num = len(diagram.across)
    if not num:
        return Drawing((), (), (), (), 0.0, 0.0)
    check_diagram(diagram, num)

    def check_stop() -> None:
        if should_stop():
            raise LayoutStopped

    check_stop()
    ranks, reversed_links = rank_nodes(num, diagram.links, diagram.first, diagram.last)
    ranks = _leave_room(diagram, ranks)
    threads = thread_edges(diagram, ranks, reversed_links, spacing)
    if diagram.most_across < math.inf:
        again = functools.partial(thread_edges, diagram, turned=reversed_links, spacing=spacing)
        threads = wrap_ranks(diagram, threads, spacing, again)
    check_stop()
    rows = order_ranks(threads, check_stop)
    x = place_across(threads, rows, spacing.across, check_stop, diagram.most_across)
    return draw_threads(diagram, threads, rows, x, spacing)


def _leave_room(diagram: Diagram, ranks: list[int]) -> list[int]:
    """The ranks with room for stubs: before the first one, and before what is wide."""
    if any(not each.is_source and not ranks[each.node] for each in diagram.loose):
        ranks = [0 if node in diagram.first else rank + 1 for node, rank in enumerate(ranks)]
    stubs = {ranks[each.node] + (1 if each.is_source else -1) for each in diagram.loose}
    crowded = sorted({ranks[node] for node in diagram.wide} & stubs)
    return [rank + bisect.bisect_right(crowded, rank) for rank in ranks]


def check_diagram(diagram: Diagram, num: int) -> None:
    """Raise a `ValueError` if a diagram makes no sense; see `layout_layered`."""
    ends = [end for link in diagram.links for end in (link.source, link.target)]
    ends += [*diagram.first, *diagram.last, *(each.node for each in diagram.loose)]
    if ends and not (min(ends) >= 0 and max(ends) < num):
        raise ValueError(f"a link points outside the {num} nodes")
    for pinned in (diagram.first, diagram.last):
        for link in diagram.links:
            if link.source != link.target and link.source in pinned and link.target in pinned:
                raise ValueError("a link joins two nodes that are pinned to the same rank")
    if len(diagram.along) != num or len(diagram.stub_across) not in (0, num):
        raise ValueError("the sizes do not fit the number of nodes")


def draw_threads(
    diagram: Diagram, threads: Threads, rows: list[list[int]], x: list[float], spacing: Spacing
) -> Drawing:
    """Draw a diagram whose vertices have their order and their places across the flow."""
    tops, heights = _stack_rows(threads, rows, x, spacing)
    across = threads.across
    left = min(x[v] - across[v] / 2 for v in range(len(x)))
    x = [value - left for value in x]
    num = threads.num_nodes
    y = [0.0] * num
    for v in range(num):
        rank, size = threads.rank[v], threads.along[v]
        y[v] = tops[rank] + min((heights[rank] - size) / 2, 20.0) + size / 2
    routes, stub_lines = route_edges(diagram, threads, x, y, tops, heights)
    stubs = tuple(
        Stub(
            node=stub.node,
            links=stub.links,
            is_source=stub.is_source,
            x=x[stub.vertex],
            y=line[-1][1] + diagram.stub_along / 2
            if stub.is_source
            else line[0][1] - diagram.stub_along / 2,
            across=across[stub.vertex],
            line=line,
        )
        for stub, line in zip(threads.stubs, stub_lines, strict=True)
    )
    right = max(x[v] + across[v] / 2 for v in range(len(x)))
    return Drawing(tuple(x[:num]), tuple(y), tuple(routes), stubs, right, tops[-1] + heights[-1])


def _stack_rows(
    threads: Threads, rows: list[list[int]], x: list[float], spacing: Spacing
) -> tuple[list[float], list[float]]:
    """Top and height of each rank. Gaps grow where lines run far across, so they stay steep."""
    heights = [max((threads.along[v] for v in row), default=0.0) for row in rows]
    tops: list[float] = []
    top = 0.0
    for row, height in zip(rows, heights, strict=True):
        tops.append(top)
        run = max((abs(x[v] - x[u]) for v in row for u in threads.down[v]), default=0.0)
        top += height + spacing.along + min(run * 0.05, 56.0)
    return tops, heights
