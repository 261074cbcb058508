"""One pane: a stage, or the source, in one of its forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
)

from jaxscope.analysis.line_cost import LineCost
from jaxscope.analysis.links import NO_LINKED, Linked
from jaxscope.model import Graph, SourceFile, Stage, StageText, Unavailable, is_available
from jaxscope.ui.panes.code_filling import fill_with_source, fill_with_stage
from jaxscope.ui.panes.code_painting import Mark
from jaxscope.ui.panes.code_view import CodeView
from jaxscope.ui.panes.finding import Finding
from jaxscope.ui.panes.lighting import Lighting
from jaxscope.ui.panes.outline_view import OutlineView
from jaxscope.ui.panes.pane_choices import TOLD, PaneChoices
from jaxscope.ui.panes.pane_header import SOURCE, Form, PaneHeader
from jaxscope.ui.panes.pane_wishes import PaneWishes
from jaxscope.ui.panes.table_view import NodeTableView
from jaxscope.ui.theme import BASE_POINTS, LIGHT, Theme

if TYPE_CHECKING:  # the graph view is loaded when the first graph is shown
    from jaxscope.ui.graph.canvas import GraphCanvas
    from jaxscope.ui.graph.graph_page import GraphPage


class StagePane(QFrame):
    """Shows one stage; tells what a person chose, and never reacts to its own telling.

    Signals carry the pane itself first, so that one bound method serves all panes.
    """

    node_chosen = Signal(str, int)
    nodes_chosen = Signal(str, object, bool)
    group_chosen = Signal(str, str, str, object, bool)
    node_hovered = Signal(str, int)
    line_chosen = Signal(str, int)
    lines_chosen = Signal(str, object, bool)
    line_hovered = Signal(str, int)
    stage_requested = Signal(object, str)
    close_requested = Signal(object)
    add_requested = Signal(object)
    activated = Signal(object)
    moved = Signal(object, QPoint)
    dropped = Signal(object, QPoint)
    menu_requested = Signal(object, QPoint)

    def __init__(self, make_graph: Callable[[], GraphPage]) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self._make_graph = make_graph
        self._canvas: GraphCanvas | None = None
        self._graph: GraphPage | None = None
        self._stage: Stage | None = None
        self._file: SourceFile | None = None
        self._theme = LIGHT
        self._finding = Finding()
        self._name = SOURCE
        self._form = Form.GRAPH  # of its stages; the source is a text
        self._shown_graph: Graph | None = None
        self._call = ""
        self._shown = self._shown_text = ("", "")
        self._points = BASE_POINTS
        self._table_graph: Graph | None = None
        self.code = CodeView()
        self.table = NodeTableView()
        self.outline = OutlineView()
        self.header = PaneHeader()
        self.lighting = Lighting(self.code, self.table, self.outline, self._finding)
        self.table.search_dismissed.connect(self.header.search.clear)
        self._choices, self._wishes = PaneChoices(self), PaneWishes(self)
        self._begin = 0
        self._notice, self._footnote = QLabel(), QLabel()
        self._build()

    def _build(self) -> None:
        header = self.header
        header.form_requested.connect(self.set_form)
        header.search_edited.connect(self._find)
        header.search_entered.connect(self._on_header_search_entered)
        self._notice.setProperty("role", "muted")
        self._notice.setWordWrap(True)
        self._notice.setMargin(24)
        self._notice.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._notice.setTextFormat(Qt.TextFormat.PlainText)
        self._footnote.setProperty("role", "footnote")
        self._footnote.setWordWrap(True)
        self._footnote.setTextFormat(Qt.TextFormat.PlainText)
        self._footnote.hide()
        self._pages = QStackedWidget()
        for page in (self.code, self.table, self.outline, self._notice):
            self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        layout.addWidget(header)
        layout.addWidget(self._pages, 1)
        layout.addWidget(self._footnote)
        choices = self._choices
        choices.follow_lines(self.code)
        choices.follow_nodes(self.table)
        choices.follow_nodes(self.outline)
        choices.follow_groups(self.outline)
        choices.made.connect(self._on_choices_made)
        for told in TOLD:
            getattr(choices, told).connect(getattr(self, told))
        for part in (self.code, self.table, self.outline, self.header.search, self.header.chooser):
            part.installEventFilter(self)

    # --- what is shown ---

    @property
    def stage_name(self) -> str:
        """The name of the stage, or `SOURCE`."""
        return self._name

    @property
    def form(self) -> Form:
        return self._form

    @property
    def is_graph_shown(self) -> bool:
        """Whether a graph is what is seen."""
        return self._graph is not None and self._pages.currentWidget() is self._graph

    @property
    def footnote(self) -> str:
        """What is said below the source, or empty."""
        return "" if self._footnote.isHidden() else self._footnote.text()

    @property
    def canvas(self) -> GraphCanvas | None:
        """The graph view, once there was a graph to show."""
        return self._canvas

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer stages as pairs of name and title."""
        self.header.set_choices(choices, self._name)

    def show_source(
        self,
        file: SourceFile | None,
        heat: Mapping[int, LineCost] = MappingProxyType({}),
        note: str = "",
        begin: int = 0,
    ) -> None:
        """Show a file of the user's.

        Args:
            heat: What its lines cost, by 0-based number.
            note: What to say below it, or in its place where there is no file; or empty.
            begin: 0-based number of the line to look at first.
        """
        self.code.set_heat(heat)
        self._footnote.setText(note)
        self._footnote.setVisible(bool(note) and file is not None)
        self._begin = begin
        if self._name == SOURCE and file is self._file and file is not None:
            return
        self._name, self._stage, self._file = SOURCE, None, file
        self.code.setAccessibleName("Source")
        self.lighting.linked = NO_LINKED
        self._refresh()

    def show_stage(self, name: str, stage: Stage | None, waiting: str = "", call: str = "") -> None:
        """Show a stage, or say in its place what is being waited for.

        Args:
            name: The stage's.
            stage: The stage, or None while there is none.
            waiting: What to say then.
            call: What the stage is of; another run of the same call keeps one's place in it.
        """
        self._call = call
        if stage is self._stage and name == self._name and stage is not None:
            return
        if name != self._name:
            self.lighting.forget()
        self.code.set_heat({})
        self._footnote.hide()
        self._name, self._stage, self._file = name, stage, None
        self.code.setAccessibleName(f"Text of {name}")
        self._refresh(waiting)

    def set_form(self, form: Form) -> None:
        """Change how the stage is shown."""
        if self._name != SOURCE:
            self._form = form
            self._refresh()

    def prefer_form(self, form: Form) -> None:
        """Show the pane's stages in a form, once there are any."""
        self._form = form

    def set_linked(self, linked: Linked, *, reveal: bool) -> None:
        """Light up the nodes of a selection."""
        self.lighting.linked = linked
        self._apply_linked(reveal=reveal)

    def set_preview(self, linked: Linked, lines: Mapping[int, Mark]) -> None:
        """Light up faintly what is looked at ahead: nodes, or lines of the source."""
        self.lighting.ahead, self.lighting.lines_ahead = linked, lines
        self.lighting.apply_ahead()

    def set_line_marks(self, marks: Mapping[int, Mark], *, reveal: bool) -> None:
        """Mark lines of the source, by 0-based number."""
        self.lighting.line_marks = marks
        if self._name == SOURCE:
            self._apply_linked(reveal=reveal)

    def set_stale(self, is_stale: bool) -> None:
        """Say that what is shown is of an earlier run."""
        is_stale = is_stale and self._name != SOURCE
        self.header.set_stale(is_stale)
        self.code.set_stale(is_stale)

    def set_active(self, is_active: bool) -> None:
        """Frame the pane that commands go to."""
        if self.property("active") == ("true" if is_active else "false"):
            return
        self.setProperty("active", "true" if is_active else "false")
        self.style().unpolish(self)
        self.style().polish(self)

    def focus_content(self) -> None:
        """Give the keyboard to what the pane shows."""
        page = self._pages.currentWidget()
        if page is not None:
            page.setFocus()

    def set_theme(self, theme: Theme, points: float) -> None:
        """Use a theme's colours and a size of type."""
        self._theme, self._points = theme, points
        self.lighting.theme = theme
        self.code.set_theme(theme, points)
        self.table.fit()
        self.lighting.apply_ahead()
        if self._canvas is not None:
            self._canvas.set_theme(theme.name)
            self._canvas.set_text_scale(points / BASE_POINTS)

    # --- refreshing ---

    def _refresh(self, waiting: str = "") -> None:
        self.header.show_stage(self._name)
        is_stage = self._name != SOURCE
        self.header.show_form(self._form, is_shown=is_stage, is_enabled=self._stage is not None)
        if self._name == SOURCE:
            self._show_file()
        elif self._stage is None:
            self._say(waiting or "Run a call to see this stage.")
        elif self._stage.unavailable is not None:
            self._say(self._stage.unavailable.reason)
        elif self._form is Form.TEXT:
            self._show_text(self._stage.text)
        elif isinstance(graph := self._stage.graph, Unavailable):
            self._say_no_graph(graph.reason)
        elif self._form is Form.TABLE:
            self._show_table(graph)
        elif self._form is Form.TREE:
            self.outline.set_graph(graph, self._canvas.view if self._canvas is not None else None)
            self._pages.setCurrentWidget(self.outline)
        else:
            self._show_graph(graph, self._stage.title)
        if self._finding.text:
            self._find(self._finding.text)
        else:
            self._apply_linked(reveal=False)

    def _say_no_graph(self, reason: str) -> None:
        stage = self._stage
        if self._form is Form.GRAPH and stage is not None and is_available(stage.text):
            # Machine code has a text and no graph: show what there is.
            self.header.show_form(Form.TEXT, is_shown=True, is_enabled=True)
            self._show_text(stage.text)
        else:
            self._say(reason)

    def _say(self, text: str) -> None:
        self._notice.setText(text)
        self._pages.setCurrentWidget(self._notice)

    def _show_file(self) -> None:
        if self._file is None:
            self._say(self._footnote.text() or "Open a file to see its source.")
            return
        path = self._file.path
        is_again, self._shown_text = self._shown_text == (path, SOURCE), (path, SOURCE)
        fill_with_source(self.code, self._file.text, None if is_again else self._begin)
        self._pages.setCurrentWidget(self.code)

    def _show_text(self, text: object) -> None:
        if not isinstance(text, StageText):
            self._say(getattr(text, "reason", "There is no text of this stage."))
            return
        is_again = self._shown_text == (self._call, self._name)
        self._shown_text = (self._call, self._name)
        fill_with_stage(self.code, text, is_machine=self._name == "machine", is_again=is_again)
        self._pages.setCurrentWidget(self.code)

    def _show_table(self, graph: Graph) -> None:
        if graph is not self._table_graph:
            self._table_graph = graph
            self.table.set_graph(graph)
        self._pages.setCurrentWidget(self.table)

    def _show_graph(self, graph: Graph, title: str) -> None:
        if self._canvas is None or self._graph is None:
            self._graph = self._make_graph()
            self._canvas = self._graph.canvas
            self._pages.addWidget(self._graph)
            self._canvas.set_theme(self._theme.name)
            self._canvas.set_text_scale(self._points / BASE_POINTS)
            self._choices.follow_canvas(self._canvas)
            self._canvas.installEventFilter(self)
        if not len(graph.nodes):
            self._say("This program has no equations: it computes nothing.")
            return
        self._pages.setCurrentWidget(self._graph)  # first: a picture is made for its room
        if graph is not self._shown_graph:
            shown, self._shown = self._shown, (self._call, self._name)
            self._shown_graph = graph
            kept = self._canvas.keep() if shown == self._shown else None
            self._canvas.set_graph(graph, title, kept)

    def _apply_linked(self, *, reveal: bool) -> None:
        text = self._stage.text if self._stage is not None else None
        self._choices.set_subject(self._name, self._stage, self._file)
        self.lighting.shows_source = self._name == SOURCE
        self.lighting.subject = self._file.path if self._file is not None else self._name
        self.lighting.text = text if isinstance(text, StageText) else None
        self.lighting.shown = self._pages.currentWidget() or self.code
        self.lighting.canvas = self._canvas if self.is_graph_shown else None
        self.lighting.apply(reveal=reveal)

    # --- slots ---

    def _on_choices_made(self) -> None:
        self.activated.emit(self)

    def _on_header_search_entered(self, step: int) -> None:
        hits = self._hits()
        hit = self._finding.step(hits, step)
        if hit is None:
            return
        self.header.show_found(self._finding.describe(hits), "")
        if self._pages.currentWidget() is self.code:
            self.code.go_to_line(hit)
        else:
            self._choices.choose_node(hit)
            self._apply_linked(reveal=True)
            if self.is_graph_shown and self._canvas is not None:
                self._canvas.select_node(hit)  # it, not only some other hit, comes into sight

    # --- finding ---

    def _find(self, text: str) -> None:
        """Look for something in what is shown."""
        stage, line_nodes = self._stage, None
        lines: Sequence[str] = ()
        graph = stage.graph if stage is not None and is_available(stage.graph) else None
        if self._pages.currentWidget() is self.code:
            lines = self.code.lines
            if stage is not None and is_available(stage.text):
                line_nodes = stage.text.line_nodes
        self._finding.find(text, graph, lines, line_nodes)
        self.header.show_found(self._finding.describe(self._hits()), self._finding.problem)
        if self._pages.currentWidget() is self.table:
            is_on = bool(self._finding.text) and not self._finding.problem
            self.table.set_search(self._finding.text, self._finding.nodes if is_on else None)
        self._apply_linked(reveal=True)

    def _hits(self) -> npt.NDArray[np.int32]:
        is_text = self._pages.currentWidget() is self.code
        return self._finding.lines if is_text else self._finding.nodes

    def minimumSizeHint(self) -> QSize:
        # Three panes have to fit beside each other on a small screen, whatever the size of type.
        return QSize(170, 140)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn:
            self.activated.emit(self)
        return super().eventFilter(watched, event)
