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


def test_a_kernel_that_this_machine_cannot_compile_is_drawn_from_the_jaxpr(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """As kernels for TPUs on a laptop; other figures need more than the jaxpr."""
    file, out = tmp_path / "kernel.py", tmp_path / "kernel.csv"
    file.write_text(
        "import jax\nfrom jax.experimental import pallas as pl\n\n\n"
        "def kernel(x_ref, out_ref):\n    out_ref[...] = x_ref[...] + 1.0\n\n\n"
        "def call(x):\n"
        "    block = pl.BlockSpec((8, 128), lambda i: (i, 0))\n"
        "    specs = {'in_specs': [block], 'out_specs': block}\n"
        "    return pl.pallas_call(kernel, x, grid=(2,), **specs)(x)\n"
    )

    answer = jaxscope("figure", "pallas", file, "call(f32[16, 128])", "-o", out)

    assert answer.status == 0, answer.errors
    assert "note: It shows the jaxpr." in answer.errors
    first = [line.split('"')[5] for line in out.read_text().splitlines()[1:]]
    assert first == ["(0, 0)", "(0, 0)", "(8, 0)", "(8, 0)"]
    assert jaxscope("figure", "memory", file, "call(f32[16, 128])", "-o", out).status == 1
