"""One pane: shows a stage, or the source, in one of its forms.

What is clicked goes to `SelectionModel`; the pane highlights what that says is selected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from jaxscope.model import (
    NONE,
    Check,
    Direction,
    Graph,
    SourceFile,
    Stage,
    StageText,
    Unavailable,
    is_available,
)
from jaxscope.program.cost.lines import LineCost
from jaxscope.program.links import NO_LINKED, Links, NodeSelection
from jaxscope.ui.panes.highlight import PaneHighlighter, PaneSearch
from jaxscope.ui.panes.pane_header import SOURCE, Form, PaneHeader
from jaxscope.ui.selection.selection import GRAPH_STAGE_OF, GroupPlace, SelectionModel
from jaxscope.ui.source.code_view import CodeView, Mark, fill_with_source, fill_with_stage
from jaxscope.ui.source.source_lines import NEW_LINE, SourceLines
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.theme import BASE_POINTS, LIGHT, Theme
from jaxscope.ui.toolkit.widgets import fill_box, restyle

if TYPE_CHECKING:
    from jaxscope.ui.canvas.graph_canvas import GraphCanvas
    from jaxscope.ui.canvas.graph_page import GraphPage
    from jaxscope.ui.canvas.picture import KeptPicture
    from jaxscope.ui.panes.node_table import NodeTableView
    from jaxscope.ui.panes.outline import OutlineView
    from jaxscope.ui.source.editor import SourceEditor


_VEIL_ALPHA = 165
"""Of 255: what is below can be told from what is new at a glance, and read all the same."""
_CODE_PRESENTED = 0.8
"""Of its usual size beside other text: a program that is presented is in type of a fiftieth of the
screen's height, so that its lines are hardly wrapped."""
_ALL_SHARES = 1.005
"""More than that all lines together have only where several arms of a branch count."""
_SHARES = 1000
"""Of what a pane shows, and of a part of the window below it."""


class PaneHost(Protocol):
    """What a pane asks of the area that holds it."""

    def set_stage(self, pane: StagePane, name: str) -> None:
        """Let a pane be for another stage."""

    def close_pane(self, pane: StagePane) -> None:
        """Close a pane."""

    def activate(self, pane: StagePane) -> None:
        """Let commands go to a pane."""

    def drag(self, pane: StagePane, place: QPoint) -> None:
        """A pane is dragged over a place of the screen."""

    def drop(self, pane: StagePane, place: QPoint) -> None:
        """A pane is dropped at a place of the screen."""

    def open_menu(self, pane: StagePane, place: QPoint) -> None:
        """Show the menu of a pane at a place of the screen."""

    def open_graph_menu(self, pane: StagePane, place: QPoint) -> None:
        """Show the menu of its graph at a place of the screen."""

    def show_notes(self) -> None:
        """Show what was noticed about the call."""

    def note_form(self, pane: StagePane) -> None:
        """A pane shows its stage in another form."""

    def keep_share(self, share: float) -> None:
        """What stands below a pane's text was given that part of the height by hand."""


def line_mark_of(selection: SelectionModel) -> Mark:
    """How source lines are marked that the selection is linked to: by the part that is selected."""
    selected = selection.selection
    if isinstance(selected, NodeSelection) and selected.nodes:
        graph = selection.graph_of(selected.stage)
        if graph is not None:
            direction = graph.nodes.direction[selected.nodes[0]]
            return Mark.BACKWARD if direction == Direction.BACKWARD else Mark.FORWARD
    return Mark.SELECTED


def place_of_selected(selection: SelectionModel) -> tuple[str, int]:
    """File and line that wrote the one node that is selected, not those that called it; or none."""
    selected = selection.selection
    if isinstance(selected, NodeSelection) and len(selected.nodes) == 1:
        graph = selection.graph_of(selected.stage)
        places = graph.node(selected.nodes[0]).source if graph is not None else ()
        if places:
            return places[0].file, places[0].line
    return "", 0


