"""Flax modules: the tree of modules is the tree of boxes. Needs flax: pip install
'jaxscope[samples]'.

Look at: `apply_dense`, a single `Dense`; a module with a parameter of its own, a classifier written
in two styles, and a module with three equal children.

Predict: do the two styles of the classifier, `setup` and `@compact`, make different programs?

Then see: no. The graphs are the same, box for box; the styles differ only for the reader of the
code. The parameters of each module are in the argument list with their shapes. The children of
`Compound` are the groups leaves_0, leaves_1 and leaves_2.
"""

import jax
import jax.numpy as jnp
from flax import linen as nn

# jaxscope: apply_dense(params_of(dense, f32[2, 4]), f32[2, 4])
# jaxscope: apply_scaled(params_of(scaled, f32[2, 4]), f32[2, 4])
# jaxscope: apply_setup(params_of(setup_classifier, f32[2, 4]), f32[2, 4])
# jaxscope: apply_compact(params_of(compact_classifier, f32[2, 4]), f32[2, 4])
# jaxscope: apply_compound(params_of(compound, f32[2, 4]), f32[2, 4])


class Scaled(nn.Module):
    """Multiplies by a parameter of its own, one for each feature."""

    @nn.compact
    def __call__(self, x):
        """Declares the parameter where it is used."""
        scale = self.param("scale", nn.initializers.ones, (x.shape[-1],))
        return x * scale


class SetupClassifier(nn.Module):
    """Two layers, declared beforehand."""

    def setup(self):
        """Declares the layers."""
        self.hidden = nn.Dense(8)
        self.output = nn.Dense(3)

    def __call__(self, x):
        """Uses them."""
        return nn.log_softmax(self.output(nn.relu(self.hidden(x))))


class CompactClassifier(nn.Module):
    """The same two layers, declared where they are used."""

    @nn.compact
    def __call__(self, x):
        """Declares and uses the layers at once."""
        x = nn.relu(nn.Dense(8, name="hidden")(x))
        return nn.log_softmax(nn.Dense(3, name="output")(x))


class Leaf(nn.Module):
    """One layer with tanh."""

    @nn.compact
    def __call__(self, x):
        """As wide as its input."""
        return jnp.tanh(nn.Dense(x.shape[-1])(x))


class Compound(nn.Module):
    """Three equal children, one after another."""

    def setup(self):
        """Flax names them leaves_0, leaves_1 and leaves_2."""
        self.leaves = [Leaf() for _ in range(3)]

    def __call__(self, x):
        """Passes x through all of them."""
        for leaf in self.leaves:
            x = leaf(x)
        return x


dense = nn.Dense(3)
scaled = Scaled()
setup_classifier = SetupClassifier()
compact_classifier = CompactClassifier()
compound = Compound()


def params_of(module, x):
    """The parameters of a module for inputs like x."""
    return module.init(jax.random.key(0), x)


def apply_dense(params, x):
    """One dense layer."""
    return dense.apply(params, x)


def apply_scaled(params, x):
    """The module with its own parameter."""
    return scaled.apply(params, x)


def apply_setup(params, x):
    """The classifier in the style of `setup`."""
    return setup_classifier.apply(params, x)


def apply_compact(params, x):
    """The classifier in the style of `@compact`."""
    return compact_classifier.apply(params, x)


def apply_compound(params, x):
    """Three leaves in a row."""
    return compound.apply(params, x)
