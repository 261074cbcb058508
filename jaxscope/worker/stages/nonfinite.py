"""Results with NaN or Inf: how many there are, and which equation made the first of them.

A small program is run once on the call's own arguments after all stages have been sent; what may
run long, talks to the outside or runs nowhere near is left alone. Where a result is not finite, the
equations are run one by one: calls and branches are taken apart, and a loop is run to the first
round after which its state is not finite.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.operations import CALLS
from jaxscope.model.said import (
    BOTH,
    CLAUSES,
    NAMED,
    WHOLE,
    Said,
    first_of,
    say,
    say_count,
    say_joined,
    say_sentence,
)
from jaxscope.model.units import format_place
from jaxscope.worker import compat
from jaxscope.worker.checks.user_places import find_places
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.values import is_plain_array
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.provenance.traced_program import TracedProgram, find_inputs, trace_call

_MAX_EQUATIONS = 2000
_MAX_KINDS, _MAX_KINDS_MEASURED = 100, 400
"""Of equations that are run one by one, in a capture, and beside measurements, which take longer
anyway. JAX compiles each kind, with its types, once: 10 to 50 ms. So what is found does not depend
on how busy the machine is."""


@dataclass(frozen=True, slots=True)
class NonfiniteCount:
    """Elements of an array that are not finite.

    Attributes:
        num_nan: NaN, in complex numbers in either part.
        num_inf: Positive or negative infinity.
        size: Elements of the array.
    """

    num_nan: int = 0
    num_inf: int = 0
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.num_nan or self.num_inf)

    def __str__(self) -> str:
        return str(self.told())

    def told(self) -> Said:
        """Such as `2 NaN among 8 values`."""
        words = ((self.num_nan, "NaN"), (self.num_inf, "Inf"))
        parts = [f"{number:,} {word}" for number, word in words if number]
        return say(
            "{odd} among {values}",
            odd=say_joined(parts, BOTH),
            values=say_count(self.size, "value"),
        )


def is_reference(value: Any) -> bool:
    """Whether it is a mutable array, of `jax.new_ref`, which NumPy cannot read."""
    return isinstance(value, getattr(jax, "Ref", ()))


def held(value: Any) -> Any:
    """What a mutable array holds now; anything else as it is."""
    return value[...] if is_reference(value) else value


def copy_before_sum(equation: Any, values: Sequence[Any]) -> Any:
    """What a mutable array holds to which an equation is about to add; None of other equations."""
    return np.array(held(values[0])) if equation.primitive.name == "addupdate" else None


def see_sum(before: Any, values: list[Any], results: list[Any]) -> tuple[list[Any], list[Any]]:
    """What an equation read and made; of a sum in a mutable array, before and after it.

    Args:
        before: Of `copy_before_sum`.
        values: Operands of the equation.
        results: Of the equation: none of a sum in place.
    """
    if before is None:
        return values, results
    return [before, *values[1:]], [held(values[0])]


def count_nonfinite(value: Any) -> NonfiniteCount:
    """How many elements of an array or number are not finite; 0 of what holds no such numbers."""
    value = held(value)
    dtype = getattr(value, "dtype", None)
    if isinstance(value, float | complex):  # JAX's own kinds of literals are both
        dtype = np.dtype(complex if isinstance(value, complex) else float)
    if dtype is None or not jnp.issubdtype(dtype, jnp.inexact):
        return NonfiniteCount()
    try:
        array = np.asarray(value)  # JAX would compile a test for each shape
        if bool(np.isfinite(array).all()):
            return NonfiniteCount()
        is_nan = np.isnan(array)
        num_inf = int(np.count_nonzero(np.isinf(array) & ~is_nan))
        return NonfiniteCount(int(np.count_nonzero(is_nan)), num_inf, int(array.size))
    except Exception:  # of a type that NumPy cannot test
        return NonfiniteCount()


class FoundError(Exception):
    """An equation that makes what is looked for of what is not.

    Attributes:
        id: Of the equation.
        equation: JAX's own.
        count: Of the first result that is not finite.
        rounds: Of the loops around it, outermost first, such as `round 3 of 10 of 2 (scan)`.
        is_constant: It reads a constant that is not finite already.
        reads_inf: It makes NaN, and Inf is among what it reads.
    """

    def __init__(self, id: str, equation: Any, count: NonfiniteCount) -> None:
        super().__init__(id)
        self.id, self.equation, self.count = id, equation, count
        self.rounds: tuple[str, ...] = ()
        self.is_constant = self.reads_inf = False


class SearchStopped(Exception):
    """A search that ran no further; the message says after what."""


class NonfiniteSearch:
    """Runs equations one by one, and raises at the first that makes what is looked for.

    Attributes:
        first_inf: The first equation that made Inf of finite operands, if one did.
    """

    def __init__(
        self, *, for_nan: bool, deadline_s: float, most_kinds: int = _MAX_KINDS_MEASURED
    ) -> None:
        """Look for NaN, or else for what is not finite at all, until a time of `monotonic`."""
        self._for_nan = for_nan
        self._started_s = time.monotonic()
        self._deadline_s = deadline_s
        self._most_kinds = most_kinds
        self._num_run = 0
        self._kinds: set[tuple[str, ...]] = set()
        self._rounds: tuple[str, ...] = ()
        self.first_inf: FoundError | None = None

    def run(self, jaxpr: Any, inputs: Sequence[Any], prefix: str = "") -> list[Any]:
        """Run a jaxpr.

        Returns:
            Its results.

        Raises:
            FoundError: The first equation was found.
            SearchStopped: There are too many equations, or their time is over.
            Exception: Whatever an equation raises that cannot run by itself.
        """
        consts = set(compat.open_jaxpr(jaxpr).constvars)

        def run(number: int, equation: Any, values: list[Any]) -> list[Any]:
            self._count(equation)
            before = copy_before_sum(equation, values)
            results = self._run_equation(equation, values, f"{prefix}{number}")
            constants = [
                value
                for atom, value in zip(equation.invars, values, strict=True)
                if compat.is_literal(atom) or atom in consts
            ]
            read, made = see_sum(before, values, results)
            self._judge(f"{prefix}{number}", equation, read, made, constants)
            return results

        return compat.run_equations(jaxpr, inputs, run)

    def _count(self, equation: Any) -> None:
        """Note that an equation is run.

        Raises:
            SearchStopped: It is one too many.
        """
        done = say_count(self._num_run, "equation")
        types = [str(atom.aval) for atom in (*equation.invars, *equation.outvars)]
        self._kinds.add((equation.primitive.name, *types))
        if self._num_run >= _MAX_EQUATIONS or len(self._kinds) > self._most_kinds:
            raise SearchStopped(say("the search ends after {done}", done=done))
        now = time.monotonic()
        if now > self._deadline_s:
            seconds = now - self._started_s
            raise SearchStopped(
                say(
                    "the search was stopped after {done}, in {seconds:.0f} s",
                    done=done,
                    seconds=seconds,
                )
            )
        self._num_run += 1

    def _run_equation(self, equation: Any, values: list[Any], id: str) -> list[Any]:
        for name, called, inputs in find_called(equation, values):
            return self.run(called, inputs, f"{id}/{name}/")
        loop = read_loop(equation, values)
        if loop is not None and compat.open_jaxpr(loop.body).effects:
            return self._run_rounds(equation, values, loop, id)
        results = compat.bind_equation(equation, values)
        if any(map(self._is_wanted, map(count_nonfinite, results))):
            self._enter_loop(equation, values, id)
        return results

    def _judge(
        self, id: str, equation: Any, values: list[Any], results: list[Any], constants: list[Any]
    ) -> None:
        count = next(filter(None, map(count_nonfinite, results)), None)
        if count is None:
            return
        read = [*filter(None, map(count_nonfinite, values))]
        found = FoundError(id, equation, count)
        found.rounds = self._rounds
        if not read and self.first_inf is None and not count.num_nan:
            self.first_inf = found
        wanted = next(filter(self._is_wanted, map(count_nonfinite, results)), None)
        if wanted is None:
            return
        found.count = wanted
        of_these = [each for each in read if self._is_wanted(each)]
        if of_these:
            if len(of_these) > sum(map(self._is_wanted, map(count_nonfinite, constants))):
                return  # a value that an equation before made, or an argument
            found.is_constant = True
        found.reads_inf = bool(read) and not of_these
        raise found

    def _is_wanted(self, count: NonfiniteCount) -> bool:
        return bool(count.num_nan) if self._for_nan else bool(count)

    def _enter_loop(self, equation: Any, values: list[Any], id: str) -> None:
        """Run the first round of a loop after which its state is not finite, one by one.

        Raises:
            FoundError: An equation of the loop.
        """
        loop = read_loop(equation, values)
        if loop is None or any(map(self._is_wanted, map(count_nonfinite, values))):
            return
        found = find_round(loop, for_nan=self._for_nan)
        if found is None:
            return
        number, state = found
        outer = self._rounds
        self._rounds = (*outer, _name_round(loop, number, f"{id} ({equation.primitive.name})"))
        try:
            self.run(loop.body, loop.inputs(number, state), f"{id}/{loop.name}/")
            # Its equations are finite one by one: the loop as a whole is what is known.
            whole = FoundError(id, equation, NonfiniteCount())
            whole.rounds = self._rounds
            raise whole
        finally:
            self._rounds = outer

    def _run_rounds(self, equation: Any, values: list[Any], loop: Loop, id: str) -> list[Any]:
        """Run a loop with effects, whose second run would begin with other mutable arrays."""
        outer, state = self._rounds, list(loop.start)
        stacked: list[tuple[int, list[Any]]] = []
        while bool(np.asarray(loop.goes_on(len(stacked), state))):
            number = len(stacked)
            where = f"{id} ({equation.primitive.name})"
            self._rounds = (*outer, _name_round(loop, number, where))
            try:
                results = self.run(loop.body, loop.inputs(number, state), f"{id}/{loop.name}/")
            finally:
                self._rounds = outer
            state = list(loop.after(state, results))
            stacked.append((loop.place(number), results[loop.num_state :]))
        if not stacked:  # no round, no effect
            return list(compat.bind_equation(equation, values))
        return loop.join(state, stacked)


def _name_round(loop: Loop, number: int, where: str) -> Said:
    if loop.length is None:
        return say("round {number:,} of {where}", number=number + 1, where=where)
    return say(
        "round {number:,} of {length:,} of {where}",
        number=number + 1,
        length=loop.length,
        where=where,
    )


def find_called(equation: Any, values: list[Any]) -> list[tuple[str, Any, list[Any]]]:
    """The jaxpr that an equation runs once, its name in ids, and what it gets; or nothing."""
    name = equation.primitive.name
    nested = nested_jaxprs(equation.params)
    if name == "cond" and nested:
        branches = [each for each in nested if each[0].startswith("branches")]
        path, branch = branches[int(np.clip(int(values[0]), 0, len(branches) - 1))]
        return [(path, branch, values[1:])]
    if name in CALLS and nested:
        path, called = nested[0]
        if len(compat.open_jaxpr(called).invars) == len(values):
            return [(path, called, values)]
    return []


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop equation with its values.

    Attributes:
        body: The jaxpr of one round.
        name: Of the body among the parameters.
        start: The state before the first round.
        inputs: What the body gets, by number and state of a round.
        goes_on: Whether there is a round of this number, with this state. Of a `while` under
            `vmap`, which has one condition for each element, whether any of them goes on.
        num_state: So many results of the body are the state of the next round.
        is_active: Of a `while` under `vmap`, by a state: which elements go on. The others keep
            their state, as in JAX's own lowering.
        length: How many rounds there are; None where the state decides.
        is_reversed: The first round reads the last slices.
    """

    body: Any
    name: str
    start: tuple[Any, ...]
    inputs: Callable[[Any, Sequence[Any]], list[Any]]
    goes_on: Callable[[Any, Sequence[Any]], Any]
    num_state: int
    length: int | None
    is_reversed: bool = False
    is_active: Callable[[Sequence[Any]], Any] | None = None

    def after(self, state: Sequence[Any], results: Sequence[Any]) -> tuple[Any, ...]:
        """The state after a round, of the state before it and what its body gave."""
        made = tuple(results[: self.num_state])
        if self.is_active is None:
            return made
        active = self.is_active(state)

        def select(new: Any, old: Any) -> Any:
            axes = tuple(range(active.ndim, jnp.ndim(new)))
            return jnp.where(jnp.expand_dims(active, axes), new, old)

        return tuple(map(select, made, state))

    def join(self, state: Sequence[Any], rows: Sequence[tuple[int, Sequence[Any]]]) -> list[Any]:
        """The results of the loop: the state after it, and what each round gave to its place."""
        ordered = [row for _, row in sorted(rows, key=lambda each: each[0])]
        return [*state, *(jnp.stack(column) for column in zip(*ordered, strict=True))]

    def place(self, number: Any) -> Any:
        """Index of the slices that a round reads, by its number; the number where it has none."""
        if self.is_reversed and self.length is not None:
            return self.length - 1 - number
        return number


