"""Measure, and write what was found into bench/RESULTS.md: `python -m bench.run [SECTION …]`.

Each section has a table of its own there, under the command that measures it again, the day and
the machine. Compare ratios and goals, not seconds of different machines.
"""

from __future__ import annotations

import dataclasses
import datetime
import importlib.metadata
import itertools
import json
import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench import (
    coverage,
    engines,
    expressions,
    fates,
    growth,
    honesty,
    identity,
    links,
    opening,
    overhead,
    stalls,
    start,
)

_ROOT = Path(__file__).parents[1]
_RESULTS = _ROOT / "bench" / "RESULTS.md"
_SIZES = (1_000, 10_000, 50_000)
_MOST_UNITS = (4.0, 6.0, 6.0, 10.0)
"""0.8, 1.2, 1.2 and 2 s where the import of Qt takes 0.2 s: small, transformer, line, large."""
_MOST_OF_PLAIN = (1.5, 1.25)
_LONG_S = 1.0
_PROGRAMS = (
    ("5 equations", "samples/quick_start.py", "simple_graph(f32[3])"),
    (
        "8-layer MLP, gradient",
        "bench/programs.py",
        "grad(mlp_loss)(mlp_init(key(0)), f32[128, 64], f32[128, 10])",
    ),
    (
        "convolutions, gradient",
        "bench/programs.py",
        "grad(convnet_loss)(convnet_init(key(0)), f32[4, 32, 32, 3], i32[4])",
    ),
    ("100 unrolled steps, gradient", "bench/programs.py", "grad(unrolled)(f32[32, 32], f32[32])"),
    ("60 dense layers, gradient", "bench/programs.py", "grad(deep)(deep_init(key(0)), f32[8, 64])"),
    (
        "12-layer transformer, gradient",
        "samples/transformer.py",
        "grad(loss)(init(key(0)), tokens(key(1)))",
    ),
)


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        what: Was measured.
        goal: What it should be, in words.
        measured: What it is, in words.
        is_reached: Whether it is; None where nothing was promised.
    """

    what: str
    goal: str
    measured: str
    is_reached: bool | None


def measure_overhead() -> Iterator[Row]:
    """What a capture adds to JAX's own work."""
    for name, file, call in _PROGRAMS:
        found = overhead.measure(file, call)
        ratio, added = found.capture_s / found.plain_s, found.capture_s - found.plain_s
        is_long = found.plain_s > _LONG_S
        yield Row(
            name,
            "≤ 1.10×; processor ≤ 1.20×" if is_long else "≤ 0.15 s more",
            f"{found.plain_s:.2f} s → {found.capture_s:.2f} s ({ratio:.2f}×, {added:+.2f} s; "
            f"processor {found.cpu_ratio:.2f}×)",
            ratio <= 1.1 and found.cpu_ratio <= 1.2 if is_long else added <= 0.15,
        )


def measure_start() -> Iterator[Row]:
    """From the launch to the still picture on a screen; as multiples where machines differ."""
    try:
        found = start.measure()
    except FileNotFoundError:
        yield Row("from launch to the still picture", "–", "skipped: there is no Xvfb", None)
        return
    unit = found[0].unit
    yield _row("process that imports PySide6.QtWidgets, the unit of the next rows", unit, math.nan,
               "s")  # fmt: skip
    shown = min(each.shown for each in found)
    yield _tell_launch("from launch until the window is seen", shown, unit, 3.5)
    for each, most in zip(found, _MOST_UNITS + _MOST_OF_PLAIN, strict=True):
        what = f"from launch to the still picture, {each.name}"
        if each.plain is None:
            yield _tell_launch(what, each.still, unit, most)
            if each.after is not None:
                after = f"processor time of the window in the 15 s after that, {each.name}"
                yield _row(after, each.after, 1.0, "s")
            continue
        told = f"{each.first_graph:.2f} s ({each.first_graph / each.plain:.2f}×)"
        yield Row(
            f"from launch to the first graph, {each.name}; plain script {each.plain:.2f} s",
            f"≤ {most:g}×",
            told,
            each.first_graph <= most * each.plain,
        )
        yield _row(what, each.still, math.nan, "s")


def _tell_launch(what: str, seconds: float, unit: float, most: float) -> Row:
    times = seconds / unit
    return Row(what, f"≤ {most:g} units", f"{seconds:.2f} s ({times:.1f} units)", times <= most)


