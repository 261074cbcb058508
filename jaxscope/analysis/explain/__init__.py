"""Plain-language explanations of JAX's primitives and XLA's operations."""

from jaxscope.analysis.explain.lookup import explain_operation

__all__ = ["explain_operation"]
