"""How each step grows with the program: `python -m bench.growth [--short | NODES …]`.

For every step the seconds of processor time at each size, and the exponent from the first size to
the last, beside what n·log n allows there. Processor time and not wall time, so that other
programs at work change little. `--short` takes two sizes, half a minute in all, and ends with
status 1 if a step grows by more than n^0.3 faster than n·log n: CI runs it.

The graphs are gradients of transformers as deep as it takes (`graphs.py`); fates are found of
layers that are compiled for the purpose. Equations are tagged and read of a function that has each
on a line of its own, as no program that a loop makes. Reading dumps has its own: `opening.py`.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
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
_LINES = (500, 2_000, 8_000)
_SHORT_LINES = (500, 4_000)
_SLACK = 0.3
_LEAST_S = 0.05
"""A step is repeated until it took so long in all: clocks of processor time have coarse steps."""


def time_step(step: Callable[[], object]) -> float:
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
            "view": time_step(lambda: build_view(graph)),
            "first picture": time_step(lambda: build_scene(build_view(graph))),
            "layout, all open": time_step(lambda: build_scene(view, view.all_groups())),
            "links": time_step(lambda: LinkIndex(capture.stages).find_links(middle)),
            "one selection": time_step(lambda: links.find_links(middle)),
            "search": time_step(lambda: _search(graph)),
            "comparison": time_step(lambda: _compare(sides)),
            "saving": time_step(lambda: save_capture(capture, path)),
            "reopening": time_step(lambda: load_capture(path)),
            "JSON": time_step(lambda: format_json(capture)),
            "HTML": time_step(lambda: capture_to_html(capture)),
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
    return len(stage.graph.nodes), {
        "fates": time_step(lambda: find_all_fates(capture.stages, None))
    }


def read_lines(num_lines: int) -> tuple[int, dict[str, float]]:
    """The number of equations, each on a line of its own, and seconds to tag and to read them."""
    import jax.numpy as jnp

    from jaxscope.model.op_name import TagTable
    from jaxscope.worker.host.call import call_namespace, parse_call
    from jaxscope.worker.provenance.traced_program import trace_call
    from jaxscope.worker.stages.jaxpr import convert_jaxpr

    lines = "".join(f"    x = jnp.sin(x) * {number}.5\n" for number in range(num_lines))
    names = {"jnp": jnp}
    exec(compile(f"def long(x):\n{lines}    return x\n", "long.py", "exec"), names)
    program = trace_call(parse_call("long(f32[8])", call_namespace(names), file="long.py"))
    tags, jaxpr = TagTable(program.base_ids), program.base.jaxpr
    program.tag_derived()  # JAX looks up lines, by walking the function's code for each
    gc.freeze()  # collections of garbage then do not walk the program
    try:
        return len(jaxpr.eqns), {
            "tags": time_step(program.tag_derived),
            "reading a jaxpr": time_step(
                lambda: convert_jaxpr(jaxpr, tags=tags, is_base=True, is_derived=True)
            ),
        }
    finally:
        gc.unfreeze()


def _compile_layers(num_layers: int) -> Capture:
    import jax
    import jax.numpy as jnp

    import jaxscope

    def layers(weights: list[jax.Array], x: jax.Array) -> jax.Array:
        for number in range(num_layers):
            x = jnp.tanh(x @ weights[number % len(weights)]) * (1.0 + number) + x
        return x

    return jaxscope.capture(layers, [jnp.ones((8, 8))] * 4, jnp.ones((8, 8)))


@dataclasses.dataclass(frozen=True)
class Growth:
    """How the processor time of one step grows.

    Attributes:
        name: The step.
        sizes: Numbers of nodes.
        seconds: For each size.
        exponent: The power of n by which they grow from the first to the last.
        allowed: That of n·log n.
    """

    name: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    exponent: float
    allowed: float


def measure(
    sizes: tuple[int, ...] = _SIZES,
    layers: tuple[int, ...] = _LAYERS,
    lines: tuple[int, ...] = _LINES,
) -> Iterator[Growth]:
    """Every step with graphs of these sizes, fates of so many compiled layers, and so many lines of
    a function."""
    for read, wanted in ((read_lines, lines), (read_graph, sizes), (read_fates, layers)):
        found = [read(size) for size in wanted]
        nodes = tuple(number for number, _ in found)
        span = math.log(nodes[-1] / nodes[0])
        allowed = 1 + math.log(math.log(nodes[-1], nodes[0])) / span
        for name in found[0][1]:
            seconds = tuple(times[name] for _, times in found)
            grown = math.log(seconds[-1] / seconds[0]) / span
            yield Growth(name, nodes, seconds, grown, allowed)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.growth")
    parser.add_argument("sizes", nargs="*", type=int, metavar="NODES", default=_SIZES)
    parser.add_argument("--short", action="store_true", help="two sizes, with an exit status")
    options = parser.parse_args()
    sizes = _SHORT, _SHORT_LAYERS, _SHORT_LINES
    failed = []
    for each in measure(*sizes) if options.short else measure(tuple(options.sizes)):
        times = ", ".join(f"{seconds:.4g} s" for seconds in each.seconds)
        print(
            f"{each.name:18} n^{each.exponent:.2f} of n^{each.allowed:.2f}, "
            f"{' to '.join(f'{n:,}' for n in each.sizes)} nodes: {times}",
            flush=True,
        )
        if each.exponent > each.allowed + _SLACK:
            failed.append(each.name)
    if failed:
        print(f"too fast: {', '.join(failed)}")
    return bool(failed) and options.short


if __name__ == "__main__":
    sys.exit(main())
