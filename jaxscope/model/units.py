"""Numbers as people read them: counts of operations, bytes and seconds with fitting units; and
texts that are not too long.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable

UNKNOWN = "unknown"
_BARE_WORD = re.compile(r"[\w@%+=:,./\\-]+")


def format_flops(flops: float) -> str:
    """Such as `1.23 GFLOP`; `unknown` for NaN."""
    return _scaled(flops, 1000.0, ("FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"))


def format_bytes(num_bytes: float) -> str:
    """Such as `4.0 KiB`, in powers of 1024; `unknown` for NaN."""
    return _scaled(num_bytes, 1024.0, ("B", "KiB", "MiB", "GiB", "TiB", "PiB"))


def format_seconds(seconds: float) -> str:
    """Such as `12.3 ms`; `unknown` for NaN."""
    if math.isnan(seconds):
        return UNKNOWN
    magnitude = abs(seconds)
    if magnitude >= 60.0:
        return f"{seconds / 60.0:.1f} min"
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if magnitude >= scale:
            return f"{three_digits(seconds / scale)} {unit}"
    return f"{three_digits(seconds / 1e-9)} ns" if seconds else "0 s"


def format_share(share: float, decimals: int = 0) -> str:
    """Such as `12%`; `unknown` for NaN.

    What is more than nothing is not told as 0 %, and what is less than all not as 100 %: `<1%`,
    `>99%`.
    """
    if math.isnan(share):
        return UNKNOWN
    text, step = f"{share:.{decimals}%}", 10.0 ** -(decimals + 2)
    if share > 0.0 and text == f"{0.0:.{decimals}%}":
        return f"<{step:.{decimals}%}"
    if share < 1.0 and text == f"{1.0:.{decimals}%}":
        return f">{1.0 - step:.{decimals}%}"
    return text


def format_range(low: float, high: float, form: Callable[[float], str]) -> str:
    """Such as `1.2 MFLOP`, `1.2 MFLOP to 3.4 MFLOP` or `up to 3.4 MFLOP`."""
    least, most = form(low), form(high)
    if least == most or math.isnan(low):
        return most
    return f"{least} to {most}" if low > 0 else f"up to {most}"


def format_count(count: int, noun: str) -> str:
    """Such as `1,234 nodes` or `1 node`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def file_name(path: str) -> str:
    """The last part of a path, which may be of another machine and have its separators."""
    return path.replace("\\", "/").rpartition("/")[2]


def format_place(file: str, line: int | str | None) -> str:
    """Such as `train.py:12`; empty where one of the two is not known."""
    return f"{file_name(file)}:{line}" if file and line else ""


def join_words(words: Iterable[str]) -> str:
    """A command as it is typed into a shell; on Windows into cmd.exe or PowerShell, which both take
    double quotes.
    """
    if sys.platform != "win32":
        import shlex  # a window begins without it

        return shlex.join(words)
    return " ".join(
        word if _BARE_WORD.fullmatch(word) else '"' + word.replace('"', r"\"") + '"'
        for word in words
    )


def count_lines(text: str) -> int:
    """How many lines a text has: what ends the last one begins no other."""
    return text.count("\n") + (text != "" and not text.endswith("\n"))


def upper_first(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """The text as it stands behind a colon."""
    return text[:1].lower() + text[1:]


def shorten(text: str, most: int = 80) -> str:
    """The text, or its beginning and `…`: at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def three_digits(value: float) -> str:
    """Three significant digits, never in scientific notation between 0.01 and a million."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}" if decimals <= 5 else f"{value:.3g}"


def round_within(value: float, low: float, high: float) -> str:
    """A positive number by as many digits as the range around it supports: one to three.

    The last digit stands for the largest power of ten that is no larger than the range is wide: of
    140 in 38 to 160 that is 100. What would leave the range by that has a digit more.
    """
    width = high - low
    if not (low <= value <= high and 0 < width < math.inf and value > 0):
        return three_digits(value)
    # What a float lacks to a round number is not to decide.
    first, step = math.floor(math.log10(value)), math.floor(math.log10(width) + 1e-9)
    for place in range(min(max(step, first - 2), first), first - 3, -1):
        rounded = math.floor(value / 10.0**place + 0.5 + 1e-9) * 10.0**place
        if low <= rounded <= high:
            return f"{rounded:,.{max(-place, 0)}f}"
    return three_digits(value)


def _scaled(value: float, step: float, units: tuple[str, ...]) -> str:
    if math.isnan(value):
        return UNKNOWN
    index = 0
    while abs(value) >= step and index < len(units) - 1:
        value, index = value / step, index + 1
    number = f"{value:,.0f}" if index == 0 else three_digits(value)
    return f"{number} {units[index]}"
