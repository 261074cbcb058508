"""Exit statuses, and what a failure says to a person and to a script."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from contract.conftest import Command
from contract.shapes import ERROR, check

KILLS = "import os, signal\n\ndef f(x):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
SLEEPS = "import time\n\ndef f(x):\n    time.sleep(3600)\n"
EATS = "import numpy as np\n\ndef f(x):\n    y = np.ones(2**28); return x + y.sum()\n"


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["capture", "{file}", "masked(f32[4])", "--json"], 1),
        (["capture", "{file}", "nowhere(f32[4])", "--json"], 1),
        (["capture", "{file}", "loss", "--json"], 1),
        (["capture", "{file}.gone", "--json"], 1),
        (["time", "{file}", "nowhere(f32[4])", "--json"], 1),
        (["capture", "{file}", "--stage", "--json"], 2),
        (["capture", "{file}", "--memory", "-1", "--json"], 2),
        (["capture", "{file}", "--target", "cpu:many", "--json"], 2),
        (["capture", "--json"], 2),
        (["capture", "{file}", "--python", "/no/such/python", "--json"], 3),
        (["check", "{file}", "nowhere(f32[4])", "--json"], 1),
        (["values", "{file}", "masked(f32[4])", "--json"], 1),
        (["values", "{file}", "--target", "aot:gpu:h100", "--json"], 3),
        (["diff", "a", "b", "--json"], 2),
        (["diff", "a.jaxscope", "b.jaxscope", "--json"], 1),
        (["capture", "{file}", "--target", "ssh://host/", "--json"], 3),
        (["capture", "{file}", "--target", "tpu", "--json"], 3),
    ],
)
def test_failures_as_json(jaxscope: Command, program: Path, words: list[str], status: int) -> None:
    answer = jaxscope(*(word.format(file=program) for word in words))
    assert answer.status == status, (answer.output, answer.errors)
    error = json.loads(answer.output)
    check(error, ERROR)
    assert error["what"]
    assert error["exit_status"] == status


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("text", "option", "kind"),
    [
        (KILLS, [], "SIGKILL"),
        (SLEEPS, ["--timeout", "0.5"], "Timeout"),
        (EATS, ["--memory", "0.6"], "MemoryLimit"),
    ],
)
def test_a_lost_worker(
    jaxscope: Command, tmp_path: Path, text: str, option: list[str], kind: str
) -> None:
    file = tmp_path / "user.py"
    file.write_text(text)
    answer = jaxscope("capture", file, "f(f32[2])", "--json", *option)
    assert answer.status == 4, (answer.output, answer.errors)
    assert answer.json()["kind"] == kind


def test_a_person_reads_what_where_why_and_what_to_try(jaxscope: Command, program: Path) -> None:
    answer = jaxscope("capture", program, "masked(f32[4])", "-o", program.with_name("x.json"))
    line = 1 + program.read_text(encoding="utf-8").splitlines().index("    return x[x > 3]")
    assert answer.status == 1
    assert answer.output == ""
    assert f"program.py:{line}: " in answer.errors
    assert "NonConcreteBooleanIndexError" in answer.errors
    assert "\nTry: " in answer.errors
    assert "Traceback" in answer.errors
    assert "/jaxscope/worker/" not in answer.errors


def test_places_are_the_users(jaxscope: Command, program: Path) -> None:
    """NumPy's compiled code names a relative path, which is no file of the user's."""
    answer = jaxscope("capture", program, "identity(f32[10**6, 10**6])", "--json")
    error = answer.json()
    assert (answer.status, error["kind"], error["where"]) == (1, "MemoryError", None)
    assert "TiB" in error["why"]


def test_nothing_shows_the_window_without_a_display(jaxscope: Command, program: Path) -> None:
    command = [sys.executable, "-m", "jaxscope", str(program)]
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {key: value for key, value in os.environ.items() if key not in names}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    assert done.returncode == 3
    assert "no display" in done.stderr


@pytest.mark.parametrize(
    "verb", ["", "calls", "capture", "time", "values", "check", "ask", "diff", "doctor"]
)
def test_every_verb_has_help_with_an_example(jaxscope: Command, verb: str) -> None:
    answer = jaxscope(*verb.split(), "--help")
    assert answer.status == 0
    assert "example:\n  jaxscope" in answer.output
    for option in ("--target", "--python", "--timeout", "--memory", "--x64", "--json"):
        assert option in answer.output


def test_interrupting_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "user.py"
    file.write_text(
        "import time\n\ndef f(x):\n    print('sleeping', flush=True)\n    time.sleep(99)\n"
    )
    command = [sys.executable, "-m", "jaxscope", "capture", str(file), "f(f32[2])", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"sleeping\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 4
    assert json.loads(output)["error"] == "Stopped"
