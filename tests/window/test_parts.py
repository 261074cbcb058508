"""Single parts of the window: texts, tables, explanations, settings, the watched file."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, QPoint, QRect, Qt, SignalInstance
from PySide6.QtGui import QColor, QGuiApplication
from pytestqt.qtbot import QtBot

from jaxscope.errors import (
    CallError,
    Explanation,
    InternalError,
    JaxscopeError,
    SourceError,
    TraceError,
    UsageError,
    WorkerLost,
)
from jaxscope.in_process import capture_function
from jaxscope.model import (
    Check,
    Cost,
    Direction,
    GraphBuilder,
    Leaf,
    Measurement,
    NodeKind,
    Ratio,
    Severity,
    Stage,
    Unavailable,
)
from jaxscope.model.units import format_bytes, format_flops, format_seconds
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.syntax import ProgramColouring, PythonColouring
from jaxscope.picture.view.build import build_view
from jaxscope.program.cost.lines import LineCost
from jaxscope.program.equation_text import equation_text
from jaxscope.program.explanations import explain_operation
from jaxscope.program.links import NO_LINKS, Linked, Links
from jaxscope.program.search import SearchIndex
from jaxscope.report.document import Table
from jaxscope.report.measurements import describe_ratios
from jaxscope.ui.canvas.item_text import describe_item
from jaxscope.ui.pages.timing import HEADERS as TIMING_HEADERS
from jaxscope.ui.pages.timing import row_texts
from jaxscope.ui.panes.node_table import HEADERS, NodeTableModel
from jaxscope.ui.selection.inspector import (
    describe_call,
    describe_group,
    describe_node,
    split_path,
)
from jaxscope.ui.session.call_text import order_as_written
from jaxscope.ui.session.source_file import MAX_SOURCE_BYTES, FileWatcher, read_source
from jaxscope.ui.source import code_view
from jaxscope.ui.source.code_view import _MARK_NAMES, CodeView, Mark
from jaxscope.ui.toolkit.result_table import ResultModel
from jaxscope.ui.toolkit.widgets import STILL
from jaxscope.ui.window.error_panel import ErrorPanel, kind_of_error
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings

from .programs import OPTIMIZED, build_graph


def coloured(colouring: PythonColouring | ProgramColouring, text: str, line: int = 0):
    """The coloured pieces of a line with their roles."""
    return [(text[a : a + n], role) for a, n, role in colouring.spans(line) if role != "symbol"]


def test_python_is_coloured_over_lines():
    text = 'x = """a\nb""" + 1'
    colouring = PythonColouring(text)
    assert ('"""', "string") in coloured(colouring, text.split("\n")[0])
    assert coloured(colouring, 'b""" + 1', 1)[-1] == ("1", "number")


def test_programs_are_coloured_by_their_tokens():
    line = 'ROOT %add.3 = f32[8,2]{1,0} add(%a, %b), metadata={op_name="x"} // why'
    found = dict(coloured(ProgramColouring([line]), line))
    assert found["ROOT"] == "keyword" and found["f32[8,2]{1,0}"] == "type"
    assert found['"x"'] == "string" and found["// why"] == "comment"


def test_a_long_text_is_shown_searched_and_copied(qtbot: QtBot):
    view = CodeView()
    qtbot.addWidget(view)
    view.resize(600, 400)
    lines = [f"line {number}" for number in range(200_000)]
    lines[7] = "x" * 1_000_000
    view.set_lines(lines, ProgramColouring(lines))
    view.show()
    view.grab()
    view.go_to_line(150_000)
    assert view.selected_text() == "line 150000"
    view.set_marks({10: Mark.FORWARD}, reveal=True)
    assert view.verticalScrollBar().value() <= 10
    chosen: list[int] = []
    view.line_chosen.connect(chosen.append)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    qtbot.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert chosen == [0]
    assert QGuiApplication.clipboard().text() == "line 0\nline 1"
    view.go_to_line(200_000)
    assert view.selected_text() == "line 0\nline 1", "there is no such line"


def test_the_node_table_is_a_sound_model(qtmodeltester):
    model = NodeTableModel()
    model.set_graph(build_graph(OPTIMIZED))
    qtmodeltester.check(model)
    model.set_filter(SearchIndex(build_graph(OPTIMIZED)).find("co"))
    model.sort(HEADERS.index("operation"), Qt.SortOrder.DescendingOrder)
    shown = [model.index(row, 1).data() for row in range(model.rowCount())]
    assert shown == ["cosine", "copy"]


@pytest.mark.parametrize("column", range(len(HEADERS)))
def test_every_column_sorts(column: int):
    model = NodeTableModel()
    model.set_graph(build_graph(OPTIMIZED))
    model.sort(column, Qt.SortOrder.AscendingOrder)
    assert sorted(model.node_at(row) for row in range(model.rowCount())) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", ["add", "dot_general", "scan", "scatter-add", "custom_vjp_call"])
def test_common_primitives_are_explained(name: str):
    assert explain_operation(name, NodeKind.EQUATION).endswith(".")


