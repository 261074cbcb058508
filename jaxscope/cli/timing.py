"""`jaxscope time FILE [CALL]`: how long a call takes, eager and jitted."""

from __future__ import annotations

import json

from jaxscope.cli.output import check_place, print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import named_program, run_options, target_options, watching
from jaxscope.client.one_shot import time_call
from jaxscope.report.measurement_text import format_timing
from jaxscope.schema.contract import timing_to_json
from jaxscope.schema.safe_text import make_safe

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
    with watching(format_timing, timing_to_json, is_json=options.is_json) as watch:
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
    if options.is_json:
        print_text(json.dumps(timing_to_json(timing), indent=2, allow_nan=False))
    else:
        scope = "" if options.is_rigorous else f"\n{_ONE_PROCESS}"
        print_text(make_safe(format_timing(timing) + scope))
    return 0
