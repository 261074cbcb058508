"""Columns of a module say what its messages say, however it is written."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxscope.model import protobuf
from jaxscope.model.op_name import TagTable
from jaxscope.model.protobuf import (
    FIXED32,
    FIXED64,
    cut_out_fields,
    encode_bytes,
    encode_number,
    encode_varint,
    read_fields,
)
from jaxscope.program.hlo import columns
from jaxscope.program.hlo import graph as graph_module
from jaxscope.program.hlo.columns import ModuleColumns, References, SplitTexts, read_columns
from jaxscope.program.hlo.graph import ProvenanceReader
from jaxscope.program.hlo.proto import HloMessage, module_class, parse_module
from tests.hlo.programs import PROGRAMS, convert, draw_broken, optimized, proto_of
from tests.hlo.test_graph import LOOP

GOOD = proto_of(LOOP)
IDENTITY = ("name", "id", "metadata", "operand_ids", "control_predecessor_ids")


def rows_of(references: References, count: int) -> list[list[int]]:
    rows = references.rows()
    return [rows.get(row, []) for row in range(count)]


def assert_says(found: ModuleColumns, module: HloMessage) -> None:
    """Hold columns against protobuf's own reading."""
    assert found.entry_computation_id == module.entry_computation_id
    assert found.stack_frame_index == module.stack_frame_index
    expected = [(each.name, each.id, each.root_id) for each in module.computations]
    assert [(each.name, each.id, each.root_id) for each in found.computations] == expected
    instructions = [row for each in module.computations for row in each.instructions]
    count = len(instructions)
    assert sum(each.count for each in found.computations) == count
    assert [*found.names] == [row.name for row in instructions]
    assert found.ids.tolist() == [row.id for row in instructions]
    assert rows_of(found.operands, count) == [list(row.operand_ids) for row in instructions]
    controls = [list(row.control_predecessor_ids) for row in instructions]
    assert rows_of(found.controls, count) == controls
    called = [list(row.called_computation_ids) for row in instructions]
    assert rows_of(found.called, count) == called
    for row, core, name, place in zip(
        instructions,
        found.core.tolist(),
        found.op_name.tolist(),
        found.place.tolist(),
        strict=True,
    ):
        assert found.op_names[name] == row.metadata.op_name
        told = type(row.metadata)()
        told.CopyFrom(found.places[place])
        told.op_name = row.metadata.op_name
        assert told == row.metadata
        whole = type(row)()
        whole.CopyFrom(found.cores[core])
        told_apart = {*IDENTITY, "called_computation_ids", "original_value"}
        assert told_apart.isdisjoint(field.name for field, _ in whole.ListFields())
        bare = type(row)()
        bare.CopyFrom(row)
        for field, _ in row.ListFields():
            if field.name in told_apart:
                bare.ClearField(field.name)
        assert whole == bare


