"""Python loops that became equations round by round, where one round would do.

Looked for are equations that come again and again with the same stack of places, inside of a loop
of the user's source, in a period: same operations on same types. A loop whose rounds need each
other is one for `scan`; one whose rounds take slices of one array, one for `vmap`.
"""

from __future__ import annotations

import ast
import functools
import itertools
import linecache
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say
from jaxscope.worker import compat
from jaxscope.worker.checks.dataflow import Body, Site, TracedValue
from jaxscope.worker.checks.subject import CheckedCall, parse_file

SCAN, VMAP = "unrolled-loop", "loop-for-vmap"
MIN_ROUNDS = 10
MIN_OF_A_ROUND = 5
"""Shorter rounds are mostly written out on purpose: XLA fuses them, and a loop cannot."""
MIN_EQUATIONS = 1_000
"""Of fewer, XLA compiles for less than about a second more than for a loop; they run as fast."""
_SLICES = frozenset({"slice", "dynamic_slice", "gather", "squeeze", "split", "unstack"})
_SCAN_REMEDY = say(
    "carry, _ = jax.lax.scan(lambda carry, x: (one_round(carry, x), None), carry, xs), with what "
    "differs from round to round stacked in xs (jax.tree.map(lambda *x: jnp.stack(x), *items)); "
    "or jax.lax.fori_loop(0, n, lambda i, carry: one_round(i, carry), carry)."
)
_VMAP_REMEDY = say(
    "jax.vmap(one_round)(xs), or jax.lax.map(one_round, xs) where that takes less memory."
)

_Place = tuple[int, int]
_Loop = tuple[_Place, _Place, int, int]  # from, to, line of the loop, number of its function


def find_unrolled_loops(subject: CheckedCall) -> Iterator[Check]:
    """Loops of `MIN_ROUNDS` rounds or more that made `MIN_EQUATIONS` equations or more."""
    weights: dict[int, int] = {}
    total = len({site.id for site in subject.base.sites})
    for body in subject.base.bodies:
        if len(body.sites) >= MIN_ROUNDS:
            yield from _find_in(subject, body, weights, total)


def _find_in(
    subject: CheckedCall, body: Body, weights: dict[int, int], total: int
) -> Iterator[Check]:
    stacks = [tuple(compat.user_frames(site.equation.source_info)) for site in body.sites]
    counts = Counter(stacks)
    if max(counts.values()) < MIN_ROUNDS:
        return
    loops = {
        stack: list(_loops_around(subject, stack))
        for stack, count in counts.items()
        if count >= MIN_ROUNDS
    }
    groups: dict[Any, list[int]] = {}
    for number, stack in enumerate(stacks):
        for loop in loops.get(stack, ()):
            groups.setdefault(loop, []).append(number)
    covered: set[int] = set()
    for (_, file, line), numbers in sorted(groups.items(), key=lambda item: -len(item[1])):
        if covered.isdisjoint(numbers):
            keys = [_key(body.sites[n], stacks[n]) for n in numbers]
            start, period, rounds = _find_period(keys)
            sites = [body.sites[n] for n in numbers[start : start + period * rounds]]
            size = sum(_weight(site, weights) for site in sites)
            if rounds < MIN_ROUNDS or size < max(MIN_EQUATIONS, rounds * MIN_OF_A_ROUND):
                continue
            rule = _kind(sites, period)
            if rule and not _is_meant(file, line):
                covered.update(numbers)
                in_all = _count(sites), _count(sites[:period]), total
                yield _describe(rule, file, line, sites[0].id, rounds, in_all)


def _is_meant(file: str, line: int) -> bool:
    """Whether a line near a loop says that it is unrolled."""
    return any("unroll" in linecache.getline(file, n).lower() for n in range(line - 4, line + 4))


def _describe(
    rule: str, file: str, line: int, id: str, rounds: int, counts: tuple[int, int, int]
) -> Check:
    size, of_a_round, total = counts
    needs = say("each needs the one before") if rule == SCAN else say("none needs another")
    return Check(
        rule,
        Severity.WARNING,
        say(
            "The loop of line {line} was unrolled: {rounds:,} rounds of the same operations, "
            "{needs}, are {size:,} of the {total:,} equations. One round of {of_a_round:,} would "
            "do; tracing and compiling take their time for every equation.",
            line=line,
            rounds=rounds,
            needs=needs,
            size=size,
            total=total,
            of_a_round=of_a_round,
        ),
        _SCAN_REMEDY if rule == SCAN else _VMAP_REMEDY,
        "samples/transformer.py" if rule == SCAN else "samples/vmap_axes.py",
        id,
        file,
        line,
    )


def _key(site: Site, stack: Any) -> Any:
    types = tuple((value.shape, value.dtype) for value in (*site.inputs, *site.outputs))
    return site.name, stack, types


