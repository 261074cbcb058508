"""What timing and experiments found, in sentences and table cells: the same for window and
terminal, including where eager and jitted results part.
"""

from __future__ import annotations

import dataclasses
import math
import os
import textwrap
from collections.abc import Sequence

from jaxscope.model.capture import Environment
from jaxscope.model.experiments import (
    EquationAgreement,
    LeafAgreement,
    NumericDivergence,
    ProgramComparison,
    Signature,
)
from jaxscope.model.said import (
    BOTH,
    EITHER,
    LINES,
    LISTED,
    NAMED,
    Said,
    said,
    say,
    say_clause,
    say_count,
    say_joined,
)
from jaxscope.model.statistics import LEAST_PROCESSES, find_disturbances
from jaxscope.model.timing import Crossover, Measurement, Noise, Ratio, ScalePoint, Scaling, Slope
from jaxscope.model.unavailable import Unavailable
from jaxscope.model.units import (
    format_bytes,
    format_flops,
    format_seconds,
    format_share,
    three_digits,
    upper_first,
)
from jaxscope.model.values import PassTrial
from jaxscope.program.scaling import calls_to_break_even, name_quantity
from jaxscope.report.document import (
    Cell,
    Number,
    Table,
    count_cell,
    known_cell,
    make_table,
    number_cell,
)

# What the timing lab finds, in words: the same sentences and cells for window and terminal.


LEAF_HEADERS = (
    "result", "type", "differing", "worst in ULP", "absolute", "relative", "worst at", "values",
)  # fmt: skip
SIGNATURE_HEADERS = ("", "function", "trace", "lower", "compile", "calls", "arguments")
_MANY_ULPS = 1e6


def describe_ratios(ratios: Sequence[Ratio]) -> str:
    """One sentence per comparison, with its interval, never a bare factor."""
    return "\n".join(map(describe_ratio, ratios))


def describe_ratio(ratio: Ratio) -> Said:
    """Such as `jit is 12 times faster than eager (11.0 to 13.0) · eager traces … anew`."""
    told = _describe_order_of(ratio)
    return say("{told} · {remark}", told=told, remark=ratio.remark) if ratio.remark else told


def _describe_order_of(ratio: Ratio) -> Said:
    """Such as `gradient: jit is 12 times faster than eager (11.0 to 13.0)`."""
    first, _, second = ratio.name.replace("_", " ").partition("/")
    program, _, last = first.rpartition(" ")
    if program and second.startswith(f"{program} "):
        plain = f"{last}/{second.removeprefix(program).lstrip()}"
        told = _describe_order_of(dataclasses.replace(ratio, name=plain))
        return say(NAMED, name=program, meaning=say_clause(told))
    named = (said(each) if each in ("first", "second") else each for each in (first, second))
    names: dict[str, str] = dict(zip(("first", "second"), named, strict=True))
    if math.isnan(ratio.median):
        return say("Unclear which of {first} and {second} is faster", **names)
    factor = "" if ratio.is_wide else ratio.describe_median()
    pairs = ratio.describe_agreement()
    tells_pairs = pairs and ratio.verdict in ("faster", "slower")
    is_paired = factor and not tells_pairs
    interval = ratio.describe_paired() if is_paired else ratio.describe_range()
    names |= {"interval": interval, "pairs": pairs, "factor": factor}
    if ratio.verdict == "faster":
        if not factor:
            return say(_FASTER_WIDELY, **names)
        if pairs:
            return say(_FASTER_IN_PAIRS, **names)
        return say("{second} is {factor} times faster than {first} ({interval})", **names)
    if ratio.verdict == "slower":
        if not factor:
            return say(_SLOWER_WIDELY, **names)
        if pairs:
            return say(_SLOWER_IN_PAIRS, **names)
        return say("{second} is slower than {first}: {factor} of its speed ({interval})", **names)
    if ratio.verdict == "same":
        return say(
            "{second} and {first} take the same time: the median ratio is within 2 % of 1 "
            "({interval})",
            **names,
        )
    if not ratio.is_judged:
        return say("No verdict on {first} and {second}: {why}", **names, why=ratio.why_not)
    why = _why_undecided(ratio)
    return say("Not decided which of {first} and {second} is faster: {why}", **names, why=why)


