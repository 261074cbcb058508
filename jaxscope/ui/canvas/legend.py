"""The legend under a graph: what the colours and outlines in the picture mean."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QLineF, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import said
from jaxscope.model.types import explain_manual_axes
from jaxscope.picture.layout.text_width import measure_text, shorten_text
from jaxscope.picture.palette import (
    BOLD_LINE_PX,
    FRAME_NAMES,
    LINE_NAMES,
    PALETTES,
    PARTS_OF_GRADIENTS,
    STYLE_NAMES,
    explain_boxes,
)
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.tint.classes import TINT_PALETTES, Tint
from jaxscope.picture.view.operations import Style
from jaxscope.ui.canvas.scene_painter import Colors, graph_font
from jaxscope.ui.toolkit.language import tr, tr_list, tr_said

_TEXT_PX = 11.0
_ROW_PX = 18.0
_PADDING_PX = 6.0
_WIDEST_PX = 190.0
_MORE_PX = 54.0
_LEAST_PX = 44.0
"""Less shows no word of an entry."""
_ROUNDED_PX = 0.01
"""What a width loses when others are added to it and taken away."""


class _Density(NamedTuple):
    """How near to each other entries stand, in how many rows at most.

    A legend that needs more rows shows the rest on a click: the picture needs the room. Where a
    name stands on its swatch, only those of lines have one beside it.
    """

    swatch_px: float
    after_px: float
    gap_px: float
    num_rows: float = 1
    side_px: float = _PADDING_PX
    is_short: bool = False
    is_on_swatch: bool = False


_OPENED = _Density(16, 4, 12, math.inf)
_AT_FIRST = _Density(16, 4, 12), _Density(10, 5, 8)
"""The first that shows all entries is taken."""
_NEAREST = _Density(8, 4, 4, side_px=4, is_short=True, is_on_swatch=True)
"""As a third view has it: for entries that boxes do not tell, and for what then has room. A name
stands on its colour, as in the picture: a swatch beside it would be no larger than a letter.
"""
_IN_TWO_ROWS = tuple(each._replace(num_rows=2) for each in (*_AT_FIRST, _NEAREST))
"""In a narrow view that is high: there is room for all of it below the picture."""
_NARROW_PX, _HIGH_PX = 400.0, 560.0
"""Such a view is narrower, and higher."""
_AROUND_NAME_PX = 4.0
"""Of a swatch, on each side of a name that stands on it."""
_PARTS = tuple(FRAME_NAMES[each] for each in PARTS_OF_GRADIENTS)
_FIRST = (*_PARTS, *LINE_NAMES.values())
"""What is named before all else where not all has room: the parts of a gradient, and lines, which
have no names of their own.
"""
_TOLD_BY_BOXES = frozenset({"argument", "result", "constant", "group"})
"""What is counted first where not all has room: boxes have names of their own, or a triangle."""
_ALSO_TELLS = {
    "control flow": ("scan", "while", "cond", "switch", "branch"),
    "result": ("results",),
}
"""Words in a title that tell what a box is, besides the name of its entry."""
_WORD = re.compile(r"[^\W\d_]+")
_MOST_READ = 200
"""Boxes whose titles are read: of more, nobody reads all."""


class _Placed(NamedTuple):
    """Where each entry that is shown begins, in which row, how wide; all entries, those first.

    Cut is what leaves out more than boxes tell.
    """

    places: list[tuple[float, int, float]]
    is_cut: bool
    density: _Density
    entries: Sequence[LegendEntry]


@dataclass(frozen=True, eq=False, slots=True)
class LegendEntry:
    """One line of a legend.

    Attributes:
        name: What it means.
        fill: How a swatch is filled.
        border: How it is outlined.
        hint: Told when the pointer rests on it; empty for nothing.
        has_swatch: Whether it explains a colour; else it is words alone.
        is_line: Whether it explains the colour of a line, which is drawn like `border`.
        is_told: Whether each box of the kind that is seen says in its title what it is.
        short: The name where there is little room; empty for the same.
    """

    name: str
    fill: QColor
    border: QPen
    hint: str = ""
    has_swatch: bool = True
    is_line: bool = False
    is_told: bool = False
    short: str = ""


def _rank(entry: LegendEntry) -> int:
    """How early an entry stands where not all has room."""
    if entry.is_told:
        return len(_FIRST) + 2
    if entry.name in _FIRST:
        return _FIRST.index(entry.name)
    return len(_FIRST) + (entry.name in _TOLD_BY_BOXES)


def _is_on_swatch(entry: LegendEntry, density: _Density) -> bool:
    return density.is_on_swatch and entry.has_swatch and not entry.is_line


def _before_text(entry: LegendEntry, density: _Density) -> float:
    if _is_on_swatch(entry, density):
        return _AROUND_NAME_PX
    return density.swatch_px + density.after_px if entry.has_swatch else 0.0


def _around_text(entry: LegendEntry, density: _Density) -> float:
    is_on_swatch = _is_on_swatch(entry, density)
    return _before_text(entry, density) + (_AROUND_NAME_PX if is_on_swatch else 0.0)


def _name_of(entry: LegendEntry, density: _Density) -> str:
    return tr_said(said(entry.short if density.is_short and entry.short else entry.name))


def _text_of(entry: LegendEntry, wide: float, density: _Density) -> str:
    """The name of an entry, as much of it as has room in a width."""
    room = wide - _around_text(entry, density) + _ROUNDED_PX
    return shorten_text(_name_of(entry, density), room, _TEXT_PX)


class Legend(QWidget):
    """Stands below the picture, never over it: in one row, in a narrow and high view in two.

    A click shows what had no room there in further rows, and hides it again.

    Signals:
        toggled: A person opened or closed it.
        height_changed: It asks for more or fewer rows than before.
    """

    toggled = Signal()
    height_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[LegendEntry, ...] = ()
        self._num_passing = 0
        self._is_high = False
        self._colors: Colors | None = None
        self._scale = 1.0
        self._is_open = False
        self.setAccessibleName(tr("Legend of the graph"))

    @property
    def is_open(self) -> bool:
        """Whether all rows are shown, however many."""
        return self._is_open

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries, in order."""
        return tuple(tr_said(said(entry.name)) for entry in self._entries)

    @property
    def texts(self) -> Sequence[str]:
        """What is written, an entry each: names, shortened where they have no room."""
        places, _, density, entries = self._place(self.width())
        return [
            _text_of(entry, wide, density)
            for entry, (_, _, wide) in zip(entries, places, strict=False)
        ]

    @property
    def text_px(self) -> float:
        """Size of its type."""
        return _TEXT_PX * self._scale

    def set_page_height(self, height: int) -> None:
        """How high the view is that it is of."""
        self._is_high = height >= _HIGH_PX * self._scale

    def set_text_scale(self, scale: float) -> None:
        """Make it larger or smaller with the window's type."""
        self._scale = scale
        self.update()

    def show_entries(
        self,
        entries: Sequence[LegendEntry],
        colors: Colors,
        passing: Sequence[LegendEntry] = (),
    ) -> None:
        """Explain these.

        Args:
            passing: What comes and goes with a selection.
        """
        before = self.heightForWidth(self.width())
        self._entries, self._colors = (*entries, *passing), colors
        self._num_passing = len(passing)
        self.setAccessibleDescription(tr_list(self.names))
        self.update()
        if self.heightForWidth(self.width()) != before:
            self.height_changed.emit()

    def heightForWidth(self, width: int) -> int:
        rows = 1 + max((row for _, row, _ in self._place(width).places), default=0)
        return round((rows * _ROW_PX + 2 * _PADDING_PX - 3) * self._scale)

    def sizeHint(self) -> QSize:
        return QSize(300, self.heightForWidth(300))

    def _place(self, width: int) -> _Placed:
        if self._is_open:
            return self._fill(self._entries, width, _OPENED)
        tried = (self._fill(self._entries, width, density) for density in _AT_FIRST)
        whole = next((placed for placed in tried if not placed.is_cut), None)
        if whole is not None:
            return whole
        ordered = sorted(self._entries, key=_rank)
        if self._has_two_rows(width):
            return self._fill_two_rows(ordered, width)
        told = [entry for entry in ordered if entry.is_told]
        parts = [entry for entry in told if entry.name in _PARTS]
        for left_out in ([entry for entry in told if entry not in parts], told)[not parts :]:
            needed = [entry for entry in self._entries if entry not in left_out]
            for density in (*(_AT_FIRST if told else ()), _NEAREST):
                placed = self._fill(needed, width, density)
                if not placed.is_cut:
                    return self._add_told(placed, left_out, width)
        return self._fill(ordered, width, _NEAREST)

    def _fill_two_rows(self, ordered: Sequence[LegendEntry], width: int) -> _Placed:
        """All entries; else without the last ones that boxes tell; else those that come first."""
        tried = (self._fill(self._entries, width, density) for density in _IN_TWO_ROWS)
        whole = next((placed for placed in tried if not placed.is_cut), None)
        kept, left_out = list(self._entries), list[LegendEntry]()
        for entry in (each for each in ordered[::-1] if each.is_told):
            kept.remove(entry)
            left_out.append(entry)
            is_parted = any(each.is_told and each.name in _PARTS for each in kept)
            is_parted &= any(each.name in _PARTS for each in left_out)
            if whole is None and not is_parted:  # *forward* alone would be a question
                placed = self._fill(kept, width, _IN_TWO_ROWS[-1])
                whole = None if placed.is_cut else placed._replace(entries=(*kept, *left_out))
        return whole or self._fill(ordered, width, _IN_TWO_ROWS[-1])

    def _has_two_rows(self, width: int) -> bool:
        """Whether it has a second row; what comes and goes with a selection brings none."""
        if not self._is_high or width >= _NARROW_PX * self._scale:
            return False
        lasting = self._entries[: len(self._entries) - self._num_passing]
        return all(self._fill(lasting, width, density).is_cut for density in _AT_FIRST)

    def _fill(self, entries: Sequence[LegendEntry], width: int, density: _Density) -> _Placed:
        """The entries, or the first ones of them, as far as they have room."""
        room, side = width / self._scale - density.side_px, density.side_px
        x, row = side, 0
        places: list[tuple[float, int, float]] = []
        widths = [self._width_of(entry, density) for entry in entries]
        needed = sum(widths) + density.gap_px * (len(entries) - 1)
        for whole in widths:
            is_last = row == density.num_rows - 1 and needed > room - side
            kept = _MORE_PX + density.gap_px if is_last else 0.0
            wide = min(whole, room - side - kept)  # a sentence may take a whole row
            if x + wide + kept > room or wide < min(whole, _LEAST_PX):
                if row == density.num_rows - 1:
                    return _Placed(places, True, density, entries)
                x, row = side, row + 1
            places.append((x, row, wide))
            x += wide + density.gap_px
        return _Placed(places, False, density, entries)

    def _add_told(self, placed: _Placed, told: Sequence[LegendEntry], width: int) -> _Placed:
        """Behind entries in one row those that boxes tell themselves, as far as they have room."""
        density, places = placed.density, list(placed.places)
        x = places[-1][0] + places[-1][2] + density.gap_px if places else density.side_px
        taken: list[LegendEntry] = []
        parts = [entry for entry in told if entry.name in _PARTS]
        others = [[entry] for entry in told if entry not in parts]
        for together in (parts, *others):  # *forward* alone would be a question
            widths = [self._width_of(entry, density) for entry in together]
            needed = sum(widths) + density.gap_px * (len(widths) - 1)
            if x + needed > width / self._scale - density.side_px:
                continue
            for entry, wide in zip(together, widths, strict=True):
                places.append((x, 0, wide))
                taken.append(entry)
                x += wide + density.gap_px
        left_out = (entry for entry in told if entry not in taken)
        return _Placed(places, False, density, (*placed.entries, *taken, *left_out))

    @staticmethod
    def _width_of(entry: LegendEntry, density: _Density) -> float:
        whole = measure_text(_name_of(entry, density), _TEXT_PX)
        if entry.has_swatch:
            whole = min(whole, _WIDEST_PX) + _around_text(entry, density)
        return whole

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        placed = self._place(self.width())
        is_more = self._is_open or len(placed.places) < len(placed.entries)
        if event.button() == Qt.MouseButton.LeftButton and is_more:
            self._is_open = not self._is_open
            self.toggled.emit()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._hint_at(event.pos()), self)
            return True
        return super().event(event)

    def _hint_at(self, place: QPoint) -> str:
        x, y = place.x() / self._scale, place.y() / self._scale
        places, _, _, entries = self._place(self.width())
        for entry, (left, row, wide) in zip(entries, places, strict=False):
            if left <= x <= left + wide and 0 <= y - _PADDING_PX - row * _ROW_PX < _ROW_PX:
                return entry.hint or tr_said(said(entry.name))
        return tr("What the colours and outlines mean; click to see all of it")

    def paintEvent(self, _event: QPaintEvent) -> None:
        colors = self._colors
        if colors is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), colors.background)
        painter.fillRect(QRect(0, 0, self.width(), 1), colors.frame_border)
        painter.scale(self._scale, self._scale)
        painter.setFont(graph_font(_TEXT_PX))
        places, is_cut, density, entries = self._place(self.width())
        for entry, (x, row, wide) in zip(entries, places, strict=False):
            y = _PADDING_PX - 1 + row * _ROW_PX
            painter.setPen(entry.border)
            painter.setBrush(entry.fill)
            before = _before_text(entry, density)
            if entry.has_swatch:
                swatch = QRectF(x, y + 3.5, density.swatch_px, 10)
                if _is_on_swatch(entry, density):
                    swatch = QRectF(x, y + 1.5, wide, _ROW_PX - 3)
                if entry.is_line:
                    middle = swatch.center().y()
                    painter.drawLine(QLineF(swatch.left(), middle, swatch.right(), middle))
                else:
                    painter.drawRoundedRect(swatch, 3, 3)
            painter.setPen(colors.text)
            area = QRectF(x + before, y, wide, _ROW_PX)
            text = _text_of(entry, wide, density)
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, text)
        if is_cut:
            painter.setPen(colors.muted)
            y = _PADDING_PX - 1 + (density.num_rows - 1) * _ROW_PX
            right = self.width() / self._scale - density.side_px
            area = QRectF(right - _MORE_PX, y, _MORE_PX, _ROW_PX)
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(
                area,
                flags,
                tr(
                    "{num_entries} more …",
                    num_entries=sum(not entry.is_told for entry in entries[len(places) :]),
                ),
            )
        painter.end()


