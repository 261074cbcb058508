"""`jaxscope calls FILE`: what a file offers. The file is read, not run."""

from __future__ import annotations

import dataclasses
import json

from jaxscope.cli.output import print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, named_program, run_options, show_progress
from jaxscope.client.one_shot import outline
from jaxscope.client.results import Outline
from jaxscope.schema.safe_text import make_safe


def run(options: Options) -> int:
    """List functions and calls."""
    file = named_program(options)
    with show_progress() as show:
        found = outline(file, on_event=Watcher(show), **run_options(options))
    if options.is_json:
        print_text(json.dumps({"file": file, **dataclasses.asdict(found)}, indent=2))
    else:
        print_text(make_safe(format_outline(file, found)))
    return 0


def format_outline(file: str, found: Outline) -> str:
    """Calls first, since they can be pasted after `jaxscope capture FILE`."""
    lines = [f"calls that {file} offers:"]
    lines += [f"  {call.call}" for call in found.calls] or ["  none"]
    lines += ["", "functions:"]
    # What a class holds stands below it, further in: a method is called on an object of its own.
    shown = [
        "  " * function.name.count(".") + (function.signature or function.name)
        for function in found.functions
    ]
    width = min(max(map(len, shown), default=0), 60)
    for function, signature in zip(found.functions, shown, strict=True):
        doc = function.doc.strip().partition("\n")[0]
        lines.append(f"  {signature:{width}}  {doc}".rstrip())
    if not found.functions:
        lines.append("  none")
    return "\n".join(lines)
