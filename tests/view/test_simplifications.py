"""Each simplification, on and off, on a program of a few lines."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable

import jax
import jax.numpy as jnp
import pytest
from jax.extend.core import Literal

from jaxscope.model import GraphBuilder, GroupKind, NodeKind
from jaxscope.model.said import Said
from jaxscope.picture.scene.group_layout import BoxTexts
from jaxscope.picture.view.build import PASSES, build_view
from jaxscope.picture.view.labels import text_of
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import ROOT, View

from .programs import compile_call, compile_module, layers, lower, outline, simplify, trace

X = jnp.ones(3)


def edges(view: View) -> set[tuple[str, str]]:
    """Titles of the boxes at the ends of each edge."""

    def title(box: int) -> str:
        return text_of(view, view.boxes[box]).title

    return {(title(edge.source), title(edge.target)) for edge in view.edges}


def test_a_small_program_reads_like_its_source() -> None:
    view = simplify(lambda x: jnp.mean((x + 2) ** 2 + 3), X)
    assert outline(view) == [
        "a",
        "add 2.0",
        "integer_pow 2",
        "add 3.0",
        "reduce_sum",
        "div 3.0",
        "result",
    ]


@pytest.mark.parametrize("function", [jax.lax.sub, jax.lax.div, jax.lax.pow, jax.lax.rem])
def test_a_label_tells_which_operand_a_literal_is(function: Callable[..., jax.Array]) -> None:
    """Of operations whose operands may not be exchanged."""
    first, second = (lambda x: function(6.5, x)), (lambda x: function(x, 6.5))
    for program, told in ((first, "{name} 6.5, …"), (second, "{name} 6.5")):
        (equation,) = jax.make_jaxpr(program)(1.0).eqns
        name = told.format(name=equation.primitive.name)
        assert isinstance(equation.invars[0], Literal) == ("…" in told)
        assert outline(simplify(program, 1.0))[1] == name


def test_literals_can_be_left_out_of_labels() -> None:
    view = simplify(lambda x: x * 2.0, X, without=["show-literals"])
    assert outline(view) == ["a", "mul", "result"]


def test_constants_and_their_broadcasts_fold_into_their_users() -> None:
    def program(x: jax.Array) -> jax.Array:
        return jax.lax.broadcast_in_dim(jnp.float32(5), (3,), ()) * x

    assert outline(simplify(program, X)) == ["a", "mul 5.0", "result"]
    unfolded = simplify(program, X, without=["fold-constants"])
    assert "broadcast_in_dim 5.0" in outline(unfolded)


def test_what_a_loop_starts_from_is_no_operand_of_its_body() -> None:
    def program(w: jax.Array, xs: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda h, x: (jnp.tanh(h @ w + x), h.sum()), jnp.zeros(3), xs)[0]

    for graph in (trace, lower, compile_module):
        made = graph(program, jnp.eye(3), jnp.ones((5, 3)))
        view = build_view(made)
        titles = outline(view, frozenset(box.id for box in view.boxes if box.children))
        products = [title for title in titles if "dot" in title]
        assert products
        assert not [title for title in products if "0.0" in title or title.endswith(" 0")]


def test_a_number_that_a_loop_starts_from_stands_at_the_loop() -> None:
    def program(x: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda c, a: (c * a, c), 1.0, x)[0]

    view = simplify(program, X)
    lines = outline(view, frozenset(box.id for box in view.boxes if box.children))
    assert [line.strip() for line in lines if "mul" in line] == ["mul"]


def test_constants_of_stablehlo_fold_too() -> None:
    lines = outline(build_view(lower(lambda x: jnp.sin(x) * 2.5, X)))
    assert lines[1:3] == ["sine", "multiply 2.5"]


def test_infinities_are_spelt_out() -> None:
    view = build_view(lower(lambda x: jnp.maximum(x, -jnp.inf), X))
    titles = outline(view)
    assert any("-inf" in title for title in titles), titles
    assert not any("0x" in title for title in titles)


def test_a_constant_that_is_a_result_stays_a_box() -> None:
    view = simplify(lambda: jax.lax.broadcast_in_dim(jnp.float32(5), (3,), ()))
    assert outline(view) == ["broadcast_in_dim 5.0", "result"]


def test_captured_arrays_stay_boxes() -> None:
    weights = jnp.arange(3.0)
    view = simplify(lambda x: x * weights, X)
    kinds = {int(view.graph.nodes.kind[box.node]) for box in view.boxes if not box.children}
    assert int(NodeKind.CONSTANT) in kinds


def test_lines_lead_into_nested_programs_and_out() -> None:
    def body(carry: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.sin(carry), jnp.cos(x)

    view = simplify(lambda c, xs: jax.lax.scan(body, c, xs), 1.0, X)
    found = edges(view)
    assert {("a", "carry"), ("carry", "sin"), ("b", "x"), ("x", "cos")} <= found
    (stacked,) = (target for source, target in found if source == "cos")
    assert (stacked, "result") in found
    assert [line.strip() for line in outline(view, view.all_groups())].count("sin") == 1


def test_without_joining_a_nested_program_keeps_its_inputs() -> None:
    program = jax.jit(lambda x: jnp.sin(x) + x)
    view = simplify(lambda x: program(x) * 2, X, without=["join-boundaries"])
    titles = [line.strip() for line in outline(view, view.all_groups())]
    assert titles.count("result") == 2


def test_a_loop_condition_gives_no_result_of_the_loop() -> None:
    view = simplify(lambda x: jax.lax.while_loop(lambda c: c < 5.0, lambda c: c * 2, x), 1.0)
    (result,) = (i for i, box in enumerate(view.boxes) if box.id == "out:0")
    sources = [edge.source for edge in view.edges if edge.target == result]
    texts = [text_of(view, view.boxes[source]) for source in sources]
    assert [(text.title, text.detail) for text in texts] == [("c", "next carry · f32[]")]


def test_every_arm_of_a_cond_is_a_box() -> None:
    def program(p: bool, x: jax.Array) -> jax.Array:
        return jax.lax.cond(p, lambda y: jnp.sin(y) + 1, lambda y: jnp.cos(y) * 3, x)

    view = simplify(program, True, X)
    lines = [line.strip() for line in outline(view, view.all_groups())]
    assert [line for line in lines if line[2:] in ("true", "false")] == ["- false", "- true"]
    assert ("b", "sin") in edges(view)
    assert ("b", "cos") in edges(view)


def test_what_hands_its_argument_on_still_takes_it() -> None:
    @jax.custom_vjp
    def clip_gradient(x: jax.Array) -> jax.Array:
        return x

    clip_gradient.defvjp(lambda x: (x, None), lambda _, t: (jnp.clip(t, -1, 1),))
    view = simplify(lambda x: jnp.sin(clip_gradient(x)), X)
    assert edges(view) == {("a", "custom_vjp_call"), ("custom_vjp_call", "sin"), ("sin", "result")}


def test_a_value_that_only_passes_through_an_arm_is_its_result() -> None:
    def program(p: bool, x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jax.lax.cond(p, lambda x, y: (y, x + y), lambda x, y: (y * 2, x), x, y)

    view = simplify(program, True, X, X)
    names = {index: text_of(view, box).title for index, box in enumerate(view.boxes) if index}
    straight = {
        (names[edge.source], names[edge.target], view.boxes[view.boxes[edge.target].parent].label)
        for edge in view.edges
        if view.graph.nodes.kind[view.boxes[edge.target].node] == NodeKind.OUTPUT
        and names[edge.source] in ("b", "c")
    }
    assert straight == {("c", "result", "true"), ("b", "result[1]", "false")}


def test_wrappers_around_one_operation_dissolve_but_keep_their_name() -> None:
    view = simplify(lambda x: jax.nn.relu(x) + 1, X)
    assert outline(view) == ["a", "max · relu 0.0", "add 1.0", "result"]
    kept = simplify(lambda x: jax.nn.relu(x) + 1, X, without=["dissolve-wrappers"])
    assert any(line.startswith("- ") for line in outline(kept))


def test_three_leaves_of_an_argument_are_one_box() -> None:
    graph = trace(
        lambda params, x: params[0] * x + params[1] - params[2],
        (X, X, X),
        X,
        paths=["params[0]", "params[1]", "params[2]", "x"],
    )
    assert outline(build_view(graph))[:2] == ["+ params", "x"]
    apart = build_view(graph, ["gather-arguments"])
    assert outline(apart)[:3] == ["params[0]", "params[1]", "params[2]"]


def test_named_scopes_are_boxes_and_alike_ones_are_one() -> None:
    function, arguments = layers(6)
    view = build_view(trace(function, *arguments))
    assert "+ layer ×6" in outline(view, frozenset())
    inside = outline(view, view.all_groups())
    assert sum(line.strip().startswith("- layer_") for line in inside) == 6


def test_the_backward_part_is_told_from_the_forward_part() -> None:
    function, arguments = layers(6)
    lines = outline(build_view(trace(jax.grad(function), *arguments)))
    assert "  + layer ×6" in lines
    assert any(line.startswith("  + layer backward ×") for line in lines)


def test_functions_are_boxes_where_there_are_no_scopes() -> None:
    def normalize(x: jax.Array) -> jax.Array:
        return (x - x.mean()) / (x.std() + 1e-5)

    def scale(x: jax.Array) -> jax.Array:
        return jnp.exp(x) * 3 - 1

    view = simplify(lambda x: scale(normalize(x)), X)
    lines = [line.strip() for line in outline(view, view.all_groups())]
    assert "- normalize" in lines
    assert "- scale" in lines
    plain = simplify(lambda x: scale(normalize(x)), X, without=["group-by-function"])
    assert "- normalize" not in outline(plain, plain.all_groups())


def test_what_is_left_of_a_function_beside_its_calls_and_scopes_says_so() -> None:
    def normalize(x: jax.Array) -> jax.Array:
        return (x - x.mean()) / (x.std() + 1e-5)

    def lifted(x: jax.Array) -> jax.Array:
        return jax.vmap(lambda each: jnp.sin(each) * 2 + jnp.cos(each))(x)

    def loss(x: jax.Array) -> jax.Array:
        x = jnp.exp(x) * 3 - jnp.tanh(x)
        for name in ("one", "two"):
            with jax.named_scope(name):
                x = jnp.sin(x) * jnp.cos(x)
        return lifted(normalize(x))

    view = simplify(loss, X)
    labels = [box.label for box in view.boxes if box.kind is BranchKind.SCOPE]
    assert labels == ["loss itself", "one", "two", "normalize", "lifted"], "a lambda is no call"
    backward = simplify(jax.grad(lambda x: loss(x).sum()), X)
    labels = [box.label for box in backward.boxes]
    title = BoxTexts(backward).of(labels.index("loss itself backward")).title
    assert title == "loss itself" and isinstance(title, Said), "said in each language"


def test_a_module_that_is_called_has_the_name_of_its_class() -> None:
    class Layer:
        def __call__(self, x: jax.Array) -> jax.Array:
            return jnp.tanh(x * 2) + 1

    class Model:
        def __init__(self) -> None:
            self.layers = Layer(), Layer()

        def __call__(self, x: jax.Array) -> jax.Array:
            for layer in self.layers:
                x = jnp.sin(layer(x))
            return jnp.exp(x) * x

    view = simplify(lambda x: Model()(jnp.cos(x) - 1), X)
    labels = [box.label for box in view.boxes if box.kind is BranchKind.SCOPE]
    assert labels == ["Model", "Layer", "Layer"]


Change = Callable[[jax.Array], jax.Array]


def clip_by_norm(limit: float) -> Change:
    def update_fn(g: jax.Array) -> jax.Array:
        scale = jnp.minimum(1.0, limit / jnp.sqrt((g * g).sum()))
        return jax.tree.map(lambda g: jnp.tanh(g * scale) + 0.0, g)

    return update_fn


def scale_by_rms(rate: float) -> Change:
    def update_fn(g: jax.Array) -> jax.Array:
        return g / (jnp.sqrt((g * g).mean()) + rate) * rate

    return update_fn


def chain(*changes: Change) -> Change:
    def update_fn(g: jax.Array) -> jax.Array:
        for change in changes:
            g = change(g)
        return g

    return update_fn


def test_closures_of_one_name_are_told_by_the_functions_that_made_them() -> None:
    """As transformations of Optax, all of which are called `update_fn`."""
    update = chain(clip_by_norm(1.0), chain(scale_by_rms(0.1), clip_by_norm(2.0)))
    view = simplify(lambda x: jnp.sin(update(jnp.cos(x) * 2)) * 3, X)
    labels = [box.label for box in view.boxes if box.kind is BranchKind.SCOPE]
    assert labels == ["chain", "clip_by_norm", "chain", "scale_by_rms", "clip_by_norm"]


def test_a_comprehension_has_the_name_of_its_function() -> None:
    def summed(x: jax.Array) -> jax.Array:
        listed = [jnp.sin(x) * number for number in (2.0, 3.0)]
        named = {name: jnp.tanh(each) + 1 for name, each in zip("ab", listed, strict=True)}
        return sum((jnp.exp(each) - 1 for each in named.values()), x)

    view = simplify(lambda x: summed(jnp.cos(x)) * 2, X)
    assert [box.label for box in view.boxes if box.kind is BranchKind.SCOPE] == ["summed"]


def test_a_closure_has_its_own_name_where_that_tells_it() -> None:
    """As a step that a factory made, and as what is called while its maker still runs."""

    def make_step(rate: float) -> Change:
        def step(x: jax.Array) -> jax.Array:
            return jnp.tanh(x * rate) + rate

        return step

    def encode(x: jax.Array) -> jax.Array:
        def layer(x: jax.Array) -> jax.Array:
            return jnp.sin(x) * 2

        return jnp.exp(layer(x) + 1)

    def decode(x: jax.Array) -> jax.Array:
        def layer(x: jax.Array) -> jax.Array:
            return jnp.cos(x) / 3

        return jnp.log(layer(x) - 1)

    view = simplify(lambda x: decode(encode(make_step(0.5)(jnp.cos(x)))), X)
    labels = [box.label for box in view.boxes if box.kind is BranchKind.SCOPE]
    assert labels == ["step", "encode", "layer", "decode", "layer"]


Three = tuple[jax.Array, jax.Array, jax.Array]


@pytest.mark.parametrize("has_scopes", [True, False])
def test_an_optimizer_is_one_group_beside_a_derivative(has_scopes: bool) -> None:
    """Whether or not layers open scopes; what updates the parameters opens none."""
    part = "layer" if has_scopes else "loss"

    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        with jax.named_scope("layer") if has_scopes else contextlib.nullcontext():
            return jnp.tanh(x @ w).sum()

    def moments(m: jax.Array, g: jax.Array) -> jax.Array:
        return 0.9 * m + 0.1 * g

    def scaled(m: jax.Array, v: jax.Array) -> jax.Array:
        return m / (jnp.sqrt(v) + 1e-8)

    def optimize(w: jax.Array, m: jax.Array, v: jax.Array, g: jax.Array) -> Three:
        m, v = moments(m, g), moments(v, g * g)
        return w - 0.01 * scaled(m, v), m, v

    def step(w: jax.Array, m: jax.Array, v: jax.Array, x: jax.Array) -> tuple[jax.Array, Three]:
        value, gradient = jax.value_and_grad(loss)(w, x)
        return value, optimize(w, m, v, gradient)

    w = jnp.ones((3, 2))
    view = build_view(trace(step, w, w, w, jnp.ones((4, 3))))
    count_of = {box.label: box.num_counted for box in view.boxes}
    assert count_of["optimize"] == len(jax.make_jaxpr(optimize)(w, w, w, w).eqns)
    assert {f"forward · {part}", f"backward · {part}", "moments", "scaled"} <= count_of.keys()
    assert not [label for label in count_of if label.endswith("itself")]
    top = {view.boxes[child].label for child in view.boxes[ROOT].children}
    parts = {f"forward · {part}", f"backward · {part}", "optimize"}
    assert top >= parts, "in no group around them"
    view = build_view(lower(step, w, w, w, jnp.ones((4, 3))))
    top = {view.boxes[child].label for child in view.boxes[ROOT].children}
    assert "optimize" in top, "in StableHLO too"


def test_an_unrolled_loop_without_names_is_boxed_by_its_repetition() -> None:
    def program(x: jax.Array) -> jax.Array:
        for _ in range(8):
            x = jnp.sin(x) * 2
            x = jnp.cos(x) + 3
        return x

    view = simplify(program, X, without=["group-by-function"])
    repeats = [box for box in view.boxes if box.copies > 1]
    assert [box.copies for box in repeats] == [8]
    assert repeats[0].num_leaves == 32


def test_short_steps_of_an_unrolled_loop_are_counted_one_by_one() -> None:
    def unrolled(x: jax.Array) -> jax.Array:
        for _ in range(8):
            x = jnp.sin(x) * 1.1
        return x

    lines = outline(simplify(unrolled, jnp.ones(3)), frozenset())
    assert lines == ["a", "+ repeated ×8", "result"]


def test_layers_are_alike_where_only_the_first_shows_the_inside_of_what_all_call() -> None:
    @jax.jit
    def expert(x: jax.Array) -> jax.Array:
        return jnp.tanh(x @ x) * 2

    def mixture(x: jax.Array) -> jax.Array:
        for layer in range(5):
            with jax.named_scope(f"layer_{layer}"):
                x = sum((expert(x), expert(x), expert(x)), jnp.exp(x))
        return x

    view = simplify(mixture, jnp.ones((3, 3)))
    assert [box.copies for box in view.boxes if box.copies == 5] == [5]


def test_long_groups_become_parts() -> None:
    def program(x: jax.Array) -> jax.Array:
        for number in range(200):
            x = jnp.sin(x) if number % 3 else jnp.cos(x) * number
        return x

    without = ["group-by-function", "box-repeats"]
    view = simplify(program, X, without=without)
    lines = outline(view, frozenset())
    assert len(lines) <= 12
    assert lines[1].startswith("+ part 1 of ")
    assert len(outline(view, view.all_groups())) > 200


def test_reductions_name_what_they_combine_with() -> None:
    graph = compile_module(lambda x: jnp.sin(x).max(), jnp.ones((8, 8)))
    view = build_view(graph)
    titles = [line.strip() for line in outline(view, view.all_groups())]
    assert any("maximum" in title and "reduce" in title for title in titles), titles
    assert not any(title == "- region" for title in titles)


def test_tuples_of_a_module_are_no_boxes() -> None:
    graph = compile_module(lambda x: (jnp.sin(x) @ x, jnp.cos(x).sum()), jnp.ones((8, 8)))
    operations = {graph.string(graph.nodes.operation, n) for n in range(len(graph.nodes))}
    assert "tuple" in operations
    view = build_view(graph)
    shown = {
        graph.string(graph.nodes.operation, box.node) for box in view.boxes if not box.children
    }
    assert "tuple" not in shown
    assert "tuple" in {
        graph.string(graph.nodes.operation, box.node)
        for box in build_view(graph, ["skip-plumbing"]).boxes
        if not box.children
    }


def test_a_fusion_of_nothing_but_bitcasts_stays_between_its_neighbours() -> None:
    builder = GraphBuilder()
    weights = builder.add_node("w", NodeKind.INPUT, "parameter", types=["f32[4,1]"])
    fusion = builder.add_node("f", NodeKind.INSTRUCTION, "fusion", types=["f32[4,1]"])
    user = builder.add_node("dot", NodeKind.INSTRUCTION, "dot", types=["f32[4,1]"])
    inside = builder.add_group("g", GroupKind.FUSION, "fused", owner=fusion)
    taken = {"parameter_number": "0", "operand": "0"}
    parts = [
        builder.add_node(f"b{n}", NodeKind.INSTRUCTION, name, group=inside, attributes=more)
        for n, (name, more) in enumerate(
            [("parameter", taken), ("bitcast", {}), ("bitcast", {"root": "true"})]
        )
    ]
    for source, target in itertools.pairwise([weights, fusion, user]):
        builder.add_edge(source, target)
    for source, target in itertools.pairwise(parts):
        builder.add_edge(source, target)
    view = build_view(builder.build())
    shown = view.box_of_node[parts[-1]]
    lines = {(each.source, each.target) for each in view.edges}
    assert lines == {(view.box_of_node[weights], shown), (shown, view.box_of_node[user])}


def test_a_line_through_a_bitcast_has_the_type_that_its_box_gives() -> None:
    builder = GraphBuilder()
    weights = builder.add_node("w", NodeKind.INPUT, "parameter", types=["f32[4,1]"])
    bitcast = builder.add_node("b", NodeKind.INSTRUCTION, "bitcast", types=["f32[4]"])
    user = builder.add_node("s", NodeKind.INSTRUCTION, "subtract", types=["f32[4]"])
    builder.add_edge(weights, bitcast, type="f32[4,1]")
    builder.add_edge(bitcast, user, type="f32[4]")
    view = build_view(builder.build())
    (line,) = view.edges
    assert view.graph.strings[line.type] == "f32[4,1]"


def test_every_node_has_a_box() -> None:
    function, arguments = layers(4)
    for graph in (trace(jax.grad(function), *arguments), compile_module(function, *arguments)):
        view = build_view(graph)
        lost = [n for n in range(len(graph.nodes)) if view.box_of_node[n] < 0]
        names = [graph.string(graph.nodes.id, n) for n in lost]
        assert not names


def test_a_condition_that_is_one_fusion_has_its_box_and_is_counted() -> None:
    def halve(x: jax.Array, most: int) -> tuple[jax.Array, ...]:
        return jax.lax.while_loop(
            lambda state: (state[0] < state[2]) & (state[1] > 0.0),
            lambda state: (state[0] + 1, state[1] * 0.5 - 1.0, state[2]),
            (0, x, most),
        )

    arguments = jnp.float32(3.0), 7
    text = compile_call(halve, *arguments).as_text()
    assert "ROOT %compare_and_fusion" in text
    view = build_view(compile_module(halve, *arguments))
    assert min(view.box_of_node) >= 0
    assert view.boxes[0].num_counted == len(re.findall(r"^ +(?:ROOT )?%\S+ = ", text, re.MULTILINE))


def test_box_ids_are_unique_and_the_same_every_time() -> None:
    function, arguments = layers(4)
    graph = trace(jax.grad(function), *arguments)
    first, second = build_view(graph), build_view(graph)
    ids = [box.id for box in first.boxes]
    assert len(set(ids)) == len(ids)
    assert ids == [box.id for box in second.boxes]
    assert first.opened == second.opened


@pytest.mark.parametrize("name", [each.name for each in PASSES])
def test_each_simplification_can_be_left_out(name: str) -> None:
    function, arguments = layers(4)
    view = build_view(trace(jax.grad(function), *arguments), [name])
    assert len(view.boxes) > 10


def test_unknown_simplifications_are_refused() -> None:
    with pytest.raises(ValueError, match="no simplification named fold-everything"):
        simplify(jnp.sin, X, without=["fold-everything"])


def test_at_most_sixty_boxes_are_open_at_first() -> None:
    function, arguments = layers(40)
    lines = outline(build_view(trace(jax.grad(function), *arguments)))
    assert 10 < len([line for line in lines if "- " not in line]) <= 60


def test_cycles_and_groups_without_owner_do_no_harm() -> None:
    builder = GraphBuilder()
    group = builder.add_group("g", GroupKind.COMPUTATION, "stray")
    a = builder.add_node("a", NodeKind.INSTRUCTION, "tuple", group=group)
    b = builder.add_node("b", NodeKind.INSTRUCTION, "get-tuple-element", group=group)
    builder.add_edge(a, b)
    builder.add_edge(b, a)
    view = build_view(builder.build())
    assert len(view.boxes) >= 1


def test_a_result_that_nothing_uses_is_called_unused() -> None:
    """JAX calls it `_`, which tells nobody anything."""
    view = simplify(jax.grad(lambda x: jnp.sum(jnp.sin(x)) * 2), jnp.ones(3))
    details = {text_of(view, box).detail for box in view.boxes[1:]}
    assert "_ (unused): f32[]" in details
    assert not any(detail.startswith("_:") for detail in details)


def test_of_several_results_those_that_nothing_uses_are_counted() -> None:
    """JAX writes `a _ _ = split`: the boxes name what is used, with its own types."""
    view = simplify(lambda x: jnp.split(x, [1, 3])[1] * 2, jnp.ones(6))
    details = {text_of(view, box).title: text_of(view, box).detail for box in view.boxes[1:]}
    assert details["split"] == "b: f32[2] · 2 unused"
    whole = simplify(lambda x: jnp.concatenate(jnp.split(x, [1, 3])[::-1]), jnp.ones(6))
    details = {text_of(whole, box).title: text_of(whole, box).detail for box in whole.boxes[1:]}
    assert details["split"] == "b, c, d: f32[1] and 2 more"
