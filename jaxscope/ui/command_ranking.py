"""Which commands fit what was typed, the best first; no Qt."""

from __future__ import annotations

from collections.abc import Sequence


def rank_names(typed: str, names: Sequence[str]) -> list[int]:
    """Indices of the names that contain all that was typed, letters in order, best first.

    Letters at the beginnings of words and letters in a row count most: `op` finds "Open …" before
    "Stop". Names that fit equally stay in order. Nothing typed fits everything.
    """
    wanted = typed.casefold().replace(" ", "")
    scores = [(_score(wanted, name.casefold()), index) for index, name in enumerate(names)]
    fitting = [(-score, index) for score, index in scores if score is not None]
    return [index for _, index in sorted(fitting)]


def _score(wanted: str, name: str) -> float | None:
    """How well a name fits; None if it does not. Tries each beginning of the first letter."""
    if not wanted:
        return 0.0
    starts = [at for at, letter in enumerate(name) if letter == wanted[0]]
    found = [score for at in starts if (score := _score_from(wanted, name, at)) is not None]
    return max(found, default=None)


def _score_from(wanted: str, name: str, start: int) -> float | None:
    total, at, last = 0.0, start, -2
    for letter in wanted:
        at = name.find(letter, at)
        if at < 0:
            return None
        is_word_start = at == 0 or not name[at - 1].isalnum()
        total += 3.0 * is_word_start + 2.0 * (at == last + 1) + 1.0
        last, at = at, at + 1
    return total - 0.01 * len(name) - 0.02 * start
