"""Parses and rewrites the text of a call by Python's own syntax tree: adds and removes transforms,
finds the base function. No Qt.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Leaf
from jaxscope.model.outline import TRANSFORMS
from jaxscope.model.types import SHORTHANDS, spell_scalars
from jaxscope.ui.toolkit.language import tr

TAKES_ARGUMENTS_INSIDE = frozenset({"jvp", "vjp", "linearize"})
"""Transforms that are called with the arguments themselves: `jvp(f, (x,), (t,))`."""


class CallTextError(ValueError):
    """The text cannot be read or rewritten; the message is fit to show."""


@dataclass(frozen=True, slots=True)
class Transform:
    """A transform that a button applies.

    Attributes:
        name: As it stands in the call.
        effect: One sentence for a tooltip.
        picks_arguments: It differentiates with respect to chosen arguments (`argnums`).
        picks_axes: It maps over chosen axes (`in_axes`).
    """

    name: str
    effect: str
    picks_arguments: bool = False
    picks_axes: bool = False


OFFERED_TRANSFORMS: tuple[Transform, ...] = (
    Transform("grad", "The gradient of a function with one number as result.", True),
    Transform("value_and_grad", "The result and its gradient together.", True),
    Transform("vmap", "Runs the function for a whole batch at once.", picks_axes=True),
    Transform("jit", "Compiles the function; the stages stay the same."),
    Transform("jvp", "The derivative along one direction, computed forwards."),
    Transform("hessian", "The second derivatives.", True),
    Transform("jacfwd", "The Jacobian, one input at a time.", True),
    Transform("jacrev", "The Jacobian, one output at a time.", True),
    Transform("vjp", "The result and a function that carries gradients back."),
    Transform("linearize", "The result and the linear function of its derivative."),
    Transform("checkpoint", "Computes inner values again in the backward pass to save memory."),
)


@dataclass(frozen=True, slots=True)
class CallParts:
    """The texts that a call is made of.

    Attributes:
        function: What is called, such as `grad(loss)`.
        arguments: Positional arguments, `*x` included.
        keywords: Keyword arguments as name and value; `**x` has the empty name.
    """

    function: str
    arguments: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...] = ()

    def render(self) -> str:
        """The call as text."""
        keywords = [f"{name}={value}" if name else f"**{value}" for name, value in self.keywords]
        return f"{_in_parentheses(self.function)}({', '.join([*self.arguments, *keywords])})"


def _in_parentheses(function: str) -> str:
    """A function's text so that it can be called: a lambda takes what follows for its own."""
    try:
        node = ast.parse(f"{function}()", mode="eval").body
    except SyntaxError:
        return function
    return function if isinstance(node, ast.Call) else f"({function})"


def parse_call(text: str) -> CallParts:
    """Cut a call into its parts.

    Raises:
        CallTextError: The text is not one call expression.
    """
    text = spell_scalars(text.strip())
    tree = _parse_expression(text)
    if not isinstance(tree, ast.Call):
        raise CallTextError(tr("This is not a call; write something like f(f32[8])."))

    def segment(node: ast.AST) -> str:
        return ast.get_source_segment(text, node) or ""

    return CallParts(
        segment(tree.func),
        tuple(segment(argument) for argument in tree.args),
        tuple((keyword.arg or "", segment(keyword.value)) for keyword in tree.keywords),
    )


def wrap_call(
    text: str,
    transform: str,
    *,
    argnums: Sequence[int] = (0,),
    axes: Sequence[int | None] | None = None,
    batch_size: int = 16,
) -> str:
    """Put a transform around the function of a call, and fit the arguments to it.

    Args:
        argnums: For derivatives: the positional arguments to differentiate by.
        axes: For `vmap`: the mapped axis of each positional argument, None for one that is shared.
            Shorthands such as `f32[3]` grow by that axis. By default every shorthand is mapped.
        batch_size: Size of the axis that shorthands grow by.

    Raises:
        CallTextError: The text is no call, or the transform does not fit around it.
    """
    call = parse_call(text)
    if _simple_name(call.function) in TAKES_ARGUMENTS_INSIDE:
        raise CallTextError(
            tr(
                "{function} takes the function and its arguments in one call, so no "
                "transform fits around it. Remove it first.",
                function=call.function,
            )
        )
    if transform in TAKES_ARGUMENTS_INSIDE:
        return _wrap_inside(call, transform)
    if transform == "vmap":
        return _wrap_vmap(call, axes, batch_size)
    option = ""
    picks = next((t.picks_arguments for t in OFFERED_TRANSFORMS if t.name == transform), False)
    if picks and tuple(argnums) != (0,):
        option = f", argnums={argnums[0] if len(argnums) == 1 else tuple(argnums)}"
    return dataclasses.replace(call, function=f"{transform}({call.function}{option})").render()


