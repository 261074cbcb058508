"""How a program is distributed over its devices, as data: the sharding of any node's values, and
for each collective its line, its equations, and the shardings of what they read and give.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Capture, Graph, NodeKind, SourcePosition, Unavailable, is_available
from jaxscope.model.capture import Placement, Propagated, Sharding, ShardingKind
from jaxscope.model.said import join_first, say
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.model.types import normal_type, parse_array_type, read_count
from jaxscope.program.equation_text import short_equation_names
from jaxscope.program.sharding.arrays import (
    SpreadArray,
    describe_sharding,
    find_arrays,
    format_partition_spec,
    manual_axes_of,
    name_manual,
    with_manual,
)
from jaxscope.program.sharding.collectives import Collective, find_collectives
from jaxscope.program.sharding.notation import (
    Mesh,
    find_meshes,
    parse_hlo_sharding,
    parse_hlo_shardings,
    parse_shardy_values,
    read_specs,
)

PER_DEVICE = "optimized"
"""The stage in which a program is cut already: its shapes are those of one device."""

STATED = say("stated here")
DECIDED = say("decided by the compiler")

_QUOTED = re.compile(r"'([^']+)'")
_MANUAL = ("newly_manual_axes", "manual_axes")
"""What a `shard_map` calls the axes that it makes manual; the second with JAX 0.8."""
_IN_HLO = re.compile(r"xla\.sdy\.sharding=(#sdy\.sharding_per_value<\[.*?>\]>)")
"""What a node of HLO before optimization really states: `sharding` beside it only fills a place."""


@dataclass(frozen=True, slots=True)
class NodeSharding:
    """How one value of a node is spread.

    Attributes:
        type: Of the value; whole, but for a parameter of the optimized program.
        sharding: How.
        origin: `STATED` or `DECIDED`.
        text: As it is written.
    """

    type: str
    sharding: Sharding
    origin: str
    text: str


class NodeShardings:
    """Shardings of the nodes of one capture."""

    def __init__(self, capture: Capture) -> None:
        self._placement = capture.placement
        self._derived = find_lowered_jaxpr(capture.stages)
        stablehlo = capture.stage("stablehlo")
        text = stablehlo.text if stablehlo is not None else None
        is_text = text is not None and is_available(text)
        self._meshes: Mapping[str, Mesh] = (
            find_meshes(text.text) if is_text and text is not None and is_available(text) else {}
        )

    def of(self, stage: str, graph: Graph, node: int) -> tuple[NodeSharding, ...]:
        """What is known of a node's values; empty where nothing is."""
        types = graph.types(node)
        attributes = graph.attributes(node)
        in_hlo = _IN_HLO.search(attributes.get("frontend_attributes", ""))
        stated = in_hlo[1] if in_hlo else attributes.get("sharding", "")
        if stated:
            try:
                found = self._read(stated, self._manual_axes(graph, node))
            except ValueError:
                found = ()
            is_open = all(each.kind is ShardingKind.UNKNOWN for each in found)
            if len(found) == len(types) and not is_open:
                return tuple(
                    NodeSharding(type, sharding, STATED, stated)
                    for type, sharding in zip(types, found, strict=True)
                )
        return () if stage == PER_DEVICE else self._decided(graph, node, types)

    def _read(self, text: str, manual: tuple[str, ...]) -> tuple[Sharding, ...]:
        if "sdy" in text or text.startswith("<@"):
            placement = self._placement
            axes = () if isinstance(placement, Unavailable) else placement.axes
            found = parse_shardy_values(text, self._meshes)
            return tuple(with_manual(each, manual, axes) for each in found)
        return parse_hlo_shardings(text)

    def _manual_axes(self, graph: Graph, node: int) -> tuple[str, ...]:
        """The manual axes where the equation of a node stands."""
        derived, placement = self._derived, self._placement
        if derived is None or isinstance(placement, Unavailable):
            return ()
        rows = (derived.index_by_id.get(id) for id in graph.derived(node))
        row = next((row for row in rows if row is not None), None)
        return () if row is None else _find_manual_axes(derived, row, placement)

    def _decided(self, graph: Graph, node: int, types: tuple[str, ...]) -> tuple[NodeSharding, ...]:
        """What XLA chose for the values of the node's equation that have its types."""
        if isinstance(self._placement, Unavailable):
            return ()
        wanted = {normal_type(type) for type in types}
        manual = self._manual_axes(graph, node)
        found: dict[str, NodeSharding | None] = {}
        for id in graph.derived(node):
            for value in self._placement.values.get(id, ()):
                if normal_type(value.type) not in wanted:
                    continue
                sharding = _read_where(value, manual, self._placement)
                if sharding is None:
                    continue
                made = NodeSharding(value.type, sharding, DECIDED, value.sharding)
                before = found.setdefault(value.type, made)
                if before is not None and before.sharding != sharding:
                    found[value.type] = None  # steps of one equation that lie differently
        return tuple(value for value in found.values() if value is not None)


