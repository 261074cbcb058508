"""The call: what is base, what is transform, what the arguments mean, and what is refused."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.errors import CallError
from jaxscope.worker.host.call import call_namespace, parse_call


def loss(w: Any, x: Any) -> Any:
    return jnp.sum(w * x)


def parse(text: str, **names: Any) -> Any:
    module = {"__name__": __name__, "loss": loss, **names}
    return parse_call(text, call_namespace(module), file="file.py")


@pytest.mark.parametrize(
    ("text", "base", "transforms"),
    [
        ("loss(f32[2], f32[2])", "loss", ()),
        ("grad(loss)(f32[2], f32[2])", "loss", ("grad",)),
        ("jax.grad(loss)(f32[2], f32[2])", "loss", ("grad",)),
        ("vmap(grad(loss), in_axes=(None, 0))(f32[2], f32[5, 2])", "loss", ("grad", "vmap")),
        ("jit(grad(jit(loss)))(f32[2], f32[2])", "loss", ("jit", "grad", "jit")),
        ("jax.value_and_grad(fun=loss)(f32[2], f32[2])", "loss", ("value_and_grad",)),
        ("partial(jax.grad, argnums=1)(loss)(f32[2], f32[2])", "loss", ("grad",)),
        ("jvp(loss, (f32[2], f32[2]), (f32[2], f32[2]))", "loss", ("jvp",)),
        ("vjp(grad(loss), f32[2], f32[2])", "loss", ("grad", "vjp")),
        ("grad(lambda w: loss(w, w))(f32[2])", "lambda w: loss(w, w)", ("grad",)),
    ],
)
def test_the_base_is_what_stands_inside_the_transforms(
    text: str, base: str, transforms: tuple[str, ...]
) -> None:
    call = parse(text, partial=functools.partial)

    assert (call.base_text, call.transforms) == (base, transforms)


def test_a_librarys_own_grad_is_not_peeled() -> None:
    def grad(function: Any) -> Any:
        return jax.grad(function)

    call = parse("grad(loss)(f32[2], f32[2])", grad=grad)

    assert (call.base_text, call.transforms) == ("grad(loss)", ())


def test_transforms_can_be_applied_again_to_a_stand_in() -> None:
    call = parse("vmap(grad(loss), in_axes=(None, 0))(f32[2], f32[5, 2])")

    result = call.compose(lambda w, x: 3 * jnp.sum(w * x))(*call.args)

    np.testing.assert_allclose(result, 3 * call.args[1])


def test_the_same_call_means_the_same_numbers() -> None:
    first, second = parse("loss(f32[4], f32[4])"), parse("loss(f32[4], f32[4])")

    np.testing.assert_array_equal(first.args[0], second.args[0])
    assert not np.array_equal(first.args[0], first.args[1])


def test_an_array_inside_a_function_is_the_same_at_every_evaluation() -> None:
    call = parse("grad(lambda w: loss(w, f32[3]))(f32[3])")

    np.testing.assert_array_equal(call.base(1.0), call.base(1.0))
    assert call.base_text == "lambda w: loss(w, f32[3])"


@pytest.mark.parametrize(
    ("shorthand", "dtype", "shape"),
    [
        ("f32[2, 3]", "float32", (2, 3)),
        ("bf16[4]", "bfloat16", (4,)),
        ("f32[()]", "float32", ()),
        ("i32[100]", "int32", (100,)),
        ("i4[9]", "int4", (9,)),
        ("u8[5]", "uint8", (5,)),
        ("bool_[6]", "bool", (6,)),
        ("c64[2]", "complex64", (2,)),
        ("float8_e4m3fn[2]", "float8_e4m3fn", (2,)),
    ],
)
def test_shorthands_make_arrays_of_their_dtype_and_shape(
    shorthand: str, dtype: str, shape: tuple[int, ...]
) -> None:
    (array,) = parse(f"loss({shorthand})").args

    assert (array.dtype.name, array.shape) == (dtype, shape)


def test_scalars_may_be_written_as_jax_prints_them() -> None:
    (array,) = parse("loss(bf16[ ])").args

    assert (array.shape, array.dtype.name) == ((), "bfloat16")
    assert parse("loss('f32[]')").args == ("f32[]",)


def test_integers_are_uniform_in_0_to_9() -> None:
    (array,) = parse("loss(i32[1000])").args

    assert set(np.unique(array)) == set(range(10))


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("los(f32[2])", ("loss(f32[2])",)),
        ("grda(loss)(f32[2])", ("grad(loss)(f32[2])",)),
        ("loss(jnp.los(float32[2]))", ("loss(jnp.los(f32[2]))",)),
        ("loss", ("loss(f32[8])",)),
        ("loss(", ()),
        ("grad(loss)(f32[2], f32[]", ("grad(loss)(f32[2], f32[()])",)),
        ("loss(g32[2])", ("loss(u32[2])", "loss(i32[2])", "loss(f32[2])")),
        ("loss(f32[2]) +", ()),
        ("loss(f32[8)", ("loss(f32[8])",)),
        ("grad(loss)({'x': (f32[2], [f32[3)})", ("grad(loss)({'x': (f32[2], [f32[3]])})",)),
        ("loss(f32[2]))", ()),
    ],
)
def test_a_refusal_holds_the_calls_that_it_proposes(text: str, calls: tuple[str, ...]) -> None:
    with pytest.raises(CallError) as caught:
        parse(text)
    assert caught.value.explanation.calls == calls


def test_names_of_the_file_come_before_the_shorthands() -> None:
    assert parse("loss(f32)", f32=7).args == (7,)


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ("loss", "is not a call", "Add its arguments"),
        ("loss(", "not a Python expression", "Type a call such as loss(f32[8])."),
        ("grad(loss)", "makes a new function", "grad(loss)(…)"),
        ("los(f32[2])", "no 'los'", "Did you mean loss?"),
        ("loss(f32[2]", "not a Python expression", "Did you mean loss(f32[2])?"),
        ("nothing_like_it(f32[2])", "no 'nothing_like_it'", "The file has: loss."),
        ("f32[2](3)", "is no function", "Name a function"),
        ("x = 1", "not a Python expression", "Type a call such as loss(f32[8])."),
        ("loss(float32[3])", "no 'float32'", "f32[8, 2]"),
        ("jvp(loss)(f32[3])", "in one call", "jvp(loss, (x,), (t,))"),
        ("vjp(grad(loss))(f32[3])", "in one call", "vjp(grad(loss), x)"),
    ],
)
def test_what_is_no_call_is_refused_with_a_way_out(text: str, what: str, remedy: str) -> None:
    with pytest.raises(CallError) as caught:
        parse(text)

    explanation = caught.value.explanation
    assert what in explanation.what
    assert remedy in explanation.remedy
    assert explanation.is_misspelt is remedy.startswith("Did you mean")
    assert explanation.example == ("loss(f32[8])" if remedy.startswith("Type a call") else "")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("los(f32[2])", "los"),
        ("loss(f32[2]", "(f32[2]"),
        ("grad(loss)", "grad(loss)"),
    ],
)
def test_a_refusal_names_the_part_of_the_call_that_is_at_fault(text: str, part: str) -> None:
    with pytest.raises(CallError) as caught:
        parse(text)
    assert caught.value.explanation.part == part


def test_an_example_is_of_the_function_that_is_named() -> None:
    def other(x: Any) -> Any:
        return x

    for text, name in (("grad(other)(f32[2] 3", "other"), ("other(", "other"), ("x = 1", "loss")):
        with pytest.raises(CallError) as caught:
            parse(text, other=other)
        assert caught.value.explanation.remedy == f"Type a call such as {name}(f32[8])."
