"""`jaxscope run`: a script as it is, what it compiles, and captures of its functions."""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxscope
from jaxscope import compilation_watch
from jaxscope.cli import main
from jaxscope.errors import UsageError
from jaxscope.model import Capture, is_available
from jaxscope.model.capture import MemoryPlan
from jaxscope.program.memory.residuals import find_residuals
from jaxscope.report.compilations import compilations_table, compilations_to_document
from jaxscope.report.document import write_text
from jaxscope.report.memory import describe_kept
from jaxscope.run_script import lend_packages
from jaxscope.worker.timing import traffic
from tests.processes.impostor import write_ancient, write_old_jax

ROOT = Path(__file__).parents[2]
TRAIN = """
import functools, os, signal, sys
import jax, jax.numpy as jnp

def main(steps):
    params = {"w": jnp.ones((8, 4))}

    @functools.partial(jax.jit, donate_argnums=0)
    def train_step(params, x):
        grads = jax.grad(lambda p: jnp.tanh(x @ p["w"]).sum())(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    @jax.jit
    def evaluate(params):
        return params["w"].sum()

    for step in range(steps):
        params = train_step(params, jnp.ones((16 if step < 5 else 17, 8)))
    evaluate(params)
    print("arguments", sys.argv[1:], __name__, os.path.basename(__file__))

if __name__ == "__main__":
    main(int(sys.argv[1]))
"""


def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """`jaxscope run WORDS…` in this process; the script has one of its own, as ever."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(2)]
        for number, file in enumerate(files, start=1):  # what the script writes goes there, too
            kept = os.dup(number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
            os.dup2(file.fileno(), number)
        streams = [stack.enter_context(open(n, "w", closefd=False)) for n in (1, 2)]
        stack.enter_context(contextlib.redirect_stdout(streams[0]))
        stack.enter_context(contextlib.redirect_stderr(streams[1]))
        stack.enter_context(contextlib.chdir(cwd or "."))
        status = main(["run", *words])
        for stream, file in zip(streams, files, strict=True):
            stream.flush()
            file.seek(0)
        return subprocess.CompletedProcess(words, status, *(file.read() for file in files))


@pytest.fixture
def train(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(TRAIN)
    return path


def read(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "compilations.json").read_text())


def test_a_training_script_is_listed_and_captured(train: Path, tmp_path: Path) -> None:
    done = run("--out", str(tmp_path / "seen"), str(train), "8", "--out", "its own")
    assert done.returncode == 0, done.stderr
    assert "arguments ['8', '--out', 'its own'] __main__ train.py" in done.stdout
    found = read(tmp_path / "seen")
    assert found["exit_status"] == 0 and found["problems"] == []
    step, evaluate = found["compilations"]
    assert (step["function"], step["file"], step["calls"]) == ("train_step", str(train), 8)
    assert (
        step["line"]
        == TRAIN.split("\n").index("    @functools.partial(jax.jit, donate_argnums=0)") + 1
    )
    first, second = step["variants"]
    assert (first["calls"], second["calls"]) == (5, 3)
    assert first["arguments"] == ["params['w']: f32[8,4]", "x: f32[16,8]"]
    assert first["reason"] is None and "f32[16,8] → f32[17,8]" in second["reason"]
    for variant in (first, second):  # the first was captured, which traces it as well
        assert all(variant["seconds"][name] > 0 for name in ("trace", "lower", "compile"))
    assert (first["capture"], second["capture"]) == ("train_step.jaxscope", None)
    assert evaluate["calls"] == 1
    capture = jaxscope.load(tmp_path / "seen" / "train_step.jaxscope")
    assert isinstance(capture, Capture) and capture.source.file == str(train)
    assert [leaf.type for leaf in capture.arguments] == ["f32[8,4]", "f32[16,8]"]
    assert {"jaxpr", "stablehlo", "optimized"} <= {stage.name for stage in capture.stages}
    assert "train_step.jaxscope" in done.stdout and "another shape" in done.stdout


@pytest.mark.slow
def test_the_last_line_says_how_to_keep_what_was_seen(train: Path, tmp_path: Path) -> None:
    told = run(str(train), "2").stdout.rstrip().split("\n")
    assert (
        told[-1] == "Nothing was kept. --out DIR keeps this list and a capture of every function."
    )
    assert not any("was not caught" in line for line in told)  # no name was asked for
    assert "Nothing was kept" not in run("--out", str(tmp_path / "seen"), str(train), "2").stdout


@pytest.mark.slow
def test_only_what_is_caught_after_its_warm_up_until_enough_is_seen(
    train: Path, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    done = run(*f"--out {seen} --catch train_step --after 6 --stop-after 7 {train} 100".split())
    assert done.returncode == 0 and "arguments" not in done.stdout
    (step,) = read(seen)["compilations"]
    assert step["calls"] == 7
    assert [v["capture"] for v in step["variants"]] == [None, "train_step.jaxscope"]
    capture = jaxscope.load(seen / "train_step.jaxscope")
    assert [leaf.type for leaf in capture.arguments] == ["f32[8,4]", "f32[17,8]"]


@pytest.mark.slow
def test_a_call_that_is_not_made_any_more_is_not_captured(tmp_path: Path) -> None:
    script, seen = tmp_path / "two.py", tmp_path / "seen"
    script.write_text(
        "import jax\n@jax.jit\ndef first(x):\n    return x + 1\n"
        "@jax.jit\ndef second(x):\n    return x * 2\nsecond(first(1.0))\n"
    )
    assert run("--out", str(seen), "--stop-after", "1", str(script)).returncode == 0
    assert [step["function"] for step in read(seen)["compilations"]] == ["first"]
    assert [path.name for path in seen.glob("*.jaxscope")] == ["first.jaxscope"]


def test_a_script_that_would_end_before_its_capture_is_refused(train: Path) -> None:
    done = run("--after", "3", "--stop-after", "3", str(train))
    assert done.returncode == 2 and "--after 3 --stop-after 4" in done.stderr


@pytest.mark.slow
def test_what_pmap_and_pjit_compile_is_caught(tmp_path: Path) -> None:
    """The memory that a donated argument leaves is held against XLA's own analysis."""
    script, seen = tmp_path / "mapped.py", tmp_path / "seen"
    script.write_text(
        """
import json, jax, jax.numpy as jnp
from jax.experimental.pjit import pjit

def step(n, w, x):
    assert n in range(9)
    grads = jax.grad(lambda w: jnp.sum((x @ w) ** 2))(w)
    return w - n * jax.lax.pmean(grads, "i")

mapped = jax.pmap(step, "i", static_broadcasted_argnums=0, donate_argnums=(1,))
w, x = jnp.ones((1, 4, 4)), jnp.ones((1, 3, 4))
w = mapped(2, mapped(2, w, x), x)

@pjit
def scaled(w):
    return w * 2

scaled(w)
plan = mapped.lower(2, w, x).compile().memory_analysis()
print(json.dumps([plan.alias_size_in_bytes, plan.temp_size_in_bytes]))
"""
    )
    done = run("--out", str(seen), "--catch", "step", "--catch", "scaled", str(script))
    assert done.returncode == 0, done.stderr
    step, scaled = read(seen)["compilations"]
    assert (step["function"], step["line"], step["calls"]) == ("step", 5, 2)
    assert (scaled["function"], scaled["line"], scaled["calls"]) == ("scaled", 14, 1)
    assert all(step["variants"][0]["seconds"].values())
    capture = jaxscope.load(seen / "step.jaxscope")
    assert isinstance(capture, Capture) and capture.call == "pmap(step)(2, f32[1,4,4], f32[1,3,4])"
    assert capture.messages == (), "what pmap has as static is not said to be made so"
    assert isinstance(capture.memory, MemoryPlan)
    planned = [capture.memory.aliased_bytes, capture.memory.temporary_bytes]
    assert planned == json.loads(done.stdout.split("\n", 1)[0]) and planned[0] == 64
    kept = find_residuals(capture)
    assert not kept.in_rounds and sorted(value.type for value in kept.values) == ["f32[3,4]"] * 2
    assert "what is within shard_map on one device" in describe_kept(kept)


