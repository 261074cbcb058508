"""Which equations made NaN and Inf, and which of them come into a result.

A program is run equation by equation. Each array that holds NaN or Inf is followed from the
equation that made it, or that reads it as a constant: what is computed of it and is not finite may
come from it, numbers that are finite do not, and of a choice by `select_n` only what is chosen
counts. What a comparison of it says counts too: it may decide which branch runs. All else goes by
whole arrays, so that what is told as hidden is hidden, and what is not may be. Where a value is not
finite and nobody knows why, as behind rounds of a loop that were not run, nothing is told as
hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.worker import compat
from jaxscope.worker.checks.user_places import find_places
from jaxscope.worker.faults.tracebacks import is_installed
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.stages.running import (
    Loop,
    NonfiniteCount,
    as_input,
    copy_before_sum,
    count_nonfinite,
    find_called,
    find_round,
    held,
    read_loop,
    see_sum,
)

NAN, INF = "nan", "inf"
_LOST, _RETURNED, _FIRST_INPUT = -1, -2, -3
"""In a flow: of what is not known; of a constant that is a result as it is; of the first input of
the program, those after it downwards."""
_MOST = 200

Flow = frozenset[int]
"""Numbers of the origins that the NaN and Inf of an array may come from, and what integers and
booleans say of them; empty of finite numbers."""
NONE: Flow = frozenset()
UNKNOWN: Flow = frozenset({_LOST})


@dataclass(frozen=True, eq=False, slots=True)
class Round:
    """A round of a loop that is run.

    Attributes:
        loop: The loop.
        number: Of the round, in the order in which they run.
        where: The loop's equation, such as `2 (scan)`.
    """

    loop: Loop
    number: int
    where: str


@dataclass(frozen=True, eq=False, slots=True)
class Origin:
    """An equation that made NaN of operands without, or Inf of finite ones.

    Attributes:
        id: Of the equation.
        equation: JAX's own.
        kind: `NAN` or `INF`.
        count: Of its first result with such a value; of a constant, of that.
        rounds: Of the loops around it, outermost first.
        file: Of the user's line that it stands on, or that calls what it stands in.
        line: The same.
        is_constant: It made nothing: it is the first that reads a constant with such values.
        reads_inf: It makes NaN, and Inf is among what it reads.
        infinite: What made that Inf, if an equation did.
        told: Further details of it, by name; None without any.
    """

    id: str
    equation: Any
    kind: str
    count: NonfiniteCount
    rounds: tuple[Round, ...]
    file: str
    line: int
    is_constant: bool = False
    reads_inf: bool = False
    infinite: Origin | None = None
    told: dict[str, Any] | None = None


class Origins:
    """What made NaN and Inf, in the order in which it ran, and what of it may come into a result.

    Attributes:
        found: All of it; a flow has their numbers.
        reached: What the NaN and Inf of the results may come from.
    """

    def __init__(self) -> None:
        self.found: list[Origin] = []
        self.reached: Flow = UNKNOWN
        self._num_made = 0
        self._constants: dict[tuple[str, str], int] = {}

    @property
    def is_full(self) -> bool:
        """Whether no further one that makes such a value is remembered."""
        return self._num_made >= _MOST

    @property
    def is_known(self) -> bool:
        """Whether it is known what the results come from."""
        return _LOST not in self.reached

    def add(self, origin: Origin) -> int:
        """Remember one; gives its number."""
        number = len(self.found)
        if origin.is_constant:
            number = self._constants.setdefault((origin.id, origin.kind), number)
        else:
            self._num_made += 1
        if number == len(self.found):
            self.found.append(origin)
        return number

    def reaches_input(self, number: int) -> bool:
        """Whether the NaN and Inf of an input of the program may come into a result."""
        return not self.is_known or _FIRST_INPUT - number in self.reached

    def first(self, kind: str, among: Flow | None = None) -> Origin | None:
        """The first that made such a value, of all or of some."""
        return next((o for o in self._those(among) if o.kind == kind and not o.is_constant), None)

    def first_constant(self, kind: str, among: Flow | None = None) -> Origin | None:
        """The first that reads such a constant, of all or of some."""
        return next((o for o in self._those(among) if o.kind == kind and o.is_constant), None)

    def _those(self, among: Flow | None) -> Iterable[Origin]:
        if among is None or _LOST in among:  # of what is not known, any may be the one
            return self.found
        return [self.found[number] for number in sorted(among) if number >= 0]

    def tell(self) -> list[tuple[Origin, bool]]:
        """The first of each kind that may come into a result; behind them, as hidden, the first of
        all, where no NaN or Inf of a result comes from it."""
        shown = self._in_order(self.first(kind, self.reached) for kind in (NAN, INF))
        return [*((each, False) for each in shown), *((each, True) for each in self.hidden())]

    def hidden(self) -> list[Origin]:
        """The first of each kind, where no NaN or Inf of a result comes from it."""
        if not self.is_known:
            return []
        reached = {id(each) for each in self._those(self.reached)}
        firsts = self._in_order(map(self.first, (NAN, INF)))
        return [each for each in firsts if id(each) not in reached]

    def _in_order(self, origins: Iterable[Origin | None]) -> list[Origin]:
        return sorted(filter(None, origins), key=self.found.index)


class Walk:
    """Runs a program one equation after the other, and follows its NaN and Inf.

    Attributes:
        origins: Of them.
        looks_everywhere: Whether loops are run round by round of which no result is told to need
            it.
        closed: What holds equations that were not run one by one, as `shard_map`, by id.
    """

    looks_everywhere = False

    def __init__(self) -> None:
        self.origins = Origins()
        self.closed: dict[str, str] = {}
        self._rounds: tuple[Round, ...] = ()
        self._cut: dict[str, str] = {}
        self._places = [("", 0)]
        self._last_uses: dict[int, tuple[Any, dict[Any, int]]] = {}

    def run(self, jaxpr: Any, inputs: Sequence[Any]) -> list[Any]:
        """Run a program, and return its results.

        Raises:
            Exception: Whatever an equation raises, or `_begin`.
        """
        given = [
            frozenset({_FIRST_INPUT - number}) if count_nonfinite(value) else NONE
            for number, value in enumerate(inputs)
        ]
        results, flows = self._run(jaxpr, inputs, given, "")
        self.origins.reached = NONE.union(*flows)
        return results

    def _begin(self, id: str, equation: Any) -> None:
        """An equation is about to be run; raises where the walk ends before it."""

    def _remember(self, id: str, equation: Any, results: list[Any]) -> None:
        """An equation was run."""

    def _fail(self, id: str, equation: Any) -> None:
        """An equation could not be run."""

    def _has_room(self, number: int) -> bool:
        """Whether one more round of a loop is run, by its number."""
        return True

    def _tell(
        self, equation: Any, operands: list[Any], result: Any, kind: str, infinite: Origin | None
    ) -> dict[str, Any]:
        """What else to report of the place where NaN or Inf was made; it becomes `Origin.told`.

        Nothing here: a subclass that reports more than the equation returns it.
        """
        return {}

    def _run(
        self, jaxpr: Any, inputs: Sequence[Any], given: Sequence[Flow], prefix: str
    ) -> tuple[list[Any], list[Flow]]:
        """Run a jaxpr: its results, and what their NaN and Inf come from."""
        inner = compat.open_jaxpr(jaxpr)
        last_use = self._find_last_uses(inner)
        constants = set(inner.constvars)
        known = dict(zip(inner.constvars, compat.consts_of(jaxpr), strict=False))
        known.update(zip(inner.invars, map(as_input, inner.invars, inputs), strict=True))
        flows: dict[Any, Flow] = dict(zip(inner.invars, keep_odd(given, inputs), strict=True))

        def is_constant(atom: Any) -> bool:
            return compat.is_literal(atom) or atom in constants

        def read(atom: Any) -> Any:
            return atom.val if compat.is_literal(atom) else known[atom]

        def flow_of(atom: Any) -> Flow:
            if is_constant(atom):
                return frozenset({_RETURNED}) if count_nonfinite(read(atom)) else NONE
            return flows.get(atom, NONE)

        for number, equation in enumerate(inner.eqns):
            id = f"{prefix}{number}"
            self._begin(id, equation)
            operands = [read(atom) for atom in equation.invars]
            # Equations of a library's own function stand on the user's line that calls it.
            own, library = find_places(equation)
            is_known = bool(self._places[-1][0]) and not is_installed(self._places[-1][0])
            self._places.append(own or (self._places[-1] if is_known else library or ("", 0)))
            try:
                before = copy_before_sum(equation, operands)
                read_flows = [
                    self._read_constant(id, equation, value) if is_constant(atom) else flow_of(atom)
                    for atom, value in zip(equation.invars, operands, strict=True)
                ]
                results, inside = self._run_equation(equation, operands, read_flows, id)
                self._remember(id, equation, results)
                seen = see_sum(before, operands, results)
                made = self._judge(id, equation, *seen, read_flows, inside)
            except Exception:
                self._fail(id, equation)
                raise
            finally:
                self._places.pop()
            known.update(zip(equation.outvars, results, strict=True))
            if before is None:
                flows.update(zip(equation.outvars, made, strict=True))
            else:  # a sum in a mutable array
                flows[equation.invars[0]] = made[0]
            for atom in {*filter(_is_variable, equation.invars), *equation.outvars}:
                if last_use.get(atom, -1) <= number:
                    known.pop(atom, None)
                    flows.pop(atom, None)
        return [read(atom) for atom in inner.outvars], [flow_of(atom) for atom in inner.outvars]

    def _read_constant(self, id: str, equation: Any, value: Any) -> Flow:
        """What the NaN and Inf of a constant that an equation reads come from."""
        count = count_nonfinite(value)
        kinds = [kind for kind in (NAN, INF) if _number(count, kind)]
        file, line = self._places[-1]
        return frozenset(
            self.origins.add(
                Origin(id, equation, kind, count, self._rounds, file, line, is_constant=True)
            )
            for kind in kinds
        )

    def _find_last_uses(self, inner: Any) -> dict[Any, int]:
        """By variable, the number of the last equation that reads it; infinite for results."""
        found = self._last_uses.get(id(inner))
        if found is None:
            uses: dict[Any, int] = {}
            for number, equation in enumerate(inner.eqns):
                uses.update((atom, number) for atom in equation.invars if _is_variable(atom))
            end = len(inner.eqns)
            uses.update((atom, end) for atom in inner.outvars if _is_variable(atom))
            found = self._last_uses[id(inner)] = (inner, uses)
        return found[1]

    def _run_equation(
        self, equation: Any, operands: list[Any], flows: list[Flow], id: str
    ) -> tuple[list[Any], list[Flow] | None]:
        """Its results, and of a call or a loop what their NaN and Inf come from."""
        for name, called, inputs in find_called(equation, operands):
            num_before = len(flows) - len(inputs)
            results, made = self._run(called, inputs, flows[num_before:], f"{id}/{name}/")
            chosen = NONE.union(*flows[:num_before])  # the number of a branch
            return results, [flow | chosen for flow in made]
        loop = read_loop(equation, operands)
        if loop is None:
            nested = (compat.open_jaxpr(jaxpr) for _, jaxpr in nested_jaxprs(equation.params))
            if any(len(jaxpr.eqns) > 1 for jaxpr in nested):  # of one, the result is seen
                self.closed[id] = equation.primitive.name
            return list(compat.bind_equation(equation, operands)), None
        if compat.open_jaxpr(loop.body).effects:
            return self._run_rounds(equation, operands, flows, loop, id, is_only_run=True)
        results = list(compat.bind_equation(equation, operands))
        if not (self.looks_everywhere or any(flows) or any(map(count_nonfinite, results))):
            return results, None
        inside = self._run_rounds(equation, operands, flows, loop, id)[1]
        where = f"{id} ({equation.primitive.name})"
        self._find_late_origin(loop, operands, results, id, where)
        return results, inside

    def _run_rounds(
        self,
        equation: Any,
        operands: list[Any],
        flows: list[Flow],
        loop: Loop,
        id: str,
        *,
        is_only_run: bool = False,
    ) -> tuple[list[Any], list[Flow]]:
        """Run a loop round by round: its results, and what their NaN and Inf come from."""
        outer, state = self._rounds, list(loop.start)
        where = f"{id} ({equation.primitive.name})"
        stacked: list[tuple[int, list[Any]]] = []
        constants, carried, sliced = _split_flows(equation, flows)
        gathered = [NONE] * (len(equation.outvars) - loop.num_state)
        number = 0
        while self._goes_on(equation, operands, flows, loop, number, state, carried, id):
            if not is_only_run and not self._has_room(number):
                of = f" of {loop.length:,}" if loop.length is not None else ""
                self._cut[id] = f"{number:,}{of} rounds of {where}"
                carried, gathered = [UNKNOWN] * len(carried), [UNKNOWN] * len(gathered)
                break
            self._rounds = (*outer, Round(loop, number, where))
            given = [*constants, *carried, *sliced]
            try:
                results, made = self._run(
                    loop.body, loop.inputs(number, state), given, f"{id}/{loop.name}/"
                )
            finally:
                self._rounds = outer
            state = list(loop.after(state, results))
            kept = carried if loop.is_active is not None else [NONE] * len(carried)
            carried = [a | b for a, b in zip(made, kept, strict=False)]
            gathered = [a | b for a, b in zip(gathered, made[loop.num_state :], strict=True)]
            if is_only_run:
                stacked.append((loop.place(number), results[loop.num_state :]))
            number += 1
        made = [*carried, *gathered]
        if not is_only_run:
            return [], made
        if not stacked:  # no round, no effect
            return list(compat.bind_equation(equation, operands)), made
        return loop.join(state, stacked), made

    def _goes_on(
        self,
        equation: Any,
        operands: list[Any],
        flows: list[Flow],
        loop: Loop,
        number: int,
        state: list[Any],
        carried: list[Flow],
        id: str,
    ) -> bool:
        if loop.length is not None:
            return number < loop.length
        num_consts = equation.params["cond_nconsts"]
        inputs, given = [*operands[:num_consts], *state], [*flows[:num_consts], *carried]
        outer = self._rounds
        self._rounds = (*outer, Round(loop, number, f"{id} ({equation.primitive.name})"))
        try:
            condition = equation.params["cond_jaxpr"]
            answer, (decided,) = self._run(condition, inputs, given, f"{id}/cond_jaxpr/")
        finally:
            self._rounds = outer
        carried[:] = [flow | decided for flow in carried]
        return bool(np.asarray(answer[0]).any())

    def _find_late_origin(
        self, loop: Loop, operands: list[Any], results: list[Any], id: str, where: str
    ) -> None:
        """Run the first round that makes NaN or Inf, where it is among those not run yet."""
        if id not in self._cut:
            return
        read, made = (list(map(count_nonfinite, values)) for values in (operands, results))
        for kind in (INF, NAN):  # a NaN may be made of an Inf that no result holds
            is_odd = bool if kind == INF else _has_nan
            is_known = self.origins.first(kind) is not None
            if is_known or any(map(is_odd, read)) or not any(map(is_odd, made)):
                continue
            found = find_round(loop, for_nan=kind == NAN)
            if found is None:
                continue
            number, state = found
            outer = self._rounds
            self._rounds = (*outer, Round(loop, number, where))
            inputs = loop.inputs(number, state)
            try:
                self._run(loop.body, inputs, [UNKNOWN] * len(inputs), f"{id}/{loop.name}/")
            finally:
                self._rounds = outer

    def _judge(
        self,
        id: str,
        equation: Any,
        operands: list[Any],
        results: list[Any],
        flows: list[Flow],
        inside: list[Flow] | None,
    ) -> list[Flow]:
        """What the NaN and Inf of an equation's results come from, which it may have made itself.

        Args:
            flows: Of the operands.
            inside: Of the results, by what is inside of a call or a loop.
        """
        counts = [count_nonfinite(value) for value in results]
        if not any(counts) and not any(flows):
            return [NONE] * len(results)
        if inside is not None:
            inside = keep_odd(inside, results)
            if all(flow or not count for flow, count in zip(inside, counts, strict=True)):
                return inside
        read = [count_nonfinite(value) for value in operands]
        made: set[int] = set()
        for kind in () if any(count.num_nan for count in read) else (NAN, INF):
            place = next((n for n, count in enumerate(counts) if _number(count, kind)), None)
            is_given = kind == INF and any(count.num_inf for count in read)
            if place is None or is_given or self.origins.is_full:
                continue
            result, infinite = results[place], None
            reads_inf = kind == NAN and any(count.num_inf for count in read)
            if reads_inf:
                infinite = self.origins.first(INF, NONE.union(*flows))
            told = self._tell(equation, operands, result, kind, infinite)
            file, line = self._places[-1]
            origin = Origin(
                id,
                equation,
                kind,
                counts[place],
                self._rounds,
                file,
                line,
                reads_inf=reads_inf,
                infinite=infinite,
                told=told,
            )
            made.add(self.origins.add(origin))
        if inside is not None:
            own = frozenset(made) or UNKNOWN
            return [(flow or own) if c else flow for flow, c in zip(inside, counts, strict=True)]
        return find_flows(equation, operands, flows, results, counts, frozenset(made))


def keep_odd(flows: Sequence[Flow], values: Sequence[Any]) -> list[Flow]:
    """Without those of finite numbers."""
    return [
        flow if flow and (_decides(value) or count_nonfinite(value)) else NONE
        for flow, value in zip(flows, values, strict=True)
    ]


def _decides(value: Any) -> bool:
    """Whether it holds integers or booleans, which may say what is done."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and not jnp.issubdtype(dtype, jnp.inexact)


