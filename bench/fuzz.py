"""Give changed inputs to everything that reads what somebody else wrote.

python -m bench.fuzz SECONDS [READER …]     seconds for each reader of tests/faults/readers.py

With atheris (`pip install atheris`) the inputs are guided by the lines that they reach; without it
they are changed at random. An error that the reader's description does not name is a find, and so
is an input that takes more than 10 s or 2 GB. Inputs of finds are kept in a folder that is named.
"""

from __future__ import annotations

import importlib.util
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_LIMIT_S = 10
_LIMIT_MB = 2048


def guide(name: str, words: list[str]) -> None:
    """Fuzz one reader by atheris, in this process, which ends with it."""
    import atheris

    with atheris.instrument_imports(include=["jaxscope"]):
        from tests.faults.readers import READERS, Reader

    reader: Reader = next(each for each in READERS if each.name == name)

    def read(data: bytes) -> None:
        try:
            reader.read(data)
        except reader.may_raise:
            return

    atheris.Setup([name, *words], read)
    atheris.Fuzz()


def change_at_random(name: str, seconds: float, finds: Path) -> tuple[int, bool]:
    """Fuzz one reader without guidance; how many inputs, and whether none was a find."""
    from tests.faults.readers import READERS, change

    reader = next(each for each in READERS if each.name == name)
    seeds, chance = reader.seeds(), random.Random(0)
    limit = _LIMIT_MB << 20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    end, number, is_good = time.monotonic() + seconds, 0, True
    while time.monotonic() < end:
        number += 1
        data = change(chance.choice(seeds), chance, seeds)
        start = time.monotonic()
        try:
            reader.read(data)
        except reader.may_raise:
            pass
        except BaseException as error:
            is_good = False
            (finds / f"{type(error).__name__}-{number}").write_bytes(data)
        if time.monotonic() - start > _LIMIT_S:
            is_good = False
            (finds / f"slow-{number}").write_bytes(data)
    return number, is_good


def fuzz(name: str, seconds: float) -> tuple[int, bool]:
    """Fuzz one reader; how many inputs there were, and whether none was a find."""
    from tests.faults.readers import READERS

    finds = Path(tempfile.mkdtemp(prefix="jaxscope-finds-"))
    if importlib.util.find_spec("atheris") is None:
        number, is_good = change_at_random(name, seconds, finds)
    else:
        corpus = Path(tempfile.mkdtemp())
        for place, seed in enumerate(next(r for r in READERS if r.name == name).seeds()):
            (corpus / str(place)).write_bytes(seed)
        limits = [f"-max_total_time={int(seconds)}", f"-timeout={_LIMIT_S}", "-max_len=131072"]
        limits += [f"-rss_limit_mb={_LIMIT_MB}", f"-artifact_prefix={finds}/", str(corpus)]
        done = subprocess.run(
            [sys.executable, "-m", "bench.fuzz", "--guided", name, *limits],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            errors="replace",
            check=False,
        )
        number = max((int(n) for n in re.findall(r"^#(\d+)", done.stderr, re.MULTILINE)), default=0)
        is_good = done.returncode == 0
        if not is_good:
            print(done.stderr[-3000:])
    print(f"{number:9,} {name}{'' if is_good else f': a find, see {finds}'}", flush=True)
    return number, is_good


def main() -> None:
    """Fuzz all readers, or those that are named."""
    from tests.faults.readers import READERS

    seconds, names = float(sys.argv[1]), sys.argv[2:] or [reader.name for reader in READERS]
    found = [fuzz(name, seconds) for name in names]
    num_bad = sum(not is_good for _, is_good in found)
    print(
        f"{sum(number for number, _ in found):,} inputs, {len(found)} readers, {num_bad} with finds"
    )


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if sys.argv[1] == "--guided":
        guide(sys.argv[2], sys.argv[3:])
    else:
        main()
