"""How the value of any node is spread: as the stage states it, or as the compiler decided."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from jaxscope.analysis.sharding.hlo_text import parse_hlo_shardings
from jaxscope.analysis.sharding.shardy import Mesh, find_meshes, parse_shardy_values
from jaxscope.model import Capture, Graph, Unavailable, is_available
from jaxscope.model.sharding import Sharding

PER_DEVICE = "optimized"
"""The stage in which a program is cut already: its shapes are those of one device."""

STATED = "stated here"
DECIDED = "decided by the compiler"


@dataclasses.dataclass(frozen=True, slots=True)
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
        stablehlo = capture.stage("stablehlo")
        text = stablehlo.text if stablehlo is not None else None
        is_text = text is not None and is_available(text)
        self._meshes: Mapping[str, Mesh] = (
            find_meshes(text.text) if is_text and text is not None and is_available(text) else {}
        )

    def of(self, stage: str, graph: Graph, node: int) -> tuple[NodeSharding, ...]:
        """What is known of a node's values; empty where nothing is."""
        types = graph.row(graph.nodes.types, node)
        stated = graph.attributes(node).get("sharding", "")
        if stated:
            try:
                found = self._read(stated)
            except ValueError:
                found = ()
            if len(found) == len(types):
                return tuple(
                    NodeSharding(type, sharding, STATED, stated)
                    for type, sharding in zip(types, found, strict=True)
                )
        return () if stage == PER_DEVICE else self._decided(graph, node, types)

    def _read(self, text: str) -> tuple[Sharding, ...]:
        if "sdy" in text or text.startswith("<@"):
            return parse_shardy_values(text, self._meshes)
        return parse_hlo_shardings(text)

    def _decided(self, graph: Graph, node: int, types: tuple[str, ...]) -> tuple[NodeSharding, ...]:
        """What XLA chose for the values of the node's equation that have its types."""
        if isinstance(self._placement, Unavailable):
            return ()
        wanted = {normal_type(type) for type in types}
        found: dict[str, NodeSharding | None] = {}
        for id in graph.row(graph.nodes.derived, node):
            for value in self._placement.values.get(id, ()):
                if normal_type(value.type) not in wanted:
                    continue
                try:
                    (sharding,) = parse_hlo_shardings(value.sharding)
                except ValueError:
                    continue
                made = NodeSharding(value.type, sharding, DECIDED, value.sharding)
                before = found.setdefault(value.type, made)
                if before is not None and before.sharding != sharding:
                    found[value.type] = None  # steps of one equation that lie differently
        return tuple(value for value in found.values() if value is not None)


def normal_type(text: str) -> str:
    """A type without what stages spell differently: HLO's `s32` and `pred`, axes of meshes."""
    plain = text.lstrip("~").partition("{")[0]
    element, _, rest = plain.partition("[")
    element = {"pred": "bool"}.get(element, element)
    if element.startswith("s") and element[1:].isdecimal():
        element = f"i{element[1:]}"
    dimensions = ",".join(part.partition("@")[0].strip() for part in rest.rstrip("]").split(","))
    return f"{element}[{dimensions}]"
