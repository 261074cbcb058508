"""Draws how an array is cut: a grid of parts, coloured by the devices that hold them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from jaxscope.analysis.sharding.cut import Cut, Part, cut_to_text, name_devices
from jaxscope.analysis.tint.palette import TINT_PALETTES
from jaxscope.ui.theme import LIGHT, Theme

_MARGIN_PX = 6
_CAPTION_PX = 20
_LONGEST = 6.0
"""A side is at most so many times as long as the other, whatever the array's shape: long arrays
would be a line."""


class CutView(QWidget):
    """`device_chosen` carries the position of the first device of the part that was clicked."""

    device_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cut: Cut | None = None
        self._title = ""
        self._device = -1
        self._theme = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("How the array is cut")

    def sizeHint(self) -> QSize:
        return QSize(340, 240)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)

    def show_cut(self, title: str, cut: Cut | None) -> None:
        """Show an array; None for one of which nothing is known."""
        self._title, self._cut = title, cut
        lines = [] if cut is None else cut_to_text(cut)
        self.setAccessibleDescription("\n".join([title, *lines]))
        self.update()

    def choose_device(self, position: int) -> None:
        """Mark the part that a device holds; -1 for none."""
        self._device = position
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        self._theme = theme
        self.update()

    def part_at(self, point: QPointF) -> Part | None:
        """The part that is drawn at a place."""
        if self._cut is None:
            return None
        return next((part for part in self._cut.parts if self._box(part).contains(point)), None)

    def _frame(self) -> QRectF:
        """Where the array is drawn: as high and wide as its sides are to each other, within
        bounds."""
        room = QRectF(self.rect()).adjusted(
            _MARGIN_PX, _MARGIN_PX + _CAPTION_PX, -_MARGIN_PX, -_MARGIN_PX
        )
        if self._cut is None or room.width() <= 0 or room.height() <= 0:
            return room
        ratio = min(max(_side_ratio(self._cut), 1 / _LONGEST), _LONGEST)
        width = min(room.width(), room.height() * ratio)
        return QRectF(room.left(), room.top(), width, width / ratio)

    def _box(self, part: Part) -> QRectF:
        frame, cut = self._frame(), self._cut
        assert cut is not None  # whoever asks has a part of it
        width, height = frame.width() / cut.num_columns, frame.height() / cut.num_rows
        return QRectF(
            frame.left() + part.column * width, frame.top() + part.row * height, width, height
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.surface))
        painter.setPen(QColor(self._theme.text))
        caption = QRectF(self.rect()).adjusted(_MARGIN_PX, 2, -_MARGIN_PX, 0)
        title = self.fontMetrics().elidedText(
            self._title, Qt.TextElideMode.ElideRight, int(caption.width())
        )
        painter.drawText(caption, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, title)
        if self._cut is None:
            return
        pairs = TINT_PALETTES[self._theme.name].kinds
        for part in self._cut.parts:
            first = min(part.devices, default=0)
            fill, border = pairs[1 + first % (len(pairs) - 1)]
            self._paint_part(painter, part, fill, border)
        for part in self._cut.parts:
            if self._device in part.devices:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(self._theme.selected), 3))
                painter.drawRect(self._box(part).adjusted(1.5, 1.5, -1.5, -1.5))

    def _paint_part(self, painter: QPainter, part: Part, fill: str, border: str) -> None:
        box = self._box(part)
        painter.setPen(QPen(QColor(border), 1))
        painter.setBrush(QColor(fill))
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
        metrics = self.fontMetrics()
        if box.height() < metrics.height() or box.width() < metrics.averageCharWidth() * 2:
            return
        painter.setPen(QColor(self._theme.text))
        room = int(box.width()) - 4
        names = (name_devices(part.devices), f"{min(part.devices)} …", "")
        text = next(name for name in names if metrics.horizontalAdvance(name) <= room or not name)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        part = self.part_at(event.position())
        if part is not None and part.devices:
            self.device_chosen.emit(min(part.devices))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            part = self.part_at(QPointF(event.pos()))
            if part is not None:
                told = f"{part.text} on devices {name_devices(part.devices)}"
                QToolTip.showText(event.globalPos(), told, self)
                return True
        return super().event(event)


def _side_ratio(cut: Cut) -> float:
    """Width to height: of the columns' dimension, or the last one, to the rows'."""
    shape = cut.shape
    if not shape:
        return 1.0
    across = cut.column_dimensions or (len(shape) - 1,)
    down = cut.row_dimensions or tuple(k for k in range(len(shape)) if k not in across)[-1:]
    if down == across:
        down = ()
    width = height = 1
    for dimension in across:
        width *= max(shape[dimension], 1)
    for dimension in down:
        height *= max(shape[dimension], 1)
    return width / height
