"""No fate that XLA's own dumps refute: library calls, and the kinds of program that misled before.

`bench/fates.py` does the same for every call of the samples and of the benchmarks.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.model import Capture
from jaxscope.worker.call import call_namespace, parse_call
from jaxscope.worker.user_module import execute_file
from tests.fates.compiled_calls import capture_call, hold_against_dumps

PROGRAMS = Path(__file__).with_name("told_wrong.py")

OWN = (
    "small_loop(f32[8, 8], f32[8], f32[10, 8])",
    "power(f32[6, 6], f32[6])",
    "grad(summed_loop)(f32[8, 8], f32[8], f32[10, 8])",
    "same_sum_twice(f32[64])",
    "three_relus(f32[64, 64], f32[64, 64], f32[64, 64], f32[64, 64])",
    "one_function_three_times(f32[64])",
    "two_triangles(f32[32, 32])",
    "grad(solve_and_determinant)(f32[4, 4], f32[4])",
    "two_softmaxes(f32[32])",
    "grad(dropped)(f32[32], key(0))",
    "counted(f32[64])",
)

LIBRARY = (
    "jax.nn.gelu(f32[16, 8])",
    "grad(lambda x: jax.nn.silu(x).sum())(f32[16])",
    "jax.nn.log_softmax(f32[4, 8])",
    "(lambda x: jax.nn.one_hot(x, 10))(i32[6])",
    "jax.nn.standardize(f32[4, 8])",
    "jnp.linalg.inv(f32[4, 4])",
    "jnp.linalg.qr(f32[5, 3])",
    "jnp.linalg.svd(f32[4, 3])",
    "grad(lambda a: jnp.linalg.slogdet(a)[1])(f32[4, 4])",
    "jnp.linalg.norm(f32[5, 6])",
    "jnp.cumsum(f32[32])",
    "jnp.sort(f32[33])",
    "jnp.median(f32[17])",
    "jnp.percentile(f32[17], 30.0)",
    "(lambda x: jnp.histogram(x, bins=5))(f32[40])",
    "(lambda a, b, c: jnp.einsum('ij,jk,kl->il', a, b, c))(f32[4, 5], f32[5, 6], f32[6, 7])",
    "jnp.interp(f32[9], f32[5], f32[5])",
    "jnp.unwrap(f32[12])",
    "jnp.convolve(f32[16], f32[5])",
    "jnp.fft.rfft(f32[32])",
    "(lambda x, y: jnp.polyfit(x, y, 2))(f32[8], f32[8])",
    "jnp.cov(f32[4, 9])",
    "jnp.where(f32[8] > 0, f32[8], 0.0)",
    "vmap(jnp.dot)(f32[3, 5], f32[3, 5])",
    "jacfwd(jnp.tanh)(f32[4])",
    "hessian(lambda x: (jnp.sin(x) * x).sum())(f32[4])",
    "(lambda x: jax.lax.associative_scan(jnp.add, x))(f32[16])",
    "(lambda x: jax.lax.map(lambda y: jnp.exp(y) / 3, x))(f32[5])",
    "(lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (4,), (2,), 'VALID'))(f32[16])",
    "(lambda k: jax.random.normal(k, (8,)))(key(0))",
    "(lambda k: jax.random.permutation(k, 9))(key(0))",
    "jax.scipy.special.gammaln(f32[6])",
    "jax.scipy.stats.norm.logpdf(f32[6])",
    "(lambda x, i: jax.ops.segment_sum(x, i, num_segments=10))(f32[12], i32[12])",
)


@pytest.mark.slow
@pytest.mark.parametrize("text", [*OWN, *LIBRARY])
def test_no_fate_is_refuted_by_what_xla_dumps(text: str) -> None:
    namespace = call_namespace(vars(execute_file(str(PROGRAMS), PROGRAMS.read_text("utf-8"))))
    call = parse_call(text, namespace, file=str(PROGRAMS))
    capture = capture_call(call, str(PROGRAMS))
    assert isinstance(capture, Capture)
    for way, verdicts in hold_against_dumps(capture, call).items():
        assert verdicts.refuted == (), way
        if way == "recorded":
            assert verdicts.proven > 0