@pytest.mark.parametrize("name", ["fusion", "stablehlo.dot_general", "get-tuple-element"])
def test_common_instructions_are_explained(name: str):
    assert explain_operation(name, NodeKind.INSTRUCTION).endswith(".")
    assert explain_operation("no.such.thing", NodeKind.INSTRUCTION) == ""


def test_quantities_read_as_people_say_them():
    assert format_flops(1.23456e9) == "1.23 GFLOP"
    assert format_bytes(4096.0) == "4.00 KiB"
    assert format_seconds(1.05e-5) == "10.5 µs"
    assert format_seconds(float("nan")) == "unknown"


def test_verdicts_never_come_without_their_interval():
    ratios = [
        Ratio("eager/jit", 10.6, 9.9, 11.2, "faster", 0.95),
        Ratio("eager/jit", 1.0, 0.99, 1.01, "same"),
        Ratio("eager/jit", 1.1, 0.8, 1.6, pairs=3),
        Ratio("eager/jit", 1.1, 0.8, 1.6, why_not="the function prints (a.py:1)"),
        Ratio("gradient_eager/gradient_jit", 1.1, 0.8, 1.6),
    ]
    assert describe_ratios(ratios).split("\n") == [
        "jit is 11 times faster than eager (paired, 9.90 to 11.2, 95%)",
        "jit and eager take the same time: the median ratio is within 2 % of 1 "
        "(paired, observed 0.990 to 1.01)",
        "Not decided which of eager and jit is faster: 3 of the 6 pairs that a verdict takes "
        "(observed 0.800 to 1.60)",
        "No verdict on eager and jit: the function prints (a.py:1)",
        "gradient: not decided which of eager and jit is faster: ratio 1.1 (paired, observed "
        "0.800 to 1.60)",
    ]


def test_a_factor_of_pairs_says_so_because_the_medians_divide_to_another():
    """By hand: each of three pairs has a factor, the middle of which is not that of the medians."""
    first, second = (3.0, 4.0, 16.0), (1.0, 2.0, 4.0)
    factors = sorted(a / b for a, b in zip(first, second, strict=True))
    assert factors == [2.0, 3.0, 4.0] and first[1] / second[1] == 2.0
    ratio = Ratio("eager/jit", factors[1], factors[0], factors[2], "faster", pairs=30)
    (told,) = describe_ratios([ratio]).split("\n")
    assert told == "jit is 3 times faster than eager (paired, observed 2.00 to 4.00)"
    assert "pair" not in describe_ratios([dataclasses.replace(ratio, high=40.0)]), "no one factor"


def test_measurements_say_how_sure_they_are(qtmodeltester):
    noisy = Measurement("jit", 1e-5, 0.9e-5, 1.2e-5, 0.95, 40, (1e-5,) * 40, True)
    once = Measurement("compile", 0.2, 0.2, 0.2, 0.0, 1, (0.2,), False)
    assert row_texts(noisy)[2:] == (
        "9.00 µs to 12.0 µs (95%)",
        "",
        "40",
        "noisy",
    )
    alone = dataclasses.replace(noisy, confidence=math.nan)
    assert row_texts(alone)[2] == "observed 9.00 µs to 12.0 µs"
    assert row_texts(once)[1:] == ("200 ms", "one run", "", "1", "")
    model = ResultModel()
    model.set_table(Table(TIMING_HEADERS, [row_texts(noisy), row_texts(once)]))
    qtmodeltester.check(model)


@pytest.mark.parametrize(
    ("paths", "links"),
    [
        (("a",), ["argument:a"]),
        (("a", "b"), ["argument:a", "argument:b"]),
        (("a", "b", "c"), ["page:arguments"]),
        (("a['w']", "a['b']"), ["page:arguments"]),
        (("a['w']", "a['b']", "x"), ["argument:x", "page:arguments"]),
        (("a['w']", "a['b']", "x", "y"), ["page:arguments"]),
        (tuple("abcdefghij"), ["page:arguments"]),
    ],
)
def test_arguments_and_results_have_few_links_and_one_to_all_that_is_not_told(paths, links):
    """What is not linked, or stands in one row with others, is behind the link to all."""
    leaves = [Leaf(path, "f32[4]", 16) for path in paths]
    told = describe_call(leaves, [Leaf("", "f32[]", 4)], "#000")
    assert re.findall("href='([^']+)'", told) == links


def test_static_leaves_are_not_counted_as_arrays():
    model = [Leaf("m.weight", "f32[4]", 16), Leaf("m.bias", "f32[2]", 8)]
    static = Leaf("m.activation", "relu", 0, is_static=True)
    told = describe_call([*model, static], [], "#000")
    assert "2 arrays, 24 B, 1 static" in told
    assert "2 arrays, 24 B<" in describe_call(model, [], "#000")


