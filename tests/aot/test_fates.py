"""Fates of programs for chips that are not there, held against XLA's own dumps of every pass."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from jaxscope.client import one_shot

from .conftest import graph_of, needs_gpu_compiler, needs_tpu_compiler

ROOT = Path(__file__).parents[2]
CALLS = (
    "three_relus(f32[64, 64], f32[64, 64], f32[64, 64], f32[64, 64])",
    "grad(summed_loop)(f32[8, 8], f32[8], f32[10, 8])",
    "jax.random.uniform(key(0), (8,))",
    "jnp.fft.rfft(f32[32])",
    "(lambda x: jnp.histogram(x, bins=5))(f32[40])",
    "jnp.cumprod(f32[32])",
)


def check(folder: Path, target: str) -> dict[str, dict[str, int]]:
    """What `bench.fates` counts of the calls, compiled for a target in a process of its own."""
    program = (ROOT / "tests" / "fates" / "told_wrong.py").read_text("utf-8")
    lines = [line for line in program.splitlines() if not line.startswith("# jaxscope:")]
    file = folder / "calls.py"
    file.write_text("\n".join([*lines, *(f"# jaxscope: {call}" for call in CALLS)]), "utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "bench.fates", str(file), "--json", "--target", target],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert "not captured" not in run.stderr, run.stderr
    found: dict[str, dict[str, int]] = json.loads(run.stdout.splitlines()[-1])
    assert found["recorded"]["refuted"] == 0, run.stderr
    return found


@needs_gpu_compiler
def test_none_of_a_gpu_s_is_refuted(tmp_path: Path) -> None:
    found = check(tmp_path, "aot:gpu:h100")
    assert found["alone"]["refuted"] == 0
    assert found["recorded"]["proven"] > 50


@needs_tpu_compiler
def test_none_of_a_tpu_s_is_refuted_and_none_claims_a_proof(tmp_path: Path) -> None:
    """XLA goes on with a copy of two of the modules, whose passes are not recorded."""
    found = check(tmp_path, "aot:tpu:v5e:2x2")
    assert found["recorded"]["proven"] == found["alone"]["proven"] == 0
    assert found["recorded"]["inferred"] > 50


SPLIT = """
import jax, jax.numpy as jnp


def product(a, b):
    return a @ b


def total(a, b):
    y = a @ b
    return jnp.sum(y * y)


def two(a, b, c):
    return a @ b, jnp.sum(a @ c, axis=1)
"""


@needs_gpu_compiler
@pytest.mark.parametrize(
    ("call", "product", "total"),
    [
        ("product(f32[64, 65536], f32[65536, 64])", "0", ""),
        ("product(bf16[128, 32768], bf16[32768, 128])", "0", ""),
        ("product(f32[4, 16, 16384], f32[16384, 32])", "0", ""),
        ("total(f32[64, 65536], f32[65536, 64])", "0", "2"),
        ("two(f32[64, 65536], f32[65536, 64], f32[65536, 32])", "0", "2"),
    ],
)
def test_the_sum_of_a_product_that_xla_splits_is_the_products(
    tmp_path: Path, call: str, product: str, total: str
) -> None:
    """XLA names the function that adds the parts after the product."""
    path = tmp_path / "split.py"
    path.write_text(SPLIT)
    capture = one_shot.capture(str(path), call, target="aot:gpu:h100")
    graph = graph_of(capture)
    nodes = range(len(graph.nodes))
    sums = [node for node in nodes if graph.operation(node) == "reduce"]
    parts = [n for n in sums if "reduce_sub_computation" in graph.attributes(n)["calls"]]
    if not parts:  # whether a product is split is a choice of the release of XLA
        pytest.skip("this XLA splits no product")
    for node in nodes:
        if graph.operation(node) == "dot" or node in parts:
            assert graph.derived(node) == (product,)
        elif node in sums:
            assert graph.derived(node) == (total,)
    fates = capture.fates
    assert graph.id(parts[0]) in fates[product].instructions
    if total:
        assert graph.id(parts[0]) not in fates[total].instructions
    # XLA makes one product of two, whose result the sum reads: of no argument.
    assert not any("works from an argument" in fate.text for fate in fates.values())
