"""Calls of library functions for `identity.py`: as many kinds as may make tracing differ.

Each group is a file that a user might write, and calls of it. Groups run in a process each, because
a file may set a mesh or an option of JAX for the whole process.
"""

# ruff: noqa: E501 - programs as users write them

from __future__ import annotations

import dataclasses

NUM_DEVICES = 8
PREAMBLE = """import functools
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
"""


@dataclasses.dataclass(frozen=True)
class Group:
    """A file and calls of it.

    Attributes:
        name: Of the group.
        calls: What to call.
        source: The file, after `PREAMBLE`.
    """

    name: str
    calls: tuple[str, ...]
    source: str = ""


_NUMPY = Group(
    "jax.numpy",
    (
        "jnp.linalg.eigh(f32[4, 4])",
        "grad(jnp.linalg.det)(f32[3, 3])",
        "grad(lambda a, b: jnp.linalg.solve(a, b).sum())(f32[4, 4], f32[4])",
        "jacrev(jnp.linalg.inv)(f32[3, 3])",
        "grad(lambda a: jnp.linalg.svd(a, full_matrices=False)[1].sum())(f32[5, 3])",
        "vmap(jnp.linalg.qr)(f32[2, 4, 3])",
        "jvp(jnp.linalg.cholesky, (jnp.eye(3) * 2.0,), (f32[3, 3],))",
        "vmap(jnp.linalg.slogdet)(f32[2, 3, 3])",
        "jnp.linalg.lstsq(f32[5, 3], f32[5])",
        "vmap(jnp.linalg.pinv)(f32[2, 4, 3])",
        "jnp.add.at(f32[6], np.array([0, 2]), 3.0, inplace=False)",
        "jnp.add.reduce(f32[3, 4], axis=1)",
        "jnp.add.reduce(f32[3, 4], axis=(0, 1))",
        "jnp.multiply.accumulate(f32[3, 4], axis=1)",
        "jnp.add.reduceat(f32[8], np.array([0, 3, 5]))",
        "jnp.subtract.outer(f32[3], f32[4])",
        "jnp.maximum.reduce(f32[3, 4], axis=0, keepdims=True)",
        "vmap(jnp.logaddexp.reduce)(f32[3, 4])",
        "grad(lambda x: jnp.add.at(x, np.array([1]), x[:1], inplace=False).sum())(f32[4])",
        "jnp.interp(f32[5], jnp.arange(4.0), f32[4])",
        "grad(lambda x: jnp.interp(x, jnp.arange(8.0), f32[8]))(f32[()])",
        "jnp.histogram(f32[20], bins=5)",
        "jnp.unique(i32[10], size=5)",
        "jnp.nonzero(i32[8], size=4)",
        "vmap(jnp.searchsorted, in_axes=(None, 0))(jnp.arange(5.0), f32[3, 2])",
        "grad(lambda x: jnp.sort(x)[::2].sum())(f32[9])",
        "vmap(jnp.argsort)(f32[3, 7])",
        "jnp.median(f32[11])",
        "vmap(jnp.percentile, in_axes=(0, None))(f32[3, 9], 30.0)",
        "jnp.nanmean(f32[4, 5], axis=0)",
        "grad(lambda x: jnp.cumsum(x)[-1] * jnp.cumprod(x)[2])(f32[6])",
        "jnp.convolve(f32[8], f32[3])",
        "jnp.polyval(f32[4], f32[5])",
        "jnp.einsum('ij,jk,kl->il', f32[3, 4], f32[4, 5], f32[5, 2])",
        "grad(lambda a, b: jnp.einsum('bij,bjk->bik', a, b).sum())(f32[2, 3, 4], f32[2, 4, 5])",
        "jnp.apply_along_axis(jnp.sum, 0, f32[3, 4])",
        "jnp.vectorize(lambda a, b: a @ b, signature='(n),(n)->()')(f32[5, 3], f32[3])",
        "jnp.piecewise(f32[8], [f32[8] > 0], [jnp.sin, jnp.cos])",
        "jnp.piecewise(f32[6], [f32[6] > 0, f32[6] < -1], [jnp.sin, lambda v: v - 1, 0.5])",
        "jnp.select([f32[6] > 0, f32[6] > 1], [f32[6], f32[6] * 2])",
        "grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0).sum())(f32[8])",
        "jnp.fft.rfft2(f32[4, 8])",
        "grad(lambda x: jnp.abs(jnp.fft.fft(x)).sum())(f32[8])",
        "vmap(jnp.fft.irfft)(c64[2, 5])",
        "jnp.pad(f32[3, 4], 1, mode='reflect')",
        "grad(lambda x: jnp.pad(x, 2, mode='wrap').sum())(f32[5])",
        "jnp.roll(f32[4, 5], 2, axis=1)",
        "jnp.take_along_axis(f32[3, 5], i32[3, 2] % 5, axis=1)",
        "grad(lambda x, i: x.at[i].add(2.0).at[0].mul(3.0).sum())(f32[6], i32[3] % 6)",
        "jnp.lexsort((f32[6], f32[6]))",
        "jnp.block([[f32[2, 2], f32[2, 3]], [f32[1, 2], f32[1, 3]]])",
        "hessian(lambda x: jnp.prod(jnp.sin(x)))(f32[3])",
        "jacfwd(jnp.cross)(f32[3], f32[3])",
    ),
)

_SCIPY = Group(
    "jax.scipy",
    (
        "jsp.special.betainc(2.0, 3.0, f32[4])",
        "vmap(grad(jsp.special.logsumexp))(f32[3, 5])",
        "grad(lambda x: jsp.special.gammaln(x).sum())(f32[4])",
        "vmap(grad(jsp.special.erfinv))(f32[4] * 0.1)",
        "jsp.special.sph_harm_y(i32[1] * 0 + 1, i32[1] * 0 + 1, f32[1], f32[1], n_max=2)",
        "jsp.special.expi(f32[4])",
        "grad(lambda x: jsp.stats.norm.logpdf(x).sum())(f32[5])",
        "vmap(jsp.stats.gamma.logpdf, in_axes=(0, None))(f32[4], 2.0)",
        "grad(lambda x: jsp.stats.multivariate_normal.logpdf(x, jnp.zeros(3), jnp.eye(3)))(f32[3])",
        "grad(lambda x: jsp.signal.convolve(x, x).sum())(f32[16])",
        "jsp.signal.stft(f32[64], nperseg=16)",
        "jsp.ndimage.map_coordinates(f32[5, 5], [f32[3], f32[3]], order=1)",
        "jsp.linalg.expm(f32[3, 3])",
        "grad(lambda a: jsp.linalg.expm(a).sum())(f32[3, 3])",
        "jsp.linalg.lu(f32[4, 4])",
        "grad(lambda a, b: jsp.linalg.cho_solve(jsp.linalg.cho_factor(a @ a.T + jnp.eye(3)), b).sum())(f32[3, 3], f32[3])",
        "jsp.linalg.solve_triangular(f32[4, 4], f32[4], lower=True)",
        "jsp.linalg.sqrtm(f32[3, 3])",
        "jsp.integrate.trapezoid(f32[7])",
        "jsp.optimize.minimize(lambda x: jnp.sum((x - 1) ** 2), f32[3], method='BFGS')",
        "linalg.cg(lambda v: 2 * v, f32[5])",
        "linalg.gmres(lambda v: 3 * v, f32[5])",
        "linalg.bicgstab(lambda v: 3 * v, f32[5])",
        "grad(through_cg)(f32[4, 4], f32[4])",
        "grad(through_gmres)(f32[4, 4], f32[4])",
        "vmap(grad(through_cg), in_axes=(None, 0))(f32[4, 4], f32[2, 4])",
        "jacrev(through_bicgstab)(f32[4, 4], f32[4])",
        "vmap(lambda k: jsp.cluster.vq.vq(k, f32[3, 2]))(f32[2, 5, 2])",
    ),
    """
import jax.scipy as jsp
import jax.scipy.cluster.vq
import jax.scipy.integrate
import jax.scipy.optimize
import jax.scipy.signal
import jax.scipy.sparse.linalg as linalg

def through_cg(a, b):
    a = a @ a.T + jnp.eye(len(b))
    return linalg.cg(lambda v: a @ v, b)[0].sum()

def through_gmres(a, b):
    a = a @ a.T + jnp.eye(len(b))
    return linalg.gmres(lambda v: a @ v, b)[0].sum()

def through_bicgstab(a, b):
    a = a @ a.T + jnp.eye(len(b))
    return linalg.bicgstab(lambda v: a @ v, b)[0]
""",
)

