"""The strip beside a sample: its lesson, the calls that it offers, and the way to the next one."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent, QEnterEvent, QResizeEvent, QShowEvent
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

from jaxscope.model.lessons import Lesson, TextLesson, language_of, lessons_beside, title_of
from jaxscope.ui.session.call_text import shorten_apart
from jaxscope.ui.session.state import OfferedFunction
from jaxscope.ui.toolkit.language import renew, tr
from jaxscope.ui.toolkit.widgets import ANY_PX, FlowLayout, escape_html, fill_box, make_label
from jaxscope.ui.window.sample_path import PATH, find_next, step_of
from jaxscope.ui.window.text_lesson import LessonWalk, MarkdownView, read_lesson_shown

WIDTH_PX = 264
_KEPT = ("whole", "hint")
"""Texts that a button has besides the one that is shown."""
_LEAST_PX, _AROUND_PX = 200, 50
"""Narrower than what it is given in any window; what a text does not have of that."""
_OF_TRIAL = "Edit the source on a scratch copy, which runs when typing pauses"
HEADS = ("Look at", "Predict", "Then see")
_REVEAL = "Show what to see"
_OPEN = "Open its gradient"
"""In the text of a lesson: a link, since the line of stages may have no room for that one."""
_OF_WALK = "\0"
"""In place of a file's name: what is shown is of a lesson of its own."""
_CODE = re.compile(r"`([^`]+)`")
_MAX_TEXT = 3_000


