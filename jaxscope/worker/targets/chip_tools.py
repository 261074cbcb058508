"""What tools say of machine code for chips: NVIDIA's, where they are installed, of a kernel its
registers, spills and SASS; the compiler for TPUs of a program its bundles.

`ptxas` comes with the wheel `nvidia-cuda-nvcc-cu12`, `nvdisasm` with NVIDIA's CUDA toolkit.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from jaxscope.wire.scratch import make_scratch

_BUDGET_S = 5.0
"""For all kernels together; one takes some 50 ms."""
_TARGET = re.compile(rb"^\.target (sm_\w{1,10})", re.MULTILINE)
_SAYS = re.compile(r"(\d+ bytes stack frame.*|Used \d+ registers.*)")


_toolkit: str | None = None


def use_installed_toolkit() -> None:
    """Have XLA take the assembler that came with JAX's wheels, whatever is on PATH.

    A CUDA toolkit of another release may be there, which does not know the chip.
    """
    global _toolkit
    found = _find("ptxas")
    _toolkit = os.path.dirname(os.path.dirname(found)) if found else None


def toolkit_options() -> dict[str, str]:
    """XLA's option for that toolkit; empty where nothing is compiled for an absent GPU."""
    return {} if _toolkit is None else {"xla_gpu_cuda_data_dir": _toolkit}


class GpuTools:
    """Looks at kernels until its time is over; without the tools it finds nothing."""

    def __init__(self) -> None:
        self._assembler, self._disassembler = _find("ptxas"), _find("nvdisasm")
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._left_s = _BUDGET_S

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def look_at(self, ptx: Path) -> Iterator[tuple[str, bytes]]:
        """Forms of a kernel and their texts: `registers`, and `sass` where both tools are."""
        head = _TARGET.search(ptx.read_bytes()[:4096])
        if not self._assembler or head is None:
            return
        if self._left_s <= 0:
            yield "registers", b"not asked: the time for that is over"
            return
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix=f"jaxscope-scratch-{os.getpid()}-")
        binary = os.path.join(self._folder.name, "kernel.cubin")
        options = ["-v", f"-arch={head[1].decode()}", str(ptx), "-o", binary]
        said = self._run([self._assembler, *options])
        told = _SAYS.findall(said.stderr) if said is not None else []
        if told:
            yield "registers", "\n".join(told).encode()
        if told and self._disassembler:
            sass = self._run([self._disassembler, "-c", binary])
            if sass is not None and sass.returncode == 0:
                yield "sass", sass.stdout.encode()

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str] | None:
        start = time.perf_counter()
        try:
            return subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=max(self._left_s, 0.1),
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        finally:
            self._left_s -= time.perf_counter() - start


def _find(program: str) -> str:
    """A tool of the environment's wheels or on PATH; empty where there is none."""
    for folder in sys.path:
        for found in sorted(glob.glob(os.path.join(glob.escape(folder), "nvidia/*/bin", program))):
            if os.access(found, os.X_OK):
                return found
    return shutil.which(program) or ""


# Have the compiler for TPUs write its bundles: the words that a TPU's units take at once.
#
# The compiler reads where to write when it is loaded, so it is set before, and once in a process.

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
