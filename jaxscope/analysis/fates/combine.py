"""Several fates as one: of an equation's inside, or of all that came from it."""

from __future__ import annotations

import dataclasses

from jaxscope.model.capture import Fate

_RANKS = (
    *("library", "kernel", "fused", "layout", "unknown", "folded", "merged", "simplified", "dead"),
)


NOT_RUNNING = ("folded", "merged", "simplified", "dead")
"""Fates of what is not there when the program runs."""


def combine_fates(fates: list[Fate]) -> Fate:
    """The most telling of several fates, with the instructions of all.

    Where nothing of them runs it is the commonest, and instructions are what took its place.
    """
    names = [fate.fate for fate in fates]
    if set(names) <= set(NOT_RUNNING):
        common = max(NOT_RUNNING, key=lambda name: (name != "dead") * names.count(name))
        fates = [fate for fate in fates if fate.fate == common] or fates
    best = min(fates, key=lambda fate: _RANKS.index(fate.fate))
    instructions = dict.fromkeys(i for fate in fates for i in fate.instructions)
    merged = dict.fromkeys(i for f in fates if f.fate == best.fate for i in f.merged_with)
    return dataclasses.replace(best, instructions=tuple(instructions), merged_with=tuple(merged))


def say_gone(operation: str) -> str:
    """What it means that an equation with nested jaxprs is no more, and its inside is."""
    return {
        "scan": "the loop was removed",
        "while": "the loop was removed",
        "cond": "the branch was removed",
        "custom_jvp_call": "a call with a derivative of its own, inlined",
        "custom_vjp_call": "a call with a derivative of its own, inlined",
        "remat2": "a remat, inlined",
        "checkpoint": "a remat, inlined",
    }.get(operation, "the call was inlined")


def summarize(children: list[Fate]) -> str:
    """How many of an equation's inner equations had which fate."""
    if len(children) == 1:
        return f"its one equation: {children[0].fate}"
    counts: dict[str, int] = {}
    for child in children:
        counts[child.fate] = counts.get(child.fate, 0) + 1
    parts = [f"{number} {fate}" for fate, number in counts.items()]
    return f"of its {len(children)} equations: {', '.join(parts)}"
