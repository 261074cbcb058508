"""What a file is that is no Python file, by its name and by how it begins."""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from jaxscope.errors import Explanation

ARCHIVE_ENDING, JSON_ENDING = CAPTURE_ENDINGS = (".jaxscope", ".json")
"""How names of saved captures end."""
HEAD_BYTES = 4096
"""How much of a file's beginning is looked at."""

_CAPTURE_FORMAT = b'"jaxscope.capture"'
_BEGINNINGS = (
    (re.compile(rb"\s*(//.*\s+)*HloModule\s"), "the text of an HLO module"),
    (re.compile(rb"ML\xefR"), "MLIR bytecode, as of a StableHLO module"),
    (
        re.compile(rb"\s*(#\w+ = .*\s+)*module\s+(@\S+\s+)?(attributes\s*)?\{"),
        "the text of an MLIR module",
    ),
    (re.compile(rb"; ModuleID\b"), "LLVM IR"),
)
_ENDINGS = (
    (".xplane.pb", "a recording of XLA's profiler"),
    (".trace.json.gz", "a recording of a profiler"),
    (".hlo", "an HLO module"),
    (".hlo.pb", "a serialized HLO module"),
    (".mlir", "an MLIR module"),
    (".mlirbc", "MLIR bytecode, as of a StableHLO module"),
    (".stablehlo", "a StableHLO module"),
    (".pb", "a protocol buffer, such as a serialized HLO module"),
    (".pbtxt", "a protocol buffer as text"),
    (".ll", "LLVM IR"),
    (".ptx", "the text of a PTX module"),
    (".cubin", "machine code of a GPU"),
)
_DUMPED = re.compile(r"module_\d+\.")
_SAVED = "It is a capture that jaxscope saved: nothing can be run from it."
_NOT_YET = (
    "jaxscope cannot open it yet. It opens Python files, and captures that it saved (.jaxscope, "
    ".json)."
)
_REMEDY = "Open the Python file that the program was made from, and run the call."


def explain_other_file(path: str, head: bytes) -> Explanation | None:
    """Why a file cannot be run as Python, where it is known to be something else.

    Args:
        path: Of the file.
        head: Its first bytes, at least `HEAD_BYTES` where it has so many.
    """
    if path.endswith((".py", ".pyw")):
        return None
    name = os.path.basename(path) or path
    if path.endswith(ARCHIVE_ENDING) or (head.lstrip()[:1] == b"{" and _CAPTURE_FORMAT in head):
        remedy = f"Look at it: jaxscope {name}. To run a call, name its Python file."
        return _explain(path, f"{name} is no Python file.", _SAVED, remedy)
    found = next((what for begins, what in _BEGINNINGS if begins.match(head)), None)
    if found is None:
        endings = sorted(_ENDINGS, key=lambda each: -len(each[0]))
        found = next((what for ending, what in endings if path.endswith(ending)), None)
    if found is None:
        return None
    return _explain(path, f"{name} is {found}, not a Python file.", _NOT_YET, _REMEDY)


def explain_folder(path: str, names: Collection[str]) -> Explanation:
    """Why a folder cannot be run as Python.

    Args:
        path: Of the folder.
        names: What lies in it.
    """
    if any(_DUMPED.match(name) for name in names):
        what = f"{path} is a folder of modules that XLA dumped, not a Python file."
        return _explain(path, what, _NOT_YET, _REMEDY)
    if "plugins" in names or any(name.endswith(".xplane.pb") for name in names):
        what = f"{path} is a folder of a profiler's recordings, not a Python file."
        return _explain(path, what, _NOT_YET, _REMEDY)
    what = f"{path} is a folder, not a Python file."
    return _explain(path, what, "", "Name a regular file with Python code.")


def _explain(path: str, what: str, why: str, remedy: str) -> Explanation:
    return Explanation(what=what, why=why, where=path, remedy=remedy, kind="NotAFile")
