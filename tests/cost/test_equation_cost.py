"""Work of equations against XLA's own analysis of the module before optimization."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core.primitives import eq_to_p, lt_to_p

from jaxscope.model import Cost, Graph, GraphBuilder, NodeKind
from jaxscope.model.op_name import TagTable
from jaxscope.program.cost.equations import cost_equations
from jaxscope.program.cost.rules import count_meetings
from jaxscope.worker import compat
from jaxscope.worker.stages.hlo_cost import module_cost
from jaxscope.worker.stages.jaxpr import convert_jaxpr

X = jax.ShapeDtypeStruct((4, 8), jnp.float32)
N = jax.ShapeDtypeStruct(X.shape, jnp.int32)
Z = jax.ShapeDtypeStruct(X.shape, jnp.complex64)
W = jax.ShapeDtypeStruct((8, 8), jnp.float32)
IMAGE = jax.ShapeDtypeStruct((2, 9, 9, 3), jnp.float32)
KERNEL = jax.ShapeDtypeStruct((3, 3, 3, 4), jnp.float32)
POOLED = jax.ShapeDtypeStruct((2, 4, 4, 3), jnp.float32)
DEPTHWISE = jax.ShapeDtypeStruct((3, 3, 1, 6), jnp.float32)
NHWC = ("NHWC", "HWIO", "NHWC")


def _convolve(image: Any, kernel: Any, strides: tuple[int, int] = (1, 1), **options: Any) -> Any:
    return lax.conv_general_dilated(
        image, kernel, strides, "SAME", dimension_numbers=NHWC, **options
    )


def _place(x: Any) -> Any:
    """What only says where a value is to be, and the platform that is compiled for."""
    device = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    kept = jax.new_ref(lax.with_sharding_constraint(x, device))
    which = [lambda x: x * 2.0, lambda x: x + 1.0]
    return lax.platform_dependent(kept[...], cpu=which[0], default=which[1])


def _convert(z: Any, dtype: Any) -> Any:
    """Without the warning that `lax.convert_element_type` gives of the part that is lost."""
    return lax.convert_element_type_p.bind(
        z, new_dtype=jnp.dtype(dtype), weak_type=False, sharding=None
    )


def _pooled(image: Any, use: Callable[[Any], Any]) -> Any:
    def pool(image: Any) -> Any:
        window = (1, 2, 2, 1)
        return lax.reduce_window(image, -jnp.inf, lax.max, window, window, "VALID")

    value, pull = jax.vjp(pool, image)
    return value, use(pull)


def _normalize(x: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "matrix product": (lambda x, w: x @ w, (X, W)),
    "batched product": (
        lambda a, b: jnp.einsum("bij,bjk->bik", a, b),
        (
            jax.ShapeDtypeStruct((2, 3, 4), jnp.float32),
            jax.ShapeDtypeStruct((2, 4, 5), jnp.float32),
        ),
    ),
    **{
        f"product of {one.__name__} and {other.__name__}": (
            lambda x, w: lax.dot(x, w, preferred_element_type=jnp.float32),
            (jax.ShapeDtypeStruct((4, 8), one), jax.ShapeDtypeStruct((8, 3), other)),
        )
        for one, other in (
            (jnp.bfloat16, jnp.float32),
            (jnp.float32, jnp.bfloat16),
            (jnp.int8, jnp.bfloat16),
            (jnp.bfloat16, jnp.bfloat16),
            (jnp.float8_e4m3fn, jnp.float8_e5m2),
            (jnp.float8_e4m3fn, jnp.bfloat16),
        )
    },
    **{
        f"product by {name}": (
            lambda x, w, preset=lax.DotAlgorithmPreset[name]: lax.dot(x, w, precision=preset),
            (X, W),
        )
        for name in ("DEFAULT", "F32_F32_F32", "BF16_BF16_F32", "BF16_BF16_F32_X6")
    },
    "precise product": (lambda x, w: lax.dot(x, w, precision=lax.Precision.HIGHEST), (X, W)),
    "softmax": (lambda x: jax.nn.softmax(x), (X,)),
    "gelu": (jax.nn.gelu, (X,)),
    "silu": (jax.nn.silu, (X,)),
    "relu": (jax.nn.relu, (X,)),
    "integer exponents": (lambda x, n: lax.pow(x, n) + x, (X, N)),
    "powers": (lambda x: x**3 + x**-2 + x**7 + jnp.exp2(x), (X,)),
    "angles": (lambda x: jnp.arctan2(x, x) + jnp.arctan(x) + jnp.tan(x), (X,)),
    "layer norm": (_normalize, (X,)),
    "variance": (lambda x: x.var(), (X,)),
    "argmax": (lambda x: (x.argmax(1), x.argmin(0)), (X,)),
    "integer argmax": (
        lambda x: lax.argmax(x, 0, jnp.int32),
        (jax.ShapeDtypeStruct((4, 8), jnp.int32),),
    ),
    "cumulative sum": (lambda x: jnp.cumsum(x, 1), (X,)),
    "cumulative product of complex numbers": (lambda z: lax.cumprod(z, 1), (Z,)),
    **{
        f"cumulative sum of exponentials of {dtype.__name__}": (
            lambda x: lax.cumlogsumexp(x, 1, reverse=True),
            (jax.ShapeDtypeStruct((4, 8), dtype),),
        )
        for dtype in (jnp.float32, jnp.bfloat16)
    },
    "sort": (lambda x: jnp.sort(x), (X,)),
    "real FFT": (lambda x: lax.fft(x, "RFFT", (8,)), (X,)),
    "real FFT back": (
        lambda x: lax.fft(x, "IRFFT", (6, 15)),
        (jax.ShapeDtypeStruct((3, 6, 8), jnp.complex64),),
    ),
    "sign of numbers without one": (lax.sign, (jax.ShapeDtypeStruct((4, 8), jnp.uint32),)),
    "complex to integer": (lambda z: _convert(z, jnp.int32), (Z,)),
    "complex to Boolean": (lambda z: _convert(z, jnp.bool_), (Z,)),
    "conjugates": (lambda z, x: (lax.conj(z), lax.conj(x)), (Z, X)),
    "total order": (lambda x: (lt_to_p.bind(x, x + 1.0), eq_to_p.bind(x, x + 2.0)), (X,)),
    "where values lie": (_place, (X,)),
    "first power": (lambda x: lax.integer_pow(x, 1) + x, (X,)),
    "sum over no axis": (lambda x: jnp.sum(x, ()) + x, (X,)),
    "number that chooses": (lambda n, x: lax.select_n(n, x, x + 1.0), (N, X)),
    "one number that chooses": (
        lambda n, x: lax.select_n(n, x, x + 1.0),
        (jax.ShapeDtypeStruct((), jnp.int32), X),
    ),
    "reduction of a function": (
        lambda x: lax.reduce(x, np.float32(0), lambda a, b: jnp.sin(a) + b * b, (0,)),
        (X,),
    ),
    "reduction of two arrays": (
        lambda x, n: lax.reduce(
            (x, n),
            (np.float32(0), np.int32(0)),
            lambda a, b: (lax.max(a[0], b[0]), a[1] + b[1]),
            (1,),
        ),
        (X, N),
    ),
    "products of windows": (
        lambda x: lax.reduce_window(x, 1.0, lax.mul, (2, 3), (1, 2), "SAME"),
        (X,),
    ),
    "a function of what is indexed": (lambda x, n: x.at[n[0], n[1]].apply(jnp.tanh), (W, N)),
    "complex convolution": (
        _convolve,
        (
            jax.ShapeDtypeStruct(IMAGE.shape, jnp.complex64),
            jax.ShapeDtypeStruct(KERNEL.shape, jnp.complex64),
        ),
    ),
    "convolution": (_convolve, (IMAGE, KERNEL)),
    "strided, dilated": (
        lambda i, k: _convolve(i, k, (2, 2), rhs_dilation=(1, 2)),
        (IMAGE, KERNEL),
    ),
    "depthwise": (lambda i, k: _convolve(i, k, feature_group_count=3), (IMAGE, DEPTHWISE)),
    "gradient of a convolution": (
        jax.value_and_grad(lambda k, i: _convolve(i, k, (2, 2)).sum()),
        (KERNEL, IMAGE),
    ),
    "max pooling": (
        lambda i: lax.reduce_window(i, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        (IMAGE,),
    ),
    "forward derivative of max pooling": (
        lambda i, t: jax.jvp(lambda i: _pooled(i, lambda pull: None)[0], (i,), (t,)),
        (IMAGE, IMAGE),
    ),
    "gradient of max pooling": (lambda i, g: _pooled(i, lambda pull: pull(g)), (IMAGE, POOLED)),
}


if hasattr(lax, "polynomial"):  # since JAX 0.12
    FUNCTIONS["polynomial"] = (lambda x: lax.polynomial(x, [1.0, 2.0, 3.0, x]), (X,))
    FUNCTIONS["logarithm to the base 2"] = (lax.log2, (X,))
    FUNCTIONS["one minus the square"] = (lax.one_minus_square, (X,))


def cost_of(function: Callable[..., Any], *arguments: Any) -> tuple[Graph, Cost]:
    converted = convert_jaxpr(
        jax.make_jaxpr(function)(*arguments), tags=TagTable(), is_base=True, is_derived=False
    )
    return cost_equations(converted.graph)


def node_cost(graph: Graph, id: str) -> Cost:
    return graph.node(graph.index_by_id[id]).cost


@pytest.mark.sweep(25)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_flops_and_transcendentals_are_xlas(name: str) -> None:
    function, arguments = FUNCTIONS[name]
    _, cost = cost_of(function, *arguments)
    module = jax.jit(function).lower(*arguments).compiler_ir("hlo").as_hlo_module()
    flops, accessed, transcendentals = module_cost(compat.cpu_client(), module)
    assert (cost.flops, cost.transcendentals) == (flops, transcendentals)
    # XLA adds broadcast literals and initial values; nothing that an equation moves is left out.
    assert 0 < cost.bytes_accessed <= accessed


@pytest.mark.parametrize("name", ["matrix product", "sort", "real FFT", "convolution"])
def test_bytes_are_xlas_where_an_equation_is_one_instruction(name: str) -> None:
    function, arguments = FUNCTIONS[name]
    _, cost = cost_of(function, *arguments)
    module = jax.jit(function).lower(*arguments).compiler_ir("hlo").as_hlo_module()
    assert cost.bytes_accessed == module_cost(compat.cpu_client(), module)[1]


def test_what_an_algorithm_of_a_product_converts_is_not_counted() -> None:
    preset = lax.DotAlgorithmPreset.F32_F32_F32
    halves = (jax.ShapeDtypeStruct((4, 8), jnp.bfloat16), jax.ShapeDtypeStruct((8, 3), jnp.float32))
    graph, cost = cost_of(lambda x, w: lax.dot(x, w, precision=preset), *halves)
    assert math.isnan(cost.flops)
    assert math.isnan(node_cost(graph, "0").flops)


def test_only_what_is_taken_is_read() -> None:
    _, cost = cost_of(lambda x: lax.slice(x, (0, 0), (2, 3)), X)
    assert cost == Cost(0.0, 2 * 2 * 3 * 4, 0.0)


def test_scan_costs_its_body_times_its_length_and_says_so() -> None:
    graph, cost = cost_of(
        lambda x: lax.scan(lambda c, _: (jnp.sin(c) + 1.0, None), x, None, length=7), X
    )
    assert (cost.flops, cost.transcendentals) == (7 * 32, 7 * 32)
    assert graph.attributes(graph.index_by_id["0"])["cost_note"] == "body × 7"
    # An equation of the body costs one execution.
    assert node_cost(graph, "0/jaxpr/0").transcendentals == 32


def test_nested_calls_cost_their_bodies() -> None:
    inner = jax.jit(lambda x: jnp.sin(x) * 2.0)
    graph, cost = cost_of(lambda x: inner(x) + inner(x), X)
    # Both calls share one jaxpr, which is drawn once and costs twice.
    assert (cost.flops, cost.transcendentals) == (3 * 32, 2 * 32)
    assert len(graph.groups) == 1


def test_a_composite_costs_what_it_is_made_of() -> None:
    graph, cost = cost_of(lax.composite(lambda x: jnp.sin(x) * 2.0, name="test.two"), X)
    assert (cost.flops, cost.transcendentals) == (32, 32)
    assert graph.operation(graph.index_by_id["0"]) == "composite"


def test_shared_reducer_does_not_hide_the_rule() -> None:
    def twice(table: Any, rows: Any) -> Any:
        return table.at[rows].add(1.0).at[rows].add(2.0)

    rows = jax.ShapeDtypeStruct((2,), jnp.int32)
    graph, cost = cost_of(twice, X, rows)
    scatters = [
        graph.node(i).cost.flops
        for i in range(len(graph.nodes))
        if graph.node(i).operation == "scatter-add"
    ]
    assert scatters == [16.0, 16.0]
    assert cost.is_known


@pytest.mark.parametrize(
    "function",
    [lambda z: jnp.exp(z), lambda z: jnp.sign(z), lambda z: z**2.5],
    ids=["exp", "sign", "pow"],
)
def test_complex_functions_are_unknown(function: Callable[..., Any]) -> None:
    _, cost = cost_of(function, jax.ShapeDtypeStruct((4,), jnp.complex64))
    assert not cost.is_known


def test_while_is_unknown_and_so_is_all_that_holds_it() -> None:
    graph, cost = cost_of(
        lambda x: jnp.sin(lax.while_loop(lambda c: c.sum() < 1, lambda c: c + 1, x)), X
    )
    assert not cost.is_known
    ids = {graph.node(i).operation: graph.node(i).cost for i in range(len(graph.nodes))}
    assert not ids["while"].is_known
    assert ids["sin"].transcendentals == 32


@pytest.mark.parametrize(("other", "flops"), [(2.0, 32.0), (None, math.nan)])
def test_cond_is_known_only_if_its_branches_cost_the_same(
    other: float | None, flops: float
) -> None:
    def false_branch(c: Any) -> Any:
        return c * other if other is not None else jnp.sin(c)

    graph, _ = cost_of(lambda p, x: lax.cond(p, lambda c: c + 1.0, false_branch, x), True, X)
    costs = [
        graph.node(i).cost.flops
        for i in range(len(graph.nodes))
        if graph.node(i).operation == "cond"
    ]
    np.testing.assert_equal(costs, [flops])


def test_a_cond_whose_index_is_a_literal_costs_the_arm_that_runs() -> None:
    """JAX gives the index of `cond(True, …)` as a number: of 8 elements x 4, one operation each."""
    for choice, flops in ((True, 64.0), (False, 32.0)):
        graph, cost = cost_of(
            lambda x, p=choice: lax.cond(p, lambda c: c * 2.0 + 1.0, lambda c: c - 1.0, x), X
        )
        (node,) = graph.nodes_of(("cond",))
        assert "in[0]" in graph.attributes(node)
        assert "cost_note" not in graph.attributes(node)
        assert (graph.node(node).cost.flops, cost.flops) == (flops, flops)


def test_primitives_without_a_rule_are_unknown_not_free() -> None:
    graph, cost = cost_of(lambda x: lax.lgamma(x) + 1.0, X)
    assert not cost.is_known
    assert not node_cost(graph, "0").is_known
    assert node_cost(graph, "1").flops == 32


def test_types_that_cannot_be_read_make_the_cost_unknown() -> None:
    builder = GraphBuilder()
    builder.add_node("0", NodeKind.EQUATION, "sin", types=("f32[n]",), attributes={})
    builder.add_node("1", NodeKind.EQUATION, "dot_general", types=("f32[2]",))
    graph, cost = cost_equations(builder.build())
    assert np.isnan(graph.nodes.cost).all()
    assert not cost.is_known


def test_padding_and_holes_do_no_work() -> None:
    full = {"stride": 1, "padding_low": 0, "input_dilation": 1, "kernel_dilation": 1}
    assert count_meetings(input_size=5, kernel_size=3, output_size=3, **full) == 9
    padded = full | {"padding_low": 1}
    assert count_meetings(input_size=5, kernel_size=3, output_size=5, **padded) == 13
    holes = full | {"input_dilation": 2}
    assert count_meetings(input_size=3, kernel_size=2, output_size=4, **holes) == 4


ROWS = jax.ShapeDtypeStruct((10, 6), jnp.float32)
MATRICES = jax.ShapeDtypeStruct((3, 6, 5), jnp.float32)
SIZES = jax.ShapeDtypeStruct((3,), jnp.int32)


def _experts(rows: Any, matrices: Any, sizes: Any) -> Any:
    return lax.ragged_dot(rows, matrices, sizes)


def test_a_ragged_product_multiplies_each_row_by_the_matrix_of_its_group() -> None:
    graph, cost = cost_of(_experts, ROWS, MATRICES, SIZES)
    assert cost.flops == 10 * (6 * 5) * 2
    assert cost.bytes_accessed == 4 * (10 * 6 + 3 * 6 * 5 + 3 + 10 * 5)
    (node,) = graph.nodes_of(("ragged_dot_general",))
    assert "its own group" in graph.attributes(node)["cost_note"]
    # XLA, which has no instruction for it on a CPU, multiplies by the matrices of all groups.
    module = jax.jit(_experts).lower(ROWS, MATRICES, SIZES).compiler_ir("hlo").as_hlo_module()
    assert module_cost(compat.cpu_client(), module)[0] >= 3 * cost.flops


def test_a_ragged_product_by_batches_and_its_derivatives() -> None:
    def loss(rows: Any, matrices: Any, sizes: Any) -> Any:
        return _experts(rows, matrices, sizes).sum()

    graph, _ = cost_of(jax.grad(loss, argnums=(0, 1)), ROWS, MATRICES, SIZES)
    products = graph.nodes_of(("ragged_dot_general",))
    # The product itself, of its results and the matrices, and of its results and the rows.
    assert [graph.node(node).cost.flops for node in products] == [10 * 6 * 5 * 2] * 3

    batch = [jax.ShapeDtypeStruct((2, *x.shape), x.dtype) for x in (ROWS, MATRICES, SIZES)]
    assert cost_of(jax.vmap(_experts), *batch)[1].flops == 2 * 10 * 6 * 5 * 2


def test_a_sparse_product_multiplies_what_is_stored() -> None:
    sparse = pytest.importorskip("jax.experimental.sparse")

    def multiply(data: Any, places: Any, dense: Any) -> Any:
        return sparse.BCOO((data, places), shape=(10, 8)) @ dense

    stored = jax.ShapeDtypeStruct((7,), jnp.float32), jax.ShapeDtypeStruct((7, 2), jnp.int32)
    dense = jax.ShapeDtypeStruct((8, 5), jnp.float32)
    graph, cost = cost_of(multiply, *stored, dense)
    assert cost.flops == 7 * 5 * 2
    (node,) = graph.nodes_of(("bcoo_dot_general",))
    assert "stored" in graph.attributes(node)["cost_note"]

    graph, _ = cost_of(jax.grad(lambda *xs: multiply(*xs).sum(), argnums=(0, 2)), *stored, dense)
    # Of what is stored: a row of 5 times another, for each element. Of the dense one: as above.
    (node,) = graph.nodes_of(("bcoo_dot_general_sampled",))
    assert graph.node(node).cost.flops == 7 * 5 * 2

    _, cost = cost_of(lambda *xs: sparse.BCOO(xs, shape=(10, 8)).todense(), *stored)
    assert cost.flops == 7


@pytest.mark.parametrize(
    "function",
    [lax.max, lax.min, lambda a, _: lax.square(a), lambda a, _: lax.cummax(a, 1)],
)
def test_complex_numbers_are_not_counted_as_real_ones(function: Callable[..., Any]) -> None:
    module = jax.jit(function).lower(Z, Z).compiler_ir("hlo").as_hlo_module()
    assert module_cost(compat.cpu_client(), module)[0] > X.size
    assert math.isnan(cost_of(function, Z, Z)[1].flops)
