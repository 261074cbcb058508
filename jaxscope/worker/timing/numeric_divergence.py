"""Where eager and compiled results part: the first equations whose compiled results differ, and the
pass of XLA that makes the difference.

An equation's cone is the equation with all that it is computed from. Going up from a result that
differs, the first equation whose compiled cone differs from the eager one while its inputs' cones
do not is where the difference arises; how many equations before it must be compiled with it is
tried in the same way. Then passes of XLA are switched off one by one, and some in pairs: with the
pass other bits, without it the eager ones. Nothing is guessed from the text of programs: what is
found was compiled and compared. Cost: a compilation for each cone, each number of equations and
each pass that is tried, within a budget of time.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax

from jaxscope.model.op_name import TagTable, move_tags, read_op_name
from jaxscope.worker import compat
from jaxscope.worker.host.call import Call
from jaxscope.worker.provenance.traced_program import TracedProgram, find_inputs
from jaxscope.worker.stages.passes import name_passes
from jaxscope.worker.timing.experiment import Laboratory

Fields = dict[str, Any]
Compare = Callable[[Sequence[Any], Sequence[Any]], Fields | None]
"""The worst difference of two lists of arrays; None where there is none."""
_SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256)
_MOST_REMOVED = 16


class OutOfTime(Exception):
    """The budget is spent, and nothing certain was found."""


@dataclasses.dataclass(frozen=True, eq=False)
class Group:
    """Equations that give other bits when they are compiled together.

    Attributes:
        numbers: Of the equations, in program order; the last is the one whose result differs.
        difference: Of that result, compiled against one by one.
        is_least: Whether leaving out any one of the others makes the difference vanish.
    """

    numbers: tuple[int, ...]
    difference: Fields
    is_least: bool


class Divergence:
    """One jaxpr, evaluated equation by equation; parts of it can be compiled."""

    def __init__(
        self,
        jaxpr: Any,
        inputs: Sequence[Any],
        compare: Compare,
        check_time: Callable[[], None],
    ) -> None:
        """Run every equation by itself.

        Args:
            jaxpr: Closed.
            inputs: Of the jaxpr.
            compare: Says how two results differ.
            check_time: Called before each compilation; raises `OutOfTime`.

        Raises:
            Exception: Whatever an equation raises when it runs.
        """
        self._inner = compat.open_jaxpr(jaxpr)
        self._compare = compare
        self._check_time = check_time
        self._values: dict[Any, Any] = dict(
            zip(self._inner.constvars, compat.consts_of(jaxpr), strict=False)
        )
        self._constants = frozenset(self._values)
        self._values.update(zip(self._inner.invars, inputs, strict=True))
        self._producer: dict[Any, int] = {}
        self._known: dict[tuple[int, ...], Fields | None] = {}
        self.num_compiled = 0
        for number, equation in enumerate(self._inner.eqns):
            results = compat.bind_equation(equation, [self._read(a) for a in equation.invars])
            self._values.update(zip(equation.outvars, results, strict=True))
            self._producer.update(dict.fromkeys(equation.outvars, number))

    @property
    def results(self) -> list[Any]:
        """What the equations, run one by one, return."""
        return [self._read(atom) for atom in self._inner.outvars]

    def find(self) -> Group | None:
        """The equation where a difference arises, and those it has to be compiled with.

        Returns:
            None where no result's cone differs: compiled without the rest, all is as eager.

        Raises:
            OutOfTime: Looking took too long.
        """
        number = self._find_differing(
            [self._producer[atom] for atom in self._inner.outvars if self._has_producer(atom)]
        )
        if number is None:
            return None
        while (above := self._find_differing(self._producers(number))) is not None:
            number = above
        return self._narrow(number)

    def compile(self, numbers: Sequence[int]) -> list[Any]:
        """The results of the last of some equations, compiled together with eager inputs.

        Raises:
            OutOfTime: The budget is spent.
            Exception: Whatever compiling or running raises.
        """
        return list(self.lower(numbers)({}))

    def compile_apart(self, numbers: Sequence[int], options: Mapping[str, Any]) -> list[Any]:
        """The results of the last of some equations, each compiled by itself, one after another.

        Raises:
            OutOfTime: The budget is spent.
            Exception: Whatever compiling or running raises.
        """
        known = dict(self._values)
        results: list[Any] = []
        for number in numbers:
            results = list(self.lower([number], known)(options))
            known.update(zip(self._inner.eqns[number].outvars, results, strict=True))
        return results

    def lower(
        self, numbers: Sequence[int], known: Mapping[Any, Any] | None = None
    ) -> Callable[[Mapping[str, Any]], Sequence[Any]]:
        """Some equations, to be compiled together with options of XLA's.

        Args:
            known: Values of what they are computed from; the eager ones if None.
        """
        given = self._values if known is None else known
        equations = [self._inner.eqns[number] for number in numbers]
        made = {v for equation in equations for v in equation.outvars}
        free = dict.fromkeys(
            atom
            for equation in equations
            for atom in equation.invars
            if not compat.is_literal(atom) and atom not in made and atom not in self._constants
        )
        values = [given[variable] for variable in free]

        def together(*arguments: Any) -> list[Any]:
            inside = {v: self._values[v] for v in self._constants}
            inside.update(zip(free, arguments, strict=True))
            results: list[Any] = []
            for equation in equations:
                operands = [a.val if compat.is_literal(a) else inside[a] for a in equation.invars]
                results = compat.bind_equation(equation, operands)
                inside.update(zip(equation.outvars, results, strict=True))
            return results

        lowered = jax.jit(together).lower(*values)

        def run(options: Mapping[str, Any]) -> Sequence[Any]:
            self._check_time()
            self.num_compiled += 1
            results: Sequence[Any] = lowered.compile(compiler_options=dict(options) or None)(
                *values
            )
            return results

        return run

    def eager(self, number: int) -> list[Any]:
        """The results of an equation that was run by itself."""
        return [self._values[variable] for variable in self._inner.eqns[number].outvars]

    def differs(self, numbers: Sequence[int]) -> Fields | None:
        """How the last of the equations differs when they are compiled together."""
        key = tuple(numbers)
        if key not in self._known:
            self._known[key] = self._compare(self.eager(key[-1]), self.compile(key))
        return self._known[key]

    def _find_differing(self, numbers: Sequence[int]) -> int | None:
        return next(
            (n for n in dict.fromkeys(numbers) if self.differs(self._cone(n)) is not None), None
        )

    def _narrow(self, number: int) -> Group:
        """The fewest equations before one that have to be compiled with it, nearest first."""
        cone = self._cone(number)
        nearest = self._nearest_first(number)
        for size in (*(s for s in _SIZES if s < len(cone)), len(cone)):
            chosen = sorted(nearest[:size])
            found = self.differs(chosen)
            if found is not None:
                break
        else:  # what differs within the cone differs by its order: XLA numbers equations
            chosen, found = list(cone), self.differs(cone)
        difference, is_least = found or {}, len(chosen) == 1
        if 1 < len(chosen) <= _MOST_REMOVED:
            is_least = True
            for other in [n for n in chosen if n != number]:
                fewer = [n for n in chosen if n != other]
                found = self.differs(fewer)
                if found is not None:
                    chosen, difference = fewer, found
        return Group(tuple(chosen), difference, is_least)

    def _cone(self, number: int) -> tuple[int, ...]:
        return tuple(sorted(self._nearest_first(number)))

    def _nearest_first(self, number: int) -> list[int]:
        """The equation and all that it is computed from, by how many equations lie between."""
        found = {number: None}
        for known in (order := [number]):
            for producer in self._producers(known):
                if producer not in found:
                    found[producer] = None
                    order.append(producer)
        return order

    def _producers(self, number: int) -> list[int]:
        return [
            self._producer[atom]
            for atom in self._inner.eqns[number].invars
            if self._has_producer(atom)
        ]

    def _has_producer(self, atom: Any) -> bool:
        return not compat.is_literal(atom) and atom in self._producer

    def _read(self, atom: Any) -> Any:
        return atom.val if compat.is_literal(atom) else self._values[atom]


_DISABLE = "xla_disable_hlo_passes"
_NEEDED = re.compile(r"cop(y|ies)|flatten|sharding|partition|schedul|buffer|alias|layout|legaliz")
"""Passes that move data and change no number. Without `copy-insertion` XLA ends the process."""
_MOST_PASSES = 60
_MOST_PAIRS = 40
_LLVM: tuple[str, dict[str, Any]] = (
    "LLVM's optimizations",
    {"xla_backend_optimization_level": 0},
)
_COMPUTATION = re.compile(r"^(?:ENTRY )?%?(?P<name>[\w.\-]+)[ (].*\{$")
_FUSION = re.compile(r"%?(?P<name>[\w.\-]+) = .*\bfusion\(.*calls=%?(?P<called>[\w.\-]+)")
_OP_NAME = re.compile(r'op_name="(?P<name>[^"]*)"')

RunWithOptions = Callable[[Mapping[str, Any]], Sequence[Any]]
"""Compiles something with options of XLA's, and returns what it computes."""


