"""Code, or something else, that kills or stops the processes around a run."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import struct
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jaxscope.client import live_supervisor, supervisor_link
from jaxscope.client.live_run import Run
from jaxscope.client.live_supervisor import LiveSupervisor
from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.client.supervisor_link import Connection, LocalLink, start_process
from jaxscope.errors import JaxscopeError, Stopped, WorkerLost
from jaxscope.model import Capture
from jaxscope.supervisor import process_tree, worker_process
from jaxscope.supervisor.process_tree import find_descendants
from jaxscope.supervisor.supervisor import Supervisor
from jaxscope.supervisor.worker_process import WorkerProcess, has_more
from jaxscope.wire.frames import GREETING, encode_control
from tests.faults.scene import WORKER, Scene, command_line, is_alive, leftovers, sample

PATIENCE_S = 300.0
WORKS = sample("works")


def slow(value: object) -> object:
    """A parameter that looks like another of its test, and costs seconds as well."""
    return pytest.param(value, marks=pytest.mark.slow)


@pytest.fixture
def session() -> Iterator[Session]:
    """A session of its own for each: others would notice what these do to a supervisor."""
    with Session(is_warm=False, has_spares=False, link=LocalLink()) as session:
        yield session


def attacks(tmp_path: Path, code: str) -> CaptureRequest:
    """A request for a file that leaves a process behind, and then does something to others."""
    file = tmp_path / "attacks.py"
    file.write_text(
        "# jaxscope: f(f32[3])\nimport os, signal, subprocess, time\n"
        "subprocess.Popen(['setsid', 'sleep', '3607'])\n"
        f"{code}\ntime.sleep(3600)\ndef f(x):\n    return x\n"
    )
    return CaptureRequest(str(file))


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def workers_of(session: Session) -> list[int]:
    found = find_descendants(session.supervisor_pid)
    return [pid for pid in found if WORKER in command_line(pid)]


@pytest.mark.parametrize(
    ("signal_name", "words"),
    (("SIGKILL", "was killed by SIGKILL"), ("SIGSTOP", "was stopped (SIGSTOP)")),
)
@pytest.mark.slow
def test_code_that_attacks_the_supervisor(
    session: Session, tmp_path: Path, signal_name: str, words: str
) -> None:
    scene = Scene(session, attacks(tmp_path, f"os.kill(os.getppid(), signal.{signal_name})"))
    error = scene.error()

    assert type(error) is WorkerLost
    assert error.explanation.kind == "SupervisorLost"
    assert words in error.explanation.what
    assert "Run again" in error.explanation.remedy
    assert not [pid for pid in all_processes() if "sleep 3607" in command_line(pid)]
    assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture)
    assert leftovers(session) == []


@pytest.mark.slow
def test_a_supervisor_that_is_stopped_is_noticed_where_there_is_no_proc(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS: then `ps` says what it does."""
    monkeypatch.setattr(process_tree, "HAS_PROC", False)
    scene = Scene(session, sample("sleeps"))
    scene.wait_for_output("sleeping")
    os.kill(session.supervisor_pid, signal.SIGSTOP)

    assert "was stopped (SIGSTOP)" in scene.error().explanation.what
    assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture)


def all_processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


@pytest.mark.slow
@pytest.mark.parametrize("number", (signal.SIGKILL, signal.SIGSTOP))
def test_a_run_that_finds_its_supervisor_gone_is_given_to_another(
    session: Session, number: int
) -> None:
    first = session.supervisor_pid
    os.kill(first, number)

    assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture)
    assert session.supervisor_pid != first
    assert not is_alive(first)


def test_a_supervisor_that_ends_begins_nothing_more() -> None:
    """Else the run would be lost with it, instead of being given to another."""
    read_end, write_end = os.pipe()
    supervisor = Supervisor(read_end, write_end)
    os.write(write_end, encode_control(1, {"op": "start", "python": sys.executable}))
    supervisor._on_terminate(signal.SIGTERM, None)
    supervisor._on_input()

    assert not supervisor._workers
    assert has_more(read_end)
    os.close(read_end)
    os.close(write_end)


def test_a_stop_while_the_supervisor_is_stopped(session: Session) -> None:
    os.kill(session.supervisor_pid, signal.SIGSTOP)
    scene = Scene(session, WORKS)
    scene.run.interrupt()

    assert isinstance(scene.error(), Stopped)


