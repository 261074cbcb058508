"""What many ranks compiled, as documents and as JSON: an answer, then a few rows."""

from __future__ import annotations

import itertools
import math
import signal
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from jaxscope.errors import JaxscopeError
from jaxscope.model.ranks import name_ranks
from jaxscope.model.units import format_bytes, format_count, format_place, format_seconds, shorten
from jaxscope.program.diff.captures import ComparedCapture, compare_captures
from jaxscope.report.diff import describe_node_changes, describe_verdict
from jaxscope.report.document import (
    NOTHING,
    Cell,
    Document,
    Items,
    Section,
    Table,
    Verbatim,
    count_cell,
    known_cell,
    number_cell,
)
from jaxscope.schema.archive import load_capture
from jaxscope.schema.contract import Json
from jaxscope.schema.rank_store import Again, Difference, Module, RankStore, RankSummary, Spread

QUESTIONS = {
    "differ": "which modules differ between ranks, and where",
    "slow": "which modules took longest to compile, over ranks, and in which rank",
    "again": "what was compiled again, why, and in which ranks",
    "memory": "how much memory each rank had at most",
    "ranks": "how each rank ended, and what it compiled",
}
MOST_ROWS = 10_000
"""Of a question where all of it is asked for."""
_MOST_IN_SUMMARY = 5
_MOST_COMPARED = 3
_MOST_CHANGES = 2
_BY_NUMBER = ("rank", "host", "status", "programs", "seconds", "outside", "memory", "note")


def ranks_to_document(store: RankStore, question: str = "", most: int = 40) -> Document:
    """The answer to one of `QUESTIONS`, or a few rows of each.

    Args:
        most: Rows at most.

    Raises:
        KeyError: There is no such question.
    """
    if question:
        return _SECTIONS[question](store, most)
    told = [_describe_ranks(store.ranks()), *_notes(store)]
    sections = [Section(blocks=[told[0]]), Section(blocks=[Items(told[1:])] if told[1:] else [])]
    for name in ("differ", "slow", "again", "memory"):
        (answer, *rest), *more = (s.blocks for s in _SECTIONS[name](store, _MOST_IN_SUMMARY))
        tables = [b for b in (*rest, *(b for blocks in more for b in blocks)) if b]
        sections.append(Section(str(answer), tables if name != "memory" else []))
    return sections


def ranks_to_json(store: RankStore, question: str = "") -> Json:
    """All that was found, of one of `QUESTIONS` or of each; null for what is not known."""
    ranks = store.ranks()
    asked: dict[str, Callable[[], Json]] = {
        "differ": lambda: {
            "differences": [*map(_difference_to_json, store.differences(MOST_ROWS)[0])],
            "modules_of_unknown_program": store.num_unknown,
        },
        "slow": lambda: {"slowest": [*map(_spread_to_json, store.slowest(MOST_ROWS))]},
        "again": lambda: {"again": [*map(_again_to_json, store.again(MOST_ROWS))]},
        "memory": lambda: {"memory": {str(r.number): r.peak_bytes for r in ranks}},
        "ranks": lambda: {"ranks": [r._asdict() for r in ranks], "missing": [*store.missing]},
    }
    chosen = [question] if question else [name for name in QUESTIONS if name != "memory"]
    return {key: found for name in chosen for key, found in asked[name]().items()}


def rows_to_document(names: Sequence[str], rows: Sequence[Sequence[object]]) -> Document:
    """What a query of the user's found."""
    table = Table(names, [[_cell(value) for value in row] for row in rows])
    return [Section(blocks=[f"{format_count(len(rows), 'row')}."]), Section(blocks=[table])]


def _cell(value: object) -> Cell:
    if isinstance(value, int | float):
        return number_cell(value, lambda number: f"{number:,}")
    return NOTHING if value is None else Verbatim(value)


# How the ranks ended.


def _describe_ranks(ranks: Sequence[RankSummary]) -> str:
    if not ranks:
        return "There are no folders rank-N here: nothing was recorded in several processes."
    hosts = len({rank.host for rank in ranks if rank.host})
    ends: defaultdict[str, list[int]] = defaultdict(list)
    for rank in ranks:
        ends[_describe_end(rank)].append(rank.number)
    where = f" on {format_count(hosts, 'host')}" if hosts > 1 else ""
    begin = f"{format_count(len(ranks), 'rank')}{where}"
    if len(ends) == 1:
        return f"{begin}: {'all ' * (len(ranks) > 1)}{next(iter(ends))}."
    told = [
        f"{f'{len(who):,}' if len(who) * 2 > len(ranks) else name_ranks(who)} {end}"
        for end, who in sorted(ends.items(), key=lambda each: -len(each[1]))
    ]
    return f"{begin}: {'; '.join(told)}."


def _describe_end(rank: RankSummary) -> str:
    status = rank.exit_status
    if rank.problem:
        return f"cannot be read ({rank.problem.rstrip('.')})"
    if status is None:
        return "did not end, or not yet"
    if status >= 0:
        return f"failed with status {status}" if status else "ended well"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"


