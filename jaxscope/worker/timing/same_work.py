"""Find out whether eager and jitted calls do the same work, before their times are compared.

Tracing runs the Python code once, compiled calls never run it again. So whatever Python does
beside JAX's operations is done by each eager call and by no compiled one: printing, counting,
drawing random numbers, sleeping, filling caches. A ratio of the two says nothing then.
"""

from __future__ import annotations

import dataclasses
import dis
import functools
import random
import sys
import time
import types
import zlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.errors import Explanation, TraceError
from jaxscope.worker import compat
from jaxscope.worker.checks.purity import PurityWatch
from jaxscope.worker.host.arguments import keep_arrays, parameter_names
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.function_source import innermost_function, place_of
from jaxscope.worker.host.source import SourceSnapshot

_MAX_FUNCTIONS = 200
_MAX_PARTS = 20_000
"""Of the arguments: further parts are not watched."""
_MAX_READ_BYTES = 1 << 28
"""Of NumPy's arrays among the arguments; of larger ones a part of the elements is read."""
_PLAIN_TYPES = (bool, int, float, complex, str, bytes)
_ATOMS = ("jax", "jaxlib", "numpy", "builtins")
"""Packages whose objects have no parts that a function would change."""
_MOST_COMPARED = 65_536
"""Elements of each array: taken evenly, so that results of gigabytes cost little."""
_TOLERANCE = 1e-2
"""Of the largest element: rounding stays far below, other work does not."""
_REPEATED = 1e-3
"""The same of two eager calls: some devices add in another order each time."""
_UNRUN = {
    types.GeneratorType: "a generator",
    types.CoroutineType: "a coroutine",
    types.AsyncGeneratorType: "an asynchronous generator",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """Why eager and compiled calls cannot be compared: what, where, why, and what to try."""

    what: str
    why: str
    remedy: str
    where: str = ""

    def text(self) -> str:
        """The whole of it in one paragraph."""
        place = f" ({self.where})" if self.where else ""
        return f"No verdict: {self.what}{place}. {self.why} {self.remedy}"


def refuse_unrun(result: Any, function: Any = None) -> Any:
    """The result of a call, if calling ran the function.

    Raises:
        TraceError: It is a generator or a coroutine, whose body has not run.
    """
    kind = _UNRUN.get(type(result))
    if kind is None:
        return result
    if hasattr(result, "close"):
        result.close()  # Python would warn of a coroutine that nobody awaited
    name = getattr(result, "__name__", "") or getattr(function, "__name__", "The function")
    code = getattr(result, "gi_code", None) or getattr(result, "cr_code", None)
    code = code or getattr(result, "ag_code", None)
    place = "" if code is None else f"{code.co_filename.rpartition('/')[2]}:{code.co_firstlineno}"
    is_generator = type(result) is types.GeneratorType
    raise TraceError(
        Explanation(
            what=f"{name} returns {kind}: nothing of its body ran, so there is nothing to measure.",
            where=place,
            why="A call of such a function only makes an object; its body runs when that is "
            + ("iterated over." if is_generator else "awaited."),
            remedy="Measure a function that returns the values"
            + (", such as list(f(x))." if is_generator else "."),
            kind="BodyNeverRan",
        )
    )


@dataclasses.dataclass(eq=False)
class Outcome:
    """What one call did that can be compared with another.

    Attributes:
        num_written: Characters that Python's own streams got.
        num_sleeps: Calls of `time.sleep`.
        results: A sample of each array; None before the call returned.
        leaked: The first tracer among the results, or None.
    """

    num_written: int = 0
    num_sleeps: int = 0
    results: _Results | None = None
    leaked: Any = None

    def keep(self, result: Any) -> None:
        """Take in what the call returned."""
        leaves = jax.tree.leaves(result, is_leaf=lambda leaf: type(leaf) in _UNRUN)
        for leaf in leaves:
            refuse_unrun(leaf)
        self.leaked = next((leaf for leaf in leaves if isinstance(leaf, compat.Tracer)), None)
        if self.leaked is None:
            self.results = _sample(result)


@contextmanager
def observed(outcome: Outcome) -> Iterator[None]:
    """Count what the block writes and how often it sleeps; also in callbacks that it started."""
    streams, sleep = (sys.stdout, sys.stderr), time.sleep

    def counted_sleep(*args: Any, **kwargs: Any) -> None:
        outcome.num_sleeps += 1
        sleep(*args, **kwargs)

    sys.stdout, sys.stderr = (_Counting(stream, outcome) for stream in streams)
    time.sleep = counted_sleep
    try:
        yield
        jax.effects_barrier()  # type: ignore[no-untyped-call] # JAX does not annotate it
    finally:
        sys.stdout, sys.stderr = streams
        time.sleep = sleep


class _Counting:
    """A stream that counts what is written, and is otherwise the one it stands for."""

    def __init__(self, stream: Any, outcome: Outcome) -> None:
        self._stream = stream
        self._outcome = outcome

    def write(self, text: str) -> Any:
        self._outcome.num_written += len(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class WorkWatch:
    """Watches what the program changes outside of itself.

    Attributes:
        place: Where the function is defined.
    """

    def __init__(self, call: Call, source: SourceSnapshot) -> None:
        self._source = source
        self._functions = tuple(_reachable_functions(call.base))
        self._base = call.base
        names = parameter_names(call.base, call.args)
        self._arguments = {**dict(zip(names, call.args, strict=True)), **call.kwargs}
        self.place = place_of(call.base)
        self._told: set[str] = set()
        self.begin()

    def begin(self) -> None:
        """What is changed from here on is what counts."""
        self._watches = [PurityWatch(f, self._source) for f in self._distinct()]
        self._generators = dict(self._read_generators())
        self._cells = dict(self._read_cells())
        self._parts = dict(_find_parts(self._arguments))

    def find_changed_arguments(self) -> list[Difference]:
        """The first part of an argument that is not what it was when watching began, if any."""
        now = dict(_find_parts(self._arguments))
        changed = [path for path, part in now.items() if not part.is_same(self._parts.get(path))]
        changed += [path for path in self._parts if path not in now]
        return [
            Difference(
                f"the call changes its argument `{path}`",
                "Each eager call works from what the one before it left, and it is not known that "
                "compiled calls do the same.",
                "Return what it makes, and leave the arguments as they are.",
                self.place,
            )
            for path in changed[:1]
        ]

    def find_changes(self, *, is_traced: bool) -> list[Difference]:
        """What is different now, and was not reported before.

        Args:
            is_traced: Whether a trace was watched; else an eager call.
        """
        found = [*self._find_generators(), *self._find_cells()]
        if not is_traced:
            found += self.find_changed_arguments()
        for watch in self._watches:
            for finding in watch.find_changes():
                place = f"{self._source.path.rpartition('/')[2]}:{finding.line}"
                what = finding.message.split(" while JAX traced")[0]
                found.append(
                    Difference(
                        f"{what[:1].lower()}{what[1:]} {_when(is_traced=is_traced)}",
                        "Eager calls go through that code, compiled calls do not.",
                        finding.remedy,
                        place if finding.line else self.place,
                    )
                )
        fresh = []
        for difference in found:
            key = difference.what.split("`")[1] if "`" in difference.what else difference.what[:40]
            if key not in self._told:
                self._told.add(key)
                fresh.append(difference)
        return fresh

    def _find_generators(self) -> Iterator[Difference]:
        for name, state in self._read_generators():
            if self._generators.get(name, state) != state:
                yield Difference(
                    f"the function draws random numbers from {name}",
                    "Each eager call draws others; a compiled call has those that tracing drew.",
                    "Take them from jax.random, with a key as an argument.",
                    self.place,
                )

    def _find_cells(self) -> Iterator[Difference]:
        now = dict(self._read_cells())
        for name, before in self._cells.items():
            if now.get(name, before) != before:
                yield Difference(
                    f"the function changes {name}",
                    "Eager calls go through that code, compiled calls do not.",
                    "Take what it needs as an argument and return what it makes.",
                    self.place,
                )

    def _distinct(self) -> list[Any]:
        """The base, and one function for each further set of globals."""
        own = getattr(innermost_function(self._base), "__globals__", None)
        found: dict[int, Any] = {id(own): self._base}
        for function in self._functions:
            found.setdefault(id(function.__globals__), function)
        return list(found.values())

    def _read_generators(self) -> Iterator[tuple[str, str]]:
        yield "Python's `random`", str(hash(random.getstate()))
        yield "NumPy's `np.random`", str(np.random.get_state(legacy=False))
        for name, value in self._named_values():
            if state := _read_generator(value):
                yield f"`{name}`", state

    def _read_cells(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """What functions keep in the function around them, and globals that they assign."""
        for function in self._functions:
            for name in _assigned_globals(function):
                yield f"the global `{name}`", (id(function.__globals__.get(name)),)
            for cell, value in _cells_of(function):
                inside: Sequence[Any] = ()
                if isinstance(value, list | set | tuple) and len(value) <= 10_000:
                    inside = tuple(value)
                elif isinstance(value, dict) and len(value) <= 10_000:
                    inside = (*value.keys(), *value.values())
                yield f"`{cell}` of the function around it", (id(value), *map(id, inside))

    def _named_values(self) -> Iterator[tuple[str, Any]]:
        for function in self._functions:
            for name in function.__code__.co_names:
                if name in function.__globals__:
                    yield name, function.__globals__[name]
            yield from _cells_of(function)
        owner = getattr(self._base, "__self__", None)
        yield from (getattr(owner, "__dict__", None) or {}).items()


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A part of an argument: the object, and what a NumPy array or a generator holds."""

    value: Any
    content: int = 0

    def is_same(self, other: _Part | None) -> bool:
        if other is None or self.content != other.content:
            return False
        is_equal = type(self.value) in _PLAIN_TYPES and type(self.value) is type(other.value)
        return self.value is other.value or (is_equal and bool(self.value == other.value))


def _find_parts(arguments: Mapping[str, Any]) -> Iterator[tuple[str, _Part]]:
    """Each part of the arguments by its path, outermost first: a container by its kind and size.

    So a container that is replaced by one that holds the same is the same.
    """
    waiting = deque(arguments.items())
    seen: dict[int, Any] = {}  # the objects too: an id is another's once its object is gone
    left_bytes = _MAX_READ_BYTES
    for _ in range(_MAX_PARTS):
        if not waiting:
            return
        path, value = waiting.popleft()
        inside = _children(value)
        if inside is None:
            yield path, _Part(value, _read_content(value, left_bytes))
            left_bytes -= min(getattr(value, "nbytes", 0), left_bytes)
            continue
        yield path, _Part(type(value), len(inside))
        if id(value) not in seen:
            seen[id(value)] = value
            waiting.extend((f"{path}{key}", child) for key, child in inside)


def _children(value: Any) -> list[tuple[str, Any]] | None:
    """What a container or an object holds, by how it is written; None where it is neither."""
    if isinstance(value, dict):
        return [(f"[{key!r}]"[:60], child) for key, child in value.items()]
    if isinstance(value, list | tuple | deque):
        return [(f"[{number}]", child) for number, child in enumerate(value)]
    if isinstance(value, set | frozenset):
        return [(f" has {child!r}"[:60], child) for child in value]
    if isinstance(value, type) or type(value).__module__.partition(".")[0] in _ATOMS:
        return None
    attributes = getattr(value, "__dict__", None)
    names = [name for kind in type(value).__mro__ for name in _slots_of(kind)]
    if attributes is None and not names:
        return None
    slots = {name: getattr(value, name) for name in names if hasattr(value, name)}
    return [(f".{name}", child) for name, child in {**(attributes or {}), **slots}.items()]


def _slots_of(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _read_content(value: Any, most_bytes: int) -> int:
    """A number that says what an array of NumPy's or a generator holds; 0 of anything else."""
    if state := _read_generator(value):
        return hash(state)
    if not isinstance(value, np.ndarray):
        return 0
    if value.dtype.hasobject:
        return hash(tuple(map(id, value.reshape(-1)[:_MAX_PARTS])))
    if value.nbytes > most_bytes:
        value = value.reshape(-1)[:: max(1, value.size // _MOST_COMPARED)]
    return zlib.crc32(np.ascontiguousarray(value).tobytes())


def _read_generator(value: Any) -> str:
    """The state of a generator of random numbers; empty for anything else."""
    if isinstance(value, random.Random):
        return str(hash(value.getstate()))
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    if isinstance(value, np.random.RandomState):
        return str(value.get_state(legacy=False))
    return ""


def find_differences(
    first: Outcome | None,
    second: Outcome | None,
    jitted: Outcome | None,
    place: str,
    *,
    is_explained: bool = False,
) -> list[Difference]:
    """What two eager calls and a compiled one did differently.

    Args:
        is_explained: A difference is known already, and explains results that differ.
        first: Of the first eager call.
        second: Of the second; None if there was none.
        jitted: Of a warm compiled call; None if there was none.
        place: Of the function.
    """
    found = list(_side_effects(second, jitted, place))
    if not (found or is_explained):
        found += _differences(first, second, jitted, place)
    return found


def describe_leak(tracer: Any, place: str) -> Difference:
    """The eager call returned what only a trace may use."""
    made = compat.tracer_place(tracer)
    where = f"made at {made}" if made else place
    return Difference(
        f"the eager call returned a leaked tracer ({type(tracer).__name__}), no array",
        "An earlier trace left it in a cache or a global, and the eager call found it there: it "
        "did not compute.",
        "Keep nothing of a trace: return what the function makes, or fill the cache outside.",
        where,
    )


def _side_effects(
    eager: Outcome | None, jitted: Outcome | None, place: str
) -> Iterator[Difference]:
    if eager is None or jitted is None:
        return
    if eager.num_written and not jitted.num_written:
        yield Difference(
            "each eager call prints, and compiled calls print nothing",
            "Python's print runs while JAX traces, and never in the compiled program.",
            "Print with jax.debug.print, or outside of the function.",
            place,
        )
    if eager.num_sleeps and not jitted.num_sleeps:
        yield Difference(
            "each eager call sleeps, and compiled calls do not",
            "Python's time.sleep runs while JAX traces, and never in the compiled program.",
            "Leave it out, or put it into jax.pure_callback.",
            place,
        )


def _differences(
    first: Outcome | None, second: Outcome | None, jitted: Outcome | None, place: str
) -> Iterator[Difference]:
    eager = second or first
    if eager is None:
        return
    if difference := _differ(first, second, _REPEATED, share=0.0):
        yield Difference(
            f"two eager calls with the same arguments returned different results: {difference}",
            "The function uses what changes from call to call, such as random numbers of the host "
            "or a counter; a compiled call repeats what tracing saw.",
            "Pass what changes as an argument; take random numbers from jax.random.",
            place,
        )
    elif difference := _differ(eager, jitted, _TOLERANCE, share=0.01):
        yield Difference(
            f"the eager and the compiled call returned different results: {difference}",
            "So it is not known that they do the same work.",
            "`jaxscope time --agreement` finds the equation where they part.",
            place,
        )


def _differ(one: Outcome | None, other: Outcome | None, tolerance: float, *, share: float) -> str:
    """How the results of two calls differ; empty if they agree, or are not known."""
    if one is None or other is None or one.results is None or other.results is None:
        return ""
    return one.results.differ(other.results, tolerance, share)


@dataclasses.dataclass(frozen=True, eq=False)
class _Results:
    tree: Any
    types: tuple[str, ...]
    samples: tuple[np.ndarray[Any, Any] | None, ...]

    def differ(self, other: _Results, tolerance: float, share: float) -> str:
        """How, in a few words; empty if they agree.

        Args:
            tolerance: Of the largest element, for numbers that are not whole.
            share: How many of the others may differ: the largest of two may change places.
        """
        if self.tree != other.tree or self.types != other.types:
            mine, others = (", ".join(each.types)[:100] or "nothing" for each in (self, other))
            return f"{mine} and {others}" if mine != others else "of another structure"
        for number, (one, two) in enumerate(zip(self.samples, other.samples, strict=True)):
            if one is None or two is None or not one.size:
                continue
            if not np.issubdtype(one.dtype, np.inexact):
                if np.count_nonzero(one != two) > share * one.size:
                    return f"other elements in result {number}"
                continue
            both = np.isfinite(one) & np.isfinite(two)
            if not both.any():
                continue
            apart = float(np.abs(one[both] - two[both]).max())
            scale = float(np.abs(one[both]).max())
            if apart > tolerance * scale and apart > 1e-30:
                return f"up to {apart:.3g} apart where the largest is {scale:.3g}"
        return ""


def _sample(result: Any) -> _Results:
    leaves, tree = jax.tree.flatten(keep_arrays(result))
    types_: list[str] = []
    samples: list[np.ndarray[Any, Any] | None] = []
    for leaf in leaves:
        leaf = jnp.asarray(leaf) if isinstance(leaf, int | float | complex) else leaf
        dtype = getattr(leaf, "dtype", None)
        if dtype is None:
            types_.append(type(leaf).__name__)
            samples.append(None)
            continue
        types_.append(f"{dtype}{list(leaf.shape)}")
        samples.append(_sample_array(leaf))
    return _Results(tree, tuple(types_), tuple(samples))


def _sample_array(leaf: Any) -> np.ndarray[Any, Any] | None:
    try:
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        array = np.asarray(leaf).reshape(-1)
        array = array[:: max(1, array.size // _MOST_COMPARED)]
        if jnp.issubdtype(leaf.dtype, jnp.complexfloating):
            return array.astype(np.complex128)
        if jnp.issubdtype(leaf.dtype, jnp.inexact):
            return array.astype(np.float64)
        return array.copy()
    except Exception:  # parts on other machines cannot be read here
        return None


def _when(*, is_traced: bool) -> str:
    return "while JAX traced the function" if is_traced else "by an eager call"


def _assigned_globals(function: Any) -> set[str]:
    instructions = dis.get_instructions(function)
    return {str(each.argval) for each in instructions if each.opname == "STORE_GLOBAL"}


def _cells_of(function: Any) -> Iterator[tuple[str, Any]]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not filled yet
            continue


def _reachable_functions(base: Any) -> Iterator[Any]:
    """The user's own functions that a call can reach by name: no library's."""
    waiting: list[Any] = [base]
    known: set[int] = set()
    while waiting and len(known) < _MAX_FUNCTIONS:
        function = waiting.pop()
        if isinstance(function, functools.partial):
            waiting.extend([function.func, *function.args, *function.keywords.values()])
            continue
        function = innermost_function(function)
        if id(function) in known or not isinstance(function, types.FunctionType):
            continue
        known.add(id(function))
        if _is_library(function):
            continue
        yield function
        names = function.__code__.co_names
        waiting.extend(
            value
            for value in (
                *(function.__globals__.get(name) for name in names),
                *(value for _, value in _cells_of(function)),
            )
            if callable(value) and not isinstance(value, type)
        )


def _is_library(function: Any) -> bool:
    top = str(function.__globals__.get("__name__", "")).partition(".")[0]
    file = function.__code__.co_filename
    return top in sys.stdlib_module_names or top == "jaxscope" or "site-packages" in file
