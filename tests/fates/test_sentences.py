"""What fates say, in words that need no knowledge of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from jaxscope.client import one_shot
from jaxscope.export.capture_json import capture_to_json
from jaxscope.in_process import capture_function
from jaxscope.model import Graph, NodeKind
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.program.fates.equations import Equations
from jaxscope.program.fates.no_ops import explain_neutral_operand
from tests.fates import programs
from tests.fates.programs import W, X, capture_passes, capture_plain, fate_of


@pytest.mark.parametrize(
    ("function", "args", "operation", "sentence"),
    [
        (
            programs.add_nothing,
            (X,),
            "add",
            "Rewritten away when StableHLO became HLO, before XLA's first pass, for adding 0 "
            "changes nothing: equation 1 now works from an argument.",
        ),
        (programs.never_branch, (X,), "cos", "Is in a branch that is never taken."),
        (
            programs.use_constant,
            (X,),
            "exp",
            "Depends on no argument: constant.0 holds its value, or one made of it.",
        ),
        (programs.scan_rows, (X,), "scan", "Became the loop while.0, whose body runs 8 times."),
    ],
)
def test_without_passes(
    function: Callable[..., Any], args: tuple[Any, ...], operation: str, sentence: str
) -> None:
    assert fate_of(capture_plain(function, *args), operation).text == sentence


def test_with_passes_a_transposed_product_is_told_as_such() -> None:
    fate = fate_of(capture_passes(programs.multiply_transposed, X, W), "transpose")
    assert fate.pass_name == "transpose-folding"
    assert fate.text == (
        "Folded by transpose-folding into the product that read it: that now reads the argument "
        "x.1 in the other order."
    )


def test_a_branch_per_element_is_told_as_a_choice(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(
        "import jax.numpy as jnp\nfrom jax import lax\n"
        "def choose(x): return lax.cond(x > 0, jnp.sin, jnp.cos, x)\n"
    )
    capture = one_shot.capture(str(file), "vmap(choose)(f32[4])")
    fate = fate_of(capture, "cond")
    assert fate.fate == "fused"
    assert fate.text.startswith("vmap computes both branches, and a select chooses.")
    told = capture_to_json(capture)["derived_fates"]
    assert told["stage"] == "vmap"
    assert all(fate["fate"] != "unknown" for fate in told["fates"].values())


def test_what_ends_before_the_first_pass_says_so() -> None:
    def keep(x: jax.Array) -> jax.Array:
        return jnp.where(lax.bitwise_and(x > 0, jnp.bool_(True)), jnp.sin(x), jnp.cos(x))

    fate = fate_of(capture_plain(keep, X), "and")
    assert fate.fate == "simplified"
    assert "a conjunction with true changes nothing" in fate.text


def graph_of(operation: str, **attributes: str) -> Graph:
    builder = GraphBuilder()
    row = {
        name.replace("in", "in[") + "]" if name[:2] == "in" else name: text
        for name, text in attributes.items()
    }
    builder.add_node("0", NodeKind.EQUATION, operation, name="a", types=["f32[]"], attributes=row)
    return builder.build()


@pytest.mark.parametrize(
    ("operation", "attributes", "is_neutral"),
    [
        ("add", {"in1": "0.0:f32[]"}, True),
        ("add", {"in0": "0:i32[]"}, True),
        ("sub", {"in1": "0.0:f32[]"}, True),
        ("sub", {"in0": "0.0:f32[]"}, False),  # that is a negation
        ("div", {"in0": "1.0:f32[]"}, False),
        ("mul", {"in1": "1.0:f32[]"}, True),
        ("mul", {"in1": "0.0:f32[]"}, False),
        ("max", {"in0": "-inf:f32[]"}, True),
        ("or", {"in1": "False:bool[]"}, True),
        ("and", {"in1": "False:bool[]"}, False),
        ("integer_pow", {"y": "1"}, True),
        ("integer_pow", {"y": "2"}, False),
        ("add", {"in1": "[0. 0.]:f32[2]"}, False),
        ("sin", {}, False),
    ],
)
def test_neutral_operands(operation: str, attributes: dict[str, str], is_neutral: bool) -> None:
    found = explain_neutral_operand(Equations(graph_of(operation, **attributes)), 0)
    assert bool(found) is is_neutral


def test_the_contract_tells_fates_of_the_transformed_program_as_well() -> None:
    capture = capture_function(lambda x: jnp.sum(jnp.sin(x)), (X,), {})
    assert capture_to_json(capture)["derived_fates"] is None
