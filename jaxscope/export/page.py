"""The parts that HTML pages share: what is around the content, and a graph as SVG whose boxes know
their nodes.

A page needs no network: its policy forbids every address, and only the one script and the one style
sheet inside, named by their hashes, may act. Colours of boxes come from the style sheet, light and
dark.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import heapq
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jaxscope.export.order import DisplayedGraph, blend
from jaxscope.export.picture import FORK_PX, LinePath, arrow_of, strokes_of
from jaxscope.export.svg import path_data
from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, Unavailable
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.palette import CODE_COLOURS, DARK, LIGHT, Palette
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.edge_details import (
    LABEL_HEIGHT_PX,
    LABEL_TEXT_PX,
    EdgeLabel,
    EdgeLabels,
)
from jaxscope.picture.scene.first_picture import Arranger, Viewport
from jaxscope.picture.scene.group_layout import DOWN
from jaxscope.picture.scene.scene import (
    DETAIL_PX,
    HEADER_PX,
    STUB_TEXT_PX,
    TITLE_PITCH_PX,
    TITLE_PX,
    Scene,
)
from jaxscope.picture.syntax import PythonColouring
from jaxscope.picture.tint.classes import TINT_PALETTES, FillAndBorder, Tint, TintClass
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.operations import Style
from jaxscope.picture.view.view import View
from jaxscope.schema.safe_text import escape_html

_BEFORE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="jaxscope">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
"""

_AFTER = """
<script>{script}</script>
</body>
</html>
"""

THEME_BUTTON = '<button id="theme" type="button">Dark</button>'
"""What `page_theme.js` listens to."""


def make_page(title: str, body: str, style: str, script: str) -> str:
    """A complete HTML page that loads no other file.

    Args:
        title: As plain text.
        body: Content of the element, as HTML.
        style: The style sheet.
        script: The script; it runs when the body is there.
    """
    before, after = frame_page(title, style, script)
    return f"{before}{body}{after}"


def frame_page(title: str, style: str, script: str) -> tuple[str, str]:
    """What comes before the body of a page, and what comes after it; see `make_page`."""
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    before = _BEFORE.format(policy=policy, title=escape_html(title), style=style)
    return before, _AFTER.format(script=script)


@functools.cache
def read_part(folder: Path, name: str) -> str:
    """A style sheet or a script that lies beside the modules of a folder."""
    return (folder / name).read_text(encoding="utf-8")


def theme_script() -> str:
    """Starts a page in the system's theme, and lets its button change it."""
    return read_part(Path(__file__).parent, "page_theme.js")


def code_rules() -> str:
    """The colours of words in code, as rules for the style sheet."""
    code = ":is(pre, .text)"
    return "\n".join(
        f"{code} .{role} {{ color: {light}; }} "
        f":root[data-theme=dark] {code} .{role} {{ color: {dark}; }}"
        for role, (light, dark) in CODE_COLOURS.items()
    )


def colour_python(text: str) -> list[str]:
    """The lines of a Python file as HTML, with an element around each coloured word."""
    colouring, lines = PythonColouring(text), []
    for number, line in enumerate(text.split("\n")):
        parts, end = [], 0
        for start, length, role in colouring.spans(number):
            parts.append(escape_html(line[end:start]))
            end = start + length
            parts.append(f'<b class="{role}">{escape_html(line[start:end])}</b>')
        lines.append("".join([*parts, escape_html(line[end:])]))
    return lines


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# Which frame everything in a drawing is drawn in: what moves with it, and is hidden with it.


_NEAR_PX = 1.0

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class FrameMembership:
    """Item indices of frames, or `NONE`.

    Attributes:
        of_line: The innermost frame around each line.
        of_connector: Likewise of each connector, which may be far from the item it belongs to.
    """

    of_line: list[int]
    of_connector: list[int]


