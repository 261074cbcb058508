"""One request that takes several workers: a run that consists of runs.

What is measured in one process only holds for that process: where code and data lie in memory is
drawn once, when it starts. So some measurements are repeated in fresh ones.
"""

from __future__ import annotations

import abc
import threading
from collections.abc import Callable

from jaxscope.client.events import Event, Failed, Finished, HeadArrived, Result
from jaxscope.client.live_run import AwaitedRun, Run, describe_bug
from jaxscope.client.requests import Request, Wish
from jaxscope.errors import JaxscopeError, Stopped

OnEvent = Callable[[Event], None]
StartWorker = Callable[[Request, OnEvent | None], Run]


class CompositeRun(AwaitedRun, abc.ABC):
    """Like a `Run`; a thread of its own conducts the runs that it consists of.

    Attributes:
        request: What was asked.
    """

    def __init__(
        self, request: Request, start_worker: StartWorker, on_event: OnEvent | None
    ) -> None:
        super().__init__()
        self.request = request
        self._start_worker = start_worker
        self._on_event = on_event
        self._lock = threading.Lock()
        self._parts: list[Run] = []
        self._stop = ""

    # --- for the caller, as of a `Run` ---

    @property
    def id(self) -> str:
        """That of the first of its runs; empty before it started."""
        return self._parts[0].id if self._parts else ""

    def interrupt(self) -> None:
        """Stop: what was measured by then is kept."""
        self._command("interrupt")

    def kill(self) -> None:
        """Kill all workers, at once."""
        self._command("kill")

    def skip(self) -> None:
        """Leave out the step that runs now, where it can be."""
        for part in self._live_parts():
            part.skip()

    def send(self, _wish: Wish) -> None:
        """Nothing: what asks several workers takes no further messages."""

    def output(self, stream: str) -> str:
        """What the code printed to `stdout` or `stderr` in all of its processes."""
        return "".join(part.output(stream) for part in self._parts)

    # --- for the session ---

    def begin(self) -> None:
        """Start the thread that runs the parts."""
        threading.Thread(target=self._follow, name="jaxscope conductor", daemon=True).start()

    # --- for what conducts ---

    @abc.abstractmethod
    def run_parts(self) -> Result:
        """Start runs one after another, or several that take turns, and put results together.

        Raises:
            JaxscopeError: Why there is no result.
        """

    @abc.abstractmethod
    def partial(self) -> Result | None:
        """What was found so far."""

    def start_part(self, request: Request, on_event: OnEvent) -> Run:
        """Start one of the runs.

        Raises:
            Stopped: The whole was stopped.
            JaxscopeError: It cannot be started.
        """
        with self._lock:
            if self._stop:
                raise Stopped("The run was stopped.", kind="Stopped")
            part = self._start_worker(request, on_event)
            self._parts.append(part)
        return part

    def tell(self, event: Event) -> None:
        """Pass an event on; the parts' ends and heads are not the whole's."""
        if self._on_event is not None and not isinstance(event, Finished | Failed | HeadArrived):
            self._on_event(event)

    def _command(self, name: str) -> None:
        with self._lock:
            self._stop = self._stop or name
        for part in self._live_parts():
            getattr(part, name)()

    def _live_parts(self) -> list[Run]:
        with self._lock:
            return [part for part in self._parts if not part.is_over]

    def _follow(self) -> None:
        end: Finished | Failed
        try:
            end = Finished(self.run_parts())
        except JaxscopeError as error:
            end = Failed(error, self.partial())
        except Exception as error:  # of ours, or of `on_event`: the run must end all the same
            end = Failed(describe_bug(error))
        for part in self._live_parts():
            part.kill()
        for part in self._parts:
            part.wait_for_end()
        self.finish(end, self._on_event)
