"""`jaxscope diff` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.commands import CommandLine
from comparison.conftest import SOURCE
from jaxscope.cli.parser import DIFFERENT

Saved = tuple[Path, Path]


def test_the_status_says_different(jaxscope: CommandLine, saved: Saved) -> None:
    answer = jaxscope("diff", *saved)
    assert answer.status == DIFFERENT == 5
    assert answer.output.splitlines()[1].startswith(f"  first:  {saved[0]}")
    assert answer.output.splitlines()[2].startswith(f"  second: {saved[1]}")


def test_the_status_says_equal(jaxscope: CommandLine, saved: Saved) -> None:
    answer = jaxscope("diff", saved[0], saved[0])
    assert answer.status == 0
    assert "[first]" in answer.output  # two sides of the same name are told apart
    assert "Equal" in answer.output


def test_json(jaxscope: CommandLine, saved: Saved) -> None:
    answer = jaxscope("diff", *saved, "--json")
    assert answer.status == DIFFERENT
    assert answer.json()["equal"] is False


def test_one_stage_in_detail(jaxscope: CommandLine, saved: Saved) -> None:
    output = jaxscope("diff", *saved, "--stage", "jaxpr").output
    assert "\njaxpr\n" in output
    assert "\noptimized\n" not in output
    assert "+    d:f32[8] = add c a" in output


def test_different_stages_of_both_sides(jaxscope: CommandLine, saved: Saved) -> None:
    answer = jaxscope("diff", *saved, "--stage", "hlo:optimized", "--json")
    (stage,) = answer.json()["stages"]
    assert (stage["first"], stage["second"]) == ("hlo", "optimized")


@pytest.mark.parametrize("ending", ["html", "md", "txt", "json"])
def test_files(jaxscope: CommandLine, saved: Saved, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    answer = jaxscope("diff", *saved, "-o", path)
    assert answer.status == DIFFERENT
    assert answer.output == ""
    assert path.stat().st_size > 500


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.txt", "b.txt"], "neither a saved capture nor a call"),
        (["SAVED", "SAVED", "--stage", "nothing"], "no stage nothing"),
        (["SAVED", "SAVED", "-o", "out.svg"], "no ending"),
        (["SAVED"], "required"),
    ],
)
def test_wrong_usage(jaxscope: CommandLine, saved: Saved, words: list[str], message: str) -> None:
    answer = jaxscope("diff", *(str(saved[0]) if word == "SAVED" else word for word in words))
    assert answer.status == 2
    assert message in answer.errors


def test_a_capture_as_json_is_the_same_capture(
    jaxscope: CommandLine, saved: Saved, tmp_path: Path
) -> None:
    path = tmp_path / "old.json"
    jaxscope("capture", saved[0], "-o", path)
    answer = jaxscope("diff", saved[0], path)
    assert answer.status == 0, answer.output
    assert jaxscope("diff", path, saved[1]).status == DIFFERENT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "cannot be read as a capture"),
        ('{"format": "jaxscope.capture"}', "missing required field"),
        ("ELSE", "not jaxscope.capture"),
        ("DANGLING", "without having it"),
    ],
)
def test_a_json_that_is_no_capture(
    jaxscope: CommandLine, saved: Saved, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "old.json"
    jaxscope("capture", saved[0], "-o", path)
    data = json.loads(path.read_text())
    if text == "ELSE":
        text = json.dumps({**data, "format": "else"})
    elif text == "DANGLING":
        data["stages"][0]["graph"]["edges"][0]["from"][0] = "nowhere"
        text = json.dumps(data)
    path.write_text(text)
    answer = jaxscope("diff", saved[0], path)
    assert answer.status == 1
    assert message in answer.errors


def test_a_missing_capture(jaxscope: CommandLine, saved: Saved, tmp_path: Path) -> None:
    answer = jaxscope("diff", saved[0], tmp_path / "nothing.jaxscope")
    assert answer.status == 1


def test_two_calls_of_a_file(jaxscope: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(SOURCE)
    answer = jaxscope("diff", f"{path}::f(f32[8])", f"{path}::f(f32[4])", "--json")
    assert answer.status == DIFFERENT
    data = answer.json()
    assert data["first"]["name"] == f"{path}::f(f32[8])"
    assert data["stages"][0]["counts"]["changed"] > 0


def test_a_call_that_fails_fails_the_comparison(jaxscope: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(SOURCE)
    answer = jaxscope("diff", f"{path}::nothing(f32[8])", f"{path}::f(f32[4])")
    assert answer.status == 1
    assert "nothing" in answer.errors


def test_an_option_of_one_side_only(jaxscope: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(SOURCE)
    answer = jaxscope("diff", f"{path}::f(f64[8])", f"{path}::f(f64[8])", "--x64-b", "--json")
    assert answer.status == DIFFERENT
    changed = answer.json()["stages"][0]["differences"]
    assert any("f64[8]" in part["after"] for row in changed for part in row["what"])


def test_help_says_what_the_status_means(jaxscope: CommandLine, capsys) -> None:
    with pytest.raises(SystemExit):
        jaxscope("diff", "--help")
    assert "0 equal, 5 different" in capsys.readouterr().out


def test_unmeasured_times_are_said_to_be_unknown(jaxscope: CommandLine, saved: Saved) -> None:
    assert "Neither side was measured" in jaxscope("diff", *saved).output


def test_one_call_with_and_without_an_option_of_xla(jaxscope: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text("import jax.numpy as jnp\ndef f(x): return jnp.tanh(x @ x).sum()\n")
    side = f"{file}::f(f32[8,8])"
    answer = jaxscope("diff", side, side, "--xla", "B:xla_disable_hlo_passes=fusion", "--json")
    assert answer.status == DIFFERENT
    equal = {stage["key"]: stage["equal"] for stage in answer.json()["stages"]}
    assert equal["hlo"] is True
    assert equal["optimized"] is False
    assert "xla_disable_hlo_passes=fusion" in answer.json()["second"]["name"]


@pytest.mark.slow
def test_equations_with_another_fate_are_told(jaxscope: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text("import jax.numpy as jnp\ndef f(x): return jnp.tanh(jnp.sin(x))\n")
    side = f"{file}::f(f32[8])"
    options = ("--xla", "B:xla_disable_hlo_passes=fusion")
    told = jaxscope("diff", side, side, *options, "--json").json()
    found = told["fates"]["differences"]
    assert [(each["first"], each["second"]) for each in found] == [("0", "0"), ("1", "1")]
    assert {(each["before"]["fate"], each["after"]["fate"]) for each in found} == {
        ("fused", "kernel")
    }
    assert told["passes"] == {"first": None, "second": None}  # none were recorded
    assert "0: fused → kernel. " in jaxscope("diff", side, side, *options).output


def test_fates_are_unknown_where_equations_were_not_compared(
    jaxscope: CommandLine, saved: Saved
) -> None:
    told = jaxscope("diff", *saved, "--stage", "hlo:optimized", "--json").json()["fates"]
    assert told["differences"] == []
    assert told["unavailable"] == "The equations of the base function were not compared."


def test_recorded_passes_of_a_side_are_listed(jaxscope: CommandLine, tmp_path: Path) -> None:
    file, kept = tmp_path / "file.py", tmp_path / "kept.jaxscope"
    file.write_text("import jax.numpy as jnp\ndef f(x): return jnp.tanh(jnp.sin(x))\n")
    jaxscope("capture", str(file), "f(f32[8])", "--passes", "-o", str(kept))
    told = jaxscope("diff", str(kept), f"{file}::f(f32[8])", "--json").json()["passes"]
    fusion = next(each for each in told["first"] if each["name"] == "fusion")
    assert (fusion["changed"], fusion["fusions"]) == (True, 1)
    assert told["second"] is None


def test_an_option_without_a_value_is_refused(jaxscope: CommandLine, saved: Saved) -> None:
    answer = jaxscope("diff", *saved, "--xla", "B:fast")
    assert answer.status == 2
    assert "is no name=value" in answer.errors