def read_loop(equation: Any, values: list[Any]) -> Loop | None:
    if equation.primitive.name == "scan":
        return _read_scan(equation.params, values)
    if equation.primitive.name == "while":
        return _read_while(equation.params, values)
    return None


def _read_scan(parameters: dict[str, Any], values: list[Any]) -> Loop:
    length = int(parameters["length"])
    num_consts, num_carry = compat.scan_counts(parameters).values()
    end = num_consts + num_carry
    consts, start, sliced = values[:num_consts], values[num_consts:end], values[end:]

    def inputs(number: Any, state: Sequence[Any]) -> list[Any]:
        place = length - 1 - number if parameters["reverse"] else number
        return [*consts, *state, *(value[place] for value in map(jnp.asarray, sliced))]

    body = parameters["jaxpr"]
    return Loop(
        body,
        "jaxpr",
        tuple(start),
        inputs,
        lambda number, _: number < length,
        len(start),
        length,
        bool(parameters["reverse"]),
    )


def _read_while(parameters: dict[str, Any], values: list[Any]) -> Loop:
    num_cond, num_body = parameters["cond_nconsts"], parameters["body_nconsts"]
    for_cond, for_body = values[:num_cond], values[num_cond : num_cond + num_body]
    start = tuple(values[num_cond + num_body :])

    condition = parameters["cond_jaxpr"]

    def is_active(state: Sequence[Any]) -> Any:
        return compat.evaluate_jaxpr(condition, [*for_cond, *state])[0]

    return Loop(
        parameters["body_jaxpr"],
        "body_jaxpr",
        start,
        lambda _, state: [*for_body, *state],
        lambda _, state: jnp.any(is_active(state)),
        len(start),
        None,
        is_active=is_active if compat.open_jaxpr(condition).outvars[0].aval.shape else None,
    )


