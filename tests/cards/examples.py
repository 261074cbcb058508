"""A use of each primitive that has a card, and nothing of the cards: what they say is held against
what JAX does with these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.ad_util import add_jaxvals_p
from jax._src.lax import lax as lax_internal
from jax._src.lax.linalg import geqrf
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import io_callback, sparse
from jax.extend.random import threefry2x32_p

Example = tuple[Callable[..., Any], tuple[Any, ...]]

_RNG = np.random.default_rng(7)
A, B, C = (_RNG.uniform(0.2, 0.8, (3, 4)).astype(np.float32) for _ in range(3))
"""Inside the domain of every function, and away from its kinks."""
SQUARE = (B @ B.T + np.eye(3)).astype(np.float32)
LOWER = np.tril(SQUARE).astype(np.float32)
INTEGERS, OTHERS = (_RNG.integers(1, 9, (3, 4)).astype(np.int32) for _ in range(2))
FLAGS, MORE_FLAGS = (_RNG.random((3, 4)) < 0.5 for _ in range(2))
COMPLEX = (A + 1j * B).astype(np.complex64)
KEY, KEY_DATA = jax.random.key(0), np.array([1, 2], np.uint32)
SPREAD = np.array([[3.0, -1.0, 2.0, 5.0], [0.5, 7.0, -4.0, 1.0]], np.float32)
IMAGE = _RNG.standard_normal((1, 1, 5, 6)).astype(np.float32)
KERNEL = _RNG.standard_normal((1, 1, 2, 3)).astype(np.float32)
UPDATES = _RNG.standard_normal((2, 4)).astype(np.float32)
PLACES = np.array([[0, 1], [1, 3], [2, 0], [2, 2]], np.int32)
POSITIONS = np.array([[2], [0]], np.int32)


@jax.custom_jvp
def _ruled(x: Any) -> Any:
    return jnp.sin(x)


_ruled.defjvp(lambda primals, tangents: (_ruled(*primals), 3.0 * tangents[0]))


@jax.custom_vjp
def _ruled_backward(x: Any) -> Any:
    return jnp.sin(x)


_ruled_backward.defvjp(lambda x: (jnp.sin(x), x), lambda kept, ct: (5.0 * ct,))

_ROWS = lax.ScatterDimensionNumbers(
    update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,)
)


def _scatter(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, i, u: function(x, i, u, _ROWS, unique_indices=True, mode="promise_in_bounds")


def _gather(x: Any, positions: Any) -> Any:
    numbers = lax.GatherDimensionNumbers(
        offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,)
    )
    return lax.gather(x, positions, numbers, (1, 4), mode="promise_in_bounds")


_SPLIT = jax.P("i")


def _mapped(
    function: Callable[..., Any], *, into: Any = _SPLIT, out: Any = None
) -> Callable[..., Any]:
    """On one device, so that it runs everywhere.

    Args:
        out: None for that of the operand, without a check of what varies.
    """
    return jax.shard_map(
        function,
        mesh=_make_mesh(),
        in_specs=into,
        out_specs=into if out is None else out,
        check_vma=out is not None,
    )


def _make_mesh(kind: Any = jax.sharding.AxisType.Auto) -> Any:
    return jax.make_mesh((1,), ("i",), devices=jax.devices()[:1], axis_types=(kind,))


def _reshard(x: Any) -> Any:
    mesh = _make_mesh(jax.sharding.AxisType.Explicit)
    return jax.sharding.reshard(x, jax.NamedSharding(mesh, jax.P("i")))


def _constrain(x: Any) -> Any:
    return lax.with_sharding_constraint(x, jax.NamedSharding(_make_mesh(), jax.P("i")))


def _solve(a: Any, b: Any) -> Any:
    def solve(_: Any, y: Any) -> Any:
        return jnp.linalg.inv(a) @ y

    return lax.custom_linear_solve(lambda v: a @ v, b, solve, symmetric=True)


def _read(x: Any) -> Any:
    return jax.new_ref(x)[...]


def _add_to(x: Any, y: Any) -> Any:
    place = jax.new_ref(x)
    jax.ref.addupdate(place, (), y)
    return jax.freeze(place)


@jax.custom_batching.custom_vmap
def _batched_by_hand(x: Any) -> Any:
    return jnp.sin(x)


@_batched_by_hand.def_vmap
def _batch(_size: int, is_batched: list[bool], x: Any) -> Any:
    return 3.0 * jnp.sin(x), is_batched[0]


def _multiply_sparse(data: Any, places: Any, y: Any) -> Any:
    return sparse.BCOO((data, places), shape=(3, 4)) @ y


def _make_dense(data: Any, places: Any) -> Any:
    return sparse.BCOO((data, places), shape=(3, 4)).todense()


def _make_sparse(x: Any) -> Any:
    found = sparse.BCOO.fromdense(x, nse=12)
    return found.data, found.indices


def _write(x: Any, y: Any) -> Any:
    return jax.ref.swap(jax.new_ref(x), (), y)


EXAMPLES: dict[str, Example] = {
    "abs": (lax.abs, (A - 0.5,)),
    "acos": (lax.acos, (A,)),
    "acosh": (lax.acosh, (A + 1,)),
    "add": (lax.add, (A, B)),
    "and": (lax.bitwise_and, (INTEGERS, OTHERS)),
    "argmax": (lambda x: lax.argmax(x, 1, np.int32), (SPREAD,)),
    "argmin": (lambda x: lax.argmin(x, 1, np.int32), (SPREAD,)),
    "asin": (lax.asin, (A,)),
    "asinh": (lax.asinh, (A,)),
    "atan": (lax.atan, (A,)),
    "atan2": (lax.atan2, (A, B)),
    "atanh": (lax.atanh, (A,)),
    "bitcast_convert_type": (lambda x: lax.bitcast_convert_type(x, np.int32), (A,)),
    "broadcast_in_dim": (lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (1, 2)), (A,)),
    "cbrt": (lax.cbrt, (A,)),
    "ceil": (lax.ceil, (A * 5,)),
    "cholesky": (lambda x: lax.linalg.cholesky(x, symmetrize_input=False), (SQUARE,)),
    "clamp": (lax.clamp, (np.full_like(A, 0.3), A, np.full_like(A, 0.6))),
    "complex": (lax.complex, (A, B)),
    "concatenate": (lambda x, y: lax.concatenate([x, y], 0), (A, B)),
    "cond": (lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), (np.bool_(True), A)),
    "conj": (lax.conj, (COMPLEX,)),
    "conv_general_dilated": (
        lambda x, y: lax.conv_general_dilated(x, y, (1, 1), "VALID"),
        (IMAGE, KERNEL),
    ),
    "convert_element_type": (lambda x: lax.convert_element_type(x, jnp.float16), (A,)),
    "copy": (lambda x: lax.copy_p.bind(x), (A,)),
    "cos": (lax.cos, (A,)),
    "cosh": (lax.cosh, (A,)),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, 1), (A,)),
    "cummax": (lambda x: lax.cummax(x, 1), (SPREAD,)),
    "cummin": (lambda x: lax.cummin(x, 1), (SPREAD,)),
    "cumprod": (lambda x: lax.cumprod(x, 1), (A,)),
    "cumsum": (lambda x: lax.cumsum(x, 1), (A,)),
    "custom_jvp_call": (_ruled, (A,)),
    "custom_vjp_call": (_ruled_backward, (A,)),
    "digamma": (lax.digamma, (A,)),
    "div": (lax.div, (A, B)),
    "dot_general": (lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ()))), (A, B.T)),
    "dynamic_slice": (
        lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 3)),
        (A, np.int32(1), np.int32(0)),
    ),
    "dynamic_update_slice": (
        lambda x, y, i, j: lax.dynamic_update_slice(x, y, (i, j)),
        (A, B[:2, :3], np.int32(1), np.int32(0)),
    ),
    "eigh": (lambda x: lax.linalg.eigh(x, symmetrize_input=False), (SQUARE,)),
    "eq": (lax.eq, (INTEGERS, OTHERS)),
    "erf": (lax.erf, (A,)),
    "erf_inv": (lax.erf_inv, (A,)),
    "erfc": (lax.erfc, (A,)),
    "exp": (lax.exp, (A,)),
    "exp2": (lax.exp2, (A,)),
    "expm1": (lax.expm1, (A,)),
    "fft": (lambda x: lax.fft(x, "FFT", (4,)), (COMPLEX,)),
    "floor": (lax.floor, (A * 5,)),
    "gather": (_gather, (A, POSITIONS)),
    "ge": (lax.ge, (INTEGERS, OTHERS)),
    "gt": (lax.gt, (INTEGERS, OTHERS)),
    "imag": (lax.imag, (COMPLEX,)),
    "integer_pow": (lambda x: lax.integer_pow(x, 3), (A,)),
    "iota": (lambda: lax.broadcasted_iota(np.int32, (3, 4), 1), ()),
    "is_finite": (lax.is_finite, (np.array([1.0, np.inf, np.nan], np.float32),)),
    "jit": (jax.jit(jnp.sin), (A,)),
    "le": (lax.le, (INTEGERS, OTHERS)),
    "lgamma": (lax.lgamma, (A,)),
    "log": (lax.log, (A,)),
    "log1p": (lax.log1p, (A,)),
    "logistic": (lax.logistic, (A,)),
    "lt": (lax.lt, (INTEGERS, OTHERS)),
    "lu": (lax.linalg.lu, (SQUARE,)),
    "max": (lax.max, (A, B)),
    "min": (lax.min, (A, B)),
    "mul": (lax.mul, (A, B)),
    "ne": (lax.ne, (INTEGERS, OTHERS)),
    "neg": (lax.neg, (A,)),
    "nextafter": (lax.nextafter, (A, B)),
    "not": (lax.bitwise_not, (INTEGERS,)),
    "optimization_barrier": (lax.optimization_barrier, (A,)),
    "or": (lax.bitwise_or, (INTEGERS, OTHERS)),
    "pad": (
        lambda x, y: lax.pad(x, y, ((1, 2, 0), (0, 3, 0))),
        (A, np.float32(0.5)),
    ),
    "population_count": (lax.population_count, (INTEGERS,)),
    "pow": (lax.pow, (A, B)),
    "random_bits": (lambda key: jax.random.bits(key, (4,)), (KEY,)),
    "random_fold_in": (jax.random.fold_in, (KEY, np.int32(3))),
    "random_seed": (jax.random.key, (np.int32(3),)),
    "random_split": (jax.random.split, (KEY,)),
    "random_unwrap": (jax.random.key_data, (KEY,)),
    "random_wrap": (jax.random.wrap_key_data, (KEY_DATA,)),
    "real": (lax.real, (COMPLEX,)),
    "reduce_and": (lambda x: lax.reduce_and(x, (1,)), (FLAGS,)),
    "reduce_max": (lambda x: lax.reduce_max(x, (1,)), (SPREAD,)),
    "reduce_min": (lambda x: lax.reduce_min(x, (1,)), (SPREAD,)),
    "reduce_or": (lambda x: lax.reduce_or(x, (1,)), (FLAGS,)),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 5, 10), (A,)),
    "reduce_prod": (lambda x: lax.reduce_prod(x, (1,)), (A,)),
    "reduce_sum": (lambda x: lax.reduce_sum(x, (1,)), (A,)),
    "rem": (lax.rem, (A * 5, B)),
    "reshape": (lambda x: lax.reshape(x, (2, 6)), (A,)),
    "rev": (lambda x: lax.rev(x, (1,)), (A,)),
    "round": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), (A * 5,)),
    "rsqrt": (lax.rsqrt, (A,)),
    "scan": (lambda x: lax.scan(lambda c, v: (jnp.sin(c), jnp.cos(v)), x[0], x), (A,)),
    "scatter": (_scatter(lax.scatter), (A, POSITIONS, UPDATES)),
    "scatter-add": (_scatter(lax.scatter_add), (A, POSITIONS, UPDATES)),
    "scatter-max": (_scatter(lax.scatter_max), (A, POSITIONS, UPDATES)),
    "scatter-min": (_scatter(lax.scatter_min), (A, POSITIONS, UPDATES)),
    "scatter-mul": (_scatter(lax.scatter_mul), (A, POSITIONS, UPDATES)),
    "select_n": (lax.select_n, (FLAGS, A, B)),
    "shift_left": (lax.shift_left, (INTEGERS, OTHERS)),
    "shift_right_arithmetic": (lax.shift_right_arithmetic, (INTEGERS - 5, OTHERS)),
    "shift_right_logical": (lax.shift_right_logical, (INTEGERS, OTHERS)),
    "sign": (lax.sign, (A - 0.5,)),
    "sin": (lax.sin, (A,)),
    "sinh": (lax.sinh, (A,)),
    "slice": (lambda x: lax.slice(x, (1, 0), (3, 2)), (A,)),
    "sort": (lambda x: lax.sort(x, dimension=1), (SPREAD,)),
    "split": (lambda x: lax.split(x, (1, 3), 1), (A,)),
    "sqrt": (lax.sqrt, (A,)),
    "square": (lax.square, (A,)),
    "squeeze": (lambda x: lax.squeeze(x, (0,)), (IMAGE,)),
    "sub": (lax.sub, (A, B)),
    "tan": (lax.tan, (A,)),
    "tanh": (lax.tanh, (A,)),
    "top_k": (lambda x: lax.top_k(x, 2), (SPREAD,)),
    "transpose": (lambda x: lax.transpose(x, (1, 0)), (A,)),
    "triangular_solve": (
        lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True),
        (LOWER, A),
    ),
    "while": (lambda x: lax.while_loop(lambda c: c, lambda c: ~c, x), (np.bool_(True),)),
    "xor": (lax.bitwise_xor, (INTEGERS, OTHERS)),
    "psum": (_mapped(lambda x: lax.psum(x, "i")), (A,)),
    "pmax": (_mapped(lambda x: lax.pmax(x, "i")), (A,)),
    "axis_index": (_mapped(lambda x: lax.axis_index("i")[None]), (A,)),
    "all_gather": (_mapped(lambda x: lax.all_gather(x, "i")), (A,)),
    "ppermute": (_mapped(lambda x: lax.ppermute(x, "i", [(0, 0)])), (A,)),
    "shard_map": (_mapped(jnp.sin), (A,)),
    "remat2": (jax.checkpoint(jnp.sin), (A,)),
    "name": (lambda x: checkpoint_name(x, "kept"), (A,)),
    "pure_callback": (
        lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x),
        (A,),
    ),
    "device_put": (jax.device_put, (A,)),
    "svd": (lambda x: lax.linalg.svd(x, full_matrices=False), (A,)),
    "householder_product": (lax.linalg.householder_product, (SQUARE, SQUARE[0])),
    "qr": (lambda x: lax.linalg.qr(x, full_matrices=False), (A,)),
    "reduce_window_sum": (
        lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), "VALID"),
        (A,),
    ),
    "reduce_window_max": (
        lambda x: lax.reduce_window(x, -np.inf, lax.max, (2, 2), (1, 1), "VALID"),
        (A,),
    ),
    "addupdate": (_add_to, (A, B)),
    "bcoo_dot_general": (_multiply_sparse, (A[0], PLACES, B.T)),
    "bcoo_fromdense": (_make_sparse, (A,)),
    "bcoo_todense": (_make_dense, (A[0], PLACES)),
    "custom_vmap_call": (_batched_by_hand, (A,)),
    "debug_callback": (lambda x: jax.debug.callback(np.sin, x), (A,)),
    "freeze": (lambda x: jax.freeze(jax.new_ref(x)), (A,)),
    "geqrf": (geqrf, (SQUARE,)),
    "le_to": (lax_internal.le_to_p.bind, (A, B)),
    "lt_to": (lax_internal.lt_to_p.bind, (A, B)),
    "ragged_dot_general": (lax.ragged_dot, (A, np.stack([B.T, C.T]), np.array([1, 2], np.int32))),
    "random_gamma": (jax.random.gamma, (KEY, A)),
    "regularized_incomplete_beta": (lax.betainc, (A, B, C)),
    "schur": (lax.linalg.schur, (SQUARE,)),
    "add_any": (add_jaxvals_p.bind, (A, B)),
    "clz": (lax.clz, (INTEGERS,)),
    "custom_linear_solve": (_solve, (SQUARE, A[:, 0])),
    "debug_print": (lambda x: jax.debug.print("{}", x), (A,)),
    "empty2": (
        lambda: lax_internal.empty2(np.dtype(np.float32), memory_space=jax.memory.Space.Device),
        (),
    ),
    "get": (_read, (A,)),
    "io_callback": (
        lambda x: io_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x),
        (A,),
    ),
    "new_ref": (_read, (A,)),
    "psum_invariant": (_mapped(lambda x: lax.psum(x, "i"), out=jax.P()), (A,)),
    "pvary": (
        _mapped(lambda x: lax.pcast(x, "i", to="varying"), into=jax.P(), out=jax.P("i")),
        (A,),
    ),
    "reshard": (_reshard, (A,)),
    "sharding_constraint": (_constrain, (A,)),
    "stack": (lambda x, y: lax.stack([x, y], axis=1), (A, B)),
    "stop_gradient": (lax.stop_gradient, (A,)),
    "swap": (_write, (A, B)),
    "threefry2x32": (threefry2x32_p.bind, (KEY_DATA[:1], KEY_DATA[1:], KEY_DATA, KEY_DATA)),
    "unstack": (lambda x: jnp.unstack(x, axis=1), (A,)),
}

HOLD_PROGRAMS = {
    **dict.fromkeys(("cond", "scan", "while", "jit", "custom_jvp_call", "custom_vjp_call")),
    **dict.fromkeys(("remat2", "shard_map", "custom_vmap_call")),
}.keys()
"""Their examples hold programs of sines, cosines and negations, which are not their own work."""
INSIDE = frozenset({"sine", "cosine", "not"})
