"""Each collective of a capture against what JAX and XLA alone say of the same program."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.model import Capture
from jaxscope.model.capture import graph_named
from jaxscope.program.sharding.placement import PlacementReport
from jaxscope.report.document import write_text
from jaxscope.report.sharding import SIDES, placement_to_document, placement_to_json

PROGRAMS = Path(__file__).with_name("collective_programs.py")
CALLS = {
    "two_sums": "two_sums(f32[16, 32])",
    "scattered": "scattered(f32[16, 32])",
    "gathered": "gathered(f32[16, 32])",
    "exchanged": "exchanged(f32[16, 32])",
    "rotated": "rotated(f32[16, 32])",
    "put_together": "put_together(put(f32[16, 32], 'x', 'y'))",
    "contracted": "contracted(put(f32[16, 32], None, 'y'), put(f32[32, 64], 'y', None))",
    "reduce_scattered": "reduce_scattered(put(f32[8, 32], None, 'y'), put(f32[32, 64], 'y', None))",
    "resharded": "resharded(put(f32[16, 32], 'y', None))",
    "scanned": "scanned(put(f32[16, 32], None, 'y'), put(f32[3, 32, 32], None, None, 'y'))",
    "total": "total(put(f32[16, 32], 'x', 'y'))",
    "several": "several(put(f32[16, 32], 'x', None))",
    "named": "named(f32[16, 32])",
}
COMBINED = {"two_sums": "psum(", "named": "psum(", "several": "jnp.sum("}
"""Programs whose collectives XLA combines, and what is on the lines of these."""

PLAIN = r"""
import json, os, re, sys

os.environ.update(
    JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_force_host_platform_device_count=8"
)
import jax, jax.numpy as jnp, numpy as np
import collective_programs

KINDS = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute"


class Ones:
    def __getitem__(self, shape):
        return jnp.ones(shape, jnp.float32)


def spec(x):
    if not isinstance(x.sharding, jax.sharding.NamedSharding):
        return "P()"
    parts = list(x.sharding.spec) + [None] * (x.ndim - len(x.sharding.spec))
    return f"P({', '.join(map(repr, parts))})" if any(parts) else "P()"


def groups(line):
    listed = re.search(r"(?:replica_groups|source_target_pairs)=\{(\{[\d,{}]*\})\}", line)
    if listed:
        return [list(map(int, g.split(","))) for g in re.findall(r"\{([\d,]+)\}", listed[1])]
    iota = re.search(r"replica_groups=\[(\d+),(\d+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?", line)
    if iota:
        table = np.arange(8).reshape(tuple(map(int, iota[3].split(","))))
        table = table.transpose(tuple(map(int, iota[4].split(",")))) if iota[4] else table
        return table.reshape(int(iota[1]), int(iota[2])).tolist()
    mesh = re.search(
        r"replica_groups=mesh\[([^]]*)\]"
        r"(?:, device_ids=\(\[([\d,]+)\](?:T\(([\d,]+)\))?\))? \{(.*?)\}",
        line,
    )
    axes = re.findall(r"'(\w+)'=(\d+)", mesh[1])
    devices = np.arange(8)
    if mesh[2]:
        devices = devices.reshape(tuple(map(int, mesh[2].split(","))))
        devices = devices.transpose(tuple(map(int, mesh[3].split(",")))) if mesh[3] else devices
    devices = devices.reshape([int(size) for _, size in axes])
    along = [k for k, (name, _) in enumerate(axes) if f"'{name}'" in mesh[4]]
    count = int(np.prod([devices.shape[k] for k in along]))
    return np.moveaxis(devices, along, range(-len(along), 0)).reshape(-1, count).tolist()


def lines_of(text):
    rows = {}
    for title in ("FileLocations", "StackFrames"):
        found = re.search(title + r"\n(.*?)\n\n", text, re.DOTALL)
        rows[title] = re.findall(r"^\d+ (.*)$", found[1], re.MULTILINE) if found else []
    lines = [int(re.search(r" line=(\d+)", row)[1]) for row in rows["FileLocations"]]
    return [lines[int(re.search(r"location_id=(\d+)", r)[1]) - 1] for r in rows["StackFrames"]]


