"""How long the window's main thread is away at a time, and what it did meanwhile.

    python -m bench.stalls [NAME …]         all programs, or those whose name has NAME
    python -m bench.stalls --from FOLDER …  the same with the jaxscope of another checkout

Each program gets a window of its own, with an event loop of its own, which is used as a person
would: open, select, switch stages and forms, open and close groups, search, open every page,
export, change the theme. A timer of 16 ms ticks meanwhile. Where it was late by more than 50 ms, a
watcher thread had looked every few milliseconds where the main thread was. Time in which the
main thread waited for a processor, since other programs had them, is told apart and not counted.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import functools
import gc
import json
import operator
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
TICK_MS = 16
WANTED_MS = 50.0
_LOOK_S = 0.004
_LATE_S = 0.028
"""Since the last tick: from then on the main thread is looked at."""
_IDLE = "event loop"
_WAITING = ("threading.py", "selectors.py", "socket.py", "frames.py")
"""Modules in which a thread waits for something."""
_PATIENCE_S = 120.0
_REST_S = 0.6
"""What a step sets off comes soon after it."""
_FAULTS = (
    *("raises_at_import", "segfaults", "floods_stdout", "prints_one_huge_line", "recurses"),
    *("writes_garbage", "huge_exception", "wrong_shapes", "eats_memory", "nests_jits_too_deep"),
)
_SAMPLES = {
    "quick_start.py": "simple_graph(f32[3])",
    "transformer.py": "grad(loss)(init(key(0)), tokens(key(1)))",
}
_LINE = (
    "import jax.numpy as jnp\n\n\ndef line(x):\n    for _ in range(5_000):\n"
    "        x = jnp.sin(x) + 1.0\n    return x\n"
)
_LONG, _MADE = "10,000 in a line", "three stages of 44,057 nodes"
FAULTS = "faults"
NAMES = (*_SAMPLES, _LONG, _MADE, FAULTS)

Steps = Iterator[tuple[str, Callable[[], object], Callable[[], bool]]]
"""What is done, by name, and when it is over."""


@dataclasses.dataclass(frozen=True)
class Gap:
    """Between two ticks.

    Attributes:
        step: What was done last.
        ms: Of the clock, but without `queued_ms`.
        main_ms: Of a processor, by the main thread.
        others_ms: The same, by other threads of the window.
        gc_ms: In Python's collector, which holds all threads up, whichever it runs in.
        queued_ms: In which the main thread could have run, but had no processor.
        cause: Where the main thread was most of the time, the innermost first.
    """

    step: str
    ms: float
    main_ms: float
    others_ms: float
    gc_ms: float
    queued_ms: float
    cause: str

    def told(self) -> str:
        """Whose time it was, and where the main thread was."""
        return (
            f"main {self.main_ms:.0f}, others {self.others_ms:.0f}, collector {self.gc_ms:.0f}, "
            f"queued {self.queued_ms:.0f}: {self.cause}"
        )


NO_GAP = Gap("", 0.0, 0.0, 0.0, 0.0, 0.0, "")


def _queued_s() -> float:
    return int(Path("/proc/self/schedstat").read_text("ascii").split()[1]) / 1e9


Stacks = dict[int, tuple[str, ...]]
"""Where threads are by their numbers, the innermost call first."""


class Probe:
    """Ticks, and looks at all threads where a tick is late."""

    def __init__(self) -> None:
        self.step, self.gaps, self.num_ticks = "start", list[Gap](), 0
        self._looks: list[Stacks] = []
        self._gc_s = self._gc_began = self._queued_s = 0.0
        self._main = threading.main_thread().ident or 0
        self._written, self._lock = os.memfd_create("stacks"), threading.Lock()
        self._last = self._read()
        gc.callbacks.append(self._on_gc)
        threading.Thread(target=self._watch, daemon=True).start()

    def _read(self) -> tuple[float, ...]:
        now, main = time.monotonic(), time.thread_time()
        return now, main, time.process_time() - main, self._gc_s, self._queued_s

    def tick(self) -> None:
        now = self._read()
        whole, main, others, gc_s, queued = (
            1000 * each for each in map(operator.sub, now, self._last)
        )
        looks, self._looks = self._looks, []
        if whole - queued > WANTED_MS:
            looks = looks or [self._look()]
            calls = [look.get(self._main, ()) for look in looks]
            cause = _name_cause(calls)
            if main + others < WANTED_MS and cause.startswith(_IDLE):
                queued = whole - main - others  # nothing of the window ran, nor waited in a call
            if main < others:  # one that did not let the interpreter go has just done so
                cause += f"; meanwhile {self._name_busy(looks[-1])}"
            if whole - queued > WANTED_MS:
                gap = Gap(self.step, whole - queued, main, others, gc_s, queued, cause)
                self.gaps.append(gap)
        self.num_ticks += 1
        self._last = self._read()

    def _on_gc(self, phase: str, _about: object) -> None:
        if phase == "start":
            self._gc_began = time.monotonic()
        else:
            self._gc_s += time.monotonic() - self._gc_began

    def _watch(self) -> None:
        while True:
            time.sleep(_LOOK_S)
            self._queued_s = _queued_s()  # not in the main thread: reading lets others go first
            if time.monotonic() - self._last[0] >= _LATE_S:
                self._looks.append(self._look())

    def _look(self) -> Stacks:
        """Written by the interpreter: Python's own frames would keep a painter alive too long."""
        with self._lock:  # both threads look
            os.ftruncate(self._written, 0)
            os.lseek(self._written, 0, os.SEEK_SET)
            faulthandler.dump_traceback(self._written, all_threads=True)
            text = os.pread(self._written, 1_000_000, 0).decode("utf-8", "replace")
        found: Stacks = {}
        for part in text.split("\n\n"):
            head, _, rest = part.partition("\n")
            lines = rest.splitlines()
            if (number := re.search("0x[0-9a-f]+", head)) is not None:
                found[int(number[0], 16)] = tuple(filter(None, map(_name_line, lines)))
        return found

    def _name_busy(self, look: Stacks) -> str:
        found = []
        for thread in threading.enumerate():
            calls = look.get(thread.ident or 0, ())
            if thread.ident != self._main and calls and not calls[0].startswith(_WAITING):
                found.append(f"{thread.name} in {' < '.join(calls[:4])}")
        return ", ".join(found) or "no other thread"