def _notes(store: RankStore) -> Iterator[str]:
    ranks = store.ranks()
    if store.missing:
        yield f"Nothing was recorded of {name_ranks(store.missing)}."
    kinds: tuple[tuple[str, Callable[[RankSummary], object]], ...] = (
        ("versions of JAX, whose fingerprints cannot be compared", lambda rank: rank.jax),
        ("numbers of ranks, so they are of different jobs", lambda rank: rank.num_ranks),
    )
    for what, read in kinds:
        found: defaultdict[object, list[int]] = defaultdict(list)
        for rank in ranks:
            if read(rank):
                found[read(rank)].append(rank.number)
        if len(found) > 1:
            told = "; ".join(f"{key} in {name_ranks(who)}" for key, who in found.items())
            yield f"The ranks have different {what}: {told}."
    if store.place is None:
        yield "The store cannot be kept here, so it was made in memory."


# The questions.


def _differ(store: RankStore, most: int) -> Document:
    found, count = store.differences(most)
    unknown = (
        f"Of {format_count(store.num_unknown, 'module')} the program of some rank is not known, "
        "and is not compared."
    )
    notes = [Section(blocks=[unknown])] if store.num_unknown else []
    if not found:
        told = "No module is known to differ" if notes else "No module differs"
        if sum(not rank.problem for rank in store.ranks()) < 2:
            return [Section(blocks=["Nothing can be compared: there are not two lists to read."])]
        return [Section(blocks=[f"{told} between ranks."]), *notes]
    different = sum(len(each.groups) > 1 for each in found)
    first = found[0]
    answer = (
        (
            f"{format_count(count, 'module')} not the same in all ranks; first "
            f"{first.module.function} ({format_place(first.module.file, first.module.line)}): "
            f"{_describe_difference(first)}."
        )
        .replace("module not", "module is not")
        .replace("modules not", "modules are not")
    )
    rows = [
        (*_name(each.module), _describe_difference(each), each.module.arguments) for each in found
    ]
    headers = ("module", "line", "nth", "what differs", "arguments")
    table = Table(headers, rows, num_left_out=count - len(found)).without_empty_columns()
    compared = found[: min(different, _MOST_COMPARED)]
    places = [line for each in compared for line in _place(store, each)]
    return [
        Section(blocks=[answer]),
        Section(blocks=[table]),
        Section("Where the programs differ", [Items(places)]) if places else Section(),
        *notes,
    ]


def _describe_difference(found: Difference) -> str:
    """Such as `2 programs: rank 37; ranks 0–36, 38–511`, or `only rank 0`."""
    told = []
    if len(found.groups) > 1:
        groups = "; ".join(map(name_ranks, reversed(found.groups)))
        told.append(f"{len(found.groups)} programs: {groups}")
    if found.without:
        there = [*found.unknown, *(rank for group in found.groups for rank in group)]
        is_rare = len(there) <= len(found.without)
        told.append(f"only {name_ranks(there)}" if is_rare else f"not {name_ranks(found.without)}")
    return "; ".join(told)


def _place(store: RankStore, found: Difference) -> Iterator[str]:
    """What differs between the program of most ranks and the rarest, from their captures."""
    ends = (found.captures[0], found.captures[-1])
    name = found.module.function
    if ends[0] is None or ends[1] is None:
        yield f"{name} ({shorten(found.module.arguments)}): no capture of both was kept"
        return
    paths = [store.folder / f"rank-{rank}" / file for rank, file in filter(None, ends)]
    try:
        sides = [ComparedCapture(path.parent.name, load_capture(path)) for path in paths]
    except JaxscopeError as error:
        yield f"{name}: {error.explanation.what}"
        return
    compared = compare_captures(sides[0], sides[1])
    yield f"{name}: {describe_verdict(compared)} In full: jaxscope diff {paths[0]} {paths[1]}"
    for line in itertools.islice(describe_node_changes(compared), _MOST_CHANGES):
        yield f"  {line}"


