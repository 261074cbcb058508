"""Facts that lie in the shape of a graph: paths of keys, parts of a step, layers in fusions."""

from __future__ import annotations

from collections import Counter

import pytest

from jaxscope.client.requests import CaptureRequest, TimeRequest
from jaxscope.client.session import Session
from jaxscope.model import Direction, Graph, NodeKind, Timing

from .calling import SAMPLES
from .captured import CaptureOf, graph, operations


def reached(jaxpr: Graph, start: int) -> set[int]:
    """Every node that a node's value goes into, by lines of the outermost jaxpr."""
    targets: dict[int, list[int]] = {}
    pairs = zip(jaxpr.edges.source.tolist(), jaxpr.edges.target.tolist(), strict=True)
    for source, target in pairs:
        targets.setdefault(source, []).append(target)
    found: set[int] = set()
    waiting = [start]
    while waiting:
        for target in targets.get(waiting.pop(), ()):
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def index_of(jaxpr: Graph, id: str) -> int:
    return jaxpr.index_by_id[id]


@pytest.mark.slow
def test_each_draw_hangs_from_its_own_branch_of_the_split(capture: CaptureOf) -> None:
    clean = graph(capture("random_keys.py", "split_in_two(key(0))"), "jaxpr")
    reused = graph(capture("random_keys.py", "reused(key(0))"), "jaxpr")

    def users_of_key(jaxpr: Graph) -> list[str]:
        key = index_of(jaxpr, "in:0")
        targets = jaxpr.edges.target[jaxpr.edges.source == key].tolist()
        return [jaxpr.node(target).operation for target in targets]

    assert len(users_of_key(reused)) == 2, "the key goes into both draws"
    assert len(users_of_key(clean)) == 1, "the key goes into the split alone"


def test_a_print_tells_a_tracer_and_a_debug_print_is_an_equation(capture: CaptureOf) -> None:
    with Session() as session:
        run = session.start(CaptureRequest(str(SAMPLES / "print_debug.py"), "with_print(f32[4])"))
        run.wait()
        assert "the total is" in run.output("stdout")
        assert "JitTracer" in run.output("stdout") or "Traced" in run.output("stdout")
    printing = capture("print_debug.py", "with_debug_print(f32[4])")
    silent = capture("print_debug.py", "with_print(f32[4])")
    assert [name for name in operations(printing, "jaxpr") if name.startswith("debug_")]
    assert not [name for name in operations(silent, "jaxpr") if name.startswith("debug_")]


def test_a_donated_argument_is_the_result_in_place(capture: CaptureOf) -> None:
    def optimized_text(call: str) -> str:
        stage = capture("immutable_update.py", call).stage("optimized")
        assert stage is not None
        return stage.text.text

    donated = optimized_text("jit(donated_update, donate_argnums=0)(f32[1000])")
    kept = optimized_text("functional_update(f32[1000])")
    assert "input_output_alias" in donated
    assert "input_output_alias" not in kept
    assert " copy(" in kept
    assert " copy(" not in donated


def test_a_repeated_product_is_merged_and_an_unused_result_removed(capture: CaptureOf) -> None:
    merged = capture("optimizer_passes.py", "repeated(f32[1000], f32[1000])")
    assert operations(merged, "jaxpr").count("mul") == 2
    assert operations(merged, "optimized").count("multiply") == 1
    unused = capture("optimizer_passes.py", "unused(f32[1000])")
    assert "sin" in operations(unused, "jaxpr")
    assert "sine" not in operations(unused, "optimized")


@pytest.mark.slow
def test_dispatch_completion_and_the_copy_are_measured_apart() -> None:
    call = "product(f32[1000, 1000], f32[1000, 1000])"
    with Session() as session:
        request = TimeRequest(str(SAMPLES / "async_dispatch.py"), call, budget_s=0.5)
        timing = session.start(request).wait()
    assert isinstance(timing, Timing)
    names = {measurement.name for measurement in timing.measurements}
    assert {"dispatch", "jit", "transfer"} <= names


