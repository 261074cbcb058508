"""Results with NaN or Inf are said at once, with the equation that makes the first of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.client import one_shot
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import AgreementRequest, TimeRequest, ValuesRequest
from jaxscope.errors import TraceError
from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Capture, Severity, Timing
from jaxscope.model.experiments import Agreement
from jaxscope.model.values import Values
from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.provenance.traced_program import find_inputs, trace_call
from jaxscope.worker.stages import nonfinite
from jaxscope.worker.stages.nonfinite import count_odd, find_origin_of

SOURCE = """\
import jax, jax.numpy as jnp


def bad(x):
    y = jnp.log(x - 10.0)
    return y * 2.0


def nested(x):
    @jax.jit
    def inner(x):
        return 1.0 / (x - x)

    return inner(x) + 1.0


def masked(x):
    return jnp.where(x < -100, jnp.log(x - 10.0), 0.0)


def root(x):
    return jnp.sqrt(x).sum()


def endless(x):
    return jax.lax.while_loop(lambda x: jnp.isfinite(x), lambda x: x * 2.0, x)
"""


def take(tmp_path: Path, call: str) -> Capture:
    path = tmp_path / "numbers.py"
    path.write_text(SOURCE)
    return one_shot.capture(str(path), call)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("call", "equation", "line"),
    [
        ("bad(f32[8])", "1 (log, numbers.py:5): 8 NaN among 8 values", 5),
        ("jit(bad, donate_argnums=0)(f32[8])", "1 (log, numbers.py:5)", 5),
        (
            "vmap(bad)(f32[3, 2])",
            "1 (log, numbers.py:5) of the stage vmap: 6 NaN among 6 values",
            5,
        ),
        ("nested(f32[8])", "(div, numbers.py:12): 8 Inf among 8 values", 12),
        (
            "grad(root)(jnp.zeros(3))",
            "(div, numbers.py:22) of the stage grad: 3 Inf among 3 values",
            22,
        ),
    ],
)
def test_the_first_equation_is_named(tmp_path: Path, call: str, equation: str, line: int) -> None:
    capture = take(tmp_path, call)
    (check,) = [check for check in capture.checks if check.rule == "non-finite-result"]
    assert "Results are not finite" in check.message and equation in check.message
    assert (check.severity, check.line) == (Severity.WARNING, line)
    assert check.equation and f" {check.equation} (" in check.message
    assert check.file.endswith("numbers.py")
    told = capture_to_json(capture)
    assert check.message in told["messages"]
    assert check.message in [each["message"] for each in told["checks"]]


@pytest.mark.parametrize("call", ["masked(f32[8])", "endless(f32[()])"])
def test_nothing_is_said_of_finite_results_and_of_what_may_run_for_ever(
    tmp_path: Path, call: str
) -> None:
    capture = take(tmp_path, call)
    assert "not finite" not in " ".join(capture.messages)


def test_what_comes_in_so_is_said_to(tmp_path: Path) -> None:
    capture = take(tmp_path, "root(jnp.array([jnp.nan, 1.0]))")
    (text,) = [text for text in capture.messages if "not finite" in text]
    assert "So are arguments already: 1 NaN among 2 values." in text


def test_agreement_says_so_too(tmp_path: Path) -> None:
    path = tmp_path / "numbers.py"
    path.write_text(SOURCE)
    found = ask(AgreementRequest(str(path), "bad(f32[8])"), Agreement)
    assert any("1 (log, numbers.py:5)" in warning for warning in found.warnings)


LOOPS = """\
import jax, jax.numpy as jnp


def forth(x):
    def step(state, y):
        state = state - 1.0
        return state, jnp.sqrt(state) + y

    return jax.lax.scan(step, x, jnp.ones(10))


def back(x):
    return jax.lax.scan(lambda c, y: (c, 1.0 / (y - 3.0)), x, jnp.arange(10.0), reverse=True)


def inside(x):
    def outer(state, _):
        return jax.lax.scan(lambda s, _: (s * 10.0, None), state, None, length=4)

    return jax.lax.scan(outer, x, None, length=20)[0]


def keyed(key):
    def step(state, _):
        key, value = state
        key, drawn = jax.random.split(key)
        return (key, value - 1.0), jnp.log(value) * jax.random.normal(drawn)

    return jax.lax.scan(step, (key, 3.0), None, length=8)[1]


def endless(x):
    return jax.lax.while_loop(lambda s: s[0] < 100, lambda s: (s[0] + 1, s[1] * 1e10), (0, x))


def branch(x):
    return jax.lax.cond(x > 0, lambda x: jnp.log(-x), lambda x: x, x)


def masked(x):
    return jax.nn.softmax(jnp.where(x > 100, x, -jnp.inf))


