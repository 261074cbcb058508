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
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.heap import paused_gc, return_memory
from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import (
    BODY,
    CONDITION,
    NONE,
    PART_NAMES,
    ROUNDS,
    Direction,
    Edges,
    Graph,
    GroupKind,
    Int32s,
    NodeKind,
    Nodes,
    Ragged,
    distinct,
    join_rows,
    number_codes,
)
from jaxscope.model.graph_builder import (
    GraphBuilder,
    LateStrings,
    Numbers,
    StringTable,
    show_all_marks,
)
from jaxscope.model.op_name import (
    NOT_THE_USERS,
    TagTable,
    in_call,
    is_called_after,
    is_tagged,
    read_direction,
    read_op_name,
)
from jaxscope.model.protobuf import LONG_SPAN, hash_spans
from jaxscope.model.said import say
from jaxscope.program.hlo.columns import (
    ComputationRow,
    ModuleColumns,
    PackedTexts,
    SplitTexts,
    begin_in_thread,
    computation_of,
    read_columns,
)
from jaxscope.program.hlo.instruction_text import ShapeTexts, read_attributes
from jaxscope.program.hlo.proto import HloMessage

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


def _find_scopes(path: str) -> tuple[str, ...]:
    """Those of what stands before an operation's own name."""
    around, _, own = path.rpartition("/")
    if around and not ("(" in own or ")" in own):
        outer, is_open = _read_outer(around)
        if not is_open:
            return (*outer, *_unwrap(own, 0))
    parts, is_open = _split(path)
    return _scopes_of(parts[:-1] if is_open else parts)


_read_scopes = functools.lru_cache(maxsize=1 << 16)(_find_scopes)
"""The same: many operations share it."""


@functools.lru_cache(maxsize=1 << 12)
def _read_outer(path: str) -> tuple[tuple[str, ...], bool]:
    """The scopes of a path, and whether it ends within parentheses."""
    parts, is_open = _split(path)
    return _scopes_of(parts), is_open


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


@functools.lru_cache(maxsize=1 << 16)
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


Int64s = npt.NDArray[np.int64]
Frame = tuple[str, int, int, str]
"""File, 1-based line, 0-based column (-1: unknown), function."""

_MAX_FRAMES = 200


class FrameTable:
    """Call stacks of one module, innermost frame first, JAX's own frames left out."""

    def __init__(self, index: HloMessage) -> None:
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


class NamedProvenance(NamedTuple):
    """What distinct names of operations say.

    Attributes:
        rows: All that is said; `display` is that of the first name that says it.
        codes: Of each name, which of these it says.
        op_names: The names.
        displays: Of those that are not plain, the name without tags.
        is_plain: Of each name, whether it has no tags.
    """

    rows: list[NodeProvenance]
    codes: Int32s
    op_names: SplitTexts
    displays: dict[int, str]
    is_plain: npt.NDArray[np.bool_]

    def display(self, number: int) -> str:
        """A name without tags."""
        found = self.displays.get(number)
        return self.op_names[number] if found is None else found


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
        self.argument_paths = tags.argument_paths
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

    def read_all(self, op_names: SplitTexts) -> NamedProvenance:
        """What names say; many say the same but for their own part, which is no provenance."""
        is_plain = np.array([*map(_is_plain, op_names.heads)], np.bool_)[op_names.head]
        is_plain &= np.array([*map(_is_plain_end, op_names.tails)], np.bool_)[op_names.tail]
        rows: list[NodeProvenance] = []
        displays: dict[int, str] = {}
        codes = np.zeros(len(op_names), np.int32)
        for number in np.flatnonzero(~is_plain).tolist():
            codes[number] = len(rows)
            text = op_names[number]
            rows.append(self._parse(text) if text else _NOWHERE)
            displays[number] = rows[-1].display
        example = np.full(len(op_names.heads), NONE)
        example[op_names.head[is_plain]] = np.flatnonzero(is_plain)
        code_of = np.full(len(example), NONE, np.int32)
        heads = np.flatnonzero(example != NONE)
        code_of[heads] = np.arange(len(rows), len(rows) + len(heads))
        for head, first in zip(heads.tolist(), example[heads].tolist(), strict=True):
            path = op_names.heads[head]
            scope = _find_scopes(path) if path else ()  # each path is met once
            direction = read_direction(path)
            rows.append(NodeProvenance((), (), scope, direction, op_names[first]))
        codes[is_plain] = code_of[op_names.head[is_plain]]
        return NamedProvenance(rows, codes, op_names, displays, is_plain)

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


def _is_plain(text: str) -> bool:
    """Whether a part of a name has no tag, and is of one instruction alone."""
    return not (is_tagged(text) or ";" in text or text.startswith("("))


def _is_plain_end(text: str) -> bool:
    """Whether what stands behind the last slash says nothing but the name of an operation."""
    own = text.removeprefix("/")
    return bool(own) and _is_plain(own) and not {*"()"} & {*own}


