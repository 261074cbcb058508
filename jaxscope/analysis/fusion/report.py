"""All that is known about the fusions of one capture, as data, rows and JSON."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jaxscope.analysis.fusion.decisions import FusionLog, decision_to_json
from jaxscope.analysis.fusion.duplicates import Duplicate, find_duplicates
from jaxscope.analysis.fusion.fusions import Fusion, find_fusions
from jaxscope.analysis.fusion.launches import Launches, Span, count_fused, count_one_by_one
from jaxscope.analysis.fusion.module import CONTROL, Module
from jaxscope.analysis.fusion.neighbours import (
    Certainty,
    Separation,
    explain_separation,
    find_users,
)
from jaxscope.analysis.links import LATE_STAGES
from jaxscope.analysis.quantities import format_bytes, format_count, format_flops
from jaxscope.model import Graph, Stage, is_available

_MAX_NAMES = 8
_MAX_READERS = 8
"""Of one kernel, that the JSON explains; the others are counted."""


@dataclasses.dataclass(frozen=True, eq=False)
class FusionReport:
    """What fusing brought to one program.

    Attributes:
        module: The optimized module, for questions about pairs.
        fusions: In program order.
        duplicates: Values that several kernels compute.
        one_by_one: The program equation by equation; None without a graph of it.
        fused: The optimized program.
        log: What XLA itself wrote of its decisions; None where it wrote nothing.
    """

    module: Module
    fusions: tuple[Fusion, ...]
    duplicates: tuple[Duplicate, ...]
    one_by_one: Launches | None
    fused: Launches
    log: FusionLog | None = None

    def why_apart(self, first: int, second: int) -> Separation:
        """Why two instructions are not one kernel: by XLA's own log where it tells, else inferred.

        Args:
            first: A node of the optimized module.
            second: Another.
        """
        inferred = explain_separation(self.module, first, second)
        if self.log is None or inferred.certainty is Certainty.FACT:
            return inferred
        first, second = self.module.kernel(first), self.module.kernel(second)
        if first in find_users(self.module, second):
            first, second = second, first
        elif second not in find_users(self.module, first):
            return inferred  # the log is about those that make a value and those that read it
        if self.module.operations[first] in CONTROL:
            return inferred  # no candidate: the log tells of what went into it at most
        decision = self.log.between(self._results_of(first), self._results_of(second))
        if decision is None:
            return inferred
        names = self.module.id(first), self.module.id(second)
        return Separation(*names, Certainty.LOGGED, (("log", decision.text),))

    def readers(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Every kernel with those that read what it makes, where there are any."""
        module = self.module
        for node in range(len(module.operations)):
            if module.is_free(node) or module.kernel(node) != node:
                continue
            users = tuple(user for user in find_users(module, node) if module.kernel(user) == user)
            if users:
                yield node, users

    def _results_of(self, kernel: int) -> tuple[str, ...]:
        """Equations of the last jaxpr-level stage whose results a kernel makes."""
        graph, last = self.module.graph, self.module.last_operation(kernel)
        return graph.row(graph.nodes.derived, kernel) or graph.row(graph.nodes.derived, last)

    def fusion_of(self, node: int) -> Fusion | None:
        """The fusion of an instruction, if it is one."""
        return self._fusion_of_node.get(node)

    def duplicates_in(self, kernel: int) -> tuple[Duplicate, ...]:
        """What a kernel computes that another computes too."""
        return tuple(self._duplicates_of_kernel.get(kernel, ()))

    @functools.cached_property
    def _fusion_of_node(self) -> Mapping[int, Fusion]:
        return {fusion.node: fusion for fusion in self.fusions}

    @functools.cached_property
    def _duplicates_of_kernel(self) -> Mapping[int, Sequence[Duplicate]]:
        found: dict[int, list[Duplicate]] = {}
        for duplicate in self.duplicates:
            for copy in duplicate.copies:
                found.setdefault(copy.kernel, []).append(duplicate)
        return found


def report_fusions(stages: Sequence[Stage], log: FusionLog | None = None) -> FusionReport | None:
    """Look into the fusions of a capture; None if its stage `optimized` has no graph.

    Args:
        stages: Of the capture.
        log: See `read_fusion_log`.
    """
    graphs = {stage.name: stage.graph for stage in stages if is_available(stage.graph)}
    optimized = graphs.get("optimized")
    if optimized is None:
        return None
    module = Module(optimized)
    traced: list[Graph] = [graph for name, graph in graphs.items() if name not in LATE_STAGES]
    return FusionReport(
        module,
        find_fusions(module),
        find_duplicates(module),
        count_one_by_one(Module(traced[-1])) if traced else None,
        count_fused(module),
        log,
    )


