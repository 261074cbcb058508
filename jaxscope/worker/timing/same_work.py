"""Find out whether eager and jitted calls do the same work, before their times are compared.

Tracing runs the Python code once, compiled calls never run it again. So whatever Python does
beside JAX's operations is done by each eager call and by no compiled one: printing, counting,
drawing random numbers, sleeping, filling caches. A ratio of the two says nothing then.
"""

from __future__ import annotations

import dataclasses
import dis
import functools
import itertools
import operator
import os
import random
import sys
import sysconfig
import types
import zlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.errors import TraceError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import BOTH, say, say_joined
from jaxscope.model.units import format_place
from jaxscope.worker import compat
from jaxscope.worker.checks.purity import PurityWatch
from jaxscope.worker.host.arguments import keep_arrays, parameter_names
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.function_source import OF_JAX, innermost_function, place_of
from jaxscope.worker.host.source import SourceSnapshot

# What a call can reach and could change: its arguments, and what its functions see by name.
#
# It is read before and after a call, part by part, so that what differs has a name. Followed are
# the user's own functions, classes and objects; those of libraries are left alone.

_MAX_VISITED = 2_000
"""Objects that are looked at to find functions."""
_MAX_PARTS = 20_000
"""Further parts are not watched."""
_MAX_READ_BYTES = 1 << 28
"""Of NumPy's arrays; of larger ones a part of the elements is read."""
_MOST_READ = 65_536
_PLAIN_TYPES = (bool, int, float, complex, str, bytes)
_ATOMS = frozenset(
    {"jax", "jaxlib", "numpy", "builtins", "logging", "threading", "_thread", "concurrent"}
    | {"asyncio", "multiprocessing", "io", "_io", "weakref", "_weakref", "functools", "itertools"}
)
"""Packages whose objects have no parts that a function of the user's would change."""
_PYTHONS_RANDOM = "Python's `random`"
_NUMPYS_RANDOM = "NumPy's `np.random`"


@dataclass(frozen=True, eq=False)
class Reach:
    """What a call can reach by name.

    Attributes:
        functions: The user's own functions.
        values: What they see besides their arguments, by how it is written.
    """

    functions: tuple[types.FunctionType, ...]
    values: Mapping[str, Any]


def find_reach(base: Any) -> Reach:
    """Follow the names that the functions of a call use."""
    functions: list[types.FunctionType] = []
    values: dict[str, Any] = {}
    waiting: deque[Any] = deque([base])
    seen: dict[int, Any] = {}
    owner = getattr(base, "__self__", None)
    if owner is None and _is_own_object(base):
        owner = base
    if owner is not None and not isinstance(owner, types.ModuleType | type):
        values["self"] = owner
    while waiting and len(seen) < _MAX_VISITED:
        value = waiting.popleft()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if isinstance(value, types.FunctionType):
            if _is_own(value.__module__, value.__code__.co_filename):
                functions.append(value)
                for label, named in _named_values(value):
                    if values.setdefault(label, named) is not named:  # another file's
                        values.setdefault(f"{value.__module__}.{label}", named)
                    waiting.append(named)
        elif isinstance(value, type):
            if _is_own(value.__module__):
                values.setdefault(value.__name__, value)
                waiting.extend(vars(value).values())
        elif isinstance(value, list | tuple | set | frozenset):
            waiting.extend(itertools.islice(value, _MAX_VISITED))
        elif isinstance(value, dict):
            waiting.extend(itertools.islice(value.values(), _MAX_VISITED))
        elif _is_own_object(value):
            waiting.append(type(value))
            waiting.extend(child for _, child in _attributes_of(value) or ())
        if isinstance(value, functools.partial):
            names = parameter_names(value.func, value.args)
            values.update({**dict(zip(names, value.args, strict=True)), **value.keywords})
            waiting.extend([value.func, *value.args, *value.keywords.values()])
        waiting.extend(_inside_of(value))
    return Reach(tuple(functions), values)


