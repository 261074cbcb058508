"""Makes the small pictures of the samples anew: `python docs/thumbnails.py [NAME …]`.

Each is the picture of the program of the sample's first call, in both themes; Flax's and Optax's
samples need these libraries.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import numpy as np
from few_colours import save_with_few_colours
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

from jaxscope.client import one_shot
from jaxscope.errors import JaxscopeError
from jaxscope.export.choices import DOWN, RIGHT
from jaxscope.export.order import ExportOrder
from jaxscope.export.render import render_order
from jaxscope.model.stages import find_lowered_stage
from jaxscope.picture.palette import PALETTES
from jaxscope.ui.window.sample_path import find_samples

WIDTH_PX, HEIGHT_PX = 240, 180
_SCALE = 0.7
"""Pixels per pixel of the scene, at most."""
_LEAST_SCALE = 0.3
"""Below it boxes cannot be told apart."""
_MARGIN_PX = 4
_CONTRAST = {"light": 1.5, "dark": 2.0}
"""So many times as far from the ground as in a view: boxes of a few pixels are to be seen."""


def fit(picture: QImage) -> float:
    """How large it can be drawn as a whole, as a factor of at most 1."""
    room_x, room_y = WIDTH_PX - 2 * _MARGIN_PX, HEIGHT_PX - 2 * _MARGIN_PX
    return min(room_x / picture.width(), room_y / picture.height(), 1.0)


def find_fullest(picture: QImage, size: QSize) -> int:
    """From where across a picture a part of a size has most edges of boxes and letters."""
    grey = picture.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.asarray(grey.constBits()).reshape(grey.height(), grey.bytesPerLine())
    seen = rows[: size.height(), : grey.width()].astype(np.int16)
    edges = np.abs(np.diff(seen, axis=1)).sum(axis=0)
    return int(np.convolve(edges, np.ones(size.width() - 1), "valid").argmax())


def crop(picture: QImage, ground: QColor) -> QImage:
    """The whole picture where that can be made out, else of its upper part where most is."""
    room_x, room_y = WIDTH_PX - 2 * _MARGIN_PX, HEIGHT_PX - 2 * _MARGIN_PX
    scale = max(fit(picture), min(_LEAST_SCALE / _SCALE, 1.0))
    small = picture.scaledToWidth(
        max(1, round(picture.width() * scale)), Qt.TransformationMode.SmoothTransformation
    )
    made = QImage(WIDTH_PX, HEIGHT_PX, QImage.Format.Format_RGB32)
    made.fill(ground)
    size = QSize(min(small.width(), room_x), min(small.height(), room_y))
    part = QRect(QPoint(find_fullest(small, size), 0), size)
    painter = QPainter(made)
    top = max((HEIGHT_PX - part.height()) // 2, _MARGIN_PX)
    painter.drawImage((WIDTH_PX - part.width()) // 2, top, small.copy(part))
    painter.end()
    return made


def strengthen(picture: QImage, ground: QColor, times: float) -> QImage:
    """The picture with all colours so many times as far from the ground."""
    made = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(made.bits(), np.uint8).reshape(made.height(), made.width(), 4)
    base = np.array([ground.blue(), ground.green(), ground.red()], np.float64)
    pixels[:, :, :3] = np.clip(base + times * (pixels[:, :, :3] - base), 0, 255).round()
    return made


def make(path: Path) -> None:
    """Make the pictures of one sample."""
    target = "cpu:8" if path.stem == "parallel_devices" else "cpu"
    capture = one_shot.capture(str(path), target=target)
    stage = find_lowered_stage(capture.stages)
    if stage is None:
        raise JaxscopeError(f"{path.name} has no stage to draw.")
    (path.parent / "pictures").mkdir(exist_ok=True)
    for theme in ("light", "dark"):
        images = []
        for direction in (DOWN, RIGHT):
            order = ExportOrder(
                *(capture, stage.name, "png"), theme=theme, scale=_SCALE, direction=direction
            )
            images.append(QImage.fromData(render_order(order).data))
        image = max(images, key=fit)
        ground = QColor(PALETTES[theme].background)
        small = strengthen(crop(image, ground), ground, _CONTRAST[theme])
        save_with_few_colours(small, path.parent / "pictures" / f"{path.stem}_{theme}.png")
    print(path.stem)


def main() -> None:
    """Make the named ones, or all."""
    application = QGuiApplication(sys.argv[:1])
    for path in find_samples():
        if path.stem in (sys.argv[1:] or [path.stem]):
            make(path)
    del application


if __name__ == "__main__":
    main()
