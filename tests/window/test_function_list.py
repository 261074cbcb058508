"""The list of functions keeps the call that is shown in view."""

from __future__ import annotations

from PySide6.QtCore import QRect
from pytestqt.qtbot import QtBot

from jaxscope.ui.session.state import OfferedFunction
from jaxscope.ui.window.call_bar import FunctionList

FUNCTIONS = [OfferedFunction(f"f{n}", n, calls=(f"f{n}(1)", f"f{n}(2)")) for n in range(20)]


def marked_place(functions: FunctionList) -> QRect:
    return functions.tree.visualItemRect(functions.tree.selectedItems()[0])


def is_in_view(functions: FunctionList) -> bool:
    return functions.tree.viewport().rect().contains(marked_place(functions))


def test_a_list_that_shrinks_or_is_restyled_still_shows_the_marked_call(qtbot: QtBot) -> None:
    functions = FunctionList()
    qtbot.addWidget(functions)
    functions.resize(250, 300)
    functions.show()
    functions.show_functions(FUNCTIONS, "f19(2)")
    qtbot.waitUntil(lambda: is_in_view(functions))

    functions.resize(250, 120)
    qtbot.waitUntil(lambda: is_in_view(functions))

    functions.tree.setStyleSheet("QTreeView::item { min-height: 60px }")
    functions.setStyleSheet("font-size: 20px")
    qtbot.waitUntil(lambda: is_in_view(functions))
