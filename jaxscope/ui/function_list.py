"""The functions of the file, and under each the calls that the file offers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from jaxscope.ui.state import OfferedFunction

_CALL_ROLE = Qt.ItemDataRole.UserRole
_FUNCTION_ROLE = Qt.ItemDataRole.UserRole + 1


class FunctionList(QFrame):
    """`call_chosen` carries an offered call; `function_chosen` a function that offers none."""

    call_chosen = Signal(str)
    function_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._functions: Sequence[OfferedFunction] = ()
        self._marked = ""
        title = QLabel("Functions")
        title.setProperty("role", "label")
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName("Functions of the file and the calls it offers")
        self.tree.setIndentation(14)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.tree.itemClicked.connect(self._on_tree_item_chosen)
        self.tree.itemActivated.connect(self._on_tree_item_chosen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 9, 6, 6)
        layout.setSpacing(4)
        layout.addWidget(title)
        layout.addWidget(self.tree, 1)

    def show_functions(self, functions: Sequence[OfferedFunction], call: str = "") -> None:
        """Show these functions, and mark the call among theirs that is shown now."""
        if tuple(functions) != tuple(self._functions):
            self._functions = tuple(functions)
            self._marked = ""
            self._fill(functions)
        self._mark(call)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._keep_in_view)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:  # rows get another height with the theme
            QTimer.singleShot(0, self, self._keep_in_view)

    def _keep_in_view(self) -> None:
        marked = self.tree.selectedItems()
        if marked:
            self.tree.scrollToItem(marked[0])

    def _fill(self, functions: Sequence[OfferedFunction]) -> None:
        self.tree.clear()
        for function in functions:
            item = QTreeWidgetItem([function.name or "calls"])
            item.setData(0, _FUNCTION_ROLE, function.name)
            tip = [f"{function.name}{function.signature}", function.doc]
            if not function.calls:
                tip.append("Click: jaxscope looks for arguments that it takes.")
            item.setToolTip(0, "\n".join(part for part in tip if part)[:600])
            self.tree.addTopLevelItem(item)
            for call in function.calls:
                child = QTreeWidgetItem([call])
                child.setData(0, _CALL_ROLE, call)
                child.setToolTip(0, call)
                item.addChild(child)
            item.setExpanded(True)

    def _mark(self, call: str) -> None:
        """Mark the call that is shown now, or none; once, so that arrow keys can walk on."""
        if call == self._marked:
            return
        self._marked = call
        tops = [self.tree.topLevelItem(row) for row in range(self.tree.topLevelItemCount())]
        items = [top.child(row) for top in tops if top for row in range(top.childCount())]
        found = next((item for item in items if item and item.data(0, _CALL_ROLE) == call), None)
        if found is not None:
            self.tree.setCurrentItem(found)
        else:
            self.tree.clearSelection()

    def _on_tree_item_chosen(self, item: QTreeWidgetItem, _column: int) -> None:
        call = item.data(0, _CALL_ROLE)
        if call:
            self.call_chosen.emit(call)
        elif (first := item.child(0)) is not None:
            self.call_chosen.emit(first.data(0, _CALL_ROLE))
        elif item.data(0, _FUNCTION_ROLE):
            self.function_chosen.emit(item.data(0, _FUNCTION_ROLE))
