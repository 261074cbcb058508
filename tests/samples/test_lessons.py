"""Each lesson's own fact, seen through a capture made by a real worker."""

from __future__ import annotations

import venv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.errors import TraceError
from jaxscope.model import Direction, Graph, NodeKind

from .calling import SAMPLES
from .captured import CaptureOf, flops, graph, operations


def test_quick_start_is_five_equations_and_one_fusion(capture: CaptureOf) -> None:
    found = capture("quick_start.py", "simple_graph(f32[3])")
    assert operations(found, "jaxpr") == ["add", "integer_pow", "add", "reduce_sum", "div"]
    assert operations(found, "optimized").count("fusion") == 1
    gradient = graph(found, "gradient")
    dead = [gradient.node(i) for i in range(len(gradient.nodes)) if gradient.node(i).name == "_"]
    assert [node.operation for node in dead] == ["div"]


def test_an_append_leaves_no_equation(capture: CaptureOf) -> None:
    impure = capture("pure_and_impure.py", "logging_norm(f32[8])")
    pure = capture("pure_and_impure.py", "pure_norm(f32[8])")
    assert operations(impure, "jaxpr") == operations(pure, "jaxpr")


def test_the_check_names_the_changed_list_and_its_line(capture: CaptureOf) -> None:
    (check,) = capture("pure_and_impure.py", "logging_norm(f32[8])").checks
    assert (check.rule, "`seen`" in check.message) == ("impure-global", True)
    line = (SAMPLES / "pure_and_impure.py").read_text("utf-8").splitlines()[check.line - 1]
    assert line.strip() == "seen.append(x)"
    assert capture("pure_and_impure.py", "pure_norm(f32[8])").checks == ()


def test_the_check_names_the_captured_array_and_the_changed_attribute(capture: CaptureOf) -> None:
    (captured,) = capture("pure_and_impure.py", "add_captured_bias(f32[3])").checks
    assert (captured.rule, "`bias`" in captured.message) == ("captured-constant", True)
    (changed,) = capture("counter.py", "Counter().count()").checks
    assert (changed.rule, "`n` of Counter" in changed.message) == ("impure-attribute", True)


def test_a_captured_array_is_a_constant_and_an_argument_is_not(capture: CaptureOf) -> None:
    captured = graph(capture("pure_and_impure.py", "add_captured_bias(f32[3])"), "jaxpr")
    passed = graph(capture("pure_and_impure.py", "add_bias(f32[3], f32[3])"), "jaxpr")

    def constants(jaxpr: Graph) -> list[tuple[str, ...]]:
        nodes = [jaxpr.node(i) for i in range(len(jaxpr.nodes))]
        return [node.types for node in nodes if node.kind == NodeKind.CONSTANT]

    assert constants(captured) == [("f32[3]",)]
    assert constants(passed) == []


def test_the_greek_program_is_one_fusion(capture: CaptureOf) -> None:
    found = capture("selu.py", "selu(f32[1000], λ=1.0, α=1.0)")
    assert [leaf.path for leaf in found.arguments][1:] == ["α", "λ"]
    optimized = graph(found, "optimized")
    nodes = [optimized.node(i) for i in range(len(optimized.nodes))]
    groups = {n.operation: n.group for n in nodes if n.operation in {"select", "exponential"}}
    assert len(set(groups.values())) == 1
    assert [n.operation for n in nodes].count("fusion") == 1


@pytest.mark.slow
def test_value_and_gradient_cost_little_more_than_the_gradient(capture: CaptureOf) -> None:
    arguments = "(init(key(0)), f32[64, 16], f32[64, 1])"
    value = flops(capture("value_and_grad.py", f"loss{arguments}"))
    gradient = flops(capture("value_and_grad.py", f"grad(loss){arguments}"))
    both = flops(capture("value_and_grad.py", f"value_and_grad(loss){arguments}"))
    assert gradient <= both < gradient + value / 10


