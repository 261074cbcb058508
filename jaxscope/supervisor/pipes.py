"""Pipes that are read and written without waiting, and the loop that waits for all of them at once.

POSIX has descriptors that do not block, and `select`. Windows has neither for pipes: there a thread
for each pipe reads ahead, or writes what was left to it, and the loop waits for these threads
(`ThreadedSelector`). Reading ahead stops at `AHEAD_BYTES`, so a worker that says too much is
slowed down there as well. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jaxscope.wire.frames import widen_pipe

Reaction = Callable[[], None]

AHEAD_BYTES = 1 << 20
_READ_BYTES = 1 << 20
_WRITE_BYTES = 64 << 10
_END_S = 0.5
"""Once all writers of a pipe are dead its end comes at once; more is for a busy machine."""


class EventLoop:
    """`select`, with an order among what is ready at the same time."""

    def __init__(self) -> None:
        self._selector = _make_selector()

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
                    written = write(self._descriptor, data)
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


def make_pipes(count: int) -> list[tuple[int, int]]:
    """So many pipes as `(to read, to write)`, or none.

    Raises:
        OSError: The system gives no more descriptors.
    """
    pipes: list[tuple[int, int]] = []
    try:
        for _ in range(count):
            pipes.append(_make_pipe())
    except OSError:
        close(end for pipe in pipes for end in pipe)
        raise
    return pipes


if sys.platform == "win32":

    def _make_pipe() -> tuple[int, int]:
        """`os.pipe` holds 4 KiB there, and a worker would wait for every one of them."""
        import _winapi
        import msvcrt

        handles = _winapi.CreatePipe(None, AHEAD_BYTES)
        return msvcrt.open_osfhandle(handles[0], 0), msvcrt.open_osfhandle(handles[1], 0)

else:

    def _make_pipe() -> tuple[int, int]:
        ends = os.pipe()
        widen_pipe(ends[0])
        return ends


# Threads in the place of descriptors that do not block.


class _Inflow:
    """What a thread has read from a descriptor ahead of who wants it."""

    def __init__(self, descriptor: int, changed: threading.Condition) -> None:
        self._descriptor = descriptor
        self._changed = changed
        self._data = bytearray()
        self._has_ended = self._is_closed = False
        _begin(self._run, "jaxscope read")

    def is_ready(self) -> bool:
        return bool(self._data) or self._has_ended

    def wait(self, timeout_s: float) -> bool:
        with self._changed:
            return self._changed.wait_for(self.is_ready, timeout_s)

    def take(self) -> bytes | None:
        """All that came; None if nothing yet, empty at the end."""
        with self._changed:
            data = bytes(self._data)
            self._data.clear()
            self._changed.notify_all()
            return data or (b"" if self._has_ended else None)

    def close(self) -> None:
        """Let go of the descriptor; a thread that waits in it closes it at its end."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while not self._is_closed:
            data = b""
            with contextlib.suppress(OSError):
                data = os.read(self._descriptor, _READ_BYTES)
            with self._changed:
                self._data += data
                self._has_ended = not data
                self._changed.notify_all()
                if not data:
                    break
                self._changed.wait_for(lambda: len(self._data) < AHEAD_BYTES or self._is_closed)
        with contextlib.suppress(OSError):
            os.close(self._descriptor)


