"""Exact provenance: put a numbered tag into the name stack of every equation.

JAX and XLA carry name stacks through differentiation, batching, lowering and fusion, so the tags
come out again in the names of operations and instructions (`jaxscope.model.op_name` reads them).
Nothing but metadata changes: the optimized module is the one of the untagged program. Tags are no
scopes: without them every name is the one that JAX gives.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jaxscope.model.op_name import BASE_TAG, DERIVED_TAG, EQUALS_TAG, PLUS_TAG, base_numbers
from jaxscope.worker import compat, compat_recorder


def nested_jaxprs(parameters: dict[str, Any]) -> list[tuple[str, Any]]:
    """Find the jaxprs among an equation's parameters.

    Returns:
        The path of each jaxpr in an equation id (`jaxpr`, `branches.1`) and the jaxpr, open or
        closed. Tuples, lists, named tuples and dictionaries are searched; other objects are not.
    """
    holders = compat.find_holders(parameters)
    return [found for name, value in holders for found in _find_jaxprs(name, value)]


def _find_jaxprs(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if compat.is_jaxpr(value):
        yield path, value
    elif isinstance(value, tuple | list):
        for index, item in enumerate(value):
            yield from _find_jaxprs(f"{path}.{index}", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _find_jaxprs(f"{path}.{key}", item)


def change_jaxprs(parameters: dict[str, Any], change: Callable[[str, Any], Any]) -> dict[str, Any]:
    """Parameters with other jaxprs; the same ones if they hold none.

    Args:
        parameters: Of an equation or an operation.
        change: Takes the path and the jaxpr, as `nested_jaxprs` gives them.
    """
    changed = {
        name: _change_parameter(name, value, change)
        for name, value in compat.find_holders(parameters)
    }
    return {**parameters, **changed} if changed else parameters


def _change_parameter(path: str, value: Any, change: Callable[[str, Any], Any]) -> Any:
    if compat.is_jaxpr(value):
        return change(path, value)
    if not compat.holds_jaxpr(value):
        return value
    if isinstance(value, dict):
        return {k: _change_parameter(f"{path}.{k}", item, change) for k, item in value.items()}
    items = [_change_parameter(f"{path}.{i}", item, change) for i, item in enumerate(value)]
    if hasattr(value, "_fields"):
        return type(value)(*items)
    return items if isinstance(value, list) else tuple(items)


class Tagger:
    """Tags the equations of a jaxpr, nested ones included, and numbers them.

    A nested jaxpr that several equations share is tagged once and stays shared, closed or open,
    so that JAX's caches, which go by identity, and its lowering to one function work as without
    tags: differentiating a shared layer twelve times instead of once doubles the time of tracing.

    Attributes:
        ids: The id of each numbered equation, such as `3/jaxpr/0`.
        copies: Each jaxpr that was tagged and its tagged copy, by the identity of the first.
    """

    def __init__(self, kind: str = DERIVED_TAG) -> None:
        self._kind, self._is_printed = kind, kind == DERIVED_TAG
        # The original is kept alive beside its copy: ids of freed objects are used again.
        self.copies: dict[int, tuple[Any, Any]] = {}
        self._num_twins = 0
        self.ids: list[str] = []

    def tag(self, jaxpr: Any, path: str = "") -> Any:
        """Tag an open or closed jaxpr. `path` is the prefix of its equations' ids."""
        known = self.copies.get(id(jaxpr))
        if known is not None:
            return known[1]
        inner = compat.open_jaxpr(jaxpr)
        if inner is jaxpr:
            equals = self._find_indistinguishable(inner.eqns) if self._is_printed else {}
            equations = [
                self._tag_equation(equation, f"{path}{index}", equals.get(index, -1))
                for index, equation in enumerate(inner.eqns)
            ]
            tagged = compat.replace_equations(inner, equations)
        else:
            tagged = jaxpr.replace(jaxpr=self.tag(inner, path))
        self.copies[id(jaxpr)] = (jaxpr, tagged)
        return tagged

    def _find_indistinguishable(self, equations: Sequence[Any]) -> dict[int, int]:
        """A number for each set of equations that JAX gives the same name and place, by index.

        Operations of such equations XLA joins to one with one name, where others keep two: tags
        must not hide that.
        """
        alike: dict[Any, list[int]] = {}
        for index, equation in enumerate(equations):
            info = equation.source_info
            name = equation.primitive.name, compat.untagged(info.name_stack)
            alike.setdefault((name, compat.location_of(info)), []).append(index)
        found: dict[int, int] = {}
        for indices in alike.values():
            if len(indices) > 1:
                found.update(dict.fromkeys(indices, self._num_twins))
                self._num_twins += 1
        return found

    def _tag_equation(self, equation: Any, path: str, equals: int = -1) -> Any:
        source_info = compat.with_tag(
            equation.source_info, self._kind, self._number(path), is_printed=self._is_printed
        )
        if equals >= 0:
            source_info = compat.with_tag(source_info, EQUALS_TAG, equals, is_printed=True)
        parameters = self.tag_parameters(equation.params, path)
        if parameters is equation.params:
            return equation.replace(source_info=source_info)
        return equation.replace(params=parameters, source_info=source_info)

    def _number(self, id: str) -> int:
        self.ids.append(id)
        return len(self.ids) - 1

    def tag_parameters(self, parameters: dict[str, Any], path: str = "") -> dict[str, Any]:
        """The parameters of an operation with tagged jaxprs; the same ones if they hold none."""
        return change_jaxprs(parameters, lambda at, each: self.tag(each, f"{path}/{at}/"))


