"""`bisect`: causes that were planted are found, and the two sides of each are what they are."""

from __future__ import annotations

import dataclasses
import math
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from jaxscope.cli.parser import parse
from jaxscope.client.bisect import bisect_call, judge_numbers
from jaxscope.client.requests import CallRequest
from jaxscope.errors import UsageError
from jaxscope.model.experiments import Bisection, LeafAgreement, ResultsAgreement
from jaxscope.report.bisect import bisection_to_json, describe_bisection

CALL = "f(f32[64])"
STEPS = (
    "return x * 2",
    "return x * 2 + 0",
    "y = jnp.sort(x)\n    return x * 2 + 0 * y[0]",  # a kernel of its own
    "y = jnp.sort(x)\n    return x * 2 + 0 * y[0] + 0",
    "y = jnp.sort(jnp.tile(x, 9))\n    return x * 2 + 0 * y[0]",  # nine times the memory
    "y = jnp.sort(jnp.tile(x, 9))\n    return x * 3 + 0 * y[0]",  # other numbers
    "y = jnp.sort(jnp.tile(x, 9))\n    return x.nothing + y[0]",  # fails
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a commit for each step."""
    folder = tmp_path_factory.mktemp("repository")
    words = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run([*words, "init", "-q"], check=True)
    (folder / "part").mkdir()
    file = folder / "part" / "program.py"
    for number, step in enumerate(STEPS):
        file.write_text(f"import jax.numpy as jnp\n\ndef f(x):\n    {step}\n", encoding="utf-8")
        subprocess.run([*words, "add", "-A"], check=True)
        subprocess.run([*words, "commit", "-q", "-m", f"Step {number}"], check=True)
    return file


@pytest.mark.parametrize(
    ("measure", "good", "bad", "first_bad"),
    [
        ("memory", "HEAD~6", "HEAD~1", 4),
        pytest.param("kernels", "HEAD~6", "HEAD~3", 2, marks=pytest.mark.slow),
        pytest.param("numbers", "HEAD~6", "HEAD~1", 5, marks=pytest.mark.slow),
        pytest.param("failure", "HEAD~6", "HEAD", 6, marks=pytest.mark.slow),
    ],
)
def test_the_commit_that_was_planted(
    repository: Path, measure: str, good: str, bad: str, first_bad: int
) -> None:
    before = sorted(repository.parents[1].rglob("*"))
    found = bisect_call(CallRequest(str(repository), CALL), "commits", measure, good=good, bad=bad)

    assert found.bad is not None, found.reason
    assert f"Step {first_bad}" in found.bad.name
    assert found.good is not None
    assert f"Step {first_bad - 1}" in found.good.name
    assert found.difference
    assert "git worktree add" in found.script
    assert sorted(repository.parents[1].rglob("*")) == before  # the repository is only read


def test_commits_that_are_alike(repository: Path) -> None:
    request = CallRequest(str(repository), CALL)
    found = bisect_call(request, "commits", "kernels", good="HEAD~6", bad="HEAD~5")

    assert found.bad is None
    assert "Nothing changes" in describe_bisection(found)
    assert bisection_to_json(found)["first_bad"] is None


@pytest.mark.parametrize(
    ("good", "bad", "told"),
    [
        ("", "HEAD", "No good commit"),
        ("nothing", "HEAD", "git rev-parse failed"),
        ("HEAD", "HEAD~2", "no ancestor"),
        ("--upload-pack=x", "HEAD", "git rev-parse failed"),
    ],
)
def test_commits_that_cannot_be_searched(repository: Path, good: str, bad: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        bisect_call(CallRequest(str(repository), CALL), "commits", good=good, bad=bad)


def test_a_file_outside_of_a_repository(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("def f(x):\n    return x\n", encoding="utf-8")
    with pytest.raises(UsageError, match="git"):
        bisect_call(CallRequest(str(file), CALL), "commits", good="HEAD~1")


PLANTED = """\
import os
import jax.numpy as jnp

def f(x):
    return jnp.sort(x) * 2 if os.environ.get("PLANTED") else x * 2
"""


@pytest.mark.slow
def test_the_interpreter_that_was_planted(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PLANTED, encoding="utf-8")
    pythons = []
    for number in range(5):
        python = tmp_path / f"python{number}"
        planted = "PLANTED=1 " if number >= 3 else ""
        python.write_text(f'#!/bin/sh\n{planted}exec "{sys.executable}" "$@"\n', encoding="utf-8")
        python.chmod(python.stat().st_mode | stat.S_IXUSR)
        pythons.append(str(python))
    found = bisect_call(CallRequest(str(file), CALL), "versions", "kernels", pythons=pythons)

    assert found.bad is not None, found.reason
    assert pythons[3] in found.bad.name
    assert found.good is not None
    assert pythons[2] in found.good.name
    assert len(found.trials) <= 4


@pytest.mark.slow
def test_the_flag_that_stops_fusing(tmp_path: Path) -> None:
    found = bisect_call(
        _chain(tmp_path),
        "flags",
        "kernels",
        flags={
            "xla_cpu_enable_fast_min_max": "true",
            "xla_disable_hlo_passes": "fusion,cpu-instruction-fusion",
            "xla_cpu_enable_fast_math": "false",
        },
    )

    assert found.bad is not None, found.reason
    assert "xla_disable_hlo_passes" in found.bad.name
    assert "--xla xla_disable_hlo_passes=fusion" in found.script


def test_the_commands_that_show_it_again_have_the_options_of_the_search(tmp_path: Path) -> None:
    request = dataclasses.replace(_chain(tmp_path), target="cpu:2", x64=True)
    flags = {"xla_disable_hlo_passes": "fusion,cpu-instruction-fusion"}
    found = bisect_call(request, "flags", "kernels", flags=flags)

    captures = [line for line in found.script.splitlines() if " capture " in line]
    read = [parse(shlex.split(line)[1:]) for line in captures]
    assert [(each.target, each.x64) for each in read] == [("cpu:2", True)] * 2
    assert [dict(each.xla) for each in read] == [{}, flags]


def test_integers_that_differ_have_no_ulp() -> None:
    leaf = LeafAgreement("", "i32[3]", 3, 2, math.nan, 5.0, 1.0, "[1]", "7", "2", 0)
    value, told = judge_numbers(ResultsAgreement("eager", "jit", (leaf,)))

    assert (value, told) == (2.0, "2 elements not as the first's")


def test_what_cannot_be_searched_over_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to search over"):
        bisect_call(_chain(tmp_path), "moods")


def test_the_pass_that_fuses(tmp_path: Path) -> None:
    found = bisect_call(_chain(tmp_path), "passes", "kernels")

    assert found.bad is not None, found.reason
    assert found.bad.name == "with the pass fusion"
    _points_differ_where_it_says(found)


def _chain(folder: Path) -> CallRequest:
    """Three operations that XLA fuses into one kernel."""
    file = folder / "program.py"
    file.write_text(
        "import jax.numpy as jnp\n\ndef f(x):\n    return jnp.sin(x) * jnp.cos(x) + x\n",
        encoding="utf-8",
    )
    return CallRequest(str(file), CALL)


def _points_differ_where_it_says(found: Bisection) -> None:
    by_number = {trial.number: trial for trial in found.trials}
    assert found.good is not None
    assert found.bad is not None
    assert by_number[found.good.number].value != by_number[found.bad.number].value
    assert found.bad.number - found.good.number == 1 + found.num_untold
