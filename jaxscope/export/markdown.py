"""A capture as a Markdown report: what was called, every stage in a table, some in full."""

from __future__ import annotations

import math
from collections.abc import Iterator

from jaxscope.export.order import find_stage_text
from jaxscope.model import Capture, Leaf, Stage, Unavailable, is_available
from jaxscope.model.capture import FunctionSource
from jaxscope.model.units import format_bytes, format_seconds
from jaxscope.program.cost.work import Work, find_stage_works
from jaxscope.program.fusion.fusions import Fusion
from jaxscope.program.fusion.summary import FusionReport, compare_launches, report_fusions
from jaxscope.program.size import describe_size
from jaxscope.report.bookmarks import MarkedPlace, find_marked_places
from jaxscope.report.document import (
    Block,
    Cell,
    Items,
    Listing,
    Section,
    Verbatim,
    make_table,
    write_markdown,
)
from jaxscope.report.fusion import describe_duplicate, describe_operations, describe_saving

_MAX_ROWS = 200


def capture_to_markdown(capture: Capture, *stage_names: str) -> str:
    """The report as Markdown, with the full texts of the named stages.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: One has no text.
    """
    texts = [(name, find_stage_text(capture, name).text) for name in stage_names]
    stages = [Section(name, [Listing(text)]) for name, text in texts]
    return write_markdown([*_report(capture), *stages])


def _report(capture: Capture) -> Iterator[Section]:
    environment = capture.environment
    yield Section(
        Verbatim(capture.call),
        [
            f"JAX {environment.jax}, jaxlib {environment.jaxlib}, Python {environment.python}, "
            f"target {capture.target}, {environment.place}"
        ],
    )
    works = find_stage_works(capture.stages)
    heads = ("stage", "size", "FLOPs", "bytes accessed", "time to make")
    table = make_table(heads, capture.stages, lambda s: _stage_row(s, works.get(s.name)))
    counted = dict.fromkeys(note for work in works.values() for note in work.notes)
    yield Section("Stages", [table, *([Items(list(counted))] if counted else [])])
    for title, leaves in (("Arguments", capture.arguments), ("Results", capture.results)):
        if leaves:
            yield Section(title, [make_table(("path", "type", "size"), leaves, _leaf_row)])
    report = report_fusions(capture.stages, num_devices=capture.num_devices)
    if report is not None and report.fusions:
        yield Section("Fusions", _fusion_blocks(report))
    if capture.source.text:
        yield Section("Source", _source_blocks(capture.source))
    if capture.bookmarks:
        marked = make_table(("where", "what", "note"), find_marked_places(capture), _marked_row)
        yield Section("Bookmarks", [marked])
    notes = [*(check.message for check in capture.checks), *capture.messages]
    if notes:
        yield Section("Notes", [Items(notes)])


def _source_blocks(source: FunctionSource) -> list[Block]:
    place = f"Line {source.line} of {source.file}" if source.line else "Typed in the call:"
    return [place, Listing(source.text, "python")]


def _fusion_blocks(report: FusionReport) -> list[Block]:
    told: list[Block] = []
    if report.one_by_one is not None:
        told = [
            compare_launches(report.one_by_one, report.fused),
            report.one_by_one.definition,
            report.fused.definition,
        ]
    heads = ("fusion", "kind", "saves", "computes")
    told.append(make_table(heads, report.fusions, _fusion_row, _MAX_ROWS))
    if report.duplicates:
        told.append(Items([describe_duplicate(each) for each in report.duplicates[:_MAX_ROWS]]))
    return told


def _fusion_row(fusion: Fusion) -> tuple[Cell, ...]:
    saved = describe_saving(fusion)
    return Verbatim(fusion.id), fusion.kind.text, saved, describe_operations(fusion)


def _marked_row(place: MarkedPlace) -> tuple[Cell, ...]:
    return Verbatim(place.where), Verbatim(place.what), place.bookmark.note


def _stage_row(stage: Stage, work: Work | None) -> tuple[Cell, ...]:
    reason = stage.unavailable or (stage.text if isinstance(stage.text, Unavailable) else None)
    name = stage.title or stage.name
    if reason is not None:
        return name, f"not available: {reason.reason}", "", "", ""
    size = describe_size(stage.graph) if is_available(stage.graph) else "no graph"
    seconds = stage.seconds if isinstance(stage.seconds, float) else math.nan
    work = work or Work(stage.cost, stage.cost)
    return name, size, work.flops, work.num_bytes, format_seconds(seconds)


def _leaf_row(leaf: Leaf) -> tuple[Cell, ...]:
    size = "static" if leaf.is_static else format_bytes(leaf.num_bytes)
    return Verbatim(leaf.path), Verbatim(leaf.type), size
