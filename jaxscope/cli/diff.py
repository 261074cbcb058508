"""`jaxscope diff A B`: compare two captures or two calls."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from jaxscope.cli.output import check_place, print_document, print_text, write_data
from jaxscope.cli.parser import DIFFERENT, Options
from jaxscope.cli.runs import Watcher, run_options, show_progress, target_options
from jaxscope.client.one_shot import OnEvent
from jaxscope.client.subjects import obtain_subject
from jaxscope.errors import UsageError
from jaxscope.export.diff import comparison_to_json, render_comparison
from jaxscope.program.diff.captures import (
    ComparedCapture,
    Comparison,
    StagePair,
    compare_captures,
    pair_stages,
)
from jaxscope.report.diff import SHORT_LIST, changes_to_markdown, comparison_to_document
from jaxscope.schema.json_text import write_json


def run(options: Options) -> int:
    """Compare, print or write, and say by the exit status whether the two are equal.

    Raises:
        UsageError: A side or a stage does not exist.
        JaxscopeError: A side cannot be read, or its call failed.
    """
    wanted = options.diff
    if wanted.output is not None:
        check_place(wanted.output)
    with show_progress() as show:
        comparison = compare(options, Watcher(show))
    if options.is_markdown and not options.is_json:
        print_text(changes_to_markdown(comparison))
    if wanted.output is not None:
        write_data(wanted.output, render_comparison(comparison, wanted.output))
    elif options.is_json:
        print_text(write_json(comparison_to_json(comparison)))
    elif not options.is_markdown:
        is_detailed = bool(wanted.stages)  # asks for every difference
        options = dataclasses.replace(options, is_whole=options.is_whole or is_detailed)
        document = comparison_to_document(
            comparison, most_rows=None if options.is_whole else SHORT_LIST, with_texts=is_detailed
        )
        print_document(options, document)
    return 0 if comparison.is_equal else DIFFERENT


def compare(options: Options, on_event: OnEvent) -> Comparison:
    """Obtain both sides, each a saved capture or a call that is captured now, and compare them.

    Raises:
        UsageError: A side or a stage does not exist.
        JaxscopeError: A side cannot be read, or its call failed.
    """
    sides = _sides(options)
    first, second = (
        obtain_subject(
            word, on_event, options=side.xla, **target_options(side), **run_options(side)
        )
        for word, side in zip(options.others, sides, strict=True)
    )
    pairs = _chosen_pairs(first, second, options.diff.stages)
    return compare_captures(*_with_distinct_names(first, second, sides), pairs)


def _sides(options: Options) -> tuple[Options, Options]:
    """The options of each side: what is not said of the second holds for both."""
    ours, theirs = options.diff.xla
    return dataclasses.replace(options, xla=ours), dataclasses.replace(
        options,
        xla=theirs,
        target=options.diff.target_b or options.target,
        python=options.diff.python_b or options.python,
        x64=options.x64 or options.diff.x64_b,
    )


def _with_distinct_names(
    first: ComparedCapture, second: ComparedCapture, sides: tuple[Options, Options]
) -> tuple[ComparedCapture, ComparedCapture]:
    """Two sides of the same name get what distinguishes them."""
    if first.name != second.name:
        return first, second
    a, b = first.capture, second.capture
    for ours, theirs in (
        tuple("64-bit types" if side.x64 else "32-bit types" for side in sides),
        tuple(_describe_options(side.xla) for side in sides),
        (f"target {a.target}", f"target {b.target}"),
        (f"JAX {a.environment.jax}", f"JAX {b.environment.jax}"),
        ("first", "second"),
    ):
        if ours != theirs:
            break
    return (
        dataclasses.replace(first, name=f"{first.name} [{ours}]"),
        dataclasses.replace(second, name=f"{second.name} [{theirs}]"),
    )


def _describe_options(xla: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in xla.items()) or "XLA's own options"


def _chosen_pairs(
    first: ComparedCapture, second: ComparedCapture, keys: tuple[str, ...]
) -> tuple[StagePair, ...] | None:
    """The stages named on the command line; None for all.

    Raises:
        UsageError: Neither side has such a stage.
    """
    pairs = tuple(StagePair.parse(key) for key in keys)
    ours = [stage.name for stage in first.capture.stages]
    theirs = [stage.name for stage in second.capture.stages]
    for pair in pairs:
        wrong = pair.first not in ours or pair.second not in theirs
        if wrong and pair.key not in [p.key for p in pair_stages(first.capture, second.capture)]:
            raise UsageError(
                f"There is no stage {pair.title} to compare.",
                why=f"The first side has {', '.join(ours)}; the second {', '.join(theirs)}.",
                remedy="Two names with a colon compare different stages: --stage jaxpr:grad",
            )
    return pairs or None
