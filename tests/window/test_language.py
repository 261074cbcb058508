"""The interface in another language: every text has a translation, and is shown at once."""

from __future__ import annotations

import ast
import dataclasses
import functools
import gc
import itertools
import math
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from string import Formatter

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

import jaxscope
from bench.language import Found, classify, collect
from jaxscope.errors import CallError, TraceError
from jaxscope.model import Capture, Check, Cost, Ratio, is_available
from jaxscope.model.said import said, say
from jaxscope.model.stages import stage_kind
from jaxscope.model.timing import _NOISE, Noise
from jaxscope.program.cards import read_cards
from jaxscope.program.cost.work import Work, find_work
from jaxscope.program.fates.table import find_fate_table
from jaxscope.program.fusion.summary import report_fusions
from jaxscope.program.passes.recorder import COUNTED, ESTIMATED, TIMED
from jaxscope.program.sharding.arrays import describe_devices, describe_sharding
from jaxscope.program.sharding.collectives import KINDS as COLLECTIVES
from jaxscope.program.sharding.collectives import RING
from jaxscope.program.sharding.placement import NodeShardings, PlacementReport
from jaxscope.report.cards import explain_card, list_facts, name_card
from jaxscope.report.document import cell_text
from jaxscope.report.measurements import (
    describe_noise,
    describe_place,
    describe_ratio,
    summarize_ratio,
)
from jaxscope.report.memory import (
    MemoryReport,
    alive_table,
    describe_kept,
    describe_padding,
    explain_peak,
    name_step,
)
from jaxscope.report.sharding import (
    SIDES,
    describe_collective,
    describe_communication,
    describe_device_memory,
)
from jaxscope.schema.archive import load_capture, save_capture
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.pages.fusions import describe_kernel, describe_launches, describe_pair
from jaxscope.ui.panes.node_table import HEADERS, NodeTableView
from jaxscope.ui.selection.inspector import describe_card
from jaxscope.ui.session.screen import waiting_text
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import (
    CONTEXT,
    Language,
    LanguageSwitch,
    renew,
    tr,
    tr_count,
    tr_said,
)
from jaxscope.ui.toolkit.widgets import SOFT_BREAK
from jaxscope.ui.window.error_panel import ErrorPanel
from jaxscope.ui.window.help import GUIDE, Glossary
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.palette import list_menu_entries
from jaxscope.ui.window.sample_path import find_samples
from jaxscope.ui.window.settings import Settings
from jaxscope.ui.window.start_page import SampleCard
from jaxscope.worker.faults.explain import explain_exception
from jaxscope.worker.host.call import call_namespace, parse_call
from tests.checks import planted
from tests.checks.running import findings_of

from .conftest import Driver, destroy
from .programs import build_capture, build_graph

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import write_translations

KNOWN = write_translations.read_translations()
CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(autouse=True)
def _english(qapp: QApplication) -> Iterator[None]:
    yield
    LanguageSwitch(qapp, Language.ENGLISH).deleteLater()


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return sorted(write_translations.find_texts())


def fields_of(text: str) -> list[tuple[str | None, str | None, str | None]]:
    return sorted(tuple(field[1:]) for field in Formatter().parse(text) if field[1] is not None)


def choose(window: MainWindow, language: Language) -> None:
    menus = window.commands.menus["View"].findChildren(QMenu)
    actions = [action for menu in menus for action in menu.actions()]
    next(action for action in actions if action.data() is language).trigger()
    QApplication.processEvents()


def test_what_samples_teach_is_translated_with_the_code_in_it() -> None:
    taught = list(write_translations.of_samples())
    assert len(taught) == 5 * len(find_samples()) and all(taught)
    for text in taught:
        chinese = KNOWN.get(text, "")
        code = sorted(re.findall("`[^`]*`", text))
        assert chinese and sorted(re.findall("`[^`]*`", chinese)) == code, text
        assert CHINESE.search(chinese) or " " not in text, "a name alone may stay"


