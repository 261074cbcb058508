"""Where long names may break."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from jaxscope.ui.selection.inspector import Inspector
from jaxscope.ui.toolkit.widgets import SOFT_BREAK, escape_breakable


def test_long_names_break_between_their_parts_only() -> None:
    broken = escape_breakable("broadcast_multiply_fusion.36 x")
    assert broken.split(SOFT_BREAK) == ["broadcast_", "multiply_", "fusion.", "36 x"]
    assert SOFT_BREAK not in escape_breakable("short_name.1 and words of prose, too")


def test_markup_stays_text() -> None:
    broken = escape_breakable("a_very_long_name<b>_of_a_value")
    assert "<" not in broken
    assert broken.replace(SOFT_BREAK, "") == "a_very_long_name&lt;b&gt;_of_a_value"


def test_what_is_copied_has_no_soft_breaks(qtbot: QtBot) -> None:
    inspector = Inspector()
    qtbot.addWidget(inspector)
    inspector.show_html(escape_breakable("broadcast_multiply_fusion.36"))
    inspector.page.moveCursor(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    assert inspector.page.createMimeDataFromSelection().text() == "broadcast_multiply_fusion.36"