def find_round(loop: Loop, *, for_nan: bool) -> tuple[int, list[Any]] | None:
    """The first round that gives what is not finite, and the state before it; None without one."""

    def goes_on(carried: Any) -> Any:
        number, _, state, is_found = carried
        return ~is_found & loop.goes_on(number, state)

    def take_round(carried: Any) -> Any:
        number, _, state, _ = carried
        results = compat.evaluate_jaxpr(loop.body, loop.inputs(number, state))
        after = loop.after(state, results)
        is_found = jnp.zeros((), bool)
        for result in (*after, *results[loop.num_state :]):
            if jnp.issubdtype(result.dtype, jnp.inexact):
                odd = jnp.isnan(result) if for_nan else ~jnp.isfinite(result)
                is_found |= odd.any()
        return number + 1, state, after, is_found

    start = tuple(map(jnp.asarray, loop.start))
    carried = (jnp.int32(0), start, start, jnp.zeros((), bool))
    number, before, _, is_found = jax.lax.while_loop(goes_on, take_round, carried)
    return (int(number) - 1, list(before)) if bool(is_found) else None


RULE = "non-finite-result"
REMEDY = (
    "jax.config.update('jax_debug_nans', True) raises where the first NaN is made, jax_debug_infs "
    "where the first infinity is."
)
_MAX_WORK = 1e10
"""FLOPs and bytes of a program that is run for this alone."""
_MAX_INPUT_BYTES = 256 << 20
_BUDGET_S = 60.0
"""For running equations one by one. Only a search that hangs takes so long: `_MAX_EQUATIONS` and
`_MAX_KINDS` end it before."""


