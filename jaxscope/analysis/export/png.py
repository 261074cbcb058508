"""A scene as PNG, by way of SVG and the bundled font: the same on every machine."""

from __future__ import annotations

import functools
import itertools
import math

from jaxscope.analysis.export.bands import Band, band_to_svg, gather_detailed, gather_joined
from jaxscope.analysis.export.choices import DEFAULT_SCALE
from jaxscope.analysis.export.look import PLAIN, Look
from jaxscope.analysis.export.painters import paint_all
from jaxscope.analysis.export.picture import make_picture
from jaxscope.analysis.export.png_rows import PngRows
from jaxscope.analysis.export.steps import OnStep, ignore_steps, part_of_steps, tell_steps
from jaxscope.analysis.layout.scene import TITLE_PX, Scene

MAX_SIDE_PX = 16_000
MAX_PIXELS = 80_000_000
"""Larger pictures are scaled down: few programs open them."""

_BAND_PIXELS = 500_000
"""Rendered in a few dozen milliseconds, in which nothing else can be done."""

_MIN_TEXT_PX = 2.0
_GATHERED = 0.3
"""Share of the time that shapes take before the first band is rendered."""


def scene_to_png(
    scene: Scene,
    theme: str = "light",
    scale: float = DEFAULT_SCALE,
    look: Look = PLAIN,
    *,
    on_step: OnStep = ignore_steps,
) -> bytes:
    """A PNG of the whole scene.

    Args:
        scene: What to draw.
        theme: `light` or `dark`.
        scale: Pixels per scene pixel; less where the picture would pass the limits.
        look: What colours tell and what is outlined.
        on_step: Told how far it is.

    Raises:
        KeyError: There is no such theme.
        ValueError: The scale is not positive.
    """
    if not scale > 0 or math.isinf(scale):
        raise ValueError(f"a picture cannot be {scale} times as large")
    picture = make_picture(scene, theme, look)
    scale = fit_scale(picture.width, picture.height, scale)
    if not is_legible(scale):
        picture = make_picture(scene, theme, look, has_text=False)
    bands = split_bands(picture.width, picture.height, scale)
    shapes = tell_steps(
        picture.shapes,
        picture.num_shapes,
        "Drawing",
        part_of_steps(on_step, 0.0, _GATHERED),
    )
    gather = gather_detailed if is_legible(scale) else gather_joined
    contents = gather(shapes, bands)
    ground = picture.palette.background
    documents = (
        functools.partial(band_to_svg, band, picture.width, ground, content)
        for band, content in zip(bands, contents, strict=True)
    )
    rows = PngRows(bands[0].width_px, sum(band.height_px for band in bands))
    for png in paint_all(documents, len(bands), part_of_steps(on_step, _GATHERED, 1.0)):
        rows.add(png)
    return rows.finish()


def is_legible(scale: float) -> bool:
    """Whether texts at that scale are more than a grey line."""
    return scale * TITLE_PX >= _MIN_TEXT_PX


def fit_scale(width: float, height: float, scale: float) -> float:
    """The wanted scale, or the largest one within the limits."""
    width, height = math.ceil(max(width, 1.0)), math.ceil(max(height, 1.0))
    side, area = max(width, height), width * height
    return min(scale, MAX_SIDE_PX / side, math.sqrt(MAX_PIXELS / area))


def split_bands(width: float, height: float, scale: float) -> list[Band]:
    """Stripes of whole pixels that make up a picture."""
    width_px, height_px = (max(1, round(side * scale)) for side in (width, height))
    each = max(1, _BAND_PIXELS // width_px)
    edges = [*range(0, height_px, each), height_px]
    return [
        Band(top * height / height_px, (bottom - top) * height / height_px, width_px, bottom - top)
        for top, bottom in itertools.pairwise(edges)
    ]
