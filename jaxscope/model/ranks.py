"""Processes that a launcher started side by side: which one this is, and the folder that it has.

A rank is the number of such a process, counted from 0. Each writes into a folder of its own, so
that nothing is shared and nothing is lost where one of them dies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

LIST_NAME = "compilations.json"
"""What a watched program writes into its folder."""

_FOLDER = re.compile(r"rank-(0|[1-9]\d{0,6})")
_LAUNCHERS = (
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),  # srun; SLURM_NTASKS is set in a batch script, too
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),  # MPICH, Intel MPI, Cray's PALS
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
)


class Rank(NamedTuple):
    """One process of several: its number, and how many there are."""

    number: int
    num_ranks: int


def find_launched_rank(environment: Mapping[str, str]) -> Rank | None:
    """What a launcher says in the environment; None where none says it, or of one process alone."""
    for name, of in _LAUNCHERS:
        number, count = environment.get(name, ""), environment.get(of, "")
        if number.isdecimal() and count.isdecimal() and int(number) < int(count) > 1:
            return Rank(int(number), int(count))
    return None


def rank_folder(folder: Path, rank: Rank | None) -> Path:
    """Where a rank writes what is written to `folder` where there is only one process."""
    return folder if rank is None else folder / f"rank-{rank.number}"


def number_of_folder(name: str) -> int | None:
    """The rank whose folder has this name; None of another folder."""
    found = _FOLDER.fullmatch(name)
    return int(found[1]) if found else None


def name_ranks(numbers: Iterable[int], most: int = 6) -> str:
    """Ranks in words, such as `rank 3` or `ranks 0–36, 38 and 40–511`.

    Args:
        most: Stretches that are named at most; of the rest it is said how many ranks they are.
    """
    ordered = sorted(set(numbers))
    stretches: list[range] = []
    for number in ordered:
        if stretches and number == stretches[-1].stop:
            stretches[-1] = range(stretches[-1].start, number + 1)
        else:
            stretches.append(range(number, number + 1))
    pairs = ([each] if len(each) != 2 else [each[:1], each[1:]] for each in stretches)
    stretches = [each for pair in pairs for each in pair]
    told = [
        str(each[0]) if len(each) == 1 else f"{each[0]}–{each[-1]}" for each in stretches[:most]
    ]
    if rest := sum(map(len, stretches[most:])):
        told.append(f"{rest:,} more")
    text = " and ".join(filter(None, [", ".join(told[:-1]), *told[-1:]]))
    return f"rank {text}" if len(ordered) == 1 else f"ranks {text}"
