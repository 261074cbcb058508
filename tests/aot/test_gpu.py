"""Programs compiled for NVIDIA GPUs that are not there, without a driver."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jaxscope.errors import EnvironmentProblem
from jaxscope.model import Capture
from jaxscope.model.hardware import chip_names

from .conftest import CUT, graph_of, needs_gpu_compiler, text_of

pytestmark = needs_gpu_compiler
Compile = Callable[..., Capture]


@pytest.mark.parametrize("name", chip_names("gpu"))
def test_every_chip_compiles(compile_for: Compile, name: str) -> None:
    capture = compile_for(f"aot:gpu:{name}")
    assert capture.environment.platform == "gpu"
    assert capture.environment.device.endswith("(not here)")
    assert ".visible .entry" in text_of(capture, "machine")


def test_tags_survive(compile_for: Compile) -> None:
    graph = graph_of(compile_for("aot:gpu:h100"))
    nodes = [graph.node(index) for index in range(len(graph.nodes.id))]
    named = [n for n in nodes if "/" in n.attributes.get("op_name", "")]
    assert len(named) > 5
    assert [n.name for n in named if not (n.origins or n.derived)] == []


def test_arrays_that_are_cut_are_cut_over_the_gpus(compile_for: Compile) -> None:
    text = text_of(compile_for("aot:gpu:h100:4", CUT))
    assert "num_partitions=4" in text
    assert "all-reduce" in text


def test_a_gpu_that_nobody_described(compile_for: Compile) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        compile_for("aot:gpu:geforce256")
    assert "h100" in caught.value.explanation.remedy
