"""Fates of the equations of the base function: one fate from all that the transforms made of each,
found when first asked for (`FateTable`).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence

from jaxscope.model.capture import Capture, Fate, Proof, Stage, stage_named
from jaxscope.model.graph import NONE, Graph, NodeKind, Ragged
from jaxscope.model.operations import CUSTOM_DERIVATIVES
from jaxscope.model.said import say, say_joined
from jaxscope.model.stages import find_lowered_stage
from jaxscope.program.fates.derived import DerivedFates
from jaxscope.program.fates.equations import IDENTITIES, Equations, find_live
from jaxscope.program.fates.outcomes import (
    NEEDLESS,
    NOT_RUNNING,
    PassOutcome,
    combine_fates,
    count_fates,
    quote_equations,
)
from jaxscope.program.machine.kernel_text import kernel_names


def find_all_fates(
    stages: tuple[Stage, ...], endings: Mapping[str, PassOutcome] | None = None
) -> tuple[dict[str, Fate], dict[str, Fate]]:
    """The fates of the equations of the stage `jaxpr` and of the last jaxpr-level stage.

    Args:
        stages: Of one capture; only their graphs and the list of kernels are read.
        endings: What the passes were seen to do, by the id of an equation of the last jaxpr-level
            stage.
    """
    graphs = {stage.name: stage.graph for stage in stages if isinstance(stage.graph, Graph)}
    base = graphs.get("jaxpr")
    if base is None:
        return {}, {}
    last = find_lowered_stage(stages)
    if last is None or not isinstance(last.graph, Graph):
        name = last.name if last is not None else "last jaxpr"
        text = say("The graph of the stage {name} is not there to follow.", name=name)
        unread = Fate("unknown", text=text)
        return dict.fromkeys(_ids(base), unread), {}
    derived, optimized = last.graph, graphs.get("optimized")
    if optimized is None:
        missing = Fate("unknown", text=say("There is no optimized module to look into."))
        return dict.fromkeys(_ids(base), missing), dict.fromkeys(_ids(derived), missing)
    kernels = kernel_names(stage_named(stages, "machine"))
    stage = "" if last.name == "jaxpr" else last.name
    lowered = graphs.get("stablehlo")
    finder = DerivedFates(derived, graphs.get("hlo"), optimized, kernels, endings, stage, lowered)
    found = finder.all()
    _let_go(finder)
    if last.name == "jaxpr":
        return found, found
    return _carry_to_base(base, derived, found, last.name), found


class FateTable(Mapping[str, Fate]):
    """Fates that are found when they are first asked for: no capture waits for them."""

    def __init__(
        self,
        stages: tuple[Stage, ...],
        endings: Mapping[str, PassOutcome] | None = None,
        target: str = "",
    ) -> None:
        """
        Args:
            endings: What the passes were seen to do; see `find_all_fates`.
            target: What the program was compiled for; nothing is proven of a TPU's.
        """
        self._stages = stages
        self._endings = endings
        self._is_of_tpu = "tpu" in re.split("[:/]", target)
        self._found: tuple[dict[str, Fate], dict[str, Fate]] | None = None

    @property
    def has_pass_outcomes(self) -> bool:
        """Whether recorded passes were used, which the stages do not have."""
        return bool(self._endings)

    @property
    def derived(self) -> Mapping[str, Fate]:
        """The fates of the equations of the last jaxpr-level stage, by their ids there."""
        return self._tables()[1]

    def __getitem__(self, id: str) -> Fate:
        return self._tables()[0][id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables()[0])

    def __len__(self) -> int:
        return len(self._tables()[0])

    def _tables(self) -> tuple[dict[str, Fate], dict[str, Fate]]:
        if self._found is None:
            try:
                base, derived = find_all_fates(self._stages, self._endings)
                if self._is_of_tpu:
                    base, derived = _without_proof(base), _without_proof(derived)
                self._found = base, derived
            except Exception as error:  # a program may be stranger than any list of errors
                self._found = _unexplained(self._stages, error), {}
        return self._found


def find_fate_table(capture: Capture) -> FateTable:
    """The table of a capture's fates; of one that was read from a file, found anew."""
    fates = capture.fates
    return (
        fates if isinstance(fates, FateTable) else FateTable(capture.stages, None, capture.target)
    )


