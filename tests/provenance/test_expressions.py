"""Each instruction is linked to the expression that XLA's own names say it came from.

A generated program, whose every expression is in a named scope of its own; `bench/expressions.py`
checks many more.
"""

from __future__ import annotations

import pytest

from bench import expressions


def test_programs_are_the_same_every_time_and_each_expression_has_a_scope() -> None:
    source = expressions.Generator(3).write()
    assert source == expressions.Generator(3).write()
    compile(source, "generated.py", "exec")
    scopes = [line for line in source.split("\n") if "named_scope" in line]
    assert len(scopes) > 20
    assert all(
        kind in source for kind in ("lax.scan", "jax.checkpoint", "custom_vjp", "custom_jvp")
    )


@pytest.mark.parametrize(
    ("seed", "call"),
    [(3, 0), (3, 3), (5, 4), (5, 7), (1, 6)],
    ids=["plain", "mapped", "saved", "hessian", "pushed"],
)
@pytest.mark.slow
def test_no_instruction_is_linked_to_another_expression(seed: int, call: int) -> None:
    found = expressions.check_program(seed, (expressions.CALLS[call],))
    assert found.pairs > 30
    assert found.wrong == 0, found.examples
    assert found.missing == 0, found.examples
