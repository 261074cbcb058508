"""The text of the stage `machine`: each kernel's LLVM IR before and after, and its assembly."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from jaxscope.analysis.machine.bundles import count_slots
from jaxscope.analysis.machine.disassembly import disassemble, processor_name
from jaxscope.analysis.machine.object_file import ObjectFileError, read_object_file

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


@dataclasses.dataclass(frozen=True, slots=True)
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
        self._add(f"; ===== {kernel} =====")
        order = list(FORMS)
        is_complete = True
        for part in sorted(parts, key=lambda part: order.index(part.form)):
            if part.form == OBJECT:
                is_complete = self._add_object(part.data)
            else:
                text = part.data.decode("utf-8", "replace").rstrip()
                self._add(f"; ----- {FORMS[part.form]} -----")
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
                self._add(
                    f"; ----- assembly for {processor}: {function.name}, "
                    f"{len(function.code):,} bytes -----"
                )
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
