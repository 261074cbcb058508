"""Reading and writing mutable references, as kernels do."""

from __future__ import annotations

from jaxscope.analysis.cost.equation import Costs, Equation


def get(equation: Equation) -> Costs:
    """Only what is taken is read."""
    return 0.0, 2.0 * equation.result().num_bytes, 0.0


def swap(equation: Equation) -> Costs:
    """The old value is read where somebody takes it; counted as written only."""
    return 0.0, 2.0 * equation.operand(1).num_bytes, 0.0


def add_update(equation: Equation) -> Costs:
    """One addition for each element; the old value is read, the new one written."""
    value = equation.operand(1)
    return float(value.size), 3.0 * value.num_bytes, 0.0
