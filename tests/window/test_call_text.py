"""Wrapping calls in transforms, and taking them off again."""

from __future__ import annotations

import ast
import re

import jax
import jax.numpy as jnp
import pytest

from jaxscope.ui.session.call_text import (
    CallTextError,
    continue_call,
    find_base_name,
    list_transforms,
    may_call,
    move_transform,
    parse_call,
    unwrap_call,
    word_before,
    wrap_call,
)

CASES = [
    ("f(f32[3])", "grad", "grad(f)(f32[3])"),
    ("f(x, y=2)", "value_and_grad", "value_and_grad(f)(x, y=2)"),
    ("grad(f)(f32[8, 2])", "vmap", "vmap(grad(f))(f32[16, 8, 2])"),
    ("loss(init(key(0)), f32[8])", "vmap",
     "vmap(loss, in_axes=(None, 0))(init(key(0)), f32[16, 8])"),
    ("f(f32[()])", "vmap", "vmap(f)(f32[16])"),
    ("f(f32[3])", "jvp", "jvp(f, (f32[3],), (f32[3],))"),
    ("f(a, b)", "vjp", "vjp(f, a, b)"),
    ("f(a)", "jit", "jit(f)(a)"),
    ("selu(f32[3], λ=1.05)", "grad", "grad(selu)(f32[3], λ=1.05)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "transform", "wrapped"), CASES)
def test_wrapping(call: str, transform: str, wrapped: str):
    assert wrap_call(call, transform) == wrapped


@pytest.mark.parametrize(("call", "transform", "wrapped"), CASES)
def test_unwrapping_takes_off_what_wrapping_put_on(call: str, transform: str, wrapped: str):
    assert unwrap_call(wrapped) == call


def test_chosen_arguments_and_axes_are_written_out():
    assert wrap_call("f(a, b)", "grad", argnums=(0, 1)) == "grad(f, argnums=(0, 1))(a, b)"
    assert wrap_call("f(a, b)", "hessian", argnums=[1]) == "hessian(f, argnums=1)(a, b)"
    axes = wrap_call("f(f32[2, 3], f32[4])", "vmap", axes=[1, 0], batch_size=5)
    assert axes == "vmap(f, in_axes=(1, 0))(f32[2, 5, 3], f32[5, 4])"


@pytest.mark.parametrize(
    ("call", "transform"),
    [("f", "grad"), ("f(", "grad"), ("", "jit"), ("f(a, k=1)", "jvp"), ("jvp(f, (x,), (t,))",
     "grad"), ("f(*xs)", "vmap"), ("f()", "vmap"), ("(" * 500, "grad")],
)  # fmt: skip
def test_what_cannot_be_wrapped_says_why(call: str, transform: str):
    with pytest.raises(CallTextError, match=r"\.$"):
        wrap_call(call, transform)


NESTED = "jax.vmap( grad(loss, argnums=1), in_axes=(0, None))(f32[16, 3], w)"


def test_transforms_are_found_where_they_stand():
    for text in (NESTED, f"  {NESTED} "):
        uses = list_transforms(text)
        assert [text[use.start : use.end] for use in uses] == ["jax.vmap", "grad"]
    assert [use.name for use in list_transforms("jvp(f, (x,), (t,))")] == ["jvp"]
    (use,) = list_transforms("grad('é'.f, argnums=(0, 1),)(x)")
    assert use.rest == ", argnums=(0, 1)"
    assert list_transforms("λ(f)(x)") == list_transforms("f(") == ()
    (use,) = list_transforms("grad(é)(x, 'é')")
    assert use.rest == ""


def test_any_transform_can_be_removed():
    assert unwrap_call(NESTED) == "grad(loss, argnums=1)(f32[3], w)"
    assert unwrap_call(NESTED, 1) == "jax.vmap(loss, in_axes=(0, None))(f32[16, 3], w)"
    assert unwrap_call("jit(vmap(f))(f32[4, 2])", 1) == "jit(f)(f32[2])"
    with pytest.raises(CallTextError, match="no transform"):
        unwrap_call(NESTED, 2)


def test_transforms_exchange_their_places():
    moved = "grad(jax.vmap(loss, in_axes=(0, None)), argnums=1)(f32[16, 3], w)"
    assert move_transform(NESTED, 0, 1) == move_transform(NESTED, 1, -1) == moved
    for index, by in ((0, -1), (1, 1), (2, -1)):
        with pytest.raises(CallTextError):
            move_transform(NESTED, index, by)


@pytest.mark.parametrize("function", ["lambda x: x.sum()", "f if fast else g", "a @ b"])
def test_a_function_that_is_no_name_is_called_in_parentheses(function: str):
    inner = f"({function})(f32[8])"
    assert unwrap_call(f"grad({function})(f32[8])") == inner
    assert unwrap_call(wrap_call(inner, "jit")) == inner
    assert unwrap_call(f"jvp({function}, (x,), (t,))") == f"({function})(x)"
    assert ast.unparse(ast.parse(inner.replace("f32[8]", "x"), mode="eval").body.func) == function


def test_a_call_without_a_transform_cannot_be_unwrapped():
    with pytest.raises(CallTextError, match="no transform"):
        unwrap_call("f(x)")


@pytest.mark.parametrize(
    ("call", "base"),
    [("f(x)", "f"), ("jax.vmap(jit(grad(m.loss)))(x)", "m.loss"), ("jvp(f, (x,), (y,))", "f"),
     ("grad(partial(f, 2))(x)", "f"), ("not a call", "")],
)  # fmt: skip
def test_the_base_function_is_found_inside_transforms(call: str, base: str):
    assert find_base_name(call) == base


def test_parts_of_a_call_render_as_they_were_written():
    text = "g(h)(a, *b, c='x', **d)"
    assert parse_call(text).render() == text


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("lo", ["loss(f32[3], f32[3])"]),
        ("loss(f32[3]", ["loss(f32[3], f32[3])"]),
        ("grad(loss)(", ["grad(loss)(f32[3], f32[3])"]),
        ("grad( loss, argnums=1 )(f32 [3],", ["grad( loss, argnums=1 )(f32[3], f32[3])"]),
        ("hessian(loss)(", ["hessian(loss)(f32[3], f32[3])"]),
        ("vmap(loss)(", ["vmap(loss)(f32[16, 3], f32[16, 3])"]),
        ("vmap(grad(loss))(", ["vmap(grad(loss))(f32[16, 3], f32[16, 3])"]),
        *(("vmap(loss, in_axes=1)(", []), ("partial(loss, x)(", []), ("loss(f32[4]", [])),
        *(("other(", []), ("", []), ("loss(f32[3], f32[3])", []), ("((((", [])),
    ],
)
def test_a_call_goes_on_as_one_that_is_known(typed: str, whole: list[str]) -> None:
    assert continue_call(typed, ["loss(f32[3], f32[3])", "jit(loss)(f32[3], f32[3])"]) == whole
    names = {"loss": lambda x, y: (x * y).sum(), "grad": jax.grad, "vmap": jax.vmap}
    for call in whole:  # each can be run, by JAX alone
        spelled = re.sub(r"f32\[([\d, ]*)\]", r"zeros((\1,))", call)
        eval(spelled, {**names, "hessian": jax.hessian, "zeros": jnp.zeros})


