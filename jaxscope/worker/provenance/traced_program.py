"""Turn a call into a traced program whose equations carry tags, and differentiate it where its
gradient is wanted.

Where the call applies transforms, a stand-in takes the place of the base function, runs it as the
transform would, and tags what it does. So nothing here needs to know the transforms, and the
program stays the one that JAX makes alone. `find_inputs` gives the values of the inputs of the last
jaxpr-level stage to those who run its equations one by one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import operator
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import Direction, Graph, NodeKind
from jaxscope.model.op_name import BASE_TAG, DERIVED_TAG
from jaxscope.model.said import say, say_joined
from jaxscope.model.stages import GRADIENT_OF, OWN_SUM
from jaxscope.worker import compat
from jaxscope.worker.compat_recorder import BatchAxes, recording_batch_axes
from jaxscope.worker.host.arguments import (
    Arguments,
    is_traceable,
    keep_arrays,
    leaf_path,
    named_like,
    parameter_names,
)
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.user_arguments import find_user_arguments, find_user_results
from jaxscope.worker.host.values import is_float, value_text
from jaxscope.worker.provenance.following_axes import follow_axes
from jaxscope.worker.provenance.stand_in import (
    BaseRecorder,
    InnerStages,
    StageJaxpr,
    find_nested_jaxprs,
    tag_shown,
)
from jaxscope.worker.provenance.tagging import Tagger

T = TypeVar("T")

_LARGEST_KEPT_SHARE = 0.1
"""Of the seconds of a trace: how much may come from a trace that JAX had kept."""

_jit = jax.jit  # files replace it by what does nothing, to run without


@dataclass(frozen=True, eq=False)
class TracedProgram:
    """A traced call.

    Attributes:
        traced: The `jax.stages.Traced` of the whole call, with base tags.
        base: The base function's jaxpr.
        transformed: One stage for each applied transform; the last is the whole program.
        base_ids: Equation ids by number of the base tags.
        static: Path and text of each argument leaf that is not traced.
        messages: What the reader should know of how it was traced.
        is_linked_by_place: Whether equations of the transformed stages are linked to those of the
            base by their places in the source, because the base could not be tagged.
        num_jits: Of how many calls of a jitted function, one in the other, the program consists:
            the body of the innermost is shown.
        user_paths: For a function that a library jitted, the paths in its user's arguments, by
            those that JAX knows.
    """

    traced: Any
    base: StageJaxpr
    transformed: tuple[StageJaxpr, ...]
    base_ids: tuple[str, ...]
    static: tuple[tuple[str, str], ...]
    messages: tuple[str, ...]
    num_jits: int = 0
    is_linked_by_place: bool = False
    batch_axes: BatchAxes = dataclasses.field(default_factory=BatchAxes)
    user_paths: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def derived(self) -> StageJaxpr:
        """The last jaxpr-level stage of the call: what is lowered."""
        return self.transformed[-1] if self.transformed else self.base

    def tag_derived(self) -> tuple[Any, StageJaxpr, tuple[str, ...]]:
        """Tag the equations of the last jaxpr-level stage.

        Returns:
            The `jax.stages.Traced` to lower, the stage with tags, and the equation ids by number.
        """
        tagger = Tagger(DERIVED_TAG)
        whole = compat.traced_jaxpr(self.traced)
        tagged, shown = tag_shown(tagger, whole, self.num_jits)
        stage = dataclasses.replace(self.derived, jaxpr=shown)
        return compat.retrace_with(self.traced, tagged), stage, tuple(tagger.ids)


_STAGE = "jaxscope_stage"


def find_failed_stage(error: BaseException | None) -> str:
    """The stage of a transform that an error kept from being traced; empty where it is of none."""
    return str(getattr(error, _STAGE, ""))


_OF_TRACING = re.compile(r"[Tt]racer|traced array")


def trace_call(call: Call) -> TracedProgram:
    """Trace a call once, tagged, as `jit` traces it where `jax_disable_jit` is off.

    Python scalars are traced as `jit` would; if that raises, they are taken as static.

    Raises:
        Exception: Whatever the user's code or JAX raises.
    """
    with jax.disable_jit(False):
        return _trace_call(call)


def _trace_call(call: Call) -> TracedProgram:
    program, message = with_arguments(call, lambda arguments: _trace(call, arguments))
    messages = (*program.messages, *filter(None, (message,)))
    return _name_as_users_do(dataclasses.replace(program, messages=messages), call)


def _name_as_users_do(program: TracedProgram, call: Call) -> TracedProgram:
    """The program with the user's names of arguments and results, where a library jitted it."""
    users = None if call.levels else find_user_arguments(call.base, call.args, call.kwargs)
    if users is None:
        return program
    base = program.base
    paths = tuple(users.paths.get(path, path) for path in base.argument_paths)
    returned = find_user_results(call.base, call.args, getattr(program.traced, "out_info", None))
    if returned is None or len(returned) != len(base.result_paths):
        returned = base.result_paths
    static = tuple((path, value_text(value)) for path, value in users.static)
    return dataclasses.replace(
        program,
        base=dataclasses.replace(base, argument_paths=paths, result_paths=returned),
        static=program.static if users.function is None else static,
        user_paths=users.paths,
    )


