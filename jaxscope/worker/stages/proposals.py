"""Propose a call of a function that nobody gave one for: one that its own code accepts.

What the file's own script gives a function is tried first (`model/script_calls.py`). Other
arguments to try are read from annotations, names, how the source uses a parameter, and what else
the file has. They are traced until one succeeds; no value is ever run through the function. What
an attempt failed with leads to the next: the sizes that an error names are tried, and of several
attempts the one that came furthest is changed first.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import dataclasses
import functools
import inspect
import io
import itertools
import math
import re
import shlex
import signal
import textwrap
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any, NoReturn

import jax

from jaxscope.errors import CallError, Explanation, JaxscopeError, TraceError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.outline import find_offered_calls
from jaxscope.model.said import LINES, say, say_joined
from jaxscope.model.script_calls import find_script_calls
from jaxscope.model.units import file_name
from jaxscope.worker.channel import Channel
from jaxscope.worker.compat import is_jitted
from jaxscope.worker.faults.explain import explain_exception, guard
from jaxscope.worker.host.call import call_namespace, list_functions, parse_call, split_call
from jaxscope.worker.host.executable_cache import keeping_executables
from jaxscope.worker.host.source import SourceSnapshot, read_source
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.host.values import ArrayShorthand
from jaxscope.worker.provenance.traced_program import trace_call

_SHAPES = ("f32[()]", "f32[8]", "f32[8, 8]", "f32[2, 8, 8]", "f32[1, 8, 8, 3]", "i32[8]", "3")
_BY_RANK = ("f32[()]", "f32[8]", "f32[8, 8]", "f32[2, 8, 8]", "f32[2, 8, 8, 4]")
_KEY_NAMES = frozenset({"key", "rng", "prng_key", "rng_key", "prng", "seed_key"})
_FLAG_NAMES = frozenset({"training", "train", "deterministic", "inference"})
_PARAMETER_NAMES = frozenset(
    {"params", "parameters", "p", "weights", "state", "model", "variables"}
)
_SCALARS = (
    (r"(.*_)?(eps|epsilon|tol|atol|rtol|tolerance|jitter)", "1e-6"),
    (r"lr|alpha|dt|tau|momentum|temperature|(.*_)?(rate|decay|step_size|threshold)", "0.1"),
    (r"axis|dim", "0"),
    (r"n|k|steps?|count|depth|order|length|size|(num|n)_.*|.*_(size|dim|count|steps|len)", "3"),
)
"""Names of parameters that are numbers, and such a number: values are computed of it, too."""
_VECTOR_KEYS = ("b", "bias", "scale", "beta", "gamma", "offset", "shift")
_FUNCTIONS = ("jnp.tanh", "jnp.sum", "jnp.add")
"""For a parameter that is called."""
_DTYPES = {"Float": "f32", "Int": "i32", "Bool": "bool_", "Complex": "c64", "UInt": "u32"}
_PLAIN = {int: "3", float: "1.0", bool: "True", complex: "1j", "int": "3", "float": "1.0"}
_ANNOTATION = re.compile(r"""(?:\w+\.)?(\w+)\[[^"']*["']([^"']*)["']\]$""")
_ARRAY = re.compile(r"\b([fi]32)\[([^\]]*)\]")
_NUMBER = re.compile(r"(?<![\w.])\d{1,4}(?![\w.])")
_USUAL_SIZE, _MAX_SIZE, _MAX_SIZES, _MAX_RANK = 8, 1024, 6, 4
_MAX_FRAMES, _PATIENCE, _MAX_ELEMENTS = 40, 150, 1_000_000


def candidate_calls(
    name: str, names: Mapping[str, Any], text: str = "", failures: Mapping[str, Exception] = {}
) -> Iterator[str]:
    """Calls of a function, class or method (`Model.loss`) of a file, the likeliest first.

    Args:
        name: As the outline of the file has it.
        names: The file's namespace.
        text: The file: what it passes itself is tried first.
        failures: What the calls so far failed with. Who goes on after a call puts it there; the
            calls then lead on from these.
    """
    find = functools.partial(_calls_of, names=names, given=_read_given(text, names))
    owner, _, method = name.rpartition(".")
    if owner and isinstance(names.get(owner), type):
        function = getattr(names[owner], method, None)
        for made in _constructions(owner, names):
            yield from find(f"{made}.{method}", function, failures=failures, skip_self=True)
    elif isinstance(names.get(name), type):
        function = getattr(names[name], "__call__", None)  # noqa: B004 # the method, not a test
        if inspect.isfunction(function):
            for made in _constructions(name, names):
                yield from find(made, function, failures=failures, skip_self=True)
    else:
        yield from find(name, names.get(name), failures=failures)


