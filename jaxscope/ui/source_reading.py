"""Reads a file of the user's for showing: bounded, and never from something that is no file."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tokenize

from jaxscope.errors import NOTEBOOK_REMEDY, Explanation, SourceError
from jaxscope.model import SourceFile
from jaxscope.model.file_kinds import HEAD_BYTES, explain_folder, explain_other_file

MAX_SOURCE_BYTES = 5 * 1024 * 1024


def read_source(path: str) -> SourceFile:
    """Read a Python file as its own encoding cookie says; odd bytes become replacement signs.

    Raises:
        SourceError: There is no such file, it is no regular file, too large, or not readable.
    """
    path = os.path.abspath(os.path.expanduser(path))
    if path.endswith(".ipynb"):
        raise _problem(path, "It is a notebook, not a Python file.", NOTEBOOK_REMEDY)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise _problem(path, error.strerror or "It cannot be opened.") from None
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise SourceError(explain_folder(path, os.listdir(path)))
        if not stat.S_ISREG(status.st_mode):
            raise _problem(path, "It is not a regular file.")
        other = explain_other_file(path, os.pread(descriptor, HEAD_BYTES, 0))
        if other is not None:
            raise SourceError(other)
        if status.st_size > MAX_SOURCE_BYTES:
            raise _problem(path, f"It is larger than {MAX_SOURCE_BYTES // 2**20} MiB.")
        data = b""
        while len(data) <= MAX_SOURCE_BYTES and (piece := os.read(descriptor, 1 << 20)):
            data += piece
    except OSError as error:
        raise _problem(path, error.strerror or "It cannot be read.") from None
    finally:
        os.close(descriptor)
    return SourceFile(path, decode_source(data), hashlib.sha256(data).hexdigest())


def decode_source(data: bytes) -> str:
    """Decode source bytes; lines end in a bare newline."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding, "replace")
    except (SyntaxError, LookupError, UnicodeDecodeError):
        text = data.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def line_of(file: SourceFile | None, line: int) -> str:
    """A line by its 1-based number; empty where there is no such line or no file."""
    lines = file.text.split("\n") if file is not None else []
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _problem(
    path: str, why: str, remedy: str = "Choose another file with Open (Ctrl+O)."
) -> SourceError:
    return SourceError(
        Explanation(
            what=f"The file {os.path.basename(path) or path} cannot be read.",
            why=why,
            where=path,
            remedy=remedy,
            kind="UnreadableFile",
        )
    )
