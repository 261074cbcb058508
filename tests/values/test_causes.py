"""Where NaN and Inf begin: planted causes, each with its line, its kind and its round."""

from __future__ import annotations

import re
import time
from pathlib import Path

import jax
import numpy as np
import pytest

from jaxscope.model.capture import Environment
from jaxscope.model.values import ArrayDifference, ArraySummary, NonfiniteOrigin, Values
from jaxscope.report.document import write_text
from jaxscope.report.values import (
    describe_array_difference,
    describe_origins,
    values_to_document,
)
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


@pytest.mark.sweep(4)
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


@pytest.mark.sweep(1)
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


def test_of_two_numbers_the_only_element_differs() -> None:
    assert describe_array_difference(ArrayDifference(1, 1)) == "the only element differs"
    assert describe_array_difference(ArrayDifference(3, 1)) == "1 of 3 elements differ"


def test_names_of_results_under_keys_that_are_objects_leave_room_for_the_table() -> None:
    row = ArraySummary((), "bool", 1.0, 1.0, 1.0, text="True")
    path = f"result[0][{'an effect of checkify ' * 20}]"
    environment = Environment("", "", "", "", "")
    found = Values("f(x)", environment, "jaxpr", (), (row,), (), (), result_paths=(path,))
    told = write_text(values_to_document(found))
    assert "result[0][an effect of checkify" in told and "…" in told
    assert max(len(line) for line in told.splitlines() if "effect" in line) < 200


def test_the_inf_that_a_nan_comes_from_is_not_told_as_the_first_of_all() -> None:
    def function(x):
        other = 1.0 / x
        return jax.numpy.exp(x + 1000.0) * x + jax.numpy.where(other > 1.0, 0.0, 1.0)

    (because,) = [
        origin["because"]
        for origin in evaluate("function(0.0)", {"function": function})[0].find_origins()
        if origin["kind"] == "nan"
    ]
    assert "first equation that made Inf" not in because  # that is the division
    assert "Of what that Inf comes from, 2 (exp" in because


