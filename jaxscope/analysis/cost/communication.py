"""Work of collectives, as one device does it: what is reduced counts, what is moved does not."""

from __future__ import annotations

from jaxscope.analysis.cost.equation import Costs, Equation

_AXIS_INDEX_FLOPS = 3.0
"""The number of the device, divided by the stride of the axis, modulo its size, converted."""


def all_reduce(equation: Equation) -> Costs:
    """One for each element of the results: XLA counts as if two devices took part."""
    sizes = [equation.result(i).size for i in range(len(equation.results))]
    return float(sum(sizes)), equation.traffic(), 0.0


def exchange(equation: Equation) -> Costs:
    """Moved between devices; the sums of a reduce-scatter count nothing either."""
    return 0.0, equation.traffic(), 0.0


def axis_index(equation: Equation) -> Costs:
    """Which device this is along an axis."""
    return _AXIS_INDEX_FLOPS, equation.traffic(), 0.0
