"""A process of Windows with all that it starts, as a job object.

The kernel keeps every descendant in the job, ends all of them when the last handle of the job is
closed, which is when the supervisor ends however it ends, and tells who is in it. So nothing is
searched for here. There are no signals: a worker reads commands from a pipe instead
(`worker/host/process.py`). Standard library only.

Source: "Job Objects" in Microsoft's documentation of Win32. Cost: one call each; memory is asked of
every process in the job.
"""

from __future__ import annotations

import _winapi
import contextlib
import ctypes
import msvcrt
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

from jaxscope.supervisor.pipes import close, make_pipes

assert sys.platform == "win32"  # a type checker that is told so checks what follows

_Handle = ctypes.c_void_p
_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.CreateJobObjectW.restype = ctypes.c_void_p

_EXTENDED_LIMITS, _PROCESS_LIST = 9, 3  # of JOBOBJECTINFOCLASS
_KILL_ON_JOB_CLOSE = 0x2000
_CREATE_SUSPENDED = 0x4
_QUERY_LIMITED = 0x1000
_MAX_PROCESSES = 4096
_KILLED_STATUS = 0xC000013A
"""What Windows gives a program that Ctrl-C ended."""

SIGNALS = {
    0xC0000005: "SIGSEGV",  # access violation
    0xC00000FD: "SIGSEGV",  # stack overflow
    0xC0000006: "SIGSEGV",  # a page of a file could not be read
    0xC000001D: "SIGILL",
    0xC0000094: "SIGFPE",  # an integer was divided by zero
    0xC0000409: "SIGABRT",  # a failed check: `abort`, or an overrun buffer
    0xC0000374: "SIGABRT",  # the heap is damaged
}
"""What POSIX calls the ends by which Windows reports a crash, by exit status (NTSTATUS)."""


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("active_processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("basic", _BasicLimits),
        ("io", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


class _ProcessList(ctypes.Structure):
    _fields_ = (
        ("num_assigned", ctypes.c_uint32),
        ("num_listed", ctypes.c_uint32),
        ("pids", ctypes.c_size_t * _MAX_PROCESSES),
    )


class _MemoryCounters(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("page_faults", ctypes.c_uint32),
        ("peak_working_set", ctypes.c_size_t),
        ("working_set", ctypes.c_size_t),
        ("others", ctypes.c_size_t * 6),
    )


class _MemoryStatus(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total_bytes", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )


def total_memory_bytes() -> int:
    """Memory of this machine."""
    status = _MemoryStatus(size=ctypes.sizeof(_MemoryStatus))
    _check(_kernel.GlobalMemoryStatusEx(ctypes.byref(status)))
    return int(status.total_bytes)


def name_descriptor(descriptor: int) -> str:
    """What a descriptor is called in a process that inherits it."""
    return str(msvcrt.get_osfhandle(descriptor))


def _check(result: int) -> None:
    if not result:
        raise ctypes.WinError(ctypes.get_last_error())


class WindowsProcess:
    """A program that was started in a job of its own; nothing here waits for it.

    Attributes:
        pid: Its number.
        returncode: Exit status, negative for what POSIX calls a signal; None while it lives.
        stdout: Our end of its standard output.
        stderr: Our end of its standard error.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], kept: Sequence[int]
    ) -> None:
        """Start a program.

        Args:
            command: Its words.
            environment: All of its variables.
            kept: Descriptors that it gets besides standard output and error.

        Raises:
            OSError: The program is not there, or the system gives no more processes.
        """
        self.returncode: int | None = None
        (self.stdout, stdout), (self.stderr, stderr) = make_pipes(2)
        self._job = _make_job()
        handles = [msvcrt.get_osfhandle(descriptor) for descriptor in kept]
        try:
            for handle in handles:
                os.set_handle_inheritable(handle, True)
            self._process = subprocess.Popen(
                list(command),
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                startupinfo=subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles}),
                creationflags=subprocess.CREATE_NO_WINDOW
                | subprocess.CREATE_NEW_PROCESS_GROUP
                | _CREATE_SUSPENDED,
            )
        except BaseException:
            close((self.stdout, self.stderr))
            _winapi.CloseHandle(self._job)
            raise
        finally:
            close((stdout, stderr))
        self.pid = self._process.pid
        handle = int(vars(self._process)["_handle"])  # which `subprocess` gives out in no other way
        try:
            _check(_kernel.AssignProcessToJobObject(_Handle(self._job), _Handle(handle)))
        except OSError:
            self._process.kill()
            self.close()
            raise
        ctypes.WinDLL("ntdll").NtResumeProcess(_Handle(handle))

    def poll(self) -> int | None:
        """The exit status, or None while the process runs."""
        if self.returncode is None:
            status = self._process.poll()
            if status is not None:
                name = SIGNALS.get(status & 0xFFFFFFFF)
                self.returncode = -getattr(signal, name) if name else status
        return self.returncode

    def read_failure(self) -> str:
        """Why the program could not be run: here that is raised at the start."""
        return ""

    def descriptors(self) -> tuple[int, ...]:
        """Our ends of its pipes."""
        return (self.stdout, self.stderr)

    def measure_rss_bytes(self) -> int:
        """The working sets of all processes of the job."""
        total = 0
        for pid in self._find_pids():
            with contextlib.suppress(OSError):
                handle = _winapi.OpenProcess(_QUERY_LIMITED, False, pid)
                try:
                    counters = _MemoryCounters(size=ctypes.sizeof(_MemoryCounters))
                    if _kernel.K32GetProcessMemoryInfo(
                        _Handle(handle), ctypes.byref(counters), counters.size
                    ):
                        total += counters.working_set
                finally:
                    _winapi.CloseHandle(handle)
        return total

    def _find_pids(self) -> list[int]:
        found = _ProcessList()
        is_known = _kernel.QueryInformationJobObject(
            _Handle(self._job),
            _PROCESS_LIST,
            ctypes.byref(found),
            ctypes.sizeof(found),
            None,
        )
        return list(found.pids[: found.num_listed]) if is_known else [self.pid]

    def kill(self) -> None:
        """End the process and all that it started, at once."""
        _kernel.TerminateJobObject(_Handle(self._job), _KILLED_STATUS)

    kill_rest = kill
    """After its own end: what it left. A job holds no process of anybody else."""

    def close(self) -> None:
        """Close our ends of its pipes and the job, which ends what is left in it."""
        close(self.descriptors())
        _winapi.CloseHandle(self._job)


def _make_job() -> int:
    job = _kernel.CreateJobObjectW(None, None)
    _check(job)
    limits = _ExtendedLimits()
    limits.basic.flags = _KILL_ON_JOB_CLOSE
    _check(
        _kernel.SetInformationJobObject(
            _Handle(job), _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        )
    )
    return int(job)
