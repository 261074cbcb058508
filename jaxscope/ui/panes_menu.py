"""The menu of panes: opened, moved, named, seen alone; and where they were at the last start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QInputDialog, QMenu

from jaxscope.ui.panes.arrangement import format_arrangement, parse_arrangement
from jaxscope.ui.panes.pane_tree import Side
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.panes.twins import Twins
from jaxscope.ui.settings import Settings

if TYPE_CHECKING:
    from jaxscope.ui.window import MainWindow

_MAX_NAME_CHARACTERS = 60
_ITEMS = (
    ("Split to the right", "Ctrl+Alt+R", "split_right"),
    ("Split below", "Ctrl+Alt+B", "split_below"),
    ("", "", ""),
    ("Move to the left", "Ctrl+Alt+Left", "move_left"),
    ("Move to the right", "Ctrl+Alt+Right", "move_right"),
    ("Move up", "Ctrl+Alt+Up", "move_up"),
    ("Move down", "Ctrl+Alt+Down", "move_down"),
    ("", "", ""),
    ("Name this pane …", "F2", "name_pane"),
    ("This pane alone, or all again", "Ctrl+Alt+A", "show_alone"),
    ("Fold all blocks of its text", "Ctrl+Alt+-", "fold_all"),
    ("Unfold all blocks of its text", "Ctrl+Alt++", "unfold_all"),
    ("Close this pane", "", "close_pane"),
)


def add_panes_menu(window: MainWindow, settings: Settings) -> PanesMenu:
    """Put the menu into the window's bar, before the menu of graphs, and lay panes out as they
    were when the window was last closed.
    """
    menu = PanesMenu(window, settings)
    actions = window.menuBar().actions()
    before = next((a for a in actions if a.text() in ("Go", "Graph", "Help")), None)
    if before is None:
        window.menuBar().addMenu(menu)
    else:
        window.menuBar().insertMenu(before, menu)
    menu.restore()
    window.workspace.selection.cleared.connect(window.workspace.area.leave_current)
    Twins(window.workspace)
    return menu


class PanesMenu(QMenu):
    """Its methods are its items; they work on the active pane."""

    def __init__(self, window: MainWindow, settings: Settings) -> None:
        super().__init__("Panes", window)
        self._window, self._settings = window, settings
        self._area = window.workspace.area
        for text, keys, slot in _ITEMS:
            if not text:
                self.addSeparator()
                continue
            action = QAction(text, self)
            action.setShortcut(QKeySequence(keys))
            action.triggered.connect(getattr(self, slot))
            self.addAction(action)
        self.addSeparator()
        self.ribbons = QAction("Ribbons between panes", self, checkable=True)
        self.ribbons.setChecked(settings.shows_ribbons)
        self.ribbons.toggled.connect(self._on_ribbons_toggled)
        self.addAction(self.ribbons)
        reset = QAction("Lay panes out as at first", self)
        reset.triggered.connect(self.reset)
        self.addAction(reset)
        self._area.menu_requested.connect(self._on_area_menu_requested)
        window.installEventFilter(self)

    # --- remembering ---

    def restore(self) -> None:
        """Lay panes out as they were; where nothing sound is remembered, they stay."""
        self._area.set_ribbons_shown(self._settings.shows_ribbons)
        arrangement = parse_arrangement(self._settings.arrangement)
        if arrangement is not None:
            self._area.arrange(arrangement)

    def remember(self) -> None:
        """Keep how panes are laid out for the next start."""
        self._settings.set_arrangement(format_arrangement(self._area.arrangement()))

    def reset(self) -> None:
        """Lay panes out as in a new window."""
        self._settings.set_arrangement("")
        self._area.arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Close:
            self.remember()
        return super().eventFilter(watched, event)

    # --- the active pane ---

    def split_right(self) -> None:
        """Open another pane to the right of the active one."""
        self._split(Side.RIGHT)

    def split_below(self) -> None:
        """Open another pane below the active one."""
        self._split(Side.BELOW)

    def move_left(self) -> None:
        """Swap the active pane with its left neighbour."""
        self._area.move_active(Side.LEFT)

    def move_right(self) -> None:
        """Swap the active pane with its right neighbour."""
        self._area.move_active(Side.RIGHT)

    def move_up(self) -> None:
        """Swap the active pane with the one above."""
        self._area.move_active(Side.ABOVE)

    def move_down(self) -> None:
        """Swap the active pane with the one below."""
        self._area.move_active(Side.BELOW)

    def show_alone(self) -> None:
        """Let the active pane have all the room, or give it back."""
        self._area.show_alone()

    def close_pane(self) -> None:
        """Close the active pane."""
        if self._area.active is not None:
            self._area.close_pane(self._area.active)

    def fold_all(self) -> None:
        """Fold every block of the active pane's text."""
        if self._area.active is not None:
            self._area.active.code.fold_all()

    def unfold_all(self) -> None:
        """Show every line of the active pane's text."""
        if self._area.active is not None:
            self._area.active.code.unfold_all()

    def name_pane(self) -> None:
        """Ask for the active pane's name."""
        pane = self._area.active
        if pane is None:
            return
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle("Name this pane")
        dialog.setLabelText("Name, or nothing:")
        dialog.setTextValue(pane.header.name)
        dialog.textValueSelected.connect(self._on_name_selected)
        dialog.open()

    def _on_name_selected(self, name: str) -> None:
        if self._area.active is not None:
            self._area.active.header.set_name(" ".join(name.split())[:_MAX_NAME_CHARACTERS])

    def _split(self, side: Side) -> None:
        pane = self._area.active
        if pane is None:
            return
        if self._area.open_pane(self._area.wanted_stage(pane), after=pane, side=side) is None:
            self._window.statusBar().showMessage("There are as many panes as can be used.", 6_000)

    def _on_ribbons_toggled(self, is_on: bool) -> None:
        self._settings.set_shows_ribbons(is_on)
        self._area.set_ribbons_shown(is_on)

    def _on_area_menu_requested(self, _pane: StagePane, place: QPoint) -> None:
        self.popup(place)
