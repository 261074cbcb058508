"""No fate that XLA's own dumps refute: library calls, and the kinds of program that misled before.

`bench/fates.py` does the same for every call of the samples and of the benchmarks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.ad_checkpoint import checkpoint_name

from jaxscope.model import Capture, Fate, Graph
from jaxscope.model.capture import Proof
from jaxscope.program.fates.table import FateTable, link_products
from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.host.user_module import execute_file
from tests.fates import further, told_wrong
from tests.fates.compiled_calls import (
    capture_call,
    find_contradictions,
    hold_against_dumps,
)
from tests.fates.dumps import Dumps, Place, check_fates
from tests.fates.programs import capture_passes, capture_plain

PROGRAMS = Path(__file__).with_name("told_wrong.py")
FURTHER_PROGRAMS = Path(__file__).with_name("further.py")

OWN = (
    "small_loop(f32[8, 8], f32[8], f32[10, 8])",
    "power(f32[6, 6], f32[6])",
    "grad(summed_loop)(f32[8, 8], f32[8], f32[10, 8])",
    "same_sum_twice(f32[64])",
    "three_relus(f32[64, 64], f32[64, 64], f32[64, 64], f32[64, 64])",
    "one_function_three_times(f32[64])",
    "two_triangles(f32[32, 32])",
    "grad(solve_and_determinant)(f32[4, 4], f32[4])",
    "two_softmaxes(f32[32])",
    "grad(dropped)(f32[32], key(0))",
    "branch_in_an_unused_branch(f32[64], bool_[()])",
    "counted(f32[64])",
    "grad(stacked_products)(f32[3, 8, 8], f32[4, 8])",
    "shared_branches(f32[32])",
    "grad(lambda x: shared_branches(x).sum())(f32[32])",
    "shared_bodies(f32[32], i32[()])",
    "carried_in_vain(f32[6, 6], f32[6], i32[()])",
    "grad(two_solves)(f32[4, 4], f32[4])",
    "several_scatters(f32[6], 2)",
    "cumulative(f32[10])",
    "combined(f32[40])",
    "one_round(f32[8], f32[1, 8])",
    "truncated(key(0))",
    "grad(conjugate_gradients)(f32[6])",
    "zeros_of_two_types(bf16[8, 8], key(0))",
)

LIBRARY = (
    "jax.nn.gelu(f32[16, 8])",
    "grad(lambda x: jax.nn.silu(x).sum())(f32[16])",
    "jax.nn.log_softmax(f32[4, 8])",
    "(lambda x: jax.nn.one_hot(x, 10))(i32[6])",
    "jax.nn.standardize(f32[4, 8])",
    "jnp.linalg.inv(f32[4, 4])",
    "jnp.linalg.qr(f32[5, 3])",
    "jnp.linalg.svd(f32[4, 3])",
    "grad(lambda a: jnp.linalg.slogdet(a)[1])(f32[4, 4])",
    "jnp.linalg.norm(f32[5, 6])",
    "jnp.cumsum(f32[32])",
    "jnp.sort(f32[33])",
    "jnp.median(f32[17])",
    "jnp.percentile(f32[17], 30.0)",
    "(lambda x: jnp.histogram(x, bins=5))(f32[40])",
    "(lambda a, b, c: jnp.einsum('ij,jk,kl->il', a, b, c))(f32[4, 5], f32[5, 6], f32[6, 7])",
    "jnp.interp(f32[9], f32[5], f32[5])",
    "jnp.unwrap(f32[12])",
    "jnp.convolve(f32[16], f32[5])",
    "jnp.fft.rfft(f32[32])",
    "(lambda x, y: jnp.polyfit(x, y, 2))(f32[8], f32[8])",
    "jnp.cov(f32[4, 9])",
    "jnp.where(f32[8] > 0, f32[8], 0.0)",
    "vmap(jnp.dot)(f32[3, 5], f32[3, 5])",
    "jacfwd(jnp.tanh)(f32[4])",
    "hessian(lambda x: (jnp.sin(x) * x).sum())(f32[4])",
    "(lambda x: jax.lax.associative_scan(jnp.add, x))(f32[16])",
    "(lambda x: jax.lax.map(lambda y: jnp.exp(y) / 3, x))(f32[5])",
    "(lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (4,), (2,), 'VALID'))(f32[16])",
    "(lambda k: jax.random.normal(k, (8,)))(key(0))",
    "(lambda k: jax.random.permutation(k, 9))(key(0))",
    "jax.scipy.special.gammaln(f32[6])",
    "jax.scipy.stats.norm.logpdf(f32[6])",
    "(lambda x, i: jax.ops.segment_sum(x, i, num_segments=10))(f32[12], i32[12])",
    "jax.random.gamma(key(0), 2.5, (3,))",
    "jax.scipy.stats.mode(i32[9])",
    "(lambda n, m, t: jax.scipy.special.sph_harm_y(n, m, t, t, n_max=3))(i32[1], i32[1], f32[1])",
)


FURTHER = (
    "two_loops(f32[6, 6], f32[6], f32[4, 6])",
    "equal_after(f32[16])",
    "vmap(turned_twice)(f32[5, 3, 4, 2])",
    "summed_twice(f32[2, 3, 4])",
    "product_of_a_call(f32[3, 3], f32[3, 3])",
    "product_for_a_call(f32[4, 4], f32[3, 4], f32[3])",
    "running_sum_of_one_number(f32[3])",
    "changed(f32[100])",
    "invariant(f32[8, 8], f32[8])",
    "split(i32[128, 128])",
    "largest(f32[8], f32[8])",
    "chosen(f32[16], i32[()])",
    "made_of_nothing(f32[3])",
    "solved(f32[3, 3], f32[3])",
    "weighed(f32[4, 5], f32[3, 5], f32[3, 4])",
    "vmap(approached, in_axes=(None, 0))(f32[5, 5], f32[2, 5])",
    "grad(chain_of_products)(f32[3, 3])",
    "grad(largest_of_windows)(f32[6, 6])",
    "kernels_of_one_step(f32[64], f32[64])",
)
"""Of `further.py`; the benchmark has the others."""


QUICK = frozenset(
    {
        "small_loop(f32[8, 8], f32[8], f32[10, 8])",
        "power(f32[6, 6], f32[6])",
        "same_sum_twice(f32[64])",
        "three_relus(f32[64, 64], f32[64, 64], f32[64, 64], f32[64, 64])",
        "one_function_three_times(f32[64])",
        "two_triangles(f32[32, 32])",
        "branch_in_an_unused_branch(f32[64], bool_[()])",
        "counted(f32[64])",
        "shared_branches(f32[32])",
        "several_scatters(f32[6], 2)",
        "cumulative(f32[10])",
        "one_round(f32[8], f32[1, 8])",
        "changed(f32[100])",
        "invariant(f32[8, 8], f32[8])",
        "split(i32[128, 128])",
        "largest(f32[8], f32[8])",
        "chosen(f32[16], i32[()])",
        "weighed(f32[4, 5], f32[3, 5], f32[3, 4])",
        "summed_twice(f32[2, 3, 4])",
        "running_sum_of_one_number(f32[3])",
        "jax.nn.gelu(f32[16, 8])",
        "jnp.linalg.svd(f32[4, 3])",
        "grad(lambda x: jax.nn.silu(x).sum())(f32[16])",
        "(lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (4,), (2,), 'VALID'))(f32[16])",
    }
)
"""One of each kind: loops, branches, calls, merged sums, scatters, reductions, library kernels. The
others are larger, as derivatives are, or look like these."""


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, marks=[pytest.mark.slow] * (text not in QUICK))
        for text in (*OWN, *FURTHER, *LIBRARY)
    ],
)
def test_no_fate_is_refuted_by_what_xla_dumps(text: str) -> None:
    file = FURTHER_PROGRAMS if text in FURTHER else PROGRAMS
    namespace = call_namespace(vars(execute_file(str(file), file.read_text("utf-8"))))
    call = parse_call(text, namespace, file=str(file))
    capture = capture_call(call, str(file))
    assert isinstance(capture, Capture)
    assert list(find_contradictions(capture)) == []
    for way, verdicts in hold_against_dumps(capture, call).items():
        assert verdicts.refuted == (), way
        if way == "recorded":
            assert verdicts.proven > 0


def test_what_takes_the_name_of_what_it_replaces_is_not_taken_for_it() -> None:
    """Of `abs(abs(x))` the inner one is left, and XLA calls it as the outer one was called."""
    fates = capture_passes(lambda x: jnp.abs(jnp.abs(x)), jnp.ones(16)).fates
    assert fates["0"].fate == "kernel"
    assert fates["1"].fate == "simplified", fates["1"]
    assert fates["1"].proof is not None and fates["1"].proof.before == ("abs.3",)


def test_a_scatter_that_became_an_update_is_not_dead() -> None:
    """Its loop of one round is unrolled, and instructions that XLA made for it are left."""
    fates = capture_passes(lambda x: x.at[0].set(1.0), jnp.ones(100)).fates
    (scatter,) = [fate for fate in fates.values() if fate.fate not in ("folded", "simplified")]
    assert scatter.fate in ("kernel", "fused"), scatter


def test_loops_that_are_made_anew_at_once_are_not_taken_for_one_another() -> None:
    """Their bodies have no names, and each has an update of one element."""
    capture = capture_passes(told_wrong.several_scatters, jnp.ones(6), 2)
    stage = capture.stage("jaxpr")
    assert stage is not None and isinstance(stage.graph, Graph)
    scatters = [
        set(fate.instructions)
        for id, fate in capture.fates.items()
        if stage.graph.node(stage.graph.index_by_id[id]).operation.startswith("scatter")
    ]
    assert len(scatters) == 4 and all(scatters)
    for one, other in itertools.combinations(scatters, 2):
        assert one.isdisjoint(other)


def test_equal_instructions_that_are_wrapped_at_once_are_told_apart() -> None:
    fates = capture_passes(told_wrong.cumulative, jnp.ones(10)).fates
    windows = [fate for fate in fates.values() if "wrapped_reduce-window" in fate.text]
    assert len(windows) == 2, fates
    assert {fate.fate for fate in windows} == {"kernel"}
    assert windows[0].instructions != windows[1].instructions


def test_windows_that_share_a_constant_are_told_apart_by_how_they_combine() -> None:
    capture = capture_plain(told_wrong.running, jnp.ones(10))
    (_, module) = [s.graph for s in capture.stages if s.name in ("hlo", "optimized")]
    assert isinstance(module, Graph)
    called = {"0": "maximum", "1": "log-plus-one"}
    for id, opcode in called.items():
        fate = capture.fates[id]
        assert fate.fate == "kernel", fate
        (window,) = [name for name in fate.instructions if name.startswith("reduce-window")]
        (region,) = module.owned_groups()[module.index_by_name()[window]]
        inside = [i for i in range(len(module.nodes)) if module.nodes.group[i] == region]
        assert opcode in map(module.operation, inside)


def test_a_split_reduction_is_where_most_of_it_runs() -> None:
    capture = capture_passes(lambda x: jnp.sum(x), jnp.ones((128, 128), jnp.int32))
    linked = link_products(capture)
    assert linked is not None and isinstance(linked.graph, Graph)
    (first, last) = [
        linked.graph.node(node)
        for node in range(len(linked.graph.nodes))
        if linked.graph.string(linked.graph.nodes.operation, node) == "fusion"
    ]
    assert first.derived == last.derived == ("0",)
    for table in (capture.fates, FateTable(capture.stages)):
        told = f"Has a kernel of its own, {first.name}, in parts, which {last.name} combines."
        assert table["0"].text == told
        assert table["0"].instructions[0].startswith("reduce-window")


def test_what_a_loop_begins_with_is_made_when_it_runs() -> None:
    """The conversion to HLO makes a broadcast of it, without its name."""
    rows = jnp.ones((8, 16))
    capture = capture_passes(
        lambda xs: lax.scan(lambda c, x: (jnp.sin(c + x), None), jnp.zeros(16), xs)[0], rows
    )
    for table in (capture.fates, FateTable(capture.stages)):
        (made,) = table["0"].instructions
        told = f"Depends on no argument: {made} holds its value, or one made of it."
        assert table["0"].text == told
        assert (table["0"].fate, table["0"].certainty) == ("kernel", "inferred")


def test_no_constant_is_said_to_be_a_value_that_it_is_not() -> None:
    def scaled(x: jax.Array) -> jax.Array:
        a = 2 / jnp.sqrt(5.0)
        return x * a * (4 * a)

    capture = capture_passes(scaled, jnp.ones(4))
    optimized = capture.stage("optimized")
    assert optimized is not None and optimized.text is not None
    kept = dict(re.findall(r"%?([\w.]+) = f32\[\] constant\(([\d.]+)\)", optimized.text.text))
    assert [float(each) for each in kept.values()] == pytest.approx([16 / 5])
    for table in (capture.fates, FateTable(capture.stages)):
        of_constants = [fate for fate in table.values() if set(fate.instructions) & set(kept)]
        assert of_constants
        for fate in of_constants:  # none is 16 / 5 by itself but the last product
            assert "or one made of it" in fate.text or fate.fate != "folded"


def test_a_product_in_the_order_of_its_transpose_is_where_the_product_runs() -> None:
    w, x, u = jnp.ones((4, 5)), jnp.ones((3, 5)), jnp.ones((3, 4))
    fates = capture_passes(further.weighed, w, x, u).fates
    (product,) = [fate for fate in fates.values() if fate.text.startswith("Runs in ")]
    assert (product.fate, product.certainty) == ("library", "proven")
    (turned,) = [fate for fate in fates.values() if "in that order" in fate.text]
    assert turned.fate == "simplified" and set(turned.instructions) & set(product.instructions)


def offloaded() -> tuple[Callable[..., jax.Array], tuple[jax.Array, ...]]:
    """A checkpointed block of which a value waits in the memory of the host."""
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[],
        names_which_can_be_offloaded=["h"],
        offload_src="device",
        offload_dst="pinned_host",
    )

    def loss(x: jax.Array, w: jax.Array, v: jax.Array) -> jax.Array:
        def block(x: jax.Array, w: jax.Array, v: jax.Array) -> jax.Array:
            return jnp.sin(checkpoint_name(jnp.tanh(x @ w), "h") @ v)

        return jnp.sum(jax.checkpoint(block, policy=policy)(x, w, v) ** 2)

    return loss, (jnp.ones((16, 8)), jnp.ones((8, 32)), jnp.ones((32, 8)))


def test_a_product_whose_fusion_is_merged_with_an_equal_one_is_not_dead() -> None:
    """A gradient makes the products of a checkpointed block again, and XLA's last search for equal
    instructions finds the two calls of its library, not what is in them.
    """
    loss, arguments = offloaded()
    capture = capture_passes(jax.grad(loss), *arguments)
    stage = capture.stage("jaxpr")
    assert stage is not None and isinstance(stage.graph, Graph)
    products = {
        id: capture.fates[id]
        for id, node in stage.graph.index_by_id.items()
        if stage.graph.operation(node) == "dot_general"
    }
    # Of the program's own text: all are used, by what gives the result or by an equal one.
    text = jax.make_jaxpr(jax.grad(loss))(*arguments)
    assert str(text).count("dot_general[") == len(products) == 6
    assert {fate.fate for fate in products.values()} <= {"library", "merged"}
    merged = [fate for fate in products.values() if fate.fate == "merged"]
    assert len(merged) == 2 and all("by cse" in fate.text for fate in merged)


DUMPED = {
    "before": """\
