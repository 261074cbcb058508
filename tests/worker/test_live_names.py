"""How the call of a function that is already loaded is written: with its transforms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxscope
from jaxscope.worker.host.live_call import name_function


def loss(w: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.sum(jnp.tanh(x @ w))


@jax.jit
def step(w: jax.Array) -> jax.Array:
    return w * 2


class Model:
    def __call__(self, x: jax.Array) -> jax.Array:
        return x

    def loss(self, x: jax.Array) -> jax.Array:
        return x


class Plain:
    """Python shows its objects by their addresses."""


NAMED: dict[str, Callable[..., Any]] = {
    "loss": loss,
    "grad(loss)": jax.grad(loss),
    "jit(grad(loss))": jax.jit(jax.grad(loss)),
    "value_and_grad(loss, argnums=1)": jax.value_and_grad(loss, argnums=1),
    "grad(loss, argnums=(0, 1))": jax.grad(loss, argnums=(0, 1)),
    "vmap(grad(loss, argnums=1), in_axes=(None, 0))": jax.vmap(
        jax.grad(loss, argnums=1), (None, 0)
    ),
    "vmap(loss, in_axes=1, out_axes=2)": jax.vmap(loss, 1, 2),
    "jacfwd(jacrev(loss))": jax.hessian(loss),
    "jacrev(loss, argnums=1)": jax.jacrev(loss, argnums=1),
    "checkpoint(loss)": jax.checkpoint(loss),
    "partial(loss, f32[4,2])": functools.partial(loss, jnp.ones((4, 2))),
    "partial(loss, Plain(…), step, x=loss)": functools.partial(loss, Plain(), step, x=loss),
    "grad(partial(loss, x=2))": jax.grad(functools.partial(loss, x=2)),
    "step": step,  # the module calls the jitted function so
    "vmap(cos)": jax.vmap(jnp.cos),
    "cos": jnp.cos,
    "relu": jax.nn.relu,
    "Model": Model(),
    "grad(loss, has_aux=True)": jax.grad(Model().loss, has_aux=True),
    "jit(<lambda>)": jax.jit(lambda x: x),
    "sin": np.sin,
}


@pytest.mark.parametrize("name", NAMED)
def test_a_function_is_named_with_its_transforms(name: str) -> None:
    assert name_function(NAMED[name]) == name


def test_a_captured_derivative_is_no_capture_of_its_function() -> None:
    w, x = jnp.ones((4, 2)), jnp.ones((3, 4))
    assert jaxscope.capture(jax.grad(loss), w, x).call == "grad(loss)(f32[4,2], f32[3,4])"
    assert jaxscope.capture(loss, w, x).call == "loss(f32[4,2], f32[3,4])"


def test_functions_that_lie_about_themselves_have_a_name() -> None:
    def turns(x: object) -> object:
        return x

    turns.__wrapped__ = turns  # type: ignore[attr-defined] # a function may hold anything
    assert name_function(turns) == "turns"
    turns.__name__ = ""
    assert name_function(turns) == "function"
    nested: Any = loss
    for _ in range(40):
        nested = jax.vmap(nested)
    assert name_function(nested).count("vmap(") == 16
