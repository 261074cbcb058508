"""Every verb prints its answer first, then at most a screenful, as wide as the terminal."""

from __future__ import annotations

import dataclasses
import io
import re
from pathlib import Path

import pytest

from cli.commands import CommandLine
from cli.conftest import CALL, SAMPLE
from jaxscope.cli.dispatch import format_error
from jaxscope.cli.output import wants_colour
from jaxscope.errors import UserCodeError
from jaxscope.report.document import (
    SCREENFUL,
    Document,
    Items,
    Listing,
    Section,
    Verbatim,
    count_cell,
    fit,
    make_items,
    make_table,
    write_text,
)
from jaxscope.verbs import VERBS, WINDOW
from tests.ranks.test_ranks import variant, write_rank

PROGRAM = """\
import jax
import jax.numpy as jnp

# jaxscope: loss(f32[16, 32], f32[32, 32], f32[32, 32])


@jax.jit
def a_block_with_a_long_name(values, weights):
    scores = values @ weights
    scores = scores - scores.max(axis=-1, keepdims=True)
    return jnp.exp(scores) / jnp.exp(scores).sum(axis=-1, keepdims=True) @ weights.T


def loss(values, first_weights, second_weights):
    for weights in (first_weights, second_weights):
        for _ in range(2):
            values = jnp.sin(values + a_block_with_a_long_name(values, weights)) * jnp.cos(values)
            values = jnp.log(jnp.abs(jnp.tanh(values)) + 1.0)
    return values.mean()


if __name__ == "__main__":
    jax.jit(loss)(jnp.ones((16, 32)), jnp.ones((32, 32)), jnp.ones((32, 32)))
"""
WIDTH = 80

ANSWERS = {
    "calls": (("program.py",), r"program\.py offers 1 call and has 2 functions\."),
    "time": (
        ("program.py", "--budget", "0.2"),
        r"jit is .* than eager .*\((paired, )?observed |Not decided|.*same",
    ),
    "run": (("program.py",), r"\d+ programs? of \d+ functions? took "),
    "ranks": (("seen",), r"2 ranks on 2 hosts: all ended well\."),
    "open": (("saved.jaxscope",), r"What was left behind: 1 saved capture\."),
    "values": (("program.py",), r"No equation makes NaN or Inf of finite operands\."),
    "memory": (("program.py",), r"XLA allocates .* for a run: arguments "),
    "roofline": (("program.py",), r"Its kernels do .* FLOP per byte\."),
    "sharding": (("program.py",), r"1 device \(cpu\).* No communication"),
    "targets": (
        ("program.py", "--targets", "cpu,cpu:2"),
        r"It (compiles for|fits on) all 2 targets\.",
    ),
    "check": (("program.py",), r"Nothing was found\.|\d+ findings? \("),
    "ask": (("saved.jaxscope", "kernels"), r"The optimized program has \d+ kernels?"),
    "bisect": ((SAMPLE, CALL, "--over", "passes", "--for", "kernels"), r"First bad: |Nothing|No "),
    "explain": (("dot_general",), r"dot_general, a primitive of JAX: A matrix product "),
    "diff": (("saved.jaxscope", "program.py"), r"Different in "),
    "doctor": ((), r"jaxscope can run calls of JAX here\. "),
}
"""What is typed after a verb, and how its answer begins."""
MORE_THAN_A_SCREENFUL = ("roofline", "values")
EXPERIMENTS = {
    "--per-node": ("", r"The instruction that takes most is .*\(observed "),
    "--agreement": (  # a part of the program has as many results
        "a_block_with_a_long_name(f32[16, 32], f32[32, 32])",
        r"eager against jit: ",
    ),
    "--recompilations": ("", r"\d+ recompilations? in 1 call, "),
}
WRITES_OTHERWISE = {
    WINDOW: "a window",
    "capture": "files",
    "figure": "files",
    "mcp": "messages of a protocol",
    "completion": "a script for a shell",
}


def test_every_verb_is_looked_at() -> None:
    assert {*ANSWERS, *WRITES_OTHERWISE} == set(VERBS), (
        "Add what is typed after a new verb, and how its answer begins, to ANSWERS of this file; a "
        "verb that prints no answer belongs to WRITES_OTHERWISE."
    )