_NN = Group(
    "jax.nn and jax.image",
    (
        "jacrev(jax.nn.softmax)(f32[5])",
        "grad(lambda q: jax.nn.dot_product_attention(q, q, q).sum())(f32[2, 4, 2, 8])",
        "vmap(grad(lambda x: jax.nn.gelu(x).sum()))(f32[3, 4])",
        "hessian(lambda x: jax.nn.silu(x).sum())(f32[3])",
        "grad(three)(f32[8, 8], f32[8, 8], f32[8, 8], f32[4, 8])",
        "vmap(three, in_axes=(None, None, None, 0))(f32[8, 8], f32[8, 8], f32[8, 8], f32[3, 4, 8])",
        "vmap(grad(lambda x: jax.nn.relu(jax.nn.relu(x) - 0.1).sum()))(f32[3, 4])",
        "grad(lambda x: jax.nn.logsumexp(jax.nn.log_softmax(x)))(f32[6])",
        "jax.nn.one_hot(i32[4], 10)",
        "grad(lambda x: jax.nn.celu(jax.nn.elu(x)).sum())(f32[6])",
        "vmap(jax.nn.standardize)(f32[3, 5])",
        "grad(lambda x: jax.image.resize(x, (8, 8), 'cubic').sum())(f32[4, 4])",
        "jax.image.scale_and_translate(f32[4, 4], (6, 6), (0, 1), f32[2], f32[2], 'linear')",
        "vmap(vmap(jax.nn.hard_swish))(f32[2, 3, 4])",
        "grad(lambda x, k: jnp.sum(lax.conv_general_dilated(x, k, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC')) ** 2), argnums=(0, 1))(f32[1, 6, 6, 2], f32[3, 3, 2, 3])",
        "jax.nn.glu(f32[4, 6])",
        "value_and_grad(lambda x: jax.nn.relu6(x).sum())(f32[6])",
        "linearize(lambda x: jax.nn.softplus(x).sum(), f32[5])",
        "vjp(lambda x: jax.nn.softmax(x), f32[5])",
        "jvp(jax.nn.sigmoid, (f32[5],), (f32[5],))",
    ),
    """
def three(w1, w2, w3, x):
    a = jax.nn.relu(x @ w1)
    b = jax.nn.relu(a @ w2)
    return jax.nn.relu(b @ w3).sum()
""",
)

_RANDOM = Group(
    "jax.random",
    (
        "jax.random.categorical(key(0), f32[5, 3])",
        "jax.random.gamma(key(0), f32[4] ** 2 + 1)",
        "grad(lambda a: jax.random.gamma(jax.random.key(0), a))(f32[()] ** 2 + 1.0)",
        "jax.random.permutation(key(1), 10)",
        "jax.random.choice(key(1), f32[8], (3,), replace=False)",
        "vmap(jax.random.normal)(jax.random.split(key(0), 4))",
        "vmap(lambda k: jax.random.dirichlet(k, jnp.ones(3)))(jax.random.split(key(0), 2))",
        "grad(lambda m: jax.random.multivariate_normal(jax.random.key(0), m, jnp.eye(3)).sum())(f32[3])",
        "jax.random.truncated_normal(key(0), -1.0, 1.0, (4,))",
        "jax.random.poisson(key(0), 3.0, (4,))",
        "jax.random.bits(jax.random.key(0, impl='rbg'), (4,))",
        "jax.random.orthogonal(key(0), 3)",
        "jax.random.ball(key(0), 3, shape=(2,))",
    ),
)

_CONTROL = Group(
    "control flow",
    (
        "grad(scan)(f32[4], f32[6, 4])",
        "vmap(grad(scan), in_axes=(None, 0))(f32[4], f32[5, 6, 4])",
        "hessian(scan)(f32[3], f32[4, 3])",
        "vmap(loop)(f32[3, 5])",
        "jvp(loop, (f32[5],), (f32[5],))",
        "grad(branches)(f32[5])",
        "vmap(branches)(f32[3, 5])",
        "vmap(grad(branches))(f32[3, 5])",
        "grad(lambda x: lax.fori_loop(0, 5, lambda i, v: v * jnp.sin(v), x).sum())(f32[4])",
        "lax.map(jnp.sin, f32[5, 4])",
        "lax.map(lambda r: r.sum() * r, f32[6, 4], batch_size=2)",
        "lax.associative_scan(jnp.add, f32[16])",
        "grad(lambda x: lax.associative_scan(jnp.multiply, x).sum())(f32[8])",
        "vmap(lambda x: lax.associative_scan(lambda a, b: a @ b, x))(f32[2, 4, 3, 3])",
        "grad(remat)(f32[4, 4], f32[3, 4])",
        "vmap(grad(remat), in_axes=(None, 0))(f32[4, 4], f32[2, 3, 4])",
        "grad(remat_of_scan)(f32[4], f32[6, 4])",
        "grad(named_remat)(f32[4, 4], f32[3, 4])",
        "grad(checkpoint(lambda x: jnp.sin(jnp.sin(x)).sum()))(f32[4])",
        "grad(nested_jits)(f32[8])",
        "vmap(nested_jits)(f32[3, 8])",
        "jit(grad(jit(nested_jits)))(f32[8])",
        "vmap(vmap(grad(jit(nested_jits))))(f32[2, 3, 8])",
        "grad(deep_jits)(f32[8])",
        "jit(lambda s, x: s + x, donate_argnums=0)(f32[8], f32[8])",
        "jit(power, static_argnames='n')(f32[8], n=3)",
        "grad(jit(power, static_argnames='n'))(f32[()], n=3)",
        "vmap(jit(power, static_argnums=1), in_axes=(0, None))(f32[4], 3)",
        "step(f32[8], f32[8])",
        "grad(lambda x: lax.reduce(x, 0.0, lax.add, (0,)))(f32[8])",
        "lax.reduce_window(f32[8], 0.0, lax.add, (2,), (1,), 'SAME')",
        "grad(lambda x: lax.select_n(x > 0, x, x * 2).sum())(f32[8])",
        "lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, jnp.sin(s[1])), (0, f32[4]))",
        "vmap(scan_of_scan)(f32[3, 4], f32[3, 5, 6, 4])",
        "grad(lambda w, xs: scan_of_scan(w, xs)[0].sum())(f32[4], f32[5, 6, 4])",
        "jacfwd(lambda w: lax.scan(lambda c, _: (jnp.tanh(c * w), None), jnp.ones(3), None, length=4)[0])(f32[3])",
        "vmap(lambda x: lax.psum(x, 'i') + lax.axis_index('i'), axis_name='i')(f32[4])",
        "vmap(lambda x: lax.all_gather(x, 'i'), axis_name='i')(f32[4, 3])",
        "lax.top_k(f32[9], 3)",
        "grad(lambda x: lax.top_k(x, 3)[0].sum())(f32[9])",
        "lax.ragged_dot(f32[6, 4], f32[3, 4, 5], jnp.array([2, 1, 3]))",
        "grad(lambda a: lax.ragged_dot(a, f32[3, 4, 5], jnp.array([2, 1, 3])).sum())(f32[6, 4])",
        "lax.switch(i32[()] % 3, [jnp.sin, jnp.cos, jnp.tanh], f32[5])",
        "vmap(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos], x))(i32[3] % 2, f32[3, 4])",
        "grad(lambda x: lax.optimization_barrier(jnp.sin(x)).sum())(f32[4])",
        "grad(lambda x: lax.stop_gradient(jnp.sin(x)) @ x)(f32[4])",
        "checkpoint(lambda x: jnp.real(jnp.sin(x)))(f32[4])",
    ),
    """
from jax.ad_checkpoint import checkpoint_name

def scan(w, xs):
    def step(c, x):
        c = jnp.tanh(c * w + x)
        return c, c ** 2
    c, ys = lax.scan(step, jnp.zeros_like(w), xs)
    return jnp.sum(c) + jnp.mean(ys)

def scan_of_scan(w, xs):
    def inner(c, x):
        return c * w + jnp.tanh(x), c
    def outer(c, x):
        c, y = lax.scan(inner, c, x)
        return c + 1.0, y * c
    return lax.scan(outer, w, xs)

def loop(x):
    return lax.while_loop(lambda v: jnp.sum(v) < 9.0, lambda v: v * 1.5 + jnp.abs(v) + 1.0, x)

def branches(x):
    y = lax.cond(jnp.sum(x) > 0, lambda z: jnp.sin(z) * 2.0, lambda z: jnp.cos(z) + 3.0, x)
    return lax.switch(jnp.int32(x[0] * 3), [jnp.sum, jnp.prod, lambda u: u @ u], y)

@functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.dots_saveable)
def block(w, x):
    return jnp.cos(jnp.sin(x @ w)) @ w

def remat(w, x):
    return jnp.mean(block(w, block(w, x)) ** 2)

def remat_of_scan(w, xs):
    return jax.checkpoint(scan)(w, xs)

def named_remat(w, x):
    policy = jax.checkpoint_policies.save_only_these_names("hidden")
    def inner(w, x):
        return jnp.sin(checkpoint_name(x @ w, "hidden")).sum()
    return jax.checkpoint(inner, policy=policy)(w, x)

@jax.jit
def a(z):
    return jnp.sin(z) + jnp.square(z)

@jax.jit
def b(z):
    return a(z) * a(z * 2.0)

def nested_jits(x):
    return (b(x) + b(x + 1.0) + a(x)).sum()

@jax.jit
def deep_jits(x):
    return jax.jit(lambda y: jax.jit(nested_jits)(y) * 2)(x)

def power(x, n):
    for _ in range(n):
        x = x * x
    return x

@functools.partial(jax.jit, donate_argnames="state")
def step(state, x):
    return state + x, jnp.sum(x)
""",
)

