"""Print a jaxpr the way JAX does, and remember which equation each line shows.

JAX's own printer does not say which line belongs to which equation, and hoists shared jaxprs out
of their place. Names are those of the graph, unique over the whole program.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxscope.model.capture import StageText
from jaxscope.worker import compat
from jaxscope.worker.jaxpr_graph import ConvertedJaxpr
from jaxscope.worker.nested_structure import is_worth_showing
from jaxscope.worker.tagging import nested_jaxprs
from jaxscope.worker.values import aval_text, value_text


def print_jaxpr(jaxpr: Any, converted: ConvertedJaxpr) -> StageText:
    """The text of a closed jaxpr; `line_nodes` names the equation of each line."""
    printer = _Printer(converted)
    printer.print_program(compat.open_jaxpr(jaxpr), "", "", -1)
    return StageText("\n".join(printer.lines), np.asarray(printer.nodes, np.int32))


class _Printer:
    def __init__(self, converted: ConvertedJaxpr) -> None:
        self._names = converted.names
        self._equation_nodes = converted.equation_nodes
        self._groups = converted.groups
        self._printed: set[int] = set()
        self._types: dict[Any, str] = {}
        self.lines: list[str] = []
        self.nodes: list[int] = []

    def print_program(self, inner: Any, indent: str, lead: str, owner: int) -> None:
        self._printed.add(id(inner))
        constants = " ".join(self._binder(v) for v in inner.constvars)
        inputs = " ".join(self._binder(v) for v in inner.invars)
        space = " " if constants else ""
        self._add(f"{indent}{lead}{{ lambda {constants}{space}; {inputs}. let", owner)
        for equation in inner.eqns:
            self._print_equation(equation, f"{indent}    ")
        results = ", ".join(self._atom(atom) for atom in inner.outvars)
        comma = "," if len(inner.outvars) == 1 else ""
        self._add(f"{indent}  in ({results}{comma}) }}", owner)

    def _print_equation(self, equation: Any, indent: str) -> None:
        node = self._equation_nodes.get(id(equation), -1)
        left = " ".join(self._binder(v) for v in equation.outvars)
        left = f"{left} = " if left else ""
        operands = "".join(f" {self._atom(atom)}" for atom in equation.invars)
        parameters = [
            (name, value_text(value))
            for name, value in sorted(equation.params.items())
            if is_worth_showing(name, value)
        ]
        nested = list(nested_jaxprs(equation.params))
        head = f"{indent}{left}{equation.primitive.name}"
        if not parameters and not nested:
            self._add(f"{head}{operands}", node)
        elif not nested and sum(len(n) + len(v) + 2 for n, v in parameters) + len(head) < 100:
            inside = " ".join(f"{name}={value}" for name, value in parameters)
            self._add(f"{head}[{inside}]{operands}", node)
        else:
            self._add(f"{head}[", node)
            for name, value in parameters:
                self._add(f"{indent}  {name}={value}", node)
            for name, jaxpr in nested:
                self._print_nested(compat.open_jaxpr(jaxpr), name, f"{indent}  ", node)
            self._add(f"{indent}]{operands}", node)

    def _print_nested(self, inner: Any, name: str, indent: str, node: int) -> None:
        if id(inner) in self._printed:
            place = self._groups.get(id(inner), "above")
            self._add(f"{indent}{name}={{ as printed above, at {place} }}", node)
        else:
            self.print_program(inner, indent, f"{name}=", node)

    def _binder(self, variable: Any) -> str:
        name = "_" if compat.is_dropped(variable) else self._names.get(id(variable), "?")
        return f"{name}:{self._type(variable.aval)}"

    def _atom(self, atom: Any) -> str:
        if compat.is_literal(atom):
            return f"{value_text(atom.val)}:{self._type(atom.aval)}"
        return self._names.get(id(atom), "?")

    def _type(self, aval: Any) -> str:
        try:
            known = self._types.get(aval)
        except TypeError:
            return aval_text(aval)
        if known is None:
            known = self._types[aval] = aval_text(aval)
        return known

    def _add(self, line: str, node: int) -> None:
        self.lines.append(line)
        self.nodes.append(node)
