"""What a file is that is no Python file, by how it begins; by its name only where nothing else
tells.
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO

from jaxscope.errors import Explanation
from jaxscope.model.said import say

ARCHIVE_ENDING, JSON_ENDING = CAPTURE_ENDINGS = (".jaxscope", ".json")
"""How names of saved captures end."""
NOTEBOOK_ENDING = ".ipynb"
MAX_NOTEBOOK_BYTES = 64 << 20
"""A notebook holds what its cells printed and drew, which is most of it."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Some editors write it before a text."""
HEAD_BYTES = 4096
"""How much of a file's beginning is looked at."""

_CAPTURE_FORMAT = b'"jaxscope.capture"'
_REMARK = rb"\s*(?://[^\n]*\n"  # one way to match a text, or hostile ones take for ever
_HLO_TEXT = re.compile(rb"(?:" + _REMARK + rb"))*\s*HloModule\s")
_MLIR_TEXT = re.compile(
    rb"(?:"
    + _REMARK
    + rb"|[#!][\w.$-]+\s*=[^\n]*\n))*\s*"
    + rb"(?:(?:builtin\.)?module\s*(?:@|attributes\b|\{)"
    + rb'|"builtin\.module"|func\.func\s+\w*\s*@|"func\.func")'
)
_JAXPR_TEXT = re.compile(rb"\s*(let\s+\w+ = )?\{ lambda ")
_MLIR_BYTECODE = b"ML\xefR"
_SAMPLE_TYPES = re.compile(rb"(?:\x0a\x04\x08[\x01-\x7f]\x10[\x01-\x7f]){2}")
_JOB_WORDS = (
    b"Finished XLA compilation of ",
    b"Finished jaxpr to MLIR module conversion ",
    b"TRACING CACHE MISS at ",
    b"BufferAssignment OOM Debugging",
    b"Ran out of memory in memory space",
    b"RESOURCE_EXHAUSTED: Out of memory",
)
_MAX_NESTING = 3
_TEXT = re.compile(rb"[\x20-\x7e]+")
_PLANE = re.compile(rb"/(host|device)\b|Task Environment|#")
"""How the names of a profile's planes begin."""


def open_without_waiting(path: str | Path) -> BinaryIO:
    """Open a file to read its bytes. A pipe, whose writer may never come, is not waited for.

    Raises:
        OSError: It cannot be opened, or is a folder.
        ValueError: The name holds a zero byte.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        return os.fdopen(descriptor, "rb")
    except OSError:
        os.close(descriptor)
        raise


class FileForm(enum.Enum):
    """What a file that a job left behind is; the value is fit to show."""

    HLO_TEXT = "the text of an HLO module"
    HLO_PROTO = "a serialized HLO module"
    MLIR_TEXT = "the text of an MLIR module"
    MLIR_BYTECODE = "MLIR bytecode, as of a StableHLO module"
    EXPORT = "a function that jax.export serialized"
    JAXPR = "the text of a jaxpr"
    PROFILE = "a recording of XLA's profiler"
    CAPTURE = "a capture that jaxscope saved"
    JOB_TEXT = "a text that a job wrote: a log of compilations, or that memory did not suffice"
    MEMORY_PROFILE = "a device memory profile"


def recognise(head: bytes) -> FileForm | None:
    """What a file is by how it begins; None where it is nothing of these.

    Args:
        head: Its first bytes, unpacked, at least `HEAD_BYTES` where it has so many.
    """
    head = head.removeprefix(BYTE_ORDER_MARK)
    if _HLO_TEXT.match(head):
        return FileForm.HLO_TEXT
    if head.startswith(_MLIR_BYTECODE):
        return FileForm.MLIR_BYTECODE
    if _MLIR_TEXT.match(head) or (head.startswith(b"#loc") and b"= loc(" in head):
        return FileForm.MLIR_TEXT
    if _JAXPR_TEXT.match(head):
        return FileForm.JAXPR
    if head.startswith(b"PK\x03\x04") or (head.lstrip()[:1] == b"{" and _CAPTURE_FORMAT in head):
        return FileForm.CAPTURE
    if _is_profile_of_samples(head):
        return FileForm.MEMORY_PROFILE
    return _recognise_message(head) or (FileForm.EXPORT if _is_exported(head) else None)


def is_job_text(data: bytes) -> bool:
    """Whether what JAX logs of compilations, or XLA of memory, stands somewhere in a text."""
    return b"\0" not in data[:HEAD_BYTES] and any(words in data for words in _JOB_WORDS)


def _is_profile_of_samples(head: bytes) -> bool:
    """Whether this begins as pprof's profiles do: with two kinds of samples, by number of words."""
    return bool(_SAMPLE_TYPES.match(head))


def _recognise_message(head: bytes) -> FileForm | None:
    """An HLO module begins with its name, a profile with a plane; both may lie in messages."""
    for _ in range(_MAX_NESTING):
        if head[:1] != b"\x0a":
            break
        size, start = _read_size(head)
        name = head[start : start + size]
        follows = head[start + size : start + size + 1]  # the entry's name, or a computation
        if _TEXT.fullmatch(name) and follows in (b"\x12", b"\x1a"):
            return FileForm.HLO_PROTO
        head = head[start:]
    return FileForm.PROFILE if _is_plane(head) else None