_RULES = Group(
    "custom rules",
    (
        "grad(customs)(f32[7])",
        "vmap(grad(customs))(f32[2, 7])",
        "jvp(lambda x: softlog(x).sum(), (f32[7],), (f32[7],))",
        "hessian(lambda x: softlog(x).sum())(f32[3])",
        "vmap(softlog)(f32[2, 7])",
        "jit(vmap(clipped))(f32[2, 7])",
        "grad(attention_loss, argnums=(0, 1))(f32[8, 4], f32[8, 4])",
        "grad(lambda x: statics(x, jnp.sin, 2).sum())(f32[4])",
        "vmap(grad(lambda x: statics(x, jnp.sin, 2)))(f32[4])",
        "grad(lambda x, y: symbolic(x, y).sum())(f32[4], f32[4])",
        "jvp(lambda x: symbolic_forward(x, 2.0), (f32[4],), (f32[4],))",
        "grad(rule_in_scan)(f32[4])",
        "vmap(grad(rule_in_scan))(f32[2, 4])",
        "grad(lambda x: ruled_twice(softlog(x) * 2.0).sum())(f32[4])",
        "vjp(lambda x: ruled_twice(x).sum(), f32[4])",
        "linearize(lambda x: ruled_twice(x).sum(), f32[4])",
        "grad(closure)(f32[4], f32[4])",
        "vmap(grad(closure))(f32[2, 4], f32[2, 4])",
        "grad(closure_forward)(f32[4], f32[4])",
        "jacrev(closure_forward)(f32[4], f32[4])",
        "vmap(batched, in_axes=(0, None))(f32[3, 4], f32[4])",
        "vmap(vmap(batched))(f32[2, 3, 4], f32[2, 3, 4])",
        "grad(root)(f32[()] ** 2 + 1.0)",
        "vmap(grad(root))(f32[3] ** 2 + 1.0)",
        "grad(fixed_point)(f32[()])",
        "grad(linear)(f32[4, 4], f32[4])",
        "vmap(linear, in_axes=(None, 0))(f32[4, 4], f32[3, 4])",
        "jacrev(linear)(f32[4, 4], f32[4])",
        "vjp(linear, f32[4, 4], f32[4])",
        "grad(checkpointed_rule)(f32[4])",
        "grad(jitted_rule)(f32[4])",
        "jit(grad(jitted_rule))(f32[4])",
        "vmap(vmap(grad(lambda x: softlog(x))))(f32[2, 3])",
        "grad(converted)(f32[4], f32[4])",
        "grad(lambda x: tree_rule({'a': x, 'b': (x * 2, 3)})['a'].sum())(f32[4])",
        "value_and_grad(aux_rule, has_aux=True)(f32[4])",
    ),
    """
from jax.custom_batching import custom_vmap

@jax.custom_vjp
def clipped(x):
    return jnp.sinh(x) * 3.0

def clipped_forward(x):
    s = jnp.sinh(x)
    return s * 3.0, jnp.cosh(x)

def clipped_backward(kept, g):
    k = jnp.clip(g, -1.0, 1.0)
    return (k * kept * 3.0,)

clipped.defvjp(clipped_forward, clipped_backward)

@jax.custom_jvp
def softlog(x):
    return jnp.log1p(jnp.exp(x))

@softlog.defjvp
def softlog_jvp(primals, tangents):
    (x,), (d,) = primals, tangents
    s = jax.nn.sigmoid(x)
    return softlog(x), s * d

def customs(x):
    a = clipped(x * 2.0)
    b = softlog(a - 1.0)
    return jnp.sum(a * b)

@jax.custom_vjp
def attention(q, k):
    return jax.nn.softmax(q @ k.T) @ k

def attention_forward(q, k):
    p = jax.nn.softmax(q @ k.T)
    return p @ k, (q, k, p)

def attention_backward(kept, g):
    q, k, p = kept
    dp = g @ k.T
    ds = p * (dp - jnp.sum(dp * p, axis=1, keepdims=True))
    return ds @ k, ds.T @ q + p.T @ g

attention.defvjp(attention_forward, attention_backward)

def attention_loss(q, k):
    return jnp.sum(attention(q, k) ** 2)

@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def statics(x, f, n):
    return f(x) ** n

statics.defvjp(lambda x, f, n: (f(x) ** n, x), lambda f, n, x, g: (g * n * f(x),))

@jax.custom_vjp
def symbolic(x, y):
    return x * y

def symbolic_fwd(x, y):
    return x.value * y.value, (x.value, y.value, y.perturbed)

def symbolic_bwd(kept, g):
    x, y, is_perturbed = kept
    return g * y, g * x

symbolic.defvjp(symbolic_fwd, symbolic_bwd, symbolic_zeros=True)

@jax.custom_jvp
def symbolic_forward(x, y):
    return x * y

@functools.partial(symbolic_forward.defjvp, symbolic_zeros=True)
def symbolic_jvp(primals, tangents):
    (x, y), (dx, dy) = primals, tangents
    kind = type(dy).__name__
    return x * y, dx * (2.0 if "Zero" in kind else 3.0)

def rule_in_scan(x):
    return lax.scan(lambda c, _: (softlog(clipped(c)), None), x, None, length=3)[0].sum()

@jax.custom_jvp
def ruled_twice(x):
    return softlog(x) * 2

@ruled_twice.defjvp
def ruled_twice_jvp(primals, tangents):
    value, tangent = jax.jvp(softlog, primals, tangents)
    return value * 2, tangent * 3.0

def closure(x, y):
    scale = jnp.sin(y)
    @jax.custom_vjp
    def inner(v):
        return v * scale
    inner.defvjp(lambda v: (v * scale, (v,)), lambda kept, g: (g * scale * 2.0,))
    return inner(x).sum()

def closure_forward(x, y):
    scale = jnp.sin(y)
    @jax.custom_jvp
    def inner(v):
        return v * scale
    @inner.defjvp
    def rule(primals, tangents):
        return inner(*primals), tangents[0] * scale * 2.0
    return inner(x).sum()

@custom_vmap
def batched(x, y):
    return jnp.sin(x) * y

@batched.def_vmap
def rule(size, is_batched, x, y):
    x = x if is_batched[0] else jnp.broadcast_to(x, (size, *x.shape))
    y = y if is_batched[1] else jnp.broadcast_to(y, (size, *y.shape))
    return jnp.sin(x) * y, True

def root(c):
    f = lambda x: x ** 2 - c
    def solve(f, x0):
        return lax.fori_loop(0, 20, lambda _, x: x - f(x) / (2 * x), x0)
    return lax.custom_root(f, 1.0, solve, lambda g, y: y / g(1.0))

def fixed_point(a):
    f = lambda x: jnp.cos(a * x) - x
    def solve(f, x0):
        return lax.while_loop(lambda x: jnp.abs(f(x)) > 1e-5, lambda x: x + f(x), x0)
    return lax.custom_root(f, 0.5, solve, lambda g, y: y / g(1.0))

def linear(a, b):
    a = a @ a.T + jnp.eye(4)
    solve = lambda matvec, v: jnp.linalg.solve(a, v)
    x = lax.custom_linear_solve(lambda v: a @ v, b, solve, solve, symmetric=True)
    return jnp.sum(x ** 2)

def checkpointed_rule(x):
    return jax.checkpoint(lambda v: clipped(softlog(v)).sum())(x)

@jax.jit
def jitted_rule(x):
    return clipped(softlog(x)).sum()

@jax.custom_vjp
def cast(x, y):
    return x + y

cast.defvjp(lambda x, y: (x + y, None), lambda _, g: (g * 2, g * 3))

def converted(x, y):
    return jax.closure_convert(lambda v: v * y, x)[0](x, *jax.closure_convert(lambda v: v * y, x)[1]).sum() + cast(x, y).sum()

@jax.custom_vjp
def tree_rule(tree):
    return jax.tree.map(lambda v: v * 2.0, tree)

tree_rule.defvjp(lambda t: (jax.tree.map(lambda v: v * 2.0, t), None), lambda _, g: (jax.tree.map(lambda v: v * 5.0 if v.dtype != jax.dtypes.float0 else v, g),))

def aux_rule(x):
    y = softlog(x)
    return y.sum(), {"value": y, "twice": clipped(y)}
""",
)

