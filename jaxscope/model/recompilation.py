"""What a sequence of calls compiles, and what made it compile again."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.model.capture import Environment


@dataclasses.dataclass(frozen=True, slots=True)
class KeyChange:
    """One difference between the keys of two calls of a jitted function.

    Attributes:
        kind: `shape`, `dtype`, `weak_type`, `static`, `tree`, `sharding`, `config`, `options`,
            `new_function`; `cleared` where JAX had lost a program that it had; `unknown` where the
            keys look alike.
        path: Which argument, setting or function; may be empty.
        before: In the nearest call before.
        after: In this one.
    """

    kind: str
    path: str
    before: str
    after: str


@dataclasses.dataclass(frozen=True, slots=True)
class Signature:
    """One key that a jitted function was compiled for.

    Attributes:
        number: From 0, in the order of compilation.
        function: Name of the jitted function.
        place: `file:line` of its definition.
        call: The call of the sequence that it happened in.
        arguments: What each argument is, such as `x: f32[10]`.
        nearest: Number of the signature with the fewest differences; None for the first.
        changes: Against that one.
        trace: Seconds of tracing; NaN where JAX did not report it.
        lower: Seconds of lowering.
        compile: Seconds of compiling.
        is_from_cache: Whether the program came from the persistent compilation cache.
        num_calls: Calls with this key, the compiling one included.
        jax_says: JAX's own explanation, or empty.
        agrees: Whether that explanation is of the same kind; None without one.
    """

    number: int
    function: str
    place: str
    call: str
    arguments: tuple[str, ...]
    nearest: int | None
    changes: tuple[KeyChange, ...]
    trace: float
    lower: float
    compile: float
    is_from_cache: bool
    num_calls: int
    jax_says: str
    agrees: bool | None

    @property
    def seconds(self) -> float:
        """What making the program took, as far as it is known."""
        return sum(part for part in (self.trace, self.lower, self.compile) if not math.isnan(part))


@dataclasses.dataclass(frozen=True, slots=True)
class Advice:
    """What to do about recompilations of one function.

    Attributes:
        function: Its name.
        kind: As in `KeyChange`.
        text: One or two sentences.
        seconds: What the recompilations of this kind took.
    """

    function: str
    kind: str
    text: str
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True)
class OutsideCompilation:
    """Programs that were compiled outside of calls of jitted functions.

    Single operations are; so are jitted functions that `grad` or `vmap` calls.

    Attributes:
        function: As JAX names it.
        count: Of programs.
        seconds: Traced, lowered, compiled.
    """

    function: str
    count: int
    seconds: float


@dataclasses.dataclass(frozen=True, eq=False)
class Recompilation:
    """What a sequence of calls compiled.

    Attributes:
        calls: The calls that were run.
        signatures: In the order of compilation.
        wasted: Seconds of all but the first signature of each function.
        advice: What would avoid them, the costliest first.
        outside: What was compiled besides, the costliest first.
    """

    call: str
    environment: Environment
    calls: tuple[str, ...]
    signatures: tuple[Signature, ...]
    wasted: float = 0.0
    advice: tuple[Advice, ...] = ()
    warnings: tuple[str, ...] = ()
    outside: tuple[OutsideCompilation, ...] = ()
