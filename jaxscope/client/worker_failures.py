"""Why a worker ended without a result, in words: signal, status, stack, memory, last output; and on
which machine.
"""

from __future__ import annotations

import dataclasses
import errno
import os
import re
import signal
import sysconfig

from jaxscope.errors import (
    ENOUGH_DESCRIPTORS,
    PACKAGE_FOLDER,
    EnvironmentProblem,
    Explanation,
    JaxscopeError,
    Stopped,
    UserCodeError,
    WorkerLost,
)
from jaxscope.late_dataclass import dataclass
from jaxscope.marks import strip_controls
from jaxscope.model.said import say
from jaxscope.model.units import format_place

# Say of a failure on another machine where it happened.


def name_machine(failure: JaxscopeError, reason: str, machine: str) -> JaxscopeError:
    """The same failure with its machine named, where that is part of what happened.

    Args:
        failure: What went wrong.
        reason: Why the worker ended, see `ending.Ending`.
        machine: As the target names it.
    """
    host = machine.rpartition("@")[2]
    told = failure.explanation
    if reason == "supervisor" and not isinstance(failure, Stopped):
        return WorkerLost(
            Explanation(
                what=say("The connection to {host} was lost.", host=host),
                why=told.why,
                remedy=say("Run again: the connection is made anew. What ran there has ended."),
                kind="LostConnection",
                output=told.output,
            )
        )
    if isinstance(failure, UserCodeError) and told.kind == "FileNotFoundError":
        remedy = say(
            "Only Python modules beside the file are sent to {host}: put data files "
            "there, and name them by their path there.",
            host=host,
        )
        return type(failure)(dataclasses.replace(told, remedy=remedy))
    if isinstance(failure, EnvironmentProblem | WorkerLost) and not isinstance(failure, Stopped):
        return type(failure)(dataclasses.replace(told, what=f"On {host}: {told.what}"))
    return failure


_FRAME = re.compile(
    r'^\s*File "(?P<file>[^"]*)", line (?P<line>\d+) in (?P<name>.*)$', re.MULTILINE
)
_CURRENT = re.compile(r"^(?:Current thread|Stack) .*$", re.MULTILINE)
_FATAL = re.compile("Fatal Python error|Windows fatal exception")
_HITS = ("signal", "frozen", "deaf", "exited", "closed", "garbage")
"""Ends before the run began that are nobody's fault here; the last four if it had said hello."""

_BEFORE_READY = frozenset({"exited", "signal", "closed", "garbage"})
_SIGNAL_MEANINGS = {
    "SIGSEGV": "segmentation fault: native code touched memory that is not its own",
    "SIGBUS": "bus error: native code touched memory that does not exist",
    "SIGABRT": "native code gave up: a failed check inside XLA or another library",
    "SIGFPE": "native code divided an integer by zero",
    "SIGILL": "native code uses an instruction that this processor lacks",
    "SIGTERM": "something asked it to end",
    "SIGKILL": "something killed it",
}


@dataclass(frozen=True, slots=True)
class WorkerExit:
    """What the supervisor reports of a worker's end.

    Attributes:
        reason: `exited`, `signal`, `finished`, `stopped`, `killed`, `timeout`, `memory`,
            `output`, `closed`, `garbage`, `start_timeout`, `not_started`; `frozen` if something
            stopped it (SIGSTOP) before it began, `deaf` if it did not hear of its run; `supervisor`
            if the supervisor itself is gone.
        exit_code: Where the process ended by itself.
        signal: The number of the signal that ended it.
        stack: What faulthandler wrote.
        stderr: The last 4 KiB.
        peak_rss_bytes: Of the whole tree; None if never measured.
        memory_bytes: The limit that was in force.
        seconds: From the start of the run.
        is_ready: Whether the worker had said hello.
        has_begun: Whether it had taken the request, so that user code may have run.
        num_oom_kills: How many processes the system killed meanwhile because memory ran out; None
            if unknown.
        error: Why a process could not be started, or what became of the supervisor.
    """

    reason: str
    exit_code: int | None = None
    signal: int | None = None
    stack: str = ""
    stderr: str = ""
    peak_rss_bytes: int | None = None
    memory_bytes: int | None = None
    seconds: float = 0.0
    is_ready: bool = True
    has_begun: bool = True
    num_oom_kills: int | None = None
    error: str = ""


