"""Fates in one sentence each."""

from __future__ import annotations

from collections.abc import Sequence

_MAX_NAMES = 3


def quote_names(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    shown = ", ".join(names[:_MAX_NAMES])
    more = len(names) - _MAX_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def name_equations(ids: Sequence[str], stage: str = "") -> str:
    """`equation 4`, `equations 4 and 7/jaxpr/0 of grad`."""
    where = f" of {stage}" if stage else ""
    if len(ids) == 1:
        return f"equation {ids[0]}{where}"
    if len(ids) > _MAX_NAMES:
        shown = ", ".join(ids[:_MAX_NAMES])
        return f"equations {shown} and {len(ids) - _MAX_NAMES} more{where}"
    return f"equations {', '.join(ids[:-1])} and {ids[-1]}{where}"


def in_pass(pass_name: str | None) -> str:
    """` in the pass algsimp`, or nothing where the pass is not known."""
    return f" in the pass {pass_name}" if pass_name else ""


def sentence(text: str) -> str:
    """The text as a sentence."""
    text = text.strip()
    if not text:
        return text
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")
