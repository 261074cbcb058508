"""`jaxscope capture` writes every format, whole or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.commands import CommandLine
from cli.conftest import CALL, SAMPLE
from jaxscope.cli.parser import FORMATS
from jaxscope.schema.archive import load_capture

BEGINNINGS = {
    "jaxscope": b"PK",
    "json": b"{",
    "svg": b"<svg",
    "png": b"\x89PNG\r\n",
    "pdf": b"%PDF-",
    "dot": b"digraph",
    "html": b"<!DOCTYPE html>",
    "txt": b"HloModule",
    "md": b"# ",
}


def test_every_format_has_a_writer_and_a_test() -> None:
    assert set(FORMATS) == set(BEGINNINGS)


@pytest.mark.parametrize("ending", FORMATS)
def test_formats(jaxscope: CommandLine, archive: Path, tmp_path: Path, ending: str) -> None:
    output = tmp_path / f"picture.{ending}"
    answer = jaxscope("capture", archive, "-o", output)
    assert answer.status == 0, answer.errors
    assert answer.output == ""
    assert BEGINNINGS[ending] in output.read_bytes()[:200]
    assert [path.name for path in tmp_path.iterdir()] == [output.name], "no draft is left"


def test_json_follows_the_contract(jaxscope: CommandLine) -> None:
    answer = jaxscope("capture", SAMPLE, CALL, "--json")
    assert answer.status == 0, answer.errors
    capture = answer.json()
    assert (capture["format"], capture["version"]) == ("jaxscope.capture", 1)
    assert (capture["call"], capture["base"], capture["transforms"]) == (
        CALL,
        "simple_graph",
        ["grad"],
    )
    stages = {stage["name"]: stage for stage in capture["stages"]}
    assert list(stages) == ["jaxpr", "grad", "stablehlo", "hlo", "optimized", "machine"]
    equations = [
        node["operation"]
        for node in stages["jaxpr"]["graph"]["nodes"]
        if node["kind"] == "equation"
    ]
    assert equations == ["add", "integer_pow", "add", "reduce_sum", "div"]


def test_without_a_call_the_first_offered_one_is_taken(
    jaxscope: CommandLine, user_file: Path
) -> None:
    answer = jaxscope("capture", user_file, "--json", "-o", "-")
    assert answer.json()["call"] == "good(f32[4])"
    assert "tracing good" in answer.errors, "the user's prints do not mix with the data"


def test_without_a_place_to_write_it_is_summed_up(
    jaxscope: CommandLine, archive: Path, tmp_path: Path
) -> None:
    answer = jaxscope("capture", archive)
    assert answer.status == 0
    first, *told = answer.output.splitlines()
    assert first == load_capture(archive).call
    assert any("kernel" in line for line in told)
    assert told[-1].startswith("Nothing was written. To keep it: -o out.html")
    assert list(tmp_path.iterdir()) == []


def test_the_stage_is_chosen_by_name(jaxscope: CommandLine, archive: Path, tmp_path: Path) -> None:
    output = tmp_path / "jaxpr.txt"
    assert jaxscope("capture", archive, "--stage", "jaxpr", "-o", output).status == 0
    assert "integer_pow[y=2]" in output.read_text()


def test_an_unknown_stage_names_the_known(
    jaxscope: CommandLine, archive: Path, tmp_path: Path
) -> None:
    answer = jaxscope("capture", archive, "--stage", "fused", "-o", tmp_path / "x.svg")
    assert answer.status == 2
    assert "jaxpr, grad, stablehlo, hlo, optimized, machine" in answer.errors
    assert list(tmp_path.iterdir()) == []


def test_a_stage_without_a_graph_says_so(
    jaxscope: CommandLine, archive: Path, tmp_path: Path
) -> None:
    answer = jaxscope("capture", archive, "--stage", "machine", "-o", tmp_path / "x.svg")
    assert answer.status == 3
    assert "machine" in answer.errors


def test_a_full_disk_keeps_what_was_there(jaxscope: CommandLine, archive: Path) -> None:
    link = Path("/dev/full")
    if not link.exists():
        pytest.skip("needs /dev/full")
    answer = jaxscope("capture", archive, "-o", "/dev/full")
    assert answer.status == 2, "no ending"
    from jaxscope.cli.output import write_file
    from jaxscope.errors import EnvironmentProblem

    with pytest.raises(EnvironmentProblem, match="No space left"):
        write_file(link, lambda path: path.write_text("x") and None)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    from jaxscope.cli.output import write_file
    from jaxscope.errors import EnvironmentProblem

    path = tmp_path / "out.json"
    path.write_text("old")

    def fail(draft: Path) -> None:
        draft.write_text("half")
        raise OSError(28, "No space left on device", str(draft))

    with pytest.raises(EnvironmentProblem, match=r"out\.json.*No space left"):
        write_file(path, fail)
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.json"]
    assert path.read_text() == "old"


def test_it_works_without_qt(archive: Path, tmp_path: Path) -> None:
    """On a machine without PySide6, or without the libraries that it needs."""
    program = (
        "import sys\n"
        "for name in ('PySide6', 'shiboken6', 'pyqtgraph'): sys.modules[name] = None\n"
        "from jaxscope.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    output = tmp_path / "out.json"
    words = ["capture", str(SAMPLE), "simple_graph(f32[3])", "-o", str(output)]
    answer = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(output.read_text())["call"] == "simple_graph(f32[3])"
