"""Turn a call into a traced program whose equations carry tags, and keep what was seen on the way.

Where the call applies transforms, the base function is replaced by a stand-in that traces it at
the types with which the transforms really call it, tags the equations and evaluates them. So the
stand-in needs to know nothing about the transforms around it.
"""

from __future__ import annotations

import dataclasses
import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from jaxscope.model.op_name import BASE_TAG, DERIVED_TAG
from jaxscope.worker import compat
from jaxscope.worker.call import Call
from jaxscope.worker.tagging import Tagger
from jaxscope.worker.values import value_text

_SCALARS = (bool, int, float, complex)


@dataclasses.dataclass(frozen=True, eq=False)
class StageJaxpr:
    """One jaxpr-level stage.

    Attributes:
        name: As in the contract.
        jaxpr: Closed, tagged.
        argument_paths: Of its inputs.
        result_paths: Of its outputs.
        seconds: Wall seconds that tracing took.
    """

    name: str
    jaxpr: Any
    argument_paths: tuple[str, ...]
    result_paths: tuple[str, ...]
    seconds: float


@dataclasses.dataclass(frozen=True, eq=False)
class TracedProgram:
    """A traced call.

    Attributes:
        traced: The `jax.stages.Traced` of the whole call, with base tags.
        base: The base function's jaxpr.
        transformed: One stage for each applied transform; the last is the whole program.
        base_ids: Equation ids by number of the base tags.
        static: Path and text of each argument leaf that is not traced.
        messages: What the reader should know of how it was traced.
        is_body: The base was jitted already and the program only calls it: its body is shown.
    """

    traced: Any
    base: StageJaxpr
    transformed: tuple[StageJaxpr, ...]
    base_ids: tuple[str, ...]
    static: tuple[tuple[str, str], ...]
    messages: tuple[str, ...]
    is_body: bool = False

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
        tagged, shown = _tag_shown(tagger, whole, self.is_body)
        stage = dataclasses.replace(self.derived, jaxpr=shown)
        return compat.retrace_with(self.traced, tagged), stage, tuple(tagger.ids)


def trace_call(call: Call) -> TracedProgram:
    """Trace a call once, tagged.

    Python scalars are traced as `jit` would; if that raises, they are taken as static.

    Raises:
        Exception: Whatever the user's code or JAX raises.
    """
    arguments = _Arguments(call)
    if not arguments.has_scalars:
        return _trace(call, arguments)
    try:
        return _trace(call, arguments)
    except Exception as first:
        fixed = _Arguments(call, scalars_are_static=True)
        try:
            program = _trace(call, fixed)
        except Exception:
            raise first from None
        names = ", ".join(path for path, _ in fixed.static)
        message = f"Taken as static, because tracing them raised {type(first).__name__}: {names}."
        return dataclasses.replace(program, messages=(*program.messages, message))


def _trace(call: Call, arguments: _Arguments) -> TracedProgram:
    if all(level.name == "jit" for level in call.levels):
        return _trace_untransformed(call, arguments)
    recorder = BaseRecorder(call.base)
    inner = _InnerStages(call)
    function = call.compose(recorder.stand_in(), inner.observe)
    traced, seconds = _trace_function(function, call, arguments)
    names, results = compat.debug_paths(traced)
    last = StageJaxpr(inner.last_name, compat.traced_jaxpr(traced), names, results, seconds)
    if recorder.stage is None:
        raise ValueError(f"{call.text} never calls {call.base_text}.")
    return TracedProgram(
        traced=traced,
        base=recorder.stage,
        transformed=(*inner.stages(), last),
        base_ids=tuple(recorder.tagger.ids),
        static=arguments.static,
        messages=(),
    )


def _trace_untransformed(call: Call, arguments: _Arguments) -> TracedProgram:
    """Trace a call whose base is the whole program: its own jaxpr is tagged, nothing replaced."""
    traced, seconds = _trace_function(call.compose(call.base), call, arguments)
    tagger = Tagger(BASE_TAG)
    is_body = bool(call.levels) and compat.is_jitted(call.base)
    tagged, shown = _tag_shown(tagger, compat.traced_jaxpr(traced), is_body)
    names, results = compat.debug_paths(traced)
    base = StageJaxpr("jaxpr", shown, names, results, seconds)
    tagged_trace = compat.retrace_with(traced, tagged)
    return TracedProgram(tagged_trace, base, (), tuple(tagger.ids), arguments.static, (), is_body)


def _trace_function(
    function: Callable[..., Any], call: Call, arguments: _Arguments
) -> tuple[Any, float]:
    start = time.perf_counter()
    if compat.is_jitted(function):
        traced = function.trace(*call.args, **call.kwargs)  # type: ignore[attr-defined]
    else:
        args, kwargs = arguments.boxed()
        traced = jax.jit(_hashable(arguments.unboxing(function))).trace(*args, **kwargs)
    return traced, time.perf_counter() - start


