"""`capture --xla OPTION=VALUE`: compile with options of XLA, and hear which one it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.commands import CommandLine

# The second of the list decides what is fused: a list that is cut short would show. Wrapping single
# operations is no choice: since 0.12, XLA does it even where that pass is named here.
DISABLED = "xla_disable_hlo_passes=cse,fusion"


def test_switched_off_passes_do_not_run_and_the_capture_says_so(
    jaxscope: CommandLine, user_file: Path
) -> None:
    output = user_file.with_name("out.json")
    user_file.write_text("import jax.numpy as jnp\n\ndef f(x):\n    return jnp.sin(x + 1) * x\n")

    def num_loops(*options: str) -> int:
        answer = jaxscope("capture", user_file, "f(f32[64])", *options, "-o", output)
        assert answer.status == 0
        found = json.loads(output.read_text())
        said = any("options of XLA" in message for message in found["messages"])
        assert said == bool(options)
        optimized = next(stage for stage in found["stages"] if stage["name"] == "optimized")
        kinds = [node["attributes"].get("fusion_kind") for node in optimized["graph"]["nodes"]]
        return kinds.count("kLoop")

    assert num_loops() == 1
    # A kernel for each operation: the number 1 spread to 64, the sum, the sine, the product.
    assert num_loops("--xla", DISABLED) == 4


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("xla_there_is_no_such_option=1", "XLA has no option xla_there_is_no_such_option"),
        ("xla_backend_optimization_level=zero", "does not take this value for the option"),
    ],
)
def test_what_xla_refuses_is_named(
    jaxscope: CommandLine, user_file: Path, option: str, words: str
) -> None:
    answer = jaxscope("capture", user_file, "good(f32[4])", "--xla", option, "--json")
    assert answer.status == 3
    assert words in answer.json()["what"]
    assert "XLA says: INVALID_ARGUMENT" in answer.json()["why"]


def test_an_option_without_a_value_is_wrong_usage(jaxscope: CommandLine, user_file: Path) -> None:
    answer = jaxscope("capture", user_file, "--xla", "fusion", "--json")
    assert answer.status == 2
    assert "--xla xla_disable_hlo_passes=algsimp" in answer.json()["remedy"]
