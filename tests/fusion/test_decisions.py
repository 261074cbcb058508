"""XLA's own log of what it fused, in the text form of its `FusionProcessDumpProto`."""

from __future__ import annotations

import math
from collections.abc import Collection

import pytest

from jaxscope.model import Cost, Graph, Stage, Unavailable
from jaxscope.program.fusion.decisions import (
    Decision,
    FusionLog,
    Verdict,
    decision_to_json,
    describe_log,
    parse_log,
)
from jaxscope.program.fusion.separation import Certainty
from jaxscope.program.fusion.summary import FusionReport, report_fusions
from jaxscope.report.fusion import fusion_to_json

from .programs import FIVE_ROUNDS, NEIGHBOURS, node, read

# Written by hand in the form that XLA of jaxlib 0.10.2 writes when it compiles for a GPU: the
# messages and their fields are those of xla/service/gpu/fusion_process_dump.proto.
LOG = r"""
fusion_steps {
  producer_ineligible {
    producer_name: "gemm.1"
    reason: "the producer is not fusible"
  }
}
fusion_steps {
  update_priority {
    producer_name: "sin.1"
    consumer_names: "add.1"
    consumer_names: "mul.1"
    us_fused: 2.5
    us_unfused: 2.25
  }
}
fusion_steps {
  fusion {
    fusion_name: "fusion.7"
    producer_name: "add.1"
    consumer_name: "mul.1"
  }
}
fusion_steps {
  something_new {
    producer_name: "x"
  }
}
fusion_steps {
  producer_ineligible {
    producer_name: "odd \"name\""
  }
}
gpu_device_info {
  threads_per_block_limit: 1024
  fusion_steps {
    producer_ineligible { producer_name: "not a step" }
  }
}
hlo_module_before_fusion: "HloModule jit_f {\n  fusion_steps {\n"
"""


def test_steps_are_read_in_order() -> None:
    refused, weighed, fused, odd = parse_log(LOG)
    assert (refused.verdict, refused.producer) == (Verdict.REFUSED, "gemm.1")
    assert refused.reason == "the producer is not fusible"
    assert weighed.consumers == ("add.1", "mul.1")
    assert (weighed.us_fused, weighed.us_unfused) == (2.5, 2.25)
    assert (fused.producer, fused.consumers, fused.fusion) == ("add.1", ("mul.1",), "fusion.7")
    assert (odd.producer, odd.reason) == ('odd "name"', "")


def test_every_step_is_told_in_a_sentence() -> None:
    refused, weighed, fused, odd = (decision.text for decision in parse_log(LOG))
    assert refused == "gemm.1 was not fused: the producer is not fusible."
    assert weighed == (
        "XLA estimated 2.5 µs with sin.1 fused into add.1, mul.1 and 2.25 µs apart, which does "
        "not pay."
    )
    assert fused == "add.1 was fused into mul.1, as fusion.7."
    assert "no reason was written" in odd


def test_what_is_unknown_is_null() -> None:
    first, *_ = parse_log(LOG)
    told = decision_to_json(first)
    assert (told["us_fused"], told["fusion"], told["consumers"]) == (None, None, [])
    assert math.isnan(first.us_fused)


@pytest.mark.parametrize("text", ["", "}\n}\n", "fusion_steps {\n" * 50, "\x00" * 99, "a: b\n"])
def test_damaged_logs_have_no_steps(text: str) -> None:
    assert list(parse_log(text)) == []


def log_of(*decisions: Decision, **equations: str) -> FusionLog:
    held = {name: frozenset({id}) for name, id in equations.items()}
    return FusionLog(decisions, held)


def refuse(producer: str) -> Decision:
    return Decision(Verdict.REFUSED, producer, reason="because")


def weigh(producer: str, consumer: str, fused: float, apart: float) -> Decision:
    return Decision(Verdict.ESTIMATED, producer, (consumer,), "", fused, apart)


def test_the_last_word_about_two_kernels_counts() -> None:
    first, last = weigh("a", "b", 3.0, 1.0), refuse("a")
    log = log_of(first, last, refuse("c"), a="0", b="1", c="2")
    assert log.between({"0"}, {"1"}) is last
    assert log_of(last, first, a="0", b="1").between({"0"}, {"1"}) is first


def test_an_estimate_by_which_fusing_pays_explains_nothing() -> None:
    assert log_of(weigh("a", "b", 1.0, 3.0), a="0", b="1").between({"0"}, {"1"}) is None
    assert log_of(weigh("a", "b", 3.0, 1.0), a="0", b="1").between({"1"}, {"0"}) is None


def report_with(log: FusionLog | None, program: str = NEIGHBOURS) -> FusionReport:
    graph: Graph = read(program, cost=(64.0, 64.0, 0.0)).graph
    nowhere = Unavailable("Not there.")
    stage = Stage("optimized", "", nowhere, graph, Cost(), nowhere)
    report = report_fusions([stage], log)
    assert report is not None
    return report


def test_without_a_log_the_answer_is_marked_as_inferred() -> None:
    report = report_with(None)
    total, after = node(report.module, "total"), node(report.module, "after.total")
    assert report.why_apart(total, after).certainty is Certainty.INFERRED
    assert fusion_to_json(report)["decisions"] is None


def test_an_unlinked_log_is_shown_and_explains_no_pair() -> None:
    log = FusionLog(tuple(parse_log(LOG)), {})
    report = report_with(log)
    total, after = node(report.module, "total"), node(report.module, "after.total")
    assert report.why_apart(total, after).certainty is Certainty.INFERRED
    assert len(fusion_to_json(report)["decisions"]) == 4
    assert "Record the passes" in describe_log(log)
    assert "1 producer fused, 2 refusals, 1 estimate." in describe_log(log)


class RefusesAll(FusionLog):
    """A log that tells a refusal of every pair."""

    def between(self, made: Collection[str], read: Collection[str]) -> Decision | None:
        return refuse("what.went.in")


def test_a_loop_is_no_candidate_so_the_log_does_not_tell_why_it_stands_alone() -> None:
    report = report_with(RefusesAll((), {}), FIVE_ROUNDS)
    loop, last = node(report.module, "loop"), node(report.module, "last")
    found = report.why_apart(loop, last)
    assert found.certainty is Certainty.INFERRED
    assert [name for name, _ in found.reasons] == ["control-flow"]


def test_json_tells_of_each_kernel_and_its_readers_why_they_are_apart() -> None:
    told = fusion_to_json(report_with(None))["neighbours"]
    pairs = {(pair["first"], pair["second"]): pair for pair in told["pairs"]}
    assert pairs["total", "after.total"]["certainty"] == "inferred"
    assert pairs["total", "after.total"]["rules"] == ["reduction"]
    assert pairs["plain", "plain.next"]["text"] == "unknown: none of the listed rules applies."
    assert ("plain", "apart") not in pairs  # nothing goes from one to the other
    assert told["left_out"] == 0


def test_json_counts_the_readers_that_it_leaves_out() -> None:
    readers = "".join(f"  r{n} = f32[8] negate(s)\n" for n in range(11))
    tuple_of = "(" + ", ".join(["f32[8]"] * 11) + ")"
    program = (
        f"HloModule many\n\nENTRY main (x: f32[8]) -> {tuple_of} {{\n  x = f32[8] parameter(0)\n"
        f"  s = f32[8] sine(x)\n{readers}"
        f"  ROOT all = {tuple_of} tuple({', '.join(f'r{n}' for n in range(11))})\n}}\n"
    )
    told = fusion_to_json(report_with(None, program))["neighbours"]
    assert (len(told["pairs"]), told["left_out"]) == (8, 3)
