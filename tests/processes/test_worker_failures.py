"""Why a worker ended, told from what faulthandler wrote of it."""

from __future__ import annotations

import signal

import pytest

from jaxscope.client.worker_failures import WorkerExit, explain_worker_exit

ASKED = """Stack (most recent call first):
  File "/home/me/model.py", line 40 in make_arguments
  File "<jaxscope call>", line 1 in <module>
"""
DIED = """Fatal Python error: Segmentation fault

Thread 0x00007ff8a5d5e6c0 (most recent call first):
  File "/home/me/model.py", line 9 in wait

Current thread 0x00007ff8bf248b80 (most recent call first):
  File "/home/me/native.py", line 12 in call
  File "/home/me/model.py", line 3 in crash
"""


def explain(stack: str) -> tuple[str, str]:
    ending = WorkerExit("signal", signal=signal.SIGSEGV, stack=stack)
    explanation = explain_worker_exit(ending, python="python", file="/home/me/model.py").explanation
    return explanation.where, explanation.why


def test_the_place_is_that_of_the_thread_that_died() -> None:
    assert explain(DIED) == ("model.py:3", "Fatal Python error: Segmentation fault")


def test_where_a_slow_worker_was_when_asked_is_not_where_it_died() -> None:
    assert explain(ASKED + DIED) == explain(DIED)


def test_a_worker_that_was_killed_after_it_was_asked_has_the_place_that_it_told() -> None:
    assert explain(ASKED) == ("model.py:40", "")


@pytest.mark.parametrize(
    ("num_oom_kills", "says_memory"), ((0, False), (None, False), (1, True), (3, True))
)
def test_memory_is_blamed_only_where_the_system_killed_for_it(
    num_oom_kills: int | None, says_memory: bool
) -> None:
    ending = WorkerExit(
        "signal", signal=signal.SIGKILL, num_oom_kills=num_oom_kills, peak_rss_bytes=180_000_000
    )
    explanation = explain_worker_exit(ending, python="python", file="").explanation

    assert ("because memory ran out" in explanation.what) == says_memory
    assert ("smaller shapes" in explanation.remedy) == says_memory
    assert "peaked at 0.18 GB" in explanation.what


@pytest.mark.parametrize(
    ("ours", "words"),
    (
        ("--xla_a --xla_none=1", "the file is not to blame"),
        ("--xla_a", "the code sets it in os.environ"),
        (None, "the code sets it in os.environ"),
    ),
)
def test_an_unknown_flag_is_laid_to_who_set_it(
    monkeypatch: pytest.MonkeyPatch, ours: str | None, words: str
) -> None:
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    if ours is not None:
        monkeypatch.setenv("XLA_FLAGS", ours)
    said = "F1123 22:23:35 parse_flags_from_env.cc:234] Unknown flag in XLA_FLAGS: --xla_none=1\n"
    ending = WorkerExit("signal", signal=signal.SIGABRT, stderr=f"one line\n{said}")
    explanation = explain_worker_exit(ending, python="python", file="a.py").explanation

    assert explanation.kind == "UnknownFlag"
    assert explanation.why == said.strip()
    assert words in explanation.remedy


def test_of_a_process_whose_end_nobody_saw_no_end_is_told() -> None:
    ending = WorkerExit("exited", is_ready=True, has_begun=True)
    explanation = explain_worker_exit(ending, python="python", file="f.py").explanation
    assert explanation.kind == "Lost" and "not known" in explanation.what
    assert "exit status" not in explanation.what and "os._exit" not in explanation.remedy


@pytest.mark.parametrize("is_ready", (False, True))
def test_a_hello_that_came_too_late_does_not_hide_that_the_start_took_too_long(
    is_ready: bool,
) -> None:
    """What the worker said last is read after its end: the hello may be among it."""
    ending = WorkerExit("start_timeout", seconds=61.0, is_ready=is_ready, has_begun=is_ready)
    explanation = explain_worker_exit(ending, python="python", file="f.py").explanation
    assert "was not ready within 61 s" in explanation.what


def test_flags_of_the_codes_own_are_not_xlas() -> None:
    ending = WorkerExit("exited", exit_code=1, stderr="FATAL: Unknown flag --depth\n")
    explanation = explain_worker_exit(ending, python="python", file="a.py").explanation

    assert explanation.kind == "EXIT(1)"
