"""Plain explanations of JAX's primitives and of StableHLO and HLO operations, one to three
sentences each.
"""

from __future__ import annotations

from collections.abc import Mapping

from jaxscope.model import NodeKind

# What JAX's primitives do, in one to three plain sentences each.


_ELEMENTWISE: Mapping[str, str] = {
    "abs": "The absolute value of every element.",
    "acos": "The inverse cosine of every element.",
    "acosh": "The inverse hyperbolic cosine of every element.",
    "add": "Adds two arrays element by element.",
    "add_any": "Adds two gradients that flow back into the same value. Differentiation puts it "
    "wherever a value was used more than once.",
    "and": "Bitwise and, or logical and for booleans, element by element.",
    "asin": "The inverse sine of every element.",
    "asinh": "The inverse hyperbolic sine of every element.",
    "atan": "The inverse tangent of every element.",
    "atan2": "The angle of the point (x, y) for every pair of elements.",
    "atanh": "The inverse hyperbolic tangent of every element.",
    "bessel_i1e": "An exponentially scaled Bessel function of every element.",
    "cbrt": "The cube root of every element.",
    "ceil": "Rounds every element up.",
    "clamp": "Limits every element to a lowest and a highest value.",
    "clz": "Counts the leading zero bits of every integer.",
    "complex": "Joins a real and an imaginary part into complex numbers.",
    "conj": "The complex conjugate of every element.",
    "convert_element_type": "Converts every element to another type, such as float32 to bfloat16. "
    "Costs a pass over memory unless it is fused.",
    "copy": "Copies an array.",
    "copy_p": "Copies an array.",
    "cos": "The cosine of every element.",
    "cosh": "The hyperbolic cosine of every element.",
    "digamma": "The derivative of the logarithm of the gamma function, for every element.",
    "div": "Divides element by element.",
    "eq": "Tells where two arrays are equal.",
    "erf": "The error function of every element.",
    "erf_inv": "The inverse error function; it turns uniform random numbers into normal ones.",
    "erfc": "One minus the error function of every element.",
    "exp": "e to the power of every element.",
    "exp2": "Two to the power of every element.",
    "expm1": "exp(x) − 1, exact for small x.",
    "floor": "Rounds every element down.",
    "ge": "Tells where the first array is greater than or equal to the second.",
    "gt": "Tells where the first array is greater than the second.",
    "imag": "The imaginary part of every element.",
    "integer_pow": "Raises every element to a fixed whole power by repeated multiplication; "
    "`x ** 2` becomes this.",
    "is_finite": "Tells which elements are neither infinite nor NaN.",
    "le": "Tells where the first array is less than or equal to the second.",
    "lgamma": "The logarithm of the gamma function of every element.",
    "log": "The natural logarithm of every element.",
    "log1p": "log(1 + x), exact for small x.",
    "log2": "The logarithm to the base 2 of every element.",
    "logistic": "The sigmoid 1 / (1 + exp(−x)) of every element.",
    "lt": "Tells where the first array is less than the second.",
    "max": "The larger of two arrays, element by element.",
    "min": "The smaller of two arrays, element by element.",
    "mul": "Multiplies two arrays element by element.",
    "ne": "Tells where two arrays differ.",
    "neg": "Flips the sign of every element.",
    "nextafter": "The next representable number towards another one.",
    "one_minus_square": "1 − x² of every element, exact near 1.",
    "not": "Bitwise not, or logical not for booleans.",
    "or": "Bitwise or, or logical or for booleans, element by element.",
    "polynomial": "A polynomial of every element, by Horner's rule.",
    "population_count": "Counts the bits that are set in every integer.",
    "pow": "Raises every element to a power.",
    "real": "The real part of every element.",
    "rem": "The remainder of a division, with the sign of the dividend.",
    "round": "Rounds every element to the nearest whole number.",
    "rsqrt": "One over the square root of every element.",
    "select_n": "Picks every element from one of several arrays, by a condition. `jnp.where` "
    "becomes this, and so does `lax.cond` under vmap: then both branches are computed.",
    "shift_left": "Shifts the bits of every integer to the left.",
    "shift_right_arithmetic": "Shifts bits to the right and keeps the sign.",
    "shift_right_logical": "Shifts bits to the right and fills with zeros.",
    "sign": "−1, 0 or 1 by the sign of every element.",
    "sin": "The sine of every element.",
    "sinh": "The hyperbolic sine of every element.",
    "sqrt": "The square root of every element.",
    "square": "Every element times itself.",
    "sub": "Subtracts element by element.",
    "tan": "The tangent of every element.",
    "tanh": "The hyperbolic tangent of every element.",
    "xor": "Bitwise exclusive or, element by element.",
    "zeros_like": "Zeros in the shape of another array.",
}

