"""The worker process: sends `hello`, answers one request, and exits.

One run per process: user code may leave modules, configuration and threads in any state, and a
process that has run it is never used again. Nothing here waits for user threads or exit hooks.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import os
import re
import sys
from collections.abc import Sequence
from os import _exit, read
from time import perf_counter
from typing import Any, NoReturn

from jaxscope.errors import (
    CallError,
    EnvironmentProblem,
    Explanation,
    JaxscopeError,
    SourceError,
    TraceError,
)
from jaxscope.heap import paused_gc
from jaxscope.model.said import say
from jaxscope.wire.frames import FrameError
from jaxscope.wire.messages import read_message
from jaxscope.wire.protocol import DISCONNECTED_STATUS, FOR_READING, PROTOCOL_VERSION
from jaxscope.worker.channel import Channel, Handler
from jaxscope.worker.faults.explain import explain_exception, explain_missing, was_interrupted
from jaxscope.worker.faults.tracebacks import (
    is_user_frame,
    render_exception,
    safe_text,
    walk_frames,
)
from jaxscope.worker.host.process import ProcessChanges, isolate, make_private, obey
from jaxscope.worker.host.source import accept_sources

HANDLERS = {
    "capture": ("jaxscope.worker.stages.capture", "handle_capture"),
    "time": ("jaxscope.worker.timing.call_timing", "handle_time"),
    "profile": ("jaxscope.worker.timing.profile", "handle_profile"),
    "scale": ("jaxscope.worker.timing.scaling", "handle_scale"),
    "recompile": ("jaxscope.worker.timing.recompilation", "handle_recompile"),
    "compile_time": ("jaxscope.worker.timing.compile_time", "handle_compile_time"),
    "compare": ("jaxscope.worker.timing.program_comparison", "handle_compare"),
    "side": ("jaxscope.worker.timing.program_comparison", "handle_side"),
    "agree": ("jaxscope.worker.timing.agreement", "handle_agree"),
    "values": ("jaxscope.worker.values.evaluation", "handle_values"),
    "step": ("jaxscope.worker.values.stepping", "handle_step"),
    "trace_lines": ("jaxscope.worker.values.tracing", "handle_trace_lines"),
    "remat": ("jaxscope.worker.stages.remat", "handle_remat"),
    "calibrate": ("jaxscope.worker.timing.calibration", "handle_calibrate"),
    "propose": ("jaxscope.worker.stages.proposals", "handle_propose"),
    "open": ("jaxscope.worker.stages.dump_reader", "handle_open"),
    "outline": ("jaxscope.worker.host.outline", "handle_outline"),
    "environment": ("jaxscope.worker.targets.environment", "handle_environment"),
}
"""Module and function that answer each type of request; imported when first needed."""

_FAULTS: tuple[tuple[type[JaxscopeError], str], ...] = (
    (SourceError, "source"),
    (CallError, "call"),
    (TraceError, "trace"),
    (EnvironmentProblem, "environment"),
)
_NEEDED = ("jaxscope.worker.stages.capture", "jaxscope.worker.targets.environment")
_NO_TARGET = frozenset({"outline", "environment"})
_WITHOUT_JAX = "open"
"""The one request that is answered where JAX cannot be imported, as far as that goes."""
_INTERRUPTED_STATUS = 130


def _import_jax() -> Explanation | None:
    """Import JAX; why that does not work here, or None."""
    try:
        with paused_gc():  # it would take a quarter of the time, and finds nothing
            importlib.import_module("jax.numpy")
    except Exception as error:
        remedy = f"Repair it: {sys.executable} -m pip install --upgrade jax jaxlib"
        settings = [f"{name}={value}" for name, value in os.environ.items() if name[:4] == "JAX_"]
        if settings and not isinstance(error, ImportError):
            remedy = say(
                "Correct the environment, which sets {settings}.",
                settings=", ".join(sorted(settings))[:500],
            )
        return Explanation(
            what=say("JAX cannot be imported by {python}.", python=sys.executable),
            why=safe_text(error),
            remedy=remedy,
            kind=type(error).__name__,
            full_traceback=render_exception(error),
        )
    return None


def main(arguments: Sequence[str]) -> NoReturn:
    """Run a worker on inherited descriptors, and end the process.

    Args:
        arguments: Descriptors to read requests from, to send messages to, for signs of life and
            for stacks, and on a system without signals to read commands from; then the
            supervisor's process id.
    """
    *descriptors, parent_pid = map(int, arguments)
    request, reply, heartbeat, stack, *commands = map(make_private, descriptors)
    isolate(parent_pid, stack)
    for descriptor in commands:
        obey(descriptor, stack)
    if not commands:
        os.set_blocking(heartbeat, False)
    read_request = functools.partial(read_message, functools.partial(_read_exactly, request))
    channel = Channel(reply, heartbeat_descriptor=heartbeat, receive=read_request)
    channel.start_heartbeat(stack if commands else None)
    status = 1
    try:
        _warm_up(channel)
        status = _serve(channel)
    except KeyboardInterrupt:
        status = _INTERRUPTED_STATUS
    except OSError:
        status = DISCONNECTED_STATUS  # the supervisor is gone, or user code closed our end
    finally:
        _exit(status)


def _warm_up(channel: Channel) -> None:
    """Import all that a run needs, and say hello. No backend starts here."""
    with paused_gc():
        for module in () if IS_FOR_READING else _NEEDED:
            with contextlib.suppress(Exception):  # the request that needs it reports it
                importlib.import_module(module)
    version = ".".join(map(str, sys.version_info[:3]))
    channel.send("hello", {"pid": os.getpid(), "python": version, "protocol": PROTOCOL_VERSION})


def _serve(channel: Channel) -> int:
    """Answer one request; returns the exit status."""
    try:
        message = channel.receive()
    except (EOFError, FrameError):
        return 0
    channel.begin()
    accept_sources(message.arrays)
    request = dict(message.fields)
    channel.run = str(request.pop("run", ""))
    return _answer(message.type, request, channel)


def _read_exactly(descriptor: int, size: int) -> bytes:
    pieces = bytearray()
    while len(pieces) < size:
        piece = read(descriptor, size - len(pieces))
        if not piece:
            raise EOFError
        pieces += piece
    return bytes(pieces)


def _answer(type_of_request: str, request: dict[str, Any], channel: Channel) -> int:
    start = perf_counter()
    try:
        if NO_JAX is not None and type_of_request != _WITHOUT_JAX:
            raise EnvironmentProblem(NO_JAX)
        module, function = HANDLERS[type_of_request]
        handler: Handler = getattr(importlib.import_module(module), function)
        if type_of_request not in _NO_TARGET and _HAS_JAX:
            _prepare(request, channel)
        notes = None if IS_FOR_READING else ProcessChanges()  # which looks at JAX's settings
        kept = handler(request, channel)
        if _HAS_JAX:
            from jaxscope.worker.host.job import finish_job

            finish_job(channel)
    except JaxscopeError as error:
        fault = next((name for cls, name in _FAULTS if isinstance(error, cls)), "internal")
        stage = error.stage or None
        if _HAS_JAX:
            from jaxscope.worker.host.job import publish_failure

            publish_failure(error.explanation.what)
        _send_failure(channel, stage, fault, error.explanation)
        return 1
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and was_interrupted():
            raise
        sys.settrace(None)
        sys.setprofile(None)
        if _is_of_a_hook(error, request):
            explained = explain_exception(error, {request["file"]}, stage="tracing every line")
            _send_failure(channel, None, *explained)
        elif (missing := explain_missing(error)) is not None:
            _send_failure(channel, None, "environment", missing)
        else:
            _send_failure(channel, None, "internal", _explain_bug(error))
        return 1
    for text in notes.messages() if notes is not None else ():
        channel.message(text)
    _flush_output()
    channel.send("done", {"wall_seconds": perf_counter() - start})
    del kept  # freeing what a capture was made from would have delayed the answer
    return 0


def _is_of_a_hook(error: BaseException, request: dict[str, Any]) -> bool:
    """Whether a function of the user's raised, which Python calls for every line, also of ours."""
    frames = walk_frames(error.__traceback__)
    file = request.get("file")
    return bool(frames and file) and is_user_frame(frames[-1].file, {str(file)})


