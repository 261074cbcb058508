"""All that is known about the fusions of one capture, as data, rows and JSON."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from jaxscope.analysis.fusion.duplicates import Duplicate, find_duplicates
from jaxscope.analysis.fusion.fusions import Fusion, find_fusions
from jaxscope.analysis.fusion.launches import Launches, Span, count_eager, count_fused
from jaxscope.analysis.fusion.module import Module
from jaxscope.analysis.links import LATE_STAGES
from jaxscope.analysis.quantities import format_bytes, format_count, format_flops
from jaxscope.model import Graph, Stage, is_available

_MAX_NAMES = 8


@dataclasses.dataclass(frozen=True, eq=False)
class FusionReport:
    """What fusing brought to one program.

    Attributes:
        module: The optimized module, for questions about pairs.
        fusions: In program order.
        duplicates: Values that several kernels compute.
        eager: The program equation by equation; None without a graph of it.
        fused: The optimized program.
    """

    module: Module
    fusions: tuple[Fusion, ...]
    duplicates: tuple[Duplicate, ...]
    eager: Launches | None
    fused: Launches

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


def report_fusions(stages: Sequence[Stage]) -> FusionReport | None:
    """Look into the fusions of a capture; None if its stage `optimized` has no graph."""
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
        count_eager(Module(traced[-1])) if traced else None,
        count_fused(module),
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
        "eager": None if report.eager is None else _launches(report.eager),
        "fused": _launches(report.fused),
    }


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
