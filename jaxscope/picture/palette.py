"""Every colour of a graph and of code, light and dark: for the window and for the exports."""

from __future__ import annotations

from collections.abc import Iterable

from jaxscope.late_dataclass import dataclass
from jaxscope.picture.view.operations import Style

STYLE_NAMES = {
    Style.INPUT: "argument",
    Style.OUTPUT: "result",
    Style.CONSTANT: "constant",
    Style.ELEMENTWISE: "elementwise",
    Style.CONTRACTION: "contraction",
    Style.REDUCTION: "reduction",
    Style.MOVEMENT: "data movement",
    Style.CONTROL: "control flow, call",
    Style.RANDOM: "random numbers",
    Style.LIBRARY: "library, callback",
    Style.FUSION: "fusion",
    Style.GROUP: "group",
    Style.REPEAT: "group",  # one behind the other, and ×N in its title
    Style.SECTION: "group",
    Style.COLLECTIVE: "collective: devices exchange",
    Style.PORT: "loop or branch value",
    Style.FORWARD: "forward",
    Style.BACKWARD: "backward",
}
"""What styles mean, for a legend; those that look the same mean the same."""

FORWARD_FRAME, BACKWARD_FRAME, SECOND_FRAME, OTHER_FRAME, FUSION_FRAME, CONTROL_FRAME = range(2, 8)
FRAME_NAMES = {
    0: STYLE_NAMES[Style.GROUP],
    1: STYLE_NAMES[Style.GROUP],
    FORWARD_FRAME: STYLE_NAMES[Style.FORWARD],
    BACKWARD_FRAME: STYLE_NAMES[Style.BACKWARD],
    SECOND_FRAME: "backward of backward",
    OTHER_FRAME: "other derivatives",
    FUSION_FRAME: STYLE_NAMES[Style.FUSION],
    CONTROL_FRAME: STYLE_NAMES[Style.CONTROL],
}
"""What the fill of an opened group means, by its number in `Palette.frame_fill`."""

LINE_NAMES = {"residual": "residual", "connector": "line goes on there"}
"""What lines that have a colour of their own are, and texts in place of lines."""


CODE_COLOURS = {
    "keyword": ("#7a28cb", "#d2a8ff"),
    "string": ("#0a6640", "#8ddb9b"),
    "number": ("#0b57d0", "#8ab4f8"),
    "comment": ("#5b6570", "#a3adb8"),
    "type": ("#9a3412", "#ffb077"),
    "symbol": ("#1b1f24", "#eceff4"),
}
"""Of each role of a word in code (see `picture.syntax`) the light colour and the dark one."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as `#rrggbb`.

    Attributes:
        fill: Of boxes, by style.
        border: Of boxes, by style; at least 3:1 against the background.
        frame_fill: Of opened groups: two that alternate with depth, then those of `FRAME_NAMES`.
        frame_line: Their borders, likewise.
        header_fill: The bands of their titles, likewise.
        forward: Highlight of what a selection went into, or of the forward part.
        backward: Highlight of what it came from, or of the backward part.
        residual: Lines of what the forward part keeps for the backward part.
    """

    name: str
    background: str
    text: str
    muted: str
    edge: str
    fill: dict[Style, str]
    border: dict[Style, str]
    frame_fill: tuple[str, ...]
    frame_line: tuple[str, ...]
    frame_border: str
    header_fill: tuple[str, ...]
    stub_fill: str
    selected: str
    forward: str
    backward: str
    hover: str
    found: str
    residual: str


_GROUP = ("#e9edf4", "#2c3440", "#33415a", "#b3c0d6")
_STYLES = {
    Style.INPUT: ("#e3f1e4", "#1f3a26", "#3f8a4a", "#66b572"),
    Style.OUTPUT: ("#dcebe9", "#17393a", "#2c7a78", "#5ab0ac"),
    Style.CONSTANT: ("#efe9dc", "#3a3529", "#8a7b5a", "#a89a7c"),
    Style.ELEMENTWISE: ("#ffffff", "#1b1e23", "#7f8a97", "#7c8794"),
    Style.CONTRACTION: ("#fbeaa6", "#453a0c", "#8f7408", "#d0b02e"),
    Style.REDUCTION: ("#f6e3f1", "#422538", "#a8478c", "#d078b4"),
    Style.MOVEMENT: ("#e2e6eb", "#3d444d", "#6b7785", "#94a1b0"),
    Style.CONTROL: ("#e7e4fa", "#322c56", "#6b5bc4", "#9a8cf0"),
    Style.RANDOM: ("#fbe3e0", "#4a2522", "#c2473b", "#e8776b"),
    Style.LIBRARY: ("#fde0c0", "#4a3214", "#b86408", "#e0963c"),
    Style.FUSION: ("#bfe9fb", "#0b465f", "#0784b5", "#45c3f0"),
    Style.GROUP: _GROUP,
    Style.REPEAT: _GROUP,
    Style.SECTION: _GROUP,
    Style.COLLECTIVE: ("#ffd3e0", "#5a1236", "#b8004e", "#ff6fa8"),
    Style.PORT: ("#faf8ff", "#1f1c33", "#6b5bc4", "#9a8cf0"),
    Style.FORWARD: ("#e4eeff", "#1c2c48", "#4a78c8", "#7aa2e8"),
    Style.BACKWARD: ("#ffeddd", "#402d1b", "#b8702e", "#d09a66"),
}
"""Of each style the light and the dark fill, then the light and the dark border."""

