"""What fits into each field of a message about times, and what is refused, at the borders."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jaxscope.model.capture import NO_ENVIRONMENT, Environment
from jaxscope.report.measurements import describe_ratio, summarize_ratio
from jaxscope.schema.timing_messages import (
    MAX_ENTRIES,
    MalformedTiming,
    MeasuredSubject,
    disturb,
    make_measurement,
    make_ratio,
    read_column,
    read_conditions,
    read_environment,
    read_matrix,
    read_measurement,
    read_names,
    read_number,
    read_seconds,
    read_text,
    read_timeline,
)
from jaxscope.wire.messages import Message

BUSY = Environment("", "", "", "", "", processors=2, processor_share=0.5, busy_processors=2.0)


def message(value: Any = None, /, **fields: Any) -> Message:
    """A message with a value in the field, or in the array, of the name `x`."""
    arrays = {"x": value} if isinstance(value, np.ndarray) else {}
    return Message("m", fields if arrays or value is None else {"x": value, **fields}, arrays)


FITTING: list[tuple[Callable[[Message], Any], Any, Any]] = [
    (lambda m: read_seconds(m, "x"), 0, 0.0),
    (lambda m: read_seconds(m, "x"), 1.5, 1.5),
    (lambda m: read_number(m, "x"), 0, 0.0),
    (lambda m: read_number(m, "x"), math.inf, math.inf),
    (lambda m: read_text(m, "x"), "", ""),
    (lambda m: read_text(m, "x"), "a" * 10_000, "a" * 10_000),
    (lambda m: read_names(m, "x"), [], []),
    (lambda m: read_names(m, "x"), ["", "a" * 10_000], ["", "a" * 10_000]),
    (lambda m: len(read_names(m, "x")), ["a"] * MAX_ENTRIES, MAX_ENTRIES),
    (lambda m: read_column(m, "x", np.float64).tolist(), np.array([1.0]), [1.0]),
    (lambda m: read_matrix(m, "x", (1, 2)).tolist(), np.array([[0.0, 1.0]]), [[0.0, 1.0]]),
    (lambda m: read_matrix(m, "x", (0,)).tolist(), np.zeros(0), []),
    (lambda m: read_matrix(m, "x", (1,), np.int64).tolist(), np.array([3]), [3]),
]

REFUSED: list[tuple[Callable[[Message], Any], list[Any], str]] = [
    (
        lambda m: read_seconds(m, "x"),
        [None, True, "1", -0.1, math.inf, math.nan, [1.0]],
        "m has no number x",
    ),
    (
        lambda m: read_number(m, "x"),
        [True, "1", -0.1, math.nan, [1.0]],
        "m has an impossible x",
    ),
    (lambda m: read_text(m, "x"), [None, 3, ["a"], "a" * 10_001], "m has no text x"),
    (
        lambda m: read_names(m, "x"),
        [None, "ab", ("a",), [1], ["a", None], ["a" * 10_001], ["a"] * (MAX_ENTRIES + 1)],
        "m has no list x",
    ),
    (
        lambda m: read_column(m, "x", np.float64),
        [None, np.ones((1, 1)), np.ones(1, np.int64)],
        "m has no column x",
    ),
    (
        lambda m: read_matrix(m, "x", (1, 2)),
        [None, np.ones(2), np.ones((2, 1)), np.ones((1, 2), np.int64)],
        r"m has no array x of shape \(1, 2\)",
    ),
    (
        lambda m: read_matrix(m, "x", (2,)),
        [np.array(row) for row in ([0.0, -1.0], [math.nan, 1.0], [math.inf, 1.0])],
        "m has impossible values in x",
    ),
]


@pytest.mark.parametrize(("read", "value", "expected"), FITTING)
def test_what_fits_is_read(read: Callable[[Message], Any], value: Any, expected: Any) -> None:
    assert read(message(value)) == expected


@pytest.mark.parametrize(("read", "values", "why"), REFUSED)
def test_what_does_not_fit_is_refused(
    read: Callable[[Message], Any], values: list[Any], why: str
) -> None:
    for value in values:
        with pytest.raises(MalformedTiming, match=f"^{why}$"):
            read(message(value))


def test_a_number_that_the_worker_does_not_know_is_none() -> None:
    assert math.isnan(read_number(message(), "x"))


def test_texts_and_names_have_a_limit_of_ten_thousand_characters_and_lists_of_100_000() -> None:
    assert MAX_ENTRIES == 100_000


def readings(seconds: list[float], **fields: Any) -> Message:
    fields = {"name": "jit", "protocol": "Once.", **fields}
    return Message("measurement", fields, {"seconds": np.array(seconds)})


def test_a_measurement_says_when_and_what_it_was() -> None:
    found = read_measurement(readings([3.0, 1.0, 2.0], began=1, ended=1.5, detail="d" * 201))
    assert (found.name, found.protocol, found.detail) == ("jit", "Once.", "d" * 200)
    assert (found.median, found.low, found.high, found.runs) == (2.0, 1.0, 3.0, 3)
    assert (found.began, found.ended, found.samples) == (1.0, 1.5, (3.0, 1.0, 2.0))
    assert (found.is_noisy, found.reasons) == (False, ())
    unknown = read_measurement(readings([0.0]))
    assert math.isnan(unknown.began) and math.isnan(unknown.ended)
    assert unknown.detail == "" and unknown.compilations == 0.0
    assert read_measurement(readings([0.0], compilations=3)).compilations == 3.0
    at_once = read_measurement(readings([0.0], began=2.0, ended=2.0))
    assert at_once.ended == 2.0


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"began": 2.0, "ended": 1.0}, "jit ended before it began"),
        ({"began": -1.0}, "has no number began"),
        ({"protocol": None}, "has no text protocol"),
    ],
)
def test_a_measurement_of_an_impossible_time_is_refused(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(MalformedTiming, match=why):
        read_measurement(readings([1.0], **fields))


@pytest.mark.parametrize(
    ("seconds", "why"),
    [([], "malformed"), ([-1.0, 1.0], "impossible"), ([math.inf], "impossible")],
)
def test_durations_that_cannot_be_are_refused(seconds: list[float], why: str) -> None:
    with pytest.raises(MalformedTiming, match=why):
        make_measurement("jit", np.array(seconds, np.float64), "")


def test_noise_of_the_readings_and_of_the_machine_is_told_once() -> None:
    spread = make_measurement("jit", np.array([1.0, 1.2] * 50), "")
    assert spread.is_noisy and len(spread.reasons) == 1
    quiet = make_measurement("jit", np.array([1.0] * 50), "")
    assert disturb(quiet, NO_ENVIRONMENT) is quiet
    claimed = dataclasses.replace(quiet, confidence=0.95)
    busy = disturb(claimed, BUSY)
    assert busy.is_noisy and len(busy.reasons) == 2
    assert math.isnan(busy.confidence)
    assert disturb(busy, BUSY) is busy
    assert disturb(spread, BUSY).reasons == (*spread.reasons, *busy.reasons)


def test_a_ratio_is_judged_unless_there_is_a_reason_not_to() -> None:
    logs = np.log([1.05, 1.06, 1.07, 1.08, 1.09, 1.095])
    plain = make_ratio("a/b", logs)
    assert (plain.low, plain.high) == (pytest.approx(1.05), pytest.approx(1.095))
    assert (plain.verdict, plain.pairs, plain.why_not, plain.is_noisy) == ("faster", 6, "", False)
    assert math.isnan(plain.confidence)
    noisy = make_ratio("a/b", logs, is_noisy=True)
    assert (noisy.verdict, noisy.is_noisy) == ("unclear", True)
    other = make_ratio("a/b", logs, "Other work.")
    assert (other.verdict, other.why_not) == ("unclear", "Other work.")


@pytest.mark.parametrize(
    ("values", "verdict", "sentence", "words"),
    [
        (
            [0.613, *[7.27] * 40, 9.57],
            "faster",
            "jit is faster than eager in 41 of 42 pairs, by how much differs widely (observed "
            "0.613 to 9.57)",
            "jit faster in 41 of 42 pairs",
        ),
        (
            [0.9, *[2.0] * 40, 2.1],
            "faster",
            "jit is faster than eager in 41 of 42 pairs: 2 times in the middle (observed 0.900 "
            "to 2.10)",
            "jit faster in 41 of 42 pairs",
        ),
        (
            [0.4, *[0.5] * 40, 1.1],
            "slower",
            "jit is slower than eager in 41 of 42 pairs: 0.5 of its speed in the middle "
            "(observed 0.400 to 1.10)",
            "jit slower in 41 of 42 pairs",
        ),
        (
            [0.4, *[0.9, 1.1] * 6, 2.0],
            "unclear",
            "Not decided which of eager and jit is faster: ratio 1.0 (paired, observed 0.400 to "
            "2.00)",
            "not decided if jit is faster (observed 0.400 to 2.00)",
        ),
        (
            [0.1, *[1.0] * 40, 5.0],
            "unclear",
            "Not decided which of eager and jit is faster: the pairs differ widely (observed "
            "0.100 to 5.00)",
            "not decided if jit is faster: times differ widely",
        ),
        (
            [3.0, *[20.0] * 40, 400.0],
            "faster",
            "jit is faster than eager, by how much differs widely (observed 3.00 to 400)",
            "jit faster, by how much differs widely (observed 3.00 to 400)",
        ),
        (
            [0.01, *[0.5] * 40, 0.9],
            "slower",
            "jit is slower than eager, by how much differs widely (observed 0.0100 to 0.900)",
            "jit slower, by how much differs widely (observed 0.0100 to 0.900)",
        ),
        (
            [1.1, *[2.0] * 40, 2.1],
            "faster",
            "jit is 2 times faster than eager (paired, observed 1.10 to 2.10)",
            "jit 2 times faster (observed 1.10 to 2.10)",
        ),
    ],
)
def test_a_verdict_says_what_bears_it_out(
    values: list[float], verdict: str, sentence: str, words: str
) -> None:
    found = make_ratio("eager/jit", np.log(values))
    assert (found.low, found.high) == (pytest.approx(min(values)), pytest.approx(max(values)))
    assert (found.verdict, describe_ratio(found), summarize_ratio(found)) == (
        *(verdict, sentence, words),
    )
    saved = dataclasses.replace(found, verdict="faster", agreeing=0)  # as once written
    assert saved.verdict == ("faster" if found.low > 1.0 else "unclear")


@pytest.mark.parametrize("logs", [[], [100.0, 0.0], [-100.0], [math.nan]])
def test_a_ratio_that_cannot_be_is_refused(logs: list[float]) -> None:
    with pytest.raises(MalformedTiming, match=r"^the ratios of a/b are impossible$"):
        make_ratio("a/b", np.array(logs))
    assert make_ratio("a/b", np.array([99.0])).pairs == 1


def test_conditions_say_how_busy_the_machine_was() -> None:
    known = {"load": 0.5, "processors": 1, "processor_share": 1.0, "busy_processors": 0}
    found = read_conditions(message(None, **known), NO_ENVIRONMENT)
    assert found == dataclasses.replace(
        NO_ENVIRONMENT, load=0.5, processors=1, processor_share=1.0, busy_processors=0.0
    )
    unknown = read_conditions(message(None, processors=2), found)
    assert (unknown.processors, unknown.load) == (2, None)
    assert (unknown.processor_share, unknown.busy_processors) == (None, None)


@pytest.mark.parametrize("processors", [None, True, 0, -1, 2.0, "2"])
def test_conditions_without_processors_are_refused(processors: Any) -> None:
    with pytest.raises(MalformedTiming, match=r"^conditions without processors$"):
        read_conditions(message(None, processors=processors), NO_ENVIRONMENT)


def test_an_environment_is_read_or_refused() -> None:
    fields = {"jax": "1", "jaxlib": "2", "python": "3", "platform": "cpu", "device": "cpu:0"}
    assert read_environment(fields) == Environment("1", "2", "3", "cpu", "cpu:0")
    with pytest.raises(MalformedTiming, match="timed has no environment"):
        read_environment([1])


def test_what_is_said_of_every_run_is_a_warning_of_measurements() -> None:
    subject = MeasuredSubject()
    text = "float64 became float32: JAX uses 64-bit types only with --x64."
    assert subject.feed(Message("message", {"text": text}))
    assert subject.warnings == [text]


def test_a_subject_keeps_at_most_200_warnings_each_once() -> None:
    subject = MeasuredSubject("f(1)")
    assert (subject.call, subject.environment) == ("f(1)", NO_ENVIRONMENT)
    for number in (*range(199), 0, *range(199, 300)):
        assert subject.feed(Message("warning", {"text": str(number)}))
    assert subject.warnings == [str(number) for number in range(200)]
    assert subject.feed(Message("timed", {"call": "g(2)", "environment": {"jax": "1"}}))
    assert subject.feed(Message("conditions", {"processors": 3}))
    assert (subject.call, subject.environment.jax, subject.environment.processors) == (
        "g(2)",
        "1",
        3,
    )
    assert not subject.feed(Message("progress", {}))


def timeline(**changes: Any) -> Message:
    fields = {"names": ["a", "b"], "lanes": ["l"], "returned": 0.5, "wall": 2.0, "covered": 1.5}
    fields["num_left_out"] = 3
    arrays = {
        "name": np.array([0, 1], np.int32),
        "lane": np.array([0, 0], np.int32),
        "began": np.array([0.0, 1.0]),
        "seconds": np.array([1.0, 0.5]),
    }
    for name, value in changes.items():
        (arrays if name in arrays else fields)[name] = value
    return Message("timeline", fields, arrays)


def test_a_timeline_has_the_events_of_one_run() -> None:
    found = read_timeline(timeline())
    assert (found.names, found.lanes) == (("a", "b"), ("l",))
    assert (found.name.tolist(), found.lane.tolist()) == ([0, 1], [0, 0])
    assert (found.began.tolist(), found.seconds.tolist()) == ([0.0, 1.0], [1.0, 0.5])
    assert (found.returned, found.wall, found.covered, found.num_left_out) == (0.5, 2.0, 1.5, 3)


@pytest.mark.parametrize(
    "changes",
    [
        {"names": "ab"},
        {"lanes": None},
        {"wall": None},
        {"name": np.array([0, 1], np.int64)},
        {"lane": np.array([0.0, 0.0])},
        {"began": np.array([0, 1])},
        {"seconds": np.ones((2, 1))},
        {"seconds": np.ones(3)},
    ],
)
def test_a_timeline_whose_columns_do_not_fit_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        read_timeline(timeline(**changes))
