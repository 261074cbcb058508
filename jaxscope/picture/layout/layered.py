"""A layered layout after Sugiyama: rank, cut edges into steps, order every rank, place, route.

Values flow in one direction, boxes never overlap, lines never cross boxes.

The result depends on nothing but the diagram.
"""

from __future__ import annotations

import bisect
import functools
import math
from typing import TYPE_CHECKING

from jaxscope.picture.layout.diagram import (
    Drawing,
    LayeredGraph,
    LayoutStopped,
    Spacing,
    Stub,
    build_layered_graph,
    check_diagram,
)
from jaxscope.picture.layout.ordering import keep_sequence, order_ranks
from jaxscope.picture.layout.placement import place_across
from jaxscope.picture.layout.ranking import rank_nodes, wrap_ranks
from jaxscope.picture.layout.routing import route_edges

if TYPE_CHECKING:
    from jaxscope.picture.layout.diagram import Diagram, ShouldStop


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
    ranks, reversed_links = rank_nodes(
        num,
        diagram.links,
        diagram.first,
        diagram.last,
        diagram.early,
        diagram.late,
        diagram.later,
    )
    ranks = _leave_room(diagram, ranks)
    threads = build_layered_graph(diagram, ranks, reversed_links, spacing)
    if diagram.most_across < math.inf:
        again = functools.partial(
            build_layered_graph, diagram, turned=reversed_links, spacing=spacing
        )
        threads = wrap_ranks(diagram, threads, spacing, again)
    check_stop()
    rows = keep_sequence(order_ranks(threads, check_stop, diagram.fixed), diagram.sequence)
    x = place_across(threads, rows, spacing.across, check_stop, diagram.most_across)
    return draw_layered_graph(diagram, threads, rows, x, spacing)


def _leave_room(diagram: Diagram, ranks: list[int]) -> list[int]:
    """The ranks with room for stubs: before the first one, and before what is wide."""
    if any(not each.is_source and not ranks[each.node] for each in diagram.loose):
        ranks = [0 if node in diagram.first else rank + 1 for node, rank in enumerate(ranks)]
    stubs = {ranks[each.node] + (1 if each.is_source else -1) for each in diagram.loose}
    crowded = sorted({ranks[node] for node in diagram.wide} & stubs)
    return [rank + bisect.bisect_right(crowded, rank) for rank in ranks]


def draw_layered_graph(
    diagram: Diagram, threads: LayeredGraph, rows: list[list[int]], x: list[float], spacing: Spacing
) -> Drawing:
    """Draw a diagram whose vertices have their order and their places across the flow."""
    tops, heights = _stack_rows(threads, rows, x, spacing)
    across = threads.across
    left = min(x[v] - across[v] / 2 for v in range(len(x)))
    x = [value - left for value in x]
    num = threads.num_nodes
    level = frozenset(diagram.sequence)
    y = [0.0] * num
    for v in range(num):
        rank, size = threads.rank[v], threads.along[v]
        inset = 0.0 if v in level else min((heights[rank] - size) / 2, 20.0)
        if v in diagram.low:
            inset = heights[rank] - size
        y[v] = tops[rank] + inset + size / 2
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
    threads: LayeredGraph, rows: list[list[int]], x: list[float], spacing: Spacing
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
