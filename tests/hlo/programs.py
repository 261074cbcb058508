"""Programs for the tests of this folder: HLO text to protos, functions to compiled modules."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from hypothesis import strategies as st

from jaxscope.model import NONE, Graph, GroupKind
from jaxscope.model.op_name import TagTable
from jaxscope.program.hlo.graph import convert_hlo
from jaxscope.worker.compat import serialized_hlo_of_text

X = jax.ShapeDtypeStruct((4, 8), jnp.float32)
W = jax.ShapeDtypeStruct((8, 8), jnp.float32)


def draw_broken(data: st.DataObject, good: bytes) -> bytes:
    """Some bytes of which up to six are others."""
    broken = bytearray(good)
    for _ in range(data.draw(st.integers(1, 6))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    return bytes(broken)


def _loss(w: Any, x: Any) -> Any:
    return jnp.sum(jnp.tanh(x @ w) ** 2)


def _loop(x: Any) -> Any:
    return jax.lax.scan(lambda c, _: (jnp.sin(c) + 1.0, c.sum()), x, None, length=5)


def _branch(x: Any) -> Any:
    return jax.lax.cond(x.sum() > 0, lambda c: jnp.sin(c) + 1.0, lambda c: c * 2.0, x)


def _search(x: Any) -> Any:
    return jax.lax.while_loop(lambda c: jnp.sum(c) < 100.0, lambda c: c * 1.5 + 1.0, x)


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "gradient": (jax.grad(_loss), (W, X)),
    "hessian": (jax.hessian(lambda x: jnp.sum(jnp.tanh(x) ** 3)), (X,)),
    "softmax": (lambda x: jax.nn.softmax(x, axis=-1), (X,)),
    "scan": (_loop, (X,)),
    "cond": (_branch, (X,)),
    "while": (_search, (X,)),
    "sort": (lambda x: jnp.sort(x, axis=0)[::2], (X,)),
    "scatter": (lambda x: x.at[jnp.array([0, 2])].add(1.0), (X,)),
    "remat": (jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()), (X,)),
    "identity": (lambda x: x, (X,)),
}


@functools.cache
def lowered(name: str) -> Any:
    """The lowered program of that name."""
    function, arguments = PROGRAMS[name]
    return jax.jit(function).lower(*arguments)


@functools.cache
def optimized(name: str) -> tuple[bytes, str]:
    """Proto and text of the optimized module."""
    compiled = lowered(name).compile()
    module = compiled.runtime_executable().hlo_modules()[0]
    return module.as_serialized_hlo_module_proto(), compiled.as_text()


@functools.cache
def unoptimized(name: str) -> tuple[bytes, str]:
    """Proto and text of the module before optimization."""
    module = lowered(name).compiler_ir("hlo").as_hlo_module()
    return module.as_serialized_hlo_module_proto(), module.to_string()


def proto_of(hlo_text: str) -> bytes:
    """The serialized proto of a module written as text."""
    return serialized_hlo_of_text(hlo_text)


def convert(proto: bytes, tags: TagTable | None = None, derived: Graph | None = None) -> Graph:
    """Convert a module without the costs of its instructions."""
    return convert_hlo(proto, tags or TagTable(), derived, None, "optimized")


def draw(graph: Graph) -> str:
    """A graph as text: groups as indented blocks, a line per node, operands by name."""
    lines: list[str] = []

    def add_group(group: int, depth: int) -> None:
        for index in range(len(graph.nodes)):
            if int(graph.nodes.group[index]) != group:
                continue
            node = graph.node(index)
            lines.append("  " * depth + _draw_node(graph, index))
            for inner in range(len(graph.groups)):
                if int(graph.groups.owner[inner]) == node.index:
                    kind = GroupKind(int(graph.groups.kind[inner])).name.lower()
                    label = graph.string(graph.groups.label, inner)
                    lines.append("  " * (depth + 1) + f"[{kind}] {label}")
                    add_group(inner, depth + 2)

    add_group(NONE, 0)
    return "\n".join(lines)


def _draw_node(graph: Graph, index: int) -> str:
    node = graph.node(index)
    edges = graph.edges
    operands = sorted(
        (int(edges.operand[e]), graph.string(graph.nodes.id, int(edges.source[e])), edges.output[e])
        for e in range(len(edges))
        if int(edges.target[e]) == index
    )
    texts = [f"{name}.{output}" if output else name for _, name, output in operands]
    attributes = " ".join(f"{key}={value}" for key, value in node.attributes.items())
    line = f"{node.id} = {node.operation}({', '.join(texts)}) : {' '.join(node.types)}"
    return f"{line} | {attributes}" if attributes else line
