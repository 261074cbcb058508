"""The values of a call as a document and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from jaxscope.model.said import EITHER, LISTED, said, say, say_count, say_joined
from jaxscope.model.units import format_count, format_place, shorten
from jaxscope.model.values import (
    ArrayDifference,
    ArraySummary,
    ComparedValue,
    EquationValues,
    FormComparison,
    NonfiniteOrigin,
    OtherForm,
    Values,
    find_causes,
    is_beyond,
)
from jaxscope.report.document import Cell, Number, Section, Table, Verbatim, count_cell
from jaxscope.schema.contract import CONTRACT, Json, environment_to_json

HEADERS = ("equation", "operation", "type", "min", "mean", "max", "NaN", "Inf", "runs", "line")
PROTOCOL = (
    "Each equation was run by itself, as JAX runs it without jit. min, mean and max are of the "
    "finite elements; runs counts the rounds of the loops around an equation, over which its row "
    "is taken. Equations of a branch that was not taken have no row."
)


_SEARCH = (
    "`jaxscope time FILE CALL --agreement` finds the fewest equations that make the results differ."
)
_OF_FORM = {
    "jit": "jit is the whole program compiled with the value of one equation as a further result, "
    "each in its turn: without it XLA may fuse in another way.",
    "float64": "float64 runs the same equations in double precision, on the same arguments and "
    "constants, and rounds each value to the type that it has here.",
    "again": "again is a second run of the same equations on the same arguments: what differs is "
    "not determined by them, as with a callback that draws or counts, or a kernel that adds in no "
    "fixed order.",
}
OF_FORMS = say_joined(map(said, _OF_FORM.values()))
COMPARED_HEADERS = ("equation", "operation", "type", "differ", "ULPs", "most by", "at", "line")
_MOST_ULPS = 1_000_000
"""More say nothing of rounding."""
_LONGEST_PATH = 60


def values_to_document(found: Values, ulps: int = 0) -> list[Section]:
    """Where NaN and Inf began, and a row for each result of each equation.

    Args:
        found: What was found.
        ulps: In another form differences up to so many are none.
    """
    if found.against is not None:
        return _compared_sections(found, found.against, ulps)
    rows = [row for each in found.equations for row in _rows(each)]
    ends = [
        *_end_rows("argument", found.arguments, found.argument_paths),
        *_end_rows("result", found.results, found.result_paths),
    ]
    return [
        Section(blocks=describe_origins(found)),
        Section(
            f"Values of {found.call}: what went in and came out",
            [Table(("name", "type", "value", "min", "mean", "max", "NaN", "Inf"), ends)],
        ),
        Section(
            f"Equations of the stage {found.stage}",
            [Table(HEADERS, rows), PROTOCOL, *found.warnings],
        ),
    ]


def _compared_sections(found: Values, against: FormComparison, ulps: int) -> list[Section]:
    parting = against.parting(ulps)
    told: list[str | Table] = []
    differing = [each for each in against.results if is_beyond(each.difference, 0)]
    for each in differing:
        if each.difference is not None:
            paths, name = found.result_paths, f"Result {each.number}"
            name = paths[each.number] if each.number < len(paths) else name
            told.append(f"{name}: {describe_array_difference(each.difference)}.")
    if against.results and not differing:
        told.append(f"The results of the program are equal, eager and {against.form}.")
    if parting:
        told.append(Table(COMPARED_HEADERS, [_compared_row(each) for each in parting]))
    told.append(_OF_FORM[against.form])
    if against.form == "jit" and differing:
        told.append(_SEARCH)
    if against.in_own_type:
        names = ", ".join(against.in_own_type)
        told.append(f"In their own types, since they have no other: {names}.")
    return [
        Section(blocks=[describe_parting(against, ulps)]),
        Section(f"Values of {found.call}: eager against {against.form}", told),
    ]


def describe_parting(against: FormComparison, ulps: int = 0) -> str:
    """The first equation that differs by more than so many ULPs, in a sentence."""
    parting = against.parting(ulps)
    by = f" by more than {format_count(ulps, 'ULP')}" if ulps else ""
    kept = _after(against.reason)
    if not parting:
        count = len({each.id for each in against.equations})
        return f"None of {format_count(count, 'equation')} differs{by}.{kept}"
    first = parting[0]
    place = f" ({format_place(first.file, first.line)})" if first.line else ""
    told = describe_array_difference(first.difference) if first.difference is not None else ""
    return (
        f"The first that differs{by} is equation {first.id} ({first.operation}){place}: {told}."
        f"{_after(describe_cause(against))}{kept}"
    )


def describe_cause(compared: FormComparison | OtherForm) -> str:
    """Which part of the compiler makes a difference; empty if that was not looked for."""
    if not compared.trials and not compared.trials_reason:
        return ""
    causes = find_causes(compared.trials)
    if causes:
        return say("Without {causes} it does not differ.", causes=say_joined(causes, EITHER))
    tried = say_count(len(compared.trials), "trial")
    told = say("Which part of the compiler makes it so was not found in {tried}.", tried=tried)
    return say_joined((told, compared.trials_reason))


def _after(text: str) -> str:
    """A sentence behind another one."""
    return f" {text}" if text else ""


def describe_array_difference(found: ArrayDifference) -> str:
    """How two arrays differ, in a clause."""
    if not found.num_different:
        elements = say_count(found.num_elements, "element")
        return say("no difference in {elements}", elements=elements)
    elements = say_count(found.num_elements, "element")
    told = [say("{num:,} of {elements} differ", num=found.num_different, elements=elements)]
    if found.num_elements == 1:
        told = [say("the only element differs")]
    place = str(list(found.place))
    if not math.isnan(found.max_abs):
        at = say(" at {place}", place=place) if found.place else ""
        told.append(say("at most by {amount}{at}", amount=f"{found.max_abs:.4g}", at=at))
        if 0 <= found.max_ulps <= _MOST_ULPS:  # it may be of another element
            ulps = say_count(found.max_ulps, "ULP")
            told.append(say("at most by {amount}{at}", amount=ulps, at=""))
    elif found.place:
        told.append(say("first at {place}", place=place))
    if found.num_odd:
        told.append(say("{num:,} by NaN or Inf", num=found.num_odd))
    return say_joined(told, LISTED)


def _compared_row(each: ComparedValue) -> tuple[Cell, ...]:
    found = each.difference
    line = str(each.line) if each.line else ""
    if found is None:
        return (Verbatim(each.id), Verbatim(each.operation), Verbatim(each.type), *[""] * 4, line)
    has_ulps, has_gap = found.max_ulps >= 0, not math.isnan(found.max_abs)
    return (
        Verbatim(each.id),
        Verbatim(each.operation),
        Verbatim(each.type),
        count_cell(found.num_different),
        count_cell(found.max_ulps) if has_ulps else "",
        Number(found.max_abs, f"{found.max_abs:.4g}") if has_gap else "NaN or Inf",
        Verbatim(str(list(found.place))),
        line,
    )


def describe_origins(found: Values) -> list[str]:
    """Where NaN and Inf were made first, in sentences."""
    hidden = {(each.stage, each.kind) for each in found.origins if each.is_hidden}
    told = [
        describe_origin(each, is_first=each.is_hidden or (each.stage, each.kind) not in hidden)
        for each in found.origins
    ]
    of_stage = [origin for origin in found.origins if origin.stage == found.stage]
    is_finite = not any(each.num_nan or each.num_inf for each in found.results)
    if of_stage and found.results and is_finite:
        told.append(say("The results are finite."))
    elif of_stage and all(origin.is_hidden for origin in of_stage):
        told.append(say("What is not finite in the results was so in an argument or a constant."))
    if not told:
        if found.warnings:  # they say what was left out
            told = [say("No equation that was run makes NaN or Inf of finite operands.")]
        else:
            told = [say("No equation makes NaN or Inf of finite operands.")]
        if any(each.num_nan or each.num_inf for each in found.arguments):
            told.append(say("An argument holds them already."))
        if found.given:
            told.append(found.given)
    return told


def describe_origin(origin: NonfiniteOrigin, *, is_first: bool = True) -> str:
    """Which equation made NaN or Inf first, in sentences.

    Args:
        is_first: Of all; else of those that may come into a result.
    """
    kind = "NaN" if origin.kind == "nan" else "Inf"
    place = f" ({format_place(origin.file, origin.line)})" if origin.line else ""
    where: str = f"{origin.equation} ({origin.operation}){place}"
    for number in origin.iterations:
        where = say("{where}, round {number:,} (from 0)", where=where, number=number)
    first = say("First {kind}", kind=kind)
    if not is_first:
        first = say("First {kind} that may come into a result", kind=kind)
    told = say(
        "{first}, in the stage {stage}: equation {where}.",
        first=first,
        stage=origin.stage,
        where=where,
    )
    aside = say("It is hidden: no NaN or Inf of a result is computed from it.")
    return say_joined((told, origin.because, aside if origin.is_hidden else ""))


def _end_rows(
    what: str, summaries: Sequence[ArraySummary], paths: Sequence[str] = ()
) -> Iterator[tuple[Cell, ...]]:
    for number, each in enumerate(summaries):
        # A key of a dictionary may be any object, such as an effect of checkify.
        path = Verbatim(shorten(paths[number], _LONGEST_PATH)) if number < len(paths) else ""
        name = path or f"{what} {number}"
        type_ = f"{each.dtype}[{', '.join(map(str, each.shape))}]"
        yield (name, Verbatim(type_), Verbatim(each.text), *number_cells(each))


def _rows(each: EquationValues) -> Iterator[tuple[Cell, ...]]:
    line = str(each.line) if each.line else ""
    for type_, output in zip(each.types, each.outputs, strict=False):
        yield (
            Verbatim(each.id),
            Verbatim(each.operation),
            Verbatim(type_),
            *number_cells(output),
            count_cell(each.num_runs),
            line,
        )


def number_cells(each: ArraySummary) -> tuple[Cell, ...]:
    numbers = (each.min, each.mean, each.max)
    written = ("" if math.isnan(number) else f"{number:.6g}" for number in numbers)
    return (
        *(Number(number, text) for number, text in zip(numbers, written, strict=True)),
        count_cell(each.num_nan),
        count_cell(each.num_inf),
    )


def values_to_json(found: Values, ulps: int = 0) -> Json:
    """As the contract has it, with what else is known."""
    against = found.against
    return {
        "call": found.call,
        "environment": environment_to_json(found.environment),
        "stage": found.stage,
        "arguments": [CONTRACT.write(each) for each in found.arguments],
        "results": [CONTRACT.write(each) for each in found.results],
        "values": {each.id: CONTRACT.write(each) for each in found.equations},
        "first_nonfinite": origin_to_json(found.origins[0]) if found.origins else None,
        "nonfinite": [origin_to_json(each) for each in found.origins],
        "constant_inf": found.given or None,
        "warnings": list(found.warnings),
        "against": None if against is None else _comparison_to_json(against, ulps),
    }


def _comparison_to_json(against: FormComparison, ulps: int) -> Json:
    parting = against.parting(ulps)
    return {
        "form": against.form,
        "ulps": ulps,
        "first": parting[0].id if parting else None,
        "equations": [
            {
                "equation": each.id,
                "operation": each.operation,
                "type": each.type,
                "result": each.number,
                "file": each.file or None,
                "line": each.line or None,
                "difference": difference_to_json(each.difference),
            }
            for each in against.equations
        ],
        "results": [difference_to_json(each.difference) for each in against.results],
        "in_own_type": list(against.in_own_type),
        "reason": against.reason or None,
        "causes": list(find_causes(against.trials)),
        "trials": [CONTRACT.write(trial) for trial in against.trials],
        "trials_reason": against.trials_reason or None,
    }


def difference_to_json(found: ArrayDifference | None) -> Json | None:
    """How two arrays differ; None where they could not be compared."""
    if found is None:
        return None
    return {
        "elements": found.num_elements,
        "different": found.num_different,
        "nonfinite": found.num_odd,
        "max_abs": None if math.isnan(found.max_abs) else found.max_abs,
        "max_ulps": found.max_ulps if found.max_ulps >= 0 else None,
        "at": list(found.place),
    }


def origin_to_json(origin: NonfiniteOrigin) -> dict[str, Any]:
    last = origin.iterations[-1] if origin.iterations else None
    return {**CONTRACT.write(origin), "iteration": last}
