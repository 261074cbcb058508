"""Read a file of the user's, from disk or from the request: a file of another machine, or a draft
that stands in place of what is on disk.

What is read here is what is run, shown and hashed, so a file that changes during a run cannot make
the three disagree. Files of another machine stay in memory under the paths that they have there,
and their modules are importable. Reading never blocks, and every odd file has an answer.
"""

from __future__ import annotations

import ast
import errno
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import linecache
import os
import stat
import sys
import tokenize
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from jaxscope.errors import Explanation, SourceError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.file_kinds import (
    HEAD_BYTES,
    MAX_NOTEBOOK_BYTES,
    NOTEBOOK_ENDING,
    explain_folder,
    explain_other_file,
    open_without_waiting,
)
from jaxscope.model.graph import strings_from_arrays
from jaxscope.model.said import say
from jaxscope.model.units import format_place

# Files of a machine that is not this one: sent with the request, and only in memory here.
#
# They keep the paths that they have where they come from, so every position and message names the
# file that the person knows.


_MARK = "jaxscope-carried:"
"""Before the folders of carried packages: no folder of this machine can be taken for them."""

_uploaded: dict[str, bytes] = {}
_drafts: dict[str, bytes] = {}
"""Texts that stand in place of what is in files of this machine."""


def accept_sources(arrays: Mapping[str, Any]) -> None:
    """Take the files of a request, and make their modules importable, last of all places.

    Raises:
        ValueError: The arrays do not fit each other.
    """
    for path, data in _read_files(arrays, "draft"):
        _drafts[path] = data
        _remember_lines(path, data)
    uploaded = _read_files(arrays, "carried")
    for path, data in uploaded:
        accept_source(path, data)
    if uploaded:
        sys.meta_path.append(_UploadedFinder())


def _read_files(arrays: Mapping[str, Any], prefix: str) -> list[tuple[str, bytes]]:
    data, sizes = arrays.get(prefix), arrays.get(f"{prefix}_bytes")
    if data is None or sizes is None:
        return []
    try:
        paths = strings_from_arrays(arrays, f"{prefix}_path")
    except (KeyError, UnicodeDecodeError) as error:
        raise ValueError(f"the paths of the files are malformed: {error}") from None
    stops = np.cumsum(sizes)
    if len(paths) != len(sizes) or (len(stops) and int(stops[-1]) != len(data)):
        raise ValueError("the files of the request do not fit their sizes")
    content = data.tobytes()
    bounds = zip(paths, stops.tolist(), sizes.tolist(), strict=True)
    return [(path, content[stop - size : stop]) for path, stop, size in bounds]


def accept_source(path: str, data: bytes) -> None:
    """Take one file."""
    _uploaded[path] = data
    _remember_lines(path, data)


def _remember_lines(path: str, data: bytes) -> None:
    """Let tracebacks quote a text that is not what is on disk."""
    try:
        text = importlib.util.decode_source(data)
    except (SyntaxError, UnicodeDecodeError):
        return  # loading it says so
    # Without a time of change it is never looked up on disk.
    linecache.cache[path] = (len(data), None, text.splitlines(keepends=True), path)


def uploaded_content(path: str) -> bytes | None:
    """The content of a carried file; None for any other path."""
    return _uploaded.get(path)


def is_uploaded(path: str) -> bool:
    """Whether a path is that of a carried file."""
    return path in _uploaded