def test_the_lesson_of_a_sample_follows_the_language(driver: Driver, window: MainWindow) -> None:
    sample = find_samples()[0]
    driver.finish(driver.open(sample), build_capture())
    strip = window.lesson
    strip._reveal.click()
    english = [label.text() for label in strip._parts.values()]
    choose(window, Language.CHINESE)
    for label in (strip._title, *strip._parts.values()):
        assert CHINESE.search(label.text()) and not label.isHidden()
        words = re.sub(r"<code>.*?</code>|<[^>]*>|&ensp;", "", label.text())
        assert not re.search("[a-z]{4,} [a-z]{3,}", words)
    assert "simple_graph" in strip._parts["Look at"].text()
    assert CHINESE.search(strip._next.text())
    cards = window.start_page.findChildren(SampleCard)
    titles = [card.findChildren(QLabel)[1].text() for card in cards]
    assert titles and sum(bool(CHINESE.search(title)) for title in titles) >= len(titles) - 3
    choose(window, Language.ENGLISH)
    assert [label.text() for label in strip._parts.values()] == english


def shown_texts(window: MainWindow) -> list[str]:
    """What the menus, the places, the bar, the stages and the palette say now."""
    buttons = [*window.row.places.values(), *window.row.names.values(), window.call_bar.run_button]
    palette = [entry.name for entry in list_menu_entries(window.commands.root)]
    return [
        *(menu.title() for menu in window.commands.menus.values()),
        *(action.text() for action in window.commands.actions.values()),
        *(button.text() for button in buttons),
        *(button.toolTip() for button in buttons),
        *(card.accessibleName() for card in window.strip.cards),
        *(name for name in palette if "语言" not in name),
        window.call_bar.edit.placeholderText(),
        window.call_bar.edit.accessibleName(),
        window.row._said.text(),
    ]


@pytest.mark.slow
def test_every_text_has_a_translation_and_no_other_is_kept(texts: list[str]) -> None:
    assert sorted(KNOWN) == texts, "run `python docs/write_translations.py`"


TOLD = ("progress", "message", "warn", "Explanation", "EnvironmentProblem", "SourceError")
TOLD += ("TraceError", "CallError", "QueryError")
TOLD_BY_NAME = ("what", "why", "remedy")


def test_what_workers_say_of_their_work_and_of_failures_has_templates() -> None:
    """No f-string and no bare text of several words: the window could not translate it."""
    wrong = []
    for path in itertools.chain.from_iterable(
        (Path(jaxscope.__file__).parent / part).rglob("*.py") for part in ("worker", "client")
    ):
        if path.name in ("bootstrap.py", "bisect.py"):  # of no JAX; of the command line
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in TOLD:
                first = node.args[1:2] if name == "progress" else node.args[:1]
                named = [each.value for each in node.keywords if each.arg in TOLD_BY_NAME]
                wrong += [f"{path.name}:{x.lineno}" for x in (*first, *named) if is_bare(x)]
    assert wrong == []


def is_bare(text: ast.expr) -> bool:
    if isinstance(text, ast.IfExp):
        return is_bare(text.body) or is_bare(text.orelse)
    if isinstance(text, ast.Constant):
        return " " in str(text.value) and text.value not in KNOWN
    if isinstance(text, ast.JoinedStr):
        words = "".join(str(x.value) for x in text.values if isinstance(x, ast.Constant))
        return re.search("[a-z]{2,} [a-z]{2,}", words) is not None
    return False


def test_translations_have_the_fields_of_their_texts(texts: list[str]) -> None:
    wrong = [t for t in texts if "{" in t and fields_of(t) != fields_of(KNOWN[t])]
    assert wrong == []


def test_translations_have_the_keys_and_marks_of_their_texts(texts: list[str]) -> None:
    """Letters to press, dots of what asks first, tags and links, spaces that join texts."""
    for mark in (r"&(?=\w)(?!\w+;)", r" …$", r"<[^>]+>", r"\n", r"\*\.\w+"):
        wrong = [t for t in texts if re.findall(mark, t) != re.findall(mark, KNOWN[t])]
        wrong = [t for t in wrong if t != GUIDE]  # its lines end where they end
        assert wrong == [], mark


