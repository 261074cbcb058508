"""What JAX and XLA warn of becomes a note at its equation and line."""

from __future__ import annotations

import inspect
import os
import re
import warnings
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxscope.client import one_shot
from jaxscope.client.events import Failed, Output
from jaxscope.errors import JaxscopeError
from jaxscope.model import Capture, Check, NodeKind
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.model.op_name import TagTable
from jaxscope.worker.stages.compilation import LogNote, XlaLog, place_note

SOURCE = """\
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P


def placed(*spec):
    mesh = jax.make_mesh((2, 4), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
    return NamedSharding(mesh, P(*spec))


def moved(x):
    x = jax.lax.with_sharding_constraint(x * 2, placed(None, "a"))
    x = jax.lax.with_sharding_constraint(jnp.sin(x), placed("b", None))
    return x


def loss(x):
    return moved(x).sum()


def short(p, g):
    return p[:10] + g[:10], jnp.sum(p)


def both(p, q):
    return p + q


def cast(p, q):
    return (p + q).astype(jnp.int32)


def three(p, q, r):
    return p * 2, (q + r).astype(jnp.int32), jnp.sum(r)
"""
FOLDING = """\
E1122 07:40:47.1 3 slow_operation_alarm.cc:73] Constant folding an instruction is taking > 1s:

  %sort.4 = f32[8000000]{0} sort(%sine.3), dimensions={0}, metadata={op_name="jit(f)/jxsd7/sort"}

This isn't necessarily a bug; constant-folding is inherently a trade-off.

If you'd like to file a bug, run with envvar XLA_FLAGS=--xla_dump_to=/tmp/foo.
something else
"""


def take(tmp_path: Path, call: str, target: str) -> tuple[Capture, str]:
    path = tmp_path / "warned.py"
    path.write_text(SOURCE)
    printed: list[str] = []

    def note(event: object) -> None:
        if isinstance(event, Output):
            printed.append(event.text)

    return one_shot.capture(str(path), call, target=target, on_event=note), "".join(printed)


def check_of(capture: Capture, rule: str) -> Check | None:
    return next((check for check in capture.checks if check.rule == rule), None)


NONE = "no result has its type, or as many elements"


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("short, donate_argnums=0)(f32[1000], f32[1000])", f"`p` (float32[1000]): {NONE} (1,000)."),
        (
            "both, donate_argnums=(0, 1))(f32[1000], f32[1000])",
            "`q` (float32[1000]): each result of its type is written over another one (`p`).",
        ),
        (
            "cast, donate_argnums=(0, 1))(f32[10], f32[10])",
            "`q` (float32[10]): each result of as many elements is written over another one (`p`).",
        ),
    ],
)
def test_a_donation_of_no_use_is_a_note(tmp_path: Path, call: str, told: str) -> None:
    capture, printed = take(tmp_path, f"jit({call}", "cpu")
    check = check_of(capture, "donation-unused")
    assert check is not None
    assert check.message == f"Donated, and no result can be written over it: {told}"
    name = call.partition(",")[0]
    assert SOURCE.splitlines()[check.line - 1].startswith(f"def {name}(")
    assert check.message in capture.messages and not check.equation
    assert "donated buffers" not in printed


@pytest.mark.sweep(3)
@pytest.mark.parametrize("donate", [(0,), (1,), (0, 1), (0, 1, 2)])
@pytest.mark.parametrize("name", ["short", "both", "cast", "three"])
def test_told_are_the_donations_that_jax_warns_of_and_the_program_does_not_use(
    tmp_path: Path, name: str, donate: tuple[int, ...]
) -> None:
    """By plain JAX: the types of its warning, and the aliases of the compiled program."""
    space: dict[str, Any] = {}
    exec(SOURCE, space)
    parameters = list(inspect.signature(space[name]).parameters)
    donate = tuple(n for n in donate if n < len(parameters))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        arguments = [jnp.ones(1000)] * len(parameters)
        text = jax.jit(space[name], donate_argnums=donate).lower(*arguments).compile().as_text()
    warned = sum(str(each.message).count("float32[1000]") for each in caught)
    used = {int(n) for n in re.findall(r": \((\d+), \{\}, may-alias\)", text.partition("\n")[0])}
    left = {parameters[n] for n in donate if n not in used}

    call = f"jit({name}, donate_argnums={donate})({', '.join(['f32[1000]'] * len(parameters))})"
    check = check_of(take(tmp_path, call, "cpu")[0], "donation-unused")
    told = set(re.findall(r"`(\w)` \(float32", check.message)) if check is not None else set()
    assert (told, len(told)) == (left, warned)


