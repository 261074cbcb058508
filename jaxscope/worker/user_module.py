"""Execute the user's file as a module."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from jaxscope.worker.carried import is_carried

_PREFIX = "jaxscope_user_"


def execute_file(path: str, text: str) -> ModuleType:
    """Execute a file's text as a module that is not `__main__`.

    The file's folder is appended to `sys.path`, never put first, so a `random.py` beside the file
    cannot replace the standard library's. A file inside a package becomes that package's module,
    so its relative imports work.

    Raises:
        Exception: Whatever the file raises.
    """
    file = Path(path)
    name, package, folder = _module_name(file)
    if not is_carried(path) and str(folder) not in sys.path:
        sys.path.append(str(folder))
    module = ModuleType(name)
    module.__file__ = path
    module.__package__ = package
    sys.modules[name] = module
    code = compile(text, path, "exec", dont_inherit=True)
    exec(code, module.__dict__)
    return module


def _is_file(path: Path) -> bool:
    return is_carried(str(path)) or path.is_file()


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
