"""State that comes back with another type than it went in: the next call is traced again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import CLAUSES, first_of, say, say_joined
from jaxscope.worker.checks.subject import CheckedCall
from jaxscope.worker.host.function_source import innermost_function
from jaxscope.worker.host.values import aval_text

RULE = "state-changes-type"
_MOST_TOLD = 3


def find_changing_state(subject: CheckedCall) -> Iterator[Check]:
    """An argument of several arrays that a result has the structure and the shapes of.

    Where most types are the same and some are not, the result is the next call's argument.
    Calls that map or differentiate are passed over: a gradient has its argument's structure, too.
    """
    code = getattr(innermost_function(subject.call.base), "__code__", None)
    is_plain = all(level.name == "jit" for level in subject.call.levels)
    if not is_plain or subject.program.static or code is None:
        return
    if not subject.is_own(code.co_filename):
        return
    try:
        out = subject.program.traced.out_info
    except Exception:  # a class of the results that takes no descriptions of its leaves
        return
    results = [out, *out] if type(out) in (tuple, list) else [out]
    for number, argument in enumerate(subject.call.args):
        for result in results:
            changed = _changes(argument, result)
            if changed:
                yield _describe(number, changed, code.co_filename, code.co_firstlineno)
                break


def _changes(argument: Any, result: Any) -> list[str]:
    """How the types of leaves differ; empty where all are the same or it is not the same state."""
    before, _ = jax.tree_util.tree_flatten_with_path(argument)
    after = jax.tree.leaves(result)
    if len(before) < 2 or str(jax.tree.structure(argument)) != str(jax.tree.structure(result)):
        return []
    try:
        types = [jax.typeof(leaf) for _, leaf in before]
    except TypeError:
        return []
    changed: list[str] = []
    for (path, _), old, new in zip(before, types, after, strict=True):
        if old.shape != new.shape:
            return []
        was, now = (old.dtype, _is_weak(old)), (new.dtype, _is_weak(new))
        if was != now:
            is_weak = was[1] and not now[1]
            told = say(
                "{path} goes in as {old}{weak} and comes back as {new}",
                path=jax.tree_util.keystr(path),
                old=aval_text(old),
                weak=say(" (weak, as a Python number is)") if is_weak else "",
                new=aval_text(new),
            )
            changed.append(told)
    return changed if 2 * len(changed) <= len(before) else []


def _is_weak(aval: Any) -> bool:
    return bool(getattr(aval, "weak_type", False))


def _describe(number: int, changed: list[str], file: str, line: int) -> Check:
    told = say_joined(first_of(changed, _MOST_TOLD), CLAUSES)
    return Check(
        RULE,
        Severity.INFO,
        say(
            "Argument {number} comes back with other types: {told}. Called with its own result, "
            "the function is traced and compiled a second time.",
            number=number,
            told=told,
        ),
        say(
            "Start with the type that comes back, as in jnp.zeros((), jnp.float32) for 0.0; or "
            "cast the result: .astype(state.dtype)."
        ),
        "samples/recompilation.py",
        "",
        file,
        line,
    )
