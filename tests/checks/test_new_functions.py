"""Functions that a loop makes and jits anew, found in the text of a file."""

from __future__ import annotations

import ast

import pytest

from jaxscope.worker.checks.new_functions import find_lines

FAULTS = (
    "for _ in range(30):\n    jax.jit(lambda x: x * 2)(y)",
    "for _ in range(n):\n    jax.jit(lambda x: x * 2)(y)",
    "while n:\n    f = jax.jit(lambda x: x * k)\n    y = f(y)",
    "for x in batches:\n    def step(a):\n        return a + 1\n    out = jax.jit(step)(x)",
    "def train(d):\n    for x in d.loader:\n        with t:\n            y = jit(lambda a: a)(x)",
    "for e in range(9):\n    for x in range(e):\n        f = jit(lambda a: g(a))\n        f(x)",
)
ALIKE = (
    "f = jax.jit(lambda x: x)\nfor x in batches:\n    f(x)",
    "for n in range(m):\n    jax.jit(lambda x: x * n)(y)",
    "for n in range(m):\n    fs.append(jax.jit(lambda x: x))",
    "for n in range(m):\n    f = jax.jit(lambda x, n=n: x)\n    f(y)",
    "for x in batches:\n    jax.jit(step)(x)",
    "for x in batches:\n    def run():\n        return jax.jit(lambda a: a)(x)",
    "for x in batches:\n    c.lr *= 0.5\n    jax.jit(lambda a: a * c.lr)(x)",
    "for x in batches:\n    w[0] = x\n    jax.jit(lambda a: a * w[0])(x)",
    "for x in xs:\n    jax.jit(lambda a: a)(x)",
    "for _ in range(3):\n    jax.jit(lambda x: x * 2)(y)",
    "for k in (2, 3):\n    jax.jit(lambda x: x * 2)(y)",
    "for x in batches:\n    t = time.perf_counter()\n    jax.jit(lambda a: a)(x)",
    "def test_it():\n    for x in batches:\n        jax.jit(lambda a: a)(x)",
    "for x in batches:\n    numba.jit(lambda a: a)(x)",
    "for n in range(m):\n    def step(a):\n        return a + n\n    out = jax.jit(step)(x)",
)


@pytest.mark.parametrize("text", FAULTS)
def test_a_function_that_is_new_in_each_round_is_found(text: str) -> None:
    assert len(find_lines(ast.parse(f"import jax\nfrom jax import jit\n{text}"))) == 1


@pytest.mark.parametrize("text", ALIKE)
def test_one_that_is_made_once_or_must_be_new_is_not(text: str) -> None:
    assert find_lines(ast.parse(f"import jax\nfrom jax import jit\n{text}")) == []