PAIRED = say(
    "A paired factor is the middle of those of calls that were measured side by side: the times "
    "beside it need not divide to it."
)
_FASTER_WIDELY = "{second} is faster than {first}{pairs}, by how much differs widely ({interval})"
_SLOWER_WIDELY = "{second} is slower than {first}{pairs}, by how much differs widely ({interval})"
_FASTER_IN_PAIRS = (
    "{second} is faster than {first}{pairs}: {factor} times in the middle ({interval})"
)
_SLOWER_IN_PAIRS = (
    "{second} is slower than {first}{pairs}: {factor} of its speed in the middle ({interval})"
)


def _why_undecided(ratio: Ratio) -> Said:
    """What a ratio without a verdict lacks."""
    interval = ratio.describe_range()
    if _has_too_few_pairs(ratio):
        told = _tell_pairs(ratio)
    elif ratio.is_wide:
        told = say("the pairs differ widely")
    else:
        told = say("ratio {factor}", factor=ratio.describe_median())
        interval = ratio.describe_paired()
    return say("{told} ({interval})", told=told, interval=interval)


def _tell_pairs(ratio: Ratio) -> Said:
    return say(
        "{pairs} of the {least} pairs that a verdict takes",
        pairs=ratio.pairs,
        least=LEAST_PROCESSES,
    )


def _has_too_few_pairs(ratio: Ratio) -> bool:
    """Whether it was measured in fewer pairs than a verdict takes."""
    return 0 < ratio.pairs < LEAST_PROCESSES


def summarize_ratio(ratio: Ratio) -> str:
    """What `describe_ratio` says of eager and jit, in a few words that may stand alone.

    Such as `jit 28.0 to 31.0 times faster` by the interval, or where none was earned
    `jit 30 times faster (observed 28.0 to 31.0)`; `jit faster in 41 of 42 pairs` where one pair
    had the other order.
    """
    factor: str = say("{low} to {high}", low=three_digits(ratio.low), high=three_digits(ratio.high))
    observed = ""
    if not ratio.confidence > 0:
        factor = ratio.describe_median()
        observed = say(" ({interval})", interval=ratio.describe_range())
    if ratio.verdict == "same":
        return say("jit takes the same time")
    is_faster = ratio.verdict == "faster"
    if ratio.verdict in ("faster", "slower"):
        if pairs := ratio.describe_agreement():
            told = say("jit faster{pairs}", pairs=pairs)
            return told if is_faster else say("jit slower{pairs}", pairs=pairs)
        if ratio.is_wide:
            told = say("jit faster, by how much differs widely")
            told = told if is_faster else say("jit slower, by how much differs widely")
        elif is_faster:
            told = say("jit {factor} times faster", factor=factor)
        else:
            told = say("jit {factor} of eager's speed", factor=factor)
        return say("{told}{observed}", told=told, observed=observed)
    if _has_too_few_pairs(ratio):
        return _tell_pairs(ratio)
    if ratio.is_wide:
        return say("not decided if jit is faster: times differ widely")
    return say("not decided if jit is faster ({interval})", interval=ratio.describe_range())


def describe_spread(measurement: Measurement) -> Said:
    """The same of a duration; `one run` where nothing can be said."""
    if measurement.runs < 2:
        return say("one run")
    low, high = format_seconds(measurement.low), format_seconds(measurement.high)
    ends = say("{low} to {high}", low=low, high=high)
    if measurement.confidence > 0:
        confidence = f"{measurement.confidence:.0%}"
        return say("{told} ({interval})", told=ends, interval=confidence)
    return say("observed {seen}", seen=ends)


def describe_noise(environment: Environment | None) -> str:
    """One line that says what disturbed all that was measured; empty if nothing is known to have.

    It stands on top of every result, and in every file that is made of one.
    """
    told = () if environment is None else find_disturbances(environment)
    return say("Noisy: {told}", told=say_joined(map(Noise.sentence, told))) if told else ""


def describe_place(environment: Environment) -> str:
    """Where and when something was measured: device, host, versions, time."""
    device = environment.device or environment.platform
    parts: list[str] = [device]
    if environment.host:
        parts = [say("{device} of {host}", device=device, host=environment.host)]
    parts += [f"JAX {environment.jax}", f"Python {environment.python}", environment.recorded_at]
    if environment.load is not None and environment.processors:
        load, processors = environment.load, environment.processors
        parts.append(say("load {load:.1f} on {num} processors", load=load, num=processors))
    if environment.processor_share is not None:
        share = format_share(environment.processor_share)
        parts.append(say("of one of which it had {share}", share=share))
    return say("Measured on {parts}.", parts=say_joined(parts, LISTED))


