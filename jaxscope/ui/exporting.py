"""Writes what a pane shows to a file, on a thread: pictures of large graphs take seconds."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from jaxscope.analysis.layout.scene import Scene
from jaxscope.errors import Explanation, InternalError, JaxscopeError, UsageError
from jaxscope.model import Capture

FORMATS: Mapping[str, str] = {
    "svg": "Picture of the graph, scalable",
    "png": "Picture of the graph",
    "pdf": "Document with the graph",
    "dot": "Graphviz",
    "html": "Page with all stages",
    "md": "Report",
    "txt": "Text of the stage",
    "json": "Everything, as data",
}


@dataclasses.dataclass(frozen=True, eq=False)
class ExportJob:
    """What to write.

    Attributes:
        stage: Name of the stage.
        path: Its ending picks the format.
        scene: The picture as it is shown, or None to make one.
    """

    capture: Capture
    stage: str
    path: str
    scene: Scene | None


class Exporter(QObject):
    """`finished` carries the path, `failed` the error."""

    finished = Signal(str)
    failed = Signal(object)

    def start(self, job: ExportJob) -> None:
        """Write in the background."""
        threading.Thread(
            target=self._work, args=(job,), name="jaxscope-export", daemon=True
        ).start()

    def _work(self, job: ExportJob) -> None:
        try:
            write_export(job)
        except JaxscopeError as error:
            self.failed.emit(error)
        except OSError as error:
            reason = error.strerror or str(error)
            self.failed.emit(UsageError(Explanation(f"{job.path} was not written.", why=reason)))
        except Exception as error:
            what = "The export failed inside jaxscope."
            self.failed.emit(InternalError(Explanation(what, why=repr(error)[:500])))
        else:
            self.finished.emit(job.path)


def write_export(job: ExportJob) -> None:
    """Write a file.

    Raises:
        JaxscopeError: The format is unknown, or the stage has nothing of that kind.
        OSError: The file cannot be written.
    """
    ending = job.path.rpartition(".")[2].lower()
    render = _RENDERERS.get(ending)
    if render is None:
        known = ", ".join(FORMATS)
        raise UsageError(
            Explanation(f"There is no format .{ending}.", remedy=f"Formats are {known}.")
        )
    data = render(job)
    Path(job.path).write_bytes(data.encode("utf-8") if isinstance(data, str) else data)


def _scene(job: ExportJob) -> Scene:
    if job.scene is not None:
        return job.scene
    from jaxscope.analysis.export.stage_choice import find_stage_graph
    from jaxscope.analysis.layout.compose import build_scene
    from jaxscope.analysis.view.build import build_view

    return build_scene(build_view(find_stage_graph(job.capture, job.stage)))


# Renderers import what they need when they run: some bring libraries that others do not need.


def _render_svg(job: ExportJob) -> str:
    from jaxscope.analysis.export.svg import scene_to_svg

    return scene_to_svg(_scene(job))


def _render_png(job: ExportJob) -> bytes:
    from jaxscope.analysis.export.png import scene_to_png

    return scene_to_png(_scene(job))


def _render_pdf(job: ExportJob) -> bytes:
    from jaxscope.analysis.export.pdf import scene_to_pdf

    return scene_to_pdf(_scene(job))


def _render_dot(job: ExportJob) -> str:
    from jaxscope.analysis.export.dot import graph_to_dot
    from jaxscope.analysis.export.stage_choice import find_stage_graph

    return graph_to_dot(find_stage_graph(job.capture, job.stage))


def _render_html(job: ExportJob) -> str:
    from jaxscope.analysis.export.html import capture_to_html

    return capture_to_html(job.capture, job.stage)


def _render_markdown(job: ExportJob) -> str:
    from jaxscope.analysis.export.markdown import capture_to_markdown

    return capture_to_markdown(job.capture, job.stage)


def _render_text(job: ExportJob) -> str:
    from jaxscope.analysis.export.text import capture_to_text

    return capture_to_text(job.capture, job.stage)


def _render_json(job: ExportJob) -> str:
    from jaxscope.analysis.export.contract_json import capture_to_json

    return json.dumps(capture_to_json(job.capture), indent=1, allow_nan=False)


_RENDERERS: Mapping[str, Callable[[ExportJob], str | bytes]] = {
    "svg": _render_svg,
    "png": _render_png,
    "pdf": _render_pdf,
    "dot": _render_dot,
    "html": _render_html,
    "md": _render_markdown,
    "txt": _render_text,
    "json": _render_json,
}
