"""The user's files that another machine needs: the file itself and the modules it has beside it.

They are sent with each request and never written to the other machine's disk. What the file
imports from its own folder or package is found by reading it, not by running it. Data files are
not sent.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from jaxscope.errors import Explanation, SourceError, UsageError
from jaxscope.model.graph_columns import strings_to_arrays

MAX_FILES = 500
MAX_BYTES = 16 << 20


def collect_sources(files: Iterable[str | None]) -> dict[str, bytes]:
    """Contents of files and of what they import from beside them, by real path.

    Raises:
        SourceError: A file cannot be read.
        UsageError: They are too many or too large to be sent.
    """
    found: dict[str, bytes] = {}
    waiting = [os.path.realpath(file) for file in files if file]
    for file in waiting:
        try:
            found[file] = _read(file)
        except OSError as error:
            raise SourceError(
                Explanation(f"{file} cannot be read.", error.strerror or str(error), file)
            ) from None
    while waiting:
        file = waiting.pop()
        for other in _find_imports(file, found[file]):
            if other in found:
                continue
            try:
                found[other] = _read(other)
            except OSError:
                continue  # importing it there says so
            waiting.append(other)
            if len(found) > MAX_FILES or sum(map(len, found.values())) > MAX_BYTES:
                raise UsageError(
                    Explanation(
                        what=f"{os.path.basename(file)} imports too much from beside it to be sent "
                        "to another machine.",
                        why=f"At most {MAX_FILES} files and {MAX_BYTES >> 20} MiB are sent.",
                        remedy="Install that code as a package on the other machine.",
                        kind="TooManySources",
                    )
                )
    return found


def sources_to_arrays(sources: Mapping[str, bytes]) -> dict[str, Any]:
    """The arrays of a request that carries files."""
    return {
        **strings_to_arrays(tuple(sources), "carried_path"),
        "carried": np.frombuffer(b"".join(sources.values()), np.uint8),
        "carried_bytes": np.array([len(data) for data in sources.values()], np.int64),
    }


def _read(path: str) -> bytes:
    if not os.path.isfile(path):  # a pipe would never end
        raise FileNotFoundError(2, "There is no such file")
    with open(path, "rb") as file:
        return file.read(MAX_BYTES + 1)


def _find_imports(file: str, data: bytes) -> Iterator[str]:
    """Files beside a file, or in its package, that its imports may mean; those that exist."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # running it reports what is wrong with it
    folder = os.path.dirname(file)
    root = _root(folder)
    while folder != root:  # its packages are imported before it
        yield from _existing(folder)
        folder = os.path.dirname(folder)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(root, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = os.path.dirname(file) if node.level else root
            for _ in range(node.level - 1):
                base = os.path.dirname(base)
            yield from _modules(base, node.module or "")
            for alias in node.names:
                yield from _modules(base, f"{node.module or ''}.{alias.name}".strip("."))


def _root(folder: str) -> str:
    """The folder from which a file of this folder is imported: above all its packages."""
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


def _modules(base: str, dotted: str) -> Iterator[str]:
    """The files that `import a.b` runs, if they lie there."""
    place = base
    for part in dotted.split(".") if dotted else ():
        place = os.path.join(place, part)
        yield from _existing(place)


def _existing(place: str) -> Iterator[str]:
    for path in (f"{place}.py", os.path.join(place, "__init__.py")):
        if os.path.isfile(path):
            yield os.path.realpath(path)
