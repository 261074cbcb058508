"""A module as it was after one pass: instructions, users, the equations that names say; and an
excerpt of the text that a pass changed, bounded.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

from jaxscope.late_dataclass import dataclass
from jaxscope.model.op_name import TagTable, in_call, read_op_name
from jaxscope.program.hlo.graph import COMBINING
from jaxscope.program.hlo.instruction_text import read_attributes, render_type
from jaxscope.program.hlo.proto import HloMessage, parse_module

# A module as it was after one pass: who computes what from what, and under which names.


_EFFECTS = frozenset(
    {
        *("infeed", "outfeed", "send", "send-done", "recv", "recv-done", "domain"),
        *("rng-get-and-update-state", "all-reduce-done", "collective-permute-done"),
    }
)

_SHOWN_APART = frozenset({"op_name", "parameter_number", "backend_config", "literal"})


@dataclass(eq=False, slots=True)
class InstructionRow:
    """One instruction.

    Attributes:
        name: Unique in the module.
        opcode: XLA's.
        computation: Name of the computation it stands in.
        operands: Names.
        tags: The equations that its name carries, as `in_call` writes them.
        called: Names of the computations that it calls.
        kind: Equal for instructions that do the same, whatever their operands and callees are.
        key: Equal for instructions that do the same to the same operands.
        is_root: Whether its computation returns it.
        proto: The rest of it, for its text.
    """

    name: str
    opcode: str
    computation: str
    operands: tuple[str, ...]
    tags: tuple[str, ...]
    called: tuple[str, ...]
    kind: int
    key: int
    is_root: bool
    proto: HloMessage

    @property
    def element(self) -> int:
        """XLA's code of the type of the elements; of a tuple that of tuples."""
        return int(self.proto.shape.element_type)

    @property
    def num_elements(self) -> int:
        """Elements of the result; 0 for tuples and tokens."""
        if self.proto.shape.tuple_shapes or self.opcode == "tuple":
            return 0
        return math.prod(self.proto.shape.dimensions)

    @property
    def has_effect(self) -> bool:
        """Whether the instruction stays though nothing uses its result."""
        return self.opcode in _EFFECTS or bool(self.proto.custom_call_has_side_effect)

    def literal(self) -> str:
        """The value of a constant, shortened; empty for everything else."""
        return read_attributes(self.proto).get("literal", "")

    def line(self) -> str:
        """The instruction as HLO text has it, metadata left out."""
        proto = self.proto
        row = read_attributes(proto)
        inside = row.get("literal") or row.get("parameter_number")
        operands = inside if inside is not None else ", ".join(f"%{n}" for n in self.operands)
        parts = [f"{k}={v}" for k, v in row.items() if k not in _SHOWN_APART]
        root = "ROOT " if self.is_root else ""
        end = "".join(f", {part}" for part in parts)
        return f"  {root}%{self.name} = {render_type(proto.shape)} {self.opcode}({operands}){end}"


@dataclass(eq=False, slots=True)
class Snapshot:
    """A whole module.

    Attributes:
        rows: Instructions by name, in the module's order.
        users: Names of the users of each instruction that has some.
        computations: Names of the instructions of each computation.
        roots: Name of the root of each computation.
        holders: Names of the instructions that carry each equation.
        fused: Names of the computations that fusions call.
        combining: Names of the computations that combine elements for an instruction, now or in a
            module before this one. What is in them holds no equation.
        entry: Name of the entry computation.
        renamed: What instructions are called here whose names the next module has otherwise, by
            the name that XLA gives them in this one; see `follow.Lineage`.
        unused_calls: Equation and opcode of the calls, loops and branches that are left out of
            `rows`, since nothing depends on them, and that XLA has not removed yet.
    """

    rows: dict[str, InstructionRow]
    users: dict[str, list[str]]
    computations: dict[str, list[str]]
    roots: dict[str, str]
    holders: dict[str, list[str]]
    fused: set[str]
    combining: set[str]
    entry: str
    renamed: Mapping[str, str] = dataclasses.field(default_factory=dict)
    unused_calls: frozenset[tuple[str, str]] = frozenset()

    def own_names(self, names: Iterable[str]) -> tuple[str, ...]:
        """The names that XLA gives to instructions in this module."""
        if not self.renamed:
            return tuple(names)
        own = {here: name for name, here in self.renamed.items()}
        return tuple([own.get(name, name) for name in names])

    @property
    def num_fusions(self) -> int:
        return sum(row.opcode == "fusion" for row in self.rows.values())