class LessonStrip(QFrame):
    """Shows the lesson of a file whose docstring is written as one, and the path of all samples; or
    the present part of a lesson that is a file of its own.

    Signals:
        call_chosen: A call that the file offers.
        file_chosen: The path of a sample.
        all_requested: The page with all samples is asked for.
        closed_by_person: The strip is not wanted.
        trial_requested: The source is to be edited on a scratch copy.
        gradient_requested: The gradient of the call is to be shown, which a text asks to open.
    """

    call_chosen = Signal(str)
    file_chosen = Signal(str)
    all_requested = Signal()
    closed_by_person = Signal()
    trial_requested = Signal()
    gradient_requested = Signal()

    def __init__(
        self, samples: Sequence[Path], walk: LessonWalk, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._walk = walk
        self._listed: str | None = None
        self.setObjectName("lesson")
        self.setAccessibleName(tr("Lesson and samples"))
        self._samples = samples
        self._file = ""
        self._calls: tuple[str, ...] = ()
        self._place = make_label(role="label")
        self._title = make_label(role="heading", wraps=True)
        self._parts = {head: QLabel() for head in HEADS}
        self._reveal = QPushButton(tr(_REVEAL))
        self._call_head, self._call_box = make_label(tr("Calls"), "label"), QVBoxLayout()
        self._next = QPushButton()
        self._try = QPushButton(tr("Try a change"))
        self._path_box = QVBoxLayout()
        self._further = QWidget()
        self._area = QScrollArea()
        self._build()
        self.hide()

    def _build(self) -> None:
        self._close = close = QToolButton()
        close.setText("×")
        policy = close.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        close.setSizePolicy(policy)
        close.hide()
        close.setProperty("role", "compact")
        close.setToolTip(tr("Close the lesson; Help brings it back"))
        close.setAccessibleName(tr("Close the lesson"))
        close.clicked.connect(self.close)
        self._top = fill_box(QHBoxLayout(), (self._title, 1), close, spacing=6)
        content = QWidget()
        content.setProperty("role", "content")
        self._column = column = fill_box(QVBoxLayout(content), self._top, spacing=6)
        for label in self._parts.values():
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.RichText)
            flags = Qt.TextInteractionFlag
            label.setTextInteractionFlags(
                flags.TextSelectableByMouse | flags.LinksAccessibleByMouse
            )
            label.linkActivated.connect(self._on_label_link_activated)
            column.addWidget(label)
        column.addWidget(self._reveal, 0, Qt.AlignmentFlag.AlignLeft)
        ways = QWidget()  # above the calls, which are known later and then take their room
        flow = FlowLayout(ways)
        for button in (self._try, self._next):
            flow.addWidget(button)
        self._reveal.clicked.connect(self._show_answer)
        self._call_box.setSpacing(0)
        self._call_head.hide()
        self._path_box.setSpacing(0)
        self._next.clicked.connect(self._on_next_clicked)
        self._try.setProperty("whole", self._try.text())
        self._try.setProperty("hint", tr(_OF_TRIAL))
        self._try.clicked.connect(self.trial_requested)
        parts = (ways, self._call_head, self._call_box, self._path_box)
        fill_box(QVBoxLayout(self._further), *parts, margins=(0, 0, 0, 0), spacing=6)
        column.addWidget(self._further)
        column.addStretch()
        self._show_parts()
        self._walk.changed.connect(self._show_parts)
        self._area.setWidgetResizable(True)
        self._area.setProperty("role", "page")  # it is scrolled by keys
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(content)
        self._area.setAccessibleName(tr("Lesson"))
        fill_box(QVBoxLayout(self), self._area, margins=(0, 0, 0, 0))

    def set_beside(self, *, is_beside: bool) -> None:
        """Whether it stands beside the views, or is as wide as the place it was given."""
        self.setMinimumWidth(WIDTH_PX if is_beside else 0)
        self.setMaximumWidth(WIDTH_PX if is_beside else ANY_PX)
        self._column.setContentsMargins(*((14, 10, 10, 12) if is_beside else (0, 0, 8, 6)))
        for box in (self._top, self._column):
            box.removeWidget(self._place)
        (self._column if is_beside else self._top).insertWidget(1, self._place)

    @functools.cached_property
    def _texts(self) -> tuple[MarkdownView, MarkdownView]:
        """A part of a lesson that is a file, and what it reveals; few windows ever show any."""
        texts = MarkdownView(), MarkdownView()
        texts[0].setAccessibleName(tr("Text of the lesson"))
        texts[1].setAccessibleName(tr("What the lesson reveals"))
        for text in texts:
            text.hide()
            self._column.insertWidget(self._column.indexOf(self._reveal), text)
        return texts

    @property
    def answer_is_shown(self) -> bool:
        """Whether the part *Then see* is shown, or what a part of a lesson reveals."""
        is_revealed = self._walk.part is not None and not self._texts[1].isHidden()
        return is_revealed or not self._parts[HEADS[2]].isHidden()

    def show_file(self, file: str, functions: Sequence[OfferedFunction]) -> bool:
        """Show the lesson of a file, the calls that it offers, and the path.

        Returns:
            Whether the file has a lesson.
        """
        shown = self._walk.shown
        if shown is not None and file != shown.file:
            self._walk.end()
        if self._walk.part is not None:
            return True
        if file != self._file:
            self._file = file
            self._show_lesson(Path(file), read_lesson_shown(Path(file)) if file else Lesson(""))
        calls = tuple(call for function in functions for call in function.calls)
        if calls != self._calls:
            self._calls = calls
            self._call_head.setText(tr("Calls"))
            _fill(self._call_box, [self._row(c, c, self._on_call_clicked) for c in calls])
            self._call_head.setVisible(bool(calls))
            self._fit()
        return bool(self._parts[HEADS[0]].text())

    def show_further(self) -> None:
        """Show what a lesson keeps back until it is answered: calls, a change, all samples."""
        self._further.show()
        self._list_path()

    def _list_path(self) -> None:
        """List the path, or the lessons of a folder, where that is seen and was not done yet."""
        if self._further.isHidden():
            return
        lesson = self._walk.lesson
        listed = ""
        if lesson is not None:
            listed = f"{Path(lesson.path).parent} {language_of(Path(lesson.path))}"
        if listed == self._listed:
            return
        self._listed = listed
        rows: list[QWidget] = []
        if lesson is not None:
            rows.append(make_label(tr("Lessons"), "label"))
            for each in lessons_beside(Path(lesson.path)):
                title = title_of(each)
                rows.append(self._row(title, str(each), self._on_sample_clicked))
            _fill(self._path_box, rows)
            self._fit()
            return
        by_name = {path.stem: path for path in self._samples}
        for step in PATH:
            paths = [by_name[name] for name in step.names if name in by_name]
            rows += [make_label(tr(step.title), "label")] if paths else []
            for path in paths:
                title = read_lesson_shown(path).title
                rows.append(self._row(title, str(path), self._on_sample_clicked))
        rows.append(self._row(tr("All samples with pictures ›"), "", self._on_all_clicked))
        _fill(self._path_box, rows)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._list_path()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._close.show()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._close.hide()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed_by_person.emit()

    def _show_parts(self) -> None:
        """Show the present part of a lesson that is a file; without one what was shown before."""
        lesson, part = self._walk.lesson, self._walk.part
        if part is not None or "_texts" in vars(self):
            body, answer = self._texts
            body.setVisible(part is not None)
            has_answer = part is not None and bool(part.reveal)
            answer.setVisible(has_answer and not self._walk.is_asking)
        if lesson is None or part is None:
            if self._file == _OF_WALK:
                self._file, self._calls = "", ("",)  # all of it is shown anew
            return
        if self._file != _OF_WALK:
            self._file, self._calls = _OF_WALK, ("",)
            for shown in self._parts.values():
                shown.hide()
            self._further.show()
        self._place.setText(
            tr(
                "Lesson · {number} of {num_parts}",
                number=self._walk.number + 1,
                num_parts=len(lesson.parts),
            )
        )
        self._title.setText(part.heading)
        body.show_markdown(part.text)
        answer.show_markdown(part.reveal)
        self._show_way_on(lesson)
        headings = tuple(each.heading for each in lesson.parts)
        if headings != self._calls:
            self._calls = headings
            self._call_head.setText(tr("Parts"))
            self._call_head.setVisible(len(headings) > 1)
            rows = [
                self._row(heading, str(number), self._on_part_clicked)
                for number, heading in enumerate(headings)
            ]
            _fill(self._call_box, rows if len(rows) > 1 else [])
            self._list_path()
            self._fit()
        if not self._walk.is_revealed:
            self._area.verticalScrollBar().setValue(0)  # a part is read from its beginning

    def _show_way_on(self, lesson: TextLesson) -> None:
        """One button: to what is revealed, to the next part, to the next lesson of the folder."""
        following = None
        if self._walk.is_asking:
            text = tr(_REVEAL)
        elif not self._walk.is_last:
            text = tr("Next: {heading}", heading=lesson.parts[self._walk.number + 1].heading)
        else:
            beside = lessons_beside(Path(lesson.path))
            following = dict(itertools.pairwise(beside)).get(Path(lesson.path))
            text = tr("Next: {title}", title=title_of(following)) if following is not None else ""
        self._reveal.setProperty("whole", text)
        self._reveal.setProperty("path", str(following) if following is not None else "")
        self._reveal.setVisible(bool(text))
        self._fit()
        self._next.hide()
        self._try.hide()

    def _show_lesson(self, path: Path, lesson: Lesson) -> None:
        self._area.verticalScrollBar().setValue(0)  # a lesson is read from its beginning
        step = step_of(path) if path in self._samples else None
        number = (
            tr(
                "{index} of {num_names}",
                index=step.names.index(path.stem) + 1,
                num_names=len(step.names),
            )
            if step
            else ""
        )
        self._place.setText(f"{tr(step.title)} · {number}" if step else tr("Lesson"))
        self._tell(path, lesson)
        for head, label in self._parts.items():
            label.setVisible(bool(label.text()) and head != HEADS[2])
        self._reveal.setProperty("whole", tr(_REVEAL))
        self._reveal.setVisible(lesson.is_whole)
        self._further.setHidden(lesson.is_whole)  # first the question, alone
        if self.isVisible():
            self._list_path()
        self._try.show()
        self._next.setVisible(find_next(path, self._samples) is not None)
        self._fit()

    def _tell(self, path: Path, lesson: Lesson) -> None:
        """Put the texts of a lesson in their places, in the language that is shown."""
        self._title.setText(lesson.title if lesson.is_whole else tr("Samples"))
        told = (lesson.look, lesson.predict, lesson.see) if lesson.is_whole else ("", "", "")
        for (head, label), text in zip(self._parts.items(), told, strict=True):
            label.setText(f"<b>{tr(head)}</b>&ensp;{_rich(text)}" if text else "")
        following = find_next(path, self._samples)
        if following is not None:
            title = tr("Next: {title}", title=read_lesson_shown(following).title)
            self._next.setProperty("whole", title)
            self._next.setProperty("path", str(following))

    def _show_answer(self) -> None:
        if self._walk.part is not None:
            if path := self._reveal.property("path"):
                self.file_chosen.emit(path)
            else:
                self._walk.go_on()
            return
        had_keyboard = self._reveal.hasFocus()
        self._reveal.hide()
        self._parts[HEADS[2]].show()
        self.show_further()
        if had_keyboard:
            self._try.setFocus()

    def _row(self, text: str, value: str, slot: Callable[[], object]) -> QPushButton:
        button = QPushButton()
        button.setProperty("whole", text)
        button.setProperty("role", "row")
        button.setProperty("value", value)
        button.setAccessibleName(text)
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(slot)
        return button

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            for button, name in itertools.product(self.findChildren(QPushButton), _KEPT):
                button.setProperty(name, renew(button.property(name) or ""))
            if self._file and self._file != _OF_WALK:
                self._tell(Path(self._file), read_lesson_shown(Path(self._file)))
            self._fit()

    def _fit(self) -> None:
        """Shorten what has no room; calls so that no two read alike."""
        metrics, room = self.fontMetrics(), max(self.width(), _LEAST_PX) - _AROUND_PX
        shown = shorten_apart(self._calls, lambda call: metrics.horizontalAdvance(call) <= room)
        short = dict(zip(self._calls, shown, strict=True))
        for button in self.findChildren(QPushButton):
            whole, value = button.property("whole") or button.text(), button.property("value")
            text = short.get(whole, "") if whole == value else ""
            text = text or metrics.elidedText(whole, Qt.TextElideMode.ElideRight, room)
            button.setText(text)
            button.setToolTip(whole if text != whole else button.property("hint") or "")

    def _on_label_link_activated(self) -> None:
        self.gradient_requested.emit()

    def _on_all_clicked(self) -> None:
        self.all_requested.emit()

    def _on_call_clicked(self) -> None:
        self.call_chosen.emit(_value_of(self.sender()))

    def _on_sample_clicked(self) -> None:
        self.file_chosen.emit(_value_of(self.sender()))

    def _on_part_clicked(self) -> None:
        self._walk.go_to(int(_value_of(self.sender())))

    def _on_next_clicked(self) -> None:
        self.file_chosen.emit(self._next.property("path"))


def _value_of(sender: QObject | None) -> str:
    return str(sender.property("value")) if sender is not None else ""


def _rich(text: str) -> str:
    """A text with what stands in backticks set as code, and a link where it says what to open."""
    told = _CODE.sub(r"<code>\1</code>", escape_html(text, _MAX_TEXT))
    return told.replace(tr(_OPEN), f"<a href='gradient'>{tr(_OPEN)}</a>")


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
