"""Named questions about a call, answered from what the pages and reports are made of.

Each answer is a sentence or two, then facts, each with its place and how certain it is. As text and
as JSON it takes at most 2,000 bytes, and what did not fit is counted. `QUESTIONS` is the list: a
new question is a function and a row there.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from jaxscope.errors import UsageError
from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Capture, Cost, Graph, NodeKind, SourcePosition, Timing, Unavailable
from jaxscope.model import is_available as is_there
from jaxscope.model.capture import NONFINITE_RESULT, Checked, Fate
from jaxscope.model.experiments import CompileTime, Recompilation
from jaxscope.model.hardware import chip_of_target
from jaxscope.model.operations import SOLVE
from jaxscope.model.stages import LATE_STAGES, find_lowered_jaxpr, lowered_name
from jaxscope.model.timing import STEADY
from jaxscope.model.types import parse_array_type, read_count, type_bytes
from jaxscope.model.units import (
    UNKNOWN,
    file_name,
    format_bytes,
    format_count,
    format_flops,
    format_place,
    format_seconds,
    format_share,
    upper_first,
)
from jaxscope.model.values import Values
from jaxscope.program.cost.attribution import NO_ORIGIN, RowKind, find_cost_change
from jaxscope.program.cost.lines import find_line_costs
from jaxscope.program.cost.trip_counts import count_executions, find_trip_counts
from jaxscope.program.cost.work import Work, describe_unbounded_loops, find_stage_works
from jaxscope.program.equation_text import short_equation_names
from jaxscope.program.fates.table import link_products
from jaxscope.program.fusion.decisions import read_fusion_log
from jaxscope.program.fusion.separation import Certainty
from jaxscope.program.fusion.summary import (
    FusionReport,
    compare_launches,
    format_span,
    report_fusions,
)
from jaxscope.program.memory.live_ranges import find_donations, find_live_ranges
from jaxscope.program.memory.residuals import find_constants, find_residuals
from jaxscope.program.roofline import find_limit, find_roofline
from jaxscope.program.sharding.arrays import find_arrays
from jaxscope.program.sharding.collectives import find_collectives
from jaxscope.program.sharding.placement import CollectiveContexts
from jaxscope.program.size import describe_size
from jaxscope.program.source_lines import (
    explain_idle_line,
    explain_unnamed_line,
    find_named_lines,
    find_statement,
)
from jaxscope.report.checks import where_of
from jaxscope.report.diff import amount_cell, describe_cost_change
from jaxscope.report.document import Items, Section
from jaxscope.report.fusion import describe_operations, describe_saving
from jaxscope.report.measurement_documents import (
    costly_parts,
    describe_compile_time,
    describe_key_changes,
)
from jaxscope.report.measurements import describe_noise, describe_ratios, describe_spread
from jaxscope.report.memory import (
    compare_with_plan,
    describe_kept,
    describe_kind,
    describe_peak,
    describe_plan,
    name_buffer,
    place_of_buffer,
    place_text,
    say_idle_constants,
)
from jaxscope.report.moves import (
    FROM_LAYOUT,
    SAME_MEMORY,
    MoveOrigins,
    describe_change,
    describe_use,
)
from jaxscope.report.roofline import (
    describe_bounds,
    describe_conditions,
    describe_excess,
    describe_fast_call,
    describe_intensity,
    find_fastest_call,
)
from jaxscope.report.sharding import describe_collective, describe_communication
from jaxscope.report.values import describe_origins
from jaxscope.schema.ceilings_file import stored_ceilings
from jaxscope.schema.contract import Json
from jaxscope.schema.json_text import write_json

T = TypeVar("T")
MAX_BYTES = 2000
_MAX_TEXT = 300
_MAX_FACTS = 12
_MAX_OWN = 3


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that an answer rests on.

    Attributes:
        place: `file.py:12`, or nothing.
        certainty: `proven`, `inferred`, `counted` (by XLA's rules), `planned` (by XLA), `logged`,
            `measured`, `stated` (it stands in the program) or `unknown`.
    """

    text: str
    certainty: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A sentence or two, and what they rest on, the most telling first."""

    text: str
    facts: Sequence[Fact] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an answer is made of; what the question does not need is None.

    Attributes:
        line: That is asked about; 0 where none is.
        file: The end of the path of the file that the line is of; empty for the call's own.
    """

    capture: Capture | None = None
    timing: Timing | None = None
    values: Values | None = None
    checked: Checked | None = None
    recompilation: Recompilation | None = None
    compile_time: CompileTime | None = None
    line: int = 0
    file: str = ""

    @property
    def taken(self) -> Capture:
        if self.capture is None:
            raise ValueError("this question needs a capture")
        return self.capture

    def graph(self, stage: str) -> Graph | Unavailable:
        """The graph of a stage, or why there is none."""
        found = self.taken.stage(stage)
        if found is None:
            return Unavailable(f"The capture has no stage {stage}.", stage)
        return found.graph


@dataclass(frozen=True, slots=True)
class Question:
    """A question that has a name, and the function that answers it.

    Attributes:
        asks: The question in words.
        words: Words by which it is recognised in a question that is typed freely.
        needs: The run that answers it: `capture`, `passes` (a capture with XLA's passes), `time`,
            `values`, `check`, `recompile`, or `compile`, which a saved capture answers in part.
    """

    name: str
    asks: str
    words: str
    answer: Callable[[Evidence], Answer]
    needs: str = "capture"


class _Missing(Exception):
    """What an answer needs is not known; the message says why."""


def _there(found: T | Unavailable) -> T:
    """What was found.

    Raises:
        _Missing: It is not known.
    """
    if isinstance(found, Unavailable):
        raise _Missing(found.reason)
    return found


def _module(evidence: Evidence) -> tuple[Graph, str]:
    """The optimized module, or the one before optimization where a job left no other; a note then.

    Raises:
        _Missing: There is neither.
    """
    graph, earlier = evidence.graph("optimized"), evidence.graph("hlo")
    if is_there(graph) or not is_there(earlier):
        return _there(graph), ""
    return earlier, " This is the module before optimization: no later one is known."


def _count(found: Counter[str], most: int | None = None) -> str:
    """Such as `3 fused, 1 dead`: what there is most of comes first."""
    return ", ".join(f"{count:,} {name}" for name, count in found.most_common(most))


def _nodes(graph: Graph, *operations: str) -> list[int]:
    names = np.array([name in operations for name in graph.strings], bool)
    return [int(node) for node in np.flatnonzero(names[graph.nodes.operation])]


