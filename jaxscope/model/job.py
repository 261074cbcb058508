"""A program that several processes run together, as one of them sees it."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """One process of a job.

    Attributes:
        host: The machine it runs on; empty where it did not say.
        lowered: SHA-256 of its StableHLO without places of the source; empty where unknown.
        compiled: The same of its optimized HLO.
        reason: Why they are unknown, or empty.
    """

    host: str = ""
    lowered: str = ""
    compiled: str = ""
    reason: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """Processes that run one program together on JAX's distributed runtime.

    Attributes:
        process: Number of the process that this capture is of.
        members: All of them, by number.
    """

    process: int
    members: tuple[Member, ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The machines, each once, in the order of their first process."""
        return tuple(dict.fromkeys(member.host for member in self.members if member.host))

    @property
    def is_same_program(self) -> bool | None:
        """Whether all compiled the same program; None where some did not say."""
        known = [(member.lowered, member.compiled) for member in self.members]
        if len({pair for pair in known if all(pair)}) > 1:
            return False
        return None if any(not all(pair) for pair in known) else True
