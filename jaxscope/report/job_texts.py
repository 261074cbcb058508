"""What a job wrote down in words, as tables and as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any

from jaxscope.model.units import format_bytes, format_count, format_seconds, format_share
from jaxscope.program.job_texts import (
    HeldMemory,
    JobText,
    LargeBuffer,
    LoggedCompilation,
    OutOfMemory,
    repeated,
)
from jaxscope.report.document import (
    Block,
    Cell,
    Section,
    Verbatim,
    count_cell,
    known_cell,
    make_items,
    make_table,
    number_cell,
)
from jaxscope.schema.safe_text import make_safe_line

_COMPILED_HEADERS = ("function", "defined", "trace", "lower", "compile", "arguments", "why")
_BUFFER_HEADERS = ("size", "what", "shape", "line", "name")
_HELD_HEADERS = ("bytes", "share", "allocations", "from")
_MOST = 40
_MOST_CHARACTERS = 160
_LEAST_SHARE = 0.002
_MOST_HELD = 400


def texts_to_document(
    texts: Mapping[str, JobText | str], most: int | None = _MOST
) -> list[Section]:
    """A section for each kind of thing that each file says.

    Args:
        texts: By path, or why one cannot be read.
        most: Rows of a table of compilations.
    """
    sections: list[Section] = []
    for path, each in texts.items():
        if isinstance(each, str):
            sections.append(Section(path, [each]))
            continue
        if each.compilations:
            sections.append(_compilations(path, each.compilations, most))
        sections += [_lack(path, lack) for lack in each.lacks]
        if each.memory is not None:
            sections.append(_memory(path, each.memory))
    return sections


def _compilations(path: str, found: tuple[LoggedCompilation, ...], most: int | None) -> Section:
    often = repeated(found)
    whole = math.fsum(each.seconds for each in found)
    told = (
        f"{format_count(len(found), 'program')} of "
        f"{format_count(len({(e.function, e.place) for e in found}), 'function')}: "
        f"{format_seconds(whole)} of tracing, lowering and compiling."
    )
    again = [
        f"{name} was compiled {len(group):,} times: "
        f"{format_seconds(math.fsum(each.seconds for each in group))}."
        for name, group in often
    ]
    blocks: list[Block] = [told, make_items(again, 10)]
    blocks.append(make_table(_COMPILED_HEADERS, found, _compiled_row, most))
    if not any(each.why for each in found):
        blocks.append(
            "The log does not say why: set jax_explain_cache_misses (JAX_EXPLAIN_CACHE_MISSES=1)."
        )
    return Section(f"What was compiled, by {path}", blocks)


def _compiled_row(each: LoggedCompilation) -> tuple[Cell, ...]:
    return (
        Verbatim(make_safe_line(each.function)),
        each.place.rpartition("/")[2],
        *(
            known_cell(math.nan if seconds is None else seconds, format_seconds)
            for seconds in (each.trace, each.lower, each.compile)
        ),
        _cut(", ".join(each.types)),
        _cut(each.why),
    )


def _cut(text: str) -> str:
    safe = make_safe_line(text)
    return safe if len(safe) <= _MOST_CHARACTERS else f"{safe[:_MOST_CHARACTERS]}…"


def _lack(path: str, found: OutOfMemory) -> Section:
    told = "How much was wanted is not said."
    if found.wanted is not None and found.capacity is not None:
        told = (
            f"{format_bytes(found.wanted)} were wanted of {format_bytes(found.capacity)}: "
            f"{format_bytes(found.wanted - found.capacity)} too much."
        )
    elif found.wanted is not None:
        told = f"{format_bytes(found.wanted)} could not be allocated."
    blocks: list[Block] = [told]
    if found.sums:
        rows = make_table(("memory for", "bytes"), found.sums, _sum_row)
        blocks.append(rows)
    if found.buffers:
        count = format_count(len(found.buffers), "buffer")
        blocks.append(f"The {count} that the message lists, the largest ones:")
        largest = sorted(found.buffers, key=lambda each: -(each.size or 0.0))
        blocks.append(make_table(_BUFFER_HEADERS, largest, _buffer_row))
    if not found.is_whole:
        blocks.append("The message is cut off: it ends in the middle of a buffer.")
    return Section(f"Memory did not suffice, by {path}", blocks)


def _sum_row(row: tuple[str, float]) -> tuple[Cell, ...]:
    return row[0], number_cell(row[1], format_bytes)


def _buffer_row(each: LargeBuffer) -> tuple[Cell, ...]:
    padded = ""
    if each.unpadded is not None and 0 < each.unpadded < (each.size or 0.0):
        padded = f" ({format_bytes(each.unpadded)} without padding)"
    return (
        known_cell(math.nan if each.size is None else each.size, format_bytes),
        _cut(each.kind or each.label.partition(" = ")[0]),
        Verbatim(_cut(f"{each.shape}{padded}")),
        f"{each.file.rpartition('/')[2]}:{each.line}" if each.line else "",
        Verbatim(_cut(each.name or each.label)),
    )


def _memory(path: str, root: HeldMemory) -> Section:
    told = (
        f"{format_bytes(root.num_bytes)} in {format_count(root.count, 'allocation')}, by the lines "
        "that made them; lines inside of JAX are left out."
    )
    rows = list(_walk(root, 0, root.num_bytes))
    table = make_table(_HELD_HEADERS, rows, lambda row: _held_row(*row, root.num_bytes), _MOST_HELD)
    return Section(f"What was held in memory, by {path}", [told, table])


def _walk(node: HeldMemory, depth: int, whole: int) -> Iterator[tuple[HeldMemory, int]]:
    waiting = [(each, depth) for each in reversed(node.inside)]
    while waiting:
        each, level = waiting.pop()
        if each.num_bytes >= _LEAST_SHARE * whole and (each.num_bytes or not whole):
            yield each, level
            waiting += [(inner, level + 1) for inner in reversed(each.inside)]


def _held_row(node: HeldMemory, depth: int, whole: int) -> tuple[Cell, ...]:
    place = f"{node.file.rpartition('/')[2]}:{node.line}" if node.file else ""
    name = node.kind or f"{node.function} {place}".strip() or "not known"
    share = node.num_bytes / whole if whole else 0.0
    return (
        number_cell(node.num_bytes, format_bytes),
        number_cell(share, format_share),
        count_cell(node.count),
        Verbatim(f"{'  ' * min(depth, 30)}{make_safe_line(name)}"),
    )


def texts_to_json(texts: Mapping[str, JobText | str]) -> list[dict[str, Any]]:
    """The same for scripts; memory as a tree."""
    return [
        {"path": path, "unavailable": each}
        if isinstance(each, str)
        else {
            "path": path,
            "unavailable": None,
            "compilations": [dataclasses.asdict(one) for one in each.compilations],
            "out_of_memory": [
                {**dataclasses.asdict(one), "sums": dict(one.sums)} for one in each.lacks
            ],
            "memory": None if each.memory is None else _tree_json(each.memory),
        }
        for path, each in texts.items()
    ]


def _tree_json(root: HeldMemory) -> dict[str, Any]:
    """Not deeper than a stack is (`program.memory_profile`)."""
    return {
        "function": root.function or None,
        "file": root.file or None,
        "line": root.line or None,
        "kind": root.kind or None,
        "bytes": root.num_bytes,
        "allocations": root.count,
        "inside": [_tree_json(each) for each in root.inside],
    }
