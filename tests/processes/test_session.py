"""Sessions: interpreters, settings, and that nothing is left whoever dies first."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import venv
from pathlib import Path

import pytest

from jaxscope.client.events import EnvironmentReport, Event, Finished, Output, TextArrived
from jaxscope.client.one_shot import capture, inspect_environment, outline
from jaxscope.client.requests import CaptureRequest, EnvironmentRequest, OutlineRequest, Request
from jaxscope.client.session import Session
from jaxscope.client.supervisor_link import LocalLink
from jaxscope.errors import EnvironmentProblem, JaxscopeError, UsageError, WorkerLost
from jaxscope.model import Capture, is_available
from jaxscope.supervisor.process_tree import find_descendants
from jaxscope.worker import bootstrap, main
from tests.faults.scene import Scene, is_alive, leftovers, sample
from tests.processes.impostor import write_ancient, write_old_jax

PATIENCE_S = 60.0
WORKS = sample("works")


def failure(session: Session, request: Request) -> JaxscopeError:
    with pytest.raises(JaxscopeError) as caught:
        session.start(request).wait(PATIENCE_S)
    return caught.value


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + 10.0
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, f"still alive: {[p for p in pids if is_alive(p)]}"
        time.sleep(0.02)


@pytest.mark.slow
def test_shortcuts_return_their_results() -> None:
    assert isinstance(capture(WORKS.file), Capture)
    assert outline(WORKS.file or "").calls[0].call == "f(f32[3])"


@pytest.mark.slow
def test_the_environment_is_reported() -> None:
    report = inspect_environment()

    assert isinstance(report, EnvironmentReport)
    assert report.executable == sys.executable
    assert report.devices[-1].platform == "cpu"
    targets = {target.target: target for target in report.targets}
    assert targets["cpu"].is_available
    for target in report.targets:
        assert target.is_available or target.reason


@pytest.mark.parametrize(
    "request_",
    (
        CaptureRequest("f.py", target="warp drive"),
        CaptureRequest("f.py", target="cpu:0"),
        CaptureRequest(None, None),
        CaptureRequest("f.py", "f(" + "1," * 100_000 + ")"),
        CaptureRequest("f.py", timeout_s=-1.0),
        CaptureRequest("f.py", memory_bytes=0),
    ),
    ids=("target", "no device", "nothing", "long call", "time", "memory"),
)
def test_requests_that_make_no_sense_start_nothing(request_: Request) -> None:
    with Session(is_warm=False) as session:
        with pytest.raises(UsageError):
            session.start(request_)
        assert find_descendants(session.supervisor_pid) == []


def test_an_interpreter_that_does_not_exist() -> None:
    with Session("/no/such/python") as session:
        error = failure(session, EnvironmentRequest())

    assert type(error) is EnvironmentProblem
    assert "/no/such/python" in error.explanation.what
    assert "--python" in error.explanation.remedy


def test_a_program_that_is_no_interpreter() -> None:
    with Session("/bin/false") as session:
        error = failure(session, EnvironmentRequest())

    assert type(error) is EnvironmentProblem
    assert "/bin/false" in error.explanation.what


def test_an_interpreter_without_jax(tmp_path: Path) -> None:
    venv.create(tmp_path, symlinks=True)
    python = str(tmp_path / "bin" / "python")
    with Session(python) as session:
        error = failure(session, OutlineRequest(WORKS.file or ""))

    assert type(error) is EnvironmentProblem
    assert f"{python} -m pip install jax" in error.explanation.remedy


def test_an_interpreter_that_is_too_old_to_read_us_is_named(tmp_path: Path) -> None:
    ancient = write_ancient(tmp_path)
    with Session(ancient, is_warm=False) as session:
        error = failure(session, OutlineRequest(WORKS.file or ""))

    assert isinstance(error, EnvironmentProblem)
    assert str(error) == f"{ancient} is a Python that is too old; jaxscope needs 3.11 or newer."


@pytest.mark.parametrize("version", ("0.4.30", "0.6.2", "0.7.1"))
def test_an_old_jax_is_told_so(tmp_path: Path, version: str) -> None:
    """And not imported: what it lacks would be blamed on the code, or on nobody."""
    with Session(write_old_jax(tmp_path, version), is_warm=False) as session:
        error = failure(session, OutlineRequest(WORKS.file or ""))

    assert type(error) is EnvironmentProblem
    assert f"has JAX {version}; jaxscope needs 0.8 or newer" in error.explanation.what
    assert "--upgrade jax" in error.explanation.remedy


@pytest.mark.parametrize(
    ("version", "is_newer"),
    (("0.12.4.dev1", False), ("0.13.0rc1", True), ("1.0", True), ("", False)),
)
def test_a_jax_that_nobody_has_tried(version: str, is_newer: bool) -> None:
    assert main.is_newer_than_checked(version) is is_newer


@pytest.mark.slow
def test_a_jax_that_nobody_has_tried_is_told(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import jax\njax.__version__ = '0.99.1'\n")
    environment = {"PYTHONPATH": str(tmp_path)}
    with Session(environment=environment, is_warm=False, link=LocalLink()) as session:
        found = session.start(WORKS).wait(PATIENCE_S)

    assert isinstance(found, Capture)
    (told,) = found.messages
    assert told.startswith("JAX 0.99.1 is newer than what jaxscope was tested with")


def test_the_version_of_this_jax_is_read_without_importing_it() -> None:
    import jax

    assert bootstrap._read_version_of_jax() == jax.version._version


def test_an_old_interpreter_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    problem = bootstrap.find_problem()

    assert problem is not None
    assert "Python 3.9" in problem[0]


def test_a_worker_needs_nothing_but_jax(tmp_path: Path) -> None:
    """No package that jaxscope declares, besides JAX's own, is loaded in a worker."""
    file = tmp_path / "file.py"
    file.write_text(
        "# jaxscope: f(f32[3])\nimport sys\nprint(*sys.modules)\ndef f(x): return x + 1\n"
    )
    with Session() as session:
        scene = Scene(session, CaptureRequest(str(file)))
        assert scene.run.wait(PATIENCE_S) is not None
        loaded = {name.split(".")[0] for name in scene.run.output("stdout").split()}

    assert "jax" in loaded
    assert not loaded & {"msgspec", "PySide6", "graphviz", "pyqtgraph"}


