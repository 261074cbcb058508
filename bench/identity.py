"""Is the program that is shown the one that JAX runs? Captures against JAX alone, call by call.

    python -m bench.identity                  every call of identity_calls.py
    python -m bench.identity WORD …           those of groups that have a word in their name

For each call JAX's own trace and compilation are compared with what a capture makes of it:

- equations: `jax.make_jaxpr` of the call against the last jaxpr-level stage, nested equations
  included: primitives, operands, types, parameters, name stacks, and the user's lines and columns
- the function under the transforms: `jax.make_jaxpr` of it alone, of what the transforms call it
  with, against the stage `jaxpr`, in the same way; name stacks aside, which transforms add to. Not
  where it cannot be traced alone, as what uses the axis of a `vmap`
- instructions: the optimized module of `jit(f).lower(*args).compile()` against the captured one,
  names of instructions and metadata aside
- names: the `op_name` of every instruction, letter by letter, and the stack frames, line and column

What the instructions themselves are called is counted apart (`renamed`). XLA makes it of the last
part of the `op_name` and a number, and the number may differ.

Nothing here is shared with the code that is checked, but the reading of private names of JAX. A
call that cannot be captured is a failure, too. Calls that need several devices run on simulated
ones.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_METADATA = re.compile(r", metadata=\{(?:[^{}\"]|\"[^\"]*\")*\}")
_OP_NAME = re.compile(r'op_name="([^"]*)"')
_FRAME_ID = re.compile(r"stack_frame_id=(\d+)")
_NAME = re.compile(r"%[\w.\-]+")
_COMMENT = re.compile(r"/\*.*?\*/")
_WORD = re.compile(r"\b[a-zA-Z_][\w.\-]*(?=: )")
_TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
_ENTRY = re.compile(r"^(\d+) (?:\"(.*)\"|\{(.*)\})$")
_ADDRESS = re.compile(r"0x[0-9a-f]+|\bid=\d+")


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What was compared of one call.

    Attributes:
        equations: How many JAX has, nested ones included.
        of_function: How many of the function under the transforms; 0 where it is not compared.
        instructions: How many JAX's optimized module has.
        named: Of those, how many have an `op_name`.
        renamed: Of those instructions, how many are called otherwise: not a difference, see above.
        differences: What is not the same, in words; empty where all is.
        messages: What jaxscope says of the capture.
    """

    equations: int
    of_function: int
    instructions: int
    named: int
    renamed: int
    differences: tuple[str, ...]
    messages: tuple[str, ...]


def compare(file: str, call_text: str) -> Comparison:
    """Capture a call, and let JAX do the same alone."""
    import jax

    from jaxscope.model.op_name import strip_tags
    from jaxscope.worker.compat import hide_frames_of
    from jaxscope.worker.provenance import traced_program

    hide_frames_of(os.path.dirname(os.path.abspath(__file__)) + os.sep)
    call, again = (_parse(file, call_text, side) for side in ("jaxscope", "JAX"))
    jax.clear_caches()  # neither side finds what the other one traced
    traced = traced_program.trace_call(call)
    shown = traced.derived.jaxpr
    tagged, _, _ = traced.tag_derived()
    own_text = strip_tags(tagged.lower().compile().as_text())
    jax.clear_caches()
    plain = trace_plain(again)
    plain_text = plain.lower().compile().as_text()
    differences: list[str] = []
    alone = list(_equations(peel(plain.jaxpr, traced.num_jits)))
    differences += _differ("equation", alone, list(_equations(shown)))
    function = trace_function(_parse(file, call_text, "function"))
    of_function = [] if function is None else _unnamed(function)
    if of_function:
        shown_function = _unnamed(traced.base.jaxpr)
        differences += _differ("equation of the function", of_function, shown_function)
    differences += _differ("instruction", _shape(plain_text), _shape(own_text))
    named = list(_names(plain_text))
    differences += _differ("name", sorted(named), sorted(_names(own_text)))
    called, called_so = (list(map(_called, _instructions(t))) for t in (plain_text, own_text))
    renamed = sum((collections.Counter(called) - collections.Counter(called_so)).values())
    return Comparison(
        len(alone),
        len(of_function),
        len(called),
        len(named),
        renamed,
        tuple(differences),
        traced.messages,
    )


def _parse(file: str, text: str, side: str) -> Any:
    from jaxscope.worker.host.call import call_namespace, parse_call

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries
        return parse_call(text, call_namespace(vars(_execute(file, side))), file=file)