@dataclass(frozen=True, slots=True)
class TransformUse:
    """A transform in the text of a call.

    Attributes:
        name: As it is written, such as `grad` or `jax.grad`.
        start: Where the name begins in the text.
        end: Where it ends.
        rest: What follows the function inside of its parentheses, such as `, argnums=1`.
    """

    name: str
    start: int
    end: int
    rest: str = ""


def list_transforms(text: str) -> tuple[TransformUse, ...]:
    """The transforms around the function of a call, the outermost first; none where it is no call.

    Of `jvp(f, (x,), (t,))`, which takes the arguments itself, `jvp` alone.
    """
    if blank := len(text) - len(text.lstrip()):
        return tuple(
            dataclasses.replace(use, start=use.start + blank, end=use.end + blank)
            for use in list_transforms(text.lstrip())
        )
    try:
        tree = _parse_expression(text)
    except CallTextError:
        return ()
    if isinstance(tree, ast.Call) and _name_of(tree) in TAKES_ARGUMENTS_INSIDE:
        return (_use_of(text, tree),)
    node = tree.func if isinstance(tree, ast.Call) else None
    found = []
    while isinstance(node, ast.Call) and node.args and _name_of(node) in TRANSFORMS:
        found.append(_use_of(text, node))
        node = node.args[0]
    return tuple(found)


def list_called(text: str) -> frozenset[str]:
    """Names of what a call calls, such as `loss` and `init` of `grad(loss)(init(key(0)))`.

    Transforms and what Python and jaxscope offer everywhere are left out, methods too.
    """
    try:
        tree = _parse_expression(text)
    except CallTextError:
        return frozenset()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    called = {node.func.id for node in calls if isinstance(node.func, ast.Name)}
    called.add(find_base_name(text))
    return frozenset(
        called - set(TRANSFORMS) - TAKES_ARGUMENTS_INSIDE - vars(builtins).keys() - {"key", ""}
    )


def _name_of(call: ast.Call) -> str:
    return _simple_name(ast.unparse(call.func))


def _use_of(text: str, call: ast.Call) -> TransformUse:
    name = ast.get_source_segment(text, call.func) or ""
    start, end = _place(text, call.func)
    rest = ""
    if call.args:
        rest = text[_place(text, call.args[0])[1] : _place(text, call)[1] - 1].rstrip()
    return TransformUse(name, start, end, rest.rstrip(","))


def _place(text: str, node: ast.expr) -> tuple[int, int]:
    """Where a node begins and ends, in characters; Python counts bytes of one line."""
    lines = text.splitlines(keepends=True)
    first = sum(map(len, lines[: node.lineno - 1]))
    last = sum(map(len, lines[: (node.end_lineno or 1) - 1]))
    start = len(lines[node.lineno - 1].encode()[: node.col_offset].decode())
    end = len(lines[(node.end_lineno or 1) - 1].encode()[: node.end_col_offset].decode())
    return first + start, last + end


def read_chosen(use: TransformUse, num_arguments: int) -> tuple[int | None, ...] | None:
    """The `argnums` of a derivative, or the axis of each argument of `vmap`.

    None where something else is given as well, or no plain numbers.
    """
    options = _parse_expression(f"f(g{use.rest})")
    assert isinstance(options, ast.Call)
    is_vmap = _simple_name(use.name) == "vmap"
    known = "in_axes" if is_vmap else "argnums"
    if len(options.args) > 1 or any(each.arg != known for each in options.keywords):
        return None
    try:
        given = ast.literal_eval(options.keywords[0].value) if options.keywords else 0
    except ValueError:
        return None
    single = (given,) * (num_arguments if is_vmap else 1)
    chosen = given if isinstance(given, tuple) else single
    is_plain = all(each is None or type(each) is int for each in chosen)
    return chosen if is_plain and (not is_vmap or len(chosen) == num_arguments) else None


def batch_size_of(text: str, axes: Sequence[int | None]) -> int | None:
    """The size of the axis that `vmap` runs over, of the first shorthand of a call that has it."""
    for argument, axis in zip(parse_call(text).arguments, axes, strict=False):
        shape = _shape_of(argument)
        if axis is not None and shape and axis < len(shape) and shape[axis].isdecimal():
            return int(shape[axis])
    return None


