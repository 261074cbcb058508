"""Follow a function while a transform runs it: the operations that it asks for, one by one.

Private names of JAX for that, checked on the releases 0.8.0, 0.10.2 and 0.12.0.1 unless a function
says otherwise.

A `jax.grad` or `jax.vmap` runs the function under a trace of its own. While `record` runs it, a
`Recorder` stands before that trace. It hands every operation on, with a tag in its name stack, so
the program that JAX makes is the one that it makes without a recorder. It also hands every
operation to a second trace, which makes the jaxpr of the function itself.
"""

from __future__ import annotations

import contextlib
import functools
import types
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import jax

from jaxscope.late_dataclass import dataclass
from jaxscope.model.types import VmapAxes
from jaxscope.worker import compat
from jaxscope.worker.compat import private_module

_core = private_module("jax._src.core")
_config = private_module("jax._src.config")
_linear_util = private_module("jax._src.linear_util")
_source_info = private_module("jax._src.source_info_util")
_util = private_module("jax._src.util")
_batching = private_module("jax._src.interpreters.batching")
_partial_eval = private_module("jax._src.interpreters.partial_eval")


_AS_IT_IS = contextlib.nullcontext()


class BatchAxes:
    """Axes of the variables of a program that the `vmap`s of a call added.

    JAX says them of what it batches as a whole; what follows from that is added. A `vmap` inside of
    the function is none of the call's.
    """

    def __init__(self) -> None:
        # Everything is kept alive: ids of freed objects are used again.
        self._found: dict[int, tuple[Any, list[tuple[Any, int]]]] = {}
        self._followed: dict[int, tuple[Any, frozenset[tuple[int, int]]]] = {}
        self._wanted: list[Any] = []

    def note(self, axis_data: Any, value: Any, axis: Any) -> None:
        """JAX batches a value along an axis."""
        if type(axis) is not int:
            return
        while not isinstance(value, _partial_eval.DynamicJaxprTracer):
            if isinstance(value, _batching.BatchTracer):  # a `vmap` around this one
                if type(value.batch_dim) is int:
                    axis += axis >= value.batch_dim
                value = value.val
            elif isinstance(getattr(value, "primal", None), compat.Tracer):
                value = value.primal
            else:
                return
        variable = getattr(value, "val", None)
        if variable is not None and not compat.is_literal(variable):
            entry = self._found.setdefault(id(variable), (variable, []))
            entry[1].append((axis_data, axis))

    def note_repeated(self, given: Sequence[Any], result: Any) -> None:
        """JAX repeats a result that no batched value went into along an axis of a `vmap`.

        Args:
            given: What `matchaxis` was given: the axis or, up to JAX 0.9.0 at least, its name, its
                size and that of a mesh; then where it is in the value, and where it is wanted.
            result: What it gave.
        """
        axes = [given[0]]
        if not isinstance(given[0], _batching.AxisData):
            axes = [each for each in self._wanted if (each.name, each.size) == given[:2]]
            given = given[2:]
        source, axis = given[1:3]
        if source is None and type(axis) is int and len(axes) == 1:  # of two alike it is unknown
            self.note(axes[0], result, axis % max(len(getattr(result, "shape", ())), 1))

    def note_call(self) -> None:
        """The function of the call begins: what batches now are the `vmap`s of the call."""
        trace = _core.trace_ctx.trace if not self._wanted else None
        while trace is not None:
            if isinstance(trace, _batching.BatchTrace):
                self._wanted.append(trace.axis_data)
            is_recorder = isinstance(trace, Recorder)
            trace = trace._own if is_recorder else getattr(trace, "parent_trace", None)

    @property
    def has_any(self) -> bool:
        """Whether a `vmap` of the call batched something."""
        return bool(self._wanted)

    def said_of(self, variable: Any) -> frozenset[tuple[int, int]]:
        """What JAX said of a variable: pairs of a `vmap` of the call, by number, and its axis."""
        _, said = self._found.get(id(variable), (None, ()))
        shape = getattr(variable.aval, "shape", ())
        return frozenset(
            (number, axis)
            for data, axis in said
            for number, each in enumerate(self._wanted)
            if data is each and axis < len(shape) and shape[axis] == data.size
        )

    def add(self, variable: Any, marks: frozenset[tuple[int, int]]) -> None:
        """All that is known of a variable; it takes the place of what JAX said."""
        self._followed[id(variable)] = (variable, marks)

    def axes_of(self, variable: Any) -> VmapAxes:
        """Of a variable its axis for each `vmap` from the outermost; None where it has none or it
        is not known, and empty where that is so of all.
        """
        if not self._wanted:
            return ()
        _, marks = self._followed.get(id(variable), (None, None))
        known = dict[int, set[int]]()
        for number, axis in self.said_of(variable) if marks is None else marks:
            known.setdefault(number, set()).add(axis)
        found = [known.get(number, ()) for number in reversed(range(len(self._wanted)))]
        axes = tuple(min(each) if len(each) == 1 else None for each in found)
        return axes if any(axis is not None for axis in axes) else ()


