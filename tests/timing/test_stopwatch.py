"""The stopwatch under a clock that only moves when told to: every number is known beforehand."""

from __future__ import annotations

import gc
import itertools
import math
import random
import statistics
from collections.abc import Iterator
from unittest.mock import Mock

import pytest

from jaxscope.model.statistics import (
    Interval,
    find_median_interval,
    find_ratio_interval,
    half_width,
    judge,
)
from jaxscope.worker.timing import stopwatch
from jaxscope.worker.timing.experiment import CompilationCounter, Laboratory, warm_up
from jaxscope.worker.timing.measurement_sender import describe_protocol, describe_turns
from jaxscope.worker.timing.stopwatch import (
    CallDurations,
    Rounds,
    Stopwatch,
    SubjectFailed,
    chunk_size,
    chunk_sizes,
    find_inner_loop,
)

from .clockwork import Clockwork


@pytest.fixture(scope="module", autouse=True)
def _nothing_old_is_collected() -> Iterator[None]:
    """Each measurement begins with a collection: of what other tests left, it took most of it."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def watch(clock: Clockwork, seed: int = 0) -> Stopwatch:
    return Stopwatch(clock.block, clock, random.Random(seed))


def pair() -> Rounds:
    return Rounds((CallDurations(), CallDurations()))


def test_dispatch_and_completion_are_told_apart() -> None:
    clock = Clockwork()
    subject = clock.subject("product", dispatch_s=0.0002, wait_s=0.35)
    assert watch(clock).time_call(subject) == (pytest.approx(0.0002), pytest.approx(0.3502))


def test_a_pair_keeps_twenty_of_twenty_two_calls_per_chunk() -> None:
    clock, rounds = Clockwork(), pair()
    subjects = [clock.subject("eager", 100e-6), clock.subject("jit", 8e-6, 2e-6)]
    watch(clock).measure(subjects, rounds, budget_s=0.03, typical_s=1e-4)
    num_rounds = len(rounds.log_values)
    assert [side.num_per_chunk for side in rounds.sides] == [20, 20]
    assert subjects[0].num_calls == subjects[1].num_calls == 22 * num_rounds
    assert rounds.sides[0].total_s == pytest.approx([100e-6] * 20 * num_rounds)
    assert rounds.sides[1].dispatch_s == pytest.approx([8e-6] * 20 * num_rounds)
    assert rounds.log_values == pytest.approx([math.log(10)] * num_rounds)


def test_the_first_calls_of_a_chunk_are_dropped() -> None:
    clock, rounds = Clockwork(), Rounds((CallDurations(),))
    cold_then_warm = itertools.cycle([(1e-3, 0.0)] * 2 + [(1e-5, 0.0)] * 20)
    watch(clock).measure(
        [clock.varying("jit", cold_then_warm)], rounds, budget_s=0.01, typical_s=1e-5
    )
    total_s = rounds.sides[0].total_s
    assert total_s == pytest.approx([1e-5] * len(total_s))


def test_slow_calls_are_not_put_in_chunks() -> None:
    clock, rounds = Clockwork(), pair()
    subjects = [clock.subject("eager", 0.2), clock.subject("jit", 0.1)]
    watch(clock).measure(subjects, rounds, budget_s=2.0, typical_s=0.2)
    assert [side.num_per_chunk for side in rounds.sides] == [1, 1]
    assert rounds.stopped == "budget"
    assert subjects[0].num_calls == 2 * len(rounds.log_values)


def test_the_budget_is_stretched_until_there_are_six_pairs_unless_it_is_fixed() -> None:
    for call_s in (0.15, 0.2, 2.0, 60.0):
        for least, expected in ((6, 6), (1, 1)):
            clock, rounds = Clockwork(), pair()
            subjects = [clock.subject(name, call_s / 2) for name in "ab"]
            watch(clock).measure(
                subjects, rounds, budget_s=0.1, typical_s=call_s / 2, least_rounds=least
            )
            assert len(rounds.log_values) == expected


def test_of_very_slow_calls_none_is_left_out() -> None:
    clock, rounds = Clockwork(), pair()
    subjects = [clock.subject("a", 0.4), clock.subject("b", 0.1)]
    watch(clock).measure(subjects, rounds, budget_s=1.0, typical_s=0.4)
    assert [subject.num_calls for subject in subjects] == [6, 6]
    assert [side.num_dropped for side in rounds.sides] == [0, 0]


def test_a_fast_program_is_warm_beside_a_slow_one() -> None:
    """After a slow call the first calls of a fast one are cold: it gets a chunk of its own."""
    clock, rounds = Clockwork(), pair()
    cold_then_warm = itertools.cycle([(1e-4, 0.0)] * 2 + [(1e-5, 0.0)] * 20)
    subjects = [clock.subject("eager", 0.03), clock.varying("jit", cold_then_warm)]
    subjects[0].typical_s, subjects[1].typical_s = 0.03, 1e-5
    watch(clock).measure(subjects, rounds, budget_s=2.0, typical_s=0.03)
    assert [(side.num_per_chunk, side.num_dropped) for side in rounds.sides] == [(1, 1), (20, 2)]
    assert rounds.sides[1].total_s == pytest.approx([1e-5] * 20 * len(rounds.log_values))
    assert rounds.log_values == pytest.approx([math.log(3000)] * len(rounds.log_values))
    eager, jit = (describe_turns(side, rounds) for side in rounds.sides)
    assert eager == "random pairs, single calls of this form and chunks of 20 of the other"
    assert jit == "random pairs, chunks of 20 of this form and single calls of the other"


@pytest.mark.parametrize("other_s", [0.0051, 0.009, 0.02, 0.079])
def test_what_is_alike_gets_equal_chunks(other_s: float) -> None:
    """Else busy neighbours would make medians of 20 differ from single calls of the same."""
    slower = max(other_s, 0.02)
    assert chunk_sizes([0.02, other_s]) == [chunk_size(slower)] * 2


def test_page_faults_are_those_of_the_kept_calls() -> None:
    clock, rounds, faults = Clockwork(), pair(), [0]
    subjects = [clock.subject("a", 1e-3), clock.subject("b", 1e-5)]
    subjects[0].typical_s, subjects[1].typical_s = 1e-3, 1e-5
    function = subjects[0].function

    def fetches() -> None:
        faults[0] += 300
        function()

    def copies() -> tuple[tuple[()], dict[str, object]]:
        faults[0] += 7_000  # of the arguments: no part of the call
        return (), {}

    subjects[0].function, subjects[0].prepare = fetches, copies
    counting = Stopwatch(clock.block, clock, count_page_faults=lambda: faults[0])
    counting.measure(subjects, rounds, budget_s=0.1, typical_s=1e-3)
    assert rounds.sides[0].page_faults == [300] * len(rounds.sides[0].total_s)
    assert rounds.sides[1].page_faults == []  # asking would weigh too much


def test_both_sides_go_first_about_equally_often() -> None:
    clock, rounds = Clockwork(), pair()
    rng = random.Random(2)
    wild = iter(lambda: (rng.choice([0.02, 0.06]), 0.0), None)
    subjects = [clock.varying("a", wild), clock.subject("b", 0.02)]
    watch(clock).measure(subjects, rounds, budget_s=20.0, typical_s=0.02)
    firsts = [clock.called[start] for start in range(0, len(clock.called), 4)]
    assert len(firsts) == len(rounds.log_values) > 100
    assert 0.35 < firsts.count("a") / len(firsts) < 0.65


def test_measuring_stops_at_a_look_once_precise_and_long_enough() -> None:
    clock, rounds, told = Clockwork(), pair(), []
    subjects = [clock.subject("a", 2e-3), clock.subject("b", 1e-3)]
    watch(clock).measure(
        subjects,
        rounds,
        budget_s=9.0,
        typical_s=2e-3,
        on_round=lambda seen: told.append(len(seen.log_values)),
    )
    assert rounds.stopped == "precise"
    assert told == list(range(1, 13))  # each round is told, but not each may be the last


def test_what_is_never_precise_stops_at_the_budget_after_few_looks() -> None:
    clock, rounds = Clockwork(), pair()
    rng = random.Random(1)
    wild = iter(lambda: (rng.choice([1e-3, 9e-3]), 0.0), None)
    watch(clock).measure(
        [clock.varying("a", wild), clock.subject("b", 1e-3)],
        rounds,
        budget_s=6.0,
        typical_s=0.1,
    )
    assert rounds.stopped == "budget"
    assert len(rounds.log_values) > 12


def test_a_failure_at_the_57th_call_keeps_what_was_measured() -> None:
    clock, rounds = Clockwork(), pair()
    subjects = [clock.subject("a", 1e-4, fails_at=57), clock.subject("b", 1e-4)]
    with pytest.raises(SubjectFailed) as failure:
        watch(clock).measure(subjects, rounds, budget_s=9.0, typical_s=1e-4)
    assert (failure.value.name, failure.value.call_number) == ("a", 57)
    assert isinstance(failure.value.__cause__, ValueError)
    assert len(rounds.sides[0].total_s) == 56 - 2 * 3
    assert len(rounds.log_values) == 2
    assert gc.isenabled()


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_garbage_collector_is_off_while_measuring_and_then_as_before(is_enabled: bool) -> None:
    clock, seen = Clockwork(), []
    subject = clock.subject("a", 0.5)
    function = subject.function
    subject.function = lambda: (seen.append(gc.isenabled()), function())
    was_enabled = gc.isenabled()
    try:
        (gc.enable if is_enabled else gc.disable)()
        watch(clock).measure([subject], Rounds((CallDurations(),)), budget_s=1.0, typical_s=1.0)
        assert gc.isenabled() is is_enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()
    assert not any(seen)


def test_recompilations_in_kept_calls_are_counted_for_their_side() -> None:
    clock, rounds, compiled = Clockwork(), pair(), [0]
    subjects = [clock.subject("a", 0.02), clock.subject("b", 0.02)]
    function = subjects[1].function

    def recompiles() -> None:
        compiled[0] += 1
        function()

    subjects[1].function = recompiles
    counting = Stopwatch(clock.block, clock, count_compilations=lambda: compiled[0])
    counting.measure(subjects, rounds, budget_s=1.0, typical_s=0.02)
    assert rounds.sides[0].num_compilations == 0
    assert rounds.sides[1].num_compilations == len(rounds.log_values)


def test_arguments_are_prepared_outside_of_the_timed_part() -> None:
    clock = Clockwork()
    subject = clock.subject("donating", 1e-3)

    def slow_copy() -> tuple[tuple[()], dict[str, object]]:
        clock.now_ns += 10**9
        return (), {}

    subject.prepare = slow_copy
    assert watch(clock).time_call(subject) == (pytest.approx(1e-3), pytest.approx(1e-3))


def test_an_equal_pair_is_called_different_in_at_most_one_run_of_twenty() -> None:
    rng = random.Random(7)

    def noisy(name: str, clock: Clockwork) -> stopwatch.Subject:
        draw = iter(
            lambda: (1e-4 * rng.lognormvariate(0, 0.3) * (20 if rng.random() < 0.03 else 1), 0.0),
            None,
        )
        return clock.varying(name, draw)

    claims = 0
    for seed in range(40):
        clock, rounds = Clockwork(), pair()
        watch(clock, seed).measure(
            [noisy("a", clock), noisy("b", clock)], rounds, budget_s=0.3, typical_s=1e-4
        )
        middle = statistics.median(rounds.log_values)
        claims += abs(middle) - half_width(rounds.log_values) > math.log(1.02)
    assert claims <= 2


def measured_ratio(true_ratio: float, seed: int, drift: float = 0.0) -> Interval:
    """Of two subjects with noisy calls, the first `true_ratio` times as long as the second.

    `drift` makes both slower with every call, by this share of a call.
    """
    rng, clock, rounds, calls = random.Random(seed), Clockwork(), pair(), [0]

    def noisy(name: str, mean_s: float) -> stopwatch.Subject:
        def draw() -> tuple[float, float]:
            calls[0] += 1
            late = 20 if rng.random() < 0.03 else 1
            slower = 1 + drift * calls[0]
            return mean_s * slower * rng.lognormvariate(0, 0.05) * late, 0.0

        return clock.varying(name, iter(draw, None))

    subjects = [noisy("a", 1e-4 * true_ratio), noisy("b", 1e-4)]
    watch(clock, seed).measure(subjects, rounds, budget_s=0.4, typical_s=1e-4)
    return find_ratio_interval(rounds.log_values)


@pytest.mark.parametrize(
    ("true_ratio", "verdict"), [(1.05, "faster"), (1 / 1.05, "slower"), (1.0, "same")]
)
def test_five_percent_are_found_and_none_are_not(true_ratio: float, verdict: str) -> None:
    verdicts = [judge(measured_ratio(true_ratio, seed)) for seed in range(12)]
    assert verdicts.count(verdict) >= 11
    assert set(verdicts) <= {verdict, "unclear"}


def test_what_gets_slower_all_the_time_gets_slower_on_both_sides() -> None:
    """After 5,000 calls both take twice as long as at first."""
    verdicts = [judge(measured_ratio(1.0, seed, drift=2e-4)) for seed in range(12)]
    assert set(verdicts) <= {"same", "unclear"}


def test_the_half_width_is_the_sign_tests() -> None:
    values = [float(n) for n in range(12)]
    assert half_width(values) == (9.0 - 2.0) / 2
    assert half_width(values[:5]) == math.inf
    for count in (6, 12, 24, 96):
        values = [float(place**2) for place in range(count)]
        interval = find_median_interval(values)
        assert half_width(values) == (interval.high - interval.low) / 2


def test_the_first_steady_call_is_found() -> None:
    durations = [5e-5 - 1e-6 * n for n in range(40)] + [1e-5] * 160
    assert stopwatch.find_steady_call(durations) == 31
    assert stopwatch.find_steady_call(durations[:100]) is None


def test_fast_calls_are_repeated_between_readings_unless_they_consume_their_arguments() -> None:
    assert find_inner_loop(1e-6) > 1
    assert find_inner_loop(1e-6, is_consuming=True) == 1
    assert find_inner_loop(1e-3) == 1


@pytest.mark.parametrize(
    ("typical_s", "expected"),
    [
        (3e-6, "Calls so fast that 7 were timed together until"),
        (1e-3, "Each call timed by itself"),
    ],
)
def test_that_fast_calls_were_timed_together_is_said(typical_s: float, expected: str) -> None:
    subject = Clockwork().subject("eager", typical_s)
    subject.num_inner = find_inner_loop(typical_s)
    side = CallDurations()
    told = describe_protocol(subject, side, Rounds((side,)), budget_s=0.2)
    assert told.startswith(expected)


def test_one_interrupted_call_does_not_make_a_fast_program_a_slow_one() -> None:
    """It would be called singly then, beside chunks of another one that is the same."""
    clock = Clockwork()
    counter = CompilationCounter()
    laboratory = Laboratory(Mock(), watch(clock), counter, (), Mock())
    times = itertools.chain([(0.7, 0.0)], itertools.repeat((1e-5, 1e-5)))
    subject = warm_up(laboratory, clock.varying("first", times), budget_s=0.1)
    assert subject.typical_s == pytest.approx(2e-5)
    slow = warm_up(laboratory, clock.subject("slow", 0.7), budget_s=0.1)
    assert slow.typical_s == pytest.approx(0.7) and clock.called.count("slow") == 2