def _place(graph: Graph, node: int) -> str:
    return place_text(graph.place(node))


# What it costs.


def _costs(evidence: Evidence) -> Answer:
    capture = evidence.taken
    module, _ = _module(evidence)
    if not (is_there(evidence.graph("hlo")) and is_there(evidence.graph("optimized"))):
        return _costs_alone(evidence, module)
    found = _there(find_cost_change(capture, RowKind.LINE))
    rows = sorted(found.rows, key=lambda row: -_known(row.after.cost.bytes_accessed))
    total = found.after.bytes_accessed
    is_known = found.least[1].bytes_accessed == total and not found.num_unknown[1]
    facts = []
    own = _own_costs(capture)
    for row in rows:
        if not row.after.nodes or not total > 0:
            continue
        moved = amount_cell(row.after, "bytes_accessed", format_bytes).text
        moved = "bytes unknown" if moved == UNKNOWN else f"{moved} read and written"
        flops = amount_cell(row.after, "flops", format_flops).text
        flops = "FLOPs unknown" if flops == UNKNOWN else flops
        share = f" ({format_share(row.after.cost.bytes_accessed / total)})" if is_known else ""
        place = "" if row.name == NO_ORIGIN else row.name
        facts.append((place, row.label, f"{moved}{share}, {flops}"))
    has_own = bool(facts and own) and not facts[0][0].startswith(file_name(capture.own_file))
    stage = ", in optimized" if has_own else ""  # a line may be in both lists
    told_lines = [Fact(f"{label}{stage}: {told}", "counted", place) for place, label, told in facts]
    counted = [
        row
        for row in rows
        if amount_cell(row.after, "bytes_accessed", format_bytes).text != UNKNOWN
    ]
    most = next((row for row in counted if row.name != NO_ORIGIN), None)
    begin = "Of what is counted, most" if found.num_unknown[1] else "Most"
    first = f"{begin} traffic of a line: {most.label}. " if facts and most is not None else ""
    return Answer(
        f"{first}{describe_cost_change(found)} This is counted, not measured: "
        f"`jaxscope time --per-node` measures it. {' '.join(found.notes)}".rstrip(),
        [*(own if has_own else ()), *told_lines],
    )


def _costs_alone(evidence: Evidence, graph: Graph) -> Answer:
    """Of the only module that a job left, before or after optimization."""
    capture = evidence.taken
    stage = capture.stage("optimized" if is_there(evidence.graph("optimized")) else "hlo")
    found = _there(find_roofline(stage, find_trip_counts(capture), capture.stage("machine")))
    least = "at least " * bool(found.uncounted)
    flops = math.fsum(_known(point.flops) for point in found.kernels)
    moved = math.fsum(_known(point.num_bytes) for point in found.kernels)
    when, then = (
        ("before", " Optimizing fuses instructions, so that less is read and written.")
        if found.stage == "hlo"
        else ("after", "")
    )
    notes = "".join(f" {note}" for note in found.notes)
    return Answer(
        f"In the module {when} optimization, the only one that is known: {least}"
        f"{format_flops(flops)}, {least}{format_bytes(moved)} read and written, as XLA counts."
        f"{then}{notes}",
        [
            Fact(
                f"{point.name} ({point.operation}): {format_bytes(point.num_bytes)} read and "
                f"written, {format_flops(point.flops)}"
                + f", {point.rounds:,} runs"
                * (point.rounds > 1),
                "counted",
                _place(graph, point.nodes[0]),
            )
            for point in found.kernels
        ],
    )


def _own_costs(capture: Capture) -> list[Fact]:
    """The dearest lines of the call's own file, with all that they call elsewhere."""
    traced = [stage for stage in capture.stages if stage.name not in LATE_STAGES]
    costs = find_line_costs(traced, capture.own_file)
    found = [(line, cost) for line, cost in costs.items() if cost.share > 0]
    found.sort(key=lambda pair: -pair[1].share)
    return [
        Fact(f"{place}, with what it calls in other files: {cost.text}", "counted", place)
        for line, cost in found[:_MAX_OWN]
        for place in [format_place(capture.own_file, line)]
    ]


def _kernels(evidence: Evidence) -> Answer:
    capture = evidence.taken
    stage, trips = link_products(capture), find_trip_counts(capture)
    found = _there(find_roofline(stage, trips, capture.stage("machine")))
    graph = _there(evidence.graph("optimized") if stage is None else stage.graph)
    kinds = Counter(point.operation for point in found.kernels)
    kinds.update(graph.operation(node) for node in found.uncounted)
    told = _count(kinds, 5)
    facts = [
        Fact(
            f"{graph.id(node)} ({graph.operation(node)}): XLA does not count its work",
            "unknown",
            _place(graph, node),
        )
        for node in found.uncounted
    ]
    facts += [
        Fact(
            f"{point.name} ({point.operation}): {format_bytes(point.num_bytes)}, "
            f"{format_flops(point.flops)}" + (f", {point.rounds:,} runs" * (point.rounds > 1)),
            "counted",
            _place(graph, point.nodes[0]),
        )
        for point in found.kernels
    ]
    return Answer(
        f"The optimized program has {format_count(kinds.total(), 'kernel')}"
        + (f": {told}." if told else ".")
        + (f" A run launches {_count_launches(evidence)}." if found.num_repeated else "")
        + "".join(f" {note}" for note in found.notes),
        facts,
    )


def _count_launches(evidence: Evidence) -> str:
    """How many kernels one run launches, those of loops once per round."""
    span = _fusion_report(evidence).fused.kernels
    told = format_span(span)
    return (
        "an unknown number of them" if told == "unknown" else f"{told}, those of loops each round"
    )


def _bound(evidence: Evidence) -> Answer:
    capture = evidence.taken
    stage, trips = link_products(capture), find_trip_counts(capture)
    found = _there(find_roofline(stage, trips, capture.stage("machine")))
    chip = chip_of_target(capture.target)
    ceilings = chip.ceilings() if chip else stored_ceilings(capture.environment)
    notes = "".join(f" {note}" for note in found.notes)
    told = f"{describe_intensity(found)}{notes}"
    if ceilings is None:
        return Answer(
            f"{told} What this machine reaches is not known here: "
            "`jaxscope roofline FILE CALL --calibrate` measures it and says the bound of each "
            "kernel."
        )
    fastest = find_fastest_call(evidence.timing)
    doubts = (
        *describe_conditions(ceilings),
        describe_excess(found.kernels, ceilings),
        describe_fast_call(found, ceilings, fastest),
    )
    told += "".join(f" {doubt}" for doubt in doubts if doubt)
    limits = [(point, find_limit(point, ceilings)) for point in found.kernels]
    limits.sort(key=lambda pair: -_known(pair[1].best))
    facts = [
        Fact(
            f"{p.name}: measured in {format_seconds(p.seconds)}, faster than the peaks", "measured"
        )
        if limit.is_exceeded
        else Fact(
            f"{p.name}: {limit.kind or 'unknown'}, at least {format_seconds(limit.best)}", "counted"
        )
        for p, limit in limits
    ]
    return Answer(f"{describe_bounds(found, ceilings, fastest)} {told}", facts)


