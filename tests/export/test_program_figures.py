"""Figures of programs: rings against what a collective is, numbers against what JAX says."""

from __future__ import annotations

import csv
import io
import itertools
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from jaxscope.cli import main
from jaxscope.export.svg_chart import text_width
from jaxscope.model.capture import MemoryPlan
from jaxscope.program.sharding.collectives import NOTHING, ring_steps
from jaxscope.schema.archive import load_capture

SIZES = (2, 3, 5, 8)

PROGRAM = """\
import jax
import jax.numpy as jnp
from functools import partial
from jax.sharding import NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("rows", "columns"))
x = jax.device_put(jnp.ones((16, 32)), NamedSharding(mesh, P("rows", "columns")))


@partial(jax.shard_map, mesh=mesh, in_specs=P("rows", "columns"), out_specs=P("rows", None))
def whole_rows(part):
    return jax.lax.psum(part, "columns")


@partial(jax.shard_map, mesh=mesh, in_specs=P("rows", "columns"), out_specs=P("rows", "columns"))
def moving(part):
    whole = jax.lax.all_gather(part, "rows", axis=0, tiled=True)
    other = jax.lax.ppermute(jnp.sin(whole), "columns", [(0, 1), (1, 2), (2, 3)])
    return jax.lax.psum_scatter(jnp.cos(other), "rows", scatter_dimension=0, tiled=True)

"""


@pytest.mark.parametrize("devices", SIZES)
def test_after_an_all_gather_all_have_all_parts(devices: int) -> None:
    last = ring_steps("all-gather", devices)[-1].state
    for parts in last:
        assert parts == tuple(frozenset({(d, d)}) for d in range(devices))


@pytest.mark.parametrize("devices", SIZES)
def test_after_a_reduce_scatter_each_has_the_sum_of_its_part(devices: int) -> None:
    last = ring_steps("reduce-scatter", devices)[-1].state
    for d in range(devices):
        assert last[d][d] == {(other, d) for other in range(devices)}


@pytest.mark.parametrize("devices", SIZES)
def test_after_an_all_reduce_all_have_all_sums(devices: int) -> None:
    last = ring_steps("all-reduce", devices)[-1].state
    for d, part in itertools.product(range(devices), repeat=2):
        assert last[d][part] == {(other, part) for other in range(devices)}


@pytest.mark.parametrize("devices", SIZES)
def test_after_an_all_to_all_each_has_what_all_had_for_it(devices: int) -> None:
    last = ring_steps("all-to-all", devices)[-1].state
    for d, other in itertools.product(range(devices), repeat=2):
        assert last[d][other] == {(other, d)}


@pytest.mark.parametrize("devices", SIZES)
@pytest.mark.parametrize(
    ("kind", "parts"),
    [("all-gather", 1), ("reduce-scatter", 1), ("all-reduce", 2), ("all-to-all", 1)],
)
def test_each_device_sends_the_least_that_is_possible(kind: str, parts: int, devices: int) -> None:
    """(n - 1)/n of the value, twice in an all-reduce; and only what it has."""
    steps = ring_steps(kind, devices)
    for d in range(devices):
        sent = [each for step in steps for each in step.sent if each[0] == d]
        assert len(sent) == parts * (devices - 1)
    for before, step in itertools.pairwise(steps):
        for sender, _, place in step.sent:
            assert before.state[sender][place] != NOTHING


def test_other_collectives_have_no_ring() -> None:
    with pytest.raises(ValueError, match="no ring"):
        ring_steps("collective-permute", 4)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures")
    file = folder / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    path = folder / "program.jaxscope"
    words = ["capture", str(file), "whole_rows(x)", "--target", "cpu:8", "-o", str(path)]
    assert main(words) == 0
    return path


@pytest.fixture(scope="module")
def moving(saved: Path) -> Path:
    path = saved.with_name("moving.jaxscope")
    file = str(saved.with_name("program.py"))
    assert main(["capture", file, "moving(x)", "--target", "cpu:8", "-o", str(path)]) == 0
    return path


def _rows(saved: Path, name: str) -> list[dict[str, str]]:
    out = saved.with_name(f"{name}.csv")
    assert main(["figure", name, str(saved), "-o", str(out)]) == 0
    return list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))


def test_parts_of_arrays_are_those_that_jax_says(saved: Path) -> None:
    found = {
        row["devices"]: row["part"] for row in _rows(saved, "sharding") if row["role"] == "argument"
    }
    expected = {
        str(4 * row + column): f"[{8 * row}:{8 * row + 8}, {8 * column}:{8 * column + 8}]"
        for row in range(2)
        for column in range(4)
    }
    assert found == expected  # as NamedSharding.devices_indices_map of a mesh of 2 by 4 has them


