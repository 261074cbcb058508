"""What is proposed in place of a mistyped call is a call that works, as plain JAX has it."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import jax
import pytest

from jaxscope.errors import Explanation, JaxscopeError, TraceError
from jaxscope.model.types import spell_scalars
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.call import call_namespace
from jaxscope.worker.host.source import read_source
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.provenance.traced_program import trace_call
from jaxscope.worker.stages import call_remedies, proposals
from jaxscope.worker.stages.call_loader import evaluate_call
from jaxscope.worker.stages.call_remedies import proposing_calls
from jaxscope.worker.stages.proposals import propose_call

SAMPLES = Path(__file__).parents[2] / "samples"

FILE = """
import jax
import jax.numpy as jnp

# jaxscope: loss(init(key(0)), f32[4, 3])

scales = jnp.ones(3)
count = 3

def init(key): return jax.random.normal(key, (3, 2))
def loss(weights, xs): return jnp.sum((xs @ weights) ** 2)
def zero_small(): raise ValueError("It takes no arrays.")
def same(x):
    print("traced")
    return x * scales
def leaves(x): raise SystemExit(3)
def endless(x):
    while True:
        pass
def scaled(x, scale): return x * scale
def dot(x, y): return jnp.sum(x * y)
def wave(z): return jnp.sum(jnp.exp(1j * z))
def number(x): return jnp.argmax(x)
"""

SHAPES = """
import jax
import jax.numpy as jnp

# jaxscope: loss(f32[3, 4], f32[4, 2])

def loss(x, w): return jnp.sum(x @ w)
def add(x, y): return x + y
def rows(x):
    count, _ = x.shape
    return x * count
def model(x): return jnp.sum(x @ jnp.ones((4, 5)))
def last(x): return x[0, 0] * x.shape[1]
def both(pair): return pair[0] + pair[1]
def take(x, at): return x[at]
def matched(x, y): return jnp.gcd(x, y)
def gamma(x, scale): return jax.lax.lgamma(x) * scale
def whole(x):
    if x.dtype != "uint8": raise TypeError("It must be an integer of 8 bits.")
def flat(x):
    if x.ndim < 2: raise TypeError("It must be an integer.")
def single(x):
    if x.dtype != "int32": raise TypeError("Its shape is wrong.")
def invert(x): return jnp.linalg.inv(x)
def layers(params, x):
    for w, b in params:
        x = x @ w + b
    return x.sum()
def sized(x):
    if x.shape != (11, 17): raise ValueError(f"The shape {x.shape} is wrong.")
    return x
def large(x, y):
    if x.shape != (2000, 2000): raise ValueError("The shape is wrong.")
    return x
def endless(x):
    while True:
        pass