def with_arguments(call: Call, trace: Callable[[Arguments], T]) -> tuple[T, str]:
    """Trace with Python scalars traced as `jit` would; if that raises, with them as static.

    Returns:
        What was traced, and what the reader should know of the arguments, or an empty text.

    Raises:
        Exception: Whatever the user's code or JAX raises.
    """
    arguments = Arguments(call)
    if not arguments.has_scalars:
        return trace(arguments), ""
    try:
        return trace(arguments), ""
    except Exception as first:
        fixed = Arguments(call, scalars_are_static=True)
        try:
            found = trace(fixed)
        except Exception as second:
            # What was typed is at fault, not that a number of it was traced.
            speaks_of_us = _OF_TRACING.search(str(first)) and not _OF_TRACING.search(str(second))
            raise (second if speaks_of_us else first) from None
        _, known = compat.read_pmap(call.base)  # what is static there anyway
        parameters = parameter_names(call.base, call.args)
        stated = {parameters[place] for place in known if place < len(parameters)}
        names = ", ".join(path for path, _ in fixed.static if path not in stated)
        if not names:
            return found, ""
        why = f"because tracing them raised {type(first).__name__}"
        return found, say("Taken as static, {why}: {names}.", why=why, names=names)


def jit_plainly(call: Call, arguments: Arguments) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """The call as one jitted function that nobody follows, with the arguments to give it."""
    function = call.compose(call.base)
    if compat.is_jitted(function):
        return function, call.args, call.kwargs
    plain = _giving_arrays(_hashable(arguments.unboxing(function)), [])
    return (_jit(plain), *arguments.boxed())


def count_jits(call: Call) -> int:
    """Of how many calls of a jitted function, one in the other, the program of a call consists,
    besides what traces it; of a call with transforms none is taken apart.
    """
    if any(level.name != "jit" for level in call.levels):
        return 0
    return max(len(call.levels) - 1 + int(compat.is_jitted(call.base)), 0)