def test_a_collective_is_drawn_with_its_bytes(saved: Path) -> None:
    rows = _rows(saved, "collective")

    assert len(rows) == 2 * 3 * 4  # an all-reduce of four devices: 6 steps, each sends one part
    assert {float(row["bytes [B]"]) for row in rows} == {8 * 8 * 4 / 4}
    assert {row["from device"] for row in rows} <= set("01234567")


def test_what_devices_send_to_each_other_is_as_the_mesh_says(moving: Path) -> None:
    """Device 4·r + c is at row r and column c of the mesh; a part is 8 by 8 numbers of 4 bytes."""
    rows = _rows(moving, "communication")
    part = 8 * 8 * 4
    along_rows = "along rows: 0, 4 | 1, 5 | 2, 6 | 3, 7"
    along_columns = "0→1, 1→2, 2→3, 4→5, 5→6, 6→7"

    assert [row["order"] for row in rows] == ["1", "2", "3"]
    assert [(row["kind"], row["devices together"]) for row in rows] == [
        ("all-gather", along_rows),
        ("collective-permute", along_columns),
        ("reduce-scatter", along_rows),
    ]
    moved = [tuple(float(row[f"{way} [B]"]) for way in ("in", "out", "sends")) for row in rows]
    # Of two in a group each sends the half of the whole that the other lacks.
    assert moved == [(part, 2 * part, part), (2 * part,) * 3, (2 * part, part, part)]
    lines = [1 + number for number, line in enumerate(PROGRAM.split("\n")) if "jax.lax." in line]
    assert [row["line"] for row in rows] == [f"program.py:{line}" for line in lines[1:]]


def test_arrows_and_bars_join_the_devices_of_the_table(moving: Path) -> None:
    out = moving.with_name("communication.svg")
    assert main(["figure", "communication", str(moving), "-o", str(out)]) == 0
    root = ElementTree.fromstring(out.read_text(encoding="utf-8"))
    svg = "{http://www.w3.org/2000/svg}"
    columns = {
        text.text: float(text.get("x", "0"))
        for text in root.iter(f"{svg}text")
        if text.text in tuple("01234567") and text.get("text-anchor") == "middle"
    }
    arrows = []
    gather, permute, scatter = (list(group) for group in root.iter(f"{svg}g"))
    # Devices 3 and 7 send nothing.
    assert "each device sends its value to at most one" in [each.text for each in permute]
    for line, point in zip(permute[-12::2], permute[-11::2], strict=True):
        x, _ = point.get("points", "").split(" ")[0].split(",")
        arrows.append((float(line.get("x1", "0")), float(x)))
    assert arrows == [
        (columns[str(4 * r + c)], columns[str(4 * r + c + 1)]) for r in range(2) for c in range(3)
    ]
    for row in (gather, scatter):
        circles = [float(each.get("cx", "0")) for each in row if each.tag == f"{svg}circle"]
        assert circles == [columns[str(4 * r + c)] for c in range(4) for r in range(2)]


def test_memory_has_the_peak_of_the_plan(saved: Path) -> None:
    alive = [float(row["alive [B]"]) for row in _rows(saved, "memory")]
    plan = load_capture(str(saved)).memory
    assert isinstance(plan, MemoryPlan)
    assert plan.argument_bytes <= max(alive) <= plan.total_bytes