def _name_line(line: str) -> str:
    """A line of a traceback as file, line and call; empty for what says nothing."""
    found = re.match(r'  File "(.*)", line (\d+) in (.*)', line)
    if found is None or found[1].startswith("<") or "bench/stalls" in found[1]:
        return ""
    path, number, call = found.groups()
    name = path.rpartition("jaxscope/")[2] if "/jaxscope/" in path else Path(path).name
    return f"{name}:{number} {call}"


def _name_cause(looks: list[tuple[str, ...]]) -> str:
    """The calls that half of the looks have in common, and where they ended."""
    path: list[str] = []
    left = [[_without_line(call) for call in look[::-1]] for look in looks]
    while deeper := [look for look in left if len(look) > len(path)]:
        ((call, count),) = Counter(look[len(path)] for look in deeper).most_common(1)
        if count < len(looks) / 2:
            break
        left = [look for look in deeper if look[len(path)] == call]
        path.append(call)
    ends = Counter(look[0] if look else "event loop" for look in looks).most_common(3)
    told = ", ".join(f"{count}/{len(looks)} {end}" for end, count in ends)
    return f"{' < '.join(path[:1:-1][:7]) or _IDLE} | {told}"


def _without_line(call: str) -> str:
    return re.sub(":[0-9]+ ", " ", call)


