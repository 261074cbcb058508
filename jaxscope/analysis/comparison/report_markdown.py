"""A comparison as Markdown, to be pasted into an issue or a review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jaxscope.analysis.comparison.changes import Change, GraphComparison
from jaxscope.analysis.comparison.comparison import Comparison, StageComparison
from jaxscope.analysis.comparison.details import describe_change
from jaxscope.analysis.comparison.fate_changes import describe_fate_changes, find_fate_changes
from jaxscope.analysis.comparison.quantities import (
    QuantityDifference,
    format_quantity,
)
from jaxscope.analysis.comparison.report_text import (
    count_cells,
    describe_node_placements,
    describe_placements,
    describe_subject,
    describe_verdict,
)
from jaxscope.analysis.comparison.text_diff import TextDiff, format_unified
from jaxscope.model import Unavailable

_MOST_ROWS = 200
"""A page that nobody can scroll through helps nobody; the rest is counted."""


def comparison_to_markdown(comparison: Comparison) -> str:
    """The comparison: verdict, table of stages, differences and text of each."""
    lines = [
        "# Comparison",
        "",
        f"* first: {_code(describe_subject(comparison.first))}",
        f"* second: {_code(describe_subject(comparison.second))}",
        "",
        f"**{_plain(describe_verdict(comparison))}**",
        "",
        *(f"* {_plain(note)}" for note in comparison.notes),
        *([""] if comparison.notes else []),
        "| stage | same | changed | moved | added | removed | |",
        "|---|--:|--:|--:|--:|--:|---|",
        *(_row([_plain(s.pair.title), *map(_plain, count_cells(s))]) for s in comparison.stages),
        "",
        *_quantities("Memory", comparison.memory),
        *_quantities("Measured time", comparison.times),
        *(
            ()
            if comparison.times
            else ("## Measured time", "", _plain(comparison.times_missing), "")
        ),
        "## Placement",
        "",
        *(f"* {_plain(line)}" for line in describe_placements(comparison.placements)),
        "",
        "## Fates",
        "",
        *(f"* {_plain(line)}" for line in describe_fate_changes(find_fate_changes(comparison))),
        "",
    ]
    for stage in comparison.stages:
        lines += _stage(stage, comparison)
    return "\n".join(lines).rstrip() + "\n"


def _stage(stage: StageComparison, comparison: Comparison) -> Iterator[str]:
    if isinstance(stage.verdict, Unavailable) or stage.verdict:
        return
    yield from (f"## {stage.pair.title}", "")
    yield from _quantities("", stage.costs)
    graphs, texts = stage.graphs, stage.texts
    if isinstance(graphs, GraphComparison) and (rows := graphs.rows()):
        for change, first, second in rows[:_MOST_ROWS]:
            text = describe_change(graphs, change, first, second)
            yield f"* {Change(change).name.lower()}: {_code(text)}"
        if len(rows) > _MOST_ROWS:
            yield f"* … and {len(rows) - _MOST_ROWS:,} more"
        yield ""
    placed = describe_node_placements(stage)
    if placed:
        yield from ("On other devices:", "")
        yield from (f"* {_code(line)}" for line in placed[:_MOST_ROWS])
        if len(placed) > _MOST_ROWS:
            yield f"* … and {len(placed) - _MOST_ROWS:,} more"
        yield ""
    if isinstance(texts, TextDiff) and not texts.is_equal:
        unified = format_unified(texts, comparison.first.name, comparison.second.name)
        fence = "```"
        while fence in unified:
            fence += "`"
        yield from (f"{fence}diff", unified, fence, "")


def _quantities(title: str, quantities: Sequence[QuantityDifference]) -> Iterator[str]:
    if not quantities:
        return
    if title:
        yield from (f"## {title}", "")
    yield from ("| | first | second | |", "|---|--:|--:|---|")
    for quantity in quantities:
        numbers = [format_quantity(v, quantity.unit) for v in (quantity.before, quantity.after)]
        yield _row([quantity.name, *numbers, _plain(quantity.meaning)])
    yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Text in which nothing is markup."""
    for sign in "\\`*_[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")


def _code(text: str) -> str:
    fence = "`"
    while fence in text:
        fence += "`"
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"
