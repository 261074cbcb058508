"""The words that jaxscope uses, one for each thing, and what is not said in their place.

`TERMS` is read by the window's glossary, by `docs/design/words.md` (`python docs/words.py` writes
it) and by `tests/test_words.py`, which looks for the other words in everything that is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model.stages import JAXPR, LATE_KINDS


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the glossary and what it means.

    Attributes:
        name: As it is written everywhere.
        meaning: One or two sentences.
        group: What it is about.
        not_said: What is not said for it, as regular expressions.
    """

    name: str
    meaning: str
    group: str
    not_said: tuple[str, ...] = ()


def _group(group: str, *rows: tuple[str, str] | tuple[str, str, tuple[str, ...]]) -> list[Term]:
    return [Term(row[0], row[1], group, row[2] if len(row) > 2 else ()) for row in rows]


_FOR_STAGES = {
    "jaxpr": (r"[Jj]ax-?expression", r"\bJaxpr\b(?!s? of)"),
    "gradient": (r"\b[Gg]rads\b", r"\bthe grad\b"),
    "StableHLO": (r"\bStablehlo\b", r"\bstable HLO\b", r"\bMHLO\b"),
    "HLO": (r"\bHlo\b", r"\bXLA IR\b"),
    "optimized": (r"\b[Oo]ptimi[s]ed\b", r"\bpost-opt"),
    "machine code": (r"\bmachine stage\b", r"\bmachine-code\b"),
}
_STAGES = [
    Term(kind.title, kind.meaning, "Stages", _FOR_STAGES.get(kind.title, ()))
    for kind in (JAXPR, *LATE_KINDS)
]

