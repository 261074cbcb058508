"""Experiment: time, compile time, work and memory against size, as a plot and as a table."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from jaxscope.client.requests import ScalingRequest
from jaxscope.errors import UsageError
from jaxscope.export.chart import chart_to_png
from jaxscope.export.measurement_files import (
    CHARTS,
    scaling_chart,
    scaling_to_csv,
    scaling_to_json,
    scaling_to_svg,
)
from jaxscope.model import Leaf
from jaxscope.model.said import said
from jaxscope.model.timing import ScalePoint, Scaling
from jaxscope.program.scaling import DEFAULT_GROWTH, read_growth, read_scale
from jaxscope.report.measurements import (
    FORM_WORDS,
    describe_crossovers,
    describe_sizes,
    describe_slope,
    scaling_table,
)
from jaxscope.ui.pages.experiments import ExperimentPage
from jaxscope.ui.pages.timing import tell_reason
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.widgets import ChoiceBox, SplitOrTabs, fill_box
from jaxscope.ui.window.page_context import PageContext

_FIRST_DIMENSION = re.compile(r"\w+\[(\d+)")
_ROOMY_LINES = 26
_SPAN = 8
"""How many times smaller and larger than now the sizes that are proposed go."""
_FILTER = "Chart (*.svg *.png);;Table (*.csv);;Data (*.json)"


def propose_range(arguments: Sequence[Leaf]) -> str:
    """A range around the first dimension of the first argument that is an array; empty without one.

    Arguments of the same length go along, as a batch of inputs and its labels do. One of several
    parts of a tree, such as of parameters, seldom changes alone.
    """
    every = {}
    for leaf in arguments:
        found = None if leaf.is_static else _FIRST_DIMENSION.match(leaf.type)
        if found and int(found[1]):
            every[leaf.path] = int(found[1])
    sizes = {path: size for path, size in every.items() if path.isidentifier()}
    sizes = sizes or (every if len(every) == 1 else {})
    if not sizes:
        return ""
    size = next(iter(sizes.values()))
    together = ",".join(f"{path}:0" for path, other in sizes.items() if other == size)
    return f"{together}={max(size // _SPAN, 1)}..{size * _SPAN}"


PRESETS = {
    "": "eager against jit",
    "batch": "batch: loop against vmap",
    "depth": "depth: unrolled against scan",
}


def _protocol_of(point: ScalePoint) -> str:
    """How the steady calls of a size were measured, and what disturbed them."""
    sides = [side for side in (point.eager, point.jit) if side is not None]
    told = [[tr_said(side.describe_protocol()), *map(tell_reason, side.reasons)] for side in sides]
    once = dict.fromkeys(text for texts in told for text in texts)
    return "\n".join(filter(None, [*once, tr_said(point.reason)]))


class ScalingPage(ExperimentPage[Scaling]):
    """The form takes what `--scale` takes."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            "scaling",
            tr(
                "The call at several sizes: eager and jit in random pairs, compile time, work, "
                "bytes. Both axes are logarithmic, so a straight line is a power of the size."
            ),
            tr("Measure all sizes"),
        )
        self._proposal = ""
        self.plot: QWidget | None = None
        self.preset = ChoiceBox()
        for preset, words in PRESETS.items():
            self.preset.addItem(tr(words), preset)
        self.preset.setAccessibleName(tr("What is measured against what"))
        self.range = QLineEdit()
        self.range.setToolTip(
            tr(
                "ARGUMENT:DIMENSION=FROM..TO, or NAME=FROM..TO for a name that stands in the call; "
                "empty for what is shown there"
            )
        )
        self.range.setAccessibleName(tr("What to vary, and from where to where"))
        self.with_eager = QCheckBox(tr("Measure eager, too"))
        self.with_eager.setChecked(True)
        self.chart = ChoiceBox()
        for name in CHARTS:
            self.chart.addItem(tr(name), name)
        self.chart.setAccessibleName(tr("What to draw"))
        self.export = QPushButton(tr("Export …"))
        self.export.setEnabled(False)
        self.table = ResultTable(tr("Measurements by size"))
        row = fill_box(QHBoxLayout(), self.preset, (self.range, 1))
        for part in (self.with_eager, QLabel(tr("Draw")), self.chart, self.export):
            row.addWidget(part)
        self.form.addRow(tr("Vary"), row)
        self._split = SplitOrTabs(_ROOMY_LINES)
        self._split.insert_part(0, self.table, tr("Table"), 260)
        self.hold_result(self._split)
        self.preset.currentIndexChanged.connect(self._show_proposal)
        self.range.returnPressed.connect(self._on_button_clicked)
        self.chart.currentIndexChanged.connect(self._draw)
        self.export.clicked.connect(self._on_export_clicked)

    def show_state(self, state: WindowState) -> None:
        self.propose(state.head.arguments if state.head is not None else ())
        super().show_state(state)
        self.export.setEnabled(self.found is not None)

    def propose(self, arguments: Sequence[Leaf]) -> None:
        """Offer to vary the first dimension of the first array of a call."""
        self._proposal = propose_range(arguments)
        self._show_proposal()

    def _show_proposal(self, _index: int = 0) -> None:
        """What an empty field stands for."""
        is_usual = not self.preset.currentData()
        proposal = self._proposal or tr("n=1..64, for a name n in the call")
        self.range.setPlaceholderText(proposal if is_usual else DEFAULT_GROWTH)
        self.with_eager.setEnabled(is_usual)

    def make_request(self) -> ScalingRequest | None:
        preset = self.preset.currentData()
        text = self.range.text().strip()
        try:
            if preset:
                vary, sizes = read_growth(text or DEFAULT_GROWTH)
            else:
                vary, sizes = read_scale(text or self._proposal)
        except UsageError as error:
            explanation = error.explanation
            self.refuse(f"{explanation.what} {explanation.why}", explanation.remedy)
            return None
        skip_eager = not self.with_eager.isChecked()
        return ScalingRequest(vary=vary, sizes=sizes, skip_eager=skip_eager, preset=preset)

    def show_result(self, scaling: Scaling) -> None:
        slopes = [describe_slope(slope, scaling.forms) for slope in scaling.slopes]
        self.say(
            describe_crossovers(scaling),
            [
                *map(said, filter(None, [FORM_WORDS.get(scaling.forms[0])])),
                *slopes,
                *describe_sizes(scaling),
                *scaling.warnings,
            ],
            (scaling.call, scaling.environment),
        )
        self.table.rows.set_table(scaling_table(scaling), list(map(_protocol_of, scaling.points)))
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._draw()

    def write(self, path: str) -> None:
        """Write what was found; the ending picks the form.

        Raises:
            OSError: The file cannot be written.
        """
        if self.found is None:
            return
        name, theme = self.chart.currentData(), self.theme.name
        match Path(path).suffix.lower():
            case ".csv":
                data = scaling_to_csv(self.found).encode()
            case ".json":
                found = scaling_to_json(self.found)
                data = json.dumps(found, indent=2, allow_nan=False).encode()
            case ".png":
                data = chart_to_png(scaling_chart(self.found, name), theme)
            case _:
                data = scaling_to_svg(self.found, name, theme).encode()
        Path(path).write_bytes(data)

    def _draw(self) -> None:
        if self.found is None:
            return
        from jaxscope.ui.figures.plots import ChartPlot  # pyqtgraph costs half a second

        if self.plot is None:
            self.plot = ChartPlot()
            self._split.insert_part(0, self.plot, tr("Curves"), 600)
        if isinstance(self.plot, ChartPlot):
            self.plot.show_chart(scaling_chart(self.found, self.chart.currentData()), self.theme)

    def _on_export_clicked(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, tr("Export"), "scaling.svg", tr(_FILTER))
        if not path:
            return
        try:
            self.write(path)
        except OSError as error:
            self.notes.set_notes(
                (),
                [
                    tr(
                        "{path} was not written: {strerror}.",
                        path=path,
                        strerror=error.strerror or error,
                    )
                ],
            )


make_page = ScalingPage