class RunTagger(Tagger):
    """Numbers the operations of a function while it runs, for `compat_recorder.record`.

    A function that JAX inlines at every call (`compat_recorder.is_inlined`) is one jaxpr for all
    calls: its equations count on from the number of the call. A function that an operation holds
    runs once for the jaxpr and once or more for the transform: what it does is numbered by place,
    the same every time.

    Args:
        first: The number of the first operation.

    Attributes:
        ids: As found in the jaxpr by `name_equations`; empty where an equation is not in it.
        primitives: What each of these equations is, beside.
    """

    def __init__(self, first: int = 0) -> None:
        super().__init__(BASE_TAG)
        self._inlined: dict[int, tuple[Any, Any]] = {}
        self._places: dict[tuple[int, int], tuple[compat.Tag, dict[str, Any]]] = {}
        self._with_calls: dict[tuple[int, int], tuple[Any, Any, Any]] = {}
        self._repeats: dict[int, tuple[Any, Any]] = {}
        self._is_named = False
        self.ids = [""] * first
        self.primitives: list[str] = []

    def mark(self, name: str, parameters: dict[str, Any]) -> tuple[compat.Tag, dict[str, Any]]:
        """The tag of the next operation, and its parameters with tagged jaxprs."""
        return self._mark(self._number(""), name, parameters)

    def inside(self, tag: compat.Tag) -> Callable[[bool], compat_recorder.Marker]:
        """Makes the marker for each run of a function that the operation with this tag holds."""
        return lambda by_rule: _Inside(self, tag, by_rule)

    def mark_place(
        self, outer: compat.Tag, index: int, name: str, parameters: dict[str, Any], by_rule: bool
    ) -> tuple[compat.Tag, dict[str, Any]]:
        """As `mark`, of operation number `index` of the function that another operation holds.

        Where a rule calls the function, jitted functions that it calls stay without tags: the rule
        may call them itself, and all these calls are to share them as they do without tags.
        """
        place = outer.number, index
        is_shared = name == "jit" and not compat_recorder.is_inlined(parameters)
        if place in self._places and by_rule and is_shared:
            return self._places[place][0], parameters
        if place in self._places and is_shared:
            return self._mark(self._places[place][0].number, name, parameters)
        if place in self._places:
            tag, first = self._places[place]
            return tag, self._tag_alike(parameters, first)
        if self._is_named:
            return outer, parameters
        self._places[place] = self._mark(self._number(""), name, parameters)
        return self._places[place]

    def _mark(
        self, number: int, name: str, parameters: dict[str, Any]
    ) -> tuple[compat.Tag, dict[str, Any]]:
        if name == "jit" and compat_recorder.is_inlined(parameters):
            body = self._tag_inlined(number, parameters["jaxpr"])
            marked = {**parameters, "jaxpr": body}
        else:
            marked = self.tag_parameters(parameters)
        return compat.Tag(BASE_TAG, number), marked

    def tag_parameters(self, parameters: dict[str, Any], path: str = "") -> dict[str, Any]:
        """As `Tagger` does; rules of custom derivatives that call their own function have its tags.

        Most do, for the value.
        """
        return self._tag_rules(super().tag_parameters(parameters, path))

    def _tag_rules(self, tagged: dict[str, Any]) -> dict[str, Any]:
        function = tagged.get("call_jaxpr")
        if function is None:
            return tagged
        return compat_recorder.with_rules(tagged, lambda jaxpr: self._tag_calls(jaxpr, tagged))

    def _tag_calls(self, jaxpr: Any, tagged: dict[str, Any]) -> Any:
        """Tag calls of a function, wherever they are in a jaxpr; the same jaxpr without any.

        Args:
            jaxpr: Open or closed.
            tagged: Parameters of an equation that calls the function.
        """
        key = id(jaxpr), id(tagged["call_jaxpr"])
        if key not in self._with_calls:
            before = compat.open_jaxpr(jaxpr).eqns
            after = [self._tag_call(equation, tagged) for equation in before]
            is_same = all(map(operator.is_, after, before))
            changed = jaxpr if is_same else compat.replace_equations(jaxpr, after)
            self._with_calls[key] = (jaxpr, tagged, changed)
        return self._with_calls[key][2]

    def _tag_call(self, equation: Any, tagged: dict[str, Any]) -> Any:
        own = equation.params.get("call_jaxpr")
        if own is not None and compat.is_same_function(own, tagged["call_jaxpr"]):
            return equation.replace(params=self._tag_alike(equation.params, tagged))
        nested = [jaxpr for _, jaxpr in nested_jaxprs(equation.params)]
        if all(self._tag_calls(jaxpr, tagged) is jaxpr for jaxpr in nested):
            return equation
        change = lambda _, jaxpr: self._tag_calls(jaxpr, tagged)  # noqa: E731 # used here alone
        return equation.replace(params=change_jaxprs(equation.params, change))

    def _tag_alike(self, parameters: dict[str, Any], tagged: dict[str, Any]) -> dict[str, Any]:
        """Give the parameters of an operation the tags that those of another run of it have."""
        models = dict(nested_jaxprs(tagged))
        if models.keys() != dict(nested_jaxprs(parameters)).keys():
            return parameters
        return self._tag_rules(
            change_jaxprs(parameters, lambda path, jaxpr: self._repeat(jaxpr, models[path]))
        )

    def _repeat(self, jaxpr: Any, tagged: Any) -> Any:
        """Give a jaxpr the tags of another trace of the same function; none if it did others.

        Jitted functions that it calls stay without, as `mark_place` has it.
        """
        if id(jaxpr) in self._repeats:
            return self._repeats[id(jaxpr)][1]
        equations, models = compat.open_jaxpr(jaxpr).eqns, compat.open_jaxpr(tagged).eqns
        if [e.primitive for e in equations] != [e.primitive for e in models]:
            return jaxpr
        repeated = [
            equation.replace(
                params=equation.params
                if equation.primitive.name == "jit"
                else self._tag_alike(equation.params, model.params),
                source_info=compat.with_tags_of(equation.source_info, model.source_info),
            )
            for equation, model in zip(equations, models, strict=True)
        ]
        self._repeats[id(jaxpr)] = (jaxpr, compat.replace_equations(jaxpr, repeated))
        return self._repeats[id(jaxpr)][1]

    def _number(self, id: str) -> int:
        return super()._number("")  # the jaxpr that is shown says which id, later

    def name_equations(self, shown: Any) -> None:
        """Take the ids from the jaxpr of the function that ran.

        Equations that JAX folded into constants on the way have no id, the empty string.
        """
        self.primitives = [""] * len(self.ids)
        self._is_named = True
        self._name_equations(shown, "", set())

    def _name_equations(self, jaxpr: Any, path: str, seen: set[int]) -> None:
        inner = compat.open_jaxpr(jaxpr)
        if id(inner) in seen:
            return
        seen.add(id(inner))
        for index, equation in enumerate(inner.eqns):
            numbers = base_numbers(compat.read_tags(equation.source_info.name_stack))
            if numbers and numbers[0] < len(self.ids) and not self.ids[numbers[0]]:
                self.ids[numbers[0]] = f"{path}{index}"
                self.primitives[numbers[0]] = equation.primitive.name
            for parameter, nested in nested_jaxprs(equation.params):
                self._name_equations(nested, f"{path}{index}/{parameter}/", seen)

    def _tag_inlined(self, number: int, body: Any) -> Any:
        """Tag the body of a call that JAX will inline with what to add to the call's number.

        The numbers that its equations come to are reserved.
        """
        inner = compat.open_jaxpr(body)
        if number == len(self.ids) - 1:
            self.ids += [""] * len(inner.eqns)
        known = self._inlined.get(id(body))
        if known is None:
            equations = [
                e.replace(
                    source_info=compat.with_tag(e.source_info, PLUS_TAG, place),
                    params=self.tag_parameters(e.params),
                )
                for place, e in enumerate(inner.eqns)
            ]
            known = self._inlined[id(body)] = (body, compat.replace_equations(body, equations))
        return known[1]


class _Inside:
    """Numbers what a function does that an operation holds, by place."""

    def __init__(self, tagger: RunTagger, outer: compat.Tag, by_rule: bool) -> None:
        self._tagger, self._outer, self._by_rule = tagger, outer, by_rule
        self._places = itertools.count()

    def mark(self, name: str, parameters: dict[str, Any]) -> tuple[compat.Tag, dict[str, Any]]:
        place = next(self._places)
        return self._tagger.mark_place(self._outer, place, name, parameters, self._by_rule)

    def inside(self, tag: compat.Tag) -> Callable[[bool], compat_recorder.Marker]:
        inside = self._tagger.inside(tag)
        return lambda by_rule: inside(by_rule or self._by_rule)