@pytest.mark.slow
def test_a_wrong_xla_flag_is_blamed_on_the_setting() -> None:
    with Session(environment={"XLA_FLAGS": "--xla_no_such_flag=1"}) as session:
        error = failure(session, WORKS)

    assert type(error) is EnvironmentProblem
    assert "XLA_FLAGS" in error.explanation.what


@pytest.mark.slow
def test_a_platform_that_is_not_there() -> None:
    with Session(environment={"JAX_PLATFORMS": "cuda"}) as session:
        assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture), "cpu needs no cuda"
        error = failure(session, CaptureRequest(WORKS.file, target="tpu:63"))

    assert type(error) is EnvironmentProblem
    assert "tpu:63" in error.explanation.what
    assert error.explanation.why


@pytest.mark.slow
def test_simulated_devices_and_64_bit() -> None:
    with Session() as session:
        file = str(Path(__file__).with_name("devices.py"))
        scene = Scene(session, CaptureRequest(file, target="cpu:4", x64=True))
        result = scene.run.wait(PATIENCE_S)

    assert isinstance(result, Capture)
    assert "devices: 4" in scene.run.output("stdout")
    assert result.arguments[0].type == "f64[3]"


@pytest.mark.slow
def test_a_file_may_choose_its_devices(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text(
        "# jaxscope: f(f32[3])\nimport jax\njax.config.update('jax_num_cpu_devices', 3)\n"
        "print('devices:', len(jax.devices()))\ndef f(x): return x + 1\n"
    )
    with Session() as session:
        scene = Scene(session, CaptureRequest(str(file)))
        assert isinstance(scene.run.wait(PATIENCE_S), Capture)

    assert "devices: 3" in scene.run.output("stdout")


@pytest.mark.slow
def test_every_line_of_a_flood_is_counted_though_few_are_told(tmp_path: Path) -> None:
    file, told = tmp_path / "file.py", list[Event]()
    file.write_text(
        "# jaxscope: f(f32[3])\nfor number in range(20_000): print('line', number)\n"
        "def f(x): return x + 1\n"
    )
    with Session() as session:
        session.start(CaptureRequest(str(file)), told.append).wait(PATIENCE_S)

    printed = [event for event in told if isinstance(event, Output) and event.stream == "stdout"]
    assert sum(event.text.count("\n") for event in printed) < 20_000
    assert sum(event.num_ends for event in printed) == 20_000


@pytest.mark.slow
def test_a_run_of_a_closed_session_ends() -> None:
    with Session() as session:
        scene = Scene(session, sample("sleeps"))
        scene.wait_for_output("sleeping")
        pids = [session.supervisor_pid, *find_descendants(session.supervisor_pid)]

    assert isinstance(scene.error(), WorkerLost)
    wait_until_gone(pids)
    with pytest.raises(WorkerLost):
        session.start(WORKS)
    session.close()


def test_nothing_is_left_when_the_supervisor_is_killed() -> None:
    with Session() as session:
        scene = Scene(session, sample("sleeps"))
        scene.wait_for_output("sleeping")
        pids = find_descendants(session.supervisor_pid)
        os.kill(session.supervisor_pid, signal.SIGKILL)

        assert isinstance(scene.error(), WorkerLost)
        wait_until_gone(pids)


def test_nothing_is_left_when_the_client_is_killed() -> None:
    program = textwrap.dedent(
        f"""
        from jaxscope.client.requests import CaptureRequest
        from jaxscope.client.session import Session

        session = Session()
        def tell(event):
            if "daemon" in str(event):
                print(session.supervisor_pid, flush=True)
        session.start(CaptureRequest({sample("works").file!r}, DAEMON), tell).wait()
        """
    ).replace(
        "DAEMON",
        'repr(\'f(print("daemon"), __import__("subprocess").run(\''
        '\'["setsid", "--fork", "sleep", "3600"]), __import__("time").sleep(3600))\')[1:-1]',
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        supervisor = int(client.stdout.readline())
        deadline = time.monotonic() + 10.0
        while not any("sleep" in name(pid) for pid in find_descendants(supervisor)):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        pids = [supervisor, *find_descendants(supervisor)]
        client.kill()
        wait_until_gone(pids)


def name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


@pytest.mark.slow
def test_a_spare_worker_waits_after_a_run() -> None:
    with Session() as session:
        session.start(WORKS).wait(PATIENCE_S)
        deadline = time.monotonic() + PATIENCE_S
        while not find_descendants(session.supervisor_pid):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert leftovers(session) == []


@pytest.mark.slow
def test_no_spare_worker_waits_where_no_run_follows() -> None:
    with Session(is_warm=False, has_spares=False) as session:
        session.start(WORKS).wait(PATIENCE_S)
        time.sleep(0.5)  # a spare is started within a turn of the supervisor's loop
        assert find_descendants(session.supervisor_pid) == []


@pytest.mark.parametrize(
    "number",
    (
        signal.SIGKILL,
        pytest.param(signal.SIGSTOP, marks=pytest.mark.slow),
        pytest.param(signal.SIGSEGV, marks=pytest.mark.slow),
    ),
)
def test_a_worker_hit_at_any_moment(number: int) -> None:
    moments = random.Random(number)
    with Session() as session:
        for _ in range(4):
            scene = Scene(session, WORKS)
            time.sleep(moments.random() * 0.5)
            for pid in find_descendants(session.supervisor_pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            scene.run.interrupt()
            try:
                assert isinstance(scene.run.wait(PATIENCE_S), Capture)
            except JaxscopeError as error:
                assert isinstance(error, (WorkerLost, EnvironmentProblem))
        assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture)
        assert leftovers(session) == []


@pytest.mark.slow
def test_lines_of_texts_are_linked_while_the_run_goes_on() -> None:
    """A text comes after its graph, and before the run ends: what it links to is known."""
    texts: dict[str, TextArrived] = {}
    ended = []

    def listen(event: object) -> None:
        if isinstance(event, TextArrived) and not ended:
            texts[event.name] = event
        ended.extend([event] if isinstance(event, Finished) else [])

    made = capture(WORKS.file, on_event=listen)
    assert {"jaxpr", "stablehlo", "hlo", "optimized"} <= texts.keys()
    for name, event in texts.items():
        stage = made.stage(name)
        assert stage is not None and is_available(stage.text)
        assert event.text.line_nodes.tolist() == stage.text.line_nodes.tolist()
        assert name == "machine" or any(node >= 0 for node in event.text.line_nodes)


COLLECTING = """
import gc, sys
rounds = []
gc.callbacks.append(lambda phase, _: rounds.append(phase))
import {module}
print("jax.numpy" in sys.modules, gc.isenabled(), gc.get_freeze_count() < 1_000, len(rounds))
"""


@pytest.mark.slow
def test_the_collector_rests_while_a_worker_imports_jax() -> None:
    """It takes a quarter of the time otherwise; user code finds it on, with nothing frozen."""
    rounds = []
    for module in ("jax.numpy", "jaxscope.worker.main"):
        command = [sys.executable, "-c", COLLECTING.format(module=module)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        *state, number = ran.stdout.split()
        assert state == ["True", "True", "True"]
        rounds.append(int(number))
    assert rounds[1] < rounds[0] / 3, rounds
