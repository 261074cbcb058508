"""A module that was opened is drawn before what it costs is known; costs come behind it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from canvas.screen import long_program
from jaxscope.client.collectors import OpenCollector
from jaxscope.client.dump_folders import find_dumps
from jaxscope.client.events import Event, Failed, HeadArrived, StageArrived
from jaxscope.client.requests import OpenRequest, request_fields
from jaxscope.errors import Stopped
from jaxscope.model import Capture, Graph, is_available
from jaxscope.model.graph_builder import add_attributes
from jaxscope.picture.tint.classes import ColourBy
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import draws_as
from jaxscope.program.name_links import BY_LINE, LINK
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.panes.outline import OutlineView
from jaxscope.ui.session.state import Phase, WindowState, apply_event
from jaxscope.wire.messages import Message
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.stages import dump_reader
from opening.conftest import Left
from view.programs import layers, trace


class Kept(Channel):
    """Keeps what a worker says."""

    def __init__(self) -> None:
        super().__init__(-1)
        self.said: list[Message] = []

    def send(
        self, type: str, fields: Mapping[str, Any], arrays: Mapping[str, Any] | None = None
    ) -> None:
        self.said.append(Message(type, {"run": "", **fields}, dict(arrays or {})))


def read(left: Left, **options: bool) -> list[Message]:
    """What a worker says of the dump of the job."""
    (module,) = (each for each in find_dumps([str(left.both)]).modules if each.name == "jit_step")
    channel = Kept()
    dump_reader.handle_open(request_fields(OpenRequest.of(module, **options)), channel)
    return channel.said


@pytest.fixture(scope="module")
def said(left: Left) -> list[Message]:
    return read(left)


def place(said: list[Message], type: str, name: str) -> int:
    (found,) = (
        at
        for at, message in enumerate(said)
        if message.type == type and message.fields["name"] == name
    )
    return found


def test_work_of_a_large_module_is_counted_when_its_picture_may_be_there(
    left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(dump_reader.time, "sleep", waited.append)
    read(left, is_drawn=True)
    assert not waited  # few take long
    monkeypatch.setattr(dump_reader, "_LARGE", 0)
    read(left)
    assert not waited  # nobody looks
    counted: list[list[float]] = []
    monkeypatch.setattr(
        dump_reader, "instruction_costs", lambda *_, **__: counted.append([*waited])
    )
    said = read(left, is_drawn=True)
    assert len(waited) == 1 and 0 < waited[0] < 0.1 and counted[0] == waited
    assert place(said, "stage", "optimized") < len(said)


def feed(collector: OpenCollector, said: list[Message]) -> Iterator[Event]:
    for message in said:  # what a collector reads it takes out of the message
        yield from collector.feed(dataclasses.replace(message, arrays=dict(message.arrays)))


def graph_of(capture: Capture | None, name: str) -> Graph:
    assert capture is not None
    stage = capture.stage(name)
    assert stage is not None and is_available(stage.graph)
    return stage.graph


def test_the_graph_comes_before_its_costs_and_costs_before_texts(said: list[Message]) -> None:
    for name in ("hlo", "optimized"):
        assert "instruction_cost" not in said[place(said, "stage", name)].arrays
        assert np.isnan(said[place(said, "stage", name)].fields["cost"]).all()
    last_stage = max(place(said, "stage", name) for name in ("stablehlo", "hlo", "optimized"))
    costs = [place(said, "cost", name) for name in ("hlo", "optimized")]
    assert last_stage < min(costs) < max(costs) < place(said, "text", "optimized")


def test_costs_are_xlas_and_change_nothing_that_is_drawn(said: list[Message]) -> None:
    collector, seen = OpenCollector(""), list[StageArrived]()
    for event in feed(collector, said):
        if isinstance(event, StageArrived) and event.stage.name == "optimized":
            seen.append(event)
    first, costed = (event.stage for event in seen)
    assert is_available(first.graph) and is_available(costed.graph)
    assert np.isnan(first.graph.nodes.cost).all() and not first.cost.is_known
    view = build_view(first.graph)
    again = view.with_graph(costed.graph)
    assert again is not None and again.graph is costed.graph and again.boxes is view.boxes
    module = compat.parse_hlo_module(
        said[place(said, "stage", "optimized")].arrays["proto"].tobytes()
    )
    told = compat.hlo_cost_properties(compat.cpu_client(), module)
    assert costed.cost.flops == told["flops"]
    nodes = costed.graph.nodes
    # XLA counts inside of what is called, too: the entry computation adds up to the module.
    assert np.nansum(nodes.cost[nodes.group == -1, 0]) == pytest.approx(told["flops"])
    assert graph_of(collector.result(), "optimized").nodes.cost is nodes.cost


def test_a_module_is_parsed_once_for_its_costs_and_its_text(
    left: Left, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse, parsed = compat.parse_hlo_module, list[int]()

    def counted(serialized: bytes) -> Any:
        parsed.append(len(serialized))
        return parse(serialized)

    monkeypatch.setattr(compat, "parse_hlo_module", counted)
    sizes = [m.arrays["proto"].size for m in read(left) if m.fields.get("form") == "hlo"]
    assert [parsed.count(size) for size in sizes] == [1, 1]


def test_bytes_that_were_read_are_let_go(said: list[Message]) -> None:
    collector = OpenCollector("")
    for message in said:
        taken = dataclasses.replace(message, arrays=dict(message.arrays))
        list(collector.feed(taken))
        if message.type in ("stage", "text") and message.fields["name"] == "optimized":
            assert message.arrays and not taken.arrays


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["instruction_costs", "module_cost"])
def test_costs_that_fail_take_nothing_away(
    left: Left, said: list[Message], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("XLA gave up")

    monkeypatch.setattr(dump_reader, name, fail)
    poor = read(left)
    expected = [m.type for m in said if m.type not in ("cost", "progress")]
    assert [m.type for m in poor if m.type != "progress"] == expected
    collector = OpenCollector("")
    list(feed(collector, poor))
    stage = collector.result().stage("optimized")
    assert stage is not None and is_available(stage.graph) and is_available(stage.text)
    assert not stage.cost.is_known and np.isnan(stage.graph.nodes.cost).all()


@pytest.mark.parametrize("name", ["none", "machine"])
def test_costs_of_what_has_no_graph_are_passed_over(said: list[Message], name: str) -> None:
    collector = OpenCollector("")
    list(feed(collector, said[: place(said, "cost", "hlo")]))
    message = said[place(said, "cost", "hlo")]
    stray = dataclasses.replace(message, fields={**message.fields, "name": name})
    list(feed(collector, [stray]))
    assert np.isnan(graph_of(collector.partial(), "hlo").nodes.cost).all()


def test_stopped_before_the_costs_the_picture_stays(said: list[Message]) -> None:
    collector, state = OpenCollector(""), WindowState(file="dump", is_view_only=True)
    state = dataclasses.replace(state, phase=Phase.RUNNING)
    for event in feed(collector, said[: place(said, "cost", "hlo")]):
        state, _ = apply_event(state, event)
    drawn = {stage.name: stage.graph for stage in state.stages}
    state, _ = apply_event(state, Failed(Stopped("Stopped."), collector.partial()))
    assert state.phase is Phase.STOPPED and state.error is None
    assert {"stablehlo", "hlo", "optimized"} <= drawn.keys()
    for stage in state.stages:
        if is_available(stage.graph):
            before = drawn[stage.name]
            assert isinstance(before, Graph) and draws_as(stage.graph, before)


def test_a_stage_that_came_again_is_one_stage(said: list[Message]) -> None:
    state = WindowState(phase=Phase.RUNNING)
    for event in feed(OpenCollector(""), said):
        if isinstance(event, HeadArrived | StageArrived):
            state, _ = apply_event(state, event)
    names = [stage.name for stage in state.stages]
    assert len(names) == len(set(names)) and "optimized" in names


# The picture, once costs arrive.


@pytest.fixture(scope="module")
def program() -> Graph:
    function, arguments = layers(6)
    return trace(function, *arguments)


def with_costs(graph: Graph) -> Graph:
    return graph.replace_nodes(cost=np.full((len(graph.nodes), 3), 7.0))


@pytest.fixture
def canvas(qtbot: QtBot, program: Graph) -> GraphCanvas:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(900, 600)
    canvas.show()
    canvas.set_colour_by(ColourBy.FLOPS)
    canvas.set_graph(program, "jaxpr")
    return canvas


def test_costs_colour_the_picture_that_is_there(
    qtbot: QtBot, canvas: GraphCanvas, program: Graph
) -> None:
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    canvas.set_expanded(canvas.view.all_groups() if canvas.view is not None else frozenset())
    qtbot.waitUntil(lambda: not canvas.is_busy)
    scene, opened = canvas.scene, canvas.expanded
    assert scene is not None
    before = canvas.tint_of(scene)
    assert before is not None and not before.classes
    costed = with_costs(program)
    assert canvas.take_graph(costed)
    assert canvas.scene is scene and canvas.expanded == opened and not canvas.is_busy
    assert canvas.view is not None and canvas.view.graph is costed
    after = canvas.tint_of(scene)
    assert after is not None and after.classes


def test_costs_that_come_while_it_is_laid_out_do_not_begin_it_anew(
    qtbot: QtBot, canvas: GraphCanvas
) -> None:
    large = long_program(2_000)  # which is laid out on a thread
    costed = with_costs(large)
    canvas.set_graph(large, "jaxpr")
    assert canvas.is_busy and canvas.scene is None
    assert canvas.take_graph(costed)
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    assert canvas.view is not None and canvas.view.graph is costed


def test_another_program_is_no_costed_one(canvas: GraphCanvas, program: Graph) -> None:
    function, arguments = layers(6)
    same_again = trace(function, *arguments)
    assert not canvas.take_graph(same_again)
    first = np.zeros(len(program.nodes), np.int32)
    assert not draws_as(program.replace_nodes(operation=first), program)
    assert not draws_as(add_attributes(program, {0: {"batch_axes": "0"}}), program)
    assert draws_as(add_attributes(program, {0: {LINK: BY_LINE}}), program)
    assert not draws_as(program, add_attributes(program, {0: {LINK: BY_LINE}}))


def test_the_outline_stays_open_where_it_was(qtbot: QtBot, program: Graph) -> None:
    outline = OutlineView()
    qtbot.addWidget(outline)
    outline.set_graph(program, None)
    outline.expandAll()
    opened = outline.opened()
    view = outline.boxes.view
    costed = with_costs(program)
    outline.set_graph(costed, None)
    assert outline.opened() == opened != frozenset()
    assert outline.boxes.view is not view and outline.boxes.view.graph is costed


@pytest.mark.sweep(1)
@pytest.mark.parametrize("form", ["cost", "stage"])
def test_malformed_costs_cost_only_themselves(said: list[Message], form: str) -> None:
    collector = OpenCollector("")
    broken = [
        dataclasses.replace(message, arrays={**message.arrays, "instruction_cost": np.zeros(3)})
        if message.type == form and message.fields["name"] == "hlo"
        else message
        for message in said
    ]
    if form == "stage":
        broken = [message for message in broken if message.type != "cost"]
    list(feed(collector, broken))
    assert np.isnan(graph_of(collector.result(), "hlo").nodes.cost).all()
