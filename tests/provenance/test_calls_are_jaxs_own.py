"""The program that is shown is the one that JAX runs: a choice of the calls of `bench/identity.py`.

Equations with their name stacks and places, the optimized module, and the name and stack frames of
every instruction are compared with `jax.make_jaxpr` and a plain compilation.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import identity
from bench.identity_calls import GROUPS, PREAMBLE
from jaxscope.worker import compat

ROOT = Path(__file__).parents[2]

CHOSEN = {
    "jax.numpy": (
        "jnp.add.reduce(f32[3, 4], axis=1)",
        "jnp.add.at(f32[6], np.array([0, 2]), 3.0, inplace=False)",
        "vmap(jnp.percentile, in_axes=(0, None))(f32[3, 9], 30.0)",
    ),
    "jax.scipy": (
        "grad(through_cg)(f32[4, 4], f32[4])",
        "vmap(jsp.stats.gamma.logpdf, in_axes=(0, None))(f32[4], 2.0)",
    ),
    "jax.nn and jax.image": (
        "vmap(three, in_axes=(None, None, None, 0))(f32[8, 8], f32[8, 8], f32[8, 8], f32[3, 4, 8])",
        "vmap(grad(lambda x: jax.nn.relu(jax.nn.relu(x) - 0.1).sum()))(f32[3, 4])",
    ),
    "control flow": (
        "vmap(grad(scan), in_axes=(None, 0))(f32[4], f32[5, 6, 4])",
        "vmap(grad(branches))(f32[3, 5])",
        "grad(named_remat)(f32[4, 4], f32[3, 4])",
        "grad(deep_jits)(f32[8])",
        "step(f32[8], f32[8])",
    ),
    "custom rules": (
        "grad(customs)(f32[7])",
        "hessian(lambda x: softlog(x).sum())(f32[3])",
        "grad(attention_loss, argnums=(0, 1))(f32[8, 4], f32[8, 4])",
        "jvp(lambda x: symbolic_forward(x, 2.0), (f32[4],), (f32[4],))",
        "grad(closure)(f32[4], f32[4])",
        "jacrev(closure_forward)(f32[4], f32[4])",
        "vmap(batched, in_axes=(0, None))(f32[3, 4], f32[4])",
        "vmap(grad(root))(f32[3] ** 2 + 1.0)",
        "vjp(linear, f32[4, 4], f32[4])",
    ),
    "callbacks and effects": (
        "grad(differentiable_callback)(f32[5])",
        "grad(printed_sum)(f32[5])",
        "grad(references)(f32[4])",
    ),
    "classes that check themselves": (
        "vmap(grad(total))(Checked(f32[2, 3], f32[2, 3]))",
        "labelled(Labelled(f32[3], 'name'))",
    ),
    "equinox, lineax, optimistix, diffrax": (
        "grad(linear)(f32[4, 4], f32[4])",
        "grad(find_root)(f32[()])",
        "grad(decay_implicit)(f32[3], f32[()])",
    ),
    "solvers, callbacks and rules inside of transforms": (
        "callbacks(f32[3])",
        "ufunc.outer(f32[3], f32[2])",
    ),
    "rules that call their function, and other ways to evaluate": (
        "grad(through_divided)(f32[3])",
        "grad(through_kept)(f32[3])",
        "jit(value_and_grad(jit(through_kept)))(f32[3])",
    ),
    "functions that the base and rules share, and what derivatives keep": (
        "grad(both)(f32[4])",
        "vmap(grad(both))(f32[3, 4])",
        "jacfwd(grad(pushes))(f32[4])",
        "grad(backward)(f32[4])",
        "linearize(lambda x: jax.linearize(cube, x)[1](x), f32[3])",
    ),
    "calls without a name in what JAX inlines": (
        "grad(lambda x: outer(x).sum())(f32[8])",
        "jit(random)(f32[8], key(0))",
    ),
    "numpyro": ("grad(mixture)(f32[3], f32[5])",),
}


_SLOW = frozenset(
    {
        # Half a minute of XLA's; the rule it once broke is held by `nested_rules` of
        # `test_tagging.py`.
        "grad(decay_implicit)(f32[3], f32[()])",
        # Seconds of XLA's each, or the like of a smaller one of their group.
        "grad(linear)(f32[4, 4], f32[4])",
        "vmap(grad(branches))(f32[3, 5])",
        "vmap(jnp.percentile, in_axes=(0, None))(f32[3, 9], 30.0)",
        "grad(through_cg)(f32[4, 4], f32[4])",
        "grad(attention_loss, argnums=(0, 1))(f32[8, 4], f32[8, 4])",
        "vmap(grad(root))(f32[3] ** 2 + 1.0)",
        "vjp(linear, f32[4, 4], f32[4])",
        "vmap(grad(both))(f32[3, 4])",
        "jacfwd(grad(pushes))(f32[4])",
        "linearize(lambda x: jax.linearize(cube, x)[1](x), f32[3])",
        "jit(random)(f32[8], key(0))",
    }
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Writes the file of a group, once: what it runs as it is loaded costs more than most calls."""
    folder = tmp_path_factory.mktemp("programs")

    def write(name: str, source: str) -> Path:
        file = folder / f"program_{list(CHOSEN).index(name)}.py"
        if not file.exists():
            file.write_text(PREAMBLE + source)
        return file

    return write


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("name", "call"),
    [
        pytest.param(n, call, marks=[pytest.mark.slow] * (call in _SLOW))
        for n in CHOSEN
        for call in CHOSEN[n]
    ],
)
def test_a_call_is_the_same_in_jaxscope_and_in_jax_alone(
    name: str, call: str, files: Callable[[str, str], Path]
) -> None:
    (group,) = (group for group in GROUPS if group.name == name)
    assert call in group.calls
    file = files(name, group.source)
    try:
        found = identity.compare(str(file), call)
    except ImportError as error:
        pytest.skip(f"needs {error.name}")
    if not compat.HAS_TAG_FRAMES and name == "calls without a name in what JAX inlines":
        pytest.skip("before JAX 0.10.2 tags have to be names")
    assert found.equations
    assert found.named
    assert not found.differences, "\n".join(found.differences)
    assert not found.messages


@pytest.mark.slow
def test_so_it_is_under_a_mesh_with_explicit_axes() -> None:
    """The mesh is set for the whole process, so there is one for it."""
    code = (
        "import dataclasses; from bench import identity, identity_calls as calls;"
        "calls.GROUPS = tuple(dataclasses.replace(group, calls=group.calls[:2])"
        " for group in calls.GROUPS if 'explicit' in group.name);"
        "identity.compare_group(calls.GROUPS[0].name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    results = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"')]
    assert len(results) == 2
    assert all(map(identity.is_same, results)), results
