"""Whatever the keyboard or a click can reach has a name that a screen reader says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

import jaxscope
from jaxscope.schema.archive import save_capture
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .test_window import capture_of


def nameless(window: MainWindow) -> list[str]:
    """What is seen, can have the keyboard, and has no name."""
    found = []
    for part in window.findChildren(QWidget):
        if part.focusPolicy() == Qt.FocusPolicy.NoFocus or not part.isVisible():
            continue
        spoken = QAccessible.queryAccessibleInterface(part).text(QAccessible.Text.Name)
        if not spoken:
            around = part.parentWidget()
            found.append(f"{type(part).__name__} in {type(around).__name__}")
    return found


def turn_pages(window: MainWindow) -> Iterator[str]:
    """Show the views and every page, and every tab inside of it, one after another."""
    yield "Views"
    for name in window.pages:
        window.pages.show_page(name)
        yield window.pages.page_of(name).title
        for tabs in window.pages[name].findChildren(QTabWidget):
            if tabs.isVisible():
                yield from turn_tabs(tabs)


def turn_tabs(tabs: QTabWidget) -> Iterator[str]:
    for number in range(tabs.count()):
        tabs.setCurrentIndex(number)
        page = tabs.widget(number)
        yield tabs.tabText(number)
        for each in page.findChildren(QTabWidget):
            if each.isVisible():
                yield from turn_tabs(each)


def test_every_page_names_what_can_be_reached(
    driver: Driver, window: MainWindow, source: Path, qapp: QApplication
):
    assert nameless(window) == [], "the start page"
    driver.finish(driver.open(source), capture_of(source))
    window.resize(1400, 900)
    window.lesson.show()
    seen: dict[str, list[str]] = {}
    for title in turn_pages(window):
        qapp.processEvents()
        seen[title] = nameless(window)
    assert {"Views", "Memory", "Timing", "Roofline", "Chips"} <= set(seen)
    assert {title: found for title, found in seen.items() if found} == {}


def sum_of_sines(w: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.sum(jnp.sin(x @ w) @ w)


def test_every_page_names_what_can_be_reached_of_a_real_program(
    window: MainWindow, qapp: QApplication, tmp_path: Path, qtbot: QtBot
):
    """Plots, figures and texts are made when there is something to show."""
    path = tmp_path / "real.jaxscope"
    save_capture(jaxscope.capture(sum_of_sines, jnp.ones((8, 8)), jnp.ones((4, 8))), path)
    with qtbot.waitSignal(window.files.captures.opened):
        window.open_path(str(path))
    window.resize(1400, 900)
    seen: dict[str, list[str]] = {}
    for title in turn_pages(window):
        qapp.processEvents()
        seen[title] = nameless(window)
    assert {title: found for title, found in seen.items() if found} == {}


def test_every_form_of_a_pane_names_what_can_be_reached(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    pane = window.workspace.area.open_pane("jaxpr")
    assert pane is not None
    for form in Form:
        pane.set_form(form)
        assert nameless(window) == [], form


def test_a_choice_is_named_by_what_is_chosen_and_a_stage_of_the_line_is_a_button(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    pane = window.workspace.area.open_pane("jaxpr")
    assert pane is not None and pane.header._colours is not None
    told = {}
    for choice in (
        *(window.call_bar.target, pane.header.chooser, pane.header.form_choice),
        pane.header._colours,
    ):
        spoken = QAccessible.queryAccessibleInterface(choice)
        assert spoken.text(QAccessible.Text.Value) == choice.currentText()
        assert spoken.text(QAccessible.Text.Description)
        labels = [
            part.text(QAccessible.Text.Name)
            for part, relation in spoken.relations()
            if relation == QAccessible.RelationFlag.Label
        ]
        told[choice.currentText()] = labels
    assert told == {
        "cpu": ["Target"],
        "jaxpr": ["Stage of this view"],
        "Graph": ["Form of this view"],
        "by operation": ["What the colours of boxes tell"],
    }
    chosen = list[str]()
    window.strip.step_chosen.connect(chosen.append)
    for card in window.strip.cards:
        spoken = QAccessible.queryAccessibleInterface(card)
        assert spoken.role() == QAccessible.Role.Button
        assert spoken.text(QAccessible.Text.Name) == card.accessibleName()
    window.strip.cards[1].click()  # as a screen reader presses it
    assert chosen == ["jaxpr"]
