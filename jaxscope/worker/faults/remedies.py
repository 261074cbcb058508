"""What to say about the faults that users of JAX meet: what it means, what to try, where to read
on.

Faults that need a closer look come first; then the first row of the table that fits. Takes an
exception and its frames, returns a row or None.
"""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import shlex
import sys
from collections.abc import Callable
from types import ModuleType

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import CALL_FILE
from jaxscope.model.said import EITHER, say, say_joined
from jaxscope.model.units import format_bytes
from jaxscope.worker.faults.tracebacks import walk_frames


def describe_memory_limit() -> str:
    """One sentence on the tightest limit that is in force; empty if there is none."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return ""
    kinds = ((resource.RLIMIT_DATA, "ulimit -d"), (resource.RLIMIT_AS, "ulimit -v"))
    limits = [(resource.getrlimit(kind)[0], how) for kind, how in kinds]
    limits = [(size, how) for size, how in limits if size != resource.RLIM_INFINITY]
    if not limits:
        return ""
    size, how = min(limits)
    return say(
        "A memory limit of {size:.2f} GB is in force for this process ({how}).",
        size=size / 1e9,
        how=how,
    )


DOCS = "https://docs.jax.dev/en/latest/"
_SHARP = DOCS + "notebooks/Common_Gotchas_in_JAX.html"


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to say of a kind of exception, and what to try.

    Attributes:
        names: Class names, one of which must be among the exception's classes; empty fits all.
        pattern: Must be found in the exception's text.
        what: One sentence, or empty to name the exception only.
        remedy: What to try.
        url: Page of JAX's documentation, or empty.
        of_call: What failed, said where no line of the user's code but the call itself is at
            fault; empty where the call is not to blame.
        remedy_of_call: What to try there, in place of `remedy`; empty for the same.
        instead: A name that there is not, and names that may be meant.
        edits: Calls to try in place of the one that failed, as `edit_call` has them.
        is_out_of_memory: Whether XLA says that the device has too little memory.
    """

    names: tuple[str, ...]
    pattern: str
    what: str
    remedy: str
    url: str = ""
    of_call: str = ""
    remedy_of_call: str = ""
    instead: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()
    is_out_of_memory: bool = False

    def fits(self, names: frozenset[str], text: str) -> bool:
        """Whether this row speaks about an exception with these classes and this text."""
        if self.names and names.isdisjoint(self.names):
            return False
        return re.search(self.pattern, text) is not None


def _jax_error(name: str, what: str, remedy: str, edits: tuple[str, ...] = ()) -> Remedy:
    return Remedy((name,), "", what, remedy, f"{DOCS}errors.html#jax.errors.{name}", edits=edits)


_CONCRETIZATION = f"{DOCS}errors.html#jax.errors.ConcretizationTypeError"
_VALUE_ASKED = "The value of a traced array is asked for, as Python has it."
_STATIC = ("{static}",)
"""With the argument static that the error names, where its value may be a setting."""
_OF_NO_ARGUMENT = "This value became a tracer due to JAX operations on these lines"
"""What JAX says where none is; it may be a value of the function around, or made of constants."""
_CUSTOM_RULES = DOCS + "notebooks/Custom_derivative_rules_for_Python_code.html"
_OTHER_ARGUMENTS = tuple(
    f"{{grad}}({{function}}, argnums={number})({{arguments}})" for number in (1, 2)
)
"""Of a function that takes floats, or arrays, behind what it takes first."""

