"""What equations compute, against JAX run by itself; and the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.cli import main
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import ValuesRequest
from jaxscope.errors import TraceError
from jaxscope.model.values import Values, compare_arrays
from jaxscope.worker.values.arrays import summarize
from jaxscope.worker.values.evaluation import _merge

PROGRAM = """
import jax, jax.numpy as jnp

def chain(x):
    y = jnp.sin(x) * 2.0
    return y.sum(), y.astype(jnp.int32), x > 0

def loop(x):
    def step(carry, v):
        jax.debug.print("carry {c}", c=carry)
        return carry + v, carry * v
    return jax.lax.scan(step, 0.0, x)

def quiet(x):
    return jax.lax.scan(lambda c, v: (c + v, c * v), 0.0, x)

def fails(x):
    for _ in range(56):
        x = x + 1.0
    return jax.pure_callback(explode, jax.ShapeDtypeStruct((), jnp.float32), x)

def explode(x):
    raise OSError("no such sensor")

def summed_in_place(xs):
    ref = jax.new_ref(jnp.zeros(4))

    def body(i, _):
        ref[...] += xs[i]
        return _

    jax.lax.fori_loop(0, xs.shape[0], body, None)
    old = ref[0]
    ref[1:3] = jnp.log(-jnp.ones(2))
    return ref[...] * old

def key_and_complex(k, z):
    return jax.random.split(k), z * 1j
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def test_each_value_is_that_of_jax(program: str) -> None:
    found = ask(ValuesRequest(program, "chain(jnp.arange(5.0) - 2.0)"), Values)
    x = jnp.arange(5.0) - 2.0
    steps = {"sin": jnp.sin(x), "mul": jnp.sin(x) * 2.0, "reduce_sum": (jnp.sin(x) * 2.0).sum()}
    by_name = {each.operation: each for each in found.equations}
    for name, value in steps.items():
        (output,) = by_name[name].outputs
        plain = np.asarray(value)
        assert (output.min, output.max) == (plain.min(), plain.max())
        assert output.mean == plain.mean(dtype=np.float64) and output.dtype == "float32"
        assert output.shape == plain.shape and by_name[name].file == program
    assert [r.dtype for r in found.results] == ["float32", "int32", "bool"]
    assert (found.results[1].min, found.results[2].max) == (-1, 1)


def test_a_loop_with_effects_runs_once_and_gives_what_a_quiet_one_gives(
    program: str, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments = "(jnp.arange(4.0))"
    printed: list[str] = []
    loud = ask(ValuesRequest(program, f"loop{arguments}"), Values, printed.append)
    quiet = ask(ValuesRequest(program, f"quiet{arguments}"), Values)
    assert loud.results == quiet.results
    text = "".join(event.text for event in printed if hasattr(event, "stream"))
    assert text.count("carry") == 4
    adds = [each for each in quiet.equations if each.operation == "add"]
    assert [(each.num_runs, each.outputs[0].max) for each in adds] == [(4, 6.0)]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(jax, "Ref"), reason="this JAX has no mutable arrays")
def test_mutable_arrays_have_the_values_that_they_hold(program: str) -> None:
    found = ask(ValuesRequest(program, "summed_in_place(jnp.ones((5, 4)))"), Values)
    space: dict[str, Any] = {}
    exec(compile(Path(program).read_text(), program, "exec"), space)
    plain = np.asarray(space["summed_in_place"](jnp.ones((5, 4))))
    (result,) = found.results
    assert (result.num_nan, result.max) == (np.isnan(plain).sum(), np.nanmax(plain))
    assert not any("Values end" in warning for warning in found.warnings)
    by_name = {each.operation: each for each in found.equations if "/" in each.id}
    assert (by_name["get"].num_runs, by_name["get"].outputs[0].max) == (5, 4.0)
    assert [origin.operation for origin in found.origins] == ["log"]


def test_keys_and_complex_numbers_have_no_least_value(program: str) -> None:
    found = ask(ValuesRequest(program, "key_and_complex(key(0), jnp.ones(2) + 0j)"), Values)
    assert [r.dtype for r in found.results] == ["key<fry>", "complex64"]
    assert all(math.isnan(r.min) and math.isnan(r.mean) for r in found.results)


def test_an_equation_that_fails_is_explained_at_its_line(program: str) -> None:
    with pytest.raises(TraceError) as caught:
        ask(ValuesRequest(program, "fails(0.0)"), Values)
    explanation = caught.value.explanation
    assert "no such sensor" in f"{explanation.what} {explanation.why}"
    assert explanation.where == "program.py:23"


