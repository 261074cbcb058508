"""Lessons as they are shown: of a sample in the language of the window; of a lesson that is a file,
where a person is in it, and its Markdown.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QWidget

from jaxscope.model.lessons import Lesson, LessonPart, Shown, TextLesson, read_lesson
from jaxscope.schema.safe_text import make_safe
from jaxscope.ui.toolkit.language import tr

_FEATURES = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)


def read_lesson_shown(path: Path) -> Lesson:
    """What a file teaches by its docstring, of samples in the language that is shown.

    Other files are as their authors wrote them.
    """
    told = read_lesson(path)
    if not told.is_whole:
        return told
    return Lesson(tr(told.title), tr(told.summary), tr(told.look), tr(told.predict), tr(told.see))


class LessonWalk(QObject):
    """Goes through a lesson, a part at a time; what a part reveals comes when it is asked for.

    Signals:
        changed: Another part, or its answer, or no lesson any more.
        shown_changed: What is to be open, a `Shown`: another part began, or revealed its answer.
    """

    changed = Signal()
    shown_changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lesson: TextLesson | None = None
        self.number = 0
        self.is_revealed = False

    @property
    def part(self) -> LessonPart | None:
        """The part of the lesson that is shown; None without a lesson."""
        return self.lesson.parts[self.number] if self.lesson is not None else None

    @property
    def shown(self) -> Shown | None:
        """What is to be open; None without a lesson."""
        part = self.part
        return None if part is None else part.revealed if self.is_revealed else part.shown

    @property
    def is_asking(self) -> bool:
        """Whether the part has something that is not shown yet."""
        return self.part is not None and bool(self.part.reveal) and not self.is_revealed

    @property
    def is_last(self) -> bool:
        """Whether no part follows."""
        return self.lesson is None or self.number + 1 == len(self.lesson.parts)

    @property
    def is_done_with_call(self) -> bool:
        """Whether the part is at its end, and the next one is not about the call that is open."""
        if self.lesson is None or self.shown is None or self.is_asking:
            return False
        if self.is_last:
            return True
        following = self.lesson.parts[self.number + 1]
        here = self.shown.file, self.shown.call
        return any((s.file, s.call) != here for s in (following.shown, following.revealed))

    def begin(self, lesson: TextLesson) -> None:
        """Go to the first part of a lesson."""
        self.lesson = lesson
        self.go_to(0)

    def renew(self, lesson: TextLesson) -> None:
        """Go on with the same lesson in another language; nothing that is open changes."""
        self.lesson = lesson
        self.number = min(self.number, len(lesson.parts) - 1)
        self.changed.emit()

    def end(self) -> None:
        """End the lesson."""
        if self.lesson is not None:
            self.lesson = None
            self.changed.emit()

    def go_to(self, number: int, *, is_revealed: bool = False) -> None:
        """Go to a part by its number."""
        self.number, self.is_revealed = number, is_revealed
        self.changed.emit()
        self.shown_changed.emit(self.shown)

    def reveal(self) -> None:
        """Show what the part reveals."""
        self.is_revealed = True
        self.changed.emit()
        self.shown_changed.emit(self.shown)

    def go_on(self) -> None:
        """Reveal, or go to the next part; at the end nothing happens."""
        if self.is_asking:
            self.reveal()
        elif not self.is_last:
            self.go_to(self.number + 1)

    def go_back(self) -> None:
        """Go to the part before, with its answer; at the beginning nothing happens."""
        if self.number:
            self.go_to(self.number - 1, is_revealed=True)


class MarkdownView(QTextBrowser):
    """A text in Markdown, as high as it is. HTML is text, and nothing is loaded or followed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "text")  # it lies on what is around it
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # all of it is seen: no key does anything
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0.0)

    def show_markdown(self, text: str) -> None:
        """Show a text."""
        self.document().setMarkdown(make_safe(text), _FEATURES)
        self._fit()

    def loadResource(self, _type: int, _name: QUrl | str) -> object:
        return None  # a picture of a lesson could be any file

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def _fit(self) -> None:
        self.document().setTextWidth(self.viewport().width())
        self.setFixedHeight(max(round(self.document().size().height() + 0.5), 1))


def to_plain_text(markdown: str) -> str:
    """The words of a text in Markdown."""
    document = QTextDocument()
    document.setMarkdown(make_safe(markdown), _FEATURES)
    return document.toPlainText().replace("\ufffc", "").strip()
