"""Timing real programs in real workers: what must be there, and what must be said."""

from __future__ import annotations

import dataclasses
import itertools
import math
import platform
import queue
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import jax
import pytest

from jaxscope.client import multi_process_runs
from jaxscope.client.events import Failed, MeasurementArrived, Progress, ResultGrew
from jaxscope.client.live_run import Run
from jaxscope.client.multi_process_runs import RIGOROUS_PROCESSES
from jaxscope.client.requests import GO_ON, TimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import EnvironmentProblem, Stopped, TraceError
from jaxscope.model import Timing
from jaxscope.model.statistics import LEAST_PROCESSES, half_width
from jaxscope.model.timing import are_many_page_faults
from jaxscope.report.measurements import describe_ratio
from jaxscope.schema.contract import timing_to_json
from jaxscope.worker.channel import Channel
from jaxscope.worker.host.call import parse_call
from jaxscope.worker.timing import call_timing
from jaxscope.worker.timing.forms import find_forms
from jaxscope.worker.timing.stopwatch import CallDurations, Rounds, Stopwatch, Subject

from .timed_programs import MEDDLING, MEDDLING_LATER, PROGRAMS

Measure = Callable[..., Timing]

ONCE = ("trace", "lower", "compile", "first_call", "second_call", "first_eager_call")
PARTS = ("", "_dispatch", "_wait")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("timing") / "programs.py"
    path.write_text(PROGRAMS, "utf-8")
    return str(path)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session() as session:
        yield session


@pytest.fixture
def measure(session: Session, file: str) -> Measure:
    def measure(
        call: str, target: str = "cpu", budget_s: float | None = 0.1, **options: bool
    ) -> Timing:
        request = TimeRequest(file, call, target, budget_s=budget_s, **options)
        result = session.start(request).wait()
        assert isinstance(result, Timing)
        return result

    return measure


def names(timing: Timing) -> list[str]:
    return [measurement.name for measurement in timing.measurements]


def test_value_and_gradient_are_measured_in_both_forms(measure: Measure) -> None:
    timing = measure("plain(f32[100])", gradient=True)
    found = [name for name in names(timing) if not name.endswith("until_steady")]
    assert found == [
        *("import", "jax_start", "trace", "lower", "compile", "first_call", "second_call"),
        *("first_eager_call", "eager", "eager_dispatch", "eager_wait", "jit", "dispatch", "wait"),
        *("transfer", "fetch", "throughput"),
        *(f"gradient_{step}" for step in ONCE),
        *(f"gradient_{form}{part}" for form in ("eager", "jit") for part in PARTS),
        *(f"value_and_gradient_{step}" for step in ONCE),
        *(f"value_and_gradient_{form}{part}" for form in ("eager", "jit") for part in PARTS),
    ]
    assert [ratio.name for ratio in timing.ratios] == [
        "eager/jit",
        "gradient_eager/gradient_jit",
        "value_and_gradient_eager/value_and_gradient_jit",
    ]
    assert timing.call == "plain(f32[100])"
    assert timing.environment.platform == "cpu"
    for measurement in timing.measurements:
        assert 0 < measurement.low <= measurement.median <= measurement.high
        assert measurement.protocol
        assert math.isnan(measurement.confidence)
    assert all(math.isnan(ratio.confidence) for ratio in timing.ratios)
    assert timing.environment.load >= 0
    assert timing.environment.processors >= 1
    assert 0 < timing.environment.processor_share <= 1
    dispatch, jit = timing.measurement("dispatch"), timing.measurement("jit")
    wait = timing.measurement("wait")
    calls = zip(dispatch.samples, wait.samples, jit.samples, strict=True)
    assert all(d + w == pytest.approx(j, rel=1e-6) for d, w, j in calls)


def test_the_gradient_is_measured_only_where_it_is_wanted(measure: Measure) -> None:
    assert not [name for name in names(measure("plain(f32[100])")) if "gradient" in name]


