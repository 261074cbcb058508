"""The library's reports, data that prints itself: comparisons, remat policies, devices."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp
import pytest

import jaxscope
from cli.conftest import CALL, SAMPLE
from jaxscope.errors import SourceError, UsageError
from jaxscope.model import is_available

PROGRAM = """
import jax, jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

def loss(w, x):
    return jnp.sum(jnp.tanh(jnp.sin(x @ w)) ** 2)

mesh = Mesh(jax.devices(), ("data",))

def spread(x):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("data")))
    return jnp.sum(x * 2.0)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_a_saved_capture_equals_the_same_call_now(archive: Path) -> None:
    found = jaxscope.diff(archive, f"{SAMPLE}::{CALL}")
    assert found.is_equal
    assert "Equal: no stage that both sides have differs." in repr(found)


def test_two_captures_of_this_process_differ_in_their_nodes() -> None:
    first = jaxscope.capture(lambda x: jnp.sin(x) * 2.0, jnp.ones(3))
    second = jaxscope.capture(lambda x: jnp.cos(x) * 2.0, jnp.ones(3))
    found = jaxscope.diff(first, second)
    assert not found.is_equal
    assert "Different in" in repr(found)
    assert found.first.name != found.second.name


def test_a_side_that_is_none() -> None:
    with pytest.raises(UsageError, match="neither a saved capture nor a call"):
        jaxscope.diff("a.txt", "b.txt")


def test_remat_policies(program: Path) -> None:
    found = jaxscope.remat(program, "loss(f32[8, 8], f32[4, 8])")
    base = found.as_written
    assert base is not None
    by_policy = {outcome.policy: outcome for outcome in found.outcomes}
    assert by_policy["nothing_saveable"].kept_bytes < base.kept_bytes
    assert all(policy in repr(found) for policy in by_policy)


def test_how_a_program_is_spread(program: Path, tmp_path: Path) -> None:
    capture = jaxscope.capture_file(program, "spread(f32[8, 4])", target="cpu:2")
    found = jaxscope.sharding(capture)
    assert found.num_devices == 2
    assert is_available(found.collectives) and found.collectives
    assert "2 devices" in repr(found)
    with pytest.raises(SourceError):
        jaxscope.sharding(tmp_path / "absent.jaxscope")
