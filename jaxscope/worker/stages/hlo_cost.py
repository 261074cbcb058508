"""Cost of HLO modules and of their single instructions, by XLA's own analysis.

XLA analyses whole modules only, so a module is cut, on serialized bytes, into modules of one
instruction each, with its operands as parameters and the computations it calls. Slices that compute
the same have the same key and are analysed once. XLA counts the body of a loop once; whoever shows
a loop's cost must say so. Where XLA knows no cost (custom calls) the result is unknown, unless the
calls only mark shardings.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import math
import re
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model.protobuf import (
    BYTES,
    FieldColumns,
    cut_out_fields,
    encode_bytes,
    encode_number,
    last_values,
    number_fields,
    number_spans,
    read_field_columns,
    read_fields,
    read_repeated,
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
_METADATA_KEY = InstructionField.METADATA << 3 | BYTES
_IGNORED_KEY = 10 << 3 | BYTES
"""Key of a field that `xla.HloInstructionProto` reserves: XLA passes over what stands behind it."""
_MAX_CALL_DEPTH = 100
_DIGEST_BYTES = 16
_NAME = b"jaxscope.slice"
"""XLA refuses a module with two instructions of one name: this must not be a program's."""

_AT_ONCE = 1 << 15
"""Instructions that are cut apart together."""
_WITH_LARGE_LITERALS = 1 << 20
_LARGE_LITERAL, _FIRST = 1 << 16, 1 << 10
_LITERAL, _SHAPE, _TUPLE = 8, 1, 10
"""Fields of an `HloInstructionProto` and of its `LiteralProto`."""
_MAY_BE_LARGE = re.compile(rb"\x42[\x80-\xff]{2}")
"""How a large literal begins: its key, and a length of three bytes. Most modules have none such."""
_VARINTS = frozenset({2, 4, 5, 6, 7})
"""Fields of a `LiteralProto` with numbers of different lengths; others have a power of 2, to 16."""


def array_of_module(proto: bytes) -> npt.NDArray[np.uint8]:
    """A serialized `HloModuleProto` as a message carries it: of large constants the first values.

    No more of them is shown, and a window stands still while 64 MB of them are copied and parsed.
    """
    if len(proto) >= _WITH_LARGE_LITERALS and _MAY_BE_LARGE.search(proto):
        path = (ModuleField.COMPUTATION, ComputationField.INSTRUCTION, _LITERAL)
        with contextlib.suppress(ValueError):  # it is no module; who reads it says so
            proto = _shorten_literals(proto, 0, len(proto), path)
    return np.frombuffer(proto, np.uint8)


def _shorten_literals(data: bytes, start: int, end: int, path: tuple[int, ...]) -> bytes:
    if path:
        spans, _ = cut_out_fields(data, path[0], start, end)
        if not len(spans) or int((spans[:, 1] - spans[:, 0]).max()) < _LARGE_LITERAL:
            return data[start:end]
    pieces = []
    for number, key, begin, stop, _ in read_fields(data, start, end):
        if stop - begin < _LARGE_LITERAL:
            pieces.append(data[key:stop])
        elif path and number == path[0]:
            pieces.append(encode_bytes(number, _shorten_literals(data, begin, stop, path[1:])))
        elif path or number in (_SHAPE, _TUPLE):
            pieces.append(data[key:stop])
        else:
            first = data[begin : begin + _FIRST]
            while number in _VARINTS and first and first[-1] >= 0x80:
                first = first[:-1]
            pieces.append(encode_bytes(number, first))
    return b"".join(pieces)


Key = tuple[bytes, tuple[int, ...], tuple[bytes, ...], tuple[bytes, ...]]
"""What an instruction computes: its core, which of its operands are the same value, their shapes,
and digests of the computations it calls."""


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


@dataclass(frozen=True, slots=True)
class _Computation:
    start: int
    end: int
    instructions: tuple[_Instruction, ...]
    root_id: int


