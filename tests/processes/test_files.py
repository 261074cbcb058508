"""Reading the user's file: every odd file has an answer, and none of them blocks."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

from jaxscope.errors import SourceError
from jaxscope.worker.host.source import MAX_SOURCE_BYTES, open_folder, read_source


def write(folder: Path, data: bytes, name: str = "file.py") -> str:
    path = folder / name
    path.write_bytes(data)
    return str(path)


def refuse(path: str) -> str:
    """What `read_source` says about a file that it refuses, as one text."""
    with pytest.raises(SourceError) as caught:
        read_source(path)
    explanation = caught.value.explanation
    return "\n".join((explanation.what, explanation.why, explanation.where, explanation.remedy))


def test_a_file_is_read_with_its_hash(tmp_path: Path) -> None:
    source = read_source(write(tmp_path, b"x = 1\n"))

    assert source.text == "x = 1\n"
    assert source.sha256 == hashlib.sha256(b"x = 1\n").hexdigest()
    assert source.path == os.path.realpath(tmp_path / "file.py")


@pytest.mark.parametrize(
    ("data", "text"),
    (
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"x = 1\r\ny = 2\r\n", "x = 1\ny = 2\n"),
        (b"x = 1\ry = 2\r", "x = 1\ny = 2\n"),
        (b"# -*- coding: latin-1 -*-\nname = '\xe9'\n", "# -*- coding: latin-1 -*-\nname = 'é'\n"),
        (b"", ""),
    ),
    ids=("byte order mark", "CRLF", "CR", "latin-1 with a cookie", "empty"),
)
def test_encodings_and_line_ends(tmp_path: Path, data: bytes, text: str) -> None:
    assert read_source(write(tmp_path, data)).text == text


def test_bytes_that_are_no_utf8_are_named(tmp_path: Path) -> None:
    said = refuse(write(tmp_path, b"x = 1\ny = '\xe9'\n"))

    assert "Byte 11 (0xe9, line 2)" in said
    assert "file.py:2" in said
    assert "coding:" in said


def test_an_unknown_encoding_is_named(tmp_path: Path) -> None:
    assert "klingon" in refuse(write(tmp_path, b"# coding: klingon\n"))


def test_a_nul_byte_is_named_with_its_line(tmp_path: Path) -> None:
    assert "file.py:2" in refuse(write(tmp_path, b"x = 1\ny = 2\0\n"))


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, b"#" * (MAX_SOURCE_BYTES + 1))

    assert "larger than 5 MiB" in refuse(path)


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    link = tmp_path / "zero.py"
    link.symlink_to("/dev/zero")

    assert "is a pipe" in refuse(str(pipe))
    assert "is a device" in refuse(str(link))
    assert "is a folder" in refuse(str(tmp_path))


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    loop = tmp_path / "loop.py"
    loop.symlink_to(loop)

    assert "no such file" in refuse(str(tmp_path / "gone.py"))
    assert "circle" in refuse(str(loop))
    assert "cannot be read" in refuse("a\0b")


def test_a_module_that_hides_behind_another_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    write(tmp_path, b"", "random.py")
    write(tmp_path, b"", "my_layers.py")
    source = read_source(write(tmp_path, b"import random\nimport my_layers\n"))

    messages = open_folder(source)

    assert sys.path[-1] == str(tmp_path), "the folder must come last"
    assert len(messages) == 1
    assert "random" in messages[0]
