"""The bar across the top: the call, its transforms, the target, Run and Stop."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from jaxscope.ui.call_edit import CallEdit
from jaxscope.ui.call_text import (
    TRANSFORMS,
    CallTextError,
    Transform,
    parse_call,
    unwrap_call,
    wrap_call,
)
from jaxscope.ui.choice_box import ChoiceBox
from jaxscope.ui.flow_layout import FlowLayout
from jaxscope.ui.transform_form import TransformForm

_TARGETS = (
    *("cpu", "cpu:2", "cpu:8", "gpu", "tpu"),
    *("aot:tpu:v5e:2x2", "aot:tpu:v6e:1x1", "aot:tpu:v5p:2x2x1", "aot:tpu:tpu7x:2x2x1"),
    *("aot:gpu:h100", "aot:gpu:h100:8", "aot:gpu:a100", "aot:gpu:b200", "aot:gpu:rtx4090"),
)
"""Suggestions; any target can be typed. `aot:` compiles for a chip that need not be here."""
_SHORTEST_TARGET_CHARS = 15


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
        self.target.addItems(_TARGETS)
        self.target.setAccessibleName("Target")
        self.target.setToolTip(
            "The kind of device to compile for; aot: compiles for a chip that is not here, "
            "ssh://host/gpu:0 is one of another machine's"
        )
        self.target.setSizeAdjustPolicy(
            ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.target.setMinimumContentsLength(_SHORTEST_TARGET_CHARS)
        self.target.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.run_button = QPushButton("Run")
        self.run_button.setProperty("role", "primary")
        self.run_button.setToolTip("Trace, compile and show this call (Enter or Ctrl+R)")
        self.stop_button = QPushButton("Stop")
        self.stop_button.setProperty("role", "stop")
        self.stop_button.setToolTip("Stop what is running (Esc)")
        self.stop_button.hide()
        self.skip_button = QPushButton("Skip this")
        self.skip_button.setToolTip(
            "Leave out what is being measured now, and go on with the rest (Ctrl+Shift+S)"
        )
        self.skip_button.hide()
        for button in (self.run_button, self.skip_button, self.stop_button):
            # They take each other's place: a click must leave the keyboard where it was.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._problem = QLabel()
        self._problem.setProperty("role", "error")
        self._chips: dict[QPushButton, Transform] = {}
        self.wrappers = QWidget()
        self._unwrap = QPushButton("remove")
        self.form: TransformForm | None = None
        self._build()

    def _build(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.edit, 1)
        top.addWidget(QLabel("on"))
        top.addWidget(self.target)
        top.addWidget(self.run_button)
        top.addWidget(self.skip_button)
        top.addWidget(self.stop_button)
        chips = FlowLayout(self.wrappers)
        label = QLabel("Wrap in")
        label.setProperty("role", "muted")
        label.setContentsMargins(0, 0, 4, 0)
        chips.addWidget(label)
        for transform in TRANSFORMS:
            chip = QPushButton(transform.name)
            chip.setProperty("role", "chip")
            chip.setToolTip(transform.effect)
            chip.clicked.connect(self._on_chip_clicked)
            self._chips[chip] = transform
            chips.addWidget(chip)
        self._unwrap.setProperty("role", "chip")
        self._unwrap.setText("× remove outermost")
        self._unwrap.setToolTip("Take the outermost transform away again")
        self._unwrap.clicked.connect(self._on_unwrap_clicked)
        chips.addWidget(self._unwrap)
        self._unwrap.hide()
        self._problem.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(top)
        layout.addWidget(self.wrappers)
        layout.addWidget(self._problem)
        self.edit.run_requested.connect(self.run_requested)
        self.run_button.clicked.connect(self.run_requested)
        self.stop_button.clicked.connect(self.stop_requested)
        self.skip_button.clicked.connect(self.skip_requested)
        self.edit.textChanged.connect(self._on_edit_text_changed)

    def set_call(self, text: str) -> None:
        """Put a call into the line."""
        if text != self.edit.text():
            self.edit.setText(text)

    def set_names(self, names: Sequence[str]) -> None:
        """Complete these names of the file."""
        self.edit.set_names(names)

    def set_running(self, *, is_running: bool, is_stopping: bool, can_run: bool) -> None:
        """Show Run or Stop, whichever makes sense."""
        self.run_button.setVisible(not is_running)
        self.run_button.setEnabled(can_run)
        self.stop_button.setVisible(is_running)
        self.stop_button.setText("Stopping …" if is_stopping else "Stop")

    def set_failed(self, *, is_failed: bool) -> None:
        """Mark the call as what failed."""
        if self.edit.property("problem") != is_failed:
            self.edit.setProperty("problem", is_failed)
            self.edit.style().unpolish(self.edit)
            self.edit.style().polish(self.edit)

    def _on_edit_text_changed(self, text: str) -> None:
        self._problem.hide()
        self.set_failed(is_failed=False)
        try:
            unwrap_call(text)
        except CallTextError:
            self._unwrap.hide()
        else:
            self._unwrap.show()

    def _on_chip_clicked(self) -> None:
        chip = self.sender()
        if not isinstance(chip, QPushButton):
            return
        transform, text = self._chips[chip], self.edit.text()
        try:
            num_arguments = len(parse_call(text).arguments)
            wrapped = wrap_call(text, transform.name)
        except CallTextError as error:
            self._complain(error)
            return
        if num_arguments > 1 and (transform.picks_arguments or transform.picks_axes):
            self.form = TransformForm(text, transform, self)
            self.form.accepted.connect(self._on_form_accepted)
            self.form.move(chip.mapToGlobal(chip.rect().bottomLeft()))
            self.form.show()
        else:
            self._accept(wrapped)

    def _on_unwrap_clicked(self) -> None:
        try:
            self._accept(unwrap_call(self.edit.text()))
        except CallTextError as error:
            self._complain(error)

    def _on_form_accepted(self, text: str) -> None:
        self._accept(text)

    def _complain(self, error: CallTextError) -> None:
        self._problem.setText(str(error))
        self._problem.show()

    def _accept(self, text: str) -> None:
        self.edit.setText(text)
        self.run_requested.emit()
