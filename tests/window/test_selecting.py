"""What is selected: several things together, what is looked at ahead, what is put away."""

from __future__ import annotations

import dataclasses
import itertools
import runpy
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from pytestqt.qtbot import QtBot

from jaxscope.client.requests import CaptureRequest
from jaxscope.in_process import capture_function
from jaxscope.model import NONE, Capture, Stage
from jaxscope.program.links import LineSelection, LinkIndex, Links, NodeSelection, SeveralSelection
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.panes.pane_header import SOURCE
from jaxscope.ui.selection import selection
from jaxscope.ui.selection.selection import SelectionModel
from jaxscope.ui.toolkit.widgets import SOFT_BREAK
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import FILE, GRAD, JAXPR, OPTIMIZED, build_capture


def index_of(program: str, name: str) -> int:
    return [line.split()[1] for line in program.strip().splitlines()].index(name)


SIN, MUL = index_of(JAXPR, "0"), index_of(JAXPR, "1")


def model() -> SelectionModel:
    selection = SelectionModel()
    selection.set_stages(build_capture().stages)
    return selection


def test_links_of_several_things_are_the_union_of_theirs(qtbot: QtBot):
    selection = model()
    selection.select_node("jaxpr", SIN)
    one = selection.links.stages["grad"]
    selection.select_nodes("jaxpr", (MUL,), adds=True)
    both = selection.links.stages["grad"]
    assert selection.selection == NodeSelection("jaxpr", (SIN, MUL))
    assert set(both.backward) > set(one.backward)
    assert set(selection.links.stages["jaxpr"].selected) == {SIN, MUL}


def test_things_of_several_stages_and_the_source_are_selected_together(qtbot: QtBot):
    selection = model()
    selection.select_line(FILE, 6)
    selection.select_nodes("optimized", (index_of(OPTIMIZED, "cosine"),), adds=True)
    assert isinstance(selection.selection, SeveralSelection)
    assert set(selection.links.stages["jaxpr"].forward) == {SIN, MUL}
    assert (FILE, 6) in selection.links.lines and (FILE, 5) in selection.links.lines
    marked = selection.links.stages["optimized"]
    assert list(marked.selected) == [index_of(OPTIMIZED, "cosine")]
    assert not set(marked.selected) & set(marked.forward)


def test_adding_what_is_selected_lets_it_go(qtbot: QtBot):
    selection = model()
    selection.select_nodes("jaxpr", (SIN, MUL))
    selection.select_nodes("jaxpr", (SIN,), adds=True)
    assert selection.selection == NodeSelection("jaxpr", (MUL,))
    selection.select_nodes("jaxpr", (MUL,), adds=True)
    assert selection.selection is None and not selection.links.stages


def test_going_back_selects_all_that_was_selected(qtbot: QtBot):
    selection = model()
    selection.select_nodes("jaxpr", (SIN, MUL))
    selection.select_node("grad", index_of(GRAD, "2"))
    assert selection.go_back()
    assert selection.selection == NodeSelection("jaxpr", (SIN, MUL))
    assert selection.go_forward()
    assert selection.selection == NodeSelection("grad", (index_of(GRAD, "2"),))


def test_looking_ahead_selects_nothing(qtbot: QtBot):
    selection = model()
    selection.select_node("jaxpr", MUL)
    with qtbot.waitSignal(selection.previewed) as seen:
        selection.preview_node("jaxpr", MUL)
        selection.preview_node("jaxpr", SIN)
    assert list(seen.args[0].stages["grad"].backward) == [index_of(GRAD, "2")]
    assert selection.selection == NodeSelection("jaxpr", (MUL,))
    with qtbot.waitSignal(selection.previewed) as seen:
        selection.preview_node("jaxpr", -1)
    assert not seen.args[0].stages


def test_pairs_tell_which_node_belongs_to_which():
    index = LinkIndex(build_capture().stages)
    nodes = np.asarray([SIN, MUL], np.int32)
    others = np.arange(5, dtype=np.int32)
    assert index.find_pairs("jaxpr", nodes, "grad", others).tolist() == [
        [SIN, index_of(GRAD, "0")],
        [SIN, index_of(GRAD, "2")],
        [MUL, index_of(GRAD, "1")],
    ]
    assert not len(index.find_pairs("jaxpr", nodes, "no such stage", others))
    assert index.find_pairs("grad", nodes, "grad", others).tolist() == [[SIN, SIN], [MUL, MUL]]