_DERIVES = re.compile("grad|vjp|jac|hess|jvp|linearize")
"""In the names of the transforms that make a derivative."""


def _gradient_cost(evidence: Evidence) -> Answer:
    capture = evidence.taken
    works = find_stage_works(capture.stages)
    own_stages = [stage for stage in capture.stages if stage.name not in LATE_STAGES]
    for stage in own_stages:
        _there(stage.graph)
    traced = [stage.name for stage in own_stages]
    gradient = capture.stage("gradient")
    if gradient is not None and is_there(gradient.graph):
        traced.append(gradient.name)
    # A stage's name begins with its own transform: `vmap(grad)`.
    own = [name.partition("(")[0] for name in traced]
    last = next((n for n in reversed(range(1, len(own))) if _DERIVES.search(own[n])), None)
    kept = find_residuals(capture)
    if last is None:
        if kept.stage:
            return Answer(
                "The function computes a derivative itself, so no stage is without it: ask of the "
                f"function that it differentiates. {describe_kept(kept)}."
            )
        return Answer(_why_no_gradient(capture))
    base_name, name = traced[last - 1], traced[last]
    nothing = Work(Cost(0.0, 0.0, 0.0), Cost(0.0, 0.0, 0.0))  # of a stage without equations
    base, with_gradient = works.get(base_name, nothing), works.get(name, nothing)
    facts = [
        Fact(f"{base_name} (what is differentiated): {base.flops}", "counted"),
        Fact(f"{name} (with its derivative): {with_gradient.flops}", "counted"),
        *_cost_notes({base_name: base.notes, name: with_gradient.notes}),
    ]
    told = f" {describe_kept(kept)}." if kept.stage else ""
    derived = with_gradient.flops
    if base.flops == UNKNOWN:
        done = f"The work of what is differentiated is unknown; with its derivative {derived}"
    else:
        done = f"What is differentiated does {base.flops}; with its derivative {derived}"
    return Answer(f"{done}, before optimization.{told}", facts)


def _cost_notes(notes: Mapping[str, Sequence[str]]) -> list[Fact]:
    """What goes for the counts of stages, with the stage's name where it does not go for all."""
    shared = [note for note in next(iter(notes.values())) if all(note in n for n in notes.values())]
    own = [
        f"{stage}: {note}" for stage, told in notes.items() for note in told if note not in shared
    ]
    return [Fact(note, "counted") for note in (*shared, *own)]


def _why_no_gradient(capture: Capture) -> str:
    """Why no stage of a call holds a derivative, and what has one."""
    stage = capture.stage("gradient")
    if stage is not None and stage.unavailable is not None:
        return f"This call has no gradient here: {stage.unavailable.reason}"
    graph = find_lowered_jaxpr(capture.stages)
    if graph is not None and not _gives_floats(graph):
        return "This call has no gradient: none of its results is a float."
    wrapped = f"grad({capture.base})"
    for transform in capture.transforms:
        wrapped = f"{transform}({wrapped})"
    return (
        f"No transform of this call is a derivative: ask of {wrapped}(…), or of jacrev in place of "
        "grad where a result is no scalar."
    )


def _gives_floats(graph: Graph) -> bool:
    outputs = np.flatnonzero(
        (graph.nodes.kind == NodeKind.OUTPUT) & (graph.nodes.group == NONE)
    ).tolist()
    found = [parse_array_type(text) for node in outputs for text in graph.types(node)]
    return any(each is None or each.is_float for each in found)


def _loops(evidence: Evidence) -> Answer:
    graph = find_lowered_jaxpr(evidence.taken.stages)
    if graph is None:
        return _loops_of_module(*_module(evidence))
    trips = find_trip_counts(evidence.taken)
    runs = count_executions(graph, trips)
    names = short_equation_names(graph)
    loops = [
        node
        for node in _nodes(graph, "scan", "while")
        if runs.of(int(graph.nodes.group[node])) or not _is_inside(graph, node, SOLVE)
    ]
    facts = [
        Fact(
            f"{names[graph.id(node)]}: {_describe_rounds(graph, node, trips)}",
            "stated",
            _place(graph, node),
        )
        for node in loops
    ]
    unknown = f" {describe_unbounded_loops(len(runs.unbounded))}" if runs.unbounded else ""
    further = list(_find_further_loops(graph, evidence.graph("optimized"), names))
    also = ""
    if further:
        made = "1 was" if len(further) == 1 else f"{len(further):,} were"
        also = f" In the optimized program {made} made of what is no loop in the jaxpr."
    told = f"{format_count(len(loops), 'loop')} in the jaxpr." if loops else (
        "There is no loop in the jaxpr."
    )  # fmt: skip
    return Answer(f"{told}{unknown}{also}", [*facts, *further])


def _loops_of_module(graph: Graph, note: str) -> Answer:
    """Of what a job left without its jaxpr."""
    loops = _nodes(graph, "while")
    facts = [
        Fact(f"{graph.id(node)}: {_describe_trips(graph, node)}", "stated", _place(graph, node))
        for node in loops
    ]
    return Answer(f"{format_count(len(loops), 'loop')}.{note}", facts)


def _describe_trips(graph: Graph, node: int) -> str:
    """How often XLA says that a `while` runs."""
    rounds = read_count(graph.attributes(node).get("known_trip_count", ""))
    return "nobody knows before it runs how often" if not rounds else _rounds(rounds)


def _describe_rounds(graph: Graph, node: int, trips: Mapping[str, int]) -> str:
    row = graph.attributes(node)
    length = read_count(row.get("length", ""))
    if length is None:
        rounds = trips.get(graph.id(node))
        return "nobody knows before it runs how often" if not rounds else _rounds(rounds)
    unroll = row.get("unroll", "1")
    return _rounds(length) + (f", unroll={unroll}" if unroll != "1" else "")