told = {}
for name, call in json.loads(sys.argv[1]).items():
    names = {"f32": Ones(), "put": collective_programs.put}
    args = eval("(" + call.split("(", 1)[1][:-1] + ",)", names)
    lowered = jax.jit(getattr(collective_programs, name)).lower(*args)
    text = lowered.compile().as_text()
    frames = lines_of(text)
    collectives = []
    for line in text.split("\n"):
        found = re.search(rf" ({KINDS})(?:-start)?\(", line)
        if found is None:
            continue
        frame = re.search(r"stack_frame_id=(\d+)", line)
        stated = re.search(r"source_line=(\d+)", line)
        collectives.append({
            "kind": found[1],
            "groups": groups(line),
            "line": int(stated[1]) if stated else frames[int(frame[1]) - 1] if frame else 0,
            "op_name": (re.search('op_name="([^"]*)"', line) or ("", ""))[1],
        })
    given = jax.tree.leaves(jax.jit(getattr(collective_programs, name))(*args))
    told[name] = {
        "collectives": collectives, "argument": spec(args[0]), "results": list(map(spec, given))
    }
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-c", PLAIN, json.dumps(CALLS)],
        cwd=PROGRAMS.parent,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    told: dict[str, Any] = json.loads(run.stdout)
    return told


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(None, is_warm=False) as session:
        yield session


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", CALLS)
def test_each_collective_is_as_jax_has_it(
    name: str, session: Session, plain: dict[str, Any]
) -> None:
    capture = session.start(CaptureRequest(str(PROGRAMS), CALLS[name], "cpu:8")).wait()
    assert isinstance(capture, Capture)
    graph = graph_named(capture.stages, "optimized")
    assert graph is not None
    report = PlacementReport(capture)
    told = placement_to_json(report)["collectives"]
    expected = plain[name]

    def key(kind: str, groups: list[list[int]], line: int, op_name: str) -> tuple[object, ...]:
        return kind, sorted(map(tuple, groups)), line, op_name

    assert told
    assert sorted(
        key(
            each["kind"],
            each["pairs"] or each["groups"],
            each["line"] or 0,  # XLA of JAX 0.12 names no line of some
            graph.attributes(graph.index_by_id[each["id"]]).get("op_name", ""),
        )
        for each in told
    ) == sorted(key(**each) for each in expected["collectives"])

    sides = [side for each in told for side in each["between"]]
    for each in told:
        lines = [side["line"] for side in each["between"]]
        assert lines[:1] == ([] if each["line"] is None else [each["line"]])
    is_manual = "put(" not in CALLS[name]
    for side in sides:
        read, given = side["operands"][0]["spec"], side["results"][0]["spec"]
        if is_manual:
            assert read.startswith("manual over 'i'") and given == "manual over 'i'"
        else:  # what the equation reads lies as the argument does, what it gives as the results
            assert (read, {given}) == (expected["argument"], set(expected["results"]))
    text = write_text(placement_to_document(report))
    assert (SIDES in text) is bool(sides)
    if name in COMBINED:
        combined = max(told, key=lambda each: len(each["between"]))
        assert {side["line"] for side in combined["between"]} == _lines(name, COMBINED[name])
        for side in combined["between"]:
            assert f"{combined['id']} ({side['text']}) stands between " in text


def _lines(function: str, text: str) -> set[int]:
    """The lines of a function that have a text."""
    lines = PROGRAMS.read_text("utf-8").split("\n")
    first = lines.index(f"def {function}(a):")
    last = next(
        (n for n in range(first + 1, len(lines)) if lines[n].startswith("def ")), len(lines)
    )
    return {n + 1 for n in range(first, last) if text in lines[n]}
