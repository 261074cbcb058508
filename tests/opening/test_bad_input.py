"""Files that are cut off, foreign, mixed up or too large: a sentence each, and the right status."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import sys
from pathlib import Path

import pytest

from cli.commands import CommandLine
from jaxscope.client.capture_assembler import tell_other_program
from jaxscope.client.dump_folders import find_dumps
from jaxscope.client.dump_reader import open_found
from jaxscope.errors import SourceError
from jaxscope.model import is_available
from jaxscope.model.file_kinds import HEAD_BYTES, FileForm, explain_other_file, recognise
from jaxscope.model.graph import Graph, NodeKind
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.wire.job_files import read_whole
from jaxscope.worker import compat
from jaxscope.worker.stages.dump_reader import cut_out_module, find_module_of_export
from opening.conftest import PROTOS, Left


def test_what_is_nothing_that_is_known_is_said(jaxscope: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Buy milk.\n")
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    trace = b'{"displayTimeUnit":"ns","traceEvents":[]}'
    (tmp_path / "a.trace.json.gz").write_bytes(gzip.compress(trace))
    (tmp_path / "cut.xz").write_bytes(lzma.compress(b"HloModule f\n" * 99)[:-20])
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"HloModule f\n" * 99)[:-20])
    for name, told in (
        ("notes.txt", "nothing that jaxscope can open"),
        ("a.trace.json.gz", ".xplane.pb"),
        ("empty", "There is no module"),
        ("pipe", "no regular file"),
        ("cut.gz", "cannot be read"),
        ("cut.xz", "cannot be read"),
        ("nowhere", "No such file"),
        (".", "There is no module"),
    ):
        answer = jaxscope("open", tmp_path / name)
        assert answer.status == 1, name
        assert told in answer.errors, answer.errors
        assert "Try: " in answer.errors and "Traceback" not in answer.errors
        failure = jaxscope("open", tmp_path / name, "--json").json()
        assert failure["exit_status"] == 1 and failure["remedy"]


@pytest.mark.parametrize(
    ("name", "head", "what"),
    [
        ("f.hlo", b"", "f.hlo is empty."),
        ("f.mlir", b" \n", "f.mlir is empty."),
        ("f.ptx", b"", "f.ptx is empty."),
        ("f.hlo", b"Modul", "f.hlo is an HLO module by its name, but does not begin like one."),
        ("f.hlo", b"; ModuleID = 'f'", "f.hlo is LLVM IR, not a Python file."),
        ("f.ptx", b".version 8.0", "f.ptx is the text of a PTX module, not a Python file."),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_not_said_to_be_that(
    name: str, head: bytes, what: str
) -> None:
    told = explain_other_file(f"/work/{name}", head)
    assert told is not None and told.what == what
    is_cut = "empty" in what or "begin" in what
    assert ("written and copied completely" in told.remedy) is is_cut


HLO = "HloModule f\n\nENTRY %main (x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0)\n}\n"


def dump(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(HLO)


def test_what_is_not_looked_into_is_not_called_empty(tmp_path: Path) -> None:
    deep = tmp_path / "deep" / "/".join("abcdefgh")
    dump(deep, "f.hlo")
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "latest").symlink_to(deep)
    for folder, told in (("deep", "more than 6 folders down"), ("linked", "a link to a folder")):
        with pytest.raises(SourceError) as caught:
            find_dumps([str(tmp_path / folder)])
        assert told in caught.value.explanation.why
        assert "empty" not in caught.value.explanation.why


def test_a_link_in_a_circle_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "self").symlink_to("self")
    dump(tmp_path, "f.hlo")
    assert [module.name for module in find_dumps([str(tmp_path)]).modules] == ["f.hlo"]


def test_each_module_of_several_folders_can_be_chosen(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    home = tmp_path / "two runs"
    for process in ("p0", "p1"):
        dump(home / process, "module_0001.jit_f.before_optimizations.txt")
    found = find_dumps([str(home)])
    assert [module.label for module in found.modules] == [
        "p0/module_0001.jit_f",
        "p1/module_0001.jit_f",
    ]
    for module in found.modules:
        assert found.module(module.label) is module
    assert f"jaxscope open '{home}' --module NAME" in jaxscope("open", home).output


def test_the_files_of_two_processes_are_told_apart_by_their_times(tmp_path: Path) -> None:
    """As `--xla_dump_include_timestamp` writes them; machine code never has a time."""
    rest = ("before_optimizations.txt", "0001.simplification.after_dce.before_cse.txt")
    names = [f"{time}.module_0001.jit_f.{name}" for time in (11, 22) for name in rest]
    code = "module_0001.jit_f.obj-file.f.o"
    dump(tmp_path / "one", *names[:2], code)
    dump(tmp_path / "two", *names, code)
    (only,) = find_dumps([str(tmp_path / "one")]).modules
    assert only.stages == ("hlo", "passes", "machine")
    found = find_dumps([str(tmp_path / "two")]).modules
    stages = {module.label: module.stages for module in found}
    assert stages == {
        "11.module_0001.jit_f": ("hlo", "passes"),
        "22.module_0001.jit_f": ("hlo", "passes"),
        "module_0001.jit_f": ("machine",),
    }
    assert all(module.num_passes in (0, 1) for module in found)


@pytest.mark.slow
def test_files_of_an_earlier_process_are_told(left: Left, tmp_path: Path) -> None:
    """Of two that wrote to one folder: the second overwrote what has the same name."""
    folder = left.part(tmp_path, PROTOS)
    label = find_dumps([str(folder)]).largest.label
    (before,) = folder.glob("*jit_step.before_optimizations*")
    os.utime(before, (before.stat().st_atime, before.stat().st_mtime + 3600))
    capture = open_found(find_dumps([str(folder)]), label)
    (told,) = (text for text in capture.messages if "earlier process" in text)
    assert "older than its HLO before optimization" in told
    assert not find_dumps([str(left.both)]).largest.notes


def test_modules_of_two_programs_are_not_taken_for_one(tmp_path: Path) -> None:
    texts = {
        "before_optimizations": HLO.replace("SHAPE", "f32[96]"),
        "cpu_after_optimizations": HLO.replace("SHAPE", "f32[128]"),
    }
    for name, text in texts.items():
        (tmp_path / f"module_0001.jit_f.{name}.txt").write_text(text)
    capture = open_found(find_dumps([str(tmp_path)]))
    assert any("are of different programs" in text for text in capture.messages)


@pytest.mark.parametrize(
    ("before", "after", "is_one"),
    [
        (("f32[8]",), ("f32[8]",), True),
        (("f32[8,6]",), ("f32[2,6]",), True),  # divided among devices
        (("f32[10]",), ("f32[4]",), True),  # among three, the last has less
        (("f32[128]",), ("f32[96]",), False),
        (("f32[8]",), ("f32[16]",), False),
        (("f32[8]",), ("bf16[8]",), False),
        (("f32[8]",), ("f32[8]", "f32[8]"), False),
    ],
)
def test_which_arguments_two_modules_of_one_program_may_have(
    before: tuple[str, ...], after: tuple[str, ...], is_one: bool
) -> None:
    graphs = {"hlo": parameters(before), "optimized": parameters(after)}
    assert bool(tell_other_program(graphs)) is not is_one


def parameters(types: tuple[str, ...]) -> Graph:
    builder = GraphBuilder()
    for number, type in enumerate(types):
        builder.add_node(
            f"p{number}",
            NodeKind.INPUT,
            "parameter",
            types=(type,),
            attributes={"parameter_number": str(number)},
        )
    return builder.build()


@pytest.mark.slow
def test_a_kernel_of_no_instruction_is_told(left: Left, tmp_path: Path) -> None:
    folder = left.part(tmp_path, ".*jit_step.*")
    label = find_dumps([str(folder)]).largest.label
    kernels = sorted(folder.glob("*jit_step*fusion*.ll"))
    if not kernels:
        pytest.skip("XLA of JAX 0.11 and newer dumps LLVM IR only when it is asked to")
    assert not any(
        "kernels" in text for text in open_found(find_dumps([str(folder)]), label).messages
    )
    kernel = kernels[0]
    stale = kernel.with_name(
        re.sub(r"(jit_step\.).*(\.ir-.*)", r"\1stale_fusion_kernel_module\2", kernel.name)
    )
    stale.write_bytes(kernel.read_bytes())
    capture = open_found(find_dumps([str(folder)]), label)
    (told,) = (text for text in capture.messages if "kernels" in text)
    assert "stale_fusion" in told


HLO = """\
HloModule jit_f

