"""Letters and keys that menus and the palette offer, and the graph's own keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from jaxscope.ui.canvas.graph_canvas import _ARROWS, _KEYS
from jaxscope.ui.toolkit.language import Language, LanguageSwitch
from jaxscope.ui.window.commands import COMMANDS, MORE_KEYS, letter_texts
from jaxscope.ui.window.help import group_keys
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture

_LETTERED = re.compile("&([^&])")


def letters_of(menu: QMenu) -> list[str]:
    found = (_LETTERED.search(each.text().replace("&&", "")) for each in menu.actions())
    return [each[1].lower() for each in found if each is not None]


def every_menu(root: QMenu) -> list[QMenu]:
    inner = [each.menu() for each in root.actions()]
    return [
        root,
        *(found for menu in inner if isinstance(menu, QMenu) for found in every_menu(menu)),
    ]


def test_letters_are_first_ones_where_they_are_free_and_no_two_alike() -> None:
    texts = ["Graph", "Go", "Groups all", "g", "/home/of/a.py"]
    assert letter_texts(texts) == ["&Graph", "G&o", "Groups &all", "g", "/home/of/a.py"]
    assert letter_texts(["Close this", "Close all", "Clo", "C"]) == [
        "&Close this",
        "Close &all",
        "C&lo",
        "C",
    ]


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.CHINESE])
def test_each_menu_has_letters_while_it_is_open_and_plain_texts_else(
    qapp: QApplication, window: MainWindow, language: Language
) -> None:
    switch = LanguageSwitch(qapp, Language.ENGLISH)
    try:
        switch.use(language)
        root = window.commands.root
        root.aboutToShow.emit()
        root.aboutToHide.emit()
        for menu in every_menu(root):
            plain = [each.text() for each in menu.actions()]
            menu.popup(window.pos())
            letters = letters_of(menu)
            assert len(letters) == len(set(letters)), menu.title()
            is_offered = [each for each in menu.actions() if each.text() and each.isEnabled()]
            if is_offered and menu is not window._recent_menu:
                assert len(letters) >= min(len(is_offered) - 1, 18), menu.title()
            if language is Language.CHINESE and menu is root:
                assert "文件(&F)" in [each.text() for each in menu.actions()]
            menu.hide()
            assert not letters_of(menu)
            if plain:
                assert [each.text() for each in menu.actions()] == plain
    finally:
        switch.use(Language.ENGLISH)


def test_a_letter_leads_from_all_menus_to_one_of_them(
    qtbot: QtBot, window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    root, view = window.commands.root, window.commands.menus["View"]
    seen: list[tuple[bool, bool]] = []

    def press() -> None:
        menu = QApplication.activePopupWidget()
        seen.append((menu is root, window.commands.menus["File"].isVisible()))
        assert menu is not None
        qtbot.keyClick(menu, Qt.Key.Key_V)
        seen.append((view.isVisible(), False))
        root.close()
        view.close()

    QTimer.singleShot(50, press)
    window.show_menus()
    assert seen == [(True, False), (True, False)]


def test_the_palette_shows_no_letters(window: MainWindow) -> None:
    window.commands.root.aboutToShow.emit()
    window.commands.root.aboutToHide.emit()
    names = [entry.name for entry in window._palette_entries()]
    assert "View: Light or dark" in names and not any("&" in name for name in names)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("stage: opt", "Show stage: optimized"),
        ("w stage: optim", "Show stage: optimized"),
        ("ctrl+shift+x", "File: Export what is seen, or everything"),
        ("theme", "View: Light or dark"),
        ("dark mode", "View: Light or dark"),
        ("copy", "Graph: Copy the picture"),
        ("picture slide", "Graph: Copy the picture"),
        ("figure", "File: Export what is seen, or everything"),
        ("slide", "View: Present on the whole screen"),
        ("font", "View: Larger type"),
        ("settings", "View: Light or dark"),
        ("chinese", "View: Language · 语言: English"),
        ("gpu", "Run: Choose the target"),
        ("shortcut", "Help: Keys"),
        ("benchmark", "Run: Measure its time"),
    ],
)
def test_the_palette_finds_by_any_part_of_a_row_and_by_usual_words(
    window: MainWindow, driver: Driver, source: Path, typed: str, found: str
) -> None:
    driver.finish(driver.open(source), build_capture())
    window.show_palette()
    window._palette.field.setText(typed)
    assert found in window._palette.names()[:2]
    window._palette.close()


def test_all_keys_of_a_graph_are_listed_and_those_of_commands_do_it() -> None:
    of_commands = {keys for each in COMMANDS if each.is_of_graph for keys in each.keys}
    others = {keys for keys, text in MORE_KEYS if "In a graph" in text}
    told = {QKeySequence(keys)[0].key() for keys in of_commands | others if "rrow" not in keys}
    assert told == {*_KEYS, Qt.Key.Key_Return}
    assert _ARROWS and {"Arrow keys", "Shift+arrow keys"} <= others
    assert {"F", "Z", "]"} <= {keys for _, rows in group_keys() for keys, _ in rows}
    named = {
        "fit_picture": "fit_to_read",
        "enlarge_picture": "zoom_in",
        "reduce_picture": "zoom_out",
        "show_selected": "zoom_to_selection",
    }
    for command in COMMANDS:
        if command.is_of_graph:
            for keys in command.keys:
                key = QKeySequence(keys)[0].key()
                assert _KEYS[key].__name__ == named[command.slot]


def test_no_key_is_taken_by_the_desktop() -> None:
    """As Openbox, GNOME, Xfce and KDE come: of workspaces, windows and menus."""
    arrows = ("Left", "Right", "Up", "Down")
    before = ("Ctrl+Alt", "Shift+Alt", "Alt+Shift", "Ctrl+Shift+Alt", "Meta")
    taken = {f"{keys}+{arrow}" for keys in before for arrow in arrows}
    taken |= {f"{keys}+F{number}" for keys in ("Ctrl", "Alt") for number in range(1, 13)}
    taken |= {"Alt+Tab", "Alt+Esc", "Alt+Space", "Ctrl+Esc", "Ctrl+Alt+D", "Ctrl+Alt+T"}
    taken |= {"Ctrl+Alt+L", "Ctrl+Alt+Del", "Print"}
    assert not taken & {keys for command in COMMANDS for keys in command.keys}


def test_the_graph_menu_shows_the_keys_of_the_graph_and_takes_none_from_the_call(
    qtbot: QtBot, window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    fit = window.commands.actions["fit_picture"]
    assert fit.shortcut().toString() == "F"
    window.focus_call()
    qtbot.keyClicks(window.call_bar.edit, "F+-Z")
    assert window.call_bar.edit.text() == "F+-Z"
