"""A wish to skip ends the part that runs, and neither a message nor what tidies up."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

import pytest

from jaxscope.client.requests import TimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import WorkerLost
from jaxscope.worker.channel import SKIP_SIGNAL, run_skippable, shielded

LONG_S = 10.0


def wish() -> None:
    os.kill(os.getpid(), SKIP_SIGNAL)


def test_a_part_that_nobody_skips_returns_its_result() -> None:
    assert run_skippable(lambda: 7) == (7, False)


def test_a_part_is_left_where_it_is() -> None:
    def part() -> None:
        wish()
        time.sleep(LONG_S)

    start_s = time.monotonic()
    assert run_skippable(part) == (None, True)
    assert time.monotonic() - start_s < LONG_S


def test_code_that_catches_exceptions_does_not_swallow_it() -> None:
    def part() -> None:
        try:
            wish()
            time.sleep(LONG_S)
        except Exception:
            time.sleep(LONG_S)

    assert run_skippable(part) == (None, True)


def test_a_wish_between_two_parts_is_forgotten() -> None:
    run_skippable(wish)
    wish()
    assert run_skippable(lambda: 7) == (7, False)


def test_what_tidies_up_after_a_skip_is_not_skipped_as_well() -> None:
    tidied = []

    def part() -> None:
        try:
            wish()
            time.sleep(LONG_S)
        finally:
            wish()
            tidied.append(True)

    assert run_skippable(part) == (None, True)
    assert tidied == [True]


def test_a_message_is_sent_to_its_end_first() -> None:
    sent = []

    @shielded
    def send() -> None:
        wish()
        sent.append("first half")
        sent.append("second half")

    def part() -> None:
        send()
        time.sleep(LONG_S)

    assert run_skippable(part) == (None, True)
    assert sent == ["first half", "second half"]


def test_a_finalizer_loses_no_wish() -> None:
    class Finalized:
        def __del__(self) -> None:
            wish()

    def part() -> None:
        Finalized()
        time.sleep(LONG_S)

    assert run_skippable(part) == (None, True)


def test_a_hook_of_the_collector_loses_no_wish() -> None:
    """Python only reports what such hooks raise."""

    def hook(_phase: str, _details: dict[str, int]) -> None:
        if not told:
            told.append(True)
            wish()

    def part() -> None:
        gc.collect(0)  # not all that other tests left
        time.sleep(LONG_S)

    told: list[bool] = []
    gc.callbacks.append(hook)
    try:
        assert run_skippable(part) == (None, True)
    finally:
        gc.callbacks.remove(hook)


PROGRAM = """
import os, signal, time

class Finalized:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)

def slow(x):
    Finalized()
    time.sleep(60)
    return x
"""


def test_a_finalizer_loses_no_stop(tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text(PROGRAM)
    with Session() as session, pytest.raises(WorkerLost, match="130"):
        session.start(TimeRequest(str(file), "slow(f32[2])")).wait(timeout_s=50)
