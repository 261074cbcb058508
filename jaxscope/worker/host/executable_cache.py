"""Keep what the arguments of calls compile for the processes to come.

`init(key(0))` runs operation by operation, and each is compiled for itself. The parameters of the
12-layer transformer in `samples/` take 2.2 s so, in every run anew, as each has a process of its
own; with JAX's persistent cache they take 0.5 s. It is on while the arguments of a call are made,
and never while a file is imported or a program is captured or measured.

Executables hold code for one processor, so each machine has a folder of its own. A cache that the
person has set, or turned off, stays as it is: `JAX_ENABLE_COMPILATION_CACHE=0` keeps nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import stat
import warnings
from collections.abc import Iterator
from pathlib import Path

from jaxscope.worker import compat

_MAX_BYTES = 64 << 20
_MAX_FILES = 4_000


@contextlib.contextmanager
def keeping_executables() -> Iterator[None]:
    """Take what is compiled meanwhile from the person's own cache folder, or put it there."""
    folder = _make_folder()
    if folder is None:
        yield
        return
    # A file that was cut off is compiled anew: nothing that the person could act on.
    warnings.filterwarnings("ignore", "Error (reading|writing) persistent compilation cache")
    with compat.persistent_cache(str(folder)):
        yield


def _make_folder() -> Path | None:
    """The folder for this machine, which is the person's alone; None where there can be none."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(home, "jaxscope", "executables", _describe_machine())
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        if hasattr(os, "getuid") and status.st_uid != os.getuid():
            return None
        if os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o022:
            return None
        _remove_oldest(folder)
    except OSError:
        return None
    return folder


def _describe_machine() -> str:
    """A name for what executables depend on: the host, its processor and jaxlib."""
    features = ""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
        features = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    features = features or platform.processor()  # this starts a process
    about = (platform.node(), platform.machine(), features, compat.jaxlib_version())
    return hashlib.sha256("\n".join(about).encode()).hexdigest()[:16]


def _remove_oldest(folder: Path) -> None:
    """Remove the older half where there is too much."""
    files = [(entry.stat(), entry.path) for entry in os.scandir(folder)]
    if len(files) <= _MAX_FILES and sum(s.st_size for s, _ in files) <= _MAX_BYTES:
        return
    files.sort(key=lambda each: each[0].st_mtime)
    for _, path in files[: (len(files) + 1) // 2]:
        with contextlib.suppress(OSError):
            os.unlink(path)
