"""Relocatable object files for x86-64 and AArch64, read without trust: ELF, COFF and Mach-O.

XLA writes ELF on Linux, COFF on Windows and Mach-O on macOS, of 64 bits and little-endian. Every
offset and size is checked against the bytes that are there, and every table has a limit, so that a
truncated or lying file costs its listing and nothing else.

pyelftools was weighed: it would replace the 70 lines that know ELF's tables, while the limits, the
views that copy nothing and the sentences would stay; of an object of 10 MB it takes 2.0 s where
this takes 0.5 s, and it would be one more dependency of 1 MB.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator
from typing import Any

from jaxscope.late_dataclass import dataclass

X86_64, AARCH64 = 62, 183
"""Processors, by ELF's numbers, whatever the form of the file."""

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
        addend: In bytes, of the place from the symbol.
        is_relative: The processor adds it to the address after the instruction; `addend` counts
            from the reference itself, as ELF has it.
        constants: The table of constants that begins at the symbol, else empty.
        constant_bytes: Of an entry of that table.
    """

    name: str
    addend: int
    is_relative: bool
    constants: memoryview
    constant_bytes: int

    def constant_at(self, offset: int) -> bytes:
        """The bytes of the constant at a place from the symbol; empty if there is none."""
        size = self.constant_bytes
        if not 0 < size <= _MAX_CONSTANT_BYTES or offset % size:
            return b""
        if not 0 <= offset <= len(self.constants) - size:
            return b""
        return bytes(self.constants[offset : offset + size])


@dataclass(frozen=True, slots=True)
class Function:
    """Code of one symbol.

    Attributes:
        address: Of its first byte in its section.
        code: A view of the file, so that functions that overlap take no memory. COFF and Mach-O
            have no sizes: what fills the gap before the next function belongs to it.
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
        machine: ELF's number of the processor.
    """

    machine: int
    functions: tuple[Function, ...]


@dataclass(frozen=True, slots=True)
class _Section:
    """Attributes:
    data: A view of the file, so that sections that overlap take no memory.
    constant_bytes: Of an entry if it is a table of constants, else 0.
    """

    name: str
    data: memoryview
    is_code: bool
    constant_bytes: int


@dataclass(frozen=True, slots=True)
class _Symbol:
    """Attributes:
    section: Its index, which may be past the last section.
    value: Its address in the section.
    """

    name: str
    is_function: bool
    section: int
    value: int
    size: int


_Targets = dict[int, dict[int, Reference]]
"""By index of a section and address in it, what the linker fills in."""
_Tables = tuple[int, list[_Section], list[_Symbol], _Targets]
"""The processor, and what a file holds; sections and symbols at the indices that the file uses."""


def read_object_file(data: bytes) -> ObjectFile:
    """Read an object file.

    Raises:
        ObjectFileError: It is of another form, or damaged.
    """
    reader = next((reader for start, reader in _READERS if data.startswith(start)), None)
    if reader is None:
        raise ObjectFileError("It is no object file of a known form.")
    try:
        machine, sections, symbols, targets = reader(memoryview(data))
        return ObjectFile(machine, tuple(_functions(sections, symbols, targets)))
    except (struct.error, IndexError, _DamagedError) as error:
        reason = str(error) if isinstance(error, _DamagedError) else "a table is cut off"
        raise ObjectFileError(f"The object file is damaged: {reason}.") from None


class _DamagedError(Exception):
    """What is wrong with a file, as the end of a sentence."""


# ELF, of Linux.

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

_SYMBOL_TABLE, _RELOCATION_TABLE, _NO_BITS = 2, 4, 8
_EXECUTABLE, _MERGEABLE, _STRINGS = 0x4, 0x10, 0x20
_FUNCTION, _OF_SECTION = 2, 3
_RELATIVE = (2, 4, 9, 41, 42)
"""PC32, PLT32, GOTPCREL, GOTPCRELX and REX_GOTPCRELX of x86-64."""


def _read_elf(data: memoryview) -> _Tables:
    fields = _HEADER.unpack_from(data)
    machine, start = fields[2], fields[6]
    entry_bytes, count, names_index = fields[11:14]
    if entry_bytes != _SECTION.size:
        raise _DamagedError("its sections have an unknown form")
    entries = list(_SECTION.iter_unpack(_cut(data, start, count * _SECTION.size)))
    names = _cut(data, *entries[names_index][4:6])
    sections = [
        _Section(
            name=_name_at(names, name),
            data=data[:0] if kind == _NO_BITS else _cut(data, offset, size),
            is_code=bool(flags & _EXECUTABLE),
            constant_bytes=entry_bytes if flags & (_MERGEABLE | _STRINGS) == _MERGEABLE else 0,
        )
        for name, kind, flags, _, offset, size, _, _, _, entry_bytes in entries
    ]
    tables = [
        (entry[1], entry[6], entry[7], section.data)
        for entry, section in zip(entries, sections, strict=True)
    ]
    symbols: list[_Symbol] = []
    for kind, link, _, table in tables:
        if kind == _SYMBOL_TABLE:
            symbols = list(_elf_symbols(table, sections, sections[link].data))
            break
    targets: _Targets = {}
    left = _MAX_ENTRIES
    for kind, _, info, table in tables:
        if kind != _RELOCATION_TABLE or not sections[info].is_code:
            continue
        found = targets.setdefault(info, {})
        for address, what, addend in _entries(table, _RELOCATION, left):
            is_relative = machine == X86_64 and what & 0xFFFFFFFF in _RELATIVE
            symbol = symbols[what >> 32]
            found[address] = _refer(sections, symbol, addend, is_relative=is_relative)
        left -= len(table) // _RELOCATION.size
    return machine, sections, symbols, targets


def _elf_symbols(
    table: memoryview, sections: list[_Section], names: memoryview
) -> Iterator[_Symbol]:
    for at, info, _, section, value, size in _entries(table, _SYMBOL, _MAX_ENTRIES):
        kind, name = info & 0xF, _name_at(names, at)
        if kind == _OF_SECTION and section < len(sections):
            name = sections[section].name
        yield _Symbol(name, kind == _FUNCTION, section, value, size)


# COFF, of Windows.

_COFF_HEADER = struct.Struct("<HHIIIHH")
_COFF_SECTION = struct.Struct("<8sIIIIIIHHI")
_COFF_SYMBOL = struct.Struct("<8sIHHBB")
_COFF_RELOCATION = struct.Struct("<IIH")

_COFF_MACHINES = {0x8664: X86_64, 0xAA64: AARCH64}
_COFF_NO_BITS, _COFF_ONE_OF_MANY, _COFF_EXECUTABLE, _COFF_WRITABLE = 0x80, 0x1000, 1 << 29, 1 << 31
_COFF_FUNCTION = 0x20
_COFF_NUMBER_ELSEWHERE = 0xFFFF
_COFF_RELATIVE = range(4, 10)
"""REL32, and REL32_1 to REL32_5, where so many bytes of the instruction follow."""


def _read_coff(data: memoryview) -> _Tables:
    number, count, _, start, num_symbols, extra_bytes, _ = _COFF_HEADER.unpack_from(data)
    machine = _COFF_MACHINES[number]
    table = _cut(data, _COFF_HEADER.size + extra_bytes, count * _COFF_SECTION.size)
    entries = [(b"", *[0] * 9), *_COFF_SECTION.iter_unpack(table)]  # they are counted from one
    sections = [_coff_section(data, entry) for entry in entries]
    symbols = list(_coff_symbols(data, start, num_symbols)) if num_symbols else []
    targets: _Targets = {}
    left = _MAX_ENTRIES
    for index, (entry, section) in enumerate(zip(entries, sections, strict=True)):
        if not section.is_code:
            continue
        start, count = entry[5], entry[7]
        if count == _COFF_NUMBER_ELSEWHERE:
            raise _too_many()
        table = _cut(data, start, count * _COFF_RELOCATION.size)
        found = targets.setdefault(index, {})
        for address, symbol, kind in _entries(table, _COFF_RELOCATION, left):
            addend = _coff_addend(section.data, address, machine, kind)
            is_relative = machine == X86_64 and kind in _COFF_RELATIVE
            found[address] = _refer(sections, symbols[symbol], addend, is_relative=is_relative)
        left -= count
    return machine, sections, symbols, targets


def _coff_section(data: memoryview, entry: tuple[Any, ...]) -> _Section:
    name, _, _, size, offset, _, _, num_relocations, _, flags = entry
    # LLVM gives each constant a section of its own; the linker keeps one of those that are equal.
    kind = flags & (_COFF_ONE_OF_MANY | _COFF_EXECUTABLE | _COFF_WRITABLE)
    is_constant = kind == _COFF_ONE_OF_MANY and not num_relocations
    return _Section(
        name=_text(name),
        data=data[:0] if flags & _COFF_NO_BITS else _cut(data, offset, size),
        is_code=bool(flags & _COFF_EXECUTABLE),
        constant_bytes=size if is_constant else 0,
    )


def _coff_symbols(data: memoryview, start: int, count: int) -> Iterator[_Symbol]:
    table = _cut(data, start, count * _COFF_SYMBOL.size)
    start += len(table)
    names = _cut(data, start, int.from_bytes(_cut(data, start, 4), "little"))
    num_more = 0
    for name, value, section, kind, _, more in _entries(table, _COFF_SYMBOL, _MAX_ENTRIES):
        if num_more:  # it says more of the symbol before it
            num_more -= 1
            yield _Symbol("", False, 0, 0, 0)
            continue
        num_more = more
        is_long = name[:4] == bytes(4)
        text = _name_at(names, int.from_bytes(name[4:], "little")) if is_long else _text(name)
        yield _Symbol(text, kind == _COFF_FUNCTION, section, value, len(data))


def _coff_addend(code: memoryview, address: int, machine: int, kind: int) -> int:
    """What the field of the linker holds, counted as ELF counts it."""
    word = _number(code, address, 4)
    if kind == (1 if machine == X86_64 else 14):
        return _number(code, address, 8)
    if machine == X86_64:
        return word - kind if kind in _COFF_RELATIVE else word
    if kind == 3:  # a branch
        return _signed(word << 2, 28)
    if kind in (4, 5):  # ADRP, ADR
        return _signed(word >> 3 & 0x1FFFFC | word >> 29 & 3, 21)
    if kind in (6, 7):  # the low bits of an address, in units of what is loaded or stored
        is_wide = kind == 7 and word & 0x4800000 == 0x4800000
        return (word >> 10 & 0xFFF) << ((word >> 30 & 3) + 4 * is_wide if kind == 7 else 0)
    return 0


# Mach-O, of macOS.

_MACH_HEADER = struct.Struct("<IIIIIIII")
_MACH_COMMAND = struct.Struct("<II")
_MACH_SEGMENT = struct.Struct("<II16sQQQQIIII")
_MACH_SECTION = struct.Struct("<16s16sQQIIIIIIII")
_MACH_SYMBOL_TABLE = struct.Struct("<IIIIII")
_MACH_SYMBOL = struct.Struct("<IBBHQ")
_MACH_RELOCATION = struct.Struct("<II")

_MACH_MACHINES = {0x1000007: X86_64, 0x100000C: AARCH64}
_MACH_HAS_SECTIONS, _MACH_HAS_SYMBOLS = 0x19, 0x2
_MACH_NO_BITS = (0x1, 0xC, 0x12)
_MACH_CONSTANT_BYTES = {0x3: 4, 0x4: 8, 0xE: 16}
_MACH_EXECUTABLE = 0x80000400
_MACH_KIND, _MACH_DEBUGGING, _MACH_OF_SECTION = 0xE, 0xE0, 0xE
_MACH_DIFFERENCE = {X86_64: 5, AARCH64: 1}
_MACH_ADDEND = 10
"""Of AArch64: what the next relocation adds."""


def _read_mach_o(data: memoryview) -> _Tables:
    _, processor, _, _, num_commands, size, _, _ = _MACH_HEADER.unpack_from(data)
    machine = _MACH_MACHINES[processor]
    rest = _cut(data, _MACH_HEADER.size, size)
    entries: list[tuple[Any, ...]] = [(b"", b"", *[0] * 10)]  # sections are counted from one
    symbol_table = (0, 0, 0, 0)
    for _ in range(num_commands):
        kind, size = _MACH_COMMAND.unpack_from(rest)
        if size < _MACH_COMMAND.size:
            raise _DamagedError("its commands have an unknown form")
        command, rest = _cut(rest, 0, size), rest[size:]
        if kind == _MACH_HAS_SECTIONS:
            count = _MACH_SEGMENT.unpack_from(command)[9]
            table = _cut(command, _MACH_SEGMENT.size, count * _MACH_SECTION.size)
            entries += _MACH_SECTION.iter_unpack(table)
        elif kind == _MACH_HAS_SYMBOLS:
            symbol_table = _MACH_SYMBOL_TABLE.unpack_from(command)[2:]
    addresses = [entry[2] for entry in entries]
    sections = [_mach_section(data, entry) for entry in entries]
    symbols = list(_mach_symbols(data, symbol_table, sections, addresses))
    targets: _Targets = {}
    left = _MAX_ENTRIES
    for index, (entry, section) in enumerate(zip(entries, sections, strict=True)):
        if not section.is_code:
            continue
        start, count = entry[6:8]
        table = _cut(data, start, count * _MACH_RELOCATION.size)
        relocations = iter(_entries(table, _MACH_RELOCATION, left))
        found = targets.setdefault(index, {})
        addend = 0
        for address, what in relocations:
            number, kind = what & 0xFFFFFF, what >> 28
            if kind == _MACH_DIFFERENCE[machine]:
                next(relocations, None)  # of two symbols: no place that could be named
                continue
            if machine == AARCH64 and kind == _MACH_ADDEND:
                addend = _signed(number, 24)
                continue
            if machine == X86_64 or kind == 0:  # the field of the linker holds it
                addend = _number(section.data, address, 1 << (what >> 25 & 3))
            is_relative = machine == X86_64 and bool(what >> 24 & 1)
            if what >> 27 & 1:
                symbol = symbols[number]
                addend -= 4 * is_relative
            else:  # a place in a section, and the field has its address
                symbol = _Symbol(sections[number].name, False, number, 0, 0)
                addend += (addresses[index] + address) * is_relative - addresses[number]
            found[address] = _refer(sections, symbol, addend, is_relative=is_relative)
            addend = 0
        left -= count
    return machine, sections, symbols, targets


def _mach_section(data: memoryview, entry: tuple[Any, ...]) -> _Section:
    name, _, _, size, offset, _, _, _, flags, *_ = entry
    kind = flags & 0xFF
    return _Section(
        name=_text(name),
        data=data[:0] if kind in _MACH_NO_BITS else _cut(data, offset, size),
        is_code=bool(flags & _MACH_EXECUTABLE),
        constant_bytes=_MACH_CONSTANT_BYTES.get(kind, 0),
    )


def _mach_symbols(
    data: memoryview,
    symbol_table: tuple[int, ...],
    sections: list[_Section],
    addresses: list[int],
) -> Iterator[_Symbol]:
    start, count, names_start, names_size = symbol_table
    names = _cut(data, names_start, names_size)
    table = _cut(data, start, count * _MACH_SYMBOL.size)
    for at, kind, section, _, value in _entries(table, _MACH_SYMBOL, _MAX_ENTRIES):
        name = _name_at(names, at)
        if kind & _MACH_DEBUGGING or kind & _MACH_KIND != _MACH_OF_SECTION:
            section = 0
        elif value < addresses[section]:
            raise _DamagedError("a symbol lies before its section")
        at = value - addresses[section]
        is_label = name.startswith(("l", "L"))  # of the assembler; names of programs begin with _
        is_begin = name.startswith("ltmp") and not at
        name = sections[section].name if is_begin else name.removeprefix("_")
        yield _Symbol(name, section > 0 and not is_label, section, at, len(data))


_READERS = (
    (b"\x7fELF\x02\x01", _read_elf),
    (b"\x64\x86", _read_coff),
    (b"\x64\xaa", _read_coff),
    (b"\xcf\xfa\xed\xfe\x07\0\0\x01", _read_mach_o),
    (b"\xcf\xfa\xed\xfe\x0c\0\0\x01", _read_mach_o),
)
"""By what a file begins with; the numbers of 32 bits, and of other byte orders, differ."""


# What all forms share.


def _refer(
    sections: list[_Section], symbol: _Symbol, addend: int, *, is_relative: bool
) -> Reference:
    index = symbol.section if symbol.section < len(sections) else 0
    section = sections[index]
    size = section.constant_bytes
    return Reference(symbol.name, addend, is_relative, section.data[symbol.value :], size)


def _functions(
    sections: list[_Section], symbols: list[_Symbol], targets: _Targets
) -> Iterator[Function]:
    functions = sorted(
        (
            symbol
            for symbol in symbols
            if symbol.is_function
            and symbol.section < len(sections)
            and sections[symbol.section].is_code
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


def _entries(table: memoryview, form: struct.Struct, most: int) -> Iterator[tuple[Any, ...]]:
    if len(table) // form.size > most:
        raise _too_many()
    return form.iter_unpack(table)


def _too_many() -> _DamagedError:
    return _DamagedError(f"it has more than {_MAX_ENTRIES:,} entries of one kind")


def _cut(data: memoryview, start: int, size: int) -> memoryview:
    if start + size > len(data):
        raise _DamagedError("a part of it lies past its end")
    return data[start : start + size]


def _number(data: memoryview, start: int, size: int) -> int:
    return int.from_bytes(_cut(data, start, size), "little", signed=True)


def _signed(number: int, bits: int) -> int:
    """The lowest bits as a number with a sign."""
    half = 1 << (bits - 1)
    return (number + half) % (2 * half) - half


def _name_at(names: memoryview, start: int) -> str:
    """A name of at most `_MAX_NAME_BYTES`: the table may lack its zeros."""
    if start > len(names):
        raise _DamagedError("a name lies past its table")
    return _text(bytes(names[start : start + _MAX_NAME_BYTES]))


def _text(name: bytes) -> str:
    text = name.partition(b"\0")[0].decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "�" for char in text)
