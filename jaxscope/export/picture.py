"""A scene as plain shapes in drawing order, with its legend; SVG, PDF and PNG read this list."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from jaxscope.export.order import PLAIN, BoxColors, Look, SceneColors
from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.picture.layout.text_width import measure_text, shorten_text
from jaxscope.picture.palette import (
    BOLD_LINE_PX,
    EDGE_LINE_PX,
    LINE_NAMES,
    PALETTES,
    Palette,
    explain_boxes,
)
from jaxscope.picture.scene.edge_details import LABEL_HEIGHT_PX, LABEL_TEXT_PX, EdgeLabels
from jaxscope.picture.scene.scene import (
    DETAIL_PX,
    HEADER_PX,
    STUB_TEXT_PX,
    TITLE_PITCH_PX,
    TITLE_PX,
    Scene,
)
from jaxscope.picture.tint.classes import TINT_PALETTES
from jaxscope.picture.view.operations import Style
from jaxscope.schema.safe_text import make_safe_line

# Lines of a scene as straight pieces and curves, for every kind of drawing.


ARROW_PX = 6.0


class Stroke(NamedTuple):
    """One piece of a line.

    Attributes:
        kind: `move`, `line` or `curve`.
        points: End point; of a curve, two control points and the end.
    """

    kind: str
    points: tuple[tuple[float, float], ...]


def strokes_of(scene: Scene, line: int) -> Iterator[Stroke]:
    """The pieces of one line: straight along the flow, curved where it moves across."""
    is_down = scene.direction == "down"
    corners = scene.lines.corners(line).tolist()
    x0, y0 = corners[0]
    yield Stroke("move", ((x0, y0),))
    for x1, y1 in corners[1:]:
        if x0 == x1 or y0 == y1:
            yield Stroke("line", ((x1, y1),))
        elif is_down:
            middle = (y0 + y1) / 2
            yield Stroke("curve", ((x0, middle), (x1, middle), (x1, y1)))
        else:
            middle = (x0 + x1) / 2
            yield Stroke("curve", ((middle, y0), (middle, y1), (x1, y1)))
        x0, y0 = x1, y1


def arrow_of(scene: Scene, line: int) -> tuple[tuple[float, float], ...]:
    """Corners of the arrowhead at the end of a line; empty if it has none."""
    if not scene.lines.has_arrow[line]:
        return ()
    (x0, y0), (x, y) = scene.lines.corners(line)[-2:].tolist()
    half = ARROW_PX * 0.6
    if y != y0 and (scene.direction == "down" or x == x0):
        back = ARROW_PX if y >= y0 else -ARROW_PX
        return (x, y), (x - half, y - back), (x + half, y - back)
    back = ARROW_PX if x >= x0 else -ARROW_PX
    return (x, y), (x - back, y - half), (x - back, y + half)


# Plain shapes that every kind of picture is made of: SVG, PDF and PNG read the same.


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle with round corners; colours are `#rrggbb`, empty ones paint nothing.

    Attributes:
        layer: How many rectangles of its kind it lies upon: those of one layer never overlap, so
            they may be painted in any order.
    """

    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str
    border: str
    border_px: float = 1.0
    is_dashed: bool = False
    item: int = NONE
    layer: int = 0


@dataclass(frozen=True, slots=True)
class LinePath:
    """A line."""

    strokes: tuple[Stroke, ...]
    color: str
    width_px: float


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    color: str


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; `x` is its middle if it is centred, else its beginning."""

    x: float
    baseline: float
    text: str
    size_px: float
    color: str
    is_bold: bool = False
    is_centred: bool = False


Shape = Rect | LinePath | Polygon | Text

_TEXT_PX = 11.0
_ROW_PX = 20.0
_PADDING_PX = 12.0
_SWATCH_PX = 16.0
_GAP_PX = 16.0
_WIDEST_PX = 260.0
MIN_WIDTH_PX = 360.0
"""A narrow picture is made so wide that its legend does not become a tower."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One colour or outline and its meaning."""

    name: str
    fill: str
    border: str
    border_px: float = 1.2
    is_dashed: bool = False


