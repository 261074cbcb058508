"""Tests of compiling for chips that are not there; most need an optional compiler."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jaxscope.client import one_shot
from jaxscope.model import Capture, Graph, Stage, StageText
from jaxscope.worker.targets.ahead_of_time import find_missing

PROGRAM = """
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


def init(key, sizes=(64, 128, 64)):
    keys = jax.random.split(key, len(sizes))
    pairs = zip(keys, sizes, sizes[1:])
    return [{"w": jax.random.normal(k, (m, n)), "b": jnp.zeros(n)} for k, m, n in pairs]


def loss(params, x, y):
    for layer in params[:-1]:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    return jnp.mean((x @ params[-1]["w"] + params[-1]["b"] - y) ** 2)


def cut(x):
    mesh = jax.make_mesh((jax.device_count(),), ("rows",), axis_types=(AxisType.Auto,))
    return jax.device_put(x, NamedSharding(mesh, P("rows")))


def huge(x):
    big = jnp.broadcast_to(x, (4096, 1024, 1024))
    return jax.lax.optimization_barrier((big * 2, big + 1))


def rolled(w, xs):
    def step(h, x):
        h = jnp.tanh(h @ w + x)
        return h, h

    return jnp.mean(jax.lax.scan(step, jnp.zeros(16), xs)[1] ** 2)


# jaxscope: grad(loss)(init(key(0)), f32[32, 64], f32[32, 64])
"""
ON_ONE = "grad(loss)(init(key(0)), f32[32, 64], f32[32, 64])"
CUT = "grad(loss)(init(key(0)), cut(f32[32, 64]), cut(f32[32, 64]))"
LOOP = "grad(rolled)(f32[16, 16], f32[20, 16])"

needs_tpu_compiler = pytest.mark.skipif(
    bool(find_missing("tpu")), reason="needs libtpu (pip install 'jax[tpu]')"
)
needs_gpu_compiler = pytest.mark.skipif(
    bool(find_missing("gpu")),
    reason="needs the CUDA plugin (pip install 'jax[cuda12-local]' nvidia-cuda-nvcc-cu12)",
)


def stage_of(capture: Capture, name: str) -> Stage:
    """A stage that must be there."""
    stage = capture.stage(name)
    assert stage is not None
    return stage


def graph_of(capture: Capture, name: str = "optimized") -> Graph:
    """The graph of a capture's stage."""
    graph = stage_of(capture, name).graph
    assert isinstance(graph, Graph)
    return graph


def text_of(capture: Capture, name: str = "optimized") -> str:
    """The text of a capture's stage."""
    text = stage_of(capture, name).text
    assert isinstance(text, StageText)
    return text.text


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("aot") / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture(scope="session")
def compile_for(program: Path) -> Callable[..., Capture]:
    """Capture a call of the program for a target; each pair once."""
    known: dict[tuple[str, str], Capture] = {}

    def compile(target: str, call: str = ON_ONE) -> Capture:
        key = target, call
        if key not in known:
            known[key] = one_shot.capture(str(program), call, target=target)
        return known[key]

    return compile