def _shard_maps(derived: Graph, node: int) -> list[int]:
    """The equations `shard_map` around a node, the innermost first."""
    found, group = [], int(derived.nodes.group[node])
    while group != NONE:
        owner = int(derived.groups.owner[group])
        found += [owner] if owner != NONE and derived.operation(owner) == "shard_map" else []
        group = int(derived.groups.parent[group])
    return found


def _find_manual_axes(derived: Graph, node: int, placement: Placement) -> tuple[str, ...]:
    """The axes that are manual where a node stands, in the order of the mesh."""
    named = [
        name
        for owner in _shard_maps(derived, node)
        for parameter in _MANUAL
        for name in _QUOTED.findall(derived.attributes(owner).get(parameter, ""))
    ]
    order = [name for name, _ in placement.axes]
    return tuple(sorted(set(named), key=lambda name: order.index(name) if name in order else -1))


def _read_where(
    value: Propagated, manual: tuple[str, ...], placement: Placement
) -> Sharding | None:
    """The sharding of a value, if just these axes are manual for it: it stands inside or outside of
    the same `shard_map`s.
    """
    try:
        sharding = parse_hlo_sharding(value.sharding)
    except ValueError:
        return None
    several = {name for name, size in placement.axes if size > 1}
    is_there = set(manual_axes_of(sharding, placement.axes)) == set(manual) & several
    return sharding if is_there else None


# Where a collective stands: its line, its equations, and how what they read and give is spread.
#
# The compiled program has no shardings any more: it is cut already. What the compiler decided
# before it cut is known of the equations' values, and the arguments' is JAX's own. A collective
# that came from an equation is what stands between the shardings of that equation's operands and
# that of its result.


_MAX_DEPTH = 20
MOST_TOLD = 3
"""Equations of one collective that a line of text names."""


@dataclass(frozen=True, slots=True)
class ShardedValue:
    """A value and how it is spread; the texts are empty where that is not known."""

    type: str
    sharding: str = ""
    spec: str = ""

    @property
    def text(self) -> str:
        """Such as `f32[16,64] P('data', 'model')`."""
        return f"{self.type} {self.spec or self.sharding or 'not known'}"


@dataclass(frozen=True, slots=True)
class EquationSides:
    """An equation that a collective came from, and how what it reads and gives is spread.

    Attributes:
        equation: Its id in the last jaxpr-level stage.
        label: What it computes.
        place: Innermost line of the user's; None where none is known.
        operands: What it reads.
        results: What it gives.
    """

    equation: str
    label: str = ""
    place: SourcePosition | None = None
    operands: tuple[ShardedValue, ...] = ()
    results: tuple[ShardedValue, ...] = ()

    @property
    def between(self) -> str:
        """The shardings on both sides, `f32[8,4] P('x', None) → f32[8,4] P()`; or nothing."""
        if not any(value.spec or value.sharding for value in (*self.operands, *self.results)):
            return ""
        sides = [", ".join(value.text for value in side) for side in (self.operands, self.results)]
        return " → ".join(sides)


