"""`jaxscope sharding` at a terminal, on a saved capture: nothing is run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxscope.cli.dispatch import run
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
