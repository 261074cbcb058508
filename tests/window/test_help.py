"""Help: the tour points at what is there, the glossary finds words, keys are grouped by menu."""

from __future__ import annotations

import re

import jax
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QApplication, QTextBrowser
from pytestqt.qtbot import QtBot

from jaxscope.model.words import TERMS
from jaxscope.ui.pages import PAGES
from jaxscope.ui.window.commands import COMMANDS
from jaxscope.ui.window.help import GUIDE, find_terms, group_keys, list_versions
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.places import Place
from jaxscope.ui.window.sample_path import find_samples
from jaxscope.version import __version__


def test_the_tour_opens_a_sample_and_frames_five_parts_that_are_seen(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.commands.actions["start_tour"].trigger()
    tour = window.help.tour
    assert tour is not None and window.controller.state.file == str(find_samples()[0])
    seen = []
    for _ in range(5):
        assert tour.stop.part.isVisible() and tour.stop.text
        assert tour.rect().contains(tour._bubble.geometry())
        assert not tour._place().isEmpty()
        seen.append(tour.stop.title)
        qtbot.keyClick(tour, Qt.Key.Key_Right)
    assert len(set(seen)) == 5 and tour.isHidden()


def test_escape_ends_the_tour_and_left_goes_back(qtbot: QtBot, window: MainWindow) -> None:
    window.help.start_tour()
    tour = window.help.tour
    assert tour is not None
    first = tour.stop
    qtbot.keyClick(tour, Qt.Key.Key_Return)
    assert tour.stop is not first
    qtbot.keyClick(tour, Qt.Key.Key_Left)
    assert tour.stop is first
    qtbot.keyClick(tour, Qt.Key.Key_Escape)
    assert tour.isHidden()


def test_the_glossary_finds_words_and_primitives(qtbot: QtBot, window: MainWindow) -> None:
    window.help.show_glossary()
    dialog = window.help.dialog
    assert dialog is not None and dialog.tabs.currentWidget() is dialog.glossary
    dialog.glossary.search.setText("dot_gen")
    assert "dot_general" in dialog.glossary.text.toPlainText()
    assert "residual" not in dialog.glossary.text.toPlainText()
    dialog.glossary.search.setText("no such thing")
    assert "no such word" in dialog.glossary.text.toPlainText()
    assert next(term.name for term in find_terms("residual")) == "residual"
    assert len({term.name for term in TERMS}) == len(TERMS)


def test_a_word_of_the_glossary_leads_to_its_card_and_back(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.help.show_glossary()
    dialog = window.help.dialog
    assert dialog is not None
    glossary = dialog.glossary
    glossary.search.setText("cosine of")
    links = re.findall(r'href="([^"]*)"', glossary.text.toHtml())
    assert {"card:Primitives of jaxprs/cos", "card:Opcodes of HLO/cosine"} <= set(links)

    glossary.text.anchorClicked.emit(QUrl("card:Primitives of jaxprs/cos"))
    shown = glossary.text.toPlainText()
    assert "cos, a primitive of JAX" in shown
    assert "np.cos(x)" in shown

    glossary.text.anchorClicked.emit(QUrl("card:"))
    assert "cosine" in glossary.text.toPlainText()
    assert glossary.search.text() == "cosine of"


def test_every_key_is_listed_below_its_menu(qtbot: QtBot, window: MainWindow) -> None:
    window.help.show_keys()
    dialog = window.help.dialog
    assert dialog is not None
    page = dialog.tabs.currentWidget()
    assert isinstance(page, QTextBrowser)
    text = page.toPlainText()
    listed = {keys for _, rows in group_keys() for keys, _ in rows}
    assert {command.keys[0] for command in COMMANDS if command.keys} <= listed
    assert all(keys in text for keys in listed)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is page)
    dialog.tabs.resize(600, 300)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_PageDown)
    assert page.verticalScrollBar().value() > 0
    window.help.show_glossary()
    assert QApplication.focusWidget() is dialog.glossary.search


def test_about_names_the_versions(window: MainWindow) -> None:
    window.help.show_about()
    assert ("jax", jax.__version__) in list_versions()
    assert ("jaxscope", __version__) in list_versions()


def test_the_guide_names_pages_and_menus_as_the_window_does(window: MainWindow) -> None:
    titles = {page.title for page in PAGES.values()} | {place.value for place in Place}
    known = titles | {command.menu for command in COMMANDS} | {"Selected", "its gradient"}
    known |= {command.text.rstrip(" …") for command in COMMANDS}
    named = re.findall(r"\*([^*\n]+)\*", GUIDE.replace("**", ""))
    for name in named:
        for part in name.split(", "):
            assert any(part == each or each.startswith(part) for each in known), part
