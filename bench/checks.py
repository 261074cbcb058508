"""How often are the checks right? Recall on planted mistakes; findings in libraries, to judge.

    python -m bench.checks                    recall of each check on tests/checks/planted.py
    python -m bench.checks libraries [WORD …] every finding in the calls of identity_calls.py and
                                              check_calls.py, as lines of JSON, with the source
    python -m bench.checks packages NAME …    the same in calls of every function of packages that
                                              are installed, by package_calls.py
    python -m bench.checks files FOLDER …     what the rules that read files tell of in the files of
                                              folders, were every line of them traced
    … --target=aot:tpu:v5e:2x2                of both, what is told of another target
    python -m bench.checks cost               seconds of the checks on the gradient of
                                              samples/transformer.py, against those of tracing it

Lines of installed libraries are looked at as the user's own. Whether a finding is true is for a
person to say, who reads the source; docs/design/checks.md has what was found.
"""

from __future__ import annotations

import ast
import collections
import functools
import itertools
import json
import linecache
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_AROUND = 3
_MOST_SECONDS = 20


def _subject(file: str, text: str, *, of_libraries: bool = True, target: str = "") -> Any:
    from jaxscope.worker.checks.effects import EffectWatch
    from jaxscope.worker.checks.purity import PurityWatch
    from jaxscope.worker.checks.subject import CheckedCall
    from jaxscope.worker.host.call import call_namespace, parse_call
    from jaxscope.worker.host.source import read_source
    from jaxscope.worker.provenance.traced_program import trace_call

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries
        call = parse_call(text, call_namespace(vars(_execute(file))), file=file)
        watch = PurityWatch(call.base, read_source(file))
        is_own = {"is_own": _is_library} if of_libraries else {}
        effects = EffectWatch(call.base, **is_own)
        with effects.watching():
            program = trace_call(call)
        return CheckedCall(call, program, watch, effects, target or _target(), owns_all=True)


def _target() -> str:
    """What `--target=…` of this process's command line says."""
    named = [word.partition("=")[2] for word in sys.argv if word.startswith("--target=")]
    return named[0] if named else "cpu"


def _is_library(file: str) -> bool:
    return "jax/_src" not in file and not file.startswith((sys.prefix, str(_ROOT)))


@functools.cache
def _execute(file: str) -> Any:
    from jaxscope.worker.host.user_module import execute_file

    return execute_file(file, Path(file).read_text("utf-8"))


def tell_recall() -> int:
    """Print for each rule how many planted mistakes are found and look-alikes are passed over."""
    from jaxscope.worker.checks import run_checks
    from tests.checks import planted

    _own = functools.partial(_subject, planted.__file__, of_libraries=False)
    missed = 0
    for rule in planted.FAULTS:
        target = planted.TARGETS.get(rule, "cpu")
        found = [
            [each.rule for each in run_checks(_own(call, target=target))[0]]
            for call in planted.FAULTS[rule]
        ]
        alike = [run_checks(_own(call, target=target))[0] for call in planted.ALIKE.get(rule, ())]
        num_found, num_silent = sum(rule in each for each in found), alike.count([])
        missed += len(found) - num_found + len(alike) - num_silent
        print(
            f"{rule:28} {num_found} of {len(found)} found; "
            f"silent on {num_silent} of {len(alike)} look-alikes"
        )
    return missed


def check_group(name: str) -> None:
    """Print what is found in the calls of a group, a line of JSON for each."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    from bench.identity_calls import NUM_DEVICES, PREAMBLE

    jax.config.update("jax_num_cpu_devices", NUM_DEVICES)
    (group,) = (group for group in _groups() if group.name == name)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"calls_of_{re.sub(r'[^a-z0-9]+', '_', name)}.py"
        file.write_text(PREAMBLE + group.source)
        for call in group.calls:
            _print_findings(name, str(file), call)


def _print_findings(name: str, file: str, call: str, seconds: int = 0) -> bool:
    """Print what is found in a call, or why it does not trace; whether it does."""
    from jaxscope.worker.checks import run_checks

    head = {"group": name, "call": call}
    signal.alarm(seconds)
    try:
        start = time.perf_counter()
        subject = _subject(file, call)
        traced = time.perf_counter() - start
        found, failed = run_checks(subject)
        taken = time.perf_counter() - start - traced
    except (Exception, _TooLong) as error:
        told = " ".join(f"{type(error).__name__}: {error}".split())
        print(json.dumps({**head, "error": told[:300]}), flush=True)
        return False
    finally:
        signal.alarm(0)
    findings = [{**_as_json(each), "source": _excerpt(each)} for each in found]
    size = len(subject.base.sites)
    result = {"findings": findings, "failed": failed, "sites": size}
    print(json.dumps({**head, **result, "traced": traced, "seconds": taken}), flush=True)
    return True


class _TooLong(BaseException):
    """A call took longer to trace than it may."""


def _stop(*_: object) -> None:
    raise _TooLong


def check_package(name: str) -> None:
    """Print what is found in calls of every function of a package, and in their gradients."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    from bench.identity_calls import PREAMBLE
    from bench.package_calls import functions_of, texts_of

    signal.signal(signal.SIGALRM, _stop)
    with tempfile.TemporaryDirectory() as folder:
        for number, (module, function, inner) in enumerate(functions_of(name)):
            file = Path(folder) / f"call_{number}.py"
            lines = (
                f"import importlib\nf = getattr(importlib.import_module({module!r}), {function!r})",
                "def total(*args):\n    results = jax.tree.leaves(f(*args))",
                "    return sum(jnp.sum(r) for r in results if r.dtype == jnp.float32)",
            )
            file.write_text("\n".join((PREAMBLE, *lines, "")))
            for text in texts_of(inner, "f"):
                told = f"{name}: {module}.{function}"
                if _print_findings(told, str(file), text, _MOST_SECONDS):
                    if "f32" in text:
                        _print_findings(told, str(file), f"grad(total){text[1:]}", _MOST_SECONDS)
                    break


