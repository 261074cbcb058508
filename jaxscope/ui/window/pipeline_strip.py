"""The row of stages from source to machine code, each with its size, cost and time."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from jaxscope.ui.session.screen import PipelineStep
from jaxscope.ui.toolkit.widgets import make_label

_ONWARD, _BESIDE = "›", "    "
"""What stands before a step: that it is made of the one before, or only room."""


class StepCard(QFrame):
    """One step; `chosen` carries the name of its stage."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "step")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._title, self._size, self._cost = QLabel(), QLabel(), QLabel()
        self._title.setProperty("role", "heading")
        for label in (self._size, self._cost):
            label.setProperty("role", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 5, 10, 5)
        layout.setSpacing(0)
        for label in (self._title, self._size, self._cost):
            label.setTextFormat(Qt.TextFormat.PlainText)
            layout.addWidget(label)
        self._step: PipelineStep | None = None

    @property
    def step(self) -> PipelineStep | None:
        return self._step

    def show_step(self, step: PipelineStep) -> None:
        """Show a step's present state."""
        if step == self._step:
            return
        restyle = self._step is None or _look(self._step) != _look(step)
        self._step = step
        self._title.setText(step.title)
        self._size.setText(step.size)
        self._cost.setText(step.cost)
        self.setToolTip(step.tooltip)
        self.setAccessibleName(f"{step.title}: {step.condition.value}")
        self.setAccessibleDescription(step.tooltip)
        if restyle:
            self.setProperty("condition", step.condition.value)
            self.setProperty("shown", "true" if step.is_shown else "false")
            self.setProperty("aside", "true" if step.is_aside else "false")
            for part in (self, self._title, self._size, self._cost):
                self.style().unpolish(part)
                self.style().polish(part)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._step is not None:
            self.chosen.emit(self._step.name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in keys and self._step is not None:
            self.chosen.emit(self._step.name)
        else:
            super().keyPressEvent(event)


def _look(step: PipelineStep) -> tuple[object, ...]:
    """What a card's style follows from."""
    return step.condition, step.is_shown, step.is_aside


class PipelineStrip(QScrollArea):
    """All steps in a row; `step_chosen` carries the name of a stage."""

    step_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._fit_height)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._content = content = QWidget()
        content.setProperty("role", "content")
        self._row = QHBoxLayout(content)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(3)
        self._row.addStretch()
        self.setWidget(content)
        self._cards: list[StepCard] = []
        self._arrows: list[QLabel] = []
        self._steps: Sequence[PipelineStep] = ()
        self._hints: dict[str, str] = {}

    @property
    def cards(self) -> tuple[StepCard, ...]:
        """The cards that are in use, in order."""
        return tuple(card for card in self._cards if not card.isHidden())

    def show_steps(self, steps: Sequence[PipelineStep]) -> None:
        """Show these steps and no others."""
        self._steps = steps
        steps = [self._with_hint(step) for step in steps]
        while len(self._cards) < len(steps):
            self._add_card()
        for index, card in enumerate(self._cards):
            is_used = index < len(steps)
            if is_used:
                card.show_step(steps[index])
            card.setVisible(is_used)
            self._arrows[index].setVisible(is_used and index > 0)
            self._arrows[index].setText(_BESIDE if is_used and steps[index].is_aside else _ONWARD)
        self._fit_height()

    def set_hint(self, name: str, text: str) -> None:
        """Say more of a step where the pointer rests on it; empty says no more."""
        self._hints[name] = text
        self.show_steps(self._steps)

    def _with_hint(self, step: PipelineStep) -> PipelineStep:
        hint = self._hints.get(step.name, "")
        told = "\n".join(part for part in (step.tooltip, hint) if part)
        return dataclasses.replace(step, tooltip=told)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._later.start()  # the cards are dressed after this

    def _fit_height(self) -> None:
        height = max((card.sizeHint().height() for card in self._cards), default=64)
        bar = self.horizontalScrollBar()
        needs_bar = self._content.sizeHint().width() > self.width()
        self.setFixedHeight(height + (bar.sizeHint().height() if needs_bar else 2))

    def _add_card(self) -> None:
        arrow = make_label(_ONWARD, "muted")
        card = StepCard()
        card.chosen.connect(self.step_chosen)
        for widget in (arrow, card):
            self._row.insertWidget(self._row.count() - 1, widget)
        self._arrows.append(arrow)
        self._cards.append(card)
