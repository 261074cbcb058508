"""Messages of a run become a capture; what goes wrong costs only what it touches."""

from __future__ import annotations

import dataclasses
import re
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.client.capture_assembler import CaptureAssembler
from jaxscope.heap import without_collector
from jaxscope.model import Capture, Direction, Graph, Stage, is_available
from jaxscope.model.graph import strings_to_arrays
from jaxscope.model.op_name import TagTable, read_op_name
from jaxscope.model.stages import can_ask_for
from jaxscope.program.hlo.proto import parse_module
from jaxscope.wire.messages import Message
from tests.archive.recorded import assemble, capture, messages

TAG = re.compile(r"jxs[bdp]\d")


def graph_of(whole: Capture, name: str) -> Graph:
    stage = whole.stage(name)
    assert stage is not None
    assert is_available(stage.graph)
    return stage.graph


def sent(type: str, name: str | None = None) -> Message:
    return next(
        m for m in messages() if m.type == type and (name is None or m.fields["name"] == name)
    )


def replaced(message: Message, **fields: Any) -> Message:
    return dataclasses.replace(message, fields={**message.fields, **fields})


def test_stages_stand_in_pipeline_order() -> None:
    names = [stage.name for stage in capture().stages]
    assert names == ["jaxpr", "gradient", "stablehlo", "hlo", "optimized", "machine"]
    assert capture().wall_seconds == 1.5
    assert [leaf.path for leaf in capture().arguments] == ["w", "x"]


@pytest.mark.parametrize("name", ["jaxpr", "gradient", "stablehlo", "hlo", "optimized"])
def test_stage_has_text_graph_cost_and_links_between_them(name: str) -> None:
    stage = capture().stage(name)
    assert stage is not None
    assert is_available(stage.text)
    assert is_available(stage.graph)
    assert stage.cost.flops > 0
    linked = stage.text.line_nodes[stage.text.line_nodes >= 0]
    assert len(linked) > len(stage.graph.nodes) / 3
    assert not TAG.search(stage.text.text)
    assert not any(TAG.search(string) for string in stage.graph.strings)


@pytest.mark.parametrize("name", ["hlo", "optimized"])
def test_every_instruction_with_a_tag_is_linked_to_its_equation(name: str) -> None:
    """The promise: of instructions that carry the name of an equation, all are linked to it."""
    tags = sent("tags").arrays
    table = TagTable(
        tuple(str(n) for n in range(len(tags["base.offsets"]) - 1)),
        tuple(str(n) for n in range(len(tags["derived.offsets"]) - 1)),
    )
    module = parse_module(sent("stage", name).arrays["proto"].tobytes())
    names = {
        instruction.name: instruction.metadata.op_name
        for computation in module.computations
        for instruction in computation.instructions
    }
    graph = graph_of(capture(), name)
    tagged = 0
    for index in range(len(graph.nodes)):
        node = graph.node(index)
        read = read_op_name(names[node.id], table)
        assert bool(node.derived) >= bool(read.derived), node.id
        assert bool(node.origins) >= bool(read.origins), node.id
        tagged += bool(read.origins)
    assert tagged > len(names) / 3


def test_scope_and_source_come_from_the_equation() -> None:
    graph = graph_of(capture(), "optimized")
    nodes = [graph.node(index) for index in range(len(graph.nodes))]
    products = [node for node in nodes if node.operation == "dot"]
    assert products
    for node in products:
        assert node.scope[:1] == ("layers",)
        assert node.source[0].file.endswith("recorded.py")
        assert node.direction is Direction.NONE


def test_every_beginning_of_the_messages_is_a_capture() -> None:
    seen: list[int] = []
    assembler = CaptureAssembler()
    for message in messages():
        assembler.feed(message)
        partial = assembler.capture()
        seen.append(len(partial.stages))
        for stage in partial.stages:
            if stage.unavailable is None and not is_available(stage.text):
                assert stage.text.reason == "The text has not arrived."
    assert seen == sorted(seen)


