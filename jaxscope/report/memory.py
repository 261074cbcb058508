"""Everything known of a program's memory: as tables, as a document and as JSON."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Graph, SourcePosition, Unavailable, is_available
from jaxscope.model.capture import Leaf, MemoryPlan
from jaxscope.model.experiments import RematOutcome, RematPolicies
from jaxscope.model.said import Said, say, say_count, say_joined
from jaxscope.model.units import (
    UNKNOWN,
    format_bytes,
    format_count,
    format_flops,
    format_seconds,
    three_digits,
)
from jaxscope.program.memory.live_ranges import (
    Buffer,
    Donation,
    LiveRanges,
    find_donations,
    find_live_ranges,
)
from jaxscope.program.memory.residuals import KeptValue, Residuals, find_constants, find_residuals
from jaxscope.report.document import Cell, Number, Section, Table, Verbatim, make_table, number_cell
from jaxscope.schema.contract import number_to_json

PLACED = say(
    "Live ranges are computed from the scheduled module; each value lies where XLA put it, and "
    "memory that several share counts once. What XLA allocates may be more: gaps between values, "
    "and tables of addresses of tuples, such as the state of a loop."
)
COMPUTED = say(
    "Live ranges are computed from the scheduled module, and values are added up: XLA needs less "
    "where one is written over another that nobody reads any more, or where a result will be, and "
    "a little more where it leaves gaps."
)
NO_PADDING = say("No layout pads: dimensions lie one after the other, without tiles to fill.")
_MAX_ROWS = 20
_MAX_READERS = 12


@dataclass(frozen=True, eq=False)
class MemoryReport:
    """What is known of the memory of one capture; each part is found when it is first asked for."""

    capture: Capture

    @functools.cached_property
    def live(self) -> LiveRanges | Unavailable:
        return find_live_ranges(self.capture)

    @functools.cached_property
    def donations(self) -> tuple[Donation, ...] | Unavailable:
        return find_donations(self.capture)

    @functools.cached_property
    def residuals(self) -> Residuals:
        return find_residuals(self.capture)

    @functools.cached_property
    def constants(self) -> tuple[KeptValue, ...]:
        return find_constants(self.capture)

    @functools.cached_property
    def tables(self) -> tuple[Table, Table]:
        """All residuals, and all captured arrays: thousands of rows of a large program."""
        return kept_table(self.residuals), constant_table(self.constants)


_ADDRESS_BYTES = 8
"""What XLA counts for each of several results beside its array."""


def describe_plan(plan: MemoryPlan | Unavailable) -> str:
    """What XLA allocates for a run, in a sentence."""
    if isinstance(plan, Unavailable):
        return f"XLA's plan is not known: {plan.reason}"
    has_aliased = plan.aliased_bytes > 0
    aliased = f" ({format_bytes(plan.aliased_bytes)} of them where donated arguments were)"
    aliased = aliased if has_aliased else ""
    return (
        f"XLA allocates {format_bytes(plan.total_bytes)} for a run: arguments "
        f"{format_bytes(plan.argument_bytes)}, results {format_bytes(plan.result_bytes)}"
        f"{aliased}, temporaries {format_bytes(plan.temporary_bytes)}."
    )


def plan_rows(plan: MemoryPlan, results: Sequence[Leaf]) -> Iterator[tuple[str, float, str]]:
    """Name, bytes and meaning of each part of XLA's plan, of a call with these results."""
    table = plan.result_bytes - sum(leaf.num_bytes for leaf in results)
    is_of_addresses = len(results) > 1 and table == _ADDRESS_BYTES * len(results)
    more = f", {format_bytes(table)} of it the addresses of {len(results):,} arrays"
    yield "arguments", plan.argument_bytes, "what goes in"
    yield "results", plan.result_bytes, "what comes out" + (more if is_of_addresses else "")
    yield "temporaries", plan.temporary_bytes, "what XLA allocates for each run besides"
    yield "aliased", plan.aliased_bytes, "results that lie where donated arguments were"
    yield "allocated", plan.total_bytes, "arguments, results and temporaries, aliased once"
    yield "peak by XLA", plan.peak_bytes, "at once, with temporaries; the CPU backend does not tell"
    yield "code", plan.code_bytes, "generated code; the CPU backend says 0"


def place_text(place: SourcePosition | None) -> str:
    """`file.py:12`, or nothing."""
    return place.short if place is not None else ""


_ALIVE_HEADERS = ("bytes", "kind", "name", "type", "layout", "padding", "steps", "line")


