"""`jaxscope run SCRIPT ARGS…`: what a script compiles while it runs as it is, and why again."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from jaxscope.cli.output import print_document, print_found
from jaxscope.cli.parser import Options
from jaxscope.client.worker_failures import TOO_OLD, TOO_OLD_REMEDY
from jaxscope.errors import EnvironmentProblem, Explanation, SourceError, UsageError, WorkerLost
from jaxscope.model.ranks import LIST_NAME, find_launched_rank, number_of_folder, rank_folder
from jaxscope.run_script import lend_packages
from jaxscope.schema.rank_store import RankStore
from jaxscope.schema.whole_file import write_bytes

_GRACE_S = 10.0
_RUNNER = Path(__file__).parents[1] / "run_script.py"
_MAIN = Path(__file__).parents[1] / "__main__.py"
_DEFAULT_OUT = Path("jaxscope-run")


def run(options: Options) -> int:
    """Run the script to its end, and print what it compiled; 0 where it ended well.

    Raises:
        JaxscopeError: There is no such script or interpreter, or it was ended from outside.
    """
    script = options.script
    if script.kind == "script" and not Path(script.script).is_file():
        raise SourceError(
            f"{script.script} is no regular file."
            if os.path.lexists(script.script)
            else f"{script.script}: no such file.",
            remedy="Name a Python file, or a module with -m.",
        )
    if script.stop_after is not None and script.stop_after <= script.after:
        raise UsageError(
            f"--stop-after {script.stop_after} ends the script before --after {script.after} lets "
            "a call be captured.",
            remedy=f"Such as: --after {script.after} --stop-after {script.after + 1}",
        )
    if script.launcher:
        return _launch(options)
    with tempfile.TemporaryDirectory() as folder:
        out = script.out or (_DEFAULT_OUT if script.catch or script.at_nan else None)
        place = Path(folder, "place")
        listed = rank_folder((out or Path(folder)).absolute(), find_launched_rank(os.environ))
        known = {
            "out": str((out or Path(folder)).absolute()),
            "listed": str(listed),
            "place": str(place),
            "catch": None if out is None else script.catch,
            "after": script.after,
            "stop_after": script.stop_after,
            "at_nan": script.at_nan,
            "lent": lend_packages(),
        }
        python = str(options.python or sys.executable)
        words = [str(_RUNNER), json.dumps(known), script.kind, script.script, *script.arguments]
        (listed / LIST_NAME).unlink(missing_ok=True)  # of an earlier run
        status, why = _wait([python, *words], "The script", options)
        with contextlib.suppress(OSError):  # JAX's distributed runtime may have said which it is
            listed = Path(place.read_text("utf-8"))
        if status == 1 and not (listed / LIST_NAME).exists():
            _check_age(python)
        found = _read_list(listed / LIST_NAME, status)
    if problem := found.get("not_begun"):
        raise EnvironmentProblem(problem["what"], remedy=problem["remedy"])
    if why is not None and options.is_json:  # one object, which carries what was seen
        failure = WorkerLost(why)
        failure.partial = found
        raise failure
    if options.is_json:
        print(json.dumps(found, indent=2))
    elif out is not None and number_of_folder(listed.name) is not None:
        if number_of_folder(listed.name) == 0:  # one says it for all
            print(f"jaxscope ranks {out} says what all ranks compiled.", file=sys.stderr)
    else:
        from jaxscope.report.compilations import compilations_to_document
        from jaxscope.report.document import Section

        document = compilations_to_document(found, "" if out is None else str(out))
        if out is None and found["compilations"]:
            kept = "Nothing was kept. --out DIR keeps this list and a capture of every function."
            document = [*document, Section(blocks=[kept])]
        print_document(options, document)
    if why is not None:
        raise WorkerLost(why)
    return 0 if status == 0 else 1


def _read_list(place: Path, status: int) -> dict[str, Any]:
    """The list that the script's process wrote, completed where it did not end by itself."""
    try:
        found: dict[str, Any] = json.loads(place.read_text("utf-8"))
    except (OSError, ValueError):
        found = {"compilations": [], "outside": [], "transfers": [], "problems": []}
    if found.get("exit_status") is None:
        found["exit_status"] = status
        found["problems"].append(
            "The script's process ended at once: what it compiled last may be missing here."
        )
        with contextlib.suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(place, json.dumps(found, indent=2).encode())
    return found


def _check_age(python: str) -> None:
    """See whether an interpreter is so old that it cannot even read what it was to run.

    Raises:
        EnvironmentProblem: It is.
    """
    command = [python, "-c", "import sys; print(sys.version_info >= (3, 11))"]
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        asked = subprocess.run(command, capture_output=True, timeout=_GRACE_S, check=False)
        if asked.stdout.strip() == b"False":
            raise EnvironmentProblem(TOO_OLD.format(python=python), remedy=TOO_OLD_REMEDY)


