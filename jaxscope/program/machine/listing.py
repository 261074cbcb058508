"""The text of the stage `machine`: each kernel's LLVM IR before and after optimization, and its
assembly (capstone), with the use of units for TPU bundles.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jaxscope.late_dataclass import dataclass
from jaxscope.model.units import format_share
from jaxscope.program.machine.kernel_text import KERNEL, PART, write_heading
from jaxscope.program.machine.object_file import (
    AARCH64,
    X86_64,
    Function,
    ObjectFile,
    ObjectFileError,
    Reference,
    read_object_file,
)

# How well the bundles of a TPU's kernel use its units.
#
# A bundle is one long instruction word: what stands in it starts in the same cycle. The unit of an
# operation is read off its name; the compiler publishes no list of them. Loops are not counted out,
# so these are figures of the code, not of a run.


_OPERATION = re.compile(r"(?:^|=)\s*(?:\(\S+\)\s*)?([a-z][\w.]*)")
_UNITS = (
    ("matrix unit", re.compile(r"vmat|vlatch|vdwg|vgmr")),
    ("results of units", re.compile(r"vpop")),
    ("vector loads", re.compile(r"vld|vsld")),
    ("vector stores", re.compile(r"vst|vsst")),
    ("cross-lane unit", re.compile(r"vrot|vperm|vxpose|vset|vcombine|vtrans|.*\.xlane")),
    ("transcendental unit", re.compile(r"v(?:tanh|rcp|rsqrt|pow2|log2|erf|sin|cos|sigshft|ex)")),
    ("vector ALU", re.compile(r"v")),
    ("copies (DMA)", re.compile(r"dma|.*dma")),
    ("scalar unit", re.compile(r"s|p|[a-z]")),
)


@dataclass(frozen=True, slots=True)
class Slots:
    """Use of the units.

    Attributes:
        bundles: Instruction words.
        empty: Words with nothing in them.
        operations: In all words.
        used: In how many words each unit starts something, the most used first.
    """

    bundles: int
    empty: int
    operations: int
    used: tuple[tuple[str, int], ...]

    def describe(self) -> str:
        """Bundles, and the share of them that uses each unit, in one line."""
        if not self.bundles:
            return "no bundles"
        shares = ", ".join(
            f"{unit} {format_share(count / self.bundles)}" for unit, count in self.used if count
        )
        return (
            f"{self.bundles:,} bundles, {self.empty:,} empty, "
            f"{self.operations / self.bundles:.2f} operations each; bundles with: {shares}"
        )


def count_slots(text: str) -> Slots:
    """Count what the bundles of a listing hold."""
    bundles = empty = operations = 0
    used: Counter[str] = Counter()
    for line in text.splitlines():
        head, brace, rest = line.partition("{")
        if not brace or ":" not in head or not head.lstrip()[:1].isdigit():
            continue
        bundles += 1
        units = [unit for part in rest.rpartition("}")[0].split(";;") if (unit := _unit_of(part))]
        empty += not units
        operations += len(units)
        used.update(set(units))
    return Slots(bundles, empty, operations, tuple(used.most_common()))


def _unit_of(operation: str) -> str:
    match = _OPERATION.search(operation)
    if match is None or match[1].startswith(("inlined_call", "int_to_ptr")):
        return ""
    return next(unit for unit, pattern in _UNITS if pattern.match(match[1]))


# Functions of object files as assembly, by capstone, in the notation of the processor's maker.


PROCESSORS = {X86_64: "x86-64", AARCH64: "AArch64"}
"""Processors that jaxlib generates code for, by ELF's number."""

_CHUNK_BYTES = 1 << 14
_LONGEST_BYTES = 16
"""More than the longest instruction of any processor above; x86-64 has up to 15."""
_FIELD_BYTES = 4
"""Of a relative reference; a number of the instruction may follow it."""


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
            yield _line(function, (address, size), f"{mnemonic:<12} {operands}")
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


def _line(function: Function, place: tuple[int, int], instruction: str) -> str:
    address, size = place
    line = f"{address:8x}:  {instruction.rstrip()}"
    for byte in range(address, address + size):
        target = function.targets.get(byte)
        if target is not None:
            line = f"{line:<56}  ; {_describe(target, address + size - byte)}"
    return line


