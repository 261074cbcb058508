"""A comparison as one self-contained HTML page: marked graphs side by side, differences, texts.

It asks for no network; marks and tables are there without the script.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jaxscope.export.page import (
    THEME_BUTTON,
    draw_scene,
    make_page,
    read_part,
    style_rules,
    theme_script,
)
from jaxscope.model import Graph, Unavailable
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.tint.diff_marks import BADGE_ABOVE_PX, STYLES, MarkStyle, mark_items
from jaxscope.picture.view.build import build_view
from jaxscope.program.diff.captures import Comparison, StageComparison
from jaxscope.program.diff.changes import Change, GraphComparison, describe_node_change
from jaxscope.program.diff.texts import SAME, TextDiff, TextRow
from jaxscope.report.diff import (
    describe_node_placements,
    describe_subject,
    describe_verdict,
    quantity_table,
    summary_sections,
)
from jaxscope.report.document import Section, make_items, write_html
from jaxscope.schema.safe_text import escape_html

EXPANDED_NODES = 300
"""Up to so many nodes everything is drawn opened; a page cannot open boxes afterwards."""
MOST_NODES = 20_000
"""A larger drawing makes a page that no browser scrolls."""

_MOST_ROWS_PER_MARK = 50


def draw_marked(
    graph: Graph, changes: npt.NDArray[np.int8], row_of: Mapping[int, int]
) -> str | Unavailable:
    """An `<svg>` element, or why there is none.

    Args:
        graph: What to draw.
        changes: `Change` codes of its nodes.
        row_of: For nodes that differ the row of the table that says so.
    """
    if len(graph.nodes) > MOST_NODES:
        return Unavailable(
            f"Graphs of more than {MOST_NODES:,} nodes are shown by the window only."
        )
    view = build_view(graph)
    expanded = view.all_groups() if len(graph.nodes) <= EXPANDED_NODES else view.opened
    scene = build_scene(view, expanded)
    if not len(scene.items):
        return Unavailable("There is nothing to draw: the program has no operations.")
    head, end, _ = draw_scene(scene).rpartition("</svg>")
    return head + "\n".join(_draw_marks(scene, changes, graph, row_of)) + end


def draw_legend() -> str:
    """The marks with their words."""
    return "".join(
        f'<span><svg width="40" height="26" viewBox="0 -6 40 26"><g class="mark-{style.name}">'
        f"{_outline(style, 8, 4, 28, 14)}{_badge(style, 8, 4, '')}</g></svg>{style.name}</span>"
        for style in STYLES.values()
    )


def mark_rules() -> str:
    """The colours of marks, light and dark, as rules for the style sheet."""
    rules = []
    for style in STYLES.values():
        for root, color, ink in (
            (":root", style.light, "#ffffff"),
            (':root[data-theme="dark"]', style.dark, "#16181c"),
        ):
            name = f"{root} .mark-{style.name}"
            rules += [
                f"{name} .outline {{ fill: {color}; stroke: {color}; }}",
                f"{name} .badge {{ fill: {color}; }}",
                f"{name} text {{ fill: {ink}; }}",
                f"{root} .kind.{style.name} {{ color: {color}; }}",
            ]
    return "\n".join(rules)


def _draw_marks(
    scene: Scene, changes: npt.NDArray[np.int8], graph: Graph, row_of: Mapping[int, int]
) -> Iterator[str]:
    marks = mark_items(scene, changes, graph)
    rows: dict[int, list[int]] = {}
    for node in np.flatnonzero(changes).tolist():
        if node in row_of:
            rows.setdefault(int(scene.item_of_node[node]), []).append(row_of[node])
    for index, (item, change, count) in enumerate(
        zip(marks.items.tolist(), marks.changes.tolist(), marks.counts.tolist(), strict=True)
    ):
        own = int(scene.items.node[item])
        found = rows.get(item) or ([row_of[own]] if own in row_of else [])
        style = STYLES[Change(change)]
        x, y, width, height = scene.items.rect[item].tolist()
        number = str(count) if count > 1 else ""
        shown = " ".join(map(str, found[:_MOST_ROWS_PER_MARK]))
        yield (
            f'<g class="mark mark-{style.name}" data-rows="{shown}" tabindex="0" role="button">'
            f"<title>{marks.describe(index)}</title>"
            f"{_outline(style, x - 3, y - 3, width + 6, height + 6)}"
            f"{_badge(style, x - 3, y - 3 - BADGE_ABOVE_PX, number)}</g>"
        )


def _outline(style: MarkStyle, x: float, y: float, width: float, height: float) -> str:
    dash = f' stroke-dasharray="{" ".join(f"{d:g}" for d in style.dash)}"' if style.dash else ""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6"'
    return (
        f'<rect class="halo" {place} fill="none" stroke="none" stroke-width="12"/>'
        f'<rect class="outline" {place} fill-opacity="0.08" stroke-width="2.6"{dash}/>'
    )


def _badge(style: MarkStyle, x: float, y: float, number: str) -> str:
    text = f"{style.sign}{number}"
    width = 9 + 7.5 * len(text)
    return (
        f'<rect class="badge" x="{x - 7:.1f}" y="{y - 8:.1f}" width="{width:.1f}" height="17"'
        f' rx="8"/><text x="{x - 7 + width / 2:.1f}" y="{y + 5:.1f}"'
        f' font-size="13" font-weight="bold" text-anchor="middle">{text}</text>'
    )


_MOST_ROWS = 2_000
_MOST_LINES = 4_000
_MAX_FATES = 50
"""More rows make a page that browsers scroll badly; how many are left out is said."""

_HERE = Path(__file__).parent


def comparison_to_html(comparison: Comparison) -> str:
    """The comparison as a self-contained HTML page."""
    return make_page(
        f"{comparison.first.name} and {comparison.second.name} — jaxscope",
        "\n".join(_body(comparison)),
        "\n".join([style_rules(), mark_rules(), read_part(_HERE, "comparison.css")]),
        theme_script() + read_part(_HERE, "comparison.js"),
    )


def _body(comparison: Comparison) -> Iterator[str]:
    yield f"<header>{THEME_BUTTON}"
    yield f"<h1>{escape_html(describe_verdict(comparison))}</h1>"
    for word, subject in (("first", comparison.first), ("second", comparison.second)):
        yield f'<div class="side"><b>{word}</b>{escape_html(describe_subject(subject))}</div>'
    yield "".join(f"<p>{escape_html(note)}</p>" for note in comparison.notes)
    yield write_html(summary_sections(comparison, _MAX_FATES)[2:])
    yield "</header>"
    shown = [stage for stage in comparison.stages if not isinstance(stage.verdict, Unavailable)]
    first = next((stage for stage in shown if not stage.verdict), None)
    yield '<nav aria-label="Stages">'
    for stage in shown:
        mark = " data-first" if stage is first else ""
        key, title = escape_html(stage.pair.key), escape_html(stage.pair.title)
        yield f'<button type="button" data-stage="{key}"{mark}>{title}</button>'
    yield "</nav>"
    for stage in shown:
        yield from _section(stage, comparison)


def _section(stage: StageComparison, comparison: Comparison) -> Iterator[str]:
    yield f'<section data-stage="{escape_html(stage.pair.key)}">'
    yield f"<h2>{escape_html(stage.pair.title)}</h2>"
    names = comparison.first.name, comparison.second.name
    if isinstance(stage.graphs, GraphComparison):
        rows = stage.graphs.rows()
        yield f'<div class="legend">{draw_legend()}</div>'
        yield from _graphs(stage.graphs, rows, names)
        yield from _differences(stage.graphs, rows)
    elif isinstance(stage.graphs, Unavailable):
        yield f'<p class="reason">{escape_html(stage.graphs.reason)}</p>'
    placed = describe_node_placements(stage)
    sections = [
        *([Section("Cost", [quantity_table(stage.costs)])] if stage.costs else []),
        *([Section("On other devices", [make_items(placed, _MOST_ROWS)])] if placed else []),
    ]
    yield write_html(sections)
    texts = stage.texts
    if isinstance(texts, TextDiff):
        yield from _text_table(texts, names)
    elif not isinstance(stage.graphs, Unavailable):
        yield f'<p class="reason">{escape_html(texts.reason)}</p>'
    yield "</section>"


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
            f"<p>{escape_html(drawing.reason)}</p>" if isinstance(drawing, Unavailable) else drawing
        )
        yield (
            f'<figure class="graph" tabindex="0"><figcaption>{escape_html(name)}</figcaption>'
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
        text = describe_node_change(graphs, change, first, second)
        yield (
            f'<tr data-row="{index}" tabindex="0"><td class="kind {style.name}">'
            f"{style.sign} {style.name}</td><td><code>{escape_html(text)}</code></td></tr>"
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
        f"<tr><th></th><th>{escape_html(names[0])}</th><th></th><th>{escape_html(names[1])}</th></tr>"
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


def _text_row(row: TextRow) -> str:
    cells = []
    for sign, line in (("−", row.first), ("+", row.second)):
        if line is None:
            cells.append("<td></td><td></td>")
            continue
        mark = "" if row.kind == SAME else f"{sign} "
        cells.append(f"<td>{mark}{line.number + 1}</td><td>{escape_html(line.text)}</td>")
    if row.kind == SAME:
        name = "both-same"
    elif row.first is None:
        name = "only-second"
    else:
        name = "only-first" if row.second is None else "both-differ"
    return f'<tr class="{name}">{"".join(cells)}</tr>'