class _UploadedFinder(importlib.abc.MetaPathFinder):
    """Finds carried modules from the folders that carried files are in."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        name = fullname.rpartition(".")[2]
        for folder in _roots() if path is None else _own(path):
            place = f"{folder}/{name}"
            for file, is_package in ((f"{place}/__init__.py", True), (f"{place}.py", False)):
                if file in _uploaded:
                    return importlib.util.spec_from_loader(
                        fullname,
                        _UploadedLoader(file, is_package=is_package),
                        is_package=is_package,
                    )
            if any(file.startswith(f"{place}/") for file in _uploaded):
                spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
                spec.submodule_search_locations = [_MARK + place]
                return spec
        return None


class _UploadedLoader(importlib.abc.InspectLoader):
    def __init__(self, file: str, *, is_package: bool) -> None:
        self._file, self._is_package = file, is_package

    def is_package(self, _fullname: str) -> bool:
        return self._is_package

    def get_source(self, _fullname: str) -> str:
        return importlib.util.decode_source(_uploaded[self._file])

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self._file
        if self._is_package:
            module.__path__ = [_MARK + self._file.rpartition("/")[0]]
        code = compile(_uploaded[self._file], self._file, "exec", dont_inherit=True)
        exec(code, module.__dict__)


def _roots() -> list[str]:
    """Folders of carried files, and those above their packages."""
    roots: dict[str, None] = {}
    for file in _uploaded:
        folder = file.rpartition("/")[0]
        while f"{folder}/__init__.py" in _uploaded:
            folder = folder.rpartition("/")[0]
        roots[folder] = None
    return list(roots)


def _own(path: Sequence[str]) -> list[str]:
    return [entry.removeprefix(_MARK) for entry in path if entry.startswith(_MARK)]


MAX_SOURCE_BYTES = 5 << 20
"""Python needs about a hundred times this much memory to parse a file."""

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


@dataclass(frozen=True, slots=True)
class SourceSnapshot:
    """A file as it was when it was read.

    Attributes:
        path: Absolute path, links resolved.
        text: Decoded by the file's own encoding cookie; line ends are newlines, no byte order mark.
            Of a notebook the code of its cells.
        sha256: Of the bytes on disk, hexadecimal.
    """

    path: str
    text: str
    sha256: str


def refuse_name(path: str) -> None:
    """Refuse a file whose path is no Unicode text: JAX notes it at every operation, and cannot.

    Raises:
        SourceError: It is none.
    """
    path = os.path.realpath(path)
    try:
        path.encode()
    except UnicodeEncodeError:
        name = os.fsencode(path).decode("utf-8", "backslashreplace")
        raise SourceError(
            say("JAX cannot run {name}: its path is no text in this system's encoding.", name=name),
            where=name,
            remedy=say(
                "Rename the file or its folder, or use an encoding that has the name: PYTHONUTF8=1."
            ),
            kind="UnreadableName",
        ) from None


def read_source(path: str) -> SourceSnapshot:
    """Read a Python file, or a notebook as one.

    Raises:
        SourceError: There is no such file, it is no regular file, is too large, or is not in the
            encoding it claims; or a notebook has no Python code that can be read.
    """
    data = _read_bytes(path)
    place = path if is_uploaded(path) else os.path.realpath(path)
    sha256 = hashlib.sha256(data).hexdigest()
    if path.endswith(NOTEBOOK_ENDING) and place not in _drafts:  # a draft is of the code
        data = _code_of_notebook(data, path)
        _remember_lines(place, data)
    return SourceSnapshot(path=place, text=_decode(data, path), sha256=sha256)


def _code_of_notebook(data: bytes, path: str) -> bytes:
    from jaxscope.model.notebook_files import notebook_to_python  # most files are none

    try:
        code = notebook_to_python(data).encode("utf-8", "replace")
    except ValueError as error:
        raise SourceError(
            say("{path} is no notebook that can be read.", path=path),
            why=error.args[0],
            where=path,
            remedy=say("Write its code to a file: jupyter nbconvert --to script."),
            kind="NotAFile",
        ) from None
    if len(code) > MAX_SOURCE_BYTES:
        raise SourceError(_too_large(path))
    return code


def _read_bytes(path: str) -> bytes:
    carried = uploaded_content(path)
    if carried is None and "\0" not in path:
        carried = _drafts.get(os.path.realpath(path))
    if carried is not None:
        return carried
    try:
        _refuse_irregular(os.stat(path), path)
        with open_without_waiting(path) as file:
            # The file may have been replaced between stat and open: look at what was opened.
            status = os.fstat(file.fileno())
            _refuse_irregular(status, path)
            other = explain_other_file(path, file.read(HEAD_BYTES))
            if other is not None:
                raise SourceError(other)
            most = MAX_NOTEBOOK_BYTES if path.endswith(NOTEBOOK_ENDING) else MAX_SOURCE_BYTES
            if status.st_size > most:
                raise SourceError(_too_large(path))
            file.seek(0)
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise SourceError(_describe_os_error(error, path)) from None
    if len(data) > most:
        raise SourceError(_too_large(path))
    return data


def _refuse_irregular(status: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise SourceError(explain_folder(path, os.listdir(path)))
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for test, name in _KINDS if test(status.st_mode)), "no regular file")
        raise SourceError(
            say("{path} is {kind}, not a Python file.", path=path, kind=kind),
            where=path,
            remedy=say("Name a regular file with Python code."),
            kind="NotAFile",
        )


def _too_large(path: str) -> Explanation:
    most = MAX_NOTEBOOK_BYTES if path.endswith(NOTEBOOK_ENDING) else MAX_SOURCE_BYTES
    return Explanation(
        what=say(
            "{path} is larger than {most} MiB, the most jaxscope reads.",
            path=path,
            most=most >> 20,
        ),
        where=path,
        remedy=say("Move data out of the source file and load it from a data file."),
        kind="FileTooLarge",
    )


def _describe_os_error(error: OSError | ValueError, path: str) -> Explanation:
    code = error.errno if isinstance(error, OSError) else None
    why, remedy = {
        errno.ENOENT: (
            say("There is no such file."),
            say("Check the path; was the file moved or deleted?"),
        ),
        errno.EACCES: (say("Reading it is not permitted."), say("Change the file's permissions.")),
        errno.ELOOP: (say("Its symbolic links go round in a circle."), say("Name the real file.")),
        errno.ENOTDIR: (say("A part of the path is not a folder."), say("Check the path.")),
        errno.ENAMETOOLONG: (say("The path is too long."), say("Check the path.")),
    }.get(code or 0, (str(error), "Check the path."))
    return Explanation(
        what=say("{path} cannot be read.", path=repr(path))
        if "\0" in path
        else say("{path} cannot be read.", path=path),
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
            say("{path} contains a NUL byte, which Python does not allow.", path=path),
            where=format_place(path, line),
            remedy=say("Is this a binary file, or saved as UTF-16? Save it as UTF-8."),
            kind="NulByte",
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
        where = format_place(path, line)
    else:
        where = format_place(path, 1)
    return Explanation(
        what=say("{path} is not text in the encoding it claims.", path=path),
        why=why,
        where=where,
        remedy=say(
            "Save the file as UTF-8, or name its encoding in the first line, such as `# "
            "-*- coding: latin-1 -*-`."
        ),
        kind="EncodingError",
    )


def open_folder(source: SourceSnapshot) -> tuple[str, ...]:
    """Make the modules beside a file importable, last of all places.

    The folder is appended to `sys.path`, so a `random.py` or `jax.py` of the user's can break
    neither JAX nor us.

    Returns:
        A sentence for every import of the file that finds another module than the one beside it.
    """
    if is_uploaded(source.path):
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