def unwrap_call(text: str, index: int = 0) -> str:
    """Take a transform away again; shorthands lose the axis that `vmap` ran over.

    Args:
        index: Which one; 0 for the outermost.

    Raises:
        CallTextError: There is no such transform around the function.
    """
    call, uses = parse_call(text), list_transforms(text.strip())
    if index >= len(uses):
        raise CallTextError(tr("There is no transform around the function."))
    name = _simple_name(uses[index].name)
    if name in TAKES_ARGUMENTS_INSIDE and call.arguments and _simple_name(call.function) == name:
        inner = call.arguments[1:]
        if name == "jvp":
            inner = _tuple_items(inner[0]) if inner else ()
        return CallParts(call.arguments[0], inner, call.keywords).render()
    arguments = call.arguments
    if name == "vmap":
        options = _parse_expression(f"f(g{uses[index].rest})")
        assert isinstance(options, ast.Call)
        axes = next((k.value for k in options.keywords if k.arg == "in_axes"), None)
        arguments = _without_batch(arguments, axes)
    kept = [use for number, use in enumerate(uses) if number != index]
    return CallParts(_render_chain(call.function, kept), arguments, call.keywords).render()


def move_transform(text: str, index: int, by: int) -> str:
    """Exchange a transform with a neighbour.

    Args:
        by: -1 for the one outside of it, 1 for the one inside.

    Raises:
        CallTextError: There is no neighbour there.
    """
    call, uses = parse_call(text), list(list_transforms(text.strip()))
    if not (0 <= index < len(uses) and 0 <= index + by < len(uses)):
        raise CallTextError(tr("There is no transform to exchange it with."))
    uses[index], uses[index + by] = uses[index + by], uses[index]
    return dataclasses.replace(call, function=_render_chain(call.function, uses)).render()


def _render_chain(function: str, uses: Sequence[TransformUse]) -> str:
    """The base function of a function's text, with these transforms around it."""
    node = _parse_expression(function)
    while isinstance(node, ast.Call) and node.args and _name_of(node) in TRANSFORMS:
        node = node.args[0]
    text = ast.get_source_segment(function, node) or ""
    for use in reversed(uses):
        text = f"{use.name}({text}{use.rest})"
    return text


def find_base_name(text: str) -> str:
    """The name of the function inside the transforms, or the empty string."""
    try:
        node = _parse_expression(spell_scalars(text.strip()))
    except CallTextError:
        return ""
    while isinstance(node, ast.Call):
        name = _simple_name(ast.unparse(node.func))
        is_transform = name in TRANSFORMS or name == "partial"
        node = node.args[0] if is_transform and node.args else node.func
    return ast.unparse(node)


