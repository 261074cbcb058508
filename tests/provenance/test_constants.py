"""Constants that differentiation keeps as residuals are kept under tags as well.

`vjp` and `linearize` return residuals, so a constant that is a value of the trace around them is a
result of the program, where one that is a mere number is not.
"""

from __future__ import annotations

from types import ModuleType

import pytest
from compiling import comparable, compile_plain, compile_tagged

from jaxscope.worker.host.call import call_namespace, parse_call

SOURCE = """
import jax
import jax.numpy as jnp
from jax import lax

def constant_index(x):
    return lax.dynamic_update_slice(x, jnp.ones(2), (1,)).sum()

def constant_predicate(x):
    return lax.cond(True, jnp.sin, jnp.cos, x).sum()

def inner_gradient(x):
    return jax.vmap(jax.grad(lambda a: jnp.sin(a) ** 2))(x).sum()

@jax.custom_jvp
def ruled(x):
    return jnp.sin(x)

@ruled.defjvp
def ruled_jvp(primals, tangents):
    return jnp.sin(primals[0]), 2.0 * tangents[0]

def rule_with_a_constant(x):
    return ruled(x).sum()

@jax.custom_jvp
def ruled_twice(x):
    return ruled(x) * 2

@ruled_twice.defjvp
def ruled_twice_jvp(primals, tangents):
    value, tangent = jax.jvp(ruled, primals, tangents)
    return value * 2, tangent * 3.0

def rule_in_a_rule(x):
    return ruled_twice(ruled(x) * 2.0)

def rule_in_a_loop(x):
    return lax.scan(lambda c, _: (ruled(c), None), x, None, length=3)[0]
"""


@pytest.mark.sweep(6)
@pytest.mark.parametrize("transform", ["vjp", "linearize"])
@pytest.mark.parametrize(
    "function",
    [
        *("constant_index", "constant_predicate", "inner_gradient"),
        *("rule_with_a_constant", "rule_in_a_rule", "rule_in_a_loop"),
    ],
)
def test_a_constant_residual_stays_a_result(transform: str, function: str) -> None:
    module = ModuleType("user_constants")
    exec(compile(SOURCE, "constants.py", "exec"), module.__dict__)
    text = f"{transform}({function}, f32[4])"
    call = parse_call(text, call_namespace(vars(module)), file="constants.py")
    tagged, _, _ = compile_tagged(call)
    assert comparable(tagged.as_text()) == comparable(compile_plain(call).as_text())
