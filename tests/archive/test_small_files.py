"""Files of a small capture with every field set: each comes back, and limits are where they are."""

from __future__ import annotations

import dataclasses
import errno
import json
import math
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jaxscope.errors import EnvironmentProblem, SourceError, UsageError
from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import (
    Bookmark,
    Capture,
    Check,
    Cost,
    Fate,
    PassRecord,
    Severity,
    Stage,
    StageText,
    Unavailable,
)
from jaxscope.model.capture import NO_PLACEMENT, Device, Job, Member, MemoryPlan, Placement
from jaxscope.model.graph import graph_to_arrays
from jaxscope.model.op_name import TagTable
from jaxscope.model.timing import Measurement, Profile, Ratio, ScalePoint, Scaling, Timing
from jaxscope.program.fates.table import FateTable
from jaxscope.schema import archive_container
from jaxscope.schema.archive import (
    MAX_BOOKMARKS,
    MAX_COMMENT_BYTES,
    decode_bookmarks,
    decode_lab,
    encode_bookmarks,
    encode_lab,
    load_capture,
    load_saved,
    load_session,
    save_capture,
    split_timing,
)
from tests.window.programs import build_capture

OLD = dataclasses.replace(build_capture().environment, processors=None)
NEW = dataclasses.replace(OLD, processors=4)
CLAIMED = Measurement("jit", 2.0, 1.5, 2.5, 0.95, 3, (1.0, 2.0, 4.0), False)


def full() -> Capture:
    base = build_capture()
    numbers: dict[str, Any] = {
        field.name: float(number)
        for number, field in enumerate(dataclasses.fields(MemoryPlan), 1)
        if field.name.endswith("_bytes")
    }
    gone = Stage("hlo", "HLO", *[Unavailable("No.", "hlo")] * 2, Cost(), Unavailable("Never."))
    whole = Unavailable("It failed.", "machine")
    failed = Stage("machine", "machine code", whole, whole, Cost(), whole, whole)
    return dataclasses.replace(
        base,
        stages=(*base.stages, gone, failed),
        fates={"0": Fate("fused", "fusion", ("f",), ("1",), "Text.", "inferred")},
        checks=(Check("rule", Severity.WARNING, "What.", "Do.", file="/f.py", line=3),),
        passes=(PassRecord("algsimp", "simplification", 5, 1, 1, 2, 3, Cost(1.0, 2.0, 3.0)),),
        pass_tags=TagTable(("0",), ("0", "1")),
        fusion_log="It fused.",
        memory=MemoryPlan(**numbers),
        bookmarks=(Bookmark("jaxpr", "0", "Look."),),
        placement=Placement((Device(0, "cpu", 0),), (("x", 1),)),
        job=Job(1, (Member("a"), Member("b", "1", "2"))),
        wall_seconds=0.5,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.jaxscope"


def saved(capture: Capture, path: Path) -> Capture:
    save_capture(capture, path)
    return load_capture(path)


def test_everything_comes_back(path: Path) -> None:
    before = full()
    after = saved(before, path)
    for field in dataclasses.fields(Capture):
        if field.name not in ("stages", "environment"):
            now, then = (repr(getattr(each, field.name)) for each in (after, before))
            assert now == then, field.name
    assert after.environment == before.environment
    assert json.dumps(capture_to_json(after)) == json.dumps(capture_to_json(before))
    for stage, original in zip(after.stages, before.stages, strict=True):
        for name in ("name", "title", "seconds", "unavailable"):
            assert getattr(stage, name) == getattr(original, name)
        for part in ("text", "graph"):
            value = getattr(original, part)
            if isinstance(value, Unavailable):
                assert getattr(stage, part) == value
    for graphs in zip(after.stages[:3], before.stages[:3], strict=True):
        arrays = [graph_to_arrays(stage.graph) for stage in graphs]  # type: ignore[arg-type] # known
        assert arrays[0].keys() == arrays[1].keys()
        for name, array in arrays[0].items():
            np.testing.assert_array_equal(array, arrays[1][name])


def test_costs_and_arrays_stand_in_the_manifest_as_lists(path: Path) -> None:
    """Files that were written before have them so."""
    save_capture(build_capture(), path)
    with zipfile.ZipFile(path) as archive:
        stage = json.loads(archive.read("manifest.json"))["stages"][0]
    assert stage["cost"] == [3.0, 24.0, 0.0]
    assert stage["arrays"][-1] == ["text.utf8", "uint8", [stage["arrays"][-1][2][0]]]


def test_what_is_missing_in_the_capture_is_missing_in_the_file(path: Path) -> None:
    plain = dataclasses.replace(build_capture(), memory=Unavailable("No plan."), wall_seconds=0.0)
    after = saved(plain, path)
    with zipfile.ZipFile(path) as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == {
            *("manifest.json", "sources.json", "stages")
        }
        assert archive.comment == b""
    assert (after.passes, repr(after.pass_tags), after.fusion_log) == ((), repr(TagTable()), "")
    assert (after.memory, after.placement) == (Unavailable("No plan."), NO_PLACEMENT)
    assert (after.job, after.bookmarks, after.wall_seconds) == (None, (), 0.0)
    assert load_saved(path).layout == ""
    gone = dataclasses.replace(plain, placement=Unavailable("Not told."))
    assert saved(gone, path).placement == Unavailable("Not told.")


def test_fates_that_the_stages_tell_are_found_again(path: Path) -> None:
    capture = build_capture()
    table = FateTable(capture.stages)
    after = saved(dataclasses.replace(capture, fates=table), path)
    assert isinstance(after.fates, FateTable)
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("manifest.json"))["fates"] == {}
    assert dict(after.fates) == dict(table) != {}


