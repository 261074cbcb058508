"""The values of a call as a document and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from jaxscope.model.values import ArraySummary, EquationValues, NonfiniteOrigin, Values
from jaxscope.report.document import Cell, Number, Section, Table, Verbatim, count_cell
from jaxscope.schema.contract import CONTRACT, Json, environment_to_json

HEADERS = ("equation", "operation", "type", "min", "mean", "max", "NaN", "Inf", "runs", "line")
PROTOCOL = (
    "Each equation was run by itself, as JAX runs it without jit. min, mean and max are of the "
    "finite elements; runs counts the rounds of the loops around an equation, over which its row "
    "is taken. Equations of a branch that was not taken have no row."
)


def values_to_document(found: Values) -> list[Section]:
    """Where NaN and Inf began, and a row for each result of each equation."""
    rows = [row for each in found.equations for row in _rows(each)]
    ends = [
        *_end_rows("argument", found.arguments, found.argument_paths),
        *_end_rows("result", found.results),
    ]
    return [
        Section(f"Values of {found.call}", describe_origins(found)),
        Section(
            "What went in and came out",
            [Table(("name", "type", "value", "min", "mean", "max", "NaN", "Inf"), ends)],
        ),
        Section(
            f"Equations of the stage {found.stage}",
            [Table(HEADERS, rows), PROTOCOL, *found.warnings],
        ),
    ]


def describe_origins(found: Values) -> list[str]:
    """Where NaN and Inf were made first, in sentences."""
    told = [describe_origin(origin) for origin in found.origins]
    if not told:
        which = " that was run" if found.warnings else ""  # they say what was left out
        told = [f"No equation{which} makes NaN or Inf of finite operands."]
        if any(each.num_nan or each.num_inf for each in found.arguments):
            told.append("An argument holds them already.")
    return told


def describe_origin(origin: NonfiniteOrigin) -> str:
    """Where NaN or Inf was made, in sentences."""
    kind = "NaN" if origin.kind == "nan" else "Inf"
    place = f" ({origin.file.rpartition('/')[2]}:{origin.line})" if origin.line else ""
    rounds = "".join(f", iteration {number:,}" for number in origin.iterations)
    return (
        f"First {kind}, in the stage {origin.stage}: equation {origin.equation} "
        f"({origin.operation}){place}{rounds}. {origin.because}"
    )


def _end_rows(
    what: str, summaries: Sequence[ArraySummary], paths: Sequence[str] = ()
) -> Iterator[tuple[Cell, ...]]:
    for number, each in enumerate(summaries):
        name = Verbatim(paths[number]) if number < len(paths) else f"{what} {number}"
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


def values_to_json(found: Values) -> Json:
    """As the contract has it, with what else is known."""
    return {
        "call": found.call,
        "environment": environment_to_json(found.environment),
        "stage": found.stage,
        "arguments": [CONTRACT.write(each) for each in found.arguments],
        "results": [CONTRACT.write(each) for each in found.results],
        "values": {each.id: CONTRACT.write(each) for each in found.equations},
        "first_nonfinite": origin_to_json(found.origins[0]) if found.origins else None,
        "nonfinite": [origin_to_json(each) for each in found.origins],
        "warnings": list(found.warnings),
    }


def origin_to_json(origin: NonfiniteOrigin) -> dict[str, Any]:
    return {
        "equation": origin.equation,
        "stage": origin.stage,
        "operation": origin.operation,
        "kind": origin.kind,
        "file": origin.file or None,
        "line": origin.line or None,
        "iteration": origin.iterations[-1] if origin.iterations else None,
        "iterations": list(origin.iterations),
        "element": list(origin.element),
        "operands": [CONTRACT.write(each) for each in origin.operands],
        "because": origin.because,
    }
