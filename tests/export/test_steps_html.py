"""The page that goes through a call: every step is there, numbers are JAX's, answers wait."""

from __future__ import annotations

import re
from pathlib import Path

import jax.numpy as jnp
import pytest

from jaxscope.cli import main
from jaxscope.client.requests import StepRequest
from jaxscope.client.stepping import SteppingClient

from .browser import Browser

PROGRAM = '''"""Shared code: a function that is called twice.

Look at: `twice`, and </script><b>.

Predict: what is the sum?

Then see: the secret of the lesson.
"""
import jax
import jax.numpy as jnp

@jax.jit
def double(x):
    return x * 2.0  # <b>

def twice(x):
    y = double(x) + double(jnp.sin(x))
    return jax.lax.fori_loop(0, 3, lambda _, z: z * 1.5, y.sum())
'''
CALL = "twice(jnp.arange(3.0))"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("steps") / "shared.py"
    path.write_text(PROGRAM, "utf-8")
    return path


@pytest.fixture(scope="module")
def page(program: Path) -> Path:
    path = program.with_suffix(".html")
    assert main(["values", str(program), CALL, "-o", str(path)]) == 0
    return path


def articles(page: Path) -> list[str]:
    return re.findall(r"<article.*?</article>", page.read_text("utf-8"), re.DOTALL)


def test_the_lesson_is_around_the_arguments_each_equation_and_the_results(page: Path) -> None:
    titles = [re.findall("<h3>(.*?)(?::.*)?</h3>", article)[0] for article in articles(page)]
    assert titles == [
        *("Look at", "Predict", "The arguments"),
        *(
            "step 1 of 6 · jit",
            "in step 1 of 6 · mul",
            "step 2 of 6 · sin",
            "step 3 of 6 · jit",
            "in step 3 of 6 · mul",
        ),
        *("step 4 of 6 · add", "step 5 of 6 · reduce_sum", "step 6 of 6 · scan"),
        *("The results", "Then see"),
    ]


def test_numbers_are_those_that_jax_computes(page: Path) -> None:
    x = jnp.arange(3.0)
    total = (2 * x + 2 * jnp.sin(x)).sum()
    numbers = [re.findall("<code>([^<]*)</code></td></tr>", each) for each in articles(page)]
    assert numbers[5][-1] == "[0. 0.8415 0.9093]"
    assert float(numbers[9][-1]) == pytest.approx(float(total), abs=1e-4)
    assert float(numbers[-2][-1]) == pytest.approx(float(total) * 1.5**3, abs=1e-4)


def test_lines_are_those_of_the_equations(page: Path) -> None:
    lines = [re.findall('data-line="([0-9]+)"', each) for each in articles(page)]
    multiplied = PROGRAM.split("\n").index("    return x * 2.0  # <b>") + 1
    assert lines[4] == [str(multiplied)]


def test_the_lesson_is_not_told_beforehand_and_no_text_is_markup(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.count("secret of the lesson") == 1
    assert 'data-first="9"' in text
    assert "<b>" not in text
    assert len(re.findall("</script>", text)) == 1


def test_the_number_of_equations_is_bounded(program: Path) -> None:
    with SteppingClient(StepRequest(str(program), CALL)) as stepper:
        steps = stepper.record(2)
        assert [step.equation for step in steps] == ["", "0", "0/jaxpr/0"]
        assert stepper.record(100)[-1].is_end


@pytest.mark.parametrize(
    "words",
    [
        ["-o", "steps.txt"],
        ["-o", "steps.pdf", "--until", "nan"],
        ["-o", "steps.html", "--at", "end"],
    ],
)
def test_what_cannot_be_written_is_said(
    program: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["values", str(program), CALL, *words]) == 2
    assert capsys.readouterr().err


SEEN = "[...document.querySelectorAll('article, .answer')].filter((e) => e.checkVisibility())"


@pytest.mark.browser
def test_answers_wait_until_they_are_asked_for(browser: Browser, page: Path) -> None:
    browser.open(page)
    for _ in range(4):
        browser.press("ArrowRight")  # to an equation inside of the first one, by way of its answer
    shown = f"{SEEN}.map((e) => e.innerText.split(':')[0])"
    assert browser.evaluate(f"{SEEN}.length") == 2, "of the call"
    browser.press("ArrowRight")
    assert browser.evaluate(shown) == ["in step 1 of 6 · mul"]
    assert browser.evaluate("document.querySelector('#next').innerText") == "Reveal"
    assert "2.0" in browser.evaluate("document.querySelector('span.is-here').innerText")
    browser.click("#next")
    assert browser.evaluate(f"{SEEN}.length") == 2
    browser.press("ArrowLeft")
    assert browser.evaluate(f"{SEEN}.length") == 2, "what was seen stays answered"
    for _ in range(40):
        browser.press("ArrowRight")
    assert browser.evaluate("document.querySelector('#next').disabled")
    assert "secret" in browser.evaluate(f"{SEEN}[0].innerText")
    assert browser.problems() == []
