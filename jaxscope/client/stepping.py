"""Step through the program of a call, and wait for each answer.

    with SteppingClient(StepRequest(file="f.py", call="f(x)")) as stepper:
        step = stepper.move("place", equation="4/jaxpr/2", iterations=[7])
        view = stepper.look("result", 0, "[0, :]")

The window asks the same of a run and does not wait; see `jaxscope.ui.pages.stepping`.
"""

from __future__ import annotations

import itertools
import queue
from collections.abc import Callable, Sequence
from typing import Any, Self

from jaxscope.client.events import ArrayViewed, Event, Failed, Finished, Stepped, SteppingReady
from jaxscope.client.requests import RunMessage, StepRequest, look_message, move_message
from jaxscope.client.session import Session
from jaxscope.errors import InternalError
from jaxscope.model.said import say
from jaxscope.model.values import ArrayView, Step

_LOOPS = ("scan", "while")
_PATIENCE_S = 0.1


class SteppingClient:
    """A run that is stepped through, in a session of its own; ends with its `with` block.

    Attributes:
        stepping: What is stepped through.
    """

    def __init__(
        self,
        request: StepRequest,
        on_event: Callable[[Event], None] | None = None,
        on_wait: Callable[[], None] | None = None,
    ) -> None:
        """Start the run, and wait until the program was traced.

        Args:
            request: What to step through.
            on_event: Told what happens.
            on_wait: Called several times a second while nothing happens; what it raises ends
                the run.

        Raises:
            JaxscopeError: It cannot be traced, or the target is not here.
        """
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._on_event, self._on_wait = on_event, on_wait
        self._numbers = itertools.count(1)
        self._session = Session(request.python, is_warm=False, has_spares=False)
        try:
            self._run = self._session.start(request, self._events.put)
            self.stepping = self._await(lambda event: isinstance(event, SteppingReady)).stepping
        except BaseException:
            self._session.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def move(
        self, to: str, *, equation: str = "", iterations: Sequence[int] = (), condition: str = ""
    ) -> Step:
        """Go to another equation, and wait for its values.

        Args:
            to: `start`, `end`, `forward`, `back`, `into`, `out`, `origin` (of NaN or Inf),
                `place` or `condition`.
            equation: Id of the equation, for `place`.
            iterations: Of the loops around it, outermost first; left out, the first that runs.
            condition: For `condition`, as `model.values` says.

        Raises:
            JaxscopeError: The run ended.
        """
        number = next(self._numbers)
        asked = {"equation": equation, "iterations": list(iterations), "condition": condition}
        self._send(move_message(number, to, **asked))
        found = self._await(
            lambda event: isinstance(event, Stepped) and event.step.number == number
        )
        step: Step = found.step
        return step

    def look(
        self,
        kind: str,
        index: int,
        slice: str = "",
        *,
        holds: bool | None = None,
        forms: Sequence[str] = (),
    ) -> ArrayView:
        """Look at a slice of a value at the present place.

        Args:
            kind: `argument`, `operand` or `result`.
            index: Among those of its kind.
            slice: Such as `[0, :]`; empty for the first two-dimensional one.
            holds: Whether later looks compare with this value; see `look_message`.
            forms: Other forms of the program, `jit` and `float64`, to show the slice in as well.

        Raises:
            JaxscopeError: The run ended.
        """
        number = next(self._numbers)
        self._send(look_message(number, kind, index, slice, holds, forms))
        found = self._await(
            lambda event: isinstance(event, ArrayViewed) and event.view.number == number
        )
        view: ArrayView = found.view
        return view

    def record(self, most: int) -> tuple[Step, ...]:
        """The arguments, at most so many equations in the order in which they run, the results.

        Calls are gone into and loops are not. The last step is no end where there are more
        equations, and where one failed.

        Raises:
            JaxscopeError: The run ended.
        """
        steps = [self.move("start")]
        while not steps[-1].is_end and len(steps) <= most:
            enters = steps[-1].can_enter and steps[-1].operation not in _LOOPS
            step = self.move("into" if enters else "forward")
            if step.is_unmoved:
                break
            steps.append(step)
        return tuple(steps)

    def _send(self, message: RunMessage) -> None:
        send = getattr(self._run, "send", None)
        if send is None:
            raise InternalError(say("A run of several processes cannot be stepped through."))
        send(message)

    def _await(self, is_wanted: Callable[[Event], bool]) -> Any:
        while True:
            try:
                event = self._events.get(timeout=None if self._on_wait is None else _PATIENCE_S)
            except queue.Empty:
                if self._on_wait is not None:
                    self._on_wait()
                continue
            if self._on_event is not None:
                self._on_event(event)
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Finished):
                raise InternalError(say("The run ended before it was asked to."))
            if is_wanted(event):
                return event
