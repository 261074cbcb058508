"""Functions of libraries, as files that a user might write; each needs only the libraries named."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "betainc": ((), "import jax.scipy as jsp", "jsp.special.betainc(2.0, 3.0, f32[4])"),
    "logsumexp": (
        (),
        "import jax.scipy as jsp",
        "vmap(grad(jsp.special.logsumexp))(f32[3, 5])",
    ),
    "softmax": ((), "", "jacrev(jax.nn.softmax)(f32[5])"),
    "attention": (
        (),
        "",
        "grad(lambda q: jax.nn.dot_product_attention(q, q, q).sum())(f32[2, 4, 2, 8])",
    ),
    "determinant": ((), "", "grad(jnp.linalg.det)(f32[3, 3])"),
    "eigh": ((), "", "jnp.linalg.eigh(f32[4, 4])"),
    "categorical": ((), "", "jax.random.categorical(key(0), f32[5, 3])"),
    "convolve": (
        (),
        "import jax.scipy.signal",
        "grad(lambda x: jax.scipy.signal.convolve(x, x).sum())(f32[16])",
    ),
    "conjugate_gradients": (
        (),
        "import jax.scipy.sparse.linalg as linalg",
        "linalg.cg(lambda v: 2 * v, f32[5])",
    ),
    "minimize": (
        (),
        "import jax.scipy.optimize",
        "jax.scipy.optimize.minimize(lambda x: jnp.sum((x - 1) ** 2), f32[3], method='BFGS')",
    ),
    "interpolate": ((), "", "grad(lambda x: jnp.interp(x, f32[8], f32[8]))(f32[()])"),
    "resize": ((), "", "grad(lambda x: jax.image.resize(x, (8, 8), 'cubic').sum())(f32[4, 4])"),
    "flax": (
        ("flax",),
        "import flax.linen as nn\n"
        "model = nn.Sequential([nn.Dense(8), nn.LayerNorm(), nn.Dense(2)])\n"
        "params = model.init(jax.random.key(0), jnp.ones((2, 4)))\n"
        "def loss(p, x): return jnp.mean(model.apply(p, x) ** 2)\n",
        "grad(loss)(params, f32[2, 4])",
    ),
    "equinox": (
        ("equinox",),
        "import equinox as eqx\n"
        "mlp = eqx.nn.MLP(3, 2, 16, 2, key=jax.random.key(0))\n"
        "def loss(m, x): return jnp.mean(jax.vmap(m)(x) ** 2)\n",
        "eqx.filter_grad(loss)(mlp, f32[5, 3])",
    ),
    "optax": (
        ("optax",),
        "import optax\n"
        "optimizer = optax.adamw(1e-3)\n"
        "params = {'w': jnp.ones((4, 2)), 'b': jnp.zeros(2)}\n"
        "state = optimizer.init(params)\n"
        "def step(params, state, x):\n"
        "    gradient = jax.grad(lambda p: jnp.mean((x @ p['w'] + p['b']) ** 2))(params)\n"
        "    updates, state = optimizer.update(gradient, state, params)\n"
        "    return optax.apply_updates(params, updates), state\n",
        "step(params, state, f32[8, 4])",
    ),
    "diffrax": (
        ("diffrax",),
        "import diffrax\n"
        "term = diffrax.ODETerm(lambda t, y, rate: -rate * y)\n"
        "def decay(y, rate):\n"
        "    solution = diffrax.diffeqsolve(\n"
        "        term, diffrax.Tsit5(), 0.0, 1.0, 0.1, y, args=rate, max_steps=64\n"
        "    )\n"
        "    return jnp.sum(solution.ys)\n",
        "grad(decay)(f32[3], f32[()])",
    ),
    "numpyro": (
        ("numpyro",),
        "import numpyro\n"
        "import numpyro.distributions as dist\n"
        "from numpyro.infer.util import log_density\n"
        "def model(x, y):\n"
        "    slope = numpyro.sample('slope', dist.Normal(0.0, 1.0))\n"
        "    numpyro.sample('y', dist.Normal(slope * x, 0.1), obs=y)\n"
        "def density(slope, x, y):\n"
        "    return log_density(model, (x, y), {}, {'slope': slope})[0]\n",
        "grad(density)(f32[()], f32[8], f32[8])",
    ),
}
"""Name → libraries that must be installed, source of the file, call."""

PREAMBLE = "import jax\nimport jax.numpy as jnp\n"
