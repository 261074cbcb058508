"""Intervals, verdicts and noise of durations."""

from __future__ import annotations

import dataclasses
import math
import random

import numpy as np
import pytest

from jaxscope.model.capture import Environment
from jaxscope.model.statistics import (
    LEAST_PROCESSES,
    LEAST_S,
    MARGIN,
    NOISY_MARGIN,
    Interval,
    Outliers,
    PrecisionLooks,
    count_outliers,
    drop_unsupported_intervals,
    find_disturbances,
    find_median_interval,
    find_noise,
    find_process_interval,
    find_ratio_interval,
    half_width,
    judge,
    num_trimmed,
    thin_samples,
    without_interval,
)
from jaxscope.model.timing import Measurement, Ratio, Timing


@pytest.mark.parametrize("count", [6, 7, 12, 24, 48, 96, 1000, 20000])
def test_the_trim_is_the_largest_that_the_sign_test_allows(count: int) -> None:
    from scipy.stats import binom  # loads more than all other tests of the file

    trim = num_trimmed(count)
    assert 2 * binom.cdf(trim, count, 0.5) <= 0.05 < 2 * binom.cdf(trim + 1, count, 0.5)


def test_little_confidence_still_leaves_a_value_inside() -> None:
    assert [num_trimmed(count, 0.0) for count in (2, 3, 4, 5)] == [0, 0, 1, 1]


def test_twelve_values_give_the_third_and_the_tenth() -> None:
    assert find_median_interval(range(12)) == Interval(5.5, 2.0, 9.0, 0.95)


@pytest.mark.parametrize(("count", "confidence"), [(1, 0.0), (3, 0.75), (5, 0.9375)])
def test_few_values_say_what_their_interval_is_worth(count: int, confidence: float) -> None:
    interval = find_median_interval(range(count))
    assert (interval.low, interval.high, interval.confidence) == (0.0, count - 1.0, confidence)


def test_no_value_is_no_number() -> None:
    interval = find_median_interval([])
    assert math.isnan(interval.median)
    assert interval.confidence == 0.0


def test_the_interval_covers_the_median_of_skewed_values() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(500):
        interval = find_median_interval(rng.exponential(size=25))
        hits += interval.low <= math.log(2) <= interval.high
    assert hits >= 0.93 * 500


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [
        ((1.05, 1.03, 1.07), "faster"),
        ((0.95, 0.93, 0.97), "slower"),
        ((1.0, 0.99, 1.01), "same"),
        ((1.015, 1.01, 1.03), "unclear"),
        ((1.03, 0.9, 1.2), "unclear"),
        ((math.nan, math.nan, math.nan), "unclear"),
    ],
)
def test_a_verdict_needs_the_whole_interval(
    ratio: tuple[float, float, float], verdict: str
) -> None:
    assert judge(Interval(*ratio, confidence=0.95)) == verdict


def test_a_verdict_needs_enough_pairs() -> None:
    assert judge(find_ratio_interval([math.log(10)] * 5)) == "unclear"
    assert judge(find_ratio_interval([math.log(10)] * 6)) == "faster"


def test_outliers_are_sorted_by_tukeys_fences() -> None:
    values = [float(n) for n in range(1, 12)]
    found = count_outliers([*values, 22.0, 100.0])
    assert (found.mild, found.severe) == (1, 1)


def test_noise_is_named() -> None:
    assert find_noise([1.0] * 100) == ()
    (tail,) = find_noise([1.0] * 80 + [3.0] * 20)
    assert "One call in ten" in str(tail)
    (spread,) = find_noise([1.0, 1.2] * 50)
    assert str(spread) == "The middle half of the calls spreads over 18% of the median."


@pytest.mark.parametrize(
    ("known", "told"),
    [
        ({}, []),
        ({"processor_share": 0.8, "busy_processors": 1.0, "load": 9.0}, []),
        ({"processor_share": 0.79}, ["This process had a processor for 79%"]),
        ({"busy_processors": 1.1}, ["other programs used 1.1 of 4 processors"]),
        # Load counts what is measured as well: it decides only where nothing better is known.
        ({"load": 4.0}, []),
        ({"load": 4.1}, ["load 4.1 on 4 processors"]),
        ({"busy_processors": 0.0, "load": 9.0}, []),
        ({"processor_share": 0.5, "busy_processors": 2.0}, ["for 50%", "used 2.0 of 4"]),
    ],
)
def test_what_disturbed_everything_is_told(known: dict[str, float], told: list[str]) -> None:
    environment = Environment("", "", "", "", "", processors=4, **known)  # type: ignore[arg-type] # floats
    found = find_disturbances(environment)
    assert len(found) == len(told)
    assert all(part in str(noise) for part, noise in zip(told, found, strict=True))


def test_without_a_number_of_processors_one_is_assumed() -> None:
    environment = Environment("", "", "", "", "", load=1.5)
    (noise,) = find_disturbances(environment)
    assert str(noise) == "The machine is busy: load 1.5 on 1 processors."


