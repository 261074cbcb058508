"""Lower a traced program for the target: where it was traced, or for devices that are not there."""

from __future__ import annotations

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
