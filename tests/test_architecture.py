"""The architecture as tests: who may import whom, what is loaded when, who may use what.

Imports inside functions and under `TYPE_CHECKING` count like those at the top: hiding one changes
nothing about the design. Packages, and folders and modules inside the large packages, stand in an
order; each may import only what stands before it.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import jaxscope.errors
from jaxscope.errors import JaxscopeError
from jaxscope.heap import without_collector

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "jaxscope"
FILES = sorted(PACKAGE.rglob("*.py"))

FACE = "the face"  # modules at the root: __init__, __main__, in_process, notebook, watching, …
_ROOT = {"errors", "heap", "late_dataclass", "marks", "processes"}
_MODEL = {*_ROOT, "model"}
_PROGRAM = _MODEL | {"program"}
_FILES = _PROGRAM | {"schema", "picture", "report", "export"}

# Package of ours -> packages of ours that it may import, besides itself.
MAY_IMPORT = {
    "errors": {"late_dataclass"},
    "heap": set(),
    "late_dataclass": set(),
    "marks": set(),
    "processes": set(),
    "verbs": set(),
    "version": set(),
    "model": _ROOT,
    "wire": _MODEL,
    "worker": _MODEL | {"wire"},
    "supervisor": {"errors", "late_dataclass", "wire"},
    "program": _MODEL,
    "schema": _PROGRAM | {"wire"},
    "picture": _PROGRAM,
    "report": _PROGRAM | {"schema", "picture"},
    "export": _FILES,
    "client": _PROGRAM | {"wire", "schema", "supervisor", "report"},
    "ui": _FILES | {"client", "setup", "version"},
    "cli": _FILES | {"client", "setup", "ui", "verbs", "version"},
    "setup": {"verbs"},
    FACE: _FILES | {"wire", "worker", "client", "ui", "cli", "version"},
}

# Inside a package: folders and modules in order. A new one has its place here.
INNER_ORDER = {
    "program": (
        *("hlo", "machine", "size", "equation_text", "dataflow", "predicates", "kernel_grid"),
        *("fates", "cost", "sharding"),
        *(
            "memory",
            "diff",
            "passes",
            "batch_axes",
            "name_links",
            "shared_calls",
            "links",
            "fusion",
            "search",
            "source_lines",
        ),
        *(
            "roofline",
            "targets",
            "node_times",
            "xplane",
            "job_texts",
            "recompilation",
            "scaling",
        ),
        *("explanations", "cards"),
    ),
    "picture": ("syntax", "view", "palette", "layout", "scene", "tint"),
    "worker": (
        *(
            "compat",
            "compat_recorder",
            "channel",
            "faults",
            "host",
            "provenance",
            "targets",
            "checks",
        ),
        *("stages", "timing", "values", "main"),
    ),
    "ui": (
        *(
            "instance_handover",
            "toolkit",
            "session",
            "canvas",
            "source",
            "selection",
            "panes",
            "figures",
        ),
        *("window", "pages", "application", "launch", "window_probe"),
    ),
}

# Package of ours -> packages of others that it may import, besides the standard library.
MAY_USE = {
    "errors": set(),
    "late_dataclass": set(),
    "heap": set(),
    "marks": set(),
    "verbs": set(),
    "version": set(),
    "model": {"numpy"},
    "wire": {"numpy"},
    "worker": {"numpy", "jax", "jaxlib", "PIL"},  # Pillow where it is there: arguments from images
    "supervisor": set(),
    "program": {"numpy", "google", "capstone", "regex"},
    "schema": {"numpy", "msgspec"},
    "picture": {"numpy", "graphviz", "pygments"},
    "report": {"numpy"},
    "export": {"numpy", "graphviz", "pygments", "resvg_py", "reportlab"},
    "client": {"numpy", "msgspec"},
    "ui": {"numpy", "PySide6", "shiboken6", "pyqtgraph", "pygments"},
    "cli": {"mcp", "pydantic"},
    "setup": set(),
    FACE: {"pytest"},  # pytest_plugin.py, which pytest itself loads
}

# Modules of cli that may open the window; everything else must work without Qt.
OPENS_WINDOW = {"cli/window.py"}

_TIME_OF_DAY = re.compile(r"\btime\.time(_ns)?\(|\bdatetime\.(now|today|utcnow)\(|currentDateTime")
FORBIDDEN_MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}

HOLDS_PRIVATE_NAMES = {"worker/compat.py", "worker/compat_recorder.py"}


def name_of(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


def package_of(file: Path) -> str:
    first = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return first if first in MAY_IMPORT else FACE


@cache
def parse(file: Path) -> ast.Module:
    with without_collector():  # which takes half of the time, and finds nothing
        return ast.parse(file.read_text(encoding="utf-8"), str(file))


@pytest.fixture(scope="module", autouse=True)
def _forget_trees() -> Iterator[None]:
    """Else Python's collector would go through their 1.5 million objects in all tests after."""
    yield
    parse.cache_clear()


@cache
def imports_of(file: Path) -> tuple[tuple[int, str], ...]:
    """Line and full dotted name of everything imported, deferred imports included."""
    return tuple(_find_imports(file))


def statements_of(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements, those inside of others too; expressions, which are most nodes, left out."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, field, ()):
            yield node
            yield from statements_of(node)


def _find_imports(file: Path) -> Iterator[tuple[int, str]]:
    for node in statements_of(parse(file)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)}:{node.lineno}: relative import"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def test_imports_flow_one_way() -> None:
    wrong = []
    for file in FILES:
        package = package_of(file)
        for line, name in imports_of(file):
            first, *rest = name.split(".")
            if first == "jaxscope":
                other = rest[0] if rest else ""
                if other in MAY_IMPORT and other not in MAY_IMPORT[package] | {package}:
                    wrong.append(f"{name_of(file)}:{line} {package} imports {name}")
            elif first not in sys.stdlib_module_names and first not in MAY_USE[package]:
                wrong.append(f"{name_of(file)}:{line} {package} imports {name}")
    assert not wrong


