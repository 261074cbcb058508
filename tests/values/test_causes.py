"""Where NaN and Inf begin: planted causes, each with its line, its kind and its round."""

from __future__ import annotations

import re
import time
from pathlib import Path

import jax
import numpy as np
import pytest

from jaxscope.model.capture import Environment
from jaxscope.model.values import ArraySummary, NonfiniteOrigin, Values
from jaxscope.report.values import describe_origins
from jaxscope.worker.host.call import parse_call
from jaxscope.worker.provenance.traced_program import find_inputs, trace_call
from jaxscope.worker.stages.call_loader import call_namespace
from jaxscope.worker.values.evaluation import Evaluator

from . import causes

_LINES = Path(causes.__file__).read_text().split("\n")


def find_origin(text: str, names: dict[str, object]) -> tuple[dict[str, object], list[object]]:
    """Where the NaN of a call was made, else the Inf, and its results."""
    evaluator, results = evaluate(text, names)
    origins = {origin["kind"]: origin for origin in evaluator.find_origins()}
    return origins.get("nan") or origins.get("inf") or {}, results


def evaluate(text: str, names: dict[str, object]) -> tuple[Evaluator, list[object]]:
    """A call, run equation by equation, and its results."""
    call = parse_call(text, call_namespace(names), file=causes.__file__)
    program = trace_call(call)
    evaluator = Evaluator("a stage", time.monotonic() + 1e6)
    return evaluator, evaluator.run(program.derived.jaxpr, find_inputs(program, call))


def guilty_line(text: str) -> int:
    """The line with `# here` in the function that a call names last."""
    name = next(n for n in re.findall(r"\w+", text) if f"def {n}(x):" in _SOURCE)
    start = next(i for i, line in enumerate(_LINES) if line.startswith(f"def {name}("))
    return next(i + 1 for i in range(start, len(_LINES)) if "  # here" in _LINES[i])


_SOURCE = "\n".join(_LINES)


@pytest.mark.parametrize(("text", "kind", "iterations"), causes.CASES)
def test_the_first_nonfinite_value_is_found(
    text: str, kind: str, iterations: tuple[int, ...]
) -> None:
    origin, results = find_origin(text, vars(causes))
    assert (origin["kind"], origin["line"]) == (kind, guilty_line(text))
    assert tuple(origin["iterations"]) == iterations
    # By plain JAX: the results are not finite, or a gradient or a loop dropped what was not.
    plain = eval(text, {**vars(causes), **vars(jax), "jnp": jax.numpy})
    odd = [not np.isfinite(np.asarray(leaf)).all() for leaf in jax.tree.leaves(plain)]
    assert any(odd)
    same = zip(jax.tree.leaves(plain), results, strict=True)
    assert all(np.allclose(one, other, equal_nan=True) for one, other in same)


def test_there_are_thirty_causes() -> None:
    assert len(causes.CASES) >= 30


@pytest.mark.parametrize(
    "text",
    [
        "jax.nn.softmax(jnp.where(jnp.arange(4) < 2, jnp.ones(4), -jnp.inf))",
        "jax.nn.logsumexp(jnp.ones(4) * 1000.0)",
        "jnp.where(jnp.array([1.0, 0.0]) > 0, jnp.sqrt(jnp.array([1.0, 0.0])), 0.0)",
    ],
)
def test_masks_and_safe_functions_make_nothing(text: str) -> None:
    def function(x):
        return eval(text, {"jax": jax, "jnp": jax.numpy}) + x

    origin, _ = find_origin("function(0.0)", {"function": function})
    assert origin == {}


@pytest.mark.slow
def test_a_late_round_of_a_long_loop_is_found() -> None:
    def function(x):
        def step(carry, v):
            return carry - v, jax.numpy.sqrt(carry)

        return jax.lax.scan(step, 1500.0, x)[1].sum()

    origin, _ = find_origin("function(jnp.ones(3000))", {"function": function})
    assert origin["operation"] == "sqrt" and origin["iterations"] == [1501]


@pytest.mark.parametrize(
    ("start", "told"),
    [
        pytest.param(
            0.0,
            "The first equation that made Inf of finite operands is 1/jaxpr/0 (mul",
            marks=pytest.mark.slow,
        ),
        (-np.inf, "Where that Inf was made is not known: not all rounds of loops were run."),
    ],
)
@pytest.mark.slow
def test_the_inf_of_a_late_nan_is_never_denied(start: float, told: str) -> None:
    def function(x):
        def step(carry, number):
            old, most = carry
            new = old * 1.05  # Inf from round 1,818 on
            made = jax.numpy.where(number > 2500, new - old, 0.0)
            return (new, jax.numpy.maximum(most, made)), made

        numbers = jax.numpy.arange(3000)
        return jax.lax.scan(step, (x, jax.numpy.float32(start)), numbers)[1].sum()

    origin, _ = find_origin("function(jnp.float32(1.0))", {"function": function})
    assert (origin["operation"], origin["iterations"]) == ("sub", [2501])
    assert told in str(origin["because"])


