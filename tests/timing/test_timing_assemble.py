"""Messages become a timing; hostile ones do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jaxscope.client.timing_assemble import (
    MalformedTiming,
    TimingAssembler,
    combine_processes,
    worst_reasons,
)
from jaxscope.model.timing import Timing
from jaxscope.wire.messages import Message


def measurement(name: str, seconds: list[float], chunk: int = 1, **fields: object) -> Message:
    arrays = {
        "seconds": np.array(seconds, np.float64),
        "chunks": (np.arange(len(seconds)) // chunk).astype(np.int32),
    }
    return Message("measurement", {"name": name, "protocol": "Once.", **fields}, arrays)


def ratio(name: str, values: list[float]) -> Message:
    return Message("ratio", {"name": name}, {"log_ratios": np.log(np.array(values, np.float64))})


def assemble(*messages: Message) -> Timing:
    assembler = TimingAssembler("f(1)")
    assert all(assembler.feed(message) for message in messages)
    return assembler.timing()


def test_one_reading_has_no_interval() -> None:
    (compile_time,) = assemble(measurement("compile", [0.125])).measurements
    assert (compile_time.median, compile_time.low, compile_time.high) == (0.125, 0.125, 0.125)
    assert compile_time.confidence == 0.0


def test_the_interval_is_over_chunks_and_not_over_calls() -> None:
    drifting = [1e-5 * (1 + chunk) for chunk in range(12) for _ in range(20)]
    (jit,) = assemble(measurement("jit", drifting, chunk=20)).measurements
    assert (jit.low, jit.high) == (pytest.approx(3e-5), pytest.approx(10e-5))
    assert jit.runs == 240
    assert jit.is_noisy


def test_a_ratio_has_a_verdict() -> None:
    (found,) = assemble(ratio("eager/jit", [9.0, 10.0, 11.0, 10.0, 10.0, 9.5, 10.5])).ratios
    assert found.median == pytest.approx(10.0)
    assert found.verdict == "faster"


def test_a_later_message_replaces_an_earlier_one_and_warnings_do_not_repeat() -> None:
    warning = Message("warning", {"text": "noisy"})
    timing = assemble(measurement("jit", [1.0]), warning, measurement("jit", [2.0]), warning)
    assert [m.median for m in timing.measurements] == [2.0]
    assert timing.warnings == ("noisy",)


def device_time(name: str, seconds: float) -> Message:
    return Message("device_time", {"name": name}, {"seconds": np.full(30, seconds)})


@pytest.mark.parametrize(("on_device", "num_warnings"), [(9e-6, 0), (5e-4, 1)])
def test_a_device_at_work_longer_than_the_call_takes_was_slowed_by_its_recorder(
    on_device: float, num_warnings: int
) -> None:
    timing = assemble(measurement("jit", [1e-5] * 30), device_time("jit", on_device))
    assert len(timing.warnings) == num_warnings
    assert all(said.startswith("jit: ") and "too long" in said for said in timing.warnings)


def test_the_environment_is_taken_over() -> None:
    environment = {"jax": "0.10.2", "platform": "cpu"}
    timing = assemble(Message("timed", {"call": "g(2)", "environment": environment}))
    assert (timing.call, timing.environment.jax, timing.environment.host) == ("g(2)", "0.10.2", "")


def test_messages_of_others_are_left_alone() -> None:
    assert not TimingAssembler().feed(Message("progress", {"text": "…"}))


@pytest.mark.parametrize(
    "message",
    [
        measurement("jit", []),
        measurement("jit", [math.nan]),
        measurement("jit", [-1.0]),
        Message("measurement", {"name": "jit", "protocol": ""}, {"seconds": np.ones(3)}),
        Message(
            "measurement",
            {"name": "jit", "protocol": ""},
            {"seconds": np.ones((2, 2)), "chunks": np.ones((2, 2), np.int32)},
        ),
        Message("measurement", {"name": 3, "protocol": ""}, {}),
        ratio("eager/jit", []),
        Message("ratio", {"name": "eager/jit"}, {"log_ratios": np.array([1e308])}),
        Message("timed", {"call": "f(1)", "environment": [1]}),
        Message("warning", {"text": None}),
    ],
)
def test_a_malformed_message_is_refused(message: Message) -> None:
    with pytest.raises(MalformedTiming):
        TimingAssembler().feed(message)


def test_six_processes_cover_the_median_with_97_percent() -> None:
    timings = [
        assemble(measurement("jit", [value]), ratio("eager/jit", [value]))
        for value in (10.0, 11.0, 12.0, 13.0, 14.0, 19.0)
    ]
    rigorous = combine_processes(timings)
    jit = rigorous.measurement("jit")
    assert jit is not None
    assert (jit.median, jit.low, jit.high, jit.runs) == (12.5, 10.0, 19.0, 6)
    assert jit.confidence == 0.96875
    (found,) = rigorous.ratios
    assert (found.low, found.high, found.verdict) == (
        pytest.approx(10.0),
        pytest.approx(19.0),
        "faster",
    )


def test_three_processes_are_too_few_for_a_verdict() -> None:
    timings = [assemble(ratio("eager/jit", [10.0]))] * 3
    assert combine_processes(timings).ratios[0].verdict == "unclear"


def test_what_the_machine_does_is_noise_too() -> None:
    steady = [1e-5] * 40
    (quiet,) = assemble(measurement("jit", steady)).measurements
    (busy,) = assemble(measurement("jit", steady, reasons=["The machine is busy."])).measurements
    assert (quiet.is_noisy, busy.is_noisy) == (False, True)


def test_of_several_processes_each_reason_is_told_once_and_at_its_worst() -> None:
    found = [["load 2.5 on 2 cores", "10 % of 1,000"], ["load 4.0 on 2 cores"], []]
    assert worst_reasons(found) == ("load 4.0 on 2 cores", "10 % of 1,000")


def test_what_is_not_judged_in_one_process_is_not_judged_in_all() -> None:
    values = [2.0] * 12
    judged = assemble(ratio("eager/jit", values))
    unjudged = assemble(
        Message(
            "ratio",
            {"name": "eager/jit", "is_judged": False},
            {"log_ratios": np.log(np.array(values, np.float64))},
        )
    )
    assert combine_processes([judged] * 6).ratios[0].verdict == "faster"
    assert combine_processes([judged] * 5 + [unjudged]).ratios[0].verdict == "unclear"
