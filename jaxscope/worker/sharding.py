"""What JAX and XLA say about how arrays are spread over several devices."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxscope.worker import compat
from jaxscope.worker.passes import module_of

_MAX_PROTO_BYTES = 128 << 20
_PROPAGATED = re.compile(r"module_\d+\..*\.after_(?:shardy-xla|sharding-propagation)\..*\.hlo\.pb")


def propagation_options(lowered: Any) -> dict[str, Any]:
    """Options that let XLA write down the module in which every value has got its sharding.

    Empty for a program of one device, which has none.
    """
    if compat.num_partitions(lowered) < 2:
        return {}
    return {
        "xla_dump_hlo_pass_re": "^(shardy-xla|sharding-propagation)$",
        "xla_dump_hlo_as_proto": True,
        "xla_dump_hlo_as_text": False,
    }


def describe_placement(
    lowered: Any, compiled: Any, folder: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields and arrays of the message `placement`.

    Args:
        lowered: The program before compilation.
        compiled: JAX's executable.
        folder: Where XLA wrote the module that `propagation_options` asks for, if it did.
    """
    try:
        fields = _describe(lowered, compiled)
    except Exception as error:  # private names differ by release; none is worth the capture
        reason = f"JAX's description of the devices raised {type(error).__name__}."
        return {"reason": reason}, {}
    proto = _propagated_module(folder) if len(fields["devices"]) > 1 else b""
    return fields, {"proto": np.frombuffer(proto, np.uint8)} if proto else {}


def _describe(lowered: Any, compiled: Any) -> dict[str, Any]:
    given = _leaves(compiled.input_shardings)
    returned = _leaves(compiled.output_shardings)
    known = [sharding for sharding in (*given, *returned) if sharding is not None]
    devices = compat.device_order(known, compiled)
    return {
        "reason": None,
        "devices": [_describe_device(device) for device in devices],
        "axes": next((axes for each in known if (axes := _mesh_axes(each, devices))), []),
        "arguments": _texts(given, jax.tree.leaves(lowered.args_info)),
        "results": _texts(returned, jax.tree.leaves(lowered.out_info)),
    }


def _leaves(tree: Any) -> list[Any]:
    """The shardings of a tree; None for an argument that the program does not use."""
    return jax.tree.leaves(tree, is_leaf=lambda leaf: leaf is None)


def _texts(shardings: list[Any], leaves: list[Any]) -> list[str]:
    if len(shardings) != len(leaves):
        return ["" for _ in leaves]
    return [
        "" if sharding is None else compat.hlo_sharding_text(sharding, len(leaf.shape))
        for sharding, leaf in zip(shardings, leaves, strict=True)
    ]


def _mesh_axes(sharding: Any, devices: list[Any]) -> list[list[Any]]:
    """Name and size of the axes of a sharding's mesh, if it has one of these devices, in order."""
    mesh = getattr(sharding, "mesh", None)
    shape = getattr(mesh, "shape", None)
    if mesh is None or not shape or list(mesh.devices.flat) != devices:
        return []
    return [[str(name), int(size)] for name, size in shape.items()]


def _describe_device(device: Any) -> list[Any]:
    coordinates = [int(part) for part in getattr(device, "coords", ()) or ()]
    return [int(device.id), str(device.device_kind), int(device.process_index), coordinates]


def _propagated_module(folder: Path) -> bytes:
    """The serialized module after propagation; empty where XLA wrote none that can be sent."""
    for path in sorted(folder.iterdir(), reverse=True):
        if _PROPAGATED.fullmatch(path.name) and path.stat().st_size <= _MAX_PROTO_BYTES:
            try:
                return module_of(path.read_bytes())
            except ValueError:
                return b""
    return b""
