"""Ask a store of many ranks, and look whether each planted difference is found.

`python -m bench.ranks [RANKS] [MODULES]`: the list of a real run is multiplied to so many modules
of so many ranks; in some ranks, drawn by chance, something is planted. Prints what building the
store takes, how large it gets, what one more rank takes, and the seconds of each question.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jaxscope.model.ranks import LIST_NAME
from jaxscope.report.document import write_text
from jaxscope.report.ranks import QUESTIONS, ranks_to_document
from jaxscope.schema.rank_store import RankStore

SCRIPT = """
import jax, jax.numpy as jnp

@jax.jit
def train_step(params, x):
    grads = jax.grad(lambda p: jnp.tanh(x @ p["w"]).sum())(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

@jax.jit
def evaluate(params):
    return {SCALE} * params["w"].sum()

params = {"w": jnp.ones((8, 4))}
for size in (16, 16, 17):
    params = train_step(params, jnp.ones((size, 8)))
evaluate(params)
"""


def main(num_ranks: int = 512, num_modules: int = 1_000) -> int:
    """Build, ask, and check; returns 1 where something planted is not found."""
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        one, other = (_record(folder / scale, scale) for scale in ("1.0", "2.0"))
        first = json.loads((one / LIST_NAME).read_text("utf-8"))
        second = json.loads((other / LIST_NAME).read_text("utf-8"))
        ranks = folder / "ranks"
        odd, slow, more, full, cut, gone = draw.sample(range(num_ranks - 1), 6)
        for rank in range(num_ranks):
            made = _multiply(second if rank == odd else first, num_modules, rank, draw)
            own = ranks / f"rank-{rank}"
            if rank == gone:
                continue
            own.mkdir(parents=True)
            made["rank"] = {"number": rank, "num_ranks": num_ranks, "host": f"node{rank // 8}"}
            functions = made["compilations"]
            if rank == slow:
                functions[3]["variants"][0]["seconds"]["compile"] = 60.0
            if rank == more:
                functions[0]["variants"].append(_another_shape(functions[0]["variants"][0]))
            if rank == full:
                made["memory"]["bytes"].append(1 << 40)
            text = json.dumps(made, indent=2)
            (own / LIST_NAME).write_text(text[: len(text) // 2] if rank == cut else text, "utf-8")
            for file in (other if rank == odd else one).glob("*.jaxscope"):
                os.link(file, own / file.name)
        sizes = sum(file.stat().st_size for file in ranks.glob(f"rank-*/{LIST_NAME}"))
        print(f"{num_ranks} ranks of {num_modules} modules, lists of {sizes / 1e6:.0f} MB")
        store = _timed("building the store", lambda: RankStore(ranks))
        with store:
            assert store.place is not None
            print(f"  {store.place.stat().st_size / 1e6:.1f} MB, {store.num_read} lists read")
        last = ranks / f"rank-{num_ranks - 1}" / LIST_NAME
        last.write_text(last.read_text("utf-8") + "\n", "utf-8")
        with _timed("one list has changed", lambda: RankStore(ranks)) as again:
            assert again.num_read == 1
        with _timed("opening it again", lambda: RankStore(ranks)) as store:
            told = {
                name: _timed(name or "a little of each", lambda name=name: _tell(store, name))
                for name in ("", *QUESTIONS)
            }
        wanted = {
            f"rank {odd} compiled another program": ("differ", f"2 programs: rank {odd};"),
            "where it differs": ("differ", "1.0:f32[] → 2.0:f32[]"),
            f"rank {more} has one module more": ("differ", f"only rank {more}"),
            f"rank {slow} took long": ("slow", f"1.0 min in rank {slow}"),
            f"rank {more} compiled again": ("again", f"again 2 times in rank {more},"),
            f"rank {full} had most memory": ("memory", f"in rank {full},"),
            f"the list of rank {cut} is cut": ("ranks", f"rank {cut} cannot be read"),
            f"rank {gone} left nothing": ("ranks", f"Nothing was recorded of rank {gone}."),
        }
        found = {what: text in told[question] for what, (question, text) in wanted.items()}
        for what, is_found in found.items():
            print(f"  {what}: {'found' if is_found else 'NOT FOUND'}")
        return 0 if all(found.values()) else 1


def _timed(what: str, make: Callable[[], Any]) -> Any:
    began = time.perf_counter()
    found = make()
    print(f"{what}: {time.perf_counter() - began:.2f} s")
    return found


def _tell(store: RankStore, question: str) -> str:
    return write_text(ranks_to_document(store, question))


def _record(folder: Path, scale: str) -> Path:
    folder.mkdir()
    (folder / "train.py").write_text(SCRIPT.replace("{SCALE}", scale), "utf-8")
    command = [sys.executable, "-m", "jaxscope", "run", "--out", str(folder / "seen"), "train.py"]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    return folder / "seen"


def _multiply(
    listed: dict[str, Any], num_modules: int, rank: int, draw: random.Random
) -> dict[str, Any]:
    """A list of so many programs: the real ones again and again, under other names and lines.

    The first functions are the real ones, so what one of the two runs has otherwise is there once.
    """
    made = copy.deepcopy({**listed, "compilations": []})
    number = 0
    while number < num_modules:
        for function in copy.deepcopy(listed["compilations"]):
            turn = number // 3
            function["line"] += 100 * turn
            function["function"] += f"_{turn}" if turn else ""
            for variant in function["variants"]:
                if turn:  # the same in all ranks
                    name = f"{function['function']} {variant['arguments']}"
                    variant["fingerprint"] = hashlib.sha256(name.encode()).hexdigest()
                    variant["capture"] = None
                for stage in variant["seconds"]:
                    variant["seconds"][stage] = draw.uniform(0.01, 0.1)
                number += 1
            made["compilations"].append(function)
    found = made["recompilation"]
    repeated = found["signatures"] * (num_modules // len(found["signatures"]) + 1)
    found["signatures"] = repeated[:num_modules]
    return made


def _another_shape(variant: dict[str, Any]) -> dict[str, Any]:
    reason = "x: f32[16,8] → f32[19,8] (another shape)"
    return {**variant, "arguments": ["x: f32[19,8]"], "reason": reason, "fingerprint": "0" * 64}


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
