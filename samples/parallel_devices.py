"""Many devices: one program, its data in pieces.

Look at: `share_of_total` and two more ways to spread work over eight devices, which a CPU can
simulate.

Predict: which of the three needs the devices to talk to each other, and what do they exchange?

Then see: the optimized module names every exchange. `pmap` runs the function once on each device,
and its `psum` is an `all-reduce`. In `split_product` every device multiplies its piece of the
inner dimension, and again an `all-reduce` adds up the pieces. `gram` says nothing of exchanges: it
only asks for rows to be spread, and the compiler inserts the `all-gather` that the product needs.
Types and bytes in the module are those of one device's piece. `scattered_sums` and
`rows_to_columns` show the two other exchanges, `reduce-scatter` and `all-to-all`. In
`ring_product` pieces travel from neighbour to neighbour, a `collective-permute` in each round of a
loop.
"""

import contextlib

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

# jaxscope: pmap(share_of_total, axis_name="devices")(f32[8, 4])
# jaxscope: split_product(f32[16, 64], f32[64, 16])
# jaxscope: gram(f32[64, 32])

with contextlib.suppress(RuntimeError):  # too late if JAX already looked for devices
    jax.config.update("jax_num_cpu_devices", 8)

automatic = (jax.sharding.AxisType.Auto,)
mesh = jax.make_mesh((len(jax.devices()),), ("devices",), axis_types=automatic)


def share_of_total(x):
    """The device's numbers, divided by the sum of all devices' numbers."""
    return x / jax.lax.psum(jnp.sum(x), "devices")


def split_product(a, b):
    """A matrix product whose inner dimension is spread over the devices."""
    piecewise = jax.shard_map(
        lambda a, b: jax.lax.psum(a @ b, "devices"),
        mesh=mesh,
        in_specs=(PartitionSpec(None, "devices"), PartitionSpec("devices", None)),
        out_specs=PartitionSpec(),
    )
    return piecewise(a, b)


def gram(x):
    """All inner products of the rows of x, which are spread over the devices."""
    rows = jax.lax.with_sharding_constraint(x, NamedSharding(mesh, PartitionSpec("devices", None)))
    products = rows @ rows.T
    return jax.lax.with_sharding_constraint(
        products, NamedSharding(mesh, PartitionSpec("devices", None))
    )


def scattered_sums(x):
    """Sums over the devices, of which each device gets one part: half of an all-reduce."""
    part = jax.shard_map(
        lambda x: jax.lax.psum_scatter(x, "devices", scatter_dimension=1, tiled=True),
        mesh=mesh,
        in_specs=PartitionSpec("devices", None),
        out_specs=PartitionSpec(None, "devices"),
    )
    return part(x)


def rows_to_columns(x):
    """From rows on each device to columns: each device sends a part to every other."""
    exchange = jax.shard_map(
        lambda x: jax.lax.all_to_all(x, "devices", split_axis=1, concat_axis=0, tiled=True),
        mesh=mesh,
        in_specs=PartitionSpec("devices", None),
        out_specs=PartitionSpec(None, "devices"),
    )
    return exchange(x)


def ring_product(a, b):
    """The product of a and b: rows of a stay on their device, rows of b travel round a ring."""
    count = mesh.size
    neighbours = [(k, (k + 1) % count) for k in range(count)]

    def multiply(a, b):
        size = b.shape[0]

        def step(round, carry):
            total, b = carry
            piece = (jax.lax.axis_index("devices") - round) % count
            columns = jax.lax.dynamic_slice_in_dim(a, piece * size, size, axis=1)
            return total + columns @ b, jax.lax.ppermute(b, "devices", neighbours)

        total = jnp.zeros_like(a, shape=(a.shape[0], b.shape[1]))
        return jax.lax.fori_loop(0, count, step, (total, b))[0]

    rows = PartitionSpec("devices", None)
    return jax.shard_map(multiply, mesh=mesh, in_specs=(rows, rows), out_specs=rows)(a, b)
