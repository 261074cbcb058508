"""Install the lock into an environment: with uv if there is one, else with pip."""

from __future__ import annotations

import collections
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from jaxscope.setup.problem import SetupProblem

_KEPT_LINES = 12

# What pip and uv print, in lower case, and what it means. First match wins.
_CAUSES = (
    (
        ("no space left", "disk quota exceeded"),
        "the disk is full. Make room (about 1.5 GB), or set JAXSCOPE_VENV and TMPDIR to folders on "
        "another disk, then start again.",
    ),
    (
        ("do not match the hashes", "hash mismatch", "hash mismatch for"),
        "a downloaded package is not the one that the lock names, so it was refused. Empty the "
        "cache (pip cache purge) and start again; if it stays, something alters the downloads.",
    ),
    (
        (
            "name resolution",
            "failed to resolve",
            "network is unreachable",
            "connection refused",
            "connection reset",
            "timed out",
            "dns error",
            "error sending request",
            "newconnectionerror",
            "nameresolutionerror",
            "proxyerror",
            "failed to fetch",
            "max retries exceeded",
        ),
        "the packages could not be downloaded. Is this machine online? Behind a proxy set "
        "HTTPS_PROXY. What is already here is kept; start again to go on.",
    ),
    (
        ("certificate",),
        "the secure connection to the package server was refused. Install ca-certificates, or set "
        "PIP_CERT to the certificate of your network, then start again.",
    ),
    (
        ("permission denied",),
        "the environment is not writable for you. Remove it, or set JAXSCOPE_VENV to a folder of "
        "yours, then start again.",
    ),
    (
        ("no matching distribution", "not supported wheel", "no solution found", "has no wheels"),
        "no ready-made packages exist for this processor or this Python. jaxscope runs on 64-bit "
        "Linux (x86_64 or aarch64, glibc 2.34 or newer) with Python 3.11 to 3.13.",
    ),
)


def install_lock(python: Path, lock: Path, announcement: str) -> None:
    """Install every package of the lock, each checked against its hash.

    Args:
        python: Interpreter of the environment.
        lock: The file that pins them.
        announcement: What it is and how long it takes, for the person who waits.

    Raises:
        SetupProblem: It failed; says why in a sentence, with the installer's last lines.
    """
    print(f"jaxscope: installing {announcement} ...", file=sys.stderr, flush=True)
    uv = shutil.which("uv")
    if uv is not None:
        status, _ = _run([uv, "pip", "install", "--python", str(python), *_uv_options(lock)])
        if status == 0:
            return
        # uv does not read pip's configuration (mirrors, certificates); pip may still get through.
    if _run([str(python), "-m", "pip", "--version"])[0] != 0:
        _run([str(python), "-m", "ensurepip", "--default-pip"])
    status, lines = _run([str(python), "-m", "pip", "install", *_pip_options(lock)])
    if status != 0:
        raise SetupProblem(explain_failure(lines))


def explain_failure(lines: Sequence[str]) -> str:
    """The cause of a failed installation as a sentence, above the installer's own last lines."""
    text = "\n".join(lines).lower()
    sentence = next(
        (meaning for signs, meaning in _CAUSES if any(sign in text for sign in signs)),
        "the packages could not be installed; what is already here is kept, start again to go on.",
    )
    tail = "\n".join(f"    {line}" for line in list(lines)[-4:])
    return f"{sentence}\n{tail}" if tail else sentence


def _uv_options(lock: Path) -> list[str]:
    return ["--quiet", "--require-hashes", "--no-build", "--requirement", str(lock)]


def _pip_options(lock: Path) -> list[str]:
    return [
        "--require-hashes",
        "--only-binary=:all:",
        "--no-input",
        "--disable-pip-version-check",
        "--progress-bar=off",
        "--retries=2",
        f"--requirement={lock}",
    ]


def _run(command: Sequence[str]) -> tuple[int, list[str]]:
    """Run an installer; its lines pass by on a terminal, and the last ones are kept."""
    is_terminal = sys.stderr.isatty()
    last: collections.deque[str] = collections.deque(maxlen=_KEPT_LINES)
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
    except OSError as error:
        return 127, [str(error)]
    assert process.stdout is not None
    with process.stdout as output:
        for line in output:
            last.append(line.rstrip())
            if is_terminal:
                width = shutil.get_terminal_size().columns - 4
                sys.stderr.write(f"\r\033[K  {line.strip()[:width]}")
                sys.stderr.flush()
    if is_terminal:
        sys.stderr.write("\r\033[K")
    return process.wait(), list(last)
