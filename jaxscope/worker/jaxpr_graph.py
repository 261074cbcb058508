"""Convert a jaxpr to a graph in columns, every equation of every nested jaxpr one node.

Conventions of the attributes, which views rely on:
    `path`, `argument`  of a root input: where it sits in the arguments, and its number
    `operand`           of a nested input: index of the owner's operand that it receives
    `result`            of an output: index of the owner's (or the program's) result that it gives
    `in[K]`             literal operand number K, such as `2.0:f32[]`
    `shares`            of an equation: group that shows its nested jaxpr, owned by another
    `shared_by`         of an equation: ids of the others that share a jaxpr of its
    `calls`             of an equation that shares one of several: the groups of all, in order
Everything else is a parameter of the equation, as short text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from jaxscope.model.capture import CALL_FILE
from jaxscope.model.graph import NONE, Direction, Graph, GroupKind, NodeKind
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.model.op_name import TagTable, read_direction, read_origin
from jaxscope.worker import compat
from jaxscope.worker.nested_structure import (
    Owner,
    find_owners,
    find_used,
    is_worth_showing,
    nested_label,
    owner_operands,
    remember_nested,
    variable_name,
)
from jaxscope.worker.values import aval_text, value_text

MAX_FRAMES = 16
"""Frames kept of a traceback; the innermost ones, where users look."""


Frame = tuple[str, int, int, str]
"""File, line, column and function of a place in the source."""


@dataclasses.dataclass(frozen=True, slots=True)
class Provenance:
    """Where an equation comes from, as far as its own name stack or its surroundings say."""

    origins: tuple[str, ...] = ()
    direction: Direction = Direction.NONE
    scope: tuple[str, ...] = ()
    source: tuple[tuple[str, int, int, str], ...] = ()


@dataclasses.dataclass(frozen=True, eq=False)
class ConvertedJaxpr:
    """A graph and what the text of the same jaxpr needs to link to it.

    Attributes:
        graph: All nodes, nested ones included.
        names: The name of each variable, by the variable's identity.
        equation_nodes: Node index of each equation, by the equation's identity.
        groups: Id of the group that shows a nested jaxpr, by the open jaxpr's identity.
        provenances: Where each equation comes from, by its id.
    """

    graph: Graph
    names: Mapping[int, str]
    equation_nodes: Mapping[int, int]
    groups: Mapping[int, str]
    provenances: Mapping[str, Provenance]


def find_places(base: ConvertedJaxpr) -> dict[Frame, str]:
    """Ids of equations by their places in the source, where only one stands."""
    places: dict[Frame, str] = {}
    for id, provenance in base.provenances.items():
        if provenance.source:
            place = provenance.source[0]
            places[place] = "" if place in places else id
    return {place: id for place, id in places.items() if id}


def convert_jaxpr(
    jaxpr: Any,
    *,
    tags: TagTable,
    is_base: bool,
    is_derived: bool,
    argument_paths: Sequence[str] = (),
    result_paths: Sequence[str] = (),
    base: Mapping[str, Provenance] = MappingProxyType({}),
    places: Mapping[Frame, str] = MappingProxyType({}),
) -> ConvertedJaxpr:
    """Convert a closed jaxpr whose equations carry tags.

    Args:
        jaxpr: The program.
        tags: What the tags stand for.
        is_base: The equations are those of the stage `jaxpr`: each is its own origin.
        is_derived: The equations are those of the last jaxpr-level stage: each derives from
            itself.
        argument_paths: Paths of the root inputs; shorter is allowed.
        result_paths: Paths of the root outputs; shorter is allowed.
        base: Where the equations of the stage `jaxpr` come from, by their ids.
        places: Ids of these equations by their places, for equations without tags.
    """
    converter = _Converter(tags, is_base, is_derived, base, places)
    converter.convert_root(jaxpr, argument_paths, result_paths)
    return converter.finish()


class _Converter:
    def __init__(
        self,
        tags: TagTable,
        is_base: bool,
        is_derived: bool,
        base: Mapping[str, Provenance],
        places: Mapping[Frame, str],
    ) -> None:
        self._builder = GraphBuilder()
        self._tags = tags
        self._base = base
        self._places = places
        self._is_base = is_base
        self._is_derived = is_derived
        self._names: dict[int, str] = {}
        self._num_names = 0
        self._equation_nodes: dict[int, int] = {}
        self._groups: dict[int, str] = {}
        self._provenances: dict[str, Provenance] = {}
        self._stacks: dict[Any, tuple[tuple[str, ...], Direction, tuple[str, ...]]] = {}
        self._frames: dict[Any, tuple[tuple[str, int, int, str], ...]] = {}
        self._types: dict[Any, str] = {}
        self._texts: dict[int, tuple[Any, str]] = {}
        self._keep_alive: list[Any] = []
        self._nested_of = remember_nested()
        self._shares: dict[int, list[Owner]] = {}
        self._callers: dict[int, frozenset[tuple[Frame, ...]]] = {}
        self._used: set[int] = set()

    def convert_root(self, jaxpr: Any, arguments: Sequence[str], results: Sequence[str]) -> None:
        inner = compat.open_jaxpr(jaxpr)
        self._shares = find_owners(inner, self._nested_of)
        self._used = find_used(inner, self._nested_of)
        places = self._add_inputs(inner, "", NONE, range(len(inner.invars)), arguments)
        self._add_equations(inner, "", NONE, Provenance(), places)
        self._add_outputs(inner, "", NONE, places, results)

    def finish(self) -> ConvertedJaxpr:
        return ConvertedJaxpr(
            self._builder.build(),
            self._names,
            self._equation_nodes,
            self._groups,
            self._provenances,
        )

    def _add_inputs(
        self,
        inner: Any,
        prefix: str,
        group: int,
        operands: Sequence[int] | None,
        paths: Sequence[str] = (),
    ) -> dict[int, tuple[int, int]]:
        """Add constants and inputs; returns where each variable's value comes from."""
        places: dict[int, tuple[int, int]] = {}
        for number, variable in enumerate(inner.constvars):
            places[id(variable)] = (
                self._add_variable(f"{prefix}const:{number}", NodeKind.CONSTANT, variable, group),
                0,
            )
        for number, variable in enumerate(inner.invars):
            attributes: dict[str, str] = {}
            if group == NONE:
                attributes["argument"] = str(number)
                if number < len(paths):
                    attributes["path"] = paths[number]
            elif operands is not None:
                attributes["operand"] = str(operands[number])
            node = self._add_variable(
                f"{prefix}in:{number}", NodeKind.INPUT, variable, group, attributes
            )
            places[id(variable)] = (node, 0)
        return places

    def _add_variable(
        self,
        node_id: str,
        kind: NodeKind,
        variable: Any,
        group: int,
        attributes: Mapping[str, str] | None = None,
    ) -> int:
        return self._builder.add_node(
            node_id,
            kind,
            "input" if kind is NodeKind.INPUT else "constant",
            name=self._name(variable),
            group=group,
            types=(self._type(variable.aval),),
            attributes=attributes,
        )

    def _add_equations(
        self,
        inner: Any,
        prefix: str,
        group: int,
        around: Provenance,
        places: dict[int, tuple[int, int]],
    ) -> None:
        for number, equation in enumerate(inner.eqns):
            self._add_equation(equation, f"{prefix}{number}", group, around, places)

    def _add_equation(
        self,
        equation: Any,
        path: str,
        group: int,
        around: Provenance,
        places: dict[int, tuple[int, int]],
    ) -> None:
        own = self._provenances[path] = self._provenance(equation, path, around)
        nested = self._nested_of(equation)
        node = self._builder.add_node(
            path,
            NodeKind.EQUATION,
            equation.primitive.name,
            name=", ".join(self._result_name(v) for v in equation.outvars),
            group=group,
            types=[self._type(v.aval) for v in equation.outvars],
            attributes=self._attributes(equation, path, nested),
            scope=own.scope,
            origins=own.origins,
            derived=(path,) if self._is_derived else (),
            direction=own.direction,
            source=own.source,
        )
        self._equation_nodes[id(equation)] = node
        self._keep_alive.append(equation)
        self._add_operands(equation.invars, node, places)
        for result, variable in enumerate(equation.outvars):
            places[id(variable)] = (node, result)
        for name, jaxpr in nested:
            self._add_nested(equation, jaxpr, name, f"{path}/{name}", node, group, own)

    def _add_nested(
        self,
        equation: Any,
        jaxpr: Any,
        parameter: str,
        group_id: str,
        owner: int,
        parent: int,
        around: Provenance,
    ) -> None:
        inner = compat.open_jaxpr(jaxpr)
        if id(inner) in self._groups:
            return
        self._groups[id(inner)] = group_id
        self._keep_alive.append(inner)
        group = self._builder.add_group(
            group_id,
            GroupKind.JAXPR,
            nested_label(equation, parameter),
            parent=parent,
            owner=owner,
        )
        prefix = f"{group_id}/"
        operands = owner_operands(equation, parameter, inner)
        places = self._add_inputs(inner, prefix, group, operands)
        if len(self._sources_of_callers(inner)) > 1:
            around = dataclasses.replace(around, source=())  # which of the lines is not known
        self._add_equations(inner, prefix, group, around, places)
        self._add_outputs(inner, prefix, group, places)

    def _add_outputs(
        self,
        inner: Any,
        prefix: str,
        group: int,
        places: dict[int, tuple[int, int]],
        paths: Sequence[str] = (),
    ) -> None:
        for number, atom in enumerate(inner.outvars):
            attributes = {"result": str(number)}
            if group == NONE and number < len(paths):
                attributes["path"] = paths[number]
            if compat.is_literal(atom):
                attributes["in[0]"] = self._literal(atom)
            node = self._builder.add_node(
                f"{prefix}out:{number}",
                NodeKind.OUTPUT,
                "output",
                name="" if compat.is_literal(atom) else self._name(atom),
                group=group,
                types=(self._type(atom.aval),),
                attributes=attributes,
            )
            self._add_operands([atom], node, places)

    def _add_operands(
        self, atoms: Sequence[Any], node: int, places: Mapping[int, tuple[int, int]]
    ) -> None:
        for operand, atom in enumerate(atoms):
            if compat.is_literal(atom) or id(atom) not in places:
                continue
            source, output = places[id(atom)]
            self._builder.add_edge(
                source, node, output=output, operand=operand, type=self._type(atom.aval)
            )

    def _provenance(self, equation: Any, path: str, around: Provenance) -> Provenance:
        """An equation's own tags and scopes, else those of the equation that it is inside of."""
        origins, direction, scope = self._read_stack(equation.source_info.name_stack)
        source = self._own_source(equation)
        if self._is_base:
            origins = (path,)
        elif not origins and source and source[0] in self._places:
            origins = (self._places[source[0]],)
        return Provenance(
            origins or around.origins,
            direction if direction is not Direction.NONE else around.direction,
            around.scope + scope,
            # Functions of JAX that are traced once for all their callers have no user's frame.
            source or around.source,
        )

    def _read_stack(self, stack: Any) -> tuple[tuple[str, ...], Direction, tuple[str, ...]]:
        known = self._stacks.get(stack)
        if known is None:
            origin = read_origin(compat.read_tags(stack), self._tags)
            scope = tuple(
                scope for scope in compat.scope_names(stack) if scope != "rematted_computation"
            )
            direction = read_direction(str(stack))
            known = self._stacks[stack] = ((origin,) if origin else (), direction, scope)
        return known

    def _sources_of_callers(self, inner: Any) -> frozenset[tuple[Frame, ...]]:
        """The places of all equations that have a nested jaxpr, or of those around them."""
        known = self._callers.get(id(inner))
        if known is None:
            found: set[tuple[Frame, ...]] = set()
            for owner in self._shares.get(id(inner), ()):
                source = self._own_source(owner.equation)
                found |= {source} if source else self._sources_of_callers(owner.around)
            known = self._callers[id(inner)] = frozenset(found or {()})
        return known

    def _own_source(self, equation: Any) -> tuple[Frame, ...]:
        """Where an equation stands; what a transform adds has the place of what it comes from."""
        source = self._source(equation)
        if not source and not self._is_base:
            origins = self._read_stack(equation.source_info.name_stack)[0]
            source = self._base[origins[0]].source if origins and origins[0] in self._base else ()
        return source

    def _source(self, equation: Any) -> tuple[tuple[str, int, int, str], ...]:
        traceback = equation.source_info.traceback
        known = self._frames.get(traceback)
        if known is None:
            frames = list(compat.user_frames(equation.source_info))[:MAX_FRAMES]
            known = self._frames[traceback] = tuple(
                f for f in frames if f[0] == CALL_FILE or not f[0].startswith("<")
            )
        return known

    def _attributes(
        self, equation: Any, path: str, nested: Sequence[tuple[str, Any]]
    ) -> dict[str, str]:
        attributes = {
            f"in[{operand}]": self._literal(atom)
            for operand, atom in enumerate(equation.invars)
            if compat.is_literal(atom)
        }
        for name, value in equation.params.items():
            if is_worth_showing(name, value):
                attributes[name] = self._text(value)
        groups = []
        for name, jaxpr in nested:
            inner = compat.open_jaxpr(jaxpr)
            shown = self._groups.get(id(inner), f"{path}/{name}")
            groups.append(shown)
            owners = [o.path for o in self._shares.get(id(inner), ()) if o.path != path]
            if shown != f"{path}/{name}":
                attributes["shares"] = shown
            if owners:
                attributes["shared_by"] = ", ".join(owners[:32])
        if attributes.keys() & {"shares", "shared_by"} and len(groups) > 1:
            attributes["calls"] = ", ".join(groups)
        return attributes

    def _text(self, value: Any) -> str:
        known = self._texts.get(id(value))
        if known is None:
            known = self._texts[id(value)] = (value, value_text(value))
        return known[1]

    def _literal(self, atom: Any) -> str:
        return f"{value_text(atom.val)}:{self._type(atom.aval)}"

    def _type(self, aval: Any) -> str:
        try:
            known = self._types.get(aval)
        except TypeError:  # some abstract values are not hashable
            return aval_text(aval)
        if known is None:
            known = self._types[aval] = aval_text(aval)
        return known

    def _result_name(self, variable: Any) -> str:
        """JAX's own text calls a result that nothing uses `_`."""
        if compat.is_dropped(variable) or id(variable) not in self._used:
            self._names[id(variable)] = "_"
            return "_"
        return self._name(variable)

    def _name(self, variable: Any) -> str:
        known = self._names.get(id(variable))
        if known is None:
            known = self._names[id(variable)] = variable_name(self._num_names)
            self._num_names += 1
            self._keep_alive.append(variable)
        return known
