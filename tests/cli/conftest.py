"""The command line, a file of the user's, and one saved capture to export from."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.cli import main

SAMPLE = Path(__file__).parents[2] / "samples" / "quick_start.py"
CALL = "grad(simple_graph)(f32[1000])"

USER_FILE = '''\
"""A file with a good function and bad ones."""
import ctypes
import time

import jax.numpy as jnp

# jaxscope: good(f32[4])


def good(x):
    """The sum of sines."""
    print("tracing good")
    return jnp.sum(jnp.sin(x))


def masked(x):
    return x[x > 3]


def endless(x):
    while True:
        time.sleep(0.01)


def crash(x):
    ctypes.string_at(0)
'''


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    path = tmp_path / "user.py"
    path.write_text(USER_FILE, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A capture of a gradient, made by the command line itself."""
    path = tmp_path_factory.mktemp("captures") / "quick_start.jaxscope"
    assert main(["capture", str(SAMPLE), CALL, "-o", str(path)]) == 0
    return path


PLANTED = "planted(f32[8, 64])"


@pytest.fixture(scope="module")
def saved(program: Path) -> Path:
    """That call of a module's program, captured with its passes."""
    from jaxscope.cli import main

    path = program.with_suffix(".jaxscope")
    assert main(["capture", str(program), PLANTED, "--passes", "-o", str(path)]) == 0
    return path
