"""Every private name of JAX and jaxlib that jaxscope uses, one function per difference between
releases, the store of JAX's distributed runtime included.

Nothing else in the project but `compat_recorder` imports `jax._src` or a module of jaxlib whose
name starts with an underscore. Each function names the releases it was checked on: 0.8.0, 0.10.2
and 0.12.0.1 unless it says otherwise.

Every name is looked up where it is used. One that a release lacks raises an `AttributeError` there,
costs what needs it, and is told by `tell_missing`.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.metadata
import io
import itertools
import operator
import re
import sys
import threading
import types
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax

from jaxscope.model.graph import SourcePosition, own_place
from jaxscope.model.op_name import TAG_FILE, print_tag
from jaxscope.model.said import say
from jaxscope.model.units import format_place


class _Gone:
    """Stands for a module that this release of JAX lacks: so it lacks each name of it."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"There is no module {self.__name__}.", name=name, obj=self)


def private_module(*names: str) -> Any:
    """A private module of JAX or jaxlib: the first of these that there is."""
    for name in names:
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    return _Gone(names[0])


_core = private_module("jax._src.core")
_source_info = private_module("jax._src.source_info_util")
_mlir = private_module("jax._src.interpreters.mlir")
_partial_eval = private_module("jax._src.interpreters.partial_eval")
_ir = private_module("jaxlib.mlir.ir")


def _jaxlib_module() -> Any:
    return private_module("jaxlib._jax")


def _hlo_module() -> Any:
    return private_module("jaxlib._hlo", "jaxlib._jax")  # jaxlib 0.8 keeps HloModule in `_jax`


def tell_missing(error: BaseException) -> str:
    """A sentence that names what of JAX an error is for; empty where it is for anything else.

    Args:
        error: As raised: a name that user code misses is none of ours.
    """
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if not isinstance(error, AttributeError) or traceback is None:
        return ""
    frame, owner = traceback.tb_frame, error.obj
    if frame.f_globals.get("__name__") not in _HOLD_NAMES:
        return ""
    if not isinstance(owner, _Gone) and error.name not in frame.f_code.co_names:
        return ""  # raised further in, in frames that JAX takes out
    if not isinstance(owner, types.ModuleType | type | _Gone):
        owner = type(owner)
    module = getattr(owner, "__module__", "") if isinstance(owner, type) else ""
    place = f"{module}.{owner.__name__}".lstrip(".")
    if not place.startswith(("jax.", "jaxlib.")):
        return ""
    return say(
        "JAX {version} has no {place}.{name}, a private name that this needs.",
        version=jax.__version__,
        place=place,
        name=error.name,
    )


def tell_losses() -> list[str]:
    """Sentences on what is left out wherever it would be, as this JAX lacks the name for it."""
    lost = []
    if not hasattr(_source_info, "user_frames"):
        lost.append(
            say(
                "{name}.user_frames: places in the source are not known.",
                name=_source_info.__name__,
            )
        )
    jaxlib = _jaxlib_module()
    if not hasattr(jaxlib, "hlo_module_cost_analysis"):
        lost.append(
            say(
                "{name}.hlo_module_cost_analysis: what XLA counts is not known.",
                name=jaxlib.__name__,
            )
        )
    return [f"JAX {jax.__version__} has no {text}" for text in lost]


_HOLD_NAMES = (__name__, f"{__name__}_recorder")
_LIBTPU = re.compile(r"libtpu==([\d.]+\.)\*")

_PORTABLE, _HEAD = b"StableHLO_v", 64
"""Who wrote MLIR bytecode stands near its beginning; for a portable artifact it is StableHLO."""

Tracer = jax.core.Tracer

PLAIN = frozenset({type(None), bool, int, str, float})


@functools.cache
def _jaxpr_types() -> tuple[Any, ...]:
    return tuple({_core.Jaxpr, getattr(_core, "ClosedJaxpr", _core.Jaxpr)})


def is_jaxpr(value: Any) -> bool:
    """Whether a parameter of an equation is an open or a closed jaxpr."""
    return isinstance(value, _jaxpr_types())


class _JaxprHolders(dict[type, bool]):
    """Whether values of a type are jaxprs or may hold one."""

    def __missing__(self, kind: type) -> bool:
        known = self[kind] = issubclass(kind, (*_jaxpr_types(), tuple, list, dict))
        return known


_holders = _JaxprHolders()


def holds_jaxpr(value: Any) -> bool:
    """Whether a parameter is a jaxpr or has one somewhere inside."""
    # Every parameter of every equation comes here; most are numbers, or tuples of a few of them.
    if not _holders[type(value)]:
        return False
    if is_jaxpr(value):
        return True
    for item in value.values() if isinstance(value, dict) else value:
        if _holders[type(item)] and holds_jaxpr(item):
            return True
    return False