def test_arguments_are_told_in_the_order_of_the_call() -> None:
    """JAX itself sorts what is given by keyword: checked with a call that it traces."""

    def f(a: Any, z: Any, *, b: Any) -> Any:
        return a.sum() + b["w"] * z

    capture = capture_function(f, (np.ones(2),), {"z": np.ones(3), "b": {"w": np.ones(3)}})
    assert [leaf.path for leaf in capture.arguments] == ["a", "b['w']", "z"]
    for call, order in (
        ("f(f32[2], z=f32[3], b={'w': f32[3]})", ["a", "z", "b['w']"]),
        ("f(f32[2], b={'w': f32[]}, z=f32[3])", ["a", "b['w']", "z"]),
        ("f(**arguments)", ["a", "b['w']", "z"]),
        ("f(", ["a", "b['w']", "z"]),
    ):
        told = order_as_written(capture.arguments, call)
        assert [leaf.path for leaf in told] == order


def test_paths_of_leaves_are_cut_where_their_branches_are():
    assert split_path("params['a.b'][0].weight") == ["params", "['a.b']", "[0]", ".weight"]


def test_settings_survive_and_a_broken_file_is_as_none(tmp_path: Path):
    path = tmp_path / "window.json"
    file = tmp_path / "a.py"
    file.write_text("")
    settings = Settings(str(path))
    settings.add_recent_file(str(file))
    settings.add_recent_file("/gone.py")
    settings.add_calls(["f(x)"])
    assert settings.recent_files == (str(file),)
    assert Settings(str(path)).calls == ("f(x)",)
    Settings(str(path)).theme = "dark"  # of another window
    settings.points = 13.0
    both = Settings(str(path))
    assert (both.theme, both.points, both.problems) == ("dark", 13.0, [])
    path.write_bytes(b"\xff\x00[[[broken")
    assert Settings(str(path)).calls == () and Settings(str(path)).problems


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("points", float("nan")), ("points", 1e300), ("points", True), ("points", "13"),
        ("theme", "../dark"), ("calls", "f(x)"), ("calls", ["f(x)", 3]), ("calls", ["x"] * 201),
        ("arrangement", "x" * 20_001), ("shows_ribbons", "yes"), ("geometry", 3),
        ("recent_files", {"a": 1}), ("unknown", "@Variant(\0\0\0\x7f)"), ("uses_graphviz", None),
        ("calls_of_files", [["/a.py", "f(x)", "g(x)"]]), ("calls_of_files", [["/a.py", ""]]),
        ("calls_of_files", [["/a.py", "f(x)\n"]]), ("calls_of_files", {"/a.py": "f(x)"}),
        ("calls_of_files", [["/a.py", "f(x)"]] * 33), ("calls_of_files", ["ab", "cd"]),
        ("calls_of_files", [["/a.py", "f(" + "1" * 2_000]]), ("calls_of_files", [["/a.py", 3]]),
    ],
)  # fmt: skip
def test_odd_values_are_dropped_with_a_word_and_the_others_stay(
    tmp_path: Path, name: str, value: object
):
    path = tmp_path / "window.json"
    path.write_text(json.dumps({"graph_direction": "right", name: value}))
    settings, fresh = Settings(str(path)), Settings(str(tmp_path / "none.json"))
    assert settings.graph_direction == "right" and name in settings.problems[0]
    for each in ("points", "theme", "calls", "arrangement", "shows_ribbons", "geometry",
                 "recent_files", "uses_graphviz", "_calls_of_files"):  # fmt: skip
        assert getattr(settings, each) == getattr(fresh, each)


def test_settings_that_are_no_plain_file_are_not_waited_for(tmp_path: Path):
    pipe, deep, large = (tmp_path / name for name in ("pipe", "deep", "large"))
    os.mkfifo(pipe)
    deep.write_text("[" * 100_000)
    large.write_text(" " * (1 << 20) + "{}")
    for path in (pipe, deep, large, tmp_path, Path("/dev/zero")):
        assert Settings(str(path)).calls == () and Settings(str(path)).problems


def test_settings_that_cannot_be_written_hold_for_this_window(tmp_path: Path):
    (tmp_path / "file").write_text("")
    settings = Settings(str(tmp_path / "file" / "window.json"))
    settings.theme = "dark"
    settings.set_geometry(QByteArray(b"\x01\x02"))
    assert settings.theme == "dark" and settings.geometry == QByteArray(b"\x01\x02")


def test_sources_are_read_as_their_cookie_says(tmp_path: Path):
    path = tmp_path / "a.py"
    path.write_bytes("# -*- coding: latin-1 -*-\r\nx = 'é'\r\n".encode("latin-1"))
    assert read_source(str(path)).text.split("\n")[1] == "x = 'é'"


@pytest.mark.parametrize("kind", ["missing", "folder", "device", "large"])
def test_what_is_no_readable_file_is_refused(tmp_path: Path, kind: str):
    large = tmp_path / "large.py"
    large.write_bytes(b"#" * (MAX_SOURCE_BYTES + 1))
    paths = {"missing": "/no/such.py", "folder": str(tmp_path), "device": "/dev/zero",
             "large": str(large)}  # fmt: skip
    with pytest.raises(SourceError, match=r"cannot be read|is a folder, not a Python file"):
        read_source(paths[kind])


