"""The module before and after an XLA pass as two linked graphs with marks.

Imported when such graphs are first shown.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QVBoxLayout, QWidget

from jaxscope.model import NONE, PassRecord, Unavailable
from jaxscope.model.op_name import TagTable
from jaxscope.program.passes.diff import ModuleGraphs, find_module_graphs
from jaxscope.ui.pages.diff_graph import ComparedCanvas, MarkLegend
from jaxscope.ui.toolkit.theme import BASE_POINTS, LIGHT, Theme
from jaxscope.ui.toolkit.threads import LatestJob
from jaxscope.ui.toolkit.widgets import fill_box, make_label, make_splitter


class PassGraphs(QWidget):
    """`equations_chosen` carries ids of the equations that a clicked instruction holds."""

    equations_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job = LatestJob(self, "jaxscope pass graphs")
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)
        self._key: tuple[int, int] | None = None
        self._graphs: ModuleGraphs | None = None
        self._followed: frozenset[str] = frozenset()
        self.canvases = (ComparedCanvas(), ComparedCanvas())
        self.legend = MarkLegend()
        self.note = make_label(role="muted")
        self.reason = QLabel(wordWrap=True, margin=24, alignment=Qt.AlignmentFlag.AlignCenter)
        self._body = QStackedWidget()
        self._build()
        self.canvases[0].node_selected.connect(self._on_first_node_selected)
        self.canvases[1].node_selected.connect(self._on_second_node_selected)

    def _build(self) -> None:
        sides = make_splitter(Qt.Orientation.Horizontal)
        for title, canvas in zip(("before", "after"), self.canvases, strict=True):
            side = QWidget()
            column = QVBoxLayout(side)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(2)
            name = make_label(title, "muted")
            column.addWidget(name)
            column.addWidget(canvas, 1)
            sides.addWidget(side)
        shown = QWidget()
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        row = fill_box(QHBoxLayout(), self.legend, (self.note, 1))
        column.addLayout(row)
        column.addWidget(sides, 1)
        self._body.addWidget(shown)
        self._body.addWidget(self.reason)
        fill_box(QVBoxLayout(self), self._body, margins=(0, 0, 0, 0))

    @property
    def graphs(self) -> ModuleGraphs | None:
        """What is shown."""
        return self._graphs

    def show_pass(self, records: Sequence[PassRecord], number: int, tags: TagTable) -> None:
        """Show the modules around a pass; they are read on a thread, as they may be large."""
        if self._key == (id(records), number):
            return
        self._key = id(records), number
        self._say("Reading the modules …")
        self._job.start(lambda _should_stop: find_module_graphs(records, number, tags))

    def forget(self) -> None:
        """Show nothing."""
        self._job.stop()
        self._key = self._graphs = None
        self._say("Choose a pass to see the module before and after it.")

    def follow(self, equations: Collection[str]) -> None:
        """Outline the instructions that hold these equations, on both sides."""
        self._followed = frozenset(equations)
        graphs = self._graphs
        if graphs is None:
            return
        counts = []
        for side, canvas in enumerate(self.canvases):
            nodes = graphs.holders(side, self._followed) if self._followed else []
            canvas.set_highlight(nodes, (), ())
            counts.append(len(nodes))
        told = (
            f"Instructions that hold what is selected: {counts[0]:,} before, {counts[1]:,} after."
        )
        self.note.setText(told if self._followed else "")

    def set_theme(self, theme: Theme = LIGHT, points: float = BASE_POINTS) -> None:
        """Use a theme's colours and a size of type."""
        self.legend.set_theme(theme.name)
        for canvas in self.canvases:
            canvas.set_theme(theme.name)
            canvas.set_text_scale(points / BASE_POINTS)

    def _on_job_failed(self, error: Exception) -> None:
        told = f"{type(error).__name__}: {error}"
        self._say(f"The modules could not be compared, which is a bug in jaxscope: {told}")

    def _on_job_finished(self, found: ModuleGraphs | Unavailable) -> None:
        if isinstance(found, Unavailable):
            self._say(found.reason)
            return
        self._graphs = found
        sides = ((found.before, found.before_changes), (found.after, found.after_changes))
        titles = ("the module before the pass", "the module after the pass")
        for canvas, (graph, changes), title in zip(self.canvases, sides, titles, strict=True):
            canvas.set_changes(changes)
            canvas.show_graph(graph, title)
        self._body.setCurrentIndex(0)
        self.follow(self._followed)

    def _say(self, text: str) -> None:
        self._graphs = None
        self.reason.setText(text)
        self._body.setCurrentWidget(self.reason)

    def _on_first_node_selected(self, node: int) -> None:
        self._select(0, node)

    def _on_second_node_selected(self, node: int) -> None:
        self._select(1, node)

    def _select(self, side: int, node: int) -> None:
        """Select the same instruction on the other side, and say what it holds."""
        graphs = self._graphs
        if graphs is None:
            return
        self.canvases[1 - side].select_node(graphs.partner_of(side, node))
        graph = graphs.after if side else graphs.before
        if node != NONE:
            self.equations_chosen.emit(graph.derived(node))
