"""`jaxscope run SCRIPT ARGS…`: what a script compiles while it runs as it is, and why again."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from jaxscope.cli.output import print_document
from jaxscope.cli.parser import Options
from jaxscope.client.worker_failures import TOO_OLD, TOO_OLD_REMEDY
from jaxscope.errors import EnvironmentProblem, Explanation, SourceError, WorkerLost
from jaxscope.schema.whole_file import write_bytes

_GRACE_S = 10.0
_RUNNER = Path(__file__).parents[1] / "run_script.py"
_LIST_NAME = "compilations.json"


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
    with tempfile.TemporaryDirectory() as folder:
        out = script.out or (Path("jaxscope-run") if script.catch else None)
        listed = out or Path(folder)
        known = {
            "out": str(listed.absolute()),
            "catch": list(script.catch) if out is not None else ["\0"],  # without a folder, none
            "after": script.after,
            "stop_after": script.stop_after,
        }
        python = str(options.python or sys.executable)
        words = [str(_RUNNER), json.dumps(known), script.kind, script.script, *script.arguments]
        (listed / _LIST_NAME).unlink(missing_ok=True)  # of an earlier run
        status, why = _wait(python, words, options)
        if status == 1 and not (listed / _LIST_NAME).exists():
            _check_age(python)
        found = _read_list(listed / _LIST_NAME, status)
    if problem := found.get("not_begun"):
        raise EnvironmentProblem(problem["what"], remedy=problem["remedy"])
    if why is not None and options.is_json:  # one object, which carries what was seen
        failure = WorkerLost(why)
        failure.partial = found
        raise failure
    if options.is_json:
        print(json.dumps(found, indent=2))
    else:
        from jaxscope.report.compilations import compilations_to_document

        print_document(options, compilations_to_document(found, "" if out is None else str(out)))
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


def _wait(python: str, words: list[str], options: Options) -> tuple[int, Explanation | None]:
    """The status of the script's process, negative where a signal ended it, and why it was ended.

    Raises:
        EnvironmentProblem: The interpreter cannot be started.
    """
    try:
        process = subprocess.Popen(
            [python, *words], stdout=sys.stderr.fileno() if options.is_json else None
        )
    except OSError as error:
        raise EnvironmentProblem(
            f"{python} cannot be started: {error.strerror or error}."
        ) from None
    try:
        status = process.wait(options.timeout_s)
    except subprocess.TimeoutExpired:
        _end(process)
        why = Explanation(
            what=f"The script ran for more than {options.timeout_s:g} s and was stopped.",
            remedy="Give it more with --timeout, or end it after some calls: --stop-after 100.",
        )
        return process.returncode, why
    except KeyboardInterrupt:  # the script got the same signal
        _end(process)
        status = process.returncode
    if status >= 0:
        return status, None
    return status, Explanation(
        what=f"The script was ended by {signal.Signals(-status).name}.",
        remedy="What was seen until then is kept where --out names a folder.",
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let a process write what it has, then end it."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
