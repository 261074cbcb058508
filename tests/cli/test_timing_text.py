"""What `jaxscope time` prints for a person."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.model import Environment, Measurement, Ratio, Timing
from jaxscope.model.experiments import LeafAgreement, ProgramComparison, ResultsAgreement
from jaxscope.model.timing import Noise
from jaxscope.report.answers import Evidence, answer_question, find_question
from jaxscope.report.document import write_text
from jaxscope.report.measurement_documents import programs_to_document, timing_to_document
from jaxscope.report.measurements import describe_ratio


def format_timing(timing: Timing) -> str:
    return write_text(timing_to_document(timing), width=98)


LONG = "A warning that goes on and on, so that it does not fit into a line of a terminal. " * 2


def measured(name: str, median: float, *reasons: Noise | str) -> Measurement:
    return Measurement(
        name,
        median,
        median * 0.9,
        median * 1.1,
        0.95,
        30,
        (median,),
        bool(reasons),
        "s",
        "",
        reasons,
    )


TIMING = Timing(
    call="loss(f32[8])",
    environment=Environment("0.10.2", "0.10.2", "3.11.7", "cpu", "cpu"),
    measurements=(
        Measurement("compile", 0.05, 0.05, 0.05, 0.0, 1, (0.05,), False, detail="cache hit"),
        measured("eager", 1e-3, Noise("spread", 0.36), "It is busy."),
        measured("gradient_eager_dispatch", 2e-6, "It is busy."),
        measured("jit", 5e-6, Noise("spread", 1.77)),
    ),
    ratios=(Ratio("eager/jit", 200.0, 180.0, 220.0, "faster"),),
    warnings=(LONG.strip(),),
)


def test_rows_are_aligned_and_name_no_reasons() -> None:
    rows = format_timing(TIMING).splitlines()[5:9]
    assert [row.split()[0] for row in rows] == [m.name for m in TIMING.measurements]
    assert len({row.index("run") for row in rows}) == 1
    assert [row.endswith("  noisy") for row in rows] == [False, True, True, True]


def test_the_answer_comes_first_then_a_screenful() -> None:
    rows = ("trace", "import", "transfer", "gradient_first_eager_call", "gradient_jit")
    more = tuple(measured(name, 1e-3) for name in rows)
    noisy = dataclasses.replace(TIMING.ratios[0], is_noisy=True)
    timing = dataclasses.replace(
        TIMING, measurements=(*TIMING.measurements, *more), ratios=(noisy,)
    )
    text = write_text(timing_to_document(timing, is_whole=False), width=98)
    lines = text.splitlines()
    assert lines[:3] == [
        "jit is 200 times faster than eager (paired, observed 180 to 220) · noisy",
        "",
        "loss(f32[8])",
    ]
    shown = [line.split()[0] for line in lines[5:10]]
    assert shown == ["compile", "eager", "jit", "trace", "gradient_jit"]
    assert "4 more rows, how each was measured and what disturbed it: --all" in lines
    assert "times beside it need not divide to it" in " ".join(text.split())
    assert "protocol: " not in text and LONG.split(".")[0] in " ".join(text.split())
    assert max(map(len, lines[:9])) <= 80


def test_a_ratio_of_nothing_is_unclear() -> None:
    nothing = Ratio("eager/jit", math.nan, math.nan, math.nan, "unclear")
    assert describe_ratio(nothing) == "Unclear which of eager and jit is faster"


def test_compiling_says_whether_the_cache_had_the_program() -> None:
    assert "  compile (cache hit) " in format_timing(TIMING)


def test_what_each_process_says_otherwise_stands_below_the_table() -> None:
    """And no word in its place, such as that it differs: that would be taken for the results."""
    details = ", ".join(f"{count} calls" for count in range(6))
    steady = Measurement("jit_until_steady", 1e-3, 1e-3, 1e-3, 0.0, 6, (1e-3,), False)
    timing = dataclasses.replace(
        TIMING, measurements=(dataclasses.replace(steady, detail=details),)
    )
    text = format_timing(timing)
    assert "  jit_until_steady  " in text
    assert f"jit_until_steady: {details}." in " ".join(text.split())


def test_every_reason_for_noise_stands_once_below() -> None:
    notes = [line for line in format_timing(TIMING).splitlines() if line.startswith("noisy: ")]
    assert notes == [
        "noisy: The middle half of the calls spreads over 36% (eager), 177% (jit) of the median.",
        "noisy: It is busy (eager, gradient_eager_dispatch).",
    ]


def test_the_protocol_is_told_once_for_all_that_share_it() -> None:
    said = "Each call by itself. Ended by the budget of 1 s."
    steady = [("eager", 3), ("eager_dispatch", 3), ("jit", 45), ("wait", 45)]
    timing = dataclasses.replace(
        TIMING,
        measurements=tuple(
            dataclasses.replace(measured(name, 1e-3), protocol=said, steady_from=call)
            for name, call in steady
        ),
    )
    told = [line for line in format_timing(timing).splitlines() if line.startswith("protocol: ")]
    assert told[:2] == [
        "protocol: eager, jit: Each call by itself. Ended by the budget of 1 s.",
        "protocol: Steady from call 3 (eager), 45 (jit) on.",
    ]
    assert told[2].startswith("protocol: dispatch is until the call returned, wait from there")


def test_what_disturbs_a_call_is_not_told_again_of_its_parts() -> None:
    both = (measured("jit", 1e-3, "It is busy."), measured("wait", 1e-3, "It is busy."))
    text = format_timing(dataclasses.replace(TIMING, measurements=both))
    assert "noisy: It is busy (jit)." in text.splitlines()


def test_lines_fit_a_terminal() -> None:
    text = format_timing(TIMING)
    assert max(map(len, text.splitlines())) < 100
    assert " ".join(text.split()).endswith(f"warning: {LONG.strip()}")


def test_what_is_asked_comes_before_what_was_measured_beside() -> None:
    """A short answer holds twelve rows: those of import and tracing left none for jit."""
    beside = tuple(measured(f"part_{number}", 1e-3) for number in range(20))
    timing = dataclasses.replace(TIMING, measurements=(*beside, *TIMING.measurements))
    question, _, _ = find_question("speed")
    facts = answer_question(question, Evidence(timing=timing)).facts
    assert [fact.text.partition(":")[0] for fact in facts[:2]] == ["eager", "jit"]
    without = dataclasses.replace(timing, ratios=(), warnings=("eager could not be measured.",))
    answer = answer_question(question, Evidence(timing=without))
    assert answer.text.startswith("No ratio was measured.")
    assert answer.facts[0].text == "eager could not be measured."


def test_the_answer_on_two_calls_says_that_their_results_differ() -> None:
    worst = LeafAgreement("[0]", "f32[3]", 3, 2, 4.0, 1e-7, 1e-6, "[1]", "1.0", "1.1", 0)
    equal = LeafAgreement("[0]", "f32[3]", 3, 0, 0.0, 0.0, 0.0, "", "", "", 0)
    environment = Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu")
    timing = Timing("f()", environment, (), (), ())
    for leaf, told in ((worst, "first against second: different in 1 of 1 array."), (equal, "")):
        pair = ResultsAgreement("first", "second", (leaf,))
        answer, *_ = programs_to_document(ProgramComparison("f()", "g()", timing, pair))
        assert [*answer.blocks][-1:] == ([told] if told else [])


def test_a_long_fact_is_cut_after_a_word() -> None:
    words = [f"word{number}" for number in range(99)]
    environment = Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu")
    timing = Timing("f()", environment, (), (), (" ".join(words),))
    (fact, *_) = answer_question(find_question("speed")[0], Evidence(timing=timing)).facts
    *told, end = fact.text.split(" ")
    assert end == "…" and told == words[: len(told)] and len(fact.text) <= 300
