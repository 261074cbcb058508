"""Scenes of real programs: nested boxes, lines that arrive, connectors, both directions."""

from __future__ import annotations

import itertools
import shutil

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model import NONE, GraphBuilder, Unavailable
from jaxscope.model.said import Said, say
from jaxscope.picture.layout.diagram import LayoutStopped, Spacing
from jaxscope.picture.layout.engines import Engine, LayoutCache
from jaxscope.picture.layout.text_width import measure_text, shorten_name, shorten_text
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import DETAIL_PX, HEADER_PX, TITLE_PX, Scene
from jaxscope.picture.scene.side_by_side import join_names
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import View
from view.programs import compile_module, layers, trace


@pytest.fixture(scope="module")
def view() -> View:
    function, arguments = layers(5)
    return build_view(trace(jax.grad(function), *arguments))


@pytest.fixture(scope="module")
def module_view() -> View:
    def program(x: jax.Array) -> jax.Array:
        def body(carry: jax.Array, _: None) -> tuple[jax.Array, None]:
            return jnp.tanh(carry @ carry) + 1, None

        return jax.lax.scan(body, x, None, length=7)[0].sum()

    return build_view(compile_module(jax.grad(program), jnp.ones((8, 8))))


def contains(outer: np.ndarray, inner: np.ndarray) -> bool:
    return bool(
        outer[0] <= inner[0] and outer[1] <= inner[1]
        and inner[0] + inner[2] <= outer[0] + outer[2]
        and inner[1] + inner[3] <= outer[1] + outer[3]
    )  # fmt: skip


