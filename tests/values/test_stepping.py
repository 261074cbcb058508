"""Stepping through a program: the places, the values there against JAX's own, the limits."""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import struct
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import io_callback

from jaxscope.cli import main
from jaxscope.client.requests import StepRequest
from jaxscope.client.stepping import SteppingClient as Asked
from jaxscope.errors import CallError
from jaxscope.model.values import Step, ValueCondition, parse_condition, parse_place, parse_slice
from jaxscope.report.stepping import describe_difference, describe_place
from jaxscope.wire.messages import Message
from jaxscope.worker import compat
from jaxscope.worker.channel import SKIP_SIGNAL, Skipped
from jaxscope.worker.host.call import parse_call
from jaxscope.worker.provenance.traced_program import find_inputs, trace_call, trace_gradient
from jaxscope.worker.stages.call_loader import call_namespace
from jaxscope.worker.values import stepping
from jaxscope.worker.values.arrays import matches, view_slice
from jaxscope.worker.values.frames import JaxprFrame
from jaxscope.worker.values.subject import ReadyProgram, load_argument

CALLS = []


def chain(x: Any) -> Any:
    y = jnp.sin(x) * 2.0
    return jnp.exp(y), y.sum()


def loops(x: Any) -> Any:
    def step(c: Any, v: Any) -> Any:
        jax.debug.callback(CALLS.append, 1)
        return c * 0.5 + v, c * v

    c, ys = jax.lax.scan(step, 1.0, x)
    back, _ = jax.lax.scan(lambda c, v: (c - v, None), c, ys, reverse=True)
    return jax.lax.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] * 2.0), (0, back))


def counted_outside(x: Any) -> Any:
    def step(c: Any, v: Any) -> Any:
        n = io_callback(lambda n: n, jax.ShapeDtypeStruct((), jnp.float32), v)
        return c + n * 100.0 - n * 99.0, None

    return jax.lax.scan(step, 0.0, x)[0]


def branches(i: Any, x: Any) -> Any:
    return jax.lax.switch(i, [jnp.sin, jnp.cos, lambda x: x * 2.0], x)


calls: list[str] = []


def calls_or_not(is_wanted: Any, x: Any) -> Any:
    def noting(v: Any) -> Any:
        calls.append("called")
        return v

    shape = jax.ShapeDtypeStruct((3,), jnp.float32)
    return jax.lax.cond(is_wanted, lambda v: jax.pure_callback(noting, shape, v), jnp.sin, x)


def long(x: Any) -> Any:
    for n in range(40):
        x = jnp.sin(x) + (x * (1 / (n + 1)) if n % 7 else jax.jit(lambda v: v * 0.5 + 1.0)(x))
    return x


def fails(x: Any) -> Any:
    for _ in range(56):
        x = x + 1.0
    return jnp.tanh(x) + 1.0


def spoiled(x: Any) -> Any:
    _, ys = jax.lax.scan(lambda c, v: (c + 1.0, jnp.log(v - 3.0 * c)), 0.0, x)
    return ys * 2.0


def rooted(x: Any) -> Any:
    return jnp.where(x > 0, jnp.sqrt(x), 0.0).sum()


