"""Passes: what each of them changed, and what it did to each equation."""

from jaxscope.analysis.passes.listing import list_passes
from jaxscope.analysis.passes.recorder import Passes, PassRecorder

__all__ = ["PassRecorder", "Passes", "list_passes"]
