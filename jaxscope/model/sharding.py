"""Where a program's arrays lie when it runs on several devices, and the processes that run it
together.

Two numberings: a device has an `id`, which JAX prints, and a *position* in the order in which the
program counts its devices. HLO texts and replica groups use positions.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping


class ShardingKind(enum.Enum):
    """How an array is spread over the devices."""

    REPLICATED = "replicated"
    """Every device holds all of it."""
    TILED = "tiled"
    """Cut into tiles; a tile may lie on several devices."""
    ONE_DEVICE = "one device"
    """One device holds all of it, the others nothing."""
    MANUAL = "manual"
    """Each device holds an array of its own, as inside `shard_map`."""
    UNKNOWN = "unknown"
    """The compiler leaves it open."""


@dataclasses.dataclass(frozen=True, slots=True)
class Sharding:
    """How one array is spread over the devices of a program.

    Attributes:
        kind: What the other fields mean.
        tiles: Number of parts along each dimension of the array; empty unless tiled.
        holders: For each tile, in row-major order, the positions of the devices that hold it; for
            one device, that one alone; empty where all hold the same.
        has_own: Whether the devices of one tile hold values of their own there (axes that are
            manual or not yet summed), instead of the same.
    """

    kind: ShardingKind
    tiles: tuple[int, ...] = ()
    holders: tuple[tuple[int, ...], ...] = ()
    has_own: bool = False

    def shard_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape that one device holds; the last part of an uneven cut is padded to it."""
        if self.kind is not ShardingKind.TILED or len(self.tiles) != len(shape):
            return shape
        return tuple(-(-size // parts) for size, parts in zip(shape, self.tiles, strict=True))


@dataclasses.dataclass(frozen=True, slots=True)
class Device:
    """A device that a program was compiled for.

    Attributes:
        id: As JAX numbers it.
        kind: Such as `cpu` or `TPU v5e`.
        process: Number of the process that it belongs to; another process is another host.
        coordinates: Of its chip in the interconnect, or empty.
    """

    id: int
    kind: str = ""
    process: int = 0
    coordinates: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Propagated:
    """How the compiler decided to spread a value, before it cut the program for one device.

    Attributes:
        type: Of the whole value, such as `f32[16,64]`.
        sharding: As HLO writes it.
    """

    type: str
    sharding: str


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Placement:
    """Devices of a program, and how its arrays are spread over them.

    Shardings are texts as HLO writes them; `jaxscope.program.sharding` reads them.

    Attributes:
        devices: In the order in which shardings count them.
        axes: Name and size of each axis of the mesh, outermost first; their product is the number
            of devices. Empty where no mesh is known.
        arguments: Of each argument that is not static; empty where it is unknown, or the program
            does not use it.
        results: Of each result.
        values: Of the equations' values, by id of equations of the last jaxpr-level stage.
    """

    devices: tuple[Device, ...]
    axes: tuple[tuple[str, int], ...] = ()
    arguments: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    values: Mapping[str, tuple[Propagated, ...]] = dataclasses.field(default_factory=dict)

    @property
    def num_processes(self) -> int:
        """Processes that take part."""
        return len({device.process for device in self.devices})


# A program that several processes run together, as one of them sees it.


@dataclasses.dataclass(frozen=True, slots=True)
class Member:
    """One process of a job.

    Attributes:
        host: The machine it runs on; empty where it did not say.
        lowered: SHA-256 of its StableHLO without places of the source; empty where unknown.
        compiled: The same of its optimized HLO.
        reason: Why they are unknown, or empty.
    """

    host: str = ""
    lowered: str = ""
    compiled: str = ""
    reason: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """Processes that run one program together on JAX's distributed runtime.

    Attributes:
        process: Number of the process that this capture is of.
        members: All of them, by number.

    Raises:
        ValueError: There is no process of that number.
    """

    process: int
    members: tuple[Member, ...]

    def __post_init__(self) -> None:
        if not 0 <= self.process < len(self.members):
            raise ValueError(f"process {self.process} of {len(self.members)}")

    @property
    def hosts(self) -> tuple[str, ...]:
        """The machines, each once, in the order of their first process."""
        return tuple(dict.fromkeys(member.host for member in self.members if member.host))

    @property
    def is_same_program(self) -> bool | None:
        """Whether all compiled the same program; None where some did not say."""
        known = [(member.lowered, member.compiled) for member in self.members]
        if len({pair for pair in known if all(pair)}) > 1:
            return False
        return None if any(not all(pair) for pair in known) else True
