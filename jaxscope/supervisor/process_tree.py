"""Processes that descend from this one: find them, weigh them, end them all.

From `/proc` where there is one, else (macOS) from `ps`, which takes some 10 ms a question. Orphans
are adopted on Linux alone; elsewhere they are found as long as their parents live. Standard library
only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Collection

MARKER = "JAXSCOPE_WORKER"
"""Environment variable by which an orphan is known to descend from a worker."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
HAS_PROC = sys.platform == "linux" and os.path.isdir("/proc/self")
_PS_BUDGET_S = 2.0
_SWEEPS = 200
_SWEEP_PAUSE_S = 0.005


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, however it detached itself."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def get_signal_when_parent_dies(number: int) -> None:
    """Ask the kernel for a signal to this process whenever the thread that started it ends."""
    _prctl(_PR_SET_PDEATHSIG, number)


def _prctl(option: int, value: int) -> None:
    if _libc is not None:
        with contextlib.suppress(OSError, AttributeError):
            _libc.prctl(option, value, 0, 0, 0)


def find_children() -> dict[int, list[int]]:
    """The children of every process, by the parent's id."""
    children: dict[int, list[int]] = defaultdict(list)
    if not HAS_PROC:
        for pid, parent in _ask_ps("pid=,ppid=", "-A"):
            children[int(parent)].append(int(pid))
        return children
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(ValueError, IndexError):
                children[int(_read_stat(int(name))[1])].append(int(name))
    return children


def _ask_ps(columns: str, *selection: str) -> list[list[str]]:
    """What `ps` says of processes: a row each, `ps` itself left out; none if it fails."""
    command = ["ps", "-o", columns, *selection]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as ps:
            try:
                text, _ = ps.communicate(timeout=_PS_BUDGET_S)
            except subprocess.TimeoutExpired:
                ps.kill()
                raise
        rows = [line.split() for line in text.decode("ascii", "replace").splitlines()]
        return [row for row in rows if row[:1] != [str(ps.pid)]]
    return []


def _read_stat(pid: int) -> list[bytes]:
    """The fields of `/proc/PID/stat` from the state on; empty if the process is gone."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        # The command's name may hold spaces and parentheses: what follows the last one counts.
        return file.read().rpartition(b")")[2].split()
    return []


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
    if not HAS_PROC:
        found = _ask_ps("rss=", "-p", ",".join(map(str, pids))) if pids else []
        return sum(int(kibibytes) << 10 for (kibibytes,) in found)
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            total += _read_resident_pages(pid) * os.sysconf("SC_PAGE_SIZE")
    return total


def _read_resident_pages(pid: int) -> int:
    with open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1])


def read_state(pid: int) -> str:
    """The kernel's letter for what a process does, such as `R`, `S` or `T`; empty if unknown."""
    if not HAS_PROC:
        return "".join(row[0][:1] for row in _ask_ps("state=", "-p", str(pid)))
    return b"".join(_read_stat(pid)[:1]).decode("ascii", "replace")


def read_activity(pid: int) -> tuple[str, int]:
    """State of a process, and how often it has left the processor: a count that stays while it
    does nothing, 0 where the system does not tell. `("", 0)` of no process.
    """
    switches = 0
    if not HAS_PROC:
        return read_state(pid), switches
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/status", "rb") as file:
        for line in file:
            if b"ctxt_switches:" in line:
                switches += int(line.split()[1])
    return read_state(pid), switches


def catches_signal(pid: int, number: int) -> bool:
    """Whether a process has a handler for a signal; true where that cannot be known."""
    if not HAS_PROC:
        return True
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/status", "rb") as file:
        for line in file:
            if line.startswith(b"SigCgt:"):
                return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def count_oom_kills() -> int | None:
    """How often this system has killed a process because memory ran out; None if unknown."""
    with contextlib.suppress(OSError, ValueError), open("/proc/vmstat", "rb") as file:
        for line in file:
            if line.startswith(b"oom_kill "):
                return int(line.split()[1])
    return None


def total_memory_bytes() -> int:
    """Memory of this machine."""
    if sys.platform == "win32":
        from jaxscope.supervisor.windows import total_memory_bytes

        return total_memory_bytes()
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def send_signal(pid: int, number: int) -> bool:
    """Send a signal; False if there is no such process any more."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def kill_group(pid: int) -> None:
    """Kill the process group that `pid` leads or led; harmless if there is none."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill_tree(pid: int) -> None:
    """Kill a process, the group that it leads if it leads one, and everything below it."""
    descendants = find_descendants(pid)
    kill_group(pid)
    for descendant in (pid, *descendants):
        send_signal(descendant, signal.SIGKILL)


def end_marked(supervisor_pid: int) -> None:
    """Kill what descends from the workers of a supervisor that is dead: it cannot do so itself.

    What removed `MARKER` from its environment is not found. A process that is just replaced by a
    program (`execve`) shows no environment for a moment: two looks have to find nothing.
    """
    num_quiet = 0
    for _ in range(_SWEEPS):
        left = [
            pid
            for below in list(find_children().values())
            for pid in below
            if _read_marker(pid).startswith(f"{supervisor_pid}-")
        ]
        num_quiet = 0 if left else num_quiet + 1
        if num_quiet == 2:
            return
        for pid in left:
            kill_tree(pid)
        time.sleep(_SWEEP_PAUSE_S)


def sweep_orphans(keep: Collection[int], living_markers: Collection[str]) -> int:
    """Kill the orphans that this process adopted, until there are none.

    Args:
        keep: Children that are no orphans.
        living_markers: Values of `MARKER` of workers that still run; their orphans stay.

    Returns:
        How many were killed.
    """
    killed: set[int] = set()
    for _ in range(_SWEEPS if sys.platform == "linux" else 0):
        orphans = [
            pid
            for pid in find_children().get(os.getpid(), [])
            if pid not in keep and _read_marker(pid) not in living_markers
        ]
        if not orphans:
            break
        for pid in orphans:
            if pid not in killed:
                kill_tree(pid)
                killed.add(pid)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(_SWEEP_PAUSE_S)
    return len(killed)


def _read_marker(pid: int) -> str:
    prefix = MARKER.encode() + b"="
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        for entry in file.read().split(b"\0"):
            if entry.startswith(prefix):
                return entry[len(prefix) :].decode("ascii", "replace")
    return ""
