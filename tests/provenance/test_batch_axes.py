"""Marks of batch axes, held against numbers: each element of a batch is computed on its own."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

from jaxscope.client import one_shot
from jaxscope.model import NONE, Graph, GraphBuilder, GroupKind, NodeKind
from jaxscope.model.op_name import TagTable
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.model.types import (
    mark_batch_axes,
    parse_array_type,
    read_batch_axes,
    write_batch_axes,
)
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.labels import text_of
from jaxscope.program.batch_axes import mark_leaves, mark_lowered
from jaxscope.ui.selection.inspector import describe_call
from jaxscope.worker import compat
from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.provenance.traced_program import TracedProgram, trace_call
from jaxscope.worker.stages.jaxpr import convert_jaxpr


def dense(w: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.tanh(w @ x) + x.sum()


def loss(w: jax.Array, x: jax.Array) -> jax.Array:
    return ((w @ x) ** 2).sum()


def scanned(c: jax.Array, xs: jax.Array) -> Any:
    return jax.lax.scan(lambda c, x: (jnp.sin(c + x), c * x), c, xs)


def counted(x: jax.Array) -> jax.Array:
    _, steps = jax.lax.scan(lambda c, _: (c + 1, c), 0, None, length=5)
    return x * steps.sum()


def branching(x: jax.Array) -> jax.Array:
    return jax.lax.cond(x.sum() > 0, jnp.sin, lambda y: y * 2, x)


def layered(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    return jnp.sum(jnp.tanh(params["a"] * x + params["b"]) * params["c"])


def several(w: jax.Array, x: jax.Array) -> tuple[jax.Array, ...]:
    return w * x, w * 2, w + x


def helped(x: jax.Array) -> jax.Array:
    """Has a `vmap` of its own, which is none of the call's."""
    return jax.vmap(lambda each: jnp.sin(each) * 2)(x) * x


def reduced(w: jax.Array, x: jax.Array) -> jax.Array:
    """What batching rules make of operations that they take apart."""
    y = jax.nn.softmax(w @ x) + jnp.mean(x**2) + jnp.std(w @ w + x) + jax.nn.logsumexp(x @ w)
    return jnp.where(jnp.max(x * w) > 0, y, x.sum(axis=0)) * jnp.einsum("ij,j->i", w, x)


CALLS = {
    "reduced": "vmap(reduced, in_axes=(None, 0))(f32[3, 3], f32[3, 3])",
    "both reduced": "vmap(reduced, in_axes=(2, 1))(f32[3, 3, 3], f32[3, 3])",
    "gradient of a mean": "vmap(grad(lambda w, x: reduced(w, x).mean()))(f32[3, 3, 3], f32[3, 3])",
    "dense": "vmap(dense, in_axes=(None, 0))(f32[3, 3], f32[3, 3])",
    "last axis": "vmap(dense, in_axes=(None, 1), out_axes=1)(f32[3, 3], f32[3, 3])",
    "both": "vmap(dense)(f32[3, 3, 3], f32[3, 3])",
    "gradient": "vmap(grad(loss), in_axes=(None, 0))(f32[3, 3], f32[3, 3])",
    "of a vmap": "vmap(vmap(dense, in_axes=(None, 0)), in_axes=(None, 1))(f32[3, 3], f32[3, 3, 3])",
    "scan": "vmap(scanned, in_axes=(0, None))(f32[3], f32[3])",
    "branch": "vmap(branching)(f32[3, 3])",
    "vmap inside": "vmap(helped)(f32[3, 3])",
    "jit": "vmap(jit(dense), in_axes=(None, 0))(f32[3, 3], f32[3, 3])",
}


def trace(text: str) -> TracedProgram:
    functions = (dense, loss, scanned, counted, branching, layered, several, helped, reduced)
    functions = (*functions, leaky, chosen, picked, running, looped, switched)
    names = call_namespace({each.__name__: each for each in functions})
    return trace_call(parse_call(text, names, file="file.py"))


