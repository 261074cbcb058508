"""A graph as SVG inside the HTML page: every box knows its nodes, colours come from the sheet."""

from __future__ import annotations

import dataclasses
import html
import itertools
from collections.abc import Callable, Iterator

import numpy as np

from jaxscope.analysis.export.order import Seen
from jaxscope.analysis.export.page_tints import draw_legend, names_by_item, tint_rules
from jaxscope.analysis.export.safe_text import make_safe_line
from jaxscope.analysis.export.strokes import arrow_of
from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.engines import LayoutCache
from jaxscope.analysis.layout.scene import DETAIL_PX, HEADER_PX, STUB_TEXT_PX, TITLE_PX, Scene
from jaxscope.analysis.layout.text_width import measure_text
from jaxscope.analysis.tint import Tint
from jaxscope.analysis.view.build import build_view
from jaxscope.analysis.view.framing import open_largest
from jaxscope.analysis.view.palette import DARK, LIGHT, Palette
from jaxscope.analysis.view.tree import GATHERED
from jaxscope.analysis.view.view import View
from jaxscope.model import Graph, Unavailable

TintOf = Callable[[Scene], Tint | None]

MAX_BOXES = 400
"""Groups are drawn opened, the largest first, up to so many boxes; the page folds and unfolds what
is drawn, and cannot lay out what is not."""

MAX_SEEN_BOXES = 4_000
"""A picture of more boxes than that is not taken from a screen: browsers stall."""

_MAX_ARRAYS = 6
_MAX_SINGLE = 12
"""For so many boxes there is a drawing in which it alone is opened; more would swell the page."""


@dataclasses.dataclass(frozen=True, slots=True)
class Drawings:
    """A graph drawn twice, as `<svg>` elements.

    Attributes:
        first: As the window shows it at first.
        unfolded: With as many groups open as a page can take; empty where that is no more.
        with_one: As at first with one more box open, by its id, laid out anew, so without the
            gaps that folding leaves.
    """

    first: str
    unfolded: str
    with_one: dict[str, str]


def draw_graph(graph: Graph, seen: Seen | None = None) -> Drawings | Unavailable:
    """The drawings, or why there are none.

    Args:
        graph: What to draw.
        seen: The picture that comes first, as it is on a screen; its direction and colours hold
            for all. None lets the graph open as it does in the window.

    Boxes and frames carry `data-nodes`, the indices of the nodes they stand for; frames of the
    unfolded drawing have `data-id`, which closed boxes of the first one name in `data-inside`.
    """
    if seen is not None and len(seen.scene.items) > MAX_SEEN_BOXES:
        seen = None
    view = build_view(graph)
    cache: LayoutCache = {}
    scene = build_scene(view, cache=cache) if seen is None else seen.scene
    tint_of = (seen.tint_of if seen is not None else None) or _tint_nothing
    if not len(scene.items):
        return Unavailable("There is nothing to draw: the program has no operations.")
    unfolded = build_scene(
        view, open_largest(view, _foldable(view), MAX_BOXES), direction=scene.direction
    )
    inside = unfolded.opened - scene.opened
    if not inside:
        return Drawings(_draw(scene, inside, tint_of), "", {})
    with_one = {}
    closed = [each for each in scene.items.ids[scene.items.num_frames :] if each in inside]
    for each in closed[:_MAX_SINGLE]:
        single = build_scene(view, scene.opened | {each}, direction=scene.direction, cache=cache)
        if len(single.items) <= MAX_BOXES:
            with_one[each] = _draw(single, inside - {each}, tint_of)
    return Drawings(_draw(scene, inside, tint_of), _draw(unfolded, frozenset(), tint_of), with_one)


def _tint_nothing(_scene: Scene) -> Tint | None:
    return None


def _draw(scene: Scene, inside: frozenset[str], tint_of: TintOf) -> str:
    """A legend if there is a tint, and an `<svg>` element.

    Args:
        inside: Ids of boxes that another drawing shows the inside of.
    """
    tint = tint_of(scene)
    parts = [
        *_draw_frames(scene),
        *_draw_lines(scene),
        *_draw_frame_titles(scene),
        *_draw_boxes(scene, inside, tint),
        *_draw_stubs(scene),
    ]
    width, height = scene.width + 2, scene.height + 2
    return draw_legend(tint) + (
        f'<svg xmlns="http://www.w3.org/2000/svg" data-direction="{scene.direction}" '
        f'width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="-1 -1 {width:.1f} {height:.1f}">' + "".join(parts) + "</svg>"
    )


