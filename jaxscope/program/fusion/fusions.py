"""Each fusion opened: what goes in and out, its kind, and the traffic of intermediate results that
it saves.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Mapping
from typing import NamedTuple

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, GroupKind
from jaxscope.model.said import say, say_joined
from jaxscope.model.types import parse_array_type, type_bytes
from jaxscope.program.cost.kernels import CUTS, REPLACES
from jaxscope.program.cost.trip_counts import RUNS_INSIDE

FREE = frozenset(
    {
        *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all"),
        *("add-dependency", "opt-barrier"),
    }
)
"""Instructions that nothing runs for."""


class Module:
    """Lists instead of columns.

    Attributes:
        graph: Where they come from.
        operations: Opcode of each node.
        attributes: Of each node.
        operands: Of each node, its operands in order as (node, which of its results).
        users: Of each node, where its results go as (node, which of its operands).
        members: Nodes of each computation in program order; the entry's are under `NONE`.
        roots: The root of each computation.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        strings, nodes = graph.strings, graph.nodes
        self.operations = [strings[s] for s in nodes.operation.tolist()]
        self.attributes: list[Mapping[str, str]] = [graph.attributes(i) for i in range(len(nodes))]
        self._groups: list[int] = nodes.group.tolist()
        self.members: dict[int, list[int]] = {}
        self.roots: dict[int, int] = {}
        for node, group in enumerate(self._groups):
            self.members.setdefault(group, []).append(node)
            if self.attributes[node].get("root") == "true":
                self.roots[group] = node
        found: list[dict[int, tuple[int, int]]] = [{} for _ in range(len(nodes))]
        self.users: list[list[tuple[int, int]]] = [[] for _ in range(len(nodes))]
        for source, output, target, operand in graph.edges.ends():
            found[target][operand] = (source, output)
            self.users[source].append((target, operand))
        self.operands = [[row[number] for number in sorted(row)] for row in found]
        self._group_of_id = graph.group_by_id()
        self._owners: list[int] = graph.groups.owner.tolist()
        self._kinds: list[int] = graph.groups.kind.tolist()

    def id(self, node: int) -> str:
        """The id of a node."""
        return self.graph.id(node)

    def types(self, node: int) -> tuple[str, ...]:
        """The types of a node's results."""
        return self.graph.types(node)

    def home(self, node: int) -> int:
        """The computation that a node stands in; `NONE` for the entry."""
        return self._groups[node]

    def owner(self, group: int) -> int:
        """The instruction that a computation is the inside of, or `NONE`."""
        return self._owners[group] if group != NONE else NONE

    def is_fused(self, group: int) -> bool:
        """Whether a computation is the inside of a fusion."""
        return group != NONE and self._kinds[group] == GroupKind.FUSION

    def called(self, node: int) -> list[int]:
        """The computations that an instruction calls, in order; those not there left out."""
        names = self.attributes[node].get("calls", "")
        return [self._group_of_id[n] for n in names.split(", ") if n in self._group_of_id]

    def fused_computation(self, node: int) -> int | None:
        """The computation of a fusion; None for every other instruction."""
        if self.operations[node] != "fusion":
            return None
        return next(iter(self.called(node)), None)

    def kernel(self, node: int) -> int:
        """The instruction that a node runs as: the outermost fusion it is in, or itself.

        What is in a reducer or comparator runs as the instruction that calls it.
        """
        seen: set[int] = set()
        while node not in seen:  # a module from a file may go round in circles
            seen.add(node)
            owner = self.owner(self.home(node))
            if owner == NONE or self.operations[owner] in RUNS_INSIDE:
                break
            node = owner
        return node

    def is_free(self, node: int) -> bool:
        """Whether nothing runs for an instruction; the end of an asynchronous one is its start."""
        operation = self.operations[node]
        return operation in FREE or operation.endswith(("-done", "-update"))

    def last_operation(self, kernel: int) -> int:
        """The node that makes a kernel's (first) result: its root behind bitcasts, or itself."""
        seen: set[int] = set()
        while kernel not in seen:
            seen.add(kernel)
            group = self.fused_computation(kernel)
            if group is not None and group in self.roots:
                kernel = self.roots[group]
            elif self.operations[kernel] in ("bitcast", "tuple") and self.operands[kernel]:
                kernel = self.operands[kernel][0][0]
            else:
                break
        return kernel


_WORDS = {
    "kLoop": say(
        "one loop over the elements of its result, each computed from the operands at once"
    ),
    "kInput": say("what is computed from the operands is reduced or scattered while it is read"),
    "kOutput": say(
        "an operation such as a matrix product, and what follows computed on its result before "
        "that is written"
    ),
    "kCustom": say("code of the backend's own for exactly this pattern, often a library's"),
}


class FusionKind(NamedTuple):
    """The compiler's word for a fusion and, where it is a known one, what it means."""

    name: str
    meaning: str = ""

    @property
    def text(self) -> str:
        """Both."""
        if not self.meaning:
            return self.name
        return say("{name}: {meaning}", name=self.name, meaning=self.meaning)


