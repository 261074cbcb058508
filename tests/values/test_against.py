"""Values of jit and of double precision beside the eager ones, held against plain JAX."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxscope
from jaxscope.cli import main
from jaxscope.client.requests import StepRequest
from jaxscope.client.stepping import SteppingClient
from jaxscope.errors import UsageError
from jaxscope.model.values import compare_arrays, find_causes
from jaxscope.report.values import describe_cause
from jaxscope.worker.values.against import (
    AGAIN,
    FLOAT64,
    JIT,
    NoSuchForm,
    OtherForms,
    describe_against,
)

X = jnp.asarray(np.random.default_rng(0).normal(size=64), jnp.float32)
Y = X[::-1]

PROGRAM = """
import jax, jax.numpy as jnp

def mixed(x, y):
    return jnp.sin(x) * y + x

def printing(x):
    jax.debug.print("x {x}", x=x)
    return x * 2.0

def looped(x):
    return jax.lax.scan(lambda c, v: (c * 0.9 + v, c * v), 0.1, x)

def fixed(x):
    return jnp.abs(x)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def mixed(x: Any, y: Any) -> Any:
    return jnp.sin(x) * y + x


def forms_of(function: Any, *given: Any) -> OtherForms:
    return OtherForms(jax.make_jaxpr(function)(*given), given)


def test_jit_is_the_whole_program_with_one_further_result() -> None:
    forms = forms_of(mixed, X, Y)
    by_hand = jax.jit(lambda x, y: (mixed(x, y), jnp.sin(x) * y))(X, Y)
    assert np.array_equal(forms.find(JIT, ((1, "", 0),))[0], by_hand[1])
    assert np.array_equal(forms.find(JIT, ((2, "", 0),))[0], jax.jit(mixed)(X, Y))
    assert np.array_equal(forms.find(JIT)[0], jax.jit(mixed)(X, Y))


def test_float64_runs_the_same_equations_wider() -> None:
    forms = forms_of(lambda x: jnp.exp(x * 0.1).sum() / 3.0, X)
    wide = np.asarray(X, np.float64) * np.float64(np.float32(0.1))
    assert np.allclose(forms.find(FLOAT64, ((0, "", 0),))[0], wide, rtol=1e-15)
    (found,) = forms.find(FLOAT64)
    assert found.dtype == np.float64
    assert np.allclose(found, np.exp(wide).sum() / 3.0, rtol=1e-14)
    assert not forms.in_own_type
    assert jnp.asarray(1.5).dtype == jnp.float32  # the process stays as it was


def test_a_second_run_is_one_run_and_draws_anew() -> None:
    drawn: list[float] = []

    def draw(x: Any) -> Any:
        drawn.append(len(drawn) + 1.0)
        return x + np.float32(drawn[-1])

    def counted(x: Any) -> Any:
        y = jax.pure_callback(draw, jax.ShapeDtypeStruct((3,), jnp.float32), x * 2.0)
        return jax.lax.cond(y[0] > 2.5, jnp.sin, lambda v: v * 2.0, y)

    x = jnp.arange(3.0)
    program = jax.make_jaxpr(counted)(x)
    drawn.clear()
    forms = OtherForms(program, (x,))
    number = next(n for n, e in enumerate(program.eqns) if e.primitive.name == "pure_callback")
    assert np.array_equal(forms.find(AGAIN, ((number, "", 0),))[0], x * 2.0 + 1.0)
    assert np.array_equal(forms.find(AGAIN)[0], (x * 2.0 + 1.0) * 2.0)  # of the same run
    assert drawn == [1.0]
    cond = len(program.eqns) - 1
    assert forms.find(AGAIN, ((cond, "branches.0", 0), (0, "", 0)))
    with pytest.raises(NoSuchForm, match=r"does not come here\. branches\.0 was taken"):
        forms.find(AGAIN, ((cond, "branches.1", 0), (0, "", 0)))


def test_the_first_difference_of_two_runs_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "draws.py"
    path.write_text(
        "import jax, jax.numpy as jnp, random\n"
        "def draws(x):\n"
        "    y = jnp.sin(x) * 2.0\n"
        "    shape = jax.ShapeDtypeStruct((3,), jnp.float32)\n"
        "    y = jax.pure_callback(lambda v: v + random.random(), shape, y)\n"
        "    return jnp.cos(y) + y\n"
        "def settled(x):\n"
        "    return jnp.cos(x) + jax.random.normal(jax.random.key(0), (3,))\n"
    )
    assert main(["values", str(path), "draws(f32[3])", "--against", "again"]) == 0
    told = capsys.readouterr().out
    assert "The first that differs is equation 2 (pure_callback) (draws.py:5): 3 of 3" in told
    assert "not determined by them" in " ".join(told.split())
    assert main(["values", str(path), "settled(f32[3])", "--against", "again"]) == 0
    assert re.match(r"None of \d+ equations differs\.", capsys.readouterr().out)


