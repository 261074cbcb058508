"""Answer a `remat` request: what each policy of `jax.checkpoint` would do to a gradient.

The base function is put inside `jax.checkpoint` with each policy in turn, in memory. Every one is
traced, lowered and compiled for real; nothing runs.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from typing import Any

import jax

from jaxscope.errors import CallError
from jaxscope.model.experiments import AS_WRITTEN, POLICIES
from jaxscope.model.graph import Graph, graph_to_arrays
from jaxscope.model.op_name import TagTable
from jaxscope.model.outline import DERIVATIVES
from jaxscope.model.said import say
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import explain_exception, guard
from jaxscope.worker.host.arguments import is_traceable
from jaxscope.worker.host.call import Call
from jaxscope.worker.provenance.stand_in import StageJaxpr
from jaxscope.worker.provenance.traced_program import (
    NoGradient,
    find_own_derivative,
    trace_call,
    trace_gradient,
)
from jaxscope.worker.stages.background import Background
from jaxscope.worker.stages.call_loader import load_call
from jaxscope.worker.stages.compilation import describe_memory
from jaxscope.worker.stages.hlo_cost import array_of_module, instruction_costs
from jaxscope.worker.stages.jaxpr import convert_jaxpr
from jaxscope.worker.targets.environment import describe_environment

_COST_BUDGET_S = 2.0
_DIFFERENTIATING = DERIVATIVES - {"jvp"}
_MAX_NAMES = 32
_MAX_DEPTH = 50

Policy = Callable[..., Any]


def handle_remat(request: dict[str, Any], channel: Channel) -> None:
    """Compile the gradient of a call's base function with every policy, and send what is known.

    Raises:
        JaxscopeError: The file or the call is wrong, or there is nothing to differentiate.
    """
    snapshot, call = load_call(request, channel)
    channel.send("timed", {"call": call.text, "environment": describe_environment()})
    is_gradient = bool(_DIFFERENTIATING & {*call.transforms})
    with guard("trace", {snapshot.path}):
        program = _Program(call, is_gradient)
        plain = program.trace()
    channel.send("remat_subject", {"text": program.describe()})
    for name, policy in (("", None), *_policies(plain.jaxpr)):
        shown = name or AS_WRITTEN
        channel.progress("remat", say("Compiling the gradient, {shown}", shown=shown))
        try:
            fields, arrays = program.compile(policy)
        except Exception as error:  # a policy that fails costs itself
            _, explanation = explain_exception(error, {snapshot.path}, stage="compile")
            why = explanation.why.partition("\n")[0] or explanation.what
            fields, arrays = {"reason": say("It cannot be compiled: {why}", why=why[:2000])}, {}
        channel.send("remat_policy", {"policy": shown, **fields}, arrays)


def _policies(jaxpr: Any) -> Iterator[tuple[str, Policy]]:
    """Policies by name: those without arguments, and one that saves what the program names."""
    for name in POLICIES:
        yield name, getattr(jax.checkpoint_policies, name)
    names = sorted(_names_in(jaxpr, set(), 0))[:_MAX_NAMES]
    if names:
        policy = jax.checkpoint_policies.save_only_these_names(*names)
        yield f"save_only_these_names({', '.join(names)})", policy


def _names_in(jaxpr: Any, seen: set[int], depth: int) -> set[str]:
    """What the program gave names to with `checkpoint_name`."""
    found: set[str] = set()
    if id(jaxpr) in seen or depth > _MAX_DEPTH:
        return found
    seen.add(id(jaxpr))
    for equation in compat.open_jaxpr(jaxpr).eqns:
        if equation.primitive.name == "name":
            found.add(str(equation.params.get("name")))
        for value in equation.params.values():
            for inner in value if isinstance(value, tuple | list) else (value,):
                if compat.is_jaxpr(inner):
                    found |= _names_in(inner, seen, depth + 1)
    return found


class _Program:
    """The gradient of one call: the call itself where it differentiates."""

    def __init__(self, call: Call, is_gradient: bool) -> None:
        self._call, self._is_gradient = call, is_gradient

    def describe(self) -> str:
        """Which gradient it is."""
        if self._is_gradient:
            return say(
                "{call}, with {function} inside jax.checkpoint",
                call=self._call.text,
                function=self._call.base_text,
            )
        return say(
            "the gradient of {function} with respect to every float argument, with {function} "
            "inside jax.checkpoint",
            function=self._call.base_text,
        )

    def trace(self) -> StageJaxpr:
        """The gradient as a jaxpr.

        Raises:
            CallError: There is nothing to differentiate.
            Exception: Whatever tracing raises.
        """
        return self._trace(None)[0]

    def compile(self, policy: Policy | None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fields and arrays of a message `remat_policy`.

        Raises:
            Exception: Whatever JAX or XLA raises.
        """
        start = time.perf_counter()
        stage, lower = self._trace(policy)
        lowered = lower()
        with compat.without_persistent_cache():
            compiled = Background(lowered.compile).result()
        seconds = time.perf_counter() - start
        proto = compat.optimized_module_of(compiled).as_serialized_hlo_module_proto()
        graph = _convert(stage)
        costs = instruction_costs(proto, client=compat.cpu_client(), budget_s=_COST_BUDGET_S)
        memory = describe_memory(compiled, lowered)
        fields = {"seconds": seconds, "temporary_bytes": memory["temporary_bytes"]}
        module = {"proto": array_of_module(proto), "instruction_cost": costs}
        return fields, {**graph_to_arrays(graph), **module}

    def _trace(self, policy: Policy | None) -> tuple[StageJaxpr, Callable[[], Any]]:
        """The gradient's jaxpr, and what lowers it."""
        call = self._call
        if policy is not None:
            call = dataclasses.replace(call, base=with_remat(call.base, policy))
        program = trace_call(call)
        if self._is_gradient:
            return program.derived, program.traced.lower
        if find_own_derivative(_convert(program.base)) is not None:
            raise CallError(
                say("The program holds its own derivative: its gradient is a second derivative."),
                remedy=say(
                    "Type the call of the gradient, such as grad(loss)(…): a policy goes around "
                    "the function that is differentiated."
                ),
            )
        try:
            stage, _ = trace_gradient(program.base)
        except NoGradient as error:
            raise CallError(
                say("There is no gradient to compare remat policies for."),
                why=str(error),
                remedy=say("Type a call of a function of floats, such as grad(loss)(…)."),
            ) from None
        inputs = compat.open_jaxpr(stage.jaxpr).invars
        arguments = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in inputs]  # type: ignore[no-untyped-call] # JAX's

        def gradient(*leaves: Any) -> list[Any]:
            return compat.evaluate_jaxpr(stage.jaxpr, leaves)

        return stage, lambda: jax.jit(gradient).lower(*arguments)


def _convert(stage: StageJaxpr) -> Graph:
    return convert_jaxpr(
        stage.jaxpr,
        tags=TagTable(),
        is_base=False,
        is_derived=False,
        argument_paths=stage.argument_paths,
        result_paths=stage.result_paths,
    ).graph


def with_remat(base: Callable[..., Any], policy: Any) -> Callable[..., Any]:
    """The function, rematerialized; what is no array passes around `jax.checkpoint`."""

    def rematerialized(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))
        places = [i for i, leaf in enumerate(leaves) if is_traceable(leaf, scalars=False)]

        def inner(arrays: list[Any]) -> Any:
            merged = list(leaves)
            for place, array in zip(places, arrays, strict=True):
                merged[place] = array
            args, kwargs = jax.tree.unflatten(tree, merged)
            return base(*args, **kwargs)

        return jax.checkpoint(inner, policy=policy)([leaves[place] for place in places])

    return rematerialized