def _constructions(name: str, names: Mapping[str, Any]) -> Iterator[str]:
    """Expressions that make an instance."""
    yield from itertools.islice(_calls_of(name, names.get(name), names), 8)


def _calls_of(
    expression: str,
    function: Any,
    names: Mapping[str, Any],
    given: Mapping[str, Sequence[str]] = {},
    failures: Mapping[str, Exception] = {},
    *,
    skip_self: bool = False,
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

    def write(picked: Sequence[str]) -> str:
        arguments = ", ".join(
            f"{parameter.name}={text}" if parameter.kind is inspect.Parameter.KEYWORD_ONLY else text
            for parameter, text in zip(required, picked, strict=True)
        )
        return f"{expression}({arguments})"

    structures = read_structures(function, names)
    special = [_special(p, structures.get(p.name, ()), names, given) for p in required]
    file = str(names.get("__file__") or "")
    for picked in _search([tuple(each) for each in special], write, failures, file):
        yield write(picked)


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.default is inspect.Parameter.empty and parameter.kind not in (
        inspect.Parameter.VAR_POSITIONAL,
        inspect.Parameter.VAR_KEYWORD,
    )


def _special(
    parameter: inspect.Parameter,
    structures: Sequence[str],
    names: Mapping[str, Any],
    given: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """What a parameter might be besides a plain array, the likeliest first."""
    annotated = annotation_text(parameter.annotation)
    if annotated is not None:
        yield annotated
        return
    name, annotation = parameter.name, parameter.annotation
    yield from given.get(name, ())
    if name in names and _is_value(names[name]):
        yield name
    owner = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if isinstance(names.get(owner), type) and names[owner].__module__ == names.get("__name__"):
        yield from _constructions(owner, names)
    if name in _KEY_NAMES or name.endswith("_key"):
        yield "key(0)"
    if name in _FLAG_NAMES or name.startswith(("is_", "use_")):
        yield "False"
    yield from (text for pattern, text in _SCALARS if re.fullmatch(pattern, name))
    if name in _PARAMETER_NAMES or any(text[0] in "{[(" for text in structures):
        yield from _made_by_the_file(names)
    yield from structures


def _is_value(value: Any) -> bool:
    return not isinstance(
        value, type | types.ModuleType | types.FunctionType | types.BuiltinFunctionType
    ) and not isinstance(value, ArrayShorthand)


def _read_given(text: str, names: Mapping[str, Any]) -> dict[str, list[str]]:
    """What a file itself passes for parameters, by their names: calls that it offers, and numbers,
    words and the like anywhere in it.
    """
    given: dict[str, list[str]] = {}

    def take(call: ast.Call, function: Any, is_wanted: Callable[[ast.expr], bool]) -> None:
        try:
            parameters = list(inspect.signature(function).parameters)
        except (TypeError, ValueError):
            return
        passed = list(zip(parameters, call.args, strict=False))
        passed += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
        for name, value in passed:
            known = given.setdefault(name, [])
            if is_wanted(value) and (told := ast.unparse(value)) not in known:
                known.append(told)

    for offered in find_offered_calls(text):
        outer, base, arguments = split_call(offered.call)
        if base in names and not re.search(r"\bv?map\b", outer):
            with contextlib.suppress(SyntaxError):
                call = ast.parse(f"_({arguments})", mode="eval").body
                if isinstance(call, ast.Call):
                    take(call, names[base], lambda value: not isinstance(value, ast.Starred))
    with contextlib.suppress(SyntaxError, ValueError, RecursionError):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                function = names.get(node.func.id)
                if inspect.isfunction(function):
                    take(node, function, lambda value: isinstance(value, ast.Constant))
    return given


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


# How the source uses a parameter.


def _write_first(other: str, _key: str, use: _Use) -> str:
    """What a use asks for first, or else another text."""
    return next(iter(use.write()), other)


@dataclass(eq=False, slots=True)
class _Use:
    """How the source of a function uses a value.

    Attributes:
        keys: Of a dictionary, and how what is under them is used.
        element: How what is in it is used, where a loop goes through it.
        parts: How the parts are used into which it is unpacked.
        rank: Of the array that it is, where its shape is unpacked.
        is_called: It is a function.
        words: Texts that it is compared with.
    """

    keys: dict[str, _Use] = dataclasses.field(default_factory=dict)
    element: _Use | None = None
    parts: list[_Use] = dataclasses.field(default_factory=list)
    rank: int = 0
    is_called: bool = False
    words: list[str] = dataclasses.field(default_factory=list)

    def write(self) -> tuple[str, ...]:
        """Texts of what can be used so, the likeliest first; none where it is a plain array."""
        if self.is_called:
            return _FUNCTIONS
        if self.words:
            return tuple(map(repr, self.words))
        if self.keys:
            return self._dictionaries()
        if self.element is not None:
            inner = self.element.write() or ("f32[8, 8]", "f32[8]", "f32[()]")
            return tuple(f"[{text}, {text}]" for text in inner)
        if self.parts:
            return self._tuples()
        return (_BY_RANK[self.rank],) if 0 < self.rank < len(_BY_RANK) else ()

    def _dictionaries(self) -> tuple[str, ...]:
        def text(of: Callable[[str, _Use], str]) -> str:
            return "{" + ", ".join(f"{k!r}: {of(k, self.keys[k])}" for k in sorted(self.keys)) + "}"

        guessed = text(lambda key, use: next(iter(use.write()), _shape_by_name(key)))
        return (guessed, *(text(functools.partial(_write_first, shape)) for shape in _SHAPES[:4]))

    def _tuples(self) -> tuple[str, ...]:
        def text(first: str, other: str) -> str:
            shapes = [first, *[other] * (len(self.parts) - 1)]
            told = (next(iter(part.write()), s) for part, s in zip(self.parts, shapes, strict=True))
            return f"({', '.join(told)})"

        return (text("f32[8, 8]", "f32[8]"), *(text(shape, shape) for shape in _SHAPES[:3]))


def _shape_by_name(key: str) -> str:
    return "f32[8]" if key.lower() in _VECTOR_KEYS or key.lower().startswith("b") else "f32[8, 8]"


class _Reader:
    """Reads how a function uses the values that it names."""

    def __init__(self, names: Mapping[str, Any], depth: int) -> None:
        self._names, self._depth = names, depth
        self._uses: dict[str, _Use] = {}

    def read(self, function: Any) -> dict[str, _Use]:
        """Uses by name; empty where there is no source."""
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
        except (OSError, TypeError, SyntaxError, ValueError):
            return {}
        for node in ast.walk(tree):
            self._note(node)
        return self._uses

    def _use(self, node: ast.expr) -> _Use | None:
        """Of a name, of what is under a key of it, or of some of its elements."""
        if isinstance(node, ast.Name):
            return self._uses.setdefault(node.id, _Use())
        if not isinstance(node, ast.Subscript):
            return None
        if isinstance(node.slice, ast.Slice):
            return self._use(node.value)
        if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
            of = self._use(node.value)
            return None if of is None else of.keys.setdefault(node.slice.value, _Use())
        return None

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Subscript):
            self._note_subscript(node)
        elif isinstance(node, ast.For | ast.comprehension):
            self._note_loop(node.target, node.iter)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            self._note_unpacking(node.targets[0], node.value)
        elif isinstance(node, ast.Call):
            self._note_call(node)
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
            for other in node.comparators:
                if isinstance(other, ast.Constant) and isinstance(other.value, str):
                    self._uses.setdefault(node.left.id, _Use()).words.append(other.value)

    def _note_subscript(self, node: ast.Subscript) -> None:
        """`x["w"]`; and `x[-1]["w"]`, where `x[-1]` alone might be of an array."""
        inner = node.value
        if not isinstance(node.slice, ast.Constant) or not isinstance(node.slice.value, str):
            return
        if not isinstance(inner, ast.Subscript) or self._use(inner) is not None:
            self._use(node)
        elif (of := self._use(inner.value)) is not None:
            of.element = of.element or _Use()
            of.element.keys.setdefault(node.slice.value, _Use())

    def _note_loop(self, target: ast.expr, over: ast.expr) -> None:
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.args:
            if over.func.id == "reversed":
                self._note_loop(target, over.args[0])
            elif over.func.id == "enumerate" and isinstance(target, ast.Tuple):
                self._note_loop(target.elts[-1], over.args[0])
            elif over.func.id == "zip" and isinstance(target, ast.Tuple):
                for each, passed in zip(target.elts, over.args, strict=False):
                    self._note_loop(each, passed)
            return
        of = self._use(over)
        if of is None:
            return
        if isinstance(target, ast.Tuple):
            of.element = of.element or _Use()
            of.element.parts = [self._use(part) or _Use() for part in target.elts]
        else:
            of.element = self._use(target)

    def _note_unpacking(self, target: ast.Tuple, value: ast.expr) -> None:
        if any(isinstance(part, ast.Starred) for part in target.elts):
            return
        if isinstance(value, ast.Attribute) and value.attr == "shape":
            if (of := self._use(value.value)) is not None:
                of.rank = len(target.elts)
        elif (of := self._use(value)) is not None:
            of.parts = [self._use(part) or _Use() for part in target.elts]

    def _note_call(self, node: ast.Call) -> None:
        """What is called is a function; what is passed on is used as its new holder uses it."""
        if not isinstance(node.func, ast.Name):
            return
        function = self._names.get(node.func.id)
        if function is None:
            self._uses.setdefault(node.func.id, _Use()).is_called = True
        elif self._depth and inspect.isfunction(inspect.unwrap(function)):
            inner = _Reader(self._names, self._depth - 1).read(function)
            parameters = list(inspect.signature(function).parameters)
            for name, passed in zip(parameters, node.args, strict=False):
                if isinstance(passed, ast.Name) and name in inner and inner[name].write():
                    self._uses.setdefault(passed.id, inner[name])


def read_structures(function: Any, names: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """What the source of a function shows its parameters to be, as argument texts."""
    return {name: use.write() for name, use in _Reader(names, 2).read(function).items()}


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


# The order in which arguments are tried.

_Picked = tuple[str, ...]
_Progress = tuple[tuple[int, int], ...]


@dataclass(eq=False, slots=True)
class _Attempt:
    """Arguments that were tried in vain, how far they came, what to change of them next, and the
    sizes that the error named.
    """

    progress: _Progress
    changes: Iterator[_Picked]
    sizes: Sequence[str]


def _search(
    special: Sequence[_Picked],
    write: Callable[[_Picked], str],
    failures: Mapping[str, Exception],
    file: str,
) -> Iterator[_Picked]:
    """Arguments of a function: first all alike, then the best attempt with one change each.

    Args:
        special: What each may be besides an array.
        write: Makes a call of them.
        failures: What calls failed with.
        file: The user's.
    """
    seen: set[_Picked] = set()
    attempts: list[_Attempt] = []

    def note(picked: _Picked, others: Sequence[str]) -> Exception | None:
        error = failures.get(write(picked))
        if error is not None:
            sizes = _sizes_in(error)
            changes = _changes(picked, special, [*sizes, *others])
            attempts.append(_Attempt(_measure_progress(error, file), changes, sizes))
        return error

    for alike in dict.fromkeys(_alike(special)):
        seen.add(alike)
        yield alike
        error = note(alike, ())
        for size in _sizes_in(error) if error is not None else ():
            resized = tuple(_resize(text, size) for text in alike)
            if resized not in seen and _is_small(resized):
                seen.add(resized)
                yield resized
                note(resized, ())
    found = collections.Counter(size for attempt in attempts for size in attempt.sizes)
    sizes = [size for size, _ in found.most_common(_MAX_SIZES)]
    furthest: _Progress = ()
    num_in_vain = 0
    while attempts and num_in_vain < _PATIENCE:
        best = max(attempts, key=lambda attempt: attempt.progress)  # the first of those
        num_in_vain = 0 if best.progress > furthest else num_in_vain + 1
        furthest = best.progress
        changed = next(best.changes, None)
        if changed is None:
            attempts.remove(best)
        elif changed not in seen and _is_small(changed):
            seen.add(changed)
            yield changed
            note(changed, sizes)


def _alike(special: Sequence[_Picked]) -> Iterator[_Picked]:
    """Each argument its special text where it has one, all others the same shape."""
    for index in range(max(1, *map(len, special))):
        for shape in _SHAPES:
            yield tuple(own[min(index, len(own) - 1)] if own else shape for own in special)
    yield from ((shape,) * len(special) for shape in _SHAPES)


def _changes(
    picked: _Picked, special: Sequence[_Picked], sizes: Iterable[str]
) -> Iterator[_Picked]:
    """The same arguments, but for one change of one; or of a size wherever it stands."""

    def with_other(place: int, text: str) -> _Picked:
        return (*picked[:place], text, *picked[place + 1 :])

    sizes = list(dict.fromkeys(sizes))[:_MAX_SIZES]
    for size in sizes:
        yield tuple(_resize(text, size) for text in picked)
    for place, text in enumerate(picked):
        for changed in _with_sizes(text, sizes):
            yield with_other(place, changed)
    for place, own in enumerate(special):
        for text in (*own, *_SHAPES, "key(0)"):
            yield with_other(place, text)
    for place, text in enumerate(picked):
        for changed in _with_ranks(text):
            yield with_other(place, changed)


def _resize(text: str, size: str) -> str:
    """With another size in place of the usual one, wherever that stands."""
    return _each_array(text, lambda kind, sizes: (kind, [_other(s, size) for s in sizes]))


def _is_small(picked: _Picked) -> bool:
    """Whether its arrays are made in no time."""
    arrays = (match[2] for text in picked for match in _ARRAY.finditer(text))
    counts = (math.prod(map(int, re.findall(r"\d+", sizes))) for sizes in arrays)
    return sum(counts) <= _MAX_ELEMENTS


def _other(size: str, other: str) -> str:
    return other if size == str(_USUAL_SIZE) else size


def _each_array(text: str, change: Callable[[str, list[str]], tuple[str, list[str]]]) -> str:
    def write(match: re.Match[str]) -> str:
        kind, sizes = change(match[1], re.findall(r"\d+", match[2]))
        return f"{kind}[{', '.join(sizes) or '()'}]"

    return _ARRAY.sub(write, text)


def _with_sizes(text: str, sizes: Sequence[str]) -> Iterator[str]:
    """With one size of one array in it another."""
    for match in _ARRAY.finditer(text):
        own = re.findall(r"\d+", match[2])
        for place, size in itertools.product(reversed(range(len(own))), sizes):
            changed = ", ".join((*own[:place], size, *own[place + 1 :]))
            yield f"{text[: match.start(2)]}{changed}{text[match.end(2) :]}"


def _with_ranks(text: str) -> Iterator[str]:
    """With an axis more or less, or whole numbers, in one array of it."""
    for match in _ARRAY.finditer(text):
        own = re.findall(r"\d+", match[2])
        before, after = text[: match.start()], text[match.end() :]
        other = {"f32": "i32", "i32": "f32"}[match[1]]
        yield f"{before}{other}[{match[2]}]{after}"
        if len(own) < _MAX_RANK:
            yield f"{before}{match[1]}[{', '.join((*own[:1], *own)) or _USUAL_SIZE}]{after}"
        if own:
            yield f"{before}{match[1]}[{', '.join(own[1:]) or '()'}]{after}"


def _sizes_in(error: Exception) -> list[str]:
    """The sizes that an error names, but the usual one."""
    found = dict.fromkeys(_NUMBER.findall(str(error)[:2_000]))
    return [size for size in found if 0 < int(size) <= _MAX_SIZE and int(size) != _USUAL_SIZE]


def _measure_progress(error: Exception, file: str) -> _Progress:
    """How far the code came until an error: the place in each of its frames, from the outside in.

    Of two attempts the one that came further has the later place where they first differ. Frames
    of libraries count: what `scan` complains of after it has traced its body is later than what
    the body fails with.
    """
    progress: list[tuple[int, int]] = []
    trace = error.__traceback__
    is_inside = False
    while trace is not None and len(progress) < _MAX_FRAMES:
        code = trace.tb_frame.f_code
        is_inside = is_inside or code.co_filename == file
        if is_inside:
            places = itertools.islice(code.co_positions(), trace.tb_lasti // 2, None)
            line, end_line, _, end_column = next(places, (None, None, None, None))
            progress.append((end_line or line or trace.tb_lineno, end_column or 0))
        trace = trace.tb_next
    return tuple(progress)


# Proposals.

BUDGET_S = 8.0
_BUDGET_OF_ONE_S = 2.0
"""For a function of several: a training step, of which none is found, comes before its loss."""
_TAKES_NOTHING = 4
MAX_ATTEMPTS = 400
_AGAIN_S = 0.5
_MOST_OF_NAMES = 8
"""Attempts one after the other that ended at a name: no others are made then."""
_OF_TRACING = (jax.errors.JAXTypeError, jax.errors.JAXIndexError, jax.errors.UnexpectedTracerError)
"""What JAX raises where a function does what tracing does not allow, whatever its arguments."""


def handle_propose(request: dict[str, Any], channel: Channel) -> None:
    """Answer a `propose` request.

    Raises:
        JaxscopeError: The file raised, or no call of the function was found that traces.
    """
    source = read_source(request["file"])
    channel.progress("import", say("Importing the file"))
    with guard("import", {source.path}):
        module = execute_file(source.path, source.text)
    channel.progress("propose", say("Looking for arguments that trace"))
    function = str(request["function"])
    names = call_namespace(vars(module))
    text, refusal = propose_call(source, names, function=function or None)
    if text is None and not function:
        raise explain_no_call(source, refusal)
    if text is None:
        raise TraceError(
            Explanation(
                what=say("No arguments were found with which {name} traces.", name=function),
                where=refusal.where or source.path,
                why=refusal.why,
                remedy=say_joined((_describe_form(function, names), _describe_script(source.path))),
                kind="NoProposal",
            )
        )
    channel.send("proposal", {"call": text})


def explain_no_call(source: SourceSnapshot, refusal: Refusal) -> CallError:
    """The error of a file that offers no call and for no function of which one was found."""
    remedy = say("Type a call, or add a comment line such as # jaxscope: loss(f32[8]).")
    return CallError(
        Explanation(
            say("{file} offers no call, and none could be found.", file=file_name(source.path)),
            where=source.path,
            why=refusal.why,
            remedy=say_joined((remedy, _describe_script(source.path))),
            kind="NoCall",
        )
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why no call was found.

    Attributes:
        why: What one of the attempts ended with, the one that says most.
        where: Where that attempt failed, such as `file.py:12`.
    """

    why: str
    where: str = ""


def _describe_form(function: str, names: dict[str, Any]) -> str:
    """What to type, with the function's own parameters: no call of it is known to work."""
    owner, _, method = function.rpartition(".")
    subject = getattr(names.get(owner), method, None) if owner else names.get(function)
    try:
        parameters = inspect.signature(subject).parameters if callable(subject) else {}
    except (TypeError, ValueError):
        parameters = {}
    listed = ", ".join(name for name in parameters if not (owner and name == "self"))
    form = say("Arrays are written like f32[8, 2]; numbers, lists and dictionaries as in Python.")
    if not listed:
        return say_joined((say("Type a call of {name}.", name=function), form))
    told = say("Type a call of {name} with {listed}.", name=function, listed=listed)
    return say_joined((told, form))


def _describe_script(path: str) -> str:
    """How to have what the file itself calls: a training step takes what nobody can type."""
    return say(
        "Or run the file as a script, and see what it compiles with its own arguments: {command}",
        command=f"`jaxscope run -- {shlex.quote(path)}`",
    )


@contextlib.contextmanager
def printing_nothing() -> Iterator[None]:
    """Drop what the block prints or warns of: nobody typed the calls that are tried there."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


class TimeIsUp(BaseException):
    """No `Exception`: the code that is traced may catch all of those."""


@contextlib.contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """End the block when its time is up; where there are no such signals, never."""

    def end(_number: int, _frame: FrameType | None) -> NoReturn:
        raise TimeIsUp

    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, end)
    try:
        with contextlib.suppress(TimeIsUp):
            # Again and again: where Python frees an object, an exception goes no further.
            signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def propose_call(
    source: SourceSnapshot, names: dict[str, Any], *, function: str | None
) -> tuple[str | None, Refusal]:
    """Find a call that traces, or that fails by what the function does and not by its arguments.

    A function that indexes by a mask, or has a name that does not exist, traces with no arguments:
    its call is proposed all the same, and tracing it says what is wrong, and where.

    Args:
        source: The user's file.
        names: Its namespace, as `call_namespace` makes it.
        function: Its name, or None to take what the file's own script calls, or else the first
            function of the file that has a call, those first that the file itself compiles.

    Returns:
        The call, or None and why there is none.
    """
    candidates = [function] if function is not None else _likely_first(names)
    if not candidates:
        return None, Refusal(say("The file defines no functions."))
    of_script: dict[str, Exception] = {}
    failures: dict[str, Exception] = {}
    with keeping_executables():
        with limit_time(BUDGET_S):  # the script's own arguments may take long
            for text in _try_calls(_script_calls(source.text, function), names, source, of_script):
                return text, Refusal("")
        end = time.monotonic() + BUDGET_S
        of_one_s = BUDGET_S if len(candidates) == 1 else _BUDGET_OF_ONE_S
        for name in candidates:
            deadline = min(end, time.monotonic() + of_one_s)
            calls = candidate_calls(name, names, source.text, failures)
            for text in _try_calls(calls, names, source, failures, deadline):
                return text, Refusal("")
    attempts = [*of_script.items(), *failures.items()]
    likely = [
        text for text, error in attempts if isinstance(error, _OF_TRACING) or _is_of_name(error)
    ]
    if likely:
        plain = [text for text in likely if text in of_script or "f32[8" in text]
        return (plain or likely)[0], Refusal("")
    return None, _refuse(attempts, source)


def _script_calls(text: str, function: str | None) -> Iterator[str]:
    """What the file's own script calls; of one function, without the derivative around it."""
    for call in find_script_calls(text):
        outer, base, arguments = split_call(call)
        if function is None:
            yield call
        elif base == function:
            yield call if re.search(r"\b[vp]map\b", outer) else f"{base}({arguments})"
        elif not base and re.match(rf"(?:[\w.]+\()*{re.escape(function)}\(", call):
            yield call  # of what the function makes


def _likely_first(names: Mapping[str, Any]) -> list[str]:
    """The functions of a file, those first of which somebody wants to see the program.

    What takes no argument, such as `main`, is called only where there is nothing else: it does
    what the whole script does.
    """
    ranked = [(_rank(names[name]), name) for name in list_functions(names)]
    some = [each for each in ranked if each[0] < _TAKES_NOTHING] or ranked
    return [name for _, name in sorted(some, key=lambda each: each[0])]


def _rank(subject: Any) -> int:
    """Jitted functions come first, then those that take something, then those that need not."""
    if isinstance(subject, type):
        return _TAKES_NOTHING - 1
    try:
        parameters = inspect.signature(subject).parameters.values()
    except (TypeError, ValueError):
        return _TAKES_NOTHING - 1
    if not parameters:
        return _TAKES_NOTHING
    if is_jitted(subject):
        return 0
    return 1 if any(each.default is each.empty for each in parameters) else 2


def _try_calls(
    calls: Iterator[str],
    names: dict[str, Any],
    source: SourceSnapshot,
    failures: dict[str, Exception],
    deadline: float = math.inf,
) -> Iterator[str]:
    """Those calls that trace; what the others failed with is added to `failures`."""
    num_of_names = 0
    for text in itertools.islice(calls, MAX_ATTEMPTS):
        if num_of_names == _MOST_OF_NAMES or time.monotonic() > deadline:
            return
        try:
            with printing_nothing():
                trace_call(parse_call(text, names, file=source.path))
        except Exception as error:
            failures[text] = error
            num_of_names = num_of_names + 1 if _is_of_name(error) else 0
        else:
            yield text


def _is_of_name(error: Exception) -> bool:
    """Whether a name does not exist, or is not in a module: no arguments change that."""
    is_of_module = isinstance(error, AttributeError) and isinstance(error.obj, types.ModuleType)
    # A local name without a value is another matter: arguments choose the branch that sets it.
    is_unknown = isinstance(error, NameError) and not isinstance(error, UnboundLocalError)
    return is_of_module or is_unknown


def _refuse(attempts: Sequence[tuple[str, Exception]], source: SourceSnapshot) -> Refusal:
    """What the attempts ended with: not the last and strangest, but what most of them say."""
    if not attempts:
        return Refusal(say("Nothing that it defines can be called."))
    kinds = collections.Counter(type(error) for _, error in attempts)

    def weight(attempt: tuple[str, Exception]) -> tuple[int, bool]:
        text, error = attempt
        return kinds[type(error)], "f32[8" in text

    text, error = max(attempts, key=weight)  # the first of those that weigh most
    if isinstance(error, JaxscopeError):
        explanation = error.explanation
    else:
        _, explanation = explain_exception(error, {source.path}, stage="trace")
    told = say("With {call}: {what}", call=text, what=explanation.what)
    why = say_joined((told, explanation.why), LINES)
    return Refusal(why, explanation.where)