@pytest.mark.parametrize(
    ("start", "told"),
    [
        pytest.param(
            0.0,
            "Of what that Inf comes from, 1/jaxpr/0 (mul",
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


HIDING = {
    "where": "jnp.where(x > 0, log(x), 0.0).sum() + sqrt(x - 10).sum()",
    "where inside of another call": "jax.jit(lambda v: jnp.where(v > 0, log(v), sqrt(v)))(x)",
    "a number that nobody reads": "(log(x), sqrt(x))[1]",
    "comparison": "jnp.isnan(log(x)) + sqrt(x)",
    "branch": "jax.lax.cond(x[0] > 5, lambda a, b: a, lambda a, b: b, log(x), sqrt(x))",
    "state of a scan": "jax.lax.scan(lambda c, r: (jnp.where(r > 0, log(r), c), sqrt(r)), 0.0, x)",
    "state of a loop": (
        "jax.lax.fori_loop(0, 3, lambda i, c: jnp.where(x > 0, log(x), c) + sqrt(x * i - 5), x)"
    ),
    "loops of which some end sooner": (
        "jax.vmap(lambda n: jax.lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, "
        "jnp.where(n > 0, log(n), 0.0), sqrt(n - 3)), (0.0, n, n)))(x)"
    ),
    "nan_to_num": "jnp.nan_to_num(log(x)) * sqrt(x)",
    "minimum over what is not NaN": "jnp.nanmin(log(x)) + sqrt(x)",
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("text", HIDING.values(), ids=HIDING)
def test_a_nan_that_comes_into_no_result_is_told_as_hidden(text: str) -> None:
    """By JAX alone: without the NaN of `log` the results are as they were, without that of `sqrt`
    they are not."""

    def function(x, log=jax.numpy.log, sqrt=jax.numpy.sqrt):
        return eval(text, {"x": x, "log": log, "sqrt": sqrt, "jnp": jax.numpy, "jax": jax})

    evaluator, results = evaluate("function(jnp.array([-1.0, 2.0]))", {"function": function})
    found = [each for each in evaluator.find_origins() if each["kind"] == "nan"]

    plain = function(np.float32([-1, 2]))
    assert [np.isnan(r).tolist() for r in results] == [
        np.isnan(each).tolist() for each in jax.tree.leaves(plain)
    ]

    def without(operation):
        return lambda v: jax.numpy.where(v < 0, 7.0, operation(jax.numpy.abs(v)))

    no_log, no_sqrt = (
        function(np.float32([-1, 2]), **{name: without(getattr(jax.numpy, name))})
        for name in ("log", "sqrt")
    )
    jax.tree.map(np.testing.assert_array_equal, no_log, plain)
    with pytest.raises(AssertionError):
        jax.tree.map(np.testing.assert_array_equal, no_sqrt, plain)

    assert [(each["operation"], each["is_hidden"]) for each in found] == [
        ("sqrt", False),
        ("log", True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "jax.lax.cond(log(x[0]) > 0, lambda v: v, sqrt, x)",
        "jax.lax.while_loop(lambda c: (c[0] < 2) & ~(log(x)[0] > 0), "
        "lambda c: (c[0] + 1, sqrt(c[1] - 5)), (0, x))[1]",
    ],
    ids=["branch", "loop"],
)
def test_a_nan_that_decides_what_runs_is_not_told_as_hidden(text: str) -> None:
    """By JAX alone: without it the result would have no NaN."""

    def function(x, log=jax.numpy.log):
        return eval(text, {"x": x, "log": log, "sqrt": jax.numpy.sqrt, "jax": jax})

    assert np.isnan(function(np.float32([-1, 2]))).any()
    assert not np.isnan(function(np.float32([-1, 2]), lambda v: v * 0 + 7)).any()
    evaluator, _ = evaluate("function(jnp.array([-1.0, 2.0]))", {"function": function})
    assert not any(each["is_hidden"] for each in evaluator.find_origins())


@pytest.mark.slow
def test_nothing_is_told_as_hidden_behind_rounds_that_were_not_run() -> None:
    def function(x):
        a = jax.numpy.log(x)
        b = jax.lax.fori_loop(0, 3000, lambda i, c: jax.numpy.sqrt(x - i) + c, x)
        return b + jax.numpy.where(x > 0, a, 0.0)

    evaluator, _ = evaluate("function(jnp.float32(-1.0))", {"function": function})
    assert not evaluator.is_whole
    assert not any(each["is_hidden"] for each in evaluator.find_origins())


def test_what_is_hidden_is_told_so_in_words() -> None:
    environment = Environment("", "", "", "", "")
    log = NonfiniteOrigin(
        "3", "jaxpr", "log", "nan", "", 0, (), (0,), (), "log(-1) is nan.", is_hidden=True
    )
    sqrt = NonfiniteOrigin("5", "jaxpr", "sqrt", "nan", "", 0, (), (0,), (), "sqrt(-1) is nan.")
    odd = ArraySummary((), "f32", 0.0, 0.0, 0.0, 1, 0, "")
    found = Values("f(x)", environment, "jaxpr", (), (odd,), (), (), (sqrt, log))
    first, hidden = describe_origins(found)
    assert first.startswith("First NaN that may come into a result, in the stage jaxpr: equation 5")
    assert hidden.endswith("It is hidden: no NaN or Inf of a result is computed from it.")
    found = Values("f(x)", environment, "jaxpr", (), (odd,), (), (), (log,))
    told = "What is not finite in the results was so in an argument or a constant."
    assert describe_origins(found)[1:] == [told]


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


def test_what_runs_as_a_whole_is_not_said_to_make_no_nan() -> None:
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))

    @jax.shard_map(mesh=mesh, in_specs=jax.P("i"), out_specs=jax.P("i"))
    def masked(x):
        return jax.numpy.where(x > 0, jax.numpy.log(x), 0.0)  # NaN of what is masked

    def summed(x):
        return jax.numpy.zeros(2).at[jax.numpy.array([0, 1])].add(x)  # one equation inside

    x = jax.numpy.array([-1.0, 2.0])
    evaluators = []
    for function in (masked, summed):
        evaluators.append(Evaluator("a stage", time.monotonic() + 1e6))
        evaluators[-1].run(jax.make_jaxpr(function)(x), [x])
    assert [evaluator.closed for evaluator in evaluators] == [{"0": "shard_map"}, {}]
    assert [evaluator.is_whole for evaluator in evaluators] == [False, True]


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