class Recorder:
    """A channel that remembers."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def send(self, type: str, fields: dict[str, Any], _arrays: Any = None) -> None:
        self.sent.append((type, fields))

    def progress(self, *_: Any, **__: Any) -> None:
        pass


class Walker:
    """Moves a stepper, and returns what it says."""

    def __init__(self, text: str, stage: str = "", most_bytes: int = 1 << 30) -> None:
        call = parse_call(text, call_namespace(globals()), file=__file__)
        program = trace_call(call)
        inputs = find_inputs(program, call)
        assert inputs is not None
        traced = trace_gradient(program.base)[0] if stage else program.derived
        subject = ReadyProgram(__file__, call, program, traced, list(map(jnp.asarray, inputs)), {})
        self.channel = Recorder()
        self.stepper = stepping.Stepper(subject, self.channel, most_bytes)  # type: ignore[arg-type]  # a double of the channel

    def __call__(self, to: str, **fields: Any) -> dict[str, Any]:
        self.stepper.answer(Message("move", {"to": to, **fields}))
        return self.channel.sent[-1][1]

    def at(self, place: str) -> dict[str, Any]:
        equation, iterations = parse_place(place)
        return self("place", equation=equation, iterations=list(iterations))

    def value(self, kind: str, index: int = 0) -> Any:
        has = kind == "result"
        return next(v[3] for v in self.stepper._values(has_results=has) if v[:2] == (kind, index))

    def places(self) -> list[tuple[str, list[int]]]:
        """All of the run, into everything."""
        found = []
        self("start")
        while True:
            step = self("into")
            step = step if not step["note"] else self("forward")
            if step.get("is_end"):
                return found
            found.append((step["equation"], step["iterations"]))


def test_values_are_those_of_jax_bit_by_bit() -> None:
    walk, x = Walker("chain(jnp.arange(5.0))"), jnp.arange(5.0)
    made = [jnp.sin(x), jnp.sin(x) * 2.0, jnp.exp(jnp.sin(x) * 2.0), (jnp.sin(x) * 2.0).sum()]
    for expected in made:
        step = walk("forward")
        assert np.array_equal(walk.value("result"), expected), step
    assert walk("forward")["is_end"]
    assert np.array_equal(walk.value("result", 1), made[3])
    assert walk("back")["operation"] == "reduce_sum"
    assert walk("start")["values"][0]["name"] == "x"


def test_loops_are_entered_by_round_and_print_once() -> None:
    CALLS.clear()
    walk, x = Walker("loops(jnp.arange(4.0))"), np.arange(4.0, dtype=np.float32)
    state, stacked = np.float32(1.0), []
    walk.at("0")
    jax.effects_barrier()
    assert len(CALLS) == 4
    names = [eqn.primitive.name for eqn in walk.stepper._root.equations[0].params["jaxpr"].eqns]
    last = names.index("add")
    for number, v in enumerate(x):
        step = walk.at(f"0/jaxpr/{last}@{number}")
        stacked.append(state * v)
        state = state * np.float32(0.5) + v
        assert step["iterations"] == [number] and step["rounds"] == [4]
        assert walk.value("result") == state
    jax.effects_barrier()
    assert len(CALLS) == 4
    first = walk.at("1")
    assert first["operation"] == "scan" and walk("into")["iterations"] == [3]  # it runs backwards
    assert walk.value("operand") == state and walk.value("operand", 1) == stacked[3]
    inside = [place for place, _ in walk.places() if place.startswith("2/")]
    assert inside.count("2/body_jaxpr/0") == 4 and inside.count("2/cond_jaxpr/0") == 5
    assert "4 rounds: there is no 9" in walk.at("2/body_jaxpr/0@9")["note"]
    last = walk.at("2/cond_jaxpr/0@4")
    assert last["rounds"] == [4]
    told = describe_place(Step(0, last["equation"], operation="lt", iterations=(4,), rounds=(4,)))
    assert told == "2/cond_jaxpr/0 lt, behind the last of 4 rounds"
    assert "One loop is around" in walk.at("2/cond_jaxpr/0@1,2")["note"]
    assert "No loop is around" in walk.at("1@7")["note"]
    assert walk("out")["operation"] == "while" and walk("back")["operation"] == "scan"


def until_ten(x: Any) -> Any:
    """Doubles `x`, and counts how often, as long as it is below 10."""

    def body(s: Any) -> Any:
        return s[0] + 1, jnp.where(s[1] > 1.0, s[1] * 2.0, s[1] + 1.0)

    return jax.lax.while_loop(lambda s: (s[1] < 10.0).all(), body, (0, x))


@pytest.mark.parametrize("depth", [1, 2])
def test_a_while_under_vmap_keeps_the_elements_whose_condition_is_false(depth: int) -> None:
    shape = "(2, 3, 2)" if depth == 2 else "(6, 2)"
    values = np.array([0, 1, 20, 3, 5, 4, 9, 9.5, 2, 0, 11, 0], np.float32)
    argument = f"jnp.array({values.tolist()}).reshape{shape}"
    walk = Walker(f"{'vmap(' * depth}until_ten{')' * depth}({argument})")
    loop = [e.primitive.name for e in walk.stepper._root.equations].index("while")
    assert "any element is true" in walk.at(f"{loop}")["inside"]

    counts, rows = [0] * 6, values.reshape(6, 2).copy()
    number = 0
    while (active := (rows < 10).all(1)).any():
        walk.at(f"{loop}/body_jaxpr/0@{number}")
        _, state = walk.stepper._root.inside(loop)._run_up_to(number)
        assert np.array_equal(np.ravel(state[0]), counts)
        assert np.array_equal(np.reshape(state[1], (6, 2)), rows)
        for row in np.flatnonzero(active):
            counts[row] += 1
            rows[row] = np.where(rows[row] > 1, rows[row] * 2, rows[row] + 1)
        number += 1
    assert walk.at(f"{loop}/cond_jaxpr/0@{number}")["rounds"] == [number]
    walk.at(f"{loop}")
    assert np.array_equal(np.ravel(walk.value("result", 0)), counts)
    assert np.array_equal(np.reshape(walk.value("result", 1), (6, 2)), rows)


def test_back_is_the_way_forward_reversed() -> None:
    walk = Walker("loops(jnp.arange(3.0))")
    there = []
    walk("start")
    while not (step := walk("forward")).get("is_end"):
        there.append(step["equation"])
    back = [walk("back")["equation"] for _ in there]
    assert back[::-1] == there and not walk("back").get("equation")


def test_both_branches_are_stepped_through_and_which_was_taken_is_said() -> None:
    x = jnp.arange(3.0)
    walk = Walker("branches(1, jnp.arange(3.0))")
    cond = len(walk.stepper._root.equations) - 1
    assert walk.at(f"{cond}")["inside"] == "branches.1 was taken, not branches.0, branches.2."
    assert walk("into")["operation"] == "cos"
    for number, expected in ((0, jnp.sin(x)), (2, x * 2.0), (1, jnp.cos(x))):
        here = walk.at(f"{cond}/branches.{number}/0")
        assert np.array_equal(walk.value("result"), expected)
        told = "branches.1 was taken, not branches.0, branches.2. Here stands what branches."
        assert here["note"].startswith(told) == (number != 1)
    walk.at(f"{cond}/branches.2/0")
    assert walk("back")["equation"] == str(cond)
    walk.at(f"{cond}/branches.2/0")
    assert walk("forward").get("is_end") and np.array_equal(walk.value("result"), jnp.cos(x))
    assert all("branches.1" in e for e, _ in walk.places() if "branches" in e)


def test_a_branch_that_is_not_taken_runs_no_code_of_the_user() -> None:
    calls.clear()
    walk = Walker("calls_or_not(False, jnp.arange(3.0))")
    cond = len(walk.stepper._root.equations) - 1
    here = walk.at(f"{cond}/branches.1/0")
    assert "branches.0 was taken, not branches.1." in here["note"]
    walk("end")
    assert calls == []
    Walker("calls_or_not(True, jnp.arange(3.0))")("end")
    assert calls == ["called"]


def test_what_is_dropped_is_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jaxscope.worker.values.frames._SEGMENT_S", 0.0)
    size = 4 * 1000
    tight, roomy = (Walker("long(jnp.ones(1000))", most_bytes=n * size) for n in (12, 10**6))
    for walk in (tight, roomy):
        walk("end")
    assert tight.stepper._cache.num_bytes <= 14 * size < roomy.stepper._cache.num_bytes
    places = roomy.places()
    random.Random(1).shuffle(places)
    bind, runs = compat.bind_equation, []
    monkeypatch.setattr(compat, "bind_equation", lambda *each: runs.append(1) or bind(*each))
    most = 0
    for equation, _ in places[:40]:
        runs.clear()
        tight.at(equation)
        most = max(most, len(runs))
        roomy.at(equation)
        assert np.array_equal(tight.value("result"), roomy.value("result")), equation
    assert tight.stepper._cache.num_bytes <= 14 * size
    assert 0 < most < len(places) / 3, most  # from the nearest checkpoint, not from the start
    tight("end")
    for number in range(len(tight.stepper._root.equations)):
        tight.stepper._root.pinned.clear()
        tight.stepper._root.release(number)
    assert tight.stepper._cache.num_bytes == 0


def test_an_equation_that_fails_loses_nothing_and_runs_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs, bind = [], compat.bind_equation

    def explode(equation: Any, values: Any) -> Any:
        if equation.primitive.name == "tanh":
            runs.append(values)
            raise OSError("no such sensor")
        return bind(equation, values)

    monkeypatch.setattr(compat, "bind_equation", explode)
    walk = Walker("fails(1.0)")
    step = walk("end")
    assert step["equation"] == "56" and "no such sensor" in step["failure"]
    assert [each["kind"] for each in step["values"]] == ["operand"]
    assert float(walk.value("operand")) == 57.0
    assert walk.at("3")["failure"] == "" and float(walk.value("result")) == 5.0
    assert walk("end")["equation"] == "56" and len(runs) == 1


def test_a_run_stops_at_conditions_in_order() -> None:
    walk = Walker("spoiled(jnp.arange(6.0) + 1.5)")
    first = walk("condition", condition="nan")
    assert (first["operation"], first["iterations"]) == ("log", [1])
    assert walk("condition", condition="nan")["iterations"] == [2]
    assert walk("condition", condition="shape [6]")["operation"] == "mul"
    assert walk("condition", condition="nan")["is_end"]
    walk("start")
    large = walk("condition", condition="> 5, shape [9]")
    assert (large["operation"], large["iterations"]) == ("mul", [2])
    wrong = walk("condition", condition="> many")
    assert "no number" in wrong["note"] and wrong["operation"] == "mul"


def test_a_loop_that_is_not_looked_into_is_named() -> None:
    """Its rounds have lasting effects, and only what it gives is known."""
    walk = Walker("counted_outside(jnp.arange(3.0))")
    note = walk("condition", condition="> 50")["note"]
    assert note.startswith("No equation from there") and note.endswith("Not looked into: 0 scan.")


def test_the_first_nan_has_its_chain() -> None:
    walk = Walker("spoiled(jnp.arange(6.0) + 4.0)")
    step = walk("origin")  # log(0), a round before log(-2)
    assert (step["operation"], step["iterations"]) == ("log", [2])
    assert step["origin"]["because"] == "log(0) is -inf."
    step = walk("origin")
    assert step["operation"] == "log" and step["iterations"] == [3]
    assert step["origin"]["because"] == "log(-2) is nan."
    links = [(link["operation"], link["iterations"]) for link in step["chain"]]
    assert links[:2] == [("log", [3]), ("sub", [3])] and ("add", [2]) in links  # the round before
    rooted = Walker("rooted(jnp.arange(4.0))", stage="gradient")
    first = rooted("origin")  # the Inf of the derivative of sqrt, before the NaN made of it
    assert (first["operation"], first["origin"]["kind"]) == ("div", "inf")
    assert first["note"].startswith("The first NaN is made after it, by ")
    gradient = rooted("origin")
    assert (gradient["operation"], gradient["origin"]["kind"]) == ("mul", "nan")
    assert [link["operation"] for link in gradient["chain"]] == ["mul", "div", "sqrt"]
    assert rooted("origin")["operation"] == "div" and not gradient["note"]
    assert "No equation" in Walker("chain(jnp.arange(5.0))")("origin")["note"]


def test_a_stopped_step_stays_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = Walker("chain(jnp.arange(5.0))")
    walk("forward")

    def skip(*_: Any) -> Any:
        raise Skipped

    monkeypatch.setattr(JaxprFrame, "_compute", skip)
    step = walk("end")
    assert step["is_unmoved"] and "stopped" in step["note"]
    monkeypatch.undo()
    assert walk("forward")["operation"] == "mul"


def test_a_skip_that_a_callback_hides_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    bind, runs = compat.bind_equation, []

    def interrupt(equation: Any, values: Any) -> Any:
        runs.append(equation)
        if len(runs) == 2:
            with contextlib.suppress(Skipped):
                os.kill(os.getpid(), SKIP_SIGNAL)
                time.sleep(10.0)
            raise OSError("the callback was interrupted")
        return bind(equation, values)

    monkeypatch.setattr(compat, "bind_equation", interrupt)
    walk = Walker("chain(jnp.arange(5.0))")
    assert "stopped" in walk("end")["note"]
    step = walk("end")
    assert step["is_end"] and step["failure"] == ""


@pytest.mark.parametrize("seed", range(30))
def test_slices_are_numpys(seed: int) -> None:
    draw = random.Random(seed)
    array = np.arange(math.prod(shape := tuple(draw.choices(range(1, 5), k=3)))).reshape(shape)
    words = [draw.choice([":", "0", "-1", "::2", "1:", ":-1", "..."]) for _ in range(3)]
    words = [w for n, w in enumerate(words) if w != "..." or "..." not in words[:n]]
    text = f"[{', '.join(words[: draw.randint(0, 3)])}]"
    expected = array if text == "[]" else eval(f"array{text}")
    assert np.array_equal(array[parse_slice(text, shape)], expected)


@pytest.mark.parametrize("text", ["[9]", "[0, 0, 0]", "[a]", "[::0]", "[..., ...]", "[0, , 1]"])
def test_what_is_no_slice_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r"[.]$"):
        parse_slice(text, (3, 4))


def test_conditions_are_numpys() -> None:
    array = jnp.asarray([[1.0, -2.0], [jnp.inf, 4.0]])
    for text, is_met in (
        *((">3", True), ("> 1e3", True), ("< -2", False), ("<= -2", True), ("nan", False)),
        *(("inf", True), ("== 4", True), ("shape [2, 2]", True), ("(2, 2)", True), ("[4]", False)),
        *(("dtype float32", True), ("dtype int32", False), ("!= 1", True)),
    ):
        assert any(matches(each, array) for each in parse_condition(text)) is is_met, text
    assert parse_condition("nan or [2, 3], > 1") == (
        ValueCondition("nan"),
        ValueCondition("shape", shape=(2, 3)),
        ValueCondition(">", 1.0),
    )
    tenth = jnp.asarray([0.1], jnp.float32)  # compared as JAX compares it with a Python number
    for text, is_met in (("== 0.1", True), ("> 0.1", False), ("!= 0.1", False), (">= 0.1", True)):
        assert matches(parse_condition(text)[0], tenth) is is_met, text
    assert not matches(parse_condition("> 1e9")[0], jnp.asarray([448], jnp.float8_e4m3fn))
    for bad in ("", "big", "> x", "shape"):
        with pytest.raises(ValueError, match=r"[.]$"):
            parse_condition(bad)


def test_a_view_has_the_numbers_and_all_of_the_histogram() -> None:
    array = jnp.arange(2 * 500 * 300.0).reshape(2, 500, 300).at[1, 0, 0].set(jnp.nan)
    view = view_slice(array, "")
    fields, arrays = view.fields, view.arrays
    assert fields["slice"] == "[0, :, :]" and fields["shape"] == [500, 300]
    rows, columns = fields["num_rows"], fields["num_columns"]
    assert rows * columns <= 4_000 and len(fields["cells"]) == rows * columns
    assert fields["cells"][columns] == str(np.asarray(array)[0, 1, 0])
    assert arrays["counts"].sum() == 500 * 300 and not arrays["odd"].any()
    assert arrays["picture"].mean() == pytest.approx(float(array[0].mean()), rel=1e-2)
    odd = view_slice(array, "[1]").arrays
    assert odd["odd"].sum() == 1 and odd["counts"].sum() == 500 * 300 - 1
    line = view_slice(array, "0, :, 3").arrays
    assert line["picture"].min() == 3.0 and line["highest"].max() == float(array[0, -1, 3])
    with pytest.raises(ValueError, match="3 dimensions"):
        view_slice(array, "[:, :, :]")
    assert view_slice(jax.random.key(0), "").fields["note"]
    assert view_slice(jnp.arange(3) * 1j, "").fields["cells"][2] == "2j"
    assert view_slice(jnp.ones((2,), jnp.bfloat16), "").fields["cells"] == ["1", "1"]
    big = view_slice(jnp.ones((1 << 12, 1 << 11)), "")
    assert big.fields["sampled"] == 2 and big.arrays["picture"].shape == (96, 192)


def test_arguments_are_loaded_or_refused(tmp_path: Path) -> None:
    variable = jax.make_jaxpr(lambda x: x)(jnp.ones((2, 3))).jaxpr.invars[0]
    value = jnp.ones((2, 3))

    def load(array: Any, name: str = "a.npy") -> Any:
        np.save(tmp_path / name, array, allow_pickle=True)
        return load_argument(str(tmp_path / name), "x", variable, value)

    loaded, told = load(np.arange(6.0).reshape(2, 3))
    assert loaded.dtype == jnp.float32 and float(loaded[1, 2]) == 5.0 and "float64" in told
    assert load(np.ones((2, 3), np.float32))[1] == ""
    for array, why in (
        (np.ones(6), r"shape \(6,\)"),
        (np.ones((2, 3), complex), "type complex128"),
        (np.array([[{}] * 3] * 2), "could not be read"),
    ):
        with pytest.raises(CallError, match=why):
            load(array)
    np.savez(tmp_path / "b.npz", p=np.ones((2, 3), np.float32), q=np.ones(2))
    with pytest.raises(CallError, match="several arrays"):
        load_argument(str(tmp_path / "b.npz"), "x", variable, value)
    assert load_argument(f"{tmp_path}/b.npz::p", "x", variable, value)[1] == ""
    with pytest.raises(CallError, match=r"no file gone\.npz for x"):
        load_argument(f"{tmp_path}/gone.npz::p", "x", variable, value)


def safetensors(header: object, data: bytes) -> bytes:
    """A file as its format says: a length of 8 bytes, JSON, the arrays."""
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def test_arguments_are_loaded_from_safetensors(tmp_path: Path) -> None:
    variable = jax.make_jaxpr(lambda x: x)(jnp.ones((2, 2))).jaxpr.invars[0]
    path = tmp_path / "a.safetensors"

    def load(data: bytes, name: str = "") -> Any:
        path.write_bytes(data)
        return load_argument(f"{path}{name}", "x", variable, jnp.ones((2, 2)))

    numbers = np.arange(4, dtype=np.float32)
    half = {"dtype": "BF16", "shape": [2, 2], "data_offsets": [16, 24]}
    # bfloat16 is the upper half of float32
    both = numbers.tobytes() + (numbers.view(np.uint32) >> 16).astype(np.uint16).tobytes()
    header = {
        "__metadata__": {"format": "np"},
        "w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        "h": half,
    }
    for name in ("w", "h"):
        loaded, told = load(safetensors(header, both), f"::{name}")
        assert loaded.dtype == jnp.float32 and loaded.tolist() == [[0, 1], [2, 3]]
        assert ("bfloat16" in told) == (name == "h")
    with pytest.raises(CallError, match="several arrays"):
        load(safetensors(header, both))
    for changed, why in (
        (half | {"data_offsets": [16, 28]}, "outside of the file"),
        (half | {"data_offsets": [20, 16]}, "outside of the file"),
        (half | {"data_offsets": [-8, 0]}, "outside of the file"),
        (half | {"shape": [2, 1]}, "8 bytes, and its shape needs 4"),
        (half | {"shape": [1 << 62, 1 << 62]}, "its shape needs"),
        (half | {"shape": [-2, -2]}, "the shape"),
        (half | {"dtype": "F7"}, "the type F7"),
        ({"dtype": "F32"}, "no type, shape and place"),
        ([1], "no type, shape and place"),
    ):
        with pytest.raises(CallError, match="could not be read") as refused:
            load(safetensors({"h": changed}, both))
        assert why in refused.value.explanation.why
    for data in (b"", b"\xff" * 9, safetensors([], b""), (1 << 40).to_bytes(8, "little")):
        with pytest.raises(CallError, match=r"could not be read|has no array|several"):
            load(data)


def test_arguments_are_loaded_from_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variable = jax.make_jaxpr(lambda x: x)(jnp.ones((2, 3, 3))).jaxpr.invars[0]
    pixels = bytes(range(18))
    rows = b"".join(b"\0" + pixels[n : n + 9] for n in (0, 9))
    picture = b"\x89PNG\r\n\x1a\n"
    for kind, body in (
        (b"IHDR", struct.pack(">IIBBBBB", 3, 2, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ):
        check = zlib.crc32(kind + body)
        picture += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", check)
    path = tmp_path / "a.png"
    path.write_bytes(picture)
    arguments = (str(path), "x", variable, jnp.ones((2, 3, 3)))
    loaded, told = load_argument(*arguments)
    assert loaded.ravel().tolist() == list(range(18)) and "uint8" in told
    path.write_bytes(picture[:40])
    with pytest.raises(CallError, match="could not be read"):
        load_argument(*arguments)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(CallError) as refused:
        load_argument(*arguments)
    assert refused.value.explanation.remedy == "pip install pillow"


def test_the_command_line_goes_to_a_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "x.npy", np.arange(8, dtype=np.float32))
    file = tmp_path / "program.py"
    file.write_text("import jax.numpy as jnp\ndef f(x):\n    return jnp.sin(x) / x\n")
    where = ["values", str(file), "f(f32[8])", "--argument", f"x={tmp_path}/x.npy"]
    assert main([*where, "--at", "nonfinite", "--slice", "[:2]", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["operation"], found["line"]) == ("div", 3)
    assert found["view"]["cells"] == [["nan"], [str(np.asarray(jnp.sin(jnp.ones(1)))[0])]]
    assert found["nonfinite"]["because"] == "div(0, 0) is nan at element [0]."
    assert found["values"][0]["kind"] == "operand"
    assert main([*where, "--at", "7"]) == 1
    assert "no equation 7" in capsys.readouterr().err


def test_a_lost_worker_is_an_error_and_no_hang(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("def f(x):\n    return x + 1\n")
    with Asked(StepRequest(str(file), "f(1.0)")) as asked:
        assert asked.stepping.num_equations == 1
        assert asked.move("forward").operation == "add"
        asked._run.kill()
        with pytest.raises(Exception, match=r"stopped|killed|lost"):
            while True:
                asked.move("forward")


def test_a_value_is_compared_with_another_and_with_itself_in_another_round(
    tmp_path: Path,
) -> None:
    file = tmp_path / "program.py"
    file.write_text(
        "import jax, jax.numpy as jnp\n"
        "def f(x):\n"
        "    return jax.lax.scan(lambda c, row: (c + row, jnp.sum(c)), jnp.zeros(3), x)\n"
    )
    with Asked(StepRequest(str(file), "f(jnp.arange(6.0).reshape(2, 3))")) as asked:
        step = asked.move("start")
        while step.operation != "scan":
            step = asked.move("forward")
        place = asked.move("into")
        while place.operation != "add":
            place = asked.move("forward")
        held = asked.look("result", 0, holds=True)  # 0, 1, 2
        assert held.difference is None
        assert held.against == f"{place.equation} result, round 0"
        assert "is held" in describe_difference(held)
        asked.move("place", equation=place.equation, iterations=[1])
        view = asked.look("result", 0)  # 3, 5, 7
        assert view.against == held.against and view.difference is not None
        assert (view.difference.max_abs, view.difference.num_different) == (5.0, 3)
        told = describe_difference(view)
        assert told.endswith("3 of 3 elements differ, at most by 5 at [2].")
        asked.move("end")
        assert asked.look("result", 1).difference is None  # of another shape
        assert asked.look("result", 1, holds=False).against == ""
        assert describe_difference(asked.look("result", 0)) == ""