def _foldable(view: View) -> frozenset[str]:
    """Groups that may be drawn opened; the dozens of arrays of one parameter would only be wide."""
    return frozenset(
        box.id
        for box in view.boxes[1:]
        if box.children and (box.kind not in GATHERED or len(box.children) <= _MAX_ARRAYS)
    )


def style_rules() -> str:
    """The colours of boxes, light and dark, as rules for the page's style sheet."""
    rules = [*_rules(":root", LIGHT), *_rules(':root[data-theme="dark"]', DARK)]
    return "\n".join([*rules, tint_rules()])


def _rules(root: str, palette: Palette) -> Iterator[str]:
    for style, fill in palette.fill.items():
        border = palette.border[style]
        yield f"{root} svg .style-{int(style)} .box {{ fill: {fill}; stroke: {border}; }}"
    yield f"{root} svg .frame {{ fill: {palette.frame_fill[0]}; stroke: {palette.frame_border}; }}"
    yield f"{root} svg .wire {{ stroke: {palette.edge}; }}"
    yield f"{root} svg .tip {{ fill: {palette.edge}; }}"
    yield f"{root} svg .stub {{ fill: {palette.stub_fill}; }}"
    colors = {
        "paper": palette.background,
        "ink": palette.text,
        "faint": palette.muted,
        "chosen-edge": palette.selected,
        "forward-edge": palette.forward,
        "backward-edge": palette.backward,
        "chosen": _blend(palette.selected, palette.background),
        "forward": _blend(palette.forward, palette.background),
        "backward": _blend(palette.backward, palette.background),
    }
    yield f"{root} {{ {' '.join(f'--{name}: {color};' for name, color in colors.items())} }}"


