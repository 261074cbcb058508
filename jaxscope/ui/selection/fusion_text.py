"""Fusions, kernels and launches described as HTML.

Imported with the first fusion report: it loads the modules of fates.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.model.units import format_bytes
from jaxscope.program.fusion.launches import compare_launches
from jaxscope.program.fusion.summary import FusionReport
from jaxscope.report.fusion import describe_duplicate, describe_operations, describe_saving
from jaxscope.ui.toolkit.rich_text import escape_breakable

_MAX_SHOWN = 8


def describe_kernel(report: FusionReport, node: int, muted: str) -> str:
    """The fusion that a node is, or the kernel that it runs in, as HTML."""
    module = report.module
    kernel = module.kernel(node)
    fusion = report.fusion_of(node) or report.fusion_of(kernel)
    rows: list[tuple[str, str]] = []
    if fusion is not None:
        rows = [
            ("kind", escape_breakable(fusion.kind)),
            ("computes", escape_breakable(describe_operations(fusion))),
            ("reads", _values([(v.id, v.type, v.num_bytes) for v in fusion.inputs])),
            ("writes", _values([("", v.type, v.num_bytes) for v in fusion.outputs])),
            ("saves", escape_breakable(describe_saving(fusion))),
        ]
    twice = report.duplicates_in(kernel)
    told = [escape_breakable(describe_duplicate(d, kernel)) for d in twice[:_MAX_SHOWN]]
    if len(twice) > _MAX_SHOWN:
        told.append(f"and {len(twice) - _MAX_SHOWN} more")
    rows.append(("computed twice", "<br>".join(told)))
    shown = [(label, text) for label, text in rows if text]
    if not shown:
        return ""
    name = escape_breakable(fusion.id if fusion is not None else module.id(kernel))
    cells = "".join(
        f"<tr><td style='color:{muted}; padding-right:10px'>{label}</td><td>{text}</td></tr>"
        for label, text in shown
    )
    title = f"Fusion {name}" if fusion is not None else f"Kernel {name}"
    return f"<h4>{title}</h4><table cellspacing='0' cellpadding='2'>{cells}</table>"


def describe_pair(report: FusionReport, first: int, second: int) -> str:
    """Why two nodes are not one kernel, as HTML."""
    found = report.why_apart(first, second)
    same = found.first == found.second
    title = "One kernel" if same else "Why are these not one kernel?"
    return f"<h4>{title}</h4><p>{escape_breakable(found.text)}</p>"


def describe_launches(report: FusionReport) -> Sequence[str]:
    """Eager against optimized in a sentence, then the definitions; empty where one is missing."""
    if report.one_by_one is None:
        return ()
    told = compare_launches(report.one_by_one, report.fused)
    return (told, report.one_by_one.definition, report.fused.definition)


def _values(values: list[tuple[str, str, float]]) -> str:
    lines = [
        f"{escape_breakable(f'{name} {type}'.strip())}, {format_bytes(num_bytes)}"
        for name, type, num_bytes in values[:_MAX_SHOWN]
    ]
    if len(values) > _MAX_SHOWN:
        lines.append(f"and {len(values) - _MAX_SHOWN} more")
    return "<br>".join(lines)