def try_passes(
    run: RunWithOptions,
    eager: Sequence[Any],
    run_apart: RunWithOptions,
    list_passes: Callable[[Mapping[str, Any]], list[str]],
    compare: Compare,
) -> Iterator[Fields]:
    """Compile without each pass, without LLVM's optimizations, and without some pairs of passes.

    Args:
        run: Compiles and runs what differs.
        eager: What it should compute.
        run_apart: The same, each equation compiled by itself: eager code is compiled as well, so
            what is left out on one side may have to be left out on the other.
        list_passes: Names of those that change it, with options of XLA's.
        compare: None where two results are equal bit by bit.

    Yields:
        The fields of a `Trial`; the first compilation is the plain one and yields nothing.

    Raises:
        Exception: Whatever compiling in the plain way raises; `OutOfTime` when time is up.
    """
    plain = list(run({}))
    names = [name for name in dict.fromkeys(list_passes({})) if is_dispensable(name)]
    names = names[:_MOST_PASSES]
    changing = []
    restored = False
    for what, options in (*((f"pass {n}", {_DISABLE: n}) for n in names), _LLVM):
        trial = _try(run, what, options, eager, plain, compare)
        if trial["outcome"] == "changed":
            if _agree(run, run_apart, options, compare):
                trial["outcome"] = "both"
            elif options is not _LLVM[1]:
                changing.append(str(options[_DISABLE]))
        restored |= trial["outcome"] in ("equal", "both")
        yield trial
    if restored:
        return
    # Where one pass is left out, another may do something instead.
    pairs = [
        (a, b)
        for a in changing
        for b in dict.fromkeys(list_passes({_DISABLE: a}))
        if a != b and is_dispensable(b)
    ]
    for one, other in pairs[:_MOST_PAIRS]:
        what, options = f"passes {one} and {other}", {_DISABLE: f"{one},{other}"}
        trial = _try(run, what, options, eager, plain, compare)
        if trial["outcome"] == "changed" and _agree(run, run_apart, options, compare):
            trial["outcome"] = "both"
        if trial["outcome"] in ("equal", "both"):
            yield trial
            return


