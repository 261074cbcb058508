"""Targets on other machines: `ssh://user@host:22/cpu:8`."""

from __future__ import annotations

import re

from jaxscope.errors import UsageError
from jaxscope.late_dataclass import dataclass

SCHEME = "ssh://"
DEFAULT_TARGET = "cpu"
_TARGET = re.compile(
    r"ssh://(?:(?P<user>[A-Za-z0-9_][\w.+-]{0,63})@)?"
    r"(?P<host>[A-Za-z0-9_][\w.-]{0,252}|\[[0-9A-Fa-f:.%]{2,64}\])"
    r"(?::(?P<port>\d{1,5}))?(?:/(?P<inner>.*))?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class SshTarget:
    """A device of another machine.

    Attributes:
        host: A name that the system's OpenSSH knows, entries of its configuration included.
        inner: The target there, such as `gpu:0`.
        user: Who to log in as; empty for what OpenSSH takes.
        port: Where; 0 for what OpenSSH takes.
    """

    host: str
    inner: str
    user: str = ""
    port: int = 0

    @property
    def machine(self) -> str:
        """The machine as it was typed, `user@host:22`."""
        user = f"{self.user}@" if self.user else ""
        return f"{user}{self.host}" + (f":{self.port}" if self.port else "")


def is_remote(target: str) -> bool:
    """Whether a target is on another machine."""
    return target.startswith(SCHEME)


def target_on_machine(target: str) -> str:
    """The target as the machine that has it calls it.

    Raises:
        UsageError: It is on another machine, and its form is wrong.
    """
    return parse_ssh_target(target).inner if is_remote(target) else target


def parse_ssh_target(text: str) -> SshTarget:
    """Read `ssh://host/gpu:0`; without a device it is `cpu`.

    Nothing that OpenSSH would take for an option gets through.

    Raises:
        UsageError: The form is wrong.
    """
    match = _TARGET.fullmatch(text)
    port = int(match["port"] or 0) if match is not None else 0
    if match is None or port > 65535 or (match["port"] is not None and port == 0):
        from jaxscope.model.said import say  # with NumPy, which a command's words do not need

        raise UsageError(
            say("There is no target {text}.", text=repr(text[:100])),
            why=say("A target on another machine is ssh://HOST/TARGET."),
            remedy=say("Such as ssh://gpu-box/gpu:0 or ssh://me@10.0.0.7:2222/cpu:8."),
            kind="UnknownTarget",
        )
    host = match["host"].strip("[]")
    return SshTarget(host, match["inner"] or DEFAULT_TARGET, match["user"] or "", port)
