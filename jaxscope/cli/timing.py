"""`jaxscope time FILE [CALL]`: how long a call takes, eager and jitted."""

from __future__ import annotations

from jaxscope.cli.output import check_place, print_found
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import named_program, run_options, target_options, watching
from jaxscope.client.one_shot import time_call
from jaxscope.report.document import Document, Section
from jaxscope.report.measurement_documents import timing_to_document
from jaxscope.schema.contract import timing_to_json

_ONE_PROCESS = (
    "All of it was observed in this one process; --rigorous repeats it in six fresh ones, which "
    "earns intervals."
)


def run(options: Options) -> int:
    """Measure and print; experiments have a module of their own."""
    if options.time.experiment != "call":
        from jaxscope.cli.experiments import run_experiment

        return run_experiment(options)
    output = options.time.output
    if output is not None:
        check_place(output)
    with watching(timing_to_document, timing_to_json, is_json=options.is_json) as watch:
        timing = time_call(
            named_program(options),
            options.call,
            on_event=watch,
            rigorous=options.is_rigorous,
            budget_s=options.time.budget_s,
            precision=options.time.precision,
            gradient=options.time.gradient,
            skip_eager=options.time.skip_eager,
            **target_options(options),
            **run_options(options),
        )
    if output is not None:
        from jaxscope.cli.experiments import write_timing_figure  # only where a figure is wanted

        write_timing_figure(timing, options.time.figure, output)

    def to_document() -> Document:
        scope = [] if options.is_rigorous else [Section(blocks=[_ONE_PROCESS])]
        return [*timing_to_document(timing, is_whole=options.time.is_whole), *scope]

    print_found(options, lambda: timing_to_json(timing), to_document)
    return 0
