"""Programs to inspect in the benchmarks, from small to large; the samples have the others."""

import jax
import jax.numpy as jnp

# jaxscope: grad(mlp_loss)(mlp_init(key(0)), f32[128, 64], f32[128, 10])
# jaxscope: grad(convnet_loss)(convnet_init(key(0)), f32[4, 32, 32, 3], i32[4])
# jaxscope: grad(unrolled)(f32[32, 32], f32[32])
# jaxscope: grad(deep)(deep_init(key(0)), f32[8, 64])


def mlp_init(key):
    """Eight dense layers of width 64, and a last one to 10."""
    keys = jax.random.split(key, 9)
    layers = [(jax.random.normal(k, (64, 64)) / 8, jnp.zeros(64)) for k in keys[:8]]
    return [*layers, (jax.random.normal(keys[8], (64, 10)) / 8, jnp.zeros(10))]


def mlp_loss(params, x, y):
    """Mean squared error of the network."""
    for weights, bias in params[:-1]:
        x = jax.nn.gelu(x @ weights + bias)
    weights, bias = params[-1]
    return jnp.mean((x @ weights + bias - y) ** 2)


def convnet_init(key):
    """Four convolutions of 3×3, and a dense layer."""
    keys = jax.random.split(key, 5)
    widths = [(3, 16), (16, 16), (16, 32), (32, 32)]
    kernels = [
        0.1 * jax.random.normal(k, (3, 3, *width)) for k, width in zip(keys, widths, strict=False)
    ]
    return {"kernels": kernels, "dense": 0.1 * jax.random.normal(keys[4], (32, 10))}


def convnet_loss(params, images, labels):
    """Cross-entropy after convolutions with normalization and leaky ReLU."""
    x = images
    for kernel in params["kernels"]:
        x = jax.lax.conv_general_dilated(
            x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        x = (x - x.mean((1, 2), keepdims=True)) / jnp.sqrt(x.var((1, 2), keepdims=True) + 1e-5)
        x = jax.nn.leaky_relu(x)
    logits = jax.nn.log_softmax(x.mean((1, 2)) @ params["dense"])
    return -jnp.mean(jnp.take_along_axis(logits, labels[:, None], axis=1))


def unrolled(weights, x):
    """A recurrence of 100 steps, unrolled while tracing."""
    for _ in range(100):
        x = jnp.tanh(weights @ x) * 0.9 + 0.1 * x
    return jnp.sum(x)


def deep_init(key):
    """Sixty square layers of width 64."""
    return [jax.random.normal(k, (64, 64)) / 8 for k in jax.random.split(key, 60)]


def deep(layers, x):
    """Two activations of each layer: XLA's work grows faster than the number of equations."""
    for weights in layers:
        x = jnp.tanh(x @ weights) + jnp.sin(x)
    return jnp.sum(x)
