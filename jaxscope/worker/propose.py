"""Propose a call of a function that traces, for a person who gave none.

Tried in this order: defaults, annotations (jaxtyping's `Float[Array, "8 2"]` included), names that
tell a kind of argument (a key, a flag, a size), and small shapes, until one traces. Values are
never run through the function: it is only traced.
"""

from __future__ import annotations

import inspect
import itertools
import re
import time
from collections.abc import Iterator
from typing import Any

from jaxscope.errors import CallError, Explanation
from jaxscope.worker.call import call_namespace, list_functions, parse_call
from jaxscope.worker.channel import Channel
from jaxscope.worker.explain import guard
from jaxscope.worker.program import trace_call
from jaxscope.worker.source import SourceSnapshot, read_source
from jaxscope.worker.user_module import execute_file

BUDGET_S = 8.0
MAX_ATTEMPTS = 400
_SHAPES = ("f32[()]", "f32[8]", "f32[8, 8]", "f32[4, 8]", "f32[2, 8, 8]", "f32[1, 8, 8, 3]", "3")
_KEY_NAMES = frozenset({"key", "rng", "prng_key", "rng_key", "seed_key", "k"})
_FLAG_NAMES = frozenset({"training", "train", "deterministic", "is_training", "inference"})
_DTYPES = {"Float": "f32", "Int": "i32", "Bool": "bool_", "Complex": "c64", "UInt": "u32"}
_DIMENSION = re.compile(r"^\d+$")


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
    text, why = propose_call(source, call_namespace(vars(module)), function=function)
    if text is None:
        raise CallError(
            Explanation(
                what=f"No arguments were found with which {function} traces.",
                where=source.path,
                why=why,
                remedy=f"Type the call, such as {function}(f32[8, 8], key(0)).",
                kind="NoProposal",
            )
        )
    channel.send("proposal", {"call": text})


def propose_call(
    source: SourceSnapshot, names: dict[str, Any], *, function: str | None
) -> tuple[str | None, str]:
    """Find a call that traces.

    Args:
        source: The user's file.
        names: Its namespace, as `call_namespace` makes it.
        function: Its name, or None to take the first function of the file that has a call.

    Returns:
        The call, or None and the last reason why an attempt failed.
    """
    candidates = [function] if function is not None else list_functions(names)
    deadline = time.monotonic() + BUDGET_S
    why = "The file defines no functions." if not candidates else ""
    for name in candidates:
        for text in itertools.islice(candidate_calls(name, names), MAX_ATTEMPTS):
            if time.monotonic() > deadline:
                return None, why or "Tracing took too long."
            try:
                trace_call(parse_call(text, names, file=source.path))
            except CallError as error:
                why = error.explanation.what
            except Exception as error:
                why = f"{text}: {type(error).__name__}: {str(error)[:300]}"
            else:
                return text, ""
    return None, why


def candidate_calls(name: str, names: dict[str, Any]) -> Iterator[str]:
    """Calls to try, the likeliest first."""
    function = names.get(name)
    try:
        target = function
        if function is None:
            target = eval(name, dict(names))
        parameters = list(inspect.signature(target).parameters.values())  # type: ignore[arg-type]
    except Exception:
        parameters = []
    required = [
        parameter
        for parameter in parameters
        if parameter.default is inspect.Parameter.empty
        and parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    ]
    if not required:
        yield f"{name}()"
        if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
            yield from (f"{name}({shape})" for shape in _SHAPES)
        return
    choices = [list(_choices(parameter)) for parameter in required]
    for picked in _diagonal(choices):
        arguments = ", ".join(
            f"{parameter.name}={text}" if parameter.kind is inspect.Parameter.KEYWORD_ONLY else text
            for parameter, text in zip(required, picked, strict=True)
        )
        yield f"{name}({arguments})"


def _choices(parameter: inspect.Parameter) -> Iterator[str]:
    annotated = annotation_text(parameter.annotation)
    if annotated is not None:
        yield annotated
        return
    if parameter.name in _KEY_NAMES or parameter.name.endswith("_key"):
        yield "key(0)"
    if parameter.name in _FLAG_NAMES or parameter.name.startswith(("is_", "use_")):
        yield "False"
    yield from _SHAPES
    yield "key(0)"


def annotation_text(annotation: Any) -> str | None:
    """An argument for an annotation, or None if it does not say what is wanted."""
    plain = {int: "3", float: "1.0", bool: "True", complex: "1j", "int": "3", "float": "1.0"}
    try:
        if annotation in plain:
            return plain[annotation]
    except TypeError:
        return None
    dimensions = getattr(annotation, "dim_str", None)
    if dimensions is None and isinstance(annotation, str):
        match = re.match(r"""(?:\w+\.)?(\w+)\[[^"']*["']([^"']*)["']\]$""", annotation)
        if match is None or match.group(1) not in _DTYPES:
            return None
        return _array_text(_DTYPES[match.group(1)], match.group(2))
    if not isinstance(dimensions, str):
        return None
    kind = next((text for prefix, text in _DTYPES.items() if prefix in repr(annotation)), "f32")
    return _array_text(kind, dimensions)


def _array_text(dtype: str, dimensions: str) -> str | None:
    """`f32[8, 4]` for jaxtyping's `"8 features"`: a named size is the same wherever it stands."""
    sizes: list[str] = []
    for word in dimensions.split():
        word = word.lstrip("*#?_").partition("=")[2] or word.lstrip("*#?_")
        if word == "..." or word == "":
            continue
        sizes.append(word if _DIMENSION.match(word) else str(4 + sum(map(ord, word)) % 5))
    return f"{dtype}[{', '.join(sizes)}]" if sizes else f"{dtype}[()]"


def _diagonal(choices: list[list[str]]) -> Iterator[tuple[str, ...]]:
    """All combinations; first those that give every argument the same choice."""
    longest = max(map(len, choices))
    seen: set[tuple[str, ...]] = set()
    same = (tuple(options[min(i, len(options) - 1)] for options in choices) for i in range(longest))
    for picked in itertools.chain(same, itertools.product(*choices)):
        if picked not in seen:
            seen.add(picked)
            yield picked
