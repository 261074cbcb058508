"""A serialized HLO module as columns: what its instructions are, their names, ids and references.

Half a million instructions repeat a few thousand kinds of work. Each distinct one is parsed once,
and so are the places and names of operations in their metadata. All else is cut out in NumPy.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt
from google.protobuf import message_factory

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import number_codes
from jaxscope.model.graph_builder import Numbers
from jaxscope.model.protobuf import (
    BYTES,
    VARINT,
    FieldColumns,
    cut_out_fields,
    last_values,
    number_fields,
    number_spans,
    read_field_columns,
    read_repeated,
)
from jaxscope.program.hlo.proto import (
    MAX_MODULE_BYTES,
    NOTHING_IN_IT,
    HloMessage,
    has_tags_to_move,
    module_class,
    parse_message,
    parse_module,
)

_SLASH = ord("/")
_AT_ONCE = 1 << 15
"""Instructions: their columns of fields take a kilobyte each while they are cut apart."""

A = TypeVar("A")
B = TypeVar("B")
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Numbered = tuple[Int64s, list[bytes]]
"""Of each instruction which of some distinct bytes it has, and those."""


@dataclass(frozen=True, eq=False, slots=True)
class ComputationRow:
    """A computation.

    Attributes:
        first: Number of its first instruction in the module.
        count: How many it has.
    """

    name: str
    id: int
    root_id: int
    first: int
    count: int


@dataclass(frozen=True, eq=False, slots=True)
class References:
    """Ids that each instruction names.

    Attributes:
        counts: int64, how many each instruction has.
        ids: int64, those of all, one instruction after the other.
    """

    counts: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int64]

    def rows(self) -> dict[int, list[int]]:
        """The ids of each instruction that has any."""
        stops = np.cumsum(self.counts)
        having = np.flatnonzero(self.counts)
        ids = self.ids.tolist()
        bounds = zip(
            having.tolist(),
            (stops - self.counts)[having].tolist(),
            stops[having].tolist(),
            strict=True,
        )
        return {row: ids[start:stop] for row, start, stop in bounds}


class PackedTexts(Sequence[str]):
    """Texts of ASCII that stand one behind the other in a larger one.

    Attributes:
        whole: The larger one.
        offsets: int64, where each begins in it, and where the last one ends.
    """

    def __init__(self, whole: str, offsets: Int64s) -> None:
        self.whole, self.offsets = whole, offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [*self][at]
        number = range(len(self))[at]
        start, stop = self.offsets[number : number + 2].tolist()
        return self.whole[start:stop]

    def __iter__(self) -> Iterator[str]:
        whole = self.whole
        return (whole[start:stop] for start, stop in itertools.pairwise(self.offsets.tolist()))


class SplitTexts(Sequence[str]):
    """Distinct texts, cut before their last slash: many have what is before or behind in common.

    Attributes:
        heads: What stands before; empty where there is no slash.
        tails: The rest.
        head: int32, of each text which of the heads it has; `tail` likewise.
    """

    def __init__(self, heads: list[str], tails: list[str], head: Int32s, tail: Int32s) -> None:
        self.heads, self.tails, self.head, self.tail = heads, tails, head, tail

    def __len__(self) -> int:
        return len(self.head)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [*self][at]
        text: str = self.heads[self.head[at]] + self.tails[self.tail[at]]
        return text

    def __iter__(self) -> Iterator[str]:
        heads = map(self.heads.__getitem__, self.head.tolist())
        return map(operator.add, heads, map(self.tails.__getitem__, self.tail.tolist()))

    @functools.cached_property
    def _numbers(self) -> tuple[dict[str, int], dict[str, int], Int64s, Int64s]:
        pairs = self.head.astype(np.int64) * len(self.tails) + self.tail
        order = np.argsort(pairs, kind="stable")
        heads, tails = ({t: n for n, t in enumerate(part)} for part in (self.heads, self.tails))
        return heads, tails, order, pairs[order]

    def find(self, text: str) -> int | None:
        """The number of a text, or None; all are put in order once."""
        heads, tails, order, pairs = self._numbers
        around, slash, own = text.rpartition("/")
        head, tail = heads.get(around), tails.get(slash + own)
        if head is None or tail is None:
            return None
        pair = head * len(self.tails) + tail
        at = int(np.searchsorted(pairs, pair))
        return int(order[at]) if at < len(pairs) and pairs[at] == pair else None


@dataclass(frozen=True, eq=False, slots=True)
class ModuleColumns:
    """A module; what is `of_each` has one entry for each instruction, in the module's order.

    Attributes:
        names: Of each instruction.
        ids: int64, likewise.
        cores: Distinct instructions without name, id, metadata and references.
        core: int32, which of these each is.
        op_names: Distinct names of operations, with their tags.
        op_name: int32, which of these each has.
        places: The rest of distinct metadata.
        place: int32, which of these each has.
        operands: Ids of operands; `controls` and `called` those of the instructions that run before
            it, and of the computations that it calls.
    """

    computations: tuple[ComputationRow, ...]
    entry_computation_id: int
    stack_frame_index: HloMessage
    names: Sequence[str]
    ids: npt.NDArray[np.int64]
    cores: list[HloMessage]
    core: Int32s
    op_names: SplitTexts
    op_name: Int32s
    places: list[HloMessage]
    place: Int32s
    operands: References
    controls: References
    called: References


def read_columns(data: bytes) -> ModuleColumns:
    """Read a serialized `HloModuleProto`; what tags name is named as by `parse_module`.

    Raises:
        ValueError: The bytes are no HLO module, are too many, or hold no instruction.
    """
    if len(data) > MAX_MODULE_BYTES or has_tags_to_move(data):
        data = parse_module(data).SerializeToString()
    try:
        return _read(data)
    except _NotPlain:
        pass
    except UnicodeDecodeError as error:
        raise ValueError(f"the bytes are no serialized HLO module: {error}") from None
    except ValueError as error:
        if str(error) == NOTHING_IN_IT:
            raise
    # Old kinds of fields, and metadata in several pieces, which protobuf puts together.
    module = parse_module(data)
    module.DiscardUnknownFields()
    return _read(module.SerializeToString())


class _NotPlain(Exception):
    """A message is written in a way that XLA does not write it."""


def _number_of(kind: Any, *names: str) -> list[int]:
    return [kind.fields_by_name[name].number for name in names]


def _read(data: bytes) -> ModuleColumns:
    of_module = module_class().DESCRIPTOR.fields_by_name["computations"]
    of_computation = of_module.message_type.fields_by_name["instructions"]
    make = message_factory.GetMessageClass(of_module.message_type).FromString
    spans, head = _cut_out(data, of_module.number, 0, len(data), module_class().FromString)
    computations, rows, first = [], [], 0
    for start, end in spans.tolist():
        instructions, own = _cut_out(data, of_computation.number, start, end, make)
        count = len(instructions)
        computations.append(ComputationRow(own.name, own.id, own.root_id, first, count))
        rows.append(instructions)
        first += count
    if not first:
        raise ValueError(NOTHING_IN_IT)
    starts, ends = np.concatenate(rows).T
    reader = _Reader(data, of_computation.message_type)
    parts = [slice(first, first + _AT_ONCE) for first in range(0, len(starts), _AT_ONCE)]
    for part in _map_in_threads(lambda of: reader.read(starts[of], ends[of]), parts):
        reader.add(part)
    return reader.finish(tuple(computations), head)


def _map_in_threads(make: Callable[[A], B], parts: Sequence[A]) -> Iterator[B]:
    """What is made of each part, in order; of several in two threads, since NumPy lets others run
    while it works.
    """
    if len(parts) == 1 or sys.platform == "emscripten":  # where there are no threads
        yield from map(make, parts)
        return
    from concurrent.futures import ThreadPoolExecutor  # few modules are so large

    with ThreadPoolExecutor(2, "jaxscope columns") as pool:
        yield from pool.map(make, parts)


def begin_in_thread(make: Callable[[], B], num: int) -> Callable[[], B]:
    """Begin to make something of many in a thread of its own; what is returned waits for it."""
    if num <= _AT_ONCE or sys.platform == "emscripten":
        return make
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1, "jaxscope columns")
    begun = pool.submit(make)
    pool.shutdown(wait=False)
    return begun.result


def _cut_out(
    data: bytes, number: int, start: int, end: int, make: Callable[[bytes], HloMessage]
) -> tuple[npt.NDArray[np.int64], HloMessage]:
    """Where the values of a field are, and the message without them."""
    spans, others = cut_out_fields(data, number, start, end)
    rest = b"".join(data[key:stop] for _, key, _, stop, _ in others)
    return spans, parse_message(make, rest)


class _Part(NamedTuple):
    """What some instructions say.

    Attributes:
        names: All of them, one behind the other, and how long each is.
        cores: Their fields but names, ids, metadata and references.
        places: Their metadata but the names of operations.
        heads: What those names begin with, and `tails` how they end.
        references: How many ids each names and the ids of all, by their kind.
    """

    names: tuple[bytes, Int64s]
    ids: Int64s
    cores: Numbered
    places: Numbered
    heads: Numbered
    tails: Numbered
    references: Sequence[tuple[Int64s, npt.NDArray[np.uint64]]]


class _Distinct:
    """Distinct bytes of all parts, and which of them each instruction has.

    Attributes:
        numbers: The bytes.
    """

    def __init__(self) -> None:
        self.numbers = Numbers[bytes]()
        self._codes: list[Int32s] = []

    def add(self, codes: npt.NDArray[np.int64], found: Sequence[bytes]) -> None:
        """Those of a part, and of each instruction in it which of them it has."""
        numbers = np.fromiter(self.numbers.all(found), np.int32, len(found))
        self._codes.append(numbers[codes])

    def codes(self) -> Int32s:
        """Which of `numbers` each instruction has."""
        return np.concatenate(self._codes)


class _Reader:
    """Reads instructions part by part."""

    def __init__(self, data: bytes, kind: Any) -> None:
        self._data, self._kind = data, kind
        self._metadata_kind = kind.fields_by_name["metadata"].message_type
        self._name, self._id, self._metadata = _number_of(kind, "name", "id", "metadata")
        self._references = _number_of(
            kind, "operand_ids", "control_predecessor_ids", "called_computation_ids"
        )
        more = [each.number for each in kind.fields if each.name == "original_value"]
        self._is_core = np.ones(max(each.number for each in kind.fields) + 2, np.bool_)
        self._is_core[[self._name, self._id, self._metadata, *self._references, *more]] = False
        self._names: list[bytes] = []
        self._name_lengths: list[npt.NDArray[np.int64]] = []
        self._ids: list[npt.NDArray[np.int64]] = []
        self._cores, self._places = _Distinct(), _Distinct()
        self._heads, self._tails = _Distinct(), _Distinct()
        self._named: list[list[tuple[Any, Any]]] = [[] for _ in self._references]

    def read(self, starts: Int64s, ends: Int64s) -> _Part:
        """Read the instructions at these places; several threads may."""
        data, count = self._data, len(starts)
        fields = read_field_columns(data, starts, ends)
        # The last is that of fields that nobody knows.
        is_core = self._is_core[np.minimum(fields.number, len(self._is_core) - 1)]
        cores = number_fields(data, fields.where(is_core), count)
        own = fields.where(~is_core)
        name, told = own.of(self._name), own.of(self._metadata)
        id, references = own.of(self._id), [own.of(number) for number in self._references]
        _check_kind(data, id, VARINT)
        for each in references:
            _check_kind(data, each, VARINT, BYTES)
        return _Part(
            self._read_names(name, count),
            last_values(id, count).view(np.int64),
            cores,
            *self._read_metadata(told, count),
            [read_repeated(data, each, count) for each in references],
        )

    def add(self, part: _Part) -> None:
        """Add the next part to those before."""
        names, lengths = part.names
        self._names.append(names)
        self._name_lengths.append(lengths)
        self._ids.append(part.ids)
        self._cores.add(*part.cores)
        self._places.add(*part.places)
        self._heads.add(*part.heads)
        self._tails.add(*part.tails)
        for named, references in zip(self._named, part.references, strict=True):
            named.append(references)

    def finish(self, computations: tuple[ComputationRow, ...], head: HloMessage) -> ModuleColumns:
        """What was read, as a module."""
        make_core, make_place = (
            message_factory.GetMessageClass(kind).FromString
            for kind in (self._kind, self._metadata_kind)
        )
        op_names, op_name = self._join_names()
        references = (
            References(
                np.concatenate([counts for counts, _ in named]),
                np.concatenate([ids for _, ids in named]).view(np.int64),
            )
            for named in self._named
        )
        return ModuleColumns(
            computations,
            head.entry_computation_id,
            head.stack_frame_index,
            _cut_texts(b"".join(self._names), np.concatenate(self._name_lengths)),
            np.concatenate(self._ids),
            [parse_message(make_core, each) for each in self._cores.numbers],
            self._cores.codes(),
            op_names,
            op_name,
            [parse_message(make_place, each) for each in self._places.numbers],
            self._places.codes(),
            *references,
        )

    def _read_names(self, told: FieldColumns, count: int) -> tuple[bytes, Int64s]:
        """Read the names of `count` instructions; empty where there is none."""
        _check_kind(self._data, told, BYTES)
        _check_once(told)
        starts, lengths = np.zeros(count, np.int64), np.zeros(count, np.int64)
        starts[told.message], lengths[told.message] = told.start, told.end - told.start
        at = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
        at += np.arange(len(at))
        return np.frombuffer(self._data, np.uint8)[at].tobytes(), lengths

    def _read_metadata(self, told: FieldColumns, count: int) -> tuple[Numbered, Numbered, Numbered]:
        """Read the names of operations and the rest of the metadata of `count` instructions."""
        data = self._data
        _check_kind(data, told, BYTES)
        _check_once(told)
        inside = read_field_columns(data, told.start, told.end)
        inside = dataclasses.replace(inside, message=told.message[inside.message])
        (number,) = _number_of(self._metadata_kind, "op_name")
        is_name = inside.number == number
        places = number_fields(data, inside.where(~is_name), count)
        named = inside.where(is_name)
        _check_kind(data, named, BYTES)
        start, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
        start[named.message], end[named.message] = named.start, named.end
        cut = _find_last(data, _SLASH, start, end)
        return places, number_spans(data, start, cut), number_spans(data, cut, end)

    def _join_names(self) -> tuple[SplitTexts, Int32s]:
        """Distinct names of operations, and which of them each instruction has."""
        pairs = self._heads.codes().astype(np.int64) * len(self._tails.numbers)
        pairs += self._tails.codes()
        most = len(self._heads.numbers) * len(self._tails.numbers)
        op_name, known = number_codes(pairs, most)
        parts = np.divmod(known, len(self._tails.numbers))
        head, tail = (each.astype(np.int32) for each in parts)
        texts = (self._heads.numbers, self._tails.numbers)
        heads, tails = ([each.decode() for each in part] for part in texts)
        return SplitTexts(heads, tails, head, tail), op_name


def _find_last(
    data: bytes, byte: int, start: npt.NDArray[np.int64], end: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Where a byte is last within spans; their starts, where it is not there."""
    filled = end[end > start]
    if not len(filled):
        return start
    first = int(start[end > start].min())
    found = np.flatnonzero(np.frombuffer(data, np.uint8)[first : int(filled.max())] == byte) + first
    found = np.append(-1, found)
    return np.maximum(found[np.searchsorted(found, end) - 1], start)


def _check_kind(data: bytes, fields: FieldColumns, *kinds: int) -> None:
    """Refuse a field of another kind than it is of, which protobuf passes over."""
    found = np.frombuffer(data, np.uint8)[fields.key_start] & 7
    if not bool(np.all(np.isin(found, kinds))):
        raise _NotPlain


def _check_once(fields: FieldColumns) -> None:
    """Refuse messages that have a field several times, of which protobuf makes one."""
    if bool(np.any(fields.message[1:] == fields.message[:-1])):
        raise _NotPlain


def _cut_texts(whole: bytes, lengths: npt.NDArray[np.int64]) -> Sequence[str]:
    """Texts that stand behind each other.

    Raises:
        UnicodeDecodeError: One of them is no UTF-8.
    """
    offsets = np.append(0, np.cumsum(lengths))
    if whole.isascii():
        return PackedTexts(whole.decode("ascii"), offsets)
    return [whole[start:end].decode() for start, end in itertools.pairwise(offsets.tolist())]


def computation_of(computations: Sequence[ComputationRow]) -> Int32s:
    """Of each instruction the number of its computation."""
    counts = [each.count for each in computations]
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)
