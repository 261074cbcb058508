"""Verbs that are promised and not there yet say so instead of pretending."""

from __future__ import annotations

from jaxscope.cli.parser import Options
from jaxscope.errors import EnvironmentProblem, Explanation


def run(options: Options) -> int:
    """Raise the sentence.

    Raises:
        EnvironmentProblem: Always.
    """
    raise EnvironmentProblem(
        Explanation(
            what=f"jaxscope {options.verb} is not available yet in this version.",
            remedy="jaxscope capture FILE [CALL] -o out.html shows every stage of a call.",
        )
    )
