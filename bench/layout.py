"""How long views, layouts and first pictures take, without a window and without JAX.

Run `python bench/layout.py`. Prints CPU seconds, the median of a few runs. Reach, on 2 shared
cores: first picture 0.1 s at 1,000 nodes, 0.3 s at 10,000, 1 s at 50,000; full layout, everything
expanded, 0.1 s, 1 s and 5 s.
"""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable

from jaxscope.model import Direction, Graph, GraphBuilder, NodeKind
from jaxscope.picture.layout.diagram import Diagram, DiagramEdge
from jaxscope.picture.layout.engines import LayoutCache
from jaxscope.picture.layout.layered import layout_layered
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view

_BLOCK = (
    *("reduce_sum", "div", "sub", "integer_pow", "reduce_sum", "div", "add", "rsqrt", "mul"),
    *("mul", "dot_general", "slice", "slice", "reshape", "transpose", "reshape", "transpose"),
    *("dot_general", "div", "select_n", "reduce_max", "sub", "exp", "reduce_sum", "div"),
    *("dot_general", "transpose", "reshape", "dot_general", "add", "mul", "tanh", "mul", "add"),
    *("mul", "dot_general", "add"),
)


def transformer_gradient(num_layers: int) -> Graph:
    """A graph shaped like the gradient of a transformer: values of the forward part are used by
    the backward part, so that edges span the whole program."""
    builder = GraphBuilder()
    weights = [
        builder.add_node(f"in:{i}", NodeKind.INPUT, "input", types=["f32[64,64]"],
                         attributes={"path": f"params[{i}]"})
        for i in range(num_layers * 4)
    ]  # fmt: skip
    last = builder.add_node("in:x", NodeKind.INPUT, "input", types=["f32[2,16,64]"])
    saved: list[list[int]] = []
    count = 0

    def add(operation: str, layer: int, inputs: list[int], direction: Direction) -> int:
        nonlocal count
        part = "attention" if count % len(_BLOCK) < len(_BLOCK) * 2 // 3 else "mlp"
        node = builder.add_node(
            str(count), NodeKind.EQUATION, operation, name=f"v{count}", types=["f32[2,16,64]"],
            scope=[f"layer_{layer}", part], direction=direction,
        )  # fmt: skip
        count += 1
        for operand, source in enumerate(inputs):
            builder.add_edge(source, node, operand=operand, type="f32[2,16,64]")
        return node

    for layer in range(num_layers):
        row: list[int] = []
        for step, operation in enumerate(_BLOCK):
            inputs = [last]
            if operation == "dot_general":
                inputs.append(weights[layer * 4 + step % 4])
            elif step > 4 and step % 5 == 0:
                inputs.append(row[step - 4])
            last = add(operation, layer, inputs, Direction.FORWARD)
            row.append(last)
        saved.append(row)
    for layer in reversed(range(num_layers)):
        for step in reversed(range(len(_BLOCK))):
            last = add("mul", layer, [last, saved[layer][step]], Direction.BACKWARD)
            if step % 3 == 0:
                last = add("add_any", layer, [last], Direction.BACKWARD)
    out = builder.add_node("out:0", NodeKind.OUTPUT, "output", types=["f32[2,16,64]"])
    builder.add_edge(last, out)
    return builder.build()


def random_program(num_nodes: int) -> Diagram:
    """A flat diagram with local skips and a few long edges."""
    generator = random.Random(0)
    links = []
    for node in range(1, num_nodes):
        links.append(DiagramEdge(max(0, node - generator.choice((1, 1, 1, 2, 3, 5))), node))
        if node > 20 and generator.random() < 0.5:
            links.append(DiagramEdge(node - generator.randrange(2, 20), node, 1))
    return Diagram([140.0] * num_nodes, [40.0] * num_nodes, links)


def measure(work: Callable[[], object], runs: int) -> float:
    """Median CPU seconds of a piece of work."""
    seconds = []
    for _ in range(runs):
        gc.collect()
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def measure_gradient(num_layers: int) -> None:
    """Print the times of one graph: view, first picture, everything open, one group more."""
    graph = transformer_gradient(num_layers)
    runs = 5 if num_layers < 200 else 2
    view = build_view(graph)
    opened = view.all_groups()
    cache: LayoutCache = {}
    build_scene(view, cache=cache)
    more = view.opened | {next(b.id for b in view.boxes[1:] if b.children)}
    times = (
        measure(lambda: build_view(graph), runs),
        measure(lambda: build_scene(build_view(graph)), runs),
        measure(lambda: build_scene(view, opened), runs),
        measure(lambda: build_scene(view, more, cache=cache), runs),
    )
    columns = "".join(f"{seconds:>8.3f}s" for seconds in times)
    print(f"{'transformer gradient':28}{len(graph.nodes):>8,}{columns}")


def measure_flat(num_nodes: int) -> None:
    """Print the time of one flat diagram."""
    diagram = random_program(num_nodes)
    seconds = measure(lambda: layout_layered(diagram), 3)
    print(f"{'flat random program':28}{num_nodes:>8,}{'':18}{seconds:>8.3f}s")


def main() -> None:
    print(f"{'':28}{'nodes':>8}{'view':>9}{'first':>9}{'all open':>9}{'more':>9}")
    for num_layers in (11, 115, 575):
        measure_gradient(num_layers)
    for num_nodes in (1_000, 10_000):
        measure_flat(num_nodes)


if __name__ == "__main__":
    main()