def overlap(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(
        one[0] + 1e-6 < other[0] + other[2] and other[0] + 1e-6 < one[0] + one[2]
        and one[1] + 1e-6 < other[1] + other[3] and other[1] + 1e-6 < one[1] + one[3]
    )  # fmt: skip


def assert_tidy(scene: Scene) -> None:
    """Siblings and connectors do not overlap, children lie within, texts fit."""
    items = scene.items
    whole = np.array([0.0, 0.0, scene.width, scene.height])
    for item, parent in enumerate(items.parent.tolist()):
        assert contains(whole if parent == NONE else items.rect[parent], items.rect[item])
        room = items.rect[item, 2]
        assert measure_text(items.titles[item], TITLE_PX, True) <= room
        assert measure_text(items.details[item], DETAIL_PX) <= room
    for one, other in itertools.combinations(range(len(items)), 2):
        if items.parent[one] == items.parent[other]:
            assert not overlap(items.rect[one], items.rect[other]), (one, other)
    boxes = items.rect[items.num_frames :]
    for rect in scene.connectors.rect:
        assert not any(overlap(rect, box) for box in boxes)


def assert_lines_arrive(scene: Scene) -> None:
    for line in range(len(scene.lines)):
        corners = scene.lines.corners(line)
        assert len(corners) >= 2
        assert np.all(np.isfinite(corners))
        if scene.lines.has_arrow[line]:
            rect = scene.items.rect[scene.lines.target[line]] + np.array([-0.1, -0.1, 0.2, 0.2])
            assert contains(rect, np.array([*corners[-1], 0.0, 0.0]))
            if scene.lines.target[line] < scene.items.num_frames:
                led_on = np.flatnonzero(scene.lines.source == scene.lines.target[line])
                begins = [scene.lines.corners(each)[0] for each in led_on.tolist()]
                reach = (0.1, HEADER_PX + 0.1)  # across and along: not what leaves at the other end
                reach = reach if scene.direction == "down" else reach[::-1]
                assert not any(np.all(np.abs(at - corners[-1]) < reach) for at in begins), (
                    "a line that goes on inside has its arrowhead there"
                )


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("which", ["opened", "all", "none"])
def test_scenes_of_a_gradient_are_tidy(view: View, direction: str, which: str) -> None:
    expanded = {"opened": view.opened, "all": view.all_groups(), "none": frozenset[str]()}[which]
    scene = build_scene(view, expanded, direction=direction)
    assert_tidy(scene)
    assert_lines_arrive(scene)
    assert scene.opened == expanded & scene.opened
    assert scene.items.num_frames == len(scene.opened)


@pytest.mark.parametrize("direction", ["down", "right"])
def test_scenes_of_a_module_are_tidy(module_view: View, direction: str) -> None:
    for expanded in (module_view.opened, module_view.all_groups()):
        scene = build_scene(module_view, expanded, direction=direction)
        assert_tidy(scene)
        assert_lines_arrive(scene)


@pytest.mark.parametrize("direction", ["down", "right"])
def test_long_edges_become_connectors_that_lead_somewhere(view: View, direction: str) -> None:
    spacing = Spacing(max_span=2)
    scene = build_scene(view, view.all_groups(), direction=direction, spacing=spacing)
    assert len(scene.connectors) > 0
    assert_tidy(scene)
    for at in range(len(scene.connectors)):
        far = scene.connectors.far[at]
        assert len(far) > 0
        assert scene.connectors.texts[at]
        assert len(scene.connectors.values[at]) > 0


def test_every_node_is_found_in_every_scene(view: View) -> None:
    for expanded in (frozenset[str](), view.opened, view.all_groups()):
        scene = build_scene(view, expanded)
        assert np.all(scene.item_of_node >= 0)
        item = int(scene.item_of_node[0])
        assert 0 in scene.nodes_of_item(item)


def test_values_flow_down_or_right_and_back_in_a_backward_part(view: View) -> None:
    for direction, axis in (("down", 1), ("right", 0)):
        scene = build_scene(view, view.all_groups(), direction=direction)
        items = scene.items
        assert items.is_reversed.any()
        assert not items.is_reversed.all()
        for line in range(len(scene.lines)):
            corners = scene.lines.corners(line)
            if scene.lines.is_residual[line]:
                assert corners[-1, 0] > corners[0, 0]  # to the part beside
                continue
            way = corners[-1, axis] - corners[0, axis]
            ends = int(scene.lines.source[line]), int(scene.lines.target[line])
            frame = next((e for e, o in (ends, ends[::-1]) if items.parent[o] == e), None)
            inside = ends[0] if frame != ends[0] else ends[1]
            if ends[0] == ends[1]:
                continue  # to a connector, or across a group
            # What only a backward part gives stands where that ends: above it.
            is_on = frame is None and items.ids[ends[0]].endswith("/backward")
            assert (-way if items.is_reversed[inside] or is_on else way) >= -1e-6


def test_alike_groups_are_laid_out_once(view: View) -> None:
    cache: LayoutCache = {}
    scene = build_scene(view, view.all_groups(), cache=cache, follows=False)
    assert len(cache) < scene.items.num_frames
    build_scene(view, view.all_groups(), cache=cache)
    before = len(cache)
    build_scene(view, view.all_groups(), cache=cache)
    assert len(cache) == before


def test_a_scene_is_the_same_every_time(view: View) -> None:
    one, two = build_scene(view), build_scene(view)
    assert np.array_equal(one.items.rect, two.items.rect)
    assert np.array_equal(one.lines.points, two.lines.points)


def test_unknown_ids_are_ignored_and_unknown_directions_refused(view: View) -> None:
    assert build_scene(view, frozenset({"no such group"})).opened == frozenset()
    with pytest.raises(ValueError, match="down or right"):
        build_scene(view, direction="up")


def test_a_layout_can_be_stopped(view: View) -> None:
    with pytest.raises(LayoutStopped):
        build_scene(view, should_stop=lambda: True)


def test_an_empty_graph_is_an_empty_scene() -> None:
    scene = build_scene(build_view(GraphBuilder().build()))
    assert len(scene.items) == len(scene.lines) == len(scene.connectors) == 0


def test_widths_of_texts_are_known_without_a_window() -> None:
    assert measure_text("mm", 10) == 2 * measure_text("m", 10)
    assert measure_text("W", 10, True) > measure_text("W", 10)
    assert measure_text("λα", 12) > 0
    assert shorten_text("reduce_window_sum", 60, 12).endswith("…")
    assert measure_text(shorten_text("reduce_window_sum", 60, 12), 12) <= 60
    assert shorten_text("add", 60, 12) == "add"


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("→ multiply_add_fusion.6", "…6"),
        ("→ multiply_add_fusion", "…_fusion"),
        ("→ backward part of it +3", " +3"),
        ("forward / fwd_positions.12 +4", "…12 +4"),
        ("plain_name_of_everything", "…"),
        ("→ multiply_add 0.0025", "…"),
    ],
)
def test_a_shortened_name_keeps_what_names_differ_in(text: str, tail: str) -> None:
    short = shorten_name(text, 76, 10)
    assert short.endswith(tail) and "…" in short and measure_text(short, 10) <= 76
    begin, inner = short.partition("…")[0].rstrip(), text.rpartition(" / ")[2]
    assert begin and inner.startswith(begin)
    assert shorten_name(text, 500, 10) == text
    assert measure_text(shorten_name(text, 30, 10), 10) <= 30


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("params['params']['Norm']['bias']", "params…['Norm']['bias']"),
        ("params['params']['LayerNorm_0']['bias']", "…['LayerNorm_0']['bias']"),
        ("params['layers'][11]['attention_scale']", "…[11]['attention_scale']"),
        ("gradient of data._impl.contact.dist", "gradient of data…dist"),
        ("result._impl.contact.solreffriction", "result…solreffriction"),
        ("bitcast_gather, broadcast_add, select", "bitcast_gather +2"),
        ("scatter-add · take_along_axis / add 0.0", "scatter-add · take_along_axis…"),
        ("bitcast_dynamic-update-slice_fusion 0", "bitcast_dynamic…_fusion 0"),
        ("the_accuracy_of_all_examples itself", "the_accuracy_of_all_examples"),
        ("clamp 0.0000001, 200000000000000", "clamp 0.0000001, 20000000…"),
    ],
)
def test_a_shortened_name_keeps_the_last_words_of_a_person(text: str, short: str) -> None:
    room = measure_text(short, 10) + 1
    assert shorten_name(text, room, 10) == short
    assert measure_text(text, 10) > room


