"""`jaxscope values FILE [CALL]`: what each equation computes, and where NaN or Inf begins."""

from __future__ import annotations

from jaxscope.cli.output import print_found
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, named_program, run_options, show_progress, target_options
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import ValuesRequest
from jaxscope.model.values import Values
from jaxscope.report.values import values_to_document, values_to_json


def run(options: Options) -> int:
    """Run the call equation by equation, and print what was computed.

    Raises:
        JaxscopeError: The call failed, or the target is not here.
    """
    request = ValuesRequest(
        named_program(options), options.call, **target_options(options), **run_options(options)
    )
    with show_progress() as show:
        found = ask(request, Values, Watcher(show))
    print_found(options, lambda: values_to_json(found), lambda: values_to_document(found))
    return 0
