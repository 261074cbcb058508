"""Mutation testing: change one thing in a module, run the tests nearest to it, see if they fail.

    python -m bench.mutation                        every part, 12 minutes
    python -m bench.mutation layout --minutes 5     one part
    python -m bench.mutation frames --count 0       list the mutants, run nothing

A mutant that no test fails on has survived: either a test is missing, or the change means nothing
(an equivalent mutant), which only a person can tell. Mutants are drawn at random with a seed, one
of each part in turn, so a short round is a fair sample and can be repeated. A round works in a copy
of the tree, one mutant after another; the checkout is not touched.

Why not mutmut or cosmic-ray: jaxscope runs much of its code in worker processes and in-process
with JAX, where mutmut's switched functions change the frames that provenance reads. Cosmic-ray
mutates the tree in place and keeps its results in a database; what is left of it for us is less
than this file.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import dataclasses
import gc
import importlib
import os
import random
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SEED = 1
_OUTPUT = ".mutation-output"  # of pytest, in the copy
_MEMORY_BYTES = 16 << 30  # a mutant may append for ever
_WAITING_S = 600.0  # for a run that uses no processor
_LIBRARIES = ("numpy", "jax", "jax.numpy", "hypothesis", "msgspec", "PySide6.QtWidgets")


@dataclasses.dataclass(frozen=True)
class Part:
    """Modules that are mutated, and the tests that should notice.

    Attributes:
        modules: Files or folders below `jaxscope`.
        tests: Files below `tests`, the quickest first: the first failure ends a run.
    """

    modules: tuple[str, ...]
    tests: tuple[str, ...]


PARTS = {
    "frames": Part(("wire/frames.py",), ("processes/test_streams.py",)),
    "statistics": Part(("model/statistics.py",), ("timing/test_statistics.py",)),
    "measured": Part(
        ("schema/timing_messages.py", "program/node_times.py"),
        ("timing/test_timing_messages.py", "timing/test_node_times.py"),
    ),
    "links": Part(
        ("program/links.py",),
        (
            *("search/test_links_property.py", "window/test_links.py"),
            *("fates/test_shared_functions.py", "opening/test_links.py"),
        ),
    ),
    "archive": Part(
        ("schema/archive.py", "schema/archive_container.py"),
        (
            *("archive/test_small_files.py", "archive/test_bookmarks.py"),
            *("archive/test_saved_measurements.py", "archive/test_archive.py"),
        ),
    ),
    "layout": Part(
        (
            *("picture/layout/layered.py", "picture/layout/diagram.py"),
            *("picture/layout/crossing_reduction.py", "picture/layout/rank_assignment.py"),
        ),
        (
            *("layout/test_drawings.py", "layout/test_layered.py", "layout/test_long_edges.py"),
            *("layout/test_value_ways.py", "layout/test_scene.py"),
        ),
    ),
    "provenance": Part(
        ("worker/provenance",),
        (
            *("provenance/test_tagging.py", "worker/test_program.py"),
            "provenance/test_following_axes.py",
            *("provenance/test_traced_functions.py", "provenance/test_rules.py"),
            *("provenance/test_constants.py", "provenance/test_lowered_by_functions.py"),
            *("provenance/test_names.py", "provenance/test_argument_and_result_names.py"),
            *("provenance/test_trace_times.py", "provenance/test_batch_axes.py"),
        ),
    ),
    "fates": Part(
        ("program/fates",),
        (
            *("fates/test_recorded.py", "fates/test_small_jaxprs.py"),
            *("fates/test_small_modules.py", "fates/test_small_tables.py"),
            *("fates/test_small_loops.py", "fates/test_shared_functions.py"),
            *("fates/test_certain_fates.py", "fates/test_explanations.py"),
        ),
    ),
}


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of one file.

    Attributes:
        file: Path below the root of the project.
        line: 1-based line where the changed code begins.
        start: Offset of the first replaced byte.
        end: Offset after the last replaced byte.
        before: The code that is replaced.
        after: What takes its place.
    """

    file: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        before, after = (" ".join(code.split()) for code in (self.before, self.after))
        return f"{self.file}:{self.line} `{before[:70]}` → `{after[:70]}`"


_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATIONS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


