"""Write the tables of text widths that the layout needs, from the fonts in `jaxscope/export/fonts`.

Run once after a font changes: `python bench/make_widths.py`. Each table is little-endian uint16:
the advance of every code point below 0x3000, in thousandths of the font size.
"""

from __future__ import annotations

import pathlib

import numpy as np
from reportlab.pdfbase.ttfonts import TTFontFile

NUM_CODE_POINTS = 0x3000


def measure(font: pathlib.Path) -> np.ndarray:
    """The advances of a font, uint16 of shape `(NUM_CODE_POINTS,)`."""
    parsed = TTFontFile(str(font))
    widths = [parsed.charWidths.get(code, parsed.defaultWidth) for code in range(NUM_CODE_POINTS)]
    return np.round(widths).astype("<u2")


if __name__ == "__main__":
    package = pathlib.Path(__file__).parents[1] / "jaxscope"
    for name, table in (("DejaVuSans", "regular"), ("DejaVuSans-Bold", "bold")):
        font = package / "export" / "fonts" / f"{name}.ttf"
        target = package / "picture" / "layout" / f"{table}.widths"
        target.write_bytes(measure(font).tobytes())
