"""What the surroundings lack or limit: devices, memory, quiet, an interpreter, folders."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from jaxscope.client import supervisor_link
from jaxscope.client.requests import CaptureRequest, EnvironmentRequest, TimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import EnvironmentProblem, Stopped
from jaxscope.model import Capture, Timing
from tests.faults.scene import PROGRAMS, Scene, leftovers, sample

GIGABYTES = "2.00 GB"


def test_a_platform_chosen_for_later_is_named_when_the_devices_are_sought(
    session: Session, tmp_path: Path
) -> None:
    file = tmp_path / "file.py"
    file.write_text(
        "# jaxscope: f(f32[3])\nimport jax\njax.config.update('jax_platforms', 'cuda')\n"
        "def f(x): return x\n"
    )
    error = Scene(session, CaptureRequest(str(file))).error()

    assert type(error) is EnvironmentProblem
    assert "told to use cuda" in error.explanation.why


def test_an_assertion_of_the_codes_own_is_not_taken_for_jaxs(
    session: Session, tmp_path: Path
) -> None:
    file = tmp_path / "file.py"
    file.write_text("# jaxscope: f(f32[3])\ndef f(x):\n    assert x.ndim == 2\n    return x\n")
    error = Scene(session, CaptureRequest(str(file))).error()

    assert error.explanation.what == "An assertion of the code failed."


def test_a_limit_is_named_beside_an_error_of_xlas_that_blames_something_else(
    session: Session, tmp_path: Path
) -> None:
    file = tmp_path / "file.py"
    file.write_text(
        "# jaxscope: f(f32[3])\nimport jax, resource\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (2_000_000_000, 2_000_000_000))\n"
        "raise jax.errors.JaxRuntimeError('INTERNAL: YNNPACK operation failed')\n"
        "def f(x): return x\n"
    )
    error = Scene(session, CaptureRequest(str(file))).error()

    assert f"A memory limit of {GIGABYTES} is in force" in error.explanation.what
    assert "YNNPACK" in error.explanation.why


def test_arithmetic_inside_python_can_be_stopped(session: Session) -> None:
    scene = Scene(session, sample("computes_a_huge_power"))
    scene.wait_for_output("looping")
    scene.run.interrupt()

    assert isinstance(scene.error(), Stopped)
    assert leftovers(session) == []


@pytest.mark.slow
def test_a_busy_thread_beside_a_measurement_is_told(session: Session) -> None:
    request = TimeRequest(str(PROGRAMS / "spins_a_thread.py"), budget_s=0.1)
    timing = Scene(session, request).run.wait(60)

    assert isinstance(timing, Timing)
    assert any("Threads of the code" in text and "busy" in text for text in timing.warnings)


@pytest.mark.parametrize("text", ["", "x = 1\n"])
def test_a_file_without_functions_says_what_to_do(
    session: Session, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "file.py"
    file.write_text(text)
    error = Scene(session, CaptureRequest(str(file))).error()

    assert error.explanation.why == "The file defines no functions."
    assert "# jaxscope:" in error.explanation.remedy


def test_compiled_code_is_read_from_no_folder_that_a_project_could_fill(
    session: Session, tmp_path: Path
) -> None:
    """JAX runs whatever lies in its compilation cache; only the person may turn that on."""
    (tmp_path / "__jaxcache__").mkdir()
    file = tmp_path / "file.py"
    file.write_text(
        "# jaxscope: f(f32[3])\nimport jax\n"
        "print('cache:', jax.config.jax_compilation_cache_dir)\ndef f(x): return x + 1\n"
    )
    scene = Scene(session, CaptureRequest(str(file)))

    assert isinstance(scene.run.wait(60), Capture)
    assert scene.run.output("stdout") == "cache: None\n"


def test_no_room_for_temporary_files_costs_no_capture(tmp_path: Path) -> None:
    with Session(environment={"TMPDIR": str(tmp_path / "nowhere")}) as session:
        capture = Scene(session, sample("works")).run.wait(60)

    assert isinstance(capture, Capture)
    assert capture.stages[0].name == "jaxpr"


def test_an_interpreter_that_never_becomes_ready_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a stuck driver; the supervisor's patience is cut from a minute to a second."""
    impatient = tmp_path / "bootstrap.py"
    impatient.write_text(
        textwrap.dedent(
            f"""
            import importlib, runpy, sys
            bootstrap = runpy.run_path({supervisor_link.BOOTSTRAP!r}, run_name="bootstrap")
            bootstrap["_import_package"]()
            supervisor = importlib.import_module("jaxscope.supervisor.supervisor")
            supervisor.START_BUDGET_S = 1.0
            supervisor.main(sys.argv[2:])
            """
        )
    )
    monkeypatch.setattr(supervisor_link, "BOOTSTRAP", str(impatient))
    stuck = tmp_path / "python"
    stuck.write_text("#!/bin/sh\nexec sleep 3600\n")
    stuck.chmod(0o755)
    with Session(str(stuck), is_warm=False, link=supervisor_link.LocalLink()) as session:
        error = Scene(session, EnvironmentRequest()).error()
        assert leftovers(session) == []

    assert type(error) is EnvironmentProblem
    assert "was not ready within 1 s" in error.explanation.what
    assert "driver" in error.explanation.remedy