def _drive(name: str, told: Path) -> None:
    """Launch a window as the command line does, and use it; writes gaps to a file."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from jaxscope.ui import launch

    launch.load_qt()  # first, as `open_window` does: without it PySide reads what is imported
    from jaxscope.ui import application

    folder, build = told.parent, application.build_window
    path, call = _find_program(name, folder)

    def build_used(*about: Any, **options: Any) -> Any:
        window = build(*about, **options)
        window.resize(1600, 1000)
        use = _suffer(window, Path(path)) if name == "faults" else _use(window, call, folder)
        _tick(window, use, told)
        return window

    application.build_window = build_used
    launch.open_window(path, call, settings_file=str(folder / "window.json"))


def _find_program(name: str, folder: Path) -> tuple[str, str | None]:
    """The file of a program, and the call; None for a saved capture."""
    if name in _SAMPLES:
        return str(_ROOT / "samples" / name), _SAMPLES[name]
    if name == _MADE:
        return os.environ["BENCH_MADE"], None
    path = folder / "line.py"
    path.write_text(_LINE, "utf-8")
    return str(path), "line(f32[64])" if name == _LONG else "line(f32[2])"


def _tick(window: Any, steps: Steps, told: Path) -> None:
    """From the first turn of the event loop on, until no step is left."""
    from PySide6.QtCore import Qt, QTimer

    probe: list[Probe] = []
    is_over: Callable[[], bool] = lambda: True  # noqa: E731
    since = began = time.monotonic()

    def tick() -> None:
        nonlocal is_over, since, began
        if not probe:
            probe.append(Probe())
        probe[0].tick()
        now = time.monotonic()
        if now - began > _PATIENCE_S:
            print(f"{probe[0].step}: did not end", file=sys.stderr)
        elif not is_over():
            since = now
            return
        elif now - since < _REST_S:
            return
        step = next(steps, None)
        if step is None:
            gaps = [dataclasses.asdict(gap) for gap in probe[0].gaps]
            told.write_text(json.dumps([probe[0].num_ticks, gaps]), "utf-8")
            window.close()
            return
        since = began = now
        probe[0].step, act, is_over = step
        act()

    timer = QTimer(window, interval=TICK_MS, timerType=Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start()


def _is_still(window: Any) -> bool:
    """Whether nothing runs, all is drawn, and all that is made unseen is made."""
    state = window.controller.state
    canvases = [c for c in window.workspace.area.canvases() if c.isVisible()]
    return (
        not state.is_running
        and bool(window.workspace.area.panes)
        and all(not canvas.is_busy for canvas in canvases)
        and not window._unseen.isActive()
        and not window.workspace._settle.isActive()
    )


def _use(window: Any, call: str | None, folder: Path) -> Steps:
    """Use all that a window has."""
    from jaxscope.ui.panes.pane_header import Form

    area, workspace = window.workspace.area, window.workspace
    at_once = lambda: True  # noqa: E731

    def is_still() -> bool:
        return _is_still(window)

    def has_run() -> bool:
        return window.controller.state.capture is not None and is_still()

    yield "open", lambda: None, has_run
    if call:
        yield "run again", window.run_call, has_run
    yield "first fate", lambda: _select_first(window), lambda: _knows_fate(window)
    yield "select none", workspace.selection.clear, is_still
    stages = [stage.name for stage in window.controller.state.stages]
    graphs = [
        s.name
        for s in window.controller.state.stages
        if s.graph is not None and hasattr(s.graph, "nodes") and len(s.graph.nodes)
    ]
    for stage in stages:
        yield f"stage {stage}", lambda stage=stage: workspace.show_stage(stage), is_still
    for stage in graphs:
        yield f"back to {stage}", lambda stage=stage: workspace.show_stage(stage), is_still
        break
    for form in (Form.TEXT, Form.TABLE, Form.TREE, Form.GRAPH):
        yield f"form {form.value}", lambda form=form: workspace.set_form(form), is_still
        if form is not Form.GRAPH:
            for typed in ("d", "do", "dot"):
                search = lambda typed=typed: area.active.header.search.setText(typed)  # noqa: E731
                yield f"search in {form.value}", search, at_once
            yield "end of search", lambda: area.active.header.search.clear(), at_once
    for stage in graphs[1:]:
        yield f"to {stage}", lambda stage=stage: workspace.show_stage(stage), is_still
        open_it = functools.partial(_toggle_largest, area, stage)
        yield f"open largest of {stage}", open_it, is_still
        yield f"close largest of {stage}", open_it, is_still
    yield "back again", lambda: workspace.show_stage(graphs[0]), is_still
    yield "search in graph", lambda: area.active.header.search.setText("a"), is_still
    yield "end of search", lambda: area.active.header.search.clear(), is_still
    canvas = area.active.canvas
    if canvas is not None and canvas.view is not None:
        count = len(canvas.view.graph.nodes) if hasattr(canvas.view, "graph") else 2
        for node in (0, count // 2):
            yield (
                "select",
                lambda node=node: workspace.selection.select_node(area.active.stage_name, node),
                is_still,
            )
        yield "select none", workspace.selection.clear, is_still
        for group in sorted(canvas.view.all_groups())[:3]:
            yield "open group", lambda group=group: canvas.toggle_group(group), is_still
            yield "close group", lambda group=group: canvas.toggle_group(group), is_still
        yield "open many", canvas.expand_many, is_still
        yield "zoom", canvas.zoom_in, is_still
        yield "pan", lambda: canvas.pan(300.0, 300.0), is_still
        yield "fit", canvas.fit, is_still
        yield "open all", canvas.expand_all, is_still
        yield "fit all", canvas.fit, is_still
        yield "close all", canvas.collapse_all, is_still
        yield "reset", canvas.reset_expanded, is_still
    for page in window.pages:
        yield f"page {page}", lambda page=page: window.pages.show_page(page), is_still
    yield "program", lambda: workspace.show_stage(graphs[0]), is_still
    for page in list(window.pages)[:4]:
        yield f"again page {page}", lambda page=page: window.pages.show_page(page), is_still
    yield "drawer closed", window.pages.close_drawer, is_still
    from jaxscope.picture.tint.classes import ColourBy

    for by in ColourBy:
        yield f"colour by {by.value}", lambda by=by: workspace.colour_graphs(by), is_still
    for ending in ("svg", "html", "png", "pdf", "json"):
        export = lambda ending=ending: window.files.export(str(folder / f"e.{ending}"))  # noqa: E731
        yield f"export {ending}", export, lambda: not window.files.exporter.is_running
    save = lambda: window.files.save(str(folder / "saved.jaxscope"))  # noqa: E731
    yield "save", save, (folder / "saved.jaxscope").exists
    yield "palette", window.show_palette, at_once
    yield "palette closed", window._palette.close, at_once
    yield "theme", window.toggle_theme, is_still
    yield "larger type", window.zoom_in, is_still
    yield "another pane", window.commands.actions["add_pane"].trigger, is_still
    yield "pane closed", window.close_pane, is_still
    for stage in graphs[::-1][:1]:
        yield "stage beside", lambda stage=stage: window._show_beside(stage), is_still
    present = window.commands.actions["toggle_presenting"].trigger
    yield "present", present, is_still
    yield "present ended", present, is_still
    yield "smaller window", lambda: window.resize(1100, 700), is_still
    yield "close file", window.controller.close_file, is_still


def _toggle_largest(area: Any, stage: str) -> None:
    """Open or close the group that holds most of a stage, such as the gradient's loop."""
    canvas = next(pane.canvas for pane in area.panes if pane.wanted_stage == stage)
    boxes = canvas.view.boxes
    groups = [box for box in boxes.groups if box and boxes[box].id]
    if groups:
        canvas.toggle_group(boxes[max(groups, key=lambda box: boxes.num_counted[box])].id)


