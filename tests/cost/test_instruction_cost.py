"""Costs of single instructions, from XLA's analysis of one-instruction modules."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model.protobuf import encode_bytes
from jaxscope.program.hlo.proto import parse_module
from jaxscope.worker import compat
from jaxscope.worker.stages import hlo_cost
from jaxscope.worker.stages.hlo_cost import ModuleSlicer, instruction_costs, module_cost
from tests.hlo.programs import PROGRAMS, optimized, proto_of, unoptimized
from tests.hlo.test_graph import FUSION

PLENTY_S = 60.0

REPEATED = """HloModule repeated

ENTRY %main (x: f32[8,8]) -> f32[8,8] {
  %x = f32[8,8]{1,0} parameter(0)
  %a = f32[8,8]{1,0} dot(%x, %x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %b = f32[8,8]{1,0} dot(%a, %a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %c = f32[8,8]{1,0} dot(%b, %x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %d = f32[8,8]{1,0} dot(%c, %x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT %e = f32[8,8]{1,0} tanh(%d)
}
"""

CUSTOM = """HloModule custom

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %y = f32[4]{0} custom-call(%x), custom_call_target="Unknown"
  ROOT %z = f32[4]{0} add(%y, %x)
}
"""


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("stage", ["before", "after"])
def test_instructions_of_the_entry_add_up_to_the_module(name: str, stage: str) -> None:
    proto = (optimized(name) if stage == "after" else unoptimized(name))[0]
    costs = instruction_costs(proto, budget_s=PLENTY_S)
    module = parse_module(proto)
    is_entry = [
        computation.id == module.entry_computation_id
        for computation in module.computations
        for _ in computation.instructions
    ]
    assert costs.shape == (len(is_entry), 3)
    assert not np.isnan(costs).any()
    assert tuple(costs[is_entry].sum(axis=0)) == module_cost(compat.cpu_client(), proto)


def test_free_instructions_cost_what_xla_says() -> None:
    proto, _ = optimized("scan")
    module = ModuleSlicer(proto)
    free = {"parameter", "constant", "get-tuple-element", "bitcast"}
    seen = set()
    for computation, position in module.instructions():
        opcode = module.opcode(computation, position).decode()
        if opcode in free:
            seen.add(opcode)
            cost = module_cost(compat.cpu_client(), module.slice(computation, position))
            assert cost == (0.0, 0.0, 0.0), opcode
    assert seen == free


def test_inside_of_a_fusion_is_costed_too() -> None:
    costs = instruction_costs(proto_of(FUSION), budget_s=PLENTY_S)
    # p0, p1, sum, product, x, four, fusion
    assert costs[:, 0].tolist() == [0, 0, 4, 4, 0, 0, 8]
    assert costs[2].tolist() == [4, 48, 0]


def test_equal_instructions_share_a_key_and_different_ones_do_not() -> None:
    module = ModuleSlicer(proto_of(REPEATED))
    keys = [module.key(*row) for row in module.instructions()]
    # %a and %b square their operand; %c has two; %d contracts other dimensions.
    assert keys[1] == keys[2]
    assert len({*keys[1:]}) == 4


def test_custom_calls_are_unknown_and_so_is_the_module() -> None:
    proto = proto_of(CUSTOM)
    costs = instruction_costs(proto, budget_s=PLENTY_S)
    assert np.isnan(costs[1]).all()
    assert costs[2].tolist() == [4.0, 48.0, 0.0]
    assert np.isnan(module_cost(compat.cpu_client(), proto)).all()


def test_without_budget_only_what_is_free_is_known() -> None:
    proto = proto_of(REPEATED)
    module = ModuleSlicer(proto)
    is_free = [module.opcode(*row) == b"parameter" for row in module.instructions()]
    costs = instruction_costs(proto, budget_s=-1.0)
    assert (costs[is_free] == 0.0).all()
    assert np.isnan(costs[np.logical_not(is_free)]).all()
    assert any(is_free) and not all(is_free)


def test_a_budget_is_not_spent_on_loops_before_their_insides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def loop(x: jax.Array) -> jax.Array:
        return jax.lax.fori_loop(0, 10, lambda _, x: jnp.tanh(x @ x) + x, x) * 2

    program = jax.jit(loop).lower(jnp.ones((8, 8)))
    proto = program.compiler_ir("hlo").as_serialized_hlo_module_proto()
    module = ModuleSlicer(proto)
    rows = list(module.instructions())
    opcodes = [module.opcode(*row) for row in rows]
    others = {
        module.key(*row)
        for row, opcode in zip(rows, opcodes, strict=True)
        if opcode not in (b"while", b"call", b"parameter", b"constant", b"get-tuple-element")
    }
    # Each look at the clock is a second: there are as many as there are things to analyse.
    clock = itertools.count()
    monkeypatch.setattr(hlo_cost.time, "thread_time", lambda: next(clock))
    costs = instruction_costs(proto, budget_s=len(others))
    is_known = dict(zip(opcodes, ~np.isnan(costs).any(axis=1), strict=True))
    assert is_known[b"dot"] and is_known[b"tanh"] and is_known[b"multiply"]
    assert not is_known[b"while"]


def test_a_budget_is_not_spent_on_cutting_the_module_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    class Slow(ModuleSlicer):
        def __init__(self, proto: bytes) -> None:
            super().__init__(proto)
            clock[0] += PLENTY_S

    monkeypatch.setattr(hlo_cost, "ModuleSlicer", Slow)
    monkeypatch.setattr(hlo_cost.time, "thread_time", lambda: clock[0])
    assert not np.isnan(instruction_costs(proto_of(REPEATED), budget_s=1.0)).any()


def test_instructions_are_cut_apart_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    proto = proto_of(FUSION)
    whole = ModuleSlicer(proto)
    monkeypatch.setattr(hlo_cost, "_AT_ONCE", 2)
    parts = ModuleSlicer(proto)
    rows = list(whole.instructions())
    assert rows == list(parts.instructions())
    assert [whole.slice(*row) for row in rows] == [parts.slice(*row) for row in rows]


def test_what_another_form_of_the_program_has_is_not_analysed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known: dict[hlo_cost.Key, hlo_cost.Costs] = {}
    costs = instruction_costs(proto_of(REPEATED), budget_s=PLENTY_S, known=known)
    monkeypatch.setattr(hlo_cost, "module_cost", lambda *_: pytest.fail("analysed again"))
    again = proto_of(REPEATED.replace("repeated", "other").replace("%a", "%another"))
    assert (instruction_costs(again, budget_s=PLENTY_S, known=known) == costs).all()

    module = parse_module(again)
    with_payload = module.SerializeToString() + encode_bytes(hlo_cost.ModuleField.PAYLOAD, b"{}")
    with pytest.raises(pytest.fail.Exception, match="analysed again"):
        instruction_costs(with_payload, budget_s=PLENTY_S, known=known)


def test_bytes_that_are_no_module() -> None:
    assert np.isnan(module_cost(compat.cpu_client(), b"\xff\xff")).all()
    with pytest.raises(ValueError):
        instruction_costs(b"\xff\xff")
    with pytest.raises(ValueError, match="no computations"):
        instruction_costs(b"")


def test_module_whose_operands_are_missing_stays_unknown_there() -> None:
    module = parse_module(proto_of(REPEATED))
    module.computations[0].instructions[1].operand_ids[0] = 12345
    costs = instruction_costs(module.SerializeToString(), budget_s=PLENTY_S)
    assert np.isnan(costs[1]).all()
    assert costs[2, 0] == 2 * 8**3


def test_marks_of_sharding_cost_nothing_and_hide_nothing() -> None:
    marked = CUSTOM.replace("Unknown", "Sharding")
    costs = instruction_costs(proto_of(marked), budget_s=PLENTY_S)
    assert costs[1].tolist() == [0.0, 0.0, 0.0]
    assert module_cost(compat.cpu_client(), proto_of(marked)) == (4.0, 48.0, 0.0)
    beside = marked.replace(
        "ROOT %z", '%w = f32[4]{0} custom-call(%x), custom_call_target="Unknown"\n  ROOT %z'
    )
    assert np.isnan(module_cost(compat.cpu_client(), proto_of(beside))).all()


def test_a_module_with_random_keys_is_counted() -> None:
    key = jax.random.key(0)
    lowered = jax.jit(lambda key, x: x + jax.random.normal(key, x.shape)).lower(key, jnp.ones(8))
    module = lowered.compiler_ir("hlo").as_hlo_module()
    flops, accessed, transcendentals = module_cost(compat.cpu_client(), module)
    assert flops > 8.0
    assert accessed > 8 * 4.0
    assert transcendentals > 0.0
