"""How honest the stopwatch is: false positives, known ratios, and other stopwatches.

    python -m bench.honesty                the long form, for a quiet machine: about 10 minutes
    python -m bench.honesty --pairs 20     a short one
    python -m bench.honesty --load 2       with two processes that keep the processors busy

The programs are spins of Python code, so what is true is known: the same spin on both sides has
the ratio 1, and one that turns 5 % more often takes 5 % longer. One jitted call on both sides
stands beside them. Prints a table and a line of JSON.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import random
import statistics
import subprocess
import tempfile
import time
import timeit
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from bench.graphs import PYTHON
from bench.spin import spin
from jaxscope.model.statistics import find_median_interval, find_noise, find_ratio_interval
from jaxscope.schema.timing_messages import make_measurement, make_ratio
from jaxscope.worker.timing.stopwatch import CallDurations, Rounds, Stopwatch, Subject

_TURNS = 2_000
_SLOW_TURNS = 400_000
"""About where calls begin to take turns one by one."""
_BUDGET_S = 0.6
MORE_PERCENT = (5, 20, 100)
"""How much more work one side has, where that is to be found."""
_DIFFERENT = ("faster", "slower")


def measure_pair(
    first: int, second: int, seed: int, *, with_noise: bool = False
) -> tuple[str, float, float, float]:
    """Verdict, ratio and its interval of two spins, measured as `jaxscope time` does.

    Args:
        with_noise: Whether the verdict takes the larger margin of noisy calls, as it does there.
    """
    subjects = [
        Subject(name, spin, lambda turns=turns: ((turns,), {}))
        for name, turns in (("first", first), ("second", second))
    ]
    stopwatch = Stopwatch(lambda result: result, rng=random.Random(seed))
    for subject in subjects:
        subject.typical_s = statistics.median(stopwatch.warm_up(subject, 20, 0.1))
    rounds = Rounds((CallDurations(), CallDurations()))
    typical_s = max(subject.typical_s for subject in subjects)
    stopwatch.measure(subjects, rounds, budget_s=_BUDGET_S, typical_s=typical_s)
    interval = find_ratio_interval(rounds.log_values)
    is_noisy = with_noise and any(find_noise(side.total_s) for side in rounds.sides)
    ratio = make_ratio("first/second", np.array(rounds.log_values), is_noisy=is_noisy)
    return ratio.verdict, interval.median, interval.low, interval.high


def binomial_bound(count: int, total: int, confidence: float = 0.95) -> float:
    """Upper bound of a share, by Clopper and Pearson: what `count` of `total` still allow."""
    low, high = count / total, 1.0
    if count >= total:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        at_most = sum(
            math.comb(total, k) * middle**k * (1 - middle) ** (total - k) for k in range(count + 1)
        )
        low, high = (middle, high) if at_most > 1 - confidence else (low, middle)
    return high


def measure_false_positives(
    pairs: int, turns: int = _TURNS, *, with_noise: bool = False
) -> dict[str, float]:
    """The same spin on both sides: how often a difference is claimed."""
    found = [measure_pair(turns, turns, seed, with_noise=with_noise) for seed in range(pairs)]
    claims = sum(verdict in _DIFFERENT for verdict, *_ in found)
    covering = sum(low <= 1.0 <= high for _, _, low, high in found)
    return {
        "pairs": pairs,
        "false_positives": claims,
        "false_positive_bound_95": binomial_bound(claims, pairs),
        "said_same": sum(verdict == "same" for verdict, *_ in found) / pairs,
        "intervals_with_1": covering / pairs,
    }


def measure_real_pairs(pairs: int) -> dict[str, float]:
    """One real function, called directly and jitted once more around it: the same compiled work."""
    x = jnp.linspace(0.0, 1.0, 1000)
    claims = 0
    for seed in range(pairs):
        subjects = [
            Subject(name, jax.jit(lambda x: _wave(x)), lambda: ((x,), {}))
            for name in ("first", "second")
        ]
        stopwatch = Stopwatch(jax.block_until_ready, rng=random.Random(seed))
        for subject in subjects:
            subject.typical_s = statistics.median(stopwatch.warm_up(subject, 100, 0.1)[-20:])
        rounds = Rounds((CallDurations(), CallDurations()))
        typical_s = max(subject.typical_s for subject in subjects)
        stopwatch.measure(subjects, rounds, budget_s=_BUDGET_S, typical_s=typical_s)
        sides = [make_measurement(s.name, np.array(r.total_s), "") for s, r in
                 zip(subjects, rounds.sides, strict=True)]  # fmt: skip
        is_noisy = any(side.is_noisy for side in sides)
        ratio = make_ratio("first/second", np.array(rounds.log_values), is_noisy=is_noisy)
        claims += ratio.verdict in _DIFFERENT
    return {
        "pairs": pairs,
        "false_positives": claims,
        "false_positive_bound_95": binomial_bound(claims, pairs),
    }


def measure_known_ratio(pairs: int, percent: int) -> dict[str, float]:
    """The second side turns `percent` more often: how often that is found, and how well."""
    found = [measure_pair(_TURNS, _TURNS + _TURNS * percent // 100, seed) for seed in range(pairs)]
    return {
        "percent": percent,
        "pairs": pairs,
        "said_slower": sum(verdict == "slower" for verdict, *_ in found) / pairs,
        "median_ratio": statistics.median(1.0 / ratio for _, ratio, _, _ in found),
    }


def measure_coverage(samples: int = 2_000, size: int = 24) -> dict[str, float]:
    """Made-up durations with a long tail: how often the interval has the true median.

    A test of the arithmetic alone; `bench.coverage` times real calls.
    """
    rng = random.Random(0)
    covering = 0
    for _ in range(samples):
        values = [rng.lognormvariate(0.0, 0.5) for _ in range(size)]
        interval = find_median_interval(values)
        covering += interval.low <= 1.0 <= interval.high
    return {"samples": samples, "wanted": 0.95, "covered": covering / samples}


def measure_others(pyperf: str) -> dict[str, float | str]:
    """The same spin, and the same jitted call, by jaxscope and by other stopwatches.

    Returns:
        Medians in microseconds; where one could not be had, why.
    """
    stopwatch = Stopwatch(jax.block_until_ready)
    jitted, x = jax.jit(_wave), jnp.linspace(0.0, 1.0, 1000)
    found: dict[str, float | str] = {
        "spin, jaxscope": _measure(stopwatch, Subject("spin", spin, lambda: ((_TURNS,), {}))),
        "spin, timeit": _time_it(lambda: spin(_TURNS)),
        "jit, jaxscope": _measure(stopwatch, Subject("jit", jitted, lambda: ((x,), {}))),
        "jit, timeit": _time_it(lambda: jax.block_until_ready(jitted(x))),
    }
    found["spin, pyperf"] = _run_pyperf(pyperf)
    return found


def _wave(x: jax.Array) -> jax.Array:
    return jnp.sum(jnp.sin(x) ** 2)


def _measure(stopwatch: Stopwatch, subject: Subject) -> float:
    rounds = Rounds((CallDurations(),))
    typical_s = statistics.median(stopwatch.warm_up(subject, 200, 0.5))
    stopwatch.measure([subject], rounds, budget_s=1.0, typical_s=typical_s)
    return statistics.median(rounds.sides[0].total_s) * 1e6


def _time_it(call: Callable[[], object]) -> float:
    timer = timeit.Timer(call)
    number, _ = timer.autorange()
    return statistics.median(timer.repeat(7, number)) / number * 1e6


def _run_pyperf(python: str) -> float | str:
    """Median microseconds by pyperf's own command, or why there are none."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "spin.json"
        command = [python, "-m", "pyperf", "timeit", "--fast", "-q", "-o", str(results)]
        command += ["--inherit-environ", "PYTHONPATH", "-s", "from bench.spin import spin"]
        command.append(f"spin({_TURNS})")
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, timeout=300, check=False, text=True
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"skipped: {error}"
        if not results.exists():
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            return f"skipped: {last.rpartition(': ')[2][:100]}"  # without the interpreter's path
        benchmarks = json.loads(results.read_text("utf-8"))["benchmarks"]
    values = [
        value
        for benchmark in benchmarks
        for single in benchmark["runs"]
        for value in single.get("values", ())
    ]
    return statistics.median(values) * 1e6 if values else "skipped: it measured nothing"