def list_entries(scene: Scene, look: Look, theme: str) -> tuple[Entry, ...]:
    """What a picture must explain, in the order of the window's legend."""
    palette, tint = PALETTES[theme], look.tint
    if tint is None:
        items = scene.items
        found = explain_boxes(
            items.style[items.num_frames :].tolist(),
            items.ground[: items.num_frames].tolist(),
            scene.lines.list_coloured(),
            palette,
        )
        entries = [Entry(*each) for each in found]
    else:
        pairs = [(each, *TINT_PALETTES[theme].pair(each)) for each in tint.classes]
        entries = [
            Entry(make_safe_line(each.name), fill, border, is_dashed=each.is_dashed)
            for each, fill, border in pairs
        ]
        if tint.note:
            entries.append(Entry(make_safe_line(tint.note), "", ""))
    has_parts = len(look.backward) > 0
    outlines = (
        (look.selected, Entry("selected", "", palette.selected, 3.0)),
        (
            look.forward,
            Entry("linked, forward" if has_parts else "linked", "", palette.forward, 2.2),
        ),
        (look.backward, Entry("linked, backward", "", palette.backward, 2.2, is_dashed=True)),
    )
    entries += [entry for items, entry in outlines if len(items)]
    return tuple(entries)


def legend_height(entries: Sequence[Entry], width: float) -> float:
    """Pixels that a legend needs in a picture so wide; 0 without entries."""
    if not entries:
        return 0.0
    rows = 1 + max(row for _, row in _places(entries, width))
    return rows * _ROW_PX + 2 * _PADDING_PX


def draw_legend(
    entries: Sequence[Entry], palette: Palette, top: float, width: float
) -> Iterator[Shape]:
    """The shapes of a legend that begins at `top`."""
    if entries:
        yield Rect(0, top, width, 1.0, 0.0, palette.frame_border, "")
    for entry, (x, row) in zip(entries, _places(entries, width), strict=True):
        y = top + _PADDING_PX + row * _ROW_PX
        if entry.name in LINE_NAMES.values():
            yield Rect(x, y + 8.5, _SWATCH_PX, BOLD_LINE_PX, 0.0, entry.fill, "")
        else:
            yield Rect(
                x, y + 4, _SWATCH_PX, 11, 3.0, entry.fill, entry.border, entry.border_px,
                is_dashed=entry.is_dashed,
            )  # fmt: skip
        name = shorten_text(entry.name, _WIDEST_PX, _TEXT_PX)
        yield Text(x + _SWATCH_PX + 6, y + 13.5, name, _TEXT_PX, palette.text)


def _places(entries: Sequence[Entry], width: float) -> list[tuple[float, int]]:
    """Left edge and row of each entry."""
    x, row, places = _PADDING_PX, 0, []
    for entry in entries:
        wide = _SWATCH_PX + 6 + min(measure_text(entry.name, _TEXT_PX), _WIDEST_PX)
        if x > _PADDING_PX and x + wide > width - _PADDING_PX:
            x, row = _PADDING_PX, row + 1
        places.append((x, row))
        x += wide + _GAP_PX
    return places


_ROUND_STYLES = frozenset({Style.INPUT, Style.OUTPUT, Style.CONSTANT, Style.PORT})
_SIGN_PX = 4.0
FORK_PX = 3.0
"""Radius of the dot where residuals of one box part."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing to render.

    Attributes:
        width: In scene pixels.
        height: Likewise, legend included.
        palette: Of its theme.
        shapes: From back to front, to be read once.
        num_shapes: About how many they are.
    """

    width: float
    height: float
    palette: Palette
    shapes: Iterator[Shape]
    num_shapes: int


def make_picture(
    scene: Scene, theme: str = "light", look: Look = PLAIN, *, has_text: bool = True
) -> Picture:
    """What to paint of a scene, and how much room that takes.

    Args:
        scene: What to draw.
        theme: `light` or `dark`.
        look: What colours mean and what is outlined.
        has_text: Whether anything can be read at the size it is meant for: without, there are
            neither texts on boxes and lines nor signs and arrows.

    Raises:
        KeyError: There is no such theme.
    """
    painting = SceneColors(scene, look, theme)
    entries = list_entries(scene, look, theme) if look.has_legend else ()
    width = max(scene.width, MIN_WIDTH_PX if entries else 1.0)
    height = max(scene.height, 1.0)
    shapes = itertools.chain(
        _scene_shapes(scene, look, painting, has_text),
        draw_legend(entries, painting.palette, height, width),
    )
    height += legend_height(entries, width)
    return Picture(width, height, painting.palette, shapes, _count_shapes(scene))