def _find_period(keys: Sequence[Any]) -> tuple[int, int, int]:
    """Where the longest run of equal rounds starts, how long a round is, and how many there are."""
    counts = Counter(keys)
    often = [key for key, count in counts.items() if count >= MIN_ROUNDS]
    best = 0, 1, 1
    if not often:
        return best
    rare = min(often, key=lambda key: counts[key])
    places = [place for place, key in enumerate(keys) if key == rare]
    steps = Counter(after - before for before, after in itertools.pairwise(places))
    for period, _ in steps.most_common(3):
        run = 0
        for place in range(period, len(keys) + 1):
            if place < len(keys) and keys[place] == keys[place - period]:
                run += 1
                continue
            rounds = run // period + 1
            if rounds * period > best[1] * best[2]:
                best = place - run - period, period, rounds
            run = 0
    return best


def _kind(sites: Sequence[Site], period: int) -> str:
    """Which remedy fits; empty where none does."""
    made: dict[int, int] = {}
    is_chained = False
    read_in: dict[int, set[int]] = {}
    for number, site in enumerate(sites):
        now = number // period
        for value in site.inputs:
            before = made.get(id(value))
            is_chained = is_chained or (before is not None and before < now)
            if (whole := _sliced(site, value)) is not None:
                read_in.setdefault(id(whole), set()).add(now)
        for value in site.outputs:
            made[id(value)] = now
    if is_chained:
        return SCAN
    num_rounds = len(sites) // period
    return VMAP if any(len(rounds) == num_rounds for rounds in read_in.values()) else ""


def _sliced(site: Site, value: TracedValue) -> TracedValue | None:
    """The array that a round takes its part of, in the round or before the loop."""
    whole = value if site.name in _SLICES else None
    while value.maker is not None and value.maker.name in _SLICES:
        value = whole = value.maker.inputs[0]
    return whole


def _count(sites: Sequence[Site]) -> int:
    """Equations of some and of all that they hold, a shared jaxpr once, as the graph has it."""
    found: set[str] = set()
    waiting = list(sites)
    while waiting:
        site = waiting.pop()
        if site.id not in found:
            found.add(site.id)
            waiting += [each for body in site.bodies for each in body.sites]
    return len(found)


def _weight(site: Site, weights: dict[int, int]) -> int:
    """Equations of one and of all that it holds, at each place where it is used."""
    if id(site) not in weights:
        inner = (each for body in site.bodies for each in body.sites)
        weights[id(site)] = 1 + sum(_weight(each, weights) for each in inner)
    return weights[id(site)]


def _loops_around(subject: CheckedCall, stack: Any) -> Iterator[Any]:
    """The loops of the user's files that a stack of frames is in: frames outside, file, line."""
    for level in reversed(range(len(stack))):
        file, line, column, _ = stack[level]
        tree = parse_file(file) if subject.is_own(file) else None
        if tree is not None:
            for loop in _enclosing(tree, (line, column)):
                yield stack[level + 1 :], file, loop


def is_in_loop(file: str, line: int, column: int) -> bool:
    """Whether a place of a file is in a loop of its function."""
    tree = parse_file(file)
    return tree is not None and bool(_enclosing(tree, (line, column)))


def function_at(file: str, line: int, column: int) -> int:
    """Number of the innermost function around a place of a file; -1 where there is none."""
    tree = parse_file(file)
    return -1 if tree is None else _function_at(tree, (line, column))


def _function_at(tree: ast.Module, place: _Place) -> int:
    functions = _read_loops(tree)[1]
    inside = [n for n, (start, end) in enumerate(functions) if start <= place <= end]
    return max(inside, key=lambda n: functions[n][0], default=-1)


@functools.lru_cache(maxsize=1 << 12)
def _enclosing(tree: ast.Module, place: _Place) -> list[int]:
    """Lines of the loops around a place that run in the same call of its function."""
    loops, _ = _read_loops(tree)
    function = _function_at(tree, place)
    return [line for start, end, line, own in loops if own == function and start <= place <= end]


@functools.lru_cache(maxsize=32)
def _read_loops(tree: ast.Module) -> tuple[list[_Loop], list[tuple[_Place, _Place]]]:
    """Bodies of loops, and functions, in the order of their beginning."""
    loops: list[_Loop] = []
    functions: list[tuple[_Place, _Place]] = []

    def visit(node: ast.AST, function: int) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            body = node.body if isinstance(node.body, list) else [node.body]
            functions.append((_start(body[0]), _end(body[-1])))
            function = len(functions) - 1
        elif isinstance(node, ast.For | ast.While):
            loops.append((_start(node.body[0]), _end(node.body[-1]), node.lineno, function))
        elif isinstance(node, ast.ListComp | ast.GeneratorExp):
            loops.append((_start(node.elt), _end(node.elt), node.lineno, function))
        for child in ast.iter_child_nodes(node):
            visit(child, function)

    visit(tree, -1)
    return loops, functions


def _start(node: Any) -> _Place:
    return node.lineno, node.col_offset


def _end(node: Any) -> _Place:
    return node.end_lineno, node.end_col_offset
