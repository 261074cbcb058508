"""Arguments and results have the same names in every stage, those of JAX for leaves of a tree."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path

import jax
import numpy as np
import pytest

from captures import taking
from jaxscope.model import Capture, Graph, NodeKind, is_available
from jaxscope.model.types import parse_array_type
from jaxscope.picture.view.build import build_view

SOURCE = """
import jax
import jax.numpy as jnp

def tree(x):
    return {
        "w": (x[:1], x[:2] * 2.0), "a": jnp.sin(x[:3]), "k": [x[:4], x[:5] @ x[:5] * x[:6]],
        "same": x[:4], "constant": jnp.ones(7), "given": x,
    }

def printing(x):
    jax.debug.print("{}", x[0], ordered=True)
    return {"b": x[:1] + 1.0, "a": (x[:2], x[:3])}

def loss(x):
    d = tree(x)
    return d["a"].sum(), d

def odd(params, unused, é):
    return sum(each.sum() for each in params.values()) + é

def single(x):
    return {"only": x * 2.0}
"""
OUTPUT = int(NodeKind.OUTPUT)
STAGES = ("stablehlo", "hlo", "optimized")


def list_results(graph: Graph) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and shapes: of HLO of the boxes that are drawn, else of the outputs of the program."""
    outputs = [node for node in range(len(graph.nodes)) if graph.nodes.kind[node] == OUTPUT]
    found = [(graph.attributes(node)["path"], graph.types(node)[0]) for node in outputs]
    if not outputs:
        found = [(box.label, box.type) for box in build_view(graph).boxes if box.type]
    for name, type_ in found:
        parsed = parse_array_type(type_)
        assert parsed is not None
        assert (name == "token") is (parsed.element == "token"), "of an effect that has an order"
        if name != "token":
            yield name, parsed.shape


@pytest.fixture(scope="module")
def capture() -> Iterator[Callable[..., Capture]]:
    with taking() as take:
        yield take


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("call", "transform"),
    [
        ("tree(f32[9])", lambda f: f["tree"]),
        ("printing(f32[9])", lambda f: f["printing"]),
        ("grad(loss, has_aux=True)(f32[9])", lambda f: jax.grad(f["loss"], has_aux=True)),
        ("single(f32[9])", lambda f: f["single"]),
    ],
)
def test_the_paths_of_results_lead_to_leaves_of_their_shapes(
    capture: Callable[..., Capture],
    tmp_path: Path,
    call: str,
    transform: Callable[..., Callable[..., object]],
) -> None:
    file = tmp_path / "program.py"
    file.write_text(SOURCE)
    function = transform(runpy.run_path(str(file)))
    told = jax.eval_shape(function, np.ones(9, np.float32))
    leaves, _ = jax.tree_util.tree_flatten_with_path(told)
    wanted = sorted((f"result{jax.tree_util.keystr(path)}", leaf.shape) for path, leaf in leaves)
    for stage in capture(file, call).stages:
        if stage.name in STAGES:
            assert is_available(stage.graph)
            assert sorted(list_results(stage.graph)) == wanted, stage.name


@pytest.mark.parametrize(
    "keys", [("w", "b"), ("it's", 'a"b', "back\\\\slash", "é", "new\nline", "\\\\41")]
)
def test_arguments_of_stablehlo_have_the_names_of_the_call(
    capture: Callable[..., Capture], tmp_path: Path, keys: tuple[str, ...]
) -> None:
    """One that is not used is no argument of the compiled program."""
    file = tmp_path / "program.py"
    file.write_text(SOURCE)
    params = ", ".join(f"{key!r}: f32[{size}, 1]" for size, key in enumerate(keys, 1))
    taken = capture(file, f"odd({{{params}}}, f32[99], f32[1, 1])")
    (graph,) = (stage.graph for stage in taken.stages if stage.name == "stablehlo")
    assert is_available(graph)
    found = {}
    for node in range(len(graph.nodes)):
        if graph.nodes.kind[node] == NodeKind.INPUT and "argument" in graph.attributes(node):
            parsed = parse_array_type(graph.types(node)[0])
            assert parsed is not None
            found[graph.attributes(node)["path"]] = parsed.shape
    tree = {"params": {key: np.ones((size, 1)) for size, key in enumerate(keys, 1)}}
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree["params"])
    wanted = {f"params{jax.tree_util.keystr(path)}": leaf.shape for path, leaf in leaves}
    assert found == wanted | {"é": (1, 1)}
