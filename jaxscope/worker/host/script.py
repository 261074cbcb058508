"""Runs a script or a module as Python itself would: as `__main__`, with its own folder first."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
import types


def run_as_main(kind: str, target: str) -> None:
    """Run to the end.

    Args:
        kind: `script` or `module`.
        target: Path of the one, name of the other.

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
        code = compile(file.read(), path, "exec")
    exec(code, vars(module))


def print_error(error: BaseException, caller: str) -> None:
    """As Python would, without the frames of this file, of `runpy`, and of who called.

    Args:
        caller: The file of that.
    """
    ours = (__file__, runpy.__file__, caller)
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename in ours:
        frames = frames.tb_next
    traceback.print_exception(type(error), error, frames)
