"""Programs that are deep, large or slow to compile, and runs whose file or process changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client.events import StageArrived
from jaxscope.client.requests import CaptureRequest, TimeRequest
from jaxscope.client.session import Session
from jaxscope.client.supervisor_link import LocalLink
from jaxscope.errors import Stopped, TraceError, WorkerLost
from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Capture, Timing, is_available
from tests.faults.scene import PROGRAMS, Scene, leftovers, place_of, sample


def capture_of(session: Session, name: str) -> Capture:
    capture = Scene(session, sample(name)).run.wait(120)
    assert isinstance(capture, Capture)
    assert leftovers(session) == []
    return capture


def missing_stages(capture: Capture) -> list[str]:
    return [stage.name for stage in capture.stages if not is_available(stage.text)]


@pytest.mark.slow
def test_deeply_nested_jits_and_conds_are_captured(session: Session) -> None:
    for name in ("nests_jits", "nests_conds"):
        assert missing_stages(capture_of(session, name)) == [], name


@pytest.mark.slow
def test_what_is_too_deep_for_xla_costs_at_most_the_worker(session: Session) -> None:
    scene = Scene(session, sample("nests_jits_too_deep"))
    error = scene.error()

    assert isinstance(error, (WorkerLost, TraceError))
    told = error.explanation
    is_wrapped = told.kind == "ValueError" and "RecursionError" in told.full_traceback  # JAX 0.12
    assert told.kind in ("SIGSEGV", "RecursionError") or is_wrapped
    assert leftovers(session) == []


@pytest.mark.slow
def test_a_slow_compilation_can_be_stopped_and_leaves_what_came_before(session: Session) -> None:
    scene = Scene(session, sample("unrolls_for_the_compiler"))
    scene.wait_for(StageArrived, lambda e: isinstance(e, StageArrived) and e.stage.name == "hlo")
    scene.run.interrupt()

    assert isinstance(scene.error(), Stopped)
    partial = getattr(scene.run.outcome, "partial", None)
    assert isinstance(partial, Capture)
    assert [stage.name for stage in partial.stages][:3] == ["jaxpr", "stablehlo", "hlo"]
    assert leftovers(session) == []


def test_a_large_constant_is_named_and_not_sent(session: Session) -> None:
    capture = capture_of(session, "has_a_large_constant")

    assert missing_stages(capture) == []
    assert len(str(capture_to_json(capture))) < 1_000_000


def test_donated_arguments_are_fresh_for_every_call_that_is_timed(session: Session) -> None:
    request = TimeRequest(str(PROGRAMS / "donates.py"), budget_s=0.2)
    timing = Scene(session, request).run.wait(60)

    assert isinstance(timing, Timing)
    jitted = timing.measurement("jit")
    assert jitted is not None
    assert jitted.runs > 1
    assert not any("donated" in warning for warning in timing.warnings)


def test_a_sleeping_callback_can_be_stopped(session: Session) -> None:
    scene = Scene(session, TimeRequest(str(PROGRAMS / "sleeps_in_callback.py")))
    scene.wait_for_output("sleeping")
    scene.run.interrupt()

    assert isinstance(scene.error(), Stopped)
    assert leftovers(session) == []


@pytest.mark.slow
def test_a_sleeping_callback_is_named_by_the_time_limit() -> None:
    """Of a started worker: in the stack of a forked one, the test's own frames come last."""
    request = TimeRequest(str(PROGRAMS / "sleeps_in_callback.py"), timeout_s=2.0)
    with Session(is_warm=False, link=LocalLink()) as session:
        error = Scene(session, request).error()

    assert isinstance(error, WorkerLost)
    assert error.explanation.kind == "Timeout"
    assert error.explanation.where in ("", place_of("sleeps_in_callback", "time.sleep(3600)"))


def test_removing_jax_costs_at_most_the_worker(session: Session) -> None:
    assert isinstance(Scene(session, sample("removes_jax")).error(), (WorkerLost, TraceError))
    assert leftovers(session) == []
    assert missing_stages(capture_of(session, "works")) == []


def test_changed_settings_are_told_and_end_with_the_run(session: Session) -> None:
    changed = capture_of(session, "changes_settings")
    (told,) = [message for message in changed.messages if "configuration" in message]

    assert "jax_default_matmul_precision = float32 (was None)" in told
    assert "jax_disable_most_optimizations = True (was False)" in told
    assert capture_of(session, "works").messages == ()


def test_a_file_that_overrules_the_targets_devices_is_told(
    session: Session, tmp_path: Path
) -> None:
    file = tmp_path / "three.py"
    file.write_text(
        "# jaxscope: f(f32[3])\n"
        "import jax\n"
        "jax.config.update('jax_num_cpu_devices', 3)\n"
        "def f(x):\n"
        "    return x + 1\n"
    )

    def told(target: str) -> list[str]:
        capture = Scene(session, CaptureRequest(str(file), target=target)).run.wait(60)
        return [text for text in capture.messages if "jax_num_cpu_devices" in text]

    (message,) = told("cpu:2")
    assert "to 3" in message
    assert "the 2 of the target" in message
    assert told("cpu") == told("cpu:3") == []


def test_the_result_is_of_the_file_as_it_was_when_it_ran(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "changes_itself.py"
    text = (
        "# jaxscope: f(f32[3])\n"
        "with open(__file__, 'w') as file:\n"
        "    file.write('# nothing is left\\n')\n"
        "def f(x):\n"
        "    return x + 1\n"
    )
    file.write_text(text)
    capture = Scene(session, CaptureRequest(str(file))).run.wait(60)

    assert isinstance(capture, Capture)
    assert file.read_text() == "# nothing is left\n"
    assert [snapshot.text for snapshot in capture.files] == [text]
    assert capture.source.line == 4
    assert capture.source.text.splitlines() == ["def f(x):", "    return x + 1"]