def find_flows(
    equation: Any,
    operands: Sequence[Any],
    flows: Sequence[Flow],
    results: Sequence[Any],
    counts: Sequence[NonfiniteCount],
    made: Flow,
) -> list[Flow]:
    """Of the results of an equation that is run as one.

    Args:
        flows: Of the operands.
        counts: Of its results, what is not finite.
        made: What it made itself.
    """
    read = list(flows)
    if equation.primitive.name == "select_n":
        read[1:] = _chosen(operands[0], operands[1:], flows[1:])
    # What moves or computes may read what others than its operands hold, as a mutable array.
    flow = made.union(*read)
    return [
        (flow or UNKNOWN) if count else flow if _decides(result) else NONE
        for count, result in zip(counts, results, strict=True)
    ]


def _chosen(which: Any, cases: Sequence[Any], flows: Sequence[Flow]) -> list[Flow]:
    """Without those of cases of which no NaN or Inf is chosen."""
    chosen = np.asarray(which)
    found = []
    for number, (case, flow) in enumerate(zip(cases, flows, strict=True)):
        if flow:
            array = np.asarray(held(case))
            kept = array[np.broadcast_to(chosen == number, array.shape)]
            flow = flow if count_nonfinite(kept) else NONE
        found.append(flow)
    return found


def _split_flows(equation: Any, flows: list[Flow]) -> tuple[list[Flow], list[Flow], list[Flow]]:
    """Of a loop's operands: of the constants of its body, of its state, and of what is sliced."""
    parameters = equation.params
    if equation.primitive.name == "scan":
        num_consts, num_carry = compat.scan_counts(parameters).values()
        end = num_consts + num_carry
        return flows[:num_consts], flows[num_consts:end], flows[end:]
    begin = parameters["cond_nconsts"]
    end = begin + parameters["body_nconsts"]
    return flows[begin:end], flows[end:], []


def _has_nan(count: NonfiniteCount) -> bool:
    return count.num_nan > 0


def _number(count: NonfiniteCount, kind: str) -> int:
    return count.num_nan if kind == NAN else count.num_inf


def _is_variable(atom: Any) -> bool:
    return not compat.is_literal(atom)
