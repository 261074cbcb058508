"""What answers a named question: a saved capture, or the run that the question needs."""

from __future__ import annotations

import dataclasses

from jaxscope.client.check import check_call
from jaxscope.client.one_shot import OnEvent, ask
from jaxscope.client.requests import (
    CallRequest,
    CaptureRequest,
    RecompilationRequest,
    TimeRequest,
    ValuesRequest,
)
from jaxscope.client.subjects import load_saved
from jaxscope.errors import Explanation, UsageError
from jaxscope.model import Capture, Timing
from jaxscope.model.experiments import Recompilation
from jaxscope.model.file_kinds import CAPTURE_ENDINGS
from jaxscope.model.values import Values
from jaxscope.report.answers import Evidence


def find_evidence(
    needs: str, line: int, request: CallRequest, on_event: OnEvent | None = None
) -> Evidence:
    """Look into a saved capture, or run what is needed.

    Args:
        needs: As `Question.needs`.
        line: That is asked about, or 0.
        request: The file and the call; a saved capture may stand for both.

    Raises:
        UsageError: The question needs a run, and a saved capture runs nothing.
        JaxscopeError: The call failed, or the file cannot be read.
    """
    if (request.file or "").endswith(CAPTURE_ENDINGS):
        return _saved(needs, line, request)
    common = {
        field.name: getattr(request, field.name)
        for field in dataclasses.fields(CallRequest)
        if field.name != "call"
    }
    if needs == "time":
        return Evidence(timing=ask(TimeRequest(call=request.call, **common), Timing, on_event))
    if needs == "values":
        return Evidence(values=ask(ValuesRequest(call=request.call, **common), Values, on_event))
    if needs == "check":
        return Evidence(checked=check_call(CaptureRequest(call=request.call, **common), on_event))
    if needs == "recompile":
        calls = () if request.call is None else (request.call,)
        watched = ask(RecompilationRequest(calls=calls, **common), Recompilation, on_event)
        return Evidence(recompilation=watched)
    wanted = CaptureRequest(call=request.call, passes=needs == "passes", **common)
    return Evidence(ask(wanted, Capture, on_event), line=line)


def _saved(needs: str, line: int, request: CallRequest) -> Evidence:
    file = request.file or ""
    capture, timing = load_saved(file, request.call)
    if needs in ("values", "check", "recompile") or (needs == "time" and timing is None):
        raise UsageError(
            Explanation(
                what=f"{file} is a saved capture, which cannot answer this question.",
                why="It takes a run of the call.",
                remedy="Name the Python file.",
            )
        )
    return Evidence(capture, timing, line=line)
