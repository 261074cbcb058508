"""A counter that does not count: state must travel through arguments and results.

Look at: `Counter.count` changes `self.n`; `count` takes the state and returns the next one.

Predict: jit the method and call it three times. What are the three answers?

Then see: 1, 1, 1. The attribute changed once, while JAX traced the method, and the compiled
program always returns the number that it saw then; its jaxpr has no equation at all. The check
names the attribute. The stateless version returns 1, 2, 3, because its state is an argument like
any other. `three_jitted_counts` and `three_stateless_counts` run both experiments.
"""

import jax

# jaxscope: Counter().count()
# jaxscope: count(0)


class Counter:
    """A counter in the object-oriented way."""

    def __init__(self):
        """Start at zero."""
        self.n = 0

    def count(self):
        """Impure: changes the object it belongs to."""
        self.n += 1
        return self.n


def count(n):
    """Pure: the state comes in and the next state goes out."""
    return n + 1


def three_jitted_counts():
    """What a jitted method answers to three calls."""
    jitted = jax.jit(Counter().count)
    return [int(jitted()) for _ in range(3)]


def three_stateless_counts():
    """What the stateless version answers when its result is passed on."""
    jitted = jax.jit(count)
    state, answers = 0, []
    for _ in range(3):
        state = jitted(state)
        answers.append(int(state))
    return answers
