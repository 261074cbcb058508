"""The container of a `.jaxscope` file: a zip that is written atomically and read with suspicion."""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
import struct
import threading
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from jaxscope.errors import EnvironmentProblem, SourceError, UsageError
from jaxscope.model.file_kinds import open_without_waiting
from jaxscope.model.said import say
from jaxscope.schema.whole_file import write_whole

MAX_ENTRIES = 64
MAX_TOTAL_BYTES = 512 << 20
"""Of all entries together, inflated."""

MAX_JSON_BYTES = 64 << 20
MAX_JSON_ITEMS = 4_000_000
"""Of an entry of JSON that holds neither texts nor passes. Most have some kilobytes; what packs to
nothing could be a hundred million objects."""

_TEXTS = frozenset({"sources.json", "passes.json"})

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
        what = say(
            "{path} cannot be written: it is in a folder that does not exist.", path=str(path)
        )
        if path.is_dir():
            what = say("{path} cannot be written: it is a folder.", path=str(path))
        elif path.exists():  # replacing a device such as /dev/null would harm the whole machine
            what = say("{path} cannot be written: it is no regular file.", path=str(path))
        raise UsageError(what, where=str(path), remedy=say("Name a file in a folder that exists."))
    try:
        write_whole(path, lambda draft: _write_zip(draft, entries, comment))
    except OSError as error:
        raise EnvironmentProblem(
            say("{name} could not be saved.", name=path.name),
            why=error.strerror or str(error),
            where=str(path),
            remedy=say("Free some space.")
            if error.errno == errno.ENOSPC
            else say("Choose a folder that you may write to."),
            kind=errno.errorcode.get(error.errno or 0, ""),
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
    remedy = say("Check that it is a .jaxscope file and was copied completely.")
    try:
        with open_regular(path, MAX_TOTAL_BYTES) as file:
            return _read_zip(file)
    except OSError as error:
        why = error.strerror or str(error)
        remedy = say("Check its path, and that you may read it.")
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
        why = str(error)[:500] or say("The end of the file is missing.")
    raise SourceError(
        say("{name} cannot be opened as a capture.", name=path.name),
        why=why,
        where=str(path),
        remedy=remedy,
    )


class ReadAhead:
    """A container that a thread reads while this one does something else; it imports nothing."""

    def __init__(self, path: Path) -> None:
        codecs.lookup("cp437")  # of the names in a zip
        self._found: tuple[dict[str, bytes], bytes] | SourceError | None = None
        self._thread = threading.Thread(target=self._read, args=(path,), daemon=True)
        self._thread.start()

    def _read(self, path: Path) -> None:
        try:
            self._found = read_commented(path)
        except SourceError as error:
            self._found = error

    def take(self) -> tuple[dict[str, bytes], bytes]:
        """What `read_commented` returns; called once.

        Raises:
            SourceError: As `read_commented` does.
        """
        self._thread.join()
        found, self._found = self._found, None
        if isinstance(found, SourceError):
            raise found
        assert found is not None
        return found


def _write_zip(draft: Path, entries: Mapping[str, bytes], comment: bytes) -> None:
    with zipfile.ZipFile(draft, "x", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL) as out:
        out.comment = comment
        for name, data in entries.items():
            # A fixed date: equal captures make equal files.
            info = zipfile.ZipInfo(name, _FIXED_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(info, data, compresslevel=_COMPRESSION_LEVEL)


def open_regular(path: Path, max_bytes: int) -> BinaryIO:
    """Open without ever waiting: a pipe or a device is refused, not read.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is no regular file, or larger than `max_bytes`.
    """
    file = open_without_waiting(path)
    try:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("It is no regular file.")
        if status.st_size > max_bytes:
            raise ValueError(f"It is larger than {max_bytes >> 20} MiB.")
        return file
    except BaseException:
        file.close()
        raise


def check_items(data: bytes, most: int) -> None:
    """Refuse JSON of too many items before any of them takes memory.

    Raises:
        ValueError: It has more than so many.
    """
    if data.count(b",") > most:
        raise ValueError(f"It has more than {most:,} items; no capture has.")


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
            is_small = info.filename.endswith(".json") and info.filename not in _TEXTS
            most = MAX_JSON_BYTES if is_small else MAX_TOTAL_BYTES
            data = entries[info.filename] = _inflate(archive, info, min(left, most), most)
            left -= len(data)
            if is_small:
                check_items(data, MAX_JSON_ITEMS)
        return entries, archive.comment


def _inflate(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int, most: int) -> bytes:
    """Read an entry as far as it may go: the size that it announces may be a lie.

    Args:
        limit: What may still come.
        most: What may come in all, to be told.
    """
    with archive.open(info) as entry:
        data = entry.read(min(info.file_size, limit) + 1)  # in one piece: nothing is copied
        if len(data) > limit:
            raise ValueError(f"It inflates to more than {most >> 20} MiB.")
    return data
