"""What watching costs a step: `python -m bench.recording [SECONDS]`.

The same jitted function is called through the watch and without it, in turns within one process.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

_BLOCK_S = 0.05


def _make_steps() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    import jax
    import jax.numpy as jnp
    import numpy as np

    def loss(params: Any, x: Any) -> Any:
        for w in params:
            x = jnp.tanh(x @ w)
        return (x**2).mean()

    def step(params: Any, x: Any, rate: Any) -> Any:
        slopes = jax.grad(loss)(params, x)
        return jax.tree.map(lambda p, slope: p - rate * slope, params, slopes)

    def add(params: Any, x: Any, rate: Any) -> Any:
        return params[0] + x

    def layers(number: int, width: int, batch: int) -> tuple[Any, ...]:
        params = [jnp.full((width, width), 0.01) for _ in range(number)]
        return params, np.ones((batch, width), np.float32), 0.1

    few, many = layers(4, 256, 128), layers(400, 32, 16)
    return {
        "4 layers of 256, batch of the host": (step, few),
        "4 layers of 256, all on the device": (step, (few[0], jnp.asarray(few[1]), jnp.ones(()))),
        "400 layers of 32, batch of the host": (step, many),
        "one addition, all on the device": (add, ([jnp.ones(3)], jnp.ones(3), jnp.ones(()))),
    }


def main(seconds: float) -> None:
    """Print the seconds of a call without the watch, and what the watch adds."""
    import jax

    import jaxscope

    for name, (function, args) in _make_steps().items():
        with jaxscope.watch():
            watched = jax.jit(function)
            plain = watched.inner  # type: ignore[attr-defined] # it stands for JAX's own here
            _wait([watched(*args), plain(*args)])
            alone, ratios = _compare(plain, watched, args, seconds)
        low, middle, high = statistics.quantiles(ratios, n=4)
        print(
            f"{name}: {alone * 1e6:.1f} us, watched {middle:.4f} times that "
            f"(quartiles {low:.4f} and {high:.4f})"
        )


def _compare(plain: Any, watched: Any, args: Any, seconds: float) -> tuple[float, list[float]]:
    count = max(1, round(_BLOCK_S / _time(plain, args, 10)))
    alone: list[float] = []
    ratios: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(ratios) < 4:
        sides = [plain, watched, watched, plain]
        taken = [_time(side, args, count) for side in sides]
        alone += [taken[0], taken[3]]
        ratios.append((taken[1] + taken[2]) / (taken[0] + taken[3]))
    return statistics.median(alone), ratios


def _wait(results: Any) -> None:
    import jax

    wait: Callable[[Any], Any] = jax.block_until_ready  # JAX does not annotate it
    wait(results)


def _time(function: Any, args: Any, count: int) -> float:
    began = time.perf_counter()
    for _ in range(count):
        result = function(*args)
    _wait(result)
    return (time.perf_counter() - began) / count


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
