"""Machine code in the window: its kernels belong to the instructions that they compute."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from jaxscope.model import Cost, Stage, StageText, Unavailable
from jaxscope.ui.selection.selection import KernelLinks
from jaxscope.ui.source.code_view import Mark
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import OPTIMIZED, build_capture, build_stage

CODE = """\
; ===== copy =====
ret

; ===== fusion =====
vmulss
ret

; ===== made by nobody =====
ret"""
MACHINE = Stage(
    "machine", "machine code", StageText.plain(CODE), Unavailable("No graph."), Cost(), 0.0
)


def test_a_fusion_lights_up_its_kernel_and_its_kernel_selects_the_fusion(
    driver: Driver, window: MainWindow, source: Path
):
    capture = build_capture()
    run = driver.open(source)
    driver.finish(run, dataclasses.replace(capture, stages=(*capture.stages, MACHINE)))
    workspace = window.workspace
    workspace.show_stage("machine")
    pane = next(pane for pane in workspace.area.panes if pane.stage_name == "machine")

    workspace.selection.select_node("optimized", 1)

    assert pane.code.marks == dict.fromkeys((3, 4, 5), Mark.SELECTED)

    pane.code.line_chosen.emit(1)

    assert workspace.selection.selection.stage == "optimized"
    assert workspace.selection.selection.nodes == (4,)
    assert pane.code.marks == dict.fromkeys((0, 1), Mark.SELECTED)

    pane.code.line_chosen.emit(8)  # of a kernel without an instruction: nothing happens

    assert workspace.selection.selection.nodes == (4,)


def test_kernels_are_linked_once_per_capture():
    links = KernelLinks()
    optimized = build_stage("optimized", OPTIMIZED)

    first = links.link({"optimized": optimized, "machine": MACHINE})["machine"]

    assert links.link({"optimized": optimized, "machine": MACHINE})["machine"] is first
    assert first.text.line_nodes.tolist() == [4, 4, -1, 1, 1, 1, -1, -1, -1]
    assert links.link({"machine": MACHINE})["machine"] is MACHINE


def test_machine_code_that_is_missing_stays_missing():
    gone = dataclasses.replace(MACHINE, text=Unavailable("XLA generated no code."))
    optimized = build_stage("optimized", OPTIMIZED)

    assert KernelLinks().link({"optimized": optimized, "machine": gone})["machine"] is gone
