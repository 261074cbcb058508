"""Programs with a mistake, and look-alikes without it, by the rule that is about it.

Each is a call; `bench/checks.py` states from these how many mistakes each check finds (recall).
"""

# ruff: noqa: B006, F841, RUF059 - mistakes that are planted

from __future__ import annotations

import os
import random
import time
from time import perf_counter

import jax
import jax.numpy as jnp
import numpy as np

TARGETS = {
    "float32-products-rounded": "aot:tpu:v5e:2x2",
    "products-below-tile": "aot:tpu:v5e:2x2",
    "casts-around-sort": "aot:tpu:v5e:2x2",
}
"""What programs of a rule are for; others are for the CPU."""

FAULTS: dict[str, tuple[str, ...]] = {
    "float32-products-rounded": (
        "multiplied(f32[64, 32], f32[32, 16])",
        "grad(loss_of_product)(f32[64, 32], f32[32, 16])",
        "vmap(times_vector, in_axes=(None, 0))(f32[64, 32], f32[8, 32])",
        "products_in_a_loop(f32[64, 64])",
        "convolved(f32[2, 8, 16, 16], f32[4, 8, 3, 3])",
        "multiplied_by_rounded(f32[64, 32], f32[32, 16])",
    ),
    "products-below-tile": (
        "rotated(bf16[5000, 3, 3], bf16[5000, 3, 3])",
        "rotated_in_a_loop(f32[500, 4, 4])",
        "vmap(multiplied)(f32[5000, 3, 8], f32[5000, 8, 2])",
        "by_einsum(f32[100, 50, 6, 6], f32[100, 50, 6, 6])",
    ),
    "casts-around-sort": (
        "sorted_in_float32(bf16[1024, 512])",
        "largest_first(f16[1024, 512])",
        "sorted_columns(i8[1024, 512])",
    ),
    "transposes-around-softmax": (
        "softmax_of_columns(f32[1024, 512])",
        "softmax_between_swaps(f32[16, 128, 256])",
        "softmax_of_moved(f32[16, 128, 256])",
        "scaled_softmax_of_columns(f32[1024, 512])",
        "vmap(softmax_of_columns)(f32[2, 1024, 512])",
    ),
    "index-out-of-bounds": (
        "eleventh(f32[8])",
        "ninth_from_the_end(f32[8])",
        "column_of_three(f32[2, 3])",
        "slice_off_the_end(f32[8])",
        "written_list(f32[8])",
        "set_off_the_end(f32[8])",
        "add_off_the_end(f32[8])",
        "update_off_the_end(f32[8])",
        "taken_off_the_end(f32[8])",
        "grad(eleventh)(f32[8])",
        "last_round(f32[8])",
    ),
    "zero-gradient": (
        "grad(through_floor)(f32[8])",
        "grad(share_above)(f32[8])",
        "grad(accuracy)(f32[8], i32[4], f32[4, 8])",
        "value_and_grad(through_round)(f32[8])",
        "grad(stopped)(f32[8])",
        "grad(as_integers)(f32[8])",
        "jit(grad(signs))({'w': f32[4, 3], 'b': f32[3]}, f32[5, 4])",
        "value_and_grad(with_aux, has_aux=True)(f32[8])",
        "grad(with_aux, has_aux=True)(f32[8])",
        "grad(scaled_floor, argnums=1)(f32[8], f32[8])",
    ),
    "root-gradient-at-zero": (
        "grad(norm)(f32[8])",
        "grad(distance)(f32[3], f32[3])",
        "value_and_grad(hypotenuse, argnums=(0, 1))(f32[()], f32[()])",
        "grad(root_of_dot)(f32[8])",
        "grad(root_mean_square)(f32[8])",
        "grad(penalized)(f32[3], f32[3])",
        "grad(almost_unit)(f32[3])",
        "grad(at_least)(f32[3])",
        "vmap(grad(norm))(f32[4, 8])",
    ),
    "float64-not-available": (
        "zeros_in_float64(f32[4])",
        "cast_to_float64(f32[4])",
        "complex_in_128(f32[4])",
        "by_dtype_name(f32[4])",
        "grad(lambda x: cast_to_float64(x).sum())(f32[4])",
    ),
    "unrolled-loop": (
        "chained_loop(f32[4])",
        "while_loop(f32[4])",
        "layers([f32[4, 4] for _ in range(160)], f32[4])",
        "calls_in_a_loop(f32[4, 4])",
        "grad(lambda x: chained_loop(x).sum())(f32[4])",
        "nested_loops(f32[4])",
    ),
    "loop-for-vmap": (
        "each_row(f32[150, 8])",
        "each_by_append(f32[160, 8])",
        "each_pair(f32[160, 8], f32[160, 8])",
        "zipped_rows(f32[200, 8])",
    ),
    "cond-under-vmap": (
        "vmap(either)(f32[64, 100])",
        "vmap(in_scan)(f32[64, 100])",
        "vmap(three_ways, in_axes=(0, 0))(i32[64], f32[64, 100])",
        "jit(vmap(grad(lambda x: either(x).sum())))(f32[64, 100])",
    ),
    "callback-in-loop": (
        "callback_in_scan(f32[4])",
        "callback_in_while(f32[4])",
        "print_in_fori(f32[4])",
        "callback_in_nested_scans(f32[4])",
    ),
    "gather-for-slice": (
        "first_by_arange(f32[8])",
        "by_known_list(f32[8, 4])",
        "every_second(f32[8])",
        "taken(f32[8, 4])",
        "column_by_array(f32[4, 8])",
    ),
    "log-of-softmax": (
        "log_softmax_by_hand(f32[8])",
        "cross_entropy(f32[4, 8], i32[4])",
        "log_of_own_softmax(f32[8])",
        "entropy(f32[4, 8])",
    ),
    "naive-softmax": (
        "own_softmax(f32[8])",
        "attention(f32[8, 4], f32[8, 4])",
        "weights(f32[4, 8])",
    ),
    "naive-logsumexp": (
        "own_logsumexp(f32[8])",
        "partition(f32[4, 8])",
        "mixture(f32[8], f32[8])",
    ),
    "log-of-one-plus-exp": (
        "own_softplus(f32[8])",
        "own_softplus_log1p(f32[8])",
        "logistic_loss(f32[8], f32[8])",
    ),
    "log-of-sigmoid": (
        "log_of_sigmoid(f32[8])",
        "binary_cross_entropy(f32[8], f32[8])",
        "log_of_one_minus(f32[8])",
    ),
    "cancellation": (
        "log_of_one_plus(f32[8])",
        "exp_minus_one(f32[8])",
        "one_minus_cos(f32[8])",
        "variance_by_squares(f32[8, 16])",
        "own_layer_norm(f32[4, 16])",
        "exp_of_small_steps_minus_one(i32[8])",
        "mean_of_growth(f32[8])",
    ),
    "where-gradient": (
        "grad(safe_sqrt)(f32[8])",
        "grad(safe_log)(f32[8])",
        "grad(safe_division, argnums=(0, 1))(f32[8], f32[8])",
        "value_and_grad(norm_or_zero)(f32[8])",
        "jacrev(x_log_x)(f32[8])",
        "vmap(grad(safe_sqrt))(f32[4, 8])",
        "grad(sqrt_from_zero)(f32[8])",
    ),
    "low-precision-accumulation": (
        "carried_sum(bf16[1000])",
        "carried_mean(f16[5000])",
        "count_in_bfloat(bf16[1000])",
    ),
    "trace-time-print": (
        "prints(f32[4])",
        "prints_in_helper(f32[4])",
        "grad(prints)(f32[4])",
        "prints_text_of_array(f32[4])",
        "prints_a_dictionary(f32[4])",
    ),
    "trace-time-clock": (
        "times_itself(f32[4])",
        "times_by_name(f32[4])",
        "seeds_by_clock(f32[4])",
    ),
    "trace-time-random": (
        "numpy_noise(f32[4])",
        "python_noise(f32[4])",
        "generator_noise(f32[4])",
        "unseeded_noise(f32[4])",
        "vmap(python_noise)(f32[3, 4])",
    ),
    "trace-time-io": ("appends_to_file(f32[4])", "writes_file(f32[4])"),
    "impure-closure": ("counting(f32[4])", "appending(f32[4])", "memoizing(f32[4])"),
    "impure-global": ("counts(f32[4])", "logs(f32[4])"),
    "captured-constant": (
        "adds_bias(f32[4])",
        "jit(adds_weights)(f32[4])",
        "closed_over_and_changed(f32[4])",
        "reads_a_large_table(f32[4])",
        "holder.adds(f32[4])",
    ),
    "key-reuse": ("draws_twice(key(0))", "draws_in_a_loop(key(0))", "closed_over_key(f32[4])"),
    "constant-key-in-loop": ("seeded_in_scan(f32[4])", "seeded_in_fori(f32[4])"),
    "same-seed-twice": (
        "seeded_twice(f32[4])",
        "seeded_in_helpers(f32[4])",
        "seeded_twice_in_a_line(f32[4])",
    ),
    "key-never-used": (
        "second_of_split_unused(key(0))",
        "draws_from_the_first_again(key(0))",
        "one_of_three_unused(key(0))",
        "folded_and_left(key(0))",
        "made_and_left(f32[4])",
        "raw_key_unused(jax.random.PRNGKey(0))",
        "left_in_the_last_split(key(0))",
        "first_for_a_purpose_unused(key(0))",
        "third_of_a_series_unused(key(0))",
        "vmap(second_of_split_unused)(jax.random.split(key(0), 3))",
    ),
    "impure-default": (
        "appends_to_default(f32[4])",
        "caches_in_default(f32[4])",
        "by_keyword_default(f32[4])",
        "calls_a_helper_with_default(f32[4])",
    ),
    "state-changes-type": (
        "update((f32[3], 1.0), f32[3])",
        "jit(update)((f32[3], 1.0), f32[3])",
        'train({"w": f32[3], "lr": 0.1, "n": jnp.int32(0)}, f32[3])',
        "narrow((f32[3], f32[3], f32[3]))",
    ),
}

