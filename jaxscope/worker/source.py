"""Read a file of the user's: once, without blocking, and with an answer for every odd file.

What is read here is what is run, shown and hashed, so a file that changes during a run cannot
make the three disagree.
"""

from __future__ import annotations

import ast
import dataclasses
import errno
import hashlib
import importlib.machinery
import io
import os
import stat
import sys
import tokenize

from jaxscope.errors import NOTEBOOK_REMEDY, Explanation, SourceError
from jaxscope.model.file_kinds import HEAD_BYTES, explain_folder, explain_other_file
from jaxscope.worker.carried import carried_file, is_carried

MAX_SOURCE_BYTES = 5 << 20
"""Python needs about a hundred times this much memory to parse a file."""

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class SourceSnapshot:
    """A file as it was when it was read.

    Attributes:
        path: Absolute path, links resolved.
        text: Decoded by the file's own encoding cookie; line ends are newlines, no byte order mark.
        sha256: Of the bytes on disk, hexadecimal.
    """

    path: str
    text: str
    sha256: str


def read_source(path: str) -> SourceSnapshot:
    """Read a Python file.

    Raises:
        SourceError: There is no such file, it is no regular file, is larger than
            `MAX_SOURCE_BYTES`, or is not in the encoding it claims.
    """
    data = _read_bytes(path)
    if path.endswith(".ipynb"):
        raise SourceError(_describe_notebook(path))
    return SourceSnapshot(
        path=path if is_carried(path) else os.path.realpath(path),
        text=_decode(data, path),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _read_bytes(path: str) -> bytes:
    carried = carried_file(path)
    if carried is not None:
        return carried
    descriptor = -1
    try:
        _refuse_irregular(os.stat(path), path)
        # The file may be replaced by a pipe between stat and open: O_NONBLOCK never waits for a
        # writer, and fstat looks at what was really opened.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
        status = os.fstat(descriptor)
        _refuse_irregular(status, path)
        other = explain_other_file(path, os.pread(descriptor, HEAD_BYTES, 0))
        if other is not None:
            raise SourceError(other)
        if status.st_size > MAX_SOURCE_BYTES:
            raise SourceError(_too_large(path))
        pieces = []
        left = MAX_SOURCE_BYTES + 1
        while left and (piece := os.read(descriptor, left)):
            pieces.append(piece)
            left -= len(piece)
    except (OSError, ValueError) as error:
        raise SourceError(_describe_os_error(error, path)) from None
    finally:
        if descriptor >= 0:
            os.close(descriptor)
    if not left:
        raise SourceError(_too_large(path))
    return b"".join(pieces)


def _refuse_irregular(status: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise SourceError(explain_folder(path, os.listdir(path)))
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for test, name in _KINDS if test(status.st_mode)), "no regular file")
        raise SourceError(
            Explanation(
                what=f"{path} is {kind}, not a Python file.",
                where=path,
                remedy="Name a regular file with Python code.",
                kind="NotAFile",
            )
        )


def _describe_notebook(path: str) -> Explanation:
    return Explanation(
        what=f"{path} is a notebook, not a Python file.",
        where=path,
        remedy=NOTEBOOK_REMEDY,
        kind="NotAFile",
    )


def _too_large(path: str) -> Explanation:
    return Explanation(
        what=f"{path} is larger than {MAX_SOURCE_BYTES >> 20} MiB, the most jaxscope reads.",
        where=path,
        remedy="Move data out of the source file and load it from a data file.",
        kind="FileTooLarge",
    )


def _describe_os_error(error: OSError | ValueError, path: str) -> Explanation:
    code = error.errno if isinstance(error, OSError) else None
    why, remedy = {
        errno.ENOENT: ("There is no such file.", "Check the path; was the file moved or deleted?"),
        errno.EACCES: ("Reading it is not permitted.", "Change the file's permissions."),
        errno.ELOOP: ("Its symbolic links go round in a circle.", "Name the real file."),
        errno.ENOTDIR: ("A part of the path is not a folder.", "Check the path."),
        errno.ENAMETOOLONG: ("The path is too long.", "Check the path."),
    }.get(code or 0, (str(error), "Check the path."))
    return Explanation(
        what=f"{path!r} cannot be read." if "\0" in path else f"{path} cannot be read.",
        why=why,
        where=path.replace("\0", "\\0"),
        remedy=remedy,
        kind=type(error).__name__,
    )


def _decode(data: bytes, path: str) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        raise SourceError(_describe_encoding(data, path, str(error))) from None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise SourceError(_describe_encoding(data, path, str(error), error.start)) from None
    except (LookupError, ValueError) as error:
        raise SourceError(_describe_encoding(data, path, str(error))) from None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SourceError(
            Explanation(
                what=f"{path} contains a NUL byte, which Python does not allow.",
                where=f"{os.path.basename(path)}:{line}",
                remedy="Is this a binary file, or saved as UTF-16? Save it as UTF-8.",
                kind="NulByte",
            )
        )
    return text


def _describe_encoding(data: bytes, path: str, why: str, position: int = -1) -> Explanation:
    if position < 0:
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            position = error.start
    if position >= 0:
        line = data.count(b"\n", 0, position) + 1
        why = f"Byte {position} (0x{data[position]:02x}, line {line}) fits no character: {why}"
        where = f"{os.path.basename(path)}:{line}"
    else:
        where = f"{os.path.basename(path)}:1"
    return Explanation(
        what=f"{path} is not text in the encoding it claims.",
        why=why,
        where=where,
        remedy="Save the file as UTF-8, or name its encoding in the first line, such as "
        "`# -*- coding: latin-1 -*-`.",
        kind="EncodingError",
    )


def open_folder(source: SourceSnapshot) -> tuple[str, ...]:
    """Make the modules beside a file importable, last of all places.

    The folder is appended to `sys.path`, so a `random.py` or `jax.py` of the user's can break
    neither JAX nor us.

    Returns:
        A sentence for every import of the file that finds another module than the one beside it.
    """
    if is_carried(source.path):
        return ()  # the modules that lie beside it there came along
    folder = os.path.dirname(source.path)
    messages = tuple(
        f"`import {name}` finds {origin}, not {name}.py beside the file: "
        "jaxscope looks in the file's folder last. Rename one of the two."
        for name, origin in _shadowing(source, folder)
    )
    if folder not in sys.path:
        sys.path.append(folder)
    return messages


def _shadowing(source: SourceSnapshot, folder: str) -> list[tuple[str, str]]:
    found = []
    for name in _imported_names(source.text):
        beside = os.path.join(folder, name)
        if not (os.path.isfile(beside + ".py") or os.path.isfile(f"{beside}/__init__.py")):
            continue
        if name in sys.stdlib_module_names:
            found.append((name, "the standard library's"))
            continue
        elsewhere = [entry for entry in sys.path if os.path.realpath(entry or ".") != folder]
        try:
            spec = importlib.machinery.PathFinder.find_spec(name, elsewhere)
        except Exception:  # an import hook of the environment's may raise anything
            continue
        if spec is not None and spec.origin:
            found.append((name, spec.origin))
    return found


def _imported_names(text: str) -> list[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # running the file reports what is wrong with it
    names: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update((alias.name.split(".")[0], None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names[node.module.split(".")[0]] = None
    return list(names)
