"""Collect the machine-level text that XLA writes while it compiles."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from jaxscope.wire.scratch import make_scratch, remove_stale_scratch

MAX_TEXT_BYTES = 8 << 20
_FILE = re.compile(r"module_\d+\.[^.]*\.(?P<kernel>.*)\.ir-with-opt\.ll$")


class Dump:
    """A folder that XLA writes to during one compilation; gone afterwards."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def compiler_options(self) -> dict[str, str]:
        """What to pass to `compile`."""
        return {"xla_dump_to": str(self._folder)}

    def machine_text(self) -> tuple[str, str]:
        """The kernels as text, and a reason if there is none.

        On CPU: LLVM IR after LLVM's own optimization, kernel by kernel. On GPU: PTX. At most
        `MAX_TEXT_BYTES`; what is left out is said.
        """
        files = sorted(self._folder.glob("*.ir-with-opt.ll")) or sorted(self._folder.glob("*.ptx"))
        parts: list[str] = []
        size = 0
        for number, file in enumerate(files):
            length = file.stat().st_size
            if size + length > MAX_TEXT_BYTES:
                parts.append(f"; {len(files) - number} more kernels left out: the text is too long")
                break
            size += length
            match = _FILE.match(file.name)
            name = match.group("kernel") if match else file.name
            parts.append(f"; ===== {name} =====\n{file.read_text('utf-8', 'replace').rstrip()}")
        if not files:
            return "", self._why_no_text()
        return "\n\n".join(parts), ""

    def _why_no_text(self) -> str:
        """What the folder says of the code; jaxlib 0.12 writes objects and no LLVM IR."""
        objects = len(list(self._folder.glob("*.o")))
        if objects:
            return (
                f"This jaxlib writes machine code as object files ({objects} here) and no text "
                "of it, and jaxscope does not disassemble them yet."
            )
        return "XLA generated no code: all that is left are constants, copies and library calls."


@contextlib.contextmanager
def dump_folder() -> Iterator[Dump]:
    """A fresh folder for one compilation, removed at the end."""
    remove_stale_scratch()
    folder = make_scratch()
    try:
        yield Dump(Path(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
