"""Dump folders and single files open as what they are, and say what the same program says when
jaxscope compiles it itself."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import jaxscope as library
from cli.commands import CommandLine
from jaxscope.client.dump_folders import find_dumps
from jaxscope.client.dump_reader import open_found
from jaxscope.model import Capture, Graph, Stage, is_available
from jaxscope.model.capture import MemoryPlan, StageText
from jaxscope.notebook import OpenedModules
from jaxscope.schema.archive import load_capture
from opening.conftest import PROTOS, TEXTS, Left


@pytest.fixture(scope="module")
def opened(left: Left) -> Capture:
    """The largest module of the whole dump, passes and all."""
    return open_found(find_dumps([str(left.both)]))


def stage_of(capture: Capture, name: str) -> Stage:
    stage = capture.stage(name)
    assert stage is not None
    return stage


def graph_of(capture: Capture, name: str) -> Graph:
    graph = stage_of(capture, name).graph
    assert is_available(graph), graph
    return graph


def instructions(capture: Capture, name: str) -> list[tuple[str, tuple[str, ...]]]:
    """Operation and types of each node, in no order: names and order differ with tags."""
    graph = graph_of(capture, name)
    nodes = [graph.node(index) for index in range(len(graph.nodes))]
    return sorted((node.operation, node.types) for node in nodes)


def test_the_list_of_a_dump_folder(left: Left, jaxscope: CommandLine) -> None:
    answer = jaxscope("open", left.both, "--json")
    assert answer.status == 0
    found = answer.json()
    assert found["format"] == "jaxscope.opened"
    by_name = {module["name"]: module for module in found["modules"]}
    step = by_name[found["largest"]]
    assert step["module"] == "jit_step"
    assert step["platform"] == "cpu"
    assert step["stages"] == ["stablehlo", "hlo", "passes", "optimized", "machine"]
    listed = [
        name for name in left.both.iterdir() if ".after_" in name.name and "step" in name.name
    ]
    assert step["passes"] == sum(name.name.endswith(".hlo.pb") for name in listed)
    text = jaxscope("open", left.both).output
    assert "the largest is" in text.splitlines()[0]


def test_every_stage_of_a_dump_is_that_of_the_program(opened: Capture, traced: Capture) -> None:
    for name in ("hlo", "optimized"):
        assert instructions(opened, name) == instructions(traced, name)
        assert stage_of(opened, name).cost.same_as(stage_of(traced, name).cost)
    for name in ("stablehlo", "machine", "passes"):
        assert is_available(stage_of(opened, name).text)
    assert stage_of(opened, "machine").kernels == stage_of(traced, "machine").kernels
    assert [record.name for record in opened.passes] == [record.name for record in traced.passes]
    assert [leaf.type for leaf in opened.arguments] == [
        "f32[8]",
        "f32[8,8]",
        "f32[4,8]",
        "f32[4,8]",
    ]
    assert opened.arguments[0].path == "w['b']"
    assert [leaf.type for leaf in opened.results] == ["f32[8]", "f32[8,8]", "f32[]"]


def test_the_memory_plan_is_xlas(opened: Capture, traced: Capture) -> None:
    ours, theirs = opened.memory, traced.memory
    assert isinstance(ours, MemoryPlan) and isinstance(theirs, MemoryPlan)
    for name in ("argument_bytes", "result_bytes", "temporary_bytes", "aliased_bytes"):
        assert getattr(ours, name) == getattr(theirs, name), name
    assert sorted(place[3:] for place in ours.places) == sorted(
        place[3:] for place in theirs.places
    )


def test_text_and_proto_are_the_same_module(left: Left, opened: Capture, tmp_path: Path) -> None:
    for patterns in ((TEXTS,), (PROTOS,)):
        home = tmp_path / str(len(patterns[0]))
        home.mkdir()
        found = find_dumps([str(left.part(home, *patterns))])
        capture = open_found(found, found.largest.label)
        for name in ("hlo", "optimized"):
            text = stage_of(capture, name).text.text
            # Of equal get-tuple-elements, the text in short does not say how many there are.
            left_out = {"get-tuple-element"} if re.search(r"%[\w.]+#\d", text) else set()
            found, expected = instructions(capture, name), instructions(opened, name)
            assert [one for one in found if one[0] not in left_out] == [
                one for one in expected if one[0] not in left_out
            ]
        for name in ("stablehlo", "machine"):
            missing = stage_of(capture, name).unavailable
            assert missing is not None
            assert missing.reason.startswith("The files that were opened hold no")
        assert not capture.passes


# As XLA dumps it since JAX 0.11: elements of tuples without instructions of their own.
SHORT = """\
HloModule jit_f