def describe_slope(slope: Slope, forms: tuple[str, str] = ("eager", "jit")) -> Said:
    """One sentence: the power that a quantity grows with, and how sure that is."""
    return say(
        "{name} grows like size^{power:.2f} ({low:.2f} to {high:.2f} between pairs of sizes; "
        "from {first:,} on, {sizes})",
        name=name_quantity(slope.quantity, forms),
        power=slope.slope,
        low=slope.low,
        high=slope.high,
        first=slope.first_size,
        sizes=say("{num} sizes", num=slope.num_points),
    )


FORM_WORDS = {
    "loop": "loop: Python calls the jitted function once for each element, and waits for all at "
    "the end. vmap: one call of the jitted vmap of it.",
    "unrolled": "unrolled: the layer written out so many times in one jitted function. scan: one "
    "jax.lax.scan over it.",
}
"""What the two forms of a preset are, by the first."""


def describe_crossovers(scaling: Scaling) -> str:
    """Where the two forms change places, or that they do not."""
    first, second = scaling.forms
    if scaling.crossovers:
        return say_joined(map(_describe_crossover, scaling.crossovers), LINES)
    verdicts = [point.ratio.verdict for point in scaling.points if point.ratio is not None]
    if not verdicts:
        return say("Only one form was measured, so there is nothing to cross.")
    clear = {verdict for verdict in verdicts if verdict != "unclear"}
    if clear == {"faster"}:
        return _describe_order(second, first, verdicts)
    if clear == {"slower"}:
        return _describe_order(first, second, verdicts)
    return say(
        "{first} and {second} do not clearly change places within these sizes.",
        first=upper_first(first),
        second=second,
    )


def _describe_order(faster: str, slower: str, verdicts: Sequence[str]) -> Said:
    """Which is faster, and at how many sizes that is known."""
    num_clear, num_sizes = sum(verdict != "unclear" for verdict in verdicts), len(verdicts)
    names = {"faster": faster, "slower": slower}
    counts = {"num_clear": num_clear, "num_sizes": num_sizes}
    if num_clear == num_sizes:
        return say(
            "{faster} is faster than {slower} at {sizes}; no crossover.",
            **names,
            sizes=_sizes(num_sizes),
        )
    if num_clear > num_sizes / 2:
        return say(
            "{faster} is faster than {slower} at {num_clear} of {num_sizes} sizes; at the others "
            "the order is unclear.",
            **names,
            **counts,
        )
    return say(
        "The order is unclear at {num_unclear} of {num_sizes} sizes; {faster} is faster than "
        "{slower} at {num_clear}.",
        num_unclear=num_sizes - num_clear,
        **names,
        **counts,
    )


def _sizes(count: int) -> Said:
    return say("the only size") if count == 1 else say("all {count} sizes", count=count)


def _describe_crossover(crossover: Crossover) -> Said:
    return say(
        "{before} is faster up to {low:,}, {after} from {high:,} on; the curves cross near "
        "{size:,.0f}.",
        before=crossover.before,
        after=crossover.after,
        low=crossover.low,
        high=crossover.high,
        size=crossover.size,
    )


def scaling_table(scaling: Scaling) -> Table:
    """A row for each size; cells are empty for what is unknown."""
    first, second = scaling.forms
    other = "pays off after" if is_usual(scaling) else name_quantity("first_compile", scaling.forms)
    headers = (
        "size",
        first,
        second,
        f"{first}/{second}",
        name_quantity("compile_time", scaling.forms),
        other,
        "work",
        "read, written",
        "memory",
    )
    return make_table(headers, scaling.points, lambda point: scaling_row(point, scaling))


def is_usual(scaling: Scaling) -> bool:
    """Whether the two forms are eager and jit."""
    return scaling.forms == ("eager", "jit")


def scaling_row(point: ScalePoint, scaling: Scaling) -> tuple[Cell, ...]:
    """The cells of one size."""
    ratio = point.ratio
    return (
        count_cell(point.size),
        _measured(point.eager),
        _measured(point.jit),
        "" if ratio is None else _verdict_and_range(ratio),
        known_cell(point.compile_time, format_seconds),
        _break_even(point)
        if is_usual(scaling)
        else known_cell(point.first_compile, format_seconds),
        known_cell(point.flops, format_flops),
        known_cell(point.bytes_accessed, format_bytes),
        known_cell(point.memory, format_bytes),
    )


