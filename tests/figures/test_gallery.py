"""The gallery shows what its commands write, and numbers that plain JAX and arithmetic give."""

from __future__ import annotations

import importlib
import itertools
import math
import platform
import re
import sys
import xml.etree.ElementTree as ElementTree
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs"))
import examples  # noqa: E402 - found after docs/ is on the path
import make_pictures  # noqa: E402 - found after docs/ is on the path

from jaxscope.model.units import format_bytes  # noqa: E402 - as above

FIGURES = make_pictures.FIGURES
SVG = "{http://www.w3.org/2000/svg}"
_MAX_BYTES = 3_000_000
GRAPHS = ("program", "optimized")
"""Figures whose texts the layout places."""


def test_the_page_is_what_the_table_says() -> None:
    assert make_pictures.GALLERY.read_text("utf-8") == make_pictures.render_gallery(), (
        "python docs/make_pictures.py gallery"
    )


def test_there_are_forty_figures_of_every_kind() -> None:
    kinds = {figure.kind for figure in FIGURES.values()}
    assert len(FIGURES) >= 40
    assert kinds == {
        *("program", "optimized", "memory", "roofline", "sharding", "collective", "pallas"),
        *("communication", "distributions", "stages", "compile-time"),
    }


def test_every_picture_is_there_and_they_are_small() -> None:
    found = {path.stem: path.stat().st_size for path in make_pictures.GALLERY_FOLDER.iterdir()}
    assert set(found) == set(FIGURES)
    assert sum(found.values()) <= _MAX_BYTES
    text = make_pictures.GALLERY.read_text("utf-8")
    assert re.findall(r"\]\(pictures/gallery/(\w+)\.svg\)", text) == list(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_names_its_call_and_no_folder_of_its_maker(name: str) -> None:
    text = _picture(name).read_text("utf-8")
    assert str(ROOT) not in text
    if FIGURES[name].kind not in GRAPHS:
        assert any(FIGURES[name].call in told for told in texts(name))


def test_the_commands_of_the_page_are_those_that_are_run() -> None:
    blocks = [b for b in examples.read_blocks(make_pictures.GALLERY) if b.language == "console"]
    typed = [command for block in blocks for _, command, _ in examples.split_commands(block)]
    assert [make_pictures.shlex.split(c) for c in typed] == [
        figure.words(name) for name, figure in FIGURES.items()
    ]


@pytest.mark.parametrize("name", [n for n in FIGURES if FIGURES[n].kind not in GRAPHS])
def test_no_text_leaves_its_picture_or_lies_on_another(name: str) -> None:
    root = ElementTree.fromstring(_picture(name).read_text("utf-8"))
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    groups = root.findall(f"{SVG}g")
    frames = groups if FIGURES[name].options[-1:] == ("--animated",) else [root]
    for frame in frames:  # of an animation one is seen at a time
        boxes = [(_box(each), each.text) for each in frame.iter(f"{SVG}text") if each.text]
        for (left, top, right, bottom), told in boxes:
            assert left >= 0 and top >= 0 and right <= width and bottom <= height, told
        for (one, told), (two, other) in itertools.combinations(boxes, 2):
            apart = one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1]
            assert apart, (told, other)


def _box(text: ElementTree.Element) -> tuple[float, float, float, float]:
    """About where a text is: letters of DejaVu are 0.56 of their size wide on an average."""
    size, x, y = (float(text.get(name, "0")) for name in ("font-size", "x", "y"))
    width = 0.56 * size * len(text.text or "")
    left = x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[text.get("text-anchor", "start")]
    return left, y - 0.75 * size, left + width, y + 0.2 * size


# What the pictures say, against JAX alone.


def texts(name: str) -> list[str]:
    root = ElementTree.fromstring(_picture(name).read_text("utf-8"))
    return ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]


def _picture(name: str) -> Path:
    folder: Path = make_pictures.GALLERY_FOLDER
    return folder / f"{name}.svg"


def sample(name: str) -> Any:
    sys.path.insert(0, str(ROOT / "samples"))
    try:
        module: ModuleType = importlib.import_module(name)
    finally:
        sys.path.pop(0)
    return module


def primitives(function: Any, *arguments: Any) -> list[str]:
    return [str(e.primitive) for e in jax.make_jaxpr(function)(*arguments).eqns]


