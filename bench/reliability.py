"""How soon a session works again after its supervisor was hit, what a window keeps of its runs, and
how long faults hold it up; and harm at random moments.

python -m bench.reliability recovery TRIES       seconds, for SIGKILL and for SIGSTOP
python -m bench.reliability memory FILE ROUNDS   what a window holds after each ten, and its growth
python -m bench.reliability gaps [FAULT …]       the longest gap of a 16 ms timer for each fault
python -m bench.reliability chaos TRIES [SEED]   harm at random moments, and what came of it
python -m bench.reliability kills TRIES [SEED]   windows killed at random moments, and what was kept

With `--forked` before the word, workers are forked from a process that has imported JAX, as in the
suite (`tests/forking.py`): a round takes a fifth of the time.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import operator
import os
import random
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from jaxscope.client.events import Event
from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.errors import WorkerLost
from jaxscope.model import Capture
from jaxscope.supervisor.process_tree import find_descendants

_PATIENCE_S = 300.0
_FAULTS = Path(__file__).parents[1] / "tests" / "faults" / "programs"


def measure_recovery(number: int, num_tries: int) -> tuple[list[float], list[float]]:
    """Seconds from a signal to the error of the run, and from there to the end of another run."""
    noticed, recovered = [], []
    for _ in range(num_tries):
        with Session() as session:
            is_asleep = threading.Event()

            def listen(event: Event, is_asleep: threading.Event = is_asleep) -> None:
                if "sleeping" in str(event):
                    is_asleep.set()

            run = session.start(CaptureRequest(str(_FAULTS / "sleeps.py")), listen)
            is_asleep.wait(_PATIENCE_S)
            start = time.monotonic()
            os.kill(session.supervisor_pid, number)
            try:
                run.wait(_PATIENCE_S)
            except WorkerLost:
                noticed.append(time.monotonic() - start)
            start = time.monotonic()
            session.start(CaptureRequest(str(_FAULTS / "works.py"))).wait(_PATIENCE_S)
            recovered.append(time.monotonic() - start)
    return noticed, recovered


def measure_memory(file: str, num_rounds: int) -> None:
    """Print what a window holds after each ten rounds, and how that grows.

    A round opens a file, which runs its first call, runs the call again, resizes the window,
    switches the theme, and closes the file.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication

    from jaxscope.ui.application import build_window
    from jaxscope.ui.session.controller import Bridge, RunOptions
    from jaxscope.ui.window.settings import Settings

    application = QApplication([])
    session = Session()
    bridge = Bridge(lambda: session)
    settings = Settings(os.path.join(tempfile.mkdtemp(), "window.json"))
    window = build_window(application, bridge, RunOptions(), settings)
    window.resize(1600, 900)
    window.show()
    controller = window.controller

    def wait_until(holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not holds():
            application.processEvents()
            time.sleep(0.005)
            if time.monotonic() > deadline:
                raise TimeoutError(
                    f"The run did not end: {controller.state.phase}, {controller.state.error}"
                )

    def has_other_than(before: Capture | None) -> bool:
        found = controller.state.capture
        return found is not None and found is not before and not controller.state.is_running

    rows: list[tuple[int, ...]] = []
    for number in range(1, num_rounds + 1):
        window.open_path(file)
        wait_until(lambda: has_other_than(None))
        before = controller.state.capture
        controller.run(controller.state.call, "cpu")
        wait_until(lambda before=before: has_other_than(before))  # type: ignore[misc] # mypy infers no type of a default
        window.resize(1000 + 100 * (number % 7), 700 + 50 * (number % 5))
        window.toggle_theme()
        controller.close_file()
        wait_until(lambda: controller.state.capture is None)
        if number % 10:
            continue
        del before
        window.resize(1600, 900)  # a larger window has larger pictures
        application.processEvents()
        # Without an event loop that was entered, Qt leaves what is to be deleted for later.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
        with contextlib.suppress(AttributeError):  # another C library than glibc
            # What is free and kept for later comes and goes by 10 MB, and hides growth.
            ctypes.CDLL(None).malloc_trim(0)
        rows.append(
            (
                number,
                int(Path("/proc/self/statm").read_text().split()[1]) * 4096,
                _count_heap_bytes(),
                sys.getallocatedblocks(),
                sum(isinstance(each, Capture) for each in gc.get_objects()),
                len(application.allWidgets()),
                threading.active_count(),
                len(os.listdir("/proc/self/fd")),
                len(find_descendants(session.supervisor_pid)),
            )
        )
        print(
            "{} rounds: {:.1f} MB, {:.3f} MB of them from the C library, {} blocks of Python, "
            "{} captures, {} widgets, {} threads, {} descriptors, {} processes below the "
            "supervisor".format(number, rows[-1][1] / 1e6, rows[-1][2] / 1e6, *rows[-1][3:]),
            flush=True,
        )
    late = rows[len(rows) // 3 :]  # caches fill in the first rounds
    numbers, *columns = zip(*late, strict=True)
    for name, column, unit in zip(
        [
            "memory",
            "C library",
            "blocks",
            "captures",
            "widgets",
            "threads",
            "descriptors",
            "processes",
        ],
        columns,
        (1e6, 1e6, 1, 1, 1, 1, 1, 1),
        strict=True,
    ):
        slope, bound = find_slope(numbers, [each / unit for each in column])
        print(
            f"{name}: {slope:+.5f} a round, 95 % bound {bound:.5f}; "
            f"{min(column) / unit:.5g} to {max(column) / unit:.5g}"
        )
    bridge.close()


def _count_heap_bytes() -> int:
    """What the C library has given out, or 0 where it does not say."""

    class Readings(ctypes.Structure):  # mallinfo2(3)
        _fields_ = [(f"field_{number}", ctypes.c_size_t) for number in range(10)]

    try:
        ask = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return 0
    ask.restype = Readings
    readings = ask()
    return int(readings.field_4 + readings.field_7)  # pieces mapped alone, and all others


def find_slope(numbers: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """The slope of a line through points, and half of its interval of 95 %."""
    slope, start = statistics.linear_regression(numbers, values)
    middle = statistics.fmean(numbers)
    rest = sum((v - start - slope * n) ** 2 for n, v in zip(numbers, values, strict=True))
    spread = sum((n - middle) ** 2 for n in numbers)
    return slope, 2 * (rest / max(1, len(numbers) - 2) / spread) ** 0.5


def measure_gaps(names: Sequence[str]) -> None:
    """Print how long the window's thread was away at most while each fault happened, and where.

    As `bench.stalls` counts it: without the time in which other programs had the processors.
    """
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import QEventLoop, Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from bench.stalls import NO_GAP, TICK_MS, WANTED_MS, Gap, Probe
    from jaxscope.ui.application import _calm_collector
    from jaxscope.ui.launch import _SWITCH_S
    from jaxscope.ui.session.controller import RunOptions
    from tests.faults.catalogue import ROWS
    from tests.faults.window_scene import open_window

    application = QApplication([])
    sys.setswitchinterval(_SWITCH_S)  # as in a window that is launched
    probe = Probe()
    timer = QTimer(interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(probe.tick)
    timer.start()

    def wait(holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not holds():
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)
            if time.monotonic() > deadline:
                raise TimeoutError("It did not happen.")

    def longest(act: Callable[[], object]) -> Gap:
        ticks = probe.num_ticks
        wait(lambda: probe.num_ticks > ticks)
        del probe.gaps[:]
        act()
        ticks = probe.num_ticks
        wait(lambda: probe.num_ticks > ticks)
        return max(probe.gaps, default=NO_GAP, key=operator.attrgetter("ms"))

    _calm_collector()
    folder, found = Path(tempfile.mkdtemp()), list[tuple[Gap, Gap]]()
    with contextlib.ExitStack() as windows:
        scenes = {}
        for fault in ROWS:
            if names and fault.name not in names:
                continue
            path = folder / f"{fault.name}.py"
            options = RunOptions(timeout_s=fault.timeout_s, memory_bytes=fault.memory_bytes)
            if options not in scenes:
                opened = open_window(application, folder, options, wait)
                scenes[options] = windows.enter_context(opened)
            scene = scenes[options]
            scene.work(path)
            gap = longest(functools.partial(scene.suffer, fault, path))
            usual = longest(functools.partial(scene.work, path))
            found.append((gap, usual))
            print(f"{fault.name}: {gap.ms:.0f} ms, a normal run {usual.ms:.0f} ms")
            for each in filter(lambda each: each.ms, found[-1]):
                print(f"    {each.ms:.0f} ms: {each.told()}", flush=True)
    gaps, usuals = ([each.ms for each in column] for column in zip(*found, strict=True))
    print(
        f"{len(found)} faults: {sum(ms > 100 for ms in gaps)} held the window up for more than "
        f"100 ms, {sum(map(bool, gaps))} for more than {WANTED_MS:.0f} ms, at most "
        f"{max(gaps):.0f} ms; normal runs: {sum(ms > 100 for ms in usuals)}, "
        f"{sum(map(bool, usuals))}, {max(usuals):.0f} ms"
    )


def count_chaos(num_tries: int, seed: int) -> None:
    """Harm a session again and again; print how runs ended, and what went wrong."""
    from tests.faults.chaos import Chaos

    endings: Counter[tuple[str, str]] = Counter()
    seconds, num_wrong = [], 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # who ends it wants what it has
    with Session() as session, contextlib.suppress(KeyboardInterrupt):
        chaos = Chaos(session, seed, Path(tempfile.mkdtemp()))
        for number in range(num_tries):
            try:
                name, ended, after_s = chaos.hurt()
            except AssertionError as error:
                num_wrong += 1
                print(f"number {number} of seed {seed}: {error}", flush=True)
                continue
            endings[name, ended] += 1
            seconds.append(after_s)
    for (name, ended), count in sorted(endings.items()):
        print(f"{count:5} {name:28} {ended}")
    print(
        f"{len(seconds) + num_wrong} times, {num_wrong} not as it should be; the next run took "
        f"{statistics.median(seconds):.1f} s (median), at most {max(seconds):.1f} s"
    )


def count_kills(num_tries: int, seed: int) -> None:
    """Kill windows at random moments; print what was lost."""
    from tests.faults.killed_window import kill_one

    chance, kept, num_wrong = random.Random(seed), [], 0
    with tempfile.TemporaryDirectory() as home:
        for number in range(num_tries):
            try:
                kept.append(kill_one(Path(home), chance))
            except AssertionError as error:
                num_wrong += 1
                print(f"number {number} of seed {seed}: {error}", flush=True)
    print(
        f"{num_tries} windows killed, which had kept something {sum(kept)} times; {num_wrong} lost "
        "something or left processes behind"
    )


if __name__ == "__main__":
    if sys.argv[1] == "--forked":
        from jaxscope.client import session as session_module
        from tests.forking import ForkedLink

        session_module.LocalLink = ForkedLink  # type: ignore[assignment,misc] # it has what is used
        del sys.argv[1]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 and sys.argv[3].isdecimal() else 0
    if sys.argv[1] == "chaos":
        count_chaos(int(sys.argv[2]), seed)
        sys.exit()
    if sys.argv[1] == "kills":
        count_kills(int(sys.argv[2]), seed)
        sys.exit()
    if sys.argv[1] == "gaps":
        measure_gaps(sys.argv[2:])
        sys.stdout.flush()
        os._exit(0)
    if sys.argv[1] == "recovery":
        for signal_ in (signal.SIGKILL, signal.SIGSTOP):
            for what, found in zip(
                ("told after", "another run done after"),
                measure_recovery(signal_, int(sys.argv[2])),
                strict=True,
            ):
                print(
                    f"{signal_.name}: {what} {statistics.median(found):.2f} s (median of "
                    f"{len(found)}), at most {max(found):.2f} s",
                    flush=True,
                )
    else:
        measure_memory(sys.argv[2], int(sys.argv[3]))
        sys.stdout.flush()
        os._exit(0)