ALIKE: dict[str, tuple[str, ...]] = {
    "float32-products-rounded": (
        "multiplied(bf16[64, 32], bf16[32, 16])",
        "multiplied_in_full(f32[64, 32], f32[32, 16])",
        "multiplied_within(f32[64, 32], f32[32, 16])",
        "multiplied_as_asked(f32[64, 32], f32[32, 16])",
        "times_vector(f32[64, 32], f32[32])",
        "times_vector(f32[32], f32[32])",
        "jnp.outer(f32[64], f32[32])",
        "product_of_rounded(bf16[64, 32], bf16[32, 16])",
        "counted_by_one_hot(i32[64], f32[4, 8])",
        "multiplied(i32[64, 32], i32[32, 16])",
        "convolved_by_channel(f32[2, 8, 16, 16], f32[8, 1, 3, 3])",
    ),
    "products-below-tile": (
        "rotated(bf16[500, 3, 3], bf16[500, 3, 3])",
        "rotated(bf16[5000, 16, 16], bf16[5000, 16, 16])",
        "vmap(times_vector)(bf16[50000, 3, 3], bf16[50000, 3])",
        "multiplied(bf16[200000, 3], bf16[3, 3])",
        "beside_a_large_one(bf16[5000, 3, 3], bf16[8192, 8192])",
        "rotated_by_sums(f32[5000, 3, 3], f32[5000, 3, 3])",
    ),
    "casts-around-sort": (
        "sorted_in_float32(bf16[64, 64])",
        "summed_in_float32(bf16[1024, 512])",
        "sorted_and_scaled(bf16[1024, 512])",
        "sorted_to_less(f32[1024, 512])",
        "sorted_in_both(bf16[1024, 512])",
        "there_and_back(bf16[1024, 512])",
        "jnp.sort(bf16[1024, 512])",
        "order_in_float32(bf16[1024, 512])",
    ),
    "transposes-around-softmax": (
        "softmax_of_columns(f32[64, 64])",
        "twice_transposed(f32[1024, 512])",
        "tanh_of_columns(f32[1024, 512])",
        "jax.nn.softmax(f32[1024, 512], axis=0)",
        "softmax_and_other_order(f32[64, 64, 128])",
        "softmax_given_both_ways(f32[1024, 512])",
        "softmax_weighted(f32[1024, 512], f32[512, 1024])",
        "vmap(jax.nn.softmax, in_axes=1, out_axes=1)(f32[1024, 512])",
        "softmax_by_vmap(f32[1024, 512])",
        "mean_of_columns(f32[1024, 512])",
    ),
    "index-out-of-bounds": (
        "eighth(f32[8])",
        "eighth_from_the_end(f32[8])",
        "plain_slice_past_the_end(f32[8])",
        "slice_to_the_end(f32[8])",
        "clipped_on_purpose(f32[8])",
        "dropped_on_purpose(f32[8])",
        "from_argument(f32[8], i32[])",
        "guarded(f32[8])",
        "own_table(f32[8])",
        "jnp.roll(f32[8], 11)",
        "jnp.take_along_axis(f32[8], i32[3], 0)",
        "jax.ops.segment_sum(f32[8], i32[8], 3)",
        "set_last(f32[8])",
        "empty_update(f32[8])",
    ),
    "zero-gradient": (
        "through_floor(f32[8])",
        "grad(straight_through)(f32[8])",
        "grad(floor_and_more)(f32[8])",
        "grad(stopped_target)(f32[8], f32[8])",
        "grad(masked_sum)(f32[8])",
        "grad(constant)(f32[8])",
        "grad(linear_beside_a_mask)(f32[8], f32[8])",
        "grad(unused_comparison)(f32[8])",
        "grad(compares_in_a_loop)(f32[8])",
        "grad(by_a_rule_of_its_own)(f32[8])",
        "grad(floor_in_a_loop)(f32[8])",
        "grad(jax.nn.relu)(f32[()])",
        "grad(largest)(f32[8])",
        "grad(with_accuracy, has_aux=True)(f32[8], i32[4], f32[4, 8])",
        "value_and_grad(with_accuracy, has_aux=True)(f32[8], i32[4], f32[4, 8])",
    ),
    "root-gradient-at-zero": (
        "norm(f32[8])",
        "grad(shifted_norm)(f32[8])",
        "grad(norm_of_exponentials)(f32[8])",
        "grad(plain_root)(f32[8])",
        "grad(safe_norm)(f32[8])",
        "grad(clamped_norm)(f32[8])",
        "grad(stopped_norm)(f32[8])",
        "grad(norm_of_guarded)(f32[3])",
        "grad(unit_vector)(f32[3])",
        "grad(inverse_square)(f32[3])",
        "grad(log_of_norm)(f32[3])",
        "grad(log_of_less)(f32[3])",
        "grad(force_of_distance)(f32[3], f32[3])",
        "grad(norm_of_product)(f32[3], f32[3])",
        "grad(norm_of_replaced)(f32[3], f32[3])",
        "grad(norm_of_noisy)(f32[3], key(0))",
        "grad(lambda x: jnp.sum(x**2))(f32[8])",
    ),
    "float64-not-available": (
        "zeros_in_float32(f32[4])",
        "by_numpy_scalar(f32[4])",
        "integers_in_64(f32[4])",
        "jnp.linspace(0.0, 1.0, 5)",
    ),
    "unrolled-loop": (
        "few_rounds(f32[4])",
        "compiled_soon(f32[4])",
        "scanned(f32[4])",
        "growing(f32[4])",
        "jax.tree.map(lambda p: jnp.tanh(p) * 2 + 1, [f32[4] for _ in range(60)])",
        "horner(f32[4])",
        "eliminated(f32[6, 6])",
        "written_out(f32[4])",
    ),
    "loop-for-vmap": (
        "vmap(row)(f32[40, 8])",
        "update_all([f32[4] for _ in range(60)])",
        "few_rows(f32[4, 8])",
        "each_row(f32[40, 8])",
        "different_rows(f32[40, 40])",
    ),
    "cond-under-vmap": (
        "either(f32[100])",
        "vmap(lambda x: jnp.where(x.sum() > 0, jnp.sin(x), x))(f32[64, 100])",
        "vmap(small_either)(f32[64])",
        "vmap(either_by_other, in_axes=(None, 0))(True, f32[64, 100])",
    ),
    "callback-in-loop": (
        "callback_once(f32[4])",
        "callback_in_few(f32[4])",
        "callback_in_branch(f32[4])",
        "print_once(f32[4])",
        "print_sometimes(f32[4])",
        "pure_loop(f32[4])",
    ),
    "gather-for-slice": (
        "sliced(f32[8])",
        "scattered_list(f32[8])",
        "by_argument(f32[8], jnp.arange(3))",
        "by_a_table(f32[8])",
        "diagonal(f32[4, 4])",
        "by_argsort(f32[8])",
        "jnp.roll(f32[8], 2)",
        "jnp.repeat(f32[8], 2)",
    ),
    "log-of-softmax": (
        "jax.nn.log_softmax(f32[8])",
        "log_of_clipped(f32[8])",
        "log_of_mean(f32[8])",
        "softmax_alone(f32[8])",
    ),
    "naive-softmax": (
        "stable_softmax(f32[8])",
        "jax.nn.softmax(f32[8])",
        "kernel_weights(f32[8])",
        "normalized(f32[8])",
    ),
    "naive-logsumexp": (
        "jax.nn.logsumexp(f32[8])",
        "stable_logsumexp(f32[8])",
        "log_of_sum_of_gaussians(f32[8])",
        "logsumexp_of_logs(f32[8])",
    ),
    "log-of-one-plus-exp": (
        "jax.nn.softplus(f32[8])",
        "jnp.logaddexp(f32[8], 0.0)",
        "decaying(f32[8])",
    ),
    "log-of-sigmoid": (
        "jax.nn.log_sigmoid(f32[8])",
        "log_of_tanh(f32[8])",
        "sigmoid_of_log(f32[8])",
    ),
    "cancellation": (
        "jnp.log1p(f32[8])",
        "log_of_eps_plus(f32[8])",
        "log_of_count(i32[8])",
        "two_passes(f32[8, 16])",
        "jnp.var(f32[8])",
        "one_minus_sin(f32[8])",
        "one_minus_cos_of_large(f32[8])",
        "one_minus_cos_of_orders(i32[8])",
        "exp_minus_one_of_large(f32[8])",
        "log_of_one_plus_large(f32[8])",
        "log_of_first_state(f32[8])",
        "exp_minus_two(f32[8])",
        "loss_of_log_of_one_plus(f32[8])",
        "exp_minus_one_alone(f32[8])",
        "one_minus_cos_and_more(f32[8])",
        "share_of_growth(f32[8])",
        "softplus_of_shifted(f32[8])",
        "softplus_of_slope(f32[8], f32[8])",
    ),
    "where-gradient": (
        "grad(double_where)(f32[8])",
        "safe_sqrt(f32[8])",
        "grad(relu_by_where)(f32[8])",
        "grad(where_of_other)(f32[8], f32[8])",
        "grad(sqrt_of_shifted)(f32[8])",
        "grad(safe_exp)(f32[8])",
        "grad(jax.nn.relu)(f32[()])",
        "grad(where_above_one)(f32[8])",
        "grad(log_from_zero)(f32[8])",
        "grad(sqrt_where_not_positive)(f32[8])",
    ),
    "low-precision-accumulation": (
        "running_sum(bf16[1000])",
        "gives_sums_back(bf16[1000])",
        "jnp.sum(bf16[5000])",
        "jnp.mean(f16[5000])",
        "carried_sum(f32[5000])",
        "few_terms(bf16[50])",
        "decayed_average(bf16[1000])",
        "float32_carry(bf16[1000])",
    ),
    "trace-time-print": (
        "print_once(f32[4])",
        "says_print(f32[4])",
        "prints_shape(f32[4])",
        "prints_text(f32[4])",
    ),
    "trace-time-io": ("reads_file(f32[4])",),
    "trace-time-clock": ("scaled_by_time(f32[4], 2.0)", "sorted_times(f32[4])"),
    "trace-time-random": ("jax_noise(f32[4], key(0))", "seeded_table(f32[4])"),
    "impure-closure": ("own_list(f32[4])", "reads_closure(f32[4])"),
    "impure-global": ("reads_global(f32[4])",),
    "captured-constant": (
        "adds_table(f32[4])",
        "closed_over(f32[4])",
        "adds_weights(f32[4])",
        "adds_scale(f32[4])",
        "adds_late_table(f32[4])",
        "adds_once_changed(f32[4])",
        "looks_up(f32[4])",
    ),
    "key-reuse": ("draws_from_split(key(0))", "folds_in(key(0))"),
    "constant-key-in-loop": ("folded_in_scan(f32[4])", "scans_keys(f32[4])"),
    "key-never-used": (
        "draws_from_split(key(0))",
        "next_key_dropped(key(0))",
        "discarded_by_name(key(0))",
        "returned_key(key(0))",
        "kept_in_a_dict(key(0))",
        "used_in_a_branch(key(0), False)",
        "used_in_inner(key(0))",
        "used_in_next_round(key(0))",
        "unpacked_whole(key(0))",
        "carried_key(key(0))",
        "given_to_what_ignores_it(key(0))",
        "rest_of_another(key(0))",
        "rest_of_the_last(key(0))",
        "rest_for_later(key(0))",
        "rest_by_place(key(0))",
        "rest_in_second_place(key(0))",
        "used_in_a_comment(key(0))",
    ),
    "impure-default": (
        "appends_to_default(f32[4], [])",
        "reads_default(f32[4])",
        "copies_default(f32[4])",
        "none_default(f32[4])",
    ),
    "same-seed-twice": (
        "seeded_in_rounds(f32[4])",
        "seeded_once(f32[4])",
        "two_seeds(f32[4])",
        "shape_only(f32[4])",
        "one_of_two(f32[4])",
    ),
    "state-changes-type": (
        "update((f32[3], jnp.float32(1.0)), f32[3])",
        "counted((f32[3], 0), f32[3])",
        "grad(lambda p, x: (p[0] * p[1] * x).sum())((f32[3], 1.0), f32[3])",
        "swapped(f32[3], f32[2])",
        "all_narrow((f32[3], f32[3]))",
    ),
}


