"""Convert a jaxpr to a graph in columns, and print it the way JAX does with the equation of each
line.

Every equation of every nested jaxpr is one node. JAX's own printer does not say which line belongs
to which equation and hoists shared jaxprs out of their place, so the text is printed here, with the
names of the graph.

Conventions of the attributes, which views rely on:
    `path`, `argument`  of a root input: where it sits in the arguments, and its number
    `operand`           of a nested input: index of the owner's operand that it receives
    `argument_name`     of an input of a loop's body or a kernel: the function's parameter
    `refers`            of an input of a kernel: the memory that it refers to, `block of operand 0`,
                        `result 1` (all of it) or `scratch memory`
    `result`            of an output: index of the owner's (or the program's) result that it gives
    `in[K]`             literal operand number K, such as `2.0:f32[]`
    `shares`            of an equation: group that shows its nested jaxpr, owned by another
    `shared_by`         of an equation: ids of the others that share a jaxpr of its
    `calls`             of an equation that shares one of several: the groups of all, in order
    `differentiation`   of an equation: which part of which derivative, if there are several
    `grid`              of a `pallas_call`: sizes of its grid, such as `4,2`
    `block[K]`          of a `pallas_call`: name, `in` or `out`, type of its array number K, and the
                        sizes of a block: `x_ref; in; f32[64,64]; 16,32`; or `not known`
    `places[K]`         of a `pallas_call`: of each step the first element of the block of array
                        number K, where that is known: `0,0 0,32`
    `batch_axes`        axes that `vmap` added to each result: `0;` of the first of two; `1,0` of
                        two `vmap`s, the outer first
Everything else is a parameter of the equation, as short text.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import CALL_FILE, StageText
from jaxscope.model.graph import (
    BODY,
    CONDITION,
    NONE,
    PART_NAMES,
    Direction,
    Graph,
    GroupKind,
    NodeKind,
)
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.model.op_name import TagTable, read_direction, read_orders, read_origin
from jaxscope.model.operations import CUSTOM_DERIVATIVES
from jaxscope.model.types import VmapAxes, write_batch_axes
from jaxscope.model.units import file_name
from jaxscope.worker import compat
from jaxscope.worker.host.function_source import OF_JAX
from jaxscope.worker.host.values import aval_text, value_text
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.stages.pallas_grid import describe_grid, describe_references, list_grid

# What the parameters of equations say about nested jaxprs: owners, uses, labels, operands.


_UNMAPPED = frozenset(
    {*("reduce", "reduce_window", "sort", "select_and_scatter", "select_and_gather"), "pallas_call"}
)
"""Primitives whose nested jaxpr combines elements, or gets references to blocks: it does not
receive the operands as such."""


_REMAT = frozenset({"checkpoint", "remat", "remat2"})
"""What runs code again for the backward part: names of its equations repeat transforms."""


NestedOf = Callable[[Any], list[tuple[str, Any]]]
"""The nested jaxprs of an equation: path and jaxpr, open or closed."""


def remember_nested() -> NestedOf:
    """A function that finds an equation's nested jaxprs, and searches each equation once only.

    The equations must live as long as the function: they are known by their identity.
    """
    known: dict[int, list[tuple[str, Any]]] = {}

    def nested_of(equation: Any) -> list[tuple[str, Any]]:
        found = known.get(id(equation))
        if found is None:
            found = known[id(equation)] = nested_jaxprs(equation.params)
        return found

    return nested_of


class Owner(NamedTuple):
    """An equation with a nested jaxpr.

    Attributes:
        path: The equation's id.
        equation: The equation.
        around: The open jaxpr that has it.
    """

    path: str
    equation: Any
    around: Any


def find_owners(root: Any, nested_of: NestedOf) -> dict[int, list[Owner]]:
    """All owners of each nested jaxpr, by the open jaxpr's identity."""
    owners: dict[int, list[Owner]] = {}

    def visit(inner: Any, prefix: str) -> None:
        for number, equation in enumerate(inner.eqns):
            for name, jaxpr in nested_of(equation):
                nested = compat.open_jaxpr(jaxpr)
                is_new = id(nested) not in owners
                owner = Owner(f"{prefix}{number}", equation, inner)
                owners.setdefault(id(nested), []).append(owner)
                if is_new:
                    visit(nested, f"{prefix}{number}/{name}/")

    visit(root, "")
    return owners


