"""Tracebacks as text: the user's frames, or all of them, however the exception tries to prevent it.

An exception of the user's can have a `__str__` that raises or returns a hundred megabytes, causes
that go round in a circle, and thousands of frames. Every step here is bounded and guarded.
"""

from __future__ import annotations

import functools
import linecache
import os
import site
import sys
import sysconfig
from collections.abc import Collection
from types import TracebackType

from jaxscope.errors import PACKAGE_FOLDER
from jaxscope.late_dataclass import dataclass
from jaxscope.marks import strip_controls
from jaxscope.model.capture import CALL_FILE
from jaxscope.model.types import spell_scalars

MAX_MESSAGE_CHARS = 4000
_MAX_FRAMES = 60
_MAX_CAUSES = 6
_MAX_WALKED = 20_000
_MAX_PATH_CHARS = 1000
_MAX_NAME_CHARS = 200
_CAUSE = "\n\nThe above exception was the direct cause of the following one:\n"
_CONTEXT = "\n\nWhile it was handled, another one occurred:\n"


@dataclass(frozen=True, slots=True)
class TraceFrame:
    """One frame of a traceback; `line` is 1-based."""

    file: str
    line: int
    function: str


def safe_text(value: object, limit: int = MAX_MESSAGE_CHARS) -> str:
    """`str(value)` without its dangers: bounded, printable, and never an exception."""
    try:
        text = str(value)
        if type(text) is not str:
            text = str.__str__(text)
    except BaseException as error:
        if is_interrupt(error):
            raise
        return f"<its text cannot be shown: __str__ raised {type(error).__name__}>"
    if len(text) > limit:
        text = (
            f"{text[: limit // 2]}\n[… {len(text) - limit} characters left out …]\n"
            + (text[len(text) - limit // 2 :])
        )
    return strip_controls(text)


def is_interrupt(error: BaseException) -> bool:
    """Whether this is a `KeyboardInterrupt`, which means that the person wants the run to end."""
    return isinstance(error, KeyboardInterrupt)


def walk_frames(traceback: TracebackType | None) -> list[TraceFrame]:
    """The frames of a traceback, outermost first; at most the first 20,000."""
    frames: list[TraceFrame] = []
    while traceback is not None and len(frames) < _MAX_WALKED:
        code = traceback.tb_frame.f_code
        # Code objects made by hand can have names of any length.
        file, function = code.co_filename[:_MAX_PATH_CHARS], code.co_name[:_MAX_NAME_CHARS]
        frames.append(TraceFrame(file, traceback.tb_lineno, function))
        traceback = traceback.tb_next
    return frames


def find_part_of_call(error: BaseException, call: str) -> str:
    """The part of a call that was being evaluated when it raised; empty where that is not known."""
    last, text = None, spell_scalars(call.strip())
    traceback = error.__traceback__
    for _ in range(_MAX_WALKED):
        if traceback is None:
            break
        if traceback.tb_frame.f_code.co_filename == CALL_FILE:
            last = traceback
        traceback = traceback.tb_next
    if last is None or "\n" in text:
        return ""
    positions = list(last.tb_frame.f_code.co_positions())
    _, _, begin, end = positions[last.tb_lasti // 2]
    if begin is None or end is None:
        return ""
    part = text.encode()[begin:end].decode(errors="ignore")
    return part if part in call else ""


def is_user_frame(file: str, user_files: Collection[str]) -> bool:
    """Whether a frame is the user's: of the call, in one of their files, or in a folder of one."""
    if file == CALL_FILE or file in user_files:
        return True
    if not os.path.isabs(file):
        return False  # compiled code, such as NumPy's, names the file that it was made from
    path = os.path.realpath(file)
    if path in user_files:
        return True
    if any(path.startswith(folder) for folder in _library_folders()):
        return False
    folders = {os.path.dirname(user_file) + os.sep for user_file in user_files if user_file}
    return any(path.startswith(folder) for folder in folders if folder != os.sep)


@functools.lru_cache(maxsize=1 << 12)
def is_installed(file: str) -> bool:
    """Whether a file is of an installed library: nobody changes a line there."""
    own = tuple(
        os.path.join(path, "")
        for path in (*map(sysconfig.get_path, ("stdlib", "platstdlib")), PACKAGE_FOLDER)
    )
    is_of_package = "site-packages" in file or "dist-packages" in file
    return is_of_package or file.startswith((*own, "<frozen"))


@functools.cache
def _library_folders() -> tuple[str, ...]:
    ours = os.path.realpath(PACKAGE_FOLDER)
    folders = [sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), ours]
    folders += [*getattr(site, "getsitepackages", list)(), sysconfig.get_path("platlib")]
    jax = sys.modules.get("jax")
    folders.append(os.path.dirname(getattr(jax, "__file__", None) or __file__))
    return tuple(os.path.realpath(folder) + os.sep for folder in folders if folder)


def render_frames(frames: list[TraceFrame]) -> str:
    """Write frames the way Python does, repetitions folded and long ones cut in the middle."""
    blocks: list[str] = []
    index = 0
    while index < len(frames):
        period, times = _find_repetition(frames, index)
        blocks += (_render_frame(frame) for frame in frames[index : index + period])
        if times > 1:
            word = "frame" if period == 1 else f"{period} frames"
            blocks.append(f"  [the last {word} repeated {times - 1} more times]")
        index += period * times
    if len(blocks) > _MAX_FRAMES:
        half = _MAX_FRAMES // 2
        blocks[half:-half] = [f"  [{len(blocks) - _MAX_FRAMES} frames left out]"]
    return "\n".join(blocks)


def _find_repetition(frames: list[TraceFrame], start: int) -> tuple[int, int]:
    """Find the period (at most 4 frames) that repeats from `start`, and how often."""
    for period in (1, 2, 3, 4):
        pattern = frames[start : start + period]
        times = 1
        while frames[start + period * times : start + period * (times + 1)] == pattern:
            times += 1
        if times > 2:
            return period, times
    return 1, 1


def _render_frame(frame: TraceFrame) -> str:
    place = f'  File "{frame.file}", line {frame.line}, in {frame.function}'
    try:
        code = linecache.getline(frame.file, frame.line).strip()
    except Exception:  # a source file can be gone, unreadable, or a user's evil loader
        code = ""
    return strip_controls(f"{place}\n    {code[:300]}" if code else place)


def render_exception(error: BaseException) -> str:
    """Write an exception with all its frames and its causes, first cause first."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    link = ""
    while current is not None and id(current) not in seen and len(seen) < _MAX_CAUSES:
        seen.add(id(current))
        frames = walk_frames(current.__traceback__)
        head = f"Traceback (most recent call last):\n{render_frames(frames)}\n" if frames else ""
        parts.append(f"{head}{type(current).__name__}: {safe_text(current)}{link}")
        if current.__cause__ is not None:
            link, current = _CAUSE, current.__cause__
        else:
            current = None if current.__suppress_context__ else current.__context__
            link = _CONTEXT
    return "\n".join(reversed(parts))