# Loops.


def step(x):
    return jnp.tanh(x) * 1.5 + jnp.sin(x) - 0.1 * x


def chained_loop(x):
    for _ in range(200):
        x = jnp.tanh(x) * 1.5 + jnp.sin(x) - 0.1 * x
    return x


def while_loop(x):
    n = 0
    while n < 200:
        x = step(x)
        n += 1
    return x


def layers(weights, x):
    for weight in weights:
        x = jnp.tanh(weight @ x) + x
        x = x / (1.0 + jnp.abs(x).max())
    return x


@jax.jit
def inner(m):
    return jnp.tanh(m @ m) * 0.5 + m - jnp.cos(m) + jnp.sin(m) * 2.0


def calls_in_a_loop(m):
    for _ in range(120):
        m = inner(m)
    return m


def nested_loops(x):
    for _ in range(15):
        for _ in range(12):
            x = step(x)
    return x


def few_rounds(x):
    for _ in range(4):
        x = step(x)
    return x


def compiled_soon(x):
    for _ in range(60):
        x = step(x)
    return x


def scanned(x):
    return jax.lax.scan(lambda c, _: (step(c), None), x, None, length=100)[0]


def growing(x):
    for _ in range(30):
        x = jnp.concatenate([x, jnp.sin(x[-1:]) + jnp.cos(x[:1]) * 2.0])
    return x


