"""Tracing a call: stages between the transforms, static arguments, jitted bases, leaks."""

from __future__ import annotations

import dataclasses
import functools
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model.op_name import TagTable, read_origin
from jaxscope.worker import compat
from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.provenance.traced_program import (
    NoGradient,
    TracedProgram,
    trace_call,
    trace_gradient,
)
from jaxscope.worker.stages.jaxpr import convert_jaxpr, find_places


def trace(text: str, **names: Any) -> TracedProgram:
    return trace_call(parse_call(text, call_namespace({"__name__": "file", **names}), file="f.py"))


def primitives(jaxpr: Any) -> list[str]:
    return [equation.primitive.name for equation in compat.open_jaxpr(jaxpr).eqns]


def types(jaxpr: Any) -> list[str]:
    return [str(variable.aval) for variable in compat.open_jaxpr(jaxpr).invars]


def test_each_transform_is_a_stage_at_the_types_it_is_called_with() -> None:
    program = trace("vmap(grad(f))(f32[5, 3])", f=lambda x: jnp.sum(jnp.sin(x)))

    assert types(program.base.jaxpr) == ["float32[3]"]
    assert [(s.name, types(s.jaxpr)) for s in program.transformed] == [
        ("grad", ["float32[3]"]),
        ("vmap(grad)", ["float32[5,3]"]),
    ]


def test_the_axis_name_is_in_scope_where_the_base_is_traced() -> None:
    program = trace("vmap(f, axis_name='i')(f32[4, 3])", f=lambda x: x - jax.lax.pmean(x, "i"))

    assert types(program.base.jaxpr) == ["float32[3]"]
    assert "psum" in " ".join(primitives(program.base.jaxpr))


def test_a_jitted_base_shows_its_body_and_keeps_its_static_and_donated_arguments() -> None:
    @functools.partial(jax.jit, static_argnames="n", donate_argnums=0)
    def step(state: Any, x: Any, n: int) -> Any:
        for _ in range(n):
            state = state + x
        return state

    program = trace("step(f32[3], f32[3], n=4)", step=step)

    assert primitives(program.base.jaxpr) == ["add"] * 4
    assert program.traced.lower().donate_argnums == (0,)


def test_jit_around_a_jitted_function_shows_the_body_too() -> None:
    program = trace("jit(f)(f32[3])", f=jax.jit(lambda x: jnp.sin(x) + 1))

    assert primitives(program.base.jaxpr) == ["sin", "add"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jit(jit(f))(f32[3])", ["sin", "add"]),
        ("jit(jit(jit(f)))(f32[3])", ["sin", "add"]),
        ("jit(jit(jitted))(f32[3])", ["sin", "add"]),
        ("jit(jit(caller))(f32[3])", ["jit"]),
    ],
)
def test_the_jits_of_the_call_are_peeled_and_none_of_the_functions_own(
    text: str, expected: list[str]
) -> None:
    def f(x: Any) -> Any:
        return jnp.sin(x) + 1

    jitted = jax.jit(f)
    program = trace(text, f=f, jitted=jitted, caller=lambda x: jitted(x))

    assert primitives(program.base.jaxpr) == expected
    retraced, stage, ids = program.tag_derived()
    assert primitives(stage.jaxpr) == expected
    assert ids[0] == "0"
    assert "stablehlo.sine" in retraced.lower().as_text()


def test_a_call_to_a_jitted_function_inside_the_base_stays_an_equation() -> None:
    inner = jax.jit(lambda x: jnp.sin(x))

    program = trace("f(f32[3])", f=lambda x: inner(x))

    assert primitives(program.base.jaxpr) == ["jit"]


def test_functions_and_strings_among_the_arguments_are_static() -> None:
    program = trace("apply(jnp.sin, f32[3], 'mean')", apply=lambda g, x, how: g(x))

    assert primitives(program.base.jaxpr) == ["sin"]
    assert [path for path, _ in program.static] == ["g", "how"]


def test_a_scalar_that_cannot_be_traced_is_static_and_a_message_says_so() -> None:
    program = trace("f(3, f32[2])", f=lambda n, x: x * sum(range(n)))

    assert program.static == (("n", "3"),)
    assert "static" in program.messages[0]


def test_what_jit_takes_as_static_is_listed_among_the_arguments() -> None:
    program = trace("jit(f, static_argnames='n')(f32[3], n=4)", f=lambda x, n: x**n)

    assert program.base.argument_paths == ("x",)
    assert program.static == (("n", "4"),)


def test_traced_keywords_of_a_jitted_function_are_not_static() -> None:
    program = trace("jit(f)(f32[3], scale=2.0)", f=lambda x, **options: x * options["scale"])

    assert program.static == ()


