"""What Python did, line by line, while JAX traced a call, and what the jaxpr got by each line."""

from __future__ import annotations

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Environment


@dataclass(frozen=True, slots=True)
class RecordedEquation:
    """An equation that JAX recorded while a line ran.

    Attributes:
        id: In the program; empty where the program was not finished.
        operation: Its primitive.
        type: Of its results.
        is_shared: Whether its inside is that of an earlier equation, which was traced then.
    """

    id: str
    operation: str
    type: str
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class TracedLine:
    """One line that ran, and all that happened until the next one did.

    Attributes:
        file: Where it stands; empty for what JAX did while no line of the user's ran.
        line: 1-based; 0 for the same.
        text: Of the line.
        function: That it is in.
        depth: How many functions of the user's were running, this one included.
        is_resumed: Whether a function that the line called has ended, and the line goes on.
        inside: Function whose jaxpr was built; empty for the program itself.
        is_traced: Whether JAX recorded operations then; if not, it ran them at once.
        equations: What the program got.
        num_aside: Operations that were recorded and are not in the program as they were.
        effects: What Python did that is seen outside, such as `print`.
        statement: `if`, `for`, `while`, `def` or `return` where the line begins one; else empty.
        outcome: Of an `if` where Python went: `body`, `else` or `past`; of a loop `round` or
            `over`; empty where that is not known.
        round: Of a loop, from 1; behind the last how many there were.
        num_rounds: How many rounds the loop had; 0 where it did not come to its end.
    """

    file: str
    line: int
    text: str = ""
    function: str = ""
    depth: int = 0
    is_resumed: bool = False
    inside: str = ""
    is_traced: bool = True
    equations: tuple[RecordedEquation, ...] = ()
    num_aside: int = 0
    effects: tuple[str, ...] = ()
    statement: str = ""
    outcome: str = ""
    round: int = 0
    num_rounds: int = 0


@dataclass(frozen=True, slots=True)
class Tracing:
    """The lines of one trace.

    Attributes:
        call: That was traced.
        environment: Where.
        stage: Name of the stage whose equations these are.
        num_equations: In the program, those inside of equations included; 0 where it failed.
        num_unplaced: Of these, how many could not be assigned to a line.
        lines: In the order in which they ran.
        num_lines: That ran, those included that are left out behind the last.
        calls_back: Whether the program calls functions of Python while it runs.
        reruns: How many lines ran in each further call of the compiled program.
        no_reruns: Why it was not called; else empty.
        failure: What ended the trace early; else empty.
        warnings: What to mind.
    """

    call: str
    environment: Environment
    stage: str = ""
    num_equations: int = 0
    num_unplaced: int = 0
    lines: tuple[TracedLine, ...] = ()
    num_lines: int = 0
    calls_back: bool = False
    reruns: tuple[int, ...] = ()
    no_reruns: str = ""
    failure: str = ""
    warnings: tuple[str, ...] = ()
