"""The verbs of the command line: what each is for, and who does it."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the command line.

    Attributes:
        module: Module of `jaxscope.cli` whose `run(options)` does it.
        summary: One line.
        example: A command that works in a checkout.
        takes: Which positional words it takes: `call` (FILE [CALL]), `file`, `pair`, `script`
            (SCRIPT ARGS…), `question` (FILE [CALL] QUESTION), `figure` (NAME FILE [CALL]),
            `name` (NAME), `paths` (PATH…), `ranks` (DIR [QUESTION]), `shell` or nothing.
    """

    module: str
    summary: str
    example: str
    takes: str = "call"


WINDOW = "window"
"""What a command line without a verb does; nobody types it."""
_SAMPLE = "samples/quick_start.py"

VERBS = {
    WINDOW: Verb("window", "open the window on a file", f"jaxscope {_SAMPLE}", "optional call"),
    "calls": Verb(
        "calls",
        "list the functions and the calls that a file offers",
        f"jaxscope calls {_SAMPLE}",
        "file",
    ),
    "capture": Verb(
        "capture",
        "inspect a call without a window and write what was found",
        f"jaxscope capture {_SAMPLE} 'grad(simple_graph)(f32[1000])' -o out.html",
    ),
    "time": Verb(
        "timing",
        "measure a call eager against jitted",
        f"jaxscope time {_SAMPLE} 'simple_graph(f32[1000])'",
    ),
    "run": Verb(
        "run",
        "run a script as it is: what it compiles, why again, and captures of its functions",
        "jaxscope run --out seen samples/recompilation.py",
        "script",
    ),
    "ranks": Verb(
        "ranks",
        "say what many ranks compiled: which modules differ, which took long, in which rank",
        "jaxscope ranks seen differ",
        "ranks",
    ),
    "open": Verb(
        "open_dumps",
        "list what a job left behind, or make a capture of it: dumps of XLA and JAX, HLO, "
        "StableHLO, jax.export, profiles",
        "jaxscope open DUMP_FOLDER -o step.jaxscope",
        "paths",
    ),
    "values": Verb(
        "values",
        "run a call equation by equation: what each computes, where NaN or Inf begins",
        f"jaxscope values {_SAMPLE} 'grad(simple_graph)(f32[1000])'",
    ),
    "memory": Verb(
        "memory",
        "show what a call needs of memory: peak, live ranges, donation, residuals",
        f"jaxscope memory {_SAMPLE} 'grad(simple_graph)(f32[1000])'",
    ),
    "roofline": Verb(
        "roofline",
        "show work, traffic and intensity of kernels, lines and scopes",
        f"jaxscope roofline {_SAMPLE} 'simple_graph(f32[1000000])' --calibrate",
    ),
    "sharding": Verb(
        "sharding",
        "show how a call is spread over devices: parts of arrays, collectives",
        "jaxscope sharding samples/parallel_devices.py --target cpu:8",
    ),
    "targets": Verb(
        "targets",
        "compile a call for many chips and compare estimates, work and memory",
        f"jaxscope targets {_SAMPLE} 'grad(simple_graph)(f32[1000])' --targets v5e,v6e,h100",
    ),
    "check": Verb(
        "check", "look for likely mistakes in a call", "jaxscope check samples/random_keys.py"
    ),
    "ask": Verb(
        "ask",
        "answer a named question about a call, in at most 2 kB",
        f"jaxscope ask {_SAMPLE} 'grad(simple_graph)(f32[1000])' 'what costs most?'",
        "question",
    ),
    "bisect": Verb(
        "bisect",
        "find the version, pass, flag or commit with which a call's time, memory, kernels or "
        "results change",
        f"jaxscope bisect {_SAMPLE} 'grad(simple_graph)(f32[1000])' --over passes --for kernels",
    ),
    "figure": Verb(
        "figure",
        "draw one picture for a paper or a slide, or write its numbers",
        f"jaxscope figure memory {_SAMPLE} 'grad(simple_graph)(f32[1000])' -o memory.svg",
        "figure",
    ),
    "diff": Verb(
        "diff",
        "compare two captures or two calls",
        "jaxscope diff samples/control_flow.py::'leaky(f32[()])' "
        "samples/control_flow.py::'vmap(leaky)(f32[8])'",
        "pair",
    ),
    "explain": Verb(
        "explain",
        "explain a primitive of JAX or an opcode of HLO: formula, derivative, lowering",
        "jaxscope explain dot_general",
        "name",
    ),
    "doctor": Verb("doctor", "show what works on this machine", "jaxscope doctor", ""),
    "mcp": Verb(
        "mcp",
        "answer agents: the questions of `ask` as tools over the Model Context Protocol",
        "jaxscope mcp --allow-run",
        "",
    ),
    "completion": Verb(
        "completion",
        "print what lets a shell complete commands, options and calls",
        'eval "$(jaxscope completion bash)"',
        "shell",
    ),
}