def may_call(text: str, call: str) -> bool:
    """Whether a file may still define the function of a call.

    The file is read and not run. True where only a run can tell, as of an imported function.

    Args:
        text: The text of the file.
        call: The call.
    """
    base = find_base_name(call)
    if not base:
        return False
    name, *attributes = base.split(".")
    if not name.isidentifier():
        return True
    try:
        found = list(_list_bound(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # in a moment it may be right again
    places = [place for bound, place in found if bound in (name, "*")]
    if not places or not attributes:
        return bool(places)
    last = places[-1]
    if not isinstance(last, ast.ClassDef) or last.bases or last.decorator_list:
        return True
    return any(bound == attributes[0] for bound, _ in _list_bound(last))


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _list_bound(around: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Names that a module or a class binds, and where; `*` for all that a module has."""
    for node in ast.iter_child_nodes(around):
        if isinstance(node, _SCOPES):
            yield node.name, node
            continue
        if isinstance(node, ast.alias):
            imported = node.asname or node.name
            yield imported if imported == "*" else imported.partition(".")[0], node
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node
        if not isinstance(node, ast.Lambda):
            yield from _list_bound(node)


def name_arguments(arguments: Sequence[str], signature: str) -> list[str]:
    """What a form calls each positional argument: `x = f32[8]`, or by its text alone.

    Args:
        arguments: Their texts.
        signature: Of the function, such as `(x, *, n=1)`; may be empty.
    """
    try:
        tree = ast.parse(f"def f{signature.partition('->')[0]}: pass").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return list(arguments)
    assert isinstance(tree, ast.FunctionDef)
    names = [parameter.arg for parameter in (*tree.args.posonlyargs, *tree.args.args)]
    is_open = [argument.startswith("*") for argument in arguments]
    num_known = is_open.index(True) if True in is_open else len(arguments)
    named = names[:num_known]
    rest = arguments[len(named) :]
    return [*(f"{n} = {text}" for n, text in zip(named, arguments, strict=False)), *rest]


def show_parameters(name: str, signature: str) -> str:
    """A function with its required parameters where a call has arguments: `loss(w, x, rate=rate)`.

    Args:
        signature: As the outline has it, such as `loss(w, x, *, rate)`; may be empty.
    """
    try:
        tree = ast.parse(f"def {signature.partition('->')[0]}: pass").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"{name}()"
    assert isinstance(tree, ast.FunctionDef)
    given = tree.args
    places = [parameter.arg for parameter in (*given.posonlyargs, *given.args)]
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    shown = places[: len(places) - len(given.defaults)]
    shown += [f"{each.arg}={each.arg}" for each, default in named if default is None]
    return f"{name}({', '.join(shown)})"


def default_axes(arguments: Sequence[str]) -> list[int | None]:
    """Map every shorthand over its first axis; share everything else, unless nothing is left."""
    axes: list[int | None] = [None if _shape_of(text) is None else 0 for text in arguments]
    return axes if any(axis is not None for axis in axes) else [0] * len(axes)


def count_batched_axes(argument: str) -> int | None:
    """How many axes a shorthand has with one for a batch; None for anything else."""
    shape = _shape_of(argument)
    return None if shape is None else len([size for size in shape if size != "()"]) + 1


def word_before(text: str, position: int) -> str:
    """The name that ends at a position, such as `gr` in `vmap(gr|`; dots are part of it."""
    start = position
    while start > 0 and (text[start - 1] in "._" or text[start - 1].isalnum()):
        start -= 1
    return text[start:position]


_SAME_ARGUMENTS = frozenset(
    ("grad", "value_and_grad", "jit", "hessian", "jacfwd", "jacrev", "checkpoint")
)
"""Transforms whose function takes what the function inside takes."""


def continue_call(text: str, calls: Iterable[str]) -> list[str]:
    """The known calls that begin as a text does.

    Where the text has transforms around a function, such as `grad(loss)(`, calls of that function
    lend their arguments; `vmap` gives each a further axis.
    """
    tight, found = "".join(text.split()), list[str]()
    for call in calls:
        base, bare = _take_apart(call)
        for whole in (call, bare, _lend_arguments(text, base, bare)):
            spelled = "".join(whole.split())
            if tight and spelled != tight and spelled.startswith(tight) and whole not in found:
                found.append(whole)
    return found


@functools.lru_cache(1024)  # asked for with each key
def _take_apart(call: str) -> tuple[str, str]:
    """The base function of a call, and the call without its transforms; empty where none is."""
    base = find_base_name(call)
    try:
        while parse_call(call).function != base:
            call = unwrap_call(call)
    except CallTextError:
        return base, ""
    return base, call


def _lend_arguments(text: str, base: str, bare: str) -> str:
    """A text's function with the arguments of a call of the same function; empty without one."""
    for place, character in enumerate(text):
        function = text[:place].strip()
        if character != "(" or not bare or find_base_name(function) != base:
            continue
        if "partial" in function:  # which has some of the arguments
            return ""
        names = [_simple_name(use.name) for use in list_transforms(f"{function}()")]
        try:
            if not _SAME_ARGUMENTS.issuperset(names):
                for name in reversed(names):
                    bare = wrap_call(bare, name)
                if "".join(parse_call(bare).function.split()) != "".join(function.split()):
                    return ""  # it has options
            return dataclasses.replace(parse_call(bare), function=function).render()
        except CallTextError:
            return ""
    return ""


def _wrap_inside(call: CallParts, transform: str) -> str:
    if call.keywords:
        raise CallTextError(tr("{transform} takes positional arguments only.", transform=transform))
    if transform != "jvp":
        return CallParts(transform, (call.function, *call.arguments)).render()
    packed = f"({', '.join(call.arguments)}{',' if len(call.arguments) == 1 else ''})"
    return CallParts(transform, (call.function, packed, packed)).render()


def _wrap_vmap(call: CallParts, axes: Sequence[int | None] | None, batch_size: int) -> str:
    if any(argument.startswith("*") for argument in call.arguments):
        raise CallTextError(tr("vmap needs every argument written out, without *."))
    chosen = list(default_axes(call.arguments) if axes is None else axes)
    if not call.arguments or all(axis is None for axis in chosen):
        raise CallTextError(tr("vmap needs at least one argument to run over."))
    arguments = tuple(
        argument if axis is None else _with_batch(argument, axis, batch_size)
        for argument, axis in zip(call.arguments, chosen, strict=True)
    )
    option = ""
    if any(axis != 0 for axis in chosen):
        option = f", in_axes={tuple(chosen)}"
    return CallParts(f"vmap({call.function}{option})", arguments, call.keywords).render()


def _with_batch(argument: str, axis: int, batch_size: int) -> str:
    shape = _shape_of(argument)
    if shape is None or axis > len(shape):
        return argument
    return _render_shape(argument, [*shape[:axis], str(batch_size), *shape[axis:]])


def _without_batch(arguments: Sequence[str], in_axes: ast.expr | None) -> tuple[str, ...]:
    try:
        axes = 0 if in_axes is None else ast.literal_eval(in_axes)
    except ValueError:
        return tuple(arguments)
    each = axes if isinstance(axes, tuple) else (axes,) * len(arguments)
    result = []
    for index, argument in enumerate(arguments):
        axis, shape = each[index] if index < len(each) else None, _shape_of(argument)
        if isinstance(axis, int) and shape and 0 <= axis < len(shape):
            argument = _render_shape(argument, [*shape[:axis], *shape[axis + 1 :]])
        result.append(argument)
    return tuple(result)


def _shape_of(argument: str) -> list[str] | None:
    """The dimensions of a shorthand such as `f32[8, 2]`, or None for anything else."""
    try:
        tree = _parse_expression(argument)
    except CallTextError:
        return None
    if not (isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Name)):
        return None
    if tree.value.id not in SHORTHANDS and not tree.value.id.startswith("f8"):
        return None
    items = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
    return [ast.unparse(item) for item in items]


def _render_shape(argument: str, shape: Sequence[str]) -> str:
    dtype = argument.split("[", 1)[0].strip()
    return f"{dtype}[{', '.join(shape) or '()'}]"


def _tuple_items(text: str) -> tuple[str, ...]:
    tree = _parse_expression(text)
    if not isinstance(tree, ast.Tuple):
        return (text,)
    return tuple(ast.get_source_segment(text, item) or "" for item in tree.elts)


def _simple_name(function: str) -> str:
    return function.rsplit(".", 1)[-1] if function.replace(".", "").isidentifier() else ""


def _parse_expression(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise CallTextError(
            tr("The call cannot be read: {reason}.", reason=reason or type(error).__name__)
        ) from None


COMPLETIONS: Mapping[str, Sequence[str]] = {
    "transforms": sorted(TRANSFORMS),
    "shorthands": [f"{dtype}[" for dtype in SHORTHANDS],
    "others": ["key(0)", "jax.", "jnp.", "np."],
}
"""Names that every call may use, whatever the file."""


def order_as_written(leaves: Iterable[Leaf], call: str) -> list[Leaf]:
    """Leaves of the arguments of a call as it names them: JAX sorts those that have keywords."""
    try:
        tree = _parse_expression(spell_scalars(call))
    except CallTextError:
        return list(leaves)
    names = [each.arg for each in tree.keywords] if isinstance(tree, ast.Call) else []
    places = {name: place for place, name in enumerate(names) if name}
    return sorted(leaves, key=lambda leaf: places.get(re.split(r"[.[]", leaf.path)[0], -1))


_CUT = " … "
_LEAST_PART, _MOST_WINDOWS = 6, 3


def shorten_apart(
    texts: Sequence[str],
    fits: Callable[[str], bool],
    named: Callable[[str], Iterable[int]] = lambda _text: (),
) -> list[str]:
    """Texts of calls without parts of their middles, so that each fits.

    What differs from the others stays, so that no two read alike.

    Args:
        fits: Whether a text has room.
        named: Places of a text that are to be seen, too.
    """
    shown = []
    for text in texts:
        if fits(text):
            shown.append(text)
            continue
        others = (other for other in texts if other != text)
        places = [*(_first_difference(text, other) for other in others), *named(text)]
        places = list(dict.fromkeys(places))[:_MOST_WINDOWS]
        cut = text
        for part in range(len(text) // 2, _LEAST_PART - 1, -1):
            if fits(cut := _cut(text, places, part)):
                break
        shown.append(cut)
    return shown


def _first_difference(text: str, other: str) -> int:
    pairs = enumerate(zip(text, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(text), len(other)))


def _cut(text: str, places: Iterable[int], part: int) -> str:
    """Of a text its first and last characters, and those around some places."""
    is_kept = [False] * len(text)
    begins = [0, len(text) - part]
    for place in places:
        word = re.search(r"[\w.]*$", text[:place])
        before = len(word.group()) if word is not None else 0
        begins.append(place - min(before, part // 2))
    for begin in begins:
        for at in range(max(begin, 0), min(begin + part, len(text))):
            is_kept[at] = True
    pieces = []
    for kept, run in itertools.groupby(range(len(text)), is_kept.__getitem__):
        piece = "".join(text[at] for at in run)
        pieces.append(piece if kept or len(piece) <= len(_CUT) else _CUT)
    return "".join(pieces)
