"""What tracing changed and captured is found, with the line that did it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jaxscope.worker import compat
from jaxscope.worker.call import call_namespace, parse_call
from jaxscope.worker.program import trace_call
from jaxscope.worker.purity import Finding, PurityWatch
from jaxscope.worker.source import read_source
from jaxscope.worker.user_module import execute_file

FILE = """\
import jax.numpy as jnp
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
"""


def check(tmp_path: Path, text: str) -> list[Finding]:
    file = tmp_path / "checked.py"
    file.write_text(FILE)
    source = read_source(str(file))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    call = parse_call(text, names, file=source.path)
    watch = PurityWatch(call.base, source)
    program: Any = trace_call(call)
    constants = compat.consts_of(program.base.jaxpr)
    return [*watch.find_changes(), *watch.find_captured(constants)]


@pytest.mark.parametrize(
    ("call", "rule", "name", "line"),
    [
        ("appends(f32[3])", "impure-global", "`seen`", 17),
        ("grad(lambda x: appends(x).sum())(f32[3])", "impure-global", "`seen`", 17),
        ("stores(f32[3])", "impure-global", "`cache`", 20),
        ("rebinds(f32[3])", "impure-global", "`total`", 24),
        ("Counter().count(f32[3])", "impure-attribute", "`n` of Counter", 10),
        ("Counter().note(f32[3])", "impure-attribute", "`log` of Counter", 13),
        ("captures(f32[3])", "captured-constant", "`bias`", 0),
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


def test_a_large_constant_is_a_warning(tmp_path: Path) -> None:
    (finding,) = check(tmp_path, "captures_large(f32[3])")

    assert (finding.rule, finding.severity) == ("captured-constant", "warning")
