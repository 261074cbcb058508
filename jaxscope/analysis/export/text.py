"""A stage as plain text."""

from __future__ import annotations

from jaxscope.analysis.export.safe_text import make_safe
from jaxscope.analysis.export.stage_choice import find_stage_text
from jaxscope.model import Capture


def capture_to_text(capture: Capture, stage_name: str) -> str:
    """The program of one stage as JAX or XLA prints it, with a newline at the end.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: It has no text.
    """
    return make_safe(find_stage_text(capture, stage_name).text).rstrip("\n") + "\n"
