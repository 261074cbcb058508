"""A launch while a window is open: its file is handed over, and hostile data hurts nobody."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from jaxscope.client.requests import OutlineRequest
from jaxscope.schema.archive import save_capture
from jaxscope.ui import application, instance_handover
from jaxscope.ui.instance_handover import (
    GO,
    MAX_BYTES,
    NO,
    YES,
    Offer,
    digest_surroundings,
    find_place,
    hand_over,
    program,
    read_offer,
)
from jaxscope.ui.window import instance_server
from jaxscope.ui.window.instance_server import InstanceServer
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture

OFFER = Offer("/u/model.py", "f(f32[3])", "cpu", program(), "here")
GARBAGE = {
    "no text": b"\xff\xfe\n",
    "no JSON": b"{]\n",
    "no object": b"[]\n",
    "deep": b"[" * 40_000 + b"\n",
    "too little": b'{"file": "/u/model.py"}\n',
    "too much": json.dumps(dataclasses.asdict(OFFER) | {"run": "rm"}).encode() + b"\n",
    "a number": json.dumps(dataclasses.asdict(OFFER) | {"call": 3}).encode() + b"\n",
    "a zero": json.dumps(dataclasses.asdict(OFFER) | {"file": "/u/\0.py"}).encode() + b"\n",
    "half a character": json.dumps(dataclasses.asdict(OFFER) | {"file": "/\ud800"}).encode()
    + b"\n",
    "a relative path": json.dumps(dataclasses.asdict(OFFER) | {"file": "model.py"}).encode()
    + b"\n",
    "go alone": GO,
}


@pytest.fixture(params=("in the folder", "on the loopback"))
def runtime(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for sockets, whose paths must be short, and a display; also as on Windows."""
    if request.param == "on the loopback":
        monkeypatch.setattr(instance_handover, "SOCKET_FILES", None)
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # the folder for temporary files may be long
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")  # Qt is there already, offscreen
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def place(runtime: Path) -> str:
    found = find_place()
    assert found is not None and found.startswith(str(runtime))
    return found


@pytest.fixture
def taken(place: str, qtbot: QtBot) -> Iterator[list[Offer]]:
    """What a server has taken; it accepts everything."""
    parent = QObject()
    server = InstanceServer(place, lambda _offer: True, parent)
    assert server.is_open
    offers: list[Offer] = []
    server.taken.connect(offers.append)
    yield offers
    server.close()
    parent.deleteLater()


def launch(qtbot: QtBot, offer: Offer) -> bool:
    """What a launch in another process finds, while the window's event loop runs."""
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(hand_over(offer)))
    thread.start()
    qtbot.waitUntil(lambda: bool(found))
    thread.join()
    return found[0]


def connect(place: str) -> socket.socket:
    return instance_handover.connect(place, 5.0)


def receive(qtbot: QtBot, connection: socket.socket) -> bytes:
    """What comes, while the event loop runs; nothing where the connection is ended."""
    connection.setblocking(False)
    found: list[bytes] = []

    def look() -> bool:
        try:
            found.append(connection.recv(100))
        except BlockingIOError:
            return False
        except ConnectionError:
            found.append(b"")
        return True

    qtbot.waitUntil(look)
    return found[0]


def test_an_offer_is_taken_as_it_was_made(qtbot: QtBot, taken: list[Offer]) -> None:
    assert launch(qtbot, OFFER)
    qtbot.waitUntil(lambda: taken == [OFFER])
    other = dataclasses.replace(OFFER, file="/u/with space, é and 中.py", call="f('\n')")
    assert launch(qtbot, other)
    qtbot.waitUntil(lambda: taken == [OFFER, other])


def test_nobody_listens(runtime: Path, place: str) -> None:
    assert not hand_over(OFFER)
    Path(place).write_text("no socket")
    assert not hand_over(OFFER)


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
def test_what_is_no_offer_is_refused(
    qtbot: QtBot, taken: list[Offer], place: str, data: bytes
) -> None:
    with connect(place) as connection:
        connection.sendall(data)
        assert receive(qtbot, connection) == NO
    assert launch(qtbot, OFFER)
    qtbot.waitUntil(lambda: taken == [OFFER])


