"""Files of a machine that is not this one: sent with the request, and only in memory here.

They keep the paths that they have where they come from, so every position and message names the
file that the person knows.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from jaxscope.model.graph_columns import strings_from_arrays

_MARK = "jaxscope-carried:"
"""Before the folders of carried packages: no folder of this machine can be taken for them."""

_carried: dict[str, bytes] = {}


def adopt_sources(arrays: Mapping[str, Any]) -> None:
    """Take the files of a request, and make their modules importable, last of all places.

    Raises:
        ValueError: The arrays do not fit each other.
    """
    data, sizes = arrays.get("carried"), arrays.get("carried_bytes")
    if data is None or sizes is None:
        return
    try:
        paths = strings_from_arrays(arrays, "carried_path")
    except (KeyError, UnicodeDecodeError) as error:
        raise ValueError(f"the paths of the files are malformed: {error}") from None
    stops = np.cumsum(sizes)
    if len(paths) != len(sizes) or (len(stops) and int(stops[-1]) != len(data)):
        raise ValueError("the files of the request do not fit their sizes")
    content = data.tobytes()
    for path, stop, size in zip(paths, stops.tolist(), sizes.tolist(), strict=True):
        adopt(path, content[stop - size : stop])
    sys.meta_path.append(_Finder())


def adopt(path: str, data: bytes) -> None:
    """Take one file."""
    _carried[path] = data
    try:
        text = importlib.util.decode_source(data)
    except (SyntaxError, UnicodeDecodeError):
        return  # loading it says so
    # Without a time of change it is never looked up on disk.
    linecache.cache[path] = (len(data), None, text.splitlines(keepends=True), path)


def carried_file(path: str) -> bytes | None:
    """The content of a carried file; None for any other path."""
    return _carried.get(path)


def is_carried(path: str) -> bool:
    """Whether a path is that of a carried file."""
    return path in _carried


class _Finder(importlib.abc.MetaPathFinder):
    """Finds carried modules from the folders that carried files are in."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        _target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        name = fullname.rpartition(".")[2]
        for folder in _roots() if path is None else _own(path):
            place = f"{folder}/{name}"
            for file, is_package in ((f"{place}/__init__.py", True), (f"{place}.py", False)):
                if file in _carried:
                    return importlib.util.spec_from_loader(
                        fullname, _Loader(file, is_package=is_package), is_package=is_package
                    )
            if any(file.startswith(f"{place}/") for file in _carried):
                spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
                spec.submodule_search_locations = [_MARK + place]
                return spec
        return None


class _Loader(importlib.abc.InspectLoader):
    def __init__(self, file: str, *, is_package: bool) -> None:
        self._file, self._is_package = file, is_package

    def is_package(self, _fullname: str) -> bool:
        return self._is_package

    def get_source(self, _fullname: str) -> str:
        return importlib.util.decode_source(_carried[self._file])

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self._file
        if self._is_package:
            module.__path__ = [_MARK + self._file.rpartition("/")[0]]
        code = compile(_carried[self._file], self._file, "exec", dont_inherit=True)
        exec(code, module.__dict__)


def _roots() -> list[str]:
    """Folders of carried files, and those above their packages."""
    roots: dict[str, None] = {}
    for file in _carried:
        folder = file.rpartition("/")[0]
        while f"{folder}/__init__.py" in _carried:
            folder = folder.rpartition("/")[0]
        roots[folder] = None
    return list(roots)


def _own(path: Sequence[str]) -> list[str]:
    return [entry.removeprefix(_MARK) for entry in path if entry.startswith(_MARK)]
