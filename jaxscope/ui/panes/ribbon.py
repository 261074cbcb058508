"""Ribbons between two panes: bands from what is linked in one to what it is in the other, painted
in the splitter's handle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QTransform
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from jaxscope.late_dataclass import dataclass
from jaxscope.program.links import NO_PAIRS, Pairs
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.toolkit.theme import LIGHT, Theme

RIBBON_PX = 16
HANDLE_PX = 6

_MAX_BANDS = 240
"""More bands are a filled area; those drawn are taken from all over."""

_OUT_OF_SIGHT_PX = 3.0
_NEIGHBOUR_PX = 30.0
"""Bands no further apart than a line or two are one."""
_CLEAR = 8
"""Where there are more bands than this, neighbours are joined into one, and all are drawn paler."""
_LEAST_PX = 2.0

FindPairs = Callable[[StagePane, StagePane], Pairs]


@dataclass(slots=True)
class RibbonSetting:
    """What all ribbons of one area share.

    Attributes:
        find_pairs: Which linked things of one pane belong to which of another.
        theme: Whose colours bands have.
        generation: Rises when pairs have to be asked for anew.
    """

    find_pairs: FindPairs
    theme: Theme = LIGHT
    generation: int = 0


class RibbonSplitter(QSplitter):
    """A splitter between whose panes ribbons run, beside each other or below each other."""

    def __init__(self, orientation: Qt.Orientation, setting: RibbonSetting, width_px: int) -> None:
        super().__init__(orientation)
        self.setting = setting
        self.setChildrenCollapsible(False)
        self.set_ribbon_px(width_px)

    def set_ribbon_px(self, width_px: int) -> None:
        """Give ribbons more or less room."""
        self.setHandleWidth(width_px)

    def createHandle(self) -> QSplitterHandle:
        return RibbonHandle(self.orientation(), self)


class RibbonHandle(QSplitterHandle):
    """Draws the bands between the panes at its two sides, and still splits."""

    def __init__(self, orientation: Qt.Orientation, parent: RibbonSplitter) -> None:
        super().__init__(orientation, parent)
        self._setting = parent.setting
        self._pairs: dict[tuple[int, int], Pairs] = {}
        self._generation = -1

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # What is linked moves with every scroll and zoom, and both paint.
        if event.type() == QEvent.Type.Paint:
            self.update()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if min(self.width(), self.height()) < RIBBON_PX:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for first, second in self._neighbours():
            first.highlighter.page.installEventFilter(self)
            second.highlighter.page.installEventFilter(self)
            self._paint_between(painter, first, second)

    def bands(self, first: StagePane, second: StagePane) -> npt.NDArray[np.float64]:
        """Bands from one pane to another, one row each: where they begin and end at the first and
        at the second, along this widget and in its pixels, and 1 for those of the backward part.
        """
        pairs = self._pairs_of(first, second)
        if not len(pairs):
            return np.zeros((0, 5))
        at_first = self._places(first, pairs[:, 0])
        at_second = self._places(second, pairs[:, 1])
        is_back = np.isin(pairs[:, 0], first.highlighter.backward_things())
        is_back |= np.isin(pairs[:, 1], second.highlighter.backward_things())
        found = np.column_stack([at_first, at_second, is_back])
        found = found[~np.isnan(found).any(axis=1)]
        return join_bands(np.unique(np.round(found), axis=0))

    def _pairs_of(self, left: StagePane, right: StagePane) -> Pairs:
        if self._generation != self._setting.generation:
            self._generation = self._setting.generation
            self._pairs.clear()
        key = id(left), id(right)
        if key not in self._pairs:
            pairs = self._setting.find_pairs(left, right)
            if len(pairs) > _MAX_BANDS:
                pairs = pairs[np.linspace(0, len(pairs) - 1, _MAX_BANDS).astype(int)]
            self._pairs[key] = pairs
        return self._pairs.get(key, NO_PAIRS)

    def _places(self, pane: StagePane, things: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        """Where things are, at the edge of the page where they are out of sight."""
        known, back = np.unique(things, return_inverse=True)
        highlighter = pane.highlighter
        corner = self.mapFromGlobal(highlighter.page.mapToGlobal(QPoint(0, 0)))
        is_across = not self._is_between_columns()
        places, page = highlighter.places(known, is_across=is_across), highlighter.page
        most, offset = (page.width(), corner.x()) if is_across else (page.height(), corner.y())
        places[:, 0] = np.clip(places[:, 0], 0.0, most - _OUT_OF_SIGHT_PX)
        places[:, 1] = np.clip(places[:, 1], places[:, 0] + _OUT_OF_SIGHT_PX, most)
        moved: npt.NDArray[np.float64] = places[back] + offset
        return moved

    def _is_between_columns(self) -> bool:
        return self.orientation() == Qt.Orientation.Horizontal

    def _neighbours(self) -> list[tuple[StagePane, StagePane]]:
        """Panes at both sides that face each other."""
        splitter = self.parentWidget()  # PySide takes `splitter()` to be owned by this handle
        assert isinstance(splitter, QSplitter)
        index = splitter.indexOf(self)
        if index < 1:
            return []
        orientation = self.orientation()
        before = _panes_at(splitter.widget(index - 1), orientation, at_end=True)
        after = _panes_at(splitter.widget(index), orientation, at_end=False)
        return [(a, b) for a in before for b in after if _are_facing(a, b, orientation)]

    def _paint_between(self, painter: QPainter, first: StagePane, second: StagePane) -> None:
        theme, is_down = self._setting.theme, not self._is_between_columns()
        width = float(self.height() if is_down else self.width())
        bands = self.bands(first, second)
        alpha = 0.22 * min(1.0, (_CLEAR / max(len(bands), 1)) ** 0.5)
        for start, stop, other_start, other_stop, is_back in bands.tolist():
            strong = QColor(theme.backward if is_back else theme.forward)
            soft = QColor(strong)
            soft.setAlphaF(alpha)
            strong.setAlphaF(3.4 * alpha)
            painter.setPen(QPen(strong, 1.0))
            painter.setBrush(soft)
            band = _band(width, (start, stop), (other_start, other_stop))
            painter.drawPath(_TURNED.map(band) if is_down else band)


def join_bands(bands: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Bands that are neighbours at one side, and meet the same stretch of the other, as one.

    Else twenty lines of one group would be twenty bands on top of each other, and nearly opaque.
    """
    return _join(_join(bands, 0), 2) if len(bands) > _CLEAR else bands


