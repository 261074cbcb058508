"""How a program is distributed over devices and processes: sentences, a document, JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jaxscope.model import Unavailable, is_available
from jaxscope.model.capture import Job, Member, MemoryPlan
from jaxscope.model.said import first_of, join_first, say, say_count, say_joined, say_sentence
from jaxscope.model.units import UNKNOWN, format_bytes, format_count
from jaxscope.program.sharding.arrays import (
    SpreadArray,
    cut_to_text,
    describe_devices,
    name_devices,
)
from jaxscope.program.sharding.collectives import KINDS, RING, Collective
from jaxscope.program.sharding.placement import CollectiveContext, EquationSides, ShardedValue
from jaxscope.report.document import (
    Cell,
    Items,
    Number,
    Section,
    Table,
    Verbatim,
    make_table,
    number_cell,
)
from jaxscope.schema.contract import CONTRACT, number_to_json

if TYPE_CHECKING:
    from jaxscope.program.sharding.placement import PlacementReport


# Several processes in words: do they run the same program, and where do they differ?


def describe_job(job: Job) -> str:
    """Which process this is and whether all compiled the same, in a few sentences."""
    count = len(job.members)
    hosts = f" on {format_count(len(job.hosts), 'host')}" if job.hosts else ""
    told = f"This is process {job.process} of {count:,}{hosts}. "
    match job.is_same_program:
        case True:
            return f"{told}All {count:,} processes compiled the same program."
        case None:
            silent = [k for k, member in enumerate(job.members) if not member.compiled]
            reasons = " ".join(dict.fromkeys(m.reason for m in job.members if m.reason))
            return (
                f"{told}It is not known whether all compiled the same program: nothing was heard "
                f"of {name_devices(tuple(silent))}. {reasons}"
            ).rstrip()
    return f"{told}The processes did not compile the same program: {_describe_job_groups(job)}."


def _describe_job_groups(job: Job) -> str:
    """`0, 2 agree; 1 differs from StableHLO on`."""
    own = job.members[job.process]
    parts: dict[tuple[str, str], list[int]] = {}
    for number, member in enumerate(job.members):
        parts.setdefault((member.lowered, member.compiled), []).append(number)
    told = []
    for pair, numbers in parts.items():
        names = name_devices(tuple(numbers))
        if job.process in numbers:
            told.append(f"{names} {'agree' if len(numbers) > 1 else 'is alone'}")
        else:
            verb = "differ" if len(numbers) > 1 else "differs"
            told.append(f"{names} {verb} {_since(own, Member('', *pair))}")
    return "; ".join(told)


def _since(own: Member, other: Member) -> str:
    if not other.compiled:
        return "in an unknown way"
    if own.lowered == other.lowered:
        return "in what XLA made of the same StableHLO"
    return "from StableHLO on"


def job_to_json(job: Job | None) -> dict[str, Any] | None:
    """The job; None for a program of one process."""
    if job is None:
        return None
    return {**CONTRACT.write(job), "same_program": job.is_same_program, "text": describe_job(job)}


# All that is known of how a program is spread over devices: as data, as a text and as JSON.


WHOLE_OR_PER_DEVICE = say(
    "Jaxprs, StableHLO and HLO are the logical program: whole arrays, but for "
    "the insides of shard_map. The optimized program is what each device runs: its types, costs "
    "and memory are those of one device."
)
SIDES = say(
    "A collective stands between the shardings of what its equation reads and gives. What the "
    "instruction itself gives can be spread otherwise: XLA may take several steps, such as an "
    "all-reduce and a slice of its result."
)
_MAX_GROUPS = 8


def describe_groups(collective: Collective) -> str:
    """Who takes part, shortened: `along model: 0–3 | 4–7`."""
    if isinstance(collective.groups, Unavailable):
        return collective.groups.reason
    if collective.pairs:
        pairs = (f"{sender}→{receiver}" for sender, receiver in collective.pairs)
        return join_first(pairs, _MAX_GROUPS)
    told = join_first(map(name_devices, collective.groups), _MAX_GROUPS, " | ")
    if not collective.axes:
        return told
    return say("along {axes}: {told}", axes=", ".join(collective.axes), told=told)


def describe_collective(collective: Collective) -> str:
    """What it does, with its bytes and who takes part, in two sentences."""
    often = say(", {times:,} times", times=collective.rounds)
    does, groups = KINDS[collective.kind].text, describe_groups(collective)
    first = say_sentence(say("{name}: {meaning}", name=does, meaning=groups))
    sent = (
        say("what senders send is not known")
        if math.isnan(collective.sent_bytes)
        else say(
            "senders send at least {sent} on average", sent=format_bytes(collective.sent_bytes)
        )
    )
    then = say(
        "{operands} go in, {results} come out on each device; {sent}{often}.",
        operands=format_bytes(collective.operand_bytes),
        results=format_bytes(collective.result_bytes),
        sent=sent,
        often=often if collective.rounds > 1 else "",
    )
    return say_joined((first, then))


def collective_place(standing: CollectiveContext) -> str:
    """`file.py:12`, or nothing."""
    place = standing.place
    return place.short if place is not None else ""


def format_executions(collective: Collective) -> str:
    """How often it runs."""
    return f"{collective.rounds:,}" if collective.rounds else UNKNOWN


def describe_communication(collectives: tuple[Collective, ...]) -> str:
    """How many there are and what a device sends, in one sentence."""
    if not collectives:
        return say("No communication: each device works on its own.")
    known = [c.total_bytes for c in collectives if not math.isnan(c.total_bytes)]
    sent = (
        say("on average a device sends at least {sent}", sent=format_bytes(sum(known)))
        if known
        else say("how much a device sends is not known")
    )
    count = say_count(len(collectives), "collective")
    told = say("{collectives}; {sent}", collectives=count, sent=sent)
    missing = len(collectives) - len(known)
    if known and missing:
        told = say("{told}, {missing:,} of them not counted", told=told, missing=missing)
    crossing = sum(c.crosses_processes is True for c in collectives)
    if crossing:
        told = say("{told}; {crossing:,} between processes", told=told, crossing=crossing)
    return say("{told}.", told=told)


def describe_device_memory(plan: MemoryPlan | Unavailable) -> str:
    """What one device needs, by XLA's plan."""
    if isinstance(plan, Unavailable):
        return say("Memory per device: not available: {reason}", reason=plan.reason)
    return say(
        "Memory per device: arguments {arguments}, results {results}, temporaries {temporaries}.",
        arguments=format_bytes(plan.argument_bytes),
        results=format_bytes(plan.result_bytes),
        temporaries=format_bytes(plan.temporary_bytes),
    )


