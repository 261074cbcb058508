"""What a test may ask of compiled functions: fixtures of pytest, loaded when a test asks for one.

`jaxscope_compiled(function, *arguments)` captures a call and has assertions on it;
`jaxscope_compilations` counts what is compiled while a block runs; `jaxscope_timed(file, call)`
holds a call's time against a stored one. An assertion that fails says what was found, as
`jaxscope ask` does. Of programs, what is not known fails as well, with the reason. Of times, only
what is surely slower fails: machines differ from day to day. pytest finds this module by the entry
point `pytest11`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from jaxscope.late_dataclass import dataclass

if TYPE_CHECKING:
    from jaxscope.model import Capture, Stage
    from jaxscope.model.experiments import Recompilation
    from jaxscope.program.diff.captures import Comparison

_UPDATE = "--jaxscope-update"
_OF_THIS_PROCESSOR = "machine"
"""The stage that another processor has otherwise; it is not held against a stored capture."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that renews what is stored."""
    parser.getgroup("jaxscope").addoption(
        _UPDATE,
        action="store_true",
        help="write the captures and timings that tests compare with, in place of comparing",
    )


@pytest.fixture
def jaxscope_compiled(request: pytest.FixtureRequest) -> Callable[..., Compiled]:
    """Captures `function(*args, **kwargs)`, or takes a capture; returns its assertions.

    The function is traced and compiled, not run.
    """
    folder, is_updating = request.path.parent, bool(request.config.getoption(_UPDATE))

    def compile_call(function: Any, *args: Any, **kwargs: Any) -> Compiled:
        __tracebackhide__ = True
        from jaxscope.model import Capture

        if isinstance(function, Capture):
            return Compiled(function, folder, is_updating)
        import jaxscope

        with _failing_shortly():
            return Compiled(jaxscope.capture(function, *args, **kwargs), folder, is_updating)

    return compile_call


@pytest.fixture
def jaxscope_timed(request: pytest.FixtureRequest) -> Callable[..., Timed]:
    """Takes a file and a call of it, as the command line does; returns what asserts on its time.

    The call is measured in processes of its own, as `jaxscope time` measures it.
    """
    folder, is_updating = request.path.parent, bool(request.config.getoption(_UPDATE))

    def time_call(file: str | Path, call: str | None = None, **asked: Any) -> Timed:
        return Timed(folder / file, call, asked, folder, is_updating)

    return time_call


@pytest.fixture
def jaxscope_compilations() -> type[CountedCompilations]:
    """`with jaxscope_compilations("step", at_most=1):` counts the compilations of `step` in it."""
    return CountedCompilations


