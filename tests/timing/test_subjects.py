"""The forms of calls of functions that a library jitted in its own way."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.timing.forms import Forms, find_forms, find_gradient_forms


class FilterJit:
    """Jits what is an array of the results, as Equinox's `filter_jit` does."""

    def __init__(self, function: Any) -> None:
        self.__wrapped__ = function

    def __call__(self, *args: Any) -> Any:
        return jax.jit(lambda *args: self.__wrapped__(*args)[0])(*args), jnp.tanh

    def lower(self, *args: Any) -> Any:
        raise NotImplementedError


def double(x: Any) -> Any:
    return x * 2, jnp.tanh


def forms_of(text: str, **names: Any) -> Forms:
    return find_forms(parse_call(text, call_namespace({"__name__": "file", **names}), file="f.py"))


def test_the_eager_form_is_what_the_library_jitted() -> None:
    forms = forms_of("step(f32[3])", step=FilterJit(double))

    assert forms.eager is double
    assert forms.is_unwrapped


def test_what_is_no_array_is_left_out_where_it_is_compiled() -> None:
    forms = forms_of("step(f32[3])", step=FilterJit(double))
    args, kwargs = forms.jitted_arguments

    doubled, nothing = forms.jitted(*args, **kwargs)

    np.testing.assert_array_equal(doubled, args[0] * 2)
    assert nothing is None


def test_what_is_no_array_is_not_differentiated() -> None:
    forms = find_gradient_forms(forms_of("double(f32[3])", double=double))
    assert forms is not None
    args, kwargs = forms.jitted_arguments

    (gradient,) = jax.tree.leaves(forms.jitted(*args, **kwargs))

    np.testing.assert_array_equal(gradient, [2.0, 2.0, 2.0])
    assert not forms.is_unwrapped


def test_pmap_is_no_jit_that_could_be_left_out() -> None:
    mapped = jax.pmap(lambda x: jax.lax.pmean(x, "i"), axis_name="i")

    assert forms_of("mapped(f32[1, 3])", mapped=mapped).eager is mapped
