"""The table of stages, and which stage was lowered."""

from __future__ import annotations

import dataclasses

from jaxscope.model import Cost, GraphBuilder, NodeKind, Stage, Unavailable
from jaxscope.model.capture import stage_named
from jaxscope.model.stages import (
    COMPILED_STAGES,
    LATE_STAGES,
    find_lowered_jaxpr,
    find_lowered_stage,
    lowered_name,
    stage_kind,
    stage_rank,
)
from jaxscope.program.fates.table import find_all_fates

_NOTHING = Unavailable("Not sent.")


def make_stage(name: str) -> Stage:
    builder = GraphBuilder()
    builder.add_node(f"{name} 0", NodeKind.EQUATION, "sin", types=["f32[8]"])
    return Stage(name, "", _NOTHING, builder.build(), Cost(), _NOTHING)


def test_order() -> None:
    names = ["machine", "optimized", "vmap(grad)", "stablehlo", "grad", "hlo", "jaxpr", "passes"]
    assert sorted(names, key=stage_rank) == [
        *("jaxpr", "vmap(grad)", "grad", "stablehlo", "hlo", "passes", "optimized", "machine")
    ]
    assert set(LATE_STAGES) - set(COMPILED_STAGES) == {"gradient", "passes"}


def test_dialects() -> None:
    assert [stage_kind(name).dialect for name in ("jaxpr", "grad", "gradient")] == ["jaxpr"] * 3
    assert stage_kind("hlo").dialect == stage_kind("optimized").dialect != "jaxpr"
    assert stage_kind("vmap(grad)").meaning == "The program under vmap(grad)."
    assert stage_kind("vmap(grad)", "f").meaning == "The program of vmap(grad(f))."
    assert stage_kind("grad", "f").meaning == "The program of grad(f)."
    assert stage_kind("hlo", "f") == stage_kind("hlo")


def test_the_last_jaxpr_of_the_call_itself_was_lowered() -> None:
    stages = [make_stage(name) for name in ("jaxpr", "grad", "gradient", "stablehlo", "hlo")]
    assert find_lowered_stage(stages) is stages[1]
    assert find_lowered_jaxpr(stages) is stages[1].graph
    assert lowered_name(LATE_STAGES) == "" and find_lowered_stage(stages[2:]) is None
    assert stage_named(stages, "hlo") is stages[4] and stage_named(stages, "machine") is None


def test_what_was_made_of_a_stage_without_a_graph_is_not_told_of_the_stage_before_it() -> None:
    base, last, optimized = map(make_stage, ("jaxpr", "grad", "optimized"))
    last = dataclasses.replace(last, graph=Unavailable("It cannot be read."))
    assert find_lowered_stage([base, last]) is last and find_lowered_jaxpr([base, last]) is None
    fates, derived = find_all_fates([base, last, optimized])
    assert {fate.fate for fate in fates.values()} == {"unknown"} and not derived
    assert "grad" in fates["jaxpr 0"].text
