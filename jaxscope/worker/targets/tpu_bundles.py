"""Have the compiler for TPUs write its bundles: the words that a TPU's units take at once.

The compiler reads where to write when it is loaded, so it is set before, and once in a process.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from jaxscope.wire.scratch import make_scratch

_SETTING = "LIBTPU_INIT_ARGS"
_FILE = re.compile(r"\d+-(?P<kernel>.+?)-\d+-final_bundles\.txt")
_AROUND = re.compile(r"<.*>")
"""Code that starts and ends a program, the same for each."""
PROGRAM = "TLP"
"""The compiler's name of what is no kernel of its own: the top-level program."""

_folder: Path | None = None


def ask_for_bundles() -> None:
    """Name a folder to the compiler; it must not be loaded yet. The supervisor removes it."""
    global _folder
    if _folder is not None:
        return
    _folder = Path(make_scratch())
    ours = [
        f"--xla_jf_dump_to={_folder}",
        "--xla_jf_dump_llo_text=true",
        "--xla_jf_dump_llo_pass_label_regex=^final_bundles$",
    ]
    os.environ[_SETTING] = " ".join([os.environ.get(_SETTING, ""), *ours]).strip()


def take_bundles() -> Iterator[tuple[str, Path]]:
    """The kernels' names and files since the last time; everything else is removed."""
    if _folder is None:
        return
    for path in sorted(_folder.iterdir()):
        match = _FILE.fullmatch(path.name)
        if match is None or _AROUND.fullmatch(match["kernel"]):
            with contextlib.suppress(OSError):
                path.unlink()
        else:
            yield "program" if match["kernel"] == PROGRAM else match["kernel"], path


def remove_bundles() -> None:
    """Remove what has been read."""
    if _folder is not None:
        for path in _folder.iterdir():
            with contextlib.suppress(OSError):
                path.unlink()
