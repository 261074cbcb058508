"""Real programs as graphs, and views as lines of text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from jaxscope.model import Graph
from jaxscope.model.op_name import TagTable
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.labels import text_of
from jaxscope.picture.view.view import ROOT, Boxes, View
from jaxscope.program.hlo.graph import convert_hlo
from jaxscope.worker.stages.jaxpr import convert_jaxpr
from jaxscope.worker.stages.stablehlo import convert_stablehlo


def trace(
    function: Callable[..., Any],
    *arguments: Any,
    paths: Sequence[str] = (),
    result_paths: Sequence[str] = (),
) -> Graph:
    """The jaxpr of a call as a graph."""
    return convert_jaxpr(
        jax.make_jaxpr(function)(*arguments),
        tags=TagTable(),
        is_base=True,
        is_derived=True,
        argument_paths=paths,
        result_paths=result_paths,
    ).graph


def relabel(view: View, labels: Mapping[int, str]) -> View:
    """The view with other labels of some groups."""
    old = view.boxes
    kept = {**old.kept, **{box: old[box]._replace(label=label) for box, label in labels.items()}}
    boxes = Boxes(view.graph, old.node, old.parent, old.num_counted, kept)
    return dataclasses.replace(view, boxes=boxes)


def compile_module(function: Callable[..., Any], *arguments: Any) -> Graph:
    """The optimized module of a call as a graph."""
    (module,) = compile_call(function, *arguments).runtime_executable().hlo_modules()
    proto = module.as_serialized_hlo_module_proto()
    return convert_hlo(proto, TagTable(), None, None, "optimized")


def compile_call(function: Callable[..., Any], *arguments: Any) -> Any:
    """A call, compiled by JAX alone."""
    return jax.jit(function).lower(*arguments).compile()


def lower(function: Callable[..., Any], *arguments: Any) -> Graph:
    """The StableHLO module of a call as a graph."""
    module = jax.jit(function).lower(*arguments).compiler_ir("stablehlo")
    return convert_stablehlo(module, TagTable(), None).graph


def outline(view: View, opened: frozenset[str] | None = None) -> list[str]:
    """The boxes that are seen, indented by depth; `+` marks closed groups and `-` open ones."""
    opened = view.opened if opened is None else opened
    lines: list[str] = []

    def visit(index: int, depth: int) -> None:
        for child in view.boxes[index].children:
            box = view.boxes[child]
            is_open = box.id in opened
            sign = "" if not box.children else "- " if is_open else "+ "
            lines.append("  " * depth + sign + text_of(view, box).title)
            if is_open:
                visit(child, depth + 1)

    visit(ROOT, 0)
    return lines


def simplify(function: Callable[..., Any], *arguments: Any, without: Sequence[str] = ()) -> View:
    """The view of a call's jaxpr."""
    return build_view(trace(function, *arguments), without)


def layers(num_layers: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The loss of a network of alike layers in named scopes, and its arguments."""

    def loss(params: Any, x: Any) -> Any:
        for number, layer in enumerate(params):
            with jax.named_scope(f"layer_{number}"):
                x = jnp.tanh(x @ layer["w"] + layer["b"]) * 0.5 + x
        return (x**2).mean()

    layer = {"w": jnp.ones((8, 8)), "b": jnp.ones(8)}
    return loss, ([layer] * num_layers, jnp.ones((4, 8)))