def _hashable(function: Callable[..., Any]) -> Callable[..., Any]:
    """`jit` looks functions up by hash; callable objects that hold arrays often have none."""
    try:
        hash(function)
    except TypeError:
        return named_like(function, lambda *args, **kwargs: function(*args, **kwargs))
    return function


def is_traceable(leaf: Any, *, scalars: bool = True) -> bool:
    """Whether `jit` would trace a leaf: arrays, and Python scalars where wanted."""
    if isinstance(leaf, _SCALARS) and not isinstance(leaf, np.generic):
        return scalars
    return isinstance(leaf, jax.Array | np.ndarray | np.generic | jax.ShapeDtypeStruct) or hasattr(
        leaf, "__jax_array__"
    )


@jax.tree_util.register_pytree_node_class
class StaticBox:
    """A leaf that is not traced, in the shape of a pytree without leaves."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def tree_flatten(self) -> tuple[tuple[()], StaticBox]:
        return (), self

    @classmethod
    def tree_unflatten(cls, box: StaticBox, _children: Sequence[Any]) -> StaticBox:
        return box


class _Arguments:
    """The arguments of a call, those that JAX cannot trace set apart."""

    def __init__(self, call: Call, *, scalars_are_static: bool = False) -> None:
        self._call = call
        self._scalars = not scalars_are_static
        pairs = jax.tree_util.tree_flatten_with_path((call.args, call.kwargs))[0]
        leaves = [leaf for _, leaf in pairs]
        self.has_scalars = any(
            isinstance(leaf, _SCALARS) and not isinstance(leaf, np.generic) for leaf in leaves
        )
        names = parameter_names(call.base, call.args)
        self.static = tuple(
            (leaf_path(path, names), value_text(leaf))
            for path, leaf in pairs
            if not is_traceable(leaf, scalars=self._scalars)
        )

    def boxed(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        if not self.static:
            return self._call.args, self._call.kwargs

        def box(leaf: Any) -> Any:
            return leaf if is_traceable(leaf, scalars=self._scalars) else StaticBox(leaf)

        boxed: tuple[tuple[Any, ...], dict[str, Any]] = jax.tree.map(
            box, (self._call.args, self._call.kwargs)
        )
        return boxed

    def unboxing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not self.static:
            return function

        def unbox(leaf: Any) -> Any:
            return leaf.value if isinstance(leaf, StaticBox) else leaf

        def unboxed(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = jax.tree.map(
                unbox, (args, kwargs), is_leaf=lambda leaf: isinstance(leaf, StaticBox)
            )
            return function(*args, **kwargs)

        return named_like(function, unboxed)


class BaseRecorder:
    """Stands in for the base function: traces, tags and evaluates it.

    Attributes:
        stage: The base function's jaxpr as first seen, or None before it was called.
        tagger: Numbered the equations.
    """

    def __init__(self, base: Callable[..., Any]) -> None:
        self._base = base
        self.stage: StageJaxpr | None = None
        self.tagger = Tagger(BASE_TAG)

    def stand_in(self) -> Callable[..., Any]:
        """The function to put in place of the base."""

        def stand_in(*args: Any, **kwargs: Any) -> Any:
            return self._call(args, kwargs)

        return named_like(self._base, stand_in)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        here = trace_here(self._base, args, kwargs)
        tagged, shown = self._tag(here.jaxpr)
        if self.stage is None:
            self.stage = here.stage("jaxpr", shown)
        return jax.tree.unflatten(
            here.result_tree, compat.evaluate_jaxpr(tagged, here.traced_leaves)
        )

    def _tag(self, jaxpr: Any) -> tuple[Any, Any]:
        """The tagged jaxpr to evaluate, and the one to show: an already jitted base's body."""
        if self.stage is not None:
            # A transform that calls the function again repeats its equations. They are numbered
            # like the first ones, so that a tag means the same equation in every repetition.
            again = Tagger(BASE_TAG)
            tagged, shown = _tag_shown(again, jaxpr, compat.is_jitted(self._base))
            if again.ids == self.tagger.ids:
                return tagged, shown
            return jaxpr, shown
        return _tag_shown(self.tagger, jaxpr, compat.is_jitted(self._base))


def _tag_shown(tagger: Tagger, jaxpr: Any, is_jitted: bool) -> tuple[Any, Any]:
    """Tag a jaxpr; returns the whole, and what to show: of an already jitted function its body."""
    parameter = jitted_body(jaxpr) if is_jitted else None
    if parameter is None:
        tagged = tagger.tag(jaxpr)
        return tagged, tagged
    tagged = tagger.tag_nested_only(jaxpr, parameter)
    return tagged, compat.open_jaxpr(tagged).eqns[0].params[parameter]


def jitted_body(jaxpr: Any) -> str | None:
    """The parameter with the program, if the jaxpr is one call of a jitted function and no more."""
    inner = compat.open_jaxpr(jaxpr)
    if len(inner.eqns) != 1 or inner.constvars:
        return None
    (equation,) = inner.eqns
    is_plain = (
        equation.primitive.name in {"jit", "pjit"}
        and list(map(id, equation.invars)) == list(map(id, inner.invars))
        and list(map(id, equation.outvars)) == list(map(id, inner.outvars))
    )
    return "jaxpr" if is_plain else None