def _join(bands: npt.NDArray[np.float64], side: int) -> npt.NDArray[np.float64]:
    """The same for neighbours at the side whose stretches begin in this column."""
    at, end = side, side + 1
    other = 2 - side
    joined: list[list[float]] = []
    order = np.lexsort((bands[:, at], bands[:, other + 1], bands[:, other], bands[:, 4]))
    for band in bands[order].tolist():
        last = joined[-1] if joined else None
        is_same = (
            last is not None
            and last[4] == band[4]
            and (last[other : other + 2] == band[other : other + 2])
        )
        if last is not None and is_same and band[at] <= last[end] + _NEIGHBOUR_PX:
            last[end] = max(last[end], band[end])
        else:
            joined.append(band)
    return np.array(joined).reshape(-1, 5)


_TURNED = QTransform(0, 1, 1, 0, 0, 0)
"""Changes left to right into top to bottom."""


def _band(width: float, first: tuple[float, float], second: tuple[float, float]) -> QPainterPath:
    """A closed shape from a stretch of the left edge to one of the right edge."""
    middle = width / 2
    (a, b), (c, d) = (_at_least(*first), _at_least(*second))
    path = QPainterPath(QPointF(0, a))
    path.cubicTo(QPointF(middle, a), QPointF(middle, c), QPointF(width, c))
    path.lineTo(width, d)
    path.cubicTo(QPointF(middle, d), QPointF(middle, b), QPointF(0, b))
    path.closeSubpath()
    return path


def _at_least(start: float, stop: float) -> tuple[float, float]:
    return start, max(stop, start + _LEAST_PX)


def _panes_at(
    widget: QWidget | None, orientation: Qt.Orientation, *, at_end: bool
) -> Sequence[StagePane]:
    """Panes that touch an edge of a part: its right or left one, or its lower or upper one."""
    if isinstance(widget, StagePane):
        return [widget]
    if not isinstance(widget, QSplitter):
        return []
    parts = [widget.widget(number) for number in range(widget.count())]
    if widget.orientation() == orientation:
        parts = parts[-1:] if at_end else parts[:1]
    return [pane for part in parts for pane in _panes_at(part, orientation, at_end=at_end)]


def _are_facing(first: QWidget, second: QWidget, orientation: Qt.Orientation) -> bool:
    if not (first.isVisible() and second.isVisible()):
        return False
    corners = first.mapToGlobal(QPoint(0, 0)), second.mapToGlobal(QPoint(0, 0))
    if orientation == Qt.Orientation.Horizontal:
        (start, other), sizes = (at.y() for at in corners), (first.height(), second.height())
    else:
        (start, other), sizes = (at.x() for at in corners), (first.width(), second.width())
    return start < other + sizes[1] and other < start + sizes[0]
