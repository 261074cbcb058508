"""Object files of each system and processor, against what LLVM's own tools print of them.

`objects/program.c` says how they were made.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from jaxscope.program.machine.listing import CodePart, list_machine_code
from jaxscope.program.machine.object_file import Reference, read_object_file

FOLDER = Path(__file__).parent / "objects"
OBJECTS = ("linux-x86_64", "macos-arm64", "macos-x86_64", "windows-arm64", "windows-x86_64")
TITLE = re.compile(r"; ----- assembly for (\S+): (\S+), [\d,]+ bytes -----")
LINE = re.compile(r" *([0-9a-f]+):  [^;]*(?:; (.*))?")
FUNCTIONS = ["scale", "wide", "flip", "peek", "store"]


def listed(name: str) -> dict[str, dict[int, str]]:
    """By function, by address of an instruction: what it refers to, or nothing."""
    data = (FOLDER / f"{name}.o").read_bytes()
    text, why_not = list_machine_code([CodePart("kernel", "object", data)])
    assert not why_not
    found: dict[str, dict[int, str]] = {}
    for line in text.split("\n"):
        if (title := TITLE.fullmatch(line)) is not None:
            assert title[1] == ("AArch64" if "arm" in name else "x86-64")
            function = found.setdefault(title[2], {})
        elif (match := LINE.fullmatch(line)) is not None:
            function[int(match[1], 16)] = match[2] or ""
    return found


def printed_by_llvm(name: str) -> dict[str, dict[int, str]]:
    """The same as `llvm-objdump` has it: symbols as the object spells them, often no offsets."""
    found: dict[str, dict[int, str]] = {}
    for line in (FOLDER / f"{name}.txt").read_text().split("\n"):
        if (label := re.fullmatch(r"[0-9a-f]+ <(\S+)>:", line)) is not None:
            function = found.setdefault(label[1], {})
        elif (match := re.match(r" +([0-9a-f]+): ", line)) is not None:
            address = int(match[1], 16)
            function[address] = ""
        elif (match := re.fullmatch(r"\t\t[0-9a-f]+:  (\S+)\t(\S+)", line)) is not None:
            function[address] = match[2]  # the last of a place: addends stand before their symbol
    return found


@pytest.mark.parametrize("name", [*OBJECTS, "windows-xla"])
def test_functions_instructions_and_references_are_those_of_llvm(name: str) -> None:
    """Symbols of macOS begin with `_`, and `ltmp0` is where a section begins."""
    expected = {
        ("scale" if function == "ltmp0" else function.removeprefix("_")): {
            address: re.sub(r"[+-](0x)?[\da-f]+$|@GOTPCREL$|^_(?=[a-z])", "", symbol)
            for address, symbol in lines.items()
        }
        for function, lines in printed_by_llvm(name).items()
    }
    found = {
        function: {
            address: re.sub(r"([+-]0x[\da-f]+)?( = 0x[\da-f]+)?$", "", reference)
            for address, reference in lines.items()
        }
        for function, lines in listed(name).items()
    }
    if name == "linux-x86_64":  # ELF has sizes: what fills the gaps belongs to no function
        expected = {
            function: {address: lines[address] for address in list(lines)[: len(found[function])]}
            for function, lines in expected.items()
        }
    assert found == expected
    assert any(reference for lines in found.values() for reference in lines.values())


@pytest.mark.parametrize("name", OBJECTS)
def test_constants_and_places_are_those_of_the_program(name: str) -> None:
    """`program.c` names them; AArch64 has the two of `scale` in its instructions."""
    found = listed(name)

    assert list(found) == FUNCTIONS
    constants = {
        function: {
            reference.partition(" = 0x")[2] for reference in found[function].values() if reference
        }
        - {""}
        for function in FUNCTIONS
    }
    is_arm = "arm" in name
    assert constants == {
        "scale": set() if is_arm else {struct.pack(">f", number).hex() for number in (3.1, 0.1)},
        "wide": {struct.pack(">d", number).hex() for number in (1.1, 2.7)},
        "flip": {"04050607030405060203040501020304"},
        "peek": set(),
        "store": set(),
    }
    table = ".bss" if name == "linux-x86_64" else "table"
    assert set(found["peek"].values()) - {""} == {f"{table}+0xc"}
    far = "far+0xc" if name == "windows-x86_64" else "far"
    places = {"counter", "own", table, far} | (set() if is_arm else {f"{table}+0x14"})
    assert set(found["store"].values()) - {""} == places


def test_what_xla_writes_on_windows_has_its_constant_and_its_call() -> None:
    ((function, lines),) = listed("windows-xla").items()

    assert function == "broadcast_multiply_fusion.1"
    references = set(lines.values()) - {""}
    assert references == {"__real@40500000 = 0x40500000", "sinf"}  # 3.25


def test_a_section_that_the_linker_changes_is_no_constant() -> None:
    """As one that holds an address: the file has zeros in its place."""
    data = recorded("windows-xla")
    at = data.index(b".rdata\0\0")
    struct.pack_into("<H", data, at + 32, 1)  # the number of its relocations

    targets = references(data)

    assert [target for target in targets if target.name == "__real@40500000"]
    assert not any(target.constant_at(0) for target in targets)


def test_a_place_between_constants_or_past_them_has_none() -> None:
    first, *_ = (each for each in references(recorded("macos-x86_64")) if each.name == "__literal4")

    found = [first.constant_at(offset)[::-1].hex() for offset in (-4, 0, 2, 4, 6, 8)]

    assert found == ["", "40466666", "", "3dcccccd", "", ""]
    assert Reference("cut off", 0, False, memoryview(bytes(6)), 4).constant_at(4) == b""


def test_a_branch_of_windows_has_its_offset_in_the_instruction() -> None:
    data = recorded("windows-arm64")
    at = data.index(b"\0\0\0\x94")  # bl, which counts in words
    data[at] = 2

    assert [each.addend for each in references(data) if each.name == "sinf"] == [8]


def test_labels_of_the_assembler_are_no_functions_and_name_their_section() -> None:
    data = recorded("macos-arm64").replace(b"_peek\0", b"lpeek\0")
    data = data.replace(b"_table\0", b"ltmp9\0\0")

    functions = read_object_file(bytes(data)).functions

    assert [function.name for function in functions] == ["scale", "wide", "flip", "store"]
    names = {target.name for target in functions[0].targets.values()}
    assert "__bss" in names
    assert names.isdisjoint({"table", "ltmp9"})


def test_the_difference_of_two_symbols_has_no_name() -> None:
    data = recorded("macos-x86_64")
    before = [target.name for target in references(data)]
    at, count = struct.unpack_from("<II", data, data.index(b"__text\0") + 56)
    assert count == len(before)
    info = struct.unpack_from("<I", data, at + 4)[0]
    struct.pack_into("<I", data, at + 4, info & 0x0FFFFFFF | 5 << 28)

    assert [target.name for target in references(data)] == before[2:]


@pytest.mark.parametrize(
    ("name", "section", "offset", "form"),
    [("macos-x86_64", b"__bss\0", 40, "<Q"), ("windows-x86_64", b".bss\0", 16, "<I")],
)
def test_memory_that_begins_as_zeros_takes_no_bytes(
    name: str, section: bytes, offset: int, form: str
) -> None:
    data = recorded(name)
    struct.pack_into(form, data, data.index(section) + offset, 2**31)

    assert len(read_object_file(bytes(data)).functions) == len(FUNCTIONS)


def test_what_says_more_of_a_symbol_is_no_symbol() -> None:
    """COFF has it in rows of the same table, as the size of a section."""
    data = recorded("windows-x86_64")
    (symbols,) = struct.unpack_from("<I", data, 8)
    assert data[symbols + 17] == 1  # rows that say more of the first
    struct.pack_into("<IHH", data, symbols + 18 + 8, 1, 1, 0x20)  # as of a function

    assert [each.name for each in read_object_file(bytes(data)).functions] == FUNCTIONS


def recorded(name: str) -> bytearray:
    """An object file, to be changed."""
    return bytearray((FOLDER / f"{name}.o").read_bytes())


def references(data: bytearray) -> list[Reference]:
    """Of its code, in the order of the file."""
    return list(read_object_file(bytes(data)).functions[0].targets.values())
