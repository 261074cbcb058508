"""What is sent to another machine: the supervisor's and the worker's sources, and a first line.

Nothing needs to be installed there beyond Python and JAX. The sources are unpacked into a folder of
the process that starts from them, which removes it at its end.
"""

from __future__ import annotations

import base64
import functools
import io
import shlex
import struct
import zipfile
from pathlib import Path

TOO_OLD_STATUS = 97
ENDED_EARLY_STATUS = 98

_FOLDERS = ("model", "wire", "worker")
_CLIENT = (
    *("__init__", "event_loop", "far_side", "output_meter", "process_tree", "relay", "spares"),
    *("supervisor", "worker_process"),
)
# For whatever Python is there: the syntax of the oldest.
_BOOTSTRAP = f"""
import io, os, struct, sys, tempfile, zipfile
if sys.version_info[:2] < (3, 11):
    sys.stderr.write("jaxscope needs Python 3.11: %s is %d.%d\\n"
                     % ((sys.executable,) + tuple(sys.version_info[:2])))
    sys.exit({TOO_OLD_STATUS})
def take(size):
    data = b""
    while len(data) < size:
        piece = os.read(0, size - len(data))
        if not piece:
            sys.exit({ENDED_EARLY_STATUS})
        data += piece
    return data
size = struct.unpack("<Q", take(8))[0]
folder = tempfile.mkdtemp(prefix="jaxscope-scratch-%d-" % os.getpid())
zipfile.ZipFile(io.BytesIO(take(size))).extractall(folder)
os.execv(sys.executable, [sys.executable, "-I", "-S", "-B",
         os.path.join(folder, "jaxscope", "worker", "bootstrap.py"),
         "jaxscope.client.far_side", folder])
"""


@functools.cache
def make_package() -> bytes:
    """The sources as a zip file with its length before it."""
    root = Path(__file__).parents[1]
    files = [root / "__init__.py", root / "errors.py"]
    files += [root / "client" / f"{name}.py" for name in _CLIENT]
    for folder in _FOLDERS:
        found = (path for path in (root / folder).rglob("*") if path.is_file())
        files += sorted(path for path in found if "__pycache__" not in path.parts)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, f"jaxscope/{path.relative_to(root).as_posix()}")
    data = packed.getvalue()
    return struct.pack("<Q", len(data)) + data


def remote_command(python: str) -> str:
    """What the other machine's shell is asked to run; free of what shells differ in.

    Args:
        python: A path there, or a name that is looked up there; `~/` is the home there.
    """
    home, name = ("~/", python[2:]) if python.startswith("~/") else ("", python)
    code = base64.b64encode(_BOOTSTRAP.encode()).decode()
    first = f'import base64;exec(base64.b64decode("{code}"))'
    return f"exec {home}{shlex.quote(name)} -c {shlex.quote(first)}"
