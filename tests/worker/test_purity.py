"""What tracing changed and captured is found, with the line that did it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jaxscope.model.capture import Check
from jaxscope.worker.checks.captured_arrays import find_captured
from jaxscope.worker.checks.purity import PurityWatch
from jaxscope.worker.checks.subject import CheckedCall
from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.host.source import read_source
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.provenance.traced_program import trace_call

FILE = """\
import jax, numpy as np, jax.numpy as jnp
seen, cache, total = [], {}, 0
bias = jnp.arange(3.0)
large = jnp.zeros(1 << 20)
class Counter:
    def __init__(self):
        self.n = 0
        self.log = []
    def count(self, x):
        self.n += 1
        return x + self.n
    def note(self, x):
        self.log.append(1)
        return x
def appends(x):
    y = x * 2
    seen.append(1)
    return y
def stores(x):
    cache["x"] = x
    return x
def rebinds(x):
    global total
    total += 1
    return x
def pure(x):
    log = []
    log.append(x)
    return sum(log)
def captures(x):
    return x + bias
def captures_large(x):
    return x + large[0]
twin, numpys, same = jnp.ones((4, 4)), np.ones((4, 4), np.float32), np.ones((4, 4), np.float32)
numbers = np.arange(16, dtype=np.float32).reshape(4, 4)
def copied(x):
    return x @ numpys
def inside(x):
    return jax.jit(lambda x: x @ twin)(x) * 2
def loops(x):
    return jax.lax.scan(lambda c, _: (jnp.tanh(c @ twin), None), x, None, length=3)[0]
def twice(x):
    return x @ numbers + numbers.sum() - (numbers @ x)
def make():
    kept = jnp.ones((4, 4))
    return lambda x: x @ kept
closed = make()
def learn():
    global bias, twin, numpys, numbers
    bias, twin, numpys, numbers = bias * 2, twin * 2, numpys * 2, numbers * 2
def taught():
    kept = np.ones((4, 4), np.float32)
    def reads(x):
        return x @ kept
    jitted = jax.jit(reads)
    for _ in range(2):
        kept += jitted(kept)
    return reads
of_taught = taught()
"""


def check(tmp_path: Path, text: str) -> list[Check]:
    file = tmp_path / "checked.py"
    file.write_text(FILE)
    source = read_source(str(file))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    call = parse_call(text, names, file=source.path)
    watch = PurityWatch(call.base, source)
    program: Any = trace_call(call)
    return [
        *(change.check for change in watch.find_changes()),
        *find_captured(CheckedCall(call, program)),
    ]


@pytest.mark.parametrize(
    ("call", "rule", "name", "line"),
    [
        ("appends(f32[3])", "impure-global", "`seen`", 17),
        ("grad(lambda x: appends(x).sum())(f32[3])", "impure-global", "`seen`", 17),
        ("stores(f32[3])", "impure-global", "`cache`", 20),
        ("rebinds(f32[3])", "impure-global", "`total`", 24),
        ("Counter().count(f32[3])", "impure-attribute", "`n` of Counter", 10),
        ("Counter().note(f32[3])", "impure-attribute", "`log` of Counter", 13),
        ("jit(captures)(f32[3])", "captured-constant", "`bias`", 31),
    ],
)
def test_a_change_is_named_with_its_line(
    tmp_path: Path, call: str, rule: str, name: str, line: int
) -> None:
    (finding,) = check(tmp_path, call)

    assert (finding.rule, finding.line) == (rule, line)
    assert name in finding.message


def test_a_tracer_that_stays_behind_is_told(tmp_path: Path) -> None:
    (finding,) = check(tmp_path, "stores(f32[3])")

    assert "tracer" in finding.message


def test_a_pure_function_has_no_findings(tmp_path: Path) -> None:
    assert check(tmp_path, "pure(f32[3])") == []


@pytest.mark.parametrize("call", ["captures(f32[3])", "jit(closed)(f32[4])"])
def test_what_nothing_compiled_reads_or_nobody_changes_is_no_finding(
    tmp_path: Path, call: str
) -> None:
    assert check(tmp_path, call) == []


def test_a_large_constant_is_a_warning(tmp_path: Path) -> None:
    (finding,) = check(tmp_path, "captures_large(f32[3])")

    assert (finding.rule, finding.severity) == ("captured-constant", "warning")


@pytest.mark.parametrize(
    ("call", "names", "readers", "line"),
    [
        (
            "jit(copied)(f32[4])",
            "`numpys` or `same`",
            "Read by 0 (dot_general, checked.py:37).",
            37,
        ),
        ("jit(inside)(f32[4])", "`twin`", "Read by 0/jaxpr/0 (dot_general, checked.py:39).", 39),
        ("jit(loops)(f32[4])", "`twin`", "Read by 0 (scan, checked.py:41).", 41),
        ("jit(twice)(f32[4])", "`numbers`", "Read by 0 (dot_general, checked.py:43)", 43),
        ("of_taught(f32[4])", "`kept`", "Read by 0 (dot_general, checked.py:54).", 54),
        ("vmap(of_taught)(f32[2, 4])", "`kept`", "Read by 0 (dot_general, checked.py:54).", 54),
    ],
)
def test_a_constant_is_named_with_what_reads_it(
    tmp_path: Path, call: str, names: str, readers: str, line: int
) -> None:
    (finding,) = check(tmp_path, call)

    assert finding.message.startswith(f"The array {names} (f32[4,4], 64 bytes) was captured")
    assert readers in finding.message and readers.startswith(f"Read by {finding.equation} (")
    assert (finding.line, finding.file.rpartition("/")[2]) == (line, "checked.py")
