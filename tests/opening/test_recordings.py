"""What a recording says that instructions and lines took, held against JAX's own reader."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import jax
import numpy as np
import pytest

from cli.commands import CommandLine
from jaxscope.client.dump_folders import find_dumps
from jaxscope.client.dump_reader import (
    add_recorded,
    lay_over,
    open_found,
    open_measured,
    read_recordings,
)
from jaxscope.model import Capture, is_available
from jaxscope.model.timing import NodeTimes, Profile
from jaxscope.program.xplane import MeasuredInstruction, Recording, read_recording
from jaxscope.schema.archive import load_saved

JOB = """\
import sys

import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    def body(h, _):
        return jnp.tanh(h @ w), h.sum()

    h, s = jax.lax.scan(body, x, None, length=3)
    return w - 0.1 * (h.T @ h), s


w, x = jnp.eye(64), jnp.ones((64, 64))
w, s = step(w, x)
jax.block_until_ready((w, s))
with jax.profiler.trace(sys.argv[1]):
    for _ in range(int(sys.argv[2])):
        w, s = step(w, x)
    jax.block_until_ready((w, s))
"""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The recordings of a script run alone, for 4 and 8 steps, and under `jaxscope run`."""
    home = tmp_path_factory.mktemp("recorded")
    (home / "job.py").write_text(JOB)
    dumping = f"--xla_dump_to={home}/dump --xla_dump_hlo_as_proto"
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    watched = ["-m", "jaxscope", "run", "--out", str(home / "watched"), "--"]
    found = {}
    for name, words, times in (("four", [], 4), ("eight", [], 8), ("run", watched, 4)):
        folder = home / name
        command = [sys.executable, *words, str(home / "job.py"), str(folder), str(times)]
        flags = {"XLA_FLAGS": dumping} if name == "four" else {}
        subprocess.run(
            command, env={**environment, **flags}, check=True, capture_output=True, cwd=home
        )
        (found[name],) = folder.rglob("*.xplane.pb")
    return found


@pytest.fixture(scope="module")
def recording(traces: dict[str, Path]) -> Recording:
    return read_recording(traces["four"].read_bytes())


def of_step(recording: Recording) -> list[MeasuredInstruction]:
    return [each for each in recording.instructions if each.module == "jit_step"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.slow
def test_times_are_those_that_jaxs_own_reader_gives(
    traces: dict[str, Path], recording: Recording
) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    seconds = 0.0
    for plane in jax.profiler.ProfileData.from_file(str(traces["four"])).planes:
        for line in plane.lines:
            spans = []
            for event in line.events:
                stats = dict(event.stats)
                if "hlo_op" in stats:
                    counts[str(stats["hlo_module"]), str(stats["hlo_op"])] += 1
                    spans.append((event.start_ns, event.start_ns + event.duration_ns))
            last = 0.0
            for start, end in sorted(spans):  # what a thread was at work, nested events once
                seconds += max(end - max(start, last), 0.0) * 1e-9
                last = max(last, end)
    assert Counter({(e.module, e.name): e.count for e in recording.instructions}) == counts
    assert recording.seconds == pytest.approx(seconds, rel=0.01)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["four", "run"])
def test_instructions_are_placed_on_lines(traces: dict[str, Path], name: str) -> None:
    """With the program's own names, whether the script runs alone or is watched."""
    found = read_recording(traces[name].read_bytes())
    assert found.unplaced == 0
    # Not their share of the time, which is that of whatever the machine interrupted.
    without = [each for each in found.instructions if not each.line]
    assert len(without) < len(found.instructions) / 2
    assert found.without_line == pytest.approx(sum(e.seconds for e in without) / found.seconds)
    steps = of_step(found)
    lines = {each.line for each in steps if each.file.endswith("job.py")}
    assert {10, 13} <= lines
    assert any("tanh" in each.equation for each in steps)
    assert {each.runs for each in steps} == {4}
    assert not any("jxs" in each.equation + each.name for each in steps)
    bodies = [each for each in steps if each.line == 10]
    assert {each.count for each in bodies} == {12}


