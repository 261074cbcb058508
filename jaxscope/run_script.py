"""The process of `jaxscope run`: a script as `__main__`, watched while it runs.

Started by file, `python run_script.py OPTIONS KIND TARGET ARGS…`, by any interpreter that has JAX
and what jaxscope needs; OPTIONS is JSON.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any


def main(words: list[str]) -> int:
    """Run, write the list, and return the status of the script."""
    options, kind, target, *arguments = words
    _find_jaxscope()
    from jaxscope.worker.host.script import after_import, print_error, run_as_main

    watches: list[Any] = []

    def watch() -> None:
        try:
            from jaxscope.watching import Watch, WatchOptions
        except ImportError as error:
            sys.exit(f"jaxscope: {sys.executable} lacks what watching needs: {error}")
        known: dict[str, Any] = json.loads(options)
        out = Path(known["out"]) if known["out"] else None
        kept = WatchOptions(out, tuple(known["catch"]), known["after"], known["stop_after"])
        watches.append(Watch(kept, " ".join([target, *arguments])).__enter__())

    sys.argv = [target, *arguments]
    after_import("jax", watch)  # not before: the script may say first how JAX is to start
    try:
        run_as_main(kind, target)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except KeyboardInterrupt:
        status = 130
    except BaseException as error:
        status = 0 if type(error).__name__ == "EnoughSeen" else 1
        if status:
            print_error(error, __file__)
    if not watches:
        importlib.import_module("jax")  # a script without JAX has an empty list
    watches[0].exit_status = status
    watches[0].__exit__()
    return status


def _find_jaxscope() -> None:
    """Import this file's own jaxscope, whatever else is first on the path of the script."""
    here = str(Path(__file__).resolve().parents[1])
    own = str(Path(__file__).resolve().parent)
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != own]
    sys.path.insert(0, here)
    importlib.import_module("jaxscope")
    sys.path.remove(here)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
