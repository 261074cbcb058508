"""Tags of traced programs, nothing compiled: each equation has its own, all else is as it was."""

from __future__ import annotations

import collections
import dataclasses
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from bench.identity import peel, trace_plain
from jaxscope.model import Direction, GraphBuilder, NodeKind
from jaxscope.model.op_name import BASE_TAG, DERIVED_TAG, EQUALS_TAG, TagTable, read_origin
from jaxscope.worker import compat, compat_recorder
from jaxscope.worker.host.call import Call, Level, call_namespace, parse_call
from jaxscope.worker.provenance.stand_in import jitted_body, shown_body, tag_shown
from jaxscope.worker.provenance.tagging import Tagger, nested_jaxprs
from jaxscope.worker.provenance.traced_program import (
    NoGradient,
    TracedProgram,
    find_inputs,
    trace_call,
    trace_gradient,
    why_not_unasked,
)


@jax.jit
def act(x: Any) -> Any:
    return jnp.sin(x) * x


@jax.custom_jvp
def ruled(x: Any) -> Any:
    return jnp.tanh(x) * 2.0


@ruled.defjvp
def ruled_jvp(primals: Any, tangents: Any) -> Any:
    return ruled(*primals), jnp.cos(primals[0]) * tangents[0]


@jax.custom_vjp
def pulled(x: Any) -> Any:
    return jnp.exp(x) + 1.0


pulled.defvjp(lambda x: (pulled(x), x), lambda kept, g: (jnp.cos(kept) * g,))


@jax.custom_jvp
def layered(x: Any) -> Any:
    """Its rule calls it and what it calls: all these calls share one jaxpr."""
    return act(x) * jnp.tanh(act(2.0 * x))


@layered.defjvp
def layered_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (t,) = primals, tangents
    return layered(x), act(x) * t + act(2.0 * x) * t


@jax.custom_vjp
def wrapped(x: Any) -> Any:
    return layered(x) + lax.cond(x[0] > 0, act, layered, x)


wrapped.defvjp(lambda x: (wrapped(x), layered(x)), lambda kept, g: (act(kept) * g,))


@jax.custom_jvp
def bounded(x: Any) -> Any:
    """Its rule calls it in the branches of a choice; nothing else has a `tan`."""
    return jnp.tan(x) * 2.0


@bounded.defjvp
def bounded_jvp(primals: Any, tangents: Any) -> Any:
    (x,), (t,) = primals, tangents
    return lax.cond(x[0] > 0.0, bounded, lambda v: -bounded(v), x), jnp.cos(x) * t


@jax.jit
def calls_bounded(x: Any) -> Any:
    return bounded(x).sum()


def mixed(x: Any, y: Any) -> Any:
    """Calls `act` as a rule does, too, of what it is not differentiated by."""
    return (layered(x) * act(y)).sum()


def nested_rules(x: Any) -> Any:
    return (wrapped(x) * layered(wrapped(x))).sum() + act(x).sum()


def shared(x: Any) -> Any:
    return act(x) + act(2.0 * act(x))


def loops(x: Any) -> Any:
    total, rows = lax.scan(lambda c, row: (c + act(row), c * row), jnp.zeros(3), x)
    total = lax.while_loop(lambda v: v.sum() < 9.0, lambda v: v * 1.5 + jnp.abs(v), total)
    return lax.fori_loop(0, 3, lambda i, v: v * 0.5, total).sum() + rows.sum()


def scanned(x: Any) -> Any:
    total, rows = lax.scan(lambda c, row: (jnp.tanh(c + act(row)), c * row), jnp.zeros(3), x)
    return total.sum() + rows.sum()


def pushed(x: Any) -> Any:
    return jnp.sum(ruled(x) * ruled(ruled(x)))


def branching(x: Any, i: Any) -> Any:
    return lax.switch(i, [jnp.sin, lambda v: act(v) * 3.0, lambda v: v], x).sum()


def rules(x: Any) -> Any:
    return (ruled(x) * pulled(x)).sum() + ruled(ruled(x)).sum()


def inlined(x: Any) -> Any:
    """JAX puts the body of `logaddexp` in the place of each call."""
    return jnp.sum(jnp.logaddexp(x, 0.0) * jnp.logaddexp(2.0 * x, 1.0))


@jax.checkpoint
def saved(x: Any) -> Any:
    return jnp.sin(act(x))


def remat(x: Any) -> Any:
    return saved(saved(x)).sum()


