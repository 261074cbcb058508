"""What holds for all checks, and what their messages say in numbers."""

from __future__ import annotations

import builtins
import random
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model.capture import Check, Severity
from jaxscope.worker import checks
from jaxscope.worker.checks.effects import EffectWatch
from jaxscope.worker.checks.user_places import own_frame
from jaxscope.worker.faults.tracebacks import is_installed
from jaxscope.worker.host.call import call_namespace, parse_call
from tests.checks import planted
from tests.checks.running import findings_of

ROOT = Path(__file__).parents[2]


def test_a_check_that_fails_costs_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(subject: Any) -> Iterator[Any]:
        raise IndexError("no such thing")

    monkeypatch.setattr(checks, "CHECKS", (broken, *checks.CHECKS))
    with pytest.raises(AssertionError, match="The check broken failed"):
        findings_of(planted.__file__, "own_softmax(f32[8])")


def test_a_line_is_told_once_and_that_there_are_more_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def many(subject: Any) -> Iterator[Check]:
        for number in range(400):
            yield Check("many", Severity.INFO, "Message.", "Remedy.", line=1 + number // 10)

    monkeypatch.setattr(checks, "CHECKS", (many,))
    found, missing = checks.run_checks(cast(Any, None))

    assert [each.line for each in found] == list(range(1, 21))
    assert missing == ["Of many only the first 20 lines are told."]


@pytest.mark.slow
def test_every_lesson_is_a_sample_and_every_finding_has_a_remedy() -> None:
    found = [
        each
        for rule, calls in planted.FAULTS.items()
        if not rule.startswith(
            ("trace-time", "impure", "float64-not")
        )  # once: JAX keeps what it traced
        for each in findings_of(planted.__file__, calls[0], planted.TARGETS.get(rule, "cpu"))
    ]
    assert {each.lesson for each in found if each.lesson}
    assert all((ROOT / each.lesson).is_file() for each in found if each.lesson)
    assert all(each.remedy and each.message.endswith(".") for each in found)
    assert {each.severity for each in found} == {"warning", "info"}


def test_float64_out_of_float32(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text(
        "import numpy as np\nimport jax.numpy as jnp\n"
        "def scaled(x):\n    return x * np.float64(0.5)\n"
        "def shifted(x):\n    return x + np.linspace(0, 1, 3)\n"
        "def plain(x):\n    return x * 0.5 + np.float32(2)\n"
        "def given(x, y):\n    return x * y\n"
        "def picked(x, n):\n    return (x * np.float64(2))[n]\n"
        "def summed(x):\n    return jnp.sum(x, dtype=np.float64).astype(x.dtype)\n"
        "def kept(x):\n    return jnp.sum(x, dtype=np.float64)\n"
        "def cast(x):\n    return x.astype(jnp.float64) * x\n"
        "def made(x):\n    return jnp.asarray(x, np.float64) + 1\n"
        "def named(x):\n    return jnp.float64(x) * x\n"
    )
    calls = {
        "summed(f32[3])": 0,
        "cast(f32[3])": 0,
        "made(f32[3])": 0,
        "named(f32[3])": 0,
        "kept(f32[3])": 0,
        "scaled(f32[3])": 4,
        "shifted(f32[3])": 6,
        "plain(f32[3])": 0,
    }
    with jax.enable_x64(True):
        for call, line in {**calls, "given(f32[3], f64[3])": 0}.items():
            lines = [e.line for e in findings_of(str(file), call) if e.rule.startswith("float64")]
            assert lines == [line] * bool(line), call
        (found,) = findings_of(str(file), "picked(f32[3], i32[])")
        assert "no argument is float64" in found.message  # one is an integer
    assert findings_of(str(file), "scaled(f32[3])") == []


CHANGES = """\
import functools
import jax

log, n = [], 0

def other():
    log = []
    log.append(1)
    n = 3
    def inside(n):
        n += 1

def reset():
    global n
    n = 0

def note(x):
    log.append(x)  # noted(1.0)

def noted(x):
    note(1)
    return x + 1

@jax.jit
def counted(x):
    global n
    n += 1  # counted(1.0)
    return x + n

class Counter:
    def __init__(self):
        self.n = 0

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x):
        self.n += 1  # counter.step(1.0)
        return x + self.n

counter = Counter()
"""


def test_equations_of_a_shared_jaxpr_count_once_as_in_its_graph(tmp_path: Path) -> None:
    """By hand: 80 rounds of a product, a sum and a call; `bend` has 12 equations, once."""
    path = tmp_path / "rounds.py"
    path.write_text(
        "import jax\n"
        "import jax.numpy as jnp\n"
        "@jax.jit\n"
        "def bend(x):\n" + "    x = jnp.sin(x)\n" * 12 + "    return x\n"
        "def f(x):\n"
        "    for n in range(80):\n"
        "        x = bend(x * 2.0) + 1.0\n"
        "    return jnp.cos(x)\n"
    )
    (finding,) = findings_of(str(path), "f(f32[8])")
    assert finding.rule == "unrolled-loop"
    assert "are 252 of the 253 equations. One round of 15 would do;" in finding.message


def test_what_is_watched_is_put_back() -> None:
    before = builtins.print, time.time, random.random, np.random.normal, builtins.open
    watch = EffectWatch(planted.prints)
    with pytest.raises(KeyError), watch.watching():
        assert builtins.print is not before[0]
        raise KeyError
    assert before == (print, time.time, random.random, np.random.normal, builtins.open)


def test_what_the_function_changes_itself_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(random, "gauss")
    monkeypatch.setattr(time, "monotonic", time.monotonic)  # puts it back afterwards
    watch, own = EffectWatch(planted.prints), lambda: 0.0
    with watch.watching():
        time.monotonic = own
    assert time.monotonic is own and not hasattr(random, "gauss")


def test_only_the_thread_that_traces_is_watched() -> None:
    watch = EffectWatch(planted.prints)
    with watch.watching():
        other = threading.Thread(target=time.time)
        other.start()
        other.join()
    assert list(watch.find_effects()) == []
    with watch.watching():
        time.time()
    assert [each.rule for each in watch.find_effects()] == ["trace-time-clock"]


def test_lines_of_libraries_are_not_the_user_s(tmp_path: Path) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    file = folder / "library.py"
    file.write_text("import jax.numpy as jnp\ndef f(x):\n    return jnp.sqrt(jnp.log(1.0 + x))\n")
    assert is_installed(str(file)) and findings_of(str(file), "f(f32[3])") == []
    own = tmp_path / "own.py"
    own.write_text(file.read_text())
    assert [each.line for each in findings_of(str(own), "f(f32[3])")] == [3]
    names: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    (_, equation, _) = jax.make_jaxpr(names["f"])(1.0).eqns
    assert own_frame(equation) is None


def _where_all_is(number: float, text: str) -> Any:
    """What a call gives where every element of its arrays is a number."""
    call = parse_call(text, call_namespace(vars(planted)), file=planted.__file__)
    filled = jax.tree.map(lambda leaf: jnp.full_like(leaf, number), call.args)
    return call.compose(call.base)(*filled, **call.kwargs)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("text", planted.FAULTS["where-gradient"])
def test_the_planted_gradients_are_nan_where_it_is_said(text: str) -> None:
    (found,) = findings_of(planted.__file__, text)
    number = -1.0 if "is negative" in found.message else 0.0
    assert number or "is 0" in found.message
    assert any(bool(jnp.isnan(g).any()) for g in jax.tree.leaves(_where_all_is(number, text)))


@pytest.mark.parametrize("text", [t for t in planted.ALIKE["where-gradient"] if "other" not in t])
def test_those_that_are_passed_over_are_not(text: str) -> None:
    assert not any(bool(jnp.isnan(g).any()) for g in jax.tree.leaves(_where_all_is(0.0, text)))


def test_only_the_sum_that_a_loop_carries_gets_stuck() -> None:
    ones = jnp.ones(1000, jnp.bfloat16)
    assert jax.jit(planted.carried_sum)(ones) == 256
    assert jax.jit(planted.running_sum)(ones)[-1] == 500


def test_a_change_is_told_at_the_line_that_makes_it(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text(CHANGES)
    lines = CHANGES.splitlines()
    for call in ("noted(1.0)", "counted(1.0)", "counter.step(1.0)"):
        found = findings_of(str(file), call)
        assert [lines[each.line - 1].partition("# ")[2] for each in found] == [call], found


def test_a_sleep_gives_nothing_that_becomes_a_constant(tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    file.write_text("import time\ndef f(x):\n    time.sleep(0)\n    return x + 1\n")
    (found,) = findings_of(str(file), "f(1.0)")
    assert found.rule == "trace-time-clock" and "constant" not in found.message


def test_what_messages_say_of_float32() -> None:
    x = jnp.float32
    assert jnp.log(1 + x(5.9e-8)) == 0 and abs(jnp.log(1 + x(1e-6)) / 1e-6 - 1) > 0.04
    assert jnp.exp(x(5.9e-8)) - 1 == 0 and 1 - jnp.cos(x(2e-4)) == 0
    assert jnp.isinf(jnp.exp(x(89))) and not jnp.isinf(jnp.exp(x(88)))
    assert jnp.isinf(jnp.exp(jnp.float16(11.2))) and not jnp.isinf(jnp.exp(jnp.float16(11)))
    assert jnp.log(1 + jnp.exp(x(-17))) == 0 and jnp.exp(x(-104)) == 0
    for dtype, bits in ((jnp.bfloat16, 8), (jnp.float16, 11)):
        assert dtype(2**bits) + dtype(1) == dtype(2**bits)
        assert dtype(2 ** (bits - 1)) + dtype(1) != dtype(2 ** (bits - 1))


def test_every_rule_is_in_the_table_of_its_page() -> None:
    page = (ROOT / "docs" / "design" / "checks.md").read_text("utf-8")
    table = page.partition("| rule | told where |")[2].partition("\n\n")[0]
    assert not [rule for rule in planted.FAULTS if f"`{rule}`" not in table]


def test_both_branches_of_a_where_are_named(tmp_path: Path) -> None:
    file, names = tmp_path / "two.py", dict[str, Any]()
    body = "jnp.where(x < 0, jnp.sqrt(-x), jnp.sqrt(x)).sum()"
    file.write_text(f"import jax.numpy as jnp\ndef f(x):\n    return {body}\n")
    (found,) = findings_of(str(file), "grad(f)(f32[3])")
    exec(file.read_text(), names)
    equations = jax.make_jaxpr(names["f"])(jnp.ones(3)).eqns
    roots = {str(n) for n, each in enumerate(equations) if each.primitive.name == "sqrt"}
    assert {found.equation, *re.findall(r"equation (\d+): mend both", found.message)} == roots
    # By JAX alone: with one branch mended the derivative at 0 or below is still NaN.
    safe = "jnp.where({test}, {root}, 1.0)"
    first = safe.format(test="x < 0", root="-x")
    second = safe.format(test="x > 0", root="x")
    for one, other, is_nan in ((first, "x", True), ("-x", second, True), (first, second, False)):
        mended = f"lambda x: jnp.where(x < 0, jnp.sqrt({one}), jnp.sqrt({other})).sum()"
        slope = jax.grad(eval(mended, {"jnp": jnp}))(jnp.array([0.0, -1.0, 2.0]))
        assert bool(jnp.isnan(slope).any()) is is_nan
