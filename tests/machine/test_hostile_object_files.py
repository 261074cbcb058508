"""Object files that are cut off, lie or are made to take for ever cost their listing only."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.program.machine.listing import MAX_TEXT_CHARS, CodePart, list_machine_code
from jaxscope.program.machine.object_file import ObjectFileError, read_object_file
from tests.machine.compiled import object_file

X86_64 = 62


def make_object(
    sections: list[tuple[int, int, int, int, int, int]],
    body: bytes,
    machine: int = X86_64,
    names_index: int = 0,
) -> bytes:
    """An ELF file: header, body, table of sections.

    Args:
        sections: Kind, flags, offset, size, link and info of each.
    """
    header = struct.pack(
        "<16sHHIQQQIHHHHHH",
        b"\x7fELF\x02\x01\x01",
        *(1, machine, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(sections), names_index),
    )
    table = b"".join(
        struct.pack("<IIQQQQIIQQ", 0, kind, flags, 0, offset, size, link, info, 1, 0)
        for kind, flags, offset, size, link, info in sections
    )
    return header + body + table


def symbol(section: int, value: int, size: int) -> bytes:
    return struct.pack("<IBBHQQ", 0, 2, 0, section, value, size)


def test_a_file_cut_off_anywhere_is_refused() -> None:
    whole = object_file()
    for length in range(6, len(whole)):
        with pytest.raises(ObjectFileError, match=r"is damaged: .*\.$"):
            read_object_file(whole[:length])


@settings(max_examples=300)
@given(st.data())
@pytest.mark.slow
def test_changed_bytes_are_listed_or_say_why_not(data: st.DataObject) -> None:
    broken = bytearray(object_file())
    for _ in range(data.draw(st.integers(1, 8))):
        # The tables are where a change does most: most draws hit the last of them.
        place = data.draw(st.integers(0, 63) | st.integers(len(broken) - 700, len(broken) - 1))
        broken[place] = data.draw(st.sampled_from((0, 1, 0x7F, 0x80, 0xFF)))
    text, why_not = list_machine_code([CodePart("kernel", "object", bytes(broken))])
    assert bool(text) != bool(why_not)


@pytest.mark.slow
def test_many_functions_over_the_same_bytes_fill_a_text_once() -> None:
    """60,000 executable sections, each of them the whole of the file, one function in each."""
    num_sections = 60_000
    symbols = b"".join(symbol(number, 0, 2**63) for number in range(2, num_sections))
    size = 64 + len(symbols) + 64 * num_sections
    tables = [(0, 0, 0, 0, 0, 0), (2, 0, 64, len(symbols), 0, 0)]
    code = [(1, 0x4, 0, size, 0, 0)] * (num_sections - 2)

    text, _ = list_machine_code([CodePart("k", "object", make_object(tables + code, symbols))])

    assert MAX_TEXT_CHARS // 2 < len(text) < MAX_TEXT_CHARS + 1_000
    assert text.endswith("; the rest is left out: the text is too long")


def test_functions_at_one_place_are_listed_once() -> None:
    body = b"\x90\xc3" + b"".join(symbol(1, 0, 2) for _ in range(1_000))
    file = make_object([(0, 0, 0, 0, 0, 0), (1, 4, 64, 2, 0, 0), (2, 0, 66, 24_000, 0, 0)], body)

    text, _ = list_machine_code([CodePart("k", "object", file)])

    assert text.count("assembly for x86-64") == 1
    assert text.endswith("       0:  nop\n       1:  ret")


def test_more_symbols_than_any_kernel_has_are_refused() -> None:
    size = 24 * 100_001
    file = make_object([(0, 0, 0, 0, 0, 0), (2, 0, 64, size, 0, 0)], bytes(size))

    with pytest.raises(ObjectFileError, match="more than 100,000 entries"):
        read_object_file(file)


def test_a_name_without_an_end_is_cut() -> None:
    body = symbol(2, 0, 1) + b"\xc3" + b"n\x1b" * 100_000
    sections = [(0, 0, 89, 200_000, 0, 0), (2, 0, 64, 24, 0, 0), (1, 4, 88, 1, 0, 0)]

    (function,) = read_object_file(make_object(sections, body)).functions

    assert len(function.name) == 1_000
    assert function.name.isprintable()


def test_bytes_that_are_no_instruction_are_listed_as_bytes() -> None:
    body = symbol(2, 0, 3) + b"\x06\x90\xc3"  # 06 is no instruction in 64-bit mode
    file = make_object([(0, 0, 0, 0, 0, 0), (2, 0, 64, 24, 0, 0), (1, 4, 88, 3, 0, 0)], body)

    text, _ = list_machine_code([CodePart("k", "object", file)])

    assert text.endswith("       0:  .byte        0x06\n       1:  nop\n       2:  ret")


def test_code_of_another_processor_is_named() -> None:
    file = make_object([(0, 0, 0, 0, 0, 0)], b"", machine=8)

    _, why_not = list_machine_code([CodePart("k", "object", file)])

    assert "processor (number 8 of ELF)" in why_not
