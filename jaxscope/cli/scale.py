"""`jaxscope time --scale`: time, compile time, work and memory against size."""

from __future__ import annotations

import json
from pathlib import Path

from jaxscope.analysis.export.chart import chart_to_png
from jaxscope.analysis.export.scaling_files import (
    scaling_chart,
    scaling_to_csv,
    scaling_to_json,
    scaling_to_svg,
)
from jaxscope.analysis.lab_words import (
    FORM_WORDS,
    describe_crossovers,
    describe_noise,
    describe_sizes,
    describe_slope,
    scaling_headers,
    scaling_row,
)
from jaxscope.analysis.text_table import format_table
from jaxscope.cli.output import check_place, write_file
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import named_program, run_options, target_options, watching
from jaxscope.client.requests import ScalingRequest
from jaxscope.client.run import ask
from jaxscope.model.lab import Scaling


def run_scaling(options: Options) -> Scaling:
    """Measure, and write the file that was asked for.

    Raises:
        JaxscopeError: The call cannot be measured, or the file not be written.
    """
    time = options.time
    if time.output is not None:
        check_place(time.output)
    request = ScalingRequest(
        named_program(options),
        options.call,
        vary=time.vary,
        sizes=time.sizes,
        skip_eager=time.skip_eager,
        preset=time.preset,
        **target_options(options),
        **run_options(options),
    )
    with watching(write_scaling, scaling_to_json, is_json=options.is_json) as watch:
        scaling = ask(request, Scaling, watch)
    if time.output is not None:
        data = _render(scaling, time.output.suffix)

        def write(path: Path) -> None:
            path.write_bytes(data)

        write_file(time.output, write)
    return scaling


def write_scaling(scaling: Scaling) -> str:
    """A table with a row for each size, then how everything grows, and where the order changes."""
    environment = scaling.environment
    lines = [
        f"{scaling.call}  with {scaling.vary} varied",
        f"JAX {environment.jax}, Python {environment.python}, {environment.place}",
        *filter(None, [describe_noise(environment)]),
        "",
        *format_table(
            scaling_headers(scaling),
            [scaling_row(point, scaling) for point in scaling.points],
            right=range(len(scaling_headers(scaling))),
        ),
        "",
        *(describe_slope(slope, scaling.forms) for slope in scaling.slopes),
        "",
        describe_crossovers(scaling),
        *filter(None, [FORM_WORDS.get(scaling.forms[0])]),
        *describe_sizes(scaling),
    ]
    lines += [f"warning: {warning}" for warning in scaling.warnings]
    return "\n".join(lines)


def _render(scaling: Scaling, suffix: str) -> bytes:
    """The file's bytes, in the form that its ending names."""
    if suffix == ".csv":
        return scaling_to_csv(scaling).encode()
    if suffix == ".json":
        return json.dumps(scaling_to_json(scaling), indent=2, allow_nan=False).encode()
    if suffix == ".png":
        return chart_to_png(scaling_chart(scaling))
    return scaling_to_svg(scaling).encode()
