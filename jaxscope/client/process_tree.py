"""Processes that descend from this one: find them, weigh them, end them all.

Linux only where `/proc` is needed; elsewhere the functions find nothing and the caller is left
with process groups. Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Collection

MARKER = "JAXSCOPE_WORKER"
"""Environment variable by which an orphan is known to descend from a worker."""

_PR_SET_CHILD_SUBREAPER = 36
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_HAS_PROC = os.path.isdir("/proc/self")
_SWEEPS = 200
_SWEEP_PAUSE_S = 0.005


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, however it detached itself."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def find_children() -> dict[int, list[int]]:
    """The children of every process, by the parent's id; empty without `/proc`."""
    children: dict[int, list[int]] = defaultdict(list)
    if not _HAS_PROC:
        return children
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{name}/stat", "rb") as file:
                # The command name may hold spaces and parentheses: what follows the last one counts.
                fields = file.read().rpartition(b")")[2].split()
            children[int(fields[1])].append(int(name))
    return children


def find_descendants(pid: int) -> list[int]:
    """All processes below `pid`, itself left out."""
    children = find_children()
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def measure_rss_bytes(pids: Collection[int]) -> int:
    """Resident memory of processes, shared pages counted in each; those that are gone count 0."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{pid}/statm", "rb") as file:
                total += int(file.read().split()[1]) * _PAGE_BYTES
    return total


def read_state(pid: int) -> str:
    """The kernel's letter for what a process does, such as `R`, `S` or `T`; empty if unknown."""
    with contextlib.suppress(OSError, IndexError):
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0].decode()
    return ""


def total_memory_bytes() -> int:
    """Memory of this machine."""
    return os.sysconf("SC_PHYS_PAGES") * _PAGE_BYTES


def send_signal(pid: int, number: int) -> bool:
    """Send a signal; False if there is no such process any more."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def kill_tree(pid: int) -> None:
    """Kill a session leader, its process group, and everything below it now."""
    descendants = find_descendants(pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    for descendant in (pid, *descendants):
        send_signal(descendant, signal.SIGKILL)


def sweep_orphans(keep: Collection[int], living_markers: Collection[str]) -> int:
    """Kill the orphans that this process adopted, until there are none.

    Args:
        keep: Children that are no orphans.
        living_markers: Values of `MARKER` of workers that still run; their orphans stay.

    Returns:
        How many were killed.
    """
    killed: set[int] = set()
    for _ in range(_SWEEPS):
        orphans = [
            pid
            for pid in find_children().get(os.getpid(), [])
            if pid not in keep and _read_marker(pid) not in living_markers
        ]
        if not orphans:
            break
        for pid in orphans:
            if pid not in killed:
                kill_tree(pid) if os.getpgid(pid) == pid else send_signal(pid, signal.SIGKILL)
                killed.add(pid)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(_SWEEP_PAUSE_S)
    return len(killed)


def _read_marker(pid: int) -> str:
    prefix = MARKER.encode() + b"="
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/environ", "rb") as file:
            for entry in file.read().split(b"\0"):
                if entry.startswith(prefix):
                    return entry[len(prefix) :].decode("ascii", "replace")
    return ""
