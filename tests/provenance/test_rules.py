"""A rule of a custom derivative that calls its own function, as most do for the value.

The instructions of that call come from the function's own equations. What else a rule does comes
from the call that has the rule.
"""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from compiling import comparable, compile_plain, compile_tagged

from jaxscope.model.op_name import TagTable, print_tag, read_op_name
from jaxscope.worker import compat
from jaxscope.worker.host.call import Call, call_namespace, parse_call
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.provenance.traced_program import trace_call


@jax.custom_jvp
def pushed(x: Any) -> Any:
    with jax.named_scope("body"):
        powers = jax.lax.scan(lambda c, _: (jnp.tanh(c) * x, None), x, None, length=3)[0]
        return powers**2


@pushed.defjvp
def pushed_rule(primals: Any, tangents: Any) -> Any:
    with jax.named_scope("rule"):
        slope = jnp.cos(primals[0])
        return pushed(*primals), slope * tangents[0]


@jax.custom_vjp
def pulled(x: Any) -> Any:
    with jax.named_scope("body"):
        return jnp.sin(x) ** 2


def pulled_forward(x: Any) -> Any:
    with jax.named_scope("rule"):
        return pulled(x), jnp.exp(x)


def pulled_backward(kept: Any, g: Any) -> Any:
    with jax.named_scope("rule"):
        return (kept * g,)


pulled.defvjp(pulled_forward, pulled_backward)


def through_pushed(x: Any) -> Any:
    return jnp.sum(jnp.log(pushed(x)))


def through_pulled(x: Any) -> Any:
    return jnp.sum(jnp.log(pulled(x)))


CALLS = (
    "jvp(through_pushed, (f32[4],), (f32[4],))",
    "value_and_grad(through_pulled)(f32[4])",
    "hessian(through_pushed)(f32[4])",
    "vmap(value_and_grad(jit(through_pushed)))(f32[2, 4])",
    "jit(value_and_grad(jit(through_pulled)))(f32[4])",
    "jit(hessian(jit(through_pushed)))(f32[4])",
    "grad(checkpoint(through_pushed))(f32[4])",
)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("text", CALLS)
def test_what_a_rule_calls_comes_from_the_equations_of_the_function(text: str) -> None:
    call = _parse(text)
    compiled, program, tags = compile_tagged(call)
    bodies = dict(_scoped_equations(program.base.jaxpr, "body"))
    names = set(re.findall(r'op_name="([^"]*)"', compiled.as_text()))
    in_body = {name for name in names if "body/" in name}
    assert {primitive for name in in_body for primitive in _origins(name, tags, bodies)} >= {
        "tanh" if "pushed" in text else "sin",
        "integer_pow",
    }
    for name in names - in_body:
        assert not set(read_op_name(name, tags).origins) & bodies.keys(), name


def test_the_program_is_the_one_without_tags() -> None:
    call = _parse(CALLS[2])
    compiled, _, _ = compile_tagged(call)
    assert comparable(compiled.as_text()) == comparable(compile_plain(call).as_text())


@jax.jit
def chosen(x: Any) -> Any:
    with jax.named_scope("chosen"):
        return jnp.where(x > 1, x, 0.5)


@jax.custom_vjp
def choosing(x: Any) -> Any:
    return x * 3


choosing.defvjp(lambda x: (x * 3, chosen(jnp.arange(4.0))), lambda kept, g: (kept * g,))


def chooses(x: Any) -> Any:
    return jnp.sum(choosing(x) * chosen(jnp.arange(4.0)))


def test_a_function_that_the_base_and_a_rule_call_is_one_and_each_call_is_its_own() -> None:
    program = trace_call(_parse("grad(chooses)(f32[4])"))
    calls = [e for e in program.derived.jaxpr.eqns if e.params.get("name") == "chosen"]
    of_rule, of_base = (
        read_op_name(_printed(call), TagTable(program.base_ids)).origins for call in calls
    )
    assert calls[0].params["jaxpr"].jaxpr is calls[1].params["jaxpr"].jaxpr
    assert program.base.jaxpr.eqns[0].primitive.name == "custom_vjp_call"
    assert of_rule == ("0",)
    assert of_base[0].endswith("/jaxpr/0")


def _printed(call: Any) -> str:
    """The name of what a call calls, as XLA has it when it inlines the call."""
    (inner, *_) = call.params["jaxpr"].jaxpr.eqns
    tags = [*compat.read_tags(call.source_info.name_stack)]
    tags += compat.read_tags(inner.source_info.name_stack)
    return "/".join(print_tag(*tag) for tag in tags)


def _parse(text: str) -> Call:
    return parse_call(text, call_namespace(globals()), file=__file__)


def _origins(name: str, tags: TagTable, bodies: dict[str, str]) -> list[str]:
    """The primitives of the function's own equations from which an instruction comes."""
    origins = read_op_name(name, tags).origins
    assert origins, name
    assert set(origins) <= bodies.keys(), name
    return [bodies[id] for id in origins]


def _scoped_equations(jaxpr: Any, scope: str, path: str = "") -> Any:
    """Id and primitive of each equation in a scope, and of what is inside of it."""
    for index, equation in enumerate(compat.open_jaxpr(jaxpr).eqns):
        is_inside = scope in compat.scope_names(equation.source_info.name_stack) or scope == ""
        if is_inside:
            yield f"{path}{index}", equation.primitive.name
        for name, nested in nested_jaxprs(equation.params):
            inside = "" if is_inside else scope
            yield from _scoped_equations(nested, inside, f"{path}{index}/{name}/")
