"""Follow the axes that `vmap` added through HLO or StableHLO, from the arguments of the program.

Each operation says which axis of its result an axis of an operand becomes (the semantics of
https://openxla.org/xla/operation_semantics). XLA merges axes and takes them apart again, so what is
followed is a part of an axis: of the index `i` along it, `i // step % size`. It is shown where it
is the whole axis. A value without a batched operand has no such axis and agrees with every other,
as the zeros do that a loop begins to fill. Where two operands disagree, or an operation is not
known here, nothing is said of the result, and what is made of it alone has no mark. Where all that
uses such a value hands it to loops that carry batched values in its place, it has their axis.

Nested programs are followed for each distinct state of their inputs; a loop until its state no
longer changes, at most twice per value that it carries. Linear in the instructions else. StableHLO
is read as the HLO that it stands for; its regions use values from around them, so those of loops in
loops are followed again with each round of the outer one. Of a program for which that takes more
than `_MOST_STEPS` per instruction nothing is said.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from jaxscope.model import Graph
from jaxscope.model.graph import NONE
from jaxscope.model.types import VmapAxes, parse_array_type, read_count


class Mark(NamedTuple):
    """Part of an axis: `index // step % size`."""

    axis: int
    step: int
    size: int


_UNKNOWN = Mark(-1, 0, 0)
State = tuple[Mark | None, ...]
"""Of one value, for each `vmap` from the outermost; None where no batched value went into it."""
States = tuple[State, ...]
"""Of the results of an instruction."""
Shape = tuple[int, ...]

_ELEMENTWISE = frozenset(
    {
        *("abs", "add", "all-reduce", "and", "atan2", "bitcast-convert", "cbrt", "ceil", "clamp"),
        "compare",
        *("complex", "convert", "copy", "cosine", "count-leading-zeros", "divide", "erf"),
        *("exponential", "exponential-minus-one", "floor", "imag", "is-finite", "log"),
        *("log-plus-one", "logistic", "maximum", "minimum", "multiply", "negate", "not", "or"),
        *("popcnt", "power", "real", "reduce-precision", "remainder", "round-nearest-afz"),
        *("round-nearest-even", "rsqrt", "select", "shift-left", "shift-right-arithmetic"),
        *("shift-right-logical", "sign", "sine", "sqrt", "subtract", "tan", "tanh", "xor"),
    }
)
_MAX_DEPTH = 100
_MOST_STEPS = 200
"""Instructions that are followed for each of a program. Loops in loops took up to 2.7, the gradient
of a transformer 0.9.
"""
_NESTING = ("fusion", "call", "while", "conditional")
_ANNOTATIONS = ("Sharding", "LayoutConstraint")
_NUMBERS = re.compile(r"\d+")
_DIMENSION_NUMBERS = re.compile(r"(\w+)=(?:\{([\d,]*)\}|(\d+))")
_NUM_BATCH_DIMS = re.compile(r"\bnum_batch_dims=(\d+)\b")


def follow_batch_axes(
    graph: Graph, given: Mapping[int, VmapAxes], *, is_stablehlo: bool = False
) -> dict[int, str]:
    """The attribute `batch_axes` of the instructions of a module.

    Args:
        graph: The module.
        given: Of parameters of the whole program, the axes that each `vmap` added.
        is_stablehlo: Whether it is StableHLO.
    """
    num_vmaps = max(map(len, given.values()), default=0)
    follower = (_StableHloFollower if is_stablehlo else _Follower)(graph, num_vmaps)
    for node, axes in given.items():
        shape = next(iter(follower.shapes(node)), ())
        marks = [
            None if axis is None or axis >= len(shape) else Mark(axis, 1, shape[axis])
            for axis in axes
        ]
        follower.of_arguments[node] = (*marks, *(None,) * (num_vmaps - len(marks)))
    follower.follow(NONE, (), {}, is_kept=True)
    if follower.steps_left < 0:
        return {}
    follower.lead_back()
    told = {node: follower.tell(node, states) for node, states in follower.kept.items()}
    return {node: text for node, text in told.items() if text.strip(";,")}


class _Follower:
    """Goes through the computations of a module in the order of their instructions.

    Attributes:
        of_arguments: The states of parameters of the whole program.
        kept: The states of the results of each instruction, in every call of its computation.
        steps_left: How many instructions may still be followed.
    """

    def __init__(self, graph: Graph, num_vmaps: int) -> None:
        self.graph = graph
        self._free: State = (None,) * num_vmaps
        self._lost: State = (_UNKNOWN,) * num_vmaps
        self.of_arguments: dict[int, State] = {}
        self.kept: dict[int, States] = {}
        self.steps_left = _MOST_STEPS * len(graph.nodes)
        self._known: dict[tuple[int, tuple[States, ...]], States] = {}
        self._known_kept: set[tuple[int, tuple[States, ...]]] = set()
        groups = graph.nodes.group
        order = np.argsort(groups, kind="stable")
        self._nodes = {
            int(group): list(nodes)
            for group, nodes in itertools.groupby(order.tolist(), groups.__getitem__)
        }
        ids = graph.groups.id.tolist()
        self._groups = {graph.strings[each]: group for group, each in enumerate(ids)}
        edges = graph.edges
        self._operands: dict[int, list[tuple[int, int]]] = {}
        for at in np.lexsort((edges.operand, edges.target)).tolist():
            value = int(edges.source[at]), int(edges.output[at])
            self._operands.setdefault(int(edges.target[at]), []).append(value)
        self._followed = {NONE}
        self.shapes = functools.cache(self._shapes)

    def _shapes(self, node: int) -> list[Shape]:
        arrays = map(parse_array_type, self.graph.types(node))
        return [() if array is None else array.shape for array in arrays]

    def tell(self, node: int, states: States) -> str:
        """The attribute `batch_axes` of an instruction: axes that are whole."""

        def axis(mark: Mark | None, shape: Shape) -> str:
            if mark is None or mark == _UNKNOWN or mark.axis >= len(shape):
                return ""
            return str(mark.axis) if mark[1:] == (1, shape[mark.axis]) else ""

        shapes = self.shapes(node)
        rows = [",".join(axis(mark, shape) for mark in state).rstrip(",")
                for state, shape in zip(states, shapes, strict=True)]  # fmt: skip
        return ";".join(rows)

    def follow(
        self,
        group: int,
        given: tuple[States, ...],
        around: Mapping[int, States],
        *,
        is_kept: bool = False,
    ) -> States:
        """The states of the results of a nested program, of those of its parameters.

        Args:
            group: Its instructions; `NONE` for the whole program.
            given: Of each parameter.
            around: Of the instructions around it, where it may use them.
            is_kept: Whether these are its parameters when the program runs.
        """
        key = group, given
        if not around and key in (self._known_kept if is_kept else self._known):
            return self._known[key]
        nodes = self._nodes.get(group, [])
        self.steps_left -= len(nodes)
        if self.steps_left < 0:
            return ()
        states = dict(around)
        results: list[States] = []
        for node in nodes:
            operation, told = self.read(node)
            found = self._after(node, operation, told, given, states, is_kept)
            lost = (self._lost,) * len(self.shapes(node))
            states[node] = found = found if len(found) == len(lost) else lost
            if "root" in told or operation == "output":
                results.append(found)
            if is_kept:
                self.kept[node] = found if self.kept.get(node, found) == found else lost
        if not around:
            self._known[key] = tuple(itertools.chain(*results))
            self._known_kept.update({key} if is_kept else ())
        return tuple(itertools.chain(*results))

    def read(self, node: int) -> tuple[str, Mapping[str, str]]:
        """The HLO opcode of an instruction, and its attributes as HLO names them."""
        return self.graph.operation(node), self.graph.attributes(node)

    def find_groups(self, _node: int, told: Mapping[str, str]) -> list[int]:
        """The programs inside of an instruction: of a loop its body first."""
        names = told.get("calls", "").split(", ")
        return [self._groups[name] for name in names if name in self._groups]

    def _take(self, value: tuple[int, int], states: Mapping[int, States]) -> States:
        """The states of an operand: of a tuple all."""
        return states[value[0]]

    def _after(
        self,
        node: int,
        operation: str,
        told: Mapping[str, str],
        given: tuple[States, ...],
        states: Mapping[int, States],
        is_kept: bool,
    ) -> States:
        """The states of the results of an instruction; of fewer if they are not known."""
        if operation == "parameter":
            if int(self.graph.nodes.group[node]) == NONE:
                return (self.of_arguments.get(node, self._free),) * len(self.shapes(node))
            at = read_count(told.get("parameter_number", ""))
            return given[at] if at is not None and at < len(given) else ()
        values = self._operands.get(node, [])
        if any(source not in states for source, _ in values):  # not in order
            return ()
        operands = tuple(self._take(value, states) for value in values)
        if operation in ("tuple", "optimization-barrier", "output"):
            return tuple(itertools.chain(*operands))
        if operation == "get-tuple-element":
            at = read_count(told.get("tuple_index", ""))
            return operands[0][at : at + 1] if at is not None and operands else ()
        groups = self.find_groups(node, told)
        if operation in _NESTING and groups:
            return self._inside(operation, groups, operands, states, is_kept)
        return self._move(node, operation, told, values, operands)

    def _inside(
        self,
        operation: str,
        groups: list[int],
        operands: tuple[States, ...],
        states: Mapping[int, States],
        is_kept: bool,
    ) -> States:
        """The states after an instruction that runs programs of its own."""
        is_deep = len(self._followed) > _MAX_DEPTH
        if is_deep or self._followed.intersection(groups):  # no program calls itself
            return ()
        self._followed.update(groups)
        around = states if self._sees_around(operation) else {}
        found: States = ()
        if operation in ("fusion", "call") and len(groups) == 1:
            found = self.follow(groups[0], operands, around, is_kept=is_kept)
        elif operation == "while" and len(groups) == 2:
            found = self._loop(groups, operands, around, is_kept)
        elif operation == "conditional":
            given: list[tuple[States, ...]] = [(each,) for each in operands[1:]]
            given = given or [()] * len(groups)  # they use what is around them
            if len(given) == len(groups):
                results = [
                    self.follow(group, each, around, is_kept=is_kept)
                    for group, each in zip(groups, given, strict=True)
                ]
                found = functools.reduce(self._agree, results)
        self._followed.difference_update(groups)
        return found

    def _sees_around(self, _operation: str) -> bool:
        """Whether the programs of such an instruction use values from around it."""
        return False

    def lead_back(self) -> None:
        """Mark what loops begin with as what they carry, where nothing else uses it."""
        _Backward(self).run()

    def takes_tuple(self) -> bool:
        """Whether a loop, a call and a nested program take and give one tuple of values."""
        return True

    def _loop(
        self,
        groups: list[int],
        state: tuple[States, ...],
        around: Mapping[int, States],
        is_kept: bool,
    ) -> States:
        """The states of what a loop carries, in every round."""
        body, condition = groups
        while True:
            after = self.follow(body, state, around)
            joined = self._agree(tuple(itertools.chain(*state)), after)
            if not joined:
                return ()
            renewed = (joined,) if len(state) == 1 else tuple((each,) for each in joined)
            if renewed == state:
                break
            state = renewed
        if is_kept:
            self.follow(body, state, around, is_kept=True)
            self.follow(condition, state, around, is_kept=True)
        return joined

    def _agree(self, ones: States, others: States) -> States:
        """What holds of values that are now these and now the others."""
        if len(ones) != len(others):
            return ()
        return tuple(
            tuple(
                b if a is None else a if b is None or a == b else _UNKNOWN
                for a, b in zip(one, other, strict=True)
            )
            for one, other in zip(ones, others, strict=True)
        )

    def _move(
        self,
        node: int,
        operation: str,
        told: Mapping[str, str],
        values: list[tuple[int, int]],
        operands: tuple[States, ...],
    ) -> States:
        """The states after an operation on arrays: those of operands, at their new axes."""
        if not values:
            return (self._free,) * len(self.shapes(node))
        if any(len(each) != 1 for each in operands):
            return ()
        shapes = [self.shapes(source)[output] for source, output in values]
        layouts = [self.graph.attributes(source).get("layout", "{}") for source, _ in values]
        found: list[State] = []
        for shape in self.shapes(node):
            mover = _Mover(operation, told, shapes, shape, layouts)
            marks: list[Mark | None] = []
            for vmap in range(len(self._free)):
                moved = {
                    mover.move(at, mark)
                    for at, ((*state,),) in enumerate(operands)
                    if (mark := state[vmap]) is not None
                }
                known = moved - {_UNKNOWN}
                is_one = len(known) == 1
                marks.append(known.pop() if is_one else _UNKNOWN if moved else None)
            found.append(tuple(marks))
        return tuple(found)


Value = tuple[int, int]
"""An instruction, and which of its results."""


class _Backward:
    """Leads the marks of what loops carry back to the values that they begin with; one use.

    A value without a batched operand is marked once each of its uses asks for the same axis. Linear
    in the instructions.
    """

    def __init__(self, follower: _Follower) -> None:
        self._follower = follower
        self._is_tuple = follower.takes_tuple()
        graph = follower.graph
        edges = graph.edges
        self._edges = list(
            zip(edges.source.tolist(), edges.output.tolist(), edges.target.tolist(), strict=True)
        )
        self._operands: dict[int, dict[int, int]] = {}
        self._uses: dict[int, list[int]] = {}
        for at, operand in enumerate(edges.operand.tolist()):
            source, _, target = self._edges[at]
            self._operands.setdefault(target, {})[operand] = at
            self._uses.setdefault(source, []).append(at)
        self._group_of = graph.nodes.group.tolist()
        self._told = functools.cache(follower.read)
        self._callers: dict[int, list[int]] = {}
        self._givers: dict[int, list[int]] = {}
        for node in range(len(graph.nodes)):
            operation, told = self._told(node)
            for group in follower.find_groups(node, told) if _has_programs(operation, told) else ():
                self._callers.setdefault(group, []).append(node)
            if "root" in told or operation == "output":
                self._givers.setdefault(self._group_of[node], []).append(node)
        self._asked: dict[Value, dict[int, State]] = {}
        self._waiting: list[Value] = []

    def run(self) -> None:
        """Mark what can be marked."""
        for node, states in list(self._follower.kept.items()):
            if self._told(node)[0] == "while":
                for number in range(len(states)):
                    place = (0, number) if self._is_tuple else (number, None)
                    self._ask_operand((node, number), *place)
        while self._waiting:
            value = self._waiting.pop()
            asked = self._asked[value]
            if asked.keys() >= self._list_uses(value) and len(set(asked.values())) == 1:
                self._mark(value, next(iter(asked.values())))

    def _ask(self, value: Value, use: int, user: Value) -> None:
        """Ask for a value to be marked as the one that it becomes, of the same shape."""
        shapes, kept = self._follower.shapes(value[0]), self._follower.kept
        wanted = self._follower.shapes(user[0])[user[1]]
        if value[0] in kept and value[1] < len(shapes) and shapes[value[1]] == wanted:
            state = kept[user[0]][user[1]]
            known = tuple(None if mark == _UNKNOWN else mark for mark in state)
            self._asked.setdefault(value, {})[use] = known
            self._waiting.append(value)

    def _ask_operand(self, user: Value, operand: int, element: int | None = None) -> None:
        """Likewise of an operand, or of an element of it."""
        at = self._operands.get(user[0], {}).get(operand)
        if at is not None:
            source, output, _ = self._edges[at]
            self._ask((source, output if element is None else element), at, user)

    def _list_uses(self, value: Value) -> set[int]:
        """The edges that lead a value on, and `~caller` where it is the result of a program."""
        node, number = value
        found = set[int]()
        for at in self._uses.get(node, ()):
            _, output, target = self._edges[at]
            operation, told = self._told(target)
            if not self._is_tuple:
                is_used = output == number
            elif operation == "get-tuple-element":
                is_used = read_count(told.get("tuple_index", "")) == number
            else:
                is_used = True
            found.update({at} if is_used else ())
        group = self._group_of[node]
        if node in self._givers.get(group, ()):  # the whole program's are used by its caller
            found.update(~caller for caller in self._callers.get(group, [len(self._group_of)]))
        return found

    def _mark(self, value: Value, state: State) -> None:
        """Mark a value of which nothing was known, and ask for what it is made of."""
        node, number = value
        kept = self._follower.kept
        known = kept[node][number]
        operation, told = self._told(node)
        callers = self._callers.get(self._group_of[node], [])
        is_given = operation == "parameter"
        if is_given and not all(self._told(each)[0] in ("call", "fusion") for each in callers):
            return
        is_news = known != state and all(a in (None, b) for a, b in zip(known, state, strict=True))
        if not is_news or is_given > bool(callers):
            return
        kept[node] = (*kept[node][:number], state, *kept[node][number + 1 :])
        place = read_count(told.get("parameter_number", ""))
        if is_given and place is not None:
            is_element = self._is_tuple and len(kept[node]) > 1
            for caller in callers:
                at = self._operands.get(caller, {}).get(place)
                if at is not None:
                    source, output, _ = self._edges[at]
                    self._ask((source, number if is_element else output), at, value)
        elif operation == "get-tuple-element":
            self._ask_operand(value, 0, read_count(told.get("tuple_index", "")))
        elif operation in ("tuple", "output", "copy", "optimization-barrier"):
            self._ask_operand(value, number)
        elif operation in ("call", "fusion"):
            for group in self._follower.find_groups(node, told):
                givers = self._givers.get(group, [])
                if self._is_tuple and givers:
                    self._ask((givers[0], number), ~node, value)
                elif number < len(givers):
                    self._ask((givers[number], 0), ~node, value)


def _has_programs(operation: str, told: Mapping[str, str]) -> bool:
    return operation in _NESTING or "calls" in told


_HLO_NAMES = {
    "broadcast-in-dim": "broadcast",
    "dot-general": "dot",
    "case": "conditional",
    "if": "conditional",
    "top-k": "topk",
    "input": "parameter",
}
_HLO_KEYS = {
    "permutation": "dimensions",
    "broadcast_dimensions": "dimensions",
    "dimension": "dimensions",
    "slice_sizes": "gather_slice_sizes",
    "call_target_name": "custom_call_target",
    "mhlo.frontend_attributes": "frontend_attributes",
    "operand": "parameter_number",
}
_LIST = re.compile(r"(\w+) = \[([\d, ]*)\]")


class _StableHloFollower(_Follower):
    """Reads StableHLO as the HLO that it stands for."""

    def read(self, node: int) -> tuple[str, Mapping[str, str]]:
        dialect, _, name = self.graph.operation(node).rpartition(".")
        name = _HLO_NAMES.get(name := name.replace("_", "-"), name)
        given = self.graph.attributes(node)
        told = {_HLO_KEYS.get(key, key): _value(text) for key, text in given.items()}
        if dialect == "chlo" and name != "topk":
            return "erf", told  # of each element its own
        if name == "sharding-constraint":
            return "copy", told
        numbers = told.pop("dimension_numbers", told.get("dot_dimension_numbers", ""))
        numbers = _LIST.sub(r"\1={\2}", numbers).replace(" = ", "=").replace(" ", "")
        if name == "dot":
            numbers = numbers.replace("batching_dimensions", "batch")
            numbers = numbers.replace("contracting_dimensions", "contracting")
        if name == "convolution":
            left, _, right = numbers.partition("<")[2].rstrip(">").partition("->")
            numbers = re.sub(r"[\[\],]", "", f"{left.replace('x', '_')}->{right}")
            for key in ("feature_group_count", "batch_group_count"):
                if told.get(key) == "1":
                    del told[key]
        for key in ("dot", "gather", "convolution"):
            told[f"{key}_dimension_numbers"] = numbers
        scatter = told.get("scatter_dimension_numbers", "")
        told["scatter_dimension_numbers"] = _LIST.sub(r"\1={\2}", scatter).replace(" = ", "=")
        if name == "pad":
            edges = ("edge_padding_low", "edge_padding_high", "interior_padding")
            told["padding_config"] = "x".join(
                "_".join(map(str, each))
                for each in zip(*(_numbers(told.get(key, "")) for key in edges), strict=False)
            )
        if "window_dimensions" in told:
            told["window"] = f"size={'x'.join(map(str, _numbers(told['window_dimensions'])))}"
        told["frontend_attributes"] = told.get("frontend_attributes", "").replace(' = "', "=")
        return name, told

    def find_groups(self, node: int, told: Mapping[str, str]) -> list[int]:
        if "callee" in told:
            group = self._groups.get(f"@{told['callee']}")
            return [] if group is None else [group]
        groups = self.graph.groups
        own: list[int] = np.flatnonzero(groups.owner == node).tolist()
        return sorted(own, key=lambda group: -int(groups.part[group]))

    def _take(self, value: tuple[int, int], states: Mapping[int, States]) -> States:
        source, output = value
        return states[source][output : output + 1]

    def _sees_around(self, operation: str) -> bool:
        return operation != "call"

    def takes_tuple(self) -> bool:
        return False


def _value(text: str) -> str:
    """`array<i64: 1, 0>` without its type; `1 : i64`, too."""
    if text.startswith("array<"):
        return text.partition(":")[2]
    return text.partition(" : ")[0].strip('"')


class _Mover:
    """Says where an axis of an operand is in one result of an operation."""

    def __init__(
        self,
        operation: str,
        told: Mapping[str, str],
        shapes: list[Shape],
        shape: Shape,
        layouts: list[str],
    ) -> None:
        self._operation, self._told = operation, told
        self._shapes, self._shape, self._layouts = shapes, shape, layouts

    def move(self, operand: int, mark: Mark) -> Mark:
        """The mark of the result that comes of one of an operand, or `_UNKNOWN`."""
        if mark == _UNKNOWN:
            return _UNKNOWN
        before = self._shapes[operand]
        try:
            if self._operation in ("reshape", "bitcast"):
                return self._in_memory(before, mark)
            axis = self._axis(operand, mark.axis, before)
            is_kept = axis is not None and self._shape[axis] == before[mark.axis]
        except (IndexError, ValueError):  # the attributes do not fit the types
            return _UNKNOWN
        return mark._replace(axis=axis) if axis is not None and is_kept else _UNKNOWN

    def _in_memory(self, before: Shape, mark: Mark) -> Mark:
        """What keeps the order of the elements: a `bitcast` that in memory."""
        orders = [tuple(range(len(before))), tuple(range(len(self._shape)))]
        if self._operation == "bitcast":
            for at, layout in enumerate((self._layouts[0], self._told.get("layout", "{}"))):
                if not re.fullmatch(r"\{[\d,]*\}", layout):  # tiles
                    return _UNKNOWN
                orders[at] = tuple(_numbers(layout)[::-1])
        is_whole = [len(order) for order in orders] == [len(before), len(self._shape)]
        if not is_whole or math.prod(before) != math.prod(self._shape) or mark.size < 2:
            return _UNKNOWN
        place = orders[0].index(mark.axis)
        stride = mark.step * math.prod(before[axis] for axis in orders[0][place + 1 :])
        inner = 1
        for axis in reversed(orders[1]):
            outer = inner * self._shape[axis]
            if inner <= stride < outer:
                fits = stride % inner == 0 and outer % (stride * mark.size) == 0
                return Mark(axis, stride // inner, mark.size) if fits else _UNKNOWN
            inner = outer
        return _UNKNOWN

    def _axis(self, operand: int, axis: int, before: Shape) -> int | None:
        operation, dimensions = self._operation, _numbers(self._told.get("dimensions", ""))
        if operation in _ELEMENTWISE:
            return axis if before == self._shape else None
        if operation == "broadcast":
            return dimensions[axis] if axis < len(dimensions) else None
        if operation == "transpose":
            return dimensions.index(axis) if axis in dimensions else None
        if operation == "reduce":
            return None if axis in dimensions else axis - sum(each < axis for each in dimensions)
        if operation in ("reverse", "concatenate", "sort"):
            return None if axis in dimensions else axis
        if operation == "topk" or self._told.get("custom_call_target") == "TopK":
            return axis if axis < len(before) - 1 else None
        if operation in ("slice", "dynamic-slice", "pad", "reduce-window"):
            return axis if operand == 0 and self._is_untouched(axis) else None
        if operation == "dynamic-update-slice":
            return axis if operand < 2 and self._shapes[1][axis] == self._shape[axis] else None
        if operation == "dot":
            return self._after_dot(operand, axis)
        if operation == "convolution":
            return self._after_convolution(operand, axis)
        if operation == "gather":
            return self._after_gather(operand, axis, before)
        if operation == "scatter" and len(self._shapes) == 3:
            return self._after_scatter(operand, axis)
        if self._told.get("custom_call_target") in _ANNOTATIONS:
            return axis
        if operation == "custom-call":  # JAX says it of its own
            match = _NUM_BATCH_DIMS.search(self._told.get("frontend_attributes", ""))
            return axis if match is not None and axis < int(match[1]) else None
        return None

    def _is_untouched(self, axis: int) -> bool:
        """Whether padding and windows leave an axis as it is."""
        padding = self._told.get("padding_config", "").split("x")
        if axis < len(padding) and set(_numbers(padding[axis])) - {0}:
            return False
        window = re.search(r"size=([\dx]+)", self._told.get("window", ""))
        return window is None or _numbers(window[1])[axis] == 1

    def _after_dot(self, operand: int, axis: int) -> int | None:
        numbers = _dimension_numbers(self._told.get("dot_dimension_numbers", ""))
        side = ("lhs", "rhs")[operand]
        batch, contracted = numbers.get(f"{side}_batch", []), numbers.get(f"{side}_contracting", [])
        if axis in batch:
            return batch.index(axis)
        if axis in contracted:
            return None
        free = axis - sum(each < axis for each in (*batch, *contracted))
        left = len(self._shapes[0]) - len(numbers.get("lhs_contracting", []))
        return free + (len(batch) if operand == 0 else left)

    def _after_convolution(self, operand: int, axis: int) -> int | None:
        sides, _, result = self._told.get("convolution_dimension_numbers", "").partition("->")
        left, _, right = sides.partition("_")
        is_grouped = {"feature_group_count", "batch_group_count"} & self._told.keys()
        labels = (left, right)[operand]
        wanted = {("b", 0): "b", ("o", 1): "f"}.get((labels[axis : axis + 1], operand), "")
        return result.index(wanted) if wanted and wanted in result and not is_grouped else None

    def _after_gather(self, operand: int, axis: int, before: Shape) -> int | None:
        numbers = _dimension_numbers(self._told.get("gather_dimension_numbers", ""))
        offsets = numbers.get("offset_dims", [])
        batch = [each for each in range(len(self._shape)) if each not in offsets]
        (vector,) = numbers.get("index_vector_dim", [len(self._shapes[1])])
        ours, theirs = (numbers.get(f"{s}_batching_dims", []) for s in ("operand", "start_indices"))
        if operand == 0:
            sizes = _numbers(self._told.get("gather_slice_sizes", ""))
            gone = (*numbers.get("collapsed_slice_dims", []), *ours)
            if axis not in gone:
                is_whole = axis < len(sizes) and sizes[axis] == before[axis]
                place = axis - sum(each < axis for each in gone)
                return offsets[place] if is_whole and place < len(offsets) else None
            if axis not in ours:
                return None
            axis = theirs[ours.index(axis)]
        place = axis - (vector < axis)
        return None if axis == vector or place >= len(batch) else batch[place]

    def _after_scatter(self, operand: int, axis: int) -> int | None:
        numbers = _dimension_numbers(self._told.get("scatter_dimension_numbers", ""))
        ours = numbers.get("input_batching_dims", [])
        theirs = numbers.get("scatter_indices_batching_dims", [])
        if operand == 0:
            return None if axis in numbers.get("scatter_dims_to_operand_dims", []) else axis
        windows = numbers.get("update_window_dims", [])
        if operand == 2 and axis in windows:
            gone = {*numbers.get("inserted_window_dims", []), *ours}
            kept = [each for each in range(len(self._shape)) if each not in gone]
            return kept[windows.index(axis)] if len(kept) == len(windows) else None
        if operand == 2:  # the batch of updates has the order of that of the indices
            (vector,) = numbers.get("index_vector_dim", [len(self._shapes[1])])
            axis -= sum(each < axis for each in windows)
            axis += vector <= axis
        return ours[theirs.index(axis)] if axis in theirs else None


def _numbers(text: str) -> list[int]:
    return [int(number) for number in _NUMBERS.findall(text) if len(number) < 19]


def _dimension_numbers(text: str) -> dict[str, list[int]]:
    """`lhs_batch={0}, index_vector_dim=1` as lists by name."""
    return {
        match[1]: _numbers(match[2] or match[3] or "")
        for match in _DIMENSION_NUMBERS.finditer(text)
    }
