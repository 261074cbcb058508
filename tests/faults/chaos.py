"""Harm at random moments to the processes and pipes behind a run, and what has to hold after it."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from jaxscope.client.events import Event, NotResponding
from jaxscope.client.requests import CaptureRequest, Request, TimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import InternalError, JaxscopeError, Stopped, WorkerLost
from jaxscope.model import Capture
from jaxscope.supervisor.process_tree import find_descendants
from tests.faults.scene import PATIENCE_S, is_alive, leftovers, sample

WORKS = sample("works")
_SIGNALS = ("SIGKILL", "SIGSTOP", "SIGSEGV", "SIGTERM", "SIGABRT", "SIGHUP")
_HARM_FROM_WITHIN = {
    "closes": "for number in range(3, 230): shut(number)",
    "garbles": "write(os.urandom(300))",
    "cuts off": "write(struct.pack('<IB', 5000, 1) + b'{')",
    "cuts off and ends": "write(struct.pack('<IB', 5000, 1) + b'{'); os._exit(4)",
    "claims too much": "write(struct.pack('<IB', 4_000_000_000, 1))",
    "forges": "forge(type='done', run='', wall_seconds=0.0)",
    "forges a failure": "forge(type='failed', run='', fault='x', stage=7, explanation=[])",
    "forges an array": "forge(type='stage', run='', arrays=[['a', '<f8', [1 << 40], 2]])",
    "garbles its neighbours": "speak(os.urandom(300))",
    "cuts off its neighbours": "speak(struct.pack('<IBI', 900_000, 16, 1) + b'{')",
    "claims too much of them": "speak(struct.pack('<IBI', 4_000_000_000, 16, 1))",
    "speaks for them": "for number in range(800): forge_end(number)",
    "hears for them": "listen()",
}
_PROGRAM = """\
# jaxscope: f(f32[3])
import contextlib, json, os, struct, threading, time
def shut(number):
    with contextlib.suppress(OSError):
        os.close(number)
def write(data):
    for number in range(200, 220):
        with contextlib.suppress(OSError):
            os.write(number, data)
def forge(**fields):
    data = json.dumps({{"arrays": [], **fields}}).encode()
    write(struct.pack("<IB", len(data), 1) + data)
def pipes():
    folder = f"/proc/{{os.getppid()}}/fd"
    for name in os.listdir(folder):
        with contextlib.suppress(OSError):
            if os.readlink(f"{{folder}}/{{name}}").startswith("pipe:"):
                yield f"{{folder}}/{{name}}"
def speak(data):
    for path in pipes():
        with contextlib.suppress(OSError):
            os.write(os.open(path, os.O_WRONLY | os.O_NONBLOCK), data)
def forge_end(number):
    data = json.dumps(dict(event="ended", reason="signal", signal=11)).encode()
    speak(struct.pack("<IBI", len(data), 16, number) + data)