def test_a_callable_that_holds_arrays_and_has_no_hash_is_ordinary() -> None:
    @dataclasses.dataclass
    class Layer:
        weight: Any

        def __call__(self, x: Any) -> Any:
            return x @ self.weight

    program = trace("layer(f32[2, 3])", layer=Layer(jnp.ones((3, 4))))

    assert primitives(program.base.jaxpr) == ["dot_general"]


def test_paths_name_parameters_and_pytrees() -> None:
    program = trace("f({'w': f32[2]}, f32[2], scale=2.0)", f=lambda p, x, scale: p["w"] * x * scale)

    assert program.base.argument_paths == ("p['w']", "x", "scale")


def test_a_base_that_a_transform_calls_twice_keeps_its_ids() -> None:
    def twice(function: Any) -> Any:
        return lambda x: function(x) + function(2 * x)

    program = trace(
        "grad(lambda x: twice(f)(x).sum())(f32[3])", twice=twice, f=lambda x: jnp.sin(x)
    )

    ids = [id for id in program.base_ids if id]  # `2 * x` folds its 2 where it is inlined
    assert ids == [str(i) for i in range(len(program.base.jaxpr.eqns))]


def test_functions_that_jax_inlines_are_differentiated_once_and_numbered_at_every_call() -> None:
    """`logaddexp` is inlined twice; the body that both calls share still tells them apart."""

    def f(x: Any) -> Any:
        return jnp.sum(jnp.logaddexp(x, 0.0) * jnp.square(jnp.logaddexp(2.0 * x, 0.0)))

    program = trace("grad(f)(f32[3])", f=f)
    shown = compat.open_jaxpr(program.base.jaxpr)
    assert primitives(shown) == primitives(jax.make_jaxpr(f)(jnp.ones(3)))
    assert not any(equation.params.get("inline") for equation in shown.eqns)

    stage = program.transformed[-1].jaxpr
    assert primitives(stage) == primitives(jax.make_jaxpr(jax.grad(f))(jnp.ones(3)))
    table = TagTable(program.base_ids, ())
    products = {str(i) for i, e in enumerate(shown.eqns) if e.primitive.name == "mul"}
    linked = {
        origin
        for equation in compat.open_jaxpr(stage).eqns
        for origin in [read_origin(compat.read_tags(equation.source_info.name_stack), table)]
        if origin
    }
    assert linked <= {id for id in program.base_ids if id}
    assert products <= linked
    for jaxpr in (shown, stage):
        graph = convert_jaxpr(jaxpr, tags=table, is_base=False, is_derived=True).graph
        assert not any("jxs" in string for string in graph.strings)


def test_calls_inside_of_the_users_own_jitted_functions_stay_as_jax_has_them() -> None:
    """JAX keeps traces of jitted functions for the whole process."""
    inner = jax.jit(lambda x: jnp.square(x) + 1.0)
    trace("grad(f)(f32[()])", f=lambda x: inner(x) * 2.0)

    (call,) = compat.open_jaxpr(jax.make_jaxpr(inner)(1.0)).eqns
    assert primitives(call.params["jaxpr"]) == ["square", "add"]


def test_the_gradient_sums_what_is_no_scalar_and_says_so() -> None:
    gradient, is_summed = trace_gradient(trace("f(f32[3])", f=lambda x: jnp.sin(x)).base)

    assert is_summed
    assert "cos" in primitives(gradient.jaxpr)


@pytest.mark.parametrize("number", [2.5, np.float16(2.5), np.ones(2, np.float32)])
def test_numbers_beside_arrays_are_results_that_depend_on_nothing(number: Any) -> None:
    """JAX takes the sum of both for one that has the same gradient."""

    def f(x: Any) -> Any:
        return jnp.sin(x), number, 7

    gradient, is_summed = trace_gradient(trace("f(f32[3])", f=f).base)
    x = jnp.arange(3.0)
    assert is_summed
    assert jnp.allclose(
        compat.evaluate_jaxpr(gradient.jaxpr, [x])[0],
        jax.grad(lambda x: f(x)[0].sum() + jnp.sum(number))(x),
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [("f(i32[3])", "None of its arguments is a float"), ("g(f32[3])", "None of its results")],
)
def test_there_is_no_gradient_without_floats(text: str, reason: str) -> None:
    program = trace(text, f=lambda x: x + 1, g=lambda x: jnp.argmax(x))

    with pytest.raises(NoGradient, match=reason):
        trace_gradient(program.base)


