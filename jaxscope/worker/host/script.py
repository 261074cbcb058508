"""Runs a script or a module as Python itself would: as `__main__`, with its own folder first."""

from __future__ import annotations

import importlib.abc
import importlib.util
import linecache
import os
import runpy
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any

from jaxscope.errors import PACKAGE_FOLDER


def run_as_main(kind: str, target: str) -> None:
    """Run to the end.

    Args:
        kind: `script` or `module`.
        target: Path of the one, which may be a notebook; name of the other.

    Raises:
        BaseException: Whatever it raises.
    """
    if kind == "module":
        sys.path.insert(0, os.getcwd())
        runpy.run_module(target, run_name="__main__", alter_sys=True)
        return
    path = os.path.abspath(target)
    sys.path.insert(0, os.path.dirname(path))
    module = types.ModuleType("__main__")
    module.__file__ = path
    vars(module)["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    with open(path, "rb") as file:
        text = file.read()
    if path.endswith(".ipynb"):
        from jaxscope.model.notebook_files import notebook_to_python  # loads NumPy

        try:
            text = notebook_to_python(text).encode("utf-8", "replace")
        except ValueError as error:
            raise SystemExit(f"{target} is no notebook that can be read. {error}") from None
        lines = text.decode().splitlines(keepends=True)
        # Without a time of change it is never looked up on disk.
        linecache.cache[path] = (len(text), None, lines, path)
        os.environ.setdefault("MPLBACKEND", "agg")  # no window that waits to be closed
    exec(compile(text, path, "exec"), vars(module))


def after_import(name: str, then: Callable[[], None]) -> None:
    """Call a function once a module has been imported, before whoever imports it goes on."""
    sys.meta_path.insert(0, _Finder(name, then))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds one module as the others do, and adds a call to the end of its execution."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self._name, self._then = name, then

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: types.ModuleType) -> None:
                execute(module)
                self._then()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]  # replaces the method of this loader object only
        return spec


def print_error(error: BaseException, caller: str) -> None:
    """As Python would, without the frames of jaxscope, of `runpy`, and of who called.

    Args:
        caller: The file of that.
    """
    ours = (os.path.join(PACKAGE_FOLDER, ""), runpy.__file__, caller)
    seen: set[int] = set()
    told: list[BaseException | None] = [error]
    while told:
        each = told.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            each.__traceback__ = _without(each.__traceback__, ours)
            told += [each.__cause__, each.__context__]
    traceback.print_exception(error)


def _without(frames: types.TracebackType | None, files: tuple[str, ...]) -> Any:
    """A traceback without the frames of files whose paths begin so."""
    kept = []
    while frames is not None:
        if not frames.tb_frame.f_code.co_filename.startswith(files):
            kept.append(frames)
        frames = frames.tb_next
    for frame, following in zip(kept, [*kept[1:], None], strict=True):
        frame.tb_next = following
    return kept[0] if kept else None
