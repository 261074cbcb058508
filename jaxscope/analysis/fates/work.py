"""How much an instruction does, by its opcode."""

from __future__ import annotations

COMPUTING, MOVING, NAMING, NEVER = range(4)
"""How much an instruction does: computes, makes or moves elements, only says how bytes lie."""

_MOVES = frozenset({"broadcast", "iota", "convert", "transpose", "slice", "pad", "concatenate"})
_NAMES = frozenset(
    {
        *("bitcast", "copy", "copy-start", "copy-done", "reshape", "tuple", "get-tuple-element"),
        *("opt-barrier", "after-all", "add-dependency", "parameter"),
    }
)


def work_of(opcode: str) -> int:
    """How much an instruction with this opcode does; less is more."""
    if opcode in ("fusion", "constant"):
        return NEVER  # what is inside counts; a constant is what an equation may turn into
    if opcode in _NAMES:
        return NAMING
    return MOVING if opcode in _MOVES else COMPUTING
