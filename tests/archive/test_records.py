"""One declaration, three forms: each codec writes the model's records, and refuses what is none."""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest

from jaxscope.model import Check, Cost, Environment, Fate, Leaf, PassRecord, Severity, Unavailable
from jaxscope.model.capture import NO_MEMORY_PLAN, Device, Job, Member, MemoryPlan, Proof
from jaxscope.model.timing import Profile
from jaxscope.schema.archive import ARCHIVE, LAB
from jaxscope.schema.capture_messages import WIRE
from jaxscope.schema.contract import CONTRACT
from jaxscope.schema.records import Codec

PROOF = Proof(7, "fusion", ("dot.1",), ("fusion.2",))
RECORDS = (
    Leaf("params['w']", "f32[128,1]", 512, True),
    Check("leaked-tracer", Severity.ERROR, "It leaks.", "Return it.", file="/a.py", line=3),
    Fate("fused", "fusion", ("fusion.2",), ("4",), "Fused.", "proven", PROOF),
    Job(1, (Member(), Member("b", "12", "34", "Why."))),
    Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu", "lab-pc", "2026", 0.5, 2, 0.9, 0.1),
    MemoryPlan(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, (0,), (0, 2)),
    Cost(1.0, 2.0, 3.0),
    PassRecord("algsimp", "simplification", 3, 1, 1, 2, 1, Cost(1.0, 2.0, 3.0), "a", "b", ("0",),
               seconds=0.5, peak_bytes=9.0, estimated_peak_bytes=8.0, number=4),
)  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
@pytest.mark.parametrize("codec", [ARCHIVE, CONTRACT, LAB], ids=["archive", "contract", "lab"])
def test_a_record_comes_back_as_it_was(codec: Codec, record: object) -> None:
    data = msgspec.json.encode(codec.write(record))
    # As text: records of passes do not compare by value.
    assert str(codec.decode(type(record), data)) == str(record)
    assert str(codec.read(type(record), json.loads(data))) == str(record)


@pytest.mark.parametrize(
    ("record", "keys"),
    [
        (RECORDS[0], {"path": "params['w']", "type": "f32[128,1]", "bytes": 512, "static": True}),
        (
            Check("r", Severity.INFO, "m", ""),
            {
                "rule": "r",
                "severity": "info",
                "message": "m",
                "remedy": "",
                "file": None,
                "line": None,
                "equation": None,
                "lesson": None,
            },
        ),
        (
            Fate("dead"),
            {
                "fate": "dead",
                "pass": None,
                "instructions": [],
                "with": [],
                "text": "",
                "certainty": None,
                "proof": None,
            },
        ),
        (
            PROOF,
            {"pass_number": 7, "pass": "fusion", "before": ["dot.1"], "after": ["fusion.2"]},
        ),
        (
            Cost(1.0, math.nan, math.inf),
            {"flops": 1.0, "bytes_accessed": None, "transcendentals": None},
        ),
    ],
)
def test_the_contract_s_keys(record: object, keys: dict[str, Any]) -> None:
    assert CONTRACT.write(record) == keys


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Leaf, ["x", "f32[]", -1, False]),
        (Leaf, ["x", "f32[]", 4]),
        (Leaf, ["x", "f32[]", 4, False, "more"]),
        (Leaf, ["x" * 10_001, "f32[]", 4, False]),
        (Cost, [1.0, 2.0]),
        (Cost, [1.0, 2.0, "many"]),
        (Check, {"rule": "r", "severity": "fatal", "message": "", "remedy": ""}),
        (Check, {"rule": "r", "severity": "info", "message": "", "remedy": "", "line": 2**31}),
        (Device, [0, "cpu", 0, [0] * 9]),
        (Device, [-1, "cpu", 0, []]),
        (Job, {"process": 2, "members": [{}, {}]}),
        (Job, {"process": 0, "members": []}),
        (Environment, [1]),
        (Environment, {"jax": 1}),
    ],
)
def test_what_a_hostile_worker_sends_is_refused(kind: type, told: object) -> None:
    with pytest.raises(ValueError):  # msgspec's own errors and the model's
        WIRE.read(kind, told)


def test_a_worker_s_impossible_numbers_are_unknown() -> None:
    cost = WIRE.read(Cost, [-1.0, math.inf, None])
    assert all(map(math.isnan, (cost.flops, cost.bytes_accessed, cost.transcendentals)))


@pytest.mark.parametrize("codec", [ARCHIVE, CONTRACT, WIRE], ids=["archive", "contract", "wire"])
def test_a_reason_stands_where_a_record_would(codec: Codec) -> None:
    kind = MemoryPlan | Unavailable
    told = json.loads(msgspec.json.encode(codec.write(NO_MEMORY_PLAN, kind), enc_hook=str))
    assert codec.read_as(kind, told) == NO_MEMORY_PLAN
    plan = MemoryPlan(1.0, donated=(0,))
    back = codec.read_as(kind, json.loads(msgspec.json.encode(codec.write(plan, kind))))
    assert str(back) == str(plan)  # NaN is not equal to itself


def test_measurements_tell_the_type_of_each_record() -> None:
    why = Unavailable("Not asked for.")
    here = Environment("", "", "", "", "")
    profile = LAB.write(Profile("f(x)", here, why, why))
    assert (profile["is"], profile["compiled"]["is"]) == ("Profile", "Unavailable")
    with pytest.raises(ValueError, match="Environment"):
        LAB.read(Profile, {**profile, "compiled": LAB.write(here)})