def test_each_derivative_is_a_stage_and_longer_than_the_last(capture: CaptureOf) -> None:
    found = capture("higher_order.py", "grad(grad(parabola))(f32[()])")
    assert [stage.name for stage in found.stages][:3] == ["jaxpr", "grad", "grad(grad)"]
    counts = [len(operations(found, name)) for name in ("jaxpr", "grad", "grad(grad)")]
    assert counts == sorted(set(counts))
    assert set(operations(found, "optimized")) <= {"constant", "copy"}


@pytest.mark.slow
def test_the_loop_grows_with_the_batch_and_vmap_does_not(capture: CaptureOf) -> None:
    def count(call: str) -> int:
        found = capture("vmap_axes.py", call)
        return len(operations(found, found.stages[len(found.transforms)].name))

    mapped = "vmap(layer, in_axes=(0, None, None))(f32[{}, 8], f32[4, 8], f32[4])"
    assert count("layer_loop(f32[16, 8], f32[4, 8], f32[4])") > 3 * count(
        "layer_loop(f32[4, 8], f32[4, 8], f32[4])"
    )
    assert count(mapped.format(16)) == count(mapped.format(4))


def test_a_scan_is_a_box_that_says_how_often_it_runs(capture: CaptureOf) -> None:
    jaxpr = graph(capture("control_flow.py", "running_total(f32[1000])"), "jaxpr")
    assert [jaxpr.string(jaxpr.groups.label, 0)] == ["scan ×1000"]


def test_vmap_turns_cond_into_select(capture: CaptureOf) -> None:
    found = capture("control_flow.py", "vmap(leaky)(f32[8])")
    assert "cond" in operations(found, "jaxpr")
    assert "cond" not in operations(found, "vmap")
    assert "select_n" in operations(found, "vmap")


def test_the_update_has_a_forward_and_a_backward_half(capture: CaptureOf) -> None:
    call = "update(init(key(0)), *make_data(key(1)))"
    jaxpr = graph(capture("linear_regression.py", call), "jaxpr")
    directions = Counter(Direction(int(code)) for code in jaxpr.nodes.direction)
    assert directions[Direction.FORWARD] > 0
    assert directions[Direction.BACKWARD] > 0


@pytest.mark.slow
def test_the_twelve_layers_are_in_scopes_and_the_scanned_one_is_small(capture: CaptureOf) -> None:
    found = capture("transformer.py", "loss(init(key(0)), tokens(key(1)))")
    jaxpr = graph(found, "jaxpr")
    scopes = Counter(
        scope
        for i in range(len(jaxpr.nodes))
        for scope in jaxpr.node(i).scope
        if scope.startswith("layer_")
    )
    assert len(scopes) == 12
    # Programs that all layers share, such as the causal mask's, are shown in the first one only.
    assert scopes["layer_0"] > scopes["layer_1"]
    assert len({scopes[f"layer_{number}"] for number in range(1, 12)}) == 1
    scanned = capture("transformer.py", "scanned_loss(stack_layers(init(key(0))), tokens(key(1)))")
    assert len(operations(found, "jaxpr")) > 4 * len(operations(scanned, "jaxpr"))


@pytest.mark.slow
def test_recomputed_products_are_in_the_gradient(capture: CaptureOf) -> None:
    arguments = "(f32[4, 64, 64], f32[64])"

    def products(name: str) -> int:
        found = capture("custom_rules.py", f"grad({name}){arguments}")
        return operations(found, "grad").count("dot_general")

    assert products("deep_recomputed") > products("deep_dots_kept")


