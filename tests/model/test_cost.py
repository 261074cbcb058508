"""Whether two costs know the same."""

from __future__ import annotations

from jaxscope.model.graph import Cost


def test_what_is_unknown_on_both_sides_is_the_same() -> None:
    assert Cost().same_as(Cost(float("nan")))
    assert Cost(1.0).same_as(Cost(1.0))


def test_what_one_side_knows_is_another() -> None:
    assert not Cost(1.0).same_as(Cost())
    assert not Cost(1.0, 2.0).same_as(Cost(1.0, 3.0))