class ModuleSlicer:
    """A serialized `HloModuleProto`, ready to be cut into one-instruction modules.

    Raises:
        ValueError: The bytes are no HLO module.
    """

    def __init__(self, proto: bytes) -> None:
        self._proto = proto
        self._computations: dict[int, _Computation] = {}
        self._order: list[int] = []
        self._payloads: list[bytes] = []
        self._digests: dict[int, bytes] = {}
        self._stripped: dict[int, bytes] = {}
        self._metadata: list[npt.NDArray[np.int64]] = []  # where it begins, of each part
        self._shapes: tuple[_Computation | None, dict[int, bytes]] = (None, {})
        entry_id = 0
        spans: list[tuple[int, int]] = []
        for number, _, start, end, value in read_fields(proto):
            if number == ModuleField.COMPUTATION:
                spans.append((start, end))
            elif number == ModuleField.ENTRY_ID:
                entry_id = value
            elif number == ModuleField.PAYLOAD:
                # Backend configurations may point into this table by position.
                self._payloads.append(proto[start:end])
        if not spans:
            raise ValueError("the HLO module has no computations")
        self._add_computations(np.array(spans, np.int64))
        self.entry_id = entry_id if entry_id in self._computations else self._order[-1]

    def _add_computations(self, spans: npt.NDArray[np.int64]) -> None:
        fields = read_field_columns(self._proto, spans[:, 0], spans[:, 1])
        ids = last_values(fields.of(ComputationField.ID), len(spans)).tolist()
        roots = last_values(fields.of(ComputationField.ROOT_ID), len(spans)).tolist()
        rows = fields.of(ComputationField.INSTRUCTION)
        instructions: list[_Instruction] = []
        for first in range(0, len(rows.start), _AT_ONCE):  # the columns of all take 300 MB
            part = slice(first, first + _AT_ONCE)
            fields = read_field_columns(self._proto, rows.start[part], rows.end[part])
            instructions += _read_instructions(self._proto, fields, len(rows.start[part]))
            self._metadata.append(fields.of(InstructionField.METADATA).key_start)
        stops = np.cumsum(np.bincount(rows.message, minlength=len(spans))).tolist()
        first = 0
        for id, root, stop, (start, end) in zip(ids, roots, stops, spans.tolist(), strict=True):
            own = tuple(instructions[first:stop])
            self._computations[id] = _Computation(start, end, own, root)
            self._order.append(id)
            first = stop

    @property
    def has_payloads(self) -> bool:
        """Whether what an instruction is may depend on more than it holds itself."""
        return bool(self._payloads)

    @property
    def num_instructions(self) -> int:
        """Instructions of all computations."""
        return sum(len(c.instructions) for c in self._computations.values())

    def instructions(self) -> Iterable[tuple[int, int]]:
        """Computation id and position of every instruction, in the proto's order."""
        for id in self._order:
            for position in range(len(self._computations[id].instructions)):
                yield id, position

    def opcode(self, computation_id: int, position: int) -> bytes:
        """The opcode of an instruction, UTF-8."""
        return self._computations[computation_id].instructions[position].opcode

    def key(self, computation_id: int, position: int) -> Key:
        """Equal for instructions that compute the same, whatever their names.

        Raises:
            ValueError: It refers to something that is not in the module, or calls itself.
        """
        computation = self._computations[computation_id]
        instruction = computation.instructions[position]
        operands = instruction.operands
        shapes = tuple(self._operand_shapes(computation, instruction))
        # Whether operands are the same value can matter to the count of bytes.
        same = tuple(map(operands.index, operands)) if len(set(operands)) < len(operands) else ()
        digests = tuple([self._digest(called, 0) for called in instruction.called])
        return instruction.core, same, shapes, digests

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
            zip(instruction.operands, self._operand_shapes(computation, instruction), strict=True)
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
                *map(self._without_metadata, called),
                encode_bytes(ModuleField.COMPUTATION, entry),
                encode_bytes(ModuleField.PROGRAM_SHAPE, program),
                encode_number(ModuleField.ENTRY_ID, computation_id),
                *(encode_bytes(ModuleField.PAYLOAD, payload) for payload in self._payloads),
            ]
        )

    def _operand_shapes(self, computation: _Computation, instruction: _Instruction) -> list[bytes]:
        if not instruction.operands:
            return []
        # Shapes of a computation's instructions; the last computation asked for is kept.
        if self._shapes[0] is not computation:
            shapes = {row.id: row.shape for row in computation.instructions}
            self._shapes = (computation, shapes)
        by_id = self._shapes[1]
        try:
            return [by_id[id] for id in instruction.operands]
        except KeyError:
            raise ValueError("an operand is not in its computation") from None

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
        """A computation as it was, but metadata: it refers to tables that a slice lacks.

        Its fields are renumbered to one that XLA ignores: no byte has to move for that.
        """
        known = self._stripped.get(id)
        if known is None:
            found = self._find(id)
            keys = self._keys_of_metadata
            begin, end = np.searchsorted(keys, (found.start, found.end))
            data = np.frombuffer(self._proto, np.uint8)[found.start : found.end].copy()
            data[keys[begin:end] - found.start] = _IGNORED_KEY
            known = self._stripped[id] = encode_bytes(ModuleField.COMPUTATION, data.tobytes())
        return known

    @functools.cached_property
    def _keys_of_metadata(self) -> npt.NDArray[np.int64]:
        """Where the metadata of each instruction begins, in order.

        Raises:
            ValueError: Such a key has more bytes than it needs, as nobody writes one.
        """
        keys = np.concatenate(self._metadata)
        if np.any(np.frombuffer(self._proto, np.uint8)[keys] != _METADATA_KEY):
            raise ValueError("a field of an instruction has a key of several bytes")
        return keys

    def _digest(self, id: int, depth: int) -> bytes:
        """What a computation computes, names and ids left out."""
        known = self._digests.get(id)
        if known is not None:
            return known
        if depth > _MAX_CALL_DEPTH:
            raise ValueError("computations call each other without end")
        computation = self._find(id)
        numbers = {row.id: number for number, row in enumerate(computation.instructions)}
        parts = [b"%d " % numbers.get(computation.root_id, -1)]
        for row in computation.instructions:
            # No two lists of instructions give the same bytes: numbers say what follows.
            parts.append(b"%d %d:" % (len(row.called), len(row.core)))
            parts.append(row.core)
            parts.append(b"%a" % [numbers.get(operand, -1) for operand in row.operands])
            parts += [self._digest(called, depth + 1) for called in row.called]
        digest = hashlib.blake2b(b"".join(parts), digest_size=_DIGEST_BYTES).digest()
        self._digests[id] = digest
        return digest


