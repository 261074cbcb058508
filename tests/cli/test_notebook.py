"""What a prompt and a notebook show of a capture."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import html
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import pytest

import jaxscope
from jaxscope import notebook
from jaxscope.errors import JaxscopeError
from jaxscope.model import Capture, Unavailable


@pytest.fixture
def capture(archive: Path) -> Capture:
    return jaxscope.load(archive)


def shown_in_notebook(capture: Capture) -> str:
    """What Jupyter asks for; a capture of the bare model has no answer."""
    answer = getattr(capture, "_repr_html_")()  # noqa: B009 (the bare model has no such method)
    assert isinstance(answer, str)
    return answer


def test_a_prompt_shows_a_line_per_stage(capture: Capture) -> None:
    lines = repr(capture).splitlines()
    assert lines[0] == "grad(simple_graph)(f32[1000])"
    assert lines[1] == "  jaxpr: 5 equations"
    assert len(lines) == 1 + len(capture.stages)


def test_kernels_and_cost_are_those_of_the_program_that_jax_compiles() -> None:
    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.mean(jnp.tanh(x @ w) ** 2)

    arguments = jnp.ones((8, 2)), jnp.ones((4, 8))
    captured = jaxscope.capture(jax.grad(loss), *arguments)
    compiled = jax.jit(jax.grad(loss)).lower(*arguments).compile()

    entry = (compiled.as_text() or "").partition("ENTRY")[2]
    run = re.findall(r"(%?[\w.-]+) = \S+ (?:fusion|dot|custom-call|reduce|copy)\(", entry)
    assert sorted(captured.kernels) == sorted(name.lstrip("%") for name in run)
    analysis = compiled.cost_analysis()
    assert isinstance(analysis, dict)
    assert captured.cost.flops == analysis["flops"]
    assert captured.cost.bytes_accessed == analysis["bytes accessed"]


def test_kernels_that_are_not_known_say_why(capture: Capture) -> None:
    stages = tuple(stage for stage in capture.stages if stage.name in ("jaxpr", "hlo"))
    lacking = notebook.make_shown(dataclasses.replace(capture, stages=stages))
    with pytest.raises(JaxscopeError, match="The kernels are not known") as raised:
        _ = lacking.kernels
    assert raised.value.explanation.why == "The capture has no compiled program."
    assert lacking.cost == stages[1].cost
    assert math.isnan(notebook.make_shown(dataclasses.replace(capture, stages=())).cost.flops)


def test_a_notebook_shows_the_page_in_a_frame(capture: Capture) -> None:
    shown = shown_in_notebook(capture)
    frame = ElementTree.fromstring(shown).find("iframe")
    assert frame is not None
    assert frame.get("sandbox") == "allow-scripts", "it can do nothing to the notebook"
    assert len(shown) < 100_000, "a notebook keeps it in its file"
    packed = re.search(r'atob\("([^"]*)"\)', frame.get("srcdoc") or "")
    assert packed
    page = gzip.decompress(base64.b64decode(packed[1])).decode()
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?https?:", page)


def test_a_page_too_large_becomes_a_list(capture: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MAX_PAGE_BYTES", 1000)
    assert shown_in_notebook(capture) == f"<pre>{html.escape(repr(capture))}</pre>"


def test_a_capture_without_its_last_stages_is_shown(capture: Capture) -> None:
    why = Unavailable("XLA <failed>.")
    stages = tuple(
        stage
        if stage.name in ("jaxpr", "grad")
        else dataclasses.replace(stage, text=why, graph=why, unavailable=why)
        for stage in capture.stages
    )
    partial = dataclasses.replace(capture, stages=stages)
    assert "XLA <failed>." in repr(partial)
    assert "iframe" in shown_in_notebook(partial)


# In IPython itself, in a process of its own: it changes much of the one that it runs in.

RUN_CELLS = """
import io, json, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

shell, found = InteractiveShell.instance(colors="nocolor"), []
for cell in json.load(sys.stdin):
    with capture_output() as shown:
        answer = shell.run_cell(cell, store_history=True)
    found.append(shown.stdout)
sys.__stdout__.write(json.dumps(found))
"""
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/howto/notebook.md"


def run_cells(*cells: str) -> list[str]:
    """The outputs of each cell of a notebook."""
    with tempfile.TemporaryDirectory() as folder:
        answer = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", RUN_CELLS],
            input=json.dumps(cells),
            # For its history, which is a person's, and for what the cells save.
            env=os.environ | {"IPYTHONDIR": folder, "PYTHONPATH": str(ROOT)},
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    shown: list[str] = json.loads(answer.stdout)
    return shown


LOSS = "import jax.numpy as jnp\ndef loss(w, x):\n    return jnp.mean((x @ w) ** 2)"


@pytest.mark.slow
def test_the_magic_captures_the_call_that_ends_a_cell() -> None:
    shown = run_cells(
        "%load_ext jaxscope",
        LOSS,
        "%%jaxscope\ngrad(loss)(f32[8, 2], f32[4, 8])",
        "%jaxscope loss(f32[8, 2], f32[4, 8])",
        "%%jaxscope\nw = jnp.ones((8, 2))\nprint('ran')\nloss(\n    w, w.T)",
        "_.call",
    )
    assert "grad(loss)(f32[8, 2], f32[4, 8])\n  jaxpr: 4 equations\n  grad:" in shown[2]
    assert "loss(f32[8, 2], f32[4, 8])\n  jaxpr: 4 equations" in shown[3]
    assert shown[4].startswith("ran")
    assert "loss(" in shown[5]


@pytest.mark.slow
def test_errors_are_one_block() -> None:
    shown = run_cells(
        "%load_ext jaxscope",
        LOSS,
        "%%jaxscope\nloss(f32[8, 2], f32[4, 9])",
        "import jaxscope; jaxscope.capture(loss, jnp.ones((8, 2)), jnp.ones((4, 9)))",
        "%%jaxscope\nlos(f32[8, 2])",
        "%%jaxscope\nw = 1",
        "%%jaxscope\nw = = 1",
        "%%jaxscope\nw = 1 / 0\nloss(w, w)",
        "%%jaxscope 5\nloss(w, w)",
    )
    for wrong in shown[2:4]:
        assert "The shapes do not fit together." in wrong
        assert "return jnp.mean((x @ w) ** 2)" in wrong
        assert len(wrong.splitlines()) < 10
    assert "The notebook has no 'los'" in shown[4]
    assert "ends in no call" in shown[5]
    assert "SyntaxError" in shown[6]
    assert "during handling" not in shown[6].lower()
    assert "ZeroDivisionError" in shown[7]
    assert "jaxscope:" not in shown[7]
    assert "takes nothing on its own line" in shown[8]


@pytest.mark.slow
def test_the_cells_of_the_page_run() -> None:
    cells = re.findall(r"^```ipython\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    shown = run_cells(*cells)
    assert len(shown) >= 4
    assert not [text for text in shown if "Error" in text]
    assert "grad(loss)" in shown[2]