@pytest.fixture
def folder(tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "saved.jaxscope").write_bytes(archive.read_bytes())
    for number in range(2):
        write_rank(tmp_path / "seen", number, *(variant(n + number) for n in range(60)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    return tmp_path


def check(output: str, answer: str) -> None:
    lines = output.splitlines()
    said, _, _ = output.partition("\n\n")
    assert re.match(answer, " ".join(said.split())), said
    assert len(lines) <= SCREENFUL, output
    # A script is for the shell, which wants its lines whole; so does who copies a path.
    whole = re.compile(r"jaxscope (capture|ask|time) |\s*/\S+$")
    assert not [line for line in lines if len(line) > WIDTH and not whole.match(line)], output


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "verb", [pytest.param(v, marks=[pytest.mark.slow] * (v == "bisect")) for v in sorted(ANSWERS)]
)
@pytest.mark.usefixtures("folder")
def test_the_answer_comes_first_then_a_screenful(jaxscope: CommandLine, verb: str) -> None:
    words, answer = ANSWERS[verb]
    found = jaxscope(verb, *words)
    assert found.status in (0, 5), found.errors
    check(found.output, answer)
    if verb in MORE_THAN_A_SCREENFUL:
        short, whole = (
            text.splitlines() for text in (found.output, jaxscope(verb, *words, "--all").output)
        )
        assert short[-1] == "These are the first lines; --all prints the whole report."
        assert len(whole) > SCREENFUL and max(map(len, whole)) <= WIDTH
        if verb == "roofline":  # the values themselves are told in parts
            assert "…" not in "".join(whole)
        assert short[0] == whole[0]


@pytest.mark.slow
@pytest.mark.parametrize("experiment", sorted(EXPERIMENTS))
@pytest.mark.usefixtures("folder")
def test_so_does_each_experiment(jaxscope: CommandLine, experiment: str) -> None:
    call, answer = EXPERIMENTS[experiment]
    found = jaxscope("time", "program.py", *filter(None, [call]), experiment)
    assert found.status == 0, found.errors
    check(found.output, answer)


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_fits_a_terminal(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    with pytest.raises(SystemExit):
        CommandLine(capsys)(*([] if verb == WINDOW else [verb]), "--help")
    shown = capsys.readouterr().out.partition("\n\n")[2]  # the first lines are argparse's own
    assert max(map(len, shown.splitlines())) <= WIDTH


def number_table(rows: int, rest: str = "", num_left_out: int = 0) -> Document:
    table = make_table(
        ("name", "operation of the row", "n"),
        range(rows),
        lambda n: (f"name_of_the_row_{n}", "a description with many words " * 3, count_cell(n)),
    )
    left_out = dataclasses.replace(table, rest=rest, num_left_out=num_left_out)
    return [Section("Title", [left_out])]


@pytest.mark.parametrize(
    ("rest", "num_left_out", "told"),
    [
        ("", 0, ["and 65 more"]),
        ("", 7, ["and 72 more"]),
        ("", 1_007, ["and 1,072 more"]),
        ("and 7 more, 3 ms together", 0, ["and 65 more rows", "and 7 more, 3 ms together"]),
    ],
)
def test_what_is_left_out_is_counted_once(rest: str, num_left_out: int, told: list[str]) -> None:
    lines = write_text(fit(number_table(100, rest, num_left_out))).splitlines()
    shown = sum("name_of_the_row" in line for line in lines)
    assert len(lines) == SCREENFUL - (len(told) == 0)
    missing = 65 - (100 - shown)
    first = re.sub(r"[\d,]+", lambda n: f"{int(n[0].replace(',', '')) - missing:,}", told[0])
    assert [line.strip() for line in lines[2 + shown : -2]] == [first, *told[1:]]


def test_a_list_counts_what_it_left_out_before() -> None:
    (section, _) = fit([Section("Title", [make_items([f"line {n}" for n in range(90)], 80)])])
    (items,) = section.blocks
    assert isinstance(items, Items)
    assert items.texts()[-1] == f"and {90 - len(items.lines)} more"


def test_rows_have_a_line_each_and_what_they_share_is_told_below() -> None:
    lines = write_text(fit(number_table(100), WIDTH), WIDTH).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert "  in each row: operation of the row a description" in "\n".join(lines)
    assert "  name_of_the_row_1    1" in lines


def test_a_whole_table_cuts_nothing() -> None:
    text = write_text(number_table(3), WIDTH)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "…" not in text and text.count("description") == 9


def test_a_command_to_type_stays_one_command() -> None:
    command = "jaxscope time a_file_with_a_name.py 'loss(f32[8, 8], f32[8])' --against 'loss(1)'"
    lines = write_text([Section(blocks=[f"This measures both: {command}"])], 60).splitlines()
    assert lines[0] == "This measures both:"
    joined = " ".join(line.removesuffix("\\").strip() for line in lines[1:])
    assert joined == command and all(line.endswith("\\") for line in lines[1:-1])


def test_programs_are_not_wrapped() -> None:
    call, script = Verbatim("f(" + "x, " * 60 + ")"), "jaxscope ask " + "x" * 100
    text = write_text([Section(blocks=[call, Listing(script)])], WIDTH)
    assert text.splitlines() == [call, script]


def test_a_sample_too(jaxscope: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    check(jaxscope("memory", SAMPLE, CALL).output, "XLA allocates ")


COLOURED: Document = [
    Section(blocks=["Two kernels of nine.", make_table(["name", "n"], "ab", lambda x: [x, "1"])]),
    Section("What changed\x1b[2J", [Listing(" same\n-old\n+new", "diff"), "-1 is a sentence."]),
]


def test_a_terminal_shows_what_matters_most() -> None:
    lines = write_text(COLOURED, is_coloured=True).split("\n")
    assert lines[0] == "\033[1mTwo kernels of nine.\033[0m"
    assert lines[1] == "\033[2m  name  n\033[0m"
    assert lines[2] == "  a     1"
    assert lines[5].startswith("\033[1mWhat changed") and lines[5].count("\033") == 2
    assert lines[6:] == [
        *(" same", "\033[31m-old\033[0m", "\033[32m+new\033[0m", "  -1 is a sentence."),
    ]


def test_colours_change_no_word() -> None:
    plain = write_text(COLOURED)
    assert re.sub("\033\\[[0-9;]*m", "", write_text(COLOURED, is_coloured=True)) == plain


@pytest.mark.parametrize(
    ("environment", "is_terminal", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_who_wants_colours(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], is_terminal: bool, wanted: bool
) -> None:
    class Stream(io.StringIO):
        def isatty(self) -> bool:
            return is_terminal

    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(Stream()) is wanted


def test_messages_are_as_wide_as_the_terminal() -> None:
    error = UserCodeError(
        "f fails. " * 20, why="The shapes differ. " * 20, remedy="Give it others. " * 20
    )
    shown = format_error(error, 60)
    assert max(map(len, shown.split("\n"))) <= 60
    assert shown.split() == format_error(error).split()
