"""Results with NaN or Inf are said at once, with the equation that makes the first of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.analysis.export.contract_json import capture_to_json
from jaxscope.client import run
from jaxscope.client.requests import AgreementRequest
from jaxscope.client.run import ask
from jaxscope.errors import TraceError
from jaxscope.model import Capture, Severity
from jaxscope.model.agreement import Agreement

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
    return run.capture(str(path), call)


@pytest.mark.parametrize(
    ("call", "equation", "line"),
    [
        ("bad(f32[8])", "1 (log, numbers.py:5): 8 NaN among 8 values", 5),
        ("jit(bad, donate_argnums=0)(f32[8])", "1 (log, numbers.py:5)", 5),
        ("vmap(bad)(f32[3, 2])", "1 (log, numbers.py:5): 6 NaN among 6 values", 5),
        ("nested(f32[8])", "(div, numbers.py:12): 8 Inf among 8 values", 12),
        ("grad(root)(jnp.zeros(3))", "(div, numbers.py:22): 3 Inf among 3 values", 22),
    ],
)
def test_the_first_equation_is_named(tmp_path: Path, call: str, equation: str, line: int) -> None:
    capture = take(tmp_path, call)
    (check,) = [check for check in capture.checks if check.rule == "non-finite-result"]
    assert "Results are not finite" in check.message and equation in check.message
    assert (check.severity, check.line) == (Severity.WARNING, line)
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
        run.capture(str(path), "second(f32[()])")
    explanation = caught.value.explanation
    assert explanation.where == "leak.py:7"
    assert "made at leak.py:7 in first" in explanation.why
