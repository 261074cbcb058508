"""Several processes in words: do they run the same program, and where do they differ?"""

from __future__ import annotations

from typing import Any

from jaxscope.analysis.quantities import format_count
from jaxscope.analysis.sharding.cut import name_devices
from jaxscope.model.job import Job, Member


def tell_job(job: Job) -> str:
    """Which process this is and whether all compiled the same, in a few sentences."""
    count = len(job.members)
    hosts = f" on {format_count(len(job.hosts), 'host')}" if job.hosts else ""
    told = f"This is process {job.process} of {count:,}{hosts}. "
    match job.is_same_program:
        case True:
            return f"{told}All {count:,} processes compiled the same program."
        case None:
            silent = [k for k, member in enumerate(job.members) if not member.compiled]
            reasons = " ".join(dict.fromkeys(m.reason for m in job.members if m.reason))
            return (
                f"{told}It is not known whether all compiled the same program: nothing was heard "
                f"of {name_devices(tuple(silent))}. {reasons}"
            ).rstrip()
    return f"{told}The processes did not compile the same program: {_tell_groups(job)}."


def _tell_groups(job: Job) -> str:
    """`0, 2 agree; 1 differs from StableHLO on`."""
    own = job.members[job.process]
    parts: dict[tuple[str, str], list[int]] = {}
    for number, member in enumerate(job.members):
        parts.setdefault((member.lowered, member.compiled), []).append(number)
    told = []
    for pair, numbers in parts.items():
        names = name_devices(tuple(numbers))
        if job.process in numbers:
            told.append(f"{names} {'agree' if len(numbers) > 1 else 'is alone'}")
        else:
            verb = "differ" if len(numbers) > 1 else "differs"
            told.append(f"{names} {verb} {_since(own, Member('', *pair))}")
    return "; ".join(told)


def _since(own: Member, other: Member) -> str:
    if not other.compiled:
        return "in an unknown way"
    if own.lowered == other.lowered:
        return "in what XLA made of the same StableHLO"
    return "from StableHLO on"


def job_to_json(job: Job | None) -> dict[str, Any] | None:
    """The job; None for a program of one process."""
    if job is None:
        return None
    return {
        "process": job.process,
        "same_program": job.is_same_program,
        "text": tell_job(job),
        "members": [
            {
                "host": member.host or None,
                "lowered": member.lowered or None,
                "compiled": member.compiled or None,
                "unavailable": member.reason or None,
            }
            for member in job.members
        ],
    }
