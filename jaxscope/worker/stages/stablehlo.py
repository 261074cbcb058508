"""Convert a StableHLO module to a graph in columns, link its text to it, and read what it says of
shardings and collectives.

Drawn is `main`, or where there is none, as in modules of other tools, the first public function
that no other calls. Other functions are the insides of `func.call` operations; a shared one is
shown once, inside its first caller. Terminators become output nodes. An operation without a tag
takes the provenance of the operation around it. Shardy writes shardings as `sdy.sharding`, GSPMD
as `mhlo.sharding`.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
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
from jaxscope.model.op_name import (
    DERIVED_TAG,
    NOT_THE_USERS,
    TagTable,
    read_direction,
    read_op_name,
    strip_tags,
)
from jaxscope.model.said import join_first, say
from jaxscope.model.types import short_type
from jaxscope.model.units import shorten
from jaxscope.worker import compat
from jaxscope.worker.stages.jaxpr import Provenance

_NAMES = ("sdy.sharding", "mhlo.sharding")
_TABLES = frozenset({"replica_groups", "source_target_pairs"})
_MESH = re.compile(r"#sdy\.mesh<\[(?P<axes>[^\]]*)\]>")
_MESH_AXIS = re.compile(r'"(?P<name>[\w.$-]+)"\s*=\s*(?P<size>\d+)')
_MESH_GROUPS = re.compile(
    r'#stablehlo\.replica_group_mesh_axes<mesh = @"?(?P<mesh>[\w.$-]+)"?, axes = \[(?P<axes>.*)\]>'
)
_AXIS_USE = re.compile(r'#stablehlo\.axis_ref<name = "(?P<name>[^"]+)">')

MeshAxes = tuple[tuple[str, int], ...]
"""Name and size of each axis of a mesh, outermost first."""


@dataclass(frozen=True, slots=True)
class FunctionShardings:
    """The texts of a function's shardings, empty where it states none.

    Attributes:
        arguments: Of each argument.
        results: Of each result.
    """

    arguments: tuple[str, ...] = ()
    results: tuple[str, ...] = ()

    def of_argument(self, number: int) -> dict[str, str]:
        """The attribute `sharding` of an argument, if it has one."""
        return _attribute(self.arguments, number)

    def of_result(self, number: int) -> dict[str, str]:
        """The attribute `sharding` of a result, if it has one."""
        return _attribute(self.results, number)


NO_SHARDINGS = FunctionShardings()


def read_shardings(function: Any) -> FunctionShardings:
    """Read it from a `func.func`."""
    attributes = function.operation.attributes
    return FunctionShardings(_texts(attributes, "arg_attrs"), _texts(attributes, "res_attrs"))


def read_meshes(module: Any) -> dict[str, MeshAxes]:
    """The meshes that a module declares, by name; none whose devices have an order of their own."""
    found: dict[str, MeshAxes] = {}
    for operation in module.body.operations:
        if operation.operation.name != "sdy.mesh":
            continue
        attributes = operation.operation.attributes
        match = _MESH.fullmatch(str(attributes["mesh"]))
        axes = match["axes"].split(",") if match is not None and match["axes"] else []
        uses = [_MESH_AXIS.fullmatch(axis.strip()) for axis in axes]
        known = tuple((use["name"], int(use["size"])) for use in uses if use is not None)
        if known and len(known) == len(uses):
            found[str(attributes["sym_name"]).strip('"')] = known
    return found


def mesh_groups(name: str, value: Any, meshes: Mapping[str, MeshAxes]) -> str:
    """Groups along axes of a mesh, as JAX 0.12 states them, with the mesh itself.

    The form is that of HLO's proto, `mesh=(axes={(name=x, size=2)}), axes={(mesh_axis_index=0)}`.
    Empty for any other attribute, for a part of an axis, and for an unknown mesh.
    """
    match = _MESH_GROUPS.fullmatch(str(value)) if name in _TABLES else None
    mesh = meshes.get(match["mesh"]) if match is not None else None
    if match is None or not mesh:
        return ""
    names = [axis for axis, _ in mesh]
    uses = [_AXIS_USE.fullmatch(use) for use in match["axes"].split(", ")]
    chosen = [use["name"] for use in uses if use is not None and use["name"] in names]
    if not chosen or len(chosen) != len(uses):
        return ""
    axes = ",".join(f"(name={axis}, size={size})" for axis, size in mesh)
    used = ",".join(f"(mesh_axis_index={names.index(axis)})" for axis in chosen)
    return f"mesh=(axes={{{axes}}}), axes={{{used}}}"


def device_table(name: str, value: Any) -> str:
    """Groups or pairs of devices in full, as HLO writes them, `{{0,1},{2,3}}`.

    Empty for any other attribute, and for what is no table.
    """
    if name not in _TABLES:
        return ""
    try:
        rows, columns = (int(size) for size in value.type.shape)
        numbers = [int(number) for number in value]
    except (AttributeError, TypeError, ValueError):
        return ""
    if len(numbers) != rows * columns:
        return ""
    listed = (numbers[k * columns : (k + 1) * columns] for k in range(rows))
    # A short row is filled up with -1.
    groups = (",".join(str(number) for number in row if number >= 0) for row in listed)
    return "{" + ",".join(f"{{{group}}}" for group in groups) + "}"


def _texts(attributes: Any, name: str) -> tuple[str, ...]:
    if name not in attributes:
        return ()
    return tuple(
        next((str(own[key]).strip('"') for key in _NAMES if key in own), "")
        for own in attributes[name]
    )


def _attribute(texts: tuple[str, ...], number: int) -> dict[str, str]:
    text = texts[number] if number < len(texts) else ""
    return {"sharding": text} if text else {}


MAX_CONSTANT_ELEMENTS = 16
"""Larger constants are shown by type only: an 8 MB constant makes 16 MB of text."""

_MAX_ATTRIBUTE_TEXT = 200
_HIDDEN_ATTRIBUTES = frozenset({"sym_name", "function_type", "callee"})
_MNEMONIC = re.compile(r'^\s*(?:%[^=]*= )?"?([a-z_]+(?:\.[a-z_0-9]+)*)')

_DERIVED = re.compile(rf"jxs{DERIVED_TAG}(\d+)")

Places = dict[Any, tuple[int, int]]


class _Provenance(NamedTuple):
    origins: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    direction: Direction = Direction.NONE
    scope: tuple[str, ...] = ()
    source: tuple[tuple[str, int, int, str], ...] = ()


@dataclass(frozen=True, eq=False)
class ConvertedModule:
    """A graph and the operations in the order in which the text prints them.

    Attributes:
        graph: All operations.
        printed: Name, node index and depth of each operation in printing order.
        notes: What the graph lacks, each a sentence; empty for a module that JAX wrote.
    """

    graph: Graph
    printed: Sequence[tuple[str, int, int]]
    notes: Sequence[str] = ()


def convert_stablehlo(
    module: Any, tags: TagTable, derived: Mapping[str, Provenance]
) -> ConvertedModule:
    """Convert an `ir.Module`.

    Args:
        module: As `lowered.compiler_ir("stablehlo")` gives it, lowered from tagged equations.
        tags: What the tags stand for.
        derived: Where the equations of the last jaxpr-level stage come from, by their ids; an
            operation takes over what its equation has.
    """
    return _Converter(tags, derived).convert(module)


class _Converter:
    def __init__(self, tags: TagTable, derived: Mapping[str, Provenance]) -> None:
        self._builder = GraphBuilder()
        self._tags = tags
        self._derived = derived
        self._functions: dict[str, Any] = {}
        self._callers: dict[str, list[str]] = {}
        self._shown: dict[str, None] = {}
        self._types: dict[Any, str] = {}
        self._names: dict[str, _Provenance] = {}
        self._texts: dict[tuple[bool, Any], str] = {}
        self._listed: list[tuple[str, str, int]] = []
        self._nodes: dict[str, int] = {}
        self._spread = NO_SHARDINGS
        self._meshes: dict[str, MeshAxes] = {}
        self._is_untagged = not tags.derived
        self._read_untagged = functools.cache(read_location)

    def convert(self, module: Any) -> ConvertedModule:
        functions = [op for op in module.body.operations if op.operation.name == "func.func"]
        self._functions = {_symbol(op, "sym_name"): op for op in functions}
        self._meshes = read_meshes(module)
        for name, function in self._functions.items():
            self._listed.append(("func.func", "", 0))
            self._list_operations(function.regions[0].blocks, name, 1)
        entries = self._find_entries()
        for name in entries[:1]:
            self._spread = read_shardings(self._functions[name])
            self._add_block(
                self._functions[name].regions[0].blocks[0], name, NONE, _Provenance(), {}
            )
        printed = [(name, self._nodes.get(path, -1), depth) for name, path, depth in self._listed]
        notes = list(self._tell_left_out(module, entries))
        return ConvertedModule(self._builder.build(), printed, notes)

    def _find_entries(self) -> list[str]:
        """Functions that no other calls, the one that is drawn first."""
        whole = sorted(filter(self._has_body, self._functions), key=lambda name: name != "main")
        public = [
            name
            for name in whole
            if name == "main"
            or (
                name not in self._callers
                and "sym_visibility" not in self._functions[name].operation.attributes
            )
        ]
        return public or whole[:1]

    def _tell_left_out(self, module: Any, entries: Sequence[str]) -> Iterator[str]:
        names = Counter(name for name, _, _ in self._listed)
        foreign = [name for name in names if not module.context.is_registered_operation(name)]
        if foreign:
            yield say(
                "{count:,} of its {all:,} operations are of no dialect that JAX uses, and are "
                "drawn by their names alone: {dialects}.",
                count=sum(names[name] for name in foreign),
                all=names.total(),
                dialects=join_first(dict.fromkeys(n.partition(".")[0] for n in foreign), 5),
            )
        nested = sum(each.operation.name == "builtin.module" for each in module.body.operations)
        if nested:
            yield say(
                "It holds {count:,} modules inside, which are not drawn: write each to a file of "
                "its own.",
                count=nested,
            )
        elif not entries:
            yield say("The module has no function with a body: nothing is drawn.")
        elif len(entries) > 1:
            yield say(
                "The function {name} is drawn. The module has others that no function calls, "
                "which are in the text alone: {others}.",
                name=entries[0],
                others=join_first(entries[1:], 5),
            )
        for name in [*entries[:1], *self._shown]:
            blocks = len(self._functions[name].regions[0].blocks)
            if blocks > 1:
                yield say(
                    "The function {name} jumps between {blocks:,} blocks, of which the first is "
                    "drawn.",
                    name=name,
                    blocks=blocks,
                )

    def _list_operations(self, blocks: Any, path: str, depth: int) -> None:
        """List all operations in the order in which the text prints them, and who calls what."""
        for block in blocks:
            for number, operation in enumerate(block.operations):
                inner = operation.operation
                name, inside = inner.name, f"{path}/{number}"
                self._listed.append((name, inside, depth))
                if name == "func.call":
                    self._callers.setdefault(_symbol(operation, "callee"), []).append(inside)
                for index, region in enumerate(inner.regions):
                    self._list_operations(region.blocks, f"{inside}/{index}", depth + 1)

    def _add_block(
        self,
        block: Any,
        path: str,
        group: int,
        around: _Provenance,
        places: Places,
        operands: Sequence[int] | None = None,
    ) -> None:
        for number, argument in enumerate(block.arguments):
            attributes: dict[str, str] = {}
            if group == NONE:
                attributes = {"argument": str(number), **self._spread.of_argument(number)}
                if name := read_argument_name(str(argument.location)):
                    attributes["path"] = self._tags.argument_paths.get(name, name)
            elif operands is not None and number < len(operands):
                attributes["operand"] = str(operands[number])
            node = self._builder.add_node(
                f"{path}/in:{number}",
                NodeKind.INPUT,
                "input",
                name=f"%arg{number}",
                group=group,
                types=(self._type(argument.type),),
                attributes=attributes,
            )
            places[argument] = (node, 0)
        for number, operation in enumerate(block.operations):
            name = operation.operation.name
            if name.endswith(".return"):
                self._add_outputs(operation, path, group, places)
            else:
                self._add_operation(operation, name, f"{path}/{number}", group, around, places)

    def _add_operation(
        self,
        operation: Any,
        kind: str,
        path: str,
        group: int,
        around: _Provenance,
        places: Places,
    ) -> None:
        inner = operation.operation
        own = self._provenance(inner.location, around)
        callee = _symbol(operation, "callee") if kind == "func.call" else ""
        attributes = self._attributes(operation, path, callee)
        if self._is_untagged:
            name, source = self._read_untagged(str(inner.location))
            attributes |= {"op_name": name} if name else {}
            own = _Provenance(direction=read_direction(name), source=source)
        results = list(inner.results)
        node = self._builder.add_node(
            path,
            NodeKind.OPERATION,
            kind,
            group=group,
            types=[self._type(result.type) for result in results],
            attributes=attributes,
            scope=own.scope,
            origins=own.origins,
            derived=own.derived,
            direction=own.direction,
            source=own.source,
        )
        self._nodes[path] = node
        self._add_operands(inner.operands, node, places)
        for number, result in enumerate(results):
            places[result] = (node, number)
        if callee not in self._shown and self._has_body(callee):
            self._shown[callee] = None
            inside = self._builder.add_group(
                f"@{callee}", GroupKind.COMPUTATION, callee, parent=group, owner=node
            )
            block = self._functions[callee].regions[0].blocks[0]
            self._add_block(block, callee, inside, own, {}, range(len(inner.operands)))
        for number, region in enumerate(inner.regions):
            self._add_region(operation, region, number, path, node, group, own, places)

    def _has_body(self, function: str) -> bool:
        return function in self._functions and len(self._functions[function].regions[0].blocks) > 0

    def _add_region(
        self,
        operation: Any,
        region: Any,
        number: int,
        path: str,
        owner: int,
        parent: int,
        around: _Provenance,
        places: Places,
    ) -> None:
        label, part, operands = _describe_region(operation, number)
        for block_number, block in enumerate(region.blocks):
            suffix = f".{block_number}" if block_number else ""
            inside = f"{path}/{number}{suffix}"
            group = self._builder.add_group(
                inside, GroupKind.REGION, label, parent=parent, owner=owner, part=part
            )
            self._add_block(block, inside, group, around, places, operands)

    def _add_outputs(self, operation: Any, path: str, group: int, places: Places) -> None:
        for number, value in enumerate(operation.operation.operands):
            spread = self._spread.of_result(number) if group == NONE else {}
            node = self._builder.add_node(
                f"{path}/out:{number}",
                NodeKind.OUTPUT,
                "output",
                group=group,
                types=(self._type(value.type),),
                attributes={"result": str(number), **spread},
            )
            self._add_operands([value], node, places)

    def _add_operands(self, values: Any, node: int, places: Places) -> None:
        self._builder.add_operands(
            node,
            [
                (number, place, self._type(value.type))
                for number, value in enumerate(values)
                if (place := places.get(value)) is not None
            ],
        )

    def _attributes(self, operation: Any, path: str, callee: str) -> dict[str, str]:
        attributes: dict[str, str] = {}
        if callee:
            attributes["callee"] = callee
            others = [caller for caller in self._callers.get(callee, ()) if caller != path]
            if callee in self._shown:
                attributes["shares"] = f"@{callee}"
            if others:
                attributes["shared_by"] = ", ".join(others[:32])
        for name, value in _iterate_attributes(operation.operation.attributes):
            if name not in _HIDDEN_ATTRIBUTES:
                known = self._texts.get((is_table := name in _TABLES, value))
                if known is None:
                    table = device_table(name, value) or mesh_groups(name, value, self._meshes)
                    known = self._texts[is_table, value] = table or _attribute_text(value)
                attributes[name] = known
        return attributes

    def _provenance(self, location: Any, around: _Provenance) -> _Provenance:
        # What JAX lowers an equation to by a function of its own has the names of that function:
        # then the equation's tag is not the operation's name but that of the frame.
        for find in (compat.location_name, _tagged_text):
            if name := find(location):
                known = self._named(name)
                if known.derived or known.origins:
                    return known
        return around

    def _named(self, name: str) -> _Provenance:
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = self._read_name(name)
        return known

    def _read_name(self, name: str) -> _Provenance:
        # Nearly every name has the tag of one equation, which says all there is to know.
        numbers = _DERIVED.findall(name)
        if len(numbers) == 1 and not (";" in name or name.endswith(")")):
            number = int(numbers[0])
            id = self._tags.derived[number] if number < len(self._tags.derived) else ""
            equation = self._derived.get(id)
            if equation is not None and equation.origins and equation.direction != Direction.NONE:
                return _Provenance(
                    equation.origins, (id,), equation.direction, equation.scope, equation.source
                )
        read = read_op_name(name, self._tags)
        equation = self._derived.get(read.derived[0]) if read.derived else None
        if equation is None:
            return _Provenance(read.origins, read.derived, read.direction)
        # One call of a function may be forward, another backward: the name says of which.
        is_own = not read.calls[0] and equation.direction is not Direction.NONE
        return _Provenance(
            equation.origins or read.origins,
            read.derived,
            equation.direction if is_own else read.direction,
            equation.scope,
            equation.source,
        )

    def _type(self, mlir_type: Any) -> str:
        known = self._types.get(mlir_type)
        if known is None:
            known = self._types[mlir_type] = short_type(str(mlir_type))
        return known


_NAME_OF_LOCATION = re.compile(r'loc\("((?:[^"\\]|\\.)*)"(?=[()])')
_ONLY_A_NAME = re.compile(r'loc\("((?:[^"\\]|\\.)*)"\)')
_ESCAPED = re.compile(rb"\\(\\|[0-9A-F]{2})")
_FRAME_OF_LOCATION = re.compile(r'"((?:[^"\\]|\\.)*)"\("((?:[^"\\]|\\.)*)":(\d{1,9}):(\d{1,9})')
_MAX_LOCATION = 20_000


def read_location(text: str) -> tuple[str, tuple[tuple[str, int, int, str], ...]]:
    """The name of an operation, and the user's frames that it came from, innermost first.

    Args:
        text: A location as MLIR prints it.
    """
    text = text[:_MAX_LOCATION]
    name = _NAME_OF_LOCATION.match(text)
    frames = [
        (file, int(line), int(column), function)
        for function, file, line, column in _FRAME_OF_LOCATION.findall(text)
        if not NOT_THE_USERS.search(file)
    ]
    return name[1] if name is not None else "", tuple(dict.fromkeys(frames))


def read_argument_name(text: str) -> str:
    """What JAX calls an argument of a module, such as `params['w']`; empty where it says nothing.

    Args:
        text: The argument's location as MLIR prints it, bytes that are no ASCII as `\\C3`. Bindings
            of JAX 0.8 end the process where they are asked for the name of a place in a file.
    """
    match = _ONLY_A_NAME.fullmatch(text[:_MAX_LOCATION])
    if match is None:
        return ""
    told = _ESCAPED.sub(
        lambda found: found[1] if found[1] == b"\\" else bytes([int(found[1], 16)]),
        match[1].encode(),
    )
    return told.decode(errors="replace")


def link_stablehlo_lines(text: str, converted: ConvertedModule) -> npt.NDArray[np.int32]:
    """Find the node that each line of the module's text defines, or -1.

    The text prints operations in the order of `printed`, one per line, but leaves out the insides
    of short forms (`stablehlo.reduce … applies stablehlo.add`). So only operations deeper than
    the last matched one may be passed over; anything else ends the linking there.
    """
    lines = text.split("\n")
    nodes = np.full(len(lines), -1, np.int32)
    position, depth = 0, 0
    for number, line in enumerate(lines):
        match = _MNEMONIC.match(line)
        if match is None or position >= len(converted.printed):
            continue
        mnemonic = match.group(1)
        candidate = position
        while candidate < len(converted.printed):
            name, node, level = converted.printed[candidate]
            if name == mnemonic or name == f"func.{mnemonic}":
                nodes[number] = node
                position, depth = candidate + 1, level
                break
            if level <= depth:
                break
            candidate += 1
    return nodes


def print_module(module: Any) -> str:
    """The module's text without locations and tags; large constants are elided."""
    text = module.operation.get_asm(large_elements_limit=MAX_CONSTANT_ELEMENTS)
    return strip_tags(str(text)).rstrip("\n")