def _rounds(count: int) -> str:
    return format_count(count, "round")


def _is_inside(graph: Graph, node: int, operation: str) -> bool:
    """Whether a node is in a nested jaxpr of such an equation."""
    while (group := int(graph.nodes.group[node])) != NONE:
        node = int(graph.groups.owner[group])
        if node == NONE or graph.operation(node) == operation:
            return node != NONE
    return False


def _find_further_loops(
    jaxpr: Graph, optimized: Graph | Unavailable, names: Mapping[str, str]
) -> Iterator[Fact]:
    """Loops of the compiled program that are of an equation that is no loop, such as `lu`."""
    if not is_there(optimized):
        return
    for node in _nodes(optimized, "while"):
        made_of = [id for id in optimized.derived(node) if id in names]
        operations = {jaxpr.operation(jaxpr.index_by_id[id]) for id in made_of}
        if made_of and not operations & {"scan", "while"}:
            told = _describe_trips(optimized, node)
            yield Fact(
                f"{optimized.id(node)}, made of {names[made_of[-1]]}: {told}",
                "stated",
                _place(jaxpr, jaxpr.index_by_id[made_of[-1]]),
            )


# What became of it.


def _fates(evidence: Evidence) -> Answer:
    fates = evidence.taken.fates
    counts = Counter(fate.fate for fate in fates.values())
    sure: Counter[str] = Counter(fate.certainty or "unknown" for fate in fates.values())
    told = _count(counts)
    how = _count(sure)
    if not fates:
        return _without_fates(evidence)
    return Answer(
        f"Of {format_count(len(fates), 'equation')}: {told}. Certainty: {how}.",
        _fate_facts(evidence, fates),
    )


def _removed(evidence: Evidence) -> Answer:
    gone = ("dead", "folded", "merged", "simplified")
    found = {id: fate for id, fate in evidence.taken.fates.items() if fate.fate in gone}
    counts = Counter(fate.fate for fate in found.values())
    told = ", ".join(f"{counts[name]:,} {name}" for name in gone if counts[name])
    fates = evidence.taken.fates
    total = format_count(len(fates), "equation")
    if not fates:
        return _without_fates(evidence)
    unknown = sum(fate.fate == "unknown" for fate in fates.values())
    kept = "its one equation is" if len(fates) == 1 else f"all of {total} are"
    if found:
        verb = "does" if len(found) == 1 else "do"
        text = f"{len(found):,} of {total} {verb} not run as such: {told}."
    elif unknown:
        text = f"Nothing of {total}, as far as is known."
    else:
        text = f"Nothing: {kept} still there."
    if unknown:
        text += f" What became of {unknown:,} is not known."
    return Answer(text, _fate_facts(evidence, found))


def _without_fates(evidence: Evidence) -> Answer:
    """The function has no equations, or a stage is missing that fates are found by."""
    if (_there(evidence.graph("jaxpr")).nodes.kind == NodeKind.EQUATION).any():
        _there(evidence.graph("optimized"))
    return Answer("The function has no equations.")


def _fate_facts(evidence: Evidence, fates: Any) -> list[Fact]:
    graph = evidence.graph("jaxpr")
    names = short_equation_names(graph) if is_there(graph) else {}
    return [_fate_fact(graph, names.get(id, id), id, fate) for id, fate in fates.items()]


def _fate_fact(graph: Graph | Unavailable, name: str, id: str, fate: Fate) -> Fact:
    by = f" by {fate.pass_name}" if fate.pass_name else ""
    into = f" as {', '.join(fate.instructions[:3])}" if fate.instructions else ""
    place = _place(graph, graph.index_by_id[id]) if is_there(graph) else ""
    return Fact(f"{name}: {fate.fate}{into}{by}. {fate.text}", fate.certainty or "unknown", place)


def _line(evidence: Evidence) -> Answer:
    capture, graph = evidence.taken, _there(evidence.graph("jaxpr"))
    if not evidence.line:
        return Answer("Name the line, such as: line 12.")
    file = capture.own_file
    if evidence.file:
        ends = evidence.file if "/" in evidence.file else f"/{evidence.file}"
        paths = [f.path for f in capture.files if f"/{f.path}".endswith(ends)]
        if not paths:
            return Answer(f"The capture holds no file {evidence.file}.")
        file = file if file in paths else paths[0]
    on_it = _equations_on(graph, file, evidence.line)
    where = f"line {evidence.line}" + (f" of {evidence.file}" if evidence.file else "")
    if not on_it:
        text = next((f.text for f in capture.files if f.path == file), "")
        idle = explain_idle_line(text, evidence.line) if text else ""
        later = [
            f"{format_count(len(found), 'equation')} of {stage.name}"
            for stage in capture.stages
            if is_there(stage.graph) and (found := _equations_on(stage.graph, file, evidence.line))
        ]
        if later:  # such as in a rule of custom_jvp: the function itself does without
            told = ", ".join(later)
            return Answer(f"L{where[1:]} made no equation of the jaxpr, but {told}.")
        if idle:
            return Answer(f"No equation came from {where}. {idle}")
        near = find_named_lines(graph, file, find_statement(text, evidence.line))
        others = [line for line in near if _equations_on(graph, file, line)]
        return Answer(explain_unnamed_line(graph.strings, where, others))
    names = short_equation_names(graph)
    ids = [graph.id(node) for node in on_it]
    fates = [(id, capture.fates[id]) for id in ids if id in capture.fates]
    counts = Counter(fate.fate for _, fate in fates)
    told = _count(counts)
    kernels = list(dict.fromkeys(name for _, fate in fates for name in fate.instructions))
    held = f" Instructions that hold them: {', '.join(kernels[:6])}." if kernels else ""
    return Answer(
        f"L{where[1:]} made {format_count(len(ids), 'equation')}: {told}.{held}",
        [_fate_fact(graph, names[id], id, fate) for id, fate in fates],
    )


def _equations_on(graph: Graph, file: str, line: int) -> list[int]:
    return [
        node
        for node in np.flatnonzero(graph.nodes.kind == NodeKind.EQUATION).tolist()
        if _stands_on(graph.source(node), file, line)
    ]


def _stands_on(frames: Sequence[SourcePosition], file: str, line: int) -> bool:
    """Whether the innermost frame in that file is on that line."""
    own = next((frame for frame in frames if frame.file == file), None)
    return own is not None and own.line == line


# What XLA did.


