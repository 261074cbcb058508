"""A call is proposed that traces, for functions that nobody gave a call for."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.errors import CallError, TraceError
from jaxscope.model.said import Said
from jaxscope.worker.channel import Channel
from jaxscope.worker.host.call import call_namespace
from jaxscope.worker.host.source import read_source
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.stages.call_loader import first_call
from jaxscope.worker.stages.proposals import (
    Refusal,
    annotation_text,
    handle_propose,
    propose_call,
)

FILE = """
import jax
import jax.numpy as jnp

def square(x): return x ** 2
def attention(q, k, v): return jax.nn.softmax(q @ k.T) @ v
def sample(key, n: int): return jax.random.normal(key, (n,))
def loss(params, x): return jnp.mean((x @ params["w"] + params["b"]) ** 2)
def annotated(x: 'Float[Array, "6 features"]', y: 'Float[Array, "features"]'): return x @ y
def mlp(layers, x):
    for w, b in layers:
        x = jnp.tanh(x @ w + b)
    return x
def dropout(x, key, training): return jax.random.bernoulli(key, 0.5, x.shape) * x
def images(x, kernel): return jax.lax.conv(x, kernel, (1, 1), "SAME")
def keyword(x, *, scale): return x * scale
class Net:
    def __init__(self, width=8): self.w = jnp.ones((width, 2))
    def forward(self, x): return x @ self.w
    def __call__(self, x): return self.forward(x)
def impossible(x): raise ValueError("never")
def mask(x): return x[x > 3]
def branch(x, y): return x if x.sum() > 0 else y
def misspelt(x): return jnp.tanhh(x + 1)
def undefined(x): return missing_name(x) * 2
def deeper(x, y): return misspelt(x) * y
def of_argument(x): return x.nothing_like_that
def needs_a_cube(x, y):
    if x.ndim == 3 and y.ndim == 1: z = x * y
    return z

def rollout(w, xs):
    def step(c, x):
        c = jnp.tanh(c @ w + x)
        return c, c.sum()
    return jax.lax.scan(step, jnp.zeros(4), xs)[1].mean()
def gradient_of_rollout(w, xs): return jax.grad(rollout)(w, xs)
def normalise(batch, eps): return batch.mean(axis=0) / jnp.sqrt(batch.var(axis=0) + eps)
def pool(images):
    b, h, w, c = images.shape
    return images.reshape(b, h // 2, 2, w // 2, 2, c).mean((2, 4))
def init_net(key): return [{"w": jax.random.normal(key, (5, 5)), "b": jnp.zeros(5)}] * 2
def net(layers, x):
    for layer in layers: x = jnp.tanh(x @ layer["w"] + layer["b"])
    return (x @ layers[-1]["w"]).sum()
def squared_loss(layers, x): return net(layers, x) ** 2
def head(q, mix): return q.reshape(6, 7) @ mix.reshape(7, 3)
def embed(table, tokens): return table[tokens]
def applied(fn, x): return fn(x)
def chosen(x, mode):
    if mode == "up": return x + 1
    raise ValueError(mode)
def of_a_call(x, scaled_by): return x * jnp.ones(scaled_by)
def with_words(x): return of_a_call(x, 5)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "proposed.py"
    path.write_text(FILE)
    return path


def propose(file: Path, function: str | None) -> tuple[str | None, Refusal]:
    source = read_source(str(file))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    return propose_call(source, names, function=function)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("square", "square(f32[()])"),
        ("attention", "attention(f32[8, 8], f32[8, 8], f32[8, 8])"),
        ("sample", "sample(key(0), 3)"),
        ("loss", "loss({'b': f32[8], 'w': f32[8, 8]}, f32[8])"),
        ("annotated", "annotated(f32[6, 7], f32[7])"),
        ("mlp", "mlp([(f32[8, 8], f32[8]), (f32[8, 8], f32[8])], f32[8])"),
        ("dropout", "dropout(f32[()], key(0), False)"),
        ("images", "images(f32[1, 8, 8, 3], f32[1, 8, 8, 3])"),
        ("keyword", "keyword(f32[()], scale=f32[()])"),
        ("Net", "Net()(f32[8])"),
        ("needs_a_cube", "needs_a_cube(f32[2, 8, 8], f32[8])"),
        ("Net.forward", "Net().forward(f32[8])"),
        ("rollout", "rollout(f32[4, 4], f32[4, 4])"),
        ("gradient_of_rollout", "gradient_of_rollout(f32[4, 4], f32[4, 4])"),
        ("normalise", "normalise(f32[8], 1e-6)"),
        ("pool", "pool(f32[2, 8, 8, 4])"),
        ("squared_loss", "squared_loss(init_net(key(0)), f32[5])"),
        ("head", "head(f32[42], f32[21])"),
        ("embed", "embed(i32[8], i32[8])"),
        ("applied", "applied(jnp.tanh, f32[()])"),
        ("chosen", "chosen(f32[()], 'up')"),
        ("of_a_call", "of_a_call(f32[()], 5)"),
    ],
)
def test_a_call_that_traces_is_proposed(file: Path, function: str, call: str) -> None:
    assert propose(file, function)[0] == call


