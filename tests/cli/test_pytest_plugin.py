"""The fixtures for tests of others: what passes, what fails with which words, what is not known."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

import jaxscope
from jaxscope.model import Capture, Unavailable
from jaxscope.model.capture import MemoryPlan
from jaxscope.pytest_plugin import Compiled

pytest_plugins = ["pytester"]

PROGRAM = """
import jax
import jax.numpy as jnp

def gelu(x):
    return 0.5 * x * (1 + jnp.tanh(0.79 * (x + 0.044 * x**3)))

def tails(x):
    return gelu(x) + jnp.sort(x)

def test_good(jaxscope_compiled):
    compiled = jaxscope_compiled(jax.grad(lambda x: gelu(x).sum()), jnp.ones(1000))
    compiled.assert_kernels(at_most=1)
    compiled.assert_no_type("f64", "c128")
    compiled.assert_bytes(at_most=1e6)
    compiled.assert_no_collective()

def test_good_count(jaxscope_compilations):
    with jaxscope_compilations("inner", at_most=1):
        def inner(x):
            return x + 1
        inner = jax.jit(inner)
        for number in range(3):
            inner(jnp.full(3, number))

def test_stored(jaxscope_compiled):
    jaxscope_compiled(gelu, jnp.ones(1000)).assert_equals("gelu.jaxscope")

def test_other(jaxscope_compiled):
    jaxscope_compiled(tails, jnp.ones(1000)).assert_equals("gelu.jaxscope")

def test_kernels(jaxscope_compiled):
    jaxscope_compiled(tails, jnp.ones(1000)).assert_kernels(at_most=0)

def test_error(jaxscope_compiled):
    jaxscope_compiled(jnp.dot, jnp.ones(2), jnp.ones(3))

@jax.jit
def early(x):
    return x * 2

def test_counts(jaxscope_compilations):
    with jaxscope_compilations("early", at_most=1):
        for number in (3, 4):
            early(jnp.ones(number))

def test_reasons(jaxscope_compilations):
    with jaxscope_compilations("inner", at_most=1):
        def inner(x):
            return x + 1
        inner = jax.jit(inner)
        for number in (3, 4):
            inner(jnp.ones(number))

def test_name(jaxscope_compilations):
    with jaxscope_compilations("erly", at_most=1):
        early(jnp.ones(5))

def test_own_error(jaxscope_compilations):
    with jaxscope_compilations("early", at_most=1):
        raise KeyError("of the test")
"""


WORDS = ("-p", "jaxscope.pytest_plugin", "-p", "no:cacheprovider")


@pytest.fixture(autouse=True)
def _without_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Qt's and others take as long to load as a small test takes."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def test_tests_pass_and_fail_with_what_was_found(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile(test_step=PROGRAM)
    first = pytester.runpytest_subprocess(*WORDS, "-k", "good or stored", "--jaxscope-update")
    first.assert_outcomes(passed=3)
    stored = path.with_name("gelu.jaxscope")
    assert jaxscope.load(stored).call == "gelu(f32[1000])"

    result = pytester.runpytest_subprocess(*WORDS)
    result.assert_outcomes(passed=3, failed=7)
    parts = re.split(r"^_+ (test_\w+) _+$", result.stdout.str(), flags=re.M)
    told = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert "It differs from gelu.jaxscope" in told["test_other"]
    assert re.search(r"jaxpr +\d+ .* differs", told["test_other"])
    assert "sort" in told["test_other"]
    assert "at most 0 were wanted.\nE   The optimized program has" in told["test_kernels"].replace(
        "E       ", "E   "
    )
    assert "[counted, test_step.py:" in told["test_kernels"]
    assert "The shapes do not fit together." in told["test_error"]
    assert "early was compiled 2 times; at most 1 were wanted." in told["test_counts"]
    assert "x: f32[3] → f32[4] (another shape)" in told["test_reasons"]
    assert "How often erly was compiled is not known" in told["test_name"]
    assert "KeyError: 'of the test'" in told["test_own_error"]
    for name, text in told.items():
        assert "pytest_plugin.py" not in text, f"{name} shows our frames"


TIMED = """
import pytest

@pytest.mark.parametrize("stored", ["f", "slow", "fast", "none"])
def test_time(jaxscope_timed, stored):
    jaxscope_timed("user.py", "f(f32[64])", budget_s=0.1).assert_not_slower(f"{stored}.json")

