"""Move a traced program from the devices it was traced on to those of a topology.

A program for an absent machine is traced with arrays that lie on simulated CPU devices, as many as
the topology has: the file may make meshes of them and place its arrays. Device number n is then
exchanged for number n of the topology, in the arguments' shardings and in those that equations
carry. A program that names no device goes to the first one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, Sharding, SingleDeviceSharding

from jaxscope.errors import EnvironmentProblem, Explanation
from jaxscope.worker import compat

_PLAIN = frozenset({type(None), bool, int, str, float})


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
    move = _Move(devices)
    shardings = [move.value(sharding) for sharding in compat.placed_inputs(traced)]
    jaxpr = move.jaxpr(compat.traced_jaxpr(traced))
    parameters = move.parameters(compat.placing_parameters(traced))
    if not move.used:
        first = SingleDeviceSharding(devices[0])
        shardings = [first] * len(shardings)
        if not shardings:
            parameters["out_shardings"] = tuple(first for _ in parameters["out_shardings"])
    return compat.place_program(traced, shardings, jaxpr, parameters), max(len(move.used), 1)


class _Move:
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
                Explanation(
                    what=f"The program uses device {device.id}, and the target has "
                    f"{len(self._devices)}, counted from 0.",
                    remedy="Choose a larger topology, or a smaller mesh.",
                    kind="TooFewDevices",
                )
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
        if type(value) in _PLAIN:
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
