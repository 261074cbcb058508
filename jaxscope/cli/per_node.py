"""`jaxscope time --per-node`: times of instructions, equations and source lines."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from jaxscope.analysis.export.lab_json import (
    lab_head_to_json,
    node_times_to_json,
    timeline_to_json,
)
from jaxscope.analysis.lab_words import describe_noise
from jaxscope.analysis.node_times import (
    Overlay,
    describe_overlap,
    line_shares,
    observed_words,
    overlay_stage,
    place_words,
)
from jaxscope.analysis.quantities import format_count, format_seconds
from jaxscope.analysis.text_table import format_table
from jaxscope.cli.figures import write_run_figure
from jaxscope.cli.output import check_place
from jaxscope.cli.parser import Options
from jaxscope.cli.progress import show_progress
from jaxscope.cli.runs import Watcher, named_program, run_options, target_options, watching
from jaxscope.client.requests import CaptureRequest, ProfileRequest
from jaxscope.client.run import ask
from jaxscope.model import Capture, Unavailable, is_available
from jaxscope.model.lab import LineTime, NodeTimes, Profile

_MAX_ROWS = 25


@dataclasses.dataclass(frozen=True, eq=False)
class LaidOver:
    """A profile and the capture of the same call that it is laid over."""

    profile: Profile
    capture: Capture

    def overlay(self, side: NodeTimes) -> Overlay | None:
        return overlay_stage(self.capture, side)


def run_profile(options: Options) -> LaidOver:
    """Capture the call, then profile it.

    Raises:
        JaxscopeError: It cannot be captured or run.
    """
    output = options.time.output
    if output is not None:
        check_place(output)
    file = named_program(options)
    shared = {**target_options(options), **run_options(options)}
    with show_progress() as show:
        capture = ask(CaptureRequest(file, options.call, **shared), Capture, Watcher(show))

    def write(found: Profile) -> str:
        return write_profile(LaidOver(found, capture))

    def to_json(found: Profile) -> dict[str, Any]:
        return profile_to_json(LaidOver(found, capture))

    with watching(write, to_json, is_json=options.is_json) as watch:
        request = ProfileRequest(file, capture.call, skip_eager=options.time.skip_eager, **shared)
        profile = ask(request, Profile, watch)
    if output is not None:
        write_run_figure(profile, output)
    return LaidOver(profile, capture)


def write_profile(found: LaidOver) -> str:
    """Tables: the costliest lines, instructions and equations, and what none of them explains."""
    profile = found.profile
    environment = profile.environment
    lines = [
        profile.call,
        f"JAX {environment.jax}, Python {environment.python}, {environment.place}",
        *filter(None, [describe_noise(environment)]),
    ]
    for title, side in (("compiled", profile.compiled), ("eager", profile.eager)):
        lines.append("")
        if isinstance(side, Unavailable):
            lines.append(f"{title}: not available. {side.reason}")
            continue
        overlay = found.overlay(side)
        lines += _describe_coverage(title, side)
        if overlay is not None:
            lines += filter(None, [describe_overlap(side)])
            lines += ["", *_line_table(found.capture, line_shares(overlay, side))]
        lines += ["", *_node_table(side, overlay)]
        if overlay is not None and overlay.strangers:
            lines.append(f"  not in the captured program: {', '.join(overlay.strangers[:10])}")
    lines += [f"warning: {warning}" for warning in profile.warnings]
    return "\n".join(lines)


def profile_to_json(found: LaidOver) -> dict[str, Any]:
    """The contract's keys of a timing, and `profile` with both sides."""
    profile = found.profile
    return {
        **lab_head_to_json(profile.call, profile.environment, profile.warnings),
        "profile": {
            name: node_times_to_json(side, found.overlay(side) if is_available(side) else None)
            for name, side in (("compiled", profile.compiled), ("eager", profile.eager))
        }
        | {"timeline": timeline_to_json(profile.timeline)},
    }


def _describe_coverage(title: str, side: NodeTimes) -> Iterator[str]:
    runs = format_count(side.runs, "run")
    yield (
        f"{title}: {format_seconds(side.wall)} a run, recorded ({format_seconds(side.plain_wall)} "
        f"without recording), median of {runs}"
    )
    yield (
        f"  covered {side.coverage:.0%}: {format_seconds(side.covered)} at work, "
        f"{format_seconds(side.gaps)} dispatch and gaps"
    )


def _line_table(capture: Capture, lines: Sequence[tuple[LineTime, float]]) -> Iterator[str]:
    texts = {file.path: file.text.split("\n") for file in capture.files}
    rows = []
    for line, share in lines[:_MAX_ROWS]:
        text = texts.get(line.file, [])
        code = text[line.line - 1].strip() if 0 < line.line <= len(text) else ""
        rows.append(
            (
                format_seconds(line.seconds),
                f"{share:.0%}",
                format_seconds(line.total),
                place_words(line),
                code[:60],
            )
        )
    headers = ("line", "share", "with calls", "place", "")
    yield from format_table(headers, rows, right=(0, 1, 2))
    if rest := lines[_MAX_ROWS:]:
        seconds = format_seconds(sum(line.seconds for line, _ in rest))
        share = sum(share for _, share in rest)
        yield f"  and {len(rest):,} more lines, {seconds} together ({share:.0%})"


def _node_table(side: NodeTimes, overlay: Overlay | None) -> Iterator[str]:
    operations = {}
    if overlay is not None:
        graph = overlay.graph
        operations = {
            time.name: graph.string(graph.nodes.operation, node)
            for node, time in zip(overlay.nodes, overlay.times, strict=True)
        }
    rows = []
    ordered = sorted(side.times, key=lambda time: -time.exclusive)
    for time in ordered[:_MAX_ROWS]:
        rows.append(
            (
                format_seconds(time.exclusive),
                format_seconds(time.seconds),
                observed_words(time, side.runs),
                f"{time.count:,}",
                time.name,
                operations.get(time.name, ""),
            )
        )
    kind = "instruction" if side.stage == "optimized" else "equation"
    headers = ("alone", "with inside", "observed", "times", kind, "operation")
    yield from format_table(headers, rows, right=(0, 1, 3))
    if len(ordered) > _MAX_ROWS:
        rest = sum(time.exclusive for time in ordered[_MAX_ROWS:])
        yield f"  and {len(ordered) - _MAX_ROWS:,} more, {format_seconds(rest)} together"
