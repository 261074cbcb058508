"""A small form for a transform's arguments: which to differentiate by, which axes to map."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from jaxscope.ui.call_text import CallTextError, Transform, default_axes, parse_call, wrap_call
from jaxscope.ui.choice_box import ChoiceBox

_AXES: Sequence[tuple[str, int | None]] = (
    ("the same for all", None),
    ("axis 0", 0),
    ("axis 1", 1),
    ("axis 2", 2),
)


class TransformForm(QFrame):
    """A popup over the window; `accepted` carries the wrapped call."""

    accepted = Signal(str)

    def __init__(self, call: str, transform: Transform, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._call, self._transform = call, transform
        arguments = parse_call(call).arguments
        self.checks: list[QCheckBox] = []
        self._axes: list[QComboBox] = []
        self._batch = QSpinBox()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        title = QLabel(transform.name)
        title.setProperty("role", "heading")
        layout.addWidget(title)
        layout.addWidget(QLabel(transform.effect))
        if transform.picks_axes:
            self._add_axes(layout, arguments)
        else:
            self._add_checks(layout, arguments)
        self._problem = QLabel()
        self._problem.setProperty("role", "error")
        self._problem.setWordWrap(True)
        self._problem.hide()
        layout.addWidget(self._problem)
        apply = QPushButton("Apply")
        apply.setProperty("role", "primary")
        apply.setDefault(True)
        apply.clicked.connect(self._on_apply_clicked)
        layout.addWidget(apply, alignment=Qt.AlignmentFlag.AlignRight)
        apply.setFocus()

    def _add_checks(self, layout: QVBoxLayout, arguments: Sequence[str]) -> None:
        layout.addWidget(QLabel("With respect to:"))
        for index, argument in enumerate(arguments):
            check = QCheckBox(f"{index}: {argument[:60]}")
            check.setChecked(index == 0)
            layout.addWidget(check)
            self.checks.append(check)

    def _add_axes(self, layout: QVBoxLayout, arguments: Sequence[str]) -> None:
        grid = QGridLayout()
        for index, (argument, axis) in enumerate(
            zip(arguments, default_axes(arguments), strict=True)
        ):
            choice = ChoiceBox()
            for label, value in _AXES:
                choice.addItem(label, value)
            choice.setCurrentIndex([value for _, value in _AXES].index(axis))
            choice.setAccessibleName(f"Axis of argument {index}")
            grid.addWidget(QLabel(argument[:60]), index, 0)
            grid.addWidget(choice, index, 1)
            self._axes.append(choice)
        self._batch.setRange(1, 1_000_000)
        self._batch.setValue(16)
        self._batch.setAccessibleName("Batch size")
        grid.addWidget(QLabel("Batch size of shorthands"), len(arguments), 0)
        grid.addWidget(self._batch, len(arguments), 1)
        layout.addLayout(grid)

    def _on_apply_clicked(self) -> None:
        argnums = [index for index, check in enumerate(self.checks) if check.isChecked()]
        axes = [choice.currentData() for choice in self._axes] if self._axes else None
        try:
            if self.checks and not argnums:
                raise CallTextError("Choose at least one argument.")
            text = wrap_call(
                self._call,
                self._transform.name,
                argnums=argnums or (0,),
                axes=axes,
                batch_size=self._batch.value(),
            )
        except CallTextError as error:
            self._problem.setText(str(error))
            self._problem.show()
            self.adjustSize()
            return
        self.accepted.emit(text)
        self.close()