_CALLBACKS = Group(
    "callbacks and effects",
    (
        "callback(f32[5])",
        "vmap(callback)(f32[2, 5])",
        "grad(differentiable_callback)(f32[5])",
        "printed(f32[5])",
        "grad(printed_sum)(f32[5])",
        "vmap(printed)(f32[2, 5])",
        "grad(lambda x: (jax.debug.callback(lambda v: None, x), jnp.sin(x).sum())[1])(f32[5])",
        "written(f32[5])",
        "jit(ordered)(f32[5])",
        "loop_with_callback(f32[3])",
        "scan_with_print(f32[3])",
        "grad(lambda x: scan_with_print(x).sum())(f32[3])",
        "grad(references)(f32[4])",
        "references(f32[4])",
        "jit(references)(f32[4])",
        "vmap(references)(f32[2, 4])",
        "grad(rematted_print)(f32[4])",
        "allocated(f32[4])",
        "grad(allocated)(f32[4])",
    ),
    """
from jax.experimental import io_callback

def callback(x):
    y = jax.pure_callback(lambda a: np.sin(a), jax.ShapeDtypeStruct(x.shape, x.dtype), x * 2.0, vmap_method="sequential")
    return y + jnp.cos(x)

@jax.custom_jvp
def host_sin(x):
    return jax.pure_callback(lambda a: np.sin(a), jax.ShapeDtypeStruct(x.shape, x.dtype), x)

@host_sin.defjvp
def host_sin_jvp(primals, tangents):
    return host_sin(*primals), jnp.cos(primals[0]) * tangents[0]

def differentiable_callback(x):
    return jnp.sum(host_sin(x * 2.0) ** 2)

def printed(x):
    jax.debug.print("{x}", x=x[0])
    return jnp.sin(x)

def printed_sum(x):
    jax.debug.print("{x}", x=x[0])
    return jnp.sin(x).sum()

def written(x):
    io_callback(lambda v: None, None, x)
    return x * 2

def ordered(x):
    io_callback(lambda v: None, None, x, ordered=True)
    y = jnp.sin(x)
    jax.debug.print("{y}", y=y, ordered=True)
    return y

def loop_with_callback(x):
    def body(s):
        jax.debug.callback(lambda i: None, s[0])
        return s[0] + 1, jnp.sin(s[1])
    return lax.while_loop(lambda s: s[0] < 3, body, (0, x))

def scan_with_print(x):
    def step(c, _):
        jax.debug.print("{c}", c=c[0])
        return jnp.tanh(c), None
    return lax.scan(step, x, None, length=3)[0]

def references(x):
    ref = jax.new_ref(x)
    ref[0] = jnp.sin(x[1])
    ref[...] += 1.0
    return jnp.sum(ref[...] ** 2)

@jax.checkpoint
def rematted_print(x):
    jax.debug.print("{x}", x=x[0])
    return jnp.sin(jnp.sin(x)).sum()

def allocated(x):
    total = jax.new_ref(jnp.zeros(()))
    def body(i, _):
        total[...] += x[i] * 2.0
    lax.fori_loop(0, 4, body, None)
    return total[...]
""",
)

_TREES = Group(
    "classes that check themselves",
    (
        "total(Checked(f32[3], f32[3]))",
        "grad(total)(Checked(f32[3], f32[3]))",
        "vmap(total)(Checked(f32[2, 3], f32[2, 3]))",
        "vmap(grad(total))(Checked(f32[2, 3], f32[2, 3]))",
        "grad(labelled)(Labelled(f32[3], 'name'))",
        "labelled(Labelled(f32[3], 'name'))",
        "grad(initialised)(Initialised(f32[3]))",
        "hessian(initialised)(Initialised(f32[3]))",
        "grad(counted)(Counted([f32[3], f32[2]]))",
        "jit(grad(total))(Checked(f32[3], f32[3]))",
        "moved(State(f32[3], i32[()]), f32[3])",
        "grad(lambda s, x: moved(s, x).values.sum(), allow_int=True)(State(f32[3], i32[()]), f32[3])",
        "grad(mapping)({'b': f32[2], 'a': (f32[3], None, [f32[()]])})",
        "value_and_grad(total)(Checked(f32[3], f32[3]))",
    ),
    """
import dataclasses
from typing import NamedTuple

@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Checked:
    left: object
    right: object

    def __post_init__(self):
        # An axis that vmap leaves is no array; everything else must be one.
        for side in (self.left, self.right):
            if type(side) is not object and not isinstance(side, int | None) and not hasattr(side, "aval") and not hasattr(side, "shape"):
                raise TypeError(f"no array: {side!r}")

def total(pair):
    return jnp.sum(pair.left * jnp.sin(pair.right))

@functools.partial(jax.tree_util.register_dataclass, data_fields=["value"], meta_fields=["name"])
@dataclasses.dataclass(frozen=True)
class Labelled:
    value: object
    name: str

    def __post_init__(self):
        if not isinstance(self.name, str):
            raise TypeError("the name must be a text")

def labelled(one):
    return jnp.sum(one.value ** 2) * len(one.name)

@jax.tree_util.register_pytree_node_class
class Initialised:
    def __init__(self, values):
        self.values = jnp.asarray(values) if isinstance(values, jax.Array) else values
        if isinstance(values, jax.Array) and values.ndim < 1:
            raise ValueError("at least one dimension")

    def tree_flatten(self):
        return (self.values,), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

def initialised(one):
    return jnp.sum(jnp.tanh(one.values))

@jax.tree_util.register_pytree_node_class
class Counted:
    def __init__(self, parts):
        self.parts = parts
        if len(parts) != 2:
            raise ValueError("two parts")

    def tree_flatten(self):
        return tuple(self.parts), len(self.parts)

    @classmethod
    def tree_unflatten(cls, count, children):
        if len(children) != count:
            raise ValueError("as many children as before")
        return cls(list(children))

def counted(one):
    return sum(jnp.sum(part ** 2) for part in one.parts)

class State(NamedTuple):
    values: object
    step: object

def moved(state, x):
    return State(state.values + x, state.step + 1)

def mapping(tree):
    return sum(jnp.sum(leaf ** 2) for leaf in jax.tree.leaves(tree))
""",
)

_SPARSE = Group(
    "jax.experimental",
    (
        "sparse_product(f32[4, 5], f32[5])",
        "grad(lambda m, v: sparse_product(m, v).sum())(f32[4, 5], f32[5])",
        "grad(values_product)(f32[6], f32[5])",
        "vmap(values_product, in_axes=(None, 0))(f32[6], f32[3, 5])",
        "sparsified(f32[4, 4])",
        "odeint(lambda y, t: -y, f32[3], jnp.linspace(0.0, 1.0, 4))",
        "grad(through_odeint)(f32[3], f32[()])",
        "vmap(grad(through_odeint), in_axes=(0, None))(f32[2, 3], f32[()])",
        "jet_of(f32[()])",
        "grad(pallas)(f32[8], f32[8])",
        "pallas(f32[8], f32[8])",
        "vmap(pallas)(f32[2, 8], f32[2, 8])",
    ),
    """
from jax.experimental import jet, sparse
from jax.experimental.ode import odeint
from jax.experimental import pallas as pl

def sparse_product(m, v):
    return sparse.BCOO.fromdense(m, nse=20) @ v

INDICES = np.array([[0, 0], [1, 2], [2, 1], [3, 4], [3, 3], [0, 1]])

def values_product(values, v):
    return jnp.sum(sparse.BCOO((values, jnp.asarray(INDICES)), shape=(4, 5)) @ v)

def sparsified(m):
    return sparse.sparsify(lambda a: (a @ a).sum())(sparse.BCOO.fromdense(m, nse=16)).sum()

def through_odeint(y, rate):
    return odeint(lambda y, t, r: -r * y, y, jnp.linspace(0.0, 1.0, 3), rate)[-1].sum()

def jet_of(x):
    return jet.jet(jnp.sin, (x,), ((1.0, 0.0),))

def kernel(x, y, out):
    out[...] = x[...] * 2.0 + jnp.sin(y[...])

@jax.custom_jvp
def kernel_call(x, y):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x, y)

@kernel_call.defjvp
def kernel_jvp(primals, tangents):
    return kernel_call(*primals), tangents[0] * 2.0 + jnp.cos(primals[1]) * tangents[1]

def pallas(x, y):
    return kernel_call(x, y).sum()
""",
)

