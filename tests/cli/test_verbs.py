"""`calls`, `time`, `doctor`, help, and the window's guard."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from cli.commands import CommandLine
from cli.conftest import SAMPLE
from jaxscope.cli import window
from jaxscope.setup.system_libraries import MissingLibraries
from jaxscope.verbs import VERBS, WINDOW


def test_calls_lists_without_running(jaxscope: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "loud.py"
    file.write_text(
        "# jaxscope: f(1)\nraise SystemExit('it ran')\n\ndef f(x, y=2):\n    'Doc of f.'\n"
    )
    answer = jaxscope("calls", file)
    assert answer.status == 0
    assert "  f(1)\n" in answer.output
    assert "f(x, y=2)  Doc of f." in answer.output


def test_methods_stand_below_their_class(jaxscope: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "# jaxscope: loss(1)\nclass Model:\n    def apply(self, x): ...\ndef loss(x): ...\n"
    )

    lines = jaxscope("calls", file).output.splitlines()

    assert lines[-3:] == ["  class Model", "    apply(self, x)", "  loss(x)"]


def test_a_mistyped_verb_is_no_file(jaxscope: CommandLine) -> None:
    answer = jaxscope("captur", SAMPLE)

    assert answer.status == 2
    assert "'captur'" in answer.errors
    assert "jaxscope capture?" in answer.errors


def test_calls_as_json(jaxscope: CommandLine) -> None:
    outline = jaxscope("calls", SAMPLE, "--json").json()
    assert outline["calls"][0]["call"] == "simple_graph(f32[3])"
    assert [function["name"] for function in outline["functions"]] == ["simple_graph"]


def test_time_as_json(jaxscope: CommandLine) -> None:
    answer = jaxscope("time", SAMPLE, "simple_graph(f32[1000])", "--json")
    assert answer.status == 0, answer.errors
    timing = answer.json()
    by_name = {measurement["name"]: measurement for measurement in timing["measurements"]}
    assert {"eager", "jit", "trace", "lower", "compile"} <= set(by_name)
    for measurement in by_name.values():
        assert measurement["unit"] == "s"
        assert measurement["median"] > 0
    assert "eager/jit" in [ratio["name"] for ratio in timing["ratios"]]


def test_doctor(jaxscope: CommandLine) -> None:
    answer = jaxscope("doctor", "--json")
    assert answer.status == 0, answer.output
    findings = {finding["name"]: finding for finding in answer.json()["findings"]}
    assert findings["worker"]["is_good"] is True
    assert findings["target cpu"]["is_good"] is True
    assert {"jaxscope", "Python", "Qt's libraries", "display", "Graphviz"} <= set(findings)


def test_doctor_with_a_broken_interpreter(jaxscope: CommandLine, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 7\n")
    broken.chmod(0o755)
    answer = jaxscope("doctor", "--python", broken)
    assert answer.status in (3, 4)
    assert "--  worker" in answer.output
    assert "Qt's libraries" in answer.output, "the rest is still looked at"


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example_and_the_statuses(
    verb: str, capsys: pytest.CaptureFixture[str], jaxscope: CommandLine
) -> None:
    words = ["--help"] if verb == WINDOW else [verb, "--help"]
    with pytest.raises(SystemExit) as caught:
        jaxscope(*words)
    shown = capsys.readouterr().out
    assert caught.value.code == 0
    assert VERBS[verb].example in re.sub(r" \\\n +", " ", shown)
    assert "exit status" in shown
    assert "--target" in shown


def test_the_window_needs_its_libraries(
    jaxscope: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = MissingLibraries(("libEGL.so.1",), ("libegl1",))
    monkeypatch.setattr(window, "find_missing_libraries", lambda: missing)
    answer = jaxscope(SAMPLE)
    assert answer.status == 3
    assert "libEGL.so.1" in answer.errors
    assert "libegl1" in answer.errors
    assert "jaxscope capture" in answer.errors


def test_the_window_needs_a_display(jaxscope: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    answer = jaxscope()
    assert answer.status == 3
    assert "no display" in answer.errors


def test_the_window_prints_no_json(jaxscope: CommandLine) -> None:
    answer = jaxscope(SAMPLE, "--json")
    assert answer.status == 2
    assert "window" in json.loads(answer.output)["what"]


def test_a_file_without_calls_says_what_to_type(jaxscope: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "my model.py"
    file.write_text(
        "class Model: ...\n"
        "def helper(): ...\n"
        "def loss(key, x, /, y, rate=1.0, *, scale, eps=1e-6): return ((x - y) * scale).sum()\n"
    )

    output = jaxscope("calls", file).output

    call = "loss(key(0), f32[8], f32[8], scale=f32[8])"
    assert f"{file} offers 0 calls and has 2 functions, and 1 class with 0 methods.\n" in output
    assert f"  jaxscope capture '{file}' '{call}'\n  jaxscope run -- '{file}'\n" in output
    assert f"# jaxscope: {call}" in output
    typed = shlex.split(output.partition("next:\n")[2].splitlines()[0])
    assert jaxscope(*typed[1:]).status == 0


def test_an_example_that_does_not_fit_comes_after_what_finds_one_that_does(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    """The file is not run: nobody knows the shapes that its functions take."""
    file = tmp_path / "grid.py"
    file.write_text("def inner(grid): return grid[1:-1, 1:-1] * 2\n")
    first, example, *_ = jaxscope("calls", file).output.partition("next:\n")[2].splitlines()

    assert jaxscope(*shlex.split(example)[1:]).status == 1
    found = jaxscope(*shlex.split(first)[1:])
    assert found.status == 0
    assert found.output.startswith("inner(f32[")


def test_what_the_script_of_a_file_calls_is_what_to_type_next(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "train.py"
    lines = ["import jax", "import jax.numpy as jnp", "def init(key): return jnp.ones((3, 2))"]
    lines += ["@jax.jit", "def step(w, x): return x @ w", 'if __name__ == "__main__":']
    lines += ["    w = init(jax.random.key(0))", "    for x in [jnp.ones((4, 3))]: step(w, x)"]
    file.write_text("\n".join(lines))
    first, *_ = jaxscope("calls", file).output.partition("next:\n")[2].splitlines()

    typed = shlex.split(first)[1:]
    assert typed[-1] == "step(init(jax.random.key(0)), jnp.ones((4, 3)))"
    assert jaxscope("capture", file).output.splitlines()[0] == typed[-1]


def test_a_file_without_calls_is_offered_the_values_that_it_makes_itself(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "script.py"
    file.write_text(
        "import jax.numpy as jnp\n"
        "def scale(z): return z * 2\n"
        "def cost(params, x, y): return ((x @ params['w'] - y) ** 2).sum()\n"
        "params, (x, _) = {'w': jnp.ones(3)}, (jnp.ones((5, 3)), [z for z in 'ab'])\n"
        "for y in [jnp.zeros(5)]: pass\n"
        "if __name__ == '__main__':\n    z = 1\n"
    )

    output = jaxscope("calls", file).output

    assert f"  jaxscope capture {file} 'cost(params, x, y)'\n" in output
    typed = shlex.split(output.partition("next:\n")[2].splitlines()[0])
    assert jaxscope(*typed[1:]).status == 0
    file.write_text("def scale(z): return z * 2\nif __name__ == '__main__':\n    z = 1\n")
    assert "'scale(f32[8])'" in jaxscope("calls", file).output


def test_a_script_without_functions_is_to_be_run(jaxscope: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "job.py"
    file.write_text("if __name__ == '__main__':\n    print(1)\n")

    output = jaxscope("calls", file).output

    assert f"  jaxscope run -- {file}\n" in output
    assert "jaxscope capture" not in output


def test_a_mistyped_verb_is_told_whatever_stands_behind_it(jaxscope: CommandLine) -> None:
    answer = jaxscope("captur", SAMPLE, "-o", "out.html")

    assert answer.status == 2
    assert "jaxscope capture?" in answer.errors


def test_an_option_given_twice_is_refused(jaxscope: CommandLine, tmp_path: Path) -> None:
    """Only one of the two files would have been written, without a word."""
    answer = jaxscope("capture", SAMPLE, "-o", tmp_path / "a.html", "--output", tmp_path / "b.json")

    assert answer.status == 2
    assert "--output is given twice" in answer.errors
    assert not list(tmp_path.iterdir())
    assert jaxscope("capture", SAMPLE, "--xla", "a=1", "--xla", "b=2").status != 2


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["--out", "a.html"], "--output"),
        (["--stages=all"], "--stage"),
        (["simple_graph(f32[3])", "a.html"], "-o a.html"),
        (["simple_graph(f32[3])", "--nothing-like-it"], "jaxscope capture --help"),
    ],
)
def test_what_is_not_known_is_answered_with_what_is_meant(
    jaxscope: CommandLine, words: list[str], meant: str
) -> None:
    answer = jaxscope("capture", SAMPLE, *words)

    assert answer.status == 2
    assert f"Try: {meant}" in answer.errors


def test_a_second_path_is_no_call(jaxscope: CommandLine, tmp_path: Path) -> None:
    """It was taken as a call of a dump, which has none, and nothing was said."""
    answer = jaxscope(tmp_path, tmp_path)
    assert answer.status == 2
    assert "is a second path" in answer.errors and "jaxscope open" in answer.errors