def values_of(jaxpr: Any, inputs: list[Any]) -> dict[Any, Any]:
    """The value of every variable of a program, by evaluating its equations one by one."""
    inner = compat.open_jaxpr(jaxpr)
    known = dict(zip(inner.invars, inputs, strict=True))
    known.update(zip(inner.constvars, jaxpr.consts, strict=True))
    for equation in inner.eqns:
        operands = [a.val if hasattr(a, "val") else known[a] for a in equation.invars]
        results = equation.primitive.bind(*operands, **equation.params)
        results = results if equation.primitive.multiple_results else [results]
        known.update(zip(equation.outvars, results, strict=True))
    return known


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name not in ("reduced", "branch")))
        for name in CALLS
    ],
)
def test_another_element_of_the_batch_changes_only_its_own_place(name: str) -> None:
    program = trace(CALLS[name])
    jaxpr = program.derived.jaxpr
    inner = compat.open_jaxpr(jaxpr)
    keys = jax.random.split(jax.random.key(0), len(inner.invars))
    inputs = [
        jax.random.normal(key, v.aval.shape) for key, v in zip(keys, inner.invars, strict=True)
    ]
    axes_of = program.batch_axes.axes_of
    before = values_of(jaxpr, inputs)
    marked = [variable for variable in before if axes_of(variable)]
    assert any(axes_of(variable) for variable in inner.invars)
    assert all(axes_of(variable) for variable in inner.outvars), "each result has the batch"
    num_batched = 0
    which = range(2 if name == "of a vmap" else 1)
    for number in which:  # of several axes one after the other
        changed = list(inputs)
        for at, variable in enumerate(inner.invars):
            axis = axes_of(variable)[number] if axes_of(variable) else None
            if axis is not None:
                index: list[slice | int] = [slice(None)] * variable.aval.ndim
                index[axis] = 1
                changed[at] = changed[at].at[tuple(index)].add(0.5)
        after = values_of(jaxpr, changed)
        for variable in marked:
            differs = np.asarray(before[variable] != after[variable])
            if not differs.any():
                continue
            num_batched += 1
            axis = axes_of(variable)[number]
            assert axis is not None, variable
            assert np.unique(np.nonzero(differs)[axis]).tolist() == [1], variable
    assert num_batched


@pytest.mark.parametrize(
    "call",
    [
        "vmap(reduced, in_axes=(None, 0))(f32[4, 4], f32[7, 4])",
        "vmap(reduced, in_axes=(2, 1))(f32[4, 4, 7], f32[4, 7])",
    ],
)
def test_every_value_with_the_batch_is_marked(call: str) -> None:
    """No other axis has 7 elements."""
    program = trace(call)
    axes_of = program.batch_axes.axes_of
    missing = [
        equation
        for equation in compat.open_jaxpr(program.derived.jaxpr).eqns
        if any(axes_of(each) for each in equation.invars)
        and not all(axes_of(each) for each in equation.outvars)
    ]
    assert not missing, missing


def leaky(x: jax.Array) -> jax.Array:
    return jax.lax.cond(x > 0, lambda y: y, lambda y: 0.01 * jnp.sin(y), x)


def chosen(w: jax.Array, x: jax.Array) -> jax.Array:
    """Branches with operations of several shapes, and with calls of jitted functions."""

    def first(x: jax.Array) -> jax.Array:
        return jax.nn.relu(w @ x) + jnp.where(x > 0, x, jnp.exp(x)).sum() * jnp.cumsum(x)

    def second(x: jax.Array) -> jax.Array:
        return (
            jnp.concatenate([x[1:], x[:1] * 3]) - jax.nn.relu(x[::-1]) + jnp.where(x > 1, x, w[0])
        )

    return jax.lax.cond(x.sum() > 0, first, second, x)


def picked(x: jax.Array) -> jax.Array:
    return jnp.where(x > 0, jnp.sqrt(jnp.abs(x)), jnp.where(x < -1, x, x**3))


def running(c: jax.Array, xs: jax.Array) -> Any:
    """A scan, with a branch inside."""

    def step(c: jax.Array, x: jax.Array) -> Any:
        c = c + jax.lax.cond(x > 0, jnp.sin, lambda y: y * 2, x)
        return c, jnp.tanh(c) * x

    return jax.lax.scan(step, c, xs)


def looped(x: jax.Array) -> jax.Array:
    """A branch, with scans inside."""

    def scanned(x: jax.Array) -> jax.Array:
        total, steps = jax.lax.scan(lambda c, y: (c * 0.5 + y, jnp.cos(c) - y), x[0], x)
        return steps + total

    return jax.lax.cond(x[0] > 0, scanned, lambda x: -x, x)


def switched(number: jax.Array, x: jax.Array) -> jax.Array:
    return jax.lax.switch(number.astype(int), [jnp.sin, jnp.tanh, lambda y: y * y], x)