def test_what_is_translated_is_found_back(texts: list[str]) -> None:
    """Two texts with one translation differ in nothing but the first letter's case."""
    known: dict[str, str] = {}
    for text in texts:
        if text[:1].isupper():
            other = known.setdefault(KNOWN[text], text)
            assert other == text, KNOWN[text]


def test_the_compiled_file_is_that_of_the_source(texts: list[str]) -> None:
    translator = QTranslator()
    assert translator.load(str(write_translations.SOURCE.with_suffix(".qm")))
    assert {text: translator.translate(CONTEXT, text) for text in texts} == KNOWN


def test_a_text_is_renewed_with_what_was_put_into_it(qapp: QApplication) -> None:
    languages = LanguageSwitch(qapp, Language.ENGLISH)
    text = tr("{num_near:,} nodes within {steps}.", num_near=1_234, steps=tr_count(2, "step"))
    assert tr("Stopping …") == "Stopping …"
    assert text == "1,234 nodes within 2 steps."
    languages.use(Language.CHINESE)
    assert renew(text) == "2 步之内有 1,234 个节点。"
    assert renew("Stopping … · model.py\n2 steps") == "正在停止 … · model.py\n2 步"
    languages.use(Language.ENGLISH)
    assert renew("2 步之内有 1,234 个节点。") == text
    assert tr_count(1, "step") == "1 step"


@pytest.mark.slow
def test_times_of_many_runs_are_forgotten_and_other_texts_are_not(qapp: QApplication) -> None:
    languages = LanguageSwitch(qapp, Language.ENGLISH)
    kept = tr("{num_near:,} nodes within {steps}.", num_near=7, steps=tr_count(3, "step"))
    again = tr("Made in {seconds}", seconds="0 µs")
    gc.collect()
    before = sys.getallocatedblocks()
    for number in range(1, 20_000):
        tr("Made in {seconds}", seconds=f"{number} µs")
        tr("Made in {seconds}", seconds="0 µs")
    gc.collect()
    per_text = 3  # the text, its fields and what was put into them, at least
    assert sys.getallocatedblocks() - before < per_text * 5_000
    languages.use(Language.CHINESE)
    assert [renew(text) for text in (kept, again, "Made in 19999 µs", "Made in 1 µs")] == [
        "3 步之内有 7 个节点。",
        KNOWN["Made in {seconds}"].format(seconds="0 µs"),
        KNOWN["Made in {seconds}"].format(seconds="19999 µs"),
        "Made in 1 µs",
    ]


def test_sentences_keep_their_templates_from_the_worker_to_a_file(
    qapp: QApplication, tmp_path: Path
) -> None:
    LanguageSwitch(qapp, Language.CHINESE)
    for number, capture in enumerate(real_captures()):
        path = tmp_path / f"{number}.jaxscope"
        save_capture(capture, path)
        said = [
            [tr_said(text) for check in each.checks for text in (check.message, check.remedy)]
            + [tr_said(fate.text) for fate in each.fates.values()]
            for each in (capture, load_capture(path))
        ]
        assert said[0] == said[1] and all(map(CHINESE.search, said[0]))
    assert real_captures()[-1].checks


@pytest.mark.parametrize("number", [0, 2])
@pytest.mark.slow
def test_the_window_says_all_of_a_capture_in_chinese(
    window: MainWindow, driver: Driver, source: Path, number: int
) -> None:
    """What was shown in English before as well."""
    capture = real_captures()[number]
    driver.finish(driver.open(source), capture)
    context, inspector = window.page_context(), window.workspace.inspector
    fates = window.workspace.fates
    driver.wait_until(lambda: bool(context.fusions.report and fates.names_of("jaxpr")))
    pages = ("fusions", "memory", "sharding", "notes")

    def look() -> set[str]:
        """Whole sentences in English."""
        found: Found = defaultdict(lambda: (set(), set()))
        for stage in capture.stages:
            for node in range(len(stage.graph.nodes)) if is_available(stage.graph) else ():
                window.workspace.selection.select_node(stage.name, node)
                collect("all", inspector.page, found)
        for name in pages:
            window.pages.show_page(name)
            if name == "memory":
                driver.wait_until(lambda: window.pages["memory"]._report is not None)
            collect("all", window.pages[name], found)
        collect("all", window.strip, found)
        return {each for each in found["all"][True] if each.endswith((".", "。"))}

    assert len(look()) > 20
    choose(window, Language.CHINESE)
    assert look() == set()


