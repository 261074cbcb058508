"""Files that are timed: plain functions, and such as meddle with the process."""

PROGRAMS = """
import time
import jax, jax.numpy as jnp

calls = 0

def plain(x):
    return jnp.sum(jnp.sin(x) ** 2)

def fails_later(x):
    global calls
    calls += 1
    if calls == 300:
        raise ValueError("the data ran out")
    return x + 1

def fails_soon(x):
    global calls
    calls += 1
    if calls == 58:  # the 57th call, since tracing is one
        raise ValueError("the data ran out")
    return x + 1

def always_fails(x):
    raise ValueError("no data at all")

def calls_back(x):
    def host(value):
        global calls
        calls += 1
        if calls > 56:
            raise RuntimeError("the host is gone")
        return value
    return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

def traces_each_time(x):
    return jax.jit(lambda y: y * 2)(x)

def sleeps(x):
    time.sleep(0.001)
    return x

def sleeps_long(x):
    time.sleep(0.55)
    return x

def works(x):
    return x @ x @ x

def masked(x):
    return x[x > 0]

def masked_slowly(x):
    time.sleep(0.55)
    return x[x > 0]

def repeated(x, n):
    for _ in range(n):
        x = x * 2
    return x

def odd(x):
    return jnp.log(-x) / x

def nothing(x):
    return x

def constant():
    return 7

def consume(x):
    return x + 1

@jax.jit
def jitted(x):
    return jnp.sum(x * 2)

def wraps_jit(x):
    return jitted(x)
"""

MEDDLING = """
import threading, time
import jax.numpy as jnp

threading.Thread(target=time.sleep, args=(60,), name="ticking", daemon=True).start()
time.perf_counter = time.perf_counter_ns = lambda: 0

def f(x):
    return jnp.sin(x)
"""

MEDDLING_LATER = """
import threading, time
import jax, jax.numpy as jnp

def f(x):
    if not isinstance(x, jax.core.Tracer):
        threading.Thread(target=time.sleep, args=(0.3,), name="ticking", daemon=True).start()
        time.perf_counter = lambda: 5.0
    return jnp.sin(x)
"""
