"""A capture of the library's own writes itself, and is read again."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import jaxscope
from jaxscope.errors import UsageError
from jaxscope.model import is_available


@pytest.mark.parametrize("ending", ["jaxscope", "json"])
def test_a_capture_saves_itself_and_is_loaded_again(tmp_path: Path, ending: str) -> None:
    made = jaxscope.capture(jnp.sin, jnp.ones(3))
    made.save(tmp_path / f"a.{ending}")
    again = jaxscope.load(str(tmp_path / f"a.{ending}"))
    assert again.call == made.call
    assert [stage.name for stage in again.stages] == [stage.name for stage in made.stages]
    assert repr(again) == repr(made)
    again.save(tmp_path / "b.json")
    assert json.loads((tmp_path / "b.json").read_text())["format"] == "jaxscope.capture"


def test_what_cannot_be_written_is_refused_before_anything_is(tmp_path: Path) -> None:
    made = jaxscope.capture(jnp.sin, jnp.ones(3))
    with pytest.raises(UsageError, match="no name of a capture"):
        made.save(tmp_path / "a.pickle")
    with pytest.raises(UsageError):
        made.save(tmp_path / "nowhere" / "a.json")
    assert not list(tmp_path.iterdir())


def test_branches_and_lambdas_have_the_names_that_jax_knows() -> None:
    def grow(x: jax.Array) -> jax.Array:
        return x * 2

    def program(x: jax.Array) -> jax.Array:
        y = jax.lax.cond(x.sum() > 0, grow, lambda v: v - 1, x)
        return jax.jit(lambda v: jnp.tanh(v) + 1)(y)

    made = jaxscope.capture(program, jnp.ones(3))
    stage = made.stage("jaxpr")
    assert stage is not None and is_available(stage.graph)
    graph = stage.graph
    labels = [graph.strings[label] for label in graph.groups.label.tolist()]
    assert "branch 1: grow" in labels and "branch 0" in labels
    assert any(label.startswith("lambda at test_saving.py:") for label in labels)