@pytest.mark.parametrize(
    ("call", "equation", "line"), [("moved", "1", 11), ("grad(loss)", "3", 12)]
)
def test_an_involuntary_rematerialization_has_its_equation_and_line(
    tmp_path: Path, call: str, equation: str, line: int
) -> None:
    capture, printed = take(tmp_path, f"{call}(f32[8, 8])", "cpu:8")
    check = check_of(capture, "involuntary-rematerialization")
    if check is None and "rematerialization" not in printed:
        pytest.skip("this XLA finds a better way")
    assert check is not None
    assert (check.equation, check.line) == (equation, line) and check.file.endswith("warned.py")
    assert f"equation {equation} (sharding_constraint, warned.py:{line})." in check.message
    if call == "moved" and "mesh[" not in check.message:  # as XLA writes a sharding since 0.11
        assert "devices=[1,2,4]" in check.message and "devices=[4,1,2]" in check.message
    assert "rematerialization" not in printed and "jxs" not in check.message


def test_slow_folding_is_kept_and_other_lines_go_on(capfd: pytest.CaptureFixture[str]) -> None:
    log = XlaLog()
    with log.listening():
        os.write(2, FOLDING.encode() + FOLDING.replace("something else\n", "").encode())
    (note,) = log.notes
    assert note.rule == "slow-constant-folding"
    assert note.op_name == "jit(f)/jxsd7/sort" and "f32[8000000]" in note.message
    assert capfd.readouterr().err == "something else\n"


def test_the_stage_of_an_equation_that_is_not_of_the_base_function_is_told() -> None:
    graph = GraphBuilder()
    graph.add_node("7", NodeKind.EQUATION, "sort", source=(("f.py", 5, 0, ""),))
    tags = TagTable((), ("0",) * 7 + ("7",))
    note = LogNote("slow-constant-folding", "It is slow.", "", "jit(f)/jxsd7~//sort")
    message, *place = place_note(note, tags, GraphBuilder().build(), graph.build(), "grad")
    assert message == "It is slow. It is of equation 7 (sort, f.py:5) of the stage grad."
    assert place == ["7", "f.py", 5]


FOLDED_FOR_LONG = """\
import os
import threading

import jax
import jax.numpy as jnp

from jaxscope.worker import channel

send = channel.Channel.send


def watched(self, type, fields=None, arrays=None, **options):
    send(self, type, fields, arrays, **options)
    if (fields or {}).get("rule") == "slow-constant-folding":
        if any(thread.name == "jaxscope background" for thread in threading.enumerate()):
            os._exit(0)


channel.Channel.send = watched


def folded(x):
    ones = jnp.ones((130, 130, 20))
    return x + jax.lax.reduce_window(ones, 0.0, jax.lax.add, ones.shape, (1, 1, 1), "SAME").sum()
"""


def test_a_run_that_ends_while_xla_compiles_has_told_what_xla_warned_of(tmp_path: Path) -> None:
    """Folding this constant takes a minute; the process ends itself once the warning is sent."""
    path = tmp_path / "folded.py"
    path.write_text(FOLDED_FOR_LONG)
    ends: list[Failed] = []
    with pytest.raises(JaxscopeError):
        one_shot.capture(
            str(path), "folded(f32[])", on_event=lambda e: isinstance(e, Failed) and ends.append(e)
        )
    (end,) = ends
    assert isinstance(end.partial, Capture)
    check = check_of(end.partial, "slow-constant-folding")
    assert check is not None and check.line == len(FOLDED_FOR_LONG.splitlines())