def test_each_error_is_headed_by_whose_turn_it_is():
    heads = {kind_of_error(error("What.")) for error in (UsageError, SourceError, InternalError)}
    assert heads == {"This cannot be done", "The file", "A bug in jaxscope"}
    guessed = Explanation("None traces.", where="model.py:5", kind="NoProposal")
    assert kind_of_error(TraceError(guessed)) == "No call was found"
    assert kind_of_error(TraceError("It raised.", where="model.py:5")) == "In your code"


def test_a_file_without_a_place_in_it_is_not_the_users_code():
    with pytest.raises(SourceError) as missing:
        read_source("/no/such.py")
    assert kind_of_error(missing.value) == "The file"
    assert kind_of_error(SourceError("No text.", where="a.py:3")) == "In your code"


def test_what_is_wrong_in_the_call_is_said_of_the_call(qtbot: QtBot):
    panel = ErrorPanel()
    qtbot.addWidget(panel)
    panel.show_error(CallError("The file has no 'grda'.", where="/home/u/model.py"))
    assert panel._kind.text() == "In the call"
    assert panel._where.isHidden()
    panel.show_error(TraceError("A mask.", where="model.py:5"))
    assert panel._kind.text() == "In your code"
    assert panel._where.text() == "model.py:5" and not panel._where.isHidden()
    assert panel._where.isEnabled()
    panel.show_error(TraceError("None was found.", where="/home/u/model.py"))
    assert panel._where.text() == "model.py" and not panel._where.isEnabled(), "leads to no line"
    assert panel._where.toolTip() == "/home/u/model.py"
    panel.show_error(TraceError("A lambda that is typed in the call."))
    assert panel._kind.text() == "In the call"
    said = Explanation("Too many arguments.", where="model.py:5", part="f(1, 2)")
    panel.show_error(TraceError(said))
    assert panel._kind.text() == "In the call" and panel._brief.text() == "Too many arguments."
    assert panel._where.isHidden() and panel._what.isHidden()


@pytest.mark.slow
@pytest.mark.parametrize("error", (CallError, TraceError))
def test_words_without_end_do_not_make_the_window_wider(
    qtbot: QtBot, error: type[JaxscopeError]
) -> None:
    panel = ErrorPanel()
    qtbot.addWidget(panel)
    panel.show_error(error(Explanation("No.", why="No.", remedy="No.", where="a.py:7")))
    usual = panel.minimumSizeHint().width()
    long, names = "W" * 3_000, "<&>" * 1_000
    for text in (long, names, f"`{long}`", f"<{long}>", f"{long}\n^^^^"):
        where = f"/{long[:255]}.py:7"
        calls = (f"f({long})",)
        said = Explanation(text, why=text, remedy=text, where=where, calls=calls, example=text)
        panel.show_error(error(said))
        assert panel.minimumSizeHint().width() < 1_000 and usual < 1_000
    what = panel._brief if error is CallError else panel._what
    assert what.text().replace("\u200b", "").startswith("W" * 500), "nothing is left out of it"