@pytest.fixture(params=[1 << 15, 3])
def parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules are read in one part, or in many."""
    monkeypatch.setattr(columns, "_AT_ONCE", request.param)


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("name", PROGRAMS)
def test_columns_say_what_messages_say(name: str) -> None:
    data = optimized(name)[0]
    assert_says(read_columns(data), parse_module(data))


def test_each_distinct_instruction_is_read_once() -> None:
    found = read_columns(GOOD)
    texts = [each.SerializeToString() for each in found.cores]
    assert len(set(texts)) == len(texts) < len(found.names)
    assert len(set(found.op_names)) == len(found.op_names)


def changed(change: Any) -> bytes:
    module = module_class().FromString(GOOD)
    change(module.computations[0].instructions[0])
    data: bytes = module.SerializeToString()
    return data


def test_tags_name_instructions_as_they_do_where_all_is_parsed() -> None:
    def tag(row: HloMessage) -> None:
        row.name = "jxsb1~"
        row.metadata.op_name = "jxsb1~add;jxsb2~mul"

    data = changed(tag)
    assert read_columns(data).names[0] == parse_module(data).computations[0].instructions[0].name
    assert_says(read_columns(data), parse_module(data))


def with_first(more: bytes) -> bytes:
    """The module whose first instruction has more bytes at its end."""
    whole, done = b"", False
    for number, key, start, end, _ in read_fields(GOOD):
        if number != 3 or done:
            whole += GOOD[key:end]
            continue
        inner = b""
        for field, at, first, last, _ in read_fields(GOOD, start, end):
            is_first = field == 2 and not done
            done |= is_first
            inner += encode_bytes(2, GOOD[first:last] + more) if is_first else GOOD[at:last]
        whole += encode_bytes(3, inner)
    return whole


METADATA = encode_bytes(7, encode_bytes(2, b"more") + encode_number(4, 9))
WRITTEN_OTHERWISE = {
    "a name twice": encode_bytes(1, b"other"),
    "an id twice": encode_number(35, 1 << 40),
    "metadata in two pieces": METADATA + METADATA,
    "references one by one": encode_number(37, 5) + encode_number(37, 6),
    "references of both kinds": encode_number(37, 5) + encode_bytes(37, encode_varint(300)),
    "a name that is a number": encode_number(1, 5),
    "an id that is a text": encode_bytes(35, b"5"),
    "a reference that is a number of four bytes": encode_varint(37 << 3 | FIXED32) + bytes(4),
    "a name of an operation that is a number": encode_bytes(7, encode_number(2, 5)),
    "fields nobody knows": encode_bytes(999, b"x" * 200) + encode_number(998, 3),
    "an old kind of field": encode_varint(997 << 3 | 3) + encode_varint(997 << 3 | 4),
}


@pytest.mark.parametrize("kind", WRITTEN_OTHERWISE)
def test_what_is_written_otherwise_is_read_as_protobuf_reads_it(kind: str) -> None:
    data = with_first(WRITTEN_OTHERWISE[kind])
    module = parse_module(data)
    found = read_columns(data)
    assert found.names[0] == module.computations[0].instructions[0].name
    assert found.ids[0] == module.computations[0].instructions[0].id
    first = module.computations[0].instructions[0]
    assert found.op_names[found.op_name[0]] == first.metadata.op_name
    controls = list(first.control_predecessor_ids)
    assert rows_of(found.controls, len(found.names))[0] == controls
    assert len(found.names) == sum(len(each.instructions) for each in module.computations)


def test_what_is_no_module_is_refused() -> None:
    with pytest.raises(ValueError, match="no serialized HLO module"):
        read_columns(b"\xff" * 40)
    with pytest.raises(ValueError, match="has no instructions"):
        read_columns(b"")
    with pytest.raises(ValueError, match="of the stage optimized cannot be read"):
        convert(GOOD[: len(GOOD) // 2])
    with pytest.raises(ValueError, match="no serialized HLO module"):
        read_columns(with_first(encode_bytes(1, b"\xff\xfe")))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_changed_bytes_give_what_protobuf_reads_or_raise(data: st.DataObject) -> None:
    broken = draw_broken(data, GOOD)
    try:
        graph = convert(broken)
    except ValueError:
        return
    assert len(graph.nodes) == sum(len(c.instructions) for c in parse_module(broken).computations)


def test_fields_are_cut_out_of_a_message_whatever_stands_between() -> None:
    sizes = [0, 1, 127, 128, 300, 16383, 16384, 40_000]
    others = (
        encode_number(1, 5),
        encode_bytes(9, b"other"),
        encode_varint(2 << 3 | FIXED32) + bytes(4),
        encode_varint(12 << 3 | FIXED64) + bytes(8),
    )
    data = b"".join(
        encode_bytes(2, b"v" * size) + others[number % 4] for number, size in enumerate(sizes)
    )
    data += encode_bytes(2, b"")  # ends with the message
    spans, found = cut_out_fields(data, 2, 0, len(data))
    assert (spans[:, 1] - spans[:, 0]).tolist() == [*sizes, 0]
    told = read_fields(data)
    assert spans.tolist() == [[start, end] for n, key, start, end, _ in told if data[key] == 0x12]
    assert found == [field for field in told if data[field[1]] != 0x12]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_fields_that_follow_each_other_are_cut_out_as_each_alone(
    data: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protobuf, "_ROW", 1)
    monkeypatch.setattr(protobuf, "_ROW_BYTES", data.draw(st.sampled_from([5, 300, 1 << 20])))
    # Keys, first bytes and lengths within values look as if a field began there.
    byte = st.sampled_from([0x12, 0x0A, 0x01, 0x80, 0xFF])
    value = st.lists(byte, max_size=8).map(bytes)
    long = st.tuples(value, st.sampled_from([120, 130, 16_390])).map(lambda of: of[0] * of[1])
    other = st.just(encode_number(1, 5))
    field = st.one_of(value, long).map(lambda told: encode_bytes(2, told)) | other
    whole = b"".join(data.draw(st.lists(field, max_size=12)))
    whole = whole[: len(whole) - data.draw(st.sampled_from([0, 0, 1, 3]))]
    try:
        told = read_fields(whole)
    except ValueError:
        with pytest.raises(ValueError, match=r"message|without an end"):
            cut_out_fields(whole, 2, 0, len(whole))
        return
    spans, found = cut_out_fields(whole + b"\x12\x01\x0a" * 9, 2, 0, len(whole))
    assert spans.tolist() == [list(each[2:4]) for each in told if each[0] == 2]
    assert found == [each for each in told if each[0] != 2]


NAMES = (
    *("", "add", "/add", "//", "a/", "/", "jit(f)/add", "jit(f)/mul", "jit(g)/add", "jit(f)/ü"),
    *("jit(f)/transpose(jvp(a/b))/add", "jit(f)/jvp(a/b)", "(add;mul)", "jit(f)/a;jit(g)/b"),
    *("jit(f)/jxsd1~add", "jxsd2~/add", "scope/jvp(layer)/add", "scope/jvp(layer)/mul"),
)


def named(texts: Sequence[str]) -> bytes:
    """The module with these names of operations, as far as it has instructions."""
    module = module_class().FromString(GOOD)
    rows = [row for each in module.computations for row in each.instructions]
    for row, text in zip(rows, itertools.cycle(texts), strict=False):
        row.metadata.op_name = text
    assert len(rows) >= len(texts)
    data: bytes = module.SerializeToString()
    return data


@pytest.mark.usefixtures("parts")
def test_names_of_operations_are_those_that_were_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """At their last slash: many have what is before it in common."""
    monkeypatch.setattr(columns, "has_tags_to_move", lambda data: False)
    for first in (NAMES[:9], NAMES[9:]):
        data = named(first)
        found = read_columns(data)
        module = module_class().FromString(data)
        wanted = [row.metadata.op_name for each in module.computations for row in each.instructions]
        texts = [*found.op_names]
        assert [texts[number] for number in found.op_name.tolist()] == wanted
        assert len(set(texts)) == len(texts) == len(set(wanted))


def test_what_names_say_is_what_each_says_alone() -> None:
    tags = TagTable(("a", "b", "c"), ("x", "y", "z"))
    cut = [text.rpartition("/") for text in NAMES]
    tails = [slash + own for _, slash, own in cut]
    every = np.arange(len(NAMES), dtype=np.int32)
    told = ProvenanceReader(tags, None).read_all(
        SplitTexts([head for head, _, _ in cut], tails, every, every)
    )
    for number, text in enumerate(NAMES):
        alone = ProvenanceReader(tags, None).read(text)
        assert told.display(number) == alone.display
        assert told.rows[int(told.codes[number])]._replace(display=alone.display) == alone, text


@pytest.mark.parametrize("factor", [protobuf._FACTOR, np.uint64(0)], ids=["hashed", "all_alike"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_spans_are_numbered_by_their_bytes(
    data: st.DataObject, factor: np.uint64, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protobuf, "_FACTOR", factor)
    most = data.draw(st.sampled_from([3, 20, 300]))
    texts = data.draw(st.lists(st.binary(max_size=most), max_size=6))
    texts += [text[:-1] for text in texts] + [text + b"\0" for text in texts]
    chosen = data.draw(st.lists(st.sampled_from(texts), max_size=12)) if texts else []
    ends = np.cumsum([len(text) for text in chosen], dtype=np.int64)
    starts = ends - [len(text) for text in chosen]
    numbers, found = protobuf.number_spans(b"".join(chosen), starts, ends)
    assert [found[number] for number in numbers.tolist()] == chosen
    assert sorted(found) == sorted(set(chosen))


@pytest.mark.parametrize(
    "broken",
    [
        b"\x12",
        b"\x12\x05ab",
        b"\x12\xff",
        b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x00",
        b"\x0f\x01",
        b"\x0d\x01",
        b"\x08\xff",
        b"\x12\x80",
    ],
)
def test_what_cannot_be_cut_out_is_refused(broken: bytes) -> None:
    with pytest.raises(ValueError):
        cut_out_fields(broken, 2, 0, len(broken))
    with pytest.raises(ValueError):
        read_fields(broken)


def test_shown_strings_stand_in_the_order_of_their_first_use() -> None:
    """As by a builder to which nodes are added one by one: files stay the same."""
    graph = convert(GOOD)
    order: dict[str, None] = {"": None}
    groups = graph.groups
    for group in range(len(groups)):
        for column in (groups.id, groups.label, groups.function):
            order[graph.strings[column[group]]] = None
    types: dict[int, list[str]] = {}
    for target, type in zip(graph.edges.target.tolist(), graph.edges.type.tolist(), strict=True):
        types.setdefault(target, []).append(graph.strings[type])
    for index in range(len(graph.nodes)):
        node = graph.node(index)
        pairs = [text for pair in node.attributes.items() for text in pair]
        places = [text for each in node.source for text in (each.file, each.function)]
        for text in (
            node.id,
            node.name,
            node.operation,
            *pairs,
            *node.types,
            *node.scope,
            *node.origins,
            *node.derived,
            *places,
            *types.get(index, ()),
        ):
            order[text] = None
    assert graph.strings == tuple(order)
    assert np.array_equal(np.sort(graph.nodes.name), np.unique(graph.nodes.name))


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "a\n", "\na\n\nbc\n", "long line\nb\n\n", "é\n\u2028x\r\ny"]
)
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_lines_of_a_long_text_are_those_that_it_splits_into(
    text: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_module, "_CUT_AT_ONCE", size)
    assert list(graph_module._lines_of(text)) == text.split("\n")
