"""The page without a file: samples, recent files, captures of windows that did not close."""

from __future__ import annotations

import ast
import inspect
import os
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
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

from jaxscope.ui.toolkit.widgets import make_label

_COLUMNS = 3
_WIDEST_PX = 1_320
"""Lines of more are hard to read, and cards of more are empty."""
_MAX_SAMPLE_BYTES = 200_000
_MAX_LESSON_CHARACTERS = 120
_MAX_TITLE_CHARACTERS = 60
_MAX_RECENT = 4
"""More would push the samples out of sight."""


class SampleCard(QPushButton):
    """One sample: what its lesson is about, in as many lines as that takes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        title, text = read_lesson(path)
        name, lesson = QLabel(title), QLabel(text)
        name.setProperty("role", "heading")
        lesson.setProperty("role", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 7, 12, 8)
        layout.setSpacing(1)
        for label in (name, lesson):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            layout.addWidget(label)
        layout.addStretch()
        self.setProperty("path", str(path))
        self.setProperty("role", "sample")
        self.setAccessibleName(path.stem)
        self.setAccessibleDescription(lesson.text())
        # Not at least as high as it wishes: that is its height in the narrowest of columns.
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return super().sizeHint() if layout is None else layout.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 2 * self.fontMetrics().lineSpacing())


class StartPage(QScrollArea):
    """`file_chosen` carries a path; `open_requested` asks for a dialog; `unsaved_dismissed` carries
    the path of a capture that an ended window left and nobody wants.
    """

    file_chosen = Signal(str)
    open_requested = Signal()
    unsaved_dismissed = Signal(str)

    def __init__(self, samples: Sequence[Path], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Samples and recent files")
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self._recent_box = QVBoxLayout()
        self._recent_box.setSpacing(2)
        content = QWidget()
        content.setProperty("role", "content")
        column = QWidget()
        column.setProperty("role", "content")
        column.setMaximumWidth(_WIDEST_PX)
        centred = QHBoxLayout(content)
        centred.setContentsMargins(0, 0, 0, 0)
        centred.addStretch(1)
        centred.addWidget(column, 1_000)  # all there is, up to its widest
        centred.addStretch(1)
        layout = QVBoxLayout(column)
        layout.setContentsMargins(36, 28, 36, 28)
        layout.setSpacing(12)
        title = make_label("See what JAX and XLA do with your code", "title")
        layout.addWidget(title)
        about = QLabel(
            "Open a Python file, choose a function, and follow it from its source through every "
            "stage to the program that runs. The file needs no changes."
        )
        about.setWordWrap(True)
        layout.addWidget(about)
        layout.addLayout(self._buttons())
        self._unsaved_box = QVBoxLayout()
        layout.addLayout(self._unsaved_box)
        self._recent_title = _heading("Recent files")
        layout.addWidget(self._recent_title)
        layout.addLayout(self._recent_box)
        self._samples: Sequence[Path] = samples
        self._sample_box = QVBoxLayout()
        self._sample_box.setSpacing(12)
        layout.addLayout(self._sample_box)
        layout.addStretch()
        self.setWidget(content)
        self.show_recent(())

    def showEvent(self, event: QShowEvent) -> None:
        # A window that opens with a file needs none of the samples read.
        samples, self._samples = self._samples, ()
        if samples:
            self._sample_box.addWidget(_heading("Samples"))
            self._sample_box.addLayout(self._sample_grid(samples))
        super().showEvent(event)

    def show_recent(self, files: Sequence[str]) -> None:
        """List files that were opened before, latest first."""
        while (item := self._recent_box.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self._recent_title.setVisible(bool(files))
        for path in files[:_MAX_RECENT]:
            button = QPushButton(_short_path(path))
            button.setProperty("role", "row")
            button.setProperty("path", path)
            button.setToolTip(path)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(self._on_file_button_clicked)
            self._recent_box.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeft)

    def offer_unsaved(self, paths: Sequence[str]) -> None:
        """Offer captures of windows that ended without being closed."""
        for path in paths:
            frame = QFrame()
            frame.setProperty("role", "notice")
            row = QHBoxLayout(frame)
            text = QLabel("A window ended without being closed. Its last capture was kept.")
            text.setWordWrap(True)
            row.addWidget(text, 1)
            for title, slot in (
                ("Open it", self._on_file_button_clicked),
                ("Forget it", self._on_forget_button_clicked),
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
        button = QPushButton("Open a file …")
        button.setProperty("role", "primary")
        button.clicked.connect(self.open_requested)
        row.addWidget(button)
        hint = make_label("or drop a .py, .jaxscope or .json file here", "muted")
        row.addWidget(hint)
        row.addStretch()
        return row

    def _sample_grid(self, samples: Sequence[Path]) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(8)
        for number, path in enumerate(samples):
            card = SampleCard(path)
            card.clicked.connect(self._on_file_button_clicked)
            grid.addWidget(card, number // _COLUMNS, number % _COLUMNS)
        for column in range(_COLUMNS):
            grid.setColumnStretch(column, 1)
        return grid

    def _on_file_button_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QPushButton):
            self.file_chosen.emit(button.property("path"))


def find_samples() -> list[Path]:
    """The sample programs beside this installation, the first lesson first."""
    folder = Path(__file__).resolve().parents[3] / "samples"
    if not folder.is_dir():
        return []
    files = sorted(folder.glob("*.py"))
    return sorted(files, key=_is_not_first_lesson)


def read_lesson(path: Path) -> tuple[str, str]:
    """A sample's title and what it teaches, from its docstring's first sentence.

    Without such a docstring the file's name is the title. The file is not run.
    """
    name = path.stem.replace("_", " ").capitalize()
    try:
        if path.stat().st_size > _MAX_SAMPLE_BYTES:
            return name, ""
        doc = _docstring_of(path.read_text("utf-8"))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return name, ""
    sentence = " ".join(doc.split("\n\n", 1)[0].split()).partition(". ")[0]
    title, colon, lesson = sentence.partition(": ")
    if not colon or len(title) > _MAX_TITLE_CHARACTERS:
        title, lesson = name, sentence
    lesson = lesson[:1].upper() + lesson[1 : _MAX_LESSON_CHARACTERS + 1]
    return title, lesson if lesson.endswith((".", "?", "!")) or not lesson else lesson + "."


def _docstring_of(text: str) -> str:
    """A module's docstring; the program below an ordinary one is not parsed, which takes longer."""
    quotes = '"""'
    end = text.find(quotes, len(quotes))
    if text.startswith(quotes) and end > 0:
        return inspect.cleandoc(ast.literal_eval(text[: end + len(quotes)]))
    return ast.get_docstring(ast.parse(text)) or ""


def _is_not_first_lesson(path: Path) -> bool:
    return path.stem != "quick_start"


def _heading(text: str) -> QLabel:
    label = make_label(text, "heading")
    label.setContentsMargins(0, 12, 0, 0)
    return label


def _short_path(path: str) -> str:
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path