def inherit_from_callers(
    nesting: Nesting, provenance_of: Callable[[int], NodeProvenance]
) -> list[NodeProvenance]:
    """What each computation has from the instructions that call it: all of their equations."""
    inherited = [_NOWHERE for _ in nesting.sites]
    for index in nesting.order:
        origins: dict[str, None] = {}
        derived: dict[str, None] = {}
        first = NodeProvenance()
        for site in nesting.sites[index]:
            own = provenance_of(site.caller).or_inherited(inherited[site.home])
            origins.update(dict.fromkeys(own.origins))
            derived.update(dict.fromkeys(own.derived))
            first = first if first.derived else own
        inherited[index] = first._replace(origins=tuple(origins), derived=tuple(derived))
    return inherited


LOOP_PARTS = frozenset(
    {"while", "parameter", "tuple", "get-tuple-element", "constant", "copy", "bitcast"}
)
"""What a loop consists of whatever runs in it: it may have the loop's name."""


def find_loop_names(nesting: Nesting, op_name_of: Callable[[int], str]) -> list[frozenset[str]]:
    """The names of the loops that each computation runs in.

    JAX names what is inside of a loop below the loop's name. An instruction there with just the
    loop's name had none of its own: XLA's pass propagate-call-metadata stamps it on what lost its
    name. It says nothing of where the instruction came from. What JAX itself makes of the loop,
    such as the select of a batched condition, is called after it, too (`is_called_after`).
    """
    found = [frozenset[str]() for _ in nesting.sites]
    for index in nesting.order:
        for site in nesting.sites[index][:1]:
            names = found[site.home]
            if site.caller_opcode == "while":
                names |= {op_name_of(site.caller)} - {""}
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
        with paused_gc():
            module = read_columns(proto_bytes)
            del proto_bytes  # where nobody else has them, they make room for the graph
            graph = _Converter(module, tags, derived_graph, instruction_cost).convert()
    except ValueError as error:
        raise ValueError(f"the module of the stage {stage} cannot be read: {error}") from None
    del module
    return_memory(len(graph.nodes))
    return graph


class _Core(NamedTuple):
    """What an instruction is, whatever its name, place and operands.

    Attributes:
        type: Of its result, a tuple as a whole; `results` are the elements' then.
        trips: How often a loop runs, where XLA says that.
    """

    opcode: str
    type: str
    results: tuple[str, ...]
    layout: str
    attributes: dict[str, str]
    parameter_number: int
    tuple_index: int
    trips: str

    @property
    def edge_type(self) -> str:
        return _short_edge(self.type, self.results)


def _short_edge(type: str, results: Sequence[str]) -> str:
    return type if len(type) <= _MAX_EDGE_TYPE else f"({len(results)} values)"


@dataclass(frozen=True, slots=True)
class _Caller:
    """An instruction that calls computations, as `find_nesting` asks for it."""

    name: str
    opcode: str
    called_computation_ids: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Calling:
    """A computation with its callers alone, by their offsets; likewise."""

    id: int
    instructions: Mapping[int, _Caller]


@dataclass(frozen=True, slots=True)
class _CallingModule:
    computations: Sequence[_Calling]
    entry_computation_id: int


class _Rows:
    """Distinct rows of strings, and which of them each node has; most have the first, or none."""

    def __init__(self, of_node: Int32s, rows: Sequence[Sequence[int]] | Ragged) -> None:
        self.of_node = of_node
        self.rows = rows if isinstance(rows, Ragged) else Ragged.from_rows(rows)

    @classmethod
    def sparse(cls, num_nodes: int, rows: Mapping[int, Sequence[int]]) -> _Rows:
        """Rows of a few nodes; those of all others are empty."""
        of_node = np.zeros(num_nodes, np.int32)
        of_node[list(rows)] = np.arange(1, len(rows) + 1)
        return cls(of_node, [(), *rows.values()])

    def renumbered(self, number_of: Int32s, stride: int = 1) -> _Rows:
        """The same, its strings with other numbers: see `_is_string`."""
        values = self.rows.values.copy()
        is_string = _is_string(np.arange(len(values)), stride)
        values[is_string] = number_of[values[is_string]]
        return _Rows(self.of_node, Ragged(self.rows.offsets, values))


def _is_string(within: Int64s, stride: int) -> npt.NDArray[np.bool_]:
    """Of `stride` values in a row the first is a string, and with 4 the last as well."""
    found: npt.NDArray[np.bool_] = (within % stride == 0) | (within % stride == 3)
    return found


def _side_by_side(parts: Sequence[_Rows]) -> Ragged:
    return join_rows([(part.rows, part.of_node) for part in parts])


