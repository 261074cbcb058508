"""Of lines only what is in sight is painted, and it looks as if all of it were."""

from __future__ import annotations

import numpy as np

from jaxscope.ui.canvas.scene_painter import sample_curves

S_CURVE = np.array([[[0.0, 0.0], [0.0, 50.0], [1000.0, 50.0], [1000.0, 100.0]]])


def test_a_curve_in_sight_is_whole_and_hangs_together() -> None:
    pieces = sample_curves(S_CURVE, (-10.0, -10.0, 1010.0, 110.0))
    assert np.allclose(pieces[0, :2], (0, 0))
    assert np.allclose(pieces[-1, 2:], (1000, 100))
    assert np.array_equal(pieces[1:, :2], pieces[:-1, 2:])


def test_of_a_curve_that_passes_by_only_what_is_near_is_kept() -> None:
    pieces = sample_curves(S_CURVE, (480.0, 0.0, 520.0, 100.0))
    assert 1 <= len(pieces) <= 6
    assert (pieces[:, 2] >= 480.0).all()
    assert (pieces[:, 0] <= 520.0).all()
    assert not len(sample_curves(S_CURVE, (480.0, 200.0, 520.0, 300.0)))


def test_no_curves_are_no_pieces() -> None:
    assert sample_curves(np.zeros((0, 4, 2)), (0.0, 0.0, 1.0, 1.0)).shape == (0, 4)