def test_integers_are_compared_though_they_have_no_ulps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "integers.py"
    path.write_text("def both(x, n):\n    return x > 0.0, n * 2\n")
    assert main(["values", str(path), "both(f32[3], i32[3])", "--against", "jit", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["against"]
    assert [each["difference"]["max_ulps"] for each in found["equations"]] == [None, None]


@pytest.mark.slow
def test_rounds_of_loops_and_taken_branches_have_values() -> None:
    def scanned(x: Any) -> Any:
        return jax.lax.scan(lambda c, v: (c * 0.9 + v, c * v), 0.1, x, reverse=True)

    forms = forms_of(scanned, X)
    carries = [np.float64(np.float32(0.1))]
    for each in np.asarray(X, np.float64)[::-1]:
        carries.append(carries[-1] * np.float64(np.float32(0.9)) + each)
    for index in (63, 62, 0):  # of the slices: the first round reads the last
        (found,) = forms.find(FLOAT64, ((0, "jaxpr", index), (0, "", 0)))
        assert np.isclose(found, carries[63 - index] * np.float64(np.float32(0.9)), rtol=1e-14)
        (near,) = forms.find(JIT, ((0, "jaxpr", index), (0, "", 0)))
        assert near.dtype == np.float32 and np.isclose(near, found, rtol=1e-3)

    def doubled(x: Any) -> Any:
        return jax.lax.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] * 2.0), (0, x))

    forms = forms_of(doubled, jnp.float32(3.0))
    for form in (JIT, FLOAT64):
        assert forms.find(form, ((0, "body_jaxpr", 2), (1, "", 0)))[0] == 24.0
        with pytest.raises(NoSuchForm, match="condition"):
            forms.find(form, ((0, "cond_jaxpr", 0), (0, "", 0)))
        with pytest.raises(NoSuchForm, match="does not come here"):
            forms.find(form, ((0, "body_jaxpr", 7), (1, "", 0)))

    def branched(x: Any) -> Any:
        return jax.lax.cond(x > 0.0, jnp.sin, jnp.cos, x)

    forms = forms_of(branched, jnp.float32(0.5))
    number = next(n for n, e in enumerate(forms._jaxpr.eqns) if e.primitive.name == "cond")
    assert forms.find(JIT, ((number, "branches.1", 0), (0, "", 0)))[0] == jnp.sin(0.5)
    with pytest.raises(NoSuchForm, match="does not come here"):
        forms.find(JIT, ((number, "branches.0", 0), (0, "", 0)))


def test_what_works_on_bits_keeps_its_type_and_is_named() -> None:
    forms = forms_of(lambda k: jax.random.uniform(k, (8,)) * 3.0, jax.random.key(0))
    (found,) = forms.find(FLOAT64)
    drawn = np.asarray(jax.random.uniform(jax.random.key(0), (8,)))
    assert np.allclose(found, drawn.astype(np.float64) * 3.0, rtol=1e-15)
    assert "bitcast_convert_type" in forms.in_own_type


def test_the_gradient_of_an_indexed_sum_runs_wider() -> None:
    def loss(x: Any) -> Any:
        return (x[jnp.array([1, 1, 2])] ** 3).sum()

    forms = forms_of(jax.grad(loss), X)
    wide = np.zeros(64)
    for at in (1, 1, 2):
        wide[at] += 3 * np.float64(X[at]) ** 2
    assert np.allclose(forms.find(FLOAT64)[0], wide, rtol=1e-6)


def test_a_program_that_prints_is_not_run_once_more(program: str) -> None:
    found = jaxscope.values(program, "printing(f32[3])", against="jit").against
    assert found is not None and "side effects" in found.reason and not found.equations


@pytest.mark.sweep(1)
@pytest.mark.parametrize("form", ["jit", "float64"])
def test_the_first_equation_that_differs_is_named(program: str, form: str) -> None:
    found = jaxscope.values(program, "mixed(f32[64], f32[64])", against=form).against
    assert found is not None and [each.id for each in found.equations] == ["0", "1", "2"]
    assert not found.reason
    for ulps in (0, 4, 10**9):
        differing = [
            each.id
            for each in found.equations
            if each.difference is not None
            and each.difference.num_different
            and each.difference.max_ulps > ulps
        ]
        assert [each.id for each in found.parting(ulps)] == differing
    assert found.equations[2].difference == found.results[0].difference or form == "jit"


