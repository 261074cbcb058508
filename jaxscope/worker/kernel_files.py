"""Which kernel each file that a compiler wrote is of, and in what form it shows the kernel.

The CPU's compiler names files after kernels. The GPU's numbers them, so the name is looked up in
the text; what it launches stands in a list of its own. The TPU's bundles come from a folder that
was named when the process began.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

from jaxscope.worker.gpu_tools import GpuTools
from jaxscope.worker.tpu_bundles import take_bundles

_FILE = re.compile(
    r"module_\d+\.(?P<module>[^.]*)(?:\.obj-file)?"
    r"(?:\.(?:__compute_module_)?(?P<kernel>.+?)(?:_kernel_module)?)?"
    r"\.(?P<form>ir-no-opt\.ll|ir-with-opt\.ll|ptx|o)"
)
"""Files of one kernel, or of several of a program's, which then bear the program's name."""

_THUNKS = re.compile(r"module_\d+\.[^.]*\.thunk_sequence\.txt")
_LAUNCH = re.compile(
    r"\] (?P<kernel>\S+) (?P<grid>grid: \[[\d, ]+\]) (?P<threads>threads: \[[\d, ]+\])\s+"
    r"shared_memory: (?P<shared>\d+) bytes"
)
_ENTRY = re.compile(
    rb"(?:\.visible \.entry |define (?:dso_local )?ptx_kernel void @)\"?([\w.$-]{1,200})"
)
_HEAD_BYTES = 1 << 20


@dataclasses.dataclass(frozen=True, slots=True)
class KernelCode:
    """One form of one kernel's code.

    Attributes:
        kernel: Its name.
        form: A key of `jaxscope.analysis.machine.listing.FORMS`.
        data: The file's bytes.
    """

    kernel: str
    form: str
    data: bytes


def kernel_files(folder: Path, max_bytes: int) -> tuple[list[KernelCode], int]:
    """Read what a compilation wrote.

    Args:
        folder: XLA's dump.
        max_bytes: Whole kernels are left out beyond it; a smaller one may still fit.

    Returns:
        The code in the order of the kernels' names, and the number of kernels left out.
    """
    paths: dict[str, list[tuple[str, Path]]] = {}
    launches: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        match = _FILE.fullmatch(path.name)
        if match is not None:
            kernel = match["kernel"] or match["module"]
            if kernel.isdigit() or kernel == "constants":
                kernel = _entry_of(path)
            form = "object" if match["form"] == "o" else match["form"].removesuffix(".ll")
            if kernel:
                paths.setdefault(kernel, []).append((form, path))
        elif _THUNKS.fullmatch(path.name):
            launches.update(_launches(path))
    for kernel, path in take_bundles():
        paths.setdefault(kernel, []).append(("bundles", path))
    return _read(paths, launches, max_bytes)


def _read(
    paths: dict[str, list[tuple[str, Path]]], launches: dict[str, str], max_bytes: int
) -> tuple[list[KernelCode], int]:
    found: list[KernelCode] = []
    num_left_out = size = 0
    with GpuTools() as tools:
        for kernel, forms in sorted(paths.items()):
            length = sum(path.stat().st_size for _, path in forms)
            if size + length > max_bytes:
                num_left_out += 1
                continue
            size += length
            found += (KernelCode(kernel, form, path.read_bytes()) for form, path in forms)
            if kernel in launches:
                found.append(KernelCode(kernel, "launch", launches[kernel].encode()))
            for form, path in forms:
                if form == "ptx":
                    found += (KernelCode(kernel, *more) for more in tools.look_at(path))
    return found, num_left_out


def _entry_of(path: Path) -> str:
    """The kernel that a numbered file of the GPU's compiler defines; empty for none."""
    with path.open("rb") as opened:
        match = _ENTRY.search(opened.read(_HEAD_BYTES))
    return match[1].decode() if match is not None else ""


def _launches(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8", errors="replace") as opened:
        for line in opened.read(_HEAD_BYTES).splitlines():
            match = _LAUNCH.search(line)
            if match is not None:
                yield (
                    match["kernel"],
                    f"{match['grid']}, {match['threads']}, shared memory: {match['shared']} bytes",
                )
