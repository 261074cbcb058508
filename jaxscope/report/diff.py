"""A comparison of two captures as a document: both sides, a table of the stages, what differs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jaxscope.model import NONE, Cost, Graph, Unavailable
from jaxscope.model.said import (
    CLAUSES,
    ENDED,
    LISTED,
    NAMED,
    Said,
    said,
    say,
    say_joined,
    say_range,
)
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.model.units import UNKNOWN, format_bytes, format_flops
from jaxscope.program.cost.attribution import ROW_KINDS, CostChange
from jaxscope.program.diff.captures import (
    ComparedCapture,
    Comparison,
    NodePlacementDifference,
    PlacementDifference,
    StageComparison,
    describe_fate_changes,
    find_fate_changes,
)
from jaxscope.program.diff.changes import Change, GraphComparison, describe_node_change, name_node
from jaxscope.program.diff.quantities import PEAK, QuantityDifference, format_quantity
from jaxscope.program.diff.texts import TextDiff, format_unified
from jaxscope.program.size import count_program, describe_size
from jaxscope.report.document import (
    NOTHING,
    Cell,
    Items,
    Listing,
    Number,
    Section,
    Table,
    Verbatim,
    cell_text,
    count_cell,
    make_items,
    make_table,
    number_cell,
    write_markdown,
)

if TYPE_CHECKING:
    from jaxscope.program.cost.attribution import CostRow, Share

# What optimization did to the work of equations, lines and scopes: rows, a document, JSON.

_HEADERS = (
    *("FLOPs before", "FLOPs after", "bytes before", "bytes after", "transcendentals before"),
    *("transcendentals after", "runs", "name", "what"),
)
_MAX_ROWS = 25


def cost_change_table(change: CostChange, most: int | None = None) -> Table:
    """A row for each equation, line or scope."""
    return make_table(_HEADERS, change.rows, _cost_change_row, most)


def _cost_change_row(row: CostRow) -> tuple[Cell, ...]:
    """The cells of a row."""
    sides = (row.before, row.after)
    return (
        *(amount_cell(side, "flops", format_flops) for side in sides),
        *(amount_cell(side, "bytes_accessed", format_bytes) for side in sides),
        *(amount_cell(side, "transcendentals", "{:,.0f}".format) for side in sides),
        Number(row.rounds, say_range(row.least_rounds, row.rounds, "{:,}".format)),
        row.label,
        said(row.what) if row.what in ROW_KINDS else row.what,
    )


def amount_cell(share: Share, name: str, write: Callable[[float], str]) -> Number:
    """One amount of a row's `Cost`: a range, or a least amount where some of it is not known."""
    low, high = getattr(share.least, name), getattr(share.cost, name)
    text = say_range(low, high, write)
    if share.num_unknown:
        text = say("≥ {amount}", amount=write(low)) if low else say(UNKNOWN)
    return Number(high, text)


def describe_cost_change(change: CostChange) -> str:
    """What optimizing did as a whole, in a sentence."""
    (low, low_after), before, after = change.least, change.before, change.after

    def tell(side: int, least: float, most: float, write: Callable[[float], str]) -> str:
        if change.num_unknown[side]:
            return say("at least {amount}", amount=write(least))
        return say_range(least, most, write)

    amounts = {
        "flops": tell(0, low.flops, before.flops, format_flops),
        "flops_after": tell(1, low_after.flops, after.flops, format_flops),
        "moved": tell(0, low.bytes_accessed, before.bytes_accessed, format_bytes),
        "moved_after": tell(1, low_after.bytes_accessed, after.bytes_accessed, format_bytes),
    }
    if change.num_devices > 1:
        return say(
            "Before optimizing, the program as a whole has {flops}, and {moved} read and written; "
            "optimized, each of {num_devices:,} devices has {flops_after}, and {moved_after} read "
            "and written.",
            num_devices=change.num_devices,
            **amounts,
        )
    return say(
        "Optimizing turned {flops} into {flops_after}, and {moved} read and written into "
        "{moved_after}.",
        **amounts,
    )


def cost_change_to_section(change: CostChange | Unavailable, title: str) -> Section:
    """A table of the costliest rows."""
    if isinstance(change, Unavailable):
        return Section(blocks=[f"{title}: not available: {change.reason}"])
    title = f"{title}. {describe_cost_change(change)}"
    return Section(title, [cost_change_table(change, _MAX_ROWS)])


