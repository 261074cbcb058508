"""When to start a spare worker: one for each kind of run, not too many, not again and again."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from typing import Any

Key = tuple[str, tuple[tuple[str, str], ...]]
"""Interpreter and environment of a worker; a spare serves runs with the same key."""

MAX_SPARES = 2
MAX_IDLE_DEATHS = 3
"""More deaths of idle workers than this within `IDLE_DEATHS_WINDOW_S` end the starting of spares:
something is wrong with the interpreter, and the next run will say what."""

IDLE_DEATHS_WINDOW_S = 60.0


def read_key(values: Mapping[str, Any]) -> Key:
    """The key that a client's frame names.

    Raises:
        ValueError: It names no interpreter, or the environment is not made of texts.
    """
    python, environment = values.get("python"), values.get("environment") or {}
    if not isinstance(python, str) or not isinstance(environment, dict):
        raise ValueError("a worker needs an interpreter and an environment")
    return python, tuple(sorted((str(name), str(value)) for name, value in environment.items()))


class SpareWishes:
    """Which spares to start, and when."""

    def __init__(self) -> None:
        self._wishes: dict[Key, float] = {}
        self._idle_deaths: deque[float] = deque(maxlen=MAX_IDLE_DEATHS + 1)

    def add(self, key: Key, at: float) -> None:
        """Wish for a spare at a time of `time.monotonic`; an earlier wish stays."""
        self._wishes[key] = min(at, self._wishes.get(key, at))

    def drop(self, key: Key) -> None:
        """Forget the wish for a key."""
        self._wishes.pop(key, None)

    def note_idle_death(self) -> None:
        """A worker died that had no run."""
        self._idle_deaths.append(time.monotonic())

    def wait_s(self) -> float | None:
        """Seconds until the next wish is due; None if there is none."""
        if not self._wishes:
            return None
        return max(min(self._wishes.values()) - time.monotonic(), 0.0)

    def take_due(self, now: float) -> list[Key]:
        """Wishes to grant now; none while idle workers die too often."""
        due = [key for key, at in self._wishes.items() if at <= now]
        for key in due:
            del self._wishes[key]
        recent = [at for at in self._idle_deaths if now - at < IDLE_DEATHS_WINDOW_S]
        return [] if len(recent) > MAX_IDLE_DEATHS else due
