"""How n devices in a ring carry a collective out, step by step.

In every step each device sends one of n parts to the next device, or in step k of an all-to-all to
the k-th next. An all-gather and a reduce-scatter take n - 1 steps; an all-reduce is a
reduce-scatter and then an all-gather. So a device sends (n - 1)/n of a value of B bytes, twice that
in an all-reduce: the least that is possible (P. Patarasuk and X. Yuan, "Bandwidth optimal
all-reduce algorithms for clusters of workstations", 2009). What a backend does may be something
else.
"""

from __future__ import annotations

import dataclasses

Part = frozenset[tuple[int, int]]
"""Whose contributions are in a part: pairs of a device and the number of the part it had of it."""
State = tuple[tuple[Part, ...], ...]
"""Of each device, each of its n places; nothing is in a place that is empty."""

NOTHING: Part = frozenset()


@dataclasses.dataclass(frozen=True, slots=True)
class RingStep:
    """What is where after a step.

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
