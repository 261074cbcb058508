"""Likely mistakes in a traced call: one module for each kind, registered in `CHECKS`.

A check takes a `CheckedCall` and gives `Check`s. It runs in every capture, so it must be cheap, and
it must rather be silent than wrong: `docs/design/checks.md` has how often each one was right.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from jaxscope.model.capture import Check
from jaxscope.worker import compat
from jaxscope.worker.checks.bounds import find_indices_out_of_bounds
from jaxscope.worker.checks.branches import find_paid_branches
from jaxscope.worker.checks.callbacks import find_callbacks_in_loops
from jaxscope.worker.checks.captured_arrays import find_captured
from jaxscope.worker.checks.float64 import find_float64
from jaxscope.worker.checks.gathers import find_gathers
from jaxscope.worker.checks.gradients import find_roots_at_zero, find_zero_gradients
from jaxscope.worker.checks.keys import find_constant_keys, find_reused_keys
from jaxscope.worker.checks.new_functions import find_new_functions
from jaxscope.worker.checks.numerics import (
    find_short_sums,
    find_unstable_formulas,
    find_where_gradients,
)
from jaxscope.worker.checks.pairs import find_pairs
from jaxscope.worker.checks.products import find_rounded_products, find_small_products
from jaxscope.worker.checks.state_types import find_changing_state
from jaxscope.worker.checks.static_arguments import find_static_arguments
from jaxscope.worker.checks.subject import CheckedCall
from jaxscope.worker.checks.unrolled_loops import find_unrolled_loops
from jaxscope.worker.checks.unused_keys import find_unused_keys


def find_impurity(subject: CheckedCall) -> Iterator[Check]:
    """Globals, closures and attributes that changed, and effects."""
    if subject.watch is not None:
        yield from (change.check for change in subject.watch.find_changes())
    if subject.effects is not None:
        yield from subject.effects.find_effects()


CHECKS: tuple[Callable[[CheckedCall], Iterator[Check]], ...] = (
    find_impurity,
    find_captured,
    find_reused_keys,
    find_unrolled_loops,
    find_paid_branches,
    find_callbacks_in_loops,
    find_float64,
    find_gathers,
    find_unstable_formulas,
    find_where_gradients,
    find_short_sums,
    find_constant_keys,
    find_unused_keys,
    find_new_functions,
    find_static_arguments,
    find_changing_state,
    find_indices_out_of_bounds,
    find_zero_gradients,
    find_roots_at_zero,
    find_rounded_products,
    find_small_products,
    find_pairs,
)
MOST_OF_ONE = 20
"""How many lines one check reports; that there are more is said."""
_MOST_STEPS = 2000
"""Findings of one check that are looked at, of which many can be on one line."""


def run_checks(subject: CheckedCall) -> tuple[list[Check], list[str]]:
    """What is found, each rule once for a line, and sentences about what is missing."""
    findings: list[Check] = []
    missing = []
    for check in CHECKS:
        places: set[tuple[str, str, int]] = set()
        try:
            for found in itertools.islice(check(subject), _MOST_STEPS):
                place = (found.rule, found.file, found.line)
                if place in places:
                    continue
                if len(places) == MOST_OF_ONE:
                    missing.append(f"Of {found.rule} only the first {MOST_OF_ONE} lines are told.")
                    break
                places.add(place)
                findings.append(found)
        except Exception as error:  # a check that fails costs itself, never the capture
            why = compat.tell_missing(error)
            if not why:
                text = " ".join(str(error).split())[:200]
                why = f"This is a bug in jaxscope: {type(error).__name__}: {text}"
            missing.append(f"The check {check.__name__} failed. {why}")
    return findings, missing
