"""Every colour of a graph and of code, light and dark: for the window and for the exports."""

from __future__ import annotations

from collections.abc import Collection, Iterable

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
    Style.CONTROL: "control flow",
    Style.RANDOM: "random numbers",
    Style.LIBRARY: "other",
    Style.FUSION: "fusion",
    Style.GROUP: "group",
    Style.REPEAT: "group",  # one behind the other, and ×N in its title
    Style.SECTION: "group",
    Style.COLLECTIVE: "collective: devices exchange",
    Style.PORT: "value in or out",
    Style.FORWARD: "forward",
    Style.BACKWARD: "backward",
}
"""What styles mean, for a legend; those that look the same mean the same."""

FORWARD_FRAME, BACKWARD_FRAME, SECOND_FRAME, OTHER_FRAME, FUSION_FRAME, CONTROL_FRAME = range(2, 8)
_STYLE_OF_FRAME = {
    0: Style.GROUP,
    1: Style.GROUP,
    FORWARD_FRAME: Style.FORWARD,
    BACKWARD_FRAME: Style.BACKWARD,
    FUSION_FRAME: Style.FUSION,
    CONTROL_FRAME: Style.CONTROL,
}
FRAME_NAMES = {
    **{frame: STYLE_NAMES[style] for frame, style in _STYLE_OF_FRAME.items()},
    SECOND_FRAME: "backward of backward",
    OTHER_FRAME: "other derivatives",
}
"""What an opened group is, by its number in `Palette.frame_fill`; the band of its title has the
fill of a closed one."""

PARTS_OF_GRADIENTS = range(FORWARD_FRAME, FUSION_FRAME)
"""Which of `FRAME_NAMES` are parts of a gradient: a legend begins with them."""

LINE_NAMES = {"residual": "residual", "carry": "carry", "connector": "line goes on"}
"""What lines that have a colour of their own are, and texts in place of lines."""
EDGE_LINE_PX = 1.5
"""How wide a line is, in a picture at its own size."""
BOLD_LINE_PX = 1.8
"""How wide a line of a colour of its own is, there and in a legend."""


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
        muted: Of small text; more than 4.5:1, since strokes that thin are drawn paler than this.
        residual: Lines of what the forward part keeps for the backward part.
        residual_text: How many bytes that are, on such a line.
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
    stub_line: str
    selected: str
    forward: str
    backward: str
    hover: str
    found: str
    residual: str
    residual_text: str


_GROUP = ("#e4ebf3", "#364459", "#33415a", "#b3c0d6")
_STYLES = {
    Style.INPUT: ("#e8f4ea", "#1f3a26", "#39843f", "#60ae66"),
    Style.OUTPUT: ("#d3eae5", "#163b40", "#20786f", "#5eb2a8"),
    Style.CONSTANT: ("#f1e9d9", "#3e3726", "#8a7b5a", "#a89c8c"),
    Style.ELEMENTWISE: ("#ffffff", "#1b1e23", "#7f8a97", "#7c8794"),
    Style.CONTRACTION: ("#fbeaa6", "#453a0c", "#8e7711", "#d0b02e"),
    Style.REDUCTION: ("#f8e6f3", "#422538", "#a5438c", "#c976bc"),
    Style.MOVEMENT: ("#dbdada", "#313338", "#6d7a8e", "#85857d"),
    Style.CONTROL: ("#e9d0fd", "#433a7d", "#5b48bd", "#ab92f0"),
    Style.RANDOM: ("#f7dfde", "#4a2226", "#c43e35", "#f57a5a"),
    Style.LIBRARY: ("#f6dcb8", "#4a3214", "#7d4a00", "#f5c27a"),
    Style.FUSION: ("#bfe9fb", "#0b465f", "#0784b5", "#44c2f6"),
    Style.GROUP: _GROUP,
    Style.REPEAT: _GROUP,
    Style.SECTION: _GROUP,
    Style.COLLECTIVE: ("#ffd1dd", "#5a1235", "#b8004e", "#ff6fa7"),
    Style.PORT: ("#fbf9ff", "#221e36", "#8a5fc8", "#b48af0"),
    Style.FORWARD: ("#c7dbff", "#223865", "#2f6fd6", "#6ea2f5"),
    Style.BACKWARD: ("#ffe0c0", "#5f3615", "#c0682e", "#dc9450"),
}
"""Of each style the light and the dark fill, then the light and the dark border."""

