"""What one run of a whole program does: loops, branches and shared calls, against sums by hand."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import pytest

from captures import taking
from jaxscope.export.capture_json import capture_to_json
from jaxscope.export.markdown import capture_to_markdown
from jaxscope.model import Capture, Cost
from jaxscope.model.hardware import Chip, find_chip
from jaxscope.model.units import format_flops
from jaxscope.program.cost.attribution import CostChange, RowKind, find_cost_change
from jaxscope.program.cost.work import CUMULATIVE, Work, find_stage_works
from jaxscope.program.roofline import Roofline, find_best, find_roofline
from jaxscope.program.targets import Estimate, estimate
from jaxscope.report.document import write_text
from jaxscope.report.roofline import roofline_to_document, roofline_to_json

SOURCE = """\
import jax, jax.numpy as jnp
from jax import lax


def either(p, a):
    return lax.cond(p > 0, lambda a: a @ a, lambda a: a + 1.0, a)


def one_of_three(i, a):
    return lax.switch(i, [lambda a: a - 1.0, lambda a: a @ a, lambda a: a @ a @ a], a)


def often(p, a):
    def body(c, _):
        return lax.cond(p > 0, lambda c: c @ c, lambda c: c + 1.0, c), None

    return lax.scan(body, a, None, length=5)[0]


def scanned(w, xs):
    return lax.scan(lambda c, x: (c @ w + x, None), xs[0], xs)[0]


def unrolled(a, unroll):
    return lax.scan(lambda c, _: (c @ a, None), a, None, length=5, unroll=int(unroll))[0]


def uncounted(x):
    return lax.igamma(x, x) + x


def unknown(x):
    return lax.while_loop(lambda v: jnp.sum(v) < 1e6, lambda v: v @ v, x)


def solved(a, b):
    return jax.scipy.sparse.linalg.cg(lambda x: a @ x, b, maxiter=9)[0]


def three(x, y, z):
    return jax.nn.relu(x), jax.nn.relu(y), jax.nn.relu(z)


def summed(x):
    return jnp.cumsum(x)


def product(a, b):
    return a @ b


def packed(a, b):
    return a.astype(jnp.float32) @ b


def exact(a, b):
    return jnp.matmul(a, b, precision="highest")
