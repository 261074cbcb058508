"""Which class of colour each box belongs to (cost, bytes, fate, origin, direction, scope,
likeness), what classes mean, and their colours in both themes.

Colours follow Okabe and Ito's set; levels go from pale to strong in one hue, so that they keep
their order in grey.
"""

from __future__ import annotations

import enum
import ntpath
import re
from collections.abc import Callable, Collection, Mapping

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Direction, Graph, NodeKind, Ragged
from jaxscope.model.graph import distinct
from jaxscope.model.operations import LOOPS
from jaxscope.model.said import say
from jaxscope.model.types import type_bytes
from jaxscope.model.units import format_bytes, format_flops, format_seconds, three_digits
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.tree import read_all_orders
from jaxscope.program.cost.trip_counts import RUN_ONE, taken_program

# Numbers of boxes: what the nodes behind each box of a picture cost, each counted once.


Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]


def sum_by_item(graph: Graph, scene: Scene, values: Floats) -> Floats:
    """The sum of the nodes' values for each item of a scene; NaN where none is known.

    A fusion or a call already counts what is inside it: nodes inside a node whose value is known
    are left out of the box that shows both. Of a branch shown in one box the dearest arm counts.
    """
    items, used = scene.item_of_node.astype(np.int64), _find_counted(graph, scene, values)
    sums = np.bincount(items[used], values[used], len(scene.items))
    counts = np.bincount(items[used], minlength=len(scene.items))
    result: Floats = np.where(counts > 0, sums, np.nan)
    return result


def _find_counted(graph: Graph, scene: Scene, values: Floats) -> npt.NDArray[np.int64]:
    """The nodes of which `sum_by_item` is the sum, rising."""
    items = scene.item_of_node.astype(np.int64)
    around = _known_owners(graph, values)[graph.nodes.group]
    is_counted = (around != NONE) & (items[np.maximum(around, 0)] == items)
    is_used = (items >= 0) & ~is_counted & ~np.isnan(values)
    not_run = _owners_of_other_arms(graph, np.where(is_used, values, 0.0))[graph.nodes.group]
    is_used &= (not_run == NONE) | (items[np.maximum(not_run, 0)] != items)
    return np.flatnonzero(is_used)


def _counts_one_round(graph: Graph, scene: Scene, values: Floats) -> bool:
    """Whether some of the costs in a picture are those of one round of a loop.

    A jaxpr's scan counts all its rounds, what is inside of it one; XLA counts one round of each.
    """
    loops = graph.nodes_of(LOOPS)
    if not loops:
        return False
    of_group = np.zeros(len(graph.groups) + 1, bool)  # the last entry is of nodes in no group
    is_loop = np.zeros(len(graph.nodes) + 1, bool)
    is_loop[loops] = True
    for group, (parent, owner) in enumerate(
        zip(graph.groups.parent.tolist(), graph.groups.owner.tolist(), strict=True)
    ):
        of_group[group] = of_group[parent] or is_loop[owner]
    is_loop[graph.nodes_of(["scan"])] = False
    counted = _find_counted(graph, scene, values)
    return bool((of_group[graph.nodes.group[counted]] | is_loop[counted]).any())


def _known_owners(graph: Graph, values: Floats) -> Int32s:
    """For each group the innermost owner around with a known value; the last entry is `NONE`."""
    owners: list[int] = []
    is_known = ~np.isnan(values)
    for parent, owner in zip(
        graph.groups.parent.tolist(), graph.groups.owner.tolist(), strict=True
    ):
        outer = owners[parent] if parent != NONE else NONE
        owners.append(owner if owner != NONE and is_known[owner] else outer)
    return np.asarray([*owners, NONE], np.int32)


