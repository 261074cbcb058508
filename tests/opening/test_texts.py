"""Logs, messages that memory did not suffice, and memory profiles: real ones where they can be made
here; the messages of GPUs and TPUs are made up after the form that XLA gives them.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from cli.commands import CommandLine
from jaxscope.client.dump_folders import find_dumps, is_dump
from jaxscope.client.dump_reader import read_texts
from jaxscope.errors import SourceError
from jaxscope.program.job_texts import (
    HeldMemory,
    JobText,
    read_compilations,
    read_memory_profile,
    read_out_of_memory,
    read_size,
    repeated,
)
from jaxscope.report.document import write_text
from jaxscope.report.opened import texts_to_document
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.text_dialog import TextDialog

JOB = """\
import jax, jax.numpy as jnp
compiled = []
jax.monitoring.register_event_duration_secs_listener(
    lambda name, seconds, **kwargs: compiled.append(seconds)
    if name == "/jax/core/compile/backend_compile_duration" else None)
jax.config.update("jax_log_compiles", True)
jax.config.update("jax_explain_cache_misses", True)
@jax.jit
def step(x, n=1.0):
    return jnp.tanh(x) * n
def body():
    for x in (jnp.ones(3), jnp.ones(4), jnp.ones(4, jnp.int32)):
        step(x)
    for i in range(2):
        jax.jit(lambda v: v + i)(jnp.ones(3))
body()
kept = jnp.ones((500, 200))
def keep():
    return jnp.zeros((64, 1024)) + 1
also = keep()
jax.profiler.save_device_memory_profile("memory.prof")
print(len(compiled), sum(array.nbytes for array in jax.live_arrays()))
"""
GPU = """\
jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate \
3221225472 bytes.
BufferAssignment OOM Debugging.
BufferAssignment stats:
             parameter allocation:    1.50GiB
              constant allocation:         4B
        maybe_live_out allocation:    1.00GiB
     preallocated temp allocation:    3.00GiB
  preallocated temp fragmentation:     2.0KiB (0.00%)
                 total allocation:    5.50GiB
Peak buffers:
\tBuffer 1:
\t\tSize: 2.00GiB
\t\tOperator: op_name="jit(step)/jit(main)/mul" source_file="/home/me/model.py" source_line=130
\t\tXLA Label: fusion
\t\tShape: f32[128,2048,2048]
\t\t==========================

\tBuffer 2:
\t\tSize: 512.0MiB
\t\tEntry Parameter Subshape: f32[64,2048,1024]
\t\t==========================

"""
TPU = """\
RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. \
Used 20.00G of 15.50G hbm. Exceeded hbm capacity by 4.50G.

Total hbm usage >= 20.53G:
    reserved        530.00M
    program          20.00G
    arguments            0B

Output size 0B; shares 0B with arguments.

Program hbm requirement 20.00G:
    global           276.0K
    HLO temp         20.00G (33.1% utilization: Unpadded (6.62G) Padded (20.00G))

  Largest program allocations in hbm:

  1. Size: 14.00G
     Operator: op_name="jit(step)/one_hot" source_file="/home/me/loss.py" source_line=7
     Shape: s32[29360128,10]{1,0:T(8,128)}
     Unpadded size: 1.09G
     Extra memory due to padding: 12.91G (12.8x expansion)
     XLA label: %iota.2 = s32[29360128,10]{1,0:T(8,128)} iota(), iota_dimension=1
     Allocation type: HLO temp
     ==========================
