"""`jaxscope sharding` at a terminal, on a saved capture: nothing is run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from jaxscope.cli.dispatch import run
from jaxscope.program.cost.attribution import WHOLE_OR_PART
from jaxscope.program.cost.work import find_stage_works
from jaxscope.schema.archive import save_capture

from .conftest import Take


@pytest.fixture
def saved(take: Take, tmp_path: Path) -> str:
    path = tmp_path / "saved.jaxscope"
    save_capture(take("grad(loss)(weights(), f32[16, 32])"), path)
    return str(path)


def test_it_tells_arrays_parts_and_collectives(
    saved: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sharding", saved]) == 0
    told = capsys.readouterr().out
    assert "8 devices (cpu) in a mesh, data 2 × model 4" in told
    assert "[8:16, 0:32] on 4–7" in told
    assert "along data: 0, 4 | 1, 5 | 2, 6 | 3, 7" in told
    assert "whole arrays" in told and "what each device runs" in told


def test_it_speaks_json(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sharding", saved, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["target"] == "cpu:8"
    assert found["placement"]["arguments"][0]["spec"] == "P(None, 'model')"


def test_the_work_of_all_devices_is_not_told_as_that_of_one(
    take: Take, saved: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before optimization the program is that of all devices, after it one device's part."""
    capture = take("grad(loss)(weights(), f32[16, 32])")
    works = find_stage_works(capture.stages)
    assert works["hlo"].high.flops > 4 * works["optimized"].high.flops
    told = {}
    for question in ("costs", "fusions"):
        assert run(["ask", saved, question]) == 0
        told[question] = " ".join(capsys.readouterr().out.split())
    parts = r"as a whole has .* written; optimized, each of 8 devices has .* written\."
    assert re.search(parts, told["costs"])
    assert WHOLE_OR_PART in told["costs"]
    assert re.search(r"Optimized: .*, on each of 8 devices\.", told["fusions"])