def _trace(call: Call, arguments: Arguments) -> TracedProgram:
    if all(level.name == "jit" for level in call.levels):
        return _trace_untransformed(call, arguments)
    kept = _KeptTraces(call)
    with contextlib.ExitStack() as stack:
        batch_axes, lost = BatchAxes(), ""
        if any(level.name == "vmap" for level in call.levels):
            try:
                batch_axes = stack.enter_context(recording_batch_axes())
            except AttributeError as error:
                lost = compat.tell_missing(error)
                if not lost:
                    raise
                lost = f"Which axes vmap added is not known. {lost}"
        recorder = BaseRecorder(call.base, None if lost else batch_axes)
        inner = InnerStages(call)
        function = call.compose(recorder.stand_in(), inner.observe)
        try:
            traced, seconds, messages = _trace_function(function, call, arguments)
        except Exception as error:
            if recorder.stage is not None:  # so it is not the base function that failed
                error.__dict__[_STAGE] = inner.next_name()
            raise
    messages = (*messages, *filter(None, (lost,)))
    shared = recorder.share_tagged(compat.traced_jaxpr(traced))
    if shared is not compat.traced_jaxpr(traced):
        traced = compat.retrace_with(traced, shared)
    names, results = compat.debug_paths(traced)
    static = arguments.static_besides(names) if compat.is_jitted(function) else arguments.static
    last = StageJaxpr(inner.last_name, compat.traced_jaxpr(traced), names, results, seconds)
    if not recorder.was_called:
        raise ValueError(f"{call.text} never calls {call.base_text}.")
    base = recorder.stage or dataclasses.replace(last, name="jaxpr")
    if recorder.why_not is not None:
        messages = (*messages, _tell_unfollowed(call, recorder))
    base, *stages = map(kept.judge, (base, *inner.stages(), last))
    follow_axes((stage.jaxpr for stage in stages), batch_axes)
    return TracedProgram(
        traced=traced,
        base=base,
        transformed=tuple(stages),
        base_ids=tuple(recorder.ids),
        static=static,
        messages=messages,
        is_linked_by_place=recorder.why_not is not None,
        batch_axes=batch_axes,
    )


def _tell_unfollowed(call: Call, recorder: BaseRecorder) -> str:
    """What is missing where the base function could not be followed under the transforms."""
    error = recorder.why_not
    why = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    if error is not None and (missing := compat.tell_missing(error)):
        why = missing.rstrip(".")
    text: str = say(
        "What {base_text} does could not be followed under {transforms} ({why}). The "
        "program is the one that JAX runs; its equations are linked to those of "
        "{base_text} by their places in the source alone.",
        base_text=call.base_text,
        transforms=", ".join(call.transforms),
        why=why,
    )
    if recorder.stage is None:
        alone = say(
            "{base_text} cannot be traced on its own: the whole call stands in its place.",
            base_text=call.base_text,
        )
        text = say_joined((text, alone))
    return text


def _trace_untransformed(call: Call, arguments: Arguments) -> TracedProgram:
    """Trace a call whose base is the whole program: its own jaxpr is tagged, nothing replaced."""
    function, kept = call.compose(call.base), _KeptTraces(call)
    traced, seconds, messages = _trace_function(function, call, arguments)
    tagger = Tagger(BASE_TAG)
    num_jits = count_jits(call)  # tracing what the outermost jit made leaves that one out
    tagged, shown = tag_shown(tagger, compat.traced_jaxpr(traced), num_jits)
    names, results = compat.debug_paths(traced)
    base = kept.judge(StageJaxpr("jaxpr", shown, names, results, seconds))
    static = arguments.static_besides(names) if compat.is_jitted(function) else arguments.static
    tagged_trace = compat.retrace_with(traced, tagged)
    return TracedProgram(tagged_trace, base, (), tuple(tagger.ids), static, messages, num_jits)


class _KeptTraces:
    """Tells whether the time of a trace is that of all of it.

    JAX keeps the trace of a jitted function for arguments of the same types: where the file has
    called it, tracing the call takes a moment and says nothing about the function. A kept trace
    of a function that was jitted within another one is not noticed: JAX tells of none.
    """

    def __init__(self, call: Call) -> None:
        times = compat.trace_times()
        self._name = getattr(call.base, "__name__", "")
        self._count, self._seconds, self._total = (
            times.count,
            dict(times.seconds),
            dict(times.total),
        )

    def judge(self, stage: StageJaxpr) -> StageJaxpr:
        """A stage of the trace since then, marked as fetched where JAX had kept much of it."""
        times = compat.trace_times()
        bound = _LARGEST_KEPT_SHARE * stage.seconds
        # What was traced anew has taken about as long again.
        kept = {
            name: seconds - (times.total[name] - self._total[name])
            for name, seconds in self._seconds.items()
        }
        is_whole = times.count > self._count
        if is_whole and sum(seconds for seconds in kept.values() if seconds > 0.0) > bound:
            names = {self._name} | _names_of_jits(stage.jaxpr)
            is_whole = sum(max(kept.get(name, 0.0), 0.0) for name in names) <= bound
        return dataclasses.replace(stage, is_fetched=not is_whole)