@contextmanager
def busy_processors(count: int) -> Iterator[None]:
    """Keep so many processors busy until the block ends."""
    processes = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()


def _burn() -> None:
    while True:
        spin(100_000)


def measure_all(
    pairs: int, load: int, pyperf: str = PYTHON
) -> dict[str, Mapping[str, float | str]]:
    """Everything, with `load` processes beside; stopwatches are compared without these.

    Args:
        pyperf: An interpreter that has pyperf.
    """
    loaded: dict[str, Callable[[], Mapping[str, float | str]]] = {
        "same on both sides": lambda: measure_false_positives(pairs),
        "same on both sides, slow": lambda: measure_false_positives(
            pairs, _SLOW_TURNS, with_noise=True
        ),
        "one jitted call on both sides": lambda: measure_real_pairs(pairs),
        **{
            f"{percent} % more on one side": lambda percent=percent: measure_known_ratio(
                max(pairs // 5, 5), percent
            )
            for percent in MORE_PERCENT
        },
        "arithmetic of intervals": measure_coverage,
    }
    with busy_processors(load):
        found = {name: _take(name, step) for name, step in loaded.items()}
    others = "other stopwatches, µs"
    return found | {others: _take(others, lambda: measure_others(pyperf))}


def _take(name: str, step: Callable[[], Mapping[str, float | str]]) -> Mapping[str, float | str]:
    """Do one of the measurements, and print what it found."""
    start = time.monotonic()
    found = step()
    print(f"{name} ({time.monotonic() - start:.0f} s)", flush=True)
    for key, value in found.items():
        text = value if isinstance(value, str) else f"{value:.4g}"
        print(f"    {key:26} {text}", flush=True)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200, help="A/A pairs (default: 200)")
    parser.add_argument("--load", type=int, default=0, help="busy processes beside (default: 0)")
    parser.add_argument(
        "--pyperf",
        default=PYTHON,
        metavar="PYTHON",
        help="an interpreter with pyperf",
    )
    options = parser.parse_args()
    print(json.dumps(measure_all(options.pairs, options.load, options.pyperf)))


if __name__ == "__main__":
    main()
