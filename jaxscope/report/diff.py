"""A comparison as plain text and as Markdown: both sides, a table of the stages, what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jaxscope.model import Unavailable
from jaxscope.program.diff.captures import (
    ComparedCapture,
    Comparison,
    PlacementDifference,
    StageComparison,
    describe_fate_changes,
    find_fate_changes,
)
from jaxscope.program.diff.changes import Change, GraphComparison, describe_node_change, name_node
from jaxscope.program.diff.quantities import QuantityDifference, format_quantity
from jaxscope.program.diff.texts import TextDiff, format_unified

# A comparison as plain text: the names of both sides, a table of the stages, what differs.


SIGNS = {
    Change.SAME: " ",
    Change.CHANGED: "~",
    Change.MOVED: ">",
    Change.ADDED: "+",
    Change.REMOVED: "-",
}
"""What stands before a node in text; the words stand in the legend."""

SHORT_LIST = 12
"""Differences of a stage that a summary lists."""

_LEGEND = "+ added, - removed, ~ changed, > moved"
_HEADINGS = ("stage", "same", "changed", "moved", "added", "removed", "")


def describe_verdict(comparison: Comparison) -> str:
    """One sentence on top: equal or not."""
    if comparison.is_equal:
        return "Equal: no stage that both sides have differs."
    compared = [s for s in comparison.stages if not isinstance(s.verdict, Unavailable)]
    if not compared:
        return "Nothing could be compared."
    names = [stage.pair.title for stage in compared if not stage.verdict]
    if not names and not any(part.differs for part in comparison.memory):
        return "Different: the arguments or results lie on other devices."
    if not names:
        return "Different: the arguments or results differ in size."
    return f"Different in {', '.join(names)}."


def describe_subject(subject: ComparedCapture) -> str:
    """The name of a side with where it was made."""
    environment = subject.capture.environment
    return (
        f"{subject.name}  (JAX {environment.jax}, Python {environment.python}, "
        f"target {subject.capture.target or environment.platform})"
    )


def format_comparison(
    comparison: Comparison, *, most_rows: int | None = SHORT_LIST, with_texts: bool = False
) -> str:
    """The whole comparison for a person.

    Args:
        comparison: What was compared.
        most_rows: Of each stage so many differences are listed; None lists all.
        with_texts: Whether the texts are compared line by line as well.
    """
    parts = [
        f"--- {describe_subject(comparison.first)}\n+++ {describe_subject(comparison.second)}",
        "\n".join([describe_verdict(comparison), *(f"note: {note}" for note in comparison.notes)]),
        "\n".join(_stage_table(comparison.stages)),
    ]
    times = list(_quantity_lines(comparison.times)) or [f"  {comparison.times_missing}"]
    parts.append("\n".join(["measured time", *times]))
    parts.append("\n".join(["memory", *_quantity_lines(comparison.memory)]))
    parts.append("\n".join(["placement", *_placement_lines(comparison.placements)]))
    parts.append("\n".join(["fates", *_fate_lines(comparison, most_rows)]))
    for stage in comparison.stages:
        section = list(_stage_section(stage, most_rows, with_texts, comparison))
        if section:
            parts.append("\n".join(section))
    return "\n\n".join(parts)


def count_cells(stage: StageComparison) -> tuple[str, ...]:
    """The cells of a stage's row: counts, and what they come to."""
    graphs, verdict = stage.graphs, stage.verdict
    if isinstance(verdict, Unavailable):
        return ("", "", "", "", "", f"not compared: {verdict.reason}")
    word = "equal" if verdict else "differs"
    if isinstance(graphs, GraphComparison):
        counts = graphs.counts
        numbers = (counts.same, counts.changed, counts.moved, counts.added, counts.removed)
        return (*(f"{number:,}" for number in numbers), word)
    texts = stage.texts
    if isinstance(texts, TextDiff):
        lines = (texts.count("same"), texts.count("changed"))
        return (
            *(f"{number:,}" for number in lines),
            "",
            f"{texts.count('added'):,}",
            f"{texts.count('removed'):,}",
            f"{word} (lines of text)",
        )
    return ("", "", "", "", "", word)


