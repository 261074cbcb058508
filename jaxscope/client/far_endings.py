"""Say of a failure on another machine where it happened."""

from __future__ import annotations

import dataclasses

from jaxscope.errors import (
    EnvironmentProblem,
    Explanation,
    JaxscopeError,
    Stopped,
    UserCodeError,
    WorkerLost,
)


def on_machine(failure: JaxscopeError, reason: str, machine: str) -> JaxscopeError:
    """The same failure with its machine named, where that is part of what happened.

    Args:
        failure: What went wrong.
        reason: Why the worker ended, see `ending.Ending`.
        machine: As the target names it.
    """
    host = machine.rpartition("@")[2]
    told = failure.explanation
    if reason == "supervisor" and not isinstance(failure, Stopped):
        return WorkerLost(
            Explanation(
                what=f"The connection to {host} was lost.",
                why=told.why,
                remedy="Run again: the connection is made anew. What ran there has ended.",
                kind="LostConnection",
                output=told.output,
            )
        )
    if isinstance(failure, UserCodeError) and told.kind == "FileNotFoundError":
        remedy = (
            f"Only Python modules beside the file are sent to {host}: put data files there, and "
            "name them by their path there."
        )
        return type(failure)(dataclasses.replace(told, remedy=remedy))
    if isinstance(failure, EnvironmentProblem | WorkerLost) and not isinstance(failure, Stopped):
        return type(failure)(dataclasses.replace(told, what=f"On {host}: {told.what}"))
    return failure