@pytest.mark.slow
def test_differences_are_those_of_plain_jax(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["values", program, "looped(f32[32])", "--against", "jit", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)["against"]
    namespace: dict[str, Any] = {}
    exec(PROGRAM, namespace)
    given = jaxscope.values(program, "looped(f32[32])")
    assert given.against is None
    with SteppingClient(StepRequest(program, "looped(f32[32])")) as stepper:
        stepper.move("start")
        cells = stepper.look("argument", 0).cells
    x = jnp.asarray([np.float32(cell) for cell in cells])
    looped = namespace["looped"]
    pairs = zip(looped(x), jax.jit(looped)(x), strict=True)
    for told, (eager, jitted) in zip(found["results"], pairs, strict=True):
        plain = compare_arrays(np.asarray(eager), np.asarray(jitted))
        assert (told["different"], told["max_ulps"]) == (plain.num_different, plain.max_ulps)


def test_one_value_is_shown_in_each_form(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    with SteppingClient(StepRequest(program, "mixed(f32[64], f32[64])")) as stepper:
        stepper.move("place", equation="2")
        view = stepper.look("result", 0, "[:4]", forms=("jit", "float64"))
        assert [each.form for each in view.forms] == ["jit", "float64"]
        assert all(len(each.cells) == 4 and not each.reason for each in view.forms)
        given = stepper.look("operand", 1, forms=("jit",)).forms[0]
        assert "given" in given.reason and not given.cells
        held = stepper.look("operand", 0, forms=("jit",)).forms[0]
        assert held.difference is not None and not held.reason
        stepper.move("end")
        (end,) = stepper.look("result", 0, forms=("jit",)).forms
        assert end.difference == view.forms[0].difference
    assert main(["values", program, "mixed(f32[64], f32[64])", "--at=2", "--against=float64"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^ +eager +float64$", text, re.MULTILINE) and "Eager against float64" in text


def test_what_is_equal_is_said_to_be(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["values", program, "fixed(f32[8])", "--against", "jit"]) == 0
    text = capsys.readouterr().out
    assert "None of 1 equation differs." in text and "are equal, eager and jit" in text
    with pytest.raises(UsageError, match="no form"):
        jaxscope.values(program, "fixed(f32[8])", against="float16")


def test_keys_are_not_compared() -> None:
    key = jax.random.key(0)
    assert describe_against(key, key)[1] is None


FUSED = """
import jax.numpy as jnp

def fma(x, y):
    return x * y + x

def exact(x):
    return x * 2.0
"""


def test_the_part_of_the_compiler_that_makes_the_first_difference_is_named(tmp_path: Path) -> None:
    """A product that is added is rounded once where both are compiled together, else twice."""
    path = tmp_path / "fused.py"
    path.write_text(FUSED)
    found = jaxscope.values(path, "fma(f32[1000], f32[1000])", against="jit").against
    assert found is not None and found.parting()[0].id == "1"

    x, y = (np.random.default_rng(seed).normal(size=1000).astype(np.float32) for seed in (1, 2))
    eager = np.float32(x * y) + x
    compiled = jax.jit(lambda x, y: x * y + x).lower(x, y)

    def without(option: str) -> bool:
        """Whether plain JAX gives the eager bits with an option of XLA's."""
        name, _, value = option.partition("=")
        options = {name: int(value) if value.isdigit() else value}
        return np.array_equal(compiled.compile(compiler_options=options)(x, y), eager)

    assert not np.array_equal(compiled.compile()(x, y), eager)
    tried = {each.what: each for each in found.trials if each.outcome in ("equal", "unchanged")}
    assert {what: without(each.option) for what, each in tried.items()} == {
        what: each.outcome == "equal" for what, each in tried.items()
    }
    assert "pass fusion" in find_causes(found.trials)


def test_nothing_is_switched_off_where_nothing_differs_by_more_than_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fused.py"
    path.write_text(FUSED)
    for call, ulps in (("exact(f32[64])", "0"), ("fma(f32[64], f32[64])", "1000000")):
        assert main(["values", str(path), call, "--against", "jit", "--ulps", ulps, "--json"]) == 0
        against = json.loads(capsys.readouterr().out)["against"]
        assert (against["first"], against["trials"], against["causes"]) == (None, [], [])
        assert against["trials_reason"] is None


@pytest.mark.slow
def test_at_one_place_the_part_of_the_compiler_is_named_as_well(tmp_path: Path) -> None:
    path = tmp_path / "fused.py"
    path.write_text(FUSED)
    request = StepRequest(str(path), "fma(f32[1000], f32[1000])")
    with SteppingClient(request) as stepper:
        stepper.move("place", equation="1")
        (made,) = stepper.look("result", 0, forms=["trials"]).forms
        (read,) = stepper.look("operand", 0, forms=["trials"]).forms
        stepper.move("end")
        (last,) = stepper.look("result", 0, forms=["trials"]).forms
    assert made.form == "jit" and "pass fusion" in find_causes(made.trials)
    assert find_causes(last.trials) == find_causes(made.trials)
    assert read.difference is not None and not read.difference.num_different and not read.trials
    assert "Without " in describe_cause(made) and not describe_cause(read)


def test_results_have_the_names_that_they_have_in_graphs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import jax\ndef step(x):\n    y = x / 3\n    return {'a': x, 'b': (y * y / (1 + y),)}\n"
    )
    assert main(["values", str(path), "step(f32[64])"]) == 0
    told = capsys.readouterr().out
    assert "\n  result['a']  " in told and "\n  result['b'][0]  " in told
