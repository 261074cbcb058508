"""The course: each fact of each lesson, by captures and values of a real worker.

A fact is `WHAT = VALUE`. What can be asked is in `_ANSWERS`; of a call that cannot be traced the
fact is `error`, which the message holds.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import jax
import pytest

from jaxscope.client.one_shot import ask
from jaxscope.client.requests import TraceLinesRequest, ValuesRequest
from jaxscope.errors import JaxscopeError
from jaxscope.model import Capture, is_available
from jaxscope.model.lessons import LESSON_ENDING, Shown, in_language, language_of, read_text_lesson
from jaxscope.model.tracing import Tracing
from jaxscope.model.values import Values
from jaxscope.picture.view.build import build_view

from .calling import SAMPLES
from .captured import CaptureOf, graph, operations

ALL = sorted((SAMPLES / "lessons").glob(f"*{LESSON_ENDING}"))
LESSONS = [path for path in ALL if not language_of(path)]
FACTS = [
    pytest.param(shown, fact, id=f"{path.stem}-{part.line}-{number}")
    for path in LESSONS
    for part in read_text_lesson(path).parts
    for shown in dict.fromkeys((part.shown, part.revealed))
    for number, fact in enumerate(shown.facts)
]


def _stage_names(found: Capture) -> str:
    return " ".join(stage.name for stage in found.stages if is_available(stage.graph))


def _checks(found: Capture) -> str:
    return " ".join(each.rule for each in found.checks) or "none"


def _count(found: Capture, operation: str, stage: str) -> str:
    return str(Counter(operations(found, stage))[operation])


def _fate(found: Capture, equation: str) -> str:
    return found.fates[equation].fate


def _boxes(found: Capture, stage: str) -> str:
    """Those that are no groups."""
    view = build_view(graph(found, stage))
    return str(sum(not box.children for box in view.boxes))


def _default_precision(kind: str) -> str:
    """What JAX documents: of a product of float32 arrays, if the chip has it."""
    told = " ".join((jax.lax.Precision.__doc__ or "").split())
    default = told[told.index("DEFAULT:") : told.index("HIGH:")]
    (found,) = re.findall(rf"On {kind}: (?:performs float32 computations in|uses) (\w+)", default)
    return str(found)


_ANSWERS: dict[str, Callable[..., str]] = {
    r"equations of (\S+)": lambda found, stage: str(len(operations(found, stage))),
    r"boxes of (\S+)": _boxes,
    r"operations of (\S+)": lambda found, stage: " ".join(operations(found, stage)),
    r"count of (\S+) in (\S+)": _count,
    r"type of argument (\d+)": lambda found, n: found.arguments[int(n)].type,
    r"type of result (\d+)": lambda found, n: found.results[int(n)].type,
    r"number of arguments": lambda found: str(len(found.arguments)),
    r"number of results": lambda found: str(len(found.results)),
    r"fate of (\S+)": _fate,
    r"stages": _stage_names,
    r"checks": _checks,
    r"default precision on (TPU|GPU)": lambda _, kind: _default_precision(kind),
}


@pytest.fixture(scope="module")
def values() -> Callable[[Shown], Values]:
    known: dict[tuple[str, str], Values] = {}

    def find(shown: Shown) -> Values:
        key = shown.file, shown.call
        if key not in known:
            known[key] = ask(ValuesRequest(*key), Values)
        return known[key]

    return find


def _traced(shown: Shown) -> TraceLinesRequest:
    return TraceLinesRequest(shown.file, shown.call)


def _answer(what: str, shown: Shown, capture: CaptureOf, values: Callable[[Shown], Values]) -> str:
    name = Path(shown.file).name
    if what == "error":
        with pytest.raises(JaxscopeError) as caught:
            capture(name, shown.call)
        told = caught.value.explanation
        return f"{told.what} {told.why} {told.remedy}"
    if what == "same results":
        return "yes" if len({each.text for each in values(shown).results}) == 1 else "no"
    if match := re.fullmatch(r"value of result (\d+)", what):
        return values(shown).results[int(match[1])].text
    if match := re.fullmatch(r"value of (\S+)", what):
        found = next(each for each in values(shown).equations if each.id == match[1])
        return found.outputs[0].text
    if what == "first nonfinite":
        return " ".join(f"{e.operation} {e.kind}" for e in values(shown).origins) or "none"
    if match := re.fullmatch(r"parts from (jit|float64)", what):
        against = ask(ValuesRequest(shown.file, shown.call, against=match[1]), Values).against
        assert against is not None and not against.reason
        return "yes" if against.parting() else "no"
    if match := re.fullmatch(r"what `(.+)` adds", what):
        lines = [line for line in ask(_traced(shown), Tracing).lines if line.text == match[1]]
        assert lines, what
        return " ".join(each.operation for line in lines for each in line.equations) or "none"
    if what == "lines of further calls":
        return " ".join(map(str, ask(_traced(shown), Tracing).reruns))
    for pattern, answer in _ANSWERS.items():
        if match := re.fullmatch(pattern, what):
            return answer(capture(name, shown.call), *match.groups())
    raise AssertionError(f"no fact: {what}")


@pytest.mark.sweep(15)
@pytest.mark.parametrize(("shown", "fact"), FACTS)
def test_a_fact_of_the_course_holds(
    shown: Shown, fact: str, capture: CaptureOf, values: Callable[[Shown], Values]
) -> None:
    what, equals, expected = fact.partition(" = ")
    assert equals, f"no fact: {fact}"
    found = _answer(what, shown, capture, values)
    assert expected in found if what == "error" else found == expected


def test_each_lesson_asks_reveals_and_states_a_fact() -> None:
    titles = set()
    for path in LESSONS:
        lesson = read_text_lesson(path)
        titles.add(lesson.title)
        assert any(part.reveal for part in lesson.parts), path.name
        assert any(part.shown.facts or part.revealed.facts for part in lesson.parts), path.name
    assert len(titles) == len(LESSONS)


def test_a_translation_shows_what_the_original_shows() -> None:
    for path in LESSONS:
        translated = in_language(path, "zh")
        assert language_of(translated) == "zh" and in_language(translated, "") == path
        pairs = zip(read_text_lesson(path).parts, read_text_lesson(translated).parts, strict=True)
        for original, other in pairs:
            for one, two in ((original.shown, other.shown), (original.revealed, other.revealed)):
                assert dataclasses.replace(one, facts=()) == two, (path.name, original.heading)
            assert bool(original.reveal) == bool(other.reveal)
            quoted = re.findall(r"`([^`]+)`", original.reveal)
            assert set(quoted) <= set(re.findall(r"`([^`]+)`", other.reveal)), original.heading
    assert len(ALL) == 2 * len(LESSONS)


@pytest.mark.slow
def test_each_stage_that_a_lesson_shows_is_there(capture: CaptureOf) -> None:
    for path in LESSONS:
        for part in read_text_lesson(path).parts:
            for shown in (part.shown, part.revealed):
                if shown.stage:
                    found = capture(Path(shown.file).name, shown.call)
                    assert graph(found, shown.stage) is not None, (path.name, part.heading)