@contextlib.contextmanager
def recording_batch_axes() -> Iterator[BatchAxes]:
    """Note what `vmap` batches while a call is traced."""
    # A name that is missing is missed here, not in the middle of what JAX does.
    _ = _batching.BatchTrace, _batching.AxisData, _partial_eval.DynamicJaxprTracer, _core.trace_ctx
    found = BatchAxes()
    original = _batching.BatchTracer.__init__
    matching = getattr(_batching, "matchaxis", None)

    @functools.wraps(original)
    def noted(tracer: Any, trace: Any, val: Any, batch_dim: Any, *more: Any, **named: Any) -> None:
        original(tracer, trace, val, batch_dim, *more, **named)
        found.note(trace.axis_data, val, batch_dim)

    def matched(*given: Any, **options: Any) -> Any:
        assert matching is not None
        result = matching(*given, **options)
        found.note_repeated(given, result)
        return result

    changed: Any = _batching.BatchTracer
    changed.__init__ = noted
    if matching is not None:
        _batching.matchaxis = functools.wraps(matching)(matched)
    try:
        yield found
    finally:
        changed.__init__ = original
        if matching is not None:
            _batching.matchaxis = matching


class Marker(Protocol):
    """Numbers operations, and tags the jaxprs that they hold."""

    def mark(self, name: str, parameters: dict[str, Any]) -> tuple[compat.Tag, dict[str, Any]]:
        """The tag of the next operation, and its parameters with tagged jaxprs."""

    def inside(self, tag: compat.Tag) -> Callable[[bool], Marker]:
        """Makes the marker for each run of a function that the operation with this tag holds.

        It takes whether it is the rule of a custom derivative that runs the function.
        """


class _Repeated(NamedTuple):
    """A function that an operation holds, and what marks each run of it."""

    function: Any
    marker: Callable[[bool], Marker]


@dataclass(frozen=True, eq=False)
class FollowedFunction:
    """What a function did.

    Attributes:
        result: What it returned to the transform.
        jaxpr: Of the function itself, closed; None where it could not be followed.
        why_not: The error that kept it from being followed.
    """

    result: Any
    jaxpr: Any
    why_not: Exception | None = None