def _without_proof(fates: Mapping[str, Fate]) -> dict[str, Fate]:
    """The same fates, none of them proven.

    XLA's dumps for TPUs refuted 3 of 741 fates that were found as those of CPUs and GPUs are: its
    passes for TPUs rebuild more than what the following of instructions knows.
    """
    return {
        id: fate
        if fate.certainty != "proven"
        else dataclasses.replace(fate, certainty="inferred", proof=None)
        for id, fate in fates.items()
    }


def saved_fates(fates: Mapping[str, Fate]) -> dict[str, Fate]:
    """What of them a file has to keep: nothing, where its stages say the same."""
    if isinstance(fates, FateTable) and not fates.has_pass_outcomes:
        return {}
    return dict(fates)


def _unexplained(stages: tuple[Stage, ...], error: Exception) -> dict[str, Fate]:
    """Fates that could not be found cost nothing else."""
    base = next((s.graph for s in stages if s.name == "jaxpr"), None)
    why = f"{type(error).__name__}: {error}"[:200]
    text = say("jaxscope could not follow this program, which is a bug in jaxscope: {why}", why=why)
    return dict.fromkeys(_ids(base) if isinstance(base, Graph) else (), Fate("unknown", text=text))


def _ids(graph: Graph) -> list[str]:
    return [
        graph.id(index)
        for index, kind in enumerate(graph.nodes.kind.tolist())
        if kind == NodeKind.EQUATION
    ]


def _carry_to_base(
    base: Graph, derived: Graph, found: Mapping[str, Fate], transform: str
) -> dict[str, Fate]:
    """The fates of base equations, from those of the equations that come from them."""
    parts: dict[str, list[str]] = {}
    for index, kind in enumerate(derived.nodes.kind.tolist()):
        if kind == NodeKind.EQUATION:
            id = derived.id(index)
            for origin in derived.origins(index):
                parts.setdefault(origin, []).append(id)
    equations = Equations(base)
    live = find_live(equations)
    named = {"transform": transform}
    fates: dict[str, Fate] = {}
    for node, is_equation in enumerate(equations.is_equation):
        if not is_equation:
            continue
        id = equations.ids[node]
        if id in parts:
            made = {part: found[part] for part in parts[id]}
            fate = _combine(id, equations.operations[node], made, derived, transform)
            if equations.operations[node] == "cond" and _became_a_choice(derived, parts[id]):
                text = say("{transform} computes both branches, and a select chooses.", **named)
                fate = dataclasses.replace(fate, text=say_joined((text, fate.text)))
            fates[id] = fate
        else:
            fates[id] = _left_out(equations, node, live[node], transform, parts)
    _let_go(equations)
    return fates


def _let_go(finder: object) -> None:
    """Free what found fates piece by piece.

    Freed as a whole, half a million objects keep all other threads waiting for a tenth of a second.
    """
    for name in list(vars(finder)):
        part = vars(finder).pop(name)
        if hasattr(part, "__dict__") and type(part).__module__.startswith(__package__):
            _let_go(part)


def _became_a_choice(derived: Graph, parts: Sequence[str]) -> bool:
    """Whether of a branch a transform made a choice between the results of both sides."""
    places = derived.index_by_id
    made = {derived.operation(places[id]) for id in parts}
    return "select_n" in made and "cond" not in made


def _combine(
    id: str, operation: str, fates: Mapping[str, Fate], derived: Graph, transform: str
) -> Fate:
    """One fate of all that a transform made of an equation: the most informative of what runs.

    Where nothing of it runs, what became of the operation itself says more than what became of
    its derivative.

    Args:
        id: Of the base equation.
        operation: Its primitive.
        fates: Of the equations that come from it, by their ids.
        derived: Their graph.
        transform: Name of their stage.
    """
    best = combine_fates(list(fates.values()))
    places = derived.index_by_id
    operations = {part: derived.operation(places[part]) for part in fates}
    own = [fates[part] for part in fates if operations[part] == operation]
    if own and best.fate in NOT_RUNNING:
        best = combine_fates(own)
    merged = dict.fromkeys(
        origin
        for part in best.merged_with
        if part in places
        for origin in derived.origins(places[part])
        if origin != id
    )
    text = best.text
    if best.fate == "merged" and not merged:
        text = say(
            "Its parts were merged with each other: the same operation on the same operands."
        )
    if len(fates) > 1:
        parts = count_fates(fates.values())
        came = say("{num} equations came from it ({parts}).", num=len(fates), parts=parts)
        if whose := next((p for p in fates if fates[p].text == best.text), ""):
            about = quote_equations([whose], transform)
            text = say(
                "Of {about} ({operation}): {text}",
                about=about,
                operation=operations[whose],
                text=text,
            )
        text = say_joined((came, text))
    return dataclasses.replace(best, merged_with=tuple(merged), text=text)


