"""What a job left behind opens where JAX cannot be imported: what takes no parser of jaxlib's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from opening.conftest import Left

Shell = Any


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Runs the command line in a process, and workers, in which importing JAX fails."""
    for name in ("jax", "jaxlib"):
        (tmp_path / "blocked" / name).mkdir(parents=True)
        (tmp_path / "blocked" / name / "__init__.py").write_text('raise ImportError("blocked")\n')
    root = str(Path(__file__).parents[2])
    path = os.pathsep.join([str(tmp_path / "blocked"), root])

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "jaxscope", *map(str, words)]
        environment = {**os.environ, "PYTHONPATH": path}
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path
        )

    return run


@pytest.mark.slow
def test_a_dump_opens_with_its_graphs_and_texts(shell: Shell, left: Left, tmp_path: Path) -> None:
    listed = json.loads(shell("open", left.both, "--json").stdout)
    name = listed["largest"]
    ran = shell("open", left.both, "--module", name, "-o", tmp_path / "out.json")
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    stages = {
        each["name"]: each for each in json.loads((tmp_path / "out.json").read_text())["stages"]
    }
    for stage in ("hlo", "optimized"):
        assert stages[stage]["graph"]["nodes"] and "HloModule" in stages[stage]["text"]
    assert stages["machine"]["text"]
    assert "JAX cannot be imported here" in ran.stderr  # of the StableHLO, which is a text


@pytest.mark.slow
def test_a_serialized_module_alone_has_a_graph_and_says_why_it_has_no_text(
    shell: Shell, left: Left, tmp_path: Path
) -> None:
    ran = shell("open", left.files / "step.pb", "-o", tmp_path / "out.json")
    assert ran.returncode == 0, ran.stderr
    stages = {
        each["name"]: each for each in json.loads((tmp_path / "out.json").read_text())["stages"]
    }
    assert stages["optimized"]["graph"]["nodes"]
    assert "jaxlib's parser" in stages["optimized"]["reasons"]["text"]


@pytest.mark.parametrize("name", ["before.hlo", "step.mlir"])
@pytest.mark.slow
def test_a_text_is_shown_as_it_is(shell: Shell, left: Left, name: str, tmp_path: Path) -> None:
    ran = shell("open", left.files / name, "-o", tmp_path / "out.json")
    assert ran.returncode == 0, ran.stderr
    assert "is shown as text, without a graph" in ran.stderr
    assert "tanh" in (tmp_path / "out.json").read_text()


def test_what_takes_a_parser_says_so(shell: Shell, left: Left) -> None:
    ran = shell("open", left.files / "step.mlirbc", "-o", "out.json")
    assert ran.returncode != 0 and "Traceback" not in ran.stderr
    assert "It takes jaxlib's parser, and JAX cannot be imported here." in ran.stderr
    assert "--python" in ran.stderr


def test_a_call_says_that_jax_is_broken(shell: Shell, left: Left) -> None:
    ran = shell("capture", left.program, "-o", "out.json")
    assert ran.returncode != 0 and "Traceback" not in ran.stderr
    assert "JAX cannot be imported by" in ran.stderr and "blocked" in ran.stderr
