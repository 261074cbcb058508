"""Measure what HLO costs on its way to the screen and to disk, on a transformer's gradient.

    python bench/hlo_interpretation.py [LAYERS]

Prints a table: converting a module to a graph, linking its text, costing its instructions beside
XLA's own whole-module analysis, saving and reopening, and the contract's JSON. Twelve layers
compile for some ten seconds.
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Capture, Cost, Environment, FunctionSource, Graph, Stage, StageText
from jaxscope.model.op_name import TagTable
from jaxscope.program.hlo.graph import convert_hlo, link_hlo_lines
from jaxscope.schema.archive import load_capture, save_capture
from jaxscope.worker import compat
from jaxscope.worker.stages.hlo_cost import instruction_costs, module_cost

WIDTH, HEADS, LENGTH, BATCH = 64, 4, 16, 2
REPETITIONS = 3
NO_BUDGET_S = 600.0

T = TypeVar("T")


def normalize(x: Any, gain: Any) -> Any:
    """Layer normalization without an offset."""
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * gain


def layer(x: Any, weights: Any) -> Any:
    """One layer of a causal transformer."""
    query, key, value, out, up, down, gain, second_gain = weights

    def split(y: Any) -> Any:
        return y.reshape(BATCH, LENGTH, HEADS, WIDTH // HEADS)

    h = normalize(x, gain)
    scores = jnp.einsum("bqhd,bkhd->bhqk", split(h @ query), split(h @ key))
    masked = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(masked), split(h @ value))
    x = x + mixed.reshape(x.shape) @ out
    return x + jax.nn.gelu(normalize(x, second_gain) @ up) @ down


def loss(layers: Any, x: Any) -> Any:
    """Mean square of the last layer's output."""
    for weights in layers:
        x = layer(x, weights)
    return (x**2).mean()


def best_of(function: Callable[[], T]) -> tuple[T, float]:
    """The result and the shortest of a few runs, wall seconds."""
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return result, min(times)


def measure_module(name: str, module: Any) -> Stage:
    """Print what a module takes; returns its stage."""
    proto, text = bytes(module.as_serialized_hlo_module_proto()), module.to_string()
    client = compat.cpu_client()
    graph, convert_s = best_of(lambda: convert_hlo(proto, TagTable(), None, None, name))
    lines, link_s = best_of(lambda: link_hlo_lines(text, graph))
    costs, cost_s = best_of(lambda: instruction_costs(proto, client=client, budget_s=NO_BUDGET_S))
    _, module_s = best_of(lambda: module_cost(client, proto))
    print(
        f"{name:10} {len(graph.nodes):7,} {len(proto) / 1e6:8.2f} {convert_s:9.3f} "
        f"{link_s:8.3f} {cost_s:8.3f} {module_s:12.3f}"
    )
    graph = graph.replace_nodes(cost=costs)
    return Stage(name, name, StageText(text, lines), graph, Cost(), 0.0)


def measure_capture(stages: tuple[Stage, ...]) -> None:
    """Print what saving, reopening and writing JSON take."""
    capture = Capture(
        call="grad(loss)(layers, x)",
        base="loss",
        transforms=("grad",),
        source=FunctionSource(),
        files=(),
        environment=Environment(jax.__version__, "", "", "cpu", ""),
        target="cpu",
        arguments=(),
        results=(),
        stages=stages,
        fates={},
        checks=(),
        messages=(),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "capture.jaxscope"
        _, save_s = best_of(lambda: save_capture(capture, path))
        _, load_s = best_of(lambda: load_capture(path))
        size = path.stat().st_size
    out, json_s = best_of(lambda: json.dumps(capture_to_json(capture), allow_nan=False))
    graphs = [stage.graph for stage in stages if isinstance(stage.graph, Graph)]
    print(f"\n{sum(len(graph.nodes) for graph in graphs):,} nodes in {len(stages)} stages")
    print(f"save {save_s:.3f} s, reopen {load_s:.3f} s, {size / 1e6:.2f} MB")
    print(f"JSON {json_s:.3f} s, {len(out) / 1e6:.1f} MB")


def main(arguments: list[str]) -> None:
    """Measure modules before and after optimization, then a capture of both."""
    num_layers = int(arguments[0]) if arguments else 12
    square, wide = (WIDTH, WIDTH), (WIDTH, 4 * WIDTH)
    shapes = (square, square, square, square, wide, wide[::-1], (WIDTH,), (WIDTH,))
    layers = [tuple(jnp.ones(shape) for shape in shapes) for _ in range(num_layers)]
    lowered = jax.jit(jax.grad(loss)).lower(layers, jnp.ones((BATCH, LENGTH, WIDTH)))
    before = compat.hlo_module_of(lowered, compat.module_bytecode(lowered))
    start = time.perf_counter()
    after = compat.optimized_module_of(lowered.compile())
    print(f"{num_layers} layers, compiled in {time.perf_counter() - start:.1f} s\n")
    print("module       nodes       MB   graph s  links s  costs s  one cost s")
    stages = (measure_module("hlo", before), measure_module("optimized", after))
    measure_capture(stages)


if __name__ == "__main__":
    main(sys.argv[1:])