def listen():
    heard = []
    for path in pipes():
        with contextlib.suppress(OSError):
            heard.append(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    end = time.monotonic() + 1.0
    while time.monotonic() < end:
        for number in heard:
            with contextlib.suppress(OSError):
                os.read(number, 4096)
def harm():
    time.sleep({delay})
    {harm}
threading.Thread(target=harm, daemon=True).start()
def f(x):
    time.sleep({pause})
    return x * 2 + 1
"""


class Chaos:
    """Harms one session again and again, always the same for the same seed."""

    def __init__(self, session: Session, seed: int, folder: Path) -> None:
        self._session, self._random, self._folder = session, random.Random(seed), folder
        start = time.monotonic()
        session.start(WORKS).wait(PATIENCE_S)
        self._longest_s = 1.5 * (time.monotonic() - start)  # while it starts, works, or is over

    def hurt(self) -> tuple[str, str, float]:
        """Run something, do harm at some moment, and see that all is well again.

        Returns:
            What was done, how the run ended, and the seconds that a normal run then took.

        Raises:
            AssertionError: All is not well.
        """
        session, chance = self._session, self._random
        delay = chance.random() * self._longest_s
        name, harm, request = self._choose(delay)
        is_silent = threading.Event()

        def listen(event: Event) -> None:
            if isinstance(event, NotResponding):
                is_silent.set()

        run = session.start(request, listen)
        before = session.supervisor_pid
        time.sleep(delay)
        below = find_descendants(before)
        harm()
        if name == "stops it":
            run.interrupt()
        deadline = time.monotonic() + PATIENCE_S
        while not run.is_over:
            assert time.monotonic() < deadline, f"{name}: the run does not end"
            if is_silent.wait(0.02):
                run.interrupt()  # as a person would who reads that it does not respond
                run.wait_for_end()
        try:
            run.wait(PATIENCE_S)
            ended = "done"
        except JaxscopeError as error:
            told = error.explanation
            assert type(error) is not InternalError, (name, told)
            assert told.what, (name, told)
            ended = told.kind or type(error).__name__
            if name.startswith("supervisor"):
                assert isinstance(error, Stopped) or told.kind == "SupervisorLost", (name, told)
            elif name.startswith(("nothing", "a spare")):
                raise AssertionError((name, told, run._ending)) from error
        start = time.monotonic()
        try:
            capture = session.start(WORKS).wait(PATIENCE_S)
        except JaxscopeError as error:
            raise AssertionError((name, "the next run", error.explanation)) from error
        seconds = time.monotonic() - start
        assert isinstance(capture, Capture)
        assert not [stage.name for stage in capture.stages if stage.unavailable], name
        assert session.supervisor_pid == before or not is_alive(before), name
        assert leftovers(session) == [], name
        if session.supervisor_pid != before:
            while (left := list(filter(is_alive, below))) and time.monotonic() < deadline:
                time.sleep(0.02)
            assert not left, (name, "outlived the supervisor")
        return name, ended, seconds

    def _choose(self, delay: float) -> tuple[str, Callable[[], None], Request]:
        """What is done, how, and beside which run."""
        session, chance = self._session, self._random
        request: Request = chance.choice((WORKS, WORKS, TimeRequest(WORKS.file, budget_s=0.3)))
        kind = chance.choice(
            (
                "nothing",
                *["process"] * 3,
                *["supervisor"] * 2,
                "spare",
                "pipe",
                "stop",
                "code",
                "code",
            )
        )
        number = getattr(signal, name := chance.choice(_SIGNALS))
        if kind == "process":
            place = chance.random()
            return f"process {name}", lambda: self._hit_below(number, place), request
        if kind == "supervisor":
            return f"supervisor {name}", lambda: _hit(session.supervisor_pid, number), request
        if kind == "spare":
            for pid in find_descendants(session.supervisor_pid):
                _hit(pid, number)  # before it gets the run
            return f"a spare {name}", lambda: None, request
        if kind == "pipe":
            if chance.random() < 0.3:
                return "supervisor hears no more", session._live._close_input, request
            data = chance.randbytes(chance.randrange(1, 40))
            return "supervisor hears nonsense", lambda: self._say(data), request
        if kind == "stop":
            return "stops it", lambda: None, request
        if kind == "code":
            name = chance.choice(list(_HARM_FROM_WITHIN))
            harm = _HARM_FROM_WITHIN[name]
            path = self._folder / "harms.py"
            path.write_text(
                _PROGRAM.format(delay=delay, harm=harm, pause=chance.random() * self._longest_s)
            )
            return f"code {name}", lambda: None, CaptureRequest(str(path))
        return "nothing", lambda: None, request

    def _hit_below(self, number: int, place: float) -> None:
        found = sorted(find_descendants(self._session.supervisor_pid))
        if found:
            _hit(found[int(place * len(found))], number)

    def _say(self, data: bytes) -> None:
        with contextlib.suppress(WorkerLost):
            self._session._live.send(data)


def _hit(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
