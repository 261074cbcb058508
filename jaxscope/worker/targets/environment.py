"""What this interpreter and this machine can do, and the settings a target needs."""

from __future__ import annotations

import datetime
import os
import platform
import socket
import sys
from typing import Any

import jax
import numpy as np

from jaxscope.errors import EnvironmentProblem
from jaxscope.model.said import say
from jaxscope.model.targets import EXAMPLES, Target, is_absent, parse_target
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.remedies import describe_missing_backend
from jaxscope.worker.faults.tracebacks import safe_text
from jaxscope.worker.host.process import TRANSFER_GUARDS
from jaxscope.worker.targets.ahead_of_time import (
    describe_compiler,
    find_missing,
    open_topology,
    quiet_compilers,
)


def prepare_target(request: dict[str, Any]) -> None:
    """Choose JAX's platform and precision for a request. Starts no backend.

    The user's file may still change everything: it runs afterwards.

    Raises:
        EnvironmentProblem: The target is not one that jaxscope knows, or nothing that is installed
            compiles for it.
    """
    name = str(request.get("target") or "cpu")
    if request.get("x64"):
        _configure("jax_enable_x64", True)
    if is_absent(name):
        _configure("jax_platforms", "cpu")
        count = len(open_topology(name).devices)
        if count > 1:
            _configure("jax_num_cpu_devices", count)
        return
    try:
        target = parse_target(name)
    except ValueError as error:
        raise EnvironmentProblem(
            str(error),
            remedy=say("Targets are {examples}.", examples=EXAMPLES),
            kind="UnknownTarget",
        ) from None
    if target.kind == "cpu":
        _configure("jax_platforms", "cpu")
        if not find_missing("gpu"):
            with quiet_compilers():  # the plugin may complain that there is no GPU
                compat.load_plugins()
        if target.number:
            _configure("jax_num_cpu_devices", target.number)
    else:
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


def _configure(name: str, value: object) -> None:
    jax.config.update(name, value)  # type: ignore[no-untyped-call] # JAX does not annotate it


def allow_transfers() -> str:
    """Set JAX's transfer guards aside; the setting that asked for one, with its value, or nothing.

    What is done to look at a program takes transfers that the program has not.
    """
    said = ""
    for name in TRANSFER_GUARDS:
        value = getattr(jax.config, name, None)
        if value not in (None, "allow"):
            said = said or f"{name}={value}"
            _configure(name, "allow")
    return said


def find_devices(target: str) -> list[jax.Device]:
    """The devices that a target names; starts the backend.

    For `cpu:8` all eight, for `gpu:1` that one, for `gpu` the first, for `aot:…` the CPU.

    Raises:
        EnvironmentProblem: The machine or the installed JAX has no such device.
    """
    wanted = Target("cpu") if is_absent(target) else parse_target(target)
    try:
        devices = jax.devices(wanted.kind)
    except Exception as error:  # JAX raises RuntimeError, or a bare AssertionError
        raise EnvironmentProblem(
            say("The target {target} is not available here.", target=target),
            why=safe_text(error) or describe_missing_backend(),
            remedy=say("`jaxscope doctor` lists the targets that work here."),
            kind=type(error).__name__,
        ) from None
    if wanted.kind == "cpu":
        return devices[:1] if is_absent(target) else devices
    index = wanted.number or 0
    if index >= len(devices):
        raise EnvironmentProblem(
            say("The target {target} is not available here.", target=target),
            why=say(
                "JAX sees {count} device(s) of the kind {kind}, counted from 0.",
                count=len(devices),
                kind=wanted.kind,
            ),
            remedy=say("`jaxscope doctor` lists the targets that work here."),
            kind="NoSuchDevice",
        )
    return [devices[index]]


def use_target(target: str) -> None:
    """Make the target's device the one that arrays go to, unless the file has chosen another.

    Where it is JAX's own choice nothing is set: under `jax.set_mesh` arrays go to the whole mesh
    only as long as there is no default device.

    Starts the backend, so the user's file must have run: only before that may it set how many
    devices there are.

    Raises:
        EnvironmentProblem: The machine or the installed JAX has no such device.
    """
    devices = find_devices(target)
    is_open = getattr(jax.config, "jax_default_device", None) is None
    if is_open and len(devices) == 1 and devices[0] != jax.devices()[0]:
        _configure("jax_default_device", devices[0])


def describe_environment(target: str = "") -> dict[str, str]:
    """Versions and the first device, as in `jaxscope.model.Environment`; starts the backend.

    Args:
        target: Of a program that is compiled only; then its devices are meant.
    """
    if is_absent(target):
        topology = open_topology(target)
        platform_name, kind = topology.platform, f"{topology.device_kind} (not here)"
    else:
        device = jax.devices()[0]
        platform_name, kind = device.platform, device.device_kind
    return {
        "jax": jax.__version__,
        "jaxlib": compat.jaxlib_version(),
        "python": platform.python_version(),
        "platform": platform_name,
        "device": kind,
        "host": socket.gethostname(),
        "recorded_at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    }


def handle_environment(_request: dict[str, Any], channel: Channel) -> None:
    """Answer what `jaxscope doctor` asks: versions, devices, targets. Runs no user code."""
    channel.progress("environment", say("Looking for devices"))
    with quiet_compilers():
        devices, targets = _survey()
    channel.send(
        "environment",
        {
            "jax": jax.__version__,
            "jaxlib": compat.jaxlib_version(),
            "numpy": np.__version__,
            "python": platform.python_version(),
            "executable": sys.executable,
            "platform": devices[0]["platform"] if devices else "",
            "device": devices[0]["kind"] if devices else "",
            "host": socket.gethostname(),
            "system": platform.platform(),
            "devices": devices,
            "targets": targets,
        },
    )


def _survey() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    devices: list[dict[str, Any]] = []
    targets: list[dict[str, Any]] = []
    for kind in ("gpu", "tpu", "cpu"):
        try:
            found = jax.devices(kind)
        except Exception as error:  # JAX raises RuntimeError, or a bare AssertionError
            first_line = (safe_text(error) or type(error).__name__).splitlines()[0]
            targets.append({"target": kind, "is_available": False, "reason": first_line})
            continue
        devices += (_describe_device(device) for device in found)
        targets.append({"target": kind, "is_available": True, "reason": ""})
    targets.append({"target": "cpu:8", "is_available": True, "reason": ""})
    targets += (_survey_compiler("tpu"), _survey_compiler("gpu"))
    return devices, targets


def _describe_device(device: jax.Device) -> dict[str, Any]:
    try:
        statistics = device.memory_stats() or {}
    except Exception:  # not every backend implements it
        statistics = {}
    return {
        "id": device.id,
        "platform": device.platform,
        "kind": device.device_kind,
        "memory_bytes": statistics.get("bytes_limit"),
    }


def _survey_compiler(kind: str) -> dict[str, Any]:
    missing = find_missing(kind)
    return {
        "target": f"aot:{kind}:…",
        "is_available": not missing,
        "reason": missing or describe_compiler(kind),
    }
