"""The strip beside a sample: its lesson, the calls that it offers, and the way to the next one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jaxscope.model.outline import Lesson, read_lesson
from jaxscope.ui.session.state import OfferedFunction
from jaxscope.ui.toolkit.widgets import ANY_PX, escape_html, fill_box, make_label
from jaxscope.ui.window.sample_path import PATH, find_next, step_of

WIDTH_PX = 264
_CODE = re.compile(r"`([^`]+)`")
_MAX_TEXT = 3_000


class LessonStrip(QFrame):
    """Shows the lesson of a file whose docstring is written as one, and the path of all samples.

    Signals:
        call_chosen: A call that the file offers.
        file_chosen: The path of a sample.
        all_requested: The page with all samples is asked for.
        closed_by_person: The strip is not wanted.
        trial_requested: The source is to be edited on a scratch copy.
    """

    call_chosen = Signal(str)
    file_chosen = Signal(str)
    all_requested = Signal()
    closed_by_person = Signal()
    trial_requested = Signal()

    def __init__(self, samples: Sequence[Path], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lesson")
        self.setAccessibleName("Lesson and samples")
        self._samples = samples
        self._file = ""
        self._calls: tuple[str, ...] = ()
        self._place = make_label(role="label")
        self._title = make_label(role="heading", wraps=True)
        self._parts = {head: QLabel() for head in ("Look at", "Predict", "Then see")}
        self._heads = {head: make_label(head, "label") for head in self._parts}
        self._reveal = QPushButton("Show what to see")
        self._call_head, self._call_box = make_label("Calls", "label"), QVBoxLayout()
        self._next = QPushButton()
        self._try = QPushButton("Try a change")
        self._path_box = QVBoxLayout()
        self._area = QScrollArea()
        self._build()
        self.hide()

    def _build(self) -> None:
        close = QToolButton()
        close.setText("×")
        close.setProperty("role", "compact")
        close.setToolTip("Close the lesson; Help brings it back")
        close.setAccessibleName("Close the lesson")
        close.clicked.connect(self.close)
        top = fill_box(QHBoxLayout(), (self._place, 1), close)
        content = QWidget()
        content.setProperty("role", "content")
        column = fill_box(
            QVBoxLayout(content), top, self._title, margins=(14, 8, 12, 12), spacing=4
        )
        for head, label in self._parts.items():
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addSpacing(6)
            column.addWidget(self._heads[head])
            column.addWidget(label)
        column.insertWidget(column.indexOf(self._heads["Then see"]), self._reveal)
        self._reveal.clicked.connect(self._show_answer)
        self._call_box.setSpacing(0)
        self._path_box.setSpacing(0)
        column.addSpacing(6)
        column.addWidget(self._call_head)
        column.addLayout(self._call_box)
        column.addSpacing(8)
        self._next.clicked.connect(self._on_next_clicked)
        self._try.setToolTip("Edit the source on a scratch copy, which runs when typing pauses")
        self._try.clicked.connect(self.trial_requested)
        column.addWidget(self._try)
        column.addWidget(self._next)
        column.addSpacing(8)
        column.addLayout(self._path_box)
        column.addStretch()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(content)
        fill_box(QVBoxLayout(self), self._area, margins=(0, 0, 0, 0))

    def set_beside(self, *, is_beside: bool) -> None:
        """Whether it stands beside the views, or is as wide as the place it was given."""
        self.setMinimumWidth(WIDTH_PX if is_beside else 0)
        self.setMaximumWidth(WIDTH_PX if is_beside else ANY_PX)

    @property
    def answer_is_shown(self) -> bool:
        """Whether the part *Then see* is shown."""
        return not self._parts["Then see"].isHidden()

    def show_file(self, file: str, functions: Sequence[OfferedFunction]) -> bool:
        """Show the lesson of a file, the calls that it offers, and the path.

        Returns:
            Whether the file has a lesson.
        """
        if file != self._file:
            self._file = file
            self._show_lesson(Path(file), read_lesson(Path(file)) if file else Lesson(""))
        calls = tuple(call for function in functions for call in function.calls)
        if calls != self._calls:
            self._calls = calls
            _fill(self._call_box, [self._row(c, c, self._on_call_clicked) for c in calls])
            self._call_head.setVisible(bool(calls))
        return bool(self._parts["Look at"].text())

    def reveal_path(self) -> None:
        """List the path, where that was not done yet."""
        if self._path_box.count():
            return
        rows: list[QWidget] = []
        by_name = {path.stem: path for path in self._samples}
        for step in PATH:
            paths = [by_name[name] for name in step.names if name in by_name]
            rows += [make_label(step.title, "label")] if paths else []
            for path in paths:
                title = read_lesson(path).title
                rows.append(self._row(title, str(path), self._on_sample_clicked))
        rows.append(self._row("All samples with pictures ›", "", self._on_all_clicked))
        _fill(self._path_box, rows)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed_by_person.emit()

    def _show_lesson(self, path: Path, lesson: Lesson) -> None:
        self._area.verticalScrollBar().setValue(0)  # a lesson is read from its beginning
        step = step_of(path) if path in self._samples else None
        number = f"{step.names.index(path.stem) + 1} of {len(step.names)}" if step else ""
        self._place.setText(f"{step.title} · {number}" if step else "Lesson")
        self._title.setText(lesson.title if lesson.is_whole else "Samples")
        told = (lesson.look, lesson.predict, lesson.see) if lesson.is_whole else ("", "", "")
        for (head, label), text in zip(self._parts.items(), told, strict=True):
            label.setText(_rich(text))
            is_shown = bool(text) and head != "Then see"
            label.setVisible(is_shown)
            self._heads[head].setVisible(is_shown)
        self._reveal.setVisible(lesson.is_whole)
        following = find_next(path, self._samples)
        self._next.setVisible(following is not None)
        if following is not None:
            title = f"Next: {read_lesson(following).title}"
            right, room = Qt.TextElideMode.ElideRight, WIDTH_PX - 60
            self._next.setText(self.fontMetrics().elidedText(title, right, room))
            self._next.setProperty("path", str(following))

    def _show_answer(self) -> None:
        self._reveal.hide()
        for part in (self._heads["Then see"], self._parts["Then see"]):
            part.show()

    def _row(self, text: str, value: str, slot: Callable[[], object]) -> QPushButton:
        button = QPushButton()
        is_call = text == value  # of which the arguments at the end matter as well
        elide = Qt.TextElideMode.ElideMiddle if is_call else Qt.TextElideMode.ElideRight
        button.setText(self.fontMetrics().elidedText(text, elide, WIDTH_PX - 44))
        button.setProperty("role", "row")
        button.setProperty("value", value)
        button.setAccessibleName(text)
        button.setToolTip(text if button.text() != text else "")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(slot)
        return button

    def _on_all_clicked(self) -> None:
        self.all_requested.emit()

    def _on_call_clicked(self) -> None:
        self.call_chosen.emit(_value_of(self.sender()))

    def _on_sample_clicked(self) -> None:
        self.file_chosen.emit(_value_of(self.sender()))

    def _on_next_clicked(self) -> None:
        self.file_chosen.emit(self._next.property("path"))


def _value_of(sender: QObject | None) -> str:
    return str(sender.property("value")) if sender is not None else ""


def _rich(text: str) -> str:
    """A text with what stands in backticks set as code."""
    return _CODE.sub(r"<code>\1</code>", escape_html(text, _MAX_TEXT))


def _fill(box: QVBoxLayout, widgets: Sequence[QWidget]) -> None:
    """Show these in place of what a column shows."""
    while (item := box.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
    for widget in widgets:
        is_row = isinstance(widget, QPushButton)
        box.addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft if is_row else Qt.AlignmentFlag(0))
