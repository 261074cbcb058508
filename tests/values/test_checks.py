"""Likely mistakes: what is found in programs that have one, and nothing in programs without."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import pytest

from jaxscope.cli import main
from jaxscope.client.check import LESSONS
from jaxscope.worker.checks.keys import find_key_reuse
from tests.values import causes

ROOT = Path(__file__).parents[2]


def twice(key):
    return jax.random.normal(key, (3,)) + jax.random.uniform(key, (3,))


def split_and_used(key):
    first, _ = jax.random.split(key)
    return jax.random.normal(first) + jax.random.normal(key)


def split_twice(key):
    return jax.random.split(key)[0], jax.random.split(key)[1]


def in_a_loop(key):
    def body(carry, _):
        return carry + jax.random.normal(key), None

    return jax.lax.scan(body, 0.0, None, length=3)[0]


def inside(key):
    return jax.jit(lambda k: twice(k) * 2.0)(key) + 1.0


def split(key):
    first, second = jax.random.split(key)
    return jax.random.normal(first) + jax.random.uniform(second)


def folded_in(key):
    def body(i, carry):
        return carry + jax.random.normal(jax.random.fold_in(key, i))

    return jax.lax.fori_loop(0, 3, body, 0.0)


def mapped(key):
    return jax.vmap(jax.random.normal)(jax.random.split(key, 4))


def either(key):
    return jax.lax.cond(True, jax.random.normal, jax.random.uniform, key)


def chained(key):
    total = 0.0
    for _ in range(3):
        key, drawn = jax.random.split(key)
        total += jax.random.normal(drawn)
    return total


@pytest.mark.parametrize("make_key", [jax.random.key, jax.random.PRNGKey], ids=["typed", "raw"])
@pytest.mark.parametrize(
    ("function", "first", "second"),
    [(twice, 20, 20), (split_and_used, 24, 25), (split_twice, 29, 29), (split, 0, 0),
     (folded_in, 0, 0), (mapped, 0, 0), (either, 0, 0), (chained, 0, 0)],
)  # fmt: skip
def test_a_key_that_is_used_twice_is_found_with_both_uses(
    function: object, first: int, second: int, make_key: object
) -> None:
    found = find_key_reuse(jax.make_jaxpr(function)(make_key(0)))
    if not first:
        assert found is None
        return
    assert found is not None and found.line == second
    assert f", line {first}) has used already" in found.message


def test_a_key_that_a_loop_or_an_inner_function_uses_again() -> None:
    loop = find_key_reuse(jax.make_jaxpr(in_a_loop)(jax.random.key(0)))
    assert loop is not None and "in every round" in loop.message and loop.equation == "0"
    nested = find_key_reuse(jax.make_jaxpr(inside)(jax.random.key(0)))
    assert nested is not None and nested.equation == "0/jaxpr/1"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[dict[str, object]]]:
    status = main(["check", *words, "--json"])
    return status, json.loads(capsys.readouterr().out)["checks"]


@pytest.mark.slow
def test_the_key_of_the_lesson_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    status, checks = run(capsys, str(ROOT / "samples" / "random_keys.py"), "reused(key(0))")
    assert status == 5 and [check["rule"] for check in checks] == ["key-reuse"]
    keys = {"rule", "severity", "message", "remedy", "file", "line", "lesson", "equation"}
    assert keys <= checks[0].keys() and checks[0]["equation"] == "1"
    assert run(capsys, str(ROOT / "samples" / "random_keys.py"), "split_in_two(key(0))") == (0, [])


@pytest.mark.slow
def test_results_and_gradients_that_are_not_finite(capsys: pytest.CaptureFixture[str]) -> None:
    status, checks = run(capsys, causes.__file__, "zero_times_inf(jnp.ones(3))")
    assert status == 5 and [check["rule"] for check in checks] == ["non-finite-result"]
    assert "mul(inf, 0) is nan" in str(checks[0]["message"]) and checks[0]["equation"] == "2"
    status, checks = run(capsys, causes.__file__, "safe_by_where(jnp.array([1.0, 0.0]))")
    assert status == 5 and [check["rule"] for check in checks] == ["non-finite-gradient"]
    assert "of the stage gradient" in str(checks[0]["message"])


jnp = jax.numpy  # functions above are found by their lines
ADVISED = """\
import jax.numpy as jnp


def by_zero(x):
    return (x / x).sum()


def log(x):
    return jnp.log(x).sum()


def root(x):
    return jnp.sqrt(x).sum()


def infinite(x):
    y = jnp.exp(x + 1000.0)
    return (y - y).sum()


def zero_times(x):
    return (x * jnp.exp(x + 1000.0)).sum()


def tested(x):
    return jnp.where(x != 0, jnp.sin(x) / x, 1.0).sum()