def find_holders(parameters: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The parameters that are jaxprs or have one somewhere inside."""
    holders = _holders
    return [
        (name, value)
        for name, value in parameters.items()
        if holders[type(value)] and holds_jaxpr(value)
    ]


def open_jaxpr(value: Any) -> Any:
    """The jaxpr that has the equations. Since 0.12 a `Jaxpr` carries its constants itself."""
    inner = getattr(value, "jaxpr", None)
    return value if inner is None or not isinstance(inner, _core.Jaxpr) else inner


def consts_of(value: Any) -> Sequence[Any]:
    """The constants of a closed jaxpr; empty for an open one."""
    return tuple(getattr(value, "consts", ()) or ())


def replace_equations(value: Any, equations: list[Any]) -> Any:
    """The same open or closed jaxpr with other equations."""
    inner = open_jaxpr(value)
    replaced = inner.replace(eqns=equations)
    return replaced if inner is value else value.replace(jaxpr=replaced)


def make_part(inner: Any, equations: list[Any], inputs: list[Any]) -> Any:
    """An open jaxpr of some equations, without results; JAX warns of names that do not fit."""
    info = inner.debug_info
    if info is not None:
        info = info._replace(arg_names=None, result_paths=None)
    return inner.replace(eqns=equations, invars=inputs, outvars=[], debug_info=info)


def evaluate_jaxpr(value: Any, arguments: Iterable[Any]) -> list[Any]:
    """Evaluate a closed jaxpr under whatever transforms are active, names and tracebacks kept."""
    return list(_core.eval_jaxpr(open_jaxpr(value), consts_of(value), *arguments))


def run_equations(
    jaxpr: Any, inputs: Sequence[Any], run: Callable[[int, Any, list[Any]], list[Any]]
) -> list[Any]:
    """Run a jaxpr one equation after the other.

    Args:
        jaxpr: Open or closed.
        inputs: A value for each of its inputs.
        run: Gives the results of an equation; called with its number, itself and its operands.

    Returns:
        The results of the jaxpr.
    """
    inner = open_jaxpr(jaxpr)
    known = dict(zip(inner.constvars, consts_of(jaxpr), strict=False))
    known.update(zip(inner.invars, inputs, strict=True))

    def read(atom: Any) -> Any:
        return atom.val if is_literal(atom) else known[atom]

    for number, equation in enumerate(inner.eqns):
        results = run(number, equation, [read(atom) for atom in equation.invars])
        known.update(zip(equation.outvars, results, strict=True))
    return [read(atom) for atom in inner.outvars]


def scan_counts(parameters: Mapping[str, Any]) -> dict[str, int]:
    """How many operands of a `scan` are the same in each round, and how many are carried.

    JAX 0.12 keeps the trees of the operands in place of both numbers.
    """
    names = "num_consts", "num_carry"
    if "ft_in" in parameters:
        parts = parameters["ft_in"].unpack()
        return {name: len(list(part)) for name, part in zip(names, parts, strict=False)}
    return {name: int(parameters[name]) for name in names}


def reuses_keys(inner: Any) -> bool:
    """Whether an open jaxpr uses a random key up twice, by JAX's own checker.

    False where the checker does not know. Its module is not documented.
    """
    check = private_module("jax.experimental.key_reuse._core").jaxpr_type_signature
    try:
        check(inner)
    except jax.errors.KeyReuseError:
        return True
    except Exception:
        return False
    return False


def is_outside_of_traces() -> bool:
    """Whether no transform or trace is active on this thread."""
    return bool(_core.trace_state_clean())


def is_literal(atom: Any) -> bool:
    """Whether an operand of an equation is a literal and no variable."""
    return isinstance(atom, _core.Literal)


def is_dropped(variable: Any) -> bool:
    """Whether a result of an equation is never used (`_` in the text)."""
    return isinstance(variable, _core.DropVar)


class Tag(NamedTuple):
    """An element of a name stack that JAX carries along and never prints.

    Attributes:
        kind: One of the letters of `jaxscope.model.op_name`.
        number: Of the equation.
    """

    kind: str
    number: int

    def wrap(self, _stack: list[str]) -> None:
        """Add nothing to the text: transforms wrap what stands behind, as without the tag."""


class _PrintedStack(getattr(_source_info, "NameStack", object)):  # type: ignore[misc] # JAX's
    """A name stack that prints its tags, each before the scope that it stands in.

    There they change nothing else. XLA calls an instruction after the last part of its name, and
    looks whether the name of an instruction begins with that of the loop around it: so the text of
    a longer stack begins with that of a shorter one. A tag that stands in no scope is printed
    before an empty part: `jxsd5~//while/body`. JAX puts stacks together by adding them, the outer
    one from the left: the tags of the inner one have to be printed then, too.
    """

    __slots__ = ()

    def __str__(self) -> str:
        parts: list[str] = []
        before: list[str] = []  # the tags of each part
        tags = ""
        for element in reversed(self.stack):
            if isinstance(element, Tag):
                tags = print_tag(element.kind, element.number) + tags
                continue
            element.wrap(parts)
            if len(before) < len(parts):  # transforms wrap the part that is there
                before.append(f"{tags}/" if tags else "")
                tags = ""
        if tags:
            parts.append("")
            before.append(f"{tags}/")
        return "/".join(map(operator.add, reversed(before), reversed(parts)))

    def extend(self, name: str) -> Any:
        return _PrintedStack((*self.stack, _source_info.Scope(name)))

    def transform(self, transform_name: str) -> Any:
        return _PrintedStack((*self.stack, _source_info.Transform(transform_name)))

    def __getitem__(self, places: slice) -> Any:
        return _PrintedStack(self.stack[places])

    def __add__(self, other: Any) -> Any:
        return _PrintedStack(self.stack + other.stack)

    def __radd__(self, other: Any) -> Any:
        return _PrintedStack(other.stack + self.stack)


_emit_cached_call: Any = getattr(_mlir, "_emit_cached_call", None)
HAS_TAG_FRAMES = _emit_cached_call is not None and hasattr(_ir, "Location")
"""Whether tags of calls without a name are stack frames; before 0.10.2 they are the names."""
_TAGS_ALONE = re.compile(r"((?:jxs[bdpt]\d+~)+)/+")
_TAGS_BEFORE = re.compile(r"((?:jxs[bdpt]\d+~)+/)([^/]+)")


def _emit_tagged_call(context: Any, equation: Any, *arguments: Any) -> Any:
    """As JAX's own, but that the call has the name which XLA gives it without tags.

    JAX lowers an operation to a function, and calls it or puts what it does in the call's place.
    Where the operation stands in no scope, a call among that has no name. XLA then takes the
    function of its innermost frame for one, and here that is put behind the tag. Where it has no
    frame either, the tag is a stack frame: with the tag for a name XLA would call the elements of
    its results otherwise, which stay when XLA inlines the call. XLA puts a call's stack frames
    beneath those of what it calls.

    Where JAX puts a function in the place of a call, calls in it that have no name get an empty
    one, and XLA gives them none.

    Checked on 0.10.2 and 0.12.0.1.
    """
    for argument in arguments:
        if getattr(argument, "inline", False) and hasattr(argument, "func"):
            _unname_calls(argument.func)
    here = _ir.Location.current
    tags = _TAGS_ALONE.fullmatch(location_name(here))
    if (
        tags is None
        or any(map(holds_jaxpr, equation.params.values()))  # names inside would be around the tag
        or not any(map(_has_calls, arguments))
    ):
        return _emit_cached_call(context, equation, *arguments)
    if str(here) == f'loc("{tags[0]}")':
        frame = _ir.Location.name(tags[1], childLoc=_ir.Location.file(TAG_FILE, 1, 0))
        named = _ir.Location.name("", childLoc=frame)
    elif all(argument.inline for argument in arguments if hasattr(argument, "func")):
        return _emit_cached_call(context, equation, *arguments)
    else:
        innermost = here.child_loc
        innermost = getattr(innermost, "callee", innermost)
        named = _ir.Location.name(tags[0] + location_name(innermost), childLoc=here.child_loc)
    with named:
        return _emit_cached_call(context, equation, *arguments)


def _unname_calls(function: Any) -> None:
    """Take the frame's function out of the names of calls that have it behind the tag."""
    for each in function.operation.regions[0].blocks[0].operations:
        location = each.location
        found = _TAGS_BEFORE.fullmatch(location_name(location))
        if found is None or each.operation.name != "func.call":
            continue
        innermost = getattr(location.child_loc, "callee", location.child_loc)
        if location_name(innermost) == found[2]:
            each.operation.location = _ir.Location.name(found[1], childLoc=location.child_loc)


def location_name(location: Any) -> str:
    """The name of an MLIR location. Since 0.9 the kinds of locations are classes of their own."""
    is_name = getattr(location, "is_a_name", None)
    if is_name is not None and not is_name():
        return ""
    try:
        return str(location.name_str)
    except (AttributeError, ValueError):
        return ""


def _has_calls(argument: Any) -> bool:
    """Whether an argument is the function of an operation, and calls are made of it."""
    function = getattr(argument, "func", None)
    if function is None:
        return False
    body = function.operation.regions[0].blocks[0].operations
    return not argument.inline or any(each.operation.name == "func.call" for each in body)


if HAS_TAG_FRAMES:
    vars(_mlir).update(_emit_cached_call=_emit_tagged_call)


def with_tag(source_info: Any, kind: str, number: int, *, is_printed: bool = False) -> Any:
    """The same source information with a tag put outermost in its name stack.

    Args:
        is_printed: Whether the tags of this stack, all of them, are to be in names of operations.
    """
    plain = _source_info.NameStack
    make = _PrintedStack if is_printed else plain
    elements: tuple[Any, ...] = (Tag(kind, number), *source_info.name_stack.stack)
    return source_info.replace(name_stack=make(elements))


def with_innermost_tag(source_info: Any, kind: str, number: int) -> Any:
    """The same source information with a tag put innermost in its name stack."""
    elements: tuple[Any, ...] = (*source_info.name_stack.stack, Tag(kind, number))
    return source_info.replace(name_stack=_source_info.NameStack(elements))


def read_tags(name_stack: Any) -> list[tuple[str, int]]:
    """Kind and number of each tag of a name stack, from outermost to innermost."""
    return [
        (element.kind, element.number) for element in name_stack.stack if isinstance(element, Tag)
    ]


def untagged(name_stack: Any) -> tuple[Any, ...]:
    """The elements of a name stack that JAX prints."""
    return tuple(element for element in name_stack.stack if not isinstance(element, Tag))


def with_tags_of(source_info: Any, other: Any) -> Any:
    """The same source information with the tags that another one has outermost."""
    tags = itertools.takewhile(lambda each: isinstance(each, Tag), other.name_stack.stack)
    stack = _source_info.NameStack((*tags, *source_info.name_stack.stack))
    return source_info.replace(name_stack=stack)


def is_same_function(one: Any, other: Any) -> bool:
    """Whether two jaxprs are traces of one function, as far as its name, file and line say."""
    infos = [getattr(open_jaxpr(jaxpr), "debug_info", None) for jaxpr in (one, other)]
    first, second = (getattr(info, "func_src_info", "") for info in infos)
    return bool(first) and first == second


def scope_names(name_stack: Any) -> tuple[str, ...]:
    """The scopes of a name stack from outermost to innermost, transforms left out."""
    return tuple(
        element.name for element in name_stack.stack if isinstance(element, _source_info.Scope)
    )


def stack_text(elements: tuple[Any, ...]) -> str:
    """What JAX prints for a name stack of these elements."""
    return str(_source_info.NameStack(elements))


def user_frames(source_info: Any) -> Iterator[tuple[str, int, int, str]]:
    """File, line (1-based), column (0-based) and function of each user frame, innermost first."""
    for frame in _frames(source_info.traceback):
        yield frame.file_name, frame.start_line, frame.start_column, frame.function_name


_NOT_THE_USERS = frozenset({"jax", "jaxlib", "jaxscope", "contextlib", "functools", "threading"})


def running_line() -> tuple[str, int] | tuple[()]:
    """File and line of the innermost code that runs now and is neither JAX's nor ours."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame and str(frame.f_globals.get("__name__")).partition(".")[0] in _NOT_THE_USERS:
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ()


def user_place(equation: Any) -> tuple[str, int] | None:
    """File and line (1-based) of the innermost user frame of an equation; None if it has none."""
    frame = next(user_frames(equation.source_info), None)
    return None if frame is None else frame[:2]


def is_made_in(equation: Any, file: str) -> bool:
    """Whether a file of JAX's, such as `jax/_src/checkify.py`, was at work when it was made."""
    traceback = equation.source_info.traceback
    names = () if traceback is None else {frame.file_name for frame in traceback.frames}
    return any(name.replace("\\", "/").endswith(file) for name in names)


@functools.lru_cache(maxsize=1 << 16)
def _frames(traceback: Any) -> tuple[Any, ...]:
    """The user's frames down to the function that was traced.

    JAX 0.8.0 keeps those of its caller, too: of a function that JAX traced before, these are of
    another call, which may be that of another program.
    """
    if traceback is None or not hasattr(_source_info, "user_frames"):
        return ()
    if not hasattr(_partial_eval, "trace_to_jaxpr_dynamic") or hasattr(
        _partial_eval, "TracebackScope"
    ):
        return tuple(_source_info.user_frames(traceback))
    frames = itertools.takewhile(_is_inside, zip(*traceback.raw_frames(), strict=True))
    return tuple(
        _source_info.raw_frame_to_frame(code, place)
        for code, place in frames
        if _source_info.is_user_filename(code.co_filename)
    )


def _is_inside(frame: tuple[types.CodeType, int]) -> bool:
    """Whether a frame is not yet JAX's own that traces a function."""
    code, _ = frame
    return (code.co_name, code.co_filename) != ("trace_to_jaxpr_dynamic", _partial_eval.__file__)


def location_of(source_info: Any) -> tuple[Any, ...]:
    """The frames that JAX writes into the location of what an equation is lowered to."""
    limit = int(getattr(jax.config, "jax_traceback_in_locations_limit", 10))
    frames = _frames(source_info.traceback)
    return frames if limit < 0 else frames[:limit]


def place_of_tracer(tracer: Any) -> tuple[str, int, str] | None:
    """File, line and function where a traced value was made; None where JAX does not know.

    Of an argument these are the function's, and its name is told with it. Tracers of `jit` keep
    the place in `_line_info`, those of `vmap` in `source_info`; those of a derivative hold a tracer
    that may have one.
    """
    made = getattr(tracer, "_line_info", None) or getattr(tracer, "source_info", None)
    frame = next(user_frames(made), None) if made is not None else None
    if frame is not None:
        return frame[0], frame[1], frame[3]
    for name in ("primal", "val"):
        held = getattr(tracer, name, None)
        if isinstance(held, Tracer):
            return place_of_tracer(held)
    return _place_of_argument(tracer)


def _place_of_argument(tracer: Any) -> tuple[str, int, str] | None:
    """File, line and name of the function that a tracer is an argument of; None of any other."""
    debug = getattr(tracer, "_debug_info", None)
    arguments = getattr(getattr(tracer._trace, "frame", None), "invars", [])
    names = getattr(debug, "arg_names", None) or ()
    number = next((n for n, each in enumerate(arguments) if each is tracer.val), len(names))
    # "double at /home/me/file.py:3"
    function, _, place = str(getattr(debug, "func_src_info", "")).partition(" at ")
    file, _, line = place.rpartition(":")
    if number >= len(names) or not file or not line.isdecimal():
        return None
    return file, int(line), f"{function} (its argument `{names[number]}`)"


def tracer_place(tracer: Any) -> str:
    """Where a tracer was made, as `file.py:12`; empty if not known."""
    made = place_of_tracer(tracer)
    return "" if made is None else format_place(*made[:2])


def hide_frames_of(folder: str) -> None:
    """Leave files below a folder out of what JAX takes for the user's frames."""
    _source_info.register_exclusion(folder)


def traced_jaxpr(traced: Any) -> Any:
    """The closed jaxpr of a `jax.stages.Traced`."""
    return traced.jaxpr


class TraceTimes:
    """What JAX says that it traced in this process since the first look.

    Attributes:
        count: How many functions. Those that are jitted within another count in JAX 0.8 alone.
        seconds: By name, the most wall seconds that one trace took.
        total: By name, the wall seconds of all of its traces.
    """

    def __init__(self) -> None:
        self.count = 0
        self.seconds: dict[str, float] = {}
        self.total: dict[str, float] = {}
        jax.monitoring.register_event_duration_secs_listener(self._on_duration)

    def _on_duration(self, event: str, duration_secs: float, **details: Any) -> None:
        if event == "/jax/core/compile/jaxpr_trace_duration":
            name = str(details.get("fun_name"))
            self.count += 1
            self.seconds[name] = max(self.seconds.get(name, 0.0), duration_secs)
            self.total[name] = self.total.get(name, 0.0) + duration_secs


trace_times = functools.cache(TraceTimes)
"""The one of this process."""


def traced_consts(traced: Any) -> Sequence[Any]:
    """What a traced program captured: in its jaxpr, or hoisted into arguments before the others.

    From JAX 0.10 on the hoisted ones, scalars and tracers among them, are in `_consts`; 0.8 puts
    them before the flat arguments that its lowering function is bound to.
    """
    hoisted = getattr(traced, "_consts", None) or ()
    number = getattr(traced, "_num_consts", 0)
    if number and not hoisted:
        bound = getattr(getattr(traced, "_lfg", None), "args", ())
        hoisted = bound[0][:number] if bound else ()
    return (*consts_of(traced_jaxpr(traced)), *hoisted)


def retrace_with(traced: Any, jaxpr: Any) -> Any:
    """The same traced program with another, equivalent jaxpr.

    `Traced` keeps its jaxpr in the dictionary `_params`, from which `lower` reads it; shardings,
    donation and names stay as they are.
    """
    clone = object.__new__(type(traced))
    for slot in type(traced).__slots__:
        if hasattr(traced, slot):
            setattr(clone, slot, getattr(traced, slot))
    clone._params = {**traced._params, "jaxpr": jaxpr}
    if "_lojax" in type(traced).__slots__:
        clone._lojax = None
    return clone


def debug_paths(traced: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Paths of the leaves of the arguments and of the results, as JAX names them."""
    info = getattr(open_jaxpr(traced.jaxpr), "debug_info", None)
    if info is None:
        return (), ()
    return argument_names(traced.jaxpr), tuple(info.result_paths or ())


def argument_names(jaxpr: Any) -> tuple[str, ...]:
    """Names of a jaxpr's arguments, as JAX keeps them; none where it keeps none."""
    info = getattr(open_jaxpr(jaxpr), "debug_info", None)
    return tuple(getattr(info, "arg_names", None) or ())


def used_inputs(traced: Any) -> Sequence[bool]:
    """Which flat arguments of a traced program JAX hands to it; the others it drops."""
    jaxpr = open_jaxpr(traced.jaxpr)
    used: Sequence[bool] = _partial_eval.dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars))[1]
    return used


