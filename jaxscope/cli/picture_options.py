"""The options of `capture` that say how a picture shall look."""

from __future__ import annotations

import argparse
import dataclasses

from jaxscope.analysis.export.choices import ALL_STAGES, DEFAULT_SCALE, DOWN, FIRST, RIGHT

_MAX_PX = 16_000


@dataclasses.dataclass(frozen=True, slots=True)
class PictureOptions:
    """How a picture shall look; see `ExportOrder`."""

    theme: str = "light"
    scale: float = DEFAULT_SCALE
    width_px: int | None = None
    expand: str = FIRST
    direction: str = DOWN


def add_picture_options(parser: argparse.ArgumentParser) -> None:
    """Let a parser read them."""
    group = parser.add_argument_group(
        "pictures", f"With --stage {ALL_STAGES}, .svg, .png and .dot become a file for each stage."
    )
    group.add_argument("--theme", choices=("light", "dark"), default="light", help="colours")
    group.add_argument(
        "--expand",
        default=FIRST,
        metavar="GROUPS",
        help="groups to open: first (as a picture opens), all, none, or a number of boxes to "
        "open the largest up to",
    )
    group.add_argument("--direction", choices=(DOWN, RIGHT), default=DOWN, help="where values flow")
    size = group.add_mutually_exclusive_group()
    size.add_argument(
        "--scale",
        type=_scale,
        default=DEFAULT_SCALE,
        metavar="X",
        help=f"of a PNG: 1 is the size of an SVG (default: {DEFAULT_SCALE:g})",
    )
    size.add_argument("--width", type=_width, metavar="PIXELS", help="of a PNG: its width")


def read_picture_options(read: argparse.Namespace) -> PictureOptions:
    """What was said on the command line."""
    return PictureOptions(read.theme, read.scale, read.width, read.expand, read.direction)


def _scale(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = -1.0
    if not 0.01 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{word!r} is not a number from 0.01 to 100")
    return number


def _width(word: str) -> int:
    number = int(word) if word.isascii() and word.isdigit() and len(word) < 9 else 0
    if not 1 <= number <= _MAX_PX:
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from 1 to {_MAX_PX}")
    return number