def count_derivatives(names: Iterable[str]) -> int:
    """How often a program is differentiated at most: as often as a name of its forward part says.

    In the backward part the rule of a `jax.custom_jvp` repeats the transform.

    Args:
        names: Of its equations.
    """
    return max((name.count("jvp(") for name in names if "transpose(" not in name), default=0)


def find_used(root: Any, nested_of: NestedOf) -> set[int]:
    """Identities of all variables that an equation or a result uses."""
    used: set[int] = set()
    done: set[int] = set()
    waiting = [root]
    while waiting:
        inner = waiting.pop()
        if id(inner) in done:
            continue
        done.add(id(inner))
        used.update(id(atom) for atom in inner.outvars)
        for equation in inner.eqns:
            used.update(id(atom) for atom in equation.invars)
            waiting += (compat.open_jaxpr(j) for _, j in nested_of(equation))
    return used


_NAMELESS = "<lambda>"


@functools.cache
def variable_name(number: int) -> str:
    """JAX's names: a, b, …, z, ba, bb, …"""
    letters = ""
    while True:
        number, digit = divmod(number, 26)
        letters = chr(ord("a") + digit) + letters
        if number == 0:
            return letters


_SAID_IF_TRUE = frozenset(
    {"ctx_mesh", "keep_unused", "inline", "compiler_options_kvs", "debug_info"}
)


def is_worth_showing(name: str, value: Any, may_hold: bool) -> bool:
    """Whether a parameter says something; empty defaults and nested jaxprs do not.

    Args:
        name: Of the parameter.
        value: Of the parameter.
        may_hold: Whether a jaxpr may be in it.
    """
    if name.endswith("_thunk") or value is None:
        return False
    if type(value) in compat.PLAIN:  # most are
        return name not in _SAID_IF_TRUE or bool(value)
    if may_hold and compat.is_jaxpr(value):
        return False
    if isinstance(value, tuple):
        if all(item is None for item in value):
            return False
        if name == "donated_invars" and not any(value):
            return False
        if may_hold and any(map(compat.is_jaxpr, value)):
            return False
    if name in _SAID_IF_TRUE:
        return bool(value) and bool(getattr(value, "shape_tuple", value))
    return not type(value).__name__.startswith("Unspecified") and not (
        isinstance(value, tuple) and all("Unspecified" in type(item).__name__ for item in value)
    )


_RULES = {"fwd_jaxpr_thunk": "fwd", "bwd": "bwd", "jvp_jaxpr_fun": "jvp"}
"""Parameters that hold the rule of a custom derivative, by the names that JAX prints for them."""


def shown_parameters(equation: Any, has_nested: bool) -> dict[str, Any]:
    """The parameters that say something, sorted by name.

    Of a function with a rule of its own for derivatives they are those that JAX's own text has:
    the function's name, and the names of the rule's functions.

    Args:
        equation: The equation.
        has_nested: Whether some parameter is a jaxpr or has one.
    """
    parameters = {
        name: value
        for name, value in equation.params.items()
        if is_worth_showing(name, value, has_nested)
    }
    if equation.primitive.name in CUSTOM_DERIVATIVES:
        for name in ("num_consts", "out_trees", *_RULES):
            parameters.pop(name, None)
        rules = {short: equation.params.get(name) for name, short in _RULES.items()}
        functions = {
            short: _read_place(getattr(r, "debug_info", None))[0] for short, r in rules.items()
        }
        functions["name"] = (
            equation.params.get("name") or _traced_function(equation, "call_jaxpr")[0]
        )
        parameters |= {name: function for name, function in functions.items() if function}
    return dict(sorted(parameters.items()))


def _read_place(debug_info: Any) -> tuple[str, str]:
    """Name and place, such as `/home/me/model.py:12`, of a function in what JAX notes of it for
    error messages; empty where it does not know them."""
    function, _, place = str(getattr(debug_info, "func_src_info", "") or "").rpartition(" at ")
    return function.rpartition(".")[2], place


class Inside(NamedTuple):
    """What the inside of an equation is called, and which it is: see `Groups`."""

    label: str
    part: int = NONE
    function: str = ""