def _left_out(
    equations: Equations, node: int, is_live: bool, transform: str, parts: Mapping[str, list[str]]
) -> Fate:
    """An equation of which the transforms left nothing."""
    if not is_live:
        proof = Proof(None, transform, (equations.ids[node],))
        return Fate("dead", text=NEEDLESS, certainty="proven", proof=proof)
    operation, named = equations.operations[node], {"transform": transform}
    around = node
    while (nested := equations.nested.get(equations.group[around])) and nested.owners:
        around = nested.owners[0]
        if equations.operations[around] in CUSTOM_DERIVATIVES and equations.ids[around] in parts:
            id = equations.ids[around]
            text = say("The custom rule of {id} takes its place in {transform}.", id=id, **named)
            return Fate("simplified", text=text, certainty="inferred")
    if operation in IDENTITIES:
        text = say(
            "Nothing of this {operation} is needed in {transform}.", operation=operation, **named
        )
        return Fate("simplified", text=text, certainty="inferred")
    if any(word in transform for word in ("grad", "jac", "vjp", "hess", "jvp", "linearize")):
        text = say("{transform} does not need its result, so JAX left it out.", **named)
        return Fate("dead", text=text, certainty="inferred")
    text = say("It is not in {transform}, and JAX does not say why.", **named)
    return Fate("unknown", text=text)


def link_products(capture: Capture) -> Stage | None:
    """The stage `optimized`, its nameless products and sums linked to the equations that they are.

    XLA makes products of matrices and vectors anew, without a name, and the parts of a reduction
    that it splits; most of a program's work may be in them. Each, and the fusion around it, takes
    over origins, scope and source of the equation whose fate it holds, and the attribute `link`
    says that this is inferred.
    """
    stage = capture.stage("optimized")
    graph = stage.graph if stage is not None else None
    if stage is None or not isinstance(graph, Graph):
        return stage
    nodes = graph.nodes
    nameless = {
        graph.string(nodes.id, node): node
        for node in range(len(nodes))
        if graph.string(nodes.operation, node) in ("dot", "convolution", "reduce-window")
        and not len(nodes.derived[node])
    }
    derived = find_lowered_stage(capture.stages)
    if not nameless or derived is None or not isinstance(derived.graph, Graph):
        return stage
    table = find_fate_table(capture)
    strings = list(graph.strings)
    numbers = {text: number for number, text in enumerate(strings)}

    def number(text: str) -> int:
        if text not in numbers:
            numbers[text] = len(strings)
            strings.append(text)
        return numbers[text]

    columns: dict[str, list[list[int]]] = {}
    for name in ("derived", "origins", "scope", "source", "attributes"):
        column: Ragged = getattr(nodes, name)
        columns[name] = [column[node].tolist() for node in range(len(nodes))]
    for id, fate in table.derived.items():
        for name in fate.instructions:
            node = nameless.pop(name, None)
            if node is None:
                continue
            source = derived.graph.node(derived.graph.index_by_id[id])
            places = [
                part
                for place in source.source
                for part in (number(place.file), place.line, place.column, number(place.function))
            ]
            for linked in (node, *_nameless_fusion(graph, node)):
                columns["derived"][linked] = [number(id)]
                columns["origins"][linked] = [number(origin) for origin in source.origins or (id,)]
                columns["scope"][linked] = [number(scope) for scope in source.scope]
                columns["source"][linked] = places
                columns["attributes"][linked] += [number("link"), number("inferred")]
    rows = {name: Ragged.from_rows(column) for name, column in columns.items()}
    whole = dataclasses.replace(graph, strings=tuple(strings)).replace_nodes(**rows)
    return dataclasses.replace(stage, graph=whole)


def _nameless_fusion(graph: Graph, node: int) -> tuple[int, ...]:
    """The fusion that an instruction is in, if no equation is known of it."""
    group = int(graph.nodes.group[node])
    owner = NONE if group == NONE else int(graph.groups.owner[group])
    if owner == NONE or graph.operation(owner) != "fusion":
        return ()
    return () if len(graph.nodes.derived[owner]) else (owner,)
