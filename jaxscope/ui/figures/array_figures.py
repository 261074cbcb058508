"""Small pictures of an array: its elements as a line or as a heat map, and their histogram."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from jaxscope.model.values import ArrayView
from jaxscope.ui.toolkit.language import tr, tr_list
from jaxscope.ui.toolkit.theme import LIGHT, Theme

_MARGIN_PX = 6
_LEAST_PX = 90
_LEAST_PICTURE_PX = 20
"""What is said below a picture is in one line where two would leave it less."""


class _Figure(QWidget):
    """Draws a view; what it shows is said below it, and to screen readers."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._view: ArrayView | None = None
        self._theme = LIGHT
        self.setAccessibleName(name)
        self.setMinimumSize(_LEAST_PX, _LEAST_PX // 2)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_view(self, view: ArrayView | None) -> None:
        """Draw another array; None for nothing."""
        self._view = view
        self.setAccessibleDescription(self.describe())
        self.setToolTip(self.describe())
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(2 * _LEAST_PX, _LEAST_PX)

    def describe(self) -> str:
        """What is drawn, in a sentence."""
        return ""

    def draw(self, painter: QPainter, room: QRectF, view: ArrayView) -> None:
        """Draw into a rectangle."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.surface))
        view, height = self._view, self.fontMetrics().height()
        if view is None or view.problem or view.picture.size < 2:
            return  # one number is its own picture
        room = QRectF(self.rect()).adjusted(_MARGIN_PX, _MARGIN_PX, -_MARGIN_PX, -_MARGIN_PX)
        text, flags = self.describe(), int(Qt.TextFlag.TextWordWrap)
        needed = QFontMetricsF(self.font()).boundingRect(room, flags, text).height()
        if needed > max(room.height() - _LEAST_PICTURE_PX, height + 1):
            text = self.fontMetrics().elidedText(
                text, Qt.TextElideMode.ElideRight, int(room.width())
            )
            needed = height
        words = QRectF(room.left(), room.bottom() - needed, room.width(), needed)
        self.draw(painter, room.adjusted(0, 0, 0, -needed - 2), view)
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(words, flags, text)


class ArrayPicture(_Figure):
    """A line of one dimension, a heat map of two; NaN and Inf in colours of their own."""

    def __init__(self) -> None:
        super().__init__(tr("Picture of the array"))

    def describe(self) -> str:
        view = self._view
        if view is None or view.summary is None:
            return ""
        low, high = view.summary.min, view.summary.max
        known = (
            tr("no finite element")
            if math.isnan(low)
            else tr("{low:.4g} to {high:.4g}", low=low, high=high)
        )
        what = tr("each cell is a mean") if view.picture.shape != _shown_shape(view) else ""
        if view.highest.size:
            what = "" if view.picture.size == _shown_shape(view)[1] else tr("lowest and highest")
        sampled = (
            tr("one of {sampled:,} is drawn", sampled=view.sampled) if view.sampled > 1 else ""
        )
        kinds = ((1, tr("NaN red")), (2, tr("Inf yellow")))
        odd = tr_list(told for kind, told in kinds if (view.odd == kind).any())
        signs = tr("blue above 0, orange below") if low < 0 < high and not view.highest.size else ""
        return " · ".join(filter(None, (known, signs, odd, what, sampled)))

    def draw(self, painter: QPainter, room: QRectF, view: ArrayView) -> None:
        if not view.picture.size:
            return
        if view.highest.size:
            self._draw_line(painter, room, view)
        else:
            self._draw_map(painter, room, view)

    def _draw_map(self, painter: QPainter, room: QRectF, view: ArrayView) -> None:
        rows, columns = view.picture.shape
        colours = np.empty((rows, columns, 3), np.uint8)
        ground = _rgb(self._theme.surface)
        largest = float(np.nanmax(np.abs(view.picture), initial=0.0)) or 1.0
        share = np.nan_to_num(np.clip(np.abs(view.picture) / largest, 0.0, 1.0))[..., None]
        ends = np.where(
            (np.nan_to_num(view.picture) < 0)[..., None],
            _rgb(self._theme.backward),
            _rgb(self._theme.forward),
        )
        colours[:] = (ground + (ends - ground) * share).astype(np.uint8)
        colours[view.odd == 1] = _rgb(self._theme.error)
        colours[view.odd == 2] = _rgb(self._theme.warning)
        data = np.ascontiguousarray(colours)
        image = QImage(data.tobytes(), columns, rows, 3 * columns, QImage.Format.Format_RGB888)
        scale = min(room.width() / columns, room.height() / rows)
        # Cells stay squares, unless they would be lines.
        width = min(room.width(), max(columns * scale, room.width() / 3))
        height = min(room.height(), max(rows * scale, room.height() / 3))
        place = QRectF(room.left(), room.top(), width, height)
        painter.drawImage(place, image)
        painter.setPen(QColor(self._theme.border))
        painter.drawRect(place)

    def _draw_line(self, painter: QPainter, room: QRectF, view: ArrayView) -> None:
        low, high, odd = view.picture[0], view.highest[0], view.odd[0]
        bottom = float(np.nanmin(low, initial=math.inf))
        top = float(np.nanmax(high, initial=-math.inf))
        if not math.isfinite(top - bottom):
            bottom, top = (0.0, 1.0) if bottom > top else (-1.0, 1.0)
        span = (top - bottom) or 1.0
        step = room.width() / max(len(low), 1)
        lefts = room.left() + step * np.arange(len(low))

        def place(values: object) -> list[float]:
            shares = (np.asarray(values) - bottom) / span
            heights: list[float] = (room.bottom() - np.clip(shares, 0, 1) * room.height()).tolist()
            return heights

        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if bottom < 0 < top:
            painter.setPen(QColor(self._theme.border))
            zero = place([0.0])[0]
            painter.drawLine(QPointF(room.left(), zero), QPointF(room.right(), zero))
        painter.setPen(QColor(self._theme.forward))
        lows, highs = place(low), place(high)
        line = QPolygonF()
        for left, y, upper, kind in zip(lefts.tolist(), lows, highs, odd.tolist(), strict=True):
            x = left + step / 2
            if kind:
                painter.fillRect(
                    QRectF(left, room.top(), max(step, 1.5), room.height()),
                    QColor(self._theme.error if kind == 1 else self._theme.warning),
                )
            if math.isnan(y):
                painter.drawPolyline(line)
                line = QPolygonF()
            else:
                line.append(QPointF(x, upper))
                if upper != y:
                    line.append(QPointF(x, y))
        painter.drawPolyline(line)
        if line.size() == 1:
            painter.drawEllipse(line.at(0), 2.0, 2.0)


class HistogramBars(_Figure):
    """How often which values occur."""

    def __init__(self) -> None:
        super().__init__(tr("Histogram"))

    def describe(self) -> str:
        view = self._view
        if view is None or not view.counts.size:
            return (
                "" if view is None else tr("no histogram: nothing is finite, or the range is not")
            )
        most = int(view.counts.max())
        return tr(
            "{low:.4g} to {high:.4g}, at most {most:,} in a bin",
            low=view.edges[0],
            high=view.edges[-1],
            most=most,
        )

    def draw(self, painter: QPainter, room: QRectF, view: ArrayView) -> None:
        if not view.counts.size:
            return
        most, step = int(view.counts.max()) or 1, room.width() / view.counts.size
        colour = QColor(self._theme.forward)
        for number, count in enumerate(view.counts.tolist()):
            if count:
                height = max(room.height() * count / most, 1.0)
                left = room.left() + number * step
                bar = QRectF(left, room.bottom() - height, max(step - 1.0, 1.0), height)
                painter.fillRect(bar, colour)
        painter.setPen(QColor(self._theme.border))
        painter.drawLine(room.bottomLeft(), room.bottomRight())


def _shown_shape(view: ArrayView) -> tuple[int, int]:
    """Rows and columns of a slice as it is drawn."""
    shape = view.shape
    if len(shape) == 2:
        return shape[0], shape[1]
    return 1, shape[0] if shape else 1


def _rgb(colour: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    found = QColor(colour)
    return np.array([found.red(), found.green(), found.blue()], np.float64)