HloModule m

%region (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

%first (p: f32[4,4], q: f32[4,4]) -> f32[4] {
  %p = f32[4,4]{1,0} parameter(0)
  %q = f32[4,4]{1,0} parameter(1)
  %product.1 = f32[4,4]{1,0} dot(%p, %q), metadata={op_name="jxsd1~/dot"}
  %zero.1 = f32[] constant(0)
  ROOT %sum.1 = f32[4]{0} reduce(%product.1, %zero.1), dimensions={1}, to_apply=%region
}

%second (r: f32[4,4], t: f32[4,4]) -> f32[4] {
  %r = f32[4,4]{1,0} parameter(0)
  %t = f32[4,4]{1,0} parameter(1)
  %product.2 = f32[4,4]{1,0} dot(%r, %t), metadata={op_name="jxsd2~/dot"}
  %zero.2 = f32[] constant(0)
  ROOT %sum.2 = f32[4]{0} reduce(%product.2, %zero.2), dimensions={1}, to_apply=%region
}

ENTRY %main (x: f32[4,4]) -> (f32[4], f32[4]) {
  %x = f32[4,4]{1,0} parameter(0)
  %one = f32[4]{0} fusion(%x, %x), kind=kCustom, calls=%first
  %two = f32[4]{0} fusion(%x, %x), kind=kCustom, calls=%second
  %use = f32[4]{0} negate(%one)
  ROOT %all = (f32[4]{0}, f32[4]{0}) tuple(%use, %two)
}
""",
    "merged": ("negate(%one)", "negate(%two)"),
    "other": ("f32[4,4]{1,0} dot(%r, %t)", "f32[4,4]{1,0} add(%r, %t)"),
}


@pytest.mark.parametrize("is_equal", [True, False])
def test_the_dumps_refute_that_what_is_in_a_merged_fusion_is_dead(
    tmp_path: Path, is_equal: bool
) -> None:
    """And not where the fusion that lives on computes something else."""
    before = DUMPED["before"] if is_equal else DUMPED["before"].replace(*DUMPED["other"])
    left, _, entry = before.partition("%first (p")
    _, _, entry = entry.partition("%second (r")
    after = f"{left}%second (r{entry}".replace(*DUMPED["merged"])
    lines = [line for line in after.splitlines(keepends=True) if " %one = " not in line]
    (tmp_path / "module_0001.m.before_optimizations.txt").write_text(before)
    (tmp_path / "module_0001.m.0001.p.after_cse.before_end.txt").write_text("".join(lines))
    (tmp_path / "module_0001.m.cpu_after_optimizations.txt").write_text("".join(lines))
    proof = Proof(1, "cse", ("product.1",))
    fate = Fate("dead", "cse", text="Removed.", certainty="proven", proof=proof)
    found = check_fates(
        {"1": fate}, Dumps(tmp_path), ["0", "1", "2"], {(1, "cse"): 0}, {"1": Place()}
    ).refuted
    told = "one around it was merged with two, whose result is used"
    assert any(told in each for each in found) is is_equal


def test_numbers_in_order_that_are_made_wider_at_once_are_taken_into_these() -> None:
    """XLA's own text has one array of them left, in the shape to which the ten are spread."""

    def function(x: jax.Array, i: jax.Array) -> jax.Array:
        return (x * jax.nn.one_hot(i, 10)).sum()

    arguments = jnp.ones((8, 10)), jnp.zeros(8, jnp.int32)
    lowered = jax.jit(function).lower(*arguments)
    made = [
        re.findall(r"= (\w+\[[\d,]*\])\S* iota\(", text)
        for text in (lowered.compiler_ir("hlo").as_hlo_text(), lowered.compile().as_text())
    ]
    assert made == [["s32[10]"], ["s32[8,10]"]]

    capture = capture_passes(function, *arguments)
    jaxpr, optimized = capture.stage("jaxpr"), capture.stage("optimized")
    assert jaxpr is not None and isinstance(jaxpr.graph, Graph)
    assert optimized is not None and isinstance(optimized.graph, Graph)
    (numbers,) = jaxpr.graph.nodes_of(["iota"])
    for table in (capture.fates, FateTable(capture.stages)):
        fate = table[jaxpr.graph.id(numbers)]
        assert fate.fate == "simplified" and "aken into iota" in fate.text
        (name,) = fate.instructions
        node = optimized.graph.index_by_id[name]
        assert optimized.graph.operation(node) == "iota"
        assert optimized.graph.types(node)[0].startswith("s32[8,10]")


def test_what_an_equal_product_does_is_merged_without_recorded_passes_too() -> None:
    """The block of a checkpoint that is offloaded works from what is fetched back, of which the
    lowering for the CPU makes nothing; XLA's text has fewer products than the jaxpr."""
    loss, arguments = offloaded()
    compiled = jax.jit(jax.grad(loss)).lower(*arguments).compile().as_text() or ""
    left = len(re.findall(r" dot\(", compiled))
    assert left == 4
    capture = capture_passes(jax.grad(loss), *arguments)
    stage = capture.stage("jaxpr")
    assert stage is not None and isinstance(stage.graph, Graph)
    table = FateTable(capture.stages)
    fates = [table[stage.graph.id(node)] for node in stage.graph.nodes_of(["dot_general"])]
    assert len(fates) == 6
    assert [fate.fate for fate in fates].count("merged") == 6 - left
    assert {fate.fate for fate in fates} == {"merged", "library"}
