"""`jaxscope time FILE [CALL]`: how long a call takes, eager and jitted."""

from __future__ import annotations

import json

from jaxscope.cli.output import check_place, print_found, write_data
from jaxscope.cli.parser import DIFFERENT, Options
from jaxscope.cli.runs import request_of, watching
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import TimeRequest
from jaxscope.model import Timing
from jaxscope.report.baseline import baseline_to_json, baseline_to_section, find_changes, is_slower
from jaxscope.report.document import Document, Section
from jaxscope.report.measurement_documents import timing_to_document
from jaxscope.schema.contract import load_timing, timing_to_json

_ONE_PROCESS = (
    "All of it was observed in this one process; --rigorous repeats it in six fresh ones, which "
    "earns intervals."
)


def run(options: Options) -> int:
    """Measure and print; experiments have a module of their own."""
    if options.time.experiment != "call":
        from jaxscope.cli.experiments import run_experiment

        return run_experiment(options)
    output, saved = options.time.output, options.time.saved
    for path in filter(None, (output, saved)):
        check_place(path)
    baseline = None if options.time.baseline is None else load_timing(options.time.baseline)
    with watching(timing_to_document, timing_to_json, is_json=options.is_json) as watch:
        names = ("budget_s", "precision", "gradient", "skip_eager")
        asked = {name: getattr(options.time, name) for name in names}
        request = request_of(TimeRequest, options, rigorous=options.is_rigorous, **asked)
        timing = ask(request, Timing, watch)
    if output is not None:
        from jaxscope.cli.experiments import write_timing_figure  # only where a figure is wanted

        write_timing_figure(timing, options.time.figure, output)

    changes = [] if baseline is None else find_changes(timing, baseline)
    found = timing_to_json(timing)
    if saved is not None:
        write_data(saved, json.dumps(found, indent=2, allow_nan=False).encode())
    answer: Document = []
    if baseline is not None:
        answer = [baseline_to_section(changes, baseline)]
        found["baseline"] = baseline_to_json(changes, baseline)

    def to_document() -> Document:
        scope = [] if options.is_rigorous else [Section(blocks=[_ONE_PROCESS])]
        return [*answer, *timing_to_document(timing, is_whole=options.is_whole), *scope]

    print_found(options, lambda: found, to_document)
    return DIFFERENT if is_slower(changes) else 0
