"""Open what a job left behind: its modules as a list, and each as a capture."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from jaxscope.client.one_shot import OnEvent, ask
from jaxscope.client.requests import OpenRequest
from jaxscope.errors import Explanation, SourceError
from jaxscope.model import Capture, is_available
from jaxscope.model.left_behind import LeftBehind, LeftModule
from jaxscope.program.recording import Recording, lay_recordings, read_recording
from jaxscope.schema.archive import load_capture
from jaxscope.wire.job_files import read_whole

_MAX_RECORDINGS = 20
"""A run on many hosts leaves one of each."""


def open_module(module: LeftModule, on_event: OnEvent | None = None, **options: Any) -> Capture:
    """One module as a capture; nothing of it is run.

    Args:
        on_event: Told how far it is.
        options: Those that every request has, such as `timeout_s`.

    Raises:
        SourceError: Nothing of it can be read.
        WorkerLost: XLA's or MLIR's parser died of it, or it took too much time or memory.
    """
    return ask(OpenRequest.of(module, **options), Capture, on_event)


def open_found(
    found: LeftBehind, name: str | None = None, on_event: OnEvent | None = None, **options: Any
) -> Capture:
    """A capture of a module that was found, or one that jaxscope saved where there is no module.

    Args:
        found: What is there.
        name: Of the module; None for the largest.

    Raises:
        UsageError: There is no such module.
        SourceError: Nothing can be read.
    """
    if found.modules or name is not None:
        module = found.module(name)
        return _lay_over(open_module(module, on_event, **options), module, found)
    if found.captures:
        return load_capture(found.captures[0])
    raise SourceError(
        Explanation(
            what=f"There is no module in {', '.join(found.paths)}, only a profile.",
            remedy="Name the dump folder of the same run beside it; without -o and --module, what "
            "the profile measured is listed.",
        )
    )


def _lay_over(capture: Capture, module: LeftModule, found: LeftBehind) -> Capture:
    """The capture with the times that profiles beside the module have of it."""
    stage = capture.stage("optimized")
    if not found.profiles or stage is None or not is_available(stage.graph):
        return capture
    recordings = read_recordings(found)
    problems = [each for each in recordings.values() if isinstance(each, str)]
    readable = {path: each for path, each in recordings.items() if isinstance(each, Recording)}
    graph, told = lay_recordings(stage.graph, module.name, readable)
    timed = dataclasses.replace(stage, graph=graph)
    return dataclasses.replace(
        capture,
        stages=tuple(timed if each is stage else each for each in capture.stages),
        messages=(*capture.messages, *problems, *filter(None, [told])),
    )


def read_recordings(
    found: LeftBehind, on_progress: Callable[[str], None] = lambda _: None
) -> dict[str, Recording | str]:
    """What each recording that was found says, by path; or why it cannot be read.

    Args:
        found: What is there.
        on_progress: Told what is being read; what it raises ends the reading.
    """
    read: dict[str, Recording | str] = {}
    for path in found.profiles[:_MAX_RECORDINGS]:
        on_progress(f"Reading {path}")
        try:
            read[path] = read_recording(read_whole(path))
        except SourceError as error:
            read[path] = f"{error.explanation.what} {error.explanation.why}".strip()
        except ValueError as error:
            read[path] = f"{path} is damaged or cut off: {error}"
    return read