def _slow(store: RankStore, most: int) -> Document:
    found = store.slowest(most)
    if not found:
        return [Section(blocks=["No module was compiled by a function that was jitted."])]
    first = found[0]
    answer = (
        f"{first.module.function} ({format_place(first.module.file, first.module.line)}) took "
        f"longest to trace, lower and compile: {format_seconds(first.high)} in rank "
        f"{first.slowest}, {format_seconds(first.median)} in the median rank."
    )
    known = sorted((rank.seconds, rank.number) for rank in store.ranks() if not rank.problem)
    (middle, _), (most_s, longest) = known[(len(known) - 1) // 2], known[-1]
    in_all = (
        f"Of all modules together rank {longest} took longest, {format_seconds(most_s)}; "
        f"the median rank took {format_seconds(middle)}."
    )
    rows = [
        (
            *_name(each.module),
            count_cell(each.ranks),
            *(known_cell(s, format_seconds) for s in (each.low, each.median, each.high)),
            count_cell(each.slowest),
        )
        for each in found
    ]
    headers = ("module", "line", "nth", "ranks", "least", "median", "most", "in rank")
    table = Table(headers, rows).without_empty_columns()
    return [Section(blocks=[answer, in_all]), Section(blocks=[table])]


def _again(store: RankStore, most: int) -> Document:
    found = store.again(most)
    if not found:
        return [Section(blocks=["No function was compiled again."])]
    first = found[0]
    where = f"in each of {format_count(len(first.ranks), 'rank')}"
    if len(first.ranks) == 1 or first.least != first.most:
        where = f"in rank {first.most_in}"
        where += f", and in others from {first.least:,}" if len(first.ranks) > 1 else ""
    answer = (
        f"{first.function} ({format_place(first.file, first.line)}) was compiled again "
        f"{format_count(first.most, 'time')} {where}."
    )
    rows: list[tuple[Cell, ...]] = [
        (
            Verbatim(each.function),
            format_place(each.file, each.line or "?"),
            *(count_cell(n) for n in (each.least, each.most, each.most_in)),
            known_cell(each.seconds, format_seconds),
            name_ranks(each.ranks),
            each.reasons[0] + (f"; {each.num_reasons - 1:,} more" if each.num_reasons > 1 else ""),
        )
        for each in found
    ]
    headers = ("function", "line", "least", "most", "in rank", "in all", "ranks", "why")
    return [Section(blocks=[answer]), Section(blocks=[Table(headers, rows)])]


def _memory(store: RankStore, most: int) -> Document:
    known = [(r.peak_bytes, r.number) for r in store.ranks() if r.peak_bytes is not None]
    if not known:
        return [Section(blocks=["Nothing is known of the memory of any rank."])]
    known.sort(reverse=True)
    sizes = [size for size, _ in known]
    whose = {rank.of_allocator for rank in store.ranks() if rank.peak_bytes is not None}
    kinds = {True: "peak of a device's allocator", False: "bytes of arrays between calls"}
    what = " or ".join(kind for by_allocator, kind in kinds.items() if by_allocator in whose)
    where = f"each of {len(sizes):,} ranks" if len(sizes) > 1 else f"rank {known[0][1]}"
    answer = f"Memory at most: {format_bytes(sizes[0])} in {where} ({what})."
    if sizes[0] != sizes[-1]:
        answer = (
            f"Memory at most: {format_bytes(sizes[0])} in rank {known[0][1]}, "
            f"{format_bytes(statistics.median_low(sizes))} in the median rank, "
            f"{format_bytes(sizes[-1])} in rank {known[-1][1]} ({what})."
        )
    rows = [(count_cell(number), number_cell(size, format_bytes)) for size, number in known[:most]]
    table = Table(("rank", "at most"), rows, num_left_out=len(known) - len(rows))
    return [Section(blocks=[answer]), Section(blocks=[table])]


def _ranks(store: RankStore, most: int) -> Document:
    ranks = store.ranks()
    rows = [
        (
            count_cell(rank.number),
            rank.host,
            NOTHING if rank.exit_status is None else count_cell(rank.exit_status),
            count_cell(rank.programs),
            known_cell(rank.seconds, format_seconds),
            count_cell(rank.outside),
            known_cell(math.nan if rank.peak_bytes is None else rank.peak_bytes, format_bytes),
            rank.problem,
        )
        for rank in sorted(ranks, key=lambda rank: rank.exit_status == 0)[:most]  # others first
    ]
    table = Table(_BY_NUMBER, rows, num_left_out=len(ranks) - len(rows)).without_empty_columns()
    notes = [*_notes(store)]
    return [
        Section(blocks=[_describe_ranks(ranks)]),
        Section(blocks=[Items(notes)] if notes else []),
        Section(blocks=[table]),
    ]


_SECTIONS: dict[str, Callable[[RankStore, int], Document]] = {
    "differ": _differ,
    "slow": _slow,
    "again": _again,
    "memory": _memory,
    "ranks": _ranks,
}


def _name(module: Module) -> tuple[Cell, Cell, Cell]:
    """The cells of a module; functions of one program have an empty number."""
    place = format_place(module.file, module.line or "?")
    return Verbatim(module.function), place, count_cell(module.nth + 1) if module.nth else NOTHING


def _module_to_json(module: Module) -> Json:
    return {**module._asdict(), "file": module.file or None}


def _difference_to_json(found: Difference) -> Json:
    return {
        **_module_to_json(found.module),
        "programs": [
            {
                "ranks": list(group),
                "capture": None if capture is None else f"rank-{capture[0]}/{capture[1]}",
            }
            for group, capture in zip(found.groups, found.captures, strict=True)
        ],
        "ranks_of_unknown_program": list(found.unknown),
        "ranks_without": list(found.without),
    }


def _spread_to_json(found: Spread) -> Json:
    seconds = {"low": found.low, "median": found.median, "high": found.high}
    return {
        **_module_to_json(found.module),
        "ranks": found.ranks,
        "seconds": seconds,
        "slowest_rank": found.slowest,
    }


def _again_to_json(found: Again) -> Json:
    lists = {"ranks": list(found.ranks), "reasons": list(found.reasons)}
    return {**found._asdict(), "file": found.file or None, **lists}
