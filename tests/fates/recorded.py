"""Captures of programs as columns, and the fates that were found in them and held against XLA's
dumps: finding them again needs neither JAX nor a compiler.

    python -m tests.fates.recorded        writes the file anew, some minutes

It is written anew where a fate is meant to change, or where captures have other columns. Each fate
is checked by `dumps.py` on the way: none that XLA's own dumps refute is written.
"""

from __future__ import annotations

import dataclasses
import functools
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from jaxscope.model import Capture, Cost, Fate, Stage, StageText, Unavailable, is_available
from jaxscope.model.graph import Ragged, graph_from_arrays, graph_to_arrays
from jaxscope.program.fates.outcomes import PassOutcome
from jaxscope.program.fates.table import FateTable, find_all_fates

FILE = Path(__file__).with_name("recorded.msgpack.xz")

CALLS = {
    "told_wrong.py": (
        "small_loop(f32[8, 8], f32[8], f32[10, 8])",
        "power(f32[6, 6], f32[6])",
        "grad(summed_loop)(f32[8, 8], f32[8], f32[10, 8])",
        "same_sum_twice(f32[64])",
        "three_relus(f32[64, 64], f32[64, 64], f32[64, 64], f32[64, 64])",
        "one_function_three_times(f32[64])",
        "two_triangles(f32[32, 32])",
        "grad(solve_and_determinant)(f32[4, 4], f32[4])",
        "two_softmaxes(f32[32])",
        "grad(dropped)(f32[32], key(0))",
        "counted(f32[64])",
        "grad(stacked_products)(f32[3, 8, 8], f32[4, 8])",
        "jnp.linalg.qr(f32[5, 3])",
        "jnp.fft.rfft(f32[32])",
        "hessian(lambda x: (jnp.sin(x) * x).sum())(f32[4])",
        "(lambda k: jax.random.permutation(k, 9))(key(0))",
    ),
    "further.py": (
        "two_loops(f32[6, 6], f32[6], f32[4, 6])",
        "shared_in_loop(f32[8], f32[5, 8])",
        "vmap(grad(clipped_sum))(f32[3, 16])",
        "long_sum(f32[8], f32[4096, 8], f32[4096])",
        "normalize(f32[4, 33], f32[()])",
        "neutral(f32[16], i32[16])",
        "no_argument(f32[24])",
        "grad(ruled_sum)(f32[12])",
        "branches(f32[8], i32[()])",
        "grad(branches_sum)(f32[8], 1)",
        "invariant(f32[8, 8], f32[8])",
        "pieces(f32[4, 6], f32[4, 6], i32[()])",
        "several_sorted(f32[20], i32[20])",
        "noise(key(0), f32[10])",
        "grad(remat_scan)(f32[6, 6], f32[5, 6])",
        "equal_after(f32[16])",
        "nested_while(f32[8])",
        "changed(f32[100])",
    ),
    "programs.py": (
        "add_nothing(f32[8, 8])",
        "compute_in_vain(f32[8, 8])",
        "carry_in_vain(f32[8, 8])",
        "carry_unseen(f32[8, 8])",
        "never_branch(f32[8, 8])",
        "choose_always(f32[8, 8])",
        "use_constant(f32[8, 8])",
        "multiply_transposed(f32[8, 8], f32[8, 8])",
        "flatten(f32[8, 8])",
        "negate_twice(f32[8, 8])",
        "vmap(branch_each)(f32[8])",
        "factorize(f32[8, 8])",
        "look_up(f32[8, 8])",
        "solve(f32[8])",
        "grad(lambda x: sum_of_one(x).sum())(f32[8, 8])",
    ),
}


@dataclasses.dataclass(frozen=True)
class RecordedStage:
    """What fates read of a stage.

    Attributes:
        name: Of the stage.
        arrays: Name, dtype, shape and bytes of each column of its graph; none without a graph.
        kernels: Names of kernels, as the stage `machine` has them; None where they are not known.
    """

    name: str
    arrays: tuple[tuple[str, str, tuple[int, ...], bytes], ...]
    kernels: tuple[str, ...] | None = None

    def read(self) -> Stage:
        arrays: dict[str, npt.NDArray[Any]] = {
            name: np.frombuffer(data, dtype).reshape(shape)
            for name, dtype, shape, data in self.arrays
        }
        graph = graph_from_arrays(arrays) if arrays else Unavailable("It has none.")
        text = StageText.plain("")
        return Stage(self.name, self.name, text, graph, Cost(), 0.0, kernels=self.kernels)


@dataclasses.dataclass(frozen=True)
class Program:
    """A capture and its fates.

    Attributes:
        call: What was captured.
        stages: Of the capture.
        outcomes: What its passes did to each equation.
        alone: The fates of the base and of the lowered equations, found without passes.
        recorded: The same, found with them.
    """

    call: str
    stages: tuple[RecordedStage, ...]
    outcomes: dict[str, PassOutcome]
    alone: tuple[dict[str, Fate], dict[str, Fate]]
    recorded: tuple[dict[str, Fate], dict[str, Fate]]

    @functools.cached_property
    def graphs(self) -> tuple[Stage, ...]:
        return tuple(stage.read() for stage in self.stages)


def read_programs() -> list[Program]:
    """The programs of the file of recorded captures."""
    return msgspec.msgpack.decode(lzma.decompress(FILE.read_bytes()), type=list[Program])


def _record_stage(stage: Stage) -> RecordedStage:
    arrays: Mapping[str, npt.NDArray[Any]] = {}
    if is_available(stage.graph):
        nodes = stage.graph.nodes
        plain = stage.graph.replace_nodes(
            source=Ragged.empty(len(nodes)), scope=Ragged.empty(len(nodes))
        )
        arrays = graph_to_arrays(plain)
    columns = ((name, a.dtype.name, a.shape, a.tobytes()) for name, a in arrays.items())
    return RecordedStage(stage.name, tuple(columns), stage.kernels)


def record(call: str, capture: Capture) -> Program:
    """What is kept of a capture with passes."""
    table = capture.fates
    assert isinstance(table, FateTable)
    outcomes = dict(table._endings or {})
    program = Program(call, tuple(map(_record_stage, capture.stages)), outcomes, ({}, {}), ({}, {}))
    return dataclasses.replace(
        program,
        alone=find_all_fates(program.graphs),
        recorded=find_all_fates(program.graphs, outcomes),
    )


def write() -> None:
    from jaxscope.worker.host.call import call_namespace, parse_call
    from jaxscope.worker.host.user_module import execute_file
    from tests.fates.compiled_calls import capture_call, hold_against_dumps

    programs = []
    for name, calls in CALLS.items():
        file = Path(__file__).with_name(name)
        for text in calls:
            namespace = call_namespace(vars(execute_file(str(file), file.read_text("utf-8"))))
            call = parse_call(text, namespace, file=str(file))
            capture = capture_call(call, str(file))
            program = record(text, capture)
            table = capture.fates
            assert isinstance(table, FateTable)
            assert program.recorded == (dict(table), dict(table.derived)), text
            alone = FateTable(capture.stages)
            assert program.alone == (dict(alone), dict(alone.derived)), text
            for way, verdicts in hold_against_dumps(capture, call).items():
                assert not verdicts.refuted, (text, way, verdicts.refuted)
            programs.append(program)
            print(text, len(program.recorded[1]), flush=True)
    FILE.write_bytes(lzma.compress(msgspec.msgpack.encode(programs, enc_hook=str), preset=9))
    print(FILE.stat().st_size, "bytes")


if __name__ == "__main__":
    write()
