"""What a pass was seen to do to an equation."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Ending:
    """The end of the last instruction that carried an equation.

    Attributes:
        pass_name: The pass after which none was left.
        pipeline: The pipeline that the pass ran in.
        fate: `merged`, `folded`, `simplified` or `dead`; empty where the pass is all that is known.
        merged_with: Ids of equations.
        instructions: Names of what took its place, as far as they reach the optimized module.
        text: In one sentence.
    """

    pass_name: str
    pipeline: str = ""
    fate: str = ""
    merged_with: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    text: str = ""
