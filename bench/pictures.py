"""How fast graphs become pictures, and how fast big captures answer.

python -m bench.pictures NUM_NODES     readings for a graph of that size, as JSON
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.graphs import make_capture, make_graph
from bench.layout import measure
from jaxscope.analysis.archive import load_capture, save_capture
from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.links import LinkIndex, NodeSelection
from jaxscope.analysis.search import SearchIndex
from jaxscope.analysis.view.build import build_view
from jaxscope.model import Graph

_NUM_FRAMES = 100


def read_graph(num_nodes: int) -> dict[str, float]:
    """All readings for one size."""
    graph = make_graph(num_nodes)
    view = build_view(graph)
    readings = {
        "nodes": float(len(graph.nodes)),
        "first_picture": measure(lambda: build_scene(build_view(graph)), 3),
        "full_layout": measure(lambda: build_scene(view, view.all_groups()), 1),
    }
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

    from jaxscope.ui.graph.canvas import GraphCanvas

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
    index = SearchIndex(graph)
    index.find("dot")  # what is prepared once per graph is not typing
    return {
        "search": measure(lambda: index.find("dot -> *"), 5),
        "frame_median": frames[len(frames) // 2],
        "frame_p99": frames[int(len(frames) * 0.99)],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def _wait_for_scene(application: Any, canvas: Any, limit_s: float = 120.0) -> None:
    deadline = time.monotonic() + limit_s
    while canvas.is_busy or canvas.scene is None:
        if time.monotonic() > deadline:
            raise TimeoutError("the graph was not laid out in time")
        application.processEvents()
        time.sleep(0.002)


if __name__ == "__main__":
    print(json.dumps(read_graph(int(sys.argv[1]))))
