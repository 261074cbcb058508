"""The facts that the lessons state, checked with JAX alone."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from .calling import load


def primitives(function, *args) -> list[str]:
    return [equation.primitive.name for equation in jax.make_jaxpr(function)(*args).eqns]


def optimized(function, *args) -> str:
    return jax.jit(function).lower(*args).compile().as_text()


def test_quick_start_is_five_equations_and_one_fusion() -> None:
    simple_graph = load("quick_start.py")["simple_graph"]
    x = jnp.arange(3.0)
    assert primitives(simple_graph, x) == ["add", "integer_pow", "add", "reduce_sum", "div"]
    assert optimized(simple_graph, x).split("ENTRY")[1].count(" fusion(") == 1


@pytest.mark.skipif(jax.__version_info__ < (0, 10), reason="older JAX writes one more equation")
def test_the_gradient_of_quick_start_has_nine_equations() -> None:
    simple_graph = load("quick_start.py")["simple_graph"]
    jaxpr = jax.make_jaxpr(jax.grad(simple_graph))(jnp.arange(3.0))
    assert len(jaxpr.eqns) == 9
    assert "_:f32[] = div" in str(jaxpr)


def test_the_gradient_of_quick_start_keeps_one_array_and_needs_no_mean() -> None:
    simple_graph, x = load("quick_start.py")["simple_graph"], jnp.arange(3.0)
    kept = jax.tree.leaves(jax.vjp(simple_graph, x)[1])
    assert [array.tolist() for array in kept if array.shape] == [(2 * (x + 2)).tolist()]
    text = optimized(jax.grad(simple_graph), x)
    assert text.split("ENTRY")[1].count(" fusion(") == 1
    words = set(re.findall(r" ([a-z-]+)\(", text))
    assert {"add", "multiply"} <= words and not words & {"reduce", "divide", "power"}
    assert text.count(" add(") == text.count(" multiply(") == 1, "neither add 3 nor the square"


def test_the_impure_norm_appends_once_and_the_captured_bias_stays() -> None:
    sample = load("pure_and_impure.py")
    norm = jax.jit(sample["logging_norm"])
    for _ in range(10):
        norm(jnp.ones(8))
    assert len(sample["seen"]) == 1
    before, after = sample["stale_bias"](jnp.zeros(3))
    assert before.tolist() == after.tolist() == [1.0, 2.0, 3.0]


def test_a_jitted_method_counts_one_one_one() -> None:
    sample = load("counter.py")
    assert sample["three_jitted_counts"]() == [1, 1, 1]
    assert sample["three_stateless_counts"]() == [1, 2, 3]


@pytest.mark.slow
def test_one_key_means_the_same_numbers_everywhere() -> None:
    sample = load("random_keys.py")
    key = jax.random.key(0)
    first, second = sample["reused"](key)
    np.testing.assert_array_equal(first, second)
    eager = sample["split_in_two"](key)
    assert not np.array_equal(*eager)
    np.testing.assert_array_equal(eager, jax.jit(sample["split_in_two"])(key))
    batched = jax.vmap(sample["split_in_two"])(key[None])
    np.testing.assert_array_equal(eager[0], batched[0][0])


def test_donation_aliases_the_update() -> None:
    donated = jax.jit(load("immutable_update.py")["donated_update"], donate_argnums=0)
    assert "input_output_alias" in donated.lower(jnp.ones(1000)).compile().as_text()


@pytest.mark.slow
def test_buckets_save_traces() -> None:
    sample = load("recompilation.py")
    assert sample["lengths_traced"](range(29, 37)) == (8, 2)
    assert sample["weak_types"]() == 2
    x = np.arange(20, dtype=np.float32)
    np.testing.assert_allclose(
        sample["normalize_padded"](x), sample["normalize"](jnp.asarray(x)), rtol=1e-5, atol=1e-5
    )


def test_print_fires_while_tracing_and_debug_print_on_each_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sample = load("print_debug.py")
    for name in ("with_print", "with_debug_print"):
        function = jax.jit(sample[name])
        for _ in range(3):
            function(jnp.ones(4)).block_until_ready()
    jax.effects_barrier()
    lines = capsys.readouterr().out.splitlines()
    traced = [line for line in lines if line.startswith("with_print:")]
    assert len(traced) == 1
    assert "4.0" not in traced[0]
    assert lines.count("with_debug_print: the total is 4.0") == 3


def cost(function, *args) -> float:
    return jax.jit(function).lower(*args).compile().cost_analysis()["flops"]


@pytest.mark.slow
def test_value_and_gradient_share_the_forward_pass() -> None:
    sample = load("value_and_grad.py")
    args = (sample["init"](jax.random.key(0)), jnp.ones((64, 16)), jnp.ones((64, 1)))
    value = cost(sample["loss"], *args)
    gradient = cost(jax.grad(sample["loss"]), *args)
    both = cost(jax.value_and_grad(sample["loss"]), *args)
    assert gradient <= both < gradient + value / 10


def test_the_cheaper_jacobian_depends_on_the_shape() -> None:
    sample = load("higher_order.py")
    x = jnp.ones(3)
    assert cost(jax.jacfwd(sample["tall"]), x) < cost(jax.jacrev(sample["tall"]), x)
    x = jnp.ones(100)
    assert cost(jax.jacrev(sample["wide"]), x) < cost(jax.jacfwd(sample["wide"]), x)


def test_each_derivative_of_the_parabola_has_more_equations() -> None:
    parabola = load("higher_order.py")["parabola"]
    orders = [parabola, jax.grad(parabola), jax.grad(jax.grad(parabola))]
    counts = [len(primitives(function, 1.0)) for function in orders]
    assert counts == sorted(set(counts))
    assert float(orders[2](3.0)) == 1.0
    assert "fusion(" not in optimized(orders[2], 3.0)


def test_selu_becomes_one_fusion() -> None:
    entry = optimized(load("selu.py")["selu"], jnp.ones(1000)).split("ENTRY")[1]
    assert entry.count(" fusion(") == 1
    assert "exponential(" not in entry


def test_the_loop_grows_with_the_batch_and_vmap_does_not() -> None:
    sample = load("vmap_axes.py")
    layer, loop = sample["layer"], sample["layer_loop"]
    mapped = jax.vmap(layer, in_axes=(0, None, None))
    small, large = jnp.ones((4, 8)), jnp.ones((16, 8))
    weights, bias = jnp.arange(32.0).reshape(4, 8), jnp.arange(4.0)
    assert len(primitives(loop, large, weights, bias)) > 2 * len(
        primitives(loop, small, weights, bias)
    )
    assert primitives(mapped, large, weights, bias) == primitives(mapped, small, weights, bias)
    np.testing.assert_allclose(mapped(large, weights, bias), loop(large, weights, bias))


def test_the_gradient_has_the_structure_of_the_parameters() -> None:
    sample = load("pytrees.py")
    model = sample["init_model"]()
    gradient = jax.grad(sample["loss"])(model, jnp.ones(3))
    assert jax.tree.structure(gradient) == jax.tree.structure(model)


def test_the_optimizer_merges_removes_folds_and_fuses() -> None:
    sample = load("optimizer_passes.py")
    x = jnp.ones(1000)
    assert primitives(sample["repeated"], x, x).count("mul") == 2
    assert optimized(sample["repeated"], x, x).count(" multiply(") == 1
    assert "sin" in primitives(sample["unused"], x)
    assert "sine(" not in optimized(sample["unused"], x)
    assert {"exp", "sin"} <= set(primitives(sample["constant_part"], x))
    folded = optimized(sample["constant_part"], x)
    assert "exponential(" not in folded
    assert "sine(" not in folded
    assert len(primitives(sample["chain"], x)) >= 8
    assert optimized(sample["chain"], x).split("ENTRY")[1].count(" fusion(") == 1


def test_the_line_is_found_and_the_update_compiled_once() -> None:
    sample = load("linear_regression.py")
    params, loss = sample["train"]()
    assert float(params.weight[0]) == pytest.approx(2.0, abs=0.05)
    assert float(params.bias[0]) == pytest.approx(-1.0, abs=0.05)
    assert float(loss) < 0.02
    assert sample["update"]._cache_size() == 1


@pytest.mark.slow
def test_both_transformers_have_the_same_loss_and_the_scanned_one_is_smaller() -> None:
    sample = load("transformer.py")
    params, text = sample["init"](jax.random.key(0)), sample["tokens"](jax.random.key(1))
    stacked = sample["stack_layers"](params)
    loop = jax.make_jaxpr(sample["loss"])(params, text)
    scanned = jax.make_jaxpr(sample["scanned_loss"])(stacked, text)
    assert len(loop.eqns) > 5 * len(scanned.eqns)
    np.testing.assert_allclose(
        jax.jit(sample["loss"])(params, text),
        jax.jit(sample["scanned_loss"])(stacked, text),
        rtol=1e-4,
    )


def test_loops_are_single_equations_and_vmap_turns_cond_into_select() -> None:
    sample = load("control_flow.py")
    assert primitives(sample["running_total"], jnp.ones(1000)) == ["scan"]
    assert "while" in primitives(sample["newton_sqrt"], 2.0)
    assert "cond" in primitives(sample["leaky"], 1.0)
    mapped = str(jax.make_jaxpr(jax.vmap(sample["leaky"]))(jnp.ones(8)))
    assert "select_n" in mapped
    assert "cond[" not in mapped
    assert float(sample["newton_sqrt"](2.0)) == pytest.approx(2**0.5, rel=1e-3)


def test_recomputing_costs_more_work_than_keeping() -> None:
    sample = load("custom_rules.py")
    weights, x = jnp.ones((4, 64, 64)), jnp.ones(64)

    def products(name: str) -> int:
        return str(jax.make_jaxpr(jax.grad(sample[name]))(weights, x)).count("dot_general[")

    assert products("deep_recomputed") > products("deep_dots_kept")
    assert float(jax.grad(sample["clipped_square"])(3.0)) == 1.0
    assert np.isfinite(jax.grad(sample["softplus"])(1000.0))


@pytest.mark.slow
def test_the_kernel_computes_what_the_plain_program_does() -> None:
    sample = load("pallas_kernel.py")
    x, y = jnp.linspace(-1, 1, 128 * 128).reshape(128, 128), jnp.ones((128, 128))
    np.testing.assert_allclose(sample["scale_and_shift"](x, y), sample["plain"](x, y), rtol=1e-6)
    x, y = x[:64, :64], jnp.cos(x[64:, 64:])
    np.testing.assert_allclose(sample["product"](x, y), x @ y, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_xor_is_learned_with_one_compilation_and_survives_a_checkpoint(tmp_path) -> None:
    pytest.importorskip("flax")
    pytest.importorskip("optax")
    sample = load("xor_training.py")
    state, accuracy = sample["train"]()
    assert accuracy > 0.95
    assert sample["train_step"]._cache_size() == 1
    sample["save_checkpoint"](state, tmp_path / "checkpoint")
    points = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
    logits = sample["restore_checkpoint"](tmp_path / "checkpoint")(points)
    assert (logits > 0).tolist() == [False, True, True, False]


@pytest.mark.slow
def test_both_styles_of_the_classifier_are_one_program() -> None:
    pytest.importorskip("flax")
    sample = load("flax_modules.py")
    x = jnp.ones((2, 4))
    setup, compact = (
        primitives(
            sample[f"apply_{style}"], sample["params_of"](sample[f"{style}_classifier"], x), x
        )
        for style in ("setup", "compact")
    )
    assert setup == compact


@pytest.mark.slow
def test_dropout_needs_its_key_and_batch_norm_returns_its_statistics() -> None:
    pytest.importorskip("flax")
    sample = load("dropout_batchnorm.py")
    x = jnp.ones((8, 4))
    params = sample["init_dropout"]()
    assert "random_bits" in str(
        jax.make_jaxpr(sample["train_dropout"])(params, x, jax.random.key(1))
    )
    assert "random_bits" not in str(jax.make_jaxpr(sample["predict_dropout"])(params, x))
    _, updated = sample["train_batchnorm"](sample["init_batchnorm"](), x)
    assert set(updated) == {"batch_stats"}
