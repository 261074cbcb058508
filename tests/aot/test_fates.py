"""Fates of programs for chips that are not there, held against XLA's own dumps of every pass."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from .conftest import needs_gpu_compiler, needs_tpu_compiler

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
