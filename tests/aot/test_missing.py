"""What is said where nothing can compile for a target, or where nothing runs."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from pathlib import Path
from typing import Any

import pytest

from jaxscope.cli import main
from jaxscope.client import one_shot
from jaxscope.client.requests import (
    AgreementRequest,
    CalibrationRequest,
    ComparisonRequest,
    ProfileRequest,
    RecompilationRequest,
    Request,
    ScalingRequest,
    TimeRequest,
    request_fields,
)
from jaxscope.errors import EnvironmentProblem, UsageError
from jaxscope.worker import compat
from jaxscope.worker.targets import ahead_of_time
from jaxscope.worker.targets.ahead_of_time import find_missing, open_topology

TARGET = "aot:tpu:v5e:2x2"


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead_of_time, "_is_installed", lambda _module: False)
    monkeypatch.setattr(ahead_of_time, "_opened", {})


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(
    ("kind", "package", "licence"),
    [("tpu", "jax[tpu]", "Google Cloud"), ("gpu", "jax[cuda12-local]", "NVIDIA")],
)
def test_one_sentence_says_how_to_get_a_compiler(kind: str, package: str, licence: str) -> None:
    text = find_missing(kind)
    assert f"{sys.executable} -m pip install '{package}'" in text
    assert "MB" in text
    assert licence in text
    assert "\n" not in text


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize("target", [TARGET, "aot:gpu:h100"])
def test_a_target_without_its_compiler_is_an_environment_problem(target: str) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        open_topology(target)
    assert caught.value.exit_status == 3
    assert target in caught.value.explanation.what
    assert "pip install" in caught.value.explanation.why


@pytest.mark.skipif(not find_missing("tpu"), reason="libtpu is installed")
def test_the_command_line_answers_with_status_3(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["capture", str(program), "--target", TARGET, "--json"]) == 3
    assert "jax[tpu]" in capsys.readouterr().out


@pytest.mark.parametrize("target", ["aot:tpu:", "aot:gpu:h100:", "aot:npu:x", "aot:tpu:v5e:2x-2"])
def test_what_is_no_target_is_refused(target: str) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        open_topology(target)
    assert caught.value.explanation.kind == "UnknownTarget"


def test_a_topology_of_four_axes_is_refused_before_a_compiler_is_asked(program: Path) -> None:
    with pytest.raises(UsageError, match="no target 'aot:tpu:v5e:2x2x2x2'") as caught:
        one_shot.capture(str(program), target="aot:tpu:v5e:2x2x2x2")
    assert "aot:tpu:v5e:2x2" in caught.value.explanation.remedy


@pytest.mark.parametrize(
    "request_type",
    [
        *(TimeRequest, ProfileRequest, ScalingRequest, ComparisonRequest),
        *(AgreementRequest, RecompilationRequest, CalibrationRequest),
    ],
)
def test_nothing_can_be_timed_that_does_not_run(request_type: type[Request]) -> None:
    arguments: dict[str, Any] = {"target": TARGET}
    if request_type is not CalibrationRequest:
        arguments["file"] = "f.py"
    with pytest.raises(EnvironmentProblem, match="compiled only") as caught:
        request_fields(request_type(**arguments))
    assert caught.value.exit_status == 3


@pytest.mark.parametrize(
    ("installed", "is_said"), [("0.0.42.1", False), ("0.0.421", True), ("0.0.52", True)]
)
def test_a_libtpu_of_another_release_is_told_and_records_nothing(
    monkeypatch: pytest.MonkeyPatch, installed: str, is_said: bool
) -> None:
    """Its recorder and that of jaxlib differ, which ends in a crash of both."""
    asks = ["numpy>=2.0", 'libtpu==0.0.42.*; extra == "tpu"']
    monkeypatch.setattr(importlib.metadata, "version", lambda _name: installed)
    monkeypatch.setattr(importlib.metadata, "requires", lambda _name: asks)
    module, profiler = map(importlib.import_module, ("jaxlib._jax", "jaxlib._profiler"))
    monkeypatch.setattr(module, "pjrt_plugin_loaded", lambda name: name == "tpu")
    monkeypatch.setattr(profiler, "ProfilerSession", lambda options: "recording")
    told = compat.describe_other_libtpu()
    assert bool(told) == is_said
    if is_said:
        assert f"libtpu {installed}" in told
        assert "pip install 'libtpu==0.0.42.*'" in told
        with pytest.raises(RuntimeError, match="goes with libtpu"):
            compat.start_recording()
    else:
        assert compat.start_recording() == "recording"


def test_doctor_has_a_row_for_each_kind() -> None:
    rows = {target.target: target for target in one_shot.inspect_environment().targets}
    for kind in ("tpu", "gpu"):
        row = rows[f"aot:{kind}:…"]
        assert row.is_available == (not find_missing(kind))
        assert "compiles for" in row.reason or "pip install" in row.reason
