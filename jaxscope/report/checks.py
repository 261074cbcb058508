"""Findings about a call as a document and as JSON."""

from __future__ import annotations

from jaxscope.model import Check
from jaxscope.model.capture import Checked
from jaxscope.report.document import Section
from jaxscope.schema.contract import CONTRACT, Json

LESSONS = {
    "impure-global": "samples/pure_and_impure.py",
    "impure-attribute": "samples/counter.py",
    "captured-constant": "samples/pure_and_impure.py",
    "key-reuse": "samples/random_keys.py",
    "branch-on-tracer": "samples/control_flow.py",
    "concrete-value-of-tracer": "samples/control_flow.py",
    "integer-of-tracer": "samples/control_flow.py",
    "dynamic-shape": "samples/dynamic_shapes.py",
    "leaked-tracer": "samples/pure_and_impure.py",
}
"""The program that teaches what a rule is about."""


def checks_to_json(found: Checked) -> Json:
    """As the contract has it."""
    return {
        "call": found.call,
        "checks": [_check_to_json(check) for check in found.checks],
        "skipped": list(found.skipped),
    }


def _check_to_json(check: Check) -> Json:
    return {**CONTRACT.write(check), "lesson": LESSONS.get(check.rule)}


def checks_to_document(found: Checked) -> list[Section]:
    """A section for each finding: what, where, what to try, what to read."""
    nothing = [] if found.checks else ["Nothing was found."]
    first = Section(f"Checks of {found.call}", [*nothing, *found.skipped])
    return [first, *(_section(check) for check in found.checks)]


def _section(check: Check) -> Section:
    where = f"{check.file}:{check.line}" if check.file and check.line else check.file
    lesson = LESSONS.get(check.rule)
    blocks = [
        check.message,
        where and f"Where: {where}",
        check.remedy and f"Try: {check.remedy}",
        f"Lesson: {lesson}" if lesson else "",
    ]
    title = f"{check.severity.value}: {check.rule}"
    return Section(title, [block for block in blocks if block])