def _select_first(window: Any) -> None:
    """Select the first equation of the base function.

    To tell its fate the window finds the fates of all equations.
    """
    from jaxscope.model import NodeKind

    graph = window.workspace.selection.graph_of("jaxpr")
    first = int((graph.nodes.kind == NodeKind.EQUATION).argmax())
    window.workspace.selection.select_node("jaxpr", first)


def _knows_fate(window: Any) -> bool:
    fates = window.workspace.fates
    return bool(fates.problem or fates.names_of("jaxpr"))


def _suffer(window: Any, path: Path) -> Steps:
    """A normal run, then one fault after another in the same file."""
    from tests.faults.catalogue import ROWS
    from tests.faults.window_scene import WORKS, WORKS_CALL

    rows = {row.name: row for row in ROWS}

    def is_still() -> bool:
        return _is_still(window)

    yield "open", lambda: None, is_still
    for name in _FAULTS:
        fault = rows[name]

        def suffer(fault: Any = fault) -> None:
            fault.put(path)
            window.call_bar.set_call(fault.call or WORKS_CALL)
            window.run_call()

        yield f"fault {name}", suffer, is_still

        def work() -> None:
            path.write_text(WORKS, "utf-8")
            window.call_bar.set_call(WORKS_CALL)
            window.run_call()

        yield "normal run", work, is_still


def measure(name: str, root: Path) -> tuple[int, list[Gap]]:
    """Ticks, and gaps of a program in a window of its own."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "HOME": folder,
            "XDG_CONFIG_HOME": folder,
            "PYTHONPATH": str(root),
            "JAX_PLATFORMS": "cpu",
        }
        if name == _MADE:
            environment["BENCH_MADE"] = made = os.path.join(folder, "made.jaxscope")
            make = (
                "import sys; from pathlib import Path;"
                "from bench.graphs import make_capture, make_graph;"
                "from jaxscope.schema.archive import save_capture;"
                "save_capture(make_capture(make_graph(50_000)), Path(sys.argv[1]))"
            )
            subprocess.run([sys.executable, "-c", make, made], cwd=root, check=True)
        told = Path(folder, "gaps")
        run = f"import runpy; runpy.run_path({__file__!r}, run_name='__main__')"
        command = [sys.executable, "-c", run, "--drive", name, str(told)]
        subprocess.run(command, cwd=root, env=environment, check=True, timeout=1200)
        num_ticks, gaps = json.loads(told.read_text("utf-8"))
        return num_ticks, [Gap(**gap) for gap in gaps]


def main(words: list[str]) -> None:
    """Print what was found, the longest first."""
    root = _ROOT
    if words[:1] == ["--from"]:
        root, words = Path(words[1]).resolve(), words[2:]
    for name in NAMES:
        if words and not any(word in name for word in words):
            continue
        num_ticks, gaps = measure(name, root)
        for gap in sorted(gaps, key=lambda gap: -gap.ms):
            print(f"  {gap.ms:5.0f} ms  {gap.step:28} {gap.told()}")
        longest = max((gap.ms for gap in gaps), default=0.0)
        print(
            f"{name}: {num_ticks} ticks, {len(gaps)} gaps above {WANTED_MS:.0f} ms, longest "
            f"{longest:.0f} ms, together {sum(gap.ms for gap in gaps):.0f} ms",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--drive"]:
        _drive(sys.argv[2], Path(sys.argv[3]))
        sys.stdout.flush()
        os._exit(0)
    main(sys.argv[1:])
