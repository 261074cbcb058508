"""One equation as the counting rules see it: its primitive, its types and its parameters."""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from jaxscope.analysis.cost.array_type import ArrayType

Costs = tuple[float, float, float]
"""FLOPs, bytes, transcendentals."""


class UncountedError(Exception):
    """A rule does not apply; the text says why, without a full stop."""


@dataclasses.dataclass(frozen=True, slots=True)
class Equation:
    """What a rule may look at.

    Attributes:
        primitive: JAX's name.
        operands: Types in order; None where a type is not an array's or not known.
        results: Types in order; None as above.
        parameters: Texts of the equation's parameters.
        release: Major and minor version of the JAX that made it; zeros if not known.
    """

    primitive: str
    operands: tuple[ArrayType | None, ...]
    results: tuple[ArrayType | None, ...]
    parameters: Mapping[str, str]
    release: tuple[int, int] = (0, 0)

    def operand(self, index: int) -> ArrayType:
        """The type of an operand.

        Raises:
            LookupError: It is not known.
        """
        return _known(self.operands[index])

    def result(self, index: int = 0) -> ArrayType:
        """The type of a result.

        Raises:
            LookupError: It is not known.
        """
        return _known(self.results[index])

    def parameter(self, name: str) -> Any:
        """A parameter that is a number or nested tuples and lists of numbers.

        Raises:
            LookupError: The equation has no such parameter.
            ValueError: The text is something else, or was cut short.
        """
        try:
            return ast.literal_eval(self.parameters[name])
        except (SyntaxError, MemoryError, RecursionError) as error:
            raise ValueError(f"{name} is no literal") from error

    def traffic(self) -> float:
        """Bytes of all operands and results; NaN if one is unknown."""
        types = self.operands + self.results
        return sum((math.nan if type is None else type.num_bytes for type in types), 0.0)


def _known(type: ArrayType | None) -> ArrayType:
    if type is None:
        raise LookupError("the type is not known")
    return type
