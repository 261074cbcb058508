"""Describe a GPU to XLA, which then compiles for it without having one.

The text is XLA's `GpuTargetConfigProto`. What is published of a chip is in `jaxscope/model/chips`;
the limits below hold for every NVIDIA GPU since Pascal that has memory of its own (`arch_traits.h`
of NVIDIA's CUDA Core Compute Libraries).
"""

from __future__ import annotations

from jaxscope.model.chip import Chip

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
