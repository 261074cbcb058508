"""`jaxscope time --against` and `--agreement`: two programs, and how well results agree."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from typing import Any

from jaxscope.analysis.export.contract_json import number_to_json, timing_to_json
from jaxscope.analysis.export.lab_json import lab_head_to_json
from jaxscope.analysis.lab_words import (
    LEAF_HEADERS,
    cost_lines,
    describe_processes,
    describe_ulps,
    leaf_row,
)
from jaxscope.analysis.origin_words import TRIAL_HEADERS, describe_origin, trial_row
from jaxscope.analysis.quantities import format_count
from jaxscope.analysis.text_table import format_table
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import named_program, run_options, target_options, watching
from jaxscope.cli.timing import format_timing
from jaxscope.client.requests import AgreementRequest, ComparisonRequest
from jaxscope.client.run import ask
from jaxscope.model.agreement import (
    Agreement,
    Comparison,
    LeafAgreement,
    Origin,
    ResultsAgreement,
)
from jaxscope.model.unavailable import Unavailable

_MAX_ROWS = 20


def run_comparison(options: Options) -> Comparison:
    """Measure both calls.

    Raises:
        JaxscopeError: One of them cannot be compiled or run.
    """
    time = options.time
    request = ComparisonRequest(
        named_program(options),
        options.call,
        other_file=str(time.against_file) if time.against_file else None,
        other_call=time.against,
        rigorous=options.is_rigorous,
        **time.made_with,
        **target_options(options),
        **run_options(options),
    )
    with watching(write_comparison, comparison_to_json, is_json=options.is_json) as watch:
        return ask(request, Comparison, watch)


def write_comparison(found: Comparison) -> str:
    """What the two are, what they take, and whether they return the same."""
    lines = [
        f"first:  {found.first}",
        f"second: {found.second}",
        describe_processes(found),
        *cost_lines(found),
        "",
        *format_timing(found.timing).split("\n")[1:],
        "",
        *_describe_results(found.agreement),
    ]
    return "\n".join(lines)


def comparison_to_json(found: Comparison) -> dict[str, Any]:
    """The contract's JSON of a timing, and `comparison`."""
    return {
        **timing_to_json(found.timing),
        "comparison": {
            "first": found.first,
            "second": found.second,
            "across_processes": found.is_across_processes,
            "processes": found.num_processes,
            "costs": [
                {
                    "flops": number_to_json(cost.flops),
                    "bytes_accessed": number_to_json(cost.bytes_accessed),
                    "memory": number_to_json(cost.memory),
                    "counting": cost.counting or None,
                }
                for cost in (found.first_cost, found.second_cost)
            ],
            "agreement": results_to_json(found.agreement),
        },
    }


def run_agreement(options: Options) -> Agreement:
    """Run the call in all ways.

    Raises:
        JaxscopeError: It cannot be run.
    """
    request = AgreementRequest(
        named_program(options), options.call, **target_options(options), **run_options(options)
    )
    with watching(write_agreement, agreement_to_json, is_json=options.is_json) as watch:
        return ask(request, Agreement, watch)


def write_agreement(found: Agreement) -> str:
    """A table for each pair of ways, then the equations where differences arise."""
    environment = found.environment
    lines = [
        found.call,
        f"JAX {environment.jax}, Python {environment.python}, {environment.place}",
    ]
    for pair in found.pairs:
        lines += ["", *_describe_results(pair)]
    if found.num_equations:
        lines += ["", *_describe_equations(found)]
    lines += ["", *describe_origin(found.origin)]
    if isinstance(found.origin, Origin) and found.origin.trials:
        rows = [trial_row(trial) for trial in found.origin.trials if trial.outcome != "unchanged"]
        lines += format_table(TRIAL_HEADERS, rows) if rows else []
    lines += [f"warning: {warning}" for warning in found.warnings]
    return "\n".join(lines)


def agreement_to_json(found: Agreement) -> dict[str, Any]:
    """The contract's keys of a timing, and `agreement`."""
    return {
        **lab_head_to_json(found.call, found.environment, found.warnings),
        "agreement": {
            "pairs": [results_to_json(pair) for pair in found.pairs],
            "stage": found.stage,
            "num_equations": found.num_equations,
            "origin": _origin_to_json(found.origin),
            "equations": [
                {
                    "id": equation.id,
                    "operation": equation.operation,
                    "place": equation.place or None,
                    "arises_here": equation.inputs_equal,
                    "worst": _leaf_to_json(equation.worst),
                }
                for equation in found.equations
            ],
        },
    }


def _origin_to_json(origin: Origin | Unavailable) -> dict[str, Any]:
    if isinstance(origin, Unavailable):
        return {"unavailable": origin.reason}
    return {**dataclasses.asdict(origin), "worst": _leaf_to_json(origin.worst)}


def results_to_json(pair: ResultsAgreement) -> dict[str, Any]:
    """How well two results agree."""
    return {
        "first": pair.first,
        "second": pair.second,
        "reason": pair.reason or None,
        "results": [_leaf_to_json(leaf) for leaf in pair.leaves],
    }


def _leaf_to_json(leaf: LeafAgreement) -> dict[str, Any]:
    fields = dataclasses.asdict(leaf)
    for name in ("max_ulp", "max_absolute", "max_relative"):
        fields[name] = number_to_json(fields[name])
    return fields


def _describe_results(pair: ResultsAgreement) -> Iterator[str]:
    if pair.reason:
        yield f"{pair.first} against {pair.second}: not compared. {pair.reason}"
        return
    if all(leaf.is_equal for leaf in pair.leaves):
        count = format_count(len(pair.leaves), "array")
        yield f"{pair.first} against {pair.second}: equal bit by bit ({count})"
        return
    yield f"{pair.first} against {pair.second}:"
    yield from _leaf_table([leaf for leaf in pair.leaves if not leaf.is_equal])


def _describe_equations(found: Agreement) -> Iterator[str]:
    total = format_count(found.num_equations, "equation")
    if not found.equations:
        yield f"Each of {total} gives the same bits one by one and compiled with all others."
        return
    yield (
        f"{len(found.equations):,} of {total} ({found.stage}) give other bits compiled than one by "
        "one:"
    )
    rows = []
    for equation in found.equations[:_MAX_ROWS]:
        rows.append(
            (
                equation.id,
                equation.operation,
                f"{os.path.basename(equation.place)}",
                describe_ulps(equation.worst),
                "arises here" if equation.inputs_equal else "from its inputs",
            )
        )
    yield from format_table(("equation", "operation", "line", "worst in ULP", ""), rows, right=(3,))
    if len(found.equations) > _MAX_ROWS:
        yield f"  and {len(found.equations) - _MAX_ROWS:,} more"


def _leaf_table(leaves: Sequence[LeafAgreement]) -> Iterator[str]:
    rows = [leaf_row(leaf) for leaf in leaves[:_MAX_ROWS]]
    yield from format_table(LEAF_HEADERS, rows, right=(2, 3, 4, 5))
    if len(leaves) > _MAX_ROWS:
        yield f"  and {len(leaves) - _MAX_ROWS:,} more"