def find_frame_membership(scene: Scene) -> FrameMembership:
    """The frame around each line and each connector."""
    connectors = scene.connectors.rect
    of_connector = _innermost(scene, connectors[:, :2] + connectors[:, 2:] / 2)
    parent, source, target = scene.items.parent, scene.lines.source, scene.lines.target
    if not len(scene.lines):
        return FrameMembership([], of_connector.tolist())
    of_line = np.where(
        parent[target] == source, source, np.where(parent[source] == target, target, parent[source])
    )
    # A line between a connector and an item knows only the item.
    for line in np.flatnonzero(source == target).tolist():
        for corner in scene.lines.corners(line)[[0, -1]]:
            at = np.flatnonzero(
                np.all(
                    (corner >= connectors[:, :2] - _NEAR_PX)
                    & (corner <= connectors[:, :2] + connectors[:, 2:] + _NEAR_PX),
                    axis=1,
                )
            )
            if len(at):
                of_line[line] = of_connector[at[0]]
    return FrameMembership(of_line.tolist(), of_connector.tolist())


def _innermost(scene: Scene, points: Floats) -> Int32s:
    """The frame around each point; inner frames come after those around them."""
    found = np.full(len(points), NONE, np.int32)
    for frame in range(scene.items.num_frames):
        low, size = scene.items.rect[frame, :2], scene.items.rect[frame, 2:]
        found[np.all((points > low) & (points < low + size), axis=1)] = frame
    return found


# The colours that a window's boxes had, in the page: classes, rules and a legend.


_CHOSEN = 0.25
"""How much of a colour lies over the ground: text on it stays legible in both themes."""

_ROOTS = {"light": ":root", "dark": ':root[data-theme="dark"]'}


def name_of(tint: TintClass) -> str:
    """The names of the classes in the style sheet that a colour has."""
    name = f"tint-level-{tint.level}" if tint.level >= 0 else f"tint-kind-{tint.kind}"
    return f"{name} dashed" if tint.is_dashed else name


def names_by_item(tint: Tint | None, num_items: int) -> list[str]:
    """For each item what to add to its classes, with a space before it; empty for its style."""
    if tint is None:
        return [""] * num_items
    names = [f" {name_of(each)}" for each in tint.classes]
    return [names[number] if number >= 0 else "" for number in tint.of_item.tolist()]


def draw_legend(tint: Tint | None) -> str:
    """What the colours mean, as an element above the drawing; empty without a tint."""
    if tint is None:
        return ""
    entries = [
        f'<span><i class="{name_of(each)}"></i>{escape_html(each.name)}</span>'
        for each in tint.classes
    ]
    note = f"<span>{escape_html(tint.note)}</span>" if tint.note else ""
    return f'<p class="tints">{"".join(entries)}{note}</p>'


def tint_rules() -> str:
    """The rules of the style sheet, light and dark."""
    rules: list[str] = []
    for theme, root in _ROOTS.items():
        palette = TINT_PALETTES[theme]
        for kind, pair in enumerate(palette.kinds):
            rules += _rules_of_tints(f"{root} .tint-kind-{kind}", pair)
        for level, pair in enumerate(palette.levels):
            rules += _rules_of_tints(f"{root} .tint-level-{level}", pair)
    return "\n".join(rules)


def _rules_of_tints(name: str, pair: FillAndBorder) -> Iterator[str]:
    fill, border = pair
    # The same class twice weighs more than the colours of the styles do.
    twice = name + name[name.rindex(".") :]
    yield f"{twice} .box {{ fill: {fill}; stroke: {border}; }}"
    swatch = name.replace(" .", " i.")
    yield f"{swatch} {{ background: {fill}; border-color: {border}; }}"


# A graph as SVG inside the HTML page: every box knows its nodes, colours come from the sheet.


_LINKS = re.compile(r' data-nodes="[^"]*" role="button"')

TintOf = Callable[[Scene], Tint | None]

MAX_BOXES = 1_000
"""Groups are drawn opened up to so many boxes; the page folds and unfolds what is drawn, and cannot
lay out what is not. More would swell the page."""

MAX_SEEN_BOXES = 4_000
"""A picture of more boxes than that is not taken from a screen: browsers stall."""


