"""Which class of colour each box of a picture belongs to, and what the classes mean."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Collection, Mapping

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.quantities import (
    format_bytes,
    format_flops,
    format_seconds,
    three_digits,
)
from jaxscope.analysis.tint.fates import FATES, fate_codes
from jaxscope.analysis.tint.origins import find_origins
from jaxscope.analysis.tint.values import count_result_bytes, most_common, sum_by_item
from jaxscope.model import Direction, Graph

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]

NUM_LEVELS = 5
_STEP = 4.0
"""Each level begins at a quarter of the one above it: the five span a factor of 256 and more."""
_INTENSITIES = (0.25, 1.0, 4.0, 16.0)
_MAX_SCOPES = 7


class ColourBy(enum.Enum):
    """What colours tell; the value is fit to show."""

    FAMILY = "operation"
    DIRECTION = "direction"
    SCOPE = "scope"
    FLOPS = "FLOPs"
    BYTES = "memory traffic"
    INTENSITY = "intensity"
    MEMORY = "size of results"
    TIME = "measured time"
    FATE = "fate"
    ORIGIN = "origin"
    SAME = "same as selected"


@dataclasses.dataclass(frozen=True, slots=True)
class TintClass:
    """One colour.

    Attributes:
        name: What it means, values included; fit for a legend.
        level: From 0 to `NUM_LEVELS - 1` on a scale; -1 for a kind of its own, see `kind`.
        kind: Number of a kind's colour; 0 is the neutral one.
        is_dashed: Whether the border is dashed, for those who do not see the colour.
    """

    name: str
    level: int = -1
    kind: int = 0
    is_dashed: bool = False


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Tint:
    """The colours of a picture.

    Attributes:
        classes: Those that occur, in the order of the legend.
        of_item: int16, index into `classes` of each item; -1 keeps an item's own colour.
        share: float64, of each item its part of the largest value; NaN where there is none.
        note: What to say where nothing is coloured, or empty.
    """

    classes: tuple[TintClass, ...]
    of_item: npt.NDArray[np.int16]
    share: Floats
    note: str = ""


def tint_scene(
    graph: Graph,
    scene: Scene,
    by: ColourBy,
    selected: Collection[int] = (),
    fates: Mapping[str, str] | None = None,
) -> Tint | None:
    """Colour a picture; None for `FAMILY`, which is how boxes are coloured by themselves.

    Args:
        graph: What the picture shows.
        scene: The picture.
        by: What colours tell.
        selected: Node indices, for `SAME`.
        fates: Names of fates by the id of the equation, for `FATE`.
    """
    if by is ColourBy.FAMILY:
        return None
    if by is ColourBy.DIRECTION:
        return _by_direction(graph, scene)
    if by is ColourBy.SCOPE:
        return _by_scope(graph, scene)
    if by is ColourBy.SAME:
        return _by_likeness(graph, scene, selected)
    if by is ColourBy.FATE:
        return _by_fate(graph, scene, fates or {})
    if by is ColourBy.ORIGIN:
        return _by_origin(graph, scene)
    if by is ColourBy.INTENSITY:
        return _by_intensity(graph, scene)
    values, format_value = _VALUES[by](graph)
    return _by_amount(scene, sum_by_item(graph, scene, values), format_value)


_VALUES: dict[ColourBy, Callable[[Graph], tuple[Floats, Callable[[float], str]]]] = {
    ColourBy.FLOPS: lambda graph: (graph.nodes.cost[:, 0], format_flops),
    ColourBy.BYTES: lambda graph: (graph.nodes.cost[:, 1], format_bytes),
    ColourBy.MEMORY: lambda graph: (count_result_bytes(graph), format_bytes),
    ColourBy.TIME: lambda graph: (graph.nodes.seconds, format_seconds),
}


def _pack(
    scene: Scene, codes: Int32s, classes: list[TintClass], share: Floats | None = None
) -> Tint:
    """Keep the classes that occur; frames keep their own colours."""
    codes = codes.copy()
    codes[: scene.items.num_frames] = -1
    used = np.unique(codes[codes >= 0])
    numbers = np.full(len(classes) + 1, -1, np.int16)
    numbers[used] = np.arange(len(used), dtype=np.int16)
    kept = tuple(classes[number] for number in used.tolist())
    nothing = np.full(len(codes), np.nan)
    note = "" if kept else "nothing of this is known here"
    return Tint(kept, numbers[codes], nothing if share is None else share, note)


def _by_amount(scene: Scene, values: Floats, format_value: Callable[[float], str]) -> Tint:
    boxes = values[scene.items.num_frames :]
    most = float(np.nanmax(boxes, initial=0.0))
    if most <= 0:
        return _nothing(scene, "nothing of this is known here")
    bounds = [most / _STEP**power for power in range(NUM_LEVELS - 1, 0, -1)]
    names = [f"below {format_value(bounds[0])}"]
    names += [f"from {format_value(bound)}" for bound in bounds[:-1]]
    names.append(f"{format_value(bounds[-1])} to {format_value(most)}")
    classes = [TintClass(name, level) for level, name in enumerate(names)]
    classes += [TintClass("none"), TintClass("unknown", is_dashed=True)]
    levels = np.searchsorted(bounds, np.nan_to_num(values), side="right")
    codes = np.where(np.isnan(values), NUM_LEVELS + 1, np.where(values <= 0, NUM_LEVELS, levels))
    return _pack(scene, codes.astype(np.int32), classes, np.minimum(values / most, 1.0))


def _nothing(scene: Scene, note: str) -> Tint:
    size = len(scene.items)
    return Tint((), np.full(size, -1, np.int16), np.full(size, np.nan), note)


def _by_intensity(graph: Graph, scene: Scene) -> Tint:
    flops = sum_by_item(graph, scene, graph.nodes.cost[:, 0])
    num_bytes = sum_by_item(graph, scene, graph.nodes.cost[:, 1])
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(num_bytes > 0, flops / num_bytes, np.nan)
    names = [f"below {_INTENSITIES[0]:g} FLOP/B"]
    names += [f"from {three_digits(bound)} FLOP/B" for bound in _INTENSITIES]
    classes = [TintClass(name, level) for level, name in enumerate(names)]
    levels = np.searchsorted(_INTENSITIES, np.nan_to_num(values), side="right")
    codes = np.where(np.isnan(values), -1, levels).astype(np.int32)
    most = float(np.nanmax(values[scene.items.num_frames :], initial=1e-30))
    return _pack(scene, codes, classes, np.minimum(values / most, 1.0))


def _by_fate(graph: Graph, scene: Scene, fates: Mapping[str, str]) -> Tint:
    if not fates:
        return _nothing(scene, "fates belong to the equations of the jaxpr")
    classes = [TintClass(words, kind=kind, is_dashed=dashed) for _, words, kind, dashed in FATES]
    return _pack(scene, fate_codes(graph, scene, fates), classes)


def _by_origin(graph: Graph, scene: Scene) -> Tint:
    origins = find_origins(graph)
    if origins is None:
        return _nothing(scene, "no node here tells where it came from")
    num_names = len(origins.names)
    classes = [TintClass(name, kind=number + 1) for number, name in enumerate(origins.names)]
    classes += [TintClass(origins.others, is_dashed=True), TintClass("no known origin")]
    of_item = most_common(origins.codes, scene.item_of_node, len(scene.items))
    return _pack(scene, np.where(of_item < 0, num_names + 1, of_item).astype(np.int32), classes)


def _by_direction(graph: Graph, scene: Scene) -> Tint:
    items, size = scene.item_of_node, len(scene.items)
    direction = graph.nodes.direction

    def has(wanted: Direction) -> npt.NDArray[np.bool_]:
        chosen = items[(direction == wanted) & (items >= 0)]
        return np.bincount(chosen, minlength=size).astype(bool)

    forward, backward = has(Direction.FORWARD), has(Direction.BACKWARD)
    codes = np.where(forward & backward, 2, np.where(backward, 1, np.where(forward, 0, 3)))
    classes = [
        TintClass("forward", kind=1),
        TintClass("backward", kind=2, is_dashed=True),
        TintClass("both", kind=4),
        TintClass("neither"),
    ]
    return _pack(scene, codes.astype(np.int32), classes)


def _by_scope(graph: Graph, scene: Scene) -> Tint:
    scopes = graph.nodes.scope
    depth = _telling_depth(graph)
    codes = np.full(len(graph.nodes), -1, np.int32)
    has_one = scopes.lengths() > depth
    strings = scopes.values[scopes.offsets[:-1][has_one] + depth]
    found, counts = np.unique(strings, return_counts=True)
    ranked = found[np.argsort(-counts, kind="stable")][:_MAX_SCOPES]
    place = {int(string): number for number, string in enumerate(ranked.tolist())}
    codes[has_one] = [place.get(string, _MAX_SCOPES) for string in strings.tolist()]
    classes = [
        TintClass(graph.strings[string], kind=number + 1)
        for number, string in enumerate(ranked.tolist())
    ]
    classes += [TintClass("")] * (_MAX_SCOPES - len(ranked))
    classes += [TintClass("other scopes", is_dashed=True), TintClass("no scope")]
    of_item = most_common(codes, scene.item_of_node, len(scene.items))
    return _pack(scene, np.where(of_item < 0, _MAX_SCOPES + 1, of_item).astype(np.int32), classes)


def _telling_depth(graph: Graph) -> int:
    """How many outer scopes all nodes share: colours begin where scopes begin to differ."""
    scopes, depth = graph.nodes.scope, 0
    while True:
        deeper = scopes.offsets[:-1][scopes.lengths() > depth]
        if not len(deeper):
            return 0
        if len(np.unique(scopes.values[deeper + depth])) > 1:
            return depth
        depth += 1


def _by_likeness(graph: Graph, scene: Scene, selected: Collection[int]) -> Tint:
    nodes = graph.nodes
    chosen = next((node for node in selected if 0 <= node < len(nodes)), None)
    if chosen is None:
        return _nothing(scene, "select something first")
    is_same = nodes.operation == nodes.operation[chosen]
    types = nodes.types[chosen].tolist()
    alike = np.zeros(len(nodes), bool)
    for node in np.flatnonzero(is_same).tolist():
        alike[node] = nodes.types[node].tolist() == types
    items, size = scene.item_of_node, len(scene.items)
    has_same = np.bincount(items[is_same & (items >= 0)], minlength=size).astype(bool)
    has_alike = np.bincount(items[alike & (items >= 0)], minlength=size).astype(bool)
    name = graph.string(nodes.operation, chosen)
    classes = [
        TintClass(f"{name} of the same types ({int(alike.sum()):,})", kind=1),
        TintClass(f"{name} of other types ({int((is_same & ~alike).sum()):,})", kind=2,
                  is_dashed=True),
        TintClass("other"),
    ]  # fmt: skip
    return _pack(scene, np.where(has_alike, 0, np.where(has_same, 1, 2)).astype(np.int32), classes)