def alive_table(live: LiveRanges, alive: Sequence[Buffer], most: int | None = None) -> Table:
    """A row for each buffer that is alive at some step."""
    return make_table(_ALIVE_HEADERS, alive, lambda buffer: buffer_row(live.graph, buffer), most)


def describe_kind(buffer: Buffer) -> Said:
    """What a buffer is, such as `temporary`, and in whose memory XLA put it where that differs."""
    if buffer.lies_in in ("", buffer.kind):
        return say(buffer.kind)
    return say("{kind} in {place}", kind=say(buffer.kind), place=say(buffer.lies_in))


def buffer_row(graph: Graph, buffer: Buffer) -> tuple[Cell, ...]:
    """The cells of a buffer, for the columns of `alive_table`."""
    nodes = graph.nodes
    types = graph.row(nodes.types, buffer.node)
    return (
        number_cell(buffer.num_bytes, format_bytes),
        describe_kind(buffer),
        name_buffer(graph, buffer),
        types[buffer.output] if buffer.output < len(types) else "",
        buffer.layout,
        Number(buffer.padding, format_bytes(buffer.padding) if buffer.padding else ""),
        Number(buffer.start, f"{buffer.start}–{buffer.end}"),
        place_of_buffer(graph, buffer),
    )


def place_of_buffer(graph: Graph, buffer: Buffer) -> str:
    """The line that makes a buffer; of what the compiler made for a loop to fill, that fills it."""
    places = filter(None, map(graph.place, (buffer.node, *buffer.writers)))
    return place_text(next(places, None))


def name_buffer(graph: Graph, buffer: Buffer) -> str:
    """The instruction that makes a buffer; of an argument where it sits in those of the call."""
    path = graph.argument_path(buffer.node) if buffer.kind == "argument" else ""
    return path or graph.name(buffer.node)


def memory_to_document(report: MemoryReport) -> list[Section]:
    """XLA's plan, what is alive at the peak, donations, what is kept, captured arrays."""
    capture, live = report.capture, report.live
    plan: str | Table = ""
    if isinstance(capture.memory, Unavailable):
        plan = f"not available: {capture.memory.reason}"
    else:
        rows = [
            (name, number_cell(n, format_bytes), m)
            for name, n, m in plan_rows(capture.memory, capture.results)
        ]
        plan = Table(("", "", ""), rows)
    return [
        Section(blocks=[describe_plan(capture.memory)]),
        Section(blocks=[Verbatim(capture.call)]),
        Section("XLA's plan, per device", [plan]),
        Section(blocks=[f"Live ranges: not available: {live.reason}"])
        if isinstance(live, Unavailable)
        else _live_section(live, capture.memory),
        *_further_sections(report),
    ]


def _further_sections(report: MemoryReport) -> Iterator[Section]:
    donations, residuals, constants = report.donations, report.residuals, report.constants
    if is_available(donations) and donations:
        yield Section("Donated arguments", [donation_table(donations)])
    if residuals.stage:
        has_rows = residuals.values or residuals.in_rounds
        kept = [kept_table(residuals, _MAX_ROWS)] if has_rows else []
        yield Section(describe_kept(residuals), kept)
    if held := [value for value in constants if value.is_needed]:
        table = constant_table(held, _MAX_ROWS)
        yield Section("Captured arrays, which are part of the program", [table])
    if idle := say_idle_constants(constants):
        yield Section(idle)


def say_idle_constants(constants: Sequence[KeptValue]) -> str:
    """How many captured arrays are not compiled, in a sentence; empty where all are."""
    idle = [value for value in constants if not value.is_needed]
    if not idle:
        return ""
    size = format_bytes(math.fsum(value.num_bytes for value in idle))
    num = format_count(len(idle), "further array")
    return f"Besides, it captures {num}, {size}, that no result needs: jit leaves that out."


def name_step(live: LiveRanges, step: int) -> Said:
    """A step in words. Steps count from 0, as in tables, plots and JSON."""
    return say("{step:,} (they count from 0 to {last:,})", step=step, last=len(live.steps) - 1)


def describe_peak(live: LiveRanges) -> str:
    """The most that is in memory at once, in a sentence."""
    peak, temporary = format_bytes(live.peak_bytes), format_bytes(live.peak_temporary_bytes)
    if live.is_placed:
        return say(
            "At most {peak} is in use at a time, {temporary} of temporaries.",
            peak=peak,
            temporary=temporary,
        )
    return say(
        "Values that are needed at once add up to {peak} at most, {temporary} of temporaries.",
        peak=peak,
        temporary=temporary,
    )


