"""A scene as PNG, by way of SVG and the bundled font: the same on every machine."""

from __future__ import annotations

import importlib.resources
import math

import resvg_py

from jaxscope.analysis.export.choices import DEFAULT_SCALE
from jaxscope.analysis.export.look import PLAIN, Look
from jaxscope.analysis.export.picture import make_picture
from jaxscope.analysis.export.svg import FONT_FAMILY, scene_to_svg
from jaxscope.analysis.layout.scene import TITLE_PX, Scene

MAX_SIDE_PX = 16_000
MAX_PIXELS = 80_000_000
"""Larger pictures are scaled down: few programs open them, and resvg needs four bytes a pixel."""

FIRST_UNKNOWN = 0x3000
"""Texts with characters from here on, such as Chinese ones, look for a font of the system's."""

_MIN_TEXT_PX = 2.0
_FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")


def scene_to_png(
    scene: Scene, theme: str = "light", scale: float = DEFAULT_SCALE, look: Look = PLAIN
) -> bytes:
    """A PNG of the whole scene.

    Args:
        scene: What to draw.
        theme: `light` or `dark`.
        scale: Pixels per scene pixel; less where the picture would pass the limits.
        look: What colours tell and what is outlined.

    Raises:
        KeyError: There is no such theme.
        ValueError: The scale is not positive.
    """
    if not scale > 0 or math.isinf(scale):
        raise ValueError(f"a picture cannot be {scale} times as large")
    picture = make_picture(scene, theme, look)
    scale = fit_scale(picture.width, picture.height, scale)
    svg = scene_to_svg(scene, theme, look=look, has_text=is_legible(scale))
    fonts = importlib.resources.files("jaxscope.analysis.export").joinpath("fonts")
    with importlib.resources.as_file(fonts) as folder:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=svg,
                zoom=scale,
                skip_system_fonts=ord(max(svg)) < FIRST_UNKNOWN,
                font_files=[str(folder / name) for name in _FONTS],
                font_family=FONT_FAMILY,
                sans_serif_family=FONT_FAMILY,
            )
        )


def is_legible(scale: float) -> bool:
    """Whether texts at that scale are more than a grey line."""
    return scale * TITLE_PX >= _MIN_TEXT_PX


def fit_scale(width: float, height: float, scale: float) -> float:
    """The wanted scale, or the largest one within the limits."""
    width, height = math.ceil(max(width, 1.0)), math.ceil(max(height, 1.0))  # as resvg takes them
    side, area = max(width, height), width * height
    return min(scale, MAX_SIDE_PX / side, math.sqrt(MAX_PIXELS / area))
