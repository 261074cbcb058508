"""The only place of the window that shows errors: what, where, why, and what to try."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from typing import cast

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QDesktopServices,
    QFocusEvent,
    QFont,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPen,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from jaxscope.errors import (
    CallError,
    EnvironmentProblem,
    Explanation,
    JaxscopeError,
    SourceError,
    Stopped,
    TraceError,
    UsageError,
    UserCodeError,
    WorkerLost,
)
from jaxscope.marks import strip_controls
from jaxscope.model.units import file_name
from jaxscope.ui.session.call_text import shorten_apart
from jaxscope.ui.session.source_file import parse_place
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.theme import fixed_font
from jaxscope.ui.toolkit.widgets import SOFT_BREAK, break_long_words, escape_html, fill_box

_CODE = re.compile(r"`([^`]+)`")
_ADDRESS = re.compile(r"(https://docs\.jax\.dev/[\w./#-]*[\w/])")
_POINTER = re.compile(r"^ *\^+ *$", re.MULTILINE)
"""A line that points into the one above it, where letters must be equally wide."""

_FRAME = '  File "'
_MOST_OF_TRACE = 20_000, 2_000
"""Letters and lines that are shown of a traceback; *Copy details* has all."""
_MAX_LINES = 6
"""Of any other text."""
_CALL, _PART, _TYPE, _PLACE = "call", "part", "type", "place"
_OPEN, _COPY, _RUN, _SCRIPT, _TARGET = "open", "copy", "run", "script", "target"
"""What links begin with: run a call, select the part at fault, type a call, show the place, open
a file, copy the details, run the same call again, run it for another target."""
UNKNOWN_TARGET = "UnknownTarget"
"""Kind of an error whose fault is the name of the target."""
_TARGET_NAME = re.compile(r"(?<![\w/:-])(?:(?:cpu|gpu|tpu)(?::\d+)?|aot:\w+(?::\w+)+)(?![\w/:-])")
_SHORTCUT = re.compile(r"\bCtrl\+O\b")
_MAX_CALLS, _LONG_CALL = 5, 80
_NAME = re.compile(r"\b(?!Did\b|you\b|mean\b)\w{2,}")


def is_of_call(error: JaxscopeError) -> bool:
    """Whether the text of the call is at fault, and not a line of the user's file."""
    explanation = error.explanation
    is_nowhere = isinstance(error, TraceError) and not explanation.where
    return isinstance(error, CallError) or bool(explanation.part) or is_nowhere


def kind_of_error(error: JaxscopeError) -> str:
    """What is at fault, in a few words: the call, the file, the code, this machine, jaxscope."""
    if isinstance(error, Stopped):
        return tr("Stopped")
    if is_of_call(error):
        return tr("In the call")
    if isinstance(error, SourceError) and parse_place(error.explanation.where) is None:
        return tr("The file")  # that there is none, say, or that it is no file of Python's
    if error.explanation.kind == UNKNOWN_TARGET:
        return tr("The target")
    if error.explanation.kind == "NoProposal":  # the arguments that were tried may be at fault
        return tr("No call was found")
    if isinstance(error, UserCodeError):
        return tr("In your code")
    if isinstance(error, EnvironmentProblem):
        return tr("Missing on this machine")
    if isinstance(error, WorkerLost):
        return tr("The process that ran your code ended")
    if isinstance(error, UsageError):
        return tr("This cannot be done")
    return tr("A bug in jaxscope")


_FRAME_PX = 2


class _LinkLabel(QLabel):
    """`Tab` leads to its first link at once; Qt would first stop where nothing is marked. The link
    that has the keyboard is framed as everything else is; Qt's line of dots can hardly be seen.
    """

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().link().color(), _FRAME_PX))
        for area in self.link_areas():
            painter.drawRoundedRect(area.adjusted(-1.0, 1.0, 1.0, -1.0), 3.0, 3.0)

    def link_areas(self) -> list[QRectF]:
        """Where the link is that has the keyboard, line by line; empty where none has it."""
        document = self.findChild(QTextDocument)
        if document is None or not (self.hasFocus() and self.hasSelectedText()):
            return []
        begin, end = self.selectionStart(), self.selectionStart() + len(self.selectedText())
        block = document.findBlock(begin)
        begin, end = begin - block.position(), end - block.position()
        corner = document.documentLayout().blockBoundingRect(block).topLeft()
        corner += QPointF(0.0, max(self.height() - document.size().height(), 0.0) / 2)
        areas = []
        for line in (block.layout().lineAt(n) for n in range(block.layout().lineCount())):
            start, stop = line.textStart(), line.textStart() + line.textLength()
            ends = (line.cursorToX(min(max(n, start), stop)) for n in (begin, end))
            left, right = (
                x for x, _ in cast("Iterable[tuple[float, int]]", ends)
            )  # as PySide has it
            area = QRectF(left, line.y(), right - left, line.height())
            areas += [area.translated(corner)] if right > left else []
        return areas

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() is Qt.FocusReason.TabFocusReason:
            self.focusNextPrevChild(True)
        elif event.reason() is Qt.FocusReason.BacktabFocusReason:
            self.focusNextPrevChild(False)


