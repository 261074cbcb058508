"""Stages as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.analysis.export.safe_text import make_safe, make_safe_line
from jaxscope.analysis.export.stage_choice import find_stage, find_stage_text
from jaxscope.model import Capture


def capture_to_text(capture: Capture, stage_name: str) -> str:
    """The program of one stage as JAX or XLA prints it, with a newline at the end.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: It has no text.
    """
    return make_safe(find_stage_text(capture, stage_name).text).rstrip("\n") + "\n"


def stages_to_text(capture: Capture, stage_names: Sequence[str]) -> str:
    """Several stages one after the other, each under a line that names it.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: One has no text.
    """
    parts = []
    for name in stage_names:
        stage = find_stage(capture, name)
        title = make_safe_line(stage.title or name)
        parts.append(f"=== {title} ===\n\n{capture_to_text(capture, name)}")
    return "\n".join(parts)
