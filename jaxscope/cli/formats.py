"""The formats of `capture -o`: one writer for each ending.

Writers import what they need when they run: PDF and PNG bring libraries that text does not need.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from jaxscope.analysis.archive import save_capture
from jaxscope.analysis.export.contract_json import capture_to_json
from jaxscope.analysis.export.stage_choice import find_stage_graph
from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.build import build_view
from jaxscope.model import Capture

Writer = Callable[[Capture, str, Path], None]
"""Takes the capture, the name of the stage and where to write."""


def format_json(capture: Capture) -> str:
    """The JSON of the contract."""
    return json.dumps(capture_to_json(capture), indent=1, allow_nan=False)


def _write_archive(capture: Capture, _stage: str, path: Path) -> None:
    save_capture(capture, path)


def _write_json(capture: Capture, _stage: str, path: Path) -> None:
    _write_text(path, format_json(capture) + "\n")


def _write_svg(capture: Capture, stage: str, path: Path) -> None:
    from jaxscope.analysis.export.svg import scene_to_svg

    _write_text(path, scene_to_svg(_scene(capture, stage), title=capture.call))


def _write_png(capture: Capture, stage: str, path: Path) -> None:
    from jaxscope.analysis.export.png import scene_to_png

    path.write_bytes(scene_to_png(_scene(capture, stage)))


def _write_pdf(capture: Capture, stage: str, path: Path) -> None:
    from jaxscope.analysis.export.pdf import scene_to_pdf

    path.write_bytes(scene_to_pdf(_scene(capture, stage), title=capture.call))


def _write_dot(capture: Capture, stage: str, path: Path) -> None:
    from jaxscope.analysis.export.dot import graph_to_dot

    _write_text(path, graph_to_dot(find_stage_graph(capture, stage)))


def _write_html(capture: Capture, stage: str, path: Path) -> None:
    from jaxscope.analysis.export.html import capture_to_html

    _write_text(path, capture_to_html(capture, stage))


def _write_txt(capture: Capture, stage: str, path: Path) -> None:
    from jaxscope.analysis.export.text import capture_to_text

    _write_text(path, capture_to_text(capture, stage))


def _write_markdown(capture: Capture, stage: str, path: Path) -> None:
    from jaxscope.analysis.export.markdown import capture_to_markdown

    _write_text(path, capture_to_markdown(capture, stage))


WRITERS: dict[str, Writer] = {
    "jaxscope": _write_archive,
    "json": _write_json,
    "svg": _write_svg,
    "png": _write_png,
    "pdf": _write_pdf,
    "dot": _write_dot,
    "html": _write_html,
    "txt": _write_txt,
    "md": _write_markdown,
}


def _scene(capture: Capture, stage: str) -> Scene:
    """The picture as the window would open it."""
    return build_scene(build_view(find_stage_graph(capture, stage)))


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
