"""Which part of the compiler makes compiled results other than eager ones.

Passes of XLA are switched off one by one, then LLVM's optimizations, then some pairs of passes:
with the pass other bits, without it the eager ones. Nothing is guessed from the text of programs:
what is found was compiled and compared. Cost: a compilation for each trial, of which there are at
most as many as passes change the program, and `_MOST_PAIRS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Fields = dict[str, Any]
Compare = Callable[[Sequence[Any], Sequence[Any]], Fields | None]
"""The worst difference of two lists of arrays; None where there is none."""
_DISABLE = "xla_disable_hlo_passes"
_NEEDED = re.compile(r"cop(y|ies)|flatten|sharding|partition|schedul|buffer|alias|layout|legaliz")
"""Passes that move data and change no number. Without `copy-insertion` XLA ends the process."""
_MOST_PASSES = 60
_MOST_PAIRS = 40
_LLVM: tuple[str, dict[str, Any]] = ("LLVM's optimizations", {"xla_backend_optimization_level": 0})
RunWithOptions = Callable[[Mapping[str, Any]], Sequence[Any]]
"""Compiles something with options of XLA's, and returns what it computes."""


class OutOfTime(Exception):
    """The budget is spent, and nothing certain was found."""


def try_passes(
    run: RunWithOptions,
    eager: Sequence[Any],
    list_passes: Callable[[Mapping[str, Any]], list[str]],
    compare: Compare,
    run_apart: RunWithOptions | None = None,
) -> Iterator[Fields]:
    """Compile without each pass, without LLVM's optimizations, and without some pairs of passes.

    Args:
        run: Compiles and runs what differs.
        eager: What it should compute.
        list_passes: Names of those that change it, with options of XLA's.
        compare: None where two results are equal bit by bit.
        run_apart: As `run`, each equation compiled by itself: eager code is compiled as well, so
            what is left out on one side may have to be left out on the other. None: not tried.

    Yields:
        The fields of a `PassTrial`; the first compilation is the plain one and yields nothing.

    Raises:
        Exception: Whatever compiling in the plain way raises; `OutOfTime` when time is up.
    """
    plain = list(run({}))
    names = [name for name in dict.fromkeys(list_passes({})) if _is_dispensable(name)]
    names = names[:_MOST_PASSES]
    changing = []
    restored = False
    for what, options in (*((f"pass {n}", {_DISABLE: n}) for n in names), _LLVM):
        trial = _try_without(run, what, options, eager, plain, compare)
        if trial["outcome"] == "changed":
            if _agree(run, run_apart, options, compare):
                trial["outcome"] = "both"
            elif options is not _LLVM[1]:
                changing.append(str(options[_DISABLE]))
        restored |= trial["outcome"] in ("equal", "both")
        yield trial
    if restored:
        return
    # Where one pass is left out, another may do something instead.
    pairs = [
        (a, b)
        for a in changing
        for b in dict.fromkeys(list_passes({_DISABLE: a}))
        if a != b and _is_dispensable(b)
    ]
    for one, other in pairs[:_MOST_PAIRS]:
        what, options = f"passes {one} and {other}", {_DISABLE: f"{one},{other}"}
        trial = _try_without(run, what, options, eager, plain, compare)
        if trial["outcome"] == "changed" and _agree(run, run_apart, options, compare):
            trial["outcome"] = "both"
        if trial["outcome"] in ("equal", "both"):
            yield trial
            return


def _is_dispensable(name: str) -> bool:
    """Whether a pass may be left out without ending the process, by its name."""
    return _NEEDED.search(name) is None


def _agree(
    run: RunWithOptions,
    run_apart: RunWithOptions | None,
    options: Mapping[str, Any],
    compare: Compare,
) -> bool:
    """Whether together and apart give the same bits where both are compiled with the options."""
    if run_apart is None:
        return False
    try:
        return compare(list(run_apart(options)), list(run(options))) is None
    except OutOfTime:
        raise
    except Exception:  # an equation that does not compile like this; its group did
        return False


def _try_without(
    run: RunWithOptions,
    what: str,
    options: Mapping[str, Any],
    eager: Sequence[Any],
    plain: Sequence[Any],
    compare: Compare,
) -> Fields:
    outcome, reason = try_options(run, options, eager, plain, compare)
    option = ", ".join(f"{name}={value}" for name, value in options.items())
    return {"what": what, "option": option, "outcome": outcome, "reason": reason}


def try_options(
    run: RunWithOptions,
    options: Mapping[str, Any],
    eager: Sequence[Any],
    plain: Sequence[Any],
    compare: Compare,
) -> tuple[str, str]:
    """`equal` to the eager result, `unchanged`, `changed` to others, or `failed`, and why.

    Raises:
        OutOfTime: The budget is spent.
    """
    try:
        found = list(run(options))
    except OutOfTime:
        raise
    except Exception as error:  # a pass that XLA cannot do without, or an option it lacks
        text = " ".join(str(error).split())[:200]
        return "failed", f"{type(error).__name__}: {text}"
    if compare(eager, found) is None:
        return "equal", ""
    return ("unchanged" if compare(plain, found) is None else "changed"), ""
