"""Real captures of small programs whose memory can be told by hand."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import pytest

from captures import taking
from jaxscope.model import Capture

SOURCE = """\
import jax
import jax.numpy as jnp
import numpy as np

TABLE = np.ones((300, 4), np.float32)

# jaxscope: loss([f32[64, 64], f32[64, 64]], f32[256, 64])


def loss(ws, x):
    for w in ws:
        x = jnp.tanh(x @ w)
    return (x**2).sum()


def scanned(w, x):
    def layer(h, w):
        return jnp.tanh(h @ w), None

    h, _ = jax.lax.scan(layer, x, w)
    return jnp.sum(h**2)


def looped(x):
    return jax.lax.fori_loop(0, 10, lambda i, x: x @ x.T, x)


def branching(x):
    return jax.lax.cond(x.sum() > 0, lambda x: x @ x, lambda x: x.T @ x @ x, x)


def step(state, g):
    return {name: value - 0.1 * g for name, value in state.items()}


def total(x, y):
    return x.sum() + y


def first(x, unused):
    return x * 2.0


def captured(x):
    return (jnp.asarray(TABLE) * x).sum()


@jax.jit
def wave(x):
    return jnp.sin(x) * 2


def twice(x):
    return wave(wave(x) + 1)


def pair(x):
    return x + 1, x * 2
"""

Take = Callable[[str], Capture]


@pytest.fixture(scope="session")
def take(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Take]:
    """Captures a call of the file; each call once."""
    path = tmp_path_factory.mktemp("memory") / "programs.py"
    path.write_text(SOURCE)
    with taking() as capture:
        yield functools.partial(capture, path)