_LEAST_LINES, _TRACE_SHARE = 8, 0.3


class _Trace(QPlainTextEdit):
    """Is as high as its lines: at least eight of them are seen, and at most a part of the window
    is taken.
    """

    def __init__(self) -> None:
        super().__init__(readOnly=True, lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName(tr("Traceback"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self._height_of(min(self.blockCount(), _LEAST_LINES)))

    def sizeHint(self) -> QSize:
        most = round(_TRACE_SHARE * self.window().height())
        high = min(self._height_of(self.blockCount()), most)
        return QSize(super().sizeHint().width(), max(high, self.minimumSizeHint().height()))

    def _height_of(self, num_lines: int) -> int:
        around = 2 * (self.frameWidth() + math.ceil(self.document().documentMargin()))
        bar = self.horizontalScrollBar().sizeHint().height()
        return num_lines * self.fontMetrics().lineSpacing() + around + bar


class ErrorPanel(QFrame):
    """Explains one error. `place_requested` carries file and line of where it happened.

    `call_requested` carries a call that the remedy speaks of, to be run in place of the one that
    failed. What is at fault in the call is said in few lines: the call stands right above it.
    What can be done by a click is a link: `part_requested` asks for the part at fault to be
    selected, `typing_requested` for a call to be typed, `opening_requested` for another file,
    `run_requested` for another run, `script_requested` for one of the file as a script,
    `target_requested` for a run with that target.

    Attributes:
        remedy: What to try.
    """

    place_requested = Signal(str, int)
    call_requested = Signal(str)
    part_requested = Signal()
    typing_requested = Signal(str)
    opening_requested = Signal()
    run_requested = Signal()
    script_requested = Signal()
    target_requested = Signal(str)
    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "problem")
        self._error: JaxscopeError | None = None
        self._kind, self._what, self._why = (QLabel() for _ in range(3))
        self.remedy = _LinkLabel()
        self._kind.setProperty("role", "error")
        self._what.setProperty("role", "heading")
        self._brief = QLabel()
        self._brief.setProperty("role", "strong")
        self._where = QPushButton()
        self._where.setProperty("role", "link")
        self._where.clicked.connect(self._on_where_clicked)
        self._fold = QPushButton(tr("Show traceback"))
        self._fold.setCheckable(True)
        self._fold.toggled.connect(self._on_fold_toggled)
        self._copy = QPushButton(tr("Copy details"))
        self._copy.clicked.connect(self._on_copy_clicked)
        self._close = QPushButton(tr("Dismiss"))
        self._close.clicked.connect(self.dismissed)
        self._trace = _Trace()
        self._build()
        self.hide()

    def _build(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 10)
        layout.setSpacing(4)
        first = fill_box(QHBoxLayout(), self._kind, self._where)
        first.addSpacing(6)
        first.addWidget(self._brief, 1)
        first.addStretch()
        for button in (self._fold, self._copy, self._close):
            first.addWidget(button)
        layout.addLayout(first)
        for label in (self._brief, self._what, self._why, self.remedy):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            if label is not self._brief:
                layout.addWidget(label)
        self.remedy.setTextFormat(Qt.TextFormat.RichText)
        self.remedy.linkActivated.connect(self._on_remedy_link_activated)
        self.remedy.linkHovered.connect(self._on_remedy_link_hovered)
        self.remedy.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        layout.addWidget(self._trace)
        QGuiApplication.clipboard().dataChanged.connect(self._on_clipboard_data_changed)

    @property
    def error(self) -> JaxscopeError | None:
        """What is explained, or None."""
        return self._error

    def show_error(self, error: JaxscopeError | None) -> None:
        """Explain an error, or go away."""
        if error is self._error:
            return
        self._error = error
        if error is None:
            self.hide()
            return
        explanation = error.explanation
        self._kind.setText(kind_of_error(error))
        is_brief = is_of_call(error)
        _set_text(self._brief if is_brief else self._what, _fit(tr_said(explanation.what), 600))
        self._brief.setVisible(is_brief)
        self._what.setVisible(not is_brief)
        _set_text(self._why, _fit(tr_said(explanation.why), 1_200))
        self._why.setVisible(bool(explanation.why.strip()))
        is_pointing = _POINTER.search(explanation.why) is not None
        self._why.setFont(fixed_font(self.font().pointSizeF()) if is_pointing else QFont())
        self._set_remedy(explanation)
        self.remedy.setVisible(bool(explanation.remedy))
        where = strip_controls(explanation.where)
        shown = file_name(where) if os.path.isabs(where) else where
        shown = shown if len(shown) <= _LONG_CALL else f"… {shown[-_LONG_CALL:]}"
        self._where.setText(shown)
        self._where.setToolTip(escape_html(where) if shown != where else "")
        self._where.setEnabled(parse_place(where) is not None)  # else it leads nowhere
        self._where.setVisible(bool(explanation.where) and not is_brief)
        trace = _trace_of(explanation)
        self._trace.setPlainText(_fit(trace, *_MOST_OF_TRACE))
        self._fold.setChecked(False)
        self._fold.setVisible(bool(trace))
        self._trace.hide()
        self.show()

    def set_points(self, points: float) -> None:
        """Use a size of type."""
        self._trace.setFont(fixed_font(points))

    def _set_remedy(self, explanation: Explanation) -> None:
        self.remedy.clear()  # the same text would keep the links' old colour
        assert self._error is not None
        remedy = _rich_remedy(explanation, _doing_of(self._error))
        self.remedy.setText(break_long_words(remedy, is_html=True))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._error is not None:
            self._set_remedy(self._error.explanation)
        elif event.type() == QEvent.Type.LanguageChange:
            error, self._error = self._error, None
            self.show_error(error)

    def _on_fold_toggled(self, is_open: bool) -> None:
        self._fold.setText(tr("Hide traceback") if is_open else tr("Show traceback"))
        self._trace.setVisible(is_open)

    def _on_copy_clicked(self) -> None:
        if self._error is not None:
            QGuiApplication.clipboard().setText(render_details(self._error.explanation))

    def _on_clipboard_data_changed(self) -> None:
        clipboard = QGuiApplication.clipboard()
        is_own = any(label.hasFocus() for label in self.findChildren(QLabel))
        if is_own and SOFT_BREAK in clipboard.text():
            clipboard.setText(clipboard.text().replace(SOFT_BREAK, ""))

    def _on_remedy_link_activated(self, link: str) -> None:
        kind, _, number = link.partition(":")
        explanation = self._error.explanation if self._error is not None else None
        if kind == _CALL and explanation is not None:
            self.call_requested.emit(explanation.calls[int(number)])
        elif kind == _TYPE and explanation is not None:
            self.typing_requested.emit(explanation.example)
        elif kind == _PART:
            self.part_requested.emit()
        elif kind == _PLACE:
            self._on_where_clicked()
        elif kind == _OPEN:
            self.opening_requested.emit()
        elif kind == _COPY:
            self._on_copy_clicked()
        elif kind == _RUN:
            self.run_requested.emit()
        elif kind == _SCRIPT:
            self.script_requested.emit()
        elif kind == _TARGET:
            self.target_requested.emit(number)
        else:
            QDesktopServices.openUrl(QUrl(link))

    def _on_remedy_link_hovered(self, link: str) -> None:
        """The whole of a call: its middle may be left out."""
        kind, _, number = link.partition(":")
        calls = self._error.explanation.calls if self._error is not None else ()
        self.remedy.setToolTip(escape_html(calls[int(number)]) if kind == _CALL else "")

    def _on_where_clicked(self) -> None:
        place = parse_place(self._error.explanation.where) if self._error is not None else None
        if place is not None:
            self.place_requested.emit(*place)


def render_details(explanation: Explanation) -> str:
    """Everything that is known of an error, for a bug report."""
    parts = (
        explanation.what,
        explanation.where,
        explanation.kind,
        explanation.why,
        explanation.remedy,
        explanation.full_traceback or explanation.traceback,
        explanation.output,
    )
    return strip_controls("\n\n".join(part for part in parts if part))


def _trace_of(explanation: Explanation) -> str:
    """The user's frames, or all where the error has none of the user's, and what was printed."""
    is_of_user = _FRAME in explanation.traceback or not explanation.full_traceback
    trace = explanation.traceback if is_of_user else explanation.full_traceback
    return "\n".join(part for part in (trace, explanation.output) if part.strip())


def _set_text(label: QLabel, text: str) -> None:
    """Show a text, with code in backticks set as code."""
    if _CODE.search(text) is None or _POINTER.search(text) is not None:
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setText(break_long_words(text, is_html=False))
        return
    label.setTextFormat(Qt.TextFormat.RichText)
    html = _CODE.sub(r"<code>\1</code>", escape_html(text))
    label.setText(break_long_words(html.replace("\n", "<br>"), is_html=True))


_LINKED = (
    (_SHORTCUT, _OPEN),
    (re.compile("Copy details|复制详细信息"), _COPY),
    (re.compile("Run (the call )?again|再次运行(这个调用)?"), _RUN),
    (re.compile("run the file as a script|把文件作为脚本运行"), _SCRIPT),
)


def _doing_of(error: JaxscopeError) -> str:
    """Where a click on the whole remedy leads: to the part at fault, or to the marked line."""
    if is_of_call(error):
        return _PART
    is_of_file = isinstance(error, SourceError)
    return _PLACE if is_of_file and parse_place(error.explanation.where) is not None else ""


def _rich_remedy(explanation: Explanation, doing: str) -> str:
    """With code set as code; calls, addresses of JAX's documentation and what to do as links."""
    calls = explanation.calls[:_MAX_CALLS]
    links = {
        call: f"<a href='{_CALL}:{number}'><code>{escape_html(shown)}</code></a>"
        for number, (call, shown) in enumerate(
            zip(calls, _shorten(calls, explanation), strict=True)
        )
        if shown
    }
    if links and explanation.is_misspelt:
        return tr("Did you mean {calls}?", calls=tr(" or ").join(links.values()))
    remedy = _fit(tr_said(explanation.remedy), 800)
    told = next((call for call in links if call in remedy), "")
    others = [link for call, link in links.items() if call != told]
    text = escape_html(remedy)
    text = _CODE.sub(r"<code><b>\1</b></code>", text)
    text, num_links = _ADDRESS.subn(_link, text)
    if told:
        text, num_links = text.replace(escape_html(told), links[told]), num_links + 1
    if example := escape_html(explanation.example):
        text = text.replace(example, f"<a href='{_TYPE}:'>{example}</a>")
        num_links += example in text
    if explanation.kind == UNKNOWN_TARGET:
        text, count = _TARGET_NAME.subn(rf"<a href='{_TARGET}:\g<0>'>\g<0></a>", text)
        num_links += count
    for pattern, link in _LINKED:
        text, count = pattern.subn(rf"<a href='{link}:'>\g<0></a>", text)
        num_links += count
    if text and doing and not others and not num_links:
        text = f"<a href='{doing}:'>{text}</a>"
    text = tr("What to try: {remedy}", remedy=text.replace("\n", "<br>"))
    joined = " · ".join(others)
    more = tr("Or another call: {calls}", calls=joined) if text and others else joined
    return "<br>".join(part for part in (text, more) if part)


def _shorten(calls: Sequence[str], explanation: Explanation) -> list[str]:
    """Calls without their middles where they are long, but with what differs in them, and with the
    name that the remedy speaks of.
    """
    names = _NAME.findall(explanation.remedy)

    def find_named(call: str) -> list[int]:
        found = (call.find(name) for name in names)
        return [place for place in found if place >= _LONG_CALL // 2][:1]

    shown = [strip_controls(call) for call in calls]
    return shorten_apart(shown, lambda call: len(call) < _LONG_CALL, find_named)


def _link(address: re.Match[str]) -> str:
    """By the name of what it explains: an address in full breaks over two lines."""
    name = address[1].rpartition("#")[2].rpartition(".")[2] if "#" in address[1] else ""
    shown = tr("JAX's page on {name}", name=name) if name else address[1].removeprefix("https://")
    return f"<a href='{address[1]}'>{shown}</a>"


def _fit(text: str, limit: int, most_lines: int = _MAX_LINES) -> str:
    text = strip_controls(text).strip()
    shown = "\n".join(text.splitlines()[:most_lines])[:limit]
    return text if len(text) == len(shown) else shown + " …"
