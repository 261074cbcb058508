"""The virtual environment `.venv`: made from the hash-pinned lock, checked, repaired.

A stamp inside it, written last, says which lock, checkout and Python it was made for. An
environment without a fitting stamp (new lock, interrupted installation, moved checkout) is
completed; one whose Python does not run is made anew. The libraries that some samples need have a
lock and a stamp of their own, as have the tools for tests and checks, so that opening the window
does not wait for them.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from jaxscope.setup import SetupProblem

# Install the lock into an environment: with uv if there is one, else with pip.

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
        # Before what is said of networks: pip tries again, and reports that, too.
        ("certificate verify failed", "certificate_verify_failed", "invalid peer certificate"),
        "the certificate of the package server is not trusted here. Is there a proxy with one of "
        "its own? Name its file: PIP_CERT=/path/to/certificate.pem ./run --yes. If not, install "
        "ca-certificates and start again.",
    ),
    (
        (
            *("name resolution", "failed to resolve", "network is unreachable"),
            *("connection refused", "connection reset", "timed out", "dns error"),
            *("error sending request", "newconnectionerror", "nameresolutionerror"),
            *("proxyerror", "failed to fetch", "max retries exceeded"),
        ),
        "the packages could not be downloaded. Is this machine online? Behind a proxy set "
        "HTTPS_PROXY. What is already here is kept; start again to go on.",
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


LOCK_NAME = "requirements.lock"
SAMPLES_LOCK_NAME = "requirements-samples.lock"
TOOLS_LOCK_NAME = "requirements-dev.lock"
SAMPLES = "samples"
TOOLS = "tools"
# Measured: 0.9 GB installed, and the largest wheels lie in the temporary folder meanwhile.
_NEEDED_BYTES = 1_500_000_000


@dataclasses.dataclass(frozen=True)
class _Part:
    """Packages that are installed together, with their lock and stamp.

    Attributes:
        lock_names: Its lock comes last; those before it must be the ones it was made with.
        stamp_name: File inside the environment that says what is installed.
        announcement: What a person waits for, and how much of it.
    """

    lock_names: tuple[str, ...]
    stamp_name: str
    announcement: str


_PROGRAM = _Part(
    (LOCK_NAME,),
    "jaxscope-stamp",
    "JAX, Qt and the rest from the lock (about 0.9 GB, a minute or two)",
)
_SAMPLES = _Part(
    (LOCK_NAME, SAMPLES_LOCK_NAME),
    "jaxscope-samples-stamp",
    "the libraries that some samples and tests need (Flax, Optax, Equinox, …: about 0.1 GB)",
)
_TOOLS = _Part(
    (LOCK_NAME, TOOLS_LOCK_NAME),
    "jaxscope-tools-stamp",
    "what tests and checks need (pytest, mypy, ruff, …: about 0.2 GB)",
)
_FURTHER = {SAMPLES: _SAMPLES, TOOLS: _TOOLS}


class VirtualEnvironment:
    """The virtual environment of one checkout.

    Attributes:
        checkout: Folder of the repository.
        folder: Where the environment is; `.venv`, or what JAXSCOPE_VENV names.
    """

    def __init__(self, checkout: Path, folder: Path | None = None) -> None:
        self.checkout = checkout
        self.folder = folder if folder is not None else _default_folder(checkout)

    @property
    def python(self) -> Path:
        """The interpreter inside."""
        return self.folder / "bin" / "python"

    def is_ready(self, *further: str) -> bool:
        """Whether everything of the lock is installed and its Python runs.

        Args:
            further: What must be there besides, of `SAMPLES` and `TOOLS`.
        """
        version = self._running_version()
        return version is not None and all(
            self._is_installed(part, version) for part in _parts(further)
        )

    def prepare(self, *further: str) -> None:
        """Make the environment, complete it or make it anew, whichever it needs.

        Args:
            further: What is installed besides, of `SAMPLES` and `TOOLS`.

        Raises:
            SetupProblem: It cannot be done; says why.
        """
        with self._exclusively():
            if self.is_ready(*further):  # another `./run` was faster
                return
            self._check_place()
            try:
                if self._running_version() is None:
                    self._create()
                for part in _parts(further):
                    self._install(part)
            except OSError as error:
                raise SetupProblem(
                    f"{self.folder} could not be written: {error.strerror or error}. "
                    "Make room or fix its permissions, then start again."
                ) from None

    def _install(self, part: _Part) -> None:
        version = self._running_version()
        if version is not None and self._is_installed(part, version):
            return
        install_lock(self.python, self.checkout / part.lock_names[-1], part.announcement)
        version = self._running_version()
        if version is None:
            raise SetupProblem(f"the Python in {self.folder} does not start.")
        self._link_checkout()
        stamp = self._make_stamp(part, version)
        (self.folder / part.stamp_name).write_text(stamp, encoding="utf-8")

    def _is_installed(self, part: _Part, version: str) -> bool:
        try:
            stamp = (self.folder / part.stamp_name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return False
        return stamp == self._make_stamp(part, version)

    def _make_stamp(self, part: _Part, version: str) -> str:
        sums = []
        for name in part.lock_names:
            try:
                sums.append(hashlib.sha256((self.checkout / name).read_bytes()).hexdigest())
            except OSError as error:
                raise SetupProblem(
                    f"{name} cannot be read ({error.strerror}): the checkout is incomplete. "
                    "Clone it again."
                ) from None
        return "".join(f"{line}\n" for line in (*sums, self.checkout, version))

    def _running_version(self) -> str | None:
        """Version of the environment's Python, or None if it does not run or is too old."""
        program = "import sys; assert sys.version_info >= (3, 11); print(*sys.version_info[:2])"
        try:
            answer = subprocess.run(
                [self.python, "-I", "-c", program],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return answer.stdout.strip() if answer.returncode == 0 else None

    @contextlib.contextmanager
    def _exclusively(self) -> Iterator[None]:
        """Let two `./run` started at once not install into each other's environment."""
        try:
            with open(self.checkout / LOCK_NAME, "rb") as lock:
                # Some network file systems cannot lock, and Windows has another way.
                with contextlib.suppress(OSError, ImportError):
                    import fcntl

                    fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except FileNotFoundError:
            raise SetupProblem(
                f"{LOCK_NAME} is missing: the checkout is incomplete. Clone it again."
            ) from None

    def _check_place(self) -> None:
        parent = self.folder if self.folder.is_dir() else self.folder.parent
        if not parent.is_dir():
            raise SetupProblem(f"{parent} does not exist; set JAXSCOPE_VENV to a folder of yours.")
        if not os.access(parent, os.W_OK):
            raise SetupProblem(
                f"{parent} is not writable for you. Name a place for the environment, such as: "
                "JAXSCOPE_VENV=~/.cache/jaxscope-venv ./run --yes"
            )
        free_bytes = shutil.disk_usage(parent).free
        if free_bytes < _NEEDED_BYTES and not (self.folder / "lib").is_dir():
            raise SetupProblem(
                f"{parent} has {free_bytes / 1e9:.1f} GB free, and jaxscope with JAX and Qt needs "
                f"{_NEEDED_BYTES / 1e9:.1f} GB. Make room, or set JAXSCOPE_VENV to a folder on "
                "another disk."
            )

    def _create(self) -> None:
        if self.folder.is_symlink() or self.folder.is_file():
            raise SetupProblem(f"{self.folder} is no folder; remove it and start again.")
        if self.folder.is_dir():
            is_ours = (self.folder / "pyvenv.cfg").exists() or not any(self.folder.iterdir())
            if not is_ours:
                raise SetupProblem(
                    f"{self.folder} exists and is no virtual environment; move it away, or set "
                    "JAXSCOPE_VENV to another folder."
                )
            shutil.rmtree(self.folder)
        uv = shutil.which("uv")
        command = (
            [uv, "venv", "--quiet", "--python", sys.executable, str(self.folder)]
            if uv
            else [sys.executable, "-m", "venv", str(self.folder)]
        )
        answer = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        if answer.returncode != 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            last = (answer.stdout.strip().splitlines() or ["no message"])[-1]
            raise SetupProblem(
                f"Python could not make a virtual environment in {self.folder}: {last}"
            )

    def _link_checkout(self) -> None:
        """Make `import jaxscope` find the checkout; no build, so no network and no build tools."""
        for packages in self.folder.glob("lib/python3*/site-packages"):
            (packages / "jaxscope-checkout.pth").write_text(f"{self.checkout}\n", encoding="utf-8")


def _parts(further: Sequence[str]) -> tuple[_Part, ...]:
    return (_PROGRAM, *(_FURTHER[name] for name in further))


def _default_folder(checkout: Path) -> Path:
    named = os.environ.get("JAXSCOPE_VENV", "")
    return Path(named).expanduser().absolute() if named else checkout / ".venv"
