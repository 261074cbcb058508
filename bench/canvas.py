"""How long frames take while panning and zooming, everything expanded, in software rendering.

Run `python bench/canvas.py`, offscreen or on a display. Prints milliseconds of wall time per
frame at 1600 × 1000. Reach: median 16 ms, 99th percentile 33 ms.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.scene_index import SceneIndex
from layout import transformer_gradient

_SIZE_PX = (1600, 1000)
_NUM_FRAMES = 120


def moves(view: GraphCanvas) -> Iterator[tuple[str, Callable[[], None]]]:
    """Named ways to move, each called once per frame."""
    yield "pan, whole", lambda: view.pan(7, 3)
    yield "zoom in", lambda: view.zoom(1.04)
    yield "pan, near", lambda: view.pan(9, 14)
    yield "zoom out", lambda: view.zoom(1 / 1.06)


def run(view: GraphCanvas, move: Callable[[], None]) -> list[float]:
    """Milliseconds of each frame."""
    milliseconds = []
    for _ in range(_NUM_FRAMES):
        start = time.perf_counter()
        move()
        view.repaint()
        milliseconds.append((time.perf_counter() - start) * 1e3)
    return milliseconds


def measure_frames(app: QApplication, scene: Scene) -> None:
    view = GraphCanvas()
    view.resize(*_SIZE_PX)
    view.show()
    app.processEvents()
    index = SceneIndex(scene)
    start = time.perf_counter()
    view.show_scene(index, None)
    view.repaint()
    first = (time.perf_counter() - start) * 1e3
    view.fit()
    print(f"{len(scene.items):,} boxes, {len(scene.lines):,} lines; first frame {first:.0f} ms")
    ways = [*moves(view), ("pan, current", lambda: view.pan(7, 3))]
    for name, move in ways:
        if name == "pan, current":
            view.fit()
            QTest.keyClick(view, Qt.Key.Key_Down)  # a box is current from now on
        frames = sorted(run(view, move))
        late = frames[int(len(frames) * 0.99)]
        print(f"    {name:12} median {statistics.median(frames):5.1f} ms, 99 % {late:5.1f} ms")
    view.close()


def measure_first_picture(app: QApplication, num_layers: int) -> None:
    graph = transformer_gradient(num_layers)
    canvas = GraphCanvas()
    canvas.resize(*_SIZE_PX)
    canvas.show()
    app.processEvents()
    longest = 0.0
    start = last = time.perf_counter()
    canvas.set_graph(graph, "graph")
    while canvas.is_busy:
        time.sleep(0.002)  # a loop that never rests would take the interpreter from the layout
        app.processEvents()
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    canvas.repaint()
    seconds = time.perf_counter() - start
    print(f"first picture of {len(graph.nodes):,} nodes after {seconds:.3f} s; the window was"
          f" silent for at most {longest * 1e3:.0f} ms")  # fmt: skip
    canvas.close()


def main() -> None:
    app = QApplication([])
    for num_layers in (11, 115, 575):
        measure_first_picture(app, num_layers)
    for num_layers in (115, 575):
        view = build_view(transformer_gradient(num_layers))
        measure_frames(app, build_scene(view, view.all_groups()))


if __name__ == "__main__":
    main()
