"""A place of a run that is stepped through, as a document and as JSON."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from jaxscope.model import NodeKind
from jaxscope.model.said import LISTED, NAMED, say, say_count, say_joined
from jaxscope.model.units import format_bytes, format_count, format_place
from jaxscope.model.values import ArrayView, Step, Stepping, StepValue, write_place
from jaxscope.program.explanations import explain_operation
from jaxscope.report.document import Cell, Section, Table, Verbatim
from jaxscope.report.values import (
    describe_array_difference,
    describe_cause,
    describe_origin,
    difference_to_json,
    number_cells,
    origin_to_json,
)
from jaxscope.schema.contract import CONTRACT, Json, environment_to_json

_SENTENCE_END = re.compile(r"[.;] |\.$")
VALUE_HEADERS = ("value", "type", "min", "mean", "max", "NaN", "Inf", "numbers")


def describe_place(step: Step) -> str:
    """Where a run stands, in a line."""
    if step.is_end:
        return say("The end: the results")
    if not step.equation:
        return say("The start: the arguments")
    told = [
        f"{step.equation} {step.operation}",
        *map(_describe_round, step.iterations, step.rounds),
        format_place(step.file, step.line) if step.line else "",
    ]
    return say_joined(told, LISTED)


def describe_operation(step: Step, num_equations: int, num_inside: int = 0) -> str:
    """Which step of how many a run stands at, and what it computes, such as `step 2 of 5 · mul: …`.

    Args:
        step: At an equation.
        num_equations: At the top level of the program.
        num_inside: How many more are in those, where that is to be said.
    """
    outermost, *inside = step.equation.split("/")
    number = (
        f"step {int(outermost) + 1:,} of {num_equations:,}"
        if outermost.isdigit()
        else step.equation
    )
    number += f" (and {format_count(num_inside, 'equation')} inside of them)" if num_inside else ""
    meaning = _SENTENCE_END.split(explain_operation(step.operation, NodeKind.EQUATION))[0]
    head = f"{'in ' if inside else ''}{number} · {step.operation}: {meaning}"
    return head.removesuffix(": ").replace("`", "")


def _describe_round(iteration: int, count: int) -> str:
    """The condition of a `while` is looked at once more than there are rounds."""
    if iteration == count:
        return say("behind the last of {rounds}", rounds=say_count(count, "round"))
    return say("round {number:,} of {count:,} (from 0)", number=iteration, count=count)


def describe_memory(step: Step) -> str:
    """How much is kept, and what becomes of the rest."""
    if not step.most_bytes:
        return ""
    return say(
        "{kept} of values are kept, at most about {most} besides those in view; what is dropped is "
        "computed again when it is asked for.",
        kept=format_bytes(step.kept_bytes),
        most=format_bytes(step.most_bytes),
    )


def describe_chain(step: Step) -> list[str]:
    """The equations that led to where NaN or Inf was made, in sentences."""
    told = []
    for link in step.chain:
        place = write_place(link.equation, link.iterations)
        line = f", line {link.line}" if link.line else ""
        told.append(f"{place} {link.operation}{line}: {link.text}")
    return told


def value_rows(values: Iterable[StepValue]) -> Iterator[tuple[Cell, ...]]:
    """A row for each value, under `VALUE_HEADERS`."""
    for value in values:
        yield (
            Verbatim(describe_value(value)),
            Verbatim(value.type),
            *number_cells(value.summary),
            Verbatim(value.summary.text),
        )


def describe_value(value: StepValue) -> str:
    """Such as `operand 1 ← 4 mul`, or the path of an argument."""
    if value.kind == "argument":
        return say("{name} (loaded)", name=value.name) if value.loaded else value.name
    if value.kind == "result":
        return value.name
    return say("operand {index} ← {name}", index=value.index, name=value.name)


def step_to_document(stepping: Stepping, step: Step, view: ArrayView | None) -> list[Section]:
    """Where the run stands, its values, and a slice of one."""
    told: list[str | Table] = [text for text in (step.note, step.inside, step.failure) if text]
    if step.origin is not None:
        told.append(describe_origin(step.origin))
    told.append(Table(VALUE_HEADERS, list(value_rows(step.values))))
    sections = [
        Section(blocks=[f"{describe_place(step)}."]),
        Section(f"{stepping.call}, stage {stepping.stage}", told),
    ]
    if step.chain:
        sections.append(Section("What led to it, from there backwards", describe_chain(step)))
    if view is not None and view.summary is not None:
        sections.append(Section(f"Numbers of {view.slice}", [cells_to_table(view), *_notes(view)]))
    sections.append(Section("What to mind", [describe_memory(step), *stepping.warnings]))
    return sections


def cells_to_table(view: ArrayView) -> Table:
    """The numbers of a slice; of a line of numbers those of other forms beside them."""
    forms = [each for each in view.forms if len(each.cells) == len(view.cells)]
    if forms and len(view.shape) < 2:
        start, step = _axes(view)[0]
        columns = [view.cells, *(each.cells for each in forms)]
        table = [
            (str(start + row * step), *map(Verbatim, numbers))
            for row, numbers in enumerate(zip(*columns, strict=True))
        ]
        return Table(("", "eager", *(each.form for each in forms)), table)
    width = max(view.num_columns, 1)
    (row, row_step), (column, column_step) = _axes(view)
    rows = [
        (str(row + start // width * row_step), *map(Verbatim, view.cells[start : start + width]))
        for start in range(0, len(view.cells), width)
    ]
    return Table(("", *(str(column + n * column_step) for n in range(width))), rows)


def _axes(view: ArrayView) -> tuple[tuple[int, int], tuple[int, int]]:
    """Index and step of the rows and of the columns, in the value itself."""
    known = [*zip(view.starts, view.steps, strict=False), (0, 1), (0, 1)]
    return known[0], known[1]


def describe_cut(view: ArrayView) -> str:
    """Which part of a slice the numbers are, where they are not all of it."""
    shape = view.shape or (1,)
    rows, columns = (shape[0], 1) if len(shape) == 1 else shape[:2]
    if view.num_rows >= rows and view.num_columns >= columns:
        return ""
    if len(shape) == 1:
        shown, whole = f"{view.num_rows:,}", f"{rows:,}"
    else:
        shown = f"{view.num_rows:,} × {view.num_columns:,}"
        whole = f"{rows:,} × {columns:,}"
    return say(
        "The first {shown} of {whole}: type a slice to see others.", shown=shown, whole=whole
    )


def describe_difference(view: ArrayView) -> str:
    """How a value differs from the one that is held; empty where none is."""
    found = view.difference
    if not view.against:
        return ""
    if found is None:
        return say(
            "{name} is held: values of its shape and type are compared with it.", name=view.against
        )
    told = describe_array_difference(found)
    return say("Against {name}: {told}.", name=view.against, told=told)


def describe_forms(view: ArrayView) -> str:
    """How a value differs in other forms of the program; empty where none was asked for."""
    told: list[str] = []
    for each in view.forms:
        if each.reason:
            told.append(say(NAMED, name=each.form, meaning=each.reason))
        elif each.difference is None:
            told.append(say("{form}: it cannot be compared.", form=each.form))
        else:
            difference = describe_array_difference(each.difference)
            told.append(say("Eager against {form}: {told}.", form=each.form, told=difference))
            told.append(describe_cause(each))
    return say_joined(told)


def _notes(view: ArrayView) -> list[str]:
    return [text for text in (describe_cut(view), view.note, describe_forms(view)) if text]


def step_to_json(stepping: Stepping, step: Step, view: ArrayView | None) -> Json:
    """A step as JSON."""
    return {
        "call": stepping.call,
        "environment": environment_to_json(stepping.environment),
        "stage": stepping.stage,
        "equation": step.equation or None,
        "is_end": step.is_end,
        "operation": step.operation or None,
        "iterations": list(step.iterations),
        "rounds": list(step.rounds),
        "file": step.file or None,
        "line": step.line or None,
        "note": step.note or None,
        "inside": step.inside or None,
        "failure": step.failure or None,
        "kept_bytes": step.kept_bytes,
        "values": [
            {
                "kind": value.kind,
                "index": value.index,
                "name": value.name,
                "type": value.type,
                "source": value.source or None,
                "loaded": value.loaded or None,
                **CONTRACT.write(value.summary),
            }
            for value in step.values
        ],
        "nonfinite": None if step.origin is None else origin_to_json(step.origin),
        "chain": [dataclasses.asdict(link) for link in step.chain],
        "view": None if view is None else _view_to_json(view),
        "warnings": list(stepping.warnings),
    }


def _view_to_json(view: ArrayView) -> Json:
    width = max(view.num_columns, 1)
    return {
        "slice": view.slice,
        "shape": list(view.shape),
        "cells": [list(view.cells[n : n + width]) for n in range(0, len(view.cells), width)],
        "counts": view.counts.tolist(),
        "edges": view.edges.tolist(),
        "note": view.note or None,
        "forms": [
            {
                "form": each.form,
                "cells": list(each.cells),
                "difference": difference_to_json(each.difference),
                "reason": each.reason or None,
            }
            for each in view.forms
        ],
    }
