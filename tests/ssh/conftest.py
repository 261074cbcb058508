"""A real SSH server on this machine's loopback, with keys and a port of its own."""

from __future__ import annotations

import dataclasses
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxscope.client.session import Session
from jaxscope.client.ssh_target import SshTarget

SERVER = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
_PROGRAMS = {"sshd": SERVER, "ssh": shutil.which("ssh"), "ssh-keygen": shutil.which("ssh-keygen")}
_MISSING = [name for name, path in _PROGRAMS.items() if path is None]


@dataclasses.dataclass
class Server:
    """An `sshd` of the tests: its port and keys.

    Attributes:
        options: What OpenSSH's client must be told to use them.
    """

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def options(self) -> tuple[str, ...]:
        return (
            f"IdentityFile={self.folder / 'key'}",
            "IdentitiesOnly=yes",
            "IdentityAgent=none",
            f"UserKnownHostsFile={self.folder / 'known'}",
            "GlobalKnownHostsFile=/dev/null",
        )

    @property
    def machine(self) -> SshTarget:
        return SshTarget("127.0.0.1", "cpu", port=self.port)

    def target(self, inner: str = "cpu") -> str:
        return f"ssh://127.0.0.1:{self.port}/{inner}"

    def start(self) -> None:
        assert SERVER is not None
        if os.geteuid() == 0:
            os.makedirs("/run/sshd", exist_ok=True)  # it refuses to start without
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [SERVER, "-D", "-e", "-f", str(self.folder / "config")],
                stdin=subprocess.DEVNULL,
                stderr=log,
            )
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError((self.folder / "log").read_text())

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)
            self.process = None


def prepare_server(folder: Path) -> Server:
    """Keys and configuration of a server that is not started yet."""
    if _MISSING:
        pytest.skip(f"needs {' and '.join(_MISSING)} (apt-get install openssh-server)")
    folder.chmod(0o700)
    for name in ("host", "key", "stranger"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True
        )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    host_key = " ".join((folder / "host.pub").read_text().split()[:2])
    (folder / "known").write_text(f"[127.0.0.1]:{port} {host_key}\n")
    # A shell that greets before it does what it is told, as many do.
    shell = folder / "shell"
    shell.write_text('#!/bin/sh\necho "Welcome to this machine"\neval "$SSH_ORIGINAL_COMMAND"\n')
    shell.chmod(0o700)
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder / 'host'}\n"
        f"AuthorizedKeysFile {folder / 'key.pub'}\nPidFile none\nPasswordAuthentication no\n"
        f"KbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\nForceCommand {shell}\n"
    )
    return Server(folder, port)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = prepare_server(tmp_path_factory.mktemp("sshd"))
    server.start()
    options = [word for option in server.options for word in ("-o", option)]
    tried = subprocess.run(
        ["ssh", "-o", "BatchMode=yes", *options, "-p", str(server.port), "127.0.0.1", "true"],
        capture_output=True,
        text=True,
    )
    if tried.returncode:
        server.stop()
        pytest.skip(f"this account may not log in over SSH: {tried.stderr.strip()[-200:]}")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def session(server: Server) -> Iterator[Session]:
    with Session(is_warm=False, ssh_options=server.options) as session:
        yield session


PYTHON = sys.executable
"""The interpreter of the other machine, which is this one."""