def test_pairs_of_a_fusion_are_those_of_its_inside():
    index = LinkIndex(build_capture().stages)
    fusion = index_of(OPTIMIZED, "fusion")
    pairs = index.find_pairs(
        "jaxpr", np.asarray([SIN], np.int32), "optimized", np.asarray([fusion], np.int32)
    )
    assert pairs.tolist() == [[SIN, fusion]]


def test_lines_pair_with_nodes_through_their_equations():
    index = LinkIndex(build_capture().stages)
    lines = np.asarray([5, 6], np.int32)
    nodes = np.arange(5, dtype=np.int32)
    assert index.find_line_pairs(FILE, lines, "jaxpr", nodes).tolist() == [[5, SIN], [6, MUL]]
    assert index.find_line_pairs(FILE, lines, "grad", nodes).tolist() == [
        [5, index_of(GRAD, "0")],
        [5, index_of(GRAD, "2")],
        [6, index_of(GRAD, "1")],
    ]
    assert not len(index.find_line_pairs("elsewhere.py", lines, "grad", nodes))


def test_a_line_and_a_node_are_told_apart():
    several = SeveralSelection((LineSelection(FILE, 5), NodeSelection("grad", (1,))))
    links = LinkIndex(build_capture().stages).find_links(several)
    assert list(links.stages["grad"].selected) == [1]


def test_what_is_put_away_looks_selected_nowhere(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), build_capture())
    pane = window.workspace.area.panes[1]
    driver.wait_until(lambda: pane.canvas is not None and pane.canvas.scene is not None)
    window.workspace.selection.select_node("grad", 1)
    pane.canvas.select_node(1)
    assert pane.canvas.highlight.current >= 0
    window.stop_run()
    assert pane.canvas.highlight.current < 0
    assert not len(pane.canvas.highlight.selected)
    assert window.workspace.selection.selection is None


def test_a_selection_outlives_a_new_run(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), build_capture())
    window.workspace.selection.select_node("jaxpr", 2)
    window.run_call()
    longer = {"jaxpr": "in w w\n" + JAXPR.strip(), "grad": GRAD, "optimized": OPTIMIZED}
    driver.finish(driver.wait_for(CaptureRequest, 2), build_capture(longer))
    assert window.workspace.selection.selection.nodes == (3,)


OTHER = """
in x x
eqn 0 sin <x line=5
eqn 1 exp <0 line=6
eqn 2 mul <1 line=7
out out0 out <2
"""


@pytest.mark.parametrize("of", [("other.py", "f", ()), ("file.py", "g", ())])
def test_nothing_that_nobody_chose_is_selected_in_a_program_of_something_else(
    of: tuple[str, str, tuple[str, ...]],
) -> None:
    selection = SelectionModel()
    mine = ("file.py", "f", ())
    selection.set_stages(build_capture({"jaxpr": JAXPR, "optimized": OPTIMIZED}).stages, mine)
    selection.select_node("jaxpr", SIN)
    selection.select_node("optimized", 1)
    selection.select_node("jaxpr", MUL)
    selection.set_stages(build_capture({"jaxpr": OTHER, "optimized": OPTIMIZED}).stages, of)
    assert selection.selection is None and selection.place is None
    assert selection.go_back() and selection.place == ("optimized", "fusion"), "of the same text"
    assert not selection.go_back(), "its equations are others"


def test_a_changed_version_of_the_same_program_keeps_what_is_selected() -> None:
    selection, mine = SelectionModel(), ("file.py", "f", ())
    selection.set_stages(build_capture({"jaxpr": JAXPR}).stages, mine)
    selection.select_node("jaxpr", MUL)
    selection.set_stages(build_capture({"jaxpr": OTHER}).stages, mine)
    assert selection.place == ("jaxpr", "2")  # the multiplication, by now the third