def written_out(x):
    for _ in range(200):  # unrolled, so that XLA fuses it
        x = jnp.tanh(x) * 1.5 + jnp.sin(x) - 0.1 * x
    return x


def eliminated(m):
    a = [[m[i, j] for j in range(6)] for i in range(6)]
    for p in range(6):
        inverse = 1.0 / a[p][p]
        a[p] = [v * inverse for v in a[p]]
        for r in range(6):
            if r != p:
                a[r] = [v - a[r][p] * w for v, w in zip(a[r], a[p], strict=True)]
    return jnp.stack([jnp.stack(row) for row in a])


def horner(x):
    total = jnp.zeros_like(x)
    for n in range(12):
        total = total * x + n
    return total


def row(r):
    return jnp.tanh(r).sum() * 2.0 + r[0] - jnp.sin(r).max()


def each_row(x):
    return jnp.stack([row(x[i]) for i in range(x.shape[0])])


def each_by_append(x):
    out = []
    for i in range(len(x)):
        y = jnp.sin(x[i])
        out.append(y * y + 1.0 - jnp.tanh(y))
    return jnp.stack(out)


def each_pair(x, y):
    out = []
    for i in range(len(x)):
        out.append(jnp.dot(x[i], y[i]) / (jnp.sqrt(jnp.dot(x[i], x[i])) + 1.0))
    return jnp.array(out)


def zipped_rows(x):
    return [jnp.exp(-(each**2)).sum() + jnp.cos(each[0]) for each in x]


def update_all(params):
    return [p - 0.1 * jnp.tanh(p) for p in params]


def few_rows(x):
    return jnp.stack([row(x[i]) for i in range(4)])


def different_rows(x):
    return jnp.stack([jnp.tanh(x[i, : i + 1]).sum() for i in range(40)])


# Branches.


def either(x):
    return jax.lax.cond(
        x.sum() > 0, lambda x: jnp.sin(jnp.cos(x)) * 2, lambda x: jnp.exp(jnp.tanh(x)), x
    )


def in_scan(x):
    return jax.lax.scan(lambda c, _: (either(c), None), x, None, length=10)[0]


def three_ways(n, x):
    return jax.lax.switch(
        n, [jnp.sin, lambda x: jnp.tanh(x) * jnp.cos(x), lambda x: jnp.exp(jnp.sin(x))], x
    )


def small_either(x):
    return jax.lax.cond(x > 0, jnp.sin, jnp.cos, x)


def either_by_other(flag, x):
    return jax.lax.cond(flag, lambda x: jnp.sin(jnp.cos(x)), lambda x: jnp.exp(jnp.tanh(x)), x)


# Callbacks.


def on_host(x):
    return np.asarray(x)


def pure(x):
    return jax.pure_callback(on_host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def callback_in_scan(x):
    return jax.lax.scan(lambda c, _: (pure(c) + 1.0, None), x, None, length=500)[0]


def callback_in_while(x):
    return jax.lax.while_loop(lambda c: c.sum() < 100.0, lambda c: pure(c) + 1.0, x)


def print_in_fori(x):
    def body(i, c):
        jax.debug.print("{i} {c}", i=i, c=c)
        return c * 0.5

    return jax.lax.fori_loop(0, 1000, body, x)


def callback_in_nested_scans(x):
    def outer(c, _):
        return jax.lax.scan(lambda c, _: (pure(c) + 1.0, None), c, None, length=20)[0], None

    return jax.lax.scan(outer, x, None, length=20)[0]


def callback_once(x):
    return pure(x) * 2.0


def callback_in_branch(x):
    return jax.lax.cond(x.sum() > 0, callback_in_nested_scans, lambda x: x, x)


def callback_in_few(x):
    return jax.lax.scan(lambda c, _: (pure(c) + 1.0, None), x, None, length=3)[0]


def print_once(x):
    jax.debug.print("{x}", x=x)
    return x


def print_sometimes(x):
    def body(i, c):
        jax.lax.cond(i % 100 == 0, lambda: jax.debug.print("{i}", i=i), lambda: None)
        return c * 0.5

    return jax.lax.fori_loop(0, 1000, body, x)


def pure_loop(x):
    return jax.lax.fori_loop(0, 1000, lambda i, c: c * 0.5, x)


# Gathers.


def first_by_arange(x):
    return x[jnp.arange(3)]


def by_known_list(x):
    return x[np.array([2, 3, 4])] * 2.0


def every_second(x):
    return x[jnp.arange(0, 8, 2)]


def taken(x):
    return jnp.take(x, jnp.arange(2, 6), axis=0)


def column_by_array(x):
    return x[:, np.array([1, 2, 3])]


def sliced(x):
    return x[:3] + x[1:4] + x[::-1][:3]


def scattered_list(x):
    return x[np.array([0, 3, 4])]


def by_argument(x, indices):
    return x[indices]


PLACES = (1, 2)


def by_a_table(x):  # in a row by chance
    return x[jnp.array(PLACES)]


def diagonal(x):
    return x[jnp.arange(4), jnp.arange(4)] + jnp.diag(x)


def by_argsort(x):
    return x[jnp.argsort(x)]


# Numerics.


def log_softmax_by_hand(x):
    return jnp.log(jax.nn.softmax(x))


def cross_entropy(logits, labels):
    probabilities = jax.nn.softmax(logits, axis=-1)
    return -jnp.take_along_axis(jnp.log(probabilities), labels[:, None], axis=-1).mean()


def stable_softmax(x):
    e = jnp.exp(x - x.max())
    return e / e.sum()


def log_of_own_softmax(x):
    return jnp.log(stable_softmax(x))


def entropy(x):
    p = jax.nn.softmax(x, axis=-1)
    return -(p * jnp.log(p)).sum(-1)


def log_of_clipped(x):
    return jnp.log(jnp.clip(jax.nn.softmax(x), 1e-6, 1.0))


def log_of_mean(x):
    return jnp.log(jnp.exp(-(x**2)) / 3.0)


def softmax_alone(x):
    return jax.nn.softmax(jnp.log(jnp.abs(x) + 2.0))


def own_softmax(x):
    e = jnp.exp(x)
    return e / jnp.sum(e)


def attention(q, k):
    scores = jnp.exp(q @ k.T / 2.0)
    return scores / scores.sum(axis=-1, keepdims=True)


def weights(x):
    return jnp.exp(x) / jnp.exp(x).sum(axis=1, keepdims=True)


def kernel_weights(x):
    e = jnp.exp(-(x**2))
    return e / e.sum()


def normalized(x):
    return x / x.sum()


def own_logsumexp(x):
    return jnp.log(jnp.sum(jnp.exp(x)))


def partition(x):
    return jnp.log(jnp.exp(2.0 * x).sum(axis=-1)).mean()


def mixture(x, w):
    return jnp.log(jnp.sum(jnp.exp(x + w)))


def stable_logsumexp(x):
    m = jax.lax.stop_gradient(x.max())
    return m + jnp.log(jnp.exp(x - m).sum())


def log_of_sum_of_gaussians(x):
    return jnp.log(jnp.exp(-0.5 * x**2).sum())


def logsumexp_of_logs(x):
    return jnp.log(jnp.sum(jnp.exp(jax.nn.log_softmax(x))))


def own_softplus(x):
    return jnp.log(1.0 + jnp.exp(x))


def own_softplus_log1p(x):
    return jnp.log1p(jnp.exp(x))


def logistic_loss(x, y):
    return jnp.log(1 + jnp.exp(y * x)).mean()


def decaying(x):
    return jnp.log1p(jnp.exp(-jnp.abs(x)))


def log_of_sigmoid(x):
    return jnp.log(jax.nn.sigmoid(x))


def binary_cross_entropy(x, y):
    p = jax.nn.sigmoid(x)
    return -(y * jnp.log(p) + (1 - y) * jnp.log(1 - p)).mean()


def log_of_one_minus(x):
    return jnp.log(1.0 - jax.nn.sigmoid(x))


def log_of_tanh(x):
    return jnp.log(jnp.tanh(x) + 2.0)


def sigmoid_of_log(x):
    return jax.nn.sigmoid(jnp.log(x))


def log_of_one_plus(x):
    return jnp.sqrt(jnp.log(1.0 + x**2))


def exp_minus_one(x):
    return x**3 / (jnp.exp(x) - 1.0)


def mean_of_growth(x):
    return (jnp.exp(2.0 * x) - 1.0) / (2.0 * x)


def loss_of_log_of_one_plus(x):
    return jnp.log(1.0 + x**2).sum()


def exp_minus_one_alone(x):
    return jnp.exp(x) - 1.0


def one_minus_cos_and_more(x):
    return (1.0 - jnp.cos(x)) / 2.0 + x


def softplus_of_shifted(x):
    slope = jnp.array(1e-4, dtype=x.dtype)
    return jax.nn.softplus(x + jnp.log(jnp.exp(1.0 - slope) - 1.0))


def softplus_of_slope(x, slope):
    return jax.nn.softplus(x + jnp.log(jnp.exp(1.0 - slope) - 1.0))


def share_of_growth(x):
    return (jnp.exp(x) - 1.0) / (jnp.exp(2.0) - 1.0)


def one_minus_cos(x):
    return (1.0 - jnp.cos(x)) / x


def variance_by_squares(x):
    return jnp.mean(x**2, axis=1) - jnp.mean(x, axis=1) ** 2


def own_layer_norm(x):
    mean = x.mean(-1, keepdims=True)
    variance = jnp.mean(jnp.square(x), -1, keepdims=True) - jnp.square(mean)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-6)


