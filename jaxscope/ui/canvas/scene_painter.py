"""Paints a part of a scene at a scale: boxes, frames, lines and texts when near, flat shapes from
afar; and the colours for it.

Arrays are handed to Qt without a copy: `drawRects` and `drawLines` read a C-contiguous float64
array through a wrapped pointer. Painting fifty thousand boxes takes 22 ms so, and 160 ms through a
list of `QRectF`. Of lines, only the pieces in sight are stroked: in a picture of 50,000 nodes a
line may be two million pixels long.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
import shiboken6
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
    QStaticText,
)

from jaxscope.export.painter import FONT_FAMILY, FONT_FILES
from jaxscope.export.picture import FORK_PX, arrow_of
from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.model.graph import distinct
from jaxscope.model.said import Said
from jaxscope.picture.layout.text_width import (
    ELLIPSIS,
    break_text,
    measure_text,
    shorten_name,
    shorten_text,
)
from jaxscope.picture.palette import BOLD_LINE_PX, EDGE_LINE_PX, PALETTES
from jaxscope.picture.scene.edge_details import (
    LABEL_HEIGHT_PX,
    LABEL_TEXT_PX,
    EdgeLabel,
    EdgeRouter,
)
from jaxscope.picture.scene.first_picture import LEAST_FRAMED, LEAST_TOGETHER
from jaxscope.picture.scene.group_layout import DOWN
from jaxscope.picture.scene.scene import (
    DETAIL_PX,
    HEADER_PX,
    LEAST_STUB_PADDING_PX,
    LEAST_TEXT_PX,
    LEAST_TITLE_PX,
    SMALL_LINE_PX,
    SMALL_SIGN_PX,
    STACK_PX,
    STUB_TEXT_PX,
    TITLE_PITCH_PX,
    TITLE_PX,
    Scene,
)
from jaxscope.picture.tint.classes import TINT_PALETTES, Tint
from jaxscope.picture.view.operations import Style
from jaxscope.ui.canvas.scene_index import Floats, Indices, SceneIndex
from jaxscope.ui.toolkit.language import shown_language, tr_said

_TEXT_MARGIN_PX = 8.0


def translate_scene(scene: Scene) -> Scene:
    """The scene in the language that is shown: it is laid out by its English texts."""
    items = scene.items
    if shown_language() == "en" or not any(
        isinstance(t, Said) for t in (*items.titles, *items.details)
    ):
        return scene
    rooms = (items.rect[:, 2] - 2 * _TEXT_MARGIN_PX).tolist()
    rooms[: items.num_frames] = [0.0] * items.num_frames  # a title has its detail beside it

    def translate(texts: tuple[str, ...], size_px: float, is_bold: bool) -> tuple[str, ...]:
        return tuple(
            shorten_text(
                tr_said(text), max(room, measure_text(text, size_px, is_bold)), size_px, is_bold
            )
            for text, room in zip(texts, rooms, strict=True)
        )

    told = dataclasses.replace(
        items,
        titles=translate(items.titles, TITLE_PX, True),
        details=translate(items.details, DETAIL_PX, False),
    )
    return dataclasses.replace(scene, items=told)


@dataclass(frozen=True, eq=False, slots=True)
class Colors:
    """A palette ready to paint with; see `jaxscope.picture.palette.Palette`."""

    background: QColor
    text: QColor
    muted: QColor
    edge: QColor
    fill: tuple[QColor, ...]
    border: tuple[QColor, ...]
    frame_fill: tuple[QColor, ...]
    frame_border: QColor
    frame_line: tuple[QColor, ...]
    header_fill: tuple[QColor, ...]
    stub_fill: QColor
    stub_line: QColor
    selected: QColor
    forward: QColor
    backward: QColor
    hover: QColor
    found: QColor
    residual: QColor
    residual_text: QColor


@functools.cache
def colors(theme: str) -> Colors:
    """The colours of the theme `light` or `dark`."""
    palette = PALETTES[theme]
    return Colors(
        background=QColor(palette.background),
        text=QColor(palette.text),
        muted=QColor(palette.muted),
        edge=QColor(palette.edge),
        fill=tuple(QColor(palette.fill[style]) for style in Style),
        border=tuple(QColor(palette.border[style]) for style in Style),
        frame_fill=tuple(map(QColor, palette.frame_fill)),
        frame_border=QColor(palette.frame_border),
        frame_line=tuple(map(QColor, palette.frame_line)),
        header_fill=tuple(map(QColor, palette.header_fill)),
        stub_fill=QColor(palette.stub_fill),
        stub_line=QColor(palette.stub_line),
        selected=QColor(palette.selected),
        forward=QColor(palette.forward),
        backward=QColor(palette.backward),
        hover=QColor(palette.hover),
        found=QColor(palette.found),
        residual=QColor(palette.residual),
        residual_text=QColor(palette.residual_text),
    )


@dataclass(frozen=True, eq=False, slots=True)
class Shades:
    """Colours to paint boxes with.

    Attributes:
        of_item: int16, index into the colours of each item.
        fill: Colours of boxes.
        border: Colours of their borders.
        is_dashed: Whether the border is dashed.
        share: float64, how much of its lower border an item's bar takes; NaN for no bar.
        is_tint: Whether the colours mean something else than the style.
        is_faint: bool, of each item whether it is out of focus; None where nothing is.
    """

    of_item: npt.NDArray[np.int16]
    fill: tuple[QColor, ...]
    border: tuple[QColor, ...]
    is_dashed: tuple[bool, ...]
    share: npt.NDArray[np.float64]
    is_tint: bool = False
    is_faint: npt.NDArray[np.bool_] | None = None

    def of(self, items: npt.NDArray[np.int64]) -> Shades:
        """The shades of some of the items, in their order."""
        faint = None if self.is_faint is None else self.is_faint[items]
        return dataclasses.replace(
            self, of_item=self.of_item[items], share=self.share[items], is_faint=faint
        )


def style_shades(scene: Scene, colors: Colors) -> Shades:
    """Every box in the colours of its style."""
    nothing = np.full(len(scene.items), np.nan)
    style = scene.items.style.astype(np.int16)
    return Shades(style, colors.fill, colors.border, (False,) * len(colors.fill), nothing)


def tint_shades(scene: Scene, tint: Tint, colors: Colors, theme: str) -> Shades:
    """Boxes in the colours of a tint; what it says nothing of keeps the colours of its style."""
    palette = TINT_PALETTES[theme]
    pairs = [palette.pair(each) for each in tint.classes]
    num_styles = len(colors.fill)
    style = scene.items.style.astype(np.int16)
    return Shades(
        np.where(tint.of_item >= 0, tint.of_item + num_styles, style).astype(np.int16),
        (*colors.fill, *(QColor(fill) for fill, _ in pairs)),
        (*colors.border, *(QColor(border) for _, border in pairs)),
        (*(False,) * num_styles, *(each.is_dashed for each in tint.classes)),
        tint.share,
        is_tint=True,
    )


def make_shades(
    scene: Scene,
    tint: Tint | None,
    colors: Colors,
    theme: str,
    focused: npt.NDArray[np.int64] | None,
) -> Shades:
    """The shades of a scene in which some items may be in focus."""
    shades = style_shades(scene, colors)
    if tint is not None:
        shades = tint_shades(scene, tint, colors, theme)
    if focused is None:
        return shades
    is_faint = np.ones(len(scene.items), bool)
    is_faint[focused] = False
    return dataclasses.replace(shades, is_faint=is_faint)


# Lines as paths to paint: only what is in sight of them.
#
# In a picture of 50,000 nodes a line may be two million pixels long, and hundreds pass by wherever
# one looks: stroking them whole takes a third of a second, stroking what is in sight a few
# milliseconds.


_WHOLE_PX = 1500.0
"""Curves up to this size are painted whole."""
_STEPS = np.linspace(0.0, 1.0, 41)
_WEIGHTS = np.stack(
    [(1 - _STEPS) ** 3, 3 * _STEPS * (1 - _STEPS) ** 2, 3 * _STEPS**2 * (1 - _STEPS), _STEPS**3],
    axis=1,
)
"""Of the four corners of a curve, at places along it."""
_LEAST_LINE_PX = 1.01
"""On the screen; Qt paints what is thinner than a pixel piece by piece, and not as one path."""
_MARGIN_PX = 40.0
"""Beyond the sight, so that no end of a clipped line shows."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels of the scene."""