@dataclass(frozen=True, slots=True)
class CollectiveContext:
    """Where a collective stands.

    Attributes:
        place: Innermost line of the user's, of the first equation; None where none is known.
        equations: Ids of the equations of the last jaxpr-level stage that it came from: several
            where XLA combined several collectives.
        sides: Those of them that the stage has.
    """

    place: SourcePosition | None = None
    equations: tuple[str, ...] = ()
    sides: tuple[EquationSides, ...] = ()

    @property
    def between(self) -> str:
        """Between which shardings each of the first equations stands; or nothing."""
        return join_first([side.between for side in self.sides if side.between], MOST_TOLD, "; ")

    @property
    def told(self) -> str:
        """What the first equations compute; or nothing."""
        return join_first([side.label for side in self.sides], MOST_TOLD)


class CollectiveContexts:
    """Finds out where the collectives of one capture stand."""

    def __init__(self, capture: Capture) -> None:
        self._placement = capture.placement
        self._derived = find_lowered_jaxpr(capture.stages)
        self._labels = {} if self._derived is None else short_equation_names(self._derived)

    def of(self, graph: Graph, node: int) -> CollectiveContext:
        """Where a node of the compiled program stands."""
        ids = _combined(graph, node)
        standing = CollectiveContext(graph.place(node), ids)
        derived, placement = self._derived, self._placement
        if derived is None or isinstance(placement, Unavailable):
            return standing
        sides = [self._sides_of(id, derived, placement) for id in ids if id in derived.index_by_id]
        return dataclasses.replace(standing, sides=tuple(sides))

    def _sides_of(self, id: str, derived: Graph, placement: Placement) -> EquationSides:
        equation = derived.index_by_id[id]
        return EquationSides(
            id,
            self._labels.get(id, ""),
            derived.place(equation),
            tuple(self._operands(derived, equation, placement)),
            tuple(
                _of_result(derived, equation, output, type, placement)
                for output, type in enumerate(derived.types(equation))
            ),
        )

    def _operands(self, derived: Graph, equation: int, placement: Placement) -> list[ShardedValue]:
        edges = derived.edges
        found = np.flatnonzero(edges.target == equation)
        order = found[np.argsort(edges.operand[found], kind="stable")]
        spread = []
        for edge in order.tolist():
            type = derived.string(edges.type, edge)
            spread.append(_of_value(derived, int(edges.source[edge]), type, placement))
        return spread


def _combined(graph: Graph, node: int) -> tuple[str, ...]:
    """The equations of a collective and of what is taken out of it, where XLA combined several."""
    edges = graph.edges
    users = edges.target[edges.source == node].tolist()
    ends = [user for user in users if graph.operation(user).endswith("-done")]
    users += edges.target[np.isin(edges.source, ends)].tolist()
    parts = [user for user in users if graph.operation(user) == "get-tuple-element"]
    ids = dict.fromkeys(id for each in (node, *parts) for id in graph.derived(each))
    return tuple(ids)


def _of_value(derived: Graph, node: int, type: str, placement: Placement) -> ShardedValue:
    """How a value that an equation reads is spread, through the inputs of calls around it."""
    first = node
    for _ in range(_MAX_DEPTH):
        if derived.nodes.kind[node] != NodeKind.INPUT:
            return _of_equation(derived, node, derived.id(node), type, placement)
        row, group = derived.attributes(node), int(derived.nodes.group[node])
        if group == NONE:
            number = read_count(row.get("argument", ""))
            is_known = number is not None and number < len(placement.arguments)
            text = placement.arguments[number] if number is not None and is_known else ""
            return _read(type, text, placement)
        owner, operand = int(derived.groups.owner[group]), row.get("operand", "")
        edges = derived.edges
        around = np.flatnonzero(edges.target == owner)
        if derived.operation(owner) == "shard_map":
            inside = _of_equation(derived, node, derived.id(owner), type, placement)
            specs = read_specs(derived.attributes(owner).get("in_specs", ""))
            place = read_count(operand)
            if node != first or place is None or not place < len(specs) == len(around):
                return inside
            return dataclasses.replace(inside, spec=f"{inside.spec}, in_specs {specs[place]}")
        outer = [
            edge
            for edge in around.tolist()
            if operand == str(int(edges.operand[edge]))
            and normal_type(derived.string(edges.type, edge)) == normal_type(type)
        ]
        if not outer:  # of a loop over slices, for one: each is another value
            return ShardedValue(type)
        node = int(edges.source[outer[0]])
    return ShardedValue(type)


