"""Likely mistakes in a traced call: one module for each kind, registered in `CHECKS`.

A check takes a `Subject` and gives `Finding`s. It runs in every capture, so it must be cheap, and
it must rather be silent than wrong: `docs/design/checks.md` has how often each one was right.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from jaxscope.worker.checks.branches import find_paid_branches
from jaxscope.worker.checks.callbacks import find_callbacks_in_loops
from jaxscope.worker.checks.finding import Finding
from jaxscope.worker.checks.float64 import find_float64
from jaxscope.worker.checks.gathers import find_gathers
from jaxscope.worker.checks.impurity import find_impurity
from jaxscope.worker.checks.key_reuse import find_reused_keys
from jaxscope.worker.checks.keys import find_constant_keys
from jaxscope.worker.checks.new_functions import find_new_functions
from jaxscope.worker.checks.numerics import (
    find_short_sums,
    find_unstable_formulas,
    find_where_gradients,
)
from jaxscope.worker.checks.state_types import find_changing_state
from jaxscope.worker.checks.subject import Subject
from jaxscope.worker.checks.unrolled_loops import find_unrolled_loops

CHECKS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    find_impurity,
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
    find_new_functions,
    find_changing_state,
)
MOST_OF_ONE = 20
"""Findings of one check that are told."""


def run_checks(subject: Subject) -> tuple[list[Finding], list[str]]:
    """What is found, each rule once for a line, and sentences about checks that failed."""
    findings: dict[tuple[str, str, int], Finding] = {}
    failed = []
    for check in CHECKS:
        try:
            for found in itertools.islice(check(subject), MOST_OF_ONE):
                findings.setdefault((found.rule, found.file, found.line), found)
        except Exception as error:  # a check that fails costs itself, never the capture
            why = " ".join(str(error).split())[:200]
            failed.append(
                f"The check {check.__name__} failed, which is a bug in jaxscope: "
                f"{type(error).__name__}: {why}"
            )
    return list(findings.values()), failed