def read_kind(attributes: Mapping[str, str]) -> FusionKind:
    """The kind of the fusion with these attributes.

    A backend's own name for the pattern is shown as it is: these change from release to release.
    """
    kind = attributes.get("fusion_kind", "")
    name = attributes.get("fusion_config", "") or attributes.get("custom_call_target", "")
    parts = (kind or say("of no stated kind"), f"({name})" if name else "")
    return FusionKind(say_joined(parts), _WORDS.get(kind, ""))


# Each fusion as an opened box: what goes in and out, what it is, and the traffic it saves.
#
# A fusion saves the traffic of its intermediate results. Were each of its instructions a kernel of
# its own, an intermediate result would be written once and read by each instruction that uses it;
# inside a kernel it stays in registers. Counted by XLA's own rules for bytes: a slice or a gather
# reads what it takes, an update in place writes what it replaces, a bitcast moves nothing. A number
# that is repeated is no such result: nobody writes it out, with or without fusion.


_MAX_DEPTH = 100
"""Only a file that somebody made by hand has fusions inside of fusions so deep."""


@dataclass(frozen=True, slots=True)
class FusionValue:
    """A value that goes into or comes out of a fusion.

    Attributes:
        id: Of the instruction that makes it.
        type: Such as `f32[8,128]`.
        num_bytes: Its size; NaN where unknown.
        bytes_moved: What the fusion reads or writes of it in one execution: less than its size
            where only slices of it are read, or a part is replaced in place. NaN where unknown.
    """

    id: str
    type: str
    num_bytes: float
    bytes_moved: float

    @property
    def is_partly_moved(self) -> bool:
        """Whether less of it is read or written than there is."""
        return self.bytes_moved < self.num_bytes


@dataclass(frozen=True, slots=True)
class Saving:
    """Traffic of intermediate results that one execution of a fusion avoids.

    Attributes:
        bytes_written: NaN where unknown.
        bytes_read: NaN where unknown.
        num_values: Intermediate results.
        reason: Why it is not known, or empty.
    """

    bytes_written: float
    bytes_read: float
    num_values: int
    reason: str = ""

    @property
    def num_bytes(self) -> float:
        """Written and read together."""
        return self.bytes_written + self.bytes_read


@dataclass(frozen=True, slots=True)
class Fusion:
    """One fusion.

    Attributes:
        node: Index of its instruction.
        id: Of its instruction.
        kind: What the compiler calls it.
        inputs: Its operands, each once.
        outputs: Its results.
        operations: What is computed inside, with counts, the most frequent first.
        saving: What it saves.
    """

    node: int
    id: str
    kind: FusionKind
    inputs: tuple[FusionValue, ...]
    outputs: tuple[FusionValue, ...]
    operations: tuple[tuple[str, int], ...]
    saving: Saving

    @property
    def bytes_read(self) -> float:
        """What one execution reads of its operands; NaN where unknown."""
        return sum(value.bytes_moved for value in self.inputs)

    @property
    def bytes_written(self) -> float:
        """What one execution writes of its results; NaN where unknown."""
        return sum(value.bytes_moved for value in self.outputs)


def find_fusions(module: Module) -> tuple[Fusion, ...]:
    """All fusions of an HLO module in program order, those inside of fusions too."""
    nodes = range(len(module.operations))
    return tuple(open_fusion(module, node) for node in nodes if module.operations[node] == "fusion")


def open_fusion(module: Module, node: int) -> Fusion:
    """Look into the fusion of an instruction."""
    group = module.fused_computation(node)
    members = module.members.get(group, []) if group is not None else []
    places: dict[int, list[int]] = {}
    for place, (source, _) in enumerate(module.operands[node]):
        places.setdefault(source, []).append(place)
    return Fusion(
        node,
        module.id(node),
        read_kind(module.attributes[node]),
        tuple(_input(module, node, source, numbers) for source, numbers in places.items()),
        _results(module, node),
        tuple(
            collections.Counter(
                module.operations[member] for member in members if not module.is_free(member)
            ).most_common()
        ),
        _find_saving(module, members) if group is not None else _unopened(),
    )


def _input(module: Module, fusion: int, source: int, places: list[int]) -> FusionValue:
    types = module.types(source)
    type = types[0] if len(types) == 1 else f"({', '.join(types)})"
    size = type_bytes(type)
    read = sum(_read_by_fusion(module, fusion, place, size) for place in places)
    return FusionValue(module.id(source), type, size, _at_most(size, read))


def _results(module: Module, node: int) -> tuple[FusionValue, ...]:
    types = module.types(node)
    sizes = list(map(type_bytes, types))
    written = sizes
    group = module.fused_computation(node)
    root = None if group is None else module.roots.get(group)
    if root is not None:
        is_tuple = module.operations[root] == "tuple"
        ends = [source for source, _ in module.operands[root]] if is_tuple else [root]
        if len(ends) == len(sizes):
            ends = [_behind_bitcasts(module, end) for end in ends]
            written = [_changed(module, end) for end in ends]
    values = zip(types, sizes, written, strict=True)
    return tuple(FusionValue(module.id(node), t, s, _at_most(s, w)) for t, s, w in values)