def draw_lines(painter: QPainter, segments: npt.NDArray[np.float64]) -> None:
    """Draw rows of x, y, x, y, straight from the array."""
    segments = np.ascontiguousarray(segments)
    if len(segments):
        first = cast(QLineF, shiboken6.Shiboken.wrapInstance(segments.ctypes.data, QLineF))
        painter.drawLines(first, len(segments))


def sample_curves(corners: npt.NDArray[np.float64], box: Box) -> npt.NDArray[np.float64]:
    """Cubic curves as straight pieces, those that touch a part of the scene.

    Args:
        corners: float64, shape `(n, 4, 2)`: begin, two control points, end.
        box: The part of the scene.

    Returns:
        float64, shape `(m, 4)`: x, y, x, y.
    """
    places = np.einsum("sc,nck->nsk", _WEIGHTS, corners)
    pieces = np.concatenate([places[:, :-1], places[:, 1:]], axis=2).reshape(-1, 4)
    low = np.minimum(pieces[:, :2], pieces[:, 2:])
    high = np.maximum(pieces[:, :2], pieces[:, 2:])
    is_near = ((high >= box[:2]) & (low <= box[2:])).all(axis=1)
    near: npt.NDArray[np.float64] = pieces[is_near]
    return near


def paint_curves(
    painter: QPainter, index: SceneIndex, box: Box, lines: Indices | None = None
) -> None:
    """Paint the pieces of all lines, or of some, that touch a part of the scene.

    They are one path whose pieces end where others begin: soft edges that are painted twice show
    as dark spots.
    """
    pieces = index.segments[index.segments_in(box, lines)]
    pieces = pieces[np.lexsort(pieces.T)]
    is_new = np.ones(len(pieces), np.bool_)  # lines of one value share their way
    is_new[1:] = (pieces[1:] != pieces[:-1]).any(axis=1)
    pieces = pieces[is_new]
    is_straight = (pieces[:, 0] == pieces[:, 2]) | (pieces[:, 1] == pieces[:, 3])
    is_long = np.abs(pieces[:, 2:] - pieces[:, :2]).max(axis=1, initial=0.0) > _WHOLE_PX
    low = np.array([box[0], box[1]] * 2) - _MARGIN_PX
    high = np.array([box[2], box[3]] * 2) + _MARGIN_PX
    is_down = index.scene.direction == DOWN
    corners = _corners(pieces[~is_straight & is_long], is_down)
    sampled = sample_curves(corners, (*low[:2].tolist(), *high[:2].tolist()))
    straight = join_straight(np.clip(pieces[is_straight], low, high))
    pen = painter.pen()
    if pen.style() == Qt.PenStyle.SolidLine:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        across = 0 if is_down else 1  # such pieces end at corners, which they fill
        is_across = straight[:, across] != straight[:, across + 2]
        straight[is_across, across] -= pen.widthF() / 2
        straight[is_across, across + 2] += pen.widthF() / 2
    path = QPainterPath()
    for x0, y0, x1, y1 in np.concatenate([straight, sampled]).tolist():
        path.moveTo(x0, y0)
        path.lineTo(x1, y1)
    for begin, one, other, end in _corners(pieces[~is_straight & ~is_long], is_down).tolist():
        path.moveTo(*begin)
        path.cubicTo(*one, *other, *end)
    painter.drawPath(path)


