"""A private name that a release of JAX lacks costs what needs it, and is named."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import pytest

from jaxscope.worker import compat, compat_recorder
from tests.worker.other_release import GONE, private_names

NAMES = sorted(set(private_names()))
OF_EACH_KIND = {
    "jax._src.core.Jaxpr",
    "jax._src.core.Trace",
    "jax._src.interpreters.mlir",
    "jax._src.interpreters.mlir._emit_cached_call",
    "jax._src.linear_util.WrappedFun",
    "jax._src.source_info_util.NameStack",
    "jaxlib._jax.hlo_module_cost_analysis",
    "jaxlib._profiler",
}
NEEDED = {
    "jax._src.core",
    "jax._src.core.Jaxpr",
    "jax._src.core.Literal",
    "jax._src.source_info_util",
    "jax._src.source_info_util.NameStack",
    "jax._src.source_info_util.register_exclusion",
}
"""Nothing can be said of a program without these, or of one that transforms were applied to."""
CALLS = ("simple_graph(f32[3])", "vmap(grad(simple_graph))(f32[2, 3])")

Said = list[tuple[str, dict[str, Any]]]
Ask = Callable[..., Said]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Answers a request in a process whose JAX lacks a name; all have it where none is named."""
    known: dict[tuple[str, ...], Said] = {}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.worker.other_release"],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # what XLA and the sample print
        text=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None

        def ask(*request: str) -> Said:
            assert process.stdin is not None and process.stdout is not None
            if request not in known:
                print(json.dumps(request), file=process.stdin, flush=True)
                known[request] = [
                    (type, fields) for type, fields in json.loads(next(process.stdout))
                ]
            return known[request]

        yield ask
        process.stdin.close()


def what_is_there(said: Said) -> set[str]:
    """Stages that can be shown, those whose cost is known once more, and what else was sent."""
    there = {type for type, _ in said} - {"message", "failed", "progress", "done", "check"}
    for type, fields in said:
        if type == "stage" and not fields["unavailable"]:
            there.add(fields["name"])
            if fields["cost"][0] == fields["cost"][0]:
                there.add(f"cost of {fields['name']}")
    return there


def sentences(said: Said) -> set[str]:
    """All that is said of what is not there."""
    told = {fields["text"] for type, fields in said if type == "message"}
    told |= {fields["unavailable"] for type, fields in said if type == "stage"} - {None}
    return told | {fields["explanation"]["what"] for type, fields in said if type == "failed"}


def is_of(name: str, sentence: str) -> bool:
    """Whether a sentence says that JAX has no such name, or nothing of such a module."""
    _, says, rest = sentence.partition(f"JAX {jax.__version__} has no ")
    return bool(says) and rest.replace(GONE, "").startswith(name)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in OF_EACH_KIND else pytest.mark.slow) for name in NAMES],
)
def test_it_costs_what_needs_it_and_is_named(name: str, call: str, ask: Ask) -> None:
    usual, found = ask("", "capture", call), ask(name, "capture", call)
    new = sentences(found) - sentences(usual)
    assert all(is_of(name, sentence) for sentence in new), new
    failures = [fields for type, fields in found if type == "failed"]
    if failures:
        assert name in NEEDED
        assert [fields["fault"] for fields in failures] == ["environment"]
        assert "--python" in failures[0]["explanation"]["remedy"]
    elif what_is_there(found) != what_is_there(usual):
        assert what_is_there(found) < what_is_there(usual)
        assert new, what_is_there(usual) - what_is_there(found)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("name", "type"),
    [
        ("jaxlib._profiler.ProfilerSession", "profile"),
        ("jax._src.core.Literal", "values"),
        ("jax._src.interpreters.partial_eval.JaxprStackFrame", "trace_lines"),
        ("jax._src.core.Jaxpr", "compile_time"),
    ],
)
def test_other_requests_name_it_too(name: str, type: str, ask: Ask) -> None:
    said = json.dumps(ask(name, type, CALLS[0])).replace(GONE, "")
    assert f"JAX {jax.__version__} has no {name}" in said, said


def test_what_user_code_misses_is_none_of_ours(ask: Ask) -> None:
    (failure,) = [
        f for type, f in ask("", "capture", "jax._src.core.nothing()") if type == "failed"
    ]
    assert "private name" not in failure["explanation"]["what"]
    assert failure["fault"] != "environment"


@pytest.mark.slow
def test_an_error_of_jax_itself_is_no_name_that_we_look_up() -> None:
    trace = compat_recorder.Recorder(compat_recorder._core.trace_ctx.trace, None, None, 0)
    with pytest.raises(AttributeError) as raised:
        _ = trace.nothing
    assert raised.value.name == "nothing"
    assert compat.tell_missing(raised.value) == ""
    with pytest.raises(AttributeError) as raised:
        compat.scope_names(compat_recorder._core.trace_ctx)
    assert compat.tell_missing(raised.value).endswith(".stack, a private name that this needs.")
