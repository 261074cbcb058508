"""How much memory the compiled program takes, as XLA planned it."""

from __future__ import annotations

import dataclasses
import math

Place = tuple[int, int, int, int, int, str]
"""A value's node in the stage `optimized`, which of its results it is, the allocation that holds
it, where in that, its size in bytes, and the kind of the allocation."""

PLACE_KINDS = ("temporary", "argument", "result", "constant", "thread-local")


@dataclasses.dataclass(frozen=True, slots=True)
class MemoryPlan:
    """XLA's own memory plan of the compiled program, per device; NaN is unknown.

    Attributes:
        argument_bytes: What goes in.
        result_bytes: What comes out.
        temporary_bytes: Room for everything between: what XLA allocates for each run.
        aliased_bytes: Part of the results that lies where donated arguments were.
        code_bytes: Generated code; some backends say 0.
        peak_bytes: The most that is needed at once, where the backend says so; the CPU's does not.
        donated: Which arguments were donated, by their place among those that are not static.
        kept: For each parameter of the program the place of its argument; arguments that the
            program does not use are dropped.
        places: Where XLA put each value; empty where that is not known.
    """

    argument_bytes: float = math.nan
    result_bytes: float = math.nan
    temporary_bytes: float = math.nan
    aliased_bytes: float = math.nan
    code_bytes: float = math.nan
    peak_bytes: float = math.nan
    donated: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    places: tuple[Place, ...] = dataclasses.field(default=(), repr=False)

    @property
    def total_bytes(self) -> float:
        """Arguments, results and temporaries together; what is aliased counts once."""
        return self.argument_bytes + self.result_bytes - self.aliased_bytes + self.temporary_bytes
