"""Lower a traced program for the target, here or not, and say whether an absent chip has room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jaxscope.worker.ahead_of_time import NOT_KNOWN, is_ahead_of_time, open_topology
from jaxscope.worker.channel import Channel
from jaxscope.worker.placement import place_traced


def lower_for_target(traced: Any, target: str, channel: Channel) -> Any:
    """Lower a `jax.stages.Traced`, and say what compiling ahead of time leaves open.

    Returns:
        A `jax.stages.Lowered`.

    Raises:
        EnvironmentProblem: The program is placed on a device that the target does not have.
        Exception: Whatever JAX raises.
    """
    if not is_ahead_of_time(target):
        return traced.lower()
    topology = open_topology(target)
    placed, num_used = place_traced(traced, topology.devices)
    channel.message(NOT_KNOWN)
    count = len(topology.devices)
    if num_used < count:
        channel.message(
            f"The program uses {num_used} of the {count} devices of {target}: nothing in it is "
            "placed on the others. The file finds as many simulated devices in jax.devices(), and "
            "what it shards over them is sharded over the target's."
        )
    return placed.lower()


def tell_fit(target: str, memory: Mapping[str, Any], channel: Channel) -> None:
    """Say whether a program for an absent chip fits into the memory of one of its devices.

    Args:
        target: The request's.
        memory: Fields of the message `memory`.
        channel: Where to; nothing is said of other targets and of what is not known.
    """
    chip = open_topology(target).chip if is_ahead_of_time(target) else None
    needed = _needed_bytes(memory)
    if chip is None or needed is None:
        return
    fits = needed <= chip.device_memory_bytes
    channel.message(
        f"{'It fits' if fits else 'It does not fit'}: a device needs {_show_bytes(needed)} and has "
        f"{_show_bytes(chip.device_memory_bytes)} ({chip.title})."
        + (" How much it has is not verified." if "memory_bytes" in chip.unverified else "")
    )


def _needed_bytes(memory: Mapping[str, Any]) -> float | None:
    if memory.get("peak_bytes") is not None:
        return float(memory["peak_bytes"])
    known = [memory.get(f"{part}_bytes") for part in ("argument", "result", "temporary")]
    parts = [float(part) for part in known if part is not None]
    if len(parts) < len(known):
        return None
    return sum(parts) - float(memory.get("aliased_bytes") or 0)


def _show_bytes(num_bytes: float) -> str:
    """As XLA counts memory: in powers of 1024."""
    if num_bytes >= 2**30:
        return f"{num_bytes / 2**30:.1f} GiB"
    if num_bytes >= 2**20:
        return f"{num_bytes / 2**20:.1f} MiB"
    return f"{num_bytes / 2**10:.1f} KiB"
