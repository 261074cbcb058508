"""What is laid out (`Diagram`), the result (`Drawing`), and the form between (`LayeredGraph`):
every edge cut into steps of one rank.

Edges of one value share one chain of dummy vertices; an edge over very many ranks gets a labelled
stub at each end in place of a chain, since the number of dummies, not of nodes, makes layered
layouts slow. Pixels; `y` along the flow, `x` across.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from jaxscope.late_dataclass import dataclass

# Thread edges through the ranks they cross: shared chains of dummies, or stubs at both ends.


MAX_STUBS_PER_NODE = 3
_MIN_SPAN = 4
_NEAR_SPAN, _MOST_BESIDE = 2, 3
"""A line over more ranks leads past others; of so many such lines of one gathered node all are
drawn."""
_MIN_DUMMIES = 12
_TEXT_ALONG_PX = 24.0
"""Of a text on an edge, with what is seen of the edge before and behind it."""
_MAX_DUMMIES_PER_NODE = 1.5


@dataclass(frozen=True, slots=True)
class StubVertex:
    """A stub before it has a place; see `Stub`.

    Attributes:
        is_after: Whether it stands on the rank after its node; there lines leave the node, unless
            they run against the flow.
    """

    vertex: int
    node: int
    links: tuple[int, ...]
    is_source: bool
    is_after: bool


@dataclass(frozen=True, slots=True)
class LayeredGraph:
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
        up_lean: Of each vertex, for each of `up` how far from that neighbour's centre it must sit
            for the step between them to be straight.
        down_lean: The same over `down`.
        up_port: Of each vertex, for each of `up` where the step leaves that neighbour, as a part of
            its width from its centre, from -0.5 to 0.5; empty where all leave in the middle.
        down_port: Likewise where steps enter each of `down`.
        own_port: Likewise where those steps leave the vertex itself.
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
    up_lean: list[list[float]]
    down_lean: list[list[float]]
    up_port: list[list[float]]
    down_port: list[list[float]]
    own_port: list[list[float]]
    paths: list[tuple[int, ...]]
    turned: frozenset[int]
    stubs: tuple[StubVertex, ...]
    num_ranks: int


class _LayeredGraphBuilder:
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
        self.up_lean: list[list[float]] = [[] for _ in range(num)]
        self.down_lean: list[list[float]] = [[] for _ in range(num)]
        self.up_port: list[list[float]] = [[] for _ in range(num)]
        self.down_port: list[list[float]] = [[] for _ in range(num)]
        self.own_port: list[list[float]] = [[] for _ in range(num)]

    def add_vertex(self, rank: int, across: float, along: float) -> int:
        self.rank.append(rank)
        self.across.append(across)
        self.along.append(along)
        self.up.append([])
        self.down.append([])
        self.up_lean.append([])
        self.down_lean.append([])
        self.up_port.append([])
        self.down_port.append([])
        self.own_port.append([])
        return len(self.rank) - 1

    def add_step(self, above: int, below: int, leaves: float = 0.0, enters: float = 0.0) -> None:
        """Join two vertices.

        Args:
            leaves: Where the step leaves `above`, in pixels across from its centre.
            enters: Where it enters `below`, likewise.
        """
        self._add_port(self.up_port[below], len(self.up[below]), leaves, self.across[above])
        count = len(self.down[above])
        self._add_port(self.down_port[above], count, enters, self.across[below])
        self._add_port(self.own_port[above], count, leaves, self.across[above])
        self.down[above].append(below)
        self.up[below].append(above)
        self.up_lean[below].append(leaves - enters)
        self.down_lean[above].append(enters - leaves)

    @staticmethod
    def _add_port(ports: list[float], count: int, shift: float, across: float) -> None:
        if shift and not ports:
            ports.extend([0.0] * count)
        if shift or ports:
            ports.append(min(max(shift / across, -0.5), 0.5) if across else 0.0)


def build_layered_graph(
    diagram: Diagram, ranks: list[int], turned: frozenset[int], spacing: Spacing
) -> LayeredGraph:
    """Cut every edge into steps of one rank."""
    threader = _LayeredGraphBuilder(diagram, ranks, spacing)
    paths: list[tuple[int, ...]] = [()] * len(diagram.links)
    nets: dict[tuple[int, int, bool], list[tuple[int, int, int]]] = {}
    far: list[int] = []
    max_span = choose_max_span(diagram, ranks, spacing.max_span)
    crowded = _find_crowded(diagram, ranks)
    for index, link in enumerate(diagram.links):
        is_turned = index in turned
        top, bottom = (link.target, link.source) if is_turned else (link.source, link.target)
        span = ranks[bottom] - ranks[top]
        if span <= 0:
            continue  # a self-loop; `routing` draws it beside its node
        if span > max_span or (span > _NEAR_SPAN and top in crowded):
            far.append(index)
            continue
        nets.setdefault((top, link.net, is_turned), []).append((ranks[bottom], bottom, index))
    for (top, _, is_turned), ends in nets.items():
        _add_net(threader, top, ends, is_turned, paths)
    stubs = _add_stubs(threader, far, turned)
    return LayeredGraph(
        num_nodes=len(ranks),
        rank=threader.rank,
        across=threader.across,
        along=threader.along,
        up=threader.up,
        down=threader.down,
        up_lean=threader.up_lean,
        down_lean=threader.down_lean,
        up_port=threader.up_port,
        down_port=threader.down_port,
        own_port=threader.own_port,
        paths=paths,
        turned=turned,
        stubs=stubs,
        num_ranks=max(threader.rank) + 1,
    )


def _find_crowded(diagram: Diagram, ranks: list[int]) -> set[int]:
    """Gathered nodes from which so many lines lead past others that they run side by side."""
    nets: dict[int, set[int]] = {}
    for source, target, net, *_ in diagram.links if diagram.gathered else ():
        if source in diagram.gathered and ranks[target] - ranks[source] > _NEAR_SPAN:
            nets.setdefault(source, set()).add(net)
    return {source for source, each in nets.items() if len(each) > _MOST_BESIDE}


def choose_max_span(diagram: Diagram, ranks: list[int], most: int) -> int:
    """The longest span to draw in full, less where many long lines would hide the boxes."""
    spans: dict[tuple[int, int], list[int]] = {}
    for link in diagram.links:
        span = ranks[link.target] - ranks[link.source]
        top = link.source if span >= 0 else link.target
        spans.setdefault((top, link.net), []).append(abs(span))
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


def _add_net(
    threader: _LayeredGraphBuilder,
    top: int,
    ends: list[tuple[int, int, int]],
    is_turned: bool,
    paths: list[tuple[int, ...]],
) -> None:
    """One chain from `top` to the farthest end; nearer ends branch off it."""
    ends.sort()
    links = threader.diagram.links
    text = max(links[index].text_across for *_, index in ends)
    size = (max(threader.spacing.chain, text), _TEXT_ALONG_PX if text else 0.0)
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
            dummy = threader.add_vertex(level, *size)
            threader.add_step(chain[-1], dummy, _known(at_top) if len(chain) == 1 else 0.0)
            chain.append(dummy)
        before = chain[-1]  # nearer ends come first
        if (before, bottom) not in joined:
            joined.add((before, bottom))
            leaves = _known(at_top) if before == top else 0.0
            threader.add_step(before, bottom, leaves, _known(at_bottom))
        path = (*chain, bottom)
        paths[index] = path[::-1] if is_turned else path


def _add_stubs(
    threader: _LayeredGraphBuilder, far: list[int], turned: frozenset[int]
) -> tuple[StubVertex, ...]:
    """A stub at each far source, one or a few at each far target; and the loose ones."""
    diagram = threader.diagram
    links, merged, along = diagram.links, diagram.merged_across, diagram.stub_along
    leaving: dict[tuple[int, bool], list[int]] = {}  # by node, and whether against the flow
    entering: dict[tuple[int, bool], dict[int, list[int]]] = {}
    for index in far:
        source, target, is_turned = links[index].source, links[index].target, index in turned
        leaving.setdefault((source, is_turned), []).append(index)
        entering.setdefault((target, is_turned), {}).setdefault(source, []).append(index)
    names = diagram.stub_across
    stubs: list[StubVertex] = []

    def add(
        node: int, numbers: tuple[int, ...], is_source: bool, is_after: bool, size: float, at: float
    ) -> None:
        vertex = threader.add_vertex(threader.rank[node] + (1 if is_after else -1), size, along)
        if is_after:
            threader.add_step(node, vertex, _known(at))
        else:
            threader.add_step(vertex, node, 0.0, _known(at))
        stubs.append(StubVertex(vertex, node, numbers, is_source, is_after))

    for (node, is_turned), indices in leaving.items():
        shift = links[indices[0]].source_shift
        add(node, tuple(indices), True, not is_turned, merged, shift)
    for (node, is_turned), by_source in entering.items():
        bundles = [(source, tuple(each)) for source, each in by_source.items()]
        if len(bundles) > MAX_STUBS_PER_NODE:
            bundles = [(-1, tuple(i for _, each in bundles for i in each))]
        for source, bundle in bundles:
            width = names[source] if source >= 0 and names else merged
            shift = links[bundle[0]].target_shift
            add(node, bundle, False, is_turned, width, shift)
    for number, loose in enumerate(diagram.loose, start=len(links)):
        is_source = loose.is_source
        add(loose.node, (number,), is_source, is_source, loose.across, loose.shift)
    stubs.sort(key=lambda stub: (stub.node, stub.is_after, stub.vertex))
    return tuple(stubs)


Route = tuple[tuple[float, float], ...]

ShouldStop = Callable[[], bool]


def never_stop() -> bool:
    """The default of `should_stop`: the layout runs to its end."""
    return False


class LayoutStopped(Exception):
    """The caller's `should_stop` said so."""


