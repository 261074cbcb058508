"""What a job left behind, as a table and as JSON."""

from __future__ import annotations

import shlex
from typing import Any

from jaxscope.model import Capture, is_available
from jaxscope.model.left_behind import LeftBehind, LeftModule
from jaxscope.model.stages import stage_kind
from jaxscope.model.units import format_bytes, format_count
from jaxscope.program.size import describe_size
from jaxscope.report.document import (
    Block,
    Cell,
    Section,
    Table,
    Verbatim,
    count_cell,
    make_items,
    make_table,
    number_cell,
)

_MOST = 200
_HEADERS = ("module", "compiled for", "what is there", "passes", "size of the module")


def opened_to_document(found: LeftBehind) -> list[Section]:
    """The modules, the largest first, and what can be done with them."""
    blocks: list[Block] = []
    if found.modules:
        count, largest = format_count(len(found.modules), "module"), found.largest
        size = format_bytes(largest.weight)
        alone = len(found.modules) == 1
        blocks.append(f"{count}: {largest.label}" if alone else f"{count}; {_largest(found, size)}")
        rows = sorted(found.modules, key=lambda module: -module.weight)
        blocks.append(_table(rows))
        path = shlex.join(found.paths)
        choice = "" if alone else " --module NAME"
        blocks.append(f"To look at one: jaxscope open {path}{choice} -o out.jaxscope")
    for what, paths in (("saved captures", found.captures), ("profiles", found.profiles)):
        if paths:
            blocks += [f"Besides, there are {what}:", make_items(paths, 20)]
    blocks += found.notes
    return [Section("What was left behind", blocks)]


def _largest(found: LeftBehind, size: str) -> str:
    return f"the largest is {found.largest.label} ({size})."


def _table(modules: list[LeftModule]) -> Table:
    return make_table(_HEADERS, modules, _row, _MOST)


def _row(module: LeftModule) -> tuple[Cell, ...]:
    stages = [stage_kind(name).title for name in module.stages if name != "passes"]
    return (
        Verbatim(module.label),
        module.platform or "not said",
        ", ".join(stages),
        count_cell(module.num_passes),
        number_cell(module.weight, format_bytes),
    )


def opened_to_json(found: LeftBehind) -> dict[str, Any]:
    """The same for scripts; modules in the order in which they were compiled."""
    return {
        "format": "jaxscope.opened",
        "version": 1,
        "paths": list(found.paths),
        "largest": found.largest.label if found.modules else None,
        "modules": [
            {
                "name": module.label,
                "module": module.name,
                "platform": module.platform or None,
                "stages": list(module.stages),
                "passes": module.num_passes,
                "bytes": module.num_bytes,
                "module_bytes": module.weight,
                "files": {role: list(paths) for role, paths in module.files.items()},
            }
            for module in found.modules
        ],
        "captures": list(found.captures),
        "profiles": list(found.profiles),
        "notes": list(found.notes),
    }


def describe_capture(capture: Capture) -> str:
    """Name and stages of a capture, a line each, and what the reader should know of it."""
    lines = [capture.call]
    for stage in capture.stages:
        name = stage.title or stage.name
        if stage.unavailable is not None:
            lines.append(f"  {name}: not available: {stage.unavailable.reason}")
        elif is_available(stage.graph):
            lines.append(f"  {name}: {describe_size(stage.graph)}")
        else:
            lines.append(f"  {name}")
    return "\n".join([*lines, *(f"note: {message}" for message in capture.messages)])
