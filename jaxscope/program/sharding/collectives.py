"""Collectives of a program: which devices take part together, how many bytes go in, and how many
must be sent at least.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Graph, Unavailable
from jaxscope.model.capture import Placement
from jaxscope.model.graph import distinct
from jaxscope.model.operations import WHILES
from jaxscope.model.said import CLAUSES, say, say_joined
from jaxscope.model.types import packed_type_bytes, read_count
from jaxscope.program.sharding.notation import (
    MAX_DEVICES,
    expand_iota,
    parse_mesh_groups,
    read_numbers,
)

# Replica groups: which devices take part in a collective together.


Groups = tuple[tuple[int, ...], ...]

_IOTA = re.compile(
    r"\[(?P<groups>\d+),(?P<members>\d+)\]<=\[(?P<shape>[\d,]+)\](?:T\((?P<order>[\d,]+)\))?"
)
_DENSE = re.compile(r"dense<(?P<body>.*?)>\s*:\s*tensor<(?P<shape>[\dx]*)x?i\d+>", re.DOTALL)


def parse_groups(text: str, num_devices: int) -> Groups:
    """Read groups in any form that HLO and StableHLO have; none are one group of all.

    Args:
        text: `{{0,1},{2,3}}`, `[2,4]<=[8]`, `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>`, or a
            mesh and its axes.
        num_devices: Of the program.

    Raises:
        ValueError: It is none of these.
    """
    body = text.strip()
    if "…" in body:
        raise ValueError("the list is cut short")
    if body in ("", "{}", "{{}}"):
        return (tuple(range(num_devices)),)
    if body.startswith("mesh="):
        return parse_mesh_groups(body)
    iota = _IOTA.match(body)
    if iota is not None:
        listed = expand_iota(read_numbers(iota["shape"]), read_numbers(iota["order"] or ""))
        count, members = int(iota["groups"]), int(iota["members"])
        if count * members != len(listed) or members < 1:
            raise ValueError(f"{count} groups of {members} out of {len(listed)} devices")
        return tuple(listed[k : k + members] for k in range(0, len(listed), members))
    dense = _DENSE.match(body)
    if dense is not None:
        return _of_dense(dense["body"], dense["shape"])
    found = re.findall(r"\{([\d,\s]*)\}", body)
    if not found or not body.startswith("{"):
        raise ValueError(f"{body[:60]!r} are no groups of devices")
    return tuple(read_numbers(part) for part in found)


def parse_pairs(text: str) -> tuple[tuple[int, int], ...]:
    """Read the pairs of a collective-permute, source first: `{{0,1},{1,2}}`, or a dense table.

    Raises:
        ValueError: They are none.
    """
    pairs = parse_groups(text, 0) if text.strip() not in ("", "{}") else ()
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"{text[:60]!r} are no pairs")
    return tuple((first, second) for first, second in pairs)


def _of_dense(body: str, shape: str) -> Groups:
    """MLIR's table; one number stands for all of them, and -1 fills up short rows."""
    rows, columns = ([int(part) for part in shape.split("x") if part] + [0, 0])[:2]
    numbers = [int(number) for number in re.findall(r"-?\d+", body)]
    if len(numbers) == 1 and "[" not in body:
        numbers *= max(min(rows * columns, MAX_DEVICES), 1)
    if rows * columns != len(numbers) or not numbers:
        raise ValueError(f"{len(numbers)} numbers in a table of {shape}")
    table = (numbers[k : k + columns] for k in range(0, len(numbers), columns))
    return tuple(tuple(number for number in row if number >= 0) for row in table)


def groups_along(sizes: Sequence[int], axes: Sequence[int]) -> Groups:
    """Groups of the devices of a grid that differ only along some of its axes."""
    others = [axis for axis in range(len(sizes)) if axis not in axes]
    members = math.prod(sizes[axis] for axis in axes)
    table = np.arange(math.prod(sizes)).reshape(tuple(sizes)).transpose([*others, *axes])
    return tuple(tuple(row) for row in table.reshape(-1, members).tolist())


