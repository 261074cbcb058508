"""Let all calls of a jitted function share one jaxpr again, as they do in JAX.

What the base function calls has a tagged copy, and a rule of a derivative that calls it, too, has
the jaxpr without tags. After tracing, the other calls get the copy. So do calls of what transforms
made of the jaxpr, where they made the same of the copy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from jaxscope.model.op_name import BASE_TAG, NO_EQUATION
from jaxscope.worker import compat, compat_recorder
from jaxscope.worker.provenance.tagging import change_jaxprs, nested_jaxprs

_SHARING = frozenset({"jit", "pjit", "scan", "while", "cond"})
"""Operations whose jaxprs JAX takes from caches; others may compare what they hold by identity."""


def share_copies(jaxpr: Any, copies: Mapping[int, tuple[Any, Any]]) -> Any:
    """Let what calls a function without its tags call the tagged copy, as the base does.

    Only copies that the program has: others would be shown beside what JAX shares.

    Args:
        jaxpr: Of the whole call.
        copies: Each jaxpr that was tagged and its tagged copy, by the identity of the first.
    """
    present = {id(compat.open_jaxpr(each)) for each in _find_nested(jaxpr)}
    copies = compat_recorder.with_derived(copies)

    def copy_of(called: Any) -> Any:
        copy = copies.get(id(called), (None, None))[1]
        return copy if copy is not None and id(compat.open_jaxpr(copy)) in present else None

    return _Replacement(copy_of).change(jaxpr)


class _Replacement:
    """Replaces jaxprs that equations call, wherever in a jaxpr they stand.

    Args:
        find: What to call in place of a jaxpr; None to leave it.
    """

    def __init__(self, find: Callable[[Any], Any]) -> None:
        self._find = find
        self._changed: dict[int, tuple[Any, Any]] = {}

    def change(self, jaxpr: Any) -> Any:
        """The jaxpr with other calls; the same one if none is replaced."""
        if id(jaxpr) not in self._changed:
            before = compat.open_jaxpr(jaxpr).eqns
            after = list(map(self._change_equation, before))
            is_same = all(map(operator.is_, after, before))
            changed = jaxpr if is_same else compat.replace_equations(jaxpr, after)
            self._changed[id(jaxpr)] = (jaxpr, changed)
        return self._changed[id(jaxpr)][1]

    def _change_equation(self, equation: Any) -> Any:
        nested = [jaxpr for _, jaxpr in nested_jaxprs(equation.params)]
        is_call = equation.primitive.name in _SHARING
        found = {id(each): self._find(each) for each in nested} if is_call else {}
        is_found = any(each is not None for each in found.values())
        if not is_found and all(self.change(each) is each for each in nested):
            return equation

        def change(_: str, jaxpr: Any) -> Any:
            other = found.get(id(jaxpr))
            return self.change(jaxpr) if other is None else other

        source_info = equation.source_info
        if is_found:
            source_info = compat.with_innermost_tag(source_info, BASE_TAG, NO_EQUATION)
        return equation.replace(
            params=change_jaxprs(equation.params, change), source_info=source_info
        )


def _find_nested(jaxpr: Any) -> list[Any]:
    """The jaxprs that a jaxpr holds, once each."""
    found: dict[int, Any] = {}

    def walk(outer: Any) -> None:
        for equation in compat.open_jaxpr(outer).eqns:
            for _, nested in nested_jaxprs(equation.params):
                if id(nested) not in found:
                    found[id(nested)] = nested
                    walk(nested)

    walk(jaxpr)
    return list(found.values())
