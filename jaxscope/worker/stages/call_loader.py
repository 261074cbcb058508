"""Load the user's file and the requested call of it; where no call was given, propose one that
traces.

Candidates for arguments are read from annotations, names, the function's source and what else the
file has. They are traced until one succeeds; no value is ever run through the function.
"""

from __future__ import annotations

import ast
import collections
import inspect
import itertools
import re
import textwrap
import time
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax

from jaxscope.errors import CallError, Explanation, JaxscopeError, TraceError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.outline import find_offered_calls
from jaxscope.model.said import say, say_joined
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import explain_exception, guard
from jaxscope.worker.host.call import Call, call_namespace, list_functions, parse_call
from jaxscope.worker.host.executable_cache import keeping_executables
from jaxscope.worker.host.source import SourceSnapshot, read_source
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.provenance.traced_program import trace_call
from jaxscope.worker.targets.environment import allow_transfers, use_target

# Argument texts to try for a function that nobody gave a call for, the likeliest first.
#
# What a parameter might be is read from its annotation, its name, how the function's source uses it
# (`params["w"]` is a dictionary with that key) and what else the file has (`init(key(0))` makes
# parameters). Nothing here runs the function.


_SHAPES = ("f32[()]", "f32[8]", "f32[8, 8]", "f32[2, 8, 8]", "f32[1, 8, 8, 3]", "i32[8]", "3")
_KEY_NAMES = frozenset({"key", "rng", "prng_key", "rng_key", "prng", "seed_key"})
_FLAG_NAMES = frozenset({"training", "train", "deterministic", "inference"})
_PARAMETER_NAMES = frozenset(
    {"params", "parameters", "p", "weights", "state", "model", "variables"}
)
_VECTOR_KEYS = ("b", "bias", "scale", "beta", "gamma", "offset", "shift")
_DTYPES = {"Float": "f32", "Int": "i32", "Bool": "bool_", "Complex": "c64", "UInt": "u32"}
_PLAIN = {int: "3", float: "1.0", bool: "True", complex: "1j", "int": "3", "float": "1.0"}
_ANNOTATION = re.compile(r"""(?:\w+\.)?(\w+)\[[^"']*["']([^"']*)["']\]$""")


def candidate_calls(name: str, names: Mapping[str, Any]) -> Iterator[str]:
    """Calls of a function, class or method (`Model.loss`) of a file, the likeliest first.

    Args:
        name: As the outline of the file has it.
        names: The file's namespace.
    """
    owner, _, method = name.rpartition(".")
    if owner and isinstance(names.get(owner), type):
        function = getattr(names[owner], method, None)
        for made in _constructions(owner, names):
            yield from _calls_of(f"{made}.{method}", function, names, skip_self=True)
    elif isinstance(names.get(name), type):
        function = getattr(names[name], "__call__", None)  # noqa: B004 # the method, not a test
        if inspect.isfunction(function):
            for made in _constructions(name, names):
                yield from _calls_of(made, function, names, skip_self=True)
    else:
        yield from _calls_of(name, names.get(name), names, skip_self=False)


def _constructions(name: str, names: Mapping[str, Any]) -> Iterator[str]:
    """Expressions that make an instance."""
    yield from itertools.islice(_calls_of(name, names.get(name), names, skip_self=False), 8)


def _calls_of(
    expression: str, function: Any, names: Mapping[str, Any], *, skip_self: bool
) -> Iterator[str]:
    try:
        parameters = list(inspect.signature(function).parameters.values())[1 if skip_self else 0 :]
    except (TypeError, ValueError):
        parameters = []
    required = [p for p in parameters if _is_required(p)]
    if not required:
        yield f"{expression}()"
        if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
            yield from (f"{expression}({shape})" for shape in _SHAPES)
        return
    structures = read_structures(function)
    choices = [list(_choices(p, structures.get(p.name, ()), names)) for p in required]
    for picked in _diagonal(choices):
        arguments = ", ".join(
            f"{parameter.name}={text}" if parameter.kind is inspect.Parameter.KEYWORD_ONLY else text
            for parameter, text in zip(required, picked, strict=True)
        )
        yield f"{expression}({arguments})"


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.default is inspect.Parameter.empty and parameter.kind not in (
        inspect.Parameter.VAR_POSITIONAL,
        inspect.Parameter.VAR_KEYWORD,
    )