def shown_operations(name: str, among: list[str]) -> list[str]:
    """The first words of boxes that are primitives of the program."""
    words = [told.split()[0] for told in texts(name) if told.split()]
    return sorted(word for word in words if word in among)


def test_the_jaxprs_have_the_equations_of_jax() -> None:
    quick = primitives(sample("quick_start").simple_graph, jnp.ones(1000))
    assert len(quick) == 5
    assert shown_operations("five_equations", quick) == sorted(quick)

    layer = sample("vmap_axes").layer
    alone = primitives(layer, jnp.ones(8), jnp.ones((4, 8)), jnp.ones(4))
    batched = primitives(
        jax.vmap(layer, in_axes=(0, None, None)), jnp.ones((16, 8)), jnp.ones((4, 8)), jnp.ones(4)
    )
    assert shown_operations("one_example", alone) == sorted(alone)
    assert shown_operations("batch", batched) == sorted(batched)
    assert len(batched) - len(alone) == 2


@pytest.mark.slow
def test_loops_have_their_number_of_rounds() -> None:
    control = sample("control_flow")
    (scan,) = [
        e
        for e in jax.make_jaxpr(control.running_total)(jnp.ones(1000)).eqns
        if str(e.primitive) == "scan"
    ]
    assert f"scan ×{scan.params['length']} · step" in joined("scan")
    shown = {t.split("  ")[0] for t in joined("nested_loops")}
    assert {"scan ×5 · row", "scan ×7 · column"} <= shown
    told = joined("nested_loops_backward")
    assert any("scan ×5 reversed" in each for each in told)
    transformer = sample("transformer")
    assert any(f"layer ×{transformer.NUM_LAYERS}" in each for each in joined("transformer"))
    leaves = jax.tree.leaves(transformer.init(jax.random.key(0)))
    assert f"{len(leaves)} arrays" in texts("transformer")
    leaves = jax.tree.leaves(sample("pytrees").init_model())
    assert f"{len(leaves)} arrays" in texts("pytree")


def joined(name: str) -> list[str]:
    """Each text, and each joined with the next: a title may be several."""
    found = texts(name)
    return found + [f"{a} {b}" for a, b in itertools.pairwise(found)]


def test_residuals_have_the_bytes_of_what_jax_saves() -> None:
    quick = sample("quick_start").simple_graph
    _, pulled = jax.vjp(quick, jnp.ones(1000))
    (saved,) = [leaf for leaf in jax.tree.leaves(pulled) if getattr(leaf, "size", 0) > 1]
    assert any(format_bytes(saved.nbytes) in told for told in texts("its_gradient"))
    assert any("4 B" in told for told in texts("custom_vjp"))


def peak(name: str) -> str:
    (told,) = [told for told in texts(name) if told.startswith("peak ")]
    return told.split(" at step")[0].removeprefix("peak ")


def to_bytes(told: str) -> float:
    number, unit = told.split()
    return float(number) * 1024.0 ** ("B", "KiB", "MiB").index(unit)


def plan(function: Any, *arguments: Any) -> tuple[float, float]:
    """The least and the most that can be alive by XLA's own plan."""
    found = jax.jit(function).lower(*arguments).compile().memory_analysis()
    outside = found.argument_size_in_bytes
    return outside, outside + found.output_size_in_bytes + found.temp_size_in_bytes


@pytest.mark.slow
def test_peaks_of_memory_lie_in_the_plan_of_xla() -> None:
    rules, higher = sample("custom_rules"), sample("higher_order")
    deep = (jnp.ones((4, 64, 64)), jnp.ones(64))
    for name, function, arguments in (
        ("memory_kept", jax.grad(rules.deep), deep),
        ("memory_recomputed", jax.grad(rules.deep_recomputed), deep),
        ("memory_forward", jax.jacfwd(higher.wide), (jnp.ones(100),)),
        ("memory_reverse", jax.jacrev(higher.wide), (jnp.ones(100),)),
    ):
        low, high = plan(function, *arguments)
        assert low <= to_bytes(peak(name)) <= high * 1.005, name
    assert peak("memory_kept") == peak("memory_recomputed")  # as the page says
    assert to_bytes(peak("memory_reverse")) < to_bytes(peak("memory_forward")) / 10
    assert to_bytes(peak("memory_scanned")) > to_bytes(peak("memory_transformer"))


