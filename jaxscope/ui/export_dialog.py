"""The dialog that asks what to export, in which format, colours and size."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from jaxscope.ui.choice_box import ChoiceBox
from jaxscope.ui.exporting import FORMATS, ExportChoice, Extent

_MAX_PX = 16_000
_PICTURES = ("svg", "png", "pdf")
_EXPLAINED = {
    "json": "Data always holds everything.",
    "html": "What is seen: the stages of the open panes.",
}


class ExportDialog(QDialog):
    """Asks; `choice` and `ending` answer.

    Args:
        theme: Name of the window's theme, offered first.
        seen_px: Width and height of the picture that is seen, in pixels; None where none is.
    """

    def __init__(
        self, theme: str, seen_px: tuple[float, float] | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self._seen_px = seen_px
        self.extents = ChoiceBox(self)
        self.formats = ChoiceBox(self)
        self.themes = ChoiceBox(self)
        self.width_px = QSpinBox(self)
        self._size = QLabel()
        self._build(theme)
        self._update()

    def _build(self, theme: str) -> None:
        layout = QVBoxLayout(self)
        form = QFormLayout()
        for extent in Extent:
            self.extents.addItem(extent.value, extent)
        for ending, title in FORMATS.items():
            self.formats.addItem(f"{title} (.{ending})", ending)
        for name in (theme, *({"light", "dark"} - {theme})):
            self.themes.addItem(name.capitalize(), name)
        self.width_px.setRange(0, _MAX_PX)
        self.width_px.setSingleStep(100)
        self.width_px.setSpecialValueText("twice the size of the window's")
        self.width_px.setSuffix(" pixels")
        self._size.setWordWrap(True)
        self.width_px.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self._add(form, "&What", self.extents)
        self._add(form, "&Format", self.formats)
        self._add(form, "&Colours", self.themes)
        self._add(form, "W&idth", self.width_px)
        form.addRow("", self._size)
        layout.addLayout(form)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton("Export …", QDialogButtonBox.ButtonRole.AcceptRole).setDefault(True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.extents.currentIndexChanged.connect(self._on_changed)
        self.formats.currentIndexChanged.connect(self._on_changed)
        self.width_px.valueChanged.connect(self._on_changed)

    def _add(self, form: QFormLayout, name: str, field: QComboBox | QSpinBox) -> None:
        form.addRow(name, field)
        field.setAccessibleName(name.replace("&", ""))

    @property
    def ending(self) -> str:
        """The format, as the ending of the file."""
        return str(self.formats.currentData())

    @property
    def choice(self) -> ExportChoice:
        """What was chosen."""
        extent = Extent(self.extents.currentData())
        width = self.width_px.value() or None
        return ExportChoice(extent, str(self.themes.currentData()), width_px=width)

    def _on_changed(self, _value: int) -> None:
        self._update()

    def _update(self) -> None:
        ending, extent = self.ending, self.choice.extent
        self.themes.setEnabled(ending in (*_PICTURES, "dot"))
        self.width_px.setEnabled(ending == "png")
        self.extents.setEnabled(ending != "json")
        self._size.setText(self._explain(ending, extent))

    def _explain(self, ending: str, extent: Extent) -> str:
        """What is going to be written, in a sentence."""
        if extent is Extent.ALL and ending in ("svg", "png", "dot"):
            return "A file for each stage, named after it."
        if extent is Extent.ALL and ending == "pdf":
            return "A page for each stage."
        if ending == "png" and extent is Extent.SEEN and self._seen_px is not None:
            width, height = self._seen_px
            wide = self.width_px.value() or round(2 * width)
            return f"{wide:,} × {round(height * wide / max(width, 1.0)):,} pixels and the legend."
        return _EXPLAINED.get(ending, "")
