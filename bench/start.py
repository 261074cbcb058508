"""What a person waits for: from the launch of jaxscope to the still picture on a real X server.

    python -m bench.start [ROUNDS [NAME …]]    rows of the table, all or those whose name has NAME
    python -m bench.start window FILE …        a window that writes when its first graph was there

Xvfb keeps its screen in a file, which is read every 20 ms: the picture is still when nothing but
a caret has changed for seconds. Programs from source stand next to a plain script that does the
same with JAX alone. All are taken in turns, and so is the import of Qt, the unit of the machine.
"""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
ROUNDS = 3
_WIDTH, _HEIGHT = 1600, 1000
_LOOK_S = 0.02
_CARET_PIXELS = 60
"""Fewer have changed where only a caret blinks."""
_QUIET_S = {"saved": 2.0, "source": 6.0}
"""A picture that has not changed for so long is still; XLA may compile for seconds."""
_LIMIT_S = 120.0
_AFTER_S = 15.0
"""So long after the still picture nobody does anything, and what is done nobody asked for."""

_UNUSUAL = ("QT_QPA_PLATFORM", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
"""A person's launch has a screen, and compiled modules from the launch before."""

_PLAIN = """
import runpy
import jax
import jax.numpy as jnp
names = runpy.run_path({file!r})
{arguments}
"""
_PLAIN_SCRIPTS = {
    "quick_start.py": _PLAIN.format(
        file=str(_ROOT / "samples" / "quick_start.py"),
        arguments="""
x = jax.ShapeDtypeStruct((3,), jnp.float32)
traced = jax.jit(names["simple_graph"]).trace(x)
jax.make_jaxpr(jax.grad(names["simple_graph"]))(x)
traced.lower().compile()
""",
    ),
    "transformer.py": _PLAIN.format(
        file=str(_ROOT / "samples" / "transformer.py"),
        arguments="""
params = jax.eval_shape(names["init"], jax.random.key(0))
text = jax.eval_shape(names["tokens"], jax.random.key(1))
jax.jit(jax.grad(names["loss"])).trace(params, text).lower().compile()
""",
    ),
}
_CALLS = {
    "quick_start.py": "simple_graph(f32[3])",
    "transformer.py": "grad(loss)(init(key(0)), tokens(key(1)))",
}


@dataclasses.dataclass(frozen=True)
class Launch:
    """Medians of what was read in turns, in seconds from the launch of the process.

    Attributes:
        name: What was opened.
        shown: Until anything was on the screen.
        first_graph: Until a graph was drawn.
        still: Until the picture on the screen did not change any more.
        after: Processor seconds of the window's process in the 15 s after that; None from source,
            where XLA may still compile.
        plain: Of the script that does the same with JAX alone; None for saved captures.
        unit: Of a process that imports `PySide6.QtWidgets` and nothing else.
    """

    name: str
    shown: float
    first_graph: float
    still: float
    after: float | None
    plain: float | None
    unit: float


def measure(rounds: int = ROUNDS, wanted: tuple[str, ...] = ()) -> list[Launch]:
    """All launches, in turns.

    Raises:
        FileNotFoundError: There is no Xvfb.
    """
    import statistics  # a window that is measured does not load it

    with tempfile.TemporaryDirectory() as folder, _open_screen(folder) as screen:
        saved = {f"saved, {name}": path for name, path in _make_saved(folder, wanted)}
        source = {
            f"from source, {name}": (name, str(_ROOT / "samples" / name), call)
            for name, call in _CALLS.items()
            if not wanted or any(each in f"from source, {name}" for each in wanted)
        }
        found: dict[str, list[dict[str, float]]] = {name: [] for name in (*saved, *source)}
        units = []
        for _ in range(rounds):
            units.append(_time_process("-c", "import PySide6.QtWidgets"))
            for name, path in saved.items():
                found[name].append(_launch(screen, folder, "saved", path))
            for name, (sample, *arguments) in source.items():
                plain = {"plain": _time_process("-c", _PLAIN_SCRIPTS[sample])}
                found[name].append(plain | _launch(screen, folder, "source", *arguments))

    def middle(name: str, key: str) -> float:
        return statistics.median(each[key] for each in found[name])

    unit = statistics.median(units)
    return [
        Launch(
            name,
            middle(name, "shown"),
            middle(name, "first_graph"),
            middle(name, "still"),
            middle(name, "after") if name in saved else None,
            middle(name, "plain") if name in source else None,
            unit,
        )
        for name in found
    ]


def _make_saved(folder: str, wanted: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Names and paths of captures: of samples, of a line of operations, of a made one."""
    line = Path(folder, "line.py")
    line.write_text(
        "import jax.numpy as jnp\n\n\ndef line(x):\n    for _ in range(5_000):\n"
        "        x = jnp.sin(x) + 1.0\n    return x\n",
        "utf-8",
    )
    samples = _ROOT / "samples"
    for name, file, call in (
        ("quick_start.py", samples / "quick_start.py", _CALLS["quick_start.py"]),
        ("transformer.py, gradient", samples / "transformer.py", _CALLS["transformer.py"]),
        ("10,000 operations in a line", line, "line(f32[64])"),
    ):
        if not wanted or any(each in f"saved, {name}" for each in wanted):
            path = os.path.join(folder, f"{file.stem}.jaxscope")
            command = [sys.executable, "-m", "jaxscope", "capture", str(file), call, "-o", path]
            subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, timeout=600)
            yield name, path
    name = "three stages of 44,057 nodes"
    if not wanted or any(each in f"saved, {name}" for each in wanted):
        from bench.graphs import make_capture, make_graph
        from jaxscope.schema.archive import save_capture

        path = os.path.join(folder, "made.jaxscope")
        save_capture(make_capture(make_graph(50_000)), Path(path))
        yield name, path


def _time_process(*arguments: str) -> float:
    start = time.monotonic()
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    subprocess.run(
        [sys.executable, *arguments], env=environment, check=True, capture_output=True, timeout=600
    )
    return time.monotonic() - start


@dataclasses.dataclass(frozen=True)
class _Screen:
    display: str
    path: str


@contextmanager
def _open_screen(folder: str) -> Iterator[_Screen]:
    """An X server of our own, and the file that it keeps its screen in.

    Raises:
        FileNotFoundError: There is no Xvfb.
    """
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{_WIDTH}x{_HEIGHT}x24"]
    server = subprocess.Popen(
        [*command, "-fbdir", folder, "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as numbers:
            display = f":{numbers.readline().strip()}"
        yield _Screen(display, os.path.join(folder, "Xvfb_screen0"))
    finally:
        server.terminate()
        server.wait()


def _launch(screen: _Screen, folder: str, kind: str, *arguments: str) -> dict[str, float]:
    """Launch jaxscope, wait until the picture is still, and for a saved one on; close it."""
    import numpy as np

    told = os.path.join(folder, "first_graph")
    Path(told).unlink(missing_ok=True)
    home = tempfile.mkdtemp(dir=folder)  # nothing is remembered of the launch before
    environment = {k: v for k, v in os.environ.items() if k not in _UNUSUAL} | {
        "DISPLAY": screen.display,
        "HOME": home,
        "XDG_CONFIG_HOME": home,
        "BENCH_TOLD": told,
        "JAX_PLATFORMS": "cpu",
    }
    pixels = np.memmap(screen.path, np.uint32, "r")[-_WIDTH * _HEIGHT :]
    before = pixels.copy()
    first: float | None = None
    shown_first: float | None = None
    start = changed = time.monotonic()
    window = subprocess.Popen(
        [sys.executable, "-m", "bench.start", "window", *arguments], cwd=_ROOT, env=environment
    )
    used = after = 0.0
    try:
        while True:
            time.sleep(_LOOK_S)
            now, shown = time.monotonic(), pixels.copy()
            if np.count_nonzero(shown != before) > _CARET_PIXELS:
                before, changed, used = shown, now, _processor_s(window.pid)
                shown_first = shown_first or now
            if now > start + _LIMIT_S or window.poll() is not None:
                raise TimeoutError(f"{arguments} came to no still picture")
            if first is None and Path(told).exists():
                first = float(Path(told).read_text("ascii"))
            if first is not None and now > max(first, changed) + _QUIET_S[kind]:
                break
        if kind == "saved":
            time.sleep(max(0.0, changed + _AFTER_S - time.monotonic()))
            after = _processor_s(window.pid) - used
    finally:
        window.send_signal(signal.SIGINT)
        try:
            window.wait(20)
        except subprocess.TimeoutExpired:
            window.kill()
            window.wait()
    shown_s = (shown_first or changed) - start
    still = {"still": changed - start, "after": after}
    return {"shown": shown_s, "first_graph": first - start} | still


def _processor_s(pid: int) -> float:
    """Of all threads of a process until now, its children left out."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def show_window(arguments: list[str]) -> int:
    """The command line as it is, but for a timer that writes when the first graph is there."""
    from jaxscope.cli import main
    from jaxscope.ui import launch

    begin_reading = launch.begin_reading

    def read_and_watch(file: str | None) -> Any:
        """Nothing of the window is loaded before Qt and NumPy, as without a watch."""
        ahead = begin_reading(file)
        from jaxscope.ui import application

        build = application.build_window

        def build_watched(*about: Any, **options: Any) -> Any:
            window = build(*about, **options)
            _watch(window)
            return window

        application.build_window = build_watched
        return ahead

    launch.begin_reading = read_and_watch
    return main(arguments)


def _watch(window: Any) -> None:
    from PySide6.QtCore import QTimer

    timer = QTimer(window, interval=5)

    def look() -> None:
        canvases = [pane.canvas for pane in window.workspace.area.panes]
        if any(canvas is not None and canvas.scene is not None for canvas in canvases):
            timer.stop()
            told = Path(os.environ["BENCH_TOLD"])
            told.with_suffix(".part").write_text(str(time.monotonic()), "ascii")
            told.with_suffix(".part").rename(told)

    timer.timeout.connect(look)
    timer.start()


def main(arguments: list[str]) -> None:
    """Print what was read, one line of JSON for each launch."""
    rounds = int(arguments[0]) if arguments else ROUNDS
    for launch in measure(rounds, tuple(arguments[1:])):
        print(json.dumps(dataclasses.asdict(launch)), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["window"]:
        sys.exit(show_window(sys.argv[2:]))
    main(sys.argv[1:])
