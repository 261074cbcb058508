"""Real captures of small programs over eight simulated devices."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from captures import taking
from jaxscope.model import Capture

SOURCE = """\
import functools

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

# jaxscope: grad(loss)(weights(), f32[16, 32])


def mesh(*axes):
    return jax.make_mesh(
        tuple(size for _, size in axes), tuple(name for name, _ in axes),
        axis_types=(AxisType.Auto,) * len(axes),
    )


def grid():
    return mesh(("data", 2), ("model", 4))


def weights():
    columns, rows = (NamedSharding(grid(), spec) for spec in (P(None, "model"), P("model", None)))
    return {
        "w1": jax.device_put(jnp.ones((32, 64)), columns),
        "w2": jax.device_put(jnp.ones((64, 8)), rows),
    }


def loss(params, x):
    x = jax.lax.with_sharding_constraint(x, NamedSharding(grid(), P("data", None)))
    return jnp.sum(jnp.tanh(x @ params["w1"]) @ params["w2"])


def placed(x, unused):
    spread = NamedSharding(mesh(("i", 8)), P("i"))
    return jax.jit(lambda x: 2 * x, in_shardings=spread, out_shardings=spread)(x)


def exchanged(x):
    here = mesh(("i", 8))

    @functools.partial(jax.shard_map, mesh=here, in_specs=P("i"), out_specs=P("i"))
    def body(a):
        a = jax.lax.ppermute(a, "i", [(k, (k + 1) % 8) for k in range(8)])
        a = jax.lax.all_to_all(a, "i", split_axis=1, concat_axis=1, tiled=True)
        whole = jax.lax.all_gather(a, "i", tiled=True)
        return jax.lax.psum_scatter(whole, "i", tiled=True)

    return body(x)


def looped(x):
    here = mesh(("i", 8))

    @functools.partial(jax.shard_map, mesh=here, in_specs=P("i"), out_specs=P("i"))
    def body(a):
        return jax.lax.fori_loop(0, 5, lambda _, a: a / jax.lax.pmax(a, "i"), a)

    return body(x)


def wide(x):
    here = mesh(("a", 8), ("b", 8))
    return jax.shard_map(
        lambda x: jax.lax.psum(x, "b"), mesh=here, in_specs=P("a", "b"), out_specs=P("a")
    )(x)


def handed_on(x):
    here = mesh(("i", 8))

    @functools.partial(jax.shard_map, mesh=here, in_specs=P("i"), out_specs=P("i"))
    def body(a):
        return jax.lax.ppermute(jnp.sin(a), "i", [(0, 1), (1, 2)])

    return body(x)


def gathered_first(x, w):
    here = mesh(("i", 8))
    rows, columns, whole = (NamedSharding(here, spec) for spec in (P("i"), P(None, "i"), P()))

    @functools.partial(jax.jit, in_shardings=(rows, columns), out_shardings=whole)
    def product(x, w):
        return x @ w + w

    return product(x, w)


def shares(x):
    return jax.pmap(lambda a: a / jax.lax.psum(a, "i"), axis_name="i")(x)


def alone(x):
    return jnp.sin(x)
"""

Take = Callable[..., Capture]


@pytest.fixture(scope="session")
def take(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Take]:
    """Captures a call of the file on a target; each once."""
    path = tmp_path_factory.mktemp("sharding") / "programs.py"
    path.write_text(SOURCE)
    with taking() as capture:
        yield lambda call=None, target="cpu:8": capture(path, call, target)
