"""Answer an `agree` request: how far eager, jitted and double-precision results differ, in units of
the last place, and where.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model.op_name import TagTable, move_tags, read_op_name
from jaxscope.model.said import say
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.values import aval_text, is_plain_array
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.provenance.traced_program import TracedProgram, find_inputs, trace_call
from jaxscope.worker.stages.call_loader import load_call
from jaxscope.worker.stages.nonfinite import describe_nonfinite
from jaxscope.worker.stages.pass_trials import Compare, Fields, OutOfTime, try_options, try_passes
from jaxscope.worker.stages.passes import name_passes
from jaxscope.worker.timing.experiment import (
    Laboratory,
    compile_form,
    open_laboratory,
    refuse_absent_target,
)
from jaxscope.worker.timing.forms import Forms, find_forms

# Where eager and compiled results part: the first equations whose compiled results differ, and the
# pass of XLA that makes the difference.
#
# An equation's cone is the equation with all that it is computed from. Going up from a result that
# differs, the first equation whose compiled cone differs from the eager one while its inputs' cones
# do not is where the difference arises; how many equations before it must be compiled with it is
# tried in the same way. Then passes of XLA are switched off (`stages.pass_trials`). Nothing is
# guessed from the text of programs: what is found was compiled and compared. Cost: a compilation
# for each cone and each number of equations, within a budget of time.

_SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256)
_MOST_REMOVED = 16


@dataclass(frozen=True, eq=False)
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
        self, jaxpr: Any, inputs: Sequence[Any], compare: Compare, check_time: Callable[[], None]
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


_COMPUTATION = re.compile(r"^(?:ENTRY )?%?(?P<name>[\w.\-]+)[ (].*\{$")
_FUSION = re.compile(r"%?(?P<name>[\w.\-]+) = .*\bfusion\(.*calls=%?(?P<called>[\w.\-]+)")
_OP_NAME = re.compile(r'op_name="(?P<name>[^"]*)"')


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
        reason = say("Looking for it was given up after {seconds:.0f} s.", seconds=BUDGET_S)
    except Exception as error:  # whatever the program or XLA raises
        reason = say("Looking for it failed: {why}", why=laboratory.describe(error))
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
            return say("Which argument each input of the program is, could not be found out.")
        if len(equations) > _MOST_EQUATIONS:
            num = len(equations)
            return say("The program has {num:,} equations, too many to look at.", num=num)
        divergence = Divergence(jaxpr, inputs, self._compare, self._check_time)
        group = divergence.find()
        if group is None:
            return say(
                "The equations give the same bits one by one and compiled together, so the "
                "eager run of the function must compute something else than its equations do."
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
        self._send(fields, [], divergence, say("XLA gave up when it was compiled without a pass."))
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
            found = try_passes(run, eager, list_passes, self._compare, run_apart)
            for trial in found:  # those that were made count, should time run out
                trials.append(trial)
            self._try_whole(trials, divergence, inputs)
        except OutOfTime:
            return trials, say(
                "After {seconds:.0f} s no further pass was switched off.", seconds=BUDGET_S
            )
        except Exception as error:
            why = self._laboratory.describe(error)
            return trials, say("Passes could not be recorded: {why}", why=why)
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
            compiled = compat.lower(traced).compile()
        return find_fusions(compiled, table, ids)

    def _check_time(self) -> None:
        if self._laboratory.stopwatch.now_s() > self._deadline_s:
            raise OutOfTime


# Differences of arrays in units of the last place, of any float type that NumPy knows.


_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def compare_arrays(path: str, first: Any, second: Any) -> dict[str, Any]:
    """The fields of a `LeafAgreement`; `second` counts as right.

    Raises:
        ValueError: The shapes differ.
    """
    one, other = (_parts(np.asarray(value)) for value in (first, second))
    if one.shape != other.shape:
        raise ValueError(f"shapes {one.shape} and {other.shape} differ")
    fields: dict[str, Any] = {
        "path": path,
        "type": _type_text(first),
        "count": int(one.size),
        "differing": 0,
        "max_ulp": math.nan,
        "max_absolute": 0.0,
        "max_relative": 0.0,
        "index": "",
        "first": "",
        "second": "",
        "num_nan": 0,
    }
    if not one.size:
        return fields
    if not _is_float(one.dtype):
        return fields | _compare_exact(one, other)
    return fields | _compare_floats(one, other)


def _type_text(value: Any) -> str:
    """Such as `f32[8]`, of JAX's arrays and NumPy's."""
    if hasattr(value, "aval"):
        return aval_text(value.aval)
    array = np.asarray(value)
    return aval_text(jax.core.ShapedArray(array.shape, array.dtype))


def spacing(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Distance of the magnitude of each finite value to the next larger number of its type."""
    bits = np.abs(values).view(_UNSIGNED[values.dtype.itemsize])
    following = (bits + np.ones((), bits.dtype)).view(values.dtype)
    larger, here = following.astype(np.float64), np.abs(values).astype(np.float64)
    # The largest finite number has no finite neighbour above, but one below.
    before = np.maximum(bits, 1) - np.ones((), bits.dtype)
    below = here - before.astype(bits.dtype).view(values.dtype).astype(np.float64)
    with np.errstate(invalid="ignore"):
        gap: npt.NDArray[np.float64] = larger - here
    return np.where(np.isfinite(gap), gap, below)


