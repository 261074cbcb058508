"""Captures to export: a real one, and one whose every text is hostile."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import pytest

import jaxscope
from jaxscope.model import Capture, Leaf, SourceFile, StageText

HOSTILE = "</script><script>alert(1)</script>\x1b[2J\u202e`|\\```<img src=x onerror=alert(2)>"


def loss(weights: jax.Array, x: jax.Array) -> jax.Array:
    def step(carry: jax.Array, _: None) -> tuple[jax.Array, None]:
        return jnp.tanh(carry @ weights), None

    last, _ = jax.lax.scan(step, x, None, length=3)
    return jnp.sum(last**2)


def update(weights: jax.Array, x: jax.Array) -> jax.Array:
    return weights - 0.1 * jax.grad(loss)(weights, x)


@pytest.fixture(scope="session")
def capture() -> Capture:
    """A gradient step through a loop: forward, backward, nested bodies, fusions."""
    return jaxscope.capture(update, jnp.ones((4, 4)), jnp.ones((2, 4)))


@pytest.fixture(scope="session")
def hostile(capture: Capture) -> Capture:
    """The same with a hostile text wherever a program could put one."""
    stages = tuple(
        dataclasses.replace(stage, text=StageText.plain(HOSTILE), title=HOSTILE)
        for stage in capture.stages
    )
    leaf = Leaf(HOSTILE, HOSTILE, 0)
    return dataclasses.replace(
        capture,
        call=HOSTILE,
        target=HOSTILE,
        files=(SourceFile(HOSTILE, HOSTILE, ""),),
        source=dataclasses.replace(capture.source, file=HOSTILE, text=HOSTILE),
        arguments=(leaf,),
        results=(leaf,),
        messages=(HOSTILE,),
        stages=stages,
    )
