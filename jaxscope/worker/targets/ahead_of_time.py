"""Compile for devices that are not there: topologies of TPUs and descriptions of GPUs.

A topology is opened before the user's file runs; opening it starts no backend and says how many
devices the file shall find. A GPU is described by XLA's `GpuTargetConfigProto`, made from
`jaxscope/model/chips`. Nothing of it can run: no values, no times, no autotuning.
"""

from __future__ import annotations

import contextlib
import glob
import importlib.util
import math
import os
import sys
from collections.abc import Iterator
from typing import Any

from jaxscope.errors import EnvironmentProblem
from jaxscope.late_dataclass import dataclass
from jaxscope.model.hardware import Chip, chip_names, chip_of_target
from jaxscope.model.said import ENDED, say
from jaxscope.model.targets import parse_target
from jaxscope.worker import compat
from jaxscope.worker.faults.tracebacks import safe_text
from jaxscope.worker.host.process import quiet_stderr
from jaxscope.worker.targets.chip_tools import ask_for_bundles, use_installed_toolkit

# Describe a GPU to XLA, which then compiles for it without having one.
#
# The text is XLA's `GpuTargetConfigProto`. What is published of a chip is in
# `jaxscope/model/chips`; the limits below hold for every NVIDIA GPU since Pascal that has memory of
# its own (`arch_traits.h` of NVIDIA's CUDA Core Compute Libraries).


_DNN_VERSION = (9, 10, 0)
_RUNTIME_VERSION = (12, 9, 0)
"""cuDNN and CUDA that the wheels of JAX's CUDA 12 plugin are built for."""

_COMMON = {
    "threads_per_block_limit": 1024,
    "threads_per_warp": 32,
    "shared_memory_per_block": 48 << 10,
    "block_dim_limit_x": 2**31 - 1,
    "block_dim_limit_y": 65535,
    "block_dim_limit_z": 65535,
    "registers_per_core_limit": 65536,
    "registers_per_block_limit": 65536,
}


def describe_gpu(chip: Chip) -> str:
    """XLA's description of a GPU, in protobuf's text format."""
    known = {**chip.compiler}
    device = known.pop("device")
    major, minor = known.pop("compute_capability")
    info = {
        **_COMMON,
        **known,
        "memory_bandwidth": int(chip.bytes_per_second),
        "device_memory_size": chip.memory_bytes,
    }
    fields = "\n".join(f"  {name}: {value}" for name, value in info.items())
    return f"""gpu_device_info {{
{fields}
  cuda_compute_capability {{ major: {major} minor: {minor} }}
}}
platform_name: "CUDA"
dnn_version_info {{ {_version(_DNN_VERSION)} }}
runtime_version {{ {_version(_RUNTIME_VERSION)} }}
device_description_str: "{device}"
"""


def _version(version: tuple[int, int, int]) -> str:
    major, minor, patch = version
    return f"major: {major} minor: {minor} patch: {patch}"


MAX_DEVICES = 1024
"""Each has a simulated CPU device beside it."""

_TPU_SETTINGS = {
    # libtpu refuses to be loaded twice on one machine, and asks a cloud service for its name.
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
    "TPU_LOG_DIR": "disabled",
    "TPU_SKIP_MDS_QUERY": "1",
    "TPU_WORKER_HOSTNAMES": "localhost",
}
_TPU_DEVICE_FILES = ("/dev/accel*", "/dev/vfio/[0-9]*")
_CUDA_PLUGINS = ("jax_plugins.xla_cuda12", "jax_plugins.xla_cuda13")
_PREFERRED_HOST = (2, 2, 1)
"""Chips of a host along each axis, where the topology divides by it."""

NOT_KNOWN = say(
    "Compiled ahead of time: no autotuning chose among kernels, and nothing ran, "
    "so there are no values and no measured times."
)
INSTALL = {
    "tpu": (
        "libtpu",
        "'jax[tpu]'",
        say(
            "213 MB to load, 720 MB on the disk, Linux on x86-64, under the Google Cloud Platform "
            "Terms of Service; no TPU is needed"
        ),
    ),
    "gpu": (
        "JAX's CUDA plugin",
        "'jax[cuda12-local]' nvidia-cuda-nvcc-cu12",
        say(
            "223 MB to load, 600 MB on the disk, Linux, under Apache-2.0 and NVIDIA's licence for "
            "CUDA; no driver and no GPU are needed"
        ),
    ),
}
"""For each kind: what is missing, what brings it, its size and licence.

The same packages as in the extras `aot-tpu` and `aot-gpu`, but named so that an interpreter gets
them that has no jaxscope.
"""


@dataclass(frozen=True, eq=False)
class Topology:
    """Devices to compile for.

    Attributes:
        target: Such as `aot:tpu:v5e:2x2`.
        platform: `tpu` or `gpu`.
        devices: JAX's compile-only devices, by number.
        chip: What is published of the chip; None where nothing is kept here.
    """

    target: str
    platform: str
    devices: tuple[Any, ...]
    chip: Chip | None

    @property
    def device_kind(self) -> str:
        """JAX's name of the chip."""
        return str(self.devices[0].device_kind)