def check_files(folders: Sequence[str]) -> int:
    """Print what the rules that read files find, each text of a line and its function once."""
    from jaxscope.worker.checks import new_functions, static_arguments, unused_keys
    from jaxscope.worker.checks.subject import parse_file

    seen: set[str] = set()
    counts: collections.Counter[str] = collections.Counter()
    for path in sorted(each for folder in folders for each in Path(folder).rglob("*.py")):
        tree = parse_file(str(path)) if path.is_file() else None
        if tree is None or "jax" not in path.read_text("utf-8", "replace"):
            continue
        counts["files"] += 1
        makers = _names_of_modules(tree, "jax.random")
        found = [
            (unused_keys.RULE, line, ", ".join(names))
            for (line, column), names in unused_keys.unread_keys(str(path)).items()
            if _is_call_of(tree, line, column, makers)
        ]
        found += [(new_functions.RULE, n, "") for n in new_functions.find_lines_of(str(path))]
        found += [
            (static_arguments.RULE, line, f"{function} {argument}")
            for line, function, argument in static_arguments.find_places(tree)
        ]
        for rule, line, told in found:
            around = range(line - 8, line + 25)
            source = "".join(f"{n:5} {linecache.getline(str(path), n)}" for n in around)
            text = rule + "".join(
                linecache.getline(str(path), n) for n in range(line - 1, line + 3)
            )
            if text not in seen:
                seen.add(text)
                counts[rule] += 1
                head = {"rule": rule, "file": str(path), "line": line, "told": told}
                print(json.dumps({**head, "source": source}), flush=True)
        linecache.clearcache()
    print(dict(counts), file=sys.stderr)
    return 0


def _names_of_modules(tree: ast.Module, module: str) -> set[str]:
    """How a file spells a module of JAX, and, with a dot before them, what it imports from it."""
    parent, _, last = module.rpartition(".")
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {a.asname or a.name for a in node.names if a.name == module}
            found |= {f"{a.asname or a.name}.{last}" for a in node.names if a.name == parent}
        elif isinstance(node, ast.ImportFrom) and node.module == parent:
            found |= {a.asname or a.name for a in node.names if a.name == last}
        elif isinstance(node, ast.ImportFrom) and node.module == module:
            found |= {f".{a.asname or a.name}" for a in node.names}
    return found


def _is_call_of(tree: ast.Module, line: int, column: int, modules: set[str]) -> bool:
    """Whether the call at a place is of a function of one of these modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (node.lineno, node.col_offset) == (line, column):
            module, _, name = ast.unparse(node.func).rpartition(".")
            return module in modules if module else f".{name}" in modules
    return False


def _as_json(finding: Any) -> dict[str, Any]:
    names = ("rule", "severity", "message", "equation", "file", "line")
    return {name: getattr(finding, name) for name in names}


def _excerpt(finding: Any) -> str:
    lines = range(max(finding.line - _AROUND, 1), finding.line + _AROUND + 1)
    return "".join(f"{n:5} {linecache.getline(finding.file, n)}" for n in lines)


def _groups() -> Iterator[Any]:
    from bench import check_calls, identity_calls

    return itertools.chain(identity_calls.GROUPS, check_calls.GROUPS)


def check_libraries(words: Sequence[str]) -> int:
    """Print the findings of every group whose name has one of these words, a process each."""
    names = [group.name for group in _groups()]
    wanted = [name for name in names if not words or any(word in name for word in words)]
    return _check_each("--group", wanted)


def _check_each(kind: str, names: Sequence[str]) -> int:
    counts: collections.Counter[str] = collections.Counter()
    for name in names:
        command = [sys.executable, "-m", "bench.checks", f"--target={_target()}", kind, name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        for line in done.stdout.splitlines():
            if not line.startswith('{"'):
                continue
            print(line, flush=True)
            result = json.loads(line)
            counts["calls"] += 1
            counts["errors"] += "error" in result
            counts.update(each["rule"] for each in result.get("findings", ()))
    print(dict(counts), file=sys.stderr)
    return 0


def tell_cost() -> int:
    """Print the median seconds of all checks on the gradient of a transformer of twelve layers."""
    from jaxscope.worker.checks import run_checks
    from jaxscope.worker.checks.subject import CheckedCall

    file = str(_ROOT / "samples" / "transformer.py")
    subject = _subject(file, "grad(loss)(init(key(0)), tokens(key(1)))")
    seconds = []
    for _ in range(15):
        fresh = CheckedCall(subject.call, subject.program)
        start = time.perf_counter()
        run_checks(fresh)
        seconds.append(time.perf_counter() - start)
    traced = subject.program.derived.seconds
    print(
        f"{sorted(seconds)[7] * 1e3:.1f} ms for {len(fresh.base.sites):,} equations of the base "
        f"(first time {seconds[0] * 1e3:.1f} ms); tracing took {traced * 1e3:.0f} ms"
    )
    return 0


def main(words: list[str]) -> int:
    """Run what the first word says."""
    match [word for word in words if not word.startswith("--target=")]:
        case ["--group", name]:
            check_group(name)
            return 0
        case ["--package", name]:
            check_package(name)
            return 0
        case ["packages", *names]:
            return _check_each("--package", names)
        case ["files", *folders]:
            return check_files(folders)
        case ["libraries", *rest]:
            return check_libraries(rest)
        case ["cost"]:
            return tell_cost()
    return tell_recall()


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