@pytest.mark.slow
@pytest.mark.parametrize("number", (signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV))
def test_a_spare_that_was_hit_is_replaced(number: int) -> None:
    with Session(link=LocalLink()) as session:
        session.start(WORKS).wait(PATIENCE_S)
        wait_until(lambda: bool(workers_of(session)))
        (spare,) = workers_of(session)
        os.kill(spare, number)

        assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture)
        assert not is_alive(spare)
        assert leftovers(session) == []


def altered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> LocalLink:
    """A way to a supervisor of which something is changed."""
    changed = tmp_path / "bootstrap.py"
    changed.write_text(
        textwrap.dedent(
            f"""
            import importlib, os, runpy, signal, sys
            bootstrap = runpy.run_path({supervisor_link.BOOTSTRAP!r}, run_name="bootstrap")
            bootstrap["_import_package"]()
            supervisor = importlib.import_module("jaxscope.supervisor.supervisor")
            worker_process = importlib.import_module("jaxscope.supervisor.worker_process")
            tries = []
            """
        )
        + textwrap.dedent(change)
        + "\nsupervisor.main(sys.argv[2:])\n"
    )
    monkeypatch.setattr(supervisor_link, "BOOTSTRAP", str(changed))
    return LocalLink()


STOPS_WORKERS = """
become, attach = worker_process.become, worker_process.WorkerProcess.attach
worker_process.WorkerProcess.attach = lambda *rest: (tries.append(1), attach(*rest))[1]
def become_later(*rest):
    if len(tries) < {count}:
        os.kill(os.getpid(), signal.{signal})
    become(*rest)
worker_process.become = become_later
"""


@pytest.mark.parametrize("signal_name", ("SIGSTOP", slow("SIGKILL")))
def test_a_worker_that_is_hit_before_it_is_one_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signal_name: str
) -> None:
    """Between fork and exec: a supervisor that waits for the exec would wait for ever."""
    link = altered(tmp_path, monkeypatch, STOPS_WORKERS.format(count=1, signal=signal_name))
    with Session(is_warm=False, has_spares=False, link=link) as session:
        assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture)
        assert leftovers(session) == []


DIES_UNSEEN = """
poll = worker_process.ChildProcess.poll
first = []
def poll_others(process):
    first.extend([] if first else [process])
    return None if process is first[0] else poll(process)
worker_process.ChildProcess.poll = poll_others
supervisor._DYING_BUDGET_S = 0.2
"""


@pytest.mark.slow
def test_a_worker_that_is_hit_and_whose_end_is_not_seen_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is killed may take seconds to die, and its run has not begun."""
    change = STOPS_WORKERS.format(count=1, signal="SIGKILL") + DIES_UNSEEN
    link = altered(tmp_path, monkeypatch, change)
    with Session(is_warm=False, has_spares=False, link=link) as session:
        assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture)


KILLS_ITS_SUPERVISOR = """
become = worker_process.become
def become_later(*rest):
    if not os.path.exists({flag!r}):
        with open({flag!r}, "w") as file:
            file.write(str(os.getpid()))
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGSTOP)
    become(*rest)
worker_process.become = become_later
"""


@pytest.mark.slow
def test_a_worker_that_is_stopped_before_it_is_one_does_not_outlive_its_supervisor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has neither asked the kernel for its end yet, nor a variable that tells whose it is."""
    flag = tmp_path / "pid"
    link = altered(tmp_path, monkeypatch, KILLS_ITS_SUPERVISOR.format(flag=str(flag)))
    with Session(is_warm=False, has_spares=False, link=link) as session:
        with contextlib.suppress(WorkerLost):  # unless it died before it said that the run began
            session.start(WORKS).wait(PATIENCE_S)
        assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture)
        wait_until(lambda: not is_alive(int(flag.read_text())))