_SHARDED = Group(
    "sharded, automatic axes",
    (
        "spread(f32[8, 16])",
        "grad(lambda w: spread(w).sum())(f32[8, 16])",
        "placed(PLACED)",
        "grad(lambda x: placed(x).sum())(PLACED)",
        "vmap(placed)(PLACED)",
        "mapped(f32[8])",
        "grad(lambda x: mapped(x).sum())(f32[8])",
        "both(f32[8, 4], f32[4, 8])",
        "jit(lambda x: x * 2, out_shardings=SHARDING)(f32[8, 16])",
        "jit(lambda x: x * 2, in_shardings=SHARDING)(f32[8, 16])",
        "jit(lambda x: jnp.sum(x), donate_argnums=0)(PLACED)",
        "grad(two_axes)(f32[8, 16], f32[16, 4])",
    ),
    """
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto, AxisType.Auto))
SHARDING = NamedSharding(MESH, P("x", "y"))
PLACED = jax.device_put(jnp.ones((8, 16)), SHARDING)

def spread(w):
    w = lax.with_sharding_constraint(w, SHARDING)
    return jnp.sin(w) @ w.T

def placed(x):
    return jnp.tanh(x) * 2.0

def mapped(x):
    inner = lambda b: lax.psum(jnp.sin(b) * 2.0, "x") + jnp.cos(b)
    return jax.shard_map(inner, mesh=MESH, in_specs=P("x"), out_specs=P("x"))(x) * 3.0

def both(a, b):
    def inner(a, b):
        return lax.psum(a @ b, "y")
    return jax.shard_map(inner, mesh=MESH, in_specs=(P("x", "y"), P("y", None)), out_specs=P("x", None))(a, b)

def two_axes(a, b):
    def inner(a, b):
        return lax.psum(jnp.sin(a @ b), ("x", "y"))
    return jax.shard_map(inner, mesh=MESH, in_specs=(P("x", "y"), P("y", None)), out_specs=P())(a, b).sum()
""",
)

_EXPLICIT = Group(
    "sharded, explicit axes",
    (
        "product(f32[8, 16], f32[16, 4])",
        "grad(lambda a, b: product(a, b).sum())(f32[8, 16], f32[16, 4])",
        "resharded(f32[8, 16])",
        "jit(resharded)(f32[8, 16])",
        "grad(lambda a: resharded(a).sum())(f32[8, 16])",
        "vmap(resharded)(f32[2, 8, 16])",
        "product(PLACED, f32[16, 4])",
        "grad(lambda a, b: product(a, b).sum(), argnums=(0, 1))(PLACED, f32[16, 4])",
        "layers(f32[16, 16], PLACED)",
        "grad(layers)(f32[16, 16], PLACED)",
        "grad(layers)(jax.reshard(f32[16, 16], P('y', None)), PLACED)",
        "mapped(f32[8, 16])",
        "mapped(PLACED)",
        "grad(lambda x: mapped(x).sum())(PLACED)",
        "scanned(PLACED)",
        "grad(lambda x: scanned(x).sum())(PLACED)",
    ),
    """
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

jax.set_mesh(jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2))
PLACED = jax.device_put(jnp.ones((8, 16)), P("x", "y"))

def product(a, b):
    return jnp.einsum("ij,jk->ik", a, b, out_sharding=P("x", None))

def resharded(a):
    return jnp.sin(jax.reshard(a, P("x", None))) * 2.0

def layers(w, x):
    for _ in range(2):
        x = jnp.tanh(jnp.einsum("ij,jk->ik", x, w, out_sharding=P("x", "y")))
    return jnp.sum(x ** 2)

def mapped(x):
    inner = lambda b: lax.psum(jnp.sin(b), "y")
    return jax.shard_map(inner, in_specs=P("x", "y"), out_specs=P("x", None))(jax.reshard(x, P("x", "y")))

def scanned(x):
    return lax.scan(lambda c, _: (jnp.tanh(c) * 2.0, None), x, None, length=3)[0]
""",
)

_PMAP = Group(
    "pmap",
    (
        "pmap(lambda x: jnp.sin(x) * 2)(f32[8, 3])",
        "pmap(lambda x: lax.psum(x, 'i'), axis_name='i')(f32[8, 3])",
        "pmap(grad(lambda x: jnp.sin(x).sum()))(f32[8, 3])",
        "pmap(vmap(jnp.tanh))(f32[8, 2, 3])",
    ),
)

_FLAX = Group(
    "flax.linen and optax",
    (
        "grad(loss)(params, f32[2, 4])",
        "vmap(grad(loss), in_axes=(None, 0))(params, f32[3, 2, 4])",
        "grad(initialised)(f32[6, 5], i32[6] % 3)",
        "step(params, state, f32[8, 4])",
        "jit(step, donate_argnums=(0, 1))(params, state, f32[8, 4])",
        "grad(lambda p, x: recurrent.apply(p, x).sum())(recurrent_params, f32[2, 5, 3])",
        "grad(lambda p, x: attention.apply(p, x).sum())(attention_params, f32[2, 5, 8])",
        "grad(lambda p, x: dropped.apply(p, x, rngs={'dropout': jax.random.key(1)}).sum())(dropped_params, f32[3, 4])",
        "batch_norm(batch_variables, f32[5, 4])",
        "grad(lambda p, x: rematted.apply(p, x).sum())(rematted_params, f32[3, 4])",
        "grad(lambda p, x: scanned.apply(p, x)[0].sum())(scanned_params, f32[3, 4])",
        "vmap(lambda k: model.init(k, jnp.ones((2, 4))))(jax.random.split(key(0), 3))",
        "optax.projections.projection_simplex(f32[5])",
        "grad(lambda x: optax.sigmoid_binary_cross_entropy(x, jnp.ones(4)).sum())(f32[4])",
        "grad(lambda x: optax.ctc_loss(x, jnp.zeros((1, 6)), jnp.array([[1, 2]]), jnp.zeros((1, 2))).sum())(f32[1, 6, 3])",
        "optax.lbfgs().init({'w': f32[3]})",
        "lbfgs_step(f32[3])",
        "grad(lambda x: optax.losses.sigmoid_focal_loss(x, jnp.ones(4)).sum())(f32[4])",
    ),
    """
import flax.linen as nn
import optax

model = nn.Sequential([nn.Dense(8), nn.LayerNorm(), nn.gelu, nn.Dense(2)])
params = model.init(jax.random.key(0), jnp.ones((2, 4)))

def loss(p, x):
    return jnp.mean(model.apply(p, x) ** 2)

class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.gelu(nn.Dense(16)(x))
        return nn.Dense(3)(nn.LayerNorm()(x))

def initialised(x, y):
    net = Net()
    p = net.init(jax.random.key(0), x)
    return optax.softmax_cross_entropy_with_integer_labels(net.apply(p, x), y).mean()

optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
state = optimizer.init(params)

def step(params, state, x):
    value, gradient = jax.value_and_grad(loss)(params, x)
    updates, state = optimizer.update(gradient, state, params)
    return optax.apply_updates(params, updates), state, value

recurrent = nn.RNN(nn.GRUCell(4))
recurrent_params = recurrent.init(jax.random.key(0), jnp.ones((2, 5, 3)))
attention = nn.MultiHeadDotProductAttention(num_heads=2)
attention_params = attention.init(jax.random.key(0), jnp.ones((2, 5, 8)))
dropped = nn.Sequential([nn.Dense(8), nn.Dropout(0.5, deterministic=False), nn.Dense(2)])
dropped_params = dropped.init({"params": jax.random.key(0), "dropout": jax.random.key(1)}, jnp.ones((3, 4)))
norm = nn.BatchNorm(use_running_average=False)
batch_variables = norm.init(jax.random.key(0), jnp.ones((5, 4)))

def batch_norm(variables, x):
    return norm.apply(variables, x, mutable=["batch_stats"])

rematted = nn.remat(Net)()
rematted_params = rematted.init(jax.random.key(0), jnp.ones((3, 4)))

class Cell(nn.Module):
    @nn.compact
    def __call__(self, x, _):
        return nn.tanh(nn.Dense(4)(x)), None

class Scanned(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.scan(Cell, variable_axes={"params": 0}, split_rngs={"params": True}, length=3)()(x, None)

scanned = Scanned()
scanned_params = scanned.init(jax.random.key(0), jnp.ones((3, 4)))

def lbfgs_step(x):
    solver = optax.lbfgs()
    f = lambda v: jnp.sum((v - 1) ** 4)
    s = solver.init(x)
    value, gradient = optax.value_and_grad_from_state(f)(x, state=s)
    updates, s = solver.update(gradient, s, x, value=value, grad=gradient, value_fn=f)
    return optax.apply_updates(x, updates), s
""",
)