def test_back_in_another_call_or_file_selects_nothing_of_the_one_before(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    selection = window.workspace.selection
    selection.select_node("jaxpr", SIN)
    selection.select_line(str(source), 5)
    selection.select_node("jaxpr", MUL)
    window.run_call()
    other = dataclasses.replace(build_capture({"jaxpr": OTHER}), call="g(x)", base="g")
    driver.finish(driver.wait_for(CaptureRequest, 2), other)
    assert selection.place is None
    assert selection.go_back() and selection.place == LineSelection(str(source), 5)
    assert not selection.go_back()
    selection.select_node("jaxpr", 1)
    further = tmp_path / "further.py"
    further.write_text(source.read_text())
    window.open_path(str(further))
    driver.wait_until(lambda: window.controller.state.file == str(further))
    assert not selection.go_back(), "not even a line: it is of a file that is not shown"


def group_capture() -> Capture:
    """Two layers that share a jitted function, whose body is drawn in the first."""

    @jax.jit
    def shared(x: jax.Array) -> jax.Array:
        return jnp.tanh(x) * 2

    def program(x: jax.Array) -> jax.Array:
        for number in range(2):
            with jax.named_scope(f"layer_{number}"):
                x = shared(jnp.sin(x) + number) * 3 - 1
        return x

    return capture_function(program, (jnp.ones((4,)),), {})


def titles(canvas: GraphCanvas, items: Iterable[int]) -> list[str]:
    view, scene = canvas.view, canvas.scene
    assert view is not None and scene is not None
    return [view.boxes[int(scene.items.box[item])].label for item in items]


def group_item(canvas: GraphCanvas, label: str) -> int:
    assert canvas.scene is not None
    return titles(canvas, range(len(canvas.scene.items))).index(label)


def test_an_opened_group_is_selected_as_a_whole_and_framed_alone(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), group_capture())
    canvas = window.workspace.area.panes[1].canvas
    driver.wait_until(lambda: canvas is not None and canvas.scene is not None)
    canvas.collapse_all()
    driver.wait_until(lambda: canvas.scene.items.num_frames == 0)
    canvas._select_item(group_item(canvas, "layer_1"), reveal=False)
    assert titles(canvas, canvas.highlight.selected) == ["layer_1"]
    assert not titles(canvas, canvas.highlight.forward)  # what is shared is drawn in layer_0
    canvas.toggle_group(canvas.scene.items.ids[group_item(canvas, "layer_1")])
    driver.wait_until(lambda: canvas.scene.items.num_frames == 1)
    # Other pictures number their items anew.
    assert titles(canvas, [canvas.highlight.current]) == ["layer_1"]
    window.workspace.selection.clear()
    canvas._select_item(group_item(canvas, "layer_1"), reveal=False)
    assert titles(canvas, canvas.highlight.selected) == ["layer_1"]
    told = window.workspace.inspector.page.toPlainText()
    assert "layer_1" in told and "holds" in told
    assert "1 shared call, whose equations count where the function is called first" in told


@pytest.mark.parametrize("is_moved", [False, True], ids=["opened", "moved"])
def test_a_picture_is_as_it_was_left_when_its_stage_is_shown_again(
    driver: Driver, window: MainWindow, source: Path, is_moved: bool
) -> None:
    driver.finish(driver.open(source), group_capture())
    workspace = window.workspace
    workspace.area.activate(workspace.area.panes[1])
    workspace.show_stage("jaxpr")
    canvas = workspace.area.panes[1].canvas
    driver.wait_until(lambda: canvas is not None and canvas.scene is not None)
    canvas.collapse_all()
    driver.wait_until(lambda: canvas.scene.items.num_frames == 0)
    canvas.toggle_group(canvas.scene.items.ids[group_item(canvas, "layer_0")])
    driver.wait_until(lambda: canvas.scene.items.num_frames == 1)
    if is_moved:
        canvas.zoom(1.5)
        canvas.pan(40.0, 25.0)
    opened, before, fitted = canvas.expanded, canvas.camera, canvas._is_fitted
    graph = canvas.view.graph
    workspace.show_stage("stablehlo")
    driver.wait_until(lambda: canvas.view is not None and canvas.view.graph is not graph)
    canvas.zoom(0.7)
    workspace.show_stage("jaxpr")
    driver.wait_until(lambda: canvas.view is not None and canvas.view.graph is graph)
    assert (canvas.expanded, canvas._is_fitted) == (opened, fitted)
    camera = canvas.camera
    assert (camera.x, camera.y, camera.scale) == pytest.approx((before.x, before.y, before.scale))


def test_what_has_only_the_keyboard_does_not_look_selected(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), group_capture())
    canvas = window.workspace.area.panes[1].canvas
    driver.wait_until(lambda: canvas is not None and canvas.scene is not None)
    canvas._select_item(0, reveal=False)
    assert canvas.highlight.current == 0
    window.workspace.selection.select_line("/elsewhere.py", 1)
    assert canvas.highlight.current < 0 and not len(canvas.highlight.selected)