def all_values(jaxpr: Any, inputs: list[Any], consts: Any = ()) -> dict[Any, list[np.ndarray]]:
    """The values of every variable, in jitted functions, in loops and in branches, too."""
    inner, found = compat.open_jaxpr(jaxpr), dict[Any, list[np.ndarray]]()
    known = dict(zip(inner.invars, inputs, strict=True))
    known.update(zip(inner.constvars, getattr(jaxpr, "consts", consts), strict=True))
    for equation in inner.eqns:
        given = equation.params
        operands = [a.val if hasattr(a, "val") else known[a] for a in equation.invars]
        if "call_jaxpr" in given:
            results = jaxpr_as_fun(given["call_jaxpr"])(*operands)
        else:
            results = equation.primitive.bind(*operands, **given)
            results = results if equation.primitive.multiple_results else [results]
        known.update(zip(equation.outvars, results, strict=True))
        runs = []
        if equation.primitive.name == "scan":
            counts = compat.scan_counts(given)
            end = counts["num_consts"] + counts["num_carry"]
            runs = [(given["jaxpr"], [*operands[:end], *(each[0] for each in operands[end:])])]
        elif equation.primitive.name == "cond":
            runs = [(given["branches"][int(operands[0])], operands[1:])]
        elif equation.primitive.name in ("jit", "pjit"):
            runs = [(given["jaxpr"], operands)]
        elif equation.primitive.name == "custom_jvp_call":
            runs = [(given["call_jaxpr"], operands)]
        for run in runs:
            for variable, values in all_values(*run).items():
                found.setdefault(variable, []).extend(values)
    for variable, value in known.items():
        found.setdefault(variable, []).append(np.asarray(value))
    return found


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "call",
    [
        "vmap(leaky)(f32[7])",
        "vmap(vmap(leaky))(f32[5, 7])",
        "vmap(vmap(leaky, in_axes=0), in_axes=1)(f32[5, 7])",
        "vmap(chosen, in_axes=(None, 0))(f32[3, 3], f32[7, 3])",
        "vmap(vmap(chosen, in_axes=(None, 0)))(f32[5, 3, 3], f32[5, 7, 3])",
        "vmap(picked)(f32[7, 3])",
        "vmap(vmap(picked))(f32[5, 7])",
        "vmap(running)(f32[7], f32[7, 3])",
        "vmap(vmap(running, in_axes=(None, 0)))(f32[5], f32[5, 7, 3])",
        "vmap(looped)(f32[7, 3])",
        "vmap(vmap(looped, in_axes=1), in_axes=2)(f32[3, 5, 7])",
        "vmap(switched)(f32[7], f32[7, 3])",
        "vmap(grad(lambda x: looped(x).sum()))(f32[7, 3])",
    ],
)
def test_a_row_of_the_arguments_is_a_row_of_what_is_marked_and_of_nothing_else(call: str) -> None:
    """Only the batches have 7 and 5 elements."""
    program = trace(call)
    jaxpr, axes_of = program.derived.jaxpr, program.batch_axes.axes_of
    rng = np.random.default_rng(0)
    inner = compat.open_jaxpr(jaxpr)
    inputs = [rng.normal(size=each.aval.shape).astype("f4") for each in inner.invars]
    before = all_values(jaxpr, list(map(jnp.asarray, inputs)))
    for size in {5, 7} & {each for value in inputs for each in value.shape}:
        num_marked = 0
        for row in range(size):
            changed = [value.copy() for value in inputs]
            for value in changed:
                if size in value.shape:
                    value[(slice(None),) * value.shape.index(size) + (row,)] *= -1.5
            after = all_values(jaxpr, list(map(jnp.asarray, changed)))
            for variable, values in before.items():
                shape = variable.aval.shape
                known = {axis for axis in axes_of(variable) if axis is not None}
                marked = {axis for axis in known if shape[axis] == size}
                for value, other in zip(values, after[variable], strict=False):
                    if not np.any(value != other) or not shape:  # a sum over the batch has no axis
                        continue
                    differs = np.nonzero(value != other)
                    assert marked == {shape.index(size)}, (variable, shape)
                    assert set(differs[shape.index(size)]) == {row}, (variable, shape)
                    num_marked += 1
        assert num_marked
    for variable in before:
        axes = [axis for axis in axes_of(variable) if axis is not None]
        assert {variable.aval.shape[axis] for axis in axes} <= {5, 7}


def graph_of(text: str) -> Graph:
    program = trace(text)
    return convert_jaxpr(
        program.derived.jaxpr,
        tags=TagTable(),
        is_base=False,
        is_derived=True,
        axes_of=program.batch_axes.axes_of,
    ).graph


def test_types_say_which_axis_is_the_batch() -> None:
    view = build_view(graph_of("vmap(dense, in_axes=(None, 1), out_axes=1)(f32[4, 2], f32[2, 8])"))
    details = [text_of(view, box).detail for box in view.boxes[1:]]
    assert "f32[2,B=8]" in details, "the argument, along its last axis"
    assert "f32[4,2]" in details, "what is not batched has no mark"
    assert any(detail.endswith("f32[4,B=8]") for detail in details)