def list_entries(scene: Scene, seen: npt.NDArray[np.int64], theme: str) -> tuple[LegendEntry, ...]:
    """What the colours of boxes and of opened groups mean, of those that are seen."""
    items = scene.items
    is_frame = seen < items.num_frames
    styles, grounds = items.style[seen[~is_frame]], items.ground[seen[is_frame]]
    palette, lines = PALETTES[theme], scene.lines.list_coloured(seen)
    told = _list_told(scene, seen)
    found = explain_boxes(styles.tolist(), grounds.tolist(), lines, palette)
    entries = []
    for name, fill, border in found:
        is_line = name in LINE_NAMES.values()
        pen = QPen(QColor(border), BOLD_LINE_PX if is_line else 1.2)
        entries.append(
            LegendEntry(
                name,
                QColor(fill),
                pen,
                is_line=is_line,
                is_told=name in told,
                short=name.partition(":")[0],
            )
        )
    if np.isin(scene.connectors.item, seen).any():
        dashes = QPen(QColor(palette.stub_line), 1, Qt.PenStyle.DashLine)
        hint = tr("A line that is not drawn: it comes from the box of that name or, behind an "
                  "arrow, goes there. A click leads to that box.")  # fmt: skip
        entries.append(
            LegendEntry(LINE_NAMES["connector"], QColor(palette.stub_fill), dashes, hint)
        )
    return tuple(entries)


