"""Linear algebra that XLA has an instruction for; the rest are library calls without a count."""

from __future__ import annotations

from jaxscope.analysis.cost.equation import Costs, Equation


def cholesky(equation: Equation) -> Costs:
    """A third of n³ for each matrix, whole numbers; half of both matrices is touched."""
    matrices = equation.operand(0)
    flops = matrices.size * matrices.shape[-1] // 3
    return float(flops), equation.traffic() / 2.0, 0.0


def triangular_solve(equation: Equation) -> Costs:
    """Two for each product of an unknown with a row; half of the matrix is read."""
    matrices, sides = equation.operand(0), equation.operand(1)
    flops = 2 * sides.size * matrices.shape[-1]
    return float(flops), equation.traffic() - matrices.num_bytes / 2.0, 0.0