@pytest.mark.slow
def test_an_error_in_a_jitted_function_has_the_scripts_frames_alone(tmp_path: Path) -> None:
    """So it reads as it does without the watch."""
    script = tmp_path / "wrong.py"
    script.write_text(
        "import jax\n@jax.jit\ndef step(x):\n    raise ValueError('no')\n"
        "def main():\n    try:\n        step(1.0)\n"
        "    except ValueError as error:\n        raise TypeError('yes') from error\nmain()\n"
    )
    alone = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    done = run("--out", str(tmp_path / "seen"), "--catch", "other", str(script))
    assert "ValueError: no" in alone.stderr and "TypeError: yes" in alone.stderr
    assert alone.stderr in done.stderr


@pytest.mark.slow
def test_what_is_compiled_ahead_of_time_is_said_to_be_called_unseen(tmp_path: Path) -> None:
    script = tmp_path / "ahead.py"
    script.write_text(
        "import jax\ndef step(x):\n    return x + 1\n"
        "compiled = jax.jit(step).lower(1.0).compile()\ncompiled(1.0)\n"
    )
    seen = tmp_path / "seen"
    assert (
        run("--out", str(seen), "--catch", "step", "--catch", "other", str(script)).returncode == 0
    )
    ahead, other = read(seen)["problems"]
    assert "step was not caught: it was compiled" in ahead and "lower(…).compile()" in ahead
    assert "other was not caught: no jitted function of that name was called" in other


@pytest.mark.slow
def test_a_program_that_was_compiled_ahead_is_not_said_to_be_compiled_by_its_call(
    tmp_path: Path,
) -> None:
    script = tmp_path / "ahead.py"
    script.write_text(
        "import jax\ndef step(x):\n    return x + 1\n"
        "compiled = jax.jit(step).lower(1.0).compile()\n"
        "again = jax.jit(step)\nagain(1.0)\nagain(1.0)\n"
    )
    plain = run(str(script)).stdout
    assert plain.startswith("No call compiled anything: each found its program made.")
    seen = tmp_path / "seen"
    captured = run("--out", str(seen), str(script)).stdout
    assert captured.startswith("No call compiled anything: each found its program made.")
    for told in (plain, captured):
        assert "Rows without times to lower and compile (step): the program was there" in told
    (function,) = read(seen)["compilations"]
    (variant,) = function["variants"]
    assert (function["calls"], variant["capture"]) == (2, "step.jaxscope")
    # Once more with other arguments: that one is compiled by its call.
    script.write_text(script.read_text() + "again(2)\n")
    assert run(str(script)).stdout.startswith("1 program of 1 function took ")


@pytest.mark.slow
def test_a_key_that_is_donated_stays_the_scripts(tmp_path: Path) -> None:
    """What a capture runs takes copies of donated arguments, of typed keys as well."""
    script = tmp_path / "script.py"
    script.write_text(
        """
import functools, jax, jax.numpy as jnp

@functools.partial(jax.jit, donate_argnums=0)
def step(state):
    key, own = jax.random.split(state["key"])
    return {"key": key, "w": state["w"] + jax.random.normal(own, (3,))}

state = {"key": jax.random.key(0, impl="rbg"), "w": jnp.ones(3)}
for _ in range(3):
    state = step(state)
print("w", state["w"], jax.random.key_data(state["key"]))
"""
    )
    alone = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    done = run("--out", str(tmp_path / "seen"), str(script))
    assert done.returncode == 0, done.stderr
    assert alone.stdout.startswith("w") and alone.stdout in done.stdout
    (step,) = read(tmp_path / "seen")["compilations"]
    assert step["calls"] == 3 and step["variants"][0]["capture"] == "step.jaxscope"


@pytest.mark.slow
def test_an_interpreter_that_imports_jax_at_its_start_is_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import jax\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    script, seen = tmp_path / "script.py", tmp_path / "seen"
    script.write_text("import jax\njax.jit(lambda x: x + 1)(1.0)\n")
    done = run("--out", str(seen), str(script))
    assert done.returncode == 0, done.stderr
    assert [each["calls"] for each in read(seen)["compilations"]] == [1]