@pytest.mark.parametrize(
    "name",
    ["program", "optimized", "memory", "roofline", "sharding", "communication", "collective"],
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_are_whole_documents(saved: Path, name: str, theme: str) -> None:
    out = saved.with_name(f"{name}-{theme}.svg")
    words = ["figure", name, str(saved), "-o", str(out), "--theme", theme, "--chip", "h100"]
    assert main(words) == 0
    assert ElementTree.fromstring(out.read_text(encoding="utf-8")).tag.endswith("svg")


def test_an_animation_shows_one_step_at_a_time(saved: Path) -> None:
    out = saved.with_name("moving.svg")
    assert main(["figure", "collective", str(saved), "-o", str(out), "--animated"]) == 0
    text = out.read_text(encoding="utf-8")
    assert text.count("<animate ") == 7  # before, and six steps
    shown = [
        [float(t) for t in part.split('"')[0].split(";")] for part in text.split('keyTimes="')[1:]
    ]
    assert shown[0][1] == pytest.approx(1 / 7, abs=1e-3)
    assert shown[-1][1] == pytest.approx(6 / 7, abs=1e-3)
    assert text.count('<g opacity="0">') == 6  # without animation the first stays


def test_kernels_of_another_chip_are_said_to_be_so(saved: Path) -> None:
    out = saved.with_name("other-chip.svg")
    assert main(["figure", "roofline", str(saved), "-o", str(out), "--chip", "h100"]) == 0
    words = " ".join(_texts(out))
    assert "These kernels were compiled for cpu:8" in words


EXCHANGES = """\
import jax
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((4,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))


def exchange(x):
    return jax.shard_map(
        lambda x: jax.lax.all_to_all(x, "d", 1, 0, tiled=True),
        mesh=mesh, in_specs=P("d", None), out_specs=P(None, "d"),
    )(x)

"""


def test_an_exchange_is_told_as_pairs_and_not_as_a_ring(tmp_path: Path) -> None:
    file, out = tmp_path / "exchange.py", tmp_path / "exchange.svg"
    file.write_text(EXCHANGES, encoding="utf-8")
    words = ["figure", "collective", str(file), "exchange(f32[8, 8])", "--target", "cpu:4"]
    assert main([*words, "-o", str(out)]) == 0
    told = " ".join(_texts(out))
    assert "64 B in 4 parts on each device; 0→1 is what device 0 has for device 1." in told
    assert "ring" not in told and "summed" not in told


def test_limits_of_one_rate_have_one_label(saved: Path) -> None:
    out = saved.with_name("rates.svg")
    assert main(["figure", "roofline", str(saved), "-o", str(out), "--chip", "v5e"]) == 0
    rates = [told for told in _texts(out) if told.startswith("197 TFLOP/s")]
    assert len(rates) == 1


@pytest.mark.parametrize("name", ["memory", "roofline", "sharding", "collective"])
def test_no_line_of_text_is_wider_than_its_picture(saved: Path, name: str) -> None:
    out = saved.with_name(f"{name}-width.svg")
    assert main(["figure", name, str(saved), "-o", str(out), "--chip", "h100"]) == 0
    picture = ElementTree.fromstring(out.read_text(encoding="utf-8"))
    width = float(picture.get("width", "nan"))
    for element in picture.iter("{http://www.w3.org/2000/svg}text"):
        if element.get("text-anchor") == "start":
            size = float(element.get("font-size", "15"))
            end = float(element.get("x", "0")) + text_width(element.text or "", size)
            assert end <= width, element.text


def test_what_was_opened_without_a_jaxpr_has_no_program_to_draw(
    saved: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hlo = saved.with_name("only.hlo.txt")
    hlo.write_text(
        "HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}\n\n"
        "ENTRY e {\n  ROOT p = f32[2]{0} parameter(0)\n}\n",
        encoding="utf-8",
    )
    opened, out = saved.with_name("only.jaxscope"), saved.with_name("only.svg")
    assert main(["open", str(hlo), "-o", str(opened)]) == 0
    assert main(["figure", "program", str(opened), "-o", str(out)]) == 3
    assert "has no jaxpr" in capsys.readouterr().err
    assert not out.exists()


def _texts(picture: Path) -> list[str]:
    root = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    return [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]


def test_json_says_what_is_drawn(saved: Path) -> None:
    out = saved.with_name("memory.json")
    assert main(["figure", "memory", str(saved), "-o", str(out)]) == 0
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["columns"] == ["step", "instruction", "alive [B]", "temporaries [B]"]


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["figure", "memory", "{saved}"], 2, "memory.svg"),
        (["figure", "memory", "{saved}", "-o", "{folder}/x.txt"], 2, "ends with one of"),
        (["figure", "nothing", "{saved}", "-o", "{folder}/x.svg"], 2, "invalid choice"),
        (["figure", "roofline", "{saved}", "-o", "{folder}/x.svg", "--chip", "q1"], 2, "q1"),
        (["figure", "memory", "{saved}", "-o", "{folder}/x.svg", "--animated"], 2, "Only the"),
        (["figure", "collective", "{saved}", "-o", "{folder}/x.png", "--animated"], 2, "as SVG"),
        (["figure", "distributions", "{saved}", "-o", "{folder}/x.svg"], 2, "needs a Python file"),
    ],
)
def test_what_cannot_be_drawn_is_said(
    saved: Path, capsys: pytest.CaptureFixture[str], words: list[str], status: int, told: str
) -> None:
    filled = [word.format(saved=saved, folder=saved.parent) for word in words]
    assert main(filled) == status
    assert told.lower() in capsys.readouterr().err.lower()


def test_one_device_sends_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "one.py", tmp_path / "one.svg"
    file.write_text("def double(x):\n    return x * 2\n", encoding="utf-8")
    assert main(["figure", "communication", str(file), "double(f32[4])", "-o", str(out)]) != 0
    assert "no device sends anything to another" in capsys.readouterr().err
    assert not out.exists()
