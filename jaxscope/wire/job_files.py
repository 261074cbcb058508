"""Files that a job left behind, read within bounds: regular files only, compressed ones unpacked.

Standard library only: the client finds out what files are, the worker reads them.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib
import io
import os
import re
import stat
import zlib
from collections.abc import Iterator
from typing import IO, Any, cast

from jaxscope.errors import SourceError
from jaxscope.model.file_kinds import GZIP, HEAD_BYTES, XZ, ZSTD, open_without_waiting
from jaxscope.model.said import say

MAX_FILE_BYTES = 512 << 20
"""Of a file, unpacked: as large as a module may be (`program.hlo.proto`)."""

PACKED = r"(?:\.gz|\.xz|\.zst)?"
"""How names of compressed files end, as a regular expression; only dump folders go by names."""
MODULE_ENDING = re.compile(r"\.(?:hlo\.pb|pb|hlo|txt)" + PACKED + "$")
"""How names of dumped modules end."""

_XZ_READERS = ("lzma",)
"""The standard library's, which a Python that was built without liblzma lacks."""
_ZSTD_READERS = ("compression.zstd", "zstandard")
"""The standard library's since Python 3.14, and what some environments have."""
_PIECE_BYTES = 1 << 20


def read_head(path: str, most: int = HEAD_BYTES) -> bytes:
    """The first bytes of a file, unpacked; at most so many.

    Raises:
        SourceError: It is no regular file, or cannot be read.
    """
    with _opened(path) as file:
        return _read(file, most, path)


def read_whole(path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """A file, unpacked.

    Raises:
        SourceError: It is no regular file, is larger than `max_bytes`, or cannot be read.
    """
    with _opened(path) as file:
        data = _read(file, max_bytes + 1, path)
    if len(data) > max_bytes:
        raise _too_large(path, max_bytes)
    return data


@contextlib.contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """The content of a regular file. A pipe, whose writer may never come, is not waited for."""
    try:
        opened = open_without_waiting(path)
    except (OSError, ValueError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or str(error)) from None
    with opened as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _unreadable(path, say("It is no regular file."))
        start = file.read(max(map(len, (GZIP, XZ, ZSTD))))
        file.seek(0)
        if start.startswith(GZIP):
            yield cast(IO[bytes], gzip.GzipFile(fileobj=file))
        elif start.startswith(XZ):
            yield _import_reader(path, "xz", _XZ_READERS).open(file)
        elif start.startswith(ZSTD):
            yield _import_reader(path, "zstd", _ZSTD_READERS).open(file)
        else:
            yield file


def _read(file: IO[bytes], most: int, path: str) -> bytes:
    pieces = io.BytesIO()
    try:
        while pieces.tell() < most:
            piece = file.read(min(_PIECE_BYTES, most - pieces.tell()))
            if not piece:
                break
            pieces.write(piece)
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise _unreadable(path, why) from None
    except Exception as error:  # each reader has error classes of its own
        raise _unreadable(path, f"{type(error).__name__}: {error}") from None
    return pieces.getvalue()


def _import_reader(path: str, program: str, names: tuple[str, ...]) -> Any:
    for name in names:
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    raise SourceError(
        say(
            "{path} is compressed with {program}, which this Python cannot read.",
            path=path,
            program=program,
        ),
        where=path,
        remedy=say(
            "Install zstandard for the Python of jaxscope, or unpack it first: zstd -dc < {path}",
            path=path,
        )
        if program == "zstd"
        else say("Unpack it first: {program} -dc < {path}", program=program, path=path),
        kind="NoReader",
    )


def _unreadable(path: str, why: str) -> SourceError:
    return SourceError(
        say("{path} cannot be read.", path=path),
        why=why,
        where=path,
        remedy=say("Name a file that is complete and that you may read."),
        kind="Unreadable",
    )


def _too_large(path: str, max_bytes: int) -> SourceError:
    return SourceError(
        say(
            "{path} is larger than what jaxscope reads ({size} MiB).",
            path=path,
            size=max_bytes >> 20,
        ),
        where=path,
        remedy=say("Name the file of a smaller module."),
        kind="TooLarge",
    )