def test_where_none_traces_a_reason_is_given(file: Path) -> None:
    call, refusal = propose(file, "impossible")

    assert call is None
    assert "raised ValueError" in refusal.why and "never" in refusal.why
    assert refusal.where == "proposed.py:21"


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("mask", "mask(f32[8])"),
        ("branch", "branch(f32[8], f32[8])"),
        ("misspelt", "misspelt(f32[8])"),
        ("undefined", "undefined(f32[8])"),
        ("deeper", "deeper(f32[8], f32[8])"),
    ],
)
def test_what_no_argument_can_mend_is_proposed_so_that_tracing_says_it(
    file: Path, function: str, call: str
) -> None:
    assert propose(file, function)[0] == call


def test_a_missing_attribute_of_an_argument_is_no_mistake_of_the_function(file: Path) -> None:
    call, refusal = propose(file, "of_argument")

    assert call is None
    assert "nothing_like_that" in refusal.why


class _Silent(Channel):
    """A channel whose messages nobody needs."""

    def __init__(self) -> None: ...

    def progress(self, *_args: object, **_fields: object) -> None: ...


def test_where_none_traces_no_call_is_offered_and_the_parameters_are_told(tmp_path: Path) -> None:
    path = tmp_path / "picky.py"
    path.write_text(
        "def init_params(key): return {}\n"
        "def loss(params, images, *, rate): raise ValueError('never')\n"
    )

    with pytest.raises(TraceError) as caught:
        handle_propose({"file": str(path), "function": "loss"}, _Silent())

    explanation = caught.value.explanation
    assert "With loss(init_params(key(0)), f32[8" in explanation.why
    assert isinstance(explanation.why, Said), "the window can translate it"
    assert explanation.calls == (), "each that was tried is known to fail"
    assert "f32[8], " not in explanation.remedy
    assert "loss with params, images, rate" in explanation.remedy
    assert explanation.remedy.endswith(f"`jaxscope run -- {path}`"), "which needs no typed call"


def test_a_file_without_a_function_that_traces_offers_no_call_of_another(tmp_path: Path) -> None:
    path = tmp_path / "picky.py"
    path.write_text("def picky(x): raise ValueError('never')\n")
    source = read_source(str(path))
    names = call_namespace(vars(execute_file(source.path, source.text)))

    with pytest.raises(CallError) as caught:
        first_call(source, names, _Silent())

    explanation = caught.value.explanation
    assert (explanation.calls, explanation.example) == ((), ""), "a click would type a call"


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        ('Float[Array, "8 2"]', "f32[8, 2]"),
        ('Int[Array, ""]', "i32[()]"),
        ('Float[Array, "... 4"]', "f32[4]"),
        (int, "3"),
        ("float", "1.0"),
        (list, None),
    ],
)
def test_annotations_say_what_is_wanted(annotation: object, text: str | None) -> None:
    assert annotation_text(annotation) == text


TRAINING = """
import jax
import jax.numpy as jnp

done = []

def main():
    done.append(1)
    return jnp.ones(3)

def make_schedule(rate=0.1):
    return lambda step: rate * step

class Model:
    def __call__(self, x):
        return jnp.sin(x)

def loss(w, x):
    return jnp.sum(jnp.dot(x, w))

@jax.jit
def train_step(state, x):
    return state.replace(w=x), done.append(2)
"""


def test_of_a_file_the_jitted_functions_are_tried_first_and_its_script_is_not_run(
    tmp_path: Path,
) -> None:
    file = tmp_path / "train.py"
    file.write_text(TRAINING)
    call, _ = propose(file, None)
    assert call is not None and call.startswith("loss(")
    file.write_text(TRAINING.replace("state.replace(w=x), done.append(2)", "state + x"))
    call, _ = propose(file, None)
    assert call is not None and call.startswith("train_step(")
    source = read_source(str(file))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    propose_call(source, names, function=None)
    assert names["done"] == []
    file.write_text("import jax.numpy as jnp\ndef main():\n    return jnp.ones(3)\n")
    assert propose(file, None)[0] == "main()"
