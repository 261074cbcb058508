"""What the other tests ask for in this process is what a stranger gets who starts the command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from contract.conftest import run_here, start_jaxscope
from contract.programs import LOSS

MEASURED = frozenset({"seconds", "recorded_at"})


def without_measured(value: Any) -> Any:
    """JSON without what a clock says, and without the order in which LLVM counts its metadata.

    That differs from process to process since JAX 0.11.
    """
    if isinstance(value, str):
        return re.sub(r"![0-9]+", "!", value)
    if isinstance(value, dict):
        return {key: without_measured(v) for key, v in value.items() if key not in MEASURED}
    return [without_measured(entry) for entry in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "words",
    [
        ["capture", "{file}", LOSS, "--json"],
        ["capture", "{file}", "masked(f32[4])", "--json"],
        ["capture", "{file}", "--target", "cpu:many", "--json"],
        ["calls", "{file}", "--json"],
    ],
    ids=["done", "failed", "misused", "listed"],
)
@pytest.mark.slow
def test_a_command_answers_the_same(program: Path, words: list[str]) -> None:
    words = [word.format(file=program) for word in words]
    started, here = start_jaxscope(*words), run_here(*words)
    assert started.status == here.status
    assert started.errors == here.errors
    assert without_measured(json.loads(started.output)) == without_measured(json.loads(here.output))
