"""Chooses the layout engine of a group: our own, or Graphviz where it can lay the group out."""

from __future__ import annotations

import enum
import math
import shutil
import subprocess
import time
from collections.abc import Iterator

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Unavailable
from jaxscope.model.said import say, say_count
from jaxscope.model.units import upper_first
from jaxscope.picture.layout.diagram import (
    Diagram,
    Drawing,
    LayeredGraph,
    LayoutStopped,
    ShouldStop,
    Spacing,
    build_layered_graph,
    check_diagram,
    choose_max_span,
)
from jaxscope.picture.layout.layered import draw_layered_graph, keep_distances, layout_layered
from jaxscope.picture.layout.rank_assignment import rank_nodes

# Let Graphviz decide ranks, order and places of a diagram; drawing stays ours.
#
# `dot` draws small groups a little cleaner than our own layout, and takes minutes for others: long
# edges, not boxes, make it slow. So it gets only diagrams of a kind that it was measured to finish,
# without the edges that become stubs, with its own limits set, in a process that is killed after
# two seconds. Its positions are only targets: least distances, stubs and lines are made as for our
# own layout, so whatever it answers, nothing overlaps.

TIME_LIMIT_S = 2.0
MAX_NODES = 300
MAX_DUMMIES = 1500

_LIMITS = ("-Gnslimit=2", "-Gnslimit1=2", "-Gmclimit=0.5")
_PX_PER_INCH = 72.0
_SAME_RANK_PX = 1.0
_POLL_S = 0.02
_SAMPLES = 6  # of each piece of a curve

