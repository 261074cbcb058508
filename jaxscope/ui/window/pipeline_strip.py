"""The pipeline as one line: stages from source to machine code, and how long the call takes."""

from __future__ import annotations

import dataclasses
import enum
import functools
import itertools
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QEnterEvent, QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QToolButton,
    QToolTip,
    QWidget,
)

from jaxscope.model.units import format_seconds
from jaxscope.report.measurements import PAIRED
from jaxscope.ui.session.screen import BETWEEN_TIMES, REMARKED, TIME_MARKS, Condition, PipelineStep
from jaxscope.ui.toolkit.language import tr, tr_count, tr_list, tr_named, tr_said
from jaxscope.ui.toolkit.widgets import RESIZING, fill_box, make_label, restyle

_AROUND_PX = 24
_SIDE_PX, _DENSE_PX = 8, 4
_ONWARD, _BESIDE = "›", "    ↳"
"""What stands before a step: that it is made of the one before, or hangs beside the line."""
_SHORT_TIME = "jit 64 times faster ›"
_TIME = "jit 12.3 times faster (observed 11.2 to 13.4) · noisy ›"
_LONG_TIME = "eager 1.23 ms · jit 12.3 µs · jit 100 to 123 times faster ›"
_OF_EAGER = "Eager is JAX without jit: transforms such as grad are traced again in each call."


class Figures(enum.Enum):
    """What of the sizes of steps is shown beside their names: the more room, the more."""

    ALL = 0
    COUNT = 1
    NUMBER = 2
    MADE = 3  # nothing beside what is made on request only
    NONE = 4

    def shorten(self, size: str) -> str:
        """That part of a size, such as `12 equations · 3.4 ms`."""
        # Not the time alone: beside `optimized` it would look like that of a run.
        count = size.partition(BETWEEN_TIMES)[0]
        number = count.partition(" ")[0] if size[:1].isdigit() else ""
        return (size, count, number, number, "")[self.value]


_LESS_AND_LESS = (
    *((figures, False) for figures in Figures if figures is not Figures.NONE),
    (Figures.MADE, True),
)
"""What is shown of sizes, and whether names stand nearer together for it."""
_NAMES = Figures.NONE, False


_TO_COME = (Condition.WAITING, Condition.RUNNING)
_USUAL, _USUAL_S = 1_000, 0.1
"""What a stage that is to come is taken to hold, and to take."""


def _side_px(is_dense: bool) -> int:
    return _DENSE_PX if is_dense else _SIDE_PX


