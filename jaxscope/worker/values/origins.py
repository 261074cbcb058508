"""Which equations made NaN and Inf, and which of them come into a result.

Each array that holds NaN or Inf is followed from the equation that made it: what is computed of it
and is not finite may come from it, numbers that are finite do not, and of a choice by `select_n`
only what is chosen counts. What a comparison of it says counts too: it may decide which branch
runs. All else goes by whole arrays, so that what is told as hidden is hidden, and what is not may
be. Where a value is not finite and nobody
knows why, as behind rounds of a loop that were not run, nothing is told as hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxscope.worker.stages.nonfinite import NonfiniteCount, count_nonfinite, held

NAN, INF = "nan", "inf"
GIVEN, LOST = -1, -2
"""In a flow: NaN or Inf of an argument or a constant; of what is not known."""
_MOST = 200

Flow = frozenset[int]
"""Numbers of the origins that the NaN and Inf of an array may come from, and what integers and
booleans say of them; empty of finite numbers."""
NONE: Flow = frozenset()
UNKNOWN: Flow = frozenset({LOST})


class Origins:
    """What made NaN of operands without, and Inf of finite ones, in the order in which it ran."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []
        self._reached: Flow = UNKNOWN

    @property
    def is_full(self) -> bool:
        """Whether no further one is remembered."""
        return len(self.found) >= _MOST

    def end(self, results: Sequence[Flow]) -> None:
        """Note what the results of the program hold."""
        self._reached = NONE.union(*results)

    def first(self, kind: str, among: Flow | None = None) -> dict[str, Any] | None:
        """The first of a kind, of all or of some."""
        numbers = range(len(self.found)) if among is None else sorted(among - {GIVEN, LOST})
        return next((self.found[n] for n in numbers if self.found[n]["kind"] == kind), None)

    def tell(self) -> list[dict[str, Any]]:
        """The first of each kind that may come into a result; behind them, as hidden, the first of
        all, where no NaN or Inf of a result comes from it."""
        is_known = LOST not in self._reached
        reached = [self.first(kind, self._reached if is_known else None) for kind in (NAN, INF)]
        hidden = [self.first(kind) for kind in (NAN, INF)] if is_known else []
        shown = sorted((each for each in reached if each), key=self.found.index)
        aside = sorted(
            (each for each in hidden if each and each not in shown), key=self.found.index
        )
        aside = [each for each in aside if self.found.index(each) not in self._reached]
        return [*shown, *({**each, "is_hidden": True} for each in aside)]


def flows_of_given(values: Sequence[Any]) -> list[Flow]:
    """Of arguments and constants."""
    return [frozenset({GIVEN}) if count_nonfinite(value) else NONE for value in values]


def keep_odd(flows: Sequence[Flow], values: Sequence[Any]) -> list[Flow]:
    """Without those of finite numbers."""
    return [
        flow if flow and (_decides(value) or count_nonfinite(value)) else NONE
        for flow, value in zip(flows, values, strict=True)
    ]


def _decides(value: Any) -> bool:
    """Whether it holds integers or booleans, which may say what is done."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and not jnp.issubdtype(dtype, jnp.inexact)


def find_flows(
    equation: Any,
    operands: Sequence[Any],
    flows: Sequence[Flow],
    results: Sequence[Any],
    counts: Sequence[NonfiniteCount],
    made: Flow,
) -> list[Flow]:
    """Of the results of an equation that is run as one.

    Args:
        flows: Of the operands.
        counts: Of its results, what is not finite.
        made: What it made itself.
    """
    read = list(flows)
    if equation.primitive.name == "select_n":
        read[1:] = _chosen(operands[0], operands[1:], flows[1:])
    # What moves or computes may read what others than its operands hold, as a mutable array.
    flow = made.union(*read)
    return [
        (flow or UNKNOWN) if count else flow if _decides(result) else NONE
        for count, result in zip(counts, results, strict=True)
    ]


def _chosen(which: Any, cases: Sequence[Any], flows: Sequence[Flow]) -> list[Flow]:
    """Without those of cases of which no NaN or Inf is chosen."""
    chosen = np.asarray(which)
    found = []
    for number, (case, flow) in enumerate(zip(cases, flows, strict=True)):
        if flow:
            array = np.asarray(held(case))
            kept = array[np.broadcast_to(chosen == number, array.shape)]
            flow = flow if count_nonfinite(kept) else NONE
        found.append(flow)
    return found