def name_axes(groups: Groups, axes: Sequence[tuple[str, int]]) -> tuple[str, ...] | None:
    """Along which axes of a mesh the groups run; None where they are no such groups."""
    sizes = [size for _, size in axes]
    count = math.prod(sizes)
    if not axes or not groups or sum(map(len, groups)) != count:
        return None
    members = [member for group in groups for member in group]
    if sorted(members) != list(range(count)):
        return None
    places = np.indices(sizes).reshape(len(sizes), -1)
    first = list(groups[0])
    along = [k for k in range(len(sizes)) if len(set(places[k][first].tolist())) > 1]
    wanted = {frozenset(group) for group in groups_along(sizes, along)} if along else None
    if wanted is None:
        return () if all(len(group) == 1 for group in groups) else None
    return tuple(axes[k][0] for k in along) if wanted == set(map(frozenset, groups)) else None


class CollectiveKind(NamedTuple):
    """What a kind of collective does, and what each device has after it, where that says more."""

    does: str
    outcome: str = ""

    @property
    def text(self) -> str:
        """Both."""
        return say_joined((self.does, self.outcome), CLAUSES)


KINDS = {
    "all-reduce": CollectiveKind(say("combines a value over devices"), say("each gets the result")),
    "all-gather": CollectiveKind(say("puts the parts of all together"), say("each gets the whole")),
    "reduce-scatter": CollectiveKind(
        say("combines a value over devices"), say("each gets a part of the result")
    ),
    "all-to-all": CollectiveKind(say("every device sends a part to every other")),
    "collective-permute": CollectiveKind(say("each device sends its value to at most one")),
    "collective-broadcast": CollectiveKind(say("one device sends its value to the others")),
    "ragged-all-to-all": CollectiveKind(
        say("every device sends parts of differing size to every other")
    ),
}
"""The collectives of HLO; StableHLO spells them with underscores."""

RING = say(
    "What the devices that send must at least send on average, and each does in a ring: for n "
    "devices and a value of B bytes, 2·(n−1)/n·B of an all-reduce, (n−1)/n·B of an all-gather, a "
    "reduce-scatter and an all-to-all, B of a permute. What the hardware really sends is not known "
    "here."
)
_START = re.compile(r"-(start|done|update)$")


@dataclass(frozen=True, slots=True)
class Collective:
    """One instruction by which devices exchange values.

    Attributes:
        node: Its index in the graph.
        id: Its id.
        kind: Key of `KINDS`.
        operand_bytes: Of what one device puts in; NaN where a type has no known size.
        result_bytes: Of what one device gets.
        groups: Positions of the devices that take part together, or why they are not known; of a
            permute, those that are connected.
        pairs: Sender and receiver, of a permute.
        axes: Mesh axes that the groups run along; None where they are no such groups.
        sent_bytes: See `RING`; NaN where it is not known.
        share: Of the program's devices, those that send.
        crosses_processes: Whether a group has devices of several processes; None if unknown.
        rounds: How often it runs, loops around it counted; 0 where nobody knows how often they do.
    """

    node: int
    id: str
    kind: str
    operand_bytes: float
    result_bytes: float
    groups: Groups | Unavailable
    pairs: tuple[tuple[int, int], ...] = ()
    axes: tuple[str, ...] | None = None
    sent_bytes: float = math.nan
    share: float = 1.0
    crosses_processes: bool | None = None
    rounds: int = 1

    @property
    def total_bytes(self) -> float:
        """What a device of the program must send in all rounds, on average; NaN if not known."""
        return self.sent_bytes * self.share * self.rounds if self.rounds else math.nan

    @property
    def group_size(self) -> int:
        """Devices in the largest group; 0 where that is not known."""
        return 0 if isinstance(self.groups, Unavailable) else max(map(len, self.groups), default=0)


def kind_of(operation: str) -> str:
    """The collective that an operation is, or starts; empty for anything else, its end included."""
    name = operation.rpartition(".")[2].replace("_", "-")
    if name.endswith(("-done", "-update")):
        return ""
    name = _START.sub("", name)
    return name if name in KINDS else ""


def find_collectives(
    graph: Graph, placement: Placement | Unavailable, among: Sequence[int] | None = None
) -> tuple[Collective, ...]:
    """The collectives of a graph of StableHLO or HLO, in program order.

    Args:
        graph: The graph.
        placement: The devices that its program runs on.
        among: Nodes to look at; None for all.
    """
    operations = graph.nodes.operation
    used = distinct(operations).tolist()
    kinds = {number: kind for number in used if (kind := kind_of(graph.strings[number]))}
    wanted = np.flatnonzero(np.isin(operations, list(kinds)))
    if among is not None:
        wanted = wanted[np.isin(wanted, among)]
    operands = _operands(graph, wanted)
    return tuple(
        _describe(graph, node, kinds[int(operations[node])], operands.get(node, []), placement)
        for node in wanted.tolist()
        if not _is_inside_async(graph, node)
    )