def _list_told(scene: Scene, seen: npt.NDArray[np.int64]) -> frozenset[str]:
    """Of what a legend names, that which each box that is seen says in its own title."""
    items, told = scene.items, dict[str, bool]()
    for item in seen.tolist() if len(seen) <= _MOST_READ else ():
        if item < items.num_frames:
            name = FRAME_NAMES.get(int(items.ground[item]))
        else:
            name = STYLE_NAMES[Style(int(items.style[item]))]
        if name is not None:
            words = (name, *_ALSO_TELLS.get(name, ()))
            title = f" {' '.join(_WORD.findall(items.titles[item]))} "
            told[name] = told.get(name, True) and any(f" {word} " in title for word in words)
    return frozenset(name for name, is_told in told.items() if is_told)


def list_tints(
    tint: Tint,
    colors: Colors,
    theme: str,
    items: npt.NDArray[np.int64],
) -> tuple[LegendEntry, ...]:
    """What the colours that some items have by a tint mean, or why there are none."""
    palette, entries = TINT_PALETTES[theme], []
    seen = frozenset(tint.of_item[items].tolist())
    for number, each in enumerate(tint.classes):
        if number not in seen:
            continue
        fill, border = palette.pair(each)
        line = Qt.PenStyle.DashLine if each.is_dashed else Qt.PenStyle.SolidLine
        entries.append(LegendEntry(each.name, QColor(fill), QPen(QColor(border), 1.2, line)))
    if tint.note:
        entries.append(words_alone(tint.note, colors))
    return tuple(entries)