def _fusions(evidence: Evidence) -> Answer:
    report = _fusion_report(evidence)
    known = [f.saving for f in report.fusions if not f.saving.reason]
    written = format_bytes(math.fsum(saving.bytes_written for saving in known))
    read = format_bytes(math.fsum(saving.bytes_read for saving in known))
    unknown = len(report.fusions) - len(known)
    graph = report.module.graph
    launches = (
        "" if report.one_by_one is None else compare_launches(report.one_by_one, report.fused)
    )
    return Answer(
        f"{format_count(len(report.fusions), 'fusion')}."
        + "".join(f" {told}" for told in (launches, report.other_counts) if told)
        + (
            f" Against a kernel for each of their instructions, they save {written} written and "
            f"{read} read, run once each."
            if known
            else ""
        )
        + (f" Of {unknown:,} that is not known." if unknown else ""),
        [
            Fact(
                f"{fusion.id}: {describe_operations(fusion)}. Reads "
                f"{format_bytes(fusion.bytes_read)}, writes {format_bytes(fusion.bytes_written)}. "
                f"Saves {describe_saving(fusion)}.",
                "counted",
                _place(graph, fusion.node),
            )
            for fusion in sorted(report.fusions, key=lambda f: -_known(f.saving.num_bytes))
        ],
    )


def _fusion_report(evidence: Evidence) -> FusionReport:
    capture = evidence.taken
    report = report_fusions(capture.stages, read_fusion_log(capture), capture.num_devices)
    if report is None:
        raise _Missing("the capture has no optimized program.")
    return report


def _known(number: float) -> float:
    return 0.0 if math.isnan(number) else number


def _apart(evidence: Evidence) -> Answer:
    report = _fusion_report(evidence)
    certainties = {Certainty.FACT: "stated", Certainty.LOGGED: "logged"}
    pairs = [(first, second) for first, readers in report.readers() for second in readers]
    facts = []
    for first, second in pairs[:_MAX_FACTS]:  # each takes a search in the module
        why = report.why_apart(first, second)
        certainty = certainties.get(why.certainty, "inferred")
        facts.append(Fact(f"{why.first} and {why.second}: {why.reason}", certainty))
    return Answer(
        f"{format_count(len(pairs), 'pair')} of kernels, loops and conditions hand a value on and "
        "are not one kernel."
        if pairs
        else "No kernel reads what another kernel makes.",
        facts,
        left_out=len(pairs) - len(facts),
    )


_NO_PASSES = "the passes were not recorded: capture the call with --passes."


def _copies(evidence: Evidence) -> Answer:
    graph = _there(evidence.graph("optimized"))
    origins = MoveOrigins(evidence.taken, graph)
    facts = list[tuple[float, Fact]]()
    sources, operations, changes = Counter[str](), Counter[str](), Counter[str]()
    for node in _nodes(graph, "copy", "copy-start", "transpose", "convert"):
        operation, name = graph.operation(node), graph.id(node)
        type_ = next(iter(graph.types(node)), "")
        num_bytes = type_bytes(type_)
        change, use = describe_change(graph, node), describe_use(graph, node)
        origin = origins.of(node)
        sources[origin.source] += 1
        operations[operation.removesuffix("-start")] += 1
        changes[change] += 1
        size = f", {format_bytes(num_bytes)}" if num_bytes >= 0 else ""
        what = " ".join(filter(None, [f"{name} ({operation} {type_}{size})", change]))
        told = "; ".join(filter(None, [origins.why(node), origin.told]))
        text = f"{', '.join(filter(None, [what, use]))}: {told}"
        moved = 0.0 if change == SAME_MEMORY else _known(num_bytes)
        facts.append((moved, Fact(text, origin.certainty, _place(graph, node))))
    order = ("proven", "inferred", "unknown", "stated")
    facts.sort(key=lambda each: (-each[0], order.index(each[1].certainty)))
    if not facts:
        return Answer("There is no copy, transpose or convert in the optimized program.")
    is_pass_missing = not evidence.taken.passes and set(sources) != {"the program"}
    return Answer(
        f"Copies, transposes and converts in the optimized program: {len(facts):,}: "
        + ", ".join(f"{count:,} from {source}" for source, count in sources.most_common())
        + "."
        + _tell_changes(operations, changes)
        + (f" Which pass made them: {_NO_PASSES}" if is_pass_missing else ""),
        [fact for _, fact in facts],
    )


def _tell_changes(operations: Counter[str], changes: Counter[str]) -> str:
    """How many copies change a layout, and how many transposes move nothing."""
    copies, transposes = operations["copy"], operations["transpose"]
    changing = sum(count for change, count in changes.items() if change.startswith(FROM_LAYOUT))
    still = changes[SAME_MEMORY]
    told = f" Copies that change a layout: {changing:,} of {copies:,}." if copies else ""
    return told + (f" Transposes that move nothing: {still:,} of {transposes:,}." if still else "")


def _passes(evidence: Evidence) -> Answer:
    records = [record for record in evidence.taken.passes if record.name]
    if not records:
        return Answer(upper_first(_NO_PASSES))
    changed = [record for record in records if record.has_changed]
    changed.sort(key=lambda r: -(r.num_added + r.num_removed + r.num_changed))
    first, last = evidence.taken.passes[0], evidence.taken.passes[-1]
    return Answer(
        f"Runs of passes that changed the program: {len(changed):,}. It went from "
        f"{first.num_instructions:,} to {last.num_instructions:,} instructions, and from "
        f"{first.num_fusions:,} to {last.num_fusions:,} fusions.",
        [
            Fact(
                f"{'' if r.number is None else f'{r.number} '}{r.name}: {r.num_added:,} added, "
                f"{r.num_removed:,} removed, {r.num_changed:,} changed",
                "stated",
            )
            for r in changed
        ],
    )


_BESIDES = ("gradient", "passes")
"""Stages that jaxscope makes beside the program that runs."""
_COSTLY_PARTS = 8


def _compile(evidence: Evidence) -> Answer:
    if evidence.compile_time is not None:
        return _compile_measured(evidence.compile_time)
    made = [stage for stage in evidence.taken.stages if stage.name not in _BESIDES]
    known = [(s.title, s.seconds) for s in made if not isinstance(s.seconds, Unavailable)]
    known.sort(key=lambda pair: -pair[1])
    total = math.fsum(seconds for _, seconds in known)
    facts = [Fact(f"{title}: {format_seconds(seconds)}", "measured") for title, seconds in known]
    slow = [r for r in evidence.taken.passes if r.seconds > 0]
    slow.sort(key=lambda r: -r.seconds)
    facts += [
        Fact(f"{r.name} (a pass or pipeline): {format_seconds(r.seconds)}", "measured")
        for r in slow[:4]
    ]
    if not known:
        return Answer("The times of this capture's stages are not known.")
    return Answer(
        f"Making its stages took {format_seconds(total)}, once; {known[0][0]} took most "
        f"({format_seconds(known[0][1])}). `jaxscope time` measures trace, lower and compile.",
        facts,
    )