def test_the_language_is_changed_while_the_window_is_used(
    window: MainWindow, driver: Driver, source: Path, tmp_path: Path
) -> None:
    capture: Capture = build_capture()
    driver.finish(driver.open(source), capture)
    window.workspace.show_line(str(source), 5)
    window.call_bar.edit.setText("f(f32[4])")
    selected, before = window.workspace.selection.place, shown_texts(window)
    assert not any(map(CHINESE.search, before))
    choose(window, Language.CHINESE)
    after = shown_texts(window)
    assert after[0] == "文件"
    kept = [text for text in after if text in before and not CHINESE.search(text)]
    assert {text for text in kept if KNOWN.get(text, text) != text} == set()
    assert Settings(str(tmp_path / "window.json")).language == "zh_CN"
    choose(window, Language.ENGLISH)
    assert shown_texts(window) == before
    assert window.controller.state.capture is capture
    assert window.workspace.selection.place == selected
    assert window.call_bar.edit.text() == "f(f32[4])"


@pytest.mark.slow
def test_a_drawing_is_renewed(window: MainWindow, driver: Driver, source: Path) -> None:
    """Words of its own, not names of the code; it is laid out by its English texts."""
    sample = Path(__file__).parents[2] / "samples" / "control_flow.py"
    driver.finish(driver.open(source), jaxscope.capture_file(sample, "grad(nested)(f32[5, 7])"))
    canvas = next(c for c in window.findChildren(GraphCanvas) if c.isVisible())
    driver.wait_until(lambda: canvas.scene is not None)

    def drawn() -> tuple[str, ...]:
        items = canvas._drawing.scene.items
        return *items.titles, *items.details

    before = drawn()
    assert {"forward", "f32[5,7]"} <= set(before)
    choose(window, Language.CHINESE)
    assert {"前向", "f32[5,7]"} <= set(drawn())
    assert not any("instructions" in text for text in drawn())
    choose(window, Language.ENGLISH)
    assert drawn() == before


