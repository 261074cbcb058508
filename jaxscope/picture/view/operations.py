"""Properties of operations by name: one table for jaxprs, StableHLO and HLO."""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Iterable


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
    (Style.CONSTANT, "constant|iota|splat|dynamic_iota|iota_2x32_shape|zeros_like|constant_like"),
    (Style.ELEMENTWISE, "abs|acos|acosh|add|add_any|and|asin|asinh|atan|atan2|atanh|bessel_i0e|"
                        "bessel_i1e|cbrt|ceil|clamp|clz|compare|complex|conj|convert|"
                        "convert_element_type|cos|cosh|cosine|count_leading_zeros|digamma|div|"
                        "divide|elementwise_inline_asm_p|eq|eq_to|erf|erf_inv|erfc|exp|exp2|expm1|"
                        "exponential|exponential_minus_one|floor|ge|gt|igamma|igamma_grad_a|"
                        "igammac|imag|integer_pow|is_finite|is_inf|is_neg_inf|is_pos_inf|le|le_to|"
                        "lgamma|log|log1p|log_plus_one|logistic|lt|lt_to|map|max|maximum|min|"
                        "minimum|mul|mulhi|multiply|ne|neg|negate|next_after|nextafter|not|or|"
                        "polygamma|popcnt|population_count|pow|power|real|reciprocal|"
                        "reduce_precision|regularized_incomplete_beta|rem|remainder|round|"
                        "round_nearest_afz|round_nearest_even|rsqrt|select|select_n|shift_left|"
                        "shift_right_arithmetic|shift_right_logical|sign|sin|sine|sinh|sqrt|"
                        "square|stochastic_convert|stochastic_round|sub|subtract|tan|tanh|"
                        "uniform_dequantize|uniform_quantize|xor|zeta|_copysign"),
    (Style.CONTRACTION, "dot|dot_general|conv|convolution|conv_general_dilated|dynamic_conv|"
                        "ragged_dot|ragged_dot_general|scaled_dot|einsum|unary_einsum|matmul|"
                        "symmetric_product|tcgen05_mma|wgmma|bcoo_dot_general|"
                        "bcoo_dot_general_sampled|bcoo_spdot_general|bcsr_dot_general|coo_matmat|"
                        "coo_matvec|coo_spmm|coo_spmv|csr_matmat|csr_matvec|csr_spmm|csr_spmv"),
    (Style.RANDOM, "rng|rng_bit_generator|rng_uniform|threefry2x32|threefry4x32|philox2x32|"
                   "philox4x32|random_bits|random_seed|random_wrap|random_unwrap|random_split|"
                   "random_fold_in|random_gamma|rng_get_and_update_state|random_clone|prng_seed|"
                   "prng_random_bits|prng_split|prng_join"),
    (Style.COLLECTIVE, "all_reduce|all_gather|all_to_all|reduce_scatter|collective_permute|"
                       "collective_broadcast|cross_replica_sum|ragged_all_to_all|"
                       "all_reduce_start|all_reduce_done|all_gather_start|all_gather_done|"
                       "all_to_all_start|all_to_all_done|collective_permute_start|"
                       "collective_permute_done|psum|psum2|psum_invariant|psum_start|psum_done|"
                       "psum_invariant_start|pmax|pmin|ppermute|ppermute_start|ppermute_done|"
                       "pbroadcast|pbroadcast_start|pbroadcast_done|psum_scatter|pgather|"
                       "all_gather_invariant|all_gather_reduced|all_gather_reduced_start|"
                       "unreduced_psum|unreduced_psum_start|unreduced_reduce_scatter|"
                       "unreduced_reduce_scatter_start|reduce_scatter_start|"
                       "reduce_scatter_done|psend|precv|send|recv|send_done|recv_done|"
                       "multimem_load_reduce"),
    (Style.REDUCTION, "reduce|reduce_sum|reduce_max|reduce_min|reduce_prod|reduce_and|reduce_or|"
                      "reduce_xor|argmax|argmin|cumsum|cumprod|cummax|cummin|cumlogsumexp|"
                      "reduce_window|reduce_window_sum|reduce_window_max|"
                      "reduce_window_min|select_and_scatter|select_and_scatter_add|"
                      "select_and_gather_add|masked_cummax|masked_cummin|"
                      "masked_cumsum|all_reduce_ffs|all_reduce_population_count"),
    (Style.MOVEMENT, "broadcast|broadcast_in_dim|broadcast_to|tile|reshape|transpose|squeeze|"
                     "expand_dims|slice|dynamic_slice|real_dynamic_slice|dynamic_update_slice|"
                     "gather|dynamic_gather|torch_index_select|scatter|scatter_add|scatter_sub|"
                     "scatter_mul|scatter_min|scatter_max|concatenate|stack|unstack|pad|"
                     "dynamic_pad|rev|reverse|roll|copy|copy_start|copy_done|bitcast|"
                     "bitcast_convert|bitcast_convert_type|to_edtype|from_edtype|tuple|"
                     "get_tuple_element|split|device_put|einshape_lo|dynamic_broadcast_in_dim|"
                     "dynamic_reshape|set_dimension_size|optimization_barrier|opt_barrier|"
                     "add_dependency|tie|name|stop_gradient|sharding_constraint|reshard|"
                     "shard_alike|pvary|preduced|reduced_vary_cast_p|vary_unreduced_cast_p|"
                     "layout_constraint|layout_cast|with_memory_space_constraint|all_slice|"
                     "parameter|"
                     # reads and writes of references, of Pallas' kernels among them
                     "get|swap|addupdate|accum_grad_in_ref|new_ref|empty_ref|free_ref|freeze|"
                     "empty|empty2|box_get|box_set|new_box|load|masked_load|masked_swap|"
                     "async_load|async_prefetch|async_store_smem|async_store_tmem|"
                     "async_copy_scales_to_tmem|async_copy_smem_to_tmem|"
                     "async_copy_sparse_metadata_to_tmem|copy_gmem_to_smem|copy_smem_to_gmem|"
                     "dma_start|dma_wait|multimem_store|mgpu_atomic_store|atomic_rmw|atomic_cas|"
                     "sc_fetch_and_add|"
                     # sparse arrays
                     "bcoo_extract|bcoo_fromdense|bcoo_sort_indices|bcoo_sum_duplicates|"
                     "bcoo_todense|bcoo_transpose|bcsr_extract|bcsr_fromdense|bcsr_todense|"
                     "coo_fromdense|coo_todense|csr_fromdense|csr_todense|todense"),
    (Style.CONTROL, "while|scan|cond|conditional|case|if|parallel_loop|emit_pipeline"),
    (Style.GROUP, "call|jit|pjit|closed_call|core_call|custom_jvp_call|custom_jvp_call_jaxpr|"
                  "custom_vjp_call|custom_vjp_call_jaxpr|custom_vmap_call|custom_linear_solve|"
                  "custom_partitioning|linear_call|remat|checkpoint|remat2|remat_opt|shard_map|"
                  "xla_pmap|custom_lin|composite|compute_on|core_map|mpmd_map|run_scoped|run_state|"
                  "call_exported|jaxpr_call|fusible|stage|async_start|async_done|async_update|"
                  "manual_computation|named_computation|call_indirect"),
    (Style.FUSION, "fusion|custom_fusion|cudnn_fusion"),
)  # fmt: skip
"""Names not in it are of `Style.LIBRARY`: callbacks, what a library does, and what is not known."""

