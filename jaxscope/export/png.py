"""A scene as PNG, by way of SVG and the bundled font: the same on every machine.

The picture is cut into bands; each is an SVG document of the shapes that touch it, painted in as
many processes as there are cores (`painter.py`) and put together row by row. So no call takes long,
and a picture of a hundred thousand shapes needs little memory. Where texts are too small to read,
shapes of one look are joined into one path.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import math
import os
import queue
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Protocol

from jaxscope.export import painter
from jaxscope.export.choices import DEFAULT_SCALE
from jaxscope.export.order import (
    PLAIN,
    Look,
    OnProgress,
    ignore_progress,
    part_of_progress,
    report_progress,
)
from jaxscope.export.picture import LinePath, Polygon, Rect, Shape, Text, make_picture
from jaxscope.export.svg import FONT_FALLBACKS, LETTERS, format_number, render_shape
from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say
from jaxscope.picture.scene.scene import TITLE_PX, Scene

_CURVE_BEYOND_PX = 1.0
"""Control points lie between the ends, and a border's half is narrower: nothing reaches farther."""

_ASCENT, _DESCENT = 1.2, 0.5
"""Of a text, as parts of its size: marks above capitals, and what hangs below the line."""

Style = tuple[int, int, str, str, float, bool]
"""Phase, layer, fill, stroke, width, whether dashed: what joined shapes have in common."""


@dataclass(frozen=True, slots=True)
class Band:
    """A stripe over the whole width of a picture.

    Attributes:
        top: In pixels of the scene.
        height: Likewise.
        width_px: Pixels of the result.
        height_px: Likewise.
    """

    top: float
    height: float
    width_px: int
    height_px: int


class Content(Protocol):
    """SVG elements of one horizontal band of a picture."""

    def elements(self) -> Iterator[str]:
        """The SVG elements of the band, from back to front."""


class Detailed:
    """Every shape as it is."""

    def __init__(self) -> None:
        self._elements: list[str] = []

    def elements(self) -> Iterator[str]:
        """In the order in which they came."""
        return iter(self._elements)

    def add(self, element: str) -> None:
        """One more, above all others."""
        self._elements.append(element)


class Joined:
    """Shapes of one look as one path; texts, arrows and round corners would not be seen."""

    def __init__(self) -> None:
        self._pieces: dict[Style, list[str]] = {}

    def elements(self) -> Iterator[str]:
        """A path for each look, lower layers first."""
        for style in sorted(self._pieces, key=lambda style: style[:2]):
            _phase, _layer, fill, stroke, width, is_dashed = style
            border = f' stroke="{stroke}" stroke-width="{format_number(width)}"' if stroke else ""
            dashes = ' stroke-dasharray="4 3"' if is_dashed else ""
            data = "".join(self._pieces[style])
            yield f'<path d="{data}" fill="{fill or "none"}"{border}{dashes}/>'

    def add(self, style: Style, data: str) -> None:
        """One more piece of the path of a look."""
        self._pieces.setdefault(style, []).append(data)


def gather_detailed(shapes: Iterable[Shape], bands: list[Band]) -> Sequence[Content]:
    """For each band the shapes that touch it, as they are."""
    contents = [Detailed() for _ in bands]
    for shape in shapes:
        touched = _touched(shape, bands)
        if touched:
            element = render_shape(shape)
            for number in touched:
                contents[number].add(element)
    return contents


def gather_joined(shapes: Iterable[Shape], bands: list[Band]) -> Sequence[Content]:
    """For each band the boxes and lines that touch it, joined by their looks."""
    contents = [Joined() for _ in bands]
    phase, kind = 0, None
    for shape in shapes:
        if isinstance(shape, Rect):
            # A tenth of a pixel of the scene is far below one of the result here.
            width = f"{shape.width:.1f}"
            data = f"M{shape.x:.1f} {shape.y:.1f}h{width}v{shape.height:.1f}h-{width}z"
            look = (shape.fill, shape.border, shape.border_px, shape.is_dashed)
            layer = shape.layer
        elif isinstance(shape, LinePath):
            data, look, layer = _path_data(shape), ("", shape.color, shape.width_px, False), 0
        else:
            continue
        if type(shape) is not kind:
            phase, kind = phase + 1, type(shape)
        for number in _touched(shape, bands):
            contents[number].add((phase, layer, *look), data)
    return contents


def band_to_svg(band: Band, width: float, ground: str, content: Content) -> str:
    """One band as a document; `width` is that of the picture, in pixels of the scene."""
    body = "\n".join(content.elements())
    box = f"0 {band.top!r} {width!r} {band.height!r}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{band.width_px}"'
        f' height="{band.height_px}" viewBox="{box}" preserveAspectRatio="none"'
        f' font-family="{FONT_FALLBACKS}">'
        f'<rect y="{band.top!r}" width="{width!r}" height="{band.height!r}" fill="{ground}"/>\n'
        f"{body}\n</svg>"
    )


