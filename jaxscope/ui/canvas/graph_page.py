"""A canvas with its legend, minimap and notes, each in a place of its own.

The choice of what colours tell belongs to it as well; its pane shows that in the row above.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from jaxscope.picture.scene.first_picture import OVERVIEW_PX
from jaxscope.picture.tint.classes import ColourBy
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.widgets import ChoiceBox

_LEAST_HEIGHT_PX = 160
"""In a lower page the picture gets all the room."""


class GraphPage(QWidget):
    """Gives each its own place: nothing ever lies over the picture."""

    def __init__(self, canvas: GraphCanvas, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canvas = canvas
        for part in (canvas, canvas.minimap, canvas.legend):
            part.setParent(self)
        canvas.set_page(self)
        canvas.show()
        self._is_bare = False
        self.colours = self._make_chooser()
        self._notes = QLabel(self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._notes.setContentsMargins(8, 4, 8, 4)
        # Asked for while a picture is painted or a size is changed, when nothing may move.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._arrange)
        canvas.extras_changed.connect(self._later.start)
        canvas.minimap.need_changed.connect(self._later.start)
        canvas.legend.toggled.connect(self._later.start)
        canvas.legend.height_changed.connect(self._later.start)
        canvas.colours_changed.connect(self._on_canvas_colours_changed)

    def focusInEvent(self, event: QFocusEvent) -> None:
        # Not a proxy: Qt's Tab key would stop at both, and go round without the rest.
        self.canvas.setFocus(event.reason())

    def _make_chooser(self) -> ChoiceBox:
        chooser = ChoiceBox()
        chooser.setProperty("role", "compact")
        chooser.setAccessibleName(tr("What the colours of boxes tell"))
        chooser.setToolTip(tr("Colour the boxes by this"))
        for by in ColourBy:
            chooser.addItem(tr("by {value}", value=tr(by.value)), by)
        chooser.activated.connect(self._on_colours_activated)
        return chooser

    def set_bare(self, *, is_bare: bool) -> None:
        """Leave the page to the picture, its legend and the overview of what is out of sight."""
        self._is_bare = is_bare
        self._arrange()

    def _on_colours_activated(self, index: int) -> None:
        self.canvas.set_colour_by(self.colours.itemData(index))

    def _on_canvas_colours_changed(self, by: object) -> None:
        self.colours.setCurrentIndex(list(ColourBy).index(ColourBy(by)))
        self._later.start()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        canvas, minimap, legend = self.canvas, self.canvas.minimap, self.canvas.legend
        width, height = self.width(), self.height()
        has_scene = canvas.scene is not None and bool(len(canvas.scene.items))
        has_overview = has_scene and height >= _LEAST_HEIGHT_PX and canvas.minimap.is_needed
        has_room = has_scene and height >= _LEAST_HEIGHT_PX
        legend.set_page_height(height)
        under = min(legend.heightForWidth(width), height // 3) if has_room else 0
        legend.setGeometry(0, height - under, width, under)
        legend.setVisible(bool(under))
        height -= under
        has_notes = has_room and not self._is_bare
        noted = self._note_height(width, height) if has_notes else 0
        self._notes.setGeometry(0, height - noted, width, noted)
        self._notes.setVisible(bool(noted))
        height -= noted
        thickness = OVERVIEW_PX if has_overview else 0
        minimap.setVisible(has_overview)
        minimap.set_page(width, height)
        if minimap.is_beside:
            minimap.setGeometry(width - thickness, 0, thickness, height)
            canvas.setGeometry(0, 0, width - thickness, height)
        else:
            minimap.setGeometry(0, height - thickness, width, thickness)
            canvas.setGeometry(0, 0, width, height - thickness)

    def _note_height(self, width: int, height: int) -> int:
        """Room for what the picture has to say of how it came about."""
        scene = self.canvas.scene
        notes = scene.notes if scene is not None else ()
        self._notes.setText("\n".join(notes))
        return min(self._notes.heightForWidth(width), height // 4) if notes else 0
