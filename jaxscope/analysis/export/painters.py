"""Paints many pictures at a time, in as many processes as there are cores."""

from __future__ import annotations

import collections
import contextlib
import os
import queue
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType

from jaxscope.analysis.export import painter
from jaxscope.analysis.export.steps import OnStep

MAX_PAINTERS = 8
_FEW = 4
"""So many documents are painted sooner than a process starts."""

_DOING = "Painting"
_STEP_S = 0.1
_AHEAD = 2
"""Documents that wait for each process: it never waits, and memory stays small."""


def paint_all(
    documents: Iterable[Callable[[], str]], num_documents: int, on_step: OnStep
) -> Iterator[bytes]:
    """The pictures of documents, in their order.

    Args:
        documents: Each is made when its turn comes.
        num_documents: How many there are.
        on_step: Told at every picture, and several times a second while one is waited for.
    """
    if num_documents <= _FEW:
        for number, document in enumerate(documents):
            on_step(_DOING, number / num_documents)
            yield painter.paint(document())
        return
    num_painters = min(MAX_PAINTERS, os.cpu_count() or 1)
    with Painters(num_painters) as painters:
        waiting: collections.deque[Future[bytes]] = collections.deque()
        for number, document in enumerate(documents):
            waiting.append(painters.start(document()))
            if len(waiting) > _AHEAD * num_painters:
                share = (number + 1 - len(waiting)) / num_documents
                yield _wait_for(waiting.popleft(), share, on_step)
        while waiting:
            share = 1 - len(waiting) / num_documents
            yield _wait_for(waiting.popleft(), share, on_step)


def _wait_for(picture: Future[bytes], share: float, on_step: OnStep) -> bytes:
    while True:
        on_step(_DOING, share)
        with contextlib.suppress(TimeoutError):
            return picture.result(timeout=_STEP_S)


class Painters:
    """Processes that paint; a context manager, which ends them whatever they are doing."""

    def __init__(self, num_painters: int) -> None:
        self._processes = [_start_painter() for _ in range(num_painters)]
        self._free: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        for process in self._processes:
            self._free.put(process)
        self._threads = ThreadPoolExecutor(num_painters, "jaxscope-painter")

    def __enter__(self) -> Painters:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for process in self._processes:
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            with contextlib.suppress(BrokenPipeError), process:
                pass  # its pipes are closed, and its end is waited for

    def start(self, svg: str) -> Future[bytes]:
        """Have a document painted."""
        return self._threads.submit(self._paint, svg)

    def _paint(self, svg: str) -> bytes:
        process = self._free.get()
        try:
            assert process.stdin is not None  # both are pipes
            assert process.stdout is not None
            painter.write_block(process.stdin, svg.encode())  # IO[bytes]
            block = painter.read_block(process.stdout)  # IO[bytes]
        except BrokenPipeError:
            block = None
        finally:
            self._free.put(process)
        # A process that cannot start, or was killed for its memory, does not cost the picture.
        return painter.paint(svg) if block is None else block


def _start_painter() -> subprocess.Popen[bytes]:
    # -P keeps the folder of the program out of the path, where its neighbours have names such as
    # those of the standard library.
    program = str(Path(painter.__file__))
    return subprocess.Popen(
        [sys.executable, "-P", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