def twice_the_same(x: Any) -> Any:
    """Two calls of one lambda on one line: JAX gives both the same name and place."""
    both = [jnp.sin(each) for each in (x, x + 1.0)]
    return both[0] * both[1]


UNTRANSFORMED = (
    *("shared(f32[3])", "loops(f32[4, 3])", "branching(f32[3], 1)", "rules(f32[3])"),
    *("inlined(f32[3])", "remat(f32[3])", "twice_the_same(f32[3])", "act(f32[3])"),
    *("jit(jit(act))(f32[3])", "jit(shared)(f32[3])"),
)
CALLS = (
    *UNTRANSFORMED,
    *("vmap(shared)(f32[2, 3])", "grad(scanned)(f32[4, 3])", "grad(branching)(f32[3], 1)"),
    *("vmap(grad(scanned))(f32[2, 4, 3])", "vmap(branching)(f32[2, 3], i32[2])"),
    *("grad(rules)(f32[3])", "hessian(pushed)(f32[3])", "grad(inlined)(f32[3])"),
    *("grad(remat)(f32[3])", "jit(grad(jit(rules)))(f32[3])", "grad(nested_rules)(f32[3])"),
    *("jvp(layered, (f32[3],), (f32[3],))", "vmap(grad(nested_rules))(f32[2, 3])"),
    *("hessian(lambda x: layered(x).sum())(f32[3])", "grad(calls_bounded)(f32[3])"),
    *("grad(lambda x: calls_bounded(2.0 * x))(f32[3])", "grad(mixed)(f32[3], f32[3])"),
)


def parse(text: str, **names: Any) -> Call:
    return parse_call(text, call_namespace({**globals(), **names}), file=__file__)


def trace(text: str, **names: Any) -> TracedProgram:
    return trace_call(parse(text, **names))


def walk(jaxpr: Any, path: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Any]]:
    """Each equation with its id; those of a jaxpr that several share at its first place alone."""
    seen = set() if seen is None else seen
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    if id(jaxpr) in seen:
        return
    seen.add(id(jaxpr))
    for number, equation in enumerate(jaxpr.eqns):
        yield f"{path}{number}", equation
        for name, value in equation.params.items():
            several = isinstance(value, tuple)
            for index, each in enumerate(value if several else [value]):
                if hasattr(each, "eqns"):
                    place = f"{name}.{index}" if several else name
                    yield from walk(each, f"{path}{number}/{place}/", seen)


def numbers(equation: Any, kind: str) -> list[int]:
    tags = compat.read_tags(equation.source_info.name_stack)
    return [number for each, number in tags if each == kind]


@pytest.mark.sweep(10)
@pytest.mark.parametrize("text", CALLS)
def test_every_lowered_equation_has_its_own_tag_and_is_as_it_was(text: str) -> None:
    program = trace(text)
    whole, stage, ids = program.tag_derived()
    equations = dict(walk(stage.jaxpr))
    assert list(ids) == list(dict.fromkeys(ids))
    assert set(ids) == equations.keys()
    for id, equation in equations.items():
        (number,) = numbers(equation, DERIVED_TAG)
        assert ids[number] == id
    plain = trace_plain(parse(text)).jaxpr
    assert str(stage.jaxpr) == str(peel(plain, program.num_jits))
    assert str(compat.traced_jaxpr(whole)) == str(compat.traced_jaxpr(program.traced))
    assert stage.name == program.derived.name
    shares = [
        len({compat.untagged(e.source_info.name_stack) for _, e in walk(jaxpr)})
        for jaxpr in (stage.jaxpr, peel(plain, program.num_jits))
    ]
    assert shares[0] == shares[1]


@pytest.mark.parametrize("text", UNTRANSFORMED)
def test_equations_of_the_base_have_numbers_of_their_own(text: str) -> None:
    program = trace(text)
    ids = [id for id in program.base_ids if id]
    assert len(ids) == len(set(ids))
    equations = dict(walk(program.base.jaxpr))
    assert set(ids) == equations.keys()
    table = TagTable(program.base_ids, ())
    for id, equation in equations.items():
        assert read_origin(compat.read_tags(equation.source_info.name_stack), table) == id