@contextlib.contextmanager
def watching_reads(on_read: Callable[[Any], None]) -> Iterator[None]:
    """Call for each array whose values JAX copies to the host, but for `jax.device_get`.

    A copy is kept with the array, so reading it again copies nothing.
    """
    arrays: Any = private_module("jax._src.array").ArrayImpl
    original: Any = arrays._value
    state: Any = private_module("jax._src.lib").guard_lib.thread_local_state

    def read(array: Any) -> Any:
        if array._npy_value is None and not state().explicit_device_get:
            on_read(array)
        return original.fget(array)

    arrays._value = property(read)
    try:
        yield
    finally:
        arrays._value = original


@contextlib.contextmanager
def watching_equations(on_equation: Callable[[Any, Any], None]) -> Iterator[None]:
    """Call for each equation that JAX appends to a jaxpr which it traces, behind that.

    Args:
        on_equation: Takes what builds the jaxpr (see `growing_jaxpr`), and the equation, which it
            must not keep: JAX drops those that nobody uses.
    """
    builder: Any = _partial_eval.JaxprStackFrame
    original = builder.add_eqn

    def add(self: Any, equation: Any) -> Any:
        added = original(self, equation)
        on_equation(self, equation)
        return added

    builder.add_eqn = add
    try:
        yield
    finally:
        builder.add_eqn = original