def test_a_shortened_name_keeps_which_of_several_it_is() -> None:
    assert shorten_name("→ fwd_acceleration (2 of 3)", 120, 10).endswith("… (2 of 3)")


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz (apt-get install graphviz)")
@pytest.mark.parametrize("direction", ["down", "right"])
def test_graphviz_lays_out_what_it_is_fit_for(view: View, direction: str) -> None:
    opened = view.all_groups()
    scene = build_scene(view, opened, direction=direction, engine=Engine.GRAPHVIZ)
    own = build_scene(view, opened, direction=direction)
    assert scene.items.ids == own.items.ids
    assert not np.array_equal(scene.items.rect, own.items.rect)
    assert_tidy(scene)


def test_without_graphviz_the_scene_is_ours_and_says_so(
    view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jaxscope.picture.layout.engines.find_graphviz", lambda: None)
    scene = build_scene(view, engine=Engine.GRAPHVIZ)
    assert np.array_equal(scene.items.rect, build_scene(view).items.rect)
    assert scene.notes == ("Graphviz is not installed: jaxscope lays graphs out itself.",)


def test_what_graphviz_does_not_lay_out_is_counted(
    view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> Unavailable:
        return Unavailable("it is asleep")

    monkeypatch.setattr("jaxscope.picture.layout.engines.find_graphviz", lambda: "dot")
    monkeypatch.setattr("jaxscope.picture.layout.engines.layout_by_graphviz", refuse)
    scene = build_scene(view, engine=Engine.GRAPHVIZ)
    assert np.array_equal(scene.items.rect, build_scene(view).items.rect)
    (note,) = scene.notes
    assert note.startswith("It is asleep: jaxscope laid out ")


def list_templates(text: object) -> list[str]:
    """What a text is translated by, with the texts inside of it."""
    if not isinstance(text, Said):
        return []
    return [text.template, *itertools.chain(*map(list_templates, text.values.values()))]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([say("backward"), "layers / add"], "backward, add"),
        ([say("backward"), "a" * 60, "b" * 60], "backward +2"),
        ([say("backward")], "backward"),
    ],
)
def test_a_connector_with_several_names_is_translated(names: list[str], told: str) -> None:
    joined = join_names(names)
    assert joined == told
    assert "backward" in list_templates(joined)


def test_a_connector_to_one_name_in_two_groups_says_it_once() -> None:
    assert join_names(["layers / add", "more / add"]) == "add"
