"""One side of a comparison from the word that names it: a saved capture, or a call on a file."""

from __future__ import annotations

from typing import Any

from jaxscope.client.one_shot import OnEvent, capture
from jaxscope.errors import UsageError
from jaxscope.model import Capture, Timing
from jaxscope.model.file_kinds import CAPTURE_ENDINGS, NOTEBOOK_ENDING
from jaxscope.model.said import say
from jaxscope.program.diff.captures import ComparedCapture, CompileSettings
from jaxscope.schema.archive import load_session

SEPARATOR = "::"


def load_saved(file: str, call: str | None) -> tuple[Capture, Timing | None]:
    """A saved capture and what was measured of it.

    Args:
        call: The call that is meant; None for whatever the file holds.

    Raises:
        UsageError: The file holds another call.
        SourceError: It cannot be read.
    """
    saved, timing = load_session(file)
    if call not in (None, saved.call):
        raise UsageError(
            say("{file} is a saved capture of another call.", file=file),
            why=f"It holds {saved.call}.",
            remedy=say("Leave the call out, or name the Python file to run this one."),
        )
    return saved, timing


def is_saved(word: str) -> bool:
    """Whether a word names a saved capture, so that nothing is run; a call may end as one does."""
    return SEPARATOR not in word and word.endswith(CAPTURE_ENDINGS)


def obtain_subject(word: str, on_event: OnEvent | None = None, **options: Any) -> ComparedCapture:
    """Read a saved capture, or capture a call now.

    Args:
        word: A `.jaxscope` or `.json` file, `FILE.py`, or `FILE.py::CALL`.
        on_event: Told how far a capture is.
        options: Those of `CaptureRequest`, for a call; a saved capture has its own.

    Raises:
        UsageError: The word is none of these.
        JaxscopeError: The file cannot be read, or the call failed.
    """
    file, _, call = word.partition(SEPARATOR)
    if is_saved(word):
        saved, timing = load_session(file)
        return ComparedCapture(word, saved, timing)
    if not file.endswith((".py", NOTEBOOK_ENDING)):
        raise UsageError(
            say("{word} is neither a saved capture nor a call.", word=word),
            remedy=say("A side is a .jaxscope or .json file, FILE.py, or 'FILE.py::CALL'."),
        )
    made_with = CompileSettings(
        options.get("python") or "", options.get("x64", False), options.get("options") or {}
    )
    taken = capture(file, call or None, on_event=on_event, **options)
    return ComparedCapture(f"{file}{SEPARATOR}{taken.call}", taken, made_with=made_with)