"""


class Quiet(Channel):
    """A channel to nowhere."""

    def __init__(self) -> None:
        super().__init__(-1)

    def send(self, *_args: object, **_named: object) -> None:
        pass


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mistyped.py"
    path.write_text(FILE)
    return path


def fail(file: Path, text: str) -> Explanation:
    source = read_source(str(file))
    names, channel = call_namespace(vars(execute_file(source.path, source.text))), Quiet()
    with pytest.raises(JaxscopeError) as caught, proposing_calls(source, names, text, channel):
        call = evaluate_call(source, names, text, channel)
        with guard("trace", {source.path}, call=text):
            trace_call(call)
    return caught.value.explanation


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("typed", "proposed"),
    [
        (
            "value_and_grad(loss)(params, ys)",
            ("value_and_grad(loss)(init(key(0)), f32[4, 3])",),
        ),
        ("los(init(key(0)), f32[4, 3])", ("loss(init(key(0)), f32[4, 3])",)),
        ("grad(los", ("grad(loss)(init(key(0)), f32[4, 3])",)),
        ("los(f32[7])", ("loss(init(key(0)), f32[4, 3])",)),
        ("loss(f32[7])", ("loss(init(key(0)), f32[4, 3])",)),
        ("grad(loss)", ("grad(loss)(init(key(0)), f32[4, 3])",)),
        ("loss", ("loss(init(key(0)), f32[4, 3])",)),
        ("loss(init(key(0)), f32[4, 3]", ("loss(init(key(0)), f32[4, 3])",)),
        ("loss(init(key(0)), f32[4, 3]) +", ("loss(init(key(0)), f32[4, 3])",)),
        ("vlaue_and_grad(loss)(f32[3], f32[4, 3])", ("value_and_grad(loss)(f32[3], f32[4, 3])",)),
        ("same(scale)", ("same(scales)",)),
        ("garbage(init(key(0)), f32[4, 3])", ("loss(init(key(0)), f32[4, 3])",)),
        ("leaves(scale)", ()),
    ],
)
def test_a_mistyped_call_has_remedies_that_work(
    file: Path, typed: str, proposed: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    explanation = fail(file, typed)

    assert explanation.calls[:1] == proposed
    assert "traced" not in capsys.readouterr().out
    source = read_source(str(file))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    for call in explanation.calls:
        assert eval(spell_scalars(call), names) is not None


def test_a_value_is_not_spelt_like_a_function(file: Path) -> None:
    explanation = fail(file, "loss(zero_smal, f32[4, 3])")
    assert "zero_small" not in " ".join((explanation.remedy, *explanation.calls))
    assert "scales, count" in explanation.remedy


def test_looking_for_calls_ends(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_remedies, "_BUDGET_S", 0.2)
    assert fail(file, "endless(nothing)").calls == ()


def test_a_call_that_the_file_offers_is_proposed_where_tracing_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_remedies, "_BUDGET_S", 0.2)
    path = tmp_path / "slow.py"
    path.write_text("# jaxscope: slow(f32[3])\ndef slow(x):\n    while True: pass\n")
    assert fail(path, "slow(xs)").calls == ("slow(f32[3])",)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("sample", ["value_and_grad", pytest.param("selu", marks=pytest.mark.slow)])
def test_samples_have_arguments_for_a_name_that_there_is_not(sample: str) -> None:
    path = SAMPLES / f"{sample}.py"
    function = {"value_and_grad": "value_and_grad(loss)", "selu": "selu"}[sample]
    calls = fail(path, f"{function}(weights)").calls
    assert calls and calls[0].startswith(f"{function}(")  # then what the file offers, in time


@pytest.mark.parametrize(
    ("call", "spelled"),
    [
        ("pick(bool[], f32[4])", "pick(bool_[()], f32[4])"),
        ("pick(bool[4], 'bool[4] é', bool[2, 3])", "pick(bool_[4], 'bool[4] é', bool_[2, 3])"),
        ("f('é', bool[1])", "f('é', bool_[1])"),
        ("f(\n  bool[1],\n  bool[2])", "f(\n  bool_[1],\n  bool_[2])"),
        ("f(my_bool[1], bool, f32[2])", "f(my_bool[1], bool, f32[2])"),
        ("f('bool[] and f32[]')", "f('bool[] and f32[]')"),
    ],
)
def test_types_are_spelled_as_calls_have_them(call: str, spelled: str) -> None:
    assert spell_scalars(call) == spelled


def test_what_a_remedy_proposes_for_a_gradient_is_a_call_that_traces(file: Path) -> None:
    remedies = (
        "grad(lambda *xs: same(*xs).sum())(f32[3])",
        "grad(lambda *xs: same(*xs).mean())(f32[3])",
        "jacrev(same)(f32[3])",
        "vjp(same, f32[3])",
    )
    told = fail(file, "grad(same)(f32[3])")
    assert told.calls == remedies and not told.is_misspelt
    assert fail(file, "jax.grad(same)(f32[3])").calls[2] == "jax.jacrev(same)(f32[3])"
    assert fail(file, "grad(loss)(i32[3, 2], f32[4, 3])").calls == (
        "grad(loss, argnums=1)(i32[3, 2], f32[4, 3])",
        "grad(loss)(f32[3, 2], f32[4, 3])",
    )


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("typed", "proposed"),
    (
        ("jvp(same)(f32[3])", "jvp(same, (f32[3],), (f32[3],))"),
        ("jvp(same, f32[3], f32[3])", "jvp(same, (f32[3],), (f32[3],))"),
        ("jax.jvp(same, (f32[3],))", "jax.jvp(same, (f32[3],), (f32[3],))"),
        ("jvp(same, (f32[3],), (f32[1],))", "jvp(same, (f32[3],), (f32[3],))"),
        ("jvp(same, (i32[3],), (i32[3],))", "jvp(same, (f32[3],), (f32[3],))"),
        (
            "jvp(loss, f32[3, 2], f32[4, 3])",
            "jvp(loss, (f32[3, 2], f32[4, 3]), (f32[3, 2], f32[4, 3]))",
        ),
        (
            "jvp(grad(loss), (f32[3, 2], f32[4, 3]), (f32[3, 2],))",
            "jvp(grad(loss), (f32[3, 2], f32[4, 3]), (f32[3, 2], f32[4, 3]))",
        ),
        (
            "jvp(loss, (f32[3, 2],), (f32[3, 2],))",
            "jvp(loss, (init(key(0)), f32[4, 3]), (init(key(0)), f32[4, 3]))",
        ),
        ("vjp(same)(f32[3])", "vjp(same, f32[3])"),
        ("linearize(same)(f32[3])", "linearize(same, f32[3])"),
        ("vjp(loss, f32[3, 2])", "vjp(loss, init(key(0)), f32[4, 3])"),
        ("jacfwd(same)(i32[3])", "jacfwd(same)(f32[3])"),
        ("grad(same)(i32[3])", "grad(lambda *xs: same(*xs).sum())(f32[3])"),
    ),
)
def test_remedies_of_other_derivatives_are_calls_that_run(
    file: Path, typed: str, proposed: str
) -> None:
    source = read_source(str(file))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    with pytest.raises((TypeError, ValueError)):
        eval(typed, dict(names))
    told = fail(file, typed)
    assert told.calls[:1] == (proposed,) and told.remedy
    for call in told.calls:
        assert eval(call, dict(names)) is not None


def test_no_other_call_is_proposed_where_the_file_is_at_fault(file: Path) -> None:
    file.write_text(f"{FILE}def wide(x): return jax.grad(same)(x)\n")
    assert fail(file, "grad(wide)(f32[3])").calls == ()


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("typed", "said", "proposed"),
    (
        ("vmap(same)(f32[])", "an axis that an argument", "vmap(same)(f32[8])"),
        ("vmap(same)(2.0)", "an axis that an argument", "same(2.0)"),
        (
            "jit(vmap(scaled))(f32[4], 2.0)",
            "an axis that",
            "jit(vmap(scaled, in_axes=(0, None)))(f32[4], 2.0)",
        ),
        (
            "vmap(scaled, in_axes=(0, 1))(f32[4], f32[])",
            "an axis that",
            "vmap(scaled, in_axes=(0, None))(f32[4], f32[])",
        ),
        (
            "vmap(dot, 0)(f32[5, 3], f32[3])",
            "differ in size",
            "vmap(dot, in_axes=(0, None))(f32[5, 3], f32[3])",
        ),
        (
            "vmap(dot, in_axes=(0, None, 0))(f32[5, 3], f32[3])",
            "one entry for each",
            "vmap(dot, in_axes=(0, None))(f32[5, 3], f32[3])",
        ),
        (
            "vmap(dot, in_axes=(0,))(f32[3], f32[3])",
            "one entry for each",
            "vmap(dot)(f32[3], f32[3])",
        ),
        ("vmap(same, in_axes=None)(f32[3])", "no axis to map over", "vmap(same)(f32[3])"),
        (
            "vmap(dot, out_axes=1)(f32[3], f32[3])",
            "the array does not have",
            "vmap(dot)(f32[3], f32[3])",
        ),
        (
            "grad(dot, argnums=2)(f32[3], f32[3])",
            "by a position",
            "grad(dot, argnums=1)(f32[3], f32[3])",
        ),
        ("grad(dot, 2)(f32[3], f32[3])", "by a position", "grad(dot, argnums=1)(f32[3], f32[3])"),
        (
            "hessian(dot, argnums=(1, 2))(f32[3], f32[3])",
            "by a position",
            "hessian(dot, argnums=(1,))(f32[3], f32[3])",
        ),
        (
            "jit(same, donate_argnums=2)(f32[3])",
            "by a position",
            "jit(same, donate_argnums=0)(f32[3])",
        ),
        ("jit(same, static_argnums=1)(f32[3])", "by a position", "jit(same)(f32[3])"),
        ("jit(same, static_argnames='x')(f32[3])", "marked static", "jit(same)(f32[3])"),
    ),
)
def test_options_of_a_transform_that_do_not_fit_the_arguments_are_mended(
    file: Path, typed: str, said: str, proposed: str
) -> None:
    source = read_source(str(file))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    with pytest.raises((TypeError, ValueError)):
        eval(spell_scalars(typed), dict(names))
    told = fail(file, typed)
    assert said in told.what and told.remedy and told.calls[0] == proposed
    for call in told.calls:
        assert eval(spell_scalars(call), dict(names)) is not None


@pytest.mark.sweep(5)
@pytest.mark.parametrize(
    ("typed", "proposed"),
    (
        (
            "loss(f32[3,4], f32[3,4])",
            (
                "loss(f32[3, 4], f32[4, 2])",
                "loss(f32[4, 3], f32[3, 4])",
                "loss(f32[3, 4], f32[4, 3])",
            ),
        ),
        (
            "jit(grad(loss, argnums=1))(f32[3, 4], f32[3, 4])",
            (
                "jit(grad(loss, argnums=1))(f32[3, 4], f32[4, 2])",
                "jit(grad(loss, argnums=1))(f32[4, 3], f32[3, 4])",
                "jit(grad(loss, argnums=1))(f32[3, 4], f32[4, 3])",
            ),
        ),
        (
            "grad(loss)(f32[3, 4], w=f32[5])",
            (
                "grad(loss)(f32[3, 4], f32[4, 2])",
                "grad(loss)(f32[3, 5], w=f32[5])",
                "grad(loss)(f32[3, 4], w=f32[4])",
            ),
        ),
        (
            "vmap(loss)(f32[6, 3, 4], f32[6, 3, 4])",
            (
                "vmap(loss)(f32[6, 4, 3], f32[6, 3, 4])",
                "vmap(loss)(f32[6, 3, 4], f32[6, 4, 3])",
                "vmap(loss)(f32[6, 3, 3], f32[6, 3, 4])",
            ),
        ),
        (
            "vmap(add)(f32[6, 3], f32[4, 3])",
            (
                "vmap(add)(f32[4, 3], f32[4, 3])",
                "vmap(add)(f32[6, 3], f32[6, 3])",
                "vmap(add, in_axes=(0, None))(f32[6, 3], f32[4, 3])",
            ),
        ),
        (
            "vmap(grad(loss), in_axes=(0, None))(f32[6, 3, 4], f32[5, 4])",
            (
                "vmap(grad(loss), in_axes=(0, None))(f32[3, 4], f32[4, 2])",
                "vmap(grad(loss), in_axes=(0, None))(f32[6, 3, 4], f32[4, 5])",
                "vmap(grad(loss), in_axes=(0, None))(f32[6, 3, 5], f32[5, 4])",
            ),
        ),
        (
            "vjp(loss, f32[3, 4], f32[3, 4])",
            (
                "vjp(loss, f32[3, 4], f32[4, 2])",
                "vjp(loss, f32[4, 3], f32[3, 4])",
                "vjp(loss, f32[3, 4], f32[4, 3])",
            ),
        ),
        (
            "jvp(add, (f32[8], f32[7]), (f32[8], f32[7]))",
            (
                "jvp(add, (f32[7], f32[7]), (f32[7], f32[7]))",
                "jvp(add, (f32[8], f32[8]), (f32[8], f32[8]))",
            ),
        ),
        ("jit(add)(f32[8], f32[7])", ("jit(add)(f32[7], f32[7])", "jit(add)(f32[8], f32[8])")),
        ("add(bool[8], y=c64[7])", ("add(bool_[7], y=c64[7])", "add(bool_[8], y=c64[8])")),
        (
            "add(f32[8, 1, 2], f32[7, 1, 2])",
            ("add(f32[7, 1, 2], f32[7, 1, 2])", "add(f32[8, 1, 2], f32[8, 1, 2])"),
        ),
        ("rows(f32[3])", ("rows(f32[8, 3])",)),
        ("rows(f32[])", ()),
        ("last(f32[3])", ("last(f32[8, 3])",)),
        (
            "vjp(both, (f32[8], f32[7]))",
            ("vjp(both, (f32[7], f32[7]))", "vjp(both, (f32[8], f32[8]))"),
        ),
        ("vmap(rows)(f32[3, 4])", ("vmap(rows)(f32[8, 3, 4])",)),
        ("rows(f32[2, 3, 4])", ("rows(f32[3, 4])",)),
        ("grad(model)(f32[8, 3])", ("grad(model)(f32[8, 4])",)),
        ("invert(f32[3, 4])", ("invert(f32[4, 4])", "invert(f32[3, 3])")),
        (
            "layers([(f32[3, 4], f32[4]), (f32[4, 2], f32[2])], f32[8, 5])",
            (
                "layers([(f32[5, 4], f32[4]), (f32[4, 2], f32[2])], f32[8, 5])",
                "layers([(f32[3, 4], f32[4]), (f32[4, 2], f32[2])], f32[8, 3])",
            ),
        ),
        (
            "layers([(f32[3, 4], f32[4]), (f32[4, 5], f32[5]), (f32[5, 6], f32[6]), "
            "(f32[6, 7], f32[7])], f32[8, 9])",
            (
                "layers([(f32[9, 4], f32[4]), (f32[4, 5], f32[5]), (f32[5, 6], f32[6]), "
                "(f32[6, 7], f32[7])], f32[8, 9])",
                "layers([(f32[3, 4], f32[4]), (f32[4, 5], f32[5]), (f32[5, 6], f32[6]), "
                "(f32[6, 7], f32[7])], f32[8, 3])",
            ),
        ),
        ("jnp.dot(f32[3], f32[4])", ("jnp.dot(f32[4], f32[4])", "jnp.dot(f32[3], f32[3])")),
        ("jnp.reshape(f32[10], (3, 4))", ("jnp.reshape(f32[12], (3, 4))",)),
        ("take(f32[8], f32[2])", ("take(f32[8], i32[2])",)),
        (
            "vmap(grad(take), in_axes=(None, 0))(f32[8], bf16[2])",
            ("vmap(grad(take), in_axes=(None, 0))(f32[8], i32[2])",),
        ),
        ("jit(take)(f32[8], at=f32[])", ("jit(take)(f32[8], at=i32[])",)),
        ("vjp(jnp.take, f32[8], f32[2])", ("vjp(jnp.take, f32[8], i32[2])",)),
        ("matched(f32[8], f32[8])", ("matched(i32[8], i32[8])",)),
        ("gamma(i32[3], i32[3])", ("gamma(f32[3], i32[3])",)),
        ("gamma(bool[3], f32[3])", ("gamma(f32[3], f32[3])",)),
        ("whole(f32[3])", ()),
        ("flat(f32[3])", ()),
        ("single(f32[3])", ()),
        ("jax.scipy.special.erf(c64[2])", ("jax.scipy.special.erf(f32[2])",)),
        (
            "jax.lax.switch(bool[], [jnp.sin, jnp.cos], 1.0)",
            ("jax.lax.switch(i32[], [jnp.sin, jnp.cos], 1.0)",),
        ),
        ("sized(f32[11])", ()),
        ("grad(add)(f32[8], f32[7])", ()),
        ("large(f32[2000, 3], f32[3, 2000])", ()),
    ),
)
def test_arrays_of_shapes_or_dtypes_that_the_code_does_not_take_are_mended(
    tmp_path: Path, typed: str, proposed: tuple[str, ...]
) -> None:
    path = tmp_path / "shapes.py"
    path.write_text(SHAPES)
    source = read_source(str(path))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    with pytest.raises((TypeError, ValueError, IndexError)):
        eval(spell_scalars(typed), dict(names))
    told = fail(path, typed)
    assert told.calls == proposed
    assert told.remedy or not proposed
    for call in told.calls:
        assert eval(spell_scalars(call), dict(names)) is not None


@pytest.mark.parametrize("call", ["loss(f32[3, 4], f32[4, 2])", "endless(f32[3])"])
def test_no_other_shapes_are_proposed_where_the_call_traces_or_may_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """Then a later stage failed."""
    monkeypatch.setattr(call_remedies, "_BUDGET_S", 0.2)
    path = tmp_path / "shapes.py"
    path.write_text(f"{SHAPES}# jaxscope: endless(f32[3])\n")
    source = read_source(str(path))
    names, channel = call_namespace(vars(execute_file(source.path, source.text))), Quiet()
    error = TraceError(Explanation("It fails.", why="The block shape is odd.", kind="ValueError"))
    with pytest.raises(TraceError) as caught, proposing_calls(source, names, call, channel):
        raise error
    assert caught.value.explanation.calls == ()


@pytest.mark.slow
def test_few_calls_with_other_shapes_are_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_remedies, "_BUDGET_S", 300.0)  # it is not the time that ends it
    path = tmp_path / "shapes.py"
    path.write_text(
        "tried = []\n"
        "def never(*arrays):\n"
        "    tried.append(arrays)\n"
        "    raise ValueError('The shapes are wrong.')\n"
    )
    source = read_source(str(path))
    names, channel = call_namespace(vars(execute_file(source.path, source.text))), Quiet()
    text = f"never({', '.join(f'f32[{size}, {size + 1}]' for size in range(2, 20))})"
    with (
        pytest.raises(JaxscopeError),
        proposing_calls(source, names, text, channel),
        guard("trace", {source.path}, call=text),
    ):
        trace_call(evaluate_call(source, names, text, channel))
    assert len(names["tried"]) == 1 + 1 + 40  # as typed, once more, and others


@pytest.mark.parametrize("call", ["exit()", "exit(2)", "loss(init(key(0)), exit('so'))"])
def test_a_call_that_ends_the_program_is_told_from_a_file_that_does(file: Path, call: str) -> None:
    explanation = fail(file, call)
    assert explanation.what == "The call ends the program, and has no result."
    assert explanation.why != "None"
    assert "__main__" not in explanation.remedy


def test_a_function_that_ends_the_program_needs_no_main_guard(file: Path) -> None:
    explanation = fail(file, "leaves(f32[3])")
    assert explanation.what == "The file called sys.exit(3)."
    assert "__main__" not in explanation.remedy and "return" in explanation.remedy


def test_a_file_that_ends_the_program_as_it_is_read_needs_one(tmp_path: Path) -> None:
    path = tmp_path / "ends.py"
    path.write_text("import sys\nsys.exit()\n")
    source = read_source(str(path))
    with pytest.raises(JaxscopeError) as caught, guard("import", {source.path}):
        execute_file(source.path, source.text)
    explanation = caught.value.explanation
    assert explanation.what == "The file called sys.exit()." and not explanation.why
    assert "__main__" in explanation.remedy


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (
            "grad(wave)(c64[4])",
            ("grad(lambda *xs: wave(*xs).real)(c64[4])", "grad(wave, holomorphic=True)(c64[4])"),
        ),
        ("jacrev(wave)(f32[4])", ("jacrev(lambda *xs: wave(*xs).real)(f32[4])",)),
    ],
)
def test_of_a_complex_result_what_jax_differentiates(
    file: Path, text: str, calls: tuple[str, ...]
) -> None:
    found = fail(file, text)
    assert found.what == "A derivative is asked for of a complex result." and found.calls == calls
    names = call_namespace(vars(execute_file(str(file), FILE)))
    for call in calls:
        jax.make_jaxpr(lambda call=call: eval(spell_scalars(call), dict(names)))()


@pytest.mark.parametrize("grad", ["grad", "value_and_grad", "jacrev"])
def test_of_an_integer_there_is_no_derivative(file: Path, grad: str) -> None:
    found = fail(file, f"{grad}(number)(f32[4])")
    assert found.what == "A derivative is asked for of a result that is no float."
    assert "has_aux=True" in found.remedy


@pytest.mark.parametrize(
    ("typed", "proposed"),
    [
        ("grad(loss(f32[3, 2], f32[4, 3]))", "grad(loss)(f32[3, 2], f32[4, 3])"),
        (
            "jax.jit(jax.grad(loss(f32[3, 2], f32[4, 3]), argnums=1))",
            "jax.jit(jax.grad(loss, argnums=1))(f32[3, 2], f32[4, 3])",
        ),
        ("loss(weigths=f32[3, 2], xs=f32[4, 3])", "loss(weights=f32[3, 2], xs=f32[4, 3])"),
        ("grad(loss)(f32[3, 2], XS=f32[4, 3])", "grad(loss)(f32[3, 2], xs=f32[4, 3])"),
        ("grad(dot(f32[7], f32[7]))", "grad(dot)(f32[7], f32[7])"),
    ],
)
def test_what_was_nearly_typed_is_asked_for(file: Path, typed: str, proposed: str) -> None:
    """The arguments stay: a transform of a result, or a keyword of other letters."""
    explanation = fail(file, typed)
    assert explanation.is_misspelt and explanation.calls == (proposed,)
    assert str(explanation.remedy) == f"Did you mean {proposed}?"
    assert fail_nowhere(file, proposed)


def fail_nowhere(file: Path, text: str) -> bool:
    """Whether a call traces, by JAX alone."""
    source = read_source(str(file))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    jax.make_jaxpr(lambda: eval(text, dict(names)))()
    return True


REFUSED = """
import functools
import jax
import jax.numpy as jnp

