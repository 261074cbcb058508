"""Run one request in a session of its own: for scripts, notebooks and the command line.

Ctrl-C stops the run, and nothing is left behind.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, runtime_checkable

from jaxscope.client.events import EnvironmentReport, Event, Result
from jaxscope.client.live_run import Run
from jaxscope.client.multi_process_runs import CompositeRun
from jaxscope.client.requests import CaptureRequest, EnvironmentRequest, OutlineRequest, Request
from jaxscope.client.session import Session
from jaxscope.errors import InternalError, JaxscopeError
from jaxscope.model import Capture
from jaxscope.model.outline import Outline

_LAST_WORDS_S = 3.0

OnEvent = Callable[[Event], None]
R = TypeVar("R", bound=Result)


@runtime_checkable
class Follower(Protocol):
    """A receiver of events that also gets the run, to be able to stop or steer it."""

    def follow(self, run: Run | CompositeRun) -> None:
        """Take the run that has been started, to stop it or send to it."""


def capture(
    file: str | None = None,
    call: str | None = None,
    *,
    on_event: OnEvent | None = None,
    **options: Any,
) -> Capture:
    """Capture a call; the options are those of `CaptureRequest`.

    Raises:
        JaxscopeError: Why there is none.
    """
    return ask(CaptureRequest(file, call, **options), Capture, on_event)


def outline(file: str, *, on_event: OnEvent | None = None, **options: Any) -> Outline:
    """List the functions and offered calls of a file without running it.

    Raises:
        SourceError: It cannot be read or parsed.
    """
    return ask(OutlineRequest(file=file, **options), Outline, on_event)


def inspect_environment(*, on_event: OnEvent | None = None, **options: Any) -> EnvironmentReport:
    """Versions, devices and targets.

    Raises:
        EnvironmentProblem: The interpreter has no JAX, or cannot be started.
    """
    return ask(EnvironmentRequest(**options), EnvironmentReport, on_event)


def ask(request: Request, type: type[R], on_event: OnEvent | None = None) -> R:
    """Start a session, run one request, end the session.

    Raises:
        JaxscopeError: Why there is no result.
    """
    # A spare beside the only run there will be is a waste.
    with Session(request.python, is_warm=False, has_spares=False) as session:
        return _wait(session, request, type, on_event)


def _wait(session: Session, request: Request, type: type[R], on_event: OnEvent | None) -> R:
    run = session.start(dataclasses.replace(request), on_event)
    if isinstance(on_event, Follower):
        on_event.follow(run)
    try:
        result = run.wait()
    except KeyboardInterrupt:
        run.kill()
        with contextlib.suppress(JaxscopeError, TimeoutError):
            run.wait(_LAST_WORDS_S)  # `on_event` gets what there was
        raise
    if not isinstance(result, type):
        raise InternalError(f"A {request.type} run returned {result.__class__.__name__}.")
    return result
