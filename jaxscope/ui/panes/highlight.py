"""What is highlighted in a pane, in whichever form it shows: the selection, its links, hits of the
search, bookmarks.

Also says where highlighted things are on the page, for the ribbons between panes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QWidget

from jaxscope.model import Graph, StageText
from jaxscope.model.graph import Int32s, distinct
from jaxscope.program.links import NO_LINKED, Linked
from jaxscope.program.search import (
    Query,
    QueryError,
    SearchIndex,
    TermKind,
    compile_typed,
    parse_query,
)
from jaxscope.ui.source.code_view import CodeView, Mark
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.theme import LIGHT, Theme

if TYPE_CHECKING:
    from jaxscope.ui.canvas.graph_canvas import GraphCanvas
    from jaxscope.ui.panes.node_table import NodeTableView
    from jaxscope.ui.panes.outline import OutlineView


# What a pane's search finds, and where in it one is; no Qt.


_NOTHING = np.zeros(0, np.int32)


class PaneSearch:
    """The hits of one search: nodes where there is a graph, lines where there is a text.

    Attributes:
        text: What is looked for; empty while nothing is.
        nodes: Indices of nodes, in program order.
        lines: 0-based numbers of lines, rising; empty where no text was given.
        problem: Why nothing could be found, or empty.
    """

    def __init__(self) -> None:
        self.text = ""
        self.nodes: Int32s = _NOTHING
        self.lines: Int32s = _NOTHING
        self.problem = ""
        self._at = -1
        self._graph: Graph | None = None
        self._index: SearchIndex | None = None

    def find(
        self,
        text: str,
        graph: Graph | None,
        lines: Sequence[str] = (),
        line_nodes: Int32s | None = None,
    ) -> None:
        """Look for something.

        Args:
            graph: Where to look for nodes; None looks for text alone.
            lines: Where to look for text.
            line_nodes: Node that each line defines, or -1.
        """
        self.text, self.problem, self._at = text.strip(), "", -1
        self.nodes = self.lines = _NOTHING
        if not self.text:
            return
        try:
            query = parse_query(self.text)
            if graph is not None:
                self.nodes = self._index_of(graph).find(query)
            if lines:
                self.lines = find_lines(lines, query, self.text, is_plain=graph is None)
        except QueryError as error:
            self.problem = error.args[0]
            self.nodes = _NOTHING
            return
        if lines and line_nodes is not None and len(self.nodes):
            by_node = np.flatnonzero(np.isin(line_nodes, self.nodes))
            self.lines = distinct(self.lines, by_node).astype(np.int32)

    def step(self, hits: Int32s, step: int) -> int | None:
        """The next hit, or the one before; after the last comes the first. None without any."""
        if not len(hits):
            return None
        self._at = (self._at + step) % len(hits) if self._at >= 0 or step > 0 else len(hits) - 1
        return int(hits[self._at])

    def describe(self, hits: Int32s) -> str:
        """How many hits there are and at which one is; empty while nothing is looked for."""
        if not self.text or self.problem:
            return ""
        if self._at >= 0:
            return tr("{at} of {num_hits:,}", at=self._at + 1, num_hits=len(hits))
        return tr("{num_hits:,} found", num_hits=len(hits)) if len(hits) else tr("none")

    def _index_of(self, graph: Graph) -> SearchIndex:
        if self._index is None or self._graph is not graph:
            self._graph, self._index = graph, SearchIndex(graph)
        return self._index


def find_lines(lines: Sequence[str], query: Query, text: str, *, is_plain: bool) -> Int32s:
    """Numbers of the lines that contain a text or match a regular expression.

    Args:
        is_plain: The whole search is a text, whatever it would mean of nodes; where it is not,
            a search of a field, a type or a chain finds no line by its text.

    Raises:
        QueryError: A regular expression takes too long.
    """
    hits: Iterable[bool]
    terms = query.steps[0].terms if len(query.steps) == 1 else ()
    only = terms[0] if len(terms) == 1 and not terms[0].is_negated else None
    if only is not None and only.aspect is TermKind.REGEX:
        hits = map(compile_typed(only.text), lines)
    elif is_plain or (only is not None and only.aspect in (TermKind.TEXT, TermKind.TYPE)):
        wanted = (
            only.text if only is not None and only.aspect is TermKind.TEXT else text
        ).casefold()
        hits = (wanted in line.casefold() for line in lines)
    else:
        return _NOTHING
    found = np.flatnonzero(np.fromiter(hits, bool, len(lines)))
    return found.astype(np.int32)


def marks_of_nodes(text: StageText, linked: Linked) -> dict[int, Mark]:
    """Marks by 0-based line number."""
    marks: dict[int, Mark] = {}
    for nodes, mark in (
        (linked.forward, Mark.FORWARD),
        (linked.backward, Mark.BACKWARD),
        (linked.selected, Mark.SELECTED),
    ):
        if len(nodes):
            for line in np.flatnonzero(np.isin(text.line_nodes, nodes)).tolist():
                marks[line] = mark
    return marks


def marks_of_lines(lines: npt.NDArray[np.int32]) -> dict[int, Mark]:
    """Marks of lines that a search found, by 0-based number."""
    return dict.fromkeys(lines.tolist(), Mark.FOUND)


Places = npt.NDArray[np.float64]
"""Where things begin and end on a form's page, in pixels from its top or from its left, one row
each; NaN where they are not."""

NotesOf = Callable[[str], Mapping[int, str]]
GroupNotesOf = Callable[[str], Mapping[str, str]]


def _no_notes(_subject: str) -> Mapping[int, str]:
    return {}


def _no_group_notes(_subject: str) -> Mapping[str, str]:
    return {}


class PaneHighlighter:
    """Keeps a pane's highlights and hands them to the form that is shown.

    Attributes:
        linked: Nodes of the selection.
        ahead: Nodes that are looked at ahead.
        line_marks: Marks of source lines, by 0-based number.
        preview_lines: Marks of source lines that are looked at ahead.
        text: The stage's text; None where the source is shown, or there is none.
        shows_source: Whether the pane shows the user's file.
        group_notes_of: What was written about bookmarked groups of a stage, by their ids.
        notes_of: What was written about bookmarked nodes of a stage, or 1-based lines of a file.
        subject: Name of the stage, or path of the file.
        theme: Whose colours rows have.
        shown: The form that is shown, or what stands in its place.
        canvas: The graph, where it is what is shown.
    """

    def __init__(self, code: CodeView, finding: PaneSearch) -> None:
        self._code, self._finding = code, finding
        self.linked = self.ahead = NO_LINKED
        self.line_marks: Mapping[int, Mark] = {}
        self.preview_lines: Mapping[int, Mark] = {}
        self.notes_of: NotesOf = _no_notes
        self.group_notes_of: GroupNotesOf = _no_group_notes
        self.subject = ""
        self.text: StageText | None = None
        self.shows_source = True
        self.theme: Theme = LIGHT
        self.shown: QWidget = code
        self.canvas: GraphCanvas | None = None

    @property
    def _rows(self) -> NodeTableView | OutlineView | None:
        """The table or the outline, where it is what is shown; few panes ever load theirs."""
        is_shown = isinstance(self.shown, QAbstractItemView)
        return cast("NodeTableView | OutlineView", self.shown) if is_shown else None

    def forget(self) -> None:
        """Another stage is to be shown: what is lit up now means nothing there."""
        self.linked = self.ahead = NO_LINKED
        self.line_marks, self.preview_lines = {}, {}

    def apply(self, *, reveal: bool) -> None:
        """Light up the form that is shown; `reveal` brings something of it into sight."""
        linked, finding, shown, canvas = self.linked, self._finding, self.shown, self.canvas
        if shown is self._code:
            found = marks_of_lines(finding.lines)
            self._code.set_marks({**found, **self._fixed_lines()}, reveal=reveal)
        elif (rows := self._rows) is not None:
            rows.choose(_to_choose(linked))
        elif canvas is not None:
            canvas.set_found(finding.nodes)
            is_new = canvas.set_highlight(linked.selected, linked.forward, linked.backward)
            if reveal:
                canvas.reveal_highlight(is_new=is_new)
        self.apply_preview()
        self.apply_notes()

    def apply_notes(self) -> None:
        """Mark what is bookmarked, and nothing else anew."""
        if self.shown is self._code:
            self._code.set_notes(self._noted_lines())
        elif self.canvas is not None:
            self.canvas.set_notes(self.notes_of(self.subject), self.group_notes_of(self.subject))

    def apply_preview(self) -> None:
        """Show the present preview highlight; all else stays as it is drawn."""
        shown, canvas = self.shown, self.canvas
        if shown is self._code:
            self._code.set_preview(self._preview_marks())
        elif (rows := self._rows) is not None:
            rows.set_links(self.linked, self.ahead, self.theme)
        elif canvas is not None:
            canvas.set_preview(distinct(self.ahead.forward, self.ahead.backward))

    def things(self) -> Int32s:
        """What of the pane belongs to the selection: nodes, or 1-based lines of the source."""
        if self.shows_source:
            lines = [n + 1 for n, mark in self.line_marks.items() if mark != Mark.ERROR]
            return np.asarray(sorted(lines), np.int32)
        linked = self.linked
        every = np.concatenate([linked.selected, linked.forward, linked.backward])
        return distinct(every).astype(np.int32)

    def backward_things(self) -> Int32s:
        """Those of them that are marked as of the backward part."""
        if not self.shows_source:
            return self.linked.backward
        lines = [n + 1 for n, mark in self.line_marks.items() if mark == Mark.BACKWARD]
        return np.asarray(sorted(lines), np.int32)

    @property
    def page(self) -> QWidget:
        """The widget that is painted on, without scroll bars and column titles."""
        shown = self.canvas or self.shown
        return shown.viewport() if isinstance(shown, QAbstractScrollArea) else shown

    def places(self, things: Int32s, *, is_across: bool = False) -> Places:
        """Where things are on the page: top and bottom, one row each; NaN where they are not shown.

        Args:
            things: Nodes, or 1-based lines of the source.
            is_across: Give left and right instead, of boxes or of the texts of rows.
        """
        shown, canvas = self.shown, self.canvas
        places = np.full((len(things), 2), np.nan)
        if shown is self._code:
            code = self._code
            lines, known = self._lines_of(things)
            find = code.spans_of_lines if is_across else code.places_of_lines
            places[known] = np.asarray(find(lines.tolist()), float).reshape(-1, 2)
        elif (rows := self._rows) is not None:
            for number, node in enumerate(things.tolist()):
                place = rows.span_of(node) if is_across else rows.place_of(node)
                if place is not None:
                    places[number] = place
        elif canvas is not None:
            places = canvas.places_of_nodes(things, is_across=is_across)
        return places

    def _lines_of(self, things: Int32s) -> tuple[Int32s, Int32s]:
        """0-based lines of things, and the positions of those things that have one."""
        if self.shows_source:
            return things - 1, np.arange(len(things), dtype=np.int32)
        if self.text is None or not len(things):
            return _NOTHING, _NOTHING
        line_nodes = self.text.line_nodes
        lines = np.flatnonzero(np.isin(line_nodes, things))
        nodes, first = np.unique(line_nodes[lines], return_index=True)
        at = np.searchsorted(things, nodes)
        return lines[first].astype(np.int32), at.astype(np.int32)

    def _fixed_lines(self) -> Mapping[int, Mark]:
        if self.shows_source:
            return self.line_marks
        return marks_of_nodes(self.text, self.linked) if self.text is not None else {}

    def _noted_lines(self) -> Mapping[int, str]:
        """Notes by 0-based line."""
        notes = self.notes_of(self.subject)
        if self.shows_source:
            return {line - 1: note for line, note in notes.items()}
        things = np.asarray(sorted(notes), np.int32)
        lines, known = self._lines_of(things)
        pairs = zip(lines.tolist(), things[known].tolist(), strict=True)
        return {line: notes[node] for line, node in pairs}

    def _preview_marks(self) -> Mapping[int, Mark]:
        if self.shows_source:
            return self.preview_lines
        return marks_of_nodes(self.text, self.ahead) if self.text is not None else {}


def _to_choose(linked: Linked) -> list[int]:
    """The selected nodes; where there are none, the first that is linked."""
    if len(linked.selected):
        selected: list[int] = linked.selected.tolist()
        return selected
    first: list[int] = [*linked.forward[:1].tolist(), *linked.backward[:1].tolist()][:1]
    return first