def instruction_ids(proto: bytes) -> list[int]:
    """XLA's id of every instruction of a serialized `HloModuleProto`, in the proto's order.

    Raises:
        ValueError: The bytes are no HLO module.
    """
    spans = [field[2:4] for field in read_fields(proto) if field[0] == ModuleField.COMPUTATION]
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T
    rows = read_field_columns(proto, starts, ends).of(ComputationField.INSTRUCTION)
    fields = read_field_columns(proto, rows.start, rows.end)
    ids: list[int] = last_values(fields.of(InstructionField.ID), len(rows.start)).tolist()
    return ids


def _parameter(number: int, id: int, shape: bytes) -> bytes:
    return (
        encode_bytes(InstructionField.NAME, _NAME + b".p%d" % number)
        + encode_bytes(InstructionField.OPCODE, b"parameter")
        + encode_bytes(InstructionField.SHAPE, shape)
        + encode_number(InstructionField.PARAMETER_NUMBER, number)
        + encode_number(InstructionField.ID, id)
    )


def _read_instructions(data: bytes, fields: FieldColumns, count: int) -> list[_Instruction]:
    """The instructions of which these are the fields."""
    return list(
        map(
            _Instruction,
            last_values(fields.of(InstructionField.ID), count).tolist(),
            _last_bytes(data, fields.of(InstructionField.OPCODE), count),
            _last_bytes(data, fields.of(InstructionField.SHAPE), count),
            _cores(data, fields, count),
            _numbers(data, fields.of(InstructionField.OPERAND_IDS), count),
            _numbers(data, fields.of(InstructionField.CALLED_IDS), count),
        )
    )


def _last_bytes(data: bytes, fields: FieldColumns, count: int) -> list[bytes]:
    """The bytes of a field in each of `count` messages; none where it is absent."""
    found = [b""] * count
    numbers, values = number_spans(data, fields.start, fields.end)
    for message, number in zip(fields.message.tolist(), numbers.tolist(), strict=True):
        found[message] = values[number]
    return found


def _cores(data: bytes, fields: FieldColumns, count: int) -> list[bytes]:
    """Of each message all fields that say what it is, in their order."""
    kept = fields.where(~np.isin(fields.number, list(_IDENTITY)))
    numbers, cores = number_fields(data, kept, count)
    return [cores[number] for number in numbers.tolist()]


def _numbers(data: bytes, fields: FieldColumns, count: int) -> list[tuple[int, ...]]:
    """A repeated number of each message."""
    of_message, values = read_repeated(data, fields, count)
    numbers, stops = values.tolist(), np.cumsum(of_message).tolist()
    return [tuple(numbers[begin:stop]) for begin, stop in zip([0, *stops], stops, strict=False)]


# Cost of HLO modules and of their single instructions, by XLA's own analysis.
#
# The same analysis serves every module: before and after optimization, for any target. XLA counts
# the body of a loop once; whoever shows a loop's cost must say so. Where XLA knows no cost (custom
# calls) it says -1, adds that up, and marks the sum by a negative `optimal_seconds`: such results
# are unknown here, unless all the custom calls are marks of how arrays are sharded, which JAX puts
# beside every random key and which do nothing.


Costs = tuple[float, float, float]
"""FLOPs, bytes accessed, transcendentals; NaN where unknown."""

