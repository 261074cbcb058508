"""Capture one call for many targets, one process after another: compilers differ by target."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from jaxscope.client.events import Event
from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.errors import (
    CallError,
    InternalError,
    JaxscopeError,
    SourceError,
    Stopped,
    UsageError,
    UserCodeError,
)
from jaxscope.model import Capture
from jaxscope.model.hardware import chip_names, find_chip
from jaxscope.model.said import say

Found = tuple[str, Capture | JaxscopeError]

_OF_EVERY_TARGET = (SourceError, CallError, UsageError, Stopped)


def full_target(word: str) -> str:
    """The target that a person means: `v5e:2x2` is `aot:tpu:v5e:2x2`, others are what they are."""
    name, _, size = word.strip().partition(":")
    chip = find_chip(name)
    if chip is None:
        return word.strip()
    return f"aot:{chip.kind}:{chip.name}:{size}" if size else chip.target


def default_targets(kinds: Sequence[str] = ("tpu", "gpu")) -> tuple[str, ...]:
    """Every chip that something is published of here, in its smallest usual number."""
    chips = (find_chip(name) for kind in kinds for name in chip_names(kind))
    return tuple(chip.target for chip in chips if chip is not None)


def capture_targets(
    request: CaptureRequest,
    targets: Sequence[str],
    *,
    on_event: Callable[[Event], None] | None = None,
    on_found: Callable[[str, Capture | JaxscopeError], None] | None = None,
) -> list[Found]:
    """Capture a call for each target.

    Args:
        request: Its target is not looked at.
        targets: In the order of the answers; a target that cannot be compiled for costs nothing
            but its own answer.
        on_event: Told what each run does.
        on_found: Told each answer as it comes.

    Raises:
        UsageError: No target is named.
        JaxscopeError: None of the targets has an answer; the first reason is raised. What is wrong
            with the file or the call itself is raised at once.
    """
    if not targets:
        raise UsageError(say("No target is named."), remedy=say("Such as v5e:2x2,h100."))
    found: list[Found] = []
    with Session(request.python, is_warm=False) as session:
        for target in targets:
            answer = _capture(session, dataclasses.replace(request, target=target), on_event)
            if isinstance(answer, _OF_EVERY_TARGET):
                raise answer
            found.append((target, answer))
            if on_found is not None:
                on_found(target, answer)
    failures = [answer for _, answer in found if isinstance(answer, JaxscopeError)]
    if len(failures) == len(found) and not any(_is_answer(error) for error in failures):
        raise failures[0]
    return found


def _capture(
    session: Session, request: CaptureRequest, on_event: Callable[[Event], None] | None
) -> Capture | JaxscopeError:
    try:
        run = session.start(request, on_event)
        result = run.wait()
    except JaxscopeError as error:
        return error
    if not isinstance(result, Capture):
        raise InternalError(say("A capture returned {name}.", name=type(result).__name__))
    return result


def _is_answer(error: JaxscopeError) -> bool:
    """Whether a failure is an answer: the program does not fit the chip's memory."""
    return isinstance(error, UserCodeError) and error.explanation.is_out_of_memory