def test_the_word_under_the_cursor_includes_dots_and_digits():
    assert word_before("vmap(jnp.si", 11) == "jnp.si"
    assert word_before("f(f32[", 5) == "f32"


def test_scalars_written_as_jax_prints_them_are_wrapped_as_python():
    assert wrap_call("f(f32[], 2)", "grad") == "grad(f)(f32[()], 2)"


FILE = """
import jax.numpy as jnp
from other import helper as h
class Model:
    def loss(self, x): return inner(x)
class Child(Model): pass
if True:
    def f(x):
        def inner(y): return y
        return inner(x)
else:
    g = jit(f)
k, (m, n) = lambda z: z, (1, 2)
"""


@pytest.mark.parametrize(
    ("call", "is_there"),
    [
        ("f(f32[2])", True), ("grad(f)(f32[2])", True), ("vmap(grad(gone))(x)", False),
        ("g(1)", True), ("k(1)", True), ("n(1)", True), ("h(1)", True), ("helper(1)", False),
        ("jnp.sin(1)", True), ("jax.jit(f)(1)", True), ("inner(1)", False), ("z(1)", False),
        ("Model.loss(1, 2)", True), ("Model.gone(1, 2)", False), ("Child.gone(1)", True),
        ("(lambda x: f(x))(1)", True), ("f(", False), ("", False), ("(" * 5_000, False),
    ],
)  # fmt: skip
def test_whether_a_file_has_the_function_of_a_call(call: str, is_there: bool) -> None:
    assert may_call(FILE, call) is is_there


def test_of_a_file_that_cannot_be_read_running_says_it() -> None:
    assert may_call("def f(:", "f(1)") and may_call("from a import *", "g(1)")


@pytest.mark.parametrize("call", ["grad(g)(f32[])", "g(bool[4], f32[])", "vmap(grad(g))(f32[2])"])
def test_the_base_is_found_in_calls_with_scalars(call: str) -> None:
    assert find_base_name(call) == "g"
