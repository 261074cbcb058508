"""Object files that are cut off, lie or are made to take for ever cost their listing only."""

from __future__ import annotations

import struct
from pathlib import Path

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


RECORDED = {
    path.stem: path.read_bytes() for path in sorted((Path(__file__).parent / "objects").glob("*.o"))
}
COFF = RECORDED["windows-x86_64"]
MACH_O = RECORDED["macos-x86_64"]
SECTION_OF_COFF = COFF.index(b".text\0\0\0")
SYMBOLS_OF_COFF = struct.unpack_from("<I", COFF, 8)[0]
SECTION_OF_MACH_O = MACH_O.index(b"__text\0")
TABLE_OF_MACH_O = MACH_O.index(struct.pack("<II", 2, 24))  # the command of symbols
SYMBOLS_OF_MACH_O = struct.unpack_from("<I", MACH_O, TABLE_OF_MACH_O + 8)[0]
MUCH = 2**32 - 1


def changed(data: bytes, at: int, form: str, number: int) -> bytes:
    """The file with another number at a place."""
    copy = bytearray(data)
    struct.pack_into(form, copy, at, number)
    return bytes(copy)


@pytest.mark.parametrize("name", ["", *RECORDED])
def test_a_file_cut_off_anywhere_is_refused(name: str) -> None:
    """From where its form and processor are known; without a name it is of the installed jaxlib."""
    whole = RECORDED[name] if name else object_file()
    for length in range(8, len(whole)):
        with pytest.raises(ObjectFileError, match=r"is damaged: .*\.$"):
            read_object_file(whole[:length])


@pytest.mark.parametrize(
    ("whole", "at", "form", "number", "reason"),
    [
        (COFF, 2, "<H", 0xFFFF, "past its end"),  # sections
        (COFF, 8, "<I", MUCH, "past its end"),  # where symbols are
        (COFF, 12, "<I", MUCH, "past its end"),  # symbols
        (COFF, 12, "<I", 100_001, "more than 100,000 entries"),
        (COFF, 16, "<H", 0xFFFF, "past its end"),  # bytes of another header
        (COFF, SECTION_OF_COFF + 16, "<I", MUCH, "past its end"),  # bytes of code
        (COFF, SECTION_OF_COFF + 20, "<I", MUCH, "past its end"),  # where it is
        (COFF, SECTION_OF_COFF + 24, "<I", MUCH, "past its end"),  # where relocations are
        (COFF, SECTION_OF_COFF + 32, "<H", 0xFFFF, "more than 100,000 entries"),  # of them
        (COFF, SYMBOLS_OF_COFF, "<Q", MUCH << 32, "a name lies past its table"),
        (MACH_O, 16, "<I", MUCH, "is cut off"),  # commands
        (MACH_O, 20, "<I", MUCH, "past its end"),  # their bytes
        (MACH_O, 36, "<I", 0, "an unknown form"),  # bytes of one
        (MACH_O, 96, "<I", MUCH, "past its end"),  # sections
        (MACH_O, SECTION_OF_MACH_O + 32, "<Q", MUCH, "a symbol lies before its section"),
        (MACH_O, SECTION_OF_MACH_O + 40, "<Q", 2**64 - 1, "past its end"),  # bytes of code
        (MACH_O, SECTION_OF_MACH_O + 56, "<I", MUCH, "past its end"),  # where relocations are
        (MACH_O, SECTION_OF_MACH_O + 60, "<I", MUCH, "past its end"),  # relocations
        (MACH_O, TABLE_OF_MACH_O + 12, "<I", MUCH, "past its end"),  # symbols
        (MACH_O, TABLE_OF_MACH_O + 12, "<I", 100_001, "more than 100,000 entries"),
        (MACH_O, TABLE_OF_MACH_O + 20, "<I", MUCH, "past its end"),  # bytes of names
        (MACH_O, SYMBOLS_OF_MACH_O, "<I", MUCH, "a name lies past its table"),
        (MACH_O, SYMBOLS_OF_MACH_O + 5, "<B", 0xFF, "is cut off"),  # section of a symbol
    ],
)
def test_a_number_that_lies_is_refused(
    whole: bytes, at: int, form: str, number: int, reason: str
) -> None:
    data = changed(whole, at, form, number)
    if number == 100_001:
        data += bytes(18 * number)
    with pytest.raises(ObjectFileError, match=f"is damaged: .*{reason}"):
        read_object_file(data)


@pytest.mark.parametrize("data", [COFF, MACH_O], ids=["COFF", "Mach-O"])
def test_a_reference_past_its_section_or_to_no_symbol_is_refused(data: bytes) -> None:
    if data is COFF:
        (at,) = struct.unpack_from("<I", data, SECTION_OF_COFF + 24)
    else:
        (at,) = struct.unpack_from("<I", data, SECTION_OF_MACH_O + 56)
    read_object_file(changed(data, at, "<I", 0))
    for place, number in ((at, MUCH), (at + 4, 0x0FFFFFFF)):
        with pytest.raises(ObjectFileError, match="is damaged"):
            read_object_file(changed(data, place, "<I", number))


@settings(max_examples=300)
@given(st.data())
@pytest.mark.slow
def test_changed_bytes_are_listed_or_say_why_not(data: st.DataObject) -> None:
    broken = bytearray(data.draw(st.sampled_from((object_file(), *RECORDED.values()))))
    for _ in range(data.draw(st.integers(1, 8))):
        # The tables are where a change does most, and they are at both ends.
        place = data.draw(st.integers(0, 699) | st.integers(len(broken) - 700, len(broken) - 1))
        broken[place] = data.draw(st.sampled_from((0, 1, 0x7F, 0x80, 0xFF)))
    text, why_not = list_machine_code([CodePart("kernel", "object", bytes(broken))])
    assert bool(text) != bool(why_not)


def test_relocations_of_all_sections_together_have_a_limit() -> None:
    """Two sections of COFF with the same 60,000."""
    number = 60_000
    table = struct.pack("<IIH", 0, 0, 1) * number
    start = 20 + 2 * 40
    header = struct.pack("<HHIIIHH", 0x8664, 2, 0, start + len(table), 1, 0, 0)
    code = struct.pack("<8sIIIIIIHHI", b"", 0, 0, 8, start, start, 0, number, 0, 1 << 29)
    symbols = bytes(18) + struct.pack("<I", 4)

    with pytest.raises(ObjectFileError, match="more than 100,000 entries"):
        read_object_file(header + 2 * code + table + symbols)


@settings(max_examples=300)
@given(st.sampled_from([data[:8] for data in RECORDED.values()]), st.binary(max_size=2_000))
def test_any_bytes_are_read_or_refused(start: bytes, rest: bytes) -> None:
    try:
        functions = read_object_file(start + rest).functions
    except ObjectFileError as error:
        assert str(error).endswith(".")
    else:
        assert all(function.code for function in functions)


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
