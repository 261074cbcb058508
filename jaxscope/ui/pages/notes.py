"""The page *Notes*: what jaxscope noticed, and what it assumed."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from PySide6.QtCore import QSizeF, QUrl
from PySide6.QtWidgets import QTextBrowser, QVBoxLayout

from jaxscope.model import Check, Severity
from jaxscope.ui.session.screen import describe_no_notes, untold_messages
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import renew, tr, tr_said
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.widgets import escape_html, escape_marked, fill_box
from jaxscope.ui.window.page_context import PageContext, PageWidget

_BORDER_PX = 2
"""What the drawer's own border takes."""


class NotesPage(PageWidget):
    """Findings, errors first, and sentences; a click on a place leads to the line."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._theme = context.themes.theme
        self._checks: Sequence[Check] = ()
        self._messages: Sequence[str] = ()
        self._nothing = ""
        self.page = QTextBrowser(openLinks=False)
        self.page.setAccessibleName(tr("Checks and messages"))
        self.page.anchorClicked.connect(self._on_page_anchor_clicked)
        self.page.setMinimumHeight(1)  # else Qt wants room for several lines
        self._box = fill_box(QVBoxLayout(self), self.page)
        self.page.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)

    def show_state(self, state: WindowState) -> None:
        nothing = describe_no_notes(state)
        is_same = state.checks is self._checks and state.messages is self._messages
        if not is_same or nothing != self._nothing:
            self._checks, self._messages, self._nothing = state.checks, state.messages, nothing
            self._render()

    def renew_texts(self) -> None:
        self._nothing = renew(self._nothing)
        self._render()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._render()

    def _render(self) -> None:
        parts = [self._check_html(check) for check in self._checks]
        if messages := untold_messages(self._checks, self._messages):
            items = "".join(f"<li>{escape_marked(tr_said(message))}</li>" for message in messages)
            parts.append(tr("<h3>Messages</h3><ul>{items}</ul>", items=items))
        self.page.setHtml("".join(parts) or f"<p>{escape_html(self._nothing)}</p>")

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
        remedy = f"<br>{escape_marked(tr_said(check.remedy))}" if check.remedy else ""
        return (
            f"<p><b style='color:{colour}'>{tr(check.severity.value)}</b> "
            f"{escape_marked(tr_said(check.message))}{place}{remedy}<br>"
            f"<span style='color:{theme.muted}'>{escape_html(check.rule)}</span></p>"
        )

    def _on_size_changed(self, size: QSizeF) -> None:
        """The drawer takes no more height from the views than there are lines."""
        margins = self._box.contentsMargins()
        around = margins.top() + margins.bottom() + 2 * self.page.frameWidth() + _BORDER_PX
        self.setMaximumHeight(math.ceil(size.height()) + around)

    def _on_page_anchor_clicked(self, url: QUrl) -> None:
        text = url.toString(QUrl.ComponentFormattingOption.FullyDecoded)
        _, _, rest = text.partition(":")
        number, _, file = rest.partition(":")
        if number.isdigit():
            self._context.show_present_line(file, int(number))


make_page = NotesPage