@pytest.mark.parametrize(
    ("low", "high", "is_noisy", "verdict"),
    [
        (1 / (1 + MARGIN), 1 + MARGIN, False, "same"),
        (1 / (1 + MARGIN), 1 + MARGIN, True, "same"),
        (1 + MARGIN, 2.0, False, "unclear"),
        (0.5, 1 / (1 + MARGIN), False, "unclear"),
        (1 + NOISY_MARGIN, 2.0, True, "unclear"),
        (1.05, 2.0, True, "unclear"),
        (1.11, 2.0, True, "faster"),
        (0.5, 0.95, True, "unclear"),
        (0.5, 0.9, True, "slower"),
        (0.0, 0.5, False, "unclear"),
        (2.0, math.inf, False, "unclear"),
    ],
)
def test_a_verdict_at_its_borders(low: float, high: float, is_noisy: bool, verdict: str) -> None:
    assert judge(Interval(1.0, low, high, 0.95), is_noisy=is_noisy) == verdict
    assert judge(Interval(1.0, low, high, 0.94), is_noisy=is_noisy) == "unclear"


def test_an_interval_that_was_not_earned_becomes_the_range_of_the_samples() -> None:
    samples = (3.0, math.nan, 1.0, 2.0)
    claimed = Measurement("jit", 2.0, 1.9, 2.1, 0.95, 4, samples, False, "in turns")
    found = without_interval(claimed)
    assert (found.median, found.low, found.high) == (2.0, 1.0, 3.0)
    assert math.isnan(found.confidence)
    assert without_interval(found) is found


def test_thinned_samples_keep_their_order_and_ends() -> None:
    thin = thin_samples(np.arange(5000.0))
    assert len(thin) == 1000
    assert (thin[0], thin[-1]) == (0.0, 4999.0)
    assert list(thin) == sorted(thin)


def test_durations_that_go_one_way_are_told_and_scatter_is_not() -> None:
    rising = [1e-3 * (1 + place / 30) for place in range(60)]
    assert str(find_noise(rising)[-1]) == "Later calls took 2.0 times as long as earlier ones."
    assert (
        str(find_noise(rising[::-1])[-1]) == "Earlier calls took 2.0 times as long as later ones."
    )
    two_modes = [1e-3, 2e-3] * 30
    assert not [reason for reason in find_noise(two_modes) if "calls took" in str(reason)]
    assert not find_noise([1e-3 * (1 + place / 3000) for place in range(60)])


def drift_of(values: list[float]) -> str:
    return "".join(str(reason) for reason in find_noise(values) if "calls took" in str(reason))


def test_a_drift_at_its_borders() -> None:
    """A quarter more or less is none yet; ten calls in a third tell one, nine do not."""
    middle = [1.125] * 10
    for early, late in ((1.0, 1.25), (1.25, 1.0)):
        assert drift_of([early] * 10 + middle + [late] * 10) == ""
        assert drift_of([early] * 10 + middle + [late * 1.01 if late > 1 else 0.99] * 10)
        assert drift_of([early] * 9 + [1.125] * 11 + [late * 2] * 9) == ""
    overlapping = [1.0, 1.0, 3.0, 3.0] * 3
    assert drift_of(overlapping + [2.0] * 12 + [3.0] * 12) == ""
    assert drift_of([3.0] * 12 + [2.0] * 12 + overlapping) == ""
    assert drift_of([0.0] * 10 + [1.0] * 20).startswith("Later calls took")
    assert drift_of([1.0] * 20 + [0.0] * 10).startswith("Earlier calls took")


@pytest.mark.parametrize(
    ("early", "late", "is_told"),
    [
        ([1.0] * 10, [0.0] * 3 + [4.0] * 7, False),  # the later quartile is 1.0 itself
        ([0.0] * 7 + [4.0] * 3, [3.1] * 10, True),  # the earlier one is 3.0
        ([0.0] * 3 + [4.0] * 7, [1.0] * 10, False),
        ([3.1] * 10, [0.0] * 7 + [4.0] * 3, True),
    ],
)
def test_a_drift_is_beyond_the_quartiles(
    early: list[float], late: list[float], is_told: bool
) -> None:
    assert bool(drift_of(early + [1.0] * 10 + late)) is is_told


def test_noise_at_its_borders() -> None:
    assert find_noise([1.0, 9.0, 9.0]) == ()
    assert find_noise([1.0] * 89 + [2.0] * 11) == ()
    (noise,) = find_noise([1.0] * 89 + [2.1] * 11)
    assert str(noise) == "One call in ten took more than 2.1 times the median."
    assert find_noise([10.0] * 70 + [11.0] * 30) == ()
    assert len(find_noise([10.0] * 70 + [11.1] * 30)) == 1
    assert len(find_noise([1.0, 1.0, 1.0, 9.0])) == 2
    assert len(find_noise([0.9, 0.95, 1.0, 1.051, 1.1])) == 1
    assert find_noise([0.9, 0.95, 1.0, 1.049, 1.1]) == ()


