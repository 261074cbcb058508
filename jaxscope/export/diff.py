"""A comparison in each of its formats; the ending of a file's name picks one.

The JSON writer is here (NaN is `null`: unknown, never zero).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from jaxscope.errors import UsageError
from jaxscope.export.diff_html import comparison_to_html
from jaxscope.model import NONE, Capture, Graph, Unavailable
from jaxscope.model.said import say
from jaxscope.program.diff.captures import (
    ComparedCapture,
    Comparison,
    FateChange,
    PlacementDifference,
    StageComparison,
    find_fate_changes,
)
from jaxscope.program.diff.changes import GraphComparison, find_node_differences
from jaxscope.program.diff.quantities import QuantityDifference
from jaxscope.program.diff.texts import TextDiff, format_unified
from jaxscope.report.diff import LONG_LIST, comparison_to_document
from jaxscope.report.document import write_markdown, write_text
from jaxscope.schema.contract import CONTRACT, Json, environment_to_json, number_to_json
from jaxscope.schema.json_text import write_json

# A comparison as JSON for scripts. NaN is `null`: unknown, never zero.


FORMAT = "jaxscope.comparison"
VERSION = 1


def comparison_to_json(comparison: Comparison) -> Json:
    """All differences of two captures, without NaN."""
    names = comparison.first.name, comparison.second.name
    return {
        "format": FORMAT,
        "version": VERSION,
        "equal": comparison.is_equal,
        "first": _subject(comparison.first),
        "second": _subject(comparison.second),
        "notes": list(comparison.notes),
        "stages": [_stage(stage, names) for stage in comparison.stages],
        "memory": [_quantity(quantity) for quantity in comparison.memory],
        "times": [_quantity(quantity) for quantity in comparison.times],
        "times_missing": comparison.times_missing or None,
        "placements": _placements(comparison.placements),
        "fates": _fates(find_fate_changes(comparison)),
        "passes": {
            "first": _passes(comparison.first.capture),
            "second": _passes(comparison.second.capture),
        },
    }


def _subject(subject: ComparedCapture) -> Json:
    return {
        "name": subject.name,
        "call": subject.capture.call,
        "target": subject.capture.target,
        "environment": environment_to_json(subject.capture.environment),
    }


def _stage(stage: StageComparison, names: tuple[str, str]) -> Json:
    verdict, graphs, texts = stage.verdict, stage.graphs, stage.texts
    has_graphs = isinstance(graphs, GraphComparison)
    return {
        "key": stage.pair.key,
        "first": stage.pair.first if stage.first is not None else None,
        "second": stage.pair.second if stage.second is not None else None,
        "equal": None if isinstance(verdict, Unavailable) else verdict,
        "unavailable": verdict.reason if isinstance(verdict, Unavailable) else None,
        "counts": _counts(graphs) if isinstance(graphs, GraphComparison) else None,
        "no_graphs": None if has_graphs or not isinstance(graphs, Unavailable) else graphs.reason,
        "differences": _differences(graphs) if isinstance(graphs, GraphComparison) else [],
        "costs": [_quantity(cost) for cost in stage.costs],
        "placements": [
            {
                "first": _node(graphs.first, each.first),
                "second": _node(graphs.second, each.second),
                "before": each.before,
                "after": each.after,
            }
            for each in stage.placements
            if isinstance(graphs, GraphComparison)
        ],
        "text": _texts(texts, names) if isinstance(texts, TextDiff) else None,
    }


def _placements(placements: tuple[PlacementDifference, ...] | Unavailable) -> Json:
    if isinstance(placements, Unavailable):
        return {"unavailable": placements.reason, "differences": []}
    return {"unavailable": None, "differences": [dataclasses.asdict(each) for each in placements]}


def _fates(changes: tuple[FateChange, ...] | Unavailable) -> Json:
    if isinstance(changes, Unavailable):
        return {"unavailable": changes.reason, "differences": []}
    return {
        "unavailable": None,
        "differences": [
            {
                "first": change.first,
                "second": change.second,
                "before": CONTRACT.write(change.before),
                "after": CONTRACT.write(change.after),
            }
            for change in changes
        ],
    }


def _passes(capture: Capture) -> list[Json] | None:
    """The passes of one side; null where none were recorded."""
    return [
        {
            "name": record.name,
            "pipeline": record.pipeline,
            "changed": bool(record.change),
            "change": record.change or None,
            "instructions": record.num_instructions,
            "fusions": record.num_fusions,
            "seconds": number_to_json(record.seconds),
        }
        for record in capture.passes
    ] or None


def _counts(graphs: GraphComparison) -> Json:
    counts = graphs.counts
    return {
        "same": counts.same,
        "changed": counts.changed,
        "moved": counts.moved,
        "added": counts.added,
        "removed": counts.removed,
    }


def _differences(graphs: GraphComparison) -> list[Json]:
    return [
        {
            "change": change.name.lower(),
            "first": _node(graphs.first, first),
            "second": _node(graphs.second, second),
            "what": [
                {
                    "aspect": difference.aspect,
                    "name": difference.name or None,
                    "before": difference.before,
                    "after": difference.after,
                }
                for difference in find_node_differences(graphs, first, second)
            ],
        }
        for change, first, second in graphs.rows()
    ]


def _node(graph: Graph, node: int) -> Json | None:
    if node == NONE:
        return None
    return {
        "id": graph.id(node),
        "name": graph.name(node),
        "operation": graph.operation(node),
        "types": list(graph.types(node)),
    }


def _quantity(quantity: QuantityDifference) -> Json:
    return {
        "name": quantity.name,
        "unit": quantity.unit,
        "first": number_to_json(quantity.before),
        "second": number_to_json(quantity.after),
        "comparable": quantity.is_comparable,
        "meaning": quantity.meaning,
    }


def _texts(texts: TextDiff, names: tuple[str, str]) -> Json:
    return {
        "equal": texts.is_equal,
        **{kind: texts.count(kind) for kind in ("same", "changed", "added", "removed")},
        "unified": format_unified(texts, *names),
    }


def _format_json(comparison: Comparison) -> str:
    return write_json(comparison_to_json(comparison))


def _format_text(comparison: Comparison) -> str:
    return write_text(comparison_to_document(comparison, most_rows=None, with_texts=True))


def _format_markdown(comparison: Comparison) -> str:
    document = comparison_to_document(comparison, most_rows=LONG_LIST, with_texts=True)
    return write_markdown(document)


WRITERS: dict[str, Callable[[Comparison], str]] = {
    "html": comparison_to_html,
    "md": _format_markdown,
    "txt": _format_text,
    "json": _format_json,
}
"""By the ending of the file's name."""


def render_comparison(comparison: Comparison, path: Path) -> bytes:
    """The content of a file; its ending picks the format.

    Raises:
        UsageError: The ending names no format.
    """
    write = WRITERS.get(path.suffix.lower().removeprefix("."))
    if write is None:
        raise UsageError(
            say("{name} has no ending that names a format of comparisons.", name=path.name),
            why="The endings are: " + " ".join(f".{name}" for name in WRITERS) + ".",
        )
    text = write(comparison).rstrip("\n") + "\n"
    return text.encode("utf-8", "replace")