def _owners_of_other_arms(graph: Graph, values: Floats) -> Int32s:
    """For each group the innermost branch of which it is in an arm that does not run, or that does
    less than another by the nodes' values; `NONE` for the others and for the last entry."""
    groups, num_groups = graph.groups, len(graph.groups)
    owned = graph.owned_groups()
    arms = {node: owned[node] for node in graph.nodes_of(RUN_ONE) if node in owned}
    result = np.full(num_groups + 1, NONE, np.int32)
    if not arms:
        return result
    by_id = graph.group_by_id()
    sums = np.bincount(graph.nodes.group + 1, values, num_groups + 1)[1:]
    is_other = np.zeros(num_groups, bool)
    for group in range(num_groups - 1, -1, -1):  # a parent comes before its groups
        owner, parent = int(groups.owner[group]), int(groups.parent[group])
        counted = group
        if owner in arms:
            if group != arms[owner][0]:
                continue  # with the first arm the sums of all are known
            called = graph.called_groups(owner, owned, by_id)
            taken = taken_program(graph.operation(owner), graph.attributes(owner), called)
            counted = max(arms[owner], key=sums.__getitem__) if taken is None else taken
            is_other[[arm for arm in arms[owner] if arm != counted]] = True
        if parent != NONE:
            sums[parent] += sums[counted]
    for group, (parent, owner) in enumerate(
        zip(groups.parent.tolist(), groups.owner.tolist(), strict=True)
    ):
        result[group] = owner if is_other[group] else result[parent]
    return result


def count_result_bytes(graph: Graph) -> Floats:
    """Payload bytes of each node's results; NaN where a type's size is not known."""
    sizes = np.full(max(len(graph.strings), 1), np.nan)
    types: Ragged = graph.nodes.types
    for index in distinct(types.values).tolist():
        sizes[index] = type_bytes(graph.strings[index])
    sums = np.bincount(types.row_numbers(), sizes[types.values], len(graph.nodes))
    result: Floats = np.where(types.lengths() > 0, sums, np.nan)
    return result


def most_common(codes: Int32s, items: Int32s, num_items: int, mixed: int = NONE) -> Int32s:
    """The code that most of an item's nodes have, -1 for items without any; codes below 0 are
    not counted.

    Args:
        mixed: What an item has in its place of which no code is that of more than half.
    """
    used = (items >= 0) & (codes >= 0)
    if not used.any():
        return np.full(num_items, -1, np.int32)
    num_codes = int(codes.max()) + 1
    table = np.bincount(
        items[used].astype(np.int64) * num_codes + codes[used], minlength=num_items * num_codes
    ).reshape(num_items, num_codes)
    found = table.argmax(axis=1)
    if mixed != NONE:
        found = np.where(2 * table.max(axis=1) > table.sum(axis=1), found, mixed)
    return np.where(table.any(axis=1), found, -1).astype(np.int32)


# Colours by fate: what became of each equation in the optimized module.


FATES = (
    ("fused", "fused", 1, False),
    ("kernel", "a kernel of its own", 6, False),
    ("library", "a library's", 2, False),
    ("layout", "only moves bytes", 5, False),
    ("folded", "became a constant", 3, False),
    ("merged", "merged with another", 4, False),
    ("simplified", "rewritten away", 7, False),
    ("dead", "dead: nothing uses it", 0, True),
    ("unknown", "unknown", 0, True),
)
"""Name, words for the legend, colour, and whether the border is dashed."""

NO_FATES: Mapping[str, str] = {}
"""Of a graph whose equations have none."""

_CODES = {name: code for code, (name, *_) in enumerate(FATES)}


def fate_codes(graph: Graph, scene: Scene, fates: Mapping[str, str]) -> Int32s:
    """The place in `FATES` of each item of a scene, -1 where none is known.

    A closed box has the fate of more than half of what is in it, or the number of `FATES` where
    none is that; equations that are only a box around others are not counted.
    """
    codes = np.full(len(graph.nodes), -1, np.int32)
    is_meant = graph.nodes.kind == NodeKind.EQUATION
    owners = graph.groups.owner
    is_meant[owners[owners != NONE]] = False
    ids = (graph.strings[number] for number in graph.nodes.id[is_meant].tolist())
    codes[is_meant] = [_CODES.get(fates.get(id, ""), -1) for id in ids]
    return most_common(codes, scene.item_of_node, len(scene.items), len(FATES))