class SnapshotReader:
    """Reads serialized modules; each distinct name of an operation is read once."""

    def __init__(self, tags: TagTable) -> None:
        self._tags = tags
        self._read: dict[str, tuple[str, ...]] = {"": ()}
        # Kept from module to module: one that nothing calls any more stays until it is cleared.
        self._combiners: set[str] = set()

    def read(self, data: bytes) -> Snapshot:
        """Read a serialized `HloModuleProto`.

        Raises:
            ValueError: The bytes are no HLO module.
        """
        module = parse_module(data)
        names: dict[int, str] = {}
        homes = {computation.id: computation.name for computation in module.computations}
        for computation in module.computations:
            for instruction in computation.instructions:
                names[instruction.id] = instruction.name
        snapshot = Snapshot({}, {}, {}, {}, {}, set(), set(), "")
        combiners = self._combiners
        for computation in module.computations:
            for proto in computation.instructions:
                called = [homes.get(number, "") for number in proto.called_computation_ids]
                if proto.opcode == "fusion":
                    snapshot.fused.update(called)
                elif proto.opcode in COMBINING:
                    combiners.update(called)
        snapshot.combining = set(combiners)
        for computation in module.computations:
            self._read_computation(computation, names, homes, snapshot)
            if computation.id == module.entry_computation_id:
                snapshot.entry = computation.name
        return snapshot

    def _read_computation(
        self,
        computation: HloMessage,
        names: dict[int, str],
        homes: dict[int, str],
        snapshot: Snapshot,
    ) -> None:
        home = computation.name
        members = snapshot.computations.setdefault(home, [])
        for proto in computation.instructions:
            name = proto.name
            operands = tuple([names.get(number, "?") for number in proto.operand_ids])
            # A reduction's addition of two elements often outlives the reduction for a while.
            tags = () if home in self._combiners else self._tags_of(proto.metadata.op_name)
            is_root = proto.id == computation.root_id
            called = tuple([homes.get(number, "") for number in proto.called_computation_ids])
            kind = _kind(proto)
            key = hash((kind, operands))
            row = InstructionRow(
                name, proto.opcode, home, operands, tags, called, kind, key, is_root, proto
            )
            snapshot.rows[name] = row
            members.append(name)
            if is_root:
                snapshot.roots[home] = name
            for operand in operands:
                snapshot.users.setdefault(operand, []).append(name)
            for tag in tags:
                snapshot.holders.setdefault(tag, []).append(name)

    def _tags_of(self, op_name: str) -> tuple[str, ...]:
        found = self._read.get(op_name)
        if found is None:
            read = read_op_name(op_name, self._tags)
            found = tuple(map(in_call, read.derived, read.calls))
            self._read[op_name] = found
        return found


_NAMING: tuple[Any, ...] = (
    *("name", "metadata", "id", "operand_ids", "called_computation_ids"),
    *("control_predecessor_ids", "original_value", "statistics_viz"),
)
"""Fields that say what an instruction is called, and not what it does."""


def _kind(proto: HloMessage) -> int:
    known = proto.DESCRIPTOR.fields_by_name
    for field in _NAMING:
        if field in known:
            proto.ClearField(field)
    return hash(proto.SerializeToString(deterministic=True))


_NOTES = {
    "metadata": "metadata",
    "host_program_shape": "layouts",
    "schedule": "schedule",
    "stack_frame_index": "metadata",
}


def compare_notes(before: bytes, after: bytes) -> tuple[str, ...]:
    """What two modules differ in whose instructions do the same; see `PassRecord.notes_changed`."""
    modules = parse_module(before), parse_module(after)
    found: set[str] = set()
    for field in modules[0].DESCRIPTOR.fields_by_name:
        if field != "computations" and not _equal(*modules, field):
            found.add(_NOTES.get(field, "other"))
    rows = (
        [row for computation in module.computations for row in computation.instructions]
        for module in modules
    )
    for was, now in zip(*(sorted(each, key=lambda row: row.name) for each in rows), strict=False):
        if not _equal(was, now, "metadata"):
            found.add("metadata")
    return tuple(sorted(found or {"other"}))


def _equal(one: HloMessage, other: HloMessage, field: str) -> bool:
    same: bool = getattr(one, field) == getattr(other, field)
    return same


MAX_CHARS = 40_000
"""Per pass and side: what a reader can look through."""

_CONTEXT = 2
_GAP = "  …"


def excerpt_changes(
    before: Snapshot, after: Snapshot, removed: set[str], added: set[str], changed: set[str]
) -> tuple[str, str]:
    """The changed instructions with a few around them, as they were and as they are."""
    return (
        _excerpt(before, removed | (changed & before.rows.keys()), MAX_CHARS),
        _excerpt(after, added | (changed & after.rows.keys()), MAX_CHARS),
    )


def _excerpt(snapshot: Snapshot, wanted: set[str], limit: int) -> str:
    lines: list[str] = []
    size = 0
    homes = {snapshot.rows[name].computation for name in wanted}
    for home, members in snapshot.computations.items():
        if home not in homes:
            continue
        if lines:
            lines.append("")
        title = f"{'ENTRY ' if home == snapshot.entry else ''}%{home} {{"
        lines.append(title)
        shown = _around(members, wanted)
        last = -1
        for index in shown:
            if index != last + 1:
                lines.append(_GAP)
            last = index
            line = snapshot.rows[members[index]].line()
            size += len(line) + 1
            if size > limit:
                return "\n".join([*lines, "  … and more: the text is too long to keep"])
            lines.append(line)
        if last != len(members) - 1:
            lines.append(_GAP)
        lines.append("}")
    return "\n".join(lines)


def _around(members: list[str], wanted: set[str]) -> list[int]:
    """Positions of the wanted instructions and of their neighbours."""
    shown: set[int] = set()
    for index, name in enumerate(members):
        if name in wanted:
            shown.update(range(max(index - _CONTEXT, 0), index + _CONTEXT + 1))
    return sorted(index for index in shown if index < len(members))