@pytest.mark.parametrize("package", INNER_ORDER)
def test_imports_inside_a_package_flow_one_way(package: str) -> None:
    order = INNER_ORDER[package]
    folder = PACKAGE / package
    found = {path.stem for path in folder.iterdir() if not path.name.startswith("__")}
    assert found <= {*order, "bootstrap"}, "a new folder or module has a place in the order"
    wrong = []
    for file in sorted(folder.rglob("*.py")):
        part = file.relative_to(folder).parts[0].removesuffix(".py")
        if part not in order:
            continue
        allowed = set(order[: order.index(part) + 1])
        for line, name in imports_of(file):
            head = f"jaxscope.{package}."
            if name.startswith(head) and name.removeprefix(head).split(".")[0] not in allowed:
                wrong.append(f"{name_of(file)}:{line} imports {name}")
    assert not wrong


def test_no_modules_import_each_other() -> None:
    modules = {module_name(file): file for file in FILES}
    graph = {
        name: {
            other
            for _, imported in imports_of(file)
            for other in (imported, imported.rpartition(".")[0])
            if other in modules and other != name
        }
        for name, file in modules.items()
    }
    finished: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " → ".join((*path[path.index(name) :], name))
        if name in finished:
            return
        for other in graph.get(name, ()):
            visit(other, (*path, name))
        finished.add(name)

    for name in graph:
        visit(name, ())


def module_name(file: Path) -> str:
    name = name_of(file).removesuffix(".py").removesuffix("__init__").strip("/")
    return ".".join(["jaxscope", *(part for part in name.split("/") if part)])


def test_only_the_window_command_opens_the_window() -> None:
    importers = {
        name_of(file)
        for file in FILES
        if package_of(file) == "cli"
        for _, name in imports_of(file)
        if name.startswith("jaxscope.ui")
    }
    assert importers == OPENS_WINDOW


def test_private_names_of_jax_have_their_addresses() -> None:
    wrong = []
    for file in FILES:
        if name_of(file) in HOLDS_PRIVATE_NAMES:
            continue
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
                wrong.append(f"{name_of(file)}:{node.lineno}")
        wrong += [
            f"{name_of(file)}:{line}"
            for line, name in imports_of(file)
            if name.startswith(("jax._", "jaxlib._"))
        ]
    assert not wrong


def test_nothing_is_unpickled() -> None:
    for file in FILES:
        names = {name.split(".")[0] for _, name in imports_of(file)}
        assert not names & FORBIDDEN_MODULES, name_of(file)
        assert "allow_pickle=True" not in file.read_text(encoding="utf-8"), name_of(file)


def test_no_clock_that_may_jump_says_how_long_something_takes() -> None:
    """A person or the network sets the time of day; what waits or measures uses another."""
    used = [name_of(file) for file in FILES if _TIME_OF_DAY.search(file.read_text("utf-8"))]
    assert sorted(used) == [
        "schema/whole_file.py",  # beside the times of files: what is left of a killed writer
        "worker/targets/environment.py",  # a date to be shown
    ]


def test_only_the_worker_runs_code() -> None:
    calls = [
        f"{name_of(file)}:{node.lineno}"
        for file in FILES
        if package_of(file) not in ("worker", "late_dataclass")  # which writes that code itself
        for node in ast.walk(parse(file))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("eval", "exec")
    ]
    assert not calls


def test_dataclasses_are_those_that_are_quick_to_load() -> None:
    """Those of `setup`, which runs before anything is installed, are few."""
    wrong = [
        name_of(file)
        for file in FILES
        if package_of(file) not in ("late_dataclass", "setup", "verbs")
        for node in ast.walk(parse(file))
        if isinstance(node, ast.ClassDef)
        if any("dataclasses.dataclass" in ast.unparse(each) for each in node.decorator_list)
    ]
    assert not wrong


def test_modules_are_documented() -> None:
    assert not [name_of(file) for file in FILES if not ast.get_docstring(parse(file))]


def test_no_module_is_named_after_nothing() -> None:
    empty_words = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
    assert not [name_of(file) for file in FILES if file.stem in empty_words]


def modules_loaded_by(statement: str) -> set[str]:
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return {name.partition(".")[0] for name in answer.stdout.split()}


def imports_of_package(package: str) -> str:
    files = [file for file in FILES if package_of(file) == package]
    # What asks Windows cannot be loaded elsewhere.
    names = [module_name(file) for file in files if file.stem != "windows"]
    return "\n".join(f"import {name}" for name in names if not name.endswith("__main__"))


@pytest.mark.parametrize(
    "statement", ["import jaxscope", "import jaxscope.cli", "import jaxscope.pytest_plugin"]
)
def test_import_is_light(statement: str) -> None:
    heavy = {"jax", "jaxlib", "PySide6", "shiboken6", "numpy", "scipy", "google", "pyqtgraph"}
    assert not modules_loaded_by(statement) & heavy


def test_the_library_loads_neither_jax_nor_qt() -> None:
    packages = ("model", "wire", "program", "schema", "picture", "report", "client")
    loaded = modules_loaded_by("\n".join(imports_of_package(package) for package in packages))
    assert not loaded & {"jax", "jaxlib", "PySide6", "shiboken6"}


def test_the_supervisor_needs_the_standard_library_alone() -> None:
    loaded = modules_loaded_by(imports_of_package("supervisor"))
    assert not loaded & {"jax", "jaxlib", "PySide6", "shiboken6", "numpy", "msgspec"}


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
