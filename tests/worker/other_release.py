"""Captures with a JAX that lacks a private name, each in a process forked from this one.

Reads requests, one JSON list a line: the name that is gone, the type of request, and the call.
Answers each with a line: the messages of a worker, as a JSON list of types and fields.
"""

from __future__ import annotations

import ast
import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = Path(__file__).parents[2] / "jaxscope" / "worker"
GONE = "_of_another_release"
HELD = {"_jaxlib_module": "jaxlib._jax", "_hlo_module": "jaxlib._hlo"}
_SAMPLE = str(Path(__file__).parents[2] / "samples" / "quick_start.py")


class _Names(ast.NodeTransformer):
    """Finds the private names that a module uses, and changes one.

    Attributes:
        found: Full names, of modules and of what is looked up in them.
    """

    def __init__(self, gone: str = "") -> None:
        self._gone = gone
        self._modules: dict[str, str] = {}
        self.found: list[str] = []

    def _changed(self, full: str, name: str) -> str:
        self.found.append(full)
        return name + GONE if full == self._gone else name

    def _module_of(self, node: ast.AST) -> str:
        if isinstance(node, ast.Name):
            return self._modules.get(node.id, "")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "private_module" and isinstance(node.args[0], ast.Constant):
                return str(node.args[0].value).removesuffix(GONE)
            return HELD.get(node.func.id, "")
        return ""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.visit(node.value)
        if isinstance(node.targets[0], ast.Name) and (module := self._module_of(node.value)):
            self._modules[node.targets[0].id] = module
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if module := self._module_of(node.value):
            node.attr = self._changed(f"{module}.{node.attr}", node.attr)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name):
            return node
        if node.func.id == "private_module":
            names = [each for each in node.args if isinstance(each, ast.Constant)]
            for each in names:
                each.value = self._changed(str(names[0].value), str(each.value))
        elif node.func.id in {"getattr", "hasattr"} and (module := self._module_of(node.args[0])):
            name = node.args[1]
            assert isinstance(name, ast.Constant)
            name.value = self._changed(f"{module}.{name.value}", str(name.value))
        return node


def private_names() -> Iterator[str]:
    """Every private name of JAX that jaxscope looks up in a module, and these modules."""
    for file in ("compat.py", "compat_recorder.py"):
        names = _Names()
        names.visit(ast.parse(PACKAGE.joinpath(file).read_text("utf-8")))
        yield from names.found


class _WithoutName(importlib.machinery.SourceFileLoader):
    gone = ""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        tree = ast.parse(Path(path).read_text("utf-8"))
        return compile(ast.fix_missing_locations(_Names(self.gone).visit(tree)), path, "exec")


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Any = None, target: ModuleType | None = None) -> Any:
        if name not in {"jaxscope.worker.compat", "jaxscope.worker.compat_recorder"}:
            return None
        file = str(PACKAGE / f"{name.rpartition('.')[2]}.py")
        return importlib.util.spec_from_file_location(name, file, loader=_WithoutName(name, file))


def _answer(gone: str, request: str, call: str) -> list[Any]:
    _WithoutName.gone = gone
    sys.meta_path.insert(0, _Finder)  # type: ignore[arg-type] # a finder needs no more
    from jaxscope.worker import main
    from jaxscope.worker.channel import Channel

    told: list[Any] = []

    class Ear(Channel):
        def send(self, type: str, fields: Any, arrays: Any = None) -> None:
            told.append([type, dict(fields)])

    main._answer(request, {"file": _SAMPLE, "call": call, "target": "cpu"}, Ear(-1))
    return told


def serve() -> None:
    """Answer requests until there are no more."""
    import jax.numpy

    assert jax.numpy is not None and "jaxscope.worker.compat" not in sys.modules
    answers = os.dup(1)
    os.dup2(2, 1)
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            text = json.dumps(_answer(*json.loads(line)), default=str)
            with os.fdopen(answers, "w") as file:
                print(text, file=file, flush=True)
            os._exit(0)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    serve()