def minus(x):
    y = 1.0 / (x - x)
    return y - y


KEPT = jnp.array([jnp.nan, 1.0])


def closed(x):
    return x + KEPT


def in_place(x):
    power = jax.new_ref(x)

    def step(total, i):
        power[...] = power[...] * 1e20
        return total + (power[...] - power[...]), i

    return jax.lax.scan(step, 0.0, jnp.arange(4))[0]
"""


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("forth(3.5)", "1/jaxpr/1 (sqrt, loops.py:7) in round 4 of 10 of 1 (scan): 1 NaN"),
        (
            "vmap(forth)(jnp.array([3.5, 6.5]))",
            "in round 4 of 10 of 1 (scan) of the stage vmap: 1 NaN",
        ),
        ("back(1.0)", "(div, loops.py:13) in round 7 of 10 of 1 (scan): 1 Inf"),
        ("inside(1.0)", "in round 3 of 4 of 0/jaxpr/0 (scan) in round 10 of 20 of 0 (scan): 1 Inf"),
        ("keyed(jax.random.key(0))", "(log, loops.py:27) in round 5 of 8 of 0 (scan): 1 NaN"),
        ("branch(1.0)", "2/branches.1/1 (log, loops.py:37): 1 NaN"),
        (
            "masked(f32[4])",
            "The first equation that makes NaN is 6 (sub, loops.py:41), which reads ",
        ),
        ("minus(f32[3])", "1 (div, loops.py:45) is the first to make Inf: 3 Inf"),
        (
            "closed(f32[2])",
            "a constant that is not finite, which 0 (add, loops.py:53) reads: 1 NaN",
        ),
        pytest.param(
            "in_place(1.0)",
            "(sub, loops.py:61) in round 2 of 4 of 2 (scan), which reads Inf: 1 NaN",
            marks=pytest.mark.skipif(not hasattr(jax, "Ref"), reason="no mutable arrays"),
        ),
    ],
)
def test_the_round_of_a_loop_and_the_kind_of_the_value_are_told(call: str, text: str) -> None:
    names: dict[str, Any] = {"__name__": "loops"}
    exec(compile(LOOPS, "loops.py", "exec"), names)
    parsed = parse_call(call, call_namespace(names), file="loops.py")
    results = count_odd(parsed.compose(parsed.base)(*parsed.args, **parsed.kwargs))
    assert results
    assert text in find_origin_of(parsed, results, math.inf)


HIDDEN = """\
import jax, jax.numpy as jnp


def where(x):
    a = jnp.log(x)
    return jnp.where(x > 0, a, 0.0).sum() + jnp.sqrt(x - 10).sum()


def carried(x):
    def step(c, r):
        return jnp.where(r > 0, jnp.log(r), c), jnp.sqrt(r - 10)

    return jax.lax.scan(step, 0.0, x)


def of_infinity(x):
    a = jnp.log(x - 5)
    b = 1 / (x - x)
    return jnp.where(x > 10, a, 0.0) + b * 0


def given(x):
    return jnp.nansum(x) * jnp.sqrt(-2.0 * jnp.ones(2))


KEPT = jnp.array([jnp.nan, 1.0])


def constant(x):
    a = jnp.log(x - 5)
    return KEPT + jnp.nan_to_num(a)
