"""Every failure has its exit status, its words for a person and its JSON."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest

from cli.commands import CommandLine, processes_with, wait_for
from jaxscope.cli import dispatch
from jaxscope.client.requests import CaptureRequest, request_fields
from jaxscope.errors import EnvironmentProblem, InternalError, UsageError, UserCodeError


@pytest.mark.parametrize(
    ("call", "status", "words"),
    [
        ("masked(f32[4])", 1, ["user.py:17", "jnp.where"]),
        ("nowhere(f32[4])", 1, ["nowhere", "good, masked, endless, crash"]),
        ("good", 1, ["not a call"]),
        ("good(f32[4]", 1, ["never closed"]),
        ("good(f32[4], f32[4])", 1, ["positional argument"]),
        ("crash(f32[4])", 4, ["SIGSEGV", "user.py:26"]),
    ],
)
def test_failing_calls(
    jaxscope: CommandLine, user_file: Path, call: str, status: int, words: list[str]
) -> None:
    output = user_file.with_name("out.json")
    answer = jaxscope("capture", user_file, call, "-o", output)
    assert answer.status == status
    assert answer.output == ""
    for word in words:
        assert word in answer.errors
    assert not output.exists()


def test_a_time_limit(jaxscope: CommandLine, user_file: Path) -> None:
    answer = jaxscope("capture", user_file, "endless(f32[4])", "--timeout", "1", "--json")
    assert answer.status == 4
    assert answer.json()["exit_status"] == 4
    assert "time limit" in answer.json()["what"]
    assert "--timeout" in answer.json()["remedy"]


@pytest.mark.parametrize(
    "words",
    [
        ["capture"],
        ["capture", "x.py", "-o", "out.xyz"],
        ["capture", "x.py", "-o", "-"],
        ["capture", "x.py", "-o", "/no/such/folder/out.json"],
        ["capture", "x.py", "--timeout", "soon", "--json"],
        ["capture", "x.py", "--target", "quantum", "--json"],
        ["calls", "a.py", "b.py"],
        ["--nonsense"],
    ],
)
def test_wrong_usage(jaxscope: CommandLine, words: list[str]) -> None:
    answer = jaxscope(*words)
    assert answer.status == 2
    assert answer.output or answer.errors.startswith("jaxscope: ")


def test_a_missing_file(jaxscope: CommandLine, tmp_path: Path) -> None:
    answer = jaxscope("calls", tmp_path / "nothing.py")
    assert answer.status == 1
    assert "no such file" in answer.errors.lower()


def test_an_interpreter_that_is_not_there(jaxscope: CommandLine, user_file: Path) -> None:
    answer = jaxscope("capture", user_file, "--python", "/no/python", "--json")
    assert answer.status == 3
    assert "/no/python" in answer.json()["what"]


def test_a_bug_of_ours_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ZeroDivisionError("oh")
    except ZeroDivisionError as error:
        assert dispatch.report_error(error, is_json=False) == 70
    shown = capsys.readouterr().err
    assert "bug in jaxscope" in shown
    assert "ZeroDivisionError: oh" in shown


def test_the_disk_is_not_our_bug(capsys: pytest.CaptureFixture[str]) -> None:
    error = OSError(28, "No space left on device", "out.json")
    assert dispatch.report_error(error, is_json=True) == EnvironmentProblem.exit_status
    assert "No space left" in json.loads(capsys.readouterr().out)["what"]


def test_escape_sequences_do_not_reach_the_terminal() -> None:
    error = UserCodeError("bad", why="\x1b]0;owned\x07 \u202eslash")
    shown = dispatch.format_error(error)
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_a_message_has_its_place_once() -> None:
    error = InternalError("x.py:3: is odd", where="x.py:3")
    assert dispatch.format_error(error).count("x.py:3") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.slow
def test_a_signal_stops_the_run_and_leaves_nothing(user_file: Path, number: signal.Signals) -> None:
    output = user_file.with_name("out.json")
    program = "import sys; from jaxscope.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ["capture", str(user_file), "endless(f32[4])", "-o", str(output)]
    marker = f"{time.time_ns()}"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "JAXSCOPE_TEST_MARKER": marker},
        start_new_session=True,
    )
    wait_for(lambda: len(processes_with(marker)) >= 3)  # itself, supervisor, worker
    time.sleep(1.0)  # into the endless loop; earlier is stopped as well
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 4
    assert errors.splitlines()[-1] == "jaxscope: Stopped."
    wait_for(lambda: not processes_with(marker))
    assert not output.exists()


def test_a_path_with_a_zero_byte_is_no_bug() -> None:
    with pytest.raises(UsageError, match="zero byte"):
        request_fields(CaptureRequest("a\0.py"))


HALF_WORKING = """\
import jax
import jax.numpy as jnp
from jax.extend.core import Primitive

