"""Execute the user's file as a module."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from jaxscope.worker.host.source import is_uploaded

_PREFIX = "jaxscope_user_"


def execute_file(path: str, text: str) -> ModuleType:
    """Execute a file's text as a module that is not `__main__`.

    The file's folder is appended to `sys.path`, never put first, so a `random.py` beside the file
    cannot replace the standard library's. A file inside a package is imported as that package's
    module, after the package: so its relative imports work, those that come back to it as well.

    Raises:
        Exception: Whatever the file raises.
    """
    file = Path(path)
    name, package, folder = _module_name(file)
    if not is_uploaded(path) and str(folder) not in sys.path:
        sys.path.append(str(folder))
    if package and not is_uploaded(path):
        known = _import_from_package(name, package, folder, file, text)
        if known is not None:
            return known
    module = ModuleType(name)
    module.__file__ = path
    module.__package__ = package
    sys.modules[name] = module
    code = compile(text, path, "exec", dont_inherit=True)
    exec(code, module.__dict__)
    return module


def _import_from_package(
    name: str, package: str, folder: Path, file: Path, text: str
) -> ModuleType | None:
    """Import a file under its own name; None where its package cannot be imported.

    Args:
        name: Full name of the module.
        package: Of the package that it is in.
        folder: That the outermost package is in.
        file: The module's file.
        text: Of the file, which is what is executed.
    """
    known = sys.modules.get(name)
    if known is not None and _is_of(known, file):
        return known  # a library that is loaded already, such as JAX: twice would be another one
    finder = _FileFinder(name, str(file), text)
    sys.meta_path.insert(0, finder)
    try:
        try:
            _import_outermost(package.partition(".")[0], folder)
            importlib.import_module(package)
        except Exception:
            if finder.has_failed:
                raise  # the file itself raised while its package imported it
            for part in _names_above(name):
                sys.modules.pop(part, None)
            return None  # it may not need its package
        return importlib.import_module(name)
    finally:
        sys.meta_path.remove(finder)


def _is_of(module: ModuleType, file: Path) -> bool:
    origin = getattr(module, "__file__", None)
    return isinstance(origin, str) and os.path.realpath(origin) == os.path.realpath(file)


def _names_above(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:number]) for number in range(1, len(parts) + 1)]


def _import_outermost(name: str, folder: Path) -> None:
    """Import the outermost package from its own folder, whichever of that name is installed."""
    if name in sys.modules:
        return
    home = folder / name
    found = importlib.util.find_spec(name)
    if found is not None and os.path.realpath(found.origin or "") == os.path.realpath(
        home / "__init__.py"
    ):
        return
    spec = importlib.util.spec_from_file_location(
        name, home / "__init__.py", submodule_search_locations=[str(home)]
    )
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


class _FileFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module, and executes for it the text that was read: not what is on disk by now."""

    def __init__(self, name: str, path: str, text: str) -> None:
        self._name, self._path, self._text = name, path, text
        self.has_failed = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname != self._name:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=self._path)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        del spec

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self._path
        code = compile(self._text, self._path, "exec", dont_inherit=True)
        try:
            exec(code, module.__dict__)
        except BaseException:
            self.has_failed = True
            raise


def _is_file(path: Path) -> bool:
    return is_uploaded(str(path)) or path.is_file()


def _module_name(file: Path) -> tuple[str, str, Path]:
    """Full name, package and the folder that belongs on the path."""
    folder = file.parent
    parts: list[str] = []
    while _is_file(folder / "__init__.py") and folder.parent != folder:
        parts.insert(0, folder.name)
        folder = folder.parent
    if parts and all(part.isidentifier() for part in parts):
        return ".".join([*parts, file.stem]), ".".join(parts), folder
    name = file.stem
    taken = name in sys.modules or name in sys.stdlib_module_names or not name.isidentifier()
    return (f"{_PREFIX}{name}" if taken else name), "", file.parent