@functools.cache
def _execute(file: str, _side: str) -> Any:
    """The module of a file, one for each side: functions may count their calls."""
    from jaxscope.worker.host.user_module import execute_file

    return execute_file(file, Path(file).read_text("utf-8"))


def trace_plain(call: Any) -> Any:
    """JAX's own trace of a call, arguments that it cannot trace as static ones."""
    import jax

    _register_static()
    function = call.compose(call.base)
    if hasattr(function, "trace") and hasattr(function, "lower"):
        args = call.args
        if hasattr(function, "__func__"):  # a method's attributes are those of its function
            function, args = function.__func__, (function.__self__, *args)
        found = function.trace(*args, **call.kwargs)
        return getattr(found, "traced", found)

    def trace(kinds: Any) -> Any:
        def is_traced(leaf: Any) -> bool:
            return hasattr(leaf, "dtype") or isinstance(leaf, kinds)

        def box(argument: Any) -> Any:
            if all(map(is_traced, jax.tree.leaves(argument))):
                return argument
            return jax.tree.map(lambda leaf: leaf if is_traced(leaf) else _Static(leaf), argument)

        kwargs = {name: box(argument) for name, argument in call.kwargs.items()}
        return jax.jit(_opening(function)).trace(*map(box, call.args), **kwargs)

    try:
        return trace((int, float, complex))
    except Exception:
        return trace(())


def trace_function(call: Any) -> Any:
    """JAX's own trace of the function that the transforms of a call get, of what they call it with.

    Returns:
        None for a call without transforms, and where the function cannot be traced alone.
    """
    import jax

    if all(level.name == "jit" for level in call.levels):
        return None
    met: list[tuple[list[Any], Any]] = []

    @functools.wraps(call.base)
    def noting(*args: Any, **kwargs: Any) -> Any:
        if not met:
            leaves, tree = jax.tree.flatten((args, kwargs))
            met.append(([_described(leaf) for leaf in leaves], tree))
        return call.base(*args, **kwargs)

    jax.clear_caches()
    trace_plain(dataclasses.replace(call, base=noting))
    ((leaves, tree),) = met
    traced = [index for index, leaf in enumerate(leaves) if type(leaf) is jax.ShapeDtypeStruct]

    def alone(*values: Any) -> Any:
        given = dict(zip(traced, values, strict=True))
        args, kwargs = tree.unflatten([given.get(at, leaf) for at, leaf in enumerate(leaves)])
        return call.base(*args, **kwargs)

    jax.clear_caches()
    try:
        jaxpr = jax.make_jaxpr(alone)(*(leaves[index] for index in traced))
    except Exception:
        return None
    equation = jaxpr.eqns[0] if len(jaxpr.eqns) == 1 else None
    is_call = equation is not None and equation.primitive.name in ("jit", "pjit")
    is_whole = is_call and list(map(id, equation.outvars)) == list(map(id, jaxpr.jaxpr.outvars))
    is_jitted = hasattr(call.base, "lower")
    return equation.params["jaxpr"] if is_whole and is_jitted else jaxpr


def _described(leaf: Any) -> Any:
    """What a traced value is, with its sharding; any other as it is."""
    import jax

    if not isinstance(leaf, jax.core.Tracer):
        return leaf
    aval = jax.typeof(leaf)
    weak, sharding = getattr(aval, "weak_type", False), getattr(aval, "sharding", None)
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=weak, sharding=sharding)


def _unnamed(jaxpr: Any) -> list[str]:
    """Its equations, without name stacks and places."""
    return [re.sub(r" named .*", "", line, flags=re.DOTALL) for line in _equations(jaxpr)]


class _Static:
    """A static leaf of an argument, which need not have a hash: a tree without leaves."""

    def __init__(self, value: Any) -> None:
        self.value = value


@functools.cache
def _register_static() -> None:
    import jax

    jax.tree_util.register_pytree_node(_Static, lambda one: ((), one), lambda one, _: one)


def _opening(function: Any) -> Any:
    import jax

    def is_static(leaf: Any) -> bool:
        return isinstance(leaf, _Static)

    def unbox(argument: Any) -> Any:
        if not any(map(is_static, jax.tree.leaves(argument, is_leaf=is_static))):
            return argument
        return jax.tree.map(
            lambda leaf: leaf.value if is_static(leaf) else leaf, argument, is_leaf=is_static
        )

    def opened(*args: Any, **kwargs: Any) -> Any:
        named = {name: unbox(argument) for name, argument in kwargs.items()}
        return function(*map(unbox, args), **named)

    # As the function's own, or what `jit` calls it and its arguments would not be the same.
    named = function.func if isinstance(function, functools.partial) else function
    opened.__name__ = getattr(named, "__name__", "<unnamed function>")  # as JAX calls objects
    with contextlib.suppress(TypeError, ValueError):
        opened.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return opened