@pytest.mark.slow
def test_without_eager_there_is_none(measure: Measure) -> None:
    timing = measure("plain(f32[100])", gradient=True, skip_eager=True)
    found = names(timing)
    assert {"jit", "gradient_jit"} <= set(found)
    assert not [name for name in found if "eager" in name]
    assert not timing.ratios


def test_stages_have_their_place_in_the_run_and_the_device_a_time_of_its_own(
    measure: Measure,
) -> None:
    timing = measure("grad(plain)(f32[100])", "cpu:2")
    stages = [
        timing.measurement(name)
        for name in ("import", "jax_start", "trace", "lower", "compile", "first_call")
    ]
    ends = [(stage.began, stage.ended) for stage in stages]
    assert ends == sorted(ends)
    for stage, (began, ended) in zip(stages, ends, strict=True):
        assert ended - began == pytest.approx(stage.median, rel=1e-3, abs=1e-6)
    assert timing.measurement("compile").detail == "no cache"
    assert timing.environment.device.endswith(", 2 simulated devices")
    jit, eager = timing.measurement("jit"), timing.measurement("eager")
    assert (jit.began, jit.ended) == (eager.began, eager.ended)  # in turns
    assert 0 < jit.device_low <= jit.device_seconds <= jit.device_high
    assert "device" not in jit.protocol
    assert not [name for name in names(timing) if "device" in name]


def test_a_prepared_measurement_begins_when_it_is_told_to(session: Session, file: str) -> None:
    steps: queue.SimpleQueue[str] = queue.SimpleQueue()

    def note(event: object) -> None:
        if isinstance(event, Progress | MeasurementArrived):
            steps.put(event.step if isinstance(event, Progress) else "measured")

    began_s = time.monotonic()
    request = TimeRequest(file, "plain(f32[100])", budget_s=0.2, waits=True)
    run = session.start(request, note)
    assert isinstance(run, Run)
    came = []
    while not came or came[-1] != "ready":
        came.append(steps.get(timeout=60))
    assert "measured" not in came
    waited_s = 2.0
    with pytest.raises(TimeoutError):
        run.wait(waited_s)
    assert steps.empty()
    run.send(GO_ON)
    timing = run.wait()
    assert isinstance(timing, Timing)
    assert timing.measurement("jit").runs > 0
    # Waiting is no part of what is measured, nor of where it stands in the run.
    imported, started = timing.measurement("import"), timing.measurement("jax_start")
    assert imported.began < started.began
    assert imported.began + imported.median == pytest.approx(imported.ended)
    total_s = timing.measurement("jit").ended - imported.began
    assert total_s < time.monotonic() - waited_s - began_s


@pytest.mark.slow
def test_a_part_is_skipped_by_a_wish_and_the_rest_goes_on(session: Session, file: str) -> None:
    skipped = []

    def skip_steady(event: object) -> None:
        if isinstance(event, Progress) and event.step == "steady" and not skipped:
            assert event.can_skip
            assert event.left_s > 0
            skipped.append(event)
            live.skip()

    live = session.start(TimeRequest(file, "grad(plain)(f32[100])", budget_s=9.0), skip_steady)
    timing = live.wait()
    assert isinstance(timing, Timing)
    (said,) = [text for text in timing.warnings if "Skipped by hand" in text]
    assert "timing the program" in said
    assert "partial" in said
    assert timing.measurement("first_eager_call") is not None


def test_a_stop_in_the_middle_keeps_what_was_measured_and_says_so(
    session: Session, file: str
) -> None:
    ends: list[Failed] = []

    def stop_at_steady(event: object) -> None:
        if isinstance(event, Progress) and event.step == "steady":
            live.interrupt()
        if isinstance(event, Failed):
            ends.append(event)

    live = session.start(TimeRequest(file, "grad(plain)(f32[100])", budget_s=9.0), stop_at_steady)
    with pytest.raises(Stopped):
        live.wait()
    (partial,) = [end.partial for end in ends]
    assert isinstance(partial, Timing)
    assert partial.measurement("compile") is not None
    assert partial.warnings[-1] == "The run ended early: these results are partial."