_NNX = Group(
    "flax.nnx",
    (
        "plain(*nnx.split(model), f32[4, 3])",
        "grad(functional)(weights, f32[4, 3])",
        "vmap(grad(functional), in_axes=(None, 0))(weights, f32[2, 4, 3])",
        "jitted(model, f32[4, 3])",
        "train(model, f32[4, 3])",
        "loss(model, f32[4, 3])",
        "gradient(model, f32[4, 3])",
        "jitted_step(model, optimizer, f32[4, 3])",
        "mapped(model, f32[2, 4, 3])",
    ),
    """
from flax import nnx
import optax

class Net(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(3, 8, rngs=rngs)
        self.norm = nnx.LayerNorm(8, rngs=rngs)
        self.last = nnx.Linear(8, 2, rngs=rngs)

    def __call__(self, x):
        return self.last(nnx.relu(self.norm(self.first(x))))

model = Net(nnx.Rngs(0))
graph, weights = nnx.split(model)
optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)

def plain(graph, weights, x):
    return nnx.merge(graph, weights)(x)

def functional(weights, x):
    return jnp.mean(nnx.merge(graph, weights)(x) ** 2)

def loss(model, x):
    return jnp.mean(model(x) ** 2)

@nnx.jit
def jitted(model, x):
    return model(x)

@nnx.jit
def train(model, x):
    return nnx.value_and_grad(loss)(model, x)

@nnx.jit
def jitted_step(model, optimizer, x):
    value, gradient = nnx.value_and_grad(loss)(model, x)
    optimizer.update(model, gradient)
    return value

gradient = nnx.grad(loss)

def mapped(model, x):
    return nnx.vmap(lambda m, v: m(v), in_axes=(None, 0))(model, x)
""",
)

_EQUINOX = Group(
    "equinox, lineax, optimistix, diffrax",
    (
        "grad(eqx_loss)(weights, f32[5, 3])",
        "eqx_loss(weights, f32[5, 3])",
        "vmap(grad(eqx_loss), in_axes=(None, 0))(weights, f32[2, 5, 3])",
        "grad(linear)(f32[4, 4], f32[4])",
        "vmap(linear, in_axes=(None, 0))(f32[4, 4], f32[3, 4])",
        "grad(linear_cg)(f32[4, 4], f32[4])",
        "grad(linear_gmres)(f32[4, 4], f32[4])",
        "jacrev(least_squares)(f32[5, 3], f32[5])",
        "grad(find_root)(f32[()])",
        "vmap(grad(find_root))(f32[3])",
        "grad(fixed_point)(f32[()])",
        "grad(minimise)(f32[()])",
        "grad(fit)(f32[3])",
        "grad(decay)(f32[3], f32[()])",
        "vmap(grad(decay), in_axes=(0, None))(f32[2, 3], f32[()])",
        "grad(decay_backsolve)(f32[3], f32[()])",
        "grad(decay_implicit)(f32[3], f32[()])",
        "sde(f32[2], key(0))",
        "grad(checked)(f32[4])",
        "grad(eqx_rule)(f32[4])",
        "grad(while_checkpointed)(f32[3])",
        "value_and_grad(filtered, has_aux=True)(weights, f32[5, 3])",
    ),
    """
import equinox as eqx
import lineax as lx
import optimistix as optx
import diffrax

mlp = eqx.nn.MLP(3, 2, 16, 2, key=jax.random.key(0))
weights, rest = eqx.partition(mlp, eqx.is_array)

def eqx_loss(weights, x):
    return jnp.mean(jax.vmap(eqx.combine(weights, rest))(x) ** 2)

def linear(a, b):
    a = a @ a.T + jnp.eye(len(b))
    return lx.linear_solve(lx.MatrixLinearOperator(a), b).value.sum()

def linear_cg(a, b):
    a = a @ a.T + jnp.eye(len(b))
    operator = lx.MatrixLinearOperator(a, lx.positive_semidefinite_tag)
    return lx.linear_solve(operator, b, lx.CG(1e-5, 1e-5)).value.sum()

def linear_gmres(a, b):
    operator = lx.FunctionLinearOperator(lambda v: a @ v + 5 * v, jax.eval_shape(lambda: b))
    return lx.linear_solve(operator, b, lx.GMRES(1e-5, 1e-5), throw=False).value.sum()

def least_squares(a, b):
    return lx.linear_solve(lx.MatrixLinearOperator(a), b, lx.QR()).value

def find_root(c):
    return optx.root_find(lambda y, c: y - jnp.tanh(y + c + 1), optx.Newton(1e-5, 1e-5), 0.0, c).value

def fixed_point(c):
    return optx.fixed_point(lambda y, c: jnp.cos(c * y), optx.FixedPointIteration(1e-4, 1e-4), 0.5, c).value

def minimise(c):
    return optx.minimise(lambda y, c: (y - c) ** 2, optx.BFGS(1e-4, 1e-4), 0.0, c, throw=False).value

def fit(c):
    residual = lambda y, c: y ** 2 - c
    return optx.least_squares(residual, optx.LevenbergMarquardt(1e-3, 1e-3), jnp.ones(3), c, throw=False).value.sum()

term = diffrax.ODETerm(lambda t, y, rate: -rate * y)

def decay(y, rate):
    solution = diffrax.diffeqsolve(term, diffrax.Tsit5(), 0.0, 1.0, 0.1, y, args=rate, max_steps=64)
    return jnp.sum(solution.ys)

def decay_backsolve(y, rate):
    solution = diffrax.diffeqsolve(term, diffrax.Tsit5(), 0.0, 1.0, 0.1, y, args=rate, max_steps=64, adjoint=diffrax.BacksolveAdjoint())
    return jnp.sum(solution.ys)

def decay_implicit(y, rate):
    solution = diffrax.diffeqsolve(term, diffrax.Kvaerno3(), 0.0, 1.0, 0.1, y, args=rate, max_steps=32, stepsize_controller=diffrax.PIDController(1e-2, 1e-2), throw=False)
    return jnp.sum(solution.ys)

def sde(y, key):
    path = diffrax.VirtualBrownianTree(0.0, 1.0, 0.1, (2,), key)
    terms = diffrax.MultiTerm(diffrax.ODETerm(lambda t, y, a: -y), diffrax.ControlTerm(lambda t, y, a: lx.DiagonalLinearOperator(0.1 * jnp.ones(2)), path))
    return diffrax.diffeqsolve(terms, diffrax.Euler(), 0.0, 1.0, 0.1, y, max_steps=16).ys

def checked(x):
    x = eqx.error_if(x, jnp.any(x > 100), "too large")
    return jnp.sum(x ** 2)

@eqx.filter_custom_vjp
def ruled(x):
    return jnp.sum(jnp.sin(x))

@ruled.def_fwd
def ruled_fwd(perturbed, x):
    return jnp.sum(jnp.sin(x)), jnp.cos(x)

@ruled.def_bwd
def ruled_bwd(kept, g, perturbed, x):
    return kept * g * 2.0

def eqx_rule(x):
    return ruled(x * 2.0)

def while_checkpointed(x):
    import equinox.internal as eqxi
    step = lambda s: (s[0] + 1, jnp.tanh(s[1]) * 1.1)
    return eqxi.while_loop(lambda s: s[0] < 4, step, (0, x), max_steps=8, kind="checkpointed")[1].sum()

def filtered(weights, x):
    y = jax.vmap(eqx.combine(weights, rest))(x)
    return jnp.mean(y ** 2), y
""",
)

_NUMPYRO = Group(
    "numpyro",
    (
        "grad(density)(f32[()], f32[8], f32[8])",
        "vmap(grad(density), in_axes=(0, None, None))(f32[3], f32[8], f32[8])",
        "grad(potential)({'slope': f32[()], 'noise': f32[()]}, f32[8], f32[8])",
        "sampled(key(0), f32[8])",
        "vmap(sampled, in_axes=(0, None))(jax.random.split(key(0), 2), f32[8])",
        "grad(lambda a: dist.Gamma(a, 1.0).log_prob(2.0))(f32[()] ** 2 + 1.0)",
        "grad(lambda a: dist.Dirichlet(a).sample(jax.random.key(0)).sum())(f32[3] ** 2 + 1.0)",
        "grad(lambda l: dist.LKJCholesky(3, l).log_prob(jnp.eye(3)))(f32[()] ** 2 + 1.0)",
        "elbo(key(0), f32[8], f32[8])",
        "leapfrog(f32[3], f32[3])",
        "grad(mixture)(f32[3], f32[5])",
        "grad(transformed)(f32[4])",
    ),
    """
import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal
from numpyro.infer.util import log_density, potential_energy
from numpyro.infer.hmc_util import velocity_verlet

def model(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    noise = numpyro.sample("noise", dist.HalfNormal(1.0))
    with numpyro.plate("data", len(x)):
        numpyro.sample("y", dist.Normal(slope * x, noise + 0.1), obs=y)

def density(slope, x, y):
    return log_density(model, (x, y), {}, {"slope": slope, "noise": jnp.ones(())})[0]

def potential(values, x, y):
    return potential_energy(model, (x, y), {}, values)

def sampled(key, x):
    return Predictive(model, num_samples=2)(key, x)

def elbo(key, x, y):
    guide = AutoNormal(model)
    svi = SVI(model, guide, numpyro.optim.Adam(0.1), Trace_ELBO())
    state = svi.init(key, x, y)
    return svi.update(state, x, y)[1]

def leapfrog(z, r):
    init, update = velocity_verlet(lambda q: jnp.sum(q ** 2), lambda m, p: jnp.sum(p ** 2) / 2)
    return update(0.1, jnp.ones(3), init(z, r)).z

def mixture(logits, x):
    parts = dist.Normal(jnp.arange(3.0), 1.0)
    return dist.MixtureSameFamily(dist.Categorical(logits=logits), parts).log_prob(x).sum()

def transformed(x):
    flow = dist.TransformedDistribution(dist.Normal(0.0, 1.0), [dist.transforms.ExpTransform(), dist.transforms.AffineTransform(1.0, 2.0)])
    return flow.log_prob(jnp.exp(x) * 2.0 + 1.1).sum()
""",
)