def describe_inside(equation: Any, parameter: str) -> Inside:
    """What a nested jaxpr is to its equation."""
    name = str(equation.params.get("name") or "")
    primitive = equation.primitive.name
    function, place = _traced_function(equation, parameter)
    if primitive in ("scan", "while") and (function == _NAMELESS or place.startswith(OF_JAX)):
        function = ""  # a lambda, or what JAX wraps around the user's
    place = file_name(place)
    if primitive == "scan":
        label = f"{name or 'scan'} ×{equation.params.get('length')}"
        return Inside(label, function=function)
    if primitive == "pallas_call":
        grid = list_grid(equation.params)
        return Inside(f"{name or primitive} ×{math.prod(grid)}" if grid else name or primitive)
    if primitive == "while":
        part = CONDITION if parameter.startswith("cond") else BODY
        return Inside(PART_NAMES[part], part, function if part == BODY else "")
    if primitive == "cond":
        number = parameter.rpartition(".")[2]
        function = "" if function == _NAMELESS else function
        label = f"branch {number}: {function}" if function else f"branch {number}"
        return Inside(label, int(number) if number.isdecimal() else NONE, function)
    if primitive in CUSTOM_DERIVATIVES:
        name = name or function
    if name == _NAMELESS:
        return Inside(f"lambda at {place}" if place else "lambda")
    return Inside(name or primitive)


def _traced_function(equation: Any, parameter: str) -> tuple[str, str]:
    """Name and place of the function that a nested jaxpr was traced from; see `_read_place`."""
    key, _, number = parameter.partition(".")
    value = equation.params.get(key)
    if number.isdecimal() and isinstance(value, tuple):
        value = value[int(number)]
    jaxpr = compat.open_jaxpr(value) if value is not None else None
    return _read_place(getattr(jaxpr, "debug_info", None))


def owner_operands(equation: Any, parameter: str, inner: Any) -> Sequence[int] | None:
    """Which operand of the equation each input of its nested jaxpr receives, if that is known."""
    primitive = equation.primitive.name
    num_inputs, num_operands = len(inner.invars), len(equation.invars)
    if primitive == "while":
        cond_consts = int(equation.params["cond_nconsts"])
        body_consts = int(equation.params["body_nconsts"])
        carried = range(cond_consts + body_consts, num_operands)
        if parameter.startswith("cond"):
            return [*range(cond_consts), *carried]
        return [*range(cond_consts, cond_consts + body_consts), *carried]
    if primitive == "cond":
        return range(1, num_operands) if num_inputs == num_operands - 1 else None
    if primitive in _UNMAPPED or primitive.startswith("scatter") or num_inputs != num_operands:
        return None
    return range(num_operands)


def argument_names(equation: Any, inner: Any) -> Sequence[str]:
    """Names of the parameters that the inputs of a loop's body were traced for.

    Empty where JAX does not know them, as after a transform that changed the inputs.
    """
    if equation.primitive.name not in ("scan", "while", "pallas_call"):
        return ()
    names = getattr(getattr(inner, "debug_info", None), "arg_names", None) or ()
    return [str(name or "") for name in names] if len(names) == len(inner.invars) else ()


MAX_FRAMES = 16
"""Frames kept of a traceback; the innermost ones, where users look."""


Frame = tuple[str, int, int, str]
"""File, line, column and function of a place in the source."""


class Provenance(NamedTuple):
    """Where an equation comes from, as far as its own name stack or its surroundings say."""

    origins: tuple[str, ...] = ()
    direction: Direction = Direction.NONE
    scope: tuple[str, ...] = ()
    source: tuple[tuple[str, int, int, str], ...] = ()
    names: str = ""
    """The name stacks of the equations around it and its own: what is inside of a call that is
    transposed is transposed, whatever its own stack says."""