_SHAPES: Mapping[str, str] = {
    "argmax": "The position of the largest element along an axis.",
    "argmin": "The position of the smallest element along an axis.",
    "approx_top_k": "The largest elements, found approximately; made for TPUs.",
    "bitcast_convert_type": "Reads the same bits as another type; nothing is computed.",
    "broadcast_in_dim": "Repeats an array along new or larger dimensions. XLA usually fuses it, so "
    "that the repeated array never exists in memory.",
    "concatenate": "Joins arrays end to end along an axis.",
    "conv_general_dilated": "A convolution, with strides, padding and dilation.",
    "cumlogsumexp": "The running log of the sum of exponentials along an axis.",
    "cummax": "The running maximum along an axis.",
    "cummin": "The running minimum along an axis.",
    "cumprod": "The running product along an axis.",
    "cumsum": "The running sum along an axis.",
    "dot_general": "A matrix product in its general form: it sums over chosen dimensions and may "
    "run over batch dimensions. Most of the work of a neural network is here.",
    "dynamic_slice": "Cuts a block whose place is known only when the program runs; the size is "
    "fixed.",
    "dynamic_update_slice": "Writes a block at a place that is known only when the program runs. "
    "It gives a new array; XLA does it in place if the old one is no longer needed.",
    "empty": "An array whose contents are not set yet.",
    "empty2": "An array whose contents are not set yet.",
    "expand_dims": "Adds a dimension of size one.",
    "fft": "A fast Fourier transform.",
    "gather": "Picks elements or blocks at many index positions; `x[indices]` becomes this.",
    "iota": "Counts 0, 1, 2, … along a dimension; `jnp.arange` becomes this.",
    "pad": "Adds a border of a constant value, or removes one.",
    "ragged_dot_general": "Matrix products of groups of differing size.",
    "reduce": "Combines the elements along axes with a function of your own.",
    "reduce_and": "Whether all elements along axes are true.",
    "reduce_max": "The largest element along axes.",
    "reduce_min": "The smallest element along axes.",
    "reduce_or": "Whether any element along axes is true.",
    "reduce_precision": "Rounds every element to fewer bits without changing its type.",
    "reduce_prod": "The product of the elements along axes.",
    "reduce_sum": "The sum of the elements along axes.",
    "reduce_window_max": "The largest element of every window.",
    "reduce_window_sum": "The sum of every window.",
    "reshape": "The same elements in another shape.",
    "rev": "Reverses the order along dimensions.",
    "scatter": "Writes values at many index positions; `x.at[i].set(v)` becomes this.",
    "scatter-add": "Adds values at many index positions. The gradient of an indexing is this.",
    "scatter-max": "Keeps the larger value at many index positions.",
    "scatter-min": "Keeps the smaller value at many index positions.",
    "scatter-mul": "Multiplies values at many index positions.",
    "select_and_scatter_add": "The gradient of max pooling: sends every value to the place of its "
    "window's maximum.",
    "slice": "Cuts a block at a fixed place.",
    "sort": "Sorts along a dimension, and may carry other arrays along.",
    "split": "Cuts an array into several along an axis.",
    "unstack": "Cuts an array into its parts along an axis, which the parts no longer have.",
    "squeeze": "Removes dimensions of size one.",
    "stack": "Joins arrays along a new axis.",
    "top_k": "The largest elements and their positions.",
    "transpose": "Permutes the dimensions.",
}

