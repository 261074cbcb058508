"""A canvas that marks differing nodes by outline, sign and dash, and the legend of the marks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from jaxscope.model import Graph
from jaxscope.picture.tint.diff_marks import (
    BADGE_ABOVE_PX,
    STYLES,
    ItemMarks,
    MarkStyle,
    mark_items,
)
from jaxscope.program.diff.changes import Change
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.scene_painter import graph_font
from jaxscope.ui.toolkit.language import tr, tr_list, tr_said

_SIGN_SCALE = 0.3
"""From this scale on there is room for signs; below it the outlines remain."""
_OUTLINE_PX = 2.6
_GAP_PX = 3.0
_BADGE_PX = 17.0


def color_of(style: MarkStyle, theme: str) -> QColor:
    """The colour of a mark in a theme."""
    return QColor(style.dark if theme == "dark" else style.light)


def pen_of(style: MarkStyle, theme: str) -> QPen:
    """The outline of a mark."""
    pen = QPen(color_of(style, theme), _OUTLINE_PX)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)  # the square one fills the gaps between dashes
    if style.dash:
        pen.setDashPattern([length / _OUTLINE_PX for length in style.dash])
    return pen


class ComparedCanvas(GraphCanvas):
    """One side of a comparison: the graph with marks on the boxes that differ."""

    def __init__(self, parent: QWidget | None = None, *, theme: str = "light") -> None:
        super().__init__(parent, theme=theme)
        self._changes: npt.NDArray[np.int8] | None = None
        self._item_marks: ItemMarks | None = None
        self._shown_graph: Graph | None = None
        self.scene_changed.connect(self._on_scene_changed)

    @property
    def item_marks(self) -> ItemMarks | None:
        """What is marked in the picture, or None where marks are off or no picture is there."""
        return self._item_marks

    @property
    def shown_graph(self) -> Graph | None:
        """The graph that is shown or being laid out."""
        return self._shown_graph

    def show_graph(self, graph: Graph, title: str) -> None:
        """Show another graph."""
        self._shown_graph = graph
        self.set_graph(graph, title)

    def set_changes(self, changes: npt.NDArray[np.int8] | None) -> None:
        """Mark nodes by `Change` codes; None shows the plain graph."""
        self._changes = changes
        self._on_scene_changed()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._item_marks is not None and self.scene is not None:
            painter = QPainter(self)
            self._paint_marks(painter, self._item_marks)
            painter.end()

    def describe(self, item: int) -> str:
        """The label of an item, and what became of it."""
        text = super().describe(item)
        marks = self._item_marks
        if marks is not None:
            found = np.flatnonzero(marks.items == item)
            if len(found):
                text = f"<p><b>{tr_said(marks.describe(int(found[0])))}</b></p>{text}"
        return text

    def _on_scene_changed(self) -> None:
        scene, changes, graph = self.scene, self._changes, self._shown_graph
        self._item_marks = None
        if (
            scene is not None
            and changes is not None
            and graph is not None
            and len(changes) == len(scene.item_of_node) == len(graph.nodes)
        ):
            self._item_marks = mark_items(scene, changes, graph)
        self.update()

    def _paint_marks(self, painter: QPainter, marks: ItemMarks) -> None:
        scene, camera = self.scene, self.camera
        if scene is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, camera.scale >= _SIGN_SCALE)
        rects = scene.items.rect[marks.items] * camera.scale
        rects[:, 0] -= camera.x * camera.scale + _GAP_PX
        rects[:, 1] -= camera.y * camera.scale + _GAP_PX
        rects[:, 2:] += 2 * _GAP_PX
        seen = (
            (rects[:, 0] < self.width())
            & (rects[:, 1] < self.height())
            & (rects[:, 0] + rects[:, 2] > 0)
            & (rects[:, 1] + rects[:, 3] > 0)
        )
        for index in np.flatnonzero(seen).tolist():
            style = STYLES[Change(int(marks.changes[index]))]
            rect = QRectF(*rects[index].tolist())
            painter.setPen(pen_of(style, self._theme))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect, 6, 6)
            if camera.scale >= _SIGN_SCALE:
                count = int(marks.counts[index])
                text = style.sign + (str(count) if count > 1 else "")
                corner = rect.topLeft() - QPointF(0.0, BADGE_ABOVE_PX)
                paint_badge(painter, corner, text, color_of(style, self._theme), self._theme)


def paint_badge(painter: QPainter, at: QPointF, text: str, color: QColor, theme: str) -> None:
    """A sign in a pill over the corner of a box."""
    width = 9 + 7.5 * len(text)
    pill = QRectF(at.x() - 7, at.y() - 8, width, _BADGE_PX)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(pill, _BADGE_PX / 2, _BADGE_PX / 2)
    painter.setPen(QColor("#10131a" if theme == "dark" else "#ffffff"))
    painter.setFont(graph_font(13, True))
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)


class MarkLegend(QWidget):
    """What the marks mean, in one row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.set_theme("light")
        self.setToolTip(tr("A number counts the nodes that differ inside of a closed box."))

    def set_theme(self, theme: str) -> None:
        """Use the palette `light` or `dark`."""
        self._theme = theme
        names = [f"{style.sign} {tr(style.name)}" for style in STYLES.values()]
        self.setAccessibleName(tr("Legend: {names}", names=tr_list(names)))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = sum(self._entry_px(style) for style in STYLES.values())
        return QSize(width, max(self.fontMetrics().height(), 22) + 6)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _entry_px(self, style: MarkStyle) -> int:
        return 56 + self.fontMetrics().horizontalAdvance(tr(style.name))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x, middle = 8.0, self.height() / 2
        for style in STYLES.values():
            box = QRectF(x, middle - 5, 26, 13)
            painter.setPen(pen_of(style, self._theme))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 4, 4)
            paint_badge(
                painter, box.topLeft(), style.sign, color_of(style, self._theme), self._theme
            )
            painter.setFont(self.font())
            painter.setPen(self.palette().text().color())
            width = self._entry_px(style)
            area = QRectF(x + 32, 0, width, self.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, tr(style.name))
            x += width
        painter.end()
