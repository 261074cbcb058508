"""Panes in splitters within splitters: put in, taken out, moved, described and built again."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from jaxscope.ui.panes.arrangement import PaneSpec, Split
from jaxscope.ui.panes.ribbon import HANDLE_PX, RIBBON_PX, RibbonSetting, RibbonSplitter
from jaxscope.ui.panes.stage_pane import StagePane

_EDGE_SHARE = 0.28
"""How much of a pane counts as its edge when another is dropped there; the middle swaps."""


class Side(enum.Enum):
    """Where a pane goes, seen from another."""

    LEFT = "left"
    RIGHT = "right"
    ABOVE = "above"
    BELOW = "below"
    PLACE = "place"

    @property
    def is_across(self) -> bool:
        return self in (Side.LEFT, Side.RIGHT)

    @property
    def is_before(self) -> bool:
        return self in (Side.LEFT, Side.ABOVE)


class PaneTree(QWidget):
    """The splitters, and the panes in them; knows nothing of what panes show."""

    def __init__(self, setting: RibbonSetting) -> None:
        super().__init__()
        self._setting = setting
        self._ribbon_px = RIBBON_PX
        self._root = self._make_splitter(is_across=True)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._root)

    def panes(self) -> list[StagePane]:
        """From the top left to the bottom right."""
        return list(_panes_in(self._root))

    def pane_at(self, place: QPoint) -> StagePane | None:
        """The pane at a place on the screen."""
        for pane in self.panes():
            if pane.isVisible() and pane.rect().contains(pane.mapFromGlobal(place)):
                return pane
        return None

    # --- changing ---

    def add_first(self, pane: StagePane) -> None:
        """Put in a pane where there is none."""
        self._root.addWidget(pane)

    def insert(self, pane: StagePane, beside: StagePane, side: Side) -> None:
        """Put in a pane to a side of another, which gives it half of its room."""
        parent = _splitter_of(beside)
        index, sizes = parent.indexOf(beside), parent.sizes()
        is_across = parent.orientation() == Qt.Orientation.Horizontal
        if is_across == side.is_across or parent.count() == 1:
            if is_across != side.is_across:
                self._turn(parent)
            parent.insertWidget(index if side.is_before else index + 1, pane)
            sizes[index : index + 1] = [sizes[index] // 2, sizes[index] - sizes[index] // 2]
            parent.setSizes(sizes)
        else:
            inner = self._make_splitter(is_across=side.is_across)
            parent.insertWidget(index, inner)
            for each in (pane, beside) if side.is_before else (beside, pane):
                inner.addWidget(each)
                each.show()
            room = inner.width() if side.is_across else inner.height()
            inner.setSizes([max(room // 2, 100)] * 2)
            parent.setSizes(sizes)
        pane.show()

    def take_out(self, pane: StagePane) -> None:
        """Take out a pane; what held only it and one more is dissolved."""
        parent = _splitter_of(pane)
        pane.setParent(None)
        if parent is self._root or parent.count() != 1:
            return
        outer, left_over = _splitter_of(parent), parent.widget(0)
        assert left_over is not None
        sizes = outer.sizes()
        outer.insertWidget(outer.indexOf(parent), left_over)
        left_over.show()
        parent.setParent(None)
        parent.deleteLater()
        outer.setSizes(sizes)

    def move_pane(self, pane: StagePane, beside: StagePane, side: Side) -> None:
        """Put a pane elsewhere, or let two swap their places."""
        if side is not Side.PLACE:
            self.take_out(pane)
            self.insert(pane, beside, side)
            return
        first, second = _splitter_of(pane), _splitter_of(beside)
        sizes = first.sizes(), second.sizes()
        at, there = first.indexOf(pane), second.indexOf(beside)
        first.insertWidget(at, beside)
        second.insertWidget(there, pane)
        for widget in (pane, beside):
            widget.show()
        first.setSizes(sizes[0])
        second.setSizes(sizes[1])

    def neighbour(self, pane: StagePane, side: Side) -> StagePane | None:
        """The nearest pane on a side."""
        here = _place_of(pane)

        def is_there(other: StagePane) -> bool:
            place = _place_of(other)
            across = place.top() <= here.bottom() and here.top() <= place.bottom()
            along = place.left() <= here.right() and here.left() <= place.right()
            return {
                Side.LEFT: across and place.right() < here.left(),
                Side.RIGHT: across and place.left() > here.right(),
                Side.ABOVE: along and place.bottom() < here.top(),
                Side.BELOW: along and place.top() > here.bottom(),
            }.get(side, False)

        def distance(other: StagePane) -> int:
            return (_place_of(other).center() - here.center()).manhattanLength()

        others = [other for other in self.panes() if other is not pane and is_there(other)]
        return min(others, key=distance, default=None)

    def show_only(self, pane: StagePane | None) -> None:
        """Hide all panes but one; None shows all."""
        for each in self.panes():
            each.setVisible(pane is None or each is pane)
        for splitter in self.findChildren(QSplitter):
            splitter.setVisible(any(not each.isHidden() for each in _panes_in(splitter)))

    def clear(self) -> None:
        """Take all panes out."""
        for pane in self.panes():
            pane.setParent(None)
        before, self._root = self._root, self._make_splitter(is_across=True)
        self._layout.replaceWidget(before, self._root)
        before.hide()
        before.deleteLater()

    # --- arrangements ---

    def build(self, arrangement: Split, make: Callable[[PaneSpec], StagePane]) -> None:
        """Open the panes of an arrangement in an empty tree."""
        if arrangement.is_across != (self._root.orientation() == Qt.Orientation.Horizontal):
            self._turn(self._root)
        self._fill(self._root, arrangement, make)

    def describe(self, specify: Callable[[StagePane], PaneSpec]) -> Split:
        """The arrangement of now."""
        return _describe(self._root, specify)

    def _fill(
        self, splitter: QSplitter, split: Split, make: Callable[[PaneSpec], StagePane]
    ) -> None:
        for part in split.parts:
            if isinstance(part, PaneSpec):
                splitter.addWidget(make(part))
            else:
                inner = self._make_splitter(is_across=part.is_across)
                splitter.addWidget(inner)
                self._fill(inner, part, make)
        total = sum(split.shares) or 1.0
        splitter.setSizes([max(round(10_000 * share / total), 1) for share in split.shares])

    # --- ribbons ---

    @property
    def shows_ribbons(self) -> bool:
        """Whether ribbons have room."""
        return self._ribbon_px == RIBBON_PX

    def set_ribbons_shown(self, is_shown: bool) -> None:
        """Make room for ribbons, or take it away."""
        self._ribbon_px = RIBBON_PX if is_shown else HANDLE_PX
        for splitter in self.findChildren(RibbonSplitter):
            splitter.set_ribbon_px(self._ribbon_px)

    def repaint_ribbons(self) -> None:
        """Draw all ribbons anew."""
        for splitter in self.findChildren(RibbonSplitter):
            for number in range(1, splitter.count()):
                splitter.handle(number).update()

    def _make_splitter(self, *, is_across: bool) -> RibbonSplitter:
        orientation = Qt.Orientation.Horizontal if is_across else Qt.Orientation.Vertical
        return RibbonSplitter(orientation, self._setting, self._ribbon_px)

    def _turn(self, splitter: RibbonSplitter) -> None:
        is_across = splitter.orientation() == Qt.Orientation.Horizontal
        splitter.setOrientation(Qt.Orientation.Vertical if is_across else Qt.Orientation.Horizontal)
        splitter.set_ribbon_px(self._ribbon_px)


def side_at(pane: StagePane, place: QPoint) -> Side:
    """The side of a pane that a place on the screen is at; its middle is its own place."""
    local = pane.mapFromGlobal(place)
    x, y = local.x() / max(pane.width(), 1), local.y() / max(pane.height(), 1)
    nearest = min(
        (x, Side.LEFT), (1 - x, Side.RIGHT), (y, Side.ABOVE), (1 - y, Side.BELOW),
        key=lambda found: found[0],
    )  # fmt: skip
    return nearest[1] if nearest[0] < _EDGE_SHARE else Side.PLACE


def zone_of(pane: StagePane, side: Side) -> QRect:
    """The room that a pane dropped at a side would take."""
    width, height = pane.width(), pane.height()
    return {
        Side.LEFT: QRect(0, 0, width // 2, height),
        Side.RIGHT: QRect(width // 2, 0, width - width // 2, height),
        Side.ABOVE: QRect(0, 0, width, height // 2),
        Side.BELOW: QRect(0, height // 2, width, height - height // 2),
        Side.PLACE: QRect(0, 0, width, height),
    }[side]


def _panes_in(splitter: QSplitter) -> Iterator[StagePane]:
    for number in range(splitter.count()):
        widget = splitter.widget(number)
        if isinstance(widget, StagePane):
            yield widget
        elif isinstance(widget, QSplitter):
            yield from _panes_in(widget)


def _splitter_of(widget: QWidget) -> RibbonSplitter:
    parent = widget.parentWidget()
    assert isinstance(parent, RibbonSplitter)
    return parent


def _place_of(pane: StagePane) -> QRect:
    return QRect(pane.mapToGlobal(QPoint(0, 0)), pane.size())


def _describe(splitter: QSplitter, specify: Callable[[StagePane], PaneSpec]) -> Split:
    parts: list[PaneSpec | Split] = []
    for number in range(splitter.count()):
        widget = splitter.widget(number)
        if isinstance(widget, StagePane):
            parts.append(specify(widget))
        elif isinstance(widget, QSplitter):
            parts.append(_describe(widget, specify))
    shares = tuple(float(size) for size in splitter.sizes())
    return Split(splitter.orientation() == Qt.Orientation.Horizontal, tuple(parts), shares)