def exp_of_small_steps_minus_one(n):
    return (jnp.exp(n * 1e-6) - 1.0) / n


def one_minus_cos_of_orders(n):
    return 1.0 - jnp.cos((n + 1) * jnp.pi)


def log_of_eps_plus(x):
    return jnp.log(1e-8 + x**2)


def log_of_count(n):
    return jnp.log(1.0 + n)


def two_passes(x):
    return jnp.mean((x - x.mean(1, keepdims=True)) ** 2, axis=1)


def one_minus_cos_of_large(x):
    is_small = x < 1e-2
    large = jnp.sqrt(jnp.where(is_small, 1.0, x * x))
    return jnp.where(is_small, x * x / 2, 1.0 - jnp.cos(large))


def exp_minus_one_of_large(x):
    return jnp.where(x > 0.1, jnp.exp(jnp.where(x > 0.1, x, 1.0)) - 1.0, jnp.expm1(x))


def log_of_one_plus_large(x):
    return jnp.log(1.0 + jnp.maximum(x, 0.5))


def log_of_first_state(x):
    scale = jnp.ones(8)
    return jnp.log(scale + x * 0.1)


def one_minus_sin(x):
    return 1.0 - jnp.sin(x)


def exp_minus_two(x):
    return jnp.exp(x) - 2.0


def safe_sqrt(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0).sum()


def safe_log(x):
    return jnp.sum(jnp.where(x != 0, jnp.log(x), 0.0))


def safe_division(x, y):
    return jnp.where(y == 0, 0.0, x / y).sum()


def norm_or_zero(x):
    squares = jnp.sum(x * x)
    return jnp.where(squares == 0.0, 0.0, jnp.sqrt(squares))


def x_log_x(x):
    return jnp.where(x > 0, x * jnp.log(x), 0.0)


def double_where(x):
    safe = jnp.where(x > 0, x, 1.0)
    return jnp.where(x > 0, jnp.sqrt(safe), 0.0).sum()


def relu_by_where(x):
    return jnp.where(x > 0, x, 0.0).sum()


def where_of_other(x, y):
    return jnp.where(y > 0, jnp.sqrt(x), 0.0).sum()


def sqrt_of_shifted(x):
    return jnp.where(x > 0, jnp.sqrt(x**2 + 1.0), 0.0).sum()


def safe_exp(x):
    return jnp.where(x > 0, jnp.exp(-x), 1.0).sum()


def sqrt_from_zero(x):
    return jnp.where(x >= 0, jnp.sqrt(x), 0.0).sum()


def log_from_zero(x):
    return jnp.where(x >= 0, jnp.log(x), 0.0).sum()


def sqrt_where_not_positive(x):
    return jnp.where(x <= 0, jnp.sqrt(x), 1.0).sum()


def where_above_one(x):
    return jnp.where(x > 1.0, jnp.log(jnp.maximum(x, 1.0)), 0.0).sum()


def carried_sum(x):
    return jax.lax.scan(lambda c, e: (c + e, None), jnp.zeros((), x.dtype), x)[0]


def running_sum(x):
    return jnp.cumsum(x) / 2


def carried_mean(x):
    def body(carry, e):
        total, n = carry
        return (total + e * e, n + 1), None

    total, n = jax.lax.scan(body, (jnp.zeros((), x.dtype), 0), x)[0]
    return total / n


def count_in_bfloat(x):
    def body(count, e):
        return count + (e > 0).astype(jnp.bfloat16), e

    return jax.lax.scan(body, jnp.bfloat16(0), x)[0]


def gives_sums_back(x):
    return jax.lax.scan(lambda c, e: (c, c + e), jnp.zeros((), x.dtype), x)


def few_terms(x):
    return jnp.cumsum(x)


def decayed_average(x):
    return jax.lax.scan(lambda c, e: (0.9 * c + 0.1 * e, None), jnp.bfloat16(0), x)[0]


def float32_carry(x):
    return jax.lax.scan(lambda c, e: (c + e.astype(jnp.float32), None), jnp.float32(0), x)[0]


# What Python does while JAX traces.


TABLE = np.linspace(0.0, 1.0, 4, dtype=np.float32)
bias = np.linspace(0.0, 2.0, 4, dtype=np.float32)
GENERATOR = np.random.default_rng(0)
COUNT = 0
LOG = []
LIMIT = 3.0


def prints(x):
    print("x is", x)
    return (x * 2.0).sum()


def prints_text_of_array(x):
    print(f"x is {x}", x.shape)
    return x * 2.0


def prints_shape(x):
    print("shape:", x.shape, x.dtype)
    return x * 2.0


def prints_a_dictionary(x):
    print({"x": x})
    return x * 2.0


def prints_text(x):
    print("compiling")
    return x * 2.0


def helper(x):
    print("in the helper", x.sum())
    return x * 2.0


def prints_in_helper(x):
    return helper(x) + 1.0


def times_itself(x):
    start = time.time()
    y = jnp.sin(x)
    return y, time.time() - start


def times_by_name(x):
    start = perf_counter()
    y = jnp.sin(x)
    return y * (perf_counter() - start)


def seeds_by_clock(x):
    return x + jax.random.normal(jax.random.key(time.time_ns() % 1000), x.shape)


