"""Tuples that are taken whole: an edge for each element in JSON, one edge in the graph."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import jax.numpy as jnp

from jaxscope.export.capture_json import capture_to_json
from jaxscope.in_process import capture_function
from jaxscope.model import Graph
from jaxscope.schema.contract import load_contract


def count(x: jax.Array) -> jax.Array:
    return jax.lax.fori_loop(0, 5, lambda _, y: jnp.sin(y), x)


def test_a_loop_takes_each_element_of_its_state(tmp_path: Path) -> None:
    captured = capture_function(count, (jnp.ones(3),), {})
    told = capture_to_json(captured)
    graph = next(stage["graph"] for stage in told["stages"] if stage["name"] == "hlo")
    operations = {node["id"]: node["operation"] for node in graph["nodes"]}
    taken = [edge for edge in graph["edges"] if operations[edge["to"][0]] == "while"]
    assert len(taken) > 1
    assert [edge["from"][1] for edge in taken] == list(range(len(taken)))
    assert {edge["to"][1] for edge in taken} == {0}
    assert {edge["whole"] for edge in taken} == {f"({', '.join(e['type'] for e in taken)})"}

    path = tmp_path / "capture.json"
    path.write_text(json.dumps(told))
    for ours, theirs in zip(captured.stages, load_contract(path).stages, strict=True):
        if isinstance(ours.graph, Graph):
            assert isinstance(theirs.graph, Graph)
            assert edges(theirs.graph) == edges(ours.graph)


def edges(graph: Graph) -> list[tuple[int, int, int, int, str]]:
    table = graph.edges
    types = [graph.strings[code] for code in table.type.tolist()]
    columns = (table.source, table.output, table.target, table.operand)
    rows = [column.tolist() for column in columns]
    return list(zip(*rows, types, strict=True))
