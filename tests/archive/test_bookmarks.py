"""Bookmarks travel in the comment of the file."""

from __future__ import annotations

import dataclasses
import zipfile
from pathlib import Path

import pytest

from jaxscope.errors import SourceError, UsageError
from jaxscope.model import Bookmark
from jaxscope.schema.archive import MAX_COMMENT_BYTES, load_capture, save_capture
from tests.window.programs import build_capture

MARKS = (
    Bookmark("optimized", "fusion", "all of it in one kernel — good"),
    Bookmark("source", "/home/u/model.py:5"),
)


def test_bookmarks_come_back_with_their_notes(tmp_path: Path):
    path = tmp_path / "a.jaxscope"
    save_capture(dataclasses.replace(build_capture(), bookmarks=MARKS), path)
    assert load_capture(path).bookmarks == MARKS


def test_entries_are_the_same_with_and_without_bookmarks(tmp_path: Path):
    plain, marked = tmp_path / "plain.jaxscope", tmp_path / "marked.jaxscope"
    save_capture(build_capture(), plain)
    save_capture(dataclasses.replace(build_capture(), bookmarks=MARKS), marked)
    with zipfile.ZipFile(plain) as first, zipfile.ZipFile(marked) as second:
        assert first.namelist() == second.namelist()
        for name in first.namelist():
            assert first.read(name) == second.read(name), "older readers see what they know"
    assert load_capture(plain).bookmarks == ()


def test_somebody_elses_comment_is_left_alone(tmp_path: Path):
    path = tmp_path / "a.jaxscope"
    save_capture(build_capture(), path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"checked by the backup"
    assert load_capture(path).bookmarks == ()


@pytest.mark.parametrize(
    "comment",
    [
        b'{"jaxscope_bookmarks":[{"stage":1}]}',
        b'{"jaxscope_bookmarks":',
        b'{"jaxscope_bookmarks":[' + b"{}," * 1_500 + b"{}]}",
    ],
)
def test_damaged_bookmarks_are_refused(tmp_path: Path, comment: bytes):
    path = tmp_path / "a.jaxscope"
    save_capture(build_capture(), path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = comment
    with pytest.raises(SourceError):
        load_capture(path)


def test_notes_that_are_too_long_are_refused_and_nothing_is_written(tmp_path: Path):
    path = tmp_path / "a.jaxscope"
    long = (Bookmark("jaxpr", "0", "x" * MAX_COMMENT_BYTES),)
    with pytest.raises(UsageError):
        save_capture(dataclasses.replace(build_capture(), bookmarks=long), path)
    assert not path.exists()