@pytest.mark.parametrize(
    ("call", "stacked"),
    [
        ("vmap(scanned, in_axes=(0, None))(f32[7], f32[5])", "f32[5,B=7]"),
        ("vmap(scanned, in_axes=(None, 0))(f32[], f32[7, 5])", "f32[5,B=7]"),
        ("vmap(counted)(f32[7])", "i32[5]"),  # the same numbers for every element
    ],
)
def test_what_a_loop_stacks_is_marked_on_its_line(call: str, stacked: str) -> None:
    view = build_view(graph_of(call))
    scene = build_scene(view, view.all_groups())
    assert stacked in scene.lines.types


def test_what_the_forward_pass_keeps_is_marked_on_its_line() -> None:
    view = build_view(graph_of("vmap(grad(loss), in_axes=(None, 0))(f32[3, 2], f32[7, 2])"))
    scene = build_scene(view, view.all_groups())
    lines = scene.lines
    told = [lines.types[line] for line in range(len(lines)) if lines.is_residual[line]]
    kept = [text for text in told if "[" in text]
    assert kept and all("B=7" in text for text in kept), kept


def test_several_values_say_together_whether_they_have_the_axis() -> None:
    params = "{'a': f32[3], 'b': f32[3], 'c': f32[3]}"
    view = build_view(graph_of(f"vmap(grad(layered), in_axes=(None, 0))({params}, f32[7, 3])"))
    texts = [text_of(view, box) for box in view.boxes[1:] if box.children]
    told = {text.detail for text in texts if "arrays" in text.detail}
    assert told == {"3 arrays, B=7"}, "a gradient of each example"
    scene = build_scene(view, view.opened)
    assert any(text.endswith(", B=7") for text in scene.lines.types)
    view = build_view(graph_of("vmap(several, (None, 0), (0, None, 0))(f32[3], f32[7, 3])"))
    texts = [text_of(view, box) for box in view.boxes[1:] if box.children]
    assert "3 arrays, 2 with B=7" in {text.detail for text in texts}


def test_a_vmap_of_the_functions_own_is_not_marked() -> None:
    graph = graph_of("vmap(helped)(f32[5, 3])")
    marks = {
        graph.attributes(node).get("batch_axes")
        for node in range(len(graph.nodes))
        if graph.node(node).types == ("f32[5,3]",)
    }
    assert marks <= {"0", None}
    assert "0" in marks
    assert not any(
        "batch_axes" in each.attributes
        for each in map(
            convert_jaxpr(trace("helped(f32[3])").base.jaxpr, tags=TagTable(), is_base=True,
                          is_derived=True).graph.node, range(3)
        )
    )  # fmt: skip


def test_marks_are_read_and_written() -> None:
    assert read_batch_axes("0;;,2;") == {0: (0,), 2: (None, 2)}
    assert write_batch_axes([(0,), (), (None, 2), ()]) == "0;;,2;"
    assert read_batch_axes("") == {}
    assert mark_batch_axes("f32[8,3]", (0,)) == "f32[B=8,3]"
    assert mark_batch_axes("f32[8,3,5]", (2, 0)) == "f32[B2=8,3,B=5]"
    assert mark_batch_axes("f32[8,3,5]", (None, 0)) == "f32[B2=8,3,5]"
    assert mark_batch_axes("token", (0,)) == "token"


PROGRAM = """\
import jax
import jax.numpy as jnp

def dense(w, x):
    return jnp.tanh(w @ x) ** 3 + x.sum()

def scanned(c, xs):
    return jax.lax.scan(lambda c, x: (jnp.sin(c + x), c * x), c, xs)
"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("call", "least"),
    [
        ("vmap(dense, in_axes=(None, 0))(f32[5, 3], f32[7, 3])", 7),
        ("vmap(dense, in_axes=(None, 1), out_axes=1)(f32[5, 3], f32[3, 7])", 7),
        ("vmap(scanned, in_axes=(0, None))(f32[7], f32[5])", 5),
    ],
)
def test_lowered_operations_have_the_axes_of_their_equations(
    tmp_path: Path, call: str, least: int
) -> None:
    """No other axis has 7 elements."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    capture = one_shot.capture(str(file), call)
    for name in ("stablehlo", "hlo"):
        stage = capture.stage(name)
        assert stage is not None
        assert isinstance(stage.graph, Graph)
        num_marked = 0
        for node in map(stage.graph.node, range(len(stage.graph.nodes))):
            axes = read_batch_axes(node.attributes.get("batch_axes", "")).get(0, ())
            if axes:
                num_marked += 1
                shape = node.types[0].partition("[")[2].rstrip("]").split(",")
                assert [shape[axis] for axis in axes] == ["7"], node
        assert num_marked >= least
    optimized = capture.stage("optimized")
    assert optimized is not None
    assert isinstance(optimized.graph, Graph)
    view = build_view(optimized.graph)
    texts = {text_of(view, box).detail for box in view.boxes[1:]}
    assert any("B=7" in text for text in texts)
    lowered = find_lowered_jaxpr(capture.stages)
    leaves = mark_leaves(capture.arguments, capture.results, lowered)
    for before, leaf in zip((*capture.arguments, *capture.results), chain(*leaves), strict=True):
        assert leaf.type.replace("B=7", "7") == before.type
        assert ("B=7" in leaf.type) == ("7" in before.type)
    told = describe_call(*leaves, "#000")
    assert told.count("B=7") == 2, "an argument, and the result or both of them"


