"""Every error that jaxscope raises on purpose, sorted by who must act.

    JaxscopeError
    ├── UserCodeError          theirs: the file, the call or the traced code; exit status 1
    │   ├── SourceError            the file cannot be read or parsed
    │   ├── CallError              the call is no call, or names what the file lacks
    │   └── TraceError             the user's code raised
    ├── UsageError             the command line or the library was used wrongly; 2
    ├── EnvironmentProblem     the machine lacks something; exit status 3
    ├── WorkerLost             the worker process died, ran out of time or memory; 4
    │   └── Stopped                the person pressed Stop
    └── InternalError          ours: a bug of jaxscope's; 70

An error answers four questions: what failed, where, why, and what to try. One place in each
front end (`cli/dispatch.py`, `ui/window/error_panel.py`) shows them; nothing else formats errors.
"""

from __future__ import annotations

import os

from jaxscope.late_dataclass import dataclass

PACKAGE_FOLDER = os.path.dirname(os.path.abspath(__file__))
"""Where jaxscope itself lies: code under it is never the user's."""

BOOTSTRAP = os.path.join(PACKAGE_FOLDER, "worker", "bootstrap.py")
"""The script that starts a module of jaxscope's under any interpreter."""

ENOUGH_DESCRIPTORS = 256
"""Open files that suffice for every command; what to ask for where there are too few."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a person needs to know of one failure, as plain text.

    Attributes:
        what: One sentence: what failed.
        why: The cause in the words of whoever reported it; may be several lines. Empty if the
            first sentence says it all.
        where: `file.py:12`, or empty where no place is known.
        remedy: What to try, or empty.
        kind: The reporter's own name of the fault, such as `TracerBoolConversionError` or
            `SIGSEGV`; empty if it has none.
        traceback: The user's frames only, innermost last.
        full_traceback: Every frame, for a bug report.
        output: The tail of what the process printed before it died.
        calls: Whole calls that the remedy speaks of, for the call field.
        part: The part of the call that is at fault, as typed; empty where the call is not.
        example: A call that the remedy names only to show how one is written.
        is_misspelt: Whether a name or bracket is wrong, and the remedy only asks which of `calls`
            was meant.
        is_out_of_memory: Whether XLA says that the device has too little memory.
    """

    what: str
    why: str = ""
    where: str = ""
    remedy: str = ""
    kind: str = ""
    traceback: str = ""
    full_traceback: str = ""
    output: str = ""
    calls: tuple[str, ...] = ()
    part: str = ""
    example: str = ""
    is_misspelt: bool = False
    is_out_of_memory: bool = False


class JaxscopeError(Exception):
    """Base of the tree: carries an `Explanation` and the exit status of the command line.

    Attributes:
        partial: What a measurement had found by then, as JSON; None where nothing.
        stage: Name of the stage that could not be made; empty where none is to blame.
    """

    exit_status = 70
    stage = ""
    partial: dict[str, object] | None = None

    def __init__(
        self,
        what: Explanation | str,
        *,
        why: str = "",
        where: str = "",
        remedy: str = "",
        kind: str = "",
    ) -> None:
        """Take a whole explanation, or the parts of one; see `Explanation`."""
        if isinstance(what, str):
            what = Explanation(what, why, where, remedy, kind)
        super().__init__(what.what)
        self.explanation = what
        # Notes stand below the message wherever Python prints the traceback of a library's user.
        told = (("", what.why), ("Where: ", what.where), ("Try: ", what.remedy))
        for title, text in told:
            if text:
                self.add_note(f"{title}{text}")


class UserCodeError(JaxscopeError):
    """The user's file, call or function failed."""

    exit_status = 1


class SourceError(UserCodeError):
    """The file cannot be read, decoded or parsed."""


class CallError(UserCodeError):
    """The call is not a call expression, or names what the file does not have."""


class TraceError(UserCodeError):
    """The user's code raised while it was imported, traced, compiled or run."""


class UsageError(JaxscopeError):
    """The command line or the library was used wrongly."""

    exit_status = 2


class EnvironmentProblem(JaxscopeError):
    """Something needed is not installed or not available on this machine."""

    exit_status = 3


class WorkerLost(JaxscopeError):
    """The worker died, ran out of time or ran out of memory."""

    exit_status = 4


class Stopped(WorkerLost):
    """The person stopped the run."""


class InternalError(JaxscopeError):
    """A bug of jaxscope's own."""

    exit_status = 70
