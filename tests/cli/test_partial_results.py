"""A measurement that ends early hands over what it had by then: as text, or inside of the JSON."""

from __future__ import annotations

import json
import math

import pytest

from jaxscope.cli.dispatch import report_error
from jaxscope.cli.runs import Watcher, watching
from jaxscope.client.events import Failed, Progress
from jaxscope.errors import Stopped, WorkerLost
from jaxscope.model import Environment, Measurement, Timing
from jaxscope.report.measurement_documents import timing_to_document
from jaxscope.schema.contract import timing_to_json

NOTE = "The run ended early: these results are partial."
TIMING = Timing(
    "f(x)",
    Environment("0.1", "0.1", "3.11", "cpu", "cpu"),
    (Measurement("compile", 0.05, 0.05, 0.05, 0.0, 1, (0.05,), False),),
    (),
    (NOTE,),
)


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), WorkerLost("It died.")])
def test_json_has_the_reason_with_what_was_found(
    cause: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        pytest.raises(WorkerLost) as ended,
        watching(timing_to_document, timing_to_json, is_json=True) as watch,
    ):
        watch(Failed(Stopped("Stopped."), TIMING))
        raise cause
    status = report_error(ended.value, is_json=True)
    answer = json.loads(capsys.readouterr().out)
    assert status == answer["exit_status"] == 4
    assert answer["partial"]["measurements"][0]["name"] == "compile"
    assert answer["partial"]["warnings"] == [NOTE]


def test_a_person_reads_it_before_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        watching(timing_to_document, timing_to_json, is_json=False) as watch,
    ):
        watch(Failed(Stopped("Stopped."), TIMING))
        raise KeyboardInterrupt
    printed = capsys.readouterr().out
    assert "compile" in printed
    assert NOTE in printed


def test_without_anything_found_there_is_only_the_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with (
        pytest.raises(WorkerLost) as ended,
        watching(timing_to_document, timing_to_json, is_json=True),
    ):
        raise WorkerLost("It died.")
    report_error(ended.value, is_json=True)
    assert "partial" not in json.loads(capsys.readouterr().out)


def test_a_step_is_told_with_how_long_it_takes_at_most_and_the_key_that_skips_it() -> None:
    class SkippedRun:
        skips = 0

        def skip(self) -> None:
            self.skips += 1

    shown: list[str] = []
    run, watch = SkippedRun(), Watcher(shown.append)
    watch.follow(run)
    watch(Progress("compile", "Compiling", math.nan, True))
    watch(Progress("steady", "Timing the program", 1.2, True))
    watch(Progress("import", "Importing f.py"))
    watch.skip()
    assert shown == [
        "Compiling …  Ctrl-\\ skips this, Ctrl-C stops",
        "Timing the program (at most 2 s) …  Ctrl-\\ skips this, Ctrl-C stops",
        "Importing f.py …",
    ]
    assert run.skips == 1