def test_rooflines_have_the_intensity_of_a_product() -> None:
    """2n³ FLOP over the three arrays of n² numbers of four bytes."""
    told = {name: figure.told for name, figure in FIGURES.items()}
    assert f"{2 * 1000**3 / (3 * 4 * 1000**2):.0f} FLOP" in told["roofline_large_product"]
    assert f"{2 * 16**3 / (3 * 4 * 16**2):.2f} FLOP" in told["roofline_small_product"]
    for name, size in (("roofline_large_product", 1000), ("roofline_small_product", 16)):
        (mark,) = _marks(name)
        assert mark == pytest.approx(2 * size / 12, rel=0.01)


def _marks(name: str) -> list[float]:
    """FLOP per byte of the circles, read off the axis as a reader does."""
    root = ElementTree.fromstring(_picture(name).read_text("utf-8"))
    texts_by_y: dict[float, list[tuple[float, float]]] = {}
    for text in root.iter(f"{SVG}text"):
        if text.get("text-anchor") == "middle" and re.fullmatch(r"[\d.,]+", text.text or ""):
            place = float(text.get("x", "0")), float((text.text or "").replace(",", ""))
            texts_by_y.setdefault(float(text.get("y", "0")), []).append(place)
    (x0, first), *_, (x1, last) = max(texts_by_y.values(), key=len)
    scale = (math.log(last) - math.log(first)) / (x1 - x0)
    circles = [float(each.get("cx", "0")) for each in root.iter(f"{SVG}circle")]
    return [math.exp(math.log(first) + (x - x0) * scale) for x in circles]


def test_collectives_have_the_steps_and_bytes_of_a_ring_of_eight() -> None:
    for name, steps, whole in (
        ("all_gather", 7, 64 * 32 * 4),
        ("all_gather_moving", 7, 64 * 32 * 4),
        ("reduce_scatter", 7, 1 * 64 * 4),  # of one device, summed up over eight
        ("all_reduce", 14, 16 * 16 * 4),
        ("all_to_all", 7, 64 * 64 * 4 // 8),
    ):
        found = texts(name)
        assert f"after step {steps}" in found and f"after step {steps + 1}" not in found
        assert any(f"{format_bytes(whole)} in 8 parts" in each for each in found), name
        assert found.count("device 7") == steps + 1


def test_a_ring_sends_one_row_to_the_neighbour_in_each_round() -> None:
    """Eight devices have eight rows of four numbers of four bytes."""
    found = texts("communication_ring")
    assert "1. collective-permute" in found and "2. " not in " ".join(found)
    assert f"{4 * 4} B in, {4 * 4} B out, sends {4 * 4} B, 8 rounds" in found
    assert "1. all-reduce" in texts("communication_columns")


def test_arrays_are_cut_into_eight() -> None:
    """Columns and rows of the product's operands, rows of gram's; each number stands once."""
    for name, cut, whole in (
        ("arrays_product", 2, 1),
        ("arrays_gram", 2, 0),
        ("arrays_exchange", 2, 0),
    ):
        found = texts(name)
        assert [found.count(str(device)) for device in range(8)] == [cut] * 8
        assert found.count("0–7") == whole


def test_blocks_of_a_product_have_the_points_that_multiply_them() -> None:
    """Rows i of the first operand, columns j of the second, a block (i, j) of the result."""
    found = texts("kernel_product")
    points = [each for each in found if re.fullmatch(r"[\d:],[\d:]", each)]
    assert sorted(points) == sorted(
        [
            *(f"{i},:" for i in range(4)),
            *(f":,{j}" for j in range(4)),
            *(f"{i},{j}" for i in range(4) for j in range(4)),
        ]
    )
    assert "step 15, point (3, 3)" in texts("kernel_product_moving")
    assert [texts("kernel_rows").count(str(step)) for step in range(4)] == [3, 3, 3, 3]


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_the_command_writes_the_picture(name: str, tmp_path: Path) -> None:
    made = make_pictures.make_figure(name, tmp_path)
    is_like = (version("jax"), platform.machine()) == examples.MADE_WITH
    if is_like and FIGURES[name].kind in ("program", "sharding", "collective"):
        assert made.read_bytes() == _picture(name).read_bytes()  # others differ by processor
