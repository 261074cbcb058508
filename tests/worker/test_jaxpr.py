"""Jaxprs as graphs and as text: every equation once, ids that are paths, lines that link."""

from __future__ import annotations

import inspect
import re
import types
from collections import Counter
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax._src.interpreters import partial_eval
from jax.extend import core

from jaxscope.model.graph import Graph, NodeKind
from jaxscope.model.op_name import BASE_TAG, TagTable
from jaxscope.model.operations import CUSTOM_DERIVATIVES
from jaxscope.worker import compat
from jaxscope.worker.provenance.tagging import Tagger
from jaxscope.worker.stages.jaxpr import ConvertedJaxpr, convert_jaxpr, print_jaxpr, variable_name


def convert(function: Any, *args: Any) -> tuple[Any, ConvertedJaxpr]:
    tagger = Tagger(BASE_TAG)
    jaxpr = tagger.tag(jax.make_jaxpr(function)(*args))
    tags = TagTable(tuple(tagger.ids))
    return jaxpr, convert_jaxpr(jaxpr, tags=tags, is_base=True, is_derived=False)


def equation_lines(graph: Graph) -> list[str]:
    rows = (graph.node(i) for i in range(len(graph.nodes)))
    return [f"{row.id} {row.operation}" for row in rows if row.kind is NodeKind.EQUATION]


def looped(x: Any) -> Any:
    def body(carry: Any, _: Any) -> Any:
        return jax.lax.cond(carry.sum() > 0, jnp.sin, jnp.cos, carry), None

    return jax.lax.scan(body, x, None, length=3)[0]


def count_distinct(value: Any, counts: Counter[str], seen: set[int]) -> None:
    if isinstance(value, tuple | list):
        for item in value:
            count_distinct(item, counts, seen)
    elif isinstance(value, core.Jaxpr | core.ClosedJaxpr):
        inner = compat.open_jaxpr(value)
        if id(inner) not in seen:
            seen.add(id(inner))
            for equation in inner.eqns:
                counts[equation.primitive.name] += 1
                count_distinct(tuple(equation.params.values()), counts, seen)


def test_ids_are_paths_through_the_parameters() -> None:
    _, converted = convert(looped, jnp.ones(4))

    assert equation_lines(converted.graph) == [
        "0 scan",
        "0/jaxpr/0 reduce_sum",
        "0/jaxpr/1 gt",
        "0/jaxpr/2 convert_element_type",
        "0/jaxpr/3 cond",
        "0/jaxpr/3/branches.0/0 cos",
        "0/jaxpr/3/branches.1/0 sin",
    ]


@pytest.mark.parametrize(
    "function",
    [
        looped,
        jax.grad(lambda x: looped(x).sum()),
        lambda x: jnp.sort(x) + jax.nn.relu(x) + jax.nn.relu(2 * x),
        lambda x: jax.random.normal(jax.random.key(0), x.shape) * x,
        lambda x: jax.lax.while_loop(lambda c: c.sum() < 9, lambda c: c * 2, x),
        jax.grad(lambda x: jax.checkpoint(lambda y: jnp.tanh(jnp.tanh(y)))(x).sum()),
        lambda x: x.at[1].add(2.0),
        lambda x: jax.lax.associative_scan(jnp.add, x),
        lambda x: jax.lax.custom_linear_solve(lambda v: 2 * v, x, lambda _, b: b / 2),
    ],
)
def test_every_equation_of_every_nested_jaxpr_is_one_node(function: Any) -> None:
    jaxpr, converted = convert(function, jnp.ones(4))
    expected: Counter[str] = Counter()
    count_distinct(jaxpr, expected, set())

    graph = converted.graph
    nodes = [graph.node(i) for i in range(len(graph.nodes))]
    assert Counter(n.operation for n in nodes if n.kind is NodeKind.EQUATION) == expected


def test_a_shared_jaxpr_is_shown_once_and_names_its_owners() -> None:
    inner = jax.jit(jnp.sin)

    _, converted = convert(lambda x: inner(x) + inner(x + 1), jnp.ones(4))

    graph = converted.graph
    assert [graph.strings[i] for i in graph.groups.id] == ["0/jaxpr"]
    assert graph.attributes(graph.index_by_id["0"])["shared_by"] == "2"
    assert graph.attributes(graph.index_by_id["2"])["shares"] == "0/jaxpr"


def test_inner_inputs_say_which_operand_they_receive() -> None:
    def loop(limit: Any, x: Any) -> Any:
        return jax.lax.while_loop(lambda c: c.sum() < limit, lambda c: c * 2, x)

    _, converted = convert(loop, jnp.float32(9.0), jnp.ones(4))

    graph = converted.graph
    operands = {
        node_id: graph.attributes(i).get("operand")
        for node_id, i in graph.index_by_id.items()
        if "/in:" in node_id
    }
    assert operands == {
        "0/cond_jaxpr/in:0": "0",
        "0/cond_jaxpr/in:1": "1",
        "0/body_jaxpr/in:0": "1",
    }


def test_named_scopes_and_source_positions_are_kept() -> None:
    def scoped(x: Any) -> Any:
        with jax.named_scope("layer"), jax.named_scope("dense"):
            return jnp.sin(x)

    _, converted = convert(scoped, jnp.ones(4))

    node = converted.graph.node(converted.graph.index_by_id["0"])
    assert node.scope == ("layer", "dense")
    place = node.source[0]
    assert place.file == __file__
    assert place.line == scoped.__code__.co_firstlineno + 2
    assert place.column == 19


