"""Programs compiled for NVIDIA GPUs that are not there, without a driver."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jaxscope.errors import EnvironmentProblem
from jaxscope.model import Capture, Unavailable
from jaxscope.model.chip import chip_names

from .conftest import CUT, needs_gpu_compiler

pytestmark = needs_gpu_compiler
Compile = Callable[..., Capture]


@pytest.mark.parametrize("name", chip_names("gpu"))
def test_every_chip_compiles(compile_for: Compile, name: str) -> None:
    capture = compile_for(f"aot:gpu:{name}")
    assert capture.environment.platform == "gpu"
    assert capture.environment.device.endswith("(not here)")
    machine = capture.stage("machine")
    assert machine is not None
    assert not isinstance(machine.text, Unavailable)
    assert ".visible .entry" in machine.text.text


def test_tags_survive(compile_for: Compile) -> None:
    graph = compile_for("aot:gpu:h100").stage("optimized").graph  # type: ignore[union-attr]
    assert not isinstance(graph, Unavailable)
    nodes = [graph.node(index) for index in range(len(graph.nodes.id))]
    named = [n for n in nodes if "/" in n.attributes.get("op_name", "")]
    assert len(named) > 5
    assert [n.name for n in named if not (n.origins or n.derived)] == []


def test_arrays_that_are_cut_are_cut_over_the_gpus(compile_for: Compile) -> None:
    text = compile_for("aot:gpu:h100:4", CUT).stage("optimized").text.text  # type: ignore[union-attr]
    assert "num_partitions=4" in text
    assert "all-reduce" in text


def test_a_gpu_that_nobody_described(compile_for: Compile) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        compile_for("aot:gpu:geforce256")
    assert "h100" in caught.value.explanation.remedy
