"""Static arguments that a loop gives new values to, found in the text of a file."""

from __future__ import annotations

import ast
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from cli.commands import CommandLine
from jaxscope.worker.checks.static_arguments import find_places

_STEP = "@partial(jax.jit, static_argnums=1)\ndef step(x, i):\n    return x * 0.5 + x * i\n"
FAULTS = (
    f"{_STEP}for i in range(100):\n    x = step(x, i)",
    f"{_STEP}def train(x):\n    for i in range(n):\n        x = step(x, i=i)",
    f"{_STEP}for n, batch in enumerate(data):\n    x = step(batch, n)",
    "f = jax.jit(lambda x, t: x / (t + x), static_argnames='t')\nfor t in range(9):\n    f(x, t)",
    "@jax.jit(static_argnames=('i',))\ndef noisy(key, x, *, i):\n"
    "    return x + jax.random.normal(jax.random.fold_in(key, i))\n"
    "for i in range(n):\n    noisy(key, x, i=i)",
    "def step(x, i):\n    return x - (i * x)\ng = jit(step, static_argnums=(1,))\n"
    "for i in range(8):\n    with t:\n        x = g(x, i)",
)
ALIKE = (
    f"{_STEP}for i in range(3):\n    x = step(x, i)",
    f"{_STEP}for i in range(100):\n    x = step(x, 2)",
    f"{_STEP}for i in sizes:\n    x = step(x, i)",
    f"{_STEP}def run(x, i):\n    return step(x, i)",
    _STEP.replace("x * i", "jnp.zeros(i)") + "for i in range(100):\n    x = step(x, i)",
    _STEP.replace("x * i", "x ** i") + "for i in range(100):\n    x = step(x, i)",
    _STEP.replace("x * i", "(x if i else 0)") + "for i in range(100):\n    x = step(x, i)",
    _STEP.replace("x * i", "x * i + x[i:]") + "for i in range(100):\n    x = step(x, i)",
    _STEP.replace("static_argnums=1", "donate_argnums=0")
    + "for i in range(100):\n    x = step(x, i)",
    _STEP.replace("static_argnums=1", "static_argnums=7") + "for i in range(9):\n    step(x, i)",
    _STEP.replace("static_argnums=1", "static_argnums=S") + "for i in range(9):\n    step(x, i)",
    f"{_STEP}def step(x, i):\n    return x\nfor i in range(9):\n    step(x, i)",
    f"{_STEP}for i in range(9):\n    step(*xs, i)",
)
_HEAD = "import jax\nfrom functools import partial\nfrom jax import jit\n"


@pytest.mark.parametrize("text", FAULTS)
def test_a_static_argument_that_is_new_in_each_round_is_found(text: str) -> None:
    assert len(find_places(ast.parse(_HEAD + text))) == 1


@pytest.mark.parametrize("text", ALIKE)
def test_one_that_is_fixed_or_must_be_static_is_not(text: str) -> None:
    assert find_places(ast.parse(_HEAD + text)) == []


def test_each_value_of_a_static_argument_is_traced_and_a_traced_one_once() -> None:
    traced = []

    def step(x: jax.Array, i: int) -> jax.Array:
        traced.append(i)
        return x * 0.5 + x * i

    static, plain = jax.jit(step, static_argnums=1), jax.jit(step)
    results = [static(jnp.arange(3.0), i) for i in range(5)]
    assert len(traced) == 5
    again = [plain(jnp.arange(3.0), i) for i in range(5)]
    assert len(traced) == 6 and all(map(jnp.array_equal, results, again))


@pytest.mark.parametrize(
    ("call", "is_told"),
    [
        ("step(f32[3], 2)", True),
        ("train(f32[3])", True),
        ("half(f32[3])", True),
        ("fast(f32[3])", True),
        ("other(f32[3])", False),
    ],
)
def test_a_loop_is_told_of_the_calls_that_it_has_to_do_with(
    jaxscope: CommandLine, tmp_path: Path, call: str, is_told: bool
) -> None:
    file = tmp_path / "program.py"
    file.write_text(
        f"{_HEAD}def half(x):\n    return x * 0.5\n"
        "@partial(jax.jit, static_argnums=1)\ndef step(x, i):\n    return half(x) + x * i\n"
        "def train(x):\n    for i in range(9):\n        x = step(x, i)\n    return x\n"
        "fast = jit(train)\n"
        "def other(x):\n    return x + 1\n"
    )
    assert ("static-argument-in-loop" in jaxscope("check", file, call).output) is is_told
