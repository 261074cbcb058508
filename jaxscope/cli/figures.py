"""`jaxscope time -o OUT`: what was measured, as a picture or as its table."""

from __future__ import annotations

from pathlib import Path

from jaxscope.analysis.figures.distribution import histogram_of
from jaxscope.analysis.figures.figure import Figure, write_figure
from jaxscope.analysis.figures.timeline import timeline_chart
from jaxscope.analysis.figures.waterfall import waterfall_chart
from jaxscope.cli.output import write_file
from jaxscope.errors import EnvironmentProblem, Explanation
from jaxscope.model import Environment, Timing, Unavailable
from jaxscope.model.lab import Profile

_STEADY = ("eager", "jit", "gradient_eager", "gradient_jit")


def write_timing_figure(timing: Timing, name: str, path: Path) -> None:
    """Write the `distributions` or the `stages` of a timing; the ending picks the form.

    Raises:
        EnvironmentProblem: There is nothing to draw, or the disk refuses.
    """
    figure: Figure | None
    if name == "stages":
        figure = waterfall_chart(timing.call, timing.measurements)
    else:
        figure = histogram_of(timing.call, [m for m in timing.measurements if m.name in _STEADY])
    if figure is None:
        raise _nothing(path, "Too few calls were measured.")
    _write(figure, path, timing.environment)


def write_run_figure(profile: Profile, path: Path) -> None:
    """Write the timeline of one run of a profile; the ending picks the form.

    Raises:
        EnvironmentProblem: There is no such run, or the disk refuses.
    """
    if isinstance(profile.timeline, Unavailable):
        raise _nothing(path, profile.timeline.reason)
    _write(timeline_chart(profile.call, profile.timeline), path, profile.environment)


def _write(figure: Figure, path: Path, environment: Environment) -> None:
    data = write_figure(figure, path.suffix, environment=environment)

    def write(draft: Path) -> None:
        draft.write_bytes(data)

    write_file(path, write)


def _nothing(path: Path, why: str) -> EnvironmentProblem:
    return EnvironmentProblem(
        Explanation(f"{path} was not written: there is nothing to draw.", why=why)
    )