def words_alone(text: str, colors: Colors, short: str = "", hint: str = "") -> LegendEntry:
    """An entry that explains no colour."""
    ground = colors.background
    return LegendEntry(text, ground, QPen(ground), hint, has_swatch=False, short=short)


def list_manual_axes(
    scene: Scene, seen: npt.NDArray[np.int64], colors: Colors
) -> tuple[LegendEntry, ...]:
    """What letters behind types in boxes mean, such as `{V:devices}`, of those that are seen."""
    meanings = {
        "V": tr("V: may differ between devices"),
        "U": tr("U: parts of a sum over devices"),
        "R": tr("R: reduced over devices"),
    }
    told: dict[str, str] = {}
    for detail in {scene.items.details[item] for item in seen.tolist()}:
        for sentence in explain_manual_axes(detail) if "{" in detail else ():
            told.setdefault(sentence[0], tr_said(sentence))
    return tuple(words_alone(meanings[each], colors, hint=told[each]) for each in sorted(told))


def list_outlines(
    colors: Colors, *, selected: bool, found: bool, forward: bool, backward: bool, has_parts: bool
) -> tuple[LegendEntry, ...]:
    """What the outlines of a selection mean, of those that there are. `has_parts` is whether it is
    linked to the backward part of a gradient: without one there is no other part to tell.
    """
    linked = tr("linked, forward") if has_parts else tr("linked")
    ground, dashes = colors.background, Qt.PenStyle.DashLine
    entries = (
        (selected, LegendEntry(tr("selected"), ground, QPen(colors.selected, 3))),
        (found, LegendEntry(tr("found"), ground, QPen(colors.found, 4))),
        (forward, LegendEntry(linked, ground, QPen(colors.forward, 2))),
        (backward, LegendEntry(tr("linked, backward"), ground, QPen(colors.backward, 2, dashes))),
    )
    return tuple(entry for is_there, entry in entries if is_there)