@jax.jit
def power(x, count):
    for _ in range(count):
        x = x * x
    return x
@jax.jit
def filled(count, x): return jnp.zeros((count, 3)) + x
@jax.jit
def first(x, count): return x[:count]
@jax.jit
def pooled(x, ids, count): return jax.ops.segment_sum(x, ids, num_segments=count)
@jax.jit
def active(x, kind): return jnp.tanh(x) if kind == "tanh" else x
def scaled(x, options): return x * options["scale"] if options["mode"] == "scale" else x
def steps(count): return jnp.arange(count)
@functools.partial(jax.jit, static_argnames="shape")
def spread(x, shape): return jnp.broadcast_to(x, shape)
def noisy(key, x): return x + jax.random.normal(key, x.shape)
def root(a):
    return jax.lax.while_loop(lambda s: abs(s * s - a) > 1e-3, lambda s: (s + a / s) / 2, a)
def square(n): return n ** 2
def chosen(x): return jax.lax.cond(x.sum() > 0, lambda x: x, lambda x: x.sum(), x)
"""


@pytest.mark.parametrize(
    ("typed", "proposed"),
    (
        ("power(f32[3], 4)", "jit(power.__wrapped__, static_argnames='count')(f32[3], 4)"),
        ("filled(4, f32[3])", "jit(filled.__wrapped__, static_argnames='count')(4, f32[3])"),
        ("first(f32[9], 4)", "jit(first.__wrapped__, static_argnums=1)(f32[9], 4)"),
        (
            "first(f32[9], count=4)",
            "jit(first.__wrapped__, static_argnames='count')(f32[9], count=4)",
        ),
        (
            "pooled(f32[9], i32[9], 9)",
            "jit(pooled.__wrapped__, static_argnames='count')(f32[9], i32[9], 9)",
        ),
        (
            "active(f32[3], 'tanh')",
            "jit(active.__wrapped__, static_argnames='kind')(f32[3], 'tanh')",
        ),
        (
            "jit(scaled)(f32[3], {'scale': 2.0, 'mode': 'scale'})",
            "scaled(f32[3], {'scale': 2.0, 'mode': 'scale'})",
        ),
        ("jit(steps)(5)", "jit(steps, static_argnames='count')(5)"),
        ("spread(f32[3], [2, 3])", "spread(f32[3], (2, 3))"),
        ("noisy(7, f32[3])", "noisy(key(7), f32[3])"),
        ("noisy(x=f32[3], key=7)", "noisy(x=f32[3], key=key(7))"),
        ("grad(root)(2.0)", "jacfwd(root)(2.0)"),
        ("grad(square)(3)", "grad(square)(3.0)"),
    ),
)
def test_what_a_remedy_says_is_done_in_the_call_that_is_proposed(
    file: Path, typed: str, proposed: str
) -> None:
    """Nothing but what is at fault is changed: no text becomes an array, no array a scalar."""
    file.write_text(REFUSED)
    source = read_source(str(file))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    with pytest.raises(Exception, match=r"."):
        eval(typed, dict(names))
    told = fail(file, typed)
    assert told.calls == (proposed,)
    assert eval(proposed, dict(names)) is not None


def test_branches_that_differ_are_not_mended_by_other_arrays(file: Path) -> None:
    file.write_text(REFUSED)
    told = fail(file, "chosen(f32[9])")
    assert "branches" in told.what and told.calls == ()


def test_calls_that_nobody_typed_print_and_warn_of_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "loud.py"
    path.write_text(
        "import sys, warnings\n"
        "def loud(x):\n"
        "    print('traced')\n"
        "    print('traced', file=sys.stderr)\n"
        "    warnings.warn('traced', RuntimeWarning)\n"
        "    return x[0, 0]\n"
    )
    source = read_source(str(path))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        assert fail(path, "loud(x)").calls
        assert propose_call(source, names, function="loud")[0]
    assert not warned
    assert capsys.readouterr() == ("", "")


def test_a_search_ends_though_something_in_it_keeps_the_first_sign_of_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proposals, "_AGAIN_S", 0.05)
    kept: list[BaseException] = []
    with proposals.limit_time(0.05):
        while True:
            try:
                time.sleep(300.0)
            except BaseException as error:
                if kept:
                    raise
                kept.append(error)
    assert len(kept) == 1