@dataclass(frozen=True)
class Compiled:
    """A capture, and what a test may assert of it.

    Attributes:
        capture: Of the call.
        folder: That names of stored captures are relative to.
        is_updating: Whether stored captures are written in place of compared.
    """

    capture: Capture
    folder: Path = Path()
    is_updating: bool = False

    def assert_kernels(self, *, at_most: int) -> None:
        """Assert that the optimized program has no more kernels; one in a loop counts once."""
        __tracebackhide__ = True
        from jaxscope.model import Unavailable
        from jaxscope.program.cost.kernels import name_kernels

        found = name_kernels(self.capture)
        if isinstance(found, Unavailable):
            self._not_known("How many kernels it has", found.reason)
        count = len(found)
        if count > at_most:
            self._fail(f"It has {count:,} kernels; at most {at_most:,} were wanted.", "kernels")

    def assert_bytes(self, *, at_most: float) -> None:
        """Assert that XLA's plan needs no more bytes at once: arguments, results, temporaries.

        They are those of one device. What is aliased counts once.
        """
        __tracebackhide__ = True
        from jaxscope.model import Unavailable
        from jaxscope.model.units import format_bytes

        plan = self.capture.memory
        if isinstance(plan, Unavailable):
            self._not_known("How much memory it needs", plan.reason)
        if math.isnan(plan.total_bytes):
            self._not_known("How much memory it needs", "XLA's plan of this backend does not say.")
        if plan.total_bytes > at_most:
            self._fail(
                f"It needs {format_bytes(plan.total_bytes)} at once; at most "
                f"{format_bytes(at_most)} were wanted.",
                "memory",
            )

    def assert_no_type(self, *elements: str) -> None:
        """Assert that no value of the optimized program has such elements, as XLA names them: f64.

        Raises:
            ValueError: A word is no type of XLA's.
        """
        __tracebackhide__ = True
        from jaxscope.model import Unavailable

        for element in elements:
            if not re.fullmatch(r"[a-z]+\d+\w*|pred", element):
                raise ValueError(f"{element!r} is no type of XLA's, such as 'f64' or 'bf16'.")
        stage = self.capture.stage("optimized")
        graph = Unavailable("It was not compiled.") if stage is None else stage.graph
        if isinstance(graph, Unavailable):
            self._not_known("Which types it computes in", graph.reason)
        wanted = re.compile(rf"(?<!\w)(?:{'|'.join(elements)})\[")
        found = [
            graph.name(node)
            for node in range(len(graph.nodes))
            if any(wanted.search(text) for text in graph.types(node))
        ]
        if found:
            told = ", ".join(found[:5]) + (", …" if len(found) > 5 else "")
            self._fail(
                f"{len(found):,} of its values are {' or '.join(elements)}, which were not "
                f"wanted: {told}.",
                "types",
            )

    def assert_no_collective(self, *kinds: str) -> None:
        """Assert that devices exchange nothing, or nothing by these ways, such as `all-gather`."""
        __tracebackhide__ = True
        from jaxscope.model import Unavailable
        from jaxscope.program.sharding.placement import PlacementReport

        found = PlacementReport(self.capture).collectives
        if isinstance(found, Unavailable):
            self._not_known("What devices send to each other", found.reason)
        wrong = [one for one in found if not kinds or one.kind in kinds]
        if wrong:
            told = " or ".join(kinds) or "collective"
            self._fail(f"{len(wrong):,} {told} in it; none was wanted.", "collectives")

    def assert_equals(self, stored: str | Path) -> None:
        """Assert that it is the same program as a stored capture, in all stages but machine code.

        `pytest --jaxscope-update` writes the stored capture.

        Args:
            stored: Its path, relative to the file of the test; ends with `.jaxscope` or `.json`.
        """
        __tracebackhide__ = True
        import jaxscope
        from jaxscope.model import Unavailable
        from jaxscope.notebook import make_shown

        place = self.folder / stored
        with _failing_shortly():
            if self.is_updating:
                make_shown(self.capture).save(place)
                return
            if not place.exists():
                self._fail(f"There is no stored capture {place}. {_UPDATE} writes it.")
            found = jaxscope.diff(place, self.capture)
        stages = [each for each in found.stages if each.pair.key != _OF_THIS_PROCESSOR]
        # A stage that neither side has says nothing; one that a single side has is a difference.
        known = [each for each in stages if not (_lacks(each.first) and _lacks(each.second))]
        differs = any(
            each.verdict is False or _lacks(each.first) or _lacks(each.second) for each in known
        )
        is_moved = not isinstance(found.placements, Unavailable) and bool(found.placements)
        if differs or is_moved or any(part.differs for part in found.memory):
            told = _describe(found)
            self._fail(f"It differs from {place.name}; {_UPDATE} renews that.\n\n{told}")
        reasons = [each.verdict.reason for each in known if isinstance(each.verdict, Unavailable)]
        if reasons or not known:
            why = " ".join(reasons) or "Neither side was compiled."
            self._not_known(f"Whether it equals {place.name}", why)

    def _fail(self, told: str, question: str = "") -> NoReturn:
        """Fail with what was found, and what `jaxscope ask` says of it."""
        __tracebackhide__ = True
        parts = [f"{self.capture.call}: {told}"]
        if question:
            from jaxscope.report.answers import (
                Evidence,
                answer_question,
                answer_to_document,
                find_question,
            )
            from jaxscope.report.document import write_text

            asked = find_question(question)[0]
            parts.append(
                write_text(answer_to_document(answer_question(asked, Evidence(self.capture))))
            )
        raise AssertionError("\n".join(parts))

    def _not_known(self, what: str, why: str) -> NoReturn:
        __tracebackhide__ = True
        raise AssertionError(f"{self.capture.call}: {what} is not known: {why}")


