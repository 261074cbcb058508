"""Which sentences of the window are English while it shows Chinese.

    python -m bench.language [SAMPLE …] [--list]

Opens each sample in a real window, selects equations and instructions with their cards, and turns
to the pages of the program. Of the first it opens the menus and dialogs, measures all that the
pages of *Measure* can, compares it with another call, steps through it, and lets calls fail.
Counted by kind are the sentences in Chinese and those with English phrases: a phrase has one of the
small words of English beside others. Code, names and numbers are neither. A lesson is the user's
file, which nobody translates.
"""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt, QTimer
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTextBrowser,
    QWidget,
)

from jaxscope.client.session import Session
from jaxscope.model import NodeKind, is_available
from jaxscope.ui.application import build_window
from jaxscope.ui.pages import PAGES
from jaxscope.ui.panes.pane_area import WIDE_ARRANGEMENT
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.state import Phase
from jaxscope.ui.toolkit.language import Language, tr
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.places import Place
from jaxscope.ui.window.settings import Settings

_ROOT = Path(__file__).parents[1]
_DRAWER = ("passes", "fusions", "memory", "sharding", "arguments", "notes")
_FIRST = "samples/quick_start.py"
_OTHER_CALL = "grad(simple_graph)(f32[3])"
_NOT_FINITE = "grad(simple_graph)(f32[3] * jnp.inf)"
_FAILING = ("simple_graph(f32[3] @", "loss(f32[2])", "simple_graph(f32[3], 1)", 'simple_graph("a")')
_DIALOGS = ("run_script", "paste_code", "export_dialog", "show_trusted_folders")
_DIALOGS += ("show_guide", "show_glossary", "show_keys", "show_about", "start_tour")
_NODES = 6
_ROWS = 40
_LIMIT_S = 240.0
_SMALL = (
    "the of is are was by in to and it its no not with for each from that this an as or on at has "
    "have be so what which where than only they one all more may into out before after while two "
    "other does did whose there every no or both could but if between"
)
_PHRASE = re.compile(
    rf"[A-Za-z'-]+ (?:{'|'.join(_SMALL.split())})\b|\b(?:{'|'.join(_SMALL.split())}) [a-z'-]+\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`]*`|<code>.*?</code>|\S*[_=()\[\]/]\S*")
_TOLD = re.compile(r"[A-Z][a-z]+ [^\u4e00-\u9fff]*[a-z ]\.")
_CHINESE = re.compile("[\u4e00-\u9fff]")
_END = re.compile("(?<=[.!?])\\s+(?=[A-Z])|(?<=[。！？])|[\n\t\u2028\u2029]| · ")

Found = dict[str, tuple[set[str], set[str]]]