def change_manifest(path: Path, **changes: Any) -> None:
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(entries["manifest.json"])
    for name, value in changes.items():
        (manifest["stages"][0] if name in manifest["stages"][0] else manifest)[name] = value
    entries["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def test_a_time_that_a_file_lacks_was_not_saved(path: Path) -> None:
    save_capture(build_capture(), path)
    change_manifest(path, seconds=None, wall_seconds=None)
    after = load_capture(path)
    assert after.stages[0].seconds == Unavailable("The time was not saved.")
    assert after.stages[1].seconds == 0.001
    assert after.wall_seconds == 0.0


@pytest.mark.parametrize("change", [{"wall_seconds": "1.0"}, {"version": "1"}, {"seconds": "1"}])
def test_numbers_as_texts_are_refused(path: Path, change: dict[str, Any]) -> None:
    save_capture(build_capture(), path)
    change_manifest(path, **change)
    with pytest.raises(SourceError, match="damaged"):
        load_capture(path)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([-1, 0], "the links of a text do not fit its lines"),
        ([0.0, 1.0, 2.0], "the links of a text do not fit its lines"),
        ([[0], [0], [0]], "the links of a text do not fit its lines"),
        ([-2, 0, 0], "a line of a text links to a node that is not there"),
        ([0, 0, 4], "a line of a text links to a node that is not there"),
    ],
)
def test_lines_of_a_text_link_to_nodes_that_are_there(
    path: Path, lines: list[Any], why: str
) -> None:
    capture = build_capture()
    dtype = np.float64 if isinstance(lines[0], float) else np.int32
    bad = StageText("a\nb\nc", np.array(lines, dtype))
    stage = dataclasses.replace(capture.stages[0], text=bad)
    save_capture(dataclasses.replace(capture, stages=(stage,)), path)
    with pytest.raises(SourceError) as raised:
        load_capture(path)
    assert raised.value.explanation.why == why


def test_lines_of_a_text_without_a_graph_link_to_nothing(path: Path) -> None:
    text = StageText("a\nb\nc", np.array([-1, 0, -1], np.int32))
    stage = dataclasses.replace(full().stages[3], text=text)
    save_capture(dataclasses.replace(build_capture(), stages=(stage,)), path)
    with pytest.raises(SourceError) as raised:
        load_capture(path)
    assert raised.value.explanation.why == "a line of a text links to a node that is not there"