def numpy_noise(x):
    return x + np.random.normal(size=4)


def python_noise(x):
    return x * random.uniform(0.9, 1.1)


def generator_noise(x):
    return x + GENERATOR.normal(size=4)


def unseeded_noise(x):
    return x + np.random.default_rng().normal(size=4)


def reads_file(x):
    with open(__file__) as file:
        return x * len(file.readline())


def appends_to_file(x):
    with open(os.devnull, mode="a") as file:
        file.write("traced")
    return x


def writes_file(x):
    with open(os.devnull, "w") as file:
        file.write("traced")
    return x


def says_print(x):
    print_it = False
    return x if not print_it else -x


def scaled_by_time(x, time):
    return x * time


def sorted_times(x):
    times = jnp.sort(x)
    return times[0]


def jax_noise(x, key):
    return x + jax.random.normal(key, x.shape)


def seeded_table(x):
    return x + np.random.default_rng(0).normal(size=4).astype(np.float32)


# Closures, globals, captured arrays.


def make_counting():
    count = 0

    def counting(x):
        nonlocal count
        count += 1
        return x * count

    return counting


def make_appending():
    seen = []

    def appending(x):
        y = jnp.sin(x)
        seen.append(y)
        return y

    return appending


def make_memoizing():
    known = {}

    def memoizing(x):
        if "y" not in known:
            known["y"] = jnp.cos(x)
        return known["y"]

    return memoizing


def make_own_list():
    seen = [1, 2]

    def own_list(x):
        own = [*seen]
        own.append(x)
        return own[-1]

    return own_list


def make_reading():
    factor = 3.0

    def reads_closure(x):
        return x * factor

    return reads_closure


counting, appending, memoizing = make_counting(), make_appending(), make_memoizing()
own_list, reads_closure = make_own_list(), make_reading()


def counts(x):
    global COUNT
    COUNT += 1
    return x * COUNT


def logs(x):
    LOG.append(x.shape)
    return x


def reads_global(x):
    return x * LIMIT


def adds_bias(x):
    return x + bias


def adds_table(x):
    return x + TABLE


def train_bias(x):
    for _ in range(3):
        bias[:] = compiled_bias(x) * 0.9


compiled_bias = jax.jit(adds_bias)
weights_of_all = jnp.arange(4.0)
large_table = jnp.ones(1 << 18)
scale = jnp.arange(4.0)
late_table = None


def adds_weights(x):
    return x + weights_of_all


def new_weights(w):
    global weights_of_all
    weights_of_all = w


def reads_a_large_table(x):
    return x + large_table[:4]


class Holder:
    def __init__(self):
        self.table = jnp.full(1 << 18, 2.0)

    def adds(self, x):
        return x + self.table[:4]


holder = Holder()


def make_lookup():
    table = jnp.full(1 << 18, 3.0)
    return lambda x: x + table[:4]


lookup = make_lookup()


def looks_up(x):
    return lookup(x)


@jax.jit
def adds_scale(x):  # changed by nothing that runs after a call
    return x + scale


scale = scale * 2.0


def set_up(table):
    global late_table
    late_table = table


@jax.jit
def adds_late_table(x):
    return x + late_table


set_up(jnp.arange(4.0))


def make_closed_over_and_changed():
    table = np.arange(4.0, dtype=np.float32)

    @jax.jit
    def closed_over_and_changed(x):
        return x * table

    first = closed_over_and_changed(table)
    table *= 2.0
    closed_over_and_changed(first)
    return closed_over_and_changed


def make_once_changed():
    table = np.arange(4.0, dtype=np.float32)

    @jax.jit
    def adds_once_changed(x):
        return x * table

    table *= 2.0
    adds_once_changed(table)
    return adds_once_changed


adds_once_changed = make_once_changed()
closed_over_and_changed = make_closed_over_and_changed()


def make_closed_over():
    table = jnp.arange(4.0)

    def closed_over(x):
        return x * table

    return closed_over


closed_over = make_closed_over()


# Keys.


def draws_twice(key):
    return jax.random.normal(key, (3,)) + jax.random.uniform(key, (3,))


def draws_in_a_loop(key):
    total = 0.0
    for _ in range(3):
        total += jax.random.normal(key)
    return total


def make_closed_over_key():
    key = jax.random.key(7)

    def closed_over_key(x):
        return x + jax.random.normal(key, (4,)) * jax.random.uniform(key, (4,))

    return closed_over_key


closed_over_key = make_closed_over_key()


def draws_from_split(key):
    one, other = jax.random.split(key)
    return jax.random.normal(one, (3,)) + jax.random.uniform(other, (3,))


def folds_in(key):
    return sum(jax.random.normal(jax.random.fold_in(key, i)) for i in range(3))


def seeded_in_scan(x):
    def body(c, _):
        return c + jax.random.normal(jax.random.key(0), c.shape), None

    return jax.lax.scan(body, x, None, length=5)[0]


def seeded_in_fori(x):
    return jax.lax.fori_loop(
        0, 5, lambda i, c: c + jax.random.uniform(jax.random.PRNGKey(3), c.shape), x
    )


def folded_in_scan(x):
    def body(c, i):
        return c + jax.random.normal(jax.random.fold_in(jax.random.key(0), i), c.shape), None

    return jax.lax.scan(body, x, jnp.arange(5))[0]


def scans_keys(x):
    def body(c, key):
        return c + jax.random.normal(key, c.shape), None

    return jax.lax.scan(body, x, jax.random.split(jax.random.key(0), 5))[0]


def seeded_twice(x):
    noise = jax.random.normal(jax.random.key(0), x.shape)
    mask = jax.random.uniform(jax.random.key(0), x.shape)
    return x + noise * mask


def seeded_twice_in_a_line(x):
    return x + jax.random.normal(jax.random.key(0), (4,)) * jax.random.uniform(jax.random.key(0))


def seeded_in_rounds(x):
    def noise():
        return jax.random.normal(jax.random.key(0), x.shape)

    return x + noise() - noise()


def init_weight(n):
    return jax.random.normal(jax.random.PRNGKey(1), (n,))


def init_bias(n):
    return jax.random.uniform(jax.random.PRNGKey(1), (n,))


def seeded_in_helpers(x):
    return x * init_weight(4) + init_bias(4)


def seeded_once(x):
    return x + jax.random.normal(jax.random.key(0), x.shape)


def two_seeds(x):
    noise = jax.random.normal(jax.random.key(0), x.shape)
    return x + noise * jax.random.uniform(jax.random.key(1), x.shape)


def one_of_two(x):
    return jax.lax.cond(
        x.sum() > 0,
        lambda: jax.random.normal(jax.random.key(0), (4,)),
        lambda: jax.random.uniform(jax.random.key(0), (4,)),
    )


def shape_only(x):
    jax.random.key(0)
    return x + jax.random.normal(jax.random.key(0), x.shape)


def second_of_split_unused(key):
    one, other = jax.random.split(key)
    return jax.random.normal(one, (3,))


def draws_from_the_first_again(key):
    for_noise, for_mask = jax.random.split(key)
    noise = jax.random.normal(for_noise, (3,))
    return noise * jax.random.bernoulli(jax.random.fold_in(for_noise, 1), 0.5, (3,))


def one_of_three_unused(key):
    a, b, c = jax.random.split(key, 3)
    return jax.random.normal(a) + jax.random.normal(c)


def folded_and_left(key):
    later = jax.random.fold_in(key, 1)
    return jax.random.normal(jax.random.fold_in(key, 2))


def made_and_left(x):
    key = jax.random.key(3)
    return x * 2


def raw_key_unused(key):
    one, other = jax.random.split(key)
    return jax.random.normal(other)


