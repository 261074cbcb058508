"""The roofline under what is published of a chip, on the command line and in the window."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from jaxscope.cli import main
from jaxscope.model import Capture
from jaxscope.model.hardware import chip_names, find_chip
from jaxscope.program.roofline import find_roofline
from jaxscope.report.document import write_text
from jaxscope.report.roofline import roofline_to_document
from jaxscope.ui.pages.roofline import RooflinePage
from jaxscope.ui.window.page_context import PageContext

from .conftest import ON_ONE, stage_of

Compile = Callable[..., Capture]


def test_a_chips_published_limits(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roofline", str(program), ON_ONE, "--chip", "v5e", "--json"]) == 0
    ceilings = json.loads(capsys.readouterr().out)["ceilings"]
    assert ceilings["published_for"] == "Google TPU v5e, as published"
    assert (ceilings["flops_per_second"], ceilings["bytes_per_second"]) == (197e12, 819e9)
    assert any("https://" in sentence for sentence in ceilings["protocol"])


def test_they_are_not_called_measured(compile_for: Compile) -> None:
    capture, chip = compile_for("cpu"), find_chip("h100")
    assert chip is not None
    shown = write_text(
        roofline_to_document(
            capture, find_roofline(stage_of(capture, "optimized")), chip.ceilings()
        )
    )
    assert "NVIDIA H100 SXM5 80 GB, as published: 989 TFLOP/s" in shown
    assert "Not measured." in shown
    assert "Measured NVIDIA" not in shown


def test_a_chip_that_nobody_described(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["roofline", str(program), ON_ONE, "--chip", "abacus"]) == 2
    assert "rtx4090" in capsys.readouterr().err


@pytest.fixture
def page(qtbot: QtBot, compile_for: Compile, page_context: PageContext) -> RooflinePage:
    capture = compile_for("cpu")
    page = RooflinePage(page_context)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    page.show_program(capture.stage("optimized"), None, capture)
    return page


def test_the_page_offers_every_chip(page: RooflinePage) -> None:
    offered = [page.limits.itemText(index) for index in range(page.limits.count())]
    assert offered == ["this machine", *chip_names()]
    assert page.ceilings is None


def test_a_chosen_chip_draws_its_roof(page: RooflinePage) -> None:
    page.limits.setCurrentIndex(page.limits.findData("a100"))
    assert page.ceilings is not None
    assert page.ceilings.bandwidth.best == 2039e9
    assert not page.plot.isHidden()
    assert "Not measured." in page.notes.text()
    page.limits.setCurrentIndex(0)
    assert page.plot.isHidden()


def test_a_program_for_an_absent_chip_is_seen_under_its_roof(
    page: RooflinePage, compile_for: Compile
) -> None:
    capture = dataclasses.replace(compile_for("cpu"), target="aot:tpu:v6e:1x1")
    page.show_program(capture.stage("optimized"), None, capture)
    assert page.limits.currentData() == "v6e"
    assert page.ceilings is not None
    assert page.ceilings.arithmetic.best == 918e12
    present = compile_for("cpu")
    page.show_program(present.stage("optimized"), None, present)
    assert page.limits.currentIndex() == 0