def test_outliers_at_their_borders() -> None:
    """The quartiles of these are 2 and 6: mild begins beyond −4 and 12, severe beyond −10, 18."""
    for value, mild, severe in ((12.0, 0, 0), (12.1, 1, 0), (18.0, 1, 0), (18.1, 0, 1)):
        for mirrored in (value, 8.0 - value):
            found = count_outliers([2.0] * 3 + [4.0] * 2 + [6.0] * 3 + [mirrored])
            assert (found.mild, found.severe) == (mild, severe)
    assert count_outliers([0.0, 0.0, 99.0]).mild == 0
    assert count_outliers([0.0, 0.0, 0.0, 99.0]).mild == 1


def test_three_values_have_no_outliers_and_one_in_eleven_is_no_tail() -> None:
    assert count_outliers([1.0, 1.0, 100.0]) == Outliers(0, 0)
    assert find_noise([1.0] * 10 + [1000.0]) == ()


def test_processes_are_enough_for_an_interval_of_95_percent() -> None:
    assert find_median_interval(range(LEAST_PROCESSES)).confidence == 0.95
    assert find_median_interval(range(LEAST_PROCESSES - 1)).confidence < 0.95


def test_half_the_width_is_that_of_the_interval() -> None:
    assert half_width(range(10, 22)) == (19 - 12) / 2
    assert half_width([7.0] * LEAST_PROCESSES) == 0.0
    assert half_width([7.0] * (LEAST_PROCESSES - 1)) == math.inf


def test_pairs_are_looked_at_when_there_are_twice_as_many() -> None:
    precise, scattered = [0.0] * 12, [-1.0, 1.0] * 12
    assert PrecisionLooks().is_precise(precise, LEAST_S) is True
    assert PrecisionLooks().is_precise(precise[1:], LEAST_S) is False
    looks = PrecisionLooks()
    assert not looks.is_precise(precise, LEAST_S / 2)
    assert not looks.is_precise(2 * precise[1:], LEAST_S)  # 22 pairs: not yet
    assert looks.is_precise(2 * precise, LEAST_S)
    assert PrecisionLooks().is_precise(scattered, LEAST_S) is False
    assert PrecisionLooks().is_precise(scattered, LEAST_S, 1.0) is True


def test_the_range_of_processes_is_widened_as_a_factor() -> None:
    found = find_process_interval([1.0, 16.0, 2.0, 3.0, 4.0, 5.0])
    assert (found.median, found.confidence) == (3.5, 0.95)
    assert (found.low, found.high) == (pytest.approx(1 / 8), pytest.approx(16 * 8))
    assert find_process_interval([0.0, 1.0]).low == 0.0
    assert find_process_interval([0.0, 1.0]).high == 1.0


def test_only_files_that_do_not_tell_how_busy_the_machine_was_lose_their_intervals() -> None:
    claimed = Measurement("jit", 2.0, 1.9, 2.1, 0.95, 4, (1.0,), False, "")
    ratio = Ratio("a/b", 2.0, 1.9, 2.1, "faster", 0.95)
    known = Environment("", "", "", "", "", processors=1)
    timing = Timing("f", known, (claimed,), (ratio,), ())
    assert drop_unsupported_intervals(timing) is timing
    unknown = dataclasses.replace(timing, environment=Environment("", "", "", "", ""))
    found = drop_unsupported_intervals(unknown)
    assert math.isnan(found.measurements[0].confidence) and math.isnan(found.ratios[0].confidence)
    empty = dataclasses.replace(claimed, samples=(math.nan,))
    assert (without_interval(empty).low, without_interval(empty).high) == (1.9, 2.1)


def test_samples_are_thinned_evenly_and_only_where_they_are_many() -> None:
    assert thin_samples(np.arange(1000.0)) == tuple(map(float, range(1000)))
    assert thin_samples(np.arange(1001.0))[-1] == 1000.0
    assert len(thin_samples(np.arange(1001.0))) == 1000
    assert thin_samples(np.arange(9.0), 5) == (0.0, 2.0, 4.0, 6.0, 8.0)


def test_processes_that_share_a_drift_are_covered_all_the_same() -> None:
    """The range of six alone holds too seldom where minutes change as much as processes differ."""
    rng = random.Random(0)
    held = plain = 0
    for _ in range(2000):
        shared = rng.gauss(0.0, 0.02)
        medians = [math.exp(shared + rng.gauss(0.0, 0.02)) for _ in range(6)]
        interval = find_process_interval(medians)
        held += interval.low <= 1.0 <= interval.high
        plain += min(medians) <= 1.0 <= max(medians)
    assert plain < 0.95 * 2000 < held