_FRAME_FILLS = (
    ("#f3f5f9", "#fbfcfe", "#eef4ff", "#fff4ea", "#fdecf4", "#f1f5e4", "#dff4fc", "#f5f3fd"),
    ("#1c2027", "#21262e", "#18212f", "#2a2119", "#2c1b26", "#24291a", "#0f2f3e", "#201d2e"),
)
_FRAME_LINES = (
    ("#a9b7cc", "#a9b7cc", "#8fb0ea", "#e3ae7c", "#e29abf", "#a9b873", "#0784b5", "#a397dd"),
    ("#5a6a82", "#5a6a82", "#42689f", "#8f6238", "#8f4a72", "#6f7c45", "#45c3f0", "#655a9e"),
)
_HEADER_FILLS = (
    ("#e4e9f2", "#e4e9f2", "#d9e6fd", "#fde4cd", "#fadaea", "#e2eac8", "#c6ecfa", "#e6e2fa"),
    ("#2c3440", "#2c3440", "#223353", "#443220", "#47293b", "#3b4329", "#134155", "#332d52"),
)
_COLOURS = {
    "background": ("#ffffff", "#16181c"),
    "text": ("#1b1f24", "#eceff3"),
    "muted": ("#57606a", "#a9b2bd"),
    "edge": ("#7d8793", "#7a8593"),
    "frame_border": ("#a9b7cc", "#5a6a82"),
    "stub_fill": ("#f0f0ec", "#2a2c30"),
    "selected": ("#7a28cb", "#d2a8ff"),
    "forward": ("#0b57d0", "#8ab4f8"),
    "backward": ("#b3470b", "#ffb077"),
    "hover": ("#5f6b7a", "#b4bfcc"),
    "found": ("#e0a800", "#f5c518"),
    "residual": ("#c2570c", "#f0954e"),
}
"""Of each other colour the light one and the dark one."""


def _make_palette(name: str, column: int) -> Palette:
    return Palette(
        name,
        fill={style: colours[column] for style, colours in _STYLES.items()},
        border={style: colours[2 + column] for style, colours in _STYLES.items()},
        frame_fill=_FRAME_FILLS[column],
        frame_line=_FRAME_LINES[column],
        header_fill=_HEADER_FILLS[column],
        **{other: pair[column] for other, pair in _COLOURS.items()},
    )


LIGHT, DARK = _make_palette("light", 0), _make_palette("dark", 1)
PALETTES = {palette.name: palette for palette in (LIGHT, DARK)}


def explain_boxes(
    styles: Iterable[int], grounds: Iterable[int], has_residuals: bool, palette: Palette
) -> tuple[tuple[str, str, str], ...]:
    """Name, fill and border of what a legend explains: each name once.

    Args:
        styles: Of boxes that are seen.
        grounds: Of opened groups that are seen, as of `Items.ground`.
        has_residuals: Whether lines of residuals are seen.
    """
    frames = [
        (FRAME_NAMES[ground], palette.frame_fill[ground], palette.frame_line[ground])
        for ground in sorted(set(grounds) & FRAME_NAMES.keys())
    ]
    boxes = [
        (STYLE_NAMES[style], palette.fill[style], palette.border[style])
        for style in map(Style, sorted(set(styles)))
    ]
    # Parts of a gradient first: they are what a picture of one is about.
    parts = [FRAME_NAMES[ground] for ground in range(FORWARD_FRAME, FUSION_FRAME)]
    entries = [entry for part in parts for entry in (*frames, *boxes) if entry[0] == part]
    if has_residuals:
        entries.append((LINE_NAMES["residual"], palette.residual, palette.residual))
    entries += [*boxes, *frames]
    found: dict[str, tuple[str, str, str]] = {}
    for entry in entries:
        found.setdefault(entry[0], entry)
    return tuple(found.values())
