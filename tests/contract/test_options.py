"""Targets, interpreters, limits and measurements."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from contract.conftest import Command
from contract.programs import LOSS
from contract.shapes import TIMING, check

# Other environments on this machine, separated as in PATH; none of them needs jaxscope.
# Without any, the option is tried with this one.
PYTHONS = [path for path in os.environ.get("JAXSCOPE_TEST_PYTHONS", "").split(os.pathsep) if path]


def test_simulated_devices(jaxscope: Command, tmp_path: Path) -> None:
    file = tmp_path / "devices.py"
    file.write_text("import jax\n\ndef f(x):\n    return x * jax.device_count()\n")
    capture = jaxscope("capture", file, "f(f32[2])", "--target", "cpu:8", "--json").json()
    assert capture["target"] == "cpu:8"
    (jaxpr,) = [stage for stage in capture["stages"] if stage["name"] == "jaxpr"]
    assert "8.0" in jaxpr["text"]


@pytest.mark.slow
def test_times(jaxscope: Command, program: Path) -> None:
    answer = jaxscope("time", program, LOSS, "--json", "--gradient", "--budget", "0.3")
    assert answer.status == 0, answer.errors
    timing = answer.json()
    check(timing, TIMING)
    assert timing["call"] == LOSS
    assert 0 < timing["environment"]["processor_share"] <= 1
    by_name = {measurement["name"]: measurement for measurement in timing["measurements"]}
    names = {"eager", "jit", "trace", "lower", "compile", "first_call", "dispatch"}
    assert names | {"gradient_eager", "gradient_jit"} <= by_name.keys()
    for name, measurement in by_name.items():
        median, low, high = (measurement[key] for key in ("median", "low", "high"))
        assert low <= median <= high, name
        assert measurement["confidence"] is None, name  # one process earns no interval
        assert measurement["runs"] >= 1
        assert median > 0
    ratios = {ratio["name"]: ratio for ratio in timing["ratios"]}
    assert ratios["eager/jit"]["confidence"] is None


def test_times_without_eager_and_within_a_budget(jaxscope: Command, program: Path) -> None:
    answer = jaxscope("time", program, LOSS, "--json", "--no-eager", "--budget", "0.2")
    assert answer.status == 0, answer.errors
    names = {measurement["name"] for measurement in answer.json()["measurements"]}
    assert "jit" in names
    assert not [name for name in names if "eager" in name or "gradient" in name]


@pytest.mark.slow
def test_a_precision_may_be_a_timings_or_that_of_matrix_products(
    jaxscope: Command, program: Path
) -> None:
    for words, status in ((["0%"], 2), (["1%", "--budget", "soon"], 2)):
        answer = jaxscope("time", program, LOSS, "--precision", *words)
        assert answer.status == status, answer.errors
    answer = jaxscope("time", program, LOSS, "--json", "--precision", "40%", "--budget", "0.5")
    assert answer.status == 0, answer.errors
    assert "comparison" not in answer.json()


@pytest.mark.parametrize("python", PYTHONS or [sys.executable])
def test_another_interpreter(jaxscope: Command, program: Path, python: str) -> None:
    answer = jaxscope(
        "capture", program, "grad(loss)(init(key(0)), f32[4, 3])", "--python", python, "--json"
    )
    assert answer.status == 0, answer.errors
    equations = [
        node["operation"]
        for node in answer.json()["stages"][0]["graph"]["nodes"]
        if node["kind"] == "equation"
    ]
    assert equations[-1] == "reduce_sum"


def test_doctor(jaxscope: Command) -> None:
    answer = jaxscope("doctor", "--json")
    assert answer.status == 0
    report = answer.json()
    assert {"findings", "environment"} <= report.keys()
    assert {"cpu"} <= {target["target"] for target in report["environment"]["targets"]}