@pytest.mark.parametrize(
    ("file", "call", "remedy"),
    [
        ("dynamic_shapes.py", "keep_large(f32[8])", "jnp.where"),
        ("dynamic_shapes.py", "absolute_if(f32[()])", "cond"),
        ("immutable_update.py", "assign(f32[1000])", ".at["),
    ],
)
def test_a_failure_names_its_line_and_a_remedy(
    capture: CaptureOf, file: str, call: str, remedy: str
) -> None:
    with pytest.raises(TraceError) as failure:
        capture(file, call)
    lines = (SAMPLES / file).read_text("utf-8").splitlines()
    name, line = failure.value.explanation.where.split(":")
    assert name == file
    assert lines[int(line) - 1].strip() in {"return x[x > 3]", "if x < 0:", "x[0] = 1"}
    assert remedy in failure.value.explanation.remedy


def test_a_jitted_method_has_no_equation(capture: CaptureOf) -> None:
    assert operations(capture("counter.py", "Counter().count()"), "jaxpr") == []
    assert operations(capture("counter.py", "count(0)"), "jaxpr") == ["add"]


def test_every_leaf_of_the_parameters_has_a_gradient(capture: CaptureOf) -> None:
    found = capture("pytrees.py", "grad(loss)(init_model(), f32[3])")
    parameters = [leaf for leaf in found.arguments if leaf.path.startswith("model")]
    assert [leaf.type for leaf in found.results] == [leaf.type for leaf in parameters]
    assert "model['layers'][0].weights" in [leaf.path for leaf in parameters]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("call", "exchange"),
    [
        ('pmap(share_of_total, axis_name="devices")(f32[8, 4])', "all-reduce"),
        ("split_product(f32[16, 64], f32[64, 16])", "all-reduce"),
        ("gram(f32[64, 32])", "all-gather"),
        ("scattered_sums(f32[8, 64])", "reduce-scatter"),
        ("rows_to_columns(f32[64, 64])", "all-to-all"),
    ],
)
def test_devices_exchange_what_the_lesson_says(
    capture: CaptureOf, call: str, exchange: str
) -> None:
    assert exchange in operations(capture("parallel_devices.py", call), "optimized")


def test_the_kernel_is_inside_its_equation(capture: CaptureOf) -> None:
    found = capture("pallas_kernel.py", "scale_and_shift(f32[128, 128], f32[128, 128])")
    assert operations(found, "jaxpr")[0] == "pallas_call"
    assert {"get", "swap", "tanh"} <= set(operations(found, "jaxpr"))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("has_starter", [True, False])
def test_a_missing_package_is_named_with_its_remedy(tmp_path: Path, has_starter: bool) -> None:
    """In an environment with JAX and NumPy alone, made by `./run` or by somebody else."""
    venv.create(tmp_path / "bare", symlinks=True, with_pip=False)
    (packages,) = (tmp_path / "bare").glob("lib/python3*/site-packages")
    for source in Path(np.__file__).parents[1].iterdir():
        if source.name.startswith(("jax", "numpy", "ml_dtypes", "scipy", "opt_einsum")):
            (packages / source.name).symlink_to(source)
    if has_starter:
        (tmp_path / "run").touch()
        (tmp_path / "bare" / "jaxscope-stamp").write_text(f"sum\n{tmp_path}\n3 11\n")
    file, python = str(SAMPLES / "flax_modules.py"), str(tmp_path / "bare" / "bin" / "python")
    with Session(python=python) as session, pytest.raises(TraceError) as failure:
        session.start(CaptureRequest(file)).wait()
    explanation = failure.value.explanation
    assert "flax" in explanation.what
    command = f"{tmp_path}/run samples --yes" if has_starter else "pip install"
    assert command in explanation.remedy
    assert len(explanation.remedy.splitlines()) == 1


@pytest.mark.slow
def test_the_leaves_of_the_compound_are_in_their_scopes(capture: CaptureOf) -> None:
    pytest.importorskip("flax")
    call = "apply_compound(params_of(compound, f32[2, 4]), f32[2, 4])"
    jaxpr = graph(capture("flax_modules.py", call), "jaxpr")
    scopes = {scope for i in range(len(jaxpr.nodes)) for scope in jaxpr.node(i).scope}
    assert {"leaves_0", "leaves_1", "leaves_2"} <= scopes
