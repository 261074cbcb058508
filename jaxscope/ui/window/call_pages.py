"""Pages about a call that every window has from the start: arguments and results, notes, printed
output.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtWidgets import (
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QTextBrowser,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from jaxscope.model import Check, Leaf, Severity
from jaxscope.model.units import format_bytes
from jaxscope.schema.safe_text import clean_text
from jaxscope.ui.session.screen import untold_messages
from jaxscope.ui.session.state import Head
from jaxscope.ui.toolkit.rich_text import escape_html
from jaxscope.ui.toolkit.theme import LIGHT, Theme, fixed_font
from jaxscope.ui.toolkit.widgets import EmptyNotice

# Arguments and results: the trees of what goes in and what comes out.


_PART = re.compile(r"\[[^\]]*\]|\.?[^.\[\]]+")
_MAX_LEAVES = 20_000
_PATH = Qt.ItemDataRole.UserRole


class ArgumentsPage(QWidget):
    """Two trees in one: every array with its type and size, sums on every branch.

    Signals:
        argument_chosen: Path of an argument that a person chose, such as `params['w']`.
    """

    argument_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head: Head | None = None
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels(["name", "type", "size"])
        self.tree.setAlternatingRowColors(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.tree.setAccessibleName("Arguments and results")
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.notice = EmptyNotice(self.tree, "Run a call to see its arguments and results.")
        self._is_told = False
        self.tree.itemSelectionChanged.connect(self._on_tree_selection_changed)
        layout = QVBoxLayout(self)
        layout.addWidget(self.tree)

    def show_head(self, head: Head | None) -> None:
        """Show a call's arguments and results."""
        if head is self._head:
            return
        self._head = head
        self.tree.clear()
        if head is None:
            return
        for title, leaves in (("arguments", head.arguments), ("results", head.results)):
            self.tree.addTopLevelItem(_build_branch(title, leaves))
        self.tree.expandToDepth(2)

    def choose(self, paths: Collection[str]) -> None:
        """Select the rows of arguments without telling anybody."""
        self._is_told = True
        self.tree.clearSelection()
        for item in self._leaves(0):
            if item.data(0, _PATH) in paths:
                item.setSelected(True)
                self.tree.scrollToItem(item)
        self._is_told = False

    def chosen(self) -> list[str]:
        """Paths of the arguments whose rows are selected."""
        return [item.data(0, _PATH) for item in self._leaves(0) if item.isSelected()]

    def _leaves(self, top: int) -> Iterator[QTreeWidgetItem]:
        root = self.tree.topLevelItem(top)
        queue = [root] if root is not None else []
        for item in queue:
            children = (item.child(i) for i in range(item.childCount()))
            queue += [child for child in children if child is not None]
            if item.data(0, _PATH):
                yield item

    def _on_tree_selection_changed(self) -> None:
        chosen = self.chosen()
        if chosen and not self._is_told:
            self.argument_chosen.emit(chosen[0])


def split_path(path: str) -> list[str]:
    """Cut a path such as `params['w'].bias` into `params`, `['w']`, `.bias`."""
    return _PART.findall(path) or [path]


def _build_branch(title: str, leaves: Sequence[Leaf]) -> QTreeWidgetItem:
    root = QTreeWidgetItem([title])
    branches: dict[tuple[str, ...], QTreeWidgetItem] = {(): root}
    sizes: dict[tuple[str, ...], int] = {(): 0}
    counts: dict[tuple[str, ...], int] = {(): 0}
    for leaf in leaves[:_MAX_LEAVES]:
        parts = tuple(split_path(leaf.path)) or (leaf.path,)
        for depth in range(1, len(parts) + 1):
            key = parts[:depth]
            if key not in branches:
                branches[key] = QTreeWidgetItem([parts[depth - 1]])
                branches[key[:-1]].addChild(branches[key])
        for depth in range(len(parts)):
            key = parts[:depth]
            sizes[key] = sizes.get(key, 0) + leaf.num_bytes
            counts[key] = counts.get(key, 0) + 1
        item = branches[parts]
        item.setData(0, _PATH, leaf.path)
        item.setText(1, f"{leaf.type} (static)" if leaf.is_static else leaf.type)
        item.setText(2, "" if leaf.is_static else format_bytes(leaf.num_bytes))
    for key, total in sizes.items():
        item = branches[key]
        if item.childCount():
            item.setText(1, f"{counts[key]:,} leaves" if counts[key] != 1 else "1 leaf")
            item.setText(2, format_bytes(total))
            item.setTextAlignment(2, Qt.AlignmentFlag.AlignLeft)
    if len(leaves) > _MAX_LEAVES:
        root.addChild(QTreeWidgetItem([f"… and {len(leaves) - _MAX_LEAVES:,} more"]))
    return root


# Checks and messages: what jaxscope noticed and what it assumed.


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


# What the user's code printed.


_MAX_LINE_CHARACTERS = 8_000
"""A longer line is broken: the text widget lays a line out as a whole."""

_WHAT = "What your code printed when it was imported, traced and run."
_NOTHING = "Nothing was printed."
_NOT_KEPT = "A saved capture does not hold what the code printed."


class OutputPage(QWidget):
    """Plain text, never interpreted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.note = QLabel(_WHAT)
        self.note.setProperty("role", "muted")
        self.note.setWordWrap(True)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setUndoRedoEnabled(False)
        self.text.setAccessibleName("Output of your code")
        self.text.setPlaceholderText(_NOTHING)
        layout = QVBoxLayout(self)
        layout.addWidget(self.note)
        layout.addWidget(self.text, 1)
        layout.addStretch(0)

    def show_output(self, output: str, *, is_kept: bool = True) -> None:
        """Show a text, by adding to what is there where it only grew.

        Args:
            output: What was printed.
            is_kept: Whether it is known: a saved capture does not hold it.
        """
        self.note.setText(_WHAT if is_kept else _NOT_KEPT)
        self.text.setVisible(is_kept)
        if output == self._shown:
            return
        bar = self.text.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        self._shown = output
        self.text.setPlainText(_break_lines(clean_text(output)))
        if at_end:
            bar.setValue(bar.maximum())

    def set_points(self, points: float) -> None:
        """Use a size of type."""
        self.text.setFont(fixed_font(points))


def _break_lines(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        pieces = range(0, max(len(line), 1), _MAX_LINE_CHARACTERS)
        lines += [line[start : start + _MAX_LINE_CHARACTERS] for start in pieces]
    return "\n".join(lines)