def test_a_line_without_end_is_cut_off(qtbot: QtBot, taken: list[Offer], place: str) -> None:
    with connect(place) as connection:
        sender = threading.Thread(target=send_all, args=(connection, b"x" * (4 * MAX_BYTES)))
        sender.start()
        assert receive(qtbot, connection) == b""
        sender.join()
    assert launch(qtbot, OFFER)


def send_all(connection: socket.socket, data: bytes) -> None:
    try:
        connection.sendall(data)
    except OSError:
        return


def test_who_says_nothing_does_not_keep_others_out(
    qtbot: QtBot, taken: list[Offer], place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance_server, "_VISIT_MS", 50)
    for _ in range(3):
        silent = [connect(place) for _ in range(instance_server._MAX_VISITORS)]
        for connection in silent:
            assert receive(qtbot, connection) == b""
            connection.close()
    assert launch(qtbot, OFFER)
    qtbot.waitUntil(lambda: taken == [OFFER])


@pytest.mark.parametrize("last", [b"", b"stop\n", b"go"])
def test_a_launch_that_gave_up_has_opened_its_own_window(
    qtbot: QtBot, taken: list[Offer], place: str, last: bytes
) -> None:
    """It does so where the answer came too late."""
    with connect(place) as connection:
        connection.sendall(OFFER.encode())
        assert receive(qtbot, connection) == YES
        connection.sendall(last)
    qtbot.wait(50)
    assert not taken
    assert launch(qtbot, OFFER)


def test_a_window_that_does_not_answer_is_not_waited_for(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instance_handover, "ANSWER_S", 0.05)
    with socket.socket(socket.AF_UNIX) as stuck:
        stuck.bind(place)
        stuck.listen()
        assert not hand_over(OFFER)


@pytest.mark.usefixtures("qapp")
def test_the_first_window_listens_and_one_that_was_killed_does_not(place: str) -> None:
    parent = QObject()
    first = InstanceServer(place, lambda _offer: True, parent)
    second = InstanceServer(place, lambda _offer: True, parent)
    assert (first.is_open, second.is_open) == (True, False)
    second.close()
    assert os.path.exists(place)
    first.close()
    assert not os.path.exists(place)
    if instance_handover.SOCKET_FILES is None:
        Path(place).write_text("999999999 9 secret")
    else:
        with socket.socket(socket.AF_UNIX) as killed:
            killed.bind(place)
    third = InstanceServer(place, lambda _offer: True, parent)
    assert third.is_open
    third.close()


@pytest.mark.parametrize("runtime", ("on the loopback",), indirect=True)
@pytest.mark.parametrize("secret", (b"", b"0" * 64, b"yes"))
def test_who_does_not_know_the_secret_hands_nothing_over(
    place: str, taken: list[Offer], qtbot: QtBot, secret: bytes
) -> None:
    """Other people of the machine reach a port of the loopback, but not the file."""
    assert Path(place).stat().st_mode & 0o077 == 0
    port = int(Path(place).read_text().split()[1])
    with socket.create_connection((instance_handover.LOOPBACK, port), 5.0) as stranger:
        stranger.sendall(secret + b"\n" + OFFER.encode() + GO)
        assert receive(qtbot, stranger) == b""
    assert not taken and launch(qtbot, OFFER)


@pytest.mark.parametrize("runtime", ("on the loopback",), indirect=True)
@pytest.mark.parametrize("text", ("", "a b c", "1", "PID 99999999 x", "\0" * 9))
def test_a_file_that_tells_no_port_is_written_anew(place: str, text: str) -> None:
    Path(place).write_text(text.replace("PID", str(os.getpid())))
    assert not hand_over(OFFER)
    parent = QObject()
    server = InstanceServer(place, lambda _offer: True, parent)
    assert server.is_open
    server.close()


def test_a_folder_of_others_is_not_used(runtime: Path) -> None:
    folder = runtime / f"jaxscope-{os.getuid()}"
    folder.mkdir(mode=0o755)
    assert find_place() is None
    folder.chmod(0o700)
    assert find_place() is not None
    folder.rmdir()
    folder.symlink_to(runtime)
    assert find_place() is None