def test_a_worker_that_is_stopped_before_it_began_is_not_said_to_be_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its run is given to another one soon; who was told would stop a run that has no fault."""
    monkeypatch.setattr(process_tree, "read_state", lambda _pid: "T")
    worker = WorkerProcess.__new__(WorkerProcess)
    worker.pid, worker.reason, worker.is_ready, worker.is_quiet = 0, "", True, False
    worker.last_sign_at, worker._frozen_since, worker.has_begun = 0.0, None, False

    assert not worker.is_frozen(100.0)
    assert worker.silence_s(100.0) == 0.0
    assert worker.is_frozen(102.0)
    worker.has_begun = True
    assert worker.silence_s(100.0) == 100.0


@pytest.mark.slow
@pytest.mark.parametrize("signal_name", ("SIGSTOP", "SIGKILL"))
def test_workers_that_are_hit_again_and_again_are_not_blamed_on_the_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signal_name: str
) -> None:
    link = altered(tmp_path, monkeypatch, STOPS_WORKERS.format(count=99, signal=signal_name))
    with Session(is_warm=False, has_spares=False, link=link) as session:
        error = Scene(session, WORKS).error()
        assert leftovers(session) == []

    assert type(error) is WorkerLost
    assert error.explanation.kind == signal_name
    assert "not to blame" in error.explanation.remedy
    assert "memory" not in error.explanation.what


def test_nothing_is_left_of_a_client_that_dies_while_its_supervisor_is_stopped() -> None:
    program = textwrap.dedent(
        f"""
        import os, signal, time
        from jaxscope.client.requests import CaptureRequest
        from jaxscope.client.session import Session
        from jaxscope.client.supervisor_link import LocalLink

        session = Session(link=LocalLink())
        def tell(event):
            if "sleeping" in str(event):
                os.kill(session.supervisor_pid, signal.SIGSTOP)
                print(session.supervisor_pid, flush=True)
        session.start(CaptureRequest({sample("sleeps").file!r}), tell)
        time.sleep(3600)
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        supervisor = int(client.stdout.readline())
        pids = [supervisor, *find_descendants(supervisor)]
        client.kill()
        wait_until(lambda: not any(map(is_alive, pids)))


class Mute:
    """Leads to something that never answers."""

    machine = python = ""

    def connect(self) -> Connection:
        program = f"import sys; sys.stdout.write({GREETING.decode()!r}); "
        return Connection(
            start_process([sys.executable, "-c", program + "sys.stdout.flush(); sys.stdin.read()"])
        )


ANSWERS = """
import os
from jaxscope.wire.frames import CONTROL, GREETING, decode_control, encode_control
from jaxscope.wire.frames import split_relayed_frames
os.write(1, GREETING)
splitter = split_relayed_frames()
while data := os.read(0, 1 << 16):
    for (_, kind, number), payload in splitter.feed(data):
        if kind == CONTROL and not number:
            asked = decode_control(payload)["id"]
            os.write(1, encode_control(0, dict(event="pong", id=asked, runs={runs})))
"""


class Answers:
    """Leads to something that answers, and says which runs it has."""

    machine = python = ""

    def __init__(self, runs: list[int]) -> None:
        self._program = ANSWERS.format(runs=runs)

    def connect(self) -> Connection:
        return Connection(start_process([sys.executable, "-c", self._program]))


@pytest.mark.parametrize(("runs", "is_given_up"), (([], True), ([7], False), ([6, 8], True)))
def test_a_supervisor_that_has_not_heard_of_a_run_is_given_up(
    monkeypatch: pytest.MonkeyPatch, runs: list[int], is_given_up: bool
) -> None:
    """User code can read from its pipes, and what it has read nobody else gets."""
    monkeypatch.setattr(live_supervisor, "PING_S", 0.001)
    lost: list[int] = []
    live = LiveSupervisor(Answers(runs), lambda number, _run, _data: lost.append(number))
    run = Run(WORKS, command=print, send=print, on_event=None, python="")
    try:
        live.start(7, run, b"")
        wait_until(lambda: bool(lost) or live._num_answers > 100)
    finally:
        live.close()
    assert bool(lost) == is_given_up


CUT_OFF = struct.pack("<IBI", 900_000, 16, 1) + b"{"


def write_into(path: str, data: bytes) -> None:
    """Write into a pipe that belongs to somebody else, as user code can."""
    number = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    os.write(number, data)
    os.close(number)


@pytest.mark.parametrize("end", (slow("stdin"), "stdout"))
def test_a_frame_that_never_ends_is_forced_on_the_supervisor(
    session: Session, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """All that comes after it counts as the rest of it: a Stop, and how the run ended."""
    monkeypatch.setattr(live_supervisor, "PING_S", 0.05)
    scene = Scene(session, sample("sleeps"))
    scene.wait_for_output("sleeping")
    stream = getattr(session._live._process, end)
    write_into(f"/proc/self/fd/{stream.fileno()}", CUT_OFF)

    assert scene.error().explanation.kind == "SupervisorLost"
    assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture)
    assert leftovers(session) == []


def inputs_of(pid: int) -> Iterator[str]:
    """The pipes that a process reads from. Descriptors that it closes meanwhile are left out."""
    for name in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{name}"
        with contextlib.suppress(FileNotFoundError):
            flags = Path(f"/proc/{pid}/fdinfo/{name}").read_text()
            is_read = int(flags.split("flags:")[1].split()[0], 8) & os.O_ACCMODE == os.O_RDONLY
            if is_read and os.readlink(path).startswith("pipe:"):
                yield path