def _is_inside_async(graph: Graph, node: int) -> bool:
    """Whether a node only spells out what an `async-start` outside of it starts and is listed."""
    group = int(graph.nodes.group[node])
    owner = int(graph.groups.owner[group]) if group >= 0 else -1
    return owner >= 0 and bool(kind_of(graph.operation(owner)))


def _describe(
    graph: Graph, node: int, kind: str, operands: list[str], placement: Placement | Unavailable
) -> Collective:
    attributes = graph.attributes(node)
    num_devices = len(placement.devices) if isinstance(placement, Placement) else 0
    types = graph.types(node)
    if graph.operation(node).endswith("-start") and kind != "all-reduce":
        # The operands come back first; behind the results a permute of TPUs has its own state.
        types = types[len(operands) : 2 * len(operands)]
    operand, result = (float(sum(map(packed_type_bytes, each))) for each in (operands, types))
    pairs: tuple[tuple[int, int], ...] = ()
    groups: Groups | Unavailable
    axes: tuple[str, ...] | None = None
    try:
        if kind == "collective-permute":
            pairs = parse_pairs(attributes.get("source_target_pairs", ""))
            groups = _connect(pairs)
        else:
            groups = parse_groups(attributes.get("replica_groups", ""), num_devices)
            if not any(groups):
                groups = Unavailable(say("all devices, whose number is not known"))
    except ValueError as error:
        groups = Unavailable(say("Its groups cannot be read: {error}.", error=error))
    crosses = None
    if isinstance(placement, Placement) and not isinstance(groups, Unavailable):
        axes = name_axes(groups, placement.axes)
        crosses = _crosses(groups, placement)
    made = Collective(node, graph.id(node), kind, operand, result, groups, pairs)
    return dataclasses.replace(
        made,
        axes=axes,
        crosses_processes=crosses,
        sent_bytes=_sent_bytes(made),
        share=_share_of_senders(made, num_devices),
        rounds=_count_rounds(graph, node),
    )


def _operands(graph: Graph, nodes: npt.NDArray[np.int64]) -> dict[int, list[str]]:
    """Types of what goes into each of these nodes."""
    edges, found = graph.edges, dict[int, list[str]]()
    for edge in np.flatnonzero(np.isin(edges.target, nodes)).tolist():
        found.setdefault(int(edges.target[edge]), []).append(graph.string(edges.type, edge))
    return found


def _count_rounds(graph: Graph, node: int) -> int:
    """The trip counts of the loops around a node, multiplied; 0 where one is not known."""
    rounds, group = 1, int(graph.nodes.group[node])
    while group >= 0:
        owner = int(graph.groups.owner[group])
        if owner >= 0 and graph.operation(owner) in WHILES:
            rounds *= read_count(graph.attributes(owner).get("known_trip_count", "")) or 0
        group = int(graph.groups.parent[group])
    return rounds


def _sent_bytes(made: Collective) -> float:
    size = made.group_size
    if made.kind == "collective-permute":
        return made.operand_bytes
    if size < 1:
        return math.nan
    part = (size - 1) / size
    match made.kind:
        case "all-reduce":
            return 2 * part * made.operand_bytes
        case "all-gather":
            return part * made.result_bytes
        case "reduce-scatter" | "all-to-all":
            return part * made.operand_bytes
    return math.nan


def _share_of_senders(made: Collective, num_devices: int) -> float:
    if made.pairs:
        senders = len({sender for sender, _ in made.pairs})
    elif isinstance(made.groups, Unavailable):
        return 1.0
    else:
        senders = sum(len(group) for group in made.groups if len(group) > 1)
    return min(senders / num_devices, 1.0) if num_devices else 1.0


