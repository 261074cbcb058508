"""Each fusion as an opened box: what goes in and out, what it is, and the traffic it saves.

A fusion saves the traffic of its intermediate results. Were each of its instructions a kernel of
its own, an intermediate result would be written once and read by each instruction that uses it;
inside a kernel it stays in registers. Counted by XLA's own rules for bytes: a slice or a gather
reads what it takes, an update in place writes what it replaces, a bitcast moves nothing.
"""

from __future__ import annotations

import collections
import dataclasses
import math

from jaxscope.analysis.fusion.kinds import describe_kind
from jaxscope.analysis.fusion.module import Module
from jaxscope.analysis.value_sizes import bytes_of_type

_TAKES_PART = frozenset({"slice", "dynamic-slice", "gather"})
_UPDATES = {"dynamic-update-slice": 1, "scatter": 2}
"""Instructions that replace a part of their first operand, and which operand has the new part."""


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """A value that goes into or comes out of a fusion.

    Attributes:
        id: Of the instruction that makes it.
        type: Such as `f32[8,128]`.
        num_bytes: Its size; NaN where unknown.
    """

    id: str
    type: str
    num_bytes: float


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True, slots=True)
class Fusion:
    """One fusion.

    Attributes:
        node: Index of its instruction.
        id: Of its instruction.
        kind: In words.
        inputs: Its operands, each once.
        outputs: Its results.
        operations: What is computed inside, with counts, the most frequent first.
        saving: What it saves.
    """

    node: int
    id: str
    kind: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    operations: tuple[tuple[str, int], ...]
    saving: Saving


def find_fusions(module: Module) -> tuple[Fusion, ...]:
    """All fusions of an HLO module in program order, those inside of fusions too."""
    nodes = range(len(module.operations))
    return tuple(open_fusion(module, node) for node in nodes if module.operations[node] == "fusion")


def open_fusion(module: Module, node: int) -> Fusion:
    """Look into the fusion of an instruction."""
    group = module.fused_computation(node)
    members = module.members.get(group, []) if group is not None else []
    inputs = dict.fromkeys(source for source, _ in module.operands[node])
    return Fusion(
        node,
        module.id(node),
        describe_kind(module.attributes[node]),
        tuple(_value(module, source) for source in inputs),
        tuple(Value(module.id(node), t, bytes_of_type(t)) for t in module.types(node)),
        tuple(
            collections.Counter(
                module.operations[member] for member in members if not module.is_free(member)
            ).most_common()
        ),
        _find_saving(module, members) if group is not None else _unopened(),
    )


def _value(module: Module, node: int) -> Value:
    types = module.types(node)
    type = types[0] if len(types) == 1 else f"({', '.join(types)})"
    return Value(module.id(node), type, bytes_of_type(type))


def _unopened() -> Saving:
    return Saving(math.nan, math.nan, 0, "What it computes inside is not in the module.")


def _find_saving(module: Module, members: list[int]) -> Saving:
    written = read = 0.0
    count = 0
    unknown = ""
    outputs = _outputs(module, members)
    for node in members:
        if module.is_free(node):
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
        return Saving(math.nan, math.nan, count, f"The size of {unknown} is not known.")
    return Saving(written, read, count)


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


def _written(module: Module, node: int) -> float:
    part = _UPDATES.get(module.operations[node])
    if part is not None and len(module.operands[node]) > part:
        return _size(module, module.operands[node][part][0])
    return _size(module, node)


def _read(module: Module, user: int, operand: int, node: int) -> float:
    operation = module.operations[user]
    if operand == 0 and operation in _TAKES_PART:
        return _size(module, user)
    if operand == 0 and operation in _UPDATES:
        return 0.0
    return _size(module, node)


def _size(module: Module, node: int) -> float:
    return sum(bytes_of_type(type) for type in module.types(node))
