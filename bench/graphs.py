"""Large graphs to measure with: gradients of transformers as deep as it takes, long loops
unrolled, and a step of MuJoCo MJX."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from jaxscope.client import one_shot
from jaxscope.errors import JaxscopeError
from jaxscope.model import Capture, Cost, Environment, FunctionSource, Graph, Stage, StageText

_TRANSFORMER = Path(__file__).parents[1] / "samples" / "transformer.py"
_STEP = Path(__file__).with_name("mjx_step.py")
_NODES_PER_LAYER = 205
"""Of the gradient's jaxpr on JAX 0.10.2."""
_NODES_PER_STEP = 3


PYTHON = os.environ.get("JAXSCOPE_BENCH_PYTHON", sys.executable)
"""The interpreter that MJX is looked for in."""


def make_graph(num_nodes: int) -> Graph:
    """The gradient's jaxpr of a transformer, of about so many nodes."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    names = runpy.run_path(str(_TRANSFORMER))
    names["loss"].__globals__["NUM_LAYERS"] = max(round(num_nodes / _NODES_PER_LAYER), 1)
    params = jax.eval_shape(names["init"], jax.random.key(0))
    text = jax.eval_shape(names["tokens"], jax.random.key(1))
    return _convert(jax.make_jaxpr(jax.grad(names["loss"]))(params, text))


def make_unrolled(num_nodes: int) -> Graph:
    """The jaxpr of a recurrence that Python unrolls, of about so many nodes: no scopes, no
    functions, nothing but one long program."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    def recur(weights: jax.Array, x: jax.Array) -> jax.Array:
        before = x
        for _ in range(num_nodes // _NODES_PER_STEP):
            x, before = jax.lax.tanh(jax.lax.dot(weights, x)) + before, x
        return x

    square, line = np.zeros((8, 8), np.float32), np.zeros(8, np.float32)
    return _convert(jax.make_jaxpr(recur)(square, line))


def make_step() -> tuple[Graph, ...]:
    """The graphs of an MJX step: as traced, and as XLA optimized it.

    Raises:
        LookupError: MJX is not installed, or what it makes cannot be shown; says which.
    """
    check = [PYTHON, "-c", "import mujoco.mjx"]
    if subprocess.run(check, capture_output=True, check=False).returncode:
        raise LookupError("MJX is not installed; JAXSCOPE_BENCH_PYTHON may name where it is")
    try:
        captured = one_shot.capture(str(_STEP), "step(data)", python=PYTHON)
    except JaxscopeError as error:
        raise LookupError(error.explanation.what) from error
    stages = (captured.stage(name) for name in ("jaxpr", "optimized"))
    return tuple(s.graph for s in stages if s is not None and isinstance(s.graph, Graph))


def _convert(jaxpr: Any) -> Graph:
    from jaxscope.model.op_name import TagTable
    from jaxscope.worker.stages.jaxpr import convert_jaxpr

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