def test_an_error_without_words_is_told_as_a_file_that_ends_too_early(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(_file: object) -> None:
        raise EOFError

    path.write_bytes(b"")
    monkeypatch.setattr(archive_container, "_read_zip", end)
    with pytest.raises(SourceError) as raised:
        archive_container.read(path)
    assert raised.value.explanation.why == "The end of the file is missing."


def test_items_are_counted_to_the_last() -> None:
    archive_container.check_items(b"[1,2,3]", 2)
    with pytest.raises(ValueError, match="more than 1 items"):
        archive_container.check_items(b"[1,2,3]", 1)


def test_lines_link_to_the_first_and_the_last_node_and_to_none(path: Path) -> None:
    capture = build_capture()
    for lines, stage in (([-1, 0, 3], capture.stages[0]), ([-1] * 3, full().stages[3])):
        text = StageText("a\n\udc80b\nc", np.array(lines, np.int32))
        changed = dataclasses.replace(stage, text=text)
        after = saved(dataclasses.replace(capture, stages=(changed,)), path).stages[0].text
        assert isinstance(after, StageText)
        assert (after.text, after.line_nodes.tolist()) == (text.text, lines)


def test_the_comment_has_room_for_so_much() -> None:
    assert encode_bookmarks(()) == b""
    empty = len(encode_bookmarks([Bookmark("jaxpr", "0")]))
    room = MAX_COMMENT_BYTES - empty
    assert len(encode_bookmarks([Bookmark("jaxpr", "0", "x" * room)])) == MAX_COMMENT_BYTES == 65535
    with pytest.raises(UsageError, match="There are 1 bookmarks with 65,536 bytes"):
        encode_bookmarks([Bookmark("jaxpr", "0", "x" * (room + 1))])
    many = [Bookmark("", "")] * MAX_BOOKMARKS
    assert decode_bookmarks(encode_bookmarks(many)) == tuple(many)
    with pytest.raises(UsageError):
        encode_bookmarks([*many, many[0]])


def test_measurements_of_one_process_that_an_earlier_release_saved_claim_nothing() -> None:
    ratio = Ratio("a/b", 2.0, 1.5, 2.5, "faster", 0.95)
    points = (ScalePoint(1, CLAIMED, CLAIMED), ScalePoint(2, None, None))
    for environment, claims in ((OLD, False), (NEW, True)):
        timing = Timing("f", environment, (CLAIMED,), (ratio,), ())
        scaling = Scaling("f", environment, "n", points, ())
        profile = Profile("f", environment, Unavailable("Not run."), Unavailable("Not run."))
        found = decode_lab(encode_lab([timing, "no result", scaling, profile]))
        first, rest = split_timing(found)
        assert first is found[0]
        back, other = rest
        assert repr(other) == repr(profile)
        assert isinstance(back, Scaling) and first is not None
        confidences = [first.measurements[0].confidence, first.ratios[0].confidence]
        one, two = back.points
        assert one.eager is not None and one.jit is not None
        confidences += [one.eager.confidence, one.jit.confidence]
        assert (two.eager, two.jit) == (None, None)
        assert [not math.isnan(each) for each in confidences] == [claims] * 4
        assert one.jit.low == (1.5 if claims else 1.0)
    assert split_timing(()) == (None, ())


def test_files_of_0_1_have_their_timing_in_the_manifest(path: Path) -> None:
    save_capture(build_capture(), path)
    environment = dataclasses.asdict(OLD)
    timing: dict[str, Any] = {"call": "f", "environment": environment, "warnings": []}
    measured = {"name": "jit", "median": 2.0, "low": 1.5, "high": 2.5, "confidence": 0.95}
    measured |= {"runs": 2, "samples": [1.0], "is_noisy": False, "unit": "s", "protocol": ""}
    change_manifest(path, timing={**timing, "measurements": [measured], "ratios": []})
    _, found = load_session(path)
    assert found is not None and math.isnan(found.measurements[0].confidence)
    assert load_saved(path).lab == ()


def test_a_window_s_layout_and_its_measurements_come_back(path: Path) -> None:
    save_capture(build_capture(), path, Timing("f", NEW, (CLAIMED,), (), ()), ["x"], "panes")
    found = load_saved(path)
    assert (found.layout, found.lab) == ("panes", ())
    assert found.timing is not None and found.timing.measurements[0].confidence == 0.95


# The container.


def test_as_many_entries_as_a_capture_can_have_are_read(path: Path) -> None:
    entries = {f"stages/{number}.bin": bytes([number]) for number in range(64)}
    archive_container.write(path, entries, b"comment")
    assert archive_container.read_commented(path) == (entries, b"comment")
    assert archive_container.read(path) == entries
    entries["manifest.json"] = b""
    archive_container.write(path, entries)
    with pytest.raises(SourceError, match="cannot be opened") as raised:
        archive_container.read(path)
    assert raised.value.explanation.why == "It has 65 entries; a capture has at most 64."


def test_a_file_may_be_as_large_as_the_limit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert archive_container.MAX_TOTAL_BYTES == 512 * 1024 * 1024
    entries = {"manifest.json": bytes(3000), "sources.json": bytes(2000)}
    archive_container.write(path, entries)
    monkeypatch.setattr(archive_container, "MAX_TOTAL_BYTES", 5000)
    assert archive_container.read(path) == entries
    for limit in (4999, 2999, path.stat().st_size - 1):
        monkeypatch.setattr(archive_container, "MAX_TOTAL_BYTES", limit)
        with pytest.raises(SourceError) as raised:
            archive_container.read(path)
        what = "is larger" if limit < path.stat().st_size else "inflates to more"
        assert what in raised.value.explanation.why
    monkeypatch.setattr(archive_container, "MAX_TOTAL_BYTES", path.stat().st_size)
    with pytest.raises(SourceError):
        archive_container.read(path)  # not too large itself


def change_bytes(path: Path, place: int, value: int) -> None:
    """Set a byte in the local and in the central header of the first entry."""
    data = bytearray(path.read_bytes())
    for magic, offset in ((b"PK\x03\x04", place), (b"PK\x01\x02", place + 2)):
        data[data.index(magic) + offset] = value
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(("place", "value"), [(6, 1), (8, zipfile.ZIP_BZIP2), (8, 99)])
def test_encryption_and_other_ways_to_pack_are_refused(path: Path, place: int, value: int) -> None:
    archive_container.write(path, {"manifest.json": b"{}"})
    change_bytes(path, place, value)
    with pytest.raises(SourceError) as raised:
        archive_container.read(path)
    assert "encrypted or packed unusually" in raised.value.explanation.why


@pytest.mark.parametrize("name", ["stages/00.bin", "stages/100.bin", "stages/a.bin", "x.json"])
def test_entries_with_other_names_are_refused(path: Path, name: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, b"")
    with pytest.raises(SourceError) as raised:
        archive_container.read(path)
    assert raised.value.explanation.why == f"It has an entry that no capture has: {name!r}"


def test_a_name_that_goes_on_behind_a_nul_is_refused(path: Path) -> None:
    archive_container.write(path, {"manifest.json": b""})
    data = path.read_bytes()
    path.write_bytes(data.replace(b"manifest.json", b"lab.json\0x.py"))
    with pytest.raises(SourceError) as raised:
        archive_container.read(path)
    assert "no capture has" in raised.value.explanation.why


def test_places_that_cannot_be_written_are_told_apart(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place, what in (
        (tmp_path / "no" / "a", "is in a folder that does not exist"),
        (tmp_path, "is a folder"),
        (tmp_path / "pipe", "is no regular file"),
    ):
        with pytest.raises(UsageError) as raised:
            archive_container.write(place, {})
        assert raised.value.explanation.what == f"{place} cannot be written: it {what}."
        assert raised.value.explanation.where == str(place)


@pytest.mark.parametrize(
    ("error", "why", "remedy", "kind"),
    [
        (OSError(errno.ENOSPC, "Full"), "Full", "Free some space.", "ENOSPC"),
        (OSError(errno.EACCES, "Denied"), "Denied", "Choose a folder", "EACCES"),
        (OSError("strange"), "strange", "Choose a folder", ""),
    ],
)
def test_what_the_disk_says_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, why: str, remedy: str, kind: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(archive_container, "write_whole", fail)
    with pytest.raises(EnvironmentProblem) as raised:
        archive_container.write(path, {})
    told = raised.value.explanation
    assert (told.why, told.kind, told.where) == (why, kind, str(path))
    assert told.remedy.startswith(remedy)
    assert told.what == "a.jaxscope could not be saved."


def test_files_are_packed_and_carry_no_date(path: Path) -> None:
    archive_container.write(path, {"manifest.json": bytes(10_000)})
    assert path.stat().st_size < 500
    with zipfile.ZipFile(path) as archive:
        (info,) = archive.infolist()
    assert (info.compress_type, info.date_time) == (zipfile.ZIP_DEFLATED, (1980, 1, 1, 0, 0, 0))


def test_a_file_that_is_not_there_is_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        archive_container.read(tmp_path / "none.jaxscope")
    assert caught.value.explanation.why == "No such file or directory"
    assert "path" in caught.value.explanation.remedy