ENTRY %main.1 (x.1: f32[3], pair.1: (s32[], pred[2])) -> (f32[3], pred[2]) {
  %x.1 = f32[3]{0} parameter(0), metadata={op_name="x#1"}
  %pair.1 = (s32[], pred[2]{0}) parameter(1)
  %nested.1 = ((f32[3]{0}, /*index=1*/s32[]), pred[2]{0}) tuple(%inner.1, %pair.1#1)
  %negate.1 = s32[] negate(%nested.1#0#1)
  ROOT %tuple.1 = (f32[3]{0}, pred[2]{0}) tuple(%nested.1#0#0, %pair.1#1)
}
"""
INNER = "  %inner.1 = (f32[3]{0}, s32[]) tuple(%x.1, %pair.1#0)\n"


def test_elements_of_tuples_in_short_are_the_instructions_that_they_stand_for(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    path = tmp_path / "short.txt"
    path.write_text(SHORT.replace("  %nested.1 =", f"{INNER}  %nested.1 =", 1))
    assert jaxscope("open", path, "-o", tmp_path / "short.jaxscope").status == 0
    capture = load_capture(tmp_path / "short.jaxscope")
    elements = [types for name, types in instructions(capture, "hlo") if "element" in name]
    assert elements == [("f32[3]",), ("f32[3]", "s32[]"), ("pred[2]",), ("s32[]",), ("s32[]",)]
    assert stage_of(capture, "hlo").text.text.count("%pair.1#1") == 2  # as it is in the file


HLO_OF_ANOTHER_TOOL = """HloModule torch.9

%add.1 (x.2: f32[], y.3: f32[]) -> f32[] {
  %x.2 = f32[] parameter(0)
  %y.3 = f32[] parameter(1)
  ROOT %add.4 = f32[] add(f32[] %x.2, f32[] %y.3)
}

ENTRY %main.8 (p.5: f32[8]) -> f32[8] {
  %p.5 = f32[8] parameter(0)
  %custom-call.6 = f32[8] custom-call(f32[8] %p.5), custom_call_target="Aws", api_version=VERSION
  ROOT %all-reduce.7 = f32[8] all-reduce(f32[8] %custom-call.6), replica_groups={}, to_apply=%add.1
}
""".replace("VERSION", "API_VERSION_UNSPECIFIED")


def test_a_module_before_optimization_alone_answers_what_it_can(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """As PyTorch/XLA writes it, with a version of custom calls that XLA's parser refuses."""
    (tmp_path / "torch.txt").write_text(HLO_OF_ANOTHER_TOOL)
    answer = jaxscope("open", tmp_path / "torch.txt", "-o", tmp_path / "torch.jaxscope")
    assert answer.status == 0 and not answer.errors.count("no graph")

    def ask(question: str) -> str:
        return jaxscope("ask", tmp_path / "torch.jaxscope", question).output

    assert ask("size").startswith("6 instructions (hlo).\n")
    assert ask("types").startswith("Values of the program by type: 6 f32. It has 0 convert")
    assert "the module before optimization" in ask("types")
    told = ask("collectives")
    assert told.startswith("1 collective; how much a device sends is not known. This is the module")
    assert "all devices, whose number is not known. 32 B go in, 32 B come out" in told
    assert ask("loops").startswith("0 loops. This is the module before optimization")
    none = HLO_OF_ANOTHER_TOOL.replace("ROOT %all-reduce.7", "%all-reduce.7")
    none = re.sub(r"  %all-reduce.*\n", "  ROOT %n = f32[8] negate(%custom-call.6)\n", none)
    (tmp_path / "none.txt").write_text(none)
    jaxscope("open", tmp_path / "none.txt", "-o", tmp_path / "torch.jaxscope")
    assert ask("collectives").startswith("No collective.") and "shardings need" in ask(
        "collectives"
    )


@pytest.mark.parametrize("text", [SHORT.replace("#1", "#7"), SHORT, SHORT.replace("%pair", "%no")])
def test_elements_of_no_tuple_are_left_to_xlas_parser(text: str, tmp_path: Path) -> None:
    """`inner.1`, of which elements are taken, is not there; nor is element 7 of two."""
    path = tmp_path / "short.txt"
    path.write_text(text)
    capture = open_found(find_dumps([str(path)]))
    assert not is_available(stage_of(capture, "hlo").graph)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
@pytest.mark.parametrize(
    ("file", "stage"),
    [
        ("before.hlo", "hlo"),
        ("after.hlo", "optimized"),
        ("step.pb", "optimized"),
        ("step.mlir", "stablehlo"),
        ("step.mlirbc", "stablehlo"),
    ],
)
def test_a_single_file_is_told_by_its_content(
    left: Left,
    opened: Capture,
    tmp_path: Path,
    file: str,
    stage: str,
    compress: Callable[[bytes], bytes],
) -> None:
    renamed = tmp_path / "some.data"
    renamed.write_bytes(compress((left.files / file).read_bytes()))
    capture = open_found(find_dumps([str(renamed)]))
    assert [each.name for each in capture.stages if each.unavailable is None] == [stage]
    if stage != "stablehlo":
        assert instructions(capture, stage) == instructions(opened, stage)
    else:
        assert len(graph_of(capture, stage).nodes) > 100


def test_what_jax_export_serialized(tmp_path: Path) -> None:
    file = tmp_path / "function"
    shutil.copy(Path(__file__).with_name("scaled.jaxexport"), file)
    graph = graph_of(open_found(find_dumps([str(file)])), "stablehlo")
    operations = [graph.node(index).operation for index in range(len(graph.nodes))]
    assert "stablehlo.tanh" in operations and "stablehlo.multiply" in operations


def test_a_dump_of_jax_joins_that_of_xla(left: Left) -> None:
    alone = find_dumps([str(left.jax)])
    assert alone.largest.stages[-1] == "stablehlo"
    both = find_dumps([str(left.both), str(left.jax)])
    assert both.largest.stages[0] == "jaxpr"
    stage = open_found(both).stage("jaxpr")  # what the list says is there
    assert stage is not None
    assert isinstance(stage.text, StageText)
    assert "lambda ;" in stage.text.text
    # JAX 0.8 writes what `jax.export` lowers as well, under a name of its own.
    own = [module for module in both.modules if not module.name.endswith("_export")]
    assert len(own) == len(find_dumps([str(left.both)]).modules)


@pytest.mark.slow
def test_a_module_is_chosen_by_name(left: Left, jaxscope: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "out.jaxscope"
    answer = jaxscope("open", left.both, "-o", out)
    assert answer.status == 0, answer.errors
    assert "is the largest of" in answer.errors
    assert load_capture(out).base == "step"
    label = find_dumps([str(left.both)]).modules[0].label
    answer = jaxscope("open", left.both, "--module", label, "--json")
    assert answer.json()["call"] == label
    answer = jaxscope("open", left.both, "--module", "jit_nobody")
    assert answer.status == 2
    assert label in answer.errors


def test_the_library_opens_the_same(left: Left) -> None:
    found = library.open(left.both)
    assert isinstance(found, OpenedModules)
    assert "the largest is" in repr(found)
    assert found.capture(found.modules[0].label).call == found.modules[0].label


def test_a_saved_capture_opens_too(left: Left, jaxscope: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "saved.jaxscope"
    jaxscope("open", left.files / "before.hlo", "-o", file)
    again = tmp_path / "again.json"
    assert jaxscope("open", file, "-o", again).status == 0
    assert json.loads(again.read_text())["call"] == "before.hlo"


FILTERED = """\
import jax, jax.numpy as jnp
def f(x, w):
    y = jnp.where(x > 0, x, 0.0)
    z = jnp.concatenate([y, y * 1.0]) @ w
    return jax.nn.softmax(z + 0.0).sum()
jax.jit(jax.grad(f)).lower(jnp.ones(64), jnp.ones((128, 128))).compile()
"""


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "wanted",
    [
        ".*",
        "fusion",
        pytest.param("dce|cse", marks=pytest.mark.slow),
        pytest.param("copy", marks=pytest.mark.slow),
    ],
)
def test_a_pass_is_credited_with_its_own_changes_alone(wanted: str, tmp_path: Path) -> None:
    """Asked for some passes, XLA leaves out what others did between them."""
    flags = f"--xla_dump_to={tmp_path} --xla_dump_hlo_pass_re={wanted}"
    environment = {**os.environ, "XLA_FLAGS": flags}
    subprocess.run([sys.executable, "-c", FILTERED], env=environment, check=True, timeout=300)
    capture = open_found(find_dumps([str(tmp_path)]), "jit_f")
    told = [message for message in capture.messages if "of some passes only" in message]
    names = [record.name for record in capture.passes]
    if wanted == ".*":
        assert not told
        assert not [name for name in names if name.startswith("all up to ")]
        return
    assert len(told) == 1
    asked = re.compile(wanted)
    for number, record in enumerate(capture.passes):
        if not record.pipeline:
            continue  # the module before and the one after
        is_asked = asked.search(record.name) or asked.search(record.pipeline)
        # What was asked for was written before it, too; the first of several not asked for was not.
        if not is_asked:
            assert record.name.startswith("all up to "), (number, names)
        elif not record.name.startswith("all up to "):
            assert number
    assert any(name.startswith("all up to ") for name in names)
    assert any(asked.search(name) and not name.startswith("all up to ") for name in names)


def test_folders_named_by_a_time_hold_the_stablehlo_of_their_module(tmp_path: Path) -> None:
    """jaxlib 0.8 names them so. Two compilations of one module are the same text."""
    text = "module @jit_f {\n  func.func public @main() {\n    return\n  }\n}\n"
    for number, time in ((1, 1795705877370), (3, 1795705877492)):
        (tmp_path / f"module_{number:04}.jit_f.before_optimizations.txt").write_text("HloModule f")
        folder = tmp_path / f"jit_f_{time}"
        folder.mkdir()
        (folder / "module.mlir").write_text(text)

    found = find_dumps([str(tmp_path)]).modules

    assert [(module.label, module.stages) for module in found] == [
        ("module_0001.jit_f", ("stablehlo", "hlo")),
        ("module_0003.jit_f", ("stablehlo", "hlo")),
    ]
    assert ["1795705877370" in module.files["stablehlo"][0] for module in found] == [True, False]