def left_in_the_last_split(key):
    key, subkey = jax.random.split(key)
    x = jax.random.normal(subkey)
    key, subkey = jax.random.split(key)
    return x + jax.random.normal(key)


def next_key_dropped(key):
    key, subkey = jax.random.split(key)
    return jax.random.normal(subkey)


def discarded_by_name(key):
    one, _ = jax.random.split(key)
    other, _rest, unused_key = jax.random.split(one, 3)
    return jax.random.normal(other)


def returned_key(key):
    one, other = jax.random.split(key)
    return jax.random.normal(one), other


def kept_in_a_dict(key):
    state = {}
    one, state["key"] = jax.random.split(key)
    other, third = jax.random.split(state["key"])
    return jax.random.normal(one) + jax.random.normal(other), {"key": third}


def used_in_a_branch(key, is_noisy):
    one, other = jax.random.split(key)
    x = jax.random.normal(one)
    return x + jax.random.normal(other) if is_noisy else x


def used_in_inner(key):
    one, other = jax.random.split(key)

    def draw():
        return jax.random.normal(other)

    return jax.random.normal(one), draw


def used_in_next_round(key):
    total, subkey = 0.0, key
    for _ in range(3):
        total += jax.random.normal(jax.random.fold_in(subkey, 7))
        key, subkey = jax.random.split(key)
    return total


def unpacked_whole(key):
    keys = jax.random.split(key, 3)
    return jax.vmap(jax.random.normal)(keys)


def carried_key(key):
    def body(carry, _):
        carry, subkey = jax.random.split(carry)
        return carry, jax.random.normal(subkey)

    return jax.lax.scan(body, key, None, length=3)[1]


def ignores(x, key):
    return x * 2


def given_to_what_ignores_it(key):
    one, other = jax.random.split(key)
    return ignores(jax.random.normal(one), other)


def rest_of_another(seed):
    rng, one, other = jax.random.split(seed, 3)
    return jax.random.normal(one) + jax.random.normal(other)


def rest_of_the_last(subkey):
    for _ in range(2):
        key, subkey = jax.random.split(subkey)
    return jax.random.normal(subkey)


def first_for_a_purpose_unused(key):
    init_key, noise_key = jax.random.split(key)
    return jax.random.normal(noise_key)


def third_of_a_series_unused(key):
    k1, k2, k3 = jax.random.split(key, 3)
    return jax.random.normal(k1) + jax.random.uniform(k2)


def rest_by_place(key):
    one, two = jax.random.split(key)
    x = jax.random.normal(one)
    three, four = jax.random.split(two)
    return x + jax.random.normal(three)


def rest_in_second_place(seed):
    one, rng = jax.random.split(seed)
    return jax.random.normal(one)


def used_in_a_comment(key):
    one, other = jax.random.split(key)
    # return jax.random.normal(other)
    return jax.random.normal(one)


def rest_for_later(key):
    next_key, one = jax.random.split(key)
    fold, _fold = jax.random.split(one)
    return jax.random.normal(_fold)


# Defaults of arguments.


def appends_to_default(x, seen=[]):
    seen.append(x)
    return x * 2


def caches_in_default(x, cache={}):
    if "x" not in cache:
        cache["x"] = jnp.sin(x)
    return x * 2


def by_keyword_default(x, *, shapes=set()):
    shapes.add((len(shapes), x.shape))
    return x * 2


def noting(x, notes=[]):
    notes.append("called")
    return x + 1


def calls_a_helper_with_default(x):
    return noting(x) * 2


def reads_default(x, factors=[2.0, 3.0]):
    return x * factors[0]


def copies_default(x, factors=[2.0, 3.0]):
    own = [*factors]
    own.append(x)
    return own[-1]


def none_default(x, seen=None):
    seen = [] if seen is None else seen
    seen.append(x)
    return seen[0]


# State.


def update(state, x):
    w, rate = state
    return w + rate * x, rate * (1.0 + x.sum())


def train(state, x):
    lr = state["lr"] * jnp.float32(0.9)
    return {"w": state["w"] - lr * x, "lr": lr, "n": state["n"] + 1}, (x * x).sum()


def narrow(state):
    return state[0], state[1] * 2.0, state[2].astype(jnp.bfloat16)


def counted(state, x):
    w, n = state
    return w + x, n + 1


def swapped(a, b):
    return b, a


def all_narrow(state):
    return tuple(each.astype(jnp.bfloat16) for each in state)


# Indices outside of the array.


def eleventh(x):
    return x[10] * 2.0


def ninth_from_the_end(x):
    return x[-9]


def column_of_three(m):
    return m[:, 3]


def slice_off_the_end(x):
    return jax.lax.dynamic_slice(x, (6,), (4,))


def written_list(x):
    return x[jnp.array([1, 9])]


def set_off_the_end(x):
    return x.at[10].set(1.0)


def add_off_the_end(x):
    return x.at[8].add(1.0)


def update_off_the_end(x):
    return jax.lax.dynamic_update_slice(x, jnp.ones(4), (6,))


def taken_off_the_end(x):
    return jnp.take(x, 9)


def last_round(x):
    total = 0.0
    for i in range(8):
        total += x[i + 1]
    return total


def eighth(x):
    return x[7] + x[jnp.array([0, 7])].sum()


def eighth_from_the_end(x):
    return x[-8] + x.at[-1].get()


def plain_slice_past_the_end(x):
    return x[5:20]


def slice_to_the_end(x):
    return jax.lax.dynamic_slice(x, (4,), (4,))


def clipped_on_purpose(x):
    return jnp.take(x, 9, mode="clip") + x.at[10].get(mode="fill", fill_value=0.0)


def dropped_on_purpose(x):
    return x.at[8].set(1.0, mode="drop")


def from_argument(x, i):
    return x[i + 100]


def guarded(x):
    return jax.lax.cond(x.shape[0] > 10, lambda x: x[10], lambda x: x[0], x)


def own_table(x):
    return x.at[jnp.arange(1, 9)].add(1.0)


def set_last(x):
    return x.at[-1].set(0.0).at[7].add(2.0)


def empty_update(x):
    return jax.lax.dynamic_update_slice(x, jnp.zeros(0), (8,))


# Gradients that are 0.


def through_floor(w):
    return jnp.floor(w * 3.0).sum()


def share_above(w):
    return jnp.mean(w > 0.5)


def accuracy(w, labels, x):
    return jnp.mean(jnp.argmax(x * w, axis=1) == labels)


def through_round(w):
    return (jnp.round(w) ** 2).sum()


def stopped(w):
    return (jax.lax.stop_gradient(w) ** 2).sum()


def as_integers(w):
    return w.astype(jnp.int32).sum().astype(jnp.float32)


def signs(p, x):
    return jnp.sign(x @ p["w"] + p["b"]).mean()


def with_aux(w):
    return jnp.floor(w).sum(), w


def scaled_floor(scale, w):
    return (scale * jnp.floor(w)).sum()


def straight_through(w):
    return (w + jax.lax.stop_gradient(jnp.round(w) - w)).sum()


def floor_and_more(w):
    return (jnp.floor(w) * w).sum()


def stopped_target(w, target):
    return ((w - jax.lax.stop_gradient(target)) ** 2).sum()


def masked_sum(w):
    return jnp.where(w > 0, w, 0.0).sum()


def constant(w):
    return jnp.float32(3.0)


def linear_beside_a_mask(w, x):
    return jnp.where(x > 0, x, 0.0).sum()


def unused_comparison(w):
    _ = w > 0
    return jnp.float32(3.0)


@jax.custom_jvp
def without_slope(w):
    return jnp.where(w > 0, w, 0.1 * w)


@without_slope.defjvp
def _(primals, tangents):
    return without_slope(*primals), jnp.zeros_like(tangents[0])