class PipelineLabel(QToolButton):
    """One step: its name, and its size where there is room. To a screen reader it is a button.

    Signals:
        chosen: The name of its stage.
        left: An arrow key leads to the step after or before.
        looked_at: The name of its stage; what more there is to say of it may be read now.
    """

    chosen = Signal(str)
    looked_at = Signal(str)
    left = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "step")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._title, self._size = QLabel(), QLabel()
        self._title.setProperty("role", "strong")
        self._size.setProperty("role", "muted")
        self.clicked.connect(self._on_self_clicked)
        self._row = QHBoxLayout(self)
        self.set_dense(is_dense=False)
        self._row.setSpacing(6)
        for label in (self._title, self._size):
            label.setTextFormat(Qt.TextFormat.PlainText)
            self._row.addWidget(label)
        self._step: PipelineStep | None = None
        self._widths: dict[tuple[str, str], int] = {}

    @property
    def step(self) -> PipelineStep | None:
        return self._step

    def show_step(self, step: PipelineStep) -> None:
        """Show a step's present state."""
        if step == self._step:
            return
        is_other = self._step is None or _look(self._step) != _look(step)
        self._step = step
        self._title.setText(step.title)
        figures = " · ".join(part for part in (step.size, step.cost) if part)
        tooltip = "\n".join(part for part in (figures, step.tooltip) if part)
        self.setToolTip(tooltip)
        if self.underMouse() and QToolTip.isVisible():  # it is being read
            QToolTip.showText(QCursor.pos(), tooltip, self)
        # With the unit, for which the line itself may have no room.
        told = (step.size, "" if step.is_on_request else tr(step.condition.value))
        self.setAccessibleName(tr_named(step.title, tr_list(told)))
        self.setAccessibleDescription(tooltip)
        if is_other:
            self.setProperty("condition", step.condition.value)
            self.setProperty("shown", "true" if step.is_shown else "false")
            self.setProperty("aside", "true" if step.is_aside else "false")
            restyle(self, self._title, self._size)

    def width_for(self, figures: Figures, *, is_dense: bool) -> int:
        """How wide it is with so much of its size beside the name.

        Of a stage that is not made yet a usual size is kept free, so that sizes do not come and go
        while stages are made.
        """
        step, texts = self._step, [self._text_of(figures)]
        is_made = step is None or (step.size and step.condition not in _TO_COME)
        if not is_made and step is not None and not step.is_on_request:
            usual = f"{tr_count(_USUAL, 'instruction')}{BETWEEN_TIMES}{format_seconds(_USUAL_S)}"
            texts.append(figures.shorten(usual))
        around = self.contentsMargins()
        sides = 2 * _side_px(is_dense) + around.left() + around.right()
        return self._title.sizeHint().width() + max(map(self._size_width, texts)) + sides

    def _size_width(self, text: str) -> int:
        """How wide a size is, and what stands between it and the name; kept for its type."""
        if not text:
            return 0
        key = text, self._size.font().key()
        if key not in self._widths:
            before = self._size.text()
            self._size.setText(text)
            self._widths[key] = self._size.sizeHint().width()
            self._size.setText(before)
        return self._row.spacing() + self._widths[key]

    def show_size(self, figures: Figures) -> None:
        """Show so much of the size beside the name; the tooltip has all of it."""
        self._size.setText(self._text_of(figures))
        self._size.setVisible(bool(self._size.text()))

    def set_dense(self, *, is_dense: bool) -> None:
        """Leave less room around the name, or as much as is usual."""
        side = _side_px(is_dense)
        self._row.setContentsMargins(side, 3, side, 4)  # with the frame

    def lay_out(self) -> None:
        """Give its texts their room, and tell what holds it how much that is."""
        self._row.activate()

    def _text_of(self, figures: Figures) -> str:
        step = self._step
        if step is None:
            return ""
        if step.is_on_request:
            return "" if figures is Figures.MADE else step.size
        return figures.shorten(step.size)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._tell_looked_at()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._tell_looked_at()

    def _tell_looked_at(self) -> None:
        if self._step is not None:
            self.looked_at.emit(self._step.name)

    def sizeHint(self) -> QSize:
        return self._row.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._row.minimumSize()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._on_self_clicked()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The press has chosen it."""

    def _on_self_clicked(self) -> None:
        if self._step is not None:
            self.chosen.emit(self._step.name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in keys and self._step is not None:
            self.chosen.emit(self._step.name)
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.left.emit(1 if event.key() == Qt.Key.Key_Right else -1)
        else:
            super().keyPressEvent(event)


def _look(step: PipelineStep) -> tuple[object, ...]:
    """What a label's style follows from."""
    return step.condition, step.is_shown, step.is_aside


