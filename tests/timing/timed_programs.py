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
    if calls == 6:  # the 5th call, since tracing is one
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

@jax.jit
def jitted(x):
    return jnp.sum(jnp.sin(x) ** 2)

def plain_copy(x):
    return x + 1

def scans_anew(x):
    return jax.lax.scan(lambda c, _: (jnp.sin(c), None), x, None, length=3)[0]

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

def waits(x):
    def host(value):
        time.sleep(0.1 if is_traced else 0.35)
        return value
    is_traced = isinstance(x, jax.core.Tracer)
    return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

def waits_compiled(x):
    def host(value):
        time.sleep(0.25)
        return value
    return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
"""

DIFFERENT_WORK = """
import collections, functools, itertools, logging, math, os, random, string, time, types
import jax, jax.numpy as jnp, numpy as np

cache, log, last = {}, [], None
generator = np.random.default_rng(0)
own = random.Random(1)

def caching(x):
    if x.shape not in cache:
        cache[x.shape] = jnp.sin(x)
    return cache[x.shape]

def prints(x):
    print("called")
    return x + 1

def sleeps(x):
    time.sleep(0.001)
    return x + 1

def draws(x):
    return x + generator.normal()

def draws_global(x):
    return x + np.random.rand()

def draws_python(x):
    return x + own.random()

def counts(x):
    log.append(1)
    return x + 1

def rebinds(x):
    global last
    last = x.shape
    return x + 1

def calls_another(x):
    return counts(x) * 2

class Model:
    def __init__(self):
        self.steps = 0
        self.generator = np.random.default_rng(0)
    def __call__(self, x):
        self.steps += 1
        return x + 1
    def noisy(self, x):
        return x + self.generator.normal()

model = Model()

def make():
    steps = [0]
    def inner(x):
        steps[0] += 1
        return x + 1
    return inner

closed = make()
ticks = iter(range(10**9))

def iterates(x):
    return x + next(ticks)

def generates(x):
    yield x + 1

async def awaits(x):
    return x + 1

def in_a_list(x):
    return [x + 1, (y for y in x)]

def logs(x):
    logger.warning("called")
    return x + 1

logger = logging.getLogger("steps")
logger.addHandler(logging.StreamHandler())

def saves(x):
    with open(os.devnull, "a") as file:
        file.write("called")
    return x + 1

system = random.SystemRandom()

def draws_from_the_system(x):
    return x + system.random()

class Statistics:
    calls = 0

def counts_in_a_class(x):
    Statistics.calls += 1
    return x + 1

def counted(function):
    @functools.wraps(function)
    def wrapper(x):
        wrapper.calls += 1
        return function(x)
    wrapper.calls = 0
    return wrapper

@counted
def counts_in_a_decorator(x):
    return x + 1

def counts_in_a_default(x, seen=[]):
    seen.append(1)
    return x + 1

nested = {"a": {"b": [0]}}

def counts_deep_inside(x):
    nested["a"]["b"][0] += 1
    return x + 1

class Outer:
    def __init__(self):
        self.inner = Model()
    def __call__(self, x):
        return self.inner(x)

outer = Outer()

def counts_in_a_part(x):
    return outer(x)

numbers = itertools.count()

def counts_by_an_iterator(x):
    next(numbers)
    return x + 1

def make_batches():
    while True:
        yield np.ones(4, np.float32)

batches = make_batches()

def takes_a_batch(x):
    return x + next(batches)

pipeline = {"augment": np.random.default_rng(0)}

def draws_from_a_part(x):
    pipeline["augment"].normal()
    return x + 1

remembered = {}

def remembers(x):
    if isinstance(x, jax.core.Tracer):
        return jnp.sin(x)
    key = np.asarray(x).tobytes()
    if key not in remembered:
        remembered[key] = jnp.sin(x)
    return remembered[key]

def maps(x):
    return map(jnp.sin, [x, x])

def another_shape(x):
    return x + 1 if isinstance(x, jax.core.Tracer) else jnp.concatenate([x, x])

class Layer:
    def __init__(self):
        self.calls = 0
        self.weights = jnp.ones(4)
    def __call__(self, x):
        self.calls += 1
        return x * self.weights

class Slotted:
    __slots__ = ("last",)

def changes_dict(state, x):
    state["count"] = state["count"] + 1
    return x + 1

def changes_list(made, x):
    made.append(x.shape)
    return x + 1

def changes_inside(parts, x):
    parts["seen"][0].add(len(parts["seen"][0]))
    return x + 1

def changes_array(host, x):
    if isinstance(host, np.ndarray):
        host[1] += 1.0
    return x + 1

def changes_object(layer, x):
    return layer(x)

def changes_slot(slotted, x):
    slotted.last = object()
    return x + 1

def draws_from(numbers, x):
    numbers.normal()
    return x + 1

def takes_away(state, x):
    state.pop("count")
    return x + 1

# None of these does other work eagerly.

def leaves_alone(layer, parts, host, x):
    parts = dict(parts, more=[1])
    return x * layer.weights + jnp.asarray(host)

class Lazy:
    @functools.cached_property
    def table(self):
        return np.arange(4)

def fills_once(lazy, x):
    return x + lazy.table

@functools.lru_cache
def table(n):
    return np.arange(n)

def sets_the_environment(x):
    os.environ["TEST_STEPS"] = os.environ.get("TEST_STEPS", "") + "I"
    return x * 2.0

def sets_a_librarys_attribute(x):
    string.capwords = lambda text: text
    return x * 2.0

def adds_to_a_librarys_attribute(x):
    string.whitespace += " "
    return x * 2.0

def reads_libraries(x):
    box = types.SimpleNamespace()
    box.digits = string.digits
    box.printable, string_of = 1, string
    string_of.printable.strip()
    return x * len(box.digits) * math.pi

def looks_up(x):
    return x + table(4)

def debugs(x):
    jax.debug.print("{}", x)
    return x + 1

def calls_back(x):
    def host(value):
        print("on the host")
        time.sleep(0.0001)
        return value
    return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x) + 1

def logs_in_a_callback(x):
    def host(value):
        logger.warning("on the host")
        return value
    return jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x) + 1

def draws_the_same(x):
    np.random.seed(0)
    return x + np.random.normal()

def draws_with_a_key(key):
    return jax.random.normal(key, (3,)) + 1

def chaotic(x):
    return jnp.argsort(x)[::-1], {"n": 3, "x": x.astype(jnp.bfloat16)}
"""

FLAX_STEP = """
import jax.numpy as jnp, optax
from flax import nnx

def make():
    model = nnx.Linear(4, 3, rngs=nnx.Rngs(0))
    return model, nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)

@nnx.jit
def step(both, x):
    model, optimizer = both
    loss, gradients = nnx.value_and_grad(lambda m: (m(x) ** 2).mean())(model)
    optimizer.update(model, gradients)
    return loss

@nnx.jit
def forward(both, x):
    return both[0](x) * 2.0 + jnp.sin(x).sum()
"""

EQUINOX_STATE = """
import equinox as eqx, jax.numpy as jnp

class Counter(eqx.Module):
    index: eqx.nn.StateIndex

    def __init__(self):
        self.index = eqx.nn.StateIndex(jnp.array(0.0))

    def __call__(self, x, state):
        value = state.get(self.index) + 1
        return x * value, state.set(self.index, value)

def step(both, x):
    model, state = both
    return model(x, state)
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