_HAIKU = Group(
    "haiku",
    (
        "grad(loss)(params, f32[5, 4])",
        "vmap(grad(loss), in_axes=(None, 0))(params, f32[2, 5, 4])",
        "net.apply(params, key(0), f32[5, 4])",
        "grad(lambda p, x: recurrent.apply(p, None, x).sum())(recurrent_params, f32[6, 2, 4])",
        "batch_norm(bn_params, bn_state, f32[5, 4])",
        "grad(lambda p: attention.apply(p, None, jnp.ones((2, 5, 8))).sum())(attention_params)",
        "jit(grad(loss))(params, f32[5, 4])",
    ),
    """
import haiku as hk

net = hk.transform(lambda x: hk.nets.MLP([16, 8, 2])(hk.LayerNorm(-1, True, True)(x)))
params = net.init(jax.random.key(0), jnp.ones((5, 4)))

def loss(p, x):
    return jnp.mean(net.apply(p, jax.random.key(0), x) ** 2)

def unroll(x):
    core = hk.LSTM(8)
    return hk.dynamic_unroll(core, x, core.initial_state(2))[0]

recurrent = hk.transform(unroll)
recurrent_params = recurrent.init(jax.random.key(0), jnp.ones((6, 2, 4)))
bn = hk.transform_with_state(lambda x: hk.BatchNorm(True, True, 0.9)(x, is_training=True))
bn_params, bn_state = bn.init(None, jnp.ones((5, 4)))

def batch_norm(params, state, x):
    return bn.apply(params, state, None, x)

attention = hk.transform(lambda x: hk.MultiHeadAttention(2, 4, w_init=hk.initializers.VarianceScaling())(x, x, x))
attention_params = attention.init(jax.random.key(0), jnp.ones((2, 5, 8)))
""",
)

_JAXOPT = Group(
    "jaxopt",
    (
        "grad(ridge)(f32[()] ** 2 + 1.0)",
        "grad(fixed)(f32[()])",
        "grad(bisected)(f32[()] ** 2 + 1.0)",
        "grad(projected)(f32[4])",
        "vmap(grad(ridge))(f32[2] ** 2 + 1.0)",
    ),
    """
import jaxopt

X = jnp.asarray(np.random.default_rng(0).normal(size=(8, 3)), jnp.float32)
Y = jnp.asarray(np.random.default_rng(1).normal(size=8), jnp.float32)

def ridge(strength):
    def objective(w, strength):
        return jnp.mean((X @ w - Y) ** 2) + strength * jnp.sum(w ** 2)
    solver = jaxopt.GradientDescent(objective, maxiter=20, implicit_diff=True)
    return solver.run(jnp.zeros(3), strength=strength).params.sum()

def fixed(c):
    solver = jaxopt.FixedPointIteration(lambda x, c: jnp.cos(c * x), maxiter=20, implicit_diff=True)
    return solver.run(0.5, c).params

def bisected(c):
    solver = jaxopt.Bisection(lambda x, c: x ** 3 - c, 0.0, 20.0, maxiter=20, check_bracket=False)
    return solver.run(None, c).params

def projected(x):
    return jnp.sum(jaxopt.projection.projection_simplex(x) ** 2)
""",
)

_SOLVERS = Group(
    "solvers, callbacks and rules inside of transforms",
    (
        "grad(density)(Normal(f32[3], f32[3] + 1), f32[3])",
        "vmap(density, in_axes=(None, 0))(Normal(f32[()], f32[()] + 1), f32[4])",
        "vmap(grad(root))(f32[4] ** 2 + 1.0)",
        "vmap(grad(solve, argnums=(0, 1)), in_axes=(None, 0))(f32[3, 3] + 3 * jnp.eye(3), f32[2, 3])",
        "callbacks(f32[3])",
        "grad(nested)(f32[3])",
        "grad(policies)(f32[4], f32[4, 4])",
        "grad(offload)(f32[4], f32[4, 4])",
        "vmap(batched, in_axes=(0, None))(f32[3, 4], f32[4])",
        "vmap(looped)(f32[3, 4])",
        "vmap(grad(through_powered))(f32[2, 3])",
        "linearized(f32[3])",
        "vmap(pulled)(f32[2, 3])",
        "grad(lambda x: descent(x).sum())(f32[3])",
        "grad(scanned)(f32[6])",
        "vectorized(f32[2, 3], f32[3])",
        "jacfwd(vectorized)(f32[3], f32[3])",
        "ufunc.reduce(f32[3, 4], axis=1, keepdims=True)",
        "ufunc.accumulate(f32[3, 4], axis=0)",
        "ufunc.outer(f32[3], f32[2])",
        "jnp.add.reduceat(f32[8], np.array([0, 3]), axis=0)",
    ),
    """
from jax.experimental import io_callback
from jax.custom_batching import custom_vmap
import dataclasses

@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Normal:
    loc: jax.Array
    scale: jax.Array
    name: str = dataclasses.field(metadata=dict(static=True), default="n")
    def log_prob(self, x): return -0.5 * ((x - self.loc) / self.scale) ** 2 - jnp.log(self.scale)

def density(d, x): return d.log_prob(x).sum()

def root(c):
    f = lambda x: x ** 3 - c
    return lax.custom_root(f, jnp.ones_like(c), lambda f, x0: lax.fori_loop(0, 20, lambda i, x: x - f(x) / (3 * x ** 2), x0), lambda g, y: y / g(1.0))

def solve(a, b):
    mv = lambda x: a @ x
    return lax.custom_linear_solve(mv, b, lambda mv, b: jnp.linalg.solve(a, b), transpose_solve=lambda vm, b: jnp.linalg.solve(a.T, b)).sum()

def callbacks(x):
    def step(c, i):
        jax.debug.print("{}", c[0])
        c = c + jax.pure_callback(lambda v: np.asarray(v) * 2, jax.ShapeDtypeStruct(c.shape, c.dtype), c)
        io_callback(lambda v: None, None, c, ordered=True)
        return c, c.sum()
    return lax.scan(step, x, jnp.arange(3))

@functools.partial(jax.jit, static_argnums=1, donate_argnums=0)
def inner(x, n): return jnp.sin(x) * n
def nested(x): return inner(inner(x, 2), 3).sum()

def policies(x, w):
    f = jax.checkpoint(lambda x: jnp.sin(w @ jnp.tanh(w @ x)), policy=jax.checkpoint_policies.dots_saveable)
    return f(f(x)).sum()

def offload(x, w):
    from jax.ad_checkpoint import checkpoint_name
    f = jax.checkpoint(lambda x: jnp.sin(checkpoint_name(w @ x, "a")), policy=jax.checkpoint_policies.save_only_these_names("a"))
    return f(f(x)).sum()

@custom_vmap
def batched(x, y): return jnp.sin(x) @ y
@batched.def_vmap
def batched_rule(size, is_batched, x, y):
    return jax.vmap(lambda a: jnp.sin(a) @ y)(x), True
@custom_vmap
def looped(x): return jnp.sin(x) * x.sum()
@looped.def_vmap
def looped_rule(size, is_batched, x):
    return lax.map(looped, x), True

@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 2))
def powered(f, x, n): return f(x) ** n
def powered_forward(f, x, n): return powered(f, x, n), x
def powered_backward(f, n, x, g): return (g * n * f(x) ** (n - 1),)
powered.defvjp(powered_forward, powered_backward)
def through_powered(x): return powered(jnp.sin, x, 3).sum()

@jax.jit
def linearized(x):
    y, push = jax.linearize(lambda v: jnp.sin(v) * v, x)
    return push(jnp.ones_like(x)) + push(y)
@jax.jit
def pulled(x):
    y, pull = jax.vjp(lambda v: jnp.tanh(v) @ v, x)
    return pull(y)[0]
def descent(x): return lax.fori_loop(0, 4, lambda i, v: v - 0.1 * jax.grad(lambda u: (jnp.cos(u) ** 2).sum())(v), x)
def scanned(x): return lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, jnp.sin(x)))[1].sum()
vectorized = jnp.vectorize(lambda a, b: jnp.dot(a, b), signature="(n),(n)->()")
ufunc = jnp.frompyfunc(lambda a, b: a * b + 1, nin=2, nout=1, identity=1)
""",
)

