"""Functions of object files as assembly, by capstone, in the notation of the processor's maker."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from jaxscope.analysis.machine.object_file import Function, ObjectFile, ObjectFileError, Target

X86_64, AARCH64 = 62, 183
PROCESSORS = {X86_64: "x86-64", AARCH64: "AArch64"}
"""Processors that jaxlib generates code for, by ELF's number."""

_CHUNK_BYTES = 1 << 14
_LONGEST_BYTES = 16
"""More than the longest instruction of any processor above; x86-64 has up to 15."""


def processor_name(file: ObjectFile) -> str:
    """What the code is for.

    Raises:
        ObjectFileError: It is for a processor that is not disassembled.
    """
    name = PROCESSORS.get(file.machine)
    if name is None:
        raise ObjectFileError(
            f"Code for this processor (number {file.machine} of ELF) is not disassembled."
        )
    return name


def disassemble(function: Function, machine: int) -> Iterator[str]:
    """A line for each instruction: address in its section, instruction, what the linker fills in.

    Bytes that are no instruction are listed as such. Lines are made one by one as they are asked
    for, so a caller bounds the work by stopping.

    Raises:
        ObjectFileError: capstone is not installed.
    """
    engine = _make_engine(machine)
    code, start = function.code, 0
    while start < len(code):
        chunk = bytes(code[start : start + _CHUNK_BYTES])
        is_last = start + len(chunk) == len(code)
        begin = function.address + start
        for address, size, mnemonic, operands in engine.disasm_lite(chunk, begin):
            if not is_last and address - begin > _CHUNK_BYTES - _LONGEST_BYTES:
                break  # it may be cut off by the end of the chunk
            yield _line(function, machine, (address, size), f"{mnemonic:<12} {operands}")
            start = address + size - function.address


@functools.cache
def load_capstone() -> Any:
    """The package, loaded when first needed; None where it is not installed or broken."""
    try:
        import capstone
    except (ImportError, OSError):  # OSError: its library cannot be loaded
        return None
    return capstone


def _make_engine(machine: int) -> Any:
    capstone = load_capstone()
    if capstone is None:
        raise ObjectFileError("Assembly is shown where the package capstone is installed.")
    if machine == X86_64:
        engine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    else:
        engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
    engine.skipdata = True  # else the listing ends at the first byte that is no instruction
    return engine


def _line(function: Function, machine: int, place: tuple[int, int], instruction: str) -> str:
    address, size = place
    line = f"{address:8x}:  {instruction.rstrip()}"
    for byte in range(address, address + size):
        target = function.targets.get(byte)
        if target is not None:
            # A relative reference of x86-64 counts from the end of its instruction.
            is_relative = machine == X86_64 and address + size - byte == -target.addend
            line = f"{line:<56}  ; {_describe(target, is_relative=is_relative)}"
    return line


def _describe(target: Target, *, is_relative: bool) -> str:
    offset = 0 if is_relative else target.addend
    text = f"{target.name}{offset:+#x}" if offset else target.name
    # Little-endian, so the number reads as it does in a register.
    return f"{text} = 0x{target.constant[::-1].hex()}" if target.constant else text