def _of_result(
    derived: Graph, equation: int, output: int, type: str, placement: Placement
) -> ShardedValue:
    """How what an equation gives is spread; of what the program gives back JAX says itself."""
    known = _of_equation(derived, equation, derived.id(equation), type, placement)
    edges = derived.edges
    for edge in np.flatnonzero((edges.source == equation) & (edges.output == output)).tolist():
        target = int(edges.target[edge])
        number = read_count(derived.attributes(target).get("result", ""))
        is_last = derived.nodes.kind[target] == NodeKind.OUTPUT
        is_last = is_last and derived.nodes.group[target] == NONE
        if (
            not known.sharding
            and is_last
            and number is not None
            and number < len(placement.results)
        ):
            return _read(type, placement.results[number], placement)
    return known


def _of_equation(
    derived: Graph, node: int, id: str, type: str, placement: Placement
) -> ShardedValue:
    """How the values of a type that an equation makes are spread, where a node stands."""
    manual = _find_manual_axes(derived, node, placement)
    found = {
        value.sharding
        for value in placement.values.get(id, ())
        if normal_type(value.type) == normal_type(type)
        and _read_where(value, manual, placement) is not None
    }
    if len(found) == 1:
        return _read(type, found.pop(), placement)
    if manual:
        return ShardedValue(type, spec=name_manual(manual))
    array = parse_array_type(type)
    is_whole = not found and array is not None and array.shape == ()  # nothing to be cut along
    return ShardedValue(type, spec="P()" if is_whole else "")


def _read(type: str, text: str, placement: Placement) -> ShardedValue:
    if not text:
        return ShardedValue(type)
    try:
        sharding = parse_hlo_sharding(text)
    except ValueError:
        return ShardedValue(type, text)
    spec = format_partition_spec(sharding, placement.axes)
    return ShardedValue(
        type, text, spec or describe_sharding(sharding, placement.axes, len(placement.devices))
    )


@dataclass(frozen=True, eq=False)
class PlacementReport:
    """How one program is spread; each part is found when it is first asked for."""

    capture: Capture

    @functools.cached_property
    def arrays(self) -> tuple[SpreadArray, ...] | Unavailable:
        return find_arrays(self.capture)

    @property
    def placement(self) -> Placement | Unavailable:
        return self.capture.placement

    @property
    def num_devices(self) -> int:
        """Devices of the program; 0 where that is not known."""
        return 0 if isinstance(self.placement, Unavailable) else len(self.placement.devices)

    @functools.cached_property
    def collectives(self) -> tuple[Collective, ...] | Unavailable:
        """Collectives of the optimized program, in program order."""
        graph = self.graph
        if isinstance(graph, Unavailable):
            return graph
        return find_collectives(graph, self.placement)

    @functools.cached_property
    def standings(self) -> tuple[CollectiveContext, ...]:
        """Where each of the collectives stands."""
        graph, found = self.graph, self.collectives
        if isinstance(graph, Unavailable) or isinstance(found, Unavailable) or not found:
            return ()  # to name the equations takes a while
        standings = CollectiveContexts(self.capture)
        return tuple(standings.of(graph, collective.node) for collective in found)

    @property
    def graph(self) -> Graph | Unavailable:
        """What each device runs."""
        stage = self.capture.stage(PER_DEVICE)
        if stage is None:
            return Unavailable(say("The program was not compiled."), PER_DEVICE)
        return stage.graph