def _prepare(request: dict[str, Any], channel: Channel) -> None:
    from jaxscope.worker.host.source import open_folder, read_source, refuse_name
    from jaxscope.worker.targets.environment import prepare_target

    if is_newer_than_checked(_JAX_VERSION):
        channel.message(
            say(
                "{newer}. What cannot be read of it is left out, with the reason in its place.",
                newer=_NEWER,
            )
        )
    prepare_target(request)
    for name in ("file", "other_file"):
        if isinstance(request.get(name), str) and "\0" not in request[name]:
            refuse_name(request[name])
    if request.get("file"):
        for text in open_folder(read_source(request["file"])):
            channel.message(text)


def _send_failure(
    channel: Channel, stage: str | None, fault: str, explanation: Explanation
) -> None:
    _flush_output()
    fields = {name: getattr(explanation, name) for name in Explanation.__slots__}
    channel.send("failed", {"fault": fault, "stage": stage, "explanation": fields})


def _explain_bug(error: BaseException) -> Explanation:
    what = f"jaxscope's worker raised {type(error).__name__}: this is a bug in jaxscope."
    if is_newer_than_checked(_JAX_VERSION):
        what = f"jaxscope's worker raised {type(error).__name__}. {_NEWER}: that may be why."
    return Explanation(
        what=what,
        why=safe_text(error),
        remedy=say("Please report it, with the details below."),
        kind=type(error).__name__,
        full_traceback=render_exception(error),
    )


def _flush_output() -> None:
    """Push out what user code printed: `os._exit` would lose it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # the user's own object may stand there
            stream.flush()
    with contextlib.suppress(Exception):
        c_library = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
        c_library.fflush(None)


_NEWEST_CHECKED = (0, 12)
"""The newest release of JAX that the suite was run with."""


def is_newer_than_checked(version: str) -> bool:
    """Whether nobody has tried this release of JAX."""
    return tuple(map(int, re.findall(r"\d+", version)[:2])) > _NEWEST_CHECKED


IS_FOR_READING = FOR_READING in os.environ
"""Whether files are only read here."""
NO_JAX = None if IS_FOR_READING else _import_jax()
"""Why there is no JAX here. It is imported with this module: `bootstrap` then keeps to itself what
JAX's plugins print."""
_HAS_JAX = NO_JAX is None and not IS_FOR_READING
_JAX_VERSION = str(getattr(sys.modules.get("jax"), "__version__", ""))
_NEWER = (
    f"JAX {_JAX_VERSION} is newer than what jaxscope was tested with (up to "
    f"{'.'.join(map(str, _NEWEST_CHECKED))})"
)
