"""The suite with other releases of JAX: the lowest that is allowed, the newest, and what is named.

    python -m bench.versions [RELEASE[@PYTHON] …] [-- WORDS FOR PYTEST]

A release is a number, `lowest`, or `newest` (pre-releases too); without any, `lowest` and `newest`.
Each gets an environment of its own in a temporary folder: first JAX, then what the project asks for
beside it. PYTHON is an interpreter; newer releases of JAX need a newer one. Words for pytest choose
tests, `tests/worker tests/fates` for example; without any the whole suite runs, without the slow
ones. Prints the last line of each suite and what failed; ends with 1 where something did.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_LIMIT_S = 3 * 3600.0


def _requirements() -> tuple[str, list[str]]:
    """The lowest release of JAX, and what else the project and its tests ask for."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    (lowest,) = (found[1] for each in wanted if (found := re.fullmatch(r"jax>=([\d.]+)", each)))
    return lowest, [each for each in wanted if not re.match(r"jax(lib)?\b", each)]


def run_suite(release: str, python: str, words: list[str]) -> tuple[int, str, list[str]]:
    """Exit status of the suite, JAX's version and the last line, and what failed.

    Args:
        release: Of JAX: a number, `lowest` or `newest`.
        python: The interpreter to make the environment with.
        words: For pytest.

    Raises:
        subprocess.CalledProcessError: The environment could not be made.
    """
    lowest, others = _requirements()
    number = f"{lowest}.0" if release == "lowest" else release
    wanted = ["--pre", "jax"] if release == "newest" else [f"jax=={number}", f"jaxlib=={number}"]
    with tempfile.TemporaryDirectory(prefix="jax-") as folder:
        subprocess.run([python, "-m", "venv", folder], check=True)
        inside = str(Path(folder, "bin", "python"))
        install = [inside, "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, *wanted], check=True)
        subprocess.run([*install, *others], check=True)
        (packages,) = Path(folder, "lib").glob("python*/site-packages")
        packages.joinpath("checkout.pth").write_text(str(_ROOT), "utf-8")
        ask = "import importlib.metadata as m; print(m.version('jax'), m.version('jaxlib'))"
        told = subprocess.run(
            [inside, "-c", ask], check=True, capture_output=True, text=True
        ).stdout
        version = f"jax {' / jaxlib '.join(told.split())}"
        with tempfile.NamedTemporaryFile("w+", prefix="suite-", delete=False) as log:
            print(f"{version}: as it goes on, in {log.name}", flush=True)
            suite = subprocess.run(
                [inside, "-m", "pytest", "-q", "-n2", "-rfE", "-p", "no:cacheprovider", *words],
                cwd=_ROOT, stdout=log, stderr=subprocess.STDOUT, timeout=_LIMIT_S, check=False,
            )  # fmt: skip
            log.seek(0)
            lines = log.read().strip().splitlines() or [""]
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return suite.returncode, f"{version}: {lines[-1]}", failed


def main(arguments: list[str]) -> int:
    """Print what became of each suite."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    releases, words = arguments[:at] or ["lowest", "newest"], arguments[at + 1 :]
    statuses = []
    for each in releases:
        release, _, python = each.partition("@")
        status, said, failed = run_suite(release, python or sys.executable, words)
        statuses.append(status)
        print("\n".join([said, *failed]), flush=True)
    return int(any(statuses))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
