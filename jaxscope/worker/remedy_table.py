"""What is said to each fault that users of JAX meet: one row for each, read from the top."""

from __future__ import annotations

import dataclasses
import re

DOCS = "https://docs.jax.dev/en/latest/"
_SHARP = DOCS + "notebooks/Common_Gotchas_in_JAX.html"


@dataclasses.dataclass(frozen=True, slots=True)
class Remedy:
    """One row of the table.

    Attributes:
        names: Class names, one of which must be among the exception's classes; empty fits all.
        pattern: Must be found in the exception's text.
        what: One sentence, or empty to name the exception only.
        remedy: What to try.
        url: Page of JAX's documentation, or empty.
    """

    names: tuple[str, ...]
    pattern: str
    what: str
    remedy: str
    url: str = ""

    def fits(self, names: frozenset[str], text: str) -> bool:
        """Whether this row speaks about an exception with these classes and this text."""
        if self.names and names.isdisjoint(self.names):
            return False
        return re.search(self.pattern, text) is not None


def _jax_error(name: str, what: str, remedy: str) -> Remedy:
    return Remedy((name,), "", what, remedy, f"{DOCS}errors.html#jax.errors.{name}")


TABLE = (
    _jax_error(
        "NonConcreteBooleanIndexError",
        "An array is indexed with a mask, and the size of the result depends on its values.",
        "Shapes must be known while tracing: use `jnp.where(mask, x, 0)`, or "
        "`jnp.nonzero(mask, size=n)`.",
    ),
    _jax_error(
        "TracerBoolConversionError",
        "Python's `if`, `while`, `and` or `bool()` asks for the value of a traced array.",
        "Use `jnp.where` or `jax.lax.cond` (`jax.lax.while_loop` for loops). If the value is a "
        "setting rather than data, make its argument static: `jit(f, static_argnames=…)`.",
    ),
    _jax_error(
        "TracerArrayConversionError",
        "A NumPy function was called on a traced array.",
        "Use the function of the same name in `jax.numpy` (`jnp`), or make the argument static.",
    ),
    _jax_error(
        "TracerIntegerConversionError",
        "A traced array is used where Python needs an integer.",
        "Index a JAX array instead of a list, or make the argument static.",
    ),
    _jax_error(
        "UnexpectedTracerError",
        "A traced value was kept beyond the function that made it.",
        "Return values instead of saving them in globals, lists or attributes. "
        "`jax.checking_leaks()` finds the place.",
    ),
    Remedy(
        ("TraceContextError",),
        "",
        "A Flax NNX object that was made outside of the traced function is changed inside of it.",
        "Pass it as an argument: `(lambda model, x: model(x))(model, f32[8])`.",
    ),
    _jax_error(
        "KeyReuseError",
        "A random key is used twice, so the two draws are not independent.",
        "Split it first: `key, subkey = jax.random.split(key)`.",
    ),
    _jax_error(
        "ConcretizationTypeError",
        "Something needs the value of a traced array while tracing.",
        "Keep shapes and Python control flow free of array values, or make the argument static: "
        "`jit(f, static_argnames=…)`.",
    ),
    Remedy(
        ("TypeError",),
        "JAX arrays are immutable",
        "A JAX array is assigned to in place.",
        "Write `x = x.at[index].set(value)`.",
        _SHARP,
    ),
    Remedy(
        ("TypeError",),
        "Gradient only defined for scalar-output",
        "`grad` was applied to a function whose result is not a scalar.",
        "Reduce the result (`.sum()` or `.mean()`), or use `jax.jacrev` or `jax.vjp`.",
    ),
    Remedy(
        ("TypeError",),
        "requires real- or complex-valued inputs",
        "`grad` was asked to differentiate with respect to integers.",
        "Pass floats (`f32[…]`, `1.0`), or choose other arguments with `argnums=`.",
    ),
    Remedy(
        ("TypeError", "ValueError"),
        "incompatible shapes|same shape|contracting dimensions|Incompatible shapes|"
        "inconsistent sizes|cannot reshape|must have equal",
        "The shapes do not fit together.",
        "Compare the shapes named here with those in the call.",
    ),
    Remedy(
        ("TypeError",),
        "<class '(coroutine|async_generator)'>",
        "An `async` function gives a coroutine, which JAX cannot trace.",
        "Call a plain function: what is awaited runs before or after the traced code.",
    ),
    Remedy(
        ("TypeError",),
        "got a generator function|<class 'generator'>",
        "A function that yields gives a generator, which JAX cannot trace.",
        "Return a list, or call the functions that it yields.",
    ),
    Remedy(
        ("TypeError",),
        "cannot create weak reference",
        "JAX cannot trace this function: it is written in another language than Python.",
        "Use the function of the same name in `jax.numpy` (`jnp`), or call it in a `lambda`.",
    ),
    Remedy(
        ("TypeError",),
        "not a valid JAX type|returned a value of type",
        "The function returns something that is no array.",
        "Return arrays, numbers, or lists, tuples and dictionaries of them.",
    ),
    Remedy(
        ("TypeError",),
        "as an abstract array|not a valid JAX array type",
        "An argument is no array and is not static.",
        "Mark it static: `jit(f, static_argnames=…)`, or pass an array.",
    ),
    Remedy(
        ("ValueError",),
        "truth value of an? (array|empty array)",
        "Python's `if`, `while`, `and` or `bool()` asks a whole array for one answer.",
        "Use `jnp.where` to choose element by element, or `.any()` or `.all()` inside of "
        "`jax.lax.cond`.",
    ),
    Remedy(
        ("ValueError",),
        "the size of an array cannot be negative",
        "",
        "Give every axis a size of 0 or more, such as `f32[3]`.",
    ),
    Remedy(
        ("ValueError",),
        "Non-hashable static arguments",
        "A static argument must be hashable.",
        "Pass a tuple instead of a list, or a frozen dataclass.",
    ),
    Remedy(
        ("TypeError",),
        r"argument|positional",
        "",
        "Compare the call with the function's parameters.",
    ),
    Remedy(
        ("RuntimeError", "ValueError"),
        "deleted or donated|has been deleted",
        "An array is used after it was donated to a jitted function.",
        "Use the function's result instead, or drop `donate_argnums`.",
        DOCS + "buffer_donation.html",
    ),
    Remedy(
        ("FloatingPointError",),
        "",
        "A NaN or an infinity appeared while `jax_debug_nans` or `jax_debug_infs` is on.",
        "Look for a division by zero, `log` or `sqrt` of a value at or below zero, or overflow.",
        DOCS + "debugging/flags.html",
    ),
    Remedy(
        (),
        "Only interpret mode is supported on CPU",
        "A Pallas kernel is to run on the CPU, which runs Pallas kernels in interpret mode only.",
        "Compile it for a chip that need not be here, such as `--target aot:tpu:v5e:2x2` or "
        "`aot:gpu:h100`; or call `pallas_call` with `interpret=True`.",
    ),
    Remedy(
        ("RecursionError",),
        "",
        "The code recurses too deeply.",
        "Check the recursion's end; for deep models use `jax.lax.scan` over the layers.",
    ),
    Remedy(
        ("BdbQuit",),
        "",
        "The code stops at a breakpoint.",
        "jaxscope runs files without a terminal: remove `breakpoint()`, print with "
        "`jax.debug.print` instead.",
    ),
    Remedy(
        ("EOFError",),
        "",
        "The code asks for input.",
        "jaxscope runs files without a terminal: replace `input()` by a value.",
    ),
    Remedy(
        ("AssertionError",),
        "",
        "An assertion of the code failed.",
        "Compare the arguments of the call with what the assertion asks for.",
    ),
    Remedy(
        ("ValueError",),
        r"Number of devices \d+ must be|requires \d+ logical devices",
        "The code asks for more devices than there are.",
        "`--target cpu:8` simulates eight on the CPU; `jaxscope doctor` lists the real ones.",
    ),
    Remedy(
        (),
        "Unknown backend|no such device|not in the list of known backends|"
        "Unable to initialize backend",
        "JAX does not find the device that the code or the target asks for.",
        "`jaxscope doctor` lists the targets that work here.",
    ),
)
