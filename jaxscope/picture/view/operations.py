"""Properties of operations by name: one table for jaxprs, StableHLO and HLO."""

from __future__ import annotations

import enum
import functools
import re


class Style(enum.IntEnum):
    """How a box is drawn; each has its colours in `palette` and its line in the legend."""

    INPUT = 0
    OUTPUT = 1
    CONSTANT = 2
    ELEMENTWISE = 3
    CONTRACTION = 4
    REDUCTION = 5
    MOVEMENT = 6
    CONTROL = 7
    RANDOM = 8
    LIBRARY = 9
    FUSION = 10
    GROUP = 11
    REPEAT = 12
    SECTION = 13
    COLLECTIVE = 14
    PORT = 15
    FORWARD = 16
    BACKWARD = 17


_WORDS: tuple[tuple[Style, str], ...] = (
    (Style.CONSTANT, "constant|iota|splat"),
    (Style.CONTRACTION, "dot|dot_general|conv|convolution|conv_general_dilated|ragged_dot|"
                        "ragged_dot_general|cholesky|triangular_solve|einsum|matmul"),
    (Style.RANDOM, "rng|rng_bit_generator|rng_uniform|threefry2x32|random_bits|random_seed|"
                   "random_wrap|random_unwrap|random_split|random_fold_in|random_gamma|"
                   "rng_get_and_update_state|random_clone"),
    (Style.COLLECTIVE, "all_reduce|all_gather|all_to_all|reduce_scatter|collective_permute|"
                       "collective_broadcast|ragged_all_to_all|all_reduce_start|all_reduce_done|"
                       "all_gather_start|all_gather_done|collective_permute_start|"
                       "collective_permute_done|psum|psum2|psum_invariant|pmax|pmin|ppermute|"
                       "pbroadcast|psum_scatter|pgather|all_gather_invariant|all_gather_reduced|"
                       "unreduced_psum|unreduced_reduce_scatter|send|recv|send_done|recv_done"),
    (Style.LIBRARY, "custom_call|infeed|outfeed|partition_id|replica_id|pure_callback|"
                    "io_callback|debug_callback|axis_index|fft|lapack|pallas_call|ffi_call"),
    (Style.REDUCTION, "reduce|reduce_sum|reduce_max|reduce_min|reduce_prod|reduce_and|reduce_or|"
                      "reduce_xor|argmax|argmin|cumsum|cumprod|cummax|cummin|cumlogsumexp|sort|"
                      "top_k|reduce_window|reduce_window_sum|reduce_window_max|"
                      "select_and_scatter|select_and_scatter_add|reduce_precision_window|approx_top_k"),
    (Style.MOVEMENT, "broadcast|broadcast_in_dim|reshape|transpose|squeeze|expand_dims|slice|"
                     "dynamic_slice|dynamic_update_slice|gather|scatter|scatter_add|scatter_mul|"
                     "scatter_min|scatter_max|concatenate|pad|rev|reverse|copy|copy_start|"
                     "copy_done|bitcast|bitcast_convert|bitcast_convert_type|tuple|"
                     "get_tuple_element|split|device_put|convert_element_type|convert|"
                     "dynamic_broadcast_in_dim|dynamic_reshape|optimization_barrier|"
                     "sharding_constraint|parameter|add_any_nothing"),
    (Style.CONTROL, "while|scan|cond|conditional|case|if|map|run_state"),
    (Style.GROUP, "call|jit|pjit|closed_call|core_call|custom_jvp_call|custom_vjp_call|"
                  "custom_vjp_call_jaxpr|remat|checkpoint|remat2|shard_map|xla_pmap|custom_lin|"
                  "composite|async_start|async_done|async_update"),
    (Style.FUSION, "fusion"),
)  # fmt: skip

_STYLES = {word: style for style, words in _WORDS for word in words.split("|")}
_DIALECT = re.compile(r"^(stablehlo|func|chlo|mhlo|sdy|vhlo)\.")


@functools.lru_cache(maxsize=4096)
def short_operation(operation: str) -> str:
    """The name without its dialect: `add` for `stablehlo.add`."""
    return _DIALECT.sub("", operation)


@functools.lru_cache(maxsize=4096)
def style_of(operation: str) -> Style:
    """How boxes of an operation are drawn; what is not known is taken as elementwise."""
    name = short_operation(operation).replace("-", "_")
    return _STYLES.get(name, Style.ELEMENTWISE)


PLUMBING = frozenset({"tuple", "get-tuple-element", "bitcast", "get_tuple_element"})
"""Operations that only pass values on: no work, no copy."""

SPREADERS = frozenset({
    "broadcast", "broadcast_in_dim", "stablehlo.broadcast_in_dim", "convert", "splat",
    "convert_element_type", "stablehlo.convert", "reshape", "stablehlo.reshape", "bitcast",
})  # fmt: skip
"""Operations that keep a scalar constant one: the same value in another shape or type."""

LOOPS = frozenset({"scan", "while", "stablehlo.while"})
"""What runs its nested program again and again, on values of its own making."""

CONSTANTS = frozenset({"constant", "stablehlo.constant", "literal"})