def growing_jaxpr() -> Any:
    """What builds the jaxpr that operations are recorded in now; None where JAX runs them."""
    trace: Any = _core.trace_ctx.trace
    while trace is not None:
        builder = getattr(trace, "frame", None)
        if isinstance(builder, _partial_eval.JaxprStackFrame):
            return builder
        trace = getattr(trace, "parent_trace", None)
    return None


def function_of_growing(builder: Any) -> str:
    """Name of the function that a jaxpr is built from; empty where JAX does not know it."""
    info = getattr(builder, "debug_info", None)
    return str(getattr(info, "func_name", "") or "")


LoopRunner = Callable[[Any, Callable[..., Any], Callable[..., Any], tuple[Any, ...]], Any]
"""Given JAX's own jitted function of an operation, a plain one with the operation's name and the
line that ran it first, what runs it as JAX does, and its operands; gives the results."""


@contextlib.contextmanager
def watching_loops(run: LoopRunner) -> Iterator[None]:
    """Let a function run each `scan`, `while` and `cond` that Python runs outside of jit.

    JAX compiles such an operation as a program of its own, for each body.
    """
    callable_of = private_module("jax._src.dispatch").xla_primitive_callable
    loops: list[Any] = [jax.lax.scan_p, jax.lax.while_p, jax.lax.cond_p]
    originals = [loop.impl for loop in loops]
    functions: weakref.WeakKeyDictionary[Any, Callable[..., Any]] = weakref.WeakKeyDictionary()

    def watched(loop: Any, original: Any) -> Callable[..., Any]:
        def impl(*args: Any, **params: Any) -> Any:
            program = callable_of(loop, **params)
            if program not in functions:
                functions[program] = _loop_function(loop, params)
            return run(program, functions[program], functools.partial(original, **params), args)

        return impl

    for loop, original in zip(loops, originals, strict=True):
        loop.impl = watched(loop, original)
    try:
        yield
    finally:
        for loop, original in zip(loops, originals, strict=True):
            loop.impl = original


