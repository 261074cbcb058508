"""`jaxscope calls FILE`: what a file offers. The file is read, not run."""

from __future__ import annotations

import dataclasses

from jaxscope.cli.output import print_found
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, named_program, run_options, show_progress
from jaxscope.client.one_shot import OnEvent, outline
from jaxscope.model.outline import Outline
from jaxscope.model.units import format_count
from jaxscope.report.document import Items, Section


def run(options: Options) -> int:
    """List functions and calls."""
    with show_progress() as show:
        found = find_outline(options, Watcher(show))
    print_found(
        options,
        lambda: {"file": str(options.file), **dataclasses.asdict(found)},
        lambda: outline_to_document(str(options.file), found),
    )
    return 0


def find_outline(options: Options, on_event: OnEvent) -> Outline:
    """What the file offers.

    Raises:
        UsageError: No Python file is named.
        SourceError: It cannot be read or parsed.
    """
    return outline(named_program(options), on_event=on_event, **run_options(options))


_LONGEST_SIGNATURE = 60


def outline_to_document(file: str, found: Outline) -> list[Section]:
    """Calls first, since they can be pasted after `jaxscope capture FILE`."""
    # What a class holds stands below it, further in: a method is called on an object of its own.
    shown = [
        "  " * function.name.count(".") + (function.signature or function.name)
        for function in found.functions
    ]
    width = min(max(map(len, shown), default=0), _LONGEST_SIGNATURE)
    docs = [function.doc.strip().partition("\n")[0] for function in found.functions]
    functions = [f"{one:{width}}  {doc}".rstrip() for one, doc in zip(shown, docs, strict=True)]
    calls = format_count(len(found.calls), "call")
    return [
        Section(blocks=[f"{file} offers {calls} and has {format_count(len(docs), 'function')}."]),
        Section(f"calls that {file} offers:", [Items([c.call for c in found.calls] or ["none"])]),
        Section("functions:", [Items(functions or ["none"])]),
    ]