"""
LOG_IS_HIDDEN = "makes NaN before it. It is hidden: no NaN or Inf of a result is computed from it."


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("call", "first", "hidden"),
    [
        ("where(jnp.array([-1.0, 2.0]))", "(sqrt, hidden.py:6): 2 NaN", "(log, hidden.py:5)"),
        (
            "carried(jnp.array([-1.0, 2.0]))",
            "(sqrt, hidden.py:11) in round 1 of 2 of 0 (scan): 1 NaN",
            "(log, hidden.py:11) in round 1 of 2 of 0 (scan)",
        ),
        ("of_infinity(jnp.ones(2))", "(mul, hidden.py:19), which reads Inf", "(log, hidden.py:17)"),
        ("constant(jnp.ones(2))", "a constant that is not finite, which ", "(log, hidden.py:30)"),
        ("given(jnp.array([jnp.nan, 1.0]))", "(sqrt, hidden.py:23): 2 NaN", ""),
    ],
)
def test_a_nan_that_comes_into_no_result_is_told_as_hidden(
    call: str, first: str, hidden: str
) -> None:
    """By JAX alone: without the NaN of `log`, and of the argument, the results are NaN, too."""
    names: dict[str, Any] = {"__name__": "hidden"}
    exec(compile(HIDDEN, "hidden.py", "exec"), names)
    parsed = parse_call(call, call_namespace(names), file="hidden.py")
    results = parsed.compose(parsed.base)(*parsed.args, **parsed.kwargs)
    without = HIDDEN.replace("jnp.log(", "(lambda v: 0 * v)(")
    exec(compile(without, "hidden.py", "exec"), names)
    args = jax.tree.map(jnp.nan_to_num, parsed.args)
    others = names[call.partition("(")[0]](*args)
    odd = [[np.isnan(leaf).tolist() for leaf in jax.tree.leaves(r)] for r in (results, others)]
    assert odd[0] == odd[1] and count_odd(results).num_nan

    text = find_origin_of(parsed, count_odd(results), math.inf)
    assert first in text
    assert (f"{hidden} {LOG_IS_HIDDEN}" in text) if hidden else "is hidden" not in text


def test_a_capture_tells_what_is_hidden_as_the_page_of_values_does(tmp_path: Path) -> None:
    path = tmp_path / "hidden.py"
    path.write_text(HIDDEN)
    call = "where(jnp.array([-1.0, 2.0]))"
    (check,) = [
        check
        for check in one_shot.capture(str(path), call).checks
        if check.rule == "non-finite-result"
    ]
    first, hidden = ask(ValuesRequest(str(path), call), Values).origins
    assert (check.line, check.equation) == (first.line, first.equation) == (6, first.equation)
    assert hidden.is_hidden and f"{hidden.equation} (log, hidden.py:5) makes NaN" in check.message


def test_measuring_names_the_equation_too(tmp_path: Path) -> None:
    path = tmp_path / "loops.py"
    path.write_text(LOOPS)
    timing = ask(TimeRequest(str(path), "endless(1.0)", budget_s=0.05), Timing)
    (said,) = [text for text in timing.warnings if "The first equation" in text]
    assert "0/body_jaxpr/1 (mul, loops.py:33) in round 4 of 0 (while): 1 Inf" in said
    assert not any(ratio.is_judged for ratio in timing.ratios)


LEAK = """\
import jax, jax.numpy as jnp
KEPT = []


@jax.jit
def first(x):
    y = x * 2.0
    KEPT.append(y)
    return x


first(1.0)


def second(x):
    return x + KEPT[0]
"""


def test_a_leaked_tracer_has_the_place_that_jax_knows(tmp_path: Path) -> None:
    path = tmp_path / "leak.py"
    path.write_text(LEAK)
    with pytest.raises(TraceError) as caught:
        one_shot.capture(str(path), "second(f32[()])")
    explanation = caught.value.explanation
    assert explanation.where == "leak.py:7"
    assert "made at leak.py:7 in first" in explanation.why


def test_a_constant_that_may_be_meant_is_no_warning(tmp_path: Path) -> None:
    path = tmp_path / "loops.py"
    path.write_text(LOOPS)
    (check,) = [
        check
        for check in one_shot.capture(str(path), "closed(f32[2])").checks
        if check.rule == "non-finite-result"
    ]
    assert (check.severity, check.line) == (Severity.INFO, 53)


def many_kinds(x: jax.Array, length: int) -> jax.Array:
    """So many equations of as many kinds, and after them one that makes NaN."""
    for _ in range(length // 2):
        x = jnp.tanh(x)[1:]
    return jnp.log(x - 2.0)


class Clock:
    """A clock of a machine so busy that each look at it comes so many seconds later."""

    def __init__(self, step_s: float) -> None:
        self.now, self.step_s = 0.0, step_s

    def monotonic(self) -> float:
        self.now += self.step_s
        return self.now


def search(
    monkeypatch: pytest.MonkeyPatch, step_s: float, length: int = 62
) -> nonfinite.Nonfinite | None:
    x = np.zeros(length, np.float32)
    names = {"f": lambda x: many_kinds(x, length), "x": x}
    call = parse_call("f(x)", call_namespace(names), file="f.py")
    program = trace_call(call)
    inputs = find_inputs(program, call)
    monkeypatch.setattr(nonfinite, "time", Clock(step_s))
    return nonfinite.describe_nonfinite([np.full(2, np.nan)], program, inputs)


@pytest.mark.slow
def test_a_busy_machine_finds_the_same_equation(monkeypatch: pytest.MonkeyPatch) -> None:
    idle, busy = search(monkeypatch, 0.0), search(monkeypatch, 0.5)
    assert idle is not None and idle == busy
    assert "(log, " in idle.text and idle.is_made


@pytest.mark.slow
def test_a_search_that_ends_says_after_what_and_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stopped = search(monkeypatch, 11.0)
    assert stopped is not None and stopped.is_made and not stopped.equation  # NaN is no mask
    assert "the search was stopped after 4 equations, in 55 s." in stopped.text
    assert "jaxscope ask FILE CALL nan" in stopped.text
    many = search(monkeypatch, 0.0, 300)
    assert many is not None and "the search ends after 100 equations." in many.text