@contextlib.contextmanager
def watching_programs(on_program: Callable[[Any], None]) -> Iterator[None]:
    """Call for each StableHLO module that JAX is about to compile, before it begins to."""
    made: Any = private_module("jax._src.interpreters.pxla").UnloadedMeshExecutable
    original = made.from_hlo

    def from_hlo(name: str, module: Any, *args: Any, **kwargs: Any) -> Any:
        on_program(module)
        return original(name, module, *args, **kwargs)

    made.from_hlo = staticmethod(from_hlo)
    try:
        yield
    finally:
        made.from_hlo = staticmethod(original)


def fingerprint(module: Any) -> str:
    """SHA-256 of a StableHLO module without places of the source, hexadecimal."""
    with module.context:
        bare = module.operation.clone()
        passes: Any = private_module("jaxlib.mlir.passmanager").PassManager
        passes.parse("builtin.module(strip-debuginfo)").run(bare)
        written = io.BytesIO()
        bare.write_bytecode(written)
    return hashlib.sha256(written.getbuffer()).hexdigest()


def _loop_function(loop: Any, params: dict[str, Any]) -> Callable[..., Any]:
    """A function that runs an operation, as if it stood in the line of the user's that runs it."""
    function = lambda *args: loop.bind(*args, **params)  # noqa: E731  # one line, that of the user
    frames = user_frames(_source_info.current())
    place = own_place([SourcePosition(*frame[:3]) for frame in frames])
    # What JAX traced by itself, as a solver of its own, has no line: that which runs it has one.
    file, line = (place.file, place.line) if place else running_line() or ("", 1)
    function.__name__ = function.__qualname__ = loop.name
    function.__code__ = function.__code__.replace(
        co_filename=file, co_firstlineno=line, co_name=loop.name, co_qualname=loop.name
    )
    return function


_MAX_WRAPPED, _MAX_CLOSURES = 100, 8


def read_transforms(function: Any) -> tuple[list[str], list[str]]:
    """What transforms of JAX made a function of another: names, outermost first, and settings.

    A transform is a closure in a file of JAX's that wraps the function; its settings, such as
    `argnums`, are variables of that closure.
    """
    names: list[str] = []
    settings: list[str] = []
    for _ in range(_MAX_WRAPPED):  # user code may say that a function wraps itself
        made, function = _without_boundary(function), getattr(function, "__wrapped__", None)
        if function is None:
            break
        if _is_of_jax(made) and made.__closure__:
            names.append(made.__code__.co_qualname.partition(".")[0])
            settings += _read_closure(made)
    return names, settings


