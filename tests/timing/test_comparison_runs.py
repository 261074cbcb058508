"""Comparisons of real programs: what they are made with, and processes that take turns."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jaxscope.client import multi_process_runs
from jaxscope.client.events import Event, Failed, Progress
from jaxscope.client.multi_process_runs import side_requests
from jaxscope.client.requests import ComparisonRequest, TimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import CallError, Stopped, TraceError
from jaxscope.model import Timing
from jaxscope.model.experiments import ProgramComparison
from jaxscope.program.cost.work import LOOPS_COUNTED

PROGRAMS = """
import os

import jax
import jax.numpy as jnp

def layer(x, w):
    return jnp.tanh(x @ w)

def loss(w, x):
    for _ in range(3):
        x = layer(x, w)
    return x.sum()

def devices(x):
    return x * jax.device_count()

def loop(x):
    def body(carry, _):
        return tuple(x * 1.5 + 1 for x in carry), carry[0].sum()
    return jax.lax.scan(body, (x,) * 8, None, length=50)

def rounds(x, n):
    return jax.lax.fori_loop(0, int(n), lambda _, y: jnp.tanh(y @ x), x)

def until_large(x):
    return jax.lax.while_loop(lambda y: y.sum() < 1e3, lambda y: y * 1.5 + 1, x)

def process(x):
    return x * jax.device_count() + float(os.environ.get("JAXSCOPE_TEST", "0"))

def odd(x):
    return jnp.log(-jnp.abs(x))

def nothing(x):
    return x

calls = 0

