"""The JSON that scripts rely on, key by key."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest

from jaxscope.errors import EnvironmentProblem
from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Cost, Stage, Unavailable
from jaxscope.model.stages import can_ask_for
from jaxscope.schema.contract import error_to_json, load_contract, timing_to_json
from tests.archive.recorded import TIMING, capture

CAPTURE_KEYS = {
    "format",
    "version",
    "call",
    "base",
    "transforms",
    "source",
    "environment",
    "target",
    "arguments",
    "results",
    "stages",
    "fates",
    "checks",
    "messages",
}
STAGE_KEYS = {"name", "title", "text", "graph", "unavailable", "cost", "seconds"}
NODE_KEYS = {
    "id",
    "kind",
    "operation",
    "group",
    "types",
    "attributes",
    "scope",
    "origins",
    "derived",
    "direction",
    "source",
    "cost",
    "seconds",
}
NODE_KINDS = {"input", "constant", "equation", "operation", "instruction", "output"}
GROUP_KINDS = {"jaxpr", "fusion", "computation", "region", "scope"}


def test_capture_has_the_keys_of_the_contract() -> None:
    out = json.loads(json.dumps(capture_to_json(capture()), allow_nan=False))
    assert set(out) >= CAPTURE_KEYS
    assert (out["format"], out["version"]) == ("jaxscope.capture", 1)
    assert set(out["source"]) >= {"file", "line", "text"}
    assert set(out["environment"]) >= {"jax", "jaxlib", "python", "platform", "device"}
    assert out["arguments"][0].items() >= {"path": "w", "type": "f32[8,8]", "bytes": 256}.items()
    assert out["fates"]["0"] == {
        "fate": "fused",
        "pass": "fusion",
        "instructions": ["f.1"],
        "with": ["1"],
        "text": "",
        "certainty": "proven",
        "proof": {"pass_number": 22, "pass": "fusion", "before": ["a.1"], "after": ["b.2"]},
    }
    assert out["fates"]["1"]["pass"] is None
    assert out["checks"] == [
        {
            "rule": "rule",
            "severity": "warning",
            "message": "What.",
            "remedy": "Do.",
            "file": "/f.py",
            "line": 3,
            "equation": None,
            "lesson": None,
        }
    ]


def test_graphs_have_the_keys_and_meanings_of_the_contract() -> None:
    out = capture_to_json(capture())
    for stage in out["stages"]:
        assert set(stage) >= STAGE_KEYS
        if stage["graph"] is None:
            continue
        nodes = {node["id"]: node for node in stage["graph"]["nodes"]}
        groups = {group["id"]: group for group in stage["graph"]["groups"]}
        assert len(nodes) == len(stage["graph"]["nodes"])
        for node in nodes.values():
            assert set(node) >= NODE_KEYS
            assert node["kind"] in NODE_KINDS
            assert node["group"] is None or node["group"] in groups
            assert node["direction"] in (None, "forward", "backward")
            for place in node["source"]:
                assert place["line"] >= 1
        for edge in stage["graph"]["edges"]:
            (source, output), (target, operand) = edge["from"], edge["to"]
            assert source in nodes and target in nodes
            assert output >= 0 and operand >= 0
        for group in groups.values():
            assert group["kind"] in GROUP_KINDS
            assert group["parent"] is None or group["parent"] in groups
            assert group["owner"] is None or group["owner"] in nodes


def test_equations_and_instructions_are_named_as_such() -> None:
    stages = {stage["name"]: stage for stage in capture_to_json(capture())["stages"]}
    kinds = {node["kind"] for node in stages["jaxpr"]["graph"]["nodes"]}
    assert kinds <= {"input", "constant", "equation", "output"}
    assert {node["kind"] for node in stages["optimized"]["graph"]["nodes"]} == {"instruction"}
    scan = next(n for n in stages["jaxpr"]["graph"]["nodes"] if n["operation"] == "scan")
    inside = [g for g in stages["jaxpr"]["graph"]["groups"] if g["owner"] == scan["id"]]
    assert [g["id"] for g in inside] == [f"{scan['id']}/jaxpr"]


def test_unknown_is_null_and_never_zero() -> None:
    stage = dataclasses.replace(
        capture().stages[0],
        cost=Cost(0.0, math.nan, math.inf),
        seconds=Unavailable("Not measured."),
        graph=Unavailable("Too large."),
    )
    out = capture_to_json(dataclasses.replace(capture(), stages=(stage,)))["stages"][0]
    assert out["cost"] == {"flops": 0.0, "bytes_accessed": None, "transcendentals": None}
    assert out["seconds"] is None
    assert out["graph"] is None
    assert out["unavailable"] is None
    assert out["reasons"] == {"graph": "Too large."}


@pytest.mark.parametrize("is_on_request", [False, True])
def test_a_stage_that_can_be_asked_for_says_so(is_on_request: bool, tmp_path: Path) -> None:
    gone = Unavailable("Nobody asked.", "gradient", is_on_request)
    stage = Stage("gradient", "gradient", gone, gone, Cost(), gone, gone)
    out = capture_to_json(dataclasses.replace(capture(), stages=(stage,)))
    assert out["stages"][0].get("on_request", False) is is_on_request
    (tmp_path / "a.json").write_text(json.dumps(out))
    (loaded,) = load_contract(tmp_path / "a.json").stages
    assert can_ask_for(loaded) is is_on_request


def test_timing_has_the_keys_of_the_contract() -> None:
    out = json.loads(json.dumps(timing_to_json(TIMING), allow_nan=False))
    (measurement,) = out["measurements"]
    assert measurement == {
        "name": "jit",
        "unit": "s",
        "median": 1e-3,
        "low": 0.9e-3,
        "high": None,
        "confidence": None,
        "runs": 3,
        "samples": [1e-3, 2e-3],
        "noisy": True,
        "protocol": "",
        "reasons": ["r"],
        "detail": None,
        "began": None,
        "ended": None,
        "page_faults": None,
        "compilations": 0.0,
        "device": None,
    }
    assert out["ratios"][0]["name"] == "eager/jit"
    assert set(out) == {"call", "environment", "measurements", "ratios", "warnings"}


def test_errors_answer_what_where_why_and_what_to_try() -> None:
    error = EnvironmentProblem("It is gone.", why="Unplugged.", remedy="Plug it in.")
    assert error_to_json(error) == {
        "format": "jaxscope.error",
        "version": 1,
        "error": "EnvironmentProblem",
        "exit_status": 3,
        "what": "It is gone.",
        "where": None,
        "why": "Unplugged.",
        "remedy": "Plug it in.",
        "kind": None,
        "traceback": None,
    }