def is_dispensable(name: str) -> bool:
    """Whether a pass may be left out without ending the process, by its name."""
    return _NEEDED.search(name) is None


def _agree(
    run: RunWithOptions, run_apart: RunWithOptions, options: Mapping[str, Any], compare: Compare
) -> bool:
    """Whether together and apart give the same bits where both are compiled with the options."""
    try:
        return compare(list(run_apart(options)), list(run(options))) is None
    except OutOfTime:
        raise
    except Exception:  # an equation that does not compile like this; its group did
        return False


def _try(
    run: RunWithOptions,
    what: str,
    options: Mapping[str, Any],
    eager: Sequence[Any],
    plain: Sequence[Any],
    compare: Compare,
) -> Fields:
    outcome, reason = try_options(run, options, eager, plain, compare)
    option = ", ".join(f"{name}={value}" for name, value in options.items())
    return {"what": what, "option": option, "outcome": outcome, "reason": reason}


def try_options(
    run: RunWithOptions,
    options: Mapping[str, Any],
    eager: Sequence[Any],
    plain: Sequence[Any],
    compare: Compare,
) -> tuple[str, str]:
    """`equal` to the eager result, `unchanged`, `changed` to others, or `failed`, and why.

    Raises:
        OutOfTime: The budget is spent.
    """
    try:
        found = list(run(options))
    except OutOfTime:
        raise
    except Exception as error:  # a pass that XLA cannot do without, or an option it lacks
        text = " ".join(str(error).split())[:200]
        return "failed", f"{type(error).__name__}: {text}"
    if compare(eager, found) is None:
        return "equal", ""
    return ("unchanged" if compare(plain, found) is None else "changed"), ""


def find_fusions(executable: Any, table: TagTable, ids: Sequence[str]) -> list[str]:
    """Names of the fusions of an optimized program that compute all of these equations."""
    inside: dict[str, set[str]] = {}
    fusions: list[tuple[str, str]] = []
    computation = ""
    for line in move_tags(compat.optimized_module_of(executable).to_string()).splitlines():
        if header := _COMPUTATION.match(line):
            computation = header["name"]
        if named := _OP_NAME.search(line):
            inside.setdefault(computation, set()).update(read_op_name(named["name"], table).derived)
        if fusion := _FUSION.search(line):
            fusions.append((fusion["name"], fusion["called"]))
    return [name for name, called in fusions if set(ids) <= inside.get(called, set())]


BUDGET_S = 30.0
_MOST_EQUATIONS = 5_000
_MOST_WHOLE = 4


