"""The limits that the system sets to this process's memory; allocations beyond them fail oddly."""

from __future__ import annotations

import resource

_KINDS = ((resource.RLIMIT_DATA, "ulimit -d"), (resource.RLIMIT_AS, "ulimit -v"))


def describe_memory_limit() -> str:
    """One sentence on the tightest limit that is in force; empty if there is none."""
    limits = [(resource.getrlimit(kind)[0], how) for kind, how in _KINDS]
    limits = [(size, how) for size, how in limits if size != resource.RLIM_INFINITY]
    if not limits:
        return ""
    size, how = min(limits)
    return f"A memory limit of {size / 1e9:.2f} GB is in force for this process ({how})."