def _compare_floats(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> dict[str, Any]:
    """Units are of the coarser type: between f32 and f64 those of f32, whichever is which."""
    coarse = max((one.dtype, other.dtype), key=lambda dtype: spacing(np.ones(1, dtype))[0])
    narrow = other.astype(coarse)
    wide_one, wide_other = one.astype(np.float64), other.astype(np.float64)
    finite = np.isfinite(wide_one) & np.isfinite(wide_other)
    same_odd = (np.isnan(wide_one) & np.isnan(wide_other)) | (wide_one == wide_other)
    with np.errstate(invalid="ignore", over="ignore"):
        absolute = np.where(finite, np.abs(wide_one - wide_other), 0.0)
        unit = spacing(np.where(finite, narrow, np.zeros((), coarse)))
        ulps = absolute / unit
        scale = np.abs(wide_other)
        relative = np.where(finite & (scale > 0), absolute / np.where(scale > 0, scale, 1.0), 0.0)
    odd = ~finite & ~same_odd
    # The sign of a zero is no difference that a program should depend on, and counts as none.
    differing = int(np.count_nonzero(absolute > 0))
    worst = int(np.argmax(odd)) if odd.any() else int(np.argmax(ulps))
    return {
        "differing": differing,
        "max_ulp": float(ulps.max()),
        "max_absolute": float(absolute.max()),
        "max_relative": float(relative.max()),
        "index": _index_text(worst, one.shape),
        "first": _number_text(wide_one.reshape(-1)[worst]),
        "second": _number_text(wide_other.reshape(-1)[worst]),
        "num_nan": int(np.count_nonzero(odd)),
    }


def _compare_exact(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> dict[str, Any]:
    differs = one != other
    worst = int(np.argmax(differs))
    distance = 0.0
    if one.dtype.kind in "iu" and differs.any():
        distance = float(np.max(np.abs(one.astype(np.float64) - other.astype(np.float64))))
    return {
        "differing": int(np.count_nonzero(differs)),
        "max_absolute": distance,
        "index": _index_text(worst, one.shape),
        "first": str(one.reshape(-1)[worst]),
        "second": str(other.reshape(-1)[worst]),
    }


def _parts(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Complex numbers as pairs of real ones, on one axis more."""
    if array.dtype.kind != "c":
        return np.ascontiguousarray(array).reshape(array.shape)
    real = np.ascontiguousarray(array)[..., None].view(array.real.dtype)
    return real.reshape(*array.shape, 2)


def _is_float(dtype: np.dtype[Any]) -> bool:
    """Whether NumPy or an extension has it as a floating-point type of 2, 4 or 8 bytes."""
    return dtype.kind == "f" or "float" in dtype.name


def _index_text(flat: int, shape: tuple[int, ...]) -> str:
    return str([int(i) for i in np.unravel_index(flat, shape)]) if shape else "[]"


def _number_text(value: float) -> str:
    return repr(float(value))


_MAX_LEAVES = 2_000
_MAX_EQUATIONS = 5_000
_RANDOM = frozenset({"random_bits", "threefry2x32", "random_gamma", "rng_bit_generator"})


def handle_agree(request: dict[str, Any], channel: Channel) -> None:
    """Run the call of a request three ways, and send how far the results differ.

    Raises:
        JaxscopeError: The file or the call is wrong, or it does not run eagerly.
    """
    refuse_absent_target(request)
    snapshot, call = load_call(request, channel)
    with open_laboratory(channel, call.text, (snapshot.path,)) as laboratory:
        with guard("call", {snapshot.path}):
            forms = find_forms(call)
        channel.progress("eager", say("Running equation by equation"))
        with guard("run", {snapshot.path}):
            eager = forms.eager(*forms.eager_arguments[0], **forms.eager_arguments[1])
        jitted = _try(laboratory, "jit", lambda: _run_jitted(laboratory, forms))
        channel.progress("double", say("Running in double precision"))
        double = _try(laboratory, "double precision", lambda: _run_double(forms))
        for first, second, one, other in (
            ("eager", "jit", eager, jitted),
            ("eager", "float64", eager, double),
            ("jit", "float64", jitted, double),
        ):
            send_results(channel, first, second, one, other)
        channel.progress("equations", say("Comparing equation by equation"))
        program = _try(laboratory, "tracing", lambda: trace_call(call))
        if program is not None:
            # Say at once that results are not finite: two that are NaN agree in nothing that helps.
            leaves = [leaf for leaf in jax.tree.leaves(eager) if hasattr(leaf, "dtype")]
            found = describe_nonfinite(leaves, program, find_inputs(program, call))
            if found is not None:
                laboratory.warn(found.text)
            _try(
                laboratory,
                "comparing equations",
                lambda: _compare_equations(laboratory, program, call),
            )
            _look_for_divergence(laboratory, program, call, eager, jitted)


def send_results(channel: Channel, first: str, second: str, one: Any, other: Any) -> None:
    """Send how far two results differ; None stands for one that could not be had."""
    leaves, reason = [], ""
    if one is None or other is None:
        reason = say("{form} could not be run.", form=first if one is None else second)
    else:
        try:
            leaves = compare_results(one, other)
        except (ValueError, TypeError) as error:
            reason = say("They do not have the same form: {why}.", why=str(error)[:300].rstrip("."))
    channel.send("results", {"first": first, "second": second, "leaves": leaves, "reason": reason})


def compare_results(one: Any, other: Any) -> list[dict[str, Any]]:
    """Compare the arrays of two results, in order.

    Raises:
        ValueError: They have different structures or shapes.
    """
    pairs = jax.tree_util.tree_flatten_with_path(one)[0]
    others = jax.tree.leaves(other)
    if len(pairs) != len(others):
        raise ValueError(f"{len(pairs)} and {len(others)} arrays")
    return [
        compare_arrays(jax.tree_util.keystr(path) or "result", plain(leaf), plain(match))
        for (path, leaf), match in zip(pairs[:_MAX_LEAVES], others, strict=False)
        if isinstance(leaf, jax.Array | np.ndarray | np.generic | int | float | complex | bool)
    ]


def _try(laboratory: Laboratory, what: str, run: Any) -> Any:
    """What `run` returns; None, and a warning, where it raises."""
    try:
        return run()
    except Exception as error:
        laboratory.warn(say("{what} failed: {why}", what=what, why=laboratory.describe(error)))
        return None


def _run_jitted(laboratory: Laboratory, forms: Forms) -> Any:
    subject = compile_form(laboratory, forms, "jit").subject
    args, kwargs = subject.prepare()
    return subject.function(*args, **kwargs)


def _run_double(forms: Forms) -> Any:
    """The eager form on arguments of double precision, 64-bit types on."""
    with jax.enable_x64(True):
        args, kwargs = jax.tree.map(_widen, forms.eager_arguments)
        result = forms.eager(*args, **kwargs)
        return jax.block_until_ready(result)  # type: ignore[no-untyped-call] # JAX's


def _widen(leaf: Any) -> Any:
    dtype = getattr(leaf, "dtype", None)
    if dtype is None or jnp.issubdtype(dtype, jax.dtypes.extended):
        return leaf
    if jnp.issubdtype(dtype, jnp.floating):
        return jnp.asarray(np.asarray(leaf).astype(np.float64))
    if jnp.issubdtype(dtype, jnp.complexfloating):
        return jnp.asarray(np.asarray(leaf).astype(np.complex128))
    return leaf


def _look_for_divergence(
    laboratory: Laboratory, program: TracedProgram, call: Call, eager: Any, jitted: Any
) -> None:
    """Where eager and jit differ, find out where that comes from."""
    reason = ""
    if jitted is None:
        reason = say("{form} could not be run.", form="jit")
    elif find_difference(jax.tree.leaves(eager), jax.tree.leaves(jitted)) is None:
        reason = say("Eager and jit agree bit by bit.")
    if reason:
        laboratory.channel.send("origin_missing", {"reason": reason})
        return
    laboratory.channel.progress("origin", say("Looking for where the difference arises"))
    send_numeric_divergence(laboratory, program, call, find_difference)


def find_difference(one: Sequence[Any], other: Sequence[Any]) -> dict[str, Any] | None:
    """The worst difference of two lists of arrays; None where all are equal bit by bit."""
    pairs = [(plain(a), plain(b)) for a, b in zip(one, other, strict=True)]
    worst = _worst("", [a for a, _ in pairs], [b for _, b in pairs])
    return worst if worst is not None and (worst["differing"] or worst["num_nan"]) else None


def _compare_equations(laboratory: Laboratory, program: TracedProgram, call: Call) -> None:
    """Compare every equation's result, eager and compiled, and send those that differ.

    All of them are results of the compiled program here, so XLA may fuse it in another way.
    """
    inputs = find_inputs(program, call)
    jaxpr = program.derived.jaxpr
    inner = compat.open_jaxpr(jaxpr)
    if _primitives(inner) & _RANDOM:
        laboratory.warn(
            say("The call draws random numbers; in double precision these are other numbers.")
        )
    if inputs is None or len(inner.eqns) > _MAX_EQUATIONS:
        laboratory.warn(say("Its equations could not be compared one by one."))
        return

    def all_results(*values: Any) -> list[list[Any]]:
        """Of every equation at the top level, without what no message can compare."""
        results = []

        def run(_number: int, equation: Any, operands: list[Any]) -> list[Any]:
            outputs = compat.bind_equation(equation, operands)
            results.append([output for output in outputs if is_plain_array(output)])
            return outputs

        compat.run_equations(jaxpr, values, run)
        return results

    eager = all_results(*inputs)
    compiled = jax.jit(all_results)(*inputs)
    equal: dict[Any, bool] = {}
    found = []
    for number, equation in enumerate(inner.eqns):
        worst = _worst(str(number), eager[number], compiled[number])
        inputs_equal = all(
            equal.get(atom, True) for atom in equation.invars if not compat.is_literal(atom)
        )
        is_equal = worst is None or not (worst["differing"] or worst["num_nan"])
        equal.update(dict.fromkeys(equation.outvars, is_equal))
        if worst is not None and not is_equal:
            place = compat.user_place(equation)
            found.append(
                {
                    "id": str(number),
                    "operation": equation.primitive.name,
                    "place": f"{place[0]}:{place[1]}" if place else "",
                    "worst": worst,
                    "inputs_equal": inputs_equal,
                }
            )
    laboratory.channel.send(
        "equations",
        {
            "stage": program.derived.name,
            "num_equations": len(inner.eqns),
            "equations": found[:_MAX_LEAVES],
        },
    )


def _primitives(inner: Any) -> set[str]:
    """Names of all primitives of a jaxpr, nested ones included."""
    names = set()
    for equation in inner.eqns:
        names.add(equation.primitive.name)
        for _, nested in nested_jaxprs(equation.params):
            names |= _primitives(compat.open_jaxpr(nested))
    return names


def _worst(path: str, one: Sequence[Any], other: Sequence[Any]) -> dict[str, Any] | None:
    compared = [compare_arrays(path, a, b) for a, b in zip(one, other, strict=True)]
    return max(
        compared,
        key=lambda fields: (
            fields["num_nan"],
            0.0 if math.isnan(fields["max_ulp"]) else fields["max_ulp"],
            fields["differing"],
        ),
        default=None,
    )


def plain(leaf: Any) -> Any:
    """Keys of random numbers are compared as the integers that they are."""
    dtype = getattr(leaf, "dtype", None)
    if dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key):
        return jax.random.key_data(leaf)
    return leaf
