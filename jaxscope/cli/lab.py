"""The experiments of `jaxscope time`: run one, and print it as a table or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from jaxscope.analysis.export.safe_text import make_safe
from jaxscope.analysis.export.scaling_files import scaling_to_json
from jaxscope.cli.compare import (
    agreement_to_json,
    comparison_to_json,
    run_agreement,
    run_comparison,
    write_agreement,
    write_comparison,
)
from jaxscope.cli.output import print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.per_node import profile_to_json, run_profile, write_profile
from jaxscope.cli.recompile import (
    recompilation_to_json,
    run_recompilation,
    write_recompilation,
)
from jaxscope.cli.scale import run_scaling, write_scaling

Experiment = tuple[Callable[[Options], Any], Callable[[Any], str], Callable[[Any], dict[str, Any]]]
"""Run it; write what was found for a person; the same as JSON."""

EXPERIMENTS: dict[str, Experiment] = {
    "nodes": (run_profile, write_profile, profile_to_json),
    "recompilations": (run_recompilation, write_recompilation, recompilation_to_json),
    "comparison": (run_comparison, write_comparison, comparison_to_json),
    "agreement": (run_agreement, write_agreement, agreement_to_json),
    "scaling": (run_scaling, write_scaling, scaling_to_json),
}


def run(options: Options) -> int:
    """Make the experiment that the options name, and print it."""
    make, write, to_json = EXPERIMENTS[options.time.experiment]
    found = make(options)
    if options.is_json:
        print_text(json.dumps(to_json(found), indent=2, allow_nan=False))
    else:
        print_text(make_safe(write(found)))
    return 0