_FRAME_FILLS = (
    ("#f3f5f9", "#fbfcfe", "#eef4ff", "#fff4ea", "#fdecf4", "#f1f5e4", "#dff4fc", "#f5f3fd"),
    ("#1c2027", "#21262e", "#17233b", "#30211a", "#2c1b26", "#24291a", "#0f2f3e", "#201d2e"),
)
_FRAME_LINES = (
    ("#a9b7cc", "#a9b7cc", "#8fb0ea", "#e3ae7c", "#e29abf", "#a9b873", "#0784b5", "#a397dd"),
    ("#5a6a82", "#5a6a82", "#42689f", "#8f6238", "#8f4a72", "#6f7c45", "#45c3f0", "#655a9e"),
)
_HEADER_FILLS = {SECOND_FRAME: ("#fadaea", "#47293b"), OTHER_FRAME: ("#e2eac8", "#3b4329")}
"""Of those that have no style."""
_COLOURS = {
    "background": ("#ffffff", "#16181c"),
    "text": ("#1b1f24", "#eceff3"),
    "muted": ("#4b535c", "#b5bec9"),
    "edge": ("#66707c", "#8d98a6"),
    "frame_border": ("#a9b7cc", "#5a6a82"),
    "stub_line": ("#57606a", "#a9b2bd"),
    "stub_fill": ("#f0f0ec", "#2a2c30"),
    "selected": ("#7a28cb", "#d2a8ff"),
    "forward": ("#0b57d0", "#8ab4f8"),
    "backward": ("#b3470b", "#ffb077"),
    "hover": ("#5f6b7a", "#b4bfcc"),
    "found": ("#e0a800", "#f5c518"),
    "residual": ("#c2570c", "#f0954e"),
    "residual_text": ("#a04607", "#f0954e"),
}
"""Of each other colour the light one and the dark one."""


def _make_palette(name: str, column: int) -> Palette:
    return Palette(
        name,
        fill={style: colours[column] for style, colours in _STYLES.items()},
        border={style: colours[2 + column] for style, colours in _STYLES.items()},
        frame_fill=_FRAME_FILLS[column],
        frame_line=_FRAME_LINES[column],
        header_fill=tuple(
            _STYLES[_STYLE_OF_FRAME[frame]][column]
            if frame in _STYLE_OF_FRAME
            else _HEADER_FILLS[frame][column]
            for frame in sorted(FRAME_NAMES)
        ),
        **{other: pair[column] for other, pair in _COLOURS.items()},
    )


LIGHT, DARK = _make_palette("light", 0), _make_palette("dark", 1)
PALETTES = {palette.name: palette for palette in (LIGHT, DARK)}


def explain_boxes(
    styles: Iterable[int], grounds: Iterable[int], lines: Collection[str], palette: Palette
) -> tuple[tuple[str, str, str], ...]:
    """Name, fill and border of what a legend explains: each name once.

    Args:
        styles: Of boxes that are seen.
        grounds: Of opened groups that are seen, as of `Items.ground`.
        lines: Which lines with a colour of their own are seen: names of `LINE_NAMES`.
    """
    frames = []
    for ground in sorted(set(grounds) & FRAME_NAMES.keys()):
        style = _STYLE_OF_FRAME.get(ground)
        line = palette.frame_line[ground] if style is None else palette.border[style]
        frames.append((FRAME_NAMES[ground], palette.header_fill[ground], line))
    boxes = [
        (STYLE_NAMES[style], palette.fill[style], palette.border[style])
        for style in map(Style, sorted(set(styles)))
    ]
    # Parts of a gradient first: they are what a picture of one is about.
    parts = [FRAME_NAMES[ground] for ground in PARTS_OF_GRADIENTS]
    entries = [entry for part in parts for entry in (*frames, *boxes) if entry[0] == part]
    if "residual" in lines:
        entries.append((LINE_NAMES["residual"], palette.residual, palette.residual))
    entries += [*boxes, *frames]
    if "carry" in lines:
        color = palette.border[Style.CONTROL]
        entries.append((LINE_NAMES["carry"], color, color))
    found: dict[str, tuple[str, str, str]] = {}
    for entry in entries:
        found.setdefault(entry[0], entry)
    return tuple(found.values())
