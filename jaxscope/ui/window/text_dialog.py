"""What a job wrote down in words (logs, messages, memory profiles), shown as tables."""

from __future__ import annotations

import os
from collections.abc import Mapping

from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from jaxscope.marks import show_marks
from jaxscope.program.job_texts import JobText
from jaxscope.report.document import Items, Section, Table
from jaxscope.report.opened import texts_to_document
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.widgets import PlainTabs, SelectableLabel, fill_box


class TextDialog(QDialog):
    """A tab for each section; beside it the window can be used.

    Args:
        texts: What each file says, by path, or why it cannot be read.
        parent: The window.
    """

    def __init__(self, texts: Mapping[str, JobText | str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(show_marks(", ".join(map(os.path.basename, texts))))
        self.tabs = PlainTabs(tr("What the job wrote"))
        self.tabs.setTabBarAutoHide(True)
        for path, each in texts.items():
            for section in texts_to_document({path: each}, None, names_file=False):
                self.tabs.addTab(_make_tab(section), section.title or os.path.basename(path))
        fill_box(QVBoxLayout(self), (self.tabs, 1))
        em = self.fontMetrics().horizontalAdvance("m")
        self.resize(72 * em, 40 * em)


def _make_tab(section: Section) -> QWidget:
    tab = QWidget()
    column = QVBoxLayout(tab)
    tables = [block for block in section.blocks if isinstance(block, Table)]
    for block in section.blocks:
        if isinstance(block, Table):
            table = ResultTable(" ".join(block.headers))
            table.rows.set_table(block)
            column.addWidget(table, 3 if block is tables[-1] else 2)
        elif isinstance(block, Items):
            if block.lines:
                column.addWidget(SelectableLabel("\n".join(block.texts())))
        elif isinstance(block, str):
            column.addWidget(SelectableLabel(block))
    if not tables:
        column.addStretch(1)
    return tab