_PANE = Viewport(860.0, 770.0)
"""Beside the source, in a browser of 1440 × 900."""


@dataclass(frozen=True, slots=True)
class Drawings:
    """A graph drawn twice, as `<svg>` elements.

    Attributes:
        first: As the window shows it at first.
        unfolded: With as many groups open as a page can take; empty where that is no more.
    """

    first: str
    unfolded: str


def draw_graph(
    graph: Graph, seen: DisplayedGraph | None = None, *, is_folded: bool = False
) -> Drawings | Unavailable:
    """The drawings, or why there are none.

    Args:
        graph: What to draw.
        seen: The picture that comes first, as it is on a screen; its direction and colours hold
            for all. None lets the graph open as it does in the window.
        is_folded: Whether the first drawing is all: most of the time goes to the other one.

    Boxes and frames carry `data-nodes`, the indices of the nodes they stand for; frames of the
    unfolded drawing have `data-id`, which closed boxes of the first one name in `data-inside`.
    """
    if seen is not None and len(seen.scene.items) > MAX_SEEN_BOXES:
        seen = None
    view = build_view(graph)
    scene = Arranger(view, _PANE, DOWN).choose().scene if seen is None else seen.scene
    tint_of = (seen.tint_of if seen is not None else None) or _tint_nothing
    if not len(scene.items):
        return Unavailable("There is nothing to draw: the program has no operations.")
    if is_folded:
        return Drawings(_draw(scene, frozenset(), tint_of), "")
    unfolded = build_scene(
        view, _choose_unfolded(view, scene.opened), direction=scene.direction
    )  # fmt: skip
    inside = unfolded.opened - scene.opened
    if not inside:
        return Drawings(_draw(scene, inside, tint_of), "")
    return Drawings(_draw(scene, inside, tint_of), _draw(unfolded, frozenset(), tint_of))


def _tint_nothing(_scene: Scene) -> Tint | None:
    return None


def draw_scene(scene: Scene) -> str:
    """A scene as an `<svg>` element to look at, in the colours of the style sheet."""
    parts = [
        *_draw_frames(scene),
        *_draw_lines(scene, find_frame_membership(scene).of_line, is_curved=True),
        *_draw_frame_titles(scene, has_signs=False),
        *_draw_boxes(scene, frozenset(), None),
        *_draw_stubs(scene, find_frame_membership(scene).of_connector),
        *_draw_labels(scene),
    ]
    return _LINKS.sub("", _make_svg(scene, parts))


def _make_svg(scene: Scene, parts: Iterable[str]) -> str:
    width, height = scene.width + 2, scene.height + 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" data-direction="{scene.direction}" '
        f'width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="-1 -1 {width:.1f} {height:.1f}">' + "".join(parts) + "</svg>"
    )


def _draw(scene: Scene, inside: frozenset[str], tint_of: TintOf) -> str:
    """A legend if there is a tint, and an `<svg>` element.

    Args:
        inside: Ids of boxes that another drawing shows the inside of.
    """
    tint = tint_of(scene)
    homes = find_frame_membership(scene)
    parts = [
        *_draw_frames(scene),
        *_draw_lines(scene, homes.of_line),
        *_draw_frame_titles(scene),
        *_draw_boxes(scene, inside, tint),
        *_draw_stubs(scene, homes.of_connector),
        *_draw_labels(scene),
    ]
    return draw_legend(tint) + _make_svg(scene, parts)


def _choose_unfolded(view: View, shown: frozenset[str]) -> frozenset[str]:
    """The groups that the page can open: those that are open, and of the others as many as fit.

    Groups of few boxes come first, so that most of what a reader points at opens.
    """
    boxes, opened, num_boxes = view.boxes, set[str](), 0
    queue: list[tuple[bool, int, int]] = []

    def offer(children: Iterable[int]) -> None:
        for child in children:
            if boxes[child].children:
                is_more = boxes[child].id not in shown
                heapq.heappush(queue, (is_more, len(boxes[child].children), child))

    offer(boxes[0].children)
    while queue:
        is_more, size, index = heapq.heappop(queue)
        if is_more and num_boxes + size > MAX_BOXES:
            break
        num_boxes += size
        opened.add(boxes[index].id)
        offer(boxes[index].children)
    return frozenset(opened)