"""


class Job:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "job.py").write_text(JOB)
        done = subprocess.run(
            [sys.executable, "job.py"], cwd=folder, capture_output=True, text=True, check=True
        )
        (folder / "job.log").write_text("starting\n" + done.stderr)
        (folder / "gpu.txt").write_text(f"epoch 3\n{GPU}" + GPU)
        (folder / "tpu.err").write_text(TPU)
        self.num_compiled, self.num_bytes = map(int, done.stdout.split())


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    return Job(tmp_path_factory.mktemp("texts"))


@pytest.mark.slow
def test_a_log_has_every_compilation_and_why(job: Job) -> None:
    found = read_compilations((job.folder / "job.log").read_text())
    assert len(found) == job.num_compiled
    assert all(None not in (each.trace, each.lower, each.compile) for each in found)
    steps = [each for each in found if each.function == "step"]
    assert [each.types[0] for each in steps] == ["float32[3]", "float32[4]", "int32[4]"]
    where = JOB.split("\n").index("@jax.jit") + 1
    assert {each.place for each in steps} == {f"{job.folder}/job.py:{where}"}
    assert steps[0].why == "" and "now f32[4] and before f32[3]" in steps[1].why
    lambdas = [each for each in found if each.function == "<lambda>"]
    assert "re-defined repeatedly" in lambdas[1].why
    assert {"step", "<lambda>"} <= {name for name, _ in repeated(found)}


def test_a_log_with_words_before_each_line_and_of_earlier_releases() -> None:
    text = (
        "WARNING:2026-01-01 10:00:00,123:jax._src.dispatch:272: Finished tracing + transforming "
        "train_step for pjit in 0.5 sec\n"
        "WARNING: Compiling train_step with global shapes and types [ShapedArray(bfloat16[8,4]), "
        "ShapedArray(int32[], weak_type=True)]. Argument mapping: (None,).\n"
        "other\nFinished jaxpr to MLIR module conversion jit(train_step) in 0.25 sec\n"
        "Finished XLA compilation of jit(train_step) in 2 sec\n"
        "Finished XLA compilation of jit(begun_before) in 1.5e-1 sec\n"
    )
    first, second = read_compilations(text)
    assert (first.function, first.types) == ("train_step", ("bfloat16[8,4]", "int32[] (weak type)"))
    assert (first.trace, first.lower, first.compile, first.seconds) == (0.5, 0.25, 2.0, 2.75)
    assert (second.function, second.compile, second.trace) == ("begun_before", 0.15, None)


def test_a_message_of_a_gpu() -> None:
    (found,) = read_out_of_memory(f"step 7\n{GPU}later\n{GPU}")
    assert found.wanted == 3 * 2**30 and found.capacity is None and found.is_whole
    assert dict(found.sums)["preallocated temp allocation"] == 3 * 2**30
    assert dict(found.sums)["constant allocation"] == 4
    first, second = found.buffers
    assert (first.size, first.file, first.line) == (2 * 2**30, "/home/me/model.py", 130)
    assert (first.shape, first.label, first.name) == (
        "f32[128,2048,2048]", "fusion", "jit(step)/jit(main)/mul",
    )  # fmt: skip
    assert (second.kind, second.shape, second.size) == (
        "argument", "f32[64,2048,1024]", 512 * 2**20,
    )  # fmt: skip


def test_a_buffer_whose_size_is_not_said_has_none() -> None:
    text = (
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes.\n"
        "BufferAssignment OOM Debugging.\n"
        "\tBuffer 1:\n\t\tXLA Label: fusion\n\t\tShape: f32[8]\n\t\t==========\n"
    )
    (found,) = read_out_of_memory(text)
    assert [(buffer.size, buffer.label) for buffer in found.buffers] == [(None, "fusion")]
    told = write_text(texts_to_document({"job.log": JobText(lacks=(found,))}))
    assert "0 B" not in told


def test_a_message_of_a_tpu() -> None:
    (found,) = read_out_of_memory(TPU)
    assert (found.wanted, found.capacity) == (20 * 2**30, 15.5 * 2**30)
    assert dict(found.sums) == {
        "Total hbm usage, at least": 20.53 * 2**30,
        "reserved": 530 * 2**20,
        "program": 20 * 2**30,
        "arguments": 0,
        "global": 276 * 2**10,
        "HLO temp": 20 * 2**30,
    }
    (buffer,) = found.buffers
    assert (buffer.size, buffer.unpadded, buffer.line) == (14 * 2**30, 1.09 * 2**30, 7)


@pytest.mark.parametrize(
    ("text", "size"),
    [("0B", 0), ("17 bytes", 17), ("1.50KiB", 1536), ("2G", 2 * 2**30), ("3.0M", 3 * 2**20),
     ("", None), ("G", None), ("1.2.3G", None), ("5 apples", None)],
)  # fmt: skip
def test_sizes(text: str, size: float | None) -> None:
    assert read_size(text) == size


def find(node: HeldMemory, function: str) -> HeldMemory:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.function == function:
            return each
        waiting += each.inside
    raise LookupError(function)


def test_a_memory_profile_has_all_arrays_by_their_lines(job: Job) -> None:
    root = read_memory_profile(gzip.decompress((job.folder / "memory.prof").read_bytes()))
    assert root.num_bytes == job.num_bytes
    lines = JOB.split("\n")
    kept = find(root, "keep")
    assert kept.num_bytes == 64 * 1024 * 4
    assert lines[kept.line - 1] == "    return jnp.zeros((64, 1024)) + 1"
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.inside:
            assert node.num_bytes == sum(each.num_bytes for each in node.inside)
            assert node.count == sum(each.count for each in node.inside)
        assert "/jax/_src/" not in node.file
        waiting += node.inside


def test_a_folder_with_all_of_them(job: Job) -> None:
    found = find_dumps([str(job.folder)])
    assert not found.modules and len(found.texts) == 4
    texts = read_texts(found)
    assert not any(isinstance(each, str) for each in texts.values())


def test_the_command_line_tells_them(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    jaxscope = CommandLine(capsys)
    told = jaxscope("open", job.folder, "--all").output
    assert "step was compiled 3 times" in told and "now f32[4] and before f32[3]" in told
    assert "20.0 GiB were wanted of 15.5 GiB: 4.50 GiB too much." in told
    assert "(1.09 GiB without padding)" in told and "model.py:130" in told
    assert "keep job.py:" in told
    found = jaxscope("open", job.folder, "--all", "--json").json()
    texts = {Path(each["path"]).name: each for each in found["texts"]}
    assert texts["memory.prof"]["memory"]["bytes"] == job.num_bytes
    assert texts["tpu.err"]["out_of_memory"][0]["buffers"][0]["line"] == 7
    assert len(texts["job.log"]["compilations"]) == job.num_compiled


def test_cut_off_and_foreign_ones_say_so(job: Job, tmp_path: Path) -> None:
    profile = gzip.decompress((job.folder / "memory.prof").read_bytes())
    (tmp_path / "cut.prof").write_bytes(profile[: len(profile) // 2])
    (tmp_path / "other.prof").write_bytes(b"\x0a\x04\x08\x01\x10\x02" * 2 + b"\x32\x00\x32\x03cpu")
    (tmp_path / "cut.txt").write_text(GPU[: GPU.index("XLA Label")])
    (tmp_path / "words.log").write_text("TRACING CACHE MISS at nowhere\n")
    texts = {
        Path(path).name: each for path, each in read_texts(find_dumps([str(tmp_path)])).items()
    }
    assert "damaged or cut off" in str(texts["cut.prof"])
    assert "not of memory" in str(texts["other.prof"])
    assert "no line that is whole" in str(texts["words.log"])
    cut = texts["cut.txt"]
    assert isinstance(cut, JobText) and not cut.lacks[0].is_whole and cut.lacks[0].buffers[0].line
    (tmp_path / "notes.log").write_text("nothing of JAX here\n")
    assert not is_dump(str(tmp_path / "notes.log"))
    with pytest.raises(SourceError):
        find_dumps([str(tmp_path / "notes.log")])


def test_what_stands_far_behind_is_found_in_a_text_that_was_named(tmp_path: Path) -> None:
    (tmp_path / "long.log").write_text("nothing\n" * (3 << 20) + GPU)
    assert find_dumps([str(tmp_path / "long.log")]).texts
    (tmp_path / "short.log").write_text("nothing\n" * (1 << 20) + GPU)
    found = find_dumps([str(tmp_path)])
    assert [Path(path).name for path in found.texts] == ["short.log"]


def test_a_python_file_with_such_words_is_one(tmp_path: Path) -> None:
    (tmp_path / "reader.py").write_text('WORDS = "Finished XLA compilation of "\n')
    assert not is_dump(str(tmp_path / "reader.py"))


def test_the_window_shows_several_together(qtbot: QtBot, window: MainWindow, job: Job) -> None:
    window.files.open_together([str(job.folder / name) for name in ("job.log", "memory.prof")])
    qtbot.waitUntil(lambda: bool(window.findChildren(TextDialog)))
    (dialog,) = window.findChildren(TextDialog)
    titles = [dialog.tabs.tabText(number) for number in range(dialog.tabs.count())]
    assert titles == ["What was compiled", "What was held in memory"]
    dialog.close()


def test_a_python_file_is_not_opened_together_with_others(
    qtbot: QtBot, window: MainWindow, job: Job
) -> None:
    window.files.open_together([str(job.folder / "job.py"), str(job.folder / "job.log")])
    error = window.controller.state.error
    assert error is not None and "job.py cannot be opened together" in str(error)