def compare_with_plan(live: LiveRanges, plan: MemoryPlan | Unavailable) -> str:
    """That the figure for temporaries in XLA's plan is of the same program, where it is another."""
    if isinstance(plan, Unavailable) or not plan.temporary_bytes >= 0:
        return ""
    allocated = format_bytes(plan.temporary_bytes)
    if allocated == format_bytes(live.peak_temporary_bytes):
        return ""
    return say(
        "For the temporaries of this same program XLA allocates {allocated}.", allocated=allocated
    )


def explain_peak(live: LiveRanges, plan: MemoryPlan | Unavailable) -> str:
    """The same, what XLA allocates, and how that was found."""
    return say_joined((hold_peak_against_plan(live, plan), explain_ranges(live)))


def explain_ranges(live: LiveRanges) -> str:
    """How it was found what is alive when."""
    return PLACED if live.is_placed else COMPUTED


def hold_peak_against_plan(live: LiveRanges, plan: MemoryPlan | Unavailable) -> str:
    """The most that is in memory at once, and what XLA allocates where that differs."""
    told: list[str] = [describe_peak(live), compare_with_plan(live, plan)]
    if not live.is_placed and is_available(plan) and live.peak_bytes > plan.total_bytes:
        total = format_bytes(plan.total_bytes)
        told.append(say("That is more than the {total} that XLA allocates.", total=total))
    return say_joined(told)


def describe_padding(live: LiveRanges) -> str:
    """What layouts cost at the peak, in a sentence."""
    alive = live.alive_at(live.peak_step)
    padding = sum(buffer.padding for buffer in alive if buffer.padding == buffer.padding)
    unknown = sum(buffer.padding != buffer.padding for buffer in alive)
    if unknown:
        layouts = say_count(unknown, "layout")
        return say("How the tiles of {layouts} pad is not known.", layouts=layouts)
    if not padding:
        return NO_PADDING
    return say(
        "{padding} of the peak are padding, which the tiles of layouts ask for.",
        padding=format_bytes(padding),
    )


def _live_section(live: LiveRanges, plan: MemoryPlan | Unavailable) -> Section:
    node = live.graph.node(live.steps[live.peak_step])
    unsized = format_count(live.num_unsized, "buffer")
    return Section(
        f"The most at step {name_step(live, live.peak_step)}, {node.name} ({node.operation})",
        [
            explain_peak(live, plan),
            *([f"{unsized} of unknown size not counted"] if live.num_unsized else []),
            describe_padding(live),
            "Alive then:",
            alive_table(live, live.alive_at(live.peak_step), _MAX_ROWS),
        ],
    )


def describe_kept(residuals: Residuals) -> str:
    """How many bytes are kept for the backward part, and of which program, without a full stop."""
    much = say(
        "{size} in {values}, as the jaxpr hands them over",
        size=format_bytes(residuals.num_bytes),
        values=say_count(len(residuals.values), "value"),
    )
    if residuals.in_rounds:
        within = say(
            "{size} in {values} within a round of a loop",
            size=format_bytes(residuals.num_bytes_in_rounds),
            values=say_count(len(residuals.in_rounds), "value"),
        )
        much = say("{much}, and {within}", much=much, within=within) if residuals.values else within
    if residuals.are_parts:
        much = say("{much}, what is within shard_map on one device", much=much)
    if residuals.is_compiled:
        stage = residuals.stage
        return say("Kept for the backward part of {stage}: {much}", stage=stage, much=much)
    return say(
        "The gradient of this program would keep for its backward part: {much}; it is not "
        "compiled, and XLA's plan is without it",
        much=much,
    )


def describe_kept_size(residuals: Residuals) -> str:
    """How many bytes are kept; of what is kept within rounds of loops alone, those of a round."""
    if residuals.values or not residuals.in_rounds:
        return format_bytes(residuals.num_bytes)
    return say("{size} a round", size=format_bytes(residuals.num_bytes_in_rounds))


def donation_table(donations: Sequence[Donation]) -> Table:
    """A row for each donated argument."""
    headers = ("bytes", "argument", "type", "what became of it")
    rows = [(number_cell(d.num_bytes, format_bytes), d.path, d.type, d.text) for d in donations]
    return Table(headers, rows)


