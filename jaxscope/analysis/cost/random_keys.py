"""Work of JAX's random primitives: the counter-based Threefry hash, and XLA's own generator.

Threefry counts as XLA counts the hash written out, as for a TPU: shifts, xors and additions. For
a CPU the same rounds stand in a loop, of which XLA's analysis counts one turn; this counts all.
`jax_threefry_partitionable` is taken as JAX sets it by default: each number is the hash of its own
position.
"""

from __future__ import annotations

import math

from jaxscope.analysis.cost.equation import Costs, Equation, UncountedError

_HASH_FLOPS = 117
"""Of one `threefry2x32`, which makes two 32-bit words: twenty rounds and five key injections."""

_KEY_FLOPS = 2
"""Once for each key: the third word of its schedule."""

_FINISH_FLOPS = {8: 2, 16: 2, 32: 1, 64: 2}
"""By the width asked for: two words become one number."""

_SEED_FLOPS = {"u32": 1, "i32": 3, "u8": 3}
"""An integer becomes the two words of a key."""

_GENERATOR_STATE_WORDS = 2
"""XLA counts each number that its generator makes, and its 64-bit state words, as one."""


def random_bits(equation: Equation) -> Costs:
    """Draw numbers from each key of an array of keys."""
    keys = equation.operand(0)
    width, count = int(equation.parameter("bit_width")), math.prod(_shape_for_each_key(equation))
    if keys.element == "key<fry>":
        each = _HASH_FLOPS + _FINISH_FLOPS[width]
        return _threefry(equation, count, each), equation.traffic(), 0.0
    if keys.size != 1:
        raise UncountedError("releases of JAX draw from several keys of this kind differently")
    return 2.0, equation.traffic(), float(count + _GENERATOR_STATE_WORDS)


def random_split(equation: Equation) -> Costs:
    """Make new keys: each is the hash of its position."""
    _require_threefry(equation)
    count = math.prod(_shape_for_each_key(equation))
    return _threefry(equation, count, _HASH_FLOPS), equation.traffic(), 0.0


def random_fold_in(equation: Equation) -> Costs:
    """Make a key of a key and an integer, which is first made a key itself."""
    _require_threefry(equation)
    keys, data = equation.operand(0), equation.operand(1)
    flops = _HASH_FLOPS * equation.result().size + _KEY_FLOPS * keys.size
    return float(flops + _SEED_FLOPS[data.element] * data.size), equation.traffic(), 0.0


def random_seed(equation: Equation) -> Costs:
    """Make a key of an integer."""
    if equation.result().element != "key<fry>":
        raise UncountedError("only seeds of Threefry keys are counted")
    seeds = equation.operand(0)
    return float(_SEED_FLOPS[seeds.element] * seeds.size), equation.traffic(), 0.0


def threefry(equation: Equation) -> Costs:
    """The hash itself, on two words of key and two words of counter."""
    flops = _HASH_FLOPS * equation.result().size + _KEY_FLOPS * equation.operand(0).size
    return float(flops), equation.traffic(), 0.0


def rng_bit_generator(equation: Equation) -> Costs:
    """XLA's generator; its state as four 32-bit words is packed and unpacked."""
    state = equation.operand(0)
    if (state.element, state.shape) != ("u32", (4,)):
        raise UncountedError("only a state of four 32-bit words is counted")
    numbers = equation.result(1).size
    return 6.0, equation.traffic(), float(numbers + _GENERATOR_STATE_WORDS)


def rng_uniform(equation: Equation) -> Costs:
    """One for each number."""
    return 0.0, equation.traffic(), float(equation.result().size)


def _threefry(equation: Equation, count: int, flops_each: int) -> float:
    """Hashes of `count` positions under each key; the positions are made once for all keys."""
    if count == 0:
        return 0.0
    num_keys = equation.operand(0).size
    positions = count * _position_flops(_shape_for_each_key(equation))
    return float(num_keys * (count * flops_each + _KEY_FLOPS) + positions)


def _shape_for_each_key(equation: Equation) -> tuple[int, ...]:
    return equation.result().shape[len(equation.operand(0).shape) :]


def _position_flops(shape: tuple[int, ...]) -> int:
    """A position is a sum of strided counters, one for each axis, cut into two words."""
    axes = sum(size > 1 for size in shape)
    return 2 * axes + 1 if axes else (2 if shape else 0)


def _require_threefry(equation: Equation) -> None:
    if equation.operand(0).element != "key<fry>":
        raise UncountedError("only Threefry keys are counted")
