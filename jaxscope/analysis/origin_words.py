"""Where eager and jitted results part, in words."""

from __future__ import annotations

import os

from jaxscope.analysis.quantities import format_count
from jaxscope.model.agreement import Origin, Trial
from jaxscope.model.unavailable import Unavailable

TRIAL_HEADERS = ("switched off", "the equations then", "the whole program then", "")
_OUTCOMES = {
    "equal": "agree with eager",
    "both": "agree, if eager runs without it, too",
    "unchanged": "differ as before",
    "changed": "differ in another way",
    "failed": "do not compile",
    "": "",
}
_MOST_NAMED = 6


def describe_origin(origin: Origin | Unavailable) -> tuple[str, ...]:
    """A few sentences: where, by what, and how that was found out."""
    if isinstance(origin, Unavailable):
        return (f"Where eager and jit part: {_lower_first(origin.reason)}",)
    return (_describe_place(origin), *_describe_fusions(origin), _describe_cause(origin))


def trial_row(trial: Trial) -> tuple[str, ...]:
    """The cells of one trial, as `TRIAL_HEADERS` has them."""
    return (trial.what, _OUTCOMES[trial.outcome], _OUTCOMES[trial.whole], trial.reason)


def _describe_place(origin: Origin) -> str:
    named = [
        f"{operation} ({id})"
        for id, operation in zip(origin.equations, origin.operations, strict=True)
    ]
    line = f", {os.path.basename(origin.place)}" if origin.place else ""
    if len(named) == 1:
        return (
            f"It arises in {named[0]}{line}: compiled by itself, from equal inputs, this equation "
            "gives other bits than eagerly."
        )
    *others, last = named
    shown = others if len(others) <= _MOST_NAMED else [*others[:_MOST_NAMED], "…"]
    least = "Without any one of them it gives the eager bits. " if origin.is_least else ""
    return (
        f"It arises in {last}{line}, compiled together with {', '.join(shown)}: what these compute "
        f"from is equal, their result is not. {least}"
    ).rstrip()


def _describe_fusions(origin: Origin) -> tuple[str, ...]:
    if not origin.fusions:
        return ()
    return (f"In the optimized program they are fused in {', '.join(origin.fusions)}.",)


def _describe_cause(origin: Origin) -> str:
    causes = origin.causes
    tried = format_count(len(origin.trials), "trial")
    if not causes:
        why = origin.reason or f"None of {tried} restored the eager bits."
        return f"What makes the difference is unknown. {why}"
    alone = [trial for trial in causes if trial.outcome == "equal"]
    if not alone:
        names = " or ".join(trial.what for trial in causes)
        return f"Without {names} on both sides they give the same bits, other than the eager ones."
    names = " or ".join(trial.what for trial in alone)
    whole = [trial.what for trial in alone if trial.whole == "equal"]
    rest = (
        "So does the whole program."
        if len(whole) == len(alone)
        else f"So does the whole program without {' or '.join(whole)}."
        if whole
        else "The whole program still differs: it has further differences."
    )
    return f"Without {names} they give the eager bits. {rest}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]
