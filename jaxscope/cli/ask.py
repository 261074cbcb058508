"""`jaxscope ask FILE [CALL] QUESTION`: one named question about a call, answered shortly."""

from __future__ import annotations

import dataclasses
import json
import shlex
from pathlib import Path

from jaxscope.cli.output import print_found, print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, named_file, run_options, show_progress, target_options
from jaxscope.client.check import check_call
from jaxscope.client.one_shot import OnEvent, ask
from jaxscope.client.requests import (
    CallRequest,
    CaptureRequest,
    CompileTimeRequest,
    RecompilationRequest,
    TimeRequest,
    ValuesRequest,
)
from jaxscope.client.subjects import load_saved
from jaxscope.errors import UsageError
from jaxscope.model import Capture, Timing, is_available
from jaxscope.model.capture import NONFINITE_RESULT, Checked, Severity
from jaxscope.model.experiments import CompileTime, Recompilation
from jaxscope.model.file_kinds import CAPTURE_ENDINGS
from jaxscope.model.outline import find_offered_calls
from jaxscope.model.ranks import LIST_NAME
from jaxscope.model.values import Values
from jaxscope.report.answers import (
    QUESTIONS,
    Answer,
    Evidence,
    Question,
    answer_question,
    answer_to_document,
    answer_to_json,
    call_of,
    find_question,
)
from jaxscope.schema.archive_container import open_regular

_LIST = "help"
_MAX_LIST_BYTES = 64 << 20


def run(options: Options) -> int:
    """Find what answers the question, in a saved capture or by the run that it needs, and print.

    Raises:
        UsageError: The question is none of the named ones.
        JaxscopeError: The call failed, or the file cannot be read.
    """
    if options.question == _LIST:
        print_text(list_questions())
        return 0
    with show_progress() as show:
        question, answer, evidence = find_answer(options, Watcher(show))
    print_found(
        options,
        lambda: answer_to_json(question, answer, evidence),
        lambda: answer_to_document(answer, _proposed_call(options, evidence)),
    )
    return 0


def _proposed_call(options: Options, evidence: Evidence) -> str:
    """The call that was found for a file that offers none, where none was typed."""
    file = named_file(options)
    if options.call is not None or file.endswith(CAPTURE_ENDINGS):
        return ""
    try:
        offered = find_offered_calls(Path(file).read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    return "" if offered else call_of(evidence)


def list_questions() -> str:
    """A line for each question: its name, and what it asks."""
    return "\n".join(f"{question.name:12} {question.asks}" for question in QUESTIONS)


def find_answer(options: Options, on_event: OnEvent) -> tuple[Question, Answer, Evidence]:
    """The question that is meant, its answer, and what that rests on.

    Raises:
        UsageError: The question is none of the named ones.
        JaxscopeError: The call failed, or the file cannot be read.
    """
    options = _join_words(options)
    file = named_file(options)
    if _is_known(file) and not _is_known(options.question):
        call = [options.call] if options.call is not None else []  # it took the file's place
        raise UsageError(
            "The file comes before the question.",
            remedy=f"Type: jaxscope ask {shlex.join([*call, options.question, file])}",
        )
    question, line, line_file = find_question(options.question)
    request = CallRequest(file, options.call, **target_options(options), **run_options(options))
    evidence = find_evidence(question, request, on_event)
    evidence = dataclasses.replace(evidence, line=line, file=line_file)
    return question, answer_question(question, evidence), evidence


def _join_words(options: Options) -> Options:
    """Take two words of a question, `line 12` without quotes, for one, not the first for a call."""
    words = f"{options.call} {options.question}"
    if options.call is not None and not _is_known(options.question) and _is_known(words):
        return dataclasses.replace(options, call=None, question=words)
    return options


def _is_known(question: str) -> bool:
    try:
        find_question(question)
    except UsageError:
        return False
    return True


def find_evidence(
    question: Question, request: CallRequest, on_event: OnEvent | None = None
) -> Evidence:
    """Look into a saved capture, or run what the question needs.

    Args:
        request: The file and the call; a saved capture may stand for both.

    Raises:
        UsageError: The question needs a run, and a saved capture runs nothing.
        JaxscopeError: The call failed, or the file cannot be read.
    """
    if (request.file or "").endswith(CAPTURE_ENDINGS):
        return _saved(question.needs, request)
    needs = question.needs
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
    if needs == "compile":
        compiled = ask(CompileTimeRequest(call=request.call, **common), CompileTime, on_event)
        return Evidence(compile_time=compiled)
    wanted = CaptureRequest(call=request.call, passes=needs == "passes", **common)
    return Evidence(ask(wanted, Capture, on_event))


def _saved(needs: str, request: CallRequest) -> Evidence:
    file = request.file or ""
    capture, timing = load_saved(file, request.call)
    if needs == "check":
        return Evidence(capture, checked=_checked(capture, file))
    if needs == "values" and any(c.rule == NONFINITE_RESULT for c in capture.checks):
        return Evidence(capture)
    if needs in ("values", "recompile") or (needs == "time" and timing is None):
        why, remedy = "It takes a run of the call.", "Name the Python file."
        if words := _find_run(Path(file)):
            why = "It takes a run of the call, which was caught while a script ran."
            at_nan = " --at-nan" if needs == "values" else ""
            remedy = f"Run the script again: jaxscope run{at_nan} {words}"
            if needs == "time":
                source = shlex.quote(capture.call_file)
                remedy = f"Name the script and a call: jaxscope ask {source} CALL speed"
        raise UsageError(
            f"{file} is a saved capture, which cannot answer this question.",
            why=why,
            remedy=remedy,
        )
    return Evidence(capture, timing)


def _find_run(file: Path) -> str:
    """The function to catch, and the script, whose run wrote a capture; empty of any other."""
    try:
        with open_regular(file.parent / LIST_NAME, _MAX_LIST_BYTES) as opened:
            told = json.loads(opened.read(_MAX_LIST_BYTES))
        for function in told["compilations"]:
            if file.name in [each["capture"] for each in function["variants"]]:
                name = shlex.quote(function["function"].rpartition(".")[2])
                return f"--catch {name} {told['recompilation']['calls'][0]}"
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass  # there is no such list
    return ""


def _checked(capture: Capture, file: str) -> Checked:
    """What was found when the call was traced.

    Raises:
        UsageError: It never was, as that of a dump.
    """
    traced = capture.stage("jaxpr")
    if traced is None or not is_available(traced.graph):
        raise UsageError(
            f"{file} does not tell what is likely to be a mistake.",
            why="Its call was not traced, and checks look at what JAX traces.",
            remedy="Name the Python file.",
        )
    found = sorted(capture.checks, key=lambda check: list(Severity).index(check.severity))
    told = "Found when it was captured: `check` of the Python file looks at all values as well."
    return Checked(capture.call, tuple(found), (told,))