def explain_worker_exit(
    ending: WorkerExit, *, python: str, file: str, opened: str = ""
) -> JaxscopeError:
    """The error to show for a worker that ended without a result.

    Args:
        ending: What the supervisor reported.
        python: The interpreter that ran, or should have.
        file: The user's file, or empty.
        opened: What a job left behind and the run was to read, or empty: no code ran then.
    """
    stderr = strip_controls(ending.stderr)
    if ending.reason in ("stopped", "killed"):
        return Stopped(_explanation(ending, file, what=say("The run was stopped."), kind="Stopped"))
    if ending.reason == "not_started":
        return _not_started(python, ending.error)
    if ending.reason == "supervisor":
        return WorkerLost(
            say("The supervisor, which starts and watches workers, {error}.", error=ending.error),
            why=stderr,
            remedy=say(
                "Run again: another one is started. Does the code send signals to processes "
                "that it did not start, or write to their pipes?"
            ),
            kind="SupervisorLost",
        )
    if not ending.has_begun and ending.reason in (_HITS if ending.is_ready else _HITS[:2]):
        return _hit_before_it_began(ending, stderr)
    if ending.reason == "start_timeout" or (not ending.is_ready and ending.reason in _BEFORE_READY):
        return _died_at_start(ending, python, stderr)
    if flags := _UNKNOWN_FLAGS.search(stderr):
        return EnvironmentProblem(
            Explanation(
                what=say("XLA does not know a flag that is set in XLA_FLAGS."),
                why=flags.group()[:500],
                remedy=_tell_who_sets(flags[1].split()),
                kind="UnknownFlag",
                output=stderr,
            )
        )
    what, remedy, kind = _describe(ending)
    if opened and ending.reason == "signal" and kind != "SIGKILL":
        what = say(
            "The parser of jaxlib died of {kind} while it read {opened}.", kind=kind, opened=opened
        )
        remedy = say("The file is damaged, or nested more deeply than the parser can take.")
    return WorkerLost(_explanation(ending, file, what=what, remedy=remedy, kind=kind))


_UNKNOWN_FLAGS = re.compile(r".*Unknown flags? in XLA_FLAGS: (.*)")


def _tell_who_sets(flags: list[str]) -> str:
    ours = os.environ.get("XLA_FLAGS", "").split()
    if any(flag in ours for flag in flags):
        return say("Correct the environment variable XLA_FLAGS; the file is not to blame.")
    return (
        "jaxscope was started without this flag: the code sets it in os.environ, or the settings "
        "of this run or its machine do. Correct it there."
    )


def find_place(stack: str, file: str) -> str:
    """`file.py:12` of the innermost frame of the user's in a stack of faulthandler's, or empty.

    Frames of the user's file count first, then any outside the interpreter's own folders.
    """
    frames = [(match["file"], match["line"]) for match in _FRAME.finditer(_current_thread(stack))]
    for path, line in frames:
        if file and path == file:
            return format_place(path, line)
    for path, line in frames:
        if not _is_library(path):
            return format_place(path, line)
    return ""


def _current_thread(stack: str) -> str:
    """The part of faulthandler's text about the thread which got the signal."""
    found = _CURRENT.search(stack)
    if found is None:
        return stack
    end = stack.find("\n\n", found.end())
    return stack[found.start() : end if end >= 0 else len(stack)]


def _is_library(path: str) -> bool:
    ours = PACKAGE_FOLDER
    library = ("site-packages", "dist-packages", "/lib/python3", "<")
    folders = (ours, sysconfig.get_path("stdlib"))
    return path.startswith(folders) or any(part in path for part in library)


def _describe(ending: WorkerExit) -> tuple[str, str, str]:
    """What, remedy and kind of an ending."""
    memory = (
        f" Its memory peaked at {_gigabytes(ending.peak_rss_bytes)}."
        if (ending.peak_rss_bytes)
        else ""
    )
    if ending.reason == "timeout":
        return (
            say(
                "The run did not finish within its time limit: stopped after {seconds:.1f} s.",
                seconds=ending.seconds,
            ),
            say("Raise the limit with --timeout, or use smaller shapes."),
            "Timeout",
        )
    if ending.reason == "memory":
        return (
            f"The run used more memory than its limit, {_gigabytes(ending.memory_bytes)}.{memory}",
            say("Raise the limit with --memory, or use smaller shapes."),
            "MemoryLimit",
        )
    if ending.reason == "output":
        return (
            say("The code printed more than 64 MiB."),
            say("Print less: is there a print in a loop?"),
            "OutputLimit",
        )
    if ending.reason == "closed":
        return (
            say("The code closed the connection to jaxscope."),
            say("Does it close file descriptors that it did not open?"),
            "ConnectionClosed",
        )
    if ending.reason == "garbage":
        return (
            say("The worker sent something that is no message of jaxscope's."),
            say("Does the code write to file descriptors that it did not open?"),
            "ProtocolViolation",
        )
    if ending.reason == "signal" and ending.signal is not None:
        return _describe_signal(ending, memory)
    if ending.exit_code is None:
        return (
            say("The process that ran the code is gone; how it ended is not known."),
            say("Run again. Does something else on this machine end or stop processes?"),
            "Lost",
        )
    return (
        say("The code ended the process with exit status {exit_code}.", exit_code=ending.exit_code),
        say("Does it, or a library, call `os._exit`?"),
        f"EXIT({ending.exit_code})",
    )


