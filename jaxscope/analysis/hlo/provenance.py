"""Which equations an instruction came from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jaxscope.analysis.hlo.computations import Nesting
from jaxscope.analysis.hlo.proto import HloMessage
from jaxscope.analysis.hlo.scope import read_scope
from jaxscope.model.graph import Direction, Graph
from jaxscope.model.op_name import TagTable, read_op_name


@dataclasses.dataclass(frozen=True, slots=True)
class Provenance:
    """What the columns `origins`, `derived`, `scope` and `direction` of a node hold.

    `calls` are those of `OpName.calls`. `source` is where the equation stands, for instructions
    without a place of their own.
    """

    origins: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    direction: Direction = Direction.NONE
    display: str = ""
    calls: tuple[tuple[str, ...], ...] = ()
    source: tuple[tuple[str, int, int, str], ...] = ()

    def or_inherited(self, around: Provenance) -> Provenance:
        """What an instruction that JAX named but no equation tagged has from its callers.

        Before optimization JAX's helper functions are computations of their own, whose
        instructions are named relative to their callers. What has no name at all was made by the
        compiler and inherits nothing.
        """
        if not self.display or self.derived or self.origins:
            return self
        return dataclasses.replace(
            self,
            origins=around.origins,
            derived=around.derived,
            scope=around.scope or self.scope,
            direction=around.direction,
            source=self.source or around.source,
        )


class ProvenanceReader:
    """Reads `op_name`s of one module; each distinct name is read once.

    Where the equation of the last jaxpr-level stage is known and that stage's graph is at hand,
    origins, scope and direction are that equation's: there they are richer, because nested
    equations inherit from the equations around them. Otherwise the name itself has to do.
    """

    def __init__(self, tags: TagTable, derived_graph: Graph | None) -> None:
        self._tags = tags
        self._graph = derived_graph
        self._read: dict[str, Provenance] = {"": Provenance()}

    def read(self, op_name: str) -> Provenance:
        """What a name, with its tags, says."""
        found = self._read.get(op_name)
        if found is None:
            found = self._read[op_name] = self._parse(op_name)
        return found

    def _parse(self, op_name: str) -> Provenance:
        named = read_op_name(op_name, self._tags)
        origins = dict.fromkeys(named.origins)
        scope: tuple[str, ...] = ()
        source: tuple[tuple[str, int, int, str], ...] = ()
        direction = named.direction
        graph = self._graph
        if graph is not None:
            rows = [graph.index_by_id[id] for id in named.derived if id in graph.index_by_id]
            nodes = graph.nodes
            found: dict[str, None] = {}
            for row in rows:
                found.update(dict.fromkeys(graph.row(nodes.origins, row)))
                scope = scope or graph.row(nodes.scope, row)
                source = source or tuple(
                    (place.file, place.line, place.column, place.function)
                    for place in graph.source(row)
                )
            # The tag of the name is more exact than what an equation inherits.
            origins = found if not origins else origins | found
            directions = [Direction(int(nodes.direction[row])) for row in rows]
            direction = next((d for d in directions if d is not Direction.NONE), direction)
        return Provenance(
            tuple(origins),
            named.derived,
            scope or read_scope(named.display),
            direction,
            named.display,
            named.calls,
            source,
        )


def inherit_from_callers(
    computations: Sequence[HloMessage],
    nesting: Nesting,
    first_nodes: Sequence[int],
    reader: ProvenanceReader,
) -> list[Provenance]:
    """What each computation has from the instructions that call it: all of their equations."""
    inherited = [Provenance() for _ in computations]
    for index in nesting.order:
        origins: dict[str, None] = {}
        derived: dict[str, None] = {}
        first = Provenance()
        for site in nesting.sites[index]:
            caller = computations[site.home].instructions[site.caller - first_nodes[site.home]]
            own = reader.read(caller.metadata.op_name).or_inherited(inherited[site.home])
            origins.update(dict.fromkeys(own.origins))
            derived.update(dict.fromkeys(own.derived))
            first = first if first.derived else own
        inherited[index] = dataclasses.replace(
            first, origins=tuple(origins), derived=tuple(derived)
        )
    return inherited


LOOP_PARTS = frozenset(
    {"while", "parameter", "tuple", "get-tuple-element", "constant", "copy", "bitcast"}
)
"""What a loop consists of whatever runs in it: it may have the loop's name."""


def find_loop_names(
    computations: Sequence[HloMessage], nesting: Nesting, first_nodes: Sequence[int]
) -> list[frozenset[str]]:
    """The names of the loops that each computation runs in.

    JAX names what is inside of a loop below the loop's name. An instruction there with just the
    loop's name had none of its own: XLA's pass propagate-call-metadata stamps it on what lost its
    name. It says nothing of where the instruction came from.
    """
    found = [frozenset[str]() for _ in computations]
    for index in nesting.order:
        for site in nesting.sites[index][:1]:
            names = found[site.home]
            if site.caller_opcode == "while":
                caller = computations[site.home].instructions[site.caller - first_nodes[site.home]]
                names |= {caller.metadata.op_name} - {""}
            found[index] = names
    return found
