"""A comparison as one self-contained HTML page: graphs side by side, differences, texts.

The page needs no network and asks for none: its policy forbids every address. Marks and tables
are there without the script too; the script shows one stage at a time and follows clicks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from jaxscope.analysis.comparison.changes import Change, GraphComparison
from jaxscope.analysis.comparison.comparison import Comparison, StageComparison
from jaxscope.analysis.comparison.details import describe_change
from jaxscope.analysis.comparison.fate_changes import describe_fate_changes, find_fate_changes
from jaxscope.analysis.comparison.marked_drawing import draw_legend, draw_marked, mark_rules
from jaxscope.analysis.comparison.marks import STYLES
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
from jaxscope.analysis.comparison.text_diff import SAME, Row, TextDiff
from jaxscope.analysis.export.page_drawing import style_rules
from jaxscope.analysis.export.page_frame import (
    THEME_BUTTON,
    escape,
    make_page,
    read_part,
    theme_script,
)
from jaxscope.model import Unavailable

_MOST_ROWS = 2_000
_MOST_LINES = 4_000
_MAX_FATES = 50
"""More rows make a page that browsers scroll badly; how many are left out is said."""

_HERE = Path(__file__).parent


def comparison_to_html(comparison: Comparison) -> str:
    """The page."""
    return make_page(
        f"{comparison.first.name} and {comparison.second.name} — jaxscope",
        "\n".join(_body(comparison)),
        "\n".join([style_rules(), mark_rules(), read_part(_HERE, "page.css")]),
        theme_script() + read_part(_HERE, "page.js"),
    )


def _body(comparison: Comparison) -> Iterator[str]:
    yield f"<header>{THEME_BUTTON}"
    yield f"<h1>{escape(describe_verdict(comparison))}</h1>"
    for word, subject in (("first", comparison.first), ("second", comparison.second)):
        yield f'<div class="side"><b>{word}</b>{escape(describe_subject(subject))}</div>'
    yield "".join(f"<p>{escape(note)}</p>" for note in comparison.notes)
    yield from _stage_table(comparison.stages)
    yield from _quantity_table("Memory", comparison.memory)
    yield from _quantity_table("Measured time", comparison.times)
    if not comparison.times:
        yield f'<h3>Measured time</h3><p class="reason">{escape(comparison.times_missing)}</p>'
    yield "<h3>Placement</h3>"
    lines = describe_placements(comparison.placements)
    yield "".join(f'<p class="reason">{escape(line)}</p>' for line in lines)
    yield "<h3>Fates</h3>"
    fates = describe_fate_changes(find_fate_changes(comparison))
    yield "".join(f'<p class="reason">{escape(line)}</p>' for line in fates[:_MAX_FATES])
    if len(fates) > _MAX_FATES:
        yield f'<p class="reason">and {len(fates) - _MAX_FATES} more</p>'
    yield "</header>"
    shown = [stage for stage in comparison.stages if not isinstance(stage.verdict, Unavailable)]
    first = next((stage for stage in shown if not stage.verdict), None)
    yield '<nav aria-label="Stages">'
    for stage in shown:
        mark = " data-first" if stage is first else ""
        key, title = escape(stage.pair.key), escape(stage.pair.title)
        yield f'<button type="button" data-stage="{key}"{mark}>{title}</button>'
    yield "</nav>"
    for stage in shown:
        yield from _section(stage, comparison)


def _stage_table(stages: Sequence[StageComparison]) -> Iterator[str]:
    heads = ("same", "changed", "moved", "added", "removed")
    cells = "".join(f'<th class="number">{head}</th>' for head in heads)
    yield f"<table><tr><th>stage</th>{cells}<th></th></tr>"
    for stage in stages:
        *counts, verdict = count_cells(stage)
        numbers = "".join(f'<td class="number">{escape(count)}</td>' for count in counts)
        yield (f"<tr><td>{escape(stage.pair.title)}</td>{numbers}<td>{escape(verdict)}</td></tr>")
    yield "</table>"


def _quantity_table(title: str, quantities: Sequence[QuantityDifference]) -> Iterator[str]:
    if not quantities:
        return
    yield f"<h3>{title}</h3><table><tr><th></th>"
    yield '<th class="number">first</th><th class="number">second</th><th>what it means</th></tr>'
    for quantity in quantities:
        numbers = "".join(
            f'<td class="number">{escape(format_quantity(value, quantity.unit))}</td>'
            for value in (quantity.before, quantity.after)
        )
        yield (
            f"<tr><td>{escape(quantity.name)}</td>{numbers}<td>{escape(quantity.meaning)}</td></tr>"
        )
    yield "</table>"


def _section(stage: StageComparison, comparison: Comparison) -> Iterator[str]:
    yield f'<section data-stage="{escape(stage.pair.key)}">'
    yield f"<h2>{escape(stage.pair.title)}</h2>"
    names = comparison.first.name, comparison.second.name
    if isinstance(stage.graphs, GraphComparison):
        rows = stage.graphs.rows()
        yield f'<div class="legend">{draw_legend()}</div>'
        yield from _graphs(stage.graphs, rows, names)
        yield from _differences(stage.graphs, rows)
    elif isinstance(stage.graphs, Unavailable):
        yield f'<p class="reason">{escape(stage.graphs.reason)}</p>'
    yield from _quantity_table("Cost", stage.costs)
    yield from _node_placements(describe_node_placements(stage))
    texts = stage.texts
    if isinstance(texts, TextDiff):
        yield from _text_table(texts, names)
    elif not isinstance(stage.graphs, Unavailable):
        yield f'<p class="reason">{escape(texts.reason)}</p>'
    yield "</section>"


def _node_placements(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield "<h3>On other devices</h3>"
    yield "".join(f'<p class="reason">{escape(line)}</p>' for line in lines[:_MOST_ROWS])
    if len(lines) > _MOST_ROWS:
        yield f'<p class="reason">… and {len(lines) - _MOST_ROWS:,} more</p>'


def _graphs(
    graphs: GraphComparison, rows: Sequence[tuple[Change, int, int]], names: tuple[str, str]
) -> Iterator[str]:
    row_of = (
        {a: i for i, (_, a, _) in enumerate(rows)},
        {b: i for i, (_, _, b) in enumerate(rows)},
    )
    yield '<div class="graphs">'
    for graph, changes, lookup, name in (
        (graphs.first, graphs.first_changes, row_of[0], names[0]),
        (graphs.second, graphs.second_changes, row_of[1], names[1]),
    ):
        drawing = draw_marked(graph, changes, lookup)
        content = (
            f"<p>{escape(drawing.reason)}</p>" if isinstance(drawing, Unavailable) else drawing
        )
        yield (
            f'<figure class="graph" tabindex="0"><figcaption>{escape(name)}</figcaption>'
            f"{content}</figure>"
        )
    yield "</div>"


def _differences(graphs: GraphComparison, rows: Sequence[tuple[Change, int, int]]) -> Iterator[str]:
    if not rows:
        yield "<h3>No differences in the graph</h3>"
        return
    yield f"<h3>{len(rows):,} differences</h3>"
    yield '<div class="scroll"><table><tr><th></th><th>node</th></tr>'
    for index, (change, first, second) in enumerate(rows[:_MOST_ROWS]):
        style = STYLES[change]
        text = describe_change(graphs, change, first, second)
        yield (
            f'<tr data-row="{index}" tabindex="0"><td class="kind {style.name}">'
            f"{style.sign} {style.name}</td><td><code>{escape(text)}</code></td></tr>"
        )
    yield "</table></div>"
    if len(rows) > _MOST_ROWS:
        yield f"<p>… and {len(rows) - _MOST_ROWS:,} more</p>"


def _text_table(texts: TextDiff, names: tuple[str, str]) -> Iterator[str]:
    if texts.is_equal:
        yield "<h3>The texts say the same; names of values aside</h3>"
        return
    yield "<h3>Text</h3>"
    yield (
        '<div class="scroll"><table class="text">'
        f"<tr><th></th><th>{escape(names[0])}</th><th></th><th>{escape(names[1])}</th></tr>"
    )
    num_lines = 0
    for hunk in texts.hunks():
        if num_lines >= _MOST_LINES:
            yield '<tr class="gap"><td colspan="4">… more lines differ</td></tr>'
            break
        if num_lines:
            yield '<tr class="gap"><td colspan="4">⋯</td></tr>'
        yield from map(_text_row, hunk)
        num_lines += len(hunk)
    yield "</table></div>"


def _text_row(row: Row) -> str:
    cells = []
    for sign, line in (("−", row.first), ("+", row.second)):
        if line is None:
            cells.append("<td></td><td></td>")
            continue
        mark = "" if row.kind == SAME else f"{sign} "
        cells.append(f"<td>{mark}{line.number + 1}</td><td>{escape(line.text)}</td>")
    if row.kind == SAME:
        name = "both-same"
    elif row.first is None:
        name = "only-second"
    else:
        name = "only-first" if row.second is None else "both-differ"
    return f'<tr class="{name}">{"".join(cells)}</tr>'
