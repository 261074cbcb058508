"""How long a step takes: the first pass through 10,000 equations, then the way to any of them.

    python -m bench.stepping

Once all values are kept, once a sixteenth of them. Run alone; nothing is written.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

from jaxscope.client.requests import StepRequest
from jaxscope.client.stepping import SteppingClient

_PROGRAM = """
import jax.numpy as jnp

def chain(x):
    kept = x
    for n in range({count} // 4):
        x = jnp.sin(x) * 0.5 + kept
        x = jnp.tanh(x)
        if n % 500 == 0:
            kept = x
    return x
"""
_EQUATIONS, _ELEMENTS, _JUMPS = 10_000, 1 << 14, 40


def main() -> None:
    """Print a line for each amount of memory."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chain.py"
        file.write_text(_PROGRAM.format(count=_EQUATIONS))
        whole = _EQUATIONS * _ELEMENTS * 4
        for most_bytes in (2 * whole, whole // 16):
            print(_measure(str(file), most_bytes))


def _measure(file: str, most_bytes: int) -> str:
    request = StepRequest(file, f"chain(f32[{_ELEMENTS}])", most_bytes=most_bytes)
    draw = random.Random(1)
    with SteppingClient(request) as stepper:
        count = stepper.stepping.num_equations
        began = time.perf_counter()
        step = stepper.move("end")
        first_s = time.perf_counter() - began
        taken = []
        for _ in range(_JUMPS):
            began = time.perf_counter()
            step = stepper.move("place", equation=str(draw.randrange(count)))
            taken.append(time.perf_counter() - began)
    return (
        f"{count:,} equations, at most {most_bytes / 2**20:,.0f} MiB: first pass {first_s:.1f} s, "
        f"then to any of {_JUMPS}: median {statistics.median(taken):.3f} s, at most "
        f"{max(taken):.3f} s; {step.kept_bytes / 2**20:,.0f} MiB kept"
    )


if __name__ == "__main__":
    main()
