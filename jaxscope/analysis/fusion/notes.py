"""What is known about fusions as attributes of their nodes, for readers that show attributes."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.fusion.fusions import Value
from jaxscope.analysis.fusion.report import (
    FusionReport,
    tell_duplicate,
    tell_operations,
    tell_saving,
)
from jaxscope.analysis.quantities import format_bytes
from jaxscope.model import Graph, Ragged
from jaxscope.model.graph_builder import StringTable

_MAX_VALUES = 8


def add_fusion_notes(report: FusionReport) -> Graph:
    """The optimized graph with attributes `fusion_…` on its fusions and on repeated kernels."""
    graph = report.module.graph
    notes = _find_notes(report)
    if not notes:
        return graph
    table = StringTable()
    for string in graph.strings:
        table[string]
    rows = []
    for node in range(len(graph.nodes)):
        row = graph.nodes.attributes[node].tolist()
        for key, value in notes.get(node, {}).items():
            row += [table[key], table[value]]
        rows.append(row)
    nodes = dataclasses.replace(graph.nodes, attributes=Ragged.from_rows(rows))
    return dataclasses.replace(graph, strings=table.strings(), nodes=nodes)


def _find_notes(report: FusionReport) -> dict[int, dict[str, str]]:
    notes: dict[int, dict[str, str]] = {}
    for fusion in report.fusions:
        row = {
            "fusion_in_words": fusion.kind,
            "fusion_computes": tell_operations(fusion),
            "fusion_reads": _tell_values(fusion.inputs),
            "fusion_writes": _tell_values(fusion.outputs),
            "fusion_saves": tell_saving(fusion),
        }
        notes[fusion.node] = {key: value for key, value in row.items() if value}
    for duplicate in report.duplicates:
        for copy in duplicate.copies:
            row = notes.setdefault(copy.kernel, {})
            told = tell_duplicate(duplicate, copy.kernel)
            before = row.get("fusion_repeats", "")
            row["fusion_repeats"] = f"{before}; {told}" if before else told
    return notes


def _tell_values(values: tuple[Value, ...]) -> str:
    told = [f"{value.type} ({format_bytes(value.num_bytes)})" for value in values[:_MAX_VALUES]]
    more = len(values) - _MAX_VALUES
    return ", ".join([*told, *([f"and {more} more"] if more > 0 else [])])
