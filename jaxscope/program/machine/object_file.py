"""Relocatable object files, ELF of 64 bits and little-endian, read without trust.

What XLA writes on Linux is of this form. Every offset and size is checked against the bytes that
are there, and every table has a limit, so that a truncated or lying file costs its listing and
nothing else.

pyelftools was weighed: it would replace the 70 lines that know ELF's tables, while the limits, the
views that copy nothing and the sentences would stay; of an object of 10 MB it takes 2.0 s where
this takes 0.5 s, and it would be one more dependency of 1 MB.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator

from jaxscope.late_dataclass import dataclass

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

_ELF64_LITTLE = b"\x7fELF\x02\x01"
_MACH_O = (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_COFF = (b"\x64\x86", b"\x64\xaa")  # x86-64 and ARM64
_SYMBOL_TABLE, _RELOCATION_TABLE, _NO_BITS = 2, 4, 8
_EXECUTABLE, _MERGEABLE, _STRINGS = 0x4, 0x10, 0x20
_FUNCTION, _OF_SECTION = 2, 3

_MAX_ENTRIES = 100_000
"""Symbols, or relocations, of one file; XLA's kernels have some hundreds at most."""
_MAX_NAME_BYTES = 1_000
_MAX_CONSTANT_BYTES = 16


class ObjectFileError(ValueError):
    """The bytes are no object file that can be read; the message is a sentence fit to show."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What an instruction refers to outside of itself: a symbol, or a place in a section.

    Attributes:
        name: Of the symbol or section.
        addend: As the file has it; a relative one counts from the reference itself.
        constant: The bytes at the place if it is an entry of a table of constants, else empty.
    """

    name: str
    addend: int
    constant: bytes = b""


@dataclass(frozen=True, slots=True)
class Function:
    """Code of one symbol.

    Attributes:
        address: Of its first byte in its section.
        code: A view of the file, so that functions that overlap take no memory.
        targets: By address in its section, what the linker fills in there; shared by the
            functions of a section.
    """

    name: str
    address: int
    code: memoryview
    targets: dict[int, Reference]


@dataclass(frozen=True, slots=True)
class ObjectFile:
    """The functions of an object file, section by section in the order of their addresses.

    Attributes:
        machine: ELF's number of the processor: 62 is x86-64, 183 is AArch64.
    """

    machine: int
    functions: tuple[Function, ...]


@dataclass(frozen=True, slots=True)
class _Section:
    """Attributes: `data` is a view of the file, so that sections that overlap take no memory."""

    name: str
    kind: int
    flags: int
    data: memoryview
    link: int
    info: int
    entry_bytes: int


@dataclass(frozen=True, slots=True)
class _Symbol:
    name: str
    kind: int
    section: int
    value: int
    size: int


def read_object_file(data: bytes) -> ObjectFile:
    """Read an object file.

    Raises:
        ObjectFileError: It is of another form, or damaged.
    """
    if data.startswith(_MACH_O):
        raise ObjectFileError("Object files of macOS (Mach-O) are not disassembled.")
    if data.startswith(_COFF):
        raise ObjectFileError("Object files of Windows (COFF) are not disassembled.")
    if not data.startswith(_ELF64_LITTLE):
        raise ObjectFileError("It is no object file of a known form.")
    try:
        machine, sections = _read_sections(memoryview(data))
        symbols = _read_symbols(sections)
        targets = _read_targets(sections, symbols)
        return ObjectFile(machine, tuple(_functions(sections, symbols, targets)))
    except (struct.error, IndexError, _DamagedError) as error:
        reason = str(error) if isinstance(error, _DamagedError) else "a table is cut off"
        raise ObjectFileError(f"The object file is damaged: {reason}.") from None


class _DamagedError(Exception):
    """What is wrong with a file, as the end of a sentence."""


