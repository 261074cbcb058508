"""Links by name in opened dumps, held against the tags of the same programs.

    python -m bench.name_links                    the calls that the samples offer
    python -m bench.name_links FILE …             those of files

Each call is captured by jaxscope, whose tags say which equation every operation and instruction
came from: the truth. JAX alone lowers and compiles the same call, XLA dumps it, and the dump is
opened. Both have the same nodes in the same order, or the stage is left out and counted. Pairs of
nodes of two stages that share an equation are compared with pairs that are linked by name. Of
nodes, those of the later stage count that tags link to the earlier one.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
PAIRS = (("stablehlo", "hlo"), ("stablehlo", "optimized"), ("hlo", "optimized"))


@dataclasses.dataclass
class Count:
    """How many pairs of nodes of two stages are linked, by the truth, by names, and by both; and
    how many nodes of the later stage."""

    true: int = 0
    found: int = 0
    both: int = 0
    nodes: int = 0
    linked: int = 0

    def add(self, other: Count) -> None:
        self.true += other.true
        self.found += other.found
        self.both += other.both
        self.nodes += other.nodes
        self.linked += other.linked

    @property
    def precision(self) -> float:
        return self.both / self.found if self.found else 1.0

    @property
    def node_recall(self) -> float:
        return self.linked / self.nodes if self.nodes else 1.0

    @property
    def recall(self) -> float:
        return self.both / self.true if self.true else 1.0


def dump_call(file: str, call: str, folder: Path) -> None:
    """Let JAX alone compile a call, and XLA write down the modules."""
    import jax

    from bench.identity import _parse, trace_plain

    jax.clear_caches()
    lowered = trace_plain(_parse(file, call, "JAX")).lower()
    options = {"xla_dump_to": str(folder), "xla_dump_hlo_as_proto": True}
    lowered.compile(compiler_options=options)
    if not list(folder.glob("*/module.mlir")):
        text = lowered.as_text(debug_info=True)
        (stem,) = {p.name.split(".before")[0] for p in folder.glob("*.before_optimizations.hlo.pb")}
        (folder / stem).mkdir(exist_ok=True)
        (folder / stem / "module.mlir").write_text(text)


def count_pairs(traced: Any, opened: Any) -> tuple[dict[str, Count], list[str]]:
    """Counts by pair of stages, and the stages whose nodes are not the same."""
    from jaxscope.model import is_available
    from jaxscope.program.name_links import BY_NAME, LINK, LINKED_BY, SEPARATOR

    truth: dict[str, list[tuple[str, ...]]] = {}
    names: dict[str, list[tuple[str, ...]]] = {}
    others = []
    for stage in ("stablehlo", "hlo", "optimized"):
        one, two = traced.stage(stage), opened.stage(stage)
        if one is None or two is None:
            continue
        if not (is_available(one.graph) and is_available(two.graph)):
            others.append(stage)
            continue
        nodes = [[g.node(i) for i in range(len(g.nodes))] for g in (one.graph, two.graph)]
        shapes = [[(node.operation, node.types) for node in part] for part in nodes]
        if shapes[0] != shapes[1]:
            others.append(stage)
            continue
        truth[stage] = [node.derived for node in nodes[0]]
        names[stage] = [
            tuple(node.attributes[LINKED_BY].split(SEPARATOR))
            if node.attributes.get(LINK) == BY_NAME
            else ()
            for node in nodes[1]
        ]
    counts = {}
    for first, second in PAIRS:
        if first in truth and second in truth:
            true, found = _pairs(truth[first], truth[second]), _pairs(names[first], names[second])
            nodes = [{node for _, node in pairs} for pairs in (true, true & found)]
            counts[f"{first} to {second}"] = Count(
                len(true), len(found), len(true & found), *map(len, nodes)
            )
    return counts, others


def _pairs(
    left: Sequence[tuple[str, ...]], right: Sequence[tuple[str, ...]]
) -> set[tuple[int, int]]:
    by_key: dict[str, list[int]] = {}
    for row, keys in enumerate(right):
        for key in keys:
            by_key.setdefault(key, []).append(row)
    return {
        (row, other)
        for row, keys in enumerate(left)
        for key in keys
        for other in by_key.get(key, ())
    }


def measure_file(file: str) -> dict[str, Any]:
    """Counts of all calls that a file offers."""
    from jaxscope.client.dump_folders import find_dumps
    from jaxscope.client.dump_reader import open_found
    from jaxscope.client.one_shot import capture, outline

    total: dict[str, Count] = {}
    calls: list[str] = []
    failed: list[str] = []
    for offered in outline(file).calls:
        try:
            traced = capture(file, offered.call)
            with tempfile.TemporaryDirectory() as folder:
                dump_call(file, offered.call, Path(folder))
                opened = open_found(find_dumps([folder]))
        except Exception as error:
            failed.append(f"{offered.call}: {type(error).__name__}: {error}"[:200])
            continue
        counts, others = count_pairs(traced, opened)
        failed += [f"{offered.call}: the stage {stage} differs" for stage in others]
        calls.append(offered.call)
        for pair, count in counts.items():
            total.setdefault(pair, Count()).add(count)
            if count.precision < 0.99:
                failed.append(f"{offered.call}: {pair} precision {count.precision:.3f}")
    counted = {pair: dataclasses.asdict(count) for pair, count in total.items()}
    return {"calls": len(calls), "failed": failed, "counts": counted}


def measure(files: Sequence[str] = ()) -> dict[str, Any]:
    """The sums over files, each measured in a process of its own."""
    total: dict[str, Count] = {}
    tally: Counter[str] = Counter()
    failed: list[str] = []
    for file in files or sorted(map(str, (_ROOT / "samples").glob("*.py"))):
        words = [sys.executable, "-m", "bench.name_links", "--one", file]
        answer = subprocess.run(words, capture_output=True, text=True, cwd=_ROOT)
        if answer.returncode:
            failed.append(f"{file}: {answer.stderr[-300:]}")
            continue
        found = json.loads(answer.stdout.splitlines()[-1])
        tally["calls"] += found["calls"]
        failed += [f"{Path(file).name}: {text}" for text in found["failed"]]
        for pair, count in found["counts"].items():
            total.setdefault(pair, Count()).add(Count(**count))
    return {"calls": tally["calls"], "failed": failed, "counts": total}


def main(words: list[str]) -> None:
    if words[:1] == ["--one"]:
        print(json.dumps(measure_file(words[1])))
        return
    found = measure(words)
    for text in found["failed"]:
        print(text)
    for pair, count in found["counts"].items():
        told = f"precision {count.precision:.2%}, recall {count.recall:.2%} of pairs, "
        told += f"{count.node_recall:.2%} of {count.nodes} nodes"
        print(f"{pair}: {told} ({count.true} pairs by tags, {count.found} by names)")
    print(f"{found['calls']} calls")


if __name__ == "__main__":
    main(sys.argv[1:])
