"""Chains lead through the borders of nested programs, as values do."""

from __future__ import annotations

import pytest

from jaxscope.model import Graph, GraphBuilder, GroupKind, NodeKind
from jaxscope.program.dataflow import find_neighbourhood
from jaxscope.program.search import SearchIndex


def operations(graph: Graph, query: str) -> list[str]:
    found = SearchIndex(graph).find(query).tolist()
    return [graph.string(graph.nodes.operation, node) for node in found]


class Program:
    """A graph with nested programs, value by value."""

    def __init__(self) -> None:
        self.builder = GraphBuilder()

    def add(
        self,
        operation: str,
        *operands: int,
        group: int = -1,
        kind: NodeKind = NodeKind.EQUATION,
        **attributes: str,
    ) -> int:
        node = self.builder.add_node(
            str(self.builder.num_nodes), kind, operation, group=group, attributes=attributes
        )
        for number, operand in enumerate(operands):
            self.builder.add_edge(operand, node, operand=number, type="f32[]")
        return node

    def nest(self, owner: int, parent: int = -1) -> int:
        name = f"body{owner}"
        return self.builder.add_group(name, GroupKind.JAXPR, name, parent=parent, owner=owner)

    def enter(self, group: int, operand: int = 0) -> int:
        return self.add("input", group=group, kind=NodeKind.INPUT, operand=str(operand))

    def leave(self, node: int, group: int, result: int = 0) -> int:
        return self.add("output", node, group=group, kind=NodeKind.OUTPUT, result=str(result))


@pytest.fixture
def relu() -> Graph:
    """`sin(relu(dot + b))`, where relu is a program in a program, as `jax.nn.relu` is."""
    program = Program()
    total = program.add("add", program.add("dot_general"))
    outer = program.nest(jit := program.add("jit", total))
    rule = program.add("custom_jvp_call", program.enter(outer), group=outer)
    inner = program.nest(rule, outer)
    program.leave(program.add("max", program.enter(inner), group=inner), inner)
    program.leave(rule, outer)
    program.add("sin", jit)
    return program.builder.build()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("dot_general -> add -> max", ["dot_general", "add", "max"]),
        ("add -> max -> sin", ["add", "max", "sin"]),
        ("dot_general -> ... -> sin", ["dot_general", "sin"]),
        ("add -> jit -> sin", ["add", "jit", "sin"]),
        ("add -> input", ["add", "input", "input"]),
        ("dot_general -> max", []),
        ("max -> add", []),
    ],
)
def test_values_go_into_nested_programs_and_out_of_them(
    relu: Graph, query: str, expected: list[str]
) -> None:
    assert operations(relu, query) == expected


def test_each_operand_and_result_keeps_its_own_way() -> None:
    program = Program()
    owner = program.add("jit", program.add("sin"), program.add("cos"))
    body = program.nest(owner)
    first, second = program.enter(body, 0), program.enter(body, 1)
    program.leave(program.add("exp", first, group=body), body, 0)
    program.leave(program.add("log", second, group=body), body, 1)
    user = program.add("tanh")
    program.builder.add_edge(owner, user, output=1, operand=0, type="f32[]")
    graph = program.builder.build()
    assert operations(graph, "sin -> exp") == ["sin", "exp"]
    assert operations(graph, "cos -> log -> tanh") == ["cos", "log", "tanh"]
    assert operations(graph, "sin -> log") == []
    assert operations(graph, "exp -> tanh") == []


def test_a_bitcast_is_no_step_but_is_found() -> None:
    program = Program()
    program.add("add", program.add("bitcast", program.add("dot")))
    graph = program.builder.build()
    assert operations(graph, "dot -> add") == ["dot", "add"]
    assert operations(graph, "dot -> bitcast -> add") == ["dot", "bitcast", "add"]


def test_what_is_inside_of_a_nested_program_is_as_near_as_its_owner(relu: Graph) -> None:
    names = [relu.string(relu.nodes.operation, node) for node in range(len(relu.nodes))]
    near = [names[node] for node in find_neighbourhood(relu, [names.index("max")], 1)]
    assert {"add", "sin"} <= set(near)
    assert "dot_general" not in near