@dataclass(frozen=True, slots=True)
class Nonfinite:
    """What was found.

    Attributes:
        text: In sentences.
        equation: Id of the equation; empty where none was found.
        file: Of the equation; empty where none was found.
        line: The same; 0 where none was found.
        is_made: An equation makes it of other values; a constant may be meant so.
    """

    text: str
    equation: str = ""
    file: str = ""
    line: int = 0
    is_made: bool = False


def look_for_nonfinite(
    program: TracedProgram,
    call: Call,
    executable: Any,
    flops: float,
    num_bytes: float,
    on_run: Callable[[], None],
) -> Nonfinite | None:
    """Run a small compiled program once; None where its results are finite, or it is not run.

    Args:
        program: The program.
        call: Whose arguments count.
        executable: The compiled program.
        flops: XLA's count, loops once.
        num_bytes: The same of bytes.
        on_run: Called before it is run, if it is.
    """
    try:
        rounds = _most_rounds(compat.open_jaxpr(program.derived.jaxpr))
        work = max(flops, num_bytes) * rounds
        inputs = find_inputs(program, call)
        if not work <= _MAX_WORK or inputs is None or _size(inputs) > _MAX_INPUT_BYTES:
            return None
        on_run()
        results = _run(executable, inputs)
        return describe_nonfinite(results, program, inputs)
    except Exception:  # the program may fail as it likes: its capture does not
        return None


