"""Real captures of a small file, made once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from captures import taking
from jaxscope.model import Capture
from jaxscope.program.diff.captures import ComparedCapture, Comparison, compare_captures

SOURCE = '''\
"""Two versions of a thing."""
import jax
import jax.numpy as jnp

# jaxscope: f(f32[8])


def f(x):
    y = jnp.sin(x)
    z = y * 2.0
    return (z * z).sum()


def one(x, w):
    return jnp.tanh(x * w).sum()


def looped(xs, w):
    return jnp.stack([one(xs[i], w) for i in range(4)])


def scanned(x):
    def step(total, value):
        return total + jnp.sin(value), total

    return jax.lax.scan(step, 0.0, x)


def recurrent(x):
    return jax.lax.scan(lambda h, v: (jnp.tanh(h + v), None), 0.0, x)[0]
'''
EDITED = SOURCE.replace("    z = y * 2.0\n", "\n    # a line more\n    z = y * 2.0 + x\n")

Take = Callable[..., Capture]


@pytest.fixture(scope="session")
def take(tmp_path_factory: pytest.TempPathFactory):
    """Captures a call of the file, or of its edited version; each call once."""
    folder = tmp_path_factory.mktemp("comparison")
    with taking() as capture:

        def take(call: str, source: str = SOURCE) -> Capture:
            path = folder / f"model_{hash(source) & 0xFFFF}.py"
            path.write_text(source)
            return capture(path, call)

        yield take


@pytest.fixture(scope="session")
def edited(take: Take) -> Comparison:
    """The file before and after an edit."""
    before, after = take("f(f32[8])"), take("f(f32[8])", EDITED)
    return compare_captures(
        ComparedCapture("old.py::f(f32[8])", before), ComparedCapture("new.py::f(f32[8])", after)
    )


@pytest.fixture(scope="session")
def saved(take: Take, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The two captures as files."""
    from jaxscope.schema.archive import save_capture

    folder = tmp_path_factory.mktemp("saved")
    paths = (folder / "old.jaxscope", folder / "new.jaxscope")
    save_capture(take("f(f32[8])"), paths[0])
    save_capture(take("f(f32[8])", EDITED), paths[1])
    return paths