class _InnerStages:
    """Traces the functions between the base and the outermost transform, where they are called."""

    def __init__(self, call: Call) -> None:
        named = [level.name for level in call.levels if level.name != "jit"]
        self._names: list[str] = []
        for name in named:
            self._names.append(f"{name}({self._names[-1]})" if self._names else name)
        self._next = 0
        self._recorded: dict[str, StageJaxpr] = {}

    @property
    def last_name(self) -> str:
        return self._names[-1]

    def stages(self) -> tuple[StageJaxpr, ...]:
        return tuple(self._recorded[name] for name in self._names[:-1] if name in self._recorded)

    def observe(self, level: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap the function that a transform made, to trace it at its first call."""
        if level == "jit":
            return function
        name = self._names[self._next]
        self._next += 1
        if name == self.last_name:
            return function

        def observed(*args: Any, **kwargs: Any) -> Any:
            if name not in self._recorded:
                here = trace_here(function, args, kwargs)
                self._recorded[name] = here.stage(name, here.jaxpr)
            return function(*args, **kwargs)

        return named_like(function, observed)


@dataclasses.dataclass(frozen=True, eq=False)
class LocalTrace:
    """A function traced where a transform calls it, at the types it is called with.

    Attributes:
        jaxpr: Closed.
        traced_leaves: The tracers among the arguments, in order: the jaxpr's inputs.
        argument_paths: One for each input.
        result_paths: One for each output.
        result_tree: Structure of the results.
        seconds: Wall seconds of tracing.
    """

    jaxpr: Any
    traced_leaves: tuple[Any, ...]
    argument_paths: tuple[str, ...]
    result_paths: tuple[str, ...]
    result_tree: Any
    seconds: float

    def stage(self, name: str, jaxpr: Any) -> StageJaxpr:
        """The stage that shows a (tagged) form of this jaxpr."""
        return StageJaxpr(name, jaxpr, self.argument_paths, self.result_paths, self.seconds)


def trace_here(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> LocalTrace:
    """Trace a function under whatever transforms are active; what is no tracer stays as it is."""
    pairs, tree = jax.tree_util.tree_flatten_with_path((args, kwargs))
    leaves = [leaf for _, leaf in pairs]
    dynamic = [i for i, leaf in enumerate(leaves) if isinstance(leaf, compat.Tracer)]

    def of_dynamic(*values: Any) -> Any:
        merged = list(leaves)
        for index, value in zip(dynamic, values, strict=True):
            merged[index] = value
        inner_args, inner_kwargs = jax.tree.unflatten(tree, merged)
        return function(*inner_args, **inner_kwargs)

    named_like(function, of_dynamic, keep_signature=False)
    start = time.perf_counter()
    jaxpr, shape = jax.make_jaxpr(of_dynamic, return_shape=True)(*(leaves[i] for i in dynamic))
    seconds = time.perf_counter() - start
    names = parameter_names(function, args)
    results = jax.tree_util.tree_flatten_with_path(shape)[0]
    return LocalTrace(
        jaxpr=jaxpr,
        traced_leaves=tuple(leaves[i] for i in dynamic),
        argument_paths=tuple(leaf_path(pairs[i][0], names) for i in dynamic),
        result_paths=tuple(f"result{jax.tree_util.keystr(path)}" for path, _ in results),
        result_tree=jax.tree.structure(shape),
        seconds=seconds,
    )


def named_like(
    original: Any, function: Callable[..., Any], *, keep_signature: bool = True
) -> Callable[..., Any]:
    """Give a stand-in the name, and so the parameter names, of what it stands for."""
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        value = getattr(original, attribute, None)
        if isinstance(value, str):
            setattr(function, attribute, value)
    if keep_signature:
        function.__wrapped__ = original  # type: ignore[attr-defined]
    return function


def parameter_names(function: Any, args: Sequence[Any]) -> list[str]:
    """A name for each positional argument: the parameter's, or `args[2]`."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names: list[str] = []
    for index in range(len(args)):
        if index < len(parameters) and parameters[index].kind in (
            inspect.Parameter.POSITIONAL_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
        ):
            names.append(parameters[index].name)
        else:
            variadic = next(
                (p for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), None
            )
            if variadic is None:
                names.append(f"args[{index}]")
            else:
                names.append(f"{variadic.name}[{index - parameters.index(variadic)}]")
    return names


def leaf_path(path: Sequence[Any], names: Sequence[str]) -> str:
    """Text of a key path into `(args, kwargs)`: `params['w']`, `x`."""
    which, position = path[0], path[1]
    rest = jax.tree_util.keystr(tuple(path[2:]))
    if getattr(which, "idx", 0) == 0:
        return f"{names[position.idx]}{rest}"
    return f"{position.key}{rest}"
