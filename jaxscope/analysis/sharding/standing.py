"""Where a collective stands: its line, its equations, and how what they read and give is spread.

The compiled program tells no shardings any more: it is cut already. What the compiler decided
before it cut is known of the equations' values, and the arguments' is JAX's own. A collective that
came from an equation is what stands between the shardings of that equation's operands and that of
its result.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxscope.analysis.cost.loop_rounds import find_derived
from jaxscope.analysis.equation_words import name_equations
from jaxscope.analysis.sharding.hlo_text import parse_hlo_sharding
from jaxscope.analysis.sharding.nodes import normal_type
from jaxscope.analysis.sharding.words import spell_spec, tell_sharding
from jaxscope.model import NONE, Capture, Graph, NodeKind, SourcePosition, Unavailable
from jaxscope.model.sharding import Placement

_MAX_DEPTH = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Spread:
    """A value and how it is spread; the texts are empty where that is not known."""

    type: str
    sharding: str = ""
    spec: str = ""

    @property
    def text(self) -> str:
        """Such as `f32[16,64] P('data', 'model')`."""
        return f"{self.type} {self.spec or self.sharding or 'not known'}"


@dataclasses.dataclass(frozen=True, slots=True)
class Standing:
    """Where a collective stands.

    Attributes:
        place: Innermost line of the user's; None where none is known.
        equations: Ids of the equations of the last jaxpr-level stage that it came from.
        label: What the first of them computes; empty where there is none.
        operands: Of the first of them.
        results: Of the first of them.
    """

    place: SourcePosition | None = None
    equations: tuple[str, ...] = ()
    label: str = ""
    operands: tuple[Spread, ...] = ()
    results: tuple[Spread, ...] = ()

    @property
    def between(self) -> str:
        """The shardings on both sides, `f32[8,4] P('x', None) → f32[8,4] P()`; or nothing."""
        if not any(value.sharding for value in (*self.operands, *self.results)):
            return ""
        sides = [", ".join(value.text for value in side) for side in (self.operands, self.results)]
        return " → ".join(sides)


class Standings:
    """Finds out where the collectives of one capture stand."""

    def __init__(self, capture: Capture) -> None:
        self._placement = capture.placement
        self._derived = find_derived(capture)
        self._labels = {} if self._derived is None else name_equations(self._derived)

    def of(self, graph: Graph, node: int) -> Standing:
        """Where a node of the compiled program stands."""
        places = graph.source(node)
        ids = graph.row(graph.nodes.derived, node)
        standing = Standing(places[0] if places else None, ids)
        derived, placement = self._derived, self._placement
        first = next((id for id in ids if derived and id in derived.index_by_id), None)
        if first is None or derived is None or isinstance(placement, Unavailable):
            return standing
        equation = derived.index_by_id[first]
        types = derived.row(derived.nodes.types, equation)
        return dataclasses.replace(
            standing,
            label=self._labels.get(first, ""),
            operands=tuple(self._operands(derived, equation, placement)),
            results=tuple(
                _of_result(derived, equation, output, type, placement)
                for output, type in enumerate(types)
            ),
        )

    def _operands(self, derived: Graph, equation: int, placement: Placement) -> list[Spread]:
        edges = derived.edges
        found = np.flatnonzero(edges.target == equation)
        order = found[np.argsort(edges.operand[found], kind="stable")]
        spread = []
        for edge in order.tolist():
            type = derived.string(edges.type, edge)
            spread.append(_of_value(derived, int(edges.source[edge]), type, placement))
        return spread


def _of_value(derived: Graph, node: int, type: str, placement: Placement) -> Spread:
    """How a value that an equation reads is spread, through the inputs of calls around it."""
    for _ in range(_MAX_DEPTH):
        if derived.nodes.kind[node] != NodeKind.INPUT:
            return _of_equation(derived.string(derived.nodes.id, node), type, placement)
        row, group = derived.attributes(node), int(derived.nodes.group[node])
        if group == NONE:
            number = row.get("argument", "")
            is_known = number.isdecimal() and int(number) < len(placement.arguments)
            text = placement.arguments[int(number)] if is_known else ""
            return _read(type, text, placement)
        owner, operand = int(derived.groups.owner[group]), row.get("operand", "")
        edges = derived.edges
        around = np.flatnonzero(edges.target == owner)
        outer = [
            edge
            for edge in around.tolist()
            if operand == str(int(edges.operand[edge]))
            and normal_type(derived.string(edges.type, edge)) == normal_type(type)
        ]
        if not outer:  # of a loop over slices, for one: each is another value
            return Spread(type)
        node = int(edges.source[outer[0]])
    return Spread(type)


def _of_result(
    derived: Graph, equation: int, output: int, type: str, placement: Placement
) -> Spread:
    """How what an equation gives is spread; of what the program gives back JAX tells itself."""
    known = _of_equation(derived.string(derived.nodes.id, equation), type, placement)
    edges = derived.edges
    for edge in np.flatnonzero((edges.source == equation) & (edges.output == output)).tolist():
        target = int(edges.target[edge])
        number = derived.attributes(target).get("result", "")
        is_last = derived.nodes.kind[target] == NodeKind.OUTPUT
        is_last = is_last and derived.nodes.group[target] == NONE and number.isdecimal()
        if not known.sharding and is_last and int(number) < len(placement.results):
            return _read(type, placement.results[int(number)], placement)
    return known


def _of_equation(id: str, type: str, placement: Placement) -> Spread:
    for value in placement.values.get(id, ()):
        if normal_type(value.type) == normal_type(type):
            return _read(type, value.sharding, placement)
    return Spread(type)


def _read(type: str, text: str, placement: Placement) -> Spread:
    if not text:
        return Spread(type)
    try:
        sharding = parse_hlo_sharding(text)
    except ValueError:
        return Spread(type, text)
    spec = spell_spec(sharding, placement.axes)
    return Spread(
        type, text, spec or tell_sharding(sharding, placement.axes, len(placement.devices))
    )