def _read_sections(data: memoryview) -> tuple[int, list[_Section]]:
    fields = _HEADER.unpack_from(data)
    machine, start = fields[2], fields[6]
    entry_bytes, count, names_index = fields[11:14]
    if entry_bytes != _SECTION.size:
        raise _DamagedError("its sections have an unknown form")
    entries = list(_SECTION.iter_unpack(_cut(data, start, count * _SECTION.size)))
    names = _cut(data, *entries[names_index][4:6])
    return machine, [
        _Section(
            name=_name_at(names, name),
            kind=kind,
            flags=flags,
            data=data[:0] if kind == _NO_BITS else _cut(data, offset, size),
            link=link,
            info=info,
            entry_bytes=entry_bytes,
        )
        for name, kind, flags, _, offset, size, link, info, _, entry_bytes in entries
    ]


def _read_symbols(sections: list[_Section]) -> list[_Symbol]:
    table = next((section for section in sections if section.kind == _SYMBOL_TABLE), None)
    if table is None:
        return []
    names = sections[table.link].data
    return [
        _Symbol(_name_at(names, name), info & 0xF, section, value, size)
        for name, info, _, section, value, size in _entries(table, _SYMBOL, _MAX_ENTRIES)
    ]


def _read_targets(
    sections: list[_Section], symbols: list[_Symbol]
) -> dict[int, dict[int, Reference]]:
    """By index of a section and address in it, what the linker fills in."""
    targets: dict[int, dict[int, Reference]] = {}
    left = _MAX_ENTRIES
    for table in sections:
        if table.kind != _RELOCATION_TABLE or not sections[table.info].flags & _EXECUTABLE:
            continue
        entries = list(_entries(table, _RELOCATION, left))
        left -= len(entries)
        found = targets.setdefault(table.info, {})
        for address, info, addend in entries:
            found[address] = _target(sections, symbols[info >> 32], addend)
    return targets


def _target(sections: list[_Section], symbol: _Symbol, addend: int) -> Reference:
    if symbol.kind != _OF_SECTION or not symbol.section < len(sections):
        return Reference(symbol.name, addend)
    section = sections[symbol.section]
    constant = b""
    if section.flags & _MERGEABLE and not section.flags & _STRINGS:
        size = section.entry_bytes
        if 0 < size <= _MAX_CONSTANT_BYTES and 0 <= addend <= len(section.data) - size:
            constant = bytes(section.data[addend : addend + size])
    return Reference(section.name, addend, constant)


def _functions(
    sections: list[_Section], symbols: list[_Symbol], targets: dict[int, dict[int, Reference]]
) -> Iterator[Function]:
    functions = sorted(
        (
            symbol
            for symbol in symbols
            if symbol.kind == _FUNCTION
            and symbol.section < len(sections)
            and sections[symbol.section].flags & _EXECUTABLE
        ),
        key=lambda symbol: (symbol.section, symbol.value),
    )
    for symbol, after in itertools.zip_longest(functions, functions[1:]):
        code = sections[symbol.section].data
        end = min(symbol.value + symbol.size, len(code))
        if after is not None and after.section == symbol.section:
            end = min(end, after.value)  # code is listed once, whatever the sizes claim
        if symbol.value < end:
            yield Function(
                symbol.name, symbol.value, code[symbol.value : end], targets.get(symbol.section, {})
            )


def _entries(table: _Section, form: struct.Struct, most: int) -> Iterator[tuple[int, ...]]:
    if len(table.data) // form.size > most:
        raise _DamagedError(f"it has more than {_MAX_ENTRIES:,} entries of one kind")
    return form.iter_unpack(table.data)


def _cut(data: memoryview, start: int, size: int) -> memoryview:
    if start + size > len(data):
        raise _DamagedError("a part of it lies past its end")
    return data[start : start + size]


def _name_at(names: memoryview, start: int) -> str:
    """A name of at most `_MAX_NAME_BYTES`: the table may lack its zeros."""
    if start > len(names):
        raise _DamagedError("a name lies past its table")
    found = bytes(names[start : start + _MAX_NAME_BYTES]).partition(b"\0")[0]
    text = found.decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "�" for char in text)