def classify(text: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a text, and whether each has an English phrase."""
    for sentence in _END.split(text.replace("\u200b", "")):
        bare = _CODE.sub(" ", sentence)
        is_told = _TOLD.fullmatch(bare.strip()) is not None
        is_english = is_told or _PHRASE.search(bare) is not None
        if is_english or _CHINESE.search(bare):
            yield sentence.strip(), is_english


def _texts_of(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel | QAbstractButton):
        yield _plain(widget.text())
    elif isinstance(widget, QTextBrowser):
        yield widget.toPlainText()
    elif isinstance(widget, QComboBox):
        yield from map(widget.itemText, range(widget.count()))
    elif isinstance(widget, QTabBar):
        yield from map(widget.tabText, range(widget.count()))
    elif isinstance(widget, QHeaderView):
        model = widget.model()
        for column in range(widget.count() if model is not None else 0):
            yield str(model.headerData(column, widget.orientation()) or "")
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _cells(widget.model(), QModelIndex())
    elif isinstance(widget, QLineEdit | QPlainTextEdit):
        yield widget.placeholderText()
    told = (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
    yield from map(_plain, (*told, widget.windowTitle()))
    for action in widget.actions():
        yield from map(_plain, (action.text(), action.toolTip()))


def _plain(text: str) -> str:
    if "<" not in text:
        return text
    document = QTextDocument()
    document.setHtml(_CODE.sub(" ", text) if "<code>" in text else text)
    return document.toPlainText()


def _cells(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[str]:
    for row in range(min(_ROWS, model.rowCount(parent))):
        is_list = isinstance(model, QAbstractListModel)  # whose number of columns is not for us
        for column in range(1 if is_list else model.columnCount(parent)):
            index = model.index(row, column, parent)
            yield str(model.data(index, Qt.ItemDataRole.DisplayRole) or "")
        yield from _cells(model, model.index(row, 0, parent))


def collect(kind: str, part: QWidget, found: Found) -> None:
    """Add what can be seen of a part of the window, and what rests behind it, to its kind."""
    for widget in (part, *part.findChildren(QWidget)):
        if widget.isVisible():
            for sentence, is_english in (c for t in _texts_of(widget) for c in classify(t)):
                found[kind][is_english].add(sentence)


def _wait(app: QApplication, is_done: Callable[[], bool], limit: float = _LIMIT_S) -> bool:
    end = time.monotonic() + limit
    while not is_done() and time.monotonic() < end:
        app.processEvents()
        time.sleep(0.005)
    return is_done()


def _rest(app: QApplication, seconds: float = 0.3) -> None:
    end = time.monotonic() + seconds
    _wait(app, lambda: time.monotonic() > end)


def _look(app: QApplication, window: MainWindow, path: Path, found: Found, *, measures: bool):
    window.open_path(str(path))
    state = window.controller.state
    _wait(app, lambda: window.controller.state.phase in (Phase.DONE, Phase.FAILED))
    _rest(app, 3.0)  # fates and fusions
    state = window.controller.state
    collect("lesson", window.lesson, found)
    collect("bar, stages, status", window.call_bar, found)
    collect("bar, stages, status", window.strip, found)
    collect("bar, stages, status", window.row, found)
    for stage in state.stages:
        if not is_available(stage.graph):
            continue
        graph = stage.graph
        nodes = [i for i, k in enumerate(graph.nodes.kind) if k not in (NodeKind.OUTPUT,)]
        for node in nodes[:: max(1, len(nodes) // _NODES)][:_NODES]:
            window.workspace.selection.select_node(stage.name, node)
            _rest(app, 0.05)
            collect("inspector", window.workspace.inspector.page, found)
            for is_open in (True, False):
                window.workspace.inspector.card_toggled.emit()
                if is_open:
                    collect("card", window.workspace.inspector.page, found)
    if measures:
        window.pages["passes"].record_passes()
        _wait(app, lambda: not window.controller.state.is_running)
    for name in _DRAWER:
        _show(app, window, name, found)
    if measures:
        _open_dialogs(app, window, found)
        _measure(app, window, found)
        _compare(app, window, found)
        _step(app, window, found)
        for call in _FAILING:
            window.call_bar.set_call(call)
            window.run_call()
            _wait(app, lambda: not window.controller.state.is_running)
            _rest(app)
            collect("error", window.error_panel, found)


def _open_dialogs(app: QApplication, window: MainWindow, found: Found) -> None:
    """The menus, and what the commands in them open over the window."""

    def close() -> None:
        for dialog in (
            w for w in app.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()
        ):
            collect(f"dialog {type(dialog).__name__}", dialog, found)
            for tabs in dialog.findChildren(QTabBar):
                for number in range(tabs.count()):
                    tabs.setCurrentIndex(number)
                    collect(f"dialog {type(dialog).__name__}", dialog, found)
            dialog.close()

    for menu in window.findChildren(QMenu):
        menu.aboutToShow.emit()
        for text in (text for widget in (menu,) for text in _texts_of(widget)):
            for sentence, is_english in classify(text):
                found["menus"][is_english].add(sentence)
    for command in _DIALOGS:
        QTimer.singleShot(500, close)
        window.commands.actions[command].trigger()
        _rest(app, 0.7)
        close()


def _show(app: QApplication, window: MainWindow, name: str, found: Found) -> None:
    window.pages.show_page(name)
    _rest(app, 0.5)
    collect(f"page {name}", window.pages[name], found)


def _measure(app: QApplication, window: MainWindow, found: Found) -> None:
    """Every page of *Measure*, with what it finds."""
    pages = window.pages
    pages["scaling"].range.setText("x:0=4..16")
    pages["versus"].side.call.setText(_OTHER_CALL)
    pages["targets"].line.setText("cpu, cpu:8, v5e, nothing")
    buttons = {"timing": pages["timing"].quick, "roofline": pages["roofline"].calibrate}
    for name in (*(each for each in PAGES if PAGES[each].place is Place.MEASURE), "versus"):
        _show(app, window, name, found)
        (buttons.get(name) or pages[name].button).click()
        _rest(app, 0.5)
        _wait(app, lambda: not window.controller.state.is_running, 90)
        if name == "targets":
            _wait(app, lambda: pages["targets"].button.text() == tr("Compile"), 90)
        _show(app, window, name, found)
    for module in range(pages["roofline"].module.count()):
        pages.show_page("roofline")
        pages["roofline"].module.setCurrentIndex(module)
        _show(app, window, "roofline", found)


def _compare(app: QApplication, window: MainWindow, found: Found) -> None:
    """Another call, stage by stage, both as graphs and as texts."""
    page = window.pages["compare"]
    _show(app, window, "compare", found)
    page.comparing.compare_with_call(_OTHER_CALL)
    if not _wait(app, lambda: page.view is not None, 90):
        return
    for stage in range(page.view.stage_chooser.count()):
        page.view.stage_chooser.setCurrentIndex(stage)
        for tab in range(page.view.below.count()):
            page.view.below.setCurrentIndex(tab)
            _show(app, window, "compare", found)


def _step(app: QApplication, window: MainWindow, found: Found) -> None:
    """Through the equations, through those of a call that makes NaN, and through the lines."""
    page = window.pages["stepping"]

    def go(move: Callable[[], object]) -> None:
        move()
        _rest(app, 0.2)
        _wait(app, lambda: not page._way.doing, 60)
        _rest(app, 0.2)
        _show(app, window, "stepping", found)

    _show(app, window, "stepping", found)
    for move in (page.step, page.step, page.step):
        go(move)
    for action in page.compared.values():
        go(action.trigger)
    go(page.run_to_end)
    window.call_bar.set_call(_NOT_FINITE)
    window.run_call()
    _wait(app, lambda: not window.controller.state.is_running)
    go(page.go_to_nonfinite)
    for move in (page.trace_lines, page.step, page.step, page.run_to_end):
        go(move)


def main(arguments: list[str]) -> None:
    """Print the table, and with `--list` the English sentences of each kind."""
    samples = [_ROOT / each for each in arguments if not each.startswith("-")]
    first = _ROOT / _FIRST
    samples = samples or [first, *sorted({*(_ROOT / "samples").glob("*.py")} - {first})]
    app = QApplication(["jaxscope"])
    app.setStyle("Fusion")
    found: Found = defaultdict(lambda: (set(), set()))
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(str(Path(folder) / "window.json"))
        settings.language = Language.CHINESE.value
        bridge = Bridge(Session)
        window = build_window(app, bridge, RunOptions(), settings)
        window.workspace.area.arrange(WIDE_ARRANGEMENT)
        window.resize(1600, 900)
        window.show()
        for number, sample in enumerate(samples):
            _look(app, window, sample, found, measures=number == 0)
            print(sample.name, file=sys.stderr)
        window.close()
        bridge.close()
    found["card"][True].difference_update(found["inspector"][True])
    found["card"][False].difference_update(found["inspector"][False])
    for kind, (chinese, english) in sorted(found.items()):
        total = len(chinese) + len(english)
        print(f"{kind:24} {len(english):5} of {total:5}  {len(english) / max(1, total):5.0%}")
        if "--list" in arguments:
            print(*(f"    {each}" for each in sorted(english)), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
