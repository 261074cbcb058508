"""The virtual environment `.venv`: made from the hash-pinned lock, checked, repaired.

A stamp inside it, written last, says which lock, checkout and Python it was made for. An
environment without a fitting stamp (new lock, interrupted installation, moved checkout) is
completed; one whose Python does not run is made anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from jaxscope.setup.installer import install_lock
from jaxscope.setup.problem import SetupProblem

LOCK_NAME = "requirements.lock"
_STAMP_NAME = "jaxscope-stamp"
# Measured: 0.9 GB installed, and the largest wheels lie in the temporary folder meanwhile.
_NEEDED_BYTES = 1_500_000_000


class Environment:
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

    def is_ready(self) -> bool:
        """Whether everything of the lock is installed and its Python runs."""
        version = self._running_version()
        try:
            stamp = self._stamp_path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return False
        return version is not None and stamp == self._make_stamp(version)

    def prepare(self) -> None:
        """Make the environment, complete it or make it anew, whichever it needs.

        Raises:
            SetupProblem: It cannot be done; says why.
        """
        with self._exclusively():
            if self.is_ready():  # another `./run` was faster
                return
            self._check_place()
            try:
                if self._running_version() is None:
                    self._create()
                install_lock(self.python, self.checkout / LOCK_NAME)
                version = self._running_version()
                if version is None:
                    raise SetupProblem(f"the Python in {self.folder} does not start.")
                self._link_checkout()
                self._stamp_path.write_text(self._make_stamp(version), encoding="utf-8")
            except OSError as error:
                raise SetupProblem(
                    f"{self.folder} could not be written: {error.strerror or error}. "
                    "Make room or fix its permissions, then start again."
                ) from None

    @property
    def _stamp_path(self) -> Path:
        return self.folder / _STAMP_NAME

    def _make_stamp(self, version: str) -> str:
        try:
            lock = (self.checkout / LOCK_NAME).read_bytes()
        except OSError as error:
            raise SetupProblem(
                f"{LOCK_NAME} cannot be read ({error.strerror}): the checkout is incomplete. "
                "Clone it again."
            ) from None
        return f"{hashlib.sha256(lock).hexdigest()}\n{self.checkout}\n{version}\n"

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
                with contextlib.suppress(OSError):  # some network file systems cannot lock
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
            self._remove_broken()
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

    def _remove_broken(self) -> None:
        is_ours = (self.folder / "pyvenv.cfg").exists() or not any(self.folder.iterdir())
        if not is_ours:
            raise SetupProblem(
                f"{self.folder} exists and is no virtual environment; move it away, or set "
                "JAXSCOPE_VENV to another folder."
            )
        shutil.rmtree(self.folder)

    def _link_checkout(self) -> None:
        """Make `import jaxscope` find the checkout; no build, so no network and no build tools."""
        for packages in self.folder.glob("lib/python3*/site-packages"):
            (packages / "jaxscope-checkout.pth").write_text(f"{self.checkout}\n", encoding="utf-8")


def _default_folder(checkout: Path) -> Path:
    named = os.environ.get("JAXSCOPE_VENV", "")
    return Path(named).expanduser().absolute() if named else checkout / ".venv"
