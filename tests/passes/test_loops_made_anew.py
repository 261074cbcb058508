"""What is gone since a pass made what it stood in anew: dead only where no result needs it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from jaxscope.model.op_name import TagTable
from jaxscope.program.fates.outcomes import PassStep
from jaxscope.program.passes.follow import EquationFollower
from jaxscope.program.passes.snapshot import SnapshotReader
from jaxscope.worker.compat import serialized_hlo_of_text

LOOP = """\
HloModule m

{body} {{
  state = (s32[], f32[8], f32[8]) parameter(0)
  i{n} = s32[] get-tuple-element(state), index=0
  x{n} = f32[8] get-tuple-element(state), index=1
  y{n} = f32[8] get-tuple-element(state), index=2
  one{n} = s32[] constant(1)
  next{n} = s32[] add(i{n}, one{n})
{inside}
}}

condition {{
  state.1 = (s32[], f32[8], f32[8]) parameter(0)
  i.1 = s32[] get-tuple-element(state.1), index=0
  end.1 = s32[] constant(3)
  ROOT less.1 = pred[] compare(i.1, end.1), direction=LT
}}

ENTRY main {{
  p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  begin = s32[] constant(0)
  given = (s32[], f32[8], f32[8]) tuple(begin, p, q)
  loop{n} = (s32[], f32[8], f32[8]) while(given), condition=condition, body={body}
  ROOT left = f32[8] get-tuple-element(loop{n}), index={result}
}}
"""
PRODUCT = """\
  doubled = f32[8] multiply(y, y), metadata={op_name="jxsd0~//mul"}
  added = f32[8] add(x, doubled), metadata={op_name="jxsd1~//add"}
  ROOT all = (s32[], f32[8], f32[8]) tuple(next, added, y)"""
ANEW = """\
  added.9 = f32[8] add(x.9, y.9), metadata={op_name="jxsd1~//add"}
  ROOT all.9 = (s32[], f32[8], f32[8]) tuple(next.9, added.9, y.9)"""
WITHOUT = "  ROOT all.9 = (s32[], f32[8], f32[8]) tuple(next.9, x.9, y.9)"
CARRIED = """\
  doubled = f32[8] multiply(y, y), metadata={op_name="jxsd0~//mul"}
  ROOT all = (s32[], f32[8], f32[8]) tuple(next, x, doubled)"""
DECIDING = """\
  doubled = f32[8] multiply(y, y), metadata={op_name="jxsd0~//mul"}
  added = f32[8] add(x, y), metadata={op_name="jxsd1~//add"}
  ROOT all = (s32[], f32[8], f32[8]) tuple(next, added, doubled)"""


def module(inside: str, number: str, result: int, body: str) -> bytes:
    return serialized_hlo_of_text(LOOP.format(inside=inside, n=number, result=result, body=body))


@pytest.mark.parametrize("body", ["body", "other"])  # the computation may keep its name
@pytest.mark.parametrize(
    ("before", "after", "result", "fate"),
    [
        (PRODUCT, ANEW, 1, "unknown"),  # the sum is a result
        (PRODUCT, WITHOUT, 2, "dead"),  # no result is made of the sum
        (CARRIED, WITHOUT, 1, "dead"),  # what the loop carries for itself alone
        (DECIDING, ANEW, 1, "unknown"),  # what it carries goes into the sum of the next round
    ],
)
def test_what_a_result_was_made_of_is_not_dead(
    before: str, after: str, result: int, fate: str, body: str
) -> None:
    reader = SnapshotReader(TagTable((), ("product", "sum")))
    first, second = (
        reader.read(module(inside, number, result, name))
        for inside, number, name in ((before, "", "body"), (after, ".9", body))
    )
    follower = EquationFollower()
    follower.begin(first, first)
    assert "product" in follower.follow(PassStep(7, "anew"), first, second)
    found = follower.endings(second)["product"]
    assert found.fate == fate
    told: Sequence[str] = found.before
    assert "doubled" in told


CALL = """\
HloModule m

called {{
  a = f32[8] parameter(0)
  b = f32[8] parameter(1)
  unused = f32[8] negate(b)
  ROOT left = f32[8] {made}
}}

calling {{
  x = f32[8] parameter(0)
  doubled = f32[8] multiply(x, x), metadata={{op_name="jxsd0~//mul"}}
  ROOT given = f32[8] call(x, doubled), to_apply=called
}}

ENTRY main {{
  p = f32[8] parameter(0)
  ROOT all = f32[8] call(p), to_apply=calling
}}
"""
INLINED = """\
HloModule m

ENTRY main {
  p = f32[8] parameter(0)
  ROOT exponential = f32[8] exponential(p)
}
"""


@pytest.mark.parametrize(
    ("made", "fate", "words"),
    [
        ("exponential(a)", "dead", "the function that gets it does not use it"),
        ("subtract(a, b)", "unknown", "is not told"),
    ],
)
def test_what_is_handed_to_a_function_is_dead_where_that_does_not_use_it(
    made: str, fate: str, words: str
) -> None:
    reader = SnapshotReader(TagTable((), ("product", "sum")))
    first, second = (
        reader.read(serialized_hlo_of_text(text)) for text in (CALL.format(made=made), INLINED)
    )
    follower = EquationFollower()
    follower.begin(first, first)
    assert "product" in follower.follow(PassStep(7, "call-inliner"), first, second)
    found = follower.endings(second)["product"]
    assert found.fate == fate
    assert words in str(found.text)