class PipelineStrip(QWidget):
    """All steps in one line, and eager against jit at its end.

    Signals:
        step_chosen: The name of a stage.
        step_requested: The name of one that is made only when it is asked for.
        time_requested: The times are to be shown, or measured.
        looked_at: The pointer or the keyboard is on a stage, by its name: its hint is read.
    """

    looked_at = Signal(str)

    step_chosen = Signal(str)
    step_requested = Signal(str)
    time_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._fit)
        self._framing = QTimer(self, singleShot=True, interval=0)
        self._framing.timeout.connect(self._on_framing_timeout)
        self._area, self._content = QScrollArea(), QWidget()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        for set_policy in (
            self._area.setVerticalScrollBarPolicy,
            self._area.setHorizontalScrollBarPolicy,
        ):
            set_policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._content.setProperty("role", "content")
        self._row = fill_box(QHBoxLayout(self._content), 0, margins=(0, 0, 0, 0), spacing=1)
        self._area.setWidget(self._content)
        self.time = QToolButton()
        self.time.setProperty("role", "link")
        self.time.clicked.connect(self.time_requested)
        fill_box(QHBoxLayout(self), (self._area, 1), self.time, margins=(6, 0, 8, 0), spacing=8)
        self._cards: list[PipelineLabel] = []
        self._arrows: list[QLabel] = []
        self._steps: Sequence[PipelineStep] = ()
        self._hints: dict[str, str] = {}
        self._time_texts: list[str] = []
        self._verdict = ""
        self.show_time("", can_measure=False)

    @property
    def cards(self) -> tuple[PipelineLabel, ...]:
        """The labels that are in use, in order."""
        return tuple(card for card in self._cards if not card.isHidden())

    def show_steps(self, steps: Sequence[PipelineStep]) -> None:
        """Show these steps and no others."""
        self._steps = steps
        steps = [self._with_hint(step) for step in steps]
        if steps == [card.step for card in self.cards]:
            return  # most events of a run change no step
        while len(self._cards) < len(steps):
            self._add_card()
        for index, card in enumerate(self._cards):
            is_used = index < len(steps)
            if is_used:
                card.show_step(steps[index])
            card.setVisible(is_used)
            self._arrows[index].setVisible(is_used and index > 0)
            self._arrows[index].setText(_BESIDE if is_used and steps[index].is_aside else _ONWARD)
        shown = [card for card in self.cards if card.step is not None and card.step.is_shown]
        focused = [card for card in self.cards if card.hasFocus()]
        self._set_stop(next(iter(focused or shown[-1:] or self.cards), None))
        self._fit()

    def show_time(self, headline: str, *, can_measure: bool) -> None:
        """Show how eager compares with jit, or that it can be measured."""
        before = self._time_texts, self.time.isHidden()
        times = headline.split(BETWEEN_TIMES)
        kept = [part for part in times if part != tr(REMARKED)]  # the page tells the remark
        marks = [part for part in kept[2:] if part in map(tr, TIME_MARKS)]
        verdict = kept[2:] if len(kept) > 2 + len(marks) else []
        shorter = (times, kept, verdict, [*kept[1:2], *marks])
        measured = [*map(BETWEEN_TIMES.join, shorter), tr("Timing")]  # its page tells them all
        texts = measured if headline else [tr("Measure")]
        self._time_texts = [f"{text} ›" for text in dict.fromkeys(texts) if text]
        self._verdict = f"{BETWEEN_TIMES.join(verdict)} ›" if verdict else ""
        self.time.setVisible(bool(headline) or can_measure)
        what = (
            tr("Show the times")
            if headline
            else tr("Measure how long the call takes, eager and jit")
        )
        paired = tr_said(PAIRED) if verdict else ""
        told = (headline, paired, tr(_OF_EAGER) if headline else "", f"{what} (Ctrl+M)")
        self.time.setToolTip("\n".join(filter(None, told)))
        self.time.setAccessibleName(headline or what)
        if before != (self._time_texts, self.time.isHidden()):
            self._fit()

    def set_hint(self, name: str, text: str) -> None:
        """Say more of a step where the pointer rests on it; empty says no more."""
        self._hints[name] = text
        self.show_steps(self._steps)

    def _with_hint(self, step: PipelineStep) -> PipelineStep:
        tooltip = "\n".join(
            part for part in (step.tooltip, tr_said(self._hints.get(step.name, ""))) if part
        )
        return dataclasses.replace(step, tooltip=tooltip)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in RESIZING:
            self._later.start()  # the labels are dressed after this

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._later.start()

    def _fit(self) -> None:
        """Show as much of the sizes as fits for all; scroll by the wheel where names do not fit."""
        self.time.setText(self._time_texts[0])
        # Worked out beforehand: what is shown and hidden again takes the pointer's mark for itself.
        # Where the times would not fit beside them, sizes would come and go and move the names: so
        # room for a usual factor with its range is kept before one is known. All that is said of
        # the stages but their names gives way to the factor that was measured.
        text_px = self.time.fontMetrics().horizontalAdvance
        around_px = self.time.sizeHint().width() - text_px(self.time.text()) + _AROUND_PX
        usual_px = max(text_px(_TIME), text_px(self._verdict))
        long_px = max(text_px(_LONG_TIME), text_px(self.time.text()))
        least_px = max(text_px(_SHORT_TIME), text_px(self._verdict))
        levels = (*itertools.product((usual_px, least_px), _LESS_AND_LESS), (least_px, _NAMES))
        width_for = functools.cache(self._width_for)
        for kept, (figures, is_dense) in levels:
            kept_px = long_px if figures is Figures.ALL else kept
            if width_for(figures, is_dense) <= self.width() - kept_px - around_px:
                break
        else:
            is_dense = True
        for card in self._cards:
            card.set_dense(is_dense=is_dense)
            card.show_size(figures)
        for text in self._time_texts:  # the names of the stages before all that was measured
            self.time.setText(text)
            if width_for(figures, is_dense) <= self._room():
                break
        self._row.invalidate()
        for card in self._cards:  # now: a first graph may hold all up before it is painted again
            card.lay_out()
        self._row.activate()
        self._framing.start()  # once all have their places
        height = max((card.sizeHint().height() for card in self._cards), default=24)
        self.setFixedHeight(height + 2)

    def _on_framing_timeout(self) -> None:
        """Frame the step that came under a resting pointer: Qt looks when the pointer moves."""
        framed = [card for card in self._cards if card.underMouse()]
        for card in self.cards if framed else ():
            is_there = card.rect().contains(card.mapFromGlobal(QCursor.pos()))
            if is_there is not (card in framed):
                card.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, is_there)
                card.update()

    def _width_for(self, figures: Figures, is_dense: bool) -> int:
        """How wide all labels and what stands between them are, with so much of their sizes."""
        labels = [card.width_for(figures, is_dense=is_dense) for card in self.cards]
        arrows = [each.sizeHint().width() for each in self._arrows if not each.isHidden()]
        return sum(labels) + sum(arrows) + self._row.spacing() * (len(labels) + len(arrows) - 1)

    def _room(self) -> int:
        """What the time beside them leaves to the stages."""
        shown = 0 if self.time.isHidden() else self.time.sizeHint().width() + _AROUND_PX
        return self.width() - shown

    def _on_card_chosen(self, name: str) -> None:
        asked = any(step.name == name and step.is_on_request for step in self._steps)
        (self.step_requested if asked else self.step_chosen).emit(name)

    def _on_card_left(self, step: int) -> None:
        cards = self.cards
        at = next((at for at, card in enumerate(cards) if card.hasFocus()), 0)
        card = cards[(at + step) % len(cards)]
        self._set_stop(card)
        card.setFocus(Qt.FocusReason.TabFocusReason)

    def _set_stop(self, stop: PipelineLabel | None) -> None:
        """Give the line one stop of the Tab key; arrow keys lead to the others."""
        policies = Qt.FocusPolicy
        for card in self._cards:
            card.setFocusPolicy(policies.TabFocus if card is stop else policies.NoFocus)

    def _add_card(self) -> None:
        arrow = make_label(_ONWARD, "muted")
        card = PipelineLabel()
        card.chosen.connect(self._on_card_chosen)
        card.left.connect(self._on_card_left)
        card.looked_at.connect(self.looked_at)
        for widget in (arrow, card):
            self._row.insertWidget(self._row.count() - 1, widget)
        self._arrows.append(arrow)
        self._cards.append(card)