def _choices(
    parameter: inspect.Parameter, structures: tuple[str, ...], names: Mapping[str, Any]
) -> Iterator[str]:
    annotated = annotation_text(parameter.annotation)
    if annotated is not None:
        yield annotated
        return
    special = False
    if parameter.name in _KEY_NAMES or parameter.name.endswith("_key"):
        yield from itertools.repeat("key(0)", len(_SHAPES))
        special = True
    if parameter.name in _FLAG_NAMES or parameter.name.startswith(("is_", "use_")):
        yield from itertools.repeat("False", len(_SHAPES))
        special = True
    if parameter.name in _PARAMETER_NAMES or structures:
        structures = (*_made_by_the_file(names), *structures)
    # Each structure meets every shape of the other arguments before the next one is tried.
    for structure in structures:
        yield from itertools.repeat(structure, len(_SHAPES))
    yield from _SHAPES
    if not special:
        yield "key(0)"


def _made_by_the_file(names: Mapping[str, Any]) -> Iterator[str]:
    """Calls of the file's own functions that make parameters."""
    for name, value in names.items():
        is_own = getattr(value, "__module__", None) == names.get("__name__")
        if is_own and callable(value) and name.startswith(("init", "make_param", "create_param")):
            try:
                required = [
                    p for p in inspect.signature(value).parameters.values() if _is_required(p)
                ]
            except (TypeError, ValueError):
                continue
            if not required:
                yield f"{name}()"
            elif len(required) == 1:
                yield f"{name}(key(0))"


def read_structures(function: Any) -> dict[str, tuple[str, ...]]:
    """Pytrees that the source of a function shows its parameters to be, as argument texts."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, ValueError):
        return {}
    keys: dict[str, dict[str, None]] = {}
    pairs: dict[str, int] = {}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Name)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
        ):
            keys.setdefault(node.value.id, {})[node.slice.value] = None
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Name):
            target = node.target
            pairs[node.iter.id] = len(target.elts) if isinstance(target, ast.Tuple) else 1
    structures = {name: _dictionaries(sorted(found)) for name, found in keys.items()}
    structures |= {name: _lists(count) for name, count in pairs.items() if name not in keys}
    return structures


def _dictionaries(keys: list[str]) -> tuple[str, ...]:
    def text(shape_of: dict[str, str]) -> str:
        return "{" + ", ".join(f"{key!r}: {shape}" for key, shape in shape_of.items()) + "}"

    guessed = {key: _shape_by_name(key) for key in keys}
    return (text(guessed), *(text(dict.fromkeys(keys, shape)) for shape in _SHAPES[:4]))


def _lists(count: int) -> tuple[str, ...]:
    if count == 1:
        return tuple(f"[{shape}, {shape}]" for shape in ("f32[8, 8]", "f32[8]", "f32[()]"))
    shapes = ["f32[8, 8]", *["f32[8]"] * (count - 1)]
    return (f"[({', '.join(shapes)}), ({', '.join(shapes)})]",)


def _shape_by_name(key: str) -> str:
    return "f32[8]" if key.lower() in _VECTOR_KEYS or key.lower().startswith("b") else "f32[8, 8]"


def annotation_text(annotation: Any) -> str | None:
    """An argument for an annotation, or None if it does not say what is wanted."""
    try:
        if annotation in _PLAIN:
            return _PLAIN[annotation]
    except TypeError:
        return None
    dimensions = getattr(annotation, "dim_str", None)
    if isinstance(dimensions, str):
        kind = next((text for prefix, text in _DTYPES.items() if prefix in repr(annotation)), "f32")
        return _array_text(kind, dimensions)
    match = _ANNOTATION.match(annotation) if isinstance(annotation, str) else None
    if match is None or match.group(1) not in _DTYPES:
        return None
    return _array_text(_DTYPES[match.group(1)], match.group(2))


def _array_text(dtype: str, dimensions: str) -> str:
    """`f32[8, 4]` for jaxtyping's `"8 features"`: a named size is the same wherever it stands."""
    sizes: list[str] = []
    for word in dimensions.split():
        word = word.lstrip("*#?_").partition("=")[2] or word.lstrip("*#?_")
        if word and word != "...":
            sizes.append(word if word.isdecimal() else str(4 + sum(map(ord, word)) % 5))
    return f"{dtype}[{', '.join(sizes)}]" if sizes else f"{dtype}[()]"