def count_odd(results: Any) -> NonfiniteCount:
    """How many elements of all results together are NaN or infinite.

    Args:
        results: Any structure of arrays and numbers.
    """
    counts = [count_nonfinite(leaf) for leaf in jax.tree.leaves(results)]
    return NonfiniteCount(
        sum(count.num_nan for count in counts),
        sum(count.num_inf for count in counts),
        sum(count.size for count in counts),
    )


def describe_nonfinite(
    results: Sequence[Any], program: TracedProgram, inputs: Sequence[Any] | None
) -> Nonfinite | None:
    """What of some results is not finite, and which equation made it; None where all is finite.

    Args:
        results: Leaves.
        program: The program that gave them.
        inputs: Of its last jaxpr-level stage; None where they are not known.
    """
    told = []
    paths = program.derived.result_paths
    for number, result in enumerate(results):
        if count := count_nonfinite(result):
            path = paths[number] if number < len(paths) else f"[{number}]"
            told.append(say("{path} has {count}", path=path or say("result"), count=count.told()))
    if not told:
        return None
    text = say("Results are not finite: {first}.", first=say_joined(first_of(told, 3), CLAUSES))
    has_nan = bool(count_odd(list(results)).num_nan)
    origin = _find_origin(program, inputs, has_nan, _BUDGET_S, _MAX_KINDS)
    return dataclasses.replace(origin, text=say_joined((text, origin.text)))


def find_origin_of(call: Call, count: NonfiniteCount, budget_s: float = _BUDGET_S) -> str:
    """Which equation of a call made the NaN or Inf that its results hold, in sentences.

    The call is traced anew, and its equations are run; never empty.

    Args:
        call: The call.
        count: Of its results.
        budget_s: Seconds after which no further equation is run.
    """
    try:
        program = trace_call(call)
        inputs = find_inputs(program, call)
    except Exception as error:  # whatever the user's code raises when it is traced once more
        return say(
            "Which equation made them is not known: tracing raised {name}.",
            name=type(error).__name__,
        )
    return _find_origin(program, inputs, bool(count.num_nan), budget_s).text


