"""The formulas of cards, as they are shown, against JAX: what a primitive computes, the tangent of
its result, and what flows back to its operands.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy  # loads `scipy.signal` and others when a line names them
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

from jaxscope.program.cards import Card, read_cards
from jaxscope.report.cards import list_facts
from tests.cards.examples import EXAMPLES

PRIMITIVES = read_cards()[0]
_CLOSE = {"rtol": 2e-4, "atol": 2e-5}
# What eager JAX does to these is not comparable by value: signs of eigenvectors and columns.
_UP_TO_SIGN = {"eigh", "qr"}


def shown(card: Card, label: str) -> str:
    """The formula that a reader sees under a label, or nothing."""
    facts = [fact for _, facts in list_facts(card) for fact in facts]
    return next((fact.text for fact in facts if fact.label == label and fact.is_code), "")


def equations(jaxpr: Any) -> Iterator[JaxprEqn]:
    """The equations of a jaxpr and of those inside it."""
    inner: Jaxpr = jaxpr.jaxpr if isinstance(jaxpr, ClosedJaxpr) else jaxpr
    for equation in inner.eqns:
        yield equation
        for value in equation.params.values():
            for each in value if isinstance(value, tuple | list) else [value]:
                if isinstance(each, ClosedJaxpr | Jaxpr):
                    yield from equations(each)


@functools.cache
def find_equation(name: str) -> JaxprEqn:
    """The equation that an example of a primitive is about."""
    function, args = EXAMPLES[name]
    found = [e for e in equations(jax.make_jaxpr(function)(*args)) if e.primitive.name == name]
    assert found, f"the example of {name} has none"
    return found[0]


def names_of(name: str, args: tuple[Any, ...]) -> dict[str, Any]:
    """What a formula may use: operands, parameters, NumPy and SciPy."""
    params = find_equation(name).params
    known: dict[str, Any] = {"np": np, "scipy": scipy, **params, "params": params}
    for number, operand in enumerate(PRIMITIVES[name].operands.split()):
        if operand.startswith("*"):
            known[operand[1:]] = args[number:]
        elif number < len(args):
            known[operand] = np.asarray(args[number])
    return known


def compute(formula: str, known: dict[str, Any]) -> Any:
    """The value of an expression, or of `out` after statements."""
    if "out =" not in formula:
        return eval(formula, known)
    exec(formula, known)
    return known["out"]


def doubled(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        a.astype(np.float64) if a.dtype == np.float32 else a for a in map(np.asarray, args)
    )


def assert_close(found: Any, wanted: Any, what: str, *, is_up_to_sign: bool = False) -> None:
    pairs = list(zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True))
    assert pairs
    for mine, theirs in pairs:
        theirs = np.asarray(theirs)
        mine = np.broadcast_to(mine, theirs.shape) if np.ndim(mine) == 0 else np.asarray(mine)
        assert mine.shape == theirs.shape, what
        if is_up_to_sign:
            mine, theirs = np.abs(mine), np.abs(theirs)
        np.testing.assert_allclose(
            mine.astype(theirs.dtype), theirs, err_msg=what, **_CLOSE, equal_nan=True
        )


WITH_FORMULA = sorted(name for name, card in PRIMITIVES.items() if shown(card, "computes"))


@pytest.mark.sweep(20)
@pytest.mark.parametrize("name", WITH_FORMULA)
def test_the_line_of_numpy_gives_what_the_primitive_gives(name: str) -> None:
    function, args = EXAMPLES[name]
    formula = shown(PRIMITIVES[name], "computes")
    found = compute(formula, names_of(name, args))
    wanted = function(*args)
    if name == "svd":  # the card is about the primitive's first result, the function's second
        wanted = wanted[1]
    assert_close(found, wanted, formula, is_up_to_sign=name in _UP_TO_SIGN)


WITH_JVP = sorted(name for name, card in PRIMITIVES.items() if shown(card, "JVP"))


def tangents_of(args: tuple[Any, ...]) -> list[Any]:
    """Random tangents of floats, zeros of what has none."""
    rng = np.random.default_rng(3)
    return [
        rng.standard_normal(np.shape(a)).astype(np.asarray(a).dtype)
        if np.issubdtype(np.asarray(a).dtype, np.floating)
        else np.zeros(np.shape(a), jax.dtypes.float0)
        for a in args
    ]


@pytest.mark.sweep(12)
@pytest.mark.parametrize("name", WITH_JVP)
def test_the_tangent_is_that_of_jax(name: str) -> None:
    function, args = EXAMPLES[name]
    tangents = tangents_of(args)
    out, wanted = jax.jvp(function, tuple(map(jnp.asarray, args)), tuple(tangents))
    known = names_of(name, doubled(args)) | {"out": jax.tree.map(np.asarray, out)}
    for operand, tangent in zip(PRIMITIVES[name].operands.split(), tangents, strict=False):
        known[f"d{operand.lstrip('*')}"] = tangent
    formula = shown(PRIMITIVES[name], "JVP")
    found = eval(formula, known)
    if isinstance(found, tuple):  # integers have no tangent
        pairs = zip(found, wanted, strict=True)
        assert [np.asarray(w).dtype == jax.dtypes.float0 for f, w in pairs if f is None]
        found, wanted = found[0], wanted[0]
    assert_close(found, wanted, formula)


LINEAR = sorted(name for name, card in PRIMITIVES.items() if card.linear)


@pytest.mark.sweep(20)
@pytest.mark.parametrize("name", LINEAR)
def test_what_is_said_to_be_linear_has_itself_as_its_tangent(name: str) -> None:
    function, args = EXAMPLES[name]
    card = PRIMITIVES[name]
    operands = card.operands.split()
    tangents = tangents_of(args)
    groups = [group.split() for group in card.linear.split(",")]
    named = [operand for group in groups for operand in group]
    moving = tuple(operands.index(operand) for operand in named)

    def of_named(*values: Any) -> Any:
        every = list(args)
        for place, value in zip(moving, values, strict=True):
            every[place] = value
        return function(*every)

    points = tuple(jnp.asarray(args[place]) for place in moving)
    moves = tuple(tangents[place] for place in moving)
    _, wanted = jax.jvp(of_named, points, moves)
    parts = []
    for group in groups:  # the operands of a group move together, the others stay
        parts.append(
            of_named(
                *(m if n in group else p for n, m, p in zip(named, moves, points, strict=True))
            )
        )
    assert_close(jax.tree.map(lambda *each: sum(each), *parts), wanted, name)


WITH_COTANGENT = sorted(
    (name, operand)
    for name, card in PRIMITIVES.items()
    for operand in card.operands.split()
    if shown(card, f"back to {operand}")
)


@pytest.mark.sweep(40)
@pytest.mark.parametrize(("name", "operand"), WITH_COTANGENT)
def test_what_flows_back_is_what_jax_sends(name: str, operand: str) -> None:
    function, args = EXAMPLES[name]
    place = PRIMITIVES[name].operands.split().index(operand)

    def of_operand(value: Any) -> Any:
        return function(*args[:place], value, *args[place + 1 :])

    out, pull = jax.vjp(of_operand, jnp.asarray(args[place]))
    rng = np.random.default_rng(5)
    sent = jax.tree.map(lambda o: rng.standard_normal(o.shape).astype(o.dtype), out)
    (wanted,) = pull(sent)
    known = names_of(name, doubled(args)) | {"ct": sent, "out": jax.tree.map(np.asarray, out)}
    formula = shown(PRIMITIVES[name], f"back to {operand}")
    found = eval(formula, known)
    assert_close(found, wanted, formula)


def test_every_card_is_of_a_primitive_that_some_example_has() -> None:
    for name in PRIMITIVES:
        if name in EXAMPLES:
            assert find_equation(name).primitive.name == name
    assert set(EXAMPLES) <= set(PRIMITIVES)
