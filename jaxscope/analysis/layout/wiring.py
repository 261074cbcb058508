"""Which lines each open group must show, given which groups are open.

A value from a box to a box in another group is drawn in pieces: out of the groups around its
producer, across the innermost group that holds both, and into the groups around its user. Values
that travel together share their pieces and the ports by which they cross a border.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import NamedTuple

from jaxscope.analysis.view.view import ROOT, View

Values = dict[int, int]
"""Nodes that produce the values of a wire, each with its type's index in the string table."""


class Port(NamedTuple):
    """Where values cross the border of a group.

    Attributes:
        bundle: Number of the bundle of values.
        is_entry: Whether they enter the group.
    """

    bundle: int
    is_entry: bool


End = int | Port


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Wire:
    """A line that a group shows.

    Attributes:
        source: A box, or a port of the group.
        target: A box, or a port of the group.
        bundle: Values that travel together; lines of one bundle share their way.
        values: The values.
    """

    source: End
    target: End
    bundle: int
    values: Values


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Wiring:
    """All wires of a view with some groups open.

    Attributes:
        shown: Of each box the box that shows it: itself, or the outermost closed group around.
        is_open: Of each box, whether its inside is shown.
        wires: By open group.
        bundle_source: Box that each bundle of values leaves, for labels.
        bundle_targets: Boxes that each bundle reaches.
    """

    shown: list[int]
    is_open: list[bool]
    wires: dict[int, list[Wire]]
    bundle_source: list[int]
    bundle_targets: list[list[int]]


def wire_view(view: View, expanded: frozenset[str]) -> Wiring:
    """Find the wires. Ids in `expanded` that the view does not have are ignored."""
    shown, is_open = _find_shown(view, expanded)
    parents = [box.parent for box in view.boxes]
    depth = [0] * len(parents)
    for index in range(1, len(parents)):
        depth[index] = depth[parents[index]] + 1
    pairs: dict[tuple[int, int], Values] = {}
    for edge in view.edges:
        source, target = shown[edge.source], shown[edge.target]
        if source != target:
            pairs.setdefault((source, target), {}).setdefault(edge.node, edge.type)
    paths: list[tuple[list[int], list[int], int, Values]] = []
    crossings: dict[tuple[int, int, int], Values] = {}
    for (source, target), values in pairs.items():
        climb = _climb(source, target, parents, depth)
        if climb is None:
            continue
        out, into, top = climb
        paths.append((out, into, top, values))
        crossings.setdefault((top, out[-1], into[-1]), {}).update(values)
    return _join(shown, is_open, paths, crossings)


def _find_shown(view: View, expanded: frozenset[str]) -> tuple[list[int], list[bool]]:
    shown, is_open = [ROOT], [True]
    for index in range(1, len(view.boxes)):
        box = view.boxes[index]
        is_seen = is_open[box.parent]
        shown.append(index if is_seen else shown[box.parent])
        is_open.append(is_seen and bool(box.children) and box.id in expanded)
    return shown, is_open


def _climb(
    source: int, target: int, parents: list[int], depth: list[int]
) -> tuple[list[int], list[int], int] | None:
    """The boxes from each end up to below the innermost box that holds both, and that box.

    None where one end is inside the other: such a line has no place to be drawn.
    """
    out, into = [source], [target]
    while depth[source] > depth[target]:
        source = parents[source]
        out.append(source)
    while depth[target] > depth[source]:
        target = parents[target]
        into.append(target)
    if source == target:
        return None
    while parents[source] != parents[target]:
        source, target = parents[source], parents[target]
        out.append(source)
        into.append(target)
    return out, into, parents[source]


def _join(
    shown: list[int],
    is_open: list[bool],
    paths: list[tuple[list[int], list[int], int, Values]],
    crossings: dict[tuple[int, int, int], Values],
) -> Wiring:
    bundles: dict[tuple[int, frozenset[int]], int] = {}
    bundle_of: dict[tuple[int, int, int], int] = {}
    sources: list[int] = []
    targets: list[list[int]] = []
    pieces: dict[int, dict[tuple[End, End, int], Values]] = {}
    for crossing, values in crossings.items():
        top, source, target = crossing
        bundle = bundles.setdefault((source, frozenset(values)), len(bundles))
        if bundle == len(sources):
            sources.append(source)
            targets.append([])
        targets[bundle].append(target)
        bundle_of[crossing] = bundle
        pieces.setdefault(top, {})[source, target, bundle] = values
    for out, into, top, values in paths:
        bundle = bundle_of[top, out[-1], into[-1]]
        for below, group in itertools.pairwise(out):
            leaving = (below, Port(bundle, False), bundle)
            pieces.setdefault(group, {}).setdefault(leaving, {}).update(values)
        for below, group in itertools.pairwise(into):
            entering = (Port(bundle, True), below, bundle)
            pieces.setdefault(group, {}).setdefault(entering, {}).update(values)
    wires = {
        group: [Wire(*key, values) for key, values in inside.items()]
        for group, inside in pieces.items()
    }
    return Wiring(shown, is_open, wires, sources, targets)