def style_rules() -> str:
    """The colours of boxes, light and dark, as rules for the page's style sheet."""
    rules = [*_rules(":root", LIGHT), *_rules(':root[data-theme="dark"]', DARK)]
    return "\n".join([*rules, tint_rules()])


def _rules(root: str, palette: Palette) -> Iterator[str]:
    for style, fill in palette.fill.items():
        border = palette.border[style]
        yield f"{root} svg .style-{int(style)} .box {{ fill: {fill}; stroke: {border}; }}"
    for ground, fill in enumerate(palette.frame_fill):
        line = palette.frame_line[ground]
        yield f"{root} svg .frame-{ground} {{ fill: {fill}; stroke: {line}; }}"
        yield f"{root} svg .plate-{ground} {{ fill: {fill}; }}"
    yield f"{root} svg .wire {{ stroke: {palette.edge}; }}"
    yield f"{root} svg .tip {{ fill: {palette.edge}; }}"
    back = palette.border[Style.CONTROL]
    yield f"{root} svg .wire.back {{ stroke: {back}; }} {root} svg .tip.back {{ fill: {back}; }}"
    kept = palette.residual
    yield f"{root} svg .wire.residual {{ stroke: {kept}; }}"
    yield f"{root} svg .tip.residual {{ fill: {kept}; }}"
    yield f"{root} svg .detail.kept {{ fill: {palette.residual_text}; }}"
    yield f"{root} svg .stub {{ fill: {palette.stub_fill}; }}"
    colors = {
        "paper": palette.background,
        "ink": palette.text,
        "faint": palette.muted,
        "chosen-edge": palette.selected,
        "forward-edge": palette.forward,
        "backward-edge": palette.backward,
        "chosen": blend(palette.selected, palette.background, _CHOSEN),
        "forward": blend(palette.forward, palette.background, _CHOSEN),
        "backward": blend(palette.backward, palette.background, _CHOSEN),
    }
    yield f"{root} {{ {' '.join(f'--{name}: {color};' for name, color in colors.items())} }}"


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
        detail = measure_text(scene.items.details[item], DETAIL_PX)
        title = measure_text(scene.items.titles[item], TITLE_PX, is_bold=True) + 60 + detail
        more = f' data-title="{title:.0f}" data-id="{escape_html(scene.items.ids[item])}"'
        yield _group(scene, item, nodes[item] if own >= 0 else "", more)
        yield _rectangle(
            f"frame frame-{scene.items.ground[item]}{' box' if own >= 0 else ''}",
            *(x, y, width, height),
        )
        yield "</g>"


def _draw_frame_titles(scene: Scene, *, has_signs: bool = True) -> Iterator[str]:
    """Above the lines, which enter a frame through its header."""
    for item in range(scene.items.num_frames):
        x, y = scene.items.rect[item, :2].tolist()
        title = scene.items.titles[item]
        at = f' data-item="{item}"'
        name = escape_html(f"Fold or unfold {title}")
        sign = f'{at} role="button" aria-expanded="true" aria-label="{name}"'
        if has_signs:
            yield _text(x + 8, y + HEADER_PX - 8, TITLE_PX, "▾", "sign", sign)
        detail = escape_html(scene.items.details[item])
        said = f'<tspan class="detail" dx="8" font-size="{DETAIL_PX:g}">{detail}</tspan>'
        yield _text(x + 24, y + HEADER_PX - 8, TITLE_PX, title, "title over", at, said)


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
        *before, last = scene.items.title_lines(item)
        if before:
            middle += TITLE_PITCH_PX / 2
            yield _text(centre, middle - TITLE_PITCH_PX, TITLE_PX, before[0], "title middle")
        yield _text(centre, middle, TITLE_PX, last, "title middle")
        if detail:
            yield _text(centre, middle + TITLE_PX + 1, DETAIL_PX, detail, "detail middle")
        yield "</g>"
        if scene.items.ids[item] in inside:
            name = escape_html(f"Unfold {scene.items.titles[item]}")
            box = escape_html(scene.items.ids[item])
            sign = (
                f' data-item="{item}" data-inside="{box}" role="button" aria-expanded="false"'
                f' aria-label="{name}"'
            )
            yield _text(x + 7, y + height / 2 + TITLE_PX / 3, TITLE_PX, "▸", "sign", sign)