@pytest.mark.slow
def test_no_button_is_cut_in_chinese_in_a_small_window(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    window.resize(1280, 720)
    driver.finish(driver.open(source), build_capture())
    choose(window, Language.CHINESE)
    for name in window.pages:
        window.pages.show_page(name)
        QApplication.processEvents()
        cut = [
            button.text()
            for button in window.findChildren(QAbstractButton)
            if button.isVisible() and button.text() and button.width() < button.sizeHint().width()
        ]
        assert cut == [], name


def test_what_is_wrong_with_a_filter_of_the_table_is_said_in_chinese(
    qapp: QApplication, qtbot: QtBot
) -> None:
    LanguageSwitch(qapp, Language.CHINESE).deleteLater()
    table = NodeTableView()
    qtbot.addWidget(table)
    table.set_graph(build_graph("in x x\neqn 0 sin <x"))
    field = table.filters.fields[HEADERS.index("operation")]
    qtbot.keyClicks(field, "/(/")
    assert CHINESE.search(field.toolTip())


def test_the_commands_that_open_dialogs_work_in_chinese(window: MainWindow) -> None:
    choose(window, Language.CHINESE)
    for name in ("show_guide", "show_glossary", "show_keys", "show_about"):
        window.commands.actions[name].trigger()
        assert window.help.dialog is not None
        assert CHINESE.search(
            window.help.dialog.tabs.tabText(window.help.dialog.tabs.currentIndex())
        )
    first = window.help.dialog
    choose(window, Language.ENGLISH)
    window.commands.actions["show_keys"].trigger()
    assert window.help.dialog is not None and window.help.dialog is not first
    assert window.help.dialog.tabs.tabText(window.help.dialog.tabs.currentIndex()) == "Keys"
    window.help.dialog.close()


def test_what_a_lesson_keeps_for_its_buttons_is_renewed(window: MainWindow) -> None:
    window.lesson.show()
    choose(window, Language.CHINESE)
    window.lesson.resize(window.lesson.width() + 40, window.lesson.height())
    assert window.lesson._try.text() == "试着修改"
    assert CHINESE.search(window.lesson._try.toolTip())


def plain(html: str) -> str:
    document = QTextDocument()
    document.setHtml(re.sub("<code>.*?</code>", " ", html))
    return document.toPlainText().replace(SOFT_BREAK, "")


def of_cards() -> Iterator[str]:
    for card in (card for cards in read_cards() for card in cards.values()):
        code = [fact.text for _, facts in list_facts(card) for fact in facts if fact.is_code]
        told = plain(describe_card(card, "#888"))
        for line in (line for text in code for line in text.splitlines()):
            told = told.replace(line.strip(), "")
        yield from (told, tr_said(name_card(card)), tr_said(explain_card(card)))


def of_the_glossary() -> Iterator[str]:
    glossary = Glossary()
    rows = glossary.text.toPlainText().splitlines()
    destroy(glossary)
    yield from (row.partition(" · ")[0] for row in rows)  # behind it is the English name


@functools.cache
def real_captures() -> Sequence[Capture]:
    """With recorded passes, with more equations by a transform, with a finding."""
    samples = Path(__file__).parents[2] / "samples"
    first = jaxscope.capture_file(samples / "optimizer_passes.py", passes=True)
    others = (samples / "custom_rules.py", samples / "pure_and_impure.py")
    return first, *map(jaxscope.capture_file, others)


def of_fates() -> Iterator[str]:
    for capture in real_captures():
        for table in (capture.fates, find_fate_table(capture).derived):
            yield from (tr_said(fate.text) for fate in table.values())


@functools.cache
def planted_findings() -> Sequence[Check]:
    return [
        check
        for calls in planted.FAULTS.values()
        for call in (calls[0], calls[-1])
        for check in findings_of(planted.__file__, call)
    ]


def of_findings() -> Iterator[str]:
    for check in planted_findings():
        yield from (tr_said(check.message), tr_said(check.remedy))


def of_fusions() -> Iterator[str]:
    for capture in real_captures():
        report = report_fusions(capture.stages)
        assert report is not None
        yield from map(tr_said, describe_launches(report))
        yield from (plain(describe_kernel(report, each.node, "#888")) for each in report.fusions)
        kernels = [node for node, _ in report.readers()] + [each.node for each in report.fusions]
        pairs = itertools.combinations(dict.fromkeys(kernels), 2)
        yield from (plain(describe_pair(report, *pair)) for pair in itertools.islice(pairs, 50))


_WRONG_CALLS = ("f", "3 + 4", "g(f32[3])", "f(y)", "f(q8[3])", "x(3)", "grad(f)", "jvp(f, f32[3])")
_RAISED = (
    *(ZeroDivisionError("x"), SystemExit(3), ModuleNotFoundError(name="torch"), MemoryError()),
    *(FileNotFoundError(2, "no", "data.npy"), ImportError("x"), RecursionError("x"), EOFError("x")),
    *(SyntaxError("x"), TypeError("JAX arrays are immutable"), ValueError("cannot reshape")),
)


def of_errors() -> Iterator[str]:
    """All but what others say: Python, JAX, the code."""
    names = {**call_namespace({}), "f": abs, "x": 3}
    found = [dataclasses.replace(explain_exception(e)[1], why="") for e in _RAISED]
    for call in _WRONG_CALLS:
        with pytest.raises(CallError) as raised:
            parse_call(call, names, file=__file__)
        found.append(raised.value.explanation)
    panel = ErrorPanel()
    texts = []
    for explanation in found:
        panel.show_error(CallError(explanation))
        texts += [label.text() for label in panel.findChildren(QLabel) if not label.isHidden()]
    destroy(panel)
    yield from map(plain, texts)


def of_memory() -> Iterator[str]:
    for capture in real_captures():
        report = MemoryReport(capture)
        live, residuals = report.live, report.residuals
        assert is_available(live)
        peak = (explain_peak(live, capture.memory), name_step(live, live.peak_step))
        told = (*peak, describe_padding(live), describe_kept(residuals))
        yield from map(tr_said, told)
        for row in alive_table(live, live.buffers).rows:
            yield tr_said(cell_text(row[1]))


def of_times() -> Iterator[str]:
    """The headline of a measurement: every verdict, and every disturbance."""
    for verdict, high, pairs, agreeing in itertools.product(
        ("faster", "slower", "same", "unclear"), (3.0, 90.0), (0, 3, 42), (0, 41)
    ):
        low = 2.5 if verdict == "faster" else 0.5
        ratio = Ratio("eager/jit", 2.7, low, high, verdict, math.nan, pairs, agreeing=agreeing)
        yield from (tr_said(describe_ratio(ratio)), tr_said(summarize_ratio(ratio)))
    yield from (tr_said(Noise(kind, 2.0, 4).sentence()) for kind in _NOISE)
    environment = real_captures()[0].environment
    yield from map(tr_said, (describe_place(environment), describe_noise(environment)))


def of_stages() -> Iterator[str]:
    """What the line of stages says of each, and how passes are counted."""
    for capture in real_captures():
        for stage in capture.stages:
            yield from (tr_said(stage.title), tr_said(said(stage_kind(stage.name).meaning)))
            if is_available(stage.graph):
                yield from map(tr_said, find_work(stage.graph).notes)
    work = Work(Cost(), Cost(1.0), 3, 2, True, True, is_of_rounds=True, num_moving=1)
    yield from map(tr_said, (*work.notes, work.flops, TIMED, COUNTED, ESTIMATED))


def of_devices() -> Iterator[str]:
    sample = Path(__file__).parents[2] / "samples" / "parallel_devices.py"
    for capture in (real_captures()[0], jaxscope.capture_file(sample, target="cpu:8")):
        placement, found = capture.placement, PlacementReport(capture).collectives
        assert is_available(placement) and is_available(found)
        told = (describe_devices(placement), describe_communication(found), *capture.messages)
        yield from map(tr_said, (*told, *map(describe_collective, found), SIDES, RING))
        yield tr_said(describe_device_memory(capture.memory))
        shardings = NodeShardings(capture)
        for stage in capture.stages:
            graph = stage.graph
            for node in range(len(graph.nodes)) if is_available(graph) else ():
                for value in shardings.of(stage.name, graph, node):
                    how = describe_sharding(value.sharding, placement.axes, len(placement.devices))
                    yield from (tr_said(how), tr_said(value.origin))
    yield from (tr_said(kind.text) for kind in COLLECTIVES.values())


KINDS = [of_cards, of_the_glossary, of_fates, of_findings, of_fusions, of_errors, of_memory]
KINDS += [of_times, of_stages, of_devices]


def test_a_view_of_what_failed_says_so_in_the_language_of_the_window(qapp: QApplication) -> None:
    what = say("No arguments were found with which {name} traces.", name="f")
    failed = WindowState(error=TraceError(what), failed_stage="jaxpr")
    LanguageSwitch(qapp, Language.CHINESE)
    told = waiting_text(failed, "jaxpr")
    LanguageSwitch(qapp, Language.ENGLISH)
    assert "f" in told and not re.search("[a-z]{2,} [a-z]{2,}", told)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", KINDS)
def test_no_english_is_left_in(qapp: QApplication, kind: Callable[[], Iterator[str]]) -> None:
    LanguageSwitch(qapp, Language.ENGLISH)
    assert any(is_english for text in kind() for _, is_english in classify(text))
    LanguageSwitch(qapp, Language.CHINESE)
    found = [each for text in kind() for each in classify(text)]
    assert len(found) > 15
    assert [sentence for sentence, is_english in found if is_english] == []