_CONTROL: Mapping[str, str] = {
    "associative_scan": "A running combination computed in parallel, in a tree of steps.",
    "checkpoint": "Forgets the values inside after the forward pass and computes them again for "
    "the backward pass: less memory, more work.",
    "closed_call": "Runs another program here.",
    "cond": "Runs one of several programs, chosen when the program runs.",
    "core_call": "Runs another program here.",
    "custom_jvp_call": "A function whose derivative somebody wrote by hand (`jax.custom_jvp`).",
    "custom_lin": "The linear part of a function with a hand-written derivative.",
    "custom_linear_solve": "Solves a linear system, with a hand-made rule for its gradient.",
    "custom_root": "Finds a root, with a hand-made rule for its gradient.",
    "custom_vjp_call": "A function whose backward pass somebody wrote by hand (`jax.custom_vjp`).",
    "custom_vjp_call_jaxpr": "A function whose backward pass somebody wrote by hand.",
    "debug_callback": "Calls back into Python while the program runs; `jax.debug.print` is this.",
    "debug_print": "Prints values while the program runs.",
    "for": "A loop over references.",
    "get": "Reads a value, or a part of it, from a reference.",
    "io_callback": "Calls a Python function with side effects while the program runs.",
    "jit": "A compiled function inside the program; XLA usually dissolves it.",
    "name": "Gives a value a name that checkpoint policies can refer to.",
    "new_ref": "Makes a reference: a place whose value can be read and overwritten.",
    "optimization_barrier": "Keeps the compiler from moving or merging work across this point.",
    "pallas_call": "A kernel written by hand in Pallas.",
    "pjit": "A compiled function inside the program; XLA usually dissolves it.",
    "pure_callback": "Calls a Python function without side effects while the program runs.",
    "remat": "Forgets the values inside after the forward pass and computes them again for the "
    "backward pass: less memory, more work.",
    "remat2": "Forgets the values inside after the forward pass and computes them again for the "
    "backward pass: less memory, more work.",
    "run_state": "Runs a program that reads and writes references.",
    "scan": "A loop with a known number of steps that carries a state along and collects a result "
    "per step. The body is traced once.",
    "shard_map": "Runs the program on every device's own part of the arrays.",
    "stop_gradient": "Passes a value on but lets no gradient back.",
    "swap": "Writes a value, or a part of it, to a reference, and gives what was there before.",
    "while": "A loop that runs until a condition fails. It has no reverse-mode gradient, since the "
    "number of steps is not known beforehand.",
    "xla_pmap": "Runs the program on several devices at once.",
}

_DEVICES_AND_RANDOM: Mapping[str, str] = {
    "all_gather": "Every device receives the parts of all devices.",
    "all_to_all": "Every device sends a different part to every other device.",
    "axis_index": "The number of this device along a mesh axis.",
    "device_put": "Places an array on a device or shards it.",
    "pmax": "The largest value over all devices.",
    "pmin": "The smallest value over all devices.",
    "ppermute": "Every device sends its value to one other device.",
    "psum": "The sum over all devices; each receives the total.",
    "psum2": "The sum over all devices; each receives the total.",
    "psum_invariant": "The sum over all devices; each receives the total.",
    "pvary": "Marks a value as differing between devices; nothing is computed.",
    "pcast": "Marks a value as equal on all devices or as differing; nothing is computed.",
    "reshard": "Lays an array out over devices in another way.",
    "reduce_scatter": "Sums over all devices and leaves every device with one part of the total.",
    "sharding_constraint": "Asks the compiler to lay an array out over devices in a given way.",
    "random_bits": "Makes random bits from a key.",
    "random_clone": "Copies a random key.",
    "random_fold_in": "Makes a new key from a key and a number.",
    "random_gamma": "Gamma-distributed random numbers; one equation here, hundreds below.",
    "random_seed": "Makes a random key from a seed.",
    "random_split": "Makes several independent keys from one.",
    "random_unwrap": "Takes the plain integers out of a typed key.",
    "random_wrap": "Makes a typed key out of plain integers.",
    "threefry2x32": "The block cipher behind JAX's default random numbers.",
    "cholesky": "The Cholesky factor of a positive definite matrix; done by a library.",
    "eigh": "Eigenvalues and eigenvectors of a symmetric matrix; done by a library.",
    "householder_product": "Multiplies Householder reflections; a step of the QR decomposition.",
    "lu": "The LU decomposition of a matrix; done by a library.",
    "qr": "The QR decomposition of a matrix; done by a library.",
    "svd": "The singular value decomposition of a matrix; done by a library.",
    "triangular_solve": "Solves a linear system with a triangular matrix.",
}

