"""Fates against XLA's own dumps: every call of the samples, of library programs, of `programs.py`.

    python -m bench.fates                 all of it, half an hour
    python -m bench.fates --part 1/2      every second file of it
    python -m bench.fates FILE [CALL]     one file
    python -m bench.fates --target aot:gpu:h100 …    compiled for that chip instead

Each call is captured with its passes recorded, compiled once more with XLA's dumps as text, and
every fate is held against these by `tests/fates/dumps.py`, which shares no code with what finds
fates. Both ways of finding them are checked: with the recorded passes, and from the first and the
last module alone. Prints one line for each call and what is refuted.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_TOO_LONG = {
    # Unrolled: compiled three times each, and the scanned forms compute the same.
    "loss(init(key(0)), tokens(key(1)))",
    "grad(loss)(init(key(0)), tokens(key(1)))",
}
_LIMIT_S = 7200  # of one file, on a busy machine


def measure(part: int = 1, num_parts: int = 1, target: str = "cpu") -> dict[str, dict[str, int]]:
    """Counts over everything, by way of finding: `refuted`, `proven`, `inferred`, `unknown`.

    Also, for each reason, how often something about a fate could not be checked; and of those that
    are found without passes, how many the recorded passes contradict.

    Args:
        part: Which part of the files, from 1.
        num_parts: Into how many they are split.
        target: What is compiled for.
    """
    total: dict[str, dict[str, int]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for file in list(_files(Path(folder)))[part - 1 :: num_parts]:
            found = subprocess.run(
                [sys.executable, "-m", "bench.fates", str(file), "--target", target, "--json"],
                cwd=_ROOT,
                capture_output=True,
                text=True,
                timeout=_LIMIT_S,
            )
            print(file.name, found.stderr, sep="\n", end="", file=sys.stderr, flush=True)
            for way, counts in json.loads(found.stdout.splitlines()[-1]).items():
                row = total.setdefault(way, dict.fromkeys(counts, 0))
                for kind, count in counts.items():
                    row[kind] = row.get(kind, 0) + count
    return total


def _files(folder: Path) -> Iterator[Path]:
    sys.path.insert(0, str(_ROOT / "tests" / "provenance"))
    from library_programs import PREAMBLE, PROGRAMS

    yield from sorted((_ROOT / "samples").glob("*.py"))
    yield _ROOT / "bench" / "programs.py"
    yield _ROOT / "tests" / "fates" / "told_wrong.py"
    yield _ROOT / "tests" / "fates" / "further.py"
    for name, (_, source, call) in PROGRAMS.items():
        path = folder / f"program_{name}.py"
        path.write_text(f"{PREAMBLE}{source}\n# jaxscope: {call}\n", "utf-8")
        yield path


def check_file(
    file: Path, wanted: str | None = None, target: str = "cpu"
) -> dict[str, dict[str, int]]:
    """Check the calls that a file offers, or one call."""
    import jax

    from jaxscope.worker.targets.environment import prepare_target

    prepare_target({"target": target})

    from jaxscope.model.outline import find_offered_calls
    from jaxscope.worker.host.call import call_namespace, parse_call
    from jaxscope.worker.host.user_module import execute_file
    from tests.fates.compiled_calls import (
        capture_call,
        find_contradictions,
        hold_against_dumps,
    )
    from tests.fates.test_against_dumps import LIBRARY, OWN

    text = file.read_text("utf-8")
    total = {
        way: dict.fromkeys(("refuted", "proven", "inferred", "unknown"), 0)
        for way in ("recorded", "alone")
    }
    try:
        namespace = call_namespace(vars(execute_file(str(file), text)))
    except Exception as error:  # a library that is not installed, mostly
        print(f"{file.name}: skipped, {type(error).__name__}: {error}", file=sys.stderr)
        return total
    calls = [wanted] if wanted else [offer.call for offer in find_offered_calls(text)]
    if file.name == "told_wrong.py" and not wanted:
        calls = [*OWN, *LIBRARY]
    for each in calls:
        if each in _TOO_LONG:
            continue
        jax.clear_caches()  # type: ignore[no-untyped-call] # lines are as in a process of its own
        try:
            call = parse_call(each, namespace, file=str(file))
            capture = capture_call(call, str(file), target)
            found = hold_against_dumps(capture, call, target)
            contradicted = list(find_contradictions(capture))
        except Exception as error:  # calls whose lesson is the error that they raise
            reason = str(error).splitlines()[0][:90] if str(error) else ""
            print(f"{each[:60]}: not captured: {type(error).__name__}: {reason}", file=sys.stderr)
            continue
        for way, verdicts in found.items():
            row = total[way]
            row["refuted"] += len(verdicts.refuted)
            row["proven"] += verdicts.proven
            row["inferred"] += verdicts.inferred
            row["unknown"] += verdicts.unknown
            for problem in verdicts.refuted:
                print(f"  {way}: {problem}", file=sys.stderr)
            for why, count in verdicts.passed_over.items():
                row[f"not checked: {why}"] = row.get(f"not checked: {why}", 0) + count
        alone = total["alone"]
        alone["contradicted"] = alone.get("contradicted", 0) + len(contradicted)
        for problem in contradicted:
            print(f"  contradicted: {problem}", file=sys.stderr)
        counts = found["recorded"]
        print(
            f"{each[:60]}: {counts.proven} proven, {counts.inferred} inferred, "
            f"{counts.unknown} unknown",
            file=sys.stderr,
        )
    return total


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--json"]
    target = "cpu"
    if "--target" in words:
        place = words.index("--target")
        target = words[place + 1]
        del words[place : place + 2]
    if words[:1] == ["--part"]:
        part, num_parts = map(int, words[1].split("/"))
        result = measure(part, num_parts, target)
    elif words:
        result = check_file(Path(words[0]), words[1] if words[1:] else None, target)
    else:
        result = measure(target=target)
    print(json.dumps(result))
