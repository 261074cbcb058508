"""Collect the code that XLA writes while it compiles, kernel by kernel.

The CPU's compiler names files after kernels; the GPU's numbers them, so the name is looked up in
the text; the TPU's bundles come from a folder named when the process began. The worker reads and
bounds; the client makes the text, for that needs a disassembler.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from jaxscope.errors import EnvironmentProblem, Explanation
from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import strings_to_arrays
from jaxscope.model.said import say
from jaxscope.wire.scratch import make_scratch, remove_stale_scratch
from jaxscope.worker.channel import Channel
from jaxscope.worker.targets.chip_tools import (
    GpuTools,
    remove_bundles,
    take_bundles,
    toolkit_options,
)

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


@dataclass(frozen=True, slots=True)
class KernelCode:
    """One form of one kernel's code.

    Attributes:
        kernel: Its name.
        form: A key of `jaxscope.program.machine.listing.FORMS`.
        data: The file's bytes.
    """

    kernel: str
    form: str
    data: bytes


def kernel_files(
    files: Iterable[Path], max_bytes: int, *, is_own: bool = True
) -> tuple[list[KernelCode], int]:
    """Read what a compilation wrote.

    Args:
        files: Of XLA's dump.
        max_bytes: Whole kernels are left out beyond it; a smaller one may still fit.
        is_own: Whether this process made them: programs may look at them then, and what was
            written elsewhere during the compilation belongs to them.

    Returns:
        The code in the order of the kernels' names, and the number of kernels left out.
    """
    paths: dict[str, list[tuple[str, Path]]] = {}
    launches: dict[str, str] = {}
    for path in sorted(files):
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
    for kernel, path in take_bundles() if is_own else ():
        paths.setdefault(kernel, []).append(("bundles", path))
    return _read(paths, launches, max_bytes, is_own=is_own)


def _read(
    paths: dict[str, list[tuple[str, Path]]],
    launches: dict[str, str],
    max_bytes: int,
    *,
    is_own: bool,
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
                if form == "ptx" and is_own:
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


_LOGGING_PASS = "priority-fusion"
"""A pass of GPUs that writes down why it fuses what, where it is asked to write its modules."""
_MAX_LOG_BYTES = 16 << 20
MAX_CODE_BYTES = 16 << 20
NO_CODE = say("XLA generated no code: all that is left are constants, copies and library calls.")
NO_DUMP = say(
    "XLA wrote nothing of this program down: a flag in XLA_FLAGS or its compiler forbids it."
)
_WHOLE_DUMPS = {
    "xla_dump_hlo_module_re": ".*",
    "xla_dump_hlo_pipeline_re": ".*",
    "xla_dump_max_hlo_modules": -1,
    "xla_dump_include_timestamp": False,
    "xla_dump_disable_metadata": False,
    "xla_dump_compress_protos": False,
}
"""Against flags of the person's own that leave out what is read here."""
_OPTION_UNKNOWN = re.compile(r"No such compile option: '(?P<option>\w+)'")
_OPTION_REFUSED = re.compile(r"(?:No such compile option: '|While setting option )(?P<option>\w+)")
_TRUTHS = {"true": True, "false": False}
"""XLA takes truth values as such and everything else as text."""


@dataclass(frozen=True)
class MachineCode:
    """What one compilation wrote, one row per file.

    Attributes:
        kernels: Name of the kernel, which is that of the instruction it computes; or of the
            program, for a file with several kernels.
        forms: `ir-no-opt` and `ir-with-opt` (LLVM IR before and after LLVM's own optimization),
            `ptx`, `launch`, `registers`, `sass`, `bundles`, or `object` (an object file).
        data: The files' bytes.
        num_left_out: Kernels left out to stay below `MAX_CODE_BYTES`.
        has_dump: Whether the compiler wrote anything at all.
    """

    kernels: tuple[str, ...]
    forms: tuple[str, ...]
    data: tuple[bytes, ...]
    num_left_out: int
    has_dump: bool = True

    def to_arrays(self) -> dict[str, Any]:
        """The arrays of a message `kernels`."""
        return {
            **strings_to_arrays(self.kernels, "kernel"),
            **strings_to_arrays(self.forms, "form"),
            "code": np.frombuffer(b"".join(self.data), np.uint8),
            "code_bytes": np.array([len(data) for data in self.data], np.int64),
        }


