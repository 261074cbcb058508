"""The card of the selected operation, behind a link in the inspector."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl

from jaxscope.model import NodeKind
from jaxscope.program.cards import find_card, read_cards
from jaxscope.report.cards import list_facts
from jaxscope.ui.selection.inspector import describe_card
from jaxscope.ui.toolkit.widgets import SOFT_BREAK
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .test_window import capture_of


def test_a_link_opens_the_card_of_what_is_selected_and_of_what_is_selected_next(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), capture_of(source))
    inspector, selection = window.workspace.inspector, window.workspace.selection
    graph = selection.graph_of("jaxpr")
    assert graph is not None
    nodes = [graph.node(index) for index in range(len(graph.nodes))]
    with_card = [n for n, node in enumerate(nodes) if find_card(node.operation, node.kind)]
    without = next(n for n, node in enumerate(nodes) if node.kind is NodeKind.INPUT)

    def text() -> str:
        return inspector.page.toPlainText().replace(SOFT_BREAK, "")

    selection.select_node("jaxpr", with_card[0])
    assert "More" in text() and "For users" not in text()
    inspector.page.anchorClicked.emit(QUrl("card:"))
    assert "Less" in text() and "More" not in text()
    assert text().index("For users") < text().index("For compiler engineers")
    selection.select_node("jaxpr", without)
    assert "For users" not in text() and "Less" not in text()
    selection.select_node("jaxpr", with_card[-1])
    assert "For users" in text()
    inspector.page.anchorClicked.emit(QUrl("card:"))
    assert "For users" not in text()


def test_the_card_shows_every_fact(window: MainWindow) -> None:
    page = window.workspace.inspector.page
    for cards in read_cards():
        for card in cards.values():
            page.setHtml(describe_card(card, "#888"))
            shown = "".join(page.toPlainText().replace(SOFT_BREAK, "").split())
            for _, facts in list_facts(card):
                for fact in facts:
                    assert "".join(fact.text.replace("`", "").split()) in shown, card.name
