"""Convert an HLO module into a graph.

Every instruction of every computation is one node, in the proto's order, so that row `i` of what
the worker computed per instruction belongs to node `i`. Every computation but the entry is one
group, nested under the computation that calls it. Provenance (base and derived equations, scopes,
direction) is read from `op_name`s, source positions from the module's tables of frames; lines of
the module's text are linked to nodes.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import (
    BODY,
    CONDITION,
    NONE,
    PART_NAMES,
    ROUNDS,
    Direction,
    Graph,
    GroupKind,
    NodeKind,
)
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.model.op_name import (
    NOT_THE_USERS,
    TagTable,
    in_call,
    is_called_after,
    is_tagged,
    read_direction,
    read_op_name,
)
from jaxscope.model.said import say
from jaxscope.program.hlo.instruction_text import ShapeTexts, read_attributes
from jaxscope.program.hlo.proto import HloMessage, read_module

_WRAPPER = re.compile(r"^([A-Za-z_]\w*)\((.*)\)$", re.DOTALL)
_FUNCTION_NAMES = frozenset({"jit", "pjit", "pmap", "shard_map", "custom_jvp", "custom_vjp"})
_STRUCTURE = re.compile(
    r"^(?:while|body|cond|scan|closed_call|core_call|eval_jaxpr|checkpoint|remat2?|"
    r"rematted_computation|custom_jvp_call|custom_vjp_call(?:_jaxpr)?|custom_lin|jit|pjit|"
    r"branch_\d+_fun|body_fun|cond_fun|body_pred|shard_map|transpose|main)$"
)
_MAX_WRAPPERS = 64


@functools.lru_cache(maxsize=4096)
def read_scope(op_name: str) -> tuple[str, ...]:
    """The user's named scopes, outermost first, without the operation's own name.

    `jit(loss)/transpose(jvp(layer))/attention/mul` reads `("layer", "attention")`: transforms
    are unwrapped, and names of functions and of JAX's control flow are left out.

    Args:
        op_name: Without tags. Of merged instructions, the first part counts.
    """
    first = op_name.split(";", 1)[0]
    around, _, own = first.rpartition("/")
    if "(" in own or ")" in own:  # the last slash may be within parentheses
        return _scopes_of(split_path(first)[:-1])
    return _read_scopes(around) if around else ()


@functools.lru_cache(maxsize=1 << 16)
def _read_scopes(path: str) -> tuple[str, ...]:
    """Those of what stands before an operation's own name, as many operations share it."""
    parts, is_open = _split(path)
    return _scopes_of(parts[:-1] if is_open else parts)


@functools.lru_cache(maxsize=1 << 16)
def _read_around(path: str) -> tuple[tuple[str, ...], Direction]:
    """Scopes and direction of all names that begin with a path, and end without parentheses."""
    return _read_scopes(path) if path else (), read_direction(path)