def describe(program: TracedProgram) -> str:
    """Of each equation of the last stage: its primitive, and that of the equation it came from.

    Without those that make an array of no values, which JAX 0.8.0 has none of.
    """
    table = TagTable(program.base_ids, ())
    base = {id: equation.primitive.name for id, equation in walk(program.base.jaxpr)}
    parts = []
    for _, equation in walk(program.derived.jaxpr):
        tags = compat.read_tags(equation.source_info.name_stack)
        origin = read_origin(tags, table)
        name = equation.primitive.name
        if (name, origin) != ("empty2", ""):
            parts.append(f"{name}<{origin}" + (f":{base[origin]}" if origin in base else ""))
    return textwrap.fill(" ".join(parts), 100, break_on_hyphens=False)


RELEASE = "_0.12" if jax.__version_info__ >= (0, 12) else ""
ORIGINS = Path(__file__).with_name(f"origins{RELEASE}.txt")
DESCRIBED = (
    *("vmap(shared)(f32[2, 3])", "grad(scanned)(f32[4, 3])", "grad(branching)(f32[3], 1)"),
    *("grad(rules)(f32[3])", "grad(inlined)(f32[3])", "grad(remat)(f32[3])"),
    *("vmap(branching)(f32[2, 3], i32[2])", "jvp(pushed, (f32[3],), (f32[3],))"),
    "grad(nested_rules)(f32[3])",
)


@pytest.mark.parametrize("text", DESCRIBED)
def test_what_transforms_make_comes_from_the_equation_that_they_were_at(text: str) -> None:
    """`origins.txt`, or since JAX 0.12 `origins_0.12.txt`, says so of every equation.

    `python tests/provenance/test_tagging.py` writes it. Another release of JAX may make
    other equations: then look at what has changed.
    """
    known = ORIGINS.read_text("utf-8").split("\n\n")
    expected = next(part for part in known if part.startswith(f"{text}\n"))
    assert f"{text}\n{describe(trace(text))}" == expected.rstrip("\n")


@pytest.mark.parametrize("transform", ["grad", "hessian"])
def test_a_function_that_a_rule_calls_too_is_shared_as_jax_shares_it(transform: str) -> None:
    """`walk` tells the equations of a jaxpr that several calls share at the first of them alone."""
    text = f"{transform}(mixed)(f32[3], f32[3])"
    program = trace(text)
    plain = peel(trace_plain(parse(text)).jaxpr, program.num_jits)
    assert [id for id, _ in walk(program.derived.jaxpr)] == [id for id, _ in walk(plain)]


def test_what_a_rule_calls_in_a_branch_comes_from_the_function_itself() -> None:
    program = trace("grad(lambda x: calls_bounded(2.0 * x))(f32[3])")
    table = TagTable(program.base_ids, ())
    (own,) = (id for id, each in walk(program.base.jaxpr) if each.primitive.name == "tan")
    found = [
        read_origin(compat.read_tags(each.source_info.name_stack), table)
        for _, each in walk(program.derived.jaxpr)
        if each.primitive.name == "tan"
    ]
    assert found == [own, own]


class Pair(NamedTuple):
    name: str
    jaxpr: Any


def test_jaxprs_are_found_and_tagged_wherever_a_parameter_holds_them() -> None:
    """Tuples, lists, named tuples and dictionaries come back as what they were."""
    closed = jax.make_jaxpr(jnp.sin)(1.0)
    other = jax.make_jaxpr(jnp.cos)(1.0)
    parameters = {
        "plain": 3,
        "alone": closed,
        "tuple": (1, other, closed),
        "list": [closed.jaxpr, "text"],
        "named": Pair("a", other),
        "keys": {"k": (closed,), "n": 1},
        "none": ((), [], {}),
    }
    paths = ["alone", "tuple.1", "tuple.2", "list.0", "named.1", "keys.k.0"]
    found = nested_jaxprs(parameters)
    assert [path for path, _ in found] == paths
    wanted = (closed, other, closed, closed.jaxpr, other, closed)
    assert all(a is b for (_, a), b in zip(found, wanted, strict=True))
    assert [compat.holds_jaxpr(value) for value in parameters.values()] == [
        False,
        *[True] * 5,
        False,
    ]

    tagger = Tagger()
    tagged = tagger.tag_parameters(parameters, "7")
    assert [path for path, _ in nested_jaxprs(tagged)] == paths
    assert {name: type(value) for name, value in tagged.items()} == {
        name: type(value) for name, value in parameters.items()
    }
    assert (tagged["plain"], tagged["tuple"][0], tagged["list"][1]) == (3, 1, "text")
    assert (tagged["named"].name, tagged["keys"]["n"]) == ("a", 1)
    assert tagged["none"] is parameters["none"]
    assert tagger.ids == ["7/alone/0", "7/tuple.1/0"]
    first, second = tagged["alone"], tagged["tuple"][1]
    assert tagged["tuple"][2] is first and tagged["keys"]["k"][0] is first
    assert tagged["list"][0] is first.jaxpr and tagged["named"].jaxpr is second
    plain = {"n": 1, "sizes": (1, 2)}
    assert tagger.tag_parameters(plain) is plain


