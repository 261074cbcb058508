"""Captures that are shared: whether they hold the source is said, and it can be left out."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import jaxscope
from jaxscope.cli import main
from jaxscope.model import is_available
from jaxscope.model.capture import NO_SOURCE

PROGRAM = """import jax.numpy as jnp

def secret_recipe(x):
    return jnp.sin(x) * 2.0  # the trade secret
"""
SECRETS = ("return jnp.sin", "trade secret")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "recipe.py"
    path.write_text(PROGRAM, "utf-8")
    return path


@pytest.mark.sweep(1)
@pytest.mark.parametrize("ending", ["jaxscope", "json", "html"])
def test_the_text_is_left_out(
    program: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = program.with_suffix(f".{ending}")
    assert main(["capture", str(program), "secret_recipe(f32[4])", "-o", str(out)]) == 0
    assert "(with the text of recipe.py)" in capsys.readouterr().err
    words = ["capture", str(program), "secret_recipe(f32[4])", "-o", str(out), "--without-source"]
    assert main(words) == 0
    said = capsys.readouterr().err
    assert NO_SOURCE in said and "with the text" not in said
    if ending == "jaxscope":
        capture = jaxscope.load(out)
        assert [file.text for file in capture.files] == [""]
        stage = capture.stage("jaxpr")
        assert stage is not None and is_available(stage.text) and "sin" in stage.text.text
        text = repr([dataclasses.asdict(file) for file in capture.files]) + repr(capture.source)
    else:
        text = out.read_text("utf-8")
    assert not [secret for secret in SECRETS if secret in text]


def test_a_picture_holds_none(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = program.with_suffix(".svg")
    assert main(["capture", str(program), "secret_recipe(f32[4])", "-o", str(out)]) == 0
    assert "with the text" not in capsys.readouterr().err


def test_what_was_saved_with_its_source_can_be_written_without(program: Path) -> None:
    first, second = program.with_suffix(".jaxscope"), program.with_suffix(".json")
    assert main(["capture", str(program), "secret_recipe(f32[4])", "-o", str(first)]) == 0
    assert main(["capture", str(first), "-o", str(second), "--without-source"]) == 0
    assert not [secret for secret in SECRETS if secret in second.read_text("utf-8")]
