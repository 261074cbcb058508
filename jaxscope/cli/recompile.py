"""`jaxscope time --recompilations`: what compiled again, why, and what would avoid it."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterator
from typing import Any

from jaxscope.analysis.export.contract_json import number_to_json
from jaxscope.analysis.export.lab_json import lab_head_to_json
from jaxscope.analysis.lab_words import SIGNATURE_HEADERS, describe_noise, signature_row
from jaxscope.analysis.quantities import format_count, format_seconds
from jaxscope.analysis.recompilation import (
    describe_change,
    describe_outside,
    num_recompilations,
)
from jaxscope.analysis.text_table import format_table
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import named_program, run_options, target_options, watching
from jaxscope.client.requests import RecompilationRequest
from jaxscope.client.run import ask
from jaxscope.model.recompilation import Recompilation, Signature

_WIDTH = 98


def run_recompilation(options: Options) -> Recompilation:
    """Run the calls.

    Raises:
        JaxscopeError: The file or a call is wrong.
    """
    calls = ([options.call] if options.call else []) + list(options.time.others)
    request = RecompilationRequest(
        named_program(options), tuple(calls), **target_options(options), **run_options(options)
    )
    with watching(write_recompilation, recompilation_to_json, is_json=options.is_json) as watch:
        return ask(request, Recompilation, watch)


def write_recompilation(found: Recompilation) -> str:
    """A table of signatures, the reason of each, and advice."""
    environment = found.environment
    again = [s for s in found.signatures if s.nearest is not None]
    lines = [
        f"{format_count(len(found.calls), 'call')}, starting with {found.call}",
        f"JAX {environment.jax}, Python {environment.python}, {environment.place}",
        *filter(None, [describe_noise(environment)]),
        "",
    ]
    if not found.signatures:
        lines.append("Nothing was compiled by a call of a jitted function.")
    else:
        lines += format_table(
            SIGNATURE_HEADERS, [signature_row(s) for s in found.signatures], right=(0, 2, 3, 4, 5)
        )
    lines.append("")
    for signature in again:
        lines += _describe_cause(signature)
    count = format_count(num_recompilations(found), "recompilation")
    lines += ["", f"{count}: {format_seconds(found.wasted)}"]
    for advice in found.advice:
        text = f"{advice.function} ({format_seconds(advice.seconds)}): {advice.text}"
        lines += textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    return "\n".join([*lines, *_outside(found), *_notes(found)])


def recompilation_to_json(found: Recompilation) -> dict[str, Any]:
    """The contract's keys of a timing, and `recompilation`."""
    return {
        **lab_head_to_json(found.call, found.environment, found.warnings),
        "recompilation": {
            "calls": list(found.calls),
            "signatures": [
                {
                    **dataclasses.asdict(signature),
                    **{n: number_to_json(getattr(signature, n)) for n in ("trace", "lower")},
                    "compile": number_to_json(signature.compile),
                }
                for signature in found.signatures
            ],
            "wasted": found.wasted,
            "outside": [dataclasses.asdict(program) for program in found.outside],
            "advice": [dataclasses.asdict(advice) for advice in found.advice],
        },
    }


def _describe_cause(signature: Signature) -> Iterator[str]:
    nearest = 0 if signature.nearest is None else signature.nearest
    changes = "; ".join(map(describe_change, signature.changes))
    yield f"  {signature.number + 1} differs from {nearest + 1}: {changes}"
    if signature.agrees is False:
        yield "    JAX explains it differently: " + " ".join(signature.jax_says.split())[:300]


def _outside(found: Recompilation) -> Iterator[str]:
    """What was compiled besides, in one sentence."""
    if found.outside:
        yield ""
        yield from textwrap.wrap(describe_outside(found), _WIDTH, subsequent_indent="  ")


def _notes(found: Recompilation) -> Iterator[str]:
    for warning in found.warnings:
        yield f"warning: {warning}"
