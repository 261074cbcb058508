"""Frozen data that crosses every boundary, and the words the project uses.

Glossary
    call: the Python call expression that everything is about, such as `grad(loss)(w, x)`.
    base function: the function inside the transforms of the call.
    capture: everything that one run of one call produced.
    stage: one form of the program on its way from source to machine code.
    equation: one line of a jaxpr; its id is a path such as `3/jaxpr/0`.
    operation: one operation of a StableHLO module.
    instruction: one instruction of an HLO module.
    origin: an equation of the base function's jaxpr that a node came from.
    derived: an equation of the last jaxpr-level stage that a node came from.
    fate: what became of an equation in the optimized module.
    target: the kind of device a call is compiled for.
    session: one worker process's life.
"""

from jaxscope.model.capture import (
    Bookmark,
    Capture,
    Check,
    Environment,
    Fate,
    FunctionSource,
    Leaf,
    PassRecord,
    Proof,
    Severity,
    SourceFile,
    Stage,
    StageText,
    stage_named,
)
from jaxscope.model.graph import (
    NONE,
    Cost,
    Direction,
    Edges,
    Graph,
    GroupKind,
    Groups,
    Node,
    NodeKind,
    Nodes,
    Ragged,
    SourcePosition,
)
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.model.timing import Measurement, Ratio, Timing
from jaxscope.model.unavailable import Unavailable, is_available

__all__ = [
    "NONE",
    "Bookmark",
    "Capture",
    "Check",
    "Cost",
    "Direction",
    "Edges",
    "Environment",
    "Fate",
    "FunctionSource",
    "Graph",
    "GraphBuilder",
    "GroupKind",
    "Groups",
    "Leaf",
    "Measurement",
    "Node",
    "NodeKind",
    "Nodes",
    "PassRecord",
    "Proof",
    "Ragged",
    "Ratio",
    "Severity",
    "SourceFile",
    "SourcePosition",
    "Stage",
    "StageText",
    "Timing",
    "Unavailable",
    "is_available",
    "stage_named",
]