_STYLES = {word: style for style, words in _WORDS for word in words.split("|")}
_DIALECT = re.compile(r"^(stablehlo|func|chlo|mhlo|sdy|vhlo)\.")


@functools.lru_cache(maxsize=4096)
def short_operation(operation: str) -> str:
    """The name without its dialect: `add` for `stablehlo.add`."""
    return _DIALECT.sub("", operation)


@functools.lru_cache(maxsize=4096)
def style_of(operation: str) -> Style:
    """How boxes of an operation are drawn; of what is not known, no family is claimed."""
    name = short_operation(operation).replace("-", "_")
    return _STYLES.get(name, Style.LIBRARY)


_TELLING = (Style.COLLECTIVE, Style.CONTRACTION, Style.REDUCTION)


def untold_operation(name: str, operations: Iterable[str]) -> str:
    """What a fusion is about, if its name says none of its operations, as `ynn_fusion` does.

    Empty where the name says one: XLA names most fusions by two of their operations.
    """
    known = [short_operation(each) for each in operations]
    words = re.split(r"[_.]", name)
    if not known or any(each.replace("_", "-") in words for each in known):
        return ""
    found = (each for style in _TELLING for each in known if style_of(each) is style)
    return next(found, known[-1])


COMMUTATIVE = frozenset({
    "add", "add_any", "and", "eq", "max", "maximum", "min", "minimum", "mul", "multiply", "ne",
    "or", "xor",
})  # fmt: skip
"""Short names of operations whose operands may be exchanged."""

ORDERED = frozenset({
    "atan2", "compare", "div", "divide", "ge", "gt", "le", "lt", "nextafter", "pow", "power", "rem",
    "remainder", "shift-left", "shift-right-arithmetic", "shift-right-logical", "shift_left",
    "shift_right_arithmetic", "shift_right_logical", "sub", "subtract",
})  # fmt: skip
"""Short names of operations on two values that may not be exchanged."""

SPREADERS = frozenset({
    "broadcast", "broadcast_in_dim", "stablehlo.broadcast_in_dim", "convert", "splat",
    "convert_element_type", "stablehlo.convert", "reshape", "stablehlo.reshape", "bitcast",
})  # fmt: skip
"""Operations that keep a scalar constant one: the same value in another shape or type."""

CONSTANTS = frozenset({"constant", "stablehlo.constant", "literal"})
