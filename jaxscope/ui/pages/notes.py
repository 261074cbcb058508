"""Checks and messages: what jaxscope noticed and what it assumed."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtCore import QUrl, Signal
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout, QWidget

from jaxscope.model import Check, Severity
from jaxscope.ui.plain import escape_html
from jaxscope.ui.screen import untold_messages
from jaxscope.ui.theme import LIGHT, Theme


class NotesPage(QWidget):
    """`line_requested` carries file and line of a finding."""

    line_requested = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = LIGHT
        self._checks: Sequence[Check] = ()
        self._messages: Sequence[str] = ()
        self.page = QTextBrowser()
        self.page.setOpenLinks(False)
        self.page.setAccessibleName("Checks and messages")
        self.page.anchorClicked.connect(self._on_page_anchor_clicked)
        layout = QVBoxLayout(self)
        layout.addWidget(self.page)
        self._render()

    def show_notes(self, checks: Sequence[Check], messages: Sequence[str]) -> None:
        """Show findings, errors first, and sentences."""
        if checks is not self._checks or messages is not self._messages:
            self._checks, self._messages = checks, messages
            self._render()

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        self._theme = theme
        self._render()

    def _render(self) -> None:
        parts = [self._check_html(check) for check in self._checks]
        if messages := untold_messages(self._checks, self._messages):
            items = "".join(f"<li>{escape_html(message)}</li>" for message in messages)
            parts.append(f"<h3>Messages</h3><ul>{items}</ul>")
        self.page.setHtml("".join(parts) or "<p>Nothing to report on this call.</p>")

    def _check_html(self, check: Check) -> str:
        theme = self._theme
        colour = {
            Severity.ERROR: theme.error,
            Severity.WARNING: theme.warning,
            Severity.INFO: theme.accent,
        }[check.severity]
        place = ""
        if check.file and check.line:
            name = escape_html(os.path.basename(check.file))
            place = (
                f" — <a href='line:{check.line}:{escape_html(check.file)}'>{name}:{check.line}</a>"
            )
        remedy = f"<br>{escape_html(check.remedy)}" if check.remedy else ""
        return (
            f"<p><b style='color:{colour}'>{check.severity.value}</b> "
            f"{escape_html(check.message)}{place}{remedy}<br>"
            f"<span style='color:{theme.muted}'>{escape_html(check.rule)}</span></p>"
        )

    def _on_page_anchor_clicked(self, url: QUrl) -> None:
        text = url.toString(QUrl.ComponentFormattingOption.FullyDecoded)
        _, _, rest = text.partition(":")
        number, _, file = rest.partition(":")
        if number.isdigit():
            self.line_requested.emit(file, int(number))