class _Outflow:
    """What is left to a thread that writes to a descriptor."""

    def __init__(self, descriptor: int, changed: threading.Condition) -> None:
        self._descriptor = descriptor
        self._changed = changed
        self._data = bytearray()
        self._is_broken = self._is_closed = False
        _begin(self._run, "jaxscope write")

    def is_ready(self) -> bool:
        return self._is_broken or len(self._data) < AHEAD_BYTES

    def put(self, data: bytes) -> int:
        """Leave it bytes; how many it took.

        Raises:
            BlockingIOError: It takes none now.
            BrokenPipeError: Nobody reads there any more.
        """
        with self._changed:
            if self._is_broken:
                raise BrokenPipeError
            piece = data[: max(AHEAD_BYTES - len(self._data), 0)]
            if data and not piece:
                raise BlockingIOError
            self._data += piece
            self._changed.notify_all()
            return len(piece)

    def close(self) -> None:
        """Let go of the descriptor once all is written."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._data or self._is_closed)
                piece = bytes(self._data[:_WRITE_BYTES])
            if not piece:
                break
            try:
                written = os.write(self._descriptor, piece)
            except OSError:
                with self._changed:
                    self._is_broken = True
                    self._changed.notify_all()
                break
            with self._changed:
                del self._data[:written]
                self._changed.notify_all()
        with contextlib.suppress(OSError):
            os.close(self._descriptor)


def _begin(run: Callable[[], None], name: str) -> None:
    threading.Thread(target=run, name=name, daemon=True).start()


class ThreadedPipes:
    """Pipes with a thread each, by descriptor."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self._flows: dict[int, _Inflow | _Outflow] = {}

    def flow(self, descriptor: int) -> _Inflow | _Outflow:
        """Of a descriptor that was opened.

        Raises:
            OSError: It was not.
        """
        try:
            return self._flows[descriptor]
        except KeyError:
            raise OSError(f"descriptor {descriptor} is closed") from None

    def open(self, descriptor: int, *, is_read: bool) -> None:
        """Begin to read from a descriptor, or to take bytes for it."""
        self._flows[descriptor] = (_Inflow if is_read else _Outflow)(descriptor, self.changed)

    def read(self, descriptor: int) -> bytes | None:
        """As the function `read`."""
        flow = self._flows.get(descriptor)
        return flow.take() if isinstance(flow, _Inflow) else b""

    def write(self, descriptor: int, data: bytes) -> int:
        """As the function `write`."""
        flow = self.flow(descriptor)
        if not isinstance(flow, _Outflow):
            raise OSError(f"descriptor {descriptor} is there to read")
        return flow.put(data)

    def has_more(self, descriptor: int) -> bool:
        """As the function `has_more`, of a pipe whose writers are dead: waits for its end."""
        flow = self._flows.get(descriptor)
        return isinstance(flow, _Inflow) and flow.wait(_END_S)

    def close(self, descriptors: Iterable[int]) -> None:
        """As the function `close`."""
        for descriptor in descriptors:
            flow = self._flows.pop(descriptor, None)
            if flow is None:
                os.close(descriptor)
            else:
                flow.close()


class ThreadedSelector(selectors.BaseSelector):
    """Waits for `ThreadedPipes` as `select` does for descriptors."""

    def __init__(self, pipes: ThreadedPipes) -> None:
        self._pipes = pipes
        self._keys: dict[int, selectors.SelectorKey] = {}

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """Watch a descriptor that was opened."""
        self._pipes.flow(fileobj)
        key = self._keys[fileobj] = selectors.SelectorKey(fileobj, fileobj, events, data)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        """Forget a descriptor."""
        return self._keys.pop(fileobj)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        """What is watched."""
        return self._keys

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready, after at most so many seconds."""
        with self._pipes.changed:
            self._pipes.changed.wait_for(self._find_ready, timeout)
            return self._find_ready()

    def _find_ready(self) -> list[tuple[selectors.SelectorKey, int]]:
        return [
            (key, key.events)
            for descriptor, key in self._keys.items()
            if self._pipes.flow(descriptor).is_ready()
        ]


if sys.platform == "win32":
    _threaded = ThreadedPipes()
    read, write, has_more = _threaded.read, _threaded.write, _threaded.has_more
    close, open_end = _threaded.close, _threaded.open

    def _make_selector() -> selectors.BaseSelector:
        return ThreadedSelector(_threaded)

else:
    _make_selector = selectors.DefaultSelector
    write = os.write

    def open_end(descriptor: int, *, is_read: bool) -> None:
        """Let our end of a pipe never block."""
        os.set_blocking(descriptor, False)

    def read(descriptor: int) -> bytes | None:
        """What has come through a pipe: None if nothing yet, empty at the end."""
        try:
            return os.read(descriptor, _READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def has_more(descriptor: int) -> bool:
        """Whether reading would return something, the end included."""
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(0))

    def close(descriptors: Iterable[int]) -> None:
        """Close ends of pipes."""
        for descriptor in descriptors:
            os.close(descriptor)
