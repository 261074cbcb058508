"""Experiment: where the time of tracing, lowering and compiling went, as a flame graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QSplitter

from jaxscope.client.requests import CompileTimeRequest
from jaxscope.model.experiments import CompileTime
from jaxscope.report.measurement_documents import compile_lines_table, describe_compile_time
from jaxscope.ui.pages.experiments import ExperimentPage
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.window.page_context import PageContext

if TYPE_CHECKING:
    from jaxscope.ui.figures.figure_panel import FigurePanel


class CompileTimePage(ExperimentPage[CompileTime]):
    """The flame graph above, the lines of Python below."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(
            context,
            "compile_time",
            tr(
                "Traces, lowers and compiles the call once more in a process of its own, and "
                "does not run it. What stands below a bar makes up the whole of it."
            ),
            tr("Measure"),
        )
        self.figure: FigurePanel | None = None
        self.lines = ResultTable(tr("What each line took"))
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.addWidget(self.lines)
        self.hold_result(self._split)
        self.lines.clicked.connect(self._on_line_clicked)

    def make_request(self) -> CompileTimeRequest:
        return CompileTimeRequest()

    def show_result(self, found: CompileTime) -> None:
        notes = [*found.advice, *found.warnings]
        self.say(describe_compile_time(found), notes, (found.call, found.environment))
        self.lines.rows.set_table(compile_lines_table(found))
        self._draw()

    def _draw(self) -> None:
        if self.found is None:
            return
        if self.figure is None:
            from jaxscope.export.figures import compile_chart
            from jaxscope.ui.figures.figure_panel import FigurePanel  # half a second

            self._make_chart = compile_chart
            self.figure = FigurePanel(tr("compile time"))
            self.figure.enlarged.connect(self._on_enlarged)
            self.figure.bar_chosen.connect(self._on_bar_chosen)
            self._split.insertWidget(0, self.figure)
            self._split.setSizes([3, 1])
        self.figure.show_figure(self._make_chart(self.found), self.found.environment, self.theme)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        if self.figure is not None:
            self._draw()

    def _on_enlarged(self, is_large: bool) -> None:
        self.lines.setHidden(is_large)
        self.show_result_only(is_large)

    def _on_line_clicked(self, index: QModelIndex) -> None:
        if self.found is not None:
            line = self.found.lines[self.lines.rows.place(index.row())]
            self._go(line.file, line.line)

    def _on_bar_chosen(self, name: str) -> None:
        if self.found is not None and name.isdecimal():
            span = self.found.spans[int(name)]
            self._go(span.file, span.line)

    def _go(self, file: str, line: int) -> None:
        if file:
            self._context.selection.select_line(file, line)


make_page = CompileTimePage
