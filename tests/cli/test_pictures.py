"""The options of `capture` that say how pictures look."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.commands import CommandLine
from jaxscope.picture.palette import DARK


def test_every_stage_is_a_file_of_its_own(
    jaxscope: CommandLine, archive: Path, tmp_path: Path
) -> None:
    answer = jaxscope(
        "capture", archive, "--stage", "all", "--theme", "dark", "-o", tmp_path / "all.svg"
    )
    assert answer.status == 0, answer.errors
    names = {path.name for path in tmp_path.iterdir()}
    assert {"all-jaxpr.svg", "all-grad.svg", "all-optimized.svg"} <= names
    assert all(path.read_text().count(DARK.background) for path in tmp_path.iterdir())
    assert all(name in answer.errors for name in names), "each file is named"


@pytest.mark.parametrize("ending", ["pdf", "md", "txt", "html", "json"])
def test_documents_hold_every_stage_in_one_file(
    jaxscope: CommandLine, archive: Path, tmp_path: Path, ending: str
) -> None:
    answer = jaxscope("capture", archive, "--stage", "all", "-o", tmp_path / f"all.{ending}")
    assert answer.status == 0, answer.errors
    assert [path.name for path in tmp_path.iterdir()] == [f"all.{ending}"]


def test_a_png_has_the_width_that_is_asked_for(
    jaxscope: CommandLine, archive: Path, tmp_path: Path
) -> None:
    output = tmp_path / "wide.png"
    answer = jaxscope(
        "capture", archive, "--width", "333", "--expand", "all", "--direction", "right",
        "-o", output,
    )  # fmt: skip
    assert answer.status == 0, answer.errors
    width = int.from_bytes(output.read_bytes()[16:20], "big")
    height = int.from_bytes(output.read_bytes()[20:24], "big")
    assert abs(width - 333) <= 1
    assert width > height, "values flow to the right"


@pytest.mark.parametrize(
    "words",
    [
        ("--scale", "0"),
        ("--scale", "nan"),
        ("--width", "-3"),
        ("--width", "99999999999"),
        ("--theme", "blue"),
        ("--direction", "up"),
        ("--scale", "2", "--width", "100"),
        ("--expand", "some"),
    ],
)
def test_what_is_no_picture_is_refused(
    jaxscope: CommandLine, archive: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    output = tmp_path / "out.png"
    assert jaxscope("capture", archive, *words, "-o", output).status == 2
    assert not output.exists()
