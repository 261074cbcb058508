"""`jaxscope ask FILE [CALL] QUESTION`: one named question about a call, answered shortly."""

from __future__ import annotations

from jaxscope.cli.output import print_found, print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, named_file, run_options, show_progress, target_options
from jaxscope.client.ask import find_evidence
from jaxscope.client.requests import CallRequest
from jaxscope.report.answers import (
    QUESTIONS,
    answer_question,
    answer_to_document,
    answer_to_json,
    find_question,
)

_LIST = "help"


def run(options: Options) -> int:
    """Find what answers the question, in a saved capture or by the run that it needs, and print.

    Raises:
        UsageError: The question is none of the named ones.
        JaxscopeError: The call failed, or the file cannot be read.
    """
    if options.question == _LIST:
        print_text("\n".join(f"{question.name:12} {question.asks}" for question in QUESTIONS))
        return 0
    question, line = find_question(options.question)
    request = CallRequest(
        named_file(options), options.call, **target_options(options), **run_options(options)
    )
    with show_progress() as show:
        evidence = find_evidence(question.needs, line, request, Watcher(show))
    answer = answer_question(question, evidence)
    print_found(
        options,
        lambda: answer_to_json(question, answer, evidence),
        lambda: answer_to_document(answer),
    )
    return 0
