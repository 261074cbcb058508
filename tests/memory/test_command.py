"""`jaxscope memory` and `jaxscope roofline`, on a saved capture: nothing is run."""

from __future__ import annotations

import json
import math
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.cli.dispatch import run
from jaxscope.in_process import capture_function
from jaxscope.model.hardware import Ceiling, Ceilings
from jaxscope.model.timing import Measurement, Timing
from jaxscope.schema.archive import save_capture
from jaxscope.schema.ceilings_file import store_ceilings

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


def test_arguments_are_named_as_the_code_names_them(
    take: Take, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not as XLA spells the paths of a tree: `state__Dense_0____kernel__.1`."""
    call = "step({'Dense_0': f32[300, 4], 'b.1': f32[4]}, 2.0)"
    place = str(tmp_path / "c.jaxscope")
    save_capture(take(call), place)
    assert run(["memory", place]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "argument" in line]
    assert {tuple(row[3:5]) for row in rows if row[1:2] == ["KiB"] or row[1:2] == ["B"]} >= {
        ("state['Dense_0']", "f32[300,4]"),
        ("state['b.1']", "f32[4]"),
    }
    assert run(["ask", place, "memory"]) == 0
    assert "alive then: state['Dense_0'] (argument), 4.69 KiB" in capsys.readouterr().out


def test_the_answer_has_the_lines_that_the_report_has(
    take: Take, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also of buffers that the compiler made for a loop to fill."""
    place = str(tmp_path / "c.jaxscope")
    save_capture(take("grad(scanned)(f32[5, 64, 64], f32[32, 64])"), place)
    assert run(["memory", place, "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = next(n for n, line in enumerate(lines) if "Alive then" in line) + 2
    rows = [line.split() for line in lines[start : lines.index("", start)]]
    report = {row[3]: row[-1] if ".py:" in row[-1] else "" for row in rows}
    assert run(["ask", place, "memory", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["facts"]
    told = {fact["text"].split()[2]: fact["place"] or "" for fact in facts}
    assert told and told == {name: report[name] for name in told}
    assert any("broadcast" in name and line for name, line in told.items())


def test_roofline_as_text_and_as_json(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["roofline", saved]) == 0
    assert "count as often as these run" in capsys.readouterr().out
    assert run(["roofline", saved, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ceilings"] is None
    assert report["kernels"][0]["bytes"] > 0


def test_a_call_that_beats_the_peaks_is_no_share_of_them(
    take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    capture, place = take("looped(f32[64, 64])"), tmp_path / "c.jaxscope"
    slow = (
        Ceiling("matmul", "FLOP", 1e6, 1e6, 5, ""),
        Ceiling("stream", "bytes", 1e6, 1e6, 5, ""),
    )
    store_ceilings(Ceilings(capture.environment, *slow))
    run_s = 1e-3
    jit = Measurement("jit", 1.5 * run_s, run_s, 2 * run_s, math.nan, 2, (run_s, 2 * run_s), False)
    save_capture(capture, place, Timing(capture.call, capture.environment, (jit,), (), ()))
    assert run(["roofline", str(place), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    flops = sum(each["flops"] for each in report["kernels"])
    assert flops / 1e6 > run_s  # the peaks allow no run that fast
    assert report["seconds_at_best"] == report["seconds"] == run_s
    assert report["measured_faster"] is True
    assert run(["roofline", str(place)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "What bounds the kernels is not known: the call was measured faster" in told
    assert "The call was measured in 1.00 ms; these ceilings allow" in told
    assert "measured too low" in told
    assert run(["ask", str(place), "bound"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "What bounds the kernels is not known: the call was measured faster" in told
    assert "Kernels bound on" not in told
    assert "how busy the machine was then is not known" in told


def test_a_temporary_that_lies_in_the_memory_of_a_result_is_said_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """XLA's own figure of temporaries is what the others need, and no less."""

    def two_products(x: jax.Array, w: jax.Array) -> jax.Array:
        return (jnp.sin(x @ w) @ w) @ w

    square = np.ones((64, 64), np.float32)
    plan = jax.jit(two_products).lower(square, square).compile().memory_analysis()
    assert plan.temp_size_in_bytes == square.nbytes
    place = str(tmp_path / "c.jaxscope")
    save_capture(capture_function(two_products, (square, square), {}), place)
    assert run(["ask", place, "memory"]) == 0
    told = capsys.readouterr().out
    assert told.count("(temporary), 16.0 KiB") == told.count("(temporary in result), 16.0 KiB") == 1