"""
SIDE = 64
PRODUCT = 2.0 * SIDE**3
MATRIX = f"f32[{SIDE}, {SIDE}]"
MODULES = ("stablehlo", "hlo", "optimized")

Take = Callable[[str], Capture]


@pytest.fixture(scope="module")
def take(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Take]:
    """Capture a call of the programs; each call once."""
    path = tmp_path_factory.mktemp("whole") / "programs.py"
    path.write_text(SOURCE, encoding="utf-8")
    with taking() as capture:
        yield functools.partial(capture, path)


def works_of(capture: Capture) -> dict[str, Work]:
    return dict(find_stage_works(capture.stages))


def change_of(capture: Capture, by: RowKind) -> CostChange:
    found = find_cost_change(capture, by)
    assert isinstance(found, CostChange)
    return found


def roofline_of(capture: Capture) -> Roofline:
    found = find_roofline(capture.stage("optimized"))
    assert isinstance(found, Roofline)
    return found


def chip(name: str) -> Chip:
    found = find_chip(name)
    assert found is not None
    return found


def test_branches_are_a_range_and_the_dearest_is_xlas_count(take: Take) -> None:
    capture = take(f"either(f32[], {MATRIX})")
    works = works_of(capture)
    assert (works["jaxpr"].low.flops, works["jaxpr"].high.flops) == (
        2.0 + SIDE**2,
        2.0 + PRODUCT,
    )
    for name in MODULES:
        stage = capture.stage(name)
        assert stage is not None
        assert works[name].high.flops == stage.cost.flops
        assert works[name].low.flops == pytest.approx(SIDE**2, abs=3)
        assert "4.10 kFLOP to 524 kFLOP" in works[name].flops
        assert any("from the cheapest to the dearest" in note for note in works[name].notes)


def test_no_figure_of_a_roofline_adds_branches_up(take: Take) -> None:
    capture = take(f"one_of_three(i32[], {MATRIX})")
    change = change_of(capture, RowKind.LINE)
    least_before, least_after = change.least
    for most, least in ((change.before, least_before), (change.after, least_after)):
        assert most.flops == pytest.approx(2 * PRODUCT, abs=5)
        assert least.flops == pytest.approx(SIDE**2, abs=5)
    (line,) = [row for row in change.rows if row.name == "programs.py:10"]
    assert line.after.cost.flops == pytest.approx(2 * PRODUCT, abs=5)
    assert line.after.least.flops == pytest.approx(SIDE**2, abs=5)
    found = roofline_of(capture)
    (points,) = [point for point in found.lines if point.name == "programs.py:10"]
    assert points.flops == pytest.approx(2 * PRODUCT, abs=5)
    assert sum(point.flops for point in found.kernels) > 2.9 * PRODUCT, "each as if it ran"
    text = write_text(roofline_to_document(capture, found, None))
    assert "up to 1" in text and "branches count as if their branch were taken" in text


def test_an_estimate_with_branches_is_a_range(take: Take) -> None:
    capture = take(f"one_of_three(i32[], {MATRIX})")
    found = estimate(capture.stage("optimized"), chip("v100"))
    assert isinstance(found, Estimate)
    dearest = max(2 * PRODUCT / 15.7e12, 2 * 3 * 4 * SIDE**2 / 900e9)
    cheapest = 2 * 4 * SIDE**2 / 900e9
    assert found.most_seconds == pytest.approx(dearest, rel=0.3)
    assert found.seconds == pytest.approx(cheapest, rel=0.3)


def test_branches_in_a_loop_count_as_often_as_it_runs(take: Take) -> None:
    for name, work in works_of(take(f"often(f32[], {MATRIX})")).items():
        if name != "gradient":
            assert work.high.flops == pytest.approx(5 * PRODUCT, rel=0.001), name
            assert work.low.flops == pytest.approx(5 * SIDE**2, rel=0.01), name


def test_a_loop_counts_alike_in_every_stage(take: Take) -> None:
    works = works_of(take(f"scanned({MATRIX}, f32[10, 8, {SIDE}])"))
    own = 10 * (2.0 * 8 * SIDE * SIDE + 8 * SIDE)
    assert works["jaxpr"].high.flops == own
    for name in MODULES:
        assert works[name].high.flops == pytest.approx(own, rel=0.001), "its counter is besides"
        assert "Loops count as often as they run." in works[name].notes


@pytest.mark.sweep(2)
@pytest.mark.parametrize("unroll", [2, 3, 4, 5, 7])
def test_what_unrolling_leaves_of_a_scan_is_a_loop_of_known_length(take: Take, unroll: int) -> None:
    """Also where XLA makes straight code of it, and so does not say how often it runs."""
    capture = take(f"unrolled({MATRIX}, {unroll})")
    works = works_of(capture)
    for name in ("jaxpr", *MODULES):
        assert works[name].low.flops == pytest.approx(5 * PRODUCT, abs=20)
        assert works[name].high.flops == works[name].low.flops
    assert not any("not known" in note for work in works.values() for note in work.notes)


def test_what_nobody_counts_is_named() -> None:
    nothing = Cost(0.0, 0.0, 0.0)
    (one,) = Work(nothing, nothing, 1, uncounted=("igamma",)).notes
    assert one == "What 1 node costs is unknown: igamma."
    (many,) = Work(nothing, nothing, 9, num_moving=1, uncounted=tuple("abcde")).notes[:1]
    assert many == "What 8 nodes cost is unknown: a, b, c and 2 more."


def test_what_is_uncounted_is_found(take: Take) -> None:
    work = works_of(take("uncounted(f32[16, 16])"))["jaxpr"]
    assert work.uncounted == ("igamma",)


def test_a_loop_of_unknown_length_is_said_everywhere(take: Take) -> None:
    capture = take("unknown(f32[16, 16])")
    for name, work in works_of(capture).items():
        assert work.flops.endswith(", 1 loop counted once"), name
        assert any("may never run" in note for note in work.notes), name
    markdown = capture_to_markdown(capture)
    assert "8.45 kFLOP, 1 loop counted once" in markdown
    stages = {stage["name"]: stage for stage in capture_to_json(capture)["stages"]}
    assert stages["optimized"]["work"]["loops_counted_once"] == 1
    assert stages["jaxpr"]["work"]["flops"]["high"] == 2 * 16**3 + 16**2
    assert roofline_to_json(roofline_of(capture), None)["loops_counted_once"] == 1


def test_work_is_known_where_only_bytes_are_not(take: Take) -> None:
    """Whether numbers of four bits are packed is not known before a backend lays them out."""
    work = works_of(take("packed(i4[8, 16], f32[16, 4])"))["jaxpr"]
    assert work.flops == format_flops(8 * 16 + 2.0 * 8 * 16 * 4)
    assert work.num_bytes.startswith("at least")
    (note,) = work.notes
    assert note.startswith("How many bytes are moved is not known of all nodes")


def test_a_linear_solve_does_what_the_rule_does_that_runs(take: Take) -> None:
    """It carries rules for derivatives as well, another loop among them."""
    works = works_of(take("solved(f32[16, 16], f32[16])"))
    assert works["jaxpr"].flops.endswith(", 1 loop counted once")
    assert works["jaxpr"].high.flops == pytest.approx(works["hlo"].high.flops, rel=0.05)


def test_calls_of_one_shared_function_count_each(take: Take) -> None:
    """JAX lowers them to three calls of one computation."""
    capture = take(f"three({MATRIX}, {MATRIX}, {MATRIX})")
    assert works_of(capture)["hlo"].high.flops == 3 * SIDE**2
    for by in RowKind:
        change = change_of(capture, by)
        assert change.before.flops == change.after.flops == 3 * SIDE**2


def test_the_count_of_a_cumulative_sum_is_said_to_be_xlas(take: Take) -> None:
    works = works_of(take("summed(f32[1024])"))
    assert works["jaxpr"].high.flops == works["hlo"].high.flops == 1024 * 1023
    assert CUMULATIVE in works["jaxpr"].notes and CUMULATIVE in works["hlo"].notes


@pytest.mark.parametrize(
    ("call", "name", "rate"),
    [
        ("product(f32[2048, 2048], f32[2048, 2048])", "h100", 494.7e12),
        ("exact(f32[2048, 2048], f32[2048, 2048])", "h100", 66.9e12),
        ("exact(f32[2048, 2048], f32[2048, 2048])", "v5e", 197e12 / 6),
    ],
)
def test_a_roofline_and_an_estimate_use_one_model(
    take: Take, call: str, name: str, rate: float
) -> None:
    capture, ceilings = take(call), chip(name).ceilings()
    found = roofline_of(capture)
    (product,) = [point for point in found.kernels if point.flops >= 2 * 2048**3]
    told = roofline_to_json(found, ceilings)
    (row,) = [row for row in told["kernels"] if row["name"] == product.name]
    assert row["seconds_at_best"] == pytest.approx(2 * 2048**3 / rate, rel=0.01)
    best = estimate(capture.stage("optimized"), chip(name))
    assert isinstance(best, Estimate)
    assert best.seconds == pytest.approx(find_best(found, ceilings).best)
    assert best.seconds == pytest.approx(sum(row["seconds_at_best"] for row in told["kernels"]))


def test_kernels_of_another_chip_are_said_to_be(take: Take) -> None:
    capture = take("product(f32[2048, 2048], f32[2048, 2048])")
    text = write_text(roofline_to_document(capture, roofline_of(capture), chip("h100").ceilings()))
    assert "These kernels were compiled for cpu: for NVIDIA H100 SXM5 80 GB" in text
    assert "--target aot:gpu:h100" in text