def _stage_table(stages: Sequence[StageComparison]) -> Iterator[str]:
    rows = [_HEADINGS, *((stage.pair.title, *count_cells(stage)) for stage in stages)]
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    for row in rows:
        cells = [f"{row[0]:{widths[0]}}"]
        cells += [f"{cell:>{width}}" for cell, width in zip(row[1:6], widths[1:], strict=True)]
        yield "  ".join([*cells, row[6]]).rstrip()


def _quantity_lines(quantities: Sequence[QuantityDifference]) -> Iterator[str]:
    width = max((len(quantity.name) for quantity in quantities), default=0)
    for quantity in quantities:
        yield f"  {quantity.name:{width}}  {format_pair(quantity)}{quantity.meaning}"


def _placement_lines(
    placements: tuple[PlacementDifference, ...] | Unavailable,
) -> Iterator[str]:
    yield from (f"  {line}" for line in describe_placements(placements))


def _fate_lines(comparison: Comparison, most_rows: int | None) -> Iterator[str]:
    lines = describe_fate_changes(find_fate_changes(comparison))
    shown = lines if most_rows is None else lines[:most_rows]
    yield from (f"  {line}" for line in shown)
    if len(lines) > len(shown):
        yield f"  and {len(lines) - len(shown)} more"


def describe_placements(
    placements: tuple[PlacementDifference, ...] | Unavailable,
) -> tuple[str, ...]:
    """What lies otherwise, a line for each; or that nothing does, or why that is not known."""
    if isinstance(placements, Unavailable):
        return (placements.reason,)
    if not placements:
        return ("Devices, arguments and results lie alike on both sides.",)
    return tuple(f"{each.name}: {each.before} → {each.after}" for each in placements)


def describe_node_placements(stage: StageComparison) -> tuple[str, ...]:
    """What lies otherwise of a stage's nodes, a line for each."""
    graphs = stage.graphs
    if not isinstance(graphs, GraphComparison):
        return ()
    graph = graphs.first
    return tuple(
        f"{name_node(graph, each.first)}: {each.before} → {each.after}" for each in stage.placements
    )


def format_pair(quantity: QuantityDifference) -> str:
    """Both numbers, if any is known, ready to be followed by the meaning."""
    before, after = (
        format_quantity(value, quantity.unit) for value in (quantity.before, quantity.after)
    )
    return "" if before == after == "unknown" else f"{before} → {after}. "


def _node_placement_lines(stage: StageComparison, most_rows: int | None) -> Iterator[str]:
    lines = describe_node_placements(stage)
    if lines:
        yield "  on other devices"
    yield from (f"  @ {line}" for line in lines[:most_rows])
    if most_rows is not None and len(lines) > most_rows:
        yield f"  … and {len(lines) - most_rows:,} more: --stage {stage.pair.key} shows all"


def _stage_section(
    stage: StageComparison, most_rows: int | None, with_texts: bool, comparison: Comparison
) -> Iterator[str]:
    if isinstance(stage.verdict, Unavailable):
        return
    if stage.verdict and not with_texts:
        return
    yield f"== {stage.pair.title}"
    yield from _quantity_lines(stage.costs)
    graphs = stage.graphs
    if isinstance(graphs, GraphComparison):
        rows = graphs.rows()
        shown = rows if most_rows is None else rows[:most_rows]
        if shown:
            yield f"  {_LEGEND}"
        for change, first, second in shown:
            yield f"  {SIGNS[change]} {describe_node_change(graphs, change, first, second)}"
        if len(rows) > len(shown):
            yield (f"  … and {len(rows) - len(shown):,} more: --stage {stage.pair.key} shows all")
        yield from _node_placement_lines(stage, most_rows)
    elif not with_texts:
        yield f"  its lines are compared by --stage {stage.pair.key}"
    if with_texts:
        texts = stage.texts
        if isinstance(texts, TextDiff) and not texts.is_equal:
            yield ""
            yield format_unified(texts, comparison.first.name, comparison.second.name)


# A comparison as Markdown, to be pasted into an issue or a review.


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
            text = describe_node_change(graphs, change, first, second)
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
