"""The error of a leaked tracer names the line that made it and the variable that keeps it."""

from __future__ import annotations

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from jaxscope.client.check import check_call
from jaxscope.client.requests import CaptureRequest
from jaxscope.worker.host.user_module import execute_file

LEAKS = """\
import jax
import jax.numpy as jnp

SAVED = []
HELD = {}

def from_scan(x):
    def body(carry, _):
        SAVED.append(carry * 2)  # made
        return carry, None
    return jax.lax.scan(body, x, None, length=3)[0] + SAVED[0]

def from_argument(x):
    jax.jit(lambda given: HELD.update(a=given) or given)(x)  # made
    return HELD["a"] + 1

def from_gradient(x):
    def loss(w):
        HELD["h"] = w * 2  # made
        return w.sum()
    return jax.grad(loss)(x) + HELD["h"]
"""


@pytest.mark.parametrize(
    ("name", "kept"),
    [("from_scan", "SAVED[0]"), ("from_argument", "HELD['a']"), ("from_gradient", "HELD['h']")],
)
def test_a_leak_is_told_with_its_line_and_its_variable(
    name: str, kept: str, tmp_path: Path
) -> None:
    path = tmp_path / "leaks.py"
    path.write_text(LEAKS)
    start = LEAKS.splitlines().index(f"def {name}(x):")
    lines = enumerate(LEAKS.splitlines(), 1)
    line = next(n for n, text in lines if n > start and text.endswith("# made"))

    (check,) = check_call(CaptureRequest(str(path), f"{name}(f32[3])")).checks

    assert (check.rule, check.line) == ("leaked-tracer", line)
    assert f"It was made at leaks.py:{line} in " in check.message
    assert f"It is kept in `{kept}`." in check.message
    # JAX itself, where it says the line
    with pytest.raises(jax.errors.UnexpectedTracerError) as raised:
        vars(execute_file(str(path), LEAKS))[name](jnp.ones(3))
    made = re.search(r"created on line \S+leaks.py:(\d+)", str(raised.value))
    assert made is None or int(made[1]) == line