def lines_by_id(function: Any, *args: Any) -> dict[str, list[int]]:
    """Lines below the function's own `def`, of each equation."""
    graph = convert(function, *args)[1].graph
    first = function.__code__.co_firstlineno
    nodes = (graph.node(i) for i in range(len(graph.nodes)))
    return {
        n.id: [place.line - first for place in n.source[:1]]
        for n in nodes
        if n.kind is NodeKind.EQUATION
    }


def test_what_a_library_function_does_stands_on_the_line_that_calls_it() -> None:
    def spread(x: Any) -> Any:
        shifted = x + 1
        return jnp.var(shifted)

    lines = lines_by_id(spread, jnp.ones(3))
    assert lines["0"] == [1]
    inner = [found for node_id, found in lines.items() if "/" in node_id]
    assert inner
    assert all(found == [2] for found in inner)


def test_what_two_lines_share_stands_on_neither() -> None:
    def norms(x: Any) -> Any:
        first = jnp.linalg.norm(x)
        return first + jnp.linalg.norm(x * 2)

    lines = lines_by_id(norms, jnp.ones(3))
    owners = [node_id for node_id in lines if f"{node_id}/jaxpr/0" in lines]
    assert [lines[owner] for owner in owners] == [[1]]  # the second owner shows the same body
    assert all(not found for node_id, found in lines.items() if "/" in node_id)


def test_frames_end_where_jax_begins_to_trace_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """JAX 0.8.0 keeps those of the call that was traced first, which may be another program's."""
    tracing = inspect.unwrap(partial_eval.trace_to_jaxpr_dynamic)
    codes = [each.__code__ for each in (lines_by_id, convert, tracing, equation_lines)]

    class Traceback:
        def raw_frames(self) -> tuple[list[types.CodeType], list[int]]:
            return codes, [0] * len(codes)

    monkeypatch.delattr(partial_eval, "TracebackScope", raising=False)
    source_info = types.SimpleNamespace(traceback=Traceback())
    found = [frame[3] for frame in compat.user_frames(source_info)]
    assert found == ["lines_by_id", "convert"]


def test_the_text_is_jaxs_and_its_lines_link_to_equations() -> None:
    jaxpr, converted = convert(looped, jnp.ones(4))

    printed = print_jaxpr(jaxpr, converted)

    linked = [
        converted.graph.node(node).id if node >= 0 else "-" for node in printed.line_nodes.tolist()
    ]
    lines = dict(zip(linked, printed.text.split("\n"), strict=True))
    assert lines["0/jaxpr/0"].strip() == "d:f32[] = reduce_sum[axes=(0,)] c"
    assert " = sin " in lines["0/jaxpr/3/branches.1/0"]
    assert printed.text.startswith("{ lambda ; a:f32[4]. let")
    assert linked[0] == linked[-1] == "-"


def test_text_of_a_flat_program_is_exactly_that_of_jax() -> None:
    def flat(x: Any) -> Any:
        return jnp.sum(jnp.sin(x) * 2.0 + x)

    jaxpr, converted = convert(flat, jnp.ones((2, 3)))

    assert print_jaxpr(jaxpr, converted).text == "\n".join(
        [
            "{ lambda ; a:f32[2,3]. let",
            "    b:f32[2,3] = sin a",
            "    c:f32[2,3] = mul b 2.0:f32[]",
            "    d:f32[2,3] = add c a",
            "    e:f32[] = reduce_sum[axes=(0, 1)] d",
            "  in (e,) }",
        ]
    )


def test_variable_names_count_like_jaxs() -> None:
    assert [variable_name(n) for n in (0, 25, 26, 27, 52, 26 * 26)] == [
        "a",
        "z",
        "ba",
        "bb",
        "ca",
        "baa",
    ]


@jax.custom_vjp
def clipped(x: jax.Array) -> jax.Array:
    return jnp.sin(x)


def clipped_forward(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    return jnp.sin(x), jnp.cos(x)


def clipped_backward(kept: jax.Array, g: jax.Array) -> tuple[jax.Array]:
    return (jnp.clip(g * kept, -0.1, 0.1),)


clipped.defvjp(clipped_forward, clipped_backward)


@jax.custom_jvp
def halved(x: jax.Array) -> jax.Array:
    return jnp.exp(x) / 2


@halved.defjvp
def halved_rule(primals: Any, tangents: Any) -> tuple[jax.Array, jax.Array]:
    return halved(primals[0]), tangents[0]


def test_a_rule_of_its_own_has_the_names_that_jaxs_own_text_has() -> None:
    def ruled(x: jax.Array) -> jax.Array:
        return clipped(x) + halved(x) + jax.nn.relu(x)

    text = str(jax.make_jaxpr(ruled)(1.0))
    blocks = re.findall(r"custom_[jv][jv]p_call\[(.*?)\n    \]", text, re.DOTALL)
    wanted = [
        dict(re.findall(r"^      (name|fwd|bwd|jvp|symbolic_zeros)=(\S+)$", block, re.MULTILINE))
        for block in blocks
    ]
    assert [each["name"] for each in wanted] == ["clipped", "halved", "relu"]

    graph = convert(ruled, 1.0)[1].graph
    calls = graph.nodes_of(CUSTOM_DERIVATIVES)
    assert [dict(graph.attributes(node)) for node in calls] == wanted
    labels = [graph.group_label(group) for node in calls for group in graph.owned_groups()[node]]
    assert labels == ["clipped", "halved", "relu"]
