"""Work of equations, counted by XLA's rules, from their types and parameters alone."""

from jaxscope.analysis.cost.equations import cost_equations

__all__ = ["cost_equations"]