@pytest.mark.parametrize(
    "value",
    [np.zeros((0, 3), np.float32), np.array([np.inf, -np.inf, np.nan], np.float32), True, 3, 2.5],
)
def test_summaries_are_of_finite_elements(value: object) -> None:
    found = summarize(value)
    array = np.asarray(value)
    finite = array[np.isfinite(array)]
    expected = [float(f(finite)) if finite.size else None for f in (np.min, np.max, np.mean)]
    assert [found[name] for name in ("min", "max", "mean")] == expected
    assert found["num_nan"] == np.isnan(array).sum() and found["num_inf"] == np.isinf(array).sum()


def test_what_has_no_numbers_shows_none() -> None:
    """The gradient by an integer."""
    gradient = jax.grad(lambda n: n * 1.0, allow_int=True)(2)
    told = summarize(gradient)
    assert (told["dtype"], told["text"]) == ("float0", "")


def test_low_precision_is_summed_in_double() -> None:
    assert summarize(jnp.ones(70_000, jnp.float16))["mean"] == 1.0
    assert summarize(jnp.full(3, 1e4, jnp.bfloat16))["max"] == float(jnp.bfloat16(1e4))


def test_summaries_of_rounds_are_those_of_all_elements() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)
    merged = summarize(rows[0])
    for number, row in enumerate(rows[1:], 1):
        merged = _merge(merged, summarize(row), number)
    assert (merged["min"], merged["max"]) == (rows.min(), rows.max())
    assert merged["text"] == summarize(rows[-1])["text"], "of the last alone"
    assert merged["mean"] == pytest.approx(rows.mean(dtype=np.float64), rel=1e-12)


def test_the_mean_over_rounds_is_that_of_the_finite_elements() -> None:
    rows = np.array([[np.inf, np.nan], [1.0, 2.0], [9.0, -np.inf], [5.0, 7.0]], np.float32)
    merged = summarize(rows[0])
    for number, row in enumerate(rows[1:], 1):
        merged = _merge(merged, summarize(row), number)
    assert merged["mean"] == pytest.approx(rows[np.isfinite(rows)].mean(), rel=1e-12)
    assert (merged["num_nan"], merged["num_inf"]) == (1, 2)