@pytest.mark.slow
def test_each_layer_is_a_scope_and_the_norm_and_the_activation_share_a_fusion(
    capture: CaptureOf,
) -> None:
    pytest.importorskip("flax")
    found = capture("conv_norm_relu.py", "forward(init(), f32[1, 32, 32, 3])")
    jaxpr = graph(found, "jaxpr")
    scopes = {scope for i in range(len(jaxpr.nodes)) for scope in jaxpr.node(i).scope}
    assert {"Conv_0", "LayerNorm_0"} <= scopes

    optimized = graph(found, "optimized")
    nodes = [optimized.node(i) for i in range(len(optimized.nodes))]
    convolutions = [node for node in nodes if node.operation == "convolution"]
    assert [node.group for node in convolutions] == [None]
    by_fusion: dict[str | None, list[str]] = {}
    for node in nodes:
        by_fusion.setdefault(node.group, []).append(
            node.operation + " of the norm" * ("LayerNorm_0" in node.scope)
        )
    (of_select,) = [names for names in by_fusion.values() if "select" in names]
    assert "multiply of the norm" in of_select
    assert "reduce of the norm" not in of_select, "the means are made first"


@pytest.mark.slow
def test_the_dropout_key_ends_at_the_mask(capture: CaptureOf) -> None:
    pytest.importorskip("flax")
    found = capture("dropout_batchnorm.py", "train_dropout(init_dropout(), f32[8, 4], key(1))")
    jaxpr = graph(found, "jaxpr")
    nodes = [jaxpr.node(i) for i in range(len(jaxpr.nodes))]
    (key,) = [
        i
        for i, n in enumerate(nodes)
        if n.kind == NodeKind.INPUT and "key<fry>[]" in n.types and "/" not in n.id
    ]
    assert "select_n" in {nodes[i].operation for i in reached(jaxpr, key)}
    assert "random_bits" in operations(found, "jaxpr")
    predicting = capture("dropout_batchnorm.py", "predict_dropout(init_dropout(), f32[8, 4])")
    assert not [name for name in operations(predicting, "jaxpr") if name.startswith("random")]


@pytest.mark.slow
def test_batch_statistics_are_a_second_output(capture: CaptureOf) -> None:
    pytest.importorskip("flax")
    found = capture("dropout_batchnorm.py", "train_batchnorm(init_batchnorm(), f32[8, 4])")
    assert [leaf.type for leaf in found.results] == ["f32[8,16]", "f32[16]", "f32[16]"]
    assert [leaf.path for leaf in found.results if "batch_stats" in leaf.path] == [
        leaf.path for leaf in found.results[1:]
    ]


def test_a_train_step_has_forward_backward_and_optimizer(capture: CaptureOf) -> None:
    pytest.importorskip("flax")
    pytest.importorskip("optax")
    found = capture("xor_training.py", "train_step(make_state(key(0)), example_batch())")
    jaxpr = graph(found, "jaxpr")
    order = [
        Direction(node.direction or 0)
        for node in (jaxpr.node(i) for i in range(len(jaxpr.nodes)))
        if node.kind == NodeKind.EQUATION and "/" not in node.id
    ]
    count = Counter(order)
    assert min(count[direction] for direction in Direction) > 0
    optimizer = {Direction.FORWARD, Direction.BACKWARD}.isdisjoint(order[-4:])
    assert optimizer, "what follows the gradient is neither forward nor backward"


@pytest.mark.slow
def test_both_classifiers_have_the_same_graph(capture: CaptureOf) -> None:
    pytest.importorskip("flax")

    def lines(style: str) -> list[str]:
        call = f"apply_{style}(params_of({style}_classifier, f32[2, 4]), f32[2, 4])"
        return operations(capture("flax_modules.py", call), "jaxpr")

    assert lines("setup") == lines("compact")
