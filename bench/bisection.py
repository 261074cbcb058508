"""Plant a cause in one of many commits, and look whether `bisect` names that commit.

`python -m bench.bisection [COUNT [AT_ONCE]]`: repositories of 3 to 12 commits; in one commit, drawn
by chance, the program begins to need more memory, more kernels, computes other numbers, or fails.
All other commits change it without changing any of that.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

from jaxscope.client.bisect import bisect_call
from jaxscope.client.requests import CallRequest

PLANTS = {
    "memory": "x = x + 0 * jnp.sort(jnp.tile(x, 50))[0]",
    "kernels": "x = jnp.sort(x)[::-1] + x",
    "numbers": "x = x * 1.5",
    "failure": "x = x.nothing",
}


def main(count: int = 20, at_once: int = 1) -> int:
    """Search so many repositories; returns 1 where a commit was not found."""
    draw = random.Random(1)
    measures = [list(PLANTS)[number % len(PLANTS)] for number in range(count)]
    found = sum(_is_found(measure, draw, at_once) for measure in measures)
    print(f"planted causes found: {found} of {count}")
    return 0 if found == count else 1


def _is_found(measure: str, draw: random.Random, at_once: int) -> bool:
    commits = draw.randrange(3, 13)
    planted = draw.randrange(1, commits)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.py")
        git = ["git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run([*git, "init", "-q"], check=True)
        for number in range(commits):
            plant = f"    {PLANTS[measure]}\n" if number >= planted else ""
            file.write_text(
                f"import jax.numpy as jnp\n\n# {number}\n\ndef f(x):\n{plant}    return x + 1\n",
                encoding="utf-8",
            )
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "commit", "-q", "-m", f"commit number {number}."], check=True)
        request = CallRequest(str(file), "f(f32[64])")
        good = f"HEAD~{commits - 1}"
        found = bisect_call(request, "commits", measure, good=good, at_once=at_once)
    is_found = found.bad is not None and f"number {planted}." in found.bad.name
    named = found.bad.name if found.bad is not None else found.reason
    print(
        f"{measure}: commit {planted} of {commits}: {named}, {len(found.trials)} tried", flush=True
    )
    return is_found


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