def _verdict_and_range(ratio: Ratio) -> str:
    pairs = ratio.describe_agreement() if ratio.verdict in ("faster", "slower") else ""
    return say(
        "{verdict}{pairs}, {interval}",
        verdict=said(ratio.verdict),
        pairs=pairs,
        interval=ratio.describe_range(),
    )


def _break_even(point: ScalePoint) -> Number:
    calls = calls_to_break_even(point)
    if point.ratio is not None and point.ratio.verdict == "unclear":
        return Number(calls, say("unclear"))
    if math.isfinite(calls):
        return Number(calls, say("{calls:,.0f} calls", calls=calls))
    return Number(calls, say("never") if math.isinf(calls) else "")


def _measured(measurement: Measurement | None) -> Number:
    if measurement is None:
        return Number(math.nan, "")
    text: str = format_seconds(measurement.median)
    if measurement.is_noisy:
        text = say("noisy {told}", told=text)
    if measurement.runs > 1:
        low, high = format_seconds(measurement.low), format_seconds(measurement.high)
        ends = say("{low} to {high}", low=low, high=high)
        text = say("{told} ({interval})", told=text, interval=ends)
    return Number(measurement.median, text)


def describe_ulps(leaf: LeafAgreement) -> str:
    """The largest difference; near zero a number of ULPs says nothing any more."""
    if math.isnan(leaf.max_ulp):
        return say("no floats")
    if leaf.max_ulp > _MANY_ULPS:
        return say("over a million")
    return three_digits(leaf.max_ulp) if leaf.max_ulp % 1 else f"{leaf.max_ulp:,.0f}"


def leaf_row(leaf: LeafAgreement) -> tuple[Cell, ...]:
    """The cells of one array, as `LEAF_HEADERS` has them."""
    share = leaf.differing / max(leaf.count, 1)
    differing: str = f"{leaf.differing:,} ({format_share(share)})"
    if leaf.num_nan:
        differing = say(
            "{differing}, {num:,} NaN or infinite one way only",
            differing=differing,
            num=leaf.num_nan,
        )
    return (
        leaf.path,
        leaf.type,
        Number(leaf.differing, differing),
        Number(leaf.max_ulp, describe_ulps(leaf)),
        number_cell(leaf.max_absolute, "{:.3g}".format),
        number_cell(leaf.max_relative, "{:.3g}".format),
        leaf.index,
        say(BOTH, first=leaf.first, then=leaf.second) if leaf.first or leaf.second else "",
    )


EQUATION_HEADERS = ("equation", "operation", "line", "worst in ULP", "")


def equation_row(equation: EquationAgreement) -> tuple[Cell, ...]:
    """The cells of an equation whose results differ, as `EQUATION_HEADERS` has them."""
    return (
        equation.id,
        equation.operation,
        os.path.basename(equation.place),
        Number(equation.worst.max_ulp, describe_ulps(equation.worst)),
        say("arises here") if equation.inputs_equal else say("from its operands"),
    )


def describe_processes(found: ProgramComparison) -> str:
    """One sentence: where the two were measured, and what that is worth."""
    number = found.num_processes
    if found.is_across_processes:
        pairs = say("{number} pairs", number=number) if number != 1 else say("one pair")
        return say(
            "Measured across processes: {pairs} of fresh processes that took turns in random "
            "order; each pair counts as one value.",
            pairs=pairs,
        )
    if number > 1:
        return say(
            "Measured in {number} fresh processes, each of which counts as one value.",
            number=number,
        )
    return say("Measured in one process, in random pairs; another process may show another ratio.")


def cost_lines(found: ProgramComparison) -> tuple[str, ...]:
    """What the two programs take besides time, a line each; empty where nothing is known."""
    lines = []
    for name, write in (
        ("flops", format_flops), ("bytes_accessed", format_bytes), ("memory", format_bytes)
    ):  # fmt: skip
        pair = [getattr(cost, name) for cost in (found.first_cost, found.second_cost)]
        if not all(map(math.isnan, pair)):
            both = say(BOTH, first=write(pair[0]), then=write(pair[1]))
            lines.append(say(NAMED, name=name_quantity(name), meaning=both))
    told = [found.first_cost.counting, found.second_cost.counting]
    if told[0] == told[1]:
        return (*lines, *filter(None, told[:1]))
    named = zip((say("first"), say("second")), told, strict=True)
    return (*lines, *(say(NAMED, name=name, meaning=each) for name, each in named if each))