class _StaleOverlay(QWidget):
    """Lies over what is old, and lets it be seen and used; the header says of what it is."""

    def __init__(self, below: QWidget) -> None:
        super().__init__(below)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._below, self._colour = below, QColor()
        self.hide()
        below.installEventFilter(self)

    def cover(self, colour: QColor) -> None:
        """Lie over it all, on top of what was added since."""
        self.set_colour(colour)
        self._fit()
        self.raise_()
        self.show()

    def set_colour(self, colour: QColor) -> None:
        """Let what is below fade into a colour."""
        self._colour = QColor(colour)
        self._colour.setAlpha(_VEIL_ALPHA)
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        self.setGeometry(self._below.rect())

    def paintEvent(self, _event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._colour)


class StagePane(QFrame):
    """Shows one stage. What a person chooses in it goes to the selection; what is selected,
    anywhere, comes back from there.

    Attributes:
        wanted_stage: What the pane is for, a stage's name or `SOURCE`, also while that stage does
            not exist yet.

    Args:
        make_graph: Makes a graph view; called when the first graph is to be shown.
        host: The area that holds the pane.
        selection: Of the window.
        lines: Where lines that ran are in the source that is shown.
    """

    def __init__(
        self,
        make_graph: Callable[[], GraphPage],
        host: PaneHost,
        selection: SelectionModel,
        lines: SourceLines,
        wanted_stage: str,
    ) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self._make_graph, self._host = make_graph, host
        self._selection, self._lines = selection, lines
        self.wanted_stage = wanted_stage
        self._canvas: GraphCanvas | None = None
        self._graph: GraphPage | None = None
        self._stage: Stage | None = None
        self._file: SourceFile | None = None
        self._editor: QWidget | None = None
        self._edit: SourceEditor | None = None
        self._theme = LIGHT
        self._finding = PaneSearch()
        self._name = SOURCE
        self._form = Form.GRAPH  # of its stages; the source is a text
        self._shown_graph: Graph | None = None
        self._call = ""
        self._shown = self._shown_text = ("", "")
        self._left: dict[tuple[str, str], KeptPicture] = {}
        self._points, self._scale, self._is_spotlit = BASE_POINTS, 0.0, False
        self._is_growing = False
        self._table: NodeTableView | None = None
        self._outline: OutlineView | None = None
        self._table_graph: Graph | None = None
        self.code = CodeView()
        self.header = PaneHeader()
        self.highlighter = PaneHighlighter(self.code, self._finding)
        self._begin = 0
        self._notice, self._footnote = QLabel(), QLabel()
        self._build()

    def _build(self) -> None:
        header, grip = self.header, self.header.grip
        header.stage_requested.connect(self._on_header_stage_requested)
        header.close_requested.connect(self._on_header_close_requested)
        grip.moved.connect(self._on_grip_moved)
        grip.dropped.connect(self._on_grip_dropped)
        grip.clicked.connect(self._on_grip_clicked)
        header.form_requested.connect(self.set_form)
        header.search_edited.connect(self._find)
        header.search_entered.connect(self._on_header_search_entered)
        header.search_left.connect(self.focus_content)
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
        self._pages.addWidget(self.code)
        self._pages.addWidget(self._notice)
        self._stale_overlay = _StaleOverlay(self._pages)
        self._pages.currentChanged.connect(self._stale_overlay.raise_)  # Qt puts the page on top
        layout = fill_box(QVBoxLayout(self), header, margins=(3, 1, 3, 1), spacing=1)
        self._body = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        self._body.addWidget(self._pages)
        self._body.splitterMoved.connect(self._on_body_moved)
        layout.addWidget(self._body, 1)
        layout.addWidget(self._footnote)
        self.code.line_chosen.connect(self._on_code_line_chosen)
        self.code.lines_chosen.connect(self._on_code_lines_chosen)
        self.code.check_chosen.connect(self._host.show_notes)
        self.code.line_hovered.connect(self._on_code_line_hovered)
        self._selection.changed.connect(self._on_selection_changed)
        self._selection.previewed.connect(self._on_selection_previewed)
        self._selection.growth_changed.connect(self._on_selection_growth_changed)
        for part in (self.code, self.header.search, self.header.chooser):
            part.installEventFilter(self)

    def add_below(self, part: QWidget, share: float, *, keeps_top: bool = False) -> None:
        """Show a part of the window below what the pane shows; it leaves where it was.

        Args:
            share: Of the height, from 0 to 1.
            keeps_top: A text goes on to begin at the same line, as where no person asked for it.
        """
        if self._body.indexOf(part) < 0:
            self._body.addWidget(part)
        self.code.keeps_top = keeps_top
        self._body.setSizes([round(_SHARES * (1 - share)), round(_SHARES * share)])
        self.code.keeps_top = None

    def _on_body_moved(self) -> None:
        above, below = self._body.sizes()
        part = self._body.widget(1)
        if part is not None and below < part.maximumHeight():  # else it could get no more
            self._host.keep_share(below / (above + below))

    # --- what is shown ---

    @property
    def stage_name(self) -> str:
        """The name of the stage, or `SOURCE`."""
        return self._name

    @property
    def form(self) -> Form:
        return self._form

    @property
    def source_text(self) -> str:
        """The text of the file that is shown; empty where a stage is."""
        return "" if self._file is None else self._file.text

    @property
    def is_graph_shown(self) -> bool:
        """Whether a graph is what is seen."""
        return self._graph is not None and self._pages.currentWidget() is self._graph

    @property
    def table(self) -> NodeTableView:
        """The table, made now if it was not yet: few panes ever show theirs."""
        from jaxscope.ui.panes.node_table import NodeTableView

        if self._table is None:
            self._table = table = NodeTableView()
            self._add_rows(table)
            table.search_dismissed.connect(self.header.search.clear)
            table.filters.ensurePolished()
            table.fit()
        return self._table

    @property
    def outline(self) -> OutlineView:
        """The outline, made now if it was not yet, like the table."""
        from jaxscope.ui.panes.outline import OutlineView

        if self._outline is None:
            self._outline = outline = OutlineView()
            self._add_rows(outline)
            outline.group_chosen.connect(self._on_group_chosen)
            self._host.note_form(self)  # what follows outlines hears of this one
        return self._outline

    @property
    def has_outline(self) -> bool:
        """Whether the outline was made."""
        return self._outline is not None

    def _add_rows(self, rows: NodeTableView | OutlineView) -> None:
        self._pages.addWidget(rows)
        rows.node_chosen.connect(self._on_node_chosen)
        rows.nodes_chosen.connect(self._on_nodes_chosen)
        rows.node_hovered.connect(self._on_node_hovered)
        rows.installEventFilter(self)

    @property
    def old_text(self) -> str:
        """What is said over what is of an earlier run, or empty."""
        return "" if self._stale_overlay.isHidden() else self.header.old_text

    @property
    def footnote(self) -> str:
        """What is said below the source, or empty."""
        return "" if self._footnote.isHidden() else self._footnote.text()

    @property
    def canvas(self) -> GraphCanvas | None:
        """The graph view, once there was a graph to show."""
        return self._canvas

    @property
    def is_edited(self) -> bool:
        """Whether an editor, which has no margin for costs, is in the place of the source."""
        return self._editor is not None

    def set_editor(self, editor: QWidget | None, edit: SourceEditor | None = None) -> None:
        """Show this in the place of the source, or the source again; the pane owns it.

        Args:
            editor: What is shown, or None.
            edit: Where in it the text is: what the pane's search looks through.
        """
        before, self._editor, self._edit = self._editor, editor, edit
        if editor is not None:
            self._pages.addWidget(editor)
        if edit is not None:
            edit.installEventFilter(self)  # the keyboard in it is in this pane
            edit.textChanged.connect(self._on_edit_text_changed)
        if before is not None:
            self._pages.removeWidget(before)
            before.hide()
            before.deleteLater()
        if self._name == SOURCE:
            self._refresh()

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer stages as pairs of name and title."""
        self.header.set_choices(choices, self._name)

    def show_source(
        self,
        file: SourceFile | None,
        heat: Mapping[int, LineCost] = MappingProxyType({}),
        note: str = "",
        begin: int = 0,
        checks: Mapping[int, Sequence[Check]] = MappingProxyType({}),
    ) -> None:
        """Show a file of the user's.

        Args:
            heat: What its lines cost, by 0-based number.
            note: What to say below it, or in its place where there is no file; or empty.
            begin: 0-based number of the line to look at first.
            checks: What was noticed about its lines, by 0-based number, the worst first.
        """
        self.code.set_heat(heat)
        costs = () if self.is_edited else heat.values()
        quantity = next((cost.quantity for cost in costs if cost.quantity), "")
        shares = (cost.share for cost in costs if math.isfinite(cost.share))
        of_branches = sum(shares) > _ALL_SHARES
        captions = (
            {
                "FLOP": tr("share of FLOP by line, if its branch runs"),
                "bytes": tr("share of bytes by line, if its branch runs"),
            }
            if of_branches
            else {"FLOP": tr("share of FLOP by line"), "bytes": tr("share of bytes by line")}
        )
        told = tr(
            "The part of the whole program that comes from each line. A stronger shade or a "
            "longer bar means more."
        )
        if of_branches:
            told += " " + tr(
                "Of the branches of a cond or a switch one runs. Each counts as if it ran, so "
                "that all shares add up to more than 100 %. The whole is that with the dearest "
                "branches."
            )
        self.header.set_caption(captions.get(quantity, ""), told)
        self.code.set_checks(checks)
        self._footnote.setText(note)
        self._footnote.setVisible(bool(note) and file is not None)
        self._begin = begin
        if self._name == SOURCE and file is self._file and file is not None:
            return
        self._name, self._stage, self._file = SOURCE, None, file
        self.code.setAccessibleName(tr("Source"))
        self.highlighter.linked = NO_LINKED
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
            self.highlighter.forget()
        self.code.set_heat({})
        self.header.set_caption("", "")
        self.code.set_checks({})
        self._footnote.hide()
        self._name, self._stage, self._file = name, stage, None
        self.code.setAccessibleName(tr("Text of {name}", name=name))
        self._refresh(waiting)

    def set_form(self, form: Form) -> None:
        """Change how the stage is shown."""
        if self._name != SOURCE:
            self._form = form
            self._refresh()
            self._host.note_form(self)

    def prefer_form(self, form: Form) -> None:
        """Show the pane's stages in a form, once there are any."""
        self._form = form

    def show_links(self, links: Links, *, reveal: bool) -> None:
        """Highlight what is linked to the selection; `reveal` brings some of it into sight."""
        if self.wanted_stage != SOURCE:
            self.highlighter.linked = links.stages.get(self._linked_stage, NO_LINKED)
            self._apply_linked(reveal=reveal)
            return
        selection = self._selection
        running, mark = selection.running, line_mark_of(selection)
        self.highlighter.line_marks = self._lines.marks(links, mark, running)
        if self._name == SOURCE:
            self._apply_linked(reveal=reveal)
            to_shown = self._lines.to_shown
            line = to_shown(*running) or to_shown(*place_of_selected(selection))
            if reveal and line:
                self.code.bring_into_sight(line - 1)

    def reveal_error(self) -> None:
        """Bring the line of the source that failed into sight, whatever else is marked."""
        marks = self.highlighter.line_marks if self._name == SOURCE else {}
        for line in [line for line, mark in marks.items() if mark is Mark.ERROR][:1]:
            self.code.bring_into_sight(line)

    def set_stale(self, is_stale: bool, failed_over: str = "") -> None:
        """Say that what is shown is of an earlier run.

        Args:
            failed_over: The call that it is of, where another one failed since; or empty.
        """
        is_stale = is_stale and self._name != SOURCE
        is_covered = is_stale and bool(failed_over) and self._stage is not None
        self.header.set_stale(is_stale, failed_over if is_covered else "")
        self.code.set_stale(is_stale)
        if is_covered:
            self._stale_overlay.cover(QColor(self._theme.surface))
        else:
            self._stale_overlay.hide()

    def set_active(self, is_active: bool) -> None:
        """Frame the pane that commands go to."""
        self._dress("active", is_active)

    def _dress(self, name: str, is_so: bool) -> None:
        """Look as the style sheet says of a property."""
        if self.property(name) == ("true" if is_so else "false"):
            return
        self.setProperty(name, "true" if is_so else "false")
        restyle(self)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.header.set_hovered(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.header.set_hovered(False)

    def tab_stops(self) -> list[QWidget]:
        """What the Tab key goes through of what is shown; the tools above are the header's."""
        graph = self._graph.findChildren(QWidget) if self._graph is not None else []
        rows = [each for each in (self._table, self._outline) if each is not None]
        return [self.code, *rows, *graph]

    def focus_content(self) -> None:
        """Give the keyboard to what the pane shows."""
        page = self._pages.currentWidget()
        if page is not None:
            page.setFocus()

    def set_theme(self, theme: Theme, points: float) -> None:
        """Use a theme's colours and a size of type."""
        self._theme, self._points = theme, points
        self.highlighter.theme = theme
        self._stale_overlay.set_colour(QColor(theme.surface))
        self.code.set_theme(theme, self._code_points)
        if self._table is not None:
            self._table.fit()
        self.highlighter.apply_preview()
        if self._canvas is not None:
            self._canvas.set_theme(theme.name)
            self._canvas.set_text_scale(self._scale or points / BASE_POINTS)

    def set_spotlight(self, is_on: bool) -> None:
        """Dim all of the graph but what is selected, or nothing."""
        self._is_spotlit = is_on
        if self._canvas is not None:
            self._canvas.set_spotlight(is_on)

    def present(self, scale: float) -> None:
        """Show nothing but the picture or the text; 0 brings the rest back.

        Args:
            scale: Of texts in a graph; 1 is ordinary.
        """
        self._scale = scale
        if self._canvas is not None:  # first: with more room it then keeps the same in its middle
            self._canvas.present(scale or self._points / BASE_POINTS, is_on=scale > 0)
        self.header.setHidden(scale > 0)
        self.code.set_bare(is_bare=scale > 0)
        self.code.set_theme(self._theme, self._code_points)
        if self._graph is not None:
            self._graph.set_bare(is_bare=scale > 0)

    @property
    def _code_points(self) -> float:
        return self._points * (_CODE_PRESENTED if self._scale else 1.0)

    # --- refreshing ---

    def _refresh(self, waiting: str = "") -> None:
        self.header.show_stage(self._name)
        is_stage = self._name != SOURCE
        self.header.show_form(self._form, is_shown=is_stage, is_enabled=self._stage is not None)
        if self._name == SOURCE:
            self._show_file()
        elif self._stage is None:
            self._say(waiting or tr("Run a call to see this stage."))
        elif self._stage.unavailable is not None:
            self._say(tr_said(self._stage.unavailable.reason))
        elif self._form is Form.TEXT:
            self._show_text(self._stage.text)
        elif isinstance(graph := self._stage.graph, Unavailable):
            stage = self._stage
            if self._form is Form.GRAPH and stage is not None and is_available(stage.text):
                # Machine code has a text and no graph: show what there is.
                self.header.show_form(Form.TEXT, is_shown=True, is_enabled=True)
                self._show_text(stage.text)
            else:
                self._say(tr_said(graph.reason))
        elif self._form is Form.TABLE:
            if graph is not self._table_graph:
                self._table_graph = graph
                self.table.set_graph(graph)
            self._pages.setCurrentWidget(self.table)
        elif self._form is Form.TREE:
            self.outline.set_graph(graph, self._canvas.view if self._canvas is not None else None)
            self._pages.setCurrentWidget(self.outline)
        else:
            self._show_graph(graph, tr_said(self._stage.title))
        self._tell_drawn()
        self._apply_growth()
        if self._finding.text:
            self._find(self._finding.text)
        else:
            self._apply_linked(reveal=False)

    def _say(self, text: str) -> None:
        self._notice.setText(text)
        self._pages.setCurrentWidget(self._notice)

    def _show_file(self) -> None:
        if self._file is None:
            self._say(self._footnote.text() or tr("Open a file to see its source."))
            return
        path = self._file.path
        is_again, self._shown_text = self._shown_text == (path, SOURCE), (path, SOURCE)
        fill_with_source(self.code, self._file.text, None if is_again else self._begin)
        self._pages.setCurrentWidget(self._editor or self.code)

    def _show_text(self, text: object) -> None:
        if not isinstance(text, StageText):
            self._say(getattr(text, "reason", tr("There is no text of this stage.")))
            return
        is_again = self._shown_text == (self._call, self._name)
        self._shown_text = (self._call, self._name)
        fill_with_stage(self.code, text, is_machine=self._name == "machine", is_again=is_again)
        self._pages.setCurrentWidget(self.code)

    def _show_graph(self, graph: Graph, title: str) -> None:
        if self._canvas is None or self._graph is None:
            self._graph = self._make_graph()
            self._canvas = self._graph.canvas
            self._pages.addWidget(self._graph)
            self._canvas.set_theme(self._theme.name)
            self._canvas.set_text_scale(self._scale or self._points / BASE_POINTS)
            self._canvas.set_spotlight(self._is_spotlit)
            self._graph.set_bare(is_bare=self._scale > 0)
            self.header.take_colours(self._graph.colours)
            self._canvas.node_selected.connect(self._on_node_chosen)
            self._canvas.deselected.connect(self._selection.clear)
            self._canvas.nodes_selected.connect(self._on_nodes_chosen)
            self._canvas.group_selected.connect(self._on_group_chosen)
            self._canvas.node_hovered.connect(self._on_node_hovered)
            self._canvas.scene_changed.connect(self._tell_drawn)
            self._canvas.installEventFilter(self)
        if not len(graph.nodes):
            self._say(tr("This program has no equations: it computes nothing."))
            return
        self._pages.setCurrentWidget(self._graph)  # first: a picture is made for its room
        if graph is self._shown_graph:
            return
        is_again = self._shown == (self._call, self._name)
        if not (is_again and self._canvas.take_graph(graph)):
            shown, self._shown = self._shown, (self._call, self._name)
            if (kept := self._canvas.keep()) is not None:
                self._left[shown] = kept
            self._left = {
                place: each
                for place, each in self._left.items()
                if place[0] == self._call and (place == self._shown or not each.is_new)
            }
            self._canvas.set_graph(graph, title, self._left.get(self._shown))
        self._shown_graph = graph

    def _tell_drawn(self) -> None:
        """Say in the header where the picture leaves something out."""
        if self._name != SOURCE:
            canvas = self._canvas if self.is_graph_shown else None
            told = canvas.drawn_text if canvas else ""
            self.header.set_caption(told, canvas.rest_text if canvas and told else "")

    def _apply_linked(self, *, reveal: bool) -> None:
        text = self._stage.text if self._stage is not None else None
        self.highlighter.shows_source = self._name == SOURCE
        self.highlighter.subject = self._file.path if self._file is not None else self._name
        self.highlighter.text = text if isinstance(text, StageText) else None
        self.highlighter.shown = self._pages.currentWidget() or self.code
        self.highlighter.canvas = self._canvas if self.is_graph_shown else None
        self.highlighter.apply(reveal=reveal)

    # --- from a click to the selection ---

    @property
    def _linked_stage(self) -> str:
        """The stage whose nodes the pane shows."""
        return GRAPH_STAGE_OF.get(self.wanted_stage, self.wanted_stage)

    def _on_node_chosen(self, node: int) -> None:
        """A node was chosen; a negative one is none, yet the pane was meant."""
        self._host.activate(self)
        if node >= 0:
            self._selection.select_node(self._linked_stage, node)

    def _on_nodes_chosen(self, nodes: Sequence[int], adds: bool) -> None:
        self._host.activate(self)
        self._selection.select_nodes(self._linked_stage, nodes, adds=adds)

    def _on_group_chosen(
        self, group: str, lines: tuple[str, str], nodes: Sequence[int], adds: bool
    ) -> None:
        self._host.activate(self)
        place = GroupPlace(self._linked_stage, group, *lines)
        self._selection.select_group(place, nodes, adds=adds)

    def _on_node_hovered(self, node: int) -> None:
        self._selection.preview_node(self._linked_stage, node)

    def _on_code_line_chosen(self, line: int) -> None:
        self._on_code_lines_chosen((line,), False)

    def _on_code_lines_chosen(self, lines: Sequence[int], adds: bool) -> None:
        self._host.activate(self)
        if self._name == SOURCE and self._file is not None:
            path = self._file.path
            ran = self._lines.to_run(path, [line + 1 for line in lines])
            if not ran and not adds:
                self._selection.clear(tr(NEW_LINE))
            self._selection.select_lines(path, ran, adds=adds)
        elif nodes := self._nodes_of_lines(lines):
            self._selection.select_nodes(self._linked_stage, nodes, adds=adds)

    def _on_code_line_hovered(self, line: int) -> None:
        if self._name != SOURCE:
            nodes = self._nodes_of_lines((line,)) if line >= 0 else []
            self._on_node_hovered(nodes[0] if nodes else NONE)
        elif self._file is not None:
            ran = self._lines.to_run(self._file.path, [line + 1])
            self._selection.preview_line(self._file.path, ran[0] if ran else 0)

    def _nodes_of_lines(self, lines: Sequence[int]) -> list[int]:
        """Nodes that lines of the stage's text define, each once."""
        if self._stage is None or not is_available(self._stage.text):
            return []
        line_nodes = self._stage.text.line_nodes
        known = [line for line in lines if line < len(line_nodes)]
        nodes: list[int] = line_nodes[known].tolist()
        return list(dict.fromkeys(node for node in nodes if node >= 0))

    # --- from the selection to what is shown ---

    def _on_selection_changed(self, links: Links) -> None:
        self.show_links(links, reveal=True)

    def _on_selection_growth_changed(self) -> None:
        self._apply_growth()
        if self.wanted_stage == SOURCE:
            self.show_links(self._selection.links, reveal=False)

    def _apply_growth(self) -> None:
        """Fade what is not in the program yet, where its tracing is gone through."""
        growth, stage = self._selection.growth, self._stage
        if growth is None or stage is None or stage.graph is not growth.graph:
            faded, focus = frozenset[int](), None
        else:
            focus, there = growth.nodes, {NONE, *growth.nodes}
            nodes = stage.text.line_nodes.tolist() if is_available(stage.text) else ()
            faded = frozenset(line for line, node in enumerate(nodes) if node not in there)
        self.code.set_faded(faded)
        is_other = self._canvas is not None and focus != self._canvas.focus
        if self._canvas is not None and is_other and (focus is not None or self._is_growing):
            self._canvas.set_focus(focus)  # else one that a person has chosen stays
        self._is_growing = focus is not None

    def _on_selection_previewed(self, links: Links) -> None:
        """Highlight the preview faintly: nodes, or lines of the source."""
        is_source = self.wanted_stage == SOURCE
        self.highlighter.ahead = links.stages.get(self._linked_stage, NO_LINKED)
        self.highlighter.preview_lines = (
            self._lines.marks(links, Mark.SELECTED) if is_source else {}
        )
        self.highlighter.apply_preview()

    # --- what is asked of the area ---

    def _on_header_stage_requested(self, name: str) -> None:
        self._host.set_stage(self, name)

    def _on_header_close_requested(self) -> None:
        self._host.close_pane(self)

    def _on_grip_moved(self, place: QPoint) -> None:
        self._host.drag(self, place)

    def _on_grip_dropped(self, place: QPoint) -> None:
        self._host.drop(self, place)

    def _open_graph_menu(self, canvas: GraphCanvas, event: QContextMenuEvent) -> None:
        """A right click, or the key for menus: the commands for graphs, for what was clicked on."""
        place = event.globalPos()
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            place = canvas.mapToGlobal(canvas.rect().center())
        elif (item := canvas.item_at(QPointF(event.pos()))) not in (
            NONE,
            *canvas.highlight.selected,
        ):
            canvas.choose(item)
        self._host.open_graph_menu(self, place)

    def _on_grip_clicked(self, place: QPoint) -> None:
        self._host.open_menu(self, place)

    # --- finding ---

    def _on_header_search_entered(self, step: int) -> None:
        hits = self._hits()
        hit = self._finding.step(hits, step)
        if hit is None:
            return
        self.header.show_found(self._finding.describe(hits), "")
        if (edit := self._shown_edit) is not None:
            edit.show_found(hit, self._finding.text)
        elif self._pages.currentWidget() is self.code:
            self.code.go_to_line(hit)
        else:
            self._on_node_chosen(hit)
            self._apply_linked(reveal=True)
            if self.is_graph_shown and self._canvas is not None:
                self._canvas.select_node(hit)  # it, not only some other hit, comes into sight

    def _find(self, text: str) -> None:
        """Look for something in what is shown."""
        stage, line_nodes = self._stage, None
        lines: Sequence[str] = ()
        graph = stage.graph if stage is not None and is_available(stage.graph) else None
        edit = self._shown_edit
        if edit is not None:
            graph, lines = None, edit.text.split("\n")
        elif self._pages.currentWidget() is self.code:
            lines = self.code.lines
            if stage is not None and is_available(stage.text):
                line_nodes = stage.text.line_nodes
        self._finding.find(text, graph, lines, line_nodes)
        if edit is not None:
            edit.set_found(self._finding.lines.tolist())
        self.header.show_found(self._finding.describe(self._hits()), self._finding.problem)
        if self._table is not None and self._pages.currentWidget() is self._table:
            is_on = bool(self._finding.text) and not self._finding.problem
            self._table.set_search(self._finding.text, self._finding.nodes if is_on else None)
        self._apply_linked(reveal=True)

    def _hits(self) -> npt.NDArray[np.int32]:
        is_text = self._pages.currentWidget() in (self.code, self._editor)
        return self._finding.lines if is_text else self._finding.nodes

    @property
    def _shown_edit(self) -> SourceEditor | None:
        """The text that is edited, where that is what is shown."""
        return self._edit if self._pages.currentWidget() is self._editor else None

    def find_next(self, step: int) -> None:
        """Go to the next hit of the search, or to the one before; ask what to look for first."""
        if self._finding.text:
            self._on_header_search_entered(step)
        else:
            self.header.focus_search()

    def _on_edit_text_changed(self) -> None:
        if self._finding.text:
            self._find(self._finding.text)

    def minimumSizeHint(self) -> QSize:
        # Three panes have to fit beside each other on a small screen, whatever the size of type.
        return QSize(170, 140)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn:
            self._host.activate(self)
            self._dress("keyboard", True)
        elif event.type() == QEvent.Type.FocusOut:
            self._dress("keyboard", False)
        elif isinstance(event, QContextMenuEvent) and watched is self._canvas:
            self._open_graph_menu(self._canvas, event)
            return True
        return super().eventFilter(watched, event)