def test_each_display_has_a_window_of_its_own(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":77")
    assert find_place() not in (None, place)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert find_place() is None


@pytest.mark.parametrize(
    ("file", "program_of_launch", "surroundings", "fits"),
    [
        ("/u/model.py", "1", "here", True),
        ("/u/model.py", "1", "there", False),
        ("/u/model.py", "2", "here", False),
        ("/u/model.jaxscope", "1", "there", True),
        ("/u/model.jaxscope", "2", "there", False),
    ],
)
def test_user_code_never_runs_elsewhere_than_where_it_was_launched(
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    program_of_launch: str,
    surroundings: str,
    fits: bool,
) -> None:
    monkeypatch.setattr(application, "program", lambda: "1")
    offer = Offer(file, "", "cpu", program_of_launch, surroundings)
    assert application.fits(offer, "here") is fits
    assert read_offer(offer.encode()[:-1]) == offer


def test_surroundings_are_options_folder_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest_surroundings({"x64": False})
    monkeypatch.setenv("WINDOWID", "7")  # of the terminal
    assert digest_surroundings({"x64": False}) == before
    found = {before, digest_surroundings({"x64": True})}
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=true")
    found.add(digest_surroundings({"x64": False}))
    monkeypatch.chdir(tmp_path)
    found.add(digest_surroundings({"x64": False}))
    assert len(found) == 4


def test_a_window_shows_what_it_takes_and_nothing_while_it_runs(
    window: MainWindow, driver: Driver, qtbot: QtBot, source: Path, tmp_path: Path, runtime: Path
) -> None:
    server = application.serve_launches(window, "here")
    assert server is not None
    save_capture(build_capture(), tmp_path / "a.jaxscope")
    saved = Offer(str(tmp_path / "a.jaxscope"), "", "cpu", program(), "there")
    assert launch(qtbot, saved)
    qtbot.waitUntil(lambda: window.controller.state.capture is not None)
    offer = Offer(str(source), "f(f32[5])", "cpu:4", program(), "here")
    assert launch(qtbot, offer)
    driver.wait_for(OutlineRequest)
    assert window.controller.state.file == str(source)
    assert (window.controller.state.call, window.controller.state.target) == ("f(f32[5])", "cpu:4")
    assert window.controller.state.is_running
    assert not launch(qtbot, saved)  # it would be the end of the run
    server.close()


LAUNCH = """
import sys
from jaxscope.cli import main
status = main(sys.argv[1:])
print("loaded", *sys.modules)
sys.exit(status)
"""


@pytest.fixture
def command(source: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*options: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-c", LAUNCH, str(source), *options]
        # Libraries that tests load set variables of the process, of which Python does not know.
        return subprocess.run(
            words, capture_output=True, text=True, timeout=60, check=False, env=dict(os.environ)
        )

    return run


@pytest.mark.parametrize("runtime", ("in the folder",), indirect=True)
def test_a_launch_that_hands_over_loads_neither_qt_nor_numpy(
    qtbot: QtBot,
    taken: list[Offer],
    source: Path,
    command: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    found: list[subprocess.CompletedProcess[str]] = []
    thread = threading.Thread(target=lambda: found.append(command("f(f32[3])")))
    thread.start()
    qtbot.waitUntil(lambda: bool(found), timeout=60_000)
    thread.join()
    (ran,) = found
    assert ran.returncode == 0, ran.stderr
    assert f"{source} was handed to the window that is open" in ran.stdout
    assert [(offer.file, offer.call) for offer in taken] == [(str(source), "f(f32[3])")]
    assert taken[0].surroundings == digest_surroundings(
        {"python": None, "timeout": None, "memory": None, "x64": False}
    )
    loaded = ran.stdout.rpartition("loaded ")[2].split()
    assert not {"PySide6", "numpy", "msgspec"}.intersection(loaded)
    assert len([name for name in loaded if name.partition(".")[0] == "jaxscope"]) <= 28