def test_text_may_come_before_its_stage() -> None:
    assembler = CaptureAssembler()
    assert assembler.feed(sent("text", "hlo")) is None
    stage = assembler.feed(sent("stage", "hlo"))
    assert isinstance(stage, Stage)
    assert is_available(stage.text)
    assert (stage.text.line_nodes >= 0).any()


def test_module_that_cannot_be_read_costs_only_the_graph() -> None:
    broken = sent("stage", "hlo")
    broken = dataclasses.replace(broken, arrays={"proto": np.full(100, 255, np.uint8)})
    stage = assemble((broken, sent("text", "hlo"))).stage("hlo")
    assert stage is not None
    assert not is_available(stage.graph)
    assert "no serialized HLO module" in stage.graph.reason
    assert is_available(stage.text)
    assert stage.cost.flops > 0


def test_costs_that_do_not_fit_cost_only_themselves() -> None:
    broken = sent("stage", "hlo")
    arrays = {**broken.arrays, "instruction_cost": np.zeros((2, 3))}
    graph = graph_of(assemble((dataclasses.replace(broken, arrays=arrays),)), "hlo")
    assert np.isnan(graph.nodes.cost).all()


def test_links_that_do_not_fit_are_left_out() -> None:
    text = sent("text", "jaxpr")
    lines = text.arrays["line_nodes"]
    wild = np.full(lines.shape, 10**6, np.int32)
    broken = dataclasses.replace(text, arrays={**text.arrays, "line_nodes": wild})
    stage = assemble((sent("stage", "jaxpr"), broken)).stage("jaxpr")
    assert stage is not None
    assert is_available(stage.text)
    assert (stage.text.line_nodes == -1).all()


def test_stage_that_is_missing_keeps_its_reason_everywhere() -> None:
    gone = replaced(sent("stage", "machine"), unavailable="No code.", form="none")
    stage = assemble((gone,)).stage("machine")
    assert stage is not None
    assert stage.unavailable is not None
    assert stage.unavailable.reason == "No code."
    assert not is_available(stage.text)
    assert stage.text.reason == "No code."
    assert not stage.cost.is_known


def test_kernels_come_as_code_and_become_a_text() -> None:
    machine = assemble((sent("stage", "machine"), sent("kernels", "machine"))).stage("machine")
    assert machine is not None
    assert is_available(machine.text)
    for form in ("LLVM IR before", "LLVM IR after", "assembly for"):
        assert f"; ----- {form}" in machine.text.text
    assert (machine.text.line_nodes == -1).all()


def kernels(*, names: tuple[str, ...] = ("k",), size: int = 1, **arrays: Any) -> Message:
    """One byte of PTX, or whatever the arguments make of it."""
    made = {
        **strings_to_arrays(names, "kernel"),
        **strings_to_arrays(("ptx",), "form"),
        "code": np.zeros(1, np.uint8),
        "code_bytes": np.array([size], np.int64),
    }
    return Message("kernels", {"name": "machine", "left_out": 0}, {**made, **arrays})


@pytest.mark.parametrize(
    "message",
    [
        kernels(size=2),
        kernels(size=-1),
        kernels(names=("k", "l")),
        kernels(code_bytes=np.array([1.0])),
        kernels(code_bytes=np.array([[1]])),
        kernels(code_bytes=np.array([2**62, 2**62, 2**62, 2**62, 1])),
        kernels(code=np.zeros(1, np.int32)),
        dataclasses.replace(kernels(), arrays={}),
        dataclasses.replace(kernels(), fields={"name": "machine", "left_out": -1}),
    ],
)
def test_kernels_that_do_not_fit_are_refused(message: Message) -> None:
    assert CaptureAssembler().feed(kernels()) is None
    with pytest.raises(ValueError, match="kernels"):
        CaptureAssembler().feed(message)