def measure_pictures() -> Iterator[Row]:
    """Large graphs: transformers' gradients of three sizes; processor seconds, frames in wall."""
    found = [_read("bench.pictures", "transformer", str(size)) for size in _SIZES]
    yield from _tell_pictures(found, "")
    largest = f"{found[-1]['nodes']:,.0f} nodes"
    sizes = " / ".join(f"{each['nodes']:,.0f}" for each in found) + " nodes"
    for key, what, goal_ms in (
        ("frame_median", "frame while panning, median", 16),
        ("frame_p99", "frame while panning, 99 %", 33),
        ("opening_p99", "frame while a group closes or opens, all open around it, 99 %", 33),
        ("selection", "selection to links of three stages", 50),
        ("highlight", "highlight of a thousand nodes, to the painted frame", 50),
        ("search", "search", 50),
    ):
        told = " / ".join(f"{each[key] * 1e3:.3g}" for each in found)
        worst = max(each[key] for each in found) * 1e3
        yield Row(f"{what}, {sizes}", f"≤ {goal_ms} ms", f"{told} ms", worst <= goal_ms)
    yield _row(f"saving three stages of {largest}", found[-1]["save"], 1.0, "s")
    yield _row(f"reopening three stages of {largest}", found[-1]["load"], 1.0, "s")
    yield _row("their file", found[-1]["file_mb"], 15, "MB")
    peaks = _read("bench.window_memory", str(_SIZES[-1]))
    what = f"memory of the window, three stages of {largest}"
    yield _row(f"{what}, as opened", peaks["opened_mb"], 600, "MB")
    yield _row(f"{what}, every group of two open", peaks["all_open_mb"], math.nan, "MB")
    yield _tell_growth(found, "")


def measure_programs() -> Iterator[Row]:
    """Pictures of long programs of other kinds: unrolled loops, a step of MuJoCo MJX."""
    found = [_read("bench.pictures", "unrolled", str(size)) for size in _SIZES]
    yield from _tell_pictures(found, "unrolled loop, ")
    yield _tell_growth(found, "unrolled loop, ")
    step = _read("bench.pictures", "step", "0")
    if "skipped" in step:
        yield Row("pictures of an MJX step", "–", f"skipped: {step['skipped']}", None)
        return
    nodes = f"MJX step, two stages of at least {step['nodes']:,.0f} nodes"
    yield _row(f"first picture, {nodes}", step["first_picture"], 0.3, "s")
    yield _row(f"full layout, {nodes}", step["full_layout"], 1.0, "s")


def _tell_pictures(found: list[dict[str, Any]], kind: str) -> Iterator[Row]:
    """The first picture and the full layout of each size."""
    goals = ((0.1, 0.1), (0.3, 1.0), (1.0, 5.0))
    for reading, (first_s, full_s) in zip(found, goals, strict=True):
        nodes = f"{kind}{reading['nodes']:,.0f} nodes"
        yield _row(f"first picture, {nodes}", reading["first_picture"], first_s, "s")
        yield _row(f"full layout, {nodes}", reading["full_layout"], full_s, "s")


def _tell_growth(found: list[dict[str, Any]], kind: str) -> Row:
    """How seconds grow with nodes, from the smallest to the largest graph."""
    (few, short_s), (many, long_s) = (
        (each["nodes"], each["full_layout"]) for each in (found[0], found[-1])
    )
    scale = math.log(many / few)
    power, allowed = math.log(long_s / short_s) / scale, 1 + math.log(math.log(many, few)) / scale
    what = f"growth of full layout, {kind}{few:,.0f} to {many:,.0f} nodes"
    return Row(what, f"≤ n·log n = n^{allowed:.2f}", f"n^{power:.2f}", power <= allowed)


def measure_opening() -> Iterator[Row]:
    """Dumps of one large module: what stands before the first picture, and what memory it takes."""
    for size, most_s in ((100_000, 0.65), (760_000, 5.0)):
        num_bytes, found = opening.measure(size)
        kind = f"{size:,} instructions, {num_bytes / 1e6:.0f} MB"
        steps = {name: found[name] for name in ("send", "interpret", "view", "layout")}
        told = ", ".join(f"{name} {seconds:.2f}" for name, seconds in steps.items())
        spent = sum(steps.values())
        yield Row(
            f"{kind}: processor time until the first picture",
            "–",
            f"{spent:.2f} s ({told} s)",
            None,
        )
        yield _row(f"{kind}: picture in a window, by a clock", found["window drawn"], most_s, "s")
        yield _row(f"{kind}: all is there, by a clock", found["window complete"], math.nan, "s")
        megabytes = found["window MiB"] * 1.048576
        yield _row(f"{kind}: memory of the window then", megabytes, 1000, "MB")
        for name in ("save", "reopen"):
            yield _row(f"{kind}: {name}", found[name], 2.0, "s")


