"""jaxscope: see what JAX and XLA do with your code."""

from __future__ import annotations

__version__ = "0.1.0"
