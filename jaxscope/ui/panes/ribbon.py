"""The ribbon between two panes: bands from what is linked in one to what it is in the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QWidget

from jaxscope.analysis.link_pairs import NO_PAIRS, Pairs
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.theme import LIGHT, Theme

RIBBON_PX = 22
HANDLE_PX = 6

_MAX_BANDS = 240
"""More bands are a filled area; those drawn are taken from all over."""

_OUT_OF_SIGHT_PX = 3.0
_LEAST_PX = 2.0

FindPairs = Callable[[StagePane, StagePane], Pairs]


@dataclasses.dataclass(slots=True)
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
    """A splitter between whose panes ribbons run, where they stand beside each other."""

    def __init__(self, orientation: Qt.Orientation, setting: RibbonSetting, width_px: int) -> None:
        super().__init__(orientation)
        self.setting = setting
        self.setChildrenCollapsible(False)
        self.set_ribbon_px(width_px)

    def set_ribbon_px(self, width_px: int) -> None:
        """Give ribbons more or less room; below each other, panes have none between them."""
        is_across = self.orientation() == Qt.Orientation.Horizontal
        self.setHandleWidth(width_px if is_across else HANDLE_PX)

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
        if self.orientation() == Qt.Orientation.Vertical or self.width() < RIBBON_PX:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for left, right in self._neighbours():
            left.lighting.page.installEventFilter(self)
            right.lighting.page.installEventFilter(self)
            self._paint_between(painter, left, right)

    def bands(self, left: StagePane, right: StagePane) -> npt.NDArray[np.float64]:
        """Bands from one pane to another, one row each: top and bottom at the left and at the
        right, in this widget's pixels, and 1 where the band belongs to the backward part.
        """
        pairs = self._pairs_of(left, right)
        if not len(pairs):
            return np.zeros((0, 5))
        at_left = self._places(left, pairs[:, 0])
        at_right = self._places(right, pairs[:, 1])
        is_back = np.isin(pairs[:, 0], left.lighting.backward_things())
        is_back |= np.isin(pairs[:, 1], right.lighting.backward_things())
        found = np.column_stack([at_left, at_right, is_back])
        found = found[~np.isnan(found).any(axis=1)]
        bands: npt.NDArray[np.float64] = np.unique(np.round(found), axis=0)
        return bands

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
        page = pane.lighting.page
        height = float(page.height())
        places = pane.lighting.places(known)
        places[:, 0] = np.clip(places[:, 0], 0.0, height - _OUT_OF_SIGHT_PX)
        places[:, 1] = np.clip(places[:, 1], places[:, 0] + _OUT_OF_SIGHT_PX, height)
        offset = self.mapFromGlobal(page.mapToGlobal(QPoint(0, 0))).y()
        moved: npt.NDArray[np.float64] = places[back] + offset
        return moved

    def _neighbours(self) -> list[tuple[StagePane, StagePane]]:
        """Panes at both sides that stand beside each other."""
        splitter = self.splitter()
        index = splitter.indexOf(self)
        if index < 1:
            return []
        lefts = _panes_at(splitter.widget(index - 1), at_end=True)
        rights = _panes_at(splitter.widget(index), at_end=False)
        return [(a, b) for a in lefts for b in rights if _are_beside(a, b)]

    def _paint_between(self, painter: QPainter, left: StagePane, right: StagePane) -> None:
        theme, width = self._setting.theme, float(self.width())
        for a_top, a_bottom, b_top, b_bottom, is_back in self.bands(left, right).tolist():
            strong = QColor(theme.backward if is_back else theme.forward)
            soft = QColor(strong)
            soft.setAlphaF(0.22)
            strong.setAlphaF(0.75)
            painter.setPen(QPen(strong, 1.0))
            painter.setBrush(soft)
            painter.drawPath(_band(width, (a_top, a_bottom), (b_top, b_bottom)))


def _band(width: float, left: tuple[float, float], right: tuple[float, float]) -> QPainterPath:
    """A closed shape between two stretches of the two edges."""
    middle = width / 2
    (a, b), (c, d) = (_at_least(*left), _at_least(*right))
    path = QPainterPath(QPointF(0, a))
    path.cubicTo(QPointF(middle, a), QPointF(middle, c), QPointF(width, c))
    path.lineTo(width, d)
    path.cubicTo(QPointF(middle, d), QPointF(middle, b), QPointF(0, b))
    path.closeSubpath()
    return path


def _at_least(top: float, bottom: float) -> tuple[float, float]:
    return top, max(bottom, top + _LEAST_PX)


def _panes_at(widget: QWidget | None, *, at_end: bool) -> Sequence[StagePane]:
    """Panes that touch the right or left edge of a part."""
    if isinstance(widget, StagePane):
        return [widget]
    if not isinstance(widget, QSplitter):
        return []
    parts = [widget.widget(number) for number in range(widget.count())]
    if widget.orientation() == Qt.Orientation.Horizontal:
        parts = parts[-1:] if at_end else parts[:1]
    return [pane for part in parts for pane in _panes_at(part, at_end=at_end)]


def _are_beside(left: QWidget, right: QWidget) -> bool:
    if not (left.isVisible() and right.isVisible()):
        return False
    tops = left.mapToGlobal(QPoint(0, 0)).y(), right.mapToGlobal(QPoint(0, 0)).y()
    return tops[0] < tops[1] + right.height() and tops[1] < tops[0] + left.height()
