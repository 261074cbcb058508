"""The hand-out of a call: questions before answers, JAX's numbers, in each language."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import jax.numpy as jnp
import pytest

import jaxscope
from jaxscope.cli import main
from jaxscope.export import steps_pdf
from jaxscope.export.steps import describe_end
from jaxscope.model.lessons import Lesson
from jaxscope.model.values import ArraySummary, Step, Stepping, StepValue

LESSON = """# {title}

Show: shared.py::twice(jnp.arange(3.0))

It calls *double* twice, and `a * b` stays.

## How many calls?

Fact: equations of jaxpr = 6

Guess.

Notes:

nobody sees this.

Reveal:

Show: shared.py::double(f32[2])

- the secret
- of the lesson
"""
PROGRAM = '''"""Shared code.

Look at: `twice`.

Predict: what is the sum?

Then see: the secret of the docstring.
"""
import jax.numpy as jnp

def double(x):
    return x * 2.0  # ²

def twice(x):
    return (double(x) + double(jnp.sin(x))).sum()
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("handout")
    (path / "shared.py").write_text(PROGRAM, "utf-8")
    (path / "calls.md").write_text(LESSON.format(title="Two calls"), "utf-8")
    (path / "calls.zh.md").write_text(LESSON.format(title="两次调用"), "utf-8")
    return path


def read_pages(path: Path) -> list[str]:
    """The text of each page, by a program that did not write it."""
    reader = shutil.which("pdftotext")
    if reader is None:
        pytest.skip("needs pdftotext (apt-get install poppler-utils)")
    done = subprocess.run(
        [reader, "-layout", path, "-"], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split("\f")[:-1]


def write(folder: Path, file: str, call: str = "") -> list[str]:
    out = folder / f"{file}.pdf"
    words = ["values", str(folder / file), *([call] if call else []), "-o", str(out)]
    assert main(words) == 0
    return read_pages(out)


def test_the_answer_is_on_a_page_behind_the_question_and_the_program(folder: Path) -> None:
    first, *rest = write(folder, "shared.py", "twice(jnp.arange(3.0))")
    assert "what is the sum?" in first.lower()
    assert "def double(x):" in first
    assert "x * 2.0 # ²" in " ".join(first.split())
    assert "secret" not in first, "the docstring is not listed where the lesson tells it"
    assert "the secret of the docstring" in " ".join(rest).lower()


def test_numbers_are_those_that_jax_computes(folder: Path) -> None:
    text = write(folder, "shared.py", "twice(jnp.arange(3.0))")[-1]
    x = jnp.arange(3.0)
    results = re.search(r"The results\s+result.*", text)
    assert results is not None
    numbers = [float(each) for each in re.findall(r"-?\d+\.\d+", results[0])]
    assert numbers == pytest.approx([float((2 * x + 2 * jnp.sin(x)).sum())] * 4, abs=1e-4)
    sines = re.search(r"sin: .*?result (?P<row>.*?)\n", text, re.DOTALL)
    assert sines is not None
    assert "[0. 0.8415 0.9093]" in sines["row"]


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("file", "title"), [("calls.md", "Two calls"), ("calls.zh.md", "两次调用")]
)
def test_all_parts_of_a_lesson_are_told(folder: Path, file: str, title: str) -> None:
    first, *rest = write(folder, file)
    assert title in first
    assert "calls double twice, and a * b stays" in first
    assert "Guess." in first
    behind = " ".join(rest)
    assert "secret" not in first
    assert "- the secret" in behind
    assert "Look at: double(f32[2])" in behind
    assert "nobody sees this" not in first + behind
    assert "Fact" not in first + behind


@pytest.mark.slow
def test_a_program_that_no_page_can_show_is_not_drawn(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps_pdf, "_MOST_NODES", 3)
    first, *_ = write(folder, "shared.py", "double(f32[2])")
    assert "cannot be read" not in first
    first, *_ = write(folder, "shared.py", "twice(f32[2])")
    told = " ".join(first.split())
    assert "7 nodes cannot be read on a page" in told
    command = re.search(r"jaxscope (capture shared\.py .* -o) program\.pdf", told)
    assert command is not None
    monkeypatch.chdir(folder)
    assert main([*shlex.split(command[1]), "program.pdf"]) == 0
    assert "reduce_sum" in read_pages(folder / "program.pdf")[0]


@pytest.mark.slow
def test_long_values_fit_their_pages(folder: Path) -> None:
    capture = jaxscope.capture_file(str(folder / "shared.py"), "double(f32[2])")
    summary = ArraySummary((2,), "float32", 1.2345678, 1.2345678, 1.2345678, text="9.12 " * 90)
    values = tuple(
        StepValue("operand", n, "深 " * 90, "f32[" + "1," * 80 + "1]", summary) for n in range(9)
    )
    steps = [Step(n, str(n), operation="sin", values=values) for n in range(4)]
    stepping = Stepping("f(x)", capture.environment, "jaxpr", 4, (), ())
    handout = folder / "long.pdf"
    handout.write_bytes(steps_pdf.steps_to_pdf(stepping, steps, capture, Lesson("Long")))
    assert " ".join(read_pages(handout)).count("operand 8") == 4


def test_steps_that_are_left_out_are_counted() -> None:
    steps = [Step(1), Step(2, "0", operation="sin"), Step(3, "1", operation="cos")]
    assert describe_end(steps) == "Only the first 2 equations are here."
    assert not describe_end([*steps, Step(4, is_end=True)])
    assert not describe_end([*steps, Step(4, "2", failure="It failed.")])
