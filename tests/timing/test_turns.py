"""Two processes that take turns: order, stopping and pairing, with a clock that is told to move."""

from __future__ import annotations

import math
import random

import numpy as np
import numpy.typing as npt
import pytest

from jaxscope.client import multi_process_runs
from jaxscope.client.multi_process_runs import InterleavedSamples, measure_interleaved
from jaxscope.model.statistics import CHUNK, FIRST_LOOK, LEAST_S, MARGIN, find_ratio_interval, judge
from jaxscope.worker.timing.stopwatch import chunk_sizes


class Bench:
    """Two programs of known durations; the clock moves by what they take.

    Args:
        noise: Standard deviation of the logarithm of each duration.
        drift: By which factor everything slows down over 100 turns.
    """

    def __init__(
        self,
        first_s: float,
        second_s: float,
        *,
        noise: float = 0.0,
        drift: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.now_s = 0.0
        self.order: list[int] = []
        self._means = (first_s, second_s)
        self._rng = np.random.default_rng(seed)
        self._noise, self._drift = noise, drift

    def measure(self, side: int, kept: int, dropped: int) -> npt.NDArray[np.float64]:
        slower = self._drift ** (len(self.order) / 100)
        self.order.append(side)
        noise = np.exp(self._noise * self._rng.standard_normal(kept + dropped))
        durations = self._means[side] * slower * noise
        self.now_s += float(durations.sum())
        return durations[dropped:]

    def run(self, *, kept: int = CHUNK, budget_s: float = 1.0, seed: int = 0) -> InterleavedSamples:
        turns = InterleavedSamples((kept, kept))
        measure_interleaved(
            self.measure,
            turns,
            budget_s=budget_s,
            rng=random.Random(seed),
            now_s=lambda: self.now_s,
        )
        return turns


def test_exact_durations_give_the_exact_ratio() -> None:
    turns = Bench(2e-5, 1e-5).run()
    assert turns.log_ratios == pytest.approx([math.log(2.0)] * len(turns.log_ratios))
    assert set(turns.seconds(0)) == {2e-5}
    assert set(turns.seconds(1)) == {1e-5}
    assert turns.stopped == "precise"


def test_each_pair_has_both_sides_in_random_order() -> None:
    bench = Bench(1e-5, 1e-5)
    bench.run()
    pairs = list(zip(bench.order[::2], bench.order[1::2], strict=True))
    assert {frozenset(pair) for pair in pairs} == {frozenset((0, 1))}
    assert 0.2 < sum(pair == (0, 1) for pair in pairs) / len(pairs) < 0.8


def test_each_turn_keeps_a_chunk_of_calls() -> None:
    turns = Bench(1e-5, 1e-5).run()
    assert len(turns.seconds(0)) == CHUNK * len(turns.log_ratios)


def test_a_fast_side_has_a_chunk_beside_a_slow_one() -> None:
    bench, turns = Bench(0.03, 1e-5), InterleavedSamples((1, CHUNK))
    rng = random.Random(0)
    measure_interleaved(bench.measure, turns, budget_s=0.5, rng=rng, now_s=lambda: bench.now_s)
    rounds = len(turns.log_ratios)
    assert [len(turns.seconds(side)) for side in (0, 1)] == [rounds, CHUNK * rounds]
    assert turns.log_ratios == pytest.approx([math.log(3000)] * rounds)


@pytest.mark.parametrize("own_s", [1e-5, 1e-3, 4e-3, 0.02, 0.3])
@pytest.mark.parametrize("other_s", [1e-5, 4e-3, 0.02, 0.079, 0.3])
def test_processes_take_turns_as_forms_of_one_process_do(own_s: float, other_s: float) -> None:
    kept, _dropped = chunk_sizes([own_s, other_s])[0]
    assert multi_process_runs._kept(own_s, other_s) == kept


def test_it_stops_only_at_a_look_or_at_the_budget() -> None:
    precise = Bench(1e-4, 1e-4).run(budget_s=60.0)
    assert precise.stopped == "precise"
    looks = [FIRST_LOOK * 2**n for n in range(12)]
    assert len(precise.log_ratios) in looks
    spent = Bench(1e-4, 1e-4, noise=3.0).run(budget_s=0.6)
    assert spent.stopped == "budget"


@pytest.mark.slow
def test_it_measures_at_least_so_long() -> None:
    bench = Bench(1e-6, 1e-6)
    bench.run(budget_s=60.0)
    assert bench.now_s >= LEAST_S


def test_one_pair_is_measured_whatever_the_budget() -> None:
    assert len(Bench(5.0, 5.0).run(kept=1, budget_s=0.1).log_ratios) == 1


def test_what_was_measured_survives_a_failure() -> None:
    bench, turns = Bench(1e-4, 1e-4), InterleavedSamples((CHUNK, CHUNK))

    def measure(side: int, kept: int, dropped: int) -> npt.NDArray[np.float64]:
        if len(bench.order) == 7:
            raise ValueError("no more data")
        return bench.measure(side, kept, dropped)

    with pytest.raises(ValueError, match="no more data"):
        measure_interleaved(
            measure, turns, budget_s=9.0, rng=random.Random(0), now_s=lambda: bench.now_s
        )
    assert len(turns.log_ratios) == 3


@pytest.mark.parametrize("drift", [1.0, 1.5])
@pytest.mark.slow
def test_equal_programs_are_hardly_ever_called_different(drift: float) -> None:
    """A/A, also while the machine slows down: at most 5 % of 100 pairs may be claimed."""
    claims = 0
    for seed in range(100):
        bench = Bench(1e-4, 1e-4, noise=0.3, drift=drift, seed=seed)
        interval = find_ratio_interval(bench.run(seed=seed).log_ratios)
        claims += judge(interval) in ("faster", "slower")
    assert claims <= 5


def test_a_known_ratio_is_found() -> None:
    found = []
    for seed in range(40):
        bench = Bench(1.05e-4, 1e-4, noise=0.1, seed=seed)
        interval = find_ratio_interval(bench.run(seed=seed).log_ratios)
        found.append(judge(interval))
        assert interval.median == pytest.approx(1.05, rel=MARGIN)
    assert found.count("faster") >= 38
    assert "slower" not in found