@dataclass(frozen=True, eq=False)
class ConvertedJaxpr:
    """A graph and what the text of the same jaxpr needs to link to it.

    Attributes:
        graph: All nodes, nested ones included.
        names: The name of each variable, by the variable's identity.
        equation_nodes: Node index of each equation, by the equation's identity.
        groups: Id of the group that shows a nested jaxpr, by the open jaxpr's identity.
        provenances: Where each equation comes from, by its id.
        parameters: Texts of the parameters of each equation, by the equation's identity.
    """

    graph: Graph
    names: Mapping[int, str]
    equation_nodes: Mapping[int, int]
    groups: Mapping[int, str]
    provenances: Mapping[str, Provenance]
    parameters: Mapping[int, Mapping[str, str]]


def find_places(base: ConvertedJaxpr) -> dict[Frame, str]:
    """Ids of equations by their places in the source, where only one stands."""
    places: dict[Frame, str] = {}
    for id, provenance in base.provenances.items():
        if provenance.source:
            place = provenance.source[0]
            places[place] = "" if place in places else id
    return {place: id for place, id in places.items() if id}


AxesOf = Callable[[Any], VmapAxes]
"""The axes of a variable that `vmap` added, as far as they are known."""


def no_axes(_variable: Any) -> VmapAxes:
    """Of a program that no `vmap` of the call batched."""
    return ()


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
    axes_of: AxesOf = no_axes,
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
        axes_of: The axes that `vmap` added to a variable.
    """
    converter = _Converter(tags, is_base, is_derived, base, places, axes_of)
    converter.convert_root(jaxpr, argument_paths, result_paths)
    return converter.finish()


class _TypeTexts:
    """Texts of abstract values, each made once."""

    def __init__(self) -> None:
        self._known: dict[Any, str] = {}

    def __call__(self, aval: Any) -> str:
        try:
            known = self._known.get(aval)
        except TypeError:  # some abstract values are not hashable
            return aval_text(aval)
        if known is None:
            known = self._known[aval] = aval_text(aval)
        return known


class _Converter:
    def __init__(
        self,
        tags: TagTable,
        is_base: bool,
        is_derived: bool,
        base: Mapping[str, Provenance],
        places: Mapping[Frame, str],
        axes_of: AxesOf,
    ) -> None:
        self._axes_of = axes_of
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
        self._stacks: dict[int, tuple[tuple[str, ...], tuple[str, ...], str]] = {}
        self._names_of_stacks: dict[Any, tuple[tuple[str, ...], str]] = {}
        self._frames: dict[Any, tuple[tuple[str, int, int, str], ...]] = {}
        self._type = _TypeTexts()
        self._texts: dict[int, tuple[Any, str]] = {}
        self._parameters: dict[int, Mapping[str, str]] = {}
        self._keep_alive: list[Any] = []
        self._nested_of = remember_nested()
        self._shares: dict[int, list[Owner]] = {}
        self._callers: dict[int, frozenset[tuple[Frame, ...]]] = {}
        self._used: set[int] = set()
        self._num_derivatives = 0

    def convert_root(self, jaxpr: Any, arguments: Sequence[str], results: Sequence[str]) -> None:
        inner = compat.open_jaxpr(jaxpr)
        self._shares = find_owners(inner, self._nested_of)
        owners = [each for several in self._shares.values() for each in several]
        if not any(each.equation.primitive.name in _REMAT for each in owners):
            nested = (j for each in owners for _, j in self._nested_of(each.equation))
            equations = (e for each in (inner, *map(compat.open_jaxpr, nested)) for e in each.eqns)
            self._num_derivatives = count_derivatives(
                self._read_stack(equation.source_info.name_stack)[2] for equation in equations
            )
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
            self._parameters,
        )

    def _add_inputs(
        self,
        inner: Any,
        prefix: str,
        group: int,
        operands: Sequence[int] | None,
        paths: Sequence[str] = (),
        references: Sequence[str] = (),
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
                if number < len(paths) and paths[number]:
                    attributes["argument_name"] = paths[number]
            elif references:
                attributes["refers"] = references[number]
                if number < len(paths) and paths[number]:
                    attributes["argument_name"] = paths[number]
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
            attributes={**(attributes or {}), **self._batched([variable])},
        )

    def _batched(self, atoms: Sequence[Any]) -> dict[str, str]:
        """The attribute that names the batch axes of some results, where one has any."""
        if self._axes_of is no_axes:
            return {}
        axes = [() if compat.is_literal(atom) else self._axes_of(atom) for atom in atoms]
        if not any(axes):
            return {}
        return {"batch_axes": write_batch_axes(axes)}

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
        results = equation.outvars
        operands: list[tuple[int, tuple[int, int], str]] = []
        attributes: dict[str, str] = {}
        for operand, atom in enumerate(equation.invars):
            if (place := places.get(id(atom))) is not None:
                operands.append((operand, place, self._type(atom.aval)))
            elif compat.is_literal(atom):
                attributes[f"in[{operand}]"] = self._literal(atom)
        attributes |= self._attributes(equation, path, nested)
        if self._num_derivatives > 1 and (orders := self._orders(own.names)):
            attributes["differentiation"] = orders
        attributes.update(self._batched(results))
        names = list(map(self._result_name, results))
        node = self._builder.add_node(
            path,
            NodeKind.EQUATION,
            equation.primitive.name,
            name=names[0] if len(names) == 1 else ", ".join(names),
            group=group,
            types=[self._type(v.aval) for v in results],
            attributes=attributes,
            scope=own.scope,
            origins=own.origins,
            derived=(path,) if self._is_derived else (),
            direction=own.direction,
            source=own.source,
        )
        self._equation_nodes[id(equation)] = node
        self._keep_alive.append(equation)
        self._builder.add_operands(node, operands)
        for result, variable in enumerate(results):
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
        inside = describe_inside(equation, parameter)
        group = self._builder.add_group(
            group_id, GroupKind.JAXPR, **inside._asdict(), parent=parent, owner=owner
        )
        prefix = f"{group_id}/"
        operands = owner_operands(equation, parameter, inner)
        names = argument_names(equation, inner)
        references = (
            describe_references(equation.params, len(equation.invars), len(inner.invars))
            if equation.primitive.name == "pallas_call"
            else ()
        )
        places = self._add_inputs(inner, prefix, group, operands, names, references)
        if len(self._sources_of_callers(inner)) > 1:
            around = around._replace(source=())  # which of the lines is not known
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
            attributes.update(self._batched([atom]))
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
            if (place := places.get(id(atom))) is not None:
                self._builder.add_operands(node, [(0, place, self._type(atom.aval))])

    def _provenance(self, equation: Any, path: str, around: Provenance) -> Provenance:
        """An equation's own tags and scopes, else those of the equation that it is inside of."""
        origins, scope, name = self._read_stack(equation.source_info.name_stack)
        names = f"{around.names}/{name}" if around.names and name else around.names or name
        source = self._own_source(equation, origins)
        if self._is_base:
            origins = (path,)
        elif not origins and source and source[0] in self._places:
            origins = (self._places[source[0]],)
        return Provenance(
            origins or around.origins,
            read_direction(names),
            around.scope + scope,
            # Functions of JAX that are traced once for all their callers have no user's frame.
            source or around.source,
            names,
        )

    def _orders(self, names: str) -> str:
        """Which part of which derivative names say, where their program can have so many."""
        orders = read_orders(names)
        return orders if orders.count(" of ") < self._num_derivatives else ""

    def _read_stack(self, stack: Any) -> tuple[tuple[str, ...], tuple[str, ...], str]:
        """Origins and scopes of a name stack, and the name that it is printed as without tags."""
        known = self._stacks.get(id(stack))
        if known is None:
            plain = compat.untagged(stack)
            told = self._names_of_stacks.get(plain)
            if told is None:
                scope = tuple(
                    scope for scope in compat.scope_names(stack) if scope != "rematted_computation"
                )
                told = self._names_of_stacks[plain] = (scope, compat.stack_text(plain))
            origin = read_origin(compat.read_tags(stack), self._tags)
            known = self._stacks[id(stack)] = ((origin,) if origin else (), *told)
        return known

    def _sources_of_callers(self, inner: Any) -> frozenset[tuple[Frame, ...]]:
        """The places of all equations that have a nested jaxpr, or of those around them."""
        known = self._callers.get(id(inner))
        if known is None:
            found: set[tuple[Frame, ...]] = set()
            for owner in self._shares.get(id(inner), ()):
                stack = owner.equation.source_info.name_stack
                source = self._own_source(owner.equation, self._read_stack(stack)[0])
                found |= {source} if source else self._sources_of_callers(owner.around)
            known = self._callers[id(inner)] = frozenset(found or {()})
        return known

    def _own_source(self, equation: Any, origins: tuple[str, ...]) -> tuple[Frame, ...]:
        """Where an equation stands; what a transform adds has the place of what it comes from."""
        source = self._source(equation)
        if not source and not self._is_base and origins and origins[0] in self._base:
            source = self._base[origins[0]].source
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
        parameters = shown_parameters(equation, bool(nested))
        attributes = {name: self._text(value) for name, value in parameters.items()}
        self._parameters[id(equation)] = attributes
        if not nested:
            return attributes
        attributes = dict(attributes)
        if equation.primitive.name == "scan":
            counts = compat.scan_counts(equation.params)
            attributes.update((name, str(count)) for name, count in counts.items())
        if equation.primitive.name == "pallas_call":
            attributes.update(describe_grid(equation.params))
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


