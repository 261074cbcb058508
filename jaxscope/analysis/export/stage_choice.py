"""The stage that an export is about."""

from __future__ import annotations

from jaxscope.errors import EnvironmentProblem, Explanation, UsageError
from jaxscope.model import Capture, Graph, Stage, StageText, Unavailable


def find_stage(capture: Capture, name: str) -> Stage:
    """The stage of that name.

    Raises:
        UsageError: The capture has no such stage.
        EnvironmentProblem: It has, and the stage is unavailable; carries the reason.
    """
    stage = capture.stage(name)
    if stage is None:
        names = ", ".join(stage.name for stage in capture.stages) or "none"
        raise UsageError(
            Explanation(
                what=f"There is no stage {name}.",
                why=f"The stages of this call are: {names}.",
                remedy="Name one of them with --stage.",
            )
        )
    if stage.unavailable is not None:
        raise _missing(stage, stage.unavailable.reason)
    return stage


def find_stage_text(capture: Capture, name: str) -> StageText:
    """The text of the stage of that name.

    Raises:
        UsageError: The capture has no such stage.
        EnvironmentProblem: Its text is unavailable; carries the reason.
    """
    stage = find_stage(capture, name)
    if isinstance(stage.text, Unavailable):
        raise _missing(stage, stage.text.reason)
    return stage.text


def find_stage_graph(capture: Capture, name: str) -> Graph:
    """The graph of the stage of that name.

    Raises:
        UsageError: The capture has no such stage.
        EnvironmentProblem: Its graph is unavailable; carries the reason.
    """
    stage = find_stage(capture, name)
    if isinstance(stage.graph, Unavailable):
        raise _missing(stage, stage.graph.reason)
    return stage.graph


def _missing(stage: Stage, reason: str) -> EnvironmentProblem:
    return EnvironmentProblem(
        Explanation(what=f"The stage {stage.name} is not available.", why=reason)
    )
