"""How fast graphs become pictures, and how fast big captures answer.

python -m bench.pictures transformer NUM_NODES    a gradient of that size: all readings, as JSON
python -m bench.pictures unrolled NUM_NODES       an unrolled loop: its pictures only
python -m bench.pictures step 0                   an MJX step, or `skipped` and why
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.graphs import make_capture, make_graph, make_step, make_unrolled
from bench.layout import measure
from jaxscope.model import Graph
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.first_picture import Arranged, Arranger, Viewport
from jaxscope.picture.scene.group_layout import DOWN
from jaxscope.picture.view.build import build_view
from jaxscope.program.links import LinkIndex, NodeSelection
from jaxscope.program.search import SearchIndex
from jaxscope.schema.archive import load_capture, save_capture

_ROOM = Viewport(900.0, 700.0)
_NUM_FRAMES = 100
_NUM_TOGGLES = 2


def read_pictures(graph: Graph) -> dict[str, float]:
    """The first picture of a graph, as a pane gets it, and the one with everything open."""
    view = build_view(graph)

    def choose() -> Arranged:
        return Arranger(build_view(graph), _ROOM, DOWN, {}, lambda: False).choose()

    return {
        "nodes": float(len(graph.nodes)),
        "first_picture": measure(choose, 3),
        "full_layout": measure(lambda: build_scene(view, view.all_groups()), 1),
    }


def read_step() -> dict[str, Any]:
    """Pictures of both stages of an MJX step, the slower one's times."""
    try:
        found = [read_pictures(graph) for graph in make_step()]
    except LookupError as error:
        return {"skipped": str(error)}
    slowest: dict[str, Any] = {key: max(each[key] for each in found) for key in found[0]}
    return slowest | {"nodes": min(each["nodes"] for each in found)}


def read_graph(num_nodes: int) -> dict[str, float]:
    """All readings for one size."""
    graph = make_graph(num_nodes)
    readings = read_pictures(graph)
    capture = make_capture(graph)
    links = LinkIndex(capture.stages)
    middle = NodeSelection("jaxpr", (len(graph.nodes) // 2,))
    readings["selection"] = measure(lambda: links.find_links(middle), 20)
    readings |= _read_archive(capture) | _read_window(graph)
    return readings


def _read_archive(capture: Any) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.jaxscope"
        return {
            "save": measure(lambda: save_capture(capture, path), 1),
            "load": measure(lambda: load_capture(path), 1),
            "file_mb": path.stat().st_size / 1e6,
        }


def _read_window(graph: Graph) -> dict[str, float]:
    """Search, and frames while panning over the expanded graph, in an offscreen window."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtGui import QImage
    from PySide6.QtWidgets import QApplication

    from jaxscope.ui.canvas.graph_canvas import GraphCanvas

    application = QApplication([])
    canvas = GraphCanvas()
    canvas.resize(1600, 1000)
    canvas.set_graph(graph, "bench")
    canvas.show()
    _wait_for_scene(application, canvas)
    canvas.expand_all()
    _wait_for_scene(application, canvas)
    image = QImage(1600, 1000, QImage.Format.Format_ARGB32_Premultiplied)
    frames = []
    for number in range(_NUM_FRAMES):
        canvas.pan(37.0 if number % 3 else -61.0, -53.0)
        if number % 10 == 0:
            canvas.zoom(1.25 if number % 20 else 0.8)
        start = time.perf_counter()
        canvas.render(image)
        frames.append(time.perf_counter() - start)
        application.processEvents()
    frames.sort()
    moved = _read_moves(canvas, image)
    index = SearchIndex(graph)
    index.find("dot")  # what is prepared once per graph is not typing
    return {
        "highlight": _read_highlight(canvas, image),
        "search": measure(lambda: index.find("dot -> *"), 5),
        "frame_median": frames[len(frames) // 2],
        "frame_p99": frames[int(len(frames) * 0.99)],
        "opening_p99": moved[int(len(moved) * 0.99)],
    }


def _read_highlight(canvas: Any, image: Any) -> float:
    """Median wall seconds from a selection to the frame that shows it, everything open."""
    num = len(canvas.scene.item_of_node)
    seconds = []
    for start in range(20):
        nodes = range(start, num, max(num // 1000, 1))
        begun = time.perf_counter()
        canvas.set_highlight(nodes, (), ())
        canvas.render(image)
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds)


def _read_moves(canvas: Any, image: Any) -> list[float]:
    """Frames while groups close and open again, everything around them open, in rising order."""
    from PySide6.QtWidgets import QApplication

    frames: list[float] = []
    for number in range(_NUM_TOGGLES):
        items = canvas.scene.items
        leaf = items.num_frames + len(items) // (number + 3)
        canvas.set_highlight([int(items.node[leaf])], (), ())
        canvas.zoom_to_selection()
        group = items.ids[int(items.parent[leaf])]
        for _ in range(2):  # closed, and open again
            canvas.toggle_group(group)
            _wait_for_scene(QApplication.instance(), canvas)
            while canvas.is_moving:
                start = time.perf_counter()
                canvas.render(image)
                frames.append(time.perf_counter() - start)
    return sorted(frames)


def _wait_for_scene(application: Any, canvas: Any, limit_s: float = 120.0) -> None:
    deadline = time.monotonic() + limit_s
    while canvas.is_busy or canvas.scene is None:
        if time.monotonic() > deadline:
            raise TimeoutError("the graph was not laid out in time")
        application.processEvents()
        time.sleep(0.002)


if __name__ == "__main__":
    kind, size = sys.argv[1], int(sys.argv[2])
    read = {
        "transformer": lambda: read_graph(size),
        "unrolled": lambda: read_pictures(make_unrolled(size)),
        "step": read_step,
    }[kind]
    print(json.dumps(read()))
