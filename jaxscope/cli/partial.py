"""What a failed capture leaves behind: the stages that worked, and why the others are missing."""

from __future__ import annotations

import dataclasses

from jaxscope.errors import JaxscopeError
from jaxscope.model import Capture, Cost, Stage, Unavailable, is_available

FORMATS = frozenset({"jaxscope", "json", "html"})
"""Formats that show all stages, and so have a place for the reasons."""

_LATER_STAGES = {
    "stablehlo": "StableHLO",
    "hlo": "HLO before optimization",
    "optimized": "HLO after optimization",
    "machine": "Machine code",
}


def complete(partial: Capture | None, error: JaxscopeError) -> Capture | None:
    """A capture that says of every stage what came of it; None if no stage came to be.

    Args:
        partial: What had arrived when the run failed.
        error: Why it failed.
    """
    if partial is None or not any(is_available(stage.text) for stage in partial.stages):
        return None
    reason = error.explanation.what
    known = {stage.name for stage in partial.stages}
    missing = [
        _missing_stage(name, title, reason)
        for name, title in _LATER_STAGES.items()
        if name not in known
    ]
    return dataclasses.replace(
        partial,
        stages=(*(_with_reason(stage, reason) for stage in partial.stages), *missing),
        messages=(*partial.messages, f"This capture is incomplete: {reason}"),
    )


def last_shown_stage(capture: Capture) -> str:
    """Name of the last stage that has a text."""
    return next(stage.name for stage in reversed(capture.stages) if is_available(stage.text))


def _with_reason(stage: Stage, reason: str) -> Stage:
    """A stage whose graph arrived and whose text did not waits for nothing any more."""
    if stage.unavailable is not None or is_available(stage.text):
        return stage
    return dataclasses.replace(stage, text=Unavailable(reason, stage.name))


def _missing_stage(name: str, title: str, reason: str) -> Stage:
    why = Unavailable(reason, name)
    seconds = Unavailable("The time of this stage was not measured.", name)
    return Stage(name, title, why, why, Cost(), seconds, unavailable=why)