def find_mutants(file: Path) -> list[Mutant]:
    """Every mutant of a file, in the order of its code.

    Annotations, docstrings and f-strings stay as they are: a change there means nothing, or its
    place is not known to `ast`. So does the `strict=True` of a `zip`, which only asserts.
    """
    source = file.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    mutants = []
    for node in _walk(ast.parse(source)):
        for after in _change(node):
            assert node.end_lineno is not None and node.end_col_offset is not None
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            before = source[start:end].decode()
            name = file.relative_to(ROOT).as_posix()
            mutants.append(Mutant(name, node.lineno, start, end, before, after))
    return sorted(mutants, key=lambda mutant: (mutant.start, mutant.end, mutant.after))


def _walk(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Nodes that run, without what only declares."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or isinstance(value, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, (ast.JoinedStr, ast.Import)):
                continue
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, (ast.expr, ast.stmt)):
                yield child
            yield from _walk(child)


def _change(node: ast.expr | ast.stmt) -> Iterator[str]:
    """What may stand in the place of a node."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARISONS:
            other = ast.Compare(node.left, [_COMPARISONS[type(operator)]()], node.comparators)
            yield f"({ast.unparse(other)})"
        case ast.BoolOp(op=operator, values=values):
            swapped = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield f"({ast.unparse(ast.BoolOp(swapped, values))})"
            yield from (f"({ast.unparse(value)})" for value in (values[0], values[-1]))
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.BinOp(op=operator) if type(operator) in _OPERATIONS and not _is_type(node):
            changed = ast.BinOp(node.left, _OPERATIONS[type(operator)](), node.right)
            yield f"({ast.unparse(changed)})"
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(number) | float(number)):
            yield str(number + 1)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (f"({ast.unparse(branch)})" for branch in (body, orelse))
        case ast.Return(value=ast.expr()) if ast.unparse(node) != "return None":
            yield "return None"
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise():
            yield "pass"
        case _:
            pass


def _is_type(node: ast.BinOp) -> bool:
    """Whether `a | b` is a union of types, as in `isinstance(x, A | B)`; then a change only breaks
    the import or means nothing."""
    sides = [ast.unparse(side) for side in (node.left, node.right)]
    return isinstance(node.op, ast.BitOr) and any(side[:1].isupper() for side in sides)


def find_part_mutants(part: Part) -> list[Mutant]:
    """Every mutant of a part's modules."""
    paths = [ROOT / "jaxscope" / module for module in part.modules]
    files = [file for path in paths for file in (sorted(path.glob("*.py")) or [path])]
    return [mutant for file in files for mutant in find_mutants(file)]


