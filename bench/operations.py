"""Which primitives, StableHLO operations and HLO opcodes occur, and how often.

    python -m bench.operations             count, print a table, write bench/operations.json
    python -m bench.operations --print     the table of the last count

Counted are the calls of the samples, of `docs/programs`, and of `identity_calls.py` (calls of
libraries) as JAX alone traces, lowers and compiles them for a CPU with eight simulated devices.
Equations and instructions inside others count, those of a jaxpr that several share once. A call
that cannot run here, such as one of a library that is not installed, is left out and named.
`tests/cards` asks what share of the counts has a card.
"""

from __future__ import annotations

import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.identity import trace_plain
from bench.identity_calls import GROUPS, NUM_DEVICES, PREAMBLE

ROOT = Path(__file__).resolve().parents[1]
COUNTS = Path(__file__).with_suffix(".json")
KINDS = ("primitives", "stablehlo", "hlo")
_OPCODE = re.compile(r"\s([a-z][a-z0-9\-]*)\(")
_INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%?[\w.\-]+ = (.*)$", re.M)
_MARK = re.compile(r"^\s*# jaxscope: (.*)$", re.M)
_MAX_S = 3600


def count_primitives(jaxpr: Any, seen: set[int] | None = None) -> collections.Counter[str]:
    """The primitives of a jaxpr and of those inside it."""
    seen = set() if seen is None else seen
    inner = getattr(jaxpr, "jaxpr", jaxpr)
    found: collections.Counter[str] = collections.Counter()
    if id(inner) in seen:
        return found
    seen.add(id(inner))
    for equation in inner.eqns:
        found[equation.primitive.name] += 1
        for nested in _nested(list(equation.params.values())):
            found += count_primitives(nested, seen)
    return found


def _nested(value: Any) -> Iterator[Any]:
    if hasattr(getattr(value, "jaxpr", value), "eqns"):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _nested(item)
    elif isinstance(value, dict):
        yield from _nested(list(value.values()))


def count_stablehlo(module: Any) -> collections.Counter[str]:
    """The operations of an MLIR module, those inside others too."""
    found: collections.Counter[str] = collections.Counter()
    waiting = [module.operation]
    while waiting:
        operation = waiting.pop()
        found[operation.name] += 1
        for region in operation.regions:
            for block in region:
                waiting += [each.operation for each in block]
    return found


def count_hlo(text: str) -> collections.Counter[str]:
    """The opcodes of a module's text."""
    bare = re.sub(r"/\*.*?\*/", "", text)
    bodies = (f" {match.group(1)}" for match in _INSTRUCTION.finditer(bare))
    opcodes = (_OPCODE.search(body) for body in bodies)
    return collections.Counter(opcode.group(1) for opcode in opcodes if opcode)


def count_file(file: Path, calls: tuple[str, ...]) -> None:
    """Count the calls of a file, with several devices, and print a line of JSON for each."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    jax.config.update("jax_num_cpu_devices", NUM_DEVICES)
    warnings.simplefilter("ignore")
    for result in count_file_here(file, calls):
        print(json.dumps(result), flush=True)


def count_file_here(file: Path, calls: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Count the calls of a file, in this process as it is: of each the counts, or why it failed."""
    from jaxscope.worker.host.call import call_namespace, parse_call
    from jaxscope.worker.host.user_module import execute_file

    for text in calls:
        result: dict[str, Any] = {"call": text}
        try:
            module = execute_file(str(file), file.read_text("utf-8"))
            call = parse_call(text, call_namespace(vars(module)), file=str(file))
            traced = trace_plain(call)
            lowered = traced.lower()
            result["primitives"] = count_primitives(traced.jaxpr)
            result["stablehlo"] = count_stablehlo(lowered.compiler_ir("stablehlo"))
            result["hlo"] = count_hlo(lowered.compile().as_text())
        except Exception as error:
            result["failed"] = f"{type(error).__name__}: {error}"[:200]
        yield result


def find_calls(file: Path) -> tuple[str, ...]:
    """The calls that a file offers."""
    return tuple(_MARK.findall(file.read_text("utf-8")))


def list_files(folder: Path) -> Iterator[tuple[str, Path, tuple[str, ...]]]:
    """Origin, file and calls of everything that is counted."""
    for origin, place in (("samples", "samples"), ("docs/programs", "docs/programs")):
        for file in sorted((ROOT / place).glob("*.py")):
            yield origin, file, find_calls(file)
    for group in GROUPS:
        file = folder / f"calls_of_{re.sub(r'[^a-z0-9]+', '_', group.name)}.py"
        file.write_text(PREAMBLE + group.source, "utf-8")
        yield "libraries", file, group.calls


def count_all() -> dict[str, Any]:
    """Count everything, a process per file."""
    origins: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for origin, file, calls in list_files(Path(folder)):
            command = [sys.executable, "-m", "bench.operations", "--file", str(file), *calls]
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=_MAX_S, cwd=ROOT
            )
            results = [json.loads(each) for each in done.stdout.splitlines() if each[:2] == '{"']
            kept = origins.setdefault(
                origin, {"calls": 0, **{kind: collections.Counter() for kind in KINDS}}
            )
            for result in results:
                if "failed" in result:
                    print(f"left out: {file.name}: {result['call']}: {result['failed']}")
                    continue
                kept["calls"] += 1
                for kind in KINDS:
                    kept[kind].update(result[kind])
            if len(results) < len(calls):
                print(f"ended early: {file.name} after {len(results)} calls: {done.stderr[-500:]}")
    return {
        origin: {
            "calls": kept["calls"],
            **{kind: dict(kept[kind].most_common()) for kind in KINDS},
        }
        for origin, kept in origins.items()
    }


def print_table(counts: dict[str, Any]) -> None:
    """Each name with its count in every origin, the most frequent first."""
    print(", ".join(f"{origin}: {kept['calls']} calls" for origin, kept in counts.items()))
    for kind in KINDS:
        total: collections.Counter[str] = collections.Counter()
        for kept in counts.values():
            total.update(kept[kind])
        print(f"\n{kind}: {len(total)} names, {total.total():,} occurrences")
        for name, number in total.most_common():
            parts = (f"{kept[kind].get(name, 0):>8,}" for kept in counts.values())
            print(f"{number:>8,} {''.join(parts)}  {name}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--file"]:
        count_file(Path(sys.argv[2]), tuple(sys.argv[3:]))
    else:
        if sys.argv[1:] != ["--print"]:
            COUNTS.write_text(json.dumps(count_all(), indent=1) + "\n", "utf-8")
        print_table(json.loads(COUNTS.read_text("utf-8")))