@dataclass(frozen=True)
class Timed:
    """A call of a file, and what a test may assert of its time.

    Attributes:
        file: That has the function.
        call: None for the first that the file offers.
        asked: Fields of a `TimeRequest`, such as `rigorous=True` for six fresh processes.
        folder: That names of stored timings are relative to.
        is_updating: Whether stored timings are written in place of compared.
    """

    file: Path
    call: str | None = None
    asked: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    folder: Path = Path()
    is_updating: bool = False

    def assert_not_slower(self, stored: str | Path) -> None:
        """Assert that the compiled call has not become slower than a stored timing of it.

        What is unclear passes. `pytest --jaxscope-update` writes the stored timing; so does
        `jaxscope time --save`.

        Args:
            stored: Its path, relative to the file of the test; ends with `.json`.
        """
        __tracebackhide__ = True
        import json

        from jaxscope.client.one_shot import ask
        from jaxscope.client.requests import TimeRequest
        from jaxscope.model import Timing
        from jaxscope.report.baseline import baseline_to_section, find_changes, is_slower
        from jaxscope.report.document import write_text
        from jaxscope.report.measurement_documents import timing_to_document
        from jaxscope.schema.contract import load_timing, timing_to_json
        from jaxscope.schema.whole_file import write_bytes

        place = self.folder / stored
        if not self.is_updating and not place.exists():
            raise AssertionError(f"There is no stored timing {place}. {_UPDATE} writes it.")
        with _failing_shortly():
            before = None if self.is_updating else load_timing(place)
            request = TimeRequest(str(self.file), self.call, skip_eager=True, **self.asked)
            now = ask(request, Timing)
            if before is None:
                found = json.dumps(timing_to_json(now), indent=2, allow_nan=False)
                write_bytes(place, found.encode())
                return
            changes = find_changes(now, before)
        if is_slower(changes):
            told = [baseline_to_section(changes, before), *timing_to_document(now, is_whole=False)]
            raise AssertionError(f"{write_text(told[:-1])}\n{_UPDATE} renews {place.name}.")


def _describe(found: Comparison) -> str:
    """The verdict, the stages, the memory, and how the first stage differs that has a graph."""
    from jaxscope.report.diff import comparison_to_document, summary_sections
    from jaxscope.report.document import write_text

    first = [each for each in found.stages if each.verdict is False][:1]
    one = dataclasses.replace(found, stages=tuple(first))
    differences = comparison_to_document(one, most_rows=8)[len(summary_sections(one, 8)) :]
    return write_text([*summary_sections(found, 8)[:4], *differences])


def _lacks(stage: Stage | None) -> bool:
    """Whether a stage was not made."""
    return stage is None or stage.unavailable is not None


class CountedCompilations:
    """Counts the programs that a block compiles of a function, and fails if they are more.

    Args:
        function: Its name. Where several have the name, they count together.
        at_most: Programs that are allowed.
    """

    def __init__(self, function: str, *, at_most: int) -> None:
        import jaxscope

        self._function, self._most, self._seen = function, at_most, jaxscope.watch()

    def __enter__(self) -> None:
        self._seen.__enter__()

    def __exit__(self, kind: object, *_error: object) -> None:
        __tracebackhide__ = True
        self._seen.__exit__()
        if kind is None:
            self._check(self._seen.found)

    def _check(self, found: Recompilation) -> None:
        __tracebackhide__ = True
        from jaxscope.program.recompilation import bare_name, describe_key_change

        name = self._function
        own = [one for one in found.signatures if name in (one.function, bare_name(one.function))]
        earlier = sum(one.count for one in found.outside if one.function == name)
        count = len(own) + earlier
        if not count:
            raise AssertionError(
                f"How often {name} was compiled is not known: no program of that name was "
                "compiled in the block. It has another name, was not called, or was compiled "
                "before; jax.clear_caches() before the block forgets that."
            )
        if count <= self._most:
            return
        lines = [f"{name} was compiled {count:,} times; at most {self._most:,} were wanted."]
        for one in own:
            why = "; ".join(map(describe_key_change, one.changes))
            lines.append(f"  {', '.join(one.arguments)}" + (f" - {why}" if why else ""))
        if earlier:
            lines.append(
                f"  {earlier:,} of them of a function that was jitted before the block, or that is "
                "called by a transform: of these the arguments are not known."
            )
        raise AssertionError("\n".join(lines))


@contextlib.contextmanager
def _failing_shortly() -> Iterator[None]:
    """Let an error of the call's be shown as the command line does, without our frames."""
    from jaxscope.errors import JaxscopeError

    try:
        yield
    except JaxscopeError as error:
        from jaxscope.cli.dispatch import format_error

        raise pytest.fail.Exception(format_error(error), pytrace=False) from None
