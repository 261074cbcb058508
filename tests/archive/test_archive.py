"""Captures in files: nothing is lost, nothing is run, nothing half-written or half-read."""

from __future__ import annotations

import builtins
import dataclasses
import errno
import json
import math
import os
import stat
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.errors import EnvironmentProblem, SourceError, UsageError
from jaxscope.export.capture_json import capture_to_json
from jaxscope.marks import show_marks
from jaxscope.model import (
    Capture,
    Environment,
    FunctionSource,
    SourceFile,
    Stage,
    StageText,
    Unavailable,
)
from jaxscope.model.graph import Cost
from jaxscope.model.timing import Noise
from jaxscope.schema.archive import load_capture, load_session, save_capture
from jaxscope.schema.archive_container import MAX_JSON_ITEMS
from jaxscope.schema.contract import timing_to_json
from tests.archive.recorded import TIMING, capture

EVIL = "__import__('os').system('touch canary')\x1b[2J<script>\u202e../../etc/passwd"

ENVIRONMENT = ("jax", "jaxlib", "python", "platform", "device", "host", "recorded_at")

Entries = dict[str, bytes]
Manifest = dict[str, Any]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("archive") / "capture.jaxscope"
    save_capture(capture(), path, TIMING)
    return path


def same(first: Capture, second: Capture) -> bool:
    return json.dumps(capture_to_json(first)) == json.dumps(capture_to_json(second))


def rewrite(saved: Path, path: Path, change: Callable[[Entries], None]) -> Path:
    """A copy of a good file with some entries changed."""
    with zipfile.ZipFile(saved) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def edit_manifest(change: Callable[[Manifest], None]) -> Callable[[Entries], None]:
    def apply(entries: Entries) -> None:
        manifest = json.loads(entries["manifest.json"])
        change(manifest)
        entries["manifest.json"] = json.dumps(manifest).encode()

    return apply


def test_what_is_saved_comes_back(saved: Path) -> None:
    loaded, timing = load_session(saved)
    assert same(loaded, capture())
    assert loaded.files == capture().files
    for stage, original in zip(loaded.stages, capture().stages, strict=True):
        assert isinstance(stage.text, StageText) == isinstance(original.text, StageText)
        if isinstance(stage.text, StageText) and isinstance(original.text, StageText):
            assert stage.text.line_nodes.tolist() == original.text.line_nodes.tolist()
    assert timing is not None
    assert timing_to_json(timing) == timing_to_json(TIMING)


