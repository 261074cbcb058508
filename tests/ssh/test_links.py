"""Connections that cannot be made say why in a sentence; what may pass is tried again."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from jaxscope.client import remote_sessions
from jaxscope.client.remote_sessions import (
    SshLink,
    explain_link,
    make_package,
    remote_command,
)
from jaxscope.client.ssh_target import SshTarget, parse_ssh_target, target_on_machine
from jaxscope.errors import EnvironmentProblem, UsageError
from jaxscope.supervisor import remote

from .conftest import PYTHON, Server, prepare_server


def problem_of(link: SshLink) -> EnvironmentProblem:
    with pytest.raises(EnvironmentProblem) as caught:
        link.connect()
    return caught.value


def test_a_key_that_is_not_accepted(server: Server) -> None:
    options = [o.replace("/key", "/stranger") for o in server.options]
    told = problem_of(SshLink(server.machine, PYTHON, options=options)).explanation
    assert told.kind == "NotAccepted"
    assert told.what == f"127.0.0.1:{server.port} does not accept your key."
    assert f"ssh -o BatchMode=yes -p {server.port} 127.0.0.1" in told.remedy


def test_a_host_key_that_is_not_known(server: Server) -> None:
    options = [o.replace("/known", "/nobody") for o in server.options]
    told = problem_of(SshLink(server.machine, PYTHON, options=options)).explanation
    assert told.kind == "UnknownHostKey"


def test_a_machine_that_is_not_there(server: Server) -> None:
    link = SshLink(SshTarget("no-such-machine.invalid", "cpu"), options=server.options)
    assert problem_of(link).explanation.what == (
        "There is no machine called no-such-machine.invalid."
    )


def test_no_python_there(server: Server) -> None:
    told = problem_of(SshLink(server.machine, "/no/python", options=server.options)).explanation
    assert told.kind == "NoPython"
    assert told.what == f"There is no /no/python on 127.0.0.1:{server.port}."


def test_a_python_that_is_too_old(server: Server, tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text(
        f"#!{sys.executable}\nimport sys\nsys.version_info = (3, 9, 2)\nexec(sys.argv[2])\n"
    )
    old.chmod(0o700)
    told = problem_of(SshLink(server.machine, str(old), options=server.options)).explanation
    assert told.kind == "TooOldPython" and f"{sys.executable} is 3.9, and" in told.what


def test_something_else_than_python(server: Server, tmp_path: Path) -> None:
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho 'what?' >&2\nexit 3\n")
    other.chmod(0o700)
    told = problem_of(SshLink(server.machine, str(other), options=server.options)).explanation
    assert (told.kind, told.why) == ("NotStarted", "what?")


def test_a_program_that_never_answers(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = tmp_path / "python"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o700)
    monkeypatch.setattr(remote_sessions, "START_S", 2.0)
    told = problem_of(SshLink(server.machine, str(silent), options=server.options)).explanation
    assert told.kind == "NoAnswer"


def test_a_refused_connection_is_tried_again_until_the_machine_is_up(tmp_path: Path) -> None:
    server = prepare_server(tmp_path)
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        if len(told) == 3:
            server.start()

    link = SshLink(
        server.machine, PYTHON, options=server.options, tell=tell, pauses_s=(0.01, 0.01, 0.01)
    )
    try:
        connection = link.connect()
        connection.process.kill()
        connection.process.wait()
        for stream in (
            connection.process.stdin,
            connection.process.stdout,
            connection.process.stderr,
        ):
            assert stream is not None
            stream.close()
    finally:
        server.stop()
    assert told[0] == f"Connecting to 127.0.0.1:{server.port}"
    assert "refuses the connection" in told[1] and told[1].endswith("Attempt 2 of 4")
    assert told[2].endswith("Attempt 3 of 4")


def test_a_connection_that_stays_refused_is_given_up(tmp_path: Path) -> None:
    server = prepare_server(tmp_path)
    link = SshLink(server.machine, PYTHON, options=server.options, pauses_s=(0.01,))
    assert problem_of(link).explanation.kind == "Refused"


def test_without_ssh_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert problem_of(SshLink(SshTarget("h", "cpu"))).explanation.kind == "NoSsh"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("ssh: Could not resolve hostname h: Name or service not known", "UnknownHost"),
        ("ssh: connect to host h port 22: Connection timed out", "Unreachable"),
        ("ssh: connect to host h port 22: No route to host", "Unreachable"),
        ("Host key verification failed.", "UnknownHostKey"),
        ("me@h: Permission denied (publickey).", "NotAccepted"),
        ("kex_exchange_identification: Connection closed by remote host", "LostConnection"),
        ("something new", "NotStarted"),
    ],
)
def test_what_openssh_says_becomes_a_sentence(said: str, kind: str) -> None:
    told = explain_link(255, said, machine="me@h", python="python3").explanation
    assert told.kind == kind
    assert told.what.endswith(".") and "\n" not in told.what and told.remedy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ssh://box/gpu:0", SshTarget("box", "gpu:0")),
        ("ssh://box", SshTarget("box", "cpu")),
        ("ssh://box/", SshTarget("box", "cpu")),
        ("ssh://me@10.0.0.7:2222/cpu:8", SshTarget("10.0.0.7", "cpu:8", "me", 2222)),
        ("ssh://[fe80::1]/tpu", SshTarget("fe80::1", "tpu")),
        ("ssh://box/aot:tpu:v5e:2x2", SshTarget("box", "aot:tpu:v5e:2x2")),
    ],
)
def test_targets_are_read(text: str, expected: SshTarget) -> None:
    assert parse_ssh_target(text) == expected
    assert target_on_machine(text) == expected.inner


@pytest.mark.parametrize(
    "text",
    [
        *("ssh://", "ssh:///cpu", "ssh://-oProxyCommand=touch/cpu", "ssh://a b/cpu"),
        *("ssh://-l@host/cpu", "ssh://host:0/cpu", "ssh://host:99999/cpu", "ssh://h;reboot/cpu"),
        "ssh://h\n/cpu",
    ],
)
def test_what_openssh_could_take_for_an_option_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_ssh_target(text)


def test_the_first_line_is_free_of_what_shells_differ_in() -> None:
    line = remote_command("~/my venv/python")
    assert line.startswith("exec ~/'my venv/python' -c 'import base64;")
    assert not set(line) & set("!$`\n&|")


def test_what_is_sent_starts_a_supervisor_without_anything_of_ours(tmp_path: Path) -> None:
    answer = subprocess.run(
        ["sh", "-c", remote_command(sys.executable)],
        input=make_package(),
        capture_output=True,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)},
        timeout=60,
    )
    assert (answer.stdout, answer.stderr) == (b"jaxscope-supervisor 1\n", b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_the_far_side_ends_when_nobody_is_heard_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "SILENCE_S", 0.05)
    theirs, client = os.pipe()
    read, feed = os.pipe()
    os.write(client, b"alive")  # before anybody counts the silence
    copying = threading.Thread(target=remote._copy, args=(theirs, feed))
    copying.start()
    assert os.read(read, 100) == b"alive"
    assert os.read(read, 100) == b""
    copying.join(10)
    for descriptor in (theirs, client, read):
        os.close(descriptor)
