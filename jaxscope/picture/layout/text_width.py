"""How wide a text is, without any window system.

Widths come from tables made from the bundled DejaVu Sans (`bench/make_widths.py`), so a
layout is the same on every machine.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections.abc import Iterator

ELLIPSIS = "…"
_NUMBER = re.compile(r"(?:(?<=[A-Za-z_])\.\d+)?(?: \(\d+ of \d+\))?(?: \+\d+)?$")
_OUTER_NAMES = re.compile(r"^(→ )?[^·]* / ")
_PATH = re.compile(r"(→ |gradient of )?([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*|\[[^\]]*\])+)")
_PART = re.compile(r"\.\w+|\[[^\]]*\]")
"""Of a path: an attribute, or a key with its brackets."""
_NAME = re.compile(r"(?:→ )?[A-Za-z_][\w./ -]*")
_LAST_WORD = re.compile(r"_[a-z]+(?:\.\d+)?(?: -?[\d.]{1,6})?$")
_ITSELF = " itself"
"""Behind what is left of a function beside those that it calls."""
_WORD = re.compile(r"(?:\([^()]*\)|[^ _])+[ _]*|[ _]+")  # what is in brackets is one word
_WIDE = 1000  # of the font size, in thousandths, for what the tables lack: CJK is one em wide


@functools.cache
def _advances(is_bold: bool) -> tuple[int, ...]:
    name = "bold.widths" if is_bold else "regular.widths"
    data = importlib.resources.files("jaxscope.picture.layout").joinpath(name).read_bytes()
    return tuple(memoryview(data).cast("H"))


@functools.lru_cache(maxsize=65536)
def measure_text(text: str, size_px: float, is_bold: bool = False) -> float:
    """Width of one line of text in pixels, kerning not counted."""
    advances = _advances(is_bold)
    num = len(advances)
    total = 0
    for character in text:
        code = ord(character)
        total += advances[code] if code < num else _WIDE
    return total * size_px / 1000


@functools.lru_cache(maxsize=65536)
def shorten_text(text: str, max_px: float, size_px: float, is_bold: bool = False) -> str:
    """The text, or its longest beginning with an ellipsis that is at most `max_px` wide."""
    if measure_text(text, size_px, is_bold) <= max_px:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if measure_text(text[:middle].rstrip() + ELLIPSIS, size_px, is_bold) <= max_px:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + ELLIPSIS


@functools.lru_cache(maxsize=65536)
def shorten_name(text: str, max_px: float, size_px: float, is_bold: bool = False) -> str:
    """The text, shortened before what is at its end: `.6 +2` of `fusion.6 +2`, or its last word.

    So names that differ there only can still be told apart. Of a path the outer names go first, as
    of `params['layers'][3]['scale']`; of several names the first stay, and how many others there
    are. The end is cut as well where it would take more than half of the room.
    """

    def fits(tried: str) -> bool:
        return measure_text(tried, size_px, is_bold) <= max_px

    if fits(text):
        return text
    shorter = [*_list_shorter_paths(text), *_list_fewer_names(text), text.removesuffix(_ITSELF)]
    if (found := next(filter(fits, shorter), None)) is not None:
        return found
    text = _OUTER_NAMES.sub(lambda outer: outer[1] or "", text)
    end = _NUMBER.search(text)
    tail = end[0] if end is not None else ""
    if not tail and ", " not in text and (word := _LAST_WORD.search(text)) is not None:
        tail = word[0]
    room = max_px - measure_text(tail, size_px, is_bold)
    if not tail or measure_text(text, size_px, is_bold) <= max_px or room < max_px / 2:
        return shorten_text(text, max_px, size_px, is_bold)
    head = text.removesuffix(tail)
    room = min(room, measure_text(head, size_px, is_bold) - 1)  # an ellipsis in any case
    # After the ellipsis the point would be a fourth one.
    return shorten_text(head, room, size_px, is_bold) + tail.removeprefix(".")


def _list_shorter_paths(text: str) -> Iterator[str]:
    """A path with fewer of its outer names, the most names first: the argument goes last."""
    path = _PATH.fullmatch(text)
    if path is None:
        return
    before, parts = path[1] or "", _PART.findall(path[3])
    for first in range(len(parts)):
        rest = "".join(parts[first:])
        if first:
            yield f"{before}{path[2]}{ELLIPSIS}{rest.removeprefix('.')}"
        if first or rest.startswith("["):
            yield f"{before}{ELLIPSIS}{rest.removeprefix('.')}"


def _list_fewer_names(text: str) -> Iterator[str]:
    names = text.split(", ")
    if len(names) > 1 and all(map(_NAME.fullmatch, names)):
        for num in range(len(names) - 1, 0, -1):
            yield f"{', '.join(names[:num])} +{len(names) - num}"


@functools.lru_cache(maxsize=65536)
def break_text(text: str, max_px: float, size_px: float, is_bold: bool = False) -> str:
    """The text on two lines that are at most `max_px` wide, broken between words, if it can be.

    As many words as there is room for stand on the first line; the second is shortened.
    """
    ends = [found.end() for found in _WORD.finditer(text)][:-1]
    widths = [measure_text(text[:end].rstrip(), size_px, is_bold) for end in ends]
    fitting = [end for end, width in zip(ends, widths, strict=True) if width <= max_px]
    at = fitting[-1] if fitting else 0
    rest = shorten_text(text[at:], max_px, size_px, is_bold)
    return f"{text[:at].rstrip()}\n{rest}" if at else rest


@functools.lru_cache(maxsize=65536)
def halve_text(text: str, size_px: float, is_bold: bool = False) -> str:
    """The text on two lines, broken between words so that the longer line is as short as can be."""
    ends = [found.end() for found in _WORD.finditer(text)][:-1]
    halves = [(text[:end].rstrip(), text[end:]) for end in ends]
    if not halves:
        return text
    return "\n".join(
        min(halves, key=lambda two: max(measure_text(t, size_px, is_bold) for t in two))
    )
