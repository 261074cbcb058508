"""Modules written by hand, in which everything about fusions can be worked out on paper."""

from __future__ import annotations

import numpy as np

from jaxscope.program.fusion.fusions import Module
from tests.hlo.programs import convert, proto_of

CHAIN = """HloModule chain

fused (p0: f32[8]) -> f32[8] {
  p0 = f32[8] parameter(0)
  sine = f32[8] sine(p0)
  square = f32[8] multiply(sine, sine)
  ROOT total = f32[8] add(square, p0)
}

ENTRY main (x: f32[8]) -> f32[8] {
  x = f32[8] parameter(0)
  ROOT chain = f32[8] fusion(x), kind=kLoop, calls=fused
}
"""

TWICE = """HloModule twice

sum (a: f32[], b: f32[]) -> f32[] {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT add = f32[] add(a, b)
}

left (l0: f32[8]) -> f32[] {
  l0 = f32[8] parameter(0)
  left.exp = f32[8] exponential(l0)
  left.zero = f32[] constant(0)
  ROOT left.sum = f32[] reduce(left.exp, left.zero), dimensions={0}, to_apply=sum
}

right (r0: f32[8], r1: f32[8]) -> f32[8] {
  r0 = f32[8] parameter(0)
  r1 = f32[8] parameter(1)
  right.exp = f32[8] exponential(r1)
  right.cos = f32[8] cosine(r0)
  ROOT right.mul = f32[8] multiply(right.exp, right.cos)
}

ENTRY main (x: f32[8], y: f32[8]) -> (f32[], f32[8]) {
  x = f32[8] parameter(0)
  y = f32[8] parameter(1)
  kernel.left = f32[] fusion(x), kind=kInput, calls=left
  kernel.right = f32[8] fusion(y, x), kind=kLoop, calls=right
  ROOT both = (f32[], f32[8]) tuple(kernel.left, kernel.right)
}
"""

LOOP = """HloModule loop

body (c: (s32[], f32[8])) -> (s32[], f32[8]) {
  c = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  v = f32[8] get-tuple-element(c), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  sine = f32[8] sine(v)
  ROOT pair = (s32[], f32[8]) tuple(next, sine)
}

condition (d: (s32[], f32[8])) -> pred[] {
  d = (s32[], f32[8]) parameter(0)
  j = s32[] get-tuple-element(d), index=0
  end = s32[] constant(5)
  ROOT less = pred[] compare(j, end), direction=LT
}

ENTRY main (x: f32[8]) -> f32[8] {
  x = f32[8] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[8]) tuple(zero, x)
  loop = (s32[], f32[8]) while(start), condition=condition, body=body CONFIG
  out = f32[8] get-tuple-element(loop), index=1
  ROOT last = f32[8] cosine(out)
}
"""
FIVE_ROUNDS = LOOP.replace("CONFIG", ', backend_config={"known_trip_count":{"n":"5"}}')
UNKNOWN_ROUNDS = LOOP.replace("CONFIG", "")

NEIGHBOURS = """HloModule neighbours

sum (a: f32[], b: f32[]) -> f32[] {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT add = f32[] add(a, b)
}

ENTRY main (x: f32[8,8]) -> f32[8] {
  x = f32[8,8]{1,0} parameter(0)
  zero = f32[] constant(0)
  total = f32[8] reduce(x, zero), dimensions={1}, to_apply=sum
  after.total = f32[8] negate(total)
  turned = f32[8,8]{1,0} transpose(x), dimensions={1,0}
  after.turned = f32[8,8]{1,0} negate(turned)
  index = s32[] constant(2)
  none = s32[] constant(0)
  row = f32[1,8]{1,0} slice(after.turned), slice={[0:1], [0:8]}
  updated = f32[8,8]{1,0} dynamic-update-slice(after.turned, row, index, none)
  after.updated = f32[8,8]{1,0} negate(updated)
  library = f32[8,8]{1,0} custom-call(after.updated), custom_call_target="solve"
  after.library = f32[8,8]{1,0} negate(library)
  gathered = f32[8,8]{1,0} all-reduce(after.library), replica_groups={}, to_apply=sum
  after.gathered = f32[8,8]{1,0} negate(gathered)
  sorted = f32[8,8]{1,0} cholesky(after.gathered)
  plain = f32[8,8]{1,0} negate(after.gathered)
  plain.next = f32[8,8]{1,0} abs(plain)
  apart = f32[8,8]{1,0} sine(x)
  ROOT end = f32[8] negate(after.total)
}
"""


def read(text: str, *, cost: tuple[float, float, float] | None = None) -> Module:
    """The module of a text; every instruction costs the same, or an unknown amount."""
    graph = convert(proto_of(text))
    if cost is not None:
        graph = graph.replace_nodes(cost=np.tile(np.array(cost), (len(graph.nodes), 1)))
    return Module(graph)


def node(module: Module, name: str) -> int:
    """The index of a node by its name in the text."""
    return module.graph.index_by_id[name]
