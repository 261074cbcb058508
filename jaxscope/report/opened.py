"""What a job left behind, as a table and as JSON."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from jaxscope.model import Capture, is_available
from jaxscope.model.dumps import FoundDumps, ModuleFiles
from jaxscope.model.stages import can_ask_for, stage_kind
from jaxscope.model.units import (
    file_name,
    format_bytes,
    format_count,
    format_place,
    format_seconds,
    format_share,
    join_words,
)
from jaxscope.program.job_texts import (
    HeldMemory,
    JobText,
    LargeBuffer,
    LoggedCompilation,
    OutOfMemory,
    repeated,
)
from jaxscope.program.size import describe_size
from jaxscope.program.xplane import (
    MeasuredInstruction,
    RecordedDifference,
    Recording,
    compare_recordings,
    sum_recorded,
)
from jaxscope.report.document import (
    Block,
    Cell,
    Section,
    Table,
    Verbatim,
    count_cell,
    known_cell,
    make_items,
    make_table,
    number_cell,
)
from jaxscope.schema.safe_text import make_safe_line

# What a job wrote down in words, as tables and as JSON.

_COMPILED_HEADERS = ("function", "defined", "trace", "lower", "compile", "arguments", "why")
_BUFFER_HEADERS = ("size", "what", "shape", "line", "name")
_HELD_HEADERS = ("bytes", "share", "allocations", "from")
_MOST_ROWS = 40
_MOST_CHARACTERS = 160
_LEAST_SHARE = 0.002
_MOST_HELD = 400


def texts_to_document(
    texts: Mapping[str, JobText | str], most: int | None = _MOST_ROWS, *, names_file: bool = True
) -> list[Section]:
    """A section for each kind of thing that each file says.

    Args:
        texts: By path, or why one cannot be read.
        most: Rows of a table of compilations.
        names_file: Whether titles say from which file a thing is.
    """
    sections: list[Section] = []
    for file, each in texts.items():
        path = file if names_file else ""
        if isinstance(each, str):
            sections.append(Section(path, [each]))
            continue
        if each.compilations:
            sections.append(_compilations(path, each.compilations, most))
        sections += [_lack(path, lack) for lack in each.lacks]
        if each.memory is not None:
            sections.append(_memory(path, each.memory))
    return sections


def _title(told: str, path: str) -> str:
    return f"{told}, by {path}" if path else told


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
    return Section(_title("What was compiled", path), blocks)


def _compiled_row(each: LoggedCompilation) -> tuple[Cell, ...]:
    return (
        Verbatim(make_safe_line(each.function)),
        file_name(each.place),
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
        rows = make_table(("memory for", "bytes"), found.sums, _memory_row)
        blocks.append(rows)
    if found.buffers:
        count = format_count(len(found.buffers), "buffer")
        blocks.append(f"The {count} that the message lists, the largest ones:")
        largest = sorted(found.buffers, key=lambda each: -(each.size or 0.0))
        blocks.append(make_table(_BUFFER_HEADERS, largest, _buffer_row))
    if not found.is_whole:
        blocks.append("The message is cut off: it ends in the middle of a buffer.")
    return Section(_title("Memory did not suffice", path), blocks)


def _memory_row(row: tuple[str, float]) -> tuple[Cell, ...]:
    return row[0], number_cell(row[1], format_bytes)


def _buffer_row(each: LargeBuffer) -> tuple[Cell, ...]:
    padded = ""
    if each.unpadded is not None and 0 < each.unpadded < (each.size or 0.0):
        padded = f" ({format_bytes(each.unpadded)} without padding)"
    return (
        known_cell(math.nan if each.size is None else each.size, format_bytes),
        _cut(each.kind or each.label.partition(" = ")[0]),
        Verbatim(_cut(f"{each.shape}{padded}")),
        format_place(each.file, each.line),
        Verbatim(_cut(each.name or each.label)),
    )


def _memory(path: str, root: HeldMemory) -> Section:
    told = (
        f"{format_bytes(root.num_bytes)} in {format_count(root.count, 'allocation')}, by the lines "
        "that made them; lines inside of JAX are left out."
    )
    rows = list(_walk(root, 0, root.num_bytes))
    table = make_table(_HELD_HEADERS, rows, lambda row: _held_row(*row, root.num_bytes), _MOST_HELD)
    return Section(_title("What was held in memory", path), [told, table])


def _walk(node: HeldMemory, depth: int, whole: int) -> Iterator[tuple[HeldMemory, int]]:
    waiting = [(each, depth) for each in reversed(node.inside)]
    while waiting:
        each, level = waiting.pop()
        if each.num_bytes >= _LEAST_SHARE * whole and (each.num_bytes or not whole):
            yield each, level
            waiting += [(inner, level + 1) for inner in reversed(each.inside)]


def _held_row(node: HeldMemory, depth: int, whole: int) -> tuple[Cell, ...]:
    place = format_place(node.file, node.line)
    name = node.kind or f"{node.function} {place}".strip() or "not known"
    share = node.num_bytes / whole if whole else 0.0
    return (
        number_cell(node.num_bytes, format_bytes),
        number_cell(share, format_share),
        count_cell(node.count),
        Verbatim(f"{'  ' * min(depth, 30)}{make_safe_line(name)}"),
    )


def texts_to_json(texts: Mapping[str, JobText | str]) -> list[dict[str, Any]]:
    """Texts of a job as JSON: compilations, failures of memory, memory as a tree."""
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
    """Memory by frame as JSON; no deeper than a stack is."""
    return {
        "function": root.function or None,
        "file": root.file or None,
        "line": root.line or None,
        "kind": root.kind or None,
        "bytes": root.num_bytes,
        "allocations": root.count,
        "inside": [_tree_json(each) for each in root.inside],
    }


_MOST = 200
_NO_RECORDINGS: Mapping[str, Recording | str] = MappingProxyType({})
_NO_TEXTS: Mapping[str, JobText | str] = MappingProxyType({})
_HEADS = ("module", "line or instruction", "first", "second", "second/first")
_HEADERS = ("module", "compiled for", "what is there", "passes", "size of the module")


def opened_to_document(
    found: FoundDumps,
    recordings: Mapping[str, Recording | str] = _NO_RECORDINGS,
    texts: Mapping[str, JobText | str] = _NO_TEXTS,
) -> list[Section]:
    """The modules, the costliest or largest first, what can be done, and what was measured.

    Args:
        found: What is there.
        recordings: By path, or why one cannot be read.
        texts: The same.
    """
    told: list[str] = []
    blocks: list[Block] = []
    if found.modules:
        count = format_count(len(found.modules), "module")
        alone = len(found.modules) == 1
        told.append(f"{count}: {found.largest.label}" if alone else f"{count}; {_first(found)}")
        blocks.append(_table(found.ranked))
        path = join_words(found.paths)
        choice = "" if alone else " --module NAME"
        blocks.append(f"To look at one: jaxscope open {path}{choice} -o out.jaxscope")
    for what, paths in (("saved capture", found.captures), ("profile", found.profiles)):
        if paths:
            told.append(format_count(len(paths), what))
            blocks.append(make_items(paths, 20))
    if texts:
        told.append(format_count(len(texts), "text"))
    blocks += found.notes
    measured = {path: each for path, each in recordings.items() if isinstance(each, Recording)}
    blocks += [each for each in recordings.values() if isinstance(each, str)]
    sections = [Section(f"What was left behind: {', '.join(told) or 'no module'}.", blocks)]
    sections += [_measured_section(path, each) for path, each in measured.items()]
    if len(measured) == 2:
        sections.append(_difference_section(measured))
    first, *others = sections
    return [first, *(each for each in others if each.blocks), *texts_to_document(texts)]


def _difference_section(measured: Mapping[str, Recording]) -> Section:
    differences = compare_recordings(*measured.values())
    told = (
        f"Seconds for each run of the module, in {' and '.join(measured)}; in all where the "
        "recording does not tell runs apart. A cell is empty where a recording has nothing of it."
    )
    return Section("What differs", [told, make_table(_HEADS, differences, _difference_row, 30)])


def _measured_section(path: str, recording: Recording) -> Section:
    if not recording.instructions:
        return Section(path, ["It has no event of an instruction."])
    told = [
        f"{format_seconds(recording.seconds)} of work of "
        f"{format_count(len(recording.instructions), 'instruction')}. Shares are of the work: "
        "several threads and devices work at the same time.",
        f"{format_share(recording.unplaced, 1)} of it could not be placed on an instruction of a "
        f"module in the recording, {format_share(recording.without_line, 1)} on no line. A fusion "
        "counts for the line of its root.",
    ]
    whole = recording.seconds
    blocks: list[Block] = [*told]
    for header, key in (("module", _module_of), ("line", _line_of)):
        sums = sum_recorded(recording, key)
        headers = (header, "seconds", "share")
        blocks.append(make_table(headers, sums, lambda row: _sum_row(row, whole), 15))
    sums, operations = sum_recorded(recording, _equation_of), _operations_of_equations(recording)
    blocks.append(
        make_table(
            ("equation", "what runs", "seconds", "share"),
            sums,
            lambda row: (Verbatim(row[0]), operations[row[0]], *_sum_row(row, whole)[1:]),
            15,
        )
    )
    table = make_table(
        ("instruction", "operation", "module", "line", "times", "seconds", "share"),
        recording.instructions,
        lambda each: (
            Verbatim(each.name),
            each.operation or "not known",
            _module_of(each),
            _line_of(each),
            count_cell(each.count),
            number_cell(each.seconds, format_seconds),
            number_cell(_share(each.seconds, whole), functools.partial(format_share, decimals=1)),
        ),
        30,
    )
    return Section(f"What costs most in {path}", [*blocks, table])


def _operations_of_equations(recording: Recording) -> dict[str, str]:
    """The operations of the instructions that have each name, those that take most first.

    XLA gives a product that takes in a transpose the name of the transpose.
    """
    found: dict[str, dict[str, float]] = {}
    for each in recording.instructions:
        sums = found.setdefault(_equation_of(each), {})
        operation = each.operation or "not known"
        sums[operation] = sums.get(operation, 0.0) + each.seconds
    return {
        equation: ", ".join(sorted(sums, key=lambda operation: (-sums[operation], operation))[:3])
        for equation, sums in found.items()
    }


def _share(seconds: float, whole: float) -> float:
    return seconds / whole if whole > 0 else 0.0


def _sum_row(row: tuple[str, float], whole: float) -> tuple[Cell, ...]:
    share = number_cell(_share(row[1], whole), functools.partial(format_share, decimals=1))
    return Verbatim(row[0]), number_cell(row[1], format_seconds), share


def _module_of(each: MeasuredInstruction) -> str:
    number = f" ({each.program})" if each.program >= 0 else ""
    return f"{each.module or 'no module named'}{number}"


def _line_of(each: MeasuredInstruction) -> str:
    return f"{each.file}:{each.line}" if each.line else "no known line"


def _equation_of(each: MeasuredInstruction) -> str:
    return each.equation or "no name of JAX's"


def _difference_row(row: RecordedDifference) -> tuple[Cell, ...]:
    return (
        Verbatim(row.module),
        Verbatim(row.place),
        known_cell(row.first, format_seconds),
        known_cell(row.second, format_seconds),
        known_cell(row.ratio, "{:.2f}×".format),
    )


def _first(found: FoundDumps) -> str:
    first = found.ranked[0]
    if first.seconds > 0:
        return f"{first.label} took most time ({format_seconds(first.seconds)})"
    return f"the largest is {first.label} ({format_bytes(first.weight)})"


def _table(modules: list[ModuleFiles]) -> Table:
    return make_table(_HEADERS, modules, _row, _MOST)


def _row(module: ModuleFiles) -> tuple[Cell, ...]:
    stages = [stage_kind(name).title for name in module.stages if name != "passes"]
    return (
        Verbatim(make_safe_line(module.label)),  # a name may have several lines
        module.platform or "not said",
        ", ".join(stages),
        count_cell(module.num_passes),
        number_cell(module.weight, format_bytes),
    )


def opened_to_json(
    found: FoundDumps,
    recordings: Mapping[str, Recording | str] = _NO_RECORDINGS,
    texts: Mapping[str, JobText | str] = _NO_TEXTS,
) -> dict[str, Any]:
    """The same for scripts; modules in the order in which they were compiled."""
    measured = {path: each for path, each in recordings.items() if isinstance(each, Recording)}
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
        "notes": [*found.notes, *(each for each in recordings.values() if isinstance(each, str))],
        "measured": [_recording_json(path, each) for path, each in measured.items()],
        "compared": _comparison_json(list(measured.values())),
        "texts": texts_to_json(texts),
    }


def _recording_json(path: str, recording: Recording) -> dict[str, Any]:
    sums = {
        name: [
            {what: key, "seconds": seconds, "share": _share(seconds, recording.seconds)}
            for key, seconds in sum_recorded(recording, of)
        ]
        for name, what, of in (
            ("modules", "module", _module_of),
            ("lines", "line", _line_of),
            ("equations", "equation", _equation_of),
        )
    }
    instructions = [
        {
            "name": each.name,
            "operation": each.operation or None,
            "module": each.module,
            "program": each.program if each.program >= 0 else None,
            "equation": each.equation or None,
            "file": each.file or None,
            "line": each.line or None,
            "count": each.count,
            "runs": each.runs or None,
            "seconds": each.seconds,
            "placed": each.is_placed,
        }
        for each in recording.instructions
    ]
    return {
        "path": path,
        "seconds": recording.seconds,
        "unplaced": recording.unplaced,
        "without_line": recording.without_line,
        **sums,
        "instructions": instructions,
    }


def _comparison_json(recordings: list[Recording]) -> list[dict[str, Any]] | None:
    if len(recordings) != 2:
        return None
    return [
        {
            "module": row.module,
            "place": row.place,
            "first": None if math.isnan(row.first) else row.first,
            "second": None if math.isnan(row.second) else row.second,
            "ratio": None if math.isnan(row.ratio) else row.ratio,
        }
        for row in compare_recordings(*recordings)
    ]


def describe_capture(capture: Capture) -> str:
    """Name and stages of a capture, a line each, and what the reader should know of it.

    A stage that is not there because nobody asked for it is left out.
    """
    lines = [capture.call]
    for stage in capture.stages:
        name = stage.title or stage.name
        if can_ask_for(stage):
            continue
        if stage.unavailable is not None:
            lines.append(f"  {name}: not available: {stage.unavailable.reason}")
        elif is_available(stage.graph):
            lines.append(f"  {name}: {describe_size(stage.graph)}")
        else:
            lines.append(f"  {name}")
    return "\n".join([*lines, *(f"note: {message}" for message in capture.messages)])