def _diagonal(choices: list[list[str]]) -> Iterator[tuple[str, ...]]:
    """All combinations; first those that give every argument its choice of the same rank."""
    longest = max(map(len, choices))
    seen: set[tuple[str, ...]] = set()
    same = (tuple(options[min(i, len(options) - 1)] for options in choices) for i in range(longest))
    unique = [list(dict.fromkeys(options)) for options in choices]
    for picked in itertools.chain(same, itertools.product(*unique)):
        if picked not in seen:
            seen.add(picked)
            yield picked


BUDGET_S = 8.0
MAX_ATTEMPTS = 400
_MOST_OF_NAMES = 8
"""Attempts after which no others are made, where all of them ended at a name."""
_OF_TRACING = (
    jax.errors.JAXTypeError,
    jax.errors.JAXIndexError,
    jax.errors.UnexpectedTracerError,
)
"""What JAX raises where a function does what tracing does not allow, whatever its arguments."""


def handle_propose(request: dict[str, Any], channel: Channel) -> None:
    """Answer a `propose` request.

    Raises:
        JaxscopeError: The file raised, or no call of the function was found that traces.
    """
    source = read_source(request["file"])
    channel.progress("import", "Importing the file")
    with guard("import", {source.path}):
        module = execute_file(source.path, source.text)
    channel.progress("propose", "Looking for arguments that trace")
    function = str(request["function"])
    names = call_namespace(vars(module))
    text, refusal = propose_call(source, names, function=function)
    if text is None:
        raise TraceError(
            Explanation(
                what=say("No arguments were found with which {name} traces.", name=function),
                where=refusal.where or source.path,
                why=refusal.why,
                remedy=_describe_form(function, names, refusal.call),
                kind="NoProposal",
                calls=(refusal.call,) if refusal.call else (),
            )
        )
    channel.send("proposal", {"call": text})


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no call was found.

    Attributes:
        why: What one of the attempts ended with, the one that says most.
        where: Where that attempt failed, such as `file.py:12`.
        call: That attempt.
    """

    why: str
    where: str = ""
    call: str = ""


def _describe_form(function: str, names: dict[str, Any], tried: str) -> str:
    """What to type, with the function's own parameters and what the file makes for them.

    Args:
        tried: A call that was tried in vain, if any was.
    """
    form = tried or next(candidate_calls(function, names), f"{function}()")
    owner, _, method = function.rpartition(".")
    subject = getattr(names.get(owner), method, None) if owner else names.get(function)
    try:
        parameters = inspect.signature(subject).parameters if callable(subject) else {}
    except (TypeError, ValueError):
        parameters = {}
    listed = ", ".join(name for name in parameters if not (owner and name == "self"))
    if listed:
        told = say(
            "Type a call of the form {form} with arguments that its code accepts for {listed}.",
            form=form,
            listed=listed,
        )
    else:
        told = say("Type a call of the form {form} that its code accepts.", form=form)
    if not tried:
        return told
    return say_joined((told, say("Other arguments like these were tried, too.")))


def propose_call(
    source: SourceSnapshot, names: dict[str, Any], *, function: str | None
) -> tuple[str | None, Refusal]:
    """Find a call that traces, or that fails by what the function does and not by its arguments.

    A function that indexes by a mask, or has a name that does not exist, traces with no arguments:
    its call is proposed all the same, and tracing it says what is wrong, and where.

    Args:
        source: The user's file.
        names: Its namespace, as `call_namespace` makes it.
        function: Its name, or None to take the first function of the file that has a call.

    Returns:
        The call, or None and why there is none.
    """
    candidates = [function] if function is not None else list_functions(names)
    deadline = time.monotonic() + BUDGET_S
    attempts: list[tuple[str, Exception]] = []
    for name in candidates:
        for text in itertools.islice(candidate_calls(name, names), MAX_ATTEMPTS):
            if time.monotonic() > deadline:
                break
            try:
                trace_call(parse_call(text, names, file=source.path))
            except Exception as error:
                attempts.append((text, error))
            else:
                return text, Refusal("")
            if sum(_is_of_name(error) for _, error in attempts[-_MOST_OF_NAMES:]) == _MOST_OF_NAMES:
                break
    if not candidates:
        return None, Refusal("The file defines no functions.")
    likely = [
        text for text, error in attempts if isinstance(error, _OF_TRACING) or _is_of_name(error)
    ]
    if likely:
        return next((text for text in likely if "f32[8" in text), likely[0]), Refusal("")
    return None, _refuse(attempts, source)


def _is_of_name(error: Exception) -> bool:
    """Whether a name does not exist, or is not in a module: no arguments change that."""
    is_of_module = isinstance(error, AttributeError) and isinstance(error.obj, types.ModuleType)
    # A local name without a value is another matter: arguments choose the branch that sets it.
    is_unknown = isinstance(error, NameError) and not isinstance(error, UnboundLocalError)
    return is_of_module or is_unknown


def _refuse(attempts: Sequence[tuple[str, Exception]], source: SourceSnapshot) -> Refusal:
    """What the attempts ended with: not the last and strangest, but what most of them say."""
    if not attempts:
        return Refusal("Tracing took too long.")
    kinds = collections.Counter(type(error) for _, error in attempts)

    def weight(attempt: tuple[str, Exception]) -> tuple[int, bool]:
        text, error = attempt
        return kinds[type(error)], "f32[8" in text

    text, error = max(attempts, key=weight)  # the first of those that weigh most
    if isinstance(error, JaxscopeError):
        explanation = error.explanation
    else:
        _, explanation = explain_exception(error, {source.path}, stage="trace")
    told = f"With {text}: {explanation.what}"
    why = f"{told}\n{explanation.why}" if explanation.why else told
    return Refusal(why, explanation.where, text)


def load_call(request: dict[str, Any], channel: Channel) -> tuple[SourceSnapshot, Call]:
    """Read and execute the user's file, and take the requested call apart.

    Raises:
        JaxscopeError: The file cannot be read, it or an argument of the call raised, or the target
            is not available.
    """
    source, names = load_names(request, channel)
    return source, evaluate_call(
        source, names, choose_call(request, source, names, channel), channel
    )


def choose_call(
    request: dict[str, Any], source: SourceSnapshot, names: dict[str, Any], channel: Channel
) -> str:
    """The text of the requested call, or of the first that the file offers."""
    return str(request.get("call") or "") or first_call(source, names, channel)


def evaluate_call(
    source: SourceSnapshot, names: dict[str, Any], text: str, channel: Channel
) -> Call:
    """Take a call apart and evaluate its arguments.

    Raises:
        JaxscopeError: It is no call, or an argument raised.
    """
    channel.progress("call", "Evaluating the arguments")
    with guard("call", {source.path}, call=text), keeping_executables():
        return parse_call(text, names, file=source.path)


def load_names(request: dict[str, Any], channel: Channel) -> tuple[SourceSnapshot, dict[str, Any]]:
    """Read and execute the user's file; returns it and the names that a call may use.

    Raises:
        JaxscopeError: The file cannot be read, it raised, or the target is not available.
    """
    if not request.get("file"):
        raise CallError(
            say("There is no file to take the call from."),
            remedy=say("Name a Python file; it may be empty but for its imports."),
            kind="NoFile",
        )
    source = read_source(request["file"])
    channel.progress("import", f"Importing {source.path.rpartition('/')[2]}")
    with guard("import", {source.path}):
        module = execute_file(source.path, source.text)
    if guarding := allow_transfers():
        channel.message(f"{guarding} is set aside: looking at a program takes transfers, too.")
    use_target(str(request.get("target") or "cpu"))
    return source, call_namespace(vars(module))


def first_call(source: SourceSnapshot, names: dict[str, Any], channel: Channel) -> str:
    """The first call that the file offers, or one that is found for it.

    Raises:
        CallError: There is none.
    """
    offered = find_offered_calls(source.text)
    if offered:
        return offered[0].call
    text, refusal = propose_call(source, names, function=None)
    if text is None:
        raise CallError(
            Explanation(
                say(
                    "{file} offers no call, and none could be found.",
                    file=source.path.rpartition("/")[2],
                ),
                where=source.path,
                why=refusal.why,
                remedy=say("Type a call, or add a comment line such as # jaxscope: loss(f32[8])."),
                kind="NoCall",
                example="loss(f32[8])",
            )
        )
    channel.message(f"The file offers no call; jaxscope proposed {text}.")
    return text