ENTRY main {
  x = SHAPE parameter(0)
  ROOT y = SHAPE negate(x)
}
"""


def test_a_parser_that_dies_is_blamed_and_not_the_code(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    deep = "(" * 20_000 + "f32[]" + ")" * 20_000
    (tmp_path / "deep.hlo").write_text(
        f"HloModule d\nENTRY main {{\n ROOT p = {deep} parameter(0)\n}}\n"
    )
    answer = jaxscope("open", tmp_path / "deep.hlo", "-o", tmp_path / "out.json")
    assert answer.status != 0
    assert "The parser of jaxlib died of SIGSEGV while it read deep.hlo." in answer.errors
    assert "nested more deeply than the parser can take" in answer.errors


@pytest.mark.slow
def test_a_text_with_a_byte_order_mark_is_read(left: Left, tmp_path: Path) -> None:
    for name, stage in (("after.hlo", "optimized"), ("step.mlir", "stablehlo")):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + (left.files / name).read_bytes())
        opened = open_found(find_dumps([str(tmp_path / name)])).stage(stage)
        assert opened is not None and is_available(opened.graph)


def test_a_name_of_several_lines_is_one_row(jaxscope: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "two\nlines.hlo").write_text(HLO.replace("SHAPE", "f32[8]"))
    (row,) = (line for line in jaxscope("open", tmp_path).output.split("\n") if "HLO  " in line)
    assert row.startswith("  two lines.hlo  ")


def test_an_empty_file_is_said_to_be_empty(jaxscope: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "none.hlo.pb").touch()
    assert "It is empty." in jaxscope("open", tmp_path / "none.hlo.pb").errors


def test_names_with_a_dot_are_whole(tmp_path: Path) -> None:
    """As of functions with a dot in their names; what kernels are called follows the module's."""
    rest = ("before_optimizations.txt", "0001.simplification.after_dce.before_cse.txt")
    for name in ("jit_my.step", "jit_my.loss"):
        dump(tmp_path, *(f"module_0001.{name}.{each}" for each in rest))
        dump(tmp_path, f"module_0001.{name}.cpu_after_optimizations.txt")
        dump(tmp_path, f"module_0001.{name}.add.kernel.ir-no-opt.ll")
    dump(tmp_path, "module_0002.jit_f.cl_123.before_optimizations.txt")
    found = find_dumps([str(tmp_path)]).modules
    every = ("hlo", "passes", "optimized", "machine")
    assert {(module.name, module.stages) for module in found} == {
        ("jit_my.step", every),
        ("jit_my.loss", every),
        ("jit_f", ("hlo",)),
    }
    assert {module.platform for module in found} == {"cpu", ""}