def _compile_measured(found: CompileTime) -> Answer:
    """From a run of its own, in which the parts make up the whole."""
    whole = found.seconds
    facts = [Fact(text, "inferred") for text in found.advice]
    facts += [
        Fact(
            f"{span.name}: {format_seconds(span.seconds)} "
            f"({format_share(span.seconds / whole if whole > 0 else math.nan)})",
            "measured",
            format_place(span.file, span.line),
        )
        for span in costly_parts(found)[:_COSTLY_PARTS]
    ]
    facts += [
        Fact(
            f"{line.equations:,} of {found.num_equations:,} equations are made by this line",
            "stated",
            format_place(line.file, line.line),
        )
        for line in sorted(found.lines, key=lambda line: -line.equations)[:3]
        if line.equations
    ]
    return Answer(
        f"{describe_compile_time(found)} `jaxscope figure compile-time` draws all of it.", facts
    )


# Memory.


def _memory(evidence: Evidence) -> Answer:
    capture = evidence.taken
    live = find_live_ranges(capture)
    plan = capture.memory
    told = describe_plan(plan)
    if isinstance(live, Unavailable):
        return Answer(f"{told} Live ranges are not known: {live.reason}")
    graph = live.graph
    alive = sorted(live.alive_at(live.peak_step), key=lambda b: -_known(b.num_bytes))
    held = [value for value in find_constants(capture) if value.is_needed]
    captured = math.fsum(_known(value.num_bytes) for value in held)
    besides = ""
    if captured:
        besides = f"Besides, the program holds {format_bytes(captured)} of captured arrays."
    sentences = [told, describe_peak(live), compare_with_plan(live, plan), besides]
    return Answer(
        " ".join(filter(None, sentences)),
        [
            Fact(
                f"alive then: {name_buffer(graph, b)} ({describe_kind(b)}), "
                f"{format_bytes(b.num_bytes)}",
                "planned" if live.is_placed else "counted",
                place_of_buffer(graph, b),
            )
            for b in alive
        ],
    )


def _residuals(evidence: Evidence) -> Answer:
    found = find_residuals(evidence.taken)
    if not found.stage:
        return _handed_out(evidence.taken) or Answer(
            "Nothing: no stage of this call has a backward part."
        )
    facts = []
    for values, where in ((found.values, ""), (found.in_rounds, ", within a round of its loop")):
        alike = Counter(
            (value.type, value.operation, value.id, value.num_bytes, place_text(value.place))
            for value in values
        )
        facts += [
            Fact(
                f"{f'{count} × ' if count > 1 else ''}{kept_type} of {operation} (equation "
                f"{equation}), {format_bytes(count * num_bytes)}{where}",
                "stated",
                place,
            )
            for (kept_type, operation, equation, num_bytes, place), count in sorted(
                alike.items(), key=lambda each: -each[1] * _known(each[0][3])
            )
        ]
    read = ""
    if found.arguments:
        size = format_bytes(math.fsum(_known(value.num_bytes) for value in found.arguments))
        inputs = format_count(len(found.arguments), "array")
        read = f" It also reads {inputs} of the arguments ({size}), which the caller holds."
        facts += [
            Fact(
                f"{value.type} of the argument {value.path or value.id}, "
                f"{format_bytes(value.num_bytes)}, held by the caller",
                "stated",
            )
            for value in found.arguments
        ]
    return Answer(f"{describe_kept(found)}.{read}", facts)


def _handed_out(capture: Capture) -> Answer | None:
    """Of a call of `vjp` or `linearize`: what its second result holds, the derivative to come."""
    outermost = next(reversed([name for name in capture.transforms if name != "jit"]), "")
    if outermost not in ("vjp", "linearize"):
        return None
    held = [leaf for leaf in capture.results if leaf.path.startswith("result[1]")]
    size = format_bytes(math.fsum(leaf.num_bytes for leaf in held))
    return Answer(
        f"{outermost} gives a function that computes the derivative, and what this keeps is a part "
        f"of the results: {size} in {format_count(len(held), 'array')}.",
        [
            Fact(f"{leaf.type} of {leaf.path}, {format_bytes(leaf.num_bytes)}", "stated")
            for leaf in sorted(held, key=lambda leaf: -leaf.num_bytes)
        ],
    )


def _donation(evidence: Evidence) -> Answer:
    found = _there(find_donations(evidence.taken))
    if not found:
        return Answer("No argument is donated: jit has no donate_argnums here.")
    used = sum(donation.is_used for donation in found)
    return Answer(
        f"Results took the memory of {used:,} of {format_count(len(found), 'donated argument')}.",
        [
            Fact(f"{d.path} ({d.type}, {format_bytes(d.num_bytes)}): {d.text}", "planned")
            for d in sorted(found, key=lambda d: d.is_used)
        ],
    )


def _constants(evidence: Evidence) -> Answer:
    found = find_constants(evidence.taken)
    if not found:
        return Answer("No array is captured as a constant.")
    held = [value for value in found if value.is_needed]
    total = math.fsum(_known(value.num_bytes) for value in held)
    idle = say_idle_constants(found)
    return Answer(
        f"The program holds {format_count(len(held), 'captured array')}, {format_bytes(total)} "
        f"in all. {idle}{' ' if idle else ''}"
        "As an argument an array is not a part of the program.",
        [
            Fact(
                f"{v.type}, {format_bytes(v.num_bytes)}, "
                + (
                    f"read by {format_count(len(v.readers), 'equation')}"
                    if v.readers
                    else "not read"
                )
                + ("" if v.is_needed else ", needed by no result"),
                "stated",
                place_text(v.place),
            )
            for v in found
        ],
    )


# Devices.