def _count_shapes(scene: Scene) -> int:
    """About how many there are: a frame or box has four, a line an arrow."""
    return 4 * len(scene.items) + 2 * len(scene.lines) + 2 * len(scene.connectors) + 1


def _scene_shapes(
    scene: Scene, look: Look, painting: SceneColors, has_text: bool
) -> Iterator[Shape]:
    palette = painting.palette
    frames = range(scene.items.num_frames)
    depth: list[int] = []
    for item in frames:
        parent = int(scene.items.parent[item])
        depth.append(depth[parent] + 1 if parent != NONE else 0)
        yield _frame(scene, item, depth[item], palette)
    for line in range(len(scene.lines)):
        color = color_of_line(scene, line, palette)
        width = EDGE_LINE_PX if color == palette.edge else BOLD_LINE_PX
        yield LinePath(tuple(strokes_of(scene, line)), color, width)
    for x, y in scene.lines.forks.tolist():
        corner, size = (x - FORK_PX, y - FORK_PX), 2 * FORK_PX
        yield Rect(*corner, size, size, FORK_PX, palette.residual, "")
    if has_text:
        for line in range(len(scene.lines)):
            arrow = arrow_of(scene, line)
            if arrow:
                yield Polygon(arrow, color_of_line(scene, line, palette))
    for item in frames:
        yield _header(scene, item, palette)
        if has_text:
            yield from _header_text(scene, item, palette)
    for item in range(scene.items.num_frames, len(scene.items)):
        inks = painting.inks(item)
        yield from _box(scene, item, inks)
        if has_text:
            yield from _box_text(scene, item, inks)
    yield from _connectors(scene, palette, has_text)
    if has_text:
        yield from _edge_labels(scene, palette)
    yield from _outlines(scene, look, palette)


def color_of_line(scene: Scene, line: int, palette: Palette) -> str:
    """Arrows back to the begin of a loop, and residuals, stand out from what flows on."""
    if scene.lines.is_residual[line] or scene.lines.is_inner_residual[line]:
        return palette.residual
    return palette.border[Style.CONTROL] if scene.lines.is_return[line] else palette.edge


def _outlines(scene: Scene, look: Look, palette: Palette) -> Iterator[Rect]:
    """What stands out, as the window outlines it."""
    kinds = (
        (look.backward, palette.backward, 2.2, True, 2.0),
        (look.forward, palette.forward, 2.2, False, 4.0),
        (look.selected, palette.selected, 3.4, False, 1.0),
    )
    for items, color, width_px, is_dashed, gap in kinds:
        for x, y, width, height in scene.items.rect[items].tolist():
            yield Rect(
                x - gap, y - gap, width + 2 * gap, height + 2 * gap, 6.0, "", color, width_px,
                is_dashed=is_dashed,
            )  # fmt: skip


def _frame(scene: Scene, item: int, depth: int, palette: Palette) -> Rect:
    x, y, width, height = scene.items.rect[item].tolist()
    ground = int(scene.items.ground[item])
    fill, line = palette.frame_fill[ground], palette.frame_line[ground]
    return Rect(x, y, width, height, 8.0, fill, line, item=item, layer=depth)


def _header(scene: Scene, item: int, palette: Palette) -> Rect:
    x, y, width, _ = scene.items.rect[item].tolist()
    fill = palette.header_fill[int(scene.items.ground[item])]
    return Rect(x + 0.5, y + 0.5, width - 1, HEADER_PX - 1, 7.0, fill, "")