@pytest.mark.slow
def test_a_notebook_runs_as_the_script_that_its_cells_make(tmp_path: Path) -> None:
    cells = (
        "%load_ext autoreload\nimport inspect, jax",
        "@jax.jit\ndef train_step(w, x):\n    return w - x",
        "w = 1.0\nfor _ in range(3):\n    w = train_step(w, 0.5)\nw",
        "print(__name__, float(w), inspect.getsource(train_step.__wrapped__))",
    )
    file, seen = tmp_path / "train.ipynb", tmp_path / "seen"
    code = [{"cell_type": "code", "source": [text]} for text in cells]
    file.write_text(json.dumps({"cells": code, "metadata": {}, "nbformat": 4}))
    done = run("--out", str(seen), str(file))
    assert done.returncode == 0, done.stderr
    assert "__main__ -0.5 @jax.jit\ndef train_step(w, x):" in done.stdout
    (step,) = read(seen)["compilations"]
    assert (step["function"], step["file"], step["line"]) == ("train_step", str(file), 6)
    capture = jaxscope.load(seen / "train_step.jaxscope")
    assert isinstance(capture, Capture)
    (text,) = (each.text for each in capture.files if each.path == str(file))
    assert text.split("\n")[5:8] == ["@jax.jit", "def train_step(w, x):", "    return w - x"]
    file.write_text("{}")
    broken = run(str(file))
    assert broken.returncode == 1 and "is no notebook that can be read." in broken.stderr


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("body", "status", "script_status"),
    [
        ("raise ValueError('no data')", 1, 1),
        pytest.param("raise SystemExit(3)", 1, 3, marks=pytest.mark.slow),
        pytest.param("raise SystemExit", 0, 0, marks=pytest.mark.slow),
        pytest.param("import os; os._exit(7)", 1, 7, marks=pytest.mark.slow),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 4, -9),
        pytest.param("def f(", 1, 1, marks=pytest.mark.slow),
    ],
)
def test_how_a_script_ends_is_said_and_what_was_seen_stays(
    body: str, status: int, script_status: int, tmp_path: Path
) -> None:
    file, seen = tmp_path / "script.py", tmp_path / "seen"
    file.write_text(f"import jax\njax.jit(lambda x: x + 1)(1.0)\n{body}\n")
    done = run("--out", str(seen), str(file))
    assert done.returncode == status, done.stderr
    found = read(seen)
    assert found["exit_status"] == script_status
    if "ValueError" in body:
        assert found["compilations"][0]["calls"] == 1
        assert "no data" in done.stderr and "run_script.py" not in done.stderr


