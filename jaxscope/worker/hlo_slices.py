"""Cut an HLO module into modules of one instruction each, on serialized bytes.

XLA analyses the cost of a whole module only. A module of one instruction, its operands as
parameters and the computations it calls, costs what the instruction costs.

Most programs repeat themselves, so each slice has a key that says what it computes and nothing
else (no names, ids or metadata): equal keys cost the same.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from jaxscope.worker.wire_format import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    encode_bytes,
    encode_number,
    read_fields,
    read_packed,
    read_varint,
)


class ModuleField:
    """Field numbers of `xla.HloModuleProto`."""

    NAME, ENTRY_NAME, COMPUTATION, PROGRAM_SHAPE, ID, ENTRY_ID, PAYLOAD = 1, 2, 3, 4, 5, 6, 22


class ComputationField:
    """Field numbers of `xla.HloComputationProto`."""

    NAME, INSTRUCTION, PROGRAM_SHAPE, ID, ROOT_ID = 1, 2, 4, 5, 6


class InstructionField:
    """Field numbers of `xla.HloInstructionProto`."""

    NAME, OPCODE, SHAPE, METADATA, PARAMETER_NUMBER, ID = 1, 2, 3, 7, 9, 35
    OPERAND_IDS, CONTROL_IDS, CALLED_IDS, SHARDING, ORIGINAL_VALUE = 36, 37, 38, 40, 88


class ProgramShapeField:
    """Field numbers of `xla.ProgramShapeProto`."""

    PARAMETER, RESULT, PARAMETER_NAME = 1, 2, 3


_IDENTITY = frozenset(
    {
        InstructionField.NAME,
        InstructionField.METADATA,
        InstructionField.ID,
        InstructionField.OPERAND_IDS,
        InstructionField.CONTROL_IDS,
        InstructionField.CALLED_IDS,
        InstructionField.SHARDING,
        InstructionField.ORIGINAL_VALUE,
    }
)
_ID, _OPERAND_IDS = InstructionField.ID, InstructionField.OPERAND_IDS
_CALLED_IDS, _OPCODE = InstructionField.CALLED_IDS, InstructionField.OPCODE
_SHAPE = InstructionField.SHAPE
_FIXED_BYTES = {FIXED32: 4, FIXED64: 8}
_MAX_CALL_DEPTH = 100
_NAME = b"jaxscope.slice"
"""XLA refuses a module with two instructions of one name: this must not be a program's."""


class _Instruction(NamedTuple):
    """One instruction, cut apart.

    Attributes:
        core: What it is: its fields without names, ids, metadata and references.
        shape: Its serialized shape.
    """

    id: int
    opcode: bytes
    shape: bytes
    core: bytes
    operands: tuple[int, ...]
    called: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Computation:
    serialized: bytes
    instructions: tuple[_Instruction, ...]
    root_id: int