"""
AT = {"x": jnp.array([0.0, -2.0, 3.0]), "s": jnp.array([0.0, 2.0, 3.0])}


def is_finite(text: str, name: str) -> bool:
    """By JAX alone: whether a formula and its derivative are finite."""

    def formula(value: jax.Array) -> jax.Array:
        places = {"jnp": jnp, "jax": jax, "x": value, "y": value, "s": value}
        for statement in text.split("; ")[:-1]:
            exec(statement, places)
        return jnp.sum(eval(text.split("; ")[-1], places))

    value, slope = jax.value_and_grad(formula)(AT[name])
    return bool(jnp.isfinite(value) & jnp.isfinite(slope).all())


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("call", "formulas"),
    [
        (
            "by_zero(jnp.zeros(3))",
            [
                ("safe = jnp.where(y != 0, y, 1.0); jnp.where(y != 0, x / safe, 0.0)", "x"),
                ("safe = jnp.where(s > 0, s, 1.0); jnp.where(s > 0, x / jnp.sqrt(safe), 0.0)", "s"),
            ],
        ),
        (
            "log(jnp.zeros(3))",
            [
                ("jnp.log(jnp.maximum(x, 1e-12))", "x"),
                ("safe = jnp.where(x > 0, x, 1.0); jnp.where(x > 0, jnp.log(safe), 0.0)", "x"),
            ],
        ),
        (
            "grad(root)(jnp.zeros(3))",
            [
                ("jnp.sqrt(x + 1e-12)", "s"),
                ("safe = jnp.where(x > 0, x, 1.0); jnp.where(x > 0, jnp.sqrt(safe), 0.0)", "x"),
            ],
        ),
        ("infinite(jnp.zeros(3))", [("jnp.minimum(x, 80.0)", "x")]),
        ("zero_times(jnp.zeros(3))", [("jnp.minimum(x, 80.0)", "x")]),
        (
            "grad(tested)(jnp.array([0.0, -2.0]))",
            [("safe = jnp.where(x != 0, x, 1.0); jnp.where(x != 0, 1.0 / safe, 0.0)", "x")],
        ),
    ],
)
def test_what_is_advised_against_nan_and_inf_is_finite_with_its_derivative(
    call: str,
    formulas: list[tuple[str, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "advised.py"
    file.write_text(ADVISED)
    status, checks = run(capsys, str(file), call)
    remedies = " ".join(str(check["remedy"]) for check in checks)
    assert status == 5
    for text, name in formulas:
        assert text in remedies
        assert is_finite(text, name)
    if "80.0" in remedies:
        bounded = jnp.exp(jnp.minimum(AT["x"] + 1000.0, 80.0))
        assert jnp.isfinite(bounded - bounded).all() and jnp.isfinite(AT["x"] * bounded).all()


@pytest.mark.slow
def test_the_remedy_is_of_the_inf_that_becomes_nan_and_not_of_the_first_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The logarithm makes Inf first, which a `where` drops; the root's derivative makes NaN."""
    file = tmp_path / "two.py"
    file.write_text(
        "import jax, jax.numpy as jnp\n"
        "def norm(x):\n    return jnp.sqrt(jnp.sum(x**2))\n"
        "def penalty(x):\n    logs = jnp.log(jax.lax.stop_gradient(x))\n"
        "    return jnp.maximum(logs, -9.0).sum() + norm(x - x)\n"
    )
    x = jnp.array([1.0, 0.0, 2.0])
    by_root = jax.grad(lambda x: jnp.sqrt(jnp.sum((x - x) ** 2)))(x)
    by_log = jnp.maximum(jnp.log(x), -9.0)
    assert jnp.isnan(by_root).all() and not jnp.isnan(by_log).any()
    _, checks = run(capsys, str(file), "grad(penalty)(jnp.array([1.0, 0.0, 2.0]))")
    (found,) = [check for check in checks if check["rule"] == "non-finite-result"]
    assert "jnp.sqrt(x + 1e-12)" in str(found["remedy"])
    assert "logarithm" not in str(found["remedy"])


PAIRS = """\
import jax.numpy as jnp


def pairs(x):
    r = jnp.sqrt(jnp.sum((x[:, None] - x[None]) ** 2, -1))
    return jnp.where(r > 0, 1 / r, 0.0).sum()
"""


