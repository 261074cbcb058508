"""Answer an `agree` request: how far eager, jitted and double-precision results differ, in units of
the last place, and where.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.values import aval_text, is_plain_array
from jaxscope.worker.provenance.tagging import nested_jaxprs
from jaxscope.worker.provenance.traced_program import TracedProgram, find_inputs, trace_call
from jaxscope.worker.stages.loading import load_call
from jaxscope.worker.stages.nonfinite import describe_nonfinite
from jaxscope.worker.timing.experiment import (
    Laboratory,
    compile_form,
    open_laboratory,
    refuse_absent_target,
)
from jaxscope.worker.timing.forms import Forms, find_forms
from jaxscope.worker.timing.numeric_divergence import send_numeric_divergence

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


def _look_for_divergence(
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
            "The call draws random numbers; in double precision these are other numbers."
        )
    if inputs is None or len(inner.eqns) > _MAX_EQUATIONS:
        laboratory.warn("Its equations could not be compared one by one.")
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
