"""Descriptors and what to do when they are ready; a stream that never blocks. Standard library."""

from __future__ import annotations

import contextlib
import os
import selectors
from collections import deque
from collections.abc import Callable

Reaction = Callable[[], None]


class EventLoop:
    """`select`, with an order among what is ready at the same time."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def watch(
        self,
        descriptor: int,
        react: Reaction,
        *,
        order: int = 1,
        events: int = selectors.EVENT_READ,
    ) -> None:
        """Call `react` whenever the descriptor is ready; replaces an earlier reaction."""
        if descriptor in self._selector.get_map():
            self._selector.modify(descriptor, events, (order, react))
        else:
            self._selector.register(descriptor, events, (order, react))

    def unwatch(self, descriptor: int) -> None:
        """Forget a descriptor; harmless if it is not watched."""
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(descriptor)

    def react(self, timeout_s: float | None) -> None:
        """Wait for something to be ready, at most so long, and call the reactions in order."""
        ready = self._selector.select(timeout_s)
        for key, _ in sorted(ready, key=lambda entry: entry[0].data[0]):
            if key.fd in self._selector.get_map():  # an earlier reaction may have unwatched it
                key.data[1]()


class OutStream:
    """Bytes on their way to a reader that may be slow or gone.

    Attributes:
        num_pending_bytes: What the reader has not taken yet.
        is_broken: Whether the reader is gone.
    """

    def __init__(self, loop: EventLoop, descriptor: int) -> None:
        self.num_pending_bytes = 0
        self.is_broken = False
        self._loop = loop
        self._descriptor = descriptor
        self._pending: deque[bytes] = deque()

    def send(self, data: bytes) -> None:
        """Write now what fits, and the rest when there is room."""
        self._pending.append(data)
        self.num_pending_bytes += len(data)
        if len(self._pending) == 1:
            self._flush()

    def _flush(self) -> None:
        try:
            while self._pending:
                data = self._pending.popleft()
                try:
                    written = os.write(self._descriptor, data)
                except BlockingIOError:
                    written = 0
                self.num_pending_bytes -= written
                if written < len(data):
                    self._pending.appendleft(data[written:])
                    self._loop.watch(self._descriptor, self._flush, events=selectors.EVENT_WRITE)
                    return
        except OSError:
            self.is_broken = True
            self._pending.clear()
            self.num_pending_bytes = 0
        self._loop.unwatch(self._descriptor)
