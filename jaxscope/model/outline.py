"""What a file offers, found without running it: its functions, and the calls that it names."""

from __future__ import annotations

import io
import re
import tokenize

from jaxscope.late_dataclass import dataclass

TRANSFORMS = (
    *("grad", "value_and_grad", "vmap", "jit", "jvp", "vjp", "linearize"),
    *("jacfwd", "jacrev", "hessian", "checkpoint", "pmap", "shard_map"),
)
"""JAX's transforms that a call may name without `jax.`."""
DERIVATIVES = frozenset(
    {"grad", "value_and_grad", "jvp", "vjp", "linearize", "jacfwd", "jacrev", "hessian"}
)
"""Those that make derivatives."""
_MAX_CALLS = 500
_OFFER = re.compile(r"#+\s*jaxscope:\s*(?P<call>\S.*)")


@dataclass(frozen=True, slots=True)
class OutlinedFunction:
    """A function, method or class of a file.

    Attributes:
        name: With its class, such as `Model.loss`.
        kind: `function`, `method` or `class`.
        line: 1-based line of its `def` or `class`.
        end_line: Its last line.
        signature: Such as `loss(params, x, *, scale=1.0) -> Array`, at most 300 characters.
        doc: Its docstring, at most 2,000 characters, or empty.
    """

    name: str
    kind: str
    line: int
    end_line: int
    signature: str
    doc: str


@dataclass(frozen=True, slots=True)
class OfferedCall:
    """A call that a comment of the file offers; `line` is 1-based."""

    call: str
    line: int


@dataclass(frozen=True, slots=True)
class Outline:
    """What a file contains."""

    functions: tuple[OutlinedFunction, ...]
    calls: tuple[OfferedCall, ...]
    doc: str


def find_offered_calls(text: str) -> tuple[OfferedCall, ...]:
    """Find the calls that comment lines `# jaxscope: CALL` offer, in order.

    Only real comments count, never a look-alike inside a string. At most 500.
    """
    if "jaxscope:" not in text:
        return ()
    calls: list[OfferedCall] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and (offer := _OFFER.fullmatch(token.string)):
                calls.append(OfferedCall(offer["call"].strip(), token.start[0]))
            if len(calls) == _MAX_CALLS:
                break
    except (tokenize.TokenError, SyntaxError):
        pass  # the offers before the broken place stand
    return tuple(calls)
