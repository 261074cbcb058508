"""The page without a file: the path of samples, recent files, captures of windows that did not
close.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from jaxscope.marks import show_marks
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.widgets import fill_box, make_label
from jaxscope.ui.window.sample_path import PATH, PathStep, find_picture
from jaxscope.ui.window.text_lesson import read_lesson_shown

_SIDE_PX, _GAP_PX = 36, 8
_CARD_PX = 280
"""The least width of a card: its picture and three or four words a line."""
_MOST_COLUMNS = 5
_WIDEST_PX = 1_760
"""Cards of more are empty, and five of them are what the eye takes in."""
_PICTURE_SIZE = QSize(128, 96)
_MAX_RECENT = 4
"""More would push the samples out of sight."""


class SampleCard(QPushButton):
    """One sample: its graph, and what its lesson is about, in as many lines as that takes.

    Signals:
        left: An arrow key leads to what is above, -1, or below, 1.
    """

    left = Signal(int)

    def __init__(self, path: Path) -> None:
        super().__init__()
        lesson = read_lesson_shown(path)
        self._path = path
        self._picture = QLabel(scaledContents=True)
        self._picture.setFixedSize(_PICTURE_SIZE)
        name, summary = make_label(lesson.title, "heading"), make_label(lesson.summary, "muted")
        text = QVBoxLayout()
        text.setSpacing(1)
        for label in (name, summary):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            text.addWidget(label)
        text.addStretch()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 8, 10, 8)
        layout.setSpacing(10)
        layout.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(text, 1)
        for label in (self._picture, name, summary):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setProperty("path", str(path))
        self.setProperty("role", "sample")
        self.setAccessibleName(path.stem)
        self.setAccessibleDescription(lesson.summary)
        # Not at least as high as it wishes: that is its height in the narrowest of columns.
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_picture(self, theme: str) -> None:
        """Show the graph in a theme's colours."""
        picture = find_picture(self._path, theme)
        self._picture.setVisible(picture is not None)
        if picture is not None:
            self._picture.setPixmap(QPixmap(str(picture)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.left.emit(1 if event.key() == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    @property
    def has_picture(self) -> bool:
        return not self._picture.pixmap().isNull()

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return super().sizeHint() if layout is None else layout.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 2 * self.fontMetrics().lineSpacing())


class _StepBox(QWidget):
    """The cards of one part of the path, in as many columns as there is room for."""

    def __init__(self, number: int, step: PathStep, cards: Sequence[SampleCard]) -> None:
        super().__init__()
        self._cards = cards
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(make_label(f"{number}  {tr(step.title)}", "heading"))
        head.addWidget(make_label(tr(step.question), "muted"))
        head.addStretch()
        self._grid = QGridLayout()
        self._grid.setSpacing(_GAP_PX)
        fill_box(QVBoxLayout(self), head, self._grid, margins=(0, 8, 0, 0), spacing=8)

    def set_columns(self, count: int, width_px: int) -> None:
        """Place the cards anew, each so wide: those of all parts stand below each other."""
        for number, card in enumerate(self._cards):
            card.setFixedWidth(width_px)
            self._grid.addWidget(card, number // count, number % count)
        self._grid.setColumnStretch(count, 1)


class StartPage(QScrollArea):
    """The samples in the order of the path, and the files that were open before.

    Signals:
        file_chosen: A path.
        open_requested: A dialog is asked for.
        paste_requested: Code is to be pasted.
        unsaved_dismissed: The path of a capture that an ended window left and nobody wants.
    """

    file_chosen = Signal(str)
    open_requested = Signal()
    paste_requested = Signal()
    unsaved_dismissed = Signal(str)

    def __init__(self, samples: Sequence[Path], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Samples and recent files"))
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what can be opened has it
        self._theme = "light"
        self._steps: list[_StepBox] = []
        self._recent_box = QVBoxLayout()
        self._recent_box.setSpacing(2)
        content = self._content = QWidget()
        content.setProperty("role", "content")
        column = QWidget()
        column.setProperty("role", "content")
        column.setMaximumWidth(_WIDEST_PX)
        centred = fill_box(QHBoxLayout(content), 1, (column, 1_000), margins=(0, 0, 0, 0))
        centred.addWidget(column, 1_000)  # all there is, up to its widest
        centred.addStretch(1)
        layout = QVBoxLayout(column)
        layout.setContentsMargins(_SIDE_PX, 24, _SIDE_PX, 28)
        layout.setSpacing(10)
        layout.addWidget(make_label(tr("See what JAX and XLA do with your code"), "title"))
        about = tr(
            "Open a Python file, choose a function, and follow it from its source through every "
            "stage to the program that runs. The file needs no changes."
        )
        layout.addWidget(make_label(about, wraps=True))
        layout.addLayout(self._buttons())
        self._unsaved_box = QVBoxLayout()
        layout.addLayout(self._unsaved_box)
        self._recent_title = make_label(tr("Recent files"), "heading")
        self._recent_title.setContentsMargins(0, 8, 0, 0)
        layout.addWidget(self._recent_title)
        layout.addLayout(self._recent_box)
        self._samples: Sequence[Path] = samples
        self._path_box = QVBoxLayout()
        layout.addLayout(self._path_box)
        layout.addStretch()
        self.setWidget(content)
        self.show_recent(())

    def showEvent(self, event: QShowEvent) -> None:
        # A window that opens with a file needs none of the samples read.
        samples, self._samples = self._samples, ()
        if samples:
            self._add_path(samples)
        super().showEvent(event)
        opening = [button for button in self._buttons_shown() if button.property("path")]
        if opening:
            opening[0].setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_cards()

    def set_theme(self, theme: str) -> None:
        """Show the pictures in a theme's colours."""
        self._theme = theme
        for card in self.findChildren(SampleCard):
            card.show_picture(theme)

    def show_recent(self, files: Sequence[str]) -> None:
        """List files that were opened before, latest first."""
        while (item := self._recent_box.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()  # until it is gone it would lie over its successor
                widget.deleteLater()
        self._recent_title.setVisible(bool(files))
        for path in files[:_MAX_RECENT]:
            button = QPushButton(show_marks(_short_path(path)))
            button.setProperty("role", "row")
            button.setProperty("path", path)
            button.setToolTip(show_marks(path))
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(self._on_file_button_clicked)
            self._recent_box.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)

    def offer_unsaved(self, paths: Sequence[str]) -> None:
        """Offer captures of windows that ended without being closed."""
        for path in paths:
            frame = QFrame()
            frame.setProperty("role", "notice")
            row = QHBoxLayout(frame)
            text = QLabel(tr("A window ended without being closed. Its last capture was kept."))
            text.setWordWrap(True)
            row.addWidget(text, 1)
            for title, slot in (
                (tr("Open it"), self._on_file_button_clicked),
                (tr("Forget it"), self._on_forget_button_clicked),
            ):
                button = QPushButton(title)
                button.setProperty("path", path)
                button.clicked.connect(slot)
                row.addWidget(button)
            self._unsaved_box.addWidget(frame)

    def _on_forget_button_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            frame = button.parentWidget()
            if frame is not None:
                frame.hide()
            self.unsaved_dismissed.emit(button.property("path"))

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        open_button, paste_button = (
            QPushButton(tr("Open a file …")),
            QPushButton(tr("Paste code …")),
        )
        open_button.setProperty("role", "primary")
        open_button.clicked.connect(self.open_requested)
        paste_button.clicked.connect(self.paste_requested)
        row.addWidget(open_button)
        row.addWidget(paste_button)
        row.addWidget(
            make_label(tr("or drop a .py file, a capture, a dump or a profile here"), "muted")
        )
        row.addStretch()
        return row

    def _add_path(self, samples: Sequence[Path]) -> None:
        for number, step in enumerate(PATH, 1):
            cards = [SampleCard(path) for path in samples if path.stem in step.names]
            for card in cards:
                card.clicked.connect(self._on_file_button_clicked)
                card.left.connect(self._on_card_left)
                card.show_picture(self._theme)
            if cards:
                self._steps.append(_StepBox(number, step, cards))
                self._path_box.addWidget(self._steps[-1])
        self._place_cards()

    def _buttons_shown(self) -> list[QPushButton]:
        """From above to below, and from left to right."""
        every = self.findChildren(QPushButton)
        found = [button for button in every if button.isVisibleTo(self)]
        return sorted(found, key=lambda button: self._place_of(button).toTuple()[::-1])

    def _place_of(self, button: QPushButton) -> QPoint:
        return button.mapTo(self._content, QPoint(0, 0))

    def _on_card_left(self, step: int) -> None:
        card = self.sender()
        if not isinstance(card, SampleCard):
            return
        here = self._place_of(card)
        away = [(self._place_of(button) - here, button) for button in self._buttons_shown()]
        beyond = [(by.y() * step, abs(by.x()), button) for by, button in away if by.y() * step > 0]
        if beyond:
            button = min(beyond, key=lambda each: each[:2])[2]
            button.setFocus()
            self.ensureWidgetVisible(button)

    def _place_cards(self) -> None:
        room = min(self.viewport().width(), _WIDEST_PX) - 2 * _SIDE_PX
        columns = min(max(room // _CARD_PX, 1), _MOST_COLUMNS)
        for step in self._steps:
            step.set_columns(columns, (room - (columns - 1) * _GAP_PX) // columns)

    def _on_file_button_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            self.file_chosen.emit(button.property("path"))


def _short_path(path: str) -> str:
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path
