"""The stages of a program in pipeline order, what is known of each, and which one was lowered."""

from __future__ import annotations

from collections.abc import Iterable

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Stage
from jaxscope.model.graph import Graph
from jaxscope.model.said import say
from jaxscope.model.unavailable import is_available

RESULT = "result"
"""What the path of a result begins with; `result[0]` is a part of one."""

GRADIENT_OF = "gradient of "
"""What the path of a result of the stage `gradient` begins with; the argument's follows."""

OWN_SUM = "sum by jaxscope"
"""The scope of what is added to a function that gives more than one number, to show its gradient:
that of the sum of its results."""


@dataclass(frozen=True, slots=True)
class StageKind:
    """What is known of a stage by its name alone.

    Attributes:
        name: As in the contract.
        title: What it is called everywhere; the title of a captured stage begins with it.
        meaning: What it is, a sentence or two.
        dialect: The language that it is written in; only stages of one dialect can be compared.
        is_on_the_way: Whether what comes after it is made of it.
    """

    name: str
    title: str
    meaning: str
    dialect: str
    is_on_the_way: bool = True


JAXPR = StageKind(
    "jaxpr", "jaxpr", "What JAX saw when it traced your function: one line per operation.", "jaxpr"
)
LATE_KINDS = (
    StageKind(
        "gradient",
        "gradient",
        "The program that computes the gradient of your function. Your call did not ask for it: "
        "nothing is compiled of it.",
        "jaxpr",
        is_on_the_way=False,
    ),
    StageKind(
        "stablehlo", "StableHLO", "The program as JAX hands it to the compiler XLA.", "StableHLO"
    ),
    StageKind("hlo", "HLO", "XLA's own form of the program, before any optimization.", "HLO"),
    StageKind(
        "passes",
        "passes",
        "What each step of XLA's optimizer changed.",
        "passes",
        is_on_the_way=False,
    ),
    StageKind(
        "optimized",
        "optimized",
        "The program that really runs: operations joined into fusions.",
        "HLO",
    ),
    StageKind(
        "machine",
        "machine code",
        "The code of the processor, or the last form before it.",
        "machine code",
    ),
)
"""The stages that follow the jaxprs of the call, in pipeline order. Between `jaxpr` and these
stand those of the call's transforms, which bear the transforms' names: `grad`, `vmap(grad)`."""

LATE_STAGES = tuple(kind.name for kind in LATE_KINDS)
COMPILED_STAGES = tuple(kind.name for kind in LATE_KINDS if kind.is_on_the_way)
"""The late stages that each compiled call has, in pipeline order."""

_KINDS = {kind.name: kind for kind in (JAXPR, *LATE_KINDS)}


REMEDIES = "remedies"
"""The step of a run that failed: looking for another call."""


def stage_kind(name: str, base: str = "") -> StageKind:
    """What is known of a stage; one whose name is none of the table is a transform's jaxpr.

    Args:
        base: The function that the transforms are of, where it is to be named.
    """
    inner = name.rstrip(")")
    if base:
        told = say("The program of {name}.", name=f"{inner}({base}){name[len(inner) :]}")
    else:
        told = say("The program under {name}.", name=name)
    return _KINDS.get(name) or StageKind(name, name, told, "jaxpr")


def find_stage_name(text: str) -> str:
    """The name of a stage that is called by its name or title, such as `machine code`; else the
    text itself."""
    titles = {kind.title.lower(): kind.name for kind in _KINDS.values()}
    return text if text in _KINDS else titles.get(text.lower(), text)


def can_ask_for(stage: Stage) -> bool:
    """Whether a stage is not there only because nobody asked for it."""
    return stage.unavailable is not None and stage.unavailable.is_on_request


def stage_rank(name: str) -> int:
    """Rank of a stage in the pipeline; stages of the call's transforms share one, between `jaxpr`
    and the late ones."""
    if name in LATE_STAGES:
        return LATE_STAGES.index(name) + 2
    return 0 if name == JAXPR.name else 1


def lowered_name(names: Iterable[str]) -> str:
    """Which of a call's stages was lowered: the last jaxpr of the call itself; empty if none."""
    return ([name for name in names if name not in LATE_STAGES] or [""])[-1]


def find_lowered_stage(stages: Iterable[Stage]) -> Stage | None:
    """The stage that was lowered: the last jaxpr-level one of the call itself.

    One without a graph is that stage nevertheless: what comes later was made of it, and never of
    the stage before it.
    """
    traced = [stage for stage in stages if stage.name not in LATE_STAGES]
    return traced[-1] if traced else None


def find_lowered_jaxpr(stages: Iterable[Stage]) -> Graph | None:
    """The graph of the stage that was lowered; None where that stage or its graph is not there."""
    stage = find_lowered_stage(stages)
    return stage.graph if stage is not None and is_available(stage.graph) else None


def has_own_sum(stage: Stage) -> bool:
    """Whether what is shown as a gradient is that of the sum of a function's results."""
    return is_available(stage.graph) and OWN_SUM in stage.graph.strings