def notes_of(changes: Iterable[CostChange | Unavailable]) -> list[str]:
    """What to mind of several tables, each sentence once."""
    known = [change.notes for change in changes if isinstance(change, CostChange)]
    return list(dict.fromkeys(note for notes in known for note in notes))


def cost_change_to_json(change: CostChange | Unavailable) -> dict[str, Any]:
    """All rows; the reason where there are none."""
    if isinstance(change, Unavailable):
        return {"unavailable": change.reason, "rows": []}
    return {
        "unavailable": None,
        "notes": list(change.notes),
        "before": _cost(change.before),
        "after": _cost(change.after),
        "least_before": _cost(change.least[0]),
        "least_after": _cost(change.least[1]),
        "unknown_before": change.num_unknown[0],
        "unknown_after": change.num_unknown[1],
        "rows": [
            {
                "name": row.name,
                "what": row.what,
                "runs": row.rounds,
                "least_runs": row.least_rounds,
                "before": {**_cost(row.before.cost), "unknown": row.before.num_unknown},
                "after": {**_cost(row.after.cost), "unknown": row.after.num_unknown},
                "least_before": _cost(row.before.least),
                "least_after": _cost(row.after.least),
            }
            for row in change.rows
        ],
    }


def _cost(cost: Cost) -> dict[str, float]:
    return {
        "flops": cost.flops,
        "bytes_accessed": cost.bytes_accessed,
        "transcendentals": cost.transcendentals,
    }


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

LONG_LIST = 200
"""Likewise a page of Markdown: one that nobody can scroll through helps nobody."""

_LEGEND = "+ added, - removed, ~ changed, > moved"
STAGE_HEADERS = ("stage", "same", "changed", "moved", "added", "removed", "")


def describe_verdict(comparison: Comparison) -> str:
    """What stands on top: equal or not, and what the difference comes to."""
    if comparison.is_equal:
        return say("Equal: no stage that both sides have differs.")
    compared = [s for s in comparison.stages if not isinstance(s.verdict, Unavailable)]
    if not compared:
        return say("Nothing could be compared.")
    names = [stage.pair.title for stage in compared if not stage.verdict]
    if not names and not any(part.differs for part in comparison.memory):
        return say("Different: the arguments or results lie on other devices.")
    if not names:
        return say("Different: the arguments or results differ in size.")
    told = say("Different in {names}.", names=say_joined(names, LISTED))
    sizes = say_joined(_tell_sizes(comparison), CLAUSES)
    return say_joined((told, say(ENDED, text=sizes) if sizes else ""))


def _tell_sizes(comparison: Comparison) -> Iterator[str]:
    """How large the program of the call, its optimized form and its memory are on both sides."""
    sides = (comparison.first.capture, comparison.second.capture)
    optimized = (side.stage("optimized") for side in sides)
    for what, graphs in (
        ("", [find_lowered_jaxpr(side.stages) for side in sides]),
        (say("optimized"), [stage.graph if stage is not None else None for stage in optimized]),
    ):
        before, after = graphs
        if isinstance(before, Graph) and isinstance(after, Graph):
            sizes = say(
                "{before} → {after}",
                before=f"{count_program(before):,}",
                after=describe_size(after),
            )
            yield say(NAMED, name=what, meaning=sizes) if what else sizes
    for each in comparison.memory:
        if each.name == PEAK and each.differs:
            both = (format_quantity(v, each.unit) for v in (each.before, each.after))
            yield say(NAMED, name=each.name, meaning=" → ".join(both))


def describe_subject(subject: ComparedCapture) -> str:
    """The name of a side with where it was made."""
    environment = subject.capture.environment
    return say(
        "{name}  (JAX {jax}, Python {python}, target {target})",
        name=subject.name,
        jax=environment.jax,
        python=environment.python,
        target=subject.capture.target or environment.platform,
    )


def comparison_to_document(
    comparison: Comparison, *, most_rows: int | None = SHORT_LIST, with_texts: bool = False
) -> list[Section]:
    """All differences of two captures, as a document.

    Args:
        comparison: What was compared.
        most_rows: Of each stage so many differences are listed; None lists all.
        with_texts: Whether the texts are compared line by line as well.
    """
    sections = [*summary_sections(comparison, most_rows)]
    for stage in comparison.stages:
        sections += _stage_sections(stage, most_rows, with_texts, comparison)
    return sections


