"""The container of a `.jaxscope` file: a zip that is written atomically and read with suspicion."""

from __future__ import annotations

import errno
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from jaxscope.errors import EnvironmentProblem, Explanation, SourceError, UsageError
from jaxscope.model.file_kinds import open_without_waiting
from jaxscope.schema.whole_file import write_whole

MAX_ENTRIES = 64
MAX_TOTAL_BYTES = 512 << 20
"""Of all entries together, inflated."""

_CHUNK_BYTES = 1 << 20
_NAME = re.compile(
    r"manifest\.json|sources\.json|passes\.json|lab\.json|window\.json|stages/(?:0|[1-9]\d?)\.bin"
)
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_IS_ENCRYPTED = 0x1
_COMPRESSION_LEVEL = 1  # half the size costs a tenth of the time that level 6 takes
_FIXED_DATE = (1980, 1, 1, 0, 0, 0)


def write(path: Path, entries: Mapping[str, bytes], comment: bytes = b"") -> None:
    """Write a zip of these entries; `path` has it completely or is as it was.

    Raises:
        UsageError: `path` is a folder, or its folder does not exist.
        EnvironmentProblem: The disk refuses.
    """
    if path.is_dir() or not path.parent.is_dir() or (path.exists() and not path.is_file()):
        what = "is in a folder that does not exist"
        if path.exists():  # replacing a device such as /dev/null would harm the whole machine
            what = "is a folder" if path.is_dir() else "is no regular file"
        raise UsageError(
            Explanation(
                what=f"{path} cannot be written: it {what}.",
                where=str(path),
                remedy="Name a file in a folder that exists.",
            )
        )
    try:
        write_whole(path, lambda draft: _write_zip(draft, entries, comment))
    except OSError as error:
        raise EnvironmentProblem(
            Explanation(
                what=f"{path.name} could not be saved.",
                why=error.strerror or str(error),
                where=str(path),
                remedy="Free some space."
                if error.errno == errno.ENOSPC
                else "Choose a folder that you may write to.",
                kind=errno.errorcode.get(error.errno or 0, ""),
            )
        ) from None


def read(path: Path) -> dict[str, bytes]:
    """Read all entries of a zip, within the limits; see `read_commented`."""
    return read_commented(path)[0]


def read_commented(path: Path) -> tuple[dict[str, bytes], bytes]:
    """Read all entries of a zip, within the limits, and its comment.

    Raises:
        SourceError: The file is missing, no regular file, too large, damaged or holds anything
            that jaxscope does not write.
    """
    try:
        with _open_regular(path) as file:
            return _read_zip(file)
    except OSError as error:
        why = error.strerror or str(error)
    except (
        ValueError,
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        MemoryError,
        OverflowError,
    ) as error:
        why = str(error) or "The end of the file is missing."
    raise SourceError(
        Explanation(
            what=f"{path.name} cannot be opened as a capture.",
            why=why[:500],
            where=str(path),
            remedy="Check that it is a .jaxscope file and was copied completely.",
        )
    )


def _write_zip(draft: Path, entries: Mapping[str, bytes], comment: bytes) -> None:
    with zipfile.ZipFile(draft, "x", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL) as out:
        out.comment = comment
        for name, data in entries.items():
            # A fixed date: equal captures make equal files.
            info = zipfile.ZipInfo(name, _FIXED_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(info, data, compresslevel=_COMPRESSION_LEVEL)


def _open_regular(path: Path) -> BinaryIO:
    """Open without ever waiting: a pipe or a device is refused, not read."""
    file = open_without_waiting(path)
    try:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("It is no regular file.")
        if status.st_size > MAX_TOTAL_BYTES:
            raise ValueError(f"It is larger than {MAX_TOTAL_BYTES >> 20} MiB.")
        return file
    except BaseException:
        file.close()
        raise


def _read_zip(file: BinaryIO) -> tuple[dict[str, bytes], bytes]:
    with zipfile.ZipFile(file) as archive:
        infos = archive.infolist()
        if len(infos) > MAX_ENTRIES:
            raise ValueError(f"It has {len(infos)} entries; a capture has at most {MAX_ENTRIES}.")
        entries: dict[str, bytes] = {}
        left = MAX_TOTAL_BYTES
        for info in infos:
            # The name as stored: zipfile cuts what it shows at a NUL.
            if info.orig_filename != info.filename or not _NAME.fullmatch(info.filename):
                raise ValueError(f"It has an entry that no capture has: {info.orig_filename!r:.80}")
            if info.filename in entries:
                raise ValueError(f"It has the entry {info.filename} twice.")
            if info.flag_bits & _IS_ENCRYPTED or info.compress_type not in _METHODS:
                raise ValueError(f"The entry {info.filename} is encrypted or packed unusually.")
            entries[info.filename] = _inflate(archive, info, left)
            left -= len(entries[info.filename])
        return entries, archive.comment


def _inflate(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """Read an entry in pieces: the size that it announces may be a lie."""
    data = bytearray()
    with archive.open(info) as entry:
        while piece := entry.read(_CHUNK_BYTES):
            data += piece
            if len(data) > limit:
                raise ValueError(f"It inflates to more than {MAX_TOTAL_BYTES >> 20} MiB.")
    return bytes(data)
