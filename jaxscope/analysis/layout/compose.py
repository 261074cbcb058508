"""Compose a scene: lay the groups out, draw each up alone, and put them into each other."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.collector import paused_collector
from jaxscope.analysis.layout.collecting import collect_scene
from jaxscope.analysis.layout.engines import Engine, GroupLayouts, LayoutCache
from jaxscope.analysis.layout.fit import FREE, Fit
from jaxscope.analysis.layout.layered import ShouldStop, Spacing
from jaxscope.analysis.layout.nesting import DOWN, RIGHT, Nester
from jaxscope.analysis.layout.scene import Scene, empty_scene
from jaxscope.analysis.layout.scene_memory import Drawn, Manner, SceneMemory
from jaxscope.analysis.layout.sheets import draw_sheets
from jaxscope.analysis.layout.wiring import Wiring
from jaxscope.analysis.view.view import ROOT, View

TIGHT = Spacing(across=14.0)
"""Where room is scarce, more of it is for boxes."""


def _never() -> bool:
    return False


def build_scene(
    view: View,
    expanded: frozenset[str] | None = None,
    *,
    direction: str = DOWN,
    spacing: Spacing | None = None,
    cache: LayoutCache | None = None,
    engine: Engine = Engine.OWN,
    fit: Fit = FREE,
    memory: SceneMemory | None = None,
    should_stop: ShouldStop = _never,
) -> Scene:
    """Place everything that is seen of a view.

    Args:
        view: What can be shown.
        expanded: Ids of the groups to open; None opens those that the view opens at first.
        direction: `down` or `right`: where values flow.
        spacing: Distances; None takes the usual ones.
        cache: Layouts of earlier scenes, added to; makes opening one more group quick.
        engine: Who lays groups out; where Graphviz does not, our own layout does, and the scene's
            `notes` say why.
        fit: How it is arranged for the room it has.
        memory: The scene before, and then this one: groups that look the same in both are taken
            over from there. The scene is the one that it would be without.
        should_stop: Asked often; the layout ends with `LayoutStopped` when it returns true.

    Raises:
        LayoutStopped: `should_stop` returned true.
        ValueError: The direction is none.
    """
    if direction not in (DOWN, RIGHT):
        raise ValueError(f"a layout flows down or right, not {direction}")
    if not view.boxes[ROOT].children:
        return empty_scene(direction, len(view.graph.nodes))
    expanded = view.opened if expanded is None else expanded
    spacing = spacing or (TIGHT if fit.is_limited else Spacing())
    layouts = GroupLayouts(engine, spacing, {} if cache is None else cache, should_stop)
    memory = SceneMemory() if memory is None else memory
    before = memory.recall(view, Manner(direction, spacing, engine, fit))
    with paused_collector():
        wiring = Wiring(view, expanded)
        nester = Nester(view, wiring, direction, spacing, layouts, fit, before.frames)
        nester.place_all()
        sheets = {
            group: before.sheets[group] for group in nester.frames.keys() - nester.placed.keys()
        }
        sheets.update(draw_sheets(view, wiring, nester, direction))
        after = Drawn(view, before.manner, nester.frames, sheets, len(nester.placed))
        scene = collect_scene(
            view, wiring, after.frames, after.sheets, nester.is_reversed, direction
        )
        memory.latest = after
        return dataclasses.replace(scene, notes=layouts.notes)