def kept_table(residuals: Residuals, most: int | None = None) -> Table:
    """A row for each value that is kept for the backward part, those within rounds last."""
    headers = ("bytes", "equation", "type", "id", "line", "read by")
    in_rounds = frozenset(residuals.in_rounds)

    def row(value: KeptValue) -> tuple[Cell, ...]:
        size, *rest = _kept_row(value)
        if value in in_rounds:
            size = number_cell(value.num_bytes, lambda size: f"{format_bytes(size)} a round")
        return size, *rest

    return make_table(headers, (*residuals.values, *residuals.in_rounds), row, most)


def _kept_row(value: KeptValue) -> tuple[Cell, ...]:
    readers = ", ".join(value.readers[:_MAX_READERS])
    size = number_cell(value.num_bytes, format_bytes)
    return size, value.operation, value.type, value.id, place_text(value.place), readers


def constant_table(constants: Sequence[KeptValue], most: int | None = None) -> Table:
    """A row for each captured array."""
    return make_table(("bytes", "type", "id", "read at", "read by"), constants, _constant_row, most)


def _constant_row(value: KeptValue) -> tuple[Cell, ...]:
    size, _, type_, id_, place, readers = _kept_row(value)
    return size, type_, id_, place, readers


def memory_report_to_json(report: MemoryReport) -> dict[str, Any]:
    """Live ranges, donations, residuals and constants; null for what is not known."""
    live, donations = report.live, report.donations
    return {
        "live": _live_to_json(live) if is_available(live) else None,
        "live_unavailable": live.reason if isinstance(live, Unavailable) else None,
        "donations": None
        if isinstance(donations, Unavailable)
        else [
            {"path": d.path, "type": d.type, "bytes": d.num_bytes, "used": d.is_used, "why": d.text}
            for d in donations
        ],
        "residuals": {
            "stage": report.residuals.stage or None,
            "compiled": report.residuals.is_compiled if report.residuals.stage else None,
            "bytes": report.residuals.num_bytes if report.residuals.stage else None,
            "values": [_kept_to_json(value) for value in report.residuals.values],
        },
        "constants": [_kept_to_json(value) for value in report.constants],
    }


def _live_to_json(live: LiveRanges) -> dict[str, Any]:
    graph = live.graph
    ids = [graph.id(node) for node in live.steps]
    return {
        "peak_bytes": live.peak_bytes,
        "peak_temporary_bytes": live.peak_temporary_bytes,
        "peak_step": live.peak_step,
        "steps": ids,
        "bytes": live.timeline.tolist(),
        "buffers": [
            {
                "node": graph.id(buffer.node),
                "output": buffer.output,
                "bytes": number_to_json(buffer.num_bytes),
                "kind": buffer.kind,
                "layout": buffer.layout,
                "padding_bytes": number_to_json(buffer.padding),
                "first_step": buffer.start,
                "last_step": buffer.end,
                "writers": [graph.id(node) for node in buffer.writers],
            }
            for buffer in live.buffers
        ],
        "placed_by_xla": live.is_placed,
        "note": PLACED if live.is_placed else COMPUTED,
    }


def _kept_to_json(value: KeptValue) -> dict[str, Any]:
    return {
        "id": value.id,
        "operation": value.operation,
        "type": value.type,
        "bytes": number_to_json(value.num_bytes),
        "readers": list(value.readers),
    }


# Remat policies as a table, as a document and as JSON.

HEADERS = (
    *("policy", "kept", "FLOPs traced", "FLOPs compiled", "transcendentals", "bytes"),
    *("temporaries", "peak", "took"),
)
REMAT_PROTOCOL = say(
    "Each was traced, lowered and compiled anew, in memory; nothing ran and no file changed. Kept "
    "is what the forward part hands to the backward part besides arguments, by the jaxpr. FLOPs "
    "traced are the jaxpr's; FLOPs compiled, bytes and temporaries XLA's, loops by their rounds "
    "where known. Where fewer are compiled, XLA merged what is computed again with the first time, "
    "as the CPU's does, and keeps it after all. The peak adds up "
    "values that the schedule needs at once; XLA allocates less where they share memory, and more "
    "where it leaves gaps between them."
)
_MEANING = {
    "as written": say("the gradient as the file has it"),
    "nothing_saveable": say("keeps arguments only and computes all else again"),
    "everything_saveable": say("keeps whatever the backward part reads"),
    "dots_saveable": say("keeps results of matrix products, computes the rest again"),
    "dots_with_no_batch_dims_saveable": say(
        "keeps results of matrix products without batch dimensions"
    ),
}


