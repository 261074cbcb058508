"""Every colour of a graph, light and dark: one table for the window and for the exports."""

from __future__ import annotations

import dataclasses

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
    Style.REPEAT: "repeated",
    Style.SECTION: "section",
    Style.COLLECTIVE: "collective: devices exchange",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Palette:
    """Colours as `#rrggbb`.

    Attributes:
        fill: Of boxes, by style.
        border: Of boxes, by style; at least 3:1 against the background.
        frame_fill: Of opened groups, alternating with depth.
        forward: Highlight of what a selection went into, or of the forward part.
        backward: Highlight of what it came from, or of the backward part.
    """

    name: str
    background: str
    text: str
    muted: str
    edge: str
    fill: dict[Style, str]
    border: dict[Style, str]
    frame_fill: tuple[str, str]
    frame_border: str
    header_fill: str
    stub_fill: str
    selected: str
    forward: str
    backward: str
    hover: str


def _by_style(*colors: str) -> dict[Style, str]:
    return dict(zip(Style, colors, strict=True))


LIGHT = Palette(
    name="light",
    background="#ffffff",
    text="#1b1f24",
    muted="#57606a",
    edge="#7d8793",
    fill=_by_style(
        "#e3f1e4",
        "#dcebe9",
        "#efefef",
        "#ffffff",
        "#fde8cf",
        "#f6e3f1",
        "#eef1f4",
        "#e7e4fa",
        "#fbe3e0",
        "#fbf0c6",
        "#d9ecfb",
        "#eaf0fa",
        "#e3eafa",
        "#f1f1f4",
        "#ffd3e0",
    ),
    border=_by_style(
        "#3f8a4a",
        "#2c7a78",
        "#868686",
        "#7f8a97",
        "#c06a0a",
        "#a8478c",
        "#7f8b99",
        "#6b5bc4",
        "#c2473b",
        "#94780c",
        "#2475b5",
        "#5b7fb8",
        "#4a68b8",
        "#84868f",
        "#b8004e",
    ),
    frame_fill=("#f3f5f9", "#fbfcfe"),
    frame_border="#a9b7cc",
    header_fill="#e4e9f2",
    stub_fill="#f0f0ec",
    selected="#7a28cb",
    forward="#0b57d0",
    backward="#b3470b",
    hover="#5f6b7a",
)

DARK = Palette(
    name="dark",
    background="#16181c",
    text="#eceff3",
    muted="#a9b2bd",
    edge="#7a8593",
    fill=_by_style(
        "#1f3a26",
        "#17393a",
        "#33353a",
        "#272b32",
        "#4a3214",
        "#422538",
        "#2a3038",
        "#322c56",
        "#4a2522",
        "#423810",
        "#17354f",
        "#25324a",
        "#26355a",
        "#2b2d33",
        "#5a1236",
    ),
    border=_by_style(
        "#66b572",
        "#5ab0ac",
        "#8f949c",
        "#7c8794",
        "#e0963c",
        "#d078b4",
        "#8491a0",
        "#9a8cf0",
        "#e8776b",
        "#ccaa2c",
        "#5aaae6",
        "#7fa3dc",
        "#7f9cf0",
        "#8d9099",
        "#ff6fa8",
    ),
    frame_fill=("#1c2027", "#21262e"),
    frame_border="#5a6a82",
    header_fill="#2c3440",
    stub_fill="#2a2c30",
    selected="#d2a8ff",
    forward="#8ab4f8",
    backward="#ffb077",
    hover="#b4bfcc",
)

PALETTES = {palette.name: palette for palette in (LIGHT, DARK)}