@pytest.mark.parametrize("kind", (1, slow(16)), ids=("that never ends", "of no kind"))
@pytest.mark.slow
def test_a_frame_is_forced_on_a_spare(kind: int) -> None:
    """It said that the code had ended the process, or waited for ever for the rest."""
    with Session(link=LocalLink()) as session:
        session.start(WORKS).wait(PATIENCE_S)
        wait_until(lambda: any(list(inputs_of(pid)) for pid in workers_of(session)))
        (spare,) = workers_of(session)
        for path in inputs_of(spare):
            write_into(path, struct.pack("<IB", 900_000, kind) + b"{")

        assert isinstance(session.start(WORKS).wait(PATIENCE_S), Capture)
        assert not is_alive(spare)


def loses_mute(monkeypatch: pytest.MonkeyPatch, look: Callable[[int], tuple[str, int]]) -> bool:
    """Whether a supervisor that never answers is given up within 300 looks.

    Args:
        look: What is seen at each look, by its number: a state, and how often it woke.
    """
    monkeypatch.setattr(live_supervisor, "PING_S", 0.001)
    looks = itertools.count()
    seen = [0]

    def read_activity(_pid: int) -> tuple[str, int]:
        seen[0] = next(looks)
        return look(seen[0])

    monkeypatch.setattr(live_supervisor, "read_activity", read_activity)
    lost: list[int] = []
    live = LiveSupervisor(Mute(), lambda number, _run, _data: lost.append(number))
    run = Run(WORKS, command=print, send=print, on_event=None, python="")
    try:
        live.start(7, run, b"")
        wait_until(lambda: bool(lost) or seen[0] > 300)
    finally:
        live.close()
    return bool(lost)


@pytest.mark.parametrize(
    ("states", "is_given_up"),
    (
        ([("R", 5)], False),
        ([("S", 5), ("S", 6)], True),
        ([("S", 5), ("R", 6)], True),
        ([("R", 5), ("R", 6)], False),
        ([("", 0)], False),
        ([("T", 5)], True),
        ([("S", 5)], True),
        ([("D", 5)], True),
    ),
)
def test_only_a_supervisor_that_does_nothing_is_given_up(
    monkeypatch: pytest.MonkeyPatch, states: list[tuple[str, int]], is_given_up: bool
) -> None:
    """Or wakes and never answers. One that has no share of the processor is runnable, however long;
    no second is measured."""
    monkeypatch.setattr(live_supervisor, "PATIENCE_S", {"T": 0.002, "S": 0.01, "D": 0.05})
    assert loses_mute(monkeypatch, lambda look: states[look % len(states)]) == is_given_up


@pytest.mark.parametrize("wakes", (True, False))
def test_one_that_waits_for_something_else_is_not_taken_for_deaf(
    monkeypatch: pytest.MonkeyPatch, wakes: bool
) -> None:
    """A ping wakes it once it reads again, as when a worker has started: it has long for that."""
    monkeypatch.setattr(live_supervisor, "PATIENCE_S", {"S": 1_000.0})
    assert loses_mute(monkeypatch, lambda look: ("S", look if wakes else 5)) == wakes


def test_an_interpreter_that_cannot_be_run_is_told(session: Session, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/no/such/program\n")
    broken.chmod(0o755)
    with pytest.raises(JaxscopeError) as caught:
        session.start(CaptureRequest(WORKS.file, python=str(broken))).wait(PATIENCE_S)

    assert caught.value.explanation.kind == "NotStarted"


def test_many_events_at_once_make_no_worker_deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """The supervisor looks after each event: a hundred looks within a moment are not a second."""
    states = iter("S" * 100 + "R" + "S" * 60)
    monkeypatch.setattr(process_tree, "HAS_PROC", True)
    monkeypatch.setattr(process_tree, "read_state", lambda _pid: next(states))
    monkeypatch.setattr(worker_process, "_num_unread_bytes", lambda _descriptor: 0)
    worker = WorkerProcess.__new__(WorkerProcess)
    worker.pid, worker.request_fd, worker.reason, worker.is_ready = 0, -1, "", True
    worker.has_begun, worker._request, worker._whole_request = False, b"", b"a request"
    worker._num_waits, worker._waits_since = 0, 0.0

    assert not any(worker.is_deaf(5.0 + number / 1_000) for number in range(100))
    assert not worker.is_deaf(5.2)  # it works
    assert [worker.is_deaf(6.0 + number / 20) for number in range(60)].index(True) == 21
