"""Programs compiled for TPUs that are not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jaxscope.client import one_shot
from jaxscope.errors import EnvironmentProblem, JaxscopeError
from jaxscope.model import Capture
from jaxscope.model.capture import MemoryPlan
from jaxscope.model.hardware import chip_names, find_chip
from jaxscope.program.targets import read_exhausted

from .conftest import CUT, ON_ONE, graph_of, needs_tpu_compiler, stage_of, text_of

pytestmark = needs_tpu_compiler
Compile = Callable[..., Capture]
TARGET = "aot:tpu:v5e:2x2"
TOO_LARGE = """
import jax, jax.numpy as jnp


def too_large(x):
    large = jnp.broadcast_to(x, (1 << 17, 1024, 1024))
    return jax.lax.optimization_barrier((large * 2, large + 1))
"""


def test_all_stages_are_there(compile_for: Compile) -> None:
    capture = compile_for(TARGET)
    assert capture.target == TARGET
    assert (capture.environment.platform, capture.environment.device) == (
        "tpu",
        "TPU v5 lite (not here)",
    )
    for name in ("jaxpr", "grad", "stablehlo", "hlo", "optimized"):
        assert len(graph_of(capture, name).nodes) > 3
        assert text_of(capture, name)
    assert stage_of(capture, "optimized").cost.flops > 0
    assert any("no autotuning" in message for message in capture.messages)


def test_tags_survive(compile_for: Compile) -> None:
    """Every instruction that JAX named is linked to equations."""
    graph = graph_of(compile_for(TARGET))
    named = linked = 0
    for node in map(graph.node, range(len(graph.nodes.id))):
        name = node.attributes.get("op_name", "")
        if name.startswith("jit(") and "/" in name:
            named += 1
            linked += bool(node.origins or node.derived)
    assert named > 5
    assert linked == named


def test_every_equation_has_a_fate(compile_for: Compile) -> None:
    fates = compile_for(TARGET).fates
    assert fates
    assert all(fate.fate != "unknown" for fate in fates.values())


def test_arrays_that_are_cut_are_cut_over_the_chips(compile_for: Compile) -> None:
    whole, cut = compile_for(TARGET), compile_for(TARGET, CUT)
    text = text_of(cut)
    assert "num_partitions=4" in text
    assert "all-reduce" in text
    assert any("uses 1 of the 4 devices" in message for message in whole.messages)
    assert not any("of the 4 devices" in message for message in cut.messages)
    assert isinstance(cut.memory, MemoryPlan)
    assert isinstance(whole.memory, MemoryPlan)
    assert cut.memory.argument_bytes < whole.memory.argument_bytes


@pytest.mark.parametrize("name", chip_names("tpu"))
def test_every_generation_compiles(compile_for: Compile, name: str) -> None:
    chip = find_chip(name)
    assert chip is not None
    capture = compile_for(f"aot:tpu:{name}")
    assert stage_of(capture, "optimized").cost.flops > 0


def test_as_many_devices_as_a_pod_has(compile_for: Compile) -> None:
    with pytest.raises(JaxscopeError, match="divisible"):  # 32 rows over 256 chips
        compile_for("aot:tpu:v5e:16x16", CUT)


@pytest.mark.parametrize("target", ["aot:tpu:v9:2x2", "aot:tpu:v5e:0x1", "aot:tpu:v5e:64x64"])
def test_what_no_compiler_knows(compile_for: Compile, target: str) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        compile_for(target)
    assert target in caught.value.explanation.what
    assert "v5e" in caught.value.explanation.remedy


def test_passes_are_recorded_for_a_tpu_too(program: Path) -> None:
    capture = one_shot.capture(str(program), ON_ONE, target="aot:tpu:v5e:1x1", passes=True)
    assert len(capture.passes) > 10


@pytest.mark.parametrize("name", chip_names("tpu"))
def test_the_memory_of_a_chip_is_what_its_compiler_says(tmp_path: Path, name: str) -> None:
    chip = find_chip(name)
    assert chip is not None
    program = tmp_path / "program.py"
    program.write_text(TOO_LARGE)
    with pytest.raises(JaxscopeError) as caught:
        one_shot.capture(str(program), "too_large(f32[1024, 1024])", target=chip.target)
    _, there = read_exhausted(caught.value.explanation.why)
    assert there == pytest.approx(chip.device_memory_bytes)


def test_rounded_products_are_told_and_have_no_precision_in_the_module(
    compile_for: Compile,
) -> None:
    capture = compile_for(TARGET)
    (found,) = (each for each in capture.checks if each.rule == "float32-products-rounded")
    assert "rounded to bfloat16" in found.message and found.line > 0
    assert "convolution(" in text_of(capture, "optimized")
    assert "operand_precision" not in text_of(capture, "optimized")