def test_the_jaxpr_of_a_lambda_belongs_to_its_module(tmp_path: Path) -> None:
    dump(tmp_path, "jax_000001_<lambda>.jaxpr.txt", "module_0001.jit__lambda.optimized")
    dump(tmp_path, "module_0001.jit__lambda.before_optimizations.txt")
    (module,) = find_dumps([str(tmp_path)]).modules
    assert module.stages == ("jaxpr", "hlo")


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.gz"
    file.write_bytes(gzip.compress(b"HloModule f\n" + b"\0" * (1 << 20)))
    assert file.stat().st_size < 2000
    with pytest.raises(SourceError, match="larger than what jaxscope reads"):
        read_whole(str(file), 1 << 16)


def test_xz_is_read_within_the_same_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bomb.hlo.xz"
    file.write_bytes(lzma.compress(b"HloModule f\n" + b"\0" * (1 << 20)))
    with pytest.raises(SourceError, match="larger than what jaxscope reads"):
        read_whole(str(file), 1 << 16)
    monkeypatch.setitem(sys.modules, "lzma", None)  # as of a Python built without liblzma
    with pytest.raises(SourceError, match="compressed with xz, which this Python cannot read"):
        read_whole(str(file))


def test_compressed_files_of_a_dump_are_known_by_their_names(tmp_path: Path) -> None:
    for ending in ("gz", "xz"):
        packed = tmp_path / ending
        packed.mkdir()
        pack = {"gz": gzip.compress, "xz": lzma.compress}[ending]
        for stage in ("before", "cpu_after"):
            name = f"module_0001.jit_f.{stage}_optimizations.txt.{ending}"
            (packed / name).write_bytes(pack(HLO.encode()))
        (module,) = find_dumps([str(packed)]).modules
        assert module.stages == ("hlo", "optimized")


