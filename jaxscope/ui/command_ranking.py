"""Which commands fit what was typed, the best first; no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+")

_WHOLE, _BEGINS, _BEGINS_NAME, _WORD_BEGINS, _MENU_BEGINS, _INSIDE, _LETTERS = range(7)
"""How what was typed fits a name such as `File: Open`, the best first: it is the command; begins
it; begins the name; begins a word of the command; begins one of its menu; stands inside a word; its
letters are beginnings of words."""

Fit = tuple[int, int]


def rank_names(typed: str, names: Sequence[str], recent: Sequence[str] = ()) -> list[int]:
    """Indices of the names that fit what was typed, best first.

    Each word that was typed is looked for: `open` finds "File: Open" before "View: Open another
    pane", and that before "Reopen"; where no word fits, beginnings of words do: `cbd` finds "Colour
    boxes by direction". Of names that fit alike, those used lately come first, then the order
    given. Nothing typed fits everything.

    Args:
        recent: Names used before, the latest first.
    """
    latest = {name: place for place, name in reversed(list(enumerate(recent)))}
    fits = [(_find_fit(typed.casefold().strip(), name), index) for index, name in enumerate(names)]
    found = [
        (fit, latest.get(names[index], len(recent)), index)
        for fit, index in fits
        if fit is not None
    ]
    return [index for _, _, index in sorted(found)]


def _find_fit(typed: str, name: str) -> Fit | None:
    """How a name fits; None if it does not."""
    name = name.casefold()
    menu, _, command = name.rpartition(": ")
    words = typed.split()
    if not words:
        return _WHOLE, 0
    if command == typed:
        return _WHOLE, 0
    if command.startswith(typed):
        return _BEGINS, 0
    if name.startswith(typed):
        return _BEGINS_NAME, 0
    fits = [_fit_of_word(word, menu, command) for word in words]
    known = [fit for fit in fits if fit is not None]
    if len(known) == len(words):
        return max(known), sum(known)
    return (_LETTERS, 0) if _has_letters("".join(words), name) else None


def _fit_of_word(word: str, menu: str, command: str) -> int | None:
    if any(each.startswith(word) for each in _WORD.findall(command)):
        return _WORD_BEGINS
    if any(each.startswith(word) for each in _WORD.findall(menu)):
        return _MENU_BEGINS
    return _INSIDE if word in command or word in menu else None


def _has_letters(letters: str, name: str) -> bool:
    """Whether letters are those that words begin with, one or more of each word, in order."""
    left = {letters}  # what may still have to be found, by all ways so far
    for word in _WORD.findall(name):
        for rest in list(left):
            most = next(
                (n for n, pair in enumerate(zip(rest, word, strict=False)) if pair[0] != pair[1]),
                min(len(rest), len(word)),
            )
            left |= {rest[length:] for length in range(1, most + 1)}
        if "" in left:
            return True
    return False