def describe_sizes(scaling: Scaling) -> tuple[str, ...]:
    """What is missing at which sizes, and how work was counted: each once, with the sizes."""
    found: dict[str, list[str]] = {}
    for point in scaling.points:
        for told in filter(None, (point.reason, point.counting)):
            found.setdefault(told, []).append(f"{point.size:,}")
    num_sizes = len(scaling.points)
    return tuple(
        say("At every size: {told}", told=told)
        if len(sizes) == num_sizes > 1
        else say("At {sizes}: {told}", sizes=", ".join(sizes), told=told)
        for told, sizes in found.items()
    )


def signature_row(signature: Signature) -> tuple[Cell, ...]:
    """The cells of one signature, as `SIGNATURE_HEADERS` has them."""
    place = os.path.basename(signature.place)
    compiling: str = format_seconds(signature.compile)
    if signature.is_from_cache:
        compiling = say("{seconds} (cached)", seconds=compiling)
    return (
        count_cell(signature.number + 1),
        f"{signature.function} {place}",
        number_cell(signature.trace, format_seconds),
        number_cell(signature.lower, format_seconds),
        Number(signature.compile, compiling),
        count_cell(signature.num_calls),
        textwrap.shorten(", ".join(signature.arguments), 70, placeholder=" …"),
    )


TRIAL_HEADERS = ("switched off", "the equations then", "the whole program then", "")
_OUTCOMES = {
    "equal": "agree with eager",
    "both": "agree, if eager runs without it, too",
    "unchanged": "differ as before",
    "changed": "differ in another way",
    "failed": "do not compile",
    "": "",
}
_MOST_NAMED = 6


def describe_origin(origin: NumericDivergence | Unavailable) -> tuple[str, ...]:
    """A few sentences: where, by what, and how that was found out."""
    if isinstance(origin, Unavailable):
        return (say("Where eager and jit part: {why}", why=say_clause(origin.reason)),)
    return (_describe_place(origin), *_describe_fusions(origin), _describe_cause(origin))


def trial_row(trial: PassTrial) -> tuple[str, ...]:
    """The cells of one trial, as `TRIAL_HEADERS` has them."""
    outcomes = (said(_OUTCOMES[each]) for each in (trial.outcome, trial.whole))
    return (trial.what, *outcomes, trial.reason)


def _describe_place(origin: NumericDivergence) -> str:
    named = [
        f"{operation} ({id})"
        for id, operation in zip(origin.equations, origin.operations, strict=True)
    ]
    *others, last = named
    where = f"{last}, {os.path.basename(origin.place)}" if origin.place else last
    if not others:
        return say(
            "It arises in {where}: compiled by itself, from equal operands, this equation gives "
            "other bits than eagerly.",
            where=where,
        )
    shown = others if len(others) <= _MOST_NAMED else [*others[:_MOST_NAMED], "…"]
    told = say(
        "It arises in {where}, compiled together with {others}: what these compute from is equal, "
        "their result is not.",
        where=where,
        others=", ".join(shown),
    )
    least = say("Without any one of them it gives the eager bits.") if origin.is_least else ""
    return say_joined((told, least))


def _describe_fusions(origin: NumericDivergence) -> tuple[str, ...]:
    if not origin.fusions:
        return ()
    fusions = ", ".join(origin.fusions)
    return (say("In the optimized program they are fused in {fusions}.", fusions=fusions),)


def _describe_cause(origin: NumericDivergence) -> str:
    causes = origin.causes
    if not causes:
        tried = say_count(len(origin.trials), "trial")
        why = origin.reason or say("None of {tried} restored the eager bits.", tried=tried)
        return say_joined((say("What makes the difference is unknown."), why))
    alone = [trial for trial in causes if trial.outcome == "equal"]
    if not alone:
        return say(
            "Without {names} on both sides they give the same bits, other than the eager ones.",
            names=say_joined((trial.what for trial in causes), EITHER),
        )
    names = say_joined((trial.what for trial in alone), EITHER)
    whole = [trial.what for trial in alone if trial.whole == "equal"]
    rest = (
        say("So does the whole program.")
        if len(whole) == len(alone)
        else say("So does the whole program without {names}.", names=say_joined(whole, EITHER))
        if whole
        else say("The whole program still differs: it has further differences.")
    )
    return say_joined((say("Without {names} they give the eager bits.", names=names), rest))
