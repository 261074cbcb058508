"""The formats of `capture -o`, by the ending of the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from jaxscope.analysis.export.contract_json import capture_to_json
from jaxscope.analysis.export.order import ExportOrder, split_order
from jaxscope.cli.output import write_file
from jaxscope.cli.picture_options import PictureOptions
from jaxscope.model import Capture


def format_json(capture: Capture) -> str:
    """The JSON of the contract."""
    return json.dumps(capture_to_json(capture), indent=1, allow_nan=False)


def write_capture(
    capture: Capture,
    path: Path,
    ending: str,
    stage: str,
    look: PictureOptions,
    on_step: Callable[[str, float], None] = lambda _doing, _share: None,
) -> tuple[list[Path], list[str]]:
    """Write a capture; returns the files, and what is not as it was asked for.

    Args:
        capture: What to write.
        path: Where. Of several files each gets the name of its stage before the ending.
        ending: One of the parser's `FORMATS`.
        stage: The stage that a picture or text shows, or `all`.
        look: How pictures look.
        on_step: Told what is being done, and how much of it is done, from 0 to 1.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: It is not available, or a file cannot be written.
    """
    if ending == "jaxscope":
        from jaxscope.analysis.archive import save_capture  # only when one is saved

        write_file(path, lambda draft: save_capture(capture, draft))
        return [path], []
    order = ExportOrder(
        capture, stage, ending, look.theme, look.scale, look.width_px, look.expand, look.direction
    )
    places: list[Path] = []
    notes: list[str] = []
    for suffix, part in split_order(order):
        place = path.with_name(f"{path.stem}{suffix}{path.suffix}")
        notes += _write(part, place, on_step)
        places.append(place)
    return places, notes


def _write(
    order: ExportOrder, path: Path, on_step: Callable[[str, float], None]
) -> tuple[str, ...]:
    from jaxscope.analysis.export.render import render_order  # brings the layout of graphs

    rendered = render_order(order, on_step)
    write_file(path, lambda draft: _fill(draft, rendered.data))
    return rendered.notes


def _fill(draft: Path, data: bytes) -> None:
    draft.write_bytes(data)