def meaning_of(policy: str) -> str:
    """What a policy does, in words; empty for one that is not known."""
    if policy.startswith("save_only_these_names"):
        return say("keeps what the program gave these names to with checkpoint_name")
    return _MEANING.get(policy, "")


def remat_table(found: RematPolicies) -> Table:
    """A row for each policy."""
    base = found.as_written
    return make_table(HEADERS, found.outcomes, lambda outcome: _remat_row(outcome, base))


def _remat_row(outcome: RematOutcome, base: RematOutcome | None) -> tuple[Cell, ...]:
    """The cells of a policy; what differs from the gradient as written says how much."""
    if outcome.missing is not None:
        return (outcome.policy, *[Number(math.nan, UNKNOWN)] * (len(HEADERS) - 1))
    cost, own = outcome.cost, base.cost if base is not None else outcome.cost
    other = base or outcome
    return (
        outcome.policy,
        _against(format_bytes, outcome.kept_bytes, other.kept_bytes),
        _against(format_flops, outcome.traced_flops, other.traced_flops),
        _against(format_flops, cost.flops, own.flops),
        _against(_format_number, cost.transcendentals, own.transcendentals),
        _against(format_bytes, cost.bytes_accessed, own.bytes_accessed),
        _against(format_bytes, outcome.temporary_bytes, other.temporary_bytes),
        _against(format_bytes, outcome.peak_bytes, other.peak_bytes),
        number_cell(outcome.seconds, format_seconds),
    )


def describe_remat(found: RematPolicies) -> str:
    """Which policy keeps least, and at what price, in a sentence."""
    base = found.as_written
    known = [o for o in found.outcomes if o.missing is None and not math.isnan(o.kept_bytes)]
    if base is None or base not in known or len(known) < 2:
        return say("Policies of jax.checkpoint for {subject}.", subject=found.subject)
    least = min(known, key=lambda outcome: (outcome.kept_bytes, outcome.traced_flops))
    if least.kept_bytes >= base.kept_bytes:
        return say("No policy keeps less than the gradient as written does.")
    flops = base.traced_flops
    factor = least.traced_flops / flops if flops > 0 else math.nan
    price = say(" at {factor} times the FLOPs traced", factor=three_digits(factor))
    told = say(
        "{policy} keeps {kept} instead of {other}{price}.",
        policy=least.policy,
        kept=format_bytes(least.kept_bytes),
        other=format_bytes(base.kept_bytes),
        price="" if math.isnan(factor) else price,
    )
    if least.temporary_bytes >= base.temporary_bytes:
        return say_joined((told, say("Compiled here, it needs no less memory.")))
    return told


def remat_to_document(found: RematPolicies) -> list[Section]:
    """A row for each policy, and what is missing."""
    missing = [f"{o.policy}: {o.missing.reason}" for o in found.outcomes if o.missing is not None]
    title = f"Remat policies, for {found.subject}"
    return [Section(title, [describe_remat(found), remat_table(found), *missing, REMAT_PROTOCOL])]


def remat_to_json(found: RematPolicies) -> dict[str, Any]:
    """Everything that is known of each policy; null for what is not."""
    return {
        "subject": found.subject,
        "protocol": REMAT_PROTOCOL,
        "warnings": list(found.warnings),
        "policies": [
            {
                "policy": outcome.policy,
                "meaning": meaning_of(outcome.policy) or None,
                "unavailable": outcome.missing.reason if outcome.missing is not None else None,
                "kept_bytes": number_to_json(outcome.kept_bytes),
                "kept_values": outcome.num_kept if outcome.missing is None else None,
                "traced_flops": number_to_json(outcome.traced_flops),
                "flops": number_to_json(outcome.cost.flops),
                "bytes_accessed": number_to_json(outcome.cost.bytes_accessed),
                "transcendentals": number_to_json(outcome.cost.transcendentals),
                "temporary_bytes": number_to_json(outcome.temporary_bytes),
                "peak_bytes": number_to_json(outcome.peak_bytes),
                "compile_seconds": number_to_json(outcome.seconds),
            }
            for outcome in found.outcomes
        ],
    }


def _against(write: Callable[[float], str], value: float, base: float) -> Number:
    """A value, and how many times that of the gradient as written, where it is another."""
    if math.isnan(value) or math.isnan(base) or base <= 0 or value == base:
        return number_cell(value, write)
    return Number(value, f"{write(value)} (×{three_digits(value / base)})")


def _format_number(value: float) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:,.0f}"