def test_the_gradient_knows_its_forward_and_backward_parts() -> None:
    program = trace("f(f32[3])", f=lambda x: jnp.sum(jnp.sin(x)))
    gradient, _ = trace_gradient(program.base)

    graph = convert_jaxpr(
        gradient.jaxpr, tags=TagTable(program.base_ids), is_base=False, is_derived=False
    ).graph

    rows = [graph.node(i) for i in range(len(graph.nodes))]
    lines = [
        f"{row.operation} {row.direction.name.lower()} from {' '.join(row.origins)}"
        for row in rows
        if row.kind.name == "EQUATION"
    ]
    assert lines == [
        "sin forward from 0",
        "cos forward from 0",
        "reduce_sum forward from 1",
        "broadcast_in_dim backward from 1",
        "mul backward from 0",
    ]


def test_what_is_no_array_is_left_out_of_the_results() -> None:
    def step(x: Any) -> Any:
        return {"new": x * 2, "activation": jnp.tanh}, "text"

    program = trace("step(f32[3])", step=step)

    assert primitives(program.base.jaxpr) == ["mul"]
    assert program.base.result_paths == ("result[0]['new']",)
    assert [text.split(": ")[1] for text in program.messages] == [
        "result[0]['activation'], result[1]."
    ]


@pytest.mark.parametrize("call", ["jit(step)(f32[3])", "word(f32[3])"])
def test_results_without_arrays_and_those_of_a_jit_stay_an_error(call: str) -> None:
    with pytest.raises(TypeError, match="not a valid JAX type"):
        trace(call, step=lambda x: (x, "text"), word=lambda x: "text")


def test_a_library_s_own_jit_may_wrap_the_trace() -> None:
    class Wrapped:
        def __init__(self, traced: Any) -> None:
            self.traced = traced

    class Jit:
        def __init__(self, function: Any) -> None:
            self.__wrapped__ = function
            self._inner = jax.jit(function)

        def __call__(self, *args: Any) -> Any:
            return self._inner(*args)

        def trace(self, *args: Any) -> Any:
            return Wrapped(self._inner.trace(*args))

        lower = eval_shape = trace

    program = trace("step(f32[3])", step=Jit(lambda x: jnp.sin(x) + 1))

    assert primitives(program.base.jaxpr) == ["sin", "add"]


def test_a_file_may_replace_jit_by_what_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jax, "jit", lambda function, **_options: function)

    program = trace("step(f32[3])", step=lambda x: x * 2)

    assert primitives(program.base.jaxpr) == ["mul"]


def _with_rule_only() -> Any:
    """A function that JAX differentiates by its rule, and that cannot be run itself."""

    @jax.custom_jvp
    def ruled(x: Any) -> Any:
        raise NotImplementedError("there is nothing but the rule")

    @ruled.defjvp
    def rule(primals: Any, tangents: Any) -> Any:
        return jnp.sin(primals[0]), 2.0 * tangents[0]

    return ruled


def test_what_cannot_be_followed_is_captured_without_tags_and_says_so() -> None:
    ruled = _with_rule_only()
    program = trace("grad(f)(f32[3])", f=lambda x: jnp.sum(ruled(x) * 3.0))

    plain = jax.make_jaxpr(jax.grad(lambda x: jnp.sum(ruled(x) * 3.0)))(jnp.ones(3))
    assert primitives(program.derived.jaxpr) == primitives(plain)
    assert program.is_linked_by_place
    (message,) = program.messages
    assert "could not be followed under grad (NotImplementedError: there is nothing" in message
    assert "the whole call stands in its place" in message
    retraced, _, ids = program.tag_derived()
    assert len(ids) == len(plain.eqns)
    retraced.lower().compile()


def test_a_function_that_cannot_be_followed_once_keeps_its_own_jaxpr() -> None:
    """Its equations are linked by their places in the source."""
    runs: list[int] = []

    @jax.custom_jvp
    def ruled(x: Any) -> Any:
        runs.append(1)
        if len(runs) == 1:
            raise NotImplementedError("not yet")
        return jnp.sin(x)

    ruled.defjvp(lambda p, t: (jnp.sin(p[0]), 2.0 * t[0]))
    start = time.perf_counter()
    program = trace("grad(f)(f32[3])", f=lambda x: jnp.sum(jnp.cos(ruled(x))))
    assert 0 < program.base.seconds <= time.perf_counter() - start
    assert program.base.argument_paths == ("x",)

    assert primitives(program.base.jaxpr) == ["custom_jvp_call", "cos", "reduce_sum"]
    assert "by their places in the source" in program.messages[0]
    base = convert_jaxpr(program.base.jaxpr, tags=TagTable(), is_base=True, is_derived=False)
    places = find_places(base)
    graph = convert_jaxpr(
        program.derived.jaxpr,
        tags=TagTable(program.base_ids),
        is_base=False,
        is_derived=True,
        places=places,
    ).graph
    linked = {
        graph.node(i).operation: graph.node(i).origins
        for i in range(len(graph.nodes))
        if graph.node(i).origins
    }
    assert linked["cos"] == ("1",)
