"""Start a module of jaxscope under an interpreter where jaxscope is not installed.

    PYTHON bootstrap.py MODULE ARGUMENT…

The package is imported from where this file lies, without putting that place on `sys.path`: the
environment sees none of our other packages, and our modules cannot shadow anyone's. Written for
old interpreters, so that they get a message and not a syntax error.
"""

import importlib.util
import json
import os
import re
import struct
import sys
import types

# Python puts this script's folder first, where `source.py` and its neighbours would be importable.
if sys.path and sys.path[0] == os.path.dirname(__file__):
    del sys.path[0]

_WORKER = "jaxscope.worker.main"
_OLDEST = (3, 11)
_OLDEST_JAX = (0, 8)


def main(module: str, arguments: "list[str]") -> None:
    """Import `module` from beside this file and call its `main` with the arguments.

    A worker that cannot start says so on its reply descriptor, the second of its arguments.
    """
    if module == _WORKER:
        arguments = [str(_open(argument)) for argument in arguments[:-1]] + arguments[-1:]
        problem = find_problem()
        if problem is not None and not can_start_without_jax():
            _report(int(arguments[1]), *problem)
            os._exit(3)
    _import_package()
    if importlib.util.find_spec("jax_plugins"):
        imported = _import_silently(module)
    else:
        imported = importlib.import_module(module)
    imported.main(arguments)


def _open(argument: str) -> int:
    """The descriptor that an argument names: on Windows by the handle that was inherited."""
    if sys.platform != "win32":
        return int(argument)
    import msvcrt

    os.set_handle_inheritable(int(argument), False)
    return msvcrt.open_osfhandle(int(argument), 0)


def _import_silently(module: str) -> "types.ModuleType":
    """Import what imports JAX: its plugins say at length on standard error which device is missing.

    That is no output of the user's. What the import raises is reported as ever.
    """
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        return importlib.import_module(module)
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def find_problem() -> "tuple[str, str] | None":
    """What keeps this interpreter from running a worker: `(what, remedy)`, or None."""
    if sys.version_info[:2] < _OLDEST:
        version = "%d.%d" % sys.version_info[:2]  # noqa: UP031 (the interpreter may be ancient)
        return (
            sys.executable + " is Python " + version + "; jaxscope needs 3.11 or newer.",
            "Choose a newer one: --python, in the window Run, Choose the interpreter.",
        )
    missing = [name for name in ("jax", "jaxlib", "numpy") if not importlib.util.find_spec(name)]
    if missing:
        names = " and ".join(missing)
        return (
            "The interpreter " + sys.executable + " has no " + names + ".",
            "Install JAX there: " + sys.executable + " -m pip install jax; or choose another "
            "one: --python, in the window Run, Choose the interpreter.",
        )
    version_of_jax = _read_version_of_jax()
    numbers = tuple(int(part) for part in re.findall(r"\d+", version_of_jax)[:2])
    if numbers and numbers < _OLDEST_JAX:
        return (
            "The interpreter "
            + sys.executable
            + " has JAX "
            + version_of_jax
            + "; jaxscope needs "
            + ".".join(map(str, _OLDEST_JAX))
            + " or newer.",
            "Upgrade it there: " + sys.executable + " -m pip install --upgrade jax jaxlib; or "
            "choose another one: --python, in the window Run, Choose the interpreter.",
        )
    return None


def can_start_without_jax() -> bool:
    """Whether a worker starts here at all: without JAX it opens some of what jobs left."""
    has_jax = importlib.util.find_spec("jax") and importlib.util.find_spec("jaxlib")
    has_numpy = importlib.util.find_spec("numpy") is not None
    return sys.version_info[:2] >= _OLDEST and has_numpy and not has_jax


def _read_version_of_jax() -> str:
    """The version that JAX says of itself, without importing it; empty where it does not."""
    spec = importlib.util.find_spec("jax")
    for folder in (spec and spec.submodule_search_locations) or []:
        try:
            with open(os.path.join(folder, "version.py"), encoding="utf-8") as file:
                found = re.search(r"^_version = ['\"]([\w.]+)", file.read(20_000), re.MULTILINE)
        except (OSError, UnicodeDecodeError):
            continue
        if found:
            return found.group(1)
    return ""


def _report(descriptor: int, what: str, remedy: str) -> None:
    explanation = {"what": what, "remedy": remedy, "kind": "EnvironmentProblem"}
    message: dict[str, object] = {
        "type": "failed",
        "run": "",
        "fault": "environment",
        "stage": None,
        "explanation": explanation,
        "arrays": [],
    }
    data = json.dumps(message).encode("ascii")
    # One frame, as in jaxscope/wire/frames.py: length, the kind HEADER, payload.
    os.write(descriptor, struct.pack("<IB", len(data), 1) + data)


def _import_package() -> None:
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    spec = importlib.util.spec_from_file_location(
        "jaxscope", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise ImportError("jaxscope's own folder cannot be read: " + folder)
    package = importlib.util.module_from_spec(spec)
    sys.modules["jaxscope"] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":  # user code that spawns processes imports this file a second time
    main(sys.argv[1], sys.argv[2:])
