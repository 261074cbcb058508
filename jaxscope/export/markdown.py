"""A capture as a Markdown report: what was called, every stage in a table, some in full."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from jaxscope.export.order import find_stage_text
from jaxscope.model import Capture, Leaf, Stage, Unavailable, is_available
from jaxscope.model.units import format_bytes, format_seconds
from jaxscope.program.cost.work import Work, find_stage_works
from jaxscope.program.fusion.launches import compare_launches
from jaxscope.program.fusion.summary import report_fusions
from jaxscope.program.size import describe_size
from jaxscope.report.bookmarks import find_marked_places
from jaxscope.report.fusion import describe_duplicate, describe_operations, describe_saving
from jaxscope.schema.safe_text import make_safe, make_safe_line

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_MAX_ROWS = 200


def capture_to_markdown(capture: Capture, *stage_names: str) -> str:
    """The report; the texts of the named stages stand in it in full.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: One has no text.
    """
    lines = [*_report(capture)]
    for name in stage_names:
        text = find_stage_text(capture, name).text
        lines += [*_section(name), *_fence(text)]
    return "\n".join([*lines, ""])


def _report(capture: Capture) -> Iterator[str]:
    yield f"# {_code(capture.call)}"
    yield ""
    environment = capture.environment
    yield _escape(
        f"JAX {environment.jax}, jaxlib {environment.jaxlib}, Python {environment.python}, "
        f"target {capture.target}, {environment.place}"
    )
    yield from _section("Stages")
    heads = ("stage", "size", "FLOPs", "bytes accessed", "time to make")
    works = find_stage_works(capture.stages)
    yield from _table(heads, (_stage_row(s, works.get(s.name)) for s in capture.stages))
    counted = dict.fromkeys(note for work in works.values() for note in work.notes)
    if counted:
        yield ""
        yield from (f"- {_escape(note)}" for note in counted)
    for title, leaves in (("Arguments", capture.arguments), ("Results", capture.results)):
        if leaves:
            yield from _section(title)
            yield from _table(("path", "type", "size"), (_leaf_row(leaf) for leaf in leaves))
    yield from _fusions(capture)
    if capture.source.text:
        yield from _section("Source")
        if capture.source.line:
            yield f"Line {capture.source.line} of {_code(capture.source.file)}"
        else:
            yield "Typed in the call:"
        yield ""
        yield from _fence(capture.source.text, "python")
    if capture.bookmarks:
        yield from _section("Bookmarks")
        rows = (
            (_code(each.where), _code(each.what), _escape(each.bookmark.note))
            for each in find_marked_places(capture)
        )
        yield from _table(("where", "what", "note"), rows)
    notes = [*(check.message for check in capture.checks), *capture.messages]
    if notes:
        yield from _section("Notes")
        yield from (f"- {_escape(note)}" for note in notes)


def _fusions(capture: Capture) -> Iterator[str]:
    report = report_fusions(capture.stages)
    if report is None or not report.fusions:
        return
    yield from _section("Fusions")
    if report.one_by_one is not None:
        told = compare_launches(report.one_by_one, report.fused)
        for sentence in (told, report.one_by_one.definition, report.fused.definition):
            yield from (_escape(sentence), "")
    rows = (
        (
            _code(fusion.id),
            _escape(fusion.kind),
            _escape(describe_saving(fusion)),
            _escape(describe_operations(fusion)),
        )
        for fusion in report.fusions[:_MAX_ROWS]
    )
    yield from _table(("fusion", "kind", "saves", "computes"), rows)
    if len(report.fusions) > _MAX_ROWS:
        yield from ("", f"And {len(report.fusions) - _MAX_ROWS:,} more.")
    if report.duplicates:
        yield ""
        yield from (
            f"- {_escape(describe_duplicate(duplicate))}"
            for duplicate in report.duplicates[:_MAX_ROWS]
        )


def _stage_row(stage: Stage, work: Work | None) -> tuple[str, ...]:
    reason = stage.unavailable or (stage.text if isinstance(stage.text, Unavailable) else None)
    name = _escape(stage.title or stage.name)
    if reason is not None:
        return name, _escape(f"not available: {reason.reason}"), "", "", ""
    count = "no graph"
    if is_available(stage.graph):
        count = describe_size(stage.graph)
    seconds = stage.seconds if isinstance(stage.seconds, float) else math.nan
    work = work or Work(stage.cost, stage.cost)
    numbers = (work.flops, work.num_bytes, format_seconds(seconds))
    return name, count, *numbers


def _leaf_row(leaf: Leaf) -> tuple[str, ...]:
    size = "static" if leaf.is_static else format_bytes(leaf.num_bytes)
    return _code(leaf.path), _code(leaf.type), size


def _section(title: str) -> Iterator[str]:
    yield ""
    yield f"## {_escape(title)}"
    yield ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _fence(text: str, language: str = "") -> Iterator[str]:
    """A code block whose fence is longer than any inside."""
    text = make_safe(text).rstrip("\n")
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence + language
    yield text
    yield fence


def _code(text: str) -> str:
    """An inline code span, fit for a table cell."""
    text = make_safe_line(text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    padding = " " if longest or not text else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


def _escape(text: str) -> str:
    return _MARKUP.sub(r"\\\1", make_safe_line(text))