def join_straight(pieces: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Upright and level pieces, each row x, y, x, y, as the fewest that cover the same.

    Lines of one value share their way. Sorts them: n·log n.
    """
    joined, is_upright = [], pieces[:, 0] == pieces[:, 2]
    for across, along, is_meant in ((0, 1, is_upright), (1, 0, ~is_upright)):
        places = pieces[is_meant, across]
        ends = np.sort(pieces[is_meant][:, (along, along + 2)], axis=1)
        order = np.lexsort((ends[:, 0], places))
        places, ends = places[order], ends[order]
        # Each place has a stretch of numbers of its own, so that one running maximum does for all.
        far = np.ptp(ends) + 1.0 if len(ends) else 1.0
        shift = np.cumsum(np.diff(places, prepend=places[:1]) > 0) * far
        reached = np.maximum.accumulate(ends[:, 1] + shift)
        is_new = np.ones(len(ends), np.bool_)
        is_new[1:] = ends[1:, 0] + shift[1:] > reached[:-1]
        firsts = np.flatnonzero(is_new)
        lasts = np.append(firsts[1:], len(ends))[: len(firsts)] - 1
        row = np.empty((len(firsts), 4))
        row[:, (across, across + 2)] = places[firsts, None]
        row[:, along] = ends[firsts, 0]
        row[:, along + 2] = reached[lasts] - shift[lasts]
        joined.append(row)
    return np.concatenate(joined)


def _corners(pieces: npt.NDArray[np.float64], is_down: bool) -> npt.NDArray[np.float64]:
    """Begin, control points and end of pieces that leave and arrive in the direction of flow."""
    begin, end = pieces[:, :2], pieces[:, 2:]
    one, other = begin.copy(), end.copy()
    along = 1 if is_down else 0
    one[:, along] = other[:, along] = (begin[:, along] + end[:, along]) / 2
    return np.stack([begin, one, other, end], axis=1)


def is_passed(index: SceneIndex, box: Box, but: int = NONE) -> bool:
    """Whether a line, as it is drawn, passes through a part of the scene; one is left out."""
    near = index.segments_in(box)
    pieces = index.segments[near[index.line_of_segment[near] != but]]
    is_bent = (pieces[:, 0] != pieces[:, 2]) & (pieces[:, 1] != pieces[:, 3])
    corners = _corners(pieces[is_bent], index.scene.direction == DOWN)
    return not is_bent.all() or bool(len(sample_curves(corners, box)))


def arrows_in(index: SceneIndex, box: Box, lines: Indices | None = None) -> QPainterPath:
    """The arrowheads of all lines, or of some, in a part of the scene."""
    scene, near = index.scene, index.lines_in(box, lines)
    ends = scene.lines.points[scene.lines.offsets[near + 1] - 1]
    low, high = np.array(box[:2]) - _MARGIN_PX, np.array(box[2:]) + _MARGIN_PX
    is_near = ((ends >= low) & (ends <= high)).all(axis=1)
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)  # two arrows at one place are one
    for line in near[is_near & scene.lines.has_arrow[near]].tolist():
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in arrow_of(scene, line)]))
        path.closeSubpath()
    return path


NEAR_SCALE = 0.35
"""From this scale on text and curves are drawn."""

_DETAIL_SCALE = LEAST_FRAMED
"""From this scale on there is room for the second lines of boxes."""
_CONNECTOR_SCALE, _CONNECTOR_PX = LEAST_TOGETHER, 11.0
"""From this scale on connectors have their texts, and what they are high for that at least."""

LABEL_SCALE = 0.75
"""From this scale on types on lines are drawn: smaller they could not be read."""

LEAST_LABEL_PX = 9.0
"""Types on lines are never smaller; what has no room for that is left out."""
_LABEL_SLACK_PX = 4.0
"""So much wider than its plate a label may be: there is a gap around."""

_BYTES_TOLD = re.compile(r" · [\d.,]+ [KMGT]?i?B")
"""What a connector's text says of bytes: left out where a small picture has no room for it."""

_TITLE_SCALE = LEAST_TITLE_PX / TITLE_PX
_TITLE_ROOM_PX = (30.0, 14.0)
"""What a title needs at least: width and height in pixels of the device."""
_MOST_TITLES = 400
_DETAIL_GAP_PX, _NARROW_GAP_PX = 6.0, 4.0
_DETAIL_PITCH_PX, _SMALL_DETAIL_PITCH_PX = 17.0, 11.0
"""From the last line of a title to the line below it; the latter in a small picture."""
_CAPITAL, _DESCENT = 0.73, 0.24
"""Of the size of the font: how high capitals are, and how far letters reach below the line."""
_BESIDE_SIGN_PX = 1.5
"""By which a title that leaves no more than that room gives way to the triangle before it."""
_SIZES_PX = (TITLE_PX, DETAIL_PX, STUB_TEXT_PX, LABEL_TEXT_PX)
"""Of the fonts that `_text` knows by number; the first is bold."""
_STUB_FONT = 2

REACH_PX = 8.0
"""How far what is painted reaches beyond its place: half the width of lines, arrowheads, forks."""
_MIN_LINE_PX = 1.5
_RADIUS_PX, _FRAME_RADIUS_PX = 5.0, 8.0
_ROUNDED = frozenset({Style.INPUT, Style.OUTPUT, Style.CONSTANT, Style.PORT})
_MAX_STATIC_TEXTS = 20_000
_STEP_PX = 22.0
_SIGN_ROOM_PX = 24.0
_FAINT = 0.2
"""How much is seen of what is out of focus."""


def measure_indent(width: float, text_width: float) -> float:
    """What a text leaves free at the left of a box, for the triangle there: no more than it needs,
    as the text is then that much less in the middle of the box."""
    return min(max(2 * SMALL_SIGN_PX - (width - text_width), 0.0), SMALL_SIGN_PX)


@functools.cache
def _family() -> str:
    """The family that the layout measured with, from the bundled files."""
    family = FONT_FAMILY
    for file in FONT_FILES:
        number = QFontDatabase.addApplicationFont(file)
        families = QFontDatabase.applicationFontFamilies(number) if number >= 0 else []
        family = families[0] if families else family
    return family


def graph_font(size_px: float, is_bold: bool = False) -> QFont:
    """The font of graphs, in pixels of the scene."""
    font = QFont(_family())
    font.setPixelSize(round(size_px))
    font.setBold(is_bold)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def draw_rects(painter: QPainter, rects: Floats) -> None:
    """Draw rows of x, y, width, height."""
    rects = np.ascontiguousarray(rects)
    if len(rects):
        first = cast(QRectF, shiboken6.Shiboken.wrapInstance(rects.ctypes.data, QRectF))
        painter.drawRects(first, len(rects))


def step_areas(scene: Scene, item: int) -> tuple[QRectF, QRectF]:
    """Where in the title of a repeat one steps to the copy before, and to the next one."""
    x, y, width, _ = scene.items.rect[item].tolist()
    right = x + width - 4
    before = QRectF(right - 2 * _STEP_PX, y, _STEP_PX, HEADER_PX)
    return before, before.translated(_STEP_PX, 0.0)


class SmallTitle(NamedTuple):
    """A title written over a small picture, in pixels of the device from the scene's corner.

    `is_broken` tells that it stands on two lines in a box that was not made for that
    (`Items.title_lines`). `detail_area` is where a frame, or such a title, says behind it how much
    the group holds (`detail`); empty where it has no room. The last line of a broken title is moved
    aside for it. `sign` is the middle of a closed group's triangle; None where it has no room.
    Where it is below the title, it stands beside the second line.
    """

    area: QRectF
    text: str
    is_frame: bool
    item: int
    detail: str
    detail_area: QRectF
    is_broken: bool = False
    sign: QPointF | None = None
    is_sign_below: bool = False


def _centre_lines(height: float, num_lines: int, scale: float) -> tuple[float, float]:
    """Where a small box has the middles of its title's first line and of its second line.

    In pixels of the device below its top: what is seen of both together stands in the middle.
    """
    detail_px = max(DETAIL_PX * scale, LEAST_TEXT_PX)
    title = LEAST_TITLE_PX * _CAPITAL / 2
    first_to_last = max(TITLE_PITCH_PX * scale, SMALL_LINE_PX) * (num_lines - 1)
    apart = first_to_last + max(_DETAIL_PITCH_PX * scale, _SMALL_DETAIL_PITCH_PX)
    below = detail_px * (_CAPITAL + _DESCENT) / 2  # half a descent: not all texts have one
    first = max((height - title - apart - below) / 2, 1.0) + title
    return first, first + apart


def _small_detail_px(scale: float) -> int:
    """Size of the text behind a small title: sizes of fonts are whole."""
    return round(max(DETAIL_PX * scale, LEAST_TEXT_PX))


def _measure_small_detail(text: str, scale: float) -> float:
    return measure_text(text, _small_detail_px(scale))


class SceneDrawing:
    """A scene prepared for drawing; paints any part of it in one theme."""

    def __init__(self, index: SceneIndex, colors: Colors, shades: Shades | None = None) -> None:
        self.index = index
        self.scene = translate_scene(index.scene)
        self.colors = colors
        self.shades = shades or style_shades(index.scene, colors)
        self.item_grid = index.item_grid
        self.connector_grid = index.connector_grid
        self._depth = index.depth
        self._title_font = graph_font(TITLE_PX, True)
        self._detail_font = graph_font(DETAIL_PX)
        self._stub_font = graph_font(STUB_TEXT_PX)
        self._label_font = graph_font(LABEL_TEXT_PX)
        self._small_font = graph_font(LEAST_TITLE_PX, True)
        self._texts: dict[tuple[str, int], QStaticText] = {}
        self._titles: tuple[float, tuple[SmallTitle, ...]] = (1.0, ())
        self._broken: frozenset[int] = frozenset()
        self._indented: frozenset[int] = frozenset()
        self._scale = 1.0
        self.latest_names: tuple[object, dict[int, Box]] = (None, {})
        """Where `operand_names` found room last, and what that was asked for."""

    @functools.cached_property
    def ways(self) -> EdgeRouter:
        """Finds lines for edges that are shown as connectors only."""
        return EdgeRouter(self.scene)

    @functools.cached_property
    def _is_faint_line(self) -> npt.NDArray[np.bool_]:
        """Of each line whether it begins or ends at a box that is out of focus."""
        lines, faint = self.scene.lines, self.shades.is_faint
        if faint is None:
            return np.zeros(len(lines), bool)
        is_box = np.arange(len(faint)) >= self.scene.items.num_frames
        is_out = np.append(faint & is_box, False)  # an end that is no item has the index -1
        faint_lines: npt.NDArray[np.bool_] = is_out[lines.source] | is_out[lines.target]
        return faint_lines

    def paint(
        self, painter: QPainter, x0: float, y0: float, width: float, height: float, scale: float
    ) -> None:
        """Paint the part of the scene that begins at (x0, y0) into a `width` × `height` area.

        Sizes are in pixels of the device; (x0, y0) in pixels of the scene.
        """
        painter.fillRect(QRectF(0, 0, width, height), self.colors.background)
        box = (x0, y0, x0 + width / scale, y0 + height / scale)
        self._scale = scale
        titles = self.list_titles(scale) if scale < _TITLE_SCALE else ()
        painter.save()
        if scale >= NEAR_SCALE:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            painter.scale(scale, scale)
            painter.translate(-x0, -y0)
            # Lines beside the part reach into it with half of their width, arrowheads with more.
            left, top, right, bottom = box
            box = (left - REACH_PX, top - REACH_PX, right + REACH_PX, bottom + REACH_PX)
            self._paint_near(painter, box)
            self.paint_labels(painter, box)
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            self._paint_far(painter, box, scale)
        painter.restore()
        if scale < _TITLE_SCALE:
            painter.translate(-x0 * scale, -y0 * scale)
            sight = QRectF(x0 * scale, y0 * scale, width, height)
            for title in titles:
                # The triangle of a closed group stands beside its title, perhaps in another part.
                whole = self.scene.items.rect[title.item] * scale
                area = title.area if title.is_frame else QRectF(*whole.tolist())
                if sight.intersects(area):
                    self._paint_small_title(painter, title)
                if sight.intersects(title.detail_area):
                    self._paint_small_detail(painter, title)

    def list_titles(self, scale: float) -> tuple[SmallTitle, ...]:
        """Titles of groups to write over a picture so small that its own could not be read.

        Outer groups come first, and none covers another; what has no room for a few letters has
        none. The same for every part of the picture, so that parts fit together.
        """
        if self._titles[0] != scale:
            self._titles = (scale, tuple(self._place_titles(scale)))
            self._broken = frozenset(t.item for t in self._titles[1] if t.is_broken)
            self._indented = frozenset(t.item for t in self._titles[1] if t.is_sign_below)
        return self._titles[1]

    def _place_titles(self, scale: float) -> Iterator[SmallTitle]:
        items = self.scene.items
        rects = items.rect * scale
        has_room = (rects[:, 2] >= _TITLE_ROOM_PX[0]) & (rects[:, 3] >= _TITLE_ROOM_PX[1])
        taken = np.zeros((0, 4))
        for item in np.flatnonzero(items.is_group & has_room).tolist():
            x, y, width, height = rects[item].tolist()
            is_frame = item < items.num_frames
            before = _SIGN_ROOM_PX * scale if is_frame and scale >= NEAR_SCALE else 4.0
            room = width - before - (8.0 if is_frame else 2.0)
            text = shorten_text(items.titles[item], room, LEAST_TITLE_PX, True)
            is_broken = not is_frame and height >= 2 * _TITLE_ROOM_PX[1] - 4
            halves = items.title_lines(item) if is_broken else ()
            is_halved = len(halves) == 2
            if is_halved:
                text = "\n".join(shorten_text(t, room, LEAST_TITLE_PX, True) for t in halves)
            elif is_broken and text != items.titles[item]:
                innermost = items.titles[item].rpartition(" / ")[2]
                text = innermost  # of a path: so there is room for the second line
                if measure_text(innermost, LEAST_TITLE_PX, True) > room:
                    text = break_text(items.titles[item], room, LEAST_TITLE_PX, True)
            is_broken = "\n" in text and not is_halved
            lines = text.split("\n")
            wide = max(measure_text(line, LEAST_TITLE_PX, True) for line in lines) + 6
            is_cut_away = len(text) < 2 and text != items.titles[item]  # one letter is a name too
            if wide > width or is_cut_away or not text:
                continue
            high = _TITLE_ROOM_PX[1] * len(lines) - 3 * (len(lines) - 1)
            left = x + (before if is_frame else (width - wide) / 2)
            top = y + max((HEADER_PX * scale - high) / 2, 0.0)
            is_alone = scale < _DETAIL_SCALE or is_broken or not items.details[item]
            if not is_frame:
                height -= STACK_PX * scale if items.style[item] == Style.REPEAT else 0.0
                first = _centre_lines(height, len(lines), scale)[0]
                middle = first + LEAST_TITLE_PX * (len(lines) - 1) / 2
                top = y + (height / 2 if is_alone else middle) - high / 2
            low, high_ = np.array([left, top]), np.array([left + wide, top + high])
            if ((taken[:, :2] < high_) & (taken[:, 2:] > low)).all(axis=1).any():
                continue
            if len(taken) >= _MOST_TITLES:
                return
            taken = np.vstack([taken, [*low, *high_]])
            area = QRectF(left, top, wide, high)
            told, detail = items.details[item], QRectF()
            if is_frame:
                told, detail = self._place_detail(item, area.right(), scale)
            elif is_broken:
                detail = self._place_beside_line(item, area, lines[-1], scale)
            title = SmallTitle(area, text, is_frame, item, told, detail, is_broken)
            yield title if is_frame else self._place_sign(title, is_alone, scale)

    def _place_detail(self, item: int, left: float, scale: float) -> tuple[str, QRectF]:
        """What a frame says of how much it holds, and where; an empty area where it has no room.

        Where there is not enough for all of it, the count alone is told.
        """
        x, y, width, _ = (self.scene.items.rect[item] * scale).tolist()
        steps = 2 * _STEP_PX * scale if item in self.scene.walks else 0.0
        room = x + width - steps - left
        told = self.scene.items.details[item]
        for text in (told, told.partition(", ")[0]) if scale >= _DETAIL_SCALE else ():
            wide = _measure_small_detail(text, scale)
            if wide + 2 * _DETAIL_GAP_PX <= room:
                return text, QRectF(left + _DETAIL_GAP_PX, y, wide, HEADER_PX * scale)
        return told, QRectF()

    def _place_beside_line(self, item: int, area: QRectF, line: str, scale: float) -> QRectF:
        """Where a closed group says how much it holds: behind the last line of its title."""
        x, _, width, _ = (self.scene.items.rect[item] * scale).tolist()
        wide = _measure_small_detail(self.scene.items.details[item], scale)
        both = measure_text(line, LEAST_TITLE_PX, True) + _NARROW_GAP_PX + wide
        has_room = both <= width - 2 * SMALL_SIGN_PX  # for the triangle, too
        if not self.scene.items.details[item] or scale < _DETAIL_SCALE or not has_room:
            return QRectF()
        top = area.center().y()
        return QRectF(x + (width + both) / 2 - wide, top, wide, LEAST_TITLE_PX)

    def _paint_small_title(self, painter: QPainter, title: SmallTitle) -> None:
        if title.is_frame:
            painter.setPen(Qt.PenStyle.NoPen)
            ground = int(self.scene.items.ground[title.item])
            painter.setBrush(self.colors.header_fill[ground])
            painter.drawRoundedRect(title.area, 3, 3)
        elif title.sign is not None:
            color = self.shades.border[int(self.shades.of_item[title.item])]
            self._paint_sign(painter, title.sign.x(), title.sign.y(), False, color)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.setPen(self.colors.text)
        painter.setFont(self._small_font)
        lines = title.text.split("\n")
        aside = title.detail_area.width() + _NARROW_GAP_PX
        for number, line in enumerate(lines):  # closer than the font says, to stay in the box
            middle = title.area.center().y() + (number - (len(lines) - 1) / 2) * LEAST_TITLE_PX
            area = QRectF(title.area.left(), middle - HEADER_PX, title.area.width(), 2 * HEADER_PX)
            if number and not title.detail_area.isEmpty():
                area.translate(-aside / 2, 0)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, line)

    def _place_sign(self, title: SmallTitle, is_alone: bool, scale: float) -> SmallTitle:
        """The title with the triangle of its closed group: beside it, else beside what is below.

        A title that leaves little room gives way. None where neither has room for the triangle.
        """
        x, y, width, height = (self.scene.items.rect[title.item] * scale).tolist()
        if self.scene.items.style[title.item] == Style.REPEAT:
            height -= STACK_PX * scale
        last = title.text.split("\n")[-1]
        aside = title.detail_area.width() + _NARROW_GAP_PX if title.detail_area.width() else 0.0
        begin = title.area.center().x() - (measure_text(last, LEAST_TITLE_PX, True) + aside) / 2
        room = min(begin, title.area.left() + 3.0) - x
        lower = width / 2
        if not is_alone:
            detail_px = max(DETAIL_PX * scale, LEAST_TEXT_PX)
            lower -= measure_text(title.detail, detail_px) / 2
        if min(room, lower) >= SMALL_SIGN_PX:
            aside = min(max(SMALL_SIGN_PX + _BESIDE_SIGN_PX - room, 0.0), _BESIDE_SIGN_PX)
            middle = x + min((min(room + aside, lower) - 1.0) / 2, SMALL_SIGN_PX)
            return title._replace(
                area=title.area.translated(aside, 0.0),
                detail_area=title.detail_area.translated(aside, 0.0),
                sign=QPointF(middle, y + height / 2),
            )
        if is_alone:
            return title
        lines = title.text.count("\n") + 1
        below = QPointF(x + SMALL_SIGN_PX / 2 - 0.5, y + _centre_lines(height, lines, scale)[1])
        return title._replace(sign=below, is_sign_below=True)

    def _paint_small_detail(self, painter: QPainter, title: SmallTitle) -> None:
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.setPen(self.colors.muted)
        font = QFont(self._detail_font)
        font.setPixelSize(_small_detail_px(self._scale))
        painter.setFont(font)
        area = title.detail_area.adjusted(0, 0, _DETAIL_GAP_PX, 0)  # letters are rounded
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
        painter.drawText(area, flags, title.detail)

    def _paint_far(
        self, painter: QPainter, box: tuple[float, float, float, float], scale: float
    ) -> None:
        colors = self.colors
        items = self.item_grid.query(*box)
        origin = np.array([box[0], box[1]])
        rects = self.scene.items.rect[items] * scale
        rects[:, :2] -= origin * scale
        np.maximum(rects[:, 2:], 1.0, out=rects[:, 2:])
        is_frame = items < self.scene.items.num_frames
        depths = self._depth[items]
        grounds = self.scene.items.ground[items]
        for depth in distinct(depths[is_frame]).tolist():  # outer frames first
            at_depth = is_frame & (depths == depth)
            for ground in distinct(grounds[at_depth]).tolist():
                painter.setPen(QPen(colors.frame_line[ground], 0))
                painter.setBrush(colors.frame_fill[ground])
                draw_rects(painter, rects[at_depth & (grounds == ground)])
        segments = self.index.segments[self.index.segment_grid.query(*box)] * scale
        segments -= np.tile(origin * scale, 2)
        length = np.abs(segments[:, 0] - segments[:, 2]) + np.abs(segments[:, 1] - segments[:, 3])
        painter.setPen(QPen(colors.edge, 0))
        draw_lines(painter, segments[length >= _MIN_LINE_PX])
        shades = self.shades
        numbers = shades.of_item[items]
        if shades.is_faint is not None:
            is_frame = is_frame | shades.is_faint[items]
        for number in distinct(numbers[~is_frame]).tolist():
            chosen = rects[~is_frame & (numbers == number)]
            painter.setBrush(shades.fill[number])
            pen = QPen(shades.border[number], 0)
            painter.setPen(pen if scale > NEAR_SCALE / 4 else Qt.PenStyle.NoPen)
            # Small dots must not fade into the background, unless their fill has a meaning.
            if scale <= NEAR_SCALE / 4 and not shades.is_tint:
                painter.setBrush(shades.border[number])
            draw_rects(painter, chosen)
        if scale > NEAR_SCALE / 4:
            connectors = self.scene.connectors.rect[self.connector_grid.query(*box)] * scale
            connectors[:, :2] -= origin * scale
            painter.setPen(QPen(colors.stub_line, 0))
            painter.setBrush(colors.stub_fill)
            draw_rects(painter, connectors)

    def _paint_near(self, painter: QPainter, box: tuple[float, float, float, float]) -> None:
        items = self.item_grid.query(*box)
        num_frames = self.scene.items.num_frames
        for item in items[items < num_frames].tolist():
            self._paint_frame(painter, item)
        self.paint_lines(painter, box)
        for item in items[items < num_frames].tolist():
            self._paint_header(painter, item)
        for item in items[items >= num_frames].tolist():
            self._paint_box(painter, item)
        for connector in self.connector_grid.query(*box).tolist():
            self._paint_connector(painter, connector)

    def paint_items(self, painter: QPainter) -> None:
        """Paint all frames and boxes, without lines, in pixels of the scene."""
        self._scale = 1.0
        num_frames = self.scene.items.num_frames
        for item in range(num_frames):
            self._paint_frame(painter, item)
            self._paint_header(painter, item)
        for item in range(num_frames, len(self.scene.items)):
            self._paint_box(painter, item)

    def paint_lines(self, painter: QPainter, box: tuple[float, float, float, float]) -> None:
        """Paint the lines in a part of the scene, in its pixels."""
        all_lines, colors = self.scene.lines, self.colors
        is_kept = all_lines.is_residual | all_lines.is_inner_residual
        returns, faint = all_lines.is_return, self._is_faint_line
        is_plain = not (returns.any() or is_kept.any() or faint.any())
        for chosen, color, width, opacity in (
            (is_kept & ~faint, colors.residual, BOLD_LINE_PX, 1.0),
            (~(returns | is_kept | faint), colors.edge, EDGE_LINE_PX, 1.0),
            (returns & ~faint, colors.border[Style.CONTROL], BOLD_LINE_PX, 1.0),
            (faint, colors.edge, EDGE_LINE_PX, _FAINT),
        ):
            lines = None if is_plain and opacity == 1.0 else np.flatnonzero(chosen)
            if not chosen.any():
                continue
            painter.setOpacity(opacity)
            painter.setPen(QPen(color, max(width, _LEAST_LINE_PX / self._scale)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            paint_curves(painter, self.index, box, lines)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawPath(arrows_in(self.index, box, lines))
        painter.setOpacity(1.0)
        painter.setBrush(colors.residual)
        for x, y in all_lines.forks.tolist():
            painter.drawEllipse(QPointF(x, y), FORK_PX, FORK_PX)

    def _paint_frame(self, painter: QPainter, item: int) -> None:
        colors = self.colors
        ground = int(self.scene.items.ground[item])
        painter.setPen(QPen(colors.frame_line[ground], 1))
        painter.setBrush(colors.frame_fill[ground])
        area, radius = QRectF(*self.scene.items.rect[item].tolist()), _FRAME_RADIUS_PX
        painter.drawRoundedRect(area, radius, radius)

    def _paint_header(self, painter: QPainter, item: int) -> None:
        items, colors = self.scene.items, self.colors
        x, y, width, _ = items.rect[item].tolist()
        title = self._text(items.titles[item], 0)
        detail = self._text(items.details[item], 1)
        band = QPainterPath()
        band.addRoundedRect(QRectF(x + 0.5, y + 0.5, width - 1, HEADER_PX + 8), 8, 8)
        painter.save()
        painter.setClipRect(QRectF(x, y, width, HEADER_PX))
        painter.fillPath(band, colors.header_fill[int(items.ground[item])])
        painter.restore()
        self._paint_sign(painter, x + 16, y + HEADER_PX / 2 + 1, True, colors.muted)
        if item in self.scene.walks:
            self._paint_steps(painter, item)
        if self._scale < _TITLE_SCALE:
            return
        painter.setPen(colors.text)
        painter.setFont(self._title_font)
        painter.drawStaticText(QPointF(x + 26, y + 5), title)
        painter.setPen(colors.muted)
        painter.setFont(self._detail_font)
        painter.drawStaticText(QPointF(x + 34 + title.size().width(), y + 6), detail)

    def _paint_steps(self, painter: QPainter, item: int) -> None:
        """The ways to the copy before and to the next; faint where there is none."""
        walk, colors = self.scene.walks[item], self.colors
        painter.setPen(Qt.PenStyle.NoPen)
        for area, by in zip(step_areas(self.scene, item), (-1, 1), strict=True):
            has_more = 0 <= walk.number + by < walk.total
            middle = area.center()
            painter.setBrush(colors.selected if has_more else colors.frame_border)
            painter.drawPolygon(
                QPolygonF(
                    [
                        middle + QPointF(-4 * by, -5),
                        middle + QPointF(-4 * by, 5),
                        middle + QPointF(4 * by, 0),
                    ]
                )
            )

    def _paint_sign(
        self, painter: QPainter, x: float, y: float, is_open: bool, color: QColor
    ) -> None:
        """A triangle: right for closed, down for open, as in a tree."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        if is_open:
            corners = [QPointF(x - 4, y - 2.5), QPointF(x + 4, y - 2.5), QPointF(x, y + 3)]
        else:
            corners = [QPointF(x - 2.5, y - 4), QPointF(x - 2.5, y + 4), QPointF(x + 3, y)]
        painter.drawPolygon(QPolygonF(corners))

    def sign_of(self, item: int, scale: float) -> QPointF | None:
        """The middle of a group's triangle, in pixels of the scene; None where it has none."""
        items = self.scene.items
        if not items.is_group[item] or scale < NEAR_SCALE:
            return None
        x, y, _, height = items.rect[item].tolist()
        if item < items.num_frames:
            return QPointF(x + 16, y + HEADER_PX / 2 + 1)
        if scale >= _TITLE_SCALE:
            return QPointF(x + 11, y + height / 2)
        signs = (title.sign for title in self.list_titles(scale) if title.item == item)
        sign = next(signs, None)
        return None if sign is None else sign / scale

    def corner_of(self, item: int) -> float:
        """The radius of an item's corners, in pixels of the scene."""
        items = self.scene.items
        if item < items.num_frames:
            return _FRAME_RADIUS_PX
        height = float(items.rect[item, 3])
        return min(height / 2, 13.0) if int(items.style[item]) in _ROUNDED else _RADIUS_PX

    def _paint_box(self, painter: QPainter, item: int) -> None:
        if self.shades.is_faint is not None and self.shades.is_faint[item]:
            painter.setOpacity(_FAINT)
            self._paint_whole_box(painter, item)
            painter.setOpacity(1.0)
            return
        self._paint_whole_box(painter, item)

    def _paint_whole_box(self, painter: QPainter, item: int) -> None:
        items, colors = self.scene.items, self.colors
        x, y, width, height = items.rect[item].tolist()
        style = int(items.style[item])
        shades, shade = self.shades, int(self.shades.of_item[item])
        dash = Qt.PenStyle.DashLine if shades.is_dashed[shade] else Qt.PenStyle.SolidLine
        painter.setPen(QPen(shades.border[shade], 1.2, dash))
        painter.setBrush(shades.fill[shade])
        radius = self.corner_of(item)
        if style == Style.REPEAT:  # a stack of cards
            width, height = width - STACK_PX, height - STACK_PX
            for shift in (STACK_PX, STACK_PX / 2, 0.0):
                painter.drawRoundedRect(QRectF(x + shift, y + shift, width, height), radius, radius)
        else:
            painter.drawRoundedRect(QRectF(x, y, width, height), radius, radius)
        indent = 0.0
        has_small_title = bool(items.is_group[item]) and self._scale < _TITLE_SCALE
        if items.is_group[item] and not has_small_title:
            indent = 8.0
            self._paint_sign(painter, x + 11, y + height / 2, False, shades.border[shade])
        if (share := float(shades.share[item])) > 0:  # not so for NaN
            bar = QRectF(x + _RADIUS_PX, y + height - 4, (width - 2 * _RADIUS_PX) * share, 3)
            painter.fillRect(bar, shades.border[shade])
        title, detail = items.title_lines(item), items.details[item]
        is_alone = self._scale < _DETAIL_SCALE or (has_small_title and item in self._broken)
        two = bool(detail) and not is_alone
        painter.setPen(colors.text)
        painter.setFont(self._title_font)
        pitch = max(TITLE_PITCH_PX, SMALL_LINE_PX / self._scale)
        top = y + (4 if two else height / 2 - 8 - pitch * (len(title) - 1) / 2)
        is_small = two and self._scale < _TITLE_SCALE
        first, below = (
            y + each / self._scale
            for each in _centre_lines(height * self._scale, len(title), self._scale)
        )
        if is_small:
            top = first - self._text(title[0], 0).size().height() / 2
        if not has_small_title:
            # As large as a group's where the box has room for that.
            rounded = min(height / 2, 13.0) * self._scale if style in _ROUNDED else 0.0
            room = (width - indent) * self._scale - 4.0 - rounded
            natural = max(measure_text(line, TITLE_PX, True) for line in title) / TITLE_PX
            least_px = min(LEAST_TITLE_PX, room / max(natural, 1.0))
            least_px = max(least_px, LEAST_TEXT_PX)
            for line in title:
                self._paint_centred(painter, line, 0, x + indent, top, width - indent, least_px)
                top += pitch
        if two:
            painter.setPen(colors.text if shades.is_tint else colors.muted)
            painter.setFont(self._detail_font)
            top = y + height - 20
            if is_small:
                top = below - self._text(detail, 1).size().height() / 2
            if item in self._indented and self._scale < _TITLE_SCALE:
                wide = _measure_small_detail(detail, self._scale)
                indent = measure_indent(width * self._scale, wide) / self._scale
            self._paint_centred(painter, detail, 1, x + indent, top, width - indent)

    def _paint_centred(
        self,
        painter: QPainter,
        text: str,
        font: int,
        x: float,
        y: float,
        width: float,
        least_px: float = LEAST_TEXT_PX,
    ) -> None:
        """One line in the middle of a width; not smaller than can be read."""
        size_px = _SIZES_PX[font]
        grown = max(least_px / (size_px * self._scale), 1.0)
        if grown > 1.0:
            shorten = shorten_name if font in (0, _STUB_FONT) else shorten_text
            text = shorten(text, width / grown, size_px, font == 0)
            if text == ELLIPSIS:
                return
        static = self._text(text, font)
        size = static.size()
        if grown == 1.0:
            painter.drawStaticText(QPointF(x + (width - size.width()) / 2, y), static)
            return
        painter.save()
        painter.translate(x + width / 2, y + size.height() / 2)
        painter.scale(grown, grown)
        painter.drawStaticText(QPointF(-size.width() / 2, -size.height() / 2), static)
        painter.restore()

    def _paint_connector(self, painter: QPainter, connector: int) -> None:
        connectors, colors = self.scene.connectors, self.colors
        x, y, width, height = connectors.rect[connector].tolist()
        pen = QPen(colors.stub_line, 1, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(colors.stub_fill)
        has_text = self._scale >= _CONNECTOR_SCALE
        high = max(height, _CONNECTOR_PX / self._scale) if has_text else height
        outline = QRectF(x, y + (height - high) / 2, width, high)
        painter.drawRoundedRect(outline, high / 2, high / 2)
        if not has_text:
            return
        painter.setPen(colors.text)
        painter.setFont(self._stub_font)
        beside = LEAST_STUB_PADDING_PX / self._scale
        text, room = tr_said(connectors.texts[connector]), width - 2 * beside
        grown = max(LEAST_TEXT_PX / (STUB_TEXT_PX * self._scale), 1.0)
        if grown > 1.0 and measure_text(text, STUB_TEXT_PX) > room / grown:
            text = _BYTES_TOLD.sub("", text)
        self._paint_centred(painter, text, _STUB_FONT, x + beside, y + 2, room)

    def paint_labels(self, painter: QPainter, box: tuple[float, float, float, float]) -> None:
        """Types on the lines of the frames in sight, on plates that let the line end at them.

        In a small picture only those of `Lines.labels` and `Lines.heads`, which are bytes of
        residuals, what is led around a backward part, and the index or predicate of a branch; and
        what a loop carries.
        """
        colors, items = self.colors, self.item_grid.query(*box)
        painter.setFont(self._label_font)
        for group in (NONE, *items[items < self.scene.items.num_frames].tolist()):
            fill = colors.background
            if group != NONE:
                fill = colors.frame_fill[int(self.scene.items.ground[group])]
            for label in self.labels_in(group, box, self._scale):
                painter.setOpacity(_FAINT if self._is_faint_line[label.line] else 1.0)
                grown = max(LEAST_LABEL_PX / (LABEL_TEXT_PX * self._scale), 1.0)
                left, wide = label.plate(grown)
                plate = QRectF(left, label.y, wide, LABEL_HEIGHT_PX)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(fill)
                painter.drawRoundedRect(plate, 3, 3)
                lines = self.scene.lines
                is_residual = (lines.is_residual | lines.is_inner_residual)[label.line]
                painter.setPen(colors.residual_text if is_residual else colors.muted)
                x, wide = label.x - _LABEL_SLACK_PX / 2, label.width + _LABEL_SLACK_PX
                told = tr_said(label.text)
                self._paint_centred(painter, told, 3, x, label.y + 1, wide, LEAST_LABEL_PX)
        painter.setOpacity(1.0)

    def labels_in(self, group: int, box: Box, scale: float) -> Iterator[EdgeLabel]:
        """The labels right inside a frame that are shown in a part of the scene."""
        lines = self.scene.lines
        grown = max(LEAST_LABEL_PX / (LABEL_TEXT_PX * scale), 1.0)
        for label in self.index.labels.of_group(group):
            is_seen = label.x < box[2] and box[0] < label.x + label.width
            is_seen &= label.y < box[3] and box[1] < label.y + LABEL_HEIGHT_PX
            is_shown = scale >= LABEL_SCALE or label.line in lines.labels or label.is_head
            is_shown |= bool(lines.is_return[label.line])
            room = (label.width + _LABEL_SLACK_PX) / grown
            if is_seen and is_shown and measure_text(label.text, LABEL_TEXT_PX) <= room:
                yield label

    def list_words(self, box: Box, scale: float, most: int) -> list[Box]:
        """What of a part of the scene has words on it, as x, y, width, height.

        Boxes, connectors, titles of groups, and labels where the scale lets them be read. Nothing
        where there are more boxes than `most`.
        """
        items, num_frames = self.item_grid.query(*box), self.scene.items.num_frames
        if len(items) > most:
            return []
        rects = self.scene.items.rect[items].copy()
        rects[items < num_frames, 3] = HEADER_PX
        if scale < NEAR_SCALE:  # frames have no band there
            rects = rects[items >= num_frames]
        connectors = self.scene.connectors.rect[self.connector_grid.query(*box)]
        words: list[Box] = [tuple(row) for row in (*rects.tolist(), *connectors.tolist())]
        if scale >= NEAR_SCALE:
            words += [
                (label.x, label.y, label.width, LABEL_HEIGHT_PX)
                for group in (NONE, *items[items < num_frames].tolist())
                for label in self.labels_in(group, box, scale)
            ]
        if scale < _TITLE_SCALE:
            for title in self.list_titles(scale):
                area = title.area
                words.append((area.x() / scale, area.y() / scale,
                              area.width() / scale, area.height() / scale))  # fmt: skip
        return words

    def _text(self, text: str, font: int) -> QStaticText:
        key = (text, font)
        known = self._texts.get(key)
        if known is None:
            if len(self._texts) > _MAX_STATIC_TEXTS:
                self._texts.clear()
            known = QStaticText(text)
            known.setTextFormat(Qt.TextFormat.PlainText)
            fonts = (self._title_font, self._detail_font, self._stub_font, self._label_font)
            known.prepare(font=fonts[font])
            self._texts[key] = known
        return known
