"""Argument texts to try for a function that nobody gave a call for, the likeliest first.

What a parameter might be is read from its annotation, its name, how the function's source uses it
(`params["w"]` is a dictionary with that key) and what else the file has (`init(key(0))` makes
parameters). Nothing here runs the function.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

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
