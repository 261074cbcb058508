"""This checkout against another commit: `python -m bench.against [COMMIT] [--pairs 8] [NAME …]`.

Whole commands of the contract, which both have, run in turns: each pair is one run of each side, in
an order that changes from pair to pair. Of every command the ratio of wall times with the interval
of the sign test (six pairs at least earn 95 %); ends with status 1 where this checkout is slower by
the whole interval and by more than 5 %. COMMIT is the last tag where none is given. Both sides use
the interpreter that runs this, so its packages must do for both.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from jaxscope.model.statistics import find_ratio_interval, judge

_ROOT = Path(__file__).parents[1]
_CALL = "grad(loss)(init(key(0)), tokens(key(1)))"
_WAIT_S = 300.0
COMMANDS = {
    "version": "jaxscope --version",
    "calls": "jaxscope calls samples/quick_start.py",
    "capture": "jaxscope capture samples/quick_start.py -o {folder}/small.jaxscope",
    "capture large": (
        f"jaxscope capture samples/transformer.py '{_CALL}' -o {{folder}}/large.jaxscope"
    ),
    "page": "jaxscope capture samples/quick_start.py -o {folder}/small.html",
    "JSON of a saved one": "jaxscope open {folder}/large.jaxscope -o {folder}/large.json",
    "picture of a saved one": "jaxscope open {folder}/large.jaxscope -o {folder}/large.svg",
    "check": "jaxscope check samples/random_keys.py",
    "diff of saved ones": "jaxscope diff {folder}/large.jaxscope {folder}/small.jaxscope",
}
"""By name; the later ones read what the earlier ones wrote."""


def time_command(command: str, root: Path, folder: Path) -> float:
    """Seconds until a command has ended, in a checkout.

    Raises:
        RuntimeError: It failed; carries what it said. Status 5 is a difference that was found.
    """
    words = command.format(folder=folder).replace("jaxscope ", f"{sys.executable} -m jaxscope ", 1)
    environment = os.environ | {"PYTHONPATH": str(root), "JAX_PLATFORMS": "cpu"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a fresh checkout would be slower for ever
    begin = time.perf_counter()
    done = subprocess.run(
        words, shell=True, cwd=root, env=environment, capture_output=True, timeout=_WAIT_S
    )
    seconds = time.perf_counter() - begin
    if done.returncode not in (0, 5):
        raise RuntimeError(f"{command}: {done.stderr.decode(errors='replace')[-500:]}")
    return seconds


def compare(commit: str, names: list[str], num_pairs: int) -> bool:
    """Print a row for each command; whether none is slower."""
    is_fine = True
    with tempfile.TemporaryDirectory() as place:
        other = Path(place) / "other"
        _git("worktree", "add", "--detach", "-q", str(other), commit)
        try:
            sides = [(_ROOT, Path(place) / "ours"), (other, Path(place) / "theirs")]
            for _, folder in sides:
                folder.mkdir()
            for name, command in COMMANDS.items():
                for side in sides:
                    time_command(command, *side)  # what is compiled or cached at first
                pairs = []
                for number in range(num_pairs if name in (names or COMMANDS) else 0):
                    order = sides if number % 2 else sides[::-1]
                    taken = {root: time_command(command, root, folder) for root, folder in order}
                    pairs.append((taken[_ROOT], taken[other]))
                if pairs:
                    is_fine &= _tell(name, pairs)
        finally:
            _git("worktree", "remove", "--force", str(other))
    return is_fine


def _tell(name: str, pairs: list[tuple[float, float]]) -> bool:
    ratio = find_ratio_interval([math.log(theirs / ours) for ours, theirs in pairs])
    ours, theirs = (sorted(side)[len(pairs) // 2] for side in zip(*pairs, strict=True))
    verdict = judge(ratio)
    print(
        f"{name:24} {ours:6.2f} s, before {theirs:6.2f} s: {1 / ratio.median:.3f} of the time "
        f"({1 / ratio.high:.3f} to {1 / ratio.low:.3f}, {ratio.confidence:.0%}): {verdict}",
        flush=True,
    )
    return verdict != "slower"


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=_ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.against")
    parser.add_argument("commit", nargs="?", help="the last tag where none is given")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which commands; else all")
    parser.add_argument("--pairs", type=int, default=8)
    options = parser.parse_args()
    commit = options.commit or _git("describe", "--tags", "--abbrev=0")
    return not compare(commit, options.names, options.pairs)


if __name__ == "__main__":
    sys.exit(main())
