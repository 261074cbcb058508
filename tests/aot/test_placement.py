"""Programs moved from the devices they were traced on to others, with any JAX."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import json, sys
import jax, jax.numpy as jnp
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 6)
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding
from jaxscope.worker.targets.lowering import place_traced

devices = jax.devices()
others = [devices[number] for number in (3, 4, 5)]
mesh = Mesh(devices[:3], ("rows",), axis_types=(AxisType.Auto,))
x = jnp.ones((6, 4))
cut = jax.device_put(x, NamedSharding(mesh, P("rows")))
on_two = jax.device_put(x, devices[2])


def constrained(x):
    return jax.lax.with_sharding_constraint(x * 2, NamedSharding(mesh, P("rows"))).sum()


def mapped(x):
    total = lambda part: jax.lax.psum(part.sum(), "rows")
    return jax.shard_map(total, mesh=mesh, in_specs=P("rows"), out_specs=P())(x)


def looped(x):
    def body(carry, _):
        return jax.lax.with_sharding_constraint(carry, NamedSharding(mesh, P("rows"))), None
    return jax.lax.scan(body, x, None, length=2)[0]


programs = {
    "plain": (lambda x: x + 1, (x,)),
    "scalar": (lambda x, y: x + y, (x, 2.0)),
    "no arguments": (lambda: jnp.ones(3), ()),
    "cut": (lambda x: x.sum(), (cut,)),
    "one cut": (lambda x, y: (x + y).sum(), (cut, x)),
    "placed": (lambda x: x * 2, (on_two,)),
    "constrained": (constrained, (x,)),
    "shard_map": (mapped, (x,)),
    "scan": (looped, (x,)),
}
found = {}
for name, (function, arguments) in programs.items():
    traced = jax.jit(function).trace(*arguments)
    placed, count = place_traced(traced, others)
    text = placed.lower().compile().as_text()
    shardings = placed.lower().compile().output_shardings
    used = sorted({d.id for s in jax.tree.leaves(shardings) for d in s.device_set})
    found[name] = [count, used]
try:
    place_traced(jax.jit(lambda x: x).trace(jax.device_put(x, devices[5])), others)
except Exception as error:
    found["too many"] = [type(error).__name__, error.explanation.what]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found() -> dict[str, list[object]]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert answer.returncode == 0, answer.stderr
    result: dict[str, list[object]] = json.loads(answer.stdout)
    return result


@pytest.mark.parametrize("name", ["plain", "scalar", "no arguments"])
def test_what_is_placed_nowhere_goes_to_the_first_device(
    found: dict[str, list[object]], name: str
) -> None:
    assert found[name] == [1, [3]]


@pytest.mark.parametrize("name", ["cut", "one cut", "constrained", "shard_map", "scan"])
def test_what_is_cut_is_cut_over_the_others(found: dict[str, list[object]], name: str) -> None:
    assert found[name] == [3, [3, 4, 5]]


def test_a_device_is_exchanged_for_that_of_its_number(found: dict[str, list[object]]) -> None:
    assert found["placed"] == [1, [5]]


def test_more_devices_than_there_are(found: dict[str, list[object]]) -> None:
    kind, what = found["too many"]
    assert kind == "EnvironmentProblem"
    assert "device 5" in str(what)