def by_a_rule_of_its_own(w):
    return without_slope(w).sum()


def floor_in_a_loop(w):
    return jax.lax.scan(lambda c, _: (jnp.floor(c), None), w, None, length=3)[0].sum()


def compares_in_a_loop(w):
    jax.lax.scan(lambda c, _: (jnp.where(c > 0, 1.0, 0.0), None), w, None, length=3)
    return jnp.float32(3.0)


def largest(w):
    return w[jnp.argmax(w)]


def with_accuracy(w, labels, x):
    logits = x * w
    return (logits**2).sum(), jnp.mean(jnp.argmax(logits, axis=1) == labels)


# Roots where they are 0.


def norm(x):
    return jnp.linalg.norm(x)


def distance(x, y):
    return jnp.sqrt(jnp.sum((x - y) ** 2))


def hypotenuse(a, b):
    return jnp.sqrt(a * a + b * b)


def root_of_dot(x):
    return jnp.sqrt(jnp.dot(x, x))


def root_mean_square(x):
    return jnp.sqrt(jnp.mean(x**2))


def shifted_norm(x):
    return jnp.sqrt(jnp.sum(x**2) + 1e-12)


def norm_of_exponentials(x):
    return jnp.sqrt(jnp.sum(jnp.exp(x) ** 2))


def plain_root(x):
    return jnp.sqrt(x).sum()


def safe_norm(x):
    square = jnp.sum(x**2)
    return jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1.0)), 0.0)


def clamped_norm(x):
    return jnp.sqrt(jnp.maximum(jnp.sum(x**2), 1e-12))


def unit_vector(x):
    return (x / jnp.linalg.norm(x, keepdims=True))[0]


def inverse_square(x):
    return 1.0 / jnp.linalg.norm(x) ** 2


def log_of_norm(x):
    return jnp.log(jnp.linalg.norm(x))


def penalized(w, x):
    return ((w * x) ** 2).sum() + 0.1 * jnp.linalg.norm(w)


def almost_unit(x):
    return (x / (jnp.linalg.norm(x) + 1e-6))[0]


def at_least(x):
    return jnp.cos(jnp.maximum(jnp.linalg.norm(x), 1e-8))


def force_of_distance(x, y):
    return jnp.exp(-jnp.linalg.norm(x - y))


def log_of_less(x):
    return jnp.log(jnp.linalg.norm(x) - x[0])


def norm_of_product(x, y):
    return jnp.linalg.norm(jnp.cross(x, y))


def norm_of_guarded(x):
    is_zero = jnp.allclose(x, 0.0)
    return jnp.linalg.norm(x + is_zero * 1.0) * (1.0 - is_zero)


def norm_of_replaced(x, other):
    w = 1.0 + x @ other
    return jnp.linalg.norm(jnp.append(w, jnp.where(w < 1e-6, x, jnp.cross(x, other))))


def norm_of_noisy(x, key):
    return jnp.linalg.norm(x + jax.random.normal(key, x.shape))


def stopped_norm(x):
    return (x / jax.lax.stop_gradient(jnp.linalg.norm(x))).sum()


# float64 where there is none.


def zeros_in_float64(x):
    return x + jnp.zeros(4, dtype=jnp.float64)


def cast_to_float64(x):
    return x.astype(jnp.float64) * 2


def complex_in_128(x):
    return jnp.asarray(x, dtype=jnp.complex128)


def by_dtype_name(x):
    return x + jnp.arange(4, dtype="float64")


def zeros_in_float32(x):
    return x + jnp.zeros(4, dtype=jnp.float32) + jnp.zeros(4)


def by_numpy_scalar(x):
    return x * np.float64(0.5)


def integers_in_64(x):
    return x + jnp.arange(4, dtype=jnp.int64)


def multiplied(x, w):
    return x @ w


def loss_of_product(x, w):
    return jnp.mean(jnp.tanh(x @ w) ** 2)


def times_vector(w, x):
    return w @ x


def products_in_a_loop(x):
    return jax.lax.fori_loop(0, 3, lambda i, y: jnp.tanh(y @ x), x)


def convolved(x, kernel):
    return jax.lax.conv(x, kernel, (1, 1), "SAME")


def convolved_by_channel(x, kernel):
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", feature_group_count=8)


def multiplied_by_rounded(x, w):
    return x @ w.astype(jnp.bfloat16)


def multiplied_in_full(x, w):
    return jnp.matmul(x, w, precision=jax.lax.Precision.HIGHEST)


def multiplied_within(x, w):
    with jax.default_matmul_precision("float32"):
        return x @ w


def multiplied_as_asked(x, w):
    return jnp.matmul(x, w, precision="default")


def product_of_rounded(x, w):
    return x.astype(jnp.float32) @ w.astype(jnp.float32)


def counted_by_one_hot(i, x):
    del x
    chosen = jax.nn.one_hot(i, 8)
    return chosen.T @ chosen


def rotated(a, b):
    return a @ b


def rotated_in_a_loop(a):
    return jax.lax.fori_loop(0, 10, lambda i, b: a @ b, a)


def by_einsum(a, b):
    return jnp.einsum("tbij,tbjk->tbik", a, b)


def beside_a_large_one(a, w):
    return a @ a, w @ w


def rotated_by_sums(a, b):
    return jnp.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2)


def sorted_in_float32(x):
    return jnp.sort(x.astype(jnp.float32)).astype(x.dtype)


def largest_first(x):
    y = jnp.sort(x.astype(jnp.float32), axis=0)
    return y[::-1].T.astype(jnp.float16)


def sorted_columns(x):
    return jnp.sort(x.astype(jnp.int32), axis=0).astype(jnp.int8)


def summed_in_float32(x):
    return jnp.sum(x.astype(jnp.float32), axis=0).astype(x.dtype)


def sorted_and_scaled(x):
    return (jnp.sort(x.astype(jnp.float32)) * 0.3).astype(x.dtype)


def sorted_to_less(x):
    return jnp.sort(x.astype(jnp.bfloat16)).astype(x.dtype)


def sorted_in_both(x):
    y = jnp.sort(x.astype(jnp.float32))
    return y.astype(x.dtype), y.mean()


def there_and_back(x):
    return x.astype(jnp.float32).astype(x.dtype) * 2


def order_in_float32(x):
    return jnp.argsort(x.astype(jnp.float32)).astype(jnp.int16)


def softmax_of_columns(x):
    return jax.nn.softmax(x.T, axis=-1).T


def softmax_between_swaps(x):
    y = jnp.swapaxes(x, 1, 2)
    y = jax.nn.softmax(y)
    return jnp.swapaxes(y, 1, 2)


def softmax_of_moved(x):
    y = jnp.moveaxis(x, 0, -1)
    e = jnp.exp(y - jnp.max(y, axis=-1, keepdims=True))
    return jnp.moveaxis(e / jnp.sum(e, axis=-1, keepdims=True), -1, 0)


def scaled_softmax_of_columns(x):
    return jax.nn.softmax(x.T * 0.125, axis=0).transpose()


def twice_transposed(x):
    return x.T.T + 1


def tanh_of_columns(x):
    return jnp.tanh(x.T).T


def softmax_and_other_order(x):
    return jax.nn.softmax(x.transpose(1, 2, 0)).transpose(1, 2, 0)


def softmax_given_both_ways(x):
    y = jax.nn.softmax(x.T)
    return y, y.T


def softmax_weighted(x, w):
    return (jax.nn.softmax(x.T) * w).T


def softmax_by_vmap(x):
    return jax.vmap(jax.nn.softmax, in_axes=1, out_axes=1)(x)


def mean_of_columns(x):
    return (x.T - x.T.mean(axis=-1, keepdims=True)).T