def test_a_damaged_module_costs_its_own_stage(left: Left, tmp_path: Path) -> None:
    folder = left.part(tmp_path, PROTOS)
    label = find_dumps([str(folder)]).largest.label
    for file in folder.glob("*jit_step.before_optimizations*"):
        file.write_bytes(file.read_bytes()[:5000])
    capture = open_found(find_dumps([str(folder)]), label)
    before, after = capture.stage("hlo"), capture.stage("optimized")
    assert before is not None and before.unavailable is not None
    assert "damaged or cut off" in before.unavailable.reason
    assert after is not None and after.unavailable is None
    assert any("damaged or cut off" in message for message in capture.messages)


def test_a_module_that_cannot_be_read_at_all(jaxscope: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text("module @f {\n  func.func public @main() {\n")
    answer = jaxscope("open", tmp_path / "a.mlir", "-o", tmp_path / "a.json")
    assert answer.status == 1
    assert "cannot be parsed as StableHLO" in answer.errors and "Traceback" not in answer.errors


def test_operations_in_the_form_of_another_compiler_are_told(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "a.mlir").write_text("module @f {\n  ttcore.device_module {\n  }\n}\n")
    answer = jaxscope("open", tmp_path / "a.mlir", "-o", tmp_path / "a.json")
    assert answer.status == 1
    assert "--mlir-print-op-generic" in answer.errors


def test_no_bytes_make_the_readers_fail(left: Left) -> None:
    """Files that are cut off or changed at many places are read or refused with an explanation."""
    exported = Path(__file__).with_name("scaled.jaxexport").read_bytes()
    proto = (left.files / "step.pb").read_bytes()
    for data, step in ((exported, 7), (proto, 997)):
        for place in range(0, len(data), step):
            changed = bytearray(data)
            changed[place] ^= 0xFF
            for hostile in (bytes(changed), data[:place]):
                recognise(hostile[:4096])
                cut_out_module(hostile)
                find_module_of_export(hostile)


@pytest.mark.parametrize(
    "line",
    [b"//   \n", b"#a = b   \n", b"!t =  \n", b"/ \n", b" \t\n"],
    ids=["comments", "attributes", "types", "slashes", "blank"],
)
def test_what_begins_with_many_lines_of_one_kind_is_soon_told(line: bytes) -> None:
    """An expression that can match them in two ways each would take for ever."""
    assert recognise(line * 500 + b"nothing") is None
    assert recognise((line * 500)[:HEAD_BYTES]) is None


_FUNCTION = b"func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n"


@pytest.mark.parametrize(
    "text",
    [
        b"// RUN: one  \n\n// RUN: two\nmodule @m {\n" + _FUNCTION + b"}\n",
        b'#map = affine_map<(d0) -> (d0)>\nmodule @"a b" {\n' + _FUNCTION + b"}\n",
        b"!t = tensor<f32>\nbuiltin.module @m attributes {m.n = 1 : i32} {\n" + _FUNCTION + b"}\n",
        b"// A function alone.\n" + _FUNCTION,
        b"func.func public" + _FUNCTION.removeprefix(b"func.func"),
        b'"builtin.module"() <{sym_name = "m"}> ({\n' + _FUNCTION + b"}) : () -> ()\n",
    ],
    ids=["comments", "attribute", "type", "function", "public", "generic"],
)
def test_mlir_is_known_however_it_begins(text: bytes) -> None:
    assert recognise(text) is FileForm.MLIR_TEXT
    assert compat.parse_stablehlo(text) is not None
