"""A whole training: noisy XOR, a small classifier, and the loop around it. Needs flax and optax:
pip install 'jaxscope[samples]'.

Look at: `train_step`, and around it data set, loader, train state, `eval_step`, `train`, a
checkpoint, and the model bound to its parameters.

Predict: which of these does JAX compile, and how often?

Then see: `train_step` and `eval_step`, once each, as all batches have the same shape. Data, loop
and checkpoint are ordinary Python. In the graph of `train_step` three parts are told apart:
forward, backward, and the optimizer after it. After ten epochs more than 95 % of fresh points are
classified correctly.
"""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.training import train_state

# jaxscope: train_step(make_state(key(0)), example_batch())
# jaxscope: eval_step(make_state(key(0)), example_batch())
# jaxscope: logits_of(make_state(key(0)).params, f32[128, 2])

BATCH_SIZE = 128


class Classifier(nn.Module):
    """Two inputs, eight hidden units, one logit."""

    @nn.compact
    def __call__(self, x):
        """The logit of each point."""
        return nn.Dense(1, name="output")(nn.tanh(nn.Dense(8, name="hidden")(x)))[..., 0]


class NoisyXor:
    """Points near the corners of the unit square, labelled by XOR of the corner's coordinates."""

    def __init__(self, size, seed):
        """Draws all points at once."""
        rng = np.random.default_rng(seed)
        corners = rng.integers(0, 2, (size, 2))
        self.points = (corners + 0.1 * rng.standard_normal((size, 2))).astype(np.float32)
        self.labels = (corners[:, 0] ^ corners[:, 1]).astype(np.int32)

    def __len__(self):
        """How many points there are."""
        return len(self.labels)

    def __getitem__(self, index):
        """One point and its label."""
        return self.points[index], self.labels[index]


def collate(items):
    """Stack single items to NumPy arrays: no device is touched yet."""
    points, labels = zip(*items, strict=True)
    return np.stack(points), np.stack(labels)


def batches(data, seed):
    """All full batches of a data set, in random order."""
    order = np.random.default_rng(seed).permutation(len(data))
    for start in range(0, len(data) - BATCH_SIZE + 1, BATCH_SIZE):
        yield collate([data[index] for index in order[start : start + BATCH_SIZE]])


def example_batch():
    """The first batch of a small data set."""
    return next(batches(NoisyXor(BATCH_SIZE, seed=0), seed=0))


model = Classifier()


def make_state(key):
    """Fresh parameters, with the optimizer and its state."""
    params = model.init(key, jnp.zeros((1, 2)))["params"]
    optimizer = optax.sgd(0.5, momentum=0.9)
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optimizer)
    # The Python 0 that flax starts with has another type than the count after it, which is an
    # array: `train_step` would be compiled twice.
    return state.replace(step=jnp.int32(0))


def logits_of(params, points):
    """The model's answer."""
    return model.apply({"params": params}, points)


def loss_and_accuracy(params, batch):
    """Mean cross-entropy, and as an auxiliary result the share of correct answers."""
    points, labels = batch
    logits = logits_of(params, points)
    loss = optax.sigmoid_binary_cross_entropy(logits, labels).mean()
    return loss, jnp.mean((logits > 0) == (labels == 1))


@jax.jit
def train_step(state, batch):
    """One update: the new state, loss and accuracy."""
    differentiate = jax.value_and_grad(loss_and_accuracy, has_aux=True)
    (loss, accuracy), gradient = differentiate(state.params, batch)
    return state.apply_gradients(grads=gradient), loss, accuracy


@jax.jit
def eval_step(state, batch):
    """The accuracy on a batch."""
    return loss_and_accuracy(state.params, batch)[1]


def train(num_epochs=10):
    """Train on 2,560 points: the state, and the accuracy on 512 fresh ones."""
    data, fresh = NoisyXor(2560, seed=1), NoisyXor(512, seed=2)
    state = make_state(jax.random.key(0))
    for epoch in range(num_epochs):
        for batch in batches(data, seed=epoch):
            state, _, _ = train_step(state, batch)
    accuracies = [eval_step(state, batch) for batch in batches(fresh, seed=0)]
    return state, float(np.mean(accuracies))


def save_checkpoint(state, path):
    """Write parameters to a file as plain arrays. Load only files of your own."""
    with open(path, "wb") as file:
        pickle.dump(jax.device_get(state.params), file)


def restore_checkpoint(path):
    """The model with the parameters of a file bound to it: call it with points."""
    with open(path, "rb") as file:
        return model.bind({"params": pickle.load(file)})