def read_pmap(function: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Positions of the arguments that what `jax.pmap` returned donates, and of its static ones.

    A jit around it does neither. In the releases of JAX in which pmap is made of jit and shard_map;
    in others none are found.
    """
    lower = getattr(function, "lower", None)
    found = dict(_closure(lower)) if _is_of_jax(lower) else {}
    inner = found.get("infer_params")
    known = dict(_closure(inner)) if _is_of_jax(inner) else {}
    donated, static = known.get("donate_tuple", ()), known.get("static_broadcasted_tuple", ())
    # They are counted among those that are not static.
    positions = [n for n in range(len(static) + max(donated, default=-1) + 1) if n not in static]
    return tuple(positions[number] for number in donated), tuple(static)


def _is_of_jax(function: Any) -> bool:
    is_function = isinstance(function, types.FunctionType)
    return is_function and str(function.__globals__.get("__name__")).startswith("jax.")


def _without_boundary(function: Any) -> Any:
    """The function in the wrapper that filters JAX's own frames out of tracebacks; or itself."""
    code = getattr(function, "__code__", None)
    if code is None or not code.co_qualname.startswith("api_boundary."):
        return function
    return dict(_closure(function)).get("fun", function)


def _closure(function: Any) -> Iterator[tuple[str, Any]]:
    cells = getattr(function, "__closure__", None) or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        with contextlib.suppress(ValueError):  # not set yet
            yield name, cell.cell_contents


def _read_closure(function: Any, depth: int = 0) -> Iterator[str]:
    for name, value in _closure(function):
        inner = _without_boundary(value)
        if _is_of_jax(inner) and depth < _MAX_CLOSURES:  # a function may hold itself
            yield from _read_closure(inner, depth + 1)
        elif isinstance(value, bool | int | str | tuple | list | dict | None):
            with contextlib.suppress(Exception):  # what is in it may be the user's
                yield f"{name}={value!r}"


def is_jitted(function: Any) -> bool:
    """Whether a callable is the result of `jax.jit`."""
    return (
        hasattr(function, "trace")
        and hasattr(function, "lower")
        and hasattr(function, "eval_shape")
    )


def trace_jitted(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The `jax.stages.Traced` of a jitted function: Flax NNX wraps it in one of its own.

    A method takes over the attributes of its function, which want the object as an argument.
    """
    if isinstance(function, types.MethodType):
        function, args = function.__func__, (function.__self__, *args)
    traced = function.trace(*args, **kwargs)
    return getattr(traced, "traced", traced)


def lower(traced: Any) -> Any:
    """The `jax.stages.Lowered` of a `jax.stages.Traced`.

    JAX describes the arguments in a tree like theirs. Classes that check what they are made of may
    refuse descriptions, although they take tracers; `args_info` is a list of the leaves then.
    """
    stages = private_module("jax._src.stages")
    original = getattr(stages, "make_args_info", None)
    if original is not None and not _describes_arguments(traced):

        def describe_leaves(tree: Any, *described: Any) -> Any:
            return original(jax.tree.structure([0] * tree.num_leaves), *described)

        stages.make_args_info = describe_leaves
        try:
            return traced.lower()
        finally:
            stages.make_args_info = original
    return traced.lower()


def _describes_arguments(traced: Any) -> bool:
    """Whether the tree of descriptions, which is built here, can be built."""
    try:
        return traced.args_info is not None
    except Exception:  # whatever a class of the user's raises
        return False


def described_results(lowered: Any) -> list[Any]:
    """Shape and type of each leaf of the results; see `lower`."""
    try:
        return list(jax.tree.leaves(lowered.out_info))
    except Exception:
        return list(lowered._lowering.compile_args["global_out_avals"])


def module_bytecode(lowered: Any) -> bytes:
    """A lowered program's StableHLO module as MLIR bytecode."""
    return bytes(_mlir.module_to_bytecode(lowered.compiler_ir("stablehlo")))


def parse_module(bytecode: bytes) -> Any:
    """A StableHLO module of its own, which no compilation touches."""
    context = _mlir.make_ir_context()
    with context:
        return _ir.Module.parse(bytecode, context)


def hlo_module_of(lowered: Any, bytecode: bytes) -> Any:
    """The module before optimization, as jaxlib's `HloModule`."""
    arguments = getattr(lowered._lowering, "compile_args", None) or {}
    computation = _jaxlib_module().mlir.mlir_module_to_xla_computation(
        bytecode, use_tuple_args=bool(arguments.get("tuple_args", False))
    )
    return computation.as_hlo_module()


_cache_lock = threading.Lock()
_num_without_cache = 0
_is_cache_off = False
_IS_CACHE_ENABLED = "jax_enable_compilation_cache"


@contextlib.contextmanager
def without_persistent_cache() -> Iterator[None]:
    """Compile everything anew meanwhile, on all threads.

    JAX's persistent cache gives the executable of any program that has the same instructions:
    with the names and lines of that one, and without the code that XLA writes as it compiles.
    """
    global _num_without_cache
    with _cache_lock:
        _num_without_cache += 1
        if _num_without_cache == 1:
            _turn_cache_off()
    try:
        yield
    finally:
        with _cache_lock:
            _num_without_cache -= 1
            if not _num_without_cache:
                _turn_cache_on_again()


_FEW_FRAMES, _MANY_FRAMES = 10, 100
"""What JAX keeps by default, in 0.8 and in 0.10."""


@contextlib.contextmanager
def locations_with_frames() -> Iterator[None]:
    """Lower on this thread with all frames in the locations of operations, whatever is set.

    Tags are frames, and calls of a shared function are told apart by them. JAX's own settings
    suffice.
    """
    config = private_module("jax._src.config")
    with contextlib.ExitStack() as stack:
        full = getattr(config, "include_full_tracebacks_in_locations", None)
        if full is not None and not full.value:
            stack.enter_context(full(True))
        limit = getattr(config, "traceback_in_locations_limit", None)
        if limit is not None and 0 <= limit.value < _FEW_FRAMES:
            stack.enter_context(limit(_MANY_FRAMES))
        yield


def _turn_cache_off() -> None:
    """Nothing where no cache is in use."""
    global _is_cache_off
    folder = getattr(jax.config, "jax_compilation_cache_dir", None)
    if folder and getattr(jax.config, _IS_CACHE_ENABLED, True):
        _is_cache_off = True
        _set_cache({_IS_CACHE_ENABLED: False})


def _turn_cache_on_again() -> None:
    """Nothing where it was not turned off here."""
    global _is_cache_off
    if _is_cache_off:
        _is_cache_off = False
        _set_cache({_IS_CACHE_ENABLED: True})


@contextlib.contextmanager
def persistent_cache(folder: str) -> Iterator[None]:
    """Compile into JAX's persistent cache in a folder, and from it, where no cache is set.

    What is set meanwhile stays.
    """
    ours = {
        "jax_compilation_cache_dir": folder,
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: getattr(jax.config, name, None) for name in ours}
    is_off = not getattr(jax.config, _IS_CACHE_ENABLED, False)
    raises = getattr(jax.config, "jax_raise_persistent_cache_errors", False)
    if before["jax_compilation_cache_dir"] or is_off or raises:
        yield
        return
    _set_cache(ours)
    try:
        yield
    finally:
        is_ours = all(getattr(jax.config, name, None) == value for name, value in ours.items())
        if is_ours:
            _set_cache(before)


def _set_cache(settings: Mapping[str, Any]) -> None:
    from jax.experimental.compilation_cache import compilation_cache

    update: Callable[..., None] = jax.config.update
    for name, value in settings.items():
        update(name, value)
    compilation_cache.reset_cache()  # JAX reads its settings once


def optimized_module_of(compiled: Any) -> Any:
    """The first module after optimization, as jaxlib's `HloModule`."""
    return compiled.runtime_executable().hlo_modules()[0]


def platform_of(compiled: Any) -> str:
    """The platform that a program was compiled for; empty where the executable does not say."""
    try:
        return str(compiled.runtime_executable().local_devices()[0].platform)
    except (AttributeError, IndexError, RuntimeError):
        return ""


def donated_arguments(lowered: Any) -> tuple[list[int], list[int]]:
    """Which of the traced arguments were donated, and which ones the program kept.

    Both are places in the flat list of arguments; what is not known is left out. `args_info` is
    public, `kept_var_idx` stands among the arguments of the compilation.
    """
    leaves = jax.tree.leaves(lowered.args_info, is_leaf=lambda leaf: hasattr(leaf, "donated"))
    donated = [place for place, leaf in enumerate(leaves) if getattr(leaf, "donated", False)]
    arguments = getattr(lowered._lowering, "compile_args", None) or {}
    return donated, sorted(arguments.get("kept_var_idx") or ())


_ALIASED = "tf.aliasing_output"


def usable_donations(lowered: Any) -> dict[int, int | None]:
    """Which donated arguments JAX lets results take, by their place in the flat list.

    Each with the result that it names for them, or None where XLA is to choose one of the same
    number of elements. JAX warns of the other donated ones that the program kept.
    """
    _, kept = donated_arguments(lowered)
    operations = lowered.compiler_ir("stablehlo").body.operations
    (main,) = (each for each in operations if str(each.attributes["sym_name"]) == '"main"')
    attributes = list(main.attributes["arg_attrs"]) if "arg_attrs" in main.attributes else []
    found: dict[int, int | None] = {}
    for place, each in zip(kept, attributes[max(len(attributes) - len(kept), 0) :], strict=False):
        if _ALIASED in each:
            found[place] = int(str(each[_ALIASED]).partition(":")[0])
        elif "jax.buffer_donor" in each:
            found[place] = None
    return found


def num_arguments(lowered: Any) -> int:
    """Of how many leaves the arguments of a lowered program consist."""
    return len(jax.tree.leaves(lowered.args_info, is_leaf=lambda leaf: hasattr(leaf, "donated")))


def num_partitions(lowered: Any) -> int:
    """For how many devices XLA cuts a lowered program."""
    attributes = lowered.compiler_ir("stablehlo").operation.attributes
    return int(str(attributes["mhlo.num_partitions"]).partition(" ")[0])  # 1 : i32


def device_order(shardings: Sequence[Any], compiled: Any) -> list[Any]:
    """The devices of a program in the order in which its shardings count them."""
    for sharding in shardings:
        found = getattr(sharding, "_device_assignment", None)
        if found:
            return list(found)
    return list(compiled.runtime_executable().local_devices())


def hlo_sharding_text(sharding: Any, rank: int) -> str:
    """A sharding of an array of so many dimensions as HLO writes it."""
    return str(sharding._to_xla_hlo_sharding(rank))


def llvm_ir_options() -> dict[str, str]:
    """Compiler options that make jaxlib write LLVM IR beside object files; the CPU backend's.

    From 0.11.2 on it does so only for emitters that are asked for by name; before 0.11.0 it always
    does, and 0.8.0 does not know the option. Checked on 0.11.0 and 0.11.2 as well. The name is
    matched in full: `.*` prints every pass of every other emitter too, from several threads at
    once, of which 0.10.2 was seen to die.
    """
    release = tuple(int(part) for part in jaxlib_version().split(".")[:2])
    return {"xla_dump_emitter_re": "^llvm$"} if release >= (0, 11) else {}


def cpu_client() -> Any:
    """The client of the CPU backend, which every JAX has."""
    return jax.local_devices(backend="cpu")[0].client


def parse_hlo_module(serialized: bytes) -> Any:
    """jaxlib's `HloModule` of a serialized proto; a bad one raises jaxlib's own errors."""
    return _hlo_module().HloModule.from_serialized_hlo_module_proto(serialized)


def serialized_hlo_of_text(text: str) -> bytes:
    """The `HloModuleProto` of the text of an HLO module; a bad one raises jaxlib's own errors."""
    return bytes(_hlo_module().hlo_module_from_text(text).as_serialized_hlo_module_proto())


def parse_stablehlo(data: bytes) -> Any:
    """A StableHLO module from its text, bytecode or a portable artifact; raises MLIR's errors.

    Other compilers add attributes and operations of dialects that are not here.
    """
    context = _mlir.make_ir_context()
    context.allow_unregistered_dialects = True
    with context:
        if _PORTABLE in data[:_HEAD]:
            stablehlo = private_module("jaxlib.mlir.dialects.stablehlo")
            return stablehlo.deserialize_portable_artifact(context, data)
        return _ir.Module.parse(data, context)


def jaxlib_version() -> str:
    from jaxlib.version import __version__

    return str(__version__)


def hlo_cost_properties(client: Any, module: Any) -> dict[str, float]:
    """XLA's cost analysis of an `HloModule`; properties that are zero are left out."""
    return dict(_jaxlib_module().hlo_module_cost_analysis(client, module))


def bind_equation(equation: Any, values: Sequence[Any]) -> list[Any]:
    """Run one equation on values, as JAX evaluates a jaxpr.

    Up to 0.8 a primitive's subfunctions come beside its parameters, later among them.
    """
    found = equation.primitive.get_bind_params(equation.params)
    subfunctions, parameters = found if isinstance(found, tuple) else ((), found)
    with equation.ctx.manager:
        result = equation.primitive.bind(*subfunctions, *values, **parameters)
    return list(result) if equation.primitive.multiple_results else [result]


def start_recording(level: int = 2) -> Any:
    """Start to record what XLA executes; `.stop()` of the result gives a serialized trace.

    The trace stays in memory, and Python functions are not recorded.

    Args:
        level: 1 for what XLA finds important, its passes among that; 2 for instructions as well.

    Raises:
        RuntimeError: The recorder of a loaded libtpu is none of this jaxlib's: both would crash.
    """
    if _jaxlib_module().pjrt_plugin_loaded("tpu") and (problem := describe_other_libtpu()):
        raise RuntimeError(problem)
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0
    options.host_tracer_level = level
    options.enable_hlo_proto = False
    return private_module("jaxlib._profiler").ProfilerSession(options)


def recorded_spans(trace: bytes) -> Iterator[tuple[str, str, float, float]]:
    """Line, name, start and duration in nanoseconds of everything that has a duration."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # as below
        data = jax.profiler.ProfileData.from_serialized_xspace(trace)
        for plane in data.planes:
            for line in plane.lines:
                for event in line.events:
                    if event.duration_ns > 0:
                        where = f"{plane.name}/{line.name}"
                        yield where, event.name, event.start_ns, event.duration_ns


RECORDING_MARK = "jaxscope mark"


def mark_recording() -> None:
    """Leave an event in the recording whose time on another clock the caller takes."""
    with jax.profiler.TraceAnnotation(RECORDING_MARK):
        pass


def recorded_events(trace: bytes) -> Iterator[tuple[str, float, float, dict[str, Any]]]:
    """Line, start and duration in nanoseconds, and details of each event of an HLO instruction.

    Marks are among them, without details.
    """
    with warnings.catch_warnings():
        # 0.12: "builtin type event_stats has no __module__ attribute".
        warnings.simplefilter("ignore", DeprecationWarning)
        data = jax.profiler.ProfileData.from_serialized_xspace(trace)
        for plane in data.planes:
            for line in plane.lines:
                for event in line.events:
                    details = dict(event.stats)
                    if "hlo_op" in details or event.name == RECORDING_MARK:
                        yield (
                            f"{plane.name}/{line.name}",
                            event.start_ns,
                            event.duration_ns,
                            details,
                        )


def describe_other_libtpu() -> str:
    """A sentence where libtpu is installed in a release that JAX does not ask for; else empty.

    JAX 0.10.2 asks for 0.0.42; with 0.0.52 it compiles, and recording a profile crashes.
    """
    try:
        found = importlib.metadata.version("libtpu")
        wanted = importlib.metadata.requires("jax") or ()
    except importlib.metadata.PackageNotFoundError:
        return ""
    asked = [match[1] for line in wanted if (match := _LIBTPU.match(line))]
    if not asked or found.startswith(asked[0]):
        return ""
    release = asked[0].rstrip(".")
    return (
        f"libtpu {found} is installed, and JAX {jax.__version__} goes with libtpu {release}: what "
        f"it says can differ, and XLA's passes get no times. To install it: "
        f"{sys.executable} -m pip install 'libtpu=={release}.*'"
    )


def load_plugins() -> None:
    """Load the plugins of other devices' compilers now: they write to the terminal as they load.

    JAX does it whenever it starts its first backend. No backend starts here.
    """
    private_module("jax._src.xla_bridge")._discover_and_register_pjrt_plugins()


def placing_parameters(traced: Any) -> dict[str, Any]:
    """What the outermost `jit` of a traced program says about devices."""
    names = ("in_shardings", "out_shardings", "ctx_mesh")
    return {name: traced._params[name] for name in names if name in traced._params}


def replace_sharding_devices(sharding: Any, device: Callable[[Any], Any]) -> Any:
    """A `GSPMDSharding` on other devices; what else there is comes back as it is.

    It is what `jit` and `pmap` make of shardings that the compiler chose.
    """
    of_compiler = private_module("jax._src.sharding_impls").GSPMDSharding
    if not isinstance(sharding, of_compiler):
        return sharding
    moved = tuple(device(one) for one in sharding._device_assignment)
    return of_compiler(moved, sharding._hlo_sharding)


def placed_inputs(traced: Any) -> list[Any]:
    """The sharding of each flat argument of a traced program; None where it has not chosen one.

    From 0.10 on they are with the types in `_meta_tys_flat`; in 0.8 with the arguments that the
    lowering function is bound to.
    """
    flat = getattr(traced, "_meta_tys_flat", None)
    arguments = traced._lfg.args[0] if flat is None else flat
    return [
        getattr(argument, "sharding", None)
        if getattr(argument, "committed", getattr(argument, "_committed", False))
        else None
        for argument in arguments
    ]


def place_program(traced: Any, shardings: Sequence[Any], jaxpr: Any, params: Any) -> Any:
    """A traced program whose arguments lie elsewhere.

    Args:
        traced: A `jax.stages.Traced`.
        shardings: Of each flat argument, on the new devices; None leaves it to the compiler.
        jaxpr: The same program, its own shardings moved there too.
        params: What else changes among the parameters of its `jit`.
    """
    clone = retrace_with(traced, jaxpr)
    clone._params = {**clone._params, **params}
    if hasattr(traced, "_meta_tys_flat"):
        clone._meta_tys_flat = [
            type.replace(
                sharding=sharding, format=None, committed=sharding is not None, is_np_array=False
            )
            for type, sharding in zip(traced._meta_tys_flat, shardings, strict=True)
        ]
        return clone
    lower = traced._lfg
    describe: Any = jax.ShapeDtypeStruct
    arguments = [
        describe(aval.shape, aval.dtype, sharding=sharding, weak_type=aval.weak_type)
        for aval, sharding in zip(traced.jaxpr.in_avals, shardings, strict=True)
    ]
    clone._lfg = functools.partial(lower.func, arguments, *lower.args[1:], **lower.keywords)
    return clone


def find_job() -> tuple[Any, int, int] | None:
    """The client of the runtime, the number of this process and how many there are.

    None where the code has not started the runtime, or is alone in it.
    """
    module = sys.modules.get("jax._src.distributed")
    state = getattr(module, "global_state", None)
    client = getattr(state, "client", None)
    count = int(getattr(state, "num_processes", None) or 1)
    if state is None or client is None or count < 2:
        return None
    return client, int(state.process_id or 0), count


def publish(client: Any, key: str, value: str) -> None:
    """Put a text where every process of the job can read it."""
    client.key_value_set(key, value)


def await_text(client: Any, key: str, timeout_s: float) -> str:
    """Read what another process put there, waiting for it.

    Raises:
        Exception: JAX's own error; it did not come in time.
    """
    return str(client.blocking_key_value_get(key, int(timeout_s * 1000)))


def await_all(client: Any, name: str, timeout_s: float) -> None:
    """Wait until every process has come here.

    Raises:
        Exception: JAX's own error; one did not come in time.
    """
    client.wait_at_barrier(name, int(timeout_s * 1000))


def leave() -> None:
    """Take this process out of the job, as the end of a program does."""
    jax.distributed.shutdown()  # type: ignore[no-untyped-call] # JAX does not annotate it


def program_text(module: Any) -> str:
    """A compiled module without what differs between processes: names of files, numbers of
    metadata."""
    return str(module.to_string(_hlo_module().HloPrintOptions.fingerprint()))
