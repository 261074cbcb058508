"""Thread edges through the ranks they cross: shared chains of dummies, or stubs at both ends."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxscope.analysis.layout.layered import Diagram, Spacing

MAX_STUBS_PER_NODE = 3
_MIN_SPAN = 4
_MIN_DUMMIES = 12
_MAX_DUMMIES_PER_NODE = 1.5


@dataclasses.dataclass(frozen=True, slots=True)
class StubVertex:
    """A stub before it has a place; see `layered.Stub`."""

    vertex: int
    node: int
    links: tuple[int, ...]
    is_source: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Threads:
    """The diagram with every edge cut into steps of one rank.

    Vertices are the nodes, then dummies and stubs. An edge that was turned round runs in its
    turned direction here.

    Attributes:
        num_nodes: How many of the vertices are nodes of the diagram.
        rank: Of each vertex.
        across: Size of each vertex.
        along: Size of each vertex.
        up: Neighbours of each vertex one rank before.
        down: Neighbours one rank after.
        up_shift: Sum over `up` of how far the vertex wants to sit from the neighbour's centre.
        down_shift: The same over `down`.
        paths: Vertices along each link from source to target as drawn; empty where stubs stand.
        turned: Links that run against the flow.
        stubs: Their vertices.
        num_ranks: Ranks in all.
    """

    num_nodes: int
    rank: list[int]
    across: list[float]
    along: list[float]
    up: list[list[int]]
    down: list[list[int]]
    up_shift: list[float]
    down_shift: list[float]
    paths: list[tuple[int, ...]]
    turned: frozenset[int]
    stubs: tuple[StubVertex, ...]
    num_ranks: int


class _Threader:
    """Collects vertices and steps; one use."""

    def __init__(self, diagram: Diagram, ranks: list[int], spacing: Spacing) -> None:
        num = len(ranks)
        self.diagram = diagram
        self.spacing = spacing
        self.rank = list(ranks)
        self.across = list(diagram.across)
        self.along = list(diagram.along)
        self.up: list[list[int]] = [[] for _ in range(num)]
        self.down: list[list[int]] = [[] for _ in range(num)]
        self.up_shift = [0.0] * num
        self.down_shift = [0.0] * num

    def add_vertex(self, rank: int, across: float, along: float) -> int:
        self.rank.append(rank)
        self.across.append(across)
        self.along.append(along)
        self.up.append([])
        self.down.append([])
        self.up_shift.append(0.0)
        self.down_shift.append(0.0)
        return len(self.rank) - 1

    def add_step(self, above: int, below: int, shift: float) -> None:
        """`shift`: where `below` should sit, from the centre of `above`."""
        self.down[above].append(below)
        self.up[below].append(above)
        self.up_shift[below] += shift
        self.down_shift[above] -= shift


def thread_edges(
    diagram: Diagram, ranks: list[int], turned: frozenset[int], spacing: Spacing
) -> Threads:
    """Cut every edge into steps of one rank."""
    threader = _Threader(diagram, ranks, spacing)
    paths: list[tuple[int, ...]] = [()] * len(diagram.links)
    nets: dict[tuple[int, int, bool], list[tuple[int, int, int]]] = {}
    far: list[int] = []
    max_span = choose_max_span(diagram, ranks, spacing.max_span)
    for index, link in enumerate(diagram.links):
        is_turned = index in turned
        top, bottom = (link.target, link.source) if is_turned else (link.source, link.target)
        span = ranks[bottom] - ranks[top]
        if span <= 0:
            continue  # a self-loop; `routing` draws it beside its node
        if span > max_span:
            far.append(index)
            continue
        nets.setdefault((top, link.net, is_turned), []).append((ranks[bottom], bottom, index))
    for (top, _, is_turned), ends in nets.items():
        _thread_net(threader, top, ends, is_turned, paths)
    stubs = _add_stubs(threader, far, turned)
    return Threads(
        num_nodes=len(ranks),
        rank=threader.rank,
        across=threader.across,
        along=threader.along,
        up=threader.up,
        down=threader.down,
        up_shift=threader.up_shift,
        down_shift=threader.down_shift,
        paths=paths,
        turned=turned,
        stubs=stubs,
        num_ranks=max(threader.rank) + 1,
    )


def choose_max_span(diagram: Diagram, ranks: list[int], most: int) -> int:
    """The longest span to draw in full, less where many long lines would hide the boxes."""
    spans: dict[tuple[int, int], list[int]] = {}
    for link in diagram.links:
        span = abs(ranks[link.target] - ranks[link.source])
        spans.setdefault((link.source, link.net), []).append(span)
    room = _MAX_DUMMIES_PER_NODE * len(ranks) + _MIN_DUMMIES
    for limit in range(most, _MIN_SPAN, -1):
        dummies = 0
        for net in spans.values():
            drawn = [span for span in net if span <= limit]
            dummies += max(drawn, default=1) - 1
        if dummies <= room:
            return limit
    return min(most, _MIN_SPAN)


def _known(shift: float) -> float:
    return 0.0 if math.isnan(shift) else shift


def _thread_net(
    threader: _Threader,
    top: int,
    ends: list[tuple[int, int, int]],
    is_turned: bool,
    paths: list[tuple[int, ...]],
) -> None:
    """One chain from `top` to the farthest end; nearer ends branch off it."""
    ends.sort()
    links = threader.diagram.links
    chain = [top]
    level = threader.rank[top]
    joined: set[tuple[int, int]] = set()
    for rank, bottom, index in ends:
        link = links[index]
        at_top, at_bottom = link.source_shift, link.target_shift
        if is_turned:
            at_top, at_bottom = at_bottom, at_top
        while level < rank - 1:
            level += 1
            dummy = threader.add_vertex(level, threader.spacing.chain, 0.0)
            threader.add_step(chain[-1], dummy, _known(at_top) if len(chain) == 1 else 0.0)
            chain.append(dummy)
        before = chain[rank - 1 - threader.rank[top]]
        if (before, bottom) not in joined:
            joined.add((before, bottom))
            shift = (_known(at_top) if before == top else 0.0) - _known(at_bottom)
            threader.add_step(before, bottom, shift)
        path = (*chain[: rank - threader.rank[top]], bottom)
        paths[index] = path[::-1] if is_turned else path


def _add_stubs(
    threader: _Threader, far: list[int], turned: frozenset[int]
) -> tuple[StubVertex, ...]:
    """A stub below each far source, one or a few above each far target; and the loose ones."""
    diagram = threader.diagram
    links, merged, along = diagram.links, diagram.merged_across, diagram.stub_along
    leaving: dict[int, list[int]] = {}
    entering: dict[int, dict[int, list[int]]] = {}
    for index in far:
        link = links[index]
        top, bottom = link.source, link.target
        if index in turned:
            top, bottom = bottom, top
        leaving.setdefault(top, []).append(index)
        entering.setdefault(bottom, {}).setdefault(top, []).append(index)
    names = diagram.stub_across
    stubs: list[StubVertex] = []
    for node, indices in leaving.items():
        vertex = threader.add_vertex(threader.rank[node] + 1, merged, along)
        shift = _known(links[indices[0]].source_shift)
        threader.add_step(node, vertex, shift)
        stubs.append(StubVertex(vertex, node, tuple(indices), True))
    for node, by_source in entering.items():
        bundles = [(source, tuple(each)) for source, each in by_source.items()]
        if len(bundles) > MAX_STUBS_PER_NODE:
            bundles = [(-1, tuple(i for _, each in bundles for i in each))]
        for source, bundle in bundles:
            width = names[source] if source >= 0 and names else merged
            vertex = threader.add_vertex(threader.rank[node] - 1, width, along)
            threader.add_step(vertex, node, -_known(links[bundle[0]].target_shift))
            stubs.append(StubVertex(vertex, node, bundle, False))
    for number, loose in enumerate(diagram.loose, start=len(links)):
        shift, node = _known(loose.shift), loose.node
        rank = threader.rank[node] + (1 if loose.is_source else -1)
        vertex = threader.add_vertex(rank, loose.across, along)
        if loose.is_source:
            threader.add_step(node, vertex, shift)
        else:
            threader.add_step(vertex, node, -shift)
        stubs.append(StubVertex(vertex, node, (number,), loose.is_source))
    stubs.sort(key=lambda stub: (stub.node, stub.is_source, stub.vertex))
    return tuple(stubs)
