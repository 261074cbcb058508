"""Runs on another machine give what they give here, stop when told, and leave nothing behind."""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from jaxscope.client import session as session_module
from jaxscope.client.events import Event, Output
from jaxscope.client.live_run import Run
from jaxscope.client.requests import CaptureRequest, Request, TimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import EnvironmentProblem, Stopped, TraceError, UsageError, WorkerLost
from jaxscope.model import Capture, StageText, Timing

from .conftest import PYTHON, Server

SOURCE = "import jax.numpy as jnp\n\n\ndef f(x):\n    return jnp.sin(x) * 2\n"


def wait_until(is_so: Callable[[], bool], seconds: float = 300.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def capture(session: Session, server: Server, file: Path, call: str) -> Capture:
    request = CaptureRequest(str(file), call, server.target(), python=PYTHON)
    result = session.start(request).wait()
    assert isinstance(result, Capture)
    return result


def text_of(capture: Capture, stage: str) -> str:
    found = capture.stage(stage)
    assert found is not None and isinstance(found.text, StageText)
    return found.text.text


def test_a_capture_is_the_same_and_says_where_it_was_made(
    session: Session, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "model.py"
    file.write_text(SOURCE)
    far = capture(session, server, file, "f(f32[4])")
    near = session.start(CaptureRequest(str(file), "f(f32[4])", python=PYTHON)).wait()
    assert isinstance(near, Capture)
    assert far.environment.host == socket.gethostname()
    assert far.target == server.target()
    for stage in ("jaxpr", "gradient", "stablehlo", "optimized"):
        assert text_of(far, stage) == text_of(near, stage)
    assert [known.path for known in far.files] == [os.path.realpath(file)]


def test_modules_beside_the_file_come_along_and_keep_their_names(
    session: Session, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    package = folder / "layers"
    package.mkdir(parents=True)
    (folder / "main.py").write_text(
        "import scale\nfrom layers.dense import dense\n\n\n"
        "def f(x):\n    return dense(x) * scale.FACTOR\n"
    )
    (folder / "scale.py").write_text("FACTOR = 3.0\n")
    (package / "__init__.py").write_text("from . import names\n")
    (package / "names.py").write_text("ME = __name__\n")
    (package / "dense.py").write_text(
        "from .names import ME\n\n\n"
        "def dense(x):\n    assert ME == 'layers.names'\n    return x + 1\n"
    )
    original = session_module.collect_sources

    def collect_and_remove(files: Iterable[str | None]) -> dict[str, bytes]:
        found = original(files)
        shutil.rmtree(folder)  # so that nothing can be read here by accident
        return found

    monkeypatch.setattr(session_module, "collect_sources", collect_and_remove)
    found = capture(session, server, folder / "main.py", "f(f32[4])")
    names = {os.path.basename(known.path) for known in found.files}
    assert names == {"main.py", "dense.py"}
    assert "dense" in found.files[1].text or "dense" in found.files[0].text


def test_an_error_of_the_code_names_the_file_that_the_person_has(
    session: Session, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "wrong.py"
    file.write_text("def f(x):\n    return x.nothing\n")
    with pytest.raises(TraceError) as caught:
        capture(session, server, file, "f(f32[4])")
    assert caught.value.explanation.where == "wrong.py:2"
    assert str(file) in caught.value.explanation.traceback
    assert not caught.value.explanation.what.startswith("On ")


def test_data_that_is_not_there_is_explained(
    session: Session, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "loads.py"
    file.write_text("DATA = open('absent.csv').read()\n" + SOURCE)
    with pytest.raises(TraceError) as caught:
        capture(session, server, file, "f(f32[4])")
    assert "data files" in caught.value.explanation.remedy


def test_ahead_of_time_is_asked_of_the_other_machine(
    session: Session, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "model.py"
    file.write_text(SOURCE)
    request = CaptureRequest(
        str(file), "f(f32[4])", server.target("aot:tpu:v9z:2x2"), python=PYTHON
    )
    with pytest.raises(EnvironmentProblem) as caught:
        session.start(request).wait()
    assert "aot:tpu:v9z:2x2" in caught.value.explanation.what
    assert "ssh://" not in caught.value.explanation.what


@pytest.mark.slow
def test_what_is_printed_there_arrives_here(
    session: Session, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "talks.py"
    file.write_text("print('hello from there')\n" + SOURCE)
    told: list[Event] = []
    session.start(
        CaptureRequest(str(file), "f(f32[4])", server.target(), python=PYTHON), told.append
    ).wait()
    printed = "".join(event.text for event in told if isinstance(event, Output))
    assert "hello from there" in printed and "Welcome" not in printed


@pytest.mark.slow
def test_several_devices_are_simulated_there(
    session: Session, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "many.py"
    file.write_text("import jax\nDEVICES = 0\n\n\ndef f(x):\n    return x * jax.device_count()\n")
    request = CaptureRequest(str(file), "f(f32[4])", server.target("cpu:3"), python=PYTHON)
    result = session.start(request).wait()
    assert isinstance(result, Capture)
    assert "mul a 3.0" in text_of(result, "jaxpr")


@pytest.mark.slow
def test_a_measurement_runs_there(session: Session, server: Server, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(SOURCE)
    request = TimeRequest(str(file), "f(f32[4])", server.target(), budget_s=0.2, python=PYTHON)
    result = session.start(request).wait()
    assert isinstance(result, Timing)
    assert result.measurement("jit") is not None
    assert result.environment.host == socket.gethostname()


def endless(tmp_path: Path) -> tuple[Path, Path]:
    """A file that never ends, and where it writes its process id."""
    file, pid = tmp_path / "endless.py", tmp_path / "pid"
    file.write_text(
        f"import os, time\nopen({str(pid)!r}, 'w').write(f'{{os.getpid()}} {{os.getppid()}}')\n"
        "while True:\n    time.sleep(0.01)\n"
    )
    return file, pid


def start(session: Session, request: Request) -> Run:
    run = session.start(request)
    assert isinstance(run, Run)
    return run


def test_stop_ends_what_runs_there(session: Session, server: Server, tmp_path: Path) -> None:
    file, pid = endless(tmp_path)
    run = start(session, CaptureRequest(str(file), "f()", server.target(), python=PYTHON))
    wait_until(lambda: pid.exists() and bool(pid.read_text()))
    run.interrupt()
    with pytest.raises(Stopped):
        run.wait(20)
    assert not is_alive(int(pid.read_text().split()[0]))


def test_a_lost_connection_is_told_ends_the_far_side_and_is_made_anew(
    server: Server, tmp_path: Path
) -> None:
    file, pid = endless(tmp_path)
    with Session(is_warm=False, ssh_options=server.options) as session:
        request = CaptureRequest(str(file), "f()", server.target(), python=PYTHON)
        run = start(session, request)
        wait_until(lambda: pid.exists() and bool(pid.read_text()))
        (far,) = session._far._sessions.values()
        assert isinstance(far, Session)
        far._live._process.kill()  # as a network does that goes away
        with pytest.raises(WorkerLost) as caught:
            run.wait(20)
        assert (
            caught.value.explanation.what == f"The connection to 127.0.0.1:{server.port} was lost."
        )
        worker, supervisor = map(int, pid.read_text().split())
        wait_until(lambda: not is_alive(worker) and not is_alive(supervisor))
        file.write_text(SOURCE)
        assert capture(session, server, file, "f(f32[4])").base == "f"
    assert not list(Path(tempfile.gettempdir()).glob(f"jaxscope-scratch-{supervisor}-*"))


def test_closing_does_not_wait_for_a_connection_that_is_being_made(
    server: Server, tmp_path: Path
) -> None:
    slow = tmp_path / "python"
    slow.write_text(f'#!/bin/sh\nsleep 3\nexec {PYTHON} "$@"\n')
    slow.chmod(0o700)
    file = tmp_path / "model.py"
    file.write_text(SOURCE)
    session = Session(is_warm=False, ssh_options=server.options)
    request = CaptureRequest(str(file), "f(f32[4])", server.target(), python=str(slow))
    problems: list[BaseException] = []

    def run() -> None:
        try:
            session.start(request)
        except WorkerLost as error:
            problems.append(error)

    connecting = threading.Thread(target=run)
    connecting.start()
    wait_until(lambda: bool(session._far._connecting))
    session.close()
    assert connecting.is_alive()
    connecting.join(20)
    assert [str(problem) for problem in problems] == ["The session is closed."]


def test_a_worker_that_dies_there_says_where(
    session: Session, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "dies.py"
    file.write_text("import os\nos.kill(os.getpid(), 11)\n")
    with pytest.raises(WorkerLost) as caught:
        capture(session, server, file, "f()")
    assert caught.value.explanation.what.startswith(f"On 127.0.0.1:{server.port}: ")


def test_an_interpreter_without_jax_is_named_with_its_machine(
    session: Session, server: Server, tmp_path: Path
) -> None:
    import venv

    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    file = tmp_path / "model.py"
    file.write_text(SOURCE)
    python = str(tmp_path / "bare" / "bin" / "python")
    request = CaptureRequest(str(file), "f(f32[4])", server.target(), python=python)
    with pytest.raises(EnvironmentProblem) as caught:
        session.start(request).wait()
    told = caught.value.explanation
    assert told.what.startswith(f"On 127.0.0.1:{server.port}: ") and "has no jax" in told.what
    assert "--python" in told.remedy


def test_a_file_that_is_not_here_is_not_looked_for_there(
    session: Session, server: Server, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match="cannot be read"):
        capture(session, server, tmp_path / "absent.py", "f()")


def test_too_much_beside_the_file_is_refused(
    session: Session, server: Server, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text("import big\n")
    (tmp_path / "big.py").write_text("X = '" + "x" * (17 << 20) + "'\n")
    with pytest.raises(UsageError, match="too much"):
        capture(session, server, tmp_path / "main.py", "f()")


def test_the_command_line_goes_there(
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from jaxscope.cli.dispatch import run

    options = " ".join(f"-o {option}" for option in server.options)
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} {options} "$@"\n')
    ssh.chmod(0o700)
    monkeypatch.setenv("PATH", f"{ssh.parent}:{os.environ['PATH']}")
    file = tmp_path / "model.py"
    file.write_text(SOURCE)
    words = ["capture", str(file), "f(f32[4])", "--target", server.target(), "--python", PYTHON]
    assert run([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["target"] == server.target()
    assert found["environment"]["host"] == socket.gethostname()
    assert run([*words[:-1], "/no/python", "--json"]) == 3
    assert "There is no /no/python on" in json.loads(capsys.readouterr().out)["what"]