def _find_origin(
    program: TracedProgram,
    inputs: Sequence[Any] | None,
    has_nan: bool,
    budget_s: float,
    most_kinds: int = _MAX_KINDS_MEASURED,
) -> Nonfinite:
    """Which equation made the first value that is not finite, or why that is not known."""
    if inputs is None:
        return Nonfinite(
            say(
                "Which equation made them is not known: the arguments of its jaxpr could not be "
                "told."
            )
        )
    hoisted = {id(value) for value in compat.traced_consts(program.traced)}
    for value in inputs:
        count = count_nonfinite(value)
        if count.num_nan or (count and not has_nan):
            is_hoisted = id(value) in hoisted
            if is_hoisted:
                told = say(
                    "So is a constant that it closes over already: {count}.", count=count.told()
                )
            else:
                told = say("So are arguments already: {count}.", count=count.told())
            return Nonfinite(told)
    deadline_s = time.monotonic() + budget_s
    walk = NonfiniteSearch(for_nan=has_nan, deadline_s=deadline_s, most_kinds=most_kinds)
    try:
        walk.run(program.derived.jaxpr, inputs)
    except FoundError as found:
        return _name(found, walk.first_inf, program)
    except SearchStopped as stopped:
        return Nonfinite(
            say(
                "Which equation made them is not known: {stopped}. First NaN or Inf on the page "
                "Step goes on, and so does jaxscope ask FILE CALL nan.",
                stopped=stopped.args[0],
            ),
            is_made=has_nan,
        )
    except Exception as error:  # of an equation that cannot run by itself
        return Nonfinite(
            say(
                "Which equation made them is not known: running its equations one by one raised "
                "{name}.",
                name=type(error).__name__,
            )
        )
    return Nonfinite(
        say(
            "No equation makes such a value when they are run one by one: only the "
            "compiled program does."
        )
    )


def _name(found: FoundError, first_inf: FoundError | None, program: TracedProgram) -> Nonfinite:
    own, library = find_places(found.equation)
    file, line = own or library or ("", 0)
    told = _describe(found)
    if program.transformed:
        told = say("{told} of the stage {stage}", told=told, stage=program.derived.name)
    if found.is_constant:
        text = say("They come from a constant that is not finite, which {told} reads", told=told)
    elif found.reads_inf:
        text = say("The first equation that makes NaN is {told}, which reads Inf", told=told)
    else:
        text = say("The first equation that makes such a value of finite ones is {told}", told=told)
    if found.count:
        text = say(NAMED, name=text, meaning=found.count.told())
    text = say_sentence(text)
    if found.reads_inf and first_inf is not None:
        more = say(
            "The first that makes Inf of finite operands is {told}: {count}.",
            told=_describe(first_inf),
            count=first_inf.count.told(),
        )
        text = say_joined((text, more))
    return Nonfinite(text, found.id, file, line, is_made=not found.is_constant)


def _describe(found: FoundError) -> str:
    """An equation with its id, operation, place, and the rounds of the loops around it."""
    own, library = find_places(found.equation)
    places = [format_place(*place) for place in (own, library) if place is not None]
    where = "".join(f", {place}" for place in places)
    told = say(WHOLE, text=f"{found.id} ({found.equation.primitive.name}{where})")
    for each in reversed(found.rounds):
        told = say("{told} in {round}", told=told, round=each)
    return told


def _most_rounds(inner: Any) -> float:
    """How often the innermost loop's body may run; infinite where something forbids a run."""
    most = 1.0
    if inner.effects:
        return math.inf
    for equation in inner.eqns:
        name = equation.primitive.name
        if name == "while" or "callback" in name or name in ("infeed", "outfeed", "ffi_call"):
            return math.inf
        rounds = float(equation.params.get("length", 1)) if name == "scan" else 1.0
        for _, nested in nested_jaxprs(equation.params):
            most = max(most, rounds * _most_rounds(compat.open_jaxpr(nested)))
    return most


def _size(values: Sequence[Any]) -> int:
    return sum(getattr(value, "nbytes", 0) for value in values)


def _run(executable: Any, inputs: Sequence[Any]) -> list[Any]:
    """The results; donated arguments are copies."""
    tree = executable.in_tree
    values = list(inputs)[len(inputs) - tree.num_leaves :]
    args, kwargs = jax.tree.unflatten(tree, list(map(_copy, values)))
    return list(jax.tree.leaves(executable(*args, **kwargs)))


def _copy(value: Any) -> Any:
    if is_plain_array(value):
        return np.array(value)
    dtype: Any = getattr(value, "dtype", None)
    if dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key):
        words: Any = np.array(jax.random.key_data(value))
        return jax.random.wrap_key_data(words, impl=jax.random.key_impl(value))
    return value
