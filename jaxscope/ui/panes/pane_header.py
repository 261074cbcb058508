"""The row above a pane: its grip, stage, form, search field and buttons."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.widgets import RESIZING, ChoiceBox, fill_box, restyle

_DOT_PX, _GAP_PX = 2, 5


class PaneGrip(QWidget):
    """Six dots, while the pane is active or pointed at.

    Signals:
        moved: The pane is dragged; the pointer's place on the screen.
        dropped: The pane is let go there.
        clicked: The menu is wanted; where on the screen.
    """

    moved = Signal(QPoint)
    dropped = Signal(QPoint)
    clicked = Signal(QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressed: QPoint | None = None
        self._is_dragged = self._is_awake = False
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setToolTip(
            tr("Drag to move this view; click for its menu; arrow keys lead to its tools")
        )
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def set_awake(self, *, is_awake: bool) -> None:
        """Show the dots, or only their room."""
        if is_awake is not self._is_awake:
            self._is_awake = is_awake
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not (self._is_awake or self.hasFocus()):
            return
        painter = QPainter(self)
        color = self.palette().color(self.foregroundRole())
        color.setAlphaF(1.0 if self.hasFocus() or self.underMouse() else 0.5)
        left, top = self.width() // 2 - _GAP_PX // 2 - 1, self.height() // 2 - _GAP_PX - 1
        for number in range(6):
            x, y = left + number % 2 * _GAP_PX, top + number // 2 * _GAP_PX
            painter.fillRect(x, y, _DOT_PX, _DOT_PX, color)
        if self.hasFocus():
            painter.setPen(self.palette().color(QPalette.ColorRole.Highlight))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def sizeHint(self) -> QSize:
        return QSize(12, 20)

    def minimumSizeHint(self) -> QSize:
        return QSize(12, 16)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._is_dragged = event.globalPosition().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.globalPosition().toPoint()
        if self._pressed is None:
            return
        if (place - self._pressed).manhattanLength() >= QApplication.startDragDistance():
            self._is_dragged = True
        if self._is_dragged:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.moved.emit(place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        was_dragged, self._pressed = self._is_dragged, None
        self._is_dragged = False
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        place = event.globalPosition().toPoint()
        (self.dropped if was_dragged else self.clicked).emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit(self.mapToGlobal(self.rect().bottomLeft()))
        else:
            super().keyPressEvent(event)


SOURCE = "source"
"""Stands in for a stage's name where a pane shows the user's file."""


_SEARCH_HELP = """<p>Looks at names, operations, types and scopes while you type.
Enter goes to the next, Shift+Enter to the one before, Escape ends it.</p><table cellpadding='2'>
<tr><td><code>op:add</code></td><td>an operation</td></tr>
<tr><td><code>f32[*,128]</code></td><td>a type; <code>...</code> is any number of sizes</td></tr>
<tr><td><code>scope:attention</code></td><td>a named scope</td></tr>
<tr><td><code>model.py:12</code></td><td>what comes from a line</td></tr>
<tr><td><code>flops&gt;1M</code></td><td>what costs more; also bytes, seconds</td></tr>
<tr><td><code>/^exp|log/</code></td><td>a regular expression</td></tr>
<tr><td><code>-word</code></td><td>not this</td></tr>
<tr><td><code>dot_general -&gt; add</code></td><td>operations that feed each other</td></tr>
<tr><td><code>dot_general -&gt; ... -&gt; max</code></td><td>with anything between</td></tr>
</table>"""


_LEAST_NAME_EM = 2
_WIDEST_SEARCH_EM = 14
_ARROW_PX, _INDENT_PX = 29, 6
"""Of a choice: its frame, its arrow, and the room around its text; where that begins."""


class Form(enum.Enum):
    """How a pane shows its stage."""

    GRAPH = "graph"
    TEXT = "text"
    TABLE = "table"
    TREE = "tree"


_EARLIER = "earlier run"
_LEAST_OF_CALL = 6
"""Letters of the call of an earlier run, below which it is not begun."""
_EARLIER_TIP = "From an earlier run; the file or the call has changed since."


class PaneHeader(QWidget):
    """Tells wishes; what is shown is set by its pane."""

    stage_requested = Signal(str)
    form_requested = Signal(object)
    search_edited = Signal(str)
    search_entered = Signal(int)
    search_left = Signal()
    close_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grip = PaneGrip()
        self._name = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._full_name = ""
        self.chooser, self._quiet = ChoiceBox(), QLabel(textFormat=Qt.TextFormat.PlainText)
        self.search = QLineEdit()
        self.form_choice = ChoiceBox()
        self._colours: QComboBox | None = None
        self._has_forms, self._has_graph = True, False
        self._is_hovered = False
        self._find = _button(tr("Find"), tr("Find in this view (Ctrl+F)"))
        self._close = _button("×", tr("Close this view"))
        self._stale, self._old_call = QLabel(tr(_EARLIER)), ""
        self._found, self._caption = QLabel(), QLabel(textFormat=Qt.TextFormat.PlainText)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._fit)
        app = QApplication.instance()
        if isinstance(app, QApplication):  # also what has the keyboard below the header
            app.focusChanged.connect(self._later.start)
        self._row = fill_box(QHBoxLayout(self), self.grip, margins=(0, 0, 0, 0), spacing=2)
        self._name.setProperty("role", "strong")
        self._name.hide()
        self._row.addWidget(self._name)
        self._build_chooser()
        self._build_search()
        self._build_buttons()

    @property
    def name(self) -> str:
        """What a person named the pane, or empty."""
        return self._full_name

    def set_name(self, name: str) -> None:
        """Name the pane; empty takes the name away."""
        self._full_name = name
        self._name_grip()
        self._name.setToolTip(name)
        self._name.setVisible(bool(name))
        self._fit()

    def set_choices(self, choices: Sequence[tuple[str, str]], present: str) -> None:
        """Offer stages as pairs of name and title; the source is always first."""
        wanted = [(SOURCE, tr("Source")), *choices]
        if present not in dict(wanted):
            wanted.append((present, present))
        offered = [
            (self.chooser.itemData(i), self.chooser.itemText(i))
            for i in range(self.chooser.count())
        ]
        if wanted != offered:
            self.chooser.clear()
            for name, title in wanted:
                self.chooser.addItem(title, name)
            self._fit()
        self.show_stage(present)

    @property
    def offered(self) -> list[str]:
        """Names of the stages that can be chosen, the source first."""
        return [self.chooser.itemData(index) for index in range(self.chooser.count())]

    def show_stage(self, name: str) -> None:
        """Show which stage is chosen."""
        index = self.chooser.findData(name)
        if index != self.chooser.currentIndex():
            self.chooser.setCurrentIndex(index)
            self._fit()
        self._name_grip()

    def _name_grip(self) -> None:
        """A screen reader says which of several panes it moves."""
        pane = self._full_name or self.chooser.currentText()
        self.grip.setAccessibleName(tr("Move the view {pane}, or open its menu", pane=pane))

    def show_form(self, form: Form, *, is_shown: bool, is_enabled: bool) -> None:
        """Show which form is chosen, or no forms where there is no choice."""
        before = self._has_forms, self._has_graph
        self._has_forms, self._has_graph = is_shown, is_shown and form is Form.GRAPH
        self.form_choice.setCurrentIndex(list(Form).index(form))
        self.form_choice.setEnabled(is_enabled)
        if before != (self._has_forms, self._has_graph):
            self._fit()

    def set_stale(self, is_stale: bool, call: str = "") -> None:
        """Show the badge that says that an earlier run is shown.

        Args:
            call: That it is of, where another one failed since; or empty.
        """
        before = self._stale.isHidden(), self._old_call
        self._old_call = call if is_stale else ""
        self._stale.setToolTip(f"{self.old_text}\n{tr(_EARLIER_TIP)}" if call else tr(_EARLIER_TIP))
        self._stale.setAccessibleName(self.old_text or tr(_EARLIER))
        self._stale.setVisible(is_stale)
        if before != (not is_stale, self._old_call):
            self._fit()

    @property
    def old_text(self) -> str:
        """What the badge says of a run before one that failed, in full; else empty."""
        return (
            tr("Of an earlier run: {old_call}", old_call=self._old_call) if self._old_call else ""
        )

    def show_found(self, text: str, problem: str) -> None:
        """Tell how much the search found, or why nothing was searched."""
        problem = tr_said(problem)
        self._found.setText(tr("not searched") if problem else text)
        self._found.setToolTip(problem)
        self._found.setVisible(bool(text or problem))
        self.search.setToolTip(problem or tr(_SEARCH_HELP))
        self.search.setProperty("problem", "true" if problem else "false")
        restyle(self.search)
        self.search.setAccessibleDescription(problem or text)
        self._fit()

    @property
    def caption(self) -> str:
        """What is said of the margin, where there is room for it; or empty."""
        return self._caption.text()

    def set_caption(self, text: str, meaning: str) -> None:
        """Say what marks beside the text mean, where there is room; empty says nothing."""
        self._caption.setToolTip(meaning)
        if text != self._caption.text():
            self._caption.setText(text)
            self._fit()

    @property
    def found_text(self) -> str:
        """What is said of the search's hits."""
        return self._found.text() if self._found.isVisibleTo(self) else ""

    @property
    def is_marked_stale(self) -> bool:
        """Whether the badge is shown."""
        return self._stale.isVisibleTo(self)

    def tab_stops(self) -> list[QWidget]:
        """What the Tab key goes through, in order: the grip, from which arrow keys lead on."""
        return [self.grip, *self._tools(), self.search]

    def _tools(self) -> list[QWidget]:
        colours = [] if self._colours is None else [self._colours]
        return [self.chooser, *colours, self.form_choice, self._find, self._close]

    def take_colours(self, colours: QComboBox) -> None:
        """Show the choice of what the colours of the pane's graph tell, while it shows one."""
        self._colours = colours
        self._row.insertWidget(self._row.indexOf(self.form_choice), colours)
        colours.currentIndexChanged.connect(self._later.start)
        self._take_keys(colours)
        self._fit()

    def _take_keys(self, *tools: QWidget) -> None:
        """Arrow keys lead to these, and no Tab: each view's header has one stop."""
        for tool in tools:
            if tool is not self.grip:
                tool.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
            tool.installEventFilter(self)

    def _go_beside(self, tool: QObject, step: int) -> None:
        shown = [each for each in (self.grip, *self._tools()) if each.isVisible()]
        if tool in shown:
            at = (shown.index(tool) + step) % len(shown)
            shown[at].setFocus(Qt.FocusReason.TabFocusReason)

    def focus_search(self) -> None:
        """Put the cursor into the search, also where it had no room."""
        self._show_search()
        self.search.setFocus()
        self.search.selectAll()

    def _show_search(self) -> None:
        """Show it with its button, for whose icon Qt looks in some ten thousand places, once."""
        self.search.setClearButtonEnabled(True)
        self.search.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and watched is self.search:
            is_press = event.type() == QEvent.Type.KeyPress
            if is_press and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.search_entered.emit(-1 if is_back else 1)
                return True
            # Escape in a search puts the search away, and nothing else.
            is_escape = event.key() == Qt.Key.Key_Escape
            if is_escape and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if is_escape and is_press:
                self.search.clear()
                self.search_left.emit()
                return True
        elif (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right)
        ):
            self._go_beside(watched, 1 if event.key() == Qt.Key.Key_Right else -1)
            return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in RESIZING:
            self._later.start()  # the buttons are dressed after this

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @property
    def is_awake(self) -> bool:
        """Whether the pane's tools are shown: the pointer or the keyboard is in the pane, or one
        of its lists is open, which is a window of its own.
        """
        focused = QApplication.focusWidget()
        has_keys = focused is not None and (self.parentWidget() or self).isAncestorOf(focused)
        return self._is_hovered or has_keys or self._is_list_open

    @property
    def _is_list_open(self) -> bool:
        lists = [tool for tool in self._tools() if isinstance(tool, QComboBox)]
        return any(each.view().isVisible() for each in lists)

    def set_hovered(self, is_hovered: bool) -> None:
        """Show all tools: the pointer is over the pane."""
        self._is_hovered = is_hovered
        self._fit()

    def _fit(self) -> None:
        """Use what room there is: the most needed tools first. Hidden ones keep their room."""
        self.grip.set_awake(is_awake=self.is_awake)
        gap = self._row.spacing()
        self._close.setFixedWidth(self.fontMetrics().horizontalAdvance("×") + 12)
        for choice in filter(None, (self.form_choice, self._colours)):
            choice.ensurePolished()  # its own hint stays that of the texts of another language
            text_px = choice.fontMetrics().horizontalAdvance(choice.currentText())
            choice.setFixedWidth(text_px + _ARROW_PX)
        # Who searches needs the field more than one click less.
        # It stays while a list is open, which else would no longer be below its button.
        is_kept = self._is_list_open and self.search.isVisible()
        is_searching = self.search.hasFocus() or bool(self.search.text()) or is_kept
        self._stale.setText(tr(_EARLIER))  # and more where there is room
        labels = [label for label in (self._stale, self._found) if not label.isHidden()]
        room = self.width() - sum(_least_px(part) + gap for part in (self.grip, *labels))
        if is_searching:
            room -= self.search.minimumWidth() + gap
        # Which stage it is comes before all tools.
        name_px = self.fontMetrics().horizontalAdvance(self.chooser.currentText()) + _ARROW_PX
        least_px = self.chooser.minimumSizeHint().width()
        width_px = max(min(name_px, room - gap), least_px)
        room -= width_px + gap
        room -= self._fit_name(room - _least_px(self.form_choice) * self._has_forms - gap)
        if is_searching:
            self._show_search()
        else:
            self.search.hide()
        self.search.setMaximumWidth(_WIDEST_SEARCH_EM * self.fontMetrics().height())
        tools: list[tuple[QWidget, bool, bool]] = [
            (self.form_choice, self._has_forms, self.is_awake),
            (self._find, not is_searching, self.is_awake),
            (self._close, True, self._is_hovered),
            (self._caption, bool(self._caption.text()), True),
        ]
        if self._colours is not None:
            tools.insert(1, (self._colours, self._has_graph, self.is_awake))
        needed = sum(_least_px(tool) + gap for tool, is_wanted, _ in tools[:-1] if is_wanted)
        caption_px = _least_px(self._caption) + gap
        # While none of the tools is seen, a caption that has no room beside them takes theirs, and
        # that of the arrow behind the name.
        name_only_px = self._quiet.fontMetrics().horizontalAdvance(self.chooser.currentText())
        quiet_px = min(name_only_px + 2 * _INDENT_PX, width_px)
        is_asleep = not (self.is_awake or self._is_hovered)
        is_alone = is_asleep and room - needed < caption_px <= room + width_px - quiet_px
        for tool, is_wanted, is_shown in tools:
            fits = is_wanted and (room >= _least_px(tool) + gap)
            room -= (_least_px(tool) + gap) * is_wanted  # the less needed never before the more
            if is_alone:
                fits = tool is self._caption and is_wanted
            policy = tool.sizePolicy()
            if policy.retainSizeWhenHidden() != fits:
                policy.setRetainSizeWhenHidden(fits)
                tool.setSizePolicy(policy)
            tool.setVisible(fits and is_shown)
        self.chooser.setFixedWidth(width_px)
        text, right = self.chooser.currentText(), Qt.TextElideMode.ElideRight
        text_px = width_px - _INDENT_PX
        self._quiet.setText(self._quiet.fontMetrics().elidedText(text, right, text_px))
        quiet_px = quiet_px if is_alone and caption_px > room else width_px
        self._quiet.setFixedSize(quiet_px, self.chooser.sizeHint().height())
        self.chooser.setVisible(self.is_awake)
        self._quiet.setVisible(self.chooser.isHidden())
        if self._old_call:
            metrics = self._stale.fontMetrics()
            told_px = metrics.horizontalAdvance(tr(_EARLIER)) + max(room, 0)
            told = metrics.elidedText(self.old_text, right, told_px)
            # What it is comes first, whole; a call of which hardly a name is left is not begun.
            least = len(tr("Of an earlier run: {old_call}", old_call="")) + _LEAST_OF_CALL
            is_told = told == self.old_text or len(told) >= least
            self._stale.setText(told if is_told else tr(_EARLIER))

    def _fit_name(self, room: int) -> int:
        """Shorten the name to the room that the rest leaves, and return how much it takes."""
        if not self._full_name:
            return 0
        gap, metrics = self._row.spacing(), self._name.fontMetrics()
        wanted_px = metrics.horizontalAdvance(self._full_name) + 2
        least_px = min(_LEAST_NAME_EM * metrics.height(), wanted_px)
        width_px = min(wanted_px, max(room - gap, least_px))
        elide = Qt.TextElideMode.ElideRight
        self._name.setText(metrics.elidedText(self._full_name, elide, width_px))
        self._name.setFixedWidth(width_px)
        return width_px + gap

    def _build_chooser(self) -> None:
        chooser = self.chooser
        chooser.setAccessibleName(tr("Stage of this view"))
        chooser.setToolTip(tr("Show another stage in this view"))
        chooser.setProperty("role", "compact")
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        chooser.setSizeAdjustPolicy(policy)
        chooser.setMinimumContentsLength(3)
        chooser.activated.connect(self._on_chooser_activated)
        self._row.addWidget(chooser)
        self._quiet.setIndent(_INDENT_PX)
        self._row.addWidget(self._quiet)
        self._caption.setProperty("role", "muted")
        self._caption.hide()
        self._row.addWidget(self._caption)
        self._row.addStretch()

    def _build_search(self) -> None:
        search = self.search
        search.setPlaceholderText(tr("Find"))
        search.setToolTip(tr(_SEARCH_HELP))
        search.installEventFilter(self)
        search.setAccessibleName(tr("Find in this view"))
        search.setProperty("role", "compact")
        search.setMinimumWidth(44)
        search.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        search.textChanged.connect(self.search_edited)
        search.hide()
        self._row.addWidget(search, 1)
        self._found.setProperty("role", "muted")
        self._found.hide()
        self._row.addWidget(self._found)

    def _build_buttons(self) -> None:
        self._stale.setProperty("role", "badge")
        self._stale.setTextFormat(Qt.TextFormat.PlainText)
        self._stale.setToolTip(tr(_EARLIER_TIP))
        self._stale.hide()
        self._row.addWidget(self._stale)
        self.form_choice.addItems([tr(form.value.capitalize()) for form in Form])
        self.form_choice.setProperty("role", "compact")
        self.form_choice.setAccessibleName(tr("Form of this view"))
        self.form_choice.setToolTip(tr("Show this stage as a graph, a text, a table or a tree"))
        self.form_choice.activated.connect(self._on_form_choice_activated)
        self.form_choice.currentIndexChanged.connect(self._later.start)
        self._row.addWidget(self.form_choice)
        self._find.clicked.connect(self.focus_search)
        self._close.clicked.connect(self.close_requested)
        for button in (self._find, self._close):
            self._row.addWidget(button)
        self._take_keys(self.grip, self.chooser, self.form_choice, self._find, self._close)

    def _on_chooser_activated(self, index: int) -> None:
        self.stage_requested.emit(self.chooser.itemData(index))

    def _on_form_choice_activated(self, number: int) -> None:
        self.form_requested.emit(list(Form)[number])


def _least_px(part: QWidget) -> int:
    is_fixed = part.minimumWidth() == part.maximumWidth()
    return part.minimumWidth() if is_fixed else part.minimumSizeHint().width()


def _button(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setProperty("role", "compact")
    return button
