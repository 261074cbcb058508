"""What inspecting costs: the worker's whole capture against JAX's own trace, lower and compile.

Each reading is a fresh process with JAX imported, the file executed and the arguments made; only
what follows is timed. The captures' messages are encoded and written to the null device.

    python -m bench.overhead capture|plain FILE CALL     one reading, in seconds, as JSON
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

READINGS = 5


def read_once(kind: str, file: str, call: str) -> dict[str, float]:
    """One reading in this process."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    from jaxscope.worker import capture, channel
    from jaxscope.worker.stages_timing import same_arguments
    from jaxscope.worker.subjects import find_forms

    request: dict[str, Any] = {"file": file, "call": call, "target": "cpu"}
    silent = channel.Channel(os.open(os.devnull, os.O_WRONLY))
    source, parsed = capture.load_call(request, silent)
    if kind == "capture":
        start = time.perf_counter()
        capture._Pipeline(request, silent, source, parsed).run()
        return {"seconds": time.perf_counter() - start}
    forms = find_forms(parsed)
    args, kwargs = same_arguments(*forms.jitted_arguments)()
    start = time.perf_counter()
    forms.jitted.trace(*args, **kwargs).lower().compile()
    return {"seconds": time.perf_counter() - start}


def measure(file: str, call: str, readings: int = READINGS) -> tuple[float, float]:
    """Median seconds of a plain compilation and of a capture, taken in turns."""
    seconds: dict[str, list[float]] = {"plain": [], "capture": []}
    for _ in range(readings):
        for kind, found in seconds.items():
            found.append(_read_in_process(kind, file, call))
    return statistics.median(seconds["plain"]), statistics.median(seconds["capture"])


def _read_in_process(kind: str, file: str, call: str) -> float:
    command = [sys.executable, "-m", "bench.overhead", kind, file, call]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return float(json.loads(done.stdout.splitlines()[-1])["seconds"])


if __name__ == "__main__":
    print(json.dumps(read_once(*sys.argv[1:4])))
