"""What tracing changed outside of the function, and the arrays that it captured."""

from __future__ import annotations

from collections.abc import Iterator

from jaxscope.worker.checks.finding import Finding
from jaxscope.worker.checks.purity import find_captured
from jaxscope.worker.checks.subject import Subject


def find_impurity(subject: Subject) -> Iterator[Finding]:
    """Globals, closures and attributes that changed, effects, and captured arrays."""
    if subject.watch is not None:
        yield from subject.watch.find_changes()
    if subject.effects is not None:
        yield from subject.effects.find_effects()
    yield from find_captured(subject.program.base.jaxpr, subject.call.base)