def test_other_call(jaxscope_timed):
    jaxscope_timed("user.py", "f(f32[65])", budget_s=0.1).assert_not_slower("slow.json")
"""


@pytest.mark.slow
def test_a_call_is_held_against_its_stored_time(pytester: pytest.Pytester) -> None:
    path = pytester.makepyfile(test_speed=TIMED)
    path.with_name("user.py").write_text("import jax.numpy as jnp\n\ndef f(x):\n    return x * 2\n")
    written = pytester.runpytest_subprocess(*WORDS, "-k", "test_time and f]", "--jaxscope-update")
    written.assert_outcomes(passed=1)
    raw = json.loads(path.with_name("f.json").read_text())
    for name, factor in (("slow", 1e3), ("fast", 1e-3)):
        changed = json.loads(json.dumps(raw))
        for measurement in changed["measurements"]:
            for key in ("median", "low", "high"):
                measurement[key] *= factor
            measurement["samples"] = [each * factor for each in measurement["samples"]]
        path.with_name(f"{name}.json").write_text(json.dumps(changed))
    found = pytester.runpytest_subprocess(*WORDS, "-k", "slow or fast or none or other")
    found.assert_outcomes(passed=1, failed=3)
    failures = found.stdout.str().partition("short test summary info")[0]
    parts = re.split(r"^_+ (test_\S+) _+$", failures, flags=re.M)
    told = dict(zip(parts[1::2], parts[2::2], strict=True))
    assert {*told} == {"test_time[fast]", "test_time[none]", "test_other_call"}
    assert "There is no stored timing" in told["test_time[none]"]
    assert "of another call" in told["test_other_call"]
    assert "baseline is of" in told["test_time[fast]"]
    slower = "Slower than the baseline."
    assert slower in told["test_time[fast]"] and slower not in told["test_other_call"]
    assert "times, slower" in told["test_time[fast]"]
    assert "--jaxscope-update renews fast.json." in told["test_time[fast]"]
    assert "pytest_plugin.py" not in found.stdout.str()


@pytest.fixture
def capture(archive: Path) -> Capture:
    return jaxscope.load(archive)


def without_stage(capture: Capture, name: str) -> Capture:
    why = Unavailable("XLA failed.", name)
    stages = tuple(
        dataclasses.replace(stage, text=why, graph=why, unavailable=why)
        if stage.name == name
        else stage
        for stage in capture.stages
    )
    return dataclasses.replace(capture, stages=stages)


def test_what_is_not_known_fails(capture: Capture, archive: Path) -> None:
    partial = without_stage(capture, "optimized")
    why = Unavailable("XLA failed.", "optimized")
    compiled = Compiled(dataclasses.replace(partial, memory=why), archive.parent)
    for assertion in (
        lambda: compiled.assert_kernels(at_most=99),
        lambda: compiled.assert_bytes(at_most=1e12),
        lambda: compiled.assert_no_type("f64"),
        lambda: compiled.assert_no_collective(),
    ):
        with pytest.raises(AssertionError, match=r"is not known: .*XLA failed\."):
            assertion()
    silent = Compiled(dataclasses.replace(capture, memory=MemoryPlan()))
    with pytest.raises(AssertionError, match="is not known"):
        silent.assert_bytes(at_most=1e12)
    with pytest.raises(AssertionError, match="differs from"):
        compiled.assert_equals(archive.name)


def test_it_is_the_same_as_itself(capture: Capture, archive: Path) -> None:
    Compiled(capture, archive.parent).assert_equals(archive.name)
    of_another_processor = without_stage(capture, "machine")
    Compiled(of_another_processor, archive.parent).assert_equals(archive.name)
    with pytest.raises(AssertionError, match="There is no stored capture"):
        Compiled(capture, archive.parent).assert_equals("none.jaxscope")


def test_a_word_that_is_no_type_is_refused(capture: Capture) -> None:
    compiled = Compiled(capture)
    with pytest.raises(AssertionError, match=r"values are f32.* wanted: "):
        compiled.assert_no_type("f32")
    compiled.assert_no_type("bf16", "s64")
    with pytest.raises(ValueError, match="such as"):
        compiled.assert_no_type("double")
