"""Interpreters that are none: one stands where a worker should and says what a test tells it,
another has an old JAX, a third is too old to read any file of jaxscope's.
"""

from __future__ import annotations

import stat
import sys
import venv
from pathlib import Path

from jaxscope.wire.protocol import BEGUN_SIGN

_PROGRAM = """#!{python} -IS
import json, os, struct, sys, time
_, _, request_fd, reply_fd, heartbeat_fd, stack_fd, parent = sys.argv[1:]
REPLY = int(reply_fd)


def raw(data):
    while data:
        data = data[os.write(REPLY, data):]


def frame(payload, kind=1):
    raw(struct.pack("<IB", len(payload), kind) + payload)


def say(type, **fields):
    fields.setdefault("run", RUN)
    fields.setdefault("arrays", [])
    frame(json.dumps(dict(fields, type=type)).encode())


RUN = ""
say("hello", pid=os.getpid(), python="3.11", protocol=1)
length, kind = struct.unpack("<IB", os.read(int(request_fd), 5))
REQUEST = json.loads(os.read(int(request_fd), length))
RUN = REQUEST["run"]
os.write(int(heartbeat_fd), {begun!r})
{code}
"""


def write_impostor(folder: Path, code: str) -> str:
    """Write a program that acts as a worker which runs `code` once it has its request.

    The code can use `raw(bytes)`, `frame(payload, kind)`, `say(type, **fields)`, `REQUEST`, `RUN`.
    """
    path = folder / "impostor"
    path.write_text(_PROGRAM.format(python=sys.executable, code=code, begun=BEGUN_SIGN))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def write_old_jax(folder: Path, version: str) -> str:
    """Make an interpreter that has a JAX of this version, which ends whoever imports it."""
    venv.create(folder, symlinks=True)
    (packages,) = (folder / "lib").glob("python*/site-packages")
    for name in ("jax", "jaxlib", "numpy"):
        (packages / name).mkdir()
        (packages / name / "__init__.py").write_text("raise SystemExit('it was imported')")
    (packages / "jax" / "version.py").write_text(f'import os\n\n_version = "{version}"\n')
    return str(folder / "bin" / "python")


_ANCIENT = """#!/bin/sh
if [ "$1" = -c ]; then echo False; exit 0; fi
echo "  File \\"$1\\", line 3" >&2
echo "SyntaxError: Non-ASCII character '\\\\xe2' in file $1 on line 4, but no encoding declared" >&2
exit 1
"""


def write_ancient(folder: Path) -> str:
    """Write what answers as Python 2.7 does; 3.6 shows the line at fault as well."""
    path = folder / "ancient"
    path.write_text(_ANCIENT)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)
