"""Find where a compiled program first leaves the eager one: which equations, compiled together.

An equation's *cone* is the equation with all that it is computed from. The cone, compiled by
itself, gives other bits than those equations run one by one, or it does not. Going up from a
result that differs, the first equation whose cone differs while its inputs' cones do not is where
the difference arises. How many of the equations before it have to be compiled with it is tried in
the same way, from the eager values of whatever they need.

Nothing here is guessed from the text of programs: everything found was compiled and compared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from jaxscope.worker import compat

Fields = dict[str, Any]
Compare = Callable[[Sequence[Any], Sequence[Any]], Fields | None]
"""The worst difference of two lists of arrays; None where there is none."""
_SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256)
_MOST_REMOVED = 16


class OutOfTime(Exception):
    """The budget is spent, and nothing certain was found."""


@dataclasses.dataclass(frozen=True, eq=False)
class Group:
    """Equations that give other bits when they are compiled together.

    Attributes:
        numbers: Of the equations, in program order; the last is the one whose result differs.
        difference: Of that result, compiled against one by one.
        is_least: Whether leaving out any one of the others makes the difference vanish.
    """

    numbers: tuple[int, ...]
    difference: Fields
    is_least: bool


class Divergence:
    """One jaxpr, evaluated equation by equation; parts of it can be compiled."""

    def __init__(
        self,
        jaxpr: Any,
        inputs: Sequence[Any],
        compare: Compare,
        check_time: Callable[[], None],
    ) -> None:
        """Run every equation by itself.

        Args:
            jaxpr: Closed.
            inputs: Of the jaxpr.
            compare: Says how two results differ.
            check_time: Called before each compilation; raises `OutOfTime`.

        Raises:
            Exception: Whatever an equation raises when it runs.
        """
        self._inner = compat.open_jaxpr(jaxpr)
        self._compare = compare
        self._check_time = check_time
        self._values: dict[Any, Any] = dict(
            zip(self._inner.constvars, compat.consts_of(jaxpr), strict=False)
        )
        self._constants = frozenset(self._values)
        self._values.update(zip(self._inner.invars, inputs, strict=True))
        self._producer: dict[Any, int] = {}
        self._known: dict[tuple[int, ...], Fields | None] = {}
        self.num_compiled = 0
        for number, equation in enumerate(self._inner.eqns):
            results = compat.bind_equation(equation, [self._read(a) for a in equation.invars])
            self._values.update(zip(equation.outvars, results, strict=True))
            self._producer.update(dict.fromkeys(equation.outvars, number))

    @property
    def results(self) -> list[Any]:
        """What the equations, run one by one, return."""
        return [self._read(atom) for atom in self._inner.outvars]

    def find(self) -> Group | None:
        """The equation where a difference arises, and those it has to be compiled with.

        Returns:
            None where no result's cone differs: compiled without the rest, all is as eager.

        Raises:
            OutOfTime: Looking took too long.
        """
        number = self._find_differing(
            [self._producer[atom] for atom in self._inner.outvars if self._has_producer(atom)]
        )
        if number is None:
            return None
        while (above := self._find_differing(self._producers(number))) is not None:
            number = above
        return self._narrow(number)

    def compile(
        self, numbers: Sequence[int], options: Mapping[str, Any] | None = None
    ) -> list[Any]:
        """The results of the last of some equations, compiled together with eager inputs.

        Raises:
            OutOfTime: The budget is spent.
            Exception: Whatever compiling or running raises.
        """
        return list(self.lower(numbers)(options or {}))

    def compile_apart(self, numbers: Sequence[int], options: Mapping[str, Any]) -> list[Any]:
        """The results of the last of some equations, each compiled by itself, one after another.

        Raises:
            OutOfTime: The budget is spent.
            Exception: Whatever compiling or running raises.
        """
        known = dict(self._values)
        results: list[Any] = []
        for number in numbers:
            results = list(self.lower([number], known)(options))
            known.update(zip(self._inner.eqns[number].outvars, results, strict=True))
        return results

    def lower(
        self, numbers: Sequence[int], known: Mapping[Any, Any] | None = None
    ) -> Callable[[Mapping[str, Any]], Sequence[Any]]:
        """Some equations, to be compiled together with options of XLA's.

        Args:
            known: Values of what they are computed from; the eager ones if None.
        """
        given = self._values if known is None else known
        equations = [self._inner.eqns[number] for number in numbers]
        made = {v for equation in equations for v in equation.outvars}
        free = dict.fromkeys(
            atom
            for equation in equations
            for atom in equation.invars
            if not compat.is_literal(atom) and atom not in made and atom not in self._constants
        )
        values = [given[variable] for variable in free]

        def together(*arguments: Any) -> list[Any]:
            inside = {v: self._values[v] for v in self._constants}
            inside.update(zip(free, arguments, strict=True))
            results: list[Any] = []
            for equation in equations:
                operands = [a.val if compat.is_literal(a) else inside[a] for a in equation.invars]
                results = compat.bind_equation(equation, operands)
                inside.update(zip(equation.outvars, results, strict=True))
            return results

        lowered = jax.jit(together).lower(*values)

        def run(options: Mapping[str, Any]) -> Sequence[Any]:
            self._check_time()
            self.num_compiled += 1
            results: Sequence[Any] = lowered.compile(compiler_options=dict(options) or None)(
                *values
            )
            return results

        return run

    def eager(self, number: int) -> list[Any]:
        """The results of an equation that was run by itself."""
        return [self._values[variable] for variable in self._inner.eqns[number].outvars]

    def differs(self, numbers: Sequence[int]) -> Fields | None:
        """How the last of the equations differs when they are compiled together."""
        key = tuple(numbers)
        if key not in self._known:
            self._known[key] = self._compare(self.eager(key[-1]), self.compile(key))
        return self._known[key]

    def _find_differing(self, numbers: Sequence[int]) -> int | None:
        return next(
            (n for n in dict.fromkeys(numbers) if self.differs(self._cone(n)) is not None), None
        )

    def _narrow(self, number: int) -> Group:
        """The fewest equations before one that have to be compiled with it, nearest first."""
        cone = self._cone(number)
        nearest = self._nearest_first(number)
        for size in (*(s for s in _SIZES if s < len(cone)), len(cone)):
            chosen = sorted(nearest[:size])
            found = self.differs(chosen)
            if found is not None:
                break
        else:  # what differs within the cone differs by its order: XLA numbers equations
            chosen, found = list(cone), self.differs(cone)
        difference, is_least = found or {}, len(chosen) == 1
        if 1 < len(chosen) <= _MOST_REMOVED:
            is_least = True
            for other in [n for n in chosen if n != number]:
                fewer = [n for n in chosen if n != other]
                found = self.differs(fewer)
                if found is not None:
                    chosen, difference = fewer, found
        return Group(tuple(chosen), difference, is_least)

    def _cone(self, number: int) -> tuple[int, ...]:
        return tuple(sorted(self._nearest_first(number)))

    def _nearest_first(self, number: int) -> list[int]:
        """The equation and all that it is computed from, by how many equations lie between."""
        found = {number: None}
        for known in (order := [number]):
            for producer in self._producers(known):
                if producer not in found:
                    found[producer] = None
                    order.append(producer)
        return order

    def _producers(self, number: int) -> list[int]:
        return [
            self._producer[atom]
            for atom in self._inner.eqns[number].invars
            if self._has_producer(atom)
        ]

    def _has_producer(self, atom: Any) -> bool:
        return not compat.is_literal(atom) and atom in self._producer

    def _read(self, atom: Any) -> Any:
        return atom.val if compat.is_literal(atom) else self._values[atom]
