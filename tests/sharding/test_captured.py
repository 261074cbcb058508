"""What real programs over eight simulated devices are said to do, told by hand beforehand."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from jaxscope.client.capture_assembler import read_placement
from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Capture, Graph, Unavailable, is_available
from jaxscope.model.capture import Device, Placement
from jaxscope.model.op_name import TagTable
from jaxscope.program.sharding.arrays import SpreadArray, format_partition_spec
from jaxscope.program.sharding.collectives import Collective, find_collectives
from jaxscope.program.sharding.placement import DECIDED, STATED, NodeShardings, PlacementReport
from jaxscope.report.document import write_text
from jaxscope.report.sharding import (
    describe_collective,
    describe_communication,
    placement_to_document,
)
from jaxscope.schema.archive import load_capture, save_capture
from jaxscope.schema.contract import load_contract
from jaxscope.wire.messages import Message

from .conftest import Take

GRAD = "grad(loss)(weights(), f32[16, 32])"


def arrays_of(capture: Capture) -> dict[str, SpreadArray]:
    arrays = PlacementReport(capture).arrays
    assert is_available(arrays)
    return {f"{array.role} {array.path}": array for array in arrays}


def collectives_of(capture: Capture) -> tuple[Collective, ...]:
    found = PlacementReport(capture).collectives
    assert is_available(found)
    return found


def placement_of(capture: Capture) -> Placement:
    assert is_available(capture.placement)
    return capture.placement


def graph_of(capture: Capture, stage: str) -> Graph:
    found = capture.stage(stage)
    assert found is not None and is_available(found.graph)
    return found.graph


def test_arguments_and_results_lie_where_the_program_puts_them(take: Take) -> None:
    arrays = arrays_of(take(GRAD))
    assert placement_of(take(GRAD)).axes == (("data", 2), ("model", 4))
    assert {name: (array.spec, array.shard_type) for name, array in arrays.items()} == {
        "argument params['w1']": ("P(None, 'model')", "f32[32,16]"),
        "argument params['w2']": ("P('model', None)", "f32[16,8]"),
        "argument x": ("P('data', None)", "f32[8,32]"),
        "result result['w1']": ("P(None, 'model')", "f32[32,16]"),
        "result result['w2']": ("P('model', None)", "f32[16,8]"),
    }
    assert arrays["argument x"].text == "dimension 0 in 2 along data; 4 copies"
    assert arrays["argument x"].shard_bytes == 8 * 32 * 4


def test_bytes_of_one_device_are_what_xla_plans_for(take: Take) -> None:
    capture = take(GRAD)
    given = sum(a.shard_bytes for name, a in arrays_of(capture).items() if "argument" in name)
    assert is_available(capture.memory) and capture.memory.argument_bytes == given


def test_what_a_program_does_not_use_lies_nowhere(take: Take) -> None:
    arrays = arrays_of(take("placed(f32[16], f32[3])"))
    assert arrays["argument x"].spec == "P('i')"
    assert isinstance(arrays["argument unused"].sharding, Unavailable)


def test_a_gradient_is_summed_over_the_data_axis(take: Take) -> None:
    (found,) = collectives_of(take(GRAD))
    assert (found.kind, found.axes, found.group_size) == ("all-reduce", ("data",), 2)
    assert found.groups == ((0, 4), (1, 5), (2, 6), (3, 7))
    assert found.operand_bytes == found.sent_bytes == (32 * 16 + 16 * 8) * 4
    assert found.crosses_processes is False


def test_every_kind_of_exchange_has_its_bytes_and_participants(take: Take) -> None:
    found = {each.kind: each for each in collectives_of(take("exchanged(f32[64, 8])"))}
    assert set(found) == {"collective-permute", "all-to-all", "all-gather", "reduce-scatter"}
    part, whole = 8 * 8 * 4, 64 * 8 * 4
    sizes = {kind: (each.operand_bytes, each.result_bytes) for kind, each in found.items()}
    assert sizes["all-gather"] == (part, whole)
    assert sizes["reduce-scatter"] == (whole, part)
    assert sizes["collective-permute"] == (part, part)
    assert found["collective-permute"].pairs == tuple((k, (k + 1) % 8) for k in range(8))
    assert found["all-gather"].sent_bytes == whole * 7 / 8
    assert all(each.group_size == 8 for each in found.values())


@pytest.mark.parametrize("stage", ["stablehlo", "hlo", "optimized"])
def test_many_devices_are_listed_in_full(take: Take, stage: str) -> None:
    capture = take("wide(f32[64, 64])", "cpu:64")
    (found,) = find_collectives(graph_of(capture, stage), capture.placement)
    assert found.axes == ("b",)
    assert found.groups == tuple(tuple(range(k, k + 8)) for k in range(0, 64, 8))


def test_an_exchange_in_a_loop_happens_each_round(take: Take) -> None:
    (found,) = collectives_of(take("looped(f32[8, 4])"))
    assert found.rounds == 5 and found.total_bytes == 5 * found.sent_bytes


def test_devices_that_send_nothing_count_in_the_mean_and_not_as_senders(take: Take) -> None:
    found = collectives_of(take("handed_on(f32[64, 8])"))
    (sent,) = found
    part = 8 * 8 * 4
    assert sent.pairs == ((0, 1), (1, 2))
    assert (sent.sent_bytes, sent.total_bytes) == (part, part * 2 / 8)
    told = describe_communication(found)
    assert told == "1 collective; on average a device sends at least 64 B."
    assert "senders send at least 256 B on average" in describe_collective(sent)


def test_pmap_spreads_the_first_dimension(take: Take) -> None:
    capture = take("shares(f32[8, 4])")
    assert arrays_of(capture)["argument x"].shard_type == "f32[1,4]"
    assert [each.kind for each in collectives_of(capture)] == ["all-reduce"]


def test_one_device_holds_all_and_talks_to_nobody(take: Take) -> None:
    capture = take("alone(f32[4])", "cpu")
    assert len(placement_of(capture).devices) == 1 and not placement_of(capture).values
    assert arrays_of(capture)["argument x"].text == "one device, which holds all of it"
    assert not collectives_of(capture)


def test_equations_have_the_spread_that_the_compiler_decided_on(take: Take) -> None:
    capture = take(GRAD)
    shardings, axes = NodeShardings(capture), placement_of(capture).axes
    graph = graph_of(capture, "grad")
    decided = {}
    for node in range(len(graph.nodes)):
        for value in shardings.of("grad", graph, node):
            assert value.origin == DECIDED
            decided[graph.string(graph.nodes.operation, node), value.type] = format_partition_spec(
                value.sharding, axes
            )
    assert decided["tanh", "f32[16,64]"] == "P('data', 'model')"
    assert decided["dot_general", "f32[64,32]"] == "P('model', None)"
    assert decided["transpose", "f32[32,64]"] == "P(None, 'model')"


def test_stated_spreads_are_read_in_every_stage(take: Take) -> None:
    capture = take(GRAD)
    shardings, axes = NodeShardings(capture), placement_of(capture).axes
    wanted = {"stablehlo": "main/in:0", "hlo": "params__w1__.1"}
    for stage, id in wanted.items():
        graph = graph_of(capture, stage)
        (found,) = shardings.of(stage, graph, graph.index_by_id[id])
        assert (found.origin, format_partition_spec(found.sharding, axes)) == (
            STATED,
            "P(None, 'model')",
        )
    graph = graph_of(capture, "optimized")
    inner = [n for n in range(len(graph.nodes)) if not graph.attributes(n).get("sharding")]
    assert all(shardings.of("optimized", graph, node) == () for node in inner)


def test_saving_loses_nothing(take: Take, tmp_path: Path) -> None:
    capture = take(GRAD)
    save_capture(capture, tmp_path / "a.jaxscope")
    text = json.dumps(capture_to_json(capture))
    (tmp_path / "a.json").write_text(text)
    for again in (load_capture(tmp_path / "a.jaxscope"), load_contract(tmp_path / "a.json")):
        for field in dataclasses.fields(Placement):
            kept = getattr(placement_of(again), field.name)
            assert kept == getattr(placement_of(capture), field.name), field.name
        assert write_text(placement_to_document(PlacementReport(again))) == write_text(
            placement_to_document(PlacementReport(capture))
        )


def test_the_reader_is_told_which_stages_are_of_one_device(take: Take) -> None:
    told = next(text for text in take(GRAD).messages if text.startswith("It runs on"))
    assert told.startswith("It runs on 8 devices (cpu) in a mesh, data 2 × model 4.")
    assert "what each device runs" in told
    assert not any("It runs on" in text for text in take("alone(f32[4])", "cpu").messages)


def test_arrays_that_are_cut_alike_are_told_once(take: Take) -> None:
    told = write_text(placement_to_document(PlacementReport(take(GRAD))))
    assert "argument params['w1'], and 1 more of its type cut like it" in told
    assert told.count("[0:32, 16:32] on 1, 5") == 1


def test_the_json_says_who_holds_what(take: Take) -> None:
    found = capture_to_json(take(GRAD))["placement"]
    assert found["mesh"] == [{"name": "data", "size": 2}, {"name": "model", "size": 4}]
    assert found["arguments"][2]["parts"] == [
        {"ranges": [[0, 8], [0, 32]], "devices": [0, 1, 2, 3]},
        {"ranges": [[8, 16], [0, 32]], "devices": [4, 5, 6, 7]},
    ]
    assert found["collectives"][0]["groups"] == [[0, 4], [1, 5], [2, 6], [3, 7]]


def test_devices_of_two_processes_cross(take: Take) -> None:
    capture = take(GRAD)
    devices = tuple(Device(k, "cpu", k // 4) for k in range(8))
    split = dataclasses.replace(placement_of(capture), devices=devices)
    report = PlacementReport(dataclasses.replace(capture, placement=split))
    assert is_available(report.collectives) and report.collectives[0].crosses_processes
    assert "1 between processes" in write_text(placement_to_document(report))


@pytest.mark.parametrize(
    "fields",
    [
        {"devices": [[-1, "cpu", 0, []]]},
        {"devices": [["0", "cpu", 0, []]]},
        {"axes": [["x", -2]]},
        {"arguments": [3]},
    ],
)
def test_a_hostile_message_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        read_placement(Message("placement", fields), TagTable())


def test_axes_that_do_not_fit_the_devices_are_left_out() -> None:
    fields = {"devices": [[0, "cpu", 0, []]], "axes": [["x", 5]], "arguments": ["{broken"]}
    placement = read_placement(Message("placement", fields), TagTable())
    assert is_available(placement) and placement.axes == ()


def test_a_worker_that_knows_nothing_says_why() -> None:
    placement = read_placement(Message("placement", {"reason": "No."}), TagTable())
    assert placement == Unavailable("No.", "optimized")


def test_what_is_sent_is_not_told_as_the_kernel_of_what_is_computed(take: Take) -> None:
    capture = take("gathered_first(f32[8, 8], f32[8, 8])")
    module = capture.stage("optimized")
    assert module is not None and isinstance(module.graph, Graph)
    by_name = module.graph.index_by_name()
    held = {name for fate in capture.fates.values() for name in fate.instructions}
    assert "all-gather" in {module.graph.operation(by_name[name]) for name in held}
    for fate in capture.fates.values():
        first = module.graph.operation(by_name[fate.instructions[0]])
        assert not first.startswith("all-gather") and "all-gather" not in fate.text