mystery = Primitive("mystery")
mystery.def_abstract_eval(lambda x: x)


def not_lowered(x):
    return mystery.bind(jnp.sin(x)) + 1


def not_compiled(x):
    return jax.ffi.ffi_call("no_such_function", jax.ShapeDtypeStruct((3,), "float32"))(x)
"""


@pytest.mark.parametrize(
    ("call", "made", "reason"),
    [
        ("not_lowered(f32[3])", ["jaxpr"], "mystery"),
        ("not_compiled(f32[3])", ["jaxpr", "stablehlo", "hlo"], "no_such_function"),
    ],
)
def test_the_stages_before_a_failure_are_kept(
    jaxscope: CommandLine, tmp_path: Path, call: str, made: list[str], reason: str
) -> None:
    file = tmp_path / "user.py"
    file.write_text(HALF_WORKING)
    archive, page, data = (tmp_path / f"out.{ending}" for ending in ("jaxscope", "html", "json"))

    answer = jaxscope("capture", file, call, "-o", archive)
    assert answer.status == 1
    assert f"{archive} holds what came before the failure: {', '.join(made)}" in answer.errors
    assert jaxscope("capture", archive, "-o", data).status == 0
    stages = {stage["name"]: stage for stage in json.loads(data.read_text())["stages"]}
    assert list(stages) == ["jaxpr", "gradient", "stablehlo", "hlo", "optimized", "machine"]
    assert [name for name, stage in stages.items() if stage["text"]] == made
    failed = next(name for name in ("stablehlo", "optimized") if name not in made)
    assert reason in stages[failed]["unavailable"]

    answer = jaxscope("capture", file, call, "-o", page, "--json")
    assert answer.status == 1
    assert answer.json()["exit_status"] == 1
    assert reason in page.read_text()


def test_a_picture_of_what_was_not_made_is_not_written(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "user.py"
    file.write_text(HALF_WORKING)
    answer = jaxscope("capture", file, "not_lowered(f32[3])", "-o", tmp_path / "out.svg")
    assert answer.status == 1
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".py"] == []


def test_a_traceback_ends_with_why_and_what_to_try() -> None:
    error = UsageError("It failed.", why="There is none.", where="a.py:3", remedy="Write one.")
    text = "".join(traceback.format_exception(error))
    assert text.endswith("It failed.\nThere is none.\nWhere: a.py:3\nTry: Write one.\n")


def test_a_call_of_a_comparison_stands_behind_its_file(jaxscope: CommandLine) -> None:
    answer = jaxscope("diff", "a.py", "f(f32[3])", "b.py", "f(f32[3])")
    assert answer.status == UsageError.exit_status
    assert "Try: Write a call behind its file: jaxscope diff 'a.py::f(f32[3])'" in answer.errors


def test_what_to_try_is_not_said_twice(jaxscope: CommandLine) -> None:
    answer = jaxscope("time", "--nosuch")
    assert answer.status == 2 and "Try: jaxscope time --help" in answer.errors
    assert "Try: jaxscope --help" in jaxscope("nosuch").errors