def placement_to_document(report: PlacementReport) -> list[Section]:
    """The devices, how arrays are cut, what is sent, and what each device needs."""
    capture, placement = report.capture, report.placement
    head = Section(blocks=[Verbatim(capture.call)])
    if isinstance(placement, Unavailable):
        return [Section(blocks=[f"Devices: not available: {placement.reason}"]), head]
    job = [] if capture.job is None else [describe_job(capture.job)]
    return [
        Section(blocks=[f"{describe_devices(placement)}. {_describe_sent(report.collectives)}"]),
        head,
        Section(blocks=[*job, WHOLE_OR_PER_DEVICE]),
        *_array_sections(report),
        _collectives_section(report),
        Section(blocks=[describe_device_memory(capture.memory)]),
    ]


def _array_sections(report: PlacementReport) -> Iterator[Section]:
    arrays = report.arrays
    if isinstance(arrays, Unavailable):
        return
    yield Section(blocks=[array_table(arrays)])
    if report.num_devices < 2:
        return
    alike: dict[tuple[str, str], list[SpreadArray]] = {}
    for array in arrays:
        if array.cut is not None and len(array.cut.parts) > 1:
            alike.setdefault((array.type, array.hlo_text), []).append(array)
    for first, *others in alike.values():
        more = f", and {len(others):,} more of its type cut like it" if others else ""
        parts = cut_to_text(first.cut) if first.cut is not None else []
        yield Section(f"{first.role} {first.path}{more}", [Items(parts)])


def array_table(arrays: Sequence[SpreadArray]) -> Table:
    """A row for each argument and result."""
    headers = ("", "path", "whole", "spec", "on a device", "bytes", "how")
    return make_table(headers, arrays, _array_row)


def _array_row(array: SpreadArray) -> tuple[Cell, ...]:
    size = number_cell(array.shard_bytes, format_bytes)
    return array.role, array.path, array.type, array.spec, array.shard_type, size, array.text


def _describe_sent(found: tuple[Collective, ...] | Unavailable) -> str:
    if isinstance(found, Unavailable):
        return f"Communication: not available: {found.reason}"
    return describe_communication(found)


def _collectives_section(report: PlacementReport) -> Section:
    found = report.collectives
    if isinstance(found, Unavailable) or not found:
        return Section()  # said on top
    pairs = zip(found, report.standings, strict=True)
    between = [told for c, s in pairs for told in _tell_between(c, s)]
    table = collective_table(found, report.standings)
    narrow = Table(table.headers[:-1], [row[:-1] for row in table.rows])
    notes = [SIDES, RING] if between else [RING]
    return Section("What devices send to each other", [narrow, Items(between), *notes])


