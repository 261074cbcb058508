"""Exceptions in methods that Qt calls: they are reported, and the window goes on."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any, Generic, TypeVar

import pyqtgraph
import pytest
from PySide6.QtCore import QObject, QRectF
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QGraphicsObject, QGraphicsScene, QGraphicsView
from pytestqt.qtbot import QtBot

from jaxscope.ui.toolkit.overrides import guard, guard_overrides, overridden
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.page_context import PageContext

Value = TypeVar("Value")


def make_classes() -> tuple[type, type, type]:
    """A view that paints with a call of its own, an item that fails, and one that is painted."""

    class View(QGraphicsView):
        def paintEvent(self, event: QPaintEvent) -> None:
            super().paintEvent(event)

    class Broken(QGraphicsObject):
        def boundingRect(self) -> QRectF:
            return QRectF(0, 0, 9, 9)

        def paint(self, *_about: Any) -> None:
            raise ValueError("no such colour")

    class Whole(Broken):
        painted = 0

        def paint(self, *_about: Any) -> None:
            self.painted += 1

    return View, Broken, Whole


def test_what_fails_while_it_is_painted_harms_nothing_beside_it(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[str] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, value, _trace: reported.append(str(value)))
    classes = View, Broken, Whole = make_classes()
    for cls in classes:
        guard(cls, lambda _name: True)
    painting = vars(Whole)["paint"]
    held = [painting] * 9  # one is lost otherwise, and there are not many
    references = sys.getrefcount(painting)

    scene = QGraphicsScene()
    whole = Whole()
    scene.addItem(Broken())
    scene.addItem(whole)
    view = View(scene)
    qtbot.addWidget(view)
    view.grab()

    assert set(reported) == {"no such colour"}
    assert whole.painted > 0
    assert sys.getrefcount(painting) >= references > len(held)


def test_qt_answers_for_what_fails(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, value, _trace: reported.append(str(value)))

    class View(QGraphicsView):
        def eventFilter(self, *_about: Any) -> bool:
            raise ValueError("what event?")

        def undone(self) -> None:
            raise ValueError("not Qt's")

    guard(View, lambda _name: True)
    view = View()
    qtbot.addWidget(view)
    assert view.eventFilter(view, QPaintEvent(view.rect())) is False
    assert reported == ["what event?"]
    with pytest.raises(ValueError, match="not Qt's"):
        view.undone()


def test_a_window_guards_what_there_is_and_what_comes(page_context: PageContext) -> None:
    guard_overrides()  # the second time
    for cls, name in (
        (MainWindow, "closeEvent"),
        (pyqtgraph.AxisItem, "paint"),
        (pyqtgraph.GraphicsObject, "itemChange"),
    ):
        assert "__wrapped__" in vars(vars(cls)[name]), name
        assert not hasattr(vars(cls)[name].__wrapped__, "__wrapped__")
    assert not hasattr(pyqtgraph.PlotDataItem.setData, "__wrapped__")  # it tells its callers

    late = type("Late", (QObject,), {"__module__": "jaxscope.late", "event": _event})
    of_another = type("Other", (QObject,), {"__module__": "notebook", "event": _event})
    assert vars(late)["event"].__wrapped__ is _event
    assert vars(of_another)["event"] is _event
    assert overridden(late, "event") is vars(QObject)["event"]
    assert isinstance(_event, FunctionType)


def test_other_bases_have_their_say_of_new_classes(page_context: PageContext) -> None:
    class Shows(QObject, Generic[Value]):
        pass

    assert Shows[int] is not Shows


def _event(_self: QObject, _event: object) -> bool:
    return True
