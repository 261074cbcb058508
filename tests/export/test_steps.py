"""Exports tell how far they are, stop where they are told to, and paint in bands without a seam."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from PySide6.QtGui import QImage

from jaxscope.export import png
from jaxscope.export import png as painters
from jaxscope.export.choices import ALL_STAGES, EVERYTHING
from jaxscope.export.order import ExportOrder
from jaxscope.export.painter import paint, read_block, write_block
from jaxscope.export.png import PngRows, scene_to_png
from jaxscope.export.render import render_order
from jaxscope.model import Capture, is_available
from jaxscope.picture.palette import LIGHT
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view

Pixels = npt.NDArray[np.uint8]


class Enough(Exception):
    """What a person who has seen enough raises."""


@pytest.fixture(scope="module")
def scene(capture: Capture) -> Scene:
    stage = capture.stage("optimized")
    assert stage is not None
    assert is_available(stage.graph)
    view = build_view(stage.graph)
    return build_scene(view, view.all_groups())


def image_of(data: bytes) -> Pixels:
    """The pixels of a PNG, shape `(height, width, 4)`."""
    image = QImage.fromData(data).convertToFormat(QImage.Format.Format_RGBA8888)
    assert not image.isNull()
    flat = np.frombuffer(image.constBits(), np.uint8).copy()  # the image owns what it shows
    return flat.reshape(image.height(), image.width(), 4)


def pixels_of(data: bytes) -> Pixels:
    """The same, read slowly as the specification says, checksums included."""
    stream, packed, width = io.BytesIO(data[8:]), b"", 0
    while head := stream.read(8):
        size, kind = struct.unpack(">I4s", head)
        content = stream.read(size)
        (checksum,) = struct.unpack(">I", stream.read(4))
        assert checksum == zlib.crc32(kind + content)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", content[:8])
        packed += content if kind == b"IDAT" else b""
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 4 * width)
    above = np.zeros(4 * width, np.uint8)
    result = []
    for kind, *filtered in rows.tolist():
        row = np.zeros(4 * width, np.uint8)
        for place, value in enumerate(filtered):
            left = int(row[place - 4]) if place > 3 else 0
            up, corner = int(above[place]), int(above[place - 4]) if place > 3 else 0
            nearest = min((left, up, corner), key=lambda each: abs(left + up - corner - each))
            row[place] = (value + (0, left, up, (left + up) // 2, nearest)[kind]) % 256
        result.append(row)
        above = row
    return np.array(result, np.uint8).reshape(height, width, 4)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "html", "json"])
def test_an_export_tells_how_far_it_is(capture: Capture, ending: str) -> None:
    told: list[tuple[str, float]] = []
    order = ExportOrder(capture, "optimized", ending, expand=EVERYTHING, scale=0.4)
    watched = render_order(order, lambda doing, share: told.append((doing, share)))
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    assert all(doing for doing, _ in told)
    if ending != "pdf":  # which has the time of its making inside
        assert watched.data == render_order(order).data


@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "html", "json"])
def test_it_ends_at_the_step_that_stops_it(capture: Capture, ending: str) -> None:
    def stop(_doing: str, _share: float) -> None:
        raise Enough

    stage = ALL_STAGES if ending == "pdf" else "optimized"
    with pytest.raises(Enough):
        render_order(ExportOrder(capture, stage, ending), stop)


def contrast_to_white(colour: str) -> float:
    """Mean over the channels."""
    return 255 - sum(bytes.fromhex(colour[1:])) / 3


@pytest.mark.parametrize("scale", [0.3, 0.1], ids=["legible", "tiny"])
def test_bands_make_the_picture_that_one_piece_makes(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    monkeypatch.setattr(png, "_BAND_PIXELS", 10**9)
    whole = image_of(scene_to_png(scene, scale=scale))
    monkeypatch.setattr(png, "_BAND_PIXELS", whole.shape[0] * whole.shape[1] // 3)
    banded = image_of(scene_to_png(scene, scale=scale))
    assert whole.shape == banded.shape
    colours = [image.astype(int)[..., :3] for image in (whole, banded)]
    differs = np.abs(colours[0] - colours[1]).mean(axis=2)
    # As much of a pixel for residuals, whose colour is farther from the ground than grey is.
    is_coloured = np.maximum(*(np.ptp(each, axis=2) for each in colours)) > 16
    edge, residual = (contrast_to_white(each) for each in (LIGHT.edge, LIGHT.residual))
    limit = np.where(is_coloured, 64 * residual / edge, 64)
    assert (differs < limit).all(), "rounding at the edges of curves"
    assert (whole != banded).mean() < 0.01


def test_painters_paint_as_this_process_does_and_in_order() -> None:
    def document(number: int) -> Callable[[], str]:
        return lambda: (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{number + 5}" height="4">'
            f'<rect width="3" height="3" fill="#00{number:02}ff"/></svg>'
        )

    documents = [document(number) for number in range(painters._FEW + 8)]
    told: list[float] = []
    painted = list(
        painters.paint_all(documents, len(documents), lambda _doing, share: told.append(share))
    )
    assert painted == [paint(each()) for each in documents]
    assert told == sorted(told)


def test_a_painter_that_dies_does_not_cost_the_picture() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="5" height="5"/>'
    with painters.Painters(1) as crew:
        crew._processes[0].kill()
        crew._processes[0].wait()
        assert crew.start(svg).result() == paint(svg)


def test_blocks_come_whole_or_not_at_all() -> None:
    stream = io.BytesIO()
    write_block(stream, b"abc")
    assert read_block(io.BytesIO(stream.getvalue())) == b"abc"
    assert read_block(io.BytesIO(stream.getvalue()[:-1])) is None
    assert read_block(io.BytesIO()) is None


@pytest.mark.parametrize("kind", range(5))
def test_rows_of_any_filter_are_joined(kind: int) -> None:
    """The first row of a band stands on nothing, whatever filter it was written with."""
    random = np.random.default_rng(kind)
    filtered = random.integers(0, 256, (2, 3 * 4), np.uint8)
    rows = b"".join(bytes([kind]) + row.tobytes() for row in filtered)
    band = _png(3, 2, rows)
    joined = PngRows(3, 4)
    joined.add(band)
    joined.add(band)
    once = pixels_of(band)
    np.testing.assert_array_equal(pixels_of(joined.finish()), np.concatenate([once, once]))


def test_a_band_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="width"):
        PngRows(4, 2).add(_png(3, 1, bytes(13)))


def _png(width: int, height: int, rows: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        end = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + end

    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    content = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + content
