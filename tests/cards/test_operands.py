"""What operands are called, and of which operations they may be exchanged."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model import NodeKind
from jaxscope.picture.view.operations import COMMUTATIVE
from jaxscope.program.cards import name_operands, read_cards
from tests.cards.test_formulas import EXAMPLES, find_equation

HLO_NAMES = {"maximum": "max", "minimum": "min", "multiply": "mul"}


@pytest.mark.parametrize(
    ("operation", "kind", "num", "names"),
    [
        ("sub", NodeKind.EQUATION, 2, ("x", "y")),
        ("select_n", NodeKind.EQUATION, 3, ("which", "x", "y")),
        ("select_n", NodeKind.EQUATION, 4, ("1", "2", "3", "4")),
        ("dynamic_update_slice", NodeKind.EQUATION, 4, ("x", "y", "starts[0]", "starts[1]")),
        ("scatter-add", NodeKind.EQUATION, 3, ("x", "i", "u")),
        ("concatenate", NodeKind.EQUATION, 3, ("1", "2", "3")),
        ("somebody_elses", NodeKind.EQUATION, 2, ("1", "2")),
        ("select", NodeKind.INSTRUCTION, 3, ("which", "x", "y")),
        ("stablehlo.clamp", NodeKind.OPERATION, 3, ("low", "x", "high")),
        ("dynamic-update-slice", NodeKind.INSTRUCTION, 4, ("1", "2", "3", "4")),
    ],
)
def test_operands_are_called_as_on_the_card(
    operation: str, kind: NodeKind, num: int, names: tuple[str, ...]
) -> None:
    assert name_operands(operation, kind, num) == names


def test_operands_may_be_exchanged_where_that_is_said() -> None:
    """Of all primitives with two operands of one type, as JAX computes them."""
    found: dict[str, bool] = {}
    for name in EXAMPLES:
        equation = find_equation(name)
        types = [operand.aval for operand in equation.invars]
        if len(types) == 2 and str(types[0]) == str(types[1]):
            first = np.arange(types[0].size).reshape(types[0].shape) % 7 + 1
            pair = [jnp.asarray(each, types[0].dtype) for each in (first, (first + 2) % 5)]
            results = [
                np.asarray(equation.primitive.bind(*operands, **equation.params))
                for operands in (pair, pair[::-1])
            ]
            found[name] = np.array_equal(*results)
    assert len(found) > 20 and {"sub", "div", "atan2"} <= found.keys()
    assert {name for name in found if found[name]} == COMMUTATIVE & EXAMPLES.keys()


def test_opcodes_and_primitives_agree_on_it() -> None:
    primitives, opcodes = read_cards()
    assert {HLO_NAMES.get(name, name) for name in COMMUTATIVE} <= primitives.keys()
    for name in COMMUTATIVE & opcodes.keys():
        assert HLO_NAMES.get(name, name) in COMMUTATIVE
        assert name_operands(name, NodeKind.INSTRUCTION, 2) == ("x", "y")