def _behind_bitcasts(module: Module, node: int) -> int:
    seen: set[int] = set()
    while module.operations[node] == "bitcast" and module.operands[node] and node not in seen:
        seen.add(node)
        node = module.operands[node][0][0]
    return node


def _read_by_fusion(module: Module, fusion: int, place: int, size: float, depth: int = 0) -> float:
    """What a fusion reads of one operand, of that size: all of it, unless only parts are taken."""
    group = module.fused_computation(fusion)
    members = module.members.get(group, []) if group is not None else []
    number = str(place)
    for node in members:
        if module.attributes[node].get("parameter_number") == number:
            break
    else:
        return size
    outputs = _outputs(module, members)
    users = _users_inside(module, node)
    if node in outputs or not users or depth > _MAX_DEPTH:
        return size
    read = 0.0
    for user, operand in users:
        operation = module.operations[user]
        if operation == "fusion":
            read += _read_by_fusion(module, user, operand, size, depth + 1)
        elif operation in REPLACES and operand == 0 and user not in outputs:
            read += size  # nothing is replaced in place: a new value is computed from the old one
        else:
            read += _read(module, user, operand, node)
    return _at_most(size, read)


def _at_most(size: float, moved: float) -> float:
    return math.nan if math.isnan(moved) else min(size, moved)


def _unopened() -> Saving:
    return Saving(math.nan, math.nan, 0, say("What it computes inside is not in the module."))


def _find_saving(module: Module, members: list[int]) -> Saving:
    written = read = 0.0
    count = 0
    unknown = ""
    outputs = _outputs(module, members)
    for node in members:
        if module.is_free(node) or _repeats_a_number(module, node):
            continue
        users = _users_inside(module, node)
        is_output = node in outputs
        size = _written(module, node)
        own_reads = sum(_read(module, user, operand, node) for user, operand in users)
        if math.isnan(size) or math.isnan(own_reads):
            unknown = unknown or ", ".join(module.types(node))
        count += not is_output
        written += 0.0 if is_output else size
        read += own_reads
    if math.isnan(written) or math.isnan(read):
        reason = say("The size of {unknown} is not known.", unknown=unknown)
        return Saving(math.nan, math.nan, count, reason)
    return Saving(written, read, count)


def _repeats_a_number(module: Module, node: int) -> bool:
    operands = [source for source, _ in module.operands[node]]
    types = [parse_array_type(type) for source in operands for type in module.types(source)]
    return module.operations[node] == "broadcast" and all(
        t is not None and not t.shape for t in types
    )


def _outputs(module: Module, members: list[int]) -> set[int]:
    """What the fusion writes anyway: its root, or the parts of its root, behind bitcasts."""
    waiting = [node for node in members if module.attributes[node].get("root") == "true"]
    found: set[int] = set()
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if module.operations[node] in ("tuple", "bitcast"):
            waiting += [source for source, _ in module.operands[node]]
        else:
            found.add(node)
    return found


def _users_inside(module: Module, node: int) -> list[tuple[int, int]]:
    """What computes with a value, behind bitcasts, as (node, which operand)."""
    found, waiting = [], list(module.users[node])
    seen: set[int] = set()
    while waiting:
        user, operand = waiting.pop()
        if module.operations[user] == "bitcast":
            waiting += module.users[user] if user not in seen else []
            seen.add(user)
        elif not module.is_free(user):
            found.append((user, operand))
    return found


def _changed(module: Module, node: int) -> float:
    """Bytes that a fusion writes of a result that an instruction inside of it makes.

    Where that replaces parts of one of the fusion's operands, these parts. What the fusion computes
    itself lies nowhere before: all of it is written, though XLA counts the part alone.
    """
    whole, parts = _size(module, node), 0.0
    for _ in range(_MAX_DEPTH):
        node = _behind_bitcasts(module, node)
        if module.operations[node] not in REPLACES or not module.operands[node]:
            is_in_place = parts > 0.0 and module.operations[node] == "parameter"
            return min(whole, parts) if is_in_place else whole
        parts += _written(module, node)
        node = module.operands[node][0][0]
    return whole


def _written(module: Module, node: int) -> float:
    part = REPLACES.get(module.operations[node])
    if part is not None and len(module.operands[node]) > part:
        return _size(module, module.operands[node][part][0])
    return _size(module, node)


def _read(module: Module, user: int, operand: int, node: int) -> float:
    operation = module.operations[user]
    if operand == 0 and operation in CUTS:
        return _size(module, user)
    if operand == 0 and operation in REPLACES:
        # A scatter combines what it replaces with what was there.
        return _written(module, user) if operation == "scatter" else 0.0
    return _size(module, node)


def _size(module: Module, node: int) -> float:
    return sum(type_bytes(type) for type in module.types(node))