def _scopes_of(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(scope for part in parts for scope in _unwrap(part, 0))


def split_path(op_name: str) -> list[str]:
    """Split at the slashes that are not within parentheses."""
    return _split(op_name)[0]


def _split(op_name: str) -> tuple[list[str], bool]:
    """The parts, and whether the last one ends within parentheses."""
    if "(" not in op_name:
        return op_name.split("/"), False
    parts: list[str] = []
    inside: list[str] = []
    depth = 0
    for piece in op_name.split("/"):
        inside.append(piece)
        if "(" in piece or ")" in piece:
            depth = _depth_after(piece, depth)
        if depth == 0:
            parts.append("/".join(inside))
            inside = []
    return ([*parts, "/".join(inside)], True) if inside else (parts, False)


def _depth_after(piece: str, depth: int) -> int:
    """How many parentheses are open behind a piece; closing ones that nothing opened count not."""
    for letter in piece:
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth = max(depth - 1, 0)
    return depth


@functools.lru_cache(maxsize=1 << 16)
def _unwrap(part: str, depth: int) -> tuple[str, ...]:
    match = _WRAPPER.match(part)
    if match is None:
        return () if not part or _STRUCTURE.match(part) else (part,)
    if match[1] in _FUNCTION_NAMES or depth > _MAX_WRAPPERS:
        return ()
    return tuple(name for piece in split_path(match[2]) for name in _unwrap(piece, depth + 1))


Frame = tuple[str, int, int, str]
"""File, 1-based line, 0-based column (-1: unknown), function."""

_MAX_FRAMES = 200


class FrameTable:
    """Call stacks of one module, innermost frame first, JAX's own frames left out."""

    def __init__(self, module: HloMessage) -> None:
        index = module.stack_frame_index
        self._files = list(index.file_names)
        self._functions = list(index.function_names)
        self._places = [
            (place.file_name_id, place.function_name_id, place.line, place.column)
            for place in index.file_locations
        ]
        self._frames = [(f.file_location_id, f.parent_frame_id) for f in index.stack_frames]
        self._stacks: dict[int, tuple[Frame, ...]] = {}
        self._is_of_user: dict[str, bool] = {}

    def read(self, metadata: HloMessage) -> tuple[Frame, ...]:
        """The user's frames of an instruction; empty if its metadata names no place."""
        frame_id = metadata.stack_frame_id
        if frame_id:
            found = self._stacks.get(frame_id)
            if found is None:
                found = self._stacks[frame_id] = tuple(self._walk(frame_id))
            return found
        if metadata.source_file:  # jaxlib 0.8 keeps one place per instruction and no stack
            column = metadata.source_column if metadata.source_end_column else -1
            file = metadata.source_file
            if file not in self._is_of_user:
                self._is_of_user[file] = NOT_THE_USERS.search(file) is None
            is_shown = self._is_of_user[file]
            return ((file, max(metadata.source_line, 0), column, ""),) if is_shown else ()
        return ()

    def _walk(self, frame_id: int) -> list[Frame]:
        """Follow parents. All ids are 1-based and 0 ends the chain; bad ids end it too."""
        stack: list[Frame] = []
        seen: set[int] = set()
        while 0 < frame_id <= len(self._frames) and frame_id not in seen:
            seen.add(frame_id)
            place_id, frame_id = self._frames[frame_id - 1]
            if not 0 < place_id <= len(self._places):
                break
            file_id, function_id, line, column = self._places[place_id - 1]
            file = _row(self._files, file_id)
            if file and not NOT_THE_USERS.search(file) and len(stack) < _MAX_FRAMES:
                stack.append((file, line, column, _row(self._functions, function_id)))
        return stack


def _row(table: list[str], number: int) -> str:
    return table[number - 1] if 0 < number <= len(table) else ""


COMBINING = frozenset(
    {
        *("reduce", "reduce-window", "scatter", "sort", "select-and-scatter", "map", "topk"),
        *("all-reduce", "all-reduce-start", "reduce-scatter"),
    }
)
"""Instructions whose computation combines elements and holds no equation by itself."""
_REGIONS = COMBINING | {"while", "conditional"}
_OPERANDS_ARE_PARAMETERS = frozenset({"fusion", "call", "async-start"})


@dataclass(frozen=True, slots=True)
class CallSite:
    """One place where an instruction calls a computation.

    Attributes:
        caller: Node index of the calling instruction.
        caller_name: Its name.
        caller_opcode: Its opcode.
        position: Which of the caller's computations this is: 0 is the body of a `while`, 1 its
            condition.
        home: Index of the computation that the caller stands in.
        trip_count: Of a `while`, as text; empty where unknown.
    """

    caller: int
    caller_name: str
    caller_opcode: str
    position: int
    home: int
    trip_count: str = ""

    @property
    def kind(self) -> GroupKind:
        """What the called computation is to its caller."""
        if self.caller_opcode == "fusion":
            return GroupKind.FUSION
        return GroupKind.REGION if self.caller_opcode in _REGIONS else GroupKind.COMPUTATION

    @property
    def part(self) -> int:
        """Which inside of a loop or a branch it is: see `Groups.part`."""
        if self.caller_opcode == "while":
            return BODY if self.position == 0 else CONDITION
        return self.position if self.caller_opcode == "conditional" else NONE

    @property
    def label(self) -> str:
        """What to write on the group's box; empty if the computation's own name says it best."""
        if self.caller_opcode == "fusion":
            return self.caller_name
        if self.caller_opcode == "while":
            times = f" ×{self.trip_count}" if self.trip_count and self.part == BODY else ""
            return f"{PART_NAMES[self.part]} of {self.caller_name}{times}"
        if self.caller_opcode == "conditional":
            return f"branch {self.part} of {self.caller_name}"
        if self.caller_name.partition(".")[0] == self.caller_opcode:
            return self.caller_name  # not `call of call`
        return f"{self.caller_opcode} of {self.caller_name}" if self.caller_opcode else ""

    def operand_of(self, parameter: int) -> int:
        """The caller's operand that the callee's parameter stands for, or `NONE`.

        Reducers and comparators are called with elements, not with an operand.
        """
        if self.caller_opcode in _OPERANDS_ARE_PARAMETERS:
            return parameter
        if self.caller_opcode == "while":
            return 0
        if self.caller_opcode == "conditional":
            return self.position + 1
        return NONE


@dataclass(frozen=True, slots=True)
class Nesting:
    """The tree of computations of one module.

    Attributes:
        order: Indices of all computations but the entry, callers before callees.
        sites: Per computation its call sites; the first is the one it is shown under.
    """

    order: tuple[int, ...]
    sites: tuple[tuple[CallSite, ...], ...]


def find_nesting(
    module: HloMessage,
    first_nodes: Sequence[int],
    trips: Mapping[int, str],
    callers: Sequence[Sequence[int]] | None = None,
) -> Nesting:
    """Find the call sites of every computation and an order in which callers come first.

    A computation that nothing reachable calls comes last and has no call sites that it could be
    shown under: recursion, which HLO does not have, ends there too.

    Args:
        module: A parsed module.
        first_nodes: Node index of the first instruction of each computation.
        trips: Known trip counts by node index.
        callers: Of each computation, which of its instructions call others, where that is known.
    """
    computations = list(module.computations)
    by_id = {computation.id: index for index, computation in enumerate(computations)}
    entry = by_id.get(module.entry_computation_id, len(computations) - 1)
    callees: list[list[tuple[int, CallSite]]] = []
    for home, computation in enumerate(computations):
        calls: list[tuple[int, CallSite]] = []
        for offset, instruction in (
            enumerate(computation.instructions)
            if callers is None
            else ((offset, computation.instructions[offset]) for offset in callers[home])
        ):
            caller = first_nodes[home] + offset
            for position, called_id in enumerate(instruction.called_computation_ids):
                called = by_id.get(called_id)
                if called is not None:
                    site = CallSite(
                        caller,
                        instruction.name,
                        instruction.opcode,
                        position,
                        home,
                        trips.get(caller, ""),
                    )
                    calls.append((called, site))
        callees.append(calls)
    sites: list[list[CallSite]] = [[] for _ in computations]
    seen, queue = {entry}, [entry]
    for home in queue:
        for called, site in callees[home]:
            if called == entry:
                continue
            sites[called].append(site)
            if called not in seen:
                seen.add(called)
                queue.append(called)
    # Breadth first keeps the first site's home before the computation itself.
    order = queue[1:] + [index for index in range(len(computations)) if index not in seen]
    return Nesting(tuple(order), tuple(tuple(row) for row in sites))


class NodeProvenance(NamedTuple):
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

    def or_inherited(self, around: NodeProvenance) -> NodeProvenance:
        """What an instruction that JAX named but no equation tagged has from its callers.

        Before optimization JAX's helper functions are computations of their own, whose
        instructions are named relative to their callers. What has no name at all was made by the
        compiler and inherits nothing.
        """
        if not self.display or self.derived or self.origins:
            return self
        if (around is _NOWHERE or around == _NOWHERE) and self.direction is Direction.NONE:
            return self  # as most of what a job left behind
        return NodeProvenance(
            around.origins,
            around.derived,
            around.scope or self.scope,
            around.direction,
            self.display,
            self.calls,
            self.source or around.source,
        )


_NOWHERE = NodeProvenance()
_MOST_NAMES = 1 << 16
"""Equal names stand near each other; half a million of them take memory."""


class ProvenanceReader:
    """Reads `op_name`s of one module; of distinct names so many are kept.

    Where the equation of the last jaxpr-level stage is known and that stage's graph is at hand,
    origins, scope and direction are that equation's: there they are richer, because nested
    equations inherit from the equations around them. Otherwise the name itself has to do.
    """

    def __init__(self, tags: TagTable, derived_graph: Graph | None) -> None:
        self._tags = tags
        self._graph = derived_graph
        self._read: dict[str, NodeProvenance] = {"": NodeProvenance()}

    def read(self, op_name: str) -> NodeProvenance:
        """What a name, with its tags, says."""
        found = self._read.get(op_name)
        if found is None:
            if len(self._read) >= _MOST_NAMES:
                self._read.clear()
            found = self._read[op_name] = self._parse(op_name)
        return found

    def _parse(self, op_name: str) -> NodeProvenance:
        if not (is_tagged(op_name) or op_name.startswith("(")):  # as in what a job left behind
            around, _, own = op_name.rpartition("/")
            if "(" in own or ")" in own or ";" in op_name:  # its last slash may say nothing
                said = read_scope(op_name), read_direction(op_name)
            else:  # what many operations share
                said = _read_around(around)
            return NodeProvenance(scope=said[0], direction=said[1], display=op_name)
        named = read_op_name(op_name, self._tags)
        display = named.display
        origins = dict.fromkeys(named.origins)
        scope: tuple[str, ...] = ()
        source: tuple[tuple[str, int, int, str], ...] = ()
        direction = named.direction
        graph = self._graph
        if graph is not None:
            nodes = graph.nodes
            directions: list[Direction] = []
            found: dict[str, None] = {}
            for id, calls in zip(named.derived, named.calls, strict=True):
                row = graph.index_by_id.get(id)
                if row is None:
                    continue
                # What a function holds that several equations call, the graph has with the origins,
                # scope and place of the first call.
                if not (calls and origins):
                    found.update(dict.fromkeys(graph.row(nodes.origins, row)))
                if not calls:
                    scope = scope or graph.row(nodes.scope, row)
                caller = graph.index_by_id.get(calls[-1], row) if calls else row
                # One call of a function may be forward, another backward: the name says of which.
                if not calls or named.direction is Direction.NONE:
                    directions.append(Direction(int(nodes.direction[caller])))
                source = source or tuple(
                    (place.file, place.line, place.column, place.function)
                    for place in graph.source(row) or graph.source(caller)
                )
            # The tag of the name is more exact than what an equation inherits.
            origins = found if not origins else origins | found
            direction = next((d for d in directions if d is not Direction.NONE), direction)
        return NodeProvenance(
            tuple(origins),
            named.derived,
            scope or read_scope(display),
            direction,
            display,
            named.calls,
            source,
        )


def inherit_from_callers(
    computations: Sequence[HloMessage],
    nesting: Nesting,
    first_nodes: Sequence[int],
    reader: ProvenanceReader,
) -> list[NodeProvenance]:
    """What each computation has from the instructions that call it: all of their equations."""
    inherited = [_NOWHERE for _ in computations]
    for index in nesting.order:
        origins: dict[str, None] = {}
        derived: dict[str, None] = {}
        first = NodeProvenance()
        for site in nesting.sites[index]:
            caller = computations[site.home].instructions[site.caller - first_nodes[site.home]]
            own = reader.read(caller.metadata.op_name).or_inherited(inherited[site.home])
            origins.update(dict.fromkeys(own.origins))
            derived.update(dict.fromkeys(own.derived))
            first = first if first.derived else own
        inherited[index] = first._replace(origins=tuple(origins), derived=tuple(derived))
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
    name. It says nothing of where the instruction came from. What JAX itself makes of the loop,
    such as the select of a batched condition, is called after it, too (`is_called_after`).
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


_MAX_EDGE_TYPE = 200


def convert_hlo(
    proto_bytes: bytes,
    tags: TagTable,
    derived_graph: Graph | None,
    instruction_cost: npt.NDArray[np.float64] | None,
    stage: str,
) -> Graph:
    """Convert a serialized `HloModuleProto` into the graph of a stage.

    Args:
        proto_bytes: From the worker; treated as hostile.
        tags: What the tags in `op_name`s stand for.
        derived_graph: Graph of the last jaxpr-level stage, for scopes and inherited origins.
        instruction_cost: One row per instruction in the proto's order, or None if unknown.
        stage: Name of the stage, for error texts.

    Raises:
        ValueError: The bytes are no HLO module, or the costs do not fit it.
    """
    try:
        module = read_module(proto_bytes)
        return _Converter(module, tags, derived_graph, instruction_cost).convert()
    except ValueError as error:
        raise ValueError(f"the module of the stage {stage} cannot be read: {error}") from None


class _Converter:
    """One conversion: the tables that all instructions share, and the graph so far."""

    def __init__(
        self,
        module: HloMessage,
        tags: TagTable,
        derived_graph: Graph | None,
        instruction_cost: npt.NDArray[np.float64] | None,
    ) -> None:
        self._module = module
        self._provenance = ProvenanceReader(tags, derived_graph)
        self._frames = FrameTable(module)
        self._shapes = ShapeTexts()
        self._builder = GraphBuilder()
        self._cost = instruction_cost
        self._ids: set[str] = set()

    def convert(self) -> Graph:
        computations = list(self._module.computations)
        first_nodes, total = [], 0
        for computation in computations:
            first_nodes.append(total)
            total += len(computation.instructions)
        if self._cost is not None and self._cost.shape != (total, 3):
            raise ValueError(f"costs of shape {self._cost.shape} for {total} instructions")
        surveys = [self._survey(computation) for computation in computations]
        trips = {
            first + offset: count
            for first, survey in zip(first_nodes, surveys, strict=True)
            for offset, count in survey.trips.items()
        }
        callers = [survey.callers for survey in surveys]
        nesting = find_nesting(self._module, first_nodes, trips, callers)
        groups = self._add_groups(computations, nesting)
        inherited = inherit_from_callers(computations, nesting, first_nodes, self._provenance)
        added = _list_calls(computations, nesting, trips)
        loops = find_loop_names(computations, nesting, first_nodes)
        for index, computation in enumerate(computations):
            survey = surveys[index]
            self._add_nodes(
                computation,
                survey,
                nesting.sites[index],
                groups[index],
                first_nodes[index],
                added,
                inherited[index],
                loops[index],
            )
        graph = self._builder.build()
        if self._cost is None:
            return graph
        return graph.replace_nodes(cost=np.array(self._cost, np.float64))

    def _find_named(self, instruction: HloMessage) -> HloMessage:
        """The instruction; of a fusion, which XLA names after its opcodes, what it ends with."""
        if instruction.opcode != "fusion" or not instruction.called_computation_ids:
            return instruction
        return self._roots.get(instruction.called_computation_ids[0], instruction)

    @functools.cached_property
    def _roots(self) -> dict[int, HloMessage]:
        """What each computation ends with, by the computation's id."""
        return {
            computation.id: instruction
            for computation in self._module.computations
            for instruction in computation.instructions
            if instruction.id == computation.root_id
        }

    def _survey(self, computation: HloMessage) -> _ComputationFacts:
        """What has to be known of a computation before its nodes are made."""
        survey = _ComputationFacts()
        render = self._shapes.render
        for offset, instruction in enumerate(computation.instructions):
            survey.ids.append(instruction.id)
            survey.names.append(instruction.name)
            survey.shapes.append(render(instruction.shape))
            if instruction.called_computation_ids:
                survey.callers.append(offset)
            config = instruction.backend_config or instruction.backend_config_payload.value
            if config and (b"known_trip_count" in config or b"\\" in config):
                row = read_attributes(instruction)
                if "known_trip_count" in row:
                    survey.trips[offset] = row["known_trip_count"]
        return survey

    def _add_groups(self, computations: list[HloMessage], nesting: Nesting) -> list[int]:
        """Add a group per computation but the entry; returns the group of each computation."""
        groups = [NONE] * len(computations)
        used: set[str] = set()
        for index in nesting.order:
            name = _unique(computations[index].name, used)
            sites = nesting.sites[index]
            if sites:
                site = sites[0]
                groups[index] = self._builder.add_group(
                    name,
                    site.kind,
                    site.label or name,
                    parent=groups[site.home],
                    owner=site.caller,
                    part=site.part,
                )
            else:
                groups[index] = self._builder.add_group(name, GroupKind.COMPUTATION, name)
        return groups

    def _add_nodes(
        self,
        computation: HloMessage,
        survey: _ComputationFacts,
        sites: Sequence[CallSite],
        group: int,
        first_node: int,
        added: Mapping[int, Mapping[str, str]],
        inherited: NodeProvenance,
        loops: frozenset[str],
    ) -> None:
        names, shapes = survey.names, survey.shapes
        node_of = {id: first_node + offset for offset, id in enumerate(survey.ids)}
        callers = ", ".join(dict.fromkeys(site.caller_name for site in sites))
        root = computation.root_id
        builder, read = self._builder, self._provenance.read
        for offset, instruction in enumerate(computation.instructions):
            index, name = first_node + offset, names[offset]
            metadata, opcode = instruction.metadata, instruction.opcode
            op_name = metadata.op_name
            provenance = read(op_name).or_inherited(inherited)
            row = read_attributes(instruction)
            row.update(added.get(index, _NOTHING_ADDED))
            if survey.ids[offset] == root:
                row["root"] = "true"
                if callers:
                    row["called_by"] = callers
            if sites and opcode == "parameter":
                operand = sites[0].operand_of(instruction.parameter_number)
                if operand != NONE:
                    row["operand"] = str(operand)
            if provenance.display:
                row["op_name"] = provenance.display
            is_stamped = (
                op_name in loops
                and opcode not in LOOP_PARTS
                and not is_called_after(self._find_named(instruction).name, op_name)
            )
            if is_stamped:
                provenance = _NOWHERE
            elif any(provenance.calls):
                row["call"] = ", ".join(map(in_call, provenance.derived, provenance.calls))
            if shapes[offset][2]:
                row["layout"] = shapes[offset][2]
            if instruction.control_predecessor_ids:
                row["control_predecessors"] = ", ".join(
                    names[node_of[number] - first_node]
                    for number in instruction.control_predecessor_ids
                    if number in node_of
                )
            builder.add_node(
                _unique(name, self._ids),
                NodeKind.INSTRUCTION,
                opcode,
                name=name,
                group=group,
                types=shapes[offset][1],
                attributes=row,
                scope=provenance.scope,
                origins=provenance.origins,
                derived=provenance.derived,
                direction=provenance.direction,
                source=() if is_stamped else _source(self._frames, metadata, provenance),
            )
            is_element = opcode == "get-tuple-element"
            for operand, number in enumerate(instruction.operand_ids):
                producer = node_of.get(number)
                if producer is None:
                    raise ValueError(f"{name} uses an operand that is not there")
                whole, results, _ = shapes[producer - first_node]
                output = 0
                if is_element and 0 <= instruction.tuple_index < len(results):
                    output = instruction.tuple_index
                    whole = results[output]
                if len(whole) > _MAX_EDGE_TYPE:
                    whole = f"({len(results)} values)"
                builder.add_edge(producer, index, output=output, operand=operand, type=whole)


@dataclass(slots=True)
class _ComputationFacts:
    """What is known of the instructions of one computation before its nodes are made.

    Attributes:
        ids: Of each instruction.
        names: Likewise.
        shapes: Likewise, as `ShapeTexts` renders them.
        callers: Which instructions call computations.
        trips: How often loops run, by instruction, where XLA says that.
    """

    ids: array[int] = dataclasses.field(default_factory=lambda: array("q"))
    names: list[str] = dataclasses.field(default_factory=list)
    shapes: list[tuple[str, tuple[str, ...], str]] = dataclasses.field(default_factory=list)
    callers: list[int] = dataclasses.field(default_factory=list)
    trips: dict[int, str] = dataclasses.field(default_factory=dict)


_NOTHING_ADDED: Mapping[str, str] = {}


def _list_calls(
    computations: Sequence[HloMessage], nesting: Nesting, trips: Mapping[int, str]
) -> dict[int, dict[str, str]]:
    """Attributes that instructions have for what they call, by node."""
    added: dict[int, dict[str, str]] = {
        node: {"cost_note": say(ROUNDS, times=trip_count)} for node, trip_count in trips.items()
    }
    for computation, sites in zip(computations, nesting.sites, strict=True):
        for site in sites:
            row, name = added.setdefault(site.caller, {}), computation.name
            row["calls"] = f"{row['calls']}, {name}" if "calls" in row else name
    return added


def _source(
    frames: FrameTable, metadata: HloMessage, provenance: NodeProvenance
) -> tuple[Frame, ...]:
    """The instruction's own frames; the equation's where it has none.

    JAX 0.8.0, which writes a file beside, gives what it inlines as it lowers the frames of the
    operation around, and what a jitted function holds those of its first call, whoever made that.
    """
    if metadata.source_file and provenance.derived:
        return provenance.source
    return frames.read(metadata) or provenance.source


def _unique(name: str, used: set[str]) -> str:
    """The name itself; XLA keeps names unique, but nothing forces a module's author to."""
    candidate, number = name, 1
    while candidate in used:
        number += 1
        candidate = f"{name}~{number}"
    used.add(candidate)
    return candidate


_DEFINITION = re.compile(r"^\s+(?:ROOT\s+)?%?([^\s=%]+) = ")


def link_hlo_lines(text: str, graph: Graph) -> npt.NDArray[np.int32]:
    """Find the node of each line of `as_text()`.

    Names are unique in a module, so the name alone decides; a line that defines nothing (a
    header, a brace, a table of frames) has none.

    Returns:
        int32, one per line of `text`: node index, or -1.
    """
    by_name = graph.index_by_name()
    lines = text.split("\n")
    nodes = np.full(len(lines), NONE, np.int32)
    for number, line in enumerate(lines):
        match = _DEFINITION.match(line)
        if match is not None:
            nodes[number] = by_name.get(match[1], NONE)
    return nodes