TERMS: Sequence[Term] = (
    *_group(
        "The call",
        (
            "call",
            "The Python expression that everything is about, such as `grad(loss)(w, x)`.",
            (r"\binvocation\b",),
        ),
        ("base function", "The function inside the transforms of the call."),
        (
            "transform",
            "What makes a function of a function: `grad`, `vmap`, `jit` and others.",
            (r"\btransformations?\b",),
        ),
        ("argument", "What goes into the call. An array of it is an argument of the program."),
        ("result", "What comes out of the call.", (r"\breturn values?\b",)),
        ("static", "Of an argument: known while tracing, so that it becomes part of the program."),
        ("donated", "Of an argument: its memory may be used for a result."),
        ("target", "The kind of device that the call is compiled for, here or elsewhere."),
        ("capture", "Everything that one run of one call produced.", (r"\bsnapshot of the run\b",)),
        (
            "earlier run",
            "What is still shown of it is no longer of the call above.",
            (r"\b[Ss]tale\b", r"\b[Pp]revious run\b", r"\bold run\b"),
        ),
        ("pytree", "Arrays in dictionaries, lists, tuples and other containers; each is a leaf."),
        ("key", "What random numbers are made from. One key serves for one draw."),
    ),
    *_group(
        "Stages",
        (
            "stage",
            "One form of the program on its way from source to machine code.",
            (r"\bIR level\b", r"\bpipeline step\b"),
        ),
        ("trace", "Run a function with stand-ins for its arrays, to record what it does."),
        ("lower", "Turn the jaxpr into StableHLO."),
        ("compile", "Let XLA turn StableHLO into a program for the target."),
    ),
    *_STAGES,
    *_group(
        "Parts of a program",
        (
            "equation",
            "One line of a jaxpr: a primitive, its operands and what it gives.",
            (r"\b[Ee]qns?\b", r"\bjaxpr (operation|instruction|node)s?\b"),
        ),
        ("primitive", "What an equation does, such as `add` or `dot_general`."),
        (
            "operand",
            "A value that an equation, operation or instruction reads.",
            (r"\b(?:its|equal|their|the) inputs\b",),
        ),
        (
            "operation",
            "One operation of a StableHLO module.",
            (r"\bStableHLO (equation|instruction)s?\b",),
        ),
        (
            "instruction",
            "One instruction of an HLO module. The number in its name may be another in a run "
            "without jaxscope.",
            (r"\bHLO (op|operation|equation|node)s?\b",),
        ),
        (
            "node",
            "What a graph draws as one box: an equation, operation or instruction, an argument, a "
            "constant or a result.",
        ),
        ("group", "What a frame holds: a program inside of an equation, a fusion, a scope."),
        ("scope", "A name that the code gives to a part, as `jax.named_scope` and modules do."),
        (
            "constant",
            "A value that the program holds itself; captured if a function brought it in.",
        ),
        ("residual", "A value that the forward pass keeps for the backward pass."),
        ("forward pass", "The part of a gradient that computes the function itself."),
        ("backward pass", "The part of a gradient that carries derivatives back to the arguments."),
        (
            "fusion",
            "Instructions that run as one kernel: what passes between them is not written to "
            "memory.",
            (r"\bfused kernels?\b",),
        ),
        ("kernel", "A piece of code that the device runs as one launch."),
        ("pass", "One step of XLA's optimizer."),
        ("library", "Code that XLA calls instead of making it, such as oneDNN or cuBLAS."),
        (
            "manual",
            "Of an axis of devices: in `shard_map`, where the code says what each device along it "
            "does.",
        ),
        ("collective", "An instruction by which devices exchange data, such as `all-reduce`."),
    ),
    *_group(
        "What became of an equation",
        ("fate", "What became of an equation in the optimized program."),
        ("fused", "It runs inside of a fusion."),
        ("kernel of its own", "It runs as an instruction of its own."),
        ("library call", "A library does it."),
        ("folded", "Its value was known, so it became a constant."),
        ("merged", "It computes the same as another, and one of them is left."),
        ("simplified", "It was written as something simpler."),
        (
            "dead",
            "Nothing that is kept needs its result, so it was removed.",
            (r"\bdead code eliminated\b",),
        ),
        ("layout", "Only the way in which data lies in memory is left of it."),
        ("unknown", "What became of it is not known; the reason is told."),
        ("proven", "Of a fate: XLA's recorded passes, or its first and last program, show it."),
        ("inferred", "Of a fate: it follows from what stands around the equation."),
    ),
    *_group(
        "Cost and time",
        (
            "FLOP",
            "One operation on an element, by XLA's rules: on integers too, and a comparison, a "
            "choice by `select` or a conversion to another type counts as much as an addition.",
            (r"\bflops?\b", r"\bFLOPS\b", r"\bMACs\b"),
        ),
        (
            "each loop once",
            "Of a figure: what a loop does is counted for one round.",
            (r"\bloops once\b",),
        ),
        (
            "paired",
            "Of a factor: the middle of those of calls that were measured side by side. The two "
            "times beside it, of all calls, need not divide to it.",
        ),
        ("transcendental", "An exponential, a sine and the like; XLA counts them apart from FLOP."),
        (
            "eager",
            "Without `jit`: each primitive is sent to the device as the function runs.",
            (r"\bop-by-op\b", r"\bun-?jitted\b"),
        ),
        ("jit", "Compiled as a whole.", (r"\bjit-compiled\b", r"\bjit-ed\b")),
        ("first call", "A call that traces, lowers and compiles before it runs."),
        ("dispatch", "What a call takes until it gives back control; the work may go on."),
        ("median", "Half of the calls took less, half took more."),
        ("noisy", "Of a time: the machine was busy, or the calls differed widely."),
        ("roofline", "The time that arithmetic or memory alone would take at least."),
        ("peak memory", "The most bytes that are alive at once.", (r"\bmemory high-water\b",)),
    ),
    *_group(
        "The window",
        (
            "view",
            "One stage of the program, or the source, as graph, text, table or tree.",
            (r"\b[Pp]anes?\b",),
        ),
        ("place", "Program, Measure or Compare: what the window is used for now."),
        ("page", "What is told of one question, such as memory, below the views or in a place."),
    ),
)
"""In the order in which they are explained."""
