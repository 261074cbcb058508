"""From *Measure* to the first time of the compiled call and to eager against jit, in the window.

    python -m bench.headline [ROUNDS]    each program with and without what the window prepares

In turns: a window that was left alone for a while after its capture, as it is when a person has
looked at the graph, once with and once without its looks of its own (`RunOptions.quick_look`).
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from jaxscope.client.session import Session
from jaxscope.ui.application import build_window
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.state import Phase
from jaxscope.ui.window.settings import Settings

_ROOT = Path(__file__).parents[1]
_PROGRAMS = (
    ("samples/quick_start.py", ""),
    ("docs/programs/mlp.py", ""),
    (
        "samples/transformer.py",
        "scanned_loss(stack_layers(init(key(0))), tokens(key(1)))",
    ),
    ("samples/transformer.py", "grad(loss)(init(key(0)), tokens(key(1)))"),
)
_ALONE_S = 20.0
_LIMIT_S = 180.0


def measure(app: QApplication, path: str, call: str, *, is_prepared: bool) -> tuple[float, float]:
    """Seconds until the jitted time is there, and until both are compared."""
    bridge = Bridge(Session)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(str(Path(folder) / "window.json"))
        window = build_window(app, bridge, RunOptions(quick_look=is_prepared), settings)
        window.show()
        controller = window.controller
        try:
            window.open_path(str(_ROOT / path), *filter(None, [call]))
            _wait(app, lambda: controller.state.phase is Phase.DONE)
            _turn(app, _ALONE_S)
            began_s = time.perf_counter()
            controller.measure(is_rigorous=False)
            _wait(app, lambda: any(m.name == "jit" for m in controller.state.timing.measurements))
            first_s = time.perf_counter() - began_s
            _wait(app, lambda: bool(controller.state.timing.ratios))
            return first_s, time.perf_counter() - began_s
        finally:
            window.close()
            bridge.close()


def _turn(app: QApplication, seconds: float) -> None:
    end_s = time.perf_counter() + seconds
    while time.perf_counter() < end_s:
        app.processEvents()
        time.sleep(0.004)


def _wait(app: QApplication, condition: Callable[[], bool]) -> None:
    end_s = time.perf_counter() + _LIMIT_S
    while not condition():
        if time.perf_counter() > end_s:
            raise SystemExit(f"nothing after {_LIMIT_S:.0f} s")
        _turn(app, 0.004)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    app = QApplication([])
    for path, call in _PROGRAMS:
        found: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
        for _ in range(rounds):
            for is_prepared, times in found.items():
                times.append(measure(app, path, call, is_prepared=is_prepared))
        for is_prepared, times in found.items():
            first, both = (statistics.median(column) for column in zip(*times, strict=True))
            how = "prepared" if is_prepared else "not prepared"
            print(f"{path} {call}: {how}: jit after {first:.2f} s, eager against jit {both:.2f} s")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