def print_jaxpr(jaxpr: Any, converted: ConvertedJaxpr) -> StageText:
    """The text of a closed jaxpr; `line_nodes` names the equation of each line."""
    printer = _Printer(converted)
    printer.print_program(compat.open_jaxpr(jaxpr), "", "", -1)
    return StageText("\n".join(printer.lines), np.asarray(printer.nodes, np.int32))


class _Printer:
    def __init__(self, converted: ConvertedJaxpr) -> None:
        self._names = converted.names
        self._equation_nodes = converted.equation_nodes
        self._groups = converted.groups
        self._parameters = converted.parameters
        self._printed: set[int] = set()
        self._type = _TypeTexts()
        self.lines: list[str] = []
        self.nodes: list[int] = []

    def print_program(self, inner: Any, indent: str, lead: str, owner: int) -> None:
        self._printed.add(id(inner))
        constants = " ".join(self._binder(v) for v in inner.constvars)
        inputs = " ".join(self._binder(v) for v in inner.invars)
        space = " " if constants else ""
        self._add(f"{indent}{lead}{{ lambda {constants}{space}; {inputs}. let", owner)
        for equation in inner.eqns:
            self._print_equation(equation, f"{indent}    ")
        results = ", ".join(self._atom(atom) for atom in inner.outvars)
        comma = "," if len(inner.outvars) == 1 else ""
        self._add(f"{indent}  in ({results}{comma}) }}", owner)

    def _print_equation(self, equation: Any, indent: str) -> None:
        node = self._equation_nodes.get(id(equation), -1)
        left = " ".join(self._binder(v) for v in equation.outvars)
        left = f"{left} = " if left else ""
        operands = "".join(f" {self._atom(atom)}" for atom in equation.invars)
        parameters = self._parameters[id(equation)].items()
        nested = list(nested_jaxprs(equation.params))
        head = f"{indent}{left}{equation.primitive.name}"
        if not parameters and not nested:
            self._add(f"{head}{operands}", node)
        elif not nested and sum(len(n) + len(v) + 2 for n, v in parameters) + len(head) < 100:
            inside = " ".join(f"{name}={value}" for name, value in parameters)
            self._add(f"{head}[{inside}]{operands}", node)
        else:
            self._add(f"{head}[", node)
            for name, value in parameters:
                self._add(f"{indent}  {name}={value}", node)
            for name, jaxpr in nested:
                self._print_nested(compat.open_jaxpr(jaxpr), name, f"{indent}  ", node)
            self._add(f"{indent}]{operands}", node)

    def _print_nested(self, inner: Any, name: str, indent: str, node: int) -> None:
        if id(inner) in self._printed:
            place = self._groups.get(id(inner), "above")
            self._add(f"{indent}{name}={{ as printed above, at {place} }}", node)
        else:
            self.print_program(inner, indent, f"{name}=", node)

    def _binder(self, variable: Any) -> str:
        name = "_" if compat.is_dropped(variable) else self._names.get(id(variable), "?")
        return f"{name}:{self._type(variable.aval)}"

    def _atom(self, atom: Any) -> str:
        if compat.is_literal(atom):
            return f"{value_text(atom.val)}:{self._type(atom.aval)}"
        return self._names.get(id(atom), "?")

    def _add(self, line: str, node: int) -> None:
        self.lines.append(line)
        self.nodes.append(node)
