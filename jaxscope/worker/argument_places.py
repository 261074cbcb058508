"""Find array arguments of a call by name, as places among the leaves of all its arguments."""

from __future__ import annotations

import jax

from jaxscope.errors import CallError, Explanation
from jaxscope.worker.arguments import is_traceable, leaf_path, parameter_names
from jaxscope.worker.call import Call

ALL = "all"


def find_array_places(call: Call, wanted: str = ALL) -> list[int]:
    """Places of the arrays that are named.

    Args:
        wanted: Names joined by `+`, of whole arguments or of parts of them, or `all`.

    Raises:
        CallError: The call has no array of such a name.
    """
    names = parameter_names(call.base, call.args)
    pairs = jax.tree_util.tree_flatten_with_path((call.args, call.kwargs))[0]
    arrays = {
        place: leaf_path(path, names)
        for place, (path, leaf) in enumerate(pairs)
        if is_traceable(leaf, scalars=False)
    }
    if wanted == ALL:
        return list(arrays)
    chosen = [word.strip() for word in wanted.split("+")]
    for word in chosen:
        if not any(_is_part(path, word) for path in arrays.values()):
            raise _no_array(word, tuple(dict.fromkeys(arrays.values())))
    return [p for p, path in arrays.items() if any(_is_part(path, word) for word in chosen)]


def _is_part(path: str, name: str) -> bool:
    return path == name or path.startswith((f"{name}[", f"{name}."))


def _no_array(name: str, known: tuple[str, ...]) -> CallError:
    return CallError(
        Explanation(
            what=f"There is no array argument {name!r}.",
            remedy=f"There are: {', '.join(known)[:500]}." if known else "The call has none.",
            kind="NoSetting",
        )
    )
