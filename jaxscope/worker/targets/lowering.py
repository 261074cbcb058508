"""Lower a traced program for its target, here or not, and say whether an absent chip has room for
it.

A program for an absent machine is traced with arrays on simulated CPU devices, as many as the
topology has. Device n is then exchanged for device n of the topology, in the arguments' shardings
and in those that equations carry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, Sharding, SingleDeviceSharding

from jaxscope.errors import EnvironmentProblem
from jaxscope.model.hardware import MORE_THAN_DEFAULT
from jaxscope.model.said import NAMED, say, say_joined
from jaxscope.model.targets import is_absent
from jaxscope.model.units import format_bytes
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.targets.ahead_of_time import NOT_KNOWN, open_topology

# Move a traced program from the devices it was traced on to those of a topology.
#
# A program for an absent machine is traced with arrays that lie on simulated CPU devices, as many
# as the topology has: the file may make meshes of them and place its arrays. Device number n is
# then exchanged for number n of the topology, in the arguments' shardings and in those that
# equations carry. A program that names no device goes to the first one.


def place_traced(traced: Any, devices: Sequence[Any]) -> tuple[Any, int]:
    """A traced program for other devices.

    Args:
        traced: A `jax.stages.Traced`.
        devices: Of a topology, in the order of their numbers.

    Returns:
        A `jax.stages.Traced` that lowers and compiles for them, and how many of them it uses.

    Raises:
        EnvironmentProblem: The program is placed on a device that the topology does not have.
    """
    move = _DeviceExchange(devices)
    shardings = [move.value(sharding) for sharding in compat.placed_inputs(traced)]
    jaxpr = move.jaxpr(compat.traced_jaxpr(traced))
    parameters = move.parameters(compat.placing_parameters(traced))
    if not move.used:
        first = SingleDeviceSharding(devices[0])
        shardings = [first] * len(shardings)
        if not shardings:
            parameters["out_shardings"] = tuple(first for _ in parameters["out_shardings"])
    return compat.place_program(traced, shardings, jaxpr, parameters), max(len(move.used), 1)


class _DeviceExchange:
    """Exchanges devices in whatever holds some.

    Attributes:
        used: Numbers of the devices that were met.
    """

    def __init__(self, devices: Sequence[Any]) -> None:
        self._devices = devices
        # The original is kept alive beside its copy: ids of freed objects are used again.
        self._done: dict[int, tuple[Any, Any]] = {}
        self.used: set[int] = set()

    def device(self, device: Any) -> Any:
        if device.platform != "cpu":
            return device  # a topology's own, which the file took from JAX
        if device.id >= len(self._devices):
            raise EnvironmentProblem(
                say(
                    "The program uses device {device}, and the target has {count}, counted from 0.",
                    device=device.id,
                    count=len(self._devices),
                ),
                remedy=say("Choose a larger topology, or a smaller mesh."),
                kind="TooFewDevices",
            )
        self.used.add(device.id)
        return self._devices[device.id]

    def mesh(self, mesh: Mesh) -> Mesh:
        if mesh.empty:
            return mesh
        devices = np.empty(mesh.devices.shape, object)
        for place, device in np.ndenumerate(mesh.devices):
            devices[place] = self.device(device)
        return Mesh(devices, mesh.axis_names, axis_types=mesh.axis_types)

    def sharding(self, sharding: Sharding) -> Sharding:
        if isinstance(sharding, NamedSharding):
            if not isinstance(sharding.mesh, Mesh):
                return sharding  # an abstract mesh has no devices
            return NamedSharding(self.mesh(sharding.mesh), sharding.spec)
        devices: list[Any] = list(sharding.device_set)
        if len(devices) == 1:
            return SingleDeviceSharding(self.device(devices[0]))
        moved: Sharding = compat.replace_sharding_devices(sharding, self.device)
        return moved

    def value(self, value: Any) -> Any:
        """A parameter of an equation, or part of one."""
        if type(value) in compat.PLAIN:
            return value
        if isinstance(value, Sharding):
            return self.sharding(value)
        if isinstance(value, Mesh):
            return self.mesh(value)
        if isinstance(value, jax.Device):
            return self.device(value)
        if compat.is_jaxpr(value):
            return self.jaxpr(value)
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        if isinstance(value, tuple | list):
            items = [self.value(item) for item in value]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            if hasattr(value, "_fields"):
                return type(value)(*items)
            return items if isinstance(value, list) else tuple(items)
        return value

    def parameters(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.value(value) for name, value in parameters.items()}

    def jaxpr(self, jaxpr: Any) -> Any:
        """A jaxpr with its nested ones; one that several equations share stays shared."""
        known = self._done.get(id(jaxpr))
        if known is None:
            moved = (
                self._equations(jaxpr) if compat.open_jaxpr(jaxpr) is jaxpr else self._closed(jaxpr)
            )
            known = self._done[id(jaxpr)] = (jaxpr, moved)
        return known[1]

    def _closed(self, jaxpr: Any) -> Any:
        inner = compat.open_jaxpr(jaxpr)
        moved = self.jaxpr(inner)
        return jaxpr if moved is inner else jaxpr.replace(jaxpr=moved)

    def _equations(self, jaxpr: Any) -> Any:
        equations, has_changed = [], False
        for equation in jaxpr.eqns:
            parameters = self.parameters(equation.params)
            if any(parameters[name] is not value for name, value in equation.params.items()):
                equation, has_changed = equation.replace(params=parameters), True
            equations.append(equation)
        return compat.replace_equations(jaxpr, equations) if has_changed else jaxpr


def lower_for_target(traced: Any, target: str, channel: Channel) -> Any:
    """Lower a `jax.stages.Traced`, and say what compiling ahead of time leaves open.

    Returns:
        A `jax.stages.Lowered`.

    Raises:
        EnvironmentProblem: The program is placed on a device that the target does not have.
        Exception: Whatever JAX raises.
    """
    if not is_absent(target):
        return compat.lower(traced)
    topology = open_topology(target)
    placed, num_used = place_traced(traced, topology.devices)
    channel.message(NOT_KNOWN)
    if topology.platform == "tpu" and (other := compat.describe_other_libtpu()):
        channel.message(other)
    count = len(topology.devices)
    if num_used < count:
        channel.message(
            say(
                "The program uses {num_used} of the {count} devices of {target}: nothing in "
                "it is placed on the others. The file finds as many simulated devices in "
                "jax.devices(), and what it shards over them is sharded over the target's.",
                num_used=num_used,
                count=count,
                target=target,
            )
        )
    return compat.lower(placed)


def send_memory_fit(target: str, memory: Mapping[str, Any], channel: Channel) -> None:
    """Say whether a program for an absent chip fits into the memory of one of its devices.

    Args:
        target: The request's.
        memory: Fields of the message `memory`.
        channel: Where to; nothing is said of other targets and of what is not known.
    """
    chip = open_topology(target).chip if is_absent(target) else None
    needed = _needed_bytes(memory)
    if chip is None or needed is None:
        return
    there = chip.device_memory_bytes
    if chip.refuses_what_does_not_fit and needed > there:
        told = say(
            "It fits: the compiler found room in {there} ({title}). What it says is "
            "needed, {needed}, has values in it that lie on the chip.",
            there=format_bytes(there),
            title=chip.title,
            needed=format_bytes(needed),
        )
    else:
        sizes = say(
            "a device needs {needed} and has {there} ({title}).",
            needed=format_bytes(needed),
            there=format_bytes(there),
            title=chip.title,
        )
        fits = say("It fits") if needed <= there else say("It does not fit")
        told = say(NAMED, name=fits, meaning=sizes)
    exceeds = MORE_THAN_DEFAULT if chip.default_memory_bytes < needed <= there else ""
    is_unsure = "memory_bytes" in chip.unverified
    unsure = say("How much it has is not verified.") if is_unsure else ""
    channel.message(say_joined((told, exceeds, unsure)))


def _needed_bytes(memory: Mapping[str, Any]) -> float | None:
    if memory.get("peak_bytes") is not None:
        return float(memory["peak_bytes"])
    known = [memory.get(f"{part}_bytes") for part in ("argument", "result", "temporary")]
    parts = [float(part) for part in known if part is not None]
    if len(parts) < len(known):
        return None
    return sum(parts) - float(memory.get("aliased_bytes") or 0)