def _connect(pairs: tuple[tuple[int, int], ...]) -> Groups:
    """Devices that values travel between, directly or over others."""
    group_of: dict[int, set[int]] = {}
    for first, second in pairs:
        joined = group_of.get(first, {first}) | group_of.get(second, {second})
        for member in joined:
            group_of[member] = joined
    found: list[tuple[int, ...]] = []
    for members in group_of.values():
        group = tuple(sorted(members))
        if group not in found:
            found.append(group)
    return tuple(found)


def _crosses(groups: Groups, placement: Placement) -> bool | None:
    processes = [device.process for device in placement.devices]
    if any(member >= len(processes) for group in groups for member in group):
        return None
    return any(len({processes[member] for member in group}) > 1 for group in groups)


# How n devices in a ring carry a collective out, step by step.
#
# In every step each device sends one of n parts to the next device, or in step k of an all-to-all
# to the k-th next. An all-gather and a reduce-scatter take n - 1 steps; an all-reduce is a
# reduce-scatter and then an all-gather. So a device sends (n - 1)/n of a value of B bytes, twice
# that in an all-reduce: the least that is possible (P. Patarasuk and X. Yuan, "Bandwidth optimal
# all-reduce algorithms for clusters of workstations", 2009). What a backend does may be something
# else.

Part = frozenset[tuple[int, int]]
"""Whose contributions are in a part: pairs of a device and the number of the part it had of it."""
State = tuple[tuple[Part, ...], ...]
"""Of each device, each of its n places; nothing is in a place that is empty."""

NOTHING: Part = frozenset()


@dataclass(frozen=True, slots=True)
class RingStep:
    """Which parts each device holds after a step of a ring.

    Attributes:
        sent: Sender, receiver and place at the sender of each part that was sent in it.
        state: What every device has then.
    """

    sent: tuple[tuple[int, int, int], ...]
    state: State


def ring_steps(kind: str, devices: int) -> tuple[RingStep, ...]:
    """The steps of a collective among some devices, the first being what is there before.

    Args:
        kind: `all-gather`, `reduce-scatter`, `all-reduce` or `all-to-all`.

    Raises:
        ValueError: No ring is described for the kind.
    """
    match kind:
        case "all-gather":
            begin: State = tuple(
                tuple(frozenset({(d, d)}) if c == d else NOTHING for c in range(devices))
                for d in range(devices)
            )
            return _gather([RingStep((), begin)], devices)
        case "reduce-scatter":
            return tuple(_scatter(devices))
        case "all-reduce":
            return _gather(_scatter(devices), devices)
        case "all-to-all":
            return _exchange(devices)
    raise ValueError(f"no ring is described for {kind!r}")


def _whole(devices: int) -> State:
    """Every device has all parts of its own value."""
    return tuple(tuple(frozenset({(d, c)}) for c in range(devices)) for d in range(devices))


def _scatter(devices: int) -> list[RingStep]:
    """Parts go round and are added to; in the end device d has all of part d."""
    steps = [RingStep((), _whole(devices))]
    for number in range(devices - 1):
        sent = tuple((d, (d + 1) % devices, (d - number - 1) % devices) for d in range(devices))
        steps.append(_send(steps[-1].state, sent))
    return steps


def _gather(steps: list[RingStep], devices: int) -> tuple[RingStep, ...]:
    """Complete parts go round and are kept."""
    for number in range(devices - 1):
        sent = tuple((d, (d + 1) % devices, (d - number) % devices) for d in range(devices))
        steps.append(_send(steps[-1].state, sent, is_added=False))
    return tuple(steps)


def _send(
    state: State, sent: tuple[tuple[int, int, int], ...], *, is_added: bool = True
) -> RingStep:
    after = [list(parts) for parts in state]
    for sender, receiver, place in sent:
        here = state[receiver][place] if is_added else NOTHING
        after[receiver][place] = here | state[sender][place]
    return RingStep(sent, tuple(map(tuple, after)))


def _exchange(devices: int) -> tuple[RingStep, ...]:
    """In step k each device sends its part for the k-th next device to that device.

    Place s of a device has the part for device s before, and the part from device s after it.
    """
    begin = _whole(devices)
    steps = [RingStep((), begin)]
    after = [list(parts) for parts in begin]
    for number in range(1, devices):
        sent = []
        for d in range(devices):
            to = (d + number) % devices
            sent.append((d, to, to))
            after[to][d] = begin[d][to]
        steps.append(RingStep(tuple(sent), tuple(map(tuple, after))))
    return tuple(steps)