NodePair = tuple[int, int]
Curve = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What Graphviz says, in pixels, y growing along the flow."""

    x: list[float]
    y: list[float]
    curves: dict[NodePair, Curve]


def find_graphviz() -> str | None:
    """Path of `dot`, if it is installed."""
    return shutil.which("dot")


def layout_by_graphviz(
    diagram: Diagram, spacing: Spacing, program: str, should_stop: ShouldStop
) -> Drawing | Unavailable:
    """Lay a diagram out by Graphviz, or say why it did not.

    Raises:
        LayoutStopped: `should_stop` returned true.
        ValueError: As for `layout_layered`.
    """
    num = len(diagram.across)
    if num > MAX_NODES:
        return Unavailable(f"a group of {num:,} boxes is too large for Graphviz")
    check_diagram(diagram, num)
    ranks, turned = rank_nodes(
        num, diagram.links, diagram.first, diagram.last, upward=diagram.upward
    )
    pairs = _choose_pairs(diagram, ranks, turned, spacing)
    dummies = sum(ranks[bottom] - ranks[top] - 1 for top, bottom in pairs)
    if dummies > MAX_DUMMIES:
        return Unavailable("a group has too many long lines for Graphviz")
    text = _run(program, "\n".join(_describe(diagram, pairs, spacing)), should_stop)
    if isinstance(text, Unavailable):
        return text
    try:
        answer = _read(text, num)
        ranks = _rank_by_place(answer.y)
    except (ValueError, IndexError, KeyError):
        return Unavailable("Graphviz gave an answer that could not be read")
    flow = _directed(diagram, turned)
    if any(ranks[top] >= ranks[bottom] for top, bottom in flow if top != bottom):
        return Unavailable("Graphviz put the ends of a long line the wrong way round")
    ranks = _leave_room(diagram, ranks, flow, pairs)
    threads = build_layered_graph(diagram, ranks, turned, spacing)
    rows, x = _place(threads, answer, spacing)
    return draw_layered_graph(diagram, threads, rows, x, spacing)


def _choose_pairs(
    diagram: Diagram, ranks: list[int], turned: frozenset[int], spacing: Spacing
) -> list[NodePair]:
    """Ends of the edges that are drawn in full, each once, in the direction of flow."""
    longest = choose_max_span(diagram, ranks, spacing.max_span)
    pairs: dict[NodePair, None] = {}
    for top, bottom in _directed(diagram, turned):
        if 0 < ranks[bottom] - ranks[top] <= longest:
            pairs[top, bottom] = None
    return list(pairs)


def _directed(diagram: Diagram, turned: frozenset[int]) -> list[NodePair]:
    """Ends of every edge in the direction of flow."""
    return [
        (link.target, link.source) if index in turned else (link.source, link.target)
        for index, link in enumerate(diagram.links)
    ]


def _leave_room(
    diagram: Diagram, ranks: list[int], flow: list[NodePair], pairs: list[NodePair]
) -> list[int]:
    """The ranks, one lower if something on the first needs a stub before it."""
    drawn = set(pairs)
    if all(ranks[bottom] or (top, bottom) in drawn for top, bottom in flow if top != bottom):
        return ranks
    return [0 if node in diagram.first else rank + 1 for node, rank in enumerate(ranks)]


def _describe(diagram: Diagram, pairs: list[NodePair], spacing: Spacing) -> Iterator[str]:
    yield "digraph {"
    gaps = (spacing.across / _PX_PER_INCH, spacing.along / _PX_PER_INCH)
    yield f"nodesep={gaps[0]:.4f}; ranksep={gaps[1]:.4f};"
    yield 'node [shape=box, fixedsize=true, label=""]; edge [arrowhead=none];'
    for node, (across, along) in enumerate(zip(diagram.across, diagram.along, strict=True)):
        width, height = max(across, 1.0) / _PX_PER_INCH, max(along, 1.0) / _PX_PER_INCH
        yield f"n{node} [width={width:.4f}, height={height:.4f}];"
    for word, pinned in (("source", diagram.first), ("sink", diagram.last)):
        if pinned:
            yield f"{{ rank={word}; {' '.join(f'n{node}' for node in sorted(pinned))} }}"
    for top, bottom in pairs:
        yield f"n{top} -> n{bottom};"
    yield "}"


def _run(program: str, text: str, should_stop: ShouldStop) -> str | Unavailable:
    deadline = time.monotonic() + TIME_LIMIT_S
    try:
        process = subprocess.Popen(
            [program, "-Tplain", *_LIMITS],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError as error:
        return Unavailable(f"Graphviz could not be started: {error.strerror}")
    data: bytes | None = text.encode("ascii")
    with process:
        while True:
            try:
                answer, _ = process.communicate(data, timeout=_POLL_S)
                break
            except subprocess.TimeoutExpired:
                data = None  # it is kept and sent on by the next call
            if should_stop() or time.monotonic() > deadline:
                process.kill()
                process.communicate()
                if should_stop():
                    raise LayoutStopped
                return Unavailable(f"Graphviz took more than {TIME_LIMIT_S:g} s for a group")
    if process.returncode:
        return Unavailable("Graphviz failed")
    return answer.decode("ascii", "replace")


def _read(text: str, num: int) -> _Answer:
    """Read the `plain` format: lengths in inches, y growing upwards."""
    x, y = [math.nan] * num, [math.nan] * num
    curves: dict[NodePair, Curve] = {}
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["node"]:
            node = int(words[1].removeprefix("n"))
            x[node], y[node] = _to_px(words[2]), -_to_px(words[3])
        elif words[:1] == ["edge"]:
            ends = (int(words[1].removeprefix("n")), int(words[2].removeprefix("n")))
            count = int(words[3])
            numbers = [_to_px(word) for word in words[4 : 4 + 2 * count]]
            curves[ends] = [(numbers[i], -numbers[i + 1]) for i in range(0, 2 * count, 2)]
    if not all(map(math.isfinite, x + y)):
        raise ValueError("a node has no place")
    return _Answer(x, y, curves)


def _to_px(word: str) -> float:
    number = float(word) * _PX_PER_INCH
    if not math.isfinite(number):
        raise ValueError("a place is nowhere")
    return number


def _rank_by_place(y: list[float]) -> list[int]:
    """Nodes of one rank have the same y."""
    ranks, rank, last = [0] * len(y), -1, -math.inf
    for node in sorted(range(len(y)), key=y.__getitem__):
        if y[node] - last > _SAME_RANK_PX:
            rank += 1
        last = y[node]
        ranks[node] = rank
    return ranks


def _place(
    threads: LayeredGraph, answer: _Answer, spacing: Spacing
) -> tuple[list[list[int]], list[float]]:
    """Order each rank as `dot` did, with positions as near to its own as distances allow."""
    wanted = _wanted_positions(threads, answer)
    rows: list[list[int]] = [[] for _ in range(threads.num_ranks)]
    for v, rank in enumerate(threads.rank):
        rows[rank].append(v)
    x = [0.0] * len(wanted)
    for row in rows:
        row.sort(key=lambda v: (wanted[v], v))
        keep_distances(row, threads.across, spacing.across, wanted, x)
    return rows, x


def _wanted_positions(threads: LayeredGraph, answer: _Answer) -> list[float]:
    """Nodes where they were put, lines along their curves, stubs at their nodes."""
    wanted = [*answer.x, *[math.nan] * (len(threads.rank) - threads.num_nodes)]
    heights = dict(zip(threads.rank[: threads.num_nodes], answer.y, strict=True))
    for path in threads.paths:
        if len(path) < 3:
            continue
        way = path if threads.rank[path[0]] < threads.rank[path[-1]] else path[::-1]
        ends = (way[0], way[-1])
        begin, end = ((answer.x[v], answer.y[v]) for v in ends)
        curve = [begin, *_sample(answer.curves.get(ends, [])), end]
        curve.sort(key=lambda place: place[1])
        at = np.interp(
            [heights.get(threads.rank[v], begin[1]) for v in way[1:-1]],
            [place[1] for place in curve],
            [place[0] for place in curve],
        )
        for v, place in zip(way[1:-1], at.tolist(), strict=True):
            if math.isnan(wanted[v]):  # of lines that share their way the first decides
                wanted[v] = place
    for stub in threads.stubs:
        wanted[stub.vertex] = answer.x[stub.node]
    return wanted


def _sample(points: Curve) -> Iterator[tuple[float, float]]:
    """Places on a chain of cubic curves: a start, then three points for each piece."""
    for first in range(0, len(points) - 3, 3):
        p, q, r, s = points[first : first + 4]
        for step in range(_SAMPLES + 1):
            t = step / _SAMPLES
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            yield (
                a * p[0] + b * q[0] + c * r[0] + d * s[0],
                a * p[1] + b * q[1] + c * r[1] + d * s[1],
            )


_TOTAL_LIMIT_S = 6.0
"""Of Graphviz for one picture: hundreds of groups would take a minute."""

LayoutCache = dict[object, Drawing]
"""Drawings by diagram: alike groups are laid out once, and what stays open keeps its layout."""


class Engine(enum.Enum):
    """The layout engines that can be chosen."""

    OWN = "own"
    GRAPHVIZ = "graphviz"


class GroupLayouts:
    """Lays diagrams out for one scene; where Graphviz does not, ours does, and the reason is kept.

    Args:
        engine: Who is asked first.
        spacing: Distances.
        cache: Layouts of earlier scenes, added to.
        should_stop: Asked often.
    """

    def __init__(
        self, engine: Engine, spacing: Spacing, cache: LayoutCache, should_stop: ShouldStop
    ) -> None:
        self._engine = engine
        self._spacing = spacing
        self._cache = cache
        self._should_stop = should_stop
        self._program = find_graphviz() if engine is Engine.GRAPHVIZ else None
        self._spent_s = 0.0
        self._reasons: dict[str, int] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the person who chose Graphviz: what it did not lay out, and why."""
        if self._engine is Engine.GRAPHVIZ and self._program is None:
            return (say("Graphviz is not installed: jaxscope lays graphs out itself."),)
        return tuple(
            say(
                "{reason}: jaxscope laid out {groups} itself.",
                reason=reason,
                groups=say_count(count, "group"),
            )
            for reason, count in self._reasons.items()
        )

    def lay_out(self, diagram: Diagram) -> Drawing:
        """The drawing of a diagram.

        Raises:
            LayoutStopped: `should_stop` returned true.
        """
        key = (diagram, self._spacing, self._program)
        drawing = self._cache.get(key)
        if drawing is None:
            drawing = self._ask_graphviz(diagram) or layout_layered(
                diagram, self._spacing, self._should_stop
            )
            self._cache[key] = drawing
        return drawing

    def _ask_graphviz(self, diagram: Diagram) -> Drawing | None:
        if self._program is None or not diagram.links or diagram.loose:
            return None
        answer: Drawing | Unavailable
        if self._spent_s > _TOTAL_LIMIT_S:
            answer = Unavailable("Graphviz would take too long for all groups")
        else:
            before_s = time.monotonic()
            answer = layout_by_graphviz(diagram, self._spacing, self._program, self._should_stop)
            self._spent_s += time.monotonic() - before_s
        if isinstance(answer, Drawing):
            return answer
        reason = upper_first(answer.reason)
        self._reasons[reason] = self._reasons.get(reason, 0) + 1
        return None