def _header_text(scene: Scene, item: int, palette: Palette) -> Iterator[Shape]:
    x, y = scene.items.rect[item, :2].tolist()
    title = make_safe_line(scene.items.titles[item])
    yield _sign(x + 16, y + HEADER_PX / 2, True, palette.muted)
    yield Text(x + 26, y + 17.5, title, TITLE_PX, palette.text, is_bold=True)
    detail = make_safe_line(scene.items.details[item])
    after = x + 34 + measure_text(title, TITLE_PX, True)
    yield Text(after, y + 17.5, detail, DETAIL_PX, palette.muted)


def _sign(x: float, y: float, is_open: bool, color: str) -> Polygon:
    """A triangle: right for closed, down for open, as in a tree."""
    if is_open:
        return Polygon(((x - _SIGN_PX, y - 2.5), (x + _SIGN_PX, y - 2.5), (x, y + 3)), color)
    return Polygon(((x - 2.5, y - _SIGN_PX), (x - 2.5, y + _SIGN_PX), (x + 3, y)), color)


def _box(scene: Scene, item: int, inks: BoxColors) -> Iterator[Shape]:
    items = scene.items
    x, y, width, height = items.rect[item].tolist()
    style = Style(int(items.style[item]))
    fill, border = inks.fill, inks.border
    radius = min(height / 2, 13.0) if style in _ROUND_STYLES else 5.0
    if style is Style.REPEAT:  # a stack of cards
        width, height = width - 6, height - 6
        for shift in (6.0, 3.0):
            yield Rect(x + shift, y + shift, width, height, radius, fill, border, 1.2)
    yield Rect(
        x, y, width, height, radius, fill, border, 1.2, is_dashed=inks.is_dashed, item=item
    )  # fmt: skip
    if inks.share:
        long = (width - 10) * inks.share
        yield Rect(x + 5, y + height - 4, long, 3.0, 0.0, border, "", layer=1)


def _box_text(scene: Scene, item: int, inks: BoxColors) -> Iterator[Shape]:
    items = scene.items
    x, y, width, height = items.rect[item].tolist()
    if items.style[item] == Style.REPEAT:  # the uppermost of a stack of cards
        width, height = width - 6, height - 6
    indent = 0.0
    if items.is_group[item]:
        indent = 8.0
        yield _sign(x + 11, y + height / 2, False, inks.border)
    middle = x + indent + (width - indent) / 2
    lines, detail = items.title_lines(item), make_safe_line(items.details[item])
    top = y + (17.0 if detail else height / 2 + 4.5 - TITLE_PITCH_PX * (len(lines) - 1) / 2)
    for number, line in enumerate(map(make_safe_line, lines)):
        at = top + number * TITLE_PITCH_PX
        yield Text(middle, at, line, TITLE_PX, inks.text, is_bold=True, is_centred=True)
    if detail:
        yield Text(middle, y + height - 9, detail, DETAIL_PX, inks.detail, is_centred=True)


def _connectors(scene: Scene, palette: Palette, has_text: bool) -> Iterator[Shape]:
    connectors = scene.connectors
    for rect, text in zip(connectors.rect.tolist(), connectors.texts, strict=True):
        x, y, width, height = rect
        yield Rect(
            x, y, width, height, height / 2, palette.stub_fill, palette.stub_line, is_dashed=True
        )
        if has_text:
            label = make_safe_line(text)
            yield Text(x + width / 2, y + 13, label, STUB_TEXT_PX, palette.text, is_centred=True)


def _edge_labels(scene: Scene, palette: Palette) -> Iterator[Shape]:
    """Types on lines, on plates in the colour of what is around, so that the line ends at them."""
    is_kept = scene.lines.is_residual | scene.lines.is_inner_residual
    for label in EdgeLabels(scene).all():
        fill = palette.background
        if label.group != NONE:
            fill = palette.frame_fill[int(scene.items.ground[label.group])]
        left, wide = label.plate()
        yield Rect(left, label.y, wide, LABEL_HEIGHT_PX, 3.0, fill, "")
        middle, text = label.x + label.width / 2, make_safe_line(label.text)
        color = palette.residual_text if is_kept[label.line] else palette.muted
        yield Text(middle, label.y + 10.5, text, LABEL_TEXT_PX, color, is_centred=True)
