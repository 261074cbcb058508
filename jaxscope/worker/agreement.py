"""Answer an `agree` request: do eager, jitted and double-precision results agree, and where not?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.worker import compat
from jaxscope.worker.call import Call
from jaxscope.worker.channel import Channel
from jaxscope.worker.equation_timing import find_inputs
from jaxscope.worker.explain import guard
from jaxscope.worker.loading import load_call
from jaxscope.worker.measuring import (
    Laboratory,
    compile_form,
    open_laboratory,
    refuse_absent_target,
)
from jaxscope.worker.nonfinite import describe_nonfinite
from jaxscope.worker.origin import send_origin
from jaxscope.worker.program import TracedProgram, trace_call
from jaxscope.worker.subjects import Forms, find_forms
from jaxscope.worker.tagging import nested_jaxprs
from jaxscope.worker.ulps import compare_arrays

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
        channel.progress("eager", "Running equation by equation")
        with guard("run", {snapshot.path}):
            eager = forms.eager(*forms.eager_arguments[0], **forms.eager_arguments[1])
        jitted = _try(laboratory, "jit", lambda: _run_jitted(laboratory, forms))
        channel.progress("double", "Running in double precision")
        double = _try(laboratory, "double precision", lambda: _run_double(forms))
        for first, second, one, other in (
            ("eager", "jit", eager, jitted),
            ("eager", "float64", eager, double),
            ("jit", "float64", jitted, double),
        ):
            send_results(channel, first, second, one, other)
        channel.progress("equations", "Comparing equation by equation")
        program = _try(laboratory, "tracing", lambda: trace_call(call))
        if program is not None:
            _tell_nonfinite(laboratory, program, call, eager)
            _try(
                laboratory,
                "comparing equations",
                lambda: _compare_equations(laboratory, program, call),
            )
            _look_for_origin(laboratory, program, call, eager, jitted)


def _tell_nonfinite(laboratory: Laboratory, program: TracedProgram, call: Call, eager: Any) -> None:
    """Say at once that results are not finite: two that are NaN agree in nothing that helps."""
    leaves = [leaf for leaf in jax.tree.leaves(eager) if hasattr(leaf, "dtype")]
    found = describe_nonfinite(leaves, program, find_inputs(program, call))
    if found is not None:
        laboratory.warn(found.text)


def send_results(channel: Channel, first: str, second: str, one: Any, other: Any) -> None:
    """Send how far two results differ; None stands for one that could not be had."""
    leaves, reason = [], ""
    if one is None or other is None:
        reason = f"{first if one is None else second} could not be run."
    else:
        try:
            leaves = compare_results(one, other)
        except (ValueError, TypeError) as error:
            reason = f"They do not have the same form: {str(error)[:300]}."
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
        laboratory.warn(f"{what} failed: {laboratory.describe(error)}")
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


def _look_for_origin(
    laboratory: Laboratory, program: TracedProgram, call: Call, eager: Any, jitted: Any
) -> None:
    """Where eager and jit differ, find out where that comes from."""
    reason = ""
    if jitted is None:
        reason = "jit could not be run."
    elif find_difference(jax.tree.leaves(eager), jax.tree.leaves(jitted)) is None:
        reason = "Eager and jit agree bit by bit."
    if reason:
        laboratory.channel.send("origin_missing", {"reason": reason})
        return
    laboratory.channel.progress("origin", "Looking for where the difference arises")
    send_origin(laboratory, program, call, find_difference)


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
            "The call draws random numbers; in double precision these are other numbers."
        )
    if inputs is None or len(inner.eqns) > _MAX_EQUATIONS:
        laboratory.warn("Its equations could not be compared one by one.")
        return

    def all_results(*values: Any) -> list[list[Any]]:
        return _evaluate(inner, compat.consts_of(jaxpr), values)

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
            frame = next(iter(compat.user_frames(equation.source_info)), None)
            place = f"{frame[0]}:{frame[1]}" if frame is not None else ""
            found.append(
                {
                    "id": str(number),
                    "operation": equation.primitive.name,
                    "place": place,
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


def _evaluate(inner: Any, consts: Sequence[Any], inputs: Sequence[Any]) -> list[list[Any]]:
    """The results of every top-level equation; what no message can compare becomes empty."""
    environment: dict[Any, Any] = dict(zip(inner.constvars, consts, strict=False))
    environment.update(zip(inner.invars, inputs, strict=True))
    results = []
    for equation in inner.eqns:
        values = [
            atom.val if compat.is_literal(atom) else environment[atom] for atom in equation.invars
        ]
        outputs = compat.bind_equation(equation, values)
        environment.update(zip(equation.outvars, outputs, strict=True))
        results.append([output for output in outputs if _is_plain(output)])
    return results


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


def _is_plain(value: Any) -> bool:
    dtype = getattr(value, "dtype", None)
    return dtype is not None and not jnp.issubdtype(dtype, jax.dtypes.extended)


def plain(leaf: Any) -> Any:
    """Keys of random numbers are compared as the integers that they are."""
    dtype = getattr(leaf, "dtype", None)
    if dtype is not None and jnp.issubdtype(dtype, jax.dtypes.prng_key):
        return jax.random.key_data(leaf)
    return leaf