def _tell_between(collective: Collective, standing: CollectiveContext) -> list[str]:
    """A line for each of the equations that the collective stands for, or for the first of many."""
    several = len(standing.sides) > 1
    told = [
        f"{collective.id}{f' ({side.label})' if several else ''} stands between {side.between}"
        for side in standing.sides
        if side.between
    ]
    return first_of(told, _MAX_GROUPS)


def collective_table(
    collectives: Sequence[Collective], standings: Sequence[CollectiveContext]
) -> Table:
    """A row for each collective."""
    headers = ("instruction", "kind", "in", "out", "sends", "rounds", "devices together")
    pairs = list(zip(collectives, standings, strict=True))
    return make_table((*headers, "line", "equation", "between"), pairs, _collective_row)


def _collective_row(pair: tuple[Collective, CollectiveContext]) -> tuple[Cell, ...]:
    collective, standing = pair
    return (
        collective.id,
        collective.kind,
        number_cell(collective.operand_bytes, format_bytes),
        number_cell(collective.result_bytes, format_bytes),
        number_cell(collective.sent_bytes, format_bytes),
        Number(collective.rounds or math.nan, format_executions(collective)),
        describe_groups(collective),
        collective_place(standing),
        standing.told,
        standing.between,
    )


def placement_to_json(report: PlacementReport) -> dict[str, Any]:
    """Devices, arrays and collectives; null for what is not known."""
    placement, arrays = report.placement, report.arrays
    if isinstance(placement, Unavailable) or isinstance(arrays, Unavailable):
        reason = placement.reason if isinstance(placement, Unavailable) else None
        return {"unavailable": reason}
    found = report.collectives
    return {
        "unavailable": None,
        "devices": [CONTRACT.write(device) for device in placement.devices],
        "mesh": [{"name": name, "size": size} for name, size in placement.axes],
        "arguments": [_array_to_json(array) for array in arrays if array.role == "argument"],
        "results": [_array_to_json(array) for array in arrays if array.role == "result"],
        "values": {
            id: [CONTRACT.write(value) for value in values]
            for id, values in placement.values.items()
        },
        "collectives": None
        if isinstance(found, Unavailable)
        else [
            _collective_to_json(collective, standing)
            for collective, standing in zip(found, report.standings, strict=True)
        ],
        "note": f"{WHOLE_OR_PER_DEVICE} {SIDES} {RING}",
    }


def _array_to_json(array: SpreadArray) -> dict[str, Any]:
    is_known = is_available(array.sharding)
    shape = array.shard_shape
    return {
        "path": array.path,
        "type": array.type,
        "kind": array.sharding.kind.value if is_available(array.sharding) else None,
        "unavailable": None if is_known else array.text,
        "sharding": array.hlo_text or None,
        "spec": array.spec or None,
        "shard_shape": None if shape is None else list(shape),
        "shard_bytes": number_to_json(array.shard_bytes),
        "text": array.text,
        "parts": None
        if array.cut is None
        else [
            {"ranges": [list(pair) for pair in part.ranges], "devices": list(part.devices)}
            for part in array.cut.parts
        ],
    }


def _collective_to_json(collective: Collective, standing: CollectiveContext) -> dict[str, Any]:
    groups = collective.groups
    return {
        "id": collective.id,
        "kind": collective.kind,
        "means": KINDS[collective.kind].text,
        "operand_bytes": number_to_json(collective.operand_bytes),
        "result_bytes": number_to_json(collective.result_bytes),
        "sent_bytes": number_to_json(collective.sent_bytes),
        "rounds": collective.rounds or None,
        "groups": None if isinstance(groups, Unavailable) else [list(group) for group in groups],
        "pairs": [list(pair) for pair in collective.pairs] or None,
        "axes": None if collective.axes is None else list(collective.axes),
        "crosses_processes": collective.crosses_processes,
        "file": standing.place.file if standing.place is not None else None,
        "line": standing.place.line if standing.place is not None else None,
        "equations": list(standing.equations),
        "between": [_sides_to_json(side) for side in standing.sides],
    }


def _sides_to_json(side: EquationSides) -> dict[str, Any]:
    return {
        "equation": side.equation,
        "text": side.label,
        "file": side.place.file if side.place is not None else None,
        "line": side.place.line if side.place is not None else None,
        "operands": [_spread_to_json(value) for value in side.operands],
        "results": [_spread_to_json(value) for value in side.results],
    }


def _spread_to_json(value: ShardedValue) -> dict[str, Any]:
    return {"type": value.type, "sharding": value.sharding or None, "spec": value.spec or None}