@pytest.mark.slow
@pytest.mark.usefixtures("started_workers")
def test_the_command_prints_json_of_the_contract(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["values", program, "chain(f32[5])", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["first_nonfinite"] is None
    for each in found["values"].values():
        for output in each["outputs"]:
            assert {"shape", "dtype", "min", "max", "mean", "nan", "inf"} <= output.keys()
    assert main(["values", program, "chain(jnp.ones(5) * jnp.inf)", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["first_nonfinite"]
    assert first["kind"] == "nan" and first["iteration"] is None and first["line"] == 5
    assert "sin(inf) is nan" in first["because"] and len(first["operands"]) == 1


def test_values_in_a_terminal(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["values", program, "chain(jnp.array([1.0, jnp.nan]))"]) == 0
    text = capsys.readouterr().out
    assert "An argument holds them already." in text and "reduce_sum" in text


def test_the_library_has_both(program: str) -> None:
    import jaxscope

    assert "Equations of the stage jaxpr" in repr(jaxscope.values(program, "chain(f32[5])"))
    assert "Nothing was found." in repr(jaxscope.check(program, "chain(f32[5])"))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_results_are_those_of_the_call_without_jit(part: int) -> None:
    from jaxscope.worker.host.call import parse_call
    from jaxscope.worker.provenance.traced_program import find_inputs, trace_call
    from jaxscope.worker.stages.call_loader import call_namespace
    from jaxscope.worker.values.evaluation import Evaluator
    from tests.values import causes

    for text, _, _ in causes.CASES[part::3]:
        if "in_jit" in text:
            continue  # without jit, JAX divides Python's numbers, which raises
        call = parse_call(text, call_namespace(vars(causes)), file=causes.__file__)
        program = trace_call(call)
        found = Evaluator("s", math.inf).run(program.derived.jaxpr, find_inputs(program, call))
        with jax.disable_jit():
            plain = eval(text, {**vars(causes), **vars(jax), "jnp": jnp})
        for one, other in zip(found, jax.tree.leaves(plain), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, jnp.bfloat16, np.float32, np.float64])
def test_two_arrays_are_compared_in_steps_of_their_type(dtype: Any) -> None:
    one = np.asarray([1.0, -2.0, 0.0, 0.0, np.nan, 3.0], dtype)
    other = one.copy()
    other[3] = -0.0
    same = compare_arrays(one, other)
    assert (same.num_elements, same.num_different, same.max_ulps) == (6, 0, 0)
    for _ in range(5):
        other[1] = np.nextafter(other[1], np.asarray(0, dtype))
    other[0] = np.nextafter(other[0], np.asarray(2, dtype))
    found = compare_arrays(one, other)
    assert (found.num_different, found.num_odd, found.max_ulps, found.place) == (2, 0, 5, (1,))
    assert found.max_abs == float(other[1]) + 2.0
    least = np.nextafter(np.asarray(0, dtype), np.asarray(1, dtype))
    assert compare_arrays(np.asarray([least]), np.asarray([-least])).max_ulps == 2
    other[5] = np.inf
    assert compare_arrays(one, other).num_odd == 1


def test_arrays_of_all_kinds_are_compared() -> None:
    far = np.iinfo(np.int64)
    found = compare_arrays(np.asarray([far.max, 3]), np.asarray([far.min, 3]))
    assert (found.max_abs, found.max_ulps, found.place) == (float(2**64 - 1), -1, (0,))
    assert compare_arrays(np.asarray([True, False]), np.asarray([True, True])).place == (1,)
    assert compare_arrays(np.asarray([3 + 4j]), np.asarray([0j])).max_abs == 5.0
    assert compare_arrays(np.asarray(2.0), np.asarray(2.5)).place == ()
    only_odd = compare_arrays(np.asarray([1.0, np.nan]), np.asarray([1.0, 2.0]))
    assert math.isnan(only_odd.max_abs)
    assert (only_odd.num_different, only_odd.num_odd, only_odd.place) == (1, 1, (1,))
    assert compare_arrays(np.empty((0, 3)), np.empty((0, 3))).num_different == 0
    with pytest.raises(ValueError, match="shapes or types"):
        compare_arrays(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="shapes or types"):
        compare_arrays(np.zeros(3), np.zeros(3, np.float32))


UNRUNNABLE = """
import jax, jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import mlir

odd = Primitive("odd")
odd.def_abstract_eval(lambda x: x)
mlir.register_lowering(odd, mlir.lower_fun(lambda x: x * 2, multiple_results=False))


def through(x):
    return odd.bind(jnp.log(x)) + 1


def called_back(x):
    def fail(value):
        raise ValueError("of the code's own")

    return jax.pure_callback(fail, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
"""


def test_an_equation_that_cannot_be_run_alone_ends_the_values_and_not_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "odd.py"
    file.write_text(UNRUNNABLE)
    names: dict[str, object] = {}
    exec(UNRUNNABLE, names)  # JAX compiles it, and has no rule to run it by itself
    assert jax.jit(names["through"])(jnp.ones(2)).tolist() == [1.0, 1.0]
    assert main(["values", str(file), "through(jnp.zeros(3))", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["first_nonfinite"]["operation"] == "log"
    (told,) = found["warnings"]
    start = "Values end before equation 1 (odd, line 12), which cannot be run by itself: "
    assert told.startswith(f"{start}NotImplementedError: ")
    assert main(["values", str(file), "called_back(jnp.zeros(3))"]) == 1
    assert "of the code's own" in capsys.readouterr().err


def test_the_line_of_the_users_code_comes_before_that_of_the_library_that_it_calls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = tmp_path / "site-packages" / "losses.py"
    library.parent.mkdir()
    library.write_text("import jax.numpy as jnp\n\n\ndef entropy(p):\n    return jnp.log(p)\n")
    file = tmp_path / "mine.py"
    head = f"import sys\nsys.path.insert(0, {str(library.parent)!r})\nimport losses\n"
    file.write_text(f"{head}\n\ndef f(x):\n    return losses.entropy(x - x)\n")
    assert main(["values", str(file), "f(f32[3])", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["first_nonfinite"]
    assert (first["file"], first["line"]) == (str(file), 7)
    assert "That line calls losses.py:5." in first["because"]
    assert main(["capture", str(file), "f(f32[3])", "--json"]) == 0
    (check,) = json.loads(capsys.readouterr().out)["checks"]
    assert (check["file"], check["line"]) == (str(file), 7)
    assert "(log, mine.py:7, losses.py:5)" in check["message"]