def _collectives(evidence: Evidence) -> Answer:
    graph, note = _module(evidence)
    found = find_collectives(graph, evidence.taken.placement)
    contexts = CollectiveContexts(evidence.taken)
    facts = []
    for each in sorted(found, key=lambda c: -_known(c.total_bytes)):
        context = contexts.of(graph, each.node)
        owner = "Its equations" if len(context.sides) > 1 else "Its equation"
        between = f" {owner}: {context.between}." if context.between else ""
        facts.append(
            Fact(
                f"{each.id} ({each.kind}): {describe_collective(each)}{between}",
                "stated",
                place_text(context.place),
            )
        )
    if note and not found:
        return Answer("No collective." + note + " XLA adds those that shardings need.")
    return Answer(f"{describe_communication(found)}{note}", facts)


def _sharding(evidence: Evidence) -> Answer:
    found = _there(find_arrays(evidence.taken))
    devices = evidence.taken.num_devices
    if devices < 2:
        return Answer("The call runs on one device; no array is cut.")
    return Answer(
        f"The program runs on {devices:,} devices.",
        [
            Fact(f"{array.role} {array.path} {array.type} {array.spec}: {array.text}", "stated")
            for array in sorted(found, key=lambda a: -_known(a.num_bytes))
        ],
    )


# The program itself.


def _size(evidence: Evidence) -> Answer:
    from jaxscope.program.dataflow import describe_shared  # few questions need it

    graphs = [(s.name, s.graph) for s in evidence.taken.stages if is_there(s.graph)]
    if not graphs:
        return Answer("No stage of this capture has a graph.")
    sizes = [(name, describe_size(graph), describe_shared(graph)) for name, graph in graphs]
    compiled = lowered_name(stage.name for stage in evidence.taken.stages)
    first = next((size for size in sizes if size[0] == compiled), sizes[0])  # not what it is of
    last = f" to {sizes[-1][1]} ({sizes[-1][0]})" if sizes[-1] is not first else ""
    return Answer(
        f"From {first[1]} ({first[0]}){last}." if last else f"{first[1]} ({first[0]}).",
        [
            Fact(f"{name}: {told}" + (f". {shared}" if shared else ""), "stated")
            for name, told, shared in sizes
        ],
    )


def _types(evidence: Evidence) -> Answer:
    graph, note = _module(evidence)
    counts: Counter[str] = Counter()
    doubles: dict[int, None] = {}
    for node in range(len(graph.nodes)):
        for text in graph.types(node):
            type_ = parse_array_type(text)
            if type_ is None:
                continue
            counts[type_.element] += 1
            if type_.element in ("f64", "c128"):
                doubles[node] = None
    told = _count(counts, 6)
    converts = format_count(len(_nodes(graph, "convert")), "convert instruction")
    wide = (
        f" 64-bit floating point: {format_count(len(doubles), 'instruction')}." if doubles else ""
    )
    return Answer(
        f"Values of the program by type: {told}. It has {converts}.{wide}{note}",
        [
            Fact(f"{graph.id(node)} is 64-bit floating point", "stated", _place(graph, node))
            for node in doubles
        ],
    )


def _speed(evidence: Evidence) -> Answer:
    timing = evidence.timing
    if timing is None:
        return Answer("That was not measured.")
    first = [each for each in timing.ratios if each.name == "eager/jit"]
    told = f"{describe_ratios(first)}." if first else "No ratio was measured."
    told = f"{upper_first(told)} {describe_noise(timing.environment)}"
    why_none = [] if first else [Fact(warning, "stated") for warning in timing.warnings]
    times = [
        Fact(f"{m.name}: {format_seconds(m.median)}, {describe_spread(m)}", "measured")
        for m in sorted(timing.measurements, key=lambda m: m.name not in STEADY)
    ]
    return Answer(told.rstrip(), [*why_none, *times])


def _nan(evidence: Evidence) -> Answer:
    values = evidence.values
    if values is None:
        return _found_nan(evidence)
    told = describe_origins(values)
    rest = len(values.origins)  # after the first, each is a fact of its own
    return Answer(
        " ".join([*told[:1], *told[max(rest, 1) :]]),
        [
            Fact(
                text,
                "measured",
                f"{origin.file.rpartition('/')[2]}:{origin.line}" if origin.line else "",
            )
            for text, origin in zip(told[1:rest], values.origins[1:], strict=True)
        ]
        + [Fact(text, "stated") for text in values.warnings],
    )


def _found_nan(evidence: Evidence) -> Answer:
    """What a capture says of it that was made from the values of its call."""
    found = [c for c in evidence.taken.checks if c.rule == NONFINITE_RESULT]
    if not found:
        return Answer("Values were not looked at.")
    return Answer(f"{found[0].message} Found when it was captured.", [])


def _checks(evidence: Evidence) -> Answer:
    checked = evidence.checked
    if checked is None:
        return Answer("The call was not checked.")
    found = checked.checks
    worst = f" The first is {found[0].rule}." if found else ""
    return Answer(
        (f"{format_count(len(found), 'finding')}.{worst}" if found else "Nothing was found.")
        + "".join(f" {why}" for why in checked.skipped),
        [
            Fact(
                f"{c.severity.value}: {c.rule}: {c.message} Try: {c.remedy}",
                "stated",
                file_name(where_of(c)),
            )
            for c in found
        ],
    )


def _recompiled(evidence: Evidence) -> Answer:
    found = evidence.recompilation
    if found is None:
        return Answer("No calls were watched.")
    again = [signature for signature in found.signatures if signature.nearest is not None]
    when = format_count(len(found.calls), "call")
    at_import = sum(signature.call not in found.calls for signature in again)
    of_calls = f" in {when}"
    if at_import:
        of_calls = (
            f": {at_import:,} while the file was imported, {len(again) - at_import:,} in {when}"
        )
    told = (
        f"{format_count(len(again), 'recompilation')}{of_calls}, "
        f"{format_seconds(found.wasted)} in all."
        if again
        else f"Nothing was compiled again{of_calls}."
    )
    return Answer(
        told,
        [
            *(
                Fact(
                    f"{s.function}({_shorten(', '.join(s.arguments), 80)}): "
                    f"{describe_key_changes(s)}",
                    "stated",
                    file_name(s.place),
                )
                for s in again
            ),
            *(Fact(f"{a.function}: {a.text}", "inferred") for a in found.advice),
        ],
    )


