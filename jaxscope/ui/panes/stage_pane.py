"""One pane: a stage, or the source, in one of its forms."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jaxscope.analysis.links import NO_LINKED, Linked
from jaxscope.model import Graph, SourceFile, Stage, StageText, Unavailable, is_available
from jaxscope.ui.panes.code_view import CodeView, Mark
from jaxscope.ui.panes.colouring import ProgramColouring, PythonColouring
from jaxscope.ui.panes.marks import marks_of_nodes
from jaxscope.ui.panes.node_table import find_nodes
from jaxscope.ui.panes.table_view import NodeTableView
from jaxscope.ui.theme import LIGHT, Theme

if TYPE_CHECKING:  # the graph view is loaded when the first graph is shown
    from jaxscope.ui.graph.canvas import GraphCanvas

SOURCE = "source"
"""Stands in for a stage's name where a pane shows the user's file."""


class Form(enum.Enum):
    """How a pane shows its stage."""

    GRAPH = "graph"
    TEXT = "text"
    TABLE = "table"


class StagePane(QFrame):
    """Shows one stage; tells what a person chose, and never reacts to its own telling.

    Signals carry the pane itself first, so that one bound method serves all panes.
    """

    node_chosen = Signal(str, int)
    line_chosen = Signal(str, int)
    stage_requested = Signal(object, str)
    close_requested = Signal(object)
    add_requested = Signal(object)
    activated = Signal(object)

    def __init__(
        self, make_canvas: Callable[[], GraphCanvas], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "pane")
        self._make_canvas = make_canvas
        self._canvas: GraphCanvas | None = None
        self._stage: Stage | None = None
        self._file: SourceFile | None = None
        self._theme = LIGHT
        self._found: tuple[int, ...] = ()
        self._name = SOURCE
        self._form = Form.TEXT
        self._linked = NO_LINKED
        self._line_marks: Mapping[int, Mark] = {}
        self._shown_graph: Graph | None = None
        self._shown_name = ""
        self._table_graph: Graph | None = None
        self.code = CodeView()
        self.table = NodeTableView()
        self._notice = QLabel()
        self._build()

    def _build(self) -> None:
        self.chooser = QComboBox()
        self.chooser.setAccessibleName("Stage of this pane")
        self.chooser.setProperty("role", "compact")
        self.chooser.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.chooser.setMinimumContentsLength(7)
        self.chooser.activated.connect(self._on_chooser_activated)
        self._forms = QButtonGroup(self)
        self.form_buttons: dict[Form, QToolButton] = {}
        header = QHBoxLayout()
        header.setSpacing(3)
        header.addWidget(self.chooser, 2)
        for number, form in enumerate(Form):
            button = QToolButton()
            button.setText(form.value.capitalize())
            button.setCheckable(True)
            button.setProperty("role", "compact")
            button.setToolTip(f"Show this stage as {form.value}")
            self._forms.addButton(button, number)
            self.form_buttons[form] = button
            header.addWidget(button)
        self._forms.idClicked.connect(self._on_forms_id_clicked)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find")
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName("Find in this pane")
        self.search.setProperty("role", "compact")
        self.search.setMinimumWidth(44)
        self.search.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.search.textEdited.connect(self._on_search_text_edited)
        self.search.returnPressed.connect(self._on_search_return_pressed)
        header.addWidget(self.search, 1)
        self._stale = QLabel("stale")
        self._stale.setProperty("role", "badge")
        self._stale.setToolTip("From an earlier run; the file or the call has changed since.")
        self._stale.hide()
        header.addWidget(self._stale)
        for text, tip, slot in (
            ("+", "Open another pane beside this one", self._on_add_clicked),
            ("×", "Close this pane", self._on_close_clicked),
        ):
            button = QToolButton()
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setProperty("role", "compact")
            button.setFixedWidth(24)
            button.clicked.connect(slot)
            header.addWidget(button)
        self._notice.setWordWrap(True)
        self._notice.setMargin(24)
        self._notice.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._notice.setTextFormat(Qt.TextFormat.PlainText)
        self._pages = QStackedWidget()
        for page in (self.code, self.table, self._notice):
            self._pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        self._header = header
        layout.addLayout(header)
        layout.addWidget(self._pages, 1)
        self.code.line_chosen.connect(self._on_code_line_chosen)
        self.table.node_chosen.connect(self._on_node_chosen)
        for part in (self.code, self.table, self.search, self.chooser):
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
    def canvas(self) -> GraphCanvas | None:
        """The graph view, once there was a graph to show."""
        return self._canvas

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer stages as pairs of name and title; the source is always first."""
        wanted = [(SOURCE, "Source"), *choices]
        present = [
            (self.chooser.itemData(i), self.chooser.itemText(i))
            for i in range(self.chooser.count())
        ]
        if wanted != present:
            self.chooser.clear()
            for name, title in wanted:
                self.chooser.addItem(title, name)
        self.chooser.setCurrentIndex(self.chooser.findData(self._name))

    def show_source(self, file: SourceFile | None) -> None:
        """Show a file of the user's."""
        self._name, self._stage, self._file = SOURCE, None, file
        self.code.setAccessibleName("Source")
        self._linked = NO_LINKED
        self._refresh()

    def show_stage(self, name: str, stage: Stage | None, waiting: str = "") -> None:
        """Show a stage, or say in its place what is being waited for."""
        if stage is self._stage and name == self._name and stage is not None:
            return
        if name != self._name:
            self._linked, self._line_marks = NO_LINKED, {}
        was_source = self._name == SOURCE
        self._name, self._stage, self._file = name, stage, None
        if was_source and name != SOURCE:
            self._form = Form.GRAPH
        self.code.setAccessibleName(f"Text of {name}")
        self._refresh(waiting)

    def set_form(self, form: Form) -> None:
        """Change how the stage is shown."""
        if self._name != SOURCE:
            self._form = form
            self._refresh()

    def set_linked(self, linked: Linked, *, reveal: bool) -> None:
        """Light up the nodes of a selection."""
        self._linked = linked
        self._apply_linked(reveal=reveal)

    def set_line_marks(self, marks: Mapping[int, Mark], *, reveal: bool) -> None:
        """Mark lines of the source, by 0-based number."""
        self._line_marks = marks
        if self._name == SOURCE:
            self.code.set_marks(marks, reveal=reveal)

    def set_stale(self, is_stale: bool) -> None:
        """Say that what is shown is of an earlier run."""
        is_stale = is_stale and self._name != SOURCE
        self._stale.setVisible(is_stale)
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
        self._theme = theme
        self.code.set_theme(theme, points)
        self.table.fit()
        if self._canvas is not None:
            self._canvas.set_theme(theme.name)

    # --- refreshing ---

    def _refresh(self, waiting: str = "") -> None:
        for form, button in self.form_buttons.items():
            button.setChecked(form is self._form)
            button.setVisible(self._name != SOURCE)
            button.setEnabled(self._stage is not None)
        index = self.chooser.findData(self._name)
        if index >= 0:
            self.chooser.setCurrentIndex(index)
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
        else:
            self._show_graph(graph, self._stage.title)
        self._apply_linked(reveal=False)

    def _say_no_graph(self, reason: str) -> None:
        stage = self._stage
        if self._form is Form.GRAPH and stage is not None and is_available(stage.text):
            # Machine code has a text and no graph: show what there is.
            self.form_buttons[Form.TEXT].setChecked(True)
            self._show_text(stage.text)
        else:
            self._say(reason)

    def _say(self, text: str) -> None:
        self._notice.setText(text)
        self._pages.setCurrentWidget(self._notice)

    def _show_file(self) -> None:
        if self._file is None:
            self._say("Open a file to see its source.")
            return
        self.code.set_lines(self._file.text.split("\n"), PythonColouring(self._file.text))
        self.code.set_marks(self._line_marks, reveal=False)
        self._pages.setCurrentWidget(self.code)

    def _show_text(self, text: object) -> None:
        if not isinstance(text, StageText):
            self._say(getattr(text, "reason", "There is no text of this stage."))
            return
        lines = text.text.split("\n")
        self.code.set_lines(lines, ProgramColouring(lines))
        self._pages.setCurrentWidget(self.code)

    def _show_table(self, graph: Graph) -> None:
        if graph is not self._table_graph:
            self._table_graph = graph
            self.table.set_graph(graph)
        self._pages.setCurrentWidget(self.table)

    def _show_graph(self, graph: Graph, title: str) -> None:
        if self._canvas is None:
            self._canvas = self._make_canvas()
            self._pages.addWidget(self._canvas)
            self._canvas.set_theme(self._theme.name)
            self._canvas.node_selected.connect(self._on_node_chosen)
            self._canvas.installEventFilter(self)
        if not len(graph.nodes):
            self._say("This program has no equations: it computes nothing.")
            return
        if graph is not self._shown_graph:
            is_same_stage = self._shown_name == self._name
            self._shown_graph, self._shown_name = graph, self._name
            self._canvas.set_graph(graph, title, self._canvas.expanded if is_same_stage else None)
        self._pages.setCurrentWidget(self._canvas)

    def _apply_linked(self, *, reveal: bool) -> None:
        linked, stage = self._linked, self._stage
        if self._name == SOURCE or stage is None:
            return
        shown = self._pages.currentWidget()
        if shown is self.code and is_available(stage.text):
            self.code.set_marks(marks_of_nodes(stage.text, linked), reveal=reveal)
        elif shown is self.table:
            nodes = (*linked.selected[:1], *linked.forward[:1], *linked.backward[:1])
            self.table.choose(int(nodes[0]) if nodes else None)
        elif shown is self._canvas and self._canvas is not None:
            self._canvas.set_highlight(linked.selected, linked.forward, linked.backward)

    # --- slots ---

    def _on_chooser_activated(self, index: int) -> None:
        self.stage_requested.emit(self, self.chooser.itemData(index))

    def _on_forms_id_clicked(self, number: int) -> None:
        self.set_form(list(Form)[number])

    def _on_add_clicked(self) -> None:
        self.add_requested.emit(self)

    def _on_close_clicked(self) -> None:
        self.close_requested.emit(self)

    def _on_node_chosen(self, node: int) -> None:
        self.activated.emit(self)
        if node >= 0:
            self.node_chosen.emit(self._name, node)

    def _on_code_line_chosen(self, line: int) -> None:
        self.activated.emit(self)
        if self._name == SOURCE and self._file is not None:
            self.line_chosen.emit(self._file.path, line + 1)
        elif self._stage is not None and is_available(self._stage.text):
            nodes = self._stage.text.line_nodes
            if line < len(nodes) and nodes[line] >= 0:
                self.node_chosen.emit(self._name, int(nodes[line]))

    def _on_search_text_edited(self, text: str) -> None:
        self._found = ()
        stage = self._stage
        if self._pages.currentWidget() is self.table:
            self.table.nodes.set_filter(text)
        elif self._pages.currentWidget() is self._canvas and self._canvas is not None:
            if stage is not None and is_available(stage.graph) and text:
                self._found = tuple(find_nodes(stage.graph, text).tolist())
                self._canvas.set_highlight(self._found, (), ())
            else:
                self._apply_linked(reveal=False)

    def _on_search_return_pressed(self) -> None:
        if self._pages.currentWidget() is self.code and self.search.text():
            self.code.find_next(self.search.text())
        elif self._pages.currentWidget() is self._canvas and self._canvas is not None:
            if not self._found:
                self._on_search_text_edited(self.search.text())
            if self._found:
                node, self._found = self._found[0], (*self._found[1:], self._found[0])
                self._canvas.select_node(node, reveal=True)

    def minimumSizeHint(self) -> QSize:
        # Three panes have to fit beside each other on a small screen, whatever the size of type.
        return QSize(170, 140)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_header()

    def _fit_header(self) -> None:
        """Leave the search out where there is no room; Ctrl+F brings it back."""
        shown = self.search.isVisibleTo(self)
        needed = self._header.minimumSize().width() + (0 if shown else self.search.minimumWidth())
        self.search.setVisible(self.search.hasFocus() or needed + 12 <= self.width())

    def focus_search(self) -> None:
        """Put the cursor into the search, also where it had no room."""
        self.search.show()
        self.search.setFocus()
        self.search.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn:
            self.activated.emit(self)
        return super().eventFilter(watched, event)