PRIMITIVES: Mapping[str, str] = {**_ELEMENTWISE, **_SHAPES, **_CONTROL, **_DEVICES_AND_RANDOM}
"""Explanations by primitive name."""


# What StableHLO and HLO operations do, by HLO's spelling (hyphens), one to three sentences.


COMPILER_OPERATIONS: Mapping[str, str] = {
    "abs": "The absolute value of every element.",
    "add": "Adds two arrays element by element.",
    "after-all": "Joins tokens, so that effects happen in order.",
    "all-gather": "Every device receives the parts of all devices.",
    "all-reduce": "Combines a value over all devices; each receives the result.",
    "all-to-all": "Every device sends a different part to every other device.",
    "and": "Bitwise or logical and, element by element.",
    "atan2": "The angle of the point (x, y) for every pair of elements.",
    "bitcast": "The same bytes seen with another shape or layout; costs nothing.",
    "bitcast-convert": "Reads the same bits as another type; nothing is computed.",
    "broadcast": "Repeats an array along new dimensions.",
    "broadcast-in-dim": "Repeats an array along new or larger dimensions. Inside a fusion the "
    "repeated array never exists in memory.",
    "call": "Runs another computation. On CPUs XLA wraps work in calls to run it on several "
    "threads.",
    "case": "Runs one of several programs, chosen when the program runs.",
    "cbrt": "The cube root of every element.",
    "ceil": "Rounds every element up.",
    "cholesky": "The Cholesky factor of a positive definite matrix.",
    "clamp": "Limits every element to a lowest and a highest value.",
    "collective-permute": "Every device sends its value to one other device.",
    "compare": "Compares two arrays element by element.",
    "complex": "Joins a real and an imaginary part.",
    "composite": "A named group of operations that a compiler may replace as a whole.",
    "concatenate": "Joins arrays end to end along a dimension.",
    "conditional": "Runs one of several computations, chosen when the program runs.",
    "constant": "A fixed value that is part of the program.",
    "convert": "Converts every element to another type.",
    "convolution": "A convolution, with strides, padding and dilation.",
    "copy": "Copies an array, often only to change its layout in memory.",
    "copy-done": "Waits for a copy that runs in the background.",
    "copy-start": "Starts a copy that runs in the background.",
    "cosine": "The cosine of every element.",
    "count-leading-zeros": "Counts the leading zero bits of every integer.",
    "create-token": "Makes a token that orders effects.",
    "custom-call": "Calls code that is not XLA's own: a library such as oneDNN, cuBLAS or LAPACK, "
    "or a Python callback. XLA cannot look inside.",
    "divide": "Divides element by element.",
    "domain": "Marks a border between parts of the program; nothing is computed.",
    "dot": "A matrix product.",
    "dot-general": "A matrix product in its general form. Most of the work of a neural network is "
    "here.",
    "dynamic-slice": "Cuts a block whose place is known only when the program runs.",
    "dynamic-update-slice": "Writes a block at a place that is known only when the program runs; "
    "in place where the old array is no longer needed.",
    "exponential": "e to the power of every element.",
    "exponential-minus-one": "exp(x) − 1, exact for small x.",
    "fft": "A fast Fourier transform.",
    "floor": "Rounds every element down.",
    "func": "A function of the module.",
    "fusion": "Several operations that XLA joined into one loop. Values between them stay in "
    "registers and are never written to memory.",
    "gather": "Picks elements or blocks at many index positions.",
    "get-dimension-size": "The size of a dimension.",
    "get-tuple-element": "Takes one value out of a tuple; costs nothing.",
    "imag": "The imaginary part of every element.",
    "infeed": "Receives data from the host.",
    "iota": "Counts 0, 1, 2, … along a dimension.",
    "is-finite": "Tells which elements are neither infinite nor NaN.",
    "log": "The natural logarithm of every element.",
    "log-plus-one": "log(1 + x), exact for small x.",
    "logistic": "The sigmoid of every element.",
    "map": "Applies a computation to every element.",
    "maximum": "The larger of two arrays, element by element.",
    "minimum": "The smaller of two arrays, element by element.",
    "multiply": "Multiplies two arrays element by element.",
    "negate": "Flips the sign of every element.",
    "not": "Bitwise or logical not.",
    "opt-barrier": "Keeps the compiler from moving or merging work across this point.",
    "optimization-barrier": "Keeps the compiler from moving or merging work across this point.",
    "or": "Bitwise or logical or, element by element.",
    "outfeed": "Sends data to the host.",
    "pad": "Adds a border of a constant value, or removes one.",
    "parameter": "An argument of the computation.",
    "partition-id": "The number of this device among the partitions.",
    "popcnt": "Counts the bits that are set.",
    "power": "Raises every element to a power.",
    "real": "The real part of every element.",
    "recv": "Receives data from another device.",
    "reduce": "Combines the elements along dimensions with a small computation, such as a sum.",
    "reduce-precision": "Rounds every element to fewer bits without changing its type.",
    "reduce-scatter": "Sums over devices and leaves every device with one part of the total.",
    "reduce-window": "Combines the elements of every window, as pooling does.",
    "remainder": "The remainder of a division.",
    "replica-id": "The number of this replica.",
    "reshape": "The same elements in another shape; usually costs nothing.",
    "return": "Hands the results back to whoever runs this block.",
    "reverse": "Reverses the order along dimensions.",
    "rng-bit-generator": "Makes random bits.",
    "round-nearest-afz": "Rounds to the nearest whole number, halves away from zero.",
    "round-nearest-even": "Rounds to the nearest whole number, halves to the even one.",
    "rsqrt": "One over the square root of every element.",
    "scatter": "Writes or adds values at many index positions.",
    "select": "Picks every element from one of two arrays, by a condition.",
    "select-and-scatter": "The gradient of max pooling.",
    "send": "Sends data to another device.",
    "shift-left": "Shifts bits to the left.",
    "shift-right-arithmetic": "Shifts bits to the right and keeps the sign.",
    "shift-right-logical": "Shifts bits to the right and fills with zeros.",
    "sign": "−1, 0 or 1 by the sign of every element.",
    "sine": "The sine of every element.",
    "slice": "Cuts a block at a fixed place.",
    "sort": "Sorts along a dimension.",
    "sqrt": "The square root of every element.",
    "subtract": "Subtracts element by element.",
    "tan": "The tangent of every element.",
    "tanh": "The hyperbolic tangent of every element.",
    "topk": "The largest elements and their positions.",
    "transpose": "Permutes the dimensions.",
    "triangular-solve": "Solves a linear system with a triangular matrix.",
    "tuple": "Bundles several values; costs nothing.",
    "while": "A loop: runs its body until its condition fails.",
    "xor": "Bitwise exclusive or, element by element.",
}
"""Explanations by operation name."""

_BY_KIND = {
    NodeKind.INPUT: "A value that comes in from outside: an argument, or a result of the program "
    "around this one.",
    NodeKind.CONSTANT: "A fixed value that is part of the program itself.",
    NodeKind.OUTPUT: "A result that the program hands back.",
}


def explain_operation(operation: str, kind: NodeKind) -> str:
    """One to three sentences on what an operation does, or the empty string if none is written.

    Args:
        operation: JAX's or XLA's own name; a dialect prefix such as `stablehlo.` is ignored.
        kind: Inputs, constants and outputs are explained by what they are.
    """
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    if kind == NodeKind.EQUATION:
        return PRIMITIVES.get(operation, "")
    name = operation.rsplit(".", 1)[-1].replace("_", "-")
    return COMPILER_OPERATIONS.get(name, "") or PRIMITIVES.get(name.replace("-", "_"), "")