def _blend(color: str, background: str) -> str:
    """A quarter of a colour on a background: text on it stays legible in both themes."""
    mixed = (
        round(0.25 * int(color[i : i + 2], 16) + 0.75 * int(background[i : i + 2], 16))
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _nodes_by_item(scene: Scene) -> list[str]:
    """For each item its nodes as text, ready for the attribute."""
    order = np.argsort(scene.item_of_node, kind="stable")
    items = scene.item_of_node[order]
    bounds = np.searchsorted(items, np.arange(len(scene.items) + 1))
    texts = []
    for item, (start, stop) in enumerate(itertools.pairwise(bounds.tolist())):
        nodes = set(order[start:stop].tolist())
        own = int(scene.items.node[item])
        texts.append(" ".join(map(str, sorted(nodes | ({own} if own >= 0 else set())))))
    return texts


def _group(scene: Scene, item: int, nodes: str, more: str = "", tint: str = "") -> str:
    """The opening tag of an item."""
    links = f' data-nodes="{nodes}" role="button"' if nodes else ""
    parent = f' data-parent="{int(scene.items.parent[item])}"'
    return f'<g class="item style-{int(scene.items.style[item])}{tint}"{parent}{links}{more}>'


def _draw_frames(scene: Scene) -> Iterator[str]:
    nodes = _nodes_by_item(scene)
    for item in range(scene.items.num_frames):
        x, y, width, height = scene.items.rect[item].tolist()
        own = int(scene.items.node[item])
        title = measure_text(scene.items.titles[item], TITLE_PX, is_bold=True) + 60
        more = f' data-title="{title:.0f}" data-id="{_attribute(scene.items.ids[item])}"'
        yield _group(scene, item, nodes[item] if own >= 0 else "", more)
        yield _rectangle("frame box" if own >= 0 else "frame", x, y, width, height)
        yield "</g>"


def _draw_frame_titles(scene: Scene) -> Iterator[str]:
    """Above the lines, which enter a frame through its header."""
    for item in range(scene.items.num_frames):
        x, y = scene.items.rect[item, :2].tolist()
        title = scene.items.titles[item]
        at = f' data-item="{item}"'
        name = _attribute(f"Fold or unfold {title}")
        sign = f'{at} role="button" aria-expanded="true" aria-label="{name}"'
        yield _text(x + 8, y + HEADER_PX - 8, TITLE_PX, "▾", "sign", sign)
        yield _text(x + 24, y + HEADER_PX - 8, TITLE_PX, title, "title over", at)


def _draw_boxes(scene: Scene, inside: frozenset[str], tint: Tint | None) -> Iterator[str]:
    nodes = _nodes_by_item(scene)
    tints = names_by_item(tint, len(scene.items))
    for item in range(scene.items.num_frames, len(scene.items)):
        x, y, width, height = scene.items.rect[item].tolist()
        detail = scene.items.details[item]
        middle = y + height / 2 + (-2 if detail else TITLE_PX / 3)
        yield _group(scene, item, nodes[item], tint=tints[item])
        yield _rectangle("box", x, y, width, height)
        centre = x + width / 2
        yield _text(centre, middle, TITLE_PX, scene.items.titles[item], "title middle")
        if detail:
            yield _text(centre, middle + TITLE_PX + 1, DETAIL_PX, detail, "detail middle")
        yield "</g>"
        if scene.items.ids[item] in inside:
            name = _attribute(f"Unfold {scene.items.titles[item]}")
            box = _attribute(scene.items.ids[item])
            home = int(scene.items.parent[item])
            sign = f' data-inside="{box}" role="button" aria-expanded="false" aria-label="{name}"'
            yield f'<g data-at="{x:.1f} {y:.1f}" data-home="{home}">'
            yield _text(x + 7, y + height / 2 + TITLE_PX / 3, TITLE_PX, "▸", "sign", sign)
            yield "</g>"


def _draw_lines(scene: Scene) -> Iterator[str]:
    for line in range(len(scene.lines)):
        corners = scene.lines.corners(line).tolist()
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
        title = html.escape(make_safe_line(scene.lines.types[line]))
        home = f' data-home="{_home_of_line(scene, line)}"'
        yield f'<path class="wire"{home} d="{path}"><title>{title}</title></path>'
        yield from _tip(scene, line, home)


def _home_of_line(scene: Scene, line: int) -> int:
    """The frame that a line is drawn in, or -1 for none."""
    parent = scene.items.parent
    source, target = int(scene.lines.source[line]), int(scene.lines.target[line])
    if source >= 0 and target >= 0 and parent[target] == source:
        return source
    if source >= 0 and target >= 0 and parent[source] == target:
        return target
    return int(parent[source if source >= 0 else target])


def _tip(scene: Scene, line: int, home: str) -> Iterator[str]:
    """The arrow head at the end of a line, if it has one."""
    corners = arrow_of(scene, line)
    if corners:
        (x, y), *_ = corners
        points = " ".join(f"{across:.1f},{along:.1f}" for across, along in corners)
        yield f'<polygon class="tip" data-at="{x:.1f} {y:.1f}"{home} points="{points}"/>'


def _draw_stubs(scene: Scene) -> Iterator[str]:
    connectors = scene.connectors
    for rect, text, item in zip(
        connectors.rect.tolist(), connectors.texts, connectors.item.tolist(), strict=True
    ):
        x, y, width, height = rect
        home = int(scene.items.parent[item])
        yield f'<g data-at="{x:.1f} {y:.1f}" data-home="{home}" data-beside="{item}">'
        yield _rectangle("stub", x, y, width, height)
        baseline = y + height / 2 + STUB_TEXT_PX / 3
        yield _text(x + width / 2, baseline, STUB_TEXT_PX, text, "detail middle")
        yield "</g>"


def _attribute(text: str) -> str:
    return html.escape(make_safe_line(text), quote=True)


def _rectangle(name: str, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect class="{name}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        'rx="4"/>'
    )


def _text(x: float, y: float, size_px: float, text: str, name: str, more: str = "") -> str:
    shown = html.escape(make_safe_line(text))
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size_px:g}"'
    return f'<text class="{name}"{more} {place}>{shown}</text>'
