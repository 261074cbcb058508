"""The architecture as a test: who may import whom, what is loaded when, how files look.

Imports inside functions count like those at the top: hiding one changes nothing about the design.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import jaxscope.errors
from jaxscope.errors import JaxscopeError

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "jaxscope"
FILES = sorted(PACKAGE.rglob("*.py"))
MAX_LINES = 1000

FACE = "the face"  # jaxscope/__init__.py and __main__.py
LAYERS = ("errors", "model", "wire", "worker", "analysis", "client", "ui", "cli", "setup")

# Package of ours -> packages of ours that it may import, besides itself.
MAY_IMPORT = {
    "errors": set(),
    "model": {"errors"},
    "wire": {"errors", "model"},
    "worker": {"errors", "model", "wire"},
    "analysis": {"errors", "model"},
    "client": {"errors", "model", "wire", "analysis"},
    "ui": {"errors", "model", "analysis", "client", "setup"},
    "cli": {"errors", "model", "analysis", "client", "ui", "setup"},
    "setup": set(),
    FACE: {"errors", "model", "wire", "worker", "analysis", "client", "ui", "cli"},
}

# Package of ours -> packages of others that it may import, besides the standard library.
MAY_USE = {
    "errors": set(),
    "model": {"numpy"},
    "wire": {"numpy"},
    "worker": {"numpy", "jax", "jaxlib"},
    "analysis": {
        *("numpy", "scipy", "google", "msgspec", "graphviz", "pygments", "capstone"),
        *("resvg_py", "reportlab"),
    },
    "client": {"numpy", "scipy", "msgspec"},
    "ui": {"numpy", "PySide6", "shiboken6", "pyqtgraph", "pygments"},
    "cli": set(),
    "setup": set(),
    FACE: set(),
}

# Modules of cli that may open the window; everything else must work without Qt.
OPENS_WINDOW = {"cli/window.py"}

FORBIDDEN_MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}


def name_of(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


def layer_of(file: Path) -> str:
    first = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return first if first in LAYERS else FACE


def parse(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def imports_of(file: Path) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything imported, deferred imports included."""
    for node in ast.walk(parse(file)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)}:{node.lineno}: relative import"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_imports_flow_one_way(file: Path) -> None:
    layer = layer_of(file)
    wrong = []
    for line, name in imports_of(file):
        first, _, rest = name.partition(".")
        if first == "jaxscope":
            other = rest.partition(".")[0]
            allowed = MAY_IMPORT[layer] | {layer}
            if other in LAYERS and other not in allowed:
                wrong.append(f"{name_of(file)}:{line} {layer} imports {name}")
        elif first not in sys.stdlib_module_names and first not in MAY_USE[layer]:
            wrong.append(f"{name_of(file)}:{line} {layer} imports {name}")
    assert not wrong


def test_only_the_window_command_opens_the_window() -> None:
    importers = {
        name_of(file)
        for file in FILES
        if layer_of(file) == "cli"
        for _, name in imports_of(file)
        if name.startswith("jaxscope.ui")
    }
    assert importers <= OPENS_WINDOW


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_private_names_of_jax_have_their_addresses(file: Path) -> None:
    if name_of(file) in ("worker/compat.py", "worker/compat_recording.py", "worker/compat_job.py"):
        return
    wrong = []
    for node in ast.walk(parse(file)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_private = node.value.startswith(("jax._src.", "jaxlib._"))
        else:
            is_private = (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in ("jax", "jaxlib")
                and node.attr.startswith("_")
                and not node.attr.startswith("__")
            )
        if is_private:
            wrong.append(node.lineno)
    wrong += [line for line, name in imports_of(file) if name.startswith(("jax._", "jaxlib._"))]
    assert not wrong, f"{name_of(file)} uses private names of JAX in lines {wrong}"


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_nothing_is_unpickled(file: Path) -> None:
    assert not [name for _, name in imports_of(file) if name.split(".")[0] in FORBIDDEN_MODULES]
    text = file.read_text(encoding="utf-8")
    assert "allow_pickle=True" not in text


@pytest.mark.parametrize("file", [f for f in FILES if layer_of(f) != "worker"], ids=name_of)
def test_only_the_worker_runs_code(file: Path) -> None:
    calls = [
        node.lineno
        for node in ast.walk(parse(file))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("eval", "exec")
    ]
    assert not calls


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_modules_are_documented_and_small(file: Path) -> None:
    assert ast.get_docstring(parse(file)), "a module starts with a docstring"
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_no_module_is_named_after_nothing() -> None:
    empty_words = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
    assert not [name_of(file) for file in FILES if file.stem in empty_words]


def modules_loaded_by(statement: str) -> set[str]:
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return {name.partition(".")[0] for name in answer.stdout.split()}


@pytest.mark.parametrize("statement", ["import jaxscope", "import jaxscope.cli"])
def test_import_is_light(statement: str) -> None:
    heavy = {"jax", "jaxlib", "PySide6", "shiboken6", "numpy", "scipy", "google", "pyqtgraph"}
    assert not modules_loaded_by(statement) & heavy


@pytest.mark.parametrize("layer", ["wire", "client", "analysis", "model"])
def test_layers_below_the_window_load_neither_jax_nor_qt(layer: str) -> None:
    modules = [
        "jaxscope." + name_of(file).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for file in FILES
        if layer_of(file) == layer and file.stem != "__main__"
    ]
    loaded = modules_loaded_by("\n".join(f"import {module}" for module in modules))
    assert not loaded & {"jax", "jaxlib", "PySide6", "shiboken6"}


def all_errors(error: type[JaxscopeError] = JaxscopeError) -> Iterator[type[JaxscopeError]]:
    yield error
    for subclass in error.__subclasses__():
        yield from all_errors(subclass)


def test_every_error_has_an_exit_status_and_a_place_in_the_tree() -> None:
    tree = jaxscope.errors.__doc__ or ""
    for error in all_errors():
        assert error.exit_status in {1, 2, 3, 4, 70}, error
        assert error.__doc__, error
        assert error.__name__ in tree, f"{error.__name__} is missing in the tree"
        assert error.__module__ == "jaxscope.errors", f"{error} is defined elsewhere"
