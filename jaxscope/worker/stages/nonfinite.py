"""Results with NaN or Inf: how many there are, and which equation made the first of them.

A small program is run once on the call's own arguments after all stages have been sent; what may
run long, talks to the outside or runs nowhere near is left alone. Where a result is not finite, the
equations are run one by one, as `origins.py` does it: what comes into no result is told as hidden.
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
from jaxscope.model.said import (
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
from jaxscope.worker.stages.origins import INF, NAN, Origin, Round, Walk
from jaxscope.worker.stages.running import NonfiniteCount, count_nonfinite

_MAX_EQUATIONS = 2000
_MAX_KINDS, _MAX_KINDS_MEASURED = 100, 400
"""Of equations that are run one by one, in a capture, and beside measurements, which take longer
anyway. JAX compiles each kind, with its types, once: 10 to 50 ms. So what is found does not depend
on how busy the machine is."""

_MAX_OF_LOOPS = 1000
"""Equations, of all, after which no further round of a loop is run by itself."""


class SearchStopped(Exception):
    """A search that ran no further; the message says after what."""


class _Search(Walk):
    """Runs equations one by one, as far as its limits allow."""

    def __init__(self, deadline_s: float, most_kinds: int) -> None:
        super().__init__()
        self._started_s = time.monotonic()
        self._deadline_s = deadline_s
        self._most_kinds = most_kinds
        self._num_run = 0
        self._kinds: set[tuple[str, ...]] = set()

    def _begin(self, id: str, equation: Any) -> None:
        """Raises: SearchStopped: There are too many equations, or their time is over."""
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

    def _has_room(self, number: int) -> bool:
        return self._num_run < _MAX_OF_LOOPS


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
    text = _tell_results(results, program)
    if not text:
        return None
    has_nan = bool(count_odd(list(results)).num_nan)
    origin = _find_origin(program, inputs, has_nan, _BUDGET_S, _MAX_KINDS)
    return dataclasses.replace(origin, text=say_joined((text, origin.text)))


def _tell_results(results: Sequence[Any], program: TracedProgram) -> str:
    """Which results are not finite, as a sentence; empty where all are."""
    told = []
    paths = program.derived.result_paths
    for number, result in enumerate(results):
        if count := count_nonfinite(result):
            path = paths[number] if number < len(paths) else f"[{number}]"
            told.append(say("{path} has {count}", path=path or say("result"), count=count.told()))
    if not told:
        return ""
    return say("Results are not finite: {first}.", first=say_joined(first_of(told, 2), CLAUSES))


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


def copy_arrays(values: Any) -> Any:
    """The same structure; its JAX arrays are copies, which stay where the others are donated."""
    return jax.tree.map(lambda leaf: leaf.copy() if isinstance(leaf, jax.Array) else leaf, values)


def explain_nonfinite(call: Call, results: Any) -> Nonfinite:
    """What of a call's results is not finite, and which equation made it.

    The call is traced anew, and its equations are run, however much work they are, unless they have
    effects, which would come twice.

    Args:
        call: The call, with arguments that are still there.
        results: Any structure of arrays and numbers, some of which are not finite.

    Raises:
        Exception: Whatever the user's code raises when it is traced once more.
    """
    program, leaves = trace_call(call), jax.tree.leaves(results)
    told = _tell_results(leaves, program)
    if compat.open_jaxpr(program.derived.jaxpr).effects:
        why = say(
            "Which equation made them is not known: to find it, the program's effects, such as "
            "what it prints, would have to come once more."
        )
        return Nonfinite(say_joined((told, why)), is_made=True)
    found = describe_nonfinite(leaves, program, find_inputs(program, call))
    assert found is not None
    return found


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
    walk = _Search(time.monotonic() + budget_s, most_kinds)
    why = ""
    try:
        walk.run(program.derived.jaxpr, inputs)
    except SearchStopped as stopped:
        why = say(
            "Which equation made them is not known: {stopped}. First NaN or Inf on the page "
            "Step goes on, and so does jaxscope ask FILE CALL nan.",
            stopped=stopped.args[0],
        )
    except Exception as error:  # of an equation that cannot run by itself
        why = say(
            "Which equation made them is not known: running its equations one by one raised "
            "{name}.",
            name=type(error).__name__,
        )
    hoisted = {id(value) for value in compat.traced_consts(program.traced)}
    origins = walk.origins
    for number, value in enumerate(inputs):
        count = count_nonfinite(value)
        if (count.num_nan or (count and not has_nan)) and origins.reaches_input(number):
            if id(value) in hoisted:
                told = say(
                    "So is a constant that it closes over already: {count}.", count=count.told()
                )
            else:
                told = say("So are arguments already: {count}.", count=count.told())
            return Nonfinite(told)
    kinds = (NAN,) if has_nan else (INF, NAN)
    for find in (origins.first, origins.first_constant):
        for kind in kinds:
            if found := find(kind, origins.reached):
                return _name(found, walk, program)
    if why:
        return Nonfinite(why, is_made=has_nan)
    if not origins.is_known:
        return Nonfinite(
            say("Which equation made them is not known: not all rounds of loops were run."),
            is_made=has_nan,
        )
    return Nonfinite(
        say(
            "No equation makes such a value when they are run one by one: only the "
            "compiled program does."
        )
    )


def _name(found: Origin, walk: Walk, program: TracedProgram) -> Nonfinite:
    own, library = find_places(found.equation)
    file, line = own or library or ("", 0)
    hidden = [each for each in walk.origins.hidden() if each.kind == found.kind]
    told = _describe(found)
    if program.transformed:
        told = say("{told} of the stage {stage}", told=told, stage=program.derived.name)
    if found.is_constant:
        text = say("They come from a constant that is not finite, which {told} reads", told=told)
    elif found.reads_inf:
        text = say("The first equation that makes NaN is {told}, which reads Inf", told=told)
        if hidden:
            text = say(
                "The first equation that makes NaN which may come into them is {told}, which "
                "reads Inf",
                told=told,
            )
    else:
        text = say("The first equation that makes such a value of finite ones is {told}", told=told)
        if hidden:
            text = say(
                "The first equation that makes such a value of finite ones which may come into "
                "them is {told}",
                told=told,
            )
    text = say_sentence(say(NAMED, name=text, meaning=found.count.told()))
    if found.infinite is not None:
        more = say(
            "Of what that Inf comes from, {told} is the first to make Inf: {count}.",
            told=_describe(found.infinite),
            count=found.infinite.count.told(),
        )
        text = say_joined((text, more))
    for each in hidden:
        kind = "NaN" if each.kind == NAN else "Inf"
        text = say_joined(
            (
                text,
                say("{told} makes {kind} before it.", told=_describe(each), kind=kind),
                say("It is hidden: no NaN or Inf of a result is computed from it."),
            )
        )
    return Nonfinite(text, found.id, file, line, is_made=not found.is_constant)


def _describe(found: Origin) -> str:
    """An equation with its id, operation, place, and the rounds of the loops around it."""
    own, library = find_places(found.equation)
    places = [format_place(*place) for place in (own, library) if place is not None]
    where = "".join(f", {place}" for place in places)
    told = say(WHOLE, text=f"{found.id} ({found.equation.primitive.name}{where})")
    for each in reversed(found.rounds):
        told = say("{told} in {round}", told=told, round=_name_round(each))
    return told


def _name_round(each: Round) -> Said:
    number, length = each.number + 1, each.loop.length
    if length is None:
        return say("round {number:,} of {where}", number=number, where=each.where)
    return say(
        "round {number:,} of {length:,} of {where}",
        number=number,
        length=length,
        where=each.where,
    )


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