def measure_stalls() -> Iterator[Row]:
    """How long the window's main thread is away while a window is used."""
    for name in stalls.NAMES:
        most_ms = 100.0 if name == stalls.FAULTS else stalls.WANTED_MS
        _, gaps = stalls.measure(name, _ROOT)
        longest = max(gaps, key=lambda gap: gap.ms, default=stalls.NO_GAP)
        yield Row(
            name,
            f"none above {most_ms:g} ms",
            f"{len(gaps)} above {stalls.WANTED_MS:g} ms, {sum(g.ms for g in gaps) / 1e3:.1f} s "
            f"together; the longest {longest.ms:.0f} ms ({longest.step})",
            longest.ms <= most_ms,
        )


def measure_growth() -> Iterator[Row]:
    """How processor time grows with the program, as powers of n."""
    for each in growth.measure():
        nodes = " to ".join(f"{number:,}" for number in (each.sizes[0], each.sizes[-1]))
        yield Row(
            f"{each.name}, {nodes} nodes",
            f"≤ n·log n = n^{each.allowed:.2f}",
            f"n^{each.exponent:.2f} ({each.seconds[0]:.3g} to {each.seconds[-1]:.3g} s)",
            each.exponent <= each.allowed,
        )


def measure_engines() -> Iterator[Row]:
    """Our layout of single groups against that of Graphviz with its limits."""
    for name, found in engines.read_engines().items():
        own = f"{found.own_s * 1e3:.0f} ms, {found.own_crossings} crossings"
        other = found.why_not
        if not other:
            ratio = found.dot_s / found.own_s
            other = f"{found.dot_s * 1e3:.0f} ms ({ratio:.1f}×), {found.dot_crossings} crossings"
        yield Row(f"layout of {name}, against dot", "–", f"{own}; dot {other}", None)


def measure_fates() -> Iterator[Row]:
    """Every fate of the samples, library calls and `programs.py`, against XLA's own dumps."""
    ways = {"recorded": "with recorded passes", "alone": "from the first and last module alone"}
    for way, counts in fates.measure().items():
        count = counts["proven"] + counts["inferred"] + counts["unknown"]
        shares = ", ".join(
            f"{counts[kind] / max(count, 1):.1%} {kind}"
            for kind in ("proven", "inferred", "unknown")
        )
        yield Row(
            f"fates refuted by XLA's dumps, {ways[way]}, of {count:,}",
            "0",
            f"{counts['refuted']} ({shares})",
            counts["refuted"] == 0,
        )


def measure_expressions() -> Iterator[Row]:
    """Links of generated programs, every expression in a named scope, against XLA's names."""
    total = expressions.Counts()
    for _, counts in expressions.check_all():
        total.add(counts)
    yield Row(
        f"links to another expression than XLA's names say, of {total.pairs:,} in "
        f"{expressions.SEEDS} generated programs",
        "0",
        f"{total.wrong} ({total.missing} without a link)",
        total.wrong == 0,
    )


def measure_identity() -> Iterator[Row]:
    """Equations, instructions and names of library calls against those of JAX alone."""
    found = identity.compare_all()
    compared = [result for result in found if "skipped" not in result]
    same = sum(map(identity.is_same, compared))
    kinds = ("equations", "of_function", "instructions")
    sums = [sum(result.get(kind, 0) for result in compared) for kind in kinds]
    yield Row(
        f"library calls whose program is not JAX's own, of {len(compared)} "
        f"({len(found) - len(compared)} skipped)",
        "0",
        f"{len(compared) - same} ({sums[0]:,} equations, {sums[1]:,} of functions under "
        f"transforms, {sums[2]:,} instructions compared)",
        same == len(compared),
    )


def measure_links() -> Iterator[Row]:
    """Provenance and fates over all calls of the samples."""
    found = links.read_samples()
    share = found.linked / max(found.named, 1)
    yield Row(
        f"instructions named after an equation and linked to it, {found.captures} captures "
        f"({found.failed} calls gave none)",
        "100 %",
        f"{share:.2%} of {found.named:,} ({found.instructions:,} instructions)",
        found.linked == found.named,
    )
    known = found.known_fates / max(found.equations, 1)
    yield Row(
        "equations whose fate is known",
        "≥ 95 %",
        f"{known:.1%} of {found.equations:,}",
        known >= 0.95,
    )


def measure_coverage() -> Iterator[Row]:
    """Intervals of six processes, of real calls: quiet, and under load."""
    for words, load, wanted in (("a machine left alone", 0, 0.95), ("six busy processes", 6, 0.9)):
        with honesty.busy_processors(load):
            found = coverage.measure_coverage(24 if load == 0 else 8)
        is_met = not found["claimed"] or found["held"] >= wanted * found["claimed"]
        yield Row(
            f"intervals of six processes that hold the median of all, {words}",
            f"≥ {wanted:.0%}, or no claim",
            coverage.describe(found),
            is_met,
        )