def test_the_ranking_and_two_recordings_compared(
    traces: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    jaxscope = CommandLine(capsys)
    found = jaxscope("open", traces["four"], traces["eight"], "--json").json()
    first, second = found["measured"]
    costs = [each["seconds"] for each in first["instructions"]]
    assert costs == sorted(costs, reverse=True)
    for sums in (first["modules"], first["lines"], first["equations"]):
        assert sum(each["share"] for each in sums) == pytest.approx(1)
    assert {each["runs"] for each in second["instructions"] if each["module"] == "jit_step"} == {8}
    assert any(row["place"].endswith("job.py:10") and row["ratio"] for row in found["compared"])
    text = jaxscope("open", traces["four"], traces["eight"], "--all").output
    assert "What costs most in" in text and "What differs" in text
    for equation in [row["equation"] for row in first["equations"]][:5]:
        sums: Counter[str] = Counter()
        for each in first["instructions"]:
            if each["equation"] == equation:
                sums[each["operation"]] += each["seconds"]
        most = max(sums, key=sums.__getitem__, default="")
        assert re.search(rf"{re.escape(equation)} +{re.escape(most)}", text), "what runs"
    assert jaxscope("open", traces["four"], "--json").json()["compared"] is None


def test_times_are_laid_over_the_module_of_a_dump(
    traces: dict[str, Path], recording: Recording
) -> None:
    dump = (
        next(folder for folder in traces["four"].parents if (folder / "job.py").exists()) / "dump"
    )
    module = next(m for m in find_dumps([str(dump)]).modules if m.name == "jit_step")
    for paths, is_timed in (
        ([dump, traces["four"]], True),
        ([dump], False),
        ([dump, traces["four"], traces["eight"]], False),  # which of them is not told
    ):
        capture = open_found(find_dumps(list(map(str, paths))), module.label)
        times = times_of(capture)
        if is_timed:
            expected = {each.name: each.seconds / 4 for each in of_step(recording)}
            assert times == pytest.approx(expected)
        else:
            assert not times
        told = [text for text in capture.messages if "Seconds of instr" in text or "fit" in text]
        assert bool(told) == (len(paths) > 1)


def times_of(capture: Capture) -> dict[str, float]:
    """Seconds of the optimized program's instructions, by name."""
    stage = capture.stage("optimized")
    assert stage is not None and is_available(stage.graph)
    graph = stage.graph
    return {
        graph.string(graph.nodes.name, row): float(graph.nodes.seconds[row])
        for row in np.flatnonzero(~np.isnan(graph.nodes.seconds)).tolist()
    }


def test_a_recording_alone_opens_as_the_modules_that_ran(
    traces: dict[str, Path],
    recording: Recording,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The costliest where none is named; with its times, which the saved capture keeps."""
    jaxscope = CommandLine(capsys)
    folder = next(f for f in traces["four"].parents if f.name == "four")
    listed = jaxscope("open", folder, "--json").json()["modules"]
    assert {each["module"] for each in listed} == {each.module for each in recording.instructions}
    assert jaxscope("open", folder, "-o", tmp_path / "out.jaxscope").status == 0
    saved = load_saved(tmp_path / "out.jaxscope")
    assert saved.capture.call == recording.modules[0].label == listed[0]["name"]
    (profile,) = saved.lab
    assert isinstance(profile, Profile) and profile.recording == str(traces["four"])
    assert isinstance(profile.compiled, NodeTimes)
    exclusive = {each.name: each.exclusive for each in profile.compiled.times}
    assert exclusive == {each.name: each.seconds / 4 for each in of_step(recording)}
    for each in profile.compiled.times:
        assert each.exclusive <= each.seconds * (1 + 1e-9)
        assert each.low <= each.seconds <= each.high
    assert np.isnan(profile.compiled.wall) and np.isnan(profile.compiled.coverage)
    opened = open_found(find_dumps([str(folder)]), "jit_step")
    assert times_of(opened) == pytest.approx(exclusive)
    dump = folder.parent / "dump"
    module = next(m for m in find_dumps([str(dump)]).modules if m.name == "jit_step")
    own, dumped = (
        each.stage("optimized")
        for each in (opened, open_found(find_dumps([str(dump)]), module.label))
    )
    assert own is not None and dumped is not None
    assert is_available(own.text) and is_available(dumped.text)
    assert own.text.text == dumped.text.text


def test_of_two_recordings_each_has_its_own_modules(traces: dict[str, Path]) -> None:
    found = find_dumps([str(traces["four"]), str(traces["eight"])])
    recordings = read_recordings(found)
    known = add_recorded(found, recordings)
    labels = [module.label for module in known.modules]
    assert len(set(labels)) == len(labels)
    steps = [module for module in known.modules if module.name == "jit_step"]
    for module in steps:
        (path,) = module.files["recorded"]
        _, profile = open_measured(known, recordings, module.label)
        assert profile is not None and profile.recording == path


def test_a_recording_is_laid_over_a_saved_capture_of_the_same_program(
    traces: dict[str, Path], recording: Recording, tmp_path: Path
) -> None:
    """Also of one that jaxscope made, whose module has no name of its own."""
    home = next(folder for folder in traces["four"].parents if (folder / "job.py").exists())
    watched = load_saved(home / "watched" / "step.jaxscope").capture
    timed, profile = lay_over(watched, {"four": recording})
    assert profile is not None and profile.call == watched.call
    assert is_available(profile.compiled)
    protocol = profile.compiled.protocol
    assert not recording.unplaced and "could not be placed" not in protocol, "nothing to tell"
    assert set(times_of(timed)) == {each.name for each in of_step(recording)}
    _, nothing = lay_over(watched, {"other": read_recording(b"")})
    assert nothing is None


def test_a_recording_without_modules_says_so(
    traces: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = traces["four"].read_bytes()
    bare = tmp_path / "bare.xplane.pb"
    bare.write_bytes(data.replace(b"/host:metadata", b"/host:xetadata"))
    answer = CommandLine(capsys)("open", bare, "-o", tmp_path / "out.jaxscope")
    assert answer.status == 1
    assert "only a profile without modules" in answer.errors
    assert "100.0% of it could not be placed" in CommandLine(capsys)("open", bare).output


def test_a_damaged_recording_is_said(
    traces: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = traces["four"].read_bytes()
    (tmp_path / "cut.xplane.pb").write_bytes(data[: len(data) * 2 // 3])
    answer = CommandLine(capsys)("open", tmp_path / "cut.xplane.pb")
    assert answer.status == 0
    assert "is damaged or cut off" in answer.output


def test_no_bytes_make_the_reader_fail(traces: dict[str, Path]) -> None:
    data = traces["four"].read_bytes()
    for place in range(0, len(data), len(data) // 60):
        changed = bytearray(data)
        changed[place] ^= 0xFF
        for hostile in (bytes(changed), data[:place]):
            try:
                found = read_recording(hostile)
            except ValueError as error:
                assert "no recording" in str(error)
            else:
                assert found.seconds >= 0 and 0 <= found.unplaced <= 1