def send_numeric_divergence(
    laboratory: Laboratory, program: TracedProgram, call: Call, compare: Compare
) -> None:
    """Look for the origin, and send it or why it is not known."""
    reason = ""
    try:
        reason = _Search(laboratory, program, call, compare).send()
    except OutOfTime:
        reason = f"Looking for it was given up after {BUDGET_S:.0f} s."
    except Exception as error:  # whatever the program or XLA raises
        reason = f"Looking for it failed: {laboratory.describe(error)}"
    if reason:
        laboratory.channel.send("origin_missing", {"reason": reason})


class _Search:
    def __init__(
        self, laboratory: Laboratory, program: TracedProgram, call: Call, compare: Compare
    ) -> None:
        self._laboratory = laboratory
        self._program = program
        self._call = call
        self._compare = compare
        self._deadline_s = laboratory.stopwatch.now_s() + BUDGET_S

    def send(self) -> str:
        """Send what was found; otherwise returns why nothing was."""
        jaxpr = self._program.derived.jaxpr
        inputs = find_inputs(self._program, self._call)
        equations = compat.open_jaxpr(jaxpr).eqns
        if inputs is None:
            return "Which argument each input of the program is, could not be found out."
        if len(equations) > _MOST_EQUATIONS:
            return f"The program has {len(equations):,} equations, too many to look at."
        divergence = Divergence(jaxpr, inputs, self._compare, self._check_time)
        group = divergence.find()
        if group is None:
            return (
                "The equations give the same bits one by one and compiled together, so the eager "
                "run of the function must compute something else than its equations do."
            )
        last = equations[group.numbers[-1]]
        place = compat.user_place(last)
        ids = [str(number) for number in group.numbers]
        fields = {
            "equations": ids,
            "operations": [equations[number].primitive.name for number in group.numbers],
            "place": f"{place[0]}:{place[1]}" if place else "",
            "worst": group.difference,
            "is_least": group.is_least,
            "fusions": self._find_fusions(ids),
        }
        # Should XLA end the process for want of a pass, what is known by then is known.
        self._send(fields, [], divergence, "XLA gave up when it was compiled without a pass.")
        trials, reason = self._try_passes(divergence, group, inputs)
        self._send(fields, trials, divergence, reason)
        return ""

    def _send(
        self,
        fields: dict[str, Any],
        trials: list[dict[str, Any]],
        divergence: Divergence,
        reason: str,
    ) -> None:
        rest = {"trials": trials, "num_compiled": divergence.num_compiled, "reason": reason}
        self._laboratory.channel.send("origin", fields | rest)

    def _try_passes(
        self, divergence: Divergence, group: Group, inputs: Sequence[Any]
    ) -> tuple[list[dict[str, Any]], str]:
        """The trials, and why they are not all there."""
        trials: list[dict[str, Any]] = []
        run = divergence.lower(group.numbers)
        eager = divergence.eager(group.numbers[-1])

        def list_passes(options: Mapping[str, Any]) -> list[str]:
            return name_passes(lambda others: run({**options, **others}))

        try:
            run_apart = functools.partial(divergence.compile_apart, group.numbers)
            found = try_passes(run, eager, run_apart, list_passes, self._compare)
            for trial in found:  # those that were made count, should time run out
                trials.append(trial)
            self._try_whole(trials, divergence, inputs)
        except OutOfTime:
            return trials, f"After {BUDGET_S:.0f} s no further pass was switched off."
        except Exception as error:
            return trials, f"Passes could not be recorded: {self._laboratory.describe(error)}"
        return trials, ""

    def _try_whole(
        self, trials: list[dict[str, Any]], divergence: Divergence, inputs: Sequence[Any]
    ) -> None:
        """What restores the group may not restore the program: other differences may be left."""
        lowered = jax.jit(
            lambda *values: compat.evaluate_jaxpr(self._program.derived.jaxpr, values)
        ).lower(*inputs)

        def run(options: Any) -> Sequence[Any]:
            self._check_time()
            results: Sequence[Any] = lowered.compile(compiler_options=dict(options) or None)(
                *inputs
            )
            return results

        plain = list(run({}))
        restoring = [trial for trial in trials if trial["outcome"] == "equal"]
        for trial in restoring[:_MOST_WHOLE]:
            name, _, value = trial["option"].partition("=")
            options = {name: int(value) if value.isdigit() else value}
            trial["whole"] = try_options(run, options, divergence.results, plain, self._compare)[0]

    def _find_fusions(self, ids: Sequence[str]) -> list[str]:
        traced, _, derived_ids = self._program.tag_derived()
        self._check_time()
        table = TagTable(self._program.base_ids, derived_ids)
        with compat.without_persistent_cache():
            compiled = traced.lower().compile()
        return find_fusions(compiled, table, ids)

    def _check_time(self) -> None:
        if self._laboratory.stopwatch.now_s() > self._deadline_s:
            raise OutOfTime