_OTHERS = Group(
    "rules that call their function, and other ways to evaluate",
    (
        "grad(mapped)(f32[4])",
        "vmap(callbacks)(f32[2, 3])",
        "grad(through_clipped)(f32[3])",
        "grad(trajectory, argnums=(0, 1))(f32[2], f32[()])",
        "grad(taylor)(f32[3])",
        "vmap(pallas)(f32[2, 4])",
        "grad(sparse_product, argnums=1)(f32[2, 2], f32[2])",
        "grad(apply, argnums=1)(Partial(jnp.sin), f32[3])",
        "transposed(f32[4, 3], f32[2, 4])",
        "vmap(converged)(f32[2, 3])",
        "hessian(through_applied)(f32[3])",
        "vmap(grad(through_applied))(f32[2, 3])",
        "grad(through_divided)(f32[3])",
        "jit(hessian(jit(through_divided)))(f32[3])",
        "grad(checkpoint(through_divided))(f32[3])",
        "jvp(jit(through_divided), (f32[3],), (f32[3],))",
        "grad(through_kept)(f32[3])",
        "jit(value_and_grad(jit(through_kept)))(f32[3])",
    ),
    """
from jax.sharding import PartitionSpec as P, AxisType
from jax.experimental.ode import odeint
from jax.experimental import jet, sparse
from jax.experimental import pallas as pl
from jax.tree_util import Partial

def mapped(x):
    mesh = jax.make_mesh((1,), ("i",), devices=jax.devices()[:1], axis_types=(AxisType.Auto,))
    return jax.shard_map(lambda v: lax.psum(jnp.sin(v), "i"), mesh=mesh, in_specs=P("i"), out_specs=P())(x).sum()
def callbacks(x):
    def step(c, i):
        c = c + jax.pure_callback(lambda v: np.asarray(v) * 2, jax.ShapeDtypeStruct(c.shape, c.dtype), c, vmap_method="sequential")
        return c, c.sum()
    return lax.scan(step, x, jnp.arange(3))
@jax.custom_gradient
def clipped(x): return jnp.sin(x), lambda g: (jnp.clip(g, -0.1, 0.1) * jnp.cos(x),)
def through_clipped(x): return lax.scan(lambda c, _: (clipped(c), None), x, None, length=3)[0].sum()
def trajectory(y, w): return odeint(lambda y, t, w: -w * y, y, jnp.linspace(0.0, 1.0, 3), w)[-1].sum()
def taylor(x): return jet.jet(jnp.sin, (x,), ((jnp.ones_like(x), jnp.zeros_like(x)),))[1][0].sum()
def kernel(a, o): o[...] = jnp.sin(a[...]) * 2
def pallas(x): return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)
def sparse_product(x, v):
    m = sparse.BCOO.fromdense(x, nse=4)
    return (m @ v).sum()
def apply(f, x): return f(x).sum()
def transposed(x, y): return jax.linear_transpose(lambda v: v @ x, y)(jnp.ones((2, 3)))[0]
def converged(x):
    f, consts = jax.closure_convert(lambda v: jnp.sin(v) * x, x)
    return lax.while_loop(lambda c: c[1] < 3, lambda c: (f(c[0], *consts), c[1] + 1), (x, 0))[0]
@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def applied(f, x): return f(x) * 2
@applied.defjvp
def applied_rule(f, primals, tangents):
    (x,), (t,) = primals, tangents
    return applied(f, x), 2 * jax.jvp(f, (x,), (t,))[1]
def through_applied(x): return jax.jit(lambda v: applied(jnp.tanh, applied(jnp.sin, v)))(x).sum()
@jax.custom_jvp
def divided(x): return lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x)
divided.defjvps(lambda t, y, x: t * y)
@jax.custom_jvp
def kept(x): return jnp.where(x > 0, x, 0 * x)
@kept.defjvp
def kept_rule(p, t): return kept(*p), jnp.where(p[0] > 0, t[0], 0 * t[0])
def through_kept(x): return kept(x).sum()
def through_divided(x): return lax.fori_loop(0, 3, lambda i, c: divided(c), x).sum()
""",
)

_SHARED_WITH_RULES = Group(
    "functions that the base and rules share, and what derivatives keep",
    (
        "grad(both)(f32[4])",
        "jit(grad(jit(both)))(f32[4])",
        "linearize(both, f32[4])",
        "grad(checkpoint(both))(f32[4])",
        "vmap(grad(both))(f32[3, 4])",
        "jacfwd(grad(pushes))(f32[4])",
        "grad(backward)(f32[4])",
        "hessian(backward)(f32[4])",
        "jvp(pushes, (f32[4],), (f32[4],))",
        "grad(in_scan)(f32[4])",
        "grad(eigen)(f32[4, 4])",
        "linearize(lambda x: jax.linearize(cube, x)[1](x), f32[3])",
        "vjp(lambda x: jax.vjp(cube, x)[1](x)[0], f32[3])",
    ),
    """
def cube(x): return x * x * x + jnp.tanh(x)
def pick(x): return jnp.where(jnp.arange(4) > 1, jnp.ones(4), jnp.zeros(4)) * x
@jax.jit
def inner(x): return jnp.sin(x) * x
@jax.custom_vjp
def rule(x): return pick(x) + inner(x)
def picked_loop(x):
    step = lambda c: (c[0] + 1, inner(c[1]) * pick(c[1]))
    return lax.while_loop(lambda c: c[0] < 3, step, (0, x))[1]
rule.defvjp(
    lambda x: (rule(x) + 0 * pick(jnp.ones(4)).sum(), picked_loop(x)),
    lambda kept, g: (g * inner(kept) + pick(jnp.ones(4)),),
)
def both(x): return (pick(x) * rule(x) + inner(x)).sum()
@jax.custom_vjp
def twice(x): return x * 2
twice.defvjp(lambda x: (x * 2, x), lambda kept, g: (pick(inner(kept)) * g,))
def backward(x): return (twice(x) * pick(x) + inner(x) + inner(jnp.ones(4))).sum()
@jax.custom_jvp
def pushed(x): return inner(x)
@pushed.defjvp
def pushed_rule(x, t): return pushed(*x), pick(inner(x[0])) * t[0]
def pushes(x): return (pushed(x) * pick(x) * inner(x) * inner(lax.stop_gradient(x))).sum()
def in_scan(x):
    step = lambda c, _: (pushed(c) * rule(c) * pick(lax.stop_gradient(c)), inner(c))
    return lax.scan(step, x, None, length=3)[0].sum() + both(x)
def eigen(x):
    v, w = jnp.linalg.eigh(x + x.T)
    return (v * jnp.where(v > 0, v, 0)).sum() + jnp.linalg.det(x) + jnp.linalg.norm(w)
""",
)

_UNNAMED = Group(
    "calls without a name in what JAX inlines",
    (
        "outer(f32[8])",
        "grad(lambda x: outer(x).sum())(f32[8])",
        "looped(f32[8])",
        "grad(remat)(f32[8])",
        "jit(random)(f32[8], key(0))",
    ),
    """
def helper(x): return jnp.argmax(x)
@jax.custom_jvp
def rule(x): return x * helper(x)
@rule.defjvp
def pushed_rule(p, t): return rule(*p), t[0] * helper(p[0])
@jax.jit
def inner(x): return rule(x) + helper(x * 2)
def outer(x): return inner(x) + inner(x * 3)
@jax.jit
def deep(x):
    with jax.named_scope("helper"):
        return rule(rule(x)) * helper(x)
def looped(x): return lax.scan(lambda c, _: (deep(c), rule(c)), deep(x), None, length=3)
@jax.checkpoint
def remat(x): return looped(x)[0].sum()
@jax.jit
def random(x, k): return rule(x) + rule(jax.random.normal(k, (8,)))
""",
)

GROUPS = (
    *(_NUMPY, _SCIPY, _NN, _RANDOM, _CONTROL, _RULES, _CALLBACKS, _TREES, _SPARSE, _SHARDED),
    *(_EXPLICIT, _PMAP, _FLAX, _NNX, _EQUINOX, _NUMPYRO, _HAIKU, _JAXOPT, _SOLVERS, _OTHERS),
    *(_SHARED_WITH_RULES, _UNNAMED),
)
