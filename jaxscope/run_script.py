"""The process of `jaxscope run`: a script as `__main__`, watched while it runs.

Started by file, `python run_script.py OPTIONS KIND TARGET ARGS…`, by any interpreter that has JAX;
OPTIONS is JSON. What jaxscope needs besides is the interpreter's own, or lent by the one that
started it where both load the same compiled modules.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import runpy
import shlex
import sys
import sysconfig
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

_OWN = Path(__file__).resolve().parent
_NEEDED = {"msgspec": "msgspec", "google.protobuf": "protobuf", "pygments": "pygments"}
"""What watching needs besides JAX: modules, and what they are installed as."""


def main(words: list[str]) -> int:
    """Run, write the list, and return the status of the script."""
    options, kind, target, *arguments = words
    known: dict[str, Any] = json.loads(options)
    if known.get("lent", {}).get("suffix") == _suffix():
        missing = [module for module in _NEEDED if not _has(module)]
        sys.meta_path.append(_Lent(missing, known["lent"]["folders"]))
    if problem := _find_problem():
        _tell(problem, Path(known.get("listed") or known["out"]))
        return 3
    _find_jaxscope()
    from jaxscope.worker.host.script import after_import, print_error, run_as_main

    watches: list[Any] = []

    def watch() -> None:
        from jaxscope.compilation_watch import Watch, WatchOptions

        out = Path(known["out"]) if known["out"] else None

        def tell_folder(folder: Path) -> None:
            if place := known.get("place"):  # where who started this looks for it
                Path(place).write_text(str(folder), "utf-8")

        catch = None if known["catch"] is None else tuple(known["catch"])
        numbers = known["after"], known["stop_after"]
        kept = WatchOptions(out, catch, *numbers, known["at_nan"], tell_folder)
        words = [*(["-m"] if kind == "module" else []), target, *arguments]
        watches.append(Watch(kept, shlex.join(words)).__enter__())

    sys.argv = [target, *arguments]
    if "jax" in sys.modules:  # by what the interpreter runs at its start, as a `sitecustomize`
        watch()
    else:
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


def lend_packages() -> dict[str, Any]:
    """What watching needs, as another interpreter may find it here: for the options as `lent`."""
    specs = [importlib.util.find_spec(module) for module in _NEEDED]
    files = {module: spec.origin for module, spec in zip(_NEEDED, specs, strict=True) if spec}
    folders = [str(Path(file).parents[name.count(".") + 1]) for name, file in files.items() if file]
    return {"suffix": _suffix(), "folders": sorted(set(folders))}


def _suffix() -> str:
    """How the files of compiled modules end: it names Python's version and the platform."""
    return str(sysconfig.get_config_var("EXT_SUFFIX"))


class _Lent:
    """Finds some packages in folders of another interpreter, and nothing else there."""

    def __init__(self, names: Sequence[str], folders: Sequence[str]) -> None:
        self._names, self._folders = names, folders

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Like any finder; it comes last, so what the interpreter has goes before."""
        for lent in self._names:
            if lent.startswith(f"{name}.") or name == lent:
                parents = name.split(".")[:-1]
                return PathFinder.find_spec(
                    name, [os.path.join(f, *parents) for f in self._folders]
                )
            if name.startswith(f"{lent}."):
                return PathFinder.find_spec(name, path)
        return None


def _find_problem() -> tuple[str, str] | None:
    """What keeps this interpreter from watching a script: what, and what to do; or None."""
    bootstrap = runpy.run_path(str(_OWN / "worker" / "bootstrap.py"), run_name="bootstrap")
    found: tuple[str, str] | None = bootstrap["find_problem"]()
    missing = [package for module, package in _NEEDED.items() if not _has(module)]
    if found is None and missing:
        *others, last = missing
        names = f"{', '.join(others)} and {last}" if others else last
        what = f"The interpreter {sys.executable} has no {names}, which watching a script needs."
        return what, f"Install it there: {sys.executable} -m pip install {' '.join(missing)}"
    return found


def _has(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # what holds it
        return False


def _tell(problem: tuple[str, str], folder: Path) -> None:
    """Leave a list that says why the script was not begun."""
    what, remedy = problem
    told = {
        **{name: [] for name in ("compilations", "outside", "transfers")},
        "problems": [f"{what} {remedy}"],
        "not_begun": {"what": what, "remedy": remedy},
        "exit_status": 3,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compilations.json").write_text(json.dumps(told, indent=2), "utf-8")


def _find_jaxscope() -> None:
    """Import this file's own jaxscope, whatever else is first on the path of the script."""
    here = str(_OWN.parent)
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != str(_OWN)]
    sys.path.insert(0, here)
    importlib.import_module("jaxscope")
    sys.path.remove(here)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
