"""Install Debian packages, with sudo where needed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from jaxscope.setup.problem import SetupProblem


def is_root() -> bool:
    """Whether this process may install packages without asking anybody."""
    return os.geteuid() == 0


def install_packages(packages: Sequence[str]) -> None:
    """Install packages through apt-get; its messages go to standard error.

    Raises:
        SetupProblem: This is no Debian, sudo is missing or refused, or apt-get failed.
    """
    line = f"apt-get install -y {' '.join(packages)}"
    if shutil.which("apt-get") is None:
        raise SetupProblem(
            f"this system has no apt-get; install what Debian calls {' '.join(packages)} with its "
            "own package manager, then start again."
        )
    prefix: list[str] = []
    if not is_root():
        if shutil.which("sudo") is None:
            raise SetupProblem(f"installing needs root, and there is no sudo. As root: {line}")
        # Without a terminal sudo could only hang or fail with a message about askpass.
        prefix = ["sudo"] if sys.stdin.isatty() else ["sudo", "--non-interactive"]
    print(f"jaxscope: installing {' '.join(packages)} ...", file=sys.stderr, flush=True)
    commands = (
        [*prefix, "apt-get", "update", "-qq"],
        [
            *prefix,
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            *("apt-get", "install", "-y", "-qq", "--no-install-recommends"),
            *packages,
        ],
    )
    # A failed update (one dead mirror of several) is no reason to stop; the installation will say.
    statuses = [_run(command) for command in commands]
    if statuses[-1] != 0:
        raise SetupProblem(
            "apt-get could not install what is missing (its message is above): is this machine "
            f"online, and may you use sudo? When it is, type: {'' if is_root() else 'sudo '}{line}"
        )


def _run(command: Sequence[str]) -> int:
    try:
        # apt's chatter belongs on standard error: the output of `./run capture -o -` is data.
        return subprocess.run(
            command, stdin=None, stdout=subprocess.DEVNULL, stderr=None, check=False
        ).returncode
    except OSError as error:
        raise SetupProblem(f"{command[0]} could not be started: {error}") from None
