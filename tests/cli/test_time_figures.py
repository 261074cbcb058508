"""What `jaxscope time -o` writes, and that it says so where there is nothing to draw."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxscope.cli.experiments import write_run_figure, write_timing_figure
from jaxscope.cli.parser import parse
from jaxscope.errors import EnvironmentProblem, UsageError
from jaxscope.model import Environment, Measurement, Timing, Unavailable
from jaxscope.model.timing import Profile
from tests.figures.test_timeline import RUN

HERE = Environment("0.1", "0.1", "3.11", "cpu", "cpu", "lab-pc")
JIT = Measurement("jit", 2.0, 1.0, 3.0, 0.95, 3, (1.0, 2.0, 3.0), False, began=1.0, ended=7.0)
TIMING = Timing("f(x)", HERE, (JIT,), (), ())


@pytest.mark.parametrize(
    ("name", "title"), [("distributions", "Times of"), ("stages", "Stages of")]
)
def test_a_timing_has_two_figures(tmp_path: Path, name: str, title: str) -> None:
    path = tmp_path / "out.json"
    write_timing_figure(TIMING, name, path)
    found = json.loads(path.read_text())
    assert found["title"] == f"{title} f(x)"
    assert found["environment"]["host"] == "lab-pc"


def test_a_profile_has_the_timeline_of_one_run(tmp_path: Path) -> None:
    missing = Unavailable("Not asked for.")
    path = tmp_path / "out.csv"
    write_run_figure(Profile("f(x)", HERE, missing, missing, (), RUN), path)
    assert path.read_text().count("\n") == 1 + len(RUN.began) + 2 + 2


def test_nothing_to_draw_is_told_with_its_reason(tmp_path: Path) -> None:
    path, missing = tmp_path / "out.svg", Unavailable("The recorder saw nothing.")
    with pytest.raises(EnvironmentProblem) as refused:
        write_run_figure(Profile("f(x)", HERE, missing, missing, (), missing), path)
    assert refused.value.explanation.why == "The recorder saw nothing."
    with pytest.raises(EnvironmentProblem):
        write_timing_figure(Timing("f(x)", HERE, (), (), ()), "stages", path)
    assert not path.exists()


def test_the_figure_is_chosen_by_name() -> None:
    options = parse(["time", "f.py", "f(x)", "-o", "a.svg", "--figure", "stages"]).time
    assert (options.experiment, options.figure) == ("call", "stages")
    assert parse(["time", "f.py", "f(x)", "-o", "a.png"]).time.figure == "distributions"
    with pytest.raises(UsageError):
        parse(["time", "f.py", "f(x)", "--agreement", "-o", "a.svg"])
    with pytest.raises(UsageError):
        parse(["time", "f.py", "f(x)", "-o", "a.pdf"])
