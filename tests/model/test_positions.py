"""Places in source files, in short."""

from __future__ import annotations

import pytest

from jaxscope.model import SourcePosition
from jaxscope.model.graph import own_place


@pytest.mark.parametrize(
    "file", ["model.py", "/home/someone/model.py", r"C:\Users\someone\model.py"]
)
def test_a_place_in_short(file: str) -> None:
    assert SourcePosition(file, 12, 0).short == "model.py:12"


LIBRARY = SourcePosition("/env/lib/python3.11/site-packages/flax/linear.py", 271, 0)
OTHER = SourcePosition("C:\\env\\dist-packages\\flax\\module.py", 12, 0)
INNER, OUTER = SourcePosition("/home/me/model.py", 9, 0), SourcePosition("/home/me/train.py", 3, 0)


def test_the_users_own_line_stands_before_that_of_a_library() -> None:
    assert own_place((LIBRARY, OTHER, INNER, OUTER)) == INNER
    assert own_place((INNER, LIBRARY, OUTER)) == INNER
    assert own_place((LIBRARY, OTHER)) == LIBRARY
    assert own_place(()) is None