def test_equations_that_jax_cannot_tell_apart_are_marked_as_equals() -> None:
    _, stage, _ = trace("twice_the_same(f32[3])").tag_derived()
    marks = collections.defaultdict(list)
    for id, equation in walk(stage.jaxpr):
        marks[tuple(numbers(equation, EQUALS_TAG))].append((id, equation.primitive.name))
    assert [name for _, name in marks[0,]] == ["sin", "sin"]
    assert marks.keys() == {(), (0,)}
    names = [str(equation.source_info.name_stack) for _, equation in walk(stage.jaxpr)]
    assert [("jxst0" in name, "jxsd" in name) for name in names] == [
        (numbers(equation, EQUALS_TAG) == [0], True) for _, equation in walk(stage.jaxpr)
    ]

    def several(x: Any) -> Any:
        a = [jnp.sin(each) for each in (x, x + 1.0)]
        b = [jnp.cos(each) for each in (x, x + 2.0, x + 3.0)]
        return a, b, jnp.sin(x)

    _, stage, _ = trace("several(f32[3])", several=several).tag_derived()
    found = [
        (equation.primitive.name, *numbers(equation, EQUALS_TAG))
        for _, equation in walk(stage.jaxpr)
    ]
    sines = [row[1:] for row in found if row[0] == "sin"]
    cosines = [row[1:] for row in found if row[0] == "cos"]
    assert sines[0] == sines[1] != () and sines[2] == ()
    assert len(set(cosines)) == 1 and cosines[0] not in ((), sines[0])


def closed(function: Any, *arguments: Any) -> Any:
    return jax.make_jaxpr(function)(*arguments)