def measure_honesty() -> Iterator[Row]:
    """The stopwatch against what is known, two busy processes beside."""
    pairs = 200
    found = honesty.measure_all(pairs, load=2)
    same = found["same on both sides"]
    bound = same["false_positive_bound_95"]
    yield Row(
        "the same program on both sides, called different, under load",
        "≤ 5 % (upper bound, 95 %)",
        f"{same['false_positives']:.0f} of {pairs}, so at most {bound:.1%}",
        bound <= 0.05,
    )
    more = [found[f"{percent} % more on one side"] for percent in honesty.MORE_PERCENT]
    shares = " / ".join(f"{each['said_slower']:.0%}" for each in more)
    yield Row(
        "5 % / 20 % / 100 % more work, found by one process, under load",
        "≥ 95 % of each",
        f"{shares} of {more[0]['pairs']:.0f} each",
        all(each["said_slower"] >= 0.95 for each in more),
    )
    real = found["one jitted call on both sides"]
    bound = real["false_positive_bound_95"]
    yield Row(
        "one jitted call on both sides, called different, under load",
        "≤ 5 % (upper bound, 95 %)",
        f"{real['false_positives']:.0f} of {real['pairs']:.0f}, so at most {bound:.1%}",
        bound <= 0.05,
    )
    covered = found["arithmetic of intervals"]["covered"]
    yield Row(
        "arithmetic of the 95 % interval, on random numbers", "≥ 95 %", f"{covered:.1%}",
        covered >= 0.95,
    )  # fmt: skip
    others = found["other stopwatches, µs"]
    yield Row(
        "one spin, and one jitted call, by several stopwatches",
        "–",
        ", ".join(
            f"{name} {value}" if isinstance(value, str) else f"{name} {value:.3g} µs"
            for name, value in others.items()
        ),
        None,
    )


SECTIONS: dict[str, Callable[[], Iterator[Row]]] = {
    "start": measure_start,
    "opening": measure_opening,
    "stalls": measure_stalls,
    "growth": measure_growth,
    "pictures": measure_pictures,
    "programs": measure_programs,
    "engines": measure_engines,
    "links": measure_links,
    "fates": measure_fates,
    "expressions": measure_expressions,
    "identity": measure_identity,
    "overhead": measure_overhead,
    "honesty": measure_honesty,
    "coverage": measure_coverage,
}


def _row(what: str, value: float, goal: float, unit: str) -> Row:
    """A row of one number in a unit, which may be up to `goal`; NaN where there is none."""
    if math.isnan(goal):
        return Row(what, "–", f"{value:.3g} {unit}", None)
    return Row(what, f"≤ {goal:g} {unit}", f"{value:.3g} {unit}", value <= goal)


def _read(module: str, *arguments: str) -> dict[str, Any]:
    """The readings of a fresh process."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(
        command, cwd=_ROOT, capture_output=True, text=True, timeout=900, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{module} {' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def render(rows: list[Row]) -> str:
    """The table as Markdown."""
    lines = ["| what | goal | measured | |", "|---|---|---|---|"]
    marks = {True: "✓", False: "✗", None: ""}
    lines += [f"| {r.what} | {r.goal} | {r.measured} | {marks[r.is_reached]} |" for r in rows]
    return "\n".join(lines)


def replace_table(text: str, name: str, machine: str, table: str) -> str:
    """The text of the results with another table of a section, at the end if it had none."""
    command = f"`python -m bench.run {name}`"
    new = f"{command}, {machine}\n\n{table}\n"
    before, found, after = text.partition(command)
    if not found:
        return f"{text.rstrip()}\n\n## {name.capitalize()}\n\n{new}"
    lines = after.splitlines(keepends=True)
    first = next(at for at, line in enumerate(lines) if line.startswith("|"))
    rest = itertools.dropwhile(lambda line: line.startswith("|"), lines[first:])
    return before + new + "".join(rest)


def describe_machine() -> str:
    """Processor, load, versions: what the numbers depend on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [s for s in info.read_text("utf-8").splitlines() if s.startswith("model name")]
        cpu = models[0].partition(":")[2].strip() if models else cpu
    names = ("jax", "jaxlib", "numpy", "PySide6-Essentials")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    return (
        f"{datetime.date.today()}, {cpu}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
        f"{platform.system()}, Python {platform.python_version()}, {versions}."
    )


def main(sections: list[str]) -> None:
    """Measure the named sections, or all, and write the table of each as soon as it is there."""
    for name in sections or SECTIONS:
        rows, machine = [], describe_machine()
        for row in SECTIONS[name]():
            print(f"{row.what}: {row.measured} (goal {row.goal})", flush=True)
            rows.append(row)
        text = _RESULTS.read_text("utf-8")
        _RESULTS.write_text(replace_table(text, name, machine, render(rows)), "utf-8")


if __name__ == "__main__":
    os.chdir(_ROOT)
    main(sys.argv[1:])
