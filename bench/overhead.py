"""What inspecting costs: the worker's whole capture against JAX's own trace, lower and compile.

Each reading is a fresh process with JAX imported, the file executed and the arguments made; only
what follows is timed. The captures' messages are encoded and written to the null device. A capture
is timed until all that is known without running the program has been sent. What a small program's
first run takes after that, in which NaN and Inf are looked for, is a reading of its own.

    python -m bench.overhead capture|plain FILE CALL     one reading, in seconds, as JSON
"""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

READINGS = 5
_ENOUGH_S = 60.0
"""After so long, three readings of each have to do."""


def read_once(kind: str, file: str, call: str) -> dict[str, float]:
    """One reading in this process."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    from jaxscope.worker.channel import Channel
    from jaxscope.worker.stages import call_loader, capture
    from jaxscope.worker.timing.forms import find_forms
    from jaxscope.worker.timing.stages_and_transfers import same_arguments

    request: dict[str, Any] = {"file": file, "call": call, "target": "cpu"}
    clocks: list[tuple[float, float]] = []

    def look() -> None:
        clocks.append((time.perf_counter(), time.process_time()))

    class Silent(Channel):
        def progress(self, step: str, text: str, **more: Any) -> None:
            super().progress(step, text, **more)
            if step == capture.RUN_ONCE:
                look()

    silent = Silent(os.open(os.devnull, os.O_WRONLY))
    source, parsed = call_loader.load_call(request, silent)
    work: Callable[[], Any] = functools.partial(
        capture.send_capture, request, silent, source, parsed
    )
    if kind == "plain":
        forms = find_forms(parsed)
        args, kwargs = same_arguments(*forms.jitted_arguments)()
        work = functools.partial(_compile, forms.jitted, args, kwargs)
    look()
    kept = work()  # neither side is charged for freeing what it made
    look()
    del kept
    begin, end, last = clocks[0], clocks[1], clocks[-1]
    return {
        "seconds": end[0] - begin[0],
        "cpu_s": end[1] - begin[1],
        "run_s": last[0] - end[0],
        "run_cpu_s": last[1] - end[1],
    }


def _compile(jitted: Any, args: Any, kwargs: Any) -> Any:
    return jitted.trace(*args, **kwargs).lower().compile()


@dataclasses.dataclass(frozen=True)
class Overhead:
    """Medians of readings taken in turns.

    Attributes:
        plain_s: Wall seconds of JAX's own trace, lower and compile.
        capture_s: Wall seconds of a capture.
        cpu_ratio: Processor seconds of a capture over those of JAX alone.
    """

    plain_s: float
    capture_s: float
    cpu_ratio: float


def measure(file: str, call: str, readings: int = READINGS) -> Overhead:
    """Compare a capture with a plain compilation."""
    found: dict[str, list[dict[str, float]]] = {"plain": [], "capture": []}
    start = time.monotonic()
    for number in range(readings):
        if number >= 3 and time.monotonic() - start > _ENOUGH_S:
            break
        for kind, values in found.items():
            values.append(_read_in_process(kind, file, call))

    def middle(kind: str, clock: str) -> float:
        return statistics.median(reading[clock] for reading in found[kind])

    return Overhead(
        plain_s=middle("plain", "seconds"),
        capture_s=middle("capture", "seconds"),
        cpu_ratio=middle("capture", "cpu_s") / middle("plain", "cpu_s"),
    )


def _read_in_process(kind: str, file: str, call: str) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.overhead", kind, file, call]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    reading: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return reading


if __name__ == "__main__":
    print(json.dumps(read_once(*sys.argv[1:4])))
