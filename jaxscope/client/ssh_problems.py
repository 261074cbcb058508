"""Why a machine cannot be used, from what OpenSSH or its shell said: one clear sentence each."""

from __future__ import annotations

import re

from jaxscope.client.ssh_package import TOO_OLD_STATUS
from jaxscope.errors import EnvironmentProblem, Explanation

_LOST = "LostConnection"
_KINDS: tuple[tuple[str, str, str, str], ...] = (
    (
        r"could not resolve hostname|name or service not known|nodename nor servname",
        "UnknownHost",
        "There is no machine called {host}.",
        "Check the name; `ssh {machine}` must work in a terminal.",
    ),
    (
        r"host key verification failed|remote host identification has changed",
        "UnknownHostKey",
        "The key of {host} is not the known one, or not known yet.",
        "Connect once with `ssh {machine}` in a terminal and compare the key.",
    ),
    (
        r"permission denied|too many authentication failures|no supported authentication",
        "NotAccepted",
        "{host} does not accept your key.",
        "jaxscope never asks for passwords: make `ssh -o BatchMode=yes {machine}` work, with a key "
        "in ~/.ssh or in an agent.",
    ),
    (
        r"connection refused",
        "Refused",
        "{host} refuses the connection: no SSH server listens there.",
        "Check the machine and the port.",
    ),
    (
        r"timed out|no route to host|network is unreachable|host is down",
        "Unreachable",
        "{host} does not answer.",
        "Is it running, and is a VPN needed?",
    ),
    (
        r"connection (?:closed|reset)|broken pipe|kex_exchange|client_loop",
        _LOST,
        "The connection to {host} was lost.",
        "Run again: the connection is made anew.",
    ),
)
_TRANSIENT = frozenset({"Refused", "Unreachable", _LOST})
_OLD = re.compile(r"jaxscope needs Python 3\.11: (?P<python>.*) is (?P<version>[\d.]+)")


def explain_link(status: int | None, said: str, *, machine: str, python: str) -> EnvironmentProblem:
    """What to tell of a connection that did not come about.

    Args:
        status: Exit status of `ssh`; None if it had to be ended.
        said: What came from it on standard error.
        machine: As the target names it.
        python: The interpreter that was to be started there.
    """
    host = machine.rpartition("@")[2]
    told = said.strip()[-1000:]
    old = _OLD.search(told)
    if status == TOO_OLD_STATUS and old is not None:
        return _problem(
            f"The Python of {host} is too old: {old['python']} is {old['version']}, and jaxscope "
            "needs 3.11 or newer.",
            "",
            "Name a newer one there with --python, such as --python '~/venv/bin/python'.",
            "TooOldPython",
        )
    if status in (126, 127):
        return _problem(
            f"There is no {python} on {host}.",
            told,
            "Install Python 3.11 or newer there, or name where it is with --python.",
            "NoPython",
        )
    for pattern, kind, what, remedy in _KINDS:
        if re.search(pattern, told, re.IGNORECASE):
            return _problem(
                what.format(host=host), told, remedy.format(machine=_spell(machine)), kind
            )
    if status is None:
        return _problem(
            f"{host} accepted the connection and started nothing in time.",
            told,
            f"Does `ssh {_spell(machine)} {python} --version` answer in a terminal?",
            "NoAnswer",
        )
    return _problem(
        f"Nothing could be started on {host}: ssh ended with status {status}.",
        told,
        f"Does `ssh {_spell(machine)} {python} --version` answer in a terminal?",
        "NotStarted",
    )


def is_transient(problem: EnvironmentProblem) -> bool:
    """Whether the same may work a moment later."""
    return problem.explanation.kind in _TRANSIENT


def _spell(machine: str) -> str:
    """As `ssh` takes it on its command line."""
    name, colon, port = machine.rpartition(":")
    return f"-p {port} {name}" if colon and port.isdecimal() and ":" not in name else machine


def _problem(what: str, why: str, remedy: str, kind: str) -> EnvironmentProblem:
    return EnvironmentProblem(Explanation(what=what, why=why, remedy=remedy, kind=kind))