def peel(jaxpr: Any, num_jits: int) -> Any:
    """The jaxpr inside of so many calls of jitted functions, one in the other."""
    for _ in range(num_jits):
        (equation,) = jaxpr.eqns
        jaxpr = equation.params["jaxpr"]
    return jaxpr


def _open(jaxpr: Any) -> Any:
    return jaxpr.jaxpr if hasattr(jaxpr, "jaxpr") and hasattr(jaxpr.jaxpr, "eqns") else jaxpr


def _equations(jaxpr: Any, path: str = "", seen: set[int] | None = None) -> Iterator[str]:
    """Each equation as a line of text, those of jaxprs that several share once."""
    from jaxscope.worker.compat import user_frames

    inner = _open(jaxpr)
    seen = set() if seen is None else seen
    if id(inner) in seen:
        return
    seen.add(id(inner))
    names: dict[int, str] = {}

    def show(atom: Any) -> str:
        if hasattr(atom, "val"):
            return f"{atom.val}:{atom.aval}"
        return names.setdefault(id(atom), f"v{len(names)}") + f":{atom.aval}"

    yield f"{path} takes {[show(v) for v in (*inner.constvars, *inner.invars)]}"
    for number, equation in enumerate(inner.eqns):
        here = f"{path}/{number}"
        nested: list[tuple[str, Any]] = []
        told = []
        for name, value in sorted(equation.params.items()):
            found = list(_nested(name, value))
            nested += found
            told.append(f"{name}={'…' if found or callable(value) else _text(value)}")
        frames = [
            f"{os.path.basename(file)}:{line}:{column}"
            for file, line, column, _ in user_frames(equation.source_info)
            if not file.startswith("<")
        ]
        stack = str(equation.source_info.name_stack)
        yield (
            f"{here} {[show(v) for v in equation.outvars]} = {equation.primitive.name}"
            f"[{' '.join(told)}] {[show(v) for v in equation.invars]} named {stack!r} at {frames}"
        )
        for name, value in nested:
            yield from _equations(value, f"{here}/{name}", seen)
    yield f"{path} gives {[show(v) for v in inner.outvars]}"


