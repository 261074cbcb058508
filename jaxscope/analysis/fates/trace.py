"""What a pass was seen to do to an equation."""

from __future__ import annotations

import dataclasses

REMADE = "remade"
"""Ended only in name: the same operation stands in its place, as a new instruction."""


@dataclasses.dataclass(frozen=True, slots=True)
class Ending:
    """What the passes did to an equation: how its last instruction ended, or where it was put.

    Attributes:
        pass_name: The pass that decided: after which none was left, or which put it where it is.
        pipeline: The pipeline that the pass ran in.
        fate: `merged`, `folded`, `simplified`, `layout` or `dead`; `remade` where the same
            operation stands in its place under another name; empty where the pass is all that is
            known.
        merged_with: Ids of equations.
        instructions: Names of what took its place, as far as they reach the optimized module.
        text: In one sentence; of an equation that is still carried, what became of its operation.
    """

    pass_name: str
    pipeline: str = ""
    fate: str = ""
    merged_with: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    text: str = ""