class SlicedModule:
    """A serialized `HloModuleProto`, ready to be cut into one-instruction modules.

    Raises:
        ValueError: The bytes are no HLO module.
    """

    def __init__(self, proto: bytes) -> None:
        self._computations: dict[int, _Computation] = {}
        self._order: list[int] = []
        self._payloads: list[bytes] = []
        self._digests: dict[int, bytes] = {}
        self._stripped: dict[int, bytes] = {}
        self._shapes: tuple[_Computation | None, dict[int, bytes]] = (None, {})
        entry_id = 0
        for number, _, start, end, value in read_fields(proto):
            if number == ModuleField.COMPUTATION:
                self._add_computation(proto[start:end])
            elif number == ModuleField.ENTRY_ID:
                entry_id = value
            elif number == ModuleField.PAYLOAD:
                # Backend configurations may point into this table by position.
                self._payloads.append(proto[start:end])
        if not self._order:
            raise ValueError("the HLO module has no computations")
        self.entry_id = entry_id if entry_id in self._computations else self._order[-1]

    def _add_computation(self, data: bytes) -> None:
        instructions: list[_Instruction] = []
        id = root_id = 0
        for number, _, start, end, value in read_fields(data):
            if number == ComputationField.INSTRUCTION:
                instructions.append(_read_instruction(data, start, end))
            elif number == ComputationField.ID:
                id = value
            elif number == ComputationField.ROOT_ID:
                root_id = value
        self._computations[id] = _Computation(data, tuple(instructions), root_id)
        self._order.append(id)

    @property
    def num_instructions(self) -> int:
        """Of all computations."""
        return sum(len(c.instructions) for c in self._computations.values())

    def instructions(self) -> Iterable[tuple[int, int]]:
        """Computation id and position of every instruction, in the proto's order."""
        for id in self._order:
            for position in range(len(self._computations[id].instructions)):
                yield id, position

    def opcode(self, computation_id: int, position: int) -> str:
        """The opcode of an instruction."""
        opcode = self._computations[computation_id].instructions[position].opcode
        return opcode.decode("utf-8", "replace")

    def key(self, computation_id: int, position: int) -> bytes:
        """Equal for instructions that compute the same, whatever their names.

        Raises:
            ValueError: It refers to something that is not in the module, or calls itself.
        """
        computation = self._computations[computation_id]
        instruction = computation.instructions[position]
        shapes = self._operand_shapes(computation, instruction)
        # Whether operands are the same value can matter to the count of bytes.
        numbers = {id: str(i).encode() for i, id in enumerate(dict.fromkeys(instruction.operands))}
        parts = [instruction.core]
        for id, shape in zip(instruction.operands, shapes, strict=True):
            parts += (numbers[id], shape)
        parts += (self._digest(called, 0) for called in instruction.called)
        return hashlib.blake2b(_join(parts), digest_size=16).digest()

    def slice(self, computation_id: int, position: int) -> bytes:
        """A serialized module whose entry computation is the one instruction.

        Ids stay what they were, the computation's included: XLA sizes tables by them, and an id
        made up high would cost gigabytes.

        Raises:
            ValueError: It refers to something that is not in the module, or calls itself.
        """
        computation = self._computations[computation_id]
        instruction = computation.instructions[position]
        shapes = dict(
            zip(
                instruction.operands,
                self._operand_shapes(computation, instruction),
                strict=True,
            )
        )
        program = b""
        body = b""
        if instruction.opcode == b"parameter":
            program += encode_bytes(ProgramShapeField.PARAMETER, instruction.shape)
            program += encode_bytes(ProgramShapeField.PARAMETER_NAME, _NAME + b".p0")
            body += encode_bytes(
                ComputationField.INSTRUCTION, _parameter(0, instruction.id, instruction.shape)
            )
        else:
            for number, (id, shape) in enumerate(shapes.items()):
                program += encode_bytes(ProgramShapeField.PARAMETER, shape)
                program += encode_bytes(ProgramShapeField.PARAMETER_NAME, _NAME + b".p%d" % number)
                body += encode_bytes(ComputationField.INSTRUCTION, _parameter(number, id, shape))
            body += encode_bytes(
                ComputationField.INSTRUCTION,
                encode_bytes(InstructionField.NAME, _NAME + b".root")
                + instruction.core
                + encode_number(InstructionField.ID, instruction.id)
                + b"".join(
                    encode_number(InstructionField.OPERAND_IDS, i) for i in instruction.operands
                )
                + b"".join(
                    encode_number(InstructionField.CALLED_IDS, i) for i in instruction.called
                ),
            )
        program += encode_bytes(ProgramShapeField.RESULT, instruction.shape)
        entry = (
            encode_bytes(ComputationField.NAME, _NAME)
            + body
            + encode_bytes(ComputationField.PROGRAM_SHAPE, program)
            + encode_number(ComputationField.ID, computation_id)
            + encode_number(ComputationField.ROOT_ID, instruction.id)
        )
        called: dict[int, None] = {}
        for id in instruction.called:
            self._collect_called(id, called, 0)
        return b"".join(
            [
                encode_bytes(ModuleField.NAME, _NAME),
                encode_bytes(ModuleField.ENTRY_NAME, _NAME),
                *(
                    encode_bytes(ModuleField.COMPUTATION, self._without_metadata(id))
                    for id in called
                ),
                encode_bytes(ModuleField.COMPUTATION, entry),
                encode_bytes(ModuleField.PROGRAM_SHAPE, program),
                encode_number(ModuleField.ENTRY_ID, computation_id),
                *(encode_bytes(ModuleField.PAYLOAD, payload) for payload in self._payloads),
            ]
        )

    def _operand_shapes(self, computation: _Computation, instruction: _Instruction) -> list[bytes]:
        if not instruction.operands:
            return []
        by_id = self._shapes_by_id(computation)
        try:
            return [by_id[id] for id in instruction.operands]
        except KeyError:
            raise ValueError("an operand is not in its computation") from None

    def _shapes_by_id(self, computation: _Computation) -> dict[int, bytes]:
        """Shapes of a computation's instructions; the last computation asked for is kept."""
        if self._shapes[0] is not computation:
            shapes = {row.id: row.shape for row in computation.instructions}
            self._shapes = (computation, shapes)
        return self._shapes[1]

    def _find(self, id: int) -> _Computation:
        try:
            return self._computations[id]
        except KeyError:
            raise ValueError("a called computation is not in the module") from None

    def _collect_called(self, id: int, found: dict[int, None], depth: int) -> None:
        """Add a computation after those that it calls itself, as XLA wants them."""
        if id in found:
            return
        if depth > _MAX_CALL_DEPTH:
            raise ValueError("computations call each other without end")
        for instruction in self._find(id).instructions:
            for called in instruction.called:
                self._collect_called(called, found, depth + 1)
        found[id] = None

    def _without_metadata(self, id: int) -> bytes:
        """A computation as it was, but metadata: it refers to tables that a slice lacks."""
        known = self._stripped.get(id)
        if known is None:
            data = self._find(id).serialized
            known = self._stripped[id] = b"".join(
                encode_bytes(number, _strip_metadata(data, start, end))
                if number == ComputationField.INSTRUCTION
                else data[key_start:end]
                for number, key_start, start, end, _ in read_fields(data)
            )
        return known

    def _digest(self, id: int, depth: int) -> bytes:
        """What a computation computes, names and ids left out."""
        known = self._digests.get(id)
        if known is not None:
            return known
        if depth > _MAX_CALL_DEPTH:
            raise ValueError("computations call each other without end")
        computation = self._find(id)
        numbers = {row.id: number for number, row in enumerate(computation.instructions)}
        parts: list[bytes] = [b"%d" % numbers.get(computation.root_id, -1)]
        for row in computation.instructions:
            operands = ",".join(str(numbers.get(operand, -1)) for operand in row.operands)
            parts += (row.core, operands.encode())
            parts += (self._digest(called, depth + 1) for called in row.called)
        digest = hashlib.blake2b(_join(parts), digest_size=16).digest()
        self._digests[id] = digest
        return digest