@pytest.mark.slow
def test_a_budget_that_is_asked_for_holds_and_each_form_is_measured_once(measure: Measure) -> None:
    """A second stands for the minute of a slow call: the budget is that much smaller."""
    timing = measure("vmap(sleeps_long)(f32[4])", budget_s=0.05)
    # One pair: a slow call, and beside it a chunk of fast ones.
    assert (timing.measurement("eager").runs, timing.measurement("jit").runs) == (1, 20)
    assert timing.measurement("first_eager_call").median > 0.5
    assert timing.ratios[0].verdict == "unclear"


@pytest.mark.slow
def test_a_slow_call_gets_six_pairs_and_its_verdict(session: Session, file: str) -> None:
    """0.35 s against 0.1 s: six pairs do not fit into the default budget, which is stretched."""
    steps = []

    def note(event: object) -> None:
        if isinstance(event, Progress) and event.step == "steady":
            steps.append(event)

    timing = session.start(TimeRequest(file, "waits(f32[3])"), note).wait()
    assert isinstance(timing, Timing)
    (ratio,) = timing.ratios
    assert ratio.pairs >= 6
    assert ratio.verdict == "faster"
    assert steps[0].left_s > 2.0


@pytest.mark.slow
def test_a_short_budget_is_stretched_where_that_is_asked_for(session: Session, file: str) -> None:
    """So a look of less than a second gives a verdict on a call that takes half of one."""
    short = TimeRequest(file, "waits(f32[3])", budget_s=0.05)
    for request, pairs in ((short, 1), (dataclasses.replace(short, is_stretched=True), 6)):
        timing = session.start(request).wait()
        assert isinstance(timing, Timing)
        (ratio,) = timing.ratios
        assert (ratio.pairs, ratio.verdict) == (pairs, "faster" if pairs == 6 else "unclear")


def test_results_so_far_are_told_while_it_goes_on(session: Session, file: str) -> None:
    seen: list[object] = []
    timing = session.start(TimeRequest(file, "plain(f32[100])", budget_s=1.5), seen.append).wait()
    grown = [event.result for event in seen if isinstance(event, ResultGrew)]
    arrived = [event.measurement for event in seen if isinstance(event, MeasurementArrived)]
    told = [measurement.name for measurement in arrived]
    assert told.index("jit") < told.index("first_eager_call")  # which may take long
    assert arrived[told.index("jit")].protocol.startswith("So far")
    first = next(each for each in grown if each.ratios)
    assert first.measurement("eager").runs > 0
    assert isinstance(timing, Timing)
    assert first.ratios[0].pairs < timing.ratios[0].pairs


@pytest.mark.slow
def test_a_slow_jitted_call_is_told_before_eager_calls_begin(session: Session, file: str) -> None:
    """Such a call is not warmed up: the second call after compiling is its first figure."""
    seen: list[object] = []
    session.start(TimeRequest(file, "waits_compiled(f32[3])", budget_s=0.05), seen.append).wait()
    arrived = [event.measurement for event in seen if isinstance(event, MeasurementArrived)]
    told = [measurement.name for measurement in arrived]
    assert told.index("jit") < told.index("first_eager_call")
    jitted = arrived[told.index("jit")]
    assert jitted.protocol == "So far: the second call after compiling."
    assert jitted.samples == arrived[told.index("second_call")].samples


