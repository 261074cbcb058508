"""Answer a `scale` request: the same call at several sizes of an argument or of a name, or
repeated: a loop against vmap, an unrolled loop against a scan.

Each size is sent when it is measured, so a stop or a failure at a large size keeps the others.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import symtable
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.errors import CallError, JaxscopeError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say
from jaxscope.model.units import format_seconds
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.arguments import (
    ALL,
    box_statics,
    find_array_places,
    leaf_path,
    parameter_names,
    split_leaves,
    unbox_statics,
)
from jaxscope.worker.host.call import Call, parse_call
from jaxscope.worker.host.source import SourceSnapshot
from jaxscope.worker.stages.call_loader import load_call, load_names
from jaxscope.worker.stages.nonfinite import count_odd, find_origin_of
from jaxscope.worker.stages.running import NonfiniteCount
from jaxscope.worker.timing.experiment import (
    CompiledForm,
    Laboratory,
    compile_form,
    measure_together,
    open_laboratory,
    read_costs,
    refuse_absent_target,
    warm_up,
)
from jaxscope.worker.timing.forms import find_forms
from jaxscope.worker.timing.same_work import EagerCalls, Outcome, WorkWatch, observed
from jaxscope.worker.timing.stages_and_transfers import same_arguments
from jaxscope.worker.timing.stopwatch import Subject, SubjectFailed

# A call many times over, in two forms: a loop against vmap, an unrolled loop against a scan.


FORMS = {"": ("eager", "jit"), "batch": ("loop", "vmap"), "depth": ("unrolled", "scan")}
"""Names of the two forms of each preset."""
VARIED = {"batch": "batch size", "depth": "depth"}


@dataclass(frozen=True, eq=False)
class FormPair:
    """Two compiled forms of the same work.

    Attributes:
        first: Its subject is what is called; of a loop, the stages are those of one call.
        second: The form whose costs are reported.
    """

    first: CompiledForm
    second: CompiledForm


def compile_batch(laboratory: Laboratory, call: Call, names: str, size: int) -> FormPair:
    """A Python loop over the jitted call, and the jitted vmap of the call.

    Args:
        names: Of the arrays that are stacked, joined by `+`; empty for all.
        size: Of the batch.

    Raises:
        CallError: The call has no such array.
        Exception: Whatever the user's code or the compiler raises.
    """
    places = _batched_places(call, names)
    composed = call.compose(call.base)
    merged, single_arrays, rest = split_leaves(composed, (call.args, call.kwargs), places)

    def mapped(batched: list[Any], rest: list[Any]) -> Any:
        return jax.vmap(lambda values: merged(values, rest))(batched)

    stacked = [jnp.repeat(jnp.asarray(array)[None], size, 0) for array in single_arrays]
    single = compile_form(laboratory, find_forms(call), "eager")
    args, kwargs = single.subject.prepare()
    jitted = single.subject.function

    def loop() -> list[Any]:
        return [jitted(*args, **kwargs) for _ in range(size)]

    first = dataclasses.replace(single, subject=Subject("eager", loop, same_arguments((), {})))
    whole = find_forms(_call_of(call, mapped, (stacked, rest), {}))
    return FormPair(first, compile_form(laboratory, whole, "jit"))


def compile_depth(laboratory: Laboratory, call: Call, size: int) -> FormPair:
    """The call applied to its own result so many times, unrolled and as a scan; both jitted.

    Raises:
        CallError: The result cannot take the place of the first argument.
        Exception: Whatever the user's code or the compiler raises.
    """
    step = _find_step(call)

    def unrolled(*args: Any, **kwargs: Any) -> Any:
        first, *rest = args
        for _ in range(size):
            first = step(first, *rest, **kwargs)
        return first

    def scanned(*args: Any, **kwargs: Any) -> Any:
        first, *rest = args

        def body(carry: Any, _: None) -> tuple[Any, None]:
            return step(carry, *rest, **kwargs), None

        return jax.lax.scan(body, first, None, length=size)[0]

    forms = [find_forms(_call_of(call, f, call.args, call.kwargs)) for f in (unrolled, scanned)]
    return FormPair(
        compile_form(laboratory, forms[0], "eager"), compile_form(laboratory, forms[1], "jit")
    )


def check_growth(preset: str, call: Call, names: str) -> None:
    """Find out before anything is measured whether a preset makes sense of a call.

    Raises:
        CallError: It does not.
    """
    if preset == "batch":
        _batched_places(call, names)
    elif preset == "depth":
        _find_step(call)


def _batched_places(call: Call, names: str) -> list[int]:
    places = find_array_places(call, names or ALL)
    if not places:
        raise _wrong_growth(
            say("The call has no array argument to stack."), say("Such as: loss(f32[8]).")
        )
    return places


def _find_step(call: Call) -> Callable[..., Any]:
    """The call as a function from its first argument to one like it."""
    composed = call.compose(call.base)
    if not call.args or not jax.tree.leaves(call.args[0]):
        raise _wrong_growth(
            say("The call has no first argument to feed its result into."), say("Such as: f(x, w).")
        )
    wanted = _shapes(call.args[0])
    boxed = box_statics(call.args, call.kwargs)

    def plain(arguments: Any) -> Any:
        args, kwargs = unbox_statics(*arguments)
        return composed(*args, **kwargs)

    result = jax.eval_shape(plain, boxed)
    if _shapes(result) == wanted:
        return composed
    if isinstance(result, tuple) and len(result) == 2 and _shapes(result[0]) == wanted:
        return lambda *args, **kwargs: composed(*args, **kwargs)[0]
    raise _wrong_growth(
        say("The result cannot be fed into the first argument: it has another form."),
        say(
            "A layer or a step is needed: its result, or the first of two, is like its "
            "first argument."
        ),
    )


def _shapes(value: Any) -> Any:
    leaves, tree = jax.tree.flatten(value)
    return tree, [(jnp.shape(leaf), jnp.result_type(leaf)) for leaf in leaves]


def _call_of(
    call: Call, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Call:
    """A call of another function, without transforms."""
    return dataclasses.replace(call, base=function, levels=(), args=args, kwargs=kwargs)


def _wrong_growth(what: str, remedy: str) -> CallError:
    return CallError(what, remedy=remedy, kind="NoGrowth")


DEFAULT_BUDGET_S = 0.5
_MAX_SIZES = 40
_SLOWEST_EAGER = 10
"""An eager call that takes so many budgets ends the eager side for this and larger sizes."""

_CLIFF = 3.0
"""So many times longer than its neighbours suggest is measured once more."""
_MAX_AGAIN = 4

MakeCall = Callable[[int], Call]


def handle_scale(request: dict[str, Any], channel: Channel) -> None:
    """Measure the call of a request at every size, and send each when it is known.

    Raises:
        JaxscopeError: The file or the call is wrong, what is varied is not there, or nothing runs
            on the target.
    """
    refuse_absent_target(request)
    sizes = [int(size) for size in (request.get("sizes") or [])[:_MAX_SIZES]]
    vary = str(request.get("vary") or "").strip()
    preset = str(request.get("preset") or "")
    if not sizes or min(sizes) < 1 or not (vary or preset) or preset not in FORMS:
        raise _wrong(
            say("Neither sizes nor what is varied was named."), say("Such as x:0=64..4096.")
        )
    if preset:
        source, text, make_call = _prepare_growth(request, channel, preset, vary)
    else:
        source, text, make_call = _prepare(request, channel, vary, sizes[0])
    budget_s = float(request.get("budget_s") or DEFAULT_BUDGET_S)
    with open_laboratory(channel, text, (source.path,)) as laboratory:
        named = VARIED.get(preset, vary)
        channel.send("scale", {"vary": named, "sizes": sizes, "forms": FORMS[preset]})
        skip_eager = bool(request.get("skip_eager"))
        experiment = _Scaling(laboratory, source, skip_eager, budget_s, preset, vary)
        for size in sizes:
            channel.progress("size", say("Measuring at {named} = {size:,}", named=named, size=size))
            experiment.measure(size, make_call)
        for size in find_cliffs(experiment.medians):
            channel.progress(
                "size", say("Measuring once more at {named} = {size:,}", named=named, size=size)
            )
            experiment.measure(size, make_call)


def _prepare(
    request: dict[str, Any], channel: Channel, vary: str, first_size: int
) -> tuple[SourceSnapshot, str, MakeCall]:
    """The file, text of the call, and what makes the call of a size."""
    if ":" in vary:
        source, call = load_call(request, channel)
        places = [_read_place(word) for word in vary.split(",")]
        with guard("call", {source.path}):
            resize(call, places, first_size)
        return source, call.text, lambda size: resize(call, places, size)
    source, names = load_names(request, channel)
    text = str(request.get("call") or "")
    if not text:
        raise _wrong(
            say("A call that uses the name {vary} is needed.", vary=vary),
            say("Such as: loss(f32[{vary}, 8]).", vary=vary),
        )

    def make(size: int) -> Call:
        return parse_call(text, {**names, vary: size}, file=source.path)

    with guard("call", {source.path}):
        call = make(first_size)
    if vary not in _free_names(text):
        known = parameter_names(call.base, call.args)
        argument = vary if vary in known else next(iter(known), "x")
        raise _wrong(
            say("The call uses no name {vary}: it would be the same at every size.", vary=vary),
            say(
                "Write f32[{vary}] in the call, or vary a dimension of an argument: {argument}:0.",
                vary=vary,
                argument=argument,
            ),
        )
    return source, text, make


def _free_names(text: str) -> set[str]:
    """Names that an expression takes from outside, within its lambdas as well."""
    tables = [symtable.symtable(text.strip(), "call", "eval")]
    found = {symbol.get_name() for symbol in tables[0].get_symbols()}
    while tables:
        table = tables.pop()
        tables += table.get_children()
        found |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return found


def _prepare_growth(
    request: dict[str, Any], channel: Channel, preset: str, names: str
) -> tuple[SourceSnapshot, str, MakeCall]:
    """The same of a call that is made many times over."""
    source, call = load_call(request, channel)
    with guard("call", {source.path}):
        check_growth(preset, call, names)
    return source, call.text, lambda _size: call


def resize(call: Call, places: list[tuple[str, int]], size: int) -> Call:
    """The call with some dimensions of its array arguments changed, their values repeated.

    Raises:
        CallError: No argument has that name, or it has not so many dimensions.
    """
    names = parameter_names(call.base, call.args)
    pairs, tree = jax.tree_util.tree_flatten_with_path((call.args, call.kwargs))
    paths = [leaf_path(path, names) for path, _ in pairs]
    leaves: list[Any] = [leaf for _, leaf in pairs]
    for name, dimension in places:
        number = paths.index(name) if name in paths else -1
        shape = getattr(leaves[number], "shape", None) if number >= 0 else None
        if shape is None or not 0 <= dimension < len(shape):
            known = ", ".join(
                f"{path}:{d}"
                for path, leaf in zip(paths, leaves, strict=True)
                for d in range(len(getattr(leaf, "shape", ())))
            )
            raise _wrong(
                say(
                    "No array argument {name} has a dimension {dimension}.",
                    name=name,
                    dimension=dimension,
                ),
                say("There are: {known}.", known=known[:500])
                if known
                else say("The call has no array argument."),
            )
        target = (*shape[:dimension], size, *shape[dimension + 1 :])
        leaves[number] = jax.numpy.resize(leaves[number], target)
    args, kwargs = jax.tree_util.tree_unflatten(tree, leaves)
    return dataclasses.replace(call, args=args, kwargs=kwargs)


def find_cliffs(medians: dict[int, dict[str, float]]) -> list[int]:
    """Sizes at which a form takes far longer than its neighbours suggest.

    Something else may have had the processor just then, so they are measured once more. At the ends
    the two nearest sizes decide.
    """
    found = set()
    for name in {name for each in medians.values() for name in each}:
        sizes = [size for size in sorted(medians) if name in medians[size]]
        for place, size in enumerate(sizes):
            near = sorted(
                (other for other in range(len(sizes)) if other != place),
                key=lambda other: abs(other - place),
            )[:2]
            if len(near) < 2:
                continue
            (x0, y0), (x1, y1) = (
                (math.log(sizes[other]), math.log(medians[sizes[other]][name])) for other in near
            )
            expected = y0 + (y1 - y0) * (math.log(size) - x0) / (x1 - x0)
            if math.log(medians[size][name]) > max(expected, y0) + math.log(_CLIFF):
                found.add(size)
    return sorted(found)[:_MAX_AGAIN]


def describe_first_reading(medians: dict[str, float], preset: str) -> str:
    """What a size that was measured again took before; the forms by the names that they have."""
    names = dict(zip(FORMS[""], FORMS[preset], strict=True))
    told = ", ".join(f"{names[name]} {format_seconds(medians[name])}" for name in medians)
    return say("Measured twice; the first time {told}.", told=told)


class _Scaling:
    def __init__(
        self,
        laboratory: Laboratory,
        source: SourceSnapshot,
        skip_eager: bool,
        budget_s: float,
        preset: str = "",
        names: str = "",
    ) -> None:
        self._laboratory = laboratory
        self._source = source
        self._skip_eager = skip_eager
        self._budget_s = budget_s
        self._preset = preset
        self._names = names
        self._columns: dict[str, Any] = {}
        self._is_first = True
        self._has_told_origin = False
        self._odd = NonfiniteCount()
        self._different: dict[int, str] = {}
        self.medians: dict[int, dict[str, float]] = {}

    def measure(self, size: int, make_call: MakeCall) -> None:
        """Measure one size, and send it."""
        laboratory = self._laboratory
        fields: dict[str, Any] = {"size": size, "reason": ""}
        self._columns = {}
        self._odd = NonfiniteCount()
        arrays: dict[str, Any] = {}
        try:
            prepare = self._prepare_growth if self._preset else self._prepare_forms
            call = make_call(size)
            if self._is_first:
                self._is_first = False
                prepare(call, size, {})  # a process's first compilations are slower than later ones
            arrays = self._measure_steady(prepare(call, size, fields), fields)
        except (Exception, SystemExit) as error:
            if isinstance(error, JaxscopeError):
                fields["reason"] = str(error)
            else:
                fields["reason"] = laboratory.describe(error)
        medians = {
            name.removesuffix(".seconds"): max(float(np.median(seconds)), 1e-9)
            for name, seconds in arrays.items()
            if name.endswith(".seconds") and len(seconds)
        }
        if before := self.medians.get(size):
            told = describe_first_reading(before, self._preset)
            fields["reason"] = f"{fields['reason']} {told}".strip()
        self.medians[size] = medians
        laboratory.tell_conditions()
        laboratory.channel.send("scale_point", fields, {**self._columns, **arrays})
        if self._odd and not self._has_told_origin and not self._preset:
            self._has_told_origin = True
            told = find_origin_of(call, self._odd)
            laboratory.warn(say("At {sizes}: {told}", sizes=f"{size:,}", told=told))

    def _prepare_forms(self, call: Call, size: int, fields: dict[str, Any]) -> list[Subject]:
        forms = find_forms(call)
        watch = WorkWatch(call, self._source)
        jitted = self._take_in(compile_form(self._laboratory, forms, "jit"), fields)
        told = watch.find_changes(is_traced=True)
        eager = Subject("eager", forms.eager, same_arguments(*forms.eager_arguments))
        compiled = Outcome()
        with observed(compiled):
            self._laboratory.stopwatch.time_call(jitted, compiled.keep)
        calls = EagerCalls(watch, compiled)
        is_measured = self._warm_up_eager(eager, size, calls)
        if is_measured:
            told += calls.find_differences(is_explained=bool(told))
        elif calls.leak is not None:
            told.append(calls.leak)
        if told:  # measured again, a cache that made it so is full
            self._different.setdefault(size, told[0].text())
        if why := self._different.get(size):
            fields["is_judged"] = False
            fields["reason"] = f"{fields.get('reason', '')} {why}".strip()
        return [eager, jitted] if is_measured else [jitted]

    def _prepare_growth(self, call: Call, size: int, fields: dict[str, Any]) -> list[Subject]:
        if self._preset == "batch":
            pair = compile_batch(self._laboratory, call, self._names, size)
        else:
            pair = compile_depth(self._laboratory, call, size)
        fields["first_compile"] = sum(stage.seconds for stage in pair.first.stages)
        first = warm_up(self._laboratory, pair.first.subject, self._budget_s / 4)
        return [first, self._take_in(pair.second, fields)]

    def _take_in(self, compiled: CompiledForm, fields: dict[str, Any]) -> Subject:
        """Note what compiling took and what the program costs; its subject is warm then."""
        fields |= {stage.name: stage.seconds for stage in compiled.stages}
        costs = read_costs(compiled)
        fields |= costs.numbers
        self._columns = costs.columns
        subject = warm_up(self._laboratory, compiled.subject, self._budget_s / 4)
        with subject.context():
            args, kwargs = subject.prepare()
            odd = count_odd(subject.function(*args, **kwargs))
        fields["is_judged"] = not (odd or compiled.is_empty)
        if odd:
            self._odd = odd
            fields["reason"] = say("The results have {odd}: no verdict.", odd=str(odd))
        return subject

    def _warm_up_eager(self, eager: Subject, size: int, calls: EagerCalls) -> bool:
        """Whether the eager form can be measured at this size within reason."""
        if self._skip_eager:
            return False
        stopwatch = self._laboratory.stopwatch
        try:
            time_call = functools.partial(stopwatch.time_call, eager)
            second = first = calls.make_first(time_call)[1]  # compiles each primitive
            if calls.leak is not None:
                return False
            if first < 60 * self._budget_s:
                second = min(first, calls.make_second(time_call)[1])
        except SubjectFailed as error:
            self._laboratory.warn(
                say("eager at {size:,}: {why}", size=size, why=self._laboratory.describe(error))
            )
            return False
        if second > _SLOWEST_EAGER * self._budget_s:
            self._skip_eager = True
            self._laboratory.warn(
                say(
                    "From {size:,} on, eager is left out: a call took {seconds:.3g} s.",
                    size=size,
                    seconds=second,
                )
            )
            return False
        try:
            warm_up(self._laboratory, eager, self._budget_s / 4)
        except SubjectFailed as error:
            self._laboratory.warn(
                say(
                    "eager at {size:,} failed at call {number} and is left out: {why}",
                    size=size,
                    number=error.call_number,
                    why=self._laboratory.describe(error),
                )
            )
            return False
        return True

    def _measure_steady(self, subjects: list[Subject], fields: dict[str, Any]) -> dict[str, Any]:
        rounds, failure = measure_together(self._laboratory, subjects, self._budget_s)
        if failure is not None:
            fields["reason"] = self._laboratory.describe(failure)
        arrays = {}
        for subject, recording in zip(subjects, rounds.sides, strict=True):
            arrays[f"{subject.name}.seconds"] = np.asarray(recording.total_s, np.float64)
            if recording.num_compilations:
                fields["reason"] = say(
                    "{name} compiled again while it was measured.", name=subject.name
                )
        if len(subjects) == 2:
            arrays["log_ratios"] = np.asarray(rounds.log_values, np.float64)
        return arrays


def _read_place(word: str) -> tuple[str, int]:
    name, _, dimension = word.strip().rpartition(":")
    if not name or not dimension.isdigit():
        raise _wrong(
            say("{word} names no dimension of an argument.", word=repr(word)),
            say("Such as x:0, or params['w']:1."),
        )
    return name, int(dimension)


def _wrong(what: str, remedy: str) -> CallError:
    return CallError(what, remedy=remedy, kind="NoDimension")