def fails_later(x):
    return jax.pure_callback(count, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

def count(x):
    global calls
    calls += 1
    if calls == 400:
        raise ValueError("the data ran out")
    return x
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(is_warm=False) as session:
        yield session


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("comparison") / "programs.py"
    path.write_text(PROGRAMS, "utf-8")
    return str(path)


@pytest.fixture
def two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two instead of six: what one more process does, another would do as well."""
    monkeypatch.setattr(multi_process_runs, "RIGOROUS_PROCESSES", 2)


def compare(session: Session, file: str, call: str, **options: Any) -> ProgramComparison:
    request = ComparisonRequest(file, call, budget_s=0.3, **options)
    found = session.start(request).wait()
    assert isinstance(found, ProgramComparison)
    return found


def test_a_type_is_that_of_arguments_and_results(session: Session, file: str) -> None:
    found = compare(session, file, "layer(f32[8, 8], f32[8, 8])", other_dtype="bfloat16")
    assert found.second.endswith("in bfloat16")
    (leaf,) = found.agreement.leaves
    assert 0 < leaf.max_ulp < 10_000  # in those of float32 it would be millions
    assert found.second_cost.memory > 0


def test_double_precision_is_that_of_one_side_only(session: Session, file: str) -> None:
    found = compare(session, file, "layer(f32[8, 8], f32[8, 8])", other_dtype="float64")
    (leaf,) = found.agreement.leaves
    assert leaf.type == "f32[8,8]"
    assert 0 < leaf.max_ulp < 10_000
    assert found.second_cost.memory > found.first_cost.memory
    assert not [text for text in found.timing.warnings if "compiled again" in text]


@pytest.mark.slow
def test_a_consuming_program_is_not_compared_with_one_that_keeps_its_data_warm(
    session: Session, file: str
) -> None:
    found = compare(session, file, "layer(f32[8, 8], f32[8, 8])", other_donate="x")
    assert found.timing.measurement("second").runs > 0
    assert all(leaf.is_equal for leaf in found.agreement.leaves)
    with pytest.raises(CallError, match="no array argument 'y'"):
        compare(session, file, "layer(f32[8, 8], f32[8, 8])", other_donate="y")


def test_remat_computes_more(session: Session, file: str) -> None:
    call = "grad(loss)(f32[8, 8], f32[8, 8])"
    found = compare(session, file, call, other_remat="nothing_saveable")
    assert found.second_cost.flops > found.first_cost.flops
    assert not found.is_across_processes


@pytest.mark.slow
def test_work_in_a_loop_counts_as_often_as_it_runs(session: Session, file: str) -> None:
    found = compare(session, file, "rounds(f32[8, 8], 3)", other_call="rounds(f32[8, 8], 6)")
    assert found.first_cost.counting == found.second_cost.counting == LOOPS_COUNTED
    # What stands around the loop is little; what counts the rounds is little, too.
    assert found.second_cost.flops == pytest.approx(2 * found.first_cost.flops, rel=0.05)
    assert found.second_cost.bytes_accessed > 1.5 * found.first_cost.bytes_accessed


@pytest.mark.slow
def test_a_loop_is_seen_however_much_it_carries(session: Session, file: str) -> None:
    found = compare(session, file, "loop(f32[8])", precision="default")
    assert found.first_cost.counting == LOOPS_COUNTED
    assert found.first_cost.flops >= 50 * 8 * 8 * 2


def test_work_in_a_loop_of_unknown_length_is_unknown(session: Session, file: str) -> None:
    found = compare(session, file, "until_large(f32[8])", precision="default")
    assert math.isnan(found.first_cost.flops)
    assert math.isnan(found.first_cost.bytes_accessed)
    assert "XLA does not know how often 1 loop runs." in found.first_cost.counting
    assert found.first_cost.memory > 0


def test_remat_of_what_has_no_gradient_is_remarked_on(session: Session, file: str) -> None:
    found = compare(session, file, "devices(f32[8])", remat="none", other_remat="dots_saveable")
    assert [text for text in found.timing.warnings if "takes no gradient" in text]


@pytest.mark.parametrize(
    ("name", "value"), [("other_dtype", "float8"), ("other_remat", "all"), ("remat", "some")]
)
def test_a_setting_that_does_not_exist_is_refused(
    session: Session, file: str, name: str, value: str
) -> None:
    with pytest.raises(CallError, match=f"no .* '{value}'"):
        compare(session, file, "devices(f32[8])", **{name: value})


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("call", "why"),
    [("odd(f32[8])", "(log, "), ("nothing(f32[8])", "computes nothing")],
)
def test_what_cannot_be_judged_gets_no_verdict(
    session: Session, file: str, call: str, why: str
) -> None:
    found = compare(session, file, call, other_precision="highest")
    (ratio,) = found.timing.ratios
    assert (ratio.verdict, ratio.is_judged) == ("unclear", False)
    assert [text for text in found.timing.warnings if why in text]


@pytest.mark.slow
@pytest.mark.usefixtures("two_processes")
def test_targets_and_variables_are_compared_across_processes(session: Session, file: str) -> None:
    found = compare(
        session,
        file,
        "process(f32[8])",
        other_target="cpu:2",
        other_environment={"JAXSCOPE_TEST": "2"},
    )
    assert found.is_across_processes
    assert found.num_processes == 2
    assert found.first == "process(f32[8]) on cpu"
    assert found.second == "process(f32[8]) on cpu:2 with JAXSCOPE_TEST=2"
    assert found.agreement.leaves[0].differing == 8
    assert found.timing.measurement("first").runs == 2  # a value of each process
    assert found.timing.measurement("second_compile").runs == 2
    assert [ratio.verdict for ratio in found.timing.ratios] == ["unclear"]  # of two, none


@pytest.mark.slow
@pytest.mark.usefixtures("two_processes")
def test_rigorous_takes_a_value_from_each_process(session: Session, file: str) -> None:
    events: list[Event] = []
    # A call with a transform has no gradient of its own to be measured.
    request = TimeRequest(file, "vmap(devices)(f32[8])", budget_s=0.2, rigorous=True)
    timing = session.start(request, events.append).wait()
    assert isinstance(timing, Timing)
    assert timing.measurement("jit").runs == 2
    assert timing.measurement("jit").protocol.startswith("Medians of 2 fresh processes.")
    texts = [event.text for event in events if isinstance(event, Progress)]
    assert [text for text in texts if text.startswith("Process 2 of 2: ")]


@pytest.mark.slow
def test_a_failure_in_the_middle_keeps_what_both_processes_measured(
    session: Session, file: str
) -> None:
    events: list[Event] = []
    request = ComparisonRequest(file, "fails_later(f32[4])", other_target="cpu:2", budget_s=30.0)
    with pytest.raises(TraceError, match="failed while measured"):
        session.start(request, events.append).wait()
    assert isinstance(events[-1], Failed)
    partial = events[-1].partial
    assert isinstance(partial, ProgramComparison)
    assert partial.timing.measurement("first").runs > 0
    assert partial.timing.measurement("second").runs > 0
    assert partial.timing.measurement("first_compile").runs == 1
    # How many pairs came before depends on how many calls a chunk has.
    said = re.compile(r"partial, of [0-5] of 6 pairs")
    assert [text for text in partial.timing.warnings if said.search(text)]


def test_stopping_keeps_the_processes_that_are_done(session: Session, file: str) -> None:
    events: list[Event] = []

    def stop(event: Event) -> None:
        events.append(event)
        if isinstance(event, Progress) and event.text.startswith("Process 2 of 6"):
            run.interrupt()

    run = session.start(
        ComparisonRequest(
            file, "devices(f32[8])", other_precision="highest", budget_s=0.3, rigorous=True
        ),
        stop,
    )
    with pytest.raises(Stopped):
        run.wait()
    assert isinstance(events[-1], Failed)
    partial = events[-1].partial
    assert isinstance(partial, ProgramComparison)
    assert partial.num_processes == 1
    assert [text for text in partial.timing.warnings if "of 1 of 6 processes" in text]


def test_a_side_is_as_the_first_unless_something_else_is_said(tmp_path: Path) -> None:
    request = ComparisonRequest(
        str(tmp_path / "a.py"),
        "f(x)",
        environment={"A": "1"},
        dtype="float32",
        other_dtype="bfloat16",
        other_python="/usr/bin/python3",
        timeout_s=9.0,
    )
    first, second = side_requests(request)
    assert (first.dtype, second.dtype) == ("float32", "bfloat16")
    assert (first.python, second.python) == (None, "/usr/bin/python3")
    assert (first.file, first.call) == (second.file, second.call)
    assert first.environment == second.environment == {"A": "1"}
    assert first.timeout_s == second.timeout_s == 9.0
    assert request.needs_processes