class _FirstUses:
    """Numbers strings as a `GraphBuilder` does to which all nodes are added one after the other.

    Of each string the first node is known and where it stands among what that node has.
    """

    _NEVER = np.iinfo(np.int64).max

    def __init__(self, num_strings: int, num_kept: int) -> None:
        self._first = np.full(num_strings, self._NEVER)
        self._first[:num_kept] = np.arange(num_kept) - num_kept
        self._num_columns = 0
        self._first_nodes: dict[tuple[int, int], tuple[Int32s, Int64s]] = {}

    def add(self, strings: Int32s, nodes: npt.NDArray[np.int64] | Int32s) -> None:
        """Strings of rising nodes, used behind what was added before of the same nodes."""
        self._put(strings, nodes.astype(np.int64) << 32)

    def add_rows(self, part: _Rows, stride: int = 1) -> None:
        """Those of rows; `stride` as of `_is_string`."""
        row_of_node, rows = part.of_node, part.rows
        if not len(rows.values):
            return
        key = id(row_of_node), len(rows)  # several parts have the same
        if key not in self._first_nodes:
            first = np.zeros(len(rows), np.int64)
            first[row_of_node[::-1]] = np.arange(len(row_of_node))[::-1]
            self._first_nodes[key] = row_of_node, first
        _, first = self._first_nodes[key]
        numbers = rows.row_numbers()
        within = np.arange(len(rows.values)) - rows.offsets[:-1][numbers]
        keys = (first[numbers] << 32) + within
        is_string = _is_string(within, stride)
        order = np.argsort(keys[is_string], kind="stable")
        self._put(rows.values[is_string][order], keys[is_string][order])

    def _put(self, strings: Int32s, keys: npt.NDArray[np.int64]) -> None:
        keys = keys + (self._num_columns << 27)
        self._num_columns += 1
        last_first = strings[::-1]  # of equal ones the last that is written stays
        self._first[last_first] = np.minimum(self._first[last_first], keys[::-1])

    def order(self) -> npt.NDArray[np.int64]:
        """The numbers of the strings that are used, in the order of their first use."""
        used = np.flatnonzero(self._first < self._NEVER)
        found: npt.NDArray[np.int64] = used[np.argsort(self._first[used], kind="stable")]
        return found


_MOST_UNNAMED, _MOST_READERS = 10_000, 100
"""Products without a name that are looked at, and of what reads each; XLA writes few."""