def _is_plane(head: bytes) -> bool:
    """Whether this is a plane of a profile: a number that may be left out, then a name."""
    if head[:1] == b"\x08":
        head = head[2:]
    size, start = _read_size(head)
    return head[:1] == b"\x12" and bool(_PLANE.match(head[start : start + size]))


def _read_size(head: bytes) -> tuple[int, int]:
    """The length of a message's first field, and where its bytes begin."""
    size = shift = 0
    for position in range(1, min(len(head), 11)):
        size |= (head[position] & 0x7F) << shift
        shift += 7
        if head[position] < 0x80:
            return size, position + 1
    return 0, len(head)


def _is_exported(head: bytes) -> bool:
    """Whether this may be a flatbuffer as jax.export writes it; its reader looks at all of it."""
    root = int.from_bytes(head[:4], "little")
    if not 4 <= root <= len(head) - 4:
        return False
    table = root - int.from_bytes(head[root : root + 4], "little", signed=True)
    if not 4 <= table <= len(head) - 6:
        return False
    size = int.from_bytes(head[table : table + 2], "little")
    version = root + int.from_bytes(head[table + 4 : table + 6], "little")
    return 20 <= size <= 200 and root < version < len(head) and 0 < head[version] < 100


_ENDINGS = (
    (".xplane.pb", "a recording of XLA's profiler by its name"),
    (".trace.json.gz", "a recording of a profiler"),
    (".hlo", "an HLO module by its name"),
    (".hlo.pb", "a serialized HLO module by its name"),
    (".mlir", "an MLIR module by its name"),
    (".mlirbc", "MLIR bytecode by its name"),
    (".stablehlo", "a StableHLO module by its name"),
    (".pb", "a protocol buffer by its name"),
    (".pbtxt", "a protocol buffer as text"),
    (".ll", "LLVM IR"),
    (".ptx", "the text of a PTX module"),
    (".cubin", "machine code of a GPU"),
)
_DUMPED = re.compile(r"module_\d+\.")
GZIP, XZ, ZSTD = b"\x1f\x8b", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
"""How compressed files begin."""
_SAVED = say("It is a capture that jaxscope saved: nothing can be run from it.")
_WHAT_OPENS = (
    "jaxscope opens Python files, captures that it saved, dump folders of XLA and of JAX, HLO, "
    "StableHLO, and what jax.export serialized."
)
_OPENED = (".xplane.pb", ".hlo", ".hlo.pb", ".mlir", ".mlirbc", ".stablehlo")
"""Endings of files that jaxscope opens: one that is not recognised is not what its name says."""
_COPIED = say("Check that it was written and copied completely.")
_REMEDY = say("Open the Python file that the program was made from, and run the call.")


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
        remedy = say("Look at it: jaxscope {name}. To run a call, name its Python file.", name=name)
        return _explain(path, say("{name} is no Python file.", name=name), _SAVED, remedy)
    form = recognise(head)
    kind = "a compressed file" if head.startswith((GZIP, XZ, ZSTD)) else form and form.value
    if kind is not None:
        remedy = say(
            "Look at it: jaxscope open {name}. To run a call, name its Python file.", name=name
        )
        return _explain(
            path, say("{name} is {kind}, not a Python file.", name=name, kind=kind), "", remedy
        )
    known = sorted(_ENDINGS, key=lambda each: -len(each[0]))
    found = next((what for ending, what in known if path.endswith(ending)), None)
    is_llvm = head.startswith(b"; ModuleID")
    if is_llvm:
        found = "LLVM IR"
    if found is None:
        return None
    remedy = _REMEDY
    if not head.strip():
        what, remedy = say("{name} is empty.", name=name), _COPIED
    elif path.endswith(_OPENED) and not is_llvm:
        what = say("{name} is {found}, but does not begin like one.", name=name, found=found)
        remedy = _COPIED
    else:
        what = say("{name} is {found}, not a Python file.", name=name, found=found)
    return _explain(path, what, _WHAT_OPENS, remedy)


def explain_folder(path: str, names: Collection[str]) -> Explanation:
    """Why a folder cannot be run as Python.

    Args:
        path: Of the folder.
        names: What lies in it.
    """
    look = f"Look at it: jaxscope open {path}"
    if any(_DUMPED.match(name) for name in names):
        what = say("{path} is a folder of modules that XLA dumped, not a Python file.", path=path)
        return _explain(path, what, "", look)
    if "plugins" in names or any(name.endswith(".xplane.pb") for name in names):
        what = say("{path} is a folder of a profiler's recordings, not a Python file.", path=path)
        return _explain(path, what, "", look)
    what = say("{path} is a folder, not a Python file.", path=path)
    return _explain(path, what, "", say("Name a regular file with Python code."))


def _explain(path: str, what: str, why: str, remedy: str) -> Explanation:
    return Explanation(what=what, why=why, where=path, remedy=remedy, kind="NotAFile")
