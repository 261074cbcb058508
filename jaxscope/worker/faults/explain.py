"""Turn what user code raised into an `Explanation`: what failed, where, why, what to try."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Collection, Iterator

from jaxscope.errors import EnvironmentProblem, Explanation, JaxscopeError, SourceError, TraceError
from jaxscope.model.capture import CALL_FILE
from jaxscope.model.said import said, say, say_joined
from jaxscope.model.units import file_name, format_place
from jaxscope.worker.faults.call_edits import edit_call
from jaxscope.worker.faults.remedies import Remedy, find_remedy
from jaxscope.worker.faults.tracebacks import (
    TraceFrame,
    find_part_of_call,
    is_user_frame,
    render_exception,
    render_frames,
    safe_text,
    walk_frames,
)

_JAX_NOTES = re.compile(r"\n*-{10,}\nFor simplicity, JAX has removed.*", re.DOTALL)
_LEAK_MADE = re.compile(
    r"leaked intermediate value was created on line (?P<file>[^\n]+?):(?P<line>\d+)[:\d]* "
    r"\((?P<function>[^)]+)\)"
)
_INNER_PROGRAM = re.compile(r"(?m)^( +operation .*\[)\n(?:(?! +from line).*\n)+(?= +from line)")
"""In what JAX says of where a tracer came from, an operation with a program inside: many lines."""
_SEE = re.compile(r"\n?See (https://docs\.jax\.dev/\S+)\s*$")
_CALLBACK_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>.+)$')
_CALLBACK_ERROR = re.compile(r"^(?P<kind>[A-Za-z_][\w.]*): (?P<text>.*)$")


@contextlib.contextmanager
def guard(
    stage: str,
    user_files: Collection[str] = (),
    *,
    at: str = "",
    call: str = "",
    is_of_call: bool = False,
) -> Iterator[None]:
    """Run user code: whatever it raises leaves the block as a `JaxscopeError`.

    Errors of the project's own tree pass unchanged. So does a `KeyboardInterrupt` that the person
    caused; one that the code raised by itself is an error like any other.

    Args:
        stage: What is being done: `import`, `call`, `trace`, `lower`, `compile`, `run`, or a
            phrase that reads well after "while".
        user_files: Absolute paths of files whose frames are the user's.
        at: Where it failed, such as `file.py:12`, if no frame of the user's says.
        call: The call, so that a fault in it can be shown there.
        is_of_call: Whether what has no place in the user's code is the fault of the call.

    Raises:
        SourceError: The code has a syntax error.
        EnvironmentProblem: This JAX lacks a private name that jaxscope needs.
        TraceError: It raised anything else.
    """
    try:
        yield
    except JaxscopeError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and was_interrupted():
            raise
        fault, explanation = explain_exception(
            error, user_files, stage=stage, at=at, call=call, is_of_call=is_of_call
        )
        raise _KINDS[fault](explanation) from error


_KINDS = {"source": SourceError, "environment": EnvironmentProblem, "trace": TraceError}


_DURING = {
    "source": say("reading the file"),
    "import": say("importing the file"),
    "call": say("evaluating the call"),
    "trace": say("tracing"),
    "lower": say("lowering"),
    "compile": say("compiling"),
    "run": say("running"),
}
_interrupts: list[int] = []
_XLA_ERRORS = frozenset({"JaxRuntimeError", "ValueError"})


def note_interrupt() -> None:
    """Remember that the supervisor sent a SIGINT: the person pressed Stop."""
    _interrupts.append(1)


def was_interrupted() -> bool:
    """Whether the person pressed Stop."""
    return bool(_interrupts)


def explain_missing(error: BaseException) -> Explanation | None:
    """Explain that this release of JAX lacks a private name; None of any other error."""
    if not isinstance(error, AttributeError) or "jaxscope.worker.compat" not in sys.modules:
        return None
    from jaxscope.worker.compat import tell_missing  # brings JAX

    what = tell_missing(error)
    if not what:
        return None
    return Explanation(
        what,
        remedy=say(
            "Private names of JAX change from release to release. Choose an interpreter with a "
            "release that jaxscope was tested with: --python, in the window Run, Choose the "
            "interpreter."
        ),
        kind="MissingName",
        full_traceback=render_exception(error),
    )


def explain_exception(
    error: BaseException,
    user_files: Collection[str] = (),
    *,
    stage: str = "",
    at: str = "",
    call: str = "",
    is_of_call: bool = False,
) -> tuple[str, Explanation]:
    """Explain an exception that came out of user code.

    Nothing the exception does (a `__str__` that raises, huge texts, causes in a circle) makes
    this raise.

    Returns:
        The fault, `source`, `environment` or `trace`, and the explanation.
    """
    try:
        if isinstance(error, SyntaxError):
            return "source", _explain_syntax(error)
        if (missing := explain_missing(error)) is not None:
            return "environment", missing
        return "trace", _explain_raised(error, user_files, stage, at, call, is_of_call)
    except Exception as second:
        kind = type(error).__name__
        return "trace", Explanation(
            what=say("The code raised {kind}, which cannot be shown.", kind=kind),
            why=say("Reading the exception raised {kind}.", kind=type(second).__name__),
            kind=kind,
        )


def _explain_syntax(error: SyntaxError) -> Explanation:
    file = error.filename if isinstance(error.filename, str) else ""
    line = error.lineno if isinstance(error.lineno, int) else 0
    column = error.offset if isinstance(error.offset, int) and error.offset > 0 else 0
    place = format_place(file, line) or file_name(file) or (f"line {line}" if line else "")
    excerpt = ""
    if isinstance(error.text, str) and error.text.strip() and len(error.text) < 1000:
        code = error.text.rstrip("\n")
        excerpt = "\n" + code.expandtabs(1)
        if column:
            excerpt += "\n" + " " * (column - 1) + "^"
    return Explanation(
        what=say("The code is not valid Python."),
        why=safe_text(error.msg) + (f" (column {column})" if column else "") + excerpt,
        where=place,
        remedy=say("Correct the marked place."),
        kind=type(error).__name__,
    )


def _explain_raised(
    error: BaseException,
    user_files: Collection[str],
    stage: str,
    at: str,
    call: str,
    is_of_call: bool,
) -> Explanation:
    ends_silently = isinstance(error, SystemExit) and error.code is None  # its text is "None"
    text = "" if ends_silently else _JAX_NOTES.sub("", safe_text(error))
    text = _INNER_PROGRAM.sub(r"\1…]\n", text)
    kind = type(error).__name__
    frames = _find_user_frames(error, user_files)
    url = ""
    if see := _SEE.search(text):
        url, text = see.group(1), text[: see.start()]
    # A compiled program that was called before raises the one, the first call the other.
    inner = _unwrap_callback(text, user_files) if kind in _XLA_ERRORS else None
    if made := _LEAK_MADE.search(text):
        name = os.path.basename(made["file"])
        text = f"It was made at {name}:{made['line']} in {made['function']}. {text}"
    kept, made_at = _tell_escaped(error, text)
    if kept:
        used = f" It was used again at {_place(frames)}." if made_at and _place(frames) else ""
        text = f"{kept}{used} {text}"
    if inner is not None:
        kind, text, inner_frames = inner
        frames = frames + inner_frames
    row = find_remedy(error, text)
    during = _DURING.get(stage, stage)
    what = say("The code raised {kind}.", kind=kind)
    advice = row.remedy if row else ""
    if row and row.what:
        what = said(row.what)
    elif during:
        what = say("The code raised {kind} while {doing}.", kind=kind, doing=during)
    if inner is not None:
        what = say("A Python callback that the compiled program calls raised {kind}.", kind=kind)
    part = ""
    if call and inner is None and not _place(frames):
        is_of_call = is_of_call or stage == "call" or (row is not None and row.of_call != "")
        part = find_part_of_call(error, call) or (call if is_of_call else "")
        if part and row and row.of_call:
            what, advice = said(row.of_call), row.remedy_of_call or advice
    url = (row.url if row else "") or url
    page = say("See {url}", url=url) if url else ""
    remedy = say_joined((said(advice), page))
    corrected = _corrected(call, part, row)
    return Explanation(
        what=what,
        why=text,
        where=made_at or _place(frames) or at,
        remedy=remedy,
        kind=kind,
        traceback=_render_user_traceback(frames, kind, text),
        full_traceback=render_exception(error),
        calls=corrected or edit_call(call, row.edits if row else (), text),
        part=part,
        is_misspelt=bool(corrected),
        is_out_of_memory=row is not None and row.is_out_of_memory,
    )


def _tell_escaped(error: BaseException, text: str) -> tuple[str, str]:
    """Where a tracer is kept that JAX refused, and where it was made.

    Errors are explained where there is no JAX, too.
    """
    if "jax" not in sys.modules:
        return "", ""
    from jaxscope.worker.faults.leaks import tell_escaped  # brings JAX

    return tell_escaped(error, text)


def _corrected(call: str, part: str, row: Remedy | None) -> tuple[str, ...]:
    """The call with each name that the remedy proposes in place of the wrong one."""
    if not part or row is None or not row.instead:
        return ()
    wrong, *right = row.instead
    return tuple(call.replace(part, part.replace(wrong, name), 1) for name in right)


def _render_user_traceback(frames: list[TraceFrame], kind: str, text: str) -> str:
    head = f"Traceback (most recent call last):\n{render_frames(frames)}\n" if frames else ""
    return f"{head}{kind}: {text}" if text else f"{head}{kind}"


def _find_user_frames(error: BaseException, user_files: Collection[str]) -> list[TraceFrame]:
    """The user's frames of an exception, or of the first of its causes that has any."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) < 6:
        seen.add(id(current))
        frames = walk_frames(current.__traceback__)
        files = {frame.file for frame in frames}
        ours = {file for file in files if is_user_frame(file, user_files)}
        users = [frame for frame in frames if frame.file in ours]
        if users:
            return users
        current = current.__cause__ or current.__context__
    return []


def _place(frames: list[TraceFrame]) -> str:
    """The innermost place in a file; empty where there is none but the call."""
    frame = next((f for f in reversed(frames) if f.file != CALL_FILE), None)
    return "" if frame is None else format_place(frame.file, frame.line)


def _unwrap_callback(
    text: str, user_files: Collection[str]
) -> tuple[str, str, list[TraceFrame]] | None:
    """Read the exception of a callback out of the text that XLA wrapped it in."""
    if "callback" not in text:
        return None
    frames: list[TraceFrame] = []
    found: tuple[str, str] | None = None
    for line in text.splitlines():
        if frame := _CALLBACK_FRAME.match(line):
            if is_user_frame(frame["file"], user_files):
                frames.append(TraceFrame(frame["file"], int(frame["line"]), frame["name"].strip()))
        elif (raised := _CALLBACK_ERROR.match(line)) and not raised["kind"].isupper():
            found = raised["kind"], raised["text"]
    return (*found, frames[-1:]) if found else None
