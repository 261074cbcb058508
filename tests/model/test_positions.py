"""Places in source files, in short."""

from __future__ import annotations

import pytest

from jaxscope.model import SourcePosition


@pytest.mark.parametrize(
    "file", ["model.py", "/home/someone/model.py", r"C:\Users\someone\model.py"]
)
def test_a_place_in_short(file: str) -> None:
    assert SourcePosition(file, 12, 0).short == "model.py:12"
