"""`jaxscope memory` and `jaxscope roofline`, on a saved capture: nothing is run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxscope.cli.dispatch import run
from jaxscope.schema.archive import save_capture

from .conftest import Take


@pytest.fixture
def saved(take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    save_capture(take("looped(f32[64, 64])"), tmp_path / "c.jaxscope")
    return str(tmp_path / "c.jaxscope")


def test_memory_as_text_and_as_json(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["memory", saved]) == 0
    assert "XLA's plan, per device" in capsys.readouterr().out
    assert run(["memory", saved, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["memory"]["result_bytes"] == 64 * 64 * 4
    assert report["live"]["peak_bytes"] > 0


def test_roofline_as_text_and_as_json(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["roofline", saved]) == 0
    assert "count as often as these run" in capsys.readouterr().out
    assert run(["roofline", saved, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ceilings"] is None
    assert report["kernels"][0]["bytes"] > 0