def _names_of_jits(jaxpr: Any) -> set[str]:
    """Of the jitted functions that a jaxpr calls."""
    equations = [
        equation
        for each in (jaxpr, *find_nested_jaxprs(jaxpr))
        for equation in compat.open_jaxpr(each).eqns
    ]
    return {str(equation.params.get("name")) for equation in equations}


def _trace_function(
    function: Any, call: Call, arguments: Arguments
) -> tuple[Any, float, tuple[str, ...]]:
    """The trace, its seconds, and what the reader should know of it."""
    _refuse_coroutine(call.base)
    start = time.perf_counter()
    left_out: list[str] = []
    if compat.is_jitted(function):
        traced = compat.trace_jitted(function, call.args, call.kwargs)
    else:
        args, kwargs = arguments.boxed()
        plain = _hashable(arguments.unboxing(function))
        donated, _ = compat.read_pmap(function)
        settings: dict[str, Any] = {"donate_argnums": donated} if donated else {}
        try:
            traced = _jit(plain, **settings).trace(*args, **kwargs)
        except TypeError as error:
            if "not a valid JAX type" not in str(error):
                raise
            traced = None
        if traced is None:
            start = time.perf_counter()
            traced = _jit(_giving_arrays(plain, left_out), **settings).trace(*args, **kwargs)
    seconds = time.perf_counter() - start
    names = ", ".join(dict.fromkeys(left_out))
    message = say(
        "Left out of the results, because JAX cannot trace what is no array: {names}.", names=names
    )
    return traced, seconds, (message,) if left_out else ()


def _refuse_coroutine(function: Any) -> None:
    """As JAX does, but without a coroutine, of which Python would warn that nobody awaited it."""
    function = inspect.unwrap(function)
    if inspect.iscoroutinefunction(function):
        code = function.__code__
        raise TypeError(
            f"function {function.__name__} at {code.co_filename}:{code.co_firstlineno} traced for "
            "jit returned a value of type <class 'coroutine'>, which is not a valid JAX type"
        )


def _giving_arrays(function: Callable[..., Any], left_out: list[str]) -> Callable[..., Any]:
    def filtered(*args: Any, **kwargs: Any) -> Any:
        return keep_arrays(function(*args, **kwargs), left_out)

    return named_like(function, filtered)


def _hashable(function: Callable[..., Any]) -> Callable[..., Any]:
    """`jit` looks functions up by hash; callable objects that hold arrays often have none."""
    try:
        hash(function)
    except TypeError:
        return named_like(function, lambda *args, **kwargs: function(*args, **kwargs))
    return function


# The gradient of the base function, shown where a call applies no transform of its own.


class NoGradient(Exception):
    """There is nothing to differentiate; the text says why."""


_ASK = say("--gradient asks for it, in the window a click on “its gradient”.")
_MAX_EQUATIONS = 5000
_MAX_TRACE_S = 5.0


def find_own_derivative(graph: Graph) -> int | None:
    """An equation of a derivative that a program computes itself, if possible a backward one."""
    nodes = graph.nodes
    is_equation = nodes.kind == NodeKind.EQUATION
    own = np.flatnonzero(is_equation & (nodes.direction == Direction.BACKWARD))
    if not len(own):
        own = np.flatnonzero(is_equation & (nodes.direction != Direction.NONE))
    return int(own[0]) if len(own) else None


def why_not_unasked(graph: Graph, trace_seconds: float) -> str:
    """Why a program's gradient is made only for those who ask for it; empty if it is made.

    Args:
        graph: Of the program's jaxpr.
        trace_seconds: What tracing the program took: differentiating takes a few times that.
    """
    own = find_own_derivative(graph)
    if own is not None:
        place = graph.place(own)
        told = say(
            "The program holds its own derivative: equation {id} ({operation}{where}) is part of "
            "one. The derivative of all of it is not made.",
            id=graph.id(own),
            operation=graph.operation(own),
            where=f", {place.short}" if place else "",
        )
        return say_joined((told, _ASK))
    count = int((graph.nodes.kind == NodeKind.EQUATION).sum())
    if count > _MAX_EQUATIONS or trace_seconds > _MAX_TRACE_S:
        told = say(
            "Making it would take long: the program has {count:,} equations, and tracing them took "
            "{seconds:.1f} s.",
            count=count,
            seconds=trace_seconds,
        )
        return say_joined((told, _ASK))
    return ""


