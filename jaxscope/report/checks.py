"""Findings about a call as a document and as JSON."""

from __future__ import annotations

from collections import Counter

from jaxscope.model import Check
from jaxscope.model.capture import Checked
from jaxscope.model.units import format_place
from jaxscope.report.document import Section
from jaxscope.schema.contract import CONTRACT, Json


def checks_to_json(found: Checked) -> Json:
    """Findings with the keys of the contract."""
    return {
        "call": found.call,
        "checks": [CONTRACT.write(check) for check in found.checks],
        "skipped": list(found.skipped),
    }


def checks_to_document(found: Checked) -> list[Section]:
    """How many findings and the worst, then each: what, where, what to try and to read."""
    head = Section(f"Checks of {found.call}", found.skipped)
    return [Section(blocks=[_answer(found)]), head, *(_section(check) for check in found.checks)]


def where_of(check: Check) -> str:
    """`/path/file.py:12`, as much of it as is known."""
    return f"{check.file}:{check.line}" if check.file and check.line else check.file


def _answer(found: Checked) -> str:
    if not found.checks:
        return "Nothing was found."
    counts = Counter(check.severity.value for check in found.checks)
    told = ", ".join(f"{count} {word}{'s' * (count > 1)}" for word, count in counts.items())
    worst = found.checks[0]
    place = format_place(worst.file, worst.line)
    at = f" at {place}" if place else ""
    number = len(found.checks)
    is_one = number == 1
    findings = "1 finding" if is_one else f"{number} findings"
    return f"{findings} ({told}); {'it' if is_one else 'the worst'} is {worst.rule}{at}."


def _section(check: Check) -> Section:
    """Five lines at most, those of a terminal aside."""
    where = where_of(check)
    of = f", equation {check.equation}" if check.equation else ""
    blocks = [
        " ".join(check.message.split()),
        where and f"Where: {where}{of}",
        check.remedy and f"Try: {' '.join(check.remedy.split())}",
        f"Lesson: {check.lesson}" if check.lesson else "",
    ]
    title = f"{check.severity.value}: {check.rule}"
    return Section(title, [block for block in blocks if block])
