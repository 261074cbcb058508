"""Large graphs to measure with: gradients of transformers as deep as it takes."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

import numpy as np

from jaxscope.model import Capture, Cost, Environment, FunctionSource, Graph, Stage, StageText

_TRANSFORMER = Path(__file__).parents[1] / "samples" / "transformer.py"
_NODES_PER_LAYER = 205
"""Of the gradient's jaxpr on JAX 0.10.2."""


def make_graph(num_nodes: int) -> Graph:
    """The gradient's jaxpr of a transformer, of about so many nodes."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    from jaxscope.model.op_name import TagTable
    from jaxscope.worker.jaxpr_graph import convert_jaxpr

    names = runpy.run_path(str(_TRANSFORMER))
    names["loss"].__globals__["NUM_LAYERS"] = max(round(num_nodes / _NODES_PER_LAYER), 1)
    params = jax.eval_shape(names["init"], jax.random.key(0))
    text = jax.eval_shape(names["tokens"], jax.random.key(1))
    jaxpr = jax.make_jaxpr(jax.grad(names["loss"]))(params, text)
    return convert_jaxpr(jaxpr, tags=TagTable((), ()), is_base=True, is_derived=True).graph


def make_capture(graph: Graph, num_stages: int = 3) -> Capture:
    """A capture whose stages all show the same graph, each with a line of text per node."""
    lines = "\n".join(graph.strings[s] for s in graph.nodes.id.tolist())
    text = StageText(lines, np.arange(len(graph.nodes), dtype=np.int32))
    names = ("jaxpr", "grad", "optimized")[:num_stages]
    stages = tuple(Stage(name, name, text, graph, Cost(), 0.0) for name in names)
    return Capture(
        call="grad(loss)(params, text)",
        base="loss",
        transforms=("grad",),
        source=FunctionSource(),
        files=(),
        environment=Environment("", "", "", "cpu", "cpu"),
        target="cpu",
        arguments=(),
        results=(),
        stages=stages,
        fates={},
        checks=(),
        messages=(),
    )
