"""Saves a screenshot in 256 colours: a third of the bytes, and no eye can tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

_NUM_COLOURS, _NUM_KEPT = 256, 96
"""The grounds and inks, which are seen, are kept exactly; the rest is the edges of letters."""

Colours = npt.NDArray[np.int32]


def save_with_few_colours(image: QImage, path: Path) -> None:
    """Save an image as PNG with a palette of its own."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    width, height = image.width(), image.height()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(height, width) & 0xFFFFFF
    packed, places, counts = np.unique(pixels, return_inverse=True, return_counts=True)
    colours = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=1).astype(np.int32)
    chosen = choose_palette(colours, counts)
    nearest = np.array([_distances(colours[chosen], colour).argmin() for colour in colours])
    indexed = QImage(width, height, QImage.Format.Format_Indexed8)
    indexed.setColorTable([0xFF000000 | int(packed[index]) for index in chosen])
    rows = np.frombuffer(indexed.bits(), np.uint8).reshape(height, indexed.bytesPerLine())
    rows[:, :width] = nearest[places.reshape(height, width)]
    indexed.save(str(path), quality=0)


def choose_palette(colours: Colours, counts: npt.NDArray[np.int64]) -> list[int]:
    """Indices of the most frequent colours, then always of the one that is missed most.

    Args:
        colours: Red, green and blue of each, as rows.
        counts: How many pixels have each.
    """
    chosen = np.argsort(-counts)[:_NUM_KEPT].tolist()
    missed = np.min([_distances(colours, colours[index]) for index in chosen], axis=0)
    while len(chosen) < min(_NUM_COLOURS, len(colours)):
        worst = int((missed * np.sqrt(counts)).argmax())
        chosen.append(worst)
        missed = np.minimum(missed, _distances(colours, colours[worst]))
    return chosen


def _distances(colours: Colours, colour: Colours) -> npt.NDArray[np.int64]:
    """How far each is from one, by the square."""
    return ((colours - colour) ** 2).sum(axis=1)