def _launch(options: Options) -> int:
    """Let a launcher start this command in each rank, and print what all of them compiled.

    Raises:
        JaxscopeError: The launcher cannot be started, no rank wrote anything, or one was ended.
    """
    out = (options.script.out or _DEFAULT_OUT).absolute()
    command = _launched_command(options, out)
    out.mkdir(parents=True, exist_ok=True)
    for folder in (out, *out.iterdir()):  # of an earlier run
        if folder == out or number_of_folder(folder.name) is not None:
            (folder / LIST_NAME).unlink(missing_ok=True)
    status, why = _wait(command, command[0], options, patience_s=2 * _GRACE_S)
    with RankStore(out) as store:
        ranks = store.ranks()
        if not ranks:
            raise _explain_no_ranks(command[0], status, out)
        from jaxscope.report.ranks import ranks_to_document, ranks_to_json

        failure = None if why is None else WorkerLost(why)
        if failure is not None and options.is_json:  # one object, which carries what was seen
            failure.partial = ranks_to_json(store)
            raise failure
        print_found(options, lambda: ranks_to_json(store), lambda: ranks_to_document(store))
    if failure is not None:
        raise failure
    statuses = [rank.exit_status for rank in ranks]
    if store.missing or any(each is None or each < 0 for each in statuses):
        return WorkerLost.exit_status
    return 0 if status == 0 and not any(statuses) else 1


def _launched_command(options: Options, out: Path) -> list[str]:
    """The launcher, and behind it this command for one rank."""
    script = options.script
    try:
        launcher = shlex.split(script.launcher)
    except ValueError as error:
        raise UsageError(f"--launcher cannot be read: {error}.") from None
    if not launcher:
        raise UsageError("--launcher names no command.", remedy="Such as: --launcher 'srun -n 8'")
    given: list[tuple[str, object]] = [
        ("--out", out),
        *(("--catch", name) for name in script.catch),
        ("--after", script.after),
        ("--stop-after", script.stop_after),
        ("--python", options.python),
        ("--timeout", options.timeout_s),
    ]
    command = [*launcher, sys.executable, "-P", str(_MAIN), "run"]
    for name, value in given:
        command += [] if value is None else [name, str(value)]
    command += ["--at-nan"] if script.at_nan else []
    command += ["-m"] if script.kind == "module" else []
    return [*command, script.script, *script.arguments]


def _explain_no_ranks(launcher: str, status: int, out: Path) -> EnvironmentProblem:
    if (out / LIST_NAME).exists():
        return EnvironmentProblem(
            f"{launcher} started one process alone, or none that knows its rank: what was "
            f"written last is in {out}.",
            remedy="srun, mpirun and mpiexec tell each process its rank, and so does "
            "jax.distributed.initialize in the script.",
        )
    return EnvironmentProblem(
        f"{launcher} ended with status {status}, and no rank wrote anything.",
        remedy="Does the launcher reach this folder and this Python from where it starts "
        "its processes?",
    )


def _wait(
    command: list[str], what: str, options: Options, *, patience_s: float = 0.0
) -> tuple[int, Explanation | None]:
    """The status of a process, negative where a signal ended it, and why it was ended.

    Args:
        patience_s: What is waited beyond the given limit, for what ends by itself.

    Raises:
        EnvironmentProblem: It cannot be started.
    """
    try:
        process = subprocess.Popen(command, stdout=sys.stderr.fileno() if options.is_json else None)
    except OSError as error:
        raise EnvironmentProblem(
            f"{command[0]} cannot be started: {error.strerror or error}."
        ) from None
    try:
        limit_s = options.timeout_s
        status = process.wait(None if limit_s is None else limit_s + patience_s)
    except subprocess.TimeoutExpired:
        _end(process)
        why = Explanation(
            what=f"{what} ran for more than {options.timeout_s:g} s and was stopped.",
            remedy="Give it more with --timeout, or end it after some calls: --stop-after 100.",
        )
        return process.returncode, why
    except KeyboardInterrupt:  # the script got the same signal
        _end(process)
        status = process.returncode
    if status >= 0:
        return status, None
    return status, Explanation(
        what=f"{what} was ended by {signal.Signals(-status).name}.",
        remedy="What was seen until then is kept where --out names a folder.",
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let a process write what it has, then end it."""
    if sys.platform == "win32":
        process.terminate()  # it has written what it saw until a moment ago
    else:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