def _nested(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if hasattr(_open(value), "eqns"):
        yield name, value
    elif isinstance(value, tuple | list):
        for number, item in enumerate(value):
            yield from _nested(f"{name}.{number}", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _nested(f"{name}.{key}", item)


def _text(value: Any) -> str:
    return _ADDRESS.sub("…", str(value))[:300]


def _shape(text: str) -> list[str]:
    """The lines of a module without metadata and tables, every name replaced by its order."""
    blocks = [b for b in text.split("\n\n") if not b.lstrip().startswith(_TABLES)]
    bare = _WORD.sub("p", _COMMENT.sub("", _METADATA.sub("", "\n\n".join(blocks))))
    names: dict[str, str] = {}
    order = _NAME.sub(lambda match: names.setdefault(match.group(), f"%{len(names)}"), bare)
    return order.split("\n")


def _instructions(text: str) -> list[str]:
    return [line for line in text.split("\n") if re.match(r"\s+(?:ROOT )?%[\w.\-]+ = ", line)]


def _called(instruction: str) -> str:
    return instruction.strip().removeprefix("ROOT ").partition(" = ")[0]


def _names(text: str) -> Iterator[str]:
    """Operation, name and stack frames of each instruction that has a name."""
    tables = read_tables(text)
    for line in _instructions(text):
        name = _OP_NAME.search(line)
        if name is None:
            continue
        frame = _FRAME_ID.search(line)
        operation = re.search(r"\b([a-z][a-z\-0-9]*)\(", line.partition(" = ")[2])
        yield (
            f"{operation.group(1) if operation else '?'} {name.group(1)}"
            f" at {read_frames(tables, int(frame.group(1))) if frame else []}"
        )


def read_tables(text: str) -> dict[str, dict[int, str]]:
    """The tables of files, places and stack frames of a module's text."""
    tables: dict[str, dict[int, str]] = {}
    for block in text.split("\n\n"):
        title, *lines = block.strip().split("\n")
        if title in _TABLES:
            entries = [_ENTRY.match(line.strip()) for line in lines]
            tables[title] = {int(e.group(1)): e.group(2) or e.group(3) or "" for e in entries if e}
    return tables


def read_frames(tables: dict[str, dict[int, str]], number: int) -> list[str]:
    """File, line and column of each stack frame of an instruction, innermost first."""
    found = []
    rows = {
        number: dict(field.split("=") for field in row.split())
        for number, row in tables.get("StackFrames", {}).items()
    }
    # XLA prints a parent's number plus one; the first frame has no parent.
    shift = int(rows[1].get("parent_frame_id", 0)) if rows else 0
    while number in rows:
        frame = rows[number]
        place = tables["FileLocations"][int(frame["file_location_id"])]
        fields = dict(p.split("=") for p in place.split())
        file = tables["FileNames"][int(fields["file_name_id"])]
        if not file.startswith("<"):
            found.append(f"{os.path.basename(file)}:{fields['line']}:{fields.get('column')}")
        number = int(frame.get("parent_frame_id", 0)) - shift
    return found


def _differ(what: str, alone: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    """Why two lists are not the same, with the first thing that only one has."""
    if alone == shown:
        return
    missing = list((collections.Counter(alone) - collections.Counter(shown)).elements())
    extra = list((collections.Counter(shown) - collections.Counter(alone)).elements())
    yield (
        f"{what}s: {len(alone)} of JAX, {len(shown)} shown; "
        f"{len(missing)} and {len(extra)} of these only there\n"
        f"      JAX:   {missing[0] if missing else '(other order)'}\n"
        f"      shown: {extra[0] if extra else '(other order)'}"
    )


def compare_group(name: str) -> list[dict[str, Any]]:
    """Compare the calls of a group, in this process."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    from bench.identity_calls import GROUPS, NUM_DEVICES, PREAMBLE

    jax.config.update("jax_num_cpu_devices", NUM_DEVICES)
    (group,) = (group for group in GROUPS if group.name == name)
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"calls_of_{re.sub(r'[^a-z0-9]+', '_', name)}.py"
        file.write_text(PREAMBLE + group.source)
        for call in group.calls:
            result: dict[str, Any] = {"group": name, "call": call}
            try:
                result |= dataclasses.asdict(compare(str(file), call))
            except ImportError as error:
                result["skipped"] = f"needs {error.name}"
            except Exception:
                result["error"] = traceback.format_exc(limit=-6)
            found.append(result)
            print(json.dumps(result), flush=True)
    return found


def compare_all(words: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Compare the calls of every group whose name has one of these words in it, a process each."""
    from bench.identity_calls import GROUPS

    found: list[dict[str, Any]] = []
    for group in GROUPS:
        if words and not any(word in group.name for word in words):
            continue
        command = [sys.executable, "-m", "bench.identity", "--group", group.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
        results = [json.loads(line) for line in done.stdout.splitlines() if line[:2] == '{"']
        for call in group.calls[len(results) :]:
            results.append({"group": group.name, "call": call, "error": done.stderr[-2000:]})
        found += results
        for result in results:
            _tell(result)
    return found


def _tell(result: dict[str, Any]) -> None:
    name = f"{result['group']}: {result['call']}"
    if "error" in result:
        print(f"FAILED  {name}\n{result['error']}", flush=True)
    if result.get("differences"):
        print(f"DIFFERS {name}", flush=True)
        print("".join(f"    {each[:1500]}\n" for each in result["differences"]), flush=True)
    for message in result.get("messages", ()):
        print(f"        {name}: {message}", flush=True)


def is_same(result: dict[str, Any]) -> bool:
    """Whether a comparison found no difference."""
    return "error" not in result and not result.get("differences")


def main(words: list[str]) -> int:
    """Compare, and return how many calls are not the same."""
    found = [result for result in compare_all(words) if "skipped" not in result]
    same = sum(map(is_same, found))
    kinds = ("equations", "of_function", "instructions", "named", "renamed")
    sums = [sum(result.get(kind, 0) for result in found) for kind in kinds]
    print(
        f"{same} of {len(found)} calls are the same in jaxscope and in JAX alone: "
        f"{sums[0]:,} equations, {sums[1]:,} of functions under transforms, "
        f"{sums[2]:,} instructions, {sums[3]:,} names; {sums[4]:,} instructions are called "
        "otherwise."
    )
    return len(found) - same


if __name__ == "__main__":
    if sys.argv[1:2] == ["--group"]:
        compare_group(sys.argv[2])
    else:
        sys.exit(min(main(sys.argv[1:]), 1))