def _describe_region(operation: Any, number: int) -> tuple[str, int, Sequence[int] | None]:
    """Label and part of a group, and the operands that its arguments are."""
    name = operation.operation.name
    if name == "stablehlo.while":
        part = CONDITION if number == 0 else BODY
        return PART_NAMES[part], part, range(len(operation.operation.operands))
    if name in {"stablehlo.case", "stablehlo.if"}:
        return f"branch {number}", number, None
    return f"{name.rpartition('.')[2]} body", NONE, None


def _iterate_attributes(attributes: Any) -> list[tuple[str, Any]]:
    """Name and value of each attribute; MLIR's dictionary yields named attributes or names."""
    pairs = []
    for item in attributes:
        name = item if isinstance(item, str) else item.name
        try:
            pairs.append((name, attributes[name]))
        except TypeError:  # MLIR's Python bindings have no class for complex numbers
            pairs.append((name, "complex numbers"))
    return pairs


def _attribute_text(value: Any) -> str:
    try:
        if len(value) > MAX_CONSTANT_ELEMENTS and not getattr(value, "is_splat", False):
            return f"{len(value)} elements of {short_type(str(value.type))}"
    except (TypeError, AttributeError):
        pass
    return shorten(str(value), _MAX_ATTRIBUTE_TEXT)


def _symbol(operation: Any, attribute: str) -> str:
    return str(operation.operation.attributes[attribute]).strip('@"')


def _tagged_text(location: Any) -> str:
    text = str(location)
    return text if "jxs" in text else ""