TABLE = (
    _jax_error(
        "NonConcreteBooleanIndexError",
        "An array is indexed with a mask, and the size of the result depends on its values.",
        "Shapes must be known while tracing: use `jnp.where(mask, x, 0)`, or "
        "`jnp.nonzero(mask, size=n)`.",
    ),
    Remedy(
        ("TracerBoolConversionError",),
        _OF_NO_ARGUMENT,
        "Python's `if`, `while`, `and` or `bool()` asks for the value of a traced array.",
        "No argument of the traced function is part of it. What is made of constants alone can be "
        "computed with NumPy, before the function is traced, or inside of "
        "`with jax.ensure_compile_time_eval():`. Else use `jnp.where` or `jax.lax.cond`.",
        f"{DOCS}errors.html#jax.errors.TracerBoolConversionError",
    ),
    _jax_error(
        "TracerBoolConversionError",
        "Python's `if`, `while`, `and` or `bool()` asks for the value of a traced array.",
        "Use `jnp.where` or `jax.lax.cond` (`jax.lax.while_loop` for loops). If the value is a "
        "setting rather than data, make its argument static: `jit(f, static_argnames=…)`.",
        _STATIC,
    ),
    _jax_error(
        "TracerArrayConversionError",
        "A NumPy function was called on a traced array.",
        "Use the function of the same name in `jax.numpy` (`jnp`), or make the argument static.",
    ),
    _jax_error(
        "TracerIntegerConversionError",
        "A traced array is used where Python needs an integer.",
        "Write `jax.lax.fori_loop` in place of `range(n)`, and `jnp.asarray(values)[i]` to index "
        "a list; or make the argument static: `jit(f, static_argnames=…)`.",
        _STATIC,
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
    Remedy(
        ("TypeError", "ValueError"),
        r"does not accept dtypes?\b.* key<|key<\w+> is not a valid dtype|type from key<",
        "A random key is used as numbers are.",
        "Draw numbers with it, as `jax.random.normal(key, shape)` does. Make other keys of it by "
        "`jax.random.split(key)` or `jax.random.fold_in(key, number)`.",
        DOCS + "jax.random.html",
    ),
    Remedy(
        ("ValueError",),
        "accepts a single key, but was given a key array",
        "Several random keys are given where one is taken.",
        "Take one of them, as `keys[0]`, or draw with each: "
        "`jax.vmap(lambda key: jax.random.normal(key, shape))(keys)`.",
        DOCS + "jax.random.html",
    ),
    Remedy(
        ("ConcretizationTypeError",),
        r"\b(item|tolist)\(\) method",
        _VALUE_ASKED,
        "While tracing, an array has no value. Stay with arrays. `jax.debug.print` prints "
        "values; or take them from what the function returns.",
        _CONCRETIZATION,
    ),
    Remedy(
        ("ConcretizationTypeError",),
        "arose with the `(float|int|complex)` function",
        _VALUE_ASKED,
        "While tracing, an array has no value. Stay with arrays: `x.astype(float)` in "
        "place of `float(x)`, `jnp.sin` in place of `math.sin`. If it is a setting, such as a "
        "size, make its argument static: `jit(f, static_argnames=…)`.",
        _CONCRETIZATION,
        edits=_STATIC,
    ),
    Remedy(
        ("ConcretizationTypeError",),
        r"\bsize argument|`size`|\b(unique|setdiff1d|union1d|bincount)\b|num_segments|"
        "total_repeat_length",
        "The size of a result depends on the values of an array.",
        "Give the size as a number: `size=` of `jnp.nonzero`, `jnp.where` or `jnp.unique`, "
        "`num_segments=` of `jax.ops.segment_sum`, `total_repeat_length=` of `jnp.repeat`, "
        "`length=` of `jnp.bincount`. Where it is given as an argument, make that static: "
        "`jit(f, static_argnames=…)`.",
        _CONCRETIZATION,
        edits=_STATIC,
    ),
    _jax_error(
        "ConcretizationTypeError",
        "Something needs the value of a traced array while tracing.",
        "Keep shapes and Python control flow free of array values, or make the argument static: "
        "`jit(f, static_argnames=…)`.",
        _STATIC,
    ),
    Remedy(
        ("TypeError",),
        r"(?s)Shapes must be 1D sequences of concrete.*Tracer|was not hashable: .*Tracer",
        "A shape, or a number of elements, depends on the value of a traced array.",
        "It must be known while tracing: take it from `x.shape`, or make the argument static: "
        "`jit(f, static_argnames=…)`.",
        edits=_STATIC,
    ),
    Remedy(
        ("TypeError",),
        "Shapes must be 1D sequences of concrete",
        "A shape holds something that is no integer.",
        "Give integers: `n // 2` in place of `n / 2`, `int(n)` of a Python number.",
    ),
    Remedy(
        ("IndexError",),
        "Slice entries must be static integers",
        "Where a slice begins or ends depends on the value of a traced array.",
        "Of a known length: `jax.lax.dynamic_slice_in_dim(x, start, length)`. Else keep the whole "
        "array and hide the rest: `jnp.where(jnp.arange(len(x)) < n, x, 0)`; or make the argument "
        "static: `jit(f, static_argnames=…)`.",
        edits=_STATIC,
    ),
    Remedy(
        ("TypeError",),
        "unhashable type: '.*Tracer'",
        "A traced array is looked up in a dictionary or a set.",
        "While tracing it has no value. Choose by `jax.lax.switch` or `jnp.where`, or index an "
        "array; or make the argument static: `jit(f, static_argnames=…)`.",
        edits=_STATIC,
    ),
    Remedy(
        ("TypeError",),
        "unsupported format string passed to .*Tracer",
        "A traced array is formatted as if it had a value.",
        'Print with `jax.debug.print("{x:.2f}", x=x)`, which prints when the program runs.',
    ),
    Remedy(
        ("AttributeError",),
        "method is not available on traced array",
        "A method is called that a traced array does not have.",
        "Call it on what the function returns.",
    ),
    Remedy(
        ("TypeError",),
        "invalid PRNG key data|unexpected PRNG key type",
        "A random function is given something that is no key.",
        "Make a key of a number: `jax.random.key(0)`; in a call, `key(0)`.",
        edits=("{keys}",),
    ),
    Remedy(
        ("NameError",),
        "unbound axis name",
        "A collective names an axis that nothing maps over.",
        "Call the function under `jax.vmap(f, axis_name=…)`, or in `jax.shard_map` over a mesh "
        "with an axis of that name.",
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
        of_call="`grad` is applied to a function whose result is not a scalar.",
        edits=(
            "{grad}(lambda *xs: {function}(*xs).sum(){options})({arguments})",
            "{grad}(lambda *xs: {function}(*xs).mean(){options})({arguments})",
            "{jax}jacrev({function}{options})({arguments})",
            "{jax}vjp({function}, {arguments})",
        ),
    ),
    Remedy(
        ("TypeError",),
        r"requires real-valued outputs .*\bgot complex",
        "A derivative was asked for of a complex result.",
        "Make real numbers of it, such as `.real` or `jnp.abs(…)`, or say `holomorphic=True` where "
        "the function is holomorphic and its arguments are complex.",
        of_call="A derivative is asked for of a complex result.",
        edits=(
            "{grad}(lambda *xs: {function}(*xs).real{options})({arguments})",
            "{grad}({function}{options}, holomorphic=True)({arguments})",
        ),
    ),
    Remedy(
        ("TypeError",),
        "requires real-(valued| or complex-valued) outputs",
        "A derivative was asked for of a result that is no float.",
        "Integers and booleans have no derivative: differentiate a function that returns a float, "
        "and return what is counted beside it, with `has_aux=True`.",
        of_call="A derivative is asked for of a result that is no float.",
    ),
    Remedy(
        ("TypeError",),
        "requires real-(valued| or complex-valued) inputs",
        "A derivative was asked for with respect to integers.",
        "Pass floats (`f32[…]`, `1.0`), or choose other arguments with `argnums=`.",
        of_call="A derivative is asked for with respect to integers.",
        edits=(*_OTHER_ARGUMENTS, "{grad}({function}{options})({floats})"),
    ),
    Remedy(
        ("TypeError", "ValueError"),
        "to jax.jvp (must|do not match)|jvp called with different primal",
        "The primals and the tangents of `jvp` do not fit together.",
        "Give both as tuples: each primal a float, its tangent of the same shape and type: "
        "`jvp(f, (x,), (t,))`.",
        of_call="The primals and the tangents of `jvp` do not fit together.",
    ),
    Remedy(
        ("TypeError", "NotImplementedError"),  # of `jvp`; of a `grad` of it
        r"can't apply forward-mode autodiff \(jvp\) to a custom_vjp function|rule for 'custom_lin'",
        "A forward derivative is asked of a function whose rule, a `custom_vjp`, is for the "
        "backward pass alone.",
        "Use `grad`, `vjp` or `jacrev` in place of `jvp`, `linearize`, `jacfwd` or `hessian`, or "
        "give the function a `custom_jvp`, which serves both.",
        _CUSTOM_RULES,
    ),
    Remedy(
        ("AttributeError",),
        "No (VJP|JVP) defined for custom_",
        "A `custom_vjp` or `custom_jvp` has no rule.",
        "Give it one: `f.defvjp(forward, backward)` of a `custom_vjp`, `f.defjvp(rule)` of a "
        "`custom_jvp`.",
        _CUSTOM_RULES,
    ),
    Remedy(
        ("TypeError", "ValueError"),
        "^Custom VJP bwd rule",
        "The backward rule of a `custom_vjp` does not return what it must.",
        "Return a tuple with one entry for each argument of the function, of its shape and dtype, "
        "or `None` where it has no derivative.",
        _CUSTOM_RULES,
    ),
    Remedy(
        ("TypeError", "ValueError"),
        "^Custom VJP fwd rule",
        "The forward rule of a `custom_vjp` does not return what it must.",
        "Return a pair: what the function itself returns, and what the backward rule needs.",
        _CUSTOM_RULES,
    ),
    Remedy(
        ("TypeError", "ValueError"),
        "^Custom JVP rule",
        "The rule of a `custom_jvp` does not return what it must.",
        "Return a pair: the result, and its tangent, of the same shape and dtype.",
        _CUSTOM_RULES,
    ),
    Remedy(
        ("ValueError",),
        "^Reverse-mode differentiation does not work for lax.while_loop",
        "A loop whose number of rounds is not known has no backward pass.",
        "Give `fori_loop` bounds that are known while tracing, or use `jax.lax.scan`; or "
        "differentiate forward: `jax.jacfwd` or `jax.jvp`.",
        edits=("{jax}jacfwd({function}{options})({arguments})",),
    ),
    Remedy(
        ("ValueError",),
        "^Linearization failed to produce known values",
        "An operation is differentiated that has no backward pass, such as a Pallas kernel.",
        "Give the function around it a rule with `jax.custom_vjp`; or differentiate forward: "
        "`jax.jacfwd` or `jax.jvp`.",
        _CUSTOM_RULES,
        edits=("{jax}jacfwd({function}{options})({arguments})",),
    ),
    Remedy(
        ("ValueError",),
        r"^vmap was requested to map its argument along axis",
        "`vmap` maps over an axis that an argument does not have.",
        "Give that argument `None` in `in_axes`, such as `vmap(f, in_axes=(0, None))`, or give it "
        "one more axis.",
        of_call="`vmap` maps over an axis that an argument does not have.",
    ),
    Remedy(
        ("ValueError", "TypeError"),
        r"^vmap in_axes must be an int, None, or",
        "`in_axes` does not have one entry for each argument.",
        "Give each positional argument one entry: the axis to map over, or `None`.",
        of_call="`in_axes` does not have one entry for each argument.",
    ),
    Remedy(
        ("ValueError",),
        "^vmap (must have at least one non-None value in in_axes|wrapped function must be passed)",
        "`vmap` has no axis to map over.",
        "Pass an array, and give at least one argument an axis in `in_axes`.",
        of_call="`vmap` has no axis to map over.",
    ),
    Remedy(
        ("ValueError",),
        "^vmap got inconsistent sizes",
        "The axes that `vmap` maps over differ in size.",
        "Give `None` in `in_axes` to what is not mapped over, such as "
        "`vmap(f, in_axes=(0, None))`, or compare the sizes named here.",
        of_call="The axes that `vmap` maps over differ in size.",
    ),
    Remedy(
        ("ValueError",),
        r"^axis -?\d+ is out of bounds for array of dimension",
        "An axis is named that the array does not have.",
        "Axes count from 0, and from -1 backwards: an array with two has 0, 1, -1 and -2.",
        of_call="An axis is named that the array does not have.",
    ),
    Remedy(
        ("TypeError", "ValueError"),
        "^differentiating with respect to argnums=|^Positional argument indices, e.g. for|"
        r"^Jitted function has (static|donate)_argnums=",
        "An argument is named by a position that the call does not have.",
        "Positions count from 0, and only arguments without a keyword have one.",
        of_call="An argument is named by a position that the call does not have.",
    ),
    Remedy(
        ("ValueError",),
        "(?s)Non-hashable static arguments.*(ArrayImpl|ndarray)",
        "An array is marked static.",
        "Leave it out of `static_argnums` and `static_argnames`: what is static must be "
        "hashable, as numbers, strings and tuples are.",
        of_call="An array is marked static.",
    ),
    Remedy(
        ("TypeError",),
        r"\bbranch(es| outputs) must have",
        "The branches of a conditional return different types.",
        "Let all of them return arrays of the same shapes and dtypes, in the same structure.",
    ),
    Remedy(
        ("TypeError",),
        "function carry input and carry output must have",
        "The body of a loop returns a carry of another type than it is given.",
        "Let the body return the shapes and dtypes that it gets, such as by `.astype(…)`, or begin "
        "with those that it returns.",
    ),
    Remedy(
        ("TypeError",),
        "cond_fun must return a boolean scalar|Pred must be a scalar",
        "The condition of a loop or a conditional is no single boolean.",
        "Compare, such as `i < n`, and make one answer of an array by `.any()` or `.all()`; "
        "`jnp.where` chooses element by element.",
    ),
    Remedy(
        ("TypeError",),
        "(?s)dtypes do not match.*shapes do not match",
        "Neither dtypes nor shapes fit together.",
        "Compare the types named here.",
    ),
    Remedy(
        ("TypeError", "ValueError"),
        "dtypes do not match|the same dtypes|equal dtypes",
        "The dtypes do not fit together.",
        "Convert one of the arrays, such as by `x.astype(y.dtype)`.",
        of_call="The dtypes of the arguments do not fit together.",
    ),
    Remedy(
        ("TypeError", "ValueError"),
        "incompatible shapes|same shape|contracting dimensions|Incompatible shapes|"
        "inconsistent sizes|cannot reshape|shapes do not match|must have ndim",
        "The shapes do not fit together.",
        "Compare the shapes named here with those in the call.",
        of_call="The shapes of the arguments do not fit together.",
    ),
    Remedy(
        ("TypeError",),
        "must have equal",
        "The types do not fit together.",
        "Compare the types named here.",
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
        "cannot create weak reference to 'numpy",
        "JAX cannot trace a function of NumPy's.",
        "Use the function of the same name in `jax.numpy` (`jnp`).",
        of_call="JAX cannot trace a function of NumPy's.",
    ),
    Remedy(
        ("TypeError",),
        "cannot create weak reference",
        "JAX cannot trace this function: it is written in another language than Python.",
        "Use the function of the same name in `jax.numpy` (`jnp`), or call it in a `lambda`.",
    ),
    Remedy(
        ("TypeError",),
        "^Argument '.*is not a valid JAX type",
        "An argument holds something that is no array.",
        "Pass arrays and numbers. Where it is to be differentiated, `argnums` names other "
        "arguments, and `equinox.filter_grad` leaves out what is no array.",
        of_call="An argument holds something that is no array.",
        edits=_OTHER_ARGUMENTS,
    ),
    Remedy(
        ("TypeError",),
        "not a valid JAX type|returned a value of type",
        "The function returns something that is no array.",
        "Return arrays, numbers, or lists, tuples and dictionaries of them.",
    ),
    Remedy(
        ("TypeError",),
        r"requires ndarray or scalar arguments|to \w+ as a JAX value|unsupported operand.*"
        r"('(list|tuple|str|dict|NoneType)'.*(ArrayImpl|Tracer)|"
        r"(ArrayImpl|Tracer).*'(list|tuple|str|dict|NoneType)')|"
        r"can only concatenate .*(ArrayImpl|Tracer)",
        "A function of JAX's is given something that is no array.",
        "Make arrays of lists and tuples: `jnp.asarray(…)`. Strings and `None` have no place among "
        "arrays.",
    ),
    Remedy(  # jit looks at the arguments before the function does
        ("TypeError",),
        r"as an abstract array.*at path kwargs\['",
        "The function may have no parameter of this name, and the argument is no array.",
        "Compare the call with the function's parameters. Where it takes any name, mark this one "
        "static: `jit(f, static_argnames=…)`.",
        of_call="The function may have no parameter of this name, and the argument is no array.",
    ),
    Remedy(
        ("TypeError",),
        "as an abstract array|not a valid JAX array type",
        "An argument is no array and is not static.",
        "Mark it static: `jit(f, static_argnames=…)`, or pass an array.",
        of_call="An argument is no array and is not static.",
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
        of_call="A static argument must be hashable.",
        edits=("{tuples}",),
    ),
    Remedy(
        ("TypeError",),
        r"required (positional|keyword-only|argument)|takes .*positional argument|positional-only|"
        "unexpected keyword argument|multiple values for (keyword )?argument|too many positional",
        "",
        "Compare the call with the function's parameters.",
        of_call="The arguments do not fit the function's parameters.",
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


def find_remedy(error: BaseException, text: str) -> Remedy | None:
    """The row of the table that speaks about an exception, or None."""
    names = frozenset(cls.__name__ for cls in type(error).__mro__)
    special = next((make(error, text) for test, make in _SPECIAL if test(error, text)), None)
    return special or next((row for row in TABLE if row.fits(names, text)), None)


def _exit_remedy(error: BaseException, _text: str) -> Remedy:
    code = getattr(error, "code", None)
    shown = "" if code is None else repr(code)[:200]
    frames = walk_frames(error.__traceback__)
    is_import = any(f.function == "<module>" and f.file != CALL_FILE for f in frames)
    return Remedy(
        (),
        "",
        say("The file called sys.exit({shown}).", shown=shown),
        say('Put code that ends the program under `if __name__ == "__main__":`.')
        if is_import
        else say("Let the function return, or raise an error, in place of ending the program."),
        of_call=say("The call ends the program, and has no result."),
        remedy_of_call=say("Type a call of a function of the file."),
    )


def _import_remedy(error: BaseException, _text: str) -> Remedy:
    name = getattr(error, "name", None)
    name = name if isinstance(name, str) and name else "…"
    package = name.split(".")[0]
    return Remedy(
        (),
        "",
        say(
            "The module {name} is not installed for {interpreter}.",
            name=name,
            interpreter=sys.executable,
        ),
        say(
            "Install it there: {command}; or choose the interpreter of your project: --python, in "
            "the window Run, Choose the interpreter.",
            command=_install_command(package),
        ),
    )


_SAMPLE_LIBRARIES = frozenset({"flax", "optax", "equinox"})


def _install_command(package: str) -> str:
    """What to type so that this interpreter has a package."""
    starter = _find_starter()
    if starter and package in _SAMPLE_LIBRARIES:
        return f"{shlex.quote(starter)} samples --yes"
    if importlib.util.find_spec("pip") is None:  # as in the environments that uv makes
        return f"uv pip install --python {sys.executable} {package}"
    return f"{sys.executable} -m pip install {package}"


def _find_starter() -> str:
    """The `run` of the checkout that made this environment; empty if none did."""
    try:
        with open(os.path.join(sys.prefix, "jaxscope-stamp"), encoding="utf-8") as stamp:
            lines = stamp.read(10_000).splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    starter = os.path.join(lines[1], "run") if len(lines) > 1 else ""
    return starter if os.path.isfile(starter) else ""


def _import_name_remedy(_error: BaseException, text: str) -> Remedy:
    if "partially initialized module" in text:
        what = say("Modules import each other, and one was asked for a name before it had it.")
        return Remedy((), "", what, say("Import the module instead of the name, or later."))
    return Remedy((), "", say("An import failed."), say(_OTHER_VERSION))


def _misspelt_remedy(error: BaseException, _text: str) -> Remedy:
    """What a module may have in place of a name that it lacks."""
    module, name = getattr(error, "obj", None), str(getattr(error, "name", ""))
    close = difflib.get_close_matches(name, dir(module), n=3)
    remedy = say_joined((f"`{each}`" for each in close), EITHER)
    return Remedy(
        *((), "", ""),
        say("Did you mean {calls}?", calls=remedy) if close else say(_OTHER_VERSION),
        of_call=say("The call uses a name that a module does not have."),
        instead=(name, *close),
    )


def _is_misspelt(error: BaseException, _text: str) -> bool:
    is_of_module = isinstance(getattr(error, "obj", None), ModuleType)
    return isinstance(error, AttributeError) and is_of_module


def _is_missing_relative(error: BaseException, _text: str) -> bool:
    name = getattr(error, "filename", None)
    is_missing = isinstance(error, FileNotFoundError) and isinstance(name, str)
    return is_missing and not os.path.isabs(str(name))


def _missing_file_remedy(error: BaseException, _text: str) -> Remedy:
    """Where a relative path was looked for, and where such a file is: beside the code, perhaps."""
    name, folder = str(getattr(error, "filename", "")), os.getcwd()
    what = say(
        "There is no file {name} in {folder}, the working directory, where the code looks.",
        name=name,
        folder=folder,
    )
    frames = walk_frames(error.__traceback__)
    homes = dict.fromkeys(os.path.dirname(frame.file) for frame in reversed(frames))
    beside = next(
        (h for h in homes if os.path.isabs(h) and os.path.exists(os.path.join(h, name))), ""
    )
    if beside:
        remedy = say(
            "It is in {folder}: start jaxscope there (`cd {quoted}`), or let the code open it by a "
            "path made from `__file__`.",
            folder=beside,
            quoted=shlex.quote(beside),
        )
    else:
        remedy = say("Start jaxscope in the folder that the code is meant to run in.")
    return Remedy((), "", what, remedy)


_OTHER_VERSION = "Does the installed version have that name?"
_TOO_SMALL = (
    r"Used ([\d.]+[KMGT]) of ([\d.]+[KMGT]) hbm",
    r"\(([\d.]+[KMGT])\) exceeds available HBM \(([\d.]+[KMGT])\)",
)
"""How a TPU's compiler says that a program does not fit."""


def _exhausted_remedy(_error: BaseException, text: str) -> Remedy:
    for pattern in _TOO_SMALL:
        if (sizes := re.search(pattern, text, re.IGNORECASE)) is not None:
            needs, has = (f"{size[:-1]} {size[-1].upper()}iB" for size in sizes.groups())
            return Remedy(
                (),
                "",
                say(
                    "The program does not fit: it needs {needs} of the device's memory, it has "
                    "{has}.",
                    needs=needs,
                    has=has,
                ),
                say(
                    "Use smaller shapes, cut arrays over more devices, or take a target with more "
                    "memory. `jaxscope targets` compares chips."
                ),
                is_out_of_memory=True,
            )
    found = re.search(r"allocat\w* (\d+) bytes", text)
    size = say("It asked for {size}.", size=format_bytes(int(found.group(1)))) if found else ""
    return Remedy(
        (),
        "",
        say_joined((say("XLA ran out of memory."), size, describe_memory_limit())),
        say("Use smaller shapes, or a target with more memory."),
        is_out_of_memory=True,
    )


def _memory_remedy(_error: BaseException, _text: str) -> Remedy:
    return Remedy(
        (),
        "",
        say_joined((say("Python ran out of memory."), describe_memory_limit())),
        say("Use smaller shapes, or raise the limit with `--memory`."),
    )


def _is_squeeze(_error: BaseException, text: str) -> bool:
    return _find_squeezed(text) is not None


def _find_squeezed(text: str) -> re.Match[str] | None:
    return re.search(r"cannot select an axis to squeeze out.*shape=\((\d+)", text)


def _squeeze_remedy(_error: BaseException, text: str) -> Remedy:
    """`pmap` on too few devices says only this, and so does the user's own `squeeze`."""
    found = _find_squeezed(text)
    size = found[1] if found else "N"
    return Remedy(
        (),
        "",
        "",
        say(
            "Under `pmap`, each row of the mapped axis needs a device: `--target cpu:{size}` "
            "simulates them on the CPU. Elsewhere, squeeze only axes of size 1.",
            size=size,
        ),
    )


_NO_ARRAY = re.compile(
    r"as an abstract array.*at path (?P<name>[A-Za-z_]\w*)(?P<rest>[^\s]*)", re.S
)


def _is_no_array(_error: BaseException, text: str) -> bool:
    found = _NO_ARRAY.search(text)
    return found is not None and found["name"] != "kwargs"


def _no_array_remedy(_error: BaseException, text: str) -> Remedy:
    """Of an argument of a jitted function, by what it is."""
    found = _NO_ARRAY.search(text)
    name, rest = (found["name"], found["rest"].rstrip(".")) if found else ("", "")
    what = say("An argument is no array and is not static.")
    edits: tuple[str, ...] = _STATIC
    if rest:
        remedy = say(
            "`{leaf}` is no array, and the dictionary or list around it cannot be static. Pass it "
            "as an argument of its own, and make that static: `jit(f, static_argnames=…)`.",
            leaf=f"{name}{rest}",
        )
        edits = ("{unjitted}",)
    elif name == "self":
        remedy = say(
            "Make `self` static: `@partial(jax.jit, static_argnums=0)`, after which what it holds "
            "must not change. Or make a pytree of the class, as `equinox.Module` and "
            "`jax.tree_util.register_dataclass` do."
        )
        edits = ()
    else:
        remedy = say(
            'Make `{name}` static: `jit(f, static_argnames="{name}")`, or pass an array.', name=name
        )
    return Remedy((), "", what, remedy, of_call=what, edits=edits)


def _is_failure_under_limit(error: BaseException, text: str) -> bool:
    """XLA's own message blames whatever part of it could not allocate."""
    is_xlas = type(error).__name__ in ("JaxRuntimeError", "XlaRuntimeError")
    return is_xlas and text.startswith("INTERNAL") and describe_memory_limit() != ""


def _limit_remedy(_error: BaseException, _text: str) -> Remedy:
    what = say("XLA failed, perhaps for want of memory.")
    what = say_joined((what, describe_memory_limit()))
    return Remedy((), "", what, say("Raise the limit, or use smaller shapes."))


def _is_missing_backend(error: BaseException, text: str) -> bool:
    """JAX asserts, without a word, that a platform which it was asked to use has devices.

    Whose assertion it was is asked by trying again: JAX cuts its own frames off tracebacks.
    """
    if not isinstance(error, AssertionError) or text:
        return False
    import jax  # a worker starts without it, too

    try:
        jax.devices()
    except AssertionError:
        return True
    except Exception:  # another fault of the backend's, and so another row's
        return False
    return False


def _backend_remedy(_error: BaseException, _text: str) -> Remedy:
    return Remedy(
        (),
        "",
        describe_missing_backend(),
        say(
            "Install the plugin of that platform, or leave the choice to JAX; `jaxscope doctor` "
            "lists the targets that work here."
        ),
    )


def describe_missing_backend() -> str:
    """One sentence on the platforms that JAX was asked to use."""
    import jax  # as above

    platforms = getattr(jax.config, "jax_platforms", None) or "a platform"
    return say(
        "JAX was told to use {platforms}, and nothing that is installed here provides it.",
        platforms=platforms,
    )


_Test = Callable[[BaseException, str], bool]
_Make = Callable[[BaseException, str], Remedy]
_SPECIAL: tuple[tuple[_Test, _Make], ...] = (
    (lambda error, _text: isinstance(error, SystemExit), _exit_remedy),
    (lambda error, _text: isinstance(error, ModuleNotFoundError), _import_remedy),
    (lambda error, _text: isinstance(error, ImportError), _import_name_remedy),
    (_is_misspelt, _misspelt_remedy),
    (_is_missing_relative, _missing_file_remedy),
    (lambda _error, text: "RESOURCE_EXHAUSTED" in text, _exhausted_remedy),
    (lambda error, _text: isinstance(error, MemoryError), _memory_remedy),
    (_is_squeeze, _squeeze_remedy),
    (_is_no_array, _no_array_remedy),
    (_is_failure_under_limit, _limit_remedy),
    (_is_missing_backend, _backend_remedy),
)