def test_a_value_that_is_given_is_not_made() -> None:
    origin, _ = find_origin("f(jnp.array([1.0, jnp.nan]))", {"f": lambda x: x * 2.0})
    assert origin == {}


def test_a_callback_is_not_told_element_by_element() -> None:
    def flipped(x: jax.Array) -> jax.Array:
        like = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(
            lambda v: np.where(np.asarray(v)[::-1], 0, -np.inf).astype(v.dtype), like, x
        )

    origin, _ = find_origin("f(jnp.arange(2.0))", {"f": flipped, "jnp": jax.numpy})
    assert origin["because"] == "pure_callback makes -inf of finite operands at element [1]."


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("jnp.log(x) - jnp.log(x * 2)", [("inf", "log"), ("nan", "sub")]),
        ("(jnp.sqrt(x - 1), jnp.log(x))", [("nan", "sqrt"), ("inf", "log")]),
        ("jnp.exp(jnp.log(x))", [("inf", "log")]),
    ],
)
def test_nan_and_inf_are_told_in_the_order_in_which_they_are_made(
    text: str, order: list[tuple[str, str]]
) -> None:
    def function(x):
        return eval(text, {"x": x, "jnp": jax.numpy})

    evaluator, _ = evaluate("function(jnp.zeros(2))", {"function": function})
    assert [(each["kind"], each["operation"]) for each in evaluator.find_origins()] == order
    # By JAX alone, equation by equation: which is the first to be not finite.
    jaxpr = jax.make_jaxpr(function)(np.zeros(2, np.float32)).jaxpr
    known = dict(zip(jaxpr.invars, [np.zeros(2, np.float32)], strict=True))
    for equation in jaxpr.eqns:
        read = [v.val if hasattr(v, "val") else known[v] for v in equation.invars]
        made = equation.primitive.bind(*read, **equation.params)
        known[equation.outvars[0]] = made
        if not np.isfinite(np.asarray(made)).all():
            assert equation.primitive.name == order[0][1]
            break


@pytest.mark.parametrize(
    ("text", "reader"),
    [
        ("jax.nn.softmax(jnp.where(jnp.arange(4) < 2, x, -jnp.inf))", "jit"),
        ("x - jnp.inf", "sub"),
        ("x * 2", ""),
    ],
)
def test_an_inf_that_stands_in_the_program_is_told_and_is_made_by_nobody(
    text: str, reader: str
) -> None:
    def function(x):
        return eval(text, {"x": x, "jnp": jax.numpy, "jax": jax})

    evaluator, _ = evaluate("function(jnp.ones(4))", {"function": function})
    assert evaluator.find_origins() == []
    assert (reader in evaluator.given) if reader else not evaluator.given
    written = str(jax.make_jaxpr(function)(np.ones(4, np.float32)))
    assert bool(re.search(r"\binf", written)) == bool(evaluator.given)


def test_a_nan_of_a_constant_inf_names_who_reads_the_constant() -> None:
    def function(x):
        return jax.numpy.where(x > 9, x, -np.inf) - jax.numpy.where(x > 9, x, -np.inf)

    origin, _ = find_origin("function(jnp.ones(4))", {"function": function})
    told = "No equation made that Inf. Inf stands in the program as a constant, which 1 (jit"
    assert told in str(origin["because"])


def test_a_run_that_was_cut_short_says_so() -> None:
    loop = jax.make_jaxpr(lambda x: jax.lax.fori_loop(0, 2000, lambda _, c: c * 0.5, x))(1.0)
    evaluator = Evaluator("a stage", time.monotonic() + 1e6)
    evaluator.run(loop, [jax.numpy.float32(1)])
    assert not evaluator.is_whole
    environment = Environment("", "", "", "", "")
    told = ("Values inside of a loop are of the first 1,000 rounds only.",)
    found = Values("f(x)", environment, "jaxpr", (), (), (), (), warnings=told)
    assert describe_origins(found) == [
        "No equation that was run makes NaN or Inf of finite operands."
    ]


def test_an_inf_that_leaves_no_trace_in_the_results_is_told_so() -> None:
    environment = Environment("", "", "", "", "")
    made = NonfiniteOrigin("3", "jaxpr", "log", "inf", "", 0, (), (0,), (), "log(0) is -inf.")
    finite, odd = (ArraySummary((), "f32", 0.0, 0.0, 0.0, 0, inf, "") for inf in (0, 1))
    for result, told in ((finite, ["The results are finite."]), (odd, [])):
        found = Values("f(x)", environment, "jaxpr", (), (result,), (), (), (made,))
        assert describe_origins(found)[1:] == told


@pytest.mark.skipif(not hasattr(jax, "ref"), reason="this JAX has no mutable arrays")
def test_a_sum_in_a_mutable_array_is_told_by_its_numbers_only_where_they_are_its_own() -> None:
    origin, _ = find_origin("summed_past_the_largest(jnp.ones(3))", vars(causes))
    assert origin["because"] == "addupdate(3e+38, 3e+38) is inf at element [1]."
    # The first number of the sum goes to the last element.
    origin, _ = find_origin("summed_backwards(jnp.ones(3))", vars(causes))
    assert origin["because"] == "addupdate makes inf of finite operands at element [2]."
