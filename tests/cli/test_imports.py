"""What a command loads: counted in modules, since seconds are the machine's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import sys
from jaxscope.cli import main
status = main(sys.argv[1:])
print("loaded", *sys.modules)
sys.exit(status)
"""
FILE = str(Path(__file__).parents[2] / "samples" / "quick_start.py")


@pytest.mark.parametrize(
    ("arguments", "most", "without"),
    [
        (["--version"], 18, {"numpy", "msgspec", "subprocess"}),
        (["calls", FILE], 64, {"google", "capstone", "jaxscope.program.fates"}),
        (
            ["capture", FILE, "simple_graph(f32[3])", "-o", "{folder}/a.jaxscope"],
            113,
            {"jaxscope.picture", "jaxscope.client.experiment_collectors"},
        ),
    ],
)
def test_a_command_loads_what_it_needs(
    tmp_path: Path, arguments: list[str], most: int, without: set[str]
) -> None:
    arguments = [text.format(folder=tmp_path) for text in arguments]
    ran = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    loaded = ran.stdout.rpartition("loaded ")[2].split()
    own = [name for name in loaded if name.partition(".")[0] == "jaxscope"]
    assert len(own) <= most, own
    assert not without.intersection(loaded)
    assert not {"jax", "PySide6"}.intersection(loaded)


@pytest.mark.slow
def test_a_file_is_read_without_jax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading JAX takes a second; reading what a file offers takes only Python's parser."""
    mark = tmp_path / "loaded"
    jax = f"open({str(mark)!r}, 'w').close()\nraise ImportError('loaded')\n"
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "__init__.py").write_text(jax, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    command = [sys.executable, "-m", "jaxscope"]
    told = subprocess.run([*command, "calls", FILE], capture_output=True, text=True, timeout=60)
    assert (told.returncode, told.stderr) == (0, "")
    assert "simple_graph(f32[3])" in told.stdout and not mark.exists()
    ran = subprocess.run([*command, "capture", FILE], capture_output=True, text=True, timeout=60)
    assert ran.returncode and "loaded" in ran.stderr and mark.exists()