_opened: dict[str, Topology] = {}


def open_topology(target: str) -> Topology:
    """The devices that a target `aot:…` names; starts no backend.

    Raises:
        EnvironmentProblem: The compiler is not installed, or knows no such chip or topology.
    """
    known = _opened.get(target)
    if known is None:
        known = _opened[target] = _open(target)
    return known


def find_missing(kind: str) -> str:
    """One sentence on how to get the compiler for `tpu` or `gpu`; empty where it is installed."""
    modules = ("libtpu",) if kind == "tpu" else _CUDA_PLUGINS
    if any(map(_is_installed, modules)):
        return ""
    what, packages, terms = INSTALL[kind]
    command = f"{sys.executable} -m pip install {packages}"
    return say("{what} is missing: {command} ({terms})", what=what, command=command, terms=terms)


def describe_compiler(kind: str) -> str:
    """The compiler for `tpu` or `gpu` that is installed, and the chips it can compile for."""
    package = "libtpu" if kind == "tpu" else "jax-cuda12-pjrt"
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        package = f"{package} {importlib.metadata.version(package)}"
    sizes = ", with a topology such as 2x2, 4x4x4" if kind == "tpu" else ", with a number of GPUs"
    other = compat.describe_other_libtpu() if kind == "tpu" else ""
    works = f"works: {package} compiles for {', '.join(chip_names(kind))}{sizes}"
    return f"{works}. {other}" if other else works


def _open(target: str) -> Topology:
    try:
        wanted = parse_target(target)
    except ValueError:
        raise _unknown(target, "", "tpu" if target.startswith("aot:tpu") else "gpu") from None
    kind, name, size = wanted.kind, wanted.chip, wanted.size
    missing = find_missing(kind)
    if missing:
        raise EnvironmentProblem(
            say("Nothing here can compile for {target}.", target=target),
            why=say(ENDED, text=missing),
            remedy=say("Install it, or choose a target of this machine, such as cpu."),
            kind="CompilerMissing",
        )
    chip = chip_of_target(target)
    try:
        if kind == "tpu":
            ask_for_bundles()
        with quiet_compilers():
            compat.load_plugins()
            devices = _open_tpu(name, size, chip) if kind == "tpu" else _open_gpu(size, chip)
    except EnvironmentProblem:
        raise
    except Exception as error:  # jaxlib's own error classes differ by release
        raise _unknown(target, safe_text(error), kind) from None
    return Topology(target, kind, tuple(devices), chip)


def _unknown(target: str, why: str, kind: str) -> EnvironmentProblem:
    examples = "aot:tpu:v5e:2x2" if kind == "tpu" else "aot:gpu:h100, aot:gpu:h100:8"
    return EnvironmentProblem(
        say("The compiler knows no target {target}.", target=target[:100]),
        why=" ".join(why.split())[:400],
        remedy=say(
            "Chips are {names}; written as {examples}.",
            names=", ".join(chip_names(kind)),
            examples=examples,
        ),
        kind="UnknownTarget",
    )


def _open_tpu(name: str, size: str, chip: Chip | None) -> list[Any]:
    from jax.experimental import topologies

    if chip is not None:
        name, size = chip.name, size or chip.topology
    axes = [int(axis) for axis in size.split("x") if axis] or [0]
    _check_count(math.prod(axes))
    axes += [1] * (3 - len(axes))
    host = [
        most if axis and axis % most == 0 else 1
        for axis, most in zip(axes, _PREFERRED_HOST, strict=True)
    ]
    options: dict[str, Any] = {"chips_per_host_bounds": host}
    if name == "v4":
        options["chip_config_name"] = "megacore"  # one device a chip, as on real machines
    found = topologies.get_topology_desc(platform="tpu", topology_name=f"{name}:{size}", **options)
    return list(found.devices)


def _open_gpu(size: str, chip: Chip | None) -> list[Any]:
    from jax.experimental import topologies

    if chip is None:
        raise ValueError("There is no description of such a GPU.")
    use_installed_toolkit()
    count = math.prod(int(axis) for axis in (size or "1").split("x"))
    _check_count(count)
    found = topologies.get_topology_desc(
        platform="cuda", target_config=describe_gpu(chip), topology=f"1x1x{count}"
    )
    return list(found.devices)


def _check_count(count: int) -> None:
    if not 0 < count <= MAX_DEVICES:
        raise ValueError(f"A topology may have 1 to {MAX_DEVICES} chips here, not {count}.")


@contextlib.contextmanager
def quiet_compilers() -> Iterator[None]:
    """Keep what compilers print while they load out of the person's own output.

    Where there is no TPU, libtpu must not ask Google's metadata server for one meanwhile: outside
    of Google's cloud it would wait for an answer.
    """
    if not any(map(glob.glob, _TPU_DEVICE_FILES)):
        for setting, value in _TPU_SETTINGS.items():
            os.environ.setdefault(setting, value)
    with quiet_stderr():
        yield


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False
