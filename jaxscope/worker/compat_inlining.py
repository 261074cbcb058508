"""What JAX inlines and folds while it traces, and how to keep it whole: its private names for that.

Checked on the releases 0.8.0, 0.10.2 and 0.12.0.1.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import jax._src.core as _core
from jax._src import linear_util as _linear_util
from jax._src import pjit as _pjit
from jax._src import source_info_util as _source_info
from jax._src.interpreters import partial_eval as _partial_eval
from jax._src.named_sharding import UnspecifiedValue as _UnspecifiedValue

from jaxscope.worker import compat


def inlines_at_once() -> bool:
    """Whether calls that JAX inlines would be here: where a jaxpr is made, not transformed."""
    return isinstance(_core.trace_ctx.trace, _partial_eval.DynamicJaxprTrace)


@contextlib.contextmanager
def whole_calls(*, keeps_constants: bool) -> Iterator[None]:
    """Inside a function that is being traced: what JAX would inline or fold stays an equation.

    Most functions of `jax.numpy` are jitted with `inline=True`. JAX differentiates and batches
    each of them once, and inlines the result at every call. A constant that is converted is a
    value of the trace around the transforms, which may make it a residual: folded here already,
    it would come to them as a mere number.

    Args:
        keeps_constants: Whether to keep such conversions: each is one more equation to transform,
            and only where residuals are results of the program does it matter.
    """
    rules, own = _partial_eval.custom_staging_rules, _core.trace_ctx.trace
    inlining = rules[_pjit.jit_p]

    def keep(trace: Any, source_info: Any, *args: Any, **params: Any) -> Any:
        if trace is own and is_inlined(params):
            return trace.default_process_primitive(
                _pjit.jit_p, args, params, source_info=source_info
            )
        return inlining(trace, source_info, *args, **params)

    folding = _partial_eval.const_fold_rules
    staged = [primitive for primitive in folding if keeps_constants and primitive not in rules]
    rules[_pjit.jit_p] = keep
    rules.update({primitive: _unfolded(primitive, own) for primitive in staged})
    try:
        with contextlib.ExitStack() as stack:
            if keeps_constants:
                stack.enter_context(_staged_values(own))
                stack.enter_context(_whole_rules(own))
            yield
    finally:
        rules[_pjit.jit_p] = inlining
        for primitive in staged:
            del rules[primitive]


def _unfolded(primitive: Any, own: Any) -> Any:
    """A staging rule for a primitive that JAX folds, under which one trace does not."""
    tables: tuple[dict[Any, Any], ...] = (
        _partial_eval.const_fold_rules,
        _partial_eval.forwarding_rules,
    )

    def stage(trace: Any, source_info: Any, *args: Any, **params: Any) -> Any:
        is_kept = trace is own and all(compat.is_literal(tracer.val) for tracer in args)
        taken = [(t, t.pop(primitive)) for t in tables if is_kept and primitive in t]
        try:
            return trace.default_process_primitive(primitive, args, params, source_info=source_info)
        finally:
            for table, rule in taken:
                table[primitive] = rule

    return stage


@contextlib.contextmanager
def _staged_values(own: Any) -> Iterator[None]:
    """Let a trace keep the numbers brought into it as conversions to the type that they have.

    0.8 has no such numbers. The primitive for them, `stage`, cannot be in an equation in 0.12.
    """
    kind: Any = _partial_eval.DynamicJaxprTrace
    if not hasattr(kind, "stage_value"):
        yield
        return
    convert, plain = _unfolded(jax.lax.convert_element_type_p, own), kind.stage_value

    def stage_value(trace: Any, value: Any) -> Any:
        if trace is not own or isinstance(value, compat.Tracer):
            return plain(trace, value)
        source_info = _source_info.current()
        tracer = trace.to_jaxpr_tracer(value, source_info=source_info)
        type_ = {"new_dtype": tracer.aval.dtype, "weak_type": tracer.aval.weak_type}
        return convert(trace, source_info, tracer, **type_, sharding=None)

    kind.stage_value = stage_value
    try:
        yield
    finally:
        kind.stage_value = plain


@contextlib.contextmanager
def _whole_rules(own: Any) -> Iterator[None]:
    """Let the rules of `custom_jvp` be traced whole as well, when a transform asks for them.

    JAX makes a jaxpr of a rule for the equation to carry, where a constant would be a mere number.
    """
    kind: Any = _partial_eval.DynamicJaxprTrace
    plain = kind.process_custom_jvp_call

    def process(trace: Any, primitive: Any, function: Any, rule: Any, *rest: Any, **kw: Any) -> Any:
        whole = _traced_whole(rule) if trace is own else rule
        return plain(trace, primitive, function, whole, *rest, **kw)

    kind.process_custom_jvp_call = process
    try:
        yield
    finally:
        kind.process_custom_jvp_call = plain


@_linear_util.transformation2  # type: ignore[untyped-decorator] # JAX has no types for it
def _traced_whole(rule: Any, *args: Any, **kwargs: Any) -> Any:
    with whole_calls(keeps_constants=True):
        return rule(*args, **kwargs)


def is_folded(equation: Any) -> bool:
    """Whether JAX may fold an equation into a constant when it is evaluated in a trace."""
    return equation.primitive in _partial_eval.const_fold_rules and all(
        map(compat.is_literal, equation.invars)
    )


def is_inlined(params: dict[str, Any]) -> bool:
    """Whether JAX inlines a `jit` equation with these parameters, which has nothing of its own.

    `inline` is a flag up to 0.11, and an enumeration from 0.12 on.
    """
    inline = params["inline"]
    early = inline is True or getattr(inline, "name", "") == "JAX_EARLY"
    placed = (*params["in_shardings"], *params["out_shardings"])
    laid_out = (*params["in_layouts"], *params["out_layouts"])
    return (
        early
        and not params["compiler_options_kvs"]
        and all(isinstance(sharding, _UnspecifiedValue) for sharding in placed)
        and all(layout is None for layout in laid_out)
        and not compat.consts_of(params["jaxpr"])
        and not compat.open_jaxpr(params["jaxpr"]).effects
    )
