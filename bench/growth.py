"""How each step grows with the program: `python -m bench.growth [--short | NODES …]`.

For every step the seconds of processor time at each size, and the exponent from the first size to
the last, beside what n·log n allows there. Processor time and not wall time, so that other
programs at work change little. `--short` takes two sizes, half a minute in all, and ends with
status 1 if a step grows by more than n^0.3 faster than n·log n: CI runs it.

The graphs are gradients of transformers as deep as it takes (`graphs.py`); fates are found of
layers that are compiled for the purpose. Reading dumps has its own: `opening.py`.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.graphs import make_capture, make_graph
from jaxscope.export.capture_json import format_json
from jaxscope.export.html import capture_to_html
from jaxscope.model import Capture, Graph, is_available
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.program.diff.captures import ComparedCapture, compare_captures
from jaxscope.program.fates.table import find_all_fates
from jaxscope.program.links import LinkIndex, NodeSelection
from jaxscope.program.search import SearchIndex
from jaxscope.schema.archive import load_capture, save_capture

_SIZES = (1_000, 4_000, 16_000, 64_000)
_SHORT = (1_000, 8_000)
_LAYERS = (25, 100, 400)
_SHORT_LAYERS = (25, 100)
_EQUATIONS_PER_LAYER = 4
_SLACK = 0.3
_LEAST_S = 0.05
"""A step is repeated until it took so long in all: clocks of processor time have coarse steps."""


def measure(step: Callable[[], object]) -> float:
    """Seconds of processor time that a step takes, once."""
    gc.collect()
    count, begin = 0, time.process_time()
    while True:
        step()
        count += 1
        spent = time.process_time() - begin
        if spent >= _LEAST_S:
            return spent / count


def read_graph(num_nodes: int) -> tuple[int, dict[str, float]]:
    """The number of nodes, and seconds by step."""
    graph = make_graph(num_nodes)
    capture, longer = make_capture(graph), make_capture(make_graph(num_nodes + 205))
    view = build_view(graph)
    links = LinkIndex(capture.stages)
    middle = NodeSelection("jaxpr", (len(graph.nodes) // 2,))
    sides = ComparedCapture("a", capture), ComparedCapture("b", longer)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.jaxscope"
        found = {
            "view": measure(lambda: build_view(graph)),
            "first picture": measure(lambda: build_scene(build_view(graph))),
            "layout, all open": measure(lambda: build_scene(view, view.all_groups())),
            "links": measure(lambda: LinkIndex(capture.stages).find_links(middle)),
            "one selection": measure(lambda: links.find_links(middle)),
            "search": measure(lambda: _search(graph)),
            "comparison": measure(lambda: _compare(sides)),
            "saving": measure(lambda: save_capture(capture, path)),
            "reopening": measure(lambda: load_capture(path)),
            "JSON": measure(lambda: format_json(capture)),
            "HTML": measure(lambda: capture_to_html(capture)),
        }
    return len(graph.nodes), found


def _search(graph: Graph) -> object:
    return SearchIndex(graph).find("op:dot_general layer_1")


def _compare(sides: tuple[ComparedCapture, ComparedCapture]) -> object:
    return [stage.verdict for stage in compare_captures(*sides).stages]


def read_fates(num_layers: int) -> tuple[int, dict[str, float]]:
    """The number of equations, and seconds to find all fates of a compiled program."""
    capture = _compile_layers(num_layers)
    stage = capture.stage("jaxpr")
    assert stage is not None and is_available(stage.graph)
    return len(stage.graph.nodes), {"fates": measure(lambda: find_all_fates(capture.stages, None))}


def _compile_layers(num_layers: int) -> Capture:
    import jax
    import jax.numpy as jnp

    import jaxscope

    def layers(weights: list[jax.Array], x: jax.Array) -> jax.Array:
        for number in range(num_layers):
            x = jnp.tanh(x @ weights[number % len(weights)]) * (1.0 + number) + x
        return x

    return jaxscope.capture(layers, [jnp.ones((8, 8))] * 4, jnp.ones((8, 8)))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.growth")
    parser.add_argument("sizes", nargs="*", type=int, metavar="NODES", default=_SIZES)
    parser.add_argument("--short", action="store_true", help="two sizes, with an exit status")
    options = parser.parse_args()
    failed = []
    for read, sizes in (
        (read_graph, _SHORT if options.short else options.sizes),
        (read_fates, _SHORT_LAYERS if options.short else _LAYERS),
    ):
        found = [read(size) for size in sizes]
        few, many = found[0][0], found[-1][0]
        span = math.log(many / few)
        allowed = 1 + math.log(math.log(many, few)) / span
        print(f"{', '.join(f'{n:,}' for n, _ in found)} nodes; n·log n is n^{allowed:.2f}")
        for name, first in found[0][1].items():
            grown = math.log(found[-1][1][name] / first) / span
            times = ", ".join(f"{each[name]:.4g} s" for _, each in found)
            print(f"  {name:18} n^{grown:.2f}  {times}", flush=True)
            if grown > allowed + _SLACK:
                failed.append(name)
    if failed:
        print(f"too fast: {', '.join(failed)}")
    return bool(failed) and options.short


if __name__ == "__main__":
    sys.exit(main())
