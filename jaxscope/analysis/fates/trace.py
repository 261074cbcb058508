"""What XLA's passes were seen to do to an equation."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One pass, as XLA numbers and names its dumps.

    Attributes:
        number: Of the dump; None for a step that XLA writes no numbered dump of.
        name: Of the pass.
        pipeline: The pipeline that it ran in.
    """

    number: int | None
    name: str
    pipeline: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Ending:
    """What the passes did to an equation: how its last instruction ended, or where it was put.

    Attributes:
        fate: `merged`, `folded`, `simplified`, `layout` or `dead`; empty where instructions of the
            equation are left in the optimized module.
        step: The pass that decided: after which none was left, or which put them where they are;
            None where no pass changed them.
        merged_with: Ids of equations.
        instructions: Names of the instructions of the optimized module that hold the equation, or
            of what took its place.
        before: Names of the instructions that the decision rests on, in the module before it.
        after: The same in the module after it.
        text: In one sentence; of an equation that is still held, what became of its operation.
    """

    fate: str
    step: Step | None = None
    merged_with: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    text: str = ""

    @property
    def pass_name(self) -> str | None:
        """Name of the pass that decided, or None where none of XLA's numbered dumps shows it."""
        return self.step.name if self.step is not None and self.step.number is not None else None
