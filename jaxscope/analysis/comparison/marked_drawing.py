"""A graph as SVG with its differences marked, for the HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.comparison.changes import Change
from jaxscope.analysis.comparison.marks import STYLES, MarkStyle, mark_items
from jaxscope.analysis.export.page_drawing import draw_scene
from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.build import build_view
from jaxscope.model import Graph, Unavailable

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
    return head + "\n".join(_draw_marks(scene, changes, row_of)) + end


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
    scene: Scene, changes: npt.NDArray[np.int8], row_of: Mapping[int, int]
) -> Iterator[str]:
    marks = mark_items(scene, changes)
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
            f"{_badge(style, x - 3, y - 3, number)}</g>"
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