@pytest.mark.slow
def test_a_script_may_still_say_how_jax_is_to_start(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(
        "import os\nos.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=3'\n"
        "os.environ['JAX_ENABLE_X64'] = '1'\nfrom jax import jit\nimport jax\n"
        "print(jax.device_count(), jit(lambda x: x)(1.0).dtype)\n"
    )
    done = run("--json", str(file))
    assert "3 float64" in done.stderr
    assert [f["function"] for f in json.loads(done.stdout)["compilations"]] == ["<lambda>"]


@pytest.mark.slow
def test_a_script_without_jax_has_an_empty_list(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text("print('nothing here')\n")
    done = run("--json", str(file))
    assert done.returncode == 0 and json.loads(done.stdout)["compilations"] == []


@pytest.mark.slow
def test_another_jaxscope_on_the_path_is_not_watched_with(tmp_path: Path) -> None:
    other = tmp_path / "other" / "jaxscope"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("raise SystemExit('another jaxscope')\n")
    (other.parent / "neighbour.py").write_text("found = True\n")
    file = tmp_path / "script.py"
    file.write_text("import jax, neighbour, jaxscope\njax.jit(lambda x: x)(1.0)\n")
    command = [sys.executable, "-P", str(ROOT / "jaxscope" / "__main__.py"), "run", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(other.parent)}
    done = subprocess.run(
        [*command, str(file)], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [f["function"] for f in json.loads(done.stdout)["compilations"]] == ["<lambda>"]


@pytest.mark.slow
def test_json_alone_on_standard_output(train: Path) -> None:
    done = run("--json", str(train), "1")
    found = json.loads(done.stdout)
    assert {"compilations", "transfers", "exit_status"} <= found.keys()
    assert "arguments" in done.stderr
    assert all(v["capture"] is None for f in found["compilations"] for v in f["variants"])


@pytest.mark.slow
def test_a_module_of_a_package_with_relative_imports(tmp_path: Path) -> None:
    package = tmp_path / "lab"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text("import jax\n@jax.jit\ndef double(x):\n    return x * 2\n")
    (package / "main.py").write_text("from .parts import double\nprint(double(3.0), __name__)\n")
    done = run("--json", "-m", "lab.main", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "6.0 __main__" in done.stderr
    assert [f["function"] for f in json.loads(done.stdout)["compilations"]] == ["double"]


@pytest.mark.slow
def test_a_script_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text("import jax, time\njax.jit(lambda x: x)(1.0)\ntime.sleep(600)\n")
    done = run("--out", str(tmp_path / "seen"), "--timeout", "12", str(file))
    assert done.returncode == 4 and "12 s" in done.stderr
    # Python says 130 once it handles signals, which it may not yet do on a busy machine.
    assert read(tmp_path / "seen")["exit_status"] in (130, -signal.SIGINT)


@pytest.mark.parametrize("words", [["nothing.py"], ["--python", "/no/python", "train.py"]])
def test_what_cannot_be_run(words: list[str], train: Path) -> None:
    done = run(*words, cwd=train.parent)
    assert done.returncode in (1, 3) and done.stderr.startswith("jaxscope: ")


def test_watching_a_part_of_this_process(tmp_path: Path) -> None:
    original = jax.jit
    with jaxscope.watch(tmp_path) as seen:
        double = jax.jit(lambda x: x * 2)
        for size in (3, 3, 4):
            double(jnp.ones(size))
        jax.vmap(double)(jnp.ones((2, 3)))  # inside of a transform it compiles nothing by itself
    assert jax.jit is original and not jax.config.jax_explain_cache_misses
    found = [(each.function, each.num_calls) for each in seen.found.signatures]
    assert found == [("<lambda>", 2), ("<lambda>", 1)]
    assert "another shape" in repr(seen) and (tmp_path / "lambda.jaxscope").is_file()


def test_where_jit_is_disabled_nothing_is_jitted() -> None:
    """By JAX: what is not jitted runs in Python each time, and the function has no program."""
    runs: list[int] = []
    with jaxscope.watch() as seen:
        double = jax.jit(lambda x: runs.append(1) or x * 2)
        with jax.disable_jit():
            for _ in range(3):
                double(jnp.ones(9))
        assert (len(runs), double.inner._cache_size()) == (3, 0)
        double(jnp.ones(2))
    assert [(each.arguments, each.num_calls) for each in seen.found.signatures] == [
        (("x: f32[2]",), 1)
    ]


def test_static_numbers_of_numpy_are_told_from_those_of_python() -> None:
    with jaxscope.watch() as seen:
        times = jax.jit(lambda x, k: x * k, static_argnums=1)
        for k in (1.0, np.float32(1)):
            times(jnp.ones(2), k)
    assert times.inner._cache_size() == 2
    assert "k: 1.0 → float32(1.0) (another static value)" in repr(seen)


def test_arguments_are_read_only_where_they_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    find_key = compilation_watch.find_key
    monkeypatch.setattr(
        compilation_watch, "find_key", lambda *words: read.append(1) or find_key(*words)
    )
    with jaxscope.watch() as seen:
        double = jax.jit(lambda x: x * 2)
        for _ in range(100):
            double(1.0)
    assert len(read) == 1 and seen.found.signatures[0].num_calls == 100


class Touchy:
    """A static argument that fails when it is asked for what it does not have."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(f"untouchable: {name}")

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return True

    def __call__(self) -> None: ...


def test_arguments_that_fail_when_they_are_asked_let_the_program_go_on(tmp_path: Path) -> None:
    with jaxscope.watch(tmp_path):
        jitted = jax.jit(lambda touchy, x: x + 1, static_argnums=0)
        assert jitted(Touchy(), 1.0) == 2.0
    (problem,) = read(tmp_path)["problems"]
    assert "was not captured: RuntimeError: untouchable" in problem


def test_a_capture_that_fails_lets_the_program_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_words: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(compilation_watch, "save_capture", refuse)
    with jaxscope.watch(tmp_path):
        assert jax.jit(lambda x: x + 1)(1.0) == 2.0
    assert "disk full" in read(tmp_path)["problems"][0]


def test_a_call_that_cannot_be_noted_lets_the_program_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_words: object) -> None:
        raise LookupError("no such key")

    monkeypatch.setattr(compilation_watch, "find_key", refuse)
    with jaxscope.watch(tmp_path, catch=["none"]):
        double = jax.jit(lambda x: x + x)
        assert [double(1.0), double(2.0)] == [2.0, 4.0]
    assert (
        "What calls of <lambda> compiled is not known in full: LookupError: no such key"
        in read(tmp_path)["problems"]
    )


@pytest.mark.parametrize(
    ("library", "source", "function"),
    [
        ("equinox", "import equinox as eqx\nf = eqx.filter_jit(lambda m, x: m(x))\n"
         "m = eqx.nn.Linear(3, 2, key=jax.random.key(0))\nfor _ in range(3): f(m, jnp.ones(3))\n",
         "<lambda>"),
        pytest.param("flax", "from flax import nnx\nm = nnx.Linear(3, 2, rngs=nnx.Rngs(0))\n"
         "@nnx.jit\ndef forward(m, x):\n    return m(x)\n"
         "for _ in range(3): forward(m, jnp.ones((1, 3)))\n", "forward", marks=pytest.mark.slow),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_functions_that_libraries_jit(
    library: str, source: str, function: str, tmp_path: Path
) -> None:
    pytest.importorskip(library)
    file, seen = tmp_path / "script.py", tmp_path / "seen"
    file.write_text(f"import jax, jax.numpy as jnp\n{source}")
    done = run("--out", str(seen), "--catch", function, str(file))
    assert done.returncode == 0, done.stderr
    found = {f["function"]: f for f in read(seen)["compilations"]}
    assert found[function]["calls"] == 3, found
    assert found[function]["variants"][0]["capture"]


@pytest.mark.slow
def test_a_capture_belongs_to_the_program_of_its_call(train: Path, tmp_path: Path) -> None:
    """The sixth call compiles the second program: the first one has no capture."""
    seen = tmp_path / "seen"
    run(*f"--out {seen} --catch train_step --after 5 {train} 8".split())
    step = read(seen)["compilations"][0]
    assert [v["capture"] for v in step["variants"]] == [None, "train_step.jaxscope"]


def test_a_partial_is_called_as_its_function_and_a_name_that_was_never_called_is_told(
    tmp_path: Path,
) -> None:
    def scaled(factor: float, x: float) -> float:
        return factor * x

    assert jax.jit(functools.partial(scaled, 2.0)).lower(1.0).as_text().startswith("module @jit_sc")
    with jaxscope.watch(tmp_path, catch=["scaled", "absent", "inner"]):
        jax.jit(functools.partial(scaled, 2.0))(1.0)
        inner = jax.jit(jnp.sin)
        jax.jit(lambda x: inner(x))(1.0)
    found = read(tmp_path)
    assert [f["function"] for f in found["compilations"]] == ["scaled", "<lambda>"]
    assert found["compilations"][0]["variants"][0]["capture"] == "scaled.jaxscope"
    assert found["problems"] == [
        f"{name} was not caught: no jitted function of that name was called outside of a trace. "
        "Those that compiled: scaled, <lambda>."
        for name in ("absent", "inner")
    ]


def test_what_a_transform_has_a_jitted_function_compile_is_not_called_outside_of_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JAX alone says in its log which programs it compiles."""
    log = logging.getLogger("jax")
    monkeypatch.setattr(log, "propagate", False)
    monkeypatch.setattr(log, "handlers", [caplog.handler])

    def product(x: jax.Array) -> jax.Array:
        return jnp.sin(x) * jnp.arange(7.0)

    with jax.log_compiles(True), jaxscope.watch(tmp_path, catch=["product"]):
        jax.vmap(jax.jit(product))(jnp.ones((3, 7)))
    compiled = [record.getMessage() for record in caplog.records]
    assert any("XLA compilation of jit(product)" in text for text in compiled)
    found = read(tmp_path)
    assert found["compilations"] == []
    assert "product" in [each["function"] for each in found["outside"]]
    (problem,) = found["problems"]
    shown = " ".join(write_text(compilations_to_document(found)).split())
    assert "but for what transforms such as grad traced" in shown
    assert "or in calls that a transform such as grad traced" in shown
    assert "or only in one that a transform such as grad traced" in problem


LIBRARY = """
import jax

def plain(x):
    return x - 1

def jit_closed(function):
    def wrapped(x):
        return function(x)
    wrapped.__name__ = function.__name__
    jitted = jax.jit(wrapped)
    return lambda x: jitted(x)

def jit_given(function):
    def wrapped(given, x):
        return given[0](x)
    wrapped.__name__ = function.__name__
    jitted = jax.jit(wrapped, static_argnums=0)
    return lambda x: jitted((function, None), x)
"""


@pytest.mark.slow
def test_what_a_library_wraps_stands_where_it_is_defined_or_else_called(tmp_path: Path) -> None:
    """As Equinox does it: one wrapper for all functions, which takes their names."""
    library = tmp_path / "site-packages" / "library.py"
    library.parent.mkdir()
    library.write_text(LIBRARY)
    script = tmp_path / "script.py"
    lines = [
        f"import sys; sys.path.insert(0, {str(library.parent)!r})",
        "import jax, jax.numpy as jnp, library",
        "def double(x):",
        "    return x * 2",
        "def treble(x):",
        "    return x * 3",
        "jax.jit(library.plain)(1.0)",
        "closed = library.jit_closed(double)",
        "closed(1.0)",
        "closed(jnp.ones(3))",
        "library.jit_given(treble)(1.0)",
    ]
    script.write_text("\n".join(lines))
    done = run("--out", str(tmp_path / "seen"), str(script))
    assert done.returncode == 0, done.stderr
    found = read(tmp_path / "seen")["compilations"]
    assert [(each["function"], each["file"], each["line"]) for each in found] == [
        ("plain", str(library), 4),
        ("double", str(script), lines.index("closed(1.0)") + 1),
        ("treble", str(script), lines.index("def treble(x):") + 1),
    ]
    capture = jaxscope.load(tmp_path / "seen" / "treble.jaxscope")
    assert (capture.source.file, capture.source.line) == (str(script), 5)
    assert capture.source.text == "def treble(x):\n    return x * 3"
    stage = capture.stage("jaxpr")
    assert stage is not None and is_available(stage.graph)
    graph = stage.graph
    (product,) = [n for n in range(len(graph.nodes)) if graph.operation(n) == "mul"]
    assert [Path(place.file).name for place in graph.source(product)] == ["script.py", "library.py"]


def test_functions_of_one_name_have_a_capture_each(tmp_path: Path) -> None:
    with jaxscope.watch(tmp_path):
        jax.jit(lambda x: x + 1)(1.0)
        jax.jit(lambda x: x * 2)(1.0)
    names = [f["variants"][0]["capture"] for f in read(tmp_path)["compilations"]]
    assert names == ["lambda.jaxscope", "lambda-2.jaxscope"]
    calls = [jaxscope.load(tmp_path / name).stages[0].text.text for name in names]
    assert "add" in calls[0] and "mul" in calls[1]


def test_an_interpreter_that_will_not_do_runs_nothing(train: Path, tmp_path: Path) -> None:
    old = write_old_jax(tmp_path / "old", "0.6.2")
    done = run("--out", str(tmp_path / "seen"), "--python", old, str(train), "3")

    assert done.returncode == 3
    assert "has JAX 0.6.2; jaxscope needs 0.8 or newer" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert "has JAX 0.6.2" in read(tmp_path / "seen")["problems"][0]


def test_an_interpreter_that_is_too_old_to_read_us_runs_nothing(
    train: Path, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    seen.mkdir()
    (seen / "compilations.json").write_text("the list of an earlier run")
    done = run("--out", str(seen), "--python", write_ancient(tmp_path), str(train), "3")

    assert done.returncode == 3
    assert "is a Python that is too old; jaxscope needs 3.11 or newer" in done.stderr
    assert done.stdout == ""
    assert list(seen.iterdir()) == []


def test_an_interpreter_without_what_watching_needs_runs_nothing(
    train: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot be lent compiled modules of another version of Python."""
    lent = {**lend_packages(), "suffix": ".cpython-399-riscv64-linux-gnu.so"}
    monkeypatch.setattr("jaxscope.cli.run.lend_packages", lambda: lent)
    done = run("--python", write_old_jax(tmp_path / "bare", "0.10.2"), str(train), "3")

    assert done.returncode == 3
    assert "has no msgspec, protobuf and pygments, which watching" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the interpreter is a script of a shell")
def test_an_interpreter_with_jax_alone_is_lent_what_watching_needs(
    train: Path, tmp_path: Path
) -> None:
    """And nothing else: a module of ours that the script looks for is not there."""
    bare, python, seen = tmp_path / "bare", tmp_path / "python", tmp_path / "seen"
    bare.mkdir()
    for name in ("jax", "jaxlib", "numpy", "numpy.libs", "ml_dtypes", "opt_einsum", "scipy"):
        package = Path(jax.__file__).parents[1] / name
        if package.exists():
            (bare / name).symlink_to(package)
    for place in Path(jax.__file__).parents[1].glob("jax*.dist-info"):
        (bare / place.name).symlink_to(place)
    python.write_text(f'#!/bin/sh\nPYTHONPATH={bare} exec {sys.executable} -S "$@"\n')
    python.chmod(0o755)
    looked_for = "import importlib.util\nprint('PySide6', importlib.util.find_spec('PySide6'))\n"
    train.write_text(f"{looked_for}{TRAIN}")
    done = run("--out", str(seen), "--catch", "evaluate", "--python", str(python), str(train), "2")
    assert done.returncode == 0, done.stderr
    assert "PySide6 None" in done.stdout
    assert (seen / "evaluate.jaxscope").is_file()


def test_nothing_is_seen_after_the_end(tmp_path: Path) -> None:
    with jaxscope.watch(tmp_path) as seen:
        double = jax.jit(lambda x: x * 2)
    double(1.0)
    assert seen.to_json()["compilations"] == [] and not list(tmp_path.glob("*.jaxscope"))


MOVING = """
import functools, sys
import jax, jax.numpy as jnp, numpy as np

@functools.partial(jax.jit, donate_argnums=0)
def step(params, batch, rate, unused, text=None):
    slopes = jax.grad(lambda p: jnp.tanh(batch["x"] @ p["w"]).sum())(params)
    return jax.tree.map(lambda p, slope: p - rate * slope, params, slopes)

@functools.partial(jax.jit, static_argnums=1, keep_unused=True)
def scale(x, times, unused):
    return x * times

params, x = {"w": jnp.ones((8, 4))}, jnp.ones(3)
jax.config.update("jax_transfer_guard_host_to_device", sys.argv[1])
for number in range(6):
    params = step(params, {"x": np.ones((16, 8))}, 0.1, np.ones(1000))
for number in range(3):
    scale(x, 3, np.int8(1))
    scale(np.ones(5 + number % 2, np.float16), 3, np.int8(1))
"""


@pytest.mark.slow
def test_transfers_are_as_many_as_jax_counts(tmp_path: Path) -> None:
    """Against the log of JAX's own transfer guard, of the same script without a watch."""
    file = tmp_path / "script.py"
    file.write_text(MOVING)
    alone = subprocess.run(
        [sys.executable, str(file), "log"], capture_output=True, text=True, check=True
    )
    done = run("--json", str(file), "allow")
    found = json.loads(done.stdout)
    rows = {(r["line"], r["argument"], r["type"]): r for r in found["transfers"]}
    assert sum(r["count"] for r in rows.values()) == alone.stderr.count("host-to-device transfer")
    assert {key: (r["count"], r["bytes"]) for key, r in rows.items()} == {
        (17, "batch['x']", "f32[16,8]"): (6, 6 * 16 * 8 * 4),
        (17, "rate", "f32[]"): (6, 6 * 4),
        (19, "unused", "i8[]"): (3, 3),
        (20, "x", "f16[5]"): (2, 2 * 5 * 2),
        (20, "x", "f16[6]"): (1, 1 * 6 * 2),
        (20, "unused", "i8[]"): (3, 3),
    }
    assert {r["direction"] for r in rows.values()} == {"to_device"}
    assert any("CPU" in note for note in found["transfer_notes"])
    told = write_text(compilations_to_document(found, ""))
    assert "script.py:17      6  3.00 KiB  f32[16,8]  to the device  step: batch['x']" in told


def test_values_that_are_read_from_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a CPU nothing is moved then: here it is taken for a device with memory of its own."""
    monkeypatch.setattr(traffic, "is_in_host_memory", lambda _array: False)
    with jaxscope.watch() as seen:
        double = jax.jit(lambda x: x * 2)
        found = double(jnp.ones(5))
        for _ in range(3):
            float(found[0])
        found.tolist()
        jax.device_get(double(jnp.ones(7)))  # asked for
    rows = [(r["type"], r["count"], r["bytes"], r["line"]) for r in seen.to_json()["transfers"]]
    first = test_values_that_are_read_from_a_device.__code__.co_firstlineno
    assert rows == [("f32[5]", 1, 20, first + 8), ("f32[]", 3, 12, first + 7)]
    assert {r["file"] for r in seen.to_json()["transfers"]} == {__file__}


def test_memory_over_time() -> None:
    with jaxscope.watch() as seen:
        double = jax.jit(lambda x: x * 2)
        before = double(jnp.ones(2))
        kept = double(jnp.ones(25_000))
        alive = sum(array.nbytes for array in jax.live_arrays())
    memory = seen.to_json()["memory"]
    assert memory["source"] == "live_arrays" and memory["peak_bytes"] is None
    assert memory["seconds"] == sorted(memory["seconds"]) and len(memory["bytes"]) >= 2
    assert memory["bytes"][-1] == alive >= kept.nbytes
    assert before is not None and "arrays that were alive" in memory["note"]
    with jaxscope.watch() as nothing:
        pass
    assert nothing.to_json()["memory"] is None and nothing.to_json()["transfer_notes"] == []


def test_memory_as_an_allocator_tells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Device:
        def __init__(self, name: str, *sizes: int) -> None:
            self.name, self.sizes = name, sizes

        def memory_stats(self) -> dict[str, int]:
            return dict(zip(("bytes_in_use", "peak_bytes_in_use"), self.sizes, strict=True))

        def __str__(self) -> str:
            return self.name

    devices = [Device("cuda:0", 10, 40), Device("cuda:1", 30, 35)]
    monkeypatch.setattr(jax, "local_devices", lambda: devices)
    log = traffic.MemoryLog()
    assert log.look() and not log.look() and log.look(is_last=True)
    memory = log.to_json()
    assert memory is not None
    assert (memory["device"], memory["bytes"], memory["peak_bytes"]) == ("cuda:1", [30, 30], 40)
    assert memory["source"] == "memory_stats"


def test_a_long_run_keeps_few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "MAX_SAMPLES", 10)
    log = traffic.MemoryLog()
    for _ in range(100):
        log.look(is_last=True)
    memory = log.to_json()
    assert memory is not None and len(memory["bytes"]) <= 10
    assert memory["seconds"] == sorted(memory["seconds"])


def instructions(text: str) -> list[str]:
    """Name and type of each instruction of a module in XLA's text.

    Dumps of JAX 0.12 write `%tuple#1` for an element of a tuple.
    """
    lines = [line for line in text.splitlines() if " get-tuple-element(" not in line]
    return sorted(re.findall(r"^ +(?:ROOT )?%?(\S+ = \S+)", "\n".join(lines), re.MULTILINE))


LOOPS = """\
import jax.numpy as jnp
from jax import lax


def body(i, x):
    return jnp.tanh(x @ x)


x = jnp.ones((8, 8))
for _ in range(5):
    x = lax.fori_loop(0, 10, body, x)
    x, _ = lax.scan(lambda c, _: (c + 1, c.sum()), x, None, length=3)
x = lax.while_loop(lambda x: x.sum() > 1, lambda x: x / 2, x)
x = lax.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, x)
print("sum", float(x.sum()))
"""


SOLVER = """\
import jax
import jax.numpy as jnp


def solve(a, b):
    return jax.scipy.sparse.linalg.cg(lambda v: a @ v, b, maxiter=10)[0]


def doubled(x):
    made = jax.new_ref(jnp.zeros(3))

    def body(i, _):
        made[i] = x[i] * 2

    jax.lax.fori_loop(0, 3, body, None)
    return made[...]


print(solve(jnp.eye(3) * 2, jnp.ones(3)).sum(), doubled(jnp.arange(3.0)).sum())
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(jax, "new_ref"), reason="no mutable arrays")
def test_loops_of_solvers_and_of_mutable_arrays_have_their_lines(tmp_path: Path) -> None:
    """JAX's solvers are traced before they run; a mutable array is read by no look at its type."""
    script, seen = tmp_path / "script.py", tmp_path / "seen"
    script.write_text(SOLVER)
    done = run("--out", str(seen), str(script))
    assert done.returncode == 0 and "is not known in full" not in done.stdout
    loops = [(each["function"], each["file"], each["line"]) for each in read(seen)["compilations"]]
    assert loops == [("lax.while", str(script), 6), ("lax.scan", str(script), 15)]


@pytest.mark.slow
def test_a_loop_that_a_library_runs_is_of_the_users_line(tmp_path: Path) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    library = "from jax import lax\ndef total(x):\n"
    library += "    return lax.scan(lambda c, x: (c + x, None), 0.0, x)[0]\n"
    (folder / "summing.py").write_text(library)
    script, seen = tmp_path / "script.py", tmp_path / "seen"
    script.write_text(
        f"import sys\nsys.path.append({str(folder)!r})\nimport summing\n"
        "import jax.numpy as jnp\nsumming.total(jnp.ones(4))\n"
    )
    assert run("--out", str(seen), str(script)).returncode == 0
    (loop,) = read(seen)["compilations"]
    assert (loop["function"], loop["file"], loop["line"]) == ("lax.scan", str(script), 5)


@pytest.mark.slow
def test_loops_that_python_runs_outside_of_jit_are_programs_too(tmp_path: Path) -> None:
    script = tmp_path / "loops.py"
    script.write_text(LOOPS)
    dump = f"--xla_dump_to={tmp_path / 'dump'} --xla_dump_hlo_as_text"
    alone = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "XLA_FLAGS": dump},
        capture_output=True,
        text=True,
    )
    seen = tmp_path / "seen"
    done = run("--out", str(seen), str(script))
    assert done.returncode == 0 and alone.stdout and alone.stdout in done.stdout
    found = read(seen)
    assert found["problems"] == []
    listed = [
        (each["function"], each["line"], each["calls"], len(each["variants"]))
        for each in found["compilations"]
    ]
    assert listed == [
        ("lax.scan", 11, 5, 1),
        ("lax.scan", 12, 5, 5),
        ("lax.while", 13, 1, 1),
        ("lax.cond", 14, 1, 1),
    ]
    names = {each["function"] for each in found["outside"]}
    assert names and not names & {"scan", "while", "cond"}
    (advice,) = found["recompilation"]["advice"]
    assert advice["text"].startswith("The operation at loops.py:12 was run from Python")
    assert "compiled 5 times" in advice["text"] and "a lambda made in a loop" in advice["text"]
    capture = jaxscope.load(seen / "lax.scan.jaxscope")
    assert isinstance(capture, Capture) and capture.source.file == str(script)
    dumped = (tmp_path / "dump").glob("*.jit_scan.*after_optimizations.txt")
    (own,) = [text for path in dumped if " tanh(" in (text := path.read_text())]
    optimized = capture.stage("optimized")
    assert optimized is not None and optimized.text is not None
    assert instructions(optimized.text.text) == instructions(own)
    assert "lax.fori_loop(0, 10, body, x)" in capture.source.text
    # All of a function's programs but the first few are one row.
    assert "2 more programs" in done.stdout
    assert "8 programs of 4 functions took" in done.stdout


@pytest.mark.parametrize(
    ("count", "more"), [(20, ""), (21, "and 1 more function"), (30, "and 10 more functions")]
)
def test_of_many_functions_those_that_took_longest_are_shown(count: int, more: str) -> None:
    def listed(number: int) -> dict[str, Any]:
        seconds = {"trace": None, "lower": 0.5, "compile": float(number)}
        variant = {"calls": 1, "seconds": seconds, "reason": None, "capture": None}
        return {"function": f"f{number}", "file": "a.py", "line": number, "variants": [variant]}

    found = {"compilations": [listed(number) for number in range(count)]}
    table = compilations_table(found, 20, 4)
    assert [row[1] for row in table.rows] == [f"a.py:{n or '?'}" for n in range(count)][-20:]
    assert table.rest == more
    assert len(compilations_table(found).rows) == count


def test_why_a_program_was_made_again_is_told_in_full() -> None:
    reason = "; ".join(f"x{n}: f32[3] → f32[4] (another shape)" for n in range(5))
    seconds = {"trace": 0.1, "lower": 0.1, "compile": 0.1}
    variants = [
        {"calls": 1, "seconds": seconds, "reason": told, "capture": None}
        for told in (None, "x: weak type", reason)
    ]
    function = {"function": "f", "file": "a.py", "line": 2, "variants": variants}
    found = {"compilations": [function], "outside": [], "transfers": [], "problems": []}
    shown = write_text(compilations_to_document(found))
    assert f"f (a.py:2), program 3: {reason}" in shown
    assert shown.count("x: weak type") == 1  # what the table has whole is not repeated
    assert compilations_table(found).rows[2][6] == reason  # the window has room


DIVERGES = """
import functools
import jax, jax.numpy as jnp

@functools.partial(jax.jit, donate_argnums=0)
def step(params, rate):
    start = 0, params["w"]
    less = jax.lax.while_loop(lambda c: c[0] < 1, lambda c: (c[0] + 1, c[1] - rate), start)
    return {"w": less[1]}

@jax.jit
def loss(params):
    return jnp.log(params["w"]).sum()

@jax.jit
def shown(value):
    return value * 2

def full(value):
    return jnp.full(4, value, jnp.float32)

params = {"w": full(3.0)}
for rate in (1.0, 1.0, jnp.array([1.0, 1.0, 1.0, 2.0]), 0.5):
    shown(loss(params))
    params = step(params, rate * full(1.0))
shown(loss(step({"w": full(1e38)}, full(-3e38))))

@jax.jit
def prints(x):
    jax.debug.print("printed {}", x)
    return 1 / x

prints(0.0)
"""


def test_the_first_call_that_makes_nan_is_captured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, seen = tmp_path / "diverges.py", tmp_path / "seen"
    script.write_text(DIVERGES)
    done = run("--at-nan", "--out", str(seen), str(script))
    assert done.returncode == 0, done.stderr
    found = read(seen)
    assert found["problems"] == []
    # shown returns Inf as well, but only for an argument that is not finite.
    loss, step, prints = found["non_finite"]
    assert [loss[key] for key in ("function", "file", "line", "call", "capture")] == [
        *("loss", str(script), 11, 4, "loss.jaxscope")
    ]
    assert "result has 1 NaN among 1 value" in loss["message"]
    assert "(log, diverges.py:13): 1 NaN and 3 Inf among 4 values" in loss["message"]
    assert (step["function"], step["call"], step["capture"]) == ("step", 5, "step.jaxscope")
    assert "(sub, diverges.py:8) in round 1 of 0 (while): 4 Inf among 4 values" in step["message"]
    assert "effects, such as what it prints, would have to come once more" in prints["message"]
    assert done.stdout.count("printed 0.0") == 1
    # Programs that jaxscope itself compiles, to look or to capture, are not in the list.
    assert [(len(each["variants"]), each["calls"]) for each in found["compilations"]] == [
        *((1, 5), (1, 5), (1, 5), (1, 1))
    ]
    assert [name["capture"] for each in found["compilations"] for name in each["variants"]] == [
        *("loss.jaxscope", None, "step.jaxscope", "prints.jaxscope")
    ]
    assert "First NaN or Inf\n  loss (diverges.py:11), call 4: " in done.stdout
    for told in (loss, step, prints):
        (check,) = jaxscope.load(seen / told["capture"]).checks
        assert (check.rule, check.message) == ("non-finite-result", told["message"])
    assert main(["ask", str(seen / "loss.jaxscope"), "nan"]) == 0
    assert "(log, diverges.py:13): 1 NaN and 3 Inf among 4 values" in capsys.readouterr().out


@pytest.mark.slow
def test_a_script_without_nan_is_told_to_have_none(train: Path, tmp_path: Path) -> None:
    done = run("--at-nan", "--out", str(tmp_path / "seen"), str(train), "3")
    assert read(tmp_path / "seen")["non_finite"] == []
    assert not list((tmp_path / "seen").glob("*.jaxscope"))
    assert "No call returned NaN or Inf for arguments without any." in done.stdout
    assert (
        "non_finite" in read(tmp_path / "seen") and "First NaN" not in run(str(train), "3").stdout
    )


def test_a_donated_argument_is_whole_in_the_capture_of_its_nan(tmp_path: Path) -> None:
    with jaxscope.watch(tmp_path, catch=["root"], at_nan=True):

        @functools.partial(jax.jit, donate_argnums=0)
        def root(x: jax.Array) -> jax.Array:
            return jnp.sqrt(x)

        weak = jnp.asarray(4.0)
        assert weak.weak_type
        for value in (weak, weak - 5.0):
            root(value)
    (found,) = read(tmp_path)["non_finite"]
    assert found["call"] == 2 and "is 0 (sqrt, test_run.py:" in found["message"]
    (program,) = read(tmp_path)["compilations"][0]["variants"]
    assert program["calls"] == 2 and program["capture"] == "root.jaxscope"
    with pytest.raises(UsageError, match="needs a folder"):
        jaxscope.watch(at_nan=True)


def test_a_program_goes_on_whose_donated_arguments_cannot_be_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(values: object) -> object:
        raise RuntimeError("no memory")

    monkeypatch.setattr(compilation_watch, "copy_arrays", fail)
    with jaxscope.watch(tmp_path, at_nan=True):
        half = jax.jit(lambda x: x / 2, donate_argnums=0)
        assert half(jnp.float32(4.0)) == 2.0
    (problem,) = read(tmp_path)["problems"]
    assert "RuntimeError: no memory" in problem


def test_donated_arguments_are_copied_only_where_results_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[float] = []
    copy = compilation_watch.copy_arrays

    def count(values: Any) -> Any:
        copied.append(float(values[0][0]))
        return copy(values)

    monkeypatch.setattr(compilation_watch, "copy_arrays", count)
    with jaxscope.watch(tmp_path, catch=["root"], after=1, at_nan=True):

        def root(x: jax.Array) -> jax.Array:
            return jnp.sqrt(x)

        def half(x: jax.Array) -> jax.Array:
            return x / 2

        donating = [jax.jit(each, donate_argnums=0) for each in (root, half)]
        for value in (9.0, 4.0, -1.0, -2.0):
            for function in donating:
                function(jnp.float32(value))
    assert copied == [4.0, -1.0], "the first is let pass, and the third is captured"
