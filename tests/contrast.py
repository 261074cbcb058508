"""The contrast ratio of two colours, as WCAG 2 defines it."""

from __future__ import annotations


def linear(color: str) -> list[float]:
    """Red, green and blue of `#rrggbb` as amounts of light, 0 to 1."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(color: str) -> float:
    """Relative luminance, 0 to 1."""
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The ratio, 1 to 21."""
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)
