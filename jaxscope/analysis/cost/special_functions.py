"""Functions that are lowered to many elementwise instructions: polynomials, cases, logarithms.

Counted on the modules that JAX 0.8.0, 0.10.2 and 0.12.0 make before optimization. Where these
releases agree the count serves all; where they do not, only the releases that were counted, and
any between two that agree.
"""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.cost.equation import Costs, Equation, UncountedError

_HALVES = frozenset({"f16", "bf16"})


@dataclasses.dataclass(frozen=True, slots=True)
class _Count:
    """Instructions for each element.

    Attributes:
        flops: For `f32`.
        transcendentals: For any type.
        is_widened: Whether 16-bit floats are computed in 32 bits: two conversions more.
        first, last: Releases of JAX that it holds for.
    """

    flops: int
    transcendentals: int
    is_widened: bool = True
    first: tuple[int, int] = (0, 8)
    last: tuple[int, int] = (0, 12)


_COUNTS = {
    "acos": (_Count(3, 2, is_widened=False),),
    "acosh": (_Count(7, 4, is_widened=False),),
    "asin": (
        _Count(5, 2, is_widened=False, last=(0, 10)),
        _Count(3, 2, is_widened=False, first=(0, 12)),
    ),
    "asinh": (_Count(11, 3, is_widened=False),),
    "atanh": (_Count(6, 2, is_widened=False),),
    "bessel_i0e": (_Count(87, 1, last=(0, 8)), _Count(83, 1, first=(0, 10))),
    "bessel_i1e": (_Count(87, 1, last=(0, 8)), _Count(83, 1, first=(0, 10))),
    "cosh": (_Count(3, 2),),
    "digamma": (_Count(73, 3, last=(0, 10)), _Count(75, 3, first=(0, 12))),
    "erf_inv": (_Count(37, 2),),
    "erfc": (_Count(62, 1),),
    "lgamma": (_Count(53, 4, last=(0, 10)), _Count(292, 0, first=(0, 12))),
    "nextafter": (_Count(24, 0, is_widened=False),),
    "sinh": (_Count(10, 3),),
}

SPECIAL_FUNCTIONS = frozenset(_COUNTS)
"""Primitives that `special_function` knows."""


def special_function(equation: Equation) -> Costs:
    """Count a special function.

    Raises:
        UncountedError: Not for this type, or not with this release of JAX.
    """
    result = equation.result()
    if result.element != "f32" and result.element not in _HALVES:
        raise UncountedError(f"{equation.primitive} is counted for f32, f16 and bf16 only")
    counts = _COUNTS[equation.primitive]
    fitting = [c for c in counts if c.first <= equation.release <= c.last]
    if len(counts) == 1:
        fitting = list(counts)
    if not fitting:
        raise UncountedError(f"releases of JAX lower {equation.primitive} differently")
    count = fitting[0]
    widening = 2 if count.is_widened and result.element in _HALVES else 0
    size = result.size
    flops = float((count.flops + widening) * size)
    return flops, equation.traffic(), float(count.transcendentals * size)