def test_what_a_branch_under_vmap_becomes_is_marked_after_lowering() -> None:
    """No other axis has 7 elements; what has the axis and no mark holds the same number 7 times."""
    capture = one_shot.capture("samples/control_flow.py", "vmap(leaky)(f32[7])")
    for name in ("vmap", "stablehlo", "hlo"):
        stage = capture.stage(name)
        assert stage is not None and isinstance(stage.graph, Graph)
        unmarked, marked = set[str](), set[str]()
        for node in map(stage.graph.node, range(len(stage.graph.nodes))):
            if "[7]" in node.types[0]:
                is_marked = node.attributes.get("batch_axes") == "0"
                (marked if is_marked else unmarked).add(node.operation.rpartition(".")[2])
        assert unmarked <= {"broadcast", "broadcast_in_dim"}, name
        assert {"sine", "sin"} & marked and {"multiply", "mul"} & marked, name


HLO_PROGRAM = """\
import jax
from jax import random
import jax.numpy as jnp

def dense(w, x):
    return jnp.tanh(w @ x) + x.sum()

def loss(w, x):
    return (jnp.tanh(x @ w) ** 2).sum()

def scanned(c, xs):
    return jax.lax.scan(lambda c, x: (jnp.sin(c + x), c * x), c, xs)

def looped(x):
    def step(c):
        return c[0] * 2 + 1, c[1] + c[0].sum()
    return jax.lax.while_loop(lambda c: jnp.sum(c[0]) < 10, step, (x, 0.0))

def attend(q, k, v):
    return jax.nn.softmax(q @ k.T / 2.0) @ v

def moved(x):
    return jnp.concatenate([x[1:], jnp.pad(x[:2], 1), x[::-1]]).reshape(3, -1).T @ jnp.ones(3)

def ordered(x):
    return jnp.sort(x), jnp.argsort(-x), jnp.cumsum(x), jax.lax.top_k(x, 2)

def taken(t, i):
    return t[i] * 2

def put(t, i):
    return t.at[i].set(1.0)

def convolved(k, x):
    return jax.lax.conv_general_dilated(x, k, (1, 1), "SAME")

def factored(a):
    return jnp.linalg.cholesky(a @ a.T + jnp.eye(3))

def drawn(key):
    return jax.random.normal(key, (4,))

def chosen(x):
    loop = lambda y: jax.lax.fori_loop(0, 3, lambda i, z: z * 2 + i, y)
    return jax.lax.cond(x.sum() > 0, jnp.sin, loop, x)
"""
HLO_CALLS = (
    "vmap(dense, in_axes=(None, 1), out_axes=1)(f32[5, 3], f32[3, B])",
    "vmap(vmap(dense, in_axes=(None, 0)), in_axes=(None, 1))(f32[5, 3], f32[4, B, 3])",
    "vmap(grad(loss), in_axes=(None, 0))(f32[4, 5], f32[B, 3, 4])",
    "vmap(grad(loss))(f32[B, 4, 5], f32[B, 3, 4])",
    "vmap(scanned)(f32[B], f32[B, 5])",
    "vmap(scanned, in_axes=(0, None))(f32[B], f32[5])",
    "vmap(looped)(f32[B, 3])",
    "vmap(attend)(f32[B, 5, 4], f32[B, 3, 4], f32[B, 3, 4])",
    "vmap(attend, in_axes=(0, None, None))(f32[B, 5, 4], f32[3, 4], f32[3, 4])",
    "vmap(moved)(f32[B, 6])",
    "vmap(ordered)(f32[B, 5])",
    "vmap(taken)(f32[B, 5], i32[B, 2])",
    "vmap(taken, in_axes=(None, 0))(f32[8, 5], i32[B, 2])",
    "vmap(put)(f32[B, 5], i32[B, 2])",
    "vmap(convolved, in_axes=(None, 0))(f32[3, 2, 3, 3], f32[B, 1, 2, 8, 8])",
    "vmap(convolved, in_axes=(0, None))(f32[B, 3, 2, 3, 3], f32[1, 2, 8, 8])",
    "vmap(factored)(f32[B, 3, 3])",
    "vmap(drawn)(random.split(key(0), B))",
    "vmap(chosen)(f32[B, 4])",
)
LOOPS = """\
import jax
import jax.numpy as jnp

def totals(xs):
    return jax.lax.scan(lambda c, x: (c + x, c + x), 0.0, xs)[1]

def nested(x):
    def outer(c, _):
        t, ys = jax.lax.scan(lambda d, y: (d * y + x, d), 0.0, jnp.arange(5.0))
        return c + t, ys
    return jax.lax.scan(outer, 0.0, None, length=7)

def shared(x):
    total, _ = jax.lax.scan(lambda c, _: (jnp.sin(c + x), None), 0.0, None, length=5)
    return total, jnp.zeros(61)
"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize("call", ["vmap(totals)(f32[61, 5])", "vmap(nested)(f32[61])"])
def test_what_a_loop_begins_with_has_the_axis_of_what_it_carries(tmp_path: Path, call: str) -> None:
    """No other axis has 61 elements. Nothing batched goes into the zeros of a carry and of what is
    stacked; what is added to or multiplied with an array of the batch may be any.
    """
    file = tmp_path / "program.py"
    file.write_text(LOOPS, encoding="utf-8")
    capture = one_shot.capture(str(file), call)
    for name in ("stablehlo", "hlo", "optimized"):
        stage = capture.stage(name)
        assert stage is not None and isinstance(stage.graph, Graph)
        graph, edges = stage.graph, stage.graph.edges
        for node in range(len(graph.nodes)):
            axes = read_batch_axes(graph.attributes(node).get("batch_axes", ""))
            arrays = map(parse_array_type, graph.types(node))
            growing = {at: a.shape.index(61) for at, a in enumerate(arrays) if a and 61 in a.shape}
            users = {_name(graph.operation(each)) for each in edges.target[edges.source == node]}
            if not users & {"add", "multiply"}:
                assert {at: axis for at, (axis,) in axes.items()} == growing, (name, node)


def test_zeros_that_are_a_result_as_well_do_not_have_the_axis_of_a_loop(tmp_path: Path) -> None:
    """XLA has one array of 61 zeros, of which one use is the batch and the other is not."""
    file = tmp_path / "program.py"
    file.write_text(LOOPS, encoding="utf-8")
    capture = one_shot.capture(str(file), "vmap(shared, out_axes=(0, None))(f32[61])")
    stage = capture.stage("optimized")
    assert stage is not None and isinstance(stage.graph, Graph)
    graph, edges = stage.graph, stage.graph.edges
    (root,) = (n for n in range(len(graph.nodes)) if graph.operation(n) == "tuple"
               and "root" in graph.attributes(n) and graph.nodes.group[n] == NONE)  # fmt: skip
    (given,) = edges.source[(edges.target == root) & (edges.operand == 1)]
    others = edges.target[edges.source == given]
    assert graph.types(given) == ("f32[61]",) and len(others) == 2, "both use it"
    assert "batch_axes" not in graph.attributes(given)
    (copied,) = others[others != root]
    assert graph.attributes(copied)["batch_axes"] == "0", "which only the loop has"


_UNBATCHED = {"broadcast", "broadcast_in_dim", "constant", "fusion", "iota", "tuple"}


def _name(operation: str) -> str:
    return operation.rpartition(".")[2]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(call, marks=[pytest.mark.slow] * (at not in (1, 4, 7)))
        for at, call in enumerate(HLO_CALLS)
    ],
)
def test_in_hlo_an_axis_is_marked_that_grows_with_the_batch(tmp_path: Path, call: str) -> None:
    """No other axis has 61 elements. Of another size, which other axes have as well, the marks are
    the same, instruction by instruction, where XLA makes the same of both.
    """
    file = tmp_path / "program.py"
    file.write_text(HLO_PROGRAM, encoding="utf-8")
    marks: dict[tuple[int, str], list[tuple[str, tuple[int, ...]]]] = {}
    for size in (61, 3):
        capture = one_shot.capture(str(file), call.replace("B", str(size)))
        for name in ("stablehlo", "hlo", "optimized"):
            stage = capture.stage(name)
            assert stage is not None and isinstance(stage.graph, Graph)
            found = marks[size, name] = []
            missing: list[str] = []
            for node in map(stage.graph.node, range(len(stage.graph.nodes))):
                axes = read_batch_axes(node.attributes.get("batch_axes", ""))
                for result, type_ in enumerate(node.types):
                    array = parse_array_type(type_)
                    assert array is not None
                    marked = axes.get(result, ())
                    found.append((node.operation, marked))
                    if size != 61:
                        continue
                    growing = [axis for axis, each in enumerate(array.shape) if each == size]
                    assert not marked or [marked[0]] == growing, node
                    if growing and not marked and _name(node.operation) not in _UNBATCHED:
                        missing.append(node.id)
            is_known = "put" not in call or name != "optimized"  # XLA takes numbers for the batch
            assert not missing or not is_known, missing
    for name in ("stablehlo", "hlo", "optimized"):
        ours, theirs = marks[61, name], marks[3, name]
        if [operation for operation, _ in ours] == [operation for operation, _ in theirs]:
            assert ours == theirs
        else:
            assert name == "optimized"


@pytest.mark.parametrize(("second", "expected"), [("0", {"0"}), ("1", set())])
def test_an_instruction_that_gives_results_with_the_axis_in_two_places_is_not_marked(
    second: str, expected: set[str]
) -> None:
    """Such as zeros, `f32[3,3]`, of which XLA has one."""
    lowered, optimized = GraphBuilder(), GraphBuilder()
    zeros = optimized.add_node("zeros", NodeKind.INSTRUCTION, "broadcast", types=["f32[3,3]"])
    root = optimized.add_node("tuple", NodeKind.INSTRUCTION, "tuple", types=["f32[3,3]"] * 2,
                              attributes={"root": "true"})  # fmt: skip
    for number, axis in enumerate(("0", second)):
        about = {"result": str(number), "batch_axes": axis}
        lowered.add_node(f"out:{number}", NodeKind.OUTPUT, "output", types=["f32[3,3]"],
                         attributes=about)  # fmt: skip
        optimized.add_edge(zeros, root, operand=number)
    graph = mark_lowered(optimized.build(), lowered.build(), is_stablehlo=False)
    found = {graph.attributes(node).get("batch_axes") for node in range(len(graph.nodes))}
    assert found - {None} == expected


def module(*instructions: tuple[str, str, dict[str, str]]) -> tuple[Graph, Graph]:
    """An HLO module of a chain of instructions, and a jaxpr that says the axis of its argument."""
    lowered, hlo = GraphBuilder(), GraphBuilder()
    shape = ["f32[3,4]"]
    lowered.add_node("in:0", NodeKind.INPUT, "input", types=shape,
                     attributes={"argument": "0", "batch_axes": "0"})  # fmt: skip
    before = hlo.add_node("x", NodeKind.INSTRUCTION, "parameter", types=shape,
                          attributes={"parameter_number": "0"})  # fmt: skip
    for number, (operation, type_, about) in enumerate(instructions):
        id = f"n{number}"
        after = hlo.add_node(id, NodeKind.INSTRUCTION, operation, types=[type_], attributes=about)
        hlo.add_edge(before, after, operand=0)
        before = after
        if "calls" in about:
            hlo.add_group(about["calls"], GroupKind.COMPUTATION, "", owner=after)
    return hlo.build(), lowered.build()


@pytest.mark.parametrize(
    ("operation", "type_", "about", "axes"),
    [
        ("transpose", "f32[4,3]", {"dimensions": "{1,0}"}, "1"),
        ("transpose", "f32[4,3]", {"dimensions": "{7,7}"}, None),
        ("transpose", "f32[4,3]", {"dimensions": "nonsense"}, None),
        ("broadcast", "f32[3,4]", {"dimensions": "{5,6}"}, None),
        ("bitcast", "f32[12]", {"layout": "{9}"}, None),
        ("bitcast", "f32[12]", {"layout": "{0:T(8,128)}"}, None),
        ("reshape", "f32[5,7]", {}, None),
        ("reshape", "f32[3,2,2]", {}, "0"),
        ("reduce-window", "f32[3,4]", {"window": "size=1"}, "0"),
        ("reduce-window", "f32[3,4]", {"window": "size=2x1"}, None),
        ("dot", "f32[3]", {"dot_dimension_numbers": "lhs_batch={9}"}, None),
        ("convolution", "f32[3,4]", {"convolution_dimension_numbers": "b_>"}, None),
        ("gather", "f32[3,4]", {"gather_dimension_numbers": "index_vector_dim={1,2}"}, None),
        ("dynamic-update-slice", "f32[3,4]", {}, None),
        ("no-such-thing", "f32[3,4]", {}, None),
        ("fusion", "f32[3,4]", {"calls": "empty"}, None),
    ],
)
def test_what_does_not_fit_says_nothing_of_the_axis(
    operation: str, type_: str, about: dict[str, str], axes: str | None
) -> None:
    hlo, lowered = module((operation, type_, about))
    graph = mark_lowered(hlo, lowered, is_stablehlo=False)
    assert graph.attributes(graph.index_by_id["n0"]).get("batch_axes") == axes


def test_a_program_that_calls_itself_ends() -> None:
    lowered = GraphBuilder()
    lowered.add_node("in:0", NodeKind.INPUT, "input", types=["f32[3]"],
                     attributes={"argument": "0", "batch_axes": "0"})  # fmt: skip
    hlo = GraphBuilder()
    start = hlo.add_node("x", NodeKind.INSTRUCTION, "parameter", types=["f32[3]"],
                         attributes={"parameter_number": "0"})  # fmt: skip
    call = {"calls": "again"}
    outer = hlo.add_node("a", NodeKind.INSTRUCTION, "call", types=["f32[3]"], attributes=call)
    hlo.add_edge(start, outer, operand=0)
    group = hlo.add_group("again", GroupKind.COMPUTATION, "", owner=outer)
    inside = hlo.add_node("p", NodeKind.INSTRUCTION, "parameter", types=["f32[3]"], group=group,
                          attributes={"parameter_number": "0"})  # fmt: skip
    inner = hlo.add_node("b", NodeKind.INSTRUCTION, "call", types=["f32[3]"], group=group,
                         attributes={**call, "root": "true"})  # fmt: skip
    hlo.add_edge(inside, inner, operand=0)
    graph = mark_lowered(hlo.build(), lowered.build(), is_stablehlo=False)
    found = {id: graph.attributes(at).get("batch_axes") for id, at in graph.index_by_id.items()}
    assert found == {"x": "0", "a": None, "p": "0", "b": None}


def test_functions_that_each_call_the_next_one_twice_are_followed_once() -> None:
    """Each call on its own, these 40 would be followed 2^40 times."""
    lowered = GraphBuilder()
    lowered.add_node("in:0", NodeKind.INPUT, "input", types=["f32[3]"],
                     attributes={"argument": "0", "batch_axes": "0"})  # fmt: skip
    hlo = GraphBuilder()
    group = NONE
    for depth in range(40):
        before = hlo.add_node(f"p{depth}", NodeKind.INSTRUCTION, "parameter", types=["f32[3]"],
                              group=group, attributes={"parameter_number": "0"})  # fmt: skip
        for call in range(2):
            about = {"calls": f"f{depth}", **({"root": "true"} if call else {})}
            after = hlo.add_node(f"c{depth}.{call}", NodeKind.INSTRUCTION, "call",
                                 types=["f32[3]"], group=group, attributes=about)  # fmt: skip
            hlo.add_edge(before, after, operand=0)
            before = after
        group = hlo.add_group(f"f{depth}", GroupKind.COMPUTATION, "", owner=before)
    last = hlo.add_node("p", NodeKind.INSTRUCTION, "parameter", types=["f32[3]"], group=group,
                        attributes={"parameter_number": "0"})  # fmt: skip
    sine = hlo.add_node("sine", NodeKind.INSTRUCTION, "sine", types=["f32[3]"], group=group,
                        attributes={"root": "true"})  # fmt: skip
    hlo.add_edge(last, sine, operand=0)
    graph = mark_lowered(hlo.build(), lowered.build(), is_stablehlo=False)
    assert {graph.attributes(at).get("batch_axes") for at in range(len(graph.nodes))} == {"0"}


def constant(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    return jnp.sin(x), jnp.ones(2)


@pytest.mark.parametrize(("out_axes", "axis"), [("0", 0), ("(0, 1)", 1), ("(0, -1)", 1)])
def test_a_result_that_no_batched_value_went_into_has_the_axis_too(
    out_axes: str, axis: int
) -> None:
    names = call_namespace({"constant": constant})
    call = parse_call(f"vmap(constant, out_axes={out_axes})(f32[3])", names, file="file.py")
    traced = trace_call(call)
    result = compat.open_jaxpr(traced.transformed[-1].jaxpr).outvars[1]
    assert traced.batch_axes.axes_of(result) == (axis,)