def trace_gradient(base: StageJaxpr) -> tuple[StageJaxpr, bool]:
    """Differentiate a tagged jaxpr with respect to every float input.

    Outputs that are not one float scalar are summed, those that are no floats left out.

    Returns:
        The stage `gradient`, and whether outputs were summed.

    Raises:
        NoGradient: No input, or no output, is a float.
        Exception: Whatever JAX raises, such as for a reversed `while_loop`.
    """
    inner = compat.open_jaxpr(base.jaxpr)
    inputs = [variable.aval for variable in inner.invars]
    wanted = [i for i, aval in enumerate(inputs) if is_float(aval)]
    floats = [i for i, atom in enumerate(inner.outvars) if is_float(atom.aval)]
    if not wanted:
        raise NoGradient(say("None of its arguments is a float."))
    if not floats:
        raise NoGradient(say("None of its results is a float."))
    is_scalar = len(floats) == 1 and not inner.outvars[floats[0]].aval.shape

    def scalar(*values: Any) -> Any:
        outputs = compat.evaluate_jaxpr(base.jaxpr, values)
        if is_scalar:
            return outputs[floats[0]]
        with jax.named_scope(OWN_SUM):
            arrays = [jnp.asarray(outputs[i]) for i in floats]  # a number that it returns is none
            sums = [jnp.sum(array.astype(_sum_dtype(array))) for array in arrays]
            return functools.reduce(operator.add, sums)

    names = base.argument_paths
    start = time.perf_counter()
    jaxpr = jax.make_jaxpr(jax.grad(scalar, argnums=tuple(wanted)))(
        *(_like(aval) for aval in inputs)
    )
    seconds = time.perf_counter() - start
    paths = tuple(f"{GRADIENT_OF}{names[i]}" if i < len(names) else f"gradient {i}" for i in wanted)
    return StageJaxpr("gradient", jaxpr, names, paths, seconds), not is_scalar


def _like(aval: Any) -> Any:
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype)  # type: ignore[no-untyped-call] # JAX's


def _sum_dtype(value: Any) -> Any:
    """Small floats are summed in float32: outputs of different types must add up."""
    return jnp.promote_types(value.dtype, jnp.float32)


def find_inputs(program: TracedProgram, call: Call) -> list[Any] | None:
    """Values of the inputs of the last jaxpr-level stage; None where they are not known."""
    inputs = compat.open_jaxpr(program.derived.jaxpr).invars
    hoisted = list(compat.traced_consts(program.traced))
    for leaves in (_boxed_leaves(call), _named_leaves(program, call)):
        for values in (leaves, [*hoisted, *leaves]):
            if len(values) == len(inputs) and all(map(_fits, inputs, values)):
                return values
    return None


def _boxed_leaves(call: Call) -> list[Any]:
    args, kwargs = Arguments(call).boxed()
    return [leaf for leaf in jax.tree.leaves((args, kwargs)) if is_traceable(leaf)]


def _named_leaves(program: TracedProgram, call: Call) -> list[Any]:
    """The leaves that the program itself names as its inputs."""
    names = parameter_names(call.base, call.args)
    wanted = set(program.derived.argument_paths)
    pairs = jax.tree_util.tree_flatten_with_path((call.args, call.kwargs))[0]
    named = ((leaf_path(path, names), leaf) for path, leaf in pairs)
    return [leaf for path, leaf in named if program.user_paths.get(path, path) in wanted]


def _fits(variable: Any, value: Any) -> bool:
    return tuple(getattr(variable.aval, "shape", ())) == tuple(np.shape(value))
