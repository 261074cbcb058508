"""Open what a job left behind: its modules as a list, and each as a capture."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jaxscope.client.one_shot import OnEvent, ask
from jaxscope.client.requests import OpenRequest
from jaxscope.errors import Explanation, SourceError
from jaxscope.model import Capture
from jaxscope.model.dumps import FoundDumps, ModuleFiles
from jaxscope.model.file_kinds import HEAD_BYTES, FileForm, recognise
from jaxscope.model.said import say
from jaxscope.model.timing import Profile
from jaxscope.program.job_texts import (
    JobText,
    read_compilations,
    read_memory_profile,
    read_out_of_memory,
)
from jaxscope.program.node_times import time_stages
from jaxscope.program.xplane import Recording, make_profile, read_recording
from jaxscope.schema.archive import load_capture
from jaxscope.wire.job_files import read_whole

_MAX_TEXTS = 200
_MAX_TEXT_BYTES = 256 << 20
_MAX_RECORDINGS = 20
"""A run on many hosts leaves one of each."""


def open_module(module: ModuleFiles, on_event: OnEvent | None = None, **options: Any) -> Capture:
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
    found: FoundDumps, name: str | None = None, on_event: OnEvent | None = None, **options: Any
) -> Capture:
    """The capture of `open_measured`, with the times of profiles beside it on its nodes."""
    recordings = read_recordings(found)
    known = add_recorded(found, recordings)
    return open_measured(known, recordings, name, on_event, **options)[0]


def open_measured(
    found: FoundDumps,
    recordings: Mapping[str, Recording | str],
    name: str | None = None,
    on_event: OnEvent | None = None,
    **options: Any,
) -> tuple[Capture, Profile | None]:
    """A capture of a module that was found, and what profiles beside it say of its times.

    Args:
        found: What is there, as `add_recorded` makes it.
        recordings: What its profiles say.
        name: Of the module; None for the one that took most time, else the largest. Where only
            profiles have modules and there is a saved capture, that one is taken.

    Raises:
        UsageError: There is no such module.
        SourceError: Nothing can be read.
    """
    if name is None and not found.has_own_modules and found.captures:
        return lay_over(load_capture(found.captures[0]), recordings)
    if not found.modules:
        raise SourceError(explain_no_module(found, recordings))
    module = found.module(name)
    return lay_over(open_module(module, on_event, **options), recordings, module)


def explain_no_module(found: FoundDumps, recordings: Mapping[str, Recording | str]) -> Explanation:
    """Why nothing can be opened where only profiles were found, and they hold no module."""
    problems = [each for each in recordings.values() if isinstance(each, str)]
    return Explanation(
        what=say(
            "There is no module in {paths}, only a profile without modules.",
            paths=", ".join(found.paths),
        ),
        why=" ".join(problems)
        or say("XLA's profiler writes the modules that ran while it recorded."),
        remedy=say(
            "Open the dump folder of the same run beside it. What the profile measured is "
            "listed by: jaxscope open PROFILE"
        ),
    )


def lay_over(
    capture: Capture, recordings: Mapping[str, Recording | str], module: ModuleFiles | None = None
) -> tuple[Capture, Profile | None]:
    """The capture with the times that profiles have of it, and these times.

    Args:
        capture: Of the program.
        recordings: What each profile says, by path, or why it cannot be read.
        module: What the capture is of; None where it was not opened as a module.
    """
    problems = [each for each in recordings.values() if isinstance(each, str)]
    readable = {path: each for path, each in recordings.items() if isinstance(each, Recording)}
    if module is not None and "recorded" in module.files:  # the same module may be in others
        readable = {path: readable[path] for path in module.files["recorded"]}
    profile, told = make_profile(capture, readable, None if module is None else module.name)
    notes = module.notes if module is not None else ()
    timed = dataclasses.replace(
        capture,
        stages=capture.stages if profile is None else time_stages(capture.stages, profile),
        messages=(*capture.messages, *notes, *problems, *filter(None, [told])),
    )
    return timed, profile


def add_recorded(found: FoundDumps, recordings: Mapping[str, Recording | str]) -> FoundDumps:
    """What was found, with the modules that only profiles hold, and the seconds of all."""
    seconds: dict[str, float] = {}
    for recording in recordings.values():
        for timed in recording.instructions if isinstance(recording, Recording) else ():
            seconds[timed.module] = seconds.get(timed.module, 0.0) + timed.seconds
    counts = Counter(module.name for module in found.modules)
    modules = [
        dataclasses.replace(module, seconds=seconds.get(module.name, 0.0))
        if counts[module.name] == 1
        else module
        for module in found.modules
    ]
    recorded = [each for each in _recorded_modules(recordings) if each.name not in counts]
    labels = Counter(module.label for module in recorded)
    above = os.path.commonpath([os.path.dirname(path) for path in recordings or ("/",)])
    for each in recorded:
        (path,) = each.files["recorded"]
        longer = f"{os.path.relpath(path, above)}/{each.label}"
        modules.append(each if labels[each.label] == 1 else dataclasses.replace(each, label=longer))
    return dataclasses.replace(found, modules=tuple(modules))


def _recorded_modules(recordings: Mapping[str, Recording | str]) -> Iterator[ModuleFiles]:
    for path, recording in recordings.items():
        for each in recording.modules if isinstance(recording, Recording) else ():
            files = {"recorded": (path,)}
            size = each.num_bytes
            yield ModuleFiles(each.name, each.label, "", files, size, size, each.seconds)


def read_recordings(
    found: FoundDumps, on_progress: Callable[[str], None] = lambda _: None
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


def read_texts(found: FoundDumps) -> dict[str, JobText | str]:
    """What each text and memory profile that was found says, by path; or why it cannot be read."""
    read: dict[str, JobText | str] = {}
    for path in found.texts[:_MAX_TEXTS]:
        try:
            data = read_whole(path, _MAX_TEXT_BYTES)
            if recognise(data[:HEAD_BYTES]) is FileForm.MEMORY_PROFILE:
                read[path] = JobText(memory=read_memory_profile(data))
                continue
            text = data.decode("utf-8", "replace")
            known = JobText(tuple(read_compilations(text)), tuple(read_out_of_memory(text)))
            read[path] = known if known.compilations or known.lacks else _nothing_whole(path)
        except SourceError as error:
            read[path] = f"{error.explanation.what} {error.explanation.why}".strip()
        except ValueError as error:
            read[path] = f"{path} is damaged or cut off: {error}"
    return read


def _nothing_whole(path: str) -> str:
    return say(
        "{path} has words of a log or message of JAX's or XLA's, but no line that is whole.",
        path=path,
    )
