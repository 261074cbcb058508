"""How calls spell scalars: as JAX prints their types, too."""

from __future__ import annotations

import ast
import re

_EMPTY_SHAPE = re.compile(r"\b(bool_|bf16|[fiuc]\d+\w*)\[\s*\]")


def spell_scalars(text: str) -> str:
    """A call with `f32[]`, which is no Python, spelled `f32[()]`.

    People copy `f32[]` from what JAX prints. Text that is Python already, such as one with
    `f32[]` inside a string, stays as it is.
    """
    spelled = _EMPTY_SHAPE.sub(r"\1[()]", text)
    if spelled == text:
        return text
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return spelled
    return text