QUESTIONS = (
    Question("costs", "What costs most?", "cost costs expensive heavy slow slowest", _costs),
    Question("line", "What became of line N?", "line", _line),
    Question(
        "kernels", "Which kernels run, and how many?", "kernel kernels launch launches", _kernels
    ),
    Question("fusions", "What was fused, and what does it save?", "fused fusion fusions", _fusions),
    Question("apart", "Why are kernels not fused?", "not apart separate unfused", _apart),
    Question(
        "copies",
        "Why are there copies, transposes and converts?",
        "copy copies transpose transposes convert converts",
        _copies,
        "passes",
    ),
    Question("passes", "Which of XLA's passes changed it?", "pass passes", _passes, "passes"),
    Question("fates", "What became of its equations?", "fate fates became", _fates),
    Question(
        "removed",
        "What did JAX and XLA remove?",
        "removed dead unused folded merged simplified gone disappeared",
        _removed,
    ),
    Question("bound", "Is it bound by memory or by arithmetic?", "bound roofline limit", _bound),
    Question("loops", "Which loops run, and how often?", "loop loops scan while trip", _loops),
    Question("gradient", "What does its gradient cost?", "gradient backward grad", _gradient_cost),
    Question("memory", "How much memory, and what is alive then?", "memory peak oom", _memory),
    Question("residuals", "What is kept for the backward part?", "residuals kept", _residuals),
    Question("donation", "Were donated arguments used?", "donated donation donate", _donation),
    Question("constants", "Which arrays are captured?", "constant constants captured", _constants),
    Question(
        "collectives",
        "What do devices send to each other?",
        "collective collectives communication all-reduce all-gather send devices",
        _collectives,
    ),
    Question(
        "sharding", "How are arrays spread over devices?", "sharding sharded spread", _sharding
    ),
    Question("size", "How large is each stage?", "size large", _size),
    Question("types", "Which types does it compute in?", "type types f64 float64 dtype", _types),
    Question(
        "compile", "Where did compile time go?", "compile compilation tracing", _compile, "compile"
    ),
    Question(
        "speed", "Is jit faster, and how long?", "speed fast faster slower jit long", _speed, "time"
    ),
    Question("nan", "Where does NaN or Inf begin?", "nan inf nonfinite", _nan, "values"),
    Question(
        "checks",
        "What is likely to be a mistake?",
        "check checks mistake wrong bug",
        _checks,
        "check",
    ),
    Question(
        "recompiled",
        "What was compiled again, and why?",
        "recompiled recompile again",
        _recompiled,
        "recompile",
    ),
)


_ALSO_COSTS = ("where does the time go", "where does time go", "where did the time go")


def find_question(words: str) -> tuple[Question, int, str]:
    """The question that is meant, the line that it names, or 0, and that line's file, or nothing.

    Args:
        words: A name, or a sentence; the question that has most of its words is taken.

    Raises:
        UsageError: It is none of the questions, or could be several.
    """
    plain = words.strip().rstrip("?").lower()
    placed = re.search(r"([^\s:'\"]+\.py):(\d{1,7})\b", words)
    named = re.search(r"\bline\s*:?\s*(\d{1,7})\b", plain)
    line = int(placed[2]) if placed else int(named[1]) if named else 0
    file = placed[1] if placed else ""
    by_name = {question.name: question for question in QUESTIONS}
    by_name.update({question.asks.rstrip("?").lower(): question for question in QUESTIONS})
    by_name.update(dict.fromkeys(_ALSO_COSTS, by_name["costs"]))
    if plain in by_name:
        return by_name[plain], line, file
    asked = set(re.findall(r"[a-z][a-z0-9-]*", plain))
    if line:
        return by_name["line"], line, file
    hits = [(len(asked & set(question.words.split())), question) for question in QUESTIONS]
    most = max(count for count, _ in hits)
    best = [question for count, question in hits if count == most]
    if most and len(best) == 1:
        return best[0], line, file
    unclear = "could be several" if most else "is none that is known"
    raise UsageError(
        f"The question {words[:80]!r} {unclear}.",
        why=f"It could be: {', '.join(q.name for q in best)}." if most else "",
        remedy="Questions are: " + ", ".join(question.name for question in QUESTIONS) + ".",
    )


def answer_question(question: Question, evidence: Evidence) -> Answer:
    """The answer, short enough as text and as JSON."""
    try:
        whole = question.answer(evidence)
    except _Missing as why:
        whole = Answer(f"That is not known: {why}")
    facts = [dataclasses.replace(fact, text=_shorten(fact.text)) for fact in whole.facts]
    short = Answer(_shorten(whole.text, 2 * _MAX_TEXT), facts[:_MAX_FACTS])
    while True:
        left = whole.left_out + len(facts) - len(short.facts)
        short = dataclasses.replace(short, left_out=left)
        if not short.facts or _size_of(question, short, evidence) <= MAX_BYTES:
            return short
        short = dataclasses.replace(short, facts=short.facts[:-1])


def _shorten(text: str, most: int = _MAX_TEXT) -> str:
    """At most so many characters, cut after a sentence if one ends in the second half of them,
    else after a word."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    end = text.rfind(". ", most // 2, most - 2) + 1 or text.rfind(" ", most // 2, most - 1)
    return text[: end if end > 0 else most - 2] + " …"


def _size_of(question: Question, answer: Answer, evidence: Evidence) -> int:
    return len(write_json(answer_to_json(question, answer, evidence)))


def answer_to_json(question: Question, answer: Answer, evidence: Evidence) -> Json:
    """At most `MAX_BYTES`, as the command line writes it."""
    return {
        "question": question.name,
        "asks": question.asks,
        "call": _shorten(call_of(evidence), 160),
        "line": evidence.line or None,
        "answer": answer.text,
        "facts": [
            {"text": fact.text, "certainty": fact.certainty, "place": fact.place or None}
            for fact in answer.facts
        ],
        "left_out": answer.left_out,
    }


def call_of(evidence: Evidence) -> str:
    """The call that an answer is of; empty where it is not known."""
    sources: Iterable[Any] = (
        evidence.capture,
        evidence.timing,
        evidence.values,
        evidence.checked,
        evidence.recompilation,
    )
    return next((source.call for source in sources if source is not None), "")


def answer_to_document(answer: Answer, call: str = "") -> list[Section]:
    """The answer first, then what it rests on.

    Args:
        call: What it is of, where nobody typed that.
    """
    told = [f"The call is {call}"] if call else []
    return [Section(blocks=[answer.text, *([_items(answer)] if answer.facts else []), *told])]


def _items(answer: Answer) -> Items:
    lines = []
    for fact in answer.facts:
        place = f", {fact.place}" if fact.place and fact.place not in fact.text else ""
        lines.append(f"{fact.text} [{fact.certainty}{place}]")
    return Items(lines, answer.left_out)
