"""Messages become a timing; hostile ones do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jaxscope.client.experiment_collectors import TimingAssembler
from jaxscope.client.multi_process_runs import combine_processes, worst_reasons
from jaxscope.model.timing import Noise, Timing
from jaxscope.report.measurements import describe_noise
from jaxscope.schema.contract import timing_to_json
from jaxscope.schema.timing_messages import MalformedTiming
from jaxscope.wire.messages import Message


def measurement(name: str, seconds: list[float]) -> Message:
    arrays = {"seconds": np.array(seconds, np.float64)}
    return Message("measurement", {"name": name, "protocol": "Once."}, arrays)


def ratio(name: str, values: list[float], why_not: str = "") -> Message:
    fields = {"name": name, "why_not": why_not}
    return Message("ratio", fields, {"log_ratios": np.log(np.array(values, np.float64))})


def conditions(share: float | None = 1.0, others: float | None = 0.1, load: float = 1.0) -> Message:
    fields = {
        "load": load,
        "processors": 2,
        "processor_share": share,
        "busy_processors": others,
    }
    return Message("conditions", fields)


def assemble(*messages: Message) -> Timing:
    assembler = TimingAssembler("f(1)")
    assert all(assembler.feed(message) for message in messages)
    return assembler.timing()


def test_one_reading_has_no_interval() -> None:
    (compile_time,) = assemble(measurement("compile", [0.125])).measurements
    assert (compile_time.median, compile_time.low, compile_time.high) == (0.125, 0.125, 0.125)
    assert math.isnan(compile_time.confidence)


def test_one_process_shows_what_was_observed_and_claims_no_interval() -> None:
    drifting = [1e-5 * (1 + chunk) for chunk in range(12) for _ in range(20)]
    timing = assemble(measurement("jit", drifting), ratio("eager/jit", [3.0, 4.0, 5.0] * 9))
    (jit,), (found,) = timing.measurements, timing.ratios
    assert (jit.low, jit.high) == (pytest.approx(1e-5), pytest.approx(12e-5))
    assert jit.runs == 240
    assert jit.is_noisy
    assert (found.low, found.high) == (pytest.approx(3.0), pytest.approx(5.0))
    assert math.isnan(jit.confidence)
    assert math.isnan(found.confidence)
    told = timing_to_json(timing)
    assert [m["confidence"] for m in told["measurements"] + told["ratios"]] == [None, None]


def test_a_ratio_has_a_verdict() -> None:
    (found,) = assemble(ratio("eager/jit", [9.0, 10.0, 11.0, 10.0, 10.0, 9.5, 10.5])).ratios
    assert found.median == pytest.approx(10.0)
    assert found.verdict == "faster"


def test_a_later_message_replaces_an_earlier_one_and_warnings_do_not_repeat() -> None:
    warning = Message("warning", {"text": "noisy"})
    timing = assemble(measurement("jit", [1.0]), warning, measurement("jit", [2.0]), warning)
    assert [m.median for m in timing.measurements] == [2.0]
    assert timing.warnings == ("noisy",)


def fetching(name: str, seconds: float, faults: float, **fields: object) -> Message:
    told = {"name": name, "protocol": "Once.", "page_faults": faults, **fields}
    return Message("measurement", told, {"seconds": np.full(30, seconds)})


def test_page_faults_are_told_where_they_weigh() -> None:
    timing = assemble(
        fetching("eager", 2e-3, 2_900.0),
        fetching("jit", 2e-3, 60.0),
        fetching("eager_memory_kept", 1e-3, 0.0),
        ratio("eager/jit", [9.0, 10.0, 11.0]),
    )
    (warning,) = timing.warnings
    assert "2,900 page faults a call" in warning
    assert "With freed memory kept a call takes 1.00 ms in place of 2.00 ms." in warning
    assert timing.ratios[0].remark == "memory fetched anew (page faults a call: eager 2,900)"
    assert assemble(fetching("eager", 1.0, 2_900.0)).warnings == ()  # 0.6 ms of a second


def test_page_faults_of_several_processes_are_told_once() -> None:
    timings = [
        assemble(fetching("eager", 2e-3, faults), ratio("eager/jit", [9.0]))
        for faults in (2_800.0, 2_900.0, 3_000.0)
    ]
    whole = combine_processes(timings)
    (warning,) = whole.warnings
    assert "2,900 page faults a call" in warning
    assert whole.ratios[0].remark == "memory fetched anew (page faults a call: eager 2,900)"
    never = [assemble(fetching("eager", 2e-3, 0.0)) for _ in range(2)]
    assert combine_processes([*never, timings[0]]).warnings == ()


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
        Message(
            "measurement",
            {"name": "jit", "protocol": ""},
            {"seconds": np.ones((2, 2))},
        ),
        Message("measurement", {"name": 3, "protocol": ""}, {}),
        ratio("eager/jit", []),
        Message("conditions", {"load": 1.0, "processors": 0}),
        Message("conditions", {"load": "high", "processors": 2}),
        Message("ratio", {"name": "eager/jit"}, {"log_ratios": np.array([1e308])}),
        Message("timed", {"call": "f(1)", "environment": [1]}),
        Message("warning", {"text": None}),
    ],
)
def test_a_malformed_message_is_refused(message: Message) -> None:
    with pytest.raises(MalformedTiming):
        TimingAssembler().feed(message)


def test_six_processes_on_a_quiet_machine_earn_an_interval() -> None:
    timings = [
        assemble(conditions(), measurement("jit", [value]), ratio("eager/jit", [value]))
        for value in (10.0, 11.0, 12.0, 13.0, 14.0, 19.0)
    ]
    rigorous = combine_processes(timings)
    jit = rigorous.measurement("jit")
    assert jit is not None
    assert (jit.median, jit.runs) == (12.5, 6)
    # From the smallest to the largest, and three quarters of that, as a factor, on either side.
    assert (jit.low, jit.high) == (pytest.approx(10 / 1.9**0.75), pytest.approx(19 * 1.9**0.75))
    (found,) = rigorous.ratios
    assert (jit.confidence, found.confidence) == (0.95, 0.95)
    assert not (jit.is_noisy or found.is_noisy)
    assert (found.low, found.high, found.verdict) == (
        pytest.approx(jit.low),
        pytest.approx(jit.high),
        "faster",
    )


def test_three_processes_are_too_few_for_a_verdict() -> None:
    timings = [assemble(measurement("jit", [1.0]), ratio("eager/jit", [10.0]))] * 3
    found = combine_processes(timings)
    assert found.ratios[0].verdict == "unclear"
    assert math.isnan(found.ratios[0].confidence)
    assert math.isnan(found.measurements[0].confidence)


BUSY = [
    conditions(share=0.79),
    conditions(others=0.6),
    conditions(others=None, load=2.1),  # nothing better is known
]


@pytest.mark.parametrize("state", BUSY)
def test_a_busy_machine_is_noise_and_earns_nothing(state: Message) -> None:
    steady = measurement("jit", [1e-5] * 40)
    quiet, busy = assemble(conditions(), steady), assemble(state, steady)
    assert not quiet.measurements[0].is_noisy
    assert busy.measurements[0].is_noisy
    assert busy.measurements[0].reasons
    one = assemble(state, measurement("jit", [1.0]), ratio("a/jit", [1.0]))
    found = combine_processes([one] * 6)
    for each in (*found.measurements, *found.ratios):
        assert each.is_noisy
        assert math.isnan(each.confidence)
    assert describe_noise(found.environment).startswith("Noisy: ")


def test_own_load_is_no_noise_where_that_of_others_is_known() -> None:
    (jit,) = assemble(conditions(load=9.0), measurement("jit", [1e-5] * 40)).measurements
    assert not jit.is_noisy


def test_on_a_busy_machine_a_small_difference_is_none() -> None:
    small, large = ratio("eager/jit", [1.06] * 24), ratio("eager/jit", [1.5] * 24)
    sides = measurement("eager", [1.0] * 24), measurement("jit", [1.0] * 24)
    assert assemble(conditions(), *sides, small).ratios[0].verdict == "faster"
    assert assemble(conditions(share=0.2), *sides, small).ratios[0].verdict == "unclear"
    assert assemble(conditions(share=0.2), *sides, large).ratios[0].verdict == "faster"


def test_of_several_processes_each_reason_is_told_once_and_at_its_worst() -> None:
    loads = [Noise("load", 2.5, 2), Noise("load", 4.0, 2)]
    shares = [Noise("share", 0.5), Noise("share", 0.7)]  # the less, the worse
    assert worst_reasons([loads[0], "Old.", shares[0]], [loads[1], shares[1], "Old."], []) == (
        *(loads[1], "Old.", shares[0]),
    )


def test_what_is_not_judged_in_one_process_is_not_judged_in_all() -> None:
    values = [2.0] * 12
    judged = assemble(ratio("eager/jit", values))
    unjudged = assemble(ratio("eager/jit", values, "The program computes nothing."))
    assert combine_processes([judged] * 6).ratios[0].verdict == "faster"
    assert combine_processes([judged] * 5 + [unjudged]).ratios[0].verdict == "unclear"