@pytest.mark.parametrize("change", ["opened", "selected", "stage"])
def test_nothing_stays_marked_once_the_pointer_has_left_a_box(
    driver: Driver, window: MainWindow, source: Path, change: str
) -> None:
    driver.finish(driver.open(source), build_capture())
    workspace = window.workspace
    pane = workspace.area.panes[1]
    workspace.area.activate(pane)
    driver.wait_until(lambda: pane.canvas is not None and pane.canvas.scene is not None)
    told: list[Links] = []
    workspace.selection.previewed.connect(told.append)
    canvas = pane.canvas
    nodes = [node for node, item in enumerate(canvas.scene.item_of_node.tolist()) if item >= 0]
    canvas.hover(int(canvas.scene.item_of_node[nodes[0]]))
    driver.wait_until(lambda: bool(told) and bool(told[-1].stages))
    if change == "opened":
        canvas.show_scene(canvas._drawing.index, None)  # as when a group was opened
    elif change == "selected":
        workspace.selection.select_node(pane.wanted_stage, nodes[-1])
    else:
        workspace.show_stage("optimized")
    canvas.leaveEvent(QEvent(QEvent.Type.Leave))
    driver.wait_until(lambda: not told[-1].stages)


def test_what_was_looked_at_ahead_ends_with_its_graph(qtbot: QtBot):
    selection = model()
    told: list[Links] = []
    selection.previewed.connect(told.append)
    selection.preview_node("jaxpr", SIN)
    qtbot.waitUntil(lambda: bool(told))
    assert told[-1].stages
    selection.set_stages(build_capture({"jaxpr": GRAD}).stages)
    assert not told[-1].stages


def test_a_box_of_arguments_holds_what_stands_on_it(
    driver: Driver, window: MainWindow, source: Path
):
    ins = "\n".join(f"in params.{name} x" for name in "abc")
    program = f"{ins}\neqn 0 add <params.a,params.b,params.c\nout out0 out <0"
    driver.finish(driver.open(source), build_capture({"jaxpr": program}))
    canvas = window.workspace.area.panes[1].canvas
    driver.wait_until(lambda: canvas is not None and canvas.scene is not None)
    item = group_item(canvas, "params")
    canvas._select_item(item, reveal=False)
    told = " ".join(window.workspace.inspector.page.toPlainText().split())
    assert "holds 3 arrays" in told, "not the equations in it, of which there are none"


def test_a_click_on_nothing_puts_the_selection_away(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), build_capture())
    pane = window.workspace.area.panes[1]
    driver.wait_until(lambda: pane.canvas is not None and pane.canvas.scene is not None)
    assert isinstance(pane.canvas, GraphCanvas)
    selection = window.workspace.selection
    selection.select_node("grad", 1)
    ground = QPointF(1.0, 1.0)
    assert pane.canvas.item_at(ground) == NONE
    pane.canvas.click(ground)
    assert selection.selection is None


