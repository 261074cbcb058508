"""The call: the names it may use, and how a file offers calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contract.conftest import Command, start_jaxscope
from contract.programs import LOSS

SHORTHANDS = {
    "f16[2]": "f16[2]",
    "bf16[2]": "bf16[2]",
    "f32[()]": "f32[]",
    "i8[2]": "i8[2]",
    "i16[2]": "i16[2]",
    "i32[2, 3]": "i32[2,3]",
    "u8[2]": "u8[2]",
    "u16[2]": "u16[2]",
    "u32[2]": "u32[2]",
    "bool_[2]": "bool[2]",
    "c64[2]": "c64[2]",
    "f8_e4m3fn[2]": "f8_e4m3fn[2]",
    "f8_e5m2[2]": "f8_e5m2[2]",
    "jnp.ones(2)": "f32[2]",
    "np.float32(3)": "f32[]",
    "2": "i32[]",
}
WIDE = {"i64[2]": "i64[2]", "u64[2]": "u64[2]", "c128[2]": "c128[2]", "key(3)": "key<fry>[]"}


def argument_types(capture: dict[str, Any]) -> list[str]:
    return [leaf["type"] for leaf in capture["arguments"]]


def test_shorthands_make_arrays(jaxscope: Command, program: Path) -> None:
    answer = jaxscope("capture", program, f"both([{', '.join(SHORTHANDS)}], 1)", "--json")
    assert argument_types(answer.json()) == [*SHORTHANDS.values(), "i32[]"], answer.errors


def test_wide_types_with_x64(jaxscope: Command, program: Path) -> None:
    answer = jaxscope("capture", program, f"both([{', '.join(WIDE)}], 1.0)", "--x64", "--json")
    assert argument_types(answer.json()) == [*WIDE.values(), "f64[]"], answer.errors


def test_without_x64_a_wide_type_is_narrow_and_told(jaxscope: Command, program: Path) -> None:
    answer = jaxscope("capture", program, "identity(i64[2])", "--json")
    capture = answer.json()
    assert argument_types(capture) == ["i32[2]"]
    assert any("--x64" in message for message in capture["messages"]), capture["messages"]
    assert answer.errors == ""


def test_the_files_own_names_win(jaxscope: Command, program: Path) -> None:
    capture = jaxscope("capture", program, "f64(f32[2])", "--json").json()
    assert capture["base"] == "f64"


def test_the_same_call_means_the_same_numbers(jaxscope: Command, tmp_path: Path) -> None:
    file = tmp_path / "shows.py"
    file.write_text("def show(x, y):\n    return x\n\n\ndef tell(x):\n    print(x); return x\n")
    call = "show(tell(f32[3]), tell(f32[3]))"
    first = jaxscope("capture", file, call, "--json")
    second = jaxscope("capture", file, call, "--json")
    assert first.status == 0, first.errors
    assert first.errors == second.errors != ""
    one, other = first.errors.strip().splitlines()
    assert one != other, "seeded by position"


@pytest.mark.parametrize("transform", ["grad", "jax.grad", "jax.jit", "jax.checkpoint"])
def test_transforms_are_known_by_identity(jaxscope: Command, program: Path, transform: str) -> None:
    call = f"{transform}(lambda x: x.sum())(f32[2])"
    capture = jaxscope("capture", program, call, "--json").json()
    assert capture["transforms"] == [transform.removeprefix("jax.")]


def test_comments_offer_calls_and_strings_do_not(jaxscope: Command, program: Path) -> None:
    outline = jaxscope("calls", program, "--json").json()
    assert [call["call"] for call in outline["calls"]] == [LOSS.replace("  ", " ")]
    names = {function["name"] for function in outline["functions"]}
    assert {"loss", "power", "jitted_power", "nested", "masked"} <= names


def test_the_first_offered_call_is_taken(jaxscope: Command, program: Path) -> None:
    assert jaxscope("capture", program, "--json").json()["call"] == LOSS


def test_without_an_offer_a_call_is_proposed(jaxscope: Command, tmp_path: Path) -> None:
    file = tmp_path / "plain.py"
    file.write_text("import jax.numpy as jnp\n\ndef norm(x):\n    return jnp.sum(x @ x.T)\n")
    answer = jaxscope("capture", file, "--json")
    capture = answer.json()
    assert capture["base"] == "norm"
    assert any(capture["call"] in message for message in capture["messages"])


@pytest.mark.slow
def test_a_relative_path_and_a_loud_file(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "print('hello {')\n\ndef f(x):\n    print('in f')\n    return x + 1\n"
    )
    answer = start_jaxscope("capture", "loud.py", "f(f32[2])", "--json", folder=tmp_path)
    assert answer.status == 0
    assert json.loads(answer.output)["base"] == "f"
    assert "hello {" in answer.errors
