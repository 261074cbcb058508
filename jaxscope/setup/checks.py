"""`./run dev`: lint, types and the nearest tests of what changed since the branch left `main`.

The nearest tests of a module are the test files that import it, or, if none does, those that import
a module that imports it, and so on. Which modules import which is read from the sources, deferred
imports included. A data file counts as the modules that name it. Changed test files come first;
then the changed modules take turns, each with the test file that imports the fewest other modules
of ours. `.ci/run` runs the whole suite.

Standard library only, like all of `setup`.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

MOST_TEST_FILES = 12
"""With more, a check takes longer than a person waits for before going on."""

TESTS = "tests"

_IMPORT = re.compile(
    r"^[ \t]*(?:import[ \t]+([\w.]+)|from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*))", re.M
)
_BASES = ("origin/main", "main")


def main(checkout: Path, words: list[str]) -> int:
    """Run the checks one after another, and the tests only if all before them passed.

    Args:
        checkout: Folder of the repository.
        words: Files to check in place of the changed ones; `--fix` mends first what ruff can mend,
            and makes the pages that follow from the code.

    Returns:
        0 if every check passed, 1 otherwise.
    """
    fixes = "--fix" in words
    changed = [word for word in words if word != "--fix"] or find_changed(checkout)
    if not changed:
        print("jaxscope: nothing changed since this branch left main; name files to check them.")
        return 0
    print(f"changed: {', '.join(changed)}", flush=True)
    for command in find_fixes(changed) if fixes else ():
        subprocess.run(command, check=False)
    failed: list[str] = []
    for name, command in find_checks(checkout, changed):
        if name == TESTS and failed:  # minutes, of code that is going to change
            print(f"tests: not run, for {', '.join(failed)} failed", flush=True)
        elif not _passes(name, command):
            failed.append(name)
    print(f"FAILED: {', '.join(failed)}" if failed else "all checks passed", flush=True)
    return 1 if failed else 0


def find_changed(checkout: Path) -> list[str]:
    """Files that differ from where this branch left `main`, new ones included, that still exist.

    Without a branch `main` it is what is not committed.
    """
    base = "HEAD"
    for name in _BASES:
        answer = _git(checkout, "merge-base", "HEAD", name)
        if answer:
            base = answer[0]
            break
    names = {
        *_git(checkout, "diff", "--name-only", "--diff-filter=d", base),
        *_git(checkout, "ls-files", "--others", "--exclude-standard"),
    }
    return sorted(names)


def find_checks(checkout: Path, changed: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Name and command of each check that the changed files need."""
    changed = list(changed)
    code = [name for name in changed if name.endswith(".py")]
    if code:
        yield "lint", [sys.executable, "-m", "ruff", "check", *code]
        yield "format", [sys.executable, "-m", "ruff", "format", "--check", *code]
    if any(name.startswith("jaxscope/") for name in code):
        yield "types", [sys.executable, "-m", "mypy"]
    tests = find_nearest_tests(checkout, changed)
    if left_out := tests[MOST_TEST_FILES:]:
        named = ", ".join(left_out[:MOST_TEST_FILES])
        more = len(left_out[MOST_TEST_FILES:])
        rest = f" and {more} more" if more else ""
        print(f"near, but not run (./run test runs them): {named}{rest}")
    if tests:
        names = tests[:MOST_TEST_FILES]
        print(f"nearest tests: {', '.join(names)}", flush=True)
        yield TESTS, [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist=loadfile", *names]


def find_fixes(changed: Iterable[str]) -> list[list[str]]:
    """Commands that mend what `find_checks` would complain of and a program can mend."""
    code = [name for name in changed if name.endswith(".py")]
    if not code:
        return []
    return [
        [sys.executable, "-m", "ruff", "check", "--quiet", "--fix", *code],
        [sys.executable, "-m", "ruff", "format", "--quiet", *code],
        [sys.executable, "docs/write_reference.py"],
    ]


def find_nearest_tests(checkout: Path, changed: Iterable[str]) -> list[str]:
    """The test files nearest to the changed files, the nearest first."""
    files = [*checkout.glob("jaxscope/**/*.py"), *checkout.glob("tests/**/*.py")]
    texts = {str(file.relative_to(checkout)): file.read_text("utf-8") for file in files}
    modules = {_module_of(name): name for name in texts}
    imports = {name: _find_imports(name, text, modules) for name, text in texts.items()}
    importers: dict[str, set[str]] = {name: set() for name in texts}
    for name, imported in imports.items():
        for other in imported:
            importers[other].add(name)
    changed = list(changed)
    first = [name for name in changed if name in texts and _is_test(name)]
    if any(name.startswith("jaxscope/") for name in changed):
        first.append("tests/test_architecture.py")
    if any(name.endswith(".md") and name != "CHANGELOG.md" for name in changed):
        first.append("tests/test_documents.py")
    if any(name.startswith(("jaxscope/ui/", "docs/write_translations")) for name in changed):
        first.append("tests/window/test_language.py")
    near = [_find_tests_of(name, importers, imports) for name in _name_modules(changed, texts)]
    in_turn = itertools.chain.from_iterable(itertools.zip_longest(*near))
    return list(dict.fromkeys([*first, *filter(None, in_turn)]))


def _name_modules(changed: Iterable[str], texts: Mapping[str, str]) -> Iterator[str]:
    """The changed modules; a data file stands for the modules that name it."""
    for name in changed:
        if name in texts:
            yield name
        elif name.startswith("jaxscope/"):
            base = name.rpartition("/")[2]
            yield from (other for other, text in texts.items() if base in text)


def _find_tests_of(
    name: str, importers: Mapping[str, set[str]], imports: Mapping[str, set[str]]
) -> list[str]:
    """Test files at the least number of imports from a module."""
    seen, level = {name}, {name}
    while level:
        tests = [other for other in level if _is_test(other)]
        if tests:
            return sorted(tests, key=lambda test: (len(imports[test]), test))
        level = set().union(*(importers[other] for other in level)) - seen
        seen |= level
    return []


def _is_test(name: str) -> bool:
    return name.startswith("tests/") and name.rpartition("/")[2].startswith("test_")


def _module_of(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _find_imports(file: str, text: str, modules: Mapping[str, str]) -> set[str]:
    """Files of ours that a source imports.

    Found by a regular expression: to parse every file takes seconds. A sentence of a docstring that
    looks like an import names no module.
    """
    names: list[str] = []
    folder = file.rpartition("/")[0].replace("/", ".")
    for whole, package, parts in _IMPORT.findall(text):
        if package.startswith("."):  # tests import their helpers so; deeper ones are not used
            package = f"{folder}.{package[1:]}".rstrip(".")
        names += [whole] if whole else [package]
        names += [f"{package}.{word}" for word in re.findall(r"\w+", parts)]
    return {modules[name] for name in names if name in modules}


def _git(checkout: Path, *words: str) -> list[str]:
    """Lines that git prints; none where it fails."""
    command = ["git", "-C", str(checkout), *words]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return []
    return answer.stdout.splitlines() if answer.returncode == 0 else []


def _passes(name: str, command: list[str]) -> bool:
    print(f"== {name}", flush=True)
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(Path.cwd(), sys.argv[1:]))