def tell_saving(fusion: Fusion) -> str:
    """What a fusion saves, in words."""
    saving = fusion.saving
    if saving.reason:
        return f"unknown: {saving.reason}"
    if not saving.num_bytes:
        return "nothing: it has no intermediate result"
    values = format_count(saving.num_values, "intermediate result")
    return (
        f"{format_bytes(saving.num_bytes)}: {values} not written "
        f"({format_bytes(saving.bytes_written)}) and not read "
        f"({format_bytes(saving.bytes_read)})"
    )


def tell_operations(fusion: Fusion) -> str:
    """What is computed inside, such as `multiply × 3, add`."""
    return ", ".join(
        operation if count == 1 else f"{operation} × {count}"
        for operation, count in fusion.operations
    )


def tell_duplicate(duplicate: Duplicate, kernel: int | None = None) -> str:
    """One value that is computed several times, in words; seen from one of the kernels or none."""
    others = [copy.kernel_id for copy in duplicate.copies if copy.kernel != kernel]
    names = ", ".join(others[:_MAX_NAMES])
    more = len(others) - _MAX_NAMES
    also = "computed in" if kernel is None else "also computed in"
    equations = ""
    if duplicate.equations:
        word = "equation" if len(duplicate.equations) == 1 else "equations"
        equations = f" of {word} {', '.join(duplicate.equations[:_MAX_NAMES])}"
    parts = []
    if not math.isnan(duplicate.flops_recomputed) and duplicate.flops_recomputed:
        parts.append(format_flops(duplicate.flops_recomputed))
    if duplicate.transcendentals_recomputed > 0:
        parts.append(f"{duplicate.transcendentals_recomputed:,.0f} of exp, tanh and the like")
    if math.isnan(duplicate.flops_recomputed):
        parts.append("unknown work")
    work = f"; computed again: {' and '.join(parts)}" if parts else ""
    return (
        f"{duplicate.operation} {duplicate.type}{equations} is {also} {names}"
        + (f" and {more} more" if more > 0 else "")
        + work
    )


def fusion_to_json(report: FusionReport) -> dict[str, Any]:
    """The report as plain data; null is unknown, never zero."""
    return {
        "fusions": [_fusion(fusion) for fusion in report.fusions],
        "duplicates": [_duplicate(duplicate) for duplicate in report.duplicates],
        "one_by_one": None if report.one_by_one is None else _launches(report.one_by_one),
        "fused": _launches(report.fused),
        "neighbours": _neighbours(report),
        "decisions": None
        if report.log is None
        else [decision_to_json(decision) for decision in report.log.decisions],
    }


def _neighbours(report: FusionReport) -> Mapping[str, Any]:
    """Why each kernel and those that read what it makes are not one; `left_out` counts readers."""
    pairs: list[Mapping[str, Any]] = []
    left_out = 0
    for first, readers in report.readers():
        left_out += len(readers[_MAX_READERS:])
        for second in readers[:_MAX_READERS]:
            separation = report.why_apart(first, second)
            pairs.append(
                {
                    "first": separation.first,
                    "second": separation.second,
                    "certainty": separation.certainty.value,
                    "rules": [name for name, _ in separation.reasons],
                    "text": separation.text,
                }
            )
    return {"pairs": pairs, "left_out": left_out}


def _fusion(fusion: Fusion) -> Mapping[str, Any]:
    saving = fusion.saving
    return {
        "id": fusion.id,
        "kind": fusion.kind,
        "inputs": [
            {"id": value.id, "type": value.type, "bytes": _number(value.num_bytes)}
            for value in fusion.inputs
        ],
        "outputs": [
            {"type": value.type, "bytes": _number(value.num_bytes)} for value in fusion.outputs
        ],
        "operations": dict(fusion.operations),
        "saves": {
            "bytes_written": _number(saving.bytes_written),
            "bytes_read": _number(saving.bytes_read),
            "values": saving.num_values,
            "reason": saving.reason or None,
        },
    }


def _duplicate(duplicate: Duplicate) -> Mapping[str, Any]:
    return {
        "operation": duplicate.operation,
        "type": duplicate.type,
        "equations": list(duplicate.equations),
        "copies": [{"kernel": copy.kernel_id, "id": copy.id} for copy in duplicate.copies],
        "bytes": _number(duplicate.num_bytes),
        "flops_recomputed": _number(duplicate.flops_recomputed),
        "transcendentals_recomputed": _number(duplicate.transcendentals_recomputed),
    }


def _launches(launches: Launches) -> Mapping[str, Any]:
    return {
        "kernels": _span(launches.kernels),
        "bytes": _span(launches.num_bytes),
        "definition": launches.definition,
    }


def _span(span: Span) -> Mapping[str, Any]:
    return {
        "low": _number(span.low),
        "high": _number(span.high),
        "reason": span.reason or None,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