def test_measurements_that_0_1_wrote_into_the_manifest_are_read(
    saved: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(saved) as archive:
        assert json.loads(archive.read("manifest.json"))["timing"] is None  # nothing twice
    measurement = {
        "name": "jit",
        "median": 2e-3,
        "low": 1e-3,
        "high": None,
        "confidence": None,
        "runs": 2,
        "samples": [1e-3, None],
        "is_noisy": True,
        "unit": "s",
        "protocol": "How.",
        "reasons": ["Busy."],
    }
    ratio = {"name": "eager/jit", "median": 3.0, "low": 2.9, "high": 3.1, "verdict": "faster"}
    timing = {
        "call": "f(x)",
        "environment": dict.fromkeys(ENVIRONMENT, "?"),
        "measurements": [measurement],
        "ratios": [ratio],
        "warnings": ["W."],
    }

    def as_0_1(entries: Entries) -> None:
        edit_manifest(lambda manifest: manifest.update(timing=timing))(entries)
        del entries["lab.json"]

    _, found = load_session(rewrite(saved, tmp_path / "a.jaxscope", as_0_1))
    assert found is not None
    (read,) = found.measurements
    assert (read.name, read.median, read.runs, read.reasons) == ("jit", 2e-3, 2, ("Busy.",))
    assert math.isnan(read.samples[1])
    assert math.isnan(read.began)
    assert (found.ratios[0].median, found.warnings) == (3.0, ("W.",))

    timing["measurements"] = [{**measurement, "mood": "sunny"}]
    with pytest.raises(SourceError, match="damaged"):
        load_session(rewrite(saved, tmp_path / "b.jaxscope", as_0_1))


def test_capture_without_timing_has_none(tmp_path: Path) -> None:
    save_capture(capture(), tmp_path / "a.jaxscope")
    assert load_session(tmp_path / "a.jaxscope")[1] is None


def test_equal_captures_make_equal_files(tmp_path: Path) -> None:
    save_capture(capture(), tmp_path / "a")
    save_capture(capture(), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_reasons_for_what_is_missing_are_kept(tmp_path: Path) -> None:
    gone = Unavailable("Nobody asked.", "hlo", is_on_request=True)
    stage = Stage("hlo", "HLO", gone, gone, Cost(), Unavailable("Not measured."), gone)
    save_capture(dataclasses.replace(capture(), stages=(stage,)), tmp_path / "a")
    (loaded,) = load_capture(tmp_path / "a").stages
    assert (loaded.text, loaded.graph, loaded.unavailable) == (gone, gone, gone)
    assert not loaded.cost.is_known
    assert loaded.seconds == Unavailable("Not measured.")


def test_names_that_are_no_unicode_are_saved_readably(tmp_path: Path) -> None:
    strange = SourceFile("/data/\udce9.py", "x = '\udce9'\n", "0" * 64)
    save_capture(dataclasses.replace(capture(), files=(strange,)), tmp_path / "a")
    (loaded,) = load_capture(tmp_path / "a").files
    assert (loaded.path, loaded.text) == ("/data/?.py", "x = '?'\n")


def test_saving_leaves_nothing_but_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jaxscope"
    save_capture(capture(), path)
    save_capture(capture(), path)
    assert os.listdir(tmp_path) == ["a.jaxscope"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


def test_failed_save_leaves_the_old_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jaxscope"
    path.write_bytes(b"old")

    def fail(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(EnvironmentProblem) as raised:
        save_capture(capture(), path)
    assert raised.value.explanation.why == "No space left on device"
    assert "space" in raised.value.explanation.remedy
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.jaxscope"]


def test_saving_into_nowhere_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="folder that does not exist"):
        save_capture(capture(), tmp_path / "no" / "a.jaxscope")
    with pytest.raises(UsageError, match="is a folder"):
        save_capture(capture(), tmp_path)


def test_opening_runs_nothing_and_opens_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file whose every text is a payload: each comes back as the text that it is."""
    monkeypatch.chdir(tmp_path)

    def hostile(text: str) -> Capture:
        return dataclasses.replace(
            capture(),
            call=text,
            base=text,
            transforms=(text,),
            source=FunctionSource("/etc/passwd", 1, text),
            files=(SourceFile("/etc/passwd", EVIL, "0" * 64),),
            environment=Environment(text, text, text, text, text, text, text),
            target=f"ssh://{text}",
            messages=(text,),
        )

    path = tmp_path / "evil.jaxscope"
    save_capture(hostile(EVIL), path)
    load_capture(path)  # what reads records is made for the first file, by `eval` of their types
    opened: list[str] = []
    real_open = os.open

    def watch(name: str, *rest: int) -> int:
        opened.append(str(name))
        return real_open(name, *rest)

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("opening a file ran something")

    monkeypatch.setattr(os, "open", watch)
    monkeypatch.setattr(builtins, "open", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(os, "system", refuse)
    monkeypatch.setattr(builtins, "eval", refuse)
    monkeypatch.setattr(builtins, "exec", refuse)
    loaded = load_capture(path)
    monkeypatch.undo()
    assert opened == [str(path)]
    assert same(loaded, hostile(show_marks(EVIL)))
    assert loaded.files == hostile(EVIL).files
    assert os.listdir(tmp_path) == ["evil.jaxscope"]


def refused(path: Path) -> str:
    with pytest.raises(SourceError) as raised:
        load_session(path)
    explanation = raised.value.explanation
    assert explanation.where == str(path)
    assert explanation.remedy
    return explanation.why


def test_missing_file(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.jaxscope") == "No such file or directory"


def test_folders_and_pipes_are_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe") == "It is no regular file."
    assert "regular file" in refused(tmp_path) or "directory" in refused(tmp_path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jaxscope"
    path.write_bytes(b"")
    assert refused(path)
    path.write_text("print('hello')\n")
    assert "not a zip" in refused(path)


@pytest.mark.parametrize("part", [0.01, 0.3, 0.9, 0.999])
def test_truncated_files_are_refused(saved: Path, tmp_path: Path, part: float) -> None:
    data = saved.read_bytes()
    path = tmp_path / "cut.jaxscope"
    path.write_bytes(data[: int(len(data) * part)])
    assert refused(path)


def _grow(entries: Entries) -> None:
    entries["stages/0.bin"] += b"\0"


def _shrink(entries: Entries) -> None:
    entries["stages/0.bin"] = entries["stages/0.bin"][:-1]


def _array_of_objects(manifest: Manifest) -> None:
    manifest["stages"][0]["arrays"][0][1] = "object"


def _array_twice(manifest: Manifest) -> None:
    arrays = manifest["stages"][0]["arrays"]
    arrays[1][0] = arrays[0][0]


def _huge_array(manifest: Manifest) -> None:
    manifest["stages"][0]["arrays"][0][2] = [2**39, 2**39]


def _negative_array(manifest: Manifest) -> None:
    manifest["stages"][0]["arrays"][0][2] = [-1]


CHANGES: dict[str, tuple[Callable[[Entries], None], str]] = {
    "no manifest": (lambda e: e.pop("manifest.json") and None, "manifest.json is missing"),
    "no stage": (lambda e: e.pop("stages/1.bin") and None, "stages/1.bin is missing"),
    "stage of nothing": (lambda e: e.update({"stages/40.bin": b""}), "belongs to no stage"),
    "path out": (lambda e: e.update({"../evil.py": b"x"}), "no capture has"),
    "absolute path": (lambda e: e.update({"/etc/evil": b"x"}), "no capture has"),
    "pickle": (lambda e: e.update({"data.pkl": b"x"}), "no capture has"),
    "many": (lambda e: e.update({f"stages/{i}.bin": b"" for i in range(99)}), "at most 64"),
    "longer": (_grow, "more bytes than its arrays"),
    "shorter": (_shrink, "past the end"),
    "not JSON": (lambda e: e.update({"manifest.json": b"\xff{"}), ""),
    "deep": (lambda e: e.update({"sources.json": b"[" * 10**6}), ""),
    "objects": (edit_manifest(_array_of_objects), "Invalid enum value"),
    "twice": (edit_manifest(_array_twice), "there twice"),
    "huge": (edit_manifest(_huge_array), "past the end"),
    "negative": (edit_manifest(_negative_array), ">= 0"),
    "version": (edit_manifest(lambda m: m.update(version=99)), "version 99"),
    "format": (edit_manifest(lambda m: m.update(format="zip")), "not 'jaxscope.session'"),
    "unknown field": (edit_manifest(lambda m: m.update(run="rm")), "unknown field"),
    "missing field": (edit_manifest(lambda m: m.pop("call")), "missing required field"),
    "wrong type": (edit_manifest(lambda m: m.update(messages="x")), "Expected `array`"),
    "sources": (lambda e: e.update({"sources.json": b'{"texts":["a","b"]}'}), "source files"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_files_that_do_not_fit_are_refused_as_a_whole(
    saved: Path, tmp_path: Path, name: str
) -> None:
    change, why = CHANGES[name]
    assert why in refused(rewrite(saved, tmp_path / "bad.jaxscope", change))


def test_entry_that_is_there_twice_is_refused(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "twice.jaxscope"
    path.write_bytes(saved.read_bytes())
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(path, "a") as archive,
    ):
        archive.writestr("manifest.json", b"{}")
    assert "twice" in refused(path)


def test_encrypted_entry_is_refused(saved: Path, tmp_path: Path) -> None:
    data = bytearray(saved.read_bytes())
    central = data.index(b"PK\x01\x02")
    data[central + 8] |= 1
    path = tmp_path / "locked.jaxscope"
    path.write_bytes(data)
    assert "encrypted" in refused(path)


def test_bomb_is_stopped_while_it_inflates(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit counts what comes out, not what the header announces."""
    monkeypatch.setattr("jaxscope.schema.archive_container.MAX_TOTAL_BYTES", 8 << 20)
    bomb = rewrite(
        saved, tmp_path / "bomb.jaxscope", lambda e: e.update({"stages/0.bin": bytes(64 << 20)})
    )
    assert bomb.stat().st_size < 1 << 20
    assert "inflates to more than 8 MiB" in refused(bomb)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ("manifest.json", "lab.json", "window.json"))
def test_lists_without_end_are_refused_before_they_take_memory(
    saved: Path, tmp_path: Path, name: str
) -> None:
    """They pack to nothing, and each of their items would be an object."""

    def fill(entries: Entries) -> None:
        entries[name] = b'{"messages": [' + b'"",' * MAX_JSON_ITEMS + b'"",""]}'

    bomb = rewrite(saved, tmp_path / "bomb.jaxscope", fill)
    assert bomb.stat().st_size < 1 << 20
    assert "more than 4,000,000 items" in refused(bomb)

    bomb = rewrite(saved, tmp_path / "long.jaxscope", lambda e: e.update({name: bytes(65 << 20)}))
    assert "inflates to more than 64 MiB" in refused(bomb)


def test_json_is_read_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "it.json"
    os.mkfifo(path)
    assert refused(path) == "It is no regular file."  # at once: nobody writes to it
    path.unlink()
    path.symlink_to("/dev/zero")
    assert refused(path) == "It is no regular file."
    path.unlink()
    with open(path, "wb") as file:
        file.truncate((256 << 20) + 1)
    assert refused(path) == "It is larger than 256 MiB."
    monkeypatch.setattr("jaxscope.schema.contract.MAX_ITEMS", 10)
    path.write_text('{"messages": [' + '"",' * 10 + '"",""]}')
    assert "more than 10 items" in refused(path)


@settings(max_examples=200)
@given(st.data())
def test_changed_bytes_open_or_are_refused(saved: Path, data: st.DataObject) -> None:
    broken = bytearray(saved.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    path = saved.with_name("broken.jaxscope")
    path.write_bytes(broken)
    try:
        load_session(path)
    except SourceError as error:
        assert error.explanation.what


def test_reasons_for_noise_are_kept_with_their_numbers(tmp_path: Path) -> None:
    reasons = (Noise("others", 1.25, 4), Noise("spread", 0.36), "Told by an earlier release.")
    jit = dataclasses.replace(TIMING.measurements[0], reasons=reasons)
    told = dataclasses.replace(TIMING, measurements=(jit,))
    save_capture(capture(), tmp_path / "a.jaxscope", told)
    _, found = load_session(tmp_path / "a.jaxscope")
    assert found is not None
    assert found.measurements[0].reasons == reasons