def summary_sections(comparison: Comparison, most_rows: int | None) -> list[Section]:
    """What is said of the comparison as a whole: the sides, the verdict, and all but the stages."""
    first, second = comparison.first, comparison.second
    sides = [f"first:  {describe_subject(first)}", f"second: {describe_subject(second)}"]
    fates = describe_fate_changes(find_fate_changes(comparison))
    return [
        Section(
            describe_verdict(comparison),
            [Items(sides), *(f"note: {note}" for note in comparison.notes)],
        ),
        Section(blocks=[make_table(STAGE_HEADERS, comparison.stages, stage_row)]),
        Section("Memory", [quantity_table(comparison.memory)]),
        Section(
            "Measured time",
            [quantity_table(comparison.times) if comparison.times else comparison.times_missing],
        ),
        Section("Placement", [Items(describe_placements(comparison.placements))]),
        Section("Fates", [make_items(fates, most_rows)]),
    ]


MOST_LINES = 15
"""Lines that `describe_changes` gives at most."""


def describe_changes(comparison: Comparison, most: int = MOST_LINES) -> list[str]:
    """What changed, the most telling first, in so many lines at most."""
    lines = list(_tell_changes(comparison))
    if len(lines) <= most:
        return lines
    left = len(lines) - most + 1
    return [
        *lines[: most - 1],
        f"and {left:,} more lines; jaxscope diff A B --stage NAME lists all of a stage",
    ]


def changes_to_markdown(comparison: Comparison) -> str:
    """The same for a comment on a pull request, in at most `MOST_LINES` lines."""
    verdict, *lines = describe_changes(comparison, MOST_LINES - 1)
    return write_markdown([Section(verdict, [Items(lines)])])


def _tell_changes(comparison: Comparison) -> Iterator[str]:
    yield describe_verdict(comparison)
    yield f"first:  {describe_subject(comparison.first)}"
    yield f"second: {describe_subject(comparison.second)}"
    yield from (f"note: {note}" for note in comparison.notes)
    different = [stage for stage in comparison.stages if stage.verdict is False]
    if different:
        yield "; ".join(map(_count_changes, different))
    yield from _tell_quantities("", (*comparison.memory, *comparison.times))
    for stage in [each for each in different if any(cost.differs for cost in each.costs)][-1:]:
        counted = [cost for cost in stage.costs if cost.is_countable]
        yield from _tell_quantities(f"{stage.pair.title}: ", counted)
    if isinstance(comparison.placements, Unavailable) or comparison.placements:
        yield from describe_placements(comparison.placements)
    if fates := find_fate_changes(comparison):
        yield from (f"fate: {line}" for line in describe_fate_changes(fates))
    for stage in comparison.stages:
        if isinstance(stage.verdict, Unavailable):
            yield f"{stage.pair.title} not compared: {stage.verdict.reason}"
    yield from describe_node_changes(comparison)


def describe_node_changes(comparison: Comparison) -> Iterator[str]:
    """Each node that differs, stage by stage."""
    for stage in comparison.stages:
        if stage.verdict is False and isinstance(graphs := stage.graphs, GraphComparison):
            yield from (
                f"{stage.pair.title} {SIGNS[change]} {_place_change(graphs, change, a, b)}"
                for change, a, b in graphs.rows()
            )


def _count_changes(stage: StageComparison) -> str:
    """A stage's row in a few words: what there is none of is left out, and what is the same."""
    title, _, *numbers, word = map(cell_text, stage_row(stage))
    told = ", ".join(
        f"{number} {name}"
        for number, name in zip(numbers, STAGE_HEADERS[2:-1], strict=True)
        if number not in ("", "0")
    )
    return f"{title} {word}: {told}" if told else f"{title} {word}"


def _tell_quantities(begin: str, quantities: Sequence[QuantityDifference]) -> Iterator[str]:
    """What differs, and what may: was measured, or could not be compared."""
    names: dict[str, list[str]] = {}
    for each in quantities:
        if each.differs or not (each.is_comparable and each.is_countable):
            names.setdefault(each.meaning, []).append(each.name)
    yield from (f"{begin}{', '.join(named)}: {meaning}" for meaning, named in names.items())


def _place_change(graphs: GraphComparison, change: Change, first: int, second: int) -> str:
    """The change of a node, with the line that it is of where that is known."""
    is_there = second != NONE
    graph, node = (graphs.second, second) if is_there else (graphs.first, first)
    place = graph.place(node)
    text = describe_node_change(graphs, change, first, second)
    return text if place is None else f"{text} ({place.short})"


