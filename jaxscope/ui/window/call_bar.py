"""The bar in which a call is typed, wrapped in transforms and run; and the list of functions and
calls of the file.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QCompleter,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from jaxscope.marks import has_marks, show_marks
from jaxscope.ui.session.call_text import (
    COMPLETIONS,
    OFFERED_TRANSFORMS,
    CallTextError,
    Transform,
    TransformUse,
    batch_size_of,
    continue_call,
    count_batched_axes,
    default_axes,
    find_base_name,
    list_called,
    list_transforms,
    move_transform,
    name_arguments,
    parse_call,
    read_chosen,
    shorten_apart,
    unwrap_call,
    word_before,
    wrap_call,
)
from jaxscope.ui.session.state import OfferedFunction
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.theme import fixed_font
from jaxscope.ui.toolkit.widgets import (
    ChoiceBox,
    LetterMenu,
    MenuButton,
    fill_box,
    make_label,
    restyle,
)

_MIN_PREFIX = 1
_MAX_HISTORY = 200
_READ_MS = 6000
"""How long a message is seen that nothing has to be done about."""


class CallEdit(QLineEdit):
    """An address bar for calls, in which the names of transforms are tinted.

    Attributes:
        file: The path of the file that calls are of.

    Signals:
        run_requested: Enter was pressed.
        transform_clicked: The number of a transform, the outermost 0, and where on the screen.
    """

    run_requested = Signal()
    transform_clicked = Signal(int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.file = ""
        self._history: list[str] = []
        self._file_of: dict[str, str] = {}
        self._position = 0
        self._draft = ""
        self._words: list[str] = []
        self._calls: tuple[str, ...] = ()
        self._notes: Mapping[str, str] = {}
        self._offers = QStandardItemModel(self)
        self._completer = QCompleter(self._offers, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._popup = QListView()
        self._popup.setProperty("role", "popup")
        self._completer.setPopup(self._popup)
        self._noted = _Noted(self._popup)
        self._popup.setItemDelegate(self._noted)  # after the completer has set its own
        self._completer.setWidget(self)
        self._popup.installEventFilter(self)  # after the completer's own: it comes before that
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_application_focus_changed)
        self._completer.activated.connect(self._on_completer_activated)
        self.textEdited.connect(self._on_self_text_edited)
        self.textChanged.connect(self._on_self_text_changed)
        self._transforms: tuple[TransformUse, ...] = ()
        self._tint = self._problem_colour = QColor()
        self._part = ""
        self.setMouseTracking(True)
        self.setPlaceholderText(tr("Type a call, such as grad(loss)(f32[8, 2]), and press Enter"))
        self.setAccessibleName(tr("Call"))
        self.set_names(())

    def set_names(
        self,
        names: Iterable[str],
        calls: Iterable[str] = (),
        signatures: Mapping[str, str] | None = None,
    ) -> None:
        """Offer the names of a file, next to those that every call may use.

        Args:
            names: Of what can be called.
            calls: Whole calls that the file offers.
            signatures: Of functions, by name.
        """
        offered = {*names, *(word for words in COMPLETIONS.values() for word in words)}
        self._popup.hide()  # of other names
        self._words, self._calls = sorted(offered, key=str.casefold), tuple(calls)
        told = {each.name: tr(each.effect) for each in OFFERED_TRANSFORMS}
        self._notes = told | dict(signatures or {})

    def set_history(self, calls: Sequence[str], files: Iterable[Sequence[str]] = ()) -> None:
        """Set what the arrow keys walk through, oldest first.

        Args:
            files: Pairs of a file and a call that was run on it, oldest first.
        """
        self._history = list(calls)[-_MAX_HISTORY:]
        self._file_of.update((call, file) for file, call in files)
        self._position = len(self._history)

    def remember(self, before: str = "") -> None:
        """Put the present text at the end of the history, after the call that was run before."""
        for text in (before, self.text().strip()):
            if text:
                self._file_of[text] = self.file
                self.set_history([*(call for call in self._history if call != text), text])

    @property
    def history(self) -> tuple[str, ...]:
        return tuple(self._history)

    @property
    def calls_with_files(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a file and a call that was run on it last, oldest first."""
        return tuple((self._file_of[c], c) for c in self._history if self._file_of.get(c))

    def is_of_file(self, call: str) -> bool:
        """Whether a call may have been run on the file; other files have functions of its names."""
        return self._file_of.get(call, self.file) == self.file

    def forget_typing(self) -> None:
        """What was typed is run: from now on the call is undone as a whole."""
        place = self.cursorPosition()
        self.setText(self.text())
        self.setCursorPosition(place)

    def show_start(self) -> None:
        """Begin with what is called, where not all fits and nobody has typed yet."""
        wide_px = self.fontMetrics().horizontalAdvance(self.text())
        if not self.isModified() and wide_px > self.contentsRect().width():
            self.home(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_start()

    def set_points(self, points: float) -> None:
        """Use a size of type."""
        self.setFont(fixed_font(points))
        self._popup.setFont(fixed_font(points))

    def set_colours(self, tint: QColor, problem: QColor, muted: QColor) -> None:
        """The colours behind the names of transforms, below what is at fault, and of notes."""
        self._tint, self._problem_colour = tint, problem
        self._noted.muted = muted
        self.update()

    def underline(self, part: str) -> None:
        """Underline where a part of the call stands first; an empty one ends that."""
        if part != self._part:
            self._part = part
            self.update()

    @property
    def underlined(self) -> tuple[int, int] | None:
        """Where the part at fault begins and ends; None where none is known."""
        return _find_part(self.text(), self._part)

    def select_part(self) -> None:
        """Put the cursor into the call, and select what is at fault in it."""
        self.setFocus()
        start, end = self.underlined or (0, len(self.text()))
        self.setSelection(start, end - start)

    def area_of(self, index: int) -> QRect:
        """Where a transform's name stands; empty where it is out of sight."""
        use = self._transforms[index]
        return self._area_between(use.start, use.end)

    def _area_between(self, start: int, end: int) -> QRect:
        metrics, cursor = self.fontMetrics(), self.cursorRect()
        begin = cursor.center().x() - metrics.horizontalAdvance(
            self.displayText()[: self.cursorPosition()]
        )
        left = begin + metrics.horizontalAdvance(self.text()[:start])
        width = metrics.horizontalAdvance(self.text()[start:end])
        area = QRect(left - 1, cursor.top(), width + 3, cursor.height())
        return area.intersected(self.rect().adjusted(4, 0, -4, 0))

    def _transform_at(self, place: QPoint) -> int | None:
        areas = map(self.area_of, range(len(self._transforms)))
        return next((n for n, area in enumerate(areas) if area.contains(place)), None)

    def transform_in_hand(self) -> int | None:
        """The number of the transform at the cursor, else of the outermost; None without any."""
        at = self.cursorPosition()
        inside = (n for n, use in enumerate(self._transforms) if use.start <= at <= use.end)
        return next(inside, 0 if self._transforms else None)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._tint)
        for index in range(len(self._transforms)):
            painter.drawRoundedRect(self.area_of(index), 4, 4)
        if self.underlined is not None:
            line = self._area_between(*self.underlined)
            painter.fillRect(line.left(), line.bottom() - 1, line.width(), 2, self._problem_colour)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        is_over = self._transform_at(event.position().toPoint()) is not None
        shape = Qt.CursorShape.PointingHandCursor if is_over else Qt.CursorShape.IBeamCursor
        self.setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self._transform_at(event.position().toPoint())
        is_click = event.button() == Qt.MouseButton.LeftButton and not self.hasSelectedText()
        if is_click and index is not None:
            place = self.mapToGlobal(self.area_of(index).bottomLeft())
            self.transform_clicked.emit(index, place)

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window where nothing was typed; Qt would keep the keys."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            keys = QKeySequence.StandardKey
            is_spent = event.matches(keys.Undo) and not self.isUndoAvailable()
            if is_spent or (event.matches(keys.Redo) and not self.isRedoAvailable()):
                event.ignore()
                return False
        return super().event(event)

    def _on_self_text_changed(self, text: str) -> None:
        if has_marks(text):  # the call that is run is the one that is read
            place = self.cursorPosition()
            self.setText(show_marks(text))
            self.setCursorPosition(place)
            return
        self._transforms = list_transforms(text)

    def setText(self, text: str | None) -> None:
        self._popup.hide()  # it completes what was typed
        super().setText(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """While words are offered, `Esc` closes them, and no command of the window is meant."""
        is_key = event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if is_key and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.KeyPress:
                self._popup.hide()
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _on_application_focus_changed(self, _before: object, now: QWidget | None) -> None:
        if now is not None and now not in (self, self._popup):
            self._popup.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._popup
        if popup.isVisible() and event.key() in (
            Qt.Key.Key_Return,
            Qt.Key.Key_Enter,
            Qt.Key.Key_Tab,
        ):
            if popup.currentIndex().isValid():
                self._on_completer_activated(popup.currentIndex().data())
                return
            popup.hide()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_requested.emit()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._walk(-1 if event.key() == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)

    def _walk(self, step: int) -> None:
        position = self._position + step
        if 0 <= position < len(self._history) and self._history[position] == self.text().strip():
            position += step  # it stands there already
        if not 0 <= position <= len(self._history):
            return
        if self._position == len(self._history):
            self._draft = self.text()
        self._position = position
        self.setText(self._draft if position == len(self._history) else self._history[position])

    def _on_self_text_edited(self, _text: str) -> None:
        self._position = len(self._history)
        text, at = self.text(), self.cursorPosition()
        word, is_at_end = word_before(text, at), at == len(text)
        prefix = word.casefold()
        words = [w for w in self._words if len(word) >= _MIN_PREFIX and w != word
                 and w.casefold().startswith(prefix)]  # fmt: skip
        known = (*self._calls, *reversed(self._calls_before()))
        calls = continue_call(text, known)[:_MOST_CALLS] if is_at_end else []
        self._offers.clear()
        for told in (*calls, *words):
            item = QStandardItem(told)
            item.setData(self._notes.get(told, ""), _NOTE_ROLE)
            self._offers.appendRow(item)
        if not (calls or words):
            self._popup.hide()
            return
        start = 0 if calls else at - len(word)
        area = self._area_between(start, at) if start < at else self.cursorRect()
        area.translate(-_BEFORE_OFFER_PX, 0)  # so that the same letters stand below each other
        area.setWidth(min(self._popup.sizeHintForColumn(0) + _BESIDE_OFFERS_PX, self.width()))
        self._completer.complete(area)

    def _calls_before(self) -> list[str]:
        """Calls that were run, of functions that the file has."""
        recent = self._history[-_MOST_RECENT:]
        return [c for c in recent if find_base_name(c) in self._words and self.is_of_file(c)]

    def _on_completer_activated(self, told: str) -> None:
        """Put in what was chosen: a whole call, or a name for the beginning of it."""
        text, position = self.text(), self.cursorPosition()
        start = position - len(word_before(text, position))
        is_call = told not in self._words
        self.setText(told if is_call else text[:start] + told + text[position:])
        self.setCursorPosition(len(told) if is_call else start + len(told))


_MOST_CALLS, _MOST_RECENT = 6, 30
_BESIDE_OFFERS_PX, _BEFORE_OFFER_PX = 28, 10
_NOTE_ROLE = Qt.ItemDataRole.UserRole
_NOTE_GAP_PX = 16


class _Noted(QStyledItemDelegate):
    """Shows a note behind what is offered, in `muted`."""

    muted = QColor()

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        size = super().sizeHint(option, index)
        if note := index.data(_NOTE_ROLE):
            size += QSize(_NOTE_GAP_PX + option.fontMetrics.horizontalAdvance(note), 0)
        return size

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        option.state &= ~QStyle.StateFlag.State_HasFocus  # the ground tells what is chosen
        super().paint(painter, option, index)
        if note := index.data(_NOTE_ROLE):
            plain = super().sizeHint(option, index).width()
            area = option.rect.adjusted(plain + _NOTE_GAP_PX, 0, 0, 0)
            painter.save()
            painter.setFont(option.font)
            painter.setPen(self.muted)
            told = option.fontMetrics.elidedText(note, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, told)
            painter.restore()


class CallSteps:
    """The calls of a file that were run, in order, and which of them is shown: undo and redo."""

    def __init__(self) -> None:
        self._noted = ("", "")
        self._calls: list[str] = []
        self._traced: set[str] = set()
        self._at = -1

    def note(self, file: str, call: str) -> None:
        """A call is run; another than before takes the place of what could be redone.

        The same call again is no other: it is noted many times, and once more between `go` and the
        run of the call that `go` gave.
        """
        if (file, call) == self._noted:
            return
        if file != self._noted[0]:
            self._calls, self._at, self._traced = [], -1, set()
        self._noted = file, call
        if call and call not in self._calls[self._at : self._at + 1]:
            self._calls[self._at + 1 :] = [call]
            self._at += 1

    def note_end(self, file: str, call: str, *, has_traced: bool) -> None:
        """A call came as far as its stages, or will not: one that never did is no step."""
        self.note(file, call if has_traced else "")
        if has_traced:
            self._traced.add(call)
        elif call not in self._traced and call in self._calls[self._at : self._at + 1]:
            del self._calls[self._at]
            self._at -= 1

    def go(self, step: int, text: str) -> str:
        """The call before, or after; what was typed and not run is a step of its own.

        Args:
            step: -1 or 1.
            text: What stands in the line.

        Returns:
            The call, which is noted as shown; empty where there is none.
        """
        is_typed = step < 0 and self._at >= 0 and text != self._calls[self._at]
        at = self._at + (0 if is_typed else step)
        if not 0 <= at < len(self._calls):
            return ""
        self._at = at
        return self._calls[at]


def _find_part(text: str, part: str) -> tuple[int, int] | None:
    """Where a part of a call stands: a name as a whole word."""
    if not part:
        return None
    edge = r"(?<![\w.])" if part.isidentifier() else ""
    found = re.search(edge + re.escape(part) + (r"(?!\w)" if edge else ""), text)
    return None if found is None else found.span()


_MAX_ARGUMENT = 60
_AXES: Sequence[tuple[str, int | None]] = (
    ("the same for all", None),
    ("axis 0", 0),
    ("axis 1", 1),
    ("axis 2", 2),
)


class TransformForm(QFrame):
    """A popup over the window, with the call that it makes; `accepted` carries that.

    Args:
        call: Without the transform.
        transform: What is put around its function.
        signature: Of the base function, for the names of arguments.
        depth: How many of the call's transforms are to stay outside of this one.
    """

    accepted = Signal(str)

    def __init__(
        self, call: str, transform: Transform, parent: QWidget, signature: str = "", depth: int = 0
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._call, self._transform, self._depth = call, transform, depth
        arguments = parse_call(call).arguments
        named = [_shorten(text) for text in name_arguments(arguments, signature)]
        self.checks: list[QCheckBox] = []
        self._axes: list[QComboBox] = []
        self._batch = QSpinBox()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        title = make_label(transform.name, "heading")
        layout.addWidget(title)
        layout.addWidget(QLabel(tr(transform.effect)))
        if transform.picks_axes:
            self._add_axes(layout, arguments, named)
        else:
            self._add_checks(layout, named)
        self.made = make_label(wraps=True)
        self.made.setAccessibleName(tr("The call that this makes"))
        layout.addWidget(self.made)
        apply = QPushButton(tr("Apply"), default=True)
        apply.setProperty("role", "primary")
        apply.clicked.connect(self._on_apply_clicked)
        layout.addWidget(apply, alignment=Qt.AlignmentFlag.AlignRight)
        apply.setFocus()
        self._show_made()

    def choose(self, chosen: Sequence[int | None], batch_size: int | None) -> None:
        """Begin with the arguments, or the axis of each, that a transform has in the call."""
        for index, check in enumerate(self.checks):
            check.setChecked(index in chosen)
        for choice, axis in zip(self._axes, chosen, strict=False):
            _choose_axis(choice, axis)
        if batch_size is not None:
            self._batch.setValue(batch_size)

    def _add_checks(self, layout: QVBoxLayout, named: Sequence[str]) -> None:
        layout.addWidget(QLabel(tr("With respect to:")))
        for index, argument in enumerate(named):
            check = QCheckBox(argument)
            check.setChecked(index == 0)
            check.toggled.connect(self._show_made)
            layout.addWidget(check)
            self.checks.append(check)

    def _add_axes(
        self, layout: QVBoxLayout, arguments: Sequence[str], named: Sequence[str]
    ) -> None:
        grid = QGridLayout()
        for index, (argument, axis) in enumerate(zip(named, default_axes(arguments), strict=True)):
            choice = ChoiceBox()
            most = count_batched_axes(arguments[index])
            for label, value in _AXES:
                if value is None or most is None or value < most:
                    choice.addItem(tr(label), value)
            _choose_axis(choice, axis)
            choice.setAccessibleName(tr("Axis of argument {argument}", argument=argument))
            choice.currentIndexChanged.connect(self._show_made)
            grid.addWidget(QLabel(argument), index, 0)
            grid.addWidget(choice, index, 1)
            self._axes.append(choice)
        self._batch.setRange(1, 1_000_000)
        self._batch.setValue(16)
        self._batch.setAccessibleName(tr("Batch size"))
        self._batch.valueChanged.connect(self._show_made)
        grid.addWidget(QLabel(tr("Batch size of shorthands")), len(arguments), 0)
        grid.addWidget(self._batch, len(arguments), 1)
        layout.addLayout(grid)

    def _make_call(self) -> str:
        argnums = [index for index, check in enumerate(self.checks) if check.isChecked()]
        axes = [choice.currentData() for choice in self._axes] if self._axes else None
        if self.checks and not argnums:
            raise CallTextError(tr("Choose at least one argument."))
        text = wrap_call(
            self._call,
            self._transform.name,
            argnums=argnums or (0,),
            axes=axes,
            batch_size=self._batch.value(),
        )
        for index in range(self._depth):
            text = move_transform(text, index, 1)
        return text

    def _show_made(self) -> None:
        try:
            text, role = self._make_call(), "muted"
        except CallTextError as error:
            text, role = str(error), "error"
        self.made.setText(text)
        if self.made.property("role") != role:
            self.made.setProperty("role", role)
            restyle(self.made)
        self.adjustSize()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._keep_on_screen()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_on_screen()

    def _keep_on_screen(self) -> None:
        window = (self.parentWidget() or self).window().geometry()
        room = self.screen().availableGeometry()
        right = min(room.right(), max(window.right(), window.left() + self.width()))
        left = min(self.x(), right + 1 - self.width())
        self.move(max(left, room.left()), min(self.y(), room.bottom() + 1 - self.height()))

    def _on_apply_clicked(self) -> None:
        with contextlib.suppress(CallTextError):
            self.accepted.emit(self._make_call())
            self.close()


class _Chosen(NamedTuple):
    """A transform in a call, and what a form of it begins with.

    Attributes:
        call: Without the transform.
        transform: Which one.
        chosen: The arguments, or the axis of each.
        batch_size: Of shorthands, where `vmap` runs over some.
    """

    call: str
    transform: Transform
    chosen: tuple[int | None, ...]
    batch_size: int | None


def _choose_axis(choice: QComboBox, axis: int | None) -> None:
    offered = [choice.itemData(number) for number in range(choice.count())]
    choice.setCurrentIndex(offered.index(axis) if axis in offered else 0)


def _find_chosen(text: str, index: int) -> _Chosen | None:
    """None where a transform has nothing to choose, or more than a form can show."""
    uses = list_transforms(text)
    names = [use.name.rpartition(".")[2] for use in uses]
    transform = next((each for each in OFFERED_TRANSFORMS if each.name == names[index]), None)
    if transform is None or not (transform.picks_arguments or transform.picks_axes):
        return None
    try:
        inner = unwrap_call(text, index)
        num = len(parse_call(inner).arguments)
        chosen = read_chosen(uses[index], num)
    except CallTextError:
        return None
    if chosen is None or num < 2 or (transform.picks_axes and names.count("vmap") > 1):
        return None  # of several, each has axes that the others move
    shown = [value for _, value in _AXES] if transform.picks_axes else [*range(num)]
    if not set(chosen) <= set(shown):
        return None
    size = batch_size_of(text, chosen) if transform.picks_axes else None
    return _Chosen(inner, transform, chosen, size)


def _shorten(argument: str) -> str:
    half = _MAX_ARGUMENT // 2
    return argument if len(argument) <= _MAX_ARGUMENT else f"{argument[:half]}…{argument[-half:]}"


_WIDTH_PX, _ROW_PADDING_PX = 560, 6
_AROUND_LIST_PX = 60
"""Margins of the list, and its scroll bar."""
_AROUND_CALL_PX = 16
_CALL_ROLE = Qt.ItemDataRole.UserRole
_FUNCTION_ROLE = Qt.ItemDataRole.UserRole + 1
_FILE_ROLE = Qt.ItemDataRole.UserRole + 2
_SAMPLES_ROLE = Qt.ItemDataRole.UserRole + 3
_MOST_RECENT = 5


class FunctionList(QFrame):
    """A popup of functions and calls, and of files that were opened before.

    Signals:
        call_chosen: An offered call, or one that was run before.
        function_chosen: A function that offers none.
        file_chosen: The path of a file.
        samples_requested: The page with all samples is asked for.
    """

    samples_requested = Signal()
    call_chosen = Signal(str)
    file_chosen = Signal(str)
    function_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popup")
        self._functions: Sequence[OfferedFunction] = ()
        self._marked = ""
        self._recent: list[QTreeWidgetItem] = []
        title = make_label(tr("Functions"), "label")
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setAccessibleName(tr("Functions of the file and the calls it offers"))
        self.tree.setIndentation(14)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.tree.itemClicked.connect(self._on_tree_item_chosen)
        self.tree.itemActivated.connect(self._on_tree_item_chosen)
        fill_box(QVBoxLayout(self), title, (self.tree, 1), margins=(12, 9, 6, 6), spacing=4)

    @property
    def functions(self) -> Sequence[OfferedFunction]:
        """The functions that the list offers."""
        return self._functions

    def show_functions(self, functions: Sequence[OfferedFunction], call: str = "") -> None:
        """Show these functions, and mark the call among theirs that is shown now."""
        if tuple(functions) != tuple(self._functions):
            self._functions = tuple(functions)
            self._marked = ""
            self._fill(functions)
        self._mark(call)

    def show_recent(self, calls: Sequence[str], files: Sequence[str]) -> None:
        """List below the functions what was run and opened before, and where the samples are."""
        for item in self._recent:
            self.tree.takeTopLevelItem(self.tree.indexOfTopLevelItem(item))
        self._recent = [
            _make_recent(tr("Recent calls"), _CALL_ROLE, [(call, call) for call in calls]),
            _make_recent(tr("Recent files"), _FILE_ROLE, [(os.path.basename(f), f) for f in files]),
        ]
        samples = QTreeWidgetItem([tr("All samples with pictures ›")])
        samples.setData(0, _SAMPLES_ROLE, True)
        self._recent = [*(item for item in self._recent if item.childCount()), samples]
        for item in self._recent:
            self.tree.addTopLevelItem(item)
            item.setExpanded(True)

    def open_at(self, button: QWidget) -> None:
        """Show it below a button, as large as its rows and the window allow."""
        tops = [self.tree.topLevelItem(row) for row in range(self.tree.topLevelItemCount())]
        rows = len(tops) + sum(top.childCount() for top in tops if top is not None)
        row_px = self.fontMetrics().height() + _ROW_PADDING_PX
        height = (rows + 1) * max(self.tree.sizeHintForRow(0), row_px) + 3 * _ROW_PADDING_PX
        room = button.window().size()
        width = min(max(self._widest_call() + _AROUND_LIST_PX, _WIDTH_PX), room.width() - 40)
        self.resize(width, min(height, room.height() * 2 // 3))
        self.move(button.mapToGlobal(button.rect().bottomLeft()))
        self.show()
        self._fit_calls()
        self.tree.setFocus()

    def _widest_call(self) -> int:
        """What the calls of functions, and those that were run, need."""
        metrics = self.tree.fontMetrics()
        tops = [self.tree.topLevelItem(row) for row in range(self.tree.topLevelItemCount())]
        rows = [top.child(at) for top in tops if top is not None for at in range(top.childCount())]
        calls = [row.data(0, _CALL_ROLE) or "" for row in rows if row is not None]
        widest = max((metrics.horizontalAdvance(show_marks(call)) for call in calls), default=0)
        return widest + 2 * self.tree.indentation() + _AROUND_CALL_PX

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._fit_calls)
        QTimer.singleShot(0, self, self._keep_in_view)

    def _fit_calls(self) -> None:
        """Shorten the calls of each function that have no room, so that no two read alike."""
        metrics = self.tree.fontMetrics()
        room = self.tree.viewport().width() - 2 * self.tree.indentation() - _AROUND_CALL_PX
        for row in range(self.tree.topLevelItemCount()):
            top = self.tree.topLevelItem(row)
            children = [top.child(at) for at in range(top.childCount())] if top is not None else []
            items = [child for child in children if child is not None]
            calls = [show_marks(item.data(0, _CALL_ROLE) or "") for item in items]
            shown = shorten_apart(calls, lambda call: metrics.horizontalAdvance(call) <= room)
            for item, call, short in zip(items, calls, shown, strict=True):
                if call:
                    item.setText(0, short)
                    item.setData(0, Qt.ItemDataRole.AccessibleTextRole, call)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:  # rows get another height with the theme
            QTimer.singleShot(0, self, self._keep_in_view)

    def _keep_in_view(self) -> None:
        marked = self.tree.selectedItems()
        if marked:
            self.tree.scrollToItem(marked[0])

    def _fill(self, functions: Sequence[OfferedFunction]) -> None:
        self.tree.clear()
        self._recent = []
        for function in functions:
            item = QTreeWidgetItem([function.name or tr("calls")])
            item.setData(0, _FUNCTION_ROLE, function.name)
            tip = [function.signature or function.name, function.doc]
            if not function.calls:
                tip.append(tr("Click: jaxscope looks for arguments that it takes."))
            item.setToolTip(0, "\n".join(part for part in tip if part)[:600])
            self.tree.addTopLevelItem(item)
            for call in function.calls:
                child = QTreeWidgetItem([call])
                child.setData(0, _CALL_ROLE, call)
                child.setToolTip(0, call)
                item.addChild(child)
            item.setExpanded(True)

    def _mark(self, call: str) -> None:
        """Mark the call that is shown now, or none; once, so that arrow keys can walk on."""
        if call == self._marked:
            return
        self._marked = call
        tops = [self.tree.topLevelItem(row) for row in range(self.tree.topLevelItemCount())]
        items = [top.child(row) for top in tops if top for row in range(top.childCount())]
        found = next((item for item in items if item and item.data(0, _CALL_ROLE) == call), None)
        if found is not None:
            self.tree.setCurrentItem(found)
        else:
            self.tree.clearSelection()

    def _on_tree_item_chosen(self, item: QTreeWidgetItem, _column: int) -> None:
        self.hide()
        call = item.data(0, _CALL_ROLE)
        if call:
            self.call_chosen.emit(call)
        elif (first := item.child(0)) is not None:
            self.call_chosen.emit(first.data(0, _CALL_ROLE))
        elif item.data(0, _FUNCTION_ROLE):
            self.function_chosen.emit(item.data(0, _FUNCTION_ROLE))
        elif item.data(0, _FILE_ROLE):
            self.file_chosen.emit(item.data(0, _FILE_ROLE))
        elif item.data(0, _SAMPLES_ROLE):
            self.samples_requested.emit()


def _make_recent(title: str, role: int, rows: Sequence[tuple[str, str]]) -> QTreeWidgetItem:
    """A heading that cannot be chosen, with what was used before below it."""
    top = QTreeWidgetItem([title])
    top.setFlags(Qt.ItemFlag.NoItemFlags)
    for text, value in rows:
        child = QTreeWidgetItem([show_marks(text)])
        child.setData(0, role, value)
        child.setToolTip(0, show_marks(value))
        top.addChild(child)
    return top


_TARGETS = (
    *("cpu", "cpu:2", "cpu:8", "gpu", "tpu"),
    *("aot:tpu:v5e:2x2", "aot:tpu:v6e:1x1", "aot:tpu:v5p:2x2x1", "aot:tpu:tpu7x:2x2x1"),
    *("aot:gpu:h100", "aot:gpu:h100:8", "aot:gpu:a100", "aot:gpu:b200", "aot:gpu:rtx4090"),
)
"""Suggestions; any target can be typed. `aot:` compiles for a chip that need not be here."""
_TARGET_CHARS = range(7, 17)
"""The field for the target is as wide as its text, so that the call has the room."""


def _mark_problem(field: QWidget, is_at_fault: bool) -> None:
    if field.property("problem") != is_at_fault:
        field.setProperty("problem", is_at_fault)
        restyle(field)


class CallBar(QWidget):
    """Where a call is typed, wrapped and run. It shows state; it holds none but the text."""

    run_requested = Signal()
    stop_requested = Signal()
    skip_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = CallEdit()
        self.target = ChoiceBox()
        self.target.setEditable(True)
        self.target.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.target.addItems(_TARGETS)
        self.target.setAccessibleName(tr("Target"))
        self.target.setToolTip(
            tr(
                "The kind of device to compile for; aot: compiles for a chip that is not here, "
                "ssh://host/gpu:0 is one of another machine's"
            )
        )
        self.target.setSizeAdjustPolicy(
            ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.target.setMinimumContentsLength(_TARGET_CHARS.start)
        self.target.currentTextChanged.connect(self._on_target_text_changed)
        self.target.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.run_button = QPushButton(tr("Run"))
        self.run_button.setProperty("role", "primary")
        self.run_button.setToolTip(tr("Trace, compile and show this call (Enter or Ctrl+R)"))
        self.stop_button = QPushButton(tr("Stop"))
        self.stop_button.setProperty("role", "stop")
        self.stop_button.setToolTip(tr("Stop what is running (Esc)"))
        self.stop_button.hide()
        self.skip_button = QPushButton(tr("Skip this"))
        self.skip_button.setToolTip(
            tr("Leave out what is being measured now, and go on with the rest (Ctrl+Shift+S)")
        )
        self.skip_button.hide()
        for button in (self.run_button, self.skip_button, self.stop_button):
            # They take each other's place: a click must leave the keyboard where it was.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._problem = make_label(role="error")
        self.functions = FunctionList(self)
        self.recent_files: Sequence[str] = ()
        self.functions_button, self._has_file = QToolButton(), False
        self._text = ""
        self._tools = QWidget()
        self.add_menu, self.transform_menu = LetterMenu(self), QMenu(self)
        self.add_button = MenuButton(self.add_menu)
        self.form: TransformForm | None = None
        self._build()

    def _build(self) -> None:
        self.add_button.setText(tr("+ transform"))
        self.add_button.setProperty("role", "link")
        self.add_button.setToolTip(tr("Put a transform around the function"))
        for transform in OFFERED_TRANSFORMS:
            action = self.add_menu.addAction(f"{transform.name}\t{tr(transform.effect)}")
            action.setData(transform)
        self.add_menu.triggered.connect(self._on_add_menu_triggered)
        self.transform_menu.triggered.connect(self._on_transform_menu_triggered)
        self.functions_button.setProperty("role", "more")
        self.functions_button.setToolTip(tr("The functions of the file, and the calls it offers"))
        self.functions_button.setAccessibleName(tr("Functions of the file"))
        self.functions_button.clicked.connect(self.open_functions)
        self.functions_button.hide()
        top = fill_box(QHBoxLayout(), self.functions_button, (self.edit, 1), spacing=8)
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(0, 0, 0, 0)
        tools.setSpacing(8)
        for tool in (
            *(self.add_button, self.target, self.run_button),
            *(self.skip_button, self.stop_button),
        ):
            tools.addWidget(tool)
        top.addWidget(self._tools)
        self._problem.hide()
        self._passing = QTimer(self, singleShot=True, interval=_READ_MS)
        self._passing.timeout.connect(self._problem.hide)
        fill_box(QVBoxLayout(self), top, self._problem, margins=(0, 0, 0, 0), spacing=6)
        self.setTabOrder(self.edit, self.functions_button)
        self.edit.run_requested.connect(self.run_requested)
        typed = self.target.lineEdit()
        assert typed is not None
        typed.returnPressed.connect(self.run_requested)
        self.run_button.clicked.connect(self.run_requested)
        self.stop_button.clicked.connect(self.stop_requested)
        self.skip_button.clicked.connect(self.skip_requested)
        self.edit.textChanged.connect(self._on_edit_text_changed)
        self.edit.transform_clicked.connect(self._on_edit_transform_clicked)

    def set_call(self, text: str) -> None:
        """Put a call into the line. One that does not fit shows its start: what is called."""
        if text != self.edit.text():
            self.edit.setText(text)
            self.edit.show_start()

    def show_functions(
        self, file: str, functions: Sequence[OfferedFunction], call: str, text: str
    ) -> None:
        """Name the file, and list its functions and calls behind that name.

        Args:
            file: Its path.
            functions: Of it.
            call: That is chosen.
            text: Of the file: calls of other files are not offered again.
        """
        self._text = text
        name = os.path.basename(file)
        self.functions_button.setText(f"{show_marks(name)} ▾")
        self.edit.file, self._has_file = file, bool(name)
        self.functions_button.setVisible(self._has_file and not self._tools.isHidden())
        if tuple(functions) != tuple(self.functions.functions):
            bases = [find_base_name(call) for each in functions for call in each.calls]
            names = {*(f.name for f in functions), *bases} - {""}
            calls = [each for f in functions for each in f.calls]
            self.edit.set_names(
                names, calls, {f.name: f.signature.removeprefix(f.name) for f in functions}
            )
        self.functions.show_functions(functions, call)

    @property
    def target_text(self) -> str:
        """The target that is chosen or typed."""
        return self.target.currentText().strip() or "cpu"

    def set_bare(self, *, is_bare: bool) -> None:
        """Show the call alone, without anything around it; the keyboard comes to it by choice."""
        self.edit.setFocusPolicy(
            Qt.FocusPolicy.ClickFocus if is_bare else Qt.FocusPolicy.StrongFocus
        )
        self._tools.setHidden(is_bare)
        self.functions_button.setVisible(self._has_file and not is_bare)

    def choose_target(self) -> None:
        """Show the list of targets."""
        self.target.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.target.showPopup()

    def open_functions(self) -> None:
        """Show the functions of the file, and what was run of them or opened before."""
        functions = self.functions.functions
        offered = {call for function in functions for call in function.calls}
        names = {function.name for function in functions} - {""}
        words = names | set(re.findall(r"\w+", self._text))
        calls = [
            call
            for call in reversed(self.edit.history)
            if call not in offered
            and self.edit.is_of_file(call)
            and find_base_name(call) in names
            and list_called(call) <= words
        ]
        files = [file for file in self.recent_files if file != self.edit.file]
        self.functions.show_recent(calls[:_MOST_RECENT], files[:_MOST_RECENT])
        self.functions.open_at(self.functions_button)

    def add_transform(self) -> None:
        """List the transforms, for the keyboard."""
        self.add_menu.popup(self.add_button.mapToGlobal(self.add_button.rect().bottomLeft()))
        self.add_menu.setActiveAction(self.add_menu.actions()[0])

    def change_transform(self) -> None:
        """Offer, for the keyboard, what can be done with the transform at the cursor, or with the
        outermost one.
        """
        index = self.edit.transform_in_hand()
        if index is None:
            self._complain(CallTextError(tr("The call has no transform.")))
            self._passing.start()
            return
        place = self.edit.mapToGlobal(self.edit.area_of(index).bottomLeft())
        self._on_edit_transform_clicked(index, place)
        if not self.transform_menu.isEmpty():
            self.transform_menu.setActiveAction(self.transform_menu.actions()[0])

    def set_running(self, *, is_running: bool, is_stopping: bool, can_run: bool) -> None:
        """Show Run or Stop, whichever makes sense."""
        self.run_button.setVisible(not is_running)
        self.run_button.setEnabled(can_run)
        self.stop_button.setVisible(is_running)
        self.stop_button.setText(tr("Stopping …") if is_stopping else tr("Stop"))

    def set_failed(self, *, is_failed: bool, part: str = "") -> None:
        """Mark the call as what failed, and underline the part of it that is at fault."""
        self.edit.underline(part)
        _mark_problem(self.edit, is_failed)

    def set_target_failed(self, *, is_failed: bool) -> None:
        """Mark the target as what is at fault."""
        _mark_problem(self.target, is_failed)

    def _on_edit_text_changed(self, _text: str) -> None:
        self._problem.hide()
        self.set_failed(is_failed=False)

    def _on_target_text_changed(self, text: str) -> None:
        self.set_target_failed(is_failed=False)
        wanted = min(max(len(text) + 1, _TARGET_CHARS.start), _TARGET_CHARS.stop)
        self.target.setMinimumContentsLength(wanted)

    def _on_add_menu_triggered(self, action: QAction) -> None:
        transform, text = action.data(), self.edit.text()
        try:
            num_arguments = len(parse_call(text).arguments)
            wrapped = wrap_call(text, transform.name)
        except CallTextError as error:
            self._complain(error)
            return
        if num_arguments > 1 and (transform.picks_arguments or transform.picks_axes):
            form = TransformForm(text, transform, self, self._signature_of(text))
            self._show_form(form, self.add_button.mapToGlobal(self.add_button.rect().bottomLeft()))
        else:
            self._accept(wrapped)

    def _signature_of(self, call: str) -> str:
        """The parameters of the function that a call is about, as the file has them."""
        base, functions = find_base_name(call), self.functions.functions
        return next((each.signature for each in functions if each.name == base), "")

    def _on_edit_transform_clicked(self, index: int, place: QPoint) -> None:
        """Offer what can be done with a transform, each with the call that it makes."""
        text, menu = self.edit.text(), self.transform_menu
        menu.clear()
        if _find_chosen(text, index) is not None:
            menu.addAction(tr("Arguments …")).setData((index, place))
        for label, change in (
            (tr("Remove"), functools.partial(unwrap_call, text, index)),
            (tr("Move outward"), functools.partial(move_transform, text, index, -1)),
            (tr("Move inward"), functools.partial(move_transform, text, index, 1)),
        ):
            with contextlib.suppress(CallTextError):
                if (changed := change()) != text:  # two transforms that are alike
                    menu.addAction(f"{label}\t{changed}").setData(changed)
        if not menu.isEmpty():
            menu.popup(place)

    def _on_transform_menu_triggered(self, action: QAction) -> None:
        data = action.data()
        if isinstance(data, str):
            self._accept(data)
        else:
            self._open_arguments(*data)

    def _open_arguments(self, index: int, place: QPoint) -> None:
        """Show the form of a transform that is in the call, with what it has."""
        text = self.edit.text()
        chosen = _find_chosen(text, index)
        if chosen is not None:
            signature = self._signature_of(text)
            form = TransformForm(chosen.call, chosen.transform, self, signature, index)
            form.choose(chosen.chosen, chosen.batch_size)
            self._show_form(form, place)

    def _show_form(self, form: TransformForm, place: QPoint) -> None:
        self.form = form
        form.accepted.connect(self._accept)
        form.move(place)
        form.show()

    def _complain(self, error: CallTextError) -> None:
        self._passing.stop()
        self._problem.setText(str(error))
        self._problem.show()

    def _accept(self, text: str) -> None:
        self.edit.setText(text)
        self.run_requested.emit()