def _draw_lines(scene: Scene, homes: Sequence[int], *, is_curved: bool = False) -> Iterator[str]:
    """The lines: as corners for a script that curves them, or as they are to look like."""
    for line, home in enumerate(homes):
        corners = scene.lines.corners(line).tolist()
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
        if is_curved:
            path = path_data(LinePath(tuple(strokes_of(scene, line)), "", 0.0))
        title = escape_html(scene.lines.types[line])
        more = " back" if scene.lines.is_return[line] else ""
        if scene.lines.is_residual[line] or scene.lines.is_inner_residual[line]:
            more = " residual"
        about = f'class="wire{more}" data-home="{home}"'
        yield f'<path {about} d="{path}"><title>{title}</title></path>'
        arrow = arrow_of(scene, line)
        if arrow:
            points = " ".join(f"{across:.1f},{along:.1f}" for across, along in arrow)
            yield f'<polygon class="tip{more}" data-line="{line}" points="{points}"/>'
    for x, y in scene.lines.forks.tolist():
        yield f'<circle class="tip residual" cx="{x:.1f}" cy="{y:.1f}" r="{FORK_PX}"/>'


def _draw_labels(scene: Scene) -> Iterator[str]:
    """Types of values, where no box says them: on plates, so that the line ends at them."""
    is_kept = scene.lines.is_residual | scene.lines.is_inner_residual
    for label in EdgeLabels(scene).all():
        piece = _piece_under(scene, label)
        ground = "" if label.group == NONE else f" plate-{scene.items.ground[label.group]}"
        yield f'<g class="type-of" data-line="{label.line}" data-piece="{piece}">'
        left, wide = label.plate()
        yield _rectangle(f"plate{ground}", left, label.y, wide, LABEL_HEIGHT_PX)
        middle, kept = label.x + label.width / 2, " kept" if is_kept[label.line] else ""
        yield _text(middle, label.y + 10.5, LABEL_TEXT_PX, label.text, f"detail middle{kept}")
        yield "</g>"


def _piece_under(scene: Scene, label: EdgeLabel) -> int:
    """Number of the piece of its line that a label stands on: the one whose middle is nearest."""
    corners = scene.lines.corners(label.line)
    middles = (corners[:-1] + corners[1:]) / 2
    here = (label.x + label.width / 2, label.y + LABEL_HEIGHT_PX / 2)
    return int(np.argmin(np.abs(middles - here).sum(axis=1)))


def _draw_stubs(scene: Scene, homes: Sequence[int]) -> Iterator[str]:
    connectors = scene.connectors
    for rect, text, home in zip(connectors.rect.tolist(), connectors.texts, homes, strict=True):
        x, y, width, height = rect
        yield f'<g class="stub-of" data-home="{home}">'
        yield _rectangle("stub", x, y, width, height)
        baseline = y + height / 2 + STUB_TEXT_PX / 3
        yield _text(x + width / 2, baseline, STUB_TEXT_PX, text, "detail middle")
        yield "</g>"


def _rectangle(name: str, x: float, y: float, width: float, height: float) -> str:
    return (
        f'<rect class="{name}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        'rx="4"/>'
    )


def _text(
    x: float, y: float, size_px: float, text: str, name: str, more: str = "", after: str = ""
) -> str:
    """A text; `more` are attributes, `after` are elements behind it, as HTML."""
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{size_px:g}"'
    return f'<text class="{name}"{more} {place}>{escape_html(text)}{after}</text>'