def stage_row(stage: StageComparison) -> tuple[Cell, ...]:
    """The title of a stage, counts, and what they come to."""
    graphs, verdict, texts = stage.graphs, stage.verdict, stage.texts
    title = stage.pair.title
    if isinstance(verdict, Unavailable):
        return (title, *[NOTHING] * 5, say("not compared: {why}", why=verdict.reason))
    word = say("equal") if verdict else say("differs")
    if isinstance(graphs, GraphComparison):
        counts = graphs.counts
        numbers = (counts.same, counts.changed, counts.moved, counts.added, counts.removed)
        return (title, *map(count_cell, numbers), word)
    if isinstance(texts, TextDiff):
        same, changed, added, removed = (
            count_cell(texts.count(kind)) for kind in ("same", "changed", "added", "removed")
        )
        of_lines = say("{word} (lines of text)", word=word)
        return (title, same, changed, NOTHING, added, removed, of_lines)
    return (title, *[NOTHING] * 5, word)


def describe_ends(graphs: GraphComparison) -> str:
    """How many of the nodes that differ are no equations, operations or instructions, if any."""
    if graphs.num_ends < 2:
        return say("1 of these is an argument or a result") if graphs.num_ends else ""
    return say("{num:,} of these are arguments and results", num=graphs.num_ends)


def quantity_table(quantities: Sequence[QuantityDifference]) -> Table:
    """A row for each quantity, with what the difference means."""
    return make_table(("", "first", "second", ""), quantities, _quantity_row)


def _quantity_row(quantity: QuantityDifference) -> tuple[Cell, ...]:
    first, second = (
        number_cell(value, lambda value: format_quantity(value, quantity.unit))
        for value in (quantity.before, quantity.after)
    )
    return quantity.name, first, second, quantity.meaning


def describe_placements(
    placements: tuple[PlacementDifference, ...] | Unavailable,
) -> tuple[str, ...]:
    """What lies otherwise, a line for each; or that nothing does, or why that is not known."""
    if isinstance(placements, Unavailable):
        return (placements.reason,)
    if not placements:
        return (say("Devices, arguments and results lie alike on both sides."),)
    return tuple(_tell_placement(each.name, each) for each in placements)


def describe_node_placements(stage: StageComparison) -> tuple[str, ...]:
    """What lies otherwise of a stage's nodes, a line for each."""
    graphs = stage.graphs
    if not isinstance(graphs, GraphComparison):
        return ()
    graph = graphs.first
    return tuple(_tell_placement(name_node(graph, each.first), each) for each in stage.placements)


def _tell_placement(name: str, found: PlacementDifference | NodePlacementDifference) -> Said:
    both = say("{before} → {after}", before=found.before, after=found.after)
    return say(NAMED, name=name, meaning=both)


def _stage_sections(
    stage: StageComparison, most_rows: int | None, with_texts: bool, comparison: Comparison
) -> Iterator[Section]:
    if isinstance(stage.verdict, Unavailable) or (stage.verdict and not with_texts):
        return
    graphs, texts = stage.graphs, stage.texts
    yield Section(stage.pair.title, [quantity_table(stage.costs)] if stage.costs else [])
    if isinstance(graphs, GraphComparison):
        rows = graphs.rows()
        table = make_table(("", ""), rows, lambda row: _difference_row(graphs, *row), most_rows)
        if rows:
            yield Section(blocks=[_LEGEND, _with_hint(table, stage)])
        if placed := describe_node_placements(stage):
            yield Section("On other devices", [make_items(placed, most_rows)])
    elif not with_texts:
        yield Section(blocks=[f"Its lines are compared by --stage {stage.pair.key}."])
    if with_texts and isinstance(texts, TextDiff) and not texts.is_equal:
        names = comparison.first.name, comparison.second.name
        yield Section(blocks=[Listing(format_unified(texts, *names), "diff")])


def _difference_row(
    graphs: GraphComparison, change: Change, first: int, second: int
) -> tuple[Cell, ...]:
    return SIGNS[change], Verbatim(describe_node_change(graphs, change, first, second))


def _with_hint(table: Table, stage: StageComparison) -> Table:
    if not table.num_left_out:
        return table
    rest = f"{table.footnote}: --stage {stage.pair.key} shows all"
    return dataclasses.replace(table, rest=rest, num_left_out=0)
