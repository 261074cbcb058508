"""The page *Arguments*: the trees of what goes into a call and of what comes out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from jaxscope.model import Capture, Leaf
from jaxscope.model.units import format_bytes
from jaxscope.model.values import ArraySummary, Values
from jaxscope.program.links import Links
from jaxscope.ui.selection.inspector import split_path, values_of_leaves, write_range
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.widgets import EmptyNotice, fill_box
from jaxscope.ui.window.page_context import PageContext, PageWidget

_MAX_LEAVES = 20_000
_VALUE = 3
_PATH = Qt.ItemDataRole.UserRole


class ArgumentsPage(PageWidget):
    """Two trees in one: every array with its type and size, and sums on every branch.

    What the arrays held in a run stands beside them where that is known.
    """

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._head: Capture | None = None
        self._values: Values | None = None
        self.tree = QTreeWidget()
        self.tree.setHeaderLabels([tr("name"), tr("type"), tr("size"), tr("value"), tr("range")])
        self.tree.setAlternatingRowColors(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setSelectionMode(QTreeWidget.SelectionMode.ExtendedSelection)
        self.tree.setAccessibleName(tr("Arguments and results"))
        header = self.tree.header()
        header.setStretchLastSection(False)
        for column in range(5):  # the values have the room that the others leave
            mode = (
                QHeaderView.ResizeMode.Stretch
                if column == _VALUE
                else QHeaderView.ResizeMode.ResizeToContents
            )
            header.setSectionResizeMode(column, mode)
        self.notice = EmptyNotice(self.tree, tr("Run a call to see its arguments and results."))
        self._is_told = False
        self.tree.itemSelectionChanged.connect(self._on_tree_selection_changed)
        fill_box(QVBoxLayout(self), self.tree)
        context.selection.changed.connect(self._on_selection_changed)

    def show_state(self, state: WindowState) -> None:
        head = state.head
        if head is self._head and state.values is self._values:
            return
        self._head, self._values = head, state.values
        self.tree.clear()
        if head is None:
            return
        known = values_of_leaves(head.arguments, head.results, state.values)
        for title, leaves in ((tr("arguments"), head.arguments), (tr("results"), head.results)):
            self.tree.addTopLevelItem(_build_branch(title, leaves, known))
        self.tree.expandToDepth(2)
        self.choose(self._context.selection.links.arguments)

    def old_call(self, state: WindowState) -> str:
        is_old = state.is_old and state.head is state.capture
        return state.shown_call if is_old else ""  # else the run that failed came as far as that

    def renew_texts(self) -> None:
        self._head = None
        self.show_state(self._context.controller.state)

    def choose(self, paths: Collection[str]) -> None:
        """Select the rows of arguments without a signal."""
        self._is_told = True
        self.tree.clearSelection()
        for item in self._leaves(0):
            if item.data(0, _PATH) in paths:
                item.setSelected(True)
                self.tree.scrollToItem(item)
        self._is_told = False

    def chosen(self) -> list[str]:
        """Paths of the arguments whose rows are selected."""
        return [item.data(0, _PATH) for item in self._leaves(0) if item.isSelected()]

    def _leaves(self, top: int) -> Iterator[QTreeWidgetItem]:
        root = self.tree.topLevelItem(top)
        queue = [root] if root is not None else []
        for item in queue:
            children = (item.child(i) for i in range(item.childCount()))
            queue += [child for child in children if child is not None]
            if item.data(0, _PATH):
                yield item

    def _on_tree_selection_changed(self) -> None:
        chosen = self.chosen()
        if chosen and not self._is_told:
            self._context.selection.select_argument(chosen[0])

    def _on_selection_changed(self, links: Links) -> None:
        self.choose(links.arguments)


def _build_branch(
    title: str, leaves: Sequence[Leaf], known: Mapping[int, ArraySummary]
) -> QTreeWidgetItem:
    root = QTreeWidgetItem([title])
    branches: dict[tuple[str, ...], QTreeWidgetItem] = {(): root}
    sizes: dict[tuple[str, ...], int] = {(): 0}
    counts: dict[tuple[str, ...], int] = {(): 0}
    for leaf in leaves[:_MAX_LEAVES]:
        parts = tuple(split_path(leaf.path)) or (leaf.path,)
        for depth in range(1, len(parts) + 1):
            key = parts[:depth]
            if key not in branches:
                branches[key] = QTreeWidgetItem([parts[depth - 1]])
                branches[key[:-1]].addChild(branches[key])
        for depth in range(len(parts)):
            key = parts[:depth]
            sizes[key] = sizes.get(key, 0) + leaf.num_bytes
            counts[key] = counts.get(key, 0) + 1
        item = branches[parts]
        item.setData(0, _PATH, leaf.path)
        item.setText(1, tr("{type} (static)", type=leaf.type) if leaf.is_static else leaf.type)
        item.setText(2, "" if leaf.is_static else format_bytes(leaf.num_bytes))
        if (value := known.get(id(leaf))) is not None:
            item.setText(3, value.text)
            item.setText(4, write_range(value))
    for key, total in sizes.items():
        item = branches[key]
        if item.childCount():
            item.setText(
                1, tr("{counts:,} leaves", counts=counts[key]) if counts[key] != 1 else tr("1 leaf")
            )
            item.setText(2, format_bytes(total))
            item.setTextAlignment(2, Qt.AlignmentFlag.AlignLeft)
    if len(leaves) > _MAX_LEAVES:
        root.addChild(
            QTreeWidgetItem([tr("… and {num_leaves:,} more", num_leaves=len(leaves) - _MAX_LEAVES)])
        )
    return root


make_page = ArgumentsPage
