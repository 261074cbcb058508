"""Calls that a file's own script makes are proposed first, with the script's own arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client.one_shot import capture
from jaxscope.errors import JaxscopeError
from jaxscope.model.script_calls import find_script_calls
from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.host.source import read_source
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.stages.proposals import propose_call

TRAINING = """
from functools import partial
import jax
import jax.numpy as jnp

def helper(x): return x * 2
def init(key): return {"w": jax.random.normal(key, (3, 2))}
def forward(params, x): return x @ params["w"]
@partial(jax.jit, static_argnames="scale", donate_argnums=0)
def step(params, batch, *, scale=1):
    x, y = batch
    return jax.tree.map(lambda p: p * scale, params), jnp.mean((forward(params, x) - y) ** 2)
def batches(n):
    for _ in range(n):
        yield jnp.ones((n, 3)), jnp.zeros((n, 2))

def main(epochs=2):
    params = init(jax.random.key(0))
    for epoch, scale in enumerate((2, 3)):
        for batch in batches(5):
            params, loss = step(params, batch, scale=scale)
            print(epoch, float(loss))

if __name__ == "__main__":
    main()
"""
STEP = "step(init(jax.random.key(0)), next(iter(batches(5))), scale=2)"


def test_what_a_training_loop_compiles_comes_first() -> None:
    made = ("init(jax.random.key(0))", "batches(5)")
    assert find_script_calls(TRAINING) == (STEP, *made)


@pytest.mark.parametrize(
    ("script", "calls"),
    [
        ("x = jnp.ones(3)\njax.jit(f)(x, 2)", ["jax.jit(f)(jnp.ones(3), 2)"]),
        ("x, (y, _) = 1.0, (2.0, 3)\nf(x, y)", ["f(1.0, 2.0)"]),
        (
            "c = {'n': 3, 'k': 1, 'n': 4}\nt = jax.jit(jax.vmap(pair(c['n'])))\nt(c['k'])",
            ["jax.jit(jax.vmap(pair(4)))(1)", "pair(4)"],
        ),
        ("c = {'k': 1, **{}}\nf(c['k'])", ["f({'k': 1, **{}}['k'])"]),
        ("t = jax.jit(pair(open('a')))\nt(1)", []),
        ("a, b = pair(4)\nf(a, b)", ["f(pair(4)[0], pair(4)[1])", "pair(4)"]),
        ("for g in f, h: jax.grad(g)(1.0, 2.0)", ["jax.grad(f)(1.0, 2.0)"]),
        ("for x, y in zip([1.0], (2.0, 3.0)): f(x, y)", ["f(1.0, 2.0)"]),
        ("x = 1.0\nx += 2\nf(x, [z for z in (1,)])", ["f(1.0 + 2, [z for z in (1,)])"]),
        ("with jax.named_scope('s'):\n  f(3.0, y=1)", ["f(3.0, y=1)"]),
        ("d = {}\nd['a'] = 3\nf(d, 1)", []),  # what it holds is not followed
        ("with open('data') as lines: f(lines, 1)", []),
        ("f(open('data').read(), 1)", []),  # nothing but computing is done for a proposal
        ("f(read(), 1)", []),
        ("f(other.load(), 1)", []),
        ("f(jnp.load('data.npy'), 1)", []),
        ("d = jnp.load('data.npz')\nf(d['x'], 1)", []),
        ("f(jnp.ones(3).tofile('data'), 1)", []),
        ("f(take('data'), 1)", []),
        ("unknown(f(1.0, 2.0))", ["f(1.0, 2.0)"]),
        ("def g(x): return f(x, x)\ng(2.0)", []),
    ],
)
def test_a_script_is_followed_as_it_runs(script: str, calls: list[str]) -> None:
    head = "import jax\nimport jax.numpy as jnp\nimport other\nfrom numpy import loadtxt as take\n"
    functions = "def f(x, y): return x * y\ndef h(x, y): return x\ndef pair(n): return n, n\n"
    functions += "def read(): return open('data').read()\n"
    body = script.replace("\n", "\n    ")
    text = f"{head}{functions}if __name__ == '__main__':\n    {body}\n"
    assert list(find_script_calls(text)) == calls


def test_functions_that_call_each_other_again_and_again_are_not_all_followed() -> None:
    """40 to the power of 4 of them: without a bound, this does not end."""
    lines = ["import jax.numpy as jnp"]
    for level in range(5):
        calls = "".join(f"    f{level + 1}_{i}(x)\n" for i in range(40)) if level < 4 else "    x\n"
        lines += [f"def f{level}_{i}(x):\n{calls}" for i in range(40)]
    lines += ["if __name__ == '__main__':", *(f"    f0_{i}(jnp.ones({i}))" for i in range(40))]
    found = find_script_calls("\n".join(lines))
    assert len(found) == 20 and found[0] == "f4_0(jnp.ones(0))"


def test_no_script_no_calls() -> None:
    assert find_script_calls("def f(x): return x\nf(1)") == ()
    assert find_script_calls("if __name__ ==") == ()


@pytest.mark.parametrize(
    ("function", "call"),
    [(None, STEP), ("step", STEP), ("helper", "helper(f32[()])"), ("forward", None)],
)
def test_it_is_proposed(tmp_path: Path, function: str | None, call: str | None) -> None:
    path = tmp_path / "training.py"
    path.write_text(TRAINING)
    source = read_source(str(path))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    found, _ = propose_call(source, names, function=function)
    assert found is not None
    if call is not None:
        assert found == call
    parse_call(found, names, file=source.path)


def test_what_the_script_calls_is_proposed_although_tracing_refuses_it(tmp_path: Path) -> None:
    path = tmp_path / "refused.py"
    text = "import jax.numpy as jnp\ndef other(x): return x if x.sum() > 0 else -x\n"
    text += "def mask(x): return x[x > 3]\nif __name__ == '__main__': mask(jnp.arange(5.0))\n"
    path.write_text(text)
    source = read_source(str(path))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    found, _ = propose_call(source, names, function=None)
    assert found == "mask(jnp.arange(5.0))"


def test_where_a_call_fails_what_the_script_calls_is_proposed(tmp_path: Path) -> None:
    path = tmp_path / "training.py"
    path.write_text(TRAINING)
    for call in ("step(f32[3])", "step(f32[3], f32[4], scale=2)"):  # too few; nothing to unpack
        with pytest.raises(JaxscopeError) as raised:
            capture(str(path), call)
        assert STEP in raised.value.explanation.calls


def test_a_function_that_makes_what_is_compiled_is_proposed_with_it(tmp_path: Path) -> None:
    path = tmp_path / "made.py"
    path.write_text(
        "import jax\n\ndef make(config):\n    def train(x):\n        return x * config['n']\n"
        "    return train\n\nif __name__ == '__main__':\n    config = {'n': 3}\n"
        "    step = jax.jit(make(config))\n    step(2.0)\n"
    )
    source = read_source(str(path))
    names = call_namespace(vars(execute_file(source.path, source.text)))
    for function in ("make", None):
        assert propose_call(source, names, function=function)[0] == "jax.jit(make({'n': 3}))(2.0)"