# Colours by origin: which lines or functions of the source, or which equations, boxes came from.
#
# The finest of these that can be distinguished is used: lines where there are few, else functions.
# A graph without places in the source is divided by the equations that its nodes came from.


_NUMBERS = re.compile(r"([0-9]+)")

MAX_ORIGINS = 7
"""So many have a colour of their own; more could not be distinguished."""


@dataclass(frozen=True, eq=False, slots=True)
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
        is_one_function = len(distinct(by_function)) == 1
        if is_one_function or len(distinct(by_line)) <= MAX_ORIGINS:
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
    return f"{place.short}{inside}"


def _name_function(graph: Graph, node: int) -> str:
    place = graph.source(node)[0]
    return f"{_short(place.function) or 'no function'} of {ntpath.basename(place.file)}"


def _short(function: str) -> str:
    """Without the functions around it."""
    return function.rpartition("<locals>.")[2]


def _name_equation(graph: Graph, node: int) -> str:
    return f"equation {graph.origins(node)[0]}"


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


NUM_LEVELS = 5
_STEP = 4.0
"""Each level begins at a quarter of the one above it: the five span a factor of 256 and more."""
_INTENSITIES = (0.25, 1.0, 4.0, 16.0)
_MAX_SCOPES = 7


class ColourBy(enum.Enum):
    """What colours mean; the value is fit to show."""

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