def record(
    function: Callable[[], Any],
    inputs: Sequence[Any],
    marker: Marker | None,
    dress: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> FollowedFunction:
    """Run a function under the trace that is active, and follow it.

    Args:
        function: Closes over its arguments.
        inputs: The tracers among these, in the order in which the jaxpr is to take them.
        marker: Tags the operations, where wanted.
        dress: Gives what is traced the name of the function; JAX says it in its errors.
    """
    own = _core.trace_ctx.trace
    around = _source_info._source_info_context.context.name_stack
    returned: list[Any] = []
    recorders: list[Recorder] = []

    def follow(*shadows: Any) -> list[Any]:
        recorder = Recorder(own, _core.trace_ctx.trace, marker, len(around.stack))
        recorders.append(recorder)
        for value, shadow in zip(inputs, shadows, strict=True):
            recorder.pair(value, shadow)
        try:
            with _source_info.set_name_stack(around), _core.set_current_trace(recorder):
                returned.append(function())
            return recorder.shadows_of(jax.tree.leaves(returned[0]))
        finally:
            recorder.close()

    jaxpr, why_not = None, None
    try:
        jaxpr = jax.make_jaxpr(dress(follow))(*inputs)
    except Exception as error:
        if not returned:
            raise
        why_not = error
    if recorders[0].why_not is not None:
        jaxpr, why_not = None, recorders[0].why_not
    elif jaxpr is not None and any(
        isinstance(constant, compat.Tracer) for constant in compat.consts_of(jaxpr)
    ):
        jaxpr, why_not = None, RuntimeError("It uses a value that could not be followed.")
    return FollowedFunction(returned.pop(), jaxpr, why_not)


class Recorder(getattr(_core, "Trace", object)):  # type: ignore[misc] # JAX's
    """Hands operations on to the trace of a transform, and to one that makes a jaxpr of them.

    The tracers are those of the transform. JAX looks constants up by identity when it brings them
    into a jaxpr; there the second trace finds its own tracer for each of the transform's.

    While the rule of a custom derivative runs, only the function that has the rule is tagged: most
    rules call it for the value, and its operations are those of the call that has the rule.

    Attributes:
        why_not: The error that ended the following; the transform's own work goes on.
    """

    def __init__(
        self,
        own: Any,
        shadow: Any,
        marker: Marker | None,
        depth: int,
        repeated: _Repeated | None = None,
    ) -> None:
        super().__init__()
        self.requires_low = own.requires_low
        self._own, self._shadow, self._marker, self._depth = own, shadow, marker, depth
        self._repeated = repeated
        self._pairs: dict[int, tuple[Any, Any]] = {}
        self.why_not: Exception | None = None

    def pair(self, value: Any, shadow: Any) -> None:
        """Let a tracer of the second trace stand for a value of the first."""
        if not isinstance(value, (compat.Tracer, jax.Array)):  # a union is made anew
            return
        if not isinstance(shadow, compat.Tracer):
            shadow = self._shadow.to_jaxpr_tracer(shadow, _source_info.current())
        key, known = id(value), self._shadow.frame.constid_to_tracer

        def forget(_: Any) -> None:  # ids of freed objects are used again
            self._pairs.pop(key, None)
            known.pop(key, None)

        # JAX orders what a derivative keeps by which tracers were alive when it was asked for.
        self._pairs[key] = (weakref.ref(value, forget), shadow)
        known[key] = shadow
        # `stop_gradient` takes the value out of the tracer of a forward derivative by itself.
        primal = getattr(value, "primal", None)
        if primal is not None and id(primal) not in self._pairs:
            self.pair(primal, shadow)

    def shadows_of(self, leaves: Sequence[Any]) -> list[Any]:
        """What stands for the leaves of the function's result, those left out that are no value."""
        if self.why_not is not None:
            return []
        found = [self._pairs[id(leaf)][1] if id(leaf) in self._pairs else leaf for leaf in leaves]
        return [leaf for leaf in found if _is_value(leaf)]

    def close(self) -> None:
        """Release all values: JAX drops equations from a jaxpr whose results are not referenced."""
        self._pairs.clear()

    def _hand_on(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tag = None
        if method.startswith("process_"):
            if self._repeated is not None:
                args, kwargs = self._mark_repeated(args, kwargs)
            elif self._marker is not None:
                tag, args, kwargs = self._mark(args, kwargs)
        if self.why_not is None and self._shadow is not None:
            shadows = self._follow(method, args, kwargs, tag)
        with _extended(tag):
            own = getattr(self._own, method)(*args, **kwargs)
        if self.why_not is None and self._shadow is not None:
            try:
                for value, shadow in zip(_listed(own), _listed(shadows), strict=True):
                    self.pair(value, shadow)
            except Exception as error:
                self.why_not = error
        return own

    def _follow(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any], tag: Any) -> Any:
        functions = [arg for arg in (*args, *_subfunctions(args)) if _is_function(arg)]
        stack = _source_info._source_info_context.context.name_stack
        inner = _source_info.set_name_stack(stack[self._depth :])
        try:
            with inner, _extended(tag):
                return getattr(self._shadow, method)(*args, **kwargs)
        except Exception as error:
            self.why_not = error
        finally:
            # What a function leaves behind for its caller is left by the transform's own run.
            for function in functions:
                for store in getattr(function, "stores", ()):
                    if store is not None:
                        store.reset()
        return None

    def _mark(self, args: Any, kwargs: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
        """The tag of an operation, and its arguments with tags inside."""
        assert self._marker is not None
        places = [index for index, arg in enumerate(args) if type(arg) is dict]
        parameters = args[places[-1]] if places else kwargs
        tag, marked = self._marker.mark(args[0].name, parameters)
        marker = self._marker.inside(tag)
        if "subfuns" in marked:
            marked = {**marked, "subfuns": _marked_functions(marked["subfuns"], marker)}
            taken = list(args)
        else:
            taken = _marked_functions(args, marker)
        if places:
            taken[places[-1]] = marked
            return tag, tuple(taken), kwargs
        return tag, tuple(taken), marked

    def _mark_repeated(self, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The arguments of an operation of a rule, tagged inside where it calls its function."""
        assert self._repeated is not None
        function, marker = self._repeated

        def marked(values: Any) -> list[Any]:
            first = next((value for value in values if _is_function(value)), None)
            is_repeated = first is not None and _inner(first) is function
            return _marked_functions(values, marker, True) if is_repeated else list(values)

        def changed(parameters: dict[str, Any]) -> dict[str, Any]:
            if "subfuns" not in parameters:
                return parameters
            return {**parameters, "subfuns": tuple(marked(parameters["subfuns"]))}

        taken = [changed(arg) if type(arg) is dict else arg for arg in marked(args)]
        return tuple(taken), changed(kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("process_"):
            return lambda *args, **kwargs: self._hand_on(name, args, kwargs)
        return getattr(self._own, name)

    def stage_value(self, value: Any) -> Any:
        return self._hand_on("stage_value", (value,), {})

    def cur_qdd(self, value: Any) -> Any:
        return self._own.cur_qdd(value)

    def process_primitive(self, *args: Any, **kwargs: Any) -> Any:
        return self._hand_on("process_primitive", args, kwargs)

    def process_call(self, *args: Any, **kwargs: Any) -> Any:
        return self._hand_on("process_call", args, kwargs)

    def process_map(self, *args: Any, **kwargs: Any) -> Any:
        return self._hand_on("process_map", args, kwargs)

    def process_custom_jvp_call(self, *args: Any, **kwargs: Any) -> Any:
        return self._hand_on("process_custom_jvp_call", args, kwargs)

    def process_custom_vjp_call(self, *args: Any, **kwargs: Any) -> Any:
        return self._hand_on("process_custom_vjp_call", args, kwargs)

    def process_custom_transpose(self, *args: Any, **kwargs: Any) -> Any:
        return self._hand_on("process_custom_transpose", args, kwargs)


def _with_recorder(function: Any, marker: Any, by_rule: bool, *args: Any, **kwargs: Any) -> Any:
    """Tag what a function does that an operation holds: `jax.custom_jvp`'s, `jax.pmap`'s."""
    own = _core.trace_ctx.trace
    recorder = Recorder(own, None, marker(by_rule), 0)
    with _core.set_current_trace(recorder):
        return function(*args, **kwargs)


def with_rules(parameters: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """An equation's parameters, the jaxprs that its custom derivatives come to changed.

    JAX makes them when it differentiates the equation, and they are changed then. What a
    `jax.custom_vjp` does backward is no jaxpr, and stays as it is.
    """
    rules = {name: parameters.get(name) for name in ("jvp_jaxpr_fun", "fwd_jaxpr_thunk")}
    wrapped = {n: r for n, r in rules.items() if isinstance(r, _linear_util.WrappedFun)}
    changed = {name: _changed(rule, change) for name, rule in wrapped.items()}
    return {**parameters, **changed} if changed else parameters


def _changed(rule: Any, change: Callable[[Any], Any]) -> Any:
    @functools.wraps(rule.f)
    def changed(*args: Any) -> Any:
        jaxpr, *others = rule.call_wrapped(*args)
        return (change(jaxpr), *others)

    return _linear_util.wrap_init(changed, debug_info=rule.debug_info)


def _with_repeated(rule: Any, repeated: _Repeated, *args: Any, **kwargs: Any) -> Any:
    """Tag the function of a `jax.custom_jvp` or `jax.custom_vjp` where its rule calls it."""
    recorder = Recorder(_core.trace_ctx.trace, None, None, 0, repeated)
    with _core.set_current_trace(recorder):
        return rule(*args, **kwargs)


def _marked_functions(
    values: Sequence[Any], marker: Callable[[bool], Marker], by_rule: bool = False
) -> list[Any]:
    """The functions that an operation holds, tagged: its own, and where its rule calls that."""
    marked = list(values)
    places = [index for index, value in enumerate(values) if _is_function(value)]
    for place in places[:1]:
        marked[place] = _around(_with_recorder, values[place], marker, by_rule)
    for place in places[1:2]:  # a third one, the backward rule, is a parameter of the program
        repeated = _Repeated(_inner(values[places[0]]), marker)
        marked[place] = _around(_with_repeated, values[place], repeated)
    return marked


def _around(run: Callable[..., Any], function: Any, *options: Any) -> Any:
    """A function that an operation holds, with `run` around it."""
    if isinstance(function, _linear_util.WrappedFun):
        return _linear_util.transformation2(run)(function, *options)
    return functools.partial(run, function, *options)


def _inner(function: Any) -> Any:
    return function.f if isinstance(function, _linear_util.WrappedFun) else function


def _is_function(value: Any) -> bool:
    """Whether it is a function that an operation holds: JAX wraps most, and none of `shard_map`."""
    return isinstance(value, (_linear_util.WrappedFun, types.FunctionType, functools.partial))


def _subfunctions(args: Sequence[Any]) -> Iterator[Any]:
    for arg in args:
        if type(arg) is dict:
            yield from arg.get("subfuns", ())


def _listed(values: Any) -> Sequence[Any]:
    if hasattr(values, "unflatten"):  # JAX's FlatTree, which shard_map gives
        return list(values)
    return values if isinstance(values, list | tuple) else (values,)


def _is_value(leaf: Any) -> bool:
    try:
        jax.typeof(leaf)
    except TypeError:
        return False
    return True


def _extended(tag: Any) -> contextlib.AbstractContextManager[Any]:
    """Puts a tag innermost in the name stack."""
    if tag is None:
        return _AS_IT_IS
    stack = _source_info._source_info_context.context.name_stack
    put: contextlib.AbstractContextManager[Any] = _source_info.set_name_stack(
        _source_info.NameStack((*stack.stack, tag))
    )
    return put


def is_inlined(params: dict[str, Any]) -> bool:
    """Whether JAX inlines a `jit` equation with these parameters, which has nothing of its own.

    `inline` is a flag up to 0.11, and an enumeration from 0.12 on.
    """
    unspecified = private_module("jax._src.named_sharding").UnspecifiedValue
    inline = params["inline"]
    early = inline is True or getattr(inline, "name", "") == "JAX_EARLY"
    placed = (*params["in_shardings"], *params["out_shardings"])
    laid_out = (*params["in_layouts"], *params["out_layouts"])
    return (
        early
        and not params["compiler_options_kvs"]
        and all(isinstance(sharding, unspecified) for sharding in placed)
        and all(layout is None for layout in laid_out)
        and not compat.consts_of(params["jaxpr"])
        and not compat.open_jaxpr(params["jaxpr"]).effects
    )


def with_derived(copies: Mapping[int, tuple[Any, Any]]) -> dict[int, tuple[Any, Any]]:
    """Copies of jaxprs, and beside them what transforms made of a jaxpr and of its copy.

    JAX keeps what a transform makes of a jaxpr by its identity. What it made of two with the
    same arguments would be one if the two were. Where a release keeps its caches otherwise, the
    result is what was given. Tried with JAX 0.10.2; of 0.8.0 only the source was read.

    Args:
        copies: Each jaxpr and its copy, by the identity of the first.
    """
    found = {key: pair for key, pair in copies.items() if pair[0] is not pair[1]}
    new = found
    try:
        now = _config.trace_context()
        while new:
            made = list(_find_derived(list(new.values()), now))
            new = {id(one): (one, other) for one, other in made if id(one) not in found}
            found |= new
    except (AttributeError, TypeError, ValueError):  # private parts of JAX, which may change
        pass
    return {**copies, **found}


def _find_derived(pairs: Sequence[tuple[Any, Any]], now: Any) -> Iterator[tuple[Any, Any]]:
    """The jaxprs that one cached transform made of both of a pair.

    Args:
        pairs: Of jaxprs.
        now: The settings that JAX traces with, which a cache may distinguish.
    """
    for cache in getattr(_util, "_caches", ()):
        if not hasattr(cache, "evict_weakref"):
            continue
        known: dict[int, list[Any]] = {}
        for reference, *rest in cache.cache_keys():
            known.setdefault(id(reference()), []).append(rest)
        for one, other in pairs:
            of_other = known.get(id(other), [])
            for rest in known.get(id(one), []) if of_other else ():
                context, args, kwargs = rest
                if rest in of_other and context in (None, now):
                    made = (_find_jaxprs(cache(each, *args, **kwargs)) for each in (one, other))
                    yield from ((a, b) for a, b in zip(*made, strict=False) if a is not b)


def _find_jaxprs(value: Any) -> list[Any]:
    if compat.is_jaxpr(value):
        return [value]
    inside = value if isinstance(value, tuple | list) else ()
    return [jaxpr for each in inside for jaxpr in _find_jaxprs(each)]