UNKNOWN: Costs = (math.nan, math.nan, math.nan)
_FREE: Costs = (0.0, 0.0, 0.0)
_FREE_OPCODES = frozenset({b"parameter", b"constant", b"get-tuple-element", b"bitcast"})
"""XLA counts nothing for these, whatever their shapes; a test asks it."""

_RUN_COMPUTATIONS = frozenset({b"while", b"call", b"conditional", b"async-start"})

_MARKS = frozenset(
    [
        *(b"Sharding", b"SPMDFullToShardShape", b"SPMDShardToFullShape"),
        *(b"xla.sdy.FuncResultSharding", b"xla.sdy.GlobalToLocalShape"),
        b"xla.sdy.LocalToGlobalShape",
    ]
)
_CUSTOM_CALL_TARGET = re.compile(rb"\xe2\x01(.)", re.DOTALL)
"""Field 28 of an `HloInstructionProto`, `custom_call_target`: its tag and a length of one byte."""

_PROPERTIES = ("flops", "bytes accessed", "transcendentals")


def module_cost(client: Any, hlo_module: Any) -> Costs:
    """Cost of a whole module; unknown if the analysis fails or meets what it cannot count.

    Args:
        client: A client of the CPU backend.
        hlo_module: A serialized `HloModuleProto`, jaxlib's `HloModule`, or what gives this.
    """
    from jaxscope.worker import compat  # files are opened where JAX is missing, too

    try:
        module = hlo_module() if callable(hlo_module) else hlo_module
        if isinstance(module, bytes):
            module = compat.parse_hlo_module(module)
        properties = compat.hlo_cost_properties(client, module)
    except Exception:  # jaxlib's own error classes differ by release; none may cost the capture
        return UNKNOWN
    flops, accessed, transcendentals = (float(properties.get(name, 0.0)) for name in _PROPERTIES)
    num_uncounted = -properties.get("optimal_seconds", 0.0)
    if num_uncounted > 0.0:
        if not _has_only_marks(module):
            return UNKNOWN
        flops, accessed = flops + num_uncounted, accessed + num_uncounted
    return (_known(flops), _known(accessed), _known(transcendentals))


def _has_only_marks(module: Any) -> bool:
    """Whether every custom call of a module does nothing; bytes that look like another count."""
    data: bytes = module.as_serialized_hlo_module_proto()
    targets = (
        data[found.end() : found.end() + found[1][0]]
        for found in _CUSTOM_CALL_TARGET.finditer(data)
    )
    return all(target in _MARKS for target in targets)


def instruction_costs(
    proto: bytes,
    *,
    client: Any = None,
    budget_s: float = 2.0,
    known: dict[Key, Costs] | None = None,
) -> npt.NDArray[np.float64]:
    """Cost of every instruction, in the proto's order: its computations, their instructions.

    An instruction that calls computations includes them: the rows of the entry computation add
    up to the module's cost, and the rows of inner computations are not to be added to them.

    Args:
        proto: A serialized `HloModuleProto`.
        client: A client of the CPU backend; by default the process's own.
        budget_s: Seconds of this thread's processor time, from when the module is cut apart, after
            which the instructions not seen yet stay unknown; wall time would charge it for a
            compilation beside it. Loops, calls and conditions come last: each is analysed with all
            that it runs, and their insides have been by then. The entry computation comes before
            the others.
        known: Costs that other forms of the program have shown, to be added to: a third of what
            XLA makes of a program was in it before.

    Returns:
        float64, shape `(num_instructions, 3)`; NaN where unknown.

    Raises:
        ValueError: The bytes are no HLO module.
    """
    module = ModuleSlicer(proto)
    deadline = time.thread_time() + budget_s  # cutting a large module apart may take as long
    if client is None:
        from jaxscope.worker import compat  # as above

        client = compat.cpu_client()
    if known is None or module.has_payloads:
        known = {}
    rows = list(module.instructions())
    costs: list[Costs] = [UNKNOWN] * len(rows)
    order: tuple[list[int], ...] = ([], [], [], [])
    for row, place in enumerate(rows):
        opcode = module.opcode(*place)
        if opcode in _FREE_OPCODES:
            costs[row] = _FREE
        else:
            order[2 * (opcode in _RUN_COMPUTATIONS) + (place[0] != module.entry_id)].append(row)
    for row in itertools.chain(*order):
        try:
            key = module.key(*rows[row])
            cost = known.get(key)
            if cost is None:
                if time.thread_time() > deadline:
                    break
                cost = known[key] = module_cost(client, module.slice(*rows[row]))
        except ValueError:  # it refers to what is not there
            continue
        costs[row] = cost
    return np.array(costs, np.float64).reshape(-1, 3)


def _known(value: float) -> float:
    return value if value >= 0.0 else math.nan