def test_what_is_copied_of_an_error_has_no_soft_breaks(qtbot: QtBot) -> None:
    panel = ErrorPanel()
    qtbot.addWidget(panel)
    panel.show_error(TraceError(Explanation("No.", why="/a/path" * 20)))
    panel.show()
    panel._why.setFocus()
    qtbot.waitUntil(panel._why.hasFocus)
    panel._why.setSelection(0, len(panel._why.text()))
    qtbot.keyClick(panel._why, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "/a/path" * 20


def test_a_call_that_a_remedy_names_goes_into_the_call_field(qtbot: QtBot):
    panel = ErrorPanel()
    qtbot.addWidget(panel)
    calls = ("loss(f32[2], a < b)", "los2(f32[2])")
    panel.show_error(CallError(Explanation("No.", calls=calls, is_misspelt=True)))
    link = "<a href='call:0'><code>loss(f32[2], a &lt; b)</code></a>"
    assert panel.remedy.text().startswith(f"Did you mean {link} or <a href='call:1'>")
    panel.show_error(CallError(Explanation("No.", remedy="The file has: a, b.", calls=calls)))
    assert link in panel.remedy.text() and "The file has" in panel.remedy.text()
    assert panel.remedy.text().count("<br>") == 1, "all calls are in one line: the graph is below"
    assert f"<br>Or another call: {link}" in panel.remedy.text()
    with qtbot.waitSignal(panel.call_requested) as caught:
        panel.remedy.linkActivated.emit("call:1")
    assert caught.args == ["los2(f32[2])"]
    said = Explanation("No.", remedy=f"Type a call such as {calls[0]}.", calls=calls[:1])
    panel.show_error(CallError(said))
    assert panel.remedy.text().endswith(f"such as {link}."), "it stands there once"


def test_every_remedy_that_a_click_can_do_is_a_link(qtbot: QtBot):
    panel = ErrorPanel()
    qtbot.addWidget(panel)

    def click(error: JaxscopeError, signal: SignalInstance) -> list[object]:
        panel.show_error(error)
        (link,) = re.findall("<a href='([^']*)'>", panel.remedy.text())
        with qtbot.waitSignal(signal) as caught:
            panel.remedy.linkActivated.emit(link)
        return list(caught.args or ())

    typo = Explanation(
        "No Python.",
        remedy="Type a call such as f(f32[8], x).",
        part="loss(",
        example="f(f32[8], x)",
    )
    assert click(CallError(typo), panel.typing_requested) == ["f(f32[8], x)"]
    none = "Type a call, or add a comment line such as # jaxscope: loss(f32[8])."
    said = Explanation("None.", remedy=none, example="loss(f32[8])")
    assert click(CallError(said), panel.typing_requested) == ["loss(f32[8])"]
    said = Explanation("`grad` of integers.", remedy="Pass floats.", part="i32[3]")
    assert click(TraceError(said), panel.part_requested) == []
    syntax = SourceError("Not Python.", where="a.py:3", remedy="Correct the marked place.")
    assert click(syntax, panel.place_requested) == ["a.py", 3]
    gone = UsageError("There is no source.", remedy="Open a Python file (Ctrl+O).")
    assert click(gone, panel.opening_requested) == []
    lost = WorkerLost("It was killed.", remedy="Run again: another process is started.")
    assert click(lost, panel.run_requested) == []


def test_a_long_call_of_a_remedy_is_cut_in_its_middle_and_whole_under_the_pointer(qtbot: QtBot):
    panel = ErrorPanel()
    qtbot.addWidget(panel)
    arguments = ", ".join(["f32[64, 128]"] * 9)
    calls = (f"grad(loss)({arguments})", f"grad(lambda x: sum({arguments}) + loss(x))({arguments})")
    said = Explanation("No.", remedy="Did you mean loss?", calls=calls, is_misspelt=True)
    panel.show_error(CallError(said))
    shown = re.findall("<code>(.*?)</code>", panel.remedy.text())
    assert len(shown) == 2
    for text, call in zip(shown, calls, strict=True):
        assert "loss" in text and " … " in text and len(text) < 80 < len(call)
        assert text.endswith(call[-16:]) and call.startswith(text[:16])
    panel.remedy.linkHovered.emit("call:1")
    assert panel.remedy.toolTip() == calls[1]
    with qtbot.waitSignal(panel.call_requested) as caught:
        panel.remedy.linkActivated.emit("call:1")
    assert caught.args == [calls[1]]


def test_long_calls_that_differ_in_their_middles_do_not_read_alike(qtbot: QtBot):
    panel = ErrorPanel()
    qtbot.addWidget(panel)
    call = (
        "train(init(key(0), (64, 128, 128, 10)), batch(images, labels), {}=0.9, weight_decay=0.1)"
    )
    calls = tuple(map(call.format, ("momentum_value", "momentum_vector", "moments_of_it")))
    remedy = f"Did you mean {calls[0]} or {calls[1]} or {calls[2]}?"
    said = Explanation("No.", remedy=remedy, calls=calls, is_misspelt=True)
    panel.show_error(CallError(said))
    shown = re.findall("<code>(.*?)</code>", panel.remedy.text())
    assert len(set(shown)) == 3 and all(len(text) <= 80 < len(calls[0]) for text in shown)
    for text, name in zip(
        shown, ("momentum_value", "momentum_vector", "moments_of_it"), strict=True
    ):
        assert name in text.replace("\N{ZERO WIDTH SPACE}", "")


def test_code_in_what_failed_is_set_as_code(qtbot: QtBot):
    panel = ErrorPanel()
    qtbot.addWidget(panel)
    said = Explanation("`grad` needs a <scalar>.", why="Not `f32[3]`.", where="model.py:5")
    panel.show_error(TraceError(said))
    assert "`" not in panel._what.text() + panel._why.text()
    assert "<code>grad</code> needs a &lt;scalar&gt;." in panel._what.text()
    panel.show_error(TraceError("a < b", why="x\n^\n", where="model.py:5"))
    assert panel._what.text() == "a < b"


def test_a_save_that_replaces_the_file_is_noticed_each_time(qtbot: QtBot, tmp_path: Path):
    path = tmp_path / "a.py"
    path.write_text("1")
    watcher = FileWatcher()
    watcher.watch(str(path))
    for text in ("22", "333"):
        with qtbot.waitSignal(watcher.file_changed, timeout=10_000):
            other = tmp_path / "a.py.new"
            other.write_text(text)
            other.replace(path)


def test_a_file_that_stays_away_is_noticed(qtbot: QtBot, tmp_path: Path):
    path = tmp_path / "a.py"
    path.write_text("1")
    watcher = FileWatcher()
    watcher.watch(str(path))
    with qtbot.waitSignal(watcher.file_changed, timeout=10_000):
        path.unlink()
    with qtbot.waitSignal(watcher.file_changed, timeout=10_000):
        path.write_text("1")


def test_a_file_that_is_imported_is_told_apart(qtbot: QtBot, tmp_path: Path):
    path, other = tmp_path / "a.py", tmp_path / "inner" / "b.py"
    other.parent.mkdir()
    for each in (path, other):
        each.write_text("1")
    watcher = FileWatcher()
    watcher.watch(str(path), [str(path), str(other)])
    for _ in range(2):
        with (
            qtbot.assertNotEmitted(watcher.file_changed),
            qtbot.waitSignal(watcher.other_changed, timeout=10_000),
        ):
            replaced = other.with_suffix(".new")
            replaced.write_text(other.read_text() + "2")
            replaced.replace(other)
        watcher.watch(str(path), [str(path), str(other)])
    with (
        qtbot.assertNotEmitted(watcher.other_changed),
        qtbot.waitSignal(watcher.file_changed, timeout=10_000),
    ):
        path.write_text("22")


def test_the_margin_tells_what_lines_cost(qtbot: QtBot):
    view = CodeView()
    qtbot.addWidget(view)
    view.resize(900, 200)
    view.set_lines(["a", "b", "c"], None)
    view.show()
    plain = view.grab().toImage()
    view.set_heat({1: LineCost(0.75, "75.0% of jaxpr: 3 FLOP, 12 B read and written")})
    hot = view.grab().toImage()
    assert hot != plain
    view.set_heat({1: LineCost(0.75, "75.0% of jaxpr: 3 FLOP", 0.002, 0.5)})
    timed = view.grab().toImage()
    assert timed != hot
    view.set_bare(is_bare=True)  # as while it is presented, without a header that explains it
    assert view.grab().toImage() == plain and not view.hot_lines()
    view.set_bare(is_bare=False)
    assert view.grab().toImage() == timed
    view.set_heat({1: LineCost(math.nan, "50.0% of the measured time", 0.002, 0.5)})
    assert view.grab().toImage() not in (timed, plain)
    view.set_heat({})
    assert view.grab().toImage() == plain


def test_a_badge_lies_on_no_number_and_each_line_that_works_has_a_figure(qtbot: QtBot) -> None:
    view = CodeView()
    qtbot.addWidget(view)
    view.resize(500, 200)
    view.set_lines(["a"] * 120, None)
    view.show()
    view.show_line(105, is_first=True)
    check = Check("unrolled-loop", Severity.WARNING, "It was unrolled.", "Use scan.")
    view.set_checks({105: (check,)})
    number = "106"
    begin = view._gutter_px() - 4 - view._fold_px() - view.fontMetrics().horizontalAdvance(number)
    assert begin > code_view._CHECK_PX
    printed = list[str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(code_view, "_paint_bar", lambda *rest: printed.append(str(rest[-1])))
        costs = (
            LineCost(0.75, "", quantity="FLOP"),
            LineCost(0.0, "", quantity="FLOP"),
            LineCost(math.nan, "FLOPs unknown", quantity="FLOP"),
            LineCost(math.nan, "of the measured time", 0.002, 0.5),
        )
        view.set_heat(dict(enumerate(costs, start=105)))
        view.grab()
    assert printed == ["75%", "0%", "?"]


@pytest.mark.parametrize("width", [200, 900])
def test_the_bar_of_a_share_stands_beside_its_figure(qtbot: QtBot, width: int) -> None:
    """As a line below the digits it looked like one below a misspelt word."""
    view = CodeView()
    qtbot.addWidget(view)
    view.resize(width, 200)
    view.set_lines(["a", "b", "c"], None)
    view.show()
    view.set_heat({n: LineCost(share, "") for n, share in enumerate((1.0, 0.5, 0.0))})
    image = view.viewport().grab().toImage()
    colour = QColor(view.theme.backward)
    begin = view._gutter_px() - view._heat_px() - 4
    heights = []
    for row in range(3):
        rows = range(row * view._line_px, (row + 1) * view._line_px)
        columns = {
            x: sum(image.pixelColor(x, y) == colour for y in rows)
            for x in range(begin, view._gutter_px())
        }
        filled = {x: num for x, num in columns.items() if num}
        heights.append(max(filled.values(), default=0))
        assert len(filled) <= 4 and min(filled, default=begin + 20) > begin + 10, (
            "no digit is above"
        )
    full, half, none = heights
    assert 0.7 * view._line_px < full < view._line_px
    assert half == pytest.approx(full / 2, abs=1) and none == 0


def test_on_a_narrow_page_shares_are_printed_and_take_no_more_room_than_that(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is above the column says that it tells shares: so they are there in every width."""
    view = CodeView()
    qtbot.addWidget(view)
    view.set_lines(["a = 1", "b = 2"], None)
    costs = {0: LineCost(0.75, "75.0% of jaxpr: 3 FLOP", 0.002, 0.5), 1: LineCost(0.25, "25%")}
    lefts, printed = {}, list[tuple[str, int]]()

    def note(_painter: object, _theme: object, area: QRect, *rest: object) -> None:
        printed.append((str(rest[-1]), area.width()))

    monkeypatch.setattr(code_view, "_paint_bar", note)
    for width in (150, 400, 900):
        view.resize(width, 200)
        view.show()
        (plain,) = view.spans_of_lines([0])
        view.set_heat(costs)
        (hot,) = view.spans_of_lines([0])
        lefts[width] = hot[0] - plain[0]
        printed.clear()
        view.grab()
        times = ["2.00 ms"] if width == 900 else []
        assert [text for text, _ in printed] == ["75%", *times, "25%"]
        metrics = view.fontMetrics()
        assert all(metrics.horizontalAdvance(text) + 4 <= wide for text, wide in printed)
        assert view.hint_of(0) == costs[0].text
        view.set_heat({})
    assert 0 < lefts[150] == lefts[400] < 5 * view._char_px < lefts[900]


def test_every_mark_of_the_margin_is_told_to_the_pointer_and_to_a_screen_reader(
    qtbot: QtBot,
) -> None:
    view = CodeView()
    qtbot.addWidget(view)
    view.set_lines(["def f():", "    a = 1", "    b = 2", "    c = 3"], None)
    view.resize(900, 200)
    view.show()
    check = Check("unrolled-loop", Severity.INFO, "It was unrolled.", "Use scan.")
    view.set_checks({1: (check,)})
    view.set_notes({2: "why?"})
    view.set_heat({3: LineCost(0.75, "75.0% of jaxpr")})
    for mark in Mark:
        view.set_marks({1: mark}, reveal=False)
        edge, text = QPoint(2, 1), QPoint(view.width() - 60, 1)
        name = _MARK_NAMES[mark]
        assert view._hint_at(edge, 1) == f"{name}\n\nIt was unrolled."
        assert view._hint_at(text, 1) == "It was unrolled."
        view.go_to_line(1)
        assert view.accessibleDescription() == f"line 2:     a = 1\n{name}\nIt was unrolled."
    for line, told in ((2, "why?"), (3, "75.0% of jaxpr")):
        view.go_to_line(line)
        assert view._hint_at(QPoint(2, 1), line) == told
        assert view.accessibleDescription().endswith(f"\n{told}")
    fold = next(x for x in range(100) if view._is_fold_at(QPoint(x, 1), 0))
    before = view._hint_at(QPoint(fold, 1), 0)
    view.toggle_fold(0)
    assert before and view._hint_at(QPoint(fold, 1), 0) not in ("", before)


def test_what_is_linked_is_counted_in_the_words_of_its_stage() -> None:
    """As the stage and its groups are: arguments do not count where there are operations."""
    kinds = {
        "jaxpr": (NodeKind.INPUT, NodeKind.INPUT, NodeKind.OUTPUT),
        "stablehlo": (NodeKind.INPUT, NodeKind.OPERATION, NodeKind.OPERATION),
        "optimized": (NodeKind.INSTRUCTION,) * 5,
    }
    stages = []
    for name, each in kinds.items():
        builder = GraphBuilder()
        for number, kind in enumerate(each):
            builder.add_node(str(number), kind, "add")
        stages.append(Stage(name, name, Unavailable("None."), builder.build(), Cost(), 0.0))
    two, three = np.arange(2, dtype=np.int32), np.arange(2, 5, dtype=np.int32)
    none = np.zeros(0, np.int32)
    linked = {
        "jaxpr": Linked(none, two, none),
        "stablehlo": Linked(none, np.arange(3, dtype=np.int32), none),
        "optimized": Linked(two, three, none),
    }
    told = describe_group("attention", "2 instructions", Links(linked, (), True), stages, "#777777")
    assert "jaxpr: <a href='node:jaxpr:0'>2 arguments</a>" in told
    assert "StableHLO: <a href='node:stablehlo:0'>2 operations</a>" in told
    assert "optimized: <a href='node:optimized:2'>3 other instructions</a>" in told
    both = Links({"optimized": Linked(none, two, three)}, (), True)
    told = describe_group("attention", "2 instructions", both, stages, "#777777")
    assert ">2 instructions forward, 3 backward</a>" in told
    back = Links({"optimized": Linked(none, none, three)}, (), True)
    assert ">3 instructions backward</a>" in describe_group("a", "1", back, stages, "#777777")
    places = (("b.py", 9), ("a.py", 2), ("b.py", 3), *(("a.py", line) for line in range(8, 3, -1)))
    told = describe_group("a", "1", Links({}, places, True), stages, "#777777")
    assert re.findall(r">(\w\.py:\d)<", told) == [
        *("b.py:3", "b.py:9", "a.py:2", "a.py:4", "a.py:5", "a.py:6")
    ]
    assert "a.py:6</a><br>…" in told
    assert "node" not in told.replace("'node:", "")


def test_an_argument_is_called_as_on_its_box() -> None:
    builder = GraphBuilder()
    carry = builder.add_node(
        "k", NodeKind.INPUT, "input", name="k", types=["f32[]"],
        attributes={"argument_name": "state"},
    )  # fmt: skip
    total = builder.add_node("0", NodeKind.EQUATION, "add", types=["f32[]"])
    builder.add_edge(carry, total)
    stage = Stage("jaxpr", "jaxpr", Unavailable("None."), builder.build(), Cost(), 0.0)
    told = describe_node(stage, carry, NO_LINKS, "#777777")
    assert told.startswith("<h3>state</h3><p>argument <b>k</b>")
    assert "state (argument)" in describe_node(stage, total, NO_LINKS, "#777777")


def test_the_inspector_and_the_pointer_explain_axes_of_a_mesh_behind_types() -> None:
    builder = GraphBuilder()
    types = ["f32[8]{V:devices}", "f32[]{V:devices}"]
    node = builder.add_node("0", NodeKind.EQUATION, "f", types=types)
    graph = builder.build()
    stage = Stage("jaxpr", "jaxpr", Unavailable("None."), graph, Cost(), 0.0)
    view = build_view(graph)
    said = "V:devices: varies over devices of the mesh, devices along it may hold other values."
    for told in (
        describe_node(stage, node, NO_LINKS, "#777777"),
        describe_item(view, build_scene(view), 0),
    ):
        assert told.count(said) == 1, told


def test_the_inspector_says_how_a_copy_and_a_transpose_change_the_order_in_memory() -> None:
    builder, name = GraphBuilder(), NodeKind.INSTRUCTION
    for id, operation, attributes in (
        ("p", "parameter", {"layout": "{1,0}"}),
        ("turned", "copy", {"layout": "{0,1}"}),
        ("kept", "copy", {"layout": "{1,0}"}),
        ("view", "transpose", {"layout": "{0,1}", "dimensions": "{1,0}"}),
    ):
        node = builder.add_node(id, name, operation, types=["f32[3,3]"], attributes=attributes)
        if node:
            builder.add_edge(0, node)
    stage = Stage("optimized", "optimized", Unavailable("None."), builder.build(), Cost(), 0.0)
    turned, kept, view = (
        re.sub("<[^>]*>|\u200b", "", describe_node(stage, n, NO_LINKS, "#777777"))
        for n in (1, 2, 3)
    )
    assert "from layout {1,0} to {0,1}" in turned and "as it is" in kept
    assert "of the same memory" in view


def test_the_inspector_says_which_results_of_a_node_are_taken() -> None:
    builder = GraphBuilder()
    scan = builder.add_node(
        "0", NodeKind.EQUATION, "scan", name="c, d, e", types=["f32[]", "f32[5]", "f32[5]"]
    )
    loop = builder.add_node("1", NodeKind.OPERATION, "stablehlo.while", types=["f32[]", "f32[5]"])
    taking = {"one": [(scan, 1)], "two": [(scan, 2), (scan, 0)], "nameless": [(loop, 1)]}
    taking["all"] = [(scan, 0), (scan, 1), (scan, 2)]
    for name, values in taking.items():
        node = builder.add_node(name, NodeKind.EQUATION, "f", name=name, types=["f32[]"])
        for operand, (source, result) in enumerate(values):
            builder.add_edge(source, node, output=result, operand=operand)
    stage = Stage("jaxpr", "jaxpr", Unavailable("None."), builder.build(), Cost(), 0.0)
    told = [
        re.sub("<[^>]*>|\u200b", "", describe_node(stage, node, NO_LINKS, "#777777"))
        for node in range(2, 6)
    ]
    assert "takesd (of c, d, e (scan))" in told[0]
    assert "takesc, e (of c, d, e (scan))" in told[1]
    assert "takesresult 2 of 2 (of 1 (stablehlo.while))" in told[2]
    assert "takesc, d, e (scan)" in told[3]
    assert equation_text(stage, 2) == "one:f32[] = f d"


def test_that_pictures_change_at_once_is_remembered(window: MainWindow, tmp_path: Path) -> None:
    action = window.commands.actions["set_animated"]
    assert action.isChecked()
    assert not window.property(STILL)
    window.set_animated(False)
    assert window.property(STILL)
    assert not Settings(str(tmp_path / "window.json")).is_animated


def test_the_inspector_tells_orders_of_derivatives_apart():
    builder = GraphBuilder()
    for orders in ("forward of backward", "forward of backward of forward", "backward of backward"):
        builder.add_node(
            orders,
            NodeKind.EQUATION,
            "mul",
            direction=Direction.BACKWARD,
            attributes={"differentiation": orders},
        )
    stage = Stage("grad", "grad", Unavailable("None."), builder.build(), Cost(), 0.0)
    once, mixed, twice = (describe_node(stage, n, NO_LINKS, "#777777") for n in range(3))
    assert "backward pass · first derivative<" in once
    assert "backward pass · backward of forward · second derivative<" in mixed
    assert "backward pass · backward of backward · second derivative<" in twice