@contextlib.contextmanager
def copied_tree() -> Iterator[Path]:
    """A copy of what git knows or would add, gone afterwards."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory(prefix="jaxscope-mutation-") as name:
        for path in filter(None, listed.decode().split("\0")):
            if (ROOT / path).is_file():
                (Path(name) / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / path, Path(name) / path)
        yield Path(name)


def run_tests(
    tree: Path, part: Part, limit_s: int | None = None, *, has_mutant: bool = True
) -> tuple[str, float]:
    """Run a part's tests in a copy of the tree.

    The run is a fork of this process, which has loaded the libraries of others and nothing of ours:
    their import takes longer than most of the tests. What Python compiles without a mutant is kept.

    Args:
        tree: The copy.
        part: Whose tests.
        limit_s: Seconds of a processor after which a run is ended.
        has_mutant: Whether the copy differs from the original.

    Returns:
        `passed`, `failed` or `timed out`, and how many seconds of a processor it took.

    Raises:
        RuntimeError: The tests could not be run.
    """
    child = os.fork()
    if child == 0:
        os._exit(_run_in_child(tree, part, limit_s, has_mutant=has_mutant))
    watched = os.pidfd_open(child)
    ready, _, _ = select.select([watched], [], [], _WAITING_S)
    os.close(watched)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # also what a broken test left running
    _, status, used = os.wait4(child, 0)
    seconds = used.ru_utime + used.ru_stime
    if not ready or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        return "timed out", seconds
    if os.WIFSIGNALED(status):
        return "failed", seconds
    code = os.WEXITSTATUS(status)
    if code not in (0, 1, 2):  # 2: a module that cannot be imported stops the collection
        raise RuntimeError(f"pytest ended with status {code}; are the tests' names right?")
    return "failed" if code else "passed", seconds


def _run_in_child(tree: Path, part: Part, limit_s: int | None, *, has_mutant: bool) -> int:
    """Run pytest in this process, on the copy; returns its status."""
    try:
        os.setsid()
        if limit_s is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 5))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        os.chdir(tree)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        output = os.open(_OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ.update(PYTHONPATH=str(tree), QT_QPA_PLATFORM="offscreen")
        # A stale .pyc would hide a mutant.
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1" if has_mutant else ""
        sys.dont_write_bytecode = has_mutant
        sys.path[:] = [str(tree), *(p for p in sys.path if p and Path(p) not in (ROOT, tree))]
        for name in [name for name in sys.modules if name.partition(".")[0] == "bench"]:
            del sys.modules[name]
        options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        status = int(pytest.main([*options, *(f"tests/{test}" for test in part.tests)]))
        ours = getattr(sys.modules.get("jaxscope"), "__file__", None) or ""
        return status if ours.startswith(str(tree)) else 99
    except BaseException:
        return 98


@dataclasses.dataclass
class Outcome:
    """What became of one part's mutants.

    Attributes:
        possible: How many mutants there are.
        run: How many were run.
        timed_out: How many of the killed ended by the time limit.
        survivors: Those that no test failed on.
    """

    possible: int
    run: int = 0
    timed_out: int = 0
    survivors: list[Mutant] = dataclasses.field(default_factory=list)


def run_round(names: Sequence[str], minutes: float, count: int, seed: int) -> dict[str, Outcome]:
    """Draw mutants of each part in turn until the time is over or each part has had `count`.

    A part whose tests fail without any mutant is left out, and the end of their output is printed.
    """
    outcomes: dict[str, Outcome] = {}
    queues: dict[str, list[Mutant]] = {}
    limits_s: dict[str, int] = {}
    for library in _LIBRARIES:
        importlib.import_module(library)
    gc.freeze()  # what is loaded here is not collected by each run
    end = time.monotonic() + 60.0 * minutes
    for name in names:
        mutants = find_part_mutants(PARTS[name])
        outcomes[name] = Outcome(len(mutants))
        random.Random(f"{seed} {name}").shuffle(mutants)
        queues[name] = mutants[:count]
    with copied_tree() as tree:
        while any(queues.values()):
            for name in filter(queues.__getitem__, names):
                if time.monotonic() > end:
                    return outcomes
                if name not in limits_s:
                    answer, seconds = run_tests(tree, PARTS[name], has_mutant=False)
                    print(f"{name}: tests {answer} without a mutant, {seconds:.0f} s", flush=True)
                    limits_s[name] = 10 + round(3.0 * seconds)
                    if answer != "passed":
                        print((tree / _OUTPUT).read_text(errors="replace")[-2000:], flush=True)
                        queues[name].clear()
                        continue
                mutant = queues[name].pop(0)
                answer = try_mutant(tree, PARTS[name], mutant, limits_s[name])
                print(f"{name}: {answer} {mutant}", flush=True)
                outcomes[name].run += 1
                outcomes[name].timed_out += answer == "timed out"
                if answer == "passed":
                    outcomes[name].survivors.append(mutant)
    return outcomes


def try_mutant(tree: Path, part: Part, mutant: Mutant, limit_s: int) -> str:
    """Run a part's tests with one mutant in place, and put the file back."""
    file = tree / mutant.file
    source = file.read_bytes()
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        compiled.unlink()
    file.write_bytes(source[: mutant.start] + mutant.after.encode() + source[mutant.end :])
    try:
        return run_tests(tree, part, limit_s)[0]
    finally:
        file.write_bytes(source)


def render(outcomes: dict[str, Outcome]) -> str:
    """The table and the survivors, as Markdown."""
    lines = ["| part | mutants | run | killed | by time limit |", "|---|---|---|---|---|"]
    for name, found in outcomes.items():
        killed = found.run - len(found.survivors)
        share = f"{killed} ({killed / found.run:.0%})" if found.run else "–"
        lines.append(f"| {name} | {found.possible:,} | {found.run} | {share} | {found.timed_out} |")
    lines += ["", "Survivors:", ""]
    lines += [f"- {mutant}" for found in outcomes.values() for mutant in found.survivors]
    return "\n".join(lines)


def main() -> None:
    """Run a round and print its table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--minutes", type=float, default=12.0)
    parser.add_argument("--count", type=int, default=1000, help="mutants of each part, at most")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part is called {', '.join(sorted(unknown))}")
    names = options.parts or list(PARTS)
    if options.count == 0:
        for name in names:
            print(*find_part_mutants(PARTS[name]), sep="\n")
        return
    print("\n" + render(run_round(names, options.minutes, options.count, options.seed)))


if __name__ == "__main__":
    main()