def test_the_line_of_an_equation_comes_into_sight_where_its_caller_is_already(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    cell = "from jax import lax\n\n\ndef cell(x):\n    return lax.tanh(x)\n"
    source.write_text(cell + "\n" * 100 + "def f(x):\n    return cell(x) + 1\n" + "\n" * 100)
    function = runpy.run_path(str(source))["f"]
    capture = capture_function(function, (jnp.ones((3,)),), {})
    driver.finish(driver.open(source), capture)
    jaxpr = window.workspace.selection.graph_of("jaxpr")
    assert jaxpr is not None
    code = next(p.code for p in window.workspace.area.panes if p.wanted_stage == SOURCE)
    caller, own = code.lines.index("    return cell(x) + 1"), 4
    assert not code._is_any_in_sight((own,))
    tanh = next(n for n in range(len(jaxpr.nodes)) if jaxpr.node(n).operation == "tanh")
    code.show_line(caller)
    window.workspace.selection.select_node("jaxpr", tanh)
    assert {own, caller} <= set(code.marks) and code._is_any_in_sight((own,))


def test_the_boxes_of_a_line_come_into_sight_whole_and_the_picture_stays_as_large(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    source.write_text("import jax.numpy as jnp\n\n\ndef f(x):\n    return jnp.cos(jnp.sin(x))\n")
    function = runpy.run_path(str(source))["f"]
    driver.finish(driver.open(source), capture_function(function, (jnp.ones((3,)),), {}))
    canvas = window.workspace.area.panes[1].canvas
    driver.wait_until(lambda: canvas is not None and canvas.scene is not None)
    assert isinstance(canvas, GraphCanvas) and canvas.scene is not None
    selection, scene = window.workspace.selection, canvas.scene
    graph = selection.graph_of("jaxpr")
    assert graph is not None
    boxes = [scene.item_of_node[n] for n in range(len(graph.nodes))
             if graph.operation(n) in ("sin", "cos")]  # fmt: skip
    assert len(boxes) == 2

    def seen() -> list[bool]:
        rects = scene.items.rect[boxes].tolist()
        corners = [(canvas.camera.to_widget(x, y), canvas.camera.to_widget(x + wide, y + high))
                   for x, y, wide, high in rects]  # fmt: skip
        size = canvas.width(), canvas.height()
        return [min(*low) >= 0 and high[0] <= size[0] and high[1] <= size[1]
                for low, high in corners]  # fmt: skip

    left, top = canvas.camera.to_widget(*scene.items.rect[boxes[1], :2])
    canvas.pan(left, top + 20)  # a strip of the lower one is in sight
    assert seen() == [False, False]
    strip = canvas.camera
    selection.select_line(str(source), 5)
    assert seen() == [True, True] and canvas.camera.scale == strip.scale
    canvas._look(strip)
    window.workspace.area.show_links(selection.links, reveal=True)
    assert canvas.camera == strip, "a person who looks elsewhere is left alone"


def test_what_answers_the_first_selection_is_made_on_a_thread(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = list[threading.Thread]()

    class Noted(LinkIndex):
        def __init__(self, stages: Sequence[Stage]) -> None:
            threads.append(threading.current_thread())
            super().__init__(stages)

    monkeypatch.setattr(selection, "LinkIndex", Noted)
    model = SelectionModel()
    model.set_stages(build_capture().stages)
    model.prepare()
    qtbot.waitUntil(lambda: model._index is not None)
    model.select_node("jaxpr", SIN)
    assert model.links.stages["grad"].num_nodes > 0
    assert len(threads) == 1 and threads[0] is not threading.main_thread()


def test_what_was_made_for_other_stages_answers_nothing(qtbot: QtBot) -> None:
    model, stages = SelectionModel(), build_capture().stages
    model.set_stages(stages)
    model.prepare()
    with qtbot.waitSignal(model._job.finished):
        model.set_stages(stages[:2])
    assert model._index is None


@pytest.mark.slow
def test_a_click_on_a_line_or_its_label_lights_the_line_alone(driver: Driver, source: Path) -> None:
    """Between the groups and in them, whatever was selected before; `Esc` puts it out."""
    function = jax.grad(lambda x: jnp.sum(jnp.tanh(jnp.sin(x) @ x)))
    driver.finish(driver.open(source), capture_function(function, (jnp.ones((4, 4)),), {}))
    window = driver.window
    canvas = window.workspace.area.canvas_of("jaxpr")
    assert canvas is not None
    driver.wait_until(lambda: canvas.scene is not None and not canvas.is_busy)
    window.workspace.selection.select_node("jaxpr", 0)  # it is in sight from now on
    driver.qtbot.wait(300)
    canvas.expand_all()
    driver.wait_until(lambda: canvas.is_sharp and not canvas.is_busy)
    canvas.fit()
    scene, drawing = canvas.scene, canvas._drawing
    assert scene is not None and drawing is not None
    told: set[tuple[bool, bool]] = set()
    labels = [
        canvas.camera.to_widget(label.x + label.width / 2, label.y + 3.0)
        for label in drawing.index.labels.all()
    ]
    grid = itertools.product(range(3, canvas.width(), 23), range(3, canvas.height(), 23))
    for x, y in (*labels, *grid):
        place = QPointF(int(x), int(y))
        if canvas._line_meant(place) == NONE:
            continue
        window.workspace.selection.select_node("jaxpr", 0)
        line, item = canvas._line_meant(place), canvas.item_at(place)
        if line == NONE:
            continue  # the picture moved
        driver.qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place.toPoint())
        driver.qtbot.wait(1)
        way = canvas.highlight.current_way
        assert line in {*way.into, *way.out}
        assert not window.workspace.selection.places and not len(canvas.highlight.selected)
        told.add((bool(scene.lines.is_residual[line]), item >= 0))
        window.stop_run()
        assert not len(canvas.highlight.current_way.out)
    assert told >= {(True, False), (False, False), (False, True)}


def test_a_line_that_is_lit_is_told_below_the_source(
    window: MainWindow, driver: Driver, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    pane = next(p for p in window.workspace.area.panes if p.canvas is not None)
    canvas, page = pane.canvas, window.workspace.inspector.page
    assert canvas is not None
    driver.wait_until(lambda: canvas.scene is not None and not canvas.is_busy)
    canvas._set_current_line(0)
    assert canvas.scene is not None
    assert canvas.scene.lines.types[0] in page.toPlainText().replace(SOFT_BREAK, "")
    canvas.select_node(NONE)
    assert "→" not in page.toPlainText()
