"""A clock that only moves when told to, and subjects that move it."""

from __future__ import annotations

from collections.abc import Iterator

from jaxscope.worker.timing.stopwatch import Subject


class Clockwork:
    """A clock in nanoseconds that moves only when it is told to."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.pending_ns = 0
        self.called: list[str] = []

    def __call__(self) -> int:
        return self.now_ns

    def block(self, _result: object) -> None:
        """Waiting takes what the last call left to do."""
        self.now_ns += self.pending_ns
        self.pending_ns = 0

    def subject(
        self, name: str, dispatch_s: float, wait_s: float = 0.0, *, fails_at: int = 0
    ) -> Subject:
        """A subject whose calls take constant times; call number `fails_at` raises."""
        return self.varying(name, iter(lambda: (dispatch_s, wait_s), None), fails_at=fails_at)

    def varying(
        self, name: str, durations_s: Iterator[tuple[float, float]], *, fails_at: int = 0
    ) -> Subject:
        """A subject whose calls take the given dispatch and waiting times in turn."""

        def function() -> None:
            self.called.append(name)
            if fails_at and self.called.count(name) == fails_at:
                raise ValueError("the data ran out")
            dispatch_s, wait_s = next(durations_s)
            self.now_ns += round(dispatch_s * 1e9)
            self.pending_ns = round(wait_s * 1e9)

        return Subject(name, function, no_arguments)


def no_arguments() -> tuple[tuple[()], dict[str, object]]:
    """Makes the arguments of subjects that take none."""
    return (), {}
