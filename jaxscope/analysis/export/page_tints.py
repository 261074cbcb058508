"""The colours that a window's boxes had, in the page: classes, rules and a legend."""

from __future__ import annotations

import html
from collections.abc import Iterator

from jaxscope.analysis.export.safe_text import make_safe_line
from jaxscope.analysis.tint import Tint, TintClass
from jaxscope.analysis.tint.palette import TINT_PALETTES, Pair

_ROOTS = {"light": ":root", "dark": ':root[data-theme="dark"]'}


def name_of(tint: TintClass) -> str:
    """The names of the classes in the style sheet that a colour has."""
    name = f"tint-level-{tint.level}" if tint.level >= 0 else f"tint-kind-{tint.kind}"
    return f"{name} dashed" if tint.is_dashed else name


def names_by_item(tint: Tint | None, num_items: int) -> list[str]:
    """For each item what to add to its classes, with a space before it; empty for its style."""
    if tint is None:
        return [""] * num_items
    names = [f" {name_of(each)}" for each in tint.classes]
    return [names[number] if number >= 0 else "" for number in tint.of_item.tolist()]


def draw_legend(tint: Tint | None) -> str:
    """What the colours mean, as an element above the drawing; empty without a tint."""
    if tint is None:
        return ""
    entries = [
        f'<span><i class="{name_of(each)}"></i>{html.escape(make_safe_line(each.name))}</span>'
        for each in tint.classes
    ]
    note = f"<span>{html.escape(make_safe_line(tint.note))}</span>" if tint.note else ""
    return f'<p class="tints">{"".join(entries)}{note}</p>'


def tint_rules() -> str:
    """The rules of the style sheet, light and dark."""
    rules: list[str] = []
    for theme, root in _ROOTS.items():
        palette = TINT_PALETTES[theme]
        for kind, pair in enumerate(palette.kinds):
            rules += _rules(f"{root} .tint-kind-{kind}", pair)
        for level, pair in enumerate(palette.levels):
            rules += _rules(f"{root} .tint-level-{level}", pair)
    return "\n".join(rules)


def _rules(name: str, pair: Pair) -> Iterator[str]:
    fill, border = pair
    # The same class twice weighs more than the colours of the styles do.
    twice = name + name[name.rindex(".") :]
    yield f"{twice} .box {{ fill: {fill}; stroke: {border}; }}"
    swatch = name.replace(" .", " i.")
    yield f"{swatch} {{ background: {fill}; border-color: {border}; }}"
