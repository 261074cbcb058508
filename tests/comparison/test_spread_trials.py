"""Trials of `bisect` beside each other: what is found is what one after another finds."""

from __future__ import annotations

import dataclasses
import math
import multiprocessing
import os
import random
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.commands import CommandLine, processes_with, wait_for
from jaxscope.client import bisect
from jaxscope.client.bisect import bisect_call
from jaxscope.client.requests import CallRequest
from jaxscope.client.trial_places import make_places
from jaxscope.errors import EnvironmentProblem, UsageError
from jaxscope.model.experiments import Bisection, BisectTrial

CALL = "f(f32[64])"
PROGRAM = """\
import os
import jax.numpy as jnp

def f(x):
    if os.environ.get("LAUNCHED", "{wanted}") != "{wanted}":
        x = jnp.sort(jnp.tile(x, 9))[:64]
    return jnp.sin(x) * jnp.cos(x) + x
"""
FLAGS = {
    "xla_cpu_enable_fast_min_max": "true",
    "xla_disable_hlo_passes": "fusion,cpu-instruction-fusion",
    "xla_cpu_enable_fast_math": "false",
}


def write_program(folder: Path, wanted: str = "") -> CallRequest:
    file = folder / "program.py"
    file.write_text(PROGRAM.format(wanted=wanted), encoding="utf-8")
    return CallRequest(str(file), CALL)


class _Tried:
    """Stands for trials that take no time: their values are known."""

    def __init__(self, values: Sequence[float], num_places: int) -> None:
        self.points = [SimpleNamespace(name=str(n)) for n in range(len(values))]
        self.places = SimpleNamespace(places=range(num_places)) if num_places else None
        self.num_rounds = 0
        self._values = values
        self.trials: dict[int, BisectTrial] = {}
        for number in (0, len(values) - 1):
            self.try_point(number)

    def try_point(self, number: int) -> BisectTrial:
        if number not in self.trials:
            self.trials[number] = BisectTrial(number, "", self._values[number], "")
        return self.trials[number]

    def try_points(self, numbers: Sequence[int]) -> None:
        self.num_rounds += 1
        for number in numbers:
            self.try_point(number)


def search(values: Sequence[float], num_places: int) -> tuple[tuple[int, int], int]:
    tried: Any = _Tried(values, num_places)
    return bisect._search(tried, "memory", lambda _text: None), tried.num_rounds


@pytest.mark.slow
def test_several_places_find_what_one_finds_whatever_the_values() -> None:
    draw = random.Random(2)
    for _ in range(2_000):
        count = draw.randrange(2, 40)
        middle = [draw.choice((0.0, 1.0, math.nan)) for _ in range(count - 2)]
        values = [0.0, *middle, 1.0]
        alone, _ = search(values, 0)
        assert {search(values, places)[0] for places in (1, 2, 3, 7)} == {alone}, values


@pytest.mark.parametrize(("places", "rounds"), [(1, 10), (3, 5), (7, 4), (31, 2)])
def test_so_many_rounds_settle_a_thousand_points(places: int, rounds: int) -> None:
    values = [float(number >= 700) for number in range(1_000)]
    found, took = search(values, places)
    assert found == (699, 700) and took <= rounds


def same_answer(one: Bisection, other: Bisection) -> None:
    assert one.bad is not None and other.bad is not None
    assert (one.bad, one.good, one.num_points) == (other.bad, other.good, other.num_points)
    assert one.difference == other.difference


@pytest.mark.slow
def test_trials_behind_a_launcher(tmp_path: Path) -> None:
    """The program is another one where it is not started by the launcher."""
    request = write_program(tmp_path, wanted="yes")
    alone = bisect_call(write_program(tmp_path), "flags", "kernels", flags=FLAGS)
    write_program(tmp_path, wanted="yes")
    found = bisect_call(
        request, "flags", "kernels", flags=FLAGS, launcher="env LAUNCHED=yes", at_once=2
    )
    same_answer(found, alone)


@pytest.mark.slow
def test_trials_over_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machines are this one, behind a program in the place of OpenSSH's."""
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(f"""#!/bin/sh
for word; do host=$last; last=$word; done
echo $host >> {tmp_path}/hosts
LAUNCHED=yes exec sh -c "$last"
""")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    request = dataclasses.replace(write_program(tmp_path, wanted="yes"), python=sys.executable)
    targets = ("ssh://a/cpu", "ssh://b/cpu")
    found = bisect_call(request, "flags", "kernels", flags=FLAGS, targets=targets)
    assert found.bad is not None and "xla_disable_hlo_passes" in found.bad.name
    assert set((tmp_path / "hosts").read_text().split()) == {"a", "b"}


