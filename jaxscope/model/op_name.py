"""Read provenance out of the names that JAX hands to XLA.

The worker puts a tag into the name stack of every equation: `jxsb12` for equation number 12 of the
base function, `jxsd7` for number 7 of the last jaxpr-level stage. JAX and XLA carry the tags
through differentiation, batching, lowering and fusion, so an instruction named
`jit(loss)/jxsd7/transpose(jvp(jxsb12))/mul` came from both. Where tags nest, the last one of each
prefix is the innermost equation. `jxsp3` after `jxsb12` means number 15: the third equation after
the first one of a small function that JAX inlines at every call, and that all calls share. XLA
joins the names of instructions it merges with `;`.

A tag must not contain `@` (it cuts the name), `/`, `(`, `)` or `;` (they are syntax).
"""

from __future__ import annotations

import dataclasses
import functools
import re

from jaxscope.model.graph import Direction

BASE_TAG = "jxsb"
DERIVED_TAG = "jxsd"
PLUS_TAG = "jxsp"

_TAG = re.compile(r"jxs([bdp])(\d+)")
# Both begin with a literal, which the search for them uses: texts have millions of characters.
_TAG_AFTER_SLASH = re.compile(r"/jxs[bdp]\d+")
_LEADING_TAG = re.compile(r"jxs[bdp]\d+/?")
_NAMED_BY_TAG = re.compile(r"%jxs([bdp]\d+)")


@dataclasses.dataclass(frozen=True, eq=False)
class TagTable:
    """Which equation each tag number stands for.

    Attributes:
        base: Equation ids of the stage `jaxpr`, by the number in `jxsb…` tags; empty for an
            equation that JAX folded into a constant where it inlined it.
        derived: Equation ids of the last jaxpr-level stage, by the number in `jxsd…` tags.
    """

    base: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class OpName:
    """What an operation's name says about where it came from.

    Attributes:
        origins: Ids of equations of the stage `jaxpr`, without repeats; empty where no tag is.
        derived: Ids of equations of the last jaxpr-level stage.
        direction: Backward if the name passes through a transposition, forward if it passes
            through a differentiation only.
        op_name: The name itself.
    """

    origins: tuple[str, ...]
    derived: tuple[str, ...]
    direction: Direction
    op_name: str

    @property
    def display(self) -> str:
        """The name without tags: what JAX itself would have called it."""
        return strip_tags(self.op_name)


def read_op_name(op_name: str, table: TagTable) -> OpName:
    """Read the tags of a name. Tags with numbers outside the table are ignored."""
    origins: dict[str, None] = {}
    derived: dict[str, None] = {}
    for part in op_name.split(";"):
        base, last = _last_numbers(part)
        if 0 <= base < len(table.base) and table.base[base]:
            origins[table.base[base]] = None
        if 0 <= last < len(table.derived):
            derived[table.derived[last]] = None
    return OpName(tuple(origins), tuple(derived), read_direction(op_name), op_name)


def read_base_number(op_name: str) -> int:
    """The number of the innermost tagged equation of the base function; -1 where no tag is."""
    return _last_numbers(op_name)[0]


def _last_numbers(op_name: str) -> tuple[int, int]:
    """Numbers of the innermost base and derived tags; -1 where there is none."""
    base = derived = -1
    for prefix, number in _TAG.findall(op_name):
        if prefix == "d":
            derived = int(number)
        elif prefix == "b":
            base = int(number)
        elif base >= 0:
            base += int(number)
    return base, derived


@functools.lru_cache(maxsize=4096)
def read_direction(name_stack: str) -> Direction:
    """Tell the backward part of a differentiated program from its forward part."""
    if "transpose(" in name_stack:
        return Direction.BACKWARD
    if "jvp(" in name_stack:
        return Direction.FORWARD
    return Direction.NONE


def strip_tags(text: str) -> str:
    """Remove every tag, with the separator it brought, from a name or a whole text.

    Instructions that a tag gave their names, `%jxsb5.3`, are called as `instruction_name` has it.
    """
    named = _NAMED_BY_TAG.sub(r"%unnamed_\1", text)
    return _LEADING_TAG.sub("", _TAG_AFTER_SLASH.sub("", named))


def instruction_name(name: str) -> str:
    """What to call an instruction or a computation: XLA names some after the tag alone.

    It takes the last part of an operation's name for the instruction's, which is the tag where
    JAX has no name for the operation. The number stays, which tells them apart.
    """
    return f"unnamed_{name[3:]}" if _LEADING_TAG.match(name) else name
