"""What a person chooses and points at in a pane, told as nodes of a stage or lines of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from jaxscope.model import NONE, SourceFile, Stage, is_available
from jaxscope.ui.panes.code_view import CodeView
from jaxscope.ui.panes.kernel_links import LINKED_BY
from jaxscope.ui.panes.outline_view import OutlineView
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.panes.table_view import NodeTableView

if TYPE_CHECKING:
    from jaxscope.ui.graph.canvas import GraphCanvas


TOLD = (
    "node_chosen",
    "nodes_chosen",
    "group_chosen",
    "node_hovered",
    "line_chosen",
    "lines_chosen",
    "line_hovered",
)
"""Signals that a pane, and the area of all panes, pass on."""


class PaneChoices(QObject):
    """Translates what the forms of one pane tell.

    Signals:
        made: Something was chosen, whatever it is.
        node_chosen: Stage and node index.
        nodes_chosen: Stage, node indices, and whether they are chosen besides others.
        group_chosen: Stage, a group's id and label, indices of the nodes inside, and whether it is
            chosen besides others.
        node_hovered: Stage and node index, or -1.
        line_chosen: File and 1-based line.
        lines_chosen: File, 1-based lines, and whether they are chosen besides others.
        line_hovered: File and 1-based line, or 0.
    """

    made = Signal()
    node_chosen = Signal(str, int)
    nodes_chosen = Signal(str, object, bool)
    group_chosen = Signal(str, str, str, object, bool)
    node_hovered = Signal(str, int)
    line_chosen = Signal(str, int)
    lines_chosen = Signal(str, object, bool)
    line_hovered = Signal(str, int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._name = SOURCE
        self._stage: Stage | None = None
        self._file: SourceFile | None = None

    def set_subject(self, name: str, stage: Stage | None, file: SourceFile | None) -> None:
        """Say what the pane shows: a stage, or where its name is `SOURCE`, a file."""
        self._name, self._stage, self._file = name, stage, file

    def follow_lines(self, code: CodeView) -> None:
        """Listen to a page of text."""
        code.line_chosen.connect(self._on_line_chosen)
        code.lines_chosen.connect(self._on_lines_chosen)
        code.line_hovered.connect(self._on_line_hovered)

    def follow_nodes(self, form: NodeTableView | OutlineView) -> None:
        """Listen to a table or a tree."""
        form.node_chosen.connect(self.choose_node)
        form.nodes_chosen.connect(self._on_nodes_chosen)
        form.node_hovered.connect(self._on_node_hovered)

    def follow_canvas(self, canvas: GraphCanvas) -> None:
        """Listen to a graph."""
        canvas.node_selected.connect(self.choose_node)
        canvas.nodes_selected.connect(self._on_nodes_chosen)
        canvas.group_selected.connect(self._on_group_chosen)
        canvas.node_hovered.connect(self._on_node_hovered)

    def follow_groups(self, outline: OutlineView) -> None:
        """Listen to what a tree tells of groups."""
        outline.group_chosen.connect(self._on_group_chosen)

    def choose_node(self, node: int) -> None:
        """A node was chosen; a negative one is none, yet the pane was meant."""
        self.made.emit()
        if node >= 0:
            self.node_chosen.emit(self._linked_stage, node)

    @property
    def _linked_stage(self) -> str:
        return LINKED_BY.get(self._name, self._name)

    def _on_nodes_chosen(self, nodes: Sequence[int], adds: bool) -> None:
        self.made.emit()
        self.nodes_chosen.emit(self._linked_stage, nodes, adds)

    def _on_group_chosen(self, group: str, label: str, nodes: Sequence[int], adds: bool) -> None:
        self.made.emit()
        self.group_chosen.emit(self._linked_stage, group, label, nodes, adds)

    def _on_node_hovered(self, node: int) -> None:
        self.node_hovered.emit(self._linked_stage, node)

    def _on_line_chosen(self, line: int) -> None:
        self.made.emit()
        if self._name == SOURCE and self._file is not None:
            self.line_chosen.emit(self._file.path, line + 1)
        elif nodes := self._nodes_of_lines((line,)):
            self.node_chosen.emit(self._linked_stage, nodes[0])

    def _on_lines_chosen(self, lines: Sequence[int], adds: bool) -> None:
        self.made.emit()
        if self._name == SOURCE and self._file is not None:
            self.lines_chosen.emit(self._file.path, [line + 1 for line in lines], adds)
        elif nodes := self._nodes_of_lines(lines):
            self.nodes_chosen.emit(self._linked_stage, nodes, adds)

    def _on_line_hovered(self, line: int) -> None:
        if self._name == SOURCE:
            self.line_hovered.emit(self._file.path if self._file is not None else "", line + 1)
        else:
            nodes = self._nodes_of_lines((line,)) if line >= 0 else []
            self._on_node_hovered(nodes[0] if nodes else NONE)

    def _nodes_of_lines(self, lines: Sequence[int]) -> list[int]:
        """Nodes that lines of the stage's text define, each once."""
        if self._stage is None or not is_available(self._stage.text):
            return []
        line_nodes = self._stage.text.line_nodes
        known = [line for line in lines if line < len(line_nodes)]
        nodes: list[int] = line_nodes[known].tolist()
        return list(dict.fromkeys(node for node in nodes if node >= 0))