def test_unknown_numbers_stay_unknown() -> None:
    stage = assemble((replaced(sent("stage", "hlo"), cost=[None, -1.0, 1e999], seconds=None),))
    (only,) = stage.stages
    assert not only.cost.is_known
    assert not is_available(only.seconds)


def test_messages_of_other_kinds_are_passed_over() -> None:
    assert CaptureAssembler().feed(Message("measurement", {"name": "jit"})) is None


@pytest.mark.parametrize(
    "message",
    [
        Message("head", {"call": "f(x)"}),
        Message("head", {**sent("head").fields, "arguments": [["x", "f32[]", -4, False]]}),
        Message("file", {"path": "/f.py", "sha256": "0" * 64}),
        Message("file", {"path": "/f.py", "sha256": "../../x"}, {"utf8": np.zeros(1, np.uint8)}),
        Message("tags", {}, {}),
        Message("stage", {"name": 7, "title": "", "form": "none"}),
        Message("stage", {"name": "x", "title": "", "form": "pickle"}),
        Message("text", {"name": "jaxpr"}, {"utf8": np.zeros(3, np.int32)}),
        Message("check", {"rule": "r", "severity": "fatal", "message": ""}),
        Message("message", {"text": ["a"]}),
        Message("done", {"wall_seconds": "soon"}),
    ],
    ids=lambda message: message.type,
)
def test_malformed_messages_are_refused(message: Message) -> None:
    with pytest.raises(ValueError):
        CaptureAssembler().feed(message)


def test_a_flood_of_stages_is_refused() -> None:
    assembler = CaptureAssembler()
    with pytest.raises(ValueError, match="stages"):
        for number in range(1000):
            assembler.feed(Message("stage", {"name": f"s{number}", "title": "", "form": "none"}))


@settings(max_examples=100)
@given(st.data())
def test_columns_with_wild_values_cost_only_the_graph(data: st.DataObject) -> None:
    message = sent("stage", "jaxpr")
    name = data.draw(st.sampled_from(sorted(message.arrays)))
    column = message.arrays[name].copy()
    if column.size:
        flat = column.reshape(-1)
        flat[data.draw(st.integers(0, flat.size - 1))] = (
            data.draw(st.integers(-128, 127)) % 256
            if column.dtype == np.uint8
            else data.draw(st.integers(-128, 127))
        )
    arrays = {**message.arrays, name: column}
    stage = assemble((dataclasses.replace(message, arrays=arrays), sent("text", "jaxpr"))).stages[0]
    assert is_available(stage.text)
    assert is_available(stage.graph) or stage.graph.reason


def test_a_stage_that_nobody_asked_for_can_be_asked_for() -> None:
    for is_on_request in (False, True):
        gone = replaced(
            sent("stage", "gradient"), unavailable="No.", form="none", is_on_request=is_on_request
        )
        stage = assemble((gone,)).stage("gradient")
        assert stage is not None
        assert can_ask_for(stage) is is_on_request


def test_which_kernels_there_are_is_told_where_all_are_known() -> None:
    sent_stage = sent("stage", "machine")
    some = dataclasses.replace(kernels(), fields={"name": "machine", "left_out": 0})
    machine = assemble((sent_stage, some)).stage("machine")
    assert machine is not None
    assert machine.kernels
    less = dataclasses.replace(kernels(), fields={"name": "machine", "left_out": 1})
    machine = assemble((sent_stage, less)).stage("machine")
    assert machine is not None
    assert machine.kernels is None
    none = replaced(sent_stage, unavailable="No code.", form="none", has_no_kernels=True)
    machine = assemble((none,)).stage("machine")
    assert machine is not None
    assert machine.kernels == ()


def test_an_assembler_goes_with_its_last_user() -> None:
    """It holds all stages of a run; a window lets Python's collector look for them seldom."""
    with without_collector():
        assembler = CaptureAssembler()
        assembler.feed(Message("done", {"wall_seconds": 1.0}))
        known = weakref.ref(assembler)
        del assembler
        assert known() is None