class Dump:
    """A folder that XLA writes to during one compilation; gone afterwards.

    Attributes:
        folder: Where it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def compiler_options(self) -> dict[str, str]:
        """What to pass to `compile`."""
        from jaxscope.worker import compat  # files are opened where JAX is missing, too

        return {
            "xla_dump_to": str(self.folder),
            "xla_dump_hlo_pass_re": _LOGGING_PASS,
            **compat.llvm_ir_options(),
        }

    def send_fusion_log(self, channel: Channel) -> None:
        """Send what a GPU's compiler wrote of how it decided what to fuse, if it did."""
        for path in sorted(self.folder.glob("*.priority_fusion_dump.txt")):
            with path.open("rb") as opened:
                data = opened.read(_MAX_LOG_BYTES)
            channel.send("fusion_log", {}, {"utf8": np.frombuffer(data, np.uint8)})
            return

    def machine_code(self) -> MachineCode:
        """The kernels in the order of their names; none if XLA generated no code."""
        files = list(self.folder.iterdir())
        found, num_left_out = kernel_files(files, MAX_CODE_BYTES)
        remove_bundles()
        return MachineCode(
            tuple(code.kernel for code in found),
            tuple(code.form for code in found),
            tuple(code.data for code in found),
            num_left_out,
            bool(files),
        )


def compile_with(
    lowered: Any, options: Mapping[str, Any], wanted: Mapping[str, str] | None = None
) -> Any:
    """Compile with those of the options that this jaxlib accepts.

    Options come and go with releases, and none of ours is worth a program that does not compile.

    Args:
        lowered: What to compile.
        options: Ours.
        wanted: A person's, none of which may be left out; ours go before them.

    Raises:
        EnvironmentProblem: This XLA does not know a wanted option, or refuses its value.
    """
    from jaxscope.worker import compat  # files are opened where JAX is missing, too

    asked = {name: _TRUTHS.get(text.lower(), text) for name, text in (wanted or {}).items()}
    whole = _WHOLE_DUMPS if "xla_dump" in os.environ.get("XLA_FLAGS", "") else {}
    ours = {**toolkit_options(), **options, **whole}
    while True:
        try:
            with compat.without_persistent_cache():
                return lowered.compile(compiler_options={**asked, **ours})
        except Exception as error:
            match = _OPTION_UNKNOWN.search(str(error))
            if match is not None and ours.pop(match["option"], None) is not None:
                continue
            refused = _OPTION_REFUSED.search(str(error))
            if refused is None or refused["option"] not in asked:
                raise
            raise EnvironmentProblem(_explain_refused(refused["option"], str(error))) from error


def _explain_refused(option: str, error: str) -> Explanation:
    is_unknown = _OPTION_UNKNOWN.search(error) is not None
    said = " ".join(error.split())
    return Explanation(
        what=say("XLA has no option {option}.", option=option)
        if is_unknown
        else say("XLA does not take this value for the option {option}.", option=option),
        why=say("XLA says: {said}", said=said[:300]),
        remedy=say(
            "Options come and go with releases of jaxlib; names begin with xla_, and "
            "values are written as OPTION=VALUE, such as xla_disable_hlo_passes=algsimp."
        ),
        kind="CompilerOption",
    )


@contextlib.contextmanager
def dump_folder(channel: Channel | None = None) -> Iterator[Dump]:
    """A fresh folder for one compilation, removed at the end.

    Args:
        channel: Where a log of what was fused goes, if there is one and somebody wants it.
    """
    remove_stale_scratch()
    folder = make_scratch()
    try:
        dump = Dump(Path(folder))
        yield dump
        if channel is not None:
            dump.send_fusion_log(channel)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