def _join(parts: list[bytes]) -> bytes:
    """Concatenate so that no two lists of parts give the same bytes."""
    return b"".join(b"%d:" % len(part) + part for part in parts)


def _parameter(number: int, id: int, shape: bytes) -> bytes:
    return (
        encode_bytes(InstructionField.NAME, _NAME + b".p%d" % number)
        + encode_bytes(InstructionField.OPCODE, b"parameter")
        + encode_bytes(InstructionField.SHAPE, shape)
        + encode_number(InstructionField.PARAMETER_NUMBER, number)
        + encode_number(InstructionField.ID, id)
    )


def _read_instruction(data: bytes, start: int, end: int) -> _Instruction:
    """Cut one instruction apart.

    The same as going through `read_fields`, in half the time: large modules have tens of
    thousands of instructions, and the compiled program waits to be shown.
    """
    id = 0
    opcode = shape = b""
    core: list[bytes] = []
    operands: list[int] = []
    called: list[int] = []
    position = core_start = start
    while position < end:
        key_start = position
        key, position = _number(data, position, end)
        wire_type, number = key & 7, key >> 3
        value, value_start = 0, position
        if wire_type == BYTES:
            value, value_start = _number(data, position, end)
            position = value_start + value
        elif wire_type == VARINT:
            value, position = _number(data, position, end)
        elif wire_type in _FIXED_BYTES:
            position += _FIXED_BYTES[wire_type]
        else:
            raise ValueError(f"wire type {wire_type}")
        if position > end or number == 0:
            raise ValueError("a field runs past the end of its message")
        if number in _IDENTITY:
            core.append(data[core_start:key_start])
            core_start = position
            if number == _ID:
                id = value
            elif number == _OPERAND_IDS:
                operands += _numbers(data, key_start, value_start, position, value)
            elif number == _CALLED_IDS:
                called += _numbers(data, key_start, value_start, position, value)
        elif number == _OPCODE:
            opcode = data[value_start:position]
        elif number == _SHAPE:
            shape = data[value_start:position]
    core.append(data[core_start:end])
    return _Instruction(id, opcode, shape, b"".join(core), tuple(operands), tuple(called))


def _number(data: bytes, position: int, end: int) -> tuple[int, int]:
    """A varint and the position after it; nearly all are one or two bytes long."""
    if position + 2 <= end:
        first = data[position]
        if first < 0x80:
            return first, position + 1
        second = data[position + 1]
        if second < 0x80:
            return (first & 0x7F) | (second << 7), position + 2
    return read_varint(data, position, end)


def _strip_metadata(data: bytes, start: int, end: int) -> bytes:
    return b"".join(
        data[key_start:value_end]
        for number, key_start, _, value_end, _ in read_fields(data, start, end)
        if number != InstructionField.METADATA
    )


def _numbers(data: bytes, key_start: int, start: int, end: int, value: int) -> list[int]:
    """A repeated number, packed or not; the keys of these fields are two bytes long."""
    return read_packed(data, start, end) if data[key_start] & 7 == 2 else [value]