class DiagramEdge(NamedTuple):
    """An edge of a diagram.

    Attributes:
        source: Node the edge leaves.
        target: Node the edge enters.
        net: Edges of one source with the same net carry the same value and share their way.
        source_shift: Where the edge leaves, in pixels across from the node's centre; NaN lets the
            layout choose.
        target_shift: Where it enters, likewise.
        text_across: Size across of a text on it: such an edge passes a rank, and has room there.
    """

    source: int
    target: int
    net: int = 0
    source_shift: float = float("nan")
    target_shift: float = float("nan")
    text_across: float = 0.0


class LineAside(NamedTuple):
    """A line that leaves a node across the flow, and the drawing beside that."""

    node: int
    is_to_left: bool


class RequestedStub(NamedTuple):
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


@dataclass(frozen=True, slots=True)
class Diagram:
    """What is to be laid out: boxes of given sizes, and edges.

    Attributes:
        across: Size of each node across the flow, in pixels.
        along: Size of each node along the flow, in pixels.
        links: The edges. Cycles and self-loops are allowed.
        first: Nodes that must be on the first rank, such as ports by which values enter a group.
        last: Nodes that must be on the last rank.
        early: Nodes to keep at the begin rather than near their users.
        late: Nodes to keep on the last rank but that of `last`.
        low: Nodes that stand at the end of their rank, where others are longer, not at its begin.
        sequence: Nodes that stand in this order where they share a rank, and begin together there.
        fixed: Nodes that stand in this order where they share a rank, wherever that is.
        preferred: Pairs of nodes that had better stand in this order where they share a rank, if no
            more lines cross for it.
        upward: Indices of the links that run against the flow: the target stands before the source.
        outer: Pairs of nodes that had better both stand at the same end of their ranks, if no more
            lines cross for it: a line that is no edge leads there from one to the other.
        aside: Nodes from which a line that is no edge leads out of the drawing across the flow, to
            the right or, where it says so, to the left. It crosses the lines that pass there.
        gathered: Nodes that stand for many arguments or constants: where many lines lead from one
            past other ranks, these become stubs.
        stub_across: Size across the flow of a stub that names each node; for edges that are
            not drawn in full. Empty stands for no names.
        merged_across: Size across the flow of a stub that stands for several nodes.
        stub_along: Size of stubs along the flow.
        loose: Stubs beside those of edges that are too long.
        later: Pairs of nodes of which the second stands after the first, though no edge says so.
        wide: Nodes so wide that stubs must not stand beside them.
        most_across: Size across that the whole should not exceed: wider ranks are wrapped into
            several. Single nodes may be wider, and many lines side by side.
    """

    across: Sequence[float]
    along: Sequence[float]
    links: Sequence[DiagramEdge]
    first: frozenset[int] = frozenset()
    last: frozenset[int] = frozenset()
    early: frozenset[int] = frozenset()
    late: frozenset[int] = frozenset()
    low: frozenset[int] = frozenset()
    sequence: tuple[int, ...] = ()
    fixed: tuple[int, ...] = ()
    stub_across: Sequence[float] = ()
    merged_across: float = 76.0
    stub_along: float = 18.0
    loose: Sequence[RequestedStub] = ()
    later: tuple[tuple[int, int], ...] = ()
    wide: frozenset[int] = frozenset()
    most_across: float = math.inf
    preferred: tuple[tuple[int, int], ...] = ()
    gathered: frozenset[int] = frozenset()
    outer: tuple[tuple[int, int], ...] = ()
    upward: frozenset[int] = frozenset()
    aside: tuple[LineAside, ...] = ()


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Stub:
    """A label that stands for the far ends of edges that are not drawn.

    Attributes:
        node: The node it sits beside.
        links: The edges it stands for, as indices into the diagram's links; the loose stubs are
            numbered after them.
        is_source: Whether the edges leave the node there, not enter it. It stands after the node
            then, or before it where the edges run against the flow.
        x: Centre, across.
        y: Centre, along.
        across: Size across.
        line: From the node to the stub or back, as the edges lead.
    """

    node: int
    links: tuple[int, ...]
    is_source: bool
    x: float
    y: float
    across: float
    line: Route


@dataclass(frozen=True, slots=True)
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
