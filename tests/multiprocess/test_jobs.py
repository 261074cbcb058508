"""`jaxscope` inside a job of two processes on one machine, with the CPU collectives of JAX."""

from __future__ import annotations

import dataclasses
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jaxscope.model import Capture, is_available
from jaxscope.model.capture import Job, Member
from jaxscope.program.sharding.placement import PlacementReport
from jaxscope.report.sharding import describe_job, job_to_json
from jaxscope.schema.archive import load_capture
from jaxscope.schema.capture_messages import read_message_fields
from jaxscope.schema.contract import load_contract
from jaxscope.wire.messages import Message

SOURCE = """\
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

jax.distributed.initialize(
    os.environ["COORDINATOR"], int(os.environ["COUNT"]), int(os.environ["RANK"])
)
mesh = jax.make_mesh((jax.device_count(),), ("i",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("i"))


def shared():
    return jax.make_array_from_process_local_data(rows, np.ones((4, 8), np.float32))


def total(x):
    return jnp.sum(x**2)


def odd(x):
    return x * (1 + int(os.environ["RANK"]))


def broken(x):
    if os.environ["RANK"] == "1":
        raise ValueError("only here")
    return x
"""


@dataclasses.dataclass
class Answer:
    """What one process of a job said."""

    status: int
    output: str
    errors: str


def launch(folder: Path, words: list[str], *, count: int = 2, more: str = "") -> list[Answer]:
    """What a launcher does: the same command everywhere, told apart by the environment."""
    (folder / "job.py").write_text(SOURCE + more)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{free.getsockname()[1]}"
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "jaxscope", *words, "--target", "cpu:2"],
            cwd=folder,
            env={**os.environ, "COORDINATOR": place, "COUNT": str(count), "RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(count)
    ]
    answers = []
    for process in started:
        output, errors = process.communicate(timeout=120)
        answers.append(Answer(process.returncode, output, errors))
    return answers


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> list[Capture]:
    """The same program, captured in both processes."""
    folder = tmp_path_factory.mktemp("job")
    answers = launch(folder, ["capture", "job.py", "total(shared())", "-o", "out.jaxscope"])
    assert [answer.status for answer in answers] == [0, 0], answers
    return [load_capture(folder / f"out.process{rank}.jaxscope") for rank in (0, 1)]


def test_each_process_has_its_own_file_and_number(captures: list[Capture]) -> None:
    assert [capture.job and capture.job.process for capture in captures] == [0, 1]
    assert all(capture.job and len(capture.job.members) == 2 for capture in captures)


def test_all_compiled_the_same_program_and_say_so(captures: list[Capture]) -> None:
    for number, capture in enumerate(captures):
        assert capture.job is not None and capture.job.is_same_program is True
        assert (
            f"This is process {number} of 2 on 1 host. All 2 processes compiled the same program."
            in capture.messages
        )


def test_what_crosses_between_the_processes_is_told(captures: list[Capture]) -> None:
    for capture in captures:
        report = PlacementReport(capture)
        assert is_available(capture.placement) and is_available(report.collectives)
        assert [device.process for device in capture.placement.devices] == [0, 0, 1, 1]
        (found,) = report.collectives
        assert found.kind == "all-reduce" and found.crosses_processes is True


@pytest.mark.slow
def test_programs_that_differ_are_found_out(tmp_path: Path) -> None:
    words = ["capture", "job.py", "odd(shared())", "--json"]
    jobs = [json.loads(answer.output)["job"] for answer in launch(tmp_path, words)]
    assert [job["same_program"] for job in jobs] == [False, False]
    assert "1 differs from StableHLO on" in jobs[0]["text"]
    assert "0 differs from StableHLO on" in jobs[1]["text"]


@pytest.mark.slow
def test_a_process_that_fails_keeps_nobody_waiting(tmp_path: Path) -> None:
    words = ["capture", "job.py", "broken(shared())", "--json"]
    first, second = launch(tmp_path, words)
    assert (first.status, second.status) == (0, 1)
    assert "only here" in json.loads(second.output)["why"]
    told = json.loads(first.output)["job"]
    assert told["same_program"] is None
    assert "Process 1 failed: The code raised ValueError while tracing." in told["text"]


def job(*members: Member, process: int = 0) -> Job:
    return Job(process, members)


A, B = Member("a", "1", "2"), Member("b", "1", "3")
SILENT = Member(reason="Process 1 did not say.")


@pytest.mark.parametrize(
    ("given", "same", "words"),
    [
        (job(A, dataclasses.replace(A, host="b")), True, "on 2 hosts. All 2 processes compiled"),
        (job(A, B), False, "1 differs in what XLA made of the same StableHLO"),
        (job(A, A, Member("b", "9", "9")), False, "0, 1 agree; 2 differs from StableHLO on"),
        (job(A, SILENT), None, "nothing was heard of 1. Process 1 did not say."),
        (job(A, B, SILENT), False, "2 differs in an unknown way"),
    ],
)
def test_a_job_in_words(given: Job, same: bool | None, words: str) -> None:
    assert given.is_same_program is same
    assert words in describe_job(given)


def test_the_json_keeps_the_job(captures: list[Capture], tmp_path: Path) -> None:
    from jaxscope.export.capture_json import capture_to_json

    path = tmp_path / "saved.json"
    path.write_text(json.dumps(capture_to_json(captures[1])))
    assert load_contract(path).job == captures[1].job
    assert job_to_json(None) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"process": 0, "members": []},
        {"process": 2, "members": [{}, {}]},
        {"process": -1, "members": [{}]},
        {"process": 0, "members": [{"host": 3}]},
    ],
)
def test_a_hostile_message_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        read_message_fields(Message("job", fields), Job)
