"""The side panel that tells all about the selected thing."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import unquote

from PySide6.QtCore import QMimeData, QUrl, Signal
from PySide6.QtWidgets import QFrame, QLabel, QTextBrowser, QVBoxLayout, QWidget

from jaxscope.ui.inspection import describe_nothing
from jaxscope.ui.plain import SOFT_BREAK


class _Page(QTextBrowser):
    """A page whose soft breaks are not copied."""

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        text = self.textCursor().selection().toPlainText()
        data.setText(text.replace(SOFT_BREAK, ""))
        return data


class Inspector(QFrame):
    """Shows prepared HTML; its links become signals that ask for a node, a line or a pass.

    Attributes:
        additions: What pages have to say of what is selected, as HTML or nothing.
    """

    node_requested = Signal(str, int)
    line_requested = Signal(str, int)
    pass_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.additions: list[Callable[[], str]] = []
        self.setProperty("role", "card")
        title = QLabel("Selected")
        title.setProperty("role", "label")
        self.page = _Page()
        self.page.setOpenLinks(False)
        self.page.document().setDocumentMargin(0)
        self.page.setAccessibleName("Selected thing in full")
        self.page.anchorClicked.connect(self._on_page_anchor_clicked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 9, 6, 6)
        layout.setSpacing(6)
        layout.addWidget(title)
        layout.addWidget(self.page, 1)
        self.show_html(describe_nothing())

    def show_html(self, text: str) -> None:
        """Show a description, and what pages add to it."""
        self.page.setHtml(text + "".join(tell() for tell in self.additions))

    def _on_page_anchor_clicked(self, url: QUrl) -> None:
        # Qt decodes a whole address only in part, and warns where it is asked for all of it.
        kind, _, rest = unquote(bytes(url.toEncoded().data()).decode()).partition(":")
        if kind == "node":
            stage, _, number = rest.rpartition(":")
            if number.isdigit():
                self.node_requested.emit(stage, int(number))
        elif kind == "pass":
            if rest.isdigit():
                self.pass_requested.emit(int(rest))
        elif kind == "line":
            number, _, file = rest.partition(":")
            if number.isdigit():
                self.line_requested.emit(file, int(number))
