"""Edges that are shown as connectors can be drawn from end to end."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from view.programs import layers, trace

from jaxscope.picture.layout.diagram import Spacing
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.edge_details import MAX_EDGES, edges_of_connector, edges_of_item
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view


@pytest.fixture(scope="module", params=["down", "right"])
def scene(request: pytest.FixtureRequest) -> Scene:
    function, arguments = layers(5)
    view = build_view(trace(jax.grad(function), *arguments), without={"box-repeats"})
    short = Spacing(max_span=3)
    scene = build_scene(view, direction=request.param, spacing=short)
    assert len(scene.connectors) > 10
    return scene


def test_every_connector_leads_to_all_of_its_far_ends(scene: Scene) -> None:
    connectors = scene.connectors
    for connector in range(len(connectors)):
        edges = edges_of_connector(scene, connector)
        item, far = int(connectors.item[connector]), set(connectors.far[connector].tolist())
        assert len(edges) == min(len(far), MAX_EDGES)
        for edge in edges:
            ends = (edge.source, edge.target)
            assert (ends[0] if connectors.is_source[connector] else ends[1]) == item
            assert (ends[1] if connectors.is_source[connector] else ends[0]) in far


def test_an_edge_touches_a_box_or_a_connector_at_both_ends(scene: Scene) -> None:
    rects = np.concatenate([scene.items.rect, scene.connectors.rect])
    low, high = rects[:, :2], rects[:, :2] + rects[:, 2:]
    for connector in range(len(scene.connectors)):
        for edge in edges_of_connector(scene, connector):
            for place in (edge.begin, edge.end):
                is_on = (low <= np.add(place, 1e-6)) & (high >= np.subtract(place, 1e-6))
                assert is_on.all(axis=1).any()


def test_both_ends_of_an_edge_know_it(scene: Scene) -> None:
    for connector in range(len(scene.connectors)):
        for edge in edges_of_connector(scene, connector):
            for end in (edge.source, edge.target):
                found = {(each.source, each.target) for each in edges_of_item(scene, end)}
                assert (edge.source, edge.target) in found or len(found) == MAX_EDGES


def test_values_flow_onward_along_long_edges(scene: Scene) -> None:
    axis = 1 if scene.direction == "down" else 0
    for connector in range(len(scene.connectors)):
        for edge in edges_of_connector(scene, connector):
            turned = scene.items.is_reversed[[edge.source, edge.target]].tolist()
            if turned[0] != turned[1]:
                continue  # beside each other
            way = edge.end[axis] - edge.begin[axis]
            assert (-way if turned[0] else way) >= -1e-6
