"""Functions that libraries jit: arguments and results have the names that are in the program.

Each name is tried as Python on the program's own objects: what it gives has the type that the
capture states, and no two arrays have the same type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jaxscope
from jaxscope.model import Capture, Graph, Leaf, is_available
from jaxscope.model.types import normal_type
from jaxscope.program.recompilation import describe_key_change
from jaxscope.schema.archive import load_capture


def check_names(leaves: tuple[Leaf, ...], objects: Mapping[str, Any]) -> None:
    for leaf in leaves:
        value = eval(leaf.path, dict(objects))
        shape = ",".join(map(str, value.shape))
        assert leaf.type == f"{value.dtype.kind}32[{shape}]", leaf.path


def parameters_of(graph: Graph) -> dict[str, str]:
    """Type of each argument of a graph, by where it is said to sit in the call."""
    nodes = [
        node
        for node in range(len(graph.nodes))
        if graph.operation(node) == "parameter" or graph.attributes(node).get("path")
    ]
    return {graph.argument_path(node): graph.types(node)[0] for node in nodes}


def caught(folder: Path) -> Capture:
    return load_capture(folder / "step.jaxscope")


def check_stages(capture: Capture) -> None:
    """The stages call the arguments as the capture does, and their texts as JAX and XLA do."""
    wanted = {leaf.path: normal_type(leaf.type) for leaf in capture.arguments if not leaf.is_static}
    for stage in ("jaxpr", "hlo", "optimized"):
        graph = capture.stage(stage).graph
        assert is_available(graph)
        found = parameters_of(graph)
        assert (
            wanted.items() <= {path: normal_type(text) for path, text in found.items()}.items()
        ), stage


@pytest.mark.slow
def test_equinox(tmp_path: Path) -> None:
    eqx = pytest.importorskip("equinox")
    model = eqx.nn.MLP(3, 2, 5, 1, key=jax.random.key(0))
    momentum = {"scale": jnp.ones(7), "past": [jnp.ones((4, 3))]}
    with jaxscope.watch(tmp_path, catch=["step"]) as watch:

        @eqx.filter_jit
        def step(model: Any, momentum: Any, x: Any, *, rate: float, shift: Any) -> Any:
            y = jax.vmap(model)(x) * rate + shift
            grown = jax.tree.map(lambda leaf: leaf + y.sum(), momentum)
            return {"model": model, "momentum": grown}, y

        x, shift = jnp.ones((6, 3)), jnp.ones(2)
        result = step(model, momentum, x, rate=0.5, shift=shift)
        step(model, momentum, jnp.ones((8, 3)), rate=0.5, shift=shift)
        step(model, momentum, x, rate=0.75, shift=shift)
    capture = caught(tmp_path)
    traced = tuple(leaf for leaf in capture.arguments if not leaf.is_static)
    objects = {"model": model, "momentum": momentum, "x": x, "shift": shift, "result": result}
    check_names(traced, objects)
    assert {leaf.path for leaf in traced} == {
        *("model.layers[0].weight", "model.layers[0].bias"),
        *("model.layers[1].weight", "model.layers[1].bias"),
        *("momentum['past'][0]", "momentum['scale']", "x", "shift"),
    }
    assert {leaf.path: leaf.type for leaf in capture.arguments if leaf.is_static}["rate"] == "0.5"
    marker, *returned = capture.results
    assert (marker.path, marker.type) == ("marker (Equinox)", "i32[]")
    check_names(tuple(returned), objects)
    assert capture.call == "jit(step)(MLP(…), dict(…), f32[6,3], rate=0.5, shift=f32[2])"
    check_stages(capture)
    reasons = [
        describe_key_change(change)
        for signature in watch.found.signatures
        if signature.function == "step"
        for change in signature.changes
    ]
    assert reasons == [
        "x: f32[6,3] → f32[8,3] (another shape)",
        "rate: 0.5 → 0.75 (another static value)",
    ]


@pytest.mark.slow
def test_flax(tmp_path: Path) -> None:
    nnx = pytest.importorskip("flax.nnx")
    optax = pytest.importorskip("optax")

    class Net(nnx.Module):  # type: ignore[misc,name-defined] # flax is not typed
        def __init__(self) -> None:
            self.first = nnx.Linear(3, 5, rngs=nnx.Rngs(0))
            self.table = nnx.data({"a b": nnx.Param(jnp.ones(11)), "c": nnx.Param(jnp.ones(13))})
            self.rest = nnx.List(
                [nnx.Linear(5, 2, rngs=nnx.Rngs(1)), nnx.BatchNorm(2, rngs=nnx.Rngs(2))]
            )

        def __call__(self, x: Any) -> Any:
            y = self.first(x) + self.table["a b"][...].sum() * self.table["c"][...].sum()
            for layer in self.rest:
                y = layer(y)
            return y

    model = Net()
    optimizer = nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)
    with jaxscope.watch(tmp_path, catch=["step"]):

        @nnx.jit
        def step(model: Any, optimizer: Any, x: Any, *, scale: Any) -> Any:
            loss, gradient = nnx.value_and_grad(lambda m: (m(x) ** 2).mean())(model)
            optimizer.update(model, gradient)
            return {"loss": loss * scale}

        x, scale = jnp.ones((6, 3)), jnp.ones(7)
        result = step(model, optimizer, x, scale=scale)
    capture = caught(tmp_path)
    objects = {"model": model, "optimizer": optimizer, "x": x, "scale": scale, "result": result}
    check_names(capture.arguments, objects)
    paths = {leaf.path for leaf in capture.arguments}
    assert {"model.first.kernel", "model.rest[1].mean", "optimizer.step", "x", "scale"} <= paths
    assert {"optimizer.opt_state[0].mu.rest[0].kernel", "model.table['c']"} <= paths
    assert not [path for path in paths if re.search(r"states\[|_graphdef", path)]
    check_names(capture.results, objects)
    assert capture.results[-1].path == "result['loss']"
    assert capture.call == "jit(step)(Net(…), Optimizer(…), f32[6,3], scale=f32[7])"
    check_stages(capture)
