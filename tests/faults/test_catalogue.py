"""The catalogue of faults: what user code can do, and what jaxscope answers.

Every row goes through the real supervisor and a real worker, all in one session: what a fault
left behind would break the rows after it. After every row no process of it may be left.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.errors import CallError, Stopped
from jaxscope.model import Capture
from tests.faults.catalogue import (
    FAILS,
    WORKS_ALL_THE_SAME,
    Fault,
    check_capture,
    check_error,
)
from tests.faults.scene import PATIENCE_S, PROGRAMS, Scene, leftovers, sample

_DEEP_OR_LARGE = {"nests_jits_too_deep", "nests_jits", "nests_conds", "has_a_large_constant"}
"""`test_deep_and_large.py` takes them through, and checks more of each."""


_OF_POSIX = {
    *("segfaults", "killed_by_system", "terminates_itself", "limits_its_memory", "is_a_pipe"),
    *("is_endless", "is_a_circle", "loses_its_folder", "leaves_a_child", "leaves_a_daemon"),
    *("forks", "prints"),
}
"""What these do, other systems have not."""


def without_these(faults: Sequence[Fault]) -> list[Fault]:
    left_out = _DEEP_OR_LARGE | (set() if os.name == "posix" else _OF_POSIX)
    return [fault for fault in faults if fault.name not in left_out]


@pytest.mark.sweep(15)
@pytest.mark.parametrize("fault", without_these(FAILS), ids=lambda fault: fault.name)
def test_code_that_fails(session: Session, fault: Fault, tmp_path: Path) -> None:
    error = Scene(session, fault.request(tmp_path)).error()

    check_error(fault, error)
    assert leftovers(session) == []


@pytest.mark.sweep(4)
@pytest.mark.parametrize("fault", without_these(WORKS_ALL_THE_SAME), ids=lambda fault: fault.name)
def test_code_that_works_all_the_same(session: Session, fault: Fault, tmp_path: Path) -> None:
    capture = Scene(session, fault.request(tmp_path)).run.wait(PATIENCE_S)

    assert isinstance(capture, Capture)
    check_capture(fault, capture)
    assert leftovers(session) == []


def test_what_is_printed_arrives_and_leaves_the_protocol_alone(session: Session) -> None:
    scene = Scene(session, sample("prints"))

    assert isinstance(scene.run.wait(60), Capture)
    lines = scene.run.output("stdout").splitlines()
    assert sorted(lines) == ["by os.write", "by print", "by printf"]
    assert scene.run.output("stderr") == "to stderr in red\n"
    assert leftovers(session) == []


def test_terminal_escapes_and_reordering_marks_are_removed(session: Session) -> None:
    scene = Scene(session, sample("escapes_terminal"))

    assert scene.error().explanation.why == "red txet"
    assert scene.run.output("stdout") == "cleared\n"


def test_a_function_that_the_file_lacks(session: Session) -> None:
    request = CaptureRequest(str(PROGRAMS / "works.py"), "g(f32[3])")
    error = Scene(session, request).error()

    assert isinstance(error, CallError)
    assert "The file has: f." in error.explanation.remedy
    assert leftovers(session) == []


def test_the_capture_has_what_came_before_the_stop(session: Session) -> None:
    scene = Scene(session, sample("unrolls"))
    scene.wait_for_output("looping")
    scene.run.interrupt()

    assert isinstance(scene.error(), Stopped)
    assert leftovers(session) == []


def test_after_all_faults_a_capture_is_complete(session: Session) -> None:
    capture = Scene(session, sample("works")).run.wait(60)

    assert isinstance(capture, Capture)
    assert [stage.name for stage in capture.stages if stage.unavailable] == []
    assert capture.stages[-1].name == "machine"
