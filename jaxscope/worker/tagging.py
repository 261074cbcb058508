"""Exact provenance: put a numbered tag into the name stack of every equation.

JAX and XLA carry name stacks through differentiation, batching, lowering and fusion, so the tags
come out again in the names of operations and instructions (`jaxscope.model.op_name` reads them).
Nothing but metadata changes: the optimized module is the one of the untagged program.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxscope.model.op_name import PLUS_TAG, read_base_number
from jaxscope.worker import compat, compat_inlining

_PLAIN = frozenset({type(None), bool, int, str, float})


def nested_jaxprs(parameters: dict[str, Any]) -> list[tuple[str, Any]]:
    """Find the jaxprs among an equation's parameters.

    Returns:
        The path of each jaxpr in an equation id (`jaxpr`, `branches.1`) and the jaxpr, open or
        closed. Tuples, lists, named tuples and dictionaries are searched; other objects are not.
    """
    found: list[tuple[str, Any]] = []
    for name, value in parameters.items():
        if type(value) not in _PLAIN and holds_jaxpr(value):
            found += _find_jaxprs(name, value)
    return found


def holds_jaxpr(value: Any) -> bool:
    """Whether a parameter is a jaxpr or has one somewhere inside."""
    if compat.is_jaxpr(value):
        return True
    items: Any = ()
    if isinstance(value, tuple | list):
        items = value
    elif isinstance(value, dict):
        items = value.values()
    # In a hurry: most parameters are tuples of a few integers.
    return any(type(item) not in _PLAIN and holds_jaxpr(item) for item in items)


def _find_jaxprs(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if compat.is_jaxpr(value):
        yield path, value
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            yield from _find_jaxprs(f"{path}.{index}", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _find_jaxprs(f"{path}.{key}", item)


class Tagger:
    """Tags the equations of a jaxpr, nested ones included, and numbers them.

    A nested jaxpr that several equations share is tagged once and stays shared, closed or open,
    so that JAX's caches, which go by identity, and its lowering to one function work as without
    tags: differentiating a shared layer twelve times instead of once doubles the time of tracing.
    So does a function that JAX inlines at every call (`compat_inlining.whole_calls`): its
    equations count on from the number of the call.

    Attributes:
        ids: The id of each numbered equation, such as `3/jaxpr/0`.
        has_inlined: Whether there are calls to inline or constants to fold; ids are those of
            `name_inlined` then.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        # The original is kept alive beside its copy: ids of freed objects are used again.
        self._done: dict[int, tuple[Any, Any]] = {}
        self._inlined: dict[int, tuple[Any, Any]] = {}
        self.ids: list[str] = []
        self.has_inlined = False

    def tag(self, jaxpr: Any, path: str = "") -> Any:
        """Tag an open or closed jaxpr. `path` is the prefix of its equations' ids."""
        known = self._done.get(id(jaxpr))
        if known is not None:
            return known[1]
        inner = compat.open_jaxpr(jaxpr)
        if inner is jaxpr:
            equations = [
                self._tag_inlined(equation)
                if _is_inlined_call(equation)
                else self._tag_equation(equation, f"{path}{index}")
                for index, equation in enumerate(inner.eqns)
            ]
            tagged = compat.replace_equations(inner, equations)
        else:
            tagged = jaxpr.replace(jaxpr=self.tag(inner, path))
        self._done[id(jaxpr)] = (jaxpr, tagged)
        return tagged

    def name_inlined(self, shown: Any) -> None:
        """Take the ids from the tagged jaxpr after JAX has inlined its calls.

        Equations that JAX folded into constants on the way have no id, the empty string.
        """
        self.ids = [""] * len(self.ids)
        self._name_equations(shown, "", set())

    def _name_equations(self, jaxpr: Any, path: str, seen: set[int]) -> None:
        inner = compat.open_jaxpr(jaxpr)
        if id(inner) in seen:
            return
        seen.add(id(inner))
        for index, equation in enumerate(inner.eqns):
            names = compat.scope_names(equation.source_info.name_stack)
            number = read_base_number("/".join(names))
            if 0 <= number < len(self.ids):
                self.ids[number] = self.ids[number] or f"{path}{index}"
            for parameter, nested in nested_jaxprs(equation.params):
                self._name_equations(nested, f"{path}{index}/{parameter}/", seen)

    def _tag_inlined(self, equation: Any) -> Any:
        """Tag a call that JAX will inline: the call with a number, its equations with what to add.

        The numbers that its equations come to are reserved.
        """
        self.has_inlined = True
        number = len(self.ids)
        body = equation.params["jaxpr"]
        self.ids += [""] * len(compat.open_jaxpr(body).eqns)
        known = self._inlined.get(id(body))
        if known is None:
            inner = compat.open_jaxpr(body)
            equations = [
                self._tag_parameters(e, _with_tag(e, f"{PLUS_TAG}{place}"), "")
                for place, e in enumerate(inner.eqns)
            ]
            known = (body, compat.replace_equations(body, equations))
            self._inlined[id(body)] = known
        return equation.replace(
            params={**equation.params, "jaxpr": known[1]},
            source_info=_with_tag(equation, f"{self._prefix}{number}"),
        )

    def _tag_equation(self, equation: Any, path: str) -> Any:
        source_info = _with_tag(equation, f"{self._prefix}{len(self.ids)}")
        self.ids.append(path)
        self.has_inlined |= compat_inlining.is_folded(equation)
        return self._tag_parameters(equation, source_info, path)

    def _tag_parameters(self, equation: Any, source_info: Any, path: str) -> Any:
        parameters = {
            name: self._tag_parameter(value, f"{path}/{name}")
            for name, value in equation.params.items()
            if type(value) not in _PLAIN and holds_jaxpr(value)
        }
        if not parameters:
            return equation.replace(source_info=source_info)
        return equation.replace(params={**equation.params, **parameters}, source_info=source_info)

    def _tag_parameter(self, value: Any, path: str) -> Any:
        if compat.is_jaxpr(value):
            return self.tag(value, f"{path}/")
        if not holds_jaxpr(value):
            return value
        if isinstance(value, dict):
            return {k: self._tag_parameter(item, f"{path}.{k}") for k, item in value.items()}
        items = [self._tag_parameter(item, f"{path}.{i}") for i, item in enumerate(value)]
        if hasattr(value, "_fields"):
            return type(value)(*items)
        return items if isinstance(value, list) else tuple(items)


def _is_inlined_call(equation: Any) -> bool:
    return equation.primitive.name == "jit" and compat_inlining.is_inlined(equation.params)


def _with_tag(equation: Any, tag: str) -> Any:
    """An equation's source information with a tag."""
    return compat.extend_name_stack(equation.source_info, tag)
