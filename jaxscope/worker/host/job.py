"""One process of several: what the others of the job compiled, and how to part from them.

Jobs are started by the user's own launcher, and the user's code starts JAX's distributed runtime.
Each process captures its own program; here they send each other what it was.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import socket
from typing import Any

from jaxscope.model.said import say
from jaxscope.worker import compat
from jaxscope.worker import compat as compat_job
from jaxscope.worker.channel import Channel

WAIT_S = 60.0
"""For what the other processes have to say: they may be slower, or have failed."""

PARTING_S = 5.0
"""For the others to finish, where one of them has failed and never will."""

_noted: list[dict[str, str]] = []
_rounds = itertools.count()


def note_program(lowered: Any, module: Any) -> None:
    """Remember a compiled program, if this process is one of several."""
    if compat_job.find_job() is None:
        return
    stablehlo = compat.parse_module(compat.module_bytecode(lowered)).operation
    _noted.append(
        {
            "host": socket.gethostname(),
            "lowered": _digest(stablehlo.get_asm(enable_debug_info=False)),
            "compiled": _digest(compat_job.program_text(module)),
        }
    )


def publish_failure(what: str) -> None:
    """Let the other processes know that this one compiles nothing: they would wait for it."""
    job = compat_job.find_job()
    if job is None:
        return
    client, number, _ = job
    told = _missing(f"Process {number} failed: {what}")
    with contextlib.suppress(Exception):  # the failure itself is reported
        compat_job.publish(client, f"jaxscope/{next(_rounds)}/{number}", json.dumps(told))


def exchange_programs(channel: Channel) -> bool:
    """Exchange what was compiled with the other processes; ends with a message `job`.

    Returns:
        Whether all of them were heard.
    """
    job = compat_job.find_job()
    if job is None or not _noted:
        return True
    client, number, count = job
    key = f"jaxscope/{next(_rounds)}"
    channel.progress(
        "job", say("Hearing what the other {count} processes compiled", count=count - 1)
    )
    members: list[dict[str, str]] = []
    own = _noted[0]
    _noted.clear()
    try:
        compat_job.publish(client, f"{key}/{number}", json.dumps(own))
    except Exception as error:  # JAX's own error classes differ by release
        members = [_missing(f"It could not be told: {type(error).__name__}.")] * count
    members = members or [
        own if other == number else _hear(client, f"{key}/{other}", other) for other in range(count)
    ]
    channel.send("job", {"process": number, "members": members})
    return all(member.get("compiled") for member in members)


def finish_job(channel: Channel) -> None:
    """Report what there is to report, and leave the job together with the others.

    The process with the job's coordinator must not end before the rest: they would be killed.
    """
    is_complete = exchange_programs(channel)
    job = compat_job.find_job()
    if job is None:
        return
    channel.progress("job", say("Waiting for the other processes to finish"))
    try:
        compat_job.await_all(job[0], "jaxscope/end", WAIT_S if is_complete else PARTING_S)
        compat_job.leave()
    except Exception:
        return  # some process is gone; this one has said all it knows


def _hear(client: Any, key: str, other: int) -> dict[str, str]:
    try:
        told = json.loads(compat_job.await_text(client, key, WAIT_S))
    except Exception as error:  # JAX's own error classes differ by release
        first_line = str(error).partition("\n")[0][:200]
        return _missing(f"Process {other} did not say what it compiled: {first_line}")
    return {name: str(told.get(name, "")) for name in ("host", "lowered", "compiled", "reason")}


def _missing(reason: str) -> dict[str, str]:
    return {"host": "", "lowered": "", "compiled": "", "reason": reason}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