def test_what_the_first_eager_call_compiles_is_no_part_of_later_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else fast calls are taken for slow ones: not compared, and said to take long."""
    num_calls = 0

    def compiles_for_long(x: float) -> float:
        nonlocal num_calls
        num_calls += 1
        if num_calls == 1:
            time.sleep(1.0)
            jax.monitoring.record_event_duration_secs(
                "/jax/core/compile/backend_compile_duration", 1.0
            )
        return x

    class Silent:
        def send(self, *_message: object) -> None: ...

    monkeypatch.setattr(call_timing, "_SLOWEST_CHECK_S", 0.9)
    call = parse_call("f(1.0)", {"f": compiles_for_long}, file="f.py")
    timed = call_timing._TimingRun(cast(Channel, Silent()), call_timing._read_plan({}), (), 0.0)
    subject = timed._prepare_eager(find_forms(call), "")

    assert num_calls > 1
    assert subject is not None
    assert subject.typical_s < 1.0


def test_what_a_user_did_to_the_process_is_said(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "meddling.py"
    path.write_text(MEDDLING, "utf-8")
    timing = session.start(TimeRequest(str(path), "f(f32[4])", budget_s=0.2)).wait()
    assert isinstance(timing, Timing)
    said = " ".join(timing.warnings)
    assert "Threads of the code run beside the measurement: ticking" in said
    assert "The code replaced Python's clock" in said
    jit = timing.measurement("jit")
    assert 0 < jit.median < 1.0  # the real clock: the other stands still


def test_what_a_call_does_to_the_process_is_said_too(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "meddling_later.py"
    path.write_text(MEDDLING_LATER, "utf-8")
    timing = session.start(TimeRequest(str(path), "f(f32[4])", budget_s=0.2)).wait()
    assert isinstance(timing, Timing)
    (said,) = [text for text in timing.warnings if "Threads of the code run beside" in text]
    assert said.endswith("measurement: ticking.")  # one name, however many threads
    assert "The code replaced Python's clock" in " ".join(timing.warnings)


def test_a_callback_that_fails_is_named_by_its_own_line(measure: Measure) -> None:
    with pytest.raises(TraceError) as raised:
        measure("calls_back(f32[4])", budget_s=1.0)
    assert "the host is gone" in raised.value.explanation.why
    assert "programs.py:" in raised.value.explanation.where


def test_dispatch_is_the_part_of_the_call_before_it_returns(measure: Measure) -> None:
    """How small a part it is depends on the machine: one whose processors are busy waits in it."""
    timing = measure("jit(vmap(works))(f32[1, 400, 400])")
    dispatch, jit = timing.measurement("dispatch"), timing.measurement("jit")
    assert dispatch.runs == jit.runs
    assert 0 < dispatch.median <= jit.median


@pytest.mark.slow
def test_a_call_of_a_gradient_has_no_further_gradient(measure: Measure) -> None:
    timing = measure("grad(plain)(f32[100])")
    assert not [name for name in names(timing) if "gradient" in name]
    # Plain JAX traces the function in each call of `jax.grad(f)`, and not of its jitted form.
    assert timing.ratios[0].remark == "eager applies the transforms anew in each call"
    # JAX keeps the trace of a checkpointed function, so nothing is applied anew.
    assert measure("checkpoint(plain)(f32[100])").ratios[0].remark == ""


def test_a_failure_in_the_middle_keeps_what_was_measured(measure: Measure) -> None:
    timing = measure("fails_later(f32[4])", budget_s=1.5)
    assert timing.measurement("eager").runs > 0
    assert timing.measurement("jit").runs > 0
    (warning,) = [text for text in timing.warnings if text.startswith("eager")]
    assert "failed at call 299, so its durations are partial" in warning  # 300 with the trace
    assert "the data ran out" in warning
    assert "programs.py:" in warning


@pytest.mark.slow
def test_a_form_that_fails_while_it_is_warmed_up_leaves_those_calls(measure: Measure) -> None:
    timing = measure("grad(lambda x: fails_soon(x).sum())(f32[4])", budget_s=1.5)
    (warning,) = [text for text in timing.warnings if text.startswith("eager")]
    assert "failed at call 5, so only calls of its warm-up are left: partial" in warning
    assert timing.measurement("eager") is None
    left = timing.measurement("eager_warm_up")
    assert left.runs == 2  # after the first and the second
    assert left.detail == "partial"
    assert left.protocol.startswith("Partial: the 2 calls of the warm-up")
    assert timing.measurement("jit").runs > 0


def test_a_program_that_never_runs_is_an_error(measure: Measure) -> None:
    with pytest.raises(TraceError, match="ValueError"):
        measure("always_fails(f32[4])")


@pytest.mark.slow
def test_tracing_while_measured_is_said(measure: Measure) -> None:
    warnings = measure("vmap(traces_each_time)(f32[2, 4])").warnings
    assert [text for text in warnings if text.startswith("eager traced or compiled")]
    assert not [text for text in warnings if text.startswith("jit traced or compiled")]


@pytest.mark.slow
def test_a_form_that_compiles_in_each_call_is_named_beside_the_ratio(measure: Measure) -> None:
    timing = measure("scans_anew(f32[8])")
    assert timing.measurement("eager").compilations >= 1
    assert timing.measurement("jit").compilations == 0
    assert timing.ratios[0].remark == "eager traces or compiles anew in each call"
    assert describe_ratio(timing.ratios[0]).endswith(
        " · eager traces or compiles anew in each call"
    )
    jit = timing.measurement("jit")
    assert jit.runs == 20 * timing.measurement("eager").runs  # warm, though eager is slow


@pytest.mark.slow
def test_a_function_with_a_jit_of_its_own_runs_eagerly_without_it(measure: Measure) -> None:
    timing = measure("jitted(f32[8])", gradient=True)
    told = {m.name: m.detail for m in timing.measurements if m.name.endswith(("eager", "jit"))}
    assert len(told) == 6  # of the gradient and of value and gradient as well
    assert all(told[name].startswith("without its jit") == name.endswith("eager") for name in told)
    assert [name for name in told if "transforms applied in each call" in told[name]] == [
        name for name in told if name.endswith("gradient_eager")
    ]
    assert timing.ratios[0].remark == "eager without its own jit"
    assert measure("jit(plain)(f32[8])").ratios[0].remark == ""  # jit is no part of the function


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator keeps memory")
def test_memory_that_each_call_gets_anew_is_told(measure: Measure) -> None:
    """Blocks above 32 MiB, the most that glibc keeps: one is 12,208 pages of 4 KiB."""
    timing = measure("plain_copy(f32[12500000])", budget_s=0.2)
    jit = timing.measurement("jit")
    pages = 12_500_000 * 4 // resource.getpagesize()
    assert pages <= jit.page_faults < 1.1 * pages
    is_told = are_many_page_faults(jit.page_faults, jit.median)  # not on a machine that crawls
    assert (timing.measurement("jit_memory_kept") is not None) is is_told
    warned = [text for text in timing.warnings if text.startswith("jit: memory was fetched anew, ")]
    assert len(warned) == is_told
    assert ("memory fetched anew (page faults a call: " in timing.ratios[0].remark) is is_told
    found = timing_to_json(timing)
    told = {m["name"]: m["page_faults"] for m in found["measurements"]}
    assert told["jit"] == jit.page_faults and told["compile"] is None
    assert found["ratios"][0]["remark"] == timing.ratios[0].remark


def test_what_keeps_its_memory_is_told_nothing_of_it(measure: Measure) -> None:
    timing = measure("plain(f32[100])")
    assert not [text for text in timing.warnings if "fetched anew" in text]
    assert timing.ratios[0].remark == ""
    assert not [name for name in names(timing) if name.endswith("_memory_kept")]


def test_sleeping_takes_at_least_as_long_as_it_should(measure: Measure) -> None:
    assert min(measure("vmap(sleeps)(f32[4])").measurement("eager").samples) >= 0.001


@pytest.mark.slow
def test_what_only_runs_eagerly_and_slowly_is_no_error(measure: Measure) -> None:
    timing = measure("masked_slowly(f32[8])", budget_s=0.05)
    assert timing.measurement("first_eager_call").median > 0.5
    assert timing.measurement("eager").runs > 0
    assert [text for text in timing.warnings if text.startswith("jit could not be measured")]


def test_what_only_runs_eagerly_is_measured_eagerly(measure: Measure) -> None:
    timing = measure("masked(f32[8])")
    assert timing.measurement("eager").runs > 0
    assert timing.measurement("jit") is None
    assert [text for text in timing.warnings if text.startswith("jit could not be measured")]


def test_donated_arguments_are_fresh_for_each_call(measure: Measure) -> None:
    timing = measure("jit(consume, donate_argnums=0)(f32[8])")
    assert timing.measurement("jit").runs > 0
    assert not [text for text in timing.warnings if "jit" in text]


def test_a_number_that_must_be_static_becomes_so(measure: Measure) -> None:
    timing = measure("repeated(f32[8], 3)")
    assert timing.measurement("jit").runs > 0
    assert [text for text in timing.warnings if "static" in text]


def test_a_function_that_is_already_jitted_is_measured_without_its_jit(measure: Measure) -> None:
    timing = measure("jitted(f32[8])")
    eager, jit = timing.measurement("eager"), timing.measurement("jit")
    assert min(jit.samples) < min(eager.samples)


def test_an_eager_run_that_is_compiled_all_the_same_is_said(measure: Measure) -> None:
    said = [text for text in measure("wraps_jit(f32[8])").warnings if "compiled, too" in text]
    assert len(said) == 1


def test_results_that_are_no_numbers_get_no_verdict(measure: Measure) -> None:
    timing = measure("vmap(odd)(jnp.ones(4))")
    assert timing.measurement("jit").runs > 0
    assert {ratio.verdict for ratio in timing.ratios} == {"unclear"}
    assert [text for text in timing.warnings if "have 4 NaN among 4 values" in text]
    (named,) = [text for text in timing.warnings if "The first equation that makes" in text]
    assert "(log, " in named


def test_a_program_that_computes_nothing_gets_no_verdict(measure: Measure) -> None:
    timing = measure("nothing(f32[4])")
    assert timing.ratios[0].verdict == "unclear"
    assert [text for text in timing.warnings if "computes nothing" in text]


def test_a_target_that_is_only_compiled_for_cannot_be_timed(measure: Measure) -> None:
    with pytest.raises(EnvironmentProblem):
        measure("plain(f32[100])", target="aot:tpu:v5e:2x2")


@pytest.mark.slow
def test_a_rigorous_measurement_takes_a_value_from_each_process(
    session: Session, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multi_process_runs, "RIGOROUS_PROCESSES", 3)  # six take twice as long
    request = TimeRequest(file, "constant()", budget_s=0.1, rigorous=True)
    timing = session.start(request).wait()
    assert isinstance(timing, Timing)
    eager = timing.measurement("eager")
    assert eager.runs == len(eager.samples) == 3
    assert (eager.low, eager.high) == (min(eager.samples), max(eager.samples))
    assert math.isnan(eager.confidence)  # three earn nothing
    assert RIGOROUS_PROCESSES == LEAST_PROCESSES


@pytest.mark.slow
def test_equal_programs_are_hardly_ever_called_different() -> None:
    """A/A with real work: at most 1 of 25 may be claimed to differ by 2 %.

    On the thread's own clock, which other programs do not move; `python -m bench.honesty` claims
    the same of the wall's, under load.
    """

    def work() -> int:
        return sum(itertools.islice(itertools.count(), 500))

    claims = 0
    for seed in range(25):
        subjects = [Subject(name, work, lambda: ((), {})) for name in "ab"]
        rounds = Rounds((CallDurations(), CallDurations()))
        stopwatch = Stopwatch(
            lambda result: result, clock=time.thread_time_ns, rng=random.Random(seed)
        )
        stopwatch.measure(subjects, rounds, budget_s=0.2, typical_s=1e-5)
        middle = statistics.median(rounds.log_values)
        claims += abs(middle) - half_width(rounds.log_values) > math.log(1.02)
    assert claims <= 1