def _path_data(shape: LinePath) -> str:
    return "".join(
        f"{LETTERS[kind]}{' '.join(f'{x:.1f} {y:.1f}' for x, y in points)}"
        for kind, points in shape.strokes
    )


def _touched(shape: Shape, bands: list[Band]) -> range:
    """Numbers of the bands that a shape touches; bands have one height, but for the last."""
    top, bottom = _extent(shape)
    height = bands[0].height
    return range(max(0, int(top // height)), min(len(bands), int(bottom // height) + 1))


def _extent(shape: Shape) -> tuple[float, float]:
    """Where a shape begins and ends on the way down."""
    if isinstance(shape, Rect):
        beyond = shape.border_px
        return shape.y - beyond, shape.y + shape.height + beyond
    if isinstance(shape, Text):
        return shape.baseline - _ASCENT * shape.size_px, shape.baseline + _DESCENT * shape.size_px
    if isinstance(shape, Polygon):
        places = [y for _, y in shape.points]
        return min(places), max(places)
    places = [y for stroke in shape.strokes for _, y in stroke.points]
    return min(places) - _CURVE_BEYOND_PX, max(places) + _CURVE_BEYOND_PX


# PNG files put together from bands that were rendered one by one.
#
# The rows of a PNG are filtered, each with the one above it, and then compressed. All rows of a
# band but the first stay as they are; the first, which had nothing above it, is given a filter that
# does not look up.


_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = 4
_NO_FILTER, _LEFT, _UP, _AVERAGE, _PAETH = range(5)
_LEVEL = 6


class PngRows:
    """A PNG of 8-bit RGBA that grows downwards.

    Args:
        width: In pixels.
        height: Of all bands together.
    """

    def __init__(self, width: int, height: int) -> None:
        header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
        self._parts = [_SIGNATURE, _chunk(b"IHDR", header)]
        self._packer = zlib.compressobj(_LEVEL)
        self._row_bytes = 1 + width * _CHANNELS

    def add(self, png: bytes) -> None:
        """Append a band: a PNG of the same width and kind.

        Raises:
            ValueError: It is of another kind.
        """
        rows = bytearray(_unpack(png))
        if len(rows) % self._row_bytes:
            raise ValueError("a band has another width than its picture")
        rows[: self._row_bytes] = _without_above(rows[: self._row_bytes])
        self._parts.append(_chunk(b"IDAT", self._packer.compress(rows)))

    def finish(self) -> bytes:
        """The bytes of the whole file."""
        self._parts += [_chunk(b"IDAT", self._packer.flush()), _chunk(b"IEND", b"")]
        return b"".join(self._parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _unpack(png: bytes) -> bytes:
    """The filtered rows of a PNG."""
    packed, place = [], len(_SIGNATURE)
    while place < len(png):
        (size,) = struct.unpack_from(">I", png, place)
        kind, data = png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
        if kind == b"IHDR" and data[8:] != b"\x08\x06\0\0\0":
            raise ValueError("a band is not 8-bit RGBA")
        if kind == b"IDAT":
            packed.append(data)
        place += 12 + size
    return zlib.decompress(b"".join(packed))


def _without_above(row: bytearray) -> bytearray:
    """A first row, which takes zeros for the row above, by a filter that looks only to the left."""
    kind = row[0]
    if kind == _UP:
        row[0] = _NO_FILTER
    elif kind == _PAETH:  # the nearest of left, 0 and 0 is what is left
        row[0] = _LEFT
    elif kind == _AVERAGE:
        row[0] = _NO_FILTER
        for place in range(1 + _CHANNELS, len(row)):
            row[place] = (row[place] + row[place - _CHANNELS] // 2) & 0xFF
    return row


MAX_PAINTERS = 8
_FEW = 4
"""So many documents are painted sooner than a process starts."""

_DOING = "Painting"
_STEP_S = 0.1
_AHEAD = 2
"""Documents that wait for each process: it never waits, and memory stays small."""


def paint_all(
    documents: Iterable[Callable[[], str]], num_documents: int, on_step: OnProgress
) -> Iterator[bytes]:
    """The pictures of documents, in their order.

    Args:
        documents: Each is made when its turn comes.
        num_documents: How many there are.
        on_step: Told at every picture, and several times a second while one is waited for.
    """
    if num_documents <= _FEW:
        for number, document in enumerate(documents):
            on_step(_DOING, number / num_documents)
            yield painter.paint(document())
        return
    num_painters = min(MAX_PAINTERS, os.cpu_count() or 1)
    with Painters(num_painters) as painters:
        waiting: collections.deque[Future[bytes]] = collections.deque()
        for number, document in enumerate(documents):
            waiting.append(painters.start(document()))
            if len(waiting) > _AHEAD * num_painters:
                share = (number + 1 - len(waiting)) / num_documents
                yield _wait_for(waiting.popleft(), share, on_step)
        while waiting:
            share = 1 - len(waiting) / num_documents
            yield _wait_for(waiting.popleft(), share, on_step)


def _wait_for(picture: Future[bytes], share: float, on_step: OnProgress) -> bytes:
    while True:
        on_step(_DOING, share)
        with contextlib.suppress(TimeoutError):
            return picture.result(timeout=_STEP_S)


class Painters:
    """Processes that paint; a context manager, which ends them whatever they are doing."""

    def __init__(self, num_painters: int) -> None:
        self._processes = [_start_painter() for _ in range(num_painters)]
        self._free: queue.SimpleQueue[subprocess.Popen[bytes]] = queue.SimpleQueue()
        for process in self._processes:
            self._free.put(process)
        self._threads = ThreadPoolExecutor(num_painters, "jaxscope-painter")

    def __enter__(self) -> Painters:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for process in self._processes:
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            with contextlib.suppress(BrokenPipeError), process:
                pass  # its pipes are closed, and its end is waited for

    def start(self, svg: str) -> Future[bytes]:
        """Have a document painted."""
        return self._threads.submit(self._paint, svg)

    def _paint(self, svg: str) -> bytes:
        process = self._free.get()
        try:
            assert process.stdin is not None  # both are pipes
            assert process.stdout is not None
            painter.write_block(process.stdin, svg.encode())  # IO[bytes]
            block = painter.read_block(process.stdout)  # IO[bytes]
        except BrokenPipeError:
            block = None
        finally:
            self._free.put(process)
        # A process that cannot start, or was killed for its memory, does not cost the picture.
        return painter.paint(svg) if block is None else block


def _start_painter() -> subprocess.Popen[bytes]:
    # -P keeps the folder of the program out of the path, where its neighbours have names such as
    # those of the standard library.
    program = str(Path(painter.__file__))
    return subprocess.Popen(
        [sys.executable, "-P", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


MAX_SIDE_PX = 16_000
MAX_PIXELS = 80_000_000
"""Larger pictures are scaled down: few programs open them."""

_BAND_PIXELS = 500_000
"""Rendered in a few dozen milliseconds, in which nothing else can be done."""

_MIN_TEXT_PX = 2.0
_GATHERED = 0.3
"""Share of the time that shapes take before the first band is rendered."""


def scene_to_png(
    scene: Scene,
    theme: str = "light",
    scale: float = DEFAULT_SCALE,
    look: Look = PLAIN,
    *,
    on_step: OnProgress = ignore_progress,
) -> bytes:
    """A PNG of the whole scene.

    Args:
        scene: What to draw.
        theme: `light` or `dark`.
        scale: Pixels per scene pixel; less where the picture would pass the limits.
        look: What colours mean and what is outlined.
        on_step: Told how far it is.

    Raises:
        KeyError: There is no such theme.
        ValueError: The scale is not positive.
    """
    if not scale > 0 or math.isinf(scale):
        raise ValueError(f"a picture cannot be {scale} times as large")
    picture = make_picture(scene, theme, look)
    scale = fit_scale(picture.width, picture.height, scale)
    if not is_legible(scale):
        picture = make_picture(scene, theme, look, has_text=False)
    bands = split_bands(picture.width, picture.height, scale)
    shapes = report_progress(
        picture.shapes,
        picture.num_shapes,
        say("Drawing"),
        part_of_progress(on_step, 0.0, _GATHERED),
    )
    gather = gather_detailed if is_legible(scale) else gather_joined
    contents = gather(shapes, bands)
    ground = picture.palette.background
    documents = (
        functools.partial(band_to_svg, band, picture.width, ground, content)
        for band, content in zip(bands, contents, strict=True)
    )
    rows = PngRows(bands[0].width_px, sum(band.height_px for band in bands))
    for png in paint_all(documents, len(bands), part_of_progress(on_step, _GATHERED, 1.0)):
        rows.add(png)
    return rows.finish()


def is_legible(scale: float) -> bool:
    """Whether texts at that scale are more than a grey line."""
    return scale * TITLE_PX >= _MIN_TEXT_PX


def fit_scale(width: float, height: float, scale: float) -> float:
    """The wanted scale, or the largest one within the limits."""
    width, height = math.ceil(max(width, 1.0)), math.ceil(max(height, 1.0))
    side, area = max(width, height), width * height
    return min(scale, MAX_SIDE_PX / side, math.sqrt(MAX_PIXELS / area))


def split_bands(width: float, height: float, scale: float) -> list[Band]:
    """Stripes of whole pixels that make up a picture."""
    width_px, height_px = (max(1, round(side * scale)) for side in (width, height))
    each = max(1, _BAND_PIXELS // width_px)
    edges = [*range(0, height_px, each), height_px]
    return [
        Band(top * height / height_px, (bottom - top) * height / height_px, width_px, bottom - top)
        for top, bottom in itertools.pairwise(edges)
    ]
