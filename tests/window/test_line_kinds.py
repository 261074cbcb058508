"""Why nothing comes from a line, where the line itself tells."""

from __future__ import annotations

import pytest

from jaxscope.program.source_lines import explain_idle_line, find_statement

TEXT = '''"""What the file
is about."""
import jax
from jax import (
    numpy as jnp,
)

RATE = 0.1  # a setting
# a remark


@jax.jit
def loss(
    w, x,
):
    """The loss."""
    y = jnp.sin(
        w * x
    )
    # inside
    return y


class Net:
    width = 3

    def call(self, x): return x * 2


double = lambda x: x * 2
'''


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (1, "a docstring"),
        (2, "a docstring"),
        (3, "imports"),
        (5, "imports"),
        (7, "empty"),
        (8, "in no function"),
        (9, "comment"),
        (12, "decorates a function, loss"),
        (13, "a function, loss"),
        (14, "a function, loss"),
        (16, "a docstring"),
        (17, ""),
        (18, ""),
        (20, "comment"),
        (21, ""),
        (24, "a class, Net"),
        (25, "in no function"),
        (27, ""),
        (30, ""),
        (99, "The file has 30 lines."),
    ],
)
def test_a_line_is_told_for_what_it_is(line: int, told: str) -> None:
    found = explain_idle_line(TEXT, line)
    assert (told in found) if told else not found, found


def test_a_decorator_that_runs_while_its_surroundings_are_traced_may_compute_something() -> None:
    inside = (
        "def f(x):\n    @scaled(jnp.ones(3))\n    def g(y):\n        return y\n    return g(x)\n"
    )
    assert explain_idle_line(inside, 2) == ""
    wrapped = "@(lambda f: lambda x: f(x) + 1)\ndef g(y):\n    return y\n"
    assert explain_idle_line(wrapped, 1) == "", "what is in a lambda is traced"
    two = "@jax.jit\n@partial(\n    jax.checkpoint,\n)\nclass G:\n    pass\n"
    assert all("decorates a class, G" in explain_idle_line(two, line) for line in (1, 2, 3, 4))


def test_of_a_file_whose_text_is_not_known_nothing_is_told() -> None:
    assert explain_idle_line("", 3) == ""


def test_of_a_file_that_python_cannot_read_only_what_is_seen_is_told() -> None:
    assert explain_idle_line("def f(:\n# x\n    y = 1\n", 3) == ""
    assert "comment" in explain_idle_line("def f(:\n# x\n", 2)


def test_a_line_stands_in_the_innermost_statement() -> None:
    text = (
        "def f(x):\n    y = jnp.where(\n        x > 0,\n        x,\n    )\n"
        "    if (\n        y\n    ):\n        return g(\n            y)\n    return y\n"
    )
    assert [find_statement(text, line) for line in (3, 5, 7, 10, 11)] == [
        *(range(2, 6), range(2, 6), range(6, 9), range(9, 11), range(11, 12))
    ]
    assert not find_statement("def f(:\n", 1) and not find_statement(text, 99)