@pytest.mark.slow
def test_of_a_gradient_the_remedy_is_of_the_inf_that_its_nan_is_made_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The root's derivative makes Inf first, and that of the quotient the Inf which is multiplied.

    A small number under the root would not do: where `1 / r` is dropped it would be added.
    """
    file = tmp_path / "pairs.py"
    file.write_text(PAIRS)
    advised = []
    for call, rule in (
        ("pairs(f32[4, 3])", "non-finite-gradient"),
        ("grad(pairs)(f32[4, 3])", "non-finite-result"),
    ):
        _, checks = run(capsys, str(file), call)
        (found,) = [check for check in checks if check["rule"] == rule]
        assert "integer_pow" in str(found["message"])
        advised.append(str(found["remedy"]))
    assert advised[0] == advised[1] and "x / jnp.sqrt(safe)" in advised[0]
    old = "r = jnp.sqrt(jnp.sum((x[:, None] - x[None]) ** 2, -1))"
    new = f"s = {old[len('r = jnp.sqrt(') : -1]}\n    safe = jnp.where(s > 0, s, 1.0)"
    followed = PAIRS.replace(old, new).replace("r > 0, 1 / r", "s > 0, 1 / jnp.sqrt(safe)")
    functions = []
    for text in (PAIRS, followed):
        places: dict[str, object] = {}
        exec(text, places)
        functions.append(eval("pairs", places))
    before, after = functions
    x = jnp.arange(12.0).reshape(4, 3) ** 2
    assert jnp.allclose(before(x), after(x))
    assert jnp.isnan(jax.grad(before)(x)).all() and jnp.isfinite(jax.grad(after)(x)).all()


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("return x if x[0] > 0 else -x", "branch-on-tracer"),
        ("return x[x > 0]", "dynamic-shape"),
        ("return np.asarray(x)", "numpy-on-tracer"),
        ("return x + jnp.ones(7)", "does-not-trace"),
        ("x[0] = 1.0; return x", "in-place-assignment"),
    ],
)
def test_what_cannot_be_traced_is_a_finding_at_its_line(
    body: str, rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.py"
    file.write_text(f"import numpy as np\nimport jax.numpy as jnp\ndef f(x):\n    {body}\n")
    status, checks = run(capsys, str(file), "f(f32[3])")
    assert status == 5
    assert [(c["rule"], c["severity"], c["line"]) for c in checks] == [(rule, "error", 4)]
    assert checks[0]["file"] == str(file) and checks[0]["remedy"]


def test_a_call_that_is_wrong_is_no_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", causes.__file__, "nothing(f32[3])"]) == 1
    assert "nothing" in capsys.readouterr().err


def test_every_lesson_is_there() -> None:
    assert all((ROOT / lesson).is_file() for lesson in LESSONS.values())


def test_a_clean_gradient_is_clean(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text("import jax.numpy as jnp\ndef f(x):\n    return jnp.tanh(x).sum()\n")
    assert run(capsys, str(file), "f(f32[3])") == (0, [])


def test_what_an_installed_library_does_with_a_key_is_its_own_affair() -> None:
    source = "import jax\ndef f(k):\n    return jax.random.normal(k) + jax.random.normal(k)\n"
    for folder, is_found in (("/home/u/project", True), ("/lib/site-packages/brownian", False)):
        names: dict[str, object] = {}
        exec(compile(source, f"{folder}/tree.py", "exec"), names)
        found = find_key_reuse(jax.make_jaxpr(names["f"])(jax.random.key(0)))
        assert (found is not None) is is_found


def test_nothing_is_said_of_the_gradient_of_a_step_of_training(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Of Adam's it is NaN where its second moments are 0, as they are at the start."""
    file = tmp_path / "step.py"
    file.write_text(
        "import jax, jax.numpy as jnp\n"
        "@jax.jit\n"
        "def step(w, nu, x):\n"
        "    g = jax.grad(lambda w: jnp.sum((w * x) ** 2))(w)\n"
        "    nu = 0.9 * nu + 0.1 * g * g\n"
        "    return w - g / (jnp.sqrt(nu) + 1e-8), nu\n"
    )
    status, checks = run(capsys, str(file), "step(jnp.ones(3), jnp.zeros(3), jnp.zeros(3))")
    assert (status, checks) == (0, [])


def test_a_long_error_of_jax_is_told_to_the_end_of_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, allowed = tmp_path / "f.py", ", ".join(f"policy_number_{n}" for n in range(200))
    file.write_text(f"def f(x):\n    raise ValueError('It must be one of {allowed}')\n")
    _, (check,) = run(capsys, str(file), "f(f32[3])")
    message = str(check["message"])
    assert len(message) < 500 and message.endswith(", …")
    assert set(message.split("one of ")[1].removesuffix(" …").rstrip(",").split(", ")) <= set(
        allowed.split(", ")
    )


@pytest.mark.slow
def test_a_softmax_of_nothing_but_masked_values_is_to_be_masked_with_a_finite_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "masked.py"
    lines = ["import jax, jax.numpy as jnp", "def masked(x, least):"]
    lines += ["    return jax.nn.softmax(jnp.where(x > 1e6, x, least))"]
    file.write_text("\n".join(lines))
    assert main(["check", str(file), "masked(f32[3], -jnp.inf)", "--json"]) == 5
    (found,) = json.loads(capsys.readouterr().out)["checks"]
    assert "jnp.finfo(x.dtype).min" in found["remedy"]
    assert main(["check", str(file), "masked(f32[3], jnp.finfo(jnp.float32).min)"]) == 0


def test_where_no_call_is_offered_the_script_can_be_watched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "train.py"
    file.write_text("def step(x): return x\n")
    assert main(["ask", str(file), "recompiled"]) != 0
    assert f"jaxscope run -- {file}" in capsys.readouterr().err
