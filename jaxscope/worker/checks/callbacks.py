"""Python functions that a loop of the program calls in every round."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say
from jaxscope.worker.checks.dataflow import num_rounds
from jaxscope.worker.checks.subject import CheckedCall

RULE = "callback-in-loop"
_KINDS = {
    "pure_callback": "jax.pure_callback",
    "io_callback": "jax.experimental.io_callback",
    "debug_callback": "jax.debug.callback",
    "debug_print": "jax.debug.print",
}
MIN_ROUNDS = 100
_REMEDY = say(
    "Write it in jax.numpy; or give what it needs back from the loop (ys of scan) and call it "
    "once, afterwards, on all rounds."
)
_PRINT_REMEDY = say(
    "Print every so often: jax.lax.cond(i % 100 == 0, lambda: jax.debug.print(...), lambda: None)."
)


def find_callbacks_in_loops(subject: CheckedCall) -> Iterator[Check]:
    """Callbacks in loops of at least `MIN_ROUNDS` rounds, or of a number that is not known."""
    for site in subject.base.sites:
        what = _KINDS.get(site.name)
        loops = site.loops() if what else []
        place = subject.place(site) if loops else None
        if what is None or place is None or site.body.branches():
            continue  # a branch decides how often: that of what raises errors is never taken
        rounds = [num_rounds(loop) for loop in loops]
        known = prod(number for number in rounds if number is not None)
        if None not in rounds and known < MIN_ROUNDS:
            continue
        if None in rounds:
            often = say("in every round of a while loop")
        else:
            often = say("{known:,} times", known=known)
        is_debug = site.name.startswith("debug")
        yield Check(
            RULE,
            Severity.INFO if is_debug else Severity.WARNING,
            say(
                "{what} is inside of a loop: each run of the program calls Python {often}, with a "
                "copy to the host for each.",
                what=what,
                often=often,
            ),
            _PRINT_REMEDY if site.name == "debug_print" else _REMEDY,
            "samples/print_debug.py",
            site.id,
            *place[:2],
        )