class _Converter:
    """One conversion: the tables that all instructions share, and the columns so far."""

    def __init__(
        self,
        module: ModuleColumns,
        tags: TagTable,
        derived_graph: Graph | None,
        instruction_cost: npt.NDArray[np.float64] | None,
    ) -> None:
        self._module = module
        self._num = len(module.names)
        self._provenance = ProvenanceReader(tags, derived_graph)
        self._frames = FrameTable(module.stack_frame_index)
        self._builder = GraphBuilder()  # of the groups
        self._cost = instruction_cost
        shapes = ShapeTexts()
        self._cores = [_read_core(message, shapes) for message in module.cores]
        self._core_of: list[int] = module.core.tolist()
        self._home = computation_of(module.computations)
        self._fusion_of: dict[int, int] | None = None

    def convert(self) -> Graph:
        module, num = self._module, self._num
        if self._cost is not None and self._cost.shape != (num, 3):
            raise ValueError(f"costs of shape {self._cost.shape} for {num} instructions")
        called = module.called.rows()
        trips = {
            node: core.trips
            for node in _nodes_with(module.core, [bool(core.trips) for core in self._cores])
            if (core := self._core(node)).trips
        }
        first_nodes = [each.first for each in module.computations]
        calling, callers = self._find_callers(called)
        nesting = find_nesting(calling, first_nodes, trips, callers)
        groups = self._add_groups(nesting)
        op_names, op_name_of = module.op_names, module.op_name
        hashed = begin_in_thread(lambda: _hash_names(module.names), num)
        told = self._provenance.read_all(module.op_names)
        inherited = inherit_from_callers(
            nesting, lambda node: self._told_of(told, int(op_name_of[node]))
        )
        loops = find_loop_names(nesting, lambda node: op_names[int(op_name_of[node])])
        stamped = self._find_stamped(loops, called)
        rows, row_of = self._find_provenance(told, inherited, stamped)
        for node, reader in self._find_products(told, called).items():
            row_of[node] = row_of[reader]
        table = self._builder.table
        num_kept = len(table)
        of_core = functools.partial(_Rows, module.core)
        cores = self._cores
        operation = np.array([table[core.opcode] for core in cores], np.int32)[module.core]
        own_attributes = of_core([_pairs(table, core.attributes) for core in cores])
        before, after = self._added_attributes(nesting, trips, told, rows, row_of)
        types = of_core([tuple(table.all(core.results)) for core in cores])
        scope, origins, derived = (
            _Rows(row_of, [tuple(table.all(texts)) if texts else () for texts in column])
            for column in (
                [row.scope for row in rows],
                [row.origins for row in rows],
                [row.derived for row in rows],
            )
        )
        source = self._sources(rows, row_of)
        directions = np.array([row.direction for row in rows], np.int8)
        edges = self._edges()
        numbered, shown_names = self._number_names(told, hashed())
        ids, names = numbered.ids, numbered.names
        attributes = [own_attributes, *before, shown_names, *after]
        uses = _FirstUses(numbered.num, num_kept)
        every = np.arange(num)
        uses.add(ids, every)
        if names is not ids:
            uses.add(names, every)
        uses.add(operation, every)
        for part in (*attributes, types, scope, origins, derived):
            uses.add_rows(part)
        uses.add_rows(source, 4)
        uses.add(edges.type, edges.target)
        order = uses.order()
        number_of = np.zeros(numbered.num, np.int32)
        number_of[order] = np.arange(len(order))

        def renumbered(parts: Sequence[_Rows]) -> Ragged:
            return _side_by_side([part.renumbered(number_of) for part in parts])

        group_of = np.array(groups, np.int32)[self._home]
        cost = np.full((num, 3), np.nan) if self._cost is None else self._cost
        nodes = Nodes(
            id=number_of[ids],
            name=number_of[names],
            kind=np.full(num, int(NodeKind.INSTRUCTION), np.int8),
            operation=number_of[operation],
            group=group_of,
            types=renumbered([types]),
            attributes=renumbered(attributes),
            scope=renumbered([scope]),
            origins=renumbered([origins]),
            derived=renumbered([derived]),
            direction=directions[row_of],
            source=_side_by_side([source.renumbered(number_of, 4)]),
            cost=np.array(cost, np.float64),
            seconds=np.full(num, np.nan),
        )
        return Graph(
            strings=numbered.put_in_order(order.astype(np.int32)),
            nodes=nodes,
            edges=dataclasses.replace(edges, type=number_of[edges.type]),
            groups=self._builder.build_groups(),
        )

    def _core(self, node: int) -> _Core:
        return self._cores[self._core_of[node]]

    def _find_callers(
        self, called: Mapping[int, list[int]]
    ) -> tuple[_CallingModule, list[list[int]]]:
        module, homes = self._module, self._home
        callers: list[list[int]] = [[] for _ in module.computations]
        found: list[dict[int, _Caller]] = [{} for _ in module.computations]
        for node, computations in called.items():
            home = int(homes[node])
            offset = node - module.computations[home].first
            callers[home].append(offset)
            caller = _Caller(module.names[node], self._core(node).opcode, computations)
            found[home][offset] = caller
        calling = [
            _Calling(each.id, own) for each, own in zip(module.computations, found, strict=True)
        ]
        return _CallingModule(calling, module.entry_computation_id), callers

    def _add_groups(self, nesting: Nesting) -> list[int]:
        """Add a group per computation but the entry; returns the group of each computation."""
        computations = self._module.computations
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

    @staticmethod
    def _told_of(told: NamedProvenance, op_name: int) -> NodeProvenance:
        row = told.rows[int(told.codes[op_name])]
        return row._replace(display=told.display(op_name))

    def _find_stamped(
        self, loops: Sequence[frozenset[str]], called: Mapping[int, list[int]]
    ) -> list[int]:
        """Instructions that have the name of the loop that they run in: they had none."""
        if not any(loops):
            return []
        module = self._module
        op_names = module.op_names
        numbers = [*map(op_names.find, frozenset().union(*loops))]
        is_loop = np.zeros(len(op_names), np.bool_)
        is_loop[[number for number in numbers if number is not None]] = True
        return [
            node
            for node in np.flatnonzero(is_loop[module.op_name]).tolist()
            if (op_name := op_names[int(module.op_name[node])]) in loops[self._home[node]]
            and self._core(node).opcode not in LOOP_PARTS
            and not is_called_after(module.names[self._find_named(node, called)], op_name)
        ]

    def _find_products(
        self, told: NamedProvenance, called: Mapping[int, list[int]]
    ) -> dict[int, int]:
        """Products without a name that compute the value of a named one, by what has the name.

        XLA's pass gemv-rewriter makes of a product with a vector one of two matrices, which it
        does not name, and a bitcast of that to the type of the old one, which has the old one's
        name: also in fusions, which read the new one. Where all of its bitcasts have the name of
        one product, it computes just that. Other work without a name is linked by fates
        (`link_products`).
        """
        module = self._module
        unnamed = module.op_names.find("")
        is_product = np.array([core.opcode == "dot" for core in self._cores], np.bool_)
        found: dict[int, int] = {}
        if unnamed is None or len(module.op_names) == 1 or not is_product.any():
            return found
        products = np.flatnonzero(is_product[module.core] & (module.op_name == unnamed))
        for product in products[:_MOST_UNNAMED].tolist():
            readers = list(itertools.islice(self._readers(product, called), _MOST_READERS))
            bitcasts = [
                reader
                for reader in readers
                if self._core(reader).opcode == "bitcast" and module.op_name[reader] != unnamed
            ]
            names = module.op_name[bitcasts].tolist()
            ends = {told.display(name).rpartition("/")[2] for name in names}
            is_one = ends == {"dot_general"} and len({int(told.codes[n]) for n in names}) == 1
            if is_one and len(readers) < _MOST_READERS:
                found[product] = bitcasts[0]
        return found

    def _readers(self, first: int, called: Mapping[int, list[int]]) -> Iterator[int]:
        """The instructions that read one, those in fusions in place of the fusions, once each."""
        module, stops = self._module, self._operand_stops
        ids, order = self._operands_by_id
        waiting, seen = [first], {first}
        while waiting:
            node = waiting.pop()
            home = int(self._home[node])
            found: list[int] = []
            fusion = self._fusions(called).get(module.computations[home].id)
            if fusion is not None and self._is_root[node]:
                found.append(fusion)
            start, stop = (np.searchsorted(ids, module.ids[node], s) for s in ("left", "right"))
            for operand in order[start:stop].tolist():
                reader = int(np.searchsorted(stops, operand, "right"))
                inside = self._fused(reader, called)
                if self._home[reader] != home or reader in seen:
                    continue
                if inside is None:
                    seen.add(reader)
                    yield reader
                    continue
                number = operand - int(stops[reader] - module.operands.counts[reader])
                found += [
                    each
                    for each in range(inside.first, inside.first + inside.count)
                    if self._core(each).opcode == "parameter"
                    and self._core(each).parameter_number == number
                ]
            waiting += [each for each in found if each not in seen]
            seen.update(found)

    def _fused(self, node: int, called: Mapping[int, list[int]]) -> ComputationRow | None:
        """What a fusion calls; None of other instructions."""
        if self._core(node).opcode != "fusion" or node not in called:
            return None
        return self._computation_of_id.get(called[node][0])

    def _fusions(self, called: Mapping[int, list[int]]) -> dict[int, int]:
        """The fusion that calls each computation, by its id."""
        if self._fusion_of is None:
            self._fusion_of = {
                ids[0]: node for node, ids in called.items() if self._core(node).opcode == "fusion"
            }
        return self._fusion_of

    @functools.cached_property
    def _operands_by_id(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The ids of all operands in rising order, and where each stands."""
        ids = self._module.operands.ids
        order: npt.NDArray[np.int64] = np.argsort(ids, kind="stable")
        return ids[order], order

    @functools.cached_property
    def _operand_stops(self) -> npt.NDArray[np.int64]:
        """Where the operands of each instruction end among those of all."""
        stops: npt.NDArray[np.int64] = np.cumsum(self._module.operands.counts)
        return stops

    @functools.cached_property
    def _computation_of_id(self) -> dict[int, ComputationRow]:
        return {each.id: each for each in self._module.computations}

    def _find_named(self, node: int, called: Mapping[int, list[int]]) -> int:
        """The instruction; of a fusion, which XLA names after its opcodes, what it ends with."""
        if self._core(node).opcode != "fusion" or node not in called:
            return node
        return self._roots.get(called[node][0], node)

    @functools.cached_property
    def _is_root(self) -> npt.NDArray[np.bool_]:
        """Whether each instruction is what its computation ends with."""
        roots = np.array([each.root_id for each in self._module.computations], np.int64)
        found: npt.NDArray[np.bool_] = self._module.ids == roots[self._home]
        return found

    @functools.cached_property
    def _roots(self) -> dict[int, int]:
        """What each computation ends with, by the computation's id."""
        computations = self._module.computations
        return {
            computations[self._home[node]].id: node
            for node in np.flatnonzero(self._is_root).tolist()
        }

    def _find_provenance(
        self, told: NamedProvenance, inherited: Sequence[NodeProvenance], stamped: Sequence[int]
    ) -> tuple[list[NodeProvenance], Int32s]:
        """What instructions have from their names and callers, and which of it each has.

        The first is what those have that are stamped.
        """
        around = Numbers[NodeProvenance]()
        of_home = np.fromiter(around.all(inherited), np.int64, len(inherited))
        of_name = told.codes.astype(np.int64)
        pairs = of_name[self._module.op_name] * len(around) + of_home[self._home]
        row_of, known = number_codes(pairs, len(told.rows) * len(around))
        row_of += np.int32(1)
        row_of[stamped] = 0
        arounds = list(around)
        rows = [_NOWHERE]
        for pair in known.tolist():
            name, inherits = divmod(pair, len(arounds))
            rows.append(told.rows[name].or_inherited(arounds[inherits]))
        return rows, row_of

    def _added_attributes(
        self,
        nesting: Nesting,
        trips: Mapping[int, str],
        told: NamedProvenance,
        rows: Sequence[NodeProvenance],
        row_of: Int32s,
    ) -> tuple[list[_Rows], list[_Rows]]:
        """Attributes besides those of the instruction's own fields, in their order: those that
        come before `op_name`, and those behind it.
        """
        module, num, table = self._module, self._num, self._builder.table
        calls = _list_calls([each.name for each in module.computations], nesting, trips)
        ends, operands = dict[int, dict[str, str]](), dict[int, dict[str, str]]()
        for node in np.flatnonzero(self._is_root).tolist():
            ends[node] = {"root": "true"}
            sites = nesting.sites[self._home[node]]
            if callers := ", ".join(dict.fromkeys(site.caller_name for site in sites)):
                ends[node]["called_by"] = callers
        for node in _nodes_with(module.core, [core.opcode == "parameter" for core in self._cores]):
            if sites := nesting.sites[self._home[node]]:
                operand = sites[0].operand_of(self._core(node).parameter_number)
                if operand != NONE:
                    operands[node] = {"operand": str(operand)}
        places = dict[int, dict[int, int]]()
        controls = dict[int, dict[str, str]]()
        for node, ids in module.controls.rows().items():
            home = int(self._home[node])
            if home not in places:
                places[home] = self._nodes_by_id(home)
            named = (module.names[places[home][id]] for id in ids if id in places[home])
            controls[node] = {"control_predecessors": ", ".join(named)}

        def sparse(found: Mapping[int, Mapping[str, str]]) -> _Rows:
            return _Rows.sparse(num, {node: _pairs(table, row) for node, row in found.items()})

        in_calls = [
            _pairs(table, {"call": ", ".join(map(in_call, row.derived, row.calls))})
            if any(row.calls)
            else ()
            for row in rows
        ]
        layouts = [{"layout": core.layout} if core.layout else {} for core in self._cores]
        return [sparse(calls), sparse(ends), sparse(operands)], [
            *self._argument_paths(told),
            _Rows(row_of, in_calls),
            _Rows(module.core, [_pairs(table, each) for each in layouts]),
            sparse(controls),
        ]

    def _number_names(
        self, told: NamedProvenance, hashed: _Hashed | None
    ) -> tuple[_Numbered, _Rows]:
        """Number what there are as many of as instructions, when all else has its number.

        Returns:
            The numbers, and the attribute `op_name` of all instructions.
        """
        table, op_names, is_plain = self._builder.table, told.op_names, told.is_plain
        key = table["op_name"]
        numbers = np.zeros(len(op_names), np.int32)
        others = [number for number, display in told.displays.items() if display]
        numbers[others] = [table[told.displays[number]] for number in others]
        late = hashed and _number_late(table, hashed, op_names, is_plain)
        numbered = late or _number_at_once(table, self._module.names, op_names, is_plain)
        numbers[is_plain] = numbered.plain
        is_there = is_plain.copy()
        is_there[others] = True
        pairs = np.full((int(is_there.sum()), 2), key, np.int32)
        pairs[:, 1] = numbers[is_there]
        offsets = np.append(0, np.cumsum(2 * is_there)).astype(np.int32)
        return numbered, _Rows(self._module.op_name, Ragged(offsets, pairs.reshape(-1)))

    def _argument_paths(self, told: NamedProvenance) -> list[_Rows]:
        """The attribute `path` of parameters that JAX calls otherwise than the user does."""
        paths = self._provenance.argument_paths
        if not paths:
            return []
        displays = map(told.display, range(len(told.op_names)))
        named = [{"path": paths[each]} if each in paths else {} for each in displays]
        return [_Rows(self._module.op_name, [_pairs(self._builder.table, each) for each in named])]

    def _sources(self, rows: Sequence[NodeProvenance], row_of: Int32s) -> _Rows:
        """Files, lines, columns and functions."""
        module, table = self._module, self._builder.table
        own = [self._frames.read(place) for place in module.places]
        has_file = [bool(place.source_file) for place in module.places]
        # What provenance says of a place: stamped, whether of an equation, the equation's place.
        classes = Numbers[tuple[bool, bool, tuple[Frame, ...]]]()
        of_row = np.array(
            [classes[not at, bool(row.derived), row.source] for at, row in enumerate(rows)],
            np.int64,
        )
        pairs = module.place.astype(np.int64) * len(classes) + of_row[row_of]
        of_node, known = number_codes(pairs, len(own) * len(classes))
        kinds = list(classes)
        found: list[tuple[int, ...]] = []
        for pair in known.tolist():
            place, kind = divmod(pair, len(kinds))
            is_stamped, is_derived, source = kinds[kind]
            frames = source if has_file[place] and is_derived else own[place] or source
            numbers: list[int] = []
            for file, line, column, function in () if is_stamped else frames:
                numbers += (table[file], line, column, table[function])
            found.append(tuple(numbers))
        return _Rows(of_node, found)

    def _nodes_by_id(self, home: int) -> dict[int, int]:
        row = self._module.computations[home]
        stop = row.first + row.count
        return dict(
            zip(self._module.ids[row.first : stop].tolist(), range(row.first, stop), strict=True)
        )

    def _edges(self) -> Edges:
        """From each operand to its user; types are numbers of the table of strings."""
        module, table = self._module, self._builder.table
        counts, wanted = module.operands.counts, module.operands.ids
        stops = np.cumsum(counts)
        target = np.repeat(np.arange(self._num, dtype=np.int32), counts)
        source = np.zeros(len(wanted), np.int32)
        stop = 0
        for row in module.computations:
            start, stop = stop, int(stops[row.first + row.count - 1]) if row.count else stop
            if start == stop:
                continue
            ids = module.ids[row.first : row.first + row.count]
            order = np.argsort(ids, kind="stable")
            at = np.searchsorted(ids[order], wanted[start:stop], "right") - 1
            source[start:stop] = row.first + order[at]  # of equal ones the last
            missing = np.flatnonzero(module.ids[source[start:stop]] != wanted[start:stop])
            if len(missing):
                name = module.names[int(target[start + missing[0]])]
                raise ValueError(f"{name} uses an operand that is not there")
        operand = (np.arange(len(source)) - np.repeat(stops - counts, counts)).astype(np.int32)
        output = np.zeros(len(source), np.int32)
        produced = module.core[source]
        whole = np.zeros(len(self._cores), np.int32)
        is_element = np.array([core.opcode == "get-tuple-element" for core in self._cores])
        plain = ~is_element[module.core[target]] if len(target) else np.zeros(0, np.bool_)
        for code in dict.fromkeys(produced[plain].tolist()):
            whole[code] = table[self._cores[code].edge_type]
        type = whole[produced]
        for edge in np.flatnonzero(~plain).tolist():
            core, index = self._cores[produced[edge]], self._core(int(target[edge])).tuple_index
            if 0 <= index < len(core.results):
                output[edge] = index
                type[edge] = table[_short_edge(core.results[index], core.results)]
            else:
                type[edge] = table[core.edge_type]
        return Edges(source, output, target, operand, type)


class _Numbered(NamedTuple):
    """Numbers of strings that there are as many of as instructions.

    Attributes:
        ids: Of each instruction; `names` likewise.
        plain: Of the names of operations that have no tags.
        num: How many numbers there are.
        put_in_order: The strings of some numbers, in their order.
    """

    ids: Int32s
    names: Int32s
    plain: Int32s
    num: int
    put_in_order: Callable[[Int32s], Sequence[str]]


def _number_at_once(
    table: StringTable, names: Sequence[str], op_names: SplitTexts, is_plain: npt.NDArray[np.bool_]
) -> _Numbered:
    """Make all names, and number them."""
    names = [*names]
    columns = [names]
    if len(set(names)) < len(names):
        used: set[str] = set()
        columns = [[*dict.fromkeys(names)], [_unique(name, used) for name in names]]
    plain = [op_names[at] for at in np.flatnonzero(is_plain).tolist()]
    (of_names, *of_ids, of_plain), strings = table.number_apart(*columns, plain)
    if of_ids:
        codes = Numbers[str]().all(names)
        of_names = of_names[np.fromiter(codes, np.int32, len(names))]

    def put_in_order(order: Int32s) -> Sequence[str]:
        made_of = itertools.chain(table, names, op_names.heads, op_names.tails)
        return show_all_marks(map(strings.__getitem__, order.tolist()), made_of)

    return _Numbered([*of_ids, of_names][0], of_names, of_plain, len(strings), put_in_order)


class _Hashed(NamedTuple):
    """Names by their hashes, and the order of these."""

    names: PackedTexts
    hashes: npt.NDArray[np.uint64]
    order: Int64s


def _hash_names(names: Sequence[str]) -> _Hashed | None:
    """Names that may be numbered without making them.

    Returns:
        None of few, and where some have characters that are not seen, or such that another string
        might be made of them.
    """
    if not isinstance(names, PackedTexts) or len(names) < _MANY_NAMES:
        return None
    whole, longest = names.whole, int(np.diff(names.offsets).max())
    if longest > LONG_SPAN or "/" in whole or _AGAIN in whole or not whole.isprintable():
        return None
    hashes = hash_spans(whole.encode(), names.offsets[:-1], names.offsets[1:], longest)
    return _Hashed(names, hashes, np.argsort(hashes, kind="stable"))


def _number_late(
    table: StringTable, hashed: _Hashed, op_names: SplitTexts, is_plain: npt.NDArray[np.bool_]
) -> _Numbered | None:
    """Number names without making them.

    Returns:
        None where names of operations have characters that are not seen.
    """
    made_of = " ".join([hashed.names.whole, *op_names.heads, *op_names.tails])
    if not (made_of.isascii() and made_of.isprintable()):
        return None
    names, hashes, order = PackedTexts(made_of, hashed.names.offsets), hashed.hashes, hashed.order
    first = len(table)
    of_names = np.arange(first, first + len(names), dtype=np.int32)
    # What has no slash may be the name of an instruction as well, and all may be in the table.
    is_short = np.array([not head for head in op_names.heads], np.bool_)[op_names.head]
    is_short &= np.array([tail[:1] != "/" for tail in op_names.tails], np.bool_)[op_names.tail]
    short = {op_names[at]: at for at in np.flatnonzero(is_short & is_plain).tolist()}
    equal = _find_equal([*table, *short], names, hashes, order)
    for text, at in equal.items():
        of_names[at] = table.get(text, of_names[at])
    known = {**{text: int(of_names[at]) for text, at in equal.items()}, **table}
    first += len(names)
    again, counts, first_of = list[str](), dict[str, int](), dict[str, int]()
    repeated = _find_repeated(hashes, order)
    of_ids = of_names.copy() if len(repeated) else of_names
    for at in repeated.tolist():
        text = names[at]
        number = counts[text] = counts.get(text, 0) + 1
        if number == 1:
            first_of[text] = at
            continue
        of_names[at] = of_names[first_of[text]]
        id = f"{text}{_AGAIN}{number}"
        of_ids[at] = known.setdefault(id, first + len(again))
        again.append(id)
    if len(counts) < len(distinct(hashes[repeated])):
        return None
    first += len(again)
    of_plain = np.arange(first, first + len(op_names), dtype=np.int32)
    for text, at in short.items():
        of_plain[at] = known.get(text, of_plain[at])
    for text in table:
        if "/" in text and (found := op_names.find(text)) is not None:
            of_plain[found] = table[text]

    made_of = " ".join([made_of, *again])
    parts = [PackedTexts(made_of, names.offsets), again, op_names]

    def put_in_order(order: Int32s) -> Sequence[str]:
        return LateStrings(show_all_marks(table), parts, order, made_of)

    num = first + len(op_names)
    return _Numbered(of_ids, of_names, of_plain[is_plain], num, put_in_order)


_AGAIN = "~"
"""In the id of an instruction whose name another one has; see `_unique`."""
_MANY_NAMES = 1 << 12
"""Instructions; the names of fewer are made at once."""


def _find_equal(
    texts: Sequence[str], names: PackedTexts, hashes: npt.NDArray[np.uint64], order: Int64s
) -> dict[str, int]:
    """Of texts that are names the first that each is.

    Args:
        hashes: Those of the names.
        order: What puts these in order.
    """
    longest = int(np.diff(names.offsets).max())
    texts = [text for text in texts if len(text) <= longest and text.isascii()]
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    starts = np.append(0, ends)[:-1]
    found = hash_spans("".join(texts).encode(), starts, ends, longest)
    at = order[np.minimum(np.searchsorted(hashes, found, sorter=order), len(order) - 1)]
    equal = np.flatnonzero(hashes[at] == found)
    pairs = zip(equal.tolist(), at[equal].tolist(), strict=True)
    return {texts[text]: name for text, name in pairs if names[name] == texts[text]}


def _find_repeated(hashes: npt.NDArray[np.uint64], order: Int64s) -> Int64s:
    """Where those are that are there several times, rising.

    Args:
        order: What puts them in order.
    """
    is_same = hashes[order[1:]] == hashes[order[:-1]]
    is_repeated = np.append(False, is_same) | np.append(is_same, False)
    return np.sort(order[is_repeated])


def _read_core(message: HloMessage, shapes: ShapeTexts) -> _Core:
    type, results, layout = shapes.render(message.shape)
    attributes = read_attributes(message)
    return _Core(
        message.opcode,
        type,
        results,
        layout,
        attributes,
        message.parameter_number,
        message.tuple_index,
        attributes.get("known_trip_count", ""),
    )


def _nodes_with(codes: Int32s, is_wanted: Sequence[bool]) -> list[int]:
    """The nodes whose code is wanted, rising."""
    found: list[int] = np.flatnonzero(np.array(is_wanted, np.bool_)[codes]).tolist()
    return found


def _pairs(table: StringTable, row: Mapping[str, str]) -> tuple[int, ...]:
    """Numbers of keys and values, which alternate."""
    return tuple([table[text] for pair in row.items() for text in pair])


def _list_calls(
    names: Sequence[str], nesting: Nesting, trips: Mapping[int, str]
) -> dict[int, dict[str, str]]:
    """Attributes that instructions have for what they call, by node."""
    added: dict[int, dict[str, str]] = {
        node: {"cost_note": say(ROUNDS, times=trip_count)} for node, trip_count in trips.items()
    }
    for name, sites in zip(names, nesting.sites, strict=True):
        for site in sites:
            row = added.setdefault(site.caller, {})
            row["calls"] = f"{row['calls']}, {name}" if "calls" in row else name
    return added


def _unique(name: str, used: set[str]) -> str:
    """The name itself; XLA keeps names unique, but nothing forces a module's author to."""
    candidate, number = name, 1
    while candidate in used:
        number += 1
        candidate = f"{name}{_AGAIN}{number}"
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
    nodes = np.full(text.count("\n") + 1, NONE, np.int32)
    for number, line in enumerate(_lines_of(text)):
        match = _DEFINITION.match(line)
        if match is not None:
            nodes[number] = by_name.get(match[1], NONE)
    return nodes


_CUT_AT_ONCE = 1 << 20


def _lines_of(text: str) -> Iterator[str]:
    """The lines of a text, as `split` gives them: those of a large one take more memory than it."""
    start = 0
    while start <= len(text):
        stop = text.find("\n", start + _CUT_AT_ONCE)
        stop = len(text) if stop < 0 else stop
        yield from text[start:stop].split("\n")
        start = stop + 1
