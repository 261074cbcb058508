"""What each pass did, recorded from a real compilation."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Capture, Graph
from jaxscope.schema.archive import load_capture, save_capture
from tests.fates import programs
from tests.fates.programs import W, X, capture_passes, capture_plain, fate_of, fates_by_operation


@pytest.fixture(scope="module")
def repeated() -> Capture:
    return capture_passes(programs.repeat, X)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("function", "args", "operation", "fate", "pass_name", "words"),
    [
        (programs.divide, (X,), "div", "fused", "fusion", "Divide became multiply by 0.333"),
        (
            programs.compute_in_vain,
            (X,),
            "cos",
            "dead",
            None,
            "Nothing that is kept needs its result",
        ),
        (programs.carry_unseen, (X,), "cos", "dead", "simplify-while-loops", "Removed by simplify"),
        (
            programs.flatten,
            (X,),
            "reshape",
            "layout",
            "reshape-decomposer",
            "Computes nothing",
        ),
        (
            programs.multiply_transposed,
            (X, W),
            "transpose",
            "simplified",
            "transpose-folding",
            "the argument",
        ),
        (programs.sum_of_one, (X,), "reduce_sum", "simplified", "algsimp", "with equation 0: "),
        (programs.alone, (X,), "tanh", "kernel", "fusion-wrapper", "kernel of its own"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_pass_that_decided(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    operation: str,
    fate: str,
    pass_name: str | None,
    words: str,
) -> None:
    found = fate_of(capture_passes(function, *args), operation)
    assert (found.fate, found.pass_name) == (fate, pass_name)
    assert words in found.text


def test_what_is_computed_of_constants_alone_is_folded_however_far_its_users_are() -> None:
    found = fates_by_operation(capture_passes(programs.step_through_numbers, X))
    fates = [fate for name, fate in found if name == "nextafter"]
    assert len(fates) == 25
    assert {(fate.fate, fate.pass_name) for fate in fates} == {("folded", "constant_folding")}


def test_cse_is_named_with_the_equation_that_remains(repeated: Capture) -> None:
    for id, partner in (("2", "0"), ("3", "1")):
        fate = repeated.fates[id]
        assert (fate.fate, fate.pass_name, fate.merged_with) == ("merged", "cse", (partner,))
        assert f"equation {partner}" in fate.text


def test_two_negations_are_removed_by_algebra() -> None:
    capture = capture_passes(programs.negate_twice, X)
    for id in ("1", "2"):
        fate = capture.fates[id]
        assert (fate.fate, fate.pass_name) == ("simplified", "algsimp")
        assert "of equation 0 takes their place" in fate.text


def test_what_undoes_another_is_not_said_to_change_nothing() -> None:
    """Nor is it taken into the tuple of the results, where that has several new elements."""
    fates = capture_passes(programs.undo_twice, X).fates
    for one, other in (("0", "1"), ("1", "0"), ("2", "3"), ("3", "2")):
        assert fates[one].fate == "simplified"
        assert f"Removed by algsimp together with equation {other}: " in fates[one].text


def test_records_start_with_the_module_as_received(repeated: Capture) -> None:
    first, *passes = (r for r in repeated.passes if r.has_changed or not r.name)
    assert (first.name, first.pipeline) == ("", "")
    assert "sine(" in first.text
    assert [record.name for record in passes][:2] == ["cse", "fusion"]
    before_fusion, fusion = passes[0], passes[1]
    assert before_fusion.num_instructions < first.num_instructions
    assert (before_fusion.num_fusions, fusion.num_fusions) == (0, 1)
    assert fusion.cost.bytes_accessed < before_fusion.cost.bytes_accessed


def test_a_pass_shows_what_it_changed_before_and_after(repeated: Capture) -> None:
    (cse,) = (record for record in repeated.passes if record.name == "cse")
    assert cse.ended == ("2", "3")
    assert (cse.num_added, cse.num_removed) == (0, 2)
    assert cse.before.count("sine(") == 2
    assert cse.text.count("sine(") == 1


def test_an_equation_can_be_followed(repeated: Capture) -> None:
    carried = {r.name: r.carriers["3"] for r in repeated.passes if "3" in r.carriers}
    assert carried[""]
    assert carried["cse"] == ()


def test_the_contract_has_its_keys(repeated: Capture) -> None:
    (stage,) = [s for s in capture_to_json(repeated)["stages"] if s["name"] == "passes"]
    assert stage["unavailable"] is None
    for record in stage["passes"]:
        assert set(record) >= {"name", "changed", "instructions", "fusions", "cost", "text"}
    names = [stage["name"] for stage in capture_to_json(repeated)["stages"]]
    assert names.index("hlo") < names.index("passes") < names.index("optimized")


def test_passes_are_left_out_unless_asked_for() -> None:
    capture = capture_plain(programs.alone, X)
    assert capture.stage("passes") is None
    assert capture.passes == ()


def products_of_stacks(matrix: jax.Array, right: jax.Array, points: jax.Array) -> jax.Array:
    def of_one(right: jax.Array, points: jax.Array) -> jax.Array:
        powers = jnp.stack([points, points**2, points**3, points], -1)
        return jnp.einsum("ji,ij->i", matrix @ right, powers)

    return jax.vmap(of_one)(right, points)


def test_what_a_sum_of_products_begins_with_belongs_to_the_product_that_it_was() -> None:
    """XLA makes a small product a sum. Its second operand is a zero, that of the product the stack
    of powers, which was said to hold the zero."""
    shapes = (4, 4), (3, 4, 2), (3, 2)
    arguments = [np.ones(shape, np.float32) for shape in shapes]
    capture = capture_passes(products_of_stacks, *arguments)
    stage = capture.stage("optimized")
    assert stage is not None and isinstance(stage.graph, Graph)
    graph = stage.graph
    edges = zip(graph.edges.source.tolist(), graph.edges.target.tolist(), strict=True)
    (zero,) = (
        graph.id(source)
        for source, target in edges
        if (graph.operation(source), graph.operation(target)) == ("constant", "reduce")
    )

    (holding,) = (fate for fate in capture.fates.values() if zero in fate.instructions)

    assert holding.text.startswith("Dot became multiply and reduce in algsimp")


def test_passes_survive_a_file(repeated: Capture, tmp_path: Path) -> None:
    save_capture(repeated, tmp_path / "a.jaxscope")
    again = load_capture(tmp_path / "a.jaxscope")
    assert [(p.name, p.before, p.text, p.carriers) for p in again.passes] == [
        (p.name, p.before, p.text, dict(p.carriers)) for p in repeated.passes
    ]
    assert [p.module() for p in again.passes] == [p.module() for p in repeated.passes]
    assert again.passes[-1].peak_bytes == repeated.passes[-1].peak_bytes > 0
    number = [record.name for record in again.passes].index("cse")
    assert again.passes[number].seconds == repeated.passes[number].seconds > 0
    assert again.pass_tags.derived == repeated.pass_tags.derived != ()
    assert dict(again.fates) == dict(repeated.fates)


@pytest.mark.slow
def test_the_command_line_records_and_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("import jax.numpy as jnp\ndef f(x): return jnp.sin(x) / 3 + jnp.sin(x)\n")
    out = tmp_path / "out.jaxscope"
    words = ["capture", str(file), "f(f32[8])", "--passes", "-o", str(out)]
    subprocess.run([sys.executable, "-m", "jaxscope", *words], check=True, timeout=120)
    assert [record.name for record in load_capture(out).passes if record.name]
    left = list(Path(tempfile.gettempdir()).glob("jaxscope-scratch-*"))
    assert all(_is_alive(path) for path in left)


def _is_alive(path: Path) -> bool:
    """Whether a scratch folder is that of another process that runs at the moment."""
    return Path("/proc", path.name.split("-")[2]).exists()
