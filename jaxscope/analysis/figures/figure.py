"""A figure: something that can be drawn, and the table that holds the same values."""

from __future__ import annotations

import abc
import csv
import dataclasses
import io
import json
import math
from collections.abc import Iterator, Sequence

from jaxscope.analysis.export.chart import svg_to_png
from jaxscope.analysis.export.contract_json import environment_to_json
from jaxscope.analysis.lab_words import describe_noise
from jaxscope.analysis.quantities import format_seconds
from jaxscope.model.capture import Environment

Cell = str | float | int

ENDINGS = (".svg", ".png", ".csv", ".json")
"""Of files that a figure can be written to."""


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A column of a figure's table.

    Attributes:
        name: A word or two.
        unit: `s` for seconds, `%` for shares from 0 to 1, or empty.
    """

    name: str
    unit: str = ""

    def write(self, cell: Cell) -> str:
        """A cell as people read it; empty for what is unknown."""
        if isinstance(cell, str):
            return cell
        if math.isnan(cell):
            return ""
        if self.unit == "s":
            return format_seconds(cell)
        return f"{cell:.1%}" if self.unit == "%" else f"{cell:,}"


class Figure(abc.ABC):
    """A figure; the classes below say what is drawn.

    Attributes:
        title: What it shows.
        note: What to know when reading it, a sentence or two; may be empty.
        columns: Of its table.
    """

    title: str
    note: str
    columns: tuple[Column, ...]

    @abc.abstractmethod
    def rows(self) -> Sequence[Sequence[Cell]]:
        """The table: one row for each thing that is drawn."""

    @abc.abstractmethod
    def svg_lines(self, theme: str) -> Iterator[str]:
        """The picture as lines of an SVG document, in a theme of `PALETTES`."""

    def with_note(self, note: str) -> Figure:
        """The same figure with another note."""
        changed: Figure = dataclasses.replace(self, note=note)  # type: ignore[type-var] # all are
        return changed

    def texts(self) -> list[tuple[str, ...]]:
        """The table as people read it."""
        return [
            tuple(column.write(cell) for column, cell in zip(self.columns, row, strict=True))
            for row in self.rows()
        ]


def write_figure(
    figure: Figure, ending: str, theme: str = "light", environment: Environment | None = None
) -> bytes:
    """A file's content.

    Args:
        ending: One of `ENDINGS`.
        theme: Of pictures.
        environment: Where it was measured; JSON tells it.

    Raises:
        ValueError: There is no such form.
    """
    noise = describe_noise(environment)
    if noise:
        figure = figure.with_note(f"{noise} {figure.note}")
    match ending.lower():
        case ".svg":
            return "\n".join(figure.svg_lines(theme)).encode()
        case ".png":
            return svg_to_png("\n".join(figure.svg_lines(theme)))
        case ".csv":
            return _to_csv(figure, noise).encode()
        case ".json":
            return _to_json(figure, environment).encode()
    raise ValueError(f"a figure is written to {', '.join(ENDINGS)}, not to {ending!r}")


def _to_csv(figure: Figure, noise: str) -> str:
    """The table; its last column tells in each row what disturbed the measuring."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*map(_heading, figure.columns), "noise"])
    for row in figure.rows():
        writer.writerow([*("" if _is_unknown(cell) else cell for cell in row), noise])
    return text.getvalue()


def _to_json(figure: Figure, environment: Environment | None) -> str:
    found = {
        "format": "jaxscope.figure",
        "version": 1,
        "title": figure.title,
        "note": figure.note or None,
        "environment": None if environment is None else environment_to_json(environment),
        "columns": [_heading(column) for column in figure.columns],
        "rows": [[None if _is_unknown(cell) else cell for cell in row] for row in figure.rows()],
    }
    return json.dumps(found, indent=2, allow_nan=False)


def _heading(column: Column) -> str:
    return f"{column.name} [{column.unit}]" if column.unit == "s" else column.name


def _is_unknown(cell: Cell) -> bool:
    return isinstance(cell, float) and not math.isfinite(cell)