@pytest.mark.slow
def test_passes_left_out_at_once(tmp_path: Path) -> None:
    found = bisect_call(write_program(tmp_path), "passes", "kernels", at_once=2)
    assert found.bad is not None and found.bad.name == "with the pass fusion"


@pytest.mark.slow
def test_trials_as_calls_of_an_executor(tmp_path: Path) -> None:
    request = write_program(tmp_path)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        found = bisect_call(request, "flags", "kernels", flags=FLAGS, executor=executor, at_once=2)
    assert found.bad is not None and "xla_disable_hlo_passes" in found.bad.name


@pytest.mark.slow
def test_places_that_do_not_agree(tmp_path: Path) -> None:
    launcher = tmp_path / "launch.sh"
    launcher.write_text(
        f'#!/bin/sh\nmkdir {tmp_path}/taken 2>/dev/null && LAUNCHED=no exec "$@"\n'
        'LAUNCHED=yes exec "$@"\n'
    )
    launcher.chmod(0o755)
    request = write_program(tmp_path, wanted="yes")
    with pytest.raises(EnvironmentProblem, match="do not agree on the first point"):
        bisect_call(request, "flags", "memory", flags=FLAGS, launcher=str(launcher), at_once=2)


@pytest.mark.parametrize(
    ("launcher", "status", "told"),
    [
        ("false", 3, "ended with status 1"),
        ("no-such-launcher", 3, "No process can be started"),
        (f"{shlex.quote(sys.executable)} -c 'print(1)'", 3, "ended with status 0"),
        ("'", 2, "cannot be read"),
        ("ssh -V", 3, "ended with status"),
    ],
)
def test_launchers_that_start_nothing(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    launcher: str,
    status: int,
    told: str,
) -> None:
    file = write_program(tmp_path).file
    words = ("--over", "passes", "--for", "kernels", "--launcher", launcher)
    done = CommandLine(capsys)("bisect", file, CALL, *words)
    assert done.status == status, done.errors
    assert told in done.errors


@pytest.mark.parametrize(("over", "more"), [("passes", ()), ("flags", ("--xla", "a=1"))])
def test_nothing_is_left_of_a_search_that_is_stopped(
    tmp_path: Path, over: str, more: tuple[str, ...]
) -> None:
    """A launcher may wait for a place for hours; one of several is waited for in a thread."""
    launcher, mark = tmp_path / "wait.sh", f"MARK_{tmp_path.name}"
    launcher.write_text(f"#!/bin/sh\ntouch {tmp_path}/waits\nexec sleep 1000\n")
    launcher.chmod(0o755)
    command = [sys.executable, "-m", "jaxscope", "bisect", str(write_program(tmp_path).file), CALL]
    with subprocess.Popen(
        [*command, "--over", over, *more, "--launcher", str(launcher)],
        env={**os.environ, mark: "1"},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            wait_for((tmp_path / "waits").exists)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 4 and "Stopped" in told
    wait_for(lambda: not processes_with(mark), 30)


def test_times_are_not_measured_beside_each_other_on_one_machine() -> None:
    def machines(**given: Any) -> int:
        named = {"launcher": "", "targets": (), "at_once": None, "executor": None, **given}
        places = make_places(**named, alone=True)
        count = len(places)
        assert all(place.close() is None for place in places)
        return count

    assert machines(launcher="srun -n 1", at_once=8) == 1
    assert machines(at_once=8) == 1
    assert machines(targets=("ssh://a/gpu:0", "ssh://a/gpu:1", "ssh://b/gpu:0")) == 2
    assert machines() == 0


@pytest.mark.parametrize(
    "given",
    [
        {"at_once": 0},
        {"at_once": 1_000},
        {"targets": ("cpu:8",)},
        {"targets": ("ssh://a/cpu",), "launcher": "srun"},
        {"launcher": " "},
    ],
)
def test_places_that_make_no_sense(given: dict[str, Any]) -> None:
    named = {"launcher": "", "targets": (), "at_once": None, "executor": None, **given}
    with pytest.raises(UsageError):
        make_places(**named, alone=False)
