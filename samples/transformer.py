"""A transformer in plain JAX: twelve layers, and every one the same.

Look at: `loss` of a decoder of twelve layers for sequences of 32 tokens, and its gradient.

Predict: the twelve layers are a Python loop, so the jaxpr holds each of them. How much of the
graph must you read to know it all?

Then see: one layer. The layers are groups of the same structure, drawn once with ×12 and opened
on demand. The gradient holds more than twice as many equations, forward and backward in different
colours; what crosses from one to the other are the residuals, and most of the memory.
`scanned_loss` writes the same model with `lax.scan`: its jaxpr holds one layer by construction,
and it compiles faster.
"""

import jax
import jax.numpy as jnp

# jaxscope: loss(init(key(0)), tokens(key(1)))
# jaxscope: grad(loss)(init(key(0)), tokens(key(1)))
# jaxscope: scanned_loss(stack_layers(init(key(0))), tokens(key(1)))
# jaxscope: grad(scanned_loss)(stack_layers(init(key(0))), tokens(key(1)))

NUM_LAYERS = 12
NUM_HEADS = 4
WIDTH = 64
VOCABULARY = 128


def init(key):
    """Parameters: embeddings and a list of layers."""
    embed_key, place_key, *layer_keys = jax.random.split(key, 2 + NUM_LAYERS)
    return {
        "embedding": 0.1 * jax.random.normal(embed_key, (VOCABULARY, WIDTH)),
        "positions": 0.1 * jax.random.normal(place_key, (32, WIDTH)),
        "layers": [init_layer(layer_key) for layer_key in layer_keys],
        "scale": jnp.ones(WIDTH),
    }


def init_layer(key):
    """Parameters of one layer: attention, then a network 4 times as wide."""
    qkv_key, out_key, up_key, down_key = jax.random.split(key, 4)
    return {
        "qkv": 0.1 * jax.random.normal(qkv_key, (WIDTH, 3 * WIDTH)),
        "out": 0.1 * jax.random.normal(out_key, (WIDTH, WIDTH)),
        "up": 0.1 * jax.random.normal(up_key, (WIDTH, 4 * WIDTH)),
        "down": 0.1 * jax.random.normal(down_key, (4 * WIDTH, WIDTH)),
        "attention_scale": jnp.ones(WIDTH),
        "network_scale": jnp.ones(WIDTH),
    }


def tokens(key, batch=2, length=32):
    """Random tokens, i32[batch, length]."""
    return jax.random.randint(key, (batch, length), 0, VOCABULARY)


def normalize(x, scale):
    """Divide by the root mean square of the last axis."""
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def attention(layer, x):
    """Causal self-attention with several heads; x is f32[batch, length, width]."""
    batch, length, width = x.shape
    qkv = (x @ layer["qkv"]).reshape(batch, length, 3, NUM_HEADS, width // NUM_HEADS)
    queries, keys, values = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
    scores = jnp.einsum("bqhd,bkhd->bhqk", queries, keys) / jnp.sqrt(width / NUM_HEADS)
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), values)
    return mixed.reshape(batch, length, width) @ layer["out"]


def decoder_layer(layer, x):
    """Attention and network, each with a shortcut."""
    with jax.named_scope("attention"):
        x = x + attention(layer, normalize(x, layer["attention_scale"]))
    with jax.named_scope("network"):
        hidden = jax.nn.gelu(normalize(x, layer["network_scale"]) @ layer["up"])
        return x + hidden @ layer["down"]


def next_token_loss(params, x, text):
    """Mean cross-entropy of each token but the first, given those before it."""
    logits = normalize(x, params["scale"])[:, :-1] @ params["embedding"].T
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), text[:, 1:, None], axis=-1)
    return -jnp.mean(picked)


def loss(params, text):
    """The loss, with the layers in a Python loop."""
    x = params["embedding"][text] + params["positions"]
    for number, layer in enumerate(params["layers"]):
        with jax.named_scope(f"layer_{number}"):
            x = decoder_layer(layer, x)
    return next_token_loss(params, x, text)


def stack_layers(params):
    """The same parameters with the layers stacked along a new first axis."""
    return {**params, "layers": jax.tree.map(lambda *leaves: jnp.stack(leaves), *params["layers"])}


def scanned_loss(params, text):
    """The loss, with the layers in a scan over the stacked parameters."""
    x = params["embedding"][text] + params["positions"]
    x, _ = jax.lax.scan(lambda x, layer: (decoder_layer(layer, x), None), x, params["layers"])
    return next_token_loss(params, x, text)
