"""Every format of `capture -o` is what its ending says, by somebody else's judgement."""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from contract.conftest import Captures, Command
from contract.programs import GRAD, NESTED, PER_EXAMPLE
from contract.shapes import CAPTURE, check

Export = Callable[..., Path]


@pytest.fixture
def export(jaxscope: Command, archive: Path, tmp_path: Path) -> Export:
    """Write the saved capture in a format and return the file."""

    def write(ending: str, *words: str) -> Path:
        output = tmp_path / f"out.{ending}"
        answer = jaxscope("capture", archive, "-o", output, *words)
        assert answer.status == 0, answer.errors
        assert answer.output == ""
        return output

    return write


def test_svg_is_xml_and_alone(export: Export) -> None:
    root = ElementTree.parse(export("svg")).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = "".join(root.itertext())
    assert "fusion" in texts
    for element in root.iter():
        assert not any("href" in name for name in element.attrib)
        assert not element.tag.endswith("script")


def test_png_has_its_size(export: Export) -> None:
    data = export("png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert 100 < width < 20_000
    assert 100 < height < 20_000
    assert data.endswith(b"IEND\xaeB`\x82")


def test_pdf_can_be_read(export: Export) -> None:
    path = export("pdf", "--stage", "jaxpr")
    assert path.read_bytes().startswith(b"%PDF-")
    assert path.read_bytes().rstrip().endswith(b"%%EOF")
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("needs pdftotext (apt-get install poppler-utils)")
    done = subprocess.run([reader, path, "-"], capture_output=True, text=True, check=True)
    assert "tanh" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("stage", ["jaxpr", "vmap(grad)", "stablehlo", "hlo", "optimized"])
def test_dot_is_accepted_by_graphviz(export: Export, stage: str) -> None:
    program = shutil.which("dot")
    if program is None:
        pytest.skip("needs Graphviz (apt-get install graphviz)")
    path = export("dot", "--stage", stage)
    done = subprocess.run(
        [program, "-Tsvg", path], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert ElementTree.fromstring(done.stdout).tag.endswith("svg")


def test_html_needs_no_network(export: Export) -> None:
    page = export("html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    addresses = set(re.findall(r"""(?:src|href|url|action)\s*[=(]\s*["']?([^"'\s>)]+)""", page))
    assert not {address for address in addresses if "//" in address}
    assert set(re.findall(r"https?://[^\s\"'<]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page


def test_text_is_the_stage(export: Export, captures: Captures) -> None:
    stages = {stage["name"]: stage for stage in captures[PER_EXAMPLE]["stages"]}
    assert export("txt").read_text() == stages["optimized"]["text"].rstrip("\n") + "\n"
    for name in ("jaxpr", "vmap(grad)", "stablehlo"):
        assert export("txt", "--stage", name).read_text().strip() == stages[name]["text"].strip()


def test_markdown_names_every_stage(export: Export, captures: Captures) -> None:
    report = export("md").read_text(encoding="utf-8")
    assert report.startswith(f"# `{PER_EXAMPLE}`\n")
    for stage in captures[PER_EXAMPLE]["stages"]:
        assert stage["title"].split("(")[0] in report


def test_a_saved_capture_is_the_same_capture(export: Export, captures: Captures) -> None:
    """Reopened without the file that it came from, and without running anything."""
    saved = json.loads(export("json").read_text(encoding="utf-8"))
    check(saved, CAPTURE)
    fresh = captures[PER_EXAMPLE]
    for key in ("call", "base", "transforms", "source", "arguments", "results", "target"):
        assert saved[key] == fresh[key], key
    for ours, theirs in zip(saved["stages"], fresh["stages"], strict=True):
        assert ours["name"] == theirs["name"]
        assert _without_measured(ours) == _without_measured(theirs), ours["name"]


def _without_measured(stage: dict[str, object]) -> dict[str, object]:
    """The stage without its seconds, and without machine code's addresses."""
    return {key: stage[key] for key in ("title", "graph", "unavailable", "cost")}


@pytest.mark.parametrize("call", [GRAD, NESTED])
def test_reopening_and_saving_again_changes_nothing(
    jaxscope: Command, program: Path, tmp_path: Path, call: str
) -> None:
    first, second = tmp_path / "first.jaxscope", tmp_path / "second.jaxscope"
    assert jaxscope("capture", program, call, "-o", first).status == 0
    assert jaxscope("capture", first, "-o", second).status == 0
    one = jaxscope("capture", first, "--json").json()
    other = jaxscope("capture", second, "--json").json()
    assert one == other


def test_an_unknown_ending_or_stage_is_wrong_usage(
    jaxscope: Command, archive: Path, tmp_path: Path
) -> None:
    assert jaxscope("capture", archive, "-o", tmp_path / "out.bmp").status == 2
    answer = jaxscope("capture", archive, "--stage", "none", "-o", tmp_path / "out.txt")
    assert answer.status == 2
    assert "vmap(grad)" in answer.errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["calls"], ["time"], ["capture"]])
def test_a_saved_capture_is_no_program(jaxscope: Command, archive: Path, words: list[str]) -> None:
    call = [] if words == ["calls"] else ["loss(f32[3])"]
    answer = jaxscope(*words, archive, *call, "--json")
    assert answer.status == 2
    assert "saved capture" in answer.json()["what"]