def _describe_signal(ending: WorkerExit, memory: str) -> tuple[str, str, str]:
    name = _signal_name(ending.signal)
    if name == "SIGKILL" and ending.num_oom_kills:
        return (
            f"The worker died of SIGKILL (killed by the system, probably because memory ran out, "
            f"as it did for a process while this ran).{memory}",
            say("Use smaller shapes, or close other programs."),
            name,
        )
    meaning = _SIGNAL_MEANINGS.get(name, "")
    what = f"The worker died of {name}" + (f" ({meaning})." if meaning else ".")
    if name == "SIGKILL":
        if ending.num_oom_kills == 0:
            what += " The system killed nothing for lack of memory meanwhile."
        return what + memory, say("Does the code, or another program, kill processes?"), name
    remedy = say("The stack shows which line was running; the last output may say why.")
    return what, remedy, name


def _signal_name(number: int | None) -> str:
    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


def _hit_before_it_began(ending: WorkerExit, stderr: str) -> WorkerLost:
    name = _signal_name(ending.signal)
    what, kind, does = {
        "frozen": ("was stopped (SIGSTOP)", "SIGSTOP", "send signals to processes"),
        "signal": (f"died of {name}", name, "send signals to processes"),
        "deaf": ("heard something else and was ended", "NotBegun", "write to pipes"),
    }.get(ending.reason, ("ended", "NotBegun", "write to pipes"))
    return WorkerLost(
        Explanation(
            what=say(
                "A worker {what} before it began with the run, and so did others in its place.",
                what=what,
            ),
            remedy=say(
                "The code is not to blame: it did not run. Does something on this machine "
                "{does} of jaxscope's?",
                does=does,
            ),
            kind=kind,
            output=stderr,
        )
    )


def _explanation(
    ending: WorkerExit, file: str, *, what: str, remedy: str = "", kind: str = ""
) -> Explanation:
    stack = strip_controls(ending.stack)
    # A worker that was slow was asked where it is; that stack stands before the one of its death.
    deaths = [match.start() for match in _FATAL.finditer(stack)]
    stack = stack[deaths[-1] if deaths else 0 :]
    fatal = stack.splitlines()[0] if deaths else ""
    return Explanation(
        what=what,
        why=fatal,
        where=find_place(stack, file),
        remedy=remedy,
        kind=kind,
        traceback=_user_traceback(stack),
        full_traceback=stack.strip(),
        output=strip_controls(ending.stderr),
    )


def _user_traceback(stack: str) -> str:
    """The user's frames of a stack, in Python's order: innermost last."""
    frames = [
        match[0].strip("\n")
        for match in _FRAME.finditer(_current_thread(stack))
        if not _is_library(match["file"])
    ]
    if not frames:
        return ""
    return "Stack (most recent call last):\n" + "\n".join(reversed(frames))


TOO_OLD = "{python} is a Python that is too old; jaxscope needs 3.11 or newer."
TOO_OLD_REMEDY = say("Choose a newer one: --python, in the window Run, Choose the interpreter.")


def is_too_old(stderr: str, name: str) -> bool:
    """Whether an interpreter could not read the file of jaxscope's that it was started with."""
    return bool(re.search(rf'^  File ".*\b{re.escape(name)}", [^"]*\nSyntaxError: ', stderr, re.M))


def _not_started(python: str, error: str) -> EnvironmentProblem:
    if os.strerror(errno.EMFILE) in error or os.strerror(errno.ENFILE) in error:
        return EnvironmentProblem(
            say("No worker can be started: the system gives no more file descriptors."),
            why=error,
            remedy=say("Allow more: ulimit -n {count}", count=ENOUGH_DESCRIPTORS),
            kind="TooFewDescriptors",
        )
    return EnvironmentProblem(
        say("The interpreter {python} cannot be started.", python=python),
        why=error,
        remedy=say("Check its path: --python, in the window Run, Choose the interpreter."),
        kind="NotStarted",
    )


def _died_at_start(ending: WorkerExit, python: str, stderr: str) -> JaxscopeError:
    if ending.reason == "start_timeout":
        what = say(
            "A worker under {python} was not ready within {seconds:.0f} s.",
            python=python,
            seconds=ending.seconds,
        )
        remedy = say(
            "Is a driver or the disk stuck? Run `import jax` with that interpreter by hand."
        )
    elif is_too_old(stderr, "bootstrap.py"):
        what, remedy = say(TOO_OLD, python=python), TOO_OLD_REMEDY
    else:
        what = say("A worker under {python} ended before it was ready.", python=python)
        remedy = say("Is {python} a Python interpreter with JAX?", python=python)
    status = (
        ""
        if ending.exit_code is None
        else say("Its exit status was {exit_code}.", exit_code=ending.exit_code)
    )
    return EnvironmentProblem(
        Explanation(what, why=status, remedy=remedy, kind="NotReady", output=stderr)
    )


def _gigabytes(size_bytes: int | None) -> str:
    return "an unknown amount" if size_bytes is None else f"{size_bytes / 1e9:.2f} GB"
