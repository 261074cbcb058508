"""What XLA's passes did to an equation (`PassOutcome`), several fates as one, and fates in a
sentence each.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Fate
from jaxscope.model.said import LISTED, Said, join_first, say, say_joined


@dataclass(frozen=True, slots=True)
class PassStep:
    """One pass, as XLA numbers and names its dumps.

    Attributes:
        number: Of the dump; None for a step that XLA writes no numbered dump of.
        name: Of the pass.
        pipeline: The pipeline that it ran in.
    """

    number: int | None
    name: str
    pipeline: str = ""


@dataclass(frozen=True, slots=True)
class PassOutcome:
    """What the passes did to an equation: how its last instruction ended, or where it was put.

    Attributes:
        fate: `merged`, `folded`, `simplified`, `layout` or `dead`; `unknown` where its last
            instruction became several that nothing tells apart; empty where instructions of the
            equation are left in the optimized module.
        step: The pass that decided: after which none was left, or which put them where they are;
            None where no pass changed them.
        merged_with: Ids of equations.
        instructions: Names of the instructions of the optimized module that hold the equation, or
            of what took its place.
        before: Names of the instructions that the decision rests on, in the module before it.
        after: The same in the module after it.
        text: In one sentence; of an equation that is still held, what became of its operation.
        unwrapped: By opcode (`call`, `while`, `conditional`) the pass after which the equation had
            no instruction of that kind any more: what it called is inlined, or gone.
    """

    fate: str
    step: PassStep | None = None
    merged_with: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    text: str = ""
    unwrapped: Mapping[str, PassStep] = dataclasses.field(default_factory=dict)

    @property
    def pass_name(self) -> str | None:
        """Name of the pass that decided, or None where none of XLA's numbered dumps shows it."""
        return self.step.name if self.step is not None and self.step.number is not None else None


# Fates in one sentence each.


_MAX_NAMES = 3


def quote_names(names: Sequence[str]) -> Said:
    """A few names, and how many more there are."""
    return join_first(names, _MAX_NAMES)


def quote_equations(ids: Sequence[str], stage: str = "") -> Said:
    """`equation 4`, `equations 4 and 7/jaxpr/0 of grad`."""
    if len(ids) == 1:
        told = say("equation {id}", id=ids[0])
    elif len(ids) > _MAX_NAMES:
        told = say("equations {names}", names=quote_names(ids))
    else:
        told = say("equations {ids} and {last}", ids=", ".join(ids[:-1]), last=ids[-1])
    return say("{equations} of {stage}", equations=told, stage=stage) if stage else told


def in_pass(pass_name: str | None) -> str:
    """` in the pass algsimp`, or nothing where the pass is not known."""
    return say(" in the pass {name}", name=pass_name) if pass_name else ""


RUNNING = ("library", "kernel", "fused")
"""Fates of what a kernel computes when the program runs."""

NOT_RUNNING = ("folded", "merged", "simplified", "dead")
"""Fates of what is not there when the program runs."""

NEEDLESS = say("Nothing that is kept needs its result.")


_RANKS = (*RUNNING, "layout", "unknown", *NOT_RUNNING)


def combine_fates(fates: list[Fate]) -> Fate:
    """The most informative of several fates, with the instructions of all.

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


def describe_removed_call(operation: str) -> Said:
    """What it means that an equation with nested jaxprs is no more, and its inside is."""
    if operation in ("scan", "while", "pallas_call"):
        return say("the loop was removed")
    if operation == "cond":
        return say("the branch was removed")
    if operation in ("custom_jvp_call", "custom_vjp_call"):
        return say("a call with a derivative of its own, inlined")
    is_remat = operation in ("remat2", "checkpoint")
    return say("a remat, inlined") if is_remat else say("the call was inlined")


def summarize_fates(children: list[Fate]) -> Said:
    """How many of an equation's inner equations had which fate."""
    if len(children) == 1:
        return say("its one equation: {fate}", fate=say(children[0].fate))
    counted = count_fates(children)
    return say("of its {count} equations: {counted}", count=len(children), counted=counted)


def count_fates(fates: Collection[Fate]) -> Said:
    """Such as `3 fused, 1 dead`."""
    counts: dict[str, int] = {}
    for each in fates:
        counts[each.fate] = counts.get(each.fate, 0) + 1
    told = (say("{number} {fate}", number=n, fate=say(fate)) for fate, n in counts.items())
    return say_joined(told, LISTED)
