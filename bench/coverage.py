"""Whether intervals of six processes hold: real calls, measured in many processes over minutes.

    python -m bench.coverage                      36 processes on a quiet machine, some minutes
    python -m bench.coverage --load 6             the same beside six that keep processors busy
    python -m bench.coverage --processes 12       fewer

Each process times each call as `jaxscope time` does, and finds out how busy the machine is. Six
that follow one another make an interval as `--rigorous` does; it holds if the median of all
processes lies in it. Where the machine was busy no interval is claimed, and none counts. Beside
them stands what a single process would have claimed of its own calls: why it claims nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from bench.honesty import binomial_bound, busy_processors
from jaxscope.model.capture import Environment
from jaxscope.model.statistics import (
    LEAST_PROCESSES,
    find_disturbances,
    find_median_interval,
    find_process_interval,
)

_BUDGET_S = 0.25


def make_calls() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """The calls: short and long ones, of one thread and of several."""
    import jax
    import jax.numpy as jnp

    def mean(x: Any) -> Any:
        return jnp.mean((x + 2) ** 2 + 3)

    def product(a: Any) -> Any:
        return a @ a

    def layers(x: Any, w: Any) -> Any:
        for _ in range(6):
            x = jnp.tanh(x @ w)
        return jnp.sum(x**2)

    def loop(x: Any) -> Any:
        return jax.lax.scan(lambda c, _: (jnp.sin(c) * 1.01, None), x, None, length=300)[0]

    def key_normal(seed: Any) -> Any:
        return jax.random.normal(jax.random.key(seed), (20_000,))

    square = jnp.linspace(0.0, 1.0, 250_000).reshape(500, 500)
    return {
        "mean of 1,000": (mean, (jnp.linspace(0.0, 1.0, 1_000),)),
        "product of 500 by 500": (product, (square,)),
        "gradient of six layers": (jax.grad(layers), (square[:64, :128], square[:128, :128])),
        "scan of 300 steps": (loop, (jnp.linspace(0.0, 1.0, 100),)),
        "sort of 20,000": (jnp.sort, (jnp.sin(jnp.arange(20_000.0)),)),
        "random normal of 20,000": (key_normal, (3,)),
    }


def measure_here() -> dict[str, Any]:
    """Time every call in this process: medians, own intervals, and how busy the machine was."""
    import jax

    from jaxscope.worker.timing.conditions import Conditions
    from jaxscope.worker.timing.stopwatch import CallDurations, Rounds, Stopwatch, Subject

    stopwatch = Stopwatch(jax.block_until_ready, rng=Random())
    medians, own = {}, {}
    calls = make_calls()
    conditions = Conditions()
    for name, (function, arguments) in calls.items():
        jitted = jax.jit(function)
        subject = Subject(name, jitted, lambda arguments=arguments: (arguments, {}))
        typical_s = statistics.median(stopwatch.warm_up(subject, 200, 0.2)[-20:])
        rounds = Rounds((CallDurations(),))
        stopwatch.measure([subject], rounds, budget_s=_BUDGET_S, typical_s=typical_s)
        medians[name] = statistics.median(rounds.sides[0].total_s)
        size = rounds.sides[0].num_per_chunk
        total_s = rounds.sides[0].total_s
        chunks = [statistics.median(total_s[n : n + size]) for n in range(0, len(total_s), size)]
        interval = find_median_interval(chunks)
        own[name] = [interval.low, interval.high]
        conditions.probe()
    return {"medians": medians, "own": own, "conditions": conditions.numbers()}


def measure_coverage(processes: int, *, tell: Callable[[str], None] = print) -> dict[str, float]:
    """Run so many processes one after another, and count which intervals hold.

    Returns:
        Counts: `claimed` intervals of six processes, how many `held`, and `withheld` ones; of
        single processes, how many of their `own` intervals `own_held`.
    """
    found = []
    for number in range(processes):
        command = [sys.executable, "-m", "bench.coverage", "--here"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
        tell(f"process {number + 1} of {processes}: {found[-1]['conditions']}")
    return judge_processes(found)


def judge_processes(found: list[dict[str, Any]]) -> dict[str, float]:
    """Count, over all calls and all groups of six processes that followed one another."""
    claimed = held = withheld = own = own_held = 0
    for name in found[0]["medians"]:
        medians = [process["medians"][name] for process in found]
        truth = statistics.median(medians)
        for process in found:
            low, high = process["own"][name]
            own += 1
            own_held += low <= truth <= high
        for start in range(len(found) - LEAST_PROCESSES + 1):
            group = found[start : start + LEAST_PROCESSES]
            if any(find_disturbances(_environment(one["conditions"])) for one in group):
                withheld += 1
                continue
            interval = find_process_interval(medians[start : start + LEAST_PROCESSES])
            claimed += 1
            held += interval.low <= truth <= interval.high
    return {
        "processes": len(found),
        "claimed": claimed,
        "held": held,
        "withheld": withheld,
        "own": own,
        "own_held": own_held,
    }


def _environment(numbers: Mapping[str, Any]) -> Environment:
    return Environment("", "", "", "", "", **numbers)


def describe(found: Mapping[str, float]) -> str:
    """One sentence."""
    single = f"of single processes {found['own_held']} of {found['own']} would have held"
    if not found["claimed"]:
        return f"no interval claimed ({found['withheld']:,} withheld); {single}"
    share = found["held"] / found["claimed"]
    missed = int(found["claimed"] - found["held"])
    bound = 1 - binomial_bound(missed, int(found["claimed"]))
    return (
        f"{found['held']} of {found['claimed']} held ({share:.1%}, at least {bound:.1%} were they "
        f"independent), {found['withheld']:,} withheld; {single}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--processes", type=int, default=36, help="one after another (36)")
    parser.add_argument("--load", type=int, default=0, help="busy processes beside (default: 0)")
    parser.add_argument("--here", action="store_true", help="be one of the processes")
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measure_here()))
        return
    with busy_processors(options.load):
        found = measure_coverage(options.processes)
    print(describe(found))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