@dataclass(frozen=True, slots=True)
class TintClass:
    """A colour of a legend and what it stands for.

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


@dataclass(frozen=True, eq=False, slots=True)
class Tint:
    """The colours of a picture.

    Attributes:
        classes: Those that occur, in the order of the legend.
        of_item: int16, index into `classes` of each item; -1 keeps an item's own colour.
        share: float64, of each item its part of the largest value; NaN where there is none.
        note: What to say where nothing is coloured, or of what amounts leave out; or empty.
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
    fates: Mapping[str, str] | None = NO_FATES,
) -> Tint | None:
    """Colour a picture; None for `FAMILY`, which is how boxes are coloured by themselves.

    Args:
        graph: What the picture shows.
        scene: The picture.
        by: What colours mean.
        selected: Node indices, for `SAME`.
        fates: Names of fates by the id of the equation, for `FATE`; None while they are found.
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
        return _by_fate(graph, scene, fates)
    if by is ColourBy.ORIGIN:
        return _by_origin(graph, scene)
    if by is ColourBy.INTENSITY:
        return _by_intensity(graph, scene)
    values, format_value = _VALUES[by](graph)
    tint = _by_amount(scene, sum_by_item(graph, scene, values), format_value)
    if by not in (ColourBy.FLOPS, ColourBy.BYTES) or not tint.classes:
        return tint
    note = say("in loops: cost of one round") if _counts_one_round(graph, scene, values) else ""
    return Tint(tint.classes, tint.of_item, tint.share, note)


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
    used = distinct(codes[codes >= 0])
    numbers = np.full(len(classes) + 1, -1, np.int16)
    numbers[used] = np.arange(len(used), dtype=np.int16)
    kept = tuple(classes[number] for number in used.tolist())
    nothing = np.full(len(codes), np.nan)
    note = "" if kept else say("nothing of this is known here")
    return Tint(kept, numbers[codes], nothing if share is None else share, note)


def _by_amount(scene: Scene, values: Floats, format_value: Callable[[float], str]) -> Tint:
    boxes = values[scene.items.num_frames :]
    most = float(np.nanmax(boxes, initial=0.0))
    if most <= 0:
        return _nothing(scene, say("nothing of this is known here"))
    bounds = [most / _STEP**power for power in range(NUM_LEVELS - 1, 0, -1)]
    names = [say("below {amount}", amount=format_value(bounds[0]))]
    names += [say("from {amount}", amount=format_value(bound)) for bound in bounds[:-1]]
    names.append(say("{low} to {high}", low=format_value(bounds[-1]), high=format_value(most)))
    classes = [TintClass(name, level) for level, name in enumerate(names)]
    classes += [TintClass(say("none")), TintClass(say("unknown"), is_dashed=True)]
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
    names = [say("below {amount}", amount=f"{_INTENSITIES[0]:g} FLOP/B")]
    names += [
        say("from {amount}", amount=f"{three_digits(bound)} FLOP/B") for bound in _INTENSITIES
    ]
    classes = [TintClass(name, level) for level, name in enumerate(names)]
    levels = np.searchsorted(_INTENSITIES, np.nan_to_num(values), side="right")
    codes = np.where(np.isnan(values), -1, levels).astype(np.int32)
    most = float(np.nanmax(values[scene.items.num_frames :], initial=1e-30))
    return _pack(scene, codes, classes, np.minimum(values / most, 1.0))


def _by_fate(graph: Graph, scene: Scene, fates: Mapping[str, str] | None) -> Tint:
    if fates is None:
        return _nothing(scene, say("the fates are being worked out …"))
    if not fates:
        return _nothing(scene, say("fates belong to the equations of the jaxpr"))
    classes = [TintClass(words, kind=kind, is_dashed=dashed) for _, words, kind, dashed in FATES]
    classes.append(TintClass(say("several fates")))
    return _pack(scene, fate_codes(graph, scene, fates), classes)


def _by_origin(graph: Graph, scene: Scene) -> Tint:
    origins = find_origins(graph)
    if origins is None:
        return _nothing(scene, say("no node here tells where it came from"))
    num_names = len(origins.names)
    classes = [TintClass(name, kind=number + 1) for number, name in enumerate(origins.names)]
    classes += [TintClass(origins.others, is_dashed=True), TintClass(say("no known origin"))]
    of_item = most_common(origins.codes, scene.item_of_node, len(scene.items))
    return _pack(scene, np.where(of_item < 0, num_names + 1, of_item).astype(np.int32), classes)


_ORDER_KINDS = (3, 5, 6, 7)


def _by_direction(graph: Graph, scene: Scene) -> Tint:
    """Forward or backward; of a gradient of a gradient also the part of which derivative."""
    items, size = scene.item_of_node, len(scene.items)
    direction = graph.nodes.direction
    orders = read_all_orders(graph)
    further = sorted({text for text in orders.values() if " of " in text})[: len(_ORDER_KINDS)]
    order = np.full(len(graph.nodes), -1, np.int32)
    for node, text in orders.items():
        order[node] = further.index(text) if text in further else -1

    def has(wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        return np.bincount(items[wanted & (items >= 0)], minlength=size).astype(bool)

    first = order < 0
    held = [has((direction == each) & first) for each in (Direction.FORWARD, Direction.BACKWARD)]
    held += [has(order == number) for number in range(len(further))]
    classes = [TintClass("forward", kind=1), TintClass("backward", kind=2, is_dashed=True)]
    classes += [
        TintClass(text, kind=kind, is_dashed=True)
        for text, kind in zip(further, _ORDER_KINDS, strict=False)
    ]
    several, none = len(held), len(held) + 1
    count = np.sum(held, axis=0)
    codes = np.where(count > 1, several, np.where(count, np.argmax(held, axis=0), none))
    classes += [TintClass("several" if further else "both", kind=4), TintClass("neither")]
    return _pack(scene, codes.astype(np.int32), classes)


def _by_scope(graph: Graph, scene: Scene) -> Tint:
    scopes = graph.nodes.scope
    depth = _informative_depth(graph)
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
    classes += [TintClass(say("other scopes"), is_dashed=True), TintClass(say("no scope"))]
    of_item = most_common(codes, scene.item_of_node, len(scene.items))
    return _pack(scene, np.where(of_item < 0, _MAX_SCOPES + 1, of_item).astype(np.int32), classes)


def _informative_depth(graph: Graph) -> int:
    """How many outer scopes all nodes share: colours begin where scopes begin to differ."""
    scopes, depth = graph.nodes.scope, 0
    while True:
        deeper = scopes.offsets[:-1][scopes.lengths() > depth]
        if not len(deeper):
            return 0
        if len(distinct(scopes.values[deeper + depth])) > 1:
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
    name, num_alike = graph.string(nodes.operation, chosen), int(alike.sum())
    num_others = int((is_same & ~alike).sum())
    same = say("{name} of the same types ({count:,})", name=name, count=num_alike)
    others = say("{name} of other types ({count:,})", name=name, count=num_others)
    classes = [
        TintClass(same, kind=1),
        TintClass(others, kind=2, is_dashed=True),
        TintClass(say("other")),
    ]
    return _pack(scene, np.where(has_alike, 0, np.where(has_same, 1, 2)).astype(np.int32), classes)


FillAndBorder = tuple[str, str]
"""Fill and border, as `#rrggbb`."""


@dataclass(frozen=True, slots=True)
class TintPalette:
    """The pairs of one theme; `kinds[0]` is the neutral one."""

    kinds: tuple[FillAndBorder, ...]
    levels: tuple[FillAndBorder, ...]

    def pair(self, tint: TintClass) -> FillAndBorder:
        """Fill and border of a class."""
        if tint.level >= 0:
            return self.levels[min(tint.level, len(self.levels) - 1)]
        return self.kinds[tint.kind % len(self.kinds)]


LIGHT_TINTS = TintPalette(
    kinds=(
        ("#f2f2f2", "#868686"),
        ("#cfe3f8", "#1f6bb0"),
        ("#fde0bd", "#b86204"),
        ("#c9ecdf", "#147a5c"),
        ("#f3d7e8", "#a03d82"),
        ("#faf0b4", "#857000"),
        ("#d0f1fb", "#1f7fa6"),
        ("#fbd5c8", "#b03e14"),
        ("#d1b8f5", "#542e8a"),
        ("#d1f5b8", "#548a2e"),
        ("#f5b8f5", "#8a2e8a"),
        ("#b8f5bd", "#2e8a36"),
        ("#b8bdf5", "#2e368a"),
    ),
    levels=(
        ("#fff8ea", "#a98d55"),
        ("#fee9c0", "#a97a28"),
        ("#fdcf8a", "#a2650f"),
        ("#f7ac5c", "#8f4d06"),
        ("#ee8a3c", "#7a3600"),
    ),
)
DARK_TINTS = TintPalette(
    kinds=(
        ("#2a2d33", "#8f949c"),
        ("#173a5c", "#69b3ee"),
        ("#4d320c", "#f0a545"),
        ("#123f33", "#4fc3a1"),
        ("#47213b", "#dc84be"),
        ("#403a0c", "#d8c23c"),
        ("#123e4d", "#62c4e6"),
        ("#502413", "#f08a63"),
        ("#2f194d", "#a57cde"),
        ("#2f4d19", "#a5de7c"),
        ("#4d194d", "#de7cde"),
        ("#194d1e", "#7cde85"),
        ("#191e4d", "#7c85de"),
    ),
    levels=(
        ("#2b2822", "#8c8068"),
        ("#3d3018", "#a88c50"),
        ("#573c10", "#c99a3f"),
        ("#74480a", "#e8aa45"),
        ("#8f4f04", "#ffc266"),
    ),
)
TINT_PALETTES = {"light": LIGHT_TINTS, "dark": DARK_TINTS}
