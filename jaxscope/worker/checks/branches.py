"""A `cond` of which vmap makes a `select`: both branches are paid for every element.

The equations of both branches are told by their tags in the program of the whole call, so what is
counted is the work that is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say
from jaxscope.worker.checks.dataflow import count_work
from jaxscope.worker.checks.subject import CheckedCall

RULE = "cond-under-vmap"
MIN_WORK = 10_000
"""Operations that are made and not needed; for fewer, a `select` is what one would write."""

_WORTH_A_WARNING = 1_000_000
_REMEDY = say(
    "Decide outside of vmap where all elements agree; sort the elements by branch and map each "
    "part; or jax.lax.map(f, xs), which runs the elements one after the other and one branch each."
)


def find_paid_branches(subject: CheckedCall) -> Iterator[Check]:
    """Branches of the base function that run for every element of a batch."""
    program = subject.program
    names = {level.name for level in subject.call.levels}
    if "vmap" not in names or program.is_linked_by_place:
        return
    conds = {site.id: site for site in subject.base.sites if site.name == "cond"}
    if not conds:
        return
    kinds: dict[str, set[str]] = {}
    work: dict[str, float] = {}
    for id, sites in subject.base_ids.items():
        kinds[id] = {site.name for site in sites}
        made = sum(count_work(site) for site in sites if not site.bodies)
        for branch in _branches_around(id):
            work[branch] = work.get(branch, 0.0) + made
    for id, cond in conds.items():
        seen = kinds.get(id, set())
        branches = [work.get(f"{id}/branches.{n}", 0.0) for n in range(len(cond.bodies))]
        waste = sum(branches) - max(branches, default=0.0)
        place = subject.place(cond)
        if "select_n" in seen and "cond" not in seen and waste >= MIN_WORK and place:
            yield _describe(id, branches, waste, place)


def _describe(id: str, branches: list[float], waste: float, place: tuple[str, int, int]) -> Check:
    told = ", ".join(f"{each:,.0f}" for each in branches)
    return Check(
        RULE,
        Severity.WARNING if waste >= _WORTH_A_WARNING else Severity.INFO,
        say(
            "vmap turns this cond into a select: every branch is computed for every element of the "
            "batch, about {told} operations, of which at least {waste:,.0f} are thrown away.",
            told=told,
            waste=waste,
        ),
        _REMEDY,
        "samples/control_flow.py",
        id,
        *place[:2],
    )


def _branches_around(id: str) -> Iterator[str]:
    """The branches that an equation is inside of, such as `3/branches.1`."""
    for found in re.finditer(r"/branches\.\d+(?=/)", id):
        yield id[: found.end()]