def _describe(target: Reference, num_bytes_left: int) -> str:
    """The place, and the constant there.

    Args:
        num_bytes_left: Of the instruction, from the reference to its end.
    """
    offset = target.addend + target.is_relative * max(num_bytes_left, _FIELD_BYTES)
    text = f"{target.name}{offset:+#x}" if offset else target.name
    constant = target.constant_at(offset)
    # Little-endian, so the number reads as it does in a register.
    return f"{text} = 0x{constant[::-1].hex()}" if constant else text


# The text of the stage `machine`: each kernel's LLVM IR before and after, and its assembly.


MAX_TEXT_CHARS = 8 << 20
"""A window shows a text of this length at once, and few read further."""

OBJECT = "object"
BUNDLES = "bundles"
FORMS = {
    "launch": "launched with",
    "registers": "registers and spills, as ptxas says",
    "ir-no-opt": "LLVM IR before optimization",
    "ir-with-opt": "LLVM IR after optimization",
    "ptx": "PTX",
    "sass": "SASS",
    BUNDLES: "bundles of a TPU",
    OBJECT: "assembly",
}
"""Forms of a kernel's code in the order in which the compiler makes them, with their titles."""


@dataclass(frozen=True, slots=True)
class CodePart:
    """One form of one kernel's code.

    Attributes:
        kernel: Name of the kernel: of the instruction, often a fusion, that it computes.
        form: A key of `FORMS`.
        data: Text in UTF-8, or the bytes of an object file.
    """

    kernel: str
    form: str
    data: bytes


def list_machine_code(parts: Iterable[CodePart], num_left_out: int = 0) -> tuple[str, str]:
    """List kernels one after the other, each under a heading with its name.

    Args:
        parts: In any order; those of an unknown form are passed over.
        num_left_out: Kernels that the worker did not send.

    Returns:
        The text, and a reason if there is none. What was left out for its length, and why there
        is no assembly, is said in the text.
    """
    kernels: dict[str, list[CodePart]] = {}
    for part in parts:
        if part.form in FORMS:
            kernels.setdefault(part.kernel, []).append(part)
    listing = _Listing()
    for number, (kernel, forms) in enumerate(kernels.items()):
        if not listing.add_kernel(kernel, forms):
            num_left_out += len(kernels) - number - 1
            break
    return listing.finish(num_left_out)


class _Listing:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._num_chars = 0
        self._why_not: dict[str, int] = {}

    def add_kernel(self, kernel: str, parts: Sequence[CodePart]) -> bool:
        """Whether all of it found room."""
        begin = len(self._lines)
        self._add(write_heading(KERNEL, kernel))
        order = list(FORMS)
        is_complete = True
        for part in sorted(parts, key=lambda part: order.index(part.form)):
            if part.form == OBJECT:
                is_complete = self._add_object(part.data)
            else:
                text = part.data.decode("utf-8", "replace").rstrip()
                self._add(write_heading(PART, FORMS[part.form]))
                if part.form == BUNDLES:
                    self._add(f"; {count_slots(text).describe()}")
                is_complete = self._add_all(text.split("\n"))
            self._add("")
            if not is_complete:
                break
        if len(self._lines) <= begin + 2:  # nothing but the heading
            del self._lines[begin:]
        return is_complete

    def _add_object(self, data: bytes) -> bool:
        try:
            file = read_object_file(data)
            processor = processor_name(file)
            for function in file.functions:
                lines = disassemble(function, file.machine)
                first = next(lines, "")
                size = f"{len(function.code):,} bytes"
                title = f"assembly for {processor}: {function.name}, {size}"
                self._add(write_heading(PART, title))
                if not self._add_all([first]) or not self._add_all(lines):
                    return False
        except ObjectFileError as error:
            self._why_not[str(error)] = self._why_not.get(str(error), 0) + 1
        return True

    def _add_all(self, lines: Iterable[str]) -> bool:
        for line in lines:
            if self._num_chars + len(line) > MAX_TEXT_CHARS:
                self._add("; the rest is left out: the text is too long")
                return False
            self._add(line)
        return True

    def _add(self, line: str) -> None:
        self._lines.append(line)
        self._num_chars += len(line) + 1

    def finish(self, num_left_out: int) -> tuple[str, str]:
        reasons = [
            f"{reason} ({count} kernels)" if count > 1 else reason
            for reason, count in self._why_not.items()
        ]
        if not self._lines:
            return "", " ".join(reasons) or "XLA wrote no code that can be shown."
        head = [f"; no assembly: {reason}" for reason in reasons]
        if num_left_out:
            head.append(f"; {num_left_out} more kernels are left out: the text is too long")
        return "\n".join([*head, *([""] if head else []), *self._lines]).rstrip(), ""