def _inside_of(value: Any) -> Iterator[Any]:
    """Functions and objects that a method, a wrapper or a descriptor stands for."""
    if _is_own_object(value):
        return  # its attributes are followed without asking its class
    for name in ("__func__", "__self__", "__wrapped__", "fget"):
        inside = getattr(value, name, None)
        if inside is not None and not isinstance(inside, types.ModuleType):
            yield inside


def _named_values(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function sees besides its arguments: by how it writes it."""
    names = set(_names_in(function.__code__))
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        if not isinstance(value, types.ModuleType):
            yield name, value
        else:  # of a library's module only what is assigned to: its own state is not the user's
            is_own = _is_own(value.__name__)
            wanted = names if is_own else _assigned_in(function.__code__, name)
            for attribute in sorted(wanted & vars(value).keys()):
                held = vars(value)[attribute]
                if is_own or not isinstance(held, types.ModuleType):
                    yield f"{name}.{attribute}", held
    yield from cells_of(function)
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    yield from zip(positional[len(positional) - len(defaults) :], defaults, strict=True)
    yield from (function.__kwdefaults__ or {}).items()
    for name, value in vars(function).items():
        if name != "__wrapped__":
            yield f"{function.__name__}.{name}", value


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _assigned_in(code: types.CodeType, name: str) -> set[str]:
    """Attributes of a global that code assigns to, as `name.attribute = …` or `+= …`."""
    found, stored, before = set(), set(), ""
    for instruction in dis.get_instructions(code):
        is_stored = instruction.opname == "STORE_ATTR"
        stored |= {instruction.argval} if is_stored else set()
        if before == name and (is_stored or instruction.opname.startswith("LOAD_ATTR")):
            found.add(instruction.argval)
        if not instruction.opname.startswith(("COPY", "DUP")):  # `+=` reads and then assigns
            is_global = instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
            before = instruction.argval if is_global else ""
    inside = [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return found & stored | {attribute for each in inside for attribute in _assigned_in(each, name)}


def cells_of(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The variables of enclosing functions, by name."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not filled yet
            continue


@functools.lru_cache(maxsize=4096)
def _is_own(module: str | None, file: str = "") -> bool:
    """Whether the user wrote it: no library did, nor JAX, nor jaxscope."""
    top = str(module or "").partition(".")[0]
    file = file or str(getattr(sys.modules.get(str(module)), "__file__", "") or "")
    is_known = top in sys.stdlib_module_names or top in ("jax", "jaxlib", "jaxscope", "builtins")
    return not (is_known and top != "__main__") and "-packages" not in file


def _is_own_object(value: Any) -> bool:
    return not isinstance(value, type | types.FunctionType) and _is_own(type(value).__module__)


@dataclass(frozen=True, slots=True, eq=False)
class ReachedPart:
    """A part of what can be reached: the object, and what it holds where it is no container.

    Attributes:
        value: The object; of a container its class.
        content: The number of its parts, or a number that says what is in it.
    """

    value: Any
    content: int = 0

    def is_same(self, other: ReachedPart | None) -> bool:
        """Whether it is that, with the same in it."""
        if other is None or self.content != other.content:
            return False
        is_equal = type(self.value) in _PLAIN_TYPES and type(self.value) is type(other.value)
        return self.value is other.value or (is_equal and bool(self.value == other.value))

    @property
    def draws(self) -> bool:
        """Whether the object makes random numbers."""
        return _has_state(self.value)


def find_changed(before: Mapping[str, ReachedPart], now: Mapping[str, ReachedPart]) -> list[str]:
    """The paths of the parts that are not what they were, outermost first."""
    changed = [path for path, part in now.items() if not part.is_same(before.get(path))]
    return changed + [path for path in before if path not in now]


def find_parts(values: Mapping[str, Any]) -> Iterator[tuple[str, ReachedPart]]:
    """Each part of some values by its path, outermost first: a container by its kind and size.

    So a container that is replaced by one that holds the same is the same.
    """
    waiting = deque(values.items())
    seen: dict[int, Any] = {}  # the objects too: an id is another's once its object is gone
    left_bytes = _MAX_READ_BYTES
    for _ in range(_MAX_PARTS):
        if not waiting:
            return
        path, value = waiting.popleft()
        inside = _children(value)
        if inside is None:
            yield path, ReachedPart(value, _read_content(value, left_bytes))
            left_bytes -= min(getattr(value, "nbytes", 0), left_bytes)
            continue
        is_sized = isinstance(value, dict | list | tuple | set | frozenset | deque)
        yield path, ReachedPart(type(value), len(value) if is_sized else len(inside))
        if id(value) not in seen:
            seen[id(value)] = value
            waiting.extend((f"{path}{key}", child) for key, child in inside)


def read_shared_state() -> dict[str, ReachedPart]:
    """What every function can use and change: generators of random numbers, the environment."""
    return {
        **{f"os.environ[{name!r}]"[:60]: ReachedPart(text) for name, text in os.environ.items()},
        _PYTHONS_RANDOM: ReachedPart(random, hash(random.getstate())),
        _NUMPYS_RANDOM: ReachedPart(np.random, hash(str(np.random.get_state(legacy=False)))),
    }


def _children(value: Any) -> list[tuple[str, Any]] | None:
    """What a container or an object holds, by how it is written; None where it is neither."""
    if isinstance(value, dict):
        items = itertools.islice(value.items(), _MAX_PARTS)
        return [(f"[{key!r}]"[:60], child) for key, child in items]
    if isinstance(value, list | tuple | deque):
        elements = itertools.islice(value, _MAX_PARTS)
        return [(f"[{number}]", child) for number, child in enumerate(elements)]
    if isinstance(value, set | frozenset):
        return [(f" has {child!r}"[:60], child) for child in itertools.islice(value, _MAX_PARTS)]
    if isinstance(value, type):
        own = vars(value).items() if _is_own(value.__module__) else ()
        return [(f".{name}", child) for name, child in own if not _is_definition(name, child)]
    if type(value).__module__.partition(".")[0] in _ATOMS or _has_state(value):
        return None
    found = _attributes_of(value)
    return [(f".{name}", child) for name, child in found] if found is not None else None


def _is_definition(name: str, value: Any) -> bool:
    """Whether it is part of how a class is written, and no value that it keeps."""
    return name.startswith("__") or callable(value) or hasattr(value, "__get__")


def _attributes_of(value: Any) -> list[tuple[str, Any]] | None:
    attributes = getattr(value, "__dict__", None)
    names = [name for kind in type(value).__mro__ for name in _slots_of(kind)]
    if attributes is None and not names:
        return None
    slots = {name: getattr(value, name) for name in names if hasattr(value, name)}
    return list({**(attributes or {}), **slots}.items())


def _slots_of(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _read_content(value: Any, most_bytes: int) -> int:
    """A number that says what an array of NumPy's, a generator or a cache holds; else 0."""
    if _has_state(value):
        return hash(_read_state(value))
    if isinstance(value, functools._lru_cache_wrapper):
        return value.cache_info().misses
    if isinstance(value, itertools.count):
        return hash(repr(value))
    if isinstance(value, bytearray):
        return zlib.crc32(value)
    if type(value).__name__.endswith("_iterator"):
        return operator.length_hint(value, 0)
    if not isinstance(value, np.ndarray):
        return 0
    if value.dtype.hasobject:
        return hash(tuple(map(id, value.reshape(-1)[:_MAX_PARTS])))
    if value.nbytes > most_bytes:
        value = value.reshape(-1)[:: max(1, value.size // _MOST_READ)]
    return zlib.crc32(np.ascontiguousarray(value).tobytes())


def _has_state(value: Any) -> bool:
    """Whether it is a generator of random numbers that come from a state."""
    if isinstance(value, types.ModuleType):
        return value in (random, np.random)
    kinds = (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator)
    return isinstance(value, kinds) and not isinstance(value, random.SystemRandom)


def _read_state(value: Any) -> str:
    if isinstance(value, random.Random):
        return str(hash(value.getstate()))
    if isinstance(value, np.random.Generator):
        return str(value.bit_generator.state)
    if isinstance(value, np.random.BitGenerator):
        return str(value.state)
    return str(value.get_state(legacy=False))


T = TypeVar("T")

_MOST_COMPARED = 65_536
"""Elements of each array: taken evenly, so that results of gigabytes cost little."""
_TOLERANCE = 1e-2
"""Of the largest element: rounding stays far below, other work does not."""
_REPEATED = 1e-3
"""The same of two eager calls: some devices add in another order each time."""
_UNRUN = (
    (types.GeneratorType, "a generator", "iterated over"),
    (types.AsyncGeneratorType, "an asynchronous generator", "awaited"),
    (types.CoroutineType, "a coroutine", "awaited"),
    (Iterator, "an iterator", "iterated over"),
    (AsyncIterator, "an asynchronous iterator", "awaited"),
    (Awaitable, "a future", ""),
    (Future, "a future", ""),
)
"""Kinds of results that are no values yet, and what makes them such. The first that fits it is."""
_ACTS = {
    "print": "prints",
    "write": "writes",
    "writelines": "writes",
    "sleep": "sleeps",
    "open": "opens a file",
    "urandom": "asks the system for random bytes",
    "start_new_thread": "starts a thread",
    "start_joinable_thread": "starts a thread",
    "fork_exec": "starts a process",
    "system": "starts a process",
    "send": "sends",
    "sendall": "sends",
}
"""What functions that Python or a library has in C do beside computing, by their names."""
_NOT_COMPILED = say("Eager calls go through that code, compiled calls do not.")
_TAKE_AND_RETURN = say("Take what it needs as an argument and return what it makes.")
_TAKES_NEXT = "takes the next value of a generator that was made before"
_INSTEAD = {
    "prints": say("Print with jax.debug.print, or outside of the function."),
    "sleeps": say("Leave it out, or put it into jax.pure_callback."),
    _TAKES_NEXT: say("Pass what changes as an argument."),
}
_CALLBACKS = (f"{OF_JAX}_src{os.sep}callback.py", f"{OF_JAX}_src{os.sep}debugging.py")
_JAXSCOPE = os.path.join(Path(__file__).parents[2], "")
_STANDARD = sysconfig.get_path("stdlib") + os.sep


@dataclass(frozen=True, slots=True)
class Difference:
    """Why eager and compiled calls cannot be compared: what, where, why, and what to try.

    Attributes:
        subject: What is changed, such as a path or a name; of each only one difference is told.
            Empty where the difference is in what calls return or do.
    """

    what: str
    why: str
    remedy: str
    where: str = ""
    subject: str = ""

    @property
    def summary(self) -> str:
        """What, and where."""
        if not self.where:
            return self.what
        return say("{told} ({interval})", told=self.what, interval=self.where)

    def text(self) -> str:
        """What differs, where, why, and what to try, in one paragraph."""
        verdict = say("No verdict: {why}.", why=self.summary)
        return say_joined((verdict, self.why, self.remedy))


def refuse_unrun(result: Any, function: Any = None) -> Any:
    """The result of a call, if calling ran the function.

    Raises:
        TraceError: It is a generator or a coroutine, whose body has not run.
    """
    kind, when = _unrun_kind(result)
    if not kind:
        return result
    if isinstance(result, types.GeneratorType | types.CoroutineType):
        result.close()  # Python would warn of a coroutine that nobody awaited
    name = getattr(result, "__name__", "") or getattr(function, "__name__", "The function")
    code = getattr(result, "gi_code", None) or getattr(result, "cr_code", None)
    code = code or getattr(result, "ag_code", None)
    place = place_of(function) if function is not None else ""
    if code is not None:
        place = format_place(code.co_filename, code.co_firstlineno)
    if when:
        what = say(
            "{name} returns {kind}: nothing of its body ran, so there is nothing to measure.",
            name=name,
            kind=kind,
        )
        why = say(
            "A call of such a function only makes an object; its body runs when that is {when}.",
            when=when,
        )
    else:
        what = say(
            "{name} returns {kind}: its values are not there yet, so there is nothing to measure.",
            name=name,
            kind=kind,
        )
        why = say("A call of such a function only starts work, which nobody waits for.")
    raise TraceError(
        what,
        where=place,
        why=why,
        remedy=say("Measure a function that returns the values, such as list(f(x)).")
        if isinstance(result, Iterator)
        else say("Measure a function that returns the values."),
        kind="BodyNeverRan",
    )


def _unrun_kind(result: Any) -> tuple[str, str]:
    """What kind of result without values it is, and when it gets them; empty if it is none."""
    found = (each[1:] for each in _UNRUN if isinstance(result, each[0]))
    return next(found, ("", ""))


@dataclass(eq=False)
class Outcome:
    """What one call did that can be compared with another.

    Attributes:
        acts: What it did beside computing, such as `prints`.
        results: A sample of each array; None before the call returned.
        leaked: The first tracer among the results, or None.
    """

    acts: set[str] = dataclasses.field(default_factory=set)
    results: _Results | None = None
    leaked: Any = None

    def keep(self, result: Any) -> None:
        """Take in what the call returned."""
        leaves = jax.tree.leaves(result, is_leaf=lambda leaf: bool(_unrun_kind(leaf)[0]))
        for leaf in leaves:
            refuse_unrun(leaf)
        self.leaked = next((leaf for leaf in leaves if isinstance(leaf, compat.Tracer)), None)
        if self.leaked is None:
            self.results = _sample(result)


@contextmanager
def observed(outcome: Outcome, generators: Iterable[FrameType] = ()) -> Iterator[None]:
    """Note what the block does beside computing, by the functions in C that it calls.

    What callbacks do is left out: compiled calls do it as well.

    Args:
        outcome: Gets what is seen.
        generators: Frames of generators that were there before.
    """
    frames = {id(frame): frame for frame in generators}

    def note(frame: FrameType, event: str, called: Any) -> None:
        if event == "call" and id(frame) in frames:
            outcome.acts.add(_TAKES_NEXT)
        elif event == "c_call":
            act = _ACTS.get(getattr(called, "__name__", ""))
            if act is not None and act not in outcome.acts and _is_done_by_the_user(frame):
                outcome.acts.add(act)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
        jax.effects_barrier()  # type: ignore[no-untyped-call] # JAX does not annotate it
    finally:
        sys.setprofile(before)


def _is_done_by_the_user(frame: FrameType | None) -> bool:
    """Whether neither JAX nor jaxscope asked for it, and no callback does it.

    What code of Python's own library does is done by who called it.
    """
    caller = ""
    while frame is not None and not frame.f_code.co_filename.startswith(_JAXSCOPE):
        file = frame.f_code.co_filename
        if file in _CALLBACKS:
            return False
        is_standard = file.startswith((_STANDARD, "<frozen ")) and "-packages" not in file
        caller = caller or ("" if is_standard else file)
        frame = frame.f_back
    return bool(caller) and not caller.startswith(OF_JAX)


class WorkWatch:
    """Watches what the program changes outside of itself.

    Attributes:
        place: Where the function is defined.
    """

    def __init__(self, call: Call, source: SourceSnapshot) -> None:
        self._source = source
        self._functions = find_reach(call.base).functions
        self._base = call.base
        names = parameter_names(call.base, call.args)
        self._arguments = {**dict(zip(names, call.args, strict=True)), **call.kwargs}
        self.place = place_of(call.base)
        self._told: set[str] = set()
        self.begin()

    def begin(self) -> None:
        """What is changed from here on is what counts."""
        self._watches = [PurityWatch(f, self._source) for f in self._distinct()]
        self._assigned = dict(self._read_assigned())
        self._parts = dict(find_parts(self._arguments))
        self._outside = self._read_outside()

    def find_generators(self) -> list[FrameType]:
        """The frames of the generators that the functions see."""
        held = [part.value for part in self._outside.values()]
        return [g.gi_frame for g in held if isinstance(g, types.GeneratorType) and g.gi_frame]

    def find_changed_arguments(self) -> list[Difference]:
        """The first part of an argument that is not what it was when watching began, if any."""
        return [
            Difference(
                say("the call changes its argument `{path}`", path=path),
                say(
                    "Each eager call works from what the one before it left, and it is not known "
                    "that compiled calls do the same."
                ),
                say("Return what it makes, and leave the arguments as they are."),
                self.place,
                path,
            )
            for path in find_changed(self._parts, dict(find_parts(self._arguments)))[:1]
        ]

    def find_first_changes(self) -> list[Difference]:
        """What the first eager call changed although tracing had gone through the same code."""
        now = {**self._read_outside(), **dict(find_parts(self._arguments))}
        return [
            Difference(
                say("the first eager call changed {path}", path=_quote(path)),
                say("Later ones may find there what the compiled call computes each time."),
                _TAKE_AND_RETURN,
                self.place,
                path,
            )
            for path in find_changed({**self._outside, **self._parts}, now)[:1]
        ]

    def find_changes(self, *, is_traced: bool) -> list[Difference]:
        """What is different now, and was not reported before.

        Args:
            is_traced: Whether a trace was watched; else an eager call.
        """
        found = [*self._find_assigned()]
        if not is_traced:
            found += self.find_changed_arguments()
        for watch in self._watches:
            for change in watch.find_changes():
                finding = change.check
                place = format_place(self._source.path, finding.line)
                found.append(
                    Difference(
                        f"the {change.what} {_when(is_traced=is_traced)}",
                        _NOT_COMPILED,
                        finding.remedy,
                        place if finding.line else self.place,
                        change.name,
                    )
                )
        if not (is_traced or found or self._told):
            found += self._find_outside()
        fresh = []
        for difference in found:
            if difference.subject not in self._told:
                self._told.add(difference.subject)
                fresh.append(difference)
        return fresh

    def _find_outside(self) -> Iterator[Difference]:
        """The first part that the functions see and that the call changed; generators before."""
        now = self._read_outside()
        changed = find_changed(self._outside, now)
        drawn = [path for path in changed if path in now and now[path].draws]
        for path in drawn:
            yield Difference(
                say("the function draws random numbers from {path}", path=_quote(path)),
                say("Each eager call draws others; a compiled call has those that tracing drew."),
                say("Take them from jax.random, with a key as an argument."),
                self.place,
                path,
            )
        for path in changed[: 0 if drawn else 1]:
            yield Difference(
                say("the function changes `{path}`", path=path),
                _NOT_COMPILED,
                _TAKE_AND_RETURN,
                self.place,
                path,
            )

    def _find_assigned(self) -> Iterator[Difference]:
        now = dict(self._read_assigned())
        for name, before in self._assigned.items():
            if now.get(name, before) != before:
                yield Difference(
                    say("the function changes the global `{name}`", name=name),
                    _NOT_COMPILED,
                    _TAKE_AND_RETURN,
                    self.place,
                    name,
                )

    def _distinct(self) -> list[Any]:
        """The base, and one function for each further set of globals."""
        own = getattr(innermost_function(self._base), "__globals__", None)
        found: dict[int, Any] = {id(own): self._base}
        for function in self._functions:
            found.setdefault(id(function.__globals__), function)
        return list(found.values())

    def _read_outside(self) -> dict[str, ReachedPart]:
        seen = find_reach(self._base).values
        return {**read_shared_state(), **dict(find_parts(seen))}

    def _read_assigned(self) -> Iterator[tuple[str, int]]:
        """The globals that functions assign."""
        for function in self._functions:
            for instruction in dis.get_instructions(function):
                if instruction.opname == "STORE_GLOBAL":
                    name = str(instruction.argval)
                    yield name, id(function.__globals__.get(name))


class EagerCalls:
    """The first two eager calls of a program, watched, to be held against a compiled one.

    Attributes:
        leak: The first returned a tracer: it did not compute, and there is no second.
        changed: The arguments that the first call changed, for a second that fails.
    """

    def __init__(self, watch: WorkWatch | None, jitted: Outcome | None) -> None:
        self._watch = watch
        self._jitted = jitted
        self._first, self._second = Outcome(), Outcome()
        self._is_second_made = False
        self._kept: list[Difference] = []
        self.leak: Difference | None = None
        self.changed: list[Difference] = []

    def make_first(self, call: Callable[[Callable[[Any], None]], T]) -> T:
        """Make it: `call` hands the result to what it is given."""
        if self._watch is not None:
            self._watch.begin()
        answer = call(self._first.keep)
        if self._watch is not None:
            self.changed = self._watch.find_changed_arguments()
            if self._jitted is not None:
                self._kept = self._watch.find_first_changes()
        if self._first.leaked is not None:
            place = self._watch.place if self._watch is not None else ""
            self.leak = describe_leak(self._first.leaked, place)
        return answer

    def make_second(self, call: Callable[[Callable[[Any], None]], T]) -> T:
        """Make the one that is watched."""
        if self._watch is not None:
            self._watch.begin()
        generators = self._watch.find_generators() if self._watch is not None else ()
        with observed(self._second, generators):
            answer = call(self._second.keep)
        self._is_second_made = True
        return answer

    def find_differences(self, *, is_explained: bool = False) -> list[Difference]:
        """What eager and compiled calls do differently.

        Args:
            is_explained: A difference is known already.
        """
        if self._watch is None:
            return []
        found = self.changed
        if self._is_second_made:
            found = self._watch.find_changes(is_traced=False)
        found = found or ([] if is_explained else self._kept)
        second = self._second if self._is_second_made else None
        return [
            *found,
            *find_differences(
                self._first,
                second,
                self._jitted,
                self._watch.place,
                is_explained=is_explained or bool(found),
            ),
        ]


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
        say(
            "the eager call returned a leaked tracer ({kind}), no array", kind=type(tracer).__name__
        ),
        say(
            "An earlier trace left it in a cache or a global, and the eager call found it there: "
            "it did not compute."
        ),
        say("Keep nothing of a trace: return what the function makes, or fill the cache outside."),
        where,
    )


def _side_effects(
    eager: Outcome | None, jitted: Outcome | None, place: str
) -> Iterator[Difference]:
    if eager is None or jitted is None:
        return
    for act in sorted(eager.acts - jitted.acts):
        yield Difference(
            f"each eager call {act}, and compiled calls do not",
            say("Python code runs while JAX traces, and never in the compiled program."),
            _INSTEAD.get(act, "Do it outside of the function, or in jax.pure_callback."),
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
            say(
                "two eager calls with the same arguments returned different results: {difference}",
                difference=difference,
            ),
            say(
                "The function uses what changes from call to call, such as random numbers of the "
                "host or a counter; a compiled call repeats what tracing saw."
            ),
            say("Pass what changes as an argument; take random numbers from jax.random."),
            place,
        )
    elif difference := _differ(eager, jitted, _TOLERANCE, share=0.01):
        yield Difference(
            say(
                "the eager and the compiled call returned different results: {difference}",
                difference=difference,
            ),
            say("So it is not known that they do the same work."),
            say("`jaxscope time --agreement` finds the equation where they part."),
            place,
        )


def _differ(one: Outcome | None, other: Outcome | None, tolerance: float, *, share: float) -> str:
    """How the results of two calls differ; empty if they agree, or are not known."""
    if one is None or other is None or one.results is None or other.results is None:
        return ""
    return one.results.differ(other.results, tolerance, share)


@dataclass(frozen=True, eq=False)
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
            if mine == others:
                return say("of another structure")
            return say(BOTH, first=mine, then=others)
        for number, (one, two) in enumerate(zip(self.samples, other.samples, strict=True)):
            if one is None or two is None or not one.size:
                continue
            if not np.issubdtype(one.dtype, np.inexact):
                if np.count_nonzero(one != two) > share * one.size:
                    return say("other elements in result {number}", number=number)
                continue
            both = np.isfinite(one) & np.isfinite(two)
            if not both.any():
                continue
            apart = float(np.abs(one[both] - two[both]).max())
            scale = float(np.abs(one[both]).max())
            if apart > tolerance * scale and apart > 1e-30:
                return say(
                    "up to {apart} apart where the largest is {scale}",
                    apart=f"{apart:.3g}",
                    scale=f"{scale:.3g}",
                )
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


def _quote(path: str) -> str:
    """A name in backticks; not where it is a sentence's part that has them."""
    return path if "`" in path else f"`{path}`"