def test_the_place_of_each_equation_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each was compared with each before: 9,000 lines took 20 seconds."""
    lines = "".join(f"    x = jnp.sin(x) * {number}.5\n" for number in range(100))
    names = {**globals()}
    exec(compile(f"def long(x):\n{lines}    return x\n", __file__, "exec"), names)
    program = trace_call(parse_call("long(f32[3])", call_namespace(names), file=__file__))
    read: list[object] = []
    location_of = compat.location_of

    def counted(source_info: object) -> object:
        read.append(source_info)
        return location_of(source_info)

    monkeypatch.setattr(compat, "location_of", counted)
    program.tag_derived()
    assert len(read) == 200


def test_the_body_is_shown_of_what_is_one_call_and_no_more() -> None:
    x, y = np.ones(3, np.float32), np.ones(3, np.float32)
    product = jax.jit(lambda a, b: a * b + 1.0)
    table = jnp.arange(3.0)
    one_call = closed(lambda a, b: product(a, b), x, y)
    assert jitted_body(one_call) == "jaxpr"
    assert shown_body(one_call) is one_call.eqns[0].params["jaxpr"]
    for other in (
        closed(lambda a, b: product(b, a), x, y),
        closed(lambda a, b: product(a, a), x, y),
        closed(lambda a, b: product(a, b) + 1.0, x, y),
        closed(lambda a: product(a, table), x),
        closed(lambda a, b: (product(a, b), a), x, y),
        closed(lambda a: jnp.sin(a), x),
        closed(lambda a: lax.cond(True, jnp.sin, jnp.cos, a), x),
        closed(lambda a: a, x),
    ):
        assert jitted_body(other) is None
        assert shown_body(other) is other


def test_as_many_calls_are_peeled_as_are_asked_for() -> None:
    inner = jax.jit(lambda a: jnp.sin(a) + 1.0)
    middle = jax.jit(lambda a: inner(a))
    nested = closed(lambda a: middle(a), np.ones(3, np.float32))
    for depth, ids in enumerate(
        (
            ["0", "0/jaxpr/0", "0/jaxpr/0/jaxpr/0", "0/jaxpr/0/jaxpr/1"],
            ["0", "0/jaxpr/0", "0/jaxpr/1"],
            ["0", "1"],
            ["0", "1"],
        )
    ):
        tagger = Tagger(BASE_TAG)
        whole, shown = tag_shown(tagger, nested, depth)
        assert tagger.ids == ids
        assert str(whole) == str(nested)
        assert [id for id, _ in walk(shown)] == ids


def test_inner_stages_are_those_between_the_base_and_the_whole() -> None:
    start = time.perf_counter()
    program = trace("jit(vmap(jit(grad(jit(inlined)))))(f32[2, 3])")
    elapsed = time.perf_counter() - start
    assert [stage.name for stage in program.transformed] == ["grad", "vmap(grad)"]
    inner, last = program.transformed
    assert inner.argument_paths == ("x",) and last.argument_paths == ("x",)
    assert inner.result_paths == ("result",)
    assert all(0 < stage.seconds <= elapsed for stage in (program.base, inner, last))
    deeper = trace("hessian(inlined)(f32[3])")
    assert [stage.name for stage in deeper.transformed] == ["hessian"]
    assert deeper.derived is deeper.transformed[-1]
    assert trace("inlined(f32[3])").derived.name == "jaxpr"


def test_scalars_are_static_only_where_tracing_them_raises() -> None:
    program = trace("f(2, f32[3])", f=lambda n, x: x * n)
    assert (program.static, program.messages) == ((), ())
    with pytest.raises(ZeroDivisionError, match="first"):
        trace("f(2, f32[3])", f=_fail_as_tracer_and_as_number)


def _fail_as_tracer_and_as_number(n: Any, x: Any) -> Any:
    raise ZeroDivisionError("second" if isinstance(n, int) else "first")


def gradient_rows(*directions: Direction, num: int = 0) -> Any:
    builder = GraphBuilder()
    builder.add_node("x", NodeKind.INPUT, "input", direction=Direction.BACKWARD)
    for number, direction in enumerate(directions):
        place = [("/u/m.py", 7, 0, "f")] if number else []
        builder.add_node(str(number), NodeKind.EQUATION, "sin", direction=direction, source=place)
    for number in range(num):
        builder.add_node(f"n{number}", NodeKind.EQUATION, "sin")
    return builder.build()


@pytest.mark.parametrize(
    ("directions", "equation"),
    [
        ((Direction.NONE, Direction.FORWARD, Direction.BACKWARD), "equation 2 (sin, m.py:7)"),
        ((Direction.NONE, Direction.FORWARD, Direction.FORWARD), "equation 1 (sin, m.py:7)"),
        ((Direction.FORWARD,), "equation 0 (sin)"),
    ],
)
def test_no_gradient_is_made_unasked_of_what_has_one(
    directions: tuple[Direction, ...], equation: str
) -> None:
    why = why_not_unasked(gradient_rows(*directions), 0.1)
    assert f"{equation} is part of one" in why


def test_no_gradient_is_made_unasked_that_would_take_long() -> None:
    plain = gradient_rows(Direction.NONE)
    assert why_not_unasked(plain, 5.0) == ""
    assert "tracing them took 5.1 s" in why_not_unasked(plain, 5.1)
    assert why_not_unasked(gradient_rows(num=5000), 0.1) == ""
    assert "has 5,001 equations" in why_not_unasked(gradient_rows(num=5001), 0.1)


def test_the_gradient_is_of_all_floats_by_all_floats() -> None:
    program = trace(
        "f(f32[3], i32[3], {'w': f32[]})", f=lambda x, n, p: (x * p["w"], n, x.astype("bfloat16"))
    )
    start = time.perf_counter()
    gradient, is_summed = trace_gradient(program.base)
    assert 0 < gradient.seconds <= time.perf_counter() - start
    assert is_summed and not gradient.is_fetched
    assert gradient.argument_paths == ("x", "n", "p['w']")
    assert gradient.result_paths == ("gradient of x", "gradient of p['w']")
    assert [str(v.aval) for v in gradient.jaxpr.jaxpr.outvars] == ["float32[3]", "float32[]"]
    unnamed = dataclasses.replace(program.base, argument_paths=("x", "n"))
    assert trace_gradient(unnamed)[0].result_paths == ("gradient of x", "gradient 2")
    token = jax.make_jaxpr(lambda t, n: (t, n))(lax.create_token(), 1)
    with pytest.raises(NoGradient, match="arguments"):
        trace_gradient(dataclasses.replace(program.base, jaxpr=token))
    scalar, is_summed = trace_gradient(trace("f(f32[3])", f=lambda x: x.sum()).base)
    assert not is_summed and scalar.name == "gradient"
    _, is_summed = trace_gradient(trace("f(f32[1])", f=lambda x: x).base)
    assert is_summed
    _, is_summed = trace_gradient(trace("f(f32[3])", f=lambda x: (x.sum(), 1)).base)
    assert not is_summed, "what is no float takes no part"


@pytest.mark.parametrize(("given", "widest"), [("float32", 4), ("bfloat16", 4), ("float64", 8)])
def test_the_sum_that_the_gradient_is_of_is_no_wider_than_the_results(
    given: str, widest: int
) -> None:
    with jax.enable_x64(True):
        base = trace("f(f32[3])", f=lambda x: (x.astype(given), x.astype("bfloat16"))).base
        gradient, _ = trace_gradient(base)
    sums = [each for _, each in walk(gradient.jaxpr) if each.primitive.name == "reduce_sum"]
    assert max(each.outvars[0].aval.dtype.itemsize for each in sums) == widest


def test_a_function_that_fails_with_an_attribute_error_runs_once() -> None:
    """A name that JAX lacks is such an error, too; only then it runs again, alone."""
    calls: list[Any] = []

    def f(x: Any) -> Any:
        calls.append(x)
        return x.no_such_thing

    with pytest.raises(AttributeError, match="no_such_thing"):
        trace("vmap(f)(f32[3])", f=f)
    assert len(calls) == 1


def test_a_call_that_never_runs_the_function_has_no_program() -> None:
    call = parse("vmap(shared)(f32[2, 3])")
    with pytest.raises(ValueError, match=r"vmap\(shared\).* never calls shared"):
        trace_call(dataclasses.replace(call, levels=(Level("vmap", lambda _: jnp.sin),)))


def test_inputs_of_the_lowered_program_are_found() -> None:
    table = np.arange(3.0, dtype=np.float32)
    captured = jnp.asarray(table)
    cases = {
        "f(f32[3], 2.0)": lambda x, y: x * y,
        "f({'w': f32[2]}, f32[2, 3])": lambda p, x: p["w"] @ x,
        "vmap(f)(f32[4, 3])": lambda x: x + captured,
        "f(f32[3], 'text')": lambda x, how: x * 2.0,
        "jit(f, static_argnames='n')(f32[3], n=4)": lambda x, n: x**n,
    }
    for text, function in cases.items():
        call = parse(text, f=function)
        program = trace_call(call)
        values = find_inputs(program, call)
        shapes = [v.aval.shape for v in compat.open_jaxpr(program.derived.jaxpr).invars]
        assert values is not None
        assert [np.shape(value) for value in values] == shapes
    call = parse("f(f32[3])", f=lambda x: x)
    other = trace("f(f32[4])", f=lambda x: x)
    assert find_inputs(other, call) is None
    assert find_inputs(trace("f(f32[3], f32[3])", f=lambda x, y: x + y), call) is None


def test_what_has_no_hash_is_traced_under_its_name() -> None:
    @dataclasses.dataclass
    class Layer:
        weight: Any

        def __call__(self, x: Any) -> Any:
            return x @ self.weight

    program = trace("layer(f32[2, 3])", layer=Layer(jnp.ones((3, 4))))
    assert program.base.argument_paths == ("x",)


if __name__ == "__main__":
    ORIGINS.write_text("\n\n".join(f"{t}\n{describe(trace(t))}" for t in DESCRIBED) + "\n", "utf-8")


@pytest.mark.parametrize("loss", ["another key", "no context"])
def test_caches_that_jax_keeps_otherwise_cost_only_what_needs_them(
    monkeypatch: pytest.MonkeyPatch, loss: str
) -> None:
    """Another release of JAX may list other keys, or none."""

    class Cache:
        evict_weakref = None

        def cache_keys(self) -> list[tuple[Any, ...]]:
            return [(lambda: one, "context"), (lambda: two, "context")]

    one, two = jax.make_jaxpr(jnp.sin)(1.0), jax.make_jaxpr(jnp.sin)(1.0)
    monkeypatch.setattr(compat_recorder._util, "_caches", [Cache()])
    if loss == "no context":
        monkeypatch.delattr(compat_recorder._config, "trace_context")
    copies = {id(one): (one, two)}

    assert compat_recorder.with_derived(copies) == copies
